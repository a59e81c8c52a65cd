/* SPDX-License-Identifier: MIT
 *
 * PMU_MAPPINGS, and what names its PMUs.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void pmus_have_a_type_of_their_own(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t other = 8; other < 10; other++) {
            begin_with(PC_S_TID, 0);
            begin_feature(PC_PMU_MAPPINGS);
            put(2, 4);
            put(8, 4);
            put_string("cpu");
            uint64_t at = in.len;
            put(other, 4);
            put_string("msr");
            end_record();
            expect(PC_D_PMU_TWICE, other == 8, at);
            begin_feature(PC_HYBRID_TOPOLOGY);
            put(1, 4);
            at = in.len;
            put_string(other == 8 ? "cp" : "cpu");
            put_string("0-1");
            end_record();
            expect(PC_D_HYBRID_NAME, other == 8, at);
        }
    }
}

/* Types from 6 on are those of PMUs. */
static void the_type_of_an_attr_is_a_pmu(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t type = 5; type < 9; type++) {
            begin_empty();
            uint64_t at = put_attr(PC_S_TID, 0) + 8;
            in.p[at + (in.order == PC_LITTLE ? 0 : 3)] = (unsigned char)type;
            expect(PC_D_PMU_UNMAPPED, 0, 0); /* there is no list */
            begin_feature(PC_PMU_MAPPINGS);
            put(1, 4);
            put(8, 4);
            put_string("cpu");
            end_record();
            expect(PC_D_PMU_UNMAPPED, type == 6 || type == 7, at);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pmus_have_a_type_of_their_own),
    cmocka_unit_test(the_type_of_an_attr_is_a_pmu),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
