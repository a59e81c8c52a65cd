/* SPDX-License-Identifier: MIT
 *
 * leaf.c: the rules of one field, as its row names them.
 */
#include "check/judge.h"
#include "bytes/cursor.h"

static struct pc_value shown(const struct pc_field *field, uint64_t value)
{
    struct pc_value v = pc_uint_value(value);
    if (field->show == PC_AS_HEX || field->kind == PC_BITS || field->rule == PC_RULE_MASK)
        v.kind = PC_V_HEX;
    return v;
}

static struct pc_value expected_by_rule(const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_MASK:
    case PC_RULE_DATA_SRC:
        return pc_hex_value(field->arg);
    case PC_RULE_MAX:
    case PC_RULE_IS:
        return pc_uint_value(field->arg);
    case PC_RULE_MAX_SLOT:
        return pc_uint_value(leaf->walk->slot[field->arg]);
    case PC_RULE_NONZERO:
        return pc_text_value("more than 0");
    case PC_RULE_CASE:
        return field->cases[0].lo == field->cases[0].hi ? pc_uint_value(field->cases[0].lo) : pc_none;
    default:
        return pc_none;
    }
}

static void say_fault(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    enum pc_diag id = field->shape_diag;
    if (!id)
        id = leaf->fault == PC_FAULT_COUNT ? judge->count_diag : judge->short_diag;
    if (!id)
        id = PC_D_FIELD_CUT;
    switch (leaf->fault) {
    case PC_FAULT_SHORT:
        pc_check_say_leaf(judge, id, leaf, pc_uint_value(leaf->left), pc_uint_value(leaf->need));
        break;
    case PC_FAULT_COUNT:
        if (field->kind == PC_HSTR)
            id = PC_D_HSTR_LEN;
        if ((field->flags & PC_TOLD_IN_BYTES) || (id == PC_D_FIELD_CUT && field->sub)) {
            uint64_t bytes;
            if (!pc_mul(leaf->value, pc_least_size(field->sub, leaf->walk->mask), &bytes))
                bytes = UINT64_MAX;
            pc_check_say_leaf(judge, id, leaf, pc_uint_value(leaf->left), pc_uint_value(bytes));
            break;
        }
        pc_check_say_leaf(judge, id, leaf, pc_uint_value(leaf->value), pc_uint_value(leaf->need));
        break;
    case PC_FAULT_NO_NUL:
        pc_check_say_leaf(judge, id, leaf, pc_uint_value(leaf->raw.len), pc_uint_value(leaf->raw.len + 1));
        break;
    case PC_FAULT_TEXT:
        pc_check_say_leaf(judge, id, leaf, pc_bytes_value(leaf->raw), pc_text_value(field->text));
        break;
    case PC_FAULT_MESSAGE:
        pc_check_say_leaf(judge, id, leaf, pc_none, pc_none);
        break;
    case PC_SOUND:
        break;
    }
}

/* NUL-terminated text in an area that should be its length rounded up to 8, the rest zero. */
static void check_string(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    size_t len = (size_t)leaf->value, area = leaf->raw.len;
    if (len == 0 && !(field->flags & PC_MAY_BE_EMPTY))
        pc_check_say_leaf(judge, PC_D_FILENAME_EMPTY, leaf, pc_none, pc_none);
    bool dirty = pc_first_nonzero(pc_part(leaf->raw, len, area - len)) != area - len;
    bool longer = !(field->flags & PC_UNPADDED) && area != pc_align8(len + 1);
    /* The trailers of a few recordings, in words. */
    size_t content = (size_t)pc_align8(len + 1), most = 256;
    if (longer && dirty && (field->flags & PC_MAY_GROW) && area > content && area - content <= most &&
        (area - content) % 8 == 0) {
        pc_check_say_leaf(judge, PC_D_RECORD_GROWN, leaf, pc_uint_value(area - content), pc_none);
        return;
    }
    if (dirty && !longer)
        pc_check_say_leaf(judge, PC_D_STRING_PADDING, leaf, pc_none, pc_none);
    if (longer)
        pc_check_say_leaf(judge, dirty ? PC_D_STRING_SWALLOWS : PC_D_STRING_AREA, leaf, pc_uint_value(area),
                          pc_uint_value(pc_align8(len + 1)));
}

static void check_header_string(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    size_t len = (size_t)leaf->value, area = leaf->raw.len - 4;
    struct pc_span text = pc_part(leaf->raw, 4, area);
    if (len == area) {
        pc_check_say_leaf(judge, PC_D_HSTR_UNTERMINATED, leaf, pc_none, pc_none);
        return;
    }
    size_t dirty = len + pc_first_nonzero(pc_part(text, len, area - len));
    if (dirty != area) {
        struct pc_leaf byte = *leaf;
        byte.at += 4 + dirty;
        byte.raw = pc_part(text, dirty, 1);
        pc_check_say_leaf(judge, PC_D_HSTR_PADDING, &byte, pc_none, pc_none);
    }
    if (area % 64 != 0)
        pc_check_say_leaf(judge, PC_D_HSTR_ROUNDING, leaf, pc_uint_value(area), pc_none);
}

void pc_check_key(struct pc_judge *judge, uint64_t value, uint64_t offset)
{
    if (pc_keys_add(judge->mem, &judge->keys, value, offset))
        return;
    struct pc_finding f = pc_keys_full(&judge->keys, &judge->at, offset);
    pc_judge_add(judge, &f);
}

void pc_check_duplicates(struct pc_judge *judge, enum pc_diag id, uint64_t width)
{
    const struct pc_keys *keys = &judge->keys;
    pc_keys_sort(&judge->keys);
    for (size_t i = 1; i < keys->nr; i++) {
        if (keys->key[i].value != keys->key[i - 1].value)
            continue;
        struct pc_finding f = pc_finding_in(&judge->at, id, 0, width);
        f.offset = keys->key[i].offset;
        pc_finding_name(&f, "number");
        f.seen = pc_uint_value(keys->key[i].value);
        f.expected = pc_text_value("once only");
        pc_judge_add(judge, &f);
    }
}

void pc_check_twice(struct pc_judge *judge)
{
    if (judge->unique)
        pc_check_duplicates(judge, judge->unique->twice_diag, judge->unique->width);
    judge->unique = NULL;
    judge->keys.nr = 0;
    judge->keys.full = false;
}

static void say_broken(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    uint64_t value = leaf->value, new_type = pc_branch_new_type(value), wrong = value & ~field->arg;
    struct pc_value seen = shown(field, value), expected = expected_by_rule(leaf);
    bool other = false, bits = field->kind == PC_BITS || field->rule == PC_RULE_MASK;
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_CHAIN:
        other = value == PC_CONTEXT_USER_DEFERRED;
        break;
    case PC_RULE_BRANCH:
        if (new_type >= PC_BRANCH_NEW) {
            pc_check_say_leaf(judge, PC_D_BRANCH_NEW_TYPE, leaf, pc_uint_value(new_type),
                              pc_uint_value(PC_BRANCH_NEW - 1));
            return;
        }
        other = wrong == 0;
        break;
    case PC_RULE_DATA_SRC:
        other = pc_levels_text(value) > PC_LEVELS_TEXT_MAX;
        expected = other ? pc_none : expected;
        bits = !other;
        break;
    case PC_RULE_MAX: /* a build id, and no event asks for them */
        other = field->other_diag && !(judge->capture->flags & PC_FLAG_BUILD_ID);
        break;
    case PC_RULE_ZEROS: /* the first byte that is not */
        seen = pc_hex_value(leaf->raw.ptr[pc_first_nonzero(leaf->raw)]);
        break;
    case PC_RULE_CPU_LIST:
        seen = pc_leaf_text(leaf);
        break;
    default:
        break;
    }
    if (bits && wrong != 0)
        seen.n = wrong;
    pc_check_say_leaf(judge, other ? field->other_diag : field->rule_diag, leaf, seen, expected);
}

bool pc_check_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    judge->work++;
    if (leaf->fault != PC_SOUND) {
        say_fault(judge, leaf);
        return false;
    }
    if (field->kind == PC_CSTR)
        check_string(judge, leaf);
    else if (field->kind == PC_HSTR)
        check_header_string(judge, leaf);
    if (field->twice_diag) {
        judge->unique = field;
        pc_check_key(judge, leaf->value, judge->at.offset + leaf->at);
    }
    if (field->rule == PC_RULE_NONE || pc_leaf_ok(leaf))
        return true;
    say_broken(judge, leaf);
    return true;
}

bool pc_check_visit(void *ctx, const struct pc_leaf *leaf)
{
    return pc_check_leaf(ctx, leaf);
}

bool pc_check_knows_id(const struct pc_judge *judge, uint64_t value)
{
    const struct pc_capture *capture = judge->capture;
    if (!pc_capture_knows_all_ids(capture))
        return true; /* it may be one of those that are missing */
    return value == 0 ? capture->lists_id_zero : pc_capture_attr_of(capture, value) != PC_NO_ATTR;
}

void pc_check_user_id(struct pc_judge *judge, enum pc_diag id, uint64_t value, size_t at)
{
    if (!pc_check_knows_id(judge, value))
        pc_check_say_member(judge, id, at, 8, "id", pc_uint_value(value), pc_none);
}
