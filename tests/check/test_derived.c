/* SPDX-License-Identifier: MIT
 *
 * What does not follow from the items of a copy, by hand for each derived value. In
 * tests/write/test_rewrite_verify.c each bit of whole copies is changed.
 */
#include "scratch.h"
#include "capture_bench.h"
#include "check/derived.h"

#include <string.h>

static struct pc_derived derived;
static uint64_t attr_needs = PC_ATTR_SIZE_MIN; /* of the original */

/* A pipe with an attr of 64 bytes, HOSTNAME, an end mark, and what `more` says. */
static const char *wrong_of(uint64_t end_mark, enum pc_versions reader, bool more)
{
    struct pc_limits limits;
    struct pc_item item;
    begin_with(PC_S_TID, 0);
    begin_feature(PC_HOSTNAME);
    put_string("box");
    end_record();
    begin_feature(end_mark);
    end_record();
    if (more) {
        begin_feature(PC_OSRELEASE);
        put_string("6.1");
        end_record();
    }
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    pc_derived_init(&derived);
    derived.reader = pc_version_knows(reader);
    derived.attr_needs = attr_needs;
    while (pc_scan_next(&scan, &item))
        pc_derived_item(&derived, &scan.reader, &item);
    const char *wrong = pc_derived_wrong(&derived, &scan.reader);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    return wrong;
}

static void the_end_mark_is_that_of_a_reader(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        assert_null(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false));
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO + 1, PC_BY_NONE, false), "the end mark");
        assert_null(wrong_of(PC_CLN_SIZE + 1, PC_BY_7_2, false));
        assert_null(wrong_of(PC_CLOCK_DATA + 1, PC_BY_5_10, false));
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_5_10, false), "the end mark");
    }
}

static void attrs_have_the_size_of_a_perf_that_has_room_for_them(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (attr_needs = 65; attr_needs <= 72; attr_needs++)
            assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false), "sizes and offsets");
        attr_needs = 0; /* there is none: all that is known */
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false), "sizes and offsets");
        attr_needs = PC_ATTR_SIZE_MIN;
        assert_null(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, false));
    }
}

/* Sees a capture of real perf with compressed records, whose type is to be this. */
static void see_compressed(uint32_t type)
{
    struct pc_limits limits;
    struct pc_item item;
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, "corpus/real/6.12-z3.data"));
    pc_derived_init(&derived);
    derived.packed_type = type;
    while (pc_scan_next(&scan, &item))
        pc_derived_item(&derived, &scan.reader, &item);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    assert_true(derived.packed != 0);
}

static void compressed_records_have_one_type_and_whole_blocks(void **state)
{
    (void)state;
    see_compressed(PC_COMPRESSED);
    assert_false(derived.other_type || derived.blocks.wrong);
    see_compressed(PC_COMPRESSED2);
    assert_true(derived.other_type);
}

/* Trace data that were made describe each tracepoint. */
static void a_tracepoint_is_described(void **state)
{
    (void)state;
    struct pc_attr attr = { .format = PC_NO_ATTR };
    struct pc_capture capture = { .attr = &attr, .nr_attrs = 1 };
    derived.made_formats = true;
    attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = PC_TYPE_SOFTWARE;
    assert_true(pc_derived_formats(&derived, &capture));
    attr.value[PC_ATTR_TYPE - PC_ATTR_TYPE] = PC_TYPE_TRACEPOINT;
    assert_true(pc_derived_formats(&derived, &capture)); /* no event has the id 0 */
    attr.value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = 314;
    assert_false(pc_derived_formats(&derived, &capture));
    derived.made_formats = false;
    assert_true(pc_derived_formats(&derived, &capture));
}

/* Trace data that were made, of tracepoints with a name, without one, and of the first again, by hand. */
static size_t trace_data(unsigned char *to, enum pc_order order)
{
    static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
    static const char *const systems[] = { "sched", "tracepoint" };
    static const char *const heads[] = { "name: sched_switch\nID: 314\n", "name: id_70\nID: 70\n" };
    static const char fields[] =
        "format:\n"
        "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
        "\tfield:unsigned char raw[];\toffset:8;\tsize:0;\tsigned:0;\n\n"
        "print fmt: \"\"\n";
    size_t len = 0;
#define NUMBER(width, value) (pc_store(to + len, width, value, order), len += (width))
#define TEXT(text, n)        (memcpy(to + len, text, n), len += (n))
    TEXT("\x17\x08\x44tracing0.6", 14); /* with the NUL */
    NUMBER(1, order == PC_BIG);
    NUMBER(1, 8);    /* of a long */
    NUMBER(4, 4096); /* of a page */
    TEXT("header_page", 12);
    NUMBER(8, strlen(page));
    TEXT(page, strlen(page));
    TEXT("header_event", 13);
    NUMBER(8, 0);
    NUMBER(4, 0); /* of ftrace */
    NUMBER(4, 2); /* systems */
    for (size_t i = 0; i < PC_COUNT_OF(systems); i++) {
        TEXT(systems[i], strlen(systems[i]) + 1);
        NUMBER(4, 1);
        NUMBER(8, strlen(heads[i]) + strlen(fields));
        TEXT(heads[i], strlen(heads[i]));
        TEXT(fields, strlen(fields));
    }
    NUMBER(4, 0); /* symbols */
    NUMBER(4, 0); /* formats of printk */
    NUMBER(8, 0); /* names of tasks */
#undef NUMBER
#undef TEXT
    return len;
}

static void each_byte_of_trace_data_that_were_made_counts(void **state)
{
    (void)state;
    static const struct {
        uint64_t type, config;
        const char *name;
    } events[] = { { PC_TYPE_TRACEPOINT, 314, "sched:sched_switch" },
                   { PC_TYPE_SOFTWARE, 1, "task-clock" },
                   { PC_TYPE_TRACEPOINT, 314, "sched:sched_switch" },
                   { PC_TYPE_TRACEPOINT, 70, "odd:name here" } };
    struct pc_attr attr[PC_COUNT_OF(events)] = { 0 };
    struct pc_capture capture = { .attr = attr, .nr_attrs = PC_COUNT_OF(events) };
    unsigned char bytes[4096] = { 0 };
    for (size_t i = 0; i < PC_COUNT_OF(events); i++) {
        attr[i].value[PC_ATTR_TYPE - PC_ATTR_TYPE] = events[i].type;
        attr[i].value[PC_ATTR_CONFIG - PC_ATTR_TYPE] = events[i].config;
        attr[i].name = (char *)(uintptr_t)events[i].name;
    }
    for (capture.order = PC_LITTLE; capture.order <= PC_BIG; capture.order++) {
        size_t len = trace_data(bytes, capture.order);
        struct pc_span content = { bytes, len };
        assert_true(pc_derived_trace_data(&capture, content));
        for (content.len = 0; content.len <= len + 1; content.len++)
            assert_int_equal(pc_derived_trace_data(&capture, content), content.len == len);
        content.len = len;
        for (size_t at = 0; at < len; at++) {
            bytes[at] ^= 4;
            if (pc_derived_trace_data(&capture, content))
                fail_msg("byte %zu does not count", at);
            bytes[at] ^= 4;
        }
        for (size_t i = 0; i < PC_COUNT_OF(events); i++) { /* another tracepoint, one more, one less */
            attr[i].value[PC_ATTR_CONFIG - PC_ATTR_TYPE]++;
            assert_int_equal(pc_derived_trace_data(&capture, content), i == 1);
            attr[i].value[PC_ATTR_CONFIG - PC_ATTR_TYPE]--;
        }
    }
}

static void nothing_follows_the_end_mark(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        assert_string_equal(wrong_of(PC_CPU_DOMAIN_INFO, PC_BY_NONE, true), "sizes and offsets");
    }
}

/* --- captures from recipes, with one value that is wrong --- */

#define ATTRS                                                                                                \
    "attr size=136 type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER|BRANCH_STACK "              \
    "branch_sample_type=USER|ANY flags=disabled ids=11,12\n"                                                 \
    "attr copy=attr0 config=2 ids=13\n"
#define RECORDS                                                                                              \
    "record COMM ; u32 1 1 ; str \"one\" ; end\n"                                                            \
    "record AUXTRACE_INFO ; u32 1 0 ; u64 0 ; end\n"                                                         \
    "trace: record AUXTRACE ; u64 16 0 0 ; u32 0 1 0 0 ; end ; fill 16 0x5a\n"                               \
    "record STAT_ROUND ; u64 0 1 ; end\n"
#define FEATURES "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 4 4 ; end\n"
#define MARKS                                                                                                \
    "feature BRANCH_STACK ; end\nfeature AUXTRACE ; index: u64 1 trace 48 ; end\nfeature STAT ; end\n"
#define WHOLE "file\n" ATTRS "data\n" RECORDS FEATURES MARKS
#define PACKED(type)                                                                                         \
    "record FINISHED_INIT ; end\npacked: record " type " ; u64 1041 ; "                                      \
    "zstd ; repeat 43 ; record COMM ; u32 1 1 ; str \"one\" ; end ; end ; end ; zero 7 ; end\n"
#define COMPRESSION(level, ratio, len) "feature COMPRESSED ; u32 0 1 " level " " ratio " " len " ; end\n"
#define ONE_ATTR                                                                                             \
    "attr size=136 type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER flags=disabled ids=11\n"
#define PIPE     ONE_ATTR FEATURES
#define END_MARK "record HEADER_FEATURE ; u64 32 ; end\n"

static const char sizes[] = "sizes and offsets", marks[] = "features without content",
                  trace_index[] = "the index of AUX traces", compression[] = "the feature COMPRESSED",
                  mark[] = "the end mark";

static const struct row {
    const char *recipe, *more, *wrong; /* NULL: nothing is */
    enum pc_versions reader;
} rows[] = {
    { WHOLE, "", NULL, PC_BY_NONE },
    { WHOLE, "patch header.attr_size u64 160", sizes, PC_BY_NONE },
    { WHOLE, "patch header.attrs.offset u64 header.attrs.offset+8", sizes, PC_BY_NONE },
    { WHOLE, "patch header.attrs.size u64 152", sizes, PC_BY_NONE },
    { WHOLE, "patch header.data.offset u64 data+32", sizes, PC_BY_NONE },
    { WHOLE, "patch header.event_types.offset u64 8", sizes, PC_BY_NONE },
    { WHOLE, "patch header.event_types.size u64 8", sizes, PC_BY_NONE },
    { WHOLE, "patch attr0.ids.offset u64 112", sizes, PC_BY_NONE },
    { WHOLE, "patch attr1.ids.offset u64 112", sizes, PC_BY_NONE },
    { WHOLE, "patch table.NRCPUS.offset u64 feature.HOSTNAME", sizes, PC_BY_NONE },
    { WHOLE, "patch table.STAT.offset u64 end-8", sizes, PC_BY_NONE },
    { WHOLE, "append u8 0", sizes, PC_BY_NONE },
    { "file\n" ATTRS "data\n" RECORDS "unused_slots 1\n" FEATURES MARKS, "", sizes, PC_BY_NONE },
    { "file\nattr size=136 room=144 type=1 config=0 sample_type=IP|TID ids=11\ndata\nrecord COMM ; u32 1 1 ; "
      "str \"one\" ; end\n" FEATURES,
      "", sizes, PC_BY_NONE },
    { WHOLE, "patch index u64 0", trace_index, PC_BY_NONE },
    { WHOLE, "patch index+8 u64 trace+8", trace_index, PC_BY_NONE },
    { WHOLE, "patch index+16 u64 56", trace_index, PC_BY_NONE },
    { "file\n" ATTRS "data\n" RECORDS FEATURES
      "feature AUXTRACE ; u64 1 trace 48 ; end\nfeature STAT ; end\n",
      "", marks, PC_BY_NONE },
    { "file\n" ATTRS "data\n" RECORDS FEATURES
      "feature BRANCH_STACK ; end\nfeature AUXTRACE ; u64 1 trace 48 ; end\n",
      "", marks, PC_BY_NONE },
    { "file\n" ATTRS "data\nrecord COMM ; u32 1 1 ; str \"one\" ; end\n" FEATURES
      "feature BRANCH_STACK ; end\nfeature AUXTRACE ; u64 0 ; end\n",
      "", marks, PC_BY_NONE },
    { "file\n" ATTRS "data\nrecord COMM ; u32 1 1 ; str \"one\" ; end\n" FEATURES
      "feature BRANCH_STACK ; end\nfeature STAT ; end\n",
      "", marks, PC_BY_NONE },
    { "file\n" ONE_ATTR "data\nrecord COMM ; u32 1 1 ; str \"one\" ; end\n" FEATURES
      "feature DIR_FORMAT ; u64 1 ; end\n",
      "", marks, PC_BY_NONE },
    { "file\n" ONE_ATTR "data\n" PACKED("COMPRESSED2") FEATURES COMPRESSION("1", "1", "528384"), "", NULL,
      PC_BY_NONE },
    { "file\n" ONE_ATTR "data\n" PACKED("COMPRESSED2") FEATURES COMPRESSION("2", "1", "528384"), "",
      compression, PC_BY_NONE },
    { "file\n" ONE_ATTR "data\n" PACKED("COMPRESSED2") FEATURES COMPRESSION("1", "2", "528384"), "",
      compression, PC_BY_NONE },
    { "file\n" ONE_ATTR "data\n" PACKED("COMPRESSED2") FEATURES COMPRESSION("1", "0", "528384"), "",
      compression, PC_BY_NONE },
    { "file\n" ONE_ATTR "data\n" PACKED("COMPRESSED2") FEATURES COMPRESSION("1", "1", "528392"), "",
      compression, PC_BY_NONE },
    { "file\n" ONE_ATTR "data\n" PACKED("COMPRESSED2") FEATURES, "", compression, PC_BY_NONE },
    { "file\n" ONE_ATTR
      "data\nrecord COMM ; u32 1 1 ; str \"one\" ; end\n" FEATURES COMPRESSION("1", "1", "528384"),
      "", compression, PC_BY_NONE },
    { "pipe\n" PIPE END_MARK, "", NULL, PC_BY_NONE },
    { "pipe\n" PIPE, "", mark, PC_BY_NONE },
    { "pipe\n" ONE_ATTR, "", NULL, PC_BY_NONE },
    { "pipe\nattr size=144 type=1 config=0 sample_type=IP ids=11\n" FEATURES END_MARK, "", mark, PC_BY_NONE },
    { "pipe\n" PIPE "feature E_MACHINE ; u32 62 0 ; end\n" END_MARK, "", mark, PC_BY_NONE },
    { "pipe\nattr size=128 type=1 config=0 sample_type=IP ids=11\n" FEATURES END_MARK, "", sizes,
      PC_BY_NONE },
    { "pipe\n" PIPE END_MARK "record COMM ; u32 1 1 ; str \"one\" ; end\n" ONE_ATTR, "", sizes, PC_BY_NONE },
    { "pipe\n" ONE_ATTR "record COMM ; u32 1 1 ; str \"one\" ; end\n" FEATURES END_MARK, "", sizes,
      PC_BY_NONE },
    { "pipe\n" ONE_ATTR "feature NRCPUS ; u32 4 4 ; end\nfeature HOSTNAME ; hstr \"box\" ; end\n" END_MARK,
      "", sizes, PC_BY_NONE },
    { "pipe\n" PIPE END_MARK, "patch rec1.misc u16 1", sizes, PC_BY_NONE },
    { "pipe\nattr size=120 type=1 config=0 sample_type=IP ids=11\n" FEATURES END_MARK, "", mark, PC_BY_5_10 },
    { "pipe\nattr size=136 type=1 config=0 sample_type=IP ids=11\n" FEATURES
      "record HEADER_FEATURE ; u64 31 ; end\n",
      "", sizes, PC_BY_5_10 },
};

/* at_once: records of the kernel are not shown as items. */
static const char *wrong_in(const struct row *row, bool at_once)
{
    char recipe[4096], path[SCRATCH_PATH];
    struct pc_limits limits;
    struct pc_item item;
    snprintf(recipe, sizeof(recipe), "expect: valid\norder little\n%s%s\n", row->recipe, row->more);
    scratch_path(path, "in");
    assemble(recipe, path);
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    pc_derived_init(&derived);
    derived.reader = pc_version_knows(row->reader);
    derived.attr_needs = strstr(row->recipe, "size=144") ? 144 : 136;
    derived.level = 1;
    derived.mmap_len = 528384;
    while (pc_scan_next(&scan, &item)) {
        if (at_once && item.kind == PC_ITEM_RECORD && pc_is_kernel_type(item.type))
            pc_derived_records(&derived, &item.where, item.bytes.len);
        else
            pc_derived_item(&derived, &scan.reader, &item);
    }
    const char *wrong = pc_derived_wrong(&derived, &scan.reader);
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    return wrong;
}

static void each_derived_value_counts(void **state)
{
    (void)state;
    for (size_t i = 0; i < 2 * PC_COUNT_OF(rows); i++) {
        const char *wrong = wrong_in(&rows[i / 2], i % 2 != 0), *wanted = rows[i / 2].wrong;
        if (!wrong != !wanted || (wrong && strcmp(wrong, wanted) != 0))
            fail_msg("row %zu, %s: %s, not %s", i / 2, rows[i / 2].more, wrong ? wrong : "right",
                     wanted ? wanted : "right");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_derived_value_counts),
    cmocka_unit_test(the_end_mark_is_that_of_a_reader),
    cmocka_unit_test(attrs_have_the_size_of_a_perf_that_has_room_for_them),
    cmocka_unit_test(compressed_records_have_one_type_and_whole_blocks),
    cmocka_unit_test(a_tracepoint_is_described),
    cmocka_unit_test(each_byte_of_trace_data_that_were_made_counts),
    cmocka_unit_test(nothing_follows_the_end_mark),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };
