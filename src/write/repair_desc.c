/* SPDX-License-Identifier: MIT */
#include "write/repair_desc.h"
#include "bytes/cursor.h"
#include "format/tables.h"
#include "read/capture.h"
#include "read/plausible.h"

#include <string.h>

/* A feature that is larger, or is farther from the beginning of a pipe, is not looked at. */
#define SECTION_MAX ((uint64_t)1 << 20)

static bool take_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_desc *e = ctx;
    unsigned slot = leaf->field->save;
    e->sound = e->sound && leaf->fault == PC_SOUND && e->nr <= PC_DESC_EVENTS_MAX;
    if (!e->sound)
        return false;
    if (slot == PC_EVENT_DESC_NR_IDS) {
        e->attr_size = leaf->walk->slot[PC_SLOT_B];
        if (!pc_grow(&e->s->mem, &e->event, &e->cap, e->nr + 1, sizeof(*e->event))) {
            e->s->no_memory = true;
            return e->sound = false;
        }
        e->event[e->nr++] = (struct pc_desc_event){ leaf->at - (size_t)e->attr_size, 0, leaf->value };
    } else if (slot == PC_EVENT_DESC_NAME && e->nr != 0) {
        e->event[e->nr - 1].ids_at = leaf->at + leaf->raw.len;
    }
    return true;
}

/* Whether all of the feature is what its table says, with attrs of one size that a perf has. */
static bool read_events(struct pc_desc *e)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ e->bytes, (size_t)e->size }, e->order);
    struct pc_walk walk;
    e->sound = true;
    pc_walk_init(&walk, NULL, &c, take_leaf, e);
    walk.bulk = true;
    if (!pc_walk_table(&walk, pc_event_desc) || !e->sound || pc_left(&c) != 0 || e->nr == 0 ||
        !pc_attr_size_known(e->attr_size))
        return false;
    for (size_t i = 0; i < e->nr; i++) {
        if (pc_load(e->bytes + e->event[i].attr_at + PC_ATTR_SIZE_AT, 4, e->order) != e->attr_size)
            return false;
    }
    return true;
}

/* Reads the bytes of the feature; false: they are not there. */
static bool read_feature(struct pc_desc *e)
{
    e->bytes = pc_alloc_buffer(&e->s->mem, e->size);
    e->seen = pc_alloc_buffer(&e->s->mem, e->size);
    e->s->no_memory |= !e->bytes || !e->seen;
    return e->bytes && e->seen && pc_input_read_at(&e->in, e->at, e->bytes, (size_t)e->size) == e->size;
}

bool pc_desc_has(struct pc_desc *e, uint64_t offset, const unsigned char *bytes, size_t n)
{
    return pc_input_read_at(&e->in, offset, e->seen, n) == n && memcmp(e->seen, bytes, n) == 0;
}

void pc_desc_forget(struct pc_desc *e)
{
    pc_free(&e->s->mem, e->bytes, e->size);
    pc_free(&e->s->mem, e->seen, e->size);
    e->bytes = e->seen = NULL;
    e->nr = 0;
}

bool pc_desc_find_at(struct pc_desc *e, uint64_t offset, uint64_t size)
{
    e->at = offset;
    e->size = size;
    if (size == 0 || size > SECTION_MAX || offset > e->in.size || size > e->in.size - offset)
        return false;
    return read_feature(e) && read_events(e);
}

bool pc_desc_find(struct pc_desc *e, const unsigned char *head)
{
    const unsigned char *bits = head + pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    unsigned char entry[PC_SECTION_SIZE];
    uint64_t before = 0;
    for (unsigned bit = 0; bit < PC_EVENT_DESC; bit++)
        before += pc_load(bits, 8, e->order) >> bit & 1;
    uint64_t table = e->slot[PC_HEAD_DATA_OFFSET] + e->slot[PC_HEAD_DATA_SIZE];
    if (e->slot[PC_HEAD_DATA_SIZE] == 0 ||
        pc_input_read_at(&e->in, table + before * PC_SECTION_SIZE, entry, sizeof(entry)) != sizeof(entry))
        return false;
    return pc_desc_find_at(e, pc_load(entry, 8, e->order), pc_load(entry + 8, 8, e->order));
}

bool pc_desc_find_record(struct pc_desc *e, uint64_t from)
{
    const size_t most = 256; /* of which each may be large */
    uint64_t n = e->in.size - (from < e->in.size ? from : e->in.size);
    n = n < SECTION_MAX ? n : SECTION_MAX;
    if (n < PC_FEATURE_HEAD)
        return false;
    unsigned char *first = pc_alloc_buffer(&e->s->mem, n);
    bool found = false;
    e->s->no_memory |= !first;
    if (first && pc_input_read_at(&e->in, from, first, (size_t)n) == n) {
        for (size_t at = 0, tried = 0; !found && tried < most && at + PC_FEATURE_HEAD <= n; at++) {
            if (!pc_begins_event_desc(first + at, e->order))
                continue;
            e->at = from + at + PC_FEATURE_HEAD;
            e->size = pc_load_head(first + at, e->order).size - PC_FEATURE_HEAD;
            found = read_feature(e) && read_events(e);
            if (!found)
                pc_desc_forget(e);
            tried++;
        }
    }
    pc_free(&e->s->mem, first, n);
    return found;
}
