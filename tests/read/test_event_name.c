/* SPDX-License-Identifier: MIT
 *
 * Names that follow from the type, config and flags of an event: those that perf list prints.
 */
#include "pc_test.h"
#include "read/event_name.h"

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
        char made[PC_EVENT_TYPE_NAME];
        attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = cases[i].type;
        attr.value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = cases[i].config;
        attr.value[PC_ATTR_FLAGS - PC_ATTR_TYPE] = cases[i].flags;
        const char *name = pc_attr_event_name(&attr, made);
        if ((name == NULL) != (cases[i].name == NULL) || (name && strcmp(name, cases[i].name) != 0))
            fail_msg("case %zu: %s", i, name ? name : "none");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(type_and_config_give_a_name),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
