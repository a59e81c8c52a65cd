/* SPDX-License-Identifier: MIT
 *
 * key.h: what a capture is known by, wherever it lies: its digest.
 */
#ifndef PC_KEY_H
#define PC_KEY_H

#include "bytes/hash.h"
#include "bytes/input.h"
#include "cli/arguments.h"

#define PC_CAPTURE_KEY_MAX (sizeof("pc1:") + (size_t)2 * PC_HASH_SIZE)

/* A capture is read for its key before it is read for anything else; a stream is stored before, in a file
 * without a name. */
struct pc_capture_key {
    /* "pc1:...", its digest; of a damaged capture "raw:" and a sum of what was read; "": none, and why */
    char text[PC_CAPTURE_KEY_MAX], why[160];
    struct pc_mem mem;
    struct pc_input stored; /* of a stream */
    off_t begin;            /* of a file on standard input */
};

/* Makes the key by the second handle, and opens the capture by the first one. False, after reporting why: a
 * stream could not be stored, and nothing is open. */
bool pc_key_open(struct pc_capture_key *key, struct pc_arguments *arguments, const char *path);
void pc_key_close(struct pc_capture_key *key);

#endif
