/* SPDX-License-Identifier: MIT
 *
 * User addresses of samples: a mapping covers each (FORMAT.md 10, row 289).
 */
#include "check/flow_rule.h"

#include <stdlib.h>

#define RANGES_MAX 65536

/* A mapping, in pages. */
struct pages {
    uint64_t first, last;
};

struct mappings {
    bool full; /* some did not fit: the rule reports nothing */
    struct pages *range;
    size_t nr, cap;
    struct pages recent[1024]; /* by the low bits of the first page */
    struct pc_set used;        /* pages of samples: the address in it and its place in the record */
};

static int compare_pages(const void *a, const void *b)
{
    const struct pages *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->last < y->last ? -1 : x->last > y->last;
}

/* Sorts the mappings and joins those that touch. */
static void join_ranges(struct pc_flow *flow, struct mappings *maps)
{
    size_t nr = 0;
    if (maps->nr > 1)
        qsort(maps->range, maps->nr, sizeof(*maps->range), compare_pages);
    flow->work += maps->nr;
    for (size_t i = 0; i < maps->nr; i++) {
        const struct pages *range = &maps->range[i];
        if (nr != 0 && range->first <= maps->range[nr - 1].last + 1) {
            if (range->last > maps->range[nr - 1].last)
                maps->range[nr - 1].last = range->last;
        } else {
            maps->range[nr++] = *range;
        }
    }
    maps->nr = nr;
}

/* Room for one more; false when there are too many mappings even when joined. */
static bool make_room(struct pc_flow *flow, struct mappings *maps)
{
    if (maps->nr == RANGES_MAX) {
        join_ranges(flow, maps);
        return maps->nr <= RANGES_MAX / 2; /* else it would be done again and again */
    }
    bool grown = pc_grow(flow->mem, &maps->range, &maps->cap, maps->nr + 1, sizeof(*maps->range));
    flow->no_memory |= !grown;
    return grown;
}

static void note_mapping(struct pc_flow *flow, struct mappings *maps, const struct pc_facts *record)
{
    uint64_t addr = record->slot[PC_REC_ADDR], len = record->slot[PC_REC_LEN], last;
    maps->full |= (record->item->misc & PC_MISC_MAPS_CUT) != 0;
    if (maps->full || addr >> 63 || len == 0 || !pc_add(addr, len - 1, &last))
        return;
    struct pages range = { addr / PC_PAGE, last / PC_PAGE };
    struct pages *recent = &maps->recent[range.first % PC_COUNT_OF(maps->recent)];
    if (recent->first == range.first && recent->last == range.last)
        return;
    *recent = range;
    if (make_room(flow, maps))
        maps->range[maps->nr++] = range;
    else
        maps->full = true;
}

static void note_page(struct pc_flow *flow, struct mappings *maps, const struct pc_facts *record)
{
    const unsigned bits = 13;
    size_t ip_at = record->layout->ip_at;
    if (ip_at == 0 || (record->item->misc & PC_MISC_CPUMODE) != PC_MODE_USER || maps->full || maps->used.full)
        return;
    uint64_t ip = pc_load(record->item->bytes.ptr + ip_at, 8, flow->capture->order);
    if (ip / PC_PAGE == 0 ||
        ip >> 63) /* the upper half is the kernel's; user addresses there are vsyscall's */
        return;
    struct pc_entry *entry = pc_flow_add(flow, &maps->used, bits, ip / PC_PAGE);
    if (entry && entry->extra == 0)
        entry->extra = (ip % PC_PAGE) << 8 | pc_flow_place_in(flow, ip_at);
}

static void record_mapping(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    if (record->item->type == PC_SAMPLE)
        note_page(flow, own, record);
    else
        note_mapping(flow, own, record);
}

static bool is_mapped(const struct mappings *maps, uint64_t page)
{
    size_t at =
        pc_lower_bound(maps->range, maps->nr, sizeof(*maps->range), offsetof(struct pages, last), page);
    return at < maps->nr && maps->range[at].first <= page;
}

static void judge_pages(struct pc_flow *flow, void *own)
{
    struct mappings *maps = own;
    if (maps->full || maps->nr == 0)
        return;
    join_ranges(flow, maps);
    flow->work += maps->used.nr;
    for (size_t i = 0; i < maps->used.nr; i++) {
        const struct pc_entry *entry = (const struct pc_entry *)maps->used.entry + i;
        if (!is_mapped(maps, entry->key))
            pc_flow_say_entry(flow, PC_D_IP_UNMAPPED, entry, PC_SAMPLE, (size_t)(entry->extra & 0xff), 8,
                              pc_hex_value(entry->key * PC_PAGE + (entry->extra >> 8)));
    }
}

static void clear_mappings(struct pc_flow *flow, void *own)
{
    struct mappings *maps = own;
    pc_free(flow->mem, maps->range, maps->cap * sizeof(*maps->range));
    pc_set_clear(flow->mem, &maps->used);
}

const struct pc_flow_rule pc_flow_rule_mappings = {
    .size = sizeof(struct mappings),
    .types = (const uint16_t[]){ PC_SAMPLE, PC_MMAP, PC_MMAP2, 0 },
    .needs_all = true,
    .record = record_mapping,
    .end = judge_pages,
    .clear = clear_mappings,
};
