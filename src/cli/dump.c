/* SPDX-License-Identifier: MIT
 *
 * The command `dump`: prints a capture field by field.
 */
#include "cli/dump.h"
#include "cli/command.h"
#include "cli/show.h"
#include "lib/fields.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define KEPT_MAX 64 /* findings of the reader that wait for their item */

struct dump {
    const struct pc_printer *printer;
    FILE *out;
    const char *path;
    struct pc_scan *scan;

    struct pc_finding kept[KEPT_MAX]; /* came while the next item was read */
    size_t nr_kept;
    bool in_item;           /* findings belong to the current item */
    struct pc_stream array; /* JSON: the member of the item that is printed */

    struct pc_fields fields;
    struct pc_buffer text; /* see new_text */
};

/* An empty buffer, whose old content is no longer needed. */
static struct pc_buffer *new_text(struct dump *d)
{
    pc_buffer_init(&d->text);
    return &d->text;
}

/* --- findings --- */

static void print_finding(struct dump *d, const struct pc_finding *f, bool inside)
{
    if (d->fields.value.json) {
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

/* What the reader passed over in a file, as long as it is at it. */
static void print_skipped(struct dump *d, const struct pc_finding *f)
{
    if (f->id == PC_D_RESYNC && !f->where.inside && f->where.stream == d->scan->reader.streams.number)
        pc_fields_skipped(&d->fields, f->offset, f->length);
}

/* A finding on a line of its own: about a place where there is no item. */
static void print_lone_finding(struct dump *d, const struct pc_finding *f)
{
    if (!d->fields.value.json) {
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

/* Findings of the reader about bytes before the item. */
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

static bool print_field(void *ctx, const struct pc_fields *f)
{
    struct dump *d = ctx;
    const struct pc_shown *v = &f->value;
    if (!v->json) {
        const char *quote = strcmp(v->type, "text") == 0 ? "\"" : "", *gap = v->meaning.len != 0 ? "  " : "";
        fprintf(d->out, "  0x%010" PRIx64 "  %-28s %s%s%s%s%s\n", f->offset, f->name.text, quote,
                v->value.text, quote, gap, v->meaning.text);
        return !ferror(d->out);
    }
    pc_stream_key(&d->array, NULL);
    fputs("{\"offset\":", d->out);
    pc_print_json_number(d->out, f->offset);
    fprintf(d->out, ",\"size\":%" PRIu64 ",\"name\":\"%s\",\"type\":\"%s\",\"value\":", f->size, f->name.text,
            v->type);
    if (v->quoted)
        pc_print_json_string(d->out, v->value.text);
    else
        fputs(v->value.text, d->out);
    if (v->meaning.len != 0) {
        fputs(",\"meaning\":", d->out);
        pc_print_json_string(d->out, v->meaning.text);
    }
    fputc('}', d->out);
    return !ferror(d->out);
}

static const char *const kinds[] = { "header", "attr", "feature", "record", "payload", "end" };

/* The first line of an item, or the first members of its object. */
static void begin_item(struct dump *d, const struct pc_item *item)
{
    const char *name = d->fields.item_name;
    uint32_t attr = d->fields.attr;
    bool sized = item->kind == PC_ITEM_FEATURE || item->kind == PC_ITEM_PAYLOAD;
    uint64_t size = sized ? item->size : item->bytes.len;
    const struct pc_attr *event = attr == PC_NO_ATTR ? NULL : &d->scan->capture.attr[attr];
    bool has_number = item->kind != PC_ITEM_HEADER && item->kind != PC_ITEM_END;
    bool sample = item->kind == PC_ITEM_RECORD && item->type == PC_SAMPLE;
    const struct pc_where *where = &d->scan->report.where;
    if (d->fields.value.json) {
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
    if (item->kind == PC_ITEM_RECORD && d->fields.value.info) {
        pc_put_misc(new_text(d), d->fields.value.info, item->misc);
        fprintf(d->out, "%s%s", d->text.len ? ", " : "", d->text.text);
    }
    if (event && event->name && *event->name && sample) {
        pc_put_escaped(new_text(d), event->name, true);
        fprintf(d->out, ", event %s", d->text.text);
    }
    fputc('\n', d->out);
}

/* The last members, or the last line. */
static void end_dump(struct dump *d)
{
    const struct pc_scan *scan = d->scan;
    static const char *const verdicts[] = { "valid", "invalid", "unreadable" };
    if (!d->fields.value.json) {
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
    print_passed(d, item);
    pc_fields_begin(&d->fields, item);
    begin_item(d, item);
    pc_fields_walk(&d->fields);
    if (d->fields.value.json) {
        fputc(']', d->out);
        open_array(d, "findings");
    }
    print_kept(d, item);
    d->in_item = true;
    pc_check_item(&d->scan->check, item);
    d->in_item = false;
    if (d->fields.value.json)
        fputc(']', d->out);
    if (item->kind == PC_ITEM_END)
        end_dump(d);
    else if (d->fields.value.json)
        fputs("}\n", d->out);
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
    if (!d->fields.value.json) {
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
    d->fields.value.json = printer->format == PC_FORMAT_JSONL;
    d->path = path;
    d->scan = scan;
    d->fields.scan = scan;
    d->fields.take = print_field;
    d->fields.ctx = d;
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

enum pc_status pc_command_dump(struct pc_arguments *a, char **operand, int nr)
{
    (void)nr;
    if (!isatty(STDOUT_FILENO)) /* no progress among lines that are shown there */
        pc_command_show_progress(a);
    struct pc_scan *scan = pc_command_begin_scan(a, "reading");
    pc_dump_path(&a->printer, operand[0], scan);
    enum pc_status status = pc_command_status_shown(scan);
    pc_command_end_scan(scan);
    return status;
}
