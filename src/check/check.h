/* SPDX-License-Identifier: MIT
 *
 * check.h: checks the items of a capture, one after the other: each is judged by itself, the rules between
 * records see the facts in their order, and what both find is reported.
 */
#ifndef PC_CHECK_H
#define PC_CHECK_H

#include "check/flow.h"
#include "check/judge.h"

struct pc_check {
    struct pc_judge judge;
    struct pc_flow flow;
};

void pc_check_init(struct pc_check *check, struct pc_mem *mem, struct pc_report *report,
                   const struct pc_capture *capture);
/* The policy of the report asks for other versions from now on. */
void pc_check_ask(struct pc_check *check);
void pc_check_clear(struct pc_check *check);
void pc_check_item(struct pc_check *check, const struct pc_item *item);

#endif
