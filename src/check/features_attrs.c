/* SPDX-License-Identifier: MIT
 *
 * Features that repeat or group the attrs, compared with them: EVENT_DESC and GROUP_DESC.
 */
#include "check/features.h"
#include "bytes/cursor.h"

static const struct pc_value none;

/* What perf looks for here only, whether or not the capture has this attr: header.c: perf_attr_check. */
static void check_event_bits(struct pc_check *check, const struct pc_leaf *leaf)
{
    unsigned bits = 64, slot = leaf->field->save;
    if (slot == PC_ATTR_READ_FORMAT)
        bits = PC_READ_BITS;
    if (slot == PC_ATTR_BRANCH_TYPE && (leaf->walk->slot[PC_ATTR_SAMPLE_TYPE] & PC_S_BRANCH_STACK))
        bits = PC_BRANCH_BITS;
    if (bits < 64 && leaf->value >> bits)
        pc_check_say_leaf(check, PC_D_EVENT_DESC_UNKNOWN, leaf, pc_hex_value(leaf->value >> bits << bits),
                          none);
    if (slot == PC_ATTR_AUX_ACTION && leaf->value != 0) {
        pc_check_for_leaf(check, PC_D_FOR_AUX_ACTION, leaf);
        if (check->capture->order == PC_BIG)
            pc_check_for_leaf(check, PC_D_FOR_ORDER_AUX_ACTION, leaf);
    }
}

/* In a pipe attrs may come after the features about them: those are kept. */
static bool knows_attrs(const struct pc_check *check)
{
    return !check->capture->is_pipe || check->in.at_end;
}

/* EVENT_DESC repeats the attrs; members that the model keeps are compared. */
static void event_desc_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_capture *capture = check->capture;
    uint64_t event = index_at(leaf, 0);
    unsigned slot = leaf->field->save;
    if (!check->in.at_end)
        check_event_bits(check, leaf);
    if (!knows_attrs(check))
        return;
    if (slot == PC_EVENT_DESC_NR && capture->nr_attrs != 0 && leaf->value != capture->nr_attrs)
        pc_check_say_leaf(check, PC_D_EVENT_DESC_DIFFERS, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(capture->nr_attrs));
    if (event >= capture->nr_attrs)
        return;
    const struct pc_attr *attr = &capture->attr[event];
    if (leaf->walk->depth == 2 && slot >= PC_ATTR_TYPE && slot <= PC_ATTR_REGS_INTR) {
        if (leaf->value != pc_attr_get(attr, slot))
            pc_check_say_leaf(check, PC_D_EVENT_DESC_DIFFERS, leaf, pc_hex_value(leaf->value),
                              pc_hex_value(pc_attr_get(attr, slot)));
    } else if (slot == PC_EVENT_DESC_NR_IDS) {
        bool known = pc_check_knows_all_ids(check);
        check->in.ids_differ = !known || leaf->value != attr->nr_ids;
        if (known && check->in.ids_differ)
            pc_check_say_leaf(check, PC_D_EVENT_DESC_IDS, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(event));
    } else if (!leaf->field->name && leaf->walk->depth == 2) {
        if (!check->in.ids_differ && leaf->value != 0 && pc_capture_attr_of(capture, leaf->value) != event)
            pc_check_say_leaf(check, PC_D_EVENT_DESC_IDS, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(event));
    }
}

/* Groups follow each other in the order of attrs: header.c: process_group_desc. */
static void group_desc_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_capture *capture = check->capture;
    uint64_t leader = leaf->walk->slot[PC_GROUP_LEADER], members = leaf->value;
    unsigned slot = leaf->field->save;
    if (slot == PC_GROUP_NR && leaf->value == 0)
        pc_check_say_leaf(check, PC_D_GROUP_DESC_EMPTY, leaf, none, none);
    if (capture->nr_attrs == 0 && !knows_attrs(check))
        return; /* an old one, where features come before attrs */
    if (slot == PC_GROUP_LEADER && (leader >= capture->nr_attrs || leader < check->in.group_end))
        pc_check_say_leaf(check, PC_D_GROUP_DESC, leaf, pc_uint_value(leader),
                          pc_text_value("name an attr after the groups before it"));
    if (slot != PC_GROUP_MEMBERS || leader >= capture->nr_attrs)
        return;
    if (members == 0 || members > capture->nr_attrs - leader) {
        pc_check_say_leaf(check, PC_D_GROUP_DESC, leaf, pc_uint_value(members),
                          pc_text_value("count the attrs of the group that exist"));
        return;
    }
    uint64_t format = pc_attr_get(&capture->attr[leader], PC_ATTR_READ_FORMAT);
    uint64_t end = leader + members;
    check->work += members;
    for (uint64_t i = leader < check->in.group_end ? check->in.group_end : leader; i < end; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t own = pc_attr_get(attr, PC_ATTR_READ_FORMAT);
        if (own != format && (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_READ))
            pc_check_say_attr(check, PC_D_GROUP_READ_FORMAT, i, PC_ATTR_READ_FORMAT, pc_hex_value(own),
                              pc_hex_value(format));
    }
    if (end > check->in.group_end)
        check->in.group_end = end;
}

void pc_check_attrs_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    if (check->in.feature == PC_EVENT_DESC)
        event_desc_leaf(check, leaf);
    else
        group_desc_leaf(check, leaf);
}

/* --- features that come before the attrs (pipes of perf before 4.17) --- */

static const uint64_t kept_features[] = { PC_EVENT_DESC, PC_GROUP_DESC };

static void clear_kept(struct pc_check *check, struct pc_kept *kept)
{
    pc_free(check->mem, kept->bytes, kept->size);
    *kept = (struct pc_kept){ 0 };
}

void pc_check_features_clear(struct pc_check *check)
{
    pc_free(check->mem, check->features.draft, sizeof(*check->features.draft));
    for (size_t i = 0; i < PC_COUNT_OF(check->features.kept); i++)
        clear_kept(check, &check->features.kept[i]);
}

/* The last one counts, as for readers. Without memory nothing can be compared, which is reported. */
void pc_check_keep_feature(struct pc_check *check, uint64_t bit, struct pc_span record, size_t start)
{
    static_assert(PC_COUNT_OF(kept_features) == PC_COUNT_OF(((struct pc_check *)0)->features.kept),
                  "room for each");
    for (size_t i = 0; i < PC_COUNT_OF(kept_features); i++) {
        struct pc_kept *kept = &check->features.kept[i];
        if (kept_features[i] != bit)
            continue;
        clear_kept(check, kept);
        kept->bytes = pc_alloc(check->mem, record.len);
        if (!kept->bytes) {
            const struct pc_context end = { .place = PC_AT_END,
                                            .where = check->at.where,
                                            .offset = check->at.offset };
            pc_report_say(check->report, &end, PC_D_LIMIT_STATE, 0, 0, "records", none, pc_uint_value(0));
            return;
        }
        memcpy(kept->bytes, record.ptr, record.len);
        kept->size = record.len;
        kept->had_no_attrs = check->capture->nr_attrs == 0;
        kept->start = start;
        kept->about =
            pc_record_context(PC_HEADER_FEATURE, check->at.number, check->at.where, check->at.offset);
    }
}

/* Only comparisons with attrs: findings about the bytes alone were reported earlier. */
static bool late_visit(void *ctx, const struct pc_leaf *leaf)
{
    const struct pc_check *check = ctx;
    if (leaf->fault != PC_SOUND)
        return false;
    if (check->in.feature != PC_GROUP_DESC || leaf->field->save != PC_GROUP_NR || leaf->value != 0)
        pc_check_attrs_leaf(ctx, leaf);
    return true;
}

void pc_check_compare_kept(struct pc_check *check)
{
    for (size_t i = 0; i < PC_COUNT_OF(kept_features); i++) {
        const struct pc_kept *kept = &check->features.kept[i];
        struct pc_cursor c =
            pc_cursor((struct pc_span){ kept->bytes, (size_t)kept->size }, check->capture->order);
        struct pc_walk walk;
        if (!kept->bytes)
            continue;
        if (kept->had_no_attrs && check->report->errors != 0)
            continue; /* they may be missing for another reason */
        check->at = kept->about;
        check->in = (struct pc_feature_state){ .feature = kept_features[i], .at_end = true };
        c.pos = kept->start;
        pc_walk_init(&walk, NULL, &c, late_visit, check);
        pc_walk_table(&walk, pc_feature_info(kept_features[i])->fields);
        check->work += walk.work;
    }
}
