/* SPDX-License-Identifier: MIT */
#include "bytes/folder.h"

#include "bytes/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIRECTORY (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define CHUNK          ((size_t)256 << 10)
#define BLOCK          ((size_t)4096)

static bool is_dots(const char *name)
{
    return name[0] == '.' && (name[1] == 0 || (name[1] == '.' && name[2] == 0));
}

/* --- what is there already --- */

/* What a split makes, and no member of a directory capture. */
static const char file_name[] = "perf.data";

/* Whether all that a directory holds may go: 0, ENOTEMPTY or an errno. The list is the caller's to clear. */
static int list_old(struct pc_directory *old, int fd)
{
    int error = pc_directory_list(old, fd);
    if (error == 0 && (old->full || old->unknown > 1))
        error = ENOTEMPTY;
    if (error == 0 && old->unknown == 1 && strcmp(old->unknown_name, file_name) != 0)
        error = ENOTEMPTY;
    for (size_t i = 0; i < old->nr && error == 0; i++) {
        const struct pc_member *m = &old->member[i];
        bool known = m->kind == PC_MEMBER_KCORE ? S_ISDIR(m->mode) && m->error == 0 : S_ISREG(m->mode);
        if (!known || m->kind == PC_MEMBER_OTHER)
            error = ENOTEMPTY;
    }
    return error;
}

/* Whether the target may be made as things are: 0 or an errno. */
static int may_appear(const struct pc_folder *f)
{
    struct stat st;
    if (fstatat(f->parent, f->target, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? 0 : errno;
    if (!f->replace)
        return EEXIST;
    if (S_ISLNK(st.st_mode))
        return 0;
    if (!S_ISDIR(st.st_mode))
        return EINVAL;
    struct pc_directory old;
    int fd = openat(f->parent, f->target, OPEN_DIRECTORY), error;
    if (fd < 0)
        return errno;
    pc_directory_init(&old, f->mem);
    error = list_old(&old, fd);
    pc_directory_clear(&old);
    close(fd);
    return error;
}

/* --- making one --- */

static int make_temporary(struct pc_folder *f)
{
    int error = EEXIST;
    for (int tries = 0; error == EEXIST && tries < 100; tries++) {
        error = pc_temporary_name(f->target, f->temporary);
        if (error == 0 && mkdirat(f->parent, f->temporary, 0700) != 0)
            error = errno;
    }
    if (error != 0)
        return error;
    struct stat st;
    f->fd = openat(f->parent, f->temporary, OPEN_DIRECTORY);
    if (f->fd < 0 || fstat(f->fd, &st) != 0) {
        error = errno;
        unlinkat(f->parent, f->temporary, AT_REMOVEDIR);
        return error;
    }
    f->device = st.st_dev;
    f->inode = st.st_ino;
    return 0;
}

static int make_guarded(struct pc_folder *f)
{
    sigset_t before;
    f->slot = pc_temporary_take();
    if (!f->slot)
        return EMFILE;
    pc_temporary_block_signals(&before);
    int error = make_temporary(f);
    if (error == 0)
        pc_temporary_note(f->slot, f->parent, f->fd, f->temporary, f->device, f->inode);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

static void release(struct pc_folder *f)
{
    if (f->slot)
        pc_temporary_release(f->slot);
    if (f->fd >= 0)
        close(f->fd);
    if (f->parent >= 0)
        close(f->parent);
    f->slot = NULL;
    f->fd = f->parent = -1;
}

/* A path of a directory may end with slashes. */
static int open_parent(struct pc_folder *f, const char *path)
{
    char plain[PATH_MAX];
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    if (len >= sizeof(plain))
        return ENAMETOOLONG;
    memcpy(plain, path, len);
    plain[len] = 0;
    return pc_sink_open_folder(plain, f->target, &f->parent);
}

int pc_folder_create(struct pc_folder *f, struct pc_mem *mem, const char *path, bool replace,
                     const struct pc_inputs *inputs)
{
    *f = (struct pc_folder){ .mem = mem, .parent = -1, .fd = -1, .replace = replace };
    int error = open_parent(f, path);
    if (error == 0)
        error = pc_guard_name(f->parent, f->target, inputs);
    if (error == 0)
        error = may_appear(f);
    if (error == 0)
        error = make_guarded(f);
    if (error != 0)
        release(f);
    return error;
}

int pc_folder_make(const struct pc_folder *f, const char *name)
{
    assert(!strchr(name, '/') && !is_dots(name));
    if (mkdirat(f->fd, name, 0700) != 0)
        return -errno;
    int fd = openat(f->fd, name, OPEN_DIRECTORY);
    return fd < 0 ? -errno : fd;
}

/* --- files --- */

/* Where the next bytes are that are no hole: [*data, *end). False: there are none. */
static bool find_data(int fd, uint64_t at, uint64_t size, uint64_t *data, uint64_t *end)
{
    off_t found = lseek(fd, (off_t)at, SEEK_DATA);
    if (found < 0 && errno == ENXIO)
        return false;
    *data = found < 0 ? at : (uint64_t)found; /* the file system knows of no holes */
    found = found < 0 ? -1 : lseek(fd, found, SEEK_HOLE);
    *end = found < 0 || (uint64_t)found > size ? size : (uint64_t)found;
    return *data < *end;
}

/* Reads n bytes, of which all must be there. */
static int read_all(int fd, uint64_t at, unsigned char *to, size_t n)
{
    while (n > 0) {
        ssize_t got = pread(fd, to, n, (off_t)at);
        if (got > 0) {
            at += (uint64_t)got;
            to += got;
            n -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return got == 0 ? ESTALE : errno; /* 0: somebody made the file shorter */
        }
    }
    return 0;
}

static int write_all(int fd, uint64_t at, const unsigned char *from, size_t n)
{
    while (n > 0) {
        ssize_t got = pwrite(fd, from, n, (off_t)at);
        if (got > 0) {
            at += (uint64_t)got;
            from += got;
            n -= (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return got == 0 ? EIO : errno;
        }
    }
    return 0;
}

/* A file that is copied. */
struct copy {
    int to, from;
    uint64_t size;
    unsigned char *chunk; /* CHUNK bytes */
    struct pc_progress *progress;
};

/* Copies the bytes [at, end) by the system where it can, which shares blocks where the file system can. */
static int copy_range(const struct copy *c, uint64_t at, uint64_t end)
{
    const uint64_t most = 64U << 20; /* then that is shown */
    while (at < end) {
        pc_progress_show(c->progress, at, c->size);
        off_t in = (off_t)at, out = (off_t)at;
        size_t part = (size_t)(end - at < most ? end - at : most);
        ssize_t got = copy_file_range(c->from, &in, c->to, &out, part, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) /* whatever it is, reading and writing will tell */
            break;
        at += (uint64_t)got;
    }
    while (at < end) {
        size_t part = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
        pc_progress_show(c->progress, at, c->size);
        int error = read_all(c->from, at, c->chunk, part);
        if (error == 0)
            error = write_all(c->to, at, c->chunk, part);
        if (error != 0)
            return error;
        at += part;
    }
    return 0;
}

static int copy_data(const struct copy *c)
{
    uint64_t data, end;
    int error = 0;
    while (ftruncate(c->to, (off_t)c->size) != 0) {
        if (errno != EINTR)
            return errno;
    }
    for (uint64_t at = 0; at < c->size && error == 0 && find_data(c->from, at, c->size, &data, &end);
         at = end)
        error = copy_range(c, data, end);
    return error;
}

static bool is_zero(const unsigned char *bytes, size_t n)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

/* The sum of the blocks that are not all zeros, and of where they are: the same however much of the zeros is
 * a hole, and found without reading the holes, which may be larger than any disk. */
static int sum_up(const struct copy *c, int fd, struct pc_sum *sum)
{
    const uint64_t size = c->size;
    struct pc_hash hash;
    uint64_t data, end;
    int error = 0;
    pc_hash_init(&hash);
    for (uint64_t at = 0; at < size && error == 0 && find_data(fd, at, size, &data, &end);) {
        uint64_t start = data - data % BLOCK;
        at = start > at ? start : at; /* on the same grid, whatever the file system's is */
        end = end > size - size % BLOCK ? size : (end + BLOCK - 1) / BLOCK * BLOCK;
        while (at < end && error == 0) {
            size_t n = end - at < CHUNK ? (size_t)(end - at) : CHUNK;
            pc_progress_show(c->progress, at, c->size);
            error = read_all(fd, at, c->chunk, n);
            for (size_t i = 0; i < n && error == 0; i += BLOCK) {
                size_t block = n - i < BLOCK ? n - i : BLOCK;
                if (is_zero(c->chunk + i, block))
                    continue;
                pc_hash_put_uint(&hash, at + i);
                pc_hash_put(&hash, c->chunk + i, block);
            }
            at += n;
        }
    }
    *sum = pc_hash_sum(&hash);
    return error;
}

static int compare(const struct copy *c)
{
    struct stat a, b;
    struct pc_sum sum, wanted;
    if (fstat(c->to, &a) != 0 || fstat(c->from, &b) != 0)
        return errno;
    if ((uint64_t)a.st_size != c->size || (uint64_t)b.st_size != c->size)
        return ESTALE;
    int error = sum_up(c, c->to, &sum);
    if (error == 0)
        error = sum_up(c, c->from, &wanted);
    return error != 0 ? error : pc_sum_equal(&sum, &wanted) ? 0 : ESTALE;
}

static int sync_to_disk(int fd)
{
    while (fsync(fd) != 0) {
        if (errno != EINTR)
            return errno;
    }
    return 0;
}

int pc_folder_copy(const struct pc_folder *f, int directory, const char *name, int from, bool verify)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    struct stat st;
    if (fstat(from, &st) != 0)
        return errno;
    if (!S_ISREG(st.st_mode))
        return EINVAL;
    struct copy c = { .from = from, .size = (uint64_t)st.st_size, .progress = f->progress };
    c.chunk = pc_alloc(f->mem, CHUNK);
    if (!c.chunk)
        return ENOMEM;
    pc_progress_begin(c.progress, name);
    c.to = openat(directory, name, flags, st.st_mode & 0777);
    int error = c.to < 0 ? errno : 0;
    if (error == 0)
        error = copy_data(&c);
    if (error == 0)
        error = sync_to_disk(c.to);
    if (error == 0 && verify)
        error = compare(&c);
    if (c.to >= 0 && close(c.to) != 0 && error == 0)
        error = errno;
    pc_progress_end(c.progress);
    pc_free(f->mem, c.chunk, CHUNK);
    return error;
}

/* --- the end --- */

/* A file system whose directories need no flush says EINVAL. */
static int sync_directory(int fd)
{
    int error = sync_to_disk(fd);
    return error == EINVAL ? 0 : error;
}

int pc_folder_finish(int directory)
{
    int error = sync_directory(directory);
    if (close(directory) != 0 && error == 0)
        error = errno;
    return error;
}

/* Gives the directory the name of the target unless that is taken. */
static int rename_new(const struct pc_folder *f)
{
    int parent = f->parent;
    if (renameat2(parent, f->temporary, parent, f->target, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != ENOSYS && errno != EINVAL && errno != EOPNOTSUPP)
        return errno;
    /* The kernel or the file system cannot. An empty directory takes no name that is taken either, and a
     * directory may be renamed over it as long as it is empty. */
    if (mkdirat(parent, f->target, 0700) != 0)
        return errno;
    if (renameat(parent, f->temporary, parent, f->target) == 0)
        return 0;
    int error = errno;
    unlinkat(parent, f->target, AT_REMOVEDIR);
    return error;
}

/* Removes the members of a directory that were listed, and nothing else. */
static void remove_members(const struct pc_directory *old)
{
    for (size_t i = old->nr; i-- > 0;) { /* the files in a kcore_dir come behind it */
        const char *name = old->member[i].name, *slash = strchr(name, '/');
        char parent[NAME_MAX + 1] = { 0 };
        if (slash) {
            memcpy(parent, name, (size_t)(slash - name));
            int fd = openat(old->fd, parent, OPEN_DIRECTORY);
            if (fd >= 0) {
                unlinkat(fd, slash + 1, 0);
                close(fd);
            }
        } else {
            unlinkat(old->fd, name, old->member[i].kind == PC_MEMBER_KCORE ? AT_REMOVEDIR : 0);
        }
    }
    if (old->unknown != 0)
        unlinkat(old->fd, file_name, 0);
}

/* The new directory and what has the name of the target change places; then the old one goes. */
static int exchange(struct pc_folder *f, const struct stat *st, const struct pc_directory *old)
{
    int parent = f->parent;
    if (renameat2(parent, f->temporary, parent, f->target, RENAME_EXCHANGE) != 0)
        return errno;
    if (pc_temporary_is_ours(parent, f->temporary, st->st_dev, st->st_ino) != 0) { /* somebody was faster */
        renameat2(parent, f->temporary, parent, f->target, RENAME_EXCHANGE);
        return ESTALE;
    }
    int error = sync_directory(parent);
    if (old)
        remove_members(old);
    f->left_behind = unlinkat(parent, f->temporary, old ? AT_REMOVEDIR : 0) != 0;
    return error;
}

static int rename_over(struct pc_folder *f, bool *was_there)
{
    struct stat st;
    struct pc_directory old;
    *was_there = fstatat(f->parent, f->target, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (!*was_there)
        return errno == ENOENT ? rename_new(f) : errno;
    if (S_ISLNK(st.st_mode))
        return exchange(f, &st, NULL);
    if (!S_ISDIR(st.st_mode))
        return EINVAL;
    int fd = openat(f->parent, f->target, OPEN_DIRECTORY), error;
    if (fd < 0)
        return errno;
    pc_directory_init(&old, f->mem);
    error = fstat(fd, &st) != 0 ? errno : list_old(&old, fd);
    if (error == 0)
        error = exchange(f, &st, &old);
    pc_directory_clear(&old);
    close(fd);
    return error;
}

static int appear(struct pc_folder *f)
{
    bool was_there = false;
    int error = sync_directory(f->fd);
    if (error == 0)
        error = pc_temporary_is_ours(f->parent, f->temporary, f->device, f->inode);
    if (error == 0)
        error = f->replace ? rename_over(f, &was_there) : rename_new(f);
    if (error != 0)
        return error;
    error = sync_directory(f->parent);
    if (error == 0 || was_there || pc_temporary_is_ours(f->parent, f->target, f->device, f->inode) != 0)
        return error;
    pc_temporary_empty(f->fd);
    unlinkat(f->parent, f->target, AT_REMOVEDIR);
    return error;
}

int pc_folder_commit(struct pc_folder *f)
{
    sigset_t before;
    pc_temporary_block_signals(&before); /* nobody finds the old one half removed */
    int error = appear(f);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pc_folder_discard(f);
    return error;
}

void pc_folder_discard(struct pc_folder *f)
{
    if (f->fd < 0)
        return;
    if (f->slot)
        pc_temporary_remove(f->slot);
    release(f);
}
