/* SPDX-License-Identifier: MIT
 *
 * Attrs: which sizes there are, what a walk finds in one, and the layout of its samples.
 */
#include "format/attr.h"
#include "pc_test.h"
#include "format/tables.h"

/* FORMAT.md 1.2: the size of attrs of each release of Linux. */
static void each_size_that_perf_had_is_known(void **state)
{
    (void)state;
    static const uint8_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };
    for (uint64_t size = 0, i = 0; size < 400; size++) {
        bool known = i < PC_COUNT_OF(sizes) && size == sizes[i];
        assert_int_equal(pc_attr_size_known(size), known);
        i += known;
    }
}

static void an_attr_grows_to_the_next_size(void **state)
{
    (void)state;
    static const uint64_t rows[][2] = { { 0, 64 },    { 64, 64 },   { 65, 72 },  { 80, 80 },
                                        { 81, 96 },   { 88, 96 },   { 97, 104 }, { 136, 136 },
                                        { 137, 144 }, { 144, 144 }, { 145, 0 },  { UINT64_MAX, 0 } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++)
        assert_int_equal(pc_attr_size_holding(rows[i][0]), rows[i][1]);
}

/* type 1, config 2, sample_type IP|TIME, read_format ID, disabled and sample_id_all, branch_sample_type 8. */
static const unsigned char little[80] = {
    [0] = 1, [4] = 80, [8] = 2, [24] = 5, [32] = 4, [40] = 1, [42] = 4, [72] = 8,
};
static const unsigned char big[80] = {
    [3] = 1, [7] = 80, [15] = 2, [31] = 5, [39] = 4, [40] = 0x80, [42] = 0x20, [79] = 8,
};

/* include/uapi/linux/perf_event.h: enum perf_event_sample_format, perf_event_read_format and
 * perf_branch_sample_type, bit by bit. */
static void bits_have_the_names_of_the_kernel(void **state)
{
    (void)state;
    static const struct {
        const char *row, *names[26];
    } rows[] = {
        { "sample_type",
          { "IP",
            "TID",
            "TIME",
            "ADDR",
            "READ",
            "CALLCHAIN",
            "ID",
            "CPU",
            "PERIOD",
            "STREAM_ID",
            "RAW",
            "BRANCH_STACK",
            "REGS_USER",
            "STACK_USER",
            "WEIGHT",
            "DATA_SRC",
            "IDENTIFIER",
            "TRANSACTION",
            "REGS_INTR",
            "PHYS_ADDR",
            "AUX",
            "CGROUP",
            "DATA_PAGE_SIZE",
            "CODE_PAGE_SIZE",
            "WEIGHT_STRUCT" } },
        { "read_format", { "TOTAL_TIME_ENABLED", "TOTAL_TIME_RUNNING", "ID", "GROUP", "LOST" } },
        { "branch_sample_type",
          { "USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
            "ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
            "NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS" } },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct pc_field *row = pc_attr_fields;
        while (!row->name || strcmp(row->name, rows[i].row) != 0)
            row++;
        size_t n = 0;
        for (; rows[i].names[n]; n++) {
            assert_string_equal(row->names[n].name, rows[i].names[n]);
            assert_true(row->names[n].value == (uint64_t)1 << n);
        }
        assert_null(row->names[n].name);
    }
}

/* The same header: the members of struct perf_event_attr after read_format, in their order. */
static void flags_have_the_names_of_the_kernel(void **state)
{
    (void)state;
    static const char *const names[] = {
        "disabled",
        "inherit",
        "pinned",
        "exclusive",
        "exclude_user",
        "exclude_kernel",
        "exclude_hv",
        "exclude_idle",
        "mmap",
        "comm",
        "freq",
        "inherit_stat",
        "enable_on_exec",
        "task",
        "watermark",
        "precise_ip",
        "mmap_data",
        "sample_id_all",
        "exclude_host",
        "exclude_guest",
        "exclude_callchain_kernel",
        "exclude_callchain_user",
        "mmap2",
        "comm_exec",
        "use_clockid",
        "context_switch",
        "write_backward",
        "namespaces",
        "ksymbol",
        "bpf_event",
        "aux_output",
        "cgroup",
        "text_poke",
        "build_id",
        "inherit_thread",
        "remove_on_exec",
        "sigtrap",
        "defer_callchain",
        "defer_output",
        "reserved",
    };
    const struct pc_field *row = pc_attr_fields;
    while (!row->name || strcmp(row->name, "flags") != 0)
        row++;
    unsigned at = 0, i = 0;
    for (; i < PC_COUNT_OF(names); i++) {
        unsigned width = i == 15 ? 2 : i == PC_COUNT_OF(names) - 1 ? 24 : 1;
        assert_string_equal(row->bits[i].name, names[i]);
        assert_int_equal(row->bits[i].at, at);
        assert_int_equal(row->bits[i].width, width);
        at += width;
    }
    assert_int_equal(at, 64);
    assert_null(row->bits[i].name);
}

static void a_walk_shows_every_member_of_an_attr(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t slot[PC_SLOTS];
        assert_true(pc_attr_walk((struct pc_span){ i ? big : little, 80 }, i ? PC_BIG : PC_LITTLE, slot));
        assert_int_equal(slot[PC_ATTR_TYPE], 1);
        assert_int_equal(slot[PC_ATTR_CONFIG], 2);
        assert_int_equal(slot[PC_ATTR_SAMPLE_TYPE], PC_S_IP | PC_S_TIME);
        assert_int_equal(slot[PC_ATTR_READ_FORMAT], PC_READ_ID);
        assert_int_equal(slot[PC_ATTR_FLAGS], 1 | PC_FLAG_SAMPLE_ID_ALL);
        assert_int_equal(slot[PC_ATTR_BRANCH_TYPE], 8);
    }
}

static void members_after_the_size_are_zero(void **state)
{
    (void)state;
    static const struct {
        unsigned char said;
        size_t len;
        bool sound;
        uint64_t branch; /* bytes 72 to 79 */
    } rows[] = {
        { 80, 80, true, 8 }, { 72, 80, true, 0 }, { 79, 80, true, 0 },  /* a cut member is none */
        { 0, 80, true, 0 },                                             /* 64 */
        { 80, 72, true, 0 }, { 64, 64, true, 0 }, { 80, 63, false, 0 }, /* no attr is shorter */
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        struct guarded g = guarded_new(80);
        unsigned char bytes[80];
        uint64_t slot[PC_SLOTS] = { 0 };
        memcpy(bytes, little, sizeof(bytes));
        bytes[4] = rows[i].said;
        assert_int_equal(pc_attr_walk(guarded_put(&g, bytes, rows[i].len), PC_LITTLE, slot), rows[i].sound);
        assert_int_equal(slot[PC_ATTR_BRANCH_TYPE], rows[i].branch);
        guarded_free(&g);
    }
}

/* The layout has what decides where fields are, and nothing else. */
static void only_what_moves_fields_is_in_the_layout(void **state)
{
    (void)state;
    uint64_t slot[PC_SLOTS] = { 0 };
    slot[PC_ATTR_SAMPLE_TYPE] = PC_S_IP;
    slot[PC_ATTR_REGS_USER] = 0xff;
    slot[PC_ATTR_REGS_INTR] = 0xff;
    slot[PC_ATTR_BRANCH_TYPE] = PC_BRANCH_HW_INDEX | PC_BRANCH_COUNTERS;
    slot[PC_ATTR_READ_FORMAT] = PC_READ_GROUP;
    slot[PC_ATTR_FLAGS] = 1 | PC_FLAG_DEFER_CHAIN;
    struct pc_layout layout = pc_attr_layout(slot);
    assert_int_equal(layout.mask, PC_S_IP | PC_LAYOUT_READ(PC_READ_GROUP));
    assert_int_equal(layout.slot[PC_SLOT_NR_REGS_USER], 0);
    assert_int_equal(layout.slot[PC_SLOT_NR_REGS_INTR], 0);

    slot[PC_ATTR_SAMPLE_TYPE] = PC_S_CALLCHAIN | PC_S_REGS_USER | PC_S_REGS_INTR | PC_S_BRANCH_STACK;
    slot[PC_ATTR_REGS_USER] = 0x8000000000000005;
    slot[PC_ATTR_REGS_INTR] = 0x11;
    slot[PC_ATTR_READ_FORMAT] = PC_READ_ID;
    slot[PC_ATTR_FLAGS] = PC_FLAG_SAMPLE_ID_ALL | PC_FLAG_DEFER_CHAIN;
    layout = pc_attr_layout(slot);
    assert_int_equal(layout.mask, slot[PC_ATTR_SAMPLE_TYPE] | PC_LAYOUT_READ(PC_READ_ID) |
                                      PC_LAYOUT_READ_SINGLE | PC_LAYOUT_SAMPLE_ID | PC_LAYOUT_DEFER |
                                      PC_LAYOUT_HW_INDEX | PC_LAYOUT_COUNTERS);
    assert_int_equal(layout.slot[PC_SLOT_NR_REGS_USER], 3);
    assert_int_equal(layout.slot[PC_SLOT_NR_REGS_INTR], 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_size_that_perf_had_is_known),
    cmocka_unit_test(an_attr_grows_to_the_next_size),
    cmocka_unit_test(bits_have_the_names_of_the_kernel),
    cmocka_unit_test(flags_have_the_names_of_the_kernel),
    cmocka_unit_test(a_walk_shows_every_member_of_an_attr),
    cmocka_unit_test(members_after_the_size_are_zero),
    cmocka_unit_test(only_what_moves_fields_is_in_the_layout),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
