/* SPDX-License-Identifier: MIT
 *
 * cli: any arguments, in the process itself. The input is one argument a line up to an empty line, then the
 * capture, whose name is "c", which also comes through a pipe on standard input; behind "//@d\n" another one,
 * "d". The status is 0, 1 or 2; trouble is said; a second run says the same; the input stays as it is, and
 * besides these nothing is there but one output, which an argument names, when all went well.
 */
#include "fuzz/folder.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* src/main.c, compiled for this harness under another name. */
int fuzz_main(int argc, char **argv);

#define ARGUMENTS 16
#define MARK      "//@d\n"

/* No argument leads out of the folder. */
static int split_arguments(char *text, char **argv)
{
    static char program[] = "perfcheck";
    int argc = 0;
    argv[argc++] = program;
    for (char *save = NULL, *one = strtok_r(text, "\n", &save); one && argc < ARGUMENTS;
         one = strtok_r(NULL, "\n", &save)) {
        for (char *p = strchr(one, '/'); p; p = strchr(p, '/'))
            *p = '_';
        if (strcmp(one, "..") != 0 && strcmp(one, ".") != 0)
            argv[argc++] = one;
    }
    argv[argc] = NULL;
    return argc;
}

/* Entries of the folder that arguments name and that were not put there. */
static unsigned count_named(int argc, char **argv, bool has_other)
{
    unsigned nr = 0;
    for (int i = 1, k; i < argc; i++) {
        for (k = 1; k < i && strcmp(argv[k], argv[i]) != 0; k++)
            continue;
        bool put = strcmp(argv[i], "c") == 0 || (has_other && strcmp(argv[i], "d") == 0);
        nr += k == i && !put && access(argv[i], F_OK) == 0;
    }
    return nr;
}

struct run {
    int status;
    unsigned named;
    struct fuzz_bytes said[2];
};

static struct fuzz_bytes take(int fd)
{
    struct fuzz_bytes b = { .len = (size_t)lseek(fd, 0, SEEK_END) };
    b.bytes = malloc(b.len + 1);
    FUZZ_MUST(b.bytes && pread(fd, b.bytes, b.len, 0) == (ssize_t)b.len);
    close(fd);
    return b;
}

/* A pipe that holds all of it, at its end afterwards; without room for it, what fits. */
static int pipe_of(struct pc_span capture)
{
    int end[2];
    FUZZ_MUST(pipe2(end, O_CLOEXEC | O_NONBLOCK) == 0);
    fcntl(end[1], F_SETPIPE_SZ, 2 * FUZZ_INPUT_MAX);
    if (write(end[1], capture.ptr, capture.len) < 0)
        FUZZ_MUST(capture.len != 0);
    close(end[1]);
    fcntl(end[0], F_SETFL, 0);
    return end[0];
}

/* Runs it in the folder, with what it says caught. */
static struct run run(const char *arguments, int folder, struct pc_span capture, struct pc_span other)
{
    struct run r;
    char text[512], *argv[ARGUMENTS + 1];
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), kept[2], caught[2];
    int kept_input = dup(0), piped = pipe_of(capture);
    snprintf(text, sizeof(text), "%s", arguments);
    int argc = split_arguments(text, argv);
    fuzz_folder();
    fuzz_folder_put("c", capture);
    if (other.ptr)
        fuzz_folder_put("d", other);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        kept[i] = dup(1 + i);
        caught[i] = memfd_create("said", MFD_CLOEXEC);
        FUZZ_MUST(kept[i] >= 0 && caught[i] >= 0 && dup2(caught[i], 1 + i) >= 0);
    }
    FUZZ_MUST(dup2(piped, 0) == 0 && fchdir(folder) == 0);
    if (piped != 0)
        close(piped);
    optind = 0;
    r.status = fuzz_main(argc, argv);
    r.named = count_named(argc, argv, other.ptr != NULL);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], 1 + i);
        close(kept[i]);
        r.said[i] = take(caught[i]);
    }
    if (kept_input >= 0)
        dup2(kept_input, 0);
    close(kept_input >= 0 ? kept_input : 0);
    FUZZ_MUST(fchdir(here) == 0);
    close(here);
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char arguments[512];
    const unsigned char *end = size < 2 ? NULL : memmem(data, size, "\n\n", 2);
    if (!end || (size_t)(end - data) >= sizeof(arguments) || size > FUZZ_INPUT_MAX)
        return 0;
    memcpy(arguments, data, (size_t)(end - data));
    arguments[end - data] = 0;
    struct pc_span capture = { end + 2, size - (size_t)(end + 2 - data) };
    struct pc_span other = { NULL, 0 };
    const unsigned char *mark = memmem(capture.ptr, capture.len, MARK, strlen(MARK));
    if (mark) {
        size_t at = (size_t)(mark - capture.ptr), behind = at + strlen(MARK);
        other = pc_part(capture, behind, capture.len - behind);
        capture.len = at;
    }
    int folder = fuzz_folder();
    struct run one = run(arguments, folder, capture, other);
    PC_CLAIM(one.status >= 0 && one.status <= 2);
    PC_CLAIM(one.status != 2 || one.said[0].len + one.said[1].len != 0 || strstr(arguments, "-q"));
    struct fuzz_bytes left = fuzz_folder_get("c");
    PC_CLAIM(left.bytes && left.len == capture.len && memcmp(left.bytes, capture.ptr, left.len) == 0);
    PC_CLAIM(fuzz_folder_entries() == 1u + (other.ptr != NULL) + one.named);
    PC_CLAIM(one.named == 0 || (one.named == 1 && one.status == 0));
    struct run two = run(arguments, folder, capture, other);
    PC_CLAIM(two.status == one.status);
    for (int i = 0; i < 2; i++) {
        PC_CLAIM(fuzz_same(&one.said[i], &two.said[i]));
        free(one.said[i].bytes);
        free(two.said[i].bytes);
    }
    free(left.bytes);
    return 0;
}
