/* SPDX-License-Identifier: MIT
 *
 * Rules of attrs, each alone.
 */
#include "pc_test.h"
#include "capture_bench.h"

static struct {
    uint64_t type, size, config, period, sample_type, read_format, flags; /* flags: as on little-endian */
    uint64_t more[11]; /* words from byte 56 on: bp_addr, bp_len, branch_type, regs_user, ... */
} attr;

enum { BRANCH_TYPE = 2, REGS_USER, STACK_CLOCK, REGS_INTR };

static void a_sound_one(void)
{
    memset(&attr, 0, sizeof(attr));
    attr.type = 1;
    attr.size = 136;
    attr.period = 1;
    attr.sample_type = PC_S_TID;
    attr.flags = PC_FLAG_SAMPLE_ID_ALL;
}

/* HEADER_ATTR with the id: the attr begins 8 bytes into it. */
static uint64_t put_own(uint64_t id)
{
    uint64_t at = begin_record(PC_HEADER_ATTR), flags = 0;
    put(attr.type, 4);
    put(attr.size, 4);
    put(attr.config, 8);
    put(attr.period, 8);
    put(attr.sample_type, 8);
    put(attr.read_format, 8);
    for (unsigned i = 0; i < 64; i++)
        flags |= (attr.flags >> i & 1) << (in.order == PC_LITTLE ? i : 63 - i);
    put(flags, 8);
    put(0, 8); /* wakeup_events, bp_type */
    for (size_t i = 0; i < (attr.size - 56) / 8; i++) {
        if (i == STACK_CLOCK) { /* sample_stack_user and clockid */
            put(attr.more[i] & UINT32_MAX, 4);
            put(attr.more[i] >> 32, 4);
        } else {
            put(attr.more[i], 8);
        }
    }
    put(id, 8);
    return end_record() * 0 + at + 8;
}

#define ALONE(nr, id, at)                                                                                    \
    do {                                                                                                     \
        begin_empty();                                                                                       \
        uint64_t begins = put_own(1);                                                                        \
        expect(id, nr, begins + (at));                                                                       \
    } while (0)

static void flags_do_not_contradict_each_other(void **state)
{
    (void)state;
    static const struct {
        uint64_t flags, sample_type;
        enum pc_diag id;
    } rows[] = {
        { PC_FLAG_SIGTRAP | PC_FLAG_REMOVE_ON_EXEC, 0, PC_NO_DIAG },
        { PC_FLAG_SIGTRAP, 0, PC_D_FLAGS_CONFLICT },
        { PC_FLAG_INHERIT_THREAD | PC_FLAG_INHERIT, 0, PC_NO_DIAG },
        { PC_FLAG_INHERIT_THREAD, 0, PC_D_FLAGS_CONFLICT },
        { PC_FLAG_REMOVE_ON_EXEC | PC_FLAG_ENABLE_ON_EXEC, 0, PC_D_FLAGS_CONFLICT },
        { PC_FLAG_ENABLE_ON_EXEC, 0, PC_NO_DIAG },
        { PC_FLAG_DEFER_CHAIN, PC_S_CALLCHAIN, PC_NO_DIAG },
        { PC_FLAG_DEFER_CHAIN, PC_S_IP, PC_D_DEFER_WITHOUT_CALLCHAIN },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            a_sound_one();
            attr.flags |= rows[i].flags;
            attr.sample_type |= rows[i].sample_type;
            ALONE(rows[i].id == PC_D_FLAGS_CONFLICT, PC_D_FLAGS_CONFLICT, 40);
            ALONE(rows[i].id == PC_D_DEFER_WITHOUT_CALLCHAIN, PC_D_DEFER_WITHOUT_CALLCHAIN, 40);
        }
    }
}

static void values_are_below_their_limits(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        a_sound_one();
        attr.period = (uint64_t)1 << 63;
        ALONE(1, PC_D_PERIOD_SIGN, 16);
        attr.period--;
        ALONE(0, PC_D_PERIOD_SIGN, 0);
        attr.period = UINT64_MAX;
        attr.flags |= PC_FLAG_FREQ;
        ALONE(0, PC_D_PERIOD_SIGN, 0); /* it is a frequency */
        a_sound_one();
        attr.more[STACK_CLOCK] = (uint64_t)12 << 32;
        ALONE(0, PC_D_CLOCKID_UNKNOWN, 0); /* without use_clockid */
        attr.flags |= PC_FLAG_USE_CLOCKID;
        ALONE(1, PC_D_CLOCKID_UNKNOWN, 92);
        attr.more[STACK_CLOCK] = (uint64_t)11 << 32;
        ALONE(0, PC_D_CLOCKID_UNKNOWN, 0);
        a_sound_one();
        attr.sample_type |= PC_S_WEIGHT | PC_S_WEIGHT_STRUCT;
        ALONE(1, PC_D_WEIGHT_TWICE, 24);
        attr.sample_type &= ~PC_S_WEIGHT;
        ALONE(0, PC_D_WEIGHT_TWICE, 0);
        attr.read_format = 1 << 5; /* five are known: include/uapi/linux/perf_event.h */
        ALONE(1, PC_D_READ_FORMAT_UNUSED, 32);
        attr.sample_type |= PC_S_READ;
        ALONE(0, PC_D_READ_FORMAT_UNUSED, 0);
        ALONE(1, PC_D_READ_FORMAT_UNKNOWN, 32);
        attr.read_format >>= 1;
        ALONE(0, PC_D_READ_FORMAT_UNKNOWN, 0);
    }
}

static void what_is_sampled_has_its_parameter(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        static const struct {
            uint64_t bit, end; /* of the parameter in the attr */
        } rows[] = {
            { PC_S_BRANCH_STACK, 80 },
            { PC_S_REGS_USER, 88 },
            { PC_S_STACK_USER, 92 },
            { PC_S_REGS_INTR, 104 },
        };
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            a_sound_one();
            attr.sample_type |= rows[i].bit;
            attr.size = (rows[i].end + 7) / 8 * 8;
            ALONE(0, PC_D_ATTR_PARAMETER_MISSING, 0);
            attr.size -= 8;
            ALONE(1, PC_D_ATTR_PARAMETER_MISSING, 4);
        }
        a_sound_one();
        attr.sample_type |= PC_S_BRANCH_STACK | PC_S_REGS_USER | PC_S_STACK_USER | PC_S_REGS_INTR;
        attr.more[BRANCH_TYPE] = 7; /* whose branches, but not which */
        attr.more[STACK_CLOCK] = 12;
        ALONE(1, PC_D_BRANCH_TYPE_NONE, 72);
        ALONE(2, PC_D_REGS_MASK_EMPTY, 80);
        ALONE(1, PC_D_STACK_SIZE, 88);
        attr.more[BRANCH_TYPE] = (uint64_t)1 << 20; /* PERF_SAMPLE_BRANCH_MAX_SHIFT of 7.2 */
        attr.more[REGS_USER] = 1;
        attr.more[STACK_CLOCK] = 65528;
        ALONE(1, PC_D_BRANCH_TYPE_UNKNOWN, 72);
        ALONE(1, PC_D_REGS_MASK_EMPTY, 96);
        ALONE(0, PC_D_STACK_SIZE, 0);
        attr.more[BRANCH_TYPE] = 8 | (uint64_t)1 << 19;
        attr.more[REGS_INTR] = (uint64_t)1 << 63;
        attr.more[STACK_CLOCK] = 65536;
        ALONE(0, PC_D_BRANCH_TYPE_UNKNOWN, 0);
        ALONE(0, PC_D_BRANCH_TYPE_NONE, 0);
        ALONE(0, PC_D_REGS_MASK_EMPTY, 0);
        ALONE(1, PC_D_STACK_SIZE, 88);
    }
}

/* The size that an attr says of itself, in an entry of a file that has room for 64 bytes. */
static void an_attr_is_as_long_as_its_entry(void **state)
{
    (void)state;
    static const struct {
        uint64_t size;
        enum pc_diag id;
    } rows[] = {
        { 64, PC_NO_DIAG },
        { 0, PC_D_ATTR_SIZE_ZERO },
        { 63, PC_D_ATTR_SIZE_SMALL },
        { 68, PC_D_ATTR_SIZE_UNALIGNED },
        { 72, PC_D_ATTR_SIZE_MISMATCH },
    };
    static const enum pc_diag all[] = { PC_D_ATTR_SIZE_ZERO, PC_D_ATTR_SIZE_SMALL, PC_D_ATTR_SIZE_UNALIGNED,
                                        PC_D_ATTR_SIZE_MISMATCH };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_file(PC_S_TID, 0);
            RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
            end_file();
            put_at(FILE_ATTRS + 4, rows[i].size, 4);
            for (size_t k = 0; k < PC_COUNT_OF(all); k++)
                expect(all[k], rows[i].id == all[k], FILE_ATTRS + 4);
        }
        a_sound_one();
        attr.size = 144; /* of Linux 7.2 */
        ALONE(0, PC_D_ATTR_SIZE_NEWER, 0);
        attr.size = 64;
        begin_empty();
        uint64_t at = put_own(1);
        make_room(at + 64, 88);
        put_at(at + 4, 152, 4);
        put_at(at - 2, 8 + 152 + 8, 2);
        expect(PC_D_ATTR_SIZE_NEWER, 1, at + 4);
        assert_int_equal(first.expected.n, 144);
    }
}

static void deferred_chains_are_asked_for(void **state)
{
    (void)state;
    for (unsigned asked = 0; asked < 2; asked++) {
        begin_with(PC_S_TID | PC_S_CALLCHAIN, asked ? PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT : 0);
        uint64_t at = RECORD(USER | PC_CALLCHAIN_DEFERRED, 5, 0, 0);
        expect(PC_D_DEFERRED_UNEXPECTED, !asked, at);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(flags_do_not_contradict_each_other), cmocka_unit_test(values_are_below_their_limits),
    cmocka_unit_test(what_is_sampled_has_its_parameter),  cmocka_unit_test(an_attr_is_as_long_as_its_entry),
    cmocka_unit_test(deferred_chains_are_asked_for),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
