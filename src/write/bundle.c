/* SPDX-License-Identifier: MIT */
#include "write/bundle.h"

#include "write/outputs.h"
#include "bytes/bundled.h"
#include "bytes/copy.h"
#include "bytes/directory.h"
#include "bytes/folder.h"
#include "bytes/input.h"
#include "bytes/io.h"
#include "bytes/names.h"
#include "bytes/sink.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct bundle {
    struct pc_rewrite rewrite;
    const char *input, *output;
    const struct pc_input *given; /* the open input; NULL: it is to be opened */
    char *const *kcore;           /* paths besides those in the input */
    size_t nr_kcores;
    int *fd; /* of the input, then of each of them */
    struct pc_mem mem;
    struct pc_input in;
    struct pc_directory dir; /* the input, when it is one */
    struct pc_folder folder;
};

static void say(const struct bundle *b, const char *path, const char *file, const char *what, const char *why)
{
    char whole[PATH_MAX + NAME_MAX + 2];
    snprintf(whole, sizeof(whole), "%s%s%s", path, file ? "/" : "", file ? file : "");
    pc_rewrite_say(&b->rewrite, whole, what, why);
}

static enum pc_rewritten say_error(const struct bundle *b, const char *path, const char *file,
                                   const char *what, int error)
{
    say(b, path, file, what, pc_text_error(error));
    return PC_TROUBLE;
}

static enum pc_rewritten say_not_written(const struct bundle *b, int error)
{
    const char *why = pc_output_error_text(error);
    if (error == ENOTDIR)
        why = "it exists, and is no directory";
    else if (error == ENOTEMPTY)
        why = "it exists, and holds what is no part of a capture, which --force does not remove";
    say(b, b->output, NULL, "cannot be written", why);
    return PC_TROUBLE;
}

/* --- kcore_dirs --- */

/* The last name in a path, which may end with slashes; "" when it is too long to be one. */
static void last_name(const char *path, char name[NAME_MAX + 1])
{
    size_t end = strlen(path), start;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (start = end; start > 0 && path[start - 1] != '/';)
        start--;
    size_t len = end - start <= NAME_MAX ? end - start : 0;
    memcpy(name, path + start, len);
    name[len] = 0;
}

/* Something is in a kcore_dir under one of the three names, and is no file. */
static enum pc_rewritten refuse_file(const struct bundle *b, const char *path, const char *file, mode_t mode)
{
    say(b, path, file, "refused",
        S_ISLNK(mode) ? "a symbolic link, which is not followed" : "no regular file");
    return PC_REFUSED;
}

/* One of the three files of an open kcore_dir, which need not be there. */
static enum pc_rewritten copy_file(struct bundle *b, int from, int to, const char *path, const char *file)
{
    struct stat st;
    if (pc_name_stat(from, file, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? PC_WRITTEN : say_error(b, path, file, "cannot be read", errno);
    if (!S_ISREG(st.st_mode))
        return refuse_file(b, path, file, st.st_mode); /* opening a device may have effects on it */
    int fd = pc_name_open(from, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return say_error(b, path, file, "cannot be read", errno);
    int error = pc_copy_file(&b->mem, b->rewrite.progress, fd, to, file);
    close(fd);
    if (error == ESTALE)
        say(b, path, file, "not written", "it changed while it was copied");
    else if (error)
        say_error(b, path, file, "cannot be copied", error);
    return error ? PC_TROUBLE : PC_WRITTEN;
}

/* Entries that belong to no capture are not carried over. */
static void say_left(const struct bundle *b, const char *path, const char *first, uint64_t nr)
{
    char text[64];
    if (nr == 0)
        return;
    if (nr == 1)
        snprintf(text, sizeof(text), "no part of a capture");
    else
        snprintf(text, sizeof(text), "no part of a capture, nor are %" PRIu64 " more", nr - 1);
    say(b, path, first, "left out", text);
}

/* ... nor what else is in a kcore_dir. */
static void say_left_out(const struct bundle *b, int fd, const char *path)
{
    char first[NAME_MAX + 1] = { 0 };
    struct dirent *entry;
    uint64_t nr = 0;
    int own = pc_name_open(fd, ".", PC_OPEN_DIRECTORY);
    DIR *stream = own < 0 ? NULL : fdopendir(own);
    if (!stream) {
        if (own >= 0)
            close(own);
        return;
    }
    while ((entry = readdir(stream))) {
        const char *name = entry->d_name;
        bool known = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        for (size_t i = 0; i < PC_COUNT_OF(pc_kcore_files); i++)
            known |= strcmp(name, pc_kcore_files[i]) == 0;
        if (!known && (nr++ == 0 || strcmp(name, first) < 0))
            snprintf(first, sizeof(first), "%s", name);
    }
    closedir(stream);
    say_left(b, path, first, nr);
}

/* An open kcore_dir, as `name` in the output. path: for messages. */
static enum pc_rewritten copy_kcore(struct bundle *b, int from, const char *name, const char *path)
{
    int to = pc_folder_make(&b->folder, name);
    if (to < 0)
        return say_error(b, b->output, name, "cannot be written", -to);
    enum pc_rewritten result = PC_WRITTEN;
    for (size_t i = 0; i < PC_COUNT_OF(pc_kcore_files) && result == PC_WRITTEN; i++)
        result = copy_file(b, from, to, path, pc_kcore_files[i]);
    int error = pc_folder_finish(to);
    if (error && result == PC_WRITTEN)
        return say_error(b, b->output, name, "cannot be written", error);
    return result;
}

/* Those in the input. */
static enum pc_rewritten copy_members(struct bundle *b)
{
    enum pc_rewritten result = PC_WRITTEN;
    for (size_t i = 0; i < b->dir.nr && result == PC_WRITTEN; i++) {
        const struct pc_member *m = &b->dir.member[i];
        char path[PATH_MAX + NAME_MAX + 2];
        if (m->kind != PC_MEMBER_KCORE)
            continue;
        if (!S_ISDIR(m->mode)) {
            say(b, b->input, m->name, "refused",
                S_ISLNK(m->mode) ? "a symbolic link, which is not followed" : "no directory");
            return PC_REFUSED;
        }
        int fd = pc_name_open(b->dir.fd, m->name, PC_OPEN_DIRECTORY);
        if (fd < 0)
            return say_error(b, b->input, m->name, "cannot be read", errno);
        snprintf(path, sizeof(path), "%s/%s", b->input, m->name);
        result = copy_kcore(b, fd, m->name, path);
        close(fd);
    }
    return result;
}

static enum pc_rewritten copy_kcores(struct bundle *b)
{
    enum pc_rewritten result = b->in.kind == PC_INPUT_DIRECTORY ? copy_members(b) : PC_WRITTEN;
    for (size_t i = 0; i < b->nr_kcores && result == PC_WRITTEN; i++) {
        char name[NAME_MAX + 1];
        last_name(b->kcore[i], name);
        result = copy_kcore(b, b->fd[1 + i], name, b->kcore[i]);
        if (result == PC_WRITTEN)
            say_left_out(b, b->fd[1 + i], b->kcore[i]);
    }
    return result;
}

/* --- inputs --- */

/* False, after saying it, when there is one of this name already. */
static bool is_new_name(const struct bundle *b, const char *name, size_t before)
{
    bool taken = false;
    for (size_t i = 0; i < before; i++) {
        char other[NAME_MAX + 1];
        last_name(b->kcore[i], other);
        taken |= strcmp(name, other) == 0;
    }
    for (size_t i = 0; i < b->dir.nr; i++)
        taken |= strcmp(name, b->dir.member[i].name) == 0;
    if (taken)
        say(b, b->kcore[before], NULL, "a second directory of this name", NULL);
    return !taken;
}

/* Opens the directories that are named, whose names say what they are. */
static bool open_kcores(struct bundle *b)
{
    for (size_t i = 0; i < b->nr_kcores; i++) {
        char name[NAME_MAX + 1];
        last_name(b->kcore[i], name);
        if (!pc_member_is_kcore(name)) {
            say(b, b->kcore[i], NULL, "is named neither kcore_dir nor kcore_dir__PID", NULL);
            return false;
        }
        if (!is_new_name(b, name, i))
            return false;
        b->fd[1 + i] = pc_name_open(AT_FDCWD, b->kcore[i], PC_OPEN_DIRECTORY);
        if (b->fd[1 + i] < 0) {
            say_error(b, b->kcore[i], NULL, PC_SAY_NOT_OPENED, errno);
            return false;
        }
    }
    return true;
}

static bool open_input(struct bundle *b)
{
    int error = b->given ? 0 : pc_input_open(&b->in, b->input);
    const bool opened = error == 0;
    if (opened && b->in.kind == PC_INPUT_DIRECTORY)
        error = pc_directory_list(&b->dir, b->in.fd);
    b->fd[0] = b->in.fd;
    if (error)
        say_error(b, b->input, NULL, opened ? "cannot be read" : PC_SAY_NOT_OPENED, error);
    return error == 0;
}

/* The bits that the file with the records gets at most: those that all of its origins have. */
static mode_t mode_of_records(const struct bundle *b)
{
    struct stat st;
    mode_t mode = 0777;
    if (b->in.kind != PC_INPUT_DIRECTORY)
        return fstat(b->in.fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0600;
    for (size_t i = 0; i < b->dir.nr; i++) {
        if (b->dir.member[i].kind <= PC_MEMBER_OTHER && S_ISREG(b->dir.member[i].mode))
            mode &= b->dir.member[i].mode;
    }
    return mode;
}

/* --- the output --- */

static bool is_written(enum pc_rewritten result)
{
    return result == PC_WRITTEN || result == PC_WRITTEN_CUT;
}

static enum pc_rewritten write_records(struct bundle *b, const char *name)
{
    struct pc_sink sink;
    struct pc_input in = b->in;
    char path[PATH_MAX + NAME_MAX + 2];
    snprintf(path, sizeof(path), "%s/%s", b->output, name);
    int error = pc_sink_create_at(&sink, &b->mem, b->folder.target.fd, name, mode_of_records(b));
    if (error)
        return say_error(b, path, NULL, "cannot be written", error);
    in.owns_fd = false; /* the names in it are needed later */
    enum pc_rewritten result = pc_rewrite_into(&b->rewrite, &in, b->input, &sink, path);
    if (!is_written(result)) {
        pc_sink_discard(&sink);
        return result;
    }
    error = pc_sink_commit(&sink);
    return error ? say_error(b, path, NULL, "cannot be written", error) : result;
}

/* What was written, listed and read again. name: of the file with the records. */
static enum pc_rewritten verify(struct bundle *b, const char *name)
{
    struct pc_bundled bundled;
    int error = pc_bundled_begin(&bundled, &b->mem, b->rewrite.progress, b->folder.target.fd, name, b->in.fd);
    for (size_t i = 0; i < b->nr_kcores && error == 0; i++) {
        char kcore[NAME_MAX + 1];
        last_name(b->kcore[i], kcore);
        error = pc_bundled_kcore(&bundled, b->fd[1 + i], kcore);
    }
    error = pc_bundled_end(&bundled, error);
    const char *file = bundled.place[0] ? bundled.place : NULL;
    if (error == ESTALE)
        say(b, b->output, file, "not written",
            "it differs from what it was copied from; did that change meanwhile?");
    else if (error)
        say_error(b, b->output, file, "cannot be read again", error);
    return error ? PC_TROUBLE : PC_WRITTEN;
}

static enum pc_rewritten write_output(struct bundle *b, const char *name)
{
    const struct pc_inputs inputs = { b->fd, 1 + b->nr_kcores };
    int error = pc_folder_create(&b->folder, &b->mem, b->output, b->rewrite.force, &inputs);
    if (error)
        return say_not_written(b, error);
    enum pc_rewritten result = write_records(b, name);
    const enum pc_rewritten written = result;
    if (is_written(result))
        result = copy_kcores(b);
    if (result == PC_WRITTEN && !b->rewrite.no_verify)
        result = verify(b, name);
    if (result != PC_WRITTEN) {
        pc_folder_discard(&b->folder);
        return result;
    }
    if (!pc_rewrite_is_ready(&b->rewrite, written == PC_WRITTEN_CUT)) {
        pc_folder_discard(&b->folder);
        return PC_TROUBLE;
    }
    error = pc_folder_commit(&b->folder);
    if (error)
        return say_not_written(b, error);
    say_left(b, b->input, b->dir.unknown_name, b->dir.unknown);
    if (b->folder.left_behind)
        say(b, b->output, NULL, "written, but what it replaced could not be removed and is now",
            b->folder.target.temporary);
    return written;
}

/* Keeps the bytes of a stream, too, if --keep-partial asks for it; a salvage does so itself. */
static enum pc_rewritten write_and_keep(struct bundle *b, const char *name)
{
    struct pc_partial partial;
    if (b->rewrite.salvage)
        return write_output(b, name);
    if (!pc_partial_open(&partial, &b->rewrite, &b->in))
        return PC_TROUBLE;
    enum pc_rewritten result = write_output(b, name);
    return pc_partial_close(&partial, &b->rewrite, result, result == PC_WRITTEN);
}

static void clear(struct bundle *b)
{
    for (size_t i = 0; i < b->nr_kcores; i++) {
        if (b->fd[1 + i] >= 0)
            close(b->fd[1 + i]);
    }
    pc_directory_clear(&b->dir);
    pc_input_close(&b->in);
    pc_free(&b->mem, b->fd, (1 + b->nr_kcores) * sizeof(*b->fd));
    assert(b->mem.used == 0);
}

static enum pc_rewritten write_bundle(struct bundle b, const char *name)
{
    size_t nr = b.nr_kcores;
    bool split = strcmp(name, "data") != 0;
    b.rewrite.to = PC_TO_FILE;
    b.rewrite.with_kcore = true;
    b.in = b.given ? *b.given : (struct pc_input){ .fd = -1 };
    pc_mem_init(&b.mem, (uint64_t)64 << 20);
    pc_directory_init(&b.dir, &b.mem);
    if (strcmp(b.output, "-") == 0) {
        say(&b, "standard output", NULL, "takes no directory", NULL);
        pc_input_close(&b.in);
        return PC_TROUBLE;
    }
    b.fd = pc_alloc(&b.mem, (1 + nr) * sizeof(*b.fd));
    if (!b.fd) {
        pc_input_close(&b.in);
        return say_error(&b, b.output, NULL, "cannot be written", ENOMEM);
    }
    for (size_t i = 0; i <= nr; i++)
        b.fd[i] = -1;
    enum pc_rewritten result = PC_TROUBLE;
    if (open_input(&b) && open_kcores(&b)) {
        if (split && b.in.kind != PC_INPUT_DIRECTORY)
            say(&b, b.input, NULL, "is no directory", NULL);
        else
            result = write_and_keep(&b, name);
    }
    clear(&b);
    return result;
}

bool pc_bundle_is_directory(const char *path)
{
    struct stat st;
    int error = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : pc_name_stat(AT_FDCWD, path, &st, 0);
    return error == 0 && S_ISDIR(st.st_mode);
}

enum pc_rewritten pc_bundle_split(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                  const char *output)
{
    struct bundle b = { .rewrite = *r, .input = input, .output = output, .given = in };
    return write_bundle(b, PC_SPLIT_NAME);
}

enum pc_rewritten pc_bundle_join(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                 char *const *kcore, size_t nr, const char *output)
{
    struct bundle b = { .rewrite = *r, .input = input, .output = output, .given = in };
    b.kcore = kcore;
    b.nr_kcores = nr;
    return write_bundle(b, "data");
}
