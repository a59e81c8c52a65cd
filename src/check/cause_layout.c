/* SPDX-License-Identifier: MIT
 *
 * Causes that the sections of a file tell. perf writes them without gaps: attrs, data, feature table,
 * features in the order of the table, the last of which ends the file. So where one word is wrong, or bytes
 * are missing, the others say which.
 */
#include "check/cause.h"
#include "read/plausible.h"

#include <string.h>

#define CHUNK 8192

/* The feature table is looked for in the last so many bytes of a file, and at most so often. */
#define SEARCH_MAX    ((uint64_t)64 << 20)
#define CANDIDATE_MAX 16

/* No capture is larger. */
#define FILE_MAX ((uint64_t)1 << 48)

/* Words of the header, in its order. */
enum { ATTR_SIZE, ATTRS_OFFSET, ATTRS_SIZE, DATA_OFFSET, DATA_SIZE, WORDS };

struct layout {
    struct pc_scan *scan;
    enum pc_order order;
    uint64_t size;   /* of the file */
    uint64_t header; /* its size */
    uint64_t word[WORDS];
    uint64_t slots; /* entries of the feature table */
    bool found;     /* there is a table whose sections end the file ... */
    uint64_t table; /* ... here ... */
    uint64_t moved; /* ... so many bytes before its place, modulo 2^64 ... */
    bool alone;     /* ... as it says itself, while the header names another place */
};

/* So many entries that fit each other say where their table was. */
#define ALONE_MIN 4

static uint64_t data_end(const struct layout *l)
{
    return pc_add_saturated(l->word[DATA_OFFSET], l->word[DATA_SIZE]);
}

static struct pc_finding finding(const struct pc_context *where, enum pc_diag id, uint64_t length,
                                 struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_finding_in(where, id, 0, length);
    f.seen = seen;
    f.expected = expected;
    return f;
}

/* --- the feature table --- */

struct entry {
    uint64_t offset, end;
};

/* Offset and end of the section of an entry in these bytes of the table. */
static struct entry entry_of(const struct layout *l, const unsigned char *table, uint64_t slot)
{
    const unsigned char *p = table + slot * PC_SECTION_SIZE;
    uint64_t offset = pc_load(p, 8, l->order);
    return (struct entry){ offset, pc_add_saturated(offset, pc_load(p + 8, 8, l->order)) };
}

/* Whether sections may begin here after a table at `table`: slots of features that were not written stay. */
static bool may_follow_table(const struct layout *l, uint64_t table, uint64_t first)
{
    uint64_t slots = (first - table) / PC_SECTION_SIZE;
    return first > table && (first - table) % PC_SECTION_SIZE == 0 && slots >= l->slots &&
           slots <= PC_FEATURE_BITS;
}

/* So many entries of a table are compared before all are: memory that was dumped has pairs of words that
 * fit. */
static uint64_t first_slots(const struct layout *l)
{
    const uint64_t few = 4;
    return l->slots < few ? l->slots : few;
}

/* Whether the sections of the first entries of a table in these bytes follow each other. */
static bool begins_table(const struct layout *l, const unsigned char *bytes)
{
    struct entry last = entry_of(l, bytes, 0);
    if (l->slots > 1 && last.offset >= last.end)
        return false;
    for (uint64_t i = 1; i < first_slots(l); i++) {
        struct entry next = entry_of(l, bytes, i);
        if (next.offset != last.end)
            return false;
        last = next;
    }
    return true;
}

/* Whether there is a table here that was written `moved` bytes further on, with the whole rest of the file.
 */
static bool is_table(const struct layout *l, uint64_t at, uint64_t moved)
{
    unsigned char bytes[PC_TABLE_MAX];
    size_t len = (size_t)l->slots * PC_SECTION_SIZE;
    if (pc_reader_look(&l->scan->reader, at, bytes, len) != len)
        return false;
    struct entry last = entry_of(l, bytes, 0);
    if (!may_follow_table(l, at + moved, last.offset))
        return false;
    for (uint64_t i = 1; i < l->slots; i++) {
        struct entry next = entry_of(l, bytes, i);
        if (next.offset != last.end)
            return false;
        last = next;
    }
    return last.end == l->size + moved;
}

/* How far the table here was moved, if the last of its sections ends the file. */
static uint64_t own_move(const struct layout *l, uint64_t at)
{
    unsigned char bytes[PC_SECTION_SIZE];
    at += (l->slots - 1) * PC_SECTION_SIZE;
    return pc_reader_look(&l->scan->reader, at, bytes, sizeof(bytes)) == sizeof(bytes)
               ? entry_of(l, bytes, 0).end - l->size
               : 0;
}

/* Whether the table is here: in its place as its own entries say it, moved away from where the header says
 * that it is, or neither. */
static bool find_table_at(struct layout *l, uint64_t here, uint64_t first)
{
    uint64_t end = data_end(l);
    l->table = here;
    l->moved = 0;
    l->found = may_follow_table(l, here, first) && is_table(l, here, 0);
    if (l->found)
        return true;
    l->moved = end - here;
    l->found = may_follow_table(l, end, first) && is_table(l, here, l->moved);
    if (l->found || l->slots < ALONE_MIN || here == end)
        return l->found;
    l->moved = own_move(l, here);
    l->found = l->alone = l->moved != 0 && is_table(l, here, l->moved);
    return l->found;
}

/* Looks for the table at any offset. */
static void search_table(struct layout *l)
{
    unsigned char chunk[CHUNK];
    unsigned candidates = 0;
    const uint64_t was = l->table, end = data_end(l);
    const size_t need = (size_t)first_slots(l) * PC_SECTION_SIZE;
    uint64_t at = l->size > SEARCH_MAX ? l->size - SEARCH_MAX : PC_FILE_HEADER_SIZE;
    for (size_t got = CHUNK; got == CHUNK; at += CHUNK - need + 1) {
        got = pc_reader_look(&l->scan->reader, at, chunk, CHUNK);
        for (size_t i = 0; i + need <= got; i++) {
            uint64_t first = pc_load(chunk + i, 8, l->order), here = at + i;
            bool may = may_follow_table(l, here, first) || may_follow_table(l, end, first);
            if ((!may && (l->slots < ALONE_MIN || first > FILE_MAX || first < l->header)) ||
                !begins_table(l, chunk + i))
                continue;
            if (find_table_at(l, here, first))
                return;
            if (++candidates == CANDIDATE_MAX)
                break;
        }
        if (candidates == CANDIDATE_MAX)
            break;
    }
    l->table = was;
    l->moved = 0;
}

static void find_table(struct layout *l)
{
    if (l->slots == 0)
        return;
    l->table = data_end(l);
    l->found = l->table < l->size && is_table(l, l->table, 0);
    if (!l->found)
        search_table(l);
}

/* --- the words of the header --- */

/* The size that an attr says of itself, and its ids section; 0: it is no attr. */
static uint64_t own_entry_size(const struct layout *l, uint64_t attrs)
{
    unsigned char head[8];
    if (attrs < l->header || pc_reader_look(&l->scan->reader, attrs, head, sizeof(head)) != sizeof(head))
        return 0;
    uint64_t size = pc_load(head + pc_row_at(pc_attr_fields, PC_ATTR_SIZE), 4, l->order);
    return pc_attr_size_known(size) ? size + PC_SECTION_SIZE : 0;
}

static bool attrs_fit(const struct layout *l)
{
    uint64_t entry = l->word[ATTR_SIZE], size = l->word[ATTRS_SIZE];
    return entry >= PC_ATTR_SIZE_MIN + PC_SECTION_SIZE && size != 0 && size % entry == 0 &&
           l->word[ATTRS_OFFSET] < l->size && size <= l->size - l->word[ATTRS_OFFSET] &&
           own_entry_size(l, l->word[ATTRS_OFFSET]) == entry;
}

static bool data_fit(const struct layout *l)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t at = l->word[DATA_OFFSET];
    if (l->word[DATA_SIZE] == 0)
        return false; /* no record shows where they are */
    for (unsigned i = 0; i < 3 && at < data_end(l); i++) {
        if (at < l->header || pc_reader_look(&l->scan->reader, at, head, sizeof(head)) != sizeof(head) ||
            !pc_may_follow(head, l->order))
            return false;
        at += pc_load_head(head, l->order).size;
    }
    return true;
}

static bool all_fit(const struct layout *l)
{
    bool end = l->slots == 0 ? data_end(l) == l->size : l->found && data_end(l) == l->table;
    uint64_t attrs = l->word[ATTRS_OFFSET], attrs_end = pc_add_saturated(attrs, l->word[ATTRS_SIZE]);
    bool apart = attrs_end <= l->word[DATA_OFFSET] || data_end(l) <= attrs;
    return end && apart && attrs_fit(l) && data_fit(l);
}

/* Where the attrs begin, if all other words are right: before the data. perf inject may leave a gap there. */
static uint64_t own_attrs(const struct layout *l)
{
    const uint64_t gap_max = 64 << 10, step = 8, just_before = l->word[DATA_OFFSET] - l->word[ATTRS_SIZE];
    if (own_entry_size(l, just_before) == l->word[ATTR_SIZE])
        return just_before;
    for (uint64_t at = l->header; at < just_before && at < gap_max; at += step) {
        if (own_entry_size(l, at) == l->word[ATTR_SIZE])
            return at;
    }
    return just_before;
}

/* What a word of the header must be for all sections to fit, if the others are right. */
static uint64_t derived(const struct layout *l, unsigned word)
{
    uint64_t table = l->slots == 0 ? l->size : l->table;
    switch (word) {
    case ATTR_SIZE:
        return own_entry_size(l, l->word[ATTRS_OFFSET]);
    case ATTRS_OFFSET:
        return own_attrs(l);
    case ATTRS_SIZE:
        return l->word[DATA_OFFSET] - l->word[ATTRS_OFFSET];
    case DATA_OFFSET:
        return table - l->word[DATA_SIZE];
    default:
        return table - l->word[DATA_OFFSET];
    }
}

/* The member of the header in this row, at this offset, is wrong. */
static void say_member(struct pc_cause *cause, const struct pc_field *row, uint64_t at, struct pc_value seen,
                       struct pc_value expected)
{
    static const struct pc_context header = { .place = PC_IN_HEADER };
    cause->finding = finding(&header, PC_D_HEADER_WORD, 8, seen, expected);
    cause->finding.offset = at;
    pc_finding_name(&cause->finding, row->name);
}

static void say_word(struct pc_cause *cause, unsigned slot, uint64_t seen, uint64_t expected)
{
    size_t at;
    const struct pc_field *row = pc_find_row(pc_file_header, 0, slot, &at);
    say_member(cause, row, at, pc_uint_value(seen), pc_uint_value(expected));
}

/* One word that says where sections are. */
static bool is_word(const struct layout *l, struct pc_cause *cause)
{
    for (unsigned i = 0; i < WORDS; i++) {
        struct layout other = *l;
        if (i == DATA_SIZE && l->scan->capture.unfinished && l->slots == 0)
            continue; /* there is nothing after the data that shows that it was written */
        other.word[i] = derived(l, i);
        if (other.word[i] == l->word[i] || !all_fit(&other))
            continue;
        say_word(cause, PC_HEAD_ATTR_SIZE + i, l->word[i], other.word[i]);
        return true;
    }
    return false;
}

/* Reads the words of the header in a byte order, whatever its magic and its size say. */
static bool load_words(struct layout *l, enum pc_order order)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    struct pc_walk walk;
    size_t at = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    l->order = order;
    l->header = PC_FILE_HEADER_SIZE;
    l->slots = 0;
    l->found = false;
    if (pc_reader_look(&l->scan->reader, 0, head, sizeof(head)) != sizeof(head))
        return false;
    memcpy(head, pc_magic(order).ptr, 8);
    pc_store(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8, PC_FILE_HEADER_SIZE, order);
    if (!pc_read_table(&walk, pc_file_header, pc_cursor((struct pc_span){ head, sizeof(head) }, order)))
        return false;
    for (unsigned i = 0; i < WORDS; i++)
        l->word[i] = walk.slot[PC_HEAD_ATTR_SIZE + i];
    for (; at < sizeof(head); at++)
        l->slots += (unsigned)__builtin_popcount(head[at]);
    return true;
}

/* Whether records that are known follow each other from here on. */
static bool are_records(const struct layout *l, uint64_t at)
{
    const unsigned chain = 4;
    unsigned char head[PC_RECORD_HEADER_SIZE];
    for (unsigned i = 0; i < chain; i++) {
        if (at >= l->size)
            return at == l->size && i > 1;
        if (pc_reader_look(&l->scan->reader, at, head, sizeof(head)) != sizeof(head) ||
            !pc_may_follow(head, l->order))
            return false;
        struct pc_record_head record = pc_load_head(head, l->order);
        if (!pc_record_info(record.type))
            return false;
        at += record.size;
    }
    return true;
}

/* Whether a header of this size, in this byte order, fits what follows it. */
static bool fits_header(struct layout *l, uint64_t size, enum pc_order order)
{
    l->order = order;
    if (size == PC_PIPE_HEADER_SIZE)
        return are_records(l, PC_PIPE_HEADER_SIZE);
    if (!load_words(l, order) || !attrs_fit(l) || !data_fit(l))
        return false;
    find_table(l);
    return all_fit(l);
}

/* The magic or the size of the header is wrong: each shows the other. */
static bool is_start(struct layout *l, struct pc_cause *cause)
{
    static const enum pc_order orders[] = { PC_LITTLE, PC_BIG };
    static const uint64_t sizes[] = { PC_FILE_HEADER_SIZE, PC_PIPE_HEADER_SIZE };
    unsigned char head[PC_PIPE_HEADER_SIZE];
    struct pc_span magic = { head, 8 };
    if (pc_reader_look(&l->scan->reader, 0, head, sizeof(head)) != sizeof(head) ||
        memcmp(head, PC_MAGIC_1, 8) == 0)
        return false;
    for (size_t k = 0; k < PC_COUNT_OF(orders); k++) {
        enum pc_order order = orders[k];
        bool has_magic = memcmp(head, pc_magic(order).ptr, 8) == 0;
        uint64_t size = pc_load(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8, order);
        if (size == PC_FILE_HEADER_OLD || (has_magic && size == PC_FILE_HEADER_SIZE))
            continue;
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            if (has_magic == (size == sizes[i]) || !fits_header(l, sizes[i], order))
                continue;
            if (has_magic)
                say_word(cause, PC_HEAD_SIZE, size, sizes[i]);
            else
                say_member(cause, pc_file_header, 0, pc_bytes_value(magic), pc_bytes_value(pc_magic(order)));
            return true;
        }
    }
    return false;
}

/* --- what is missing or moved --- */

/* Where the first damage outside of header and features is; the table, when there is none. */
static uint64_t first_damage(const struct layout *l)
{
    const struct pc_report *report = &l->scan->report;
    uint64_t first = l->scan->reader.damage.any ? l->scan->reader.damage.offset : UINT64_MAX;
    for (size_t i = 0; i < report->nr_early; i++) {
        const struct pc_early *e = &report->early[i];
        if ((e->place == PC_IN_ATTR || e->place == PC_IN_RECORD) && e->offset < first)
            first = e->offset;
    }
    return first < l->size ? first : l->table < l->size ? l->table : 0;
}

/* `moved` bytes were lost, or, when that is negative, came in. */
static void say_moved(struct pc_cause *cause, uint64_t at, uint64_t moved)
{
    const struct pc_context here = { .place = PC_AT_END, .offset = at };
    bool lost = moved < UINT64_MAX / 2;
    cause->finding = finding(&here, lost ? PC_D_BYTES_LOST : PC_D_BYTES_ADDED, 0,
                             pc_uint_value(lost ? moved : 0 - moved), pc_none);
    cause->reach.from = at;
}

static void say_cut(const struct layout *l, struct pc_cause *cause, enum pc_diag id, uint64_t end)
{
    const struct pc_context here = { .place = PC_AT_END, .offset = l->size };
    cause->finding =
        finding(&here, id, 0, pc_uint_value(end - l->size), pc_uint_value(l->scan->check.flow.sum.total));
}

/* The first error of a feature, but for those that say that its section is missing; NULL: there is none. */
static const struct pc_early *damaged_feature(const struct layout *l)
{
    const struct pc_report *report = &l->scan->report;
    for (size_t i = 0; i < report->nr_early; i++) {
        const struct pc_early *e = &report->early[i];
        if (e->place == PC_IN_FEATURE && e->id != PC_D_FEATURE_OUTSIDE)
            return e;
    }
    return NULL;
}

static bool has_error(const struct layout *l, uint64_t bit)
{
    const struct pc_report *report = &l->scan->report;
    for (size_t i = 0; i < report->nr_early; i++) {
        if (report->early[i].place == PC_IN_FEATURE && report->early[i].number == bit)
            return true;
    }
    return false;
}

/* Whether all entries of the table but one follow each other up to the end of the file, with room for it. */
static bool fits_without(const struct layout *l, const unsigned char *table, uint64_t slot)
{
    uint64_t least = l->table + l->slots * PC_SECTION_SIZE, expected = least;
    for (uint64_t i = 0; i < l->slots; i++) {
        struct entry e = entry_of(l, table, i);
        if (i == slot) {
            expected = i + 1 < l->slots ? entry_of(l, table, i + 1).offset : l->size;
            if (expected < least)
                return false;
            continue;
        }
        if (i == 0 ? !may_follow_table(l, l->table, e.offset) : e.offset != expected)
            return false;
        expected = least = e.end;
    }
    return expected == l->size;
}

/* One entry of the table is wrong, and all others fit. */
static bool is_entry(const struct layout *l, struct pc_cause *cause, const unsigned char *table)
{
    uint64_t wrong = 0, bit = 0, slot = 0;
    while (wrong < l->slots && !fits_without(l, table, wrong))
        wrong++;
    if (wrong == l->slots)
        return false;
    while (!pc_bit(l->scan->capture.features, bit) || slot++ != wrong)
        bit++;
    struct entry e = entry_of(l, table, wrong);
    bool is_cut = wrong + 1 == l->slots && e.offset < l->size && e.end > l->size && e.end - l->size < l->size;
    if (is_cut || !has_error(l, bit))
        return false;
    const struct pc_context entry =
        pc_feature_context(bit, (struct pc_where){ 0 }, l->table + wrong * PC_SECTION_SIZE);
    cause->finding = finding(&entry, PC_D_FEATURE_ENTRY, PC_SECTION_SIZE, pc_none, pc_none);
    cause->reach.from = l->table;
    return true;
}

/* The last feature that has texts or counts, and so is longer than numbers alone: its bit, and its section.
 */
static uint64_t last_long(const struct layout *l, const unsigned char *table, struct entry *e)
{
    const uint64_t least = 64;
    uint64_t slot = l->slots, bit = PC_FEATURE_BITS;
    while (bit-- > 0) {
        if (!pc_bit(l->scan->capture.features, bit))
            continue;
        *e = entry_of(l, table, --slot);
        if (e->end - e->offset >= least)
            return bit;
    }
    return 0;
}

/* Whether bytes were lost in a feature, and not at the end: such a feature is there so many bytes earlier.
 * *at: its place. */
static bool has_earlier_end(const struct layout *l, const unsigned char *table, uint64_t missing,
                            uint64_t *at)
{
    unsigned char content[CHUNK];
    struct entry e;
    struct pc_walk walk;
    uint64_t bit = last_long(l, table, &e), size = e.end - e.offset;
    if (bit == 0 || size > sizeof(content) || e.offset < missing ||
        pc_reader_look(&l->scan->reader, e.offset - missing, content, (size_t)size) != size)
        return false;
    const struct pc_span bytes = { content, (size_t)size };
    const struct pc_field *fields = pc_feature_fields(bit, bytes);
    struct pc_cursor c = pc_cursor(bytes, l->order);
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    *at = e.offset - missing;
    return fields && pc_walk_table(&walk, fields) && c.pos == size && pc_first_nonzero(bytes) != size;
}

/* The table is where the header says. The sections tell whether the file was cut, or bytes came or went. */
static bool in_features(const struct layout *l, struct pc_cause *cause)
{
    unsigned char table[PC_TABLE_MAX];
    size_t len = (size_t)l->slots * PC_SECTION_SIZE;
    uint64_t end = 0;
    if (pc_reader_look(&l->scan->reader, l->table, table, len) != len)
        return false;
    if (is_entry(l, cause, table))
        return true;
    for (uint64_t i = 0; i < l->slots; i++) {
        struct entry e = entry_of(l, table, i);
        if (i == 0 ? !may_follow_table(l, l->table, e.offset) : e.offset != end)
            return false;
        end = e.end;
    }
    const struct pc_early *damaged = damaged_feature(l);
    uint64_t at = damaged ? damaged->offset : 0;
    bool earlier = end > l->size && !damaged && has_earlier_end(l, table, end - l->size, &at);
    if (earlier || (damaged && end != l->size)) {
        say_moved(cause, at, end - l->size);
        cause->reach.features = true;
    } else if (end > l->size) {
        say_cut(l, cause, PC_D_CUT_FEATURES, end);
    }
    return end != l->size && (damaged || end > l->size);
}

static bool is_missing(const struct layout *l, struct pc_cause *cause)
{
    uint64_t end = data_end(l), table;
    uint64_t attrs = pc_add_saturated(l->word[ATTRS_OFFSET], l->word[ATTRS_SIZE]);
    if (!pc_add(end, l->slots * PC_SECTION_SIZE, &table) || l->word[DATA_SIZE] == 0 || end > FILE_MAX)
        return false;
    if (table <= l->size)
        return l->slots != 0 && in_features(l, cause);
    if (attrs > l->size)
        say_cut(l, cause, PC_D_CUT_ATTRS, table);
    else if (l->word[DATA_OFFSET] > l->size)
        return false; /* the word is wrong */
    else if (end > l->size)
        say_cut(l, cause, PC_D_CUT_DATA, table);
    else
        say_cut(l, cause, PC_D_CUT_FEATURES, table);
    return true;
}

/* The table was moved, and the header does not name its old place either. */
static bool says_data_size(const struct layout *l, struct pc_cause *cause)
{
    if (!attrs_fit(l) || !data_fit(l) || l->table <= l->word[DATA_OFFSET])
        return false;
    say_word(cause, PC_HEAD_DATA_SIZE, l->word[DATA_SIZE], derived(l, DATA_SIZE));
    cause->finding.id = PC_D_DATA_SIZE;
    cause->reach.from = l->table;
    cause->reach.features = true;
    return true;
}

bool pc_cause_in_layout(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_capture *capture = &scan->capture;
    struct layout l = { .scan = scan, .size = scan->reader.in->size };
    if (scan->reader.in->kind != PC_INPUT_FILE || scan->report.early_stream != 0)
        return false;
    if (!scan->recognised || capture->is_pipe)
        return is_start(&l, cause);
    l.order = capture->order;
    l.header = pc_header_get(capture, PC_HEAD_SIZE);
    for (unsigned i = 0; i < WORDS; i++)
        l.word[i] = pc_header_get(capture, PC_HEAD_ATTR_SIZE + i);
    l.slots = pc_count_features(capture->features);
    find_table(&l);
    if (l.alone && says_data_size(&l, cause))
        return true;
    if (l.alone) {
        l.found = false;
        l.moved = 0;
        l.table = data_end(&l);
    }
    if (l.found && l.moved != 0) {
        say_moved(cause, first_damage(&l), l.moved);
        if (cause->finding.offset == scan->reader.damage.offset)
            cause->reach.from = scan->reader.damage.before;
        cause->reach.features = true;
        return true;
    }
    if (l.found || (l.slots == 0 && data_end(&l) <= l.size))
        return !all_fit(&l) && is_word(&l, cause);
    return is_missing(&l, cause);
}
