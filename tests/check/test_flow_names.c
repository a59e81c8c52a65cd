/* SPDX-License-Identifier: MIT
 *
 * Names of events are UTF-8; with --for, names of tasks and files, too.
 */
#include "pc_test.h"
#include "capture_bench.h"

static const struct {
    const char *name;
    bool is_text;
} names[] = {
    { "", true },           { "cycles", true }, { "z\xc3\xa4hler", true },    { "\xf0\x90\x80\x80", true },
    { "z\xe4hler", false }, { "\xff", false },  { "a\xc3", false },           { "\xed\xa0\x80", false },
    { "\x80", false },      { "\x7f", true },   { "abcdefg\xe2\x80", false },
};

static uint64_t put_name(enum pc_type type, uint64_t one, uint64_t other, const char *name)
{
    char room[16] = { 0 };
    memcpy(room, name, strlen(name));
    uint64_t at = begin_record(type);
    put(one, 8);
    if (type == PC_EVENT_UPDATE)
        put(other, 8);
    put_text(room, sizeof(room));
    if (type == PC_COMM)
        put(other, 8);
    end_record();
    return at;
}

static void names_of_events_are_text(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
            begin_with(PC_S_TID, 0);
            put_name(PC_EVENT_UPDATE, PC_UPDATE_UNIT, 1, names[i].name);
            uint64_t at = put_name(PC_EVENT_UPDATE, PC_UPDATE_NAME, 1, names[i].name);
            expect(PC_D_EVENT_NAME_TEXT, !names[i].is_text, at + 24);
        }
    }
}

static void names_in_event_desc_are_text(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
            begin_empty();
            uint64_t at = begin_feature(PC_EVENT_DESC);
            put(1, 4);
            put(64, 4);
            put(1, 4);
            put(64, 4);
            for (size_t k = 0; k < 7; k++)
                put(0, 8);
            put(0, 4);
            put_string(names[i].name);
            end_record();
            expect(PC_D_EVENT_NAME_TEXT, !names[i].is_text, at + 8 + 64 + 4);
        }
    }
}

static void names_of_tasks_are_text_for_a_script(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < 2 * PC_COUNT_OF(names); i++) {
            bool asks = i % 2 != 0;
            asked_for = asks ? PC_BY_6_1 | PC_BY_7_2 : PC_BY_NONE;
            begin_with(PC_S_TID, 0);
            uint64_t at = put_name(PC_COMM, pair(1, 1), pair(1, 1), names[i / 2].name);
            expect(PC_D_FOR_NAME_TEXT, asks && !names[i / 2].is_text ? 2 : 0, at + 16);
        }
    }
    asked_for = PC_BY_NONE;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(names_of_events_are_text),
    cmocka_unit_test(names_in_event_desc_are_text),
    cmocka_unit_test(names_of_tasks_are_text_for_a_script),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
