/* SPDX-License-Identifier: MIT */
#include "faults.h"
#include "cursor.h"
#include "format.h"

#include <string.h>

/* --- where everything is: a capture of build_capture.c, or its compressed copy --- */

#define PARTS_MAX 1024
#define SITES_MAX 8192
#define CPUS      3 /* of the machine in generated captures */

enum part_kind { IN_ATTR = 1, IN_FEATURE, IN_RECORD };

/* An entry of the attr section, a feature section, or a record with what follows it. */
struct part {
    enum part_kind kind;
    size_t at, size;
    uint32_t number; /* attr, feature or record type */
    uint16_t misc;
    uint32_t attr;  /* of a kernel record */
    size_t payload; /* bytes behind a record */
    size_t slot;    /* of a feature: its place in the table */
    bool late;      /* FINISHED_ROUND has promised that nothing older than `released` comes */
    uint64_t released;
};

struct map {
    struct fuzz_faulty *f;
    enum pc_order order;
    bool pipe, stat, packed;
    size_t data, data_end, attr_size;
    struct part part[PARTS_MAX];
    size_t nr_parts;
    struct pc_layout layout[64];
    uint64_t sample_type[64];
    bool is_tracepoint[64];
    uint32_t nr_attrs;
};

static struct map map; /* large, and one at a time */

static uint64_t load(size_t at, unsigned width)
{
    return pc_load(map.f->bytes + at, width, map.order);
}

static void store(size_t at, unsigned width, uint64_t value)
{
    pc_store(map.f->bytes + at, width, value, map.order);
}

static struct part *add_part(enum part_kind kind, size_t at, size_t size, uint32_t number)
{
    static struct part spare;
    struct part *p = map.nr_parts < PARTS_MAX ? &map.part[map.nr_parts++] : &spare;
    *p = (struct part){ .kind = kind, .at = at, .size = size, .number = number };
    return p;
}

static void add_attr(size_t at, size_t size)
{
    uint64_t slot[PC_SLOTS];
    if (map.nr_attrs == PC_COUNT_OF(map.layout) ||
        !pc_attr_walk((struct pc_span){ map.f->bytes + at, size }, map.order, slot))
        return;
    map.sample_type[map.nr_attrs] = slot[PC_ATTR_SAMPLE_TYPE];
    map.is_tracepoint[map.nr_attrs] = slot[PC_ATTR_TYPE] == PC_TYPE_TRACEPOINT;
    map.layout[map.nr_attrs++] = pc_attr_layout(slot);
}

/* The attr of a kernel record: generated ids say it in their upper half. */
static uint32_t attr_of(const struct part *p)
{
    size_t at = p->number == PC_SAMPLE ? p->at + PC_RECORD_HEADER_SIZE : p->at + p->size - 8;
    uint64_t attr = (load(at, 8) >> 32) - 1;
    return attr < map.nr_attrs ? (uint32_t)attr : 0;
}

static void add_record(size_t *at)
{
    size_t size = (size_t)load(*at + 6, 2);
    struct part *p = add_part(IN_RECORD, *at, size, (uint32_t)load(*at, 4));
    p->misc = (uint16_t)load(*at + 4, 2);
    if (p->number == PC_HEADER_ATTR)
        add_attr(*at + PC_RECORD_HEADER_SIZE, (size_t)load(*at + PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4));
    if (p->number == PC_HEADER_TRACING_DATA)
        p->payload = (size_t)load(*at + 8, 4);
    if (p->number == PC_AUXTRACE)
        p->payload = (size_t)load(*at + 8, 8);
    if (pc_is_kernel_type(p->number) && map.nr_attrs != 0)
        p->attr = attr_of(p);
    if (map.pipe) /* files have a feature for it */
        map.stat |= p->number == PC_STAT || p->number == PC_STAT_CONFIG || p->number == PC_STAT_ROUND;
    map.packed |= p->number == PC_COMPRESSED2;
    *at += size + p->payload;
}

/* What a capture of build_capture.c has: nothing here is wrong yet. */
static void read_map(struct fuzz_faulty *f)
{
    size_t at = PC_PIPE_HEADER_SIZE;
    map = (struct map){ .f = f, .order = f->bytes[0] == 'P' ? PC_LITTLE : PC_BIG };
    map.pipe = load(8, 8) == PC_PIPE_HEADER_SIZE;
    map.data_end = f->len;
    if (!map.pipe) {
        map.attr_size = (size_t)load(16, 8) - PC_SECTION_SIZE;
        map.data = (size_t)load(40, 8);
        map.data_end = map.data + (size_t)load(48, 8);
        uint32_t attr = 0;
        for (at = (size_t)load(24, 8); at < map.data; at += map.attr_size + PC_SECTION_SIZE) {
            add_part(IN_ATTR, at, map.attr_size, attr++);
            add_attr(at, map.attr_size);
        }
        size_t slot = map.data_end;
        for (uint32_t bit = 0; bit < PC_FEATURES; bit++) {
            if (!(load(PC_FILE_HEADER_OLD, 8) >> bit & 1))
                continue;
            struct part *p = add_part(IN_FEATURE, (size_t)load(slot, 8), (size_t)load(slot + 8, 8), bit);
            p->slot = slot;
            slot += PC_SECTION_SIZE;
            map.stat |= bit == PC_STAT_FEATURE;
        }
        at = map.data;
    }
    while (at < map.data_end)
        add_record(&at);
}

/* --- walks --- */

/* What a walk of one part is about. */
struct view {
    const struct part *part;
    size_t base; /* of what is walked */
    enum pc_place place;
    uint32_t feature;       /* 0: no feature */
    bool is_attr, branches; /* a branch stack was passed */
    uint32_t attr;
    uint16_t bad_short, bad_count;
    pc_visit *visit;
    void *ctx;
};

static bool visit_part(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    return v->visit(v, leaf);
}

static void walk_bytes(struct view *v, const struct pc_field *table, size_t base, size_t start, size_t end,
                       const struct pc_layout *layout, const struct pc_record_info *info)
{
    struct pc_cursor c = { .in = { map.f->bytes + base, end - base }, .pos = start, .order = map.order };
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
    v->bad_short = bit == PC_TRACING_DATA ? PC_D_TRACING_CUT : PC_D_FEATURE_CUT;
    v->bad_count = PC_D_FEATURE_COUNT;
    if (info && info->fields && !(info->flags & PC_ONLY_A_MARK))
        walk_bytes(v, info->fields, base, start, end, &layout, NULL);
}

static void walk_attr(struct view *v, size_t base, size_t size, uint32_t number)
{
    v->is_attr = true;
    v->attr = number;
    walk_bytes(v, pc_attr_fields, base, 0, base + size, NULL, NULL);
}

/* Shows each leaf of a part, with a view as context. */
static void walk_part(const struct part *p, pc_visit *visit, void *ctx)
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
        for (const struct part *q = map.part; q != p; q++)
            number += q->number == PC_HEADER_ATTR;
        walk_attr(&v, p->at + body, (size_t)load(p->at + body + PC_ATTR_SIZE_AT, 4), number);
    } else if (p->number == PC_HEADER_FEATURE) {
        if (p->size > body + 8)
            walk_feature(&v, (uint32_t)load(p->at + body, 8), p->at, body + 8, p->at + p->size);
    } else if (info) {
        if (pc_is_kernel_type(p->number))
            layout = pc_record_layout(&map.layout[p->attr], p->number, p->misc, false);
        v.bad_short = info->bad_short ? info->bad_short : PC_D_FIELD_CUT;
        v.bad_count = info->bad_count ? info->bad_count : PC_D_FIELD_CUT;
        walk_bytes(&v, NULL, p->at, body, p->at + p->size, &layout, info);
        if (p->number == PC_HEADER_TRACING_DATA)
            walk_feature(&v, PC_TRACING_DATA, p->at + p->size, 0, p->at + p->size + p->payload);
    }
}

/* A leaf that a fault may damage. */
struct site {
    const struct part *part;
    const struct pc_field *field;
    enum pc_place place;
    size_t at, len, left; /* bytes from its start to the end of what it lies in */
    uint64_t value, slot, index;
    uint32_t feature, attr;
    bool is_attr, trailer;
    bool has_forms; /* what is before it may be there or not: with another size, another form may fit */
    uint16_t bad_short, bad_count;
};

/* What a fault is: one of these makes it. */
struct fuzz_fault {
    const char *name;
    enum pc_diag id; /* PC_NO_DIAG: that of the row that is broken */
    /* A leaf that it takes, and how it is changed; false: not here, and nothing is changed. */
    bool (*takes)(const struct site *site, const struct fuzz_fault *fault);
    bool (*change)(const struct site *site, const struct fuzz_fault *fault);
    bool (*record)(const struct part *part, const struct fuzz_fault *fault);
    bool (*section)(const struct part *part, const struct fuzz_fault *fault);
    bool (*capture)(struct fuzz_faulty *faulty, const struct fuzz_fault *fault);
    /* What some of them need to know. */
    uint8_t in, op, slot;
    uint32_t number;      /* record type, feature, or a place */
    uint32_t least, most; /* attrs, where `most` is not 0 */
    const char *field;
    uint64_t operand, needs, lacks; /* bits of sample_type that the attr has or has not */
};

static struct {
    struct site site[SITES_MAX];
    size_t nr;
    const struct fuzz_fault *fault;
} sites;

static bool collect(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    const struct pc_walk *walk = leaf->walk;
    struct site s = { .part = v->part, .field = leaf->field, .place = v->place };
    if (leaf->fault != PC_SOUND || sites.nr == SITES_MAX)
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
    s.bad_short = v->bad_short;
    s.bad_count = v->bad_count;
    if (sites.fault->takes(&s, sites.fault))
        sites.site[sites.nr++] = s;
    return true;
}

/* Rows are chosen first, then one of the places where the row stands: else arrays would hide all others. */
static bool change_one(const struct fuzz_fault *fault)
{
    const struct pc_field *row[512];
    size_t nr_rows = 0;
    sites.nr = 0;
    sites.fault = fault;
    for (size_t i = 0; i < map.nr_parts; i++)
        walk_part(&map.part[i], collect, NULL);
    for (size_t i = 0; i < sites.nr; i++) {
        size_t k = 0;
        while (k < nr_rows && row[k] != sites.site[i].field)
            k++;
        if (k == nr_rows && nr_rows < PC_COUNT_OF(row))
            row[nr_rows++] = sites.site[i].field;
    }
    for (size_t k = 0; k < nr_rows; k++) {
        const struct pc_field *chosen = row[(k + map.f->choice[0]) % nr_rows];
        for (size_t i = 0; i < sites.nr; i++) {
            const struct site *s = &sites.site[(i + map.f->choice[1]) % sites.nr];
            map.f->offset = s->at;
            map.f->place = s->place;
            if (s->field == chosen && fault->change(s, fault))
                return true;
        }
    }
    return false;
}

/* --- rules of rows --- */

static uint64_t ones(unsigned width)
{
    return width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
}

static void put(const struct site *s, uint64_t value)
{
    if (s->field->kind == PC_BITS)
        value = pc_bits_word(s->field, value, map.order);
    store(s->at, s->field->width, value);
}

/* The n-th of the bits that are not in `of`, over and over; 0: there is none. */
static uint64_t other_bit(uint64_t of, uint64_t within, unsigned n)
{
    uint64_t free_bits = ~of & within;
    unsigned nr = (unsigned)__builtin_popcountll(free_bits);
    for (n = nr ? n % nr : 0; n > 0; n--)
        free_bits &= free_bits - 1;
    return free_bits & (~free_bits + 1);
}

static bool is_no_case(const struct pc_field *field, uint64_t value)
{
    for (const struct pc_case *one = field->cases; one->bits != 0; one++) {
        if (value >= one->lo && value <= one->hi)
            return false;
    }
    return true;
}

/* A value that breaks the rule of its row; false: there is none. */
static bool bad_value(const struct site *s, uint64_t *value)
{
    const struct pc_field *field = s->field;
    uint64_t max = ones(field->width), n = map.f->choice[2];
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_MASK:
    case PC_RULE_BRANCH:
        *value = s->value | other_bit(field->arg, max, (unsigned)n);
        return *value != s->value;
    case PC_RULE_MAX:
    case PC_RULE_MAX_SLOT: {
        uint64_t limit = field->rule == PC_RULE_MAX ? field->arg : s->slot;
        if (limit >= max)
            return false;
        *value = n % 4 == 0 ? max : limit + 1 + n / 4 % (max - limit);
        return true;
    }
    case PC_RULE_IS: /* fewer of what is counted are there in any case */
        *value = s->value ? n % s->value : 1 + n % max;
        return *value != field->arg;
    case PC_RULE_NONZERO:
        *value = 0;
        return true;
    case PC_RULE_POWER_2:
        *value = (uint64_t)3 << n % 16;
        return true;
    case PC_RULE_FINITE:
        *value = (uint64_t)0x7ff << 52 | n;
        return true;
    case PC_RULE_CHAIN: /* above the markers */
        *value = UINT64_MAX - n % 31;
        return true;
    case PC_RULE_MOD8: /* less than is there */
        *value = s->value - (1 + n % 7);
        return s->value > n % 7;
    case PC_RULE_CASE:
        *value = (s->value + 1 + n) & max;
        return is_no_case(field, *value);
    default:
        return false;
    }
}

static bool takes_rule(const struct site *s, const struct fuzz_fault *fault)
{
    const struct pc_field *field = s->field;
    (void)fault;
    return field->odd && (field->kind == PC_UINT || field->kind == PC_BITS || field->kind == PC_ORDER);
}

struct first_fault {
    bool found;
    enum pc_fault fault;
    const struct pc_field *field;
    size_t at, left;
    uint64_t need;
};

static bool see_fault(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    struct first_fault *first = v->ctx;
    if (leaf->fault == PC_SOUND || first->found)
        return true;
    *first =
        (struct first_fault){ true, leaf->fault, leaf->field, v->base + leaf->at, leaf->left, leaf->need };
    return true;
}

/* Whether more is counted now than there is: that is said at the same byte. */
static bool counts_too_many(const struct site *s)
{
    struct first_fault first = { 0 };
    walk_part(s->part, see_fault, &first);
    return first.found && first.at == s->at;
}

static bool break_rule(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t value;
    (void)fault;
    /* An unknown format of AUXTRACE_ERROR is read as the last one, which takes 120 bytes: format.md, 163,
     * 164. */
    if (!bad_value(s, &value) || (s->field->odd == PC_D_AUXTRACE_ERROR_FMT && s->part->size < 120) ||
        (s->field->rule == PC_RULE_MOD8 && s->has_forms))
        return false;
    put(s, value);
    map.f->id = s->field->odd;
    /* In EVENT_DESC no sample depends on it; of what is said of one word, that it is not the attr's is first.
     */
    if (s->feature == PC_EVENT_DESC && map.f->id == PC_D_SAMPLE_TYPE_UNKNOWN)
        map.f->id = PC_D_EVENT_DESC_DIFFERS;
    /* No reader goes on behind such a limit. */
    if (s->field->save && map.f->id != PC_D_FEATURE_LIMIT && counts_too_many(s)) {
        put(s, s->value);
        return false;
    }
    return true;
}

static bool takes_zeros(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->rule == PC_RULE_ZEROS && s->len != 0;
}

static bool break_zeros(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    map.f->bytes[s->at + map.f->choice[2] % s->len] = (unsigned char)(1 + map.f->choice[2] % 255);
    map.f->id = s->field->odd;
    return true;
}

static bool takes_branch(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->rule == PC_RULE_BRANCH;
}

static bool predict_twice(const struct site *s, const struct fuzz_fault *fault)
{
    put(s, s->value | 3);
    map.f->id = fault->id;
    return true;
}

/* --- counts and lengths --- */

static bool is_packed_record(const struct part *p)
{
    return p->kind == IN_RECORD && (p->number == PC_COMPRESSED || p->number == PC_COMPRESSED2);
}

static bool takes_count(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_UINT && s->field->save && !is_packed_record(s->part) && !s->is_attr;
}

/* The largest value that keeps the rule of the row, so that only the bytes do not suffice; false: none. */
static bool largest_value(const struct site *s, uint64_t *value)
{
    const struct pc_field *field = s->field;
    *value = ones(field->width);
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_NONE:
    case PC_RULE_IS: /* that a count is unusual is less than that it is wrong */
        return true;
    case PC_RULE_MAX:
        *value = field->arg < *value ? field->arg : *value;
        return true;
    case PC_RULE_MOD8:
        *value -= 7 - (field->arg < 8 ? field->arg : 0);
        return true;
    default:
        return false;
    }
}

static enum pc_diag id_of(const struct site *s, const struct first_fault *first)
{
    if (first->field->bad)
        return first->field->bad;
    return first->fault == PC_FAULT_COUNT ? s->bad_count : s->bad_short;
}

/* The least value that is too much. Another form of a sample may have room for it. */
static uint64_t least_value(const struct site *s, const struct first_fault *first, uint64_t largest)
{
    const struct pc_field *field = s->field;
    uint64_t least = first->fault == PC_FAULT_COUNT ? first->need + 1 : first->left + 1;
    if (field->as != PC_AS_IS || s->part->number == PC_SAMPLE || first->field->kind == PC_FRAME)
        return largest;
    while (field->rule == PC_RULE_MOD8 && least % 8 != field->arg)
        least++;
    return least < largest ? least : largest;
}

static bool count_too_many(const struct site *s, const struct fuzz_fault *fault)
{
    struct first_fault first = { 0 };
    uint64_t value;
    (void)fault;
    if (!largest_value(s, &value) || value <= s->value || s->has_forms)
        return false;
    put(s, value);
    walk_part(s->part, see_fault, &first);
    if (!first.found || first.at != s->at || first.fault == PC_FAULT_NO_NUL || first.fault == PC_FAULT_TEXT) {
        put(s, s->value);
        return false;
    }
    if (map.f->choice[2] % 2)
        put(s, least_value(s, &first, value));
    map.f->id = id_of(s, &first);
    return true;
}

/* --- strings --- */

/* Its text names the file of a build id, which other records are compared with. */
static bool names_build_id(const struct site *s)
{
    return (s->part->kind == IN_RECORD && s->part->number == PC_MMAP2) || s->feature == PC_BUILD_ID;
}

static bool takes_cstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_CSTR && s->len != 0 && s->feature != PC_BUILD_ID;
}

static bool takes_any_cstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_CSTR && s->len != 0;
}

static bool soil_padding(const struct site *s, const struct fuzz_fault *fault)
{
    size_t len = (size_t)s->value;
    if (s->len < len + 2)
        return false;
    map.f->bytes[s->at + len + 1 + map.f->choice[2] % (s->len - len - 1)] = 'x';
    map.f->id = fault->id;
    return true;
}

/* The text is cut, its area is not. */
static bool shorten(const struct site *s, const struct fuzz_fault *fault)
{
    size_t len = 1 + map.f->choice[2] % 7;
    if ((s->field->flags & PC_UNPADDED) || names_build_id(s) || s->len < 16 || s->value <= len)
        return false;
    memset(map.f->bytes + s->at + len, 0, s->len - len);
    map.f->id = fault->id;
    return true;
}

/* A NUL in the text: what is behind it is no padding. */
static bool cut_in_two(const struct site *s, const struct fuzz_fault *fault)
{
    size_t len = 1 + map.f->choice[2] % 7;
    bool grows = s->field->flags & PC_MAY_GROW;
    if ((s->field->flags & PC_UNPADDED) || names_build_id(s) || s->len < 16 || s->value <= len + 1 ||
        grows != (fault->id == PC_D_RECORD_GROWN))
        return false;
    map.f->bytes[s->at + len] = 0;
    map.f->id = fault->id;
    return true;
}

static bool no_name(const struct site *s, const struct fuzz_fault *fault)
{
    if ((s->field->flags & PC_MAY_BE_EMPTY) || names_build_id(s) || s->len != 8 || s->value == 0)
        return false;
    memset(map.f->bytes + s->at, 0, s->len);
    map.f->id = fault->id;
    return true;
}

static void no_zeros(size_t at, size_t len)
{
    for (size_t i = at; i < at + len; i++)
        map.f->bytes[i] = map.f->bytes[i] ? map.f->bytes[i] : 'x';
}

/* Where a trailer follows, its zeros end the string. */
static bool no_end(const struct site *s, const struct fuzz_fault *fault)
{
    struct pc_span trailer = { map.f->bytes + s->at + s->len, s->part->at + s->part->size - s->at - s->len };
    bool kernel = s->part->kind == IN_RECORD && pc_is_kernel_type(s->part->number);
    (void)fault;
    no_zeros(s->at, s->len);
    map.f->id = s->field->bad ? s->field->bad : s->bad_short;
    if (kernel && pc_first_zero(trailer) != trailer.len)
        map.f->id = PC_D_STRING_IN_SAMPLE_ID;
    return true;
}

static bool takes_text(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->rule == PC_RULE_NUL && s->len != 0;
}

static bool fill_text(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    no_zeros(s->at, s->len);
    map.f->id = s->field->odd;
    return true;
}

static bool takes_zstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_ZSTR && s->field->bad;
}

static bool no_end_at_all(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    no_zeros(s->at, s->left);
    map.f->id = s->field->bad;
    return true;
}

static bool takes_hstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_HSTR;
}

static bool hstr_length(const struct site *s, const struct fuzz_fault *fault)
{
    const uint64_t lengths[] = { s->left - 4 + 1, 0, UINT32_MAX };
    store(s->at, 4, lengths[map.f->choice[2] % PC_COUNT_OF(lengths)]);
    map.f->id = fault->id;
    return true;
}

static bool hstr_no_end(const struct site *s, const struct fuzz_fault *fault)
{
    no_zeros(s->at + 4, s->len - 4);
    map.f->id = fault->id;
    return true;
}

static bool hstr_padding(const struct site *s, const struct fuzz_fault *fault)
{
    size_t text = s->at + 4, len = (size_t)s->value, area = s->len - 4;
    if (area < len + 2)
        return false;
    map.f->offset = text + len + 1 + map.f->choice[2] % (area - len - 1);
    map.f->bytes[map.f->offset] = 'x';
    map.f->id = fault->id;
    return true;
}

static bool takes_literal(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_LITERAL;
}

static bool another_text(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    map.f->bytes[s->at + map.f->choice[2] % s->len] ^= 0x20;
    map.f->id = s->field->bad;
    return true;
}

/* --- one field, by its name --- */

enum { ANY_ATTR = 10, FILE_ATTR, PIPE_ATTR, A_FEATURE, A_RECORD, A_TRAILER, A_SAMPLE_READ };
enum { SET = 1, ADD, OR, AND, XOR };

#define SEVERAL_ATTRS ((uint64_t)1 << 63) /* in `needs`: ids are compared with several attrs only */

static bool is_kind(const struct site *s, const struct fuzz_fault *fault)
{
    bool record = s->part->kind == IN_RECORD && !s->feature && !s->is_attr;
    switch (fault->in) {
    case ANY_ATTR:
        return s->is_attr;
    case FILE_ATTR:
        return s->is_attr && !map.pipe;
    case PIPE_ATTR:
        return s->is_attr && map.pipe;
    case A_FEATURE:
        return s->feature == fault->number;
    case A_RECORD:
        return record && s->part->number == fault->number && !s->trailer;
    case A_TRAILER:
        return record && s->trailer;
    default:
        return record && s->part->number == PC_SAMPLE && s->field->when == PC_LAYOUT_READ(PC_READ_ID);
    }
}

static bool takes_named(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t needs = fault->needs & ~SEVERAL_ATTRS;
    bool number = s->field->kind == PC_UINT || s->field->kind == PC_BITS;
    if (!number || !s->field->name || strcmp(s->field->name, fault->field) != 0 || !is_kind(s, fault))
        return false;
    if (((fault->needs & SEVERAL_ATTRS) && map.nr_attrs < 2) ||
        (fault->slot && s->field->save != fault->slot) ||
        (fault->most && (s->attr < fault->least || s->attr >= fault->most)))
        return false;
    uint64_t type = map.nr_attrs != 0 ? map.sample_type[s->attr] : 0;
    return (type & needs) == needs && !(type & fault->lacks);
}

static bool set_named(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t value = s->value, max = ones(s->field->width);
    switch (fault->op) {
    case SET:
        value = fault->operand;
        break;
    case ADD:
        value += fault->operand;
        break;
    case OR:
        value |= fault->operand;
        break;
    case AND:
        value &= fault->operand;
        break;
    default:
        value ^= fault->operand;
        break;
    }
    /* Less than the first perf had would be another fault. */
    bool small = fault->id == PC_D_ATTR_SIZE_MISMATCH && value < PC_ATTR_SIZE_MIN;
    if ((value & max) == s->value || small)
        return false;
    put(s, value & max);
    map.f->id = fault->id;
    return true;
}

/* perf stat has no samples, so that its attrs are not compared; else they are when all are known. */
static bool change_compared(const struct fuzz_fault *fault, uint32_t least, uint32_t most)
{
    struct fuzz_fault named = *fault;
    named.takes = takes_named;
    named.change = set_named;
    named.least = least;
    named.most = most;
    if (map.stat || !change_one(&named))
        return false;
    map.f->place = PC_IN_ATTR;
    return true;
}

static bool apply_differs(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    return change_compared(fault, 1, UINT32_MAX);
}

static bool apply_first_attr(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    return change_compared(fault, 0, 1);
}

/* A number that stands twice: the later one is said. */
static bool repeat_number(const struct site *s, const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < sites.nr; i++) {
        const struct site *other = &sites.site[i];
        if (other->field != s->field || other->part != s->part || other->at >= s->at)
            continue;
        put(s, other->value);
        map.f->id = fault->id;
        return true;
    }
    return false;
}

/* A list of CPUs with a letter in it. */
static bool takes_list(const struct site *s, const struct fuzz_fault *fault)
{
    return s->field->kind == PC_HSTR && s->feature == fault->number &&
           (!fault->field || (s->field->name && strcmp(s->field->name, fault->field) == 0));
}

static bool no_list(const struct site *s, const struct fuzz_fault *fault)
{
    if (s->value == 0)
        return false;
    map.f->bytes[s->at + 4 + map.f->choice[2] % s->value] = 'x';
    map.f->id = fault->id;
    return true;
}

/* The range of a CPU map begins behind its end, which is what is said. */
static bool begin_late(const struct site *s, const struct fuzz_fault *fault)
{
    const unsigned end = 7;
    store(s->at, 2, end);
    map.f->offset = s->at + 2;
    map.f->elsewhere = true;
    map.f->id = fault->id;
    return true;
}

static bool takes_last_word(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->feature == PC_MEM_TOPOLOGY && !s->field->name && s->index == 1;
}

/* Generated bitmaps have 70 bits. */
static bool set_tail(const struct site *s, const struct fuzz_fault *fault)
{
    put(s, s->value | PC_FLAG(6 + map.f->choice[2] % 58));
    map.f->id = fault->id;
    return true;
}

static bool takes_desc_id(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->feature == PC_EVENT_DESC && !s->field->name && s->field->kind == PC_UINT && map.nr_attrs > 1;
}

/* The payload of a tracepoint, which is described in tests/generate.h: number 7, a string of which the word
 * at 12 tells. */
static bool takes_payload(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->part->kind == IN_RECORD && s->part->number == PC_SAMPLE && map.is_tracepoint[s->attr] &&
           s->field->kind == PC_BYTES && strcmp(s->field->name, "raw") == 0;
}

static bool change_payload(const struct site *s, const struct fuzz_fault *fault)
{
    const size_t word = 12;
    if (fault->id == PC_D_COMMON_TYPE) {
        store(s->at, 2, 8 + map.f->choice[2] % 1000);
    } else {
        map.f->offset = s->at + word;
        store(map.f->offset, 4, (uint64_t)11 << 16 | 34); /* one byte more than the payload has */
    }
    map.f->id = fault->id;
    return true;
}

/* --- times --- */

static bool takes_time(const struct site *s, const struct fuzz_fault *fault)
{
    bool sample = s->part->number == PC_SAMPLE;
    bool is_time = s->part->kind == IN_RECORD && !s->feature && !s->is_attr &&
                   s->field->save == PC_SLOT_TIME && pc_is_kernel_type(s->part->number);
    return is_time && (fault->id == PC_D_TIME_ORDER ? s->part->late && s->part->released > 1 : sample);
}

static bool set_time(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t n = map.f->choice[2];
    if (fault->id == PC_D_TIME_ORDER)
        put(s, 1 + n % (s->part->released - 1));
    else
        put(s, n % 2 ? 0 : UINT64_MAX);
    map.f->id = fault->id;
    return true;
}

struct clock {
    uint64_t newest, released, next;
    bool rounds;
};

static bool see_time(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    struct clock *clock = v->ctx;
    if (!v->feature && !v->is_attr && leaf->field->save == PC_SLOT_TIME && leaf->value > clock->newest)
        clock->newest = leaf->value;
    return true;
}

/* Two rounds after a time came, nothing older may come: format.md 9.1. */
static bool apply_time(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    struct clock clock = { 0 };
    struct fuzz_fault timed = *fault;
    (void)f;
    timed.takes = takes_time;
    timed.change = set_time;
    for (size_t i = 0; i < map.nr_parts; i++) {
        struct part *p = &map.part[i];
        if (p->kind != IN_RECORD)
            continue;
        p->late = true;
        p->released = clock.released;
        if (p->number == PC_FINISHED_ROUND) {
            clock.released = clock.next;
            clock.next = clock.newest;
        } else if (pc_is_kernel_type(p->number)) {
            walk_part(p, see_time, &clock);
        }
    }
    return change_one(&timed);
}

/* --- headers of records --- */

/* Others are compared with what this record brings, where a reader comes to it before the records. */
static bool is_needed(const struct part *p)
{
    return p->number == PC_AUXTRACE || p->number == PC_HEADER_TRACING_DATA || is_packed_record(p) ||
           p->number == PC_HEADER_ATTR ||
           (map.pipe && (p->number == PC_STAT || p->number == PC_STAT_CONFIG || p->number == PC_STAT_ROUND));
}

static bool change_a_record(const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < map.nr_parts; i++) {
        const struct part *p = &map.part[(i + map.f->choice[1]) % map.nr_parts];
        if (p->kind != IN_RECORD || !pc_record_info(p->number))
            continue;
        map.f->id = fault->id;
        map.f->place = PC_IN_RECORD;
        map.f->offset = p->at;
        if (fault->record(p, fault))
            return true;
    }
    return false;
}

static bool change_type(const struct part *p, const struct fuzz_fault *fault)
{
    uint32_t first = fault->id == PC_D_TYPE_USER_UNKNOWN ? PC_USER_TYPES : 0;
    uint32_t nr = first ? 65536 - PC_USER_TYPES : PC_USER_TYPES, type = map.f->choice[2] % nr;
    if (is_needed(p))
        return false;
    while (pc_record_info(first + type))
        type = (type + 1) % nr;
    store(p->at, 4, first + type);
    return true;
}

static bool change_size_to_less(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    /* In the attrs of EVENT_DESC a reader may see records that lead somewhere. */
    if (is_needed(p) || p->number == PC_HEADER_FEATURE)
        return false;
    store(p->at + 6, 2, map.f->choice[2] % PC_RECORD_HEADER_SIZE);
    map.f->elsewhere = false;
    return true;
}

static bool set_misc(const struct part *p, unsigned misc)
{
    if (misc == p->misc || is_packed_record(p))
        return false;
    store(p->at + 4, 2, misc);
    map.f->offset = p->at + 4;
    return true;
}

static bool change_misc(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    return set_misc(p,
                    p->misc | (unsigned)other_bit(pc_record_info(p->number)->misc, 0xffff, map.f->choice[2]));
}

/* 0 to 5 are the modes there are; a sample has one. */
static bool change_mode(const struct part *p, const struct fuzz_fault *fault)
{
    const struct pc_record_info *info = pc_record_info(p->number);
    unsigned mode = 6 + map.f->choice[2] % 2, rest = p->misc & ~(unsigned)PC_MISC_CPUMODE;
    (void)fault;
    if (!(info->flags & PC_HAS_CPUMODE))
        return false;
    return set_misc(p, rest | ((info->flags & PC_NEEDS_MODE) && map.f->choice[2] % 3 == 0 ? 0 : mode));
}

/* misc of one type: `operand` is its new value, where 0 in `needs` keeps the other bits. */
static bool change_misc_of(const struct part *p, const struct fuzz_fault *fault)
{
    return p->number == fault->number &&
           set_misc(p, (p->misc & (unsigned)fault->needs) | (unsigned)fault->operand);
}

/* --- bytes that come or go --- */

/* What says where other things lie, after n bytes more (or less) at a place. -1: in the data; else behind the
 * section in this slot. */
static void move_sections(size_t at, long n, long slot)
{
    const struct part *index = NULL;
    if (map.pipe)
        return;
    for (size_t i = 0; i < map.nr_parts; i++) {
        const struct part *p = &map.part[i];
        if (p->kind != IN_FEATURE)
            continue;
        if (p->number == PC_AUXTRACE_INDEX)
            index = p;
        if (slot < 0 || p->slot > (size_t)slot)
            store(p->slot, 8, (uint64_t)((long)p->at + n));
    }
    if (slot >= 0)
        return;
    store(48, 8, (uint64_t)((long)(map.data_end - map.data) + n));
    for (size_t i = 0; index && i < load(index->at, 8); i++) {
        size_t entry = index->at + 8 + PC_SECTION_SIZE * i;
        if (load(entry, 8) >= at)
            store(entry, 8, (uint64_t)((long)load(entry, 8) + n));
    }
}

/* n bytes of the capture become m others, zeros where `from` is NULL. */
static bool splice(size_t at, size_t n, size_t m, const unsigned char *from, long slot)
{
    struct fuzz_faulty *f = map.f;
    if (m > n && m - n > FUZZ_FAULT_ROOM)
        return false;
    move_sections(at + n, (long)m - (long)n, slot);
    memmove(f->bytes + at + m, f->bytes + at + n, f->len - at - n);
    if (from)
        memcpy(f->bytes + at, from, m);
    else
        memset(f->bytes + at, 0, m);
    f->len = f->len - n + m;
    f->elsewhere = true;
    return true;
}

/* The size of a record, and bytes at a place in it. */
static bool resize(const struct part *p, size_t at, size_t n, size_t m)
{
    size_t size = p->size - n + m;
    if (size > PC_RECORD_SIZE_MAX || (m > n && m - n > FUZZ_FAULT_ROOM))
        return false;
    store(p->at + 6, 2, size);
    return splice(at, n, m, NULL, -1);
}

static size_t trailer_of(const struct part *p)
{
    if (!pc_is_kernel_type(p->number))
        return 0;
    return pc_sample_id_size(pc_record_layout(&map.layout[p->attr], p->number, p->misc, false).mask);
}

/* Whether a word between fields and trailer of a record belongs to neither. */
static bool is_excess(const struct part *p, size_t end)
{
    static unsigned char longer[PC_RECORD_SIZE_MAX + 9];
    struct pc_cursor c = { .in = { longer, p->size + 8 }, .pos = PC_RECORD_HEADER_SIZE, .order = map.order };
    struct pc_layout layout = { 0 };
    struct pc_walk walk;
    size_t excess = 0;
    memset(longer, 0, sizeof(longer));
    memcpy(longer, map.f->bytes + p->at, end);
    memcpy(longer + end + 8, map.f->bytes + p->at + end, p->size - end);
    if (pc_is_kernel_type(p->number))
        layout = pc_record_layout(&map.layout[p->attr], p->number, p->misc, false);
    pc_walk_init(&walk, &layout, &c, NULL, NULL);
    return pc_walk_record(&walk, pc_record_info(p->number), &excess) && excess == 8;
}

/* A word more than the fields take. A sample with branches may have another form that fits. */
static bool add_word(const struct part *p, const struct fuzz_fault *fault)
{
    const struct pc_record_info *info = pc_record_info(p->number);
    size_t end = p->size - trailer_of(p);
    bool branches = p->number == PC_SAMPLE && (map.sample_type[p->attr] & PC_S_BRANCH_STACK);
    if (fault->number && fault->number != p->number)
        return false;
    if (is_packed_record(p) || p->number == PC_AUXTRACE || p->number == PC_HEADER_TRACING_DATA ||
        p->number == PC_HEADER_ATTR || p->number == PC_HEADER_FEATURE || branches || !is_excess(p, end) ||
        !resize(p, p->at + end, 0, 8))
        return false;
    map.f->id = info->excess ? info->excess : PC_D_RECORD_EXCESS;
    bool whole = map.f->id == PC_D_FINISHED_SIZE || map.f->id == PC_D_TIME_CONV_SIZE;
    map.f->offset = whole ? p->at + 6 : p->at + end;
    return true;
}

static bool make_small(const struct part *p, const struct fuzz_fault *fault)
{
    size_t size = PC_RECORD_HEADER_SIZE, least = pc_record_info(p->number)->min;
    (void)fault;
    if (is_needed(p) || least <= size || (p->number == PC_SAMPLE))
        return false;
    size += 8 * (map.f->choice[2] % ((least - 1) / 8));
    map.f->offset = p->at + 6;
    return size < least && size < p->size && resize(p, p->at + size, p->size - size, 0);
}

static bool make_unaligned(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (is_needed(p) || (pc_record_info(p->number)->flags & PC_ANY_SIZE) || p->number == PC_HEADER_BUILD_ID ||
        p->number == PC_CPU_MAP)
        return false;
    /* With several attrs, the word at the end says whose trailer it is. */
    if (pc_is_kernel_type(p->number) && p->number != PC_SAMPLE && map.nr_attrs > 1)
        return false;
    map.f->offset = p->at + 6;
    return resize(p, p->at + p->size, 0, 1 + map.f->choice[2] % 7);
}

/* Of a sample only the id is left. */
static bool make_short_sample(const struct part *p, const struct fuzz_fault *fault)
{
    size_t left = PC_RECORD_HEADER_SIZE + (fault->id == PC_D_SAMPLE_SHORT ? 8 : 0);
    const uint64_t fixed =
        PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ADDR | PC_S_ID | PC_S_STREAM_ID | PC_S_CPU | PC_S_PERIOD;
    if (p->number != PC_SAMPLE || map.nr_attrs < 2 || !(map.sample_type[p->attr] & fixed))
        return false;
    map.f->offset = p->at + 6;
    return resize(p, p->at + left, p->size - left, 0);
}

/* No trailer, though it was promised. With several attrs, other bytes would be taken for the id. */
static bool drop_trailer(const struct part *p, const struct fuzz_fault *fault)
{
    size_t trailer = trailer_of(p), least = pc_record_info(p->number)->min;
    (void)fault;
    if (!pc_is_kernel_type(p->number) || p->number == PC_SAMPLE || trailer == 0 || map.nr_attrs != 1)
        return false;
    least = (size_t)pc_align8(least);
    if (least - pc_record_info(p->number)->min % 8 + trailer > p->size && least > p->size)
        return false;
    return least < p->size && least < pc_record_info(p->number)->min / 8 * 8 + trailer &&
           resize(p, p->at + least, p->size - least, 0);
}

static bool takes_name(const struct site *s, const struct fuzz_fault *fault)
{
    return s->part->kind == IN_RECORD && !s->feature && s->field->kind == PC_CSTR &&
           s->field->odd == fault->id && s->field->rule == PC_RULE_MAX;
}

static bool lengthen_name(const struct site *s, const struct fuzz_fault *fault)
{
    size_t n = (size_t)pc_align8(s->field->arg + 1);
    if (names_build_id(s) || !resize(s->part, s->at, 0, n))
        return false;
    memset(map.f->bytes + s->at, 'n', n);
    map.f->id = fault->id;
    return true;
}

/* The record again, right behind itself. */
static bool double_record(const struct part *p, const struct fuzz_fault *fault)
{
    static unsigned char copy[65536];
    size_t size = p->size + p->payload;
    bool wanted = p->number == fault->number;
    if (p->number == PC_HEADER_FEATURE && p->size == 16)
        wanted = false; /* the end mark */
    if (!wanted || size > FUZZ_FAULT_ROOM || size > sizeof(copy))
        return false;
    memcpy(copy, map.f->bytes + p->at, size);
    map.f->offset = p->at + size + (size_t)fault->operand;
    return splice(p->at + size, 0, size, copy, -1);
}

/* --- features as a whole --- */

static bool change_a_section(const struct fuzz_fault *fault)
{
    for (size_t i = 0; i < map.nr_parts; i++) {
        const struct part *p = &map.part[(i + map.f->choice[1]) % map.nr_parts];
        if (p->kind != IN_FEATURE)
            continue;
        map.f->id = fault->id;
        map.f->place = PC_IN_FEATURE;
        map.f->offset = p->at;
        if (fault->section(p, fault))
            return true;
    }
    return false;
}

static bool make_empty(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (!(pc_feature_info(p->number)->flags & PC_ONE_STRING))
        return false;
    store(p->slot + 8, 8, 0);
    return splice(p->at, p->size, 0, NULL, (long)p->slot);
}

static bool fill_mark(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (!(pc_feature_info(p->number)->flags & PC_ONLY_A_MARK))
        return false;
    store(p->slot + 8, 8, 8);
    return splice(p->at, 0, 8, NULL, (long)p->slot);
}

static bool append_bytes(const struct part *p, const struct fuzz_fault *fault)
{
    size_t n = 1 + map.f->choice[2] % 16;
    bool index = p->number == PC_AUXTRACE_INDEX;
    if ((pc_feature_info(p->number)->flags & PC_ONLY_A_MARK) || p->number == PC_BUILD_ID ||
        index != (fault->id == PC_D_AUXTRACE_INDEX_SIZE))
        return false;
    /* What may end early would go on. */
    if (p->number == PC_CPU_TOPOLOGY)
        return false;
    store(p->slot + 8, 8, p->size + n);
    map.f->offset = p->at + p->size;
    return splice(p->at + p->size, 0, n, NULL, (long)p->slot);
}

/* The section ends early: what the table misses is what is said, where it is missed. */
static bool cut_section(const struct part *p, const struct fuzz_fault *fault)
{
    struct part less = *p;
    struct first_fault first = { 0 };
    (void)fault;
    if ((pc_feature_info(p->number)->flags & PC_ONLY_A_MARK) || p->size < 2 || p->number == PC_BUILD_ID)
        return false;
    size_t n = 1 + map.f->choice[2] % (p->size - 1);
    less.size -= n;
    walk_part(&less, see_fault, &first);
    if (!first.found || first.fault == PC_FAULT_TEXT)
        return false;
    struct site s = { .bad_short = p->number == PC_TRACING_DATA ? PC_D_TRACING_CUT : PC_D_FEATURE_CUT,
                      .bad_count = PC_D_FEATURE_COUNT };
    map.f->id =
        first.field->kind == PC_HSTR && first.fault == PC_FAULT_COUNT ? PC_D_HSTR_LEN : id_of(&s, &first);
    map.f->offset = first.at;
    store(p->slot + 8, 8, less.size);
    return splice(p->at + less.size, n, 0, NULL, (long)p->slot);
}

static bool move_outside(const struct part *p, const struct fuzz_fault *fault)
{
    const uint64_t offsets[] = { map.f->len - p->size + 1, UINT64_MAX - map.f->choice[2] };
    (void)fault;
    store(p->slot, 8, offsets[map.f->choice[2] % 2]);
    map.f->offset = p->slot;
    return true;
}

/* A bit that no perf knows, with a slot of its own behind all others. */
static bool apply_unknown_bit(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    uint32_t bit = (uint32_t)fault->number + f->choice[2] % (uint32_t)fault->needs;
    size_t slots = 0, word = PC_FILE_HEADER_OLD + 8 * (bit / 64);
    if (map.pipe)
        return false;
    for (size_t i = 0; i < map.nr_parts; i++)
        slots += map.part[i].kind == IN_FEATURE;
    size_t slot = map.data_end + PC_SECTION_SIZE * slots;
    store(word, 8, load(word, 8) | PC_FLAG(bit % 64));
    if (!splice(slot, 0, PC_SECTION_SIZE, NULL, 0))
        return false;
    store(slot, 8, f->len);
    f->id = fault->id;
    f->place = PC_IN_FEATURE;
    f->offset = f->len;
    return true;
}

/* --- the file header --- */

static bool set_word(size_t at, uint64_t value)
{
    if (load(at, 8) == value)
        return false;
    store(at, 8, value);
    return true;
}

/* One word of the file header: at `number`. */
static bool apply_word(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    uint64_t value = fault->operand;
    if (map.pipe)
        return false;
    if (fault->op == ADD)
        value += load(fault->number, 8);
    else if (fault->op == OR) /* behind the end of the file */
        value += f->len + 1 + f->choice[2];
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = fault->needs ? fault->needs : fault->number;
    if (fault->number == 40) /* the feature table behind the data stays where it is */
        store(48, 8, map.data_end - value);
    return set_word(fault->number, value);
}

static bool apply_event_types(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const uint64_t new_entry = 128; /* perf 3.12 and later have such: format.md, 27 */
    if (map.pipe || load(16, 8) < new_entry || !apply_word(f, fault))
        return false;
    store(fault->number - 8, 8, f->len); /* a section of its own, behind all others */
    memset(f->bytes + f->len, 0, PC_EVENT_TYPE_SIZE);
    f->len += PC_EVENT_TYPE_SIZE;
    f->elsewhere = true; /* two words say one thing */
    return true;
}

static bool apply_magic(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t at = f->choice[2] % 8;
    f->bytes[at] ^= 0x80;
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = 0;
    return true;
}

static bool apply_mode_word(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = 8;
    return set_word(8, (uint64_t)17 + f->choice[2] % 50);
}

static bool cut_to(struct fuzz_faulty *f, const struct fuzz_fault *fault, size_t len)
{
    f->len = len;
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = 0;
    f->elsewhere = true;
    return true;
}

/* Cut to some length from `number`, of `operand` ones. */
static bool apply_cut(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (map.pipe && fault->id == PC_D_HEADER_CUT)
        return false;
    return cut_to(f, fault, fault->number + f->choice[2] % (size_t)fault->operand);
}

static bool apply_cut_data(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (map.pipe)
        return false;
    cut_to(f, fault, map.data + f->choice[2] % (map.data_end - map.data));
    f->offset = 40;
    return true;
}

static bool apply_cut_attrs(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (map.pipe)
        return false;
    cut_to(f, fault, PC_FILE_HEADER_SIZE + f->choice[2] % (map.data - PC_FILE_HEADER_SIZE));
    f->offset = 24;
    return true;
}

static bool apply_cut_table(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t slots = 0;
    if (map.pipe)
        return false;
    for (size_t i = 0; i < map.nr_parts; i++)
        slots += map.part[i].kind == IN_FEATURE;
    cut_to(f, fault, map.data_end + f->choice[2] % (PC_SECTION_SIZE * slots));
    f->offset = map.data_end;
    return true;
}

/* Cut in a feature: the first that reaches past the end is said first. */
static bool apply_cut_features(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t first = 0, last = 0;
    for (size_t i = 0; i < map.nr_parts && !map.pipe; i++) {
        const struct part *p = &map.part[i];
        first = p->kind == IN_FEATURE && first == 0 ? p->at : first;
        last = p->kind == IN_FEATURE ? p->at + p->size : last;
    }
    if (first == last)
        return false;
    cut_to(f, fault, first + f->choice[2] % (last - first));
    f->place = PC_IN_FEATURE;
    for (size_t i = map.nr_parts; i-- > 0;) {
        const struct part *p = &map.part[i];
        if (p->kind == IN_FEATURE && p->at + p->size > f->len)
            f->offset = p->slot;
    }
    return true;
}

static bool apply_trailing(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t n = 1 + f->choice[2] % 32;
    if (map.pipe)
        return false;
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = f->len;
    f->elsewhere = true;
    memset(f->bytes + f->len, 0x5a, n);
    f->len += n;
    return true;
}

/* Less than a record header at the end of the records. */
static bool apply_leftover(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    bool stream = fault->id == PC_D_STREAM_CUT;
    if (map.pipe != stream)
        return false;
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = map.data_end;
    return splice(map.data_end, 0, 1 + f->choice[2] % 7, NULL, -1);
}

/* --- ends of streams --- */

static const struct part *last_record(void)
{
    const struct part *p = map.nr_parts != 0 ? &map.part[map.nr_parts - 1] : NULL;
    return p && p->kind == IN_RECORD ? p : NULL;
}

/* The last record says that it is longer than what is left. */
static bool apply_too_long(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = last_record();
    size_t more = 8 * (1 + (size_t)f->choice[2] % 100);
    if (!p || is_needed(p) || p->size + more > PC_RECORD_SIZE_MAX ||
        map.pipe != (fault->id == PC_D_STREAM_CUT))
        return false;
    store(p->at + 6, 2, p->size + more);
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = p->at;
    return true;
}

/* The bytes behind the last record are fewer than it says. */
static bool apply_payload_cut(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = last_record();
    if (!p || p->number != PC_AUXTRACE || map.pipe != (fault->id == PC_D_PAYLOAD_CUT))
        return false;
    store(p->at + 8, 8, p->payload + 8);
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = p->at + 8;
    return true;
}

/* --- ids of attrs --- */

/* Where the n-th of the ids stands, and of which attr. */
static bool id_place(uint32_t n, size_t *at, uint32_t *attr)
{
    const uint32_t each = 2;
    uint32_t number = 0;
    *attr = n / each;
    for (size_t i = 0; i < map.nr_parts; i++) {
        const struct part *p = &map.part[i];
        bool is_attr = p->kind == IN_ATTR || (p->kind == IN_RECORD && p->number == PC_HEADER_ATTR);
        if (!is_attr || number++ != *attr)
            continue;
        *at = p->kind == IN_ATTR ? (size_t)load(p->at + p->size, 8) : p->at + p->size - 8 * each;
        *at += 8 * (n % each);
        return true;
    }
    return false;
}

static bool apply_id(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t at, other_at;
    uint32_t attr, other, n = f->choice[1] % (2 * map.nr_attrs);
    if (fault->id == PC_D_ID_REPEATED)
        n |= 1; /* the second of an attr is the first again */
    if (fault->id == PC_D_ID_DUPLICATE)
        n = n < 2 ? 2 + n % 2 : n; /* the one before is another's */
    uint32_t from = fault->id == PC_D_ID_REPEATED ? n - 1 : n % 2;
    if (map.packed || (fault->id == PC_D_ID_DUPLICATE && map.nr_attrs < 2) || !id_place(n, &at, &attr) ||
        !id_place(from, &other_at, &other))
        return false;
    store(at, 8, fault->id == PC_D_ID_ZERO ? 0 : load(other_at, 8));
    f->id = fault->id;
    f->place = map.pipe ? PC_IN_RECORD : PC_IN_ATTR;
    f->offset = at;
    return true;
}

/* The section of ids of one attr: offset or size. */
static bool apply_ids(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    bool outside = fault->id == PC_D_IDS_OUTSIDE;
    if (map.pipe)
        return false;
    const struct part *p = &map.part[f->choice[1] % map.nr_attrs];
    size_t at = p->at + p->size;
    f->id = fault->id;
    f->place = PC_IN_ATTR;
    f->offset = outside ? at : at + 8;
    if (outside)
        store(at, 8, f->len - 15 + f->choice[2]);
    else
        store(at + 8, 8, 1u + f->choice[2] % 7u + 8u * (f->choice[2] / 8u % 2u));
    return true;
}

/* --- compressed records --- */

static bool soil_end(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (p->number != PC_COMPRESSED2)
        return false;
    size_t end = p->at + 16 + (size_t)load(p->at + 8, 8), n = p->at + p->size - end;
    if (n == 0)
        return false;
    map.f->bytes[end + map.f->choice[2] % n] = 'x';
    map.f->offset = end;
    return true;
}

/* --- the list --- */

#define ROW(what, which, ...)                                                                                \
    {                                                                                                        \
        .name = what, .id = PC_D_##which, __VA_ARGS__                                                        \
    }
/* The rows of the tables say what comes of it. */
#define OF_ROWS(what, t, c)                                                                                  \
    {                                                                                                        \
        .name = what, .takes = t, .change = c                                                                \
    }
#define LEAF(what, which, t, c)   ROW(what, which, .takes = t, .change = c)
#define CAPTURE(what, which, how) ROW(what, which, .capture = how)
#define RECORD(what, which, how)  ROW(what, which, .record = how)
#define SECTION(what, which, how) ROW(what, which, .section = how)
#define MISC(type, which, value, keep)                                                                       \
    ROW(#type " misc", which, .record = change_misc_of, .number = PC_##type, .operand = value, .needs = keep)
#define TWICE(type, which, at)                                                                               \
    ROW("a second " #type, which, .record = double_record, .number = PC_##type, .operand = at)
#define NAMED(where, n, member, which, how, value, ...)                                                      \
    ROW(member, which, .takes = takes_named, .change = set_named, .in = where, .number = n, .field = member, \
        .op = how, .operand = value, __VA_ARGS__)
#define ATTR(member, which, how, value, ...)                                                                 \
    NAMED(ANY_ATTR, 0, member, which, how, (uint64_t)(value), __VA_ARGS__)
#define IN_FILE(member, which, how, value)          NAMED(FILE_ATTR, 0, member, which, how, (uint64_t)(value), )
#define IN_PIPE(member, which, how, value)          NAMED(PIPE_ATTR, 0, member, which, how, value, )
#define OF_FEATURE(type, member, which, how, value) NAMED(A_FEATURE, PC_##type, member, which, how, value, )
#define OF_RECORD(type, member, which, how, value, ...)                                                      \
    NAMED(A_RECORD, PC_##type, member, which, how, value, __VA_ARGS__)
#define IN_TRAILER(member, which, how, value, ...) NAMED(A_TRAILER, 0, member, which, how, value, __VA_ARGS__)
#define COMPARED(what, member, which, how, value, ...)                                                       \
    ROW(what, which, .capture = how, .in = ANY_ATTR, .field = member, .op = AND, .operand = value,           \
        __VA_ARGS__)
#define AGAIN(type, member, which)                                                                           \
    ROW(#type " " member, which, .takes = takes_named, .change = repeat_number, .in = A_FEATURE,             \
        .number = PC_##type, .field = member)
#define LIST(type, member, which)                                                                            \
    ROW(#type " list", which, .takes = takes_list, .change = no_list, .number = PC_##type, .field = member)
#define WORD(what, which, at, how, value, said)                                                              \
    ROW(what, which, .capture = apply_word, .number = at, .op = how, .operand = value, .needs = said)
#define BITS(what, which, first, nr)                                                                         \
    ROW(what, which, .capture = apply_unknown_bit, .number = first, .needs = nr)
#define CUT(what, which, from, nr) ROW(what, which, .capture = apply_cut, .number = from, .operand = nr)

/* An id that no event has. */
#define NO_ID 0xfeedfeed00000000

static const struct fuzz_fault faults[] = {
    OF_ROWS("a value against the rule of its row", takes_rule, break_rule),
    OF_ROWS("a count or length of more than there is", takes_count, count_too_many),
    OF_ROWS("bytes that must be zero", takes_zeros, break_zeros),
    OF_ROWS("a string without its end", takes_any_cstr, no_end),
    OF_ROWS("a text without its end", takes_text, fill_text),
    OF_ROWS("a name without its end", takes_zstr, no_end_at_all),
    OF_ROWS("another text than the one that must be there", takes_literal, another_text),
    LEAF("a branch with two predictions", BRANCH_PREDICTION, takes_branch, predict_twice),
    LEAF("padding of a string", STRING_PADDING, takes_cstr, soil_padding),
    LEAF("a string shorter than its area", STRING_AREA, takes_cstr, shorten),
    LEAF("a NUL in a string", STRING_SWALLOWS, takes_cstr, cut_in_two),
    LEAF("a NUL in the name of a symbol", RECORD_GROWN, takes_cstr, cut_in_two),
    LEAF("no name", FILENAME_EMPTY, takes_cstr, no_name),
    LEAF("a name that is too long", NAME_LONG, takes_name, lengthen_name),
    LEAF("length of a header string", HSTR_LEN, takes_hstr, hstr_length),
    LEAF("a header string without its end", HSTR_UNTERMINATED, takes_hstr, hstr_no_end),
    LEAF("padding of a header string", HSTR_PADDING, takes_hstr, hstr_padding),
    /* headers of records */
    RECORD("a record of a word more", RECORD_EXCESS, add_word),
    RECORD("a type of the kernel's", TYPE_KERNEL_UNKNOWN, change_type),
    RECORD("a type of perf's", TYPE_USER_UNKNOWN, change_type),
    RECORD("a size below the header's", RECORD_SIZE, change_size_to_less),
    RECORD("a record of less than its fields", RECORD_SMALL, make_small),
    RECORD("a record off the grid", RECORD_UNALIGNED, make_unaligned),
    RECORD("bits of misc", MISC_UNDEFINED, change_misc),
    RECORD("cpumode", CPUMODE_UNDEFINED, change_mode),
    MISC(SWITCH, PREEMPT_WITHOUT_OUT, PC_MISC_SWITCH_PREEMPT, 0),
    MISC(MMAP, BUILD_ID_ON_MMAP, PC_MISC_MMAP_BUILD_ID, 0xffff),
    MISC(HEADER_ATTR, MISC_HEADER_ATTR, 0x777, 0),
    MISC(HEADER_BUILD_ID, BUILD_ID_CPUMODE, 3, PC_MISC_BUILD_ID_SIZE),
    TWICE(CPU_MAP, CPU_MAP_TWICE, 0),
    TWICE(THREAD_MAP, THREAD_MAP_TWICE, 0),
    TWICE(FINISHED_INIT, FINISHED_INIT_TWICE, 0),
    TWICE(HEADER_TRACING_DATA, TRACING_DATA_TWICE, 0),
    TWICE(HEADER_FEATURE, FEATURE_TWICE, PC_RECORD_HEADER_SIZE),
    /* samples and trailers */
    RECORD("a sample of its id", SAMPLE_SHORT, make_short_sample),
    RECORD("a sample without its id", SAMPLE_NO_ID, make_short_sample),
    RECORD("a record without its trailer", SAMPLE_ID_MISSING, drop_trailer),
    ROW("a sample of a word more", SAMPLE_EXCESS, .record = add_word, .number = PC_SAMPLE),
    LEAF("number of a tracepoint", COMMON_TYPE, takes_payload, change_payload),
    LEAF("a string of a tracepoint", RAW_FIELD_OUTSIDE, takes_payload, change_payload),
    CAPTURE("time of a sample", TIME_UNSET, apply_time),
    CAPTURE("time before what a round has released", TIME_ORDER, apply_time),
    OF_RECORD(SAMPLE, "identifier", SAMPLE_ID_UNKNOWN, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(SAMPLE, "id", IDENTIFIER_DIFFERS, OR, NO_ID, .slot = PC_SLOT_ID),
    OF_RECORD(SAMPLE, "cpu", CPU_BEYOND, SET, CPUS, ),
    NAMED(A_SAMPLE_READ, 0, "id", READ_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    IN_TRAILER("identifier", ID_UNKNOWN, OR, NO_ID, .needs = SEVERAL_ATTRS),
    IN_TRAILER("id", IDENTIFIER_DIFFERS, OR, NO_ID, ),
    IN_TRAILER("cpu", CPU_BEYOND, SET, CPUS, ),
    /* fields of records */
    OF_RECORD(AUX, "aux_size", AUX_OVERFLOW, SET, UINT64_MAX, ),
    OF_RECORD(FORK, "tid", FORK_IDLE, SET, 0, ),
    OF_RECORD(MMAP, "len", MMAP_RANGE, SET, 0, ),
    OF_RECORD(MMAP2, "len", MMAP_RANGE, SET, UINT64_MAX, ),
    OF_RECORD(STAT, "id", STAT_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(STAT, "cpu", STAT_CPU, SET, 60000, ),
    OF_RECORD(STAT, "thread", STAT_THREAD, SET, 1000, ),
    OF_RECORD(EVENT_UPDATE, "id", EVENT_UPDATE_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(ID_INDEX, "id", ID_INDEX_ID, OR, NO_ID, .needs = SEVERAL_ATTRS),
    OF_RECORD(ID_INDEX, "cpu", ID_INDEX_CPU, SET, CPUS, ),
    OF_RECORD(AUXTRACE_INFO, "type", AUXTRACE_TYPE, SET, 8, ),
    OF_RECORD(AUXTRACE, "size", AUXTRACE_HUGE, OR, (uint64_t)1 << 63, ),
    OF_RECORD(HEADER_BUILD_ID, "build_id_size", BUILD_ID_SIZE, SET, 21, ),
    ROW("CPU map start", CPU_MAP_RANGE, .takes = takes_named, .change = begin_late, .in = A_RECORD,
        .number = PC_CPU_MAP, .field = "start_cpu"),
    /* attrs */
    ATTR("size", ATTR_SIZE_ZERO, SET, 0, ),
    IN_FILE("size", ATTR_SIZE_SMALL, SET, 56),
    IN_FILE("size", ATTR_SIZE_UNALIGNED, ADD, 4),
    IN_FILE("size", ATTR_SIZE_MISMATCH, ADD, -8),
    IN_PIPE("size", HEADER_ATTR_SIZE, SET, 56),
    IN_PIPE("size", HEADER_ATTR_SIZE, ADD, 4),
    IN_PIPE("size", HEADER_ATTR_SIZE, ADD, 1024),
    ATTR("sample_period", PERIOD_SIGN, OR, PC_FLAG(63), ),
    ATTR("clockid", CLOCKID_UNKNOWN, SET, 12, ),
    ATTR("read_format", READ_FORMAT_UNKNOWN, OR, 1 << PC_READ_BITS, .needs = PC_S_READ),
    ATTR("read_format", READ_FORMAT_UNUSED, OR, PC_FLAG(63), .lacks = PC_S_READ),
    ATTR("branch_sample_type", BRANCH_TYPE_UNKNOWN, OR, 1 << PC_BRANCH_BITS, .needs = PC_S_BRANCH_STACK),
    ATTR("branch_sample_type", BRANCH_TYPE_NONE, AND, 7, .needs = PC_S_BRANCH_STACK),
    ATTR("sample_type", WEIGHT_TWICE, OR, PC_S_WEIGHT | PC_S_WEIGHT_STRUCT, ),
    ATTR("sample_stack_user", STACK_SIZE, SET, 4097, .needs = PC_S_STACK_USER),
    ATTR("sample_regs_user", REGS_MASK_EMPTY, SET, 0, .needs = PC_S_REGS_USER),
    ATTR("sample_regs_intr", REGS_MASK_EMPTY, SET, 0, .needs = PC_S_REGS_INTR),
    ATTR("flags", FLAGS_CONFLICT, OR, PC_FLAG_SIGTRAP, ),
    ATTR("flags", FLAGS_CONFLICT, OR, PC_FLAG_INHERIT_THREAD, ),
    ATTR("flags", FLAGS_CONFLICT, OR, PC_FLAG_REMOVE_ON_EXEC | PC_FLAG_ENABLE_ON_EXEC, ),
    ATTR("flags", DEFER_WITHOUT_CALLCHAIN, OR, PC_FLAG_DEFER_CHAIN, .lacks = PC_S_CALLCHAIN),
    COMPARED("another sample_id_all", "flags", SAMPLE_ID_ALL_DIFFERS, apply_differs, ~PC_FLAG_SAMPLE_ID_ALL),
    COMPARED("values without ids", "read_format", READ_WITHOUT_ID, apply_differs, ~(uint64_t)PC_READ_ID,
             .needs = PC_S_READ),
    COMPARED("first values without ids", "read_format", READ_WITHOUT_ID_FIRST, apply_first_attr,
             ~(uint64_t)PC_READ_ID, .needs = PC_S_READ),
    CAPTURE("an id of 0", ID_ZERO, apply_id),
    CAPTURE("an id that stands twice", ID_REPEATED, apply_id),
    CAPTURE("an id of another attr", ID_DUPLICATE, apply_id),
    CAPTURE("ids behind the end", IDS_OUTSIDE, apply_ids),
    CAPTURE("a part of an id", IDS_UNALIGNED, apply_ids),
    /* features */
    OF_FEATURE(TRACING_DATA, "long_size", TRACING_MAGIC, SET, 5),
    OF_FEATURE(BUILD_ID, "build_id_size", BUILD_ID_SIZE, SET, 21),
    OF_FEATURE(BUILD_ID, "misc", BUILD_ID_CPUMODE, OR, 7),
    OF_FEATURE(EVENT_DESC, "config", EVENT_DESC_DIFFERS, XOR, 0x100),
    OF_FEATURE(EVENT_DESC, "sample_period", EVENT_DESC_DIFFERS, XOR, 0x100),
    ROW("EVENT_DESC id", EVENT_DESC_IDS, .takes = takes_desc_id, .change = set_named, .op = OR,
        .operand = NO_ID),
    OF_FEATURE(GROUP_DESC, "leader_idx", GROUP_DESC, SET, UINT32_MAX),
    OF_FEATURE(GROUP_DESC, "nr_members", GROUP_DESC, SET, 0),
    OF_FEATURE(AUXTRACE_INDEX, "file_offset", AUXTRACE_INDEX_ENTRY, ADD, 4),
    OF_FEATURE(AUXTRACE_INDEX, "sz", AUXTRACE_INDEX_ENTRY, ADD, 8),
    OF_FEATURE(SAMPLE_TIME, "first", SAMPLE_TIME_ORDER, SET, UINT64_MAX),
    OF_FEATURE(MEM_TOPOLOGY, "size_bits", MEM_TOPOLOGY_BITS, ADD, 1),
    OF_FEATURE(CLOCK_DATA, "clockid", CLOCK_DATA_CLOCKID, SET, 7),
    OF_FEATURE(CPU_DOMAIN_INFO, "cpu", DOMAIN_VALUE, SET, CPUS),
    OF_FEATURE(CPU_DOMAIN_INFO, "domain", DOMAIN_VALUE, SET, 2),
    OF_FEATURE(CLN_SIZE, "bytes", CLN_SIZE, SET, 0),
    OF_FEATURE(BPF_PROG_INFO, "map_ids", BPF_ARRAY, SET, PC_FLAG(40)),
    AGAIN(NUMA_TOPOLOGY, "node", NUMA_NODE),
    AGAIN(PMU_MAPPINGS, "type", PMU_TWICE),
    AGAIN(BPF_PROG_INFO, "id", BPF_TWICE),
    AGAIN(BPF_BTF, "id", BPF_TWICE),
    LIST(CPU_TOPOLOGY, NULL, CPU_LIST),
    LIST(NUMA_TOPOLOGY, "cpus", NUMA_CPU_LIST),
    LEAF("a bit behind the bitmap", MEM_TOPOLOGY_TAIL, takes_last_word, set_tail),
    SECTION("a feature that ends early", FEATURE_CUT, cut_section),
    SECTION("a feature without content", FEATURE_EMPTY, make_empty),
    SECTION("a mark with content", FEATURE_NOT_EMPTY, fill_mark),
    SECTION("bytes behind a feature", FEATURE_TRAILING, append_bytes),
    SECTION("bytes behind the index", AUXTRACE_INDEX_SIZE, append_bytes),
    SECTION("a feature behind the end", FEATURE_OUTSIDE, move_outside),
    BITS("an unknown feature", FEATURE_UNKNOWN, 40, 80),
    BITS("a feature of Android", FEATURE_ANDROID, PC_ANDROID_FIRST, PC_ANDROID_LAST - PC_ANDROID_FIRST + 1),
    /* compression */
    OF_FEATURE(COMPRESSED_FEATURE, "type", COMPRESSED_TYPE, SET, 2),
    OF_FEATURE(COMPRESSED_FEATURE, "level", COMPRESSED_LEVEL, SET, 23),
    OF_FEATURE(COMPRESSED_FEATURE, "mmap_len", COMPRESSED_MMAP_LEN, SET, 4095),
    RECORD("padding of a compressed record", COMPRESSED2_PADDING, soil_end),
    /* the header, and sections as a whole */
    CAPTURE("magic", MAGIC_UNKNOWN, apply_magic),
    CAPTURE("size of the header", HEADER_SIZE, apply_mode_word),
    WORD("attr_size 0", ATTR_ENTRY_ZERO, 16, SET, 0, 0),
    WORD("attr_size of no attr", ATTR_ENTRY_BAD, 16, SET, 72, 0),
    WORD("attr_size off the grid", ATTR_ENTRY_BAD, 16, ADD, 4, 0),
    WORD("attr_size of no perf", ATTR_ENTRY_ODD, 16, SET, 104, 0),
    WORD("attr_size of a newer perf", ATTR_ENTRY_NEWER, 16, SET, 168, 0),
    WORD("attrs in the header", ATTRS_OVERLAP_HEADER, 24, SET, 96, 0),
    WORD("attrs behind the end", ATTRS_OUTSIDE, 24, OR, 0, 0),
    WORD("a part of an attr", ATTRS_REMAINDER, 32, ADD, (uint64_t)-8, 0),
    WORD("data in the header", DATA_OVERLAPS_HEADER, 40, SET, 96, 0),
    WORD("data off the grid", DATA_UNALIGNED, 40, ADD, 4, 0),
    WORD("data without end", DATA_OVERFLOW, 48, SET, UINT64_MAX, 40),
    WORD("data behind the end", DATA_OUTSIDE, 48, OR, 0, 40),
    WORD("data of no size", UNFINISHED, 48, SET, 0, 0),
    ROW("event_types", EVENT_TYPES_NEW, .capture = apply_event_types, .op = SET, .number = 64,
        .operand = PC_EVENT_TYPE_SIZE),
    WORD("event_types behind the end", EVENT_TYPES_RANGE, 56, OR, 0, 0),
    CUT("no bytes", INPUT_EMPTY, 0, 1),
    CUT("a few bytes", INPUT_SHORT, 1, PC_PIPE_HEADER_SIZE - 1),
    CUT("a part of the header", HEADER_CUT, PC_PIPE_HEADER_SIZE, PC_FILE_HEADER_SIZE - PC_PIPE_HEADER_SIZE),
    CAPTURE("cut in the attrs", ATTRS_OUTSIDE, apply_cut_attrs),
    CAPTURE("cut in the data", DATA_OUTSIDE, apply_cut_data),
    CAPTURE("cut in the table", TABLE_OUTSIDE, apply_cut_table),
    CAPTURE("cut in the features", FEATURE_OUTSIDE, apply_cut_features),
    CAPTURE("bytes behind all", TRAILING_BYTES, apply_trailing),
    CAPTURE("bytes behind the records", DATA_LEFTOVER, apply_leftover),
    CAPTURE("bytes behind the stream", STREAM_CUT, apply_leftover),
    CAPTURE("a record past the end of the data", RECORD_CROSSES_END, apply_too_long),
    CAPTURE("a record past the end of the stream", STREAM_CUT, apply_too_long),
    CAPTURE("a trace past the end of the data", AUXTRACE_BEYOND, apply_payload_cut),
    CAPTURE("a trace past the end of the stream", PAYLOAD_CUT, apply_payload_cut),
};

size_t fuzz_nr_faults(void)
{
    return PC_COUNT_OF(faults);
}

const char *fuzz_fault_name(size_t fault)
{
    return faults[fault].name;
}

bool fuzz_fault_apply(struct fuzz_faulty *faulty, size_t fault)
{
    const struct fuzz_fault *row = &faults[fault];
    read_map(faulty);
    faulty->elsewhere = false;
    if (row->capture)
        return row->capture(faulty, row);
    return row->takes ? change_one(row) : row->record ? change_a_record(row) : change_a_section(row);
}
