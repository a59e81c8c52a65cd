/* SPDX-License-Identifier: MIT
 *
 * sink.h (floor 1): where bytes go to, and the only code that writes files. A target appears whole or not at
 * all: a new file beside it (O_EXCL, no link followed), flushed to the disk, renamed over the name, the
 * folder flushed too. Until then the target is as it was; whatever goes wrong, a signal included, no partial
 * file stays behind.
 *
 * Errors stick: after the first one nothing more is written, and whoever commits is told of it.
 */
#ifndef PC_SINK_H
#define PC_SINK_H

#include "base.h"
#include "mem.h"

#include <sys/types.h>

struct pc_sink {
    struct pc_mem *mem;
    int fd;                /* of the file that is being written; -1: none */
    int folder;            /* of the target; -1: a scratch file, which has no name */
    int error;             /* errno of the first thing that failed; 0: none */
    bool replace;          /* an existing target is replaced */
    uint64_t size;         /* bytes put so far, those in the buffer included */
    unsigned char *buffer; /* the last `held` bytes of them */
    size_t held;
    char target[256], temporary[256]; /* names in the folder */
    dev_t device;                     /* of the temporary file: nothing else is ever removed */
    ino_t inode;
    uint64_t fail_at; /* test hook: a write that reaches this offset fails with ENOSPC; 0: none */
    size_t at_most;   /* test hook: no single write takes more; 0: no limit */
};

/* Prepares to write the target. mode: the permission bits that it gets at most (the umask takes more away).
 * Without `replace` an existing target is EEXIST, at once and again when it is committed; with it, it must be
 * a regular file or a symbolic link (which is itself replaced), else EINVAL. Returns 0 or an errno. */
int pc_sink_create(struct pc_sink *sink, struct pc_mem *mem, const char *path, bool replace, mode_t mode);

/* A file without a name, which goes away with the sink: beside the target of `other`, or where temporary
 * files are when that is NULL. Returns 0 or an errno. */
int pc_sink_scratch(struct pc_sink *sink, struct pc_mem *mem, const struct pc_sink *other);

/* Appends bytes. */
void pc_sink_put(struct pc_sink *sink, const void *bytes, size_t n);

/* Writes over bytes that were put. */
void pc_sink_put_at(struct pc_sink *sink, uint64_t offset, const void *bytes, size_t n);

/* Moves all bytes from `from` to the end so that they begin at `to`; between, what was there stays, or zeros.
 */
void pc_sink_move(struct pc_sink *sink, uint64_t from, uint64_t to);

/* Reads bytes that were put; false when they are not there or cannot be read. */
bool pc_sink_get(struct pc_sink *sink, uint64_t offset, void *to, size_t n);

/* Appends bytes of another sink. */
void pc_sink_append(struct pc_sink *sink, struct pc_sink *from, uint64_t offset, uint64_t size);

/* Hands all that is in the buffer to the system, so that the descriptor can be read. Returns 0 or an errno.
 */
int pc_sink_flush(struct pc_sink *sink);

/* The target appears. Returns 0 or an errno, and then nothing of it is there. The sink is closed. */
int pc_sink_commit(struct pc_sink *sink);

/* Removes what was written; does nothing on a closed sink. */
void pc_sink_discard(struct pc_sink *sink);

/* Removes the temporary files of all open sinks; for a handler of signals, which may call nothing else. */
void pc_sink_discard_all(void);

#endif
