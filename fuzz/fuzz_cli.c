/* SPDX-License-Identifier: MIT
 *
 * cli: runs main with any arguments. The input has one argument per line up to an empty line, then the
 * capture "c", which also comes through a pipe on standard input. After "//@d\n" there is another one, "d".
 * The status is 0, 1 or 2. Trouble is reported. A second run prints the same. The inputs do not change, and
 * the only new file is one output, which an argument names, after success. Files outside, where links of
 * directories lead, do not change; they differ in the second run. No descriptor stays open.
 *
 * Lines that begin with "@" are for the harness. @tree: both captures are directories, made by
 * fuzz_folder_put_tree. @terminal: standard error is a terminal, and the clock runs fast. @each, @each-old,
 * @each-interrupt, @each-short and @each-nothing: if the command succeeds, each system call fails in turn
 * (calls.h). The output is then whole, or it does not exist and the one that it replaces is unchanged. Calls
 * that are tried again make no difference.
 */
#include "fuzz/calls.h"
#include "fuzz/folder.h"

#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* src/cli/main.c, compiled for this harness under another name. */
int fuzz_main(int argc, char **argv);

#define ARGUMENTS  16
#define MARK       "//@d\n"
#define FUZZ_CALLS 2000 /* that fail in turn */

/* The lines that are for the harness. */
struct mode {
    bool tree, terminal, each, old;
    enum calls_how how;
    unsigned long nr; /* of the call that fails */
};

static void take_mode(struct mode *m, const char *word)
{
    static const char *const each[] = { "", "-interrupt", "-short", "-nothing" };
    m->tree |= strcmp(word, "@tree") == 0;
    m->terminal |= strcmp(word, "@terminal") == 0;
    if (strncmp(word, "@each", 5) != 0)
        return;
    m->old |= strcmp(word + 5, "-old") == 0;
    m->each |= m->old;
    for (unsigned i = 0; i < PC_COUNT_OF(each); i++) {
        if (strcmp(word + 5, each[i]) == 0) {
            m->each = true;
            m->how = (enum calls_how)i;
        }
    }
}

/* Arguments cannot lead out of the folder. */
static int split_arguments(char *text, char **argv, struct mode *mode)
{
    static char program[] = "perfcheck";
    int argc = 0;
    argv[argc++] = program;
    for (char *save = NULL, *one = strtok_r(text, "\n", &save); one && argc < ARGUMENTS;
         one = strtok_r(NULL, "\n", &save)) {
        if (one[0] == '@') {
            take_mode(mode, one);
            continue;
        }
        for (char *p = strchr(one, '/'); p; p = strchr(p, '/'))
            *p = '_';
        if (strcmp(one, "..") != 0 && strcmp(one, ".") != 0)
            argv[argc++] = one;
    }
    argv[argc] = NULL;
    return argc;
}

struct input {
    const char *arguments;
    struct pc_span capture, other;
    unsigned outside; /* which content lies there */
};

struct run {
    int status;
    bool kept;    /* the first capture is unchanged */
    bool over;    /* the second capture may be the output, and the first the input */
    bool beside;  /* it names what it replaced */
    bool closed;  /* descriptors are as they were */
    bool outside; /* the targets of links are unchanged */
    bool stream;  /* it reads standard input, whose end may cut a record */
    unsigned named, parts, entries;
    unsigned long calls;
    char output[64]; /* what it made */
    struct fuzz_bytes said[2];
};

/* The file that an argument names; options may be cut, as in --keep=FILE. */
static const char *name_in(const char *argument)
{
    const char *value = strncmp(argument, "--k", 3) == 0 ? strchr(argument, '=') : NULL;
    return value ? value + 1 : argument;
}

/* Whether one of the first arguments names it. */
static bool is_named(char **argv, int nr, const char *name)
{
    for (int i = 1; i < nr; i++) {
        if (strcmp(name_in(argv[i]), name) == 0)
            return true;
    }
    return false;
}

/* Captures of a rotation: NAME.0, NAME.1, ... for the name in an argument. */
static unsigned count_parts(int argc, char **argv, const char *name)
{
    char part[520];
    unsigned nr = 0;
    for (unsigned i = 0; snprintf(part, sizeof(part), "%s.%u", name, i) > 0 && access(part, F_OK) == 0; i++)
        nr += !is_named(argv, argc, part);
    return nr;
}

/* Entries of the folder that arguments name and that the harness did not make. */
static void count_named(int argc, char **argv, bool has_other, struct run *r)
{
    for (int i = 1; i < argc; i++) {
        r->stream |= strcmp(argv[i], "-") == 0;
        const char *name = name_in(argv[i]);
        if (is_named(argv, i, name))
            continue;
        r->parts += count_parts(argc, argv, name);
        bool put = strcmp(name, "c") == 0 || (has_other && strcmp(name, "d") == 0);
        if (put || access(name, F_OK) != 0)
            continue;
        r->named++;
        snprintf(r->output, sizeof(r->output), "%s", name);
    }
}

/* Whether the command may replace the first capture with a copy of the second, as `rewrite --force d c` does.
 * */
static bool is_over(int argc, char **argv)
{
    bool force = false, second = false, first = false;
    for (int i = 1; i < argc; i++) {
        force |= strncmp(argv[i], "--f", 3) == 0;
        first |= second && strcmp(argv[i], "c") == 0;
        second |= strcmp(argv[i], "d") == 0;
    }
    return force && first;
}

static struct fuzz_bytes take(int fd)
{
    struct fuzz_bytes b = { .len = (size_t)lseek(fd, 0, SEEK_END) };
    b.bytes = malloc(b.len + 1);
    FUZZ_MUST(b.bytes && pread(fd, b.bytes, b.len, 0) == (ssize_t)b.len);
    close(fd);
    return b;
}

/* A pipe that contains all of it and then ends. If it does not fit, the first part. */
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

/* Whether a link leads outside. */
static bool put(const char *name, struct pc_span bytes, bool tree)
{
    if (tree)
        return fuzz_folder_put_tree(name, bytes);
    fuzz_folder_put(name, bytes);
    return false;
}

/* The content of a name: a file, or the data of a directory, which may have none. */
static struct fuzz_bytes look(const char *name)
{
    static const char *const inner[] = { "data", "perf.data" };
    char path[80];
    if (fuzz_folder_is_directory(name)) {
        for (size_t i = 0; i < PC_COUNT_OF(inner); i++) {
            snprintf(path, sizeof(path), "%s/%s", name, inner[i]);
            struct fuzz_bytes b = fuzz_folder_get(path);
            if (b.bytes)
                return b;
        }
        return (struct fuzz_bytes){ NULL, 0 };
    }
    return fuzz_folder_get(name);
}

/* Whether it reports a directory that was replaced but cannot be removed, and that exists. Arguments may have
 * the same words. */
static bool is_left_beside(const struct fuzz_bytes *said)
{
    static const char words[] = "what it replaced could not be removed and is now: ",
                      temporary[] = ".perfcheck-";
    const unsigned char *at = said->bytes, *end = at + said->len, *line;
    while ((at = memmem(at, (size_t)(end - at), words, strlen(words)))) {
        char name[80];
        at += strlen(words);
        line = memchr(at, '\n', (size_t)(end - at));
        snprintf(name, sizeof(name), "%.*s", line ? (int)(line - at) : 0, (const char *)at);
        bool of_ours = name[0] == '.' && (name[1] == 'c' || name[1] == 'd');
        if (of_ours && strncmp(name + 2, temporary, strlen(temporary)) == 0 && access(name, F_OK) == 0)
            return true;
    }
    return false;
}

/* Runs the command in the folder and keeps its output. */
static struct run run(const struct input *in, struct mode *mode)
{
    struct run r = { .status = -1 };
    char text[512], *argv[ARGUMENTS + 1];
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), kept[2], caught[2];
    int kept_input = dup(0), piped = pipe_of(in->capture);
    snprintf(text, sizeof(text), "%s", in->arguments);
    int argc = split_arguments(text, argv, mode);
    int folder = fuzz_folder();
    bool out = put("c", in->capture, mode->tree);
    if (in->other.ptr)
        out |= put("d", in->other, mode->tree);
    if (out)
        fuzz_folder_outside(in->outside);
    struct fuzz_bytes before = look("c");
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
    if (mode->terminal)
        calls_terminal();
    uint64_t descriptors = fuzz_folder_descriptors();
    calls_begin(mode->how, mode->nr, mode->old);
    r.status = fuzz_main(argc, argv);
    r.calls = calls_end();
    r.closed = fuzz_folder_descriptors() == descriptors;
    r.over = in->other.ptr && is_over(argc, argv);
    count_named(argc, argv, in->other.ptr != NULL, &r);
    r.entries = fuzz_folder_entries();
    r.outside = !out || fuzz_folder_outside_stays(in->outside);
    struct fuzz_bytes after = look("c");
    r.kept = fuzz_same(&after, &before);
    free(after.bytes);
    free(before.bytes);
    fflush(NULL);
    __fpurge(stdin); /* of the next run nothing was read */
    clearerr(stdin);
    for (int i = 0; i < 2; i++) {
        dup2(kept[i], 1 + i);
        close(kept[i]);
        r.said[i] = take(caught[i]);
    }
    r.beside = is_left_beside(&r.said[1]);
    if (kept_input >= 0)
        dup2(kept_input, 0);
    close(kept_input >= 0 ? kept_input : 0);
    FUZZ_MUST(fchdir(here) == 0);
    close(here);
    return r;
}

static void release(struct run *r)
{
    free(r->said[0].bytes);
    free(r->said[1].bytes);
}

/* Claims about every run, whatever failed in it. */
static void claim_run(const struct input *in, const struct mode *mode, const struct run *r)
{
    PC_CLAIM(r->status >= 0 && r->status <= 2);
    PC_CLAIM(r->status != 2 || r->said[0].len + r->said[1].len != 0 || strstr(in->arguments, "-q"));
    PC_CLAIM(r->kept || (r->over && (r->status == 0 || mode->nr != 0)));
    PC_CLAIM(r->closed);
    PC_CLAIM(r->outside);
    PC_CLAIM(!r->beside || (mode->nr != 0 && in->other.ptr && r->status == 0));
    PC_CLAIM(r->entries == 1u + (in->other.ptr != NULL) + r->named + r->parts + r->beside);
    /* Pages and tables may be about no capture. */
    bool page = r->status == 1 && (strstr(in->arguments, "report") || strstr(in->arguments, "tables"));
    PC_CLAIM(r->named == 0 || (r->named == 1 && (r->status == 0 || page)) || (r->named <= 2 && r->stream));
}

/* `other`: the capture that the command may replace. `whole` and `output`: what it makes of it, and of a new
 * name, if nothing fails. */
static void claim_failing(const struct input *in, const struct run *good, struct mode mode)
{
    struct fuzz_bytes output = look(good->output), whole = look("d"), other = { NULL, 0 };
    if (in->other.ptr) {
        fuzz_folder();
        put("d", in->other, mode.tree);
        other = look("d");
    }
    bool reached = true;
    for (mode.nr = 1; reached && mode.nr <= FUZZ_CALLS; mode.nr++) {
        struct run r = run(in, &mode);
        bool same = mode.how == CALLS_INTERRUPT || mode.how == CALLS_SHORT;
        reached = r.calls >= mode.nr;
        claim_run(in, &mode, &r);
        PC_CLAIM(!same || mode.old || (r.status == 0 && fuzz_same(&r.said[0], &good->said[0])));
        PC_CLAIM(r.status != 0 || r.named == good->named);
        if (r.named != 0) {
            struct fuzz_bytes made = look(r.output);
            PC_CLAIM(fuzz_same(&made, &output));
            free(made.bytes);
        }
        if (in->other.ptr) {
            struct fuzz_bytes left = look("d");
            PC_CLAIM(fuzz_same(&left, &whole) || (r.status != 0 && fuzz_same(&left, &other)));
            free(left.bytes);
        }
        release(&r);
    }
    free(output.bytes);
    free(whole.bytes);
    free(other.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char arguments[512];
    const unsigned char *end = size < 2 ? NULL : memmem(data, size, "\n\n", 2);
    if (!end || (size_t)(end - data) >= sizeof(arguments) || size > FUZZ_INPUT_MAX)
        return 0;
    memcpy(arguments, data, (size_t)(end - data));
    arguments[end - data] = 0;
    struct input in = { arguments, { end + 2, size - (size_t)(end + 2 - data) }, { NULL, 0 }, 0 };
    const unsigned char *mark = memmem(in.capture.ptr, in.capture.len, MARK, strlen(MARK));
    if (mark) {
        size_t at = (size_t)(mark - in.capture.ptr), behind = at + strlen(MARK);
        in.other = pc_part(in.capture, behind, in.capture.len - behind);
        in.capture.len = at;
    }
    struct mode mode = { .nr = 0 };
    struct run one = run(&in, &mode);
    claim_run(&in, &mode, &one);
    in.outside = 1;
    struct run two = run(&in, &mode);
    PC_CLAIM(two.status == one.status);
    for (int i = 0; i < 2; i++)
        PC_CLAIM(fuzz_same(&one.said[i], &two.said[i]));
    if (mode.each && one.status == 0 && !mode.terminal)
        claim_failing(&in, &one, mode);
    release(&one);
    release(&two);
    return 0;
}
