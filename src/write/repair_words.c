/* SPDX-License-Identifier: MIT
 *
 * Words of a header that are lost, or came too early or too late, as EVENT_DESC shows them: perf writes the
 * ids first, then the attrs, then the data (tools/perf/util/header.c: perf_session__do_write_header).
 */
#include "write/repair_parts.h"
#include "write/repair_desc.h"
#include "write/repair_records.h"

void pc_repair_put_word(struct repair *r, unsigned char *head, unsigned slot, uint64_t value)
{
    const uint64_t at = pc_row_at(pc_file_header, slot);
    if (pc_load(head + at, 8, r->order) == value)
        return;
    pc_store(head + at, 8, value, r->order);
    pc_salvage_patch(r->s, at, head + at, 8);
}

void pc_repair_put_words(struct repair *r, unsigned char *head, const struct pc_behind *words)
{
    pc_repair_put_word(r, head, PC_HEAD_SIZE, PC_FILE_HEADER_SIZE);
    pc_repair_put_word(r, head, PC_HEAD_ATTR_SIZE, words->entry);
    pc_repair_put_word(r, head, PC_HEAD_ATTRS_OFFSET, words->attrs);
    pc_repair_put_word(r, head, PC_HEAD_ATTRS_SIZE, words->size);
    pc_repair_put_word(r, head, PC_HEAD_DATA_OFFSET, words->data);
    if (words->data_size != 0)
        pc_repair_put_word(r, head, PC_HEAD_DATA_SIZE, words->data_size);
}

void pc_repair_put_magic(struct repair *r, unsigned char *head)
{
    const struct pc_span magic = pc_magic(r->order);
    if (memcmp(head, magic.ptr, 8) == 0)
        return;
    memcpy(head, magic.ptr, 8);
    pc_salvage_patch(r->s, 0, head, 8);
}

/* Finds the section of EVENT_DESC by the table that is here. *entry: which entry of it. */
static bool find_events(struct repair *r, struct pc_desc *e, uint64_t table, uint64_t *entry)
{
    unsigned char raw[PC_SECTION_SIZE];
    for (uint64_t i = 0; i < PC_NAMED_MAX; i++) {
        if (pc_input_read_at(r->in, table + i * sizeof(raw), raw, sizeof(raw)) != sizeof(raw))
            return false;
        const uint64_t offset = pc_load(raw, 8, r->order);
        *entry = i;
        if (offset > table && pc_desc_find_at(e, offset, pc_load(raw + 8, 8, r->order)))
            return true;
        pc_desc_forget(e);
    }
    return false;
}

/* What the header said when the data end here. */
static struct pc_behind lay_out(const struct pc_desc *e, uint64_t end)
{
    uint64_t attrs = PC_FILE_HEADER_SIZE;
    for (size_t i = 0; i < e->nr; i++)
        attrs += 8 * e->event[i].nr_ids;
    const uint64_t entry = e->attr_size + PC_SECTION_SIZE, size = e->nr * entry, data = attrs + size;
    return (struct pc_behind){ e->order, entry, attrs, size, data, end - data };
}

static void free_desc(struct repair *r, struct pc_desc *e)
{
    r->s->not_judged |= e->in.error != 0;
    pc_desc_forget(e);
    pc_free(&r->s->mem, e->event, e->cap * sizeof(*e->event));
}

bool pc_repair_words_by_events(struct repair *r, unsigned char *head)
{
    const uint64_t records = pc_repair_find_records(r, PC_PIPE_HEADER_SIZE);
    struct pc_desc e = { .s = r->s, .in = *r->in, .order = r->order };
    const uint64_t end = records != 0 ? pc_repair_end_of_records(r, records) : 0;
    uint64_t entry;
    bool found = records != 0 && find_events(r, &e, end, &entry);
    if (found) {
        const struct pc_behind words = lay_out(&e, end);
        found = words.data <= records;
        if (found)
            pc_repair_put_words(r, head, &words);
    } else if (records != 0 && pc_desc_find_record(&e, records)) {
        found = true;
        pc_repair_put_word(r, head, PC_HEAD_SIZE, PC_PIPE_HEADER_SIZE);
    }
    free_desc(r, &e);
    return found;
}

bool pc_repair_pipe_by_events(struct repair *r, unsigned char *head)
{
    struct pc_desc e = { .s = r->s, .in = *r->in, .order = r->order };
    const bool found = pc_desc_find_record(&e, PC_PIPE_HEADER_SIZE) && pc_repair_records_begin(&e);
    if (found)
        pc_repair_put_word(r, head, PC_HEAD_SIZE, PC_PIPE_HEADER_SIZE);
    free_desc(r, &e);
    return found;
}

/* --- bytes that were lost or inserted before the records --- */

/* What is before the records, but for the bits of features: words->data bytes. */
static void make_front(const struct pc_desc *e, const struct pc_behind *words, unsigned char *front)
{
    static const unsigned slot[] = { PC_HEAD_ATTR_SIZE, PC_HEAD_ATTRS_OFFSET, PC_HEAD_ATTRS_SIZE,
                                     PC_HEAD_DATA_OFFSET, PC_HEAD_DATA_SIZE };
    const uint64_t value[] = { words->entry, words->attrs, words->size, words->data, words->data_size };
    uint64_t ids = PC_FILE_HEADER_SIZE, entry = words->attrs;
    memset(front, 0, (size_t)words->data);
    memcpy(front, pc_magic(e->order).ptr, 8);
    pc_store(front + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8, PC_FILE_HEADER_SIZE, e->order);
    for (size_t i = 0; i < PC_COUNT_OF(slot); i++)
        pc_store(front + pc_row_at(pc_file_header, slot[i]), 8, value[i], e->order);
    for (size_t i = 0; i < e->nr; i++, entry += words->entry) {
        const uint64_t n = 8 * e->event[i].nr_ids;
        memcpy(front + ids, e->bytes + e->event[i].ids_at, (size_t)n);
        memcpy(front + entry, e->bytes + e->event[i].attr_at, (size_t)e->attr_size);
        pc_store(front + entry + e->attr_size, 8, ids, e->order);
        pc_store(front + entry + e->attr_size + 8, 8, n, e->order);
        ids += n;
    }
}

/* The first place, from this one on, at which the file, as it is read, has not these bytes; `size`: none. The
 * bits of features are not looked at. */
static uint64_t find_other(struct repair *r, const unsigned char *front, uint64_t from, uint64_t size)
{
    const uint64_t bits = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    for (; from < size; from += PC_REPAIR_CHUNK) {
        const size_t have = pc_input_read_at(r->in, from, r->chunk, PC_REPAIR_CHUNK);
        for (size_t i = 0; i < have && from + i < size; i++) {
            const bool is_bits = from + i >= bits && from + i < PC_FILE_HEADER_SIZE;
            if (!is_bits && r->chunk[i] != front[from + i])
                return from + i;
        }
        if (have < PC_REPAIR_CHUNK && from + have < size)
            return from + have;
    }
    return size;
}

/* The file is read as if the bytes were lost or inserted at a place. */
static void place(struct repair *r, const struct pc_moved *moved, uint64_t at)
{
    pc_input_shift(r->in, at, moved->shift.lost, moved->shift.added);
}

/* Whether the bits of the header, as the file is read with the bytes at this place, name so many features, of
 * which this one is EVENT_DESC. */
static bool fit_bits(struct repair *r, const struct pc_moved *moved, uint64_t at, uint64_t most,
                     uint64_t entry)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    uint64_t nr = 0;
    bool fits = false;
    place(r, moved, at);
    if (pc_input_read_at(r->in, 0, head, sizeof(head)) != sizeof(head))
        return false;
    const unsigned char *bits = head + pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        const bool named = pc_load(bits + bit / 64 * 8, 8, r->order) >> bit % 64 & 1;
        if (named &&
            (bit >= PC_ANDROID_FEATURES || !pc_feature_info(bit))) /* simpleperf writes no EVENT_DESC */
            return false;
        fits |= named && bit == PC_EVENT_DESC && nr == entry;
        nr += named;
    }
    return fits && nr == most;
}

/* Where it happened, or a little later: the first byte that is another one, unless it was in the bits of
 * features, which nothing repeats. */
static uint64_t find_place(struct repair *r, const struct pc_moved *moved, uint64_t entry, uint64_t sound)
{
    const uint64_t bits = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    for (uint64_t nr = moved->nr; sound > bits && nr >= moved->least; nr--) {
        if (fit_bits(r, moved, sound, nr, entry))
            return sound;
        for (uint64_t at = bits; at < sound && at < PC_FILE_HEADER_SIZE; at++) {
            if (fit_bits(r, moved, at, nr, entry))
                return at;
        }
    }
    return sound < bits ? sound : bits;
}

/* Whether records lead to the end of the data from where these begin: behind the attrs, or behind the room
 * that perf inject --strip leaves there; or from a later place, if the first were lost. */
static bool find_records(struct repair *r, struct pc_behind *words)
{
    const uint64_t end = words->data + words->data_size;
    if (pc_repair_leads_to(r, words->data, end))
        return true;
    const uint64_t records = pc_repair_find_records(r, words->data), room = records - words->data;
    if (records == 0 || !pc_repair_leads_to(r, records, end))
        return false;
    const bool may_be_room = words->data >= r->in->filled && room <= PC_REPAIR_CHUNK;
    const size_t have = may_be_room ? pc_input_read_at(r->in, words->data, r->chunk, (size_t)room) : 0;
    if (have == room && pc_first_nonzero((struct pc_span){ r->chunk, have }) == have) {
        words->data = records;
        words->data_size = end - records;
    }
    return true;
}

/* Whether it happened at one place of these bytes, in front of the records, which then are all there, but for
 * those that were lost. */
static bool find_in_front(struct repair *r, const unsigned char *front, uint64_t size, struct pc_moved *moved,
                          uint64_t entry)
{
    pc_input_shift(r->in, 0, 0, 0);
    moved->shift.at = find_place(r, moved, entry, find_other(r, front, 0, size));
    place(r, moved, moved->shift.at);
    /* A capture behind other bytes is one without them: check says how it is taken out. */
    return (moved->shift.added == 0 || moved->shift.at != 0) &&
           find_other(r, front, moved->shift.at + moved->shift.lost, size) == size;
}

static bool find_moved(struct repair *r, struct pc_moved *moved, struct pc_behind *words)
{
    struct pc_desc e = { .s = r->s, .order = r->order };
    uint64_t entry;
    place(r, moved, 0);
    e.in = *r->in;
    bool found = find_events(r, &e, moved->table, &entry);
    if (found) {
        *words = lay_out(&e, moved->table);
        found = words->data < moved->table && find_records(r, words);
    }
    unsigned char *front = found ? pc_alloc_buffer(&r->s->mem, words->data) : NULL;
    r->s->no_memory |= found && !front;
    if (front) {
        make_front(&e, words, front);
        found = find_in_front(r, front, words->data, moved, entry);
        pc_free(&r->s->mem, front, words->data);
    }
    free_desc(r, &e);
    return found && front;
}

bool pc_repair_find_moved(struct repair *r, struct pc_shift *shift, struct pc_behind *words)
{
    struct pc_moved moved;
    for (unsigned i = 0; i < 2; i++) {
        r->order = i == 0 ? PC_LITTLE : PC_BIG;
        pc_input_shift(r->in, 0, 0, 0);
        if (!pc_find_moved_table(r->in, r->order, &moved) || !find_moved(r, &moved, words))
            continue;
        *shift = moved.shift;
        return true;
    }
    pc_input_shift(r->in, 0, 0, 0);
    return false;
}
