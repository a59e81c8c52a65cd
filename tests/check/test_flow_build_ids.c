/* SPDX-License-Identifier: MIT
 *
 * Build ids of one file: their number is limited, and the report says so.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void put_build_id(uint64_t id)
{
    RECORD(USER | PC_HEADER_BUILD_ID, id << 32 | UINT32_MAX, id >> 32, 0, (uint64_t)'a' << 32);
}

static void too_many_build_ids_are_reported(void **state)
{
    (void)state;
    begin();
    for (uint64_t i = 1; i < 40000; i++)
        put_build_id(i);
    RECORD(USER | (uint64_t)PC_MISC_MMAP_BUILD_ID << 32 | PC_MMAP2, 0, 0x1000, 0x1000, 0,
           8 | (uint64_t)77 << 32, 0, 0, 0, 'a', 0, 1);
    run();
    assert_null(finding(PC_D_BUILD_ID_DIFFERS));
    assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], 1);
    pc_scan_clear(&scan);
}

static void the_number_of_files_with_build_ids_is_limited(void **state)
{
    (void)state;
    for (uint64_t more = 0; more < 2; more++) { /* one name, with so many build ids */
        begin();
        for (uint64_t i = 1; i < 32768 + more; i++)
            put_build_id(i);
        RECORD(USER | (uint64_t)PC_MISC_MMAP_BUILD_ID << 32 | PC_MMAP2, 0, 0x1000, 0x1000, 0,
               8 | (uint64_t)1 << 48, 0, 0, 0, 'a', 0, 1);
        run();
        if (more)
            assert_int_equal(limit_said("build ids"), 32768);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        assert_int_equal(scan.report.by_id[PC_D_BUILD_ID_DIFFERS], !more);
        pc_scan_clear(&scan);
    }
    for (uint64_t more = 0; more < 2; more++) {
        begin();
        put_build_id(1);
        for (uint64_t i = 1; i <= 8192 + more; i++)
            RECORD(USER | (uint64_t)PC_MISC_MMAP_BUILD_ID << 32 | PC_MMAP2, 0, 0x1000, 0x1000, 0, 8 | i << 32,
                   i, 0, 0, 'b', 0, 1);
        run();
        if (more)
            assert_int_equal(limit_said("build ids"), 8192);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        pc_scan_clear(&scan);
    }
    for (uint64_t more = 0; more < 2; more++) { /* so many names */
        begin();
        for (uint64_t i = 1; i <= 65536 + more; i++)
            RECORD(USER | PC_HEADER_BUILD_ID, (uint64_t)1 << 32 | UINT32_MAX, 0, 0,
                   (uint64_t)(1 + i % 250) << 32 | (uint64_t)(1 + i / 250 % 250) << 40 |
                       (uint64_t)(1 + i / 62500) << 48);
        run();
        if (more)
            assert_int_equal(limit_said("files with build ids"), 65536);
        assert_int_equal(scan.report.by_id[PC_D_LIMIT_STATE], more);
        pc_scan_clear(&scan);
    }
}

/* HEADER_BUILD_ID of 20 bytes: the first one, then zeros. */
static uint64_t section_id(uint64_t pid, char id, const char *name)
{
    uint64_t at = begin_record(USER | PC_HEADER_BUILD_ID);
    put(pid, 4);
    put((uint64_t)id, 1);
    put_text("", 23);
    put_text(name, 8);
    return end_record() * 0 + at;
}

/* MMAP2 with a build id of `size` bytes, of which the first is not 0. */
static uint64_t mapped_id(uint64_t misc, uint64_t pid, char id, unsigned size, const char *name)
{
    begin_record(MISC(misc | PC_MISC_MMAP_BUILD_ID) | PC_MMAP2);
    put(pid, 4);
    put(0, 4);
    put(0x1000, 8);
    put(0x1000, 8);
    put(0, 8);
    put(size, 1);
    put_text("", 3);
    put((uint64_t)id, 1);
    put_text("", 19 + 8);
    put_text(name, 8);
    put(0, 8);
    put(1, 8);
    return end_record();
}

static void a_mapped_file_has_the_build_id_of_its_section(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        section_id(UINT32_MAX, 'x', "a");
        mapped_id(2, 1, 'x', 20, "a");
        mapped_id(2, 1, 'x', 16, "a"); /* zeros at the end do not count */
        mapped_id(2, 1, 'y', 20, "b"); /* a file that is not there */
        mapped_id(2, 1, 'y', 0, "a");  /* no build id */
        mapped_id(5, 1, 'y', 20, "a"); /* of a guest */
        assert_int_equal(counted(PC_D_BUILD_ID_DIFFERS), 0);
        uint64_t at = mapped_id(2, 1, 'y', 20, "a");
        assert_int_equal(counted(PC_D_BUILD_ID_DIFFERS), 1);
        assert_int_equal(first.offset, at);
        section_id(UINT32_MAX, 'y', "a"); /* a file may have been replaced */
        assert_int_equal(counted(PC_D_BUILD_ID_DIFFERS), 0);
    }
}

static void a_name_is_the_kernels_or_a_users(void **state)
{
    (void)state;
    static const struct {
        uint64_t one, other;
        bool said;
    } rows[] = { { 1, 2, true },
                 { 2, 1, true },
                 { 4, 5, true },
                 { 1, 4, false },
                 { 2, 5, false },
                 { 1, 0x2002, false },
                 /* kmod maps a module as data */ { 1, 3, false } };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin();
            RECORD(MISC(rows[i].one) | PC_MMAP, pair(0, 0), 0x1000, 1, 0, chars("name"), 0, 1);
            RECORD(MISC(rows[i].other) | PC_MMAP, pair(0, 0), 0x1000, 1, 0, chars("nam"), 0, 1);
            assert_int_equal(counted(PC_D_NAME_OF_BOTH), 0);
            uint64_t at =
                RECORD(MISC(rows[i].other) | PC_MMAP, pair(0, 0), 0x1000, 1, 0, chars("name"), 0, 1);
            if (counted(PC_D_NAME_OF_BOTH) != rows[i].said)
                fail_msg("row %zu", i);
            assert_int_equal(first.offset, rows[i].said ? at + 40 : 0);
            assert_int_equal(first.length, rows[i].said ? 4 : 0);
        }
    }
}

static void a_module_does_not_have_the_build_id_of_another(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin();
        mapped_id(1, UINT32_MAX, 'x', 20, "a");
        mapped_id(1, UINT32_MAX, 'x', 20, "a"); /* the same file again */
        mapped_id(1, UINT32_MAX, 'y', 20, "b");
        mapped_id(1, 1, 'y', 20, "c"); /* of a task */
        mapped_id(2, UINT32_MAX, 'y', 20, "d");
        assert_int_equal(counted(PC_D_MODULE_BUILD_ID), 0);
        uint64_t at = mapped_id(1, UINT32_MAX, 'y', 20, "e");
        assert_int_equal(counted(PC_D_MODULE_BUILD_ID), 1);
        assert_int_equal(first.offset, at + 44);
        assert_int_equal(first.length, 20);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(too_many_build_ids_are_reported),
    cmocka_unit_test(the_number_of_files_with_build_ids_is_limited),
    cmocka_unit_test(a_mapped_file_has_the_build_id_of_its_section),
    cmocka_unit_test(a_name_is_the_kernels_or_a_users),
    cmocka_unit_test(a_module_does_not_have_the_build_id_of_another),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
