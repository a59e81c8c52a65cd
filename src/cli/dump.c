/* SPDX-License-Identifier: MIT
 *
 * The command `dump`: prints a capture field by field.
 */
#include "cli/command.h"
#include "cli/show.h"
#include "lib/handle.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define KEPT_MAX 64 /* findings of the reader that wait for their item */

struct dump {
    const struct pc_printer *printer;
    FILE *out;
    const char *path;
    perfcheck_t *pc;
    struct pc_scan *scan; /* of it */

    struct pc_finding kept[KEPT_MAX]; /* came while the next item was read */
    size_t nr_kept;
    bool in_item;         /* findings belong to the current item */
    struct pc_json line;  /* JSON: the item that is printed ... */
    struct pc_json array; /* ... and the member of it */

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
        pc_json_finding(&d->array, pc_handle_describe(d->pc, f));
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
    fprintf(d->out, "%s: %s [%s %s]\n", pc_severity_name((perfcheck_severity_t)f->severity), d->text.text,
            info->id, info->name);
}

/* The members that every line has; name may be NULL. */
static void open_line(struct dump *d, const char *kind, const struct pc_where *where, uint64_t offset,
                      uint64_t size, uint64_t number, const char *name)
{
    pc_put_stream(new_text(d), where, false);
    d->line = pc_json_open(d->out, '{', true);
    pc_json_text(&d->line, "kind", kind);
    pc_json_text(&d->line, "stream", d->text.text);
    pc_json_number(&d->line, "offset", offset);
    pc_json_number(&d->line, "size", size);
    if (number == PC_NO_INDEX)
        pc_json_null(&d->line, "number");
    else
        pc_json_number(&d->line, "number", number);
    pc_json_text(&d->line, "name", name);
}

static void close_line(struct dump *d)
{
    pc_json_close(&d->line);
    fputc('\n', d->out);
}

static void open_array(struct dump *d, const char *name)
{
    d->array = pc_json_open_in(&d->line, name, '[', false);
}

/* What the reader passed over in a file, as long as it is at it. */
static void print_skipped(struct dump *d, const struct pc_finding *f)
{
    if ((f->id == PC_D_RESYNC || f->id == PC_D_RECORD_CUT) && !f->where.inside &&
        f->where.stream == d->scan->reader.streams.where.stream)
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
    pc_json_close(&d->array);
    open_array(d, "findings");
    print_finding(d, f, false);
    pc_json_close(&d->array);
    close_line(d);
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

/* Findings of the reader about bytes before the item. */
static void print_passed(struct dump *d, const struct pc_item *item)
{
    size_t left = 0;
    for (size_t i = 0; i < d->nr_kept; i++) {
        const struct pc_finding *f = &d->kept[i];
        if (item && (pc_item_has(item, f) || pc_item_is_before(item, f)))
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
        if (pc_item_has(item, &d->kept[i]))
            print_finding(d, &d->kept[i], true);
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
    struct pc_json field = pc_json_open_in(&d->array, NULL, '{', true);
    pc_json_number(&field, "offset", f->offset);
    pc_json_name(&field, "size"); /* always a number */
    fprintf(d->out, "%" PRIu64, f->size);
    pc_json_text(&field, "name", f->name.text);
    pc_json_text(&field, "type", v->type);
    if (v->quoted) {
        pc_json_text(&field, "value", v->value.text);
    } else {
        pc_json_name(&field, "value");
        fputs(v->value.text, d->out);
    }
    if (v->meaning.len != 0)
        pc_json_text(&field, "meaning", v->meaning.text);
    pc_json_close(&field);
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
    bool has_number = item->kind != PC_ITEM_HEADER && item->kind != PC_ITEM_END;
    bool sample = item->kind == PC_ITEM_RECORD && item->type == PC_SAMPLE;
    const perfcheck_event_t *event = sample && attr != PC_NO_ATTR ? perfcheck_event(d->pc, attr) : NULL;
    const struct pc_where *where = &item->where;
    if (d->fields.value.json) {
        open_line(d, kinds[item->kind], where, item->offset, size, has_number ? item->number : PC_NO_INDEX,
                  name);
        if (event) {
            pc_json_number(&d->line, "attr", attr);
            pc_json_text(&d->line, "event", event->name);
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
    if (event && event->name && *event->name)
        fprintf(d->out, ", event %s", event->name);
    fputc('\n', d->out);
}

/* The last members, or the last line. */
static void end_dump(struct dump *d)
{
    const struct pc_scan *scan = d->scan;
    if (!d->fields.value.json) {
        if (scan->recognised)
            pc_print_verdict(d->printer, d->path, d->pc);
        return;
    }
    pc_json_text(&d->line, "verdict", pc_verdict_name(perfcheck_verdict(d->pc)));
    pc_json_number(&d->line, "records", scan->check.flow.sum.total);
    pc_json_counts(&d->line, d->pc, false);
    close_line(d);
}

static void dump_item(struct dump *d, const struct pc_item *item)
{
    print_passed(d, item);
    pc_fields_begin(&d->fields, item);
    begin_item(d, item);
    pc_fields_walk(&d->fields);
    if (d->fields.value.json) {
        pc_json_close(&d->array);
        open_array(d, "findings");
    }
    print_kept(d, item);
    d->in_item = true;
    pc_check_item(&d->scan->check, item);
    if (item->kind == PC_ITEM_END)
        pc_scan_end(d->scan);
    d->in_item = false;
    if (d->fields.value.json)
        pc_json_close(&d->array);
    if (item->kind == PC_ITEM_END)
        end_dump(d);
    else if (d->fields.value.json)
        close_line(d);
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
    size_t first = 0;
    pc_scan_end(d->scan);
    while (first < d->nr_kept && d->kept[first].severity != PC_ERROR)
        first++;
    if (d->nr_kept != 0 && pc_diag_is_cause(d->kept[d->nr_kept - 1].id))
        first = d->nr_kept - 1;
    if (!d->fields.value.json) {
        pc_print_no_capture(d->printer, d->path, d->pc,
                            first < d->nr_kept ? pc_handle_describe(d->pc, &d->kept[first]) : NULL);
        return;
    }
    print_passed(d, NULL);
    open_line(d, "end", &(struct pc_where){ 0 }, 0, 0, PC_NO_INDEX, NULL);
    open_array(d, "fields");
    pc_json_close(&d->array);
    open_array(d, "findings");
    pc_json_close(&d->array);
    end_dump(d);
}

/* Nothing was read yet. */
static void dump(struct dump *d)
{
    struct pc_report *report = &d->scan->report;
    for (size_t i = 0; i < report->nr; i++) /* it could not be opened */
        take_finding(d, &report->finding[i]);
    report->on_finding = take_finding;
    report->ctx = d;
    if (d->pc->stage == PC_HANDLE_OPEN)
        dump_input(d);
    if (!d->scan->recognised)
        dump_nothing(d);
    report->on_finding = NULL;
}

void pc_print_dump(const struct pc_printer *printer, const char *path, perfcheck_t *pc)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct dump));
    struct dump *d = pc_alloc(&mem, sizeof(*d));
    if (!d) {
        struct pc_finding f = { .id = PC_D_OUT_OF_MEMORY, .place = PC_AT_END };
        f.expected = pc_text_value("a dump was made");
        pc_report_add(&pc->scan.report, &f);
        pc_print_no_capture(printer, path, pc, NULL);
        return;
    }
    d->printer = printer;
    d->out = printer->out;
    d->fields.value.json = printer->format == PC_FORMAT_JSONL;
    d->path = path;
    d->pc = pc;
    d->scan = d->fields.scan = &pc->scan;
    d->fields.take = print_field;
    d->fields.ctx = d;
    dump(d);
    pc_free(&mem, d, sizeof(*d));
}

static enum pc_status dump_one(struct pc_arguments *a, const char *path)
{
    perfcheck_open_path(a->pc, path);
    pc_progress_begin(a->pc->scan.progress, "reading");
    pc_print_dump(&a->printer, path, a->pc);
    pc_progress_end(a->pc->scan.progress);
    return pc_status_shown(a->pc);
}

enum pc_status pc_command_dump(struct pc_arguments *a, char **operand, int nr)
{
    enum pc_status status = PC_STATUS_GOOD;
    if (isatty(STDOUT_FILENO)) /* no progress among lines that are shown there */
        perfcheck_on_progress(a->pc, NULL, NULL);
    for (int i = 0; i < nr; i++) {
        if (nr > 1 && a->printer.format == PC_FORMAT_TEXT) {
            fputs(i == 0 ? "==> " : "\n==> ", stdout);
            pc_print_escaped(stdout, operand[i]);
            fputs(" <==\n", stdout);
        }
        enum pc_status one = dump_one(a, operand[i]);
        status = one > status ? one : status;
    }
    return status;
}
