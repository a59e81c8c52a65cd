/* SPDX-License-Identifier: MIT
 *
 * Makes a directory that appears whole, and replaces an older one.
 */
#include "bytes/folder.h"

#include "bytes/directory.h"
#include "bytes/io.h"
#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/* --- the existing target --- */

/* Files that are no members of a capture, but may be beside them. */
static const char *const beside[] = { PC_SPLIT_NAME, NULL };

static const char *const *files_of(const struct pc_folder *f)
{
    return f->files ? f->files : beside;
}

/* How many of the files there are. */
static uint64_t count_files(const struct pc_folder *f, int fd)
{
    struct stat st;
    uint64_t nr = 0;
    for (const char *const *name = files_of(f); *name; name++)
        nr += pc_name_stat(fd, *name, &st, AT_SYMLINK_NOFOLLOW) == 0;
    return nr;
}

/* Whether all that a directory contains may be removed: 0, ENOTEMPTY or an errno. */
static int list_old(const struct pc_folder *f, struct pc_directory *old, int fd)
{
    int error = pc_directory_list(old, fd);
    if (error == 0 && (old->full || (f->files && old->nr != 0)))
        error = ENOTEMPTY;
    if (error == 0 && old->unknown != 0 && old->unknown != count_files(f, fd))
        error = ENOTEMPTY;
    for (size_t i = 0; i < old->nr && error == 0; i++) {
        const struct pc_member *m = &old->member[i];
        bool known = m->kind == PC_MEMBER_KCORE ? S_ISDIR(m->mode) && m->error == 0 : S_ISREG(m->mode);
        if (!known || m->kind == PC_MEMBER_OTHER)
            error = ENOTEMPTY;
    }
    return error;
}

/* What has the name of the target now and may be replaced; of a directory *old lists what it contains.
 * Returns 0, ENOENT when there is nothing, or the errno of what may not be replaced. The caller forgets *old
 * in any case. */
static int look_at_old(const struct pc_folder *f, struct stat *st, struct pc_directory *old)
{
    pc_directory_init(old, f->mem);
    if (pc_name_stat(f->target.folder, f->target.name, st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    if (!S_ISDIR(st->st_mode) && !S_ISLNK(st->st_mode))
        return ENOTDIR;
    if (!f->replace)
        return EEXIST;
    if (S_ISLNK(st->st_mode))
        return 0;
    old->fd = pc_name_open(f->target.folder, f->target.name, PC_OPEN_DIRECTORY);
    return old->fd < 0 || fstat(old->fd, st) != 0 ? errno : list_old(f, old, old->fd);
}

static void forget_old(struct pc_directory *old)
{
    if (old->fd >= 0)
        close(old->fd);
    pc_directory_clear(old);
}

/* Whether the target may be made as things are: 0 or an errno. */
static int may_appear(const struct pc_folder *f)
{
    struct stat st;
    struct pc_directory old;
    int error = look_at_old(f, &st, &old);
    forget_old(&old);
    return error == ENOENT ? 0 : error;
}

/* --- making one --- */

static int create(struct pc_folder *f, const char *path, const struct pc_inputs *inputs, mode_t mode)
{
    int error = pc_target_open(&f->target, path, true, inputs);
    if (error == 0)
        error = may_appear(f);
    if (error == 0)
        error = pc_target_make(&f->target, mode);
    if (error != 0)
        pc_target_close(&f->target);
    return error;
}

int pc_folder_create(struct pc_folder *f, struct pc_mem *mem, const char *path, bool replace,
                     const struct pc_inputs *inputs)
{
    *f = (struct pc_folder){ .mem = mem, .replace = replace };
    return create(f, path, inputs, 0700);
}

int pc_folder_create_of(struct pc_folder *f, struct pc_mem *mem, const char *path, bool replace,
                        const char *const *files)
{
    *f = (struct pc_folder){ .mem = mem, .replace = replace, .files = files };
    return create(f, path, NULL, 0777);
}

int pc_folder_make(const struct pc_folder *f, const char *name)
{
    assert(!strchr(name, '/') && !is_dots(name));
    if (pc_name_make_directory(f->target.fd, name, 0700) != 0)
        return -errno;
    int fd = pc_name_open(f->target.fd, name, PC_OPEN_DIRECTORY);
    return fd < 0 ? -errno : fd;
}

/* --- the end --- */

int pc_folder_finish(int directory)
{
    int error = pc_io_sync_directory(directory);
    if (close(directory) != 0 && error == 0)
        error = errno;
    return error;
}

/* Removes what was listed of a directory, and nothing else. */
static void remove_members(const struct pc_folder *f, const struct pc_directory *old)
{
    for (size_t i = old->nr; i-- > 0;) { /* the files in a kcore_dir come after it */
        const char *name = old->member[i].name, *slash = strchr(name, '/');
        char parent[NAME_MAX + 1] = { 0 };
        if (slash) {
            memcpy(parent, name, (size_t)(slash - name));
            int fd = pc_name_open(old->fd, parent, PC_OPEN_DIRECTORY);
            if (fd >= 0) {
                pc_name_remove(fd, slash + 1, 0);
                close(fd);
            }
        } else {
            pc_name_remove(old->fd, name, old->member[i].kind == PC_MEMBER_KCORE ? AT_REMOVEDIR : 0);
        }
    }
    for (const char *const *name = files_of(f); old->unknown != 0 && *name; name++)
        pc_name_remove(old->fd, *name, 0);
}

/* Swaps the new directory with what has the name of the target, and removes the old one. */
static int exchange(struct pc_folder *f, const struct stat *st, const struct pc_directory *old)
{
    int parent = f->target.folder;
    if (pc_name_rename(parent, f->target.temporary, f->target.name, RENAME_EXCHANGE) != 0)
        return errno;
    if (pc_temporary_is_ours(parent, f->target.temporary, st->st_dev, st->st_ino) !=
        0) { /* another process was faster */
        pc_name_rename(parent, f->target.temporary, f->target.name, RENAME_EXCHANGE);
        return ESTALE;
    }
    int error = pc_io_sync_directory(parent) == 0 ? 0 : PC_NOT_FLUSHED;
    if (old)
        remove_members(f, old);
    f->left_behind =
        pc_name_remove(parent, f->target.temporary, old ? AT_REMOVEDIR : 0) != 0 && errno != ENOENT;
    return error;
}

static int rename_over(void *ctx, bool *was_there)
{
    struct pc_folder *f = ctx;
    struct stat st;
    struct pc_directory old;
    int error = look_at_old(f, &st, &old);
    *was_there = error != ENOENT;
    if (error == 0)
        error = exchange(f, &st, S_ISDIR(st.st_mode) ? &old : NULL);
    else if (error == ENOENT)
        error = pc_target_rename(&f->target);
    forget_old(&old);
    return error;
}

static int appear(struct pc_folder *f)
{
    int error = pc_io_sync_directory(f->target.fd);
    return error != 0 ? error : pc_target_appear(&f->target, f->replace ? rename_over : NULL, f);
}

int pc_folder_commit(struct pc_folder *f)
{
    sigset_t before;
    pc_temporary_block_signals(&before); /* a signal never leaves the old one half removed */
    int error = appear(f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pc_folder_discard(f);
    return error;
}

void pc_folder_discard(struct pc_folder *f)
{
    pc_target_close(&f->target);
}
