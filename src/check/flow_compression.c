/* SPDX-License-Identifier: MIT
 *
 * Compressed records and the feature that announces them.
 */
#include "check/flow_rule.h"

struct compression {
    bool promised;          /* the feature promises compressed records ... */
    uint64_t at;            /* ... and has this offset */
    struct pc_finding type; /* the finding about its type, when there are such records */
    uint64_t wrappers[2];   /* COMPRESSED, COMPRESSED2 records */
};

static void note_promise(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct compression *own = state;
    const struct pc_walk *walk = leaf->walk;
    if (leaf->field->save != PC_COMPRESSED_MMAP_LEN) /* the last field */
        return;
    size_t type_at = walk->slot_at[PC_COMPRESSED_TYPE],
           start = type_at - pc_row_at(pc_compression, PC_COMPRESSED_TYPE);
    struct pc_span payload = pc_part(walk->c->in, start, leaf->at + leaf->raw.len - start);
    own->at = flow->at.offset + start;
    own->promised =
        pc_first_nonzero(payload) != payload.len; /* five zeros are what perf stat record writes */
    if (!own->promised || walk->slot[PC_COMPRESSED_TYPE] == PC_COMPRESSION_ZSTD)
        return;
    own->type = pc_finding_in(&flow->at, PC_D_COMPRESSED_TYPE, type_at, 4);
    pc_finding_name(&own->type, "type");
    own->type.seen = pc_uint_value(walk->slot[PC_COMPRESSED_TYPE]);
    own->type.expected = pc_uint_value(PC_COMPRESSION_ZSTD);
}

static void record_compressed(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct compression *own = state;
    const struct pc_capture *capture = flow->capture;
    const bool second = record->item->type == PC_COMPRESSED2;
    /* A feature that could not be read was reported. */
    bool lost = pc_bit(capture->features, PC_COMPRESSED_FEATURE) && !own->promised && own->at == 0;
    if (capture->mmap_len == 0 && !capture->unfinished && !lost &&
        pc_report_found(flow->report, PC_D_COMPRESSED_UNANNOUNCED) == 0)
        pc_flow_say(flow, PC_D_COMPRESSED_UNANNOUNCED, 0, record->item->bytes.len, pc_none, pc_none);
    if (own->type.id)
        pc_report_add(flow->report, &own->type);
    own->type.id = PC_NO_DIAG;
    if (own->wrappers[second]++ == 0 && own->wrappers[!second] != 0)
        pc_flow_say(flow, PC_D_COMPRESSED_MIXED, 0, 4, pc_none, pc_none);
}

static void judge_promise(struct pc_flow *flow, void *state)
{
    const struct compression *own = state;
    if (own->promised && flow->sum.compressed == 0)
        pc_report_add(
            flow->report,
            &(struct pc_finding){ .id = PC_D_COMPRESSED_UNUSED, .place = PC_AT_END, .offset = own->at });
}

const struct pc_flow_rule pc_flow_rule_compression = {
    .size = sizeof(struct compression),
    .types = (const uint16_t[]){ PC_COMPRESSED, PC_COMPRESSED2, 0 },
    .record = record_compressed,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_COMPRESSED_FEATURE), 0 },
    .field = note_promise,
    .end = judge_promise,
};
