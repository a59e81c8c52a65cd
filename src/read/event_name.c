/* SPDX-License-Identifier: MIT
 *
 * Names of events, as perf calls them: tools/perf/util/evsel.c; and as META_INFO of simpleperf has them. Its
 * pair event_type_info has a line for each event that was asked for: name, type and config, with commas.
 */
#include "read/event_name.h"

#include <stdio.h>
#include <string.h>

static const char *const hardware[] = {
    "cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
    "branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles"
};
static const char *const software[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches"
};
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node" };
static const char *const accesses[] = { "load", "store", "prefetch" };
static const char *const accesses_all[] = { "loads", "stores", "prefetches" };

/* The name without modifiers. False: the type and config have none. */
static bool put_event(uint64_t type, uint64_t config, char *name, size_t size)
{
    uint64_t cache = config & 0xff, access = config >> 8 & 0xff, misses = config >> 16;
    if (type == PC_TYPE_HARDWARE && config < PC_COUNT_OF(hardware))
        snprintf(name, size, "%s", hardware[config]);
    else if (type == PC_TYPE_SOFTWARE && config < PC_COUNT_OF(software))
        snprintf(name, size, "%s", software[config]);
    else if (type == PC_TYPE_CACHE && cache < PC_COUNT_OF(caches) && access < PC_COUNT_OF(accesses) &&
             misses <= 1)
        snprintf(name, size, "%s-%s%s", caches[cache], misses ? accesses[access] : accesses_all[access],
                 misses ? "-misses" : "");
    else
        return false;
    return true;
}

/* The name that a user gives such an event. False: it has none. */
static bool put_name(const struct pc_attr *attr, char *name, size_t size)
{
    const uint64_t flags = pc_attr_get(attr, PC_ATTR_FLAGS);
    const uint64_t no_user = PC_FLAG_EXCLUDE_USER, no_kernel = PC_FLAG_EXCLUDE_KERNEL;
    const uint64_t no_hypervisor = PC_FLAG_EXCLUDE_HV;
    unsigned precise = PC_PRECISE_IP(flags);
    if ((flags & (PC_FLAG_EXCLUDE_IDLE | PC_FLAG_EXCLUDE_HOST)) ||
        !put_event(pc_attr_get(attr, PC_ATTR_TYPE), pc_attr_get(attr, PC_ATTR_CONFIG), name, size))
        return false;
    size_t n = strlen(name);
    bool some = flags & (no_user | no_kernel | no_hypervisor);
    if (some || precise != 0)
        snprintf(name + n, size - n, ":%s%s%s%.*s", some && !(flags & no_kernel) ? "k" : "",
                 some && !(flags & no_user) ? "u" : "", some && !(flags & no_hypervisor) ? "h" : "",
                 (int)precise, "ppp");
    return true;
}

/* Whether a name that the capture has may be one: it may come from a damaged EVENT_DESC. */
static bool is_name(const char *name)
{
    size_t len = 0;
    while (name && name[len] > ' ' && name[len] < 0x7f)
        len++;
    return len != 0 && len < PC_LINE_NAME && name[len] == 0;
}

/* Each event looks at all lines, and at those before it. */
static bool is_cheap(const struct pc_capture *capture)
{
    const uint64_t most = 16 * PC_EVENT_LINES_MAX;
    return capture->nr_attrs * capture->event_lines_size <= most &&
           capture->nr_attrs * capture->nr_attrs <= most;
}

struct line {
    const char *name;
    size_t len;
    uint64_t type, config;
};

static bool read_number(const char *from, const char *end, uint64_t *n)
{
    *n = 0;
    for (const char *p = from; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*p < '0' || *p > '9' || !pc_mul(*n, 10, n) || !pc_add(*n, digit, n))
            return false;
    }
    return from < end;
}

/* The comma before `end`; NULL: there is none. */
static const char *comma_before(const char *from, const char *end)
{
    while (end > from && end[-1] != ',')
        end--;
    return end > from ? end - 1 : NULL;
}

/* Takes the next line, which then is before *at. False: there is none, or it is no such line. */
static bool next_line(const char **at, struct line *line)
{
    const char *from = *at, *end = from + strcspn(from, "\n");
    const char *config = comma_before(from, end), *type = config ? comma_before(from, config) : NULL;
    *at = end + (*end == '\n');
    if (!type || type == from)
        return false;
    *line = (struct line){ .name = from, .len = (size_t)(type - from) };
    return read_number(type + 1, config, &line->type) && read_number(config + 1, end, &line->config);
}

/* Whether a line may be that of an attr: simpleperf sets the config of CoreSight later, as its reader knows
 * (event_attr.cpp: GetEventNameByAttr). */
static bool may_be_line_of(const struct line *line, const struct pc_attr *attr)
{
    static const char etm[] = "cs-etm";
    bool later = line->len == strlen(etm) && memcmp(line->name, etm, line->len) == 0;
    return line->type == pc_attr_get(attr, PC_ATTR_TYPE) &&
           (line->config == pc_attr_get(attr, PC_ATTR_CONFIG) || later);
}

uint64_t pc_lines_wrong(const struct pc_capture *capture)
{
    struct line line;
    uint64_t nr = 0;
    for (const char *at = capture->event_lines; at && *at;) {
        nr++;
        if (!next_line(&at, &line))
            return nr;
    }
    return 0;
}

bool pc_lines_lack_event(const struct pc_capture *capture, const struct pc_attr *attr)
{
    struct line line;
    bool any = false;
    if (!capture->event_lines || !is_cheap(capture))
        return false;
    for (const char *at = capture->event_lines; *at; any = true) {
        if (!next_line(&at, &line) || may_be_line_of(&line, attr))
            return false;
    }
    return any;
}

static bool is_line_of_any(const struct pc_capture *capture, const struct line *line)
{
    uint64_t i = 0;
    while (i < capture->nr_attrs && !may_be_line_of(line, &capture->attr[i]))
        i++;
    return i < capture->nr_attrs;
}

/* The line at the position of an attr that no line fits: it has the type of the attr and fits no other one,
 * and there are as many lines as attrs. */
static bool find_position(const struct pc_capture *capture, const struct pc_attr *attr, struct line *found)
{
    struct line line;
    uint64_t nr = 0;
    for (const char *at = capture->event_lines; *at; nr++) {
        if (!next_line(&at, &line) || may_be_line_of(&line, attr))
            return false;
        if (nr == (uint64_t)(attr - capture->attr))
            *found = line;
    }
    return nr == capture->nr_attrs && found->name && found->type == pc_attr_get(attr, PC_ATTR_TYPE) &&
           !is_line_of_any(capture, found);
}

/* How many attrs up to `end` have the type and config of this one. */
static uint64_t count_same(const struct pc_capture *capture, const struct pc_attr *attr,
                           const struct pc_attr *end)
{
    uint64_t type = pc_attr_get(attr, PC_ATTR_TYPE), config = pc_attr_get(attr, PC_ATTR_CONFIG), nr = 0;
    for (const struct pc_attr *other = capture->attr; other < end; other++)
        nr += pc_attr_get(other, PC_ATTR_TYPE) == type && pc_attr_get(other, PC_ATTR_CONFIG) == config;
    return nr;
}

/* The line of an event: with its type and config, or with its type where that is enough. Lines and attrs are
 * both in the order in which events were asked for, so the second attr with a type and config has the second
 * such line, or the last one. If there are more lines with other names than attrs, an attr was lost, and
 * which one is not known. */
static bool find_line(const struct pc_capture *capture, const struct pc_attr *attr, struct line *found)
{
    uint64_t config = pc_attr_get(attr, PC_ATTR_CONFIG);
    uint64_t before = count_same(capture, attr, attr), lines = 0;
    struct line line, first = { NULL, 0, 0, 0 };
    bool any = false, differ = false;
    for (const char *at = capture->event_lines; *at;) {
        if (!next_line(&at, &line))
            return false;
        if (!may_be_line_of(&line, attr) || (line.config != config && any))
            continue;
        if (line.config != config || lines <= before)
            *found = line;
        any = true;
        if (line.config != config)
            continue;
        first = lines == 0 ? line : first;
        differ = differ || line.len != first.len || memcmp(line.name, first.name, line.len) != 0;
        lines++;
    }
    if (differ && lines > count_same(capture, attr, capture->attr + capture->nr_attrs))
        return false;
    return any;
}

/* The line of an event. fits: it is more than the one at its position. */
static bool line_of(const struct pc_capture *capture, const struct pc_attr *attr, struct line *line,
                    bool *fits)
{
    *line = (struct line){ .name = NULL };
    *fits = false;
    if (!capture->event_lines || !is_cheap(capture))
        return false;
    *fits = find_line(capture, attr, line);
    return *fits || find_position(capture, attr, line);
}

const char *pc_line_event_name(const struct pc_capture *capture, const struct pc_attr *attr,
                               char made[PC_LINE_NAME])
{
    struct line line;
    bool fits;
    if (!line_of(capture, attr, &line, &fits))
        return NULL;
    const size_t len = line.len < PC_LINE_NAME ? line.len : PC_LINE_NAME - 1;
    memcpy(made, line.name, len);
    made[len] = 0;
    return fits || is_name(made) ? made : NULL;
}

bool pc_line_cuts_name(const struct pc_capture *capture, const struct pc_attr *attr)
{
    struct line line;
    bool fits;
    return line_of(capture, attr, &line, &fits) && line.len >= PC_LINE_NAME;
}

const char *pc_line_or_type_name(const struct pc_capture *capture, const struct pc_attr *attr,
                                 char made[PC_LINE_NAME])
{
    if (pc_line_event_name(capture, attr, made))
        return made;
    return put_name(attr, made, PC_LINE_NAME) ? made : NULL;
}

bool pc_lines_name_events(const struct pc_capture *capture)
{
    char made[PC_LINE_NAME];
    uint64_t by_line = 0;
    bool plain = true, all = true;
    for (uint64_t i = 0; i < capture->nr_attrs && all; i++) {
        const bool has_line = pc_line_event_name(capture, &capture->attr[i], made) != NULL;
        by_line += has_line;
        all = has_line || pc_line_or_type_name(capture, &capture->attr[i], made);
        plain = plain && all && is_name(made);
    }
    return all && by_line != 0 && (by_line == capture->nr_attrs || plain);
}

const char *pc_known_event_name(const struct pc_capture *capture, const struct pc_attr *attr,
                                char made[PC_LINE_NAME])
{
    return attr->name ? attr->name : pc_line_event_name(capture, attr, made);
}

const char *pc_attr_event_name(const struct pc_capture *capture, const struct pc_attr *attr,
                               char made[PC_LINE_NAME])
{
    const char *known = pc_known_event_name(capture, attr, made);
    if (is_name(known))
        return known;
    return put_name(attr, made, PC_LINE_NAME) ? made : NULL;
}
