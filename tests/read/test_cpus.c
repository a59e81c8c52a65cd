/* SPDX-License-Identifier: MIT
 *
 * The index that perf before Linux 5.17 expects for a CPU in the map of an event.
 */
#include "read/model_bench.h"

#define NONE UINT64_MAX /* no index is known */

/* CPU_MAP, or an EVENT_UPDATE of the event with this id. */
static void map(uint64_t id, const unsigned char *bytes, size_t len)
{
    unsigned char record[128] = { PC_CPU_MAP };
    size_t at = 8;
    if (id != 0) {
        record[0] = PC_EVENT_UPDATE;
        record[8] = 3;
        record[16] = (unsigned char)id;
        at = 24;
    }
    memcpy(record + at, bytes, len);
    record[6] = (unsigned char)(at + len);
    pc_capture_record(&capture, record[0], (struct pc_span){ record, at + len });
}
#define MAP(id, ...)                                                                                         \
    map(id, (const unsigned char[]){ __VA_ARGS__ }, sizeof((const unsigned char[]){ __VA_ARGS__ }))

static void threads(void)
{
    unsigned char record[16] = { PC_THREAD_MAP, [6] = 16 };
    pc_capture_record(&capture, PC_THREAD_MAP, (struct pc_span){ record, sizeof(record) });
}

static void stat_of(uint64_t id, unsigned char cpu)
{
    unsigned char record[48] = { PC_STAT, [6] = 48, [8] = (unsigned char)id, [16] = cpu };
    pc_capture_record(&capture, PC_STAT, (struct pc_span){ record, sizeof(record) });
}

static void expect_index(uint32_t attr, uint64_t cpu, uint64_t want, int line)
{
    uint64_t index, number;
    bool known = pc_stat_index(&capture, attr, cpu, &index);
    if (known != (want != NONE) || (known && index != want))
        fail_msg("line %d", line);
    if (known && (!pc_stat_cpu(&capture, attr, index, &number) || number != cpu))
        fail_msg("line %d: not the reverse", line);
}
#define INDEX(attr, cpu, want) expect_index(attr, cpu, want, __LINE__)

static void events(void)
{
    uint32_t other;
    add_attr(0, 0, PC_S_IP, 0);
    add_attr(0, 1, PC_S_IP, 0);
    pc_capture_add_id(&capture, 5, 0, &other);
    pc_capture_add_id(&capture, 6, 1, &other);
}

static void each_encoding_has_indices(void **state)
{
    (void)state;
    events();
    INDEX(0, 2, NONE); /* there is no map */
    MAP(0, 0, 0, 3, 0, 2, 0, 3, 0, 66, 0);
    INDEX(0, 2, 0);
    INDEX(0, 3, 1);
    INDEX(0, 66, 2);
    INDEX(0, 0, NONE);
    INDEX(0, 67, NONE);
    INDEX(0, UINT32_MAX, NONE);
    INDEX(0, 65535, NONE);
    uint64_t cpu;
    assert_false(pc_stat_cpu(&capture, 0, 3, &cpu));
    tear_down(NULL);
    set_up(NULL);
    MAP(0, 2, 0, 1, 0, 62, 0, 65, 0); /* any, 62 to 65 */
    INDEX(0, UINT32_MAX, 0);
    INDEX(0, 62, 1);
    INDEX(0, 64, 3);
    INDEX(0, 65, 4);
    tear_down(NULL);
    set_up(NULL);
    MAP(0, 1, 0, 2, 0, 4, 0, 0x0a, 0, 0, 0, 1, 0, 0, 0); /* a mask: 1, 3, 32 */
    INDEX(0, 1, 0);
    INDEX(0, 3, 1);
    INDEX(0, 32, 2);
}

static void an_event_keeps_its_own_map_unless_that_of_all_is_any(void **state)
{
    (void)state;
    events();
    MAP(5, 0, 0, 2, 0, 2, 0, 3, 0);
    MAP(0, 0, 0, 2, 0, 3, 0, 4, 0);
    INDEX(0, 3, 1);
    INDEX(1, 3, 0);
    MAP(0, 0, 0, 1, 0, 9, 0); /* only the first one counts */
    INDEX(1, 3, 0);
    threads();
    MAP(6, 0, 0, 2, 0, 2, 0, 3, 0); /* too late */
    INDEX(1, 3, 0);
    tear_down(NULL);
    set_up(NULL);
    events();
    MAP(5, 0, 0, 2, 0, 2, 0, 3, 0);
    MAP(0, 0, 0, 1, 0, 255, 255);
    INDEX(0, UINT32_MAX, 0);
    INDEX(0, 3, NONE);
}

static void nothing_is_known_of_a_map_that_is_not_in_order(void **state)
{
    (void)state;
    static const unsigned char maps[][12] = {
        { 0, 0, 2, 0, 3, 0, 2, 0 },             /* not in the order of numbers */
        { 0, 0, 2, 0, 3, 0, 3, 0 },             /* one twice */
        { 0, 0, 2, 0, 3, 0, 255, 255 },         /* "any" behind another one */
        { 0, 0, 4, 0, 2, 0, 3, 0 },             /* cut off */
        { 2, 0, 0, 0, 2, 0, 255, 255 },         /* a range up to what means "any" */
        { 1, 0, 1, 0, 4, 0, 0, 0, 0, 0, 0, 0 }, /* no CPU */
        { 3, 0, 1, 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(maps); i++) {
        map(0, maps[i], i == 5 ? 12 : 8);
        INDEX(0, 2, NONE);
        INDEX(0, 3, NONE);
        tear_down(NULL);
        set_up(NULL);
    }
}

/* {1, 2}: an index of 0 is no number. */
static void indices_stay_what_they_are(void **state)
{
    (void)state;
    events();
    MAP(0, 0, 0, 2, 0, 1, 0, 2, 0);
    stat_of(5, 1);
    INDEX(0, 1, 0);
    stat_of(5, 7); /* neither */
    INDEX(0, 1, 0);
    stat_of(6, 0);
    uint64_t index;
    assert_true(pc_stat_index(&capture, 0, 1, &index));
    assert_int_equal(index, 1);
    assert_false(pc_stat_index(&capture, 0, 2, &index));
}

static void equal_maps_are_held_once_and_others_up_to_a_limit(void **state)
{
    (void)state;
    events();
    MAP(0, 0, 0, 2, 0, 3, 0, 4, 0);
    for (unsigned char i = 1; i < 2 * PC_CPU_MAPS_MAX; i++) {
        MAP(5, 0, 0, 1, 0, i, 0);
        MAP(6, 0, 0, 1, 0, i, 0);
        INDEX(0, i, i < PC_CPU_MAPS_MAX ? 0 : NONE);
    }
    assert_int_equal(capture.cpu_maps.nr, PC_CPU_MAPS_MAX);
}

static void without_memory_a_map_is_not_known(void **state)
{
    (void)state;
    for (uint64_t i = 1; i < 3; i++) {
        events();
        mem.calls = 0;
        mem.fail_at = i;
        MAP(0, 0, 0, 2, 0, 3, 0, 4, 0);
        assert_true(capture.no_memory);
        INDEX(0, 3, NONE);
        tear_down(NULL);
        set_up(NULL);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(each_encoding_has_indices),
    TEST(an_event_keeps_its_own_map_unless_that_of_all_is_any),
    TEST(nothing_is_known_of_a_map_that_is_not_in_order),
    TEST(indices_stay_what_they_are),
    TEST(equal_maps_are_held_once_and_others_up_to_a_limit),
    TEST(without_memory_a_map_is_not_known),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
