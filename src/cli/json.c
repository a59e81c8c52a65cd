/* SPDX-License-Identifier: MIT
 *
 * A capture as a JSON object, for check and info.
 */
#include "cli/print.h"
#include "cli/facts.h"
#include "cli/show.h"

#include <inttypes.h>

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

static json_t *compression_of(const struct pc_summary *sum)
{
    if (sum->compressed == 0)
        return json_null();
    char ratio[32];
    snprintf(ratio, sizeof(ratio), "%" PRIu64 ".%02" PRIu64, pc_ratio_of(sum) / 100, pc_ratio_of(sum) % 100);
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

void pc_print_json(FILE *out, const char *path, const struct pc_scan *scan, bool info)
{
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.sum;
    const struct pc_report *report = &scan->report;
    struct pc_stream object = pc_stream_open(out, '{');

    pc_stream_member(&object, "schema", json_string("perfcheck/1"));
    pc_stream_member(&object, "path", pc_json_string(path));
    pc_stream_member(&object, "verdict", json_string(pc_verdict_name(scan)));
    pc_stream_member(&object, "container", text_or_null(pc_container_name(scan)));
    pc_stream_member(&object, "byte_order", text_or_null(scan->recognised ? pc_order_name(scan) : NULL));
    pc_stream_member(&object, "version", scan->recognised ? pc_json_number(capture->version) : json_null());
    pc_stream_member(&object, "size", pc_json_number(pc_size_of(scan)));
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
    struct pc_stream findings = pc_stream_open(out, '[');
    for (size_t i = 0; i < report->nr; i++) {
        pc_stream_key(&findings, NULL);
        pc_print_json_finding(out, &report->finding[i]);
    }
    fputc(']', out);
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
    fputc('}', out);
}
