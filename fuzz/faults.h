/* SPDX-License-Identifier: MIT
 *
 * faults.h: one fault in a sound capture, and what must be reported for it. Most faults are made by walking
 * the library's own tables: whatever row has a rule, a count, a string or padding, in any record, attr or
 * feature, so that a new record type is damaged the day its table exists. Those of the container are made by
 * hand.
 *
 * With --for, the fault may be the question: no byte is changed then.
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
    uint16_t choice[3]; /* which kind of place, which of them, which value */
    /* The finding that must come first. */
    enum pc_diag id;
    enum pc_place place;
    uint64_t offset;
    bool elsewhere;          /* the finding is at another byte than the wrong one */
    bool beside;             /* other findings come with it, and may be first */
    enum pc_versions reader; /* who is asked for with --for */
};

size_t fuzz_nr_faults(void);
const char *fuzz_fault_name(size_t fault);

/* Damages the capture and says what comes of it; false: this fault has no place in it, which is as it was. */
bool fuzz_fault_apply(struct fuzz_faulty *faulty, size_t fault);

#endif
