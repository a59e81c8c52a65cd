/* SPDX-License-Identifier: MIT
 *
 * cures.h: which captures an older perf reads once they are copied, and what it finds in the copy instead.
 */
#ifndef PC_CURES_H
#define PC_CURES_H

#include "report/diag.h"

struct pc_scan;

/* What a copy chooses, as far as a perf may read it or not. */
struct pc_copy_form {
    bool pipe, big;
    bool packed;             /* what is compressed stays so ... */
    bool packs;              /* ... and all else becomes so */
    bool again;              /* what it is made of has been copied already */
    enum pc_versions reader; /* who has to read it */
    bool keeps_type;         /* of an event of a PMU, which cannot become a raw one */
    bool lacks_trace;        /* trace data that describe the payloads of tracepoints */
};

/* Whether several versions of perf have to read it. */
static inline bool pc_is_for_several(const struct pc_copy_form *form)
{
    return (form->reader & (form->reader - 1u)) != 0;
}

/* Whether a capture that a perf does not read because of this finding (of area 11) becomes one that it reads
 * by being copied in such a form. What is refused otherwise counts too. */
bool pc_copy_cures(enum pc_diag id, const struct pc_copy_form *form);

/* The versions of perf for which a copy in such a form, a pipe, has this finding (of area 11) though the
 * capture, a file, has it not. scan: of the capture. */
enum pc_versions pc_pipe_brings(enum pc_diag id, const struct pc_copy_form *form, const struct pc_scan *scan);

#endif
