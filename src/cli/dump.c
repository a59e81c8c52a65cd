/* SPDX-License-Identifier: MIT
 *
 * The command `dump`: prints a capture field by field.
 */
#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct dump {
    const struct pc_printer *printer;
    FILE *out;
    const char *path;
    perfcheck_t *pc;
    bool json;
    bool in_item;         /* findings belong to the current item */
    struct pc_json line;  /* JSON: the item that is printed ... */
    struct pc_json array; /* ... and the member of it */

    /* Text: what is printed before the first item, and why there may be none; NULL: that is not known. */
    char *early, *why;
    size_t early_size;
    bool no_memory; /* for what was to be printed */
};

/* --- text that is kept --- */

/* Closes it. False: there was no memory for all of it, and it is gone. */
static bool close_text(FILE *out, char **text)
{
    const bool good = !ferror(out);
    if (fclose(out) == 0 && good && *text)
        return true;
    free(*text);
    *text = NULL;
    return false;
}

/* --- before the first item --- */

static bool is_early(const struct dump *d)
{
    return d->out != d->printer->out;
}

static void begin_early(struct dump *d)
{
    FILE *out = open_memstream(&d->early, &d->early_size);
    if (out)
        d->out = out;
    d->no_memory |= !out;
}

static void end_early(struct dump *d, bool is_shown)
{
    if (!is_early(d))
        return;
    if (!close_text(d->out, &d->early))
        d->no_memory |= is_shown;
    else if (is_shown)
        fputs(d->early, d->printer->out);
    d->out = d->printer->out;
    free(d->early);
}

/* --- fields --- */

/* A value as JSON has it: numbers that programs keep exactly are numbers. */
static void print_value(struct pc_json *json, const perfcheck_field_t *f)
{
    int64_t number = (int64_t)f->number;
    bool exact = (number < 0 ? 0 - f->number : f->number) <= (uint64_t)1 << 53;
    bool plain = (f->type == PERFCHECK_INT && exact) ||
                 (f->type == PERFCHECK_DOUBLE && !strpbrk(f->value, "in")); /* inf, nan */
    if (f->type == PERFCHECK_UINT || f->type == PERFCHECK_BITS) {
        pc_json_number(json, "value", f->number);
    } else if (plain) {
        pc_json_name(json, "value");
        fputs(f->value, json->out);
    } else {
        pc_json_text(json, "value", f->value);
    }
}

static int print_field(void *ctx, const perfcheck_field_t *f)
{
    static const char *const types[] = { "uint", "int", "double", "bits", "text", "bytes" };
    struct dump *d = ctx;
    if (!d->json) {
        const char *quote = f->type == PERFCHECK_TEXT ? "\"" : "", *gap = *f->meaning ? "  " : "";
        fprintf(d->out, "  0x%010" PRIx64 "  %-28s %s%s%s%s%s\n", f->offset, f->path, quote, f->value, quote,
                gap, f->meaning);
        return ferror(d->out);
    }
    struct pc_json field = pc_json_open_in(&d->array, NULL, '{', true);
    pc_json_number(&field, "offset", f->offset);
    pc_json_name(&field, "size"); /* always a number */
    fprintf(d->out, "%" PRIu64, f->size);
    pc_json_text(&field, "name", f->path);
    pc_json_text(&field, "type", types[f->type]);
    print_value(&field, f);
    if (*f->meaning)
        pc_json_text(&field, "meaning", f->meaning);
    pc_json_close(&field);
    return ferror(d->out);
}

/* --- lines --- */

/* The members that every line has. */
static void open_line(struct dump *d, const char *kind, const char *stream, uint64_t offset, uint64_t size)
{
    d->line = pc_json_open(d->out, '{', true);
    pc_json_text(&d->line, "kind", kind);
    pc_json_text(&d->line, "stream", stream);
    pc_json_number(&d->line, "offset", offset);
    pc_json_number(&d->line, "size", size);
}

/* ... and those after them. name: NULL: none. */
static void name_line(struct dump *d, bool has_number, uint64_t number, const char *name)
{
    if (has_number)
        pc_json_number(&d->line, "number", number);
    else
        pc_json_null(&d->line, "number");
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

/* Text: the stream, when there are several. */
static void print_stream(struct dump *d, const char *stream)
{
    if (strcmp(stream, "data") != 0)
        fprintf(d->out, "%s: ", stream);
}

/* --- findings --- */

static void print_finding(struct dump *d, const perfcheck_finding_t *f)
{
    if (d->json) {
        pc_json_finding(&d->array, f);
        return;
    }
    fprintf(d->out, "%s0x%010" PRIx64 " ! ", d->in_item ? "  " : "", f->offset);
    if (!d->in_item)
        print_stream(d, f->stream);
    fprintf(d->out, "%s: %s [%s %s]\n", pc_severity_name(f->severity), d->in_item ? f->statement : f->message,
            f->id, f->name);
}

/* A finding on a line of its own: about a place where there is no item. */
static void print_lone_finding(struct dump *d, const perfcheck_finding_t *f)
{
    if (d->json) {
        open_line(d, "finding", f->stream, f->offset, f->length);
        name_line(d, false, 0, NULL);
        open_array(d, "fields");
    } else {
        print_finding(d, f);
    }
    if (f->skipped)
        print_field(d, f->skipped);
    if (!d->json)
        return;
    pc_json_close(&d->array);
    open_array(d, "findings");
    print_finding(d, f);
    pc_json_close(&d->array);
    close_line(d);
}

/* Why an input is no capture: what happened to it, or else the first error. */
static void note_why(struct dump *d, const perfcheck_finding_t *f)
{
    size_t size;
    if (!f->is_cause && (d->why || f->severity != PERFCHECK_ERROR))
        return;
    free(d->why);
    d->why = NULL;
    FILE *out = open_memstream(&d->why, &size);
    if (!out)
        return;
    struct pc_printer to_text = *d->printer;
    to_text.out = to_text.err = out;
    pc_print_why(&to_text, d->path, f);
    close_text(out, &d->why);
}

static int take_finding(void *ctx, const perfcheck_finding_t *f)
{
    struct dump *d = ctx;
    if (d->in_item) {
        print_finding(d, f);
        return ferror(d->out);
    }
    if (is_early(d))
        note_why(d, f);
    print_lone_finding(d, f);
    return ferror(d->out);
}

/* --- items --- */

/* The first line of an item, or the first members of its object. */
static void begin_item(struct dump *d, const perfcheck_item_t *item)
{
    static const char *const kinds[] = { "header", "attr", "feature", "record", "payload", "end" };
    const char *kind = kinds[item->kind], *misc;
    bool has_number = item->kind != PERFCHECK_HEADER && item->kind != PERFCHECK_LAST;
    const perfcheck_event_t *event = perfcheck_event(d->pc, (size_t)item->attr);
    if (d->json) {
        open_line(d, kind, item->stream, item->offset, item->size);
        name_line(d, has_number, item->number, *item->name ? item->name : NULL);
        if (event) {
            pc_json_number(&d->line, "attr", item->attr);
            pc_json_text(&d->line, "event", event->name);
        }
        open_array(d, "fields");
        return;
    }
    fprintf(d->out, "0x%010" PRIx64 " ", item->offset);
    print_stream(d, item->stream);
    fputs(kind, d->out);
    if (has_number && item->kind != PERFCHECK_FEATURE)
        fprintf(d->out, " #%" PRIu64, item->number);
    if (*item->name)
        fprintf(d->out, " %s", item->name);
    if (item->kind != PERFCHECK_LAST)
        fprintf(d->out, ", %" PRIu64 " byte%s", item->size, pc_plural(item->size));
    misc = perfcheck_misc_names(d->pc);
    fprintf(d->out, "%s%s", *misc ? ", " : "", misc);
    if (*item->event)
        fprintf(d->out, ", event %s", item->event);
    fputc('\n', d->out);
}

/* The last members, or the last line. */
static void end_dump(struct dump *d)
{
    if (!d->json) {
        pc_print_verdict(d->printer, d->path, d->pc);
        return;
    }
    pc_json_text(&d->line, "verdict", pc_verdict_name(perfcheck_verdict(d->pc)));
    pc_json_number(&d->line, "records", perfcheck_summary(d->pc)->records);
    pc_json_counts(&d->line, d->pc, false);
    close_line(d);
}

static void dump_item(struct dump *d, const perfcheck_item_t *item)
{
    begin_item(d, item);
    perfcheck_fields(d->pc, print_field, d);
    if (d->json) {
        pc_json_close(&d->array);
        open_array(d, "findings");
    }
    d->in_item = true;
    perfcheck_check_item(d->pc);
    d->in_item = false;
    if (d->json)
        pc_json_close(&d->array);
    if (item->kind == PERFCHECK_LAST)
        end_dump(d);
    else if (d->json)
        close_line(d);
}

/* The input is no capture, or could not be opened. */
static void dump_nothing(struct dump *d)
{
    if (!d->json) {
        if (d->why)
            fputs(d->why, pc_print_err(d->printer));
        else
            pc_print_no_capture(d->printer, d->path, d->pc);
        return;
    }
    open_line(d, "end", "data", 0, 0);
    name_line(d, false, 0, NULL);
    open_array(d, "fields");
    pc_json_close(&d->array);
    open_array(d, "findings");
    pc_json_close(&d->array);
    end_dump(d);
}

bool pc_print_dump(const struct pc_printer *printer, const char *path, perfcheck_t *pc, const void *bytes,
                   size_t size)
{
    struct dump d = { .printer = printer, .path = path, .pc = pc, .out = printer->out };
    const perfcheck_item_t *item;
    bool any = false;
    d.json = printer->format == PC_FORMAT_JSONL;
    if (!d.json)
        begin_early(&d);
    perfcheck_close(pc);
    perfcheck_on_finding(pc, take_finding, &d);
    if (bytes)
        perfcheck_open_memory(pc, bytes, size);
    else
        perfcheck_open_path(pc, path);
    while (!ferror(printer->out) && perfcheck_read_item(pc, &item) == PERFCHECK_OK) {
        end_early(&d, true);
        dump_item(&d, item);
        any = true;
    }
    end_early(&d, false);
    if (!any)
        dump_nothing(&d);
    free(d.why);
    return !d.no_memory;
}

static enum pc_status dump_one(struct pc_arguments *a, const char *path)
{
    const bool good = pc_print_dump(&a->printer, path, a->pc, NULL, 0);
    pc_progress_line_tell(&a->progress, NULL, 0, 0); /* else it stays when nothing more can be written */
    enum pc_status status = good ? pc_status_shown(a->pc) : PC_STATUS_TROUBLE;
    if (!good)
        pc_no_memory();
    perfcheck_close(a->pc);
    perfcheck_on_finding(a->pc, NULL, NULL);
    return status;
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
