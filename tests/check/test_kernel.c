/* SPDX-License-Identifier: MIT
 *
 * Rules of records of the kernel: which attr and layout they have, and the values that many of them have.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "tracing_bench.h"

static void the_id_of_a_record_is_that_of_an_attr(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_empty();
        uint64_t comm = RECORD(PC_COMM, pair(1, 1), chars("name"), 0);
        RECORD(PC_COMM, pair(1, 1), chars("name"), 0);
        expect(PC_D_RECORD_BEFORE_ATTR, 1, comm); /* once */
        begin_with(PC_S_IDENTIFIER | PC_S_TID, 0);
        uint64_t second = put_attr(PC_S_IDENTIFIER | PC_S_TID | PC_S_IP, 0);
        put_at(second + 72, 2, 8); /* its id */
        RECORD(USER | PC_SAMPLE, 1, pair(1, 1));
        RECORD(USER | PC_SAMPLE, 2, 0x10, pair(1, 1));
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1), 0); /* of perf: the first attr */
        expect(PC_D_SAMPLE_ID_UNKNOWN, 0, 0);
        expect(PC_D_ID_UNKNOWN, 0, 0);
        uint64_t at = RECORD(USER | PC_SAMPLE, 3, pair(1, 1));
        expect(PC_D_SAMPLE_ID_UNKNOWN, 1, at + 8);
        assert_int_equal(first.seen.n, 3);
        at = RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1), 3);
        expect(PC_D_ID_UNKNOWN, 1, at + 32);
        at = put_record(USER | PC_SAMPLE, NULL, 0);
        expect(PC_D_SAMPLE_NO_ID, 1, at + 6);
    }
}

static void a_record_has_room_for_its_trailer(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID | PC_S_TIME, 0);
        RECORD(PC_LOST, 1, 1, pair(1, 1), 5);
        expect(PC_D_SAMPLE_ID_MISSING, 0, 0);
        uint64_t at = RECORD(PC_LOST, 1, 1, pair(1, 1));
        expect(PC_D_SAMPLE_ID_MISSING, 1, at);
        assert_int_equal(first.expected.n, 16);
        begin_with(PC_S_IP | PC_S_TID, 0);
        at = RECORD(USER | PC_SAMPLE, 0x10);
        expect(PC_D_SAMPLE_SHORT, 1, at + 6);
        assert_int_equal(first.expected.n, 24);
        begin_with(PC_S_IP | PC_S_TID, 0);
        at = RECORD(USER | PC_SAMPLE, 0x10, pair(1, 1), 0);
        expect(PC_D_SAMPLE_EXCESS, 1, at + 24);
        assert_int_equal(first.length, 8);
    }
}

static void times_cpus_and_ids_of_samples_are_set(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TIME | PC_S_CPU, 0);
        begin_feature(PC_NRCPUS);
        put(4, 4);
        put(4, 4);
        end_record();
        RECORD(USER | PC_SAMPLE, 1, pair(3, 0));
        RECORD(USER | PC_SAMPLE, 1, pair(UINT32_MAX, 0));
        expect(PC_D_TIME_UNSET, 0, 0);
        expect(PC_D_SAMPLE_CPU_BEYOND, 0, 0);
        uint64_t at = RECORD(USER | PC_SAMPLE, 0, pair(4, 0));
        RECORD(USER | PC_SAMPLE, UINT64_MAX, pair(0, 1));
        expect(PC_D_TIME_UNSET, 2, at + 8);
        expect(PC_D_SAMPLE_CPU_BEYOND, 1, at + 16);
        assert_int_equal(first.expected.n, 4);
        expect(PC_D_SAMPLE_ID_RESERVED, 1, in.len - 4);
        begin_with(PC_S_IDENTIFIER | PC_S_ID, 0);
        RECORD(USER | PC_SAMPLE, 1, 1);
        expect(PC_D_IDENTIFIER_DIFFERS, 0, 0);
        at = RECORD(USER | PC_SAMPLE, 1, 2);
        expect(PC_D_IDENTIFIER_DIFFERS, 1, at + 16);
    }
}

static uint64_t fork_of(uint64_t pid, uint64_t ppid, uint64_t tid, uint64_t ptid)
{
    return RECORD(PC_FORK, pair(pid, ppid), pair(tid, ptid), 0, pair(1, 1));
}

static void tasks_have_numbers_and_other_parents(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        fork_of(1, 1, 4194303, 1);
        fork_of(0, 0, 0, 0); /* outside of the recorder's namespace */
        expect(PC_D_TASK_NUMBER, 0, 0);
        expect(PC_D_FORK_OWN_PARENT, 0, 0);
        expect(PC_D_FORK_IDLE, 0, 0);
        uint64_t at = fork_of(1, 1, 4194304, 4194305); /* PID_MAX_LIMIT */
        expect(PC_D_TASK_NUMBER, 2, at + 16);
        at = fork_of(1, 1, 7, 7);
        expect(PC_D_FORK_OWN_PARENT, 1, at + 20);
        at = fork_of(1, 1, 0, 7);
        expect(PC_D_FORK_IDLE, 1, at + 16);
    }
}

static uint64_t map(uint64_t addr, uint64_t len)
{
    return RECORD(USER | PC_MMAP, pair(1, 1), addr, len, 0, chars("name"), pair(1, 1));
}

static void ranges_end_in_the_address_space(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        map(UINT64_MAX - 0xfff, 0x1000);
        expect(PC_D_MMAP_RANGE, 0, 0);
        uint64_t at = map(UINT64_MAX - 0xfff, 0x1001);
        map(0x1000, 0);
        expect(PC_D_MMAP_RANGE, 2, at + 24);
        RECORD(PC_AUX, UINT64_MAX - 8, 8, 0, pair(1, 1));
        expect(PC_D_AUX_OVERFLOW, 0, 0);
        at = RECORD(PC_AUX, UINT64_MAX - 8, 9, 0, pair(1, 1));
        expect(PC_D_AUX_OVERFLOW, 1, at + 16);
    }
}

/* MMAP2 with a build id of `size` bytes, whose 20 bytes have only this one. */
static uint64_t mmap2(uint64_t size, unsigned set)
{
    begin_record(MISC(2 | PC_MISC_MMAP_BUILD_ID) | PC_MMAP2);
    put(1, 4);
    put(1, 4);
    const uint64_t words[] = { 0x1000, 0x1000, 0 };
    for (size_t i = 0; i < 3; i++)
        put(words[i], 8);
    put(size, 1);
    put_text("", 3 + 20 + 8);
    in.p[in.len - 28 + set] = 1;
    put_text("name", 8);
    put(1, 4);
    put(1, 4);
    return end_record();
}

static void bytes_after_a_build_id_are_zeros(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, PC_FLAG_BUILD_ID);
        mmap2(16, 15);
        mmap2(20, 19);
        expect(PC_D_MMAP2_BUILD_ID_TAIL, 0, 0);
        uint64_t at = mmap2(16, 16);
        expect(PC_D_MMAP2_BUILD_ID_TAIL, 1, at + 8 + 36 + 16);
        at = mmap2(21, 0);
        expect(PC_D_MMAP2_BUILD_ID_SIZE, 1, at + 8 + 32);
        at = mmap2(0, 0);
        expect(PC_D_MMAP2_BUILD_ID_EMPTY, 1, at + 8 + 32);
    }
}

static void an_exact_address_was_asked_for(void **state)
{
    (void)state;
    for (uint64_t precise = 0; precise < 4; precise++) {
        begin_with(PC_S_IP, precise << 15);
        uint64_t at = RECORD(MISC(0x4002) | PC_SAMPLE, 0x10);
        expect(PC_D_EXACT_IP, precise == 0, at + 4);
    }
}

static void values_that_were_read_belong_to_events(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t id = 1; id < 3; id++) {
            begin_with(PC_S_IP | PC_S_READ, 0);
            put_at(16 + 8 + 32, PC_READ_ID | PC_READ_GROUP, 8);           /* read_format of the attr */
            uint64_t at = RECORD(USER | PC_SAMPLE, 0x10, 2, 5, 1, 6, id); /* nr, value and id of each */
            expect(PC_D_READ_ID, id == 2, at + 48);
        }
    }
}

static const char *const formats[] = {
    FORMAT("7", "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"
                "\tfield:__data_loc char[] b;\toffset:12;\tsize:4;\tsigned:0;\n"),
};

/* A sample of tracepoint 7: its common fields, a, where b is, and the bytes of b; raw_size is 4 bytes before.
 */
static uint64_t raw(uint64_t type, uint64_t size, uint64_t data_loc)
{
    begin_record(USER | PC_SAMPLE);
    put(size, 4);
    put(type, 2);
    put_text("", (size_t)size - 2);
    if (size >= 16)
        put_at(in.len - size + 12, data_loc, 4);
    return end_record();
}

static void fields_of_a_tracepoint_lie_in_its_payload(void **state)
{
    (void)state;
    static const struct {
        uint64_t type, size, data_loc;
        enum pc_diag id;
        uint64_t at;
    } rows[] = {
        { 7, 20, 4 << 16 | 16, PC_NO_DIAG, 0 },
        { 7, 20, 5 << 16 | 16, PC_D_RAW_FIELD_OUTSIDE, 12 + 12 },
        { 7, 20, 4 << 16 | 17, PC_D_RAW_FIELD_OUTSIDE, 12 + 12 },
        { 7, 12, 0, PC_D_RAW_FIELD_OUTSIDE, 12 + 12 },
        { 7, 28, 12 << 16 | 16, PC_NO_DIAG, 0 },
        { 7, 36, 5 << 16 | 16, PC_NO_DIAG, 0 }, /* 15 bytes that no field describes */
        { 7, 36, 4 << 16 | 16, PC_D_RAW_UNDESCRIBED, 12 + 20 },
        { 0, 20, 4 << 16 | 16, PC_D_COMMON_TYPE, 12 },
        { 8, 20, 4 << 16 | 16, PC_D_COMMON_TYPE_UNKNOWN, 12 },
    };
    static const enum pc_diag all[] = { PC_D_RAW_FIELD_OUTSIDE, PC_D_RAW_UNDESCRIBED, PC_D_COMMON_TYPE,
                                        PC_D_COMMON_TYPE_UNKNOWN };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        begin_empty();
        uint64_t attr = put_attr(PC_S_RAW, 0);
        put_at(attr + 8, 2, 4);  /* a tracepoint ... */
        put_at(attr + 16, 7, 8); /* ... with this number */
        begin_record(PC_HEADER_TRACING_DATA);
        put(2048, 4);
        end_record();
        memset(in.p + in.len, 0, 2048);
        assert_true(tracing_data(in.p + in.len, formats, PC_COUNT_OF(formats)) <= 2048);
        in.len += 2048;
        uint64_t at = raw(rows[i].type, rows[i].size, rows[i].data_loc);
        for (size_t k = 0; k < PC_COUNT_OF(all); k++)
            expect(all[k], rows[i].id == all[k], at + rows[i].at);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_id_of_a_record_is_that_of_an_attr),
    cmocka_unit_test(a_record_has_room_for_its_trailer),
    cmocka_unit_test(times_cpus_and_ids_of_samples_are_set),
    cmocka_unit_test(tasks_have_numbers_and_other_parents),
    cmocka_unit_test(ranges_end_in_the_address_space),
    cmocka_unit_test(bytes_after_a_build_id_are_zeros),
    cmocka_unit_test(an_exact_address_was_asked_for),
    cmocka_unit_test(values_that_were_read_belong_to_events),
    cmocka_unit_test(fields_of_a_tracepoint_lie_in_its_payload),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
