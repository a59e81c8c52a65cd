/* SPDX-License-Identifier: MIT
 *
 * batch.c: judges samples many at once, and tells the rules between records what they have in common.
 */
#include "check/batch.h"

struct pc_run pc_check_pass(struct pc_check *check, struct pc_span ahead, uint32_t stream,
                            struct pc_workers *workers, uint64_t offset)
{
    const struct pc_flow *flow = &check->flow;
    struct pc_hints hints;
    if (ahead.len < PC_RECORD_HEADER_SIZE ||
        pc_load_head(ahead.ptr, check->judge.capture->order).type != PC_SAMPLE)
        return (struct pc_run){ 0 };
    if (flow->stream != stream || check->judge.at.place != PC_IN_RECORD || !pc_flow_hints(flow, &hints))
        return (struct pc_run){ 0 };
    struct pc_run run = { 0 };
    if (workers)
        run = pc_workers_run(workers, check, offset, &ahead, &hints);
    if (run.nr == 0)
        run = pc_judge_run(&check->judge, ahead, &hints, &flow->seen);
    if (run.nr != 0)
        pc_flow_run(&check->flow, &run);
    check->judge.work += run.nr;
    return run;
}

void pc_check_passed(struct pc_check *check, const struct pc_item *last)
{
    check->judge.at = pc_item_context(last);
    check->judge.facts.by_plan = true;
}
