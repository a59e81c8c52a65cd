/* SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "bytes/cursor.h"

static const struct pc_value none;

struct pc_finding pc_check_finding(const struct pc_check *check, enum pc_diag id, size_t at, uint64_t length)
{
    return (struct pc_finding){
        .id = id,
        .place = check->at.place,
        .number = check->at.number,
        .subject = check->at.subject,
        .offset = check->at.offset + at,
        .length = length,
    };
}

void pc_check_say(struct pc_check *check, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen,
                  struct pc_value expected)
{
    struct pc_finding f = pc_check_finding(check, id, at, length);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(check->report, &f);
}

void pc_check_say_slot(struct pc_check *check, enum pc_diag id, unsigned slot, const char *name,
                       uint64_t width, struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_check_finding(check, id, check->slot_at[slot], width);
    pc_finding_name(&f, name);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(check->report, &f);
}

void pc_check_say_excess(struct pc_check *check, const struct pc_item *item,
                         const struct pc_record_info *info, size_t excess, size_t at)
{
    enum pc_diag id = info->excess_diag ? info->excess_diag : PC_D_RECORD_EXCESS;
    if (item->type == PC_SAMPLE && excess < 8)
        id = PC_D_SAMPLE_TAIL;
    if (id == PC_D_FINISHED_SIZE || id == PC_D_TIME_CONV_SIZE) /* the size as a whole is judged */
        pc_check_say(check, id, 6, 2, pc_uint_value(item->bytes.len), pc_uint_value(PC_RECORD_HEADER_SIZE));
    else
        pc_check_say(check, id, at, excess, pc_uint_value(excess), none);
}

static void add_step(struct pc_finding *f, const char *name, uint64_t index)
{
    if (f->depth < PC_PATH_MAX)
        f->path[f->depth++] = (struct pc_step){ name, index };
}

void pc_check_say_leaf(struct pc_check *check, enum pc_diag id, const struct pc_leaf *leaf,
                       struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_check_finding(check, id, leaf->at, leaf->raw.len);
    for (unsigned i = 0; i < leaf->walk->depth; i++)
        add_step(&f, leaf->walk->path[i].name, leaf->walk->path[i].index);
    if (leaf->field->name)
        add_step(&f, leaf->field->name, PC_NO_INDEX);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(check->report, &f);
}

void pc_check_say_beside(struct pc_check *check, enum pc_diag id, const struct pc_leaf *leaf, size_t at,
                         uint64_t length, const char *name, struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_check_finding(check, id, at, length);
    f.path[0] = leaf->walk->path[0];
    f.path[1] = (struct pc_step){ name, PC_NO_INDEX };
    f.depth = 2;
    f.seen = seen;
    f.expected = expected;
    pc_report_add(check->report, &f);
}

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
        return pc_hex_value(field->arg);
    case PC_RULE_MAX:
    case PC_RULE_IS:
        return pc_uint_value(field->arg);
    case PC_RULE_MAX_SLOT:
        return pc_uint_value(leaf->walk->slot[field->arg]);
    case PC_RULE_NONZERO:
        return pc_text_value("more than 0");
    case PC_RULE_CASE:
        return pc_uint_value(field->cases[0].lo);
    default:
        return (struct pc_value){ 0 };
    }
}

static void say_fault(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    enum pc_diag id = field->shape_diag;
    if (!id)
        id = leaf->fault == PC_FAULT_COUNT ? check->count_diag : check->short_diag;
    if (!id)
        id = PC_D_FIELD_CUT;
    switch (leaf->fault) {
    case PC_FAULT_SHORT:
        pc_check_say_leaf(check, id, leaf, pc_uint_value(leaf->left), pc_uint_value(leaf->need));
        break;
    case PC_FAULT_COUNT:
        if (field->kind == PC_HSTR)
            id = PC_D_HSTR_LEN;
        if (id == PC_D_AUXTRACE_INFO_SHORT) { /* say bytes, not entries */
            uint64_t bytes;
            if (!pc_mul(leaf->value, pc_least_size(field->sub, leaf->walk->mask), &bytes))
                bytes = UINT64_MAX;
            pc_check_say_leaf(check, id, leaf, pc_uint_value(leaf->left), pc_uint_value(bytes));
            break;
        }
        pc_check_say_leaf(check, id, leaf, pc_uint_value(leaf->value), pc_uint_value(leaf->need));
        break;
    case PC_FAULT_NO_NUL:
        pc_check_say_leaf(check, id, leaf, pc_uint_value(leaf->raw.len), pc_uint_value(leaf->raw.len + 1));
        break;
    case PC_FAULT_TEXT:
        pc_check_say_leaf(check, id, leaf, pc_bytes_value(leaf->raw), pc_text_value(field->text));
        break;
    case PC_SOUND:
        break;
    }
}

/* NUL-terminated text in an area that should be its length rounded up to 8, the rest zero. */
static void check_string(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    size_t len = (size_t)leaf->value, area = leaf->raw.len;
    if (len == 0 && !(field->flags & PC_MAY_BE_EMPTY))
        pc_check_say_leaf(check, PC_D_FILENAME_EMPTY, leaf, (struct pc_value){ 0 }, (struct pc_value){ 0 });
    bool dirty = pc_first_nonzero(pc_part(leaf->raw, len, area - len)) != area - len;
    bool longer = !(field->flags & PC_UNPADDED) && area != pc_align8(len + 1);
    /* The trailers of a few recordings, in words. */
    size_t content = (size_t)pc_align8(len + 1), most = 256;
    if (longer && dirty && (field->flags & PC_MAY_GROW) && area > content && area - content <= most &&
        (area - content) % 8 == 0) {
        pc_check_say_leaf(check, PC_D_RECORD_GROWN, leaf, pc_uint_value(area - content),
                          (struct pc_value){ 0 });
        return;
    }
    if (dirty && !longer)
        pc_check_say_leaf(check, PC_D_STRING_PADDING, leaf, (struct pc_value){ 0 }, (struct pc_value){ 0 });
    if (longer)
        pc_check_say_leaf(check, dirty ? PC_D_STRING_SWALLOWS : PC_D_STRING_AREA, leaf, pc_uint_value(area),
                          pc_uint_value(pc_align8(len + 1)));
}

static void check_header_string(struct pc_check *check, const struct pc_leaf *leaf)
{
    size_t len = (size_t)leaf->value, area = leaf->raw.len - 4;
    struct pc_span text = pc_part(leaf->raw, 4, area);
    if (len == area) {
        pc_check_say_leaf(check, PC_D_HSTR_UNTERMINATED, leaf, none, none);
        return;
    }
    size_t dirty = len + pc_first_nonzero(pc_part(text, len, area - len));
    if (dirty != area) {
        struct pc_leaf byte = *leaf;
        byte.at += 4 + dirty;
        byte.raw = pc_part(text, dirty, 1);
        pc_check_say_leaf(check, PC_D_HSTR_PADDING, &byte, none, none);
    }
    if (area % 64 != 0)
        pc_check_say_leaf(check, PC_D_HSTR_ROUNDING, leaf, pc_uint_value(area), none);
}

struct pc_value pc_leaf_text(const struct pc_leaf *leaf)
{
    return pc_bytes_value(pc_part(leaf->raw, 4, (size_t)leaf->value));
}

void pc_check_twice(struct pc_check *check)
{
    if (check->unique)
        pc_keys_say_twice(check, &check->keys, check->unique->twice_diag, check->unique->width);
    check->unique = NULL;
    check->keys.nr = 0;
    check->keys.full = false;
}

bool pc_check_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    check->work++;
    if (leaf->fault != PC_SOUND) {
        say_fault(check, leaf);
        return false;
    }
    if (field->kind == PC_CSTR)
        check_string(check, leaf);
    else if (field->kind == PC_HSTR)
        check_header_string(check, leaf);
    if (field->twice_diag) {
        check->unique = field;
        pc_keys_add(check, &check->keys, leaf->value, check->at.offset + leaf->at);
    }
    if (field->rule == PC_RULE_NONE || pc_leaf_ok(leaf))
        return true;
    enum pc_diag id = field->rule_diag;
    if (field->rule == PC_RULE_CHAIN && leaf->value == PC_CONTEXT_USER_DEFERRED)
        id = PC_D_CALLCHAIN_DEFERRED;
    if (field->rule == PC_RULE_BRANCH && (leaf->value & ~field->arg) == 0)
        id = PC_D_BRANCH_PREDICTION;
    if (id == PC_D_MMAP2_BUILD_ID_SIZE && !check->build_ids)
        id = PC_D_MMAP2_LEAKED;
    struct pc_value seen = shown(field, leaf->value);
    if (field->rule == PC_RULE_ZEROS) /* the first byte that is not */
        seen = pc_hex_value(leaf->raw.ptr[pc_first_nonzero(leaf->raw)]);
    else if (field->rule == PC_RULE_CPU_LIST)
        seen = pc_leaf_text(leaf);
    else if ((field->kind == PC_BITS || field->rule == PC_RULE_MASK) && (leaf->value & ~field->arg) != 0)
        seen.n &= ~field->arg;
    pc_check_say_leaf(check, id, leaf, seen, expected_by_rule(leaf));
    return true;
}

bool pc_check_visit(void *ctx, const struct pc_leaf *leaf)
{
    return pc_check_leaf(ctx, leaf);
}
