/* SPDX-License-Identifier: MIT
 *
 * A capture as a JSON object, for check and info.
 */
#include "cli/print.h"
#include "cli/show.h"

#include <inttypes.h>
#include <string.h>

/* The path, which may hold any bytes. */
void pc_json_path(struct pc_json *object, const char *name, const char *path)
{
    char text[20000] = "";
    for (size_t len = 0; *path && sizeof(text) - len > 32; len += strlen(text + len))
        path += perfcheck_escape(path, 1, text + len, sizeof(text) - len);
    pc_json_short_text(object, name, text);
}

/* An array of the names that a text with | between them has. */
static void print_names(struct pc_json *object, const char *name, const char *text)
{
    struct pc_json array = pc_json_open_in(object, name, '[', true);
    for (size_t len; *text; text += len + (text[len] == '|')) {
        len = strcspn(text, "|");
        pc_json_name(&array, NULL);
        fprintf(array.out, "\"%.*s\"", (int)len, text);
    }
    pc_json_close(&array);
}

static void print_events(struct pc_json *object, perfcheck_t *pc, bool info)
{
    const perfcheck_event_t *e;
    struct pc_json array = pc_json_open_in(object, "events", '[', false);
    for (size_t i = 0; (e = perfcheck_event(pc, i)) != NULL; i++) {
        struct pc_json event = pc_json_open_in(&array, NULL, '{', true);
        pc_json_short_text(&event, "name", e->name);
        pc_json_number(&event, "type", e->type);
        pc_json_number(&event, "config", e->config);
        print_names(&event, "sample_type", e->sample_types);
        pc_json_number(&event, "ids", e->ids);
        if (info)
            pc_json_number(&event, e->is_freq ? "sample_freq" : "sample_period", e->period);
        pc_json_close(&event);
    }
    pc_json_close(&array);
}

static void print_features(struct pc_json *object, perfcheck_t *pc)
{
    const perfcheck_entry_t *e;
    struct pc_json array = pc_json_open_in(object, "features", '[', true);
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_FEATURES, i)) != NULL; i++)
        pc_json_text(&array, NULL, e->name);
    pc_json_close(&array);
}

/* The numbers of a list by their names. */
static void print_numbers(struct pc_json *object, const char *name, perfcheck_t *pc, perfcheck_list_t list)
{
    const perfcheck_entry_t *e;
    struct pc_json numbers = pc_json_open_in(object, name, '{', true);
    for (size_t i = 0; (e = perfcheck_entry(pc, list, i)) != NULL; i++)
        pc_json_number(&numbers, e->name, e->number);
    pc_json_close(&numbers);
}

static void print_records(struct pc_json *object, perfcheck_t *pc, const perfcheck_summary_t *sum)
{
    struct pc_json records = pc_json_open_in(object, "records", '{', true);
    pc_json_number(&records, "total", sum->records);
    print_numbers(&records, "by_type", pc, PERFCHECK_RECORD_TYPES);
    pc_json_number(&records, "compressed", sum->compressed);
    pc_json_close(&records);
}

/* Two numbers by their names. */
static void print_two(struct pc_json *object, const char *name, const char *first, uint64_t one,
                      const char *second, uint64_t two)
{
    struct pc_json numbers = pc_json_open_in(object, name, '{', true);
    pc_json_number(&numbers, first, one);
    pc_json_number(&numbers, second, two);
    pc_json_close(&numbers);
}

static void print_number_or_null(struct pc_json *object, const char *name, bool known, uint64_t n)
{
    if (known)
        pc_json_number(object, name, n);
    else
        pc_json_null(object, name);
}

/* The writer and its machine, as features say; briefly: that it was simpleperf. */
static void print_writer(struct pc_json *object, perfcheck_t *pc, const perfcheck_summary_t *sum,
                         bool briefly)
{
    static const char *const texts[][2] = {
        { "perf", "VERSION" }, { "hostname", "HOSTNAME" }, { "osrelease", "OSRELEASE" },
        { "arch", "ARCH" },    { "cpudesc", "CPUDESC" },   { "cmdline", "CMDLINE" },
        { NULL, NULL },
    };
    const char *own = pc_writer_text(pc, "META_INFO");
    if (briefly && !own)
        return;
    struct pc_json writer = pc_json_open_in(object, "writer", '{', true);
    if (own)
        pc_json_short_text(&writer, "simpleperf", own);
    if (briefly) {
        pc_json_close(&writer);
        return;
    }
    for (size_t i = 0; texts[i][0]; i++) {
        pc_json_short_text(&writer, texts[i][0], pc_writer_text(pc, texts[i][1]));
    }
    print_number_or_null(&writer, "cpus", sum->cpus != 0, sum->cpus);
    print_number_or_null(&writer, "online", sum->cpus != 0, sum->cpus_online);
    pc_json_close(&writer);
}

static void print_compression(struct pc_json *object, const perfcheck_summary_t *sum)
{
    char ratio[32];
    if (sum->compressed == 0) {
        pc_json_null(object, "compression");
        return;
    }
    snprintf(ratio, sizeof(ratio), "%" PRIu64 ".%02" PRIu64, pc_ratio_of(sum) / 100, pc_ratio_of(sum) % 100);
    struct pc_json compression = pc_json_open_in(object, "compression", '{', true);
    pc_json_number(&compression, "wrappers", sum->compressed);
    pc_json_number(&compression, "in", sum->compressed_in);
    pc_json_number(&compression, "out", sum->compressed_out);
    pc_json_text(&compression, "ratio", ratio);
    pc_json_close(&compression);
}

/* Members of a directory: null for other captures. */
static void print_members(struct pc_json *object, perfcheck_t *pc, const perfcheck_summary_t *sum)
{
    const perfcheck_entry_t *e;
    if (strcmp(sum->container, "directory") != 0) {
        pc_json_null(object, "members");
        return;
    }
    struct pc_json array = pc_json_open_in(object, "members", '[', false);
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_MEMBERS, i)) != NULL; i++) {
        struct pc_json member = pc_json_open_in(&array, NULL, '{', true);
        pc_json_short_text(&member, "name", e->name);
        pc_json_number(&member, "size", e->number);
        pc_json_close(&member);
    }
    pc_json_close(&array);
}

/* Those that follow from the cause, from number i on. Returns the number of the one after them. */
static size_t print_related(struct pc_json *cause, perfcheck_t *pc, size_t i)
{
    const perfcheck_finding_t *f = perfcheck_finding(pc, i);
    if (!f || !f->is_related)
        return i;
    struct pc_json array = pc_json_open_in(cause, "related", '[', true);
    for (; (f = perfcheck_finding(pc, i)) != NULL && f->is_related; i++)
        pc_json_finding(&array, f);
    pc_json_close(&array);
    return i;
}

/* The ids that a version refuses (1) or that harm it (2). */
static void print_ids(struct pc_json *reader, const char *name, perfcheck_t *pc, const char *version,
                      uint64_t number)
{
    const perfcheck_entry_t *e;
    struct pc_json ids = pc_json_open_in(reader, name, '[', true);
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_READERS, i)) != NULL; i++) {
        if (e->number == number && e->text && strcmp(e->name, version) == 0)
            pc_json_text(&ids, NULL, e->text);
    }
    pc_json_close(&ids);
}

static void print_readers(struct pc_json *object, perfcheck_t *pc)
{
    const perfcheck_entry_t *e;
    const char *last = "";
    struct pc_json readers = pc_json_open_in(object, "readers", '{', true);
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_READERS, i)) != NULL; i++) {
        const char *version = e->name;
        if (strcmp(version, last) == 0)
            continue;
        last = version;
        struct pc_json reader = pc_json_open_in(&readers, version, '{', true);
        pc_json_name(&reader, "reads");
        fputs(e->text ? "false" : "true", reader.out);
        print_ids(&reader, "refuses", pc, version, 1);
        print_ids(&reader, "unsafe", pc, version, 2);
        pc_json_close(&reader);
    }
    pc_json_close(&readers);
}

static void print_findings(struct pc_json *object, perfcheck_t *pc)
{
    const perfcheck_finding_t *f;
    struct pc_json array = pc_json_open_in(object, "findings", '[', false);
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL;) {
        bool is_cause = f->is_cause;
        struct pc_json one = pc_json_open_finding(&array, f);
        i++;
        if (is_cause)
            i = print_related(&one, pc, i);
        pc_json_close(&one);
    }
    pc_json_close(&array);
}

/* Those that the baseline accepts. */
static void print_accepted(struct pc_json *object, perfcheck_t *pc)
{
    const perfcheck_finding_t *f;
    if (!perfcheck_entry(pc, PERFCHECK_ACCEPTED, 0))
        return;
    print_numbers(object, "accepted", pc, PERFCHECK_ACCEPTED);
    struct pc_json array = pc_json_open_in(object, "accepted_findings", '[', false);
    for (size_t i = 0; (f = perfcheck_accepted(pc, i)) != NULL; i++)
        pc_json_finding(&array, f);
    pc_json_close(&array);
}

static void print_hint(struct pc_json *object, perfcheck_t *pc, const char *path)
{
    struct pc_hint hint;
    if (!pc_hint(pc, path, &hint)) {
        pc_json_null(object, "hint");
        return;
    }
    pc_json_path(object, "hint", hint.command);
    if (hint.saves != 0)
        pc_json_number(object, "saves", hint.saves);
}

void pc_json_counts(struct pc_json *object, perfcheck_t *pc, bool compact)
{
    struct pc_json counts = pc_json_open_in(object, "counts", '{', compact);
    for (int severity = PERFCHECK_ERROR; severity >= PERFCHECK_NOTE; severity--)
        pc_json_number(&counts, pc_severity_name((perfcheck_severity_t)severity),
                       perfcheck_count(pc, (perfcheck_severity_t)severity));
    pc_json_close(&counts);
}

void pc_print_json(FILE *out, const char *path, perfcheck_t *pc, bool info)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    struct pc_json object = pc_json_open(out, '{', false);
    pc_json_text(&object, "schema", "perfcheck/1");
    pc_json_path(&object, "path", path);
    pc_json_text(&object, "verdict", pc_verdict_name(perfcheck_verdict(pc)));
    pc_json_text(&object, "container", *sum->container ? sum->container : NULL);
    pc_json_text(&object, "byte_order", sum->recognised ? pc_order_name(sum) : NULL);
    print_number_or_null(&object, "version", sum->recognised, sum->version);
    pc_json_number(&object, "size", sum->size);
    print_writer(&object, pc, sum, !info);
    pc_json_number(&object, "attrs", sum->attrs);
    print_events(&object, pc, info);
    print_features(&object, pc);
    print_records(&object, pc, sum);
    print_two(&object, "lost", "events", sum->lost_events, "samples", sum->lost_samples);
    if (sum->has_time)
        print_two(&object, "time", "first", sum->first_time, "last", sum->last_time);
    else
        pc_json_null(&object, "time");
    if (info)
        print_compression(&object, sum);
    if (info)
        print_members(&object, pc, sum);
    print_findings(&object, pc);
    pc_json_counts(&object, pc, true);
    print_numbers(&object, "suppressed", pc, PERFCHECK_SUPPRESSED);
    print_accepted(&object, pc);
    if (!info)
        print_readers(&object, pc);
    print_hint(&object, pc, path);
    pc_json_close(&object);
}
