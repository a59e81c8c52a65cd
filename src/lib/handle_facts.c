/* SPDX-License-Identifier: MIT
 *
 * The public interface: what a capture is and what was seen in it, as numbers and lists.
 */
#include "lib/handle.h"
#include "lib/options_lists.h"

#include "format/tables.h"
#include "read/event_name.h"

#include <stdio.h>
#include <string.h>

/* Bytes of a record that was cut. More may hold records, since a damaged size looks the same. */
#define PART_MAX 512

/* Whether no more than a part of a record is left of the records. Those of an unfinished file end with it. */
static bool is_read_to_its_end(const struct pc_scan *scan)
{
    const struct pc_reader *reader = &scan->reader;
    uint64_t left = reader->skipped;
    if (scan->capture.unfinished && reader->in->kind == PC_INPUT_FILE && !scan->capture.is_directory)
        left += reader->in->size - reader->outer.offset - reader->outer.at;
    return left < PART_MAX && !reader->unsure_end;
}

/* Whether attrs that were behind the data are lost, but EVENT_DESC among the records has them. */
static bool has_attrs_in_data(const struct pc_capture *capture)
{
    return pc_attrs_are_behind(capture) && pc_bit(capture->seen, PC_EVENT_DESC);
}

/* Whether the recording only did not end, or was cut: all records before the end are whole. Features (area
 * 08) of a file may be missing then. */
static bool is_whole_to_its_end(const struct pc_scan *scan)
{
    const struct pc_report *report = &scan->report;
    static const enum pc_diag causes[] = { PC_D_UNFINISHED, PC_D_CUT_DATA, PC_D_CUT_FEATURES, PC_D_STREAM_CUT,
                                           PC_D_CUT_MEMBER };
    static const enum pc_diag ends[] = { PC_D_RECORD_CROSSES_END, PC_D_DATA_LEFTOVER, PC_D_STREAM_CUT };
    if (report->unreadable || pc_report_count(report, causes, PC_COUNT_OF(causes)) == 0 ||
        pc_report_count(report, ends, PC_COUNT_OF(ends)) + report->found[PC_D_RESYNC] > 1)
        return false;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        enum pc_diag id = (enum pc_diag)i;
        bool harmless = id == PC_D_DATA_OUTSIDE ||
                        (pc_diag_area(id) == PC_AREA_FEATURES && !scan->capture.is_pipe) ||
                        pc_diag_is_one_of(id, causes, PC_COUNT_OF(causes)) ||
                        pc_diag_is_one_of(id, ends, PC_COUNT_OF(ends)) ||
                        (id == PC_D_ATTRS_OUTSIDE && has_attrs_in_data(&scan->capture));
        if (report->found[id] != 0 && !harmless && pc_diag_is_damage(id))
            return false;
    }
    return true;
}

/* Records that a copy has. A file without any but those of attrs and features cannot be written; a pipe has
 * these, too, and the end mark of features. */
static uint64_t count_content(const struct pc_scan *scan)
{
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.flow.sum;
    uint64_t n = 0;
    if (capture->is_pipe) {
        const bool unused = pc_bit(capture->seen, PC_COMPRESSED_FEATURE) && sum->compressed == 0;
        const bool unmarked = capture->has_header_features && !capture->features_ended;
        return sum->total + unmarked - unused;
    }
    for (uint32_t index = 0; index < PC_TYPE_ROWS; index++)
        n += pc_record_is(pc_type_at(index), PC_OF_CONTAINER) ? 0 : sum->by_type[index];
    return capture->dir_version != 0 ? n - sum->by_type[PC_FINISHED_ROUND] : n;
}

const perfcheck_summary_t *perfcheck_summary(perfcheck_t *pc)
{
    const struct pc_scan *scan = pc_handle_view(pc);
    if (!scan)
        return NULL;
    const struct pc_capture *capture = &scan->capture;
    const struct pc_summary *sum = &scan->check.flow.sum;
    pc->summary = (perfcheck_summary_t){
        .container = capture->is_directory ? "directory"
                     : !scan->recognised   ? ""
                     : capture->is_pipe    ? "pipe"
                                           : "file",
        .big_endian = capture->order == PC_BIG,
        .by_simpleperf = capture->by_simpleperf,
        .attrs = capture->nr_attrs,
        .records = sum->total,
        .samples = sum->by_type[PC_SAMPLE],
        .recognised = scan->recognised,
        .version = capture->version,
        .unfinished = capture->unfinished,
        .size = pc_scan_size(scan),
        .compressed = sum->compressed,
        .compressed_in = sum->compressed_in,
        .compressed_out = sum->compressed_out,
        .lost_events = sum->lost_events,
        .lost_samples = sum->lost_samples,
        .has_time = sum->has_time,
        .first_time = sum->first_time,
        .last_time = sum->last_time,
        .cpus = capture->nr_cpus,
        .cpus_online = capture->nr_online,
        .has_saved = scan->recognised && is_read_to_its_end(scan) && is_whole_to_its_end(scan),
        .saved = count_content(scan),
        .reader = pc_version_name(scan->report.policy->reader),
        .searched = scan->reader.work,
    };
    return &pc->summary;
}

/* Text of the capture; NULL: there is none. */
static const char *escaped(perfcheck_t *pc, struct pc_buffer *b, const char *text)
{
    pc_buffer_init(b);
    pc_put_escaped(b, text, !pc->keep_controls);
    return text ? b->text : NULL;
}

const perfcheck_event_t *perfcheck_event(perfcheck_t *pc, size_t number)
{
    const struct pc_scan *scan = pc_handle_view(pc);
    if (!scan || number >= scan->capture.nr_attrs)
        return NULL;
    const struct pc_attr *attr = &scan->capture.attr[number];
    char made[PC_LINE_NAME];
    const char *name = pc_known_event_name(&scan->capture, attr, made);
    pc->attr = (perfcheck_event_t){
        .name = escaped(pc, &pc->name, name),
        .by_type = name ? NULL : pc_attr_event_name(&scan->capture, attr, pc->made),
        .type = (uint32_t)pc_attr_get(attr, PC_ATTR_TYPE),
        .type_name = "",
        .config = pc_attr_get(attr, PC_ATTR_CONFIG),
        .sample_type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE),
        .sample_types = pc_buffer_init(&pc->text),
        .period = pc_attr_get(attr, PC_ATTR_PERIOD),
        .is_freq = (pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_FREQ) != 0,
        .ids = attr->nr_ids,
    };
    for (const struct pc_name *n = pc_attr_type_names; n->name; n++) {
        if (n->value == pc->attr.type)
            pc->attr.type_name = n->name;
    }
    for (const struct pc_name *n = pc_sample_type_names; n->name; n++) {
        if (!(pc->attr.sample_type & n->value))
            continue;
        pc_put(&pc->text, pc->text.len != 0 ? "|" : "");
        pc_put(&pc->text, n->name);
    }
    return &pc->attr;
}

/* --- lists --- */

/* Each makes the entry with a number; false: there is none. */
static bool find_type(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    const struct pc_summary *sum = &scan->check.flow.sum;
    for (uint32_t index = 0; index < PC_TYPE_ROWS; index++) {
        if (sum->by_type[index] == 0 || number-- != 0)
            continue;
        const char *name = pc_type_name(pc_type_at(index), pc->number);
        pc->entry = (perfcheck_entry_t){ name, NULL, sum->by_type[index] };
        return true;
    }
    if (number < sum->nr_unknown)
        pc->entry = (perfcheck_entry_t){ pc_type_name(sum->unknown[number].type, pc->number), NULL,
                                         sum->unknown[number].count };
    else
        pc->entry = (perfcheck_entry_t){ "TYPE_OTHERS", NULL, sum->unknown_rest };
    return number < sum->nr_unknown || (number == sum->nr_unknown && sum->unknown_rest != 0);
}

/* Records of a type: those that perfcheck knows come first. */
static struct pc_unknown_type type_at(const struct pc_summary *sum, uint32_t index)
{
    if (index < PC_TYPE_ROWS)
        return (struct pc_unknown_type){ pc_type_at(index), sum->by_type[index] };
    return sum->unknown[index - PC_TYPE_ROWS];
}

static bool find_drop(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    const struct pc_version_knows *reader = pc_version_knows(scan->report.policy->reader);
    const struct pc_summary *sum = &scan->check.flow.sum;
    for (uint32_t index = 0; reader && index < PC_TYPE_ROWS + sum->nr_unknown; index++) {
        const struct pc_unknown_type type = type_at(sum, index);
        if (type.count == 0 || !pc_edit_needs_drop(reader, type.type) || number-- != 0)
            continue;
        pc_content_name_record(type.type, pc->option, sizeof(pc->option));
        pc->entry = (perfcheck_entry_t){ pc->option, NULL, type.count };
        return true;
    }
    if (!reader || reader->feature >= PC_E_MACHINE || number != 0 || !pc_edit_misreads_cpuid(&scan->capture))
        return false;
    snprintf(pc->option, sizeof(pc->option), "feature:%s", pc_feature_name(PC_CPUID, pc->number));
    pc->entry = (perfcheck_entry_t){ pc->option, NULL, 0 };
    return true;
}

static bool find_feature(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    const struct pc_capture *capture = &scan->capture;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(capture->seen, bit) || number-- != 0)
            continue;
        const char *text = bit < PC_COUNT_OF(capture->text) ? capture->text[bit] : NULL;
        pc->entry =
            (perfcheck_entry_t){ pc_feature_name(bit, pc->number), escaped(pc, &pc->text, text), bit };
        return true;
    }
    return false;
}

static bool find_member(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    const struct pc_directory *dir = &scan->reader.directory;
    for (size_t i = 0; i < dir->nr; i++) {
        if (dir->member[i].kind == PC_MEMBER_KCORE || number-- != 0) /* its files are members of their own */
            continue;
        pc->entry = (perfcheck_entry_t){ .name = escaped(pc, &pc->name, dir->member[i].name) };
        pc->entry.number = dir->member[i].size;
        return true;
    }
    return false;
}

/* The entry of the number-th id with a count. */
static bool find_id(perfcheck_t *pc, const struct pc_scan *scan, size_t number,
                    uint64_t (*count_of)(const struct pc_report *, enum pc_diag))
{
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        const struct pc_diag_info *info = pc_diag_info((enum pc_diag)id);
        uint64_t count = count_of(&scan->report, (enum pc_diag)id);
        if (count == 0 || number-- != 0)
            continue;
        pc->entry = (perfcheck_entry_t){ info->id, info->name, count };
        return true;
    }
    return false;
}

static bool find_suppressed(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    return find_id(pc, scan, number, pc_report_suppressed);
}

static uint64_t count_of(const struct pc_report *report, enum pc_diag id)
{
    return report->by_id[id];
}

static uint64_t accepted_of(const struct pc_report *report, enum pc_diag id)
{
    uint64_t all = report->found[id], most = report->policy->accepted[id];
    return report->policy->disabled[id] ? 0 : all < most ? all : most;
}

static bool find_accepted(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    return find_id(pc, scan, number, accepted_of);
}

static bool find_found(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    return find_id(pc, scan, number, count_of);
}

static bool find_reader(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    for (unsigned version = PC_BY_5_10; version <= PC_BY_7_2; version <<= 1) {
        const char *name = pc_version_name((enum pc_versions)version) + strlen("perf ");
        bool reads = true;
        for (int id = 1; id < PC_DIAG_COUNT; id++) {
            enum pc_reading reading =
                pc_report_reading(&scan->report, (enum pc_diag)id, (enum pc_versions)version);
            reads &= reading == PC_READS;
            if (reading == PC_READS || number-- != 0)
                continue;
            pc->entry = (perfcheck_entry_t){ name, pc_diag_info((enum pc_diag)id)->id, reading };
            return true;
        }
        if (reads && number-- == 0) {
            pc->entry = (perfcheck_entry_t){ name, NULL, PC_READS };
            return true;
        }
    }
    return false;
}

static bool find_demand(perfcheck_t *pc, const struct pc_scan *scan, size_t number)
{
    static_assert(sizeof(pc->option) >= PC_DEMAND_MAX, "room for each");
    (void)scan;
    pc->entry = (perfcheck_entry_t){ .name = pc->option };
    return pc_option_demand(number, pc->option);
}

const perfcheck_entry_t *perfcheck_entry(perfcheck_t *pc, perfcheck_list_t list, size_t number)
{
    static bool (*const find[])(perfcheck_t *, const struct pc_scan *, size_t) = {
        [PERFCHECK_RECORD_TYPES] = find_type, [PERFCHECK_FEATURES] = find_feature,
        [PERFCHECK_MEMBERS] = find_member,    [PERFCHECK_SUPPRESSED] = find_suppressed,
        [PERFCHECK_READERS] = find_reader,    [PERFCHECK_IDS] = find_found,
        [PERFCHECK_ACCEPTED] = find_accepted, [PERFCHECK_DROPS] = find_drop,
        [PERFCHECK_DEMANDS] = find_demand,
    };
    const struct pc_scan *scan = pc_handle_view(pc);
    bool is_there = scan || (pc && list == PERFCHECK_DEMANDS);
    bool found = is_there && (unsigned)list < PC_COUNT_OF(find) && find[list](pc, scan, number);
    return found ? &pc->entry : NULL;
}

/* --- texts --- */

perfcheck_status_t perfcheck_keep_controls(perfcheck_t *pc, int keep)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    pc->keep_controls = pc->fields.value.keep_controls = keep != 0;
    return pc_handle_good(pc);
}

size_t perfcheck_escape(const char *text, int keep_controls, char *to, size_t size)
{
    if (!text || !to || size < 33)
        return 0;
    return pc_escape_some(text, keep_controls == 0, to, size);
}
