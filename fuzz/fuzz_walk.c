/* SPDX-License-Identifier: MIT
 *
 * walk: every table over any bytes, in either byte order, with any layout. The first 8 bytes are the
 * layout; the options choose the table. The leaves cover the walked bytes without gap or overlap. A walk
 * that shows nothing, and one that shows arrays as one leaf, end at the same place.
 */
#include "harness.h"

#include "bytes/cursor.h"
#include "format/tables.h"

static const struct pc_field *table_of(unsigned n)
{
    static const struct pc_field *const others[] = { pc_file_header,   pc_event_type,   pc_section,
                                                     pc_record_header, pc_attr_fields,  pc_read_values,
                                                     pc_sample_id,     pc_build_ids_old };
    if (n < PC_COUNT_OF(others))
        return others[n];
    if (n & 1) {
        const struct pc_record_info *info = pc_record_info(n >> 1);
        return info ? info->fields : NULL;
    }
    const struct pc_feature_info *info = pc_feature_info(n >> 1);
    return info ? info->fields : NULL;
}

struct tiles {
    struct pc_span in;
    size_t next;  /* where the next leaf begins */
    uint64_t sum; /* of their values */
    unsigned depth;
    bool faulty;
};

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct tiles *t = ctx;
    PC_CLAIM(!t->faulty); /* it ends the walk */
    PC_CLAIM(leaf->at <= t->in.len && leaf->raw.len <= t->in.len - leaf->at);
    PC_CLAIM(leaf->raw.len == 0 || leaf->raw.ptr == t->in.ptr + leaf->at);
    PC_CLAIM(leaf->walk->depth <= PC_PATH_MAX);
    t->faulty = leaf->fault != PC_SOUND;
    if (t->faulty)
        return true;
    PC_CLAIM(leaf->at == t->next);
    t->next += leaf->raw.len;
    if (leaf->is_array) {
        unsigned width = leaf->field->width;
        PC_CLAIM(leaf->raw.len == leaf->value * width);
        for (size_t at = 0; at < leaf->raw.len; at += width)
            t->sum = t->sum * 31 + pc_load(leaf->raw.ptr + at, width, leaf->walk->c->order);
    } else {
        t->sum = t->sum * 31 + leaf->value;
        pc_leaf_ok(leaf);
    }
    return true;
}

static bool walk(struct pc_walk *w, struct pc_cursor *c, const struct pc_layout *layout,
                 const struct pc_field *table, struct tiles *tiles, bool bulk)
{
    pc_walk_init(w, layout, c, tiles ? visit : NULL, tiles);
    w->bulk = bulk;
    return pc_walk_table(w, table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size) || c.capture.len < 8)
        return 0;
    const struct pc_field *table = table_of(fuzz_bits(&c, 0, 9));
    enum pc_order order = fuzz_bits(&c, 9, 1) ? PC_BIG : PC_LITTLE;
    struct pc_layout layout = { .mask = pc_load(c.capture.ptr, 8, PC_LITTLE) };
    for (unsigned i = 1; i < PC_SLOT_PRESET_END; i++)
        layout.slot[i] = fuzz_bits(&c, 10 + 5 * i, 5);
    if (!table)
        return 0;
    struct pc_span in = pc_part(c.capture, 8, c.capture.len - 8);
    struct pc_cursor one = pc_cursor(in, order), many = one, none = one;
    struct tiles tiles = { .in = in }, arrays = { .in = in };
    struct pc_walk w, bulk, silent;
    bool sound = walk(&w, &one, &layout, table, &tiles, false);
    PC_CLAIM(sound != tiles.faulty);
    PC_CLAIM(one.pos <= in.len && (!sound || tiles.next == one.pos));
    PC_CLAIM(w.work <= in.len + 64); /* each leaf has bytes of the input, except empty ones of a table */
    PC_CLAIM(walk(&bulk, &many, &layout, table, &arrays, true) == sound);
    PC_CLAIM(walk(&silent, &none, &layout, table, NULL, false) == sound);
    PC_CLAIM(!sound || (many.pos == one.pos && none.pos == one.pos && arrays.sum == tiles.sum));
    for (unsigned i = 0; sound && i < PC_SLOTS; i++)
        PC_CLAIM(w.slot[i] == silent.slot[i] && w.slot_at[i] == silent.slot_at[i]);
    return 0;
}
