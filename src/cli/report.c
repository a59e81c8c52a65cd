/* SPDX-License-Identifier: MIT
 *
 * The command `report`: one page of HTML about captures. Sections wait in a file without a name until the
 * overview, which comes before them, is complete.
 */
#include "cli/command.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/show.h"
#include "cli/signals.h"

#include <errno.h>
#include <string.h>

struct report {
    struct pc_arguments *arguments;
    struct pc_mem mem;
    struct pc_sink page, sections; /* page: closed when it goes to standard output */
    FILE *out, *later;             /* to the page, to the sections */
    struct pc_survey *survey;
    uint64_t verdicts[PERFCHECK_UNREADABLE + 1], listed;
    struct pc_page_numbers others; /* those that are not listed */
    enum pc_status status;
};

/* --- output --- */

/* Returns 0 or what is wrong. */
static int open_output(struct report *r, char **operand, int nr)
{
    const char *output = r->arguments->output;
    bool is_stdout = strcmp(output, "-") == 0;
    int error = 0;
    pc_mem_init(&r->mem, 4 * PC_SINK_BUFFER);
    pc_catch_signals();
    r->out = stdout;
    if (!is_stdout)
        error = pc_output_create(&r->page, &r->mem, output, r->arguments->force, operand, nr, &r->out);
    if (error == 0)
        error = pc_sink_scratch(&r->sections, &r->mem, is_stdout ? NULL : &r->page);
    if (error != 0)
        return error;
    r->later = pc_output_stream(&r->sections);
    r->survey = pc_survey_new(r->arguments->pc);
    return r->later && r->survey ? 0 : ENOMEM;
}

/* The sections follow the overview. Returns 0 or what is wrong. */
static int append_sections(struct report *r)
{
    char chunk[16384];
    if (fflush(r->later) != 0)
        return errno;
    for (uint64_t at = 0; at < r->sections.size && r->sections.error == 0;) {
        uint64_t left = r->sections.size - at;
        size_t n = left < sizeof(chunk) ? (size_t)left : sizeof(chunk);
        if (pc_sink_get(&r->sections, at, chunk, n))
            fwrite(chunk, 1, n, r->out);
        at += n;
    }
    return r->sections.error;
}

static void close_output(struct report *r)
{
    if (r->later)
        fclose(r->later);
    if (r->out && r->out != stdout)
        fclose(r->out);
    r->out = r->later = NULL;
    pc_survey_free(r->survey);
    pc_sink_discard(&r->sections);
}

/* --- content --- */

/* Whether the capture that was read has a row and a section. A page of many captures stays small. */
static bool is_listed(const struct report *r, int nr)
{
    return nr <= PC_PAGE_LISTED ||
           (perfcheck_verdict(r->arguments->pc) != PERFCHECK_VALID && r->listed < PC_PAGE_LISTED);
}

static bool report_one(struct report *r, const char *path, uint64_t number, int nr)
{
    perfcheck_t *pc = r->arguments->pc;
    struct pc_charted c = { .pc = pc, .survey = r->survey, .number = number };
    struct pc_printer to_err = r->arguments->printer;
    to_err.out = to_err.err;
    perfcheck_close(pc);
    if (!pc_baseline_tell(&r->arguments->baseline, path, pc))
        return false; /* no memory, which is told of the page */
    perfcheck_open_path(pc, path);
    bool good = pc_survey_read(r->survey);
    enum pc_status status = pc_status_shown(pc);
    if (!pc_print_no_capture(&r->arguments->printer, path, pc) && status == PC_STATUS_TROUBLE)
        pc_print_verdict(&to_err, path, pc);
    r->status = status > r->status ? status : r->status;
    r->verdicts[perfcheck_verdict(pc)]++;
    if (!is_listed(r, nr)) {
        pc_page_add(&r->others, &c);
        return good;
    }
    r->listed++;
    c.out = r->out;
    if (nr > 1)
        pc_page_row(&c, path);
    c.out = r->later;
    pc_page_section(&c, path, nr <= PC_PAGE_WHOLE);
    return good;
}

static void print_totals(struct report *r, int nr)
{
    fprintf(r->out, "<p>%d captures", nr);
    pc_print_verdicts(r->out, r->verdicts);
    fputs("</p>\n", r->out);
}

/* Returns 0 or what is wrong. */
static int report_all(struct report *r, char **operand, int nr)
{
    bool good = true;
    pc_html_begin(r->out, nr == 1 ? operand[0] : "captures");
    fputs("<h1>Report of perfcheck</h1>\n", r->out);
    if (nr > PC_PAGE_LISTED)
        fprintf(r->out,
                "<p>A page lists %d captures at most. Of more, it lists the first %d that are not valid, and "
                "the last row of the table adds up the others. To see all, run "
                "<code>perfcheck check --format=jsonl CAPTURE...</code></p>\n",
                PC_PAGE_LISTED, PC_PAGE_LISTED);
    if (nr > 1)
        pc_html_table(r->out, "All captures",
                      "Capture|Verdict|>Errors|>Warnings|>Records|>Samples|>Lost|>Bytes|First finding");
    for (int i = 0; i < nr && good; i++)
        good = report_one(r, operand[i], (uint64_t)i, nr);
    if (r->others.captures != 0)
        pc_page_others(r->out, &r->others);
    if (nr > 1) {
        pc_html_end_table(r->out);
        print_totals(r, nr);
    }
    if (nr > PC_PAGE_WHOLE)
        pc_chart_key(r->out);
    int error = good ? append_sections(r) : ENOMEM;
    pc_html_end(r->out);
    return fflush(r->out) != 0 && error == 0 ? errno : error;
}

enum pc_status pc_command_report(struct pc_arguments *a, char **operand, int nr)
{
    struct report r = { .arguments = a,
                        .page.target = PC_TARGET_CLOSED,
                        .sections.target = PC_TARGET_CLOSED };
    if (!a->output) {
        pc_usage_error(a, "report needs the name of the page: -o FILE", NULL);
        return PC_STATUS_TROUBLE;
    }
    perfcheck_set(a->pc, "readers", NULL);
    int error = open_output(&r, operand, nr);
    if (error == 0)
        error = report_all(&r, operand, nr);
    close_output(&r);
    bool any = r.verdicts[PERFCHECK_UNREADABLE] != (uint64_t)nr; /* a page about nothing does not appear */
    if (strcmp(a->output, "-") != 0 && error == 0 && any)
        error = pc_sink_commit(&r.page);
    pc_sink_discard(&r.page);
    return error == 0 ? r.status : pc_output_failed(a->output, error);
}
