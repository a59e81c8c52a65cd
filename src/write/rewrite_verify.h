/* SPDX-License-Identifier: MIT
 *
 * rewrite_verify.h: a copy is read again, and has to be what was to be written: its records, attrs, features
 * and events are those of the input, all else follows from them, and it has no finding that the input has
 * not.
 */
#ifndef PC_REWRITE_VERIFY_H
#define PC_REWRITE_VERIFY_H

#include "write/rewrite_job.h"

/* Why a copy may turn out not to be what was to be written. */
enum pc_doubt {
    PC_DOUBT_NONE,
    PC_DOUBT_LATE_ATTR, /* see refuse_late_attr */
    PC_DOUBT_LEFT_OUT,  /* the rest may need what was left out: counts their maps, attrs the mark of perf stat
                         */
    PC_DOUBT_PART,      /* it is a part of a capture, of which other records may have named events ... */
    PC_DOUBT_LAST_PART, /* ... and ends where damage begins, which may be about records before it, too */
};

/* The input was read: remembers what the copy has to be. */
void pc_job_note_wanted(struct pc_job *job);

/* The same of what cannot be derived from the copy itself. */
void pc_job_expect_derived(struct pc_job *job, const struct pc_writer *writer);

/* Whether what the sink has is that. With PC_DOUBT_LATE_ATTR the caller says why it is not. */
enum pc_rewritten pc_job_verify(struct pc_job *job, struct pc_sink *sink, const char *output,
                                enum pc_doubt doubt);

#endif
