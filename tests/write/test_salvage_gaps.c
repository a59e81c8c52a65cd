/* SPDX-License-Identifier: MIT
 *
 * Which records around damage are whole: those before bytes that belong to no record, and those inside of
 * others.
 */
#include "salvage_rows.h"

#define COMM(name) "record COMM ; u32 100 100 ; str \"" name "\" ; end\n" /* 8 + 16 bytes */

#define TRACE_INFO "record AUXTRACE_INFO ; u32 2 0 ; u64 8 31 1 0 1 0 ; end\n"
#define TRACE      "record AUXTRACE ; u64 64 0 1 ; u32 0 100 0 0 ; end\nfill 64 17\n"

/* An id whose bytes are the header of a record: of type 40, which no kernel has, and of 24 bytes. */
#define ODD_ATTR                                                                                             \
    "file\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID|IDENTIFIER read_format=ID "            \
    "flags=disabled ids=0x18000000000028\ndata\n"
#define ODD_SAMPLE(ip) "record SAMPLE misc=USER ; u64 0x18000000000028 " #ip " ; u32 100 100 ; end\n"

static void records_inside_one_with_a_wrong_size_are_saved(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "the size takes in the next record",
          FILE_BEGINS SAMPLE(0x401000) "bad: " SAMPLE(0x402000) SAMPLE(0x403000) FILE_ENDS
          "patch bad.size 64\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x403000) FILE_ENDS },
        { "the size ends inside of the next record",
          FILE_BEGINS SAMPLE(0x401000) "bad: " SAMPLE(0x402000) SAMPLE(0x403000) SAMPLE(0x404000)
              SAMPLE(0x405000) FILE_ENDS "patch bad.size 48\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x403000) SAMPLE(0x404000) SAMPLE(0x405000) FILE_ENDS },
        { "the size leads beyond the end",
          FILE_BEGINS SAMPLE(0x401000) "bad: " SAMPLE(0x402000) SAMPLE(0x403000) SAMPLE(0x404000)
              SAMPLE(0x405000) FILE_ENDS "patch bad.size 0x8000\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x403000) SAMPLE(0x404000) SAMPLE(0x405000) FILE_ENDS },
        { "the size takes in the header of the next record, of which the size is wrong, too",
          FILE_BEGINS SAMPLE(0x401000) "bad: " SAMPLE(0x402000) "worse: " SAMPLE(0x403000) SAMPLE(0x404000)
              SAMPLE(0x405000) FILE_ENDS "patch bad.size 40\npatch worse.size 8\n",
          FILE_BEGINS SAMPLE(0x401000) SAMPLE(0x404000) SAMPLE(0x405000) FILE_ENDS },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

/* Bytes of a trace were lost, so that it seems to go on in samples. It is behind many records with errors,
 * all of which are searched in each reading. */
static void records_inside_are_saved_behind_much_damage(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "60 samples that are too long",
          FILE_BEGINS
          "repeat 60\nrecord SAMPLE misc=USER ; u64 11 0x400000 ; u32 100 100 ; zero 65496 ; end\n"
          "end\n" TRACE_INFO "bad: " TRACE SAMPLE(0x402000) SAMPLE(0x403000) SAMPLE(0x404000) SAMPLE(0x405000)
              FILE_ENDS "patch bad+8 u64 104\n",
          FILE_BEGINS TRACE_INFO SAMPLE(0x402000) SAMPLE(0x403000) SAMPLE(0x404000) SAMPLE(0x405000)
              FILE_ENDS },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

/* The last 8 bytes of a sample were lost. What seems to be a record behind it begins inside the next one, and
 * ends with it. */
static void a_record_that_begins_inside_the_one_before_is_saved(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "8 bytes lost",
          ODD_ATTR ODD_SAMPLE(0x401000) "u32 rec.SAMPLE ; u16 misc.USER 32 ; u64 0x18000000000028 "
                                        "0x402000\n" ODD_SAMPLE(0x403000) ODD_SAMPLE(0x404000)
                                            ODD_SAMPLE(0x405000) FILE_ENDS,
          ODD_ATTR ODD_SAMPLE(0x401000) ODD_SAMPLE(0x403000) ODD_SAMPLE(0x404000) ODD_SAMPLE(0x405000)
              FILE_ENDS },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

/* Bytes that belong to no record may have begun inside the record before them. It stays when the bytes are
 * the header of the next one, with one word that is wrong. */
static void the_record_before_damage_stays_if_its_end_is_certain(void **state)
{
    (void)state;
    static const struct salvage_row rows[] = {
        { "the size is 0",
          FILE_BEGINS SAMPLE(0x401000) "bad: " SAMPLE(0x402000) COMM("a") COMM("b") SAMPLE(0x405000) FILE_ENDS
          "patch bad.size 0\n",
          FILE_BEGINS SAMPLE(0x401000) COMM("a") COMM("b") SAMPLE(0x405000) FILE_ENDS },
        { "24 bytes of nothing known",
          FILE_BEGINS SAMPLE(0x401000) "bytes 1111111111111111 2222222222222222 3333333333333333\n" COMM("a")
              COMM("b") SAMPLE(0x405000) FILE_ENDS,
          FILE_BEGINS COMM("a") COMM("b") SAMPLE(0x405000) FILE_ENDS },
        { "24 bytes of nothing known, after a sample that ends as the one before",
          FILE_BEGINS SAMPLE(0x400000)
              SAMPLE(0x401000) "bytes 1111111111111111 2222222222222222 3333333333333333\n" COMM("a")
                  COMM("b") SAMPLE(0x405000) FILE_ENDS,
          FILE_BEGINS SAMPLE(0x400000) SAMPLE(0x401000) COMM("a") COMM("b") SAMPLE(0x405000) FILE_ENDS },
    };
    compare_rows(rows, PC_COUNT_OF(rows));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_inside_one_with_a_wrong_size_are_saved),
    cmocka_unit_test(records_inside_are_saved_behind_much_damage),
    cmocka_unit_test(a_record_that_begins_inside_the_one_before_is_saved),
    cmocka_unit_test(the_record_before_damage_stays_if_its_end_is_certain),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), salvage_set_up, scratch_tear_down };
