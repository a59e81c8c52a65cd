/* SPDX-License-Identifier: MIT
 *
 * say.c: findings about the current item, made and reported.
 */
#include "check/judge.h"

void pc_judge_add(struct pc_judge *judge, const struct pc_finding *finding)
{
    judge->errors += pc_diag_is_damage(finding->id);
    judge->on_finding(judge->ctx, finding);
}

__attribute__((noinline)) void pc_check_say_member(struct pc_judge *judge, enum pc_diag id, size_t at,
                                                   uint64_t length, const char *name, struct pc_value seen,
                                                   struct pc_value expected)
{
    struct pc_finding f = pc_finding_in(&judge->at, id, at, length);
    if (name)
        pc_finding_name(&f, name);
    f.seen = seen;
    f.expected = expected;
    pc_judge_add(judge, &f);
}

void pc_check_say(struct pc_judge *judge, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen,
                  struct pc_value expected)
{
    pc_check_say_member(judge, id, at, length, NULL, seen, expected);
}

void pc_check_say_slot(struct pc_judge *judge, enum pc_diag id, unsigned slot, struct pc_value seen,
                       struct pc_value expected)
{
    const struct pc_field *field = pc_record_row(judge->facts.info, slot);
    pc_check_say_member(judge, id, judge->facts.slot_at[slot], field->width, field->name, seen, expected);
}

void pc_check_say_excess(struct pc_judge *judge, const struct pc_item *item,
                         const struct pc_record_info *info, size_t excess, size_t at)
{
    enum pc_diag id = info->excess_diag ? info->excess_diag : PC_D_RECORD_EXCESS;
    if (item->type == PC_SAMPLE && excess < 8)
        id = PC_D_SAMPLE_TAIL;
    if (info->flags & PC_SIZE_AS_A_WHOLE)
        pc_check_say(judge, id, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len),
                     pc_uint_value(PC_RECORD_HEADER_SIZE));
    else
        pc_check_say(judge, id, at, excess, pc_uint_value(excess), pc_none);
}

void pc_check_say_leaf(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf,
                       struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_leaf_finding(&judge->at, id, leaf, seen, expected);
    pc_judge_add(judge, &f);
}

void pc_check_say_beside(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf, size_t at,
                         uint64_t length, const char *name, struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_finding_in(&judge->at, id, at, length);
    f.path[0] = leaf->walk->path[0];
    f.path[1] = (struct pc_step){ name, PC_NO_INDEX };
    f.depth = 2;
    f.seen = seen;
    f.expected = expected;
    pc_judge_add(judge, &f);
}
