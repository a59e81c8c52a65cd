/* SPDX-License-Identifier: MIT
 *
 * Losses: a capture that misses much is no good sample (FORMAT.md 10, row 295).
 */
#include "check/flow_rule.h"

#define LOST_FEW 100 /* fewer are not worth a word */

struct losses {
    uint64_t first; /* offset of the first record about losses */
};

static void record_loss(struct pc_flow *flow, void *own, const struct pc_sound_record *record)
{
    struct losses *losses = own;
    bool samples = record->item->type == PC_LOST_SAMPLES;
    uint64_t *lost = samples ? &flow->lost_samples : &flow->lost_events;
    if (samples && (record->item->misc & PC_MISC_LOST_BPF))
        return; /* a filter dropped them, as it was told to */
    *lost = pc_add_saturated(*lost, record->slot[PC_REC_LOST]);
    if (losses->first == 0)
        losses->first = record->item->offset;
}

/* As perf warns, when more than a twentieth is lost: tools/perf/util/session.c:
 * perf_session__warn_about_errors. */
static void judge_losses(struct pc_flow *flow, void *own)
{
    const struct losses *losses = own;
    uint64_t lost = flow->lost_events, kept = flow->nr_samples;
    if (flow->lost_samples > lost) /* newer perfs count the same losses in both */
        lost = flow->lost_samples;
    if (lost < LOST_FEW || lost <= kept / 19)
        return;
    pc_flow_say_at_end(flow, PC_D_LOST_MANY, losses->first, PC_RECORD_HEADER_SIZE, pc_uint_value(lost),
                       pc_uint_value(kept));
}

const struct pc_flow_rule pc_flow_rule_losses = {
    .size = sizeof(struct losses),
    .types = (const uint8_t[]){ PC_LOST, PC_LOST_SAMPLES, 0 },
    .record = record_loss,
    .end = judge_losses,
};
