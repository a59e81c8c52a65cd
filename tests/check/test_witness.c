/* SPDX-License-Identifier: MIT
 *
 * What a capture holds besides records: each attr, each feature, each entry of BUILD_ID counts.
 */
#include "witness_bench.h"
#include "check/witness.h"

static uint64_t left_out(const void *ctx, uint64_t bit)
{
    return bit == PC_BUILD_ID ? *(const uint64_t *)ctx : 0;
}

/* Entries that the copy lacks are as many as were left out, or fewer. */
static void each_build_id_counts(void **state)
{
    (void)state;
    static struct pc_witness original, copy;
    static const struct {
        const char *copied;
        uint64_t least; /* that must have been left out; UINT64_MAX: whatever was */
    } rows[] = {
        { "abc", 0 },         { "ab", 1 },         { "ac", 1 },
        { "bc", 1 },          { "a", 2 },          { "", 3 },
        { "ba", UINT64_MAX }, { "d", UINT64_MAX }, { "abcd", UINT64_MAX },
    };
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        pc_witness_init(&original, &mem);
        pc_witness_init(&copy, &mem);
        for (const char *c = "abc"; *c; c++)
            assert_true(pc_set_add(&mem, &original.build_ids, &(struct pc_sum){ { (unsigned char)*c } }));
        for (const char *c = rows[i].copied; *c; c++)
            assert_true(pc_set_add(&mem, &copy.build_ids, &(struct pc_sum){ { (unsigned char)*c } }));
        for (uint64_t times = 0; times < 5; times++) {
            uint64_t bit;
            bool alike = pc_witness_compare(&original, &copy, left_out, &times, &bit) == PC_ALIKE;
            if (alike != (times >= rows[i].least))
                fail_msg("row %zu, %u times", i, (unsigned)times);
        }
        pc_witness_clear(&original);
        pc_witness_clear(&copy);
    }
}

static uint64_t lacks_nothing(const void *ctx, uint64_t bit)
{
    (void)ctx;
    (void)bit;
    return 0;
}

static struct pc_mem mem; /* of witnesses */

static unsigned char event_desc[1024];

/* Lets the witness see a capture of two events, and what a test adds. An EVENT_DESC is kept in `events`;
 * where nothing is added, the witness sees that one as made. */
static void see(struct pc_witness *w, const char *more, struct pc_span *events)
{
    char recipe[2048], path[SCRATCH_PATH];
    struct pc_item item;
    snprintf(
        recipe, sizeof(recipe),
        "expect: valid\nfile\n"
        "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|IDENTIFIER flags=disabled ids=11,12\n"
        "attr copy=attr0 config=2 ids=13\ndata\n"
        "record MMAP2 misc=USER|MMAP_BUILD_ID ; u32 100 100 ; u64 0x400000 0x1000 0 ; u8 4 0 0 0 ; bytes "
        "01020304 ; zero 16 ; u32 5 2 ; str \"/bin/one\" ; end\n%s",
        more);
    scratch_path(path, "in");
    assemble(recipe, path);
    begin_scan(path);
    bool moves = w->moves_build_ids;
    pc_witness_init(w, &mem);
    w->moves_build_ids = moves;
    while (pc_scan_next(&scan, &item)) {
        pc_witness_item(w, &scan.reader, &item);
        if (item.kind == PC_ITEM_FEATURE && item.number == PC_EVENT_DESC) {
            assert_true(item.bytes.len <= sizeof(event_desc));
            memcpy(event_desc, item.bytes.ptr, item.bytes.len);
            *events = (struct pc_span){ event_desc, item.bytes.len };
        }
    }
    if (*more == 0 && events->len != 0)
        pc_witness_made(w, &scan.capture, PC_EVENT_DESC, *events, false);
    end_scan();
}

/* What an EVENT_DESC that was made, or BUILD_ID, says otherwise than attrs and mappings do. */
static void what_was_made_repeats_the_rest(void **state)
{
    (void)state;
    static const struct {
        uint64_t wrong; /* PC_EVENT_DESC, PC_BUILD_ID; 0: nothing */
        const char *added;
    } cases[] = {
#define EVENTS(name, ids, attr)                                                                              \
    "feature EVENT_DESC ; u32 2 120 ; event \"cpu-clock\" copy=attr0 ids=11,12 ; event \"" name              \
    "\" copy=" attr " ids=" ids " ; end\n"
#define ID(misc, bytes, name)                                                                                \
    "feature BUILD_ID ; u32 0 ; u16 " misc " 52 ; u32 -1 ; bytes " bytes " ; zero 16 ; u8 4 0 0 0 ; text "   \
    "\"" name "\" ; zero 8 ; end\n"
        { 0, EVENTS("page-faults", "13", "attr1") },
        { PC_EVENT_DESC, EVENTS("cpu-clock", "13", "attr1") },
        { PC_EVENT_DESC, EVENTS("page-faults", "11", "attr1") },
        { PC_EVENT_DESC, EVENTS("page-faults", "13", "attr0") },
        { 0, ID("0x8002", "01020304", "/bin/one") },
        { PC_BUILD_ID, ID("0x8000", "01020304", "/bin/one") },
        { PC_BUILD_ID, ID("0x8002", "01020300", "/bin/one") },
        { PC_BUILD_ID, ID("0x8002", "01020304", "/bin/on\\0") },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        pc_mem_init(&mem, 1 << 20);
        struct pc_span made = { NULL, 0 };
        bool events = strstr(cases[i].added, "EVENT_DESC");
        struct pc_witness original = { .moves_build_ids = !events }, copy = { .moves_build_ids = false };
        uint64_t bit;
        see(&copy, cases[i].added, &made);
        see(&original, "", &made);
        enum pc_unlike unlike = pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit);
        if (unlike != (cases[i].wrong ? PC_UNLIKE_FEATURE : PC_ALIKE) || (unlike && bit != cases[i].wrong))
            fail_msg("case %zu: %d, %d", i, (int)unlike, (int)bit);
        pc_witness_clear(&original);
        pc_witness_clear(&copy);
        assert_int_equal(mem.used, 0);
    }
}

enum { EVENTS = 2000 };

/* Lets a witness see as many lines of META_INFO as events of an EVENT_DESC, whose names begin with `name`. */
static void see_lines(struct pc_witness *w, const char *name, unsigned type)
{
    static unsigned char content[EVENTS * 100 + 8];
    static char text[EVENTS * 40];
    static const char key[] = "event_type_info";
    struct pc_capture capture = { .order = PC_LITTLE };
    memcpy(text, key, sizeof(key));
    size_t len = sizeof(key), n = 8;
    for (unsigned i = 0; i < EVENTS; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "event,%u,7,%u\n", i, i);
    pc_witness_init(w, &mem);
    pc_witness_made(w, &capture, PC_META_INFO, (struct pc_span){ (unsigned char *)text, len + 1 }, false);
    memset(content, 0, sizeof(content));
    pc_store(content, 4, EVENTS, PC_LITTLE);
    pc_store(content + 4, 4, PC_ATTR_SIZE_MIN, PC_LITTLE);
    for (unsigned i = 0; i < EVENTS; i++) {
        pc_store(content + n, 4, type, PC_LITTLE);
        pc_store(content + n + PC_ATTR_SIZE_AT, 4, PC_ATTR_SIZE_MIN, PC_LITTLE);
        n += PC_ATTR_SIZE_MIN + 4;
        pc_store(content + n, 4, 24, PC_LITTLE);
        snprintf((char *)content + n + 4, 24, "%s%u", name, i);
        n += 28;
    }
    pc_witness_made(w, &capture, PC_EVENT_DESC, (struct pc_span){ content, n }, false);
}

/* Names are compared with lines in a time that grows with both, not with their product. */
static void names_of_events_are_found_in_lines(void **state)
{
    (void)state;
    static struct pc_witness w;
    static const struct {
        const char *name;
        unsigned type;
        bool none;
    } rows[] = { { "event,", PC_TYPE_RAW, false },
                 { "event,", 7, false },
                 { "event,", 6, true },
                 { "event", PC_TYPE_RAW, true } };
    pc_mem_init(&mem, 1 << 24);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        see_lines(&w, rows[i].name, rows[i].type);
        if (w.no_line != rows[i].none || w.lines.work > 16 * EVENTS)
            fail_msg("row %zu: %d, %u", i, (int)w.no_line, (unsigned)w.lines.work);
        pc_witness_clear(&w);
        assert_int_equal(mem.used, 0);
    }
}

static uint64_t hostname_left_out(const void *ctx, uint64_t bit)
{
    return bit == PC_HOSTNAME ? *(const uint64_t *)ctx : 0;
}

/* A feature that comes again: with another content, the copy lacks it unless it was left out. */
static void another_content_of_a_feature_is_left_out(void **state)
{
    (void)state;
    static const char *const names[] = { "box", "fox" };
    for (size_t i = 0; i < PC_COUNT_OF(names); i++) {
        char recipe[256], path[SCRATCH_PATH];
        struct pc_witness w;
        struct pc_item item;
        uint64_t bit = 0, once = 1, never = 0;
        snprintf(
            recipe, sizeof(recipe),
            "expect: valid\npipe\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID\n"
            "feature HOSTNAME ; hstr \"box\" ; end\nfeature HOSTNAME ; hstr \"%s\" ; end\nfeature 32 ; end\n",
            names[i]);
        scratch_path(path, "in");
        assemble(recipe, path);
        begin_scan(path);
        pc_mem_init(&mem, 1 << 20);
        pc_witness_init(&w, &mem);
        while (pc_scan_next(&scan, &item))
            pc_witness_item(&w, &scan.reader, &item);
        end_scan();
        assert_int_equal(pc_witness_lacks_second(&w, hostname_left_out, &never, &bit), i != 0);
        assert_true(i == 0 || bit == PC_HOSTNAME);
        assert_false(pc_witness_lacks_second(&w, hostname_left_out, &once, &bit));
        pc_witness_clear(&w);
        assert_int_equal(mem.used, 0);
    }
}

/* Nobody knows what such bytes are in the other order. */
static void unknown_bytes_have_one_order(void **state)
{
    (void)state;
    struct pc_witness original, copy;
    uint64_t bit;
    pc_mem_init(&mem, 1 << 20);
    pc_witness_init(&original, &mem);
    pc_witness_init(&copy, &mem);
    copy.unknown = true;
    assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit), PC_ALIKE);
    copy.order = original.order == PC_LITTLE ? PC_BIG : PC_LITTLE;
    assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit), PC_UNLIKE_ZEROS);
}

/* Bytes that are no record: the copy lacks them, and no list says so. */
static void skipped_bytes_are_told(void **state)
{
    (void)state;
    for (unsigned there = 0; there < 2; there++) {
        char recipe[256], path[SCRATCH_PATH];
        struct pc_witness original, copy;
        struct pc_item item;
        uint64_t bit;
        snprintf(recipe, sizeof(recipe),
                 "expect: valid\nfile\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID\ndata\n"
                 "record SAMPLE misc=USER ; u64 1 ; u32 100 100 ; end\nbytes 0102030405060708\n"
                 "record SAMPLE misc=USER ; u64 1 ; u32 100 100 ; end\n");
        if (!there)
            memcpy(strstr(recipe, "bytes"), "#    ", 5);
        scratch_path(path, "in");
        assemble(recipe, path);
        begin_scan(path);
        pc_mem_init(&mem, 1 << 20);
        pc_witness_init(&original, &mem);
        pc_witness_init(&copy, &mem);
        while (pc_scan_next(&scan, &item))
            pc_witness_item(&original, &scan.reader, &item);
        end_scan();
        copy.nr_attrs = original.nr_attrs;
        copy.attrs = original.attrs;
        copy.order = original.order;
        assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit),
                         there ? PC_UNLIKE_SKIPPED : PC_ALIKE);
        original.skipped = 0;
        assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit), PC_ALIKE);
        pc_witness_clear(&original);
        pc_witness_clear(&copy);
    }
}

/* A feature that cannot be read as it was hides no other one. */
static void each_feature_counts_unless_it_cannot_be_read(void **state)
{
    (void)state;
    static struct pc_witness original, copy;
    uint64_t bit;
    pc_mem_init(&mem, 1 << 20);
    pc_witness_init(&original, &mem);
    pc_witness_init(&copy, &mem);
    for (uint64_t i = PC_HOSTNAME; i <= PC_CPU_TOPOLOGY; i++) {
        pc_set_bit(original.present, i);
        pc_set_bit(copy.present, i);
    }
    assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit), PC_ALIKE);
    copy.feature[PC_CPU_TOPOLOGY].bytes[0] = 1;
    copy.feature[PC_ARCH].bytes[0] = 1;
    assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit), PC_UNLIKE_FEATURE);
    assert_int_equal(bit, PC_ARCH);
    pc_set_bit(copy.unread, PC_ARCH);
    assert_int_equal(pc_witness_compare(&original, &copy, lacks_nothing, NULL, &bit), PC_UNLIKE_FEATURE);
    assert_int_equal(bit, PC_CPU_TOPOLOGY);
    pc_witness_clear(&original);
    pc_witness_clear(&copy);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_feature_counts_unless_it_cannot_be_read),
    cmocka_unit_test(each_build_id_counts),
    cmocka_unit_test(what_was_made_repeats_the_rest),
    cmocka_unit_test(names_of_events_are_found_in_lines),
    cmocka_unit_test(another_content_of_a_feature_is_left_out),
    cmocka_unit_test(unknown_bytes_have_one_order),
    cmocka_unit_test(skipped_bytes_are_told),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };
