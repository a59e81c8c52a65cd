/* SPDX-License-Identifier: MIT
 *
 * Which features a whole table is of, when the header has not as many bits as the table has entries: entries
 * are in the order of the bits, and each section has the content of its feature. Of the bits that can be so,
 * those are right that differ from the header in the fewest bytes.
 */
#include "write/repair_parts.h"
#include "write/salvage_parts.h"
#include "bytes/cursor.h"
#include "bytes/directory.h"
#include "format/features.h"

#include <errno.h>

#define BIT_MAX PC_FEATURE_BITS

/* What it costs that a byte of the bits differs from the header, and that an entry is of a feature nobody
 * knows. */
#define COST_BYTE    ((uint32_t)1 << 10)
#define COST_UNKNOWN ((uint32_t)1 << 20)
#define NO_WAY       ((uint32_t)1 << 30)

/* The least that it costs: up to a bit, or from it on, with so many entries named before it; and whether a
 * bit before it in its byte differs from the header. */
typedef uint32_t costs[BIT_MAX + 1][PC_NAMED_MAX + 1][2];

struct naming {
    struct repair *r;
    const uint64_t *offset, *size; /* of nr sections */
    uint64_t nr;
    struct pc_layout layout;
    uint64_t bytes[PC_NAMED_MAX]; /* the first of each section */
    uint64_t fits[PC_NAMED_MAX][BIT_MAX / 64];
    costs before, behind;
    uint32_t weight;  /* of each bit that differs */
    bool has_streams; /* which no header mentions without DIR_FORMAT */
};

/* Whether these bytes are what a feature has. */
static bool has_content(const struct naming *n, uint64_t bit, struct pc_span bytes)
{
    return pc_repair_has_content(n->r->order, &n->layout, bit, bytes, pc_repair_is_sound, NULL);
}

/* Whether only the header tells that a section is of this feature. */
static bool shows_nothing(const struct naming *n, uint64_t bit, uint64_t size)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    return !pc_repair_tells(bit) || size > PC_CONTENT_MAX || (size == 0 && !(info->flags & PC_ONLY_A_MARK)) ||
           ((info->flags & PC_NEEDS_NRCPUS) && n->layout.slot[PC_SLOT_NR_CPUS] == 0) ||
           ((info->flags & PC_NEEDS_ONLINE) && n->layout.slot[PC_SLOT_NR_ONLINE] == 0);
}

/* Which features a section may be of. */
static void find_fits(struct naming *n, uint64_t i, unsigned char *room)
{
    const uint64_t size = n->size[i];
    const bool looks = size != 0 && size <= PC_CONTENT_MAX;
    const size_t have = looks ? pc_input_read_at(n->r->in, n->offset[i], room, (size_t)size) : 0;
    const struct pc_span bytes = { room, have };
    memcpy(&n->bytes[i], room, have < sizeof(n->bytes[i]) ? have : sizeof(n->bytes[i]));
    if (looks && n->layout.slot[PC_SLOT_NR_CPUS] == 0) /* which other features need, and comes before these */
        pc_repair_learn_cpus(n->r->order, &n->layout, bytes);
    for (uint64_t bit = 1; bit < BIT_MAX; bit++) {
        const bool fits = shows_nothing(n, bit, size) ? pc_bit(n->r->s->named, bit)
                          : looks                     ? has_content(n, bit, bytes)
                                                      : true;
        if (fits)
            pc_set_bit(n->fits[i], bit);
    }
}

/* What a bit costs, if it is of an entry or not. *differs: whether one before it in its byte does. */
static uint32_t cost_of(const struct naming *n, uint64_t bit, bool is_set, unsigned *differs)
{
    const bool other = is_set != pc_bit(n->r->s->named, bit), before = bit % 8 != 0 && *differs != 0;
    *differs = before || other;
    return (other && !before ? COST_BYTE : 0) + (other ? n->weight : 0) +
           (is_set && !pc_feature_info(bit) ? COST_UNKNOWN : 0);
}

static bool may_be(const struct naming *n, uint64_t i, uint64_t bit, bool is_set)
{
    return is_set ? i < n->nr && pc_bit(n->fits[i], bit) : bit != PC_DIR_FORMAT || !n->has_streams;
}

static void lower(uint32_t *cost, uint32_t other)
{
    if (other < *cost)
        *cost = other;
}

/* Fills both tables of costs. Returns the least. */
static uint32_t find_costs(struct naming *n)
{
    for (uint64_t bit = 0; bit <= BIT_MAX; bit++) {
        for (uint64_t i = 0; i <= n->nr; i++)
            for (unsigned d = 0; d < 2; d++)
                n->before[bit][i][d] = n->behind[bit][i][d] = NO_WAY;
    }
    n->before[0][0][0] = n->behind[BIT_MAX][n->nr][0] = n->behind[BIT_MAX][n->nr][1] = 0;
    for (uint64_t step = 0; step < BIT_MAX; step++) {
        for (uint64_t way = 0; way < (n->nr + 1) * 4; way++) {
            const uint64_t i = way / 4, last = BIT_MAX - 1 - step;
            const bool is_set = way & 1;
            const unsigned d = way >> 1 & 1;
            unsigned next = d;
            if (may_be(n, i, step, is_set)) {
                const uint32_t cost = n->before[step][i][d] + cost_of(n, step, is_set, &next);
                lower(&n->before[step + 1][i + is_set][next], cost);
            }
            next = d;
            if (may_be(n, i, last, is_set)) {
                const uint32_t cost = cost_of(n, last, is_set, &next);
                lower(&n->behind[last][i][d], cost + n->behind[last + 1][i + is_set][next]);
            }
        }
    }
    return n->behind[0][0][0];
}

/* Whether the sections of two entries have the same bytes, of which there are few. */
static bool are_alike(const struct naming *n, uint64_t i, uint64_t k)
{
    return i == k ||
           (n->size[i] == n->size[k] && n->size[i] <= sizeof(uint64_t) && n->bytes[i] == n->bytes[k]);
}

/* Whether a bit can be set, or clear, at the least cost, with so many entries before it. */
static bool may_cost_least(const struct naming *n, uint64_t i, uint64_t bit, bool is_set, uint32_t least)
{
    bool may = false;
    for (unsigned d = 0; d < 2 && may_be(n, i, bit, is_set); d++) {
        unsigned next = d;
        const uint32_t cost = n->before[bit][i][d] + cost_of(n, bit, is_set, &next);
        may |= cost + n->behind[bit + 1][i + is_set][next] == least;
    }
    return may;
}

/* Whether the feature of an entry may also be none, or have other content, at the least cost. */
static bool is_unsure(const struct naming *n, uint64_t i, uint64_t bit, uint32_t least)
{
    for (uint64_t k = 0; k <= n->nr; k++) {
        if (may_cost_least(n, k, bit, false, least) ||
            (k < n->nr && !are_alike(n, i, k) && may_cost_least(n, k, bit, true, least)))
            return true;
    }
    return false;
}

/* The bits of the header become those of the entries. */
static void name_entries(struct naming *n, uint32_t least)
{
    const uint64_t at = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    uint64_t bits[BIT_MAX / 64] = { 0 }, i = 0;
    unsigned differs = 0;
    for (uint64_t bit = 0; bit < BIT_MAX; bit++) {
        unsigned next = differs;
        const uint32_t cost = n->before[bit][i][differs] + cost_of(n, bit, true, &next);
        const bool is_set =
            may_be(n, i, bit, true) && i < n->nr && cost + n->behind[bit + 1][i + 1][next] == least;
        cost_of(n, bit, is_set, &differs);
        if (!is_set)
            continue;
        pc_set_bit(bits, bit);
        if (is_unsure(n, i++, bit, least))
            pc_set_bit(n->r->s->unsure, bit);
    }
    for (size_t word = 0; word < PC_COUNT_OF(bits); word++) {
        if (bits[word] != n->r->s->named[word])
            pc_repair_word(n->r, at + 8 * word, bits[word]);
    }
    if (!n->r->s->renamed)
        memcpy(n->r->s->said, n->r->s->named, sizeof(bits));
    n->r->s->renamed = true;
    memcpy(n->r->s->named, bits, sizeof(bits));
}

/* Whether it is a directory with members data.N. */
static bool has_streams(struct repair *r)
{
    struct pc_directory dir;
    if (r->s->in.kind != PC_INPUT_DIRECTORY)
        return false;
    pc_directory_init(&dir, &r->s->mem);
    const int error = pc_directory_list(&dir, r->s->in.fd);
    const bool has = error == 0 && pc_directory_first(&dir, PC_MEMBER_STREAM);
    r->s->no_memory |= error == ENOMEM;
    r->s->not_judged |= error != 0; /* what cannot be read proves nothing */
    pc_directory_clear(&dir);
    return has;
}

bool pc_repair_bits(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size)
{
    if (nr > PC_NAMED_MAX)
        return false;
    uint64_t most = 1;
    for (uint64_t i = 0; i < nr; i++)
        most = size[i] > most && size[i] <= PC_CONTENT_MAX ? size[i] : most;
    struct naming *n = pc_alloc(&r->s->mem, sizeof(*n));
    unsigned char *room = pc_alloc_buffer(&r->s->mem, most);
    r->s->no_memory |= !n || !room;
    uint32_t least = NO_WAY;
    if (n && room) {
        memset(n, 0, sizeof(*n));
        n->r = r;
        n->offset = offset;
        n->size = size;
        n->nr = nr;
        n->has_streams = has_streams(r);
        for (uint64_t i = 0; i < nr; i++)
            find_fits(n, i, room);
        n->weight = 1;
        least = find_costs(n);
        if (least < NO_WAY && least % COST_BYTE > 1) { /* more than a bit: nothing of these bytes is sure */
            n->weight = 0;
            least = find_costs(n);
        }
        if (least < NO_WAY)
            name_entries(n, least);
    }
    pc_free(&r->s->mem, room, most);
    pc_free(&r->s->mem, n, sizeof(*n));
    return least < NO_WAY;
}
