/* SPDX-License-Identifier: MIT
 *
 * Causes that the sections of a file tell. perf writes them without gaps: attrs, data, feature table,
 * features in the order of the table, the last of which ends the file. So where one word is wrong, or bytes
 * are missing, the others say which.
 */
#include "check/behind.h"
#include "check/cause_features.h"
#include "read/plausible.h"

#include <string.h>

#define CHUNK 8192

/* The feature table is looked for in the last so many bytes of a file, and at most so often. */
#define SEARCH_MAX    ((uint64_t)64 << 20)
#define CANDIDATE_MAX 16
/* Of entries with sections in the file that do not follow each other, so many times as many bytes are looked
 * at as the file has. */
#define TIMES 4

/* No capture is larger. */
#define FILE_MAX ((uint64_t)1 << 48)

/* So many entries that fit each other say where their table was. */
#define ALONE_MIN 4

static uint64_t data_end(const struct pc_file_layout *l)
{
    return pc_add_saturated(l->word[PC_W_DATA_OFFSET], l->word[PC_W_DATA_SIZE]);
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

/* So many entries of a table are compared before all are: memory that was dumped has pairs of words that
 * fit. */
static uint64_t first_slots(const struct pc_file_layout *l)
{
    return l->slots < PC_TABLE_FEW ? l->slots : PC_TABLE_FEW;
}

/* Whether the sections of the first entries of a table in these bytes follow each other. */
static bool begins_table(const struct pc_file_layout *l, const unsigned char *bytes)
{
    struct pc_entry last = pc_entry_of(l, bytes, 0);
    if (l->slots > 1 && last.offset >= last.end)
        return false;
    for (uint64_t i = 1; i < first_slots(l); i++) {
        struct pc_entry next = pc_entry_of(l, bytes, i);
        if (next.offset != last.end)
            return false;
        last = next;
    }
    return true;
}

/* The same of the first two entries, of which these are three words: this refutes most places of a file. */
static inline bool begins_pair(uint64_t first, uint64_t size, uint64_t next)
{
    return size != 0 && pc_add_saturated(first, size) == next;
}

/* Whether there is a table here that was written `moved` bytes further on, with the whole rest of the file.
 * If it is where the header says, bytes after its sections may have been inserted among them. */
static bool is_table(const struct pc_file_layout *l, uint64_t at, uint64_t moved)
{
    unsigned char bytes[PC_TABLE_MAX];
    size_t len = (size_t)l->slots * PC_SECTION_SIZE;
    uint64_t first, end;
    return pc_reader_look(&l->scan->reader, at, bytes, len) == len &&
           pc_sections_follow(bytes, l->slots, l->order, &first, &end) &&
           pc_may_be_sections(l->scan->capture.features, at, l->slots, first - moved, end - moved, l->size) &&
           (end - moved == l->size || at != data_end(l));
}

/* How far the table here was moved, if the last of its sections ends the file. 0: an entry before leads to
 * it, so that it begins earlier. */
static uint64_t own_move(const struct pc_file_layout *l, uint64_t at)
{
    unsigned char bytes[2 * PC_SECTION_SIZE];
    const uint64_t last = at + (l->slots - 1) * PC_SECTION_SIZE;
    if (pc_reader_look(&l->scan->reader, at - PC_SECTION_SIZE, bytes, sizeof(bytes)) != sizeof(bytes) ||
        pc_entry_of(l, bytes, 0).end == pc_entry_of(l, bytes, 1).offset ||
        pc_reader_look(&l->scan->reader, last, bytes, PC_SECTION_SIZE) != PC_SECTION_SIZE)
        return 0;
    return pc_entry_of(l, bytes, 0).end - l->size;
}

/* Whether the table, whose entries are in the order of their sections or not, is here: in its place as its
 * own entries say it, moved away from where the header says that it is, or neither. */
static bool find_table_at(struct pc_file_layout *l, uint64_t here, bool in_order)
{
    uint64_t end = data_end(l);
    l->table = here;
    l->moved = 0;
    l->found = is_table(l, here, 0);
    if (l->found)
        return true;
    l->moved = end - here;
    l->found = is_table(l, here, l->moved);
    if (l->found || l->slots < ALONE_MIN || here == end || !in_order)
        return l->found;
    l->moved = own_move(l, here);
    l->found = l->alone = l->moved != 0 && is_table(l, here, l->moved);
    return l->found;
}

/* Whether the sections of the first entries here are behind the table, or were before it was moved here. */
static inline bool are_in_file(const struct pc_file_layout *l, const unsigned char *bytes, uint64_t here,
                               uint64_t end)
{
    const uint64_t table = l->slots * PC_SECTION_SIZE;
    return pc_begins_sections(bytes, l->slots, l->order, here + table, l->size) ||
           pc_begins_sections(bytes, l->slots, l->order, end + table, l->size + end - here);
}

/* What the search for the table has seen. */
struct search {
    unsigned candidates;
    uint64_t looked; /* bytes of entries with sections in the file */
};

/* Looks for the table in these bytes, from `at` on. True: it is there, or nowhere. */
static bool search_chunk(struct pc_file_layout *l, struct search *s, const unsigned char *chunk, size_t got,
                         uint64_t at)
{
    const uint64_t end = data_end(l), slots = l->slots, most = TIMES * l->size;
    const size_t need = (size_t)first_slots(l) * PC_SECTION_SIZE;
    const uint64_t far = end <= FILE_MAX ? pc_add_saturated(l->size, 2 * FILE_MAX) : UINT64_MAX;
    const enum pc_order order = l->order;
    for (size_t i = 0; i + need <= got; i++) {
        const uint64_t first = pc_load(chunk + i, 8, order), here = at + i;
        if (first - 1 >= far) /* no section is so far on, nor where the header is: of most places nothing else
                                 is looked at */
            continue;
        bool begins = slots == 1 || begins_pair(first, pc_load(chunk + i + 8, 8, order),
                                                pc_load(chunk + i + PC_SECTION_SIZE, 8, order));
        begins = begins &&
                 ((slots >= ALONE_MIN && first <= FILE_MAX && first >= l->header) ||
                  pc_may_follow_table(l, here, first) || pc_may_follow_table(l, end, first)) &&
                 begins_table(l, chunk + i);
        bool in_file =
            !begins && slots >= PC_TABLE_FEW && s->looked <= most && are_in_file(l, chunk + i, here, end);
        if ((begins || in_file) && find_table_at(l, here, begins))
            return true;
        s->looked += in_file ? 2 * slots * PC_SECTION_SIZE : 0;
        s->candidates += begins;
        if (s->candidates == CANDIDATE_MAX)
            return true;
    }
    return false;
}

/* Looks for the table at any offset. */
static void search_table(struct pc_file_layout *l)
{
    unsigned char chunk[CHUNK];
    struct search s = { 0 };
    const uint64_t was = l->table;
    const size_t need = (size_t)first_slots(l) * PC_SECTION_SIZE;
    uint64_t at = l->size > SEARCH_MAX ? l->size - SEARCH_MAX : PC_FILE_HEADER_SIZE;
    bool over = false;
    for (size_t got = CHUNK; got == CHUNK && !over; at += CHUNK - need + 1) {
        got = pc_reader_look(&l->scan->reader, at, chunk, CHUNK);
        over = search_chunk(l, &s, chunk, got, at);
    }
    if (l->found)
        return;
    l->table = was;
    l->moved = 0;
}

static void find_table(struct pc_file_layout *l)
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
static uint64_t own_entry_size(const struct pc_file_layout *l, uint64_t attrs)
{
    unsigned char head[8];
    if (attrs < l->header || pc_reader_look(&l->scan->reader, attrs, head, sizeof(head)) != sizeof(head))
        return 0;
    uint64_t size = pc_load(head + pc_row_at(pc_attr_fields, PC_ATTR_SIZE), 4, l->order);
    return pc_attr_size_known(size) ? size + PC_SECTION_SIZE : 0;
}

/* simpleperf copies attrs of older kernels, which are smaller than their entries have room for. */
static bool attrs_fit(const struct pc_file_layout *l)
{
    uint64_t entry = l->word[PC_W_ATTR_SIZE], size = l->word[PC_W_ATTRS_SIZE],
             own = own_entry_size(l, l->word[PC_W_ATTRS_OFFSET]);
    bool fits = own == entry || (own != 0 && own < entry && l->scan->capture.by_simpleperf);
    return entry >= PC_ATTR_SIZE_MIN + PC_SECTION_SIZE && size != 0 && size % entry == 0 &&
           l->word[PC_W_ATTRS_OFFSET] < l->size && size <= l->size - l->word[PC_W_ATTRS_OFFSET] && fits;
}

static bool data_fit(const struct pc_file_layout *l)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    uint64_t at = l->word[PC_W_DATA_OFFSET];
    if (l->word[PC_W_DATA_SIZE] == 0)
        return false; /* no record shows where they are */
    for (unsigned i = 0; i < 3 && at < data_end(l); i++) {
        if (at < l->header || pc_reader_look(&l->scan->reader, at, head, sizeof(head)) != sizeof(head) ||
            !pc_may_follow(head, l->order))
            return false;
        at += pc_load_head(head, l->order).size;
    }
    return true;
}

static bool all_fit(const struct pc_file_layout *l)
{
    bool end = l->slots == 0 ? data_end(l) == l->size : l->found && data_end(l) == l->table;
    uint64_t attrs = l->word[PC_W_ATTRS_OFFSET],
             attrs_end = pc_add_saturated(attrs, l->word[PC_W_ATTRS_SIZE]);
    bool apart = attrs_end <= l->word[PC_W_DATA_OFFSET] || data_end(l) <= attrs;
    return end && apart && attrs_fit(l) && data_fit(l);
}

/* Where the attrs begin, if all other words are right: before the data. perf inject may leave a gap there. */
static uint64_t own_attrs(const struct pc_file_layout *l)
{
    const uint64_t gap_max = 64 << 10, step = 8,
                   just_before = l->word[PC_W_DATA_OFFSET] - l->word[PC_W_ATTRS_SIZE];
    if (own_entry_size(l, just_before) == l->word[PC_W_ATTR_SIZE])
        return just_before;
    for (uint64_t at = l->header; at < just_before && at < gap_max; at += step) {
        if (own_entry_size(l, at) == l->word[PC_W_ATTR_SIZE])
            return at;
    }
    return just_before;
}

/* What a word of the header must be for all sections to fit, if the others are right. */
static uint64_t derived(const struct pc_file_layout *l, unsigned word)
{
    uint64_t table = l->slots == 0 ? l->size : l->table;
    switch (word) {
    case PC_W_ATTR_SIZE:
        return own_entry_size(l, l->word[PC_W_ATTRS_OFFSET]);
    case PC_W_ATTRS_OFFSET:
        return own_attrs(l);
    case PC_W_ATTRS_SIZE:
        return l->word[PC_W_DATA_OFFSET] - l->word[PC_W_ATTRS_OFFSET];
    case PC_W_DATA_OFFSET:
        return table - l->word[PC_W_DATA_SIZE];
    default:
        return table - l->word[PC_W_DATA_OFFSET];
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
static bool is_word(const struct pc_file_layout *l, struct pc_cause *cause)
{
    for (unsigned i = 0; i < PC_W_WORDS; i++) {
        struct pc_file_layout other = *l;
        if (i == PC_W_DATA_SIZE && l->scan->capture.unfinished && l->slots == 0)
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
static bool load_words(struct pc_file_layout *l, enum pc_order order)
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
    for (unsigned i = 0; i < PC_W_WORDS; i++)
        l->word[i] = walk.slot[PC_HEAD_ATTR_SIZE + i];
    for (; at < sizeof(head); at++)
        l->slots += (unsigned)__builtin_popcount(head[at]);
    return true;
}

/* Whether records that are known follow each other from here on. */
static bool are_records(const struct pc_file_layout *l, uint64_t at)
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
static bool fits_header(struct pc_file_layout *l, uint64_t size, enum pc_order order)
{
    l->order = order;
    if (size == PC_PIPE_HEADER_SIZE)
        return are_records(l, PC_PIPE_HEADER_SIZE);
    if (!load_words(l, order) || !attrs_fit(l) || !data_fit(l))
        return false;
    find_table(l);
    return all_fit(l);
}

/* The magic or the size of the header is wrong. */
static bool is_start(struct pc_file_layout *l, struct pc_cause *cause)
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
        const bool is_old = size == PC_FILE_HEADER_OLD;
        if (has_magic ? size == PC_FILE_HEADER_SIZE : is_old)
            continue;
        for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
            if (has_magic == (size == sizes[i]) || !fits_header(l, sizes[i], order) ||
                (is_old && sizes[i] == PC_FILE_HEADER_SIZE && l->slots < PC_TABLE_FEW))
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

/* Whether the attrs, and the first record, are where the header says: it is sound, as far as it can be seen.
 */
static bool is_begin_sound(const struct pc_file_layout *l)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    return attrs_fit(l) &&
           (pc_reader_look(&l->scan->reader, l->word[PC_W_DATA_OFFSET], head, sizeof(head)) != sizeof(head) ||
            pc_may_follow(head, l->order));
}

static bool is_missing(const struct pc_file_layout *l, struct pc_cause *cause)
{
    uint64_t end = data_end(l), table;
    uint64_t attrs = pc_add_saturated(l->word[PC_W_ATTRS_OFFSET], l->word[PC_W_ATTRS_SIZE]);
    if (!pc_add(end, l->slots * PC_SECTION_SIZE, &table) || l->word[PC_W_DATA_SIZE] == 0 || end > FILE_MAX)
        return false;
    if (table <= l->size)
        return l->slots != 0 && pc_cause_in_features(l, cause);
    if (attrs > l->size)
        pc_cause_say_cut(l, cause, PC_D_CUT_ATTRS, table);
    else if (l->word[PC_W_DATA_OFFSET] > l->size || !is_begin_sound(l))
        return false; /* a word is wrong, or more is */
    else if (end > l->size)
        pc_cause_say_cut(l, cause, PC_D_CUT_DATA, table);
    else
        pc_cause_say_cut(l, cause, PC_D_CUT_FEATURES, table);
    return true;
}

/* The table was moved, and the header does not name its old place either. */
static bool says_data_size(const struct pc_file_layout *l, struct pc_cause *cause)
{
    if (!attrs_fit(l) || !data_fit(l) || l->table <= l->word[PC_W_DATA_OFFSET])
        return false;
    say_word(cause, PC_HEAD_DATA_SIZE, l->word[PC_W_DATA_SIZE], derived(l, PC_W_DATA_SIZE));
    cause->finding.id = PC_D_DATA_SIZE;
    cause->reach.from = l->table;
    cause->reach.features = true;
    return true;
}

/* The attrs were behind the data, and are not where the header says, as bytes came or went; or they were cut
 * off. *cut: so many bytes were to be in the file, 0: all are. */
static bool is_moved_behind(const struct pc_file_layout *l, struct pc_cause *cause, uint64_t *cut)
{
    const struct pc_behind words = pc_behind_of(l->order, l->word);
    *cut = 0;
    if (!pc_is_behind(&words))
        return false;
    const uint64_t at = pc_find_behind(l->scan->reader.in, &words), moved = words.attrs - at,
                   end = words.attrs + words.size;
    const bool of_inject = l->slots == pc_bit(l->scan->capture.features, PC_BUILD_ID); /* it names no other */
    if (at == 0 && of_inject && data_fit(l))
        *cut = end > l->size ? end : 0;
    if (at == 0 || moved == 0)
        return false;
    pc_cause_place_moved(l->scan, cause, data_end(l) - moved, moved);
    cause->reach.all = true; /* what was read as attrs are other bytes */
    return true;
}

bool pc_cause_in_start(struct pc_scan *scan, struct pc_cause *cause)
{
    struct pc_file_layout l = { .scan = scan, .size = scan->reader.in->size };
    return scan->reader.in->kind == PC_INPUT_FILE && scan->report.early_stream == 0 && is_start(&l, cause);
}

bool pc_cause_in_layout(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_capture *capture = &scan->capture;
    struct pc_file_layout l = { .scan = scan, .size = scan->reader.in->size };
    uint64_t cut;
    if (!scan->recognised || capture->is_pipe)
        return pc_cause_in_start(scan, cause);
    if (scan->reader.in->kind != PC_INPUT_FILE || scan->report.early_stream != 0)
        return false;
    l.order = capture->order;
    l.header = pc_header_get(capture, PC_HEAD_SIZE);
    for (unsigned i = 0; i < PC_W_WORDS; i++)
        l.word[i] = pc_header_get(capture, PC_HEAD_ATTR_SIZE + i);
    l.slots = pc_count_features(capture->features);
    if (is_moved_behind(&l, cause, &cut))
        return true;
    find_table(&l);
    if (l.alone && says_data_size(&l, cause))
        return true;
    if (l.alone) {
        l.found = false;
        l.moved = 0;
        l.table = data_end(&l);
    }
    if (l.found && l.moved != 0) {
        pc_cause_place_moved(scan, cause, l.table, l.moved);
        return true;
    }
    const bool whole = l.found || (l.slots == 0 && data_end(&l) <= l.size);
    if (whole && !all_fit(&l) && is_word(&l, cause))
        return true;
    if (!l.found && cut != 0) {
        pc_cause_say_cut(&l, cause, PC_D_CUT_DATA, cut);
        return true;
    }
    return !whole && is_missing(&l, cause);
}
