/* SPDX-License-Identifier: MIT
 *
 * Whether bytes are the content of a feature.
 */
#include "write/repair_parts.h"
#include "bytes/cursor.h"
#include "format/features.h"

bool pc_repair_tells(uint64_t bit)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    return info && info->fields && !(info->flags & PC_ANY_LENGTH);
}

bool pc_repair_is_sound(void *ctx, const struct pc_leaf *leaf)
{
    (void)ctx;
    return leaf->fault == PC_SOUND && pc_leaf_ok(leaf);
}

bool pc_repair_has_content(enum pc_order order, const struct pc_layout *layout, uint64_t bit,
                           struct pc_span bytes, pc_visit *is_right, void *ctx)
{
    struct pc_cursor c = pc_cursor(bytes, order);
    struct pc_walk walk;
    pc_walk_init(&walk, layout, &c, is_right, ctx);
    walk.bulk = true;
    return pc_walk_table(&walk, pc_feature_fields(bit, bytes)) && pc_left(&c) == 0;
}

bool pc_repair_has_section(struct repair *r, const struct pc_layout *layout, uint64_t bit, uint64_t offset,
                           uint64_t size, pc_visit *is_right, void *ctx)
{
    const bool looks = size != 0 && size <= PC_CONTENT_MAX;
    unsigned char *room = looks ? pc_alloc_buffer(&r->s->mem, size) : NULL;
    r->s->no_memory |= looks && !room;
    const bool has =
        room && pc_input_read_at(r->in, offset, room, (size_t)size) == size &&
        pc_repair_has_content(r->order, layout, bit, (struct pc_span){ room, (size_t)size }, is_right, ctx);
    if (room)
        pc_free(&r->s->mem, room, size);
    return has;
}

void pc_repair_learn_cpus(enum pc_order order, struct pc_layout *layout, struct pc_span bytes)
{
    struct pc_walk walk;
    if (!pc_repair_has_content(order, layout, PC_NRCPUS, bytes, pc_repair_is_sound, NULL))
        return;
    pc_read_table(&walk, pc_feature_fields(PC_NRCPUS, bytes), pc_cursor(bytes, order));
    layout->slot[PC_SLOT_NR_CPUS] = walk.slot[PC_NRCPUS_AVAILABLE];
    layout->slot[PC_SLOT_NR_ONLINE] = walk.slot[PC_NRCPUS_ONLINE];
}

void pc_repair_learn_section(struct repair *r, struct pc_layout *layout, uint64_t bit, uint64_t offset,
                             uint64_t size)
{
    unsigned char raw[8];
    if (bit == PC_NRCPUS && size == sizeof(raw) &&
        pc_input_read_at(r->in, offset, raw, sizeof(raw)) == sizeof(raw))
        pc_repair_learn_cpus(r->order, layout, (struct pc_span){ raw, sizeof(raw) });
}
