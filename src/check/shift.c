/* SPDX-License-Identifier: MIT */
#include "check/shift.h"

#include "bytes/cursor.h"
#include "format/tables.h"
#include "read/capture.h"

#include <string.h>

#define CHUNK 8192

/* No more bytes are taken for lost, and the table is looked for in the last so many of a file. */
#define LOST_MAX   ((uint64_t)1 << 20)
#define SEARCH_MAX ((uint64_t)64 << 20)
/* So many bytes of records show the layout that their attr gives them. */
#define RECORDS_MAX 4096
/* Places that begin like a table. */
#define TABLES_MAX 4096
/* So many times as many bytes as the file has are looked at there. */
#define TIMES 4

struct search {
    struct pc_input *in;
    enum pc_order order;
    unsigned char head[PC_FILE_HEADER_SIZE];
    uint64_t slot[PC_SLOTS]; /* of the header */
    uint64_t nr;             /* entries of the table */
    unsigned tried;          /* places of the table */
    uint64_t looked;         /* bytes of them */
    struct pc_shift shift;
};

static uint64_t load(const struct search *s, const unsigned char *p)
{
    return pc_load(p, 8, s->order);
}

static bool read_words(const struct search *s, const unsigned char *head, uint64_t slot[PC_SLOTS])
{
    struct pc_walk walk;
    if (!pc_read_table(&walk, pc_file_header,
                       pc_cursor((struct pc_span){ head, PC_FILE_HEADER_SIZE }, s->order)))
        return false;
    memcpy(slot, walk.slot, sizeof(walk.slot));
    return true;
}

/* Whether an attr is here that has room in so many bytes: simpleperf copies smaller ones. */
static bool is_attr(struct search *s, uint64_t at, uint64_t room)
{
    unsigned char raw[4];
    if (!pc_attr_size_known(room) ||
        pc_input_read_at(s->in, at + PC_ATTR_SIZE_AT, raw, sizeof(raw)) != sizeof(raw))
        return false;
    const uint64_t size = pc_load(raw, sizeof(raw), s->order);
    return size <= room && pc_attr_size_known(size);
}

/* Whether a section of ids is here, behind an attr. Few bytes of records look like one. */
static bool is_section(struct search *s, uint64_t at)
{
    unsigned char raw[PC_SECTION_SIZE];
    if (pc_input_read_at(s->in, at, raw, sizeof(raw)) != sizeof(raw))
        return false;
    uint64_t offset = load(s, raw), size = load(s, raw + 8);
    uint64_t data = s->slot[PC_HEAD_DATA_OFFSET], data_end = data + s->slot[PC_HEAD_DATA_SIZE], end;
    return size % 8 == 0 && pc_add(offset, size, &end) && end <= s->in->size &&
           (offset >= PC_FILE_HEADER_SIZE || size == 0) && (end <= data || offset >= data_end);
}

/* The attrs from the first one on that are where the header says, with their sections of ids. */
static uint64_t count_attrs(struct search *s)
{
    uint64_t entry = s->slot[PC_HEAD_ATTR_SIZE], at = s->slot[PC_HEAD_ATTRS_OFFSET], nr = 0;
    if (entry <= PC_SECTION_SIZE || at < PC_FILE_HEADER_SIZE || at > s->in->size)
        return 0;
    while (nr < s->slot[PC_HEAD_ATTRS_SIZE] / entry && nr < PC_ATTRS_MAX &&
           is_attr(s, at + nr * entry, entry - PC_SECTION_SIZE) &&
           is_section(s, at + (nr + 1) * entry - PC_SECTION_SIZE))
        nr++;
    return nr;
}

/* Whether there is a table here, the last of whose sections ended behind the end of the file, and whose first
 * one began where it did, as far behind the table. */
static bool is_table(struct search *s, uint64_t at)
{
    unsigned char raw[PC_TABLE_MAX];
    size_t got = pc_input_read_at(s->in, at, raw, sizeof(raw));
    uint64_t first, end, size = s->in->size;
    s->looked += got;
    s->nr = pc_count_sections(raw, got / PC_SECTION_SIZE, s->order, size + 1, size + LOST_MAX, &first, &end);
    if (s->nr < PC_TABLE_FEW)
        return false;
    s->shift.size = end - size;
    s->shift.table = at;
    return first - s->shift.size - at - s->nr * PC_SECTION_SIZE <= PC_TABLE_GAP_MAX;
}

static bool find_table(struct search *s)
{
    unsigned char chunk[CHUNK];
    const size_t need = (size_t)PC_TABLE_FEW * PC_SECTION_SIZE;
    uint64_t at = s->in->size > SEARCH_MAX ? s->in->size - SEARCH_MAX : PC_FILE_HEADER_SIZE;
    for (size_t got = CHUNK; got == CHUNK; at += CHUNK - need + 1) {
        got = pc_input_read_at(s->in, at, chunk, CHUNK);
        for (size_t i = 0; i + need <= got; i++) {
            if (pc_begins_sections(chunk + i, PC_TABLE_FEW, s->order, at + i + need,
                                   s->in->size + LOST_MAX) &&
                s->tried++ < TABLES_MAX && s->looked <= TIMES * s->in->size && is_table(s, at + i))
                return true;
        }
    }
    return false;
}

/* Whether all bits in a header are those of features, with one that every perf sets, or simpleperf. */
static bool are_features(const struct search *s, const unsigned char *bits)
{
    bool has_own = false;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!(load(s, bits + bit / 64 * 8) >> bit % 64 & 1))
            continue;
        if (!pc_feature_info(bit))
            return false;
        has_own |= bit == PC_HOSTNAME || bit >= PC_ANDROID_FEATURES;
    }
    return has_own;
}

/* How many things fit each other in a header, and fit the table. 0: nothing in it leads to the table. */
static unsigned count_fits(struct search *s, const unsigned char *head)
{
    uint64_t slot[PC_SLOTS], bits = 0;
    const size_t features = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    if (!read_words(s, head, slot))
        return 0;
    for (size_t i = features; i < features + PC_FEATURE_BITS / 8; i++)
        bits += (uint64_t)__builtin_popcount(head[i]);
    uint64_t entry = slot[PC_HEAD_ATTR_SIZE], attrs = slot[PC_HEAD_ATTRS_OFFSET],
             size = slot[PC_HEAD_ATTRS_SIZE], data = slot[PC_HEAD_DATA_OFFSET];
    bool is_entry = entry > PC_SECTION_SIZE && pc_attr_size_known(entry - PC_SECTION_SIZE);
    bool leads = data + slot[PC_HEAD_DATA_SIZE] == s->shift.table + s->shift.size;
    if (!leads && bits != s->nr)
        return 0;
    bool is_there = is_entry && is_attr(s, attrs - s->shift.size, entry - PC_SECTION_SIZE);
    return (unsigned)(leads + is_there + are_features(s, head + features) + (bits == s->nr) + is_entry +
                      (is_entry && size != 0 && size % entry == 0 && size / entry <= PC_ATTRS_MAX) +
                      (attrs >= PC_FILE_HEADER_SIZE && attrs + size == data) +
                      (slot[PC_HEAD_TYPES_OFFSET] == 0 && slot[PC_HEAD_TYPES_SIZE] == 0));
}

/* The header with as many zeros in a place of it as bytes were lost. */
static void fill_head(const struct search *s, size_t at, unsigned char head[PC_FILE_HEADER_SIZE])
{
    const size_t lost = (size_t)s->shift.size;
    memcpy(head, s->head, at);
    memset(head + at, 0, lost);
    memcpy(head + at + lost, s->head + at, PC_FILE_HEADER_SIZE - at - lost);
}

/* Whether the bytes were lost inside the header: with zeros in a place of it, more fits than as it is. Of
 * such places whole words come first. */
static bool is_in_header(struct search *s)
{
    const size_t first = pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE);
    unsigned char head[PC_FILE_HEADER_SIZE];
    unsigned best = count_fits(s, s->head), fits;
    s->shift.at = 0;
    for (size_t step = 8; step != 0; step /= 8) {
        for (size_t at = first; at < sizeof(head) && s->shift.size <= sizeof(head) - at; at += step) {
            fill_head(s, at, head);
            fits = count_fits(s, head);
            s->shift.at = fits > best ? at : s->shift.at;
            best = fits > best ? fits : best;
        }
    }
    return s->shift.at != 0;
}

/* --- the attrs --- */

static bool is_sound(void *ctx, const struct pc_leaf *leaf)
{
    (void)ctx;
    return leaf->fault == PC_SOUND && pc_leaf_ok(leaf);
}

/* Also of a name: it takes no more than the bytes that fill it up. */
static bool has_size(void *ctx, const struct pc_leaf *leaf)
{
    (void)ctx;
    return leaf->fault == PC_SOUND && (leaf->field->kind != PC_CSTR || (leaf->field->flags & PC_UNPADDED) ||
                                       leaf->raw.len == pc_align8(leaf->value + 1));
}

/* Whether a record has the layout, to its last byte. */
static bool has_layout(const struct search *s, struct pc_span record, struct pc_record_head head,
                       const struct pc_layout *attr)
{
    const struct pc_layout layout = pc_record_layout(attr, head.type, head.misc, false);
    struct pc_cursor c = pc_record_body(record, s->order);
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, &layout, &c, has_size, NULL);
    return pc_walk_record(&walk, pc_record_info(head.type), &excess) && excess == 0;
}

/* So many of the first records, which are these bytes, have the layout that an attr gives them. */
static unsigned count_records(const struct search *s, struct pc_span records, const struct pc_layout *attr)
{
    unsigned fits = 0;
    for (size_t at = 0, size; at + PC_RECORD_HEADER_SIZE <= records.len; at += size) {
        const struct pc_record_head head = pc_load_head(records.ptr + at, s->order);
        size = head.size;
        if (size < PC_RECORD_HEADER_SIZE || size > records.len - at || !pc_record_info(head.type) ||
            pc_record_is(head.type, PC_HAS_PAYLOAD))
            break;
        fits += pc_is_kernel_type(head.type) && has_layout(s, pc_part(records, at, size), head, attr);
    }
    return fits;
}

/* Where in an attr bytes were lost, behind its size: with zeros there it is sound, and most records have its
 * layout. Of such places the one with the smallest numbers, whose upper bytes are zeros. */
static uint64_t place_in_attr(struct search *s, uint64_t attr)
{
    unsigned char raw[PC_ATTR_SIZE_KNOWN] = { 0 }, filled[2 * PC_ATTR_SIZE_KNOWN], records[RECORDS_MAX];
    const size_t size = (size_t)(s->slot[PC_HEAD_ATTR_SIZE] - PC_SECTION_SIZE), lost = (size_t)s->shift.size,
                 first = PC_ATTR_SIZE_AT + sizeof(uint32_t);
    uint64_t place = attr + first, least = UINT64_MAX;
    unsigned best = 0;
    if (size > sizeof(raw) || lost > sizeof(raw))
        return place;
    pc_input_read_at(s->in, attr, raw, size);
    const uint64_t data = s->slot[PC_HEAD_DATA_OFFSET] - s->shift.size,
                   have = s->shift.table > data ? s->shift.table - data : 0;
    const size_t got =
        pc_input_read_at(s->in, data, records, have < sizeof(records) ? (size_t)have : sizeof(records));
    for (size_t at = first; at < size; at++) {
        uint64_t slot[PC_SLOTS];
        struct pc_walk walk;
        memcpy(filled, raw, at);
        memset(filled + at, 0, lost);
        memcpy(filled + at + lost, raw + at, size - at);
        struct pc_cursor c = pc_cursor((struct pc_span){ filled, size }, s->order);
        pc_walk_init(&walk, NULL, &c, is_sound, NULL);
        if (!pc_walk_table(&walk, pc_attr_fields) ||
            !pc_attr_walk((struct pc_span){ filled, size }, s->order, slot))
            continue;
        const struct pc_layout layout = pc_attr_layout(slot);
        uint64_t sum = 0;
        for (unsigned i = PC_ATTR_CONFIG; i <= PC_ATTR_FLAGS; i++)
            sum = pc_add_saturated(sum, slot[i]);
        unsigned fits = count_records(s, (struct pc_span){ records, got }, &layout);
        if (fits > best || (fits != 0 && fits == best && sum < least)) {
            place = attr + at;
            best = fits;
            least = sum;
        }
    }
    return place;
}

/* Whether they were lost before the records: the header is right, and attrs are not where it says. Behind its
 * size the last one of which that is right may be damaged. */
static bool is_in_attrs(struct search *s, uint64_t sound)
{
    uint64_t entry = s->slot[PC_HEAD_ATTR_SIZE], attrs = s->slot[PC_HEAD_ATTRS_OFFSET],
             data = s->slot[PC_HEAD_DATA_OFFSET];
    if (data + s->slot[PC_HEAD_DATA_SIZE] != s->shift.table + s->shift.size || attrs > data)
        return false;
    uint64_t sized = sound + is_attr(s, attrs + sound * entry, entry - PC_SECTION_SIZE);
    s->shift.at = sized == 0 ? PC_FILE_HEADER_SIZE : place_in_attr(s, attrs + (sized - 1) * entry);
    return s->shift.at < data;
}

bool pc_find_shift(struct pc_input *in, struct pc_shift *shift)
{
    struct search s = { .in = in };
    if (in->kind != PC_INPUT_FILE || pc_input_read_at(in, 0, s.head, sizeof(s.head)) != sizeof(s.head) ||
        !pc_is_magic(s.head) || memcmp(s.head, PC_MAGIC_1, 8) == 0)
        return false;
    s.order = memcmp(s.head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    if (!read_words(&s, s.head, s.slot) || s.slot[PC_HEAD_SIZE] != PC_FILE_HEADER_SIZE)
        return false;
    uint64_t sound = count_attrs(&s), entry = s.slot[PC_HEAD_ATTR_SIZE];
    if (sound != 0 && sound == s.slot[PC_HEAD_ATTRS_SIZE] / entry)
        return false;
    bool found = find_table(&s) && (is_in_header(&s) || is_in_attrs(&s, sound));
    *shift = s.shift;
    return found && in->error == 0;
}
