/* SPDX-License-Identifier: MIT
 *
 * The command `info`: what a capture is, in one screen.
 */
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/show.h"

#include <inttypes.h>

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
                sum->compressed_out, pc_ratio_of(sum) / 100, pc_ratio_of(sum) % 100);
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
    fprintf(out, "%-12s%s: %" PRIu64 " error%s, %" PRIu64 " warning%s\n", "verdict", pc_verdict_name(scan),
            scan->report.by_severity[PC_ERROR], pc_plural(scan->report.by_severity[PC_ERROR]),
            scan->report.by_severity[PC_WARNING], pc_plural(scan->report.by_severity[PC_WARNING]));
    fprintf(out, "%-12s%s, %s-endian, version %u, %" PRIu64 " bytes\n", "container", pc_container_name(scan),
            pc_order_name(scan), capture->version, pc_size_of(scan));
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

void pc_print_info(const struct pc_printer *p, const char *path, const struct pc_scan *scan)
{
    if (p->format != PC_FORMAT_TEXT) {
        pc_print_json(p->out, path, scan, true);
        fputc('\n', p->out);
    } else if (!pc_print_nothing(p, path, scan)) {
        print_info_text(p, path, scan);
    }
}

enum pc_status pc_command_info(struct pc_arguments *a, char **operand, int nr)
{
    (void)nr;
    pc_command_show_progress(a);
    struct pc_scan *scan = pc_command_begin_scan(a, "reading");
    pc_scan_path(scan, operand[0]);
    pc_print_info(&a->printer, operand[0], scan);
    enum pc_status status = pc_command_status_shown(scan);
    pc_command_end_scan(scan);
    return status;
}
