/* SPDX-License-Identifier: MIT
 *
 * What findings about items have in common.
 */
#include "read/item.h"

struct pc_context pc_record_context(uint32_t type, uint64_t number, struct pc_where where, uint64_t offset)
{
    const struct pc_record_info *info = pc_record_info(type);
    return (struct pc_context){
        .place = PC_IN_RECORD,
        .number = number,
        .subject = info ? info->name : NULL,
        .where = where,
        .offset = offset,
    };
}

struct pc_context pc_feature_context(uint64_t bit, struct pc_where where, uint64_t offset)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    return (struct pc_context){
        .place = PC_IN_FEATURE,
        .number = bit,
        .subject = info ? info->name : NULL,
        .where = where,
        .offset = offset,
    };
}

struct pc_context pc_item_context(const struct pc_item *item)
{
    struct pc_context at = { .number = item->number, .where = item->where, .offset = item->offset };
    switch (item->kind) {
    case PC_ITEM_RECORD:
    case PC_ITEM_PAYLOAD:
        at = pc_record_context(item->type, item->number, item->where, item->offset);
        at.as_whole = item->is_joined ? PC_RECORD_HEADER_SIZE : 0;
        break;
    case PC_ITEM_FEATURE:
        return pc_feature_context(item->number, item->where, item->offset);
    case PC_ITEM_HEADER:
        at.place = PC_IN_HEADER;
        break;
    case PC_ITEM_ATTR:
        at.place = PC_IN_ATTR;
        break;
    case PC_ITEM_END:
        at.place = PC_AT_END;
        break;
    }
    return at;
}

bool pc_item_has(const struct pc_item *item, const struct pc_finding *f)
{
    const struct pc_where *where = &item->where;
    return f->where.stream == where->stream && f->where.inside == where->inside &&
           f->place == pc_item_context(item).place &&
           (item->kind == PC_ITEM_HEADER || item->kind == PC_ITEM_END ||
            (f->number == item->number && f->offset >= item->offset) ||
            (item->kind == PC_ITEM_FEATURE && f->number == item->number));
}

bool pc_item_is_before(const struct pc_item *item, const struct pc_finding *f)
{
    enum pc_place here = pc_item_context(item).place;
    if (f->place == PC_AT_END)
        return false;
    return f->place > here || (f->place == here && f->number > item->number);
}

static void add_step(struct pc_finding *f, const char *name, uint64_t index)
{
    if (f->depth < PC_PATH_MAX)
        f->path[f->depth++] = (struct pc_step){ name, index };
}

struct pc_finding pc_leaf_finding(const struct pc_context *structure, enum pc_diag id,
                                  const struct pc_leaf *leaf, struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_finding_in(structure, id, leaf->at, leaf->raw.len);
    for (unsigned i = 0; i < leaf->walk->depth; i++)
        add_step(&f, leaf->walk->path[i].name, leaf->walk->path[i].index);
    if (leaf->field->name)
        add_step(&f, leaf->field->name, PC_NO_INDEX);
    f.seen = seen;
    f.expected = expected;
    return f;
}

struct pc_value pc_leaf_text(const struct pc_leaf *leaf)
{
    return pc_bytes_value(pc_part(leaf->raw, 4, (size_t)leaf->value));
}

bool pc_item_trace(const struct pc_item *record, enum pc_order order, struct pc_cursor *trace)
{
    const struct pc_item *whole = pc_item_whole(record);
    return pc_trace_in_record(whole->bytes, pc_item_order(whole, order), trace);
}
