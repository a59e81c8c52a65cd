/* SPDX-License-Identifier: MIT
 *
 * A copy that is a pipe, when allocations, reads and writes fail: it is whole, or it is known not to be.
 */
#include "copy_bench.h"

static void a_copy_of_a_pipe_is_whole_or_reported(void **state)
{
    (void)state;
    nothing_fails_unsaid(true, false);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_copy_of_a_pipe_is_whole_or_reported),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
