/* SPDX-License-Identifier: MIT */
#include "write/repair.h"
#include "write/repair_parts.h"
#include "write/salvage_parts.h"
#include "bytes/cursor.h"
#include "check/behind.h"
#include "read/plausible.h"

#include <string.h>

#define CHAIN     3     /* headers in a row that show where records are */
#define ROOM_MAX  16384 /* perf inject leaves room for more attrs before the data, up to 12288 */
#define ROOMS_MAX 64    /* a capture has one; a damaged file may have thousands */
/* Each place where attrs may be is tried, and a damaged file has thousands. */
#define ENTRIES_MAX ((size_t)4 * PC_ATTRS_MAX)

/* Whether some records follow each other from a place on, or one leads to the end. */
static bool leads_on(struct repair *r, uint64_t at, uint64_t end)
{
    unsigned char raw[PC_RECORD_HEADER_SIZE];
    for (unsigned i = 0; i < CHAIN; i++) {
        if (at == end)
            return i > 0;
        if (at > end || pc_input_read_at(r->in, at, raw, sizeof(raw)) != sizeof(raw))
            return false;
        struct pc_record_head head = pc_load_head(raw, r->order);
        const struct pc_record_info *info = pc_record_info(head.type);
        if (!info || head.size < info->min || (head.misc & ~(unsigned)info->misc) != 0 ||
            (head.size % 8 != 0 && !(info->flags & PC_ANY_SIZE)))
            return false;
        if (info->flags & PC_HAS_PAYLOAD)
            return i > 0; /* of a size that may be damaged */
        at += head.size;
    }
    return true;
}

/* Where the data begin whose attrs end here: there, or after the room that perf inject --strip leaves, which
 * is zeros, as no record begins with. 0: they do not. */
static uint64_t data_after(struct repair *r, uint64_t attrs)
{
    unsigned char raw[ROOM_MAX + PC_RECORD_HEADER_SIZE];
    if (leads_on(r, attrs, r->in->size))
        return attrs;
    if (r->rooms++ >= ROOMS_MAX)
        return 0;
    const size_t have = pc_input_read_at(r->in, attrs, raw, sizeof(raw));
    const uint64_t at = attrs + pc_first_nonzero((struct pc_span){ raw, have }) / 8 * 8;
    return at != attrs && at - attrs <= ROOM_MAX && leads_on(r, at, r->in->size) ? at : 0;
}

/* --- what kind of capture --- */

static bool is_size_of(uint64_t size, enum pc_order order, const unsigned char *head)
{
    return pc_load(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8, order) == size;
}

/* Whether attrs of one size follow each other here: each begins with its type and its size, which fills its
 * entry. shorter: it may be less, as simpleperf leaves it. */
static bool follow_each_other(struct repair *r, uint64_t offset, uint64_t size, uint64_t entry, bool shorter)
{
    unsigned char raw[4];
    uint64_t end;
    if (entry < PC_ATTR_SIZE_MIN + PC_SECTION_SIZE || !pc_attr_size_known(entry - PC_SECTION_SIZE) ||
        size == 0 || size % entry != 0 || size / entry > PC_ATTRS_MAX || offset < PC_FILE_HEADER_SIZE ||
        !pc_add(offset, size, &end) || end > r->in->size)
        return false;
    for (uint64_t at = offset; at < end; at += entry) {
        if (r->entries++ >= ENTRIES_MAX ||
            pc_input_read_at(r->in, at + PC_ATTR_SIZE_AT, raw, sizeof(raw)) != sizeof(raw))
            return false;
        const uint64_t own = pc_load(raw, 4, r->order), room = entry - PC_SECTION_SIZE;
        if (own != room && !(shorter && own < room && pc_attr_size_known(own)))
            return false;
    }
    return true;
}

static bool are_attrs(struct repair *r, uint64_t offset, uint64_t size, uint64_t entry)
{
    return follow_each_other(r, offset, size, entry, false);
}

/* Whether the words after the size of the header say where attrs are, as those of a file do. */
static bool has_attrs(struct repair *r, const unsigned char *head)
{
    uint64_t word[3];
    for (unsigned i = 0; i < 3; i++)
        word[i] = pc_load(head + pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE + i), 8, r->order);
    return are_attrs(r, word[1], word[2], word[0]);
}

/* Whether it is a capture of this byte order, as the size of its header shows, or the place of its attrs. */
static bool is_of_order(struct repair *r, enum pc_order order, const unsigned char *head)
{
    r->order = order;
    return is_size_of(PC_FILE_HEADER_SIZE, order, head) || has_attrs(r, head) ||
           leads_on(r, PC_PIPE_HEADER_SIZE, r->in->size);
}

/* The same, as EVENT_DESC shows it where the whole header is damaged, and what follows it. */
static bool is_of_order_by_events(struct repair *r, enum pc_order order, unsigned char *head)
{
    r->order = order;
    return pc_repair_words_by_events(r, head);
}

/* Whether behind a header of 72 bytes there are bits of features, and behind the data a table with as many
 * entries: it has 104. */
static bool has_bits(struct repair *r, const unsigned char *head)
{
    unsigned char table[PC_TABLE_MAX];
    uint64_t nr = 0, first, end, at;
    for (size_t i = pc_row_at(pc_file_header, PC_HEAD_FEATURES); i < PC_FILE_HEADER_SIZE; i++)
        nr += (unsigned)__builtin_popcount(head[i]);
    const size_t len = (size_t)nr * PC_SECTION_SIZE;
    return nr >= PC_TABLE_FEW &&
           pc_add(pc_load(head + pc_row_at(pc_file_header, PC_HEAD_DATA_OFFSET), 8, r->order),
                  pc_load(head + pc_row_at(pc_file_header, PC_HEAD_DATA_SIZE), 8, r->order), &at) &&
           at < r->in->size && pc_input_read_at(r->in, at, table, len) == len &&
           pc_sections_follow(table, nr, r->order, &first, &end) && first - at - len <= PC_TABLE_GAP_MAX &&
           end <= r->in->size;
}

/* --- a header of zeros --- */

static uint64_t count_attrs(struct repair *r, uint64_t offset, uint64_t entry, uint64_t data);

/* Whether an attr is the first one of perf: its ids are behind the header, and before it. */
static bool is_first_attr(struct repair *r, uint64_t at, uint64_t entry)
{
    unsigned char raw[PC_SECTION_SIZE];
    if (pc_input_read_at(r->in, at + entry - sizeof(raw), raw, sizeof(raw)) != sizeof(raw))
        return false;
    const uint64_t offset = pc_load(raw, 8, r->order), size = pc_load(raw + 8, 8, r->order);
    return size == 0 ? at == PC_FILE_HEADER_SIZE
                     : offset == PC_FILE_HEADER_SIZE && size % 8 == 0 && size <= at - offset;
}

/* Whether attrs, and records behind them, are at this place of the file. The first record may look like one
 * more attr. */
static bool are_before_data(struct repair *r, uint64_t at, const unsigned char *p, struct pc_behind *words)
{
    const uint64_t own = pc_load(p + PC_ATTR_SIZE_AT, 4, r->order), entry = own + PC_SECTION_SIZE;
    if (!pc_attr_size_known(own) || !is_first_attr(r, at, entry))
        return false;
    *words = (struct pc_behind){ .attrs = at,
                                 .entry = entry,
                                 .size = count_attrs(r, at, entry, r->in->size) * entry };
    words->data = data_after(r, at + words->size);
    if (words->data == 0 && words->size > entry) {
        words->size -= entry;
        words->data = data_after(r, at + words->size);
    }
    return words->size != 0 && words->data != 0;
}

/* Finds the attrs behind a header of zeros, and what follows from their place. */
static bool find_words(struct repair *r, unsigned char *head)
{
    struct pc_behind words;
    for (uint64_t from = PC_FILE_HEADER_SIZE; from < PC_REPAIR_FAR_MAX; from += PC_REPAIR_CHUNK) {
        const size_t have = pc_input_read_at(r->in, from, r->chunk, PC_REPAIR_CHUNK);
        for (size_t i = 0; i + 8 <= have; i += 8) {
            if (!are_before_data(r, from + i, r->chunk + i, &words))
                continue;
            pc_repair_put_words(r, head, &words);
            return true;
        }
    }
    return false;
}

static bool is_zero_word(const unsigned char *head, unsigned slot)
{
    const size_t at = pc_row_at(pc_file_header, slot);
    return pc_first_nonzero((struct pc_span){ head + at, 8 }) == 8;
}

/* Whether zeros are where the header said how it is read: a pipe, or where attrs and data are. */
static bool shows_words(struct repair *r, unsigned char *head)
{
    const bool no_size = is_zero_word(head, PC_HEAD_SIZE);
    r->entries = r->rooms = 0;
    if (no_size && leads_on(r, PC_PIPE_HEADER_SIZE, r->in->size)) {
        pc_repair_put_word(r, head, PC_HEAD_SIZE, PC_PIPE_HEADER_SIZE);
        return true;
    }
    if ((!no_size && !is_size_of(PC_FILE_HEADER_SIZE, r->order, head)) || has_attrs(r, head))
        return false;
    if (is_zero_word(head, PC_HEAD_DATA_OFFSET) &&
        (find_words(r, head) || pc_repair_words_by_events(r, head)))
        return true;
    return no_size && pc_repair_pipe_by_events(r, head);
}

/* A header with zeros, as a file system leaves a block of a file that it did not get to write: what is behind
 * them shows what it was, and in which byte order. */
static void repair_zeros(struct repair *r, unsigned char *head)
{
    if (pc_is_magic(head)) {
        r->order = memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
        if (memcmp(head, PC_MAGIC_1, 8) != 0)
            shows_words(r, head);
        return;
    }
    if (pc_first_nonzero((struct pc_span){ head, 8 }) != 8)
        return;
    for (r->order = PC_LITTLE; !shows_words(r, head); r->order = PC_BIG) {
        if (r->order == PC_BIG)
            return;
    }
    memcpy(head, pc_magic(r->order).ptr, 8);
    pc_salvage_patch(r->s, 0, head, 8);
}

/* The magic and the size of the header. False: they are lost, or it is no file with a feature table. */
static bool repair_start(struct repair *r, unsigned char *head)
{
    const size_t size_at = pc_row_at(pc_file_header, PC_HEAD_SIZE);
    repair_zeros(r, head);
    r->entries = r->rooms = 0;
    if (!pc_is_magic(head)) {
        if (!is_of_order(r, PC_LITTLE, head) && !is_of_order(r, PC_BIG, head) &&
            !is_of_order_by_events(r, PC_LITTLE, head) && !is_of_order_by_events(r, PC_BIG, head))
            return false;
        memcpy(head, pc_magic(r->order).ptr, 8);
        pc_salvage_patch(r->s, 0, head, 8);
    }
    r->order = memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    uint64_t size = pc_load(head + size_at, 8, r->order);
    if (memcmp(head, PC_MAGIC_1, 8) == 0 || (size == PC_FILE_HEADER_OLD && !has_bits(r, head)) ||
        (size == PC_PIPE_HEADER_SIZE && !has_attrs(r, head)))
        return false;
    if (size != PC_FILE_HEADER_SIZE) {
        bool pipe = leads_on(r, PC_PIPE_HEADER_SIZE, r->in->size);
        size = pipe ? PC_PIPE_HEADER_SIZE : PC_FILE_HEADER_SIZE;
        pc_store(head + size_at, 8, size, r->order);
        pc_salvage_patch(r->s, size_at, head + size_at, 8);
    }
    return size == PC_FILE_HEADER_SIZE;
}

/* The first record of a pipe is an attr, whose header follows from it: from its size, and from where its ids
 * end. */
static void repair_first(struct repair *r)
{
    unsigned char raw[8];
    uint64_t start = PC_PIPE_HEADER_SIZE, at = start + PC_RECORD_HEADER_SIZE, last = 0, id, size;
    if (pc_input_read_at(r->in, start, raw, sizeof(raw)) != sizeof(raw) ||
        pc_record_info(pc_load_head(raw, r->order).type) || /* whose right size the reader knows */
        pc_input_read_at(r->in, at + PC_ATTR_SIZE_AT, raw, 4) != 4 ||
        !pc_attr_size_known(size = pc_load(raw, 4, r->order)))
        return;
    for (at += size; pc_input_read_at(r->in, at, raw, 8) == 8; at += 8, last = id) {
        id = pc_load(raw, 8, r->order);
        if (!pc_may_be_id(last, id))
            break;
    }
    if (last == 0 || at - start > PC_RECORD_SIZE_MAX || !leads_on(r, at, r->in->size))
        return;
    const struct pc_record_head head = { .type = PC_HEADER_ATTR, .size = (uint16_t)(at - start) };
    pc_store_head(raw, head, r->order);
    pc_salvage_patch(r->s, start, raw, PC_RECORD_HEADER_SIZE);
}

/* --- attrs --- */

static bool try_attrs(struct repair *r, uint64_t offset, uint64_t size, uint64_t entry)
{
    if (!are_attrs(r, offset, size, entry))
        return false;
    pc_repair_set(r, PC_HEAD_ATTRS_OFFSET, offset);
    pc_repair_set(r, PC_HEAD_ATTRS_SIZE, size);
    pc_repair_set(r, PC_HEAD_ATTR_SIZE, entry);
    return true;
}

/* Entries of this size from a place on, up to the data or to what is none. */
static uint64_t count_attrs(struct repair *r, uint64_t offset, uint64_t entry, uint64_t data)
{
    uint64_t nr = 0;
    while (nr < PC_ATTRS_MAX && offset + (nr + 1) * entry <= data &&
           are_attrs(r, offset + nr * entry, entry, entry))
        nr++;
    return nr;
}

/* Whether one of these attrs, at least, has the size of its entry. */
static bool has_attr(struct repair *r, uint64_t offset, uint64_t size, uint64_t entry)
{
    for (uint64_t at = 0; at < size; at += entry) {
        if (are_attrs(r, offset + at, entry, entry))
            return true;
    }
    return false;
}

/* The attrs end where the data begin, and their size is in each of them: one of the three words can be wrong.
 * False: more are. */
static bool repair_attrs(struct repair *r)
{
    unsigned char raw[8];
    struct pc_behind words;
    uint64_t offset = r->slot[PC_HEAD_ATTRS_OFFSET], size = r->slot[PC_HEAD_ATTRS_SIZE],
             entry = r->slot[PC_HEAD_ATTR_SIZE], data = r->slot[PC_HEAD_DATA_OFFSET];
    /* Where the words agree, it is attrs that are damaged. */
    bool agree = offset >= PC_FILE_HEADER_SIZE && entry > PC_SECTION_SIZE && size / entry <= PC_ATTRS_MAX &&
                 size % entry == 0 && pc_attr_size_known(entry - PC_SECTION_SIZE) && data >= offset &&
                 data - offset == size && (size == entry || has_attr(r, offset, size, entry));
    if (agree || are_attrs(r, offset, size, entry) || try_attrs(r, data - size, size, entry) ||
        try_attrs(r, offset, data - offset, entry))
        return true;
    if (pc_input_read_at(r->in, offset, raw, sizeof(raw)) == sizeof(raw) &&
        are_before_data(r, offset, raw, &words) && try_attrs(r, offset, words.size, words.entry))
        return true;
    /* Attrs that come in records perf inject puts behind the data: FORMAT.md 6.6. */
    uint64_t end = offset < data ? data : r->in->size;
    if (end <= r->in->size && entry != 0 && offset < end &&
        try_attrs(r, offset, count_attrs(r, offset, entry, end) * entry, entry))
        return true;
    for (uint64_t at = PC_FILE_HEADER_SIZE; at < data && at < ROOM_MAX; at += 8) {
        if (at + size <= data && try_attrs(r, at, size, entry))
            return true;
    }
    uint64_t behind = data + r->slot[PC_HEAD_DATA_SIZE];
    for (uint64_t at = behind; behind >= data && at < r->in->size && at - behind < ROOM_MAX; at += 8) {
        if (try_attrs(r, at, size, entry))
            return true;
    }
    for (entry = PC_ATTR_SIZE_MIN + PC_SECTION_SIZE; entry <= PC_ATTR_SIZE_KNOWN + PC_SECTION_SIZE;
         entry += 8) {
        if (try_attrs(r, offset, size, entry))
            return true;
    }
    entry = r->slot[PC_HEAD_ATTR_SIZE];
    if (follow_each_other(r, offset, size, entry, true))
        return true;
    if (!follow_each_other(r, data - size, size, entry, true))
        return false;
    pc_repair_set(r, PC_HEAD_ATTRS_OFFSET, data - size);
    return true;
}

/* An offset is larger by so much, modulo 2^64. One of 0 is no place. */
static void move_word(struct repair *r, uint64_t at, uint64_t moved)
{
    unsigned char raw[8];
    if (pc_input_read_at(r->in, at, raw, sizeof(raw)) == sizeof(raw) &&
        pc_first_nonzero((struct pc_span){ raw, 8 }) != 8)
        pc_repair_word(r, at, pc_load(raw, sizeof(raw), r->order) + moved);
}

/* Attrs that perf inject put behind the data, where the header says: the ids in front of them follow the
 * table of features, which follows the data. False: they do not, or it is not known which word is wrong. */
static bool ids_show_end(struct repair *r, const struct pc_behind *words)
{
    const uint64_t ids = pc_ids_behind(r->in, words), nr = pc_count_features(r->s->named),
                   table = ids - nr * PC_SECTION_SIZE;
    if (ids == 0 || nr != pc_bit(r->s->named, PC_BUILD_ID) || table <= words->data || table > ids)
        return false;
    if (table - words->data != words->data_size &&
        (!leads_on(r, words->data, table) ||
         pc_repair_leads_to(r, words->data, words->data + words->data_size)))
        return false;
    pc_repair_set(r, PC_HEAD_DATA_SIZE, table - words->data);
    return true;
}

/* Whether all from the table, which is at this place now, up to the attrs may be what was there. Else bytes
 * came or went in it; but for the last record, if it is that which ends early. */
static bool are_whole(struct repair *r, uint64_t table, uint64_t attrs)
{
    unsigned char raw[8];
    uint64_t last = 0;
    const uint64_t nr = pc_count_features(r->s->named);
    if (nr != 0) /* the first section was behind the table */
        return pc_input_read_at(r->in, table, raw, sizeof(raw)) == sizeof(raw) &&
               pc_load(raw, sizeof(raw), r->order) ==
                   r->slot[PC_HEAD_DATA_OFFSET] + r->slot[PC_HEAD_DATA_SIZE] + nr * PC_SECTION_SIZE;
    for (uint64_t at = table; at < attrs; at += sizeof(raw)) {
        if (pc_input_read_at(r->in, at, raw, sizeof(raw)) != sizeof(raw))
            return false;
        const uint64_t id = pc_load(raw, sizeof(raw), r->order);
        if (!pc_may_be_id(last, id))
            return false;
        last = id;
    }
    return true;
}

/* The same when bytes lost or inserted there moved them, with the table and the ids. False: they were not
 * found. */
static bool repair_behind(struct repair *r)
{
    const struct pc_behind words = pc_behind_of(r->order, r->slot + PC_HEAD_ATTR_SIZE);
    if (ids_show_end(r, &words))
        return true;
    const uint64_t at = pc_find_behind(r->in, &words), moved = at - words.attrs,
                   end = words.data + words.data_size, table = end + moved;
    if (at == 0 || moved == 0 || (!are_whole(r, table, at) && pc_repair_leads_to(r, words.data, end)))
        return false;
    pc_repair_set(r, PC_HEAD_ATTRS_OFFSET, at);
    pc_repair_set(r, PC_HEAD_DATA_SIZE, words.data_size + moved);
    for (uint64_t i = words.entry; i <= words.size; i += words.entry)
        move_word(r, at + i - PC_SECTION_SIZE, moved);
    for (uint64_t i = 0; i < pc_count_features(r->s->named); i++)
        move_word(r, table + i * PC_SECTION_SIZE, moved);
    return true;
}

/* The data begin where the attrs end, or after the room behind them. */
static void repair_data(struct repair *r)
{
    const uint64_t data = r->slot[PC_HEAD_DATA_OFFSET], attrs = r->slot[PC_HEAD_ATTRS_OFFSET],
                   after = attrs + r->slot[PC_HEAD_ATTRS_SIZE];
    uint64_t end = 0;
    const bool whole = r->slot[PC_HEAD_DATA_SIZE] != 0 && pc_add(data, r->slot[PC_HEAD_DATA_SIZE], &end) &&
                       end <= r->in->size;
    if (data == after || !are_attrs(r, attrs, r->slot[PC_HEAD_ATTRS_SIZE], r->slot[PC_HEAD_ATTR_SIZE]))
        return;
    const uint64_t begin = data_after(r, after);
    /* Or the first records are damaged: else they lead from there to this place, if it is one of a record. */
    if (leads_on(r, data, whole ? end : r->in->size) && (begin == 0 || !pc_repair_leads_to(r, begin, data)))
        return;
    if (begin != 0)
        pc_repair_set(r, PC_HEAD_DATA_OFFSET, begin);
    else if (attrs > PC_FILE_HEADER_SIZE && leads_on(r, PC_FILE_HEADER_SIZE, attrs))
        pc_repair_set(r, PC_HEAD_DATA_OFFSET, PC_FILE_HEADER_SIZE);
}

/* Which features the header names, before anything is mended. */
static void note_features(struct repair *r, const unsigned char *head)
{
    const unsigned char *bits = head + pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    for (size_t i = 0; i < PC_COUNT_OF(r->s->named); i++)
        r->s->named[i] = pc_load(bits + 8 * i, 8, r->order);
}

/* Whether the data end where the header says, with attrs behind them. The table there may be damaged. */
static bool end_is_known(struct repair *r)
{
    const struct pc_behind words = pc_behind_of(r->order, r->slot + PC_HEAD_ATTR_SIZE);
    return pc_is_behind(&words) && pc_count_features(r->s->named) == pc_bit(r->s->named, PC_BUILD_ID) &&
           pc_repair_leads_to(r, words.data, words.data + words.data_size);
}

/* --- all --- */

/* The words of the header, as they are now. */
static bool load_words(struct repair *r, const unsigned char *head)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ head, PC_FILE_HEADER_SIZE }, r->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, pc_file_header))
        return false;
    memcpy(r->slot, walk.slot, sizeof(r->slot));
    return true;
}

/* Where several words are wrong, what is behind the header shows them, as where they are zeros. If records
 * are where the header says, it is right, and the attrs were lost. */
static void repair_several(struct repair *r, unsigned char *head)
{
    r->entries = r->rooms = 0;
    if (leads_on(r, r->slot[PC_HEAD_DATA_OFFSET], r->in->size))
        return;
    if (find_words(r, head) || pc_repair_words_by_events(r, head))
        load_words(r, head);
}

static void repair_words(struct repair *r, unsigned char *head)
{
    if (!load_words(r, head))
        return;
    note_features(r, head);
    if (repair_behind(r))
        return;
    if (!repair_attrs(r))
        repair_several(r, head);
    repair_data(r);
    if (!end_is_known(r))
        pc_repair_table(r);
}

/* Mends what can be. words: NULL, or what the header said. False: the table that shall prove bytes lost or
 * inserted is not where the header then says, so there were none. */
static bool repair(struct pc_salvage *s, const struct pc_behind *words)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    struct pc_input file;
    struct repair r = { .s = s, .in = &file };
    if (!pc_salvage_open_file(s, &file))
        return true;
    size_t len = pc_input_read_at(&file, 0, head, sizeof(head));
    memset(head + len, 0, sizeof(head) - len);
    if (len >= PC_PIPE_HEADER_SIZE + PC_RECORD_HEADER_SIZE) {
        r.chunk = pc_alloc_buffer(&s->mem, PC_REPAIR_CHUNK + PC_TABLE_MAX);
        s->no_memory |= !r.chunk;
    }
    if (words && r.chunk) {
        r.order = words->order;
        pc_repair_put_magic(&r, head);
        pc_repair_put_words(&r, head, words);
    }
    const bool is_file = r.chunk && repair_start(&r, head) && len == sizeof(head);
    if (is_file)
        repair_words(&r, head);
    else if (r.chunk && pc_is_magic(head) && is_size_of(PC_PIPE_HEADER_SIZE, r.order, head))
        repair_first(&r);
    pc_free(&s->mem, r.chunk, PC_REPAIR_CHUNK + PC_TABLE_MAX);
    pc_patches_sort(s->patch, s->nr_patches);
    file.patch = s->patch;
    file.nr_patches = s->nr_patches;
    if (is_file)
        pc_repair_doubt(&r);
    file.nr_patches = 0;
    const bool holds =
        !pc_input_is_shifted(&file) ||
        pc_repair_count_shifted(&r, r.slot[PC_HEAD_DATA_OFFSET] + r.slot[PC_HEAD_DATA_SIZE]) != 0;
    s->not_judged |= file.error != 0; /* what cannot be read proves nothing */
    pc_input_close(&file);
    return holds;
}

/* Bytes that were lost or inserted in front of the records, which the header does not show. */
static bool find_moved(struct pc_salvage *s, struct pc_shift *shift, struct pc_behind *words)
{
    struct pc_input file = s->in;
    struct repair r = { .s = s, .in = &file };
    if (s->in.kind != PC_INPUT_FILE)
        return false;
    r.chunk = pc_alloc_buffer(&s->mem, PC_REPAIR_CHUNK + PC_TABLE_MAX);
    s->no_memory |= !r.chunk;
    const bool found = r.chunk && pc_repair_find_moved(&r, shift, words);
    pc_free(&s->mem, r.chunk, PC_REPAIR_CHUNK + PC_TABLE_MAX);
    s->not_judged |= file.error != 0;
    return found;
}

void pc_repair(struct pc_salvage *s)
{
    struct pc_input file = s->in;
    struct pc_shift shift;
    struct pc_behind words;
    /* Bytes that were lost in front of the records are read as zeros, and those that were inserted are not
     * read, so that the rest is where it was. */
    const bool found = pc_find_shift(&file, &shift),
               may = !shift.whole && file.error == 0 && (!found || shift.at <= PC_FILE_HEADER_SIZE),
               moved = may && find_moved(s, &shift, &words);
    if (found || moved)
        pc_input_shift(&s->in, shift.at, shift.lost, shift.added);
    s->not_judged |= file.error != 0;
    if (!repair(s, moved ? &words : NULL)) {
        pc_salvage_unmend(s);
        repair(s, NULL);
    }
    if (s->no_memory)
        pc_salvage_unmend(s);
}
