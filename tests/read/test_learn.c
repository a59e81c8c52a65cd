/* SPDX-License-Identifier: MIT
 *
 * What features and user records tell about other records: names, CPUs, formats of tracepoints.
 */
#include "read/model_bench.h"
#include "tracing_bench.h"

/* EVENT_DESC and then its attr, as perf 4.16 sends them: nr, attr size, attr, nr_ids, name; no ids */
static void event_desc_may_come_before_the_attrs(void **state)
{
    (void)state;
    unsigned char desc[8 + 64 + 4 + 4 + 8] = { 1, 0, 0, 0, 64 };
    desc[8 + 4] = 64;     /* attr.size */
    desc[8 + 64 + 4] = 8; /* length of the name */
    memcpy(desc + 8 + 64 + 8, "cycles", 6);
    pc_capture_feature(&capture, PC_EVENT_DESC, pc_cursor((struct pc_span){ desc, sizeof(desc) }, PC_LITTLE));
    assert_int_equal(capture.nr_attrs, 0);
    add_attr(0, 0, PC_S_IP, 0);
    assert_string_equal(capture.attr[0].name, "cycles");
}

static void learn_formats(const char *const *texts, size_t nr)
{
    unsigned char bytes[4096] = { 0 };
    size_t len = tracing_data(bytes, texts, nr);
    assert_true(len <= sizeof(bytes));
    pc_capture_feature(&capture, PC_TRACING_DATA, pc_cursor((struct pc_span){ bytes, len }, PC_LITTLE));
}

static void the_config_of_an_attr_leads_to_its_format(void **state)
{
    (void)state;
    static const char *const first[] = { FORMAT("7", "\tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;\n"),
                                         FORMAT("8", ""), FORMAT("9", "\tfield:u64;\n") };
    static const char *const second[] = { FORMAT("7", "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"),
                                          FORMAT("10", "") };
    uint32_t seven = add_attr(PC_TYPE_TRACEPOINT, 7, 0, 0), eight = add_attr(PC_TYPE_TRACEPOINT, 8, 0, 0);
    uint32_t nine = add_attr(PC_TYPE_TRACEPOINT, 9, 0, 0), ten = add_attr(PC_TYPE_TRACEPOINT, 10, 0, 0);
    uint32_t other = add_attr(0, 7, 0, 0), huge = add_attr(PC_TYPE_TRACEPOINT, UINT64_MAX, 0, 0);
    assert_null(pc_capture_format(&capture, seven));
    learn_formats(first, PC_COUNT_OF(first));
    assert_int_equal(pc_capture_format(&capture, seven)->end, 16);
    assert_int_equal(pc_capture_format(&capture, eight)->end, 8);
    assert_null(pc_capture_format(&capture, nine)); /* it is described, but not in a way that can be read */
    assert_true(pc_capture_has_tracepoint(&capture, 9));
    assert_null(pc_capture_format(&capture, ten));
    assert_false(pc_capture_has_tracepoint(&capture, 10));
    assert_false(pc_capture_has_tracepoint(&capture, UINT64_MAX));
    assert_null(pc_capture_format(&capture, other)); /* of another type */
    assert_null(pc_capture_format(&capture, huge));
    learn_formats(second, PC_COUNT_OF(second));
    assert_int_equal(pc_capture_format(&capture, seven)->end, 12);
    assert_int_equal(pc_capture_format(&capture, eight)->end, 8);
    assert_int_equal(pc_capture_format(&capture, ten)->end, 8);
    assert_false(capture.tracepoints_full);
}

static void formats_that_find_no_memory_are_not_there(void **state)
{
    (void)state;
    static const char *const texts[] = { FORMAT("7", ""), FORMAT("8", "") };
    uint32_t seven = add_attr(PC_TYPE_TRACEPOINT, 7, 0, 0);
    bool whole = false;
    for (uint64_t n = 1; !whole; n++) {
        capture.tracepoints_full = false;
        mem.calls = 0;
        mem.fail_at = n;
        learn_formats(texts, PC_COUNT_OF(texts));
        whole = mem.calls < n;
        assert_int_equal(capture.tracepoints_full, !whole);
    }
    mem.fail_at = 0;
    assert_non_null(pc_capture_format(&capture, seven));
}

static void learn(uint64_t bit, const void *bytes, size_t len, enum pc_order order)
{
    pc_capture_feature(&capture, bit,
                       pc_cursor((struct pc_span){ (const unsigned char *)bytes, len }, order));
}

static void nrcpus_are_those_that_are_available_and_online(void **state)
{
    (void)state;
    static const unsigned char little[] = { 8, 0, 0, 0, 6, 0, 0, 0 }, big[] = { 0, 0, 0, 8, 0, 0, 0, 6 };
    for (unsigned order = PC_LITTLE; order <= PC_BIG; order++) {
        capture.nr_cpus = capture.nr_online = 0;
        assert_true(pc_capture_can_walk(&capture, PC_NUMA_TOPOLOGY));
        assert_false(pc_capture_can_walk(&capture, PC_CPU_TOPOLOGY));
        learn(PC_NRCPUS, order == PC_LITTLE ? little : big, 7, (enum pc_order)order); /* cut */
        assert_int_equal(capture.nr_cpus, 0);
        learn(PC_NRCPUS, order == PC_LITTLE ? little : big, 8, (enum pc_order)order);
        assert_int_equal(capture.nr_cpus, 8);
        assert_int_equal(capture.nr_online, 6);
        assert_true(pc_capture_can_walk(&capture, PC_CPU_TOPOLOGY));
        assert_true(pc_capture_can_walk(&capture, PC_CPU_DOMAIN_INFO));
        capture.nr_online = 0;
        assert_false(pc_capture_can_walk(&capture, PC_CPU_DOMAIN_INFO));
        assert_true(pc_capture_can_walk(&capture, PC_CPU_TOPOLOGY));
    }
}

/* CMDLINE: how many, then each with its size. A second one replaces the first. */
static void the_words_of_a_command_are_joined_by_blanks(void **state)
{
    (void)state;
    static const unsigned char words[] = { 2, 0, 0, 0, 8, 0, 0, 0, 'p', 'e', 'r', 'f',
                                           0, 0, 0, 0, 4, 0, 0, 0, 't', 'o', 'p', 0 };
    for (int i = 0; i < 2; i++) {
        learn(PC_CMDLINE, words, sizeof(words), PC_LITTLE);
        assert_string_equal(capture.text[PC_CMDLINE], "perf top");
    }
    learn(PC_TOTAL_MEM, words, 8, PC_LITTLE); /* nothing is kept of it */
    assert_null(capture.text[PC_TOTAL_MEM]);
    mem.calls = 0;
    mem.fail_at = 2;
    learn(PC_CMDLINE, words, sizeof(words), PC_LITTLE);
    assert_true(capture.no_memory);
    assert_string_equal(capture.text[PC_CMDLINE], "perf");
}

/* EVENT_UPDATE of type 2 (NAME) with an id and a name. */
static void update(uint64_t type, uint64_t id)
{
    unsigned char record[32] = { PC_EVENT_UPDATE, [6] = sizeof(record) };
    record[8] = (unsigned char)type;
    record[16] = (unsigned char)id;
    memcpy(record + 24, "cycles", 6);
    pc_capture_record(&capture, PC_EVENT_UPDATE, (struct pc_span){ record, sizeof(record) });
}

static void an_update_names_the_event_of_its_id(void **state)
{
    (void)state;
    uint32_t other;
    add_attr(0, 0, PC_S_IP, 0);
    add_attr(0, 0, PC_S_IP, 0);
    pc_capture_add_id(&capture, 5, 1, &other);
    update(0, 5); /* a UNIT */
    update(2, 6); /* an id of no event */
    assert_null(capture.attr[0].name);
    assert_null(capture.attr[1].name);
    update(2, 5);
    assert_null(capture.attr[0].name);
    assert_string_equal(capture.attr[1].name, "cycles");
    update(2, 0); /* the first one */
    assert_string_equal(capture.attr[0].name, "cycles");
}

static void the_only_event_has_every_name(void **state)
{
    (void)state;
    update(2, 6); /* before its attr: whose it is cannot be said */
    assert_true(capture.update.early);
    add_attr(0, 0, PC_S_IP, 0);
    assert_null(capture.attr[0].name);
    update(2, 6);
    assert_string_equal(capture.attr[0].name, "cycles");
}

static const struct CMUnitTest tests[] = {
    TEST(event_desc_may_come_before_the_attrs),
    TEST(the_config_of_an_attr_leads_to_its_format),
    TEST(formats_that_find_no_memory_are_not_there),
    TEST(nrcpus_are_those_that_are_available_and_online),
    TEST(the_words_of_a_command_are_joined_by_blanks),
    TEST(an_update_names_the_event_of_its_id),
    TEST(the_only_event_has_every_name),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
