/* SPDX-License-Identifier: MIT */
#include "check/shift.h"

#include "bytes/cursor.h"
#include "format/tables.h"
#include "read/capture.h"
#include "read/plausible.h"

#include <string.h>

#define CHUNK 8192

/* No more bytes are taken for lost or inserted, and the table is looked for in the last so many of a file. */
#define MOVED_MAX  ((uint64_t)1 << 20)
#define SEARCH_MAX ((uint64_t)64 << 20)
/* So many bytes of records show the layout that their attr gives them. */
#define RECORDS_MAX 4096
/* Places that begin like a table. */
#define TABLES_MAX 4096
/* So many bytes are looked at there, and so many times as many as the file has. */
#define LOOKED_MIN ((uint64_t)1 << 20)
#define TIMES      4
/* What a word costs that is no id: they are counted from 1 on. */
#define NO_ID ((int64_t)1 << 40)
/* Zeros for ids that were lost are tried at places close to each other, if they are no more than so many. */
#define AROUND_MAX 64
/* The part of an attr that shows the damage behind it. */
#define BEHIND_SIZE (PC_ATTR_SIZE_AT + sizeof(uint32_t))

struct search {
    struct pc_input file; /* as if the bytes were lost or inserted at some place */
    enum pc_order order;
    uint64_t slot[PC_SLOTS]; /* of the header, as it is */
    uint64_t features[PC_FEATURE_BITS / 64];
    uint64_t nr;     /* entries of the table ... */
    uint64_t least;  /* ... and without the empty ones at its end */
    uint64_t due;    /* where the table was */
    unsigned tried;  /* places of the table */
    uint64_t looked; /* bytes of them */
    struct pc_shift shift;
};

/* From now on the file is read as if the bytes were lost or inserted there. */
static void place(struct search *s, uint64_t at)
{
    pc_input_shift(&s->file, at, s->shift.lost, s->shift.added);
}

static uint64_t load(const struct search *s, const unsigned char *p)
{
    return pc_load(p, 8, s->order);
}

static bool read_head(struct search *s, unsigned char head[PC_FILE_HEADER_SIZE], uint64_t slot[PC_SLOTS])
{
    struct pc_walk walk;
    if (pc_input_read_at(&s->file, 0, head, PC_FILE_HEADER_SIZE) != PC_FILE_HEADER_SIZE ||
        !pc_read_table(&walk, pc_file_header,
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
        pc_input_read_at(&s->file, at + PC_ATTR_SIZE_AT, raw, sizeof(raw)) != sizeof(raw))
        return false;
    const uint64_t size = pc_load(raw, sizeof(raw), s->order);
    return size <= room && pc_attr_size_known(size);
}

/* Whether a section of ids is here, behind an attr. Few bytes of records look like one. */
static bool is_section(struct search *s, uint64_t at)
{
    unsigned char raw[PC_SECTION_SIZE];
    if (pc_input_read_at(&s->file, at, raw, sizeof(raw)) != sizeof(raw))
        return false;
    uint64_t offset = load(s, raw), size = load(s, raw + 8);
    uint64_t data = s->slot[PC_HEAD_DATA_OFFSET], data_end = data + s->slot[PC_HEAD_DATA_SIZE], end;
    return size % 8 == 0 && pc_add(offset, size, &end) && end <= s->file.size &&
           (offset >= PC_FILE_HEADER_SIZE || size == 0) && (end <= data || offset >= data_end);
}

static bool is_sound(void *ctx, const struct pc_leaf *leaf)
{
    (void)ctx;
    return leaf->fault == PC_SOUND && pc_leaf_ok(leaf);
}

/* Whether an attr is sound, which is these bytes; its words. */
static bool read_attr(const struct search *s, struct pc_span attr, uint64_t slot[PC_SLOTS])
{
    struct pc_walk walk;
    struct pc_cursor c = pc_cursor(attr, s->order);
    pc_walk_init(&walk, NULL, &c, is_sound, NULL);
    return pc_walk_table(&walk, pc_attr_fields) && pc_attr_walk(attr, s->order, slot);
}

/* Whether a sound attr is here, and its section of ids. */
static bool is_entry(struct search *s, uint64_t at)
{
    unsigned char attr[PC_ATTR_SIZE_KNOWN];
    uint64_t slot[PC_SLOTS], room = s->slot[PC_HEAD_ATTR_SIZE] - PC_SECTION_SIZE;
    if (!is_attr(s, at, room) || !is_section(s, at + room))
        return false;
    const size_t size = room < sizeof(attr) ? (size_t)room : sizeof(attr);
    return pc_input_read_at(&s->file, at, attr, size) == size &&
           read_attr(s, (struct pc_span){ attr, size }, slot);
}

/* The attrs from the first one on that are where the header says, with their sections of ids. */
static uint64_t count_attrs(struct search *s)
{
    uint64_t entry = s->slot[PC_HEAD_ATTR_SIZE], at = s->slot[PC_HEAD_ATTRS_OFFSET], nr = 0;
    if (entry <= PC_SECTION_SIZE || at < PC_FILE_HEADER_SIZE || at > s->file.size)
        return 0;
    while (nr < s->slot[PC_HEAD_ATTRS_SIZE] / entry && nr < PC_ATTRS_MAX && is_entry(s, at + nr * entry))
        nr++;
    return nr;
}

/* Whether there is a table of simpleperf here, of which no end is known, that was where the header says. */
static bool is_android_table(struct search *s, const unsigned char *raw, uint64_t most, uint64_t at)
{
    const uint64_t size = s->file.size, due = s->slot[PC_HEAD_DATA_OFFSET] + s->slot[PC_HEAD_DATA_SIZE];
    const uint64_t moved = due > at ? due - at : at - due;
    if (!pc_has_android_features(s->features) || moved == 0 || moved > MOVED_MAX)
        return false;
    s->due = due;
    s->shift.lost = due > at ? moved : 0;
    s->shift.added = due > at ? 0 : moved;
    s->nr = s->least =
        pc_count_table(s->features, raw, most, s->order, due, size + s->shift.lost - s->shift.added);
    return s->nr != 0;
}

/* Whether there is a table here whose last section ended as many bytes behind the end of the file, or before
 * it, as the table, and the first section right behind it, are too early, or too late. */
static bool is_table(struct search *s, uint64_t at)
{
    unsigned char raw[PC_TABLE_MAX];
    size_t got = pc_input_read_at(&s->file, at, raw, sizeof(raw)), most = got / PC_SECTION_SIZE;
    uint64_t first, end, size = s->file.size, least = size > MOVED_MAX ? size - MOVED_MAX : 0;
    s->looked += got;
    if (is_android_table(s, raw, most, at))
        return true;
    first = end = size;
    s->nr = pc_count_sections(raw, most, s->order, least, size + MOVED_MAX, &first, &end);
    s->shift.lost = end > size ? end - size : 0;
    s->shift.added = end > size ? 0 : size - end;
    s->due = at + s->shift.lost - s->shift.added;
    s->least = pc_count_filled(raw, s->nr, 0, s->order);
    return s->nr >= PC_TABLE_FEW && end != size && first != end && at >= s->shift.added &&
           first - s->due - s->nr * PC_SECTION_SIZE <= PC_TABLE_GAP_MAX;
}

static bool find_table(struct search *s)
{
    unsigned char chunk[CHUNK];
    const size_t need = (size_t)PC_TABLE_FEW * PC_SECTION_SIZE;
    const uint64_t size = s->file.size, most = TIMES * size > LOOKED_MIN ? TIMES * size : LOOKED_MIN;
    const enum pc_order order = s->order;
    uint64_t at = size > SEARCH_MAX ? size - SEARCH_MAX : PC_FILE_HEADER_SIZE;
    for (size_t got = CHUNK; got == CHUNK; at += CHUNK - need + 1) {
        const uint64_t least = at > MOVED_MAX + PC_FILE_HEADER_SIZE ? at - MOVED_MAX : PC_FILE_HEADER_SIZE;
        got = pc_input_read_at(&s->file, at, chunk, CHUNK);
        for (size_t i = 0; i + need <= got; i++) {
            if (pc_begins_sections(chunk + i, PC_TABLE_FEW, order, least, size + MOVED_MAX) &&
                s->tried++ < TABLES_MAX && s->looked <= most && is_table(s, at + i))
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

/* How many things in the header fit each other, and fit the table. 0: nothing in it leads to the table. */
static unsigned count_fits(struct search *s)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    uint64_t slot[PC_SLOTS], bits = 0;
    const size_t features = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    if (!read_head(s, head, slot))
        return 0;
    for (size_t i = features; i < features + PC_FEATURE_BITS / 8; i++)
        bits += (uint64_t)__builtin_popcount(head[i]);
    uint64_t entry = slot[PC_HEAD_ATTR_SIZE], attrs = slot[PC_HEAD_ATTRS_OFFSET],
             size = slot[PC_HEAD_ATTRS_SIZE], data = slot[PC_HEAD_DATA_OFFSET], data_end;
    bool is_size = entry > PC_SECTION_SIZE && pc_attr_size_known(entry - PC_SECTION_SIZE);
    bool leads = pc_add(data, slot[PC_HEAD_DATA_SIZE], &data_end) && data_end == s->due;
    const bool fits = bits >= s->least && bits <= s->nr, named = fits && are_features(s, head + features);
    if (!leads && (!named || s->shift.added != 0)) /* of these words no byte is missing */
        return 0;
    bool is_there = is_size && is_attr(s, attrs, entry - PC_SECTION_SIZE);
    return (unsigned)(leads + is_there + are_features(s, head + features) + fits + is_size +
                      (is_size && size != 0 && size % entry == 0 && size / entry <= PC_ATTRS_MAX) +
                      (attrs >= PC_FILE_HEADER_SIZE && attrs + size == data) +
                      (slot[PC_HEAD_TYPES_OFFSET] == 0 && slot[PC_HEAD_TYPES_SIZE] == 0));
}

/* Whether the header is where it happened: as if it were at a place of it, more fits than as it is. Of such
 * places whole words come first. */
static bool is_in_header(struct search *s)
{
    const size_t first = pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE), end = PC_FILE_HEADER_SIZE;
    place(s, end);
    unsigned best = count_fits(s), fits;
    s->shift.at = 0;
    for (size_t step = 8; step != 0; step /= 8) {
        for (size_t at = first; at < end; at += step) {
            place(s, at);
            fits = count_fits(s);
            s->shift.at = fits > best ? at : s->shift.at;
            best = fits > best ? fits : best;
        }
    }
    return s->shift.at != 0;
}

/* --- the attrs --- */

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

static unsigned bits_of(uint64_t n)
{
    return n != 0 ? 64 - (unsigned)__builtin_clzll(n) : 0;
}

/* How much is in an entry of the attr section: the bits that its words and their halves take, and those that
 * are set. */
static unsigned count_bits(const struct search *s, const unsigned char *entry, size_t size)
{
    unsigned bits = 0;
    for (size_t i = 0; i + 8 <= size; i += 8) {
        const uint64_t n = load(s, entry + i);
        bits += bits_of(n) + bits_of(n >> 32) + bits_of((uint32_t)n) + (unsigned)__builtin_popcountll(n);
    }
    return bits;
}

/* Where in the entry of an attr it happened, or in the next one up to the size there, from `first` on: as if
 * it were there, the attr is sound, and as many records as possible have its layout. Of such places the one
 * with the smallest numbers, whose upper bytes are zeros. */
static uint64_t place_in_attr(struct search *s, uint64_t entry_at, size_t first)
{
    unsigned char entry[PC_ATTR_SIZE_KNOWN + PC_SECTION_SIZE + BEHIND_SIZE], records[RECORDS_MAX];
    const uint64_t entry_size = s->slot[PC_HEAD_ATTR_SIZE], data = s->slot[PC_HEAD_DATA_OFFSET],
                   have = s->due > data ? s->due - data : 0;
    const bool added = s->shift.added != 0;
    uint64_t found = entry_at + first, slot[PC_SLOTS];
    unsigned best = added ? 0 : 1, least = UINT32_MAX;
    if (entry_size > sizeof(entry) - BEHIND_SIZE || s->shift.lost > entry_size)
        return found;
    const uint64_t next = entry_at + entry_size;
    const bool has_next = added && next < s->slot[PC_HEAD_ATTRS_OFFSET] + s->slot[PC_HEAD_ATTRS_SIZE];
    const size_t attr = (size_t)entry_size - PC_SECTION_SIZE,
                 size = (size_t)entry_size + (has_next ? BEHIND_SIZE : 0);
    place(s, found);
    const size_t got =
        pc_input_read_at(&s->file, data, records, have < sizeof(records) ? (size_t)have : sizeof(records));
    for (size_t at = first; at < (added ? size : attr); at++) {
        place(s, entry_at + at);
        if (pc_input_read_at(&s->file, entry_at, entry, size) != size || !is_attr(s, entry_at, attr) ||
            (added && !is_section(s, entry_at + attr)) || (has_next && !is_attr(s, next, attr)) ||
            !read_attr(s, (struct pc_span){ entry, attr }, slot))
            continue;
        const struct pc_layout layout = pc_attr_layout(slot);
        const unsigned fits = count_records(s, (struct pc_span){ records, got }, &layout),
                       bits = count_bits(s, entry, size);
        if (fits > best || (fits == best && bits < least)) {
            found = entry_at + at;
            best = fits;
            least = bits;
        }
    }
    return found;
}

/* --- the ids --- */

/* What a word costs behind another one, 0 at first: ids are counted from 1 on, and follow each other closely.
 */
static int64_t cost(uint64_t before, uint64_t word)
{
    if (word == 0 || word > UINT32_MAX)
        return NO_ID;
    if (before == 0 || before > UINT32_MAX)
        return (int64_t)word;
    return 2 * (int64_t)(word > before ? word - before : before - word);
}

/* Where in the ids in front of the attrs it happened: so that the fewest words there are no ids, and the
 * others follow each other most closely. Returns `end` if it did not happen before it. */
static uint64_t place_in_ids(struct search *s, uint64_t end)
{
    unsigned char here[CHUNK + 8] = { 0 }, there[CHUNK + 8] = { 0 }, mixed[8];
    const uint64_t lost = s->shift.lost, added = s->shift.added, moved = added != 0 ? added : (0 - lost) % 8;
    uint64_t found = end, before = 0;
    int64_t sum = 0,
            least = INT64_MAX; /* of words that are read as they are, less those of as many moved ones */
    place(s, UINT64_MAX);
    for (uint64_t at = PC_FILE_HEADER_SIZE; at < end; at += 8) {
        const size_t i = (at - PC_FILE_HEADER_SIZE) % CHUNK;
        if (i == 0 && (pc_input_read_at(&s->file, at, here, sizeof(here)) == 0 ||
                       pc_input_read_at(&s->file, at + moved, there, sizeof(there)) == 0))
            return PC_FILE_HEADER_SIZE;
        const bool has_next = at + moved + 16 <= end + added, has_word = added != 0 || at + moved + 8 <= end;
        const uint64_t next = has_next ? load(s, there + i + 8) : 0;
        sum -= has_next ? cost(load(s, there + i), next) : 0;
        const size_t steps = lost != 0 ? 1 : 8; /* an id that lost bytes tells nothing */
        for (size_t k = 0; k < steps; k++) {
            memcpy(mixed, here + i, k);
            memcpy(mixed + k, there + i + k, 8 - k);
            const uint64_t word = load(s, mixed);
            const int64_t with =
                sum + (has_word ? cost(before, word) : 0) + (has_next ? cost(word, next) : 0);
            found = with < least ? at + k : found;
            least = with < least ? with : least;
        }
        sum += cost(before, load(s, here + i));
        before = load(s, here + i);
    }
    return sum <= least ? end : found;
}

/* What the words from one place to another cost, as they are read now. */
static int64_t cost_of(struct search *s, uint64_t from, uint64_t to)
{
    unsigned char raw[8];
    uint64_t before = 0;
    int64_t sum = 0;
    for (uint64_t at = from; at < to && pc_input_read_at(&s->file, at, raw, sizeof(raw)) == sizeof(raw);
         at += 8) {
        const uint64_t word = load(s, raw);
        sum += cost(before, word);
        before = word;
    }
    return sum;
}

/* Bytes of ids were lost in this word, or next to it: the place for zeros, so that ids are such ones. Those
 * that were lost are most often zeros. end: where the ids end now. */
static uint64_t place_zeros(struct search *s, uint64_t word, uint64_t end)
{
    const uint64_t around = 16, lost = s->shift.lost, first = PC_FILE_HEADER_SIZE,
                   from = word - first > 2 * around ? (word - 2 * around) & ~(uint64_t)7 : first,
                   rest = end + lost - word;
    const uint64_t reach = (lost + 7) / 8 * 8 + 2 * around, to = word + (rest < reach ? rest : reach);
    uint64_t found = word;
    if (lost > AROUND_MAX)
        return word;
    place(s, word);
    int64_t least = cost_of(s, from, to);
    for (uint64_t at = word - from > around ? word - around : from; at <= end && at < word + around; at++) {
        place(s, at);
        const int64_t with = cost_of(s, from, to);
        found = with < least ? at : found;
        least = with < least ? with : least;
    }
    return found;
}

/* So many records are in a row where the data begin. */
static unsigned count_first(struct search *s)
{
    unsigned char records[RECORDS_MAX];
    size_t got = pc_input_read_at(&s->file, s->slot[PC_HEAD_DATA_OFFSET], records, sizeof(records)), at = 0;
    unsigned nr = 0;
    for (size_t size; at + PC_RECORD_HEADER_SIZE <= got; at += size, nr++) {
        const struct pc_record_head head = pc_load_head(records + at, s->order);
        size = head.size;
        if (!pc_may_follow(records + at, s->order) || !pc_record_info(head.type))
            break;
    }
    return nr;
}

/* Whether it happened before the records: the header is right, and attrs are not where it says. The last one
 * whose size is right may be damaged behind it. */
static bool is_in_attrs(struct search *s, uint64_t sound)
{
    uint64_t entry = s->slot[PC_HEAD_ATTR_SIZE], attrs = s->slot[PC_HEAD_ATTRS_OFFSET],
             data = s->slot[PC_HEAD_DATA_OFFSET], end_of_data;
    if (entry <= PC_SECTION_SIZE || !pc_add(data, s->slot[PC_HEAD_DATA_SIZE], &end_of_data) ||
        end_of_data != s->due || attrs > data || attrs < PC_FILE_HEADER_SIZE)
        return false;
    place(s, PC_FILE_HEADER_SIZE);
    const unsigned moved = count_first(s);
    const bool are_moved = s->shift.lost <= data - PC_FILE_HEADER_SIZE; /* else the first are lost */
    place(s, UINT64_MAX);
    if (are_moved && count_first(s) > moved)
        return false;
    uint64_t sized = sound + is_attr(s, attrs + sound * entry, entry - PC_SECTION_SIZE);
    if (sized != 0) {
        s->shift.at = place_in_attr(s, attrs + (sized - 1) * entry, BEHIND_SIZE);
    } else {
        const uint64_t ids = attrs - PC_FILE_HEADER_SIZE,
                       end = attrs - (ids < s->shift.lost ? ids : s->shift.lost);
        s->shift.at = end <= MOVED_MAX ? place_in_ids(s, end) : PC_FILE_HEADER_SIZE;
        if (s->shift.lost != 0 && s->shift.at <= end)
            s->shift.at = place_zeros(s, s->shift.at, end);
        if (s->shift.added != 0 && s->shift.at == attrs)
            s->shift.at = place_in_attr(s, attrs, 0);
    }
    return s->shift.at < data;
}

bool pc_find_shift(struct pc_input *in, struct pc_shift *shift)
{
    struct search s = { .file = *in };
    unsigned char head[PC_FILE_HEADER_SIZE];
    bool found = false, may = in->kind == PC_INPUT_FILE &&
                              pc_input_read_at(&s.file, 0, head, sizeof(head)) == sizeof(head) &&
                              pc_is_magic(head) && memcmp(head, PC_MAGIC_1, 8) != 0;
    s.order = may && memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    if (may && read_head(&s, head, s.slot) && s.slot[PC_HEAD_SIZE] == PC_FILE_HEADER_SIZE) {
        for (size_t i = 0; i < PC_COUNT_OF(s.features); i++)
            s.features[i] = load(&s, head + pc_row_at(pc_file_header, PC_HEAD_FEATURES) + 8 * i);
        uint64_t sound = count_attrs(&s), entry = s.slot[PC_HEAD_ATTR_SIZE];
        /* An attr may seem to be sound, also with zeros for its section of ids. */
        const bool whole = sound != 0 && sound == s.slot[PC_HEAD_ATTRS_SIZE] / entry && count_first(&s) != 0;
        s.shift.whole = whole;
        found = !whole && find_table(&s) && (is_in_header(&s) || is_in_attrs(&s, sound));
    }
    in->error = s.file.error;
    in->bytes_read = s.file.bytes_read;
    *shift = s.shift;
    return found && in->error == 0;
}

bool pc_find_moved_table(struct pc_input *in, enum pc_order order, struct pc_moved *moved)
{
    struct search s = { .file = *in, .order = order };
    const bool found = in->kind == PC_INPUT_FILE && find_table(&s);
    in->error = s.file.error;
    in->bytes_read = s.file.bytes_read;
    *moved = (struct pc_moved){ s.shift, s.due, s.nr, s.least };
    return found && in->error == 0;
}
