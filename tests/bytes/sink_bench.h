/* SPDX-License-Identifier: MIT
 *
 * sink_bench.h: what the tests of sinks share: system calls that fail when a test wants it, a folder for each
 * test, bytes to write.
 */
#ifndef PC_SINK_BENCH_H
#define PC_SINK_BENCH_H

#include "pc_test.h"
#include "bytes/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

enum calls {
    CALL_OPEN,
    CALL_STAT,
    CALL_WRITE,
    CALL_READ,
    CALL_FSYNC,
    CALL_TRUNCATE,
    CALL_RENAME,
    CALL_LINK,
    CALL_UNLINK,
    CALL_CLOSE,
    CALL_RANDOM
};
#define BIT(call) (1U << (call))

extern struct system {
    unsigned watched; /* which calls count; 0: none */
    unsigned count;
    unsigned hit;        /* which of them is hit, from 1; 0: none */
    unsigned every;      /* which calls fail each time */
    int error;           /* ... with this; 0: they are not hit by an error but by: */
    int before, after;   /* signals */
    bool old_kernel;     /* no renameat2 with flags, no O_TMPFILE */
    int old_error;       /* what it says then */
    int interruptions;   /* this many calls end with EINTR first */
    mode_t asked;        /* mode of the last file made */
    int guessed;         /* this many random numbers are zeros first */
    int taken;           /* this many new files another process locks and removes first */
    bool no_threads;     /* none can be made */
    int threads;         /* that were asked for */
    bool takes_nothing;  /* a write is neither done nor an error */
    const char *appears; /* a file that somebody makes just before the rename */
} sys;

/* Each test runs in a folder of its own; leave_folder fails when memory is left. */
extern struct pc_mem mem;
extern char folder[64]; /* its path */
int enter_folder(void **state);
int leave_folder(void **state);

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter_folder, leave_folder)

/* Entries of a directory; descriptors of the process. */
unsigned entries_of(const char *path);
unsigned open_descriptors(void);

void make_file(const char *path, const char *text);

/* Whether a file has these bytes and no other; or this text. */
bool file_is(const char *path, const void *bytes, size_t n);
#define HAS(path, text) file_is(path, text, strlen(text))

mode_t mode_of(const char *path);

void put_text(struct pc_sink *sink, const char *text);

/* Creates, writes and commits. Returns the errno of what went wrong, or 0. */
int write_whole(const char *path, bool replace, mode_t mode, const char *text);

/* Bytes that differ from place to place, and a plain copy of what a sink should hold. */
#define MODEL (3 * PC_SINK_BUFFER)
extern unsigned char pattern[MODEL], model[2 * MODEL], back[2 * MODEL];

void fill_pattern(void);

/* A short program that does everything: makes a file of 320 bytes, or of more than a buffer. Returns what the
 * commit returns. */
int everything(bool replace, bool large, uint64_t fail_at, size_t at_most);

/* Fills model with its result and returns the size. */
size_t expect_everything(bool large);

/* Removes its target, or puts an old one there. */
void begin(bool had_old);

/* Whether the target is the new one. Fails when it is neither that nor the old one, or when anything else is
 * there. */
bool is_new(bool had_old, size_t size);

#endif
