/* SPDX-License-Identifier: MIT
 *
 * cli: any arguments, in the process itself. The input is one argument a line up to an empty line, then the
 * capture, whose name is "c". The status is 0, 1 or 2; trouble is said; a second run says the same; the input
 * stays as it is, and besides it nothing is there but one output, which an argument names, when all went
 * well.
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

static unsigned count_named(int argc, char **argv)
{
    unsigned nr = 0;
    for (int i = 1, k; i < argc; i++) {
        for (k = 1; k < i && strcmp(argv[k], argv[i]) != 0; k++)
            continue;
        nr += k == i && strcmp(argv[i], "c") != 0 && access(argv[i], F_OK) == 0;
    }
    return nr;
}

struct run {
    int status;
    unsigned named; /* entries of the folder that an argument names */
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

/* Runs it in the folder, with what it says caught. */
static struct run run(const char *arguments, int folder, struct pc_span capture)
{
    struct run r;
    char text[512], *argv[ARGUMENTS + 1];
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), kept[2], caught[2];
    snprintf(text, sizeof(text), "%s", arguments);
    int argc = split_arguments(text, argv);
    fuzz_folder();
    fuzz_folder_put("c", capture);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        kept[i] = dup(1 + i);
        caught[i] = memfd_create("said", MFD_CLOEXEC);
        FUZZ_MUST(kept[i] >= 0 && caught[i] >= 0 && dup2(caught[i], 1 + i) >= 0);
    }
    FUZZ_MUST(fchdir(folder) == 0);
    optind = 0;
    r.status = fuzz_main(argc, argv);
    r.named = count_named(argc, argv);
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], 1 + i);
        close(kept[i]);
        r.said[i] = take(caught[i]);
    }
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
    int folder = fuzz_folder();
    struct run one = run(arguments, folder, capture);
    PC_CLAIM(one.status >= 0 && one.status <= 2);
    PC_CLAIM(one.status != 2 || one.said[0].len + one.said[1].len != 0 || strstr(arguments, "-q"));
    struct fuzz_bytes left = fuzz_folder_get("c");
    PC_CLAIM(left.bytes && left.len == capture.len && memcmp(left.bytes, capture.ptr, left.len) == 0);
    PC_CLAIM(fuzz_folder_entries() == 1 + one.named);
    PC_CLAIM(one.named == 0 || (one.named == 1 && one.status == 0));
    struct run two = run(arguments, folder, capture);
    PC_CLAIM(two.status == one.status);
    for (int i = 0; i < 2; i++) {
        PC_CLAIM(fuzz_same(&one.said[i], &two.said[i]));
        free(one.said[i].bytes);
        free(two.said[i].bytes);
    }
    free(left.bytes);
    return 0;
}
