/* SPDX-License-Identifier: MIT
 *
 * Canonical records: their size stays but for padding, so that leaves are changed in a copy.
 */
#include "format/payload.h"
#include "write/convert.h"
#include "write/convert_leaf.h"

#include <string.h>

/* Between a string, or the last field, and the trailer is padding to 8 and nothing else; `used` bytes are
 * that. More zeros have no place in a canonical record. Other bytes were left there, the real trailer among
 * them (PC_D_RECORD_GROWN), and nobody knows where: they stay as they are. */
static bool pass_surplus(struct pc_convert *c, struct pc_span area, size_t at, size_t used)
{
    struct pc_span surplus = pc_part(area, used, area.len - used);
    if (pc_first_nonzero(surplus) == surplus.len) {
        c->surplus_at = at + used;
        c->surplus = surplus.len;
        return true;
    }
    memcpy(c->record + at + used, surplus.ptr, surplus.len);
    return pc_convert_may_keep(c, surplus, at + used);
}

/* Bytes between the leaves that were shown and this place. */
static bool pass_gap(struct pc_convert *c, struct pc_span record, size_t end)
{
    size_t start = c->covered;
    if (c->grows && end > start && (end - start) % 8 == 0)
        return pass_surplus(c, pc_part(record, start, end - start), start, 0);
    return end <= start || pc_convert_may_keep(c, pc_part(record, start, end - start), start);
}

static bool record_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_convert *c = ctx;
    if (leaf->fault != PC_SOUND)
        return pc_convert_stop(c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    if (!pass_gap(c, leaf->walk->c->in, leaf->at))
        return false;
    if ((leaf->field->flags & PC_UNKNOWN) && !pc_convert_may_keep(c, leaf->raw, leaf->at))
        return false;
    pc_convert_store_leaf(c, leaf, c->record + leaf->at);
    c->covered = leaf->at + leaf->raw.len;
    if (leaf->field->kind == PC_CSTR && !(leaf->field->flags & PC_UNPADDED) && leaf->raw.len % 8 == 0)
        return pass_surplus(c, leaf->raw, leaf->at, (size_t)pc_align8(leaf->value + 1));
    return true;
}

/* The payload of a tracepoint, when its order changes: that of the trace data, which are converted too. */
static void convert_payload(struct pc_convert *c, const struct pc_item *item, const struct pc_walk *walk,
                            uint32_t attr)
{
    struct pc_capture *capture = c->capture;
    enum pc_order from = capture->nr_tracing != 0 ? capture->tracing_order : capture->order;
    size_t at = walk->slot_at[PC_REC_RAW];
    if (at == 0)
        return;
    struct pc_span raw = pc_part(item->bytes, at, (size_t)walk->slot[PC_REC_RAW]);
    bool traced = pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT;
    const struct pc_tracepoint *format = traced ? pc_capture_format(capture, attr) : NULL;
    uint32_t field = 0;
    if (pc_first_nonzero(raw) == raw.len || (traced ? from : capture->order) == c->to)
        return; /* none, or one that was left out; or nothing changes */
    if (!format) {
        c->uncovered = true;
        return;
    }
    const char *reason = pc_payload_refusal(format, raw, from, &field);
    if (reason && c->lenient)
        return;
    if (reason) {
        pc_convert_stop(c, PC_CONVERT_PAYLOAD, at, raw.len, reason);
        c->refusal.attr = attr;
        c->refusal.field = field;
        return;
    }
    pc_payload_swap(format, c->record + at, raw.len, from);
}

/* Whether a record that its plan finds sound is canonical as it is: nothing reserved is set, strings end in
 * zeros. */
static bool plan_says_all(const struct pc_convert *c, const struct pc_item *item)
{
    const struct pc_capture *capture = c->capture;
    return pc_convert_same_order(c) && item->bytes.len % 8 == 0 &&
           !(item->type == PC_MMAP2 && (item->misc & PC_MISC_MMAP_BUILD_ID)) &&
           !(item->type == PC_SAMPLE && capture->nr_tracing != 0 && capture->tracing_order != c->to);
}

static bool is_canonical(struct pc_convert *c, const struct pc_item *item, uint32_t attr)
{
    struct pc_capture *capture = c->capture;
    uint64_t slot[PC_SLOTS];
    size_t slot_at[PC_SLOTS];
    if (!plan_says_all(c, item))
        return false;
    struct pc_sample_layout *samples = capture->layout[capture->attr[attr].layout];
    const struct pc_plan *plan = pc_capture_plan(capture, samples, item->type, item->misc);
    return plan && pc_plan_run(plan, item->bytes, slot, slot_at);
}

/* The layout of a record. False: nobody knows what is in it. */
static bool find_layout(struct pc_convert *c, const struct pc_item *item, struct pc_layout *layout,
                        uint32_t *attr)
{
    struct pc_capture *capture = c->capture;
    const struct pc_record_info *info = pc_record_info(item->type);
    *attr = PC_NO_ATTR;
    if (!info || (info->flags & PC_OF_CONTAINER))
        return false;
    *layout = pc_record_layout(NULL, item->type, item->misc, capture->mmap2_old == 1);
    if (!pc_is_kernel_type(item->type))
        return true;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    if (chosen.choice != PC_CHOSEN)
        return item->type != PC_SAMPLE; /* the fields of others depend on no attr; what follows is a gap */
    *attr = chosen.attr;
    return item->type != PC_SAMPLE ||
           pc_attr_get(&capture->attr[*attr], PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS == 0;
}

/* That of its attr, or another layout that fits. */
static void fit_layout(struct pc_convert *c, const struct pc_item *item, struct pc_layout *layout,
                       uint32_t *attr)
{
    if (*attr == PC_NO_ATTR)
        return;
    struct pc_fitting fit = pc_capture_fit(c->capture, *attr, item->type, item->misc, item->bytes);
    *layout = fit.layout;
    *attr = fit.attr;
    /* Without room for a trailer there may still be the fields. */
    if (pc_sample_id_size(layout->mask) > item->bytes.len - PC_RECORD_HEADER_SIZE)
        layout->mask &= ~PC_LAYOUT_SAMPLE_ID;
}

bool pc_convert_layout(struct pc_convert *c, const struct pc_item *item, struct pc_layout *layout,
                       uint32_t *attr)
{
    if (!find_layout(c, item, layout, attr))
        return false;
    fit_layout(c, item, layout, attr);
    return true;
}

static bool walk_record(struct pc_convert *c, const struct pc_item *item, struct pc_layout layout,
                        uint32_t attr)
{
    struct pc_cursor in = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = c->capture->order };
    struct pc_walk walk;
    size_t excess;
    fit_layout(c, item, &layout, &attr);
    c->covered = PC_RECORD_HEADER_SIZE;
    c->surplus = 0;
    c->grows = pc_record_info(item->type)->excess_diag == PC_D_RECORD_GROWN;
    pc_walk_init(&walk, &layout, &in, record_visit, c);
    walk.bulk = true;
    if (!pc_walk_record(&walk, pc_record_info(item->type), &excess)) {
        assert(c->outcome != PC_CONVERTED); /* the visitor saw what does not fit */
        return false;
    }
    if (!pass_gap(c, item->bytes, item->bytes.len))
        return false;
    if (item->type == PC_SAMPLE && attr != PC_NO_ATTR)
        convert_payload(c, item, &walk, attr);
    return c->outcome == PC_CONVERTED;
}

/* --- samples of integers, without a walk for each --- */

static bool fixed_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_fixed *f = ctx;
    const struct pc_field *field = leaf->field;
    bool padding = pc_is_padding(field);
    f->usable = leaf->fault == PC_SOUND && field->kind == PC_UINT && f->nr < PC_FIXED_MAX &&
                (field->width == 8 || field->width == 4) && (!padding || field->width == 4);
    if (!f->usable)
        return false;
    if (field->save == PC_REC_CHAIN)
        f->chain = f->nr;
    f->width[f->nr++] = padding ? 0 : field->width;
    return true;
}

/* A sample of zeros shows the integers; layouts with other parts of varying length are left to the walk. */
static void find_fixed(const struct pc_sample_layout *samples, struct pc_fixed *f)
{
    static const unsigned char zeros[1024];
    const uint64_t varying =
        PC_S_RAW | PC_S_BRANCH_STACK | PC_S_REGS_USER | PC_S_REGS_INTR | PC_S_STACK_USER | PC_S_AUX;
    uint64_t mask = samples->layout.mask;
    struct pc_layout layout = pc_record_layout(&samples->layout, PC_SAMPLE, 0, false);
    struct pc_cursor in = pc_cursor((struct pc_span){ zeros, sizeof(zeros) }, PC_LITTLE);
    struct pc_walk walk;
    *f = (struct pc_fixed){ .known = true, .chain = PC_FIXED_MAX };
    if ((mask & varying) || ((mask & PC_S_READ) && (mask & PC_LAYOUT_READ(PC_READ_GROUP))))
        return;
    in.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, &layout, &in, fixed_visit, f);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
}

/* A sample that its plan found sound. False: it is not of that kind. */
static bool convert_fixed(struct pc_convert *c, const struct pc_item *item)
{
    struct pc_capture *capture = c->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    uint32_t index = chosen.choice == PC_CHOSEN ? capture->attr[chosen.attr].layout : PC_FIXED_LAYOUTS;
    if (index >= PC_FIXED_LAYOUTS)
        return false;
    struct pc_fixed *f = &c->fixed[index];
    if (!f->known)
        find_fixed(capture->layout[index], f);
    if (!f->usable)
        return false;
    const unsigned char *from = item->bytes.ptr;
    unsigned char *to = c->record;
    size_t at = PC_RECORD_HEADER_SIZE;
    for (unsigned i = 0; i < f->nr; i++) {
        if (f->width[i] == 8)
            pc_swap(to + at, from + at, 8, 8);
        else if (f->width[i] == 4)
            pc_swap(to + at, from + at, 4, 4);
        else
            memset(to + at, 0, 4);
        at += f->width[i] == 8 ? 8 : 4;
        if (i == f->chain) {
            size_t chain = 8 * (size_t)pc_load(from + at - 8, 8, capture->order);
            pc_swap(to + at, from + at, chain, 8);
            at += chain;
        }
    }
    assert(at == item->bytes.len); /* the plan has seen to that */
    return true;
}

static size_t drop_surplus(struct pc_convert *c, size_t size)
{
    size_t from = c->surplus_at + c->surplus;
    if (c->surplus == 0)
        return size;
    memmove(c->record + c->surplus_at, c->record + from, size - from);
    return size - c->surplus;
}

static enum pc_outcome store_head(struct pc_convert *c, const struct pc_item *item, size_t size,
                                  struct pc_span *out)
{
    pc_store(c->record, 4, item->type, c->to);
    pc_store(c->record + 4, 2, item->misc, c->to);
    pc_store(c->record + 6, 2, size, c->to);
    *out = (struct pc_span){ c->record, size };
    return c->outcome;
}

enum pc_outcome pc_convert_record(struct pc_convert *c, const struct pc_item *item, struct pc_span *out)
{
    struct pc_layout layout;
    uint32_t attr;
    c->outcome = PC_CONVERTED;
    c->uncovered = false;
    if (c->by_plan && plan_says_all(c, item)) {
        *out = item->bytes;
        return PC_CONVERTED;
    }
    if (!c->record && !(c->record = pc_alloc(c->mem, PC_CONVERT_RECORD)))
        return PC_CONVERT_NO_MEMORY;
    size_t size = (size_t)pc_align8(item->bytes.len);
    if (c->by_plan && item->type == PC_SAMPLE && !pc_convert_same_order(c) && convert_fixed(c, item))
        return store_head(c, item, size, out);
    bool known = find_layout(c, item, &layout, &attr);
    if (attr != PC_NO_ATTR && known && is_canonical(c, item, attr)) {
        *out = item->bytes;
        return PC_CONVERTED;
    }
    memcpy(c->record, item->bytes.ptr, item->bytes.len);
    memset(c->record + item->bytes.len, 0, size - item->bytes.len);
    if (size > PC_RECORD_SIZE_MAX) {
        pc_convert_stop(c, PC_CONVERT_UNKNOWN, 6, 2, "no room for the padding to a multiple of 8");
        return c->outcome;
    }
    if (!known && !pc_convert_same_order(c) && !c->lenient)
        pc_convert_stop(c, PC_CONVERT_UNKNOWN, 0, item->bytes.len, "a record that no known version explains");
    else if (known && walk_record(c, item, layout, attr))
        size = drop_surplus(c, size);
    if (c->outcome == PC_CONVERT_DAMAGED && (pc_convert_same_order(c) || c->lenient)) {
        /* Readers make of it what they can; so it stays as it is. */
        memcpy(c->record, item->bytes.ptr, item->bytes.len);
        c->outcome = PC_CONVERTED;
    }
    return store_head(c, item, size, out);
}
