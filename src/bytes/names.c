/* SPDX-License-Identifier: MIT
 *
 * System calls that take names of files, made here or by another process.
 */
#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#if __has_include(<linux/openat2.h>)
#include <linux/openat2.h>
#endif

#ifndef __GLIBC__ /* which has it from 2.28 on */
static int renameat2(int from, const char *old, int to, const char *new, unsigned flags)
{
    return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}
#endif

/* Of the process, like the table of temporary files, whose handler of signals gets no argument. */
static int (*through)(const struct pc_name_call *call) = pc_name_do;

void pc_name_through(int (*ask)(const struct pc_name_call *call))
{
    through = ask ? ask : pc_name_do;
}

static int open_beneath(int at, const char *path, int flags)
{
#if defined(SYS_openat2) && defined(RESOLVE_BENEATH)
    struct open_how how = { .flags = (uint64_t)(unsigned)flags,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
    return (int)syscall(SYS_openat2, at, path, &how, sizeof(how));
#else
    (void)at;
    (void)path;
    (void)flags;
    errno = ENOSYS;
    return -1;
#endif
}

int pc_name_do(const struct pc_name_call *c)
{
    switch (c->kind) {
    case PC_NAME_OPEN:
        return c->at == AT_FDCWD ? open(c->name, c->flags, c->mode)
                                 : openat(c->at, c->name, c->flags, c->mode);
    case PC_NAME_OPEN_BENEATH:
        return open_beneath(c->at, c->name, c->flags);
    case PC_NAME_STAT:
        return fstatat(c->at, c->name, c->st, c->flags);
    case PC_NAME_MAKE_DIRECTORY:
        return mkdirat(c->at, c->name, c->mode);
    case PC_NAME_REMOVE:
        return unlinkat(c->at, c->name, c->flags);
    case PC_NAME_RENAME:
        return c->flags == 0 ? renameat(c->at, c->name, c->at, c->to)
                             : renameat2(c->at, c->name, c->at, c->to, (unsigned)c->flags);
    case PC_NAME_LINK:
        return linkat(c->at, c->name, c->at, c->to, 0);
    }
    errno = EINVAL;
    return -1;
}

int pc_name_open(int at, const char *name, int flags)
{
    return pc_name_create(at, name, flags, 0);
}

int pc_name_create(int at, const char *name, int flags, mode_t mode)
{
    const struct pc_name_call call = {
        .kind = PC_NAME_OPEN, .at = at, .name = name, .flags = flags, .mode = mode
    };
    return through(&call);
}

int pc_name_open_beneath(int at, const char *path, int flags)
{
    const struct pc_name_call call = { .kind = PC_NAME_OPEN_BENEATH, .at = at, .name = path, .flags = flags };
    return through(&call);
}

int pc_name_stat(int at, const char *name, struct stat *st, int flags)
{
    const struct pc_name_call call = {
        .kind = PC_NAME_STAT, .at = at, .name = name, .flags = flags, .st = st
    };
    return through(&call);
}

int pc_name_make_directory(int at, const char *name, mode_t mode)
{
    const struct pc_name_call call = { .kind = PC_NAME_MAKE_DIRECTORY, .at = at, .name = name, .mode = mode };
    return through(&call);
}

int pc_name_remove(int at, const char *name, int flags)
{
    const struct pc_name_call call = { .kind = PC_NAME_REMOVE, .at = at, .name = name, .flags = flags };
    return through(&call);
}

int pc_name_rename(int at, const char *name, const char *to, unsigned flags)
{
    const struct pc_name_call call = {
        .kind = PC_NAME_RENAME, .at = at, .name = name, .to = to, .flags = (int)flags
    };
    return through(&call);
}

int pc_name_link(int at, const char *name, const char *to)
{
    const struct pc_name_call call = { .kind = PC_NAME_LINK, .at = at, .name = name, .to = to };
    return through(&call);
}
