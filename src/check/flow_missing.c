/* SPDX-License-Identifier: MIT
 *
 * What a capture has to have.
 */
#include "check/flow_rule.h"

static void judge_missing(struct pc_flow *flow, void *own)
{
    const struct pc_capture *capture = flow->capture;
    const uint64_t attrs_at =
        capture->is_pipe ? PC_PIPE_HEADER_SIZE : pc_row_at(pc_file_header, PC_HEAD_ATTRS_OFFSET);
    (void)own;
    if (!pc_bit(capture->seen, PC_NRCPUS) && !capture->unfinished)
        pc_report_add(flow->report, &(struct pc_finding){ .id = PC_D_NRCPUS_MISSING, .place = PC_AT_END });
    if (capture->nr_attrs == 0 && !capture->attrs_damaged &&
        pc_report_count(flow->report, (enum pc_diag[]){ PC_D_RECORD_BEFORE_ATTR, PC_D_ATTRS_NEEDED }, 2) == 0)
        pc_report_add(flow->report,
                      &(struct pc_finding){ .id = PC_D_ATTRS_NONE, .place = PC_AT_END, .offset = attrs_at });
    if (capture->is_pipe && capture->has_header_features && !capture->features_ended)
        pc_flow_say(flow, PC_D_END_MARK_MISSING, 0, 0, pc_none, pc_none);
    if (capture->is_pipe && capture->nr_attrs != 0 && !pc_capture_has_names(capture))
        pc_flow_say(flow, PC_D_EVENT_NAMES_MISSING, 0, 0, pc_none, pc_none);
}

const struct pc_flow_rule pc_flow_rule_missing = {
    .end = judge_missing,
};
