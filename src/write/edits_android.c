/* SPDX-License-Identifier: MIT
 *
 * edits_android.c: what a copy for perf has of the records that only simpleperf makes up. perf reads none of
 * them; some have a place where perf looks for the same.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

void pc_edit_android_record(struct pc_content *c, const struct pc_item *item)
{
    struct pc_cursor trace;
    if (pc_item_trace(item, c->scan->capture.order, &trace)) { /* they become those of the feature */
        c->edits.moved = pc_part(trace.in, trace.pos, pc_left(&trace));
        c->scan->capture.tracing_kept = false; /* payloads are swapped with them */
        pc_edit_note(c, PC_EDIT_ANDROID_TRACE, item->offset);
        if (item->type == PC_ANDROID_TRACING_DATA)
            return;
    }
    const struct pc_item *whole = pc_item_whole(item);
    const bool joined = whole->type == PC_EVENT_ID && pc_edit_takes_ids(c, whole);
    const bool symbols = whole->type == PC_KERNEL_SYMBOL || whole->type == PC_DSO || whole->type == PC_SYMBOL;
    pc_edit_note(c,
                 joined    ? PC_EDIT_ANDROID_IDS
                 : symbols ? PC_EDIT_ANDROID_SYMBOLS
                           : PC_EDIT_ANDROID,
                 item->offset);
}

/* Without trace data perf refuses a tracepoint, as it does the capture itself. */
void pc_edit_android_end(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    for (uint64_t i = 0; c->reader && capture->by_simpleperf && i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        if (pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT &&
            (!pc_bit(c->parts.present, PC_TRACING_DATA) ||
             (c->made_formats && !pc_is_tracepoint_id(pc_attr_get(attr, PC_ATTR_CONFIG)))))
            pc_content_refuse_type(c, i, "a tracepoint without trace data, which no perf reads");
    }
}
