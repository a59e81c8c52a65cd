/* SPDX-License-Identifier: MIT
 *
 * plausible.h: whether bytes look like a record that a writer wrote.
 */
#ifndef PC_PLAUSIBLE_H
#define PC_PLAUSIBLE_H

#include "read/state.h"

/* Whether four bytes are a number that a record type can have. Nearly all bytes of what is skipped are told
 * from a record here. */
static inline bool pc_may_be_type(const unsigned char *p, enum pc_order order)
{
    static_assert(PC_TYPES <= 256 && PC_ANDROID_TYPES == 0x8000 && PC_ANDROID_TYPES_END <= 0x8100,
                  "a type is one byte, then 0 or 0x80, and two of zeros");
    const bool little = order == PC_LITTLE;
    const size_t low = little ? 0 : 3, next = little ? 1 : 2, high = little ? 2 : 0;
    return p[low] != 0 && (p[next] & 0x7f) == 0 && (p[high] | p[high + 1]) == 0;
}

/* Whether a word may be the id of an attr that comes after this one, or the first one, after 0. Ids grow, and
 * fit into 32 bits, as no header of a record does: its type is in the upper half of eight bytes in big-endian
 * captures, its size in little-endian ones. */
static inline bool pc_may_be_id(uint64_t before, uint64_t word)
{
    return word > before && word <= UINT32_MAX;
}

/* Whether these bytes, PC_FEATURE_HEAD of them, begin a record of the feature EVENT_DESC. */
static inline bool pc_begins_event_desc(const unsigned char *bytes, enum pc_order order)
{
    const struct pc_record_head head = pc_load_head(bytes, order);
    return head.type == PC_HEADER_FEATURE && head.size > PC_FEATURE_HEAD &&
           pc_load(bytes + PC_RECORD_HEADER_SIZE, 8, order) == PC_EVENT_DESC;
}

/* Whether these bytes can be the header of a record that a writer wrote; *size is what it says. */
bool pc_plausible_header(const struct pc_reader *r, const unsigned char *p, uint64_t *size);

/* Whether a record with this header can follow one of an unknown type, whose size it then confirms. */
bool pc_may_follow(const unsigned char *header, enum pc_order order);

/* As pc_plausible_header, of a record of which these bytes are there. Sizes of those writers count too. */
bool pc_plausible_record(const struct pc_reader *r, struct pc_span record, uint64_t *size);

/* Whether the size in a header breaks the grid of 8 bytes, and the row of its type does not allow that. */
bool pc_breaks_grid(const struct pc_record_head *head);
/* Whether some writer gave records of this type such sizes: those of pc_unaligned_writer. */
bool pc_may_be_unaligned(uint32_t type);

/* Who writes records of this type with a size that breaks the 8-byte grid as this one's does, or NULL:
 * defects D1 and D12 of FORMAT.md 12.5. */
const char *pc_unaligned_writer(uint32_t type, struct pc_span record, enum pc_order order);

/* As pc_plausible_record; *step: the bytes that the record takes in the stream, its payload included. */
bool pc_plausible_step(struct pc_reader *r, struct pc_span record, uint64_t *step);
/* The same of the record that begins `at` bytes after the current place; `have` bytes after that place are
 * there. */
bool pc_plausible_step_at(struct pc_reader *r, size_t at, size_t have, uint64_t *step);

#endif
