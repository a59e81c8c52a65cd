/* SPDX-License-Identifier: MIT
 *
 * Records against each other: tasks, mappings, build ids, switches, AUX traces, times. Most rules here are
 * notes, so they are quiet where they cannot know: when records are missing (lost, damaged), when several
 * streams give no common order, and when a table is full. Nothing is judged before the end that a later
 * record could still explain, since the buffers of the CPUs are written one after the other.
 *
 * All tables together stay below 8 MiB. A sample costs two look-ups in small caches; of very many samples
 * only some are looked at.
 */
#include "check/check.h"
#include "bytes/cursor.h"

#include <stdlib.h>
#include <string.h>

static const struct pc_value none;

#define PROBES_MAX 64

/* --- tables --- */

/* The slot of a key, or the free one where it would stand, or NULL when the search takes too long. */
static struct pc_entry *probe(struct pc_check *check, const struct pc_table *table, uint64_t key)
{
    const unsigned bits = (unsigned)__builtin_ctzll(table->cap);
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15) >> (64 - bits));
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct pc_entry *entry = &table->entry[(at + i) & (table->cap - 1)];
        check->work++;
        if (entry->number_1 == 0 || entry->key == key)
            return entry;
    }
    return NULL;
}

static bool table_grow(struct pc_check *check, struct pc_table *table)
{
    struct pc_table larger = *table;
    larger.cap = table->cap ? table->cap * 2 : 64;
    if (table->cap >> table->bits > 1) /* half of it is used at most */
        return false;
    larger.entry = pc_alloc(check->mem, larger.cap * sizeof(*larger.entry));
    if (!larger.entry) {
        check->flow.no_memory = true;
        return false;
    }
    for (size_t i = 0; i < table->cap; i++) {
        if (table->entry[i].number_1 == 0)
            continue;
        struct pc_entry *entry = probe(check, &larger, table->entry[i].key);
        if (!entry) {
            pc_free(check->mem, larger.entry, larger.cap * sizeof(*larger.entry));
            return false;
        }
        *entry = table->entry[i];
    }
    pc_free(check->mem, table->entry, table->cap * sizeof(*table->entry));
    *table = larger;
    return true;
}

static struct pc_entry *table_find(struct pc_check *check, const struct pc_table *table, uint64_t key)
{
    struct pc_entry *entry = table->cap ? probe(check, table, key) : NULL;
    return entry && entry->number_1 != 0 ? entry : NULL;
}

/* The entry of a key, made when there is none: then its place is that of the structure at hand. NULL, and
 * the table is full for good, when there is no room. */
static struct pc_entry *table_add(struct pc_check *check, struct pc_table *table, uint64_t key)
{
    struct pc_entry *entry = table_find(check, table, key);
    if (entry || table->full)
        return entry;
    bool has_room = 2 * table->nr < table->cap || table_grow(check, table);
    entry = has_room ? probe(check, table, key) : NULL;
    if (!entry) {
        table->full = true;
        return NULL;
    }
    /* Of a record in a compressed one, the place is that of the outer one. */
    const struct pc_where *where = &check->report->where;
    *entry = (struct pc_entry){ .key = key,
                                .offset = where->inside ? where->wrapper_offset : check->at.offset,
                                .number_1 = 1 + (where->inside ? where->wrapper : check->at.number) };
    table->nr++;
    return entry;
}

static void table_clear(struct pc_check *check, struct pc_table *table)
{
    pc_free(check->mem, table->entry, table->cap * sizeof(*table->entry));
    *table = (struct pc_table){ 0 };
}

/* --- what all rules ask --- */

void pc_flow_init(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    flow->thread.bits = 12;
    flow->page.bits = 13;
    flow->throttle.bits = 12;
    flow->onoff.bits = 13;
    flow->symbol.bits = 13;
    flow->traced.bits = 14;
    flow->build_id.bits = 15;
    flow->owner.bits = 16;
    flow->mapped.bits = 13;
}

void pc_flow_clear(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    struct pc_table *all[] = { &flow->thread, &flow->page,     &flow->throttle, &flow->onoff, &flow->symbol,
                               &flow->traced, &flow->build_id, &flow->mapped,   &flow->owner };
    for (size_t i = 0; i < PC_COUNT_OF(all); i++)
        table_clear(check, all[i]);
    for (size_t i = 0; i < PC_COUNT_OF(flow->known); i++) {
        pc_free(check->mem, flow->known[i], PC_TID_PAGE / 8);
        flow->known[i] = NULL;
    }
    pc_free(check->mem, flow->range, flow->cap_ranges * sizeof(*flow->range));
    pc_free(check->mem, flow->cookie, sizeof(*flow->cookie) * PC_COOKIES);
    flow->range = NULL;
    flow->cookie = NULL;
    flow->cap_ranges = 0;
}

/* Grows with whatever may have taken records away: what was known before no longer holds. */
static uint64_t losses(const struct pc_check *check)
{
    return pc_add_saturated(pc_add_saturated(check->sum.lost_events, check->flow.lost_samples),
                            check->report->by_severity[PC_ERROR] + check->report->by_id[PC_D_RESYNC]);
}

static bool in_order(const struct pc_check *check)
{
    return !check->flow.several && !check->backward;
}

/* Nothing is missing, as far as can be known. Buffers that are written backwards forget the oldest. */
static bool is_complete(const struct pc_check *check)
{
    return losses(check) == 0 && !check->capture->unfinished && !check->report->unreadable && in_order(check);
}

/* At the end: about an entry, `at` bytes into its record. */
static void say_entry(struct pc_check *check, enum pc_diag id, const struct pc_entry *entry, uint32_t type,
                      size_t at, uint64_t length, struct pc_value seen, struct pc_value expected)
{
    check->at = (struct pc_context){ .place = PC_IN_RECORD,
                                     .number = entry->number_1 - 1,
                                     .subject = pc_record_info(type)->name,
                                     .offset = entry->offset };
    pc_check_say(check, id, at, length, seen, expected);
}

/* The place in a record that an entry keeps: none when the record is inside another. */
static size_t place_in(const struct pc_check *check, size_t at)
{
    return check->report->where.inside ? 0 : at;
}

/* --- tasks: FORMAT.md 10, rows 113 and 288 --- */

static void know_tid(struct pc_check *check, uint64_t tid)
{
    struct pc_flow *flow = &check->flow;
    flow->knows_tids = true;
    if (tid >= PC_TIDS)
        return;
    uint64_t **page = &flow->known[tid / PC_TID_PAGE];
    if (!*page && !(*page = pc_alloc(check->mem, PC_TID_PAGE / 8)))
        flow->no_memory = true;
    else
        pc_set_bit(*page, tid % PC_TID_PAGE);
}

static bool is_known(const struct pc_flow *flow, uint64_t tid)
{
    const uint64_t *page = tid < PC_TIDS ? flow->known[tid / PC_TID_PAGE] : NULL;
    return tid == 0 || tid == UINT32_MAX || (page && pc_bit(page, tid % PC_TID_PAGE));
}

/* A task that a record mentions; whether COMM or FORK tell of it is seen at the end. */
static void mention_tid(struct pc_check *check, uint64_t tid, uint32_t type, size_t at)
{
    struct pc_flow *flow = &check->flow;
    if (flow->knows_tids && is_known(flow, tid))
        return;
    struct pc_entry *entry = table_add(check, &flow->thread, tid);
    if (entry && entry->extra == 0)
        entry->extra = (uint64_t)place_in(check, at) << 8 | type;
}

static void judge_threads(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    check->work += flow->thread.cap;
    for (size_t i = 0; i < flow->thread.cap; i++) {
        const struct pc_entry *entry = &flow->thread.entry[i];
        uint32_t type = (uint32_t)(entry->extra & 0xff);
        if (entry->number_1 == 0 || is_known(flow, entry->key))
            continue;
        say_entry(check, type == PC_EXIT ? PC_D_EXIT_UNKNOWN : PC_D_THREAD_UNKNOWN, entry, type,
                  (size_t)(entry->extra >> 8), 4, pc_uint_value(entry->key), none);
    }
}

static void check_fork(struct pc_check *check)
{
    const uint64_t *slot = check->slot;
    know_tid(check, slot[PC_REC_TID]);
    /* Records that perf makes up have no time; init and the kernel's first thread have no parent there. */
    if (slot[PC_REC_PPID] == 0 && slot[PC_REC_START] != 0)
        pc_check_say_slot(check, PC_D_FORK_PARENT, PC_REC_PPID, "ppid", 4, pc_uint_value(0), none);
}

/* --- user addresses against mappings: row 289 --- */

static int compare_ranges(const void *a, const void *b)
{
    const struct pc_pages *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->last < y->last ? -1 : x->last > y->last;
}

/* Sorts the mappings and joins those that touch. */
static void join_ranges(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    size_t nr = 0;
    if (flow->nr_ranges > 1)
        qsort(flow->range, flow->nr_ranges, sizeof(*flow->range), compare_ranges);
    check->work += flow->nr_ranges;
    for (size_t i = 0; i < flow->nr_ranges; i++) {
        const struct pc_pages *range = &flow->range[i];
        if (nr != 0 && range->first <= flow->range[nr - 1].last + 1) {
            if (range->last > flow->range[nr - 1].last)
                flow->range[nr - 1].last = range->last;
        } else {
            flow->range[nr++] = *range;
        }
    }
    flow->nr_ranges = nr;
}

/* Room for one more; false when there are too many mappings even when joined. */
static bool ranges_make_room(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    if (flow->nr_ranges < flow->cap_ranges)
        return true;
    if (flow->cap_ranges == PC_RANGES_MAX) {
        join_ranges(check);
        return flow->nr_ranges <= PC_RANGES_MAX / 2; /* else it would be done again and again */
    }
    size_t cap = flow->cap_ranges ? flow->cap_ranges * 2 : 256;
    void *moved = pc_resize(check->mem, flow->range, flow->cap_ranges * sizeof(*flow->range),
                            cap * sizeof(*flow->range));
    if (!moved) {
        flow->no_memory = true;
        return false;
    }
    flow->range = moved;
    flow->cap_ranges = cap;
    return true;
}

static void know_mapping(struct pc_check *check, const struct pc_item *item)
{
    struct pc_flow *flow = &check->flow;
    const uint64_t *slot = check->slot;
    uint64_t last;
    if (item->misc & PC_MISC_MAPS_CUT)
        flow->no_pages = true;
    if (flow->no_pages || slot[PC_REC_ADDR] >> 63 || slot[PC_REC_LEN] == 0 ||
        !pc_add(slot[PC_REC_ADDR], slot[PC_REC_LEN] - 1, &last))
        return;
    struct pc_pages range = { slot[PC_REC_ADDR] / PC_PAGE, last / PC_PAGE };
    struct pc_pages *recent = &flow->recent_range[range.first % PC_COUNT_OF(flow->recent_range)];
    if (recent->first == range.first && recent->last == range.last)
        return;
    *recent = range;
    if (!ranges_make_room(check)) {
        flow->no_pages = true;
        return;
    }
    flow->range[flow->nr_ranges++] = range;
}

static bool is_mapped(const struct pc_flow *flow, uint64_t page)
{
    size_t low = 0, high = flow->nr_ranges;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (flow->range[middle].last < page)
            low = middle + 1;
        else
            high = middle;
    }
    return low < flow->nr_ranges && flow->range[low].first <= page;
}

static void judge_pages(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    if (flow->no_pages || flow->nr_ranges == 0)
        return;
    join_ranges(check);
    check->work += flow->page.cap;
    for (size_t i = 0; i < flow->page.cap; i++) {
        const struct pc_entry *entry = &flow->page.entry[i];
        if (entry->number_1 != 0 && !is_mapped(flow, entry->key))
            say_entry(check, PC_D_IP_UNMAPPED, entry, PC_SAMPLE, (size_t)(entry->extra & 0xff), 8,
                      pc_hex_value(entry->key * PC_PAGE + (entry->extra >> 8)), none);
    }
}

/* --- build ids: row 290 --- */

/* Eight bytes at a time; what is found by it is a file name, and no more is made of it. */
static uint64_t hash_bytes(uint64_t hash, struct pc_span bytes)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    hash = (hash ^ bytes.len) * factor;
    for (size_t i = 0; i < bytes.len; i += 8) {
        uint64_t word = 0;
        if (bytes.len - i >= 8) {
            word = pc_load(bytes.ptr + i, 8, PC_LITTLE);
        } else {
            for (size_t k = i; k < bytes.len; k++)
                word = word << 8 | bytes.ptr[k];
        }
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    return hash;
}

/* A file and its build id, zeros behind the size left out. */
static void hash_file(struct pc_span name, struct pc_span id, uint64_t *file, uint64_t *pair)
{
    while (id.len > 0 && id.ptr[id.len - 1] == 0)
        id.len--;
    *file = hash_bytes(1, name);
    *pair = hash_bytes(*file, id);
}

void pc_flow_build_id(struct pc_check *check, struct pc_span name, struct pc_span id)
{
    uint64_t file, pair;
    hash_file(name, id, &file, &pair);
    if (id.len == 0 || pc_first_nonzero(id) == id.len)
        return;
    table_add(check, &check->flow.build_id, file);
    table_add(check, &check->flow.build_id, pair);
}

/* A file with another build id than before. The section of a file and the records of a pipe, which come to
 * stand in one in a copy, are looked at together. */
void pc_flow_owner(struct pc_check *check, struct pc_span in, size_t at, size_t name_len)
{
    const size_t id_at = at + 4, id_len = 20, name_at = at + 28;
    struct pc_table *table = &check->flow.owner;
    uint64_t file, pair;
    hash_file(pc_part(in, name_at, name_len), pc_part(in, id_at, id_len), &file, &pair);
    size_t before = table->nr;
    struct pc_entry *entry = table_add(check, table, hash_bytes(file, pc_part(in, at, 4)));
    if (!entry)
        return;
    if (table->nr == before && entry->extra != pair)
        pc_check_say(check, PC_D_BUILD_ID_TWICE, id_at, id_len, none, none);
    entry->extra = pair;
}

/* perf 6.17 to 6.19 makes the records of all kernel modules in one buffer, and leaves in each the build id of
 * the module before (tools/perf/util/synthetic-events.c: perf_event__synthesize_modules_maps_cb). */
static bool has_id_of_other_module(struct pc_check *check, const struct pc_item *item, uint64_t file,
                                   struct pc_span id)
{
    struct pc_flow *flow = &check->flow;
    const unsigned kernel = 1;
    uint64_t pid = pc_load(item->bytes.ptr + PC_RECORD_HEADER_SIZE, 4, check->capture->order);
    uint64_t file_before = flow->module_file, id_before = flow->module_id;
    if ((item->misc & PC_MISC_CPUMODE) != kernel || pid != UINT32_MAX)
        return false;
    flow->module_file = file;
    flow->module_id = hash_bytes(1, id);
    return flow->module_id == id_before && file != file_before;
}

static void note_mapped_file(struct pc_check *check, const struct pc_item *item)
{
    struct pc_flow *flow = &check->flow;
    unsigned mode = item->misc & PC_MISC_CPUMODE;
    uint64_t size = check->slot[PC_REC_BUILD_ID_SIZE], file, pair;
    if (!(item->misc & PC_MISC_MMAP_BUILD_ID) || size == 0 || size > 20 || (mode != 1 && mode != 2))
        return;
    struct pc_span name = pc_part(item->bytes, check->slot_at[PC_REC_NAME], (size_t)check->slot[PC_REC_NAME]);
    struct pc_span id = pc_part(item->bytes, check->slot_at[PC_REC_BUILD_ID_SIZE] + 4, (size_t)size);
    hash_file(name, id, &file, &pair);
    if (has_id_of_other_module(check, item, file, id)) {
        struct pc_finding f =
            pc_check_finding(check, PC_D_MODULE_BUILD_ID, check->slot_at[PC_REC_BUILD_ID_SIZE] + 4, size);
        pc_finding_name(&f, "build_id");
        pc_report_add(check->report, &f);
        return;
    }
    uint64_t *recent = &flow->recent_file[pair % PC_COUNT_OF(flow->recent_file)];
    if (*recent == pair)
        return;
    *recent = pair;
    struct pc_entry *entry = table_add(check, &flow->mapped, pair);
    if (entry)
        entry->extra = file;
}

static void say_limit(struct pc_check *check, const char *what, uint64_t most)
{
    struct pc_finding f = { .id = PC_D_LIMIT_STATE, .place = PC_AT_END };
    f.offset = check->at.offset;
    pc_finding_name(&f, what);
    f.expected = pc_uint_value(most);
    pc_report_add(check->report, &f);
}

static void judge_build_ids(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    if (flow->owner.full)
        say_limit(check, "files with build ids", flow->owner.nr);
    if ((flow->mapped.nr == 0 && !flow->mapped.full) || (flow->build_id.nr == 0 && !flow->build_id.full))
        return;
    if (flow->mapped.full || flow->build_id.full)
        say_limit(check, "build ids", flow->build_id.full ? flow->build_id.nr : flow->mapped.nr);
    check->work += flow->mapped.cap;
    for (size_t i = 0; i < flow->mapped.cap; i++) {
        const struct pc_entry *entry = &flow->mapped.entry[i];
        if (entry->number_1 == 0 || flow->build_id.full ||
            !table_find(check, &flow->build_id, entry->extra) ||
            table_find(check, &flow->build_id, entry->key))
            continue;
        say_entry(check, PC_D_BUILD_ID_DIFFERS, entry, PC_MMAP2, 0, pc_record_info(PC_MMAP2)->min, none,
                  none);
    }
}

/* --- two states that alternate: rows 112, 291 --- */

/* Moves the entry of a key into a state; true when it was in it before and nothing got lost between. */
static bool stays(struct pc_check *check, struct pc_table *table, uint64_t key, bool state)
{
    struct pc_entry *entry = table_add(check, table, key);
    if (!entry)
        return false;
    uint64_t now = (losses(check) + 1) << 1 | state, before = entry->extra;
    entry->extra = now;
    return before == now;
}

static void check_throttle(struct pc_check *check, const struct pc_item *item)
{
    uint64_t stream = check->slot[PC_REC_STREAM];
    bool on = item->type == PC_THROTTLE;
    if (in_order(check) && stays(check, &check->flow.throttle, stream, on))
        pc_check_say_slot(check, PC_D_THROTTLE_TWICE, PC_REC_STREAM, "stream_id", 8, pc_uint_value(stream),
                          none);
}

/* On one CPU, one event (and, for SWITCH, of one task) tells of going in and out in turn. */
static void check_switch(struct pc_check *check, const struct pc_item *item, uint32_t attr, uint64_t mask)
{
    bool wide = item->type == PC_SWITCH_CPU_WIDE, out = item->misc & PC_MISC_SWITCH_OUT;
    uint64_t cpu = check->slot[PC_SLOT_CPU], tid = wide ? UINT32_MAX : check->slot[PC_SLOT_TID];
    const uint64_t needed = PC_S_CPU | (wide ? 0 : PC_S_TID);
    if (!in_order(check) || !(mask & PC_LAYOUT_SAMPLE_ID) || (mask & needed) != needed || cpu >= 1u << 20 ||
        attr >= 1u << 12)
        return;
    if (stays(check, &check->flow.onoff, cpu << 44 | (uint64_t)attr << 32 | tid, !out) && !out)
        pc_check_say(check, PC_D_SWITCH_IN_TWICE, 4, 2, pc_hex_value(item->misc), none);
}

/* --- symbols: row 292 --- */

enum { SYMBOL_CAME = 1, SYMBOL_WENT = 2 };

/* Only programs of BPF: perf tells of those that were there before the recording, if it may read them. */
static void check_ksymbol(struct pc_check *check)
{
    const uint64_t bpf = 1, unregister = 1, *slot = check->slot;
    struct pc_flow *flow = &check->flow;
    if (slot[PC_REC_TYPE] != bpf || slot[PC_REC_ADDR] == 0)
        return;
    bool went = slot[PC_REC_FLAGS] & unregister;
    struct pc_entry *entry = table_add(check, &flow->symbol, slot[PC_REC_ADDR]);
    if (entry)
        entry->extra |= went ? SYMBOL_WENT : SYMBOL_CAME;
    flow->has_symbols |= !went;
}

static void judge_symbols(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    check->work += flow->symbol.cap;
    if (flow->symbol.full || !flow->has_symbols)
        return;
    for (size_t i = 0; i < flow->symbol.cap; i++) {
        const struct pc_entry *entry = &flow->symbol.entry[i];
        if (entry->number_1 != 0 && entry->extra == SYMBOL_WENT)
            say_entry(check, PC_D_KSYMBOL_UNREGISTER, entry, PC_KSYMBOL, 0, pc_record_info(PC_KSYMBOL)->min,
                      pc_hex_value(entry->key), none);
    }
}

/* --- deferred call chains: row 110 --- */

enum { COOKIE_FREE, COOKIE_SAMPLED, COOKIE_MATCHED, COOKIE_ALONE };

/* Cookies stand in sets of a few. One that found its record makes room first; when one that has not must
 * go, that is remembered. */
static struct pc_cookie *find_cookie(struct pc_check *check, uint64_t value)
{
    struct pc_flow *flow = &check->flow;
    struct pc_cookie *room = NULL;
    if (!flow->cookie)
        flow->cookie = pc_alloc(check->mem, sizeof(*flow->cookie) * PC_COOKIES);
    if (!flow->cookie) {
        flow->forgot_cookie = true;
        return NULL;
    }
    size_t set = (size_t)((value * 0x9e3779b97f4a7c15) >> 32) % (PC_COOKIES / PC_COOKIE_WAYS);
    check->work += PC_COOKIE_WAYS;
    for (size_t i = 0; i < PC_COOKIE_WAYS; i++) {
        static const unsigned order[] = { 3, 1, 2, 0 }; /* which state makes room first */
        struct pc_cookie *one = &flow->cookie[set * PC_COOKIE_WAYS + i];
        if (one->state != COOKIE_FREE && one->value == value)
            return one;
        if (!room || order[one->state] > order[room->state] ||
            (one->state == room->state && one->age < room->age))
            room = one;
    }
    if (room->state == COOKIE_SAMPLED || room->state == COOKIE_ALONE)
        flow->forgot_cookie = true;
    *room = (struct pc_cookie){ .value = value, .age = flow->cookies++ };
    return room;
}

static void note_cookie(struct pc_check *check, uint64_t value)
{
    struct pc_cookie *cookie = find_cookie(check, value);
    if (!cookie)
        return;
    if (cookie->state == COOKIE_FREE)
        cookie->state = COOKIE_SAMPLED;
    else if (cookie->state == COOKIE_ALONE)
        cookie->state = COOKIE_MATCHED;
}

static void check_deferred(struct pc_check *check)
{
    struct pc_cookie *cookie = find_cookie(check, check->slot[PC_REC_COOKIE]);
    const struct pc_where *where = &check->report->where;
    if (!cookie)
        return;
    if (cookie->state == COOKIE_SAMPLED)
        cookie->state = COOKIE_MATCHED;
    if (cookie->state != COOKIE_FREE)
        return;
    cookie->state = COOKIE_ALONE;
    cookie->offset = where->inside ? where->wrapper_offset : check->at.offset;
    cookie->number = where->inside ? where->wrapper : check->at.number;
    cookie->at = place_in(check, check->slot_at[PC_REC_COOKIE]);
}

static void judge_cookies(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    bool said = false;
    if (!flow->cookie) {
        if (flow->forgot_cookie)
            say_limit(check, "cookies of call chains", 0);
        return;
    }
    check->work += PC_COOKIES;
    for (size_t i = 0; i < PC_COOKIES; i++) {
        const struct pc_cookie *one = &flow->cookie[i];
        struct pc_entry entry = { .offset = one->offset, .number_1 = one->number + 1 };
        if (one->state != COOKIE_ALONE)
            continue;
        if (!flow->forgot_cookie)
            say_entry(check, PC_D_DEFERRED_ALONE, &entry, PC_CALLCHAIN_DEFERRED, one->at, 8,
                      pc_hex_value(one->value), none);
        else if (!said)
            say_limit(check, "cookies of call chains", PC_COOKIES);
        said = true;
    }
}

/* The chain of a sample may end with a mark and the cookie of what is still to come. */
struct chain_end {
    const struct pc_field *entries;
    uint64_t before, last;
};

static bool chain_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct chain_end *end = ctx;
    if (leaf->field->rule == PC_RULE_CHAIN && leaf->fault == PC_SOUND) {
        end->before = end->last;
        end->last = leaf->value;
    }
    return true;
}

static void check_chain(struct pc_check *check, const struct pc_item *item,
                        const struct pc_sample_layout *samples)
{
    enum pc_order order = check->capture->order;
    struct chain_end end = { 0 };
    if (samples->chain_at != 0) {
        const unsigned char *chain = item->bytes.ptr + samples->chain_at;
        uint64_t nr = pc_load(chain, 8, order);
        if (nr < 2)
            return;
        end.before = pc_load(chain + 8 * (nr - 1), 8, order);
        end.last = pc_load(chain + 8 * nr, 8, order);
    } else {
        struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = order };
        struct pc_layout layout = pc_record_layout(&samples->layout, PC_SAMPLE, item->misc, false);
        struct pc_walk walk;
        pc_walk_init(&walk, &layout, &c, chain_visit, &end);
        pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
        check->work += walk.work;
    }
    if (end.before == PC_CONTEXT_USER_DEFERRED)
        note_cookie(check, end.last);
}

/* --- AUX traces: rows 161, 162 --- */

enum { TRACED_IDX = 1, TRACED_CPU, TRACED_TID };

static uint64_t traced_key(uint64_t what, uint64_t value)
{
    return what << 32 | (uint32_t)value;
}

void pc_flow_id_index(struct pc_check *check, const struct pc_leaf *leaf)
{
    struct pc_table *traced = &check->flow.traced;
    if (leaf->field->save == PC_REC_IDX)
        table_add(check, traced, traced_key(TRACED_IDX, leaf->value));
    else if (leaf->field->save == PC_SLOT_CPU)
        table_add(check, traced, traced_key(TRACED_CPU, leaf->value));
    else if (leaf->field->save == PC_REC_TID)
        table_add(check, traced, traced_key(TRACED_TID, leaf->value));
}

static void check_traced(struct pc_check *check, unsigned slot, uint64_t what, const char *name)
{
    uint64_t value = check->slot[slot];
    if ((value == UINT32_MAX && what != TRACED_IDX) ||
        table_find(check, &check->flow.traced, traced_key(what, value)))
        return;
    pc_check_say_slot(check, PC_D_AUXTRACE_NOT_INDEXED, slot, name, 4, pc_uint_value(value), none);
}

void pc_flow_auxtrace(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    flow->auxtrace_bytes = pc_add_saturated(flow->auxtrace_bytes, check->slot[PC_REC_SIZE]);
    if (flow->traced.nr == 0 && !flow->traced.full)
        return;
    if (flow->traced.full) {
        if (!flow->said_traced)
            say_limit(check, "entries of ID_INDEX", flow->traced.nr);
        flow->said_traced = true;
        return;
    }
    check_traced(check, PC_REC_IDX, TRACED_IDX, "idx");
    check_traced(check, PC_SLOT_CPU, TRACED_CPU, "cpu");
    check_traced(check, PC_REC_TID, TRACED_TID, "tid");
}

static void judge_aux(struct pc_check *check)
{
    const struct pc_flow *flow = &check->flow;
    uint64_t aux = flow->aux_bytes, traced = flow->auxtrace_bytes;
    const uint64_t padding = 7; /* of each trace, to a multiple of 8 */
    if (!flow->has_aux || check->nr_auxtrace == 0 || flow->aux_overwrites)
        return;
    if (aux <= traced && traced - aux <= padding * check->nr_auxtrace)
        return;
    struct pc_finding f = { .id = PC_D_AUX_TOTAL, .place = PC_AT_END };
    f.offset = check->first_auxtrace;
    f.length = pc_record_info(PC_AUXTRACE)->min;
    f.seen = pc_uint_value(traced);
    f.expected = pc_uint_value(aux);
    pc_report_add(check->report, &f);
}

/* --- times and losses: rows 293 to 295 --- */

void pc_flow_sample_time(struct pc_check *check, uint64_t first, uint64_t last, size_t at)
{
    struct pc_flow *flow = &check->flow;
    flow->first_time = first;
    flow->last_time = last;
    flow->times_at = check->at.offset + at;
    flow->times_number = check->at.number;
    flow->times_in_record = check->at.place == PC_IN_RECORD;
    flow->has_times = true;
}

static void judge_sample_time(struct pc_check *check)
{
    const struct pc_flow *flow = &check->flow;
    const struct pc_summary *sum = &check->sum;
    uint64_t first = flow->first_time, last = flow->last_time;
    if (!flow->has_times || !sum->has_time || first > last || last == 0 || first == UINT64_MAX)
        return; /* not known, or said otherwise */
    bool outside = sum->first_time < first || sum->last_time > last;
    if (!outside && sum->first_time == first && sum->last_time == last)
        return;
    bool early = outside ? sum->first_time < first : sum->first_time > first;
    struct pc_finding f = { .id = outside ? PC_D_SAMPLE_TIME_OUTSIDE : PC_D_SAMPLE_TIME_WIDER };
    f.place = flow->times_in_record ? PC_IN_RECORD : PC_IN_FEATURE;
    f.number = flow->times_number;
    f.subject = pc_feature_info(PC_SAMPLE_TIME)->name;
    f.offset = flow->times_at + (early ? 0 : 8);
    f.length = 8;
    pc_finding_name(&f, early ? "first" : "last");
    f.seen = pc_uint_value(early ? first : last);
    f.expected = pc_uint_value(early ? sum->first_time : sum->last_time);
    pc_report_add(check->report, &f);
}

/* As perf warns, when more than a twentieth is lost: tools/perf/util/session.c:
 * perf_session__warn_about_errors. */
static void judge_lost(struct pc_check *check)
{
    uint64_t lost = check->sum.lost_events, kept = check->nr_samples;
    if (check->flow.lost_samples > lost) /* newer perfs count the same losses in both */
        lost = check->flow.lost_samples;
    if (lost < PC_LOST_FEW || lost <= kept / 19)
        return;
    struct pc_finding f = { .id = PC_D_LOST_MANY, .place = PC_AT_END };
    f.offset = check->flow.first_lost;
    f.length = PC_RECORD_HEADER_SIZE;
    f.seen = pc_uint_value(lost);
    f.expected = pc_uint_value(kept);
    pc_report_add(check->report, &f);
}

/* The first record with a time behind FINISHED_INIT. */
static void check_after_init(struct pc_check *check, uint64_t mask)
{
    struct pc_flow *flow = &check->flow;
    uint64_t time = check->slot[PC_SLOT_TIME];
    if (!(mask & PC_S_TIME) || time == 0 || time == UINT64_MAX)
        return;
    flow->after_init = false;
    if (time < flow->init_time && in_order(check))
        pc_check_say_slot(check, PC_D_TIME_BEFORE_INIT, PC_SLOT_TIME, "time", 8, pc_uint_value(time),
                          pc_uint_value(flow->init_time));
}

void pc_flow_finished_init(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    flow->init_time = check->newest;
    flow->after_init = true;
    check->skip = 0;
    memset(flow->recent_tid, 0xff, sizeof(flow->recent_tid)); /* the next sample is looked at again */
}

/* --- the records --- */

/* A task or a page that was not seen lately, and call chains that go on elsewhere. */
static void look_closely(struct pc_check *check, const struct pc_item *item,
                         const struct pc_sample_layout *samples)
{
    struct pc_flow *flow = &check->flow;
    uint64_t mask = samples->layout.mask;
    if (flow->after_init)
        check_after_init(check, mask);
    if (samples->ip_at != 0 && (item->misc & PC_MISC_CPUMODE) == 2) {
        uint64_t ip = pc_load(item->bytes.ptr + samples->ip_at, 8, check->capture->order),
                 page = ip / PC_PAGE;
        flow->recent_page[page % PC_COUNT_OF(flow->recent_page)] = page;
        /* The upper half is the kernel's; user addresses there are those of vsyscall. */
        struct pc_entry *entry = page != 0 && ip >> 63 == 0 && !flow->no_pages && !flow->page.full
                                     ? table_add(check, &flow->page, page)
                                     : NULL;
        if (entry && entry->extra == 0)
            entry->extra = (ip % PC_PAGE) << 8 | place_in(check, samples->ip_at);
    }
    if (samples->tid_at != 0) {
        uint32_t tid = (uint32_t)pc_load(item->bytes.ptr + samples->tid_at, 4, check->capture->order);
        flow->recent_tid[tid % PC_COUNT_OF(flow->recent_tid)] = tid;
        mention_tid(check, tid, PC_SAMPLE, samples->tid_at);
    }
    if (samples->defers)
        check_chain(check, item, samples);
}

/* Whether task and page of a sample were seen lately. Both are read whether they are there or not (a record
 * is longer than what is read at 0) and nothing branches on them: a branch that is guessed wrong costs more
 * than all the rest. */
static inline __attribute__((always_inline)) bool seen_lately(const struct pc_flow *flow,
                                                              const struct pc_item *item,
                                                              const struct pc_sample_layout *samples,
                                                              const enum pc_order order)
{
    uint32_t tid = (uint32_t)pc_load(item->bytes.ptr + samples->tid_at, 4, order);
    uint64_t page = pc_load(item->bytes.ptr + samples->ip_at, 8, order) / PC_PAGE;
    bool no_tid = samples->tid_at == 0,
         no_page = (samples->ip_at == 0) | ((item->misc & PC_MISC_CPUMODE) != 2);
    return (no_tid | (flow->recent_tid[tid % PC_COUNT_OF(flow->recent_tid)] == tid)) &
           (no_page | (flow->recent_page[page % PC_COUNT_OF(flow->recent_page)] == page)) & !samples->defers;
}

void pc_flow_look(struct pc_check *check, const struct pc_item *item, const struct pc_sample_layout *samples)
{
    if (check->nr_samples >= PC_SAMPLES_MANY && !check->defer_output && !check->flow.after_init)
        check->skip = PC_SAMPLES_SKIPPED;
    if (!(check->capture->order == PC_LITTLE ? seen_lately(&check->flow, item, samples, PC_LITTLE)
                                             : seen_lately(&check->flow, item, samples, PC_BIG)))
        look_closely(check, item, samples);
}

void pc_flow_record(struct pc_check *check, const struct pc_item *item,
                    const struct pc_sample_layout *samples, uint32_t attr)
{
    struct pc_flow *flow = &check->flow;
    const uint64_t *slot = check->slot, mask = samples->layout.mask;
    if (flow->after_init && (mask & PC_LAYOUT_SAMPLE_ID))
        check_after_init(check, mask);
    switch (item->type) {
    case PC_MMAP:
        know_mapping(check, item);
        break;
    case PC_MMAP2:
        know_mapping(check, item);
        note_mapped_file(check, item);
        break;
    case PC_COMM:
        know_tid(check, slot[PC_REC_TID]);
        break;
    case PC_FORK:
        check_fork(check);
        break;
    case PC_EXIT:
        /* A task may end while perf still lists those that were there: its records come in the first round.
         */
        if (check->had_round)
            mention_tid(check, slot[PC_REC_TID], PC_EXIT, check->slot_at[PC_REC_TID]);
        break;
    case PC_THROTTLE:
    case PC_UNTHROTTLE:
        check_throttle(check, item);
        break;
    case PC_SWITCH:
    case PC_SWITCH_CPU_WIDE:
        check_switch(check, item, attr, mask);
        break;
    case PC_KSYMBOL:
        check_ksymbol(check);
        break;
    case PC_AUX:
        flow->has_aux = true;
        flow->aux_bytes = pc_add_saturated(flow->aux_bytes, slot[PC_REC_LEN]);
        flow->aux_overwrites |= (slot[PC_REC_FLAGS] & PC_AUX_OVERWRITE) != 0;
        break;
    case PC_LOST_SAMPLES:
        if (item->misc & PC_MISC_LOST_BPF)
            break; /* a filter dropped them, as it was told to */
        flow->lost_samples = pc_add_saturated(flow->lost_samples, slot[PC_REC_LOST]);
        /* fall through */
    case PC_LOST:
        if (flow->first_lost == 0)
            flow->first_lost = item->offset;
        break;
    case PC_CALLCHAIN_DEFERRED:
        if (check->defer_output)
            check_deferred(check);
        break;
    default:
        break;
    }
}

void pc_flow_end(struct pc_check *check)
{
    struct pc_flow *flow = &check->flow;
    judge_lost(check);
    judge_build_ids(check);
    if (flow->no_memory)
        say_limit(check, "records", 0);
    if (flow->no_memory || !is_complete(check))
        return;
    judge_aux(check);
    judge_sample_time(check);
    judge_symbols(check);
    judge_cookies(check);
    if (flow->knows_tids)
        judge_threads(check);
    judge_pages(check);
}
