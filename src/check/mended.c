/* SPDX-License-Identifier: MIT */
#include "check/mended.h"
#include "check/mended_parts.h"

#include <string.h>

static bool touches_row(const struct mended *m, unsigned slot)
{
    uint64_t at = pc_row_at(pc_file_header, slot);
    return pc_mended_touches(m, at, at + 8);
}

static bool is_zero(struct mended *m, uint64_t from, uint64_t to)
{
    unsigned char chunk[4096];
    for (size_t n; from < to; from += n) {
        n = to - from < sizeof(chunk) ? (size_t)(to - from) : sizeof(chunk);
        if (!pc_mended_get(m, from, chunk, n) || pc_first_nonzero((struct pc_span){ chunk, n }) != n)
            return false;
    }
    return true;
}

/* --- attrs and data --- */

/* Whether an entry begins with an attr that fills it. shorter: or with one that is less, as simpleperf leaves
 * it. */
static bool is_attr(struct mended *m, uint64_t at, bool shorter)
{
    const uint64_t room = m->slot[PC_HEAD_ATTR_SIZE] - PC_SECTION_SIZE,
                   size = pc_mended_word(m, at + PC_ATTR_SIZE_AT, 4);
    return pc_attr_size_known(room) && (size == room || (shorter && size < room && pc_attr_size_known(size)));
}

/* Each entry begins with an attr, and no other entry follows. */
static bool are_entries(struct mended *m, bool shorter)
{
    uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], at = m->slot[PC_HEAD_ATTRS_OFFSET],
             size = m->slot[PC_HEAD_ATTRS_SIZE], end, data = m->slot[PC_HEAD_DATA_OFFSET];
    if (entry <= PC_SECTION_SIZE || size == 0 || size % entry != 0 || !pc_add(at, size, &end) ||
        end > m->in.size || at < PC_FILE_HEADER_SIZE)
        return false;
    uint64_t room = at < data && data < m->in.size ? data : m->in.size;
    for (; at < end; at += entry) {
        if (!is_attr(m, at, shorter))
            return false;
    }
    return room - end < entry || end > room || !is_attr(m, end, shorter);
}

static bool are_attrs(struct mended *m)
{
    return are_entries(m, false);
}

/* Of the words about attrs only their place is mended: they end where the data begin. */
static bool end_at_data(struct mended *m)
{
    return !touches_row(m, PC_HEAD_ATTR_SIZE) && !touches_row(m, PC_HEAD_ATTRS_SIZE) &&
           m->slot[PC_HEAD_DATA_OFFSET] - m->slot[PC_HEAD_ATTRS_SIZE] == m->slot[PC_HEAD_ATTRS_OFFSET] &&
           are_entries(m, true);
}

static bool attrs_hold(struct mended *m)
{
    return (!touches_row(m, PC_HEAD_ATTR_SIZE) && !touches_row(m, PC_HEAD_ATTRS_OFFSET) &&
            !touches_row(m, PC_HEAD_ATTRS_SIZE)) ||
           are_attrs(m) || end_at_data(m);
}

/* Magic and size of the header show each other. Where both were lost, other words show attrs. */
static bool start_holds(struct mended *m)
{
    const uint64_t size_at = pc_row_at(pc_file_header, PC_HEAD_SIZE);
    return !pc_mended_touches(m, 0, size_at) || !touches_row(m, PC_HEAD_SIZE) || are_attrs(m);
}

/* Where the ids begin, which perf inject wrote in front of attrs behind the data. */
static uint64_t ids_begin(const struct mended *m)
{
    return m->table + m->nr * PC_SECTION_SIZE;
}

/* Whether the last section ends with the file, or where the ids of the first attr begin behind it. */
static bool ends_last(struct mended *m, uint64_t end)
{
    const uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], attrs = m->slot[PC_HEAD_ATTRS_OFFSET];
    return pc_may_end_sections(m->bits, end, m->in.size) ||
           (attrs > m->table && attrs < m->in.size && entry > PC_SECTION_SIZE && end <= attrs &&
            end == pc_mended_word(m, attrs + entry - PC_SECTION_SIZE, 8));
}

/* Whether they are behind the table, each behind those of the attr before, up to the attrs. */
static bool ids_follow(struct mended *m)
{
    const uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], attrs = m->slot[PC_HEAD_ATTRS_OFFSET],
                   end = pc_add_saturated(attrs, m->slot[PC_HEAD_ATTRS_SIZE]);
    uint64_t due = ids_begin(m);
    if (attrs < m->table || entry <= PC_SECTION_SIZE || end > m->in.size || entry > end - attrs)
        return false;
    for (uint64_t at = attrs + entry - PC_SECTION_SIZE; at < end; at += entry) {
        if (pc_mended_word(m, at, 8) != due)
            return false;
        due = pc_add_saturated(due, pc_mended_word(m, at + 8, 8));
    }
    return due == attrs;
}

/* The ids of an attr that were found anew are between those of the attrs around it. */
static bool ids_hold(struct mended *m)
{
    uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], attrs = m->slot[PC_HEAD_ATTRS_OFFSET],
             due = PC_FILE_HEADER_SIZE, end = pc_mended_attrs_end(m);
    if (entry <= PC_SECTION_SIZE || pc_bit(m->bits, PC_EVENT_DESC) || !pc_mended_touches(m, attrs, end) ||
        m->by_record || ids_follow(m))
        return true;
    for (uint64_t at = attrs + entry - PC_SECTION_SIZE; at < end && at < m->in.size; at += entry) {
        uint64_t after = at + entry < end ? pc_mended_word(m, at + entry, 8) : attrs;
        uint64_t offset = pc_mended_word(m, at, 8), size = pc_mended_word(m, at + 8, 8);
        if (pc_mended_touches(m, at, at + PC_SECTION_SIZE) &&
            (offset != due || pc_add_saturated(due, size) != after))
            return false;
        due = pc_add_saturated(offset, size);
    }
    return true;
}

/* Where the samples of an attr have their ids was found anew: as those of all others, and nothing else of
 * them. */
static bool places_hold(struct mended *m)
{
    uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], type_at = pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE),
             attrs = m->slot[PC_HEAD_ATTRS_OFFSET], end = pc_mended_attrs_end(m), with = 0, nr = 0;
    bool any = false, holds = true;
    if (entry <= PC_SECTION_SIZE || attrs < PC_FILE_HEADER_SIZE || pc_bit(m->bits, PC_EVENT_DESC) ||
        m->by_record || !pc_mended_touches(m, attrs, end))
        return true;
    struct mended raw = *m;
    raw.in.nr_patches = 0;
    for (uint64_t at = attrs + type_at; at < end && at < m->in.size; at += entry, nr++) {
        const uint64_t type = pc_mended_word(m, at, 8);
        with += (type & PC_S_IDENTIFIER) != 0;
        if (!pc_mended_touches(m, at, at + 8))
            continue;
        any = true;
        holds &= (pc_mended_word(&raw, at, 8) ^ type) == PC_S_IDENTIFIER;
    }
    m->in.error = m->in.error ? m->in.error : raw.in.error;
    return !any || (holds && nr > 1 && (with == 0 || with == nr));
}

/* The size of an attr that was found anew is all that its entry has room for. */
static bool sizes_hold(struct mended *m)
{
    uint64_t entry = m->slot[PC_HEAD_ATTR_SIZE], attrs = m->slot[PC_HEAD_ATTRS_OFFSET],
             end = pc_mended_attrs_end(m), type_at = pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE);
    if (entry <= PC_SECTION_SIZE || attrs < PC_FILE_HEADER_SIZE || pc_bit(m->bits, PC_EVENT_DESC) ||
        m->by_record || !pc_mended_touches(m, attrs, end))
        return true;
    for (uint64_t at = attrs; at < end && at < m->in.size; at += entry) {
        if (pc_mended_touches(m, at, at + type_at) &&
            (pc_mended_touches(m, at, at + PC_ATTR_SIZE_AT) || !is_attr(m, at, false) ||
             pc_mended_touches(m, at + PC_ATTR_SIZE_AT + 4, at + type_at)))
            return false;
        if (pc_mended_touches(m, at + type_at + 8, at + entry - PC_SECTION_SIZE))
            return false;
    }
    return true;
}

/* The data begin behind the attrs and what fills the room there, or before all else. */
static bool begin_holds(struct mended *m)
{
    uint64_t data = m->slot[PC_HEAD_DATA_OFFSET],
             attrs = m->slot[PC_HEAD_ATTRS_OFFSET] + m->slot[PC_HEAD_ATTRS_SIZE];
    return !touches_row(m, PC_HEAD_DATA_OFFSET) || data == PC_FILE_HEADER_SIZE ||
           (data >= attrs && data <= m->in.size && is_zero(m, attrs, data));
}

/* --- the feature table --- */

static uint64_t offset_of(struct mended *m, uint64_t i)
{
    return pc_mended_word(m, m->table + i * PC_SECTION_SIZE, 8);
}

static uint64_t end_of(struct mended *m, uint64_t i)
{
    return pc_add_saturated(offset_of(m, i), pc_mended_word(m, m->table + i * PC_SECTION_SIZE + 8, 8));
}

/* Whether a section begins where the one before ends, and ends where the next one begins, or the file. */
static bool fits(struct mended *m, uint64_t i)
{
    uint64_t sections = m->table + m->nr * PC_SECTION_SIZE, at = offset_of(m, i);
    bool begins = i != 0 ? at == end_of(m, i - 1) : at >= sections && at - sections <= PC_TABLE_GAP_MAX;
    bool ends = i + 1 < m->nr ? end_of(m, i) == offset_of(m, i + 1) : end_of(m, i) <= m->in.size;
    return begins && ends;
}

/* Whether all sections follow each other up to the end of the file. */
static bool follow(struct mended *m)
{
    unsigned char table[PC_TABLE_MAX];
    const size_t size = (size_t)m->nr * PC_SECTION_SIZE;
    uint64_t first, end;
    return pc_mended_get(m, m->table, table, size) &&
           pc_sections_follow(table, m->nr, m->order, &first, &end) &&
           first - m->table - size <= PC_TABLE_GAP_MAX && ends_last(m, end);
}

/* The data end where the table begins whose sections follow each other, or with the file. */
static bool end_holds(struct mended *m)
{
    if (!touches_row(m, PC_HEAD_DATA_SIZE))
        return true;
    if (ids_follow(m))
        return true;
    if (m->nr == 0)
        return m->table == m->in.size;
    for (uint64_t i = 0; i < m->nr; i++) {
        if (!fits(m, i))
            return follow(m);
    }
    return true;
}

/* Bytes were lost, for which zeros stand, or were inserted, and are left out, when then a table is where the
 * header says, whose sections follow each other up to the end of the file. Which features they are of may be
 * among the bytes that were lost, if these were before the table. */
static bool shift_holds(struct mended *m)
{
    unsigned char table[PC_TABLE_MAX];
    if (!pc_input_is_shifted(&m->in) || (m->by_record && pc_mended_ends_with_attrs(m)))
        return true;
    const size_t have = pc_input_read_at(&m->in, m->table, table, sizeof(table));
    const uint64_t nr =
        pc_count_table(m->bits, table, have / PC_SECTION_SIZE, m->order, m->table, m->in.size);
    return nr != 0 && (m->in.shift_at < m->table || nr == m->nr);
}

/* Whether the only entry leads to the ids that follow it, which perf inject -b wrote over the build ids: its
 * size is what these had. */
static bool leads_to_ids(struct mended *m)
{
    return m->nr == 1 && pc_bit(m->bits, PC_BUILD_ID) && offset_of(m, 0) == ids_begin(m) &&
           !pc_mended_touches(m, m->table + 8, m->table + PC_SECTION_SIZE) && ids_follow(m);
}

/* An entry that was mended fits those before and behind it; the last one ends with the file. */
static bool entries_hold(struct mended *m)
{
    for (uint64_t i = 0; i < m->nr && m->table < m->in.size; i++) {
        uint64_t at = m->table + i * PC_SECTION_SIZE;
        if (pc_mended_touches(m, at, at + PC_SECTION_SIZE) &&
            (!fits(m, i) || (i + 1 == m->nr && !ends_last(m, end_of(m, i)))))
            return follow(m) || leads_to_ids(m);
    }
    return true;
}

/* Whether a section has all that its feature may have, and no more, as far as the feature itself tells. */
static bool is_of_feature(struct mended *m, uint64_t i, uint64_t bit)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    const uint64_t size = end_of(m, i) - offset_of(m, i);
    unsigned char magic[PC_TRACING_MAGIC_SIZE];
    if (bit == PC_TRACING_DATA) /* of which the rest is judged later */
        return pc_mended_get(m, offset_of(m, i), magic, sizeof(magic)) &&
               memcmp(magic, PC_TRACING_MAGIC, sizeof(magic)) == 0;
    if (!info || !info->fields || size == 0 || size > PC_MENDED_EVENTS_MAX ||
        (info->flags & (PC_ANY_LENGTH | PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE)))
        return true;
    unsigned char *bytes = pc_alloc_buffer(m->mem, size);
    m->no_memory |= !bytes;
    bool holds = false;
    if (bytes && pc_mended_get(m, offset_of(m, i), bytes, (size_t)size)) {
        const struct pc_span content = { bytes, (size_t)size };
        struct pc_walk walk;
        struct pc_cursor c = pc_cursor(content, m->order);
        pc_walk_init(&walk, NULL, &c, NULL, NULL);
        holds = pc_walk_table(&walk, pc_feature_fields(bit, content)) && pc_left(&c) == 0;
    }
    pc_free(m->mem, bytes, size);
    return holds;
}

/* Features that are named anew are what their sections show. */
static bool bits_hold(struct mended *m)
{
    uint64_t at = pc_row_at(pc_file_header, PC_HEAD_FEATURES), i = 0;
    if (!pc_mended_touches(m, at, at + PC_FEATURE_BITS / 8))
        return true;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(m->bits, bit) && !is_of_feature(m, i++, bit))
            return false;
    }
    return true;
}

static const struct {
    const char *name;
    bool (*holds)(struct mended *m);
} rows[] = {
    { "the magic and the size of the header", start_holds },
    { "the attr section in the header", attrs_hold },
    { "the beginning of the data", begin_holds },
    { "the end of the data", end_holds },
    { "the bytes that were lost or inserted", shift_holds },
    { "the names of features", bits_hold },
    { "an entry of the feature table", entries_hold },
    { "an attr, or its ids", pc_mended_events_hold },
    { "the place of ids", ids_hold },
    { "the size of an attr", sizes_hold },
    { "the place of ids in samples", places_hold },
};

static const char *find_wrong(struct mended *m, const unsigned char *head)
{
    struct pc_walk walk;
    if (!pc_is_magic(head))
        return "the magic";
    m->order = memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    struct pc_cursor c = pc_cursor((struct pc_span){ head, PC_FILE_HEADER_SIZE }, m->order);
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (pc_load(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8, m->order) == PC_PIPE_HEADER_SIZE)
        return pc_mended_records_hold(m) ? NULL : "the records of the attrs";
    if (!pc_walk_table(&walk, pc_file_header) || walk.slot[PC_HEAD_SIZE] != PC_FILE_HEADER_SIZE)
        return NULL; /* a file of an old perf, of which only records are mended */
    memcpy(m->slot, walk.slot, sizeof(m->slot));
    for (size_t i = 0; i < PC_COUNT_OF(m->bits); i++)
        m->bits[i] = pc_load(head + pc_row_at(pc_file_header, PC_HEAD_FEATURES) + 8 * i, 8, m->order);
    m->nr = pc_count_features(m->bits);
    m->table = pc_add_saturated(m->slot[PC_HEAD_DATA_OFFSET], m->slot[PC_HEAD_DATA_SIZE]);
    pc_mended_note_record(m);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (!rows[i].holds(m))
            return rows[i].name;
    }
    return NULL;
}

const char *pc_mended_wrong(struct pc_mem *mem, struct pc_input *file, bool *no_memory)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    struct mended m = { .mem = mem, .in = *file };
    bool read =
        (m.in.nr_patches != 0 || pc_input_is_shifted(&m.in)) && pc_mended_get(&m, 0, head, sizeof(head));
    const char *wrong = read ? find_wrong(&m, head) : NULL;
    *no_memory |= m.no_memory;
    file->error = m.in.error;
    return m.in.error || m.no_memory ? NULL : wrong;
}
