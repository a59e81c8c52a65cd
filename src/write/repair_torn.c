/* SPDX-License-Identifier: MIT
 *
 * Bytes that were lost or inserted in the feature table itself, which is where the header says. What is left
 * of it shows where and how many: all other entries follow each other up to the end of the file, as it was.
 * An entry that lost bytes follows from those before and behind it, and from what it has left.
 */
#include "write/repair_parts.h"
#include "bytes/cursor.h"
#include "format/features.h"

#define TABLE_MAX ((size_t)PC_NAMED_MAX * PC_SECTION_SIZE)
#define ADDED_MAX ((size_t)4096) /* bytes that were inserted */

struct torn {
    struct repair *r;
    uint64_t at, nr, size; /* the table; of the file as it is */
    size_t len;            /* of the table */
    unsigned char raw[TABLE_MAX + ADDED_MAX], table[TABLE_MAX], other[TABLE_MAX]; /* as it is; as it was */
    uint64_t front, tail; /* so many entries follow each other before it, and from here on behind it */
    uint64_t lost;
    bool found;
    uint64_t place;            /* of the first way that is found */
    uint64_t first, last;      /* the entries that lost bytes */
    bool unsure[PC_NAMED_MAX]; /* of entries that are others in other ways */
};

static uint64_t word(const struct torn *t, const unsigned char *entry, unsigned at)
{
    return pc_load(entry + at, 8, t->r->order);
}

static uint64_t end_of(const struct torn *t, const unsigned char *entry)
{
    return word(t, entry, 0) + word(t, entry, 8);
}

/* The sections have the shape of their features, as they are read now: more do than do not, of those that
 * are in the file. */
static bool have_content(struct torn *t)
{
    const struct pc_layout none = { 0 };
    unsigned sound = 0, others = 0;
    for (uint64_t i = 0; i < t->nr; i++) {
        const unsigned char *entry = t->table + i * PC_SECTION_SIZE;
        const uint64_t bit = pc_nth_feature(t->r->s->named, i), size = word(t, entry, 8);
        if (t->unsure[i] || !pc_repair_tells(bit) || size == 0 || size > PC_CONTENT_MAX ||
            end_of(t, entry) > t->r->in->size || pc_feature_is(bit, PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE))
            continue;
        const bool holds = pc_repair_has_section(t->r, &none, bit, word(t, entry, 0), size, NULL, NULL);
        sound += holds;
        others += !holds;
    }
    return sound > others;
}

/* The table is read as it was, when its sections then have the content of their features. */
static bool apply(struct torn *t, uint64_t added)
{
    struct repair *r = t->r;
    pc_input_shift(r->in, t->at + t->place, t->lost, added);
    if (!have_content(t)) {
        pc_input_shift(r->in, 0, 0, 0);
        return false;
    }
    pc_input_shift(&r->s->in, t->at + t->place, t->lost, added);
    r->s->unsure_why = PC_D_BYTES_LOST;
    for (uint64_t i = 0; i < t->nr; i++) {
        if (t->unsure[i])
            pc_set_bit(r->s->unsure, pc_nth_feature(r->s->named, i));
        for (unsigned at = 0; at < PC_SECTION_SIZE && t->lost != 0; at += 8) {
            unsigned char now[8];
            const uint64_t place = t->at + i * PC_SECTION_SIZE + at,
                           was = word(t, t->table + i * PC_SECTION_SIZE, at);
            if (pc_input_read_at(r->in, place, now, sizeof(now)) == sizeof(now) &&
                pc_load(now, sizeof(now), r->order) != was)
                pc_repair_word(r, place, was);
        }
    }
    return true;
}

/* --- inserted --- */

static bool repair_added(struct torn *t, size_t have)
{
    const unsigned char *last = t->table + t->len - PC_SECTION_SIZE;
    for (size_t added = 1; added <= ADDED_MAX && t->len + added <= have; added++) {
        memcpy(t->table, t->raw + added, t->len);
        for (size_t at = 1; at < t->len; at++) { /* before the first byte they may as well be in a record */
            t->table[at - 1] = t->raw[at - 1];
            if (end_of(t, last) != t->size - added ||
                pc_count_table(t->r->s->named, t->table, t->nr, t->r->order, t->at, t->size - added) != t->nr)
                continue;
            t->place = at;
            if (apply(t, added))
                return true;
            break;
        }
    }
    return false;
}

/* --- lost --- */

/* The entries that follow each other from the first one on. */
static uint64_t count_front(const struct torn *t)
{
    const uint64_t room = word(t, t->raw, 0) - t->at - t->len;
    uint64_t nr = room <= PC_TABLE_GAP_MAX && room % PC_SECTION_SIZE == 0;
    for (const unsigned char *entry = t->raw + PC_SECTION_SIZE; nr != 0 && nr < t->nr; nr++) {
        if (word(t, entry, 0) != end_of(t, entry - PC_SECTION_SIZE))
            break;
        entry += PC_SECTION_SIZE;
    }
    return nr;
}

/* The first of those that follow each other up to the end, if so many bytes were lost before them. */
static uint64_t find_tail(const struct torn *t)
{
    uint64_t due = t->size + t->lost, i = t->nr;
    for (; i != 0 && i * PC_SECTION_SIZE >= PC_SECTION_SIZE + t->lost; i--) {
        const unsigned char *entry = t->raw + (i - 1) * PC_SECTION_SIZE - t->lost;
        if (end_of(t, entry) != due)
            break;
        due = word(t, entry, 0);
    }
    return i;
}

static void put_entry(struct torn *t, uint64_t i, uint64_t begin, uint64_t end)
{
    pc_store(t->other + i * PC_SECTION_SIZE, 8, begin, t->r->order);
    pc_store(t->other + i * PC_SECTION_SIZE + 8, 8, end - begin, t->r->order);
}

/* Whether all bytes of these entries that are left are those of t->other. */
static bool is_left(const struct torn *t, uint64_t place, uint64_t first, uint64_t last)
{
    const size_t from = (size_t)first * PC_SECTION_SIZE, to = (size_t)(last + 1) * PC_SECTION_SIZE,
                 behind = (size_t)(place + t->lost);
    return memcmp(t->other + from, t->raw + from, (size_t)place - from) == 0 &&
           (behind >= to || memcmp(t->other + behind, t->raw + place, to - behind) == 0);
}

/* A way is found. If it is not the first one, what differs is unsure. */
static void note(struct torn *t, uint64_t place, uint64_t first, uint64_t last)
{
    for (uint64_t i = 0; i < t->nr; i++) {
        const size_t at = (size_t)i * PC_SECTION_SIZE;
        const bool is_lost = i > first && i < last;
        t->unsure[i] |= is_lost || (t->found && memcmp(t->table + at, t->other + at, PC_SECTION_SIZE) != 0);
    }
    if (!t->found) {
        memcpy(t->table, t->other, t->len);
        t->place = place;
    }
    t->found = true;
}

/* Where the second of two entries begins: one of them has a word left that tells, or the half of it that is
 * not zeros. */
static void try_two(struct torn *t, uint64_t place, uint64_t first, uint64_t due, uint64_t next)
{
    unsigned char both[2 * PC_SECTION_SIZE] = { 0 };
    const size_t from = (size_t)first * PC_SECTION_SIZE, before = (size_t)place - from,
                 behind = before + (size_t)t->lost;
    memcpy(both, t->raw + from, before);
    memcpy(both + behind, t->raw + place, sizeof(both) - behind);
    const uint64_t begins[] = { due + word(t, both, 8), word(t, both, 16), next - word(t, both, 24) };
    for (size_t i = 0; i < PC_COUNT_OF(begins); i++) {
        if (begins[i] < due || begins[i] > next)
            continue;
        put_entry(t, first, due, begins[i]);
        put_entry(t, first + 1, begins[i], next);
        if (is_left(t, place, first, first + 1))
            note(t, place, first, first + 1);
    }
}

/* The bytes were lost from here on: the first section that lost some of its entry begins there. */
static void try_lost_from(struct torn *t, uint64_t place, uint64_t due)
{
    const uint64_t first = place / PC_SECTION_SIZE, last = (place + t->lost - 1) / PC_SECTION_SIZE;
    memcpy(t->other, t->raw, (size_t)place);
    memcpy(t->other + place + t->lost, t->raw + place, t->len - (size_t)(place + t->lost));
    const uint64_t next =
        last + 1 < t->nr ? word(t, t->other + (last + 1) * PC_SECTION_SIZE, 0) : t->size + t->lost;
    if (next < due)
        return;
    if (last == first + 1) {
        try_two(t, place, first, due, next);
        return;
    }
    for (uint64_t i = first; i <= last; i++)
        put_entry(t, i, i == first ? due : next, next);
    if (is_left(t, place, first, last))
        note(t, place, first, last);
    t->unsure[first] |= last > first + 1;
    t->unsure[last] |= last > first + 1;
}

/* Whether the first bytes are in front of it: what was lost is in a record. */
static bool is_before(const struct torn *t)
{
    unsigned char before[8];
    const size_t n = t->lost < sizeof(before) ? (size_t)t->lost : sizeof(before);
    return pc_input_read_at(t->r->in, t->at - n, before, n) == n &&
           memcmp(before, t->table + t->lost - n, n) == 0;
}

static void try_lost(struct torn *t)
{
    const uint64_t behind = t->at + t->len;
    t->tail = find_tail(t);
    for (uint64_t place = 0; place + t->lost <= t->len; place++) {
        const uint64_t first = place / PC_SECTION_SIZE, last = (place + t->lost - 1) / PC_SECTION_SIZE;
        if (first > t->front || last + 1 < t->tail || first + t->nr - 1 - last < PC_TABLE_FEW)
            continue;
        for (uint64_t room = 0; first == 0 && room <= PC_TABLE_GAP_MAX; room += PC_SECTION_SIZE)
            try_lost_from(t, place, behind + room);
        if (first != 0)
            try_lost_from(t, place, end_of(t, t->raw + (first - 1) * PC_SECTION_SIZE));
        if (place == 0 && t->found && is_before(t)) {
            t->found = false;
            return;
        }
    }
}

static bool repair_lost(struct torn *t)
{
    t->front = count_front(t);
    for (t->lost = 1; t->lost < t->len; t->lost++) {
        t->found = false;
        memset(t->unsure, 0, sizeof(t->unsure));
        try_lost(t);
        if (t->found && apply(t, 0))
            return true;
    }
    return false;
}

bool pc_repair_torn(struct repair *r, uint64_t at, uint64_t nr)
{
    if (nr < PC_TABLE_FEW || nr > PC_NAMED_MAX || at > r->in->size)
        return false;
    struct torn *t = pc_alloc(&r->s->mem, sizeof(*t));
    bool found = false;
    r->s->no_memory |= !t;
    if (t) {
        *t = (struct torn){ .r = r, .at = at, .nr = nr, .size = r->in->size };
        t->len = (size_t)nr * PC_SECTION_SIZE;
        const size_t have = pc_input_read_at(r->in, at, t->raw, t->len + ADDED_MAX);
        memcpy(t->table, t->raw, t->len);
        const bool torn = have >= t->len && !have_content(t);
        found = torn && repair_added(t, have);
        if (torn && !found) {
            memset(t->unsure, 0, sizeof(t->unsure));
            found = repair_lost(t);
        }
    }
    pc_free(&r->s->mem, t, sizeof(*t));
    return found;
}
