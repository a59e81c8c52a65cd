/* SPDX-License-Identifier: MIT
 *
 * Whether the fields of a record take all of its bytes.
 */
#include "read/fits.h"
#include "bytes/cursor.h"

bool pc_reader_may_scan(struct pc_reader *r, size_t n)
{
    const uint64_t times = 4, slack = (uint64_t)256 << 10;
    if (r->walked / times > pc_reader_offset(r) + slack)
        return false;
    r->walked += n;
    return true;
}

bool pc_reader_may_walk(struct pc_reader *r, size_t n)
{
    bool may = pc_reader_may_scan(r, n);
    r->work += may ? n : 0;
    return may;
}

/* Whether bytes are zeros. *looked: how many were looked at. */
static bool are_zeros(struct pc_span bytes, uint64_t *looked)
{
    const size_t zeros = pc_first_nonzero(bytes);
    *looked += zeros;
    return zeros == bytes.len;
}

/* Bytes after a text and its padding are zeros, and so are those that are nothing but padding, if they are
 * more than fill up. ctx: how many bytes were looked at. */
static bool ends_clean(void *ctx, const struct pc_leaf *leaf)
{
    uint64_t *looked = ctx;
    *looked += sizeof(uint64_t);
    if (leaf->field->kind == PC_REST && pc_is_padding(leaf->field))
        return ((leaf->field->flags & PC_PADDED_8) && leaf->raw.len < sizeof(uint64_t)) ||
               are_zeros(leaf->raw, looked);
    if (leaf->field->kind != PC_CSTR || leaf->fault)
        return true;
    size_t end = (size_t)pc_align8(pc_first_zero(leaf->raw) + 1);
    end = end < leaf->raw.len ? end : leaf->raw.len;
    *looked += end;
    return are_zeros(pc_part(leaf->raw, end, leaf->raw.len - end), looked);
}

/* A text is as long as its padding to eight bytes demands. */
static bool ends_at_once(void *ctx, const struct pc_leaf *leaf)
{
    bool is_text = leaf->field->kind == PC_CSTR && !leaf->fault;
    return ends_clean(ctx, leaf) &&
           (!is_text || pc_align8(pc_first_zero(leaf->raw) + 1) >= pc_align8(leaf->raw.len));
}

static bool is_known(void *ctx, const struct pc_leaf *leaf)
{
    const bool unknown = (leaf->field->flags & PC_UNKNOWN) && leaf->raw.len != 0;
    return ends_clean(ctx, leaf) && !unknown && !leaf->fault && pc_leaf_ok(leaf);
}

static bool walk_ends(struct pc_reader *r, struct pc_span record,
                      bool (*ends)(void *, const struct pc_leaf *), uint64_t *looked)
{
    const struct pc_capture *capture = r->capture;
    struct pc_record_head head = pc_load_head(record.ptr, capture->order);
    struct pc_layout layout = { 0 };
    struct pc_cursor c = pc_record_body(record, capture->order);
    struct pc_walk walk;
    size_t excess = 0;
    if (head.type == PC_SAMPLE && record.len < capture->least_sample)
        return false;
    if (pc_is_kernel_type(head.type)) {
        struct pc_chosen chosen = pc_capture_choose(capture, head.type, record);
        uint32_t attr = chosen.choice == PC_CHOSEN ? chosen.attr : 0;
        layout = pc_capture_fit(capture, attr, head.type, head.misc, record).layout;
    }
    pc_walk_init(&walk, &layout, &c, ends, looked);
    const bool whole = pc_walk_record(&walk, pc_record_info(head.type), &excess);
    r->work += walk.work;
    return whole && excess == 0;
}

bool pc_reader_fits(struct pc_reader *r, struct pc_span record)
{
    uint64_t looked = 0;
    return walk_ends(r, record, ends_clean, &looked);
}

bool pc_reader_may_fit(struct pc_reader *r, struct pc_span record)
{
    uint64_t looked = 0;
    if (!pc_reader_may_scan(r, 0))
        return true;
    bool fits = walk_ends(r, record, ends_clean, &looked);
    r->walked += looked;
    r->work += looked;
    return fits;
}

bool pc_reader_is_exact(struct pc_reader *r, struct pc_span record)
{
    uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    uint64_t looked = 0;
    return pc_is_kernel_type(type) && pc_record_info(type) && r->capture->nr_attrs != 0 &&
           walk_ends(r, record, ends_at_once, &looked);
}

bool pc_reader_is_known(struct pc_reader *r, struct pc_span record)
{
    uint64_t looked = 0;
    return walk_ends(r, record, is_known, &looked);
}
