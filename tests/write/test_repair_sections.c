/* SPDX-License-Identifier: MIT
 *
 * Bytes that are the content of a feature, and others.
 */
#include "repair_bench.h"
#include "write/repair_parts.h"

static const struct pc_layout none;

static bool has(uint64_t bit, size_t len)
{
    const struct pc_span bytes = { in.p, len };
    return pc_repair_has_content(in.order, &none, bit, bytes, pc_repair_is_sound, NULL);
}

static void content_ends_where_the_bytes_end(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        in.len = 0;
        put(4, 4);
        memcpy(in.p + in.len, "x\0\0\0", 5);
        assert_true(has(PC_HOSTNAME, 8));
        assert_false(has(PC_HOSTNAME, 7));
        assert_false(has(PC_HOSTNAME, 9));
        assert_false(has(PC_NRCPUS, 8)); /* more are online than there are */
    }
}

static void any_bytes_do_not_tell_what_they_are(void **state)
{
    (void)state;
    assert_true(pc_repair_tells(PC_NRCPUS));
    assert_false(pc_repair_tells(PC_FEATURES));
    assert_false(pc_repair_tells(PC_FEATURE_BITS));
}

static void a_section_is_looked_at_where_it_is(void **state)
{
    (void)state;
    static const unsigned bits[NR] = { PC_HOSTNAME, PC_OSRELEASE, PC_VERSION,    PC_ARCH,
                                       PC_NRCPUS,   PC_CPUDESC,   PC_SAMPLE_TIME };
    IN_BOTH_ORDERS
    {
        static struct pc_salvage s;
        s = (struct pc_salvage){ .no_memory = false };
        pc_mem_init(&s.mem, 1 << 20);
        begin_with_names();
        memcpy(s.named, (uint64_t[]){ NAMED_STRINGS | NAMED_NUMBERS }, 8);
        pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
        struct repair r = { .s = &s, .in = &s.in, .order = in.order };
        for (uint64_t i = 0; i < NR; i++) {
            const uint64_t bit = pc_nth_feature(s.named, i);
            assert_int_equal(bit, bits[i]);
            const unsigned char *entry = in.p + TABLE + PC_SECTION_SIZE * i;
            const uint64_t at = pc_load(entry, 8, in.order), size = pc_load(entry + 8, 8, in.order);
            assert_true(pc_repair_has_section(&r, &none, bit, at, size, pc_repair_is_sound, NULL));
            assert_false(pc_repair_has_section(&r, &none, bit, at, size - 1, pc_repair_is_sound, NULL));
            assert_false(pc_repair_has_section(&r, &none, bit, in.len, size, pc_repair_is_sound, NULL));
            assert_false(pc_repair_has_section(&r, &none, bit, at, UINT64_MAX, pc_repair_is_sound, NULL));
        }
        assert_int_equal(s.mem.used, 0);
        assert_false(s.no_memory);
    }
}

static void sound_nrcpus_tell_the_numbers_of_cpus(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        struct pc_layout layout = none;
        in.len = 0;
        put(3, 4);
        put(4, 4);
        pc_repair_learn_cpus(in.order, &layout, (struct pc_span){ in.p, 8 });
        assert_int_equal(layout.slot[PC_SLOT_NR_CPUS], 0);
        in.len = 0;
        put(4, 4);
        put(3, 4);
        pc_repair_learn_cpus(in.order, &layout, (struct pc_span){ in.p, 8 });
        assert_int_equal(layout.slot[PC_SLOT_NR_CPUS], 4);
        assert_int_equal(layout.slot[PC_SLOT_NR_ONLINE], 3);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(content_ends_where_the_bytes_end),
    cmocka_unit_test(any_bytes_do_not_tell_what_they_are),
    cmocka_unit_test(a_section_is_looked_at_where_it_is),
    cmocka_unit_test(sound_nrcpus_tell_the_numbers_of_cpus),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
