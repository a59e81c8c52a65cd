/* SPDX-License-Identifier: MIT
 *
 * model_diff: the second reader (tests/model) shares no code with the library. Both agree on the verdict,
 * on the list of items, on the place, size and value of every field that both find sound, and on times and
 * losses. tests/model/DISAGREEMENTS.md lists the exceptions with their reasons.
 */
#include "harness.h"
#include "model_diff.h"

#include "tests/model/model.h"
#include "format/rows.h"

#include <stdio.h>
#include <stdlib.h>

struct fuzz_agreement fuzz_agreement;

static struct pc_scan scan;

/* --- what only one of the two looks for --- */

/* Which rows of the model are which findings of the library. */
static const struct reason {
    uint16_t row, id;
    bool row_alone, id_alone; /* an exception of rows only, or of findings only */
} reasons[] = {
#define R(row, symbol)       { row, PC_D_##symbol, false, false },
#define FOLLOWS(row, symbol) { row, PC_D_##symbol, false, true },
#define IMPLIED(symbol, row) { row, PC_D_##symbol, true, false },
#include "tests/model/reasons.def"
#undef R
#undef FOLLOWS
#undef IMPLIED
};

/* Errors without a row of section 10, or of rows that the model does not check. */
static const uint16_t unjudged[] = {
    PC_D_RAW_FIELD_OUTSIDE, PC_D_RAW_MISSING,        PC_D_TRACEPOINT_TEXT,   PC_D_TRACEPOINT_FIELD,
    PC_D_TRACEPOINT_PRINT,  PC_D_TRACEPOINT_TWICE,   PC_D_PRINT_FMT_DEADLY,  PC_D_HEADER_PAGE,
    PC_D_RECORD_SWALLOWS,   PC_D_TYPE_AND_SIZE,      PC_D_NAME_OF_BOTH,      PC_D_STAT_LESS,
    PC_D_STAT_RUN_MORE,     PC_D_RAW_TASK,           PC_D_RAW_CPU,           PC_D_RAW_DIVISOR,
    PC_D_RAW_LENGTH,        PC_D_AUXTRACE_NAMES,     PC_D_BPF_FUNCTION_TYPE, PC_D_ANDROID_SPLIT_OPEN,
    PC_D_STAT_ROOM,         PC_D_ANDROID_SPLIT_SIZE, PC_D_BRANCHES_BEYOND,   PC_D_CAP_BRANCHES,
    PC_D_SCHEDSTAT_CPU,     PC_D_SCHEDSTAT_DOMAIN,   PC_D_CORESIGHT_AUX,
};

/* After these the library looks for the next record and the model stops, so the lists differ. */
static const uint16_t framing[] = {
    PC_D_RECORD_SIZE,
    PC_D_RECORD_CROSSES_END,
    PC_D_DATA_LEFTOVER,
    PC_D_RECORD_UNALIGNED,
    PC_D_RESYNC,
    PC_D_RECORD_SWALLOWS,
    PC_D_TYPE_AND_SIZE,
    PC_D_STREAM_CUT,
    PC_D_PAYLOAD_CUT,
    PC_D_AUXTRACE_BEYOND,
    PC_D_AUXTRACE_HUGE,
    PC_D_ZSTD_DAMAGED,
    PC_D_ZSTD_BEGINS_INSIDE,
    PC_D_CONTENT_TOO_LONG,
    PC_D_HEADER_RECORDS,
    PC_D_DATA_INSIDE_RECORD,
    PC_D_COMPRESSED2_SIZE,
    PC_D_COMPRESSED2_EXCESS,
    PC_D_COMPRESSED2_WRAPPED,
    PC_D_COMPRESSED2_LOST,
    PC_D_COMPRESSED2_LEFT,
};
static const uint16_t framing_rows[] = { 69, 70, 71, 72, 158, 159, 202, 203, 271, 272 };

/* If attrs or data cannot be where the header says, each reader takes another place for them ... */
static const uint16_t container[] = {
    PC_D_ATTR_ENTRY_BAD, PC_D_ATTRS_OVERLAP_HEADER, PC_D_ATTRS_OVERLAP_DATA,
    PC_D_DATA_OVERFLOW,  PC_D_DATA_OVERLAPS_HEADER, PC_D_DATA_END_MOVED,
};

/* ... and here it is the attrs, which decide the fields of the records. */
static const uint16_t attrs_unread[] = {
    PC_D_ATTR_ENTRY_ZERO, PC_D_ATTRS_REMAINDER,    PC_D_ATTRS_OUTSIDE,
    PC_D_ATTR_SIZE_SMALL, PC_D_ATTR_SIZE_MISMATCH, PC_D_ATTR_SIZE_UNALIGNED,
};

/* Rows of section 10; 1000 + bit: a feature that ends early. */
#define ROWS 2000
struct faults {
    bool row[ROWS];
    size_t nr;
};

/* Errors of the library that are compared: those of the first item with errors, all up to the first damage
 * to the framing, and those that report this damage at the next item. */
struct errors {
    bool first[PC_DIAG_COUNT], early[PC_DIAG_COUNT], framing[PC_DIAG_COUNT];
    bool any, parted;
};

static bool any_found(const uint16_t *id, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        if (scan.report.by_id[id[i]] != 0)
            return true;
    }
    return false;
}

static bool any_row(const struct faults *faults, const uint16_t *row, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        if (faults->row[row[i]])
            return true;
    }
    return false;
}

/* Errors that both look for. */
static uint64_t judged_errors(void)
{
    uint64_t errors = scan.report.by_severity[PC_ERROR];
    for (size_t i = 0; i < PC_COUNT_OF(unjudged); i++)
        errors -= scan.report.by_id[unjudged[i]];
    /* The meaning of a text is missing. Doubtful records may not be the ones that the model sees. */
    if (scan.report.by_id[PC_D_TRACEPOINT_TEXT] != 0)
        errors -= scan.report.by_id[PC_D_TRACEPOINT_UNDESCRIBED];
    if (scan.report.by_id[PC_D_RECORD_SWALLOWS] != 0 || scan.report.by_id[PC_D_TYPE_AND_SIZE] != 0)
        errors = 0;
    return errors;
}

static void find_faults(struct faults *faults, const struct model *m)
{
    /* Kernels that do not set the flag leave garbage in build_id_size. For the model that is row 96. */
    uint64_t excused = scan.report.by_id[PC_D_MMAP2_LEAKED];
    *faults = (struct faults){ 0 };
    for (size_t i = 0; i < model_fault_count(m); i++) {
        unsigned row = model_fault(m, i)->condition;
        FUZZ_MUST(row < ROWS);
        if (row == 96 && excused > 0) {
            excused--;
            continue;
        }
        faults->row[row] = true;
        faults->nr++;
    }
}

/* --- fields of an item, in the order of the file --- */

enum difference { NO_DIFFERENCE, IN_LIST, IN_FIELDS, IN_REST };

struct pair {
    const struct model *m;
    const struct model_part *part; /* the model's of the current item */
    size_t next_part, next_leaf;
    enum difference found; /* the first; nothing is compared after it */
    uint64_t offset;       /* of the walked bytes in the stream */
    size_t shown;          /* bytes of it that were shown */
    bool has_trace;        /* the record that is walked has trace data */
    bool unsure;           /* a record that counts is sound for both */
};

static const struct model_leaf *next_leaf(struct pair *p)
{
    while (p->next_leaf < p->part->leaves) {
        const struct model_leaf *leaf = model_leaf(p->m, p->part->first_leaf + p->next_leaf++);
        if (leaf->size != 0)
            return leaf;
    }
    return NULL;
}

static bool same_field(struct pair *p, size_t at, size_t size, bool number, uint64_t value)
{
    if (size == 0)
        return true;
    const struct model_leaf *leaf = next_leaf(p);
    if (!leaf || leaf->offset != p->offset + at || leaf->size != size) {
        p->found = IN_FIELDS;
        return false;
    }
    if (number && leaf->kind <= MODEL_BITS) {
        uint64_t mask = size >= 8 ? UINT64_MAX : ((uint64_t)1 << 8 * size) - 1;
        if ((leaf->value ^ value) & mask) {
            p->found = IN_FIELDS;
            return false;
        }
    }
    fuzz_agreement.values++;
    return true;
}

/* Bytes that no row explains. */
static bool same_gap(struct pair *p, size_t end)
{
    size_t from = p->shown;
    if (end <= from)
        return true;
    p->shown = end;
    return same_field(p, from, end - from, false, 0);
}

static void same_content(struct pair *p, uint64_t bit, struct pc_span span, size_t at);

/* Trace data in a record of simpleperf, and what fills it up. */
static bool same_trace(struct pair *p, const struct pc_leaf *leaf)
{
    size_t used = (size_t)leaf->walk->slot[leaf->field->used];
    same_content(p, PC_TRACING_DATA, pc_part(leaf->walk->c->in, 0, leaf->at + used), leaf->at);
    return same_gap(p, leaf->at + leaf->raw.len);
}

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pair *p = ctx;
    bool number = leaf->field->kind == PC_UINT || leaf->field->kind == PC_BITS;
    if (leaf->fault != PC_SOUND || !same_gap(p, leaf->at))
        return false;
    if (p->has_trace && leaf->field->save == PC_REC_RAW)
        return same_trace(p, leaf);
    p->shown = leaf->at + leaf->raw.len;
    return same_field(p, leaf->at, leaf->raw.len, number, leaf->value);
}

static void walk(struct pair *p, struct pc_span span, size_t at, const struct pc_field *table,
                 const struct pc_layout *layout)
{
    struct pc_cursor c = { .in = span, .pos = at, .order = scan.capture.order };
    struct pc_walk walk;
    p->shown = at;
    pc_walk_init(&walk, layout, &c, visit, p);
    pc_walk_table(&walk, table);
}

/* What the reader does not show is in the input. */
static void walk_at(struct pair *p, struct pc_span capture, uint64_t offset, uint64_t size,
                    const struct pc_field *table)
{
    p->offset = offset;
    PC_CLAIM(offset <= capture.len && size <= capture.len - offset);
    walk(p, pc_part(capture, (size_t)offset, (size_t)size), 0, table, NULL);
}

static void same_header(struct pair *p, struct pc_span capture, struct pc_span bytes)
{
    const struct pc_capture *c = &scan.capture;
    if (!c->is_pipe && pc_header_get(c, PC_HEAD_SIZE) == PC_FILE_HEADER_OLD)
        bytes.len = PC_FILE_HEADER_OLD; /* the bitmap follows it */
    walk(p, bytes, 0, pc_file_header, NULL);
    same_gap(p, bytes.len);
    if (c->is_pipe)
        return;
    uint64_t offset = pc_header_get(c, PC_HEAD_TYPES_OFFSET), size = pc_header_get(c, PC_HEAD_TYPES_SIZE);
    if (offset > capture.len || size > capture.len - offset)
        return;
    for (uint64_t i = 0; i < size / PC_EVENT_TYPE_SIZE && !p->found; i++)
        walk_at(p, capture, offset + i * PC_EVENT_TYPE_SIZE, PC_EVENT_TYPE_SIZE, pc_event_type);
}

static void same_attr(struct pair *p, struct pc_span capture, const struct pc_item *item)
{
    static const struct pc_field id[] = { PC_ROW("id", PC_UINT, .width = 8), END };
    const struct pc_capture *c = &scan.capture;
    size_t len = item->bytes.len - PC_SECTION_SIZE;
    walk(p, pc_attr_whole(pc_part(item->bytes, 0, len), c->order), 0, pc_attr_fields, NULL);
    same_gap(p, len);
    walk(p, item->bytes, len, pc_section, NULL);
    const struct pc_attr *attr = c->nr_attrs ? &c->attr[c->nr_attrs - 1] : NULL;
    if (!attr || attr->offset != item->offset)
        return;
    for (uint64_t i = 0; i < attr->nr_ids && !p->found; i++)
        walk_at(p, capture, attr->ids_offset + 8 * i, 8, id);
}

static void same_content(struct pair *p, uint64_t bit, struct pc_span span, size_t at)
{
    const struct pc_field *fields = pc_feature_fields(bit, pc_part(span, at, span.len - at));
    struct pc_layout layout = pc_capture_feature_layout(&scan.capture);
    p->shown = at;
    if (fields && pc_capture_can_walk(&scan.capture, bit))
        walk(p, span, at, fields, &layout);
    same_gap(p, span.len);
}

static void same_feature(struct pair *p, struct pc_span capture, const struct pc_item *item)
{
    walk_at(p, capture, item->entry, PC_SECTION_SIZE, pc_section);
    p->offset = item->offset;
    if (item->bytes.len != 0)
        same_content(p, item->number, item->bytes, 0);
    else
        same_field(p, 0, (size_t)item->size, false, 0);
}

static void same_record(struct pair *p, const struct pc_item *item)
{
    struct pc_span record = item->bytes;
    struct pc_layout layout;
    uint32_t attr;
    size_t excess;
    walk(p, pc_part(record, 0, PC_RECORD_HEADER_SIZE), 0, pc_record_header, NULL);
    if (pc_item_info(item) &&
        pc_capture_layout(&scan.capture, item->type, item->misc, record, &layout, &attr)) {
        struct pc_cursor c = { .in = record, .pos = PC_RECORD_HEADER_SIZE, .order = scan.capture.order };
        struct pc_walk walk;
        pc_walk_init(&walk, &layout, &c, visit, p);
        p->has_trace = item->type == PC_ANDROID_TRACING_DATA;
        pc_walk_record(&walk, pc_item_info(item), &excess);
        p->has_trace = false;
    }
    if (item->type == PC_HEADER_FEATURE && p->shown == PC_RECORD_HEADER_SIZE + 8 && p->shown < record.len)
        same_content(p, pc_load(record.ptr + PC_RECORD_HEADER_SIZE, 8, scan.capture.order), record, p->shown);
    same_gap(p, record.len);
}

static void same_fields(struct pair *p, struct pc_span capture, const struct pc_item *item)
{
    bool held = item->kind != PC_ITEM_PAYLOAD || item->type != PC_HEADER_TRACING_DATA || item->bytes.len != 0;
    p->next_leaf = p->shown = 0;
    p->offset = item->offset;
    if (!held) /* after damaged trace data, later trace data are skipped */
        return;
    switch (item->kind) {
    case PC_ITEM_HEADER:
        same_header(p, capture, item->bytes);
        break;
    case PC_ITEM_ATTR:
        same_attr(p, capture, item);
        break;
    case PC_ITEM_FEATURE:
        same_feature(p, capture, item);
        break;
    case PC_ITEM_RECORD:
        same_record(p, item);
        break;
    case PC_ITEM_PAYLOAD:
        if (item->type == PC_HEADER_TRACING_DATA)
            same_content(p, PC_TRACING_DATA, item->bytes, 0);
        else
            same_field(p, 0, (size_t)item->size, false, 0);
        break;
    case PC_ITEM_END:
        break;
    }
    if (!p->found && next_leaf(p))
        p->found = IN_FIELDS;
}

/* --- the list --- */

static bool same_part(const struct model_part *part, const struct pc_item *item)
{
    static const enum model_part_kind kinds[] = {
        [PC_ITEM_HEADER] = MODEL_HEADER, [PC_ITEM_ATTR] = MODEL_ATTR,       [PC_ITEM_FEATURE] = MODEL_FEATURE,
        [PC_ITEM_RECORD] = MODEL_RECORD, [PC_ITEM_PAYLOAD] = MODEL_PAYLOAD,
    };
    const struct pc_where *where = &item->where;
    if (part->kind != kinds[item->kind] || part->offset != item->offset ||
        (part->wrapper >= 0) != where->inside)
        return false;
    if (where->inside && (uint64_t)part->wrapper != where->wrapper)
        return false;
    switch (item->kind) {
    case PC_ITEM_ATTR:
    case PC_ITEM_FEATURE:
        return part->type == item->number;
    case PC_ITEM_RECORD:
        return part->type == item->type && part->misc == item->misc && part->size == item->bytes.len &&
               part->number == item->number;
    case PC_ITEM_PAYLOAD:
        return part->type == item->type && part->size == item->size;
    default:
        return true;
    }
}

/* Fields that depend on something damaged are not compared. */
static bool is_vague(const struct faults *f, const struct pc_item *item)
{
    bool attrs = f->row[40] || f->row[52] || f->row[53] || f->row[64];
    bool cpus = f->row[223] || f->row[1007];
    if (item->kind == PC_ITEM_RECORD && (f->row[140] || f->row[14] || f->row[268]))
        return true;
    if (item->kind == PC_ITEM_RECORD && pc_is_kernel_type(item->type) && attrs)
        return true;
    if (item->kind == PC_ITEM_RECORD && item->type == PC_HEADER_FEATURE && cpus)
        return true;
    return item->kind == PC_ITEM_FEATURE && cpus;
}

/* Text of a fixed length that is cut. */
static bool has_loose_end(const struct pc_item *item)
{
    return item->kind == PC_ITEM_RECORD && item->type == PC_AUXTRACE_ERROR;
}

/* The library has no item for a section outside the file, nor for bit 0, which has no meaning. */
static const struct model_part *next_part(struct pair *p, struct pc_span capture)
{
    while (p->next_part < model_part_count(p->m)) {
        const struct model_part *part = model_part(p->m, p->next_part++);
        bool outside = part->offset > capture.len || part->size > capture.len - part->offset;
        if (part->kind != MODEL_FEATURE || (part->type != 0 && !outside))
            return part;
    }
    return NULL;
}

/* For people. */
static void tell(const struct pair *p, const struct pc_item *item)
{
    static const char *const what[] = { "", "not in both lists", "fields differ", "rest" };
    if (!getenv("FUZZ_VERBOSE"))
        return;
    fprintf(stderr, "%s: item kind %d type %lu number %llu offset %llu size %zu", what[p->found],
            (int)item->kind, (unsigned long)item->type, (unsigned long long)item->number,
            (unsigned long long)item->offset, item->bytes.len);
    if (p->part)
        fprintf(stderr, "; model kind %d type %lu number %llu offset %llu size %llu, leaf %zu",
                (int)p->part->kind, (unsigned long)p->part->type, (unsigned long long)p->part->number,
                (unsigned long long)p->part->offset, (unsigned long long)p->part->size, p->next_leaf);
    fputc('\n', stderr);
}

static bool is_cut(void)
{
    return scan.capture.unfinished || scan.report.by_id[PC_D_DATA_OUTSIDE] != 0;
}

/* The lists differ from p->part on. An unfinished capture, or one that was cut, may end with random bytes of
 * the disk. After the last sound record the library reports nothing there; the model reports a damaged record
 * or an unknown type (FORMAT.md 1.7). The library shows the first part of a payload that is cut; the model
 * shows nothing. item: NULL at the end. */
static enum difference lists_part(const struct pair *p, const struct pc_item *item)
{
    bool cut = is_cut();
    bool rest = cut && p->part && p->part->kind == MODEL_RECORD &&
                (p->part->faulty || !pc_record_info(p->part->type));
    rest |= cut && !p->part && item && item->kind == PC_ITEM_PAYLOAD;
    return rest ? IN_REST : IN_LIST;
}

static bool is_summed(uint32_t type)
{
    return type == PC_SAMPLE || type == PC_LOST || type == PC_LOST_SAMPLES;
}

static void compare_item(struct pair *p, const struct faults *faults, struct pc_span capture,
                         const struct pc_item *item, bool sound)
{
    if (item->kind == PC_ITEM_END)
        return;
    p->part = next_part(p, capture);
    if (!p->part || !same_part(p->part, item)) {
        p->found = lists_part(p, item);
        return;
    }
    fuzz_agreement.parts++;
    fuzz_agreement.samples += item->kind == PC_ITEM_RECORD && item->type == PC_SAMPLE;
    if (!sound || p->part->faulty || is_vague(faults, item))
        p->unsure |= item->kind == PC_ITEM_RECORD && is_summed(item->type);
    else if (!has_loose_end(item))
        same_fields(p, capture, item);
}

/* --- all of it --- */

/* Samples of the model, counted. */
static uint64_t count_samples(const struct model *m)
{
    uint64_t nr = 0;
    for (size_t i = 0; i < model_part_count(m); i++)
        nr += model_part(m, i)->kind == MODEL_RECORD && model_part(m, i)->type == PC_SAMPLE;
    return nr;
}

static void compare_verdicts(const struct faults *faults)
{
    bool valid = pc_scan_verdict(&scan) == PC_VALID;
    /* After a record of an unknown type the library looks for the next record; the model uses its size. */
    bool same = scan.reader.skipped == 0 || scan.report.by_id[PC_D_TYPE_USER_UNKNOWN] == 0;
    /* Where the data of a COMPRESSED2 may lack bytes, the library gives up what came out before; the model
     * does not. */
    same = same && (scan.reader.packed.nr_broken == 0 || scan.report.by_id[PC_D_COMPRESSED2_EXCESS] == 0);
    if (same && valid)
        PC_CLAIM(faults->nr == 0);
    else if (same && (judged_errors() != 0 || !scan.recognised))
        PC_CLAIM(faults->nr != 0);
    fuzz_agreement.accepted += valid;
    fuzz_agreement.refused += !valid && faults->nr != 0;
    fuzz_agreement.unjudged += !valid && faults->nr == 0;
}

/* --- reasons --- */

/* For people. */
static void tell_reason(const char *what, unsigned which, const struct model *m)
{
    if (!getenv("FUZZ_VERBOSE"))
        return;
    fprintf(stderr, "%s %u %s; rows", what, which, which < PC_DIAG_COUNT ? pc_diag_info(which)->id : "");
    for (size_t i = 0; i < model_fault_count(m); i++) {
        unsigned row = model_fault(m, i)->condition;
        if (i == 0 || row != model_fault(m, i - 1)->condition)
            fprintf(stderr, " %u", row);
    }
    fprintf(stderr, "; errors");
    for (uint16_t id = 1; id < PC_DIAG_COUNT; id++) {
        if (scan.report.by_id[id] != 0 && pc_diag_info(id)->severity == PC_ERROR)
            fprintf(stderr, " %s", pc_diag_info(id)->id);
    }
    fputc('\n', stderr);
}

static bool is_among(uint16_t id, const uint16_t *list, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        if (list[i] == id)
            return true;
    }
    return false;
}

/* Many faults cause others, and each reader continues in its own way. So one common reason is enough. */
static bool has_many_reasons(const struct faults *faults)
{
    const unsigned many = 4;
    unsigned rows = 0, errors = 0;
    for (unsigned row = 0; row < ROWS; row++)
        rows += faults->row[row];
    for (uint16_t id = 1; id < PC_DIAG_COUNT; id++)
        errors += scan.report.by_id[id] != 0 && pc_diag_info(id)->severity == PC_ERROR;
    return rows >= many || errors >= many;
}

/* Whether the model looks for it. It does not read all texts. */
static bool is_judged(uint16_t id)
{
    const uint16_t texts[] = { PC_D_TRACEPOINT_TEXT, PC_D_TRACEPOINT_FIELD, PC_D_HEADER_PAGE };
    if (pc_diag_info(id)->severity != PC_ERROR || is_among(id, unjudged, PC_COUNT_OF(unjudged)))
        return false;
    return (id != PC_D_TRACEPOINT_UNDESCRIBED && id != PC_D_TRACING_DATA_SIZE) ||
           !any_found(texts, PC_COUNT_OF(texts));
}

static void note_errors(struct errors *e)
{
    if (e->parted)
        return;
    e->parted = any_found(framing, PC_COUNT_OF(framing));
    for (uint16_t id = 0; id < PC_DIAG_COUNT; id++) {
        if (scan.report.by_id[id] == 0 || !is_judged(id))
            continue;
        if (e->parted)
            e->framing[id] = is_among(id, framing, PC_COUNT_OF(framing));
        else
            e->early[id] = true;
    }
    for (uint16_t id = 0; id < PC_DIAG_COUNT && !e->any; id++)
        e->first[id] = e->early[id];
    for (uint16_t id = 0; id < PC_DIAG_COUNT; id++)
        e->any |= e->early[id] || e->framing[id];
}

/* Whether one of the findings of the row was made. */
static bool is_row_found(unsigned row)
{
    for (size_t i = 0; i < PC_COUNT_OF(reasons); i++) {
        if (!reasons[i].id_alone && reasons[i].row == (row < 1000 ? row : 1000) &&
            scan.report.by_id[reasons[i].id] != 0)
            return true;
    }
    return false;
}

/* Whether the model has one of the rows of the finding. */
static bool is_finding_a_row(const struct faults *faults, uint16_t id)
{
    for (size_t i = 0; i < PC_COUNT_OF(reasons); i++) {
        unsigned row = reasons[i].row, last = row == 1000 ? ROWS - 1 : row;
        for (; !reasons[i].row_alone && reasons[i].id == id && row <= last; row++) {
            if (faults->row[row])
                return true;
        }
    }
    return false;
}

/* Features before the attrs are not compared with them if another error may be why the attrs are missing
 * (flow_events.c). */
static bool is_not_compared(unsigned row)
{
    const unsigned group_desc = 234;
    return row == group_desc && scan.check.flow.before_attrs && scan.report.by_severity[PC_ERROR] != 0;
}

/* The rows of the model, or the first of the vague ones, are findings of the library. */
static bool is_row_of_model_found(const struct model *m, const struct faults *faults, bool first_only)
{
    bool all = true;
    for (size_t i = 0; i < model_fault_count(m) && all; i++) {
        unsigned row = model_fault(m, i)->condition;
        if (!faults->row[row])
            continue; /* excused */
        all = is_row_found(row) || is_not_compared(row);
        if (!all)
            tell_reason("only the model: row", row, m);
        if (first_only)
            break;
    }
    return all;
}

static bool is_any_reason_common(const struct faults *faults, const struct model *m)
{
    for (size_t i = 0; i < model_fault_count(m); i++) {
        unsigned row = model_fault(m, i)->condition;
        if (faults->row[row] && is_row_found(row))
            return true;
    }
    tell_reason("no common reason", 0, m);
    return false;
}

/* Findings about damaged framing may be about other records, because the two continue at different places.
 * One common finding is enough, and none is needed if attrs or data cannot be where the header says. */
static bool is_each_error_a_row(const struct faults *faults, const struct model *m,
                                const struct errors *errors, bool vague, bool moved)
{
    const bool *found = vague ? errors->first : errors->early;
    unsigned damage = 0;
    bool any = moved;
    for (uint16_t id = 0; id < PC_DIAG_COUNT; id++) {
        if (found[id] && !is_finding_a_row(faults, id)) {
            tell_reason("only the library: finding", id, m);
            return false;
        }
        any |= errors->framing[id] && is_finding_a_row(faults, id);
        damage = errors->framing[id] ? id : damage;
    }
    if (damage != 0 && !any)
        tell_reason("only the library: damage", damage, m);
    return damage == 0 || any;
}

/* --- warnings --- */

static const struct reason warnings[] = {
#define W(row, symbol) { row, PC_D_##symbol, false, false },
#include "tests/model/warnings.def"
#undef W
};

static void find_warnings(const struct pc_report *report, bool found[ROWS])
{
    for (size_t i = 0; i < PC_COUNT_OF(warnings); i++)
        found[warnings[i].row] |= report->by_id[warnings[i].id] != 0;
}

/* Those of --for: a scan of its own finds them. */
static void find_for_readers(struct pc_span capture, bool found[ROWS])
{
    static struct pc_scan other;
    struct pc_policy policy = fuzz_policy;
    policy.reader = PC_BY_ALL;
    pc_scan_init(&other, &policy, &fuzz_limits);
    pc_scan_memory(&other, capture, PC_INPUT_FILE);
    find_warnings(&other.report, found);
    fuzz_scan_end(&other);
}

static bool are_warnings_same(const struct model *m, struct pc_span capture)
{
    bool found[ROWS] = { false };
    find_warnings(&scan.report, found);
    find_for_readers(capture, found);
    for (size_t i = 0; i < PC_COUNT_OF(warnings); i++) {
        if (found[warnings[i].row] == model_warns(m, warnings[i].row))
            continue;
        tell_reason(found[warnings[i].row] ? "only the library: warning" : "only the model: warning",
                    warnings[i].row, m);
        return false;
    }
    return true;
}

static void compare_sums(const struct model *m)
{
    const struct pc_summary *sum = &scan.check.flow.sum;
    struct model_sums sums = model_sums(m);
    PC_CLAIM(sum->has_time == (sums.last_time != 0));
    PC_CLAIM(sum->first_time == sums.first_time && sum->last_time == sums.last_time);
    PC_CLAIM(sum->lost_events == sums.lost_events && sum->lost_samples == sums.lost_samples);
    fuzz_agreement.sums++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct pc_item item;
    static struct faults faults;
    struct errors early = { 0 };
    if (!fuzz_case(&c, data, size))
        return 0;
    struct model *m = model_read(c.capture.ptr, c.capture.len);
    FUZZ_MUST(m != NULL);
    struct pair p = { .m = m };
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, c.capture, PC_INPUT_FILE);
    find_faults(&faults, m);
    for (;;) {
        uint64_t errors = scan.report.by_severity[PC_ERROR];
        if (!pc_scan_next(&scan, &item))
            break;
        note_errors(&early);
        if (p.found)
            continue;
        compare_item(&p, &faults, c.capture, &item, errors == scan.report.by_severity[PC_ERROR]);
        if (p.found)
            tell(&p, &item);
    }
    note_errors(&early); /* the scan is not ended: the model knows no causes of errors */
    find_faults(&faults, m);
    if (!p.found && (p.part = next_part(&p, c.capture)))
        p.found = lists_part(&p, NULL);

    fuzz_agreement.inputs++;
    if (model_verdict(m) == MODEL_LIMIT || scan.report.unreadable) {
        fuzz_agreement.limited++;
    } else {
        compare_verdicts(&faults);
        bool moved = any_found(container, PC_COUNT_OF(container)) || scan.capture.attrs_damaged;
        bool parted = any_found(framing, PC_COUNT_OF(framing)) ||
                      any_row(&faults, framing_rows, PC_COUNT_OF(framing_rows));
        if (faults.nr != 0 && judged_errors() != 0) {
            bool vague = moved || parted || is_cut() || any_found(attrs_unread, PC_COUNT_OF(attrs_unread));
            if (has_many_reasons(&faults)) {
                PC_CLAIM(is_any_reason_common(&faults, m));
            } else {
                PC_CLAIM(is_row_of_model_found(m, &faults, vague));
                PC_CLAIM(is_each_error_a_row(&faults, m, &early, vague, moved));
            }
        }
        if (faults.nr == 0 && scan.report.by_severity[PC_ERROR] == 0)
            PC_CLAIM(are_warnings_same(m, c.capture));
        PC_CLAIM(p.found != IN_LIST || moved || parted);
        PC_CLAIM(p.found != IN_FIELDS || moved || any_found(attrs_unread, PC_COUNT_OF(attrs_unread)));
        /* After a field that differs, lists are not compared. */
        if (!moved && !parted && p.found != IN_REST && p.found != IN_FIELDS)
            PC_CLAIM(scan.check.flow.sum.by_type[PC_SAMPLE] == count_samples(m));
        if (!moved && !parted && !p.found && !p.unsure)
            compare_sums(m);
        if (scan.recognised)
            PC_CLAIM(model_is_pipe(m) == scan.capture.is_pipe &&
                     model_is_big(m) == (scan.capture.order == PC_BIG));
    }
    fuzz_scan_end(&scan);
    model_free(m);
    return 0;
}
