/* SPDX-License-Identifier: MIT */
#include "reader.h"
#include "cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* One window holds the largest record and enough behind it to recognise records after damage. */
#define WINDOW              ((size_t)512 << 10)
#define LOOK_AHEAD          ((size_t)4 * 65536)
#define FILL                ((size_t)256 << 10) /* read at once: what stays in a second-level cache */
#define ATTR_SIZE_OF_A_PAGE 4096                /* no attr is larger: kernel/events/core.c: perf_copy_attr */

enum range_kind { RANGE_HEADER, RANGE_ATTRS, RANGE_IDS, RANGE_TYPES, RANGE_DATA, RANGE_TABLE, RANGE_FEATURE };

/* Bytes of the file that a section claims. */
struct pc_range {
    uint64_t start, end;
    enum range_kind kind;
    uint64_t number; /* attr or feature bit */
};

void pc_limits_init(struct pc_limits *limits)
{
    /* 64 MiB for the process, less what the program itself, its libraries and the report need. */
    *limits = (struct pc_limits){ .memory = (uint64_t)54 << 20,
                                  .section = (uint64_t)32 << 20,
                                  .spool = UINT64_MAX };
}

void pc_reader_init(struct pc_reader *reader, struct pc_input *in, struct pc_mem *mem,
                    struct pc_report *report, struct pc_capture *capture, const struct pc_limits *limits)
{
    *reader = (struct pc_reader){
        .mem = mem, .in = in, .report = report, .capture = capture, .limits = limits, .data_end = UINT64_MAX
    };
}

void pc_reader_clear(struct pc_reader *reader)
{
    pc_free(reader->mem, reader->window, WINDOW);
    pc_free(reader->mem, reader->section, reader->section_cap);
    pc_free(reader->mem, reader->range, reader->cap_ranges * sizeof(*reader->range));
    reader->window = reader->section = NULL;
    reader->range = NULL;
}

uint64_t pc_reader_offset(const struct pc_reader *reader)
{
    return reader->window_offset + reader->at;
}

/* --- saying what is wrong --- */

static struct pc_finding finding(enum pc_diag id, enum pc_place place, uint64_t offset, uint64_t length)
{
    return (struct pc_finding){
        .id = id, .place = place, .number = PC_NO_INDEX, .offset = offset, .length = length
    };
}

/* About a word of the file header. */
static void say_header(struct pc_reader *r, enum pc_diag id, const char *field, uint64_t at,
                       struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = finding(id, PC_IN_HEADER, at, 8);
    f.path[0] = (struct pc_step){ field, PC_NO_INDEX };
    f.depth = 1;
    f.seen = seen;
    f.expected = expected;
    pc_report_add(r->report, &f);
}

/* About a section that the header describes by offset and size. */
static void say_range(struct pc_reader *r, enum pc_diag id, const char *section, uint64_t at,
                      struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = finding(id, PC_IN_HEADER, at, PC_SECTION_SIZE);
    f.path[0] = (struct pc_step){ section, PC_NO_INDEX };
    f.depth = 1;
    f.seen = seen;
    f.expected = expected;
    pc_report_add(r->report, &f);
}

static void say_out_of_memory(struct pc_reader *r, const char *doing)
{
    struct pc_finding f = finding(PC_D_OUT_OF_MEMORY, PC_AT_END, pc_reader_offset(r), 0);
    f.expected = pc_text_value(doing);
    pc_report_add(r->report, &f);
}

/* A read delivered less than it must: an error of the system, or the file became shorter. */
static void say_short_read(struct pc_reader *r, uint64_t offset)
{
    struct pc_finding f = finding(PC_D_SHRANK, PC_AT_END, offset, 0);
    if (r->in->error) {
        f.id = PC_D_READ_FAILED;
        f.seen = pc_text_value(strerrordesc_np(r->in->error));
    } else {
        f.seen = pc_hex_value(offset);
        f.expected = pc_hex_value(r->in->size);
    }
    pc_report_add(r->report, &f);
}

/* --- the header --- */

#define MAGIC_2_LITTLE "PERFILE2"
#define MAGIC_2_BIG    "2ELIFREP"
#define MAGIC_1        "PERFFILE"

/* What wraps captures as a whole, by its first bytes, and how to unwrap it. */
static const struct wrapper {
    const char *magic;
    uint8_t len;
    const char *name, *command;
} wrappers[] = {
    { "\x1f\x8b", 2, "gzip", "gzip -dc FILE > perf.data" },
    { "\x28\xb5\x2f\xfd", 4, "zstd", "zstd -dc FILE > perf.data" },
    { "\xfd"
      "7zXZ",
      5, "xz", "xz -dc FILE > perf.data" },
    { "BZh", 3, "bzip2", "bzip2 -dc FILE > perf.data" },
};

/* The input is no capture; says what it seems to be. */
static void say_no_capture(struct pc_reader *r, size_t len)
{
    struct pc_span head = { r->head, len };
    struct pc_finding f = finding(PC_D_MAGIC_UNKNOWN, PC_IN_HEADER, 0, len < 8 ? len : 8);
    f.seen = pc_bytes_value(pc_part(head, 0, len < 8 ? len : 8));
    for (size_t i = 0; i < PC_COUNT_OF(wrappers); i++) {
        if (len >= wrappers[i].len && memcmp(r->head, wrappers[i].magic, wrappers[i].len) == 0) {
            f.id = PC_D_WRAPPED;
            f.length = wrappers[i].len;
            f.seen = pc_text_value(wrappers[i].name);
            f.expected = pc_text_value(wrappers[i].command);
        }
    }
    pc_report_add(r->report, &f);
}

static bool has_magic(struct pc_reader *r, size_t len, const char *magic)
{
    return memcmp(r->head, magic, len < 8 ? len : 8) == 0;
}

static uint64_t head_word(const struct pc_reader *r, size_t at)
{
    return pc_load(r->head + at, 8, r->capture->order);
}

/* attr_size values by which a version 1 header shows its order: header.c: try_all_file_abis. */
static bool is_version_1_attr_size(uint64_t size)
{
    return size == 80 || size == 88 || size == 96 || size == 112 || size == 120;
}

/* Finds version and byte order from the first bytes; false: no capture, and said so. */
static bool recognise(struct pc_reader *r, size_t len)
{
    struct pc_capture *capture = r->capture;
    if (len == 0) {
        struct pc_finding f = finding(PC_D_INPUT_EMPTY, PC_IN_HEADER, 0, 0);
        pc_report_add(r->report, &f);
        return false;
    }
    bool version_1 = has_magic(r, len, MAGIC_1);
    if (!version_1 && !has_magic(r, len, MAGIC_2_LITTLE) && !has_magic(r, len, MAGIC_2_BIG)) {
        say_no_capture(r, len);
        return false;
    }
    if (len < PC_PIPE_HEADER_SIZE) {
        struct pc_finding f = finding(PC_D_INPUT_SHORT, PC_IN_HEADER, 0, len);
        f.seen = pc_uint_value(len);
        f.expected = pc_uint_value(PC_PIPE_HEADER_SIZE);
        pc_report_add(r->report, &f);
        return false;
    }
    capture->version = version_1 ? 1 : 2;
    capture->order = has_magic(r, len, MAGIC_2_BIG) ? PC_BIG : PC_LITTLE;
    if (!version_1)
        return true;

    /* Recognised twice when it comes through a stream. */
    struct pc_finding f = finding(PC_D_VERSION_1, PC_IN_HEADER, 0, 8);
    if (r->report->by_id[PC_D_VERSION_1] == 0)
        pc_report_add(r->report, &f);
    uint64_t little = pc_load(r->head + 8, 8, PC_LITTLE), big = pc_load(r->head + 8, 8, PC_BIG);
    if (little == PC_PIPE_HEADER_SIZE || big == PC_PIPE_HEADER_SIZE || len < 24) {
        /* A pipe; or the header is cut before attr_size, which is said later. */
        capture->order = big < little ? PC_BIG : PC_LITTLE;
        return true;
    }
    little = pc_load(r->head + 16, 8, PC_LITTLE);
    big = pc_load(r->head + 16, 8, PC_BIG);
    if (!is_version_1_attr_size(little) && !is_version_1_attr_size(big)) {
        say_header(r, PC_D_VERSION_1_ORDER, "attr_size", 16, pc_uint_value(little), (struct pc_value){ 0 });
        return false;
    }
    capture->order = is_version_1_attr_size(big) ? PC_BIG : PC_LITTLE;
    return true;
}

/* The header of a record; its table is pc_record_header. */
struct record_head {
    uint32_t type;
    uint16_t misc, size;
};

static inline struct record_head load_head(const unsigned char *p, enum pc_order order)
{
    return (struct record_head){ (uint32_t)pc_load(p, 4, order), (uint16_t)pc_load(p + 4, 2, order),
                                 (uint16_t)pc_load(p + 6, 2, order) };
}

/* Whether these bytes can be the header of a record that a writer wrote. */
static bool plausible_header(const struct pc_reader *r, const unsigned char *p, uint64_t *size)
{
    struct record_head head = load_head(p, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    *size = head.size;
    return info && head.size >= info->min && (head.misc & ~(unsigned)info->misc) == 0 &&
           ((info->flags & PC_ANY_SIZE) || head.size % 8 == 0);
}

/* perf 5.10 inject writes a file header in front of a pipe's records: defect D4 of format.md 12.5. */
static bool records_follow_header(const struct pc_reader *r)
{
    uint64_t size;
    return plausible_header(r, r->head + PC_PIPE_HEADER_SIZE, &size) && head_word(r, 16) > UINT32_MAX;
}

/* The bitmap as one bit for each feature. Writers store longs; a 32-bit big-endian one has its words in
 * another order than a 64-bit one, and HOSTNAME, which every perf sets, tells them apart: header.c:
 * perf_file_header__read. */
static void read_bitmap(struct pc_reader *r)
{
    struct pc_capture *capture = r->capture;
    const unsigned char *bits = r->head + PC_FILE_HEADER_OLD;
    uint64_t wide[PC_FEATURE_BITS / 64], narrow[PC_FEATURE_BITS / 64];
    bool later_known = true;

    for (size_t i = 0; i < PC_COUNT_OF(wide); i++) {
        wide[i] = pc_load(bits + 8 * i, 8, capture->order);
        narrow[i] = pc_load(bits + 8 * i, 4, capture->order) | pc_load(bits + 8 * i + 4, 4, capture->order)
                                                                   << 32;
    }
    if (capture->order == PC_BIG && !pc_bit(wide, PC_HOSTNAME)) {
        /* Without HOSTNAME, the reading that knows all features is the better one. */
        for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++)
            later_known &= !pc_bit(wide, bit) || pc_feature_info(bit);
        if (pc_bit(narrow, PC_HOSTNAME) || !later_known) {
            memcpy(capture->features, narrow, sizeof(narrow));
            return;
        }
    }
    memcpy(capture->features, wide, sizeof(wide));
}

static void add_range(struct pc_reader *r, enum range_kind kind, uint64_t number, uint64_t start,
                      uint64_t end)
{
    if (start >= end)
        return;
    if (r->nr_ranges == r->cap_ranges) {
        size_t cap = r->cap_ranges ? r->cap_ranges * 2 : 64;
        void *moved = pc_resize(r->mem, r->range, r->cap_ranges * sizeof(*r->range), cap * sizeof(*r->range));
        if (!moved) {
            say_out_of_memory(r, "sections were compared");
            return;
        }
        r->range = moved;
        r->cap_ranges = cap;
    }
    r->range[r->nr_ranges++] = (struct pc_range){ start, end, kind, number };
}

/* The attr section: true when its entries can be read. */
static bool check_attrs(struct pc_reader *r, uint64_t header_size)
{
    struct pc_capture *capture = r->capture;
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE);
    uint64_t offset = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET),
             size = pc_header_get(capture, PC_HEAD_ATTRS_SIZE);
    uint64_t end;

    if (entry == 0) {
        say_header(r, PC_D_ATTR_ENTRY_ZERO, "attr_size", 16, pc_uint_value(0), (struct pc_value){ 0 });
        return false;
    }
    if (entry < PC_ATTR_SIZE_MIN + PC_SECTION_SIZE || entry % 8 != 0 ||
        entry > ATTR_SIZE_OF_A_PAGE + PC_SECTION_SIZE) {
        say_header(r, PC_D_ATTR_ENTRY_BAD, "attr_size", 16, pc_uint_value(entry), pc_text_value("80 to 160"));
        return false;
    }
    if (entry > PC_ATTR_SIZE_KNOWN + PC_SECTION_SIZE)
        say_header(r, PC_D_ATTR_ENTRY_NEWER, "attr_size", 16, pc_uint_value(entry),
                   pc_uint_value(PC_ATTR_SIZE_KNOWN + PC_SECTION_SIZE));
    else if (!pc_attr_size_known(entry - PC_SECTION_SIZE))
        say_header(r, PC_D_ATTR_ENTRY_ODD, "attr_size", 16, pc_uint_value(entry), (struct pc_value){ 0 });
    if (!pc_add(offset, size, &end) || end > r->in->size) {
        say_range(r, PC_D_ATTRS_OUTSIDE, "attrs", 24, pc_hex_value(pc_add_saturated(offset, size)),
                  pc_hex_value(r->in->size));
        r->lost = true;
        return false;
    }
    if (offset < header_size) {
        say_range(r, PC_D_ATTRS_OVERLAP_HEADER, "attrs", 24, pc_hex_value(offset), pc_hex_value(header_size));
        return false; /* what is there is no attr */
    }
    add_range(r, RANGE_ATTRS, 0, offset, end);
    if (size % entry != 0)
        say_header(r, PC_D_ATTRS_REMAINDER, "attrs.size", 32, pc_uint_value(size), pc_uint_value(entry));
    if (size / entry > PC_ATTRS_MAX) {
        say_header(r, PC_D_ATTRS_TOO_MANY, "attrs.size", 32, pc_uint_value(size / entry),
                   pc_uint_value(PC_ATTRS_MAX));
        return false;
    }
    return true;
}

/* The data section: sets where records are read from and to. Returns whether the feature table behind it
 * can be found. */
static bool check_data(struct pc_reader *r, uint64_t header_size)
{
    struct pc_capture *capture = r->capture;
    uint64_t offset = pc_header_get(capture, PC_HEAD_DATA_OFFSET),
             size = pc_header_get(capture, PC_HEAD_DATA_SIZE);
    uint64_t end, file = r->in->size;
    bool table = true;

    if (!pc_add(offset, size, &end)) {
        say_range(r, PC_D_DATA_OVERFLOW, "data", 40, pc_hex_value(size), (struct pc_value){ 0 });
        r->cut = true;
        table = false;
        end = file;
    } else if (size == 0 && file > offset) {
        say_header(r, PC_D_UNFINISHED, "data.size", 48, pc_uint_value(file - offset), (struct pc_value){ 0 });
        capture->unfinished = r->cut = true;
        table = false;
        end = file;
    } else if (end > file) {
        say_range(r, PC_D_DATA_OUTSIDE, "data", 40, pc_hex_value(end), pc_hex_value(file));
        r->cut = true;
        table = false;
        end = file;
    } else if (size == 0) {
        say_header(r, PC_D_DATA_EMPTY, "data.size", 48, pc_uint_value(0), (struct pc_value){ 0 });
    }
    if (offset < header_size) {
        say_range(r, PC_D_DATA_OVERLAPS_HEADER, "data", 40, pc_hex_value(offset), pc_hex_value(header_size));
        offset = header_size;
    }
    add_range(r, RANGE_DATA, 0, offset, end);
    if (offset % 8 != 0)
        say_header(r, PC_D_DATA_UNALIGNED, "data.offset", 40, pc_hex_value(offset), (struct pc_value){ 0 });
    r->window_offset = offset < end ? offset : end;
    r->data_end = end;
    return table;
}

static bool read_section(struct pc_reader *r, uint64_t offset, uint64_t size);

/* Names of events as perf before 3.12 wrote them. */
static void check_event_types(struct pc_reader *r)
{
    struct pc_capture *capture = r->capture;
    bool old = capture->version == 1;
    uint64_t offset = pc_header_get(capture, PC_HEAD_TYPES_OFFSET),
             size = pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE), end;

    if (size == 0 && offset == 0)
        return;
    if (entry >= 128)
        say_header(r, PC_D_EVENT_TYPES_NEW, "event_types.size", 64, pc_uint_value(size),
                   (struct pc_value){ 0 });
    enum pc_diag wrong = old ? PC_D_EVENT_TYPES_RANGE_V1 : PC_D_EVENT_TYPES_RANGE;
    if (!pc_add(offset, size, &end) || end > r->in->size) {
        say_range(r, wrong, "event_types", 56, pc_uint_value(size), pc_text_value("a range inside the file"));
        r->lost = true;
        return;
    }
    add_range(r, RANGE_TYPES, 0, offset, end);
    if (size % PC_EVENT_TYPE_SIZE != 0) {
        say_header(r, wrong, "event_types.size", 64, pc_uint_value(size), pc_text_value("a multiple of 72"));
        return;
    }
    uint64_t attrs = entry ? pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / entry : 0;
    if (size / PC_EVENT_TYPE_SIZE != attrs)
        say_header(r, PC_D_EVENT_TYPES_COUNT, "event_types.size", 64,
                   pc_uint_value(size / PC_EVENT_TYPE_SIZE), pc_uint_value(attrs));
    if (!read_section(r, offset, size))
        return;
    for (uint64_t at = 0; at < size; at += PC_EVENT_TYPE_SIZE) {
        struct pc_cursor c =
            pc_cursor((struct pc_span){ r->section + at, PC_EVENT_TYPE_SIZE }, capture->order);
        uint64_t config;
        struct pc_span name;
        if (!pc_uint(&c, 8, &config) || pc_take_string(&c, &name))
            continue;
        struct pc_finding f = finding(PC_D_EVENT_TYPES_NAME, PC_IN_HEADER, offset + at + 8, 64);
        f.path[0] = (struct pc_step){ "event_types", at / PC_EVENT_TYPE_SIZE };
        f.depth = 1;
        pc_report_add(r->report, &f);
    }
}

/* The table of feature sections behind the data: true when it is in the file. */
static bool check_table(struct pc_reader *r)
{
    struct pc_capture *capture = r->capture;
    uint64_t slots = 0, others = 0, end;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        slots += pc_bit(capture->features, bit);
        others += pc_bit(capture->features, bit) && bit != PC_BUILD_ID && bit != 0;
    }
    uint64_t start = r->data_end;
    end = start + slots * PC_SECTION_SIZE; /* both are at most the file's size, or 256 entries */
    if (slots == 0)
        return false;
    if (end > r->in->size) {
        struct pc_finding f = finding(PC_D_TABLE_OUTSIDE, PC_IN_HEADER, start, end - start);
        f.path[0] = (struct pc_step){ "adds_features", PC_NO_INDEX };
        f.depth = 1;
        f.seen = pc_hex_value(end);
        f.expected = pc_hex_value(r->in->size);
        pc_report_add(r->report, &f);
        r->lost = true;
        return false;
    }
    if (pc_bit(capture->features, 0))
        say_header(r, PC_D_FEATURE_BIT_0, "adds_features", PC_FILE_HEADER_OLD, pc_uint_value(1),
                   pc_uint_value(0));
    if (capture->order == PC_BIG && others != 0 && !pc_bit(capture->features, PC_HOSTNAME))
        say_header(r, PC_D_HOSTNAME_CLEAR, "adds_features", PC_FILE_HEADER_OLD, (struct pc_value){ 0 },
                   (struct pc_value){ 0 });
    add_range(r, RANGE_TABLE, 0, start, end);
    return true;
}

/* The section of the next feature in r->index; its slot of the table must be readable. */
static bool table_slot(struct pc_reader *r, uint64_t slot, uint64_t *offset, uint64_t *size)
{
    unsigned char raw[PC_SECTION_SIZE];
    uint64_t at = r->data_end + slot * PC_SECTION_SIZE;
    if (pc_input_read_at(r->in, at, raw, sizeof(raw)) != sizeof(raw)) {
        say_short_read(r, at);
        return false;
    }
    *offset = pc_load(raw, 8, r->capture->order);
    *size = pc_load(raw + 8, 8, r->capture->order);
    return true;
}

/* All feature sections, compared with the file and with each other before any is read. */
static bool check_features(struct pc_reader *r)
{
    uint64_t slot = 0, offset, size, end;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(r->capture->features, bit))
            continue;
        uint64_t at = r->data_end + slot * PC_SECTION_SIZE;
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (!table_slot(r, slot++, &offset, &size))
            return false;
        struct pc_finding f = finding(PC_D_FEATURE_OUTSIDE, PC_IN_FEATURE, at, PC_SECTION_SIZE);
        f.number = bit;
        f.subject = info ? info->name : NULL;
        if (!pc_add(offset, size, &end) || end > r->in->size) {
            f.seen = pc_hex_value(pc_add_saturated(offset, size));
            f.expected = pc_hex_value(r->in->size);
            pc_report_add(r->report, &f);
            r->lost = true;
            continue;
        }
        add_range(r, RANGE_FEATURE, bit, offset, end);
    }
    return true;
}

/* --- sections against each other --- */

static const char *range_name(const struct pc_range *range)
{
    static const char *const names[] = { "the header",       "the attr section", "an ids section",
                                         "event_types",      "the data section", "the feature table",
                                         "a feature section" };
    const struct pc_feature_info *info = range->kind == RANGE_FEATURE ? pc_feature_info(range->number) : NULL;
    return info ? info->name : names[range->kind];
}

static void place_range(struct pc_finding *f, const struct pc_range *range)
{
    f->path[0] = (struct pc_step){ range_name(range), PC_NO_INDEX };
    f->depth = 1;
    f->number = range->number;
    if (range->kind == RANGE_FEATURE) {
        f->place = PC_IN_FEATURE;
        f->subject = range_name(range);
    } else if (range->kind == RANGE_IDS) {
        f->place = PC_IN_ATTR;
    } else {
        f->place = PC_IN_HEADER;
    }
}

static enum pc_diag overlap_diag(const struct pc_range *a, const struct pc_range *b)
{
    bool attrs = a->kind == RANGE_ATTRS || b->kind == RANGE_ATTRS;
    bool data = a->kind == RANGE_DATA || b->kind == RANGE_DATA;
    if (attrs && data)
        return PC_D_ATTRS_OVERLAP_DATA;
    if (a->kind == RANGE_IDS && b->kind == RANGE_IDS)
        return PC_D_IDS_SHARED;
    if (a->kind == RANGE_FEATURE && b->kind == RANGE_FEATURE)
        return PC_D_FEATURE_OVERLAP;
    return PC_D_SECTIONS_OVERLAP;
}

static void say_overlap(struct pc_reader *r, const struct pc_range *earlier, const struct pc_range *later)
{
    uint64_t end = earlier->end < later->end ? earlier->end : later->end;
    struct pc_finding f =
        finding(overlap_diag(earlier, later), PC_IN_HEADER, later->start, end - later->start);
    place_range(&f, later);
    f.expected =
        f.id == PC_D_IDS_SHARED ? pc_uint_value(earlier->number) : pc_text_value(range_name(earlier));
    pc_report_add(r->report, &f);
}

/* Bytes from..to belong to no section. */
static void check_gap(struct pc_reader *r, uint64_t from, uint64_t to, const struct pc_range *before,
                      const struct pc_range *next)
{
    struct pc_finding f = finding(PC_D_GAP, PC_IN_HEADER, from, to - from);
    unsigned char chunk[4096];
    f.seen = pc_uint_value(to - from);
    if (!next) {
        f.id = PC_D_TRAILING_BYTES;
        pc_report_add(r->report, &f);
        return;
    }
    place_range(&f, next);
    if (next->kind == RANGE_FEATURE) {
        /* Slots of features that could not be written stay unused: format.md 1.5. */
        if (before->kind == RANGE_TABLE && (to - from) % PC_SECTION_SIZE == 0 &&
            to - from <= (uint64_t)PC_FEATURES * PC_SECTION_SIZE)
            return;
        f.id = PC_D_FEATURE_GAP;
        pc_report_add(r->report, &f);
        return;
    }
    for (uint64_t at = from; at < to; at += sizeof(chunk)) {
        size_t n = to - at < sizeof(chunk) ? (size_t)(to - at) : sizeof(chunk);
        if (pc_input_read_at(r->in, at, chunk, n) != n) {
            say_short_read(r, at);
            return;
        }
        if (pc_first_nonzero((struct pc_span){ chunk, n }) != n) {
            f.id = PC_D_GAP_NOT_ZERO;
            break;
        }
    }
    pc_report_add(r->report, &f);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct pc_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Sections should follow each other as their bits do. Those of one feature that lie in front of an earlier
 * one are said; ranges are in order of their start. */
static void check_feature_order(struct pc_reader *r)
{
    const struct pc_range *least = NULL;
    for (size_t i = r->nr_ranges; i > 0; i--) {
        const struct pc_range *range = &r->range[i - 1];
        if (range->kind != RANGE_FEATURE)
            continue;
        if (least && range->number > least->number && range->end <= least->start &&
            range->start >= r->data_end) {
            uint64_t slot = 0;
            for (uint64_t bit = 0; bit < range->number; bit++)
                slot += pc_bit(r->capture->features, bit);
            struct pc_finding f = finding(PC_D_FEATURE_ORDER, PC_IN_FEATURE,
                                          r->data_end + slot * PC_SECTION_SIZE, PC_SECTION_SIZE);
            f.number = range->number;
            f.subject = range_name(range);
            f.seen = pc_hex_value(range->start);
            f.expected = pc_hex_value(least->end);
            pc_report_add(r->report, &f);
        }
        if (!least || range->number < least->number)
            least = range;
    }
}

/* One pass over all ranges in order of their start: what overlaps, and what nobody claims. */
static void check_ranges(struct pc_reader *r)
{
    /* Without the attrs, and without the end of the data, it is not known what belongs to nobody. */
    bool gaps = !r->capture->attrs_damaged;

    if (r->nr_ranges == 0)
        return;
    qsort(r->range, r->nr_ranges, sizeof(*r->range), compare_ranges);
    check_feature_order(r);
    const struct pc_range *furthest = &r->range[0];
    for (size_t i = 1; i < r->nr_ranges; i++) {
        const struct pc_range *range = &r->range[i];
        if (range->start < furthest->end)
            say_overlap(r, furthest, range);
        else if (gaps && range->start > furthest->end)
            check_gap(r, furthest->end, range->start, furthest, range);
        if (range->end > furthest->end)
            furthest = range;
    }
    if (gaps && !r->cut && !r->lost && furthest->end < r->in->size)
        check_gap(r, furthest->end, r->in->size, furthest, NULL);
}

/* --- attrs of a file --- */

/* Reads size bytes of a section into memory of the reader; false and a finding when that cannot be. */
static bool read_section(struct pc_reader *r, uint64_t offset, uint64_t size)
{
    if (size > r->limits->section) {
        struct pc_finding f = finding(PC_D_SECTION_TOO_LARGE, PC_AT_END, offset, size);
        f.seen = pc_uint_value(size);
        f.expected = pc_uint_value(r->limits->section);
        pc_report_add(r->report, &f);
        return false;
    }
    if (size > r->section_cap) {
        pc_free(r->mem, r->section, r->section_cap);
        r->section_cap = 0;
        r->section = pc_alloc(r->mem, size);
        if (!r->section) {
            say_out_of_memory(r, "a section was read");
            return false;
        }
        r->section_cap = size;
    }
    size_t got = pc_input_read_at(r->in, offset, r->section, (size_t)size);
    if (got != size)
        say_short_read(r, offset + got);
    return got == size;
}

static void say_id(struct pc_reader *r, enum pc_id_outcome outcome, uint32_t attr, uint64_t i, uint64_t id,
                   uint32_t other, uint64_t offset, const struct pc_item *record)
{
    static const enum pc_diag diags[] = {
        [PC_ID_ZERO] = PC_D_ID_ZERO,
        [PC_ID_AGAIN] = PC_D_ID_REPEATED,
        [PC_ID_OTHERS] = PC_D_ID_DUPLICATE,
        [PC_ID_FULL] = PC_D_TOO_MANY_IDS_HELD,
    };
    if (outcome == PC_ID_ADDED)
        return;
    struct pc_finding f = finding(diags[outcome], record ? PC_IN_RECORD : PC_IN_ATTR, offset, 8);
    f.number = record ? record->number : attr;
    f.subject = record ? pc_record_info(record->type)->name : NULL;
    f.path[0] = (struct pc_step){ "ids", i };
    f.depth = 1;
    f.seen = pc_uint_value(id);
    f.expected = pc_uint_value(outcome == PC_ID_FULL ? PC_IDS_HELD_MAX : other);
    pc_report_add(r->report, &f);
}

/* The ids section of an attr: into the map, a chunk at a time. */
static void read_ids(struct pc_reader *r, uint32_t attr, uint64_t entry_end, uint64_t offset, uint64_t size)
{
    struct pc_finding f =
        finding(PC_D_IDS_UNALIGNED, PC_IN_ATTR, entry_end - PC_SECTION_SIZE, PC_SECTION_SIZE);
    unsigned char chunk[8192];
    uint64_t end;

    f.number = attr;
    f.path[0] = (struct pc_step){ "ids", PC_NO_INDEX };
    f.depth = 1;
    if (size % 8 != 0) {
        f.seen = pc_uint_value(size);
        f.offset += 8;
        f.length -= 8;
        pc_report_add(r->report, &f);
        f.offset -= 8;
        f.length += 8;
    }
    if (!pc_add(offset, size, &end) || end > r->in->size) {
        r->lost = true;
        f.id = PC_D_IDS_OUTSIDE;
        f.seen = pc_hex_value(pc_add_saturated(offset, size));
        f.expected = pc_hex_value(r->in->size);
        pc_report_add(r->report, &f);
        return;
    }
    add_range(r, RANGE_IDS, attr, offset, end);
    if (size / 8 > PC_ATTR_IDS_MAX) {
        f.id = PC_D_IDS_TOO_MANY;
        f.seen = pc_uint_value(size / 8);
        f.expected = pc_uint_value(PC_ATTR_IDS_MAX);
        pc_report_add(r->report, &f);
        return;
    }
    r->capture->attr[attr].ids_offset = offset;
    /* More ids than the file can hold must share their bytes, which is said of the ranges; to read them
     * again for every attr would take time without end. */
    r->ids_read += size;
    if (r->ids_read > r->in->size)
        return;
    for (uint64_t i = 0; i < size / 8;) {
        uint64_t left = (size / 8 - i) * 8;
        size_t n = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        if (pc_input_read_at(r->in, offset + 8 * i, chunk, n) != n) {
            say_short_read(r, offset + 8 * i);
            return;
        }
        for (size_t at = 0; at < n; at += 8, i++) {
            uint64_t id = pc_load(chunk + at, 8, r->capture->order);
            uint32_t other = 0;
            enum pc_id_outcome outcome = pc_capture_add_id(r->capture, id, attr, &other);
            say_id(r, outcome, attr, i, id, other, offset + 8 * i, NULL);
            if (outcome == PC_ID_FULL)
                return;
        }
    }
}

static bool next_attr(struct pc_reader *r, struct pc_item *item)
{
    struct pc_capture *capture = r->capture;
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE);
    uint64_t offset = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET) + r->index * entry;
    uint64_t slot[PC_SLOTS];

    if (r->index >= pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / entry || !read_section(r, offset, entry))
        return false;
    struct pc_span bytes = { r->section, (size_t)entry };
    struct pc_span attr = pc_part(bytes, 0, (size_t)entry - PC_SECTION_SIZE);
    if (pc_attr_walk(attr, capture->order, slot)) {
        uint32_t number = pc_capture_add_attr(capture, slot, offset);
        if (number == PC_NO_ATTR) {
            say_out_of_memory(r, "attrs were read");
            return false;
        }
        read_ids(r, number, offset + entry, pc_load(bytes.ptr + attr.len, 8, capture->order),
                 pc_load(bytes.ptr + attr.len + 8, 8, capture->order));
    } else {
        capture->attrs_damaged = true;
    }
    *item = (struct pc_item){ .kind = PC_ITEM_ATTR, .bytes = bytes, .offset = offset, .number = r->index++ };
    return true;
}

static bool next_feature(struct pc_reader *r, struct pc_item *item)
{
    uint64_t offset, size, end;
    while (r->bit < PC_FEATURE_BITS) {
        uint64_t bit = r->bit++;
        if (!pc_bit(r->capture->features, bit))
            continue;
        if (!table_slot(r, r->index++, &offset, &size))
            return false;
        /* What lies outside was reported, and what nobody knows is left alone. */
        if (bit == 0 || !pc_add(offset, size, &end) || end > r->in->size)
            continue;
        pc_set_bit(r->capture->seen, bit);
        const struct pc_feature_info *info = pc_feature_info(bit);
        bool content = info && info->fields && size != 0;
        if (content && !read_section(r, offset, size))
            continue;
        *item = (struct pc_item){ .kind = PC_ITEM_FEATURE,
                                  .offset = offset,
                                  .number = bit,
                                  .bytes = { r->section, content ? (size_t)size : 0 } };
        if (content)
            pc_capture_feature(r->capture, bit, pc_cursor(item->bytes, r->capture->order));
        return true;
    }
    return false;
}

/* --- records --- */

/* Makes at least n bytes available at r->at, when there are that many; returns how many there are. */
static size_t available(struct pc_reader *r, size_t n)
{
    size_t have = r->len - r->at;
    if (have >= n)
        return have;
    memmove(r->window, r->window + r->at, have);
    r->window_offset += r->at;
    r->at = 0;
    r->len = have;
    uint64_t next = r->window_offset + have;
    size_t room = n < FILL ? FILL : n;
    room = (room < WINDOW ? room : WINDOW) - have;
    if (r->data_end - next < room)
        room = (size_t)(r->data_end - next);
    if (room == 0)
        return have;
    size_t got;
    if (r->in->kind == PC_INPUT_STREAM) {
        got = pc_input_read(r->in, r->window + have, room);
        if (r->in->error)
            say_short_read(r, next + got);
        if (got < room)
            r->data_end = next + got; /* the end of the stream */
    } else {
        got = pc_input_read_at(r->in, next, r->window + have, room);
        if (got < room) {
            say_short_read(r, next + got);
            r->data_end = next + got;
            r->cut = true;
        }
    }
    r->len += got;
    return r->len;
}

/* How many headers in a row must be plausible for a place to count as the start of a record. */
#define CHAIN 3

/* The bytes that a plausible record takes in the stream, those behind it included. */
static bool plausible_step(struct pc_reader *r, size_t at, size_t have, uint64_t *step)
{
    if (have - at < PC_RECORD_HEADER_SIZE || !plausible_header(r, r->window + r->at + at, step))
        return false;
    const unsigned char *p = r->window + r->at + at;
    uint32_t type = (uint32_t)pc_load(p, 4, r->capture->order);
    r->work++;
    if (type != PC_AUXTRACE && type != PC_HEADER_TRACING_DATA)
        return true;
    if (*step > have - at)
        return false;
    struct pc_cursor c = { .in = { p, (size_t)*step },
                           .pos = PC_RECORD_HEADER_SIZE,
                           .order = r->capture->order };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    return pc_walk_table(&walk, pc_record_info(type)->fields) && pc_add(*step, walk.slot[PC_REC_SIZE], step);
}

static bool plausible_chain(struct pc_reader *r, size_t at, size_t have)
{
    uint64_t step;
    for (unsigned i = 0; i < CHAIN; i++) {
        if (pc_reader_offset(r) + at == r->data_end)
            return i > 0;
        if (!plausible_step(r, at, have, &step))
            return false;
        if (step > have - at)
            return i > 0 && pc_reader_offset(r) + have < r->data_end; /* behind the window: enough was seen */
        at += (size_t)step;
    }
    return true;
}

/* After damage: moves to the next place where records can be recognised, not before `at`. Returns the bytes
 * skipped; everything that is left when there is no such place. */
static uint64_t resynchronise(struct pc_reader *r, size_t at)
{
    uint64_t start = pc_reader_offset(r);
    for (;; at = 0) {
        size_t have = available(r, WINDOW);
        size_t end = have < WINDOW ? have : WINDOW - LOOK_AHEAD;
        while (at < end && !plausible_chain(r, at, have))
            at++;
        r->at += at < have ? at : have;
        if (at < end || have < WINDOW)
            return pc_reader_offset(r) - start;
    }
}

/* The same when the record at hand reaches past the end of the data: it is cut, or its size is wrong. Only
 * records that lead to the very end say the latter; what a cut record holds may look like one. */
static uint64_t resynchronise_tail(struct pc_reader *r)
{
    unsigned char chain[PC_RECORD_SIZE_MAX + 1]; /* records in a row from here to the end, up to CHAIN */
    size_t have = r->len - r->at, best = have;
    assert(have <= PC_RECORD_SIZE_MAX);
    chain[have] = 0;
    for (size_t at = have; at-- > 1;) {
        uint64_t step;
        chain[at] = 0;
        if (!plausible_step(r, at, have, &step) || step > have - at)
            continue;
        size_t next = at + (size_t)step;
        if (next != have && chain[next] == 0)
            continue;
        chain[at] = chain[next] < CHAIN ? chain[next] + 1 : CHAIN;
        if (chain[at] == CHAIN)
            best = at;
    }
    r->at += best;
    return best;
}

static bool at_first_record(const struct pc_reader *r)
{
    return r->records == 0;
}

/* The record header at the current place is wrong; says so and moves on. */
static void damaged(struct pc_reader *r, enum pc_diag id, uint32_t type, uint64_t seen, uint64_t expected)
{
    const struct pc_record_info *info = pc_record_info(type);
    struct pc_finding f = finding(id, PC_IN_RECORD, pc_reader_offset(r), PC_RECORD_HEADER_SIZE);
    f.number = r->records;
    f.subject = info ? info->name : NULL;
    f.seen = pc_uint_value(seen);
    f.expected = pc_uint_value(expected);
    if (r->len - r->at < PC_RECORD_HEADER_SIZE) { /* not even a header is left */
        f.length = r->len - r->at;
        if (id == PC_D_STREAM_CUT)
            f.seen = pc_text_value("unknown");
    }
    bool first = at_first_record(r) && !r->capture->is_pipe;
    bool tail = id == PC_D_STREAM_CUT || id == PC_D_RECORD_CROSSES_END || id == PC_D_DATA_LEFTOVER;
    uint64_t size, skipped = tail ? resynchronise_tail(r) : resynchronise(r, 1);
    bool found = r->at < r->len;
    if (tail && !found && type == PC_HEADER_ATTR)
        r->capture->attrs_damaged = true; /* the attr is in the part that is missing */
    if (first && found && plausible_header(r, r->window + r->at, &size) &&
        pc_load(r->window + r->at, 4, r->capture->order) == PC_HEADER_FEATURE)
        f.id = PC_D_DATA_INSIDE_RECORD;
    pc_report_add(r->report, &f);
    if (found || (!tail && skipped > PC_RECORD_HEADER_SIZE)) {
        struct pc_finding skip = finding(PC_D_RESYNC, PC_IN_RECORD, f.offset, skipped);
        skip.number = r->records;
        skip.seen = pc_uint_value(skipped);
        pc_report_add(r->report, &skip);
    }
    r->records++;
}

/* The bytes that follow the record in the stream, outside its size. */
static void expect_payload(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = r->capture->order };
    const struct pc_record_info *info = pc_record_info(item->type);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, info->fields))
        return; /* too short, which the check says */
    uint64_t size = walk.slot[PC_REC_SIZE];
    bool trace = item->type == PC_AUXTRACE;
    struct pc_finding f = finding(PC_D_AUXTRACE_UNALIGNED, PC_IN_RECORD,
                                  item->offset + walk.slot_at[PC_REC_SIZE], trace ? 8 : 4);
    f.number = item->number;
    f.subject = info->name;
    f.path[0] = (struct pc_step){ "size", PC_NO_INDEX };
    f.depth = 1;
    f.seen = pc_uint_value(size);
    if (size >> 63) {
        f.id = PC_D_AUXTRACE_HUGE;
        pc_report_add(r->report, &f);
        r->doubtful = true; /* where the next record begins is not known */
        return;
    }
    if (size % 8 != 0) {
        f.id = trace ? PC_D_AUXTRACE_UNALIGNED : PC_D_TRACING_DATA_UNALIGNED;
        pc_report_add(r->report, &f);
    }
    uint64_t here = item->offset + item->bytes.len;
    if (r->data_end != UINT64_MAX && size > r->data_end - here) {
        /* A stream's end is not known yet, unless it was seen already. */
        f.id = r->capture->is_pipe ? PC_D_PAYLOAD_CUT : PC_D_AUXTRACE_BEYOND;
        f.expected = pc_uint_value(r->data_end - here);
        if (!r->cut)
            pc_report_add(r->report, &f);
        size = r->data_end - here;
        r->cut = true;
        r->capture->tracing_damaged |= !trace;
    }
    r->payload_size = walk.slot[PC_REC_SIZE];
    r->payload_size_at = f.offset;
    r->payload_left = size;
    r->payload_type = item->type;
    if (size != 0)
        r->stage = PC_READ_PAYLOAD;
}

/* HEADER_ATTR brings an attr, as the attr section of a file does. */
static void take_header_attr(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_capture *capture = r->capture;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    uint64_t slot[PC_SLOTS], size;

    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        return;
    size = size == 0 ? PC_ATTR_SIZE_MIN : size;
    struct pc_span attr;
    if (size % 8 != 0 || !pc_take(&c, size, &attr) || !pc_attr_walk(attr, capture->order, slot)) {
        capture->attrs_damaged = true;
        return;
    }
    uint32_t number = pc_capture_add_attr(capture, slot, item->offset + PC_RECORD_HEADER_SIZE);
    if (number == PC_NO_ATTR) {
        say_out_of_memory(r, "attrs were read");
        return;
    }
    uint64_t id;
    for (uint64_t i = 0; pc_uint(&c, 8, &id); i++) {
        uint32_t other = 0;
        enum pc_id_outcome outcome = pc_capture_add_id(capture, id, number, &other);
        say_id(r, outcome, number, i, id, other, item->offset + c.pos - 8, item);
        if (outcome == PC_ID_FULL)
            break;
    }
}

/* What user records bring into the model, before anyone sees them. */
static void take_user_record(struct pc_reader *r, const struct pc_item *item)
{
    struct pc_capture *capture = r->capture;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    uint64_t bit;
    switch (item->type) {
    case PC_HEADER_ATTR:
        if (capture->is_pipe)
            take_header_attr(r, item);
        break;
    case PC_HEADER_FEATURE:
        /* Without a payload it is the end mark, whose number may be that of a newer feature. */
        if (pc_uint(&c, 8, &bit) && bit < PC_FEATURE_BITS && pc_left(&c) != 0)
            pc_capture_feature(capture, bit, c);
        break;
    case PC_EVENT_UPDATE:
        pc_capture_record(capture, item->type, item->bytes);
        break;
    case PC_AUXTRACE:
    case PC_HEADER_TRACING_DATA:
        expect_payload(r, item);
        break;
    default:
        break;
    }
}

/* The length of what follows the last record is nonsense: goes on where a record can be recognised. */
static void skip_payload(struct pc_reader *r)
{
    struct pc_finding f = finding(PC_D_RESYNC, PC_IN_RECORD, pc_reader_offset(r), 0);
    r->doubtful = false;
    f.number = r->records - 1;
    f.length = resynchronise(r, 0);
    f.seen = pc_uint_value(f.length);
    if (f.length != 0)
        pc_report_add(r->report, &f);
}

static bool next_record(struct pc_reader *r, struct pc_item *item)
{
    for (;;) {
        size_t have = available(r, PC_RECORD_HEADER_SIZE);
        if (have == 0 || (have < PC_RECORD_HEADER_SIZE && r->cut))
            return false;
        if (have < PC_RECORD_HEADER_SIZE) {
            damaged(r, r->capture->is_pipe ? PC_D_STREAM_CUT : PC_D_DATA_LEFTOVER, 0, have, have);
            return false;
        }
        const unsigned char *p = r->window + r->at;
        struct record_head head = load_head(p, r->capture->order);
        uint32_t type = head.type;
        size_t size = head.size;
        if (r->doubtful) {
            skip_payload(r);
            continue;
        }
        if (size < PC_RECORD_HEADER_SIZE) {
            damaged(r, PC_D_RECORD_SIZE, type, size, PC_RECORD_HEADER_SIZE);
            continue;
        }
        if (size > have) {
            have = available(r, size);
            if (size > have) {
                if (r->cut)
                    return false;
                damaged(r, r->capture->is_pipe ? PC_D_STREAM_CUT : PC_D_RECORD_CROSSES_END, type, size, have);
                continue;
            }
            p = r->window + r->at;
        }
        if (size % 8 != 0 && !pc_record_info(type)) {
            /* Neither a known type nor a size that a writer gives: no record begins here. */
            damaged(r, PC_D_RECORD_UNALIGNED, type, size, 0);
            continue;
        }
        item->kind = PC_ITEM_RECORD;
        item->type = type;
        item->misc = head.misc;
        item->bytes = (struct pc_span){ p, size };
        item->offset = r->window_offset + r->at;
        item->number = r->records++;
        r->at += size;
        if (!pc_is_kernel_type(type))
            take_user_record(r, item);
        return true;
    }
}

/* TRACING_DATA as a whole, AUX trace in chunks. False: nothing is left. */
static bool next_payload(struct pc_reader *r, struct pc_item *item)
{
    bool whole = r->payload_type == PC_HEADER_TRACING_DATA;
    uint64_t offset = pc_reader_offset(r), size = r->payload_left;
    *item = (struct pc_item){
        .kind = PC_ITEM_PAYLOAD, .type = r->payload_type, .offset = offset, .number = r->records - 1
    };
    if (whole && size > r->limits->section) {
        struct pc_finding f = finding(PC_D_SECTION_TOO_LARGE, PC_AT_END, offset, size);
        f.seen = pc_uint_value(size);
        f.expected = pc_uint_value(r->limits->section);
        pc_report_add(r->report, &f);
        whole = false;
    }
    if (whole && size > r->section_cap) {
        pc_free(r->mem, r->section, r->section_cap);
        r->section_cap = 0;
        r->section = pc_alloc(r->mem, size);
        if (r->section)
            r->section_cap = size;
        else
            say_out_of_memory(r, "tracing data were read");
        whole = r->section != NULL;
    }
    uint64_t got = 0;
    while (got < size) {
        size_t have = available(r, 1);
        if (have == 0) {
            if (!r->cut) {
                bool trace = r->payload_type == PC_AUXTRACE;
                struct pc_finding f =
                    finding(PC_D_PAYLOAD_CUT, PC_IN_RECORD, r->payload_size_at, trace ? 8 : 4);
                f.number = item->number;
                f.subject = pc_record_info(r->payload_type)->name;
                f.path[0] = (struct pc_step){ "size", PC_NO_INDEX };
                f.depth = 1;
                f.seen = pc_uint_value(r->payload_size);
                f.expected = pc_uint_value(r->payload_size - (r->payload_left - got));
                pc_report_add(r->report, &f);
                r->capture->tracing_damaged |= !trace;
            }
            r->cut = true;
            r->payload_left = 0;
            return false;
        }
        size_t n = size - got < have ? (size_t)(size - got) : have;
        if (whole)
            memcpy(r->section + got, r->window + r->at, n);
        else
            item->bytes = (struct pc_span){ r->window + r->at, n };
        r->at += n;
        got += n;
        if (!whole && r->payload_type == PC_AUXTRACE)
            break;
    }
    r->payload_left -= got;
    if (r->capture->tracing_damaged)
        whole = false;
    if (!whole && r->payload_type == PC_HEADER_TRACING_DATA)
        item->bytes = (struct pc_span){ r->window, 0 }; /* too large to be shown, or cut */
    if (whole) {
        item->bytes = (struct pc_span){ r->section, (size_t)size };
        pc_set_bit(r->capture->seen, PC_TRACING_DATA);
        pc_capture_feature(r->capture, PC_TRACING_DATA, pc_cursor(item->bytes, r->capture->order));
    }
    return true;
}

/* --- from the first byte --- */

/* Everything that the header of a file says, checked against the file. */
static bool open_file(struct pc_reader *r, size_t len)
{
    struct pc_capture *capture = r->capture;
    uint64_t size = head_word(r, 8);
    if (size != PC_FILE_HEADER_SIZE && size != PC_FILE_HEADER_OLD) {
        say_header(r, PC_D_HEADER_SIZE, "size", 8, pc_uint_value(size), pc_text_value("16, 72 or 104"));
        return false;
    }
    if (len >= PC_PIPE_HEADER_SIZE + PC_RECORD_HEADER_SIZE && records_follow_header(r)) {
        say_header(r, PC_D_HEADER_RECORDS, "attr_size", 16, pc_hex_value(head_word(r, 16)),
                   (struct pc_value){ 0 });
        return false;
    }
    if (len < size) {
        struct pc_finding f = finding(PC_D_HEADER_CUT, PC_IN_HEADER, 0, len);
        f.seen = pc_uint_value(len);
        f.expected = pc_uint_value(size);
        pc_report_add(r->report, &f);
        return false;
    }
    struct pc_cursor c = pc_cursor((struct pc_span){ r->head, (size_t)size }, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_file_header);
    memcpy(capture->header, &walk.slot[PC_HEAD_SIZE], sizeof(capture->header));
    if (size == PC_FILE_HEADER_OLD && capture->version == 2)
        say_header(r, PC_D_HEADER_72, "size", 8, pc_uint_value(size), pc_uint_value(PC_FILE_HEADER_SIZE));
    if (size == PC_FILE_HEADER_SIZE)
        read_bitmap(r);

    add_range(r, RANGE_HEADER, 0, 0, size);
    bool attrs = check_attrs(r, size);
    bool table = check_data(r, size);
    check_event_types(r);
    for (size_t i = 0; attrs && i < r->nr_ranges; i++) {
        const struct pc_range *a = &r->range[i];
        for (size_t k = 0; k < r->nr_ranges; k++) {
            const struct pc_range *b = &r->range[k];
            if (a->kind == RANGE_ATTRS && b->kind == RANGE_DATA && a->start < b->end && b->start < a->end)
                attrs = false; /* one was overwritten by the other */
        }
    }
    if (!attrs)
        capture->attrs_damaged = true;
    r->stage = attrs ? PC_READ_ATTRS : PC_READ_FEATURES;
    if (!table || !check_table(r) || !check_features(r))
        r->bit = PC_FEATURE_BITS; /* bits without a table are only a plan */
    return true;
}

static bool open_capture(struct pc_reader *r, struct pc_item *item)
{
    struct pc_input *in = r->in;
    r->stage = PC_READ_OVER;
    if (in->kind == PC_INPUT_DIRECTORY) {
        struct pc_finding f = finding(PC_D_DIRECTORY_UNSUPPORTED, PC_IN_HEADER, 0, 0);
        pc_report_add(r->report, &f);
        return false;
    }
    r->window = pc_alloc(r->mem, WINDOW);
    if (!r->window) {
        say_out_of_memory(r, "the capture was opened");
        return false;
    }
    bool stream = in->kind == PC_INPUT_STREAM;
    size_t len = pc_input_read(in, r->head, stream ? PC_PIPE_HEADER_SIZE : PC_FILE_HEADER_SIZE);
    if (in->error) {
        say_short_read(r, len);
        return false;
    }
    if (!recognise(r, len))
        return false;
    if (head_word(r, 8) == PC_PIPE_HEADER_SIZE) {
        r->capture->is_pipe = true;
        r->window_offset = PC_PIPE_HEADER_SIZE;
        if (!stream)
            r->data_end = in->size;
        r->stage = PC_READ_DATA;
        len = PC_PIPE_HEADER_SIZE;
    } else {
        if (stream) {
            len += pc_input_read(in, r->head + len, PC_FILE_HEADER_SIZE - len);
            int error = in->error ? in->error
                                  : pc_input_spool(in, (struct pc_span){ r->head, len }, r->limits->spool);
            if (error) {
                struct pc_finding f =
                    finding(error == EFBIG ? PC_D_SPOOL_LIMIT : PC_D_READ_FAILED, PC_IN_HEADER, 0, 0);
                f.seen = pc_text_value(strerrordesc_np(error));
                f.expected = pc_uint_value(r->limits->spool);
                pc_report_add(r->report, &f);
                return false;
            }
            if (!recognise(r, len))
                return false;
        }
        if (!open_file(r, len))
            return false;
    }
    *item = (struct pc_item){ .kind = PC_ITEM_HEADER, .bytes = { r->head, len } };
    return true;
}

bool pc_reader_next(struct pc_reader *r, struct pc_item *item)
{
    switch (r->stage) {
    case PC_READ_START:
        return open_capture(r, item);
    case PC_READ_ATTRS:
        if (next_attr(r, item))
            return true;
        check_ranges(r);
        r->nr_ranges = 0;
        r->index = 0;
        r->stage = PC_READ_FEATURES;
        /* fall through */
    case PC_READ_FEATURES:
        if (next_feature(r, item))
            return true;
        /* Sections of a file whose attrs cannot be read were not compared yet. */
        check_ranges(r);
        r->stage = PC_READ_DATA;
        /* fall through */
    case PC_READ_DATA:
        if (next_record(r, item))
            return true;
        break;
    case PC_READ_PAYLOAD:
        if (r->payload_left != 0 && next_payload(r, item))
            return true;
        r->stage = PC_READ_DATA;
        if (next_record(r, item))
            return true;
        break;
    case PC_READ_OVER:
        return false;
    }
    r->stage = PC_READ_OVER;
    *item = (struct pc_item){ .kind = PC_ITEM_END, .offset = pc_reader_offset(r) };
    return true;
}
