/* SPDX-License-Identifier: MIT
 *
 * The table of temporary files and directories, and how they are removed.
 */
#include "bytes/temporary.h"
#include "bytes/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
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
    if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno;
    return st.st_dev == device && st.st_ino == inode ? 0 : ESTALE;
}

void pc_temporary_block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
}

int pc_temporary_name(const char *target, char name[PC_SINK_NAME])
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567"; /* some systems do not tell a from A */
    unsigned char bytes[6];
    char random[sizeof(bytes) + 1] = { 0 };
    /* Long names are shortened, as 255 bytes are not the limit everywhere, and between characters, as some
     * systems refuse a name that is not UTF-8. */
    size_t shown = strlen(target);
    if (shown > 64) {
        for (shown = 64; shown > 0 && ((unsigned char)target[shown] & 0xc0) == 0x80;)
            shown--;
    }
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
        return errno;
    for (size_t i = 0; i < sizeof(bytes); i++)
        random[i] = letters[bytes[i] % 32];
    snprintf(name, PC_SINK_NAME, ".%.*s.perfcheck-%s", (int)shown, target, random);
    return 0;
}

/* depth: levels of directories in it. */
static void empty(int fd, int depth)
{
    char buffer[4096];
    ssize_t n;
    for (bool removed = true; removed && lseek(fd, 0, SEEK_SET) == 0;) {
        removed = false;
        while ((n = getdents64(fd, buffer, sizeof(buffer))) > 0) {
            unsigned short size;
            for (size_t at = 0; at < (size_t)n; at += size) {
                const char *name = buffer + at + offsetof(struct dirent64, d_name);
                memcpy(&size, buffer + at + offsetof(struct dirent64, d_reclen), sizeof(size));
                if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
                    continue;
                int sub = depth > 0 ? openat(fd, name, PC_OPEN_DIRECTORY) : -1;
                if (sub >= 0) {
                    empty(sub, depth - 1);
                    close(sub);
                }
                removed |= unlinkat(fd, name, sub >= 0 ? AT_REMOVEDIR : 0) == 0;
            }
        }
    }
}

void pc_temporary_empty(int fd)
{
    empty(fd, 1);
}

void pc_temporary_remove(const struct pc_temporary *t)
{
    if (atomic_load(&t->state) != NOTED || pc_temporary_is_ours(t->parent, t->name, t->device, t->inode) != 0)
        return;
    if (t->directory >= 0)
        empty(t->directory, 1);
    unlinkat(t->parent, t->name, t->directory >= 0 ? AT_REMOVEDIR : 0);
}

void pc_temporary_remove_all(void)
{
    int before = errno;
    for (size_t i = 0; i < PC_TEMPORARIES_MAX; i++)
        pc_temporary_remove(&temporaries[i]);
    errno = before;
}
