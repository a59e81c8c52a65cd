/* SPDX-License-Identifier: MIT
 *
 * The features of simpleperf: where their entries end.
 */
#include "pc_test.h"
#include "bytes/cursor.h"
#include "format/features.h"

static bool walk(uint64_t bit, const unsigned char *bytes, size_t n)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ bytes, n }, PC_LITTLE);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    return pc_walk_table(&walk, pc_feature_info(bit)->fields) && pc_left(&c) == 0;
}

static void pairs_are_terminated(void **state)
{
    (void)state;
    static const char pairs[] = "key\0value\0k\0v";
    for (size_t n = 0; n <= sizeof(pairs); n++)
        assert_int_equal(walk(PC_META_INFO, (const unsigned char *)pairs, n), n == 0 || n == 10 || n == 14);
}

/* Path, type, address, one symbol; then what is left of the entry: an offset. */
static void a_file_ends_by_its_type(void **state)
{
    (void)state;
    for (unsigned type = 0; type <= 5; type++) {
        unsigned char entry[4 + 2 + 4 + 8 + 4 + 14 + 16] = { 0 };
        const size_t fixed = 4 + 2 + 4 + 8 + 4 + 14, dex_at = fixed;
        entry[4] = 'a';
        entry[6] = (unsigned char)type;
        entry[18] = 1; /* symbol */
        entry[34] = 'f';
        for (size_t n = 4; n <= sizeof(entry); n++) {
            pc_store(entry, 4, n - 4, PC_LITTLE);
            pc_store(entry + dex_at, 4, type == 3 ? 1 : 0, PC_LITTLE);
            bool sound = type == 3 ? n >= fixed + 12 : n >= fixed;
            if (type == 1 || type == 2)
                sound = n == fixed || n >= fixed + 8;
            if (walk(PC_FILE, entry, n) != sound)
                fail_msg("type %u, %zu bytes", type, n);
        }
        pc_store(entry, 4, sizeof(entry), PC_LITTLE); /* more than there is */
        assert_false(walk(PC_FILE, entry, sizeof(entry)));
    }
}

static void messages_have_the_length_before_them(void **state)
{
    (void)state;
    static const unsigned char messages[] = { 2, 0, 0, 0, 24, 1, 0, 0, 0, 0, 2, 0, 0, 0, 8, 9 };
    for (size_t n = 0; n <= sizeof(messages); n++)
        assert_int_equal(walk(PC_FILE2, messages, n), n == 0 || n == 6 || n == 10 || n == 16);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(pairs_are_terminated),
    cmocka_unit_test(a_file_ends_by_its_type),
    cmocka_unit_test(messages_have_the_length_before_them),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
