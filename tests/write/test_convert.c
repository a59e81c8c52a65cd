/* SPDX-License-Identifier: MIT
 *
 * Canonical bytes in both orders: every table against a slow model of its own, one-bit changes, and every
 * allocation that can fail.
 */
#include "convert_rows.h"

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
    /* A NUL ends the text, whatever follows. */
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

/* --- memory --- */

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

/* --- attrs, and what all kinds have in common, by hand --- */

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

/* In the digest an attr is its known fields, whatever its size and place. */
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
            synth_attr(&bytes, 80, 99); /* the longer one has zeros after it */
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

static void unknown_records_and_features(void **state)
{
    (void)state;
    static struct bytes out;
    static const uint32_t types[] = { 0, PC_USER_TYPES - 1, PC_TYPES - 1, 1000000 };
    static const uint64_t bits[] = { PC_FEATURES, 127, 135, 255 };
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

/* Attrs of 128 bytes in a room of 144; the first odd bytes are what is refused, whatever comes later. */
static void the_first_unknown_bytes_are_refused(void **state)
{
    (void)state;
    static struct bytes out;
    static unsigned char desc[8 + 2 * (144 + 4 + 68)], programs[4 + 2 * (16 + 240)];
    struct bench b;
    bench_open(&b, NULL);
    for (unsigned i = 0; i < 2; i++) {
        struct subject s = { .kind = FEATURE, .number = PC_EVENT_DESC, .order = orders[i], .attr_size = 144 };
        synth_store_as(desc, 4, 2, s.order);
        synth_store_as(desc + 4, 4, 144, s.order);
        for (unsigned k = 0; k < 2; k++) {
            unsigned char *entry = desc + 8 + (size_t)k * (144 + 4 + 68);
            synth_store_as(entry + 4, 4, 128, s.order);
            entry[128 + 5 + k] = 7;
            synth_store_as(entry + 148, 4, 64, s.order); /* room of the name, which is "" */
        }
        for (unsigned to = 0; to < 2; to++) {
            struct pc_span in = { desc, sizeof(desc) };
            assert_int_equal(convert_to(&b, &s, in, orders[to], &out), PC_CONVERT_UNKNOWN);
            assert_int_equal(b.convert.refusal.at, 8 + 128 + 5);
            assert_int_equal(b.convert.refusal.len, 16 - 5);
        }
        s.number = PC_BPF_PROG_INFO;
        synth_store_as(programs, 4, 2, s.order);
        for (unsigned k = 0; k < 2; k++) {
            unsigned char *program = programs + 4 + (size_t)k * (16 + 240);
            synth_store_as(program, 4, 240, s.order);
            program[16 + 232 + 3 + k] = 1;
        }
        struct pc_span in = { programs, sizeof(programs) };
        assert_int_equal(convert_to(&b, &s, in, other(s.order), &out), PC_CONVERT_UNKNOWN);
        assert_int_equal(b.convert.refusal.at, 4 + 16 + 232 + 3);
        assert_int_equal(b.convert.refusal.len, 8 - 3);
    }
    bench_close(&b);
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

/* BPF_BTF with one entry, of 128 KiB and one byte more: the first fills the first buffer to its last byte.
 * The second needs one of twice the size. */
static void a_larger_buffer_is_taken_when_it_must_be(void **state)
{
    (void)state;
    const size_t room = (size_t)128 << 10;
    for (size_t len = room; len <= room + 1; len++) {
        unsigned char *in = calloc(1, len), *out = calloc(1, len);
        struct pieces pieces = { out, 0, len, 0 };
        struct pc_convert convert;
        struct bench b;
        assert_true(in && out);
        synth_store_as(in, 4, 1, PC_LITTLE);
        synth_store_as(in + 4, 4, 100, PC_LITTLE);
        synth_store_as(in + 8, 4, len - 12, PC_LITTLE);
        bench_open(&b, NULL);
        pc_convert_init(&convert, &b.capture[0], PC_BIG);
        mem.limit = mem.used + room;
        enum pc_outcome outcome =
            pc_convert_feature(&convert, PC_BPF_BTF, (struct pc_span){ in, len }, take_piece, &pieces);
        assert_int_equal(outcome, len == room ? PC_CONVERTED : PC_CONVERT_NO_MEMORY);
        assert_int_equal(pieces.len, len == room ? len : 0);
        pc_convert_clear(&convert);
        bench_close(&b);
        free(in);
        free(out);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(records_keep_every_value),
    TEST(features_keep_every_value),
    TEST(attrs_keep_every_value),
    TEST(a_changed_bit_of_content_shows),
    TEST(a_changed_bit_of_padding_does_not),
    TEST(no_memory_is_said),
    TEST(every_word_of_an_attr),
    TEST(an_attr_grows_to_the_size_of_the_largest),
    TEST(the_digest_does_not_see_the_size_of_attrs),
    TEST(unknown_records_and_features),
    TEST(the_first_unknown_bytes_are_refused),
    TEST(what_is_cut_is_damaged),
    TEST(a_larger_buffer_is_taken_when_it_must_be),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
