/* SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "report/report.h"

static void take_finding(void *ctx, const struct pc_finding *finding)
{
    pc_flow_finding(ctx, finding);
}

static void take_field(void *ctx, const struct pc_facts *facts, const struct pc_leaf *leaf)
{
    pc_flow_field(ctx, facts, leaf);
}

void pc_check_init(struct pc_check *check, struct pc_mem *mem, struct pc_report *report,
                   const struct pc_capture *capture)
{
    pc_judge_init(&check->judge, mem, capture);
    check->judge.wanted = check->flow.wants_fields;
    check->judge.on_finding = take_finding;
    check->judge.show = take_field;
    check->judge.ctx = &check->flow;
    pc_flow_init(&check->flow, mem, report, capture);
    pc_check_ask(check);
}

void pc_check_ask(struct pc_check *check)
{
    const struct pc_policy *policy = check->flow.report->policy;
    check->judge.reader = policy->reader;
    pc_flow_ask(&check->flow, (enum pc_versions)(policy->reader | policy->noted));
    check->judge.asked = check->flow.asked & PC_BY_ALL;
}

void pc_check_clear(struct pc_check *check)
{
    pc_flow_clear(&check->flow);
    pc_judge_clear(&check->judge);
}

void pc_check_item(struct pc_check *check, const struct pc_item *item)
{
    pc_flow_facts(&check->flow, pc_judge_item(&check->judge, item));
    if (item->joined)
        pc_flow_facts(&check->flow, pc_judge_item(&check->judge, item->joined));
}
