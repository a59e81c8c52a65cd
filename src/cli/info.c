/* SPDX-License-Identifier: MIT
 *
 * The command `info`: what a capture is, in one screen.
 */
#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/plot.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

#define LINES 20 /* of events, of members */

const struct pc_info_text pc_info_texts[] = {
    { "writer", "VERSION" },  { "writer", "META_INFO" }, /* of simpleperf */
    { "command", "CMDLINE" }, { "host", "HOSTNAME" },    { "system", "OSRELEASE" },
    { "arch", "ARCH" },       { "cpu", "CPUDESC" },      { NULL, NULL },
};

static void print_texts(FILE *out, perfcheck_t *pc)
{
    for (size_t i = 0; pc_info_texts[i].name; i++) {
        const char *text = pc_writer_text(pc, pc_info_texts[i].feature);
        if (text)
            fprintf(out, "%-12s%s\n", pc_info_texts[i].name, text);
    }
}

/* An event in one line: name, type, what is sampled. */
static void print_event(FILE *out, const perfcheck_event_t *e)
{
    const char *name = e->name ? e->name : e->by_type;
    fprintf(out, "  %s  type %" PRIu32 "%s%s config 0x%" PRIx64 ", %s %" PRIu64 ", %" PRIu64 " id%s, %s\n",
            name ? name : "(no name)", e->type, *e->type_name ? " " : "", e->type_name, e->config,
            e->is_freq ? "freq" : "period", e->period, e->ids, pc_plural(e->ids), e->sample_types);
}

static void print_events(FILE *out, perfcheck_t *pc, const perfcheck_summary_t *sum)
{
    const perfcheck_event_t *e;
    fprintf(out, "%-12s%" PRIu64 "\n", "events", sum->attrs);
    for (size_t i = 0; i < LINES && (e = perfcheck_event(pc, i)) != NULL; i++)
        print_event(out, e);
    if (sum->attrs > LINES)
        fprintf(out, "  and %" PRIu64 " more\n", sum->attrs - LINES);
}

static void print_features(FILE *out, perfcheck_t *pc)
{
    const perfcheck_entry_t *e;
    size_t column = 12;
    fprintf(out, "%-12s", "features");
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_FEATURES, i)) != NULL; i++) {
        if (column + strlen(e->name) > 96) {
            fprintf(out, "\n%-12s", "");
            column = 12;
        }
        column += (size_t)fprintf(out, "%s ", e->name);
    }
    fputc('\n', out);
}

static void print_counts(FILE *out, perfcheck_t *pc, const perfcheck_summary_t *sum)
{
    const perfcheck_entry_t *e;
    fprintf(out, "%-12s%" PRIu64 "\n", "records", sum->records);
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_RECORD_TYPES, i)) != NULL; i++)
        fprintf(out, "  %-20s %12" PRIu64 "\n", e->name, e->number);
    if (sum->compressed != 0)
        fprintf(out,
                "%-12s%" PRIu64 " wrapper%s, %" PRIu64 " bytes in, %" PRIu64 " bytes out, ratio %" PRIu64
                ".%02" PRIu64 "\n",
                "compressed", sum->compressed, pc_plural(sum->compressed), sum->compressed_in,
                sum->compressed_out, pc_ratio_of(sum) / 100, pc_ratio_of(sum) % 100);
}

static void print_time(FILE *out, const perfcheck_summary_t *sum)
{
    if (!sum->has_time)
        return;
    fprintf(out, "%-12s", "samples");
    pc_print_seconds(out, sum->first_time);
    fputs(" to ", out);
    pc_print_seconds(out, sum->last_time);
    fputs(" (", out);
    pc_print_seconds(out, sum->last_time - sum->first_time);
    fputs(")\n", out);
}

static void print_lost(FILE *out, perfcheck_t *pc, const perfcheck_summary_t *sum)
{
    static const char *const types[] = { "LOST", "LOST_SAMPLES" };
    uint64_t records = 0;
    for (size_t i = 0; i < 2; i++) {
        const perfcheck_entry_t *e = pc_entry(pc, PERFCHECK_RECORD_TYPES, types[i]);
        records += e ? e->number : 0;
    }
    fprintf(out, "%-12s%" PRIu64 " event%s, %" PRIu64 " sample%s, reported by %" PRIu64 " record%s\n", "lost",
            sum->lost_events, pc_plural(sum->lost_events), sum->lost_samples, pc_plural(sum->lost_samples),
            records, pc_plural(records));
}

static void print_members(FILE *out, perfcheck_t *pc)
{
    const perfcheck_entry_t *e;
    size_t i;
    for (i = 0; (e = perfcheck_entry(pc, PERFCHECK_MEMBERS, i)) != NULL; i++) {
        if (i < LINES)
            fprintf(out, "%s  %s  %" PRIu64 " byte%s\n", i == 0 ? "members\n" : "", e->name, e->number,
                    pc_plural(e->number));
    }
    if (i > LINES)
        fprintf(out, "  and %zu more\n", i - LINES);
}

static void print_text(FILE *out, const char *path, perfcheck_t *pc)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    uint64_t errors = perfcheck_count(pc, PERFCHECK_ERROR), warnings = perfcheck_count(pc, PERFCHECK_WARNING);
    fprintf(out, "%-12s", "capture");
    pc_print_escaped(out, path);
    fprintf(out, "\n%-12s%s: %" PRIu64 " error%s, %" PRIu64 " warning%s\n", "verdict",
            pc_verdict_name(perfcheck_verdict(pc)), errors, pc_plural(errors), warnings, pc_plural(warnings));
    fprintf(out, "%-12s%s, %s-endian, version %" PRIu32 ", %" PRIu64 " bytes\n", "container", sum->container,
            pc_order_name(sum), sum->version, sum->size);
    if (sum->unfinished)
        fprintf(out, "%-12s%s\n", "state", "the recording was not finished");
    print_texts(out, pc);
    if (sum->cpus != 0)
        fprintf(out, "%-12s%" PRIu64 " online, %" PRIu64 " available\n", "cpus", sum->cpus_online, sum->cpus);
    print_events(out, pc, sum);
    print_features(out, pc);
    print_counts(out, pc, sum);
    print_time(out, sum);
    print_lost(out, pc, sum);
    print_members(out, pc);
}

void pc_print_info(const struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    if (p->format != PC_FORMAT_TEXT) {
        pc_print_json(p->out, path, pc, true);
        fputc('\n', p->out);
    } else if (!pc_print_no_capture(p, path, pc)) {
        print_text(p->out, path, pc);
    }
}

/* Describes one capture. survey: NULL: no plot is asked for. False: no memory. */
static bool describe(const struct pc_arguments *a, struct pc_survey *survey, const char *path)
{
    bool good = true;
    perfcheck_open_path(a->pc, path);
    if (survey)
        good = pc_survey_read(survey);
    else
        perfcheck_check(a->pc);
    pc_print_info(&a->printer, path, a->pc);
    if (survey && good && pc_status_shown(a->pc) == PC_STATUS_GOOD)
        pc_plot_print(a->printer.out, survey, pc_plot_style_of(a->printer.out));
    return good;
}

enum pc_status pc_command_info(struct pc_arguments *a, char **operand, int nr)
{
    bool is_array = nr > 1 && a->printer.format != PC_FORMAT_TEXT;
    bool plots = a->plot && a->printer.format == PC_FORMAT_TEXT;
    struct pc_survey *survey = plots ? pc_survey_new(a->pc) : NULL;
    bool good = survey || !plots;
    enum pc_status status = PC_STATUS_GOOD;
    for (int i = 0; good && i < nr; i++) {
        if (is_array || i > 0)
            fputs(!is_array ? "\n" : i == 0 ? "[" : ",", a->printer.out);
        good = describe(a, survey, operand[i]);
        if (pc_status_shown(a->pc) > status)
            status = pc_status_shown(a->pc);
    }
    if (is_array)
        fputs("]\n", a->printer.out);
    pc_survey_free(survey);
    if (!good)
        pc_no_memory();
    return good ? status : PC_STATUS_TROUBLE;
}
