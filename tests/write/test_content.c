/* SPDX-License-Identifier: MIT
 *
 * Content, when what it stores fails.
 */
#include "copy_bench.h"

static void features_that_cannot_be_stored_are_reported(void **state)
{
    (void)state;
    struct pc_content_item item;
    make(false, PC_LITTLE);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ g.bytes, g.len }, PC_INPUT_FILE);
    pc_content_init(&content, &scan, PC_LITTLE, true, NULL);
    content.store.mem = &scan.mem; /* as if it had failed before */
    content.store.error = ENOSPC;
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    assert_false(pc_content_is_whole(&content));
    assert_int_equal(scan.report.by_id[PC_D_STORE_FAILED], 1);
    assert_true(scan.report.unreadable);
    /* The first error is that of the output. */
    struct pc_sink output = { .target = PC_TARGET_CLOSED, .mem = &scan.mem, .error = EIO };
    struct pc_writer writer;
    pc_writer_init(&writer, &content, &output, PC_CONTAINER_FILE);
    assert_false(pc_writer_end(&writer));
    assert_int_equal(output.error, EIO);
    pc_writer_clear(&writer);
    content.store.mem = NULL;
    pc_content_clear(&content);
    pc_scan_clear(&scan);
    free(g.bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(features_that_cannot_be_stored_are_reported),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
