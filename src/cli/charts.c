/* SPDX-License-Identifier: MIT */
#include "cli/charts.h"
#include "base/base.h"
#include "cli/html.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

#define WIDE        10000 /* of a map, in units of its own */
#define CELLS       96    /* cells of a map are joined up to this part of it ... */
#define CELLS_BRIEF 12    /* ... and of a brief one, up to this */

static const char *const groups[PC_GROUPS] = {
    [PC_GROUP_HEADER] = "header",
    [PC_GROUP_ATTRS] = "attrs and ids",
    [PC_GROUP_SAMPLES] = "samples",
    [PC_GROUP_TASKS] = "tasks and mappings",
    [PC_GROUP_KERNEL] = "other records of the kernel",
    [PC_GROUP_PERF] = "records that perf makes up",
    [PC_GROUP_COMPRESSED] = "compressed records",
    [PC_GROUP_PAYLOAD] = "AUX traces and trace data",
    [PC_GROUP_FEATURES] = "features",
};

static unsigned scale(uint64_t n, uint64_t all, unsigned wide)
{
    return n >= all ? wide : (unsigned)((double)n / (double)all * wide);
}

/* --- the map --- */

/* Cells that are drawn as one. */
struct run {
    uint64_t from, to; /* offsets */
    uint64_t bytes[PC_GROUPS], records;
    int group; /* of most bytes; -1: of no group */
};

static int group_of_most(const struct run *run)
{
    int most = -1;
    for (int g = 0; g < PC_GROUPS; g++) {
        if (run->bytes[g] > (most < 0 ? 0 : run->bytes[most]))
            most = g;
    }
    return most;
}

static void read_cell(const struct pc_map *map, uint64_t number, struct run *run)
{
    *run = (struct run){ .from = number << map->at.shift, .to = (number + 1) << map->at.shift };
    if (run->to > map->end)
        run->to = map->end;
    for (int g = 0; g < PC_GROUPS; g++)
        run->bytes[g] = pc_buckets_get(&map->at, (size_t)g, number);
    run->group = group_of_most(run);
    run->records = pc_buckets_get(&map->at, PC_GROUPS, number);
}

static void print_run(const struct pc_charted *c, const struct pc_map *map, const struct run *run)
{
    unsigned x = scale(run->from, map->end, WIDE), past = scale(run->to, map->end, WIDE);
    fprintf(c->out, "<rect x=\"%u\" width=\"%u\" class=\"", x, past - x);
    fprintf(c->out, run->group < 0 ? "gap" : "g%d", run->group);
    fprintf(c->out, "\"><title>0x%" PRIx64 " to 0x%" PRIx64 ": ", run->from, run->to);
    uint64_t all = run->to - run->from, left = all;
    const char *between = "";
    for (int g = 0; g < PC_GROUPS; g++) {
        if (run->bytes[g] == 0)
            continue;
        left -= run->bytes[g] < left ? run->bytes[g] : left;
        fputs(between, c->out);
        if (!c->brief)
            fprintf(c->out, "%" PRIu64 " bytes of ", run->bytes[g]);
        fputs(groups[g], c->out);
        between = ", ";
    }
    if (left == all && c->brief)
        fputs("none of these", c->out);
    else if (left != 0 && !c->brief)
        fprintf(c->out, "%s%" PRIu64 " bytes of none of these", between, left);
    if (run->records != 0)
        fprintf(c->out, "; %" PRIu64 " record%s", run->records, pc_plural(run->records));
    fputs("</title></rect>\n", c->out);
}

static void add_cell(struct run *run, const struct run *cell)
{
    for (int g = 0; g < PC_GROUPS; g++)
        run->bytes[g] += cell->bytes[g];
    run->records += cell->records;
    run->to = cell->to;
    run->group = group_of_most(run);
}

/* Whether a cell belongs to the run before it: in a brief map up to some width, whatever their groups. */
static bool joins(const struct pc_charted *c, const struct pc_map *map, const struct run *run,
                  const struct run *cell)
{
    if (c->brief)
        return run->to - run->from < map->end / CELLS_BRIEF;
    return cell->group == run->group && cell->to - run->from <= map->end / CELLS;
}

static void print_runs(const struct pc_charted *c, const struct pc_map *map)
{
    struct run run, cell;
    read_cell(map, 0, &run);
    for (uint64_t n = 1; n << map->at.shift < map->end; n++) {
        read_cell(map, n, &cell);
        if (joins(c, map, &run, &cell)) {
            add_cell(&run, &cell);
        } else {
            print_run(c, map, &run);
            run = cell;
        }
    }
    print_run(c, map, &run);
}

/* Where a finding is in its file. */
static uint64_t place_of(const perfcheck_finding_t *f)
{
    return f->in_compressed ? f->record_offset : f->offset;
}

/* The name of its file; "": it is about a directory as a whole. */
static const char *file_of(const struct pc_charted *c, const perfcheck_finding_t *f)
{
    return *f->member || c->survey->is_directory ? f->member : "data";
}

static bool is_in(const struct pc_charted *c, const struct pc_map *map, const perfcheck_finding_t *f)
{
    return strcmp(map->name, file_of(c, f)) == 0;
}

static void print_mark(const struct pc_charted *c, const struct pc_map *map, uint64_t i,
                       const perfcheck_finding_t *f)
{
    static const unsigned high[] = { 8, 12, 64 }; /* by severity, so that not the colour alone tells it */
    uint64_t at = place_of(f), length = f->in_compressed ? 0 : f->length;
    uint64_t end = length < UINT64_MAX - at ? at + length : UINT64_MAX;
    unsigned x = scale(at, map->end, WIDE), past = scale(end, map->end, WIDE), tall = high[f->severity];
    fprintf(c->out,
            "<a href=\"#f%" PRIu64 "-%" PRIu64 "\"><rect id=\"m%" PRIu64 "-%" PRIu64 "\" class=\"m %s\"",
            c->number, i, c->number, i, pc_severity_name(f->severity));
    fprintf(c->out,
            " x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" data-offset=\"0x%" PRIx64 "\"><title>0x%" PRIx64
            ": %s: ",
            x, 64 - tall, past > x ? past - x : 1, tall, at, at, pc_severity_name(f->severity));
    if (c->brief) /* the list has its message, once */
        fprintf(c->out, "%s %s", f->id, f->name);
    else
        pc_html_text(c->out, f->message);
    fputs("</title></rect></a>\n", c->out);
}

/* Notes first: errors are above them. */
static void print_marks(const struct pc_charted *c, const struct pc_map *map)
{
    const perfcheck_finding_t *f;
    for (int severity = PERFCHECK_NOTE; severity <= PERFCHECK_ERROR; severity++) {
        for (size_t i = 0; i < c->findings && (f = perfcheck_finding(c->pc, i)) != NULL; i++) {
            if ((int)f->severity == severity && is_in(c, map, f))
                print_mark(c, map, i, f);
        }
    }
}

static void print_key_of_group(FILE *out, int g)
{
    fprintf(out,
            "<li><svg viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect class=\"g%d\" width=\"9\" "
            "height=\"9\"/></svg>%s</li>",
            g, groups[g]);
}

static void print_key_of_mark(FILE *out, int severity)
{
    const char *name = pc_severity_name((perfcheck_severity_t)severity);
    fprintf(out,
            "<li><svg viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect class=\"m %s\" x=\"3\" "
            "width=\"3\" height=\"9\"/></svg>%s</li>",
            name, name);
}

static void print_key(const struct pc_charted *c, const struct pc_map *map)
{
    uint64_t seen[3] = { 0 };
    const perfcheck_finding_t *f;
    fputs("<ul class=\"key\">", c->out);
    for (int g = 0; g < PC_GROUPS; g++) {
        if (map->bytes[g] != 0)
            print_key_of_group(c->out, g);
    }
    for (size_t i = 0; i < c->findings && (f = perfcheck_finding(c->pc, i)) != NULL; i++)
        seen[f->severity] += is_in(c, map, f);
    for (int s = PERFCHECK_ERROR; s >= PERFCHECK_NOTE; s--) {
        if (seen[s] != 0)
            print_key_of_mark(c->out, s);
    }
    fputs("</ul>\n", c->out);
}

void pc_chart_key(FILE *out)
{
    fputs("<p>Maps are to scale. Point at one, or use Tab and the arrow keys.</p>\n<ul class=\"key\">", out);
    for (int g = 0; g < PC_GROUPS; g++)
        print_key_of_group(out, g);
    for (int s = PERFCHECK_ERROR; s >= PERFCHECK_NOTE; s--)
        print_key_of_mark(out, s);
    fputs("</ul>\n", out);
}

static void print_map(const struct pc_charted *c, const struct pc_map *map)
{
    fputs("<figure><figcaption>", c->out);
    pc_html_text(c->out, map->name);
    fputs(": ", c->out);
    pc_html_size(c->out, map->end);
    fputs("</figcaption>\n<svg class=\"map keys\" role=\"group\" viewBox=\"0 0 10000 64\" "
          "preserveAspectRatio=\"none\" aria-label=\"Map of ",
          c->out);
    pc_html_text(c->out, map->name);
    fputs(c->brief ? "\">\n" : " to scale; arrow keys move\">\n", c->out);
    print_runs(c, map);
    print_marks(c, map);
    fputs("</svg>\n", c->out);
    if (!c->brief) {
        fprintf(c->out,
                "<div class=\"ends\" aria-hidden=\"true\"><span>0x0</span><span>0x%" PRIx64 "</span></div>\n",
                map->end);
        print_key(c, map);
    }
    fprintf(c->out, "<output>%s</output></figure>\n",
            c->brief ? "" : "Point at the map, or use Tab and the arrow keys.");
}

/* One row of the table, after its head and places. */
static void print_amount(const struct pc_charted *c, const struct pc_map *map, uint64_t bytes,
                         uint64_t records)
{
    pc_html_number(c->out, bytes);
    pc_html_bar(c->out, bytes, map->end);
    pc_html_number(c->out, records);
    fputs("</tr>\n", c->out);
}

/* The rows add up to the file, unless parts overlap. The last one has padding, and what no part has: it may
 * be in many places. */
static void print_parts(const struct pc_charted *c, const struct pc_map *map)
{
    uint64_t all = 0;
    pc_html_table(c->out, "What is where", "Part|>From|>To|>Bytes|Of the file||>Records");
    for (int g = 0; g < PC_GROUPS; g++) {
        if (map->bytes[g] == 0)
            continue;
        all = pc_add_saturated(all, map->bytes[g]);
        fprintf(c->out,
                "<tr><th scope=\"row\">%s</th><td class=\"n\">0x%" PRIx64 "</td><td class=\"n\">0x%" PRIx64
                "</td>",
                groups[g], map->first[g], map->past[g]);
        print_amount(c, map, map->bytes[g], map->records[g]);
    }
    if (all < map->end) {
        fputs("<tr><th scope=\"row\">none of these</th><td></td><td></td>", c->out);
        print_amount(c, map, map->end - all, 0);
    }
    pc_html_end_table(c->out);
    if (all > map->end)
        fprintf(c->out, "<p class=\"soft\">Parts overlap, by %" PRIu64 " bytes or more.</p>\n",
                all - map->end);
}

static bool has_mark(const struct pc_charted *c, const struct pc_map *map)
{
    const perfcheck_finding_t *f;
    for (size_t i = 0; i < c->findings && (f = perfcheck_finding(c->pc, i)) != NULL; i++) {
        if (is_in(c, map, f))
            return true;
    }
    return false;
}

void pc_chart_maps(const struct pc_charted *c, bool parts)
{
    for (size_t i = 0; i < c->survey->nr_maps; i++) {
        if (c->survey->map[i]->end == 0 || (c->brief && !has_mark(c, c->survey->map[i])))
            continue;
        print_map(c, c->survey->map[i]);
        if (parts)
            print_parts(c, c->survey->map[i]);
    }
    if (c->survey->more_maps && !c->brief)
        fprintf(c->out, "<p class=\"soft\">More members follow; only the first %d have a map.</p>\n",
                PC_MAPS_MAX);
}

bool pc_chart_has(const struct pc_charted *c, const perfcheck_finding_t *f)
{
    const struct pc_map *map = pc_survey_map(c->survey, file_of(c, f));
    return map && map->end != 0;
}

/* --- over time --- */

static uint64_t most_of(const struct pc_survey *s, size_t from, size_t to, size_t column)
{
    uint64_t most = 0;
    for (size_t cpu = from; cpu < to; cpu++) {
        for (uint64_t n = s->times.first; s->times.any && n <= s->times.last; n++) {
            uint64_t one = pc_survey_shown(s, cpu, column, n);
            most = one > most ? one : most;
        }
    }
    return most;
}

/* What it is is never nothing on the chart. */
static unsigned height(uint64_t n, uint64_t most)
{
    unsigned high = most == 0 ? 0 : scale(n, most, 100);
    return high == 0 && n != 0 ? 1 : high;
}

static void print_series(const struct pc_charted *c, size_t cpu, size_t column, uint64_t most, unsigned tall)
{
    static const char *const classes[] = { "all", "smp", "lost" };
    const struct pc_survey *s = c->survey;
    unsigned last = 0;
    if (most == 0)
        return;
    fprintf(c->out, "<path class=\"%s\" d=\"M0 100", classes[column]);
    for (uint64_t n = s->times.first; n <= s->times.last; n++) {
        unsigned high = height(pc_survey_shown(s, cpu, column, n), most) * tall / 100;
        if (high == 0 && pc_survey_shown(s, cpu, column, n) != 0)
            high = 1;
        if (high != last)
            fprintf(c->out, "H%" PRIu64 "V%u", n - s->times.first, 100 - high);
        last = high;
    }
    fprintf(c->out, "H%" PRIu64 "V100Z\"/>", s->times.last - s->times.first + 1);
}

static void print_all_series(const struct pc_charted *c, size_t cpu, const uint64_t *most)
{
    print_series(c, cpu, PC_TIME_OTHERS, most[PC_TIME_OTHERS], 100);
    print_series(c, cpu, PC_TIME_SAMPLES, most[PC_TIME_OTHERS], 100);
    print_series(c, cpu, PC_TIME_LOST, most[PC_TIME_LOST], 30);
}

/* Nanoseconds from the first bucket on, as seconds. */
static void print_seconds(FILE *out, uint64_t ns)
{
    fprintf(out, "%" PRIu64 ".%06" PRIu64 " s", ns / 1000000000, ns % 1000000000 / 1000);
}

static void print_whole(const struct pc_charted *c)
{
    const struct pc_survey *s = c->survey;
    uint64_t most[PC_TIME_COLUMNS], nr = s->times.last - s->times.first + 1;
    for (size_t column = 0; column < PC_TIME_COLUMNS; column++)
        most[column] = most_of(s, s->nr_cpus, s->nr_cpus + 1, column);
    fprintf(c->out,
            "<figure><figcaption>All CPUs</figcaption>\n<svg class=\"time keys\" role=\"group\" "
            "aria-label=\"Records over time; arrow keys move\" viewBox=\"0 0 %" PRIu64
            " 100\" preserveAspectRatio=\"none\">\n",
            nr);
    print_all_series(c, s->nr_cpus, most);
    for (uint64_t i = 0; i < nr; i++) {
        uint64_t n = s->times.first + i;
        fprintf(c->out, "\n<rect class=\"hit\" x=\"%" PRIu64 "\" width=\"1\" height=\"100\"><title>", i);
        print_seconds(c->out, i << s->times.shift);
        fprintf(c->out, ": %" PRIu64 " samples, %" PRIu64 " other records, %" PRIu64 " lost</title></rect>",
                pc_survey_amount(s, s->nr_cpus, PC_TIME_SAMPLES, n),
                pc_survey_amount(s, s->nr_cpus, PC_TIME_OTHERS, n),
                pc_survey_amount(s, s->nr_cpus, PC_TIME_LOST, n));
    }
    fputs("</svg>\n<div class=\"ends\"><span>0 s is the time ", c->out);
    print_seconds(c->out, s->times.first << s->times.shift);
    fputs("</span><span>", c->out);
    print_seconds(c->out, nr << s->times.shift);
    fputs("</span></div>\n<ul class=\"key\">"
          "<li><svg viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect class=\"smp\" width=\"9\" "
          "height=\"9\"/></svg>samples</li>"
          "<li><svg viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect class=\"all\" width=\"9\" "
          "height=\"9\"/></svg>other records</li>"
          "<li><svg viewBox=\"0 0 9 9\" aria-hidden=\"true\"><rect class=\"lost\" width=\"9\" "
          "height=\"9\"/></svg>lost</li></ul>\n"
          "<output>Point at the chart, or use Tab and the arrow keys.</output></figure>\n",
          c->out);
}

static void print_cpu(const struct pc_charted *c, size_t cpu, const uint64_t *most)
{
    const struct pc_survey *s = c->survey;
    const struct pc_cpu_facts *facts = &s->cpus[cpu];
    fputs("<tr><th scope=\"row\">", c->out);
    if (cpu >= PC_CPU_FIRST)
        fprintf(c->out, "CPU %" PRIu64, facts->cpu);
    else
        fputs(cpu == PC_CPU_UNKNOWN ? "not recorded" : "others", c->out);
    fputs("</th><td class=\"c\">", c->out);
    if (s->times.any) {
        fprintf(c->out,
                "<svg viewBox=\"0 0 %" PRIu64 " 100\" preserveAspectRatio=\"none\" aria-hidden=\"true\">",
                s->times.last - s->times.first + 1);
        print_all_series(c, cpu, most);
        fputs("</svg>", c->out);
    }
    fputs("</td>", c->out);
    pc_html_number(c->out, facts->sum[PC_TIME_SAMPLES]);
    pc_html_number(c->out, facts->sum[PC_TIME_OTHERS]);
    pc_html_number(c->out, facts->sum[PC_TIME_LOST]);
    fputs("</tr>\n", c->out);
}

void pc_chart_times(const struct pc_charted *c)
{
    const struct pc_survey *s = c->survey;
    uint64_t most[PC_TIME_COLUMNS];
    size_t cpus[PC_CPU_PLACES], nr;
    if (s->times.any)
        print_whole(c);
    else
        fputs("<p>No record has a time.</p>\n", c->out);
    for (size_t column = 0; column < PC_TIME_COLUMNS; column++)
        most[column] = most_of(s, 0, s->nr_cpus, column);
    pc_html_table(c->out, "Records of the kernel by CPU", "CPU|Over time|>Samples|>Other records|>Lost");
    nr = pc_survey_cpus(s, cpus);
    for (size_t i = 0; i < nr; i++)
        print_cpu(c, cpus[i], most);
    pc_html_end_table(c->out);
}
