/* SPDX-License-Identifier: MIT
 *
 * A capture has one number of CPUs, and one of x86 a CPUID with three numbers. The machine has a name.
 */
#include "pc_test.h"
#include "capture_bench.h"

static uint64_t put_cpus(uint32_t nr)
{
    uint64_t at = begin_feature(PC_NRCPUS);
    put(nr, 4);
    put(1, 4);
    end_record();
    return at;
}

static void each_number_is_the_first_one(void **state)
{
    (void)state;
    static const struct {
        uint32_t first, second, third;
        unsigned wrong;
    } rows[] = {
        { 4, 4, 4, 0 }, { 4, 5, 4, 1 }, { 4, 3, 4, 1 }, { 4, 5, 5, 2 }, { 4, 5, 3, 2 }, { 4, 4, 1048576, 1 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_empty();
            put_cpus(rows[i].first);
            uint64_t second = put_cpus(rows[i].second), third = put_cpus(rows[i].third);
            expect(PC_D_NRCPUS_DIFFERS, rows[i].wrong, rows[i].second != rows[i].first ? second : third);
        }
    }
}

static uint64_t put_feature_text(enum pc_feature feature, const char *text)
{
    uint64_t at = begin_feature(feature);
    size_t len = strlen(text) + 1;
    put(len, 4);
    for (size_t i = 0; i < len; i++)
        put((unsigned char)text[i], 1);
    end_record();
    return at;
}

static void a_cpuid_of_x86_has_three_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *arch, *cpuid;
        uint32_t machine;
        unsigned wrong;
    } rows[] = {
        { "x86_64", "GenuineIntel,6,154,3", 0, 0 },
        { "x86_64", "x, +6,\t-1,3x", 0, 0 },
        { "x86_64", "x,6,154", 0, 1 },
        { "x86_64", "x,6,154,", 0, 1 },
        { "x86_64", "x,6 ,154,3", 0, 1 },
        { "x86_64", ",6,154,3", 0, 1 },
        { "x86_64", "", 0, 1 },
        { "i586", "x", 0, 1 },
        { "i86", "x", 0, 0 },
        { "i", "x", 0, 0 },
        { "", "x", 0, 0 },
        { NULL, "x", 0, 1 },
        { NULL, "x", 62, 1 },
        { NULL, "x", 22, 0 },
        { NULL, "x,1,2,3", 0, 0 },
        { "s390x", "x", 0, 0 },
        { "s390x", "x", 3, 1 },
        { "s390x", "x", 62, 1 },
        { "x86_64", "x", 22, 0 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_empty();
            if (rows[i].arch)
                put_feature_text(PC_ARCH, rows[i].arch);
            uint64_t at = put_feature_text(PC_CPUID, rows[i].cpuid);
            if (rows[i].machine != 0) {
                begin_feature(PC_E_MACHINE);
                put(rows[i].machine, 4);
                put(0, 4);
                end_record();
            }
            expect(PC_D_CPUID, rows[i].wrong, at);
        }
    }
}

static void the_machine_has_a_name(void **state)
{
    (void)state;
    static const struct {
        const char *arch;
        bool is_name, is_annotated;
    } rows[] = {
        { "x86_64", true, true },     { "i386", true, true },      { "i86", true, false },
        { "aarch64_be", true, true }, { "sparc64", true, true },   { "riscv64", true, true },
        { "riscv", true, false },     { "riscv64x", true, false }, { "x86_6", true, false },
        { "sh4", true, false },       { "loongarch", true, true }, { "a-b.C_9", true, false },
        { "x86_64 ", false, false },  { "x86\xff", false, false }, { "", false, false },
        { "mips\x01", false, false },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        asked_for = PC_BY_ALL;
        begin_empty();
        uint64_t at = put_feature_text(PC_ARCH, rows[i].arch);
        expect(PC_D_ARCH_NAME, !rows[i].is_name, at);
        expect(PC_D_FOR_ARCH, rows[i].is_name && !rows[i].is_annotated, at);
    }
    asked_for = PC_BY_NONE;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_machine_has_a_name),
    cmocka_unit_test(a_cpuid_of_x86_has_three_numbers),
    cmocka_unit_test(each_number_is_the_first_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
