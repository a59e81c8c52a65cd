/* SPDX-License-Identifier: MIT
 *
 * edits_parts.h: among the files of edits.h. edits.c edits attrs and features, and says what is left out;
 * edits_record.c edits records, edits_android.c what only simpleperf makes up.
 */
#ifndef PC_EDITS_PARTS_H
#define PC_EDITS_PARTS_H

#include "write/content_parts.h"

/* Whether the perf that the copy is for refuses what the finding is about. */
static inline bool pc_edit_is_refused(const struct pc_content *c, enum pc_diag id)
{
    return c->reader && (pc_diag_info(id)->rejected_by & c->reader->version);
}

#define PC_S_PAGE_SIZES (PC_S_DATA_PAGE_SIZE | PC_S_CODE_PAGE_SIZE)

/* Fields of samples that this perf does not know, and that an edit takes away or makes older. */
static inline uint64_t pc_edit_newer_samples(const struct pc_version_knows *reader)
{
    return (PC_S_PAGE_SIZES | PC_S_WEIGHT_STRUCT) & ~reader->sample_type;
}

/* An edit of a record, which may be in a compressed one. */
static inline void pc_edit_note_record(struct pc_content *c, enum pc_edit edit, const struct pc_item *item)
{
    if (c->edits.count[edit] == 0 && item->where.inside)
        c->edits.packed_in[edit] = item->where.wrapper_offset;
    pc_edit_note(c, edit, item->offset);
}

#endif
