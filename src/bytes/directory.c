/* SPDX-License-Identifier: MIT
 *
 * Lists the members of a directory capture and opens them.
 */
#include "bytes/directory.h"
#include "bytes/io.h"
#include "bytes/names.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void pc_directory_init(struct pc_directory *dir, struct pc_mem *mem)
{
    *dir = (struct pc_directory){ .mem = mem, .fd = -1 };
}

void pc_directory_clear(struct pc_directory *dir)
{
    for (size_t i = 0; i < dir->nr; i++)
        pc_free(dir->mem, dir->member[i].name, dir->member[i].name_size);
    pc_free(dir->mem, dir->member, dir->cap * sizeof(*dir->member));
    pc_directory_init(dir, dir->mem);
}

/* Counts an unknown entry, and remembers the name that comes first, so that it depends on the names alone. */
static void add_unknown(struct pc_directory *dir, const char *parent, const char *name)
{
    char whole[sizeof(dir->unknown_name)];
    snprintf(whole, sizeof(whole), "%s%s%s", parent ? parent : "", parent ? "/" : "", name);
    if (dir->unknown++ == 0 || strcmp(whole, dir->unknown_name) < 0)
        memcpy(dir->unknown_name, whole, sizeof(whole));
}

static int compare(const void *a, const void *b)
{
    const struct pc_member *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Sorts the members and keeps the first of them: which ones are kept must not depend on the order in which
 * the system lists them. */
static void keep_first(struct pc_directory *dir)
{
    if (dir->nr > 1)
        qsort(dir->member, dir->nr, sizeof(*dir->member), compare);
    while (dir->nr > PC_MEMBERS_MAX) {
        struct pc_member *last = &dir->member[--dir->nr];
        pc_free(dir->mem, last->name, last->name_size);
        dir->full = true;
    }
}

static int add(struct pc_directory *dir, struct pc_member member, const char *parent, const char *name)
{
    if (dir->nr == (size_t)2 * PC_MEMBERS_MAX)
        keep_first(dir);
    if (!pc_grow(dir->mem, &dir->member, &dir->cap, dir->nr + 1, sizeof(*dir->member)))
        return ENOMEM;
    size_t before = parent ? strlen(parent) + 1 : 0, len = strlen(name);
    member.name_size = before + len + 1;
    member.name = pc_alloc(dir->mem, member.name_size);
    if (!member.name)
        return ENOMEM;
    if (parent) {
        memcpy(member.name, parent, before - 1);
        member.name[before - 1] = '/';
    }
    memcpy(member.name + before, name, len);
    dir->member[dir->nr++] = member;
    return 0;
}

/* Adds the entries of an open directory, which it closes. parent: the kcore_dir that contains them, or NULL.
 */
static int list(struct pc_directory *dir, int fd, const char *parent)
{
    DIR *stream = fdopendir(fd);
    struct dirent *entry;
    int error = 0;
    if (!stream) {
        error = errno;
        close(fd);
        return error;
    }
    while (error == 0 && (errno = 0, entry = readdir(stream))) {
        struct stat st;
        struct pc_member member = { .number = 0 };
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        dir->entries++;
        member.kind = pc_member_kind_of(entry->d_name, parent != NULL, &member.number);
        if (member.kind == PC_MEMBER_UNKNOWN) {
            add_unknown(dir, parent, entry->d_name);
            continue;
        }
        if (pc_name_stat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            error = errno == ENOENT ? 0 : errno; /* gone since */
            continue;
        }
        member.mode = st.st_mode;
        member.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
        error = add(dir, member, parent, entry->d_name);
    }
    if (error == 0)
        error = errno;
    closedir(stream);
    return error;
}

int pc_directory_list(struct pc_directory *dir, int fd)
{
    struct stat st;
    dir->fd = fd;
    if (fstat(fd, &st) != 0)
        return errno;
    dir->mode = st.st_mode;
    int own = pc_name_open(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), error;
    if (own < 0)
        return errno;
    error = list(dir, own, NULL);
    keep_first(dir);
    size_t nr = dir->nr; /* entries that are added from here on come after them, also after sorting */
    for (size_t i = 0; i < nr && error == 0; i++) {
        if (dir->member[i].kind != PC_MEMBER_KCORE || !S_ISDIR(dir->member[i].mode))
            continue;
        own = pc_name_open(fd, dir->member[i].name, PC_OPEN_DIRECTORY);
        if (own < 0)
            dir->member[i].error = errno;
        else
            error = list(dir, own, dir->member[i].name);
    }
    keep_first(dir);
    return error;
}

int pc_directory_open(const struct pc_directory *dir, const struct pc_member *member, struct pc_input *in)
{
    const char *slash = strchr(member->name, '/'), *name = slash ? slash + 1 : member->name;
    int at = dir->fd, fd, error;
    if (slash) { /* one step at a time: no link is followed on the way */
        char parent[NAME_MAX + 1] = { 0 };
        memcpy(parent, member->name, (size_t)(slash - member->name));
        at = pc_name_open(dir->fd, parent, PC_OPEN_DIRECTORY);
        if (at < 0)
            return errno;
    }
    /* A FIFO is opened without waiting for a writer, and then refused. */
    fd = pc_name_open(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    error = fd < 0 ? errno : pc_input_adopt(in, fd, true);
    if (slash)
        close(at);
    if (error == 0 && in->kind != PC_INPUT_FILE) {
        pc_input_close(in);
        error = ENXIO;
    }
    return error;
}

const struct pc_member *pc_directory_first(const struct pc_directory *dir, enum pc_member_kind kind)
{
    for (size_t i = 0; i < dir->nr; i++) {
        if (dir->member[i].kind == kind)
            return &dir->member[i];
    }
    return NULL;
}

const struct pc_member *pc_directory_kcore_file(const struct pc_directory *dir, const struct pc_member *kcore,
                                                const char *file)
{
    char name[2 * NAME_MAX + 2];
    snprintf(name, sizeof(name), "%s/%s", kcore->name, file);
    struct pc_member key = { .name = name, .kind = PC_MEMBER_KCORE_FILE };
    return bsearch(&key, dir->member, dir->nr, sizeof(key), compare);
}
