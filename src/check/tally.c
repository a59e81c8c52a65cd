/* SPDX-License-Identifier: MIT */
#include "check/tally.h"

#include "bytes/cursor.h"

bool pc_tally_counts(uint32_t type)
{
    return type != PC_FINISHED_ROUND && !pc_record_is(type, PC_OF_CONTAINER);
}

static void see_feature(struct pc_tally *a, uint64_t bit, uint64_t size)
{
    if (bit < PC_FEATURE_BITS && size != 0 && !pc_feature_is(bit, PC_DERIVED))
        pc_set_bit(a->features, bit);
}

void pc_tally_item(struct pc_tally *a, const struct pc_capture *capture, const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, capture->order);
    uint64_t bit;
    switch (item->kind) {
    case PC_ITEM_ATTR:
        a->attrs++;
        break;
    case PC_ITEM_FEATURE:
        see_feature(a, item->number, item->size);
        break;
    case PC_ITEM_RECORD:
        a->records += pc_tally_counts(item->type);
        a->header_attrs += item->type == PC_HEADER_ATTR;
        if (item->type == PC_HEADER_FEATURE && pc_uint(&in, 8, &bit))
            see_feature(a, bit, pc_left(&in));
        if (item->type == PC_HEADER_BUILD_ID)
            see_feature(a, PC_BUILD_ID, item->bytes.len);
        break;
    case PC_ITEM_PAYLOAD:
        if (item->type == PC_HEADER_TRACING_DATA)
            see_feature(a, PC_TRACING_DATA, item->bytes.len);
        break;
    default:
        break;
    }
}

bool pc_tally_is_gap(enum pc_diag id)
{
    return id == PC_D_GAP_NOT_ZERO || id == PC_D_FEATURE_GAP || id == PC_D_TRAILING_BYTES;
}

void pc_tally_end(struct pc_tally *a, const struct pc_report *report, const struct pc_reader *reader)
{
    for (enum pc_diag id = PC_NO_DIAG; id < PC_DIAG_COUNT; id++)
        a->gaps += pc_tally_is_gap(id) ? pc_report_found(report, id) : 0;
    a->skipped = reader->skipped;
    a->broken = reader->packed.nr_broken;
}
