/* SPDX-License-Identifier: MIT
 *
 * mutator_map.c: the map of the current capture: sections, records, features, attrs with their ids,
 * and which records are of which attr; all of it from the tables of the library.
 */
#include "mutator_parts.h"

#include <string.h>

struct subject mut_subject_of(uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    struct subject s = {
        .bytes = data, .len = size, .max = max_size, .random = seed * 2654435761u + 88172645463325252u
    };
    s.fix = mut_pick(&s, 8) != 0;
    return s;
}

size_t mut_options(const struct subject *s)
{
    const size_t trailer = strlen(FUZZ_MARK) + FUZZ_OPTIONS;
    return s->len >= trailer && memcmp(s->bytes + s->len - trailer, FUZZ_MARK, strlen(FUZZ_MARK)) == 0
               ? trailer
               : 0;
}

struct pc_span mut_part(const struct subject *s, size_t at, size_t n)
{
    return pc_part((struct pc_span){ s->bytes, s->len }, at, n);
}

/* --- sections and records --- */

static void add_word(struct subject *s, size_t at)
{
    if (at + 8 <= s->len && s->nr_words < WORDS)
        s->offset_word[s->nr_words++] = at;
}

static size_t bounded(const struct subject *s, uint64_t at)
{
    return at < s->len ? (size_t)at : s->len;
}

static void find_attrs(struct subject *s, const struct pc_walk *head)
{
    s->attrs = bounded(s, head->slot[PC_HEAD_ATTRS_OFFSET]);
    s->attrs_word = head->slot_at[PC_HEAD_ATTRS_SIZE];
    s->attr_entry = (size_t)(head->slot[PC_HEAD_ATTR_SIZE] & 0xffff);
    size_t room = s->len - s->attrs, size = (size_t)(head->slot[PC_HEAD_ATTRS_SIZE] & 0xfffff);
    if (s->attr_entry < PC_ATTR_SIZE_MIN + PC_SECTION_SIZE)
        return;
    s->nr_attrs = (size < room ? size : room) / s->attr_entry;
    for (size_t i = 0; i < s->nr_attrs; i++)
        add_word(s, s->attrs + (i + 1) * s->attr_entry - PC_SECTION_SIZE);
}

static bool has_bit(const struct subject *s, unsigned bit)
{
    return s->bitmap != 0 && (mut_load(s, s->bitmap + bit / 64 * 8, 8) >> bit % 64 & 1);
}

/* The first bit of the bitmap from `bit` on, or PC_FEATURE_BITS. */
static unsigned next_bit(const struct subject *s, unsigned bit)
{
    for (; s->bitmap != 0 && bit < PC_FEATURE_BITS; bit = (bit / 64 + 1) * 64) {
        uint64_t left = mut_load(s, s->bitmap + bit / 64 * 8, 8) >> bit % 64;
        if (left != 0)
            return bit + (unsigned)__builtin_ctzll(left);
    }
    return PC_FEATURE_BITS;
}

static struct feature feature_of_entry(const struct subject *s, unsigned bit, size_t entry)
{
    struct feature f = { .bit = bit, .entry = entry, .at = bounded(s, mut_load(s, entry, 8)) };
    f.len = bounded(s, mut_load(s, entry + 8, 8));
    f.len = f.len < s->len - f.at ? f.len : s->len - f.at;
    return f;
}

/* The words of the AUX index that hold offsets of records. */
static bool add_index_word(void *ctx, const struct pc_leaf *leaf)
{
    struct subject *s = ctx;
    if (leaf->fault == PC_SOUND && leaf->field->save == PC_INDEX_OFFSET)
        add_word(s, (size_t)(leaf->raw.ptr - s->bytes));
    return leaf->fault == PC_SOUND && s->nr_words < WORDS;
}

static void find_index(struct subject *s, size_t entry)
{
    struct feature f = feature_of_entry(s, PC_AUXTRACE_INDEX, entry);
    struct pc_cursor c = pc_cursor(mut_part(s, f.at, f.len), s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, add_index_word, s);
    pc_walk_table(&walk, pc_feature_info(PC_AUXTRACE_INDEX)->fields);
}

static void find_file(struct subject *s)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ s->bytes, s->len }, s->order);
    struct pc_walk head;
    pc_walk_init(&head, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&head, pc_file_header))
        return;
    s->known = true;
    s->data = bounded(s, head.slot[PC_HEAD_DATA_OFFSET]);
    s->data_end = bounded(s, pc_add_saturated(s->data, head.slot[PC_HEAD_DATA_SIZE]));
    s->size_word = head.slot_at[PC_HEAD_DATA_SIZE];
    s->bitmap = head.slot_at[PC_HEAD_FEATURES];
    add_word(s, head.slot_at[PC_HEAD_ATTRS_OFFSET]);
    s->data_word = head.slot_at[PC_HEAD_DATA_OFFSET];
    add_word(s, s->data_word);
    add_word(s, head.slot_at[PC_HEAD_TYPES_OFFSET]);
    find_attrs(s, &head);
    size_t entry = s->data_end, index = 0;
    for (unsigned bit = next_bit(s, 0); bit < PC_FEATURE_BITS; bit = next_bit(s, bit + 1)) {
        if (bit == PC_AUXTRACE_INDEX)
            index = entry;
        add_word(s, entry);
        entry += PC_SECTION_SIZE;
    }
    if (index != 0)
        find_index(s, index);
}

size_t mut_size_of(const struct subject *s, size_t record)
{
    return (size_t)mut_load(s, s->record[record] + 6, 2);
}

/* The first attr: an entry of a file, or the record of a pipe, with what follows it there. */
static void find_layout(struct subject *s)
{
    struct pc_span first = { NULL, 0 };
    uint64_t slot[PC_SLOTS];
    size_t i = 0;
    while (s->pipe && i < s->nr_records && mut_load(s, s->record[i], 4) != PC_HEADER_ATTR)
        i++;
    if (s->nr_attrs != 0)
        first = mut_part(s, s->attrs, s->attr_entry - PC_SECTION_SIZE);
    else if (s->pipe && i < s->nr_records)
        first = mut_part(s, s->record[i] + PC_RECORD_HEADER_SIZE, mut_size_of(s, i) - PC_RECORD_HEADER_SIZE);
    if (first.len >= PC_ATTR_SIZE_MIN && pc_attr_walk(first, s->order, slot))
        s->layout = pc_attr_layout(slot);
}

size_t mut_payload_of(const struct subject *s, size_t at, size_t size)
{
    uint32_t type = (uint32_t)mut_load(s, at, 4);
    if (type != PC_AUXTRACE && type != PC_HEADER_TRACING_DATA)
        return 0;
    struct pc_cursor c = { .in = mut_part(s, at, size), .pos = PC_RECORD_HEADER_SIZE, .order = s->order };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, pc_record_info(type)->fields))
        return 0;
    size_t left = s->data_end - at - size;
    return walk.slot[PC_REC_SIZE] < left ? (size_t)walk.slot[PC_REC_SIZE] : left;
}

void mut_look(struct subject *s)
{
    static const uint64_t magic = 0x32454c4946524550; /* PERFILE2 */
    s->nr_records = s->nr_words = s->nr_attrs = 0;
    s->known = s->pipe = false;
    s->size_word = s->data_word = s->bitmap = 0;
    s->layout = (struct pc_layout){ 0 };
    if (s->len < PC_PIPE_HEADER_SIZE)
        return;
    s->order = pc_load(s->bytes, 8, PC_BIG) == magic ? PC_BIG : PC_LITTLE;
    if (mut_load(s, 8, 8) == PC_PIPE_HEADER_SIZE) {
        s->known = s->pipe = true;
        s->data = PC_PIPE_HEADER_SIZE;
        s->data_end = s->len;
    } else {
        find_file(s);
    }
    for (size_t at = s->data, size; s->known && at + PC_RECORD_HEADER_SIZE <= s->data_end; at += size) {
        size = (size_t)mut_load(s, at + 6, 2);
        if (size < PC_RECORD_HEADER_SIZE || size > s->data_end - at || s->nr_records == RECORDS)
            break;
        s->record[s->nr_records++] = at;
        at += mut_payload_of(s, at, size);
    }
    find_layout(s);
}

size_t mut_whole_of(const struct subject *s, size_t record)
{
    size_t size = mut_size_of(s, record);
    return size + (s->fix ? mut_payload_of(s, s->record[record], size) : 0);
}

/* --- features --- */

bool mut_feature_of_record(const struct subject *s, size_t i, struct feature *f)
{
    const size_t head = PC_RECORD_HEADER_SIZE + 8;
    if (mut_load(s, s->record[i], 4) != PC_HEADER_FEATURE || mut_size_of(s, i) < head)
        return false;
    uint64_t bit = mut_load(s, s->record[i] + PC_RECORD_HEADER_SIZE, 8);
    *f = (struct feature){ .bit = bit < UINT32_MAX ? (unsigned)bit : UINT32_MAX,
                           .at = s->record[i] + head,
                           .len = mut_size_of(s, i) - head };
    return true;
}

size_t mut_entry_of(const struct subject *s, unsigned bit)
{
    size_t entry = s->data_end;
    for (unsigned before = next_bit(s, 0); before < bit; before = next_bit(s, before + 1))
        entry += PC_SECTION_SIZE;
    return entry;
}

bool mut_find_feature(const struct subject *s, unsigned bit, struct feature *f)
{
    if (has_bit(s, bit)) {
        *f = feature_of_entry(s, bit, mut_entry_of(s, bit));
        return true;
    }
    for (size_t i = 0; s->pipe && i < s->nr_records; i++) {
        if (mut_feature_of_record(s, i, f) && f->bit == bit)
            return true;
    }
    return false;
}

bool mut_choose_feature(struct subject *s, struct feature *chosen)
{
    uint64_t seen = 0;
    size_t entry = s->data_end;
    struct feature f;
    for (unsigned bit = next_bit(s, 0); bit < PC_FEATURE_BITS; bit = next_bit(s, bit + 1)) {
        f = feature_of_entry(s, bit, entry);
        if (mut_pick(s, ++seen) == 0)
            *chosen = f;
        entry += PC_SECTION_SIZE;
    }
    for (size_t i = 0; s->pipe && i < s->nr_records; i++) {
        if (mut_feature_of_record(s, i, &f) && mut_pick(s, ++seen) == 0)
            *chosen = f;
    }
    return seen != 0;
}

struct pc_layout mut_feature_layout(const struct subject *s)
{
    struct pc_layout layout = { .slot = { [PC_SLOT_NR_CPUS] = 4, [PC_SLOT_NR_ONLINE] = 4 } };
    struct feature f;
    if (!mut_find_feature(s, PC_NRCPUS, &f))
        return layout;
    struct pc_cursor c = pc_cursor(mut_part(s, f.at, f.len), s->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (pc_walk_table(&walk, pc_feature_info(PC_NRCPUS)->fields)) {
        layout.slot[PC_SLOT_NR_CPUS] = walk.slot[PC_NRCPUS_AVAILABLE];
        layout.slot[PC_SLOT_NR_ONLINE] = walk.slot[PC_NRCPUS_ONLINE];
    }
    return layout;
}

/* --- attrs --- */

static struct event event_of_entry(const struct subject *s, size_t n)
{
    struct event e = { .at = s->attrs + n * s->attr_entry, .len = s->attr_entry - PC_SECTION_SIZE };
    e.entry = e.at + e.len;
    e.ids = bounded(s, mut_load(s, e.entry, 8));
    e.ids_len = bounded(s, mut_load(s, e.entry + 8, 8));
    e.ids_len = e.ids_len < s->len - e.ids ? e.ids_len : s->len - e.ids;
    return e;
}

static struct event event_of_record(const struct subject *s, size_t i)
{
    size_t size = mut_size_of(s, i), left = size - PC_RECORD_HEADER_SIZE;
    struct pc_cursor c = { .in = mut_part(s, s->record[i], size), .pos = PC_RECORD_HEADER_SIZE };
    struct pc_walk walk;
    c.order = s->order;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_record_info(PC_HEADER_ATTR)->fields);
    struct event e = { .record = s->record[i], .at = s->record[i] + PC_RECORD_HEADER_SIZE };
    e.len = walk.slot[PC_SLOT_A] < left ? (size_t)walk.slot[PC_SLOT_A] : left;
    e.ids = e.at + e.len;
    e.ids_len = left - e.len;
    return e;
}

size_t mut_find_events(const struct subject *s, struct event events[EVENTS])
{
    size_t nr = 0;
    for (; nr < s->nr_attrs && nr < EVENTS; nr++)
        events[nr] = event_of_entry(s, nr);
    for (size_t i = 0; s->pipe && i < s->nr_records && nr < EVENTS; i++) {
        if (mut_load(s, s->record[i], 4) == PC_HEADER_ATTR)
            events[nr++] = event_of_record(s, i);
    }
    return nr;
}

bool mut_choose_event(struct subject *s, struct event *e)
{
    struct event events[EVENTS];
    size_t nr = mut_find_events(s, events);
    if (nr != 0)
        *e = events[mut_pick(s, nr)];
    return nr != 0;
}

/* --- records of an attr --- */

bool mut_find_layouts(struct events *all, struct subject *s)
{
    uint64_t slot[PC_SLOTS];
    all->s = s;
    all->nr = mut_find_events(s, all->event);
    for (size_t i = 0; i < all->nr; i++) {
        const struct event *e = &all->event[i];
        if (!pc_attr_walk(mut_part(s, e->at, e->len), s->order, slot))
            return false;
        all->layout[i] = pc_attr_layout(slot);
        all->id[i] = e->ids_len >= 8 ? mut_load(s, e->ids, 8) : 0;
    }
    return all->nr != 0;
}

/* The attr that an id belongs to, or the first attr. */
static size_t event_of_id(const struct events *all, uint64_t id)
{
    for (size_t i = 0; i < all->nr && id != 0; i++) {
        for (size_t k = 0; k + 8 <= all->event[i].ids_len; k += 8) {
            if (mut_load(all->s, all->event[i].ids + k, 8) == id)
                return i;
        }
    }
    return 0;
}

size_t mut_trailer_of(const struct events *all, size_t event, size_t record)
{
    uint32_t type = (uint32_t)mut_load(all->s, all->s->record[record], 4);
    if (!pc_is_kernel_type(type) || type == PC_SAMPLE)
        return 0;
    size_t size = pc_sample_id_size(pc_record_layout(&all->layout[event], type, 0, false).mask);
    return size <= mut_size_of(all->s, record) - PC_RECORD_HEADER_SIZE ? size : 0;
}

/* Ids have the same place in all samples and in all trailers. */
size_t mut_event_of(const struct events *all, size_t record)
{
    const struct subject *s = all->s;
    size_t trailer = mut_trailer_of(all, 0, record), size = mut_size_of(s, record);
    bool is_sample = mut_load(s, s->record[record], 4) == PC_SAMPLE;
    if (all->nr == 1 || (!is_sample && trailer == 0))
        return 0;
    struct pc_cursor c = { .in = mut_part(s, s->record[record], size), .order = s->order };
    struct pc_walk walk;
    c.pos = is_sample ? PC_RECORD_HEADER_SIZE : size - trailer;
    pc_walk_init(&walk, &all->layout[0], &c, NULL, NULL);
    pc_walk_table(&walk, is_sample ? pc_record_info(PC_SAMPLE)->fields : pc_sample_id);
    return event_of_id(all, walk.slot[walk.slot_width[PC_SLOT_IDENTIFIER] ? PC_SLOT_IDENTIFIER : PC_SLOT_ID]);
}

/* Whether a record has one of these ids. */
struct ids {
    struct pc_span ids;
    enum pc_order order;
    bool found;
};

static bool find_id(void *ctx, const struct pc_leaf *leaf)
{
    struct ids *i = ctx;
    bool is_id = leaf->field->save == PC_SLOT_ID || leaf->field->save == PC_SLOT_IDENTIFIER;
    for (size_t k = 0; is_id && k + 8 <= i->ids.len; k += 8)
        i->found |= pc_load(i->ids.ptr + k, 8, i->order) == leaf->value;
    return !i->found && leaf->fault == PC_SOUND;
}

bool mut_is_of_event(const struct events *all, size_t event, size_t record)
{
    const struct subject *s = all->s;
    const struct event *e = &all->event[event];
    uint32_t type = (uint32_t)mut_load(s, s->record[record], 4);
    const struct pc_record_info *info = pc_record_info(type);
    if (pc_is_kernel_type(type))
        return mut_event_of(all, record) == event;
    struct ids ids = { .ids = mut_part(s, e->ids, e->ids_len), .order = s->order };
    struct pc_cursor c = { .in = mut_part(s, s->record[record], mut_size_of(s, record)), .order = s->order };
    struct pc_walk walk;
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, NULL, &c, find_id, &ids);
    if (info)
        pc_walk_table(&walk, info->fields);
    return ids.found;
}
