/* SPDX-License-Identifier: MIT */
#include "cli/page.h"
#include "base/base.h"
#include "cli/html.h"
#include "cli/print.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

#define FINDINGS_WHOLE 300
#define FINDINGS_SHORT 3
#define TASKS_SHOWN    200
#define LINES          20 /* of members */

/* --- what it is --- */

static void print_verdict(const struct pc_charted *c)
{
    const perfcheck_summary_t *sum = perfcheck_summary(c->pc);
    const char *verdict = pc_verdict_name(perfcheck_verdict(c->pc));
    fprintf(c->out, "<p><span class=\"v %s\">%s</span>", verdict, verdict);
    for (int s = PERFCHECK_ERROR; s >= PERFCHECK_NOTE; s--) {
        uint64_t nr = perfcheck_count(c->pc, (perfcheck_severity_t)s);
        fprintf(c->out, "%s%" PRIu64 " %s%s", s == PERFCHECK_ERROR ? ": " : ", ", nr,
                pc_severity_name((perfcheck_severity_t)s), pc_plural(nr));
    }
    pc_print_accepted(c->out, c->pc);
    if (sum->recognised)
        fprintf(c->out, " (%s, %s-endian, %" PRIu64 " record%s, %" PRIu64 " sample%s)", sum->container,
                pc_order_name(sum), sum->records, pc_plural(sum->records), sum->samples,
                pc_plural(sum->samples));
    else
        fputs(" (not recognised as a capture)", c->out);
    fputs("</p>\n", c->out);
}

static void print_hint(const struct pc_charted *c, const char *path)
{
    struct pc_hint hint;
    if (!pc_hint(c->pc, path, &hint))
        return;
    fputs("<p>Next: <code>", c->out);
    pc_html_path(c->out, hint.command);
    fputs("</code>", c->out);
    if (hint.saves != 0)
        fprintf(c->out, " saves %" PRIu64 " record%s", hint.saves, pc_plural(hint.saves));
    fputs("</p>\n", c->out);
}

static void print_fact(const struct pc_charted *c, const char *name, const char *value)
{
    fprintf(c->out, "<dt>%s</dt><dd>", name);
    pc_html_text(c->out, value);
    fputs("</dd>\n", c->out);
}

static void print_times(const struct pc_charted *c, const perfcheck_summary_t *sum)
{
    if (!sum->has_time)
        return;
    fputs("<dt>samples</dt><dd>", c->out);
    pc_print_seconds(c->out, sum->first_time);
    fputs(" to ", c->out);
    pc_print_seconds(c->out, sum->last_time);
    fputs(" (", c->out);
    pc_print_seconds(c->out, sum->last_time - sum->first_time);
    fputs(")</dd>\n", c->out);
}

static void print_list(const struct pc_charted *c, const char *name, perfcheck_list_t list)
{
    const perfcheck_entry_t *e;
    size_t i;
    for (i = 0; (e = perfcheck_entry(c->pc, list, i)) != NULL; i++) {
        if (i == 0)
            fprintf(c->out, "<dt>%s</dt><dd>", name);
        if (list == PERFCHECK_MEMBERS && i >= LINES)
            continue;
        fputs(i == 0 ? "" : ", ", c->out);
        pc_html_text(c->out, e->name);
        if (list == PERFCHECK_MEMBERS)
            fprintf(c->out, " %" PRIu64, e->number);
    }
    if (list == PERFCHECK_MEMBERS && i > LINES)
        fprintf(c->out, ", and %zu more", i - LINES);
    if (i != 0)
        fputs("</dd>\n", c->out);
}

static void print_facts(const struct pc_charted *c)
{
    const perfcheck_summary_t *sum = perfcheck_summary(c->pc);
    fprintf(c->out, "<h3>Capture</h3>\n<dl>\n<dt>container</dt><dd>%s, %s-endian, version %" PRIu32 ", ",
            sum->container, pc_order_name(sum), sum->version);
    pc_html_size(c->out, sum->size);
    fputs("</dd>\n", c->out);
    if (sum->unfinished)
        print_fact(c, "state", "the recording was not finished");
    for (size_t i = 0; pc_info_texts[i].name; i++) {
        const char *text = pc_writer_text(c->pc, pc_info_texts[i].feature);
        if (text)
            print_fact(c, pc_info_texts[i].name, text);
    }
    if (sum->cpus != 0)
        fprintf(c->out, "<dt>cpus</dt><dd>%" PRIu64 " online, %" PRIu64 " available</dd>\n", sum->cpus_online,
                sum->cpus);
    print_times(c, sum);
    fprintf(c->out, "<dt>lost</dt><dd>%" PRIu64 " event%s, %" PRIu64 " sample%s</dd>\n", sum->lost_events,
            pc_plural(sum->lost_events), sum->lost_samples, pc_plural(sum->lost_samples));
    if (sum->compressed != 0)
        fprintf(c->out,
                "<dt>compressed</dt><dd>%" PRIu64 " record%s, %" PRIu64 " bytes in, %" PRIu64
                " bytes out, ratio %" PRIu64 ".%02" PRIu64 "</dd>\n",
                sum->compressed, pc_plural(sum->compressed), sum->compressed_in, sum->compressed_out,
                pc_ratio_of(sum) / 100, pc_ratio_of(sum) % 100);
    print_list(c, "features", PERFCHECK_FEATURES);
    print_list(c, "members", PERFCHECK_MEMBERS);
    fputs("</dl>\n", c->out);
}

/* --- how much --- */

static void print_type(const struct pc_charted *c, const struct pc_type_facts *type, uint64_t all)
{
    if (type->records == 0)
        return;
    fputs("<tr><th scope=\"row\">", c->out);
    pc_html_text(c->out, type->name);
    fputs("</th>", c->out);
    pc_html_number(c->out, type->records);
    pc_html_number(c->out, type->bytes);
    pc_html_bar(c->out, type->bytes, all);
    fputs("</tr>\n", c->out);
}

static void print_types(const struct pc_charted *c)
{
    uint64_t all = 0;
    for (size_t i = 0; i < PC_TYPE_PLACES; i++)
        all += c->survey->type[i].bytes;
    fputs("<h3>Records</h3>\n", c->out);
    pc_html_table(c->out, "By type; what compressed records hold counts too",
                  "Type|>Records|>Bytes|Of all bytes|");
    for (size_t i = 0; i < PC_TYPE_PLACES; i++)
        print_type(c, &c->survey->type[i], all);
    pc_html_end_table(c->out);
}

/* The samples of an event by its name; NULL: there are none, or it has no name. */
static const struct pc_event_facts *samples_of(const struct pc_survey *s, const char *name)
{
    for (size_t i = 0; name && *name && i < s->nr_events; i++) {
        if (strncmp(s->event[i].name, name, sizeof(s->event[i].name) - 1) == 0)
            return &s->event[i];
    }
    return NULL;
}

/* The last cells of a row. */
static void print_samples(const struct pc_charted *c, const struct pc_event_facts *facts, uint64_t all)
{
    pc_html_number(c->out, facts->samples);
    pc_html_number(c->out, facts->bytes);
    pc_html_bar(c->out, facts->bytes, all);
    pc_html_number(c->out, facts->period);
    fputs("</tr>\n", c->out);
}

static void print_event(const struct pc_charted *c, const perfcheck_event_t *e, uint64_t all)
{
    const struct pc_event_facts none = { .samples = 0 }, *facts = samples_of(c->survey, e->name);
    fputs("<tr><th scope=\"row\">", c->out);
    pc_html_text(c->out, e->name ? e->name : e->by_type ? e->by_type : "(no name)");
    fprintf(c->out, "</th><td class=\"l\">%" PRIu32 " ", e->type);
    pc_html_text(c->out, e->type_name);
    fprintf(c->out,
            "</td><td class=\"n\">0x%" PRIx64 "</td><td class=\"n\">%s %" PRIu64 "</td><td class=\"w\">",
            e->config, e->is_freq ? "freq" : "period", e->period);
    for (const char *word = e->sample_types; *word; word++)
        fputc(*word == '|' ? ' ' : *word, c->out);
    fputs("</td>", c->out);
    pc_html_number(c->out, e->ids);
    print_samples(c, facts ? facts : &none, all);
}

static bool is_listed(const struct pc_charted *c, const char *name)
{
    const perfcheck_event_t *e;
    for (size_t i = 0; i < PC_EVENTS_MAX && (e = perfcheck_event(c->pc, i)) != NULL; i++) {
        if (e->name && *name && strncmp(name, e->name, sizeof(c->survey->event[0].name) - 1) == 0)
            return true;
    }
    return false;
}

/* Samples that came before their event had its name, if it ever has one, and those of too many events. */
static void print_other_samples(const struct pc_charted *c, uint64_t all)
{
    for (size_t i = 0; i <= PC_EVENTS_MAX; i++) {
        const struct pc_event_facts *facts = &c->survey->event[i];
        if (facts->samples == 0 || is_listed(c, facts->name))
            continue;
        fputs("<tr><th scope=\"row\">", c->out);
        pc_html_text(c->out, i == PC_EVENTS_MAX ? "samples of other events"
                             : *facts->name     ? facts->name
                                                : "samples of events without a name");
        fputs("</th><td></td><td></td><td></td><td></td><td></td>", c->out);
        print_samples(c, facts, all);
    }
}

static void print_events(const struct pc_charted *c)
{
    const perfcheck_event_t *e;
    uint64_t all = 0;
    size_t i;
    for (i = 0; i <= PC_EVENTS_MAX; i++)
        all += c->survey->event[i].bytes;
    fputs("<h3>Events</h3>\n", c->out);
    pc_html_table(c->out, "Samples by event; events of one name share them",
                  "Event|Type|>Config|>Sampled|Sample type|>Ids|>Samples|>Bytes|Of all samples||>Period");
    for (i = 0; i < PC_EVENTS_MAX && (e = perfcheck_event(c->pc, i)) != NULL; i++)
        print_event(c, e, all);
    print_other_samples(c, all);
    pc_html_end_table(c->out);
    if (perfcheck_summary(c->pc)->attrs > i)
        fprintf(c->out, "<p class=\"soft\">and %" PRIu64 " more</p>\n", perfcheck_summary(c->pc)->attrs - i);
}

/* --- tasks --- */

/* What perf makes up has no time. */
static void print_moment(const struct pc_charted *c, bool has, uint64_t time)
{
    fputs("<td class=\"n\">", c->out);
    if (has && time != 0)
        pc_print_seconds(c->out, time);
    else if (has)
        fputs("before", c->out);
    fputs("</td>", c->out);
}

/* The number of a task; -1: there is none. */
static void print_id(const struct pc_charted *c, uint32_t id)
{
    if (id == UINT32_MAX)
        fputs("<td class=\"n\">-1</td>", c->out);
    else
        pc_html_number(c->out, id);
}

static void print_task(const struct pc_charted *c, const struct pc_task_facts *task)
{
    fputs("<tr><th scope=\"row\">", c->out);
    pc_html_text(c->out, task->name);
    fputs("</th>", c->out);
    print_id(c, task->pid);
    print_id(c, task->tid);
    pc_html_number(c->out, task->samples);
    pc_html_number(c->out, task->period);
    pc_html_number(c->out, task->mmaps);
    print_moment(c, task->has_forked, task->forked);
    print_moment(c, task->has_exited, task->exited);
    fputs("</tr>\n", c->out);
}

/* Samples that tell no task. */
static void print_no_task(const struct pc_charted *c, const struct pc_task_facts *samples)
{
    if (samples->records == 0)
        return;
    fputs("<tr><th scope=\"row\">not recorded</th><td class=\"n\"></td><td class=\"n\"></td>", c->out);
    pc_html_number(c->out, samples->samples);
    pc_html_number(c->out, samples->period);
    fputs("<td class=\"n\"></td><td class=\"n\"></td><td class=\"n\"></td></tr>\n", c->out);
}

static void print_tasks(const struct pc_charted *c)
{
    const struct pc_tasks *tasks = &c->survey->tasks;
    size_t i;
    if (tasks->nr == 0 && tasks->unknown.records == 0)
        return;
    fputs("<h3>Tasks</h3>\n", c->out);
    pc_html_table(c->out, "Most samples first", "Name|>Pid|>Tid|>Samples|>Period|>Mappings|>Forked|>Exited");
    for (i = 0; i < tasks->nr && i < TASKS_SHOWN; i++)
        print_task(c, pc_tasks_get(tasks, i));
    print_no_task(c, &tasks->unknown);
    pc_html_end_table(c->out);
    if (tasks->nr > i)
        fprintf(c->out, "<p class=\"soft\">and %zu more</p>\n", tasks->nr - i);
    if (tasks->others.records != 0)
        fprintf(c->out,
                "<p class=\"soft\">and others, which are not told apart: %" PRIu64 " records, %" PRIu64
                " samples</p>\n",
                tasks->others.records, tasks->others.samples);
}

/* --- findings --- */

struct told {
    const char *id[FINDINGS_WHOLE]; /* they live forever */
    size_t nr;
};

static bool was_told(struct told *told, const char *id)
{
    for (size_t i = 0; i < told->nr; i++) {
        if (told->id[i] == id)
            return true;
    }
    told->id[told->nr++] = id;
    return false;
}

static void print_versions(const struct pc_charted *c, const char *what, const char *versions)
{
    if (!*versions)
        return;
    fprintf(c->out, "<p>%s: ", what);
    pc_html_text(c->out, versions);
    fputs(".</p>", c->out);
}

static void print_explanation(const struct pc_charted *c, const perfcheck_finding_t *f)
{
    fputs("\n<details><summary>What it means</summary><p>", c->out);
    pc_html_text(c->out, f->explanation);
    fputs("</p>", c->out);
    if (*f->next) {
        fputs("<p>Next: ", c->out);
        pc_html_text(c->out, f->next);
        fputs("</p>", c->out);
    }
    print_versions(c, "Refused by", f->not_read_by);
    print_versions(c, "Unsafe in", f->harms);
    fputs("</details>", c->out);
}

static void print_finding(const struct pc_charted *c, uint64_t i, const perfcheck_finding_t *f,
                          struct told *told)
{
    const char *severity = pc_severity_name(f->severity);
    bool linked = pc_chart_has(c, f);
    fprintf(c->out, "<li id=\"f%" PRIu64 "-%" PRIu64 "\"><span class=\"s %s\">%s</span> ", c->number, i,
            severity, severity);
    if (linked)
        fprintf(c->out, "<a href=\"#m%" PRIu64 "-%" PRIu64 "\">", c->number, i);
    pc_html_text(c->out, f->member);
    fputs(*f->member ? ":" : "", c->out);
    pc_print_offset(c->out, f);
    fputs(linked ? "</a> " : " ", c->out);
    pc_html_text(c->out, f->message);
    fprintf(c->out, " <span class=\"soft\">%s %s</span>", f->id, f->name);
    if (told && !was_told(told, f->id))
        print_explanation(c, f);
}

/* Findings that were kept, from this one on. */
static uint64_t kept_after(const struct pc_charted *c, size_t i)
{
    size_t kept = i;
    while (perfcheck_finding(c->pc, kept) != NULL)
        kept++;
    return kept - i;
}

/* Those that were not kept too. */
static uint64_t all_findings(const struct pc_charted *c)
{
    return perfcheck_count(c->pc, PERFCHECK_ERROR) + perfcheck_count(c->pc, PERFCHECK_WARNING) +
           perfcheck_count(c->pc, PERFCHECK_NOTE);
}

/* Those that follow from the cause are a list in its item. A whole section tells for each id how many were
 * not kept. */
static void print_findings(const struct pc_charted *c, bool whole)
{
    struct told told = { .nr = 0 };
    const perfcheck_finding_t *f;
    const perfcheck_entry_t *e;
    bool cause = false, related = false;
    size_t i;
    fputs("<ol class=\"f\">\n", c->out);
    for (i = 0; i < c->findings && (f = perfcheck_finding(c->pc, i)) != NULL; i++) {
        if (f->is_related && cause && !related)
            fputs("<ol>\n", c->out);
        else if (!f->is_related && related)
            fputs("</li></ol></li>\n", c->out);
        else if (i != 0)
            fputs("</li>\n", c->out);
        related = f->is_related && (cause || related);
        cause = f->is_cause;
        print_finding(c, i, f, whole ? &told : NULL);
    }
    fputs(related ? "</li></ol></li></ol>\n" : i != 0 ? "</li></ol>\n" : "</ol>\n", c->out);
    uint64_t more = whole ? kept_after(c, i) : all_findings(c) - i;
    if (more != 0)
        fprintf(c->out, "<p class=\"soft\">and %" PRIu64 " more</p>\n", more);
    for (size_t k = 0; whole && (e = perfcheck_entry(c->pc, PERFCHECK_SUPPRESSED, k)) != NULL; k++)
        fprintf(c->out, "<p class=\"soft\">%" PRIu64 " more of %s %s</p>\n", e->number, e->name, e->text);
}

/* --- what each perf does with it --- */

/* The ids that a version refuses (1) or that harm it (2). */
static void print_ids(const struct pc_charted *c, const char *version, uint64_t number)
{
    const perfcheck_entry_t *e;
    const char *between = "";
    fputs("<td class=\"w\">", c->out);
    for (size_t i = 0; (e = perfcheck_entry(c->pc, PERFCHECK_READERS, i)) != NULL; i++) {
        if (e->number != number || !e->text || strcmp(e->name, version) != 0)
            continue;
        fprintf(c->out, "%s%s", between, e->text);
        between = ", ";
    }
    fputs("</td>", c->out);
}

static void print_readers(const struct pc_charted *c)
{
    const perfcheck_entry_t *e;
    const char *last = "";
    fputs("<h3>Versions of perf</h3>\n", c->out);
    pc_html_table(c->out, "What each measured perf does with it",
                  "perf|Reads it|Refuses or misreads|Is harmed by");
    for (size_t i = 0; (e = perfcheck_entry(c->pc, PERFCHECK_READERS, i)) != NULL; i++) {
        const char *version = e->name;
        if (strcmp(version, last) == 0)
            continue;
        last = version;
        fprintf(c->out, "<tr><th scope=\"row\">%s</th><td class=\"v %s\">%s</td>", version,
                e->text ? "error" : "valid", e->text ? "no" : "yes");
        print_ids(c, version, 1);
        print_ids(c, version, 2);
        fputs("</tr>\n", c->out);
    }
    pc_html_end_table(c->out);
}

/* --- the whole --- */

static void print_details(const struct pc_charted *c)
{
    print_facts(c);
    fputs("<h3>Map</h3>\n", c->out);
    pc_chart_maps(c, true);
    fputs("<h3>Over time</h3>\n", c->out);
    pc_chart_times(c);
    print_types(c);
    print_events(c);
    print_tasks(c);
    print_readers(c);
}

void pc_page_section(struct pc_charted *c, const char *path, bool whole)
{
    const perfcheck_summary_t *sum = perfcheck_summary(c->pc);
    bool recognised = sum->recognised, valid = perfcheck_verdict(c->pc) == PERFCHECK_VALID;
    c->findings = whole ? FINDINGS_WHOLE : valid ? 0 : FINDINGS_SHORT;
    c->brief = !whole;
    fprintf(c->out,
            "<section id=\"c%" PRIu64 "\" aria-labelledby=\"h%" PRIu64 "\">\n<h2 id=\"h%" PRIu64 "\">",
            c->number, c->number, c->number);
    pc_html_path(c->out, path);
    fputs("</h2>\n", c->out);
    print_verdict(c);
    print_hint(c, path);
    if (!whole && !valid)
        pc_chart_maps(c, false);
    if (c->findings != 0 && perfcheck_finding(c->pc, 0) != NULL) {
        fputs(whole ? "<h3>Findings</h3>\n" : "", c->out);
        print_findings(c, whole);
    }
    if (whole && recognised)
        print_details(c);
    fputs("</section>\n", c->out);
}

static struct pc_page_numbers numbers_of(const struct pc_charted *c)
{
    const perfcheck_summary_t *sum = perfcheck_summary(c->pc);
    return (struct pc_page_numbers){
        .captures = 1,
        .each = { perfcheck_count(c->pc, PERFCHECK_ERROR), perfcheck_count(c->pc, PERFCHECK_WARNING),
                  sum->records, sum->samples,
                  sum->lost_samples > sum->lost_events ? sum->lost_samples : sum->lost_events, sum->size },
    };
}

static void print_numbers(FILE *out, const struct pc_page_numbers *n)
{
    for (size_t i = 0; i < PC_PAGE_NUMBERS; i++)
        pc_html_number(out, n->each[i]);
}

void pc_page_row(const struct pc_charted *c, const char *path)
{
    const char *verdict = pc_verdict_name(perfcheck_verdict(c->pc));
    struct pc_page_numbers numbers = numbers_of(c);
    fprintf(c->out, "<tr><th scope=\"row\"><a href=\"#c%" PRIu64 "\">", c->number);
    pc_html_path(c->out, path);
    fprintf(c->out, "</a></th><td class=\"v %s\">%s</td>", verdict, verdict);
    print_numbers(c->out, &numbers);
    const perfcheck_finding_t *f = perfcheck_finding(c->pc, 0);
    fputs("<td class=\"w\">", c->out);
    if (f && f->severity != PERFCHECK_NOTE) {
        fprintf(c->out, "%s ", f->id);
        pc_html_text(c->out, f->name);
    }
    fputs("</td></tr>\n", c->out);
}

void pc_page_add(struct pc_page_numbers *to, const struct pc_charted *c)
{
    struct pc_page_numbers numbers = numbers_of(c);
    to->captures++;
    for (size_t i = 0; i < PC_PAGE_NUMBERS; i++)
        to->each[i] = pc_add_saturated(to->each[i], numbers.each[i]);
}

void pc_page_others(FILE *out, const struct pc_page_numbers *others)
{
    fprintf(out, "<tr><th scope=\"row\">%" PRIu64 " others</th><td></td>", others->captures);
    print_numbers(out, others);
    fputs("<td></td></tr>\n", out);
}
