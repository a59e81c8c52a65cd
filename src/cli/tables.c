/* SPDX-License-Identifier: MIT
 *
 * The command `tables`: the records of captures and their types as rows, for spreadsheets, databases and
 * scripts.
 */
#include "cli/command.h"
#include "cli/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MMAP = 1, MMAP2 = 10, FINISHED_ROUND = 68 }; /* linux/perf_event.h, and perf: util/event.h */

/* The fields of a row, by their paths in samples and in other records. */
static const struct column {
    const char *name, *path, *other;
    enum { DECIMAL, SIGNED, HEX } form; /* SIGNED: of 32 bits */
} columns[] = {
    { "time", "time", "sample_id.time", DECIMAL }, { "pid", "pid", "sample_id.pid", SIGNED },
    { "tid", "tid", "sample_id.tid", SIGNED },     { "cpu", "cpu", "sample_id.cpu", DECIMAL },
    { "period", "period", NULL, DECIMAL },         { "ip", "ip", NULL, HEX },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

/* A row that waits for its turn. */
struct line {
    uint64_t time, number;
    char *text;
};
#define LINES_MAX 65536

struct type {
    char name[32];
    uint64_t records, bytes;
};
#define TYPES_MAX 256

struct tables {
    FILE *out;
    const char *path; /* of the capture */
    bool json;
    perfcheck_field_handle_t *field[COLUMNS], *other[COLUMNS], *comm, *filename, *lost;
    struct line line[LINES_MAX];
    size_t nr_lines;
    uint64_t latest, round;      /* the last time so far, and when the last round ended */
    struct type type[TYPES_MAX]; /* the last one is of all that found no place */
    size_t nr_types;
};

/* --- rows: CSV as RFC 4180 has it, or an object of JSON --- */

struct row {
    FILE *out;
    struct pc_json object; /* of JSON alone */
    bool json, begun;
};

static struct row begin_row(FILE *out, bool json)
{
    struct row row = { .out = out, .json = json };
    if (json)
        row.object = pc_json_open(out, '{', true);
    return row;
}

static void begin_cell(struct row *r, const char *name)
{
    if (r->json)
        pc_json_name(&r->object, name);
    else if (r->begun)
        fputc(',', r->out);
    r->begun = true;
}

static void put_text(struct row *r, const char *name, const char *text)
{
    if (r->json) {
        pc_json_text(&r->object, name, text);
        return;
    }
    begin_cell(r, name);
    bool quoted = strpbrk(text, ",\"");
    fputs(quoted ? "\"" : "", r->out);
    for (; *text; text++)
        fputs(*text == '"' ? "\"\"" : (char[]){ *text, 0 }, r->out);
    fputs(quoted ? "\"" : "", r->out);
}

static void put_none(struct row *r, const char *name)
{
    begin_cell(r, name);
    fputs(r->json ? "null" : "", r->out);
}

static void put_number(struct row *r, const char *name, uint64_t number)
{
    if (r->json) {
        pc_json_number(&r->object, name, number);
        return;
    }
    begin_cell(r, name);
    fprintf(r->out, "%" PRIu64, number);
}

static void put_column(struct row *r, const struct column *column, uint64_t number)
{
    char text[24];
    switch (column->form) {
    case HEX:
        snprintf(text, sizeof(text), "0x%" PRIx64, number);
        put_text(r, column->name, text);
        break;
    case DECIMAL:
        put_number(r, column->name, number);
        break;
    case SIGNED:
        begin_cell(r, column->name);
        fprintf(r->out, "%" PRId32, (int32_t)number);
        break;
    }
}

static void end_row(struct row *r)
{
    if (r->json)
        pc_json_close(&r->object);
    fputc('\n', r->out);
}

/* --- all records, in the order of their times --- */

static int compare(const void *a, const void *b)
{
    const struct line *one = a, *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Prints the lines up to a time, and at least so many. */
static void print_lines(struct tables *t, uint64_t time, size_t least)
{
    size_t nr = 0;
    qsort(t->line, t->nr_lines, sizeof(t->line[0]), compare);
    while (nr < t->nr_lines && (nr < least || t->line[nr].time <= time)) {
        fputs(t->line[nr].text, t->out);
        free(t->line[nr++].text);
    }
    t->nr_lines -= nr;
    memmove(t->line, t->line + nr, t->nr_lines * sizeof(t->line[0]));
}

/* What a record tells besides numbers. */
static void put_info(struct row *row, struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item)
{
    const char *text = NULL;
    if (strcmp(item->name, "COMM") == 0)
        text = perfcheck_text_of(pc, t->comm);
    else if (item->type == MMAP || item->type == MMAP2)
        text = perfcheck_text_of(pc, t->filename);
    else if (strcmp(item->name, "LOST") == 0 || strcmp(item->name, "LOST_SAMPLES") == 0)
        text = perfcheck_text_of(pc, t->lost);
    put_text(row, "info", text ? text : "");
}

static bool add_line(struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item)
{
    struct line line = { t->latest, item->number, NULL };
    size_t size;
    FILE *out = open_memstream(&line.text, &size);
    if (!out)
        return false;
    struct row row = begin_row(out, t->json);
    put_text(&row, "capture", t->path);
    put_number(&row, "nr", item->number);
    put_text(&row, "stream", item->stream);
    put_number(&row, "offset", item->offset);
    put_text(&row, "type", item->name);
    put_text(&row, "event", item->event);
    for (size_t i = 0; i < COLUMNS; i++) {
        uint64_t number;
        bool any = perfcheck_number_of(pc, t->field[i], &number) == PERFCHECK_OK ||
                   (t->other[i] && perfcheck_number_of(pc, t->other[i], &number) == PERFCHECK_OK);
        if (any && i == 0)
            line.time = number;
        if (any)
            put_column(&row, &columns[i], number);
        else
            put_none(&row, columns[i].name);
    }
    put_info(&row, t, pc, item);
    end_row(&row);
    if (fclose(out) != 0)
        return false;
    t->latest = line.time > t->latest ? line.time : t->latest;
    t->line[t->nr_lines++] = line;
    if (item->type == FINISHED_ROUND) {
        print_lines(t, t->round, 0);
        t->round = t->latest;
    }
    if (t->nr_lines == LINES_MAX)
        print_lines(t, 0, LINES_MAX / 2);
    return true;
}

/* --- how many of each type --- */

static bool count(struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item)
{
    (void)pc;
    size_t i = 0;
    while (i < t->nr_types && strcmp(t->type[i].name, item->name) != 0)
        i++;
    if (i == t->nr_types && t->nr_types < TYPES_MAX)
        snprintf(t->type[t->nr_types++].name, sizeof(t->type[i].name), "%s",
                 i == TYPES_MAX - 1 ? "TYPE_OTHERS" : item->name);
    i = i == TYPES_MAX ? i - 1 : i;
    t->type[i].records++;
    t->type[i].bytes += item->size;
    return true;
}

static void print_types(struct tables *t)
{
    for (size_t i = 0; i < t->nr_types; i++) {
        struct row row = begin_row(t->out, t->json);
        put_text(&row, "capture", t->path);
        put_text(&row, "type", t->type[i].name);
        put_number(&row, "records", t->type[i].records);
        put_number(&row, "bytes", t->type[i].bytes);
        end_row(&row);
    }
}

/* --- the command --- */

static const struct {
    const char *name, *head;
    bool (*take)(struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item);
} tables[] = {
    { "records", "capture,nr,stream,offset,type,event,time,pid,tid,cpu,period,ip,info", add_line },
    { "types", "capture,type,records,bytes", count },
};

/* The rows of a capture. False: no memory. */
static bool print_rows(struct tables *t, perfcheck_t *pc, size_t table)
{
    const perfcheck_item_t *item;
    bool good = true;
    t->nr_types = 0;
    t->latest = t->round = 0;
    memset(t->type, 0, sizeof(t->type));
    while (good && perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (item->kind == PERFCHECK_RECORD)
            good = tables[table].take(t, pc, item);
    }
    print_lines(t, UINT64_MAX, 0);
    print_types(t);
    return good;
}

static struct tables *make(struct pc_arguments *a)
{
    struct tables *t = calloc(1, sizeof(*t));
    for (size_t i = 0; t && i < COLUMNS; i++) {
        t->field[i] = perfcheck_field_handle(a->pc, columns[i].path);
        t->other[i] = columns[i].other ? perfcheck_field_handle(a->pc, columns[i].other) : NULL;
    }
    if (!t)
        return NULL;
    t->out = a->printer.out;
    t->json = a->table_format && strcmp(a->table_format, "jsonl") == 0;
    t->comm = perfcheck_field_handle(a->pc, "comm");
    t->filename = perfcheck_field_handle(a->pc, "filename");
    t->lost = perfcheck_field_handle(a->pc, "lost");
    return t;
}

enum pc_status pc_command_tables(struct pc_arguments *a, char **operand, int nr)
{
    enum pc_status status = PC_STATUS_GOOD;
    struct tables *t = make(a);
    struct pc_printer to_err = a->printer;
    size_t table = 0;
    bool good = t != NULL;
    to_err.out = to_err.err;
    while (a->table && strcmp(a->table, tables[table].name) != 0)
        table++;
    if (good && !t->json)
        fprintf(t->out, "%s\n", tables[table].head);
    for (int i = 0; good && i < nr; i++) {
        char *escaped = NULL;
        size_t size;
        FILE *name = open_memstream(&escaped, &size);
        if (name)
            pc_print_escaped(name, operand[i]);
        good = name && fclose(name) == 0;
        perfcheck_open_path(a->pc, operand[i]);
        t->path = escaped;
        good = good && print_rows(t, a->pc, table);
        free(escaped);
        if (!pc_print_no_capture(&a->printer, operand[i], a->pc, NULL) &&
            perfcheck_verdict(a->pc) != PERFCHECK_VALID)
            pc_print_verdict(&to_err, operand[i], a->pc);
        if (pc_status_shown(a->pc) > status)
            status = pc_status_shown(a->pc);
    }
    if (!good)
        fputs("perfcheck: no memory\n", stderr);
    free(t);
    return good ? status : PC_STATUS_TROUBLE;
}
