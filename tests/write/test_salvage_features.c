/* SPDX-License-Identifier: MIT
 *
 * Which of a feature and the samples that contradict it is left out.
 */
#include "salvage_rows.h"

#define ON_CPUS                                                                                              \
    "file\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID|CPU|IDENTIFIER read_format=ID "        \
    "flags=disabled ids=11\ndata\n"
#define ON_CPU(cpu) "record SAMPLE misc=USER ; u64 11 0x401000 ; u32 100 100 " #cpu " 0 ; end\n"
#define HOST        "feature HOSTNAME ; hstr \"box\" ; end\n"
#define TWO_CPUS    HOST "feature NRCPUS ; u32 2 2 ; end\n"

static void nrcpus_goes_when_several_samples_contradict_it(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "one sample is beyond the last CPU", ON_CPUS ON_CPU(0) ON_CPU(9) ON_CPU(1) TWO_CPUS,
          ON_CPUS ON_CPU(0) ON_CPU(1) TWO_CPUS },
        { "three are", ON_CPUS ON_CPU(0) ON_CPU(9) ON_CPU(8) ON_CPU(9) TWO_CPUS,
          ON_CPUS ON_CPU(0) ON_CPU(9) ON_CPU(8) ON_CPU(9) HOST },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nrcpus_goes_when_several_samples_contradict_it),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), salvage_set_up, scratch_tear_down };
