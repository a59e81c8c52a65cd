/* SPDX-License-Identifier: MIT
 *
 * binaries.h: functions and source files of addresses in binaries, which are found by build id in one folder:
 * .build-id/ab/cdef….debug as debuggers have them, .build-id/ab/cdef…/elf and debug as perf caches them, and
 * ELF files in the folder itself. Nothing else is opened. libelf and libdw read these files, in a copy of
 * this process (apart.h) all but their build ids; a build without them has PC_BINARIES undefined, and finds
 * nothing.
 */
#ifndef PC_BINARIES_H
#define PC_BINARIES_H

#include <stddef.h>
#include <stdint.h>

struct pc_binaries;

/* NULL and *error: errno; ENOTSUP: this build has no libdw. */
struct pc_binaries *pc_binaries_open(const char *folder, int *error);
void pc_binaries_close(struct pc_binaries *binaries);

/* A mapping of code: where it begins in the file, and how long it is. A file with debug information alone
 * does not say where its code was in the file, but how long the code is. */
struct pc_code {
    uint64_t at, size;
};

struct pc_address {
    uint64_t at;                   /* in the file of the binary; afterwards anything */
    size_t tag;                    /* for the caller */
    size_t place;                  /* in the order of the caller */
    const char *function, *source; /* "": not known */
    /* Of the symbol that is nearest so far: */
    uint64_t start, size;
    unsigned rank;
};

/* Finds the function at each address, and the source file of its compile unit. They are valid until the next
 * call. */
void pc_binaries_find(struct pc_binaries *binaries, const char *build_id, struct pc_code code,
                      struct pc_address *address, size_t nr);

/* The build id of a binary that cost too much to read or could not be read, or on which libelf or libdw
 * failed; since then nothing was found. NULL: all went well. */
const char *pc_binaries_failed(const struct pc_binaries *binaries);

#endif
