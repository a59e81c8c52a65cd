/* SPDX-License-Identifier: MIT
 *
 * This program itself is the ELF file. What symbols perf takes is in tests/test_tables.
 */
#include "cli/functions.h"
#include "pc_test.h"

#ifdef PC_BINARIES

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

static int probe(int x)
{
    return x + 1;
}

/* All of its symbols belong to the last address. */
static void the_nearest_symbol_before_an_address_is_its_function(void **state)
{
    struct pc_address address[] = { { .at = 0 }, { .at = UINT64_MAX } };
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    (void)state;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    assert_non_null(elf);
    assert_int_equal(probe(1), 2);
    if (pc_functions_take(elf, SHT_SYMTAB, address, 2)) {
        assert_null(address[0].function);
        assert_non_null(address[1].function);
        uint64_t last = address[1].start;
        address[1] = (struct pc_address){ .at = last - 1 };
        assert_true(pc_functions_take(elf, SHT_SYMTAB, address, 2));
        assert_true(address[1].start < last);
    }
    assert_false(pc_functions_take(elf, 0x12345, address, 2));
    elf_end(elf);
    close(fd);
}

static void names_are_those_that_perf_shows(void **state)
{
    char name[PC_FUNCTION_NAME], long_name[8000];
    (void)state;
    memset(long_name, 'x', sizeof(long_name));
    long_name[sizeof(long_name) - 1] = 0;
    pc_functions_demangle(long_name, name);
    assert_int_equal(strlen(name), sizeof(name) - 1);
    pc_functions_demangle("main", name);
    assert_string_equal(name, "main");
    pc_functions_demangle("_ZN", name);
    assert_string_equal(name, "_ZN");
#ifdef PC_DEMANGLE
    pc_functions_demangle("_ZNK2ns1SIiEclEiRKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE", name);
    assert_string_equal(name, "ns::S<int>::operator()");
    pc_functions_demangle("_ZN4core3fmt5write17h01234567890abcdeE", name);
    assert_string_equal(name, "core::fmt::write");
#endif
}

#else

static void the_nearest_symbol_before_an_address_is_its_function(void **state)
{
    (void)state;
    lacks("built without libdw");
}

static void names_are_those_that_perf_shows(void **state)
{
    (void)state;
    lacks("built without libdw");
}

#endif

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_nearest_symbol_before_an_address_is_its_function),
    cmocka_unit_test(names_are_those_that_perf_shows),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
