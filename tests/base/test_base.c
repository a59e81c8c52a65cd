/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "base/base.h"

struct element {
    char name[3];
    uint64_t key;
};

/* Each place before, at and behind each key, for arrays of none up to five elements, some of them equal. */
static void the_lower_bound_is_what_a_plain_count_gives(void **state)
{
    (void)state;
    static const uint64_t key[] = { 0, 7, 7, 7, UINT64_MAX };
    static const uint64_t value[] = { 0, 1, 6, 7, 8, UINT64_MAX - 1, UINT64_MAX };
    struct element element[PC_COUNT_OF(key)] = { 0 };
    for (size_t i = 0; i < PC_COUNT_OF(key); i++)
        element[i].key = key[i];
    for (size_t nr = 0; nr <= PC_COUNT_OF(key); nr++) {
        for (size_t v = 0; v < PC_COUNT_OF(value); v++) {
            size_t below = 0;
            for (size_t i = 0; i < nr; i++)
                below += key[i] < value[v];
            assert_int_equal(pc_lower_bound(nr == 0 ? NULL : element, nr, sizeof(*element),
                                            offsetof(struct element, key), value[v]),
                             below);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_lower_bound_is_what_a_plain_count_gives),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
