/* SPDX-License-Identifier: MIT
 *
 * Android's simpleperf: the pieces of a split record follow each other, up to its end, and have the size that
 * it says (FORMAT.md 16.3). FILE and FILE2 have the same files, symbols are those of files that came. What
 * perf cannot read of the records.
 */
#include "bytes/hash.h"
#include "bytes/cursor.h"
#include "check/flow_rule.h"
#include "format/tracepoint.h"
#include "read/event_name.h"
#include "read/join.h"

struct android {
    struct pc_pieces pieces;
    struct files {    /* of FILE, and of FILE2 */
        uint64_t sum; /* of what the files have, in their order; 0: there is none */
        struct pc_context in;
    } files[2];
    struct pc_context unwind; /* DEBUG_UNWIND */
    struct pc_set dsos;       /* by the id that SYMBOL records have */
};

enum { DSO_BITS = 16 };

static void take_symbol(struct pc_flow *flow, struct android *own, const struct pc_facts *record)
{
    uint64_t dso = record->slot[PC_REC_IDX];
    if (record->item->type == PC_DSO)
        pc_flow_add(flow, &own->dsos, DSO_BITS, dso);
    else if (!own->dsos.full && !pc_flow_find(flow, &own->dsos, dso))
        pc_flow_say_slot(flow, record, PC_D_ANDROID_SYMBOL_FILE, PC_REC_IDX, pc_uint_value(dso), pc_none);
    const uint64_t addr = record->slot[PC_REC_ADDR], len = record->slot[PC_REC_LEN];
    if (record->item->type == PC_SYMBOL && len != 0 && addr > UINT64_MAX - (len - 1))
        pc_flow_say_slot(flow, record, PC_D_ANDROID_SYMBOL, PC_REC_LEN, pc_hex_value(addr),
                         pc_uint_value(len));
}

/* What the pieces are, when they are whole. */
static void judge_joined(struct pc_flow *flow, const struct pc_pieces *pieces, const struct pc_item *end)
{
    uint32_t type = pc_load_head(pieces->head, PC_LITTLE).type;
    if (!pc_may_be_split(type))
        pc_flow_say(flow, PC_D_ANDROID_SPLIT_TYPE, 0, end->bytes.len, pc_uint_value(type), pc_none);
}

/* Any other record ends what is not complete, so all are looked at while pieces have no end. */
static void take_record(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct android *own = state;
    struct pc_pieces *pieces = &own->pieces;
    if (record->item->type == PC_DSO || record->item->type == PC_SYMBOL)
        take_symbol(flow, own, record);
    const bool was_open = pieces->open;
    const bool more = pc_pieces_note(pieces, record->item);
    if (was_open && !more)
        pc_flow_say(flow, PC_D_ANDROID_SPLIT_OPEN, 0, record->item->bytes.len, pc_none, pc_none);
    uint64_t whole = pieces->whole < PC_RECORD_HEADER_SIZE ? PC_RECORD_HEADER_SIZE : pieces->whole;
    if (record->item->type == PC_SPLIT_END && pieces->have != whole)
        pc_flow_say(flow, PC_D_ANDROID_SPLIT_SIZE, 0, record->item->bytes.len, pc_uint_value(pieces->have),
                    pc_uint_value(whole));
    else if (record->item->type == PC_SPLIT_END)
        judge_joined(flow, pieces, record->item);
    pieces->open = record->item->type == PC_SPLIT;
    if (was_open != pieces->open)
        pc_flow_watch(flow, PC_FLOW_android, pieces->open);
}

/* --- FILE and FILE2 --- */

/* In a message members come in any order, and what is 0 or empty does not come: it adds nothing to the sum.
 * What else a file has by its type is not in old captures. */
static void note_file(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct android *own = state;
    if (flow->of == PC_FACTS_OF_FEATURE(PC_AUXTRACE_INDEX)) {
        flow->index_without_nr |= leaf->walk->slot_width[PC_SLOT_A] == 0;
        return;
    }
    if (flow->of == PC_FACTS_OF_FEATURE(PC_DEBUG_UNWIND)) {
        own->unwind = flow->at;
        return;
    }
    struct files *files = &own->files[flow->of == PC_FACTS_OF_FEATURE(PC_FILE2)];
    const unsigned slot = leaf->field->save;
    uint64_t words[] = { slot, pc_leaf_index(leaf, 0), pc_leaf_index(leaf, 1), leaf->value };
    files->in = flow->at;
    if (slot == PC_FILE_PATH || slot == PC_FILE_SYMBOL)
        words[3] = pc_hash_of(0, pc_leaf_string(leaf));
    if (slot >= PC_FILE_PATH && slot <= PC_FILE_SYMBOL && leaf->value != 0)
        files->sum += pc_hash_of(0, (struct pc_span){ (const unsigned char *)words, sizeof(words) });
}

static void judge_files(struct pc_flow *flow, const struct android *own)
{
    const struct files *one = &own->files[0], *two = &own->files[1];
    if (one->sum == 0 || two->sum == 0 || one->sum == two->sum || pc_report_has_feature_error(flow->report))
        return;
    flow->at = two->in;
    pc_flow_say(flow, PC_D_ANDROID_FILES, 0, 0, pc_none, pc_none);
}

/* simpleperf writes the lists and the bytes together. A file says in its header which features it has; in a
 * pipe they may be among what is damaged. */
static void judge_unwind(struct pc_flow *flow, const struct android *own)
{
    const struct pc_capture *capture = flow->capture;
    if (capture->unwind_damaged || capture->unwind_bytes == 0 ||
        (capture->is_pipe && pc_report_errors(flow->report) != 0) ||
        pc_bit(capture->features, PC_DEBUG_UNWIND_FILE) || pc_bit(capture->seen, PC_DEBUG_UNWIND_FILE))
        return;
    flow->at = own->unwind;
    pc_flow_say(flow, PC_D_ANDROID_UNWIND_NONE, 0, 0, pc_uint_value(capture->unwind_bytes), pc_none);
}

/* The attrs, and what META_INFO says of the events. */
static void judge_events(struct pc_flow *flow, void *state)
{
    const struct pc_capture *capture = flow->capture;
    const uint64_t wrong = pc_lines_wrong(capture);
    (void)state;
    if (wrong != 0)
        pc_flow_say_at_end(flow, PC_D_ANDROID_EVENT_LINE, 0, 0, pc_uint_value(wrong), pc_none);
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        if (pc_lines_lack_event(capture, attr))
            pc_flow_say_attr(flow, PC_D_ANDROID_EVENT_TYPE, i, PC_ATTR_TYPE,
                             pc_uint_value(pc_attr_get(attr, PC_ATTR_TYPE)),
                             pc_uint_value(pc_attr_get(attr, PC_ATTR_CONFIG)));
    }
}

const struct pc_flow_rule pc_flow_rule_android_events = {
    .end = judge_events,
};

static void judge_android(struct pc_flow *flow, void *state)
{
    const struct android *own = state;
    judge_files(flow, own);
    judge_unwind(flow, own);
    flow->at.where = own->pieces.where; /* they may be in a compressed record */
    if (own->pieces.open && pc_flow_is_complete(flow))
        pc_flow_say_at_end(flow, PC_D_ANDROID_SPLIT_OPEN, own->pieces.offset, PC_RECORD_HEADER_SIZE, pc_none,
                           pc_none);
}

/* --- what perf cannot read --- */

/* Trace data in records, of which a copy for perf has the first ones as a feature. */
struct traces {
    uint32_t nr;
    struct pc_sum first;
    bool late, differ;
};

static void note_trace(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct traces *traces = state;
    struct pc_cursor trace;
    struct pc_hash hash;
    if (!flow->capture->by_simpleperf || !pc_item_trace(record->item, flow->capture->order, &trace))
        return;
    pc_hash_init(&hash);
    pc_hash_put(&hash, trace.in.ptr + trace.pos, pc_left(&trace));
    const struct pc_sum sum = pc_hash_sum(&hash);
    if (traces->nr++ == 0) {
        traces->first = sum;
        traces->late = pc_flow_has_payloads(flow);
    } else {
        traces->differ |= !pc_sum_equal(&sum, &traces->first);
    }
}

/* Whether perf, which finds no trace data of tracepoints, reads a copy: that has some, if no sample has a
 * payload, made up from the ids. *lacks: nothing helps. */
static bool needs_trace(const struct pc_flow *flow, bool *lacks)
{
    const struct pc_capture *capture = flow->capture;
    bool needs = false;
    *lacks = false;
    if (pc_bit(capture->seen, PC_TRACING_DATA) || capture->nr_tracing != 0)
        return false;
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        if (pc_attr_get(&capture->attr[i], PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT)
            continue;
        needs = true;
        *lacks |= pc_flow_has_payloads(flow) ||
                  !pc_is_tracepoint_id(pc_attr_get(&capture->attr[i], PC_ATTR_CONFIG));
    }
    return needs;
}

/* Why perf reads no copy, either; NULL: it does. */
static const char *why_no_copy(const struct pc_flow *flow, const struct traces *traces, bool lacks)
{
    if (lacks)
        return "a tracepoint has no trace data";
    if (traces->late)
        return "trace data come after samples that need them";
    if (traces->differ)
        return "the trace data of its recordings differ";
    if (flow->capture->first_ids.nr != 0)
        return "an id is first one event's and later another's";
    if (flow->trace_uncounted)
        return "no AUX record counts the bytes of its traces";
    return NULL;
}

static void judge_records(struct pc_flow *flow, void *state)
{
    const struct pc_capture *capture = flow->capture;
    const struct traces *traces = state;
    bool lacks;
    uint64_t kinds = needs_trace(flow, &lacks) + (uint64_t)flow->index_without_nr;
    for (size_t i = 0; i < flow->sum.nr_unknown; i++)
        kinds += pc_is_later_android_type(flow->sum.unknown[i].type);
    for (uint32_t type = PC_ANDROID_TYPES; type < PC_ANDROID_TYPES_END; type++)
        kinds += flow->sum.by_type[pc_type_index(type)] != 0;
    if (!capture->by_simpleperf || pc_report_errors(flow->report) != 0)
        return;
    const char *why = why_no_copy(flow, traces, lacks);
    if (why)
        pc_flow_say_at_end(flow, PC_D_ANDROID_NO_COPY, 0, 0, pc_text_value(why), pc_none);
    else if (kinds != 0)
        pc_flow_say_at_end(flow, PC_D_ANDROID_RECORDS, 0, 0, pc_uint_value(kinds), pc_none);
}

const struct pc_flow_rule pc_flow_rule_android_records = {
    .size = sizeof(struct traces),
    .types = (const uint16_t[]){ PC_HEADER_TRACING_DATA, PC_ANDROID_TRACING_DATA, 0 },
    .record = note_trace,
    .always = true,
    .end = judge_records,
};

/* --- the byte order --- */

/* The first record of its own. */
struct own_record {
    uint32_t type;
    struct pc_entry at;
};

static void note_own(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    struct own_record *first = state;
    if (first->type == 0 &&
        pc_has_size_high(item->bytes.ptr, flow->capture->order)) /* not HEADER_TRACING_DATA */
        *first = (struct own_record){ item->type, pc_flow_entry(flow, item->type) };
}

/* No machine with simpleperf is big-endian. This comes last: other rules judge what has no error so far. */
static void judge_order(struct pc_flow *flow, void *state)
{
    const struct own_record *first = state;
    if (flow->capture->order == PC_BIG && first->type != 0)
        pc_flow_say_entry(flow, PC_D_ANDROID_BIG_ENDIAN, &first->at, first->type, 0, 4,
                          pc_uint_value(first->type));
}

const struct pc_flow_rule pc_flow_rule_android_order = {
    .size = sizeof(struct own_record),
    .types = (const uint16_t[]){ PC_KERNEL_SYMBOL, PC_DSO, PC_SYMBOL, PC_SPLIT, PC_SPLIT_END, PC_EVENT_ID,
                                 PC_CALLCHAIN, PC_UNWINDING_RESULT, PC_ANDROID_TRACING_DATA, PC_DEBUG, 0 },
    .came = note_own,
    .end = judge_order,
};

static void clear_android(struct pc_flow *flow, void *state)
{
    struct android *own = state;
    pc_set_clear(flow->mem, &own->dsos);
}

const struct pc_flow_rule pc_flow_rule_android = {
    .size = sizeof(struct android),
    .types = (const uint16_t[]){ PC_SPLIT, PC_SPLIT_END, PC_DSO, PC_SYMBOL, 0 },
    .record = take_record,
    .fields =
        (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_FILE), PC_FACTS_OF_FEATURE(PC_FILE2),
                            PC_FACTS_OF_FEATURE(PC_AUXTRACE_INDEX), PC_FACTS_OF_FEATURE(PC_DEBUG_UNWIND), 0 },
    .field = note_file,
    .end = judge_android,
    .clear = clear_android,
};
