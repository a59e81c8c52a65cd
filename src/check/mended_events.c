/* SPDX-License-Identifier: MIT
 *
 * Attrs and ids that were mended, which the feature EVENT_DESC repeats.
 */
#include "check/mended_parts.h"
#include "read/plausible.h"

#include <string.h>

/* --- what is read of mended bytes --- */

/* Whether a patch of at least so many bytes touches from..to. */
static bool touches_with(const struct mended *m, uint64_t from, uint64_t to, size_t least)
{
    const struct pc_patch *patch = m->in.patch;
    size_t i = pc_lower_bound(patch, m->in.nr_patches, sizeof(*patch), offsetof(struct pc_patch, offset),
                              from - (from < sizeof(patch->bytes) ? from : sizeof(patch->bytes)));
    while (i < m->in.nr_patches && patch[i].offset < to &&
           (patch[i].len < least || patch[i].offset + patch[i].len <= from))
        i++;
    return i < m->in.nr_patches && patch[i].offset < to;
}

bool pc_mended_touches(const struct mended *m, uint64_t from, uint64_t to)
{
    return touches_with(m, from, to, 1);
}

bool pc_mended_touches_word(const struct mended *m, uint64_t from, uint64_t to)
{
    return touches_with(m, from, to, sizeof(m->in.patch->bytes));
}

bool pc_mended_get(struct mended *m, uint64_t at, void *to, size_t n)
{
    return pc_input_read_at(&m->in, at, to, n) == n;
}

uint64_t pc_mended_word(struct mended *m, uint64_t at, unsigned width)
{
    unsigned char raw[8];
    return pc_mended_get(m, at, raw, width) ? pc_load(raw, width, m->order) : 0;
}

uint64_t pc_mended_attrs_end(const struct mended *m)
{
    uint64_t attrs = m->slot[PC_HEAD_ATTRS_OFFSET],
             end = pc_add_saturated(attrs, m->slot[PC_HEAD_ATTRS_SIZE]);
    return attrs < m->table && end > m->table ? m->table : end;
}

bool pc_mended_ends_with_attrs(const struct mended *m)
{
    return m->in.filled != 0 && m->in.shift_at + m->in.filled == m->in.size &&
           m->slot[PC_HEAD_ATTRS_OFFSET] + m->slot[PC_HEAD_ATTRS_SIZE] == m->in.size;
}

/* --- a file --- */

struct repeated {
    struct mended *m;
    struct pc_span events;
    uint64_t attr_at; /* of the current event */
    uint64_t entry;   /* in the attr section */
    bool wrong;
};

/* Whether the file has these bytes at this place. */
static bool is_same(struct repeated *e, uint64_t at, struct pc_span bytes)
{
    unsigned char chunk[4096];
    for (size_t from = 0, n; from < bytes.len; from += n) {
        n = bytes.len - from < sizeof(chunk) ? bytes.len - from : sizeof(chunk);
        if (!pc_mended_get(e->m, at + from, chunk, n) || memcmp(chunk, bytes.ptr + from, n) != 0)
            return false;
    }
    return true;
}

/* The ids come last. */
static bool see_event(void *ctx, const struct pc_leaf *leaf)
{
    struct repeated *e = ctx;
    struct mended *m = e->m;
    uint64_t attr = leaf->walk->slot[PC_SLOT_B], ids = 8 * leaf->walk->slot[PC_EVENT_DESC_NR_IDS];
    if (leaf->fault != PC_SOUND)
        return false;
    if (leaf->field->save == PC_EVENT_DESC_NR_IDS)
        e->attr_at = leaf->at - attr;
    if (leaf->field->save != PC_EVENT_DESC_NAME)
        return true;
    uint64_t section = e->entry + attr, at = pc_mended_word(m, section, 8);
    struct pc_span own = pc_part(e->events, (size_t)e->attr_at, (size_t)attr);
    if (pc_mended_touches(m, e->entry, section))
        e->wrong |= !is_same(e, e->entry, own);
    size_t ids_at = leaf->at + leaf->raw.len;
    if (pc_mended_touches(m, section, section + PC_SECTION_SIZE) ||
        pc_mended_touches(m, at, pc_add_saturated(at, ids)))
        e->wrong |= pc_mended_word(m, section + 8, 8) != ids || ids > e->events.len - ids_at ||
                    !is_same(e, at, pc_part(e->events, ids_at, (size_t)ids));
    e->entry = section + PC_SECTION_SIZE;
    return true;
}

/* Shows the events of EVENT_DESC, of which so many bytes are at this place. Whether all are there, and right.
 */
static bool read_events(struct mended *m, struct repeated *e, uint64_t at, uint64_t size,
                        bool (*see)(void *, const struct pc_leaf *))
{
    unsigned char *bytes = pc_alloc_buffer(m->mem, size);
    struct pc_walk walk;
    if (!bytes) {
        m->no_memory = true;
        return true;
    }
    bool whole = false;
    if (pc_mended_get(m, at, bytes, (size_t)size)) {
        e->events = (struct pc_span){ bytes, (size_t)size };
        struct pc_cursor c = pc_cursor(e->events, m->order);
        pc_walk_init(&walk, NULL, &c, see, e);
        walk.bulk = true;
        whole = pc_walk_table(&walk, pc_event_desc);
    }
    pc_free(m->mem, bytes, size);
    return whole && !e->wrong;
}

bool pc_mended_events_hold(struct mended *m)
{
    uint64_t before = 0, attrs = m->slot[PC_HEAD_ATTRS_OFFSET], data = m->slot[PC_HEAD_DATA_OFFSET];
    uint64_t first = attrs < data ? PC_FILE_HEADER_SIZE : m->table, end = attrs < data ? data : m->in.size;
    struct repeated e = { .m = m, .entry = attrs };
    if (!pc_mended_touches(m, first, end) || !pc_bit(m->bits, PC_EVENT_DESC))
        return true;
    for (uint64_t bit = 0; bit < PC_EVENT_DESC; bit++)
        before += pc_bit(m->bits, bit);
    const uint64_t entry = m->table + before * PC_SECTION_SIZE, at = pc_mended_word(m, entry, 8),
                   size = pc_mended_word(m, entry + 8, 8);
    if (size == 0 || size > PC_MENDED_EVENTS_MAX)
        return attrs >= data;
    return read_events(m, &e, at, size, see_event) || (attrs >= data && !e.wrong);
}

/* --- the first records of a pipe --- */

/* The attr and the ids of an event are those of the record that begins at e->entry. The ids come last. */
static bool see_event_of_pipe(void *ctx, const struct pc_leaf *leaf)
{
    struct repeated *e = ctx;
    struct mended *m = e->m;
    uint64_t attr = leaf->walk->slot[PC_SLOT_B], ids = 8 * leaf->walk->slot[PC_EVENT_DESC_NR_IDS];
    unsigned char head[PC_RECORD_HEADER_SIZE] = { 0 };
    if (leaf->fault != PC_SOUND)
        return false;
    if (leaf->field->save == PC_EVENT_DESC_NR_IDS)
        e->attr_at = leaf->at - attr;
    if (leaf->field->save != PC_EVENT_DESC_NAME)
        return true;
    const uint64_t at = e->entry + sizeof(head);
    const size_t ids_at = leaf->at + leaf->raw.len;
    e->entry = pc_add_saturated(at + attr, ids);
    if (!pc_input_is_shifted(&m->in) && !pc_mended_touches_word(m, at - sizeof(head), e->entry))
        return true;
    const bool all = ids <= e->events.len - ids_at && pc_mended_get(m, at - sizeof(head), head, sizeof(head));
    const struct pc_record_head record = pc_load_head(head, m->order);
    e->wrong |= !all || record.type != PC_HEADER_ATTR || record.misc != 0 ||
                record.size != sizeof(head) + attr + ids ||
                !is_same(e, at, pc_part(e->events, (size_t)e->attr_at, (size_t)attr)) ||
                !is_same(e, at + attr, pc_part(e->events, ids_at, (size_t)ids));
    return true;
}

/* Where headers lead from a place on: EVENT_DESC, or a place from which none leads on. */
struct walked {
    uint64_t at;           /* that place, or the record */
    uint64_t attrs;        /* where the records of attrs end, with which it begins */
    uint64_t events, size; /* the bytes of EVENT_DESC; 0: it is not found */
};

static void take_events(const struct mended *m, struct walked *walked, const unsigned char *head, uint64_t at)
{
    walked->at = at;
    walked->events = at + PC_FEATURE_HEAD;
    walked->size = pc_load_head(head, m->order).size - PC_FEATURE_HEAD;
}

static struct walked walk_records(struct mended *m, uint64_t first)
{
    struct walked walked = { .at = first, .attrs = first };
    unsigned char head[PC_FEATURE_HEAD];
    size_t have;
    while (walked.at - first < PC_MENDED_EVENTS_MAX &&
           (have = pc_input_read_at(&m->in, walked.at, head, sizeof(head))) >= PC_RECORD_HEADER_SIZE &&
           pc_may_follow(head, m->order)) {
        if (have == sizeof(head) && pc_begins_event_desc(head, m->order)) {
            take_events(m, &walked, head, walked.at);
            break;
        }
        const struct pc_record_head record = pc_load_head(head, m->order);
        if (record.type == PC_HEADER_ATTR && walked.at == walked.attrs)
            walked.attrs += record.size;
        walked.at += record.size;
    }
    return walked;
}

/* Whether a header that was mended does not lead on. */
static bool stops_at_mended(const struct mended *m, const struct walked *walked)
{
    return walked->events == 0 && pc_mended_touches_word(m, walked->at, walked->at + PC_RECORD_HEADER_SIZE);
}

/* Whether EVENT_DESC repeats all records of attrs up to where they end. */
static bool repeats_all(struct mended *m, uint64_t first, const struct walked *walked)
{
    struct repeated e = { .m = m, .entry = first };
    return read_events(m, &e, walked->events, walked->size, see_event_of_pipe) && e.entry == walked->attrs;
}

/* Zeros stand for the type of the record behind those of the attrs: an EVENT_DESC behind these counts if it
 * repeats the attrs. Other bytes may look like the header of one. */
static void look_behind_zeros(struct mended *m, struct walked *walked)
{
    unsigned char chunk[4096];
    const size_t most = 256; /* of which each may be large */
    const struct walked zeros = *walked;
    if (walked->at != walked->attrs || pc_mended_word(m, walked->at, 4) != 0)
        return;
    for (uint64_t from = zeros.at, have = sizeof(chunk), tried = 0;
         have == sizeof(chunk) && from - zeros.at < PC_MENDED_EVENTS_MAX;
         from += sizeof(chunk) - PC_FEATURE_HEAD + 1) {
        have = pc_input_read_at(&m->in, from, chunk, sizeof(chunk));
        for (size_t i = 0; i + PC_FEATURE_HEAD <= have; i++) {
            if (!pc_begins_event_desc(chunk + i, m->order))
                continue;
            take_events(m, walked, chunk + i, from + i);
            if (repeats_all(m, PC_PIPE_HEADER_SIZE, walked) || ++tried == most)
                return;
            *walked = zeros;
        }
    }
}

/* The first record of a pipe is an attr, then ids that grow, none of which is the header of a record. */
static bool first_holds(struct mended *m)
{
    const uint64_t at = PC_PIPE_HEADER_SIZE, attr = at + PC_RECORD_HEADER_SIZE;
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (!pc_mended_touches(m, at, at + 4))
        return true;
    if (!pc_mended_get(m, at, head, sizeof(head)))
        return false;
    uint64_t end = at + pc_load_head(head, m->order).size, last = 0;
    uint64_t ids = attr + pc_mended_word(m, attr + PC_ATTR_SIZE_AT, 4);
    bool fits = pc_load_head(head, m->order).type == PC_HEADER_ATTR && ids < end && (end - ids) % 8 == 0;
    for (uint64_t id; fits && ids < end; ids += 8, last = id) {
        id = pc_mended_word(m, ids, 8);
        fits = pc_may_be_id(last, id);
    }
    return fits && (end == m->in.size ||
                    (pc_mended_get(m, end, head, sizeof(head)) && pc_may_follow(head, m->order)));
}

bool pc_mended_records_hold(struct mended *m)
{
    const uint64_t first = PC_PIPE_HEADER_SIZE;
    struct walked walked = walk_records(m, first);
    const bool attrs_are_mended = pc_mended_touches_word(m, first + PC_RECORD_HEADER_SIZE, walked.attrs),
               wrong = stops_at_mended(m, &walked), shifted = pc_input_is_shifted(&m->in);
    struct repeated e = { .m = m, .entry = first };
    if (walked.events == 0 && attrs_are_mended && !wrong && !shifted)
        look_behind_zeros(m, &walked);
    if (walked.events == 0 || (!shifted && !pc_mended_touches_word(m, first, walked.events)))
        return !wrong && !attrs_are_mended && !shifted && first_holds(m);
    return read_events(m, &e, walked.events, walked.size, see_event_of_pipe) &&
           (attrs_are_mended || first_holds(m));
}

void pc_mended_note_record(struct mended *m)
{
    const uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], attrs = m->slot[PC_HEAD_ATTRS_OFFSET],
                   data = m->slot[PC_HEAD_DATA_OFFSET];
    struct repeated e = { .m = m, .entry = attrs };
    if (attrs < m->table || attrs < data || entry <= PC_SECTION_SIZE || pc_bit(m->bits, PC_EVENT_DESC) ||
        (!pc_mended_touches(m, m->table, pc_mended_attrs_end(m)) && !pc_mended_ends_with_attrs(m)))
        return;
    const struct walked walked = walk_records(m, data);
    m->by_record = walked.events != 0 && read_events(m, &e, walked.events, walked.size, see_event);
}
