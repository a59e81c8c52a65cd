/* SPDX-License-Identifier: MIT
 *
 * Rules about TRACING_DATA: the texts that describe tracepoints.
 */
#include "check/features.h"
#include "format/print_fmt.h"

/* About a byte in a text of the trace data. */
static void say_in_text(struct pc_judge *judge, enum pc_diag id, const struct pc_leaf *leaf,
                        const struct pc_tp_fault *fault)
{
    const size_t most = fault->len != 0 ? fault->len : 16;
    size_t at = fault->at < leaf->raw.len ? fault->at : leaf->raw.len, left = leaf->raw.len - at;
    struct pc_finding f = pc_finding_in(&judge->at, id, leaf->at + at, left != 0);
    for (unsigned i = 0; i < leaf->walk->depth; i++)
        f.path[f.depth++] = leaf->walk->path[i];
    f.path[f.depth++] = (struct pc_step){ leaf->field->name, PC_NO_INDEX };
    f.expected = pc_text_value(fault->reason);
    f.seen = left == 0 ? pc_text_value("the end of the text")
                       : pc_bytes_value(pc_part(leaf->raw, at, left < most ? left : most));
    pc_judge_add(judge, &f);
}

/* The named version knows this function, so it does not refuse the capture. */
static bool is_known_to_reader(const struct pc_judge *judge, const struct pc_tp_fault *fault)
{
    enum pc_versions reader = judge->reader;
    return (pc_diag_info(PC_D_PRINT_FMT_NEW)->rejected_by & reader) && !(fault->versions & reader);
}

/* The text that describes a tracepoint. */
static void check_format(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    static const enum pc_diag ids[] = {
        [PC_TP_BAD_TEXT] = PC_D_TRACEPOINT_TEXT,   [PC_TP_BAD_FIELD] = PC_D_TRACEPOINT_FIELD,
        [PC_TP_BAD_PRINT] = PC_D_TRACEPOINT_PRINT, [PC_TP_UNPRINTABLE] = PC_D_TRACEPOINT_UNPRINTABLE,
        [PC_TP_NEW_PRINT] = PC_D_PRINT_FMT_NEW,    [PC_TP_DEADLY] = PC_D_PRINT_FMT_DEADLY,
    };
    if (!judge->draft)
        judge->draft = pc_alloc(judge->mem, sizeof(*judge->draft));
    struct pc_tp_draft *draft = judge->draft;
    struct pc_tp_fault fault;
    judge->in.no_draft |= !draft; /* which is reported */
    if (!draft)
        return;
    bool sound = pc_tp_read(draft, leaf->raw, leaf->walk->slot[PC_TRACING_LONG_SIZE] == 4 ? 4 : 8, &fault);
    if (sound && draft->second_at != 0) {
        const struct pc_tp_fault second = { .reason = "one dimension", .at = draft->second_at };
        say_in_text(judge, PC_D_FORMAT_DIMENSIONS, leaf, &second);
    }
    sound = sound && pc_print_fmt_check(draft, &fault);
    judge->work += draft->work;
    if (draft->has_id)
        pc_check_key(judge, draft->id, judge->at.offset + leaf->at + draft->id_at);
    if (!sound && fault.kind == PC_TP_LIMIT)
        pc_check_say_member(judge, PC_D_LIMIT_STATE, leaf->at, leaf->raw.len, fault.reason, pc_none,
                            pc_uint_value(fault.limit));
    else if (!sound && !(fault.kind == PC_TP_NEW_PRINT && is_known_to_reader(judge, &fault)))
        say_in_text(judge, ids[fault.kind], leaf, &fault);
}

void pc_check_tracing_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    struct pc_tp_fault fault;
    switch (leaf->field->save) {
    case PC_TRACING_ORDER:
        if (judge->facts.item->kind == PC_ITEM_RECORD)
            break; /* of simpleperf, which no copy swaps */
        if (leaf->value <= 1 && (leaf->value == 1) != (judge->capture->order == PC_BIG))
            pc_check_say_leaf(judge, PC_D_TRACING_ORDER, leaf, pc_none, pc_none);
        break;
    case PC_TRACING_LONG_SIZE:
        if (leaf->value != 4 && leaf->value != 8)
            pc_check_say_leaf(judge, PC_D_TRACING_MAGIC, leaf, pc_uint_value(leaf->value),
                              pc_text_value("4 or 8"));
        break;
    case PC_TRACING_HEADER_PAGE:
        judge->work += leaf->raw.len;
        if (!pc_tp_check_header_page(leaf->raw, &fault))
            say_in_text(judge, PC_D_HEADER_PAGE, leaf, &fault);
        break;
    case PC_TRACING_PRINTK:
        judge->work += leaf->raw.len;
        if (!pc_tp_check_printk(leaf->raw, &fault))
            say_in_text(judge, PC_D_TRACING_PRINTK, leaf, &fault);
        break;
    case PC_TRACING_FORMAT:
        check_format(judge, leaf);
        break;
    default:
        break;
    }
}
