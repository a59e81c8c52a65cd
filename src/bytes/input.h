/* SPDX-License-Identifier: MIT
 *
 * input.h: sources of bytes: a file, a stream or memory. Bytes are copied and nothing is mapped, so that a
 * file that shrinks while it is read causes a short read and no signal.
 */
#ifndef PC_INPUT_H
#define PC_INPUT_H

#include <signal.h>

#include "base/base.h"
#include "base/mem.h"

struct pc_sink;

enum pc_input_kind {
    PC_INPUT_FILE,      /* size known, any place can be read */
    PC_INPUT_STREAM,    /* front to back, once */
    PC_INPUT_DIRECTORY, /* only its descriptor is used */
};

/* Bytes of a file that are read as others. */
struct pc_patch {
    uint64_t offset;
    unsigned char len, bytes[8];
};

struct pc_input {
    enum pc_input_kind kind;
    int fd; /* -1: memory */
    bool owns_fd;
    struct pc_span memory;
    uint64_t size;                /* of a file, when it was opened */
    uint64_t base;                /* offset of its first byte in the descriptor */
    uint64_t before;              /* of a file: so many bytes before the first one are not read */
    uint64_t pos;                 /* next byte of pc_input_read */
    uint64_t bytes_read;          /* all that were ever returned: a measure of work */
    const struct pc_patch *patch; /* of a file: nr_patches of them, in the order of their offsets */
    size_t nr_patches;
    /* Of a file: at this place of what is read ... */
    uint64_t shift_at;
    uint64_t filled;                    /* ... so many zeros are read, which the file does not have ... */
    uint64_t left_out;                  /* ... or so many bytes are not read, which it has. `size` is that of
                                           what is read */
    const volatile sig_atomic_t *ended; /* of a stream: not 0 when it ends with what has arrived; NULL: it
                                           ends where it ends. A signal handler may set it */
    struct pc_sink *tee;                /* gets all bytes of a stream as they are read; NULL: nobody does */
    int error;                          /* errno of the read that failed; 0: none did */
    uint64_t fail_at;                   /* test hook: reads that touch this offset fail with EIO; 0: none */
    size_t at_most;                     /* test hook: no single read delivers more; 0: no limit */
};

/* Puts patches into the order of their offsets. */
void pc_patches_sort(struct pc_patch *patch, size_t nr);

/* From now on so many zeros are read at this place of a file, where bytes were lost, or so many of its bytes
 * are not read, which were inserted there; 0 and 0: neither. */
void pc_input_shift(struct pc_input *in, uint64_t at, uint64_t zeros, uint64_t left_out);

static inline bool pc_input_is_shifted(const struct pc_input *in)
{
    return in->filled != 0 || in->left_out != 0;
}

/* From now on a file is read without its first bytes, so many. Once for each input. */
void pc_input_begin(struct pc_input *in, uint64_t before);

/* Where the file itself has what is read at this offset; of such zeros, where they are read. */
uint64_t pc_input_place(const struct pc_input *in, uint64_t offset);

/* Opens a path, or standard input for "-". Returns 0 or an errno. */
int pc_input_open(struct pc_input *in, const char *path);

/* Takes an open descriptor. owns: it is closed with the input, and also on an error; else it stays the
 * caller's. Returns 0 or an errno. */
int pc_input_adopt(struct pc_input *in, int fd, bool owns);

/* Bytes in memory, as a file or as a stream. */
void pc_input_memory(struct pc_input *in, struct pc_span bytes, enum pc_input_kind kind);

/* From now on a file is read from front to back, once. Returns 0, or an errno: then nothing changes. */
int pc_input_as_stream(struct pc_input *in);

void pc_input_close(struct pc_input *in);

/* Reads the next bytes, at most n: as many as are there, but waits for `least` of them or the end of the
 * input. Returns how many there are; in->error tells an error from an end. */
size_t pc_input_read(struct pc_input *in, unsigned char *to, size_t least, size_t n);

/* The same for all n bytes from a place in a file; the position of pc_input_read stays. */
size_t pc_input_read_at(struct pc_input *in, uint64_t offset, unsigned char *to, size_t n);

/* The next place, not before `at`, that a file stores bytes for: the hole before it is zeros that need
 * not be read. `at` when the file system does not tell holes. */
uint64_t pc_input_pass_hole(const struct pc_input *in, uint64_t at);

/* The `max` of those whom nobody told another one. */
#define PC_SPOOL_MAX ((uint64_t)16 << 30)

/* Makes a file of a stream of which `head` was already read: copies all bytes into a temporary file without a
 * name. Returns 0, an errno, or EFBIG if there are more than max bytes. */
int pc_input_spool(struct pc_input *in, struct pc_mem *mem, struct pc_span head, uint64_t max);

/* Makes such a file of `head` and of all that follows the position of any input. */
int pc_input_store(struct pc_input *in, struct pc_mem *mem, struct pc_span head, uint64_t max);

#endif
