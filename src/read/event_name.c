/* SPDX-License-Identifier: MIT
 *
 * Names of events, as perf calls them: tools/perf/util/evsel.c.
 */
#include "read/event_name.h"

#include <ctype.h>
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
    while (name && isgraph((unsigned char)name[len]))
        len++;
    return len != 0 && len < PC_EVENT_TYPE_NAME && name[len] == 0;
}

const char *pc_attr_event_name(const struct pc_attr *attr, char made[PC_EVENT_TYPE_NAME])
{
    if (is_name(attr->name))
        return attr->name;
    return put_name(attr, made, PC_EVENT_TYPE_NAME) ? made : NULL;
}
