/* SPDX-License-Identifier: MIT
 *
 * In which form a copy is read by a perf that does not read the original.
 */
#include "pc_test.h"
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

static const struct CMUnitTest tests[] = { cmocka_unit_test(each_form_cures_what_it_has_not) };

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
