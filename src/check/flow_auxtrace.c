/* SPDX-License-Identifier: MIT
 *
 * AUXTRACE records: an AUXTRACE_INFO comes before them, and the feature AUXTRACE names their offsets. For a
 * trace of CoreSight some AUX record has to be about bytes of it.
 */
#include "check/flow_rule.h"

enum { EXTENTS = 64 };

/* Bytes of a trace: the first ones of a capture. */
struct extents {
    uint64_t begin[EXTENTS], end[EXTENTS], nr; /* nr: also those that had no room */
};

struct auxtrace {
    struct extents aux, traces; /* what AUX records and AUXTRACE records are about */
    bool overwrites;            /* an AUX record counts from the end of its bytes */
    uint64_t nr;                /* AUXTRACE records */
    struct pc_context first;    /* of the first of them */
    bool has_clock;             /* time_mult of TIME_CONV, by which the decoder of Arm SPE divides */
    struct pc_finding clock;
    struct pc_keys index;  /* offsets of records, each with the offset of its entry, or UINT64_MAX once the
                              record has come as the entry says */
    struct pc_keys sizes;  /* by the offset of the entry: those that few records have */
    uint64_t entry;        /* the offset of the last entry */
    uint64_t listed;       /* the record that it names */
    uint64_t index_offset; /* of the feature; 0: it names no number of entries */
};

/* Whether the entry at this place of the index says that its record has so many bytes. */
static bool has_size(struct auxtrace *own, uint64_t entry, uint64_t size)
{
    const struct pc_key *other = own->sizes.nr != 0 ? pc_keys_find(&own->sizes, entry) : NULL;
    return size == (other ? other->offset : pc_record_info(PC_AUXTRACE)->min);
}

static void check_trace(struct pc_flow *flow, struct auxtrace *own, const struct pc_item *item)
{
    if (own->nr++ == 0) {
        own->first = flow->at;
        pc_keys_sort(&own->index);
        pc_keys_sort(&own->sizes);
    }
    if (flow->sum.by_type[PC_AUXTRACE_INFO] == 0)
        pc_flow_say(flow, PC_D_AUXTRACE_WITHOUT_INFO, 0, item->bytes.len, pc_none, pc_none);
    struct pc_key *entry = pc_keys_find(&own->index, item->offset);
    for (; entry && entry < own->index.key + own->index.nr && entry->value == item->offset; entry++) {
        if (has_size(own, entry->offset, item->bytes.len))
            entry->offset = UINT64_MAX; /* the index names this record */
    }
}

static void note_extent(struct extents *extents, const struct pc_facts *record, unsigned offset,
                        unsigned size)
{
    const uint64_t begin = record->slot[offset];
    if (extents->nr < EXTENTS) {
        extents->begin[extents->nr] = begin;
        extents->end[extents->nr] = pc_add_saturated(begin, record->slot[size]);
    }
    extents->nr++;
}

static void record_auxtrace(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct auxtrace *own = state;
    switch (record->item->type) {
    case PC_AUX:
        own->overwrites |= (record->slot[PC_REC_FLAGS] & PC_AUX_OVERWRITE) != 0;
        if (record->slot[PC_REC_LEN] != 0)
            note_extent(&own->aux, record, PC_REC_ADDR, PC_REC_LEN);
        break;
    case PC_AUXTRACE:
        check_trace(flow, own, record->item);
        note_extent(&own->traces, record, PC_REC_TRACE_AT, PC_REC_SIZE);
        break;
    case PC_TIME_CONV:
        own->has_clock = true;
        own->clock = pc_finding_in(&flow->at, PC_D_AUXTRACE_CLOCK, record->slot_at[PC_REC_SHIFT], 8);
        pc_finding_name(&own->clock, "time_mult");
        own->clock.seen = pc_uint_value(record->slot[PC_REC_SHIFT]);
        break;
    default: /* AUXTRACE_INFO */
        flow->is_coresight = record->slot[PC_REC_TYPE] == PC_TRACE_CS_ETM;
        if (record->slot[PC_REC_TYPE] == PC_TRACE_ARM_SPE && own->has_clock &&
            (uint32_t)own->clock.seen.n == 0)
            pc_report_add(flow->report, &own->clock);
    }
}

static void note_entry(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct auxtrace *own = state;
    if (leaf->field->save == PC_SLOT_A)
        own->index_offset = flow->at.offset;
    if (leaf->field->save == PC_INDEX_OFFSET) {
        own->entry = flow->at.offset + leaf->at;
        pc_flow_key(flow, &own->index, leaf->value, own->entry);
        if (leaf->value < own->listed && !flow->capture->is_directory)
            pc_flow_say_leaf(flow, PC_D_AUXTRACE_INDEX_ORDER, leaf, pc_hex_value(leaf->value),
                             pc_hex_value(own->listed));
        own->listed = leaf->value;
    }
    if (leaf->field->save == PC_INDEX_SIZE && leaf->value != pc_record_info(PC_AUXTRACE)->min)
        pc_flow_key(flow, &own->sizes, own->entry, leaf->value);
}

/* Whether the bytes of an AUX record are in a trace. Of very many it is not known. */
static bool have_common(const struct extents *aux, const struct extents *traces)
{
    for (uint64_t i = 0; i < aux->nr && i < EXTENTS; i++) {
        for (uint64_t j = 0; j < traces->nr && j < EXTENTS; j++) {
            if (aux->begin[i] >= traces->begin[j] && aux->end[i] <= traces->end[j])
                return true;
        }
    }
    return aux->nr > EXTENTS || traces->nr > EXTENTS;
}

/* Whether perf record ended the file, which then has the index of its traces. perf inject makes none for a
 * pipe, whose records HEADER_FEATURE it leaves in the file. Of a killed recording no features are left. */
static bool is_written_whole(const struct pc_flow *flow, const struct auxtrace *own)
{
    const struct pc_capture *capture = flow->capture;
    return !capture->by_simpleperf && !capture->unfinished && flow->sum.by_type[PC_HEADER_FEATURE] == 0 &&
           (pc_bit(capture->features, PC_HOSTNAME) || own->index.nr != 0);
}

/* tools/perf/util/cs-etm.c: cs_etm__create_decoders makes them for the traces that AUX records and the index
 * lead to. Only if there is none such, cs_etm__process_auxtrace_event takes others. True: an error says it.
 */
static bool judge_decoders(struct pc_flow *flow, const struct auxtrace *own)
{
    const struct pc_capture *capture = flow->capture;
    const bool dropped = capture->order == PC_BIG && pc_report_found(flow->report, PC_D_HOSTNAME_CLEAR) != 0;
    if (!flow->is_coresight || own->nr == 0)
        return false;
    const bool indexed = own->index.nr != 0 && !dropped;
    const bool counted = own->overwrites || have_common(&own->aux, &own->traces);
    flow->trace_uncounted = !counted;
    if (capture->is_pipe || capture->is_directory || (indexed && counted))
        return false;
    const uint64_t size = pc_record_info(PC_AUXTRACE)->min;
    flow->at = own->first;
    if (is_written_whole(flow, own) && (!indexed || pc_flow_is_complete(flow))) {
        pc_flow_say(flow, indexed ? PC_D_CORESIGHT_AUX : PC_D_CORESIGHT_INDEX, 0, size, pc_none, pc_none);
        return true;
    }
    pc_flow_say_for(flow, counted ? PC_D_FOR_CORESIGHT_QUEUE : PC_D_FOR_CORESIGHT_AUX, PC_BY_FROM_6_12, 0,
                    size, pc_none);
    return false;
}

static void judge_index(struct pc_flow *flow, void *state)
{
    struct auxtrace *own = state;
    const struct pc_capture *capture = flow->capture;
    const bool has_index = pc_bit(capture->seen, PC_AUXTRACE_INDEX);
    flow->at = pc_feature_context(PC_AUXTRACE_INDEX, (struct pc_where){ 0 }, 0);
    if (own->nr == 0)
        pc_keys_sort(&own->index);
    for (size_t i = 0; i < own->index.nr; i++) {
        const struct pc_key *entry = &own->index.key[i];
        if (entry->offset != UINT64_MAX)
            pc_flow_say(flow, PC_D_AUXTRACE_INDEX_ENTRY, entry->offset, PC_SECTION_SIZE,
                        pc_hex_value(entry->value), pc_none);
    }
    if (has_index && own->index_offset != 0 && !own->index.full && capture->dir_version == 0 &&
        own->index.nr < own->nr)
        pc_flow_say(flow, PC_D_AUXTRACE_INDEX_CUT, own->index_offset, 8, pc_uint_value(own->index.nr),
                    pc_uint_value(own->nr));
    const bool missing = !has_index && !pc_bit(capture->features, PC_AUXTRACE_INDEX) && own->nr != 0;
    if (!judge_decoders(flow, own) && missing && !capture->is_pipe && !capture->unfinished &&
        !capture->is_directory)
        pc_flow_say_at_end(flow, PC_D_AUXTRACE_INDEX_MISSING, own->first.offset,
                           pc_record_info(PC_AUXTRACE)->min, pc_none, pc_none);
}

static void clear_auxtrace(struct pc_flow *flow, void *own)
{
    struct auxtrace *mine = own;
    pc_keys_clear(flow->mem, &mine->index);
    pc_keys_clear(flow->mem, &mine->sizes);
}

const struct pc_flow_rule pc_flow_rule_auxtrace = {
    .size = sizeof(struct auxtrace),
    .types = (const uint16_t[]){ PC_AUXTRACE_INFO, PC_AUX, PC_AUXTRACE, PC_TIME_CONV, 0 },
    .record = record_auxtrace,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_AUXTRACE_INDEX), 0 },
    .field = note_entry,
    .end = judge_index,
    .clear = clear_auxtrace,
};
