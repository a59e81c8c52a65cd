/* SPDX-License-Identifier: MIT
 *
 * Names that follow from the type, config and flags of an event: those that perf list prints. Names that
 * META_INFO of simpleperf has: which line is that of an event, and when there is none.
 */
#include "pc_test.h"
#include "read/event_name.h"

#include <string.h>

static void type_and_config_give_a_name(void **state)
{
    (void)state;
    static char known[] = "my-event", none[] = "two words";
    static const struct {
        uint64_t type, config, flags;
        char *known;
        const char *name;
    } cases[] = {
        { PC_TYPE_HARDWARE, 0, 0, NULL, "cycles" },
        { PC_TYPE_HARDWARE, 10, 0, NULL, NULL },
        { PC_TYPE_SOFTWARE, 2, PC_FLAG_EXCLUDE_KERNEL | PC_FLAG_EXCLUDE_HV, NULL, "page-faults:u" },
        { PC_TYPE_HARDWARE, 1, PC_FLAG(16), NULL, "instructions:pp" },
        { PC_TYPE_CACHE, 0x10002, 0, NULL, "LLC-load-misses" },
        { PC_TYPE_CACHE, 0x100, 0, NULL, "L1-dcache-stores" },
        { PC_TYPE_RAW, 0x3c, 0, NULL, NULL },
        { PC_TYPE_RAW, 0x3c, 0, known, known },
        { PC_TYPE_HARDWARE, 0, 0, none, "cycles" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        struct pc_attr attr = { .name = cases[i].known };
        char made[PC_LINE_NAME];
        attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = cases[i].type;
        attr.value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = cases[i].config;
        attr.value[PC_ATTR_FLAGS - PC_ATTR_TYPE] = cases[i].flags;
        const struct pc_capture capture = { .nr_attrs = 0 };
        const char *name = pc_attr_event_name(&capture, &attr, made);
        if ((name == NULL) != (cases[i].name == NULL) || (name && strcmp(name, cases[i].name) != 0))
            fail_msg("case %zu: %s", i, name ? name : "none");
    }
}

/* The name of an event in such lines; "": it has none. */
static const char *named(uint64_t type, uint64_t config, const char *lines)
{
    static char made[PC_LINE_NAME];
    static const char head[] = "a\0b\0event_type_info";
    unsigned char pairs[400];
    struct pc_attr attr = { .name = NULL };
    struct pc_capture capture;
    struct pc_mem mem;
    memcpy(pairs, head, sizeof(head));
    memcpy(pairs + sizeof(head), lines, strlen(lines) + 1);
    attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = type;
    attr.value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = config;
    pc_mem_init(&mem, 1 << 20);
    pc_capture_init(&capture, &mem);
    struct pc_span info = { pairs, sizeof(head) + strlen(lines) + 1 };
    pc_capture_feature(&capture, PC_META_INFO, pc_cursor(info, PC_LITTLE));
    capture.attr = &attr;
    const char *name = pc_line_event_name(&capture, &attr, made);
    assert_ptr_equal(pc_known_event_name(&capture, &attr, made), name);
    capture.nr_attrs = 16 * PC_EVENT_LINES_MAX + 1; /* too many to look for the line of each */
    assert_null(pc_line_event_name(&capture, &attr, made));
    capture.nr_attrs = 0;
    attr.name = made;
    assert_ptr_equal(pc_known_event_name(&capture, &attr, NULL), made);
    capture.attr = NULL;
    pc_capture_clear(&capture);
    assert_int_equal(mem.used, 0);
    return name ? name : "";
}

static void a_line_has_the_type_and_the_config(void **state)
{
    (void)state;
    assert_string_equal(named(0, 0, "cpu-cycles,0,0\nsched:sched_switch,2,47"), "cpu-cycles");
    assert_string_equal(named(2, 47, "cpu-cycles,0,0\nsched:sched_switch,2,47"), "sched:sched_switch");
    assert_string_equal(named(2, 47, "cpu-cycles,0,0\nsched:sched_switch,2,47\n"), "sched:sched_switch");
    assert_string_equal(named(0, 0, "a,0,0\nb,0,0"), ""); /* of one attr and another, which was lost */
    assert_string_equal(named(0, 0, "a,0,0\na,0,0"), "a");
    assert_string_equal(named(0, 0, "a,b,0,0\nc,0,1"), "a,b");
    assert_string_equal(named(0, 1, "a,b,0,0\nc,0,1"), "c");
}

static void the_config_of_a_pmu_may_be_set_later(void **state)
{
    (void)state;
    assert_string_equal(named(8, 7, "cs-etm,8,0\nc,0,0"), "cs-etm");
    assert_string_equal(named(8, 1, "a,8,0\nb,8,1"), "b");
    assert_string_equal(named(5, 7, "a,5,0\nc,0,0"), "");
}

static void what_is_no_such_line_has_no_name(void **state)
{
    (void)state;
    assert_string_equal(named(0, 1, "a,0,0"), "");
    assert_string_equal(named(0, 0, ""), "");
    assert_string_equal(named(0, 0, "a,0"), "");
    assert_string_equal(named(0, 0, ",0,0"), "");
    assert_string_equal(named(0, 0, "a,,0"), "");
    assert_string_equal(named(0, 0, "a,0,x"), "");
    assert_string_equal(named(0, 0, "a,0,99999999999999999999"), "");
}

static void a_name_may_be_longer_than_an_entry_of_old_versions_has_room_for(void **state)
{
    (void)state;
    static const char name[] = "a-name-that-is-longer-than-those-that-perf-has-room-for-in-an-entry";
    char line[sizeof(name) + 8];
    assert_true(strlen(name) >= PC_EVENT_TYPE_NAME);
    snprintf(line, sizeof(line), "%s,0,0", name);
    assert_string_equal(named(0, 0, line), name);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(type_and_config_give_a_name),
    cmocka_unit_test(a_line_has_the_type_and_the_config),
    cmocka_unit_test(the_config_of_a_pmu_may_be_set_later),
    cmocka_unit_test(what_is_no_such_line_has_no_name),
    cmocka_unit_test(a_name_may_be_longer_than_an_entry_of_old_versions_has_room_for),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
