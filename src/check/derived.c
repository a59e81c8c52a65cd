/* SPDX-License-Identifier: MIT */
#include "check/derived.h"

#include "bytes/cursor.h"
#include "format/tracepoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void pc_derived_init(struct pc_derived *d)
{
    *d = (struct pc_derived){ .end_mark = UINT64_MAX };
    pc_hash_init(&d->traces);
}

/* The attr size of the copy: that of a released perf which has room for each attr, if there is one; at most
 * what the reader knows. */
static uint64_t attr_size_of(const struct pc_derived *d)
{
    uint64_t needs = d->attr_needs != 0 ? d->attr_needs : PC_ATTR_SIZE_KNOWN;
    uint64_t size = pc_attr_size_holding(needs) != 0 ? pc_attr_size_holding(needs) : needs;
    return d->reader && d->reader->attr_size < size ? d->reader->attr_size : size;
}

static void see_attr(struct pc_derived *d, const struct pc_capture *capture, const struct pc_item *item)
{
    const struct pc_attr *attr = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    uint64_t attrs = pc_header_get(capture, PC_HEAD_ATTRS_OFFSET);
    if (!attr)
        return;
    d->misplaced |=
        item->offset != attrs + d->attr_bytes || attr->ids_offset != PC_FILE_HEADER_SIZE + 8 * d->nr_ids;
    d->misplaced |= item->bytes.len != attr_size_of(d) + PC_SECTION_SIZE;
    d->nr_attrs++;
    d->nr_ids += attr->nr_ids;
    d->attr_bytes += item->bytes.len;
    d->misplaced |= pc_load(item->bytes.ptr + item->bytes.len - 8, 8, capture->order) != 8 * attr->nr_ids;
}

static void see_compression(struct pc_derived *d, struct pc_span content, enum pc_order order)
{
    struct pc_walk walk;
    d->compression = pc_read_table(&walk, pc_compression, pc_cursor(content, order));
    memcpy(d->slot, walk.slot, sizeof(d->slot));
}

static void see_section(struct pc_derived *d, const struct pc_capture *capture, const struct pc_item *item)
{
    if (d->nr_sections == 0) {
        d->first_section = d->section_at = item->offset;
        d->entry_at = item->entry;
    }
    d->misplaced |=
        item->offset != d->section_at || item->entry != d->entry_at + PC_SECTION_SIZE * d->nr_sections;
    d->nr_sections++;
    d->section_at += item->size;
    if (item->number == PC_COMPRESSED_FEATURE)
        see_compression(d, item->bytes, capture->order);
    if (item->number == PC_AUXTRACE_INDEX && item->bytes.len >= 8) {
        struct pc_hash index;
        pc_hash_init(&index);
        for (size_t at = 8; at + 8 <= item->bytes.len; at += 8)
            pc_hash_put_uint(&index, pc_load(item->bytes.ptr + at, 8, capture->order));
        d->index = pc_hash_sum(&index);
        d->nr_index = pc_load(item->bytes.ptr, 8, capture->order);
    }
}

/* --- records that hold others --- */

/* The bytes of a frame's header (RFC 8878, 3.1.1.1). */
static uint64_t frame_header_size(unsigned char descriptor)
{
    static const uint8_t dictionary[] = { 0, 1, 2, 4 }, content[] = { 0, 2, 4, 8 };
    bool single = descriptor >> 5 & 1; /* then there is no size of the window, and one of the content */
    unsigned size = content[descriptor >> 6];
    return 5u + !single + dictionary[descriptor & 3] + (size == 0 && single ? 1 : size);
}

/* Walks the blocks of the zstd stream, of which a record has whole ones unless it is full. A block of nothing
 * is no block: it is padding that was taken for content. */
static void see_blocks(struct pc_blocks *b, struct pc_span data, bool full)
{
    const unsigned raw = 0, repeated = 1, descriptor_at = 4;
    if (!b->begun && data.len > descriptor_at)
        b->left = frame_header_size(data.ptr[descriptor_at]);
    b->begun = true;
    for (size_t at = 0; at < data.len;) {
        size_t n = b->left < data.len - at ? (size_t)b->left : data.len - at;
        b->left -= n;
        at += n;
        if (at == data.len)
            break;
        b->header |= (uint32_t)data.ptr[at++] << 8 * b->nr++;
        if (b->nr < 3)
            continue;
        unsigned type = b->header >> 1 & 3;
        b->left = b->header >> 3;
        b->wrong |= (b->header & 1) || (type == raw && b->left == 0); /* the last one, or none */
        if (type == repeated)
            b->left = 1;
        b->nr = b->header = 0;
    }
    b->wrong |= !full && (b->left != 0 || b->nr != 0);
}

static void see_packed(struct pc_derived *d, const struct pc_item *item, enum pc_order order)
{
    const size_t heads = PC_RECORD_HEADER_SIZE + 8;
    struct pc_walk walk;
    uint32_t type = d->packed_type != 0 ? d->packed_type : item->type;
    d->packed_type = type;
    d->other_type |= item->type != type;
    d->packed += item->bytes.len;
    if (!pc_read_table(&walk, pc_item_info(item)->fields, pc_record_body(item->bytes, order)))
        return; /* which was reported */
    struct pc_span data = pc_part(item->bytes, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]);
    see_blocks(&d->blocks, data, data.len == (size_t)PC_RECORD_SIZE_MAX / 8 * 8 - heads);
}

/* The place of a header record among those of a pipe; other records come last. */
#define RANK_OF_OTHERS (PC_FEATURE_BITS + 4)

static uint64_t rank_of(const struct pc_item *item, uint64_t bit)
{
    switch (item->type) {
    case PC_HEADER_ATTR:
        return 0;
    case PC_HEADER_FEATURE: /* the end mark is the last */
        return 1 + (item->bytes.len == PC_FEATURE_HEAD ? PC_FEATURE_BITS : bit);
    case PC_HEADER_TRACING_DATA:
        return PC_FEATURE_BITS + 2;
    case PC_HEADER_BUILD_ID:
        return PC_FEATURE_BITS + 3;
    default:
        return RANK_OF_OTHERS;
    }
}

static void see_bytes(struct pc_derived *d, const struct pc_where *where, uint64_t bytes)
{
    if (!where->inside)
        d->outer += bytes;
}

static void see_record(struct pc_derived *d, const struct pc_reader *r, const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, r->capture->order);
    uint64_t bit = 0;
    d->has_stat |= pc_record_is(item->type, PC_OF_STAT);
    d->has_auxtrace |= pc_record_is(item->type, PC_OF_AUX_TRACE);
    see_bytes(d, &item->where, item->bytes.len);
    if (pc_record_is(item->type, PC_HOLDS_RECORDS))
        see_packed(d, item, r->capture->order);
    if (item->type == PC_HEADER_ATTR && r->capture->nr_attrs != 0)
        d->misplaced |=
            pc_attr_get(&r->capture->attr[r->capture->nr_attrs - 1], PC_ATTR_SIZE) != attr_size_of(d);
    if (item->type == PC_AUXTRACE) {
        pc_hash_put_uint(&d->traces, item->offset);
        pc_hash_put_uint(&d->traces, item->bytes.len);
        d->nr_traces++;
    }
    bool is_feature = item->type == PC_HEADER_FEATURE && pc_uint(&in, 8, &bit);
    uint64_t rank = rank_of(item, bit);
    d->misplaced |= rank < d->rank;
    d->misplaced |=
        item->misc != 0 && pc_record_is(item->type, PC_OF_CONTAINER) && item->type != PC_HEADER_BUILD_ID;
    d->rank = rank;
    if (!is_feature)
        return;
    if (pc_left(&in) == 0)
        d->end_mark = bit;
    else if (bit == PC_COMPRESSED_FEATURE)
        see_compression(d, pc_part(item->bytes, in.pos, pc_left(&in)), r->capture->order);
    else if (bit < PC_FEATURES && bit > d->highest)
        d->highest = bit;
    d->has_features = true;
}

void pc_derived_records(struct pc_derived *d, const struct pc_where *where, uint64_t bytes)
{
    see_bytes(d, where, bytes);
    d->rank = RANK_OF_OTHERS;
}

void pc_derived_item(struct pc_derived *d, const struct pc_reader *r, const struct pc_item *item)
{
    switch (item->kind) {
    case PC_ITEM_ATTR:
        see_attr(d, r->capture, item);
        break;
    case PC_ITEM_FEATURE:
        see_section(d, r->capture, item);
        break;
    case PC_ITEM_RECORD:
        see_record(d, r, item);
        break;
    case PC_ITEM_PAYLOAD:
        see_bytes(d, &item->where, item->bytes.len);
        break;
    default:
        break;
    }
}

/* --- rows --- */

static bool sizes_hold(const struct pc_derived *d, const struct pc_reader *r)
{
    const struct pc_capture *c = r->capture;
    if (c->is_pipe)
        return !d->misplaced && PC_PIPE_HEADER_SIZE + d->outer == r->in->size;
    uint64_t attrs = PC_FILE_HEADER_SIZE + 8 * d->nr_ids, data = attrs + d->attr_bytes,
             table = data + d->outer, sections = table + PC_SECTION_SIZE * d->nr_sections;
    return !d->misplaced && pc_header_get(c, PC_HEAD_SIZE) == PC_FILE_HEADER_SIZE &&
           pc_header_get(c, PC_HEAD_ATTRS_OFFSET) == attrs &&
           pc_header_get(c, PC_HEAD_ATTRS_SIZE) == d->attr_bytes &&
           pc_header_get(c, PC_HEAD_ATTR_SIZE) == attr_size_of(d) + PC_SECTION_SIZE &&
           pc_header_get(c, PC_HEAD_DATA_OFFSET) == data && pc_header_get(c, PC_HEAD_DATA_SIZE) == d->outer &&
           pc_header_get(c, PC_HEAD_TYPES_OFFSET) == 0 && pc_header_get(c, PC_HEAD_TYPES_SIZE) == 0 &&
           pc_count_features(c->features) == d->nr_sections &&
           (d->nr_sections == 0 || (d->entry_at == table && d->first_section == sections)) &&
           (d->nr_sections == 0 ? table : d->section_at) == r->in->size;
}

static bool index_holds(const struct pc_derived *d, const struct pc_reader *r)
{
    struct pc_sum traces = pc_hash_sum(&d->traces);
    return r->capture->is_pipe || d->nr_traces == 0 ||
           (d->nr_index == d->nr_traces && pc_sum_equal(&d->index, &traces));
}

/* Features that follow from attrs and records. */
static bool marks_hold(const struct pc_derived *d, const struct pc_reader *r)
{
    const struct pc_capture *c = r->capture;
    bool branches = false;
    for (size_t i = 0; i < c->nr_attrs; i++)
        branches |= (pc_attr_get(&c->attr[i], PC_ATTR_SAMPLE_TYPE) & PC_S_BRANCH_STACK) != 0;
    return c->is_pipe ||
           (pc_bit(c->features, PC_BRANCH_STACK) == branches &&
            pc_bit(c->features, PC_STAT_FEATURE) == (d->has_stat || d->stat_mark) &&
            pc_bit(c->features, PC_AUXTRACE_INDEX) == d->has_auxtrace && !pc_bit(c->features, PC_DIR_FORMAT));
}

static bool compression_holds(const struct pc_derived *d, const struct pc_reader *r)
{
    const uint64_t in = r->packed.bytes_out, out = d->packed;
    uint64_t ratio = out == 0 || r->capture->is_pipe ? 0 : (in + out / 2) / out;
    if (out == 0 || !d->compression)
        return (out != 0) == d->compression;
    return d->slot[PC_COMPRESSED_LEVEL] == d->level && d->slot[PC_COMPRESSED_RATIO] == ratio &&
           d->slot[PC_COMPRESSED_MMAP_LEN] == d->mmap_len;
}

static bool packed_holds(const struct pc_derived *d, const struct pc_reader *r)
{
    (void)r;
    return !d->other_type && !d->blocks.wrong;
}

/* That of the oldest of those perfs who read all of it, or of the one who is to read it; but 5.10 ends with
 * what others take for a feature. */
static bool end_mark_holds(const struct pc_derived *d, const struct pc_reader *r)
{
    const struct pc_version_knows *one = d->reader ? d->reader : pc_version_knows(PC_BY_6_12);
    uint64_t attr_size = r->capture->nr_attrs ? 0 : attr_size_of(d); /* of a pipe without any */
    if (!r->capture->is_pipe || !d->has_features)
        return d->end_mark == UINT64_MAX;
    for (size_t i = 0; i < r->capture->nr_attrs; i++) {
        uint64_t size = pc_attr_get(&r->capture->attr[i], PC_ATTR_SIZE);
        attr_size = size > attr_size ? size : attr_size;
    }
    if (!d->reader && (attr_size > one->attr_size || d->highest > one->feature))
        one = pc_version_knows(PC_BY_7_2);
    return d->end_mark == (d->reader || d->highest < one->feature ? one->feature : d->highest) + 1u;
}

static const struct {
    const char *name;
    bool (*holds)(const struct pc_derived *d, const struct pc_reader *r);
} rows[] = {
    { "sizes and offsets", sizes_hold },        { "the index of AUX traces", index_holds },
    { "features without content", marks_hold }, { "the feature COMPRESSED", compression_holds },
    { "compressed records", packed_holds },     { "the end mark", end_mark_holds },
};

const char *pc_derived_wrong(const struct pc_derived *d, const struct pc_reader *r)
{
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (!rows[i].holds(d, r))
            return rows[i].name;
    }
    return NULL;
}

bool pc_derived_formats(const struct pc_derived *d, const struct pc_capture *c)
{
    for (uint32_t i = 0; i < c->nr_attrs && d->made_formats; i++) {
        uint64_t id = pc_attr_get(&c->attr[i], PC_ATTR_CONFIG);
        if (pc_attr_get(&c->attr[i], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT && pc_is_tracepoint_id(id) &&
            !pc_capture_format(c, i))
            return false;
    }
    return true;
}

/* --- trace data that were made --- */

#define LONG_SIZE      8
#define MADE_PAGE_SIZE 4096
#define TEXT_MAX       (PC_TP_NAME_MAX + 1024)

/* What was walked. */
struct made {
    const struct pc_capture *capture;
    uint64_t seen[(PC_TP_ID_MAX + 1) / 64]; /* ids of tracepoints so far */
    size_t next;                            /* the attr after the last of these ... */
    const struct pc_attr *attr;             /* ... which is this */
    char text[TEXT_MAX];
};

/* Whether there is an attr of another tracepoint, which is then the current one. */
static bool next_tracepoint(struct made *m)
{
    while (m->next < m->capture->nr_attrs) {
        m->attr = &m->capture->attr[m->next++];
        uint64_t id = pc_attr_get(m->attr, PC_ATTR_CONFIG);
        if (pc_attr_get(m->attr, PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT || !pc_is_tracepoint_id(id) ||
            pc_bit(m->seen, id))
            continue;
        pc_set_bit(m->seen, id);
        return true;
    }
    return false;
}

static size_t word_length(const char *text)
{
    return strspn(text, "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
}

/* The system of the current tracepoint, or its name, without a NUL. */
static struct pc_span name_of(struct made *m, bool system, char number[PC_NUMBER_NAME])
{
    const char *name = m->attr->name ? m->attr->name : "", *event = name;
    size_t len = word_length(name), rest = 0;
    if (name[len] == ':') {
        event = name + len + 1;
        rest = word_length(event);
    }
    bool named = len != 0 && len <= PC_TP_NAME_MAX && rest != 0 && rest <= PC_TP_NAME_MAX && !event[rest];
    if (!named) {
        snprintf(number, PC_NUMBER_NAME, "id_%" PRIu64, pc_attr_get(m->attr, PC_ATTR_CONFIG));
        event = number;
        rest = strlen(number);
        name = "tracepoint";
        len = strlen(name);
    }
    return (struct pc_span){ (const unsigned char *)(system ? name : event), system ? len : rest };
}

/* The text in a row of trace data. */
static void put_made(struct made *m, const struct pc_field *row)
{
    char number[PC_NUMBER_NAME];
    struct pc_span name;
    m->text[0] = '\0';
    switch (row->save) {
    case PC_TRACING_VERSION:
        snprintf(m->text, TEXT_MAX, "0.6");
        break;
    case PC_TRACING_HEADER_PAGE:
        snprintf(m->text, TEXT_MAX,
                 "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                 "\tfield: local_t commit;\toffset:8;\tsize:%d;\tsigned:1;\n"
                 "\tfield: char data;\toffset:%d;\tsize:%d;\tsigned:1;\n",
                 LONG_SIZE, 8 + LONG_SIZE, MADE_PAGE_SIZE - 8 - LONG_SIZE);
        break;
    case PC_TRACING_SYSTEM:
        name = name_of(m, true, number);
        snprintf(m->text, TEXT_MAX, "%.*s", (int)name.len, (const char *)name.ptr);
        break;
    case PC_TRACING_FORMAT:
        name = name_of(m, false, number);
        snprintf(m->text, TEXT_MAX,
                 "name: %.*s\nID: %" PRIu64 "\nformat:\n"
                 "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
                 "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
                 "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
                 "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
                 "\tfield:unsigned char raw[];\toffset:8;\tsize:0;\tsigned:0;\n\nprint fmt: \"\"\n",
                 (int)name.len, (const char *)name.ptr, pc_attr_get(m->attr, PC_ATTR_CONFIG));
        break;
    default:
        break;
    }
}

/* Whether a number in trace data is this one. Sizes count what follows. */
static bool is_made_number(const struct made *m, const struct pc_leaf *leaf)
{
    switch (leaf->field->save) {
    case PC_TRACING_ORDER:
        return leaf->value == (m->capture->order == PC_BIG);
    case PC_TRACING_LONG_SIZE:
        return leaf->value == LONG_SIZE;
    case PC_TRACING_PAGE_SIZE:
        return leaf->value == MADE_PAGE_SIZE;
    case PC_SLOT_B: /* of ftrace */
        return leaf->value == 0;
    case PC_SLOT_C: /* events of a system */
        return leaf->value == 1;
    default:
        return true;
    }
}

static bool see_made(void *ctx, const struct pc_leaf *leaf)
{
    struct made *m = ctx;
    const struct pc_field *row = leaf->field;
    if (leaf->fault != PC_SOUND)
        return false;
    if (pc_is_number(row))
        return is_made_number(m, leaf);
    if (row->kind == PC_LITERAL)
        return true;
    if (row->save == PC_TRACING_SYSTEM && !next_tracepoint(m))
        return false;
    put_made(m, row);
    size_t len = strlen(m->text) + (row->kind == PC_ZSTR);
    return leaf->raw.len == len && memcmp(leaf->raw.ptr, m->text, len) == 0;
}

bool pc_derived_trace_data(const struct pc_capture *capture, struct pc_span content)
{
    struct made m = { .capture = capture };
    struct pc_cursor in = pc_cursor(content, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, see_made, &m);
    return pc_walk_table(&walk, pc_feature_info(PC_TRACING_DATA)->fields) && pc_left(&in) == 0 &&
           !next_tracepoint(&m);
}
