/* SPDX-License-Identifier: MIT
 *
 * What perf inject wrote in a wrong place is named as the cause of the errors.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* A file whose only feature is BUILD_ID, of 160 bytes after its table. Its ids and its attr begin so many
 * bytes into that section, as perf inject -b leaves them. Returns where the section is. */
static uint64_t begin_over(uint64_t into)
{
    begin_file(PC_S_TID, 0);
    for (int i = 0; i < 4; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    uint64_t section = in.len + 16;
    put_at(AT_DATA + 8, in.len - FILE_DATA, 8);
    put_at(AT_FEATURES, (uint64_t)1 << PC_BUILD_ID, 8);
    put(section, 8);
    put(160, 8);
    put_text("", (size_t)into);
    uint64_t ids = in.len;
    put(1, 8);
    memcpy(in.p + in.len, in.p + FILE_ATTRS, 80);
    put_at(in.len + 64, ids, 8);
    put_at(AT_ATTRS, in.len, 8);
    in.len += 80;
    put_text("", 160);
    return section;
}

static void attrs_over_the_build_ids_are_those_of_inject(void **state)
{
    (void)state;
    static const uint64_t places[] = { 0, 8, 72, 144, 152, 160 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(places); i++) {
            uint64_t section = begin_over(places[i]);
            bool over = places[i] + 8 < 160; /* the attr is behind the id */
            expect(PC_D_INJECT_BUILD_IDS, over, section);
            assert_int_equal(first.length, over ? 160 : 0);
            if (over)
                assert_int_equal(first.role, PC_CAUSE);
        }
        uint64_t section = begin_over(8);
        put_at(AT_FEATURES, (uint64_t)1 << PC_VERSION, 8); /* another feature */
        expect(PC_D_INJECT_BUILD_IDS, 0, 0);
        begin_over(8);
        put_at(section - 16, section + 8, 8); /* a section that is not after the table */
        expect(PC_D_INJECT_BUILD_IDS, 0, 0);
        begin_over(8);
        put_at(section - 8, in.len - section, 8);
        expect(PC_D_INJECT_BUILD_IDS, 1, section);
        put_at(section - 8, in.len - section + 1, 8); /* of a file that was cut */
        expect(PC_D_INJECT_BUILD_IDS, 0, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attrs_over_the_build_ids_are_those_of_inject),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
