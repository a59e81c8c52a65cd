/* SPDX-License-Identifier: MIT */
#include "lib/options_lists.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

#define THREADS_MAX    1024
#define AHEAD_LEAST    ((uint64_t)1 << 20) /* less is read faster than a thread starts */
#define NAME_MAX_SHOWN 256                 /* of one id in a list */

const char *const pc_severity_names[] = { "note", "warning", "error", NULL };

/* Names of the values of an enum from 0 on. */
static const char *const orders[] = { "keep", "little", "big", "native", "swap", NULL };
static const char *const containers[] = { "keep", "file", "pipe", "directory", NULL };

void pc_options_init(struct pc_options *o)
{
    *o = (struct pc_options){ .rewrite = { .reader = PC_BY_NONE } };
    pc_mem_init(&o->mem, (uint64_t)1 << 20);
    pc_policy_init(&o->policy);
    pc_limits_init(&o->limits);
    o->rewrite.drops.name = o->drop;
    o->demands.event = (const char *const *)o->event;
}

void pc_options_clear(struct pc_options *o)
{
    for (size_t i = 0; i < o->rewrite.drops.nr; i++)
        pc_free_text(&o->mem, o->drop[i]);
    o->rewrite.drops.nr = 0;
    for (size_t i = 0; i < o->demands.nr_events; i++)
        pc_free_text(&o->mem, o->event[i]);
    pc_free_text(&o->mem, o->arch);
    pc_free_text(&o->mem, o->keep_partial);
    pc_free_text(&o->mem, o->symbols_out);
    pc_free_text(&o->mem, o->header_from);
}

/* Says why an option cannot be set; value may be NULL. */
static bool refuse(struct pc_buffer *why, const char *what, const char *value)
{
    return pc_refuse(why, what, value, NULL);
}

/* The same of a value that is none of these names. */
static bool refuse_name(struct pc_buffer *why, const char *what, const char *value, const char *const *names)
{
    const char *like = NULL;
    for (size_t i = 0; names[i]; i++)
        pc_text_suggest(value, names[i], &like);
    return pc_refuse(why, what, value, like);
}

int pc_option_value(const char *text, const char *const *names)
{
    for (int i = 0; names[i]; i++) {
        if (strcmp(text, names[i]) == 0)
            return i;
    }
    return -1;
}

/* --- numbers --- */

static bool set_max_per_id(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return pc_text_number(value, false, &o->policy.max_per_id) ||
           refuse(why, "'max-per-id' takes a number below 2^64, not", value);
}

/* The size that an option takes, at least `least`, which is 0 or 1; `other`: what it takes instead. */
static bool set_size(const char *name, const char *value, uint64_t least, const char *other, uint64_t *size,
                     struct pc_buffer *why)
{
    char what[128];
    if (pc_text_number(value, true, size) && *size >= least)
        return true;
    snprintf(what, sizeof(what), "'%s' takes a size%s, in bytes or with K, M or G (100M)%s, not", name,
             least != 0 ? " above 0" : "", other);
    return refuse(why, what, value);
}

static bool set_memory(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    if (!set_size("max-memory", value, 0, "", &o->limits.memory, why))
        return false;
    if (o->limits.memory < (uint64_t)1 << 20)
        return refuse(why, "'max-memory' is at least 1M, not", value);
    o->limits.section = o->limits.memory / 2;
    return true;
}

static bool set_spool(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return set_size("max-spool", value, 0, "", &o->limits.spool, why);
}

static bool set_inflated(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return set_size("max-inflated", value, 0, "", &o->limits.inflated, why);
}

static bool set_threads(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    uint64_t n;
    if (!pc_text_number(value, false, &n) || n == 0 || n > THREADS_MAX)
        return refuse(why, "'threads' takes a number from 1 to 1024, not", value);
    o->limits.ahead = n > 1 ? AHEAD_LEAST : UINT64_MAX;
    o->limits.threads = n > 1 ? n - 1 : 1;
    return true;
}

/* --- what counts as an error --- */

/* A version between the measured ones, or after them, is taken for the one before it, which `why` says. */
static bool take_unmeasured(struct pc_buffer *why, const char *value, enum pc_versions before)
{
    const bool old = before == PC_BY_NONE, newest = before == PC_BY_7_2;
    pc_buffer_init(why);
    pc_put(why, "'for': perf ");
    pc_put_escaped(why, value + strcspn(value, "0123456789"), true);
    pc_put(why, old ? " was not measured; the oldest measured one is " : " was not measured; the rules for ");
    pc_put(why, pc_version_name(old ? PC_BY_5_10 : before));
    pc_put(why, old ? "" : newest ? " are used" : " are used (the next measured one is ");
    pc_put(why, old || newest ? "" : pc_version_name(pc_version_next(PC_BY_ALL, before)));
    pc_put(why, old || newest ? "" : ")");
    return !old;
}

static bool set_reader(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    if (o->policy.reader != PC_BY_NONE)
        return refuse(why, "'for' may be given once", NULL);
    static const char *const names[] = { "perf-5.10", "perf-6.1", "perf-6.12",  "perf-7.2", "5.10", "6.1",
                                         "6.12",      "7.2",      "simpleperf", "all",      NULL };
    enum pc_versions found, before;
    if (!pc_version_find(value, &found, &before))
        return refuse_name(why,
                           "'for' takes perf-5.10, perf-6.1, perf-6.12, perf-7.2, all or simpleperf, not",
                           value, names);
    if (found == PC_BY_NONE && !take_unmeasured(why, value, before))
        return false;
    o->policy.reader = o->rewrite.reader = found == PC_BY_NONE ? before : found;
    return true;
}

static bool set_readers(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    (void)value, (void)why;
    o->policy.noted = PC_BY_ALL;
    return true;
}

static bool is_of_class(enum pc_diag id, const char *name)
{
    return strcmp(name, "class:" PC_CLASS_UNSAFE) == 0 && pc_diag_unsafe(id);
}

/* Finds the findings that a name stands for: one by its id or name, or all of a class. False, and why: no
 * policy can be about it. */
static bool find_diags(const char *name, bool found[PC_DIAG_COUNT], struct pc_buffer *why)
{
    enum pc_diag one = pc_diag_find(name);
    bool any = false;
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        found[id] = (enum pc_diag)id == one || is_of_class((enum pc_diag)id, name);
        any |= found[id];
    }
    if (!any) {
        const char *like = pc_diag_like(name);
        pc_refuse(why, "unknown finding", name, like);
        pc_put(why, like ? "" : "; 'perfcheck explain --all' lists all");
        return false;
    }
    return !one || !pc_diag_is_unreadable(one) ||
           refuse(why, "no option changes a finding about work that could not be done:", name);
}

/* Copies the next name of a list with commas, and returns where the list goes on; NULL: there is none. */
static const char *next_name(const char *list, char name[NAME_MAX_SHOWN])
{
    list += strspn(list, ",");
    size_t len = strcspn(list, ","), some = len < NAME_MAX_SHOWN ? len : NAME_MAX_SHOWN - 1;
    memcpy(name, list, some);
    name[some] = 0;
    return len != 0 ? list + len : NULL;
}

static bool set_disable(struct pc_options *o, const char *list, struct pc_buffer *why)
{
    char name[NAME_MAX_SHOWN];
    bool found[PC_DIAG_COUNT];
    while ((list = next_name(list, name)) != NULL) {
        if (!find_diags(name, found, why))
            return false;
        for (int id = 1; id < PC_DIAG_COUNT; id++)
            o->policy.disabled[id] |= found[id];
    }
    return true;
}

static bool set_severity(struct pc_options *o, const char *list, struct pc_buffer *why)
{
    char name[NAME_MAX_SHOWN];
    bool found[PC_DIAG_COUNT];
    while ((list = next_name(list, name)) != NULL) {
        char *level_name = strchr(name, '=');
        if (!level_name)
            return refuse(why, "'severity' takes ID=LEVEL, not", name);
        *level_name++ = 0;
        int level = pc_option_value(level_name, pc_severity_names);
        if (level < 0)
            return refuse_name(why, "'severity' takes error, warning or note, not", level_name,
                               pc_severity_names);
        if (!find_diags(name, found, why))
            return false;
        for (int id = 1; id < PC_DIAG_COUNT; id++)
            o->policy.severity[id] = found[id] ? (uint8_t)(level + 1) : o->policy.severity[id];
    }
    return true;
}

static bool set_accept(struct pc_options *o, const char *list, struct pc_buffer *why)
{
    char name[NAME_MAX_SHOWN];
    bool found[PC_DIAG_COUNT];
    memset(o->policy.accepted, 0, sizeof(o->policy.accepted));
    while ((list = next_name(list, name)) != NULL) {
        char *number = strchr(name, ':');
        uint64_t nr;
        if (!number || !pc_text_number(number + 1, false, &nr))
            return refuse(why, "'accept' takes ID:N, not", name);
        *number = 0;
        if (!find_diags(name, found, why))
            return false;
        for (int id = 1; id < PC_DIAG_COUNT; id++)
            o->policy.accepted[id] = found[id] ? nr : o->policy.accepted[id];
    }
    return true;
}

/* --- the copy --- */

static bool set_order(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    int order = pc_option_value(value, orders);
    if (order < 0)
        return refuse_name(why, "'byte-order' takes keep, little, big, native or swap, not", value, orders);
    o->rewrite.order = (enum pc_order_choice)order;
    return true;
}

static bool set_container(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    int to = pc_option_value(value, containers);
    if (to < 0)
        return refuse_name(why, "'to' takes keep, file, pipe or directory, not", value, containers);
    o->rewrite.to = (enum pc_container_choice)to;
    return true;
}

static bool choose_compression(struct pc_rewrite *r, enum pc_compression choice, struct pc_buffer *why)
{
    if (r->compression != PC_COMPRESSION_KEEP && r->compression != choice)
        return refuse(why, "'compress' or 'decompress', not both", NULL);
    r->compression = choice;
    return true;
}

static bool set_compress(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    uint64_t level = 1;
    if (value && (!pc_text_number(value, false, &level) || level == 0 || level > PC_DEFLATE_LEVELS))
        return refuse(why, "'compress' takes a level from 1 to 22, not", value);
    o->rewrite.level = (int)level;
    return choose_compression(&o->rewrite, PC_COMPRESSION_LEVEL, why);
}

static bool set_decompress(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    (void)value;
    return choose_compression(&o->rewrite, PC_COMPRESSION_NONE, why);
}

static bool set_force(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    (void)value, (void)why;
    o->rewrite.force = true;
    return true;
}

static bool set_no_verify(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    (void)value, (void)why;
    o->rewrite.no_verify = true;
    return true;
}

static bool set_salvage(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    (void)value, (void)why;
    o->rewrite.salvage = true;
    return true;
}

/* The path of a file besides the capture and the copy, which is no stream; *own keeps it for *path. */
static bool set_path(struct pc_options *o, const char *name, const char *value, char **own, const char **path,
                     struct pc_buffer *why)
{
    char text[64];
    snprintf(text, sizeof(text), *own ? "'%s' is given twice:" : "'%s': no memory for", name);
    if (*own)
        return refuse(why, text, value);
    if (strcmp(value, "-") == 0) {
        snprintf(text, sizeof(text), "'%s' names a file, not standard input or output:", name);
        return refuse(why, text, value);
    }
    *path = *own = pc_alloc_text(&o->mem, value, strlen(value));
    return *own || refuse(why, text, value);
}

static bool set_keep_partial(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return set_path(o, "keep-partial", value, &o->keep_partial, &o->rewrite.keep_partial, why);
}

static bool set_header_from(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return set_path(o, "header-from", value, &o->header_from, &o->rewrite.header_from, why);
}

static bool set_symbols_out(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return set_path(o, "symbols-out", value, &o->symbols_out, &o->rewrite.symbols_out, why);
}

/* Like --switch-output of perf record: a size, or a time with a unit. */
static bool set_rotate(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
    struct pc_rotate *rotate = &o->rewrite.rotate;
    size_t digits = strspn(value, "0123456789");
    char number[24];
    uint64_t n = 0;
    for (size_t i = 0; i < PC_COUNT_OF(units); i++) {
        if (digits == 0 || digits >= sizeof(number) || value[digits] != units[i].unit || value[digits + 1])
            continue;
        memcpy(number, value, digits);
        number[digits] = 0;
        if (pc_text_number(number, false, &n) && pc_mul(n, units[i].seconds * 1000000000, &rotate->ns) &&
            n != 0)
            return true;
    }
    return set_size("rotate", value, 1, ", or a time (30s, 5m, 1h)", &rotate->bytes, why);
}

/* --- what is demanded --- */

static bool set_min_samples(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return pc_text_number(value, false, &o->demands.min_samples) ||
           refuse(why, "'min-samples' takes a number below 2^64, not", value);
}

static bool set_max_size(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    return set_size("max-size", value, 1, "", &o->demands.max_size, why);
}

/* "5%", "0.5%": in millionths. */
static bool percentage(const char *value, uint64_t *millionths)
{
    char number[8]; /* digits of the percentage and four after its point */
    size_t whole = strspn(value, "0123456789"), end = whole, more = 0;
    if (value[whole] == '.') {
        more = strspn(value + whole + 1, "0123456789");
        end += 1 + more;
    }
    if (whole == 0 || whole > 3 || more > 4 || (end != whole && more == 0) || strcmp(value + end, "%") != 0)
        return false;
    snprintf(number, sizeof(number), "%.*s%.*s%.*s", (int)whole, value, (int)more, value + end - more,
             (int)(4 - more), "0000");
    return pc_text_number(number, false, millionths) && *millionths <= 1000000;
}

/* "100", "5%". */
static bool set_max_lost(struct pc_options *o, const char *value, struct pc_buffer *why)
{
    bool per = percentage(value, &o->demands.max_lost);
    o->demands.limits_lost = true;
    if (!per && !pc_text_number(value, false, &o->demands.max_lost))
        return refuse(why, "'max-lost' takes a number below 2^64 or a percentage up to 100% (5%, 0.5%), not",
                      value);
    o->demands.max_lost_per = per ? (unsigned)o->demands.max_lost : 0;
    return true;
}

/* What a value has set before it was refused is as it was. */
static void take_back(struct pc_options *o, const struct pc_options *before)
{
    for (size_t i = before->rewrite.drops.nr; i < o->rewrite.drops.nr; i++)
        pc_free_text(&o->mem, o->drop[i]);
    for (size_t i = before->demands.nr_events; i < o->demands.nr_events; i++)
        pc_free_text(&o->mem, o->event[i]);
    if (o->arch != before->arch)
        pc_free_text(&o->mem, o->arch);
    struct pc_mem mem = o->mem;
    *o = *before;
    o->mem = mem;
}

bool pc_options_set(struct pc_options *o, const char *name, const char *value, struct pc_buffer *why)
{
    static const struct {
        const char *name;
        enum { VALUE, MAY_HAVE_VALUE, NO_VALUE } takes;
        bool (*set)(struct pc_options *, const char *, struct pc_buffer *);
    } rows[] = {
        { "max-per-id", VALUE, set_max_per_id },
        { "max-memory", VALUE, set_memory },
        { "max-spool", VALUE, set_spool },
        { "max-inflated", VALUE, set_inflated },
        { "threads", VALUE, set_threads },
        { "for", VALUE, set_reader },
        { "readers", NO_VALUE, set_readers },
        { "disable", VALUE, set_disable },
        { "severity", VALUE, set_severity },
        { "accept", VALUE, set_accept },
        { "require", VALUE, pc_option_require },
        { "min-samples", VALUE, set_min_samples },
        { "max-lost", VALUE, set_max_lost },
        { "max-size", VALUE, set_max_size },
        { "byte-order", VALUE, set_order },
        { "to", VALUE, set_container },
        { "compress", MAY_HAVE_VALUE, set_compress },
        { "decompress", NO_VALUE, set_decompress },
        { "drop", VALUE, pc_option_drop },
        { "force", NO_VALUE, set_force },
        { "no-verify", NO_VALUE, set_no_verify },
        { "salvage", NO_VALUE, set_salvage },
        { "header-from", VALUE, set_header_from },
        { "keep-partial", VALUE, set_keep_partial },
        { "symbols-out", VALUE, set_symbols_out },
        { "rotate", VALUE, set_rotate },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (strcmp(rows[i].name, name) != 0)
            continue;
        if (!value && rows[i].takes == VALUE)
            return refuse(why, "no value for option", name);
        if (value && rows[i].takes == NO_VALUE)
            return refuse(why, "a value for option", name);
        const struct pc_options before = *o;
        bool good = rows[i].set(o, value, why);
        if (!good)
            take_back(o, &before);
        return good;
    }
    return refuse(why, "unknown option", name);
}
