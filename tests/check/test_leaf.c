/* SPDX-License-Identifier: MIT
 *
 * Rules of one field: texts and their padding, and what a finding shows of a value.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* COMM with a name of `len` characters in an area of `area` bytes, the last of which is `end`. */
static uint64_t comm(size_t len, size_t area, char end)
{
    begin_record(PC_COMM);
    put_text("", 8);
    put_text("", area);
    memset(in.p + in.len - area, 'a', len);
    if (end)
        in.p[in.len - 1] = (unsigned char)end;
    put_text("", 8); /* the trailer */
    return end_record();
}

static void a_text_is_padded_with_zeros_to_8_bytes(void **state)
{
    (void)state;
    static const struct {
        size_t len, area;
        char end;
        enum pc_diag id;
    } rows[] = {
        { 7, 8, 0, PC_NO_DIAG },
        { 6, 8, 0, PC_NO_DIAG },
        { 8, 16, 0, PC_NO_DIAG },
        { 6, 8, 'x', PC_D_STRING_PADDING },
        { 7, 16, 0, PC_D_STRING_AREA },
        { 7, 16, 'x', PC_D_STRING_SWALLOWS },
        { 0, 8, 0, PC_NO_DIAG } /* a task may have no name */,
    };
    static const enum pc_diag all[] = { PC_D_STRING_PADDING, PC_D_STRING_AREA, PC_D_STRING_SWALLOWS,
                                        PC_D_FILENAME_EMPTY };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = comm(rows[i].len, rows[i].area, rows[i].end);
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], at + 16);
            if (rows[i].id == PC_D_STRING_AREA) {
                counted(PC_D_STRING_AREA);
                assert_int_equal(first.seen.n, 16);
                assert_int_equal(first.expected.n, 8);
            }
        }
    }
    begin_with(PC_S_TID, 0);
    uint64_t at = RECORD(PC_MMAP, 0, 0x1000, 1, 0, 0, 0);
    expect(PC_D_FILENAME_EMPTY, 1, at + 40);
}

static uint64_t hostname(uint64_t size, const char *text, size_t len)
{
    uint64_t at = begin_feature(PC_HOSTNAME);
    put(size, 4);
    put_text(text, len);
    end_record();
    return at;
}

static void a_text_of_a_feature_ends_and_is_padded_to_64_bytes(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        hostname(64, "name", 64);
        const enum pc_diag ids[] = { PC_D_HSTR_ROUNDING, PC_D_HSTR_UNTERMINATED, PC_D_HSTR_PADDING,
                                     PC_D_HSTR_LEN };
        for (size_t i = 0; i < PC_COUNT_OF(ids); i++)
            expect(ids[i], 0, 0);
        begin_with(PC_S_TID, 0);
        uint64_t at = hostname(63, "name", 63);
        expect(PC_D_HSTR_ROUNDING, 1, at);
        begin_with(PC_S_TID, 0);
        at = hostname(4, "name", 4);
        expect(PC_D_HSTR_UNTERMINATED, 1, at);
        begin_with(PC_S_TID, 0);
        at = hostname(65, "name", 64);
        expect(PC_D_HSTR_LEN, 1, at);
        begin_with(PC_S_TID, 0);
        at = hostname(64, "name", 64);
        in.p[in.len - 3] = 1;
        expect(PC_D_HSTR_PADDING, 1, at + 4 + 61);
        assert_int_equal(first.length, 1);
    }
}

static uint64_t chain_of(uint64_t last)
{
    return RECORD(USER | PC_SAMPLE, 1, 0, pair(0, 1), 2, 0x1000, last);
}

/* The last 4,095 addresses are markers, of which few have a name. */
static void an_entry_of_a_call_chain_is_an_address_or_a_marker(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_CALLCHAIN, 0);
        chain_of((uint64_t)-4096);
        chain_of((uint64_t)-512);
        expect(PC_D_CALLCHAIN_MARKER, 0, 0);
        uint64_t at = chain_of((uint64_t)-4095);
        chain_of((uint64_t)-1);
        expect(PC_D_CALLCHAIN_MARKER, 2, at + 48);
        assert_string_equal(first.path[0].name, "callchain");
        assert_int_equal(first.path[0].index, 1);
        expect(PC_D_CALLCHAIN_DEFERRED, 0, 0);
        at = chain_of(PC_CONTEXT_USER_DEFERRED);
        expect(PC_D_CALLCHAIN_DEFERRED, 1, at + 48);
    }
}

static uint64_t branch(uint64_t flags)
{
    return RECORD(USER | PC_SAMPLE, 1, 0x10, 0x20, flags);
}

static void each_bit_of_a_branch_has_its_rule(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        static const struct {
            unsigned bit, bits; /* as on a little-endian machine: struct perf_branch_entry */
            uint64_t value;
            enum pc_diag id;
            bool extended;
        } rows[] = {
            { 0, 1, 1, PC_NO_DIAG, false },
            { 0, 2, 3, PC_D_BRANCH_PREDICTION, false },
            { 30, 3, 7, PC_NO_DIAG, false },
            { 33, 31, 1, PC_D_BRANCH_RESERVED, false },
            { 33, 31, 0x40000000, PC_D_BRANCH_RESERVED, false },
            { 26, 4, 15, PC_NO_DIAG, false }, /* not looked at, unless type is 15 */
            { 26, 4, 7, PC_NO_DIAG, true },
            { 26, 4, 8, PC_D_BRANCH_NEW_TYPE, true },
        };
        static const enum pc_diag all[] = { PC_D_BRANCH_PREDICTION, PC_D_BRANCH_RESERVED,
                                            PC_D_BRANCH_NEW_TYPE };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_empty();
            begin_record(PC_HEADER_ATTR);
            put(1, 4);
            put(80, 4);
            const uint64_t words[] = { 0, 1, PC_S_BRANCH_STACK, 0, 0, 0, 0, 0, 8, 1 };
            for (size_t k = 0; k < PC_COUNT_OF(words); k++)
                put(words[k], 8);
            end_record();
            /* Big-endian compilers begin with the highest bit. */
            unsigned shift = in.order == PC_LITTLE ? rows[i].bit : 64 - rows[i].bit - rows[i].bits;
            uint64_t type = (uint64_t)(rows[i].extended ? 15 : 0) << (in.order == PC_LITTLE ? 20 : 40);
            uint64_t at = branch(rows[i].value << shift | type);
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], at + 32);
        }
    }
}

/* FORMAT.md: flags of AUX are 0xff0f. */
static void a_finding_shows_the_bits_that_are_undefined(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    RECORD(PC_AUX, 0, 8, 0xff0f, 0);
    expect(PC_D_AUX_FLAGS, 0, 0);
    uint64_t at = RECORD(PC_AUX, 0, 8, 0x1ff1f, 0);
    expect(PC_D_AUX_FLAGS, 1, at + 24);
    assert_int_equal(first.seen.kind, PC_V_HEX);
    assert_int_equal(first.seen.n, 0x10010);
    assert_int_equal(first.expected.n, 0xff0f);
}

/* KSYMBOL with the name "a", and so many bytes more that are not zeros: trailers of a few recordings. */
static void a_record_may_have_grown_by_some_words(void **state)
{
    (void)state;
    static const size_t more[] = { 8, 256, 264, 12 };
    for (size_t i = 0; i < PC_COUNT_OF(more); i++) {
        bool grown = more[i] <= 256 && more[i] % 8 == 0;
        begin_with(PC_S_TID, 0);
        begin_record(PC_KSYMBOL);
        put(0x1000, 8);
        put(64, 4);
        put(1, 2);
        put(0, 2);
        put_text("a", 8 + more[i]);
        in.p[in.len - more[i]] = 1;
        put_text("", 8);
        uint64_t at = end_record();
        put_record(PC_FINISHED_ROUND, NULL, 0);
        put_record(PC_FINISHED_ROUND, NULL, 0);
        if (more[i] % 8 == 0)
            expect(PC_D_STRING_SWALLOWS, !grown, at + 24);
        expect(PC_D_RECORD_GROWN, grown, at + 24);
        assert_int_equal(first.seen.n, grown ? more[i] : 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_text_is_padded_with_zeros_to_8_bytes),
    cmocka_unit_test(a_text_of_a_feature_ends_and_is_padded_to_64_bytes),
    cmocka_unit_test(an_entry_of_a_call_chain_is_an_address_or_a_marker),
    cmocka_unit_test(each_bit_of_a_branch_has_its_rule),
    cmocka_unit_test(a_finding_shows_the_bits_that_are_undefined),
    cmocka_unit_test(a_record_may_have_grown_by_some_words),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
