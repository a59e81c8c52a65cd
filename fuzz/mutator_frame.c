/* SPDX-License-Identifier: MIT
 *
 * mutator_frame.c: operations on the description of records and on their container: sample_type with the
 * fields of all samples, attrs and ids, sections and features, byte order and container.
 */
#include "mutator_parts.h"

#include <stdlib.h>
#include <string.h>

/* --- samples --- */

/* A table in two parts: the rows before the field of a sample bit, and its own rows. */
struct split {
    struct pc_field before[96], own[16];
};

static bool split_table(const struct pc_field *table, uint64_t bit, struct split *out)
{
    const uint64_t bits = PC_FLAG(PC_S_BITS) - 1;
    size_t before = 0, own = 0;
    bool mine = false;
    for (const struct pc_field *row = table; row->kind != PC_END; row++) {
        if (row->when & bits) /* other rows are parts of the field before them */
            mine = row->when & bit;
        if (before + 1 >= PC_COUNT_OF(out->before) || own + 1 >= PC_COUNT_OF(out->own))
            return false;
        if (mine)
            out->own[own++] = *row;
        else if (own == 0)
            out->before[before++] = *row;
    }
    out->before[before] = out->own[own] = (struct pc_field){ .kind = PC_END };
    return own != 0;
}

/* A bit of sample_type that changes. */
struct flip {
    struct events all;
    uint64_t bit;
    size_t type_at; /* where in an attr the word is */
    struct pc_layout to[EVENTS];
    bool changes[EVENTS]; /* the attr */
    struct split sample, trailer;
    bool of_trailer; /* it has such a field */
};

/* Adds the field to a record with the least content, or removes it. */
static void flip_field(struct flip *f, size_t event, size_t record)
{
    struct subject *s = f->all.s;
    size_t at = s->record[record], size = mut_size_of(s, record);
    bool is_sample = mut_load(s, at, 4) == PC_SAMPLE;
    /* If there are offsets among the records, earlier results may be wrong now. */
    if (size < PC_RECORD_HEADER_SIZE || at > s->len || size > s->len - at)
        return;
    size_t trailer = mut_trailer_of(&f->all, event, record);
    if (!is_sample && (trailer == 0 || !f->of_trailer))
        return;
    const struct split *split = is_sample ? &f->sample : &f->trailer;
    struct pc_cursor c = { .in = mut_part(s, at, size), .order = s->order };
    struct pc_walk walk;
    c.pos = is_sample ? PC_RECORD_HEADER_SIZE : size - trailer;
    pc_walk_init(&walk, &f->all.layout[event], &c, NULL, NULL);
    if (!pc_walk_table(&walk, split->before))
        return;
    size_t start = c.pos;
    bool was = pc_present(split->own, f->all.layout[event].mask),
         is = pc_present(split->own, f->to[event].mask);
    if (was && !is && pc_walk_table(&walk, split->own)) {
        mut_cut(s, at + start, c.pos - start);
        mut_store(s, at + 6, 2, size - (c.pos - start));
    }
    unsigned char content[128] = { 0 };
    size_t n = was || !is ? SIZE_MAX
                          : mut_least_content(split->own, &f->to[event], s->order, content, sizeof(content));
    if (n > sizeof(content) || size + n > PC_RECORD_SIZE_MAX)
        return;
    if (split->own->save == PC_SLOT_ID || split->own->save == PC_SLOT_IDENTIFIER)
        pc_store(content, 8, f->all.id[event], s->order);
    if (mut_insert_bytes(s, at + start, content, n))
        mut_store(s, at + 6, 2, size + n);
}

/* The attrs that change: one, or mostly all of its kind, because ids must have the same place in all samples.
 * */
static bool plan_flip(struct flip *f, struct subject *s)
{
    uint64_t slot[PC_SLOTS];
    if (!mut_find_layouts(&f->all, s))
        return false;
    size_t chosen = (size_t)mut_pick(s, f->all.nr);
    bool all = s->fix && mut_pick(s, 4) != 0;
    const struct event *e = &f->all.event[chosen];
    struct pc_cursor c = pc_cursor(mut_part(s, e->at, e->len), s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_attr_fields);
    f->type_at = walk.slot_at[PC_ATTR_SAMPLE_TYPE];
    f->bit = PC_FLAG(mut_pick(s, PC_S_BITS));
    for (size_t i = 0; i < f->all.nr; i++) {
        e = &f->all.event[i];
        pc_attr_walk(mut_part(s, e->at, e->len), s->order, slot);
        uint64_t differ = slot[PC_ATTR_SAMPLE_TYPE] ^ walk.slot[PC_ATTR_SAMPLE_TYPE];
        f->changes[i] = i == chosen || (all && !(differ & f->bit));
        slot[PC_ATTR_SAMPLE_TYPE] ^= f->changes[i] ? f->bit : 0;
        f->to[i] = pc_attr_layout(slot);
    }
    return f->type_at != 0;
}

/* Changes a bit of sample_type and, if all is kept consistent, every sample and trailer. */
void mut_flip_sample_bit(struct subject *s)
{
    static struct flip f; /* large */
    static unsigned char event[RECORDS];
    if (!plan_flip(&f, s))
        return;
    bool records = s->fix && split_table(pc_record_info(PC_SAMPLE)->fields, f.bit, &f.sample);
    f.of_trailer = split_table(pc_sample_id, f.bit, &f.trailer);
    for (size_t i = 0; records && i < s->nr_records; i++)
        event[i] = (unsigned char)mut_event_of(&f.all, i);
    /* From the last to the first, so that earlier ones do not move. */
    for (size_t i = s->nr_records; records && i-- > 0;) {
        if (f.changes[event[i]])
            flip_field(&f, event[i], i);
    }
    mut_look(s);
    size_t nr = mut_find_events(s, f.all.event);
    for (size_t i = 0; i < f.all.nr && i < nr; i++) {
        size_t word = f.all.event[i].at + f.type_at;
        mut_store(s, word, 8, mut_load(s, word, 8) ^ (f.changes[i] ? f.bit : 0));
    }
}

/* --- attrs and ids --- */

/* Ids that no attr has. */
static void new_ids(struct subject *s, unsigned char *to, size_t n)
{
    uint64_t id = PC_FLAG(40) + mut_pick(s, PC_FLAG(40));
    for (size_t k = 0; k + 8 <= n; k += 8)
        pc_store(to + k, 8, id++, s->order);
}

/* Removes the records of an attr, and the description of groups. */
static void drop_records(struct events *all, size_t event)
{
    static size_t n[RECORDS]; /* before anything moves: there may be offsets among the records */
    struct subject *s = all->s;
    struct feature f;
    for (size_t i = 0; i < s->nr_records; i++)
        n[i] = mut_is_of_event(all, event, i) ? mut_whole_of(s, i) : 0;
    for (size_t i = s->nr_records; i-- > 0;)
        mut_cut(s, s->record[i], n[i]);
    mut_look(s);
    if (mut_find_feature(s, PC_GROUP_DESC, &f)) {
        mut_drop_feature(s, &f);
        mut_look(s);
    }
}

/* Removes an attr of a file or a pipe. */
static void drop_attr(struct subject *s, const struct event *e)
{
    if (e->entry == 0) {
        mut_cut(s, e->record, PC_RECORD_HEADER_SIZE + e->len + e->ids_len);
        return;
    }
    mut_cut(s, e->at, s->attr_entry);
    mut_store(s, s->attrs_word - 8, 8, s->attrs); /* the section still begins there */
    mut_store(s, s->attrs_word, 8, mut_load(s, s->attrs_word, 8) - s->attr_entry);
}

/* Copies an attr, the last but one or the last. Its ids are new and come at the end of the file. */
static void repeat_entry(struct subject *s, const struct event *e)
{
    unsigned char copy[4096], ids[4 * 8];
    size_t n = e->ids_len < sizeof(ids) ? e->ids_len : sizeof(ids), size = s->attr_entry;
    size_t at = s->attrs + (s->fix ? s->nr_attrs - 1 : 0) * size;
    if (size > sizeof(copy) || s->max - s->len < size + n)
        return;
    memcpy(copy, s->bytes + e->at, size);
    if (!mut_insert_bytes(s, at, copy, size))
        return;
    if (s->fix && mut_pick(s, 4) != 0) { /* swaps it with the last one */
        memcpy(s->bytes + at, s->bytes + at + size, size);
        memcpy(s->bytes + at + size, copy, size);
        at += size;
    }
    mut_store(s, s->attrs_word - 8, 8, s->attrs);
    mut_store(s, s->attrs_word, 8, mut_load(s, s->attrs_word, 8) + size);
    if (!s->fix)
        return;
    new_ids(s, ids, n);
    mut_store(s, at + size - PC_SECTION_SIZE, 8, s->len);
    mut_store(s, at + size - PC_SECTION_SIZE + 8, 8, n);
    memcpy(s->bytes + s->len, ids, n);
    s->len += n;
}

/* In a pipe, before the original or after the last. */
static void repeat_record(struct subject *s, const struct event *e, const struct event *last)
{
    size_t size = PC_RECORD_HEADER_SIZE + e->len + e->ids_len;
    size_t end = last->record + PC_RECORD_HEADER_SIZE + last->len + last->ids_len;
    memcpy(mut_spare, s->bytes + e->record, size);
    if (s->fix)
        new_ids(s, mut_spare + (e->ids - e->record), e->ids_len);
    mut_insert_bytes(s, s->fix && mut_pick(s, 4) ? end : e->record, mut_spare, size);
}

/* Adds or removes an attr. If all is kept consistent, it gets its own ids, or its records are removed too. */
void mut_repeat_attr(struct subject *s)
{
    static struct events all; /* large */
    if (!mut_find_layouts(&all, s))
        return;
    size_t chosen = (size_t)mut_pick(s, all.nr);
    const struct event *e = &all.event[chosen];
    if (mut_pick(s, 2) || (s->fix && all.nr == 1)) {
        if (e->entry != 0)
            repeat_entry(s, e);
        else
            repeat_record(s, e, &all.event[all.nr - 1]);
        return;
    }
    if (s->fix) {
        drop_records(&all, chosen);
        all.nr = mut_find_events(s, all.event);
    }
    if (chosen < all.nr)
        drop_attr(s, e);
}

/* Adds an id: a new one, that of another attr, or 0. Or removes the last one. */
void mut_change_ids(struct subject *s)
{
    struct event e;
    if (!mut_choose_event(s, &e))
        return;
    const unsigned width = e.entry != 0 ? 8 : 2;
    size_t end = e.ids + e.ids_len, word = e.entry != 0 ? e.entry + 8 : e.record + 6;
    uint64_t start = mut_load(s, e.entry, 8), size = mut_load(s, word, width),
             id = end < 8 ? 0 : mut_load(s, end - 8, 8);
    bool more = mut_pick(s, 2), behind = word >= end;
    if (more && (size + 8 > PC_RECORD_SIZE_MAX || !mut_insert(s, end, 8)))
        return;
    if (!more && (size < 8 || e.ids_len < 8))
        return;
    if (more)
        mut_store(s, end, 8, mut_pick(s, 4) ? id + 1 + mut_pick(s, 64) : mut_pick(s, 2) * id);
    else
        mut_cut(s, end - 8, 8);
    if (behind)
        word = more ? word + 8 : word - 8;
    if (e.entry != 0) /* the first of them stays where it is */
        mut_store(s, word - 8, 8, start);
    mut_store(s, word, width, more ? size + 8 : size - 8);
}

/* --- sections and features --- */

/* Changes the entry of a section: to a value near 2^64, to 0, or to that of another section. */
void mut_change_section(struct subject *s)
{
    if (s->nr_words == 0)
        return;
    size_t word = s->offset_word[mut_pick(s, s->nr_words)], other = s->offset_word[mut_pick(s, s->nr_words)];
    word += 8 * (size_t)mut_pick(s, 2);
    mut_store(s, word, 8, mut_pick(s, 4) ? mut_boundary(s, 8, mut_load(s, word, 8)) : mut_load(s, other, 8));
}

/* Moves a section to the end of the file. The old place is empty, or keeps a copy. In a pipe its record moves
 * to the front or the end. */
void mut_move_section(struct subject *s)
{
    struct feature f;
    if (!mut_choose_feature(s, &f))
        return;
    if (s->pipe) {
        const size_t head = PC_RECORD_HEADER_SIZE + 8;
        mut_copy_bytes(s, f.at - head, f.len + head, mut_pick(s, 2) ? s->data : s->data_end, true);
        return;
    }
    if (f.len == 0 || f.len > s->max - s->len)
        return;
    size_t end = s->len;
    s->len += f.len;
    memcpy(s->bytes + end, s->bytes + f.at, f.len);
    mut_store(s, f.entry, 8, end);
    if (mut_pick(s, 2))
        mut_cut(s, f.at, f.len);
}

/* Changes a bit and nothing else. In a pipe: the feature number of a record. */
static void flip_bit_alone(struct subject *s, unsigned bit)
{
    struct feature f;
    size_t word = s->bitmap + bit / 64 * 8;
    if (!s->pipe)
        mut_store(s, word, 8, mut_load(s, word, 8) ^ PC_FLAG(bit % 64));
    else if (mut_choose_feature(s, &f))
        mut_store(s, f.at - 8, 8, bit);
}

/* Removes a feature, or adds one, mostly with the least content that it can have. */
void mut_flip_feature(struct subject *s)
{
    unsigned char content[4096] = { 0 };
    unsigned bit = (unsigned)mut_pick(s, mut_pick(s, 8) ? PC_FEATURES : PC_FEATURE_BITS);
    struct feature f;
    if (!s->pipe && s->bitmap == 0)
        return;
    if (!s->fix) {
        flip_bit_alone(s, bit);
        return;
    }
    if (mut_find_feature(s, bit, &f)) {
        mut_drop_feature(s, &f);
        return;
    }
    struct pc_layout layout = mut_feature_layout(s);
    const struct pc_field *table = pc_feature_fields(bit, (struct pc_span){ content, 0 });
    size_t n = table ? mut_least_content(table, &layout, s->order, content, sizeof(content))
                     : (size_t)mut_pick(s, 64);
    if (n > sizeof(content) || mut_pick(s, 8) == 0)
        n = (size_t)mut_pick(s, 64);
    mut_add_feature(s, bit, content, n);
}

/* --- all of it --- */

static void replace(struct subject *s, const struct pc_rewrite *how)
{
    struct fuzz_bytes copy;
    pc_limits_init(&fuzz_limits);
    pc_policy_init(&fuzz_policy);
    if (fuzz_rewrite(*how, (struct pc_span){ s->bytes, s->len }, &copy) != PC_WRITTEN)
        return;
    if (copy.len <= s->max) {
        memcpy(s->bytes, copy.bytes, copy.len);
        s->len = copy.len;
    }
    free(copy.bytes);
}

void mut_swap_order(struct subject *s)
{
    if (s->fix)
        replace(s, &(struct pc_rewrite){ .order = PC_ORDER_SWAP });
    else
        pc_store(s->bytes, 8, pc_load(s->bytes, 8, PC_BIG), PC_LITTLE);
}

/* The content follows, or only the header changes. */
void mut_swap_container(struct subject *s)
{
    if (s->fix)
        replace(s, &(struct pc_rewrite){ .to = s->pipe ? PC_TO_FILE : PC_TO_PIPE });
    else
        mut_store(s, 8, 8, s->pipe ? PC_FILE_HEADER_SIZE : PC_PIPE_HEADER_SIZE);
}
