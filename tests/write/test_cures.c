/* SPDX-License-Identifier: MIT
 *
 * In which form a copy is read by a perf that does not read the original, and what a pipe has instead.
 */
#include "pc_test.h"
#include "check/scan.h"
#include "write/cures.h"

static void each_form_cures_what_it_has_not(void **state)
{
    (void)state;
    enum { FILE_LITTLE, FILE_BIG, PIPE_LITTLE, PIPE_BIG, PIPE_PACKED, COPIED, SEVERAL, KEPT, FORMS };
    static const struct pc_copy_form forms[FORMS] = {
        [FILE_BIG] = { .big = true },
        [PIPE_LITTLE] = { .pipe = true },
        [PIPE_BIG] = { .pipe = true, .big = true },
        [PIPE_PACKED] = { .pipe = true, .packed = true },
        [COPIED] = { .again = true }, /* which has not mended it */
        [SEVERAL] = { .reader = PC_BY_UP_TO_6_1 },
        [KEPT] = { .keeps_type = true },
    };
    static const struct {
        enum pc_diag id;
        bool cured[FORMS];
    } rows[] = {
        { PC_D_FOR_KERNEL_TYPE, { true, true, true, true, true, false, true, true } },
        { PC_D_FOR_TRACING_DATA, { true, true, false, false, false, true, true, true } },
        { PC_D_FOR_CORESIGHT_PIPE, { true, true, false, false, false, true, true, true } },
        { PC_D_FOR_STAT_TOPOLOGY, { false, false, true, true, true, false, false, false } },
        { PC_D_FOR_ORDER_READ, { true, false, true, false, true, true, true, true } },
        { PC_D_FOR_ORDER_PIPE, { true, true, true, false, true, true, true, true } },
        { PC_D_FOR_COMPRESSED_PIPE, { true, true, true, true, false, true, true, true } },
        { PC_D_FOR_STAT_INDEX, { true, true, true, true, true, false, false, true } },
        { PC_D_FOR_EVENT_TYPE, { true, true, true, true, true, false, true, false } },
        { PC_D_FOR_CALL_STACK, { false } },
        { PC_D_FOR_NO_ADDRESS, { false } },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        for (size_t k = 0; k < FORMS; k++) {
            if (pc_copy_cures(rows[i].id, &forms[k]) != rows[i].cured[k])
                fail_msg("%s, form %zu", pc_diag_info(rows[i].id)->name, k);
        }
    }
}

static void a_pipe_brings_what_the_capture_has(void **state)
{
    (void)state;
    static struct pc_scan none, all;
    static const struct {
        enum pc_diag id;
        struct pc_copy_form with, without; /* the least that brings it, and one thing less */
    } rows[] = {
        { PC_D_FOR_PIPE_SAMPLE, { .pipe = true, .reader = PC_BY_5_10 }, { .reader = PC_BY_5_10 } },
        { PC_D_FOR_PIPE_SAMPLE,
          { .pipe = true, .reader = PC_BY_ALL },
          { .pipe = true, .reader = PC_BY_6_1 } },
        { PC_D_FOR_TRACING_DATA,
          { .pipe = true, .reader = PC_BY_6_1 },
          { .pipe = true, .again = true, .reader = PC_BY_6_1 } },
        { PC_D_FOR_ORDER_PIPE,
          { .pipe = true, .big = true, .reader = PC_BY_7_2 },
          { .pipe = true, .reader = PC_BY_7_2 } },
        { PC_D_FOR_COMPRESSED_PIPE,
          { .pipe = true, .packed = true, .reader = PC_BY_7_2 },
          { .pipe = true, .reader = PC_BY_7_2 } },
        { PC_D_FOR_CORESIGHT_PIPE,
          { .pipe = true, .reader = PC_BY_6_12 },
          { .pipe = true, .reader = PC_BY_6_1 } },
        { PC_D_FOR_END_MARK, { .pipe = true, .reader = PC_BY_ALL }, { .pipe = true, .reader = PC_BY_7_2 } },
    };
    all.check.flow.sum.by_type[PC_SAMPLE] = 1;
    all.check.flow.sum.compressed = 1;
    all.check.flow.is_coresight = true;
    all.capture.features[0] = UINT64_C(1) << PC_TRACING_DATA;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        assert_true(pc_pipe_brings(rows[i].id, &rows[i].with, &all) & rows[i].with.reader);
        assert_false(pc_pipe_brings(rows[i].id, &rows[i].without, &all) & rows[i].without.reader);
        assert_false(pc_pipe_brings(rows[i].id, &rows[i].with, &none));
    }
    const struct pc_copy_form packs = { .pipe = true, .packed = true, .packs = true, .reader = PC_BY_7_2 };
    assert_true(pc_pipe_brings(PC_D_FOR_COMPRESSED_PIPE, &packs, &none) & packs.reader);
    assert_false(pc_pipe_brings(PC_D_FOR_ORDER_READ, &rows[3].with, &all)); /* a file has it, too */
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_form_cures_what_it_has_not),
    cmocka_unit_test(a_pipe_brings_what_the_capture_has),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
