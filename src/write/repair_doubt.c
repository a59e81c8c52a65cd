/* SPDX-License-Identifier: MIT
 *
 * Entries of the feature table that nothing shows to be right, once all is mended that can be. Writers put
 * the sections one behind the other: an entry is right if its section begins where another one ends, and ends
 * where another one begins. If it does only one of these, or none and shares no bytes with others, its
 * content must be that of its feature. An entry without a section is of a feature that has none. Where those
 * before and behind one have other content than their features, the bytes moved, and its own are others, too.
 */
#include "write/repair_parts.h"
#include "bytes/cursor.h"
#include "check/behind.h"

enum { NUMBERS_MAX = 16 }; /* SAMPLE_TIME has two of 64 bits */

struct entry {
    uint64_t bit, offset, end;
    bool begins, ends, shares; /* where another one ends; where another one begins; bytes with another one */
    bool is_silent,
        is_other; /* other bytes would be its content, too; it has other content than its feature */
};

struct doubt {
    struct repair *r;
    struct pc_layout layout;
    uint64_t named[PC_FEATURE_BITS / 64], table, nr; /* as they are read now */
    struct entry entry[PC_NAMED_MAX];
};

/* Reads the header and the table. False: there is none that can be looked at. */
static bool load(struct doubt *d)
{
    unsigned char head[PC_FILE_HEADER_SIZE], raw[PC_NAMED_MAX * PC_SECTION_SIZE];
    struct repair *r = d->r;
    if (pc_input_read_at(r->in, 0, head, sizeof(head)) != sizeof(head))
        return false;
    const unsigned char *bits = head + pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    for (size_t i = 0; i < PC_COUNT_OF(d->named); i++)
        d->named[i] = pc_load(bits + 8 * i, 8, r->order);
    d->nr = pc_count_features(d->named);
    d->table = r->slot[PC_HEAD_DATA_OFFSET] + r->slot[PC_HEAD_DATA_SIZE];
    const size_t len = (size_t)d->nr * PC_SECTION_SIZE;
    if (d->nr == 0 || d->nr > PC_NAMED_MAX || d->table > r->in->size ||
        pc_input_read_at(r->in, d->table, raw, len) != len)
        return false;
    for (uint64_t i = 0; i < d->nr; i++) {
        const uint64_t bit = pc_nth_feature(d->named, i),
                       at = pc_load(raw + PC_SECTION_SIZE * i, 8, r->order),
                       size = pc_load(raw + PC_SECTION_SIZE * i + 8, 8, r->order);
        d->entry[i] = (struct entry){ .bit = bit, .offset = at, .end = pc_add_saturated(at, size) };
    }
    return true;
}

/* What the other entries tell of one. */
static void compare(struct doubt *d, struct entry *e)
{
    const uint64_t behind = d->table + d->nr * PC_SECTION_SIZE, room = e->offset - behind;
    e->begins = room <= PC_TABLE_GAP_MAX && room % PC_SECTION_SIZE == 0;
    e->ends = pc_may_end_sections(d->named, e->end, d->r->in->size);
    e->shares = e->offset < behind;
    for (uint64_t i = 0; i < d->nr; i++) {
        const struct entry *other = &d->entry[i];
        if (other == e || other->end == other->offset)
            continue;
        e->begins |= other->end == e->offset;
        e->ends |= other->offset == e->end;
        e->shares |= other->offset < e->end && e->offset < other->end;
    }
}

static bool is_right(struct doubt *d, const struct entry *e)
{
    const uint64_t size = e->end - e->offset;
    if (size == 0 && !pc_feature_info(e->bit)) /* as the unused entry of perf 5.10 is */
        return false;
    if (pc_feature_is(e->bit, PC_ONLY_A_MARK) || (e->begins && e->ends))
        return true;
    if (size == 0)
        return false;
    if (!e->begins && !e->ends && e->shares)
        return false;
    return pc_repair_tells(e->bit) && size <= PC_CONTENT_MAX
               ? pc_repair_has_section(d->r, &d->layout, e->bit, e->offset, size, pc_repair_is_sound, NULL)
               : !e->shares;
}

/* Whether other bytes would be content of the feature, too: a few zeros, or any number. */
static bool is_silent(struct doubt *d, const struct entry *e)
{
    unsigned char raw[NUMBERS_MAX];
    const uint64_t size = e->end - e->offset;
    const struct pc_span bytes = { raw, size < sizeof(raw) ? (size_t)size : sizeof(raw) };
    if (!pc_repair_tells(e->bit) || size == 0 || size > PC_CONTENT_MAX ||
        pc_input_read_at(d->r->in, e->offset, raw, bytes.len) != bytes.len ||
        pc_first_nonzero(bytes) == bytes.len)
        return true;
    for (size_t i = 0; i < bytes.len; i++)
        raw[i] ^= 255;
    return bytes.len == size &&
           pc_repair_has_content(d->r->order, &d->layout, e->bit, bytes, pc_repair_is_sound, NULL);
}

static void look_inside(struct doubt *d, struct entry *e)
{
    const bool outside = e->end > d->r->in->size;
    e->is_silent = !outside && is_silent(d, e);
    e->is_other =
        outside || (!e->is_silent && !pc_repair_has_section(d->r, &d->layout, e->bit, e->offset,
                                                            e->end - e->offset, pc_repair_is_sound, NULL));
}

/* Whether the bytes before and behind moved, as the nearest entries there show that are not silent. */
static bool is_among_others(const struct doubt *d, uint64_t i)
{
    uint64_t before = i, behind = i + 1;
    while (before > 0 && d->entry[before - 1].is_silent)
        before--;
    while (behind < d->nr && d->entry[behind].is_silent)
        behind++;
    const struct entry *e = &d->entry[i];
    return e->is_silent && e->end != e->offset && before > 0 && behind < d->nr &&
           d->entry[before - 1].is_other && d->entry[behind].is_other;
}

void pc_repair_doubt(struct repair *r)
{
    const struct pc_behind words = pc_behind_of(r->order, r->slot + PC_HEAD_ATTR_SIZE);
    struct pc_salvage *s = r->s;
    if (s->end_why || pc_is_behind(&words))
        return;
    struct doubt d = { .r = r };
    uint64_t wrong[PC_FEATURE_BITS / 64] = { 0 };
    if (!load(&d))
        return;
    for (uint64_t i = 0; i < d.nr; i++)
        pc_repair_learn_section(r, &d.layout, d.entry[i].bit, d.entry[i].offset,
                                d.entry[i].end - d.entry[i].offset);
    for (uint64_t i = 0; i < d.nr; i++)
        look_inside(&d, &d.entry[i]);
    for (uint64_t i = 0; i < d.nr; i++) {
        compare(&d, &d.entry[i]);
        /* What ends outside of the file has an error by itself. */
        if (d.entry[i].end <= r->in->size && (is_among_others(&d, i) || !is_right(&d, &d.entry[i])))
            pc_set_bit(wrong, d.entry[i].bit);
    }
    bool any = false, before = false;
    for (size_t i = 0; i < PC_COUNT_OF(wrong); i++) {
        any |= wrong[i] != 0;
        before |= s->unsure[i] != 0;
        s->unsure[i] |= wrong[i];
    }
    if (any && !before)
        s->unsure_why = PC_D_FEATURE_ENTRY;
}
