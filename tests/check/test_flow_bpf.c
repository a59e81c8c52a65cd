/* SPDX-License-Identifier: MIT
 *
 * Functions of BPF programs: their types are those of a BTF (include/uapi/linux/btf.h).
 */
#include "pc_test.h"
#include "capture_bench.h"

/* BPF_PROG_INFO with one program, whose data are one func_info of 8 bytes: insn_off, type_id. The info ends
 * after nr_func_info, 156 bytes (struct bpf_prog_info). Returns where type_id is. */
static uint64_t program(uint64_t btf, uint64_t type_id)
{
    begin_feature(PC_BPF_PROG_INFO);
    put(1, 4);
    put(160, 4); /* info_len */
    put(8, 4);   /* data_len */
    put(1 << 5, 8);
    uint64_t info = in.len;
    put_text("", 128);
    put(btf, 4);
    put(8, 4); /* func_info_rec_size */
    put(0, 8); /* func_info: where it is in the data */
    put(1, 4); /* nr_func_info */
    put_text("", (size_t)(info + 160 - in.len));
    put(0, 4);
    put(type_id, 4);
    end_record();
    return in.len - 4;
}

enum { TEXT = 8 };

/* The first type of a BTF gets this kind, whose size is that of FWD. */
static void set_kind(size_t types, unsigned char kind)
{
    in.p[types + 4 + (in.order == PC_LITTLE ? 3 : 0)] = kind;
}

/* BPF_BTF with one BTF: its header, and `types` types of the kinds FWD (7) and STRUCT (4) of one member. */
static void btf_with(uint64_t id, uint64_t types, uint64_t magic)
{
    uint64_t size = types * 12 + types / 2 * 12;
    begin_feature(PC_BPF_BTF);
    put(1, 4);
    put(id, 4);
    put(24 + size + TEXT, 4);
    put(magic, 2);
    put(1, 2); /* version, flags */
    const uint64_t head[] = { 24, 0, size, (uint64_t)size, TEXT };
    for (size_t i = 0; i < PC_COUNT_OF(head); i++)
        put(head[i], 4);
    for (uint64_t i = 1; i <= types; i++) {
        put(0, 4);
        put(i % 2 ? 7 << 24 : 4 << 24 | 1, 4);
        put(0, 4);
        if (i % 2 == 0)
            put_text("", 12);
    }
    put_text("", TEXT);
    end_record();
}

static void a_function_has_a_type_of_its_btf(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (uint64_t type = 4; type < 7; type++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = program(9, type);
            btf_with(9, 5, 0xeb9f);
            expect(PC_D_BPF_FUNCTION_TYPE, type == 6, at);
            assert_int_equal(first.seen.n, type == 6 ? 6 : 0);
            assert_int_equal(first.expected.n, type == 6 ? 5 : 0);
        }
    }
}

static void without_its_btf_a_function_is_not_judged(void **state)
{
    (void)state;
    begin_with(PC_S_TID, 0);
    program(9, 6);
    expect(PC_D_BPF_FUNCTION_TYPE, 0, 0);
    btf_with(8, 5, 0xeb9f); /* another one */
    expect(PC_D_BPF_FUNCTION_TYPE, 0, 0);
    begin_with(PC_S_TID, 0);
    program(0, 6); /* a program without a BTF */
    btf_with(0, 5, 0xeb9f);
    expect(PC_D_BPF_FUNCTION_TYPE, 0, 0);
}

static void a_btf_with_floats_is_not_for_5_10(void **state)
{
    (void)state;
    enum { ONE = 12 };
    IN_BOTH_ORDERS
    {
        for (unsigned char kind = 15; kind < 18; kind++) {
            for (uint64_t type = 1; type < 3; type++) {
                asked_for = kind % 2 ? PC_BY_ALL : PC_BY_5_10;
                begin_with(PC_S_TID, 0);
                uint64_t at = program(9, type);
                btf_with(9, 1, 0xeb9f);
                set_kind(in.len - TEXT - ONE, kind == 16 ? kind : 7);
                expect(PC_D_FOR_BPF_FLOAT, kind == 16 && type == 1, at);
                expect(PC_D_BPF_FUNCTION_TYPE, type == 2, at);
            }
        }
    }
    asked_for = PC_BY_NONE;
}

static void a_btf_of_a_kind_that_is_not_known_is_not_judged(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_with(PC_S_TID, 0);
        program(9, 6);
        btf_with(9, 1, 0xeb9f);
        set_kind(in.len - TEXT - 12, 19);
        expect(PC_D_BPF_FUNCTION_TYPE, 1, in.len - TEXT - 12 - 24 - 12 - 16 - 4);
        set_kind(in.len - TEXT - 12, 20);
        expect(PC_D_BPF_FUNCTION_TYPE, 0, 0);
    }
}

/* Places in a BTF with one type, which begins so many bytes before its end. */
static void a_damaged_btf_has_no_types(void **state)
{
    (void)state;
    static const size_t words[] = { 4, 8, 12, 16, 20 };
    IN_BOTH_ORDERS
    {
        const size_t size = 24 + 12 + TEXT;
        for (size_t i = 0; i < PC_COUNT_OF(words) + 5; i++) {
            begin_with(PC_S_TID, 0);
            uint64_t at = program(9, 1);
            btf_with(9, 1, i == 0 ? 0xeb9e : 0xeb9f);
            expect(PC_D_BPF_FUNCTION_TYPE, i == 0, at);
            uint8_t *btf = in.p + in.len - size;
            const size_t low = in.order == PC_LITTLE ? 0 : 3, high = 3 - low;
            if (i >= 5)
                btf[words[i - 5] + low] -= 4; /* hdr_len, type_off, type_len, str_off, str_len */
            else if (i == 1)
                btf[size - 1] = 'a';
            else if (i == 2)
                btf[size - TEXT] = 'a';
            else if (i == 3)
                btf[24 + 4 + low] = 1; /* a STRUCT of one member, which is missing */
            else if (i == 4)
                btf[24 + 4 + high] = 0;
            if (i == 3)
                btf[24 + 4 + high] = 4;
            expect(PC_D_BPF_FUNCTION_TYPE, 1, at);
            assert_int_equal(first.expected.n, 0);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_function_has_a_type_of_its_btf),
    cmocka_unit_test(without_its_btf_a_function_is_not_judged),
    cmocka_unit_test(a_btf_with_floats_is_not_for_5_10),
    cmocka_unit_test(a_btf_of_a_kind_that_is_not_known_is_not_judged),
    cmocka_unit_test(a_damaged_btf_has_no_types),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
