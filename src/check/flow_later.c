/* SPDX-License-Identifier: MIT
 *
 * What is compared with attrs that may come later: the clock of CLOCK_DATA, the area for ids of BPF_METADATA.
 */
#include "check/flow_rule.h"

struct later {
    bool has_clock;
    uint64_t clock;
    struct pc_context clock_in; /* the structure ... */
    size_t clock_at;            /* ... and where in it */
    uint64_t area;              /* the largest ... */
    struct pc_finding larger;   /* ... and what is to be said about it */
};

static void note_clock(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct later *own = state;
    if (leaf->field->save != PC_CLOCK_DATA_TIME) /* the last field */
        return;
    own->has_clock = true;
    own->clock = leaf->walk->slot[PC_CLOCK_DATA_CLOCKID];
    own->clock_in = flow->at;
    own->clock_at = leaf->walk->slot_at[PC_CLOCK_DATA_CLOCKID];
}

/* After the entries there is room for a sample_id, filled with zeros. */
static void note_area(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct later *own = state;
    const size_t area = (size_t)record->slot[PC_REC_LEN];
    if (flow->capture->nr_attrs != 0 || (own->larger.id && area <= own->area))
        return;
    own->area = area;
    own->larger = pc_finding_in(&flow->at, PC_D_RECORD_EXCESS, record->item->bytes.len - area, area);
}

static void compare_area(struct pc_flow *flow, struct later *own)
{
    const struct pc_capture *capture = flow->capture;
    const uint64_t wanted = capture->layout[pc_capture_first(capture)->layout]->sample_id_size;
    if (!own->larger.id || own->area <= wanted)
        return;
    own->larger.offset += wanted;
    own->larger.length -= wanted;
    own->larger.seen = pc_uint_value(own->larger.length);
    pc_report_add(flow->report, &own->larger);
}

static void compare(struct pc_flow *flow, void *state)
{
    struct later *own = state;
    const struct pc_capture *capture = flow->capture;
    if (capture->nr_attrs != 0)
        compare_area(flow, own);
    flow->work += capture->nr_attrs;
    for (size_t i = 0; i < capture->nr_attrs && own->has_clock; i++) {
        uint64_t clock = pc_attr_get(&capture->attr[i], PC_ATTR_CLOCKID);
        if (!(pc_attr_get(&capture->attr[i], PC_ATTR_FLAGS) & PC_FLAG_USE_CLOCKID) || clock == own->clock)
            continue;
        flow->at = own->clock_in;
        pc_flow_say(flow, PC_D_CLOCK_DATA_CLOCKID, own->clock_at, 4, pc_uint_value(own->clock),
                    pc_uint_value(clock));
        break;
    }
}

const struct pc_flow_rule pc_flow_rule_later = {
    .size = sizeof(struct later),
    .types = (const uint16_t[]){ PC_BPF_METADATA, 0 },
    .record = note_area,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_CLOCK_DATA), 0 },
    .field = note_clock,
    .end = compare,
};
