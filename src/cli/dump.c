/* SPDX-License-Identifier: MIT */
#include "cli/dump.h"
#include "write/convert.h"
#include "cli/dump_value.h"

#include <inttypes.h>
#include <string.h>

#define KEPT_MAX 64 /* findings of the reader that wait for their item */

struct dump {
    const struct pc_printer *printer;
    FILE *out;
    const char *path;
    struct pc_scan *scan;

    struct pc_finding kept[KEPT_MAX]; /* came while the next item was read */
    size_t nr_kept;
    bool in_item;           /* findings belong to the item at hand */
    struct pc_stream array; /* JSON: the member of the item that is printed */

    /* The item at hand. */
    struct pc_step outer; /* path of the table that is walked; name NULL: none */
    size_t shown;         /* bytes of the walked span that were shown */
    uint64_t offset;      /* of the span in the stream */

    struct pc_buffer name, text; /* text: see new_text */
    struct pc_shown field;
};

/* An empty buffer, in which nothing stands that is still needed. */
static struct pc_buffer *new_text(struct dump *d)
{
    pc_buffer_init(&d->text);
    return &d->text;
}

/* --- findings --- */

static void print_finding(struct dump *d, const struct pc_finding *f, bool inside)
{
    if (d->field.json) {
        pc_stream_key(&d->array, NULL);
        pc_print_json_finding(d->out, f);
        return;
    }
    const struct pc_diag_info *info = pc_diag_info(f->id);
    fprintf(d->out, "%s0x%010" PRIx64 " ! ", inside ? "  " : "", f->offset);
    if (!inside && (f->where.inside || f->where.member)) {
        pc_put_stream(new_text(d), &f->where, true);
        fprintf(d->out, "%s: ", d->text.text);
    }
    if (inside)
        pc_put_plain_message(new_text(d), f, true);
    else
        pc_put_message(new_text(d), f, true);
    fprintf(d->out, "%s: %s [%s %s]\n", pc_severity_name(f->severity), d->text.text, info->id, info->name);
}

/* The members that every line has; name may be NULL. */
static void open_line(struct dump *d, const char *kind, const struct pc_where *where, uint64_t offset,
                      uint64_t size, uint64_t number, const char *name)
{
    pc_put_stream(new_text(d), where, false);
    fprintf(d->out, "{\"kind\":\"%s\",\"stream\":", kind);
    pc_print_json_string(d->out, d->text.text);
    fputs(",\"offset\":", d->out);
    pc_print_json_number(d->out, offset);
    fputs(",\"size\":", d->out);
    pc_print_json_number(d->out, size);
    fputs(",\"number\":", d->out);
    if (number == PC_NO_INDEX)
        fputs("null", d->out);
    else
        pc_print_json_number(d->out, number);
    fputs(",\"name\":", d->out);
    if (name)
        pc_print_json_string(d->out, name);
    else
        fputs("null", d->out);
}

static void open_array(struct dump *d, const char *name)
{
    fprintf(d->out, ",\"%s\":", name);
    d->array = pc_stream_open(d->out, '[');
}

static void print_bytes(struct dump *d, size_t at, struct pc_span bytes, uint64_t all, const char *name,
                        const char *meaning);

/* What the reader passed over in a file, as long as it is at it. */
static void print_skipped(struct dump *d, const struct pc_finding *f)
{
    unsigned char some[PC_BYTES_SHOWN];
    size_t n = f->length < sizeof(some) ? (size_t)f->length : sizeof(some);
    if (f->id != PC_D_RESYNC || f->where.inside || f->where.stream != d->scan->reader.stream ||
        (n = pc_reader_look(&d->scan->reader, f->offset, some, n)) == 0)
        return;
    d->offset = f->offset;
    print_bytes(d, 0, (struct pc_span){ some, n }, f->length, "skipped", "");
}

/* A finding on a line of its own: about a place where there is no item. */
static void print_lone_finding(struct dump *d, const struct pc_finding *f)
{
    if (!d->field.json) {
        print_finding(d, f, false);
        print_skipped(d, f);
        return;
    }
    open_line(d, "finding", &f->where, f->offset, f->length, PC_NO_INDEX, NULL);
    open_array(d, "fields");
    print_skipped(d, f);
    fputc(']', d->out);
    open_array(d, "findings");
    print_finding(d, f, false);
    fputs("]}\n", d->out);
}

static void take_finding(void *ctx, const struct pc_finding *f)
{
    struct dump *d = ctx;
    if (d->in_item) {
        print_finding(d, f, true);
        return;
    }
    if (d->nr_kept == KEPT_MAX) {
        for (size_t i = 0; i < KEPT_MAX; i++)
            print_lone_finding(d, &d->kept[i]);
        d->nr_kept = 0;
    }
    d->kept[d->nr_kept++] = *f;
}

/* Where the findings of an item belong. */
static enum pc_place place_of(const struct pc_item *item)
{
    static const enum pc_place places[] = {
        [PC_ITEM_HEADER] = PC_IN_HEADER, [PC_ITEM_ATTR] = PC_IN_ATTR,      [PC_ITEM_FEATURE] = PC_IN_FEATURE,
        [PC_ITEM_RECORD] = PC_IN_RECORD, [PC_ITEM_PAYLOAD] = PC_IN_RECORD, [PC_ITEM_END] = PC_AT_END,
    };
    return places[item->kind];
}

static bool belongs(const struct dump *d, const struct pc_finding *f, const struct pc_item *item)
{
    const struct pc_where *where = &d->scan->report.where;
    return f->where.stream == where->stream && f->where.inside == where->inside &&
           f->place == place_of(item) &&
           (item->kind == PC_ITEM_HEADER || item->kind == PC_ITEM_END ||
            (f->number == item->number && f->offset >= item->offset) ||
            (item->kind == PC_ITEM_FEATURE && f->number == item->number));
}

/* The reader compares all sections before it shows the first: their items come later. */
static bool is_to_come(const struct pc_finding *f, const struct pc_item *item)
{
    enum pc_place here = place_of(item);
    if (f->place == PC_AT_END)
        return false;
    return f->place > here || (f->place == here && f->number > item->number);
}

/* What the reader said before it gave the item about places that were passed. */
static void print_passed(struct dump *d, const struct pc_item *item)
{
    size_t left = 0;
    for (size_t i = 0; i < d->nr_kept; i++) {
        const struct pc_finding *f = &d->kept[i];
        if (item && (belongs(d, f, item) || is_to_come(f, item)))
            d->kept[left++] = *f;
        else
            print_lone_finding(d, f);
    }
    d->nr_kept = left;
}

/* ... and about the item. */
static void print_kept(struct dump *d, const struct pc_item *item)
{
    size_t left = 0;
    for (size_t i = 0; i < d->nr_kept; i++) {
        if (belongs(d, &d->kept[i], item))
            print_finding(d, &d->kept[i], item->kind != PC_ITEM_END);
        else
            d->kept[left++] = d->kept[i];
    }
    d->nr_kept = left;
}

/* --- fields --- */

static void start_name(struct dump *d)
{
    pc_buffer_init(&d->name);
    if (d->outer.name)
        pc_put_steps(&d->name, &d->outer, 1);
}

static void print_field(struct dump *d, size_t at, size_t size)
{
    uint64_t offset = d->offset + at;
    if (!d->field.json) {
        const char *quote = strcmp(d->field.type, "text") == 0 ? "\"" : "",
                   *gap = d->field.meaning.len != 0 ? "  " : "";
        fprintf(d->out, "  0x%010" PRIx64 "  %-28s %s%s%s%s%s\n", offset, d->name.text, quote,
                d->field.value.text, quote, gap, d->field.meaning.text);
        return;
    }
    pc_stream_key(&d->array, NULL);
    fputs("{\"offset\":", d->out);
    pc_print_json_number(d->out, offset);
    fprintf(d->out, ",\"size\":%zu,\"name\":\"%s\",\"type\":\"%s\",\"value\":", size, d->name.text,
            d->field.type);
    if (d->field.quoted)
        pc_print_json_string(d->out, d->field.value.text);
    else
        fputs(d->field.value.text, d->out);
    if (d->field.meaning.len != 0) {
        fputs(",\"meaning\":", d->out);
        pc_print_json_string(d->out, d->field.meaning.text);
    }
    fputc('}', d->out);
}

/* Bytes that no table explains; all: how many there are. */
static void print_bytes(struct dump *d, size_t at, struct pc_span bytes, uint64_t all, const char *name,
                        const char *meaning)
{
    start_name(d);
    pc_put(&d->name, name);
    pc_show_bytes(&d->field, bytes, all, meaning);
    print_field(d, at, (size_t)all);
}

/* What the walk left out, up to `end`. */
static void print_left(struct dump *d, struct pc_span span, size_t end)
{
    if (end <= d->shown)
        return;
    char meaning[64];
    struct pc_span left = pc_part(span, d->shown, end - d->shown);
    bool padding = left.len < 8 && pc_first_nonzero(left) == left.len;
    snprintf(meaning, sizeof(meaning), "not understood: %zu bytes", left.len);
    print_bytes(d, d->shown, left, left.len, padding ? "padding" : "rest", padding ? "" : meaning);
    d->shown = end;
}

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct dump *d = ctx;
    const struct pc_field *field = leaf->field;
    const struct pc_walk *walk = leaf->walk;
    if (leaf->fault != PC_SOUND)
        return false;
    /* Between the fields of a record and its sample_id. */
    print_left(d, walk->c->in, leaf->at);
    start_name(d);
    if (d->name.len != 0 && walk->depth != 0)
        pc_put(&d->name, ".");
    pc_put_steps(&d->name, walk->path, walk->depth);
    if (field->name) {
        pc_put(&d->name, d->name.len != 0 ? "." : "");
        pc_put(&d->name, field->name);
    }
    pc_show_leaf(&d->field, leaf);
    print_field(d, leaf->at, leaf->raw.len);
    d->shown = leaf->at + leaf->raw.len;
    return !ferror(d->out);
}

/* --- items --- */

/* Walks a table from a place in the span, which ends at `end`. Nothing is said of what is left. */
static void walk_table(struct dump *d, struct pc_span span, size_t at, size_t end,
                       const struct pc_field *table, const struct pc_layout *layout)
{
    struct pc_cursor c = { .in = pc_part(span, 0, end), .pos = at, .order = d->scan->capture.order };
    struct pc_walk walk;
    d->shown = at;
    pc_walk_init(&walk, layout, &c, visit, d);
    pc_walk_table(&walk, table);
}

/* A structure that the reader did not show, from its place in the file. False: it is not there. */
static bool walk_at(struct dump *d, uint64_t offset, size_t size, const struct pc_field *table)
{
    unsigned char bytes[PC_EVENT_TYPE_SIZE];
    uint64_t before = d->offset;
    assert(size <= sizeof(bytes));
    if (pc_reader_look(&d->scan->reader, offset, bytes, size) != size)
        return false;
    d->offset = offset;
    walk_table(d, (struct pc_span){ bytes, size }, 0, size, table, NULL);
    d->offset = before;
    return true;
}

static void dump_header(struct dump *d)
{
    struct pc_capture *capture = &d->scan->capture;
    struct pc_span bytes = d->field.item->bytes;
    if (!capture->is_pipe && pc_header_get(capture, PC_HEAD_SIZE) == PC_FILE_HEADER_OLD)
        bytes.len = PC_FILE_HEADER_OLD; /* no bitmap: what stands there is the section behind */
    walk_table(d, bytes, 0, bytes.len, pc_file_header, NULL);
    print_left(d, bytes, bytes.len);
    if (capture->is_pipe)
        return;
    /* Names of events, as perf before 3.12 wrote them. */
    uint64_t offset = pc_header_get(capture, PC_HEAD_TYPES_OFFSET), end;
    uint64_t size = pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    if (!pc_add(offset, size, &end) || end > d->scan->reader.in->size)
        return;
    for (uint64_t i = 0; i < size / PC_EVENT_TYPE_SIZE; i++) {
        d->outer = (struct pc_step){ "event_types", i };
        if (!walk_at(d, offset + i * PC_EVENT_TYPE_SIZE, PC_EVENT_TYPE_SIZE, pc_event_type))
            break;
    }
    d->outer.name = NULL;
}

/* The ids of an attr, which stand elsewhere in the file. */
static void dump_ids(struct dump *d, uint64_t offset, uint64_t nr)
{
    static const struct pc_field id[] = { PC_ROW(NULL, PC_UINT, .width = 8), END };
    unsigned char chunk[4096];
    for (uint64_t i = 0; i < nr;) {
        size_t n = nr - i < sizeof(chunk) / 8 ? (size_t)(nr - i) * 8 : sizeof(chunk);
        if (pc_reader_look(&d->scan->reader, offset + 8 * i, chunk, n) != n)
            return;
        d->offset = offset + 8 * i;
        for (size_t at = 0; at < n; at += 8) {
            d->outer = (struct pc_step){ "ids", i++ };
            walk_table(d, (struct pc_span){ chunk, n }, at, at + 8, id, NULL);
        }
    }
}

static void dump_attr(struct dump *d)
{
    struct pc_capture *capture = &d->scan->capture;
    struct pc_span bytes = d->field.item->bytes;
    size_t len = bytes.len - PC_SECTION_SIZE, own = pc_attr_whole(pc_part(bytes, 0, len), capture->order).len;
    walk_table(d, bytes, 0, own < PC_ATTR_SIZE_MIN ? len : own, pc_attr_fields, NULL);
    print_left(d, bytes, len);
    d->outer = (struct pc_step){ "ids", PC_NO_INDEX };
    walk_table(d, bytes, len, bytes.len, pc_section, NULL);
    /* Those that the reader took; of one that it could not take it said so. */
    const struct pc_attr *attr = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    if (attr && attr->offset == d->field.item->offset)
        dump_ids(d, attr->ids_offset, attr->nr_ids);
    d->outer.name = NULL;
}

/* The content of a feature from a place in the span to its end. */
static void dump_content(struct dump *d, uint64_t bit, struct pc_span span, size_t at)
{
    const struct pc_capture *capture = &d->scan->capture;
    const struct pc_field *fields = pc_feature_fields(bit, pc_part(span, at, span.len - at));
    struct pc_layout layout = pc_capture_feature_layout(capture);
    d->shown = at;
    if (fields && pc_capture_can_walk(capture, bit))
        walk_table(d, span, at, span.len, fields, &layout);
    print_left(d, span, span.len);
}

static void dump_feature(struct dump *d)
{
    const struct pc_item *item = d->field.item;
    unsigned char some[PC_BYTES_SHOWN];
    d->outer = (struct pc_step){ "section", PC_NO_INDEX };
    walk_at(d, item->entry, PC_SECTION_SIZE, pc_section);
    d->outer.name = NULL;
    if (item->bytes.len != 0) {
        dump_content(d, item->number, item->bytes, 0);
    } else if (item->size != 0) {
        size_t n = item->size < sizeof(some) ? (size_t)item->size : sizeof(some);
        n = pc_reader_look(&d->scan->reader, item->offset, some, n);
        print_bytes(d, 0, (struct pc_span){ some, n }, item->size, "content", "not understood");
    }
}

static void dump_record(struct dump *d, bool known, const struct pc_layout *layout)
{
    struct pc_span record = d->field.item->bytes;
    enum pc_order order = d->scan->capture.order;
    d->field.in_head = true;
    walk_table(d, record, 0, PC_RECORD_HEADER_SIZE, pc_record_header, NULL);
    d->field.in_head = false;
    if (d->field.info && known) {
        struct pc_cursor c = { .in = record, .pos = PC_RECORD_HEADER_SIZE, .order = order };
        struct pc_walk walk;
        size_t excess;
        pc_walk_init(&walk, layout, &c, visit, d);
        pc_walk_record(&walk, d->field.info, &excess);
    }
    if (d->field.info && d->field.item->type == PC_HEADER_FEATURE && d->shown < record.len &&
        d->shown == PC_RECORD_HEADER_SIZE + 8)
        dump_content(d, pc_load(record.ptr + PC_RECORD_HEADER_SIZE, 8, order), record, d->shown);
    print_left(d, record, record.len);
}

static void dump_payload(struct dump *d)
{
    const struct pc_item *item = d->field.item;
    if (item->type == PC_HEADER_TRACING_DATA && item->bytes.len != 0)
        dump_content(d, PC_TRACING_DATA, item->bytes, 0);
    else
        print_bytes(d, 0, item->bytes, item->size, "data", "");
}

static const char *const kinds[] = { "header", "attr", "feature", "record", "payload", "end" };

/* The first line of an item, or the first members of its object. */
static void begin_item(struct dump *d, const char *name, uint64_t size, uint32_t attr)
{
    const struct pc_item *item = d->field.item;
    const struct pc_attr *event = attr == PC_NO_ATTR ? NULL : &d->scan->capture.attr[attr];
    bool has_number = item->kind != PC_ITEM_HEADER && item->kind != PC_ITEM_END;
    bool sample = item->kind == PC_ITEM_RECORD && item->type == PC_SAMPLE;
    const struct pc_where *where = &d->scan->report.where;
    if (d->field.json) {
        open_line(d, kinds[item->kind], where, item->offset, size, has_number ? item->number : PC_NO_INDEX,
                  name);
        if (sample && event) {
            fprintf(d->out, ",\"attr\":%" PRIu32 ",\"event\":", attr);
            if (event->name) {
                pc_put_escaped(new_text(d), event->name, false);
                pc_print_json_string(d->out, d->text.text);
            } else {
                fputs("null", d->out);
            }
        }
        open_array(d, "fields");
        return;
    }
    fprintf(d->out, "0x%010" PRIx64 " ", item->offset);
    if (where->inside || where->stream != 0) {
        pc_put_stream(new_text(d), where, true);
        fprintf(d->out, "%s: ", d->text.text);
    }
    fputs(kinds[item->kind], d->out);
    if (has_number && item->kind != PC_ITEM_FEATURE)
        fprintf(d->out, " #%" PRIu64, item->number);
    if (name)
        fprintf(d->out, " %s", name);
    if (item->kind != PC_ITEM_END)
        fprintf(d->out, ", %" PRIu64 " byte%s", size, pc_plural(size));
    if (item->kind == PC_ITEM_RECORD && d->field.info) {
        pc_put_misc(new_text(d), d->field.info, item->misc);
        fprintf(d->out, "%s%s", d->text.len ? ", " : "", d->text.text);
    }
    if (event && event->name && *event->name && sample) {
        pc_put_escaped(new_text(d), event->name, true);
        fprintf(d->out, ", event %s", d->text.text);
    }
    fputc('\n', d->out);
}

static void dump_fields(struct dump *d, bool known, const struct pc_layout *layout)
{
    switch (d->field.item->kind) {
    case PC_ITEM_HEADER:
        dump_header(d);
        break;
    case PC_ITEM_ATTR:
        dump_attr(d);
        break;
    case PC_ITEM_FEATURE:
        dump_feature(d);
        break;
    case PC_ITEM_RECORD:
        dump_record(d, known, layout);
        break;
    case PC_ITEM_PAYLOAD:
        dump_payload(d);
        break;
    case PC_ITEM_END:
        break;
    }
}

/* The last members, or the last line. */
static void end_dump(struct dump *d)
{
    const struct pc_scan *scan = d->scan;
    static const char *const verdicts[] = { "valid", "invalid", "unreadable" };
    if (!d->field.json) {
        if (scan->recognised)
            pc_print_verdict(d->printer, d->path, scan);
        return;
    }
    fprintf(d->out, ",\"verdict\":\"%s\",\"records\":", verdicts[pc_scan_verdict(scan)]);
    pc_print_json_number(d->out, scan->check.sum.total);
    fputs(",\"counts\":", d->out);
    struct pc_stream counts = pc_stream_open(d->out, '{');
    for (int severity = PC_ERROR; severity >= PC_NOTE; severity--) {
        pc_stream_key(&counts, pc_severity_name((enum pc_severity)severity));
        pc_print_json_number(d->out, scan->report.by_severity[severity]);
    }
    fputs("}}\n", d->out);
}

static void dump_item(struct dump *d, const struct pc_item *item)
{
    struct pc_layout layout = { 0 };
    uint32_t attr = PC_NO_ATTR;
    bool known = true;
    char number[32];
    const char *name = NULL;
    uint64_t size = item->bytes.len;

    print_passed(d, item);
    d->field.item = item;
    d->field.info = item->kind == PC_ITEM_RECORD || item->kind == PC_ITEM_PAYLOAD ? pc_item_info(item) : NULL;
    d->offset = item->offset;
    d->shown = 0;
    if (d->field.info) {
        name = d->field.info->name;
    } else if (item->kind == PC_ITEM_RECORD) {
        snprintf(number, sizeof(number), "TYPE_%" PRIu32, item->type);
        name = number;
    } else if (item->kind == PC_ITEM_FEATURE) {
        const struct pc_feature_info *feature = pc_feature_info(item->number);
        snprintf(number, sizeof(number), "BIT_%" PRIu64, item->number);
        name = feature ? feature->name : number;
    } else if (item->kind == PC_ITEM_HEADER) {
        name = d->scan->capture.is_pipe ? "pipe" : "file";
    }
    if (item->kind == PC_ITEM_FEATURE || item->kind == PC_ITEM_PAYLOAD)
        size = item->size;
    if (item->kind == PC_ITEM_RECORD)
        known = pc_capture_layout(&d->scan->capture, item->type, item->misc, item->bytes, &layout, &attr);
    begin_item(d, name, size, attr);
    dump_fields(d, known, &layout);
    if (d->field.json) {
        fputc(']', d->out);
        open_array(d, "findings");
    }
    print_kept(d, item);
    d->in_item = true;
    pc_check_item(&d->scan->check, item);
    d->in_item = false;
    if (d->field.json)
        fputc(']', d->out);
    if (item->kind == PC_ITEM_END)
        end_dump(d);
    else if (d->field.json)
        fputs("}\n", d->out);
    d->field.item = NULL;
}

static void dump_input(struct dump *d)
{
    struct pc_scan *scan = d->scan;
    struct pc_item item;
    while (!ferror(d->out) && pc_scan_read(scan, &item)) {
        scan->recognised = true;
        dump_item(d, &item);
    }
}

/* The input is no capture, or could not be opened. */
static void dump_nothing(struct dump *d)
{
    const struct pc_finding *last = d->nr_kept != 0 ? &d->kept[d->nr_kept - 1] : NULL;
    if (!d->field.json) {
        pc_print_no_capture(d->printer, d->path, d->scan, last);
        return;
    }
    print_passed(d, NULL);
    open_line(d, "end", &(struct pc_where){ 0 }, 0, 0, PC_NO_INDEX, NULL);
    open_array(d, "fields");
    fputc(']', d->out);
    open_array(d, "findings");
    fputc(']', d->out);
    end_dump(d);
}

static void dump_scan(const struct pc_printer *printer, const char *path, struct pc_scan *scan, bool opened)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct dump));
    struct dump *d = pc_alloc(&mem, sizeof(*d));
    if (!d) {
        struct pc_finding f = { .id = PC_D_OUT_OF_MEMORY, .place = PC_AT_END };
        f.expected = pc_text_value("a dump was made");
        pc_report_add(&scan->report, &f);
        pc_print_no_capture(printer, path, scan, &f);
        return;
    }
    d->printer = printer;
    d->out = printer->out;
    d->field.json = printer->format == PC_FORMAT_JSONL;
    d->path = path;
    d->scan = scan;
    d->field.capture = &scan->capture;
    scan->report.take = take_finding;
    scan->report.taker = d;
    if (opened || pc_scan_open(scan, path))
        dump_input(d);
    if (!scan->recognised)
        dump_nothing(d);
    scan->report.take = NULL;
    pc_free(&mem, d, sizeof(*d));
}

void pc_dump_path(const struct pc_printer *printer, const char *path, struct pc_scan *scan)
{
    dump_scan(printer, path, scan, false);
}

void pc_dump_input(const struct pc_printer *printer, const char *path, struct pc_scan *scan)
{
    dump_scan(printer, path, scan, true);
}
