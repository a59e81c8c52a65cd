/* SPDX-License-Identifier: MIT
 *
 * Each bit of a record that was made counts: its content is that of the original, and its padding is zero.
 * So does each entry of BUILD_ID.
 */
#include "pc_test.h"
#include "check/witness.h"
#include "scan_whole.h"
#include "captures.h"

#include <string.h>

static struct pc_scan scan;
static struct pc_policy policy;
static struct pc_plain plain[2];

/* Bytes of records in which each bit was tried. */
static unsigned long tried;

static void expect_all_to_count(const struct pc_item *item)
{
    static unsigned char made[65536];
    const enum pc_order order = scan.capture.order;
    struct pc_span own = { made, item->bytes.len };
    memcpy(made, item->bytes.ptr, item->bytes.len);
    bool by_plan = scan.check.by_plan;
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
        struct pc_limits limits;
        struct pc_item item;
        snprintf(path, sizeof(path), "corpus/real/%s", names[i]);
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        pc_plain_init(&plain[0], &scan.mem);
        pc_plain_init(&plain[1], &scan.mem);
        assert_true(pc_scan_open(&scan, path));
        while (pc_scan_next(&scan, &item)) {
            if (item.kind == PC_ITEM_RECORD && item.number < 120 && item.bytes.len <= 512 &&
                item.bytes.len % 8 == 0 && !pc_record_is(item.type, PC_OF_CONTAINER))
                expect_all_to_count(&item);
        }
        pc_plain_clear(&plain[0]);
        pc_plain_clear(&plain[1]);
        pc_scan_end(&scan);
        pc_scan_clear(&scan);
    }
    assert_true(tried > 20000);
}

static uint64_t left_out(const void *ctx, uint64_t bit)
{
    return bit == PC_BUILD_ID ? *(const uint64_t *)ctx : 0;
}

/* Entries that the copy lacks are as many as were left out, or fewer. */
static void each_build_id_counts(void **state)
{
    (void)state;
    static struct pc_witness original, copy;
    static const struct {
        const char *copied;
        uint64_t least; /* that must have been left out; UINT64_MAX: whatever was */
    } rows[] = {
        { "abc", 0 },         { "ab", 1 },         { "ac", 1 },
        { "bc", 1 },          { "a", 2 },          { "", 3 },
        { "ba", UINT64_MAX }, { "d", UINT64_MAX }, { "abcd", UINT64_MAX },
    };
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        pc_witness_init(&original, &mem);
        pc_witness_init(&copy, &mem);
        for (const char *c = "abc"; *c; c++)
            assert_true(pc_set_add(&mem, &original.build_ids, &(struct pc_sum){ { (unsigned char)*c } }));
        for (const char *c = rows[i].copied; *c; c++)
            assert_true(pc_set_add(&mem, &copy.build_ids, &(struct pc_sum){ { (unsigned char)*c } }));
        for (uint64_t times = 0; times < 5; times++) {
            uint64_t bit;
            bool alike = pc_witness_compare(&original, &copy, left_out, &times, &bit) == PC_ALIKE;
            if (alike != (times >= rows[i].least))
                fail_msg("row %zu, %u times", i, (unsigned)times);
        }
        pc_witness_clear(&original);
        pc_witness_clear(&copy);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_build_id_counts),
    cmocka_unit_test(each_byte_of_a_made_record_counts),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
