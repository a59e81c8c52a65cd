/* SPDX-License-Identifier: MIT
 *
 * edits_ids.c: ids of events that simpleperf adds between records (EVENT_ID), by "merge" or as a CPU comes.
 * perf looks for ids only with the attrs, so a copy for it has them there. That holds for all records, not
 * only for later ones: it is the same as long as no id was another event's.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

#include <string.h>

/* Those of the attrs, each once. */
static bool know_ids(struct pc_content *c)
{
    struct pc_edits *edits = &c->edits;
    if (edits->knows_ids)
        return true;
    for (size_t i = 0; i < c->nr_attrs; i++) {
        const struct pc_content_attr *a = &c->attr[i];
        for (size_t k = 0; k < a->nr_ids; k++) {
            if (!pc_tree_add(c->mem, &edits->ids, c->ids[a->ids + k], (uint32_t)i))
                return false;
        }
    }
    edits->knows_ids = true;
    edits->own_ids = edits->ids.nr;
    return true;
}

struct taking {
    struct pc_content *c;
    const struct pc_item *item;
};

/* No option accepts it: without the record later samples would be those of the event before. */
static void refuse(struct pc_content *c, const struct pc_item *item, const struct pc_leaf *leaf)
{
    const struct pc_context record = pc_item_context(item);
    pc_content_refuse_in(c, &record, PC_D_REWRITE_ID, leaf->at, leaf->raw.len, pc_uint_value(leaf->value),
                         NULL);
}

static bool take_id(void *ctx, const struct pc_leaf *leaf)
{
    const struct taking *t = ctx;
    struct pc_content *c = t->c;
    uint64_t attr = leaf->walk->slot[PC_REC_IDX];
    if (leaf->fault != PC_SOUND || leaf->field->save != PC_SLOT_ID || attr >= c->nr_attrs ||
        (leaf->value == 0 && attr == 0)) /* perf takes 0 for the first event anyway */
        return true;
    const struct pc_tree_entry *entry =
        leaf->value == 0 ? NULL : pc_tree_add(c->mem, &c->edits.ids, leaf->value, (uint32_t)attr);
    if (!entry && leaf->value != 0) {
        pc_content_no_memory(c);
        return false;
    }
    if (!entry || entry->value != attr)
        refuse(c, t->item, leaf);
    return true;
}

bool pc_edit_takes_ids(struct pc_content *c, const struct pc_item *item)
{
    struct taking t = { c, item };
    struct pc_cursor in = pc_record_body(item->bytes, pc_item_order(item, c->scan->capture.order));
    struct pc_walk walk;
    if (!know_ids(c)) {
        pc_content_no_memory(c);
        return false;
    }
    size_t before = c->edits.ids.nr;
    pc_walk_init(&walk, NULL, &in, take_id, &t);
    pc_walk_table(&walk, pc_record_info(PC_EVENT_ID)->fields);
    bool any = c->edits.ids.nr != before;
    if (any && c->event_desc)
        pc_content_refuse_record(c, item, 0, item->bytes.len, "more ids than EVENT_DESC has");
    return any;
}

void pc_edit_join_ids(struct pc_content *c)
{
    const struct pc_edits *edits = &c->edits;
    const size_t more = edits->ids.nr - edits->own_ids;
    if (!edits->knows_ids || more == 0)
        return;
    const size_t room = c->nr_ids + more;
    uint64_t *ids = pc_alloc(c->mem, room * sizeof(*ids));
    if (!ids) {
        pc_content_no_memory(c);
        return;
    }
    const struct pc_tree_entry *added = edits->ids.entry + edits->own_ids;
    for (size_t i = 0; i < more; i++)
        c->attr[added[i].value].more_ids++;
    size_t at = 0;
    for (size_t i = 0; i < c->nr_attrs; i++) {
        struct pc_content_attr *a = &c->attr[i];
        for (size_t k = 0; k < a->nr_ids; k++)
            ids[at + k] = c->ids[a->ids + k];
        a->ids = at;
        at += a->nr_ids + a->more_ids;
    }
    for (size_t i = 0; i < more; i++) {
        struct pc_content_attr *a = &c->attr[added[i].value];
        ids[a->ids + a->nr_ids++] = added[i].key;
    }
    pc_free(c->mem, c->ids, c->cap_ids * sizeof(*c->ids));
    c->ids = ids;
    c->nr_ids = c->cap_ids = room;
    c->changes++;
}
