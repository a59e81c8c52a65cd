/* SPDX-License-Identifier: MIT
 *
 * What the header of a file says of its sections, checked against the file before any of them is read.
 */
#include "read/parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* No attr is larger: kernel/events/core.c: perf_copy_attr. */
#define ATTR_SIZE_OF_A_PAGE 4096

static const struct pc_context header = { .place = PC_IN_HEADER };

/* The word of the header that a walk of it saves in this slot. */
static const struct pc_field *header_row(unsigned slot, size_t *at)
{
    return pc_find_row(pc_file_header, 0, slot, at);
}

uint64_t pc_reader_head_word(const struct pc_reader *r, unsigned slot)
{
    size_t at;
    header_row(slot, &at);
    return pc_load(r->file.head + at, 8, r->capture->order);
}

void pc_reader_say_header(struct pc_reader *r, enum pc_diag id, unsigned slot, struct pc_value seen,
                          struct pc_value expected)
{
    size_t at;
    const struct pc_context word = { .place = PC_IN_HEADER, .name = header_row(slot, &at)->name };
    pc_report_say(r->report, &word, id, at, 8, seen, expected);
}

/* About a section that the header describes by the offset in this slot, and a size. */
static void say_range(struct pc_reader *r, enum pc_diag id, const char *section, unsigned slot,
                      struct pc_value seen, struct pc_value expected)
{
    const struct pc_context words = { .place = PC_IN_HEADER, .name = section };
    size_t at;
    header_row(slot, &at);
    pc_report_say(r->report, &words, id, at, PC_SECTION_SIZE, seen, expected);
}

/* The bitmap as one bit for each feature. Writers store longs; a 32-bit big-endian one has its words in
 * another order than a 64-bit one, and HOSTNAME, which every perf sets, tells them apart: header.c:
 * perf_file_header__read. */
static void read_bitmap(struct pc_reader *r)
{
    struct pc_capture *capture = pc_reader_learn(r);
    const unsigned char *bits = r->file.head + pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    uint64_t wide[PC_FEATURE_BITS / 64], narrow[PC_FEATURE_BITS / 64];

    for (size_t i = 0; i < PC_COUNT_OF(wide); i++) {
        wide[i] = pc_load(bits + 8 * i, 8, capture->order);
        narrow[i] = pc_load(bits + 8 * i, 4, capture->order) | pc_load(bits + 8 * i + 4, 4, capture->order)
                                                                   << 32;
    }
    /* Without HOSTNAME nothing tells them apart: the table has as many entries either way. */
    bool words_of_32 = capture->order == PC_BIG && !pc_bit(wide, PC_HOSTNAME) && pc_bit(narrow, PC_HOSTNAME);
    memcpy(capture->features, words_of_32 ? narrow : wide, sizeof(wide));
}

/* The attr section: true when its entries can be read. */
static bool check_attrs(struct pc_reader *r, uint64_t header_size)
{
    const struct pc_capture *capture = r->capture;
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE);
    uint64_t offset = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET),
             size = pc_header_get(capture, PC_HEAD_ATTRS_SIZE);
    uint64_t end;

    if (entry == 0) {
        pc_reader_say_header(r, PC_D_ATTR_ENTRY_ZERO, PC_HEAD_ATTR_SIZE, pc_uint_value(0), pc_none);
        return false;
    }
    if (entry < PC_ATTR_SIZE_MIN + PC_SECTION_SIZE || entry % 8 != 0 ||
        entry > ATTR_SIZE_OF_A_PAGE + PC_SECTION_SIZE) {
        pc_reader_say_header(r, PC_D_ATTR_ENTRY_BAD, PC_HEAD_ATTR_SIZE, pc_uint_value(entry),
                             pc_text_value("80 to 160"));
        return false;
    }
    if (entry > PC_ATTR_SIZE_KNOWN + PC_SECTION_SIZE)
        pc_reader_say_header(r, PC_D_ATTR_ENTRY_NEWER, PC_HEAD_ATTR_SIZE, pc_uint_value(entry),
                             pc_uint_value(PC_ATTR_SIZE_KNOWN + PC_SECTION_SIZE));
    else if (!pc_attr_size_known(entry - PC_SECTION_SIZE))
        pc_reader_say_header(r, PC_D_ATTR_ENTRY_ODD, PC_HEAD_ATTR_SIZE, pc_uint_value(entry), pc_none);
    if (!pc_add(offset, size, &end) || end > r->in->size) {
        say_range(r, PC_D_ATTRS_OUTSIDE, "attrs", PC_HEAD_ATTRS_OFFSET,
                  pc_hex_value(pc_add_saturated(offset, size)), pc_hex_value(r->in->size));
        r->file.lost = true;
        return false;
    }
    if (offset < header_size) {
        say_range(r, PC_D_ATTRS_OVERLAP_HEADER, "attrs", PC_HEAD_ATTRS_OFFSET, pc_hex_value(offset),
                  pc_hex_value(header_size));
        return false; /* what is there is no attr */
    }
    pc_reader_add_range(r, PC_RANGE_ATTRS, 0, offset, end);
    if (size % entry != 0)
        pc_reader_say_header(r, PC_D_ATTRS_REMAINDER, PC_HEAD_ATTRS_SIZE, pc_uint_value(size),
                             pc_uint_value(entry));
    if (size / entry > PC_ATTRS_MAX) {
        pc_reader_say_header(r, PC_D_ATTRS_TOO_MANY, PC_HEAD_ATTRS_SIZE, pc_uint_value(size / entry),
                             pc_uint_value(PC_ATTRS_MAX));
        return false;
    }
    return true;
}

/* The data section: sets where records are read from and to. Returns whether the feature table after it
 * can be found. */
static bool check_data(struct pc_reader *r, uint64_t header_size)
{
    const struct pc_capture *capture = r->capture;
    uint64_t offset = pc_header_get(capture, PC_HEAD_DATA_OFFSET),
             size = pc_header_get(capture, PC_HEAD_DATA_SIZE);
    uint64_t end, file = r->in->size;
    bool table = true;

    if (!pc_add(offset, size, &end)) {
        say_range(r, PC_D_DATA_OVERFLOW, "data", PC_HEAD_DATA_OFFSET, pc_hex_value(size), pc_none);
        r->outer.cut = r->outer.open = true;
        table = false;
        end = file;
    } else if (size == 0 && pc_reader_has_table(r, offset)) { /* no record is like that */
        pc_reader_say_header(r, PC_D_DATA_EMPTY, PC_HEAD_DATA_SIZE, pc_uint_value(0), pc_none);
    } else if (size == 0 && file > offset) {
        pc_reader_say_header(r, PC_D_UNFINISHED, PC_HEAD_DATA_SIZE, pc_uint_value(0),
                             pc_uint_value(file - offset));
        pc_reader_learn(r)->unfinished = r->outer.cut = r->outer.open = true;
        table = false;
        end = file;
    } else if (end > file) {
        say_range(r, PC_D_DATA_OUTSIDE, "data", PC_HEAD_DATA_OFFSET, pc_hex_value(end), pc_hex_value(file));
        r->outer.cut = true;
        table = false;
        end = file;
    } else if (size == 0) {
        pc_reader_say_header(r, PC_D_DATA_EMPTY, PC_HEAD_DATA_SIZE, pc_uint_value(0), pc_none);
        table = false; /* the features are those planned: tools/perf/util/header.c:
                          perf_header__process_sections */
    }
    if (table && !r->salvages && (r->file.moved = pc_reader_find_moved(r, offset, end)) != 0) {
        pc_reader_say_header(r, PC_D_DATA_END_MOVED, PC_HEAD_DATA_SIZE, pc_uint_value(size),
                             pc_uint_value(size + r->file.moved));
        end += r->file.moved;
    }
    if (offset < header_size) {
        say_range(r, PC_D_DATA_OVERLAPS_HEADER, "data", PC_HEAD_DATA_OFFSET, pc_hex_value(offset),
                  pc_hex_value(header_size));
        offset = header_size;
    }
    pc_reader_add_range(r, PC_RANGE_DATA, 0, offset, end);
    if (offset % 8 != 0)
        pc_reader_say_header(r, PC_D_DATA_UNALIGNED, PC_HEAD_DATA_OFFSET, pc_hex_value(offset), pc_none);
    r->outer.offset = offset < end ? offset : end;
    r->outer.end = end;
    return table;
}

/* Makes a finding of the first leaf that breaks the rule of its row. */
static bool find_odd(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_finding *f = ctx;
    if (leaf->field->rule == PC_RULE_NONE || pc_leaf_ok(leaf))
        return true;
    f->id = leaf->field->rule_diag;
    f->offset += leaf->at;
    f->length = leaf->raw.len;
    return false;
}

/* Names of events as perf before 3.12 wrote them. */
static void check_event_types(struct pc_reader *r)
{
    const struct pc_capture *capture = r->capture;
    bool old = capture->version == 1;
    uint64_t offset = pc_header_get(capture, PC_HEAD_TYPES_OFFSET),
             size = pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE), end;

    if (size == 0 && offset == 0)
        return;
    if (entry >= 128)
        pc_reader_say_header(r, PC_D_EVENT_TYPES_NEW, PC_HEAD_TYPES_SIZE, pc_uint_value(size), pc_none);
    enum pc_diag wrong = old ? PC_D_EVENT_TYPES_RANGE_V1 : PC_D_EVENT_TYPES_RANGE;
    if (!pc_add(offset, size, &end) || end > r->in->size) {
        say_range(r, wrong, "event_types", PC_HEAD_TYPES_OFFSET, pc_uint_value(size),
                  pc_text_value("a range inside the file"));
        r->file.lost = true;
        return;
    }
    pc_reader_add_range(r, PC_RANGE_TYPES, 0, offset, end);
    if (size % PC_EVENT_TYPE_SIZE != 0) {
        pc_reader_say_header(r, wrong, PC_HEAD_TYPES_SIZE, pc_uint_value(size),
                             pc_text_value("a multiple of 72"));
        return;
    }
    uint64_t attrs = entry ? pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / entry : 0;
    if (size / PC_EVENT_TYPE_SIZE != attrs)
        pc_reader_say_header(r, PC_D_EVENT_TYPES_COUNT, PC_HEAD_TYPES_SIZE,
                             pc_uint_value(size / PC_EVENT_TYPE_SIZE), pc_uint_value(attrs));
    if (!pc_reader_read_section(r, offset, size))
        return;
    for (uint64_t at = 0; at < size; at += PC_EVENT_TYPE_SIZE) {
        struct pc_cursor c =
            pc_cursor((struct pc_span){ r->file.section + at, PC_EVENT_TYPE_SIZE }, capture->order);
        struct pc_finding f = pc_finding_in(&header, PC_NO_DIAG, offset + at, 0);
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, find_odd, &f);
        pc_walk_table(&walk, pc_event_type);
        f.path[0] = (struct pc_step){ "event_types", at / PC_EVENT_TYPE_SIZE };
        f.depth = 1;
        if (f.id)
            pc_report_add(r->report, &f);
    }
}

/* Whether the table after the data is whole, but has not as many entries as the header has bits. Then nobody
 * knows which features they are of. A salvage has looked at it before. */
static bool has_other_table(struct pc_reader *r, uint64_t slots)
{
    char words[PC_VALUE_MAX];
    uint64_t nr = r->salvages ? slots : pc_reader_count_entries(r, slots);
    if (nr == slots)
        return false;
    int n = snprintf(words, sizeof(words), "%" PRIu64 " entries at 0x%" PRIx64, nr, r->outer.end);
    const struct pc_value found = pc_bytes_value((struct pc_span){ (const unsigned char *)words, (size_t)n });
    size_t at;
    const struct pc_field *row = header_row(PC_HEAD_FEATURES, &at);
    struct pc_finding f = pc_finding_in(&header, PC_D_FEATURE_BITS, at, PC_FEATURE_BITS / 8);
    pc_finding_name(&f, row->name);
    f.seen = pc_uint_value(slots);
    f.expected = found;
    pc_report_add(r->report, &f);
    pc_reader_add_range(r, PC_RANGE_TABLE, 0, r->outer.end, r->in->size);
    return true;
}

/* The header may name features of simpleperf, also when the file was cut before them. */
static void note_simpleperf(struct pc_reader *r)
{
    struct pc_capture *capture = pc_reader_learn(r);
    capture->by_simpleperf |= pc_has_android_features(capture->features);
}

/* The table of feature sections after the data: true when it is in the file. */
static bool check_table(struct pc_reader *r)
{
    const struct pc_capture *capture = r->capture;
    uint64_t slots = 0, others = 0, end;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        slots += pc_bit(capture->features, bit);
        others += pc_bit(capture->features, bit) && bit != PC_BUILD_ID && bit != 0;
    }
    uint64_t start = r->outer.end;
    if (has_other_table(r, slots))
        return false;
    end = start + slots * PC_SECTION_SIZE; /* both are at most the file's size, or 256 entries */
    if (slots == 0)
        return false;
    if (end > r->in->size) {
        note_simpleperf(r);
        const struct pc_context bits = { .place = PC_IN_HEADER, .name = "adds_features" };
        pc_report_say(r->report, &bits, PC_D_TABLE_OUTSIDE, start, end - start, pc_hex_value(end),
                      pc_hex_value(r->in->size));
        r->file.lost = true;
        return false;
    }
    note_simpleperf(r);
    if (pc_bit(capture->features, 0))
        pc_reader_say_header(r, PC_D_FEATURE_BIT_0, PC_HEAD_FEATURES, pc_uint_value(1), pc_uint_value(0));
    if (capture->order == PC_BIG && others != 0 && !pc_bit(capture->features, PC_HOSTNAME))
        pc_reader_say_header(r, PC_D_HOSTNAME_CLEAR, PC_HEAD_FEATURES, pc_none, pc_none);
    pc_reader_add_range(r, PC_RANGE_TABLE, 0, start, end);
    return true;
}

/* All feature sections, compared with the file and with each other before any is read. The reader of
 * simpleperf refuses a file with a section that begins before the end of the table (CheckSectionDesc). */
static bool check_features(struct pc_reader *r)
{
    uint64_t slot = 0, offset, size, end;
    const uint64_t first = r->capture->by_simpleperf
                               ? r->outer.end + pc_count_features(r->capture->features) * PC_SECTION_SIZE
                               : 0;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(r->capture->features, bit))
            continue;
        uint64_t at = r->outer.end + slot * PC_SECTION_SIZE;
        if (!pc_reader_table_slot(r, slot++, &offset, &size))
            return false;
        const struct pc_context entry = pc_feature_context(bit, r->streams.where, at);
        if (!pc_add(offset, size, &end) || end > r->in->size) {
            pc_report_say(r->report, &entry, PC_D_FEATURE_OUTSIDE, 0, PC_SECTION_SIZE,
                          pc_hex_value(pc_add_saturated(offset, size)), pc_hex_value(r->in->size));
            r->file.lost = true;
            continue;
        }
        if (offset < first)
            pc_report_say(r->report, &entry, PC_D_ANDROID_FEATURE_EARLY, 0, PC_SECTION_SIZE,
                          pc_hex_value(offset), pc_hex_value(first));
        pc_reader_add_range(r, PC_RANGE_FEATURE, bit, offset, end);
    }
    return true;
}

void pc_reader_open_sections(struct pc_reader *r)
{
    struct pc_capture *capture = pc_reader_learn(r);
    uint64_t size = pc_reader_head_word(r, PC_HEAD_SIZE);
    struct pc_span head = { r->file.head, (size_t)size };
    struct pc_walk walk;
    pc_read_table(&walk, pc_file_header, pc_cursor(head, capture->order));
    memcpy(capture->header, &walk.slot[PC_HEAD_SIZE], sizeof(capture->header));
    if (size == PC_FILE_HEADER_OLD && capture->version == 2)
        pc_reader_say_header(r, PC_D_HEADER_72, PC_HEAD_SIZE, pc_uint_value(size),
                             pc_uint_value(PC_FILE_HEADER_SIZE));
    if (size == PC_FILE_HEADER_SIZE)
        read_bitmap(r);

    pc_reader_add_range(r, PC_RANGE_HEADER, 0, 0, size);
    bool attrs = check_attrs(r, size);
    bool table = check_data(r, size);
    check_event_types(r);
    /* Where attrs and data overlap, one was overwritten by the other. check_data has set where data lie. */
    uint64_t attrs_at = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET);
    uint64_t attrs_end = attrs ? attrs_at + pc_header_get(capture, PC_HEAD_ATTRS_SIZE) : attrs_at;
    if (attrs_at < r->outer.end && r->outer.offset < attrs_end && attrs_at < attrs_end &&
        r->outer.offset < r->outer.end)
        attrs = false;
    if (!attrs)
        capture->attrs_damaged = true;
    r->stage = attrs ? PC_READ_ATTRS : PC_READ_FEATURES;
    if (!table)
        note_simpleperf(r);
    if (!table || !check_table(r) || !check_features(r))
        r->file.bit = PC_FEATURE_BITS; /* bits without a table are only a plan */
}
