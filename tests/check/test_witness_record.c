/* SPDX-License-Identifier: MIT
 *
 * Each bit of a record that was made counts: its content is that of the original, and its padding is zero.
 */
#include "witness_bench.h"
#include "check/witness_record.h"
#include "write/convert.h"

static struct pc_plain plain[2];

static void begin(const char *path)
{
    begin_scan(path);
    pc_plain_init(&plain[0], &scan.mem);
    pc_plain_init(&plain[1], &scan.mem);
}

/* The first record after the attr of a capture in pipe mode, which these members of the attr and this line
 * make. */
static struct pc_item first_record(const char *attr, const char *record)
{
    char recipe[512], path[SCRATCH_PATH];
    struct pc_item item;
    snprintf(recipe, sizeof(recipe), "expect: valid\npipe\nattr type=1 config=0 sample_period=1000 %s\n%s\n",
             attr, record);
    scratch_path(path, "in");
    assemble(recipe, path);
    begin(path);
    do
        assert_true(pc_scan_next(&scan, &item));
    while (item.kind != PC_ITEM_RECORD || item.type == PC_HEADER_ATTR);
    return item;
}

static void end(void)
{
    pc_plain_clear(&plain[0]);
    pc_plain_clear(&plain[1]);
    end_scan();
}

/* Bytes of records in which each bit was tried. */
static unsigned long tried;

static void expect_all_to_count(const struct pc_item *item)
{
    static unsigned char made[65536];
    const enum pc_order order = scan.capture.order;
    struct pc_span own = { made, item->bytes.len };
    memcpy(made, item->bytes.ptr, item->bytes.len);
    bool by_plan = scan.check.judge.facts.by_plan;
    assert_true(pc_witness_record(plain, &scan.capture, item, by_plan, own, order));
    for (size_t at = 0; at < own.len; at++) {
        unsigned char was = made[at];
        made[at] ^= (unsigned char)(1U << (at + item->number) % 8);
        if (pc_witness_record(plain, &scan.capture, item, by_plan, own, order))
            fail_msg("record %lu of type %u: byte %zu", (unsigned long)item->number, item->type, at);
        made[at] = was;
    }
    tried += own.len;
}

static void each_byte_of_a_made_record_counts(void **state)
{
    (void)state;
    static const char *const names[] = { "7.2-cpuclock.data", "6.1-fp.data", "s390x-72-trace.data",
                                         "7.2-statrec.data", "7.2-pipe.pipe" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        char path[128];
        struct pc_item item;
        snprintf(path, sizeof(path), "corpus/real/%s", names[i]);
        begin(path);
        while (pc_scan_next(&scan, &item)) {
            if (item.kind == PC_ITEM_RECORD && item.number < 120 && item.bytes.len <= 512 &&
                item.bytes.len % 8 == 0 && !pc_record_is(item.type, PC_OF_CONTAINER))
                expect_all_to_count(&item);
        }
        end();
    }
    assert_true(tried > 20000);
}

/* Reserved words and what follows a build id, which a copy in the same order has to clear. */
static void what_means_nothing_is_zero(void **state)
{
    (void)state;
    static const struct {
        const char *record;
        size_t at, len; /* of what means nothing */
    } cases[] = {
        { "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 1 7 ; end", 28, 4 },
        { "record COMM ; u32 100 100 ; text \"work\\0xyz\" ; end", 21, 3 },
        { "record MMAP2 misc=USER|MMAP_BUILD_ID ; u32 100 100 ; u64 0x400000 0x1000 0 ; u8 8 0 0 0 ; bytes "
          "0102030405060708090a0b0c0d0e0f1011121314 ; u32 5 2 ; str \"/bin/one\" ; end",
          52, 12 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        unsigned char made[256];
        struct pc_item item = first_record("sample_type=IP|TID|CPU flags=disabled", cases[i].record);
        struct pc_span own = { made, item.bytes.len };
        memcpy(made, item.bytes.ptr, item.bytes.len);
        bool by_plan = scan.check.judge.facts.by_plan;
        assert_false(pc_witness_record(plain, &scan.capture, &item, by_plan, item.bytes, scan.capture.order));
        memset(made + cases[i].at, 0, cases[i].len);
        assert_true(pc_witness_record(plain, &scan.capture, &item, by_plan, own, scan.capture.order));
        end();
    }
}

/* Without so many bytes at a place, in the order of the capture. */
static bool is_made_of(const struct pc_item *item, size_t at, size_t cut)
{
    static unsigned char made[2048];
    const enum pc_order order = scan.capture.order;
    struct pc_record_head head = pc_load_head(item->bytes.ptr, order);
    struct pc_span own = { made, item->bytes.len - cut };
    head.size = (uint16_t)own.len;
    memcpy(made, item->bytes.ptr, at);
    memcpy(made + at, item->bytes.ptr + at + cut, own.len - at);
    pc_store_head(made, head, order);
    return pc_witness_record(plain, &scan.capture, item, scan.check.judge.facts.by_plan, own, order);
}

/* Zeros beyond the padding of a string, or between the fields and the trailer, which a copy has not. */
static void padding_is_no_longer_than_needed(void **state)
{
    (void)state;
    static const struct {
        const char *record;
        size_t at, len; /* of the zeros */
    } cases[] = {
        { "record COMM ; u32 100 100 ; str 1024 \"work\" ; u32 100 100 1 0 ; end", 24, 1016 },
        { "record BPF_EVENT ; u16 1 0 ; u32 7 ; bytes 0102030405060708 ; zero 16 ; u32 100 100 1 0 ; end", 24,
          16 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        struct pc_item item =
            first_record("sample_type=IP|TID|CPU flags=disabled|sample_id_all", cases[i].record);
        assert_false(is_made_of(&item, cases[i].at, 0));
        assert_false(is_made_of(&item, cases[i].at, cases[i].len - 8));
        assert_true(is_made_of(&item, cases[i].at, cases[i].len));
        end();
    }
}

/* Nobody knows what such bytes are in the other order. */
static void unknown_bytes_have_one_order(void **state)
{
    (void)state;
    static const char *const records[] = { "record 100 ; u64 0 ; end\nrecord FINISHED_ROUND ; end",
                                           "record 100 ; u64 1 ; end\nrecord FINISHED_ROUND ; end" };
    for (unsigned set = 0; set < 2; set++) {
        unsigned char made[64];
        struct pc_item item = first_record("sample_type=IP|TID", records[set]);
        assert_true(pc_witness_record(plain, &scan.capture, &item, false, item.bytes, PC_LITTLE));
        memcpy(made, item.bytes.ptr, item.bytes.len);
        pc_store_head(made, pc_load_head(made, PC_LITTLE), PC_BIG);
        struct pc_span other = { made, item.bytes.len };
        assert_int_equal(pc_witness_record(plain, &scan.capture, &item, false, other, PC_BIG), set == 0);
        end();
    }
}

/* Samples in the other order, which are compared by the walk of the first of their size. Bytes that are right
 * before it and wrong after it count, and so do words that were swapped with another width. */
static void each_byte_of_converted_samples_counts(void **state)
{
    (void)state;
    static const char *const paths[] = { "corpus/real/6.1-fp.data", "corpus/real/s390x-72-exclusive.data" };
    static struct pc_shape shapes[PC_SHAPES];
    static struct pc_convert convert;
    for (size_t i = 0; i < PC_COUNT_OF(paths); i++) {
        unsigned samples = 0;
        struct pc_item item;
        begin(paths[i]);
        memset(shapes, 0, sizeof(shapes));
        enum pc_order to = i == 0 ? PC_BIG : PC_LITTLE;
        pc_convert_init(&convert, &scan.capture, to);
        while (pc_scan_next(&scan, &item)) {
            static unsigned char made[65536];
            struct pc_span bytes, none = { item.bytes.ptr, 0 };
            if (item.kind != PC_ITEM_RECORD || item.type != PC_SAMPLE || !scan.check.judge.facts.by_plan ||
                samples == 40)
                continue;
            assert_int_equal(pc_convert_record(&convert, &item, &bytes), PC_CONVERTED);
            memcpy(made, bytes.ptr, bytes.len);
            assert_true(pc_witness_samples(shapes, plain, &scan.capture, none, made, to));
            for (unsigned again = 0; again < 2; again++)
                assert_true(pc_witness_samples(shapes, plain, &scan.capture, item.bytes, made, to));
            for (size_t at = 0; at < bytes.len; at++) {
                made[at] ^= (unsigned char)(1U << (at + item.number) % 8);
                if (pc_witness_samples(shapes, plain, &scan.capture, item.bytes, made, to))
                    fail_msg("%s: sample %u: byte %zu", paths[i], samples, at);
                made[at] ^= (unsigned char)(1U << (at + item.number) % 8);
            }
            for (size_t at = 8; at + 8 <= bytes.len; at += 8) {
                unsigned char was[8];
                memcpy(was, made + at, 8);
                memcpy(made + at, was + 4, 4);
                memcpy(made + at + 4, was, 4);
                bool differs = memcmp(made + at, was, 8) != 0;
                if (pc_witness_samples(shapes, plain, &scan.capture, item.bytes, made, to) == differs)
                    fail_msg("%s: sample %u: word at %zu", paths[i], samples, at);
                memcpy(made + at, was, 8);
            }
            samples++;
        }
        assert_true(samples > 5);
        pc_convert_clear(&convert);
        end();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_byte_of_converted_samples_counts), cmocka_unit_test(what_means_nothing_is_zero),
    cmocka_unit_test(padding_is_no_longer_than_needed),      cmocka_unit_test(unknown_bytes_have_one_order),
    cmocka_unit_test(each_byte_of_a_made_record_counts),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };
