/* SPDX-License-Identifier: MIT
 *
 * The capture model: ids and whose they are, and names that wait for their attr.
 */
#include "read/model_bench.h"

static void ids_lead_to_their_attr_whatever_they_are(void **state)
{
    (void)state;
    uint32_t other;
    add_attr(0, 0, PC_S_ID, 0);
    add_attr(0, 0, PC_S_ID, 0);
    add_attr(0, 0, PC_S_ID, 0);
    /* dense, sparse, and all with the same low bits */
    for (uint64_t i = 1; i <= 5000; i++) {
        assert_int_equal(pc_capture_add_id(&capture, i, 0, &other), PC_ID_ADDED);
        assert_int_equal(pc_capture_add_id(&capture, i << 40, 1, &other), PC_ID_ADDED);
        assert_int_equal(pc_capture_add_id(&capture, UINT64_MAX - i * 0x10001, 2, &other), PC_ID_ADDED);
    }
    for (uint64_t i = 1; i <= 5000; i++) {
        assert_int_equal(pc_capture_attr_of(&capture, i), 0);
        assert_int_equal(pc_capture_attr_of(&capture, i << 40), 1);
        assert_int_equal(pc_capture_attr_of(&capture, UINT64_MAX - i * 0x10001), 2);
        assert_int_equal(pc_capture_attr_of(&capture, i), 0); /* remembered */
    }
    assert_int_equal(pc_capture_attr_of(&capture, 5001), PC_NO_ATTR);
    assert_int_equal(pc_capture_attr_of(&capture, 0), PC_NO_ATTR);
    assert_int_equal(pc_capture_add_id(&capture, 77, 0, &other), PC_ID_AGAIN);
    assert_int_equal(pc_capture_add_id(&capture, 77, 1, &other), PC_ID_OTHERS);
    assert_int_equal(other, 0);
    assert_int_equal(pc_capture_add_id(&capture, 0, 1, &other), PC_ID_ZERO);
    assert_int_equal(pc_capture_attr_of(&capture, 77), 0); /* the first one stays */
}

static void the_map_of_ids_has_a_limit(void **state)
{
    (void)state;
    uint32_t other;
    add_attr(0, 0, PC_S_ID, 0);
    for (uint64_t i = 1; i <= PC_IDS_HELD_MAX; i++)
        assert_int_equal(pc_capture_add_id(&capture, i * 3, 0, &other), PC_ID_ADDED);
    assert_int_equal(pc_capture_add_id(&capture, 1, 0, &other), PC_ID_FULL);
    assert_int_equal(pc_capture_add_id(&capture, 3, 0, &other), PC_ID_AGAIN);
    assert_true(mem.peak < (uint64_t)40 << 20);
}

static struct pc_span text_of(const char *text)
{
    return (struct pc_span){ (const unsigned char *)text, strlen(text) + 1 };
}

static void a_name_waits_for_its_attr(void **state)
{
    (void)state;
    pc_capture_name(&capture, 1, text_of("second"));
    pc_capture_name(&capture, 0, text_of("first"));
    pc_capture_name(&capture, 0, text_of("again"));
    add_attr(0, 0, PC_S_IP, 0);
    add_attr(0, 0, PC_S_IP, 0);
    assert_string_equal(capture.attr[0].name, "first");
    assert_string_equal(capture.attr[1].name, "second");
    pc_capture_name(&capture, 1, text_of("later"));
    assert_string_equal(capture.attr[1].name, "later");
    pc_capture_name(&capture, 2, text_of("third"));
    pc_capture_name(&capture, 3, text_of("never"));
    add_attr(0, 0, PC_S_IP, 0);
    assert_string_equal(capture.attr[2].name, "third");
}

static void names_that_wait_are_bounded(void **state)
{
    (void)state;
    char name[600];
    memset(name, 'n', sizeof(name));
    name[sizeof(name) - 1] = 0;
    for (uint32_t i = 0; i < 100000; i++)
        pc_capture_name(&capture, i, text_of(name));
    assert_true(capture.early_bytes <= PC_NAMES_EARLY_MAX + PC_NAME_MAX + 1);
    assert_true(mem.peak <= 2 * PC_NAMES_EARLY_MAX);
    pc_capture_name(&capture, UINT32_MAX - 1, text_of("far"));
    assert_true(mem.peak <= 2 * PC_NAMES_EARLY_MAX);
}

static const struct CMUnitTest tests[] = {
    TEST(ids_lead_to_their_attr_whatever_they_are),
    TEST(the_map_of_ids_has_a_limit),
    TEST(a_name_waits_for_its_attr),
    TEST(names_that_wait_are_bounded),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
