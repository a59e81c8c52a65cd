/* SPDX-License-Identifier: MIT
 *
 * The structure that synth.h makes from a table: counts, lengths, cases, optional rows, room for strings.
 */
#include "generate/synth.h"

#include <stdlib.h>
#include <string.h>

/* A pseudo-random word. */
uint64_t synth_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

void synth_store_as(unsigned char *to, unsigned width, uint64_t value, enum pc_order order)
{
    for (unsigned i = 0; i < width; i++) {
        unsigned shift = 8 * (order == PC_LITTLE ? i : width - 1 - i);
        to[i] = (unsigned char)(value >> shift);
    }
}

void synth_store(struct synth *s, size_t at, unsigned width, uint64_t value)
{
    synth_store_as(s->bytes + at, width, value, s->order);
}

/* --- what a table says --- */

static uint64_t synth_counts(const struct pc_field *table)
{
    uint64_t slots = 0;
    for (const struct pc_field *f = table; f->kind != PC_END; f++) {
        if (f->count)
            slots |= (uint64_t)1 << f->count;
        if (f->sub)
            slots |= synth_counts(f->sub);
    }
    return slots;
}

static bool synth_is_count(const struct synth *s, const struct pc_field *field)
{
    return field->save && (s->counts >> field->save & 1);
}

bool synth_is(const struct pc_leaf *leaf, const char *name)
{
    /* Fuzz engines look at every call of strcmp, of which there would be a dozen for each leaf. */
    return leaf->field->name && leaf->field->name[0] == name[0] && strcmp(leaf->field->name, name) == 0;
}

static bool synth_in(const struct pc_leaf *leaf, const struct pc_field *row)
{
    const struct pc_walk *walk = leaf->walk;
    return walk->depth > 0 && row->name && walk->path[walk->depth - 1].name &&
           strcmp(walk->path[walk->depth - 1].name, row->name) == 0;
}

/* Whether the leaf begins a row that need not be there; frames end where they say. */
static bool synth_is_optional(const struct pc_field *table, const struct pc_leaf *leaf)
{
    for (const struct pc_field *f = table; f->kind != PC_END; f++) {
        if (f->kind == PC_SUB && synth_is_optional(f->sub, leaf))
            return true;
        if (!(f->flags & (PC_OPTIONAL | PC_IF_FITS)))
            continue;
        if (f == leaf->field)
            return true;
        if (f->kind == PC_REPEAT && leaf->field == f->sub && synth_in(leaf, f) &&
            leaf->walk->path[leaf->walk->depth - 1].index == 0)
            return true;
    }
    return false;
}

static void synth_note_places(struct synth *s, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    if (s->nr_cuts < SYNTH_PLACES && synth_is_optional(s->table, leaf))
        s->cut[s->nr_cuts++] = leaf->at;
    for (const struct pc_field *f = s->table; f->kind != PC_END; f++) {
        if (f->kind == PC_UNTIL_END && s->until_at == 0 && walk->depth > 0 &&
            strcmp(walk->path[0].name, f->name) == 0 && walk->path[0].index == 2)
            s->until_at = leaf->at;
    }
}

/* --- structure --- */

static uint64_t synth_count(const struct synth *s, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    if (synth_is(leaf, "attr_size"))
        return s->attr_size ? s->attr_size : 128;
    if (synth_is(leaf, "info_len")) /* of a BPF program */
        return s->variant == 5 ? 224 : 232;
    if (synth_is(leaf, "nr") && field->width == 2 && leaf->walk->slot[PC_REC_MAP] == PC_MAP_MASK)
        return s->variant != 7; /* a word of CPUs, which the machine has */
    if (synth_is(leaf, "data_len"))
        return SYNTH_BPF_DATA;
    if (synth_is(leaf, "size") && synth_in(leaf, &(struct pc_field){ .name = "entries" }))
        return s->variant % 2 ? 100 : 44; /* a build id with 64 or 8 bytes of name */
    if (synth_is(leaf, "aux_size"))       /* the kernel rounds it up */
        return s->variant == 7 ? 0 : 16;
    if (field->rule == PC_RULE_MOD8)
        return (s->variant == 7 ? 0 : 8) + field->arg;
    if (field->rule == PC_RULE_IS)
        return field->arg;
    return s->variant == 7 ? 0 : field->as == PC_AS_WORDS ? 70 : 2;
}

/* True when the leaf says something about structure; then *value is what it shall be. */
static bool synth_structure(struct synth *s, const struct pc_leaf *leaf, uint64_t *value)
{
    const struct pc_field *field = leaf->field;
    *value = leaf->value;
    if (field->kind == PC_ORDER) {
        *value = s->order == PC_BIG;
    } else if (field == &pc_attr_fields[1]) { /* attr.size */
        *value = s->attr_size ? s->attr_size : 128;
    } else if (field->kind == PC_UINT && field->cases && field->rule != PC_RULE_MOD8) {
        unsigned nr = 0;
        while (field->cases[nr].bits)
            nr++;
        *value = field->cases[s->variant % nr].lo;
    } else if (field->kind == PC_UINT && synth_is_count(s, field)) {
        *value = synth_count(s, leaf);
    } else if (synth_is(leaf, "pmu_type") && leaf->walk->slot[PC_REC_TYPE] == 4 && s->variant % 2) {
        *value = 2; /* no PMU type: the second layout of ARM_SPE */
    } else if (synth_is(leaf, "header_version")) {
        if (leaf->walk->slot[PC_REC_TYPE] == 4) /* ARM_SPE: ARM_SPE_HEADER_CURRENT_VERSION */
            *value = 2;
    } else if (field->kind == PC_UINT && (field->rule == PC_RULE_NONZERO || field->rule == PC_RULE_IS)) {
        *value = field->rule == PC_RULE_IS ? field->arg : 1;
    } else {
        return false;
    }
    return true;
}

static bool synth_put_text(struct synth *s, size_t at, const char *text)
{
    memcpy(s->bytes + at, text, strlen(text) + 1);
    s->done[at] = s->changed = true;
    return false;
}

static bool synth_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct synth *s = ctx;
    const struct pc_field *field = leaf->field;
    uint64_t value;
    if (leaf->fault == PC_FAULT_TEXT) { /* a literal: write it and walk again */
        memcpy(s->bytes + leaf->at, field->text, leaf->raw.len);
        s->changed = true;
        return false;
    }
    if (leaf->fault == PC_FAULT_COUNT && field->kind == PC_HSTR && leaf->value == 0) {
        synth_store(s, leaf->at, 4, s->variant % 3 == 2 ? 128 : 64);
        s->changed = true;
        return false;
    }
    if (leaf->fault != PC_SOUND)
        return true;
    synth_note_places(s, leaf);
    bool framed = leaf->walk->c->in.len != s->end;
    if ((field->kind == PC_CSTR || field->kind == PC_REST) && !framed) {
        if (!s->has_tail) {
            s->has_tail = true;
            s->tail_at = leaf->at;
            s->tail_is_rest = field->kind == PC_REST;
        }
        return true;
    }
    if (s->done[leaf->at])
        return true;
    if (field->kind == PC_ZSTR)
        return synth_put_text(s, leaf->at,
                              field->cases ? (s->variant % 2 ? "0.5" : "0.6") : "sixteen-letters");
    if (!synth_structure(s, leaf, &value))
        return true;
    s->done[leaf->at] =
        field->rule != PC_RULE_NONZERO || synth_is_count(s, field); /* else any other will do */
    if (value == leaf->value || (field->rule == PC_RULE_NONZERO && leaf->value != 0))
        return true;
    synth_store(s, leaf->at, field->width, value);
    s->changed = true;
    return false;
}

/* Gives bytes from `start` the structure of a table; *pos is where it ends when all the room is taken. */
static bool synth_find(struct synth *s, const struct pc_field *table, const struct pc_layout *layout,
                       size_t start, size_t end, size_t *pos)
{
    s->table = table;
    s->counts = synth_counts(table);
    s->end = end;
    for (unsigned round = 0; round < 2000; round++) {
        struct pc_cursor c = { .in = { s->bytes, end }, .pos = start, .order = s->order };
        struct pc_walk walk;
        s->changed = s->has_tail = false;
        s->nr_cuts = 0;
        s->until_at = 0;
        pc_walk_init(&walk, layout, &c, synth_visit, s);
        bool sound = pc_walk_table(&walk, table);
        *pos = c.pos;
        if (!s->changed)
            return sound || s->until_at; /* elements that fill the room need not end with it */
    }
    return false;
}

/* Saves or restores the current structure. */
static void synth_recall(struct synth *s, const struct synth_known *k)
{
    s->has_tail = k->has_tail;
    s->tail_is_rest = k->tail_is_rest;
    s->tail_at = k->tail_at;
    s->until_at = k->until_at;
    s->nr_cuts = k->nr_cuts;
    memcpy(s->cut, k->cut, sizeof(s->cut));
    memcpy(s->bytes, k->bytes, k->len);
    memcpy(s->done, k->bytes + k->len, k->len);
}

static void synth_remember(const struct synth *s, struct synth_known *k)
{
    k->has_tail = s->has_tail;
    k->tail_is_rest = s->tail_is_rest;
    k->tail_at = s->tail_at;
    k->until_at = s->until_at;
    k->nr_cuts = s->nr_cuts;
    memcpy(k->cut, s->cut, sizeof(s->cut));
    for (k->len = SYNTH_MAX; k->len > 0 && s->bytes[k->len - 1] == 0 && !s->done[k->len - 1];)
        k->len--;
    k->bytes = malloc(2 * k->len + 1);
    if (!k->bytes)
        abort();
    memcpy(k->bytes, s->bytes, k->len);
    memcpy(k->bytes + k->len, s->done, k->len);
}

/* The same, from what is known of tables, where it is. */
static bool synth_build(struct synth *s, const struct pc_field *table, const struct pc_layout *layout,
                        size_t start, size_t end, size_t *pos)
{
    if (!s->known)
        return synth_find(s, table, layout, start, end, pos);
    uint64_t mix =
        (uintptr_t)table / sizeof(*table) + s->variant * 977 + (unsigned)s->order * 31 + s->attr_size + end;
    struct synth_known *k = &s->known[(mix ^ layout->mask * 0x9e3779b97f4a7c15 >> 40) % SYNTH_KNOWN];
    if (k->table != table || k->variant != s->variant || k->order != s->order ||
        k->attr_size != s->attr_size || k->start != start || k->end != end ||
        memcmp(&k->layout, layout, sizeof(*layout)) != 0) {
        free(k->bytes);
        *k = (struct synth_known){ table,        *layout, s->variant, s->order,
                                   s->attr_size, start,   end,        .bytes = NULL };
        k->sound = synth_find(s, table, layout, start, end, &k->pos);
        synth_remember(s, k);
    } else {
        s->table = table;
        s->counts = synth_counts(table);
        s->end = end;
        synth_recall(s, k);
    }
    *pos = k->pos;
    return k->sound;
}

/* Where it shall end: what takes the rest gets a little, optional rows are there or not. `align`: of places
 * where it may be cut. */
static size_t synth_end(const struct synth *s, size_t pos, size_t align)
{
    size_t room = 8 * (size_t)(1 + s->variant % 2), cut = s->nr_cuts ? s->variant % (s->nr_cuts + 1) : 0;
    if (cut != 0 && s->cut[s->nr_cuts - cut] % align == 0)
        return s->cut[s->nr_cuts - cut];
    if (s->until_at)
        return s->until_at;
    if (!s->has_tail)
        return pos;
    return s->tail_is_rest ? s->tail_at + room - 8 : s->tail_at + room;
}

/* --- what tests ask for --- */

/* A sound record of the type under the layout; false when this variant gives none. */
bool synth_record(struct synth *s, uint32_t type, uint16_t misc, const struct pc_layout *layout)
{
    const struct pc_record_info *info = pc_record_info(type);
    size_t trailer = pc_sample_id_size(layout->mask), pos;
    if (!synth_build(s, info->fields, layout, PC_RECORD_HEADER_SIZE, SYNTH_MAX - trailer, &pos))
        return false;
    s->len = (size_t)pc_align8(synth_end(s, pos, 8));
    if (s->len < info->min)
        s->len = (size_t)pc_align8(info->min);
    memset(s->bytes + s->len, 0, SYNTH_MAX - s->len);
    s->len += trailer;
    synth_store(s, 0, 4, type);
    synth_store(s, 4, 2, misc);
    synth_store(s, 6, 2, s->len);
    return s->len <= 65528;
}

void synth_fill_record(struct synth *s, uint32_t type, const struct pc_layout *layout, uint64_t seed)
{
    s->random = seed * 2 + 1;
    for (s->pass = 0; s->pass < 2; s->pass++) {
        struct pc_cursor c = { .in = { s->bytes, s->len }, .pos = 8, .order = s->order };
        struct pc_walk walk;
        size_t excess;
        pc_walk_init(&walk, layout, &c, synth_fill_leaf, s);
        pc_walk_record(&walk, pc_record_info(type), &excess);
    }
}

/* The sound content of a feature, filled. */
bool synth_feature(struct synth *s, const struct pc_field *table, const struct pc_layout *layout,
                   uint64_t seed)
{
    size_t pos;
    if (!synth_build(s, table, layout, 0, SYNTH_MAX, &pos))
        return false;
    s->len = synth_end(s, pos, 1);
    memset(s->bytes + s->len, 0, SYNTH_MAX - s->len);
    s->random = seed * 2 + 1;
    for (s->pass = 0; s->pass < 2; s->pass++) {
        struct pc_cursor c = { .in = { s->bytes, s->len }, .order = s->order };
        struct pc_walk walk;
        s->bpf_at = 0;
        pc_walk_init(&walk, layout, &c, synth_fill_leaf, s);
        if (!pc_walk_table(&walk, table))
            return false;
    }
    return true;
}

/* An attr of this size, filled. */
void synth_attr(struct synth *s, uint32_t size, uint64_t seed)
{
    memset(s->bytes, 0, size);
    s->random = seed * 2 + 1;
    s->len = size;
    synth_store(s, PC_ATTR_SIZE_AT, 4, size);
    memset(s->done, 0, sizeof(s->done));
    s->done[PC_ATTR_SIZE_AT] = true;
    for (s->pass = 0; s->pass < 2; s->pass++) {
        struct pc_cursor c = { .in = { s->bytes, size }, .order = s->order };
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, synth_fill_leaf, s);
        pc_walk_table(&walk, pc_attr_fields);
    }
}
