/* SPDX-License-Identifier: MIT
 *
 * What rules between records share.
 */
#include "check/flow_rule.h"

void pc_flow_watch(struct pc_flow *flow, enum pc_flow_index index, bool on)
{
    flow->watching &= ~(1u << index);
    if (!on)
        return;
    flow->watching |= 1u << index;
    flow->skip = 0;
}

uint64_t pc_flow_losses(const struct pc_flow *flow)
{
    return pc_add_saturated(pc_add_saturated(flow->sum.lost_events, flow->sum.lost_samples),
                            pc_report_errors(flow->report) + pc_report_found(flow->report, PC_D_RESYNC));
}

bool pc_flow_in_order(const struct pc_flow *flow)
{
    return !flow->several && !(flow->capture->flags & PC_FLAG_WRITE_BACKWARD);
}

bool pc_flow_is_complete(const struct pc_flow *flow)
{
    return pc_flow_losses(flow) == 0 && !flow->capture->unfinished &&
           !pc_report_is_unreadable(flow->report) && pc_flow_in_order(flow);
}

bool pc_flow_has_payloads(const struct pc_flow *flow)
{
    const struct pc_capture *capture = flow->capture;
    for (size_t i = 0; i < capture->nr_attrs && flow->sum.by_type[PC_SAMPLE] != 0; i++) {
        if (pc_attr_get(&capture->attr[i], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT &&
            (pc_attr_get(&capture->attr[i], PC_ATTR_SAMPLE_TYPE) & PC_S_RAW))
            return true;
    }
    return false;
}

void pc_flow_say(struct pc_flow *flow, enum pc_diag id, uint64_t at, uint64_t length, struct pc_value seen,
                 struct pc_value expected)
{
    pc_report_say(flow->report, &flow->at, id, at, length, seen, expected);
}

struct pc_finding pc_flow_in_slot(const struct pc_flow *flow, const struct pc_facts *record, enum pc_diag id,
                                  unsigned slot)
{
    const struct pc_field *field = pc_record_row(record->info, slot);
    struct pc_context here = flow->at;
    here.name = field->name;
    return pc_finding_in(&here, id, record->slot_at[slot], field->width);
}

void pc_flow_say_slot(struct pc_flow *flow, const struct pc_facts *record, enum pc_diag id, unsigned slot,
                      struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_flow_in_slot(flow, record, id, slot);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(flow->report, &f);
}

void pc_flow_say_attr(struct pc_flow *flow, enum pc_diag id, uint64_t number, unsigned slot,
                      struct pc_value seen, struct pc_value expected)
{
    size_t at;
    const struct pc_field *field = pc_find_row(pc_attr_fields, 0, slot, &at);
    const struct pc_context attr = { .place = PC_IN_ATTR,
                                     .number = number,
                                     .offset = flow->capture->attr[number].offset,
                                     .name = field->name };
    pc_report_say(flow->report, &attr, id, at, field->width, seen, expected);
}

void pc_flow_say_leaf(struct pc_flow *flow, enum pc_diag id, const struct pc_leaf *leaf, struct pc_value seen,
                      struct pc_value expected)
{
    struct pc_finding f = pc_leaf_finding(&flow->at, id, leaf, seen, expected);
    pc_report_add(flow->report, &f);
}

void pc_flow_say_for(struct pc_flow *flow, enum pc_diag id, enum pc_versions versions, uint64_t at,
                     uint64_t length, struct pc_value seen)
{
    struct pc_finding f = pc_finding_in(&flow->at, id, at, length);
    const enum pc_versions asked = flow->asked & versions;
    f.seen = seen;
    while ((f.reader = pc_version_next(asked, f.reader)) != PC_BY_NONE) {
        f.expected = pc_text_value(pc_version_name(f.reader));
        pc_report_add(flow->report, &f);
    }
}

void pc_flow_say_entry(struct pc_flow *flow, enum pc_diag id, const struct pc_entry *entry, uint32_t type,
                       size_t at, uint64_t length, struct pc_value seen)
{
    const struct pc_context record = pc_record_context(type, entry->record, flow->at.where, entry->offset);
    pc_report_say(flow->report, &record, id, at, length, seen, pc_none);
}

void pc_flow_say_at_end(struct pc_flow *flow, enum pc_diag id, uint64_t offset, uint64_t length,
                        struct pc_value seen, struct pc_value expected)
{
    const struct pc_context end = { .place = PC_AT_END, .where = flow->at.where, .offset = offset };
    pc_report_say(flow->report, &end, id, 0, length, seen, expected);
}

void pc_flow_say_limit(struct pc_flow *flow, const char *what, uint64_t most)
{
    const struct pc_context end = {
        .place = PC_AT_END, .where = flow->at.where, .offset = flow->at.offset, .name = what
    };
    if (flow->no_memory) /* that is the reason, and it is said at the end */
        return;
    pc_report_say(flow->report, &end, PC_D_LIMIT_STATE, 0, 0, pc_none, pc_uint_value(most));
}

void pc_flow_key(struct pc_flow *flow, struct pc_keys *keys, uint64_t value, uint64_t offset)
{
    if (pc_keys_add(flow->mem, keys, value, offset))
        return;
    struct pc_finding f = pc_keys_full(keys, &flow->at, offset);
    pc_report_add(flow->report, &f);
}

struct pc_entry *pc_flow_find(struct pc_flow *flow, struct pc_set *set, uint64_t key)
{
    const uint64_t before = set->work;
    struct pc_entry *entry = pc_set_find(set, &key);
    flow->work += set->work - before;
    return entry;
}

struct pc_entry pc_flow_entry(const struct pc_flow *flow, uint64_t key)
{
    /* Of a record in a compressed one, the place is that of the outer one. */
    const struct pc_where *where = &flow->at.where;
    return (struct pc_entry){ .key = key,
                              .offset = where->inside ? where->wrapper_offset : flow->at.offset,
                              .record = where->inside ? where->wrapper : flow->at.number };
}

struct pc_entry *pc_flow_add(struct pc_flow *flow, struct pc_set *set, unsigned bits, uint64_t key)
{
    if (set->most == 0)
        *set = (struct pc_set){ .entry_size = sizeof(struct pc_entry),
                                .key_size = sizeof(key),
                                .most = (size_t)1 << bits };
    const size_t nr = set->nr;
    const uint64_t before = set->work;
    struct pc_entry *entry = pc_set_add(flow->mem, set, &key);
    if (set->nr != nr)
        *entry = pc_flow_entry(flow, key);
    flow->work += set->work - before;
    flow->no_memory |= set->no_memory;
    return entry;
}

size_t pc_flow_place_in(const struct pc_flow *flow, size_t at)
{
    return flow->at.where.inside ? 0 : at;
}
