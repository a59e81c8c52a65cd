/* SPDX-License-Identifier: MIT
 *
 * Makes a file or directory under a temporary name and renames it when it is complete.
 */
#include "bytes/target.h"

#include "base/text.h"
#include "bytes/io.h"
#include "bytes/names.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the folder --- */

int pc_target_split(const char *path, bool is_directory, char folder[PATH_MAX], char name[PC_SINK_NAME])
{
    size_t len = strlen(path), start, folder_len;
    while (is_directory && len > 1 && path[len - 1] == '/')
        len--;
    for (start = len; start > 0 && path[start - 1] != '/';)
        start--;
    if (len == 0)
        return ENOENT;
    if (len - start >= PC_SINK_NAME)
        return ENAMETOOLONG;
    memcpy(name, path + start, len - start);
    name[len - start] = '\0';
    if (start == len || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return EISDIR;
    folder_len = start > 1 ? start - 1 : start; /* the root keeps its slash */
    if (folder_len >= PATH_MAX)
        return ENAMETOOLONG;
    memcpy(folder, path, folder_len);
    folder[folder_len] = '\0';
    if (folder_len == 0)
        memcpy(folder, ".", 2);
    return 0;
}

int pc_target_open(struct pc_target *t, const char *path, bool is_directory, const struct pc_inputs *inputs)
{
    char folder[PATH_MAX];
    *t = PC_TARGET_CLOSED;
    t->is_directory = is_directory;
    int error = pc_target_split(path, is_directory, folder, t->name);
    /* Not O_PATH, which cannot be flushed. */
    if (error == 0 && (t->folder = pc_name_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0)
        error = errno;
    return error != 0 ? error : pc_guard_name(t->folder, t->name, inputs);
}

/* --- the new file or directory --- */

/* Returns 0 or an errno; t->fd is -1 after EEXIST. */
static int make_once(struct pc_target *t, mode_t mode)
{
    const int new_file = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int error = pc_temporary_name(t->name, t->temporary);
    if (error != 0)
        return error;
    if (t->is_directory && pc_name_make_directory(t->folder, t->temporary, mode) != 0)
        return errno;
    t->fd = t->is_directory ? pc_name_open(t->folder, t->temporary, PC_OPEN_DIRECTORY)
                            : pc_name_create(t->folder, t->temporary, new_file, mode);
    if (t->fd >= 0)
        return 0;
    error = errno;
    /* It may have been made, by the process that opens files, but found no descriptor here. */
    if (error != EEXIST)
        pc_name_remove(t->folder, t->temporary, t->is_directory ? AT_REMOVEDIR : 0);
    return t->is_directory && error == ENOENT ? EEXIST : error;
}

/* Makes it and locks it. Another process may take it for one that was left in between: EEXIST too. */
static int make_locked(struct pc_target *t, mode_t mode)
{
    struct stat st;
    int error = make_once(t, mode);
    if (error != 0)
        return error;
    error = pc_temporary_lock(t->fd);
    if (error == 0 && fstat(t->fd, &st) != 0)
        error = errno;
    if (error == 0)
        error = pc_temporary_is_ours(t->folder, t->temporary, st.st_dev, st.st_ino);
    if (error == 0) {
        t->device = st.st_dev;
        t->inode = st.st_ino;
        return 0;
    }
    close(t->fd);
    t->fd = -1;
    if (error == EEXIST || error == ENOENT || error == ESTALE)
        return EEXIST;
    /* It was just made, under a name that cannot be guessed. */
    pc_name_remove(t->folder, t->temporary, t->is_directory ? AT_REMOVEDIR : 0);
    return error;
}

static int make_new(struct pc_target *t, mode_t mode)
{
    int error = EEXIST;
    for (int tries = 0; (error == EEXIST || error == EINTR) && tries < 100; tries++)
        error = make_locked(t, mode);
    return error;
}

int pc_target_make(struct pc_target *t, mode_t mode)
{
    sigset_t before;
    struct pc_temporary *slot = pc_temporary_take();
    if (!slot)
        return EMFILE;
    pc_temporary_remove_left(t->folder, t->name);
    pc_temporary_block_signals(&before);
    int error = make_new(t, mode);
    if (error == 0) {
        pc_temporary_note(slot, t->folder, t->is_directory ? t->fd : -1, t->temporary, t->device, t->inode);
        t->slot = slot;
    } else {
        pc_temporary_release(slot);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int pc_target_make_nameless(struct pc_target *t)
{
    sigset_t before;
    t->fd = pc_name_create(t->folder, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (t->fd >= 0)
        return 0;
    /* Not every file system has files without a name. What else may be wrong, this reports too. */
    pc_temporary_block_signals(&before);
    int error = make_new(t, 0600);
    if (error == 0 && pc_name_remove(t->folder, t->temporary, 0) != 0)
        error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/* --- the end --- */

static void remove_appeared(struct pc_target *t)
{
    if (pc_temporary_is_ours(t->folder, t->name, t->device, t->inode) != 0)
        return;
    if (t->is_directory)
        pc_temporary_empty(t->fd);
    pc_name_remove(t->folder, t->name, t->is_directory ? AT_REMOVEDIR : 0);
}

/* A link takes no name that is taken. */
static int link_file(struct pc_target *t)
{
    if (pc_name_link(t->folder, t->temporary, t->name) != 0)
        return errno;
    if (pc_name_remove(t->folder, t->temporary, 0) == 0)
        return 0;
    int error = errno;
    remove_appeared(t);
    return error;
}

/* A directory takes the place of nothing but an empty directory, which may have appeared in between. */
static int rename_directory(struct pc_target *t)
{
    struct stat st;
    if (pc_name_stat(t->folder, t->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
        return EEXIST;
    if (errno == ENOENT && pc_name_rename(t->folder, t->temporary, t->name, 0) == 0)
        return 0;
    return errno == ENOTEMPTY || errno == ENOTDIR ? EEXIST : errno;
}

int pc_target_rename(struct pc_target *t)
{
    if (pc_name_rename(t->folder, t->temporary, t->name, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* The kernel or the file system cannot. */
    return t->is_directory ? rename_directory(t) : link_file(t);
}

int pc_target_appear(struct pc_target *t, int (*replace)(void *ctx, bool *was_there), void *ctx)
{
    bool was_there = false;
    int error = pc_temporary_is_ours(t->folder, t->temporary, t->device, t->inode);
    if (error == 0)
        error = replace ? replace(ctx, &was_there) : pc_target_rename(t);
    if (error != 0)
        return error;
    error = pc_io_sync_directory(t->folder);
    if (error != 0 && !was_there)
        remove_appeared(t);
    return error != 0 && was_there ? PC_NOT_FLUSHED : error;
}

void pc_target_close(struct pc_target *t)
{
    if (t->slot) {
        pc_temporary_remove(t->slot);
        pc_temporary_release(t->slot);
    }
    if (t->fd >= 0)
        close(t->fd);
    if (t->folder >= 0)
        close(t->folder);
    t->slot = NULL;
    t->folder = -EBADF;
    t->fd = -1;
}

const char *pc_output_error_text(int error)
{
    if (error == EEXIST)
        return "it exists (--force replaces it)";
    if (error == PC_IS_INPUT)
        return "it is an input, lies in one, or holds one; inputs are never written";
    if (error == PC_NOT_REGULAR)
        return "it is not a regular file; --force replaces only those (- writes to standard output)";
    if (error == PC_NOT_FLUSHED)
        return "it has replaced the old one, but its folder cannot be flushed to the disk";
    if (error == ECANCELED)
        return "the program that takes it refused";
    if (error == ESPIPE) /* of a stream of ours: see pc_sink_stream */
        return "what came later changes what precedes the records, and a stream cannot go back "
               "(leave out --no-verify)";
    return pc_text_error(error);
}

const char *pc_output_file_error_text(int error)
{
    return error == PC_NOT_REGULAR ? "it is not a regular file; --force replaces only those"
                                   : pc_output_error_text(error);
}
