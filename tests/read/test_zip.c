/* SPDX-License-Identifier: MIT
 *
 * Zip archives: which member is a capture. What is said of whole archives is in test_foreign.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void a_directory_in_a_zip_archive_is_recognised(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        bool directory;
    } rows[] = {
        { "perf.data/", true }, { "perf.data/data", true }, { "perf.data/data.0", true },
        { "data", true },       { "perf.data", false },     { "perf.data/database", false },
        { "", false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        in.len = 0;
        in.kind = PC_INPUT_FILE;
        put_text("PK\3\4", 26);
        put(strlen(rows[i].name), 2);
        put(0, 2);
        put_text(rows[i].name, strlen(rows[i].name));
        assert_int_equal(counted(PC_D_WRAPPED), 1);
        assert_int_equal(strcmp(first.seen.text, "zip, as a directory") == 0, rows[i].directory);
    }
    put_at(26, 1, 2); /* the name ends after the input */
    in.len = 30;
    assert_int_equal(counted(PC_D_WRAPPED), 1);
    assert_string_equal(first.seen.text, "zip");
}

/* A member that is stored as it is. */
static void zip_member(const char *name, uint64_t flags, const char *content, uint64_t size)
{
    put(0x04034b50, 4);
    put(20, 2);
    put(flags, 2);
    put_text("", 10);
    put(size, 4);
    put(size, 4);
    put(strlen(name), 2);
    put(0, 2);
    put_text(name, strlen(name));
    put_text(content, 8);
    put(16, 8);
    put_text("", (size_t)size - 16);
}

static void the_member_that_is_a_capture_is_named(void **state)
{
    (void)state;
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    in.order = PC_LITTLE;
    for (size_t i = 0; i < PC_COUNT_OF(kinds); i++) {
        for (uint64_t size = 16; size < 20000; size += 997) {
            in.len = 0;
            in.kind = kinds[i];
            zip_member("readme", 0, "nothing", size);
            zip_member("perf.data", 8, "PERFILE2", 600); /* its size comes later */
            expect(PC_D_WRAPPED, 1, 0);
            assert_memory_equal(first.expected.bytes, "unzip -p IN perf.data >OUT", 26);
            in.len = 0;
            zip_member("readme", 0, "nothing", size);
            zip_member("perf.data", 8, "perfile2", 600);
            expect(PC_D_FOREIGN, 1, 0);
            in.len = 0;
            zip_member("readme", 8, "nothing", size); /* nobody knows what follows */
            zip_member("perf.data", 0, "PERFILE2", 600);
            expect(PC_D_WRAPPED, 1, 0);
            assert_string_equal(first.expected.text, "unzip -p IN >OUT");
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_directory_in_a_zip_archive_is_recognised),
    cmocka_unit_test(the_member_that_is_a_capture_is_named),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
