/* SPDX-License-Identifier: MIT
 *
 * Structures with the same content have the same plain form, in either byte order and of any size; others
 * have another one.
 */
#include "pc_test.h"
#include "bytes/cursor.h"
#include "check/plain.h"

#include <string.h>

static struct pc_mem mem;
static struct pc_plain plain;

static void begin_plain(void)
{
    pc_mem_init(&mem, 1 << 20);
    pc_plain_init(&plain, &mem);
    pc_plain_begin(&plain);
}

static struct pc_sum end_plain(void)
{
    struct pc_sum sum = pc_plain_sum(&plain);
    assert_false(plain.no_memory);
    pc_plain_clear(&plain);
    assert_int_equal(mem.used, 0);
    return sum;
}

/* An attr of so many bytes: type, size, config, and one of the later words. */
static struct pc_sum attr(size_t size, uint64_t config, size_t at, uint64_t word, enum pc_order order)
{
    unsigned char bytes[256] = { 0 };
    pc_store(bytes + 4, 4, size, order);
    pc_store(bytes + 8, 8, config, order);
    pc_store(bytes + at, 8, word, order);
    begin_plain();
    pc_plain_attr(&plain, (struct pc_span){ bytes, size }, order);
    return end_plain();
}

static void an_attr_has_the_same_form_in_any_order_and_size(void **state)
{
    (void)state;
    struct pc_sum one = attr(64, 0x102, 16, 1000, PC_LITTLE), other = attr(64, 0x102, 16, 1000, PC_BIG);
    assert_true(pc_sum_equal(&one, &other));
    other = attr(PC_ATTR_SIZE_KNOWN, 0x102, 16, 1000, PC_BIG);
    assert_true(pc_sum_equal(&one, &other));
    other = attr(PC_ATTR_SIZE_KNOWN + 8, 0x102, 16, 1000, PC_LITTLE);
    assert_true(pc_sum_equal(&one, &other));
    other = attr(64, 0x201, 16, 1000, PC_LITTLE);
    assert_false(pc_sum_equal(&one, &other));
    other = attr(64, 0x102, 24, 1000, PC_LITTLE);
    assert_false(pc_sum_equal(&one, &other));
    one = attr(72, 0, 64, 5, PC_LITTLE);
    other = attr(80, 0, 72, 5, PC_LITTLE);
    assert_false(pc_sum_equal(&one, &other));
}

/* A text of a feature in `room` bytes. */
static struct pc_sum hostname(const char *text, uint64_t room, enum pc_order order, bool *canonical)
{
    static struct pc_capture capture;
    unsigned char bytes[256] = { 0 };
    capture.order = order;
    pc_store(bytes, 4, room, order);
    memcpy(bytes + 4, text, strlen(text));
    begin_plain();
    pc_plain_feature(&plain, &capture, PC_HOSTNAME, (struct pc_span){ bytes, (size_t)(4 + room) });
    *canonical = !plain.not_zero;
    return end_plain();
}

static void only_the_room_of_perf_is_canonical(void **state)
{
    (void)state;
    bool one_is, other_is;
    struct pc_sum one = hostname("box", 64, PC_LITTLE, &one_is);
    struct pc_sum other = hostname("box", 8, PC_BIG, &other_is);
    assert_true(pc_sum_equal(&one, &other) && one_is && !other_is);
    other = hostname("bo", 64, PC_BIG, &other_is);
    assert_true(!pc_sum_equal(&one, &other) && other_is);
}

/* A HEADER_BUILD_ID of so many bytes, with this name. */
static struct pc_sum build_id(const char *name, size_t size, enum pc_order order, bool *canonical)
{
    unsigned char bytes[256] = { 0 };
    pc_store_head(bytes, (struct pc_record_head){ PC_HEADER_BUILD_ID, PC_MODE_USER, (uint16_t)size }, order);
    memcpy(bytes + 36, name, strlen(name));
    begin_plain();
    pc_plain_build_id(&plain, (struct pc_span){ bytes, size }, order);
    *canonical = !plain.not_zero;
    return end_plain();
}

static void the_name_of_a_build_id_has_the_room_of_an_entry(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size, canonical; /* of the record */
    } rows[] = { { "/bin/on", 56, 48 }, { "/bin/one", 48, 56 }, { "/bin/one", 64, 56 } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        bool one_is, other_is;
        struct pc_sum one = build_id(rows[i].name, rows[i].canonical, PC_LITTLE, &one_is);
        struct pc_sum other = build_id(rows[i].name, rows[i].size, PC_BIG, &other_is);
        assert_true(pc_sum_equal(&one, &other) && one_is && !other_is);
    }
}

/* More bytes than are held. */
static void a_long_form_is_hashed(void **state)
{
    (void)state;
    struct pc_sum sum[3];
    for (unsigned k = 0; k < 3; k++) {
        begin_plain();
        for (uint64_t i = 0; i < 20000; i++)
            pc_plain_uint(&plain, k == 2 && i == 19999 ? 0 : i);
        sum[k] = end_plain();
    }
    assert_true(pc_sum_equal(&sum[0], &sum[1]));
    assert_false(pc_sum_equal(&sum[0], &sum[2]));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_attr_has_the_same_form_in_any_order_and_size),
    cmocka_unit_test(only_the_room_of_perf_is_canonical),
    cmocka_unit_test(the_name_of_a_build_id_has_the_room_of_an_entry),
    cmocka_unit_test(a_long_form_is_hashed),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
