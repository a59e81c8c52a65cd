/* SPDX-License-Identifier: MIT */
#include "read/head.h"
#include "read/ranges.h"
#include "read/streams.h"
#include "read/window.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

/* No attr is larger: kernel/events/core.c: perf_copy_attr. */
#define ATTR_SIZE_OF_A_PAGE 4096

/* About a word of the file header. */
static void say_header(struct pc_reader *r, enum pc_diag id, const char *field, uint64_t at,
                       struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_reader_finding(id, PC_IN_HEADER, at, 8);
    pc_finding_name(&f, field);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(r->report, &f);
}

/* About a section that the header describes by offset and size. */
static void say_range(struct pc_reader *r, enum pc_diag id, const char *section, uint64_t at,
                      struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_reader_finding(id, PC_IN_HEADER, at, PC_SECTION_SIZE);
    pc_finding_name(&f, section);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(r->report, &f);
}

/* --- the header --- */

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
    struct pc_finding f = pc_reader_finding(PC_D_MAGIC_UNKNOWN, PC_IN_HEADER, 0, len < 8 ? len : 8);
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
        struct pc_finding f = pc_reader_finding(PC_D_INPUT_EMPTY, PC_IN_HEADER, 0, 0);
        pc_report_add(r->report, &f);
        return false;
    }
    bool version_1 = has_magic(r, len, PC_MAGIC_1);
    if (!version_1 && !has_magic(r, len, PC_MAGIC_LITTLE) && !has_magic(r, len, PC_MAGIC_BIG)) {
        say_no_capture(r, len);
        return false;
    }
    if (len < PC_PIPE_HEADER_SIZE) {
        struct pc_finding f = pc_reader_finding(PC_D_INPUT_SHORT, PC_IN_HEADER, 0, len);
        f.seen = pc_uint_value(len);
        f.expected = pc_uint_value(PC_PIPE_HEADER_SIZE);
        pc_report_add(r->report, &f);
        return false;
    }
    capture->version = version_1 ? 1 : 2;
    capture->order = has_magic(r, len, PC_MAGIC_BIG) ? PC_BIG : PC_LITTLE;
    if (!version_1)
        return true;

    /* Recognised twice when it comes through a stream. */
    struct pc_finding f = pc_reader_finding(PC_D_VERSION_1, PC_IN_HEADER, 0, 8);
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

/* perf 5.10 inject writes a file header in front of a pipe's records: defect D4 of FORMAT.md 12.5. */
static bool records_follow_header(const struct pc_reader *r)
{
    uint64_t size;
    return pc_plausible_header(r, r->head + PC_PIPE_HEADER_SIZE, &size);
}

/* The bitmap as one bit for each feature. Writers store longs; a 32-bit big-endian one has its words in
 * another order than a 64-bit one, and HOSTNAME, which every perf sets, tells them apart: header.c:
 * perf_file_header__read. */
static void read_bitmap(struct pc_reader *r)
{
    struct pc_capture *capture = r->capture;
    const unsigned char *bits = r->head + PC_FILE_HEADER_OLD;
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
    pc_reader_add_range(r, PC_RANGE_ATTRS, 0, offset, end);
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
        r->outer.cut = true;
        table = false;
        end = file;
    } else if (size == 0 && file > offset) {
        say_header(r, PC_D_UNFINISHED, "data.size", 48, pc_uint_value(0), pc_uint_value(file - offset));
        capture->unfinished = r->outer.cut = true;
        table = false;
        end = file;
    } else if (end > file) {
        say_range(r, PC_D_DATA_OUTSIDE, "data", 40, pc_hex_value(end), pc_hex_value(file));
        r->outer.cut = true;
        table = false;
        end = file;
    } else if (size == 0) {
        say_header(r, PC_D_DATA_EMPTY, "data.size", 48, pc_uint_value(0), (struct pc_value){ 0 });
        table = false; /* the features are those planned: tools/perf/util/header.c:
                          perf_header__process_sections */
    }
    if (offset < header_size) {
        say_range(r, PC_D_DATA_OVERLAPS_HEADER, "data", 40, pc_hex_value(offset), pc_hex_value(header_size));
        offset = header_size;
    }
    pc_reader_add_range(r, PC_RANGE_DATA, 0, offset, end);
    if (offset % 8 != 0)
        say_header(r, PC_D_DATA_UNALIGNED, "data.offset", 40, pc_hex_value(offset), (struct pc_value){ 0 });
    r->outer.offset = offset < end ? offset : end;
    r->outer.end = end;
    return table;
}

static bool read_section(struct pc_reader *r, uint64_t offset, uint64_t size);

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
    pc_reader_add_range(r, PC_RANGE_TYPES, 0, offset, end);
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
        struct pc_finding f = pc_reader_finding(PC_NO_DIAG, PC_IN_HEADER, offset + at, 0);
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, find_odd, &f);
        pc_walk_table(&walk, pc_event_type);
        f.path[0] = (struct pc_step){ "event_types", at / PC_EVENT_TYPE_SIZE };
        f.depth = 1;
        if (f.id)
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
    uint64_t start = r->outer.end;
    end = start + slots * PC_SECTION_SIZE; /* both are at most the file's size, or 256 entries */
    if (slots == 0)
        return false;
    if (end > r->in->size) {
        struct pc_finding f = pc_reader_finding(PC_D_TABLE_OUTSIDE, PC_IN_HEADER, start, end - start);
        pc_finding_name(&f, "adds_features");
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
    pc_reader_add_range(r, PC_RANGE_TABLE, 0, start, end);
    return true;
}

static void load_section(struct pc_span raw, enum pc_order order, uint64_t *offset, uint64_t *size)
{
    struct pc_cursor c = pc_cursor(raw, order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_section);
    *offset = walk.slot[PC_SLOT_F0];
    *size = walk.slot[PC_SLOT_F0 + 1];
}

/* The section of the next feature in r->index; its slot of the table must be readable. */
static bool table_slot(struct pc_reader *r, uint64_t slot, uint64_t *offset, uint64_t *size)
{
    unsigned char raw[PC_SECTION_SIZE];
    uint64_t at = r->outer.end + slot * PC_SECTION_SIZE;
    if (pc_input_read_at(r->in, at, raw, sizeof(raw)) != sizeof(raw)) {
        pc_reader_say_short_read(r, at);
        return false;
    }
    load_section((struct pc_span){ raw, sizeof(raw) }, r->capture->order, offset, size);
    return true;
}

/* All feature sections, compared with the file and with each other before any is read. */
static bool check_features(struct pc_reader *r)
{
    uint64_t slot = 0, offset, size, end;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(r->capture->features, bit))
            continue;
        uint64_t at = r->outer.end + slot * PC_SECTION_SIZE;
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (!table_slot(r, slot++, &offset, &size))
            return false;
        struct pc_finding f = pc_reader_finding(PC_D_FEATURE_OUTSIDE, PC_IN_FEATURE, at, PC_SECTION_SIZE);
        f.number = bit;
        f.subject = info ? info->name : NULL;
        if (!pc_add(offset, size, &end) || end > r->in->size) {
            f.seen = pc_hex_value(pc_add_saturated(offset, size));
            f.expected = pc_hex_value(r->in->size);
            pc_report_add(r->report, &f);
            r->lost = true;
            continue;
        }
        pc_reader_add_range(r, PC_RANGE_FEATURE, bit, offset, end);
    }
    return true;
}

/* --- attrs of a file --- */

bool pc_reader_section_room(struct pc_reader *r, uint64_t offset, uint64_t size)
{
    if (size > r->limits->section) {
        struct pc_finding f = pc_reader_finding(PC_D_SECTION_TOO_LARGE, PC_AT_END, offset, size);
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
            pc_reader_say_out_of_memory(r, "a section was read");
            return false;
        }
        r->section_cap = size;
    }
    return true;
}

/* Reads size bytes of a section into memory of the reader; false and a finding when that cannot be. */
static bool read_section(struct pc_reader *r, uint64_t offset, uint64_t size)
{
    if (!pc_reader_section_room(r, offset, size))
        return false;
    size_t got = pc_input_read_at(r->in, offset, r->section, (size_t)size);
    if (got != size)
        pc_reader_say_short_read(r, offset + got);
    return got == size;
}

void pc_reader_say_id(struct pc_reader *r, enum pc_id_outcome outcome, uint32_t attr, uint64_t i, uint64_t id,
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
    if (outcome == PC_ID_FULL && r->capture->ids.nr < PC_IDS_HELD_MAX) {
        pc_reader_say_out_of_memory(r, "ids were read");
        r->capture->attrs_damaged = true; /* not all ids are known */
        return;
    }
    struct pc_finding f = pc_reader_finding(diags[outcome], record ? PC_IN_RECORD : PC_IN_ATTR, offset, 8);
    f.number = record ? record->number : attr;
    f.subject = record ? pc_record_info(record->type)->name : NULL;
    f.path[0] = (struct pc_step){ "ids", i };
    f.depth = 1;
    f.seen = pc_uint_value(id);
    if (outcome != PC_ID_ZERO)
        f.expected = pc_uint_value(outcome == PC_ID_FULL ? PC_IDS_HELD_MAX : other);
    pc_report_add(r->report, &f);
}

/* The ids section of an attr: into the map, a chunk at a time. */
static void read_ids(struct pc_reader *r, uint32_t attr, uint64_t entry_end, uint64_t offset, uint64_t size)
{
    struct pc_finding f =
        pc_reader_finding(PC_D_IDS_UNALIGNED, PC_IN_ATTR, entry_end - PC_SECTION_SIZE, PC_SECTION_SIZE);
    unsigned char chunk[8192];
    uint64_t end;

    f.number = attr;
    pc_finding_name(&f, "ids");
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
    pc_reader_add_range(r, PC_RANGE_IDS, attr, offset, end);
    if (size / 8 > PC_ATTR_IDS_MAX) {
        f.id = PC_D_IDS_TOO_MANY;
        f.seen = pc_uint_value(size / 8);
        f.expected = pc_uint_value(PC_ATTR_IDS_MAX);
        pc_report_add(r->report, &f);
        return;
    }
    r->capture->attr[attr].ids_offset = offset;
    /* Many more ids than the file can hold share their bytes, which is said of the ranges; to read them again
     * for every attr would take time without end. One id of such an attr still shows whose they are. */
    const uint64_t times = 4, slack = (uint64_t)1 << 20;
    uint64_t before = r->ids_read,
             most = r->in->size / 2 > UINT64_MAX / (2 * times) ? UINT64_MAX : times * r->in->size + slack;
    r->ids_read = pc_add_saturated(before, size);
    if (r->ids_read > most) {
        if (before <= most) {
            f.id = PC_D_LIMIT_STATE;
            f.seen = (struct pc_value){ 0 };
            f.expected = pc_uint_value(most / 8);
            pc_report_add(r->report, &f);
        }
        r->capture->attrs_damaged = true; /* not all ids are known */
        size = size < 8 ? size : 8;
    }
    for (uint64_t i = 0; i < size / 8;) {
        uint64_t left = (size / 8 - i) * 8;
        size_t n = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        if (pc_input_read_at(r->in, offset + 8 * i, chunk, n) != n) {
            pc_reader_say_short_read(r, offset + 8 * i);
            return;
        }
        for (size_t at = 0; at < n; at += 8, i++) {
            uint64_t id = pc_load(chunk + at, 8, r->capture->order);
            uint32_t other = 0;
            enum pc_id_outcome outcome = pc_capture_add_id(r->capture, id, attr, &other);
            pc_reader_say_id(r, outcome, attr, i, id, other, offset + 8 * i, NULL);
            if (outcome == PC_ID_FULL)
                return;
        }
    }
}

bool pc_reader_next_attr(struct pc_reader *r, struct pc_item *item)
{
    struct pc_capture *capture = r->capture;
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE);
    uint64_t offset = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET) + r->index * entry;
    uint64_t slot[PC_SLOTS];

    if (r->index >= pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / entry || !read_section(r, offset, entry))
        return false;
    struct pc_span bytes = { r->section, (size_t)entry };
    struct pc_span attr = pc_part(bytes, 0, (size_t)entry - PC_SECTION_SIZE);
    /* By an attr of a wrong size every later one is off its place; they are not read as attrs. */
    uint64_t said = pc_load(attr.ptr + PC_ATTR_SIZE_AT, 4, capture->order);
    if ((said == 0 || said == attr.len || pc_attr_ends_early(capture, attr)) &&
        pc_attr_walk(attr, capture->order, slot)) {
        uint32_t number = pc_capture_add_attr(capture, slot, offset);
        if (number == PC_NO_ATTR) {
            pc_reader_say_out_of_memory(r, "attrs were read");
            return false;
        }
        uint64_t ids_offset, ids_size;
        load_section(pc_part(bytes, attr.len, PC_SECTION_SIZE), capture->order, &ids_offset, &ids_size);
        read_ids(r, number, offset + entry, ids_offset, ids_size);
    } else {
        capture->attrs_damaged = true;
    }
    *item = (struct pc_item){ .kind = PC_ITEM_ATTR, .bytes = bytes, .offset = offset, .number = r->index++ };
    return true;
}

bool pc_reader_next_feature(struct pc_reader *r, struct pc_item *item)
{
    uint64_t offset, size, end;
    while (r->bit < PC_FEATURE_BITS) {
        uint64_t bit = r->bit++;
        if (!pc_bit(r->capture->features, bit))
            continue;
        uint64_t entry = r->outer.end + r->index * PC_SECTION_SIZE;
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
                                  .size = size,
                                  .entry = entry,
                                  .bytes = { r->section, content ? (size_t)size : 0 } };
        if (content)
            pc_capture_feature(r->capture, bit, pc_cursor(item->bytes, r->capture->order));
        return true;
    }
    return false;
}

/* --- from the first byte --- */

/* Whether the first bytes are a whole header of a file; says so when not. */
static bool head_is_sound(struct pc_reader *r, size_t len)
{
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
        struct pc_finding f = pc_reader_finding(PC_D_HEADER_CUT, PC_IN_HEADER, 0, len);
        f.seen = pc_uint_value(len);
        f.expected = pc_uint_value(size);
        pc_report_add(r->report, &f);
        return false;
    }
    return true;
}

/* Everything that the header of a file says, checked against the file. */
static void open_file(struct pc_reader *r)
{
    struct pc_capture *capture = r->capture;
    uint64_t size = head_word(r, 8);
    struct pc_cursor c = pc_cursor((struct pc_span){ r->head, (size_t)size }, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    pc_walk_table(&walk, pc_file_header);
    memcpy(capture->header, &walk.slot[PC_HEAD_SIZE], sizeof(capture->header));
    if (size == PC_FILE_HEADER_OLD && capture->version == 2)
        say_header(r, PC_D_HEADER_72, "size", 8, pc_uint_value(size), pc_uint_value(PC_FILE_HEADER_SIZE));
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
    if (!table || !check_table(r) || !check_features(r))
        r->bit = PC_FEATURE_BITS; /* bits without a table are only a plan */
}

bool pc_reader_open_capture(struct pc_reader *r, struct pc_item *item)
{
    r->stage = PC_READ_OVER;
    if (r->in->kind == PC_INPUT_DIRECTORY && !pc_reader_open_directory(r))
        return false;
    struct pc_input *in = r->in;
    /* A small file fits with room left, which says that there is no more. Members of a directory vary. */
    bool small = r->given->kind == PC_INPUT_FILE && in->size < PC_WINDOW;
    r->outer.room = small ? (size_t)in->size + 1 : PC_WINDOW;
    r->outer.bytes = pc_alloc_buffer(r->mem, r->outer.room);
    if (!r->outer.bytes) {
        pc_reader_say_out_of_memory(r, "the capture was opened");
        return false;
    }
    bool stream = in->kind == PC_INPUT_STREAM;
    size_t size = stream ? PC_PIPE_HEADER_SIZE : PC_FILE_HEADER_SIZE,
           len = pc_input_read(in, r->head, size, size);
    if (in->error) {
        pc_reader_say_short_read(r, len);
        return false;
    }
    if (!recognise(r, len))
        return false;
    if (head_word(r, 8) == PC_PIPE_HEADER_SIZE) {
        r->capture->is_pipe = true;
        r->outer.offset = PC_PIPE_HEADER_SIZE;
        if (!stream)
            r->outer.end = in->size;
        r->stage = PC_READ_DATA;
        len = PC_PIPE_HEADER_SIZE;
    } else {
        if (stream) {
            len += pc_input_read(in, r->head + len, PC_FILE_HEADER_SIZE - len, PC_FILE_HEADER_SIZE - len);
            if (in->error) {
                pc_reader_say_short_read(r, len);
                return false;
            }
            if (!recognise(r, len) || !head_is_sound(r, len))
                return false; /* before anything is stored */
            int error = pc_input_spool(in, r->mem, (struct pc_span){ r->head, len }, r->limits->spool);
            if (error == ENOMEM) {
                pc_reader_say_out_of_memory(r, "standard input was stored");
                return false;
            }
            if (error) {
                struct pc_finding f = pc_reader_finding(error == EFBIG ? PC_D_SPOOL_LIMIT : PC_D_READ_FAILED,
                                                        PC_IN_HEADER, 0, 0);
                f.seen = pc_text_value(pc_text_error(error));
                f.expected = pc_uint_value(r->limits->spool);
                pc_report_add(r->report, &f);
                return false;
            }
        } else if (!head_is_sound(r, len)) {
            return false;
        }
        open_file(r);
    }
    *item = (struct pc_item){ .kind = PC_ITEM_HEADER, .bytes = { r->head, len } };
    return true;
}
