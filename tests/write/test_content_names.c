/* SPDX-License-Identifier: MIT
 *
 * Names of events that META_INFO of simpleperf has: which line is that of an event, and when there is none.
 */
#include "pc_test.h"
#include "check/scan.h"
#include "write/content_parts.h"

#include <string.h>

static struct pc_content content;
static struct pc_scan scan;
static struct pc_mem mem;
static struct pc_attr attr[2];

/* The names of two events, with a blank between them; "": not all have one. */
static const char *names(uint64_t type, uint64_t config, uint64_t other_type, uint64_t other_config,
                         const char *lines)
{
    static char text[200];
    unsigned char pairs[400];
    static const char head[] = "a\0b\0event_type_info";
    size_t n = sizeof(head);
    memcpy(pairs, head, n);
    memcpy(pairs + n, lines, strlen(lines) + 1);
    pc_mem_init(&mem, 1 << 20);
    content = (struct pc_content){ .mem = &mem, .scan = &scan };
    scan.capture.attr = attr;
    scan.capture.nr_attrs = 2;
    attr[0].value[PC_ATTR_TYPE - PC_ATTR_TYPE] = type;
    attr[0].value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = config;
    attr[1].value[PC_ATTR_TYPE - PC_ATTR_TYPE] = other_type;
    attr[1].value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = other_config;
    pc_note_event_lines(&content, (struct pc_span){ pairs, n + strlen(lines) + 1 });
    bool all = pc_take_event_lines(&content);
    snprintf(text, sizeof(text), "%s%s%s", all ? (char *)content.types[0].name : "", all ? " " : "",
             all ? (char *)content.types[1].name : "");
    pc_free(&mem, content.event_lines, content.event_lines_size);
    pc_free(&mem, content.types, content.cap_types * sizeof(*content.types));
    return text;
}

static void a_line_has_the_type_and_the_config(void **state)
{
    (void)state;
    assert_string_equal(names(0, 0, 2, 47, "cpu-cycles,0,0\nsched:sched_switch,2,47"),
                        "cpu-cycles sched:sched_switch");
    assert_string_equal(names(2, 47, 0, 0, "cpu-cycles,0,0\nsched:sched_switch,2,47\n"),
                        "sched:sched_switch cpu-cycles");
    assert_string_equal(names(0, 0, 0, 0, "a,0,0\nb,0,0"), "a a"); /* they are the same event */
    assert_string_equal(names(0, 0, 0, 1, "a,b,0,0\nc,0,1"), "a,b c");
}

static void the_config_of_a_pmu_may_be_set_later(void **state)
{
    (void)state;
    assert_string_equal(names(8, 7, 0, 0, "cs-etm,8,0\nc,0,0"), "cs-etm c");
    assert_string_equal(names(8, 7, 8, 1, "a,8,0\nb,8,1"), "a b");
    assert_string_equal(names(5, 7, 0, 0, "a,5,0\nc,0,0"), "");
}

static void names_are_those_of_all_events_or_of_none(void **state)
{
    (void)state;
    assert_string_equal(names(0, 0, 0, 1, "a,0,0"), "");
    assert_string_equal(names(0, 0, 0, 0, ""), "");
    assert_string_equal(names(0, 0, 0, 0, "a,0"), "");
    assert_string_equal(names(0, 0, 0, 0, ",0,0"), "");
    assert_string_equal(names(0, 0, 0, 0, "a,,0"), "");
    assert_string_equal(names(0, 0, 0, 0, "a,0,x"), "");
    assert_string_equal(names(0, 0, 0, 0, "a,0,99999999999999999999"), "");
    assert_string_equal(
        names(0, 0, 0, 0, "a-name-that-is-longer-than-those-that-perf-has-room-for-in-an-entry,0,0"), "");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_line_has_the_type_and_the_config),
    cmocka_unit_test(the_config_of_a_pmu_may_be_set_later),
    cmocka_unit_test(names_are_those_of_all_events_or_of_none),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
