/* SPDX-License-Identifier: MIT
 *
 * Canonical bytes in both orders: every table against a slow model of its own, and bytes that were computed
 * by hand from FORMAT.md for what no big-endian machine has shown yet.
 */
#include "pc_test.h"
#include "write/convert.h"
#include "generate/synth.h"

#define ROOM 16384

static struct pc_mem mem;
static const enum pc_order orders[] = { PC_LITTLE, PC_BIG };

static enum pc_order other(enum pc_order order)
{
    return order == PC_LITTLE ? PC_BIG : PC_LITTLE;
}

/* --- a capture with one attr, and what is converted under it --- */

struct bench {
    struct pc_capture capture[2]; /* by order */
    struct pc_convert convert;
    uint64_t layout_mask;
};

static void bench_open(struct bench *b, const uint64_t *slot)
{
    for (unsigned order = 0; order < 2; order++) {
        struct pc_capture *c = &b->capture[order];
        pc_capture_init(c, &mem);
        c->order = order ? PC_BIG : PC_LITTLE;
        c->nr_cpus = 3;
        c->nr_online = 2;
        c->no_plans = false;
        if (slot)
            assert_int_equal(pc_capture_add_attr(c, slot, 0), 0);
    }
}

static void bench_close(struct bench *b)
{
    for (unsigned order = 0; order < 2; order++)
        pc_capture_clear(&b->capture[order]);
    assert_int_equal(mem.used, 0);
}

static void fill_slots(uint64_t *slot, uint64_t sample_type, uint64_t read_format, uint64_t branch,
                       uint64_t flags)
{
    memset(slot, 0, PC_SLOTS * sizeof(*slot));
    slot[PC_ATTR_SAMPLE_TYPE] = sample_type;
    slot[PC_ATTR_READ_FORMAT] = read_format;
    slot[PC_ATTR_BRANCH_TYPE] = branch;
    slot[PC_ATTR_FLAGS] = flags;
    slot[PC_ATTR_REGS_USER] = 0x8000000000000005;
    slot[PC_ATTR_REGS_INTR] = 0x11;
}

/* Bytes that were handed over. */
struct bytes {
    unsigned char ptr[ROOM];
    size_t len;
};

static void put(struct bytes *b, const void *ptr, size_t n)
{
    assert_true(n <= ROOM - b->len);
    if (n != 0)
        memcpy(b->ptr + b->len, ptr, n);
    b->len += n;
}

static void take(void *ctx, const unsigned char *bytes, size_t n)
{
    put(ctx, bytes, n);
}

static struct pc_span span_of(const struct bytes *b)
{
    return (struct pc_span){ b->ptr, b->len };
}

/* What is converted. */
struct subject {
    enum { RECORD, FEATURE, ATTR } kind;
    uint64_t number; /* type or bit */
    uint16_t misc;
    struct pc_layout layout;
    const struct pc_field *table;
    enum pc_order order;
    uint32_t attr_size;
    bool for_digest;
};

static const char *name_of(const struct subject *s)
{
    return s->kind == ATTR     ? "attr"
           : s->kind == RECORD ? pc_record_info((uint32_t)s->number)->name
                               : pc_feature_info(s->number)->name;
}

static void setup(struct pc_convert *convert, struct bench *b, const struct subject *s, enum pc_order to)
{
    pc_convert_init(convert, &b->capture[s->order == PC_BIG], to);
    convert->attr_size = s->attr_size ? s->attr_size : 144;
    convert->for_digest = s->for_digest;
}

static enum pc_outcome run(struct pc_convert *convert, const struct subject *s, struct pc_span in,
                           struct bytes *out)
{
    struct pc_span span = { 0 };
    enum pc_outcome outcome;
    out->len = 0;
    if (s->kind == FEATURE)
        return pc_convert_feature(convert, s->number, in, take, out);
    if (s->kind == ATTR) {
        outcome = pc_convert_attr(convert, in, out->ptr);
        out->len = outcome == PC_CONVERTED ? (size_t)convert->attr_size : 0;
        return outcome;
    }
    struct pc_item item = { .kind = PC_ITEM_RECORD, .type = (uint32_t)s->number, .misc = s->misc };
    item.bytes = in;
    item.size = in.len;
    outcome = pc_convert_record(convert, &item, &span);
    if (outcome == PC_CONVERTED)
        put(out, span.ptr, span.len);
    return outcome;
}

static enum pc_outcome convert_to(struct bench *b, const struct subject *s, struct pc_span in,
                                  enum pc_order to, struct bytes *out)
{
    struct pc_convert convert;
    setup(&convert, b, s, to);
    enum pc_outcome outcome = run(&convert, s, in, out);
    b->convert = convert;
    pc_convert_clear(&convert);
    return outcome;
}

/* --- walking a subject --- */

static bool walk_subject(const struct subject *s, struct pc_span in, enum pc_order order, pc_visit *visit,
                         void *ctx)
{
    struct pc_cursor c = pc_cursor(in, order);
    struct pc_walk walk;
    size_t excess = 0;
    pc_walk_init(&walk, &s->layout, &c, visit, ctx);
    if (s->kind != RECORD)
        return pc_walk_table(&walk, s->table) && pc_left(&c) == 0;
    c.pos = PC_RECORD_HEADER_SIZE;
    return pc_walk_record(&walk, pc_record_info((uint32_t)s->number), &excess) && excess == 0;
}

/* Padding, known by its name. */
static bool is_padding(const struct pc_leaf *leaf)
{
    static const char *const names[] = {
        "reserved", "reserved_2", "cpu_reserved", "pad", "padding", "id_area"
    };
    const struct pc_field *field = leaf->field;
    if (field->kind == PC_PAD)
        return true;
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        if (field->name && strcmp(field->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* An attr says how long it is, which is no content. */
static bool is_attr_bytes(const struct pc_leaf *leaf)
{
    return leaf->field == &pc_attr_fields[1] || synth_is(leaf, "attr_size");
}

static size_t text_length(const unsigned char *text, size_t room)
{
    size_t n = 0;
    while (n < room && text[n] != 0)
        n++;
    return n;
}

/* --- the model --- */

struct model {
    const struct subject *s;
    enum pc_order to;
    struct bytes out;
    size_t at; /* of the next leaf */
    uint64_t bpf_arrays;
    uint32_t bpf_size[9];
    size_t bpf_at;
    bool failed;
};

static void reverse(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        unsigned char byte = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = byte;
    }
}

static void model_bits(struct model *m, const struct pc_leaf *leaf)
{
    unsigned char bytes[8];
    unsigned bits = leaf->field->width * 8u;
    bool from_big = leaf->walk->c->order == PC_BIG, to_big = m->to == PC_BIG;
    uint64_t word = 0, result = 0;
    for (unsigned i = 0; i < leaf->field->width; i++)
        word |= (uint64_t)leaf->raw.ptr[i] << 8 * (from_big ? leaf->field->width - 1 - i : i);
    for (const struct pc_bits *b = leaf->field->bits; b->name; b++) {
        uint64_t ones = b->width == 64 ? UINT64_MAX : ((uint64_t)1 << b->width) - 1;
        unsigned little = b->at, big = bits - b->at - b->width;
        uint64_t value = word >> (from_big ? big : little) & ones;
        result |= value << (to_big ? big : little);
    }
    synth_store_as(bytes, leaf->field->width, result, m->to);
    put(&m->out, bytes, leaf->field->width);
}

static void model_text(struct model *m, const struct pc_leaf *leaf)
{
    static const unsigned char zeros[128];
    const struct pc_field *field = leaf->field;
    size_t head = field->kind == PC_HSTR ? 4 : 0;
    size_t n = text_length(leaf->raw.ptr + head, leaf->raw.len - head), room = leaf->raw.len;
    if (field->kind == PC_HSTR) {
        unsigned char len[4];
        room = (n + 64) / 64 * 64; /* n + 1 rounded up */
        synth_store_as(len, 4, room, m->to);
        put(&m->out, len, 4);
    }
    put(&m->out, leaf->raw.ptr + head, n);
    for (; n < room; n++)
        put(&m->out, zeros, 1);
}

/* FORMAT.md 5.4.7 */
static void model_bpf_data(struct model *m, const struct pc_leaf *leaf)
{
    size_t start = m->out.len;
    put(&m->out, leaf->raw.ptr, leaf->raw.len);
    if (m->to == leaf->walk->c->order)
        return;
    for (size_t i = 0; i < 9; i++) {
        const struct synth_bpf *b = &synth_bpf[i];
        for (size_t at = b->start; at < b->start + 2 * b->size; at += b->word)
            reverse(m->out.ptr + start + at, b->word);
    }
}

static bool model_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct model *m = ctx;
    static const unsigned char zeros[256];
    const struct pc_field *field = leaf->field;
    unsigned char word[8];
    m->failed |= leaf->fault != PC_SOUND || leaf->at != m->at;
    if (m->failed)
        return false;
    m->at = leaf->at + leaf->raw.len;
    switch (field->kind) {
    case PC_UINT:
        memcpy(word, leaf->raw.ptr, leaf->raw.len);
        if (leaf->walk->c->order != m->to)
            reverse(word, leaf->raw.len);
        if (m->s->for_digest && is_attr_bytes(leaf))
            memset(word, 0, sizeof(word));
        put(&m->out, word, leaf->raw.len);
        break;
    case PC_BITS:
        model_bits(m, leaf);
        break;
    case PC_ORDER: /* the trace data say of themselves which order they have */
        word[0] = m->to == PC_BIG;
        put(&m->out, word, 1);
        break;
    case PC_PAD:
        put(&m->out, zeros, leaf->raw.len);
        break;
    case PC_BYTES:
        if (m->s->kind == FEATURE && m->s->number == PC_BPF_PROG_INFO && synth_is(leaf, "data"))
            model_bpf_data(m, leaf);
        else
            put(&m->out, leaf->raw.ptr, leaf->raw.len);
        break;
    case PC_TEXT:
    case PC_CSTR:
    case PC_HSTR:
        model_text(m, leaf);
        break;
    default:
        put(&m->out, leaf->raw.ptr, leaf->raw.len);
        break;
    }
    return true;
}

static void model_run(struct model *m, const struct subject *s, struct pc_span in, enum pc_order to)
{
    *m = (struct model){ .s = s, .to = to };
    if (s->kind == RECORD) {
        unsigned char head[8];
        memcpy(head, in.ptr, 8);
        if (s->order != to) {
            reverse(head, 4);
            reverse(head + 4, 2);
            reverse(head + 6, 2);
        }
        put(&m->out, head, 8);
        m->at = 8;
    }
    if (!walk_subject(s, in, s->order, model_leaf, m) || m->failed)
        fail_msg("%s (%zu bytes, %s-endian): not what was meant, at %zu", name_of(s), in.len,
                 s->order == PC_BIG ? "big" : "little", m->at);
}

/* --- values before and after --- */

#define VALUES 8192
struct values {
    uint64_t value[VALUES];
    const struct pc_field *field[VALUES];
    size_t nr;
};

static bool note_value(void *ctx, const struct pc_leaf *leaf)
{
    struct values *v = ctx;
    uint64_t value = leaf->value;
    if (leaf->field->kind == PC_ORDER)
        value = 0;
    if (leaf->field->kind >= PC_BYTES && leaf->field->kind <= PC_HSTR) {
        size_t from = leaf->field->kind == PC_HSTR ? 4 : 0;
        size_t n = leaf->field->kind == PC_BYTES ? leaf->raw.len : from + (size_t)leaf->value;
        bool swapped = leaf->field->kind == PC_BYTES && synth_is(leaf, "data");
        for (size_t i = from; !swapped && i < n; i++)
            value = value * 31 + leaf->raw.ptr[i];
    }
    assert_true(v->nr < VALUES);
    v->field[v->nr] = leaf->field;
    v->value[v->nr++] = value;
    return true;
}

static void assert_same_values(const struct subject *s, struct pc_span in, struct pc_span out,
                               enum pc_order order)
{
    static struct values before, after;
    before.nr = after.nr = 0;
    assert_true(walk_subject(s, in, s->order, note_value, &before));
    assert_true(walk_subject(s, out, order, note_value, &after));
    assert_int_equal(before.nr, after.nr);
    assert_memory_equal(before.field, after.field, before.nr * sizeof(before.field[0]));
    assert_memory_equal(before.value, after.value, before.nr * sizeof(before.value[0]));
}

/* --- what holds for every subject --- */

static unsigned subjects;

static void assert_bytes(const struct subject *s, const struct bytes *seen, struct pc_span expected,
                         const char *what)
{
    size_t i = 0;
    while (i < seen->len && i < expected.len && seen->ptr[i] == expected.ptr[i])
        i++;
    if (i < seen->len || i < expected.len)
        fail_msg("%s (%s-endian, %zu bytes): %s: %zu bytes, differ at %zu: %02x, expected %02x", name_of(s),
                 s->order == PC_BIG ? "big" : "little", expected.len, what, seen->len, i,
                 i < seen->len ? seen->ptr[i] : 0u, i < expected.len ? expected.ptr[i] : 0u);
}

static void check_subject(struct bench *b, const struct subject *s, struct pc_span in)
{
    static struct model model;
    static struct bytes once, twice, same;
    struct subject back = *s;
    back.order = other(s->order);
    subjects++;
    /* The order stays: canonical bytes are what they are. */
    assert_int_equal(convert_to(b, s, in, s->order, &same), PC_CONVERTED);
    assert_bytes(s, &same, in, "same order");
    /* The order changes. */
    if (convert_to(b, s, in, back.order, &once) != PC_CONVERTED)
        fail_msg("%s: not converted: %s at %zu", name_of(s), b->convert.refusal.reason,
                 b->convert.refusal.at);
    model_run(&model, s, in, back.order);
    assert_bytes(s, &once, span_of(&model.out), "other order");
    assert_same_values(s, in, span_of(&once), back.order);
    assert_int_equal(convert_to(b, &back, span_of(&once), back.order, &twice), PC_CONVERTED);
    assert_bytes(&back, &twice, span_of(&once), "a second time");
    assert_int_equal(convert_to(b, &back, span_of(&once), s->order, &twice), PC_CONVERTED);
    assert_bytes(&back, &twice, in, "back");
}

static bool is_of_container(uint32_t type)
{
    switch (type) {
    case PC_HEADER_ATTR:
    case PC_HEADER_EVENT_TYPE:
    case PC_HEADER_TRACING_DATA:
    case PC_HEADER_BUILD_ID:
    case PC_HEADER_FEATURE:
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        return true;
    default:
        return false;
    }
}

/* What is done with every record, feature and attr that is made. */
typedef void examine(struct bench *b, const struct subject *s, struct synth *bytes);

static void examine_conversion(struct bench *b, const struct subject *s, struct synth *bytes)
{
    static struct bytes out;
    struct pc_span in = { bytes->bytes, bytes->len };
    if (s->kind != RECORD || !is_of_container((uint32_t)s->number)) {
        check_subject(b, s, in);
        return;
    }
    assert_int_equal(convert_to(b, s, in, other(s->order), &out), PC_CONVERT_UNKNOWN);
    assert_int_equal(b->convert.refusal.at, 0);
    assert_int_equal(b->convert.refusal.len, in.len);
    assert_int_equal(convert_to(b, s, in, s->order, &out), PC_CONVERTED);
    assert_bytes(s, &out, in, "same order");
}

static uint64_t seed;

/* False: there is no such record with this variant. */
static bool each_record(examine *f, uint32_t type, uint16_t misc, unsigned variant, const uint64_t *slot)
{
    static struct synth bytes;
    bool made = true;
    for (unsigned i = 0; i < 2 && made; i++) {
        struct bench b;
        struct subject s = { .kind = RECORD, .number = type, .misc = misc, .order = orders[i] };
        bench_open(&b, slot);
        s.layout = pc_record_layout(&b.capture[0].layout[0]->layout, type, misc, false);
        memset(&bytes, 0, sizeof(bytes));
        bytes.variant = variant;
        bytes.order = s.order;
        made = synth_record(&bytes, type, misc, &s.layout);
        if (made) {
            synth_fill_record(&bytes, type, &s.layout, ++seed);
            b.capture[0].mmap2_old = b.capture[1].mmap2_old = 0;
            f(&b, &s, &bytes);
        }
        bench_close(&b);
    }
    return made;
}

#define ALL_TRAILER (PC_S_TID | PC_S_TIME | PC_S_ID | PC_S_STREAM_ID | PC_S_CPU | PC_S_IDENTIFIER)

static void each_record_type(examine *f, unsigned variants)
{
    uint64_t slot[PC_SLOTS];
    for (uint32_t type = 1; type < PC_TYPES; type++) {
        unsigned made = 0;
        if (!pc_record_info(type))
            continue;
        for (unsigned variant = 0; variant < variants; variant++) {
            for (unsigned k = 0; k < 4; k++) {
                uint16_t misc = type == PC_MMAP2 && (k & 2) ? PC_MISC_MMAP_BUILD_ID : 0;
                fill_slots(slot, ALL_TRAILER | PC_S_IP, variant & 15, 0, k & 1 ? PC_FLAG_SAMPLE_ID_ALL : 0);
                made += each_record(f, type, misc, variant, slot);
            }
        }
        assert_true(made > 0); /* none of the tables was left out */
    }
}

static void each_sample(examine *f)
{
    uint64_t slot[PC_SLOTS];
    const uint64_t all = (((uint64_t)1 << PC_S_BITS) - 1) & ~PC_S_WEIGHT;
    for (unsigned variant = 0; variant < 8; variant++) {
        for (unsigned bit = 0; bit < PC_S_BITS; bit++) {
            fill_slots(slot, PC_FLAG(bit), variant, 1, 0);
            assert_true(each_record(f, PC_SAMPLE, 1, variant, slot));
        }
        for (unsigned k = 0; k < 4; k++) {
            uint64_t branch = 8 | (k & 1 ? PC_BRANCH_HW_INDEX : 0) | (k & 2 ? PC_BRANCH_COUNTERS : 0);
            fill_slots(slot, PC_S_BRANCH_STACK | PC_S_PERIOD, 0, branch, 0);
            assert_true(each_record(f, PC_SAMPLE, 2, variant, slot));
        }
        fill_slots(slot, all, 31, 0xfffff, PC_FLAG_DEFER_CHAIN);
        assert_true(each_record(f, PC_SAMPLE, PC_MISC_EXACT_IP | 1, variant, slot));
        fill_slots(slot, all ^ PC_S_WEIGHT ^ PC_S_WEIGHT_STRUCT, 23, 8, 0);
        assert_true(each_record(f, PC_SAMPLE, 1, variant, slot));
    }
    for (uint64_t read = 0; read < 32; read++) {
        fill_slots(slot, PC_S_READ | PC_S_TIME, read, 0, 0);
        assert_true(each_record(f, PC_SAMPLE, 2, 0, slot));
        fill_slots(slot, PC_S_TIME | PC_S_CPU, read, 0, PC_FLAG_SAMPLE_ID_ALL);
        assert_true(each_record(f, PC_READ, 0, 0, slot));
    }
    for (unsigned bits = 0; bits < 64; bits++) { /* trailers with any of their members */
        static const uint64_t members[] = { PC_S_TID,       PC_S_TIME, PC_S_ID,
                                            PC_S_STREAM_ID, PC_S_CPU,  PC_S_IDENTIFIER };
        uint64_t type = 0;
        for (unsigned k = 0; k < 6; k++)
            type |= bits >> k & 1 ? members[k] : 0;
        fill_slots(slot, type, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
        assert_true(each_record(f, PC_COMM, 0, bits, slot));
        assert_true(each_record(f, PC_TEXT_POKE, 1, bits, slot));
        assert_true(each_record(f, PC_SWITCH, 0, bits, slot));
    }
}

static void each_feature(examine *f, unsigned variants, bool for_digest)
{
    static struct synth bytes;
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        for (unsigned variant = 0; variant < variants; variant++) {
            for (unsigned i = 0; i < 2; i++) {
                struct bench b;
                struct subject s = { .kind = FEATURE, .number = bit, .order = orders[i] };
                bench_open(&b, NULL);
                s.attr_size = for_digest ? 144 : 64 + 8 * (variant % 3);
                s.layout = pc_capture_feature_layout(&b.capture[0]);
                s.table = pc_feature_info(bit)->fields;
                s.for_digest = for_digest;
                memset(&bytes, 0, sizeof(bytes));
                bytes.variant = variant;
                bytes.order = s.order;
                bytes.attr_size = s.attr_size;
                if (!synth_feature(&bytes, s.table, &s.layout, ++seed))
                    fail_msg("%s: none is made with variant %u", name_of(&s), variant);
                if (bit == PC_BUILD_ID) { /* the type of an entry says nothing and is zero */
                    for (size_t at = 0; at + 8 <= bytes.len; at += variant % 2 ? 100 : 44)
                        memset(bytes.bytes + at, 0, 4);
                }
                f(&b, &s, &bytes);
                bench_close(&b);
            }
        }
    }
}

static void each_attr(examine *f)
{
    static struct synth bytes;
    static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 152 };
    for (size_t k = 0; k < PC_COUNT_OF(sizes); k++) {
        for (unsigned i = 0; i < 20; i++) {
            struct bench b;
            struct subject s = { .kind = ATTR, .order = orders[i % 2], .attr_size = sizes[k] };
            bench_open(&b, NULL);
            s.table = pc_attr_fields;
            memset(&bytes, 0, sizeof(bytes));
            bytes.order = s.order;
            synth_attr(&bytes, sizes[k], ++seed);
            f(&b, &s, &bytes);
            bench_close(&b);
        }
    }
}

/* --- the tests of all tables --- */

static void records_keep_every_value(void **state)
{
    (void)state;
    seed = 1000;
    subjects = 0;
    each_record_type(examine_conversion, 24);
    each_sample(examine_conversion);
    assert_true(subjects > 5000);
}

static void features_keep_every_value(void **state)
{
    (void)state;
    seed = 2000;
    each_feature(examine_conversion, 12, false);
}

static void attrs_keep_every_value(void **state)
{
    (void)state;
    seed = 3000;
    each_attr(examine_conversion);
}

/* --- one-bit changes --- */

struct flips {
    const struct subject *s;
    struct synth *bytes;
    uint64_t random;
    bool padding; /* of padding, else of content */
    size_t place[VALUES];
    unsigned char bit[VALUES];
    size_t nr;
};

static void add_flip(struct flips *f, size_t at, unsigned char mask)
{
    assert_true(f->nr < VALUES);
    f->place[f->nr] = at;
    f->bit[f->nr++] = mask;
}

/* Collects bits of the leaf: of its content, or of what is none in it. */
static bool find_flips(void *ctx, const struct pc_leaf *leaf)
{
    struct flips *f = ctx;
    const struct pc_field *field = leaf->field;
    uint64_t random = synth_random(&f->random);
    size_t head = field->kind == PC_HSTR ? 4 : 0, n = leaf->raw.len - head, content = n;
    bool is_text = field->kind == PC_TEXT || field->kind == PC_CSTR || field->kind == PC_HSTR;
    bool whole = field->kind == PC_TEXT && field->count && field->rule != PC_RULE_NUL;
    if (is_text && !whole)
        content = text_length(leaf->raw.ptr + head, n);
    if (field->used)
        content = (size_t)leaf->walk->slot[field->used];
    bool no_content = f->s->number == PC_BUILD_ID && f->s->kind == FEATURE && synth_is(leaf, "type");
    if (is_padding(leaf) || no_content)
        content = 0;
    if (is_attr_bytes(leaf) || field->kind == PC_ORDER || field->kind == PC_LITERAL)
        return true;
    size_t from = f->padding ? content : 0, to = f->padding ? n : content;
    /* A NUL ends the text, whatever comes behind it. */
    if (f->padding && is_text && !whole && from < n)
        from++;
    if (from >= to)
        return true;
    /* Letters stay letters: their lowest bit never makes a NUL. */
    unsigned char mask = (unsigned char)(is_text || field->kind == PC_ZSTR ? 1u : 1u << (random >> 32) % 8);
    if (field->kind == PC_ZSTR && to - from > 1)
        to--;
    for (unsigned i = 0; i < 3; i++)
        add_flip(f, leaf->at + head + from + (size_t)((random >> 16 * i) % (to - from)), mask);
    return true;
}

static unsigned flipped, refused, untouched;

static void try_flips(struct bench *b, const struct subject *s, struct synth *bytes, bool padding)
{
    static struct flips flips;
    static struct bytes base, out;
    struct pc_span in = { bytes->bytes, bytes->len };
    flips = (struct flips){ .s = s, .bytes = bytes, .random = seed * 2 + 1, .padding = padding };
    if (s->kind == RECORD && is_of_container((uint32_t)s->number))
        return;
    assert_int_equal(convert_to(b, s, in, PC_LITTLE, &base), PC_CONVERTED);
    assert_true(walk_subject(s, in, s->order, find_flips, &flips));
    for (size_t i = 0; i < flips.nr; i++) {
        bytes->bytes[flips.place[i]] ^= flips.bit[i];
        enum pc_outcome outcome = convert_to(b, s, in, PC_LITTLE, &out);
        bool same = outcome == PC_CONVERTED && out.len == base.len && memcmp(out.ptr, base.ptr, out.len) == 0;
        flipped++;
        untouched += same;
        if (outcome != PC_CONVERTED) {
            if (padding)
                fail_msg("%s: padding at %zu is refused", name_of(s), flips.place[i]);
            refused++; /* a count, say: then nothing is converted at all */
        } else if (same != padding) {
            fail_msg("%s (%zu bytes, %s-endian): a bit at %zu changes %s", name_of(s), in.len,
                     s->order == PC_BIG ? "big" : "little", flips.place[i], padding ? "bytes" : "nothing");
        }
        bytes->bytes[flips.place[i]] ^= flips.bit[i];
    }
}

static void examine_content(struct bench *b, const struct subject *s, struct synth *bytes)
{
    try_flips(b, s, bytes, false);
}

static void examine_padding(struct bench *b, const struct subject *s, struct synth *bytes)
{
    try_flips(b, s, bytes, true);
}

static void examine_attr_of_digest(struct bench *b, const struct subject *s, struct synth *bytes)
{
    struct subject digest = *s;
    digest.for_digest = true;
    digest.attr_size = bytes->len > 144 ? (uint32_t)bytes->len : 144;
    try_flips(b, &digest, bytes, false);
    try_flips(b, &digest, bytes, true);
}

static void a_changed_bit_of_content_shows(void **state)
{
    (void)state;
    seed = 4000;
    flipped = refused = untouched = 0;
    each_record_type(examine_content, 12);
    each_sample(examine_content);
    each_feature(examine_content, 8, true);
    each_attr(examine_attr_of_digest);
    assert_true(flipped > 50000);
    assert_true(refused < flipped / 10);
}

static void a_changed_bit_of_padding_does_not(void **state)
{
    (void)state;
    seed = 5000;
    flipped = untouched = 0;
    each_record_type(examine_padding, 12);
    each_sample(examine_padding);
    each_feature(examine_padding, 8, true);
    assert_true(untouched > 1000);
    assert_int_equal(untouched, flipped);
}

/* --- bytes computed by hand --- */

/* The same field in both orders, as hex digits. */
struct row {
    const char *little, *big;
};

static unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void put_hex(struct bytes *b, const char *hex)
{
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        unsigned char byte = (unsigned char)(digit(hex[0]) << 4 | digit(hex[1]));
        put(b, &byte, 1);
        hex++;
    }
}

static struct bytes by_hand[2]; /* little, big */

static void begin_hand(void)
{
    by_hand[0].len = by_hand[1].len = 0;
}

static void add_rows(const struct row *rows, size_t nr)
{
    for (size_t i = 0; i < nr; i++) {
        put_hex(&by_hand[0], rows[i].little);
        put_hex(&by_hand[1], rows[i].big);
    }
}

#define ROWS(...)                                                                                            \
    add_rows((const struct row[]){ __VA_ARGS__ }, PC_COUNT_OF(((const struct row[]){ __VA_ARGS__ })))
#define SAME(hex)                                                                                            \
    {                                                                                                        \
        hex, hex                                                                                             \
    } /* bytes, which have no order */

/* nr integers that count up. */
static void add_numbers(unsigned nr, unsigned width, uint64_t first)
{
    for (unsigned i = 0; i < nr; i++) {
        unsigned char little[8], big[8];
        for (unsigned k = 0; k < width; k++)
            little[k] = big[width - 1 - k] = (unsigned char)((first + i) >> 8 * k);
        put(&by_hand[0], little, width);
        put(&by_hand[1], big, width);
    }
}

/* A text and zeros, room bytes together. */
static void add_text(const char *text, size_t room)
{
    static const unsigned char zeros[512];
    for (unsigned i = 0; i < 2; i++) {
        put(&by_hand[i], text, strlen(text));
        put(&by_hand[i], zeros, room - strlen(text));
    }
}

/* A header string in 64 bytes. */
static void add_string(const char *text)
{
    ROWS({ "40 00 00 00", "00 00 00 40" });
    add_text(text, 64);
}

/* Either becomes the other, and stays itself. */
static void end_hand_with(struct bench *b, struct subject s)
{
    static struct bytes out;
    for (unsigned from = 0; from < 2; from++) {
        for (unsigned to = 0; to < 2; to++) {
            s.order = orders[from];
            if (convert_to(b, &s, span_of(&by_hand[from]), orders[to], &out) != PC_CONVERTED)
                fail_msg("%s: not converted: %s at %zu", name_of(&s),
                         b->convert.refusal.reason ? b->convert.refusal.reason : "?", b->convert.refusal.at);
            assert_bytes(&s, &out, span_of(&by_hand[to]), to ? "big-endian" : "little-endian");
        }
    }
}

static void end_hand(struct subject s, const uint64_t *slot)
{
    struct bench b;
    bench_open(&b, slot);
    end_hand_with(&b, s);
    bench_close(&b);
}

static void hand_attr(const char *little_flags, const char *big_flags, const char *little_action,
                      const char *big_action)
{
    begin_hand();
    ROWS({ "01 00 00 00", "00 00 00 01" },                          /* type 1 */
         { "90 00 00 00", "00 00 00 90" },                          /* size 144 */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },  /* config */
         { "a0 86 01 00 00 00 00 00", "00 00 00 00 00 01 86 a0" },  /* sample_period 100000 */
         { "47 01 01 00 00 00 00 00", "00 00 00 00 00 01 01 47" },  /* sample_type */
         { "14 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 14" },  /* read_format ID, LOST */
         { little_flags, big_flags },                               /* the flag word */
         { "11 22 33 44", "44 33 22 11" },                          /* wakeup_events */
         { "03 00 00 00", "00 00 00 03" },                          /* bp_type */
         { "18 17 16 15 14 13 12 11", "11 12 13 14 15 16 17 18" },  /* config1 */
         { "28 27 26 25 24 23 22 21", "21 22 23 24 25 26 27 28" },  /* config2 */
         { "09 00 02 00 00 00 00 00", "00 00 00 00 00 02 00 09" },  /* branch_sample_type */
         { "ff 0f ff 00 00 00 00 00", "00 00 00 00 00 ff 0f ff" },  /* sample_regs_user */
         { "00 20 00 00", "00 00 20 00" },                          /* sample_stack_user 8192 */
         { "fe ff ff ff", "ff ff ff fe" },                          /* clockid -2 */
         { "38 37 36 35 34 33 32 31", "31 32 33 34 35 36 37 38" },  /* sample_regs_intr */
         { "00 10 02 00", "00 02 10 00" },                          /* aux_watermark */
         { "7f 01", "01 7f" },                                      /* sample_max_stack 383 */
         SAME("00 00"),                                             /* reserved_2 */
         { "04 03 02 01", "01 02 03 04" },                          /* aux_sample_size */
         { little_action, big_action },                             /* aux_action */
         { "48 47 46 45 44 43 42 41", "41 42 43 44 45 46 47 48" },  /* sig_data */
         { "58 57 56 55 54 53 52 51", "51 52 53 54 55 56 57 58" },  /* config3 */
         { "68 67 66 65 64 63 62 61", "61 62 63 64 65 66 67 68" }); /* config4 */
    end_hand((struct subject){ .kind = ATTR, .table = pc_attr_fields }, NULL);
}

static void every_word_of_an_attr(void **state)
{
    (void)state;
    /* FORMAT.md 2.7: disabled, inherit, precise_ip 2, sample_id_all; aux_pause */
    hand_attr("03 00 05 00 00 00 00 00", "c0 01 20 00 00 00 00 00", "02 00 00 00", "40 00 00 00");
    /* FORMAT.md 0.6, a real one with precise_ip 1: declaration offsets 0 1, 8 9 10 12 13, 15 (of the low
     * bit), 18 23, 24 29 30, 34; aux_start_paused and aux_resume */
    hand_attr("03 b7 84 61 04 00 00 00", "c0 ec a1 86 20 00 00 00", "05 00 00 00", "a0 00 00 00");
    /* what no big-endian capture has: watermark 14, precise_ip 3 at 15, aux_output 31, text_poke 33,
     * inherit_thread 35, remove_on_exec 36, sigtrap 37, defer_callchain 38, defer_output 39; reserved bits of
     * aux_action: 3 is the lowest, 31 the highest, of one member */
    hand_attr("00 c0 01 80 fa 00 00 00", "00 03 80 01 5f 00 00 00", "08 00 00 80", "10 00 00 01");
}

static void parts_of_a_sample(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot,
               PC_S_STREAM_ID | PC_S_BRANCH_STACK | PC_S_WEIGHT_STRUCT | PC_S_DATA_SRC | PC_S_TRANSACTION |
                   PC_S_AUX,
               0, PC_BRANCH_HW_INDEX | PC_BRANCH_COUNTERS | 8, 0);
    begin_hand();
    ROWS({ "09 00 00 00 02 00 88 00", "00 00 00 09 00 02 00 88" }, /* SAMPLE, user, 136 bytes */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* stream_id */
         { "02 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 02" }, /* 2 branches */
         { "ff ff ff ff ff ff ff ff", "ff ff ff ff ff ff ff ff" }, /* hw_idx -1 */
         { "10 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 10" }, /* from */
         { "11 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 11" }, /* to */
         /* FORMAT.md 2.7: mispred, cycles 0x1234, type 4, spec 1, priv 1 */
         { "41 23 41 41 00 00 00 00", "81 23 44 40 80 00 00 00" },
         { "12 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 12" }, /* from */
         { "13 32 54 76 98 ba 00 00", "00 00 ba 98 76 54 32 13" }, /* to */
         /* predicted, in_tx, abort, cycles 1, type 15, spec 3, new_type 10, priv 5:
          * 0x16bf0001e, and 7 << 60 | 1 << 44 | 15 << 40 | 3 << 38 | 10 << 34 | 5 << 31 */
         { "1e 00 f0 6b 01 00 00 00", "70 00 1f ea 80 00 00 00" },
         { "01 02 00 00 00 00 00 00", "00 00 00 00 00 00 02 01" }, /* counters of the first */
         { "03 04 00 00 00 00 00 00", "00 00 00 00 00 00 04 03" }, /* ... and the second */
         { "44 33 22 11 66 55 88 77", "77 88 55 66 11 22 33 44" }, /* weights 0x11223344, 0x5566, 0x7788 */
         { "42 01 10 68 00 00 00 00", "00 00 00 00 68 10 01 42" }, /* data_src of FORMAT.md 2.7 */
         { "c1 00 00 00 ef be ad de", "de ad be ef 00 00 00 c1" }, /* transaction: flags, abort code */
         { "08 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 08" }, /* 8 bytes of AUX data */
         SAME("01 02 03 04 05 06 07 08"));
    end_hand((struct subject){ .kind = RECORD, .number = PC_SAMPLE, .misc = 2 }, slot);
}

static void records_of_the_kernel(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_TID | PC_S_CPU, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    begin_hand();
    ROWS({ "14 00 00 00 01 00 30 00", "00 00 00 14 00 01 00 30" }, /* TEXT_POKE, kernel, 48 bytes */
         { "10 20 30 81 ff ff ff ff", "ff ff ff ff 81 30 20 10" }, /* addr */
         { "05 00", "00 05" },                                     /* old_len */
         { "01 00", "00 01" },                                     /* new_len */
         SAME("0f 1f 44 00 00"), SAME("cc"),                       /* code */
         SAME("00 00 00 00 00 00"),                                /* padding */
         { "d2 04 00 00", "00 00 04 d2" },                         /* pid 1234 */
         { "d3 04 00 00", "00 00 04 d3" },                         /* tid 1235 */
         { "03 00 00 00", "00 00 00 03" },                         /* cpu 3 */
         SAME("00 00 00 00"));                                     /* reserved */
    end_hand((struct subject){ .kind = RECORD, .number = PC_TEXT_POKE, .misc = 1 }, slot);

    fill_slots(slot, PC_S_STREAM_ID, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    begin_hand();
    ROWS({ "05 00 00 00 00 00 28 00", "00 00 00 05 00 00 00 28" },  /* THROTTLE, 40 bytes */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },  /* time */
         { "21 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 21" },  /* id */
         { "22 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 22" },  /* stream_id */
         { "23 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 23" }); /* stream_id of the trailer */
    end_hand((struct subject){ .kind = RECORD, .number = PC_THROTTLE }, slot);

    fill_slots(slot, PC_S_TIME, 0, 0, 0);
    begin_hand();
    ROWS({ "0a 00 00 00 02 00 50 00", "00 00 00 0a 00 02 00 50" }, /* MMAP2, user, 80 bytes */
         { "01 02 00 00", "00 00 02 01" },                         /* pid */
         { "03 04 00 00", "00 00 04 03" },                         /* tid */
         { "00 10 40 00 00 00 00 00", "00 00 00 00 00 40 10 00" }, /* addr */
         { "00 20 00 00 00 00 00 00", "00 00 00 00 00 00 20 00" }, /* len */
         { "00 30 00 00 00 00 00 00", "00 00 00 00 00 00 30 00" }, /* pgoff */
         { "08 01 00 00", "00 00 01 08" },                         /* maj 264 */
         { "02 00 00 00", "00 00 00 02" },                         /* min 2 */
         { "05 06 07 00 00 00 00 00", "00 00 00 00 00 07 06 05" }, /* ino */
         { "09 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 09" }, /* ino_generation */
         { "05 00 00 00", "00 00 00 05" },                         /* prot */
         { "02 20 00 00", "00 00 20 02" });                        /* flags */
    add_text("/bin/x", 8);
    end_hand((struct subject){ .kind = RECORD, .number = PC_MMAP2, .misc = 2 }, slot);
}

static void records_of_perf(void **state)
{
    (void)state;
    begin_hand();
    ROWS({ "4f 00 00 00 00 00 38 00", "00 00 00 4f 00 00 00 38" }, /* TIME_CONV, 56 bytes */
         { "1f 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 1f" }, /* time_shift 31 */
         { "78 56 34 12 00 00 00 00", "00 00 00 00 12 34 56 78" }, /* time_mult */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* time_zero */
         { "18 17 16 15 14 13 12 11", "11 12 13 14 15 16 17 18" }, /* time_cycles */
         { "ff ff ff ff ff ff ff 00", "00 ff ff ff ff ff ff ff" }, /* time_mask */
         SAME("01"), SAME("00"),                                   /* cap_user_time_zero, _short */
         SAME("00 00 00 00 00 00"));                               /* reserved */
    end_hand((struct subject){ .kind = RECORD, .number = PC_TIME_CONV }, NULL);

    begin_hand();
    ROWS({ "45 00 00 00 00 00 70 00", "00 00 00 45 00 00 00 70" },  /* ID_INDEX, 112 bytes */
         { "02 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 02" },  /* nr 2 */
         { "41 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 41" },  /* id */
         { "00 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 00" },  /* idx */
         { "03 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 03" },  /* cpu */
         { "ff ff ff ff ff ff ff ff", "ff ff ff ff ff ff ff ff" },  /* tid -1 */
         { "42 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 42" },  /* id */
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" },  /* idx */
         { "04 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 04" },  /* cpu */
         { "fe ff ff ff ff ff ff ff", "ff ff ff ff ff ff ff fe" },  /* tid -2 */
         { "d2 04 00 00 00 00 00 00", "00 00 00 00 00 00 04 d2" },  /* machine_pid */
         { "05 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 05" },  /* vcpu */
         { "d3 04 00 00 00 00 00 00", "00 00 00 00 00 00 04 d3" },  /* machine_pid */
         { "06 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 06" }); /* vcpu */
    end_hand((struct subject){ .kind = RECORD, .number = PC_ID_INDEX }, NULL);

    begin_hand();
    ROWS({ "47 00 00 00 00 00 30 00", "00 00 00 47 00 00 00 30" }, /* AUXTRACE, 48 bytes */
         { "00 10 00 00 00 00 00 00", "00 00 00 00 00 00 10 00" }, /* size */
         { "00 00 20 00 00 00 00 00", "00 00 00 00 00 20 00 00" }, /* offset */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* reference */
         { "07 00 00 00", "00 00 00 07" },                         /* idx */
         { "d3 04 00 00", "00 00 04 d3" },                         /* tid */
         { "03 00 00 00", "00 00 00 03" },                         /* cpu */
         SAME("00 00 00 00"));                                     /* reserved */
    end_hand((struct subject){ .kind = RECORD, .number = PC_AUXTRACE }, NULL);

    begin_hand();
    ROWS({ "48 00 00 00 00 00 78 00", "00 00 00 48 00 00 00 78" },  /* AUXTRACE_ERROR, 120 bytes */
         { "01 00 00 00", "00 00 00 01" },                          /* type */
         { "08 00 00 00", "00 00 00 08" },                          /* code */
         { "02 00 00 00", "00 00 00 02" },                          /* cpu */
         { "d2 04 00 00", "00 00 04 d2" },                          /* pid */
         { "d3 04 00 00", "00 00 04 d3" },                          /* tid */
         { "02 00 00 00", "00 00 00 02" },                          /* fmt */
         { "18 17 16 15 14 13 12 11", "11 12 13 14 15 16 17 18" },  /* ip */
         { "28 27 26 25 24 23 22 21", "21 22 23 24 25 26 27 28" }); /* time */
    add_text("overflow", 64);
    ROWS({ "39 05 00 00", "00 00 05 39" },  /* machine_pid */
         { "01 00 00 00", "00 00 00 01" }); /* vcpu */
    end_hand((struct subject){ .kind = RECORD, .number = PC_AUXTRACE_ERROR }, NULL);

    begin_hand();
    ROWS({ "46 00 00 00 00 00 a8 00", "00 00 00 46 00 00 00 a8" },  /* AUXTRACE_INFO, 168 bytes */
         { "01 00 00 00", "00 00 00 01" }, SAME("00 00 00 00"));    /* Intel PT, reserved */
    add_numbers(16, 8, 0x0102030405060700);                         /* pmu_type ... max_nonturbo_ratio */
    ROWS({ "07 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 07" },  /* filter_str_len */
         SAME("66 69 6c 74 65 72 21 00"),                           /* "filter!" */
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" }); /* event_trace */
    end_hand((struct subject){ .kind = RECORD, .number = PC_AUXTRACE_INFO }, NULL);
}

static void maps_of_cpus(void **state)
{
    (void)state;
    const struct subject map = { .kind = RECORD, .number = PC_CPU_MAP };
    begin_hand();
    ROWS({ "4a 00 00 00 00 00 18 00", "00 00 00 4a 00 00 00 18" }, /* CPU_MAP, 24 bytes */
         { "01 00", "00 01" },                                     /* MASK */
         { "02 00", "00 02" },                                     /* 2 words */
         { "04 00", "00 04" },                                     /* of 4 bytes */
         { "44 33 22 11", "11 22 33 44" },                         /* behind each other */
         { "88 77 66 55", "55 66 77 88" }, SAME("00 00"));         /* padding */
    end_hand(map, NULL);

    begin_hand();
    ROWS({ "4a 00 00 00 00 00 28 00", "00 00 00 4a 00 00 00 28" }, /* CPU_MAP, 40 bytes */
         { "01 00", "00 01" },                                     /* MASK */
         { "02 00", "00 02" },                                     /* 2 words */
         { "08 00", "00 08" },                                     /* of 8 bytes */
         SAME("00 00 00 00"),                                      /* padding */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* behind each other */
         { "01 00 00 00 00 00 00 80", "80 00 00 00 00 00 00 01" }, SAME("00 00 00 00 00 00")); /* padding */
    end_hand(map, NULL);

    begin_hand();
    ROWS({ "4a 00 00 00 00 00 10 00", "00 00 00 4a 00 00 00 10" }, /* CPU_MAP, 16 bytes */
         { "02 00", "00 02" },                                     /* RANGE */
         SAME("01"), SAME("00"),                                   /* any_cpu, padding */
         { "02 01", "01 02" }, { "04 03", "03 04" });              /* from 258 to 772 */
    end_hand(map, NULL);

    begin_hand();
    ROWS({ "4e 00 00 00 00 00 28 00", "00 00 00 4e 00 00 00 28" },         /* EVENT_UPDATE, 40 bytes */
         { "03 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 03" },         /* CPUS */
         { "41 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 41" },         /* id */
         { "01 00", "00 01" }, { "01 00", "00 01" }, { "08 00", "00 08" }, /* MASK, 1 word of 8 bytes */
         SAME("00 00 00 00"), { "fe 00 00 00 00 00 00 7f", "7f 00 00 00 00 00 00 fe" });
    /* 42 bytes: up to a multiple of 8 */
    by_hand[0].ptr[6] = by_hand[1].ptr[7] = 48;
    ROWS(SAME("00 00 00 00 00 00"));
    end_hand((struct subject){ .kind = RECORD, .number = PC_EVENT_UPDATE }, NULL);
}

static void counters_of_the_scheduler(void **state)
{
    (void)state;
    for (unsigned version = 15; version <= 17; version++) {
        const char *little = version == 15 ? "0f 00" : version == 16 ? "10 00" : "11 00";
        const char *big = version == 15 ? "00 0f" : version == 16 ? "00 10" : "00 11";
        begin_hand();
        ROWS({ "55 00 00 00 00 00 48 00", "00 00 00 55 00 00 00 48" }, /* SCHEDSTAT_CPU, 72 bytes */
             { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* timestamp */
             { "02 01 00 00", "00 00 01 02" },                         /* cpu */
             { little, big }, SAME("00 00"));                          /* version, padding */
        add_numbers(6, 4, 0x01020304);                                 /* six counters */
        add_numbers(3, 8, 0x0102030405060708);                         /* and three times */
        end_hand((struct subject){ .kind = RECORD, .number = PC_SCHEDSTAT_CPU }, NULL);

        begin_hand();
        ROWS({ "56 00 00 00 00 00 d0 00", "00 00 00 56 00 00 00 d0" }, /* SCHEDSTAT_DOMAIN, 208 bytes */
             { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* timestamp */
             { "02 01 00 00", "00 00 01 02" },                         /* cpu */
             { little, big }, { "04 03", "03 04" });                   /* version, domain */
        unsigned counters = version == 17 ? 45 : 36;                   /* 3 * 11 + 12, or 3 * 8 + 12 */
        add_numbers(counters, 4, 0x05060708);
        add_text("", 208 - 24 - 4 * counters);
        end_hand((struct subject){ .kind = RECORD, .number = PC_SCHEDSTAT_DOMAIN }, NULL);
    }
}

static void lists_of_features(void **state)
{
    (void)state;
    begin_hand();                                                   /* NUMA_TOPOLOGY */
    ROWS({ "01 00 00 00", "00 00 00 01" },                          /* nr */
         { "02 01 00 00", "00 00 01 02" },                          /* node */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },  /* mem_total */
         { "07 06 05 04 03 02 01 00", "00 01 02 03 04 05 06 07" }); /* mem_free */
    add_string("0-3,5");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_NUMA_TOPOLOGY }, NULL);

    begin_hand();                                                  /* MEM_TOPOLOGY */
    ROWS({ "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" }, /* version */
         { "00 00 00 08 00 00 00 00", "00 00 00 00 08 00 00 00" }, /* block_size */
         { "02 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 02" }, /* nr */
         { "00 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 00" }, /* node 0 */
         { "21 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 21" }, /* 33 bits */
         { "21 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 21" }, /* in a bitmap of 33: one word */
         { "fe 00 00 00 01 00 00 00", "00 00 00 01 00 00 00 fe" },
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" }, /* node 1 */
         { "41 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 41" }, /* 65 bits: two words */
         { "41 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 41" },
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* the low one first */
         { "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" });
    end_hand((struct subject){ .kind = FEATURE, .number = PC_MEM_TOPOLOGY }, NULL);

    begin_hand(); /* HYBRID_TOPOLOGY */
    ROWS({ "02 00 00 00", "00 00 00 02" });
    add_string("cpu_core");
    add_string("0-7");
    add_string("cpu_atom");
    add_string("8-15");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_HYBRID_TOPOLOGY }, NULL);

    begin_hand(); /* PMU_CAPS */
    ROWS({ "01 00 00 00", "00 00 00 01" }, { "01 00 00 00", "00 00 00 01" });
    add_string("branches");
    add_string("32");
    add_string("cpu_core");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_PMU_CAPS }, NULL);

    begin_hand();                           /* CACHE */
    ROWS({ "01 00 00 00", "00 00 00 01" },  /* version */
         { "01 00 00 00", "00 00 00 01" },  /* nr */
         { "03 00 00 00", "00 00 00 03" },  /* level */
         { "40 00 00 00", "00 00 00 40" },  /* line_size */
         { "00 20 00 00", "00 00 20 00" },  /* sets */
         { "10 00 00 00", "00 00 00 10" }); /* ways */
    add_string("Unified");
    add_string("8192K");
    add_string("0-3");
    end_hand((struct subject){ .kind = FEATURE, .number = PC_CACHE }, NULL);

    begin_hand();                                                   /* AUXTRACE */
    ROWS({ "01 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 01" },  /* nr */
         { "d8 07 00 00 01 00 00 00", "00 00 00 01 00 00 07 d8" },  /* file_offset */
         { "30 00 00 00 00 00 00 00", "00 00 00 00 00 00 00 30" }); /* sz */
    end_hand((struct subject){ .kind = FEATURE, .number = PC_AUXTRACE_INDEX }, NULL);

    begin_hand(); /* CLN_SIZE */
    ROWS({ "00 01 00 00", "00 00 01 00" });
    end_hand((struct subject){ .kind = FEATURE, .number = PC_CLN_SIZE }, NULL);
}

/* Puts an integer of the info at its place (the info begins behind 20 bytes). */
static void info_word(size_t at, unsigned width, uint64_t value)
{
    for (unsigned k = 0; k < width; k++)
        by_hand[0].ptr[20 + at + k] = by_hand[1].ptr[20 + at + width - 1 - k] =
            (unsigned char)(value >> 8 * k);
}

/* FORMAT.md 5.4.7; positions in the info are those of its table */
static void programs_of_bpf(void **state)
{
    (void)state;
    begin_hand();
    ROWS({ "01 00 00 00", "00 00 00 01" },                          /* nr */
         { "e8 00 00 00", "00 00 00 e8" },                          /* info_len 232 */
         { "90 00 00 00", "00 00 00 90" },                          /* data_len 144 */
         { "fd 01 00 00 00 00 00 00", "00 00 00 00 00 00 01 fd" }); /* arrays: all but xlated_insns */
    add_text("", 232);
    info_word(0, 4, 5);                                                     /* type */
    info_word(4, 4, 0x0102);                                                /* id */
    memcpy(by_hand[0].ptr + 20 + 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 8); /* tag */
    memcpy(by_hand[1].ptr + 20 + 8, "\x01\x02\x03\x04\x05\x06\x07\x08", 8);
    info_word(16, 4, 8); /* jited_prog_len: 8 bytes at 0 */
    info_word(24, 8, 0);
    info_word(40, 8, 0x1112131415161718); /* load_time */
    info_word(48, 4, 1000);               /* created_by_uid */
    info_word(52, 4, 3);                  /* map ids: 3 of 4 bytes at 8 */
    info_word(56, 8, 8);
    memcpy(by_hand[0].ptr + 20 + 64, "prog", 4); /* name */
    memcpy(by_hand[1].ptr + 20 + 64, "prog", 4);
    by_hand[0].ptr[20 + 84] = 0x01; /* gpl_compatible: the first bit of 32 */
    by_hand[1].ptr[20 + 84] = 0x80;
    info_word(88, 8, 0x2122232425262728); /* netns_dev */
    info_word(104, 4, 1);                 /* ksyms: 1 of 8 bytes at 24 */
    info_word(112, 8, 24);
    info_word(108, 4, 2); /* func_lens: 2 of 4 bytes at 32 */
    info_word(120, 8, 32);
    info_word(128, 4, 77); /* btf_id */
    info_word(132, 4, 8);  /* func_info: 2 of 8 bytes at 40 */
    info_word(144, 4, 2);
    info_word(136, 8, 40);
    info_word(172, 4, 16); /* line_info: 2 of 16 bytes at 56 */
    info_word(148, 4, 2);
    info_word(152, 8, 56);
    info_word(176, 4, 8); /* jited_line_info: 2 of 8 bytes at 88 */
    info_word(168, 4, 2);
    info_word(160, 8, 88);
    info_word(180, 4, 4); /* prog_tags: 4 of 8 bytes at 104 */
    info_word(184, 8, 104);
    info_word(192, 8, 0x3132333435363738);                          /* run_time_ns */
    info_word(216, 4, 0x41424344);                                  /* verified_insns */
    info_word(224, 4, 0x51525354);                                  /* attach_btf_id */
    ROWS(SAME("55 48 89 e5 c3 cc cc cc"));                          /* 0: code */
    add_numbers(3, 4, 0x01020304);                                  /* 8: map ids */
    ROWS(SAME("00 00 00 00"));                                      /* 20: rounding */
    ROWS({ "10 20 30 c0 ff ff ff ff", "ff ff ff ff c0 30 20 10" }); /* 24: address of a symbol */
    add_numbers(2, 4, 0x11121314);                                  /* 32: lengths of functions */
    add_numbers(4, 4, 0x21222324);                                  /* 40: pairs of insn_off, type_id */
    add_numbers(8, 4, 0x31323334);                                  /* 56: four words a line */
    add_numbers(2, 8, 0x4142434445464748);                          /* 88: addresses */
    ROWS(SAME("01 02 03 04 05 06 07 08"), SAME("11 12 13 14 15 16 17 18"), /* 104: tags */
         SAME("21 22 23 24 25 26 27 28"), SAME("31 32 33 34 35 36 37 38"));
    ROWS(SAME("00 00 00 00 00 00 00 00")); /* 136: rounding */
    end_hand((struct subject){ .kind = FEATURE, .number = PC_BPF_PROG_INFO }, NULL);
}

/* TRACING_DATA of version 0.5 with one event. */
static size_t tracing_data(unsigned char *to, const char *text, enum pc_order order)
{
    static const char page[] = "header_page", event[] = "header_event";
    size_t at = 0;
    memcpy(to, "\x17\x08\x44tracing0.5", 14);
    at = 14; /* with the NUL of the version */
    to[at++] = order == PC_BIG;
    to[at++] = 8; /* sizeof(long) */
    synth_store_as(to + at, 4, 4096, order);
    at += 4;
    memcpy(to + at, page, sizeof(page));
    at += sizeof(page) + 8;
    memcpy(to + at, event, sizeof(event));
    at += sizeof(event) + 8;
    at += 4; /* no format of ftrace */
    synth_store_as(to + at, 4, 1, order);
    at += 4;
    memcpy(to + at, "sys", 4);
    at += 4;
    synth_store_as(to + at, 4, 1, order);
    synth_store_as(to + at + 4, 8, strlen(text), order);
    memcpy(to + at + 12, text, strlen(text));
    return at + 12 + strlen(text) + 8; /* kallsyms, printk: none */
}

static const char format_text[] =
    "name: e\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__rel_loc u16[] words;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:u64 value;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[4];\toffset:24;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"\"\n";

static void bench_trace(struct bench *b)
{
    static unsigned char bytes[4096];
    for (unsigned i = 0; i < 2; i++) {
        memset(bytes, 0, sizeof(bytes));
        struct pc_span data = { bytes, tracing_data(bytes, format_text, orders[i]) };
        pc_capture_feature(&b->capture[i], PC_TRACING_DATA, pc_cursor(data, orders[i]));
        assert_non_null(pc_capture_format(&b->capture[i], 0));
    }
}

static void payload_of_a_tracepoint(void **state)
{
    (void)state;
    struct bench b;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_RAW | PC_S_TIME, 0, 0, 0);
    slot[PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    slot[PC_ATTR_CONFIG] = 7;
    bench_open(&b, slot);
    bench_trace(&b);
    begin_hand();
    ROWS({ "09 00 00 00 01 00 40 00", "00 00 00 09 00 01 00 40" }, /* SAMPLE, kernel, 64 bytes */
         { "88 77 66 55 44 33 22 11", "11 22 33 44 55 66 77 88" }, /* time */
         { "2c 00 00 00", "00 00 00 2c" },                         /* 44 bytes */
         { "07 00", "00 07" }, SAME("01"), SAME("02"),             /* common_type, flags, preempt_count */
         { "d2 04 00 00", "00 00 04 d2" },                         /* common_pid */
         /* words: 6 bytes; 28 from the start are 16 from the end of this word */
         { "10 00 06 00", "00 06 00 10" }, { "22 00 05 00", "00 05 00 22" }, /* name: 5 bytes at 34 */
         { "08 07 06 05 04 03 02 01", "01 02 03 04 05 06 07 08" },           /* value */
         SAME("61 62 63 00"),                                                /* comm */
         { "02 01", "01 02" }, { "04 03", "03 04" }, { "06 05", "05 06" },   /* words */
         SAME("6e 61 6d 65 00"),                                             /* name */
         SAME("aa bb cc dd ee"));                                            /* nothing describes them */
    end_hand_with(&b, (struct subject){ .kind = RECORD, .number = PC_SAMPLE, .misc = 1 });
    assert_false(b.convert.uncovered);
    bench_close(&b);
}

static void a_payload_without_a_format_is_said(void **state)
{
    (void)state;
    static struct bytes out;
    struct bench b;
    uint64_t slot[PC_SLOTS];
    struct subject s = { .kind = RECORD, .number = PC_SAMPLE, .misc = 1 };
    fill_slots(slot, PC_S_RAW, 0, 0, 0);
    slot[PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    slot[PC_ATTR_CONFIG] = 8; /* TRACING_DATA describes 7 */
    begin_hand();
    ROWS({ "09 00 00 00 01 00 18 00", "00 00 00 09 00 01 00 18" }, { "0c 00 00 00", "00 00 00 0c" },
         SAME("01 02 03 04 05 06 07 08 09 0a 0b 0c"));
    for (unsigned k = 0; k < 2; k++) {
        bench_open(&b, slot);
        assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_BIG, &out), PC_CONVERTED);
        assert_bytes(&s, &out, span_of(&by_hand[1]), "kept");
        /* Nobody describes it, whatever kind of event it is. */
        assert_true(b.convert.uncovered);
        assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_LITTLE, &out), PC_CONVERTED);
        assert_false(b.convert.uncovered);
        /* Zeros stand for none. */
        static const unsigned char none[24] = { 9, 0, 0, 0, 1, 0, 24, 0, 12 };
        assert_int_equal(convert_to(&b, &s, (struct pc_span){ none, sizeof(none) }, PC_BIG, &out),
                         PC_CONVERTED);
        assert_false(b.convert.uncovered);
        bench_close(&b);
        slot[PC_ATTR_TYPE] = PC_TYPE_SOFTWARE;
    }
}

static void a_payload_that_would_be_misread_is_refused(void **state)
{
    (void)state;
    static struct bytes out;
    struct bench b;
    uint64_t slot[PC_SLOTS];
    struct subject s = { .kind = RECORD, .number = PC_SAMPLE, .misc = 1 };
    fill_slots(slot, PC_S_RAW, 0, 0, 0);
    slot[PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    slot[PC_ATTR_CONFIG] = 7;
    bench_open(&b, slot);
    bench_trace(&b);
    begin_hand();
    ROWS(SAME("09 00 00 00 01 00 30 00"), SAME("24 00 00 00"), /* 36 bytes, big-endian is not looked at */
         SAME("07 00 01 02 d2 04 00 00"), SAME("10 00 06 00"), /* words: 6 bytes at 28 */
         SAME("22 00 ff 00"),                                  /* name: 255 bytes at 34 */
         SAME("08 07 06 05 04 03 02 01 61 62 63 00 02 01 04 03 06 05 00 00"));
    assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_BIG, &out), PC_CONVERT_PAYLOAD);
    assert_non_null(b.convert.refusal.reason);
    assert_int_equal(b.convert.refusal.attr, 0);
    assert_int_equal(b.convert.refusal.field, 5); /* four common fields and `words` come before */
    assert_int_equal(b.convert.refusal.at, 12);   /* behind header and raw_size */
    assert_int_equal(b.convert.refusal.len, 36);
    assert_int_equal(convert_to(&b, &s, span_of(&by_hand[0]), PC_LITTLE, &out), PC_CONVERTED);
    assert_bytes(&s, &out, span_of(&by_hand[0]), "kept");
    bench_close(&b);
}

/* --- what is no canonical form yet --- */

static void canonical_is(struct subject s, const uint64_t *slot, struct pc_span in, struct pc_span expected)
{
    static struct bytes out;
    struct bench b;
    bench_open(&b, slot);
    assert_int_equal(convert_to(&b, &s, in, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, expected, "canonical");
    bench_close(&b);
}

static void strings_get_the_padding_of_perf(void **state)
{
    (void)state;
    /* FORMAT.md 5.1: a string in 8 bytes, as other tools write it; also one that fills its room */
    static unsigned char expected[4 + 64] = { 64, 0, 0, 0, 'h', 'o', 's', 't' };
    struct subject s = { .kind = FEATURE, .number = PC_HOSTNAME };
    canonical_is(s, NULL, SPAN(8, 0, 0, 0, 'h', 'o', 's', 't', 0, 'x', 'y', 'z'),
                 (struct pc_span){ expected, sizeof(expected) });
    canonical_is(s, NULL, SPAN(4, 0, 0, 0, 'h', 'o', 's', 't'),
                 (struct pc_span){ expected, sizeof(expected) });
    /* 63 letters and a NUL fit 64 bytes, 64 letters do not. */
    for (unsigned n = 63; n <= 64; n++) {
        static unsigned char in[4 + 200], out[4 + 128];
        memset(in, 0, sizeof(in));
        memset(out, 0, sizeof(out));
        in[0] = 200;
        out[0] = n == 63 ? 64 : 128;
        memset(in + 4, 'a', n);
        memset(out + 4, 'a', n);
        canonical_is(s, NULL, (struct pc_span){ in, sizeof(in) },
                     (struct pc_span){ out, 4 + (size_t)out[0] });
    }
}

static void left_overs_behind_strings_go(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_TID, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    canonical_is((struct subject){ .kind = RECORD, .number = PC_COMM }, slot,
                 SPAN(3, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 'd', 'e', 'f', 0, 'h', 3,
                      0, 0, 0, 4, 0, 0, 0),
                 SPAN(3, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
                      4, 0, 0, 0));
    /* Zeros between the padding of a name and the trailer go, too. */
    canonical_is((struct subject){ .kind = RECORD, .number = PC_COMM }, slot,
                 SPAN(3, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 'd', 'e', 'f', 0, 'h', 0,
                      0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0),
                 SPAN(3, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,
                      4, 0, 0, 0));
    /* Behind a build id of 8 bytes, and reserved ones. */
    fill_slots(slot, PC_S_TID, 0, 0, 0);
    canonical_is((struct subject){ .kind = RECORD, .number = PC_MMAP2, .misc = PC_MISC_MMAP_BUILD_ID | 2 },
                 slot,
                 SPAN(10, 0, 0, 0, 2, 64, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 9, 9, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                      13, 14, 15, 16, 17, 18, 19, 20, 5, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0),
                 SPAN(10, 0, 0, 0, 2, 64, 80, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 16, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0));
    /* THREAD_MAP: comm has room for 16 characters, and needs no NUL. */
    canonical_is((struct subject){ .kind = RECORD, .number = PC_THREAD_MAP }, NULL,
                 SPAN(73, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 0,
                      1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3, 4),
                 SPAN(73, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 's', 'h', 0,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
}

/* Of each record for itself: what the one before had too many is not missing here. */
static void left_overs_of_one_record_are_not_those_of_the_next(void **state)
{
    (void)state;
    static struct bytes out;
    struct subject comm = { .kind = RECORD, .number = PC_COMM };
    struct subject lost = { .kind = RECORD, .number = PC_LOST };
    uint64_t slot[PC_SLOTS];
    struct pc_convert convert;
    struct bench b;
    fill_slots(slot, PC_S_TID, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    bench_open(&b, slot);
    setup(&convert, &b, &comm, PC_BIG);
    assert_int_equal(run(&convert, &comm,
                         SPAN(3, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 2, 0, 0, 0, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0,
                              0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0),
                         &out),
                     PC_CONVERTED);
    assert_bytes(&comm, &out,
                 SPAN(0, 0, 0, 3, 0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 2, 'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3,
                      0, 0, 0, 4),
                 "with eight zeros too many");
    assert_int_equal(run(&convert, &lost,
                         SPAN(2, 0, 0, 0, 0, 0, 32, 0, 11, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 5, 0,
                              0, 0, 6, 0, 0, 0),
                         &out),
                     PC_CONVERTED);
    assert_bytes(&lost, &out,
                 SPAN(0, 0, 0, 2, 0, 0, 0, 32, 0, 0, 0, 0, 0, 0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 7, 0, 0, 0, 5, 0,
                      0, 0, 6),
                 "without");
    pc_convert_clear(&convert);
    bench_close(&b);
}

/* A record that grew (KSYMBOL, whose name ends with its padding at 32) has zeros there, or what nobody knows.
 */
static void left_overs_that_are_not_zero_are_refused_where_they_begin(void **state)
{
    (void)state;
    static struct bytes out;
    struct subject s = { .kind = RECORD, .number = PC_KSYMBOL };
    struct pc_span grown = SPAN(17, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 1, 0, 0, 0,
                                'a', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 8, 0, 0, 0);
    struct pc_convert convert;
    struct bench b;
    bench_open(&b, NULL);
    assert_int_equal(convert_to(&b, &s, grown, PC_BIG, &out), PC_CONVERT_UNKNOWN);
    assert_int_equal(b.convert.refusal.at, 35);
    assert_int_equal(b.convert.refusal.len, 5);
    setup(&convert, &b, &s, PC_BIG);
    convert.lenient = true;
    assert_int_equal(run(&convert, &s, grown, &out), PC_CONVERTED);
    assert_bytes(&s, &out,
                 SPAN(0, 0, 0, 17, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 64, 0, 1, 0, 0, 'a', 0, 0, 0,
                      0, 0, 0, 0, 0, 0, 0, 9, 8, 0, 0, 0),
                 "kept behind the name");
    pc_convert_clear(&convert);
    bench_close(&b);
}

/* The size of a record is 16 bits wide, so 65,528 is the largest that is a multiple of 8. */
static void a_record_without_room_for_its_padding_is_refused(void **state)
{
    (void)state;
    static unsigned char record[65535];
    struct subject s = { .kind = RECORD, .number = PC_COMM };
    static const size_t sizes[] = { 65529, 65535 };
    static struct bytes out;
    struct bench b;
    bench_open(&b, NULL);
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        record[0] = PC_COMM;
        synth_store_as(record + 6, 2, sizes[i], PC_LITTLE);
        assert_int_equal(convert_to(&b, &s, (struct pc_span){ record, sizes[i] }, PC_LITTLE, &out),
                         PC_CONVERT_UNKNOWN);
        /* its header is 4 bytes of type, 2 of misc, 2 of size */
        assert_int_equal(b.convert.refusal.at, 6);
        assert_int_equal(b.convert.refusal.len, 2);
    }
    bench_close(&b);
}

/* Most of a capture: for these no leaf of a record is looked at. */
static void samples_of_integers_are_swapped_without_a_walk(void **state)
{
    (void)state;
    static struct bytes out;
    struct subject s = { .kind = RECORD, .number = PC_SAMPLE, .misc = 2 };
    uint64_t slot[PC_SLOTS];
    struct pc_convert convert;
    struct bench b;
    fill_slots(slot, PC_S_IP | PC_S_TID | PC_S_CPU | PC_S_CALLCHAIN, 0, 0, 0);
    bench_open(&b, slot);
    setup(&convert, &b, &s, PC_BIG);
    convert.by_plan = true;
    assert_int_equal(run(&convert, &s,
                         SPAN(9, 0, 0, 0, 2, 0, 48, 0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 0, 0, 0, 101, 0, 0, 0, 3,
                              0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7, 6, 5, 4, 3, 2),
                         &out),
                     PC_CONVERTED);
    assert_bytes(&s, &out,
                 SPAN(0, 0, 0, 9, 0, 2, 0, 48, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 100, 0, 0, 0, 101, 0, 0, 0, 3,
                      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9),
                 "swapped");
    assert_true(convert.fixed[0].known && convert.fixed[0].usable);
    pc_convert_clear(&convert);
    bench_close(&b);
}

static void sizes_become_multiples_of_8(void **state)
{
    (void)state;
    static struct bytes out;
    static unsigned char unknown[64];
    struct bench b;
    struct pc_convert convert;
    struct subject map = { .kind = RECORD, .number = PC_CPU_MAP }, other_record = { .kind = RECORD };
    bench_open(&b, NULL);
    setup(&convert, &b, &map, PC_LITTLE);
    /* What a longer record left behind is not seen. */
    memset(unknown, 0xff, sizeof(unknown));
    other_record.number = PC_TYPES - 1;
    assert_int_equal(run(&convert, &other_record, (struct pc_span){ unknown, sizeof(unknown) }, &out),
                     PC_CONVERTED);
    /* CPU_MAP of perf 4.16: 20 bytes for two CPUs */
    assert_int_equal(
        run(&convert, &map, SPAN(74, 0, 0, 0, 0, 0, 20, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0), &out),
        PC_CONVERTED);
    assert_bytes(&map, &out, SPAN(74, 0, 0, 0, 0, 0, 24, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0),
                 "canonical");
    pc_convert_clear(&convert);
    bench_close(&b);
}

static void an_attr_grows_to_the_size_of_the_largest(void **state)
{
    (void)state;
    static unsigned char in[64], out[144];
    for (unsigned size_is_0 = 0; size_is_0 < 2; size_is_0++) {
        struct subject s = { .kind = ATTR, .attr_size = 144 };
        memset(in, 0x11, sizeof(in));
        memset(out, 0, sizeof(out));
        memcpy(out, in, sizeof(in));
        memset(in + 4, 0, 4);
        in[4] = size_is_0 ? 0 : 64;
        memset(out + 4, 0, 4);
        out[4] = 144;
        canonical_is(s, NULL, (struct pc_span){ in, 64 }, (struct pc_span){ out, 144 });
        s.for_digest = true;
        out[4] = 0;
        canonical_is(s, NULL, (struct pc_span){ in, 64 }, (struct pc_span){ out, 144 });
    }
    struct pc_span attr = { in, 64 };
    in[4] = 64;
    assert_int_equal(pc_attr_needs(attr, PC_LITTLE), 64);
}

/* Each attr in EVENT_DESC has the size of all attrs of the copy: members behind that can only go when they
 * are 0. */
static void an_attr_in_event_desc_loses_no_member_that_is_set(void **state)
{
    (void)state;
    static struct bytes out;
    static unsigned char desc[4 + 4 + 144 + 4 + 4 + 64];
    const size_t attr = 8, config4 = attr + 136;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = { .kind = FEATURE, .number = PC_EVENT_DESC, .order = orders[i], .attr_size = 136 };
        memset(desc, 0, sizeof(desc));
        synth_store_as(desc, 4, 1, s.order);
        synth_store_as(desc + 4, 4, 144, s.order);
        synth_store_as(desc + attr + 4, 4, 144, s.order);
        synth_store_as(desc + attr + 144 + 4, 4, 64, s.order); /* room of the name, which is "" */
        struct pc_span in = { desc, sizeof(desc) };
        for (unsigned to = 0; to < 2; to++) {
            assert_int_equal(convert_to(&b, &s, in, orders[to], &out), PC_CONVERTED);
            assert_int_equal(out.len, sizeof(desc) - 8);
            desc[config4 + 7] = 1;
            assert_int_equal(convert_to(&b, &s, in, orders[to], &out), PC_CONVERT_UNKNOWN);
            assert_int_equal(b.convert.refusal.at, attr);
            assert_int_equal(b.convert.refusal.len, 144);
            desc[config4 + 7] = 0;
        }
    }
    bench_close(&b);
}

/* In the digest an attr is its known fields, however long it is and wherever it stands. */
static void the_digest_does_not_see_the_size_of_attrs(void **state)
{
    (void)state;
    static struct bytes shorter, longer;
    static struct synth bytes;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = {
            .kind = FEATURE, .number = PC_EVENT_DESC, .order = orders[i], .for_digest = true
        };
        static unsigned char desc[2][4 + 4 + 152 + 4 + 4 + 64 + 8];
        for (unsigned k = 0; k < 2; k++) {
            uint32_t size = k ? 152 : 80;
            unsigned char *p = desc[k];
            memset(p, 0, sizeof(desc[k]));
            synth_store_as(p, 4, 1, s.order);
            synth_store_as(p + 4, 4, size, s.order);
            bytes.order = s.order;
            synth_attr(&bytes, 80, 99); /* the longer one has zeros behind it */
            memcpy(p + 8, bytes.bytes, 80);
            synth_store_as(p + 8 + 4, 4, size, s.order);
            p += 8 + size;
            synth_store_as(p, 4, 1, s.order);      /* nr_ids */
            synth_store_as(p + 4, 4, 64, s.order); /* name */
            memcpy(p + 8, "cycles", 6);
            synth_store_as(p + 72, 8, 42, s.order);
        }
        s.attr_size = 144;
        struct pc_span one = { desc[0], sizeof(desc[0]) - 72 }, two = { desc[1], sizeof(desc[1]) };
        assert_int_equal(convert_to(&b, &s, one, PC_LITTLE, &shorter), PC_CONVERTED);
        assert_int_equal(convert_to(&b, &s, two, PC_LITTLE, &longer), PC_CONVERTED);
        assert_bytes(&s, &shorter, span_of(&longer), "digest");
        assert_int_equal(shorter.len, 8 + 144 + 4 + 68 + 8);
        s.kind = ATTR;
        s.table = pc_attr_fields;
        one = (struct pc_span){ desc[0] + 8, 80 };
        two = (struct pc_span){ desc[1] + 8, 152 };
        assert_int_equal(pc_attr_needs(two, s.order), 144);
        assert_int_equal(convert_to(&b, &s, one, PC_LITTLE, &shorter), PC_CONVERTED);
        assert_int_equal(convert_to(&b, &s, two, PC_LITTLE, &longer), PC_CONVERTED);
        assert_bytes(&s, &shorter, span_of(&longer), "digest");
    }
    bench_close(&b);
}

/* --- what nobody understands --- */

/* Bytes from `at` on are unknown, and the one at `odd` is not zero. */
static void is_refused(struct subject s, const uint64_t *slot, struct pc_span in, size_t at, size_t odd)
{
    static struct bytes out;
    static unsigned char copy[ROOM];
    struct bench b;
    bench_open(&b, slot);
    memcpy(copy, in.ptr, in.len);
    struct pc_span bytes = { copy, in.len };
    /* The order stays: so do the bytes. */
    assert_int_equal(convert_to(&b, &s, bytes, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, in, "kept");
    /* It changes: they are named. */
    assert_int_equal(convert_to(&b, &s, bytes, other(s.order), &out), PC_CONVERT_UNKNOWN);
    const struct pc_refusal *refusal = &b.convert.refusal;
    assert_non_null(refusal->reason);
    assert_true(refusal->at >= at && refusal->at <= odd && odd < refusal->at + refusal->len);
    assert_true(refusal->at + refusal->len <= in.len);
    /* Unless nobody minds. */
    struct pc_convert convert;
    setup(&convert, &b, &s, other(s.order));
    convert.lenient = true;
    assert_int_equal(run(&convert, &s, bytes, &out), PC_CONVERTED);
    assert_int_equal(out.ptr[odd], copy[odd]);
    pc_convert_clear(&convert);
    /* Zeros are the same in both orders. */
    copy[odd] = 0;
    assert_int_equal(convert_to(&b, &s, bytes, other(s.order), &out), PC_CONVERTED);
    assert_int_equal(out.len, in.len);
    bench_close(&b);
}

static void unknown_bytes_of_records(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS];
    fill_slots(slot, PC_S_TIME, 0, 0, PC_FLAG_SAMPLE_ID_ALL);
    /* EVENT_UPDATE of type 9 */
    is_refused((struct subject){ .kind = RECORD, .number = PC_EVENT_UPDATE }, NULL,
               SPAN(78, 0, 0, 0, 0, 0, 32, 0, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0,
                    0, 0, 0),
               24, 27);
    /* CPU_MAP of type 9 */
    is_refused((struct subject){ .kind = RECORD, .number = PC_CPU_MAP }, NULL,
               SPAN(74, 0, 0, 0, 0, 0, 16, 0, 9, 0, 0, 0, 0, 0, 0, 1), 10, 15);
    /* CPU_MAP: a mask of words of 2 bytes */
    is_refused((struct subject){ .kind = RECORD, .number = PC_CPU_MAP }, NULL,
               SPAN(74, 0, 0, 0, 0, 0, 16, 0, 1, 0, 1, 0, 2, 0, 1, 0), 14, 14);
    /* LOST with a word that came later, in front of the time of its trailer */
    is_refused((struct subject){ .kind = RECORD, .number = PC_LOST }, slot,
               SPAN(2, 0, 0, 0, 0, 0, 40, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5,
                    0, 0, 3, 0, 0, 0, 0, 0, 0, 0),
               24, 29);
    /* the same behind a user record */
    is_refused((struct subject){ .kind = RECORD, .number = PC_STAT_ROUND }, NULL,
               SPAN(77, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                    5, 0, 0),
               24, 29);
    /* SCHEDSTAT_DOMAIN of a version that nobody knows */
    is_refused((struct subject){ .kind = RECORD, .number = PC_SCHEDSTAT_DOMAIN }, NULL,
               SPAN(86, 0, 0, 0, 0, 0, 32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 18, 0, 1, 0, 0, 0, 0, 0, 5,
                    0, 0, 0),
               24, 28);
}

/* The same, but without these bytes when they are zeros. */
static void is_refused_few(struct subject s, struct pc_span in)
{
    static struct bytes out;
    static const unsigned char zeros[12];
    struct bench b;
    bench_open(&b, NULL);
    assert_int_equal(convert_to(&b, &s, in, s.order, &out), PC_CONVERTED);
    assert_bytes(&s, &out, in, "kept");
    assert_int_equal(convert_to(&b, &s, in, other(s.order), &out), PC_CONVERT_UNKNOWN);
    for (unsigned to = 0; to < 2; to++) {
        assert_int_equal(convert_to(&b, &s, (struct pc_span){ zeros, 12 }, orders[to], &out), PC_CONVERTED);
        assert_int_equal(out.len, 8);
    }
    bench_close(&b);
}

static void unknown_records_and_features(void **state)
{
    (void)state;
    static struct bytes out;
    static const uint32_t types[] = { 0, PC_USER_TYPES - 1, PC_TYPES - 1, 1000000 };
    static const uint64_t bits[] = { PC_FEATURES, 127, 128, 132, 255 };
    struct bench b;
    struct subject s = { .kind = RECORD };
    struct pc_span record = SPAN(0, 0, 0, 0, 5, 0, 16, 0, 1, 2, 3, 4, 5, 6, 7, 8);
    unsigned char bytes[16];
    bench_open(&b, NULL);
    for (size_t i = 0; i < PC_COUNT_OF(types); i++) {
        memcpy(bytes, record.ptr, 16);
        synth_store_as(bytes, 4, types[i], PC_LITTLE);
        struct pc_span in = { bytes, 16 };
        s.number = types[i];
        s.misc = 5;
        assert_int_equal(convert_to(&b, &s, in, PC_LITTLE, &out), PC_CONVERTED);
        assert_int_equal(out.len, 16);
        assert_memory_equal(out.ptr, bytes, 16);
        assert_int_equal(convert_to(&b, &s, in, PC_BIG, &out), PC_CONVERT_UNKNOWN);
        assert_int_equal(b.convert.refusal.at, 0);
        assert_int_equal(b.convert.refusal.len, 16);
    }
    s = (struct subject){ .kind = FEATURE };
    for (size_t i = 0; i < PC_COUNT_OF(bits); i++) {
        s.number = bits[i];
        assert_int_equal(convert_to(&b, &s, record, PC_LITTLE, &out), PC_CONVERTED);
        assert_int_equal(out.len, 16);
        assert_memory_equal(out.ptr, record.ptr, 16);
        assert_int_equal(convert_to(&b, &s, record, PC_BIG, &out), PC_CONVERT_UNKNOWN);
    }
    bench_close(&b);
    /* A list of CPUs whose number is not known. */
    bench_open(&b, NULL);
    b.capture[0].nr_cpus = 0;
    s.number = PC_CPU_TOPOLOGY;
    assert_int_equal(convert_to(&b, &s, record, PC_LITTLE, &out), PC_CONVERTED);
    assert_memory_equal(out.ptr, record.ptr, 16);
    assert_int_equal(convert_to(&b, &s, record, PC_BIG, &out), PC_CONVERT_UNKNOWN);
    /* Nothing is the same in both orders. */
    s.number = PC_CPUDESC;
    assert_int_equal(convert_to(&b, &s, (struct pc_span){ record.ptr, 0 }, PC_BIG, &out), PC_CONVERTED);
    assert_int_equal(out.len, 0);
    bench_close(&b);
}

static void unknown_bytes_of_attrs_and_features(void **state)
{
    (void)state;
    static struct synth bytes;
    static unsigned char feature[4 + 16 + 240];
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = { .kind = ATTR, .order = orders[i], .attr_size = 160 };
        s.table = pc_attr_fields;
        bytes.order = s.order;
        synth_attr(&bytes, 160, 7);
        bytes.bytes[153] = 0x40; /* 144 bytes are known */
        is_refused(s, NULL, (struct pc_span){ bytes.bytes, 160 }, 144, 153);
        assert_int_equal(pc_attr_needs((struct pc_span){ bytes.bytes, 160 }, s.order), 160);
        bytes.bytes[153] = 0;
        bytes.bytes[151] = 1;
        assert_int_equal(pc_attr_needs((struct pc_span){ bytes.bytes, 160 }, s.order), 152);

        /* The info of a BPF program that is longer than 232 bytes; no data. */
        s = (struct subject){ .kind = FEATURE, .number = PC_BPF_PROG_INFO, .order = orders[i] };
        memset(feature, 0, sizeof(feature));
        synth_store_as(feature, 4, 1, s.order);
        synth_store_as(feature + 4, 4, 240, s.order);
        feature[20 + 235] = 1;
        is_refused(s, NULL, (struct pc_span){ feature, sizeof(feature) }, 20 + 232, 20 + 235);

        /* NRCPUS with something behind it */
        s.number = PC_NRCPUS;
        memset(feature, 0, sizeof(feature));
        synth_store_as(feature, 4, 8, s.order);
        synth_store_as(feature + 4, 4, 7, s.order);
        feature[17] = 3;
        is_refused(s, NULL, (struct pc_span){ feature, 18 }, 8, 17);
        feature[17] = 0;
        feature[9] = 3; /* fewer than 8 bytes are as unknown */
        is_refused_few(s, (struct pc_span){ feature, 12 });
    }
}

static void what_is_cut_is_damaged(void **state)
{
    (void)state;
    static struct bytes out;
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned to = 0; to < 2; to++) {
        struct subject string = { .kind = FEATURE, .number = PC_HOSTNAME };
        struct subject config = { .kind = RECORD, .number = PC_STAT_CONFIG };
        struct subject attr = { .kind = ATTR, .attr_size = 144 };
        struct pc_span record = SPAN(75, 0, 0, 0, 0, 0, 16, 0, 1, 0, 0, 0, 0, 0, 0, 0);
        unsigned char bytes[66] = { 1, 0, 0, 0, 66 };
        assert_int_equal(convert_to(&b, &string, SPAN(9, 0, 0, 0, 'h', 'o', 's', 't', 0), orders[to], &out),
                         PC_CONVERT_DAMAGED);
        assert_int_equal(convert_to(&b, &attr, (struct pc_span){ bytes, 66 }, orders[to], &out),
                         PC_CONVERT_DAMAGED);
        /* A record stays as it is while its order stays. */
        enum pc_outcome outcome = convert_to(&b, &config, record, orders[to], &out);
        assert_int_equal(outcome, orders[to] == PC_LITTLE ? PC_CONVERTED : PC_CONVERT_DAMAGED);
        if (outcome == PC_CONVERTED)
            assert_bytes(&config, &out, record, "kept");
    }
    bench_close(&b);
}

/* --- memory --- */

struct pieces {
    unsigned char *ptr;
    size_t len, room;
    unsigned nr;
};

static void take_piece(void *ctx, const unsigned char *bytes, size_t n)
{
    struct pieces *p = ctx;
    assert_true(n <= p->room - p->len);
    memcpy(p->ptr + p->len, bytes, n);
    p->len += n;
    p->nr++;
}

/* BPF_BTF with entries of all sizes around what is handed over at once. */
static void large_features_come_in_pieces(void **state)
{
    (void)state;
    static const uint32_t sizes[] = { 0, 1, 65535, 65536, 65537, 3, 400000, 8 };
    const size_t room = 1 << 20;
    unsigned char *in = calloc(1, room), *expected = calloc(1, room), *out = calloc(1, room);
    struct bench b;
    struct pc_convert convert;
    size_t at = 4;
    uint64_t random = 77;
    assert_true(in && expected && out);
    synth_store_as(in, 4, PC_COUNT_OF(sizes), PC_LITTLE);
    synth_store_as(expected, 4, PC_COUNT_OF(sizes), PC_BIG);
    for (uint32_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        synth_store_as(in + at, 4, 100 + i, PC_LITTLE);
        synth_store_as(in + at + 4, 4, sizes[i], PC_LITTLE);
        synth_store_as(expected + at, 4, 100 + i, PC_BIG);
        synth_store_as(expected + at + 4, 4, sizes[i], PC_BIG);
        at += 8;
        for (uint32_t k = 0; k < sizes[i]; k++, at++)
            in[at] = expected[at] = (unsigned char)synth_random(&random);
    }
    bench_open(&b, NULL);
    uint64_t before = mem.used;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct pieces pieces = { out, 0, room, 0 };
        pc_convert_init(&convert, &b.capture[0], PC_BIG);
        mem.calls = 0;
        mem.fail_at = n;
        enum pc_outcome outcome =
            pc_convert_feature(&convert, PC_BPF_BTF, (struct pc_span){ in, at }, take_piece, &pieces);
        done = mem.calls < n;
        assert_int_equal(outcome, done ? PC_CONVERTED : PC_CONVERT_NO_MEMORY);
        if (done) {
            assert_true(pieces.nr > 1 && pieces.len == at);
            assert_memory_equal(out, expected, at);
            assert_true(n > 2); /* it did allocate, and more than once */
        }
        pc_convert_clear(&convert);
        assert_int_equal(mem.used, before);
    }
    mem.fail_at = 0;
    bench_close(&b);
    free(in);
    free(expected);
    free(out);
}

/* TRACING_DATA of version 0.5 in an order, with so many letters of kallsyms and a word of printk behind them.
 */
static size_t put_trace_data(unsigned char *to, enum pc_order order, size_t letters)
{
    static const char name[] = "\x17\x08\x44tracing0.5", page[] = "header_page", event[] = "header_event";
    size_t at = sizeof(name);
    memcpy(to, name, at);
    to[at] = order == PC_BIG;
    to[at + 1] = 8;
    synth_store_as(to + at + 2, 4, 4096, order);
    memcpy(to + at + 6, page, sizeof(page)); /* with nothing in it */
    at += 6 + sizeof(page) + 8;
    memcpy(to + at, event, sizeof(event));
    at += sizeof(event) + 8 + 4 + 4; /* neither this, nor events of ftrace, nor systems */
    synth_store_as(to + at, 4, letters, order);
    memset(to + at + 4, 'k', letters);
    at += 4 + letters;
    synth_store_as(to + at, 4, 3, order);
    memcpy(to + at + 4, "p\nq", 3);
    return at + 7;
}

/* Text of any length is no copy of ours; what stands behind it is converted all the same. */
static void fields_behind_a_large_text_are_converted(void **state)
{
    (void)state;
    const size_t letters[] = { 10, 65536, 65537, 200000 }, room = 1 << 18;
    unsigned char *in = malloc(room), *expected = malloc(room), *out = malloc(room);
    struct bench b;
    assert_true(in && expected && out);
    bench_open(&b, NULL);
    for (size_t i = 0; i < PC_COUNT_OF(letters); i++) {
        struct pieces pieces = { out, 0, room, 0 };
        struct pc_convert convert;
        memset(in, 0, room);
        memset(expected, 0, room);
        size_t len = put_trace_data(in, PC_LITTLE, letters[i]);
        assert_int_equal(put_trace_data(expected, PC_BIG, letters[i]), len);
        pc_convert_init(&convert, &b.capture[0], PC_BIG);
        assert_int_equal(
            pc_convert_feature(&convert, PC_TRACING_DATA, (struct pc_span){ in, len }, take_piece, &pieces),
            PC_CONVERTED);
        assert_int_equal(pieces.len, len);
        assert_memory_equal(out, expected, len);
        pc_convert_clear(&convert);
    }
    bench_close(&b);
    free(in);
    free(expected);
    free(out);
}

static unsigned failures;

static void examine_memory(struct bench *b, const struct subject *s, struct synth *bytes)
{
    static struct bytes out;
    struct pc_span in = { bytes->bytes, bytes->len };
    uint64_t before = mem.used;
    bool done = false;
    if (s->kind == RECORD && is_of_container((uint32_t)s->number))
        return;
    for (uint64_t n = 1; !done; n++) {
        struct pc_convert convert;
        mem.calls = 0;
        mem.fail_at = n;
        setup(&convert, b, s, other(s->order));
        enum pc_outcome outcome = run(&convert, s, in, &out);
        done = mem.calls < n;
        if (!done && outcome != PC_CONVERT_NO_MEMORY)
            fail_msg("%s: allocation %llu fails and outcome is %d", name_of(s), (unsigned long long)n,
                     outcome);
        if (!done)
            failures++;
        else
            assert_int_equal(outcome, PC_CONVERTED);
        pc_convert_clear(&convert);
        assert_int_equal(mem.used, before);
    }
    mem.fail_at = 0;
}

static void no_memory_is_said(void **state)
{
    (void)state;
    seed = 6000;
    failures = 0;
    each_record_type(examine_memory, 2);
    each_feature(examine_memory, 2, false);
    each_attr(examine_memory);
    assert_true(failures > 100);
}

/* --- main --- */

static int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, (uint64_t)64 << 20);
    return 0;
}

#define TEST(f) cmocka_unit_test_setup(f, set_up)
static const struct CMUnitTest tests[] = {
    TEST(records_keep_every_value),
    TEST(features_keep_every_value),
    TEST(attrs_keep_every_value),
    TEST(a_changed_bit_of_content_shows),
    TEST(a_changed_bit_of_padding_does_not),
    TEST(every_word_of_an_attr),
    TEST(parts_of_a_sample),
    TEST(records_of_the_kernel),
    TEST(records_of_perf),
    TEST(maps_of_cpus),
    TEST(counters_of_the_scheduler),
    TEST(lists_of_features),
    TEST(programs_of_bpf),
    TEST(payload_of_a_tracepoint),
    TEST(a_payload_without_a_format_is_said),
    TEST(a_payload_that_would_be_misread_is_refused),
    TEST(strings_get_the_padding_of_perf),
    TEST(left_overs_behind_strings_go),
    TEST(left_overs_of_one_record_are_not_those_of_the_next),
    TEST(left_overs_that_are_not_zero_are_refused_where_they_begin),
    TEST(a_record_without_room_for_its_padding_is_refused),
    TEST(samples_of_integers_are_swapped_without_a_walk),
    TEST(sizes_become_multiples_of_8),
    TEST(an_attr_grows_to_the_size_of_the_largest),
    TEST(an_attr_in_event_desc_loses_no_member_that_is_set),
    TEST(the_digest_does_not_see_the_size_of_attrs),
    TEST(unknown_bytes_of_records),
    TEST(unknown_records_and_features),
    TEST(unknown_bytes_of_attrs_and_features),
    TEST(what_is_cut_is_damaged),
    TEST(large_features_come_in_pieces),
    TEST(fields_behind_a_large_text_are_converted),
    TEST(no_memory_is_said),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
