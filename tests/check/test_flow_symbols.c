/* SPDX-License-Identifier: MIT
 *
 * Symbols of BPF programs, when there are more than the rule remembers.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void put_symbol(uint64_t address, bool goes)
{
    RECORD(PC_KSYMBOL, address, (uint64_t)goes << 48 | (uint64_t)1 << 32 | 64, 'a', 0, 1);
}

static void with_too_many_symbols_none_is_reported_missing(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) {
        begin();
        put_symbol(1, true); /* which never came */
        for (uint64_t i = 2; i <= 8192 + more; i++)
            put_symbol(i, false);
        run();
        assert_int_equal(scan.report.by_id[PC_D_KSYMBOL_UNREGISTER], !more);
        pc_scan_clear(&scan);
    }
}

/* Addresses chosen so that their places collide: as many as a search looks at, and one more. */
static void a_symbol_is_not_forgotten_when_many_collide(void **state)
{
    (void)state;
    static uint64_t address[300];
    uint64_t inverse = 1;
    size_t nr = 0;
    const uint64_t factor = 0x9e3779b97f4a7c15; /* of base/set.c */
    for (int i = 0; i < 6; i++)
        inverse *= 2 - factor * inverse;
    assert_true(inverse * factor == 1);
    for (uint64_t i = 0; i < 65; i++)
        address[nr++] = inverse * ((uint64_t)192 << 56 | (1 + i));
    for (uint64_t i = 100; nr < PC_COUNT_OF(address); i++)
        address[nr++] = inverse * (i % 190 << 56 | i << 40);
    begin();
    for (size_t i = 0; i < nr; i++)
        put_symbol(address[i], false);
    for (size_t i = 0; i < nr; i++)
        put_symbol(address[i], true);
    run();
    assert_int_equal(scan.report.by_id[PC_D_KSYMBOL_UNREGISTER], 0);
    assert_true(scan.check.flow.work < 100 * nr); /* it is full, and nothing is tried again */
    pc_scan_clear(&scan);
    /* While there is room, symbols that never came are reported; afterwards they may have come unnoticed. */
    for (size_t more = 0; more < 2; more++) {
        begin();
        put_symbol(1, true);
        for (size_t i = 0; i < 64 + more; i++)
            put_symbol(address[i], false);
        put_symbol(2, true);
        run();
        assert_int_equal(scan.report.by_id[PC_D_KSYMBOL_UNREGISTER], more ? 0 : 2);
        pc_scan_clear(&scan);
    }
}

static uint64_t ksymbol(uint64_t address, uint64_t type, uint64_t flags)
{
    begin_record(PC_KSYMBOL);
    put(address, 8);
    put(64, 4);
    put(type, 2);
    put(flags, 2);
    put_text("a", 8);
    put(0, 8);
    put(1, 8);
    return end_record();
}

static void a_symbol_comes_before_it_goes(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        ksymbol(0x10, 1, 1);
        assert_int_equal(counted(PC_D_KSYMBOL_UNREGISTER), 0); /* perf saw no program come */
        ksymbol(0x20, 1, 0);
        ksymbol(0x20, 1, 1);
        ksymbol(0x30, 2, 1); /* not of a BPF program */
        ksymbol(0, 1, 1);
        assert_int_equal(counted(PC_D_KSYMBOL_UNREGISTER), 1);
        assert_int_equal(first.seen.n, 0x10);
        uint64_t at = ksymbol(0x40, 1, 1);
        assert_int_equal(counted(PC_D_KSYMBOL_UNREGISTER), 2);
        ksymbol(0x10, 1, 0); /* it came once: nothing says in which order */
        assert_int_equal(counted(PC_D_KSYMBOL_UNREGISTER), 1);
        assert_int_equal(first.offset, at);
        assert_int_equal(first.length, 25);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(with_too_many_symbols_none_is_reported_missing),
    cmocka_unit_test(a_symbol_is_not_forgotten_when_many_collide),
    cmocka_unit_test(a_symbol_comes_before_it_goes),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
