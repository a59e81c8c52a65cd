/* SPDX-License-Identifier: MIT
 *
 * What contents and salvages have in common: names of what is left out, and which errors are damage.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/content_parts.h"

static struct pc_content content;

static void records_and_features_have_the_names_of_drop(void **state)
{
    (void)state;
    char name[64], small[12];
    pc_content_name_record(PC_SAMPLE, name, sizeof(name));
    assert_string_equal(name, "record:SAMPLE");
    pc_content_name_record(200, name, sizeof(name));
    assert_non_null(strstr(name, "200"));
    pc_content_name_feature(PC_CMDLINE, name, sizeof(name));
    assert_string_equal(name, "feature:CMDLINE");
    pc_content_name_feature(200, name, sizeof(name));
    assert_string_equal(name, "feature:BIT_200");
    pc_content_name_record(PC_CALLCHAIN_DEFERRED, small, sizeof(small));
    assert_string_equal(small, "record:CALL");
}

static void lack_of_memory_is_reported_once(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    run();
    content = (struct pc_content){ .scan = &scan, .mem = &scan.mem };
    unsigned char *array = NULL;
    size_t cap = 0;
    for (int i = 0; i < 2; i++) {
        scan.mem.calls = 0;
        scan.mem.fail_at = 1;
        assert_false(pc_content_grow(&content, &array, &cap, 5, 1));
        assert_int_equal(scan.report.by_id[PC_D_OUT_OF_MEMORY], 1);
    }
    scan.mem.fail_at = 0;
    assert_true(pc_content_grow(&content, &array, &cap, 5, 1));
    pc_free(&scan.mem, array, cap);
    pc_scan_clear(&scan);
}

/* A stream that ends inside a record. */
static void a_cut_is_damage_unless_the_stream_may_be_cut(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned trace = 0; trace < 2; trace++) {
            begin_with(PC_S_TID, 0);
            RECORD(PC_AUXTRACE_INFO, pair(6, 0), 1);
            if (trace) {
                RECORD(PC_AUXTRACE, 64, 0, 0, 0, 0);
                put_text("", 24);
            } else {
                RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
                in.len -= 5;
            }
            run();
            content = (struct pc_content){ .scan = &scan, .mem = &scan.mem };
            assert_int_equal(pc_content_damage(&content), scan.report.by_severity[PC_ERROR]);
            assert_int_not_equal(pc_content_damage(&content), 0);
            assert_int_equal(pc_content_cut(&content), 0);
            content.may_be_cut = true;
            assert_int_equal(pc_content_damage(&content), 0);
            assert_true(pc_content_is_cut(&content));
            assert_int_equal(pc_content_cut(&content), trace ? 0 : 27);
            pc_scan_clear(&scan);
        }
    }
}

static void what_a_copy_mends_is_no_damage(void **state)
{
    (void)state;
    assert_false(pc_content_is_damage(PC_D_COMPRESSED2_WRAPPED));
    assert_false(pc_content_is_damage(PC_D_DATA_EMPTY));
    assert_false(pc_content_is_damage(PC_D_ANDROID_BIG_ENDIAN));
    assert_true(pc_content_is_damage(PC_D_STREAM_CUT));
    begin_file(PC_S_TID, 0);
    end_file();
    put_at(AT_DATA, in.len, 8); /* empty, at the end */
    put_at(AT_DATA + 8, 0, 8);
    run();
    content = (struct pc_content){ .scan = &scan, .mem = &scan.mem };
    assert_int_equal(scan.report.by_id[PC_D_DATA_EMPTY], 1);
    uint64_t others = scan.report.by_severity[PC_ERROR] - 1;
    assert_int_equal(pc_content_damage(&content), others);
    content.salvage = (struct pc_salvage *)&content; /* a salvage leaves out what is damaged */
    assert_int_equal(pc_content_damage(&content), 0);
    pc_scan_clear(&scan);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_and_features_have_the_names_of_drop),
    cmocka_unit_test(lack_of_memory_is_reported_once),
    cmocka_unit_test(a_cut_is_damage_unless_the_stream_may_be_cut),
    cmocka_unit_test(what_a_copy_mends_is_no_damage),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
