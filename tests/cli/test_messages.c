/* SPDX-License-Identifier: MIT
 *
 * The table of messages of other tools, and how one is found.
 */
#include "cli/messages.h"
#include "pc_test.h"
#include "report/diag.h"

#include <stdio.h>

static void each_row_is_found_by_its_own_text(void **state)
{
    (void)state;
    const struct pc_message *m, *found;
    unsigned nr = 0;
    for (; (m = pc_message_at(nr)) != NULL; nr++) {
        char printed[200];
        size_t len = 0;
        printed[len++] = '>';
        for (const char *t = m->text; *t; t++)
            len += (size_t)snprintf(printed + len, sizeof(printed) - len, *t == '#' ? "-0x1f%c" : "%c",
                                    *t == '#' ? '7' : *t);
        found = pc_message_find(printed + 1);
        if (found != m && (!found || strcmp(found->meaning, m->meaning) != 0))
            fail_msg("\"%s\" is found as \"%s\"", m->text, found ? found->text : "nothing");
        assert_ptr_equal(pc_message_find(printed), found);
    }
    assert_true(nr >= 40);
}

static void texts_are_short_sentences_and_findings_exist(void **state)
{
    (void)state;
    const struct pc_message *m;
    for (unsigned i = 0; (m = pc_message_at(i)) != NULL; i++) {
        const char *texts[] = { m->meaning, m->next };
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(texts[k][strlen(texts[k]) - 1], '.');
            assert_null(strstr(texts[k], "  "));
        }
        assert_true(strlen(m->tool) > 3 && strlen(m->text) > 8);
        for (const char *id = m->findings; *id; id += id[6] ? 8 : 6) {
            char one[7] = "";
            memcpy(one, id, 6);
            assert_int_not_equal(pc_diag_find(one), PC_NO_DIAG);
            assert_true(id[6] == 0 || strncmp(id + 6, ", PC", 4) == 0);
        }
    }
}

static void numbers_stand_for_numbers_only(void **state)
{
    (void)state;
    assert_non_null(pc_message_find("Failed To Process Type: 0x46"));
    assert_non_null(pc_message_find("failed to process type: -1"));
    assert_null(pc_message_find(">failed to process type: "));
    assert_null(pc_message_find("failed to process type: x1"));
    assert_null(pc_message_find(""));
}

static void a_part_of_a_text_is_enough_if_it_is_long(void **state)
{
    (void)state;
    assert_string_equal(pc_message_find("zstd decompression")->tool, "hotspot");
    assert_null(pc_message_find("zstd de"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_row_is_found_by_its_own_text),
    cmocka_unit_test(texts_are_short_sentences_and_findings_exist),
    cmocka_unit_test(numbers_stand_for_numbers_only),
    cmocka_unit_test(a_part_of_a_text_is_enough_if_it_is_long),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
