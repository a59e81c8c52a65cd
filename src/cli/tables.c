/* SPDX-License-Identifier: MIT
 *
 * The command `tables`: the records of captures, their types, their tasks, and where samples were, as rows,
 * for spreadsheets, databases and scripts.
 */
#include "cli/command.h"
#include "cli/key.h"
#include "cli/output.h"
#include "cli/results.h"
#include "cli/schema.h"
#include "cli/signals.h"
#include "cli/survey.h"

#include "base/text.h"
#include "bytes/folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- the tables --- */

static void put_signed(struct pc_row *row, uint64_t number)
{
    pc_row_signed(row, (int32_t)number);
}

/* Cells of a record that are fields: their paths in samples and in other records, for the columns from time
 * on. */
enum { TIME, PID, TID, CPU, PERIOD, IP, FIELDS };
static const struct field {
    const char *path, *other;
    void (*put)(struct pc_row *row, uint64_t number);
} fields[FIELDS] = {
    [TIME] = { "time", "sample_id.time", pc_row_number }, [PID] = { "pid", "sample_id.pid", put_signed },
    [TID] = { "tid", "sample_id.tid", put_signed },       [CPU] = { "cpu", "sample_id.cpu", pc_row_number },
    [PERIOD] = { "period", NULL, pc_row_number },         [IP] = { "ip", NULL, pc_row_hex },
};

/* A record that waits for its turn. */
struct line {
    uint64_t time, number;
    char *text; /* its row; NULL: none is wanted */
    bool acts;  /* it does something to results: */
    struct pc_act act;
};
#define LINES_MAX 65536

struct tables {
    FILE *out[PC_TABLES]; /* NULL: the table is not printed */
    enum pc_row_form form;
    const char *path;          /* of the capture */
    struct pc_capture_key key; /* ... and its key, if is_keyed */
    bool is_keyed;
    enum pc_status status;      /* the worst one so far */
    int read;                   /* how many captures could be read */
    struct pc_survey *survey;   /* NULL: no table needs it */
    struct pc_results *results; /* NULL: no table needs it */
    perfcheck_field_handle_t *field[FIELDS], *other[FIELDS], *comm, *filename, *lost;
    struct line line[LINES_MAX];
    size_t nr_lines;
    uint64_t latest, round; /* the last time so far, and when the last round ended */
    /* Of a directory that tables are written to: */
    struct pc_mem mem;
    struct pc_folder folder;
    struct pc_sink sink[PC_TABLES];
};

static struct pc_row begin_row(const struct tables *t, FILE *out, size_t table)
{
    struct pc_row row = pc_row_begin(out, t->form, &pc_tables[table], t->key.text);
    pc_row_text(&row, t->path);
    return row;
}

/* --- all records, in the order of their times --- */

static int compare(const void *a, const void *b)
{
    const struct line *one = a, *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

/* Takes the lines up to a time, and at least so many. */
static void take_lines(struct tables *t, uint64_t time, size_t least)
{
    size_t nr = 0;
    qsort(t->line, t->nr_lines, sizeof(t->line[0]), compare);
    while (nr < t->nr_lines && (nr < least || t->line[nr].time <= time)) {
        if (t->line[nr].text)
            fputs(t->line[nr].text, t->out[PC_TABLE_RECORDS]);
        if (t->line[nr].acts)
            pc_results_do(t->results, &t->line[nr].act);
        free(t->line[nr++].text);
    }
    t->nr_lines -= nr;
    memmove(t->line, t->line + nr, t->nr_lines * sizeof(t->line[0]));
}

/* What a record tells besides numbers. */
static void put_info(struct pc_row *row, struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item)
{
    enum pc_record_role role = pc_record_role(item->type);
    const char *text = role == PC_ROLE_NAME   ? perfcheck_text_of(pc, t->comm)
                       : role == PC_ROLE_MAP  ? perfcheck_text_of(pc, t->filename)
                       : role == PC_ROLE_LOST ? perfcheck_text_of(pc, t->lost)
                                              : NULL;
    pc_row_text(row, text ? text : "");
}

/* Whether a record has a field. */
static bool get_field(struct tables *t, perfcheck_t *pc, size_t i, uint64_t *number)
{
    return perfcheck_number_of(pc, t->field[i], number) == PERFCHECK_OK ||
           (t->other[i] && perfcheck_number_of(pc, t->other[i], number) == PERFCHECK_OK);
}

/* NULL: no memory. */
static char *make_row(struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    struct pc_row row = begin_row(t, out, PC_TABLE_RECORDS);
    pc_row_number(&row, item->number);
    pc_row_text(&row, item->stream);
    pc_row_number(&row, item->offset);
    pc_row_text(&row, item->name);
    pc_row_text(&row, item->event);
    for (size_t i = 0; i < FIELDS; i++) {
        uint64_t number;
        if (get_field(t, pc, i, &number))
            fields[i].put(&row, number);
        else if (i == PERIOD && item->fixed_period != 0)
            fields[i].put(&row, item->fixed_period);
        else
            pc_row_none(&row);
    }
    put_info(&row, t, pc, item);
    pc_row_end(&row);
    bool good = !ferror(out);
    if (fclose(out) == 0 && good && text)
        return text;
    free(text);
    return NULL;
}

/* False: no memory. */
static bool add_line(struct tables *t, perfcheck_t *pc, const perfcheck_item_t *item)
{
    struct line line = { .time = t->latest, .number = item->number };
    uint64_t time;
    if (get_field(t, pc, TIME, &time))
        line.time = time;
    if (t->out[PC_TABLE_RECORDS])
        line.text = make_row(t, pc, item);
    if (t->out[PC_TABLE_RECORDS] && !line.text)
        return false;
    line.acts = t->results && pc_results_look(t->results, item, &line.act);
    t->latest = line.time > t->latest ? line.time : t->latest;
    t->line[t->nr_lines++] = line;
    if (item->type == PERFCHECK_FINISHED_ROUND) {
        take_lines(t, t->round, 0);
        t->round = t->latest;
    }
    if (t->nr_lines == LINES_MAX)
        take_lines(t, 0, LINES_MAX / 2);
    return true;
}

/* --- what was counted --- */

static void print_types(const struct tables *t, FILE *out)
{
    for (size_t i = 0; i < PC_TYPE_PLACES; i++) {
        const struct pc_type_facts *type = &t->survey->type[i];
        if (type->records == 0)
            continue;
        struct pc_row row = begin_row(t, out, PC_TABLE_TYPES);
        pc_row_text(&row, type->name);
        pc_row_number(&row, type->records);
        pc_row_number(&row, type->bytes);
        pc_row_end(&row);
    }
}

/* What perf makes up has no time. */
static void put_moment(struct pc_row *row, bool has, uint64_t time)
{
    if (has && time != 0)
        pc_row_number(row, time);
    else
        pc_row_none(row);
}

/* sum: the name of what is no single task; NULL: it is one. */
static void print_process(const struct tables *t, FILE *out, const struct pc_task_facts *task,
                          const char *sum)
{
    struct pc_row row = begin_row(t, out, PC_TABLE_PROCESSES);
    if (sum) {
        pc_row_none(&row);
        pc_row_none(&row);
    } else {
        put_signed(&row, task->pid);
        put_signed(&row, task->tid);
    }
    pc_row_text(&row, sum ? sum : task->name);
    pc_row_number(&row, task->mmaps);
    put_moment(&row, task->has_forked && !sum, task->forked);
    put_moment(&row, task->has_exited && !sum, task->exited);
    pc_row_number(&row, task->samples);
    pc_row_number(&row, task->period);
    pc_row_end(&row);
}

static void print_processes(const struct tables *t, FILE *out)
{
    const struct pc_tasks *tasks = &t->survey->tasks;
    for (size_t i = 0; i < tasks->nr; i++)
        print_process(t, out, pc_tasks_get(tasks, i), NULL);
    if (tasks->unknown.records != 0)
        print_process(t, out, &tasks->unknown, "");
    if (tasks->others.records != 0)
        print_process(t, out, &tasks->others, "others");
}

static void put_known(struct pc_row *row, const char *text)
{
    if (*text)
        pc_row_text(row, text);
    else
        pc_row_none(row);
}

static void print_result(const struct tables *t, FILE *out, const struct pc_result *result)
{
    struct pc_row row = begin_row(t, out, PC_TABLE_RESULTS);
    pc_row_text(&row, result->event);
    pc_row_text(&row, result->command);
    pc_row_text(&row, result->binary);
    put_known(&row, result->build_id);
    put_known(&row, result->function);
    put_known(&row, result->source);
    pc_row_number(&row, result->samples);
    pc_row_number(&row, result->period);
    pc_row_end(&row);
}

static void print_results(const struct tables *t, FILE *out)
{
    size_t nr = pc_results_end(t->results);
    for (size_t i = 0; i < nr; i++) {
        struct pc_result result = pc_results_get(t->results, i);
        print_result(t, out, &result);
    }
    struct pc_result others = pc_results_others(t->results);
    if (others.samples != 0)
        print_result(t, out, &others);
}

/* --- the command --- */

/* What comes before all rows. In SQL all tables are made, because views need them. Each transaction begins
 * with a DELETE, here of no rows: SQLite waits for other writers (.timeout) only where nothing was read
 * before the first change. BEGIN IMMEDIATE is unknown to DuckDB and psql. */
static void begin_tables(const struct tables *t, FILE *sql)
{
    for (size_t i = 0; i < PC_TABLES; i++) {
        FILE *out = t->form == PC_ROW_SQL ? sql : t->out[i];
        if (out)
            pc_table_begin(out, t->form, &pc_tables[i]);
    }
    if (t->form != PC_ROW_SQL)
        return;
    fputs("BEGIN;\n", sql);
    pc_table_remove(sql, &pc_tables[0], "");
    fprintf(sql, "%sCOMMIT;\n", pc_views);
}

/* In SQL the rows of a capture take the place of those that have its key, or nothing changes. */
static void begin_capture(const struct tables *t, FILE *sql)
{
    if (t->form != PC_ROW_SQL)
        return;
    fputs("BEGIN;\n", sql);
    for (size_t i = 0; i < PC_TABLES; i++) {
        if (t->out[i])
            pc_table_remove(sql, &pc_tables[i], t->key.text);
    }
}

static void end_capture(const struct tables *t, FILE *sql, bool good)
{
    if (t->form == PC_ROW_SQL)
        fputs(good ? "COMMIT;\n" : "ROLLBACK;\n", sql);
}

/* What was counted of a capture. False: no memory. */
static bool print_counts(struct tables *t)
{
    if (t->survey)
        pc_survey_end(t->survey);
    if (t->out[PC_TABLE_TYPES])
        print_types(t, t->out[PC_TABLE_TYPES]);
    if (t->out[PC_TABLE_PROCESSES])
        print_processes(t, t->out[PC_TABLE_PROCESSES]);
    if (t->out[PC_TABLE_RESULTS])
        print_results(t, t->out[PC_TABLE_RESULTS]);
    return !t->results || pc_results_whole(t->results);
}

/* The rows of a capture. False: no memory. */
static bool print_rows(struct tables *t, perfcheck_t *pc)
{
    const perfcheck_item_t *item;
    struct pc_act none;
    bool good = !t->results || pc_results_begin(t->results), waits = t->out[PC_TABLE_RECORDS] || t->results;
    t->latest = t->round = 0;
    if (t->survey)
        pc_survey_begin(t->survey);
    while (good && perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (waits && item->kind == PERFCHECK_RECORD)
            good = add_line(t, pc, item);
        else if (t->results)
            pc_results_look(t->results, item, &none);
        if (t->survey)
            good = pc_survey_take(t->survey, item) && good;
    }
    take_lines(t, UINT64_MAX, 0);
    return good && print_counts(t);
}

static bool is_wanted(const struct pc_arguments *a, const struct tables *t, size_t table)
{
    if (a->table)
        return strcmp(a->table, pc_tables[table].name) == 0;
    return table == PC_TABLE_RECORDS || a->output || t->form == PC_ROW_SQL;
}

/* The files of a directory, with NULL after them: in each form those of the tables, in their order. */
static const char *const files[] = {
    "records.csv", "types.csv",       "processes.csv", "results.csv",   "digests.csv", "records.jsonl",
    "types.jsonl", "processes.jsonl", "results.jsonl", "digests.jsonl", NULL,
};
static_assert(PC_COUNT_OF(files) == (size_t)PC_ROW_SQL * PC_TABLES + 1, "SQL goes into no directory");

/* Makes the files that are wanted. Returns 0 or what is wrong. */
static int open_files(struct tables *t, const struct pc_arguments *a, char **operand, int nr)
{
    pc_mem_init(&t->mem, (size_t)4 * PC_TABLES * PC_SINK_BUFFER);
    pc_catch_signals();
    int error = pc_folder_create_of(&t->folder, &t->mem, a->output, a->force, files);
    if (error == 0)
        error = pc_output_guard(&t->folder.target, operand, nr);
    for (size_t i = 0; i < PC_TABLES && error == 0; i++) {
        if (!is_wanted(a, t, i))
            continue;
        error = pc_sink_create_at(&t->sink[i], &t->mem, t->folder.target.fd,
                                  files[(size_t)t->form * PC_TABLES + i], 0666);
        t->out[i] = error == 0 ? pc_output_stream(&t->sink[i]) : NULL;
        if (!t->out[i] && error == 0)
            error = ENOMEM;
    }
    return error;
}

/* All files appear, or nothing does. Returns 0 or what is wrong. */
static int close_files(struct tables *t, const struct pc_arguments *a, bool appear)
{
    int error = 0;
    for (size_t i = 0; i < PC_TABLES; i++) {
        if (t->out[i])
            fclose(t->out[i]);
        t->out[i] = NULL;
        if (appear && error == 0 && is_wanted(a, t, i))
            error = pc_sink_commit(&t->sink[i]);
        pc_sink_discard(&t->sink[i]);
    }
    if (appear && error == 0)
        error = pc_folder_commit(&t->folder);
    pc_folder_discard(&t->folder);
    if (t->folder.left_behind)
        pc_output_left_behind(a->output, &t->folder.target);
    return error;
}

static void destroy(struct tables *t)
{
    if (t)
        pc_survey_free(t->survey);
    if (t)
        pc_results_free(t->results);
    free(t);
}

static struct tables *make(const struct pc_arguments *a, struct pc_binaries *binaries)
{
    static const char *const forms[PC_ROW_FORMS] = { "csv", "jsonl", "sql" };
    struct tables *t = calloc(1, sizeof(*t));
    if (!t)
        return NULL;
    bool good = true; /* whether there was memory */
    for (size_t i = 0; i < FIELDS; i++) {
        t->field[i] = perfcheck_field_handle(a->pc, fields[i].path);
        t->other[i] = fields[i].other ? perfcheck_field_handle(a->pc, fields[i].other) : NULL;
        good = good && t->field[i] && (t->other[i] || !fields[i].other);
    }
    while (a->table_format && strcmp(a->table_format, forms[t->form]) != 0)
        t->form++;
    t->comm = perfcheck_field_handle(a->pc, "comm");
    t->filename = perfcheck_field_handle(a->pc, "filename");
    t->lost = perfcheck_field_handle(a->pc, "lost");
    t->folder.target = PC_TARGET_CLOSED;
    t->is_keyed = t->form == PC_ROW_SQL || is_wanted(a, t, PC_TABLE_DIGESTS);
    t->key.stored.fd = -1;
    bool counts = is_wanted(a, t, PC_TABLE_TYPES) || is_wanted(a, t, PC_TABLE_PROCESSES);
    for (size_t i = 0; i < PC_TABLES; i++) {
        t->sink[i].target = PC_TARGET_CLOSED;
        if (!a->output && is_wanted(a, t, i))
            t->out[i] = a->printer.out;
    }
    if (counts)
        t->survey = pc_survey_new(a->pc);
    if (is_wanted(a, t, PC_TABLE_RESULTS))
        t->results = pc_results_new(a->pc, binaries);
    good = good && t->comm && t->filename && t->lost;
    if (good && (t->survey || !counts) && (t->results || !is_wanted(a, t, PC_TABLE_RESULTS)))
        return t;
    destroy(t);
    return NULL;
}

/* False, after reporting why: there is no key. */
static bool print_digest(const struct tables *t, const char *path)
{
    if (!*t->key.text) {
        pc_print_about(stderr, "", path, "no digest", t->key.why);
        return false;
    }
    if (t->out[PC_TABLE_DIGESTS]) {
        struct pc_row row = begin_row(t, t->out[PC_TABLE_DIGESTS], PC_TABLE_DIGESTS);
        pc_row_text(&row, t->key.text);
        pc_row_end(&row);
    }
    return true;
}

/* The rows of an open capture. False: no memory. */
static bool print_open(struct tables *t, struct pc_arguments *a, const char *path)
{
    struct pc_printer to_err = a->printer;
    to_err.out = to_err.err;
    begin_capture(t, a->printer.out);
    bool good = print_rows(t, a->pc);
    enum pc_status status = pc_status_shown(a->pc);
    if (good && status == PC_STATUS_GOOD && t->is_keyed && !print_digest(t, path))
        status = PC_STATUS_TROUBLE;
    end_capture(t, a->printer.out, good && status == PC_STATUS_GOOD);
    t->status = status > t->status ? status : t->status;
    t->read += status != PC_STATUS_TROUBLE;
    if (!pc_print_no_capture(&a->printer, path, a->pc) && perfcheck_verdict(a->pc) != PERFCHECK_VALID)
        pc_print_verdict(&to_err, path, a->pc);
    return good;
}

/* The same for a capture that is not open yet; reports what is wrong with it. */
static bool print_capture(struct tables *t, struct pc_arguments *a, const char *path)
{
    char *escaped = NULL;
    size_t size;
    FILE *name = open_memstream(&escaped, &size);
    if (name)
        pc_print_escaped(name, path);
    bool good = name && fclose(name) == 0 && escaped, is_open = true;
    t->path = escaped;
    if (good && t->is_keyed)
        is_open = pc_key_open(&t->key, a, path);
    else if (good)
        perfcheck_open_path(a->pc, path);
    if (!is_open)
        t->status = PC_STATUS_TROUBLE;
    good = good && (!is_open || print_open(t, a, path));
    if (t->is_keyed)
        pc_key_close(&t->key);
    free(escaped);
    return good;
}

/* The rows of all captures. False: no memory. */
static bool print_all(struct tables *t, struct pc_arguments *a, char **operand, int nr)
{
    bool good = true;
    begin_tables(t, a->printer.out);
    for (int i = 0; good && i < nr; i++)
        good = print_capture(t, a, operand[i]);
    return good;
}

static enum pc_status print_tables(struct pc_arguments *a, struct pc_binaries *binaries, char **operand,
                                   int nr)
{
    struct tables *t = make(a, binaries);
    enum pc_status status;
    int error = t ? 0 : ENOMEM;
    if (t && a->output && t->form == PC_ROW_SQL) {
        pc_usage_error(a, "--format=sql goes to standard output, not into a directory:", a->output);
        destroy(t);
        return PC_STATUS_TROUBLE;
    }
    if (t && a->output)
        error = open_files(t, a, operand, nr);
    if (error == 0 && !print_all(t, a, operand, nr))
        error = ENOMEM;
    if (t && a->output) {
        int end = close_files(t, a, error == 0 && t->read != 0);
        error = error != 0 ? error : end;
    }
    status = t ? t->status : PC_STATUS_TROUBLE;
    destroy(t);
    if (error != 0 && a->output)
        return pc_output_failed(a->output, error);
    if (error != 0)
        fputs("perfcheck: no memory\n", stderr);
    return error == 0 ? status : PC_STATUS_TROUBLE;
}

/* Whether a folder of binaries is open, if one is asked for; reports it when not. */
static bool open_binaries(const struct pc_arguments *a, struct pc_binaries **binaries)
{
    int error = 0;
    *binaries = a->symbols ? pc_binaries_open(a->symbols, &error) : NULL;
    if (!a->symbols || *binaries)
        return true;
    pc_print_about(stderr, "--symbols=", a->symbols,
                   error == ENOTSUP ? "this perfcheck was built without libdw" : pc_text_error(error), NULL);
    return false;
}

enum pc_status pc_command_tables(struct pc_arguments *a, char **operand, int nr)
{
    struct pc_binaries *binaries;
    bool good = open_binaries(a, &binaries);
    enum pc_status status = good ? print_tables(a, binaries, operand, nr) : PC_STATUS_TROUBLE;
    if (binaries && pc_binaries_failed(binaries)) {
        fprintf(
            stderr,
            "perfcheck: functions are missing: the binary with build id %s cannot be read, takes more than "
            "20 seconds or 2 GiB, or makes libdw fail (try again, or leave it out of the folder)\n",
            pc_binaries_failed(binaries));
        status = PC_STATUS_TROUBLE;
    }
    pc_binaries_close(binaries);
    return status;
}
