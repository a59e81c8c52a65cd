/* SPDX-License-Identifier: MIT
 *
 * sink.h: where bytes are written to: a file that appears whole or not at all (target.h), a scratch file, or
 * a stream. No partial file stays, whatever goes wrong, a signal included. Other code that writes files is in
 * folder.h and copy.h.
 *
 * Errors stick: after the first one nothing more is written, and pc_sink_commit returns it. SIGXFSZ must be
 * ignored for a limit on file sizes to be one of them. A sink belongs to one thread.
 */
#ifndef PC_SINK_H
#define PC_SINK_H

#include "bytes/target.h"
#include "base/mem.h"
#include "base/worker.h"

#include <sys/types.h>

#define PC_SINK_BUFFER    ((size_t)256 << 10)
#define PC_SINK_WRITEBACK ((uint64_t)8 << 20) /* write-back is started each time so much is written */

struct pc_sink {
    struct pc_mem *mem;
    struct pc_target target; /* a scratch file and a stream use its descriptors only */
    int error;               /* errno of the first thing that failed; 0: none */
    bool replace;            /* an existing target is replaced */
    bool scratch;            /* a file without a name */
    bool stored;             /* on the disk, as far as pc_sink_store put it there */
    bool stream;             /* front to back: what was written cannot be read again or moved */
    uint64_t size;           /* bytes put so far, those in the buffer included */
    unsigned char *buffer;   /* the last `held` bytes of them; NULL: the sink is closed */
    size_t held;
    uint64_t started; /* bytes whose write-back to the disk was started */

    /* Targets and streams that are larger than the buffer are written by a thread, from a second buffer. */
    struct pc_worker worker;
    bool works, asked; /* the thread exists; it was asked for */
    unsigned char
        *leaving; /* the second buffer: the thread writes its first `leaving_n` bytes to `leaving_at` */
    size_t leaving_n;
    uint64_t leaving_at;
    int leaving_error; /* of the thread, until it becomes `error` */

    uint64_t fail_at; /* test hook: a write that reaches this offset fails with ENOSPC; 0: none */
    size_t at_most;   /* test hook: no single write takes more; 0: no limit */
};

/* Prepares to write the target. mode: the permission bits that it gets at most (the umask takes more away).
 * An existing target must be a regular file or a symbolic link (which is itself replaced), else EISDIR or
 * PC_NOT_REGULAR, and without `replace` it is EEXIST, at once and again when it is committed. inputs: see
 * pc_guard_name. Returns 0 or an errno, and then the sink is closed and its error set. */
int pc_sink_create(struct pc_sink *sink, struct pc_mem *mem, const char *path, bool replace, mode_t mode,
                   const struct pc_inputs *inputs);

/* The same for a name in an open folder, which stays the caller's; never replaces anything. */
int pc_sink_create_at(struct pc_sink *sink, struct pc_mem *mem, int folder, const char *name, mode_t mode);

/* A file without a name, which goes away with the sink: beside the target of `other`, or where temporary
 * files are when that is NULL. There is no file before the buffer is full: a folder that cannot take one is
 * an error only then. Returns 0 or an errno. */
int pc_sink_scratch(struct pc_sink *sink, struct pc_mem *mem, const struct pc_sink *other);

/* A stream, as standard output may be one: what has left the buffer cannot be read, written over or moved,
 * which is ESPIPE. The descriptor stays the caller's; scratch files beside it are where temporary files are.
 * Returns 0 or an errno. */
int pc_sink_stream(struct pc_sink *sink, struct pc_mem *mem, int fd);

/* Appends bytes. */
void pc_sink_put(struct pc_sink *sink, const void *bytes, size_t n);

/* Overwrites bytes that were put; EINVAL if they were not. */
void pc_sink_put_at(struct pc_sink *sink, uint64_t offset, const void *bytes, size_t n);

/* Moves all bytes from `from` to the end so that they begin at `to`, before or after. When it is after,
 * what was between stays, and zeros fill what is after the old end. */
void pc_sink_move(struct pc_sink *sink, uint64_t from, uint64_t to);

/* Reads bytes that were put; false when they are not there, cannot be read (which is an error of the sink),
 * or there was an error before. */
bool pc_sink_get(struct pc_sink *sink, uint64_t offset, void *to, size_t n);

/* Hands all that is in the buffer to the system, so that the descriptor can be read (by offset; its own
 * position is not used). Returns 0 or an errno. */
int pc_sink_flush(struct pc_sink *sink);

/* Hands all to the disk, so that only the name is left to commit. Returns 0 or an errno. */
int pc_sink_store(struct pc_sink *sink);

/* The target appears; of a stream the last bytes are written. Returns 0 or an errno, and then nothing of it
 * is there; but after PC_NOT_FLUSHED the new one is there, whole: the old one cannot come back. The sink is
 * closed. */
int pc_sink_commit(struct pc_sink *sink);

/* Removes what was written; does nothing on a closed sink. */
void pc_sink_discard(struct pc_sink *sink);

#endif
