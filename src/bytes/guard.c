/* SPDX-License-Identifier: MIT
 *
 * Finds out whether an output would be an input, or in one.
 */
#include "bytes/guard.h"
#include "bytes/io.h"
#include "bytes/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Looks for a file among the entries of a directory, whose descriptor is closed, and of its directories: 0:
 * it is not there, PC_IS_INPUT: it is, or an errno. */
static int look_in(int directory, const struct stat *wanted, int depth)
{
    DIR *stream = fdopendir(directory);
    struct dirent *entry;
    struct stat st;
    int error = stream ? 0 : errno;
    if (!stream) {
        close(directory);
        return error;
    }
    while (error == 0 && (errno = 0, entry = readdir(stream))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            pc_name_stat(directory, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        if (is_same(&st, wanted))
            error = PC_IS_INPUT;
        int sub = error == 0 && depth > 0 && S_ISDIR(st.st_mode)
                      ? pc_name_open(directory, name, PC_OPEN_DIRECTORY)
                      : -1;
        if (sub >= 0)
            error = look_in(sub, wanted, depth - 1);
    }
    if (error == 0)
        error = errno;
    closedir(stream);
    return error;
}

/* The same by a name. Only a directory can contain something. */
static int look_in_name(int folder, const char *name, const struct stat *wanted)
{
    int directory = pc_name_open(folder, name, PC_OPEN_DIRECTORY);
    return directory < 0 ? 0 : look_in(directory, wanted, 1);
}

/* Whether a directory is another one, or lies somewhere in it: 0, PC_IS_INPUT or an errno. */
static int look_above(int directory, const struct stat *above)
{
    const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC; /* a directory need not be readable to be passed */
    struct stat st, last = { .st_ino = 0 };
    int error = 0, at = pc_name_open(directory, ".", flags);
    while (at >= 0 && error == 0) {
        if (fstat(at, &st) != 0)
            error = errno;
        else if (is_same(&st, above))
            error = PC_IS_INPUT;
        else if (is_same(&st, &last)) /* the root is its own parent */
            break;
        last = st;
        int up = error == 0 ? pc_name_open(at, "..", flags) : -1;
        if (error == 0 && up < 0)
            error = errno;
        close(at);
        at = up;
    }
    if (at >= 0)
        close(at);
    return error;
}

/* Whether a file is the input, or lies in it. */
static int look_at_file(const struct stat *file, int input, const struct stat *st)
{
    if (is_same(file, st))
        return PC_IS_INPUT;
    return S_ISDIR(st->st_mode) ? look_in_name(input, ".", file) : 0;
}

int pc_guard_name(int folder, const char *name, const struct pc_inputs *inputs)
{
    struct stat there, input;
    bool is_there = pc_name_stat(folder, name, &there, 0) == 0;
    int error = 0;
    for (size_t i = 0; inputs && i < inputs->nr && error == 0; i++) {
        if (inputs->fd[i] < 0)
            continue;
        if (fstat(inputs->fd[i], &input) != 0)
            return errno;
        if (S_ISDIR(input.st_mode))
            error = look_above(folder, &input);
        if (error == 0 && is_there)
            error = look_at_file(&there, inputs->fd[i], &input);
        if (error == 0 && is_there)
            error = look_in_name(folder, name, &input);
    }
    return error;
}

int pc_guard_file(int fd, const struct pc_inputs *inputs)
{
    struct stat file, input;
    int error = 0;
    if (fstat(fd, &file) != 0 || !S_ISREG(file.st_mode))
        return 0; /* writing will report the error */
    for (size_t i = 0; inputs && i < inputs->nr && error == 0; i++) {
        if (inputs->fd[i] < 0)
            continue;
        error = fstat(inputs->fd[i], &input) != 0 ? errno : look_at_file(&file, inputs->fd[i], &input);
    }
    return error;
}
