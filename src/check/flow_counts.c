/* SPDX-License-Identifier: MIT
 *
 * Counts of perf stat: times never become less from one round to the next (FORMAT.md 10, row 362).
 */
#include "check/flow_rule.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Times of a count, in nanoseconds. */
struct times {
    uint64_t enabled, running;
};

/* The counts of one event, CPU and thread. */
struct count {
    uint64_t key;
    struct times first, before, now; /* in two earlier rounds, and in the last one that it came in */
    uint64_t round;                  /* the number of this, from 1 */
    uint64_t record_before, record;  /* 1 + the numbers of the records of before and now */
};

struct counts {
    uint64_t rounds;
    struct pc_set set;
};

/* The rule looks at so many counts of a round, at most. */
#define COUNTS_MAX ((size_t)1 << 14)

static struct count *find_count(struct pc_flow *flow, struct counts *own, const uint64_t *slot, uint32_t attr)
{
    const uint64_t before = own->set.work, cpu = slot[PC_SLOT_CPU] & UINT16_MAX;
    const uint64_t key = (uint64_t)attr << 48 | cpu << 32 | slot[PC_REC_THREAD];
    own->set.entry_size = sizeof(struct count);
    own->set.key_size = sizeof(key);
    own->set.most = COUNTS_MAX;
    struct count *count = pc_set_add(flow->mem, &own->set, &key);
    flow->work += own->set.work - before;
    flow->no_memory |= own->set.no_memory;
    return count;
}

/* The record before is wrong when the count became less than there, but not than it was before that: both
 * records around it agree. Of two alone, the first is when it has a time of years. */
static uint64_t find_blamed(const struct count *count)
{
    const struct times *first = &count->first, *now = &count->now;
    const uint64_t years = UINT64_C(1) << 56; /* 2.3 years */
    bool agree = now->enabled >= first->enabled && now->running >= first->running &&
                 now->running - first->running <= now->enabled - first->enabled;
    bool known = first->enabled != 0 || (count->before.enabled > years && now->enabled != 0);
    return agree && known ? count->record_before : 0;
}

static void say_less(struct pc_flow *flow, const struct count *count, const struct pc_facts *record,
                     unsigned slot, uint64_t seen, uint64_t before)
{
    const struct pc_where *where = &flow->at.where;
    struct pc_finding f = pc_flow_in_slot(flow, record, PC_D_STAT_LESS, slot);
    f.seen = pc_uint_value(seen);
    f.expected = pc_uint_value(before);
    f.blamed = where->member || where->inside ? 0 : find_blamed(count); /* numbers of one stream */
    if (f.blamed != 0) {
        char words[PC_VALUE_MAX];
        snprintf(words, sizeof(words), "%" PRIu64 " in record #%" PRIu64, before, f.blamed - 1);
        f.expected = pc_bytes_value((struct pc_span){ (const unsigned char *)words, strlen(words) });
    }
    pc_report_add(flow->report, &f);
}

/* perf takes the difference to the round before, and divides by that of the time enabled:
 * tools/perf/util/stat.c: evsel__compute_deltas. */
static void check_count(struct pc_flow *flow, struct counts *own, const struct pc_facts *record)
{
    const uint64_t *slot = record->slot;
    const struct times now = { slot[PC_REC_ENABLED], slot[PC_REC_RUNNING] };
    uint32_t attr = pc_capture_attr_of(flow->capture, slot[PC_SLOT_ID]);
    if (attr == PC_NO_ATTR || attr > UINT16_MAX || now.running > now.enabled)
        return; /* id 0 is that of several events; of the rest PC_D_STAT_ID and PC_D_STAT_RUN speak */
    struct count *count = find_count(flow, own, slot, attr);
    if (!count)
        return;
    if (count->round != own->rounds + 1) {
        count->first = count->before;
        count->before = count->now;
        count->record_before = count->record;
        count->round = own->rounds + 1;
    }
    count->now = now;
    count->record = record->item->number + 1;
    const bool less = now.enabled < count->before.enabled || now.running < count->before.running;
    if (now.enabled < count->before.enabled)
        say_less(flow, count, record, PC_REC_ENABLED, now.enabled, count->before.enabled);
    else if (now.running < count->before.running)
        say_less(flow, count, record, PC_REC_RUNNING, now.running, count->before.running);
    else if (now.running - count->before.running > now.enabled - count->before.enabled)
        pc_flow_say_slot(flow, record, PC_D_STAT_RUN_MORE, PC_REC_RUNNING,
                         pc_uint_value(now.running - count->before.running),
                         pc_uint_value(now.enabled - count->before.enabled));
    if (less && flow->salvages &&
        find_blamed(count) == 0) { /* this one goes, and the next may be less, too */
        count->now = count->before;
        count->record = count->record_before;
    }
}

static void record_counts(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    struct counts *counts = own;
    if (record->item->type == PC_STAT_ROUND)
        counts->rounds++;
    else
        check_count(flow, counts, record);
}

static void clear_counts(struct pc_flow *flow, void *own)
{
    struct counts *counts = own;
    pc_set_clear(flow->mem, &counts->set);
}

const struct pc_flow_rule pc_flow_rule_counts = {
    .size = sizeof(struct counts),
    .types = (const uint16_t[]){ PC_STAT, PC_STAT_ROUND, 0 },
    .record = record_counts,
    .clear = clear_counts,
};
