/* SPDX-License-Identifier: MIT
 *
 * Features that were lost, of what is left: names of events for EVENT_DESC, and BUILD_ID.
 */
#include "write/content_parts.h"
#include "write/salvage.h"
#include "bytes/cursor.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- names of events, as perf calls them: tools/perf/util/evsel.c --- */

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

/* --- build ids --- */

/* perf pads names to this (tools/perf/util/header.h: NAME_ALIGN). */
#define NAME_ALIGN 64

/* Makes the entry that perf writes for a file of the host (tools/perf/util/build-id.c: write_buildid).
 * Returns its size. */
static size_t make_entry(const struct pc_content *c, const struct pc_item *item, struct pc_span id,
                         struct pc_span name, unsigned char *entry)
{
    const enum pc_order order = c->scan->capture.order;
    size_t at = pc_build_id_name_at(false), size = at + (name.len / NAME_ALIGN + 1) * NAME_ALIGN;
    uint16_t misc = (uint16_t)(PC_MISC_BUILD_ID_SIZE | (item->misc & PC_MISC_CPUMODE));
    memset(entry, 0, size);
    pc_store_head(entry, (struct pc_record_head){ 0, misc, (uint16_t)size }, order);
    pc_store(entry + pc_build_id_at(PC_BUILD_ID_PID), 4, UINT32_MAX, order);
    memcpy(entry + pc_build_id_at(PC_BUILD_ID_BYTES), id.ptr, id.len);
    pc_store(entry + pc_build_id_at(PC_BUILD_ID_LEN), 1, id.len, order);
    memcpy(entry + at, name.ptr, name.len);
    return size;
}

void pc_fold_mapped_build_id(struct pc_content *c, const struct pc_item *item)
{
    enum { NAME_MAX_LEN = 4095 };
    struct pc_capture *capture = &c->scan->capture;
    if (!(item->misc & PC_MISC_MMAP_BUILD_ID) || !pc_is_of_host(item->misc) ||
        !(c->made_build_ids || (c->reader && !(c->reader->flags & PC_FLAG_BUILD_ID)) ||
          (c->salvage && pc_salvage_lost_feature(c->salvage, PC_BUILD_ID))))
        return;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    uint32_t attr = chosen.choice == PC_CHOSEN ? chosen.attr : 0;
    if (capture->nr_attrs == 0)
        return;
    const struct pc_layout layout = pc_capture_fit(capture, attr, item->type, item->misc, item->bytes).layout;
    struct pc_cursor body = pc_record_body(item->bytes, capture->order);
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, &layout, &body, NULL, NULL);
    if (!pc_walk_record(&walk, pc_item_info(item), &excess))
        return;
    uint64_t id = walk.slot[PC_REC_BUILD_ID_SIZE], len = walk.slot[PC_REC_NAME];
    size_t id_at = walk.slot_at[PC_REC_BUILD_ID];
    if (walk.slot_at[PC_REC_BUILD_ID_SIZE] == 0 || id == 0 || id > PC_BUILD_ID_MAX || len == 0 ||
        len > NAME_MAX_LEN)
        return;
    static const char kernel[] = "[kernel.kallsyms]"; /* the symbol that the mapping begins at follows */
    const unsigned char *name = item->bytes.ptr + walk.slot_at[PC_REC_NAME];
    if (len >= sizeof(kernel) - 1 && memcmp(name, kernel, sizeof(kernel) - 1) == 0)
        len = sizeof(kernel) - 1;
    unsigned char entry[NAME_MAX_LEN + 1 + 2 * NAME_ALIGN];
    struct pc_span bytes = { entry, make_entry(c, item, pc_part(item->bytes, id_at, (size_t)id),
                                               pc_part(item->bytes, walk.slot_at[PC_REC_NAME], (size_t)len),
                                               entry) };
    if (!c->made_build_ids && c->salvage && pc_salvage_lost_feature(c->salvage, PC_BUILD_ID))
        pc_salvage_note_made(c->salvage, PC_BUILD_ID);
    c->made_build_ids = true;
    pc_fold_made_build_id(c, item, bytes);
}
