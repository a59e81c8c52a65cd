/* SPDX-License-Identifier: MIT
 *
 * Bytes that were lost or inserted in the sections of features, behind a table that is whole and where the
 * header says. The table tells how many they were; the contents of the sections tell where: those before are
 * in their places, and those behind have moved. All places are looked at. Of those that fit the contents
 * best, nobody knows which is right; so a feature is kept if it has the same bytes with each of them.
 */
#include "write/repair_parts.h"
#include "bytes/cursor.h"
#include "format/features.h"

#define INSIDE_MAX 2048 /* of one in which each place is tried */

/* What it costs that a section does not have the content of its feature, and that one is left out which has
 * it. */
#define COST_WRONG 256
#define COST_OUT   1

struct part {
    uint64_t bit, begin, end; /* as the table has it */
    bool tells;               /* its content shows whether it is that of the feature: */
    bool here, moved;         /* in its place; as far from it as those behind the lost or inserted bytes */
    bool same;                /* the bytes are the same at both */
    bool shows;               /* it is sound at one of them, and would not be with others at its edge: */
    bool clearly;             /* which are not zeros */
    bool zeros_here, zeros_moved; /* sound ones: nothing tells them from others */
    bool begins;                  /* its first bytes are in their place, as only those would be sound */
    bool may_fail;                /* what it needs of other features may be damaged */
};

/* Sections before `before` are in their places, those from `behind` on have moved; those between have lost
 * bytes, or got some. From `first` to `last` are the places with which it is so. */
struct places {
    uint64_t before, behind, first, last;
};

struct step {
    struct repair *r;
    uint64_t nr, size; /* sections; the largest of those that are looked at */
    uint64_t lost, added;
    uint64_t end; /* of the sections, in the file as it is */
    struct part part[PC_NAMED_MAX];
    struct pc_layout here, moved; /* with the number of CPUs */
    unsigned char *room;          /* of the largest section, twice, and of what was inserted */
    unsigned best;
    bool touched[PC_NAMED_MAX], is_here[PC_NAMED_MAX],
        has_moved[PC_NAMED_MAX]; /* with a place that costs least */
    uint64_t at;                 /* the first of these places */
    bool may_stay; /* none has moved with one of them: the file was cut, or what is behind them is none */
};

/* --- contents --- */

/* The same as sound, with zeros behind the text of a string. */
static bool is_strict(void *ctx, const struct pc_leaf *leaf)
{
    (void)ctx;
    if (leaf->fault != PC_SOUND || !pc_leaf_ok(leaf))
        return false;
    if (leaf->field->kind != PC_HSTR || leaf->raw.len == 4)
        return true;
    const struct pc_span text = pc_part(leaf->raw, 4, leaf->raw.len - 4);
    const size_t len = (size_t)leaf->value;
    return len < text.len && pc_first_nonzero(pc_part(text, len, text.len - len)) == text.len - len;
}

static bool has_content(const struct step *s, uint64_t bit, struct pc_span bytes)
{
    const enum pc_order order = s->r->order;
    if (!pc_feature_is(bit, PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE))
        return pc_repair_has_content(order, &s->here, bit, bytes, is_strict, NULL);
    return pc_repair_has_content(order, &s->here, bit, bytes, is_strict, NULL) ||
           pc_repair_has_content(order, &s->moved, bit, bytes, is_strict, NULL);
}

/* Whether sound content is no longer sound when these bytes of it, at an edge, are others. Zeros are sound by
 * chance. */
static bool is_firm(const struct step *s, uint64_t bit, struct pc_span content, unsigned char *edge, size_t n)
{
    enum { INVERTED, ODD, FIRST, LAST, ZEROS, WAYS };
    bool firm = pc_first_nonzero(content) != content.len;
    for (unsigned way = 0; way < WAYS && firm; way++) {
        static const unsigned char other[] = { [INVERTED] = 255, [ODD] = 1, [FIRST] = 1, [LAST] = 1 };
        const size_t from = way == LAST ? n - 1 : 0, to = way == FIRST ? 1 : n;
        bool differs = false;
        for (size_t i = from; i < to; i++) {
            const unsigned char was = edge[i];
            edge[i] = way == ZEROS ? 0 : (unsigned char)(was ^ other[way]);
            differs |= edge[i] != was;
        }
        firm = !differs || !has_content(s, bit, content);
        for (size_t i = from; i < to && way != ZEROS; i++)
            edge[i] ^= other[way];
    }
    return firm;
}

static void look(struct step *s, struct part *p)
{
    const uint64_t size = p->end - p->begin, by = s->added - s->lost;
    p->same = size == 0;
    if (size == 0 || size > PC_CONTENT_MAX)
        return;
    const struct pc_span here = { s->room, (size_t)size }, there = { s->room + size, (size_t)size };
    const bool has_here = pc_input_read_at(s->r->in, p->begin, s->room, here.len) == here.len;
    const bool has_there = pc_input_read_at(s->r->in, p->begin + by, s->room + size, here.len) == here.len;
    p->same = has_here && has_there && memcmp(here.ptr, there.ptr, here.len) == 0;
    if (p->bit == PC_NRCPUS && has_here)
        pc_repair_learn_cpus(s->r->order, &s->here, here);
    if (p->bit == PC_NRCPUS && has_there)
        pc_repair_learn_cpus(s->r->order, &s->moved, there);
    p->tells = pc_repair_tells(p->bit);
    p->may_fail = pc_feature_is(p->bit, PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE);
    p->here = p->tells && has_here && has_content(s, p->bit, here);
    p->moved = p->tells && has_there && has_content(s, p->bit, there);
    p->zeros_here = p->here && pc_first_nonzero(here) == here.len;
    p->zeros_moved = p->moved && pc_first_nonzero(there) == here.len;
    const size_t n = s->lost < size ? (size_t)s->lost : here.len;
    unsigned char *end = s->room + size - n, *begin = s->room + size;
    const bool is_end = pc_first_nonzero((struct pc_span){ end, n }) != n,
               is_begin = pc_first_nonzero((struct pc_span){ begin, n }) != n;
    const bool by_end = p->here && n != 0 && is_firm(s, p->bit, here, end, n),
               by_begin = p->moved && n != 0 && is_firm(s, p->bit, there, begin, n);
    p->begins = p->here && n != 0 && is_firm(s, p->bit, here, s->room, n);
    p->shows = by_end || by_begin;
    p->clearly = (by_end && is_end) || (by_begin && is_begin);
}

/* --- inserted bytes --- */

/* Whether the section is sound if they are inside it, with other bytes than it has if they are before or
 * behind it. */
static bool may_hold(const struct step *s, const struct part *p)
{
    const size_t size = (size_t)(p->end - p->begin), added = (size_t)s->added;
    if (!p->tells || size > INSIDE_MAX)
        return true;
    unsigned char *without = s->room, *raw = s->room + size;
    if (pc_input_read_at(s->r->in, p->begin, raw, size + added) != size + added)
        return false;
    memcpy(without, raw + added, size);
    for (size_t at = 1; at < size; at++) {
        without[at - 1] = raw[at - 1];
        if (has_content(s, p->bit, (struct pc_span){ without, size }) && memcmp(without, raw, size) != 0 &&
            memcmp(without, raw + added, size) != 0)
            return true;
    }
    return false;
}

/* --- lost bytes --- */

struct prefix {
    uint64_t have;
    bool is_wrong;
};

/* What is behind the prefix is zeros, as it is behind the text of a string. Other rows that end there may be
 * any. */
static bool see_prefix(void *ctx, const struct pc_leaf *leaf)
{
    struct prefix *p = ctx;
    const bool is_string = leaf->field->kind == PC_HSTR;
    if (is_strict(NULL, leaf))
        return true;
    p->is_wrong =
        is_string ? leaf->at + 4 <= p->have : leaf->raw.len != 0 && leaf->at + leaf->raw.len <= p->have;
    return false;
}

/* Whether a section is sound up to this place. */
static bool begins_sound(const struct step *s, const struct part *p, uint64_t at)
{
    const size_t size = (size_t)(p->end - p->begin), have = (size_t)(at - p->begin);
    struct prefix prefix = { have, false };
    if (!p->tells || size > INSIDE_MAX)
        return true;
    memset(s->room, 0, size);
    if (pc_input_read_at(s->r->in, p->begin, s->room, have) != have)
        return false;
    pc_repair_has_content(s->r->order, &s->here, p->bit, (struct pc_span){ s->room, size }, see_prefix,
                          &prefix);
    return !prefix.is_wrong;
}

struct beginning {
    bool is_string, has_text;
};

static bool see_first(void *ctx, const struct pc_leaf *leaf)
{
    struct beginning *b = ctx;
    b->is_string = leaf->field->kind == PC_HSTR;
    b->has_text = leaf->fault == PC_SOUND && leaf->value != 0;
    return !b->is_string && leaf->fault == PC_SOUND && pc_leaf_ok(leaf);
}

/* Whether the first string of a section is in its place: so this has not lost its first bytes. */
static bool has_first_string(const struct step *s, const struct part *p)
{
    const uint64_t size = p->end - p->begin;
    struct beginning b = { false, false };
    if (!p->tells || pc_input_read_at(s->r->in, p->begin, s->room, (size_t)size) == 0)
        return false;
    pc_repair_has_content(s->r->order, &s->here, p->bit, (struct pc_span){ s->room, (size_t)size }, see_first,
                          &b);
    return b.is_string && b.has_text;
}

/* Whether several sections can have lost bytes: the first one its last bytes, and the last one its first. */
static bool may_span(const struct step *s, const struct places *p)
{
    if (s->part[p->behind - 1].begins || has_first_string(s, &s->part[p->behind - 1]))
        return false;
    const struct part *first = &s->part[p->before];
    const uint64_t begin = p->first;
    bool may = begin <= first->begin; /* none of the first one is left */
    for (uint64_t at = begin; !may && at <= p->last && at - begin < INSIDE_MAX; at++)
        may = begins_sound(s, first, at);
    return may || p->last - begin >= INSIDE_MAX;
}

/* --- places --- */

static unsigned cost_of(const struct step *s, const struct places *p)
{
    unsigned cost = 0;
    const bool several = p->behind - p->before > 1,
               zeros = several && (s->part[p->before].zeros_here || s->part[p->behind - 1].zeros_moved);
    for (uint64_t i = 0; i < s->nr; i++) {
        const struct part *part = &s->part[i];
        const bool is_out = i >= p->before && i < p->behind, fits = i < p->before ? part->here : part->moved;
        if (is_out ? (several && !zeros ? part->shows : part->clearly) : part->tells && !fits)
            cost += is_out || part->may_fail ? COST_OUT : COST_WRONG;
    }
    return cost;
}

/* The same with what the sections show in which they are; it takes longer. */
static unsigned full_cost(const struct step *s, const struct places *p)
{
    const unsigned cost = cost_of(s, p);
    if (cost > s->best || p->before == p->behind)
        return cost;
    const struct part *part = &s->part[p->before];
    if (s->added != 0)
        return may_hold(s, part) ? cost : cost + (part->may_fail ? COST_OUT : COST_WRONG);
    return p->behind - p->before == 1 || may_span(s, p) ? cost : cost + COST_WRONG;
}

static void try_places(struct step *s, struct places p)
{
    const unsigned cost = full_cost(s, &p);
    if (cost > s->best)
        return;
    if (cost < s->best) {
        memset(s->touched, 0, sizeof(s->touched));
        memset(s->is_here, 0, sizeof(s->is_here));
        memset(s->has_moved, 0, sizeof(s->has_moved));
        s->may_stay = false;
        s->at = p.first;
    }
    s->best = cost;
    s->may_stay |= p.behind == s->nr;
    for (uint64_t i = 0; i < s->nr; i++) {
        s->is_here[i] |= i < p.before;
        s->touched[i] |= i >= p.before && i < p.behind;
        s->has_moved[i] |= i >= p.behind;
    }
}

/* Between two sections, or inside one. */
static void try_inserted(struct step *s)
{
    for (uint64_t i = 0; i <= s->nr; i++) {
        const uint64_t at = i < s->nr ? s->part[i].begin : s->part[s->nr - 1].end;
        try_places(s, (struct places){ i, i, at, at });
        if (i < s->nr && s->part[i].end - at > 1)
            try_places(s, (struct places){ i, i + 1, at, at });
    }
}

/* From each section, or between the table and the first one, up to each one behind it. */
static void try_lost(struct step *s, uint64_t gap)
{
    for (uint64_t before = 0; before < s->nr; before++) {
        for (uint64_t behind = before; behind <= s->nr; behind++) {
            struct places p = { before, behind, s->part[0].begin, s->part[before].end - 1 };
            if (before == 0 && gap >= s->lost)
                p.first -= s->lost;
            if (before != 0)
                p.first = s->part[before - 1].end;
            if (behind != 0 && s->part[behind - 1].begin + 1 > p.first + s->lost)
                p.first = s->part[behind - 1].begin + 1 - s->lost;
            const uint64_t most = (behind < s->nr ? s->part[behind].begin : s->end + s->lost) - s->lost;
            p.last = p.last < most ? p.last : most;
            if (s->part[before].end > p.first && p.first <= p.last)
                try_places(s, p);
        }
    }
}

/* Looks at all sections. NULL: there is no memory for that, or they are too many. */
static struct step *begin_step(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size)
{
    if (nr == 0 || nr > PC_NAMED_MAX)
        return NULL;
    const uint64_t end = offset[nr - 1] + size[nr - 1], file = r->in->size;
    struct step *s = pc_alloc(&r->s->mem, sizeof(*s));
    r->s->no_memory |= !s;
    if (!s)
        return NULL;
    *s = (struct step){ .r = r, .nr = nr, .size = 1, .best = UINT32_MAX, .end = file };
    s->lost = end > file ? end - file : 0;
    s->added = end > file ? 0 : file - end;
    for (uint64_t i = 0; i < nr; i++) {
        const uint64_t bit = pc_nth_feature(r->s->named, i);
        s->part[i] = (struct part){ .bit = bit, .begin = offset[i], .end = offset[i] + size[i] };
        s->size = size[i] > s->size && size[i] <= PC_CONTENT_MAX ? size[i] : s->size;
    }
    s->room = pc_alloc_buffer(&r->s->mem, 2 * s->size + s->added);
    r->s->no_memory |= !s->room;
    if (!s->room) {
        pc_free(&r->s->mem, s, sizeof(*s));
        return NULL;
    }
    for (uint64_t i = 0; i < nr; i++)
        look(s, &s->part[i]);
    return s;
}

static void end_step(struct step *s)
{
    struct pc_mem *mem = &s->r->s->mem;
    pc_free(mem, s->room, 2 * s->size + s->added);
    pc_free(mem, s, sizeof(*s));
}

/* Whether the last section is sound if it ends with the file: only its size in the table is wrong. */
static bool ends_with_file(const struct step *s)
{
    const struct part *last = &s->part[s->nr - 1];
    const uint64_t size = s->end - last->begin;
    return last->tells && last->begin < s->end && size <= s->size &&
           pc_input_read_at(s->r->in, last->begin, s->room, (size_t)size) == size &&
           has_content(s, last->bit, (struct pc_span){ s->room, (size_t)size });
}

/* Whether so many sections, the first ones, have their content where the table has them. */
static bool all_are_here(const struct step *s, uint64_t nr)
{
    bool all = true;
    for (uint64_t i = 0; i < nr; i++)
        all &= !s->part[i].tells || s->part[i].here;
    return all;
}

/* Whether zeros behind the sections are no bytes of them, as the last one that tells, and is not zeros, is in
 * its place: had it moved, it would have other bytes there, or be zeros. */
static bool are_behind_all(const struct step *s)
{
    const struct part *last = NULL;
    const struct pc_span behind = { s->room, (size_t)s->added };
    for (uint64_t i = 0; i < s->nr; i++)
        last = s->part[i].tells && !s->part[i].zeros_here ? &s->part[i] : last;
    return last && last->here && (!last->moved || last->zeros_moved) &&
           pc_input_read_at(s->r->in, s->end - s->added, s->room, behind.len) == behind.len &&
           pc_first_nonzero(behind) == behind.len;
}

/* What has other bytes with one of the places than with another one is left out. False: that is most of what
 * shows them. */
static bool apply(struct step *s)
{
    uint64_t kept = 0, out = 0;
    if (s->lost != 0 && !s->has_moved[s->nr - 1] && ends_with_file(s)) {
        s->touched[s->nr - 1] = false;
        if (all_are_here(s, s->nr - 1))
            return true;
    }
    for (uint64_t i = 0; i < s->nr; i++) {
        const struct part *p = &s->part[i];
        s->touched[i] |= s->is_here[i] && s->has_moved[i] && !p->same;
        kept += p->tells && !s->touched[i];
        out += p->tells && s->touched[i];
    }
    if (kept < out)
        return false;
    for (uint64_t i = 0; i < s->nr; i++) {
        if (s->part[i].end != s->part[i].begin && s->touched[i])
            pc_set_bit(s->r->s->unsure, s->part[i].bit);
    }
    s->r->s->unsure_why = s->lost == 0 ? PC_D_BYTES_ADDED : s->may_stay ? PC_D_CUT_FEATURES : PC_D_BYTES_LOST;
    if (s->may_stay)
        return true;
    pc_input_shift(&s->r->s->in, s->at, s->lost, s->added);
    pc_input_shift(s->r->in, s->at, s->lost, s->added);
    return true;
}

/* No place fits, though the sections do not end with the file. The first one that is not in its place tells
 * where they are no longer sure: a section that is there is in its place if it would not be sound where it
 * would be then; the last of these may have lost what is at its end. */
static bool leave_out_rest(struct step *s)
{
    uint64_t from = 0;
    while (from < s->nr && (!s->part[from].tells || s->part[from].here))
        from++;
    if (from == s->nr)
        return false;
    while (from != 0 && (!s->part[from - 1].tells || s->part[from - 1].moved))
        from--;
    for (uint64_t i = from != 0 ? from - 1 : 0; i < s->nr; i++) {
        if (s->part[i].end != s->part[i].begin)
            pc_set_bit(s->r->s->unsure, s->part[i].bit);
    }
    s->r->s->unsure_why = s->lost == 0 ? PC_D_BYTES_ADDED : PC_D_BYTES_LOST;
    return true;
}

bool pc_repair_step(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size, uint64_t gap)
{
    struct step *s = begin_step(r, nr, offset, size);
    if (!s)
        return false;
    const bool none = s->added != 0 && are_behind_all(s);
    if (none)
        s->best = COST_WRONG;
    else if (s->added != 0)
        try_inserted(s);
    else
        try_lost(s, gap);
    const bool found = none || (s->best < COST_WRONG && apply(s));
    end_step(s);
    return found;
}

bool pc_repair_leave_out_rest(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size)
{
    struct step *s = begin_step(r, nr, offset, size);
    if (!s)
        return false;
    const bool found = leave_out_rest(s);
    end_step(s);
    return found;
}
