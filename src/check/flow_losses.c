/* SPDX-License-Identifier: MIT
 *
 * Losses: a capture that misses much is no good sample (FORMAT.md 10, row 294).
 */
#include "check/flow_rule.h"

struct losses {
    uint64_t first; /* offset of the first record about losses */
};

static void record_loss(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    struct losses *losses = own;
    bool filtered = record->item->type == PC_LOST_SAMPLES && (record->item->misc & PC_MISC_LOST_BPF);
    (void)flow;
    if (losses->first == 0 && !filtered)
        losses->first = record->item->offset;
}

/* From a tenth of all samples on. LOST counts records of every type that found no room in a buffer; newer
 * perfs count the same losses by their events, in LOST_SAMPLES. */
static void judge_losses(struct pc_flow *flow, void *own)
{
    const struct losses *losses = own;
    uint64_t kept = flow->nr_samples, enough = kept / 9 + (kept % 9 != 0);
    bool samples = flow->sum.lost_samples >= flow->sum.lost_events;
    uint64_t lost = samples ? flow->sum.lost_samples : flow->sum.lost_events;
    if (lost != 0 && lost >= enough)
        pc_flow_say_at_end(flow, samples ? PC_D_LOST_SAMPLES_MANY : PC_D_LOST_MANY, losses->first,
                           PC_RECORD_HEADER_SIZE, pc_uint_value(lost), pc_uint_value(kept));
}

const struct pc_flow_rule pc_flow_rule_losses = {
    .size = sizeof(struct losses),
    .types = (const uint16_t[]){ PC_LOST, PC_LOST_SAMPLES, 0 },
    .record = record_loss,
    .end = judge_losses,
};
