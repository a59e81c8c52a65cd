/* SPDX-License-Identifier: MIT
 *
 * faults.h: one fault in a sound capture, and the finding that must be reported for it. Most faults come from
 * walks over the library's own tables. They damage any row with a rule, a count, a string or padding, in any
 * record, attr or feature. So a new record type gets faults with its table. Faults of the container are
 * written by hand.
 *
 * Faults of --for may leave the capture unchanged: then it is the version that cannot read it.
 *
 * The expected finding comes from the row of the table or from FORMAT.md, never from the check.
 */
#ifndef PC_FUZZ_FAULTS_H
#define PC_FUZZ_FAULTS_H

#include "base/base.h"
#include "build_capture.h"
#include "report/diag.h"

/* More than any fault adds. */
#define FUZZ_FAULT_ROOM 8192

struct fuzz_faulty {
    unsigned char *bytes; /* a sound capture of build_capture.c, with FUZZ_FAULT_ROOM after it */
    size_t len;
    uint16_t choice[3]; /* the kind of place, the place, the value */
    /* The finding that must come first. */
    enum pc_diag id;
    enum pc_place place;
    uint64_t offset;
    bool elsewhere;          /* the finding is not at the damaged byte */
    bool beside;             /* there are other findings, which may be first */
    enum pc_versions reader; /* who is asked for with --for */
};

size_t fuzz_nr_faults(void);
const char *fuzz_fault_name(size_t fault);

/* Damages the capture and says what must be reported. False: this capture has no place for the fault and is
 * unchanged. */
bool fuzz_fault_apply(struct fuzz_faulty *faulty, size_t fault);

#endif
