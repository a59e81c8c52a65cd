/* SPDX-License-Identifier: MIT
 *
 * header.c: tables of the file header, of sections and of the head of a record.
 */
#include "format/header.h"
#include "format/rows.h"

#include <string.h>

const struct pc_field pc_file_header[] = {
    PC_ROW("magic", PC_TEXT, .arg = 8),
    U64(size, .save = PC_HEAD_SIZE),
    U64(attr_size, .save = PC_HEAD_ATTR_SIZE),
    PC_ROW("attrs.offset", PC_UINT, .width = 8, .save = PC_HEAD_ATTRS_OFFSET),
    PC_ROW("attrs.size", PC_UINT, .width = 8, .save = PC_HEAD_ATTRS_SIZE),
    PC_ROW("data.offset", PC_UINT, .width = 8, .save = PC_HEAD_DATA_OFFSET),
    PC_ROW("data.size", PC_UINT, .width = 8, .save = PC_HEAD_DATA_SIZE),
    PC_ROW("event_types.offset", PC_UINT, .width = 8, .save = PC_HEAD_TYPES_OFFSET),
    PC_ROW("event_types.size", PC_UINT, .width = 8, .save = PC_HEAD_TYPES_SIZE),
    PC_ROW("adds_features", PC_BYTES, .arg = PC_FEATURE_BITS / 8, .flags = PC_OPTIONAL,
           .save = PC_HEAD_FEATURES),
    END,
};

const struct pc_field pc_section[] = {
    U64(offset, .save = PC_SLOT_F0),
    U64(size, .save = PC_SLOT_F0 + 1),
    END,
};

/* Written by perf before 3.12: one name for each attr. */
const struct pc_field pc_event_type[] = {
    U64(event_id, .save = PC_SLOT_F0),
    PC_ROW("name", PC_TEXT, .arg = PC_EVENT_TYPE_NAME, .save = PC_SLOT_F0 + 1, .rule = PC_RULE_NUL,
           .rule_diag = PC_D_EVENT_TYPES_NAME),
    END,
};

const struct pc_field pc_record_header[] = {
    U32(type, .save = PC_SLOT_F0),
    U16(misc, .save = PC_SLOT_F0 + 1, .show = PC_AS_HEX),
    U16(size, .save = PC_SLOT_F0 + 2),
    END,
};

bool pc_begin_sections_here(const unsigned char *table, uint64_t nr, enum pc_order order, uint64_t least,
                            uint64_t most)
{
    uint64_t at[PC_TABLE_FEW], end[PC_TABLE_FEW];
    for (uint64_t i = 0; i < nr && i < PC_TABLE_FEW; i++) {
        at[i] = pc_load(table + i * PC_SECTION_SIZE, 8, order);
        if (at[i] < least || !pc_add(at[i], pc_load(table + i * PC_SECTION_SIZE + 8, 8, order), &end[i]) ||
            end[i] > most)
            return false;
        for (uint64_t k = 0; k < i; k++) {
            if (at[i] < end[k] && at[k] < end[i])
                return false;
        }
    }
    return true;
}

struct section {
    uint64_t at, size;
};

/* Puts a section in its place among nr that do not overlap: those of no bytes come before the one that begins
 * there. False: it overlaps one of them. */
static bool insert(struct section *sorted, uint64_t nr, struct section s)
{
    uint64_t k = nr;
    while (k > 0 && (sorted[k - 1].at > s.at || (sorted[k - 1].at == s.at && sorted[k - 1].size > s.size)))
        k--;
    if ((k > 0 && s.at - sorted[k - 1].at < sorted[k - 1].size) || (k < nr && sorted[k].at - s.at < s.size))
        return false;
    memmove(sorted + k + 1, sorted + k, (size_t)(nr - k) * sizeof(*sorted));
    sorted[k] = s;
    return true;
}

uint64_t pc_count_sections(const unsigned char *table, uint64_t most, enum pc_order order, uint64_t least_end,
                           uint64_t most_end, uint64_t *first, uint64_t *end)
{
    struct section sorted[PC_FEATURE_BITS];
    uint64_t low = UINT64_MAX, high = 0, sum = 0, found = 0;
    for (uint64_t nr = 0; nr < most && nr < PC_FEATURE_BITS; nr++) {
        const unsigned char *entry = table + nr * PC_SECTION_SIZE;
        const struct section s = { pc_load(entry, 8, order), pc_load(entry + 8, 8, order) };
        uint64_t at_end;
        if (!pc_add(s.at, s.size, &at_end) || at_end > most_end || !insert(sorted, nr, s))
            break;
        low = s.at < low ? s.at : low;
        high = at_end > high ? at_end : high;
        sum += s.size; /* of sections that do not overlap: it is below 2^64, too */
        if (high >= least_end && low + sum == high) { /* without an overlap, so without a gap */
            found = nr + 1;
            *first = low;
            *end = high;
        }
    }
    return found;
}

bool pc_sections_follow(const unsigned char *table, uint64_t nr, enum pc_order order, uint64_t *first,
                        uint64_t *end)
{
    return nr != 0 && nr <= PC_FEATURE_BITS &&
           pc_count_sections(table, nr, order, 0, UINT64_MAX, first, end) == nr;
}

struct pc_span pc_magic(enum pc_order order)
{
    static const unsigned char big[] = PC_MAGIC_BIG, little[] = PC_MAGIC_LITTLE;
    return (struct pc_span){ order == PC_BIG ? big : little, 8 };
}

bool pc_is_magic(const unsigned char *eight)
{
    return memcmp(eight, PC_MAGIC_LITTLE, 8) == 0 || memcmp(eight, PC_MAGIC_BIG, 8) == 0 ||
           memcmp(eight, PC_MAGIC_1, 8) == 0;
}
