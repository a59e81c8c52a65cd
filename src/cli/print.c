/* SPDX-License-Identifier: MIT
 *
 * Findings, verdicts and messages as text for people.
 */
#include "cli/print.h"
#include "cli/facts.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

static void print_coloured(const struct pc_printer *p, enum pc_severity severity)
{
    static const char *const colours[] = { "\033[36m", "\033[33m", "\033[31m" };
    if (p->colour)
        fprintf(p->out, "%s%s\033[0m: ", colours[severity], pc_severity_name(severity));
    else
        fprintf(p->out, "%s: ", pc_severity_name(severity));
}

/* The member of a directory that the finding is in. */
static void print_member(FILE *out, const struct pc_scan *scan, const struct pc_finding *f)
{
    if (!f->where.member && (!scan->capture.is_directory || f->place == PC_AT_END))
        return;
    fputc('/', out);
    pc_print_escaped(out, f->where.member ? f->where.member : "data");
}

static void print_finding(const struct pc_printer *p, const char *path, const struct pc_scan *scan,
                          const struct pc_finding *f)
{
    const struct pc_diag_info *info = pc_diag_info(f->id);
    struct pc_buffer message = { .len = 0 };
    pc_put_message(&message, f, true);
    pc_print_escaped(p->out, path);
    print_member(p->out, scan, f);
    if (f->where.inside) /* the compressed record, and where in its content */
        fprintf(p->out, ":0x%" PRIx64 "+0x%" PRIx64 ": ", f->where.wrapper_offset, f->offset);
    else
        fprintf(p->out, ":0x%" PRIx64 ": ", f->offset);
    print_coloured(p, f->severity);
    fprintf(p->out, "%s [%s %s]\n", message.text, info->id, info->name);
}

bool pc_print_no_capture(const struct pc_printer *p, const char *path, const struct pc_scan *scan,
                         const struct pc_finding *last)
{
    if (scan->recognised)
        return false;
    const char *verdict = pc_scan_verdict(scan) == PC_UNREADABLE ? "unreadable" : "INVALID";
    fputs("perfcheck: ", p->err);
    pc_print_escaped(p->err, path);
    if (!last) { /* the user wanted no findings, or there was no memory for one */
        fprintf(p->err, ": %s%s\n", verdict, pc_scan_verdict(scan) == PC_UNREADABLE ? "" : ": not a capture");
        return true;
    }
    const struct pc_diag_info *info = pc_diag_info(last->id);
    struct pc_buffer message = { .len = 0 };
    pc_put_message(&message, last, true);
    print_member(p->err, scan, last);
    fprintf(p->err, ": %s: %s [%s %s]\n", verdict, message.text, info->id, info->name);
    return true;
}

bool pc_print_nothing(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    const struct pc_report *report = &scan->report;
    return pc_print_no_capture(p, path, scan, report->nr ? &report->finding[report->nr - 1] : NULL);
}

static void print_more(const struct pc_printer *p, const char *path, const struct pc_scan *scan,
                       enum pc_diag id)
{
    uint64_t n = pc_report_suppressed(&scan->report, id);
    if (n == 0)
        return;
    pc_print_escaped(p->out, path);
    fprintf(p->out, ": %" PRIu64 " more of %s %s\n", n, pc_diag_info(id)->id, pc_diag_info(id)->name);
}

static void print_suppressed(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        if (pc_report_severity(&scan->report, (enum pc_diag)id) != PC_NOTE || p->notes)
            print_more(p, path, scan, (enum pc_diag)id);
    }
}

void pc_print_verdict(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    const struct pc_report *report = &scan->report;
    uint64_t errors = report->by_severity[PC_ERROR], warnings = report->by_severity[PC_WARNING];
    uint64_t notes = report->by_severity[PC_NOTE], records = scan->check.sum.total;
    static const char *const verdicts[] = { "valid", "INVALID", "unreadable" };
    pc_print_escaped(p->out, path);
    fprintf(p->out, ": %s: %" PRIu64 " error%s, %" PRIu64 " warning%s", verdicts[pc_scan_verdict(scan)],
            errors, pc_plural(errors), warnings, pc_plural(warnings));
    if (notes != 0)
        fprintf(p->out, ", %" PRIu64 " note%s", notes, pc_plural(notes));
    fprintf(p->out, " (%s, %s-endian, %" PRIu64 " record%s)\n", pc_container_name(scan), pc_order_name(scan),
            records, pc_plural(records));
}

bool pc_print_findings(const struct pc_printer *printer, const char *path, const struct pc_scan *scan,
                       enum pc_severity least)
{
    const struct pc_report *report = &scan->report;
    struct pc_printer to_err = *printer, *p = &to_err;
    to_err.out = printer->err;
    if (pc_print_nothing(p, path, scan))
        return false;
    for (size_t i = 0; i < report->nr; i++) {
        if (report->finding[i].severity >= least || report->finding[i].id >= PC_D_REWRITE_RECORD)
            print_finding(p, path, scan, &report->finding[i]);
    }
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        if (pc_report_severity(report, (enum pc_diag)id) >= least || id >= PC_D_REWRITE_RECORD)
            print_more(p, path, scan, (enum pc_diag)id);
    }
    return true;
}

static void tell_message(void *ctx, const char *path, const char *what, const char *why)
{
    const struct pc_printer *printer = ctx;
    fputs("perfcheck: ", printer->err);
    pc_print_escaped(printer->err, path);
    fprintf(printer->err, ": %s%s%s\n", what, why ? ": " : "", why ? why : "");
}

static void tell_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    pc_print_findings(ctx, path, scan, PC_ERROR);
}

struct pc_tell pc_print_tell(struct pc_printer *printer)
{
    return (struct pc_tell){ printer, tell_message, tell_errors };
}

static void print_text(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    const struct pc_report *report = &scan->report;
    if (pc_print_nothing(p, path, scan))
        return;
    for (size_t i = 0; i < report->nr; i++) {
        if (report->finding[i].severity != PC_NOTE || p->notes)
            print_finding(p, path, scan, &report->finding[i]);
    }
    print_suppressed(p, path, scan);
    pc_print_verdict(p, path, scan);
}

/* --- what the program calls --- */

void pc_print_begin(struct pc_printer *p)
{
    if (p->format == PC_FORMAT_JSON && !p->quiet)
        fputc('[', p->out);
}

void pc_print_end(struct pc_printer *p)
{
    if (p->format == PC_FORMAT_JSON && !p->quiet)
        fputs("]\n", p->out);
}

void pc_print_check(struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    if (p->quiet)
        return;
    if (p->format == PC_FORMAT_TEXT) {
        print_text(p, path, scan);
        return;
    }
    if (p->format == PC_FORMAT_JSON && p->printed++ != 0)
        fputs(",\n", p->out);
    pc_print_json(p->out, path, scan, false);
    if (p->format == PC_FORMAT_JSONL) {
        fputc('\n', p->out);
        fflush(p->out);
    }
}
