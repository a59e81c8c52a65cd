/* SPDX-License-Identifier: MIT
 *
 * Conversions for tests, and everything that the tables can make.
 */
#include "convert_bench.h"

struct pc_mem mem;

int begin_test(void **state)
{
    (void)state;
    pc_mem_init(&mem, (uint64_t)64 << 20);
    return 0;
}

void bench_open(struct bench *b, const uint64_t *slot)
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

void bench_close(struct bench *b)
{
    for (unsigned order = 0; order < 2; order++)
        pc_capture_clear(&b->capture[order]);
    assert_int_equal(mem.used, 0);
}

void fill_slots(uint64_t *slot, uint64_t sample_type, uint64_t read_format, uint64_t branch, uint64_t flags)
{
    memset(slot, 0, PC_SLOTS * sizeof(*slot));
    slot[PC_ATTR_SAMPLE_TYPE] = sample_type;
    slot[PC_ATTR_READ_FORMAT] = read_format;
    slot[PC_ATTR_BRANCH_TYPE] = branch;
    slot[PC_ATTR_FLAGS] = flags;
    slot[PC_ATTR_REGS_USER] = 0x8000000000000005;
    slot[PC_ATTR_REGS_INTR] = 0x11;
}

void put(struct bytes *b, const void *ptr, size_t n)
{
    assert_true(n <= ROOM - b->len);
    if (n != 0)
        memcpy(b->ptr + b->len, ptr, n);
    b->len += n;
}

void take(void *ctx, const unsigned char *bytes, size_t n)
{
    put(ctx, bytes, n);
}

struct pc_span span_of(const struct bytes *b)
{
    return (struct pc_span){ b->ptr, b->len };
}

const char *name_of(const struct subject *s)
{
    return s->kind == ATTR     ? "attr"
           : s->kind == RECORD ? pc_record_info((uint32_t)s->number)->name
                               : pc_feature_info(s->number)->name;
}

void setup(struct pc_convert *convert, struct bench *b, const struct subject *s, enum pc_order to)
{
    pc_convert_init(convert, &b->capture[s->order == PC_BIG], to);
    convert->attr_size = s->attr_size ? s->attr_size : 144;
    convert->for_digest = s->for_digest;
}

enum pc_outcome run(struct pc_convert *convert, const struct subject *s, struct pc_span in, struct bytes *out)
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

enum pc_outcome convert_to(struct bench *b, const struct subject *s, struct pc_span in, enum pc_order to,
                           struct bytes *out)
{
    struct pc_convert convert;
    setup(&convert, b, s, to);
    enum pc_outcome outcome = run(&convert, s, in, out);
    b->convert = convert;
    pc_convert_clear(&convert);
    return outcome;
}

void assert_bytes(const struct subject *s, const struct bytes *seen, struct pc_span expected,
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

bool is_of_container(uint32_t type)
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

uint64_t seed;

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

void each_record_type(examine *f, unsigned variants)
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

void each_sample(examine *f)
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

void each_feature(examine *f, unsigned variants, bool for_digest)
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

void each_attr(examine *f)
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
