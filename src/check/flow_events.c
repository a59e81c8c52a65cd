/* SPDX-License-Identifier: MIT
 *
 * Features that repeat or group the attrs, compared with them: EVENT_DESC and GROUP_DESC. In a pipe attrs may
 * come after the features about them (perf before 4.17): those are kept.
 */
#include "check/flow_rule.h"
#include "bytes/cursor.h"

#include <string.h>

/* A feature of a pipe, to be compared at the end. */
struct kept {
    unsigned char *bytes; /* the record */
    uint64_t size;
    bool had_no_attrs;
    struct pc_context about;
};

struct events {
    struct kept kept[2]; /* EVENT_DESC, GROUP_DESC */
    /* The current feature. */
    bool ids_differ;    /* EVENT_DESC: the finding is about this entry */
    uint64_t group_end; /* GROUP_DESC: attrs before it belong to groups */
};

static const enum pc_feature kept_features[2] = { PC_EVENT_DESC, PC_GROUP_DESC };

/* EVENT_DESC repeats the attrs; members that the model keeps are compared. */
static void event_desc_leaf(struct pc_flow *flow, struct events *own, const struct pc_leaf *leaf)
{
    const struct pc_capture *capture = flow->capture;
    uint64_t event = pc_leaf_index(leaf, 0);
    unsigned slot = leaf->field->save;
    if (slot == PC_EVENT_DESC_NR && capture->nr_attrs != 0 && leaf->value != capture->nr_attrs) {
        /* builtin-report.c of 5.10 looks at all names before it reads records, such as this feature may be.
         */
        bool fewer = leaf->value < capture->nr_attrs && flow->at.place == PC_IN_FEATURE;
        pc_flow_say_leaf(flow, fewer ? PC_D_EVENT_DESC_FEWER : PC_D_EVENT_DESC_DIFFERS, leaf,
                         pc_uint_value(leaf->value), pc_uint_value(capture->nr_attrs));
    }
    if (event >= capture->nr_attrs)
        return;
    const struct pc_attr *attr = &capture->attr[event];
    if (leaf->walk->depth == 2 && slot >= PC_ATTR_TYPE && slot <= PC_ATTR_REGS_INTR) {
        if (leaf->value != pc_attr_get(attr, slot))
            pc_flow_say_leaf(flow, PC_D_EVENT_DESC_DIFFERS, leaf, pc_hex_value(leaf->value),
                             pc_hex_value(pc_attr_get(attr, slot)));
    } else if (slot == PC_EVENT_DESC_NR_IDS) {
        bool known = pc_capture_knows_all_ids(capture);
        own->ids_differ = !known || leaf->value != attr->nr_ids;
        if (known && own->ids_differ)
            pc_flow_say_leaf(flow, PC_D_EVENT_DESC_IDS, leaf, pc_uint_value(leaf->value),
                             pc_uint_value(event));
    } else if (!leaf->field->name && leaf->walk->depth == 2) {
        if (!own->ids_differ && leaf->value != 0 && pc_capture_attr_of(capture, leaf->value) != event)
            pc_flow_say_leaf(flow, PC_D_EVENT_DESC_IDS, leaf, pc_uint_value(leaf->value),
                             pc_uint_value(event));
    }
}

/* Groups follow each other in the order of attrs: header.c: process_group_desc. */
static void group_desc_leaf(struct pc_flow *flow, struct events *own, const struct pc_leaf *leaf)
{
    const struct pc_capture *capture = flow->capture;
    uint64_t leader = leaf->walk->slot[PC_GROUP_LEADER], members = leaf->value;
    unsigned slot = leaf->field->save;
    if (slot == PC_GROUP_NR)
        own->group_end = 0;
    if (slot == PC_GROUP_LEADER && (leader >= capture->nr_attrs || leader < own->group_end))
        pc_flow_say_leaf(flow, PC_D_GROUP_DESC, leaf, pc_uint_value(leader),
                         pc_text_value("name an attr after the groups before it"));
    if (slot != PC_GROUP_MEMBERS || leader >= capture->nr_attrs)
        return;
    if (members == 0 || members > capture->nr_attrs - leader) {
        pc_flow_say_leaf(flow, PC_D_GROUP_DESC, leaf, pc_uint_value(members),
                         pc_text_value("count the attrs of the group that exist"));
        return;
    }
    uint64_t format = pc_attr_get(&capture->attr[leader], PC_ATTR_READ_FORMAT);
    uint64_t end = leader + members;
    flow->work += members;
    for (uint64_t i = leader < own->group_end ? own->group_end : leader; i < end; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t format_of = pc_attr_get(attr, PC_ATTR_READ_FORMAT);
        if (format_of != format && (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_READ))
            pc_flow_say_attr(flow, PC_D_GROUP_READ_FORMAT, i, PC_ATTR_READ_FORMAT, pc_hex_value(format_of),
                             pc_hex_value(format));
    }
    if (end > own->group_end)
        own->group_end = end;
}

static void compare(struct pc_flow *flow, struct events *own, unsigned of, const struct pc_leaf *leaf)
{
    if (of == PC_FACTS_OF_FEATURE(PC_EVENT_DESC))
        event_desc_leaf(flow, own, leaf);
    else
        group_desc_leaf(flow, own, leaf);
}

/* perf compares groups with the attrs that came before (header.c: process_group_desc). */
static bool may_compare(const struct pc_flow *flow, unsigned of)
{
    const struct pc_capture *capture = flow->capture;
    return !capture->is_pipe || (of == PC_FACTS_OF_FEATURE(PC_GROUP_DESC) && capture->nr_attrs != 0);
}

static void compare_now(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    if (may_compare(flow, flow->of))
        compare(flow, own, flow->of, leaf);
}

static void keep(struct pc_flow *flow, struct kept *kept, const struct pc_item *item)
{
    pc_free(flow->mem, kept->bytes, kept->size);
    kept->bytes = pc_alloc(flow->mem, item->bytes.len);
    if (!kept->bytes) {
        flow->no_memory = true;
        return;
    }
    memcpy(kept->bytes, item->bytes.ptr, item->bytes.len);
    kept->size = item->bytes.len;
    kept->had_no_attrs = flow->capture->nr_attrs == 0;
    flow->before_attrs |= kept->had_no_attrs;
    kept->about = flow->at;
    kept->about.subject = pc_record_info(PC_HEADER_FEATURE)->name;
}

static void record_feature(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    const struct pc_item *item = record->item;
    const uint64_t bit = record->slot[PC_REC_FEATURE];
    struct events *own = state;
    if (item->news == PC_ENDS_FEATURES || item->news == PC_REPEATS_TOO_OFTEN ||
        item->bytes.len == PC_FEATURE_HEAD)
        return;
    if ((bit == PC_EVENT_DESC || bit == PC_GROUP_DESC) &&
        !may_compare(flow, PC_FACTS_OF_FEATURE((unsigned)bit)))
        keep(flow, &own->kept[bit == PC_GROUP_DESC], item);
}

struct late {
    struct pc_flow *flow;
    struct events *own;
    unsigned of;
};

/* Only comparisons with attrs: findings about the bytes alone were reported earlier. */
static bool late_visit(void *ctx, const struct pc_leaf *leaf)
{
    const struct late *late = ctx;
    if (leaf->fault != PC_SOUND)
        return false;
    compare(late->flow, late->own, late->of, leaf);
    return true;
}

static void compare_kept(struct pc_flow *flow, void *state)
{
    struct events *own = state;
    for (size_t i = 0; i < PC_COUNT_OF(own->kept); i++) {
        const struct kept *kept = &own->kept[i];
        struct late late = { flow, own, PC_FACTS_OF_FEATURE((unsigned)kept_features[i]) };
        struct pc_cursor c =
            pc_cursor((struct pc_span){ kept->bytes, (size_t)kept->size }, flow->capture->order);
        struct pc_walk walk;
        if (!kept->bytes)
            continue;
        if (kept->had_no_attrs && pc_report_errors(flow->report) != 0)
            continue; /* they may be missing for another reason */
        flow->at = kept->about;
        c.pos = PC_FEATURE_HEAD;
        pc_walk_init(&walk, NULL, &c, late_visit, &late);
        pc_walk_table(&walk, pc_feature_info(kept_features[i])->fields);
        flow->work += walk.work;
    }
}

static void clear_events(struct pc_flow *flow, void *state)
{
    struct events *own = state;
    for (size_t i = 0; i < PC_COUNT_OF(own->kept); i++)
        pc_free(flow->mem, own->kept[i].bytes, own->kept[i].size);
}

const struct pc_flow_rule pc_flow_rule_events = {
    .size = sizeof(struct events),
    .types = (const uint16_t[]){ PC_HEADER_FEATURE, 0 },
    .record = record_feature,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_EVENT_DESC), PC_FACTS_OF_FEATURE(PC_GROUP_DESC), 0 },
    .field = compare_now,
    .end = compare_kept,
    .clear = clear_events,
};
