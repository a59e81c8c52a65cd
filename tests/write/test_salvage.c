/* SPDX-License-Identifier: MIT
 *
 * What a salvage keeps of small damaged captures. Each row has a damaged capture, and one of what is left;
 * their copies are the same.
 */
#include "salvage_rows.h"
#include "write/salvage.h"

/* The first and the last 16 bytes of a sample. */
#define BEGINS   "u32 rec.SAMPLE ; u16 misc.USER 32 ; u64 11\n"
#define ENDS(ip) "u64 " #ip " ; u32 100 100\n"

/* A zstd stream of stored blocks, in a compressed record each. */
#define FRAME(content) "record COMPRESSED2 ; sized u64 ; zstd ; " content " ; end ; end ; align 8 ; end\n"
#define MORE(content)  "record COMPRESSED2 ; sized u64 ; zstd_more ; " content " ; end ; end ; align 8 ; end\n"

/* The middle one of three compressed records has a wrong size, and does not say how much data it has. What
 * comes out of the last one would make a sample with what is left of the first: that was never written. */
static void content_after_a_missed_compressed_record_is_left_out(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "the size is odd",
          FILE_BEGINS FRAME(SAMPLE(0x401000) BEGINS) "bad: " MORE(ENDS(0x402000) BEGINS) MORE(ENDS(0x403000))
              ROUND UNPACKS "patch bad.size 3\npatch bad+8 u64 3\n",
          FILE_BEGINS SAMPLE(0x401000) ROUND FILE_ENDS },
        { "a frame begins anew",
          FILE_BEGINS FRAME(SAMPLE(0x401000) BEGINS) "bad: " MORE(ENDS(0x402000) BEGINS)
              FRAME(SAMPLE(0x403000)) MORE(SAMPLE(0x404000)) UNPACKS "patch bad.size 3\npatch bad+8 u64 3\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x403000) SAMPLE(0x404000) FILE_ENDS },
        { "its data say how many they are",
          FILE_BEGINS FRAME(SAMPLE(0x401000) BEGINS) "bad: " MORE(ENDS(0x402000) BEGINS) MORE(ENDS(0x403000))
              ROUND UNPACKS "patch bad.size 3\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x402000) SAMPLE(0x403000) ROUND FILE_ENDS },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

/* A record that is not compressed may be damaged, and the stream goes on. */
static void content_after_another_damaged_record_stays(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "FINISHED_ROUND",
          FILE_BEGINS FRAME(SAMPLE(0x401000) BEGINS) "bad: " ROUND MORE(ENDS(0x402000)) MORE(SAMPLE(0x403000))
              UNPACKS "patch bad.size 3\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x402000) SAMPLE(0x403000) FILE_ENDS },
        { "SAMPLE",
          FILE_BEGINS FRAME(SAMPLE(0x401000)) "bad: " SAMPLE(0x402000) MORE(SAMPLE(0x403000))
              MORE(SAMPLE(0x404000)) UNPACKS "patch bad.size 3\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x403000) SAMPLE(0x404000) FILE_ENDS },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(content_after_a_missed_compressed_record_is_left_out),
    cmocka_unit_test(content_after_another_damaged_record_stays),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), salvage_set_up, scratch_tear_down };
