/* SPDX-License-Identifier: MIT
 *
 * What the members of a directory capture are, by their names.
 */
#include "pc_test.h"
#include "bytes/member.h"

static void each_name_has_its_kind(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum pc_member_kind kind, in_kcore;
        uint32_t number;
    } rows[] = {
        { "data", PC_MEMBER_DATA, PC_MEMBER_UNKNOWN, 0 },
        { "data.0", PC_MEMBER_STREAM, PC_MEMBER_UNKNOWN, 0 },
        { "data.10", PC_MEMBER_STREAM, PC_MEMBER_UNKNOWN, 10 },
        { "data.2147483647", PC_MEMBER_STREAM, PC_MEMBER_UNKNOWN, 2147483647 },
        { "data.2147483648", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data.99999999999999999999", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data.01", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data.", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data.1x", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data.-1", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data.old", PC_MEMBER_OTHER, PC_MEMBER_UNKNOWN, 0 },
        { "data1", PC_MEMBER_UNKNOWN, PC_MEMBER_UNKNOWN, 0 },
        { "kcore_dir", PC_MEMBER_KCORE, PC_MEMBER_UNKNOWN, 0 },
        { "kcore_dir__7", PC_MEMBER_KCORE, PC_MEMBER_UNKNOWN, 7 },
        { "kcore_dir__", PC_MEMBER_UNKNOWN, PC_MEMBER_UNKNOWN, 0 },
        { "kcore_dir__x", PC_MEMBER_UNKNOWN, PC_MEMBER_UNKNOWN, 0 },
        { "kcore_dir_7", PC_MEMBER_UNKNOWN, PC_MEMBER_UNKNOWN, 0 },
        { "kcore", PC_MEMBER_UNKNOWN, PC_MEMBER_KCORE_FILE, 0 },
        { "kallsyms", PC_MEMBER_UNKNOWN, PC_MEMBER_KCORE_FILE, 0 },
        { "modules", PC_MEMBER_UNKNOWN, PC_MEMBER_KCORE_FILE, 0 },
        { "kcores", PC_MEMBER_UNKNOWN, PC_MEMBER_UNKNOWN, 0 },
        { "", PC_MEMBER_UNKNOWN, PC_MEMBER_UNKNOWN, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        uint32_t number = 0;
        if (pc_member_kind_of(rows[i].name, false, &number) != rows[i].kind ||
            pc_member_kind_of(rows[i].name, true, &number) != rows[i].in_kcore || number != rows[i].number)
            fail_msg("%s", rows[i].name);
        assert_int_equal(pc_member_is_kcore(rows[i].name), rows[i].kind == PC_MEMBER_KCORE);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_name_has_its_kind),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
