/* SPDX-License-Identifier: MIT
 *
 * edits_android.c: what a copy for perf has of that which only simpleperf makes up. perf reads none of it;
 * some of it has a place where perf looks for the same.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"
#include "check/judge.h"

bool pc_edit_drops_feature(struct pc_content *c, uint64_t bit, struct pc_span bytes, uint64_t offset)
{
    if (!c->reader || !pc_is_android_feature(bit))
        return false;
    if (bit == PC_META_INFO)
        pc_note_event_lines(c, bytes);
    pc_edit_note(c, PC_EDIT_ANDROID_FEATURE, offset);
    return true;
}

static void take_nothing(void *ctx, const struct pc_finding *f)
{
    (void)ctx, (void)f;
}

/* Whether trace data have no error as those of the feature. */
static bool is_sound_trace(struct pc_content *c, struct pc_span data)
{
    static const uint32_t none_wanted[PC_FACTS_OF_FEATURE(PC_FEATURE_BITS)];
    struct pc_judge judge;
    pc_judge_init(&judge, c->mem, &c->scan->capture);
    judge.wanted = none_wanted;
    judge.on_finding = take_nothing;
    pc_check_feature(&judge, PC_TRACING_DATA, pc_cursor(data, c->scan->capture.order), false);
    pc_judge_clear(&judge);
    return judge.errors == 0;
}

/* Trace data in a record, which item ends, become those of the feature. */
static void move_trace(struct pc_content *c, const struct pc_item *item, struct pc_span record,
                       enum pc_order order)
{
    struct pc_walk walk;
    if (!pc_read_table(&walk, pc_record_info(PC_ANDROID_TRACING_DATA)->fields, pc_record_body(record, order)))
        return; /* which was reported */
    struct pc_span data = pc_part(record, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_SLOT_A]);
    if (!is_sound_trace(c, data)) {
        pc_content_refuse_record(c, item, 0, item->bytes.len, "the trace data in it are damaged");
        return;
    }
    c->edits.moved = data;
    pc_edit_note(c, PC_EDIT_ANDROID_TRACE, item->offset);
}

void pc_edit_android_record(struct pc_content *c, const struct pc_item *item)
{
    if (item->type == PC_ANDROID_TRACING_DATA) {
        move_trace(c, item, item->bytes, c->scan->capture.order);
        return;
    }
    if (c->join.record.len != 0 &&
        pc_load_head(c->join.record.ptr, PC_LITTLE).type == PC_ANDROID_TRACING_DATA)
        move_trace(c, item, c->join.record, PC_LITTLE);
    bool joined = item->type == PC_EVENT_ID && pc_edit_takes_ids(c, item);
    pc_edit_note(c, joined ? PC_EDIT_ANDROID_IDS : PC_EDIT_ANDROID, item->offset);
}

/* Without trace data perf refuses a tracepoint, as it does the capture itself. */
void pc_edit_android_end(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    for (uint64_t i = 0; c->reader && capture->by_simpleperf && i < capture->nr_attrs; i++) {
        if (pc_attr_get(&capture->attr[i], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT &&
            !pc_bit(c->parts.present, PC_TRACING_DATA))
            pc_content_refuse_type(c, i, "a tracepoint without trace data, which no perf reads");
    }
}
