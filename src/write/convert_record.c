/* SPDX-License-Identifier: MIT
 *
 * Canonical records: their size stays but for padding, so that leaves are changed in a copy.
 */
#include "format/payload.h"
#include "write/convert.h"
#include "write/convert_leaf.h"

#include <string.h>

struct record {
    struct pc_convert *c;
    size_t covered;             /* up to here leaves were shown */
    size_t surplus_at, surplus; /* padding that has no place in the canonical record */
    bool grows;                 /* bytes between fields and trailer are left over: see PC_D_RECORD_GROWN */
};

/* Between a string, or the last field, and the trailer is padding to 8 and nothing else; `used` bytes are
 * that. More zeros have no place in a canonical record. Other bytes were left there, the real trailer among
 * them (PC_D_RECORD_GROWN), at an unknown place: they stay as they are. */
static bool pass_surplus(struct record *r, struct pc_span area, size_t at, size_t used)
{
    struct pc_span surplus = pc_part(area, used, area.len - used);
    if (pc_first_nonzero(surplus) == surplus.len) {
        r->surplus_at = at + used;
        r->surplus = surplus.len;
        return true;
    }
    memcpy(r->c->record + at + used, surplus.ptr, surplus.len);
    return pc_convert_may_keep(r->c, surplus, at + used);
}

/* Bytes between the leaves that were shown and this place. */
static bool pass_gap(struct record *r, struct pc_span record, size_t end)
{
    size_t start = r->covered;
    if (r->grows && end > start && (end - start) % 8 == 0)
        return pass_surplus(r, pc_part(record, start, end - start), start, 0);
    return end <= start || pc_convert_may_keep(r->c, pc_part(record, start, end - start), start);
}

static bool record_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct record *r = ctx;
    struct pc_convert *c = r->c;
    if (leaf->fault != PC_SOUND)
        return pc_convert_stop(c, PC_CONVERT_DAMAGED, leaf->at, leaf->raw.len, "its fields do not fit");
    if (!pass_gap(r, leaf->walk->c->in, leaf->at))
        return false;
    if ((leaf->field->flags & PC_UNKNOWN) && !pc_convert_may_keep(c, leaf->raw, leaf->at))
        return false;
    pc_convert_store_leaf(c, leaf, c->record + leaf->at);
    r->covered = leaf->at + leaf->raw.len;
    if (leaf->field->kind == PC_CSTR && !(leaf->field->flags & PC_UNPADDED) && leaf->raw.len % 8 == 0)
        return pass_surplus(r, leaf->raw, leaf->at, (size_t)pc_align8(leaf->value + 1));
    return true;
}

/* The payload of a tracepoint, when its order changes: that of the trace data, which are converted too. */
static void convert_payload(struct pc_convert *c, const struct pc_item *item, const struct pc_walk *walk,
                            uint32_t attr)
{
    const struct pc_capture *capture = c->capture;
    enum pc_order from = pc_payload_order(capture), to = pc_payload_order_in(capture, c->to);
    size_t at = walk->slot_at[PC_REC_RAW];
    if (at == 0)
        return;
    struct pc_span raw = pc_part(item->bytes, at, (size_t)walk->slot[PC_REC_RAW]);
    bool traced = pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT;
    const struct pc_tracepoint *format = traced ? pc_capture_format(capture, attr) : NULL;
    uint32_t field = 0;
    if (pc_first_nonzero(raw) == raw.len || (traced ? from == to : capture->order == c->to))
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

bool pc_convert_keeps(const struct pc_convert *c, uint32_t type, uint16_t misc, struct pc_span record)
{
    const struct pc_capture *capture = c->capture;
    return pc_convert_same_order(c) && record.len % 8 == 0 &&
           !(type == PC_MMAP2 && (misc & PC_MISC_MMAP_BUILD_ID) && !pc_build_id_is_plain(record)) &&
           !(type == PC_SAMPLE && pc_payload_order(capture) != pc_payload_order_in(capture, c->to));
}

static bool plan_is_enough(const struct pc_convert *c, const struct pc_item *item)
{
    return pc_convert_keeps(c, item->type, item->misc, item->bytes);
}

/* Whether the plan of its attr's layout finds a record sound, and a sound one is canonical. */
static bool is_canonical(const struct pc_convert *c, const struct pc_item *item)
{
    const struct pc_capture *capture = c->capture;
    uint64_t slot[PC_SLOTS];
    size_t slot_at[PC_SLOTS];
    if (!plan_is_enough(c, item) || !pc_is_kernel_type(item->type) || !pc_record_info(item->type))
        return false;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    if (chosen.choice != PC_CHOSEN)
        return false;
    const struct pc_attr *attr = &capture->attr[chosen.attr];
    if (item->type == PC_SAMPLE && pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS)
        return false;
    const struct pc_plan *plan =
        pc_capture_plan(capture, capture->layout[attr->layout], item->type, item->misc);
    return plan && pc_plan_run(plan, item->bytes, slot, slot_at);
}

static bool walk_record(struct pc_convert *c, const struct pc_item *item, const struct pc_layout *layout,
                        uint32_t attr, size_t *size)
{
    const struct pc_record_info *info = pc_record_info(item->type);
    struct pc_cursor in = pc_record_body(item->bytes, c->capture->order);
    struct record r = { .c = c,
                        .covered = PC_RECORD_HEADER_SIZE,
                        .grows = info->excess_diag == PC_D_RECORD_GROWN };
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, layout, &in, record_visit, &r);
    walk.bulk = true;
    if (!pc_walk_record(&walk, info, &excess)) {
        assert(c->outcome != PC_CONVERTED); /* the visitor saw what does not fit */
        return false;
    }
    if (!pass_gap(&r, item->bytes, item->bytes.len))
        return false;
    if (item->type == PC_SAMPLE && attr != PC_NO_ATTR)
        convert_payload(c, item, &walk, attr);
    if (c->outcome != PC_CONVERTED)
        return false;
    memmove(c->record + r.surplus_at, c->record + r.surplus_at + r.surplus, *size - r.surplus_at - r.surplus);
    *size -= r.surplus;
    return true;
}

/* --- sound records without a walk for each --- */

/* Adds so many bytes to the last step when they are of its kind. */
static void add_step(struct pc_program *p, unsigned width, unsigned used_at, uint64_t n)
{
    bool joins = p->nr != 0 && p->step[p->nr - 1].width == width && used_at == 0 && width != 1 &&
                 p->chain != p->nr && p->string != p->nr;
    if (!joins && p->nr == PC_PROGRAM_STEPS) {
        p->usable = false;
        return;
    }
    if (!joins)
        p->nr++;
    p->step[p->nr - 1].width = (uint8_t)width;
    p->step[p->nr - 1].used_at = (uint8_t)used_at;
    p->step[p->nr - 1].n = (uint16_t)(joins ? p->step[p->nr - 1].n + n : n);
}

/* Adds rows; *at: their place in the record, where slots are filled from (`place`). */
static void add_rows(struct pc_program *p, const struct pc_field *row, uint64_t mask, size_t *at,
                     uint8_t place[PC_SLOTS])
{
    const unsigned plain = PC_NAMES_OF_BITS | PC_PADDING;
    for (; row->kind != PC_END && p->usable; row++) {
        bool padding = pc_is_padding(row),
             fixed = p->string == PC_PROGRAM_STEPS && p->chain == PC_PROGRAM_STEPS;
        if (!pc_present(row, mask))
            continue;
        switch ((enum pc_kind)row->kind) {
        case PC_SUB:
            add_rows(p, row->sub, mask, at, place);
            continue;
        case PC_UINT:
            p->usable = !row->cases && !(row->flags & ~plain);
            add_step(p, padding ? 0 : row->width, 0, row->width);
            if (row->width == 1 && row->save && fixed && *at <= UINT8_MAX)
                place[row->save] = (uint8_t)*at;
            *at += row->width;
            if (row->save == PC_REC_CHAIN)
                p->chain = p->nr;
            continue;
        case PC_BYTES:
            p->usable = !row->count && !(row->flags & ~plain) && row->arg <= UINT16_MAX &&
                        (!row->used || place[row->used]);
            add_step(p, padding ? 0 : 1, row->used ? place[row->used] : 0, row->arg);
            *at += (size_t)row->arg;
            continue;
        case PC_REPEAT:
            p->usable = row->count == PC_REC_CHAIN && p->chain == p->nr;
            continue;
        case PC_CSTR: /* the plan has seen that zeros fill it to the trailer */
            p->usable = row[1].kind == PC_END && p->string == PC_PROGRAM_STEPS;
            p->string = p->nr;
            continue;
        default:
            p->usable = false;
            continue;
        }
    }
}

static void make_program(struct pc_program *p, uint64_t key, uint32_t type, const struct pc_layout *layout)
{
    uint8_t place[PC_SLOTS] = { 0 };
    size_t at = PC_RECORD_HEADER_SIZE;
    *p = (struct pc_program){ .key = key,
                              .usable = true,
                              .chain = PC_PROGRAM_STEPS,
                              .string = PC_PROGRAM_STEPS,
                              .trailer = (uint16_t)pc_sample_id_size(layout->mask) };
    add_rows(p, pc_record_info(type)->fields, layout->mask, &at, place);
    if (p->trailer != 0)
        add_rows(p, pc_sample_id, layout->mask, &at, place);
}

/* The program of a record; NULL: there is none. */
static const struct pc_program *program_of(struct pc_convert *c, const struct pc_item *item)
{
    const struct pc_capture *capture = c->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
    if (chosen.choice != PC_CHOSEN)
        return NULL;
    uint32_t index = capture->attr[chosen.attr].layout;
    bool id = item->type == PC_MMAP2 && (item->misc & PC_MISC_MMAP_BUILD_ID), old = capture->mmap2_old == 1;
    uint64_t key = (uint64_t)index << 16 | item->type << 2 | (uint64_t)id << 1 | old; /* no type is 0 */
    struct pc_program *p = &c->program[(item->type + 8 * index + 16 * id) % PC_PROGRAMS];
    if (p->key != key) {
        struct pc_layout layout =
            pc_record_layout(&capture->layout[index]->layout, item->type, item->misc, old);
        make_program(p, key, item->type, &layout);
    }
    return p->usable ? p : NULL;
}

/* Copies n bytes of integers of one width in the other order; 1: as they are. */
PC_INLINE void swap_step(unsigned char *to, const unsigned char *from, size_t n, unsigned width)
{
    switch (width) {
    case 8:
        pc_swap(to, from, n, 8);
        break;
    case 4:
        pc_swap(to, from, n, 4);
        break;
    default:
        pc_swap(to, from, n, width);
        break;
    }
}

/* A kernel record that its plan found sound. False: it has no program. */
static bool run_program(struct pc_convert *c, const struct pc_item *item)
{
    const struct pc_program *p = item->bytes.len % 8 == 0 ? program_of(c, item) : NULL;
    const unsigned char *from = item->bytes.ptr;
    unsigned char *to = c->record;
    size_t at = PC_RECORD_HEADER_SIZE;
    bool swaps = !pc_convert_same_order(c);
    if (!p)
        return false;
    for (unsigned i = 0;; i++) {
        if (i == p->chain) {
            size_t chain = 8 * (size_t)pc_load(from + at - 8, 8, c->capture->order);
            swap_step(to + at, from + at, chain, swaps ? 8 : 1);
            at += chain;
        }
        if (i == p->string) {
            size_t area = item->bytes.len - p->trailer - at;
            memcpy(to + at, from + at, area);
            at += area;
        }
        if (i == p->nr)
            break;
        size_t n = p->step[i].n, used = p->step[i].width != 0 ? n : 0;
        if (p->step[i].used_at != 0 && from[p->step[i].used_at] < n)
            used = from[p->step[i].used_at];
        swap_step(to + at, from + at, used, swaps ? p->step[i].width : 1);
        if (used != n)
            memset(to + at + used, 0, n - used);
        at += n;
    }
    assert(at == item->bytes.len); /* the plan has seen to that */
    return true;
}

static enum pc_outcome store_head(struct pc_convert *c, const struct pc_item *item, size_t size,
                                  struct pc_span *out)
{
    uint32_t type = item->type;
    if (item->misc != 0 && pc_is_android_type(type)) /* it has a place under the old type alone */
        type = (uint32_t)pc_load(item->bytes.ptr, 4, c->capture->order);
    pc_store_head(c->record, (struct pc_record_head){ type, item->misc, (uint16_t)size }, c->to);
    *out = (struct pc_span){ c->record, size };
    return c->outcome;
}

enum pc_outcome pc_convert_record(struct pc_convert *c, const struct pc_item *item, struct pc_span *out)
{
    const struct pc_record_info *info = pc_record_info(item->type);
    struct pc_layout layout;
    uint32_t attr;
    c->outcome = PC_CONVERTED;
    c->uncovered = false;
    if (c->by_plan && plan_is_enough(c, item)) {
        *out = item->bytes;
        return PC_CONVERTED;
    }
    if (!c->record && !(c->record = pc_alloc(c->mem, PC_CONVERT_RECORD)))
        return PC_CONVERT_NO_MEMORY;
    bool keeps_size = info && (info->flags & PC_KEEPS_SIZE);
    size_t size = keeps_size ? item->bytes.len : (size_t)pc_align8(item->bytes.len);
    if (c->by_plan && pc_is_kernel_type(item->type) && run_program(c, item))
        return store_head(c, item, size, out);
    if (is_canonical(c, item)) {
        *out = item->bytes;
        return PC_CONVERTED;
    }
    memcpy(c->record, item->bytes.ptr, item->bytes.len);
    memset(c->record + item->bytes.len, 0, size - item->bytes.len);
    if (size > PC_RECORD_SIZE_MAX) {
        pc_convert_stop(c, PC_CONVERT_UNKNOWN, PC_RECORD_SIZE_AT, 2,
                        "no room for the padding to a multiple of 8");
        return c->outcome;
    }
    bool known = info && !(info->flags & PC_OF_CONTAINER) &&
                 pc_capture_layout(c->capture, item->type, item->misc, item->bytes, &layout, &attr);
    if (!known && !pc_convert_same_order(c) && !c->lenient)
        pc_convert_stop(c, PC_CONVERT_UNKNOWN, 0, item->bytes.len, "a record that no known version explains");
    else if (known)
        walk_record(c, item, &layout, attr, &size);
    if (c->outcome == PC_CONVERT_DAMAGED && (pc_convert_same_order(c) || c->lenient)) {
        /* Readers make of it what they can; so it stays as it is. */
        memcpy(c->record, item->bytes.ptr, item->bytes.len);
        c->outcome = PC_CONVERTED;
    }
    memset(c->record + size - item->unused, 0, item->unused);
    return store_head(c, item, size, out);
}
