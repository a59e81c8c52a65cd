/* SPDX-License-Identifier: MIT
 *
 * The table of temporary files and directories, and how they are removed.
 */
#include "bytes/temporary.h"
#include "bytes/io.h"
#include "bytes/member.h"
#include "bytes/names.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FREE, TAKEN, NOTED };

struct pc_temporary {
    atomic_int state; /* the rest is valid when it is NOTED */
    int parent, directory;
    char name[PC_SINK_NAME];
    dev_t device;
    ino_t inode;
};

/* The one table of the process: a handler of signals gets no argument. */
static struct pc_temporary temporaries[PC_TEMPORARIES_MAX];

struct pc_temporary *pc_temporary_take(void)
{
    for (size_t i = 0; i < PC_TEMPORARIES_MAX; i++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&temporaries[i].state, &expected, TAKEN))
            return &temporaries[i];
    }
    return NULL;
}

void pc_temporary_note(struct pc_temporary *t, int parent, int directory, const char name[PC_SINK_NAME],
                       dev_t device, ino_t inode)
{
    t->parent = parent;
    t->directory = directory;
    memcpy(t->name, name, sizeof(t->name));
    t->device = device;
    t->inode = inode;
    atomic_store(&t->state, NOTED);
}

void pc_temporary_release(struct pc_temporary *t)
{
    atomic_store(&t->state, FREE);
}

int pc_temporary_is_ours(int parent, const char *name, dev_t device, ino_t inode)
{
    struct stat st;
    if (pc_name_stat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    return st.st_dev == device && st.st_ino == inode ? 0 : ESTALE;
}

void pc_temporary_block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567"; /* some systems do not tell a from A */
static const char mark[] = ".perfcheck-";                         /* before the random letters */
enum { RANDOM = 6 };

/* The part of a name that is not random. Returns its length. */
static size_t name_of(const char *target, char name[PC_SINK_NAME])
{
    /* Long names are shortened, as 255 bytes are not the limit everywhere, and between characters, as some
     * systems refuse a name that is not UTF-8. */
    size_t shown = strlen(target);
    if (shown > 64) {
        for (shown = 64; shown > 0 && ((unsigned char)target[shown] & 0xc0) == 0x80;)
            shown--;
    }
    return (size_t)snprintf(name, PC_SINK_NAME, ".%.*s%s", (int)shown, target, mark);
}

int pc_temporary_name(const char *target, char name[PC_SINK_NAME])
{
    unsigned char bytes[RANDOM];
    char random[RANDOM + 1] = { 0 };
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return errno;
    for (size_t i = 0; i < sizeof(bytes); i++)
        random[i] = letters[bytes[i] % 32];
    memcpy(name + name_of(target, name), random, sizeof(random));
    return 0;
}

int pc_temporary_lock(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK ? EEXIST : 0;
}

bool pc_temporary_is_name(const char *name)
{
    size_t len = strlen(name), tail = sizeof(mark) - 1 + RANDOM;
    return name[0] == '.' && len > tail && strncmp(name + len - tail, mark, sizeof(mark) - 1) == 0 &&
           strspn(name + len - RANDOM, letters) == RANDOM;
}

/* Whether something in a directory that a process left belongs to a capture, or was to. */
static bool is_of_capture(const char *name, bool in_kcore)
{
    uint32_t number;
    return pc_temporary_is_name(name) || pc_member_kind_of(name, in_kcore, &number) != PC_MEMBER_UNKNOWN ||
           (!in_kcore && strcmp(name, PC_SPLIT_NAME) == 0);
}

/* depth: levels of directories in it. all: not only what belongs to a capture. */
static void empty(int fd, int depth, bool all)
{
    char buffer[4096];
    ssize_t n;
    for (bool removed = true; removed && lseek(fd, 0, SEEK_SET) == 0;) {
        removed = false;
        while ((n = getdents64(fd, (void *)buffer, sizeof(buffer))) > 0) {
            unsigned short size;
            for (size_t at = 0; at < (size_t)n; at += size) {
                const char *name = buffer + at + offsetof(struct dirent64, d_name);
                memcpy(&size, buffer + at + offsetof(struct dirent64, d_reclen), sizeof(size));
                if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
                    (!all && !is_of_capture(name, depth == 0)))
                    continue;
                int sub = depth > 0 ? pc_name_open(fd, name, PC_OPEN_DIRECTORY) : -1;
                if (sub >= 0) {
                    empty(sub, depth - 1, all);
                    close(sub);
                }
                removed |= pc_name_remove(fd, name, sub >= 0 ? AT_REMOVEDIR : 0) == 0;
            }
        }
    }
}

void pc_temporary_empty(int fd)
{
    empty(fd, 1, true);
}

void pc_temporary_remove(const struct pc_temporary *t)
{
    if (atomic_load(&t->state) != NOTED || pc_temporary_is_ours(t->parent, t->name, t->device, t->inode) != 0)
        return;
    if (t->directory >= 0)
        empty(t->directory, 1, true);
    pc_name_remove(t->parent, t->name, t->directory >= 0 ? AT_REMOVEDIR : 0);
}

void pc_temporary_remove_all(void)
{
    int before = errno;
    for (size_t i = 0; i < PC_TEMPORARIES_MAX; i++)
        pc_temporary_remove(&temporaries[i]);
    errno = before;
}

/* Removes an entry that has the name of a temporary one, unless a process has it. */
static void remove_unlocked(int folder, const char *name)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    struct stat st;
    if (pc_name_stat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || st.st_uid != geteuid() ||
        !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
        return;
    int fd = pc_name_open(folder, name, flags);
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && pc_temporary_is_ours(folder, name, st.st_dev, st.st_ino) == 0) {
        if (S_ISDIR(st.st_mode))
            empty(fd, 1, false);
        pc_name_remove(folder, name, S_ISDIR(st.st_mode) ? AT_REMOVEDIR : 0);
    }
    close(fd);
}

void pc_temporary_remove_left(int folder, const char *target)
{
    char start[PC_SINK_NAME];
    size_t len = name_of(target, start);
    struct dirent *entry;
    int fd = pc_name_open(folder, ".", PC_OPEN_DIRECTORY);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while ((entry = readdir(stream))) {
        if (strncmp(entry->d_name, start, len) == 0 && strlen(entry->d_name) == len + RANDOM &&
            pc_temporary_is_name(entry->d_name))
            remove_unlocked(folder, entry->d_name);
    }
    closedir(stream);
}
