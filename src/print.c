/* SPDX-License-Identifier: MIT */
#include "print.h"
#include "text.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

/* Room for a message, or for a path of the file system with every byte escaped. */
#define MESSAGE_MAX 20000

static const char *severity_name(enum pc_severity severity)
{
    static const char *const names[] = { "note", "warning", "error" };
    return names[severity];
}

static const char *verdict_name(const struct pc_scan *scan)
{
    static const char *const names[] = { "valid", "invalid", "unreadable" };
    return names[pc_scan_verdict(scan)];
}

/* --- pieces of text --- */

struct buffer {
    char text[MESSAGE_MAX];
    size_t len;
};

static void put(struct buffer *b, const char *text)
{
    size_t n = strlen(text), room = sizeof(b->text) - 1 - b->len;
    n = n < room ? n : room;
    memcpy(b->text + b->len, text, n);
    b->len += n;
    b->text[b->len] = 0;
}

static __attribute__((format(printf, 2, 3))) void put_format(struct buffer *b, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    put(b, text);
}

static void put_value(struct buffer *b, const struct pc_value *v, bool plain)
{
    char escaped[PC_ESCAPED_MAX(PC_VALUE_MAX)];
    switch (v->kind) {
    case PC_V_NONE:
        break;
    case PC_V_UINT:
        put_format(b, "%" PRIu64, v->n);
        break;
    case PC_V_INT:
        put_format(b, "%" PRId64, v->n);
        break;
    case PC_V_HEX:
        put_format(b, "0x%" PRIx64, v->n);
        break;
    case PC_V_TEXT:
        pc_text_escape((struct pc_span){ (const unsigned char *)v->text, strlen(v->text) }, plain, escaped);
        put(b, escaped);
        break;
    case PC_V_BYTES:
        pc_text_escape((struct pc_span){ v->bytes, v->len }, plain, escaped);
        put(b, escaped);
        break;
    }
}

static void put_steps(struct buffer *b, const struct pc_finding *f)
{
    for (uint32_t i = 0; i < f->depth; i++) {
        if (i > 0)
            put(b, ".");
        put(b, f->path[i].name);
        if (f->path[i].index != PC_NO_INDEX)
            put_format(b, "[%" PRIu64 "]", f->path[i].index);
    }
}

/* A path of the file system, or text of the capture, escaped into a buffer. */
static void put_escaped(struct buffer *b, const char *text, bool plain)
{
    char piece[PC_ESCAPED_MAX(256)];
    size_t len = strlen(text);
    for (size_t at = 0; at < len;) {
        size_t n = len - at < 256 ? len - at : 256;
        /* Not in the middle of a UTF-8 sequence. */
        while (n == 256 && n > 250 && ((unsigned char)text[at + n] & 0xc0) == 0x80)
            n--;
        pc_text_escape((struct pc_span){ (const unsigned char *)text + at, n }, plain, piece);
        put(b, piece);
        at += n;
    }
}

/* The stream that the finding's offset counts in: data, data.3, kcore_dir/modules, data/records[17]. */
static void put_stream(struct buffer *b, const struct pc_scan *scan, const struct pc_where *where, bool plain)
{
    put_escaped(b, pc_reader_stream_name(&scan->reader, where->stream), plain);
    if (where->inside)
        put_format(b, "/records[%" PRIu64 "]", where->wrapper);
}

/* The place in the whole capture: records[17].entries[3].id. */
static void put_path(struct buffer *b, const struct pc_finding *f)
{
    switch (f->place) {
    case PC_IN_HEADER:
        put(b, "header");
        break;
    case PC_IN_ATTR:
        put_format(b, "attrs[%" PRIu64 "]", f->number);
        break;
    case PC_IN_FEATURE:
        put(b, "features.");
        if (f->subject)
            put(b, f->subject);
        else
            put_format(b, "%" PRIu64, f->number);
        break;
    case PC_IN_RECORD:
        put_format(b, "records[%" PRIu64 "]", f->number);
        break;
    case PC_AT_END:
        put(b, "capture");
        break;
    }
    if (f->depth > 0)
        put(b, ".");
    put_steps(b, f);
}

/* The row's template with field and values filled in, behind the place as people say it. */
static void put_message(struct buffer *b, const struct pc_finding *f, bool plain)
{
    switch (f->place) {
    case PC_IN_HEADER:
    case PC_AT_END:
        break;
    case PC_IN_ATTR:
        put_format(b, "attr #%" PRIu64 ": ", f->number);
        break;
    case PC_IN_FEATURE:
        put(b, "feature ");
        if (f->subject)
            put(b, f->subject);
        else
            put_format(b, "%" PRIu64, f->number);
        put(b, ": ");
        break;
    case PC_IN_RECORD:
        put_format(b, "record #%" PRIu64, f->number);
        if (f->subject) {
            put(b, " ");
            put(b, f->subject);
        }
        if (f->where.inside)
            put_format(b, " in #%" PRIu64, f->where.wrapper);
        put(b, ": ");
        break;
    }
    for (const char *t = pc_diag_info(f->id)->message; *t; t++) {
        if (t[0] == '{' && t[1] && t[2] == '}') {
            if (t[1] == 'f')
                put_steps(b, f);
            else
                put_value(b, t[1] == 's' ? &f->seen : &f->expected, plain);
            t += 2;
        } else {
            put(b, (const char[]){ *t, 0 });
        }
    }
}

static void print_escaped(FILE *out, const char *text)
{
    struct buffer b = { .len = 0 };
    put_escaped(&b, text, true);
    fputs(b.text, out);
}

static void append_bit(struct buffer *b, uint64_t bit)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (info)
        put(b, info->name);
    else
        put_format(b, "BIT_%" PRIu64, bit);
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
        fprintf(p->out, "%s%s\033[0m: ", colours[severity], severity_name(severity));
    else
        fprintf(p->out, "%s: ", severity_name(severity));
}

/* The member of a directory that the finding is in. */
static void print_member(FILE *out, const struct pc_scan *scan, const struct pc_finding *f)
{
    if (f->where.stream == 0 && (!scan->capture.is_directory || f->place == PC_AT_END))
        return;
    fputc('/', out);
    print_escaped(out, pc_reader_stream_name(&scan->reader, f->where.stream));
}

static void print_finding(const struct pc_printer *p, const char *path, const struct pc_scan *scan,
                          const struct pc_finding *f)
{
    const struct pc_diag_info *info = pc_diag_info(f->id);
    struct buffer message = { .len = 0 };
    put_message(&message, f, true);
    print_escaped(p->out, path);
    print_member(p->out, scan, f);
    if (f->where.inside) /* the compressed record, and where in its content */
        fprintf(p->out, ":0x%" PRIx64 "+0x%" PRIx64 ": ", f->where.wrapper_offset, f->offset);
    else
        fprintf(p->out, ":0x%" PRIx64 ": ", f->offset);
    print_coloured(p, f->severity);
    fprintf(p->out, "%s [%s %s]\n", message.text, info->id, info->name);
}

/* An input that is no capture, or could not be read at all, gets one line and not a list. */
static bool print_no_capture(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    if (scan->recognised)
        return false;
    if (scan->report.nr == 0) { /* the user wanted no findings, or there was no memory for one */
        fputs("perfcheck: ", p->err);
        print_escaped(p->err, path);
        fprintf(p->err, ": %s\n",
                pc_scan_verdict(scan) == PC_UNREADABLE ? "unreadable" : "INVALID: not a capture");
        return true;
    }
    const struct pc_finding *f = &scan->report.finding[scan->report.nr - 1];
    const struct pc_diag_info *info = pc_diag_info(f->id);
    struct buffer message = { .len = 0 };
    put_message(&message, f, true);
    fputs("perfcheck: ", p->err);
    print_escaped(p->err, path);
    print_member(p->err, scan, f);
    fprintf(p->err, ": %s: %s [%s %s]\n", pc_scan_verdict(scan) == PC_UNREADABLE ? "unreadable" : "INVALID",
            message.text, info->id, info->name);
    return true;
}

static const char *plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_suppressed(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        uint64_t n = pc_report_suppressed(&scan->report, (enum pc_diag)id);
        enum pc_severity severity = pc_report_severity(&scan->report, (enum pc_diag)id);
        if (n == 0 || (severity == PC_NOTE && !p->notes))
            continue;
        print_escaped(p->out, path);
        fprintf(p->out, ": %" PRIu64 " more of %s %s\n", n, pc_diag_info((enum pc_diag)id)->id,
                pc_diag_info((enum pc_diag)id)->name);
    }
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
    uint64_t errors = report->by_severity[PC_ERROR], warnings = report->by_severity[PC_WARNING];
    uint64_t notes = report->by_severity[PC_NOTE], records = scan->check.sum.total;
    static const char *const verdicts[] = { "valid", "INVALID", "unreadable" };
    print_escaped(p->out, path);
    fprintf(p->out, ": %s: %" PRIu64 " error%s, %" PRIu64 " warning%s", verdicts[pc_scan_verdict(scan)],
            errors, plural(errors), warnings, plural(warnings));
    if (notes != 0)
        fprintf(p->out, ", %" PRIu64 " note%s", notes, plural(notes));
    fprintf(p->out, " (%s, %s-endian, %" PRIu64 " record%s)\n", container_name(scan), order_name(scan),
            records, plural(records));
}

/* --- JSON --- */

/* Programs that hold numbers as doubles keep 2^53 exactly; larger ones are strings. */
static json_t *number(uint64_t n)
{
    char digits[24];
    if (n <= (uint64_t)1 << 53)
        return json_integer((json_int_t)n);
    snprintf(digits, sizeof(digits), "%" PRIu64, n);
    return json_string(digits);
}

static json_t *string(const char *text)
{
    struct buffer b = { .len = 0 };
    put_escaped(&b, text, false);
    return json_string(b.text);
}

/* An object or array that is printed member by member, so that a long one is never held as a whole. */
struct stream {
    FILE *out;
    bool first;
};

static struct stream open_stream(FILE *out, char bracket)
{
    fputc(bracket, out);
    return (struct stream){ out, true };
}

static void key(struct stream *s, const char *name)
{
    fprintf(s->out, s->first ? "" : ", ");
    if (name)
        fprintf(s->out, "\"%s\": ", name);
    s->first = false;
}

/* Prints the value and gives it back. */
static void member(struct stream *s, const char *name, json_t *value)
{
    key(s, name);
    if (value)
        json_dumpf(value, s->out, JSON_ENCODE_ANY | JSON_COMPACT);
    else
        fputs("null", s->out);
    json_decref(value);
}

static void print_events(struct stream *object, const struct pc_capture *capture)
{
    key(object, "events");
    struct stream array = open_stream(object->out, '[');
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        json_t *types = json_array();
        for (const struct pc_name *n = pc_sample_type_names; n->name; n++) {
            if (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & n->value)
                json_array_append_new(types, json_string(n->name));
        }
        json_t *event = json_object();
        json_object_set_new(event, "name", attr->name ? string(attr->name) : json_null());
        json_object_set_new(event, "type", number(pc_attr_get(attr, PC_ATTR_TYPE)));
        json_object_set_new(event, "config", number(pc_attr_get(attr, PC_ATTR_CONFIG)));
        json_object_set_new(event, "sample_type", types);
        json_object_set_new(event, "ids", number(attr->nr_ids));
        member(&array, NULL, event);
    }
    fputc(']', object->out);
}

static json_t *features_of(const struct pc_capture *capture)
{
    json_t *array = json_array();
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        struct buffer name = { .len = 0 };
        if (!pc_bit(capture->seen, bit))
            continue;
        append_bit(&name, bit);
        json_array_append_new(array, json_string(name.text));
    }
    return array;
}

static json_t *records_of(const struct pc_summary *sum)
{
    json_t *by_type = json_object(), *records = json_object();
    for (uint32_t type = 0; type < PC_TYPES; type++) {
        if (sum->by_type[type] != 0)
            json_object_set_new(by_type, pc_record_info(type)->name, number(sum->by_type[type]));
    }
    for (size_t i = 0; i < sum->nr_unknown; i++) {
        char name[32];
        snprintf(name, sizeof(name), "TYPE_%" PRIu32, sum->unknown[i].type);
        json_object_set_new(by_type, name, number(sum->unknown[i].count));
    }
    if (sum->unknown_rest != 0)
        json_object_set_new(by_type, "TYPE_OTHERS", number(sum->unknown_rest));
    json_object_set_new(records, "total", number(sum->total));
    json_object_set_new(records, "by_type", by_type);
    json_object_set_new(records, "compressed", number(sum->compressed));
    return records;
}

static json_t *finding_of(const struct pc_scan *scan, const struct pc_finding *f)
{
    const struct pc_diag_info *info = pc_diag_info(f->id);
    struct buffer path = { .len = 0 }, seen = { .len = 0 }, expected = { .len = 0 }, message = { .len = 0 };
    struct buffer stream = { .len = 0 };
    json_t *object = json_object();
    put_stream(&stream, scan, &f->where, false);
    put_path(&path, f);
    put_value(&seen, &f->seen, false);
    put_value(&expected, &f->expected, false);
    put_message(&message, f, false);
    json_object_set_new(object, "id", json_string(info->id));
    json_object_set_new(object, "name", json_string(info->name));
    json_object_set_new(object, "severity", json_string(severity_name(f->severity)));
    json_object_set_new(object, "stream", json_string(stream.text));
    json_object_set_new(object, "offset", number(f->offset));
    json_object_set_new(object, "length", number(f->length));
    json_object_set_new(object, "path", json_string(path.text));
    json_object_set_new(object, "seen", json_string(seen.text));
    json_object_set_new(object, "expected", json_string(expected.text));
    json_object_set_new(object, "message", json_string(message.text));
    return object;
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
                            capture->text[texts[i].bit] ? string(capture->text[texts[i].bit]) : json_null());
    json_object_set_new(writer, "cpus", capture->nr_cpus ? number(capture->nr_cpus) : json_null());
    return writer;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static void print_json(const struct pc_printer *p, const char *path, const struct pc_scan *scan, bool info)
{
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.sum;
    const struct pc_report *report = &scan->report;
    struct stream object = open_stream(p->out, '{');

    member(&object, "schema", json_string("perfcheck/1"));
    member(&object, "path", string(path));
    member(&object, "verdict", json_string(verdict_name(scan)));
    member(&object, "container", text_or_null(container_name(scan)));
    member(&object, "byte_order", text_or_null(scan->recognised ? order_name(scan) : NULL));
    member(&object, "version", scan->recognised ? number(capture->version) : json_null());
    member(&object, "size", number(size_of(scan)));
    if (info)
        member(&object, "writer", writer_of(capture));
    member(&object, "attrs", number(capture->nr_attrs));
    print_events(&object, capture);
    member(&object, "features", features_of(capture));
    member(&object, "records", records_of(sum));
    json_t *lost = json_object();
    json_object_set_new(lost, "events", number(sum->lost_events));
    json_object_set_new(lost, "samples", number(sum->lost_samples));
    member(&object, "lost", lost);
    json_t *time = sum->has_time ? json_object() : json_null();
    if (sum->has_time) {
        json_object_set_new(time, "first", number(sum->first_time));
        json_object_set_new(time, "last", number(sum->last_time));
    }
    member(&object, "time", time);
    key(&object, "findings");
    struct stream findings = open_stream(p->out, '[');
    for (size_t i = 0; i < report->nr; i++)
        member(&findings, NULL, finding_of(scan, &report->finding[i]));
    fputc(']', p->out);
    json_t *counts = json_object();
    for (int severity = PC_ERROR; severity >= PC_NOTE; severity--)
        json_object_set_new(counts, severity_name((enum pc_severity)severity),
                            number(report->by_severity[severity]));
    member(&object, "counts", counts);
    json_t *suppressed = json_object();
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        uint64_t n = pc_report_suppressed(report, (enum pc_diag)id);
        if (n != 0)
            json_object_set_new(suppressed, pc_diag_info((enum pc_diag)id)->id, number(n));
    }
    member(&object, "suppressed", suppressed);
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
    print_escaped(out, text);
    fputc('\n', out);
}

/* An event in one line: name, type, what is sampled. */
static void print_event(FILE *out, const struct pc_attr *attr)
{
    const char *separator = "";
    fprintf(out, "  ");
    if (attr->name)
        print_escaped(out, attr->name);
    else
        fprintf(out, "(no name)");
    fprintf(out, "  type %" PRIu64 " config 0x%" PRIx64 ", %" PRIu64 " id%s, ",
            pc_attr_get(attr, PC_ATTR_TYPE), pc_attr_get(attr, PC_ATTR_CONFIG), attr->nr_ids,
            plural(attr->nr_ids));
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
        fprintf(out, "%-12s%" PRIu64 " wrappers\n", "compressed", sum->compressed);
}

static void print_info_text(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.sum;
    FILE *out = p->out;
    const size_t events_shown = 20;

    print_row(out, "capture", path);
    fprintf(out, "%-12s%s: %" PRIu64 " error%s, %" PRIu64 " warning%s\n", "verdict", verdict_name(scan),
            scan->report.by_severity[PC_ERROR], plural(scan->report.by_severity[PC_ERROR]),
            scan->report.by_severity[PC_WARNING], plural(scan->report.by_severity[PC_WARNING]));
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
        struct buffer name = { .len = 0 };
        if (!pc_bit(capture->seen, bit))
            continue;
        append_bit(&name, bit);
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
    fprintf(out, "%-12s%" PRIu64 " events, %" PRIu64 " samples\n", "lost", sum->lost_events,
            sum->lost_samples);
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

void pc_print_explanation(FILE *out, enum pc_diag id)
{
    const struct pc_diag_info *info = pc_diag_info(id);
    fprintf(out, "%s %s (%s)\n    ", info->id, info->name, severity_name(info->severity));
    for (const char *t = info->message; *t; t++) {
        bool value = t[0] == '{' && t[1] && t[2] == '}';
        fputs(value ? "..." : (const char[]){ *t, 0 }, out);
        t += value ? 2 : 0;
    }
    fputs("\n\n   ", out);
    size_t column = 3;
    for (const char *word = info->explanation; *word;) {
        size_t n = strcspn(word, " ");
        if (column + 1 + n > 96) {
            fputs("\n   ", out);
            column = 3;
        }
        column += (size_t)fprintf(out, " %.*s", (int)n, word);
        word += n;
        word += *word == ' ';
    }
    fputs("\n", out);
}
