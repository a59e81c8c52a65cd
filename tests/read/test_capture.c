/* SPDX-License-Identifier: MIT */
#include "pc_test.h"
#include "read/capture.h"

static struct pc_mem mem;
static struct pc_capture capture;

static int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, (uint64_t)64 << 20);
    pc_capture_init(&capture, &mem);
    capture.order = PC_LITTLE;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pc_capture_clear(&capture);
    assert_int_equal(mem.used, 0);
    return 0;
}

static uint32_t add(uint64_t sample_type, uint64_t flags)
{
    uint64_t slot[PC_SLOTS] = { 0 };
    slot[PC_ATTR_SAMPLE_TYPE] = sample_type;
    slot[PC_ATTR_FLAGS] = flags;
    return pc_capture_add_attr(&capture, slot, 0);
}

static void ids_lead_to_their_attr_whatever_they_are(void **state)
{
    (void)state;
    uint32_t other;
    add(PC_S_ID, 0);
    add(PC_S_ID, 0);
    add(PC_S_ID, 0);
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
    add(PC_S_ID, 0);
    for (uint64_t i = 1; i <= PC_IDS_HELD_MAX; i++)
        assert_int_equal(pc_capture_add_id(&capture, i * 3, 0, &other), PC_ID_ADDED);
    assert_int_equal(pc_capture_add_id(&capture, 1, 0, &other), PC_ID_FULL);
    assert_int_equal(pc_capture_add_id(&capture, 3, 0, &other), PC_ID_AGAIN);
    assert_true(mem.peak < (uint64_t)40 << 20);
}

/* type 9, size in bytes 6 and 7 is not looked at */
static struct pc_chosen choose(uint32_t type, const uint64_t *words, size_t nr)
{
    static unsigned char record[256];
    memset(record, 0, sizeof(record));
    for (size_t i = 0; i < nr; i++) {
        for (unsigned k = 0; k < 8; k++)
            record[8 + 8 * i + k] = (unsigned char)(words[i] >> 8 * k);
    }
    return pc_capture_choose(&capture, type, (struct pc_span){ record, 8 + 8 * nr });
}

static void one_attr_governs_everything(void **state)
{
    (void)state;
    assert_int_equal(choose(PC_SAMPLE, NULL, 0).choice, PC_CHOICE_NO_ATTRS);
    add(PC_S_IP, PC_FLAG_SAMPLE_ID_ALL);
    assert_int_equal(choose(PC_SAMPLE, NULL, 0).choice, PC_CHOSEN);
    assert_int_equal(choose(PC_COMM, NULL, 0).attr, 0);
}

static void several_attrs_are_told_apart_by_identifier(void **state)
{
    (void)state;
    uint32_t other;
    add(PC_S_IDENTIFIER | PC_S_TIME, PC_FLAG_SAMPLE_ID_ALL);
    add(PC_S_IDENTIFIER | PC_S_IP, PC_FLAG_SAMPLE_ID_ALL);
    pc_capture_add_id(&capture, 100, 0, &other);
    pc_capture_add_id(&capture, 200, 1, &other);
    const uint64_t words[] = { 200, 5, 100 };
    assert_int_equal(choose(PC_SAMPLE, words, 3).attr, 1); /* first word */
    assert_int_equal(choose(PC_SAMPLE, words, 3).id_at, 8);
    assert_int_equal(choose(PC_COMM, words, 3).attr, 0); /* last word */
    assert_int_equal(choose(PC_COMM, words, 3).id_at, 24);
    assert_int_equal(choose(PC_COMM, words, 2).choice, PC_CHOICE_UNKNOWN);
    assert_int_equal(choose(PC_SAMPLE, words, 0).choice, PC_CHOICE_SHORT);
    const uint64_t zero[] = { 0, 0 };
    assert_int_equal(choose(PC_COMM, zero, 2).choice, PC_CHOSEN); /* made up by perf: the first attr */
    assert_int_equal(choose(PC_COMM, zero, 2).attr, 0);
}

static void several_attrs_are_told_apart_by_id(void **state)
{
    (void)state;
    uint32_t other;
    uint64_t type = PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ID | PC_S_CPU | PC_S_STREAM_ID;
    add(type, PC_FLAG_SAMPLE_ID_ALL);
    add(type | PC_S_PERIOD, PC_FLAG_SAMPLE_ID_ALL);
    pc_capture_add_id(&capture, 100, 0, &other);
    pc_capture_add_id(&capture, 200, 1, &other);
    const uint64_t sample[] = { 1, 2, 3, 200, 4, 5 }; /* ip, tid, time, id */
    assert_int_equal(choose(PC_SAMPLE, sample, 6).attr, 1);
    const uint64_t comm[] = { 9, 9, 1, 2, 200, 3, 4 }; /* ... tid, time, id, stream_id, cpu */
    assert_int_equal(choose(PC_COMM, comm, 7).attr, 1);
}

static void without_a_common_place_only_equal_layouts_can_be_read(void **state)
{
    (void)state;
    add(PC_S_IP | PC_S_TIME, 0);
    add(PC_S_IP | PC_S_TIME, 0);
    const uint64_t words[] = { 1, 2 };
    assert_int_equal(choose(PC_SAMPLE, words, 2).choice, PC_CHOSEN); /* both have one sample_type */
    add(PC_S_IP, 0);
    assert_int_equal(choose(PC_SAMPLE, words, 2).choice, PC_CHOICE_NO_POSITION);
    assert_int_equal(choose(PC_COMM, words, 2).attr, 0); /* no sample_id_all: the first attr */
}

static void a_trailer_has_the_members_of_sample_type(void **state)
{
    (void)state;
    assert_int_equal(pc_sample_id_size(PC_S_TID | PC_S_TIME), 0); /* without sample_id_all */
    assert_int_equal(pc_sample_id_size(PC_LAYOUT_SAMPLE_ID | PC_S_TID | PC_S_TIME | PC_S_IP | PC_S_ADDR), 16);
    assert_int_equal(pc_sample_id_size(PC_LAYOUT_SAMPLE_ID | PC_S_TID | PC_S_TIME | PC_S_ID | PC_S_STREAM_ID |
                                       PC_S_CPU | PC_S_IDENTIFIER),
                     48);
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
    add(PC_S_IP, 0);
    add(PC_S_IP, 0);
    assert_string_equal(capture.attr[0].name, "first");
    assert_string_equal(capture.attr[1].name, "second");
    pc_capture_name(&capture, 1, text_of("later"));
    assert_string_equal(capture.attr[1].name, "later");
    pc_capture_name(&capture, 2, text_of("third"));
    pc_capture_name(&capture, 3, text_of("never"));
    add(PC_S_IP, 0);
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
    add(PC_S_IP, 0);
    assert_string_equal(capture.attr[0].name, "cycles");
}

/* TRACING_DATA, version 0.5, with these texts in one system. */
static size_t tracing_data(unsigned char *to, const char *const *texts, size_t nr)
{
    static const char head[] = "\x17\x08\x44tracing0.5\0"       /* version */
                               "\0\x08\0\x10\0\0"               /* little-endian, sizeof(long), page size */
                               "header_page\0\0\0\0\0\0\0\0\0"  /* u64 size */
                               "header_event\0\0\0\0\0\0\0\0\0" /* u64 size */
                               "\0\0\0\0\x01\0\0\0s\0";         /* no format of ftrace; one system */
    size_t len = sizeof(head) - 1;
    memcpy(to, head, len);
    to[len] = (unsigned char)nr;
    len += 4;
    for (size_t i = 0; i < nr; i++) {
        size_t size = strlen(texts[i]);
        to[len] = (unsigned char)size;
        to[len + 1] = (unsigned char)(size >> 8);
        memcpy(to + len + 8, texts[i], size);
        len += 8 + size;
    }
    return len + 8; /* kallsyms, printk */
}

static void learn_formats(const char *const *texts, size_t nr)
{
    unsigned char bytes[4096] = { 0 };
    size_t len = tracing_data(bytes, texts, nr);
    assert_true(len <= sizeof(bytes));
    pc_capture_feature(&capture, PC_TRACING_DATA, pc_cursor((struct pc_span){ bytes, len }, PC_LITTLE));
}

static uint32_t add_tracepoint(uint64_t type, uint64_t config)
{
    uint64_t slot[PC_SLOTS] = { 0 };
    slot[PC_ATTR_TYPE] = type;
    slot[PC_ATTR_CONFIG] = config;
    return pc_capture_add_attr(&capture, slot, 0);
}

#define FORMAT(id, fields)                                                                                   \
    "name: a\nID: " id "\nformat:\n"                                                                         \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                           \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" fields "\nprint fmt: \"\"\n"

static void the_config_of_an_attr_leads_to_its_format(void **state)
{
    (void)state;
    static const char *const first[] = { FORMAT("7", "\tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;\n"),
                                         FORMAT("8", ""), FORMAT("9", "\tfield:u64;\n") };
    static const char *const second[] = { FORMAT("7", "\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"),
                                          FORMAT("10", "") };
    uint32_t seven = add_tracepoint(PC_TYPE_TRACEPOINT, 7), eight = add_tracepoint(PC_TYPE_TRACEPOINT, 8);
    uint32_t nine = add_tracepoint(PC_TYPE_TRACEPOINT, 9), ten = add_tracepoint(PC_TYPE_TRACEPOINT, 10);
    uint32_t other = add_tracepoint(0, 7), huge = add_tracepoint(PC_TYPE_TRACEPOINT, UINT64_MAX);
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
    uint32_t seven = add_tracepoint(PC_TYPE_TRACEPOINT, 7);
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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
static const struct CMUnitTest tests[] = {
    TEST(ids_lead_to_their_attr_whatever_they_are),
    TEST(the_map_of_ids_has_a_limit),
    TEST(one_attr_governs_everything),
    TEST(several_attrs_are_told_apart_by_identifier),
    TEST(several_attrs_are_told_apart_by_id),
    TEST(without_a_common_place_only_equal_layouts_can_be_read),
    TEST(a_trailer_has_the_members_of_sample_type),
    TEST(a_name_waits_for_its_attr),
    TEST(names_that_wait_are_bounded),
    TEST(event_desc_may_come_before_the_attrs),
    TEST(the_config_of_an_attr_leads_to_its_format),
    TEST(formats_that_find_no_memory_are_not_there),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
