/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include <string.h>

/* --- the places in a capture of build_capture.c, or in its compressed copy --- */

struct fuzz_map fuzz_map;

uint64_t fuzz_load(size_t at, unsigned width)
{
    return pc_load(fuzz_map.f->bytes + at, width, fuzz_map.order);
}

void fuzz_store(size_t at, unsigned width, uint64_t value)
{
    pc_store(fuzz_map.f->bytes + at, width, value, fuzz_map.order);
}

static struct part *add_part(enum part_kind kind, size_t at, size_t size, uint32_t number)
{
    static struct part spare;
    struct part *p = fuzz_map.nr_parts < PARTS_MAX ? &fuzz_map.part[fuzz_map.nr_parts++] : &spare;
    *p = (struct part){ .kind = kind, .at = at, .size = size, .number = number };
    return p;
}

static void add_attr(size_t at, size_t size)
{
    uint64_t slot[PC_SLOTS];
    if (fuzz_map.nr_attrs == PC_COUNT_OF(fuzz_map.layout) ||
        !pc_attr_walk((struct pc_span){ fuzz_map.f->bytes + at, size }, fuzz_map.order, slot))
        return;
    fuzz_map.sample_type[fuzz_map.nr_attrs] = slot[PC_ATTR_SAMPLE_TYPE];
    fuzz_map.is_tracepoint[fuzz_map.nr_attrs] = slot[PC_ATTR_TYPE] == PC_TYPE_TRACEPOINT;
    fuzz_map.layout[fuzz_map.nr_attrs++] = pc_attr_layout(slot);
}

/* The attr of a kernel record. Generated ids have its number in their upper half. */
static uint32_t attr_of(const struct part *p)
{
    size_t at = p->number == PC_SAMPLE ? p->at + PC_RECORD_HEADER_SIZE : p->at + p->size - 8;
    uint64_t attr = (fuzz_load(at, 8) >> 32) - 1;
    return attr < fuzz_map.nr_attrs ? (uint32_t)attr : 0;
}

static void add_record(size_t *at)
{
    size_t size = (size_t)fuzz_load(*at + 6, 2);
    struct part *p = add_part(IN_RECORD, *at, size, (uint32_t)fuzz_load(*at, 4));
    p->misc = (uint16_t)fuzz_load(*at + 4, 2);
    if (p->number == PC_HEADER_ATTR)
        add_attr(*at + PC_RECORD_HEADER_SIZE,
                 (size_t)fuzz_load(*at + PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4));
    if (p->number == PC_HEADER_TRACING_DATA)
        p->payload = (size_t)fuzz_load(*at + 8, 4);
    if (p->number == PC_AUXTRACE)
        p->payload = (size_t)fuzz_load(*at + 8, 8);
    if (pc_is_kernel_type(p->number) && fuzz_map.nr_attrs != 0)
        p->attr = attr_of(p);
    if (fuzz_map.pipe) /* files have a feature for it */
        fuzz_map.stat |= p->number == PC_STAT || p->number == PC_STAT_CONFIG || p->number == PC_STAT_ROUND;
    fuzz_map.packed |= p->number == PC_COMPRESSED2;
    *at += size + p->payload;
}

/* Adds the parts of a capture of build_capture.c, which is sound. */
void fuzz_read_map(struct fuzz_faulty *f)
{
    size_t at = PC_PIPE_HEADER_SIZE;
    fuzz_map = (struct fuzz_map){ .f = f, .order = f->bytes[0] == 'P' ? PC_LITTLE : PC_BIG };
    fuzz_map.pipe = fuzz_load(8, 8) == PC_PIPE_HEADER_SIZE;
    fuzz_map.data_end = f->len;
    if (!fuzz_map.pipe) {
        fuzz_map.attr_size = (size_t)fuzz_load(16, 8) - PC_SECTION_SIZE;
        fuzz_map.data = (size_t)fuzz_load(40, 8);
        fuzz_map.data_end = fuzz_map.data + (size_t)fuzz_load(48, 8);
        uint32_t attr = 0;
        for (at = (size_t)fuzz_load(24, 8); at < fuzz_map.data; at += fuzz_map.attr_size + PC_SECTION_SIZE) {
            add_part(IN_ATTR, at, fuzz_map.attr_size, attr++);
            add_attr(at, fuzz_map.attr_size);
        }
        size_t slot = fuzz_map.data_end;
        for (uint32_t bit = 0; bit < PC_FEATURES; bit++) {
            if (!(fuzz_load(PC_FILE_HEADER_OLD, 8) >> bit & 1))
                continue;
            struct part *p =
                add_part(IN_FEATURE, (size_t)fuzz_load(slot, 8), (size_t)fuzz_load(slot + 8, 8), bit);
            p->slot = slot;
            slot += PC_SECTION_SIZE;
            fuzz_map.stat |= bit == PC_STAT_FEATURE;
        }
        at = fuzz_map.data;
    }
    while (at < fuzz_map.data_end)
        add_record(&at);
}

const struct part *fuzz_first(enum part_kind kind, uint64_t number)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        if (fuzz_map.part[i].kind == kind && fuzz_map.part[i].number == number)
            return &fuzz_map.part[i];
    }
    return NULL;
}

bool fuzz_has_feature(uint32_t bit)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if ((p->kind == IN_FEATURE && p->number == bit) ||
            (p->kind == IN_RECORD && p->number == PC_HEADER_FEATURE && fuzz_load(p->at + 8, 8) == bit))
            return true;
    }
    return false;
}

const struct part *fuzz_attr(uint32_t n)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        bool is_attr = p->kind == IN_ATTR || (p->kind == IN_RECORD && p->number == PC_HEADER_ATTR);
        if (is_attr && n-- == 0)
            return p;
    }
    return NULL;
}

size_t fuzz_attr_at(uint32_t n)
{
    const struct part *p = fuzz_attr(n);
    return p->kind == IN_ATTR ? p->at : p->at + PC_RECORD_HEADER_SIZE;
}

bool fuzz_is_record(const struct part *p, uint32_t type)
{
    return p->kind == IN_RECORD && p->number == type;
}

bool fuzz_expect(enum pc_place place, uint64_t offset)
{
    fuzz_map.f->place = place;
    fuzz_map.f->offset = offset;
    fuzz_map.f->elsewhere = true;
    return true;
}

/* --- walks --- */

static bool visit_part(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    return v->visit(v, leaf);
}

static void walk_bytes(struct view *v, const struct pc_field *table, size_t base, size_t start, size_t end,
                       const struct pc_layout *layout, const struct pc_record_info *info)
{
    struct pc_cursor c = { .in = { fuzz_map.f->bytes + base, end - base },
                           .pos = start,
                           .order = fuzz_map.order };
    struct pc_walk walk;
    size_t excess;
    v->base = base;
    pc_walk_init(&walk, layout, &c, visit_part, v);
    if (info)
        pc_walk_record(&walk, info, &excess);
    else
        pc_walk_table(&walk, table);
}

static void walk_feature(struct view *v, uint32_t bit, size_t base, size_t start, size_t end)
{
    const struct pc_layout layout = { .slot = { [PC_SLOT_NR_CPUS] = CPUS, [PC_SLOT_NR_ONLINE] = CPUS } };
    const struct pc_feature_info *info = pc_feature_info(bit);
    v->feature = bit;
    v->short_diag = bit == PC_TRACING_DATA ? PC_D_TRACING_CUT : PC_D_FEATURE_CUT;
    v->count_diag = PC_D_FEATURE_COUNT;
    if (info && info->fields && !(info->flags & PC_ONLY_A_MARK))
        walk_bytes(v, info->fields, base, start, end, &layout, NULL);
}

static void walk_attr(struct view *v, size_t base, size_t size, uint32_t number)
{
    v->is_attr = true;
    v->attr = number;
    walk_bytes(v, pc_attr_fields, base, 0, base + size, NULL, NULL);
}

void fuzz_walk_part(const struct part *p, pc_visit *visit, void *ctx)
{
    struct view v = { .part = p, .place = PC_IN_RECORD, .attr = p->attr, .visit = visit, .ctx = ctx };
    const struct pc_record_info *info = p->kind == IN_RECORD ? pc_record_info(p->number) : NULL;
    struct pc_layout layout = { 0 };
    size_t body = PC_RECORD_HEADER_SIZE;
    if (p->kind == IN_ATTR) {
        v.place = PC_IN_ATTR;
        walk_attr(&v, p->at, p->size, p->number);
    } else if (p->kind == IN_FEATURE) {
        v.place = PC_IN_FEATURE;
        walk_feature(&v, p->number, p->at, 0, p->at + p->size);
    } else if (p->number == PC_HEADER_ATTR) {
        uint32_t number = 0;
        for (const struct part *q = fuzz_map.part; q != p; q++)
            number += q->number == PC_HEADER_ATTR;
        walk_attr(&v, p->at + body, (size_t)fuzz_load(p->at + body + PC_ATTR_SIZE_AT, 4), number);
    } else if (p->number == PC_HEADER_FEATURE) {
        if (p->size > body + 8)
            walk_feature(&v, (uint32_t)fuzz_load(p->at + body, 8), p->at, body + 8, p->at + p->size);
    } else if (info) {
        if (pc_is_kernel_type(p->number))
            layout = pc_record_layout(&fuzz_map.layout[p->attr], p->number, p->misc, false);
        v.short_diag = info->short_diag ? info->short_diag : PC_D_FIELD_CUT;
        v.count_diag = info->count_diag ? info->count_diag : PC_D_FIELD_CUT;
        walk_bytes(&v, NULL, p->at, body, p->at + p->size, &layout, info);
        if (p->number == PC_HEADER_TRACING_DATA)
            walk_feature(&v, PC_TRACING_DATA, p->at + p->size, 0, p->at + p->size + p->payload);
    }
}

static bool see_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    struct fuzz_wanted *w = v->ctx;
    const struct pc_field *field = leaf->field;
    bool is = w->name ? field->name && strcmp(field->name, w->name) == 0 : field->save == w->slot;
    if (leaf->fault == PC_SOUND && w->at == 0 && is && leaf->value >= w->least) {
        w->field = field;
        w->at = v->base + leaf->at;
        w->value = leaf->value;
    }
    return true;
}

bool fuzz_find_leaf(const struct part *p, struct fuzz_wanted *wanted)
{
    wanted->at = 0;
    if (p)
        fuzz_walk_part(p, see_leaf, wanted);
    return wanted->at != 0;
}

struct fuzz_sites fuzz_sites;

static bool collect(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    const struct pc_walk *walk = leaf->walk;
    struct site s = { .part = v->part, .field = leaf->field, .place = v->place };
    if (leaf->fault != PC_SOUND || fuzz_sites.nr == SITES_MAX)
        return true;
    s.at = v->base + leaf->at;
    s.len = leaf->raw.len;
    s.left = walk->c->in.len - leaf->at;
    s.value = leaf->value;
    s.slot = leaf->field->rule == PC_RULE_MAX_SLOT ? walk->slot[leaf->field->arg] : 0;
    s.index = walk->depth ? walk->path[walk->depth - 1].index : PC_NO_INDEX;
    s.feature = v->feature;
    s.attr = v->attr;
    s.is_attr = v->is_attr;
    s.has_forms = v->branches;
    v->branches |= leaf->field->name && strcmp(leaf->field->name, "branch_nr") == 0;
    s.trailer = walk->depth == 1 && walk->path[0].name && strcmp(walk->path[0].name, "sample_id") == 0;
    s.short_diag = v->short_diag;
    s.count_diag = v->count_diag;
    if (fuzz_sites.fault->takes(&s, fuzz_sites.fault))
        fuzz_sites.site[fuzz_sites.nr++] = s;
    return true;
}

/* Chooses a row first, then a place of that row. Otherwise most faults would be in arrays. */
bool fuzz_change_one(const struct fuzz_fault *fault)
{
    const struct pc_field *row[512];
    size_t nr_rows = 0;
    fuzz_sites.nr = 0;
    fuzz_sites.fault = fault;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++)
        fuzz_walk_part(&fuzz_map.part[i], collect, NULL);
    for (size_t i = 0; i < fuzz_sites.nr; i++) {
        size_t k = 0;
        while (k < nr_rows && row[k] != fuzz_sites.site[i].field)
            k++;
        if (k == nr_rows && nr_rows < PC_COUNT_OF(row))
            row[nr_rows++] = fuzz_sites.site[i].field;
    }
    for (size_t k = 0; k < nr_rows; k++) {
        const struct pc_field *chosen = row[(k + fuzz_map.f->choice[0]) % nr_rows];
        for (size_t i = 0; i < fuzz_sites.nr; i++) {
            const struct site *s = &fuzz_sites.site[(i + fuzz_map.f->choice[1]) % fuzz_sites.nr];
            fuzz_map.f->offset = s->at;
            fuzz_map.f->place = s->place;
            if (s->field == chosen && fault->change(s, fault))
                return true;
        }
    }
    return false;
}

bool fuzz_change_a_part(const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[(i + fuzz_map.f->choice[1]) % fuzz_map.nr_parts];
        if (p->kind != (fault->record ? IN_RECORD : IN_FEATURE))
            continue;
        fuzz_map.f->id = fault->id;
        fuzz_map.f->place = fault->record ? PC_IN_RECORD : PC_IN_FEATURE;
        fuzz_map.f->offset = p->at;
        if (fault->record ? fault->record(p, fault) : fault->section(p, fault))
            return true;
    }
    return false;
}
