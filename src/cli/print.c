/* SPDX-License-Identifier: MIT */
#include "cli/print.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

static const char *verdict_name(const struct pc_scan *scan)
{
    static const char *const names[] = { "valid", "invalid", "unreadable" };
    return names[pc_scan_verdict(scan)];
}

/* --- text --- */

static const char *container_name(const struct pc_scan *scan)
{
    if (scan->capture.is_directory)
        return "directory";
    if (!scan->recognised)
        return NULL;
    return scan->capture.is_pipe ? "pipe" : "file";
}

/* Bytes of the capture: all members of a directory. */
static uint64_t size_of(const struct pc_scan *scan)
{
    const struct pc_directory *dir = &scan->reader.directory;
    uint64_t size = 0;
    if (!scan->capture.is_directory)
        return scan->in.kind == PC_INPUT_FILE ? scan->in.size : scan->check.sum.size;
    for (size_t i = 0; i < dir->nr; i++)
        size = pc_add_saturated(size, dir->member[i].size);
    return size;
}

static const char *order_name(const struct pc_scan *scan)
{
    return scan->capture.order == PC_BIG ? "big" : "little";
}

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

static bool print_no_capture(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
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
    fprintf(p->out, " (%s, %s-endian, %" PRIu64 " record%s)\n", container_name(scan), order_name(scan),
            records, pc_plural(records));
}

bool pc_print_findings(const struct pc_printer *printer, const char *path, const struct pc_scan *scan,
                       enum pc_severity least)
{
    const struct pc_report *report = &scan->report;
    struct pc_printer to_err = *printer, *p = &to_err;
    to_err.out = printer->err;
    if (print_no_capture(p, path, scan))
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
    if (print_no_capture(p, path, scan))
        return;
    for (size_t i = 0; i < report->nr; i++) {
        if (report->finding[i].severity != PC_NOTE || p->notes)
            print_finding(p, path, scan, &report->finding[i]);
    }
    print_suppressed(p, path, scan);
    pc_print_verdict(p, path, scan);
}

/* --- JSON --- */

static void print_events(struct pc_stream *object, const struct pc_capture *capture, bool info)
{
    pc_stream_key(object, "events");
    struct pc_stream array = pc_stream_open(object->out, '[');
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        json_t *types = json_array();
        for (const struct pc_name *n = pc_sample_type_names; n->name; n++) {
            if (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & n->value)
                json_array_append_new(types, json_string(n->name));
        }
        json_t *event = json_object();
        json_object_set_new(event, "name", attr->name ? pc_json_string(attr->name) : json_null());
        json_object_set_new(event, "type", pc_json_number(pc_attr_get(attr, PC_ATTR_TYPE)));
        json_object_set_new(event, "config", pc_json_number(pc_attr_get(attr, PC_ATTR_CONFIG)));
        json_object_set_new(event, "sample_type", types);
        json_object_set_new(event, "ids", pc_json_number(attr->nr_ids));
        if (info)
            json_object_set_new(
                event, pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_FREQ ? "sample_freq" : "sample_period",
                pc_json_number(pc_attr_get(attr, PC_ATTR_PERIOD)));
        pc_stream_member(&array, NULL, event);
    }
    fputc(']', object->out);
}

static json_t *features_of(const struct pc_capture *capture)
{
    json_t *array = json_array();
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        struct pc_buffer name = { .len = 0 };
        if (!pc_bit(capture->seen, bit))
            continue;
        pc_put_bit(&name, bit);
        json_array_append_new(array, json_string(name.text));
    }
    return array;
}

static json_t *records_of(const struct pc_summary *sum)
{
    json_t *by_type = json_object(), *records = json_object();
    for (uint32_t type = 0; type < PC_TYPES; type++) {
        if (sum->by_type[type] != 0)
            json_object_set_new(by_type, pc_record_info(type)->name, pc_json_number(sum->by_type[type]));
    }
    for (size_t i = 0; i < sum->nr_unknown; i++) {
        char name[32];
        snprintf(name, sizeof(name), "TYPE_%" PRIu32, sum->unknown[i].type);
        json_object_set_new(by_type, name, pc_json_number(sum->unknown[i].count));
    }
    if (sum->unknown_rest != 0)
        json_object_set_new(by_type, "TYPE_OTHERS", pc_json_number(sum->unknown_rest));
    json_object_set_new(records, "total", pc_json_number(sum->total));
    json_object_set_new(records, "by_type", by_type);
    json_object_set_new(records, "compressed", pc_json_number(sum->compressed));
    return records;
}

/* The writer and its machine, as features say. */
static json_t *writer_of(const struct pc_capture *capture)
{
    static const struct {
        const char *name;
        enum pc_feature bit;
    } texts[] = {
        { "perf", PC_VERSION }, { "hostname", PC_HOSTNAME }, { "osrelease", PC_OSRELEASE },
        { "arch", PC_ARCH },    { "cpudesc", PC_CPUDESC },   { "cmdline", PC_CMDLINE },
    };
    json_t *writer = json_object();
    for (size_t i = 0; i < PC_COUNT_OF(texts); i++)
        json_object_set_new(writer, texts[i].name,
                            capture->text[texts[i].bit] ? pc_json_string(capture->text[texts[i].bit])
                                                        : json_null());
    json_object_set_new(writer, "cpus", capture->nr_cpus ? pc_json_number(capture->nr_cpus) : json_null());
    json_object_set_new(writer, "online",
                        capture->nr_cpus ? pc_json_number(capture->nr_online) : json_null());
    return writer;
}

/* How many times larger the content is, in hundredths. */
static uint64_t ratio_of(const struct pc_summary *sum)
{
    uint64_t out = sum->compressed_out, in = sum->compressed_in;
    if (in == 0)
        return 0;
    return out > UINT64_MAX / 100 ? out / in * 100 : out * 100 / in;
}

static json_t *compression_of(const struct pc_summary *sum)
{
    if (sum->compressed == 0)
        return json_null();
    char ratio[32];
    snprintf(ratio, sizeof(ratio), "%" PRIu64 ".%02" PRIu64, ratio_of(sum) / 100, ratio_of(sum) % 100);
    json_t *object = json_object();
    json_object_set_new(object, "wrappers", pc_json_number(sum->compressed));
    json_object_set_new(object, "in", pc_json_number(sum->compressed_in));
    json_object_set_new(object, "out", pc_json_number(sum->compressed_out));
    json_object_set_new(object, "ratio", json_string(ratio));
    return object;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* Members of a directory: null for other captures. */
static void print_members(struct pc_stream *object, const struct pc_scan *scan)
{
    const struct pc_directory *dir = &scan->reader.directory;
    if (!scan->capture.is_directory) {
        pc_stream_member(object, "members", json_null());
        return;
    }
    pc_stream_key(object, "members");
    struct pc_stream array = pc_stream_open(object->out, '[');
    for (size_t i = 0; i < dir->nr; i++) {
        if (dir->member[i].kind == PC_MEMBER_KCORE) /* its files are members of their own */
            continue;
        json_t *member = json_object();
        json_object_set_new(member, "name", pc_json_string(dir->member[i].name));
        json_object_set_new(member, "size", pc_json_number(dir->member[i].size));
        pc_stream_member(&array, NULL, member);
    }
    fputc(']', object->out);
}

static void print_json(const struct pc_printer *p, const char *path, const struct pc_scan *scan, bool info)
{
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.sum;
    const struct pc_report *report = &scan->report;
    struct pc_stream object = pc_stream_open(p->out, '{');

    pc_stream_member(&object, "schema", json_string("perfcheck/1"));
    pc_stream_member(&object, "path", pc_json_string(path));
    pc_stream_member(&object, "verdict", json_string(verdict_name(scan)));
    pc_stream_member(&object, "container", text_or_null(container_name(scan)));
    pc_stream_member(&object, "byte_order", text_or_null(scan->recognised ? order_name(scan) : NULL));
    pc_stream_member(&object, "version", scan->recognised ? pc_json_number(capture->version) : json_null());
    pc_stream_member(&object, "size", pc_json_number(size_of(scan)));
    if (info)
        pc_stream_member(&object, "writer", writer_of(capture));
    pc_stream_member(&object, "attrs", pc_json_number(capture->nr_attrs));
    print_events(&object, capture, info);
    pc_stream_member(&object, "features", features_of(capture));
    pc_stream_member(&object, "records", records_of(sum));
    json_t *lost = json_object();
    json_object_set_new(lost, "events", pc_json_number(sum->lost_events));
    json_object_set_new(lost, "samples", pc_json_number(sum->lost_samples));
    pc_stream_member(&object, "lost", lost);
    json_t *time = sum->has_time ? json_object() : json_null();
    if (sum->has_time) {
        json_object_set_new(time, "first", pc_json_number(sum->first_time));
        json_object_set_new(time, "last", pc_json_number(sum->last_time));
    }
    pc_stream_member(&object, "time", time);
    if (info)
        pc_stream_member(&object, "compression", compression_of(sum));
    if (info)
        print_members(&object, scan);
    pc_stream_key(&object, "findings");
    struct pc_stream findings = pc_stream_open(p->out, '[');
    for (size_t i = 0; i < report->nr; i++) {
        pc_stream_key(&findings, NULL);
        pc_print_json_finding(p->out, &report->finding[i]);
    }
    fputc(']', p->out);
    json_t *counts = json_object();
    for (int severity = PC_ERROR; severity >= PC_NOTE; severity--)
        json_object_set_new(counts, pc_severity_name((enum pc_severity)severity),
                            pc_json_number(report->by_severity[severity]));
    pc_stream_member(&object, "counts", counts);
    json_t *suppressed = json_object();
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        uint64_t n = pc_report_suppressed(report, (enum pc_diag)id);
        if (n != 0)
            json_object_set_new(suppressed, pc_diag_info((enum pc_diag)id)->id, pc_json_number(n));
    }
    pc_stream_member(&object, "suppressed", suppressed);
    fputc('}', p->out);
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
    print_json(p, path, scan, false);
    if (p->format == PC_FORMAT_JSONL) {
        fputc('\n', p->out);
        fflush(p->out);
    }
}

static void print_row(FILE *out, const char *name, const char *text)
{
    if (!text)
        return;
    fprintf(out, "%-12s", name);
    pc_print_escaped(out, text);
    fputc('\n', out);
}

/* An event in one line: name, type, what is sampled. */
static void print_event(FILE *out, const struct pc_attr *attr)
{
    const char *separator = "";
    fprintf(out, "  ");
    if (attr->name)
        pc_print_escaped(out, attr->name);
    else
        fprintf(out, "(no name)");
    const char *kind = NULL;
    for (const struct pc_name *n = pc_attr_type_names; n->name; n++)
        kind = n->value == pc_attr_get(attr, PC_ATTR_TYPE) ? n->name : kind;
    fprintf(out, "  type %" PRIu64 "%s%s config 0x%" PRIx64 ", %s %" PRIu64 ", %" PRIu64 " id%s, ",
            pc_attr_get(attr, PC_ATTR_TYPE), kind ? " " : "", kind ? kind : "",
            pc_attr_get(attr, PC_ATTR_CONFIG),
            pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_FREQ ? "freq" : "period",
            pc_attr_get(attr, PC_ATTR_PERIOD), attr->nr_ids, pc_plural(attr->nr_ids));
    for (const struct pc_name *n = pc_sample_type_names; n->name; n++) {
        if (!(pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & n->value))
            continue;
        fprintf(out, "%s%s", separator, n->name);
        separator = "|";
    }
    fputc('\n', out);
}

static void print_counts(FILE *out, const struct pc_summary *sum)
{
    fprintf(out, "%-12s%" PRIu64 "\n", "records", sum->total);
    for (uint32_t type = 0; type < PC_TYPES; type++) {
        if (sum->by_type[type] != 0)
            fprintf(out, "  %-20s %12" PRIu64 "\n", pc_record_info(type)->name, sum->by_type[type]);
    }
    for (size_t i = 0; i < sum->nr_unknown; i++)
        fprintf(out, "  TYPE_%-15" PRIu32 " %12" PRIu64 "\n", sum->unknown[i].type, sum->unknown[i].count);
    if (sum->compressed != 0)
        fprintf(out,
                "%-12s%" PRIu64 " wrapper%s, %" PRIu64 " bytes in, %" PRIu64 " bytes out, ratio %" PRIu64
                ".%02" PRIu64 "\n",
                "compressed", sum->compressed, pc_plural(sum->compressed), sum->compressed_in,
                sum->compressed_out, ratio_of(sum) / 100, ratio_of(sum) % 100);
}

static void print_member_list(FILE *out, const struct pc_directory *dir)
{
    const size_t most = 20;
    size_t shown = 0, all = 0;
    for (size_t i = 0; i < dir->nr; i++) {
        if (dir->member[i].kind == PC_MEMBER_KCORE)
            continue;
        if (all++ == 0)
            fprintf(out, "members\n");
        if (shown == most)
            continue;
        shown++;
        fprintf(out, "  ");
        pc_print_escaped(out, dir->member[i].name);
        fprintf(out, "  %" PRIu64 " byte%s\n", dir->member[i].size, pc_plural(dir->member[i].size));
    }
    if (all > shown)
        fprintf(out, "  and %zu more\n", all - shown);
}

static void print_info_text(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.sum;
    FILE *out = p->out;
    const size_t events_shown = 20;

    print_row(out, "capture", path);
    fprintf(out, "%-12s%s: %" PRIu64 " error%s, %" PRIu64 " warning%s\n", "verdict", verdict_name(scan),
            scan->report.by_severity[PC_ERROR], pc_plural(scan->report.by_severity[PC_ERROR]),
            scan->report.by_severity[PC_WARNING], pc_plural(scan->report.by_severity[PC_WARNING]));
    fprintf(out, "%-12s%s, %s-endian, version %u, %" PRIu64 " bytes\n", "container", container_name(scan),
            order_name(scan), capture->version, size_of(scan));
    if (capture->unfinished)
        print_row(out, "state", "the recording was not finished");
    print_row(out, "writer", capture->text[PC_VERSION]);
    print_row(out, "command", capture->text[PC_CMDLINE]);
    print_row(out, "host", capture->text[PC_HOSTNAME]);
    print_row(out, "system", capture->text[PC_OSRELEASE]);
    print_row(out, "arch", capture->text[PC_ARCH]);
    print_row(out, "cpu", capture->text[PC_CPUDESC]);
    if (capture->nr_cpus != 0)
        fprintf(out, "%-12s%" PRIu64 " online, %" PRIu64 " available\n", "cpus", capture->nr_online,
                capture->nr_cpus);
    fprintf(out, "%-12s%zu\n", "events", capture->nr_attrs);
    for (size_t i = 0; i < capture->nr_attrs && i < events_shown; i++)
        print_event(out, &capture->attr[i]);
    if (capture->nr_attrs > events_shown)
        fprintf(out, "  and %zu more\n", capture->nr_attrs - events_shown);
    fprintf(out, "%-12s", "features");
    size_t column = 12;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        struct pc_buffer name = { .len = 0 };
        if (!pc_bit(capture->seen, bit))
            continue;
        pc_put_bit(&name, bit);
        if (column + name.len > 96) {
            fprintf(out, "\n%-12s", "");
            column = 12;
        }
        column += (size_t)fprintf(out, "%s ", name.text);
    }
    fputc('\n', out);
    print_counts(out, sum);
    if (sum->has_time) {
        uint64_t span = sum->last_time - sum->first_time;
        fprintf(
            out,
            "%-12s%" PRIu64 ".%09" PRIu64 " s to %" PRIu64 ".%09" PRIu64 " s (%" PRIu64 ".%09" PRIu64 " s)\n",
            "samples", sum->first_time / 1000000000, sum->first_time % 1000000000,
            sum->last_time / 1000000000, sum->last_time % 1000000000, span / 1000000000, span % 1000000000);
    }
    uint64_t records = sum->by_type[PC_LOST] + sum->by_type[PC_LOST_SAMPLES];
    fprintf(out, "%-12s%" PRIu64 " event%s, %" PRIu64 " sample%s, said by %" PRIu64 " record%s\n", "lost",
            sum->lost_events, pc_plural(sum->lost_events), sum->lost_samples, pc_plural(sum->lost_samples),
            records, pc_plural(records));
    print_member_list(out, &scan->reader.directory);
}

void pc_print_info(struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    if (p->format == PC_FORMAT_TEXT) {
        if (!print_no_capture(p, path, scan))
            print_info_text(p, path, scan);
        return;
    }
    print_json(p, path, scan, true);
    fputc('\n', p->out);
}
