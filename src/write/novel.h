/* SPDX-License-Identifier: MIT
 *
 * novel.h: findings that a copy may have although its original does not; CONTRACT.md section 5 lists them.
 * Any other one means that the copy is wrong.
 */
#ifndef PC_NOVEL_H
#define PC_NOVEL_H

#include "base/base.h"
#include "report/diag.h"

struct pc_found {
    bool pipe;
    bool complete; /* all records were there, in their order (pc_flow_is_complete) */
    bool edited;   /* for an older perf: edits.h */
    uint64_t by_id[PC_DIAG_COUNT];
};

/* The first finding that the copy has, the original does not, and that is not in the list; PC_NO_DIAG: none.
 */
enum pc_diag pc_find_novel(const struct pc_found *original, const struct pc_found *copy);

#endif
