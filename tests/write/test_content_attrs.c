/* SPDX-License-Identifier: MIT
 *
 * Attrs and ids that a content keeps: from both containers, in both orders, and more than a buffer holds.
 */
#include "check/scan.h"
#include "scratch.h"
#include "write/content.h"

static char path[SCRATCH_PATH];
static struct pc_scan scan;
static struct pc_content content;

static void read_all(const char *recipe)
{
    struct pc_policy policy;
    struct pc_limits limits;
    struct pc_content_item item;
    assemble(recipe, path);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    pc_content_init(&content, &scan, PC_LITTLE, false, NULL);
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    assert_true(pc_content_is_whole(&content));
}

static void clear(void)
{
    pc_content_clear(&content);
    pc_scan_clear(&scan);
}

/* 1,300 ids are 10,400 bytes. */
static void each_of_many_ids_is_kept(void **state)
{
    (void)state;
    enum { NR = 1300 };
    for (int kind = 0; kind < 4; kind++) {
        bool pipe = kind & 1;
        char *recipe = NULL;
        size_t len = 0;
        FILE *f = open_memstream(&recipe, &len);
        fprintf(f,
                "expect: valid\norder %s\n%s\n"
                "attr type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID "
                "flags=disabled "
                "ids=7\nattr type=1 config=1 sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID "
                "flags=disabled ids=",
                kind & 2 ? "big" : "little", pipe ? "pipe" : "file");
        for (unsigned i = 0; i < NR; i++)
            fprintf(f, "%s%u", i ? "," : "", 100000 + 3 * i);
        fprintf(f, "\n%srecord SAMPLE misc=USER ; u64 7 0x400123 ; u32 100 100 ; end\n",
                pipe ? "" : "data\n");
        fclose(f);
        read_all(recipe);
        free(recipe);
        assert_int_equal(content.nr_attrs, 2);
        assert_int_equal(content.attr[0].nr_ids, 1);
        assert_int_equal(content.attr[1].nr_ids, NR);
        assert_int_equal(content.ids[content.attr[0].ids], 7);
        for (unsigned i = 0; i < NR; i++)
            assert_int_equal(content.ids[content.attr[1].ids + i], 100000 + 3 * i);
        clear();
    }
}

/* The offset is that of the attr: after the header of a file and the ids, or in its record. */
static void each_attr_has_its_bytes_and_its_place(void **state)
{
    (void)state;
    static const struct {
        const char *container, *data;
        size_t first, second;
    } rows[] = {
        { "file", "data\n", 104 + 3 * 8, 104 + 3 * 8 + 136 },
        { "pipe", "", 16 + 8, 16 + (8 + 120 + 8) + 8 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char recipe[1024];
        snprintf(recipe, sizeof(recipe),
                 "expect: valid\norder little\n%s\n"
                 "attr type=1 config=5 sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID "
                 "flags=disabled "
                 "ids=7\nattr type=1 config=6 sample_period=1 sample_type=IP|TID|IDENTIFIER read_format=ID "
                 "flags=disabled ids=8,9\n%srecord SAMPLE misc=USER ; u64 7 0x400123 ; u32 100 100 ; end\n",
                 rows[i].container, rows[i].data);
        read_all(recipe);
        assert_int_equal(content.nr_attrs, 2);
        assert_int_equal(content.attr[0].offset, rows[i].first);
        assert_int_equal(content.attr[1].offset, rows[i].second);
        for (size_t k = 0; k < 2; k++) {
            const unsigned char *attr = content.attr_bytes + content.attr[k].at;
            assert_int_equal(content.attr[k].len, 120);
            assert_int_equal(attr[0], 1);     /* type */
            assert_int_equal(attr[8], 5 + k); /* config */
            assert_int_equal(content.attr[k].nr_ids, 1 + k);
        }
        assert_int_equal(content.attr_size, 120);
        assert_true(content.late_attr == PC_NO_INDEX);
        clear();
    }
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(path, "capture");
    return 0;
}

/* Zeros after the last known member are left out when the copy has no room for them; members that are not
 * there are zeros. */
static void an_attr_is_cut_to_the_size_of_the_copy(void **state)
{
    (void)state;
    struct pc_mem mem;
    struct pc_capture capture;
    struct pc_convert convert;
    unsigned char in[168] = { [0] = 1, [4] = sizeof(in), [8] = 2 }, out[sizeof(in)];
    pc_mem_init(&mem, 1 << 20);
    pc_capture_init(&capture, &mem);
    pc_convert_init(&convert, &capture, PC_BIG);
    convert.attr_size = 144;
    memset(out, 0xee, sizeof(out));
    assert_int_equal(pc_convert_attr(&convert, (struct pc_span){ in, sizeof(in) }, out), PC_CONVERTED);
    assert_true(out[3] == 1 && out[15] == 2);
    for (size_t i = 144; i < sizeof(out); i++)
        assert_int_equal(out[i], 0xee);
    in[4] = 64;
    memset(out, 0xee, sizeof(out));
    assert_int_equal(pc_convert_attr(&convert, (struct pc_span){ in, 64 }, out), PC_CONVERTED);
    assert_true(out[3] == 1 && out[15] == 2);
    for (size_t i = 64; i < 144; i++)
        assert_int_equal(out[i], 0);
    pc_convert_clear(&convert);
    pc_capture_clear(&capture);
    assert_int_equal(mem.used, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_of_many_ids_is_kept),
    cmocka_unit_test(each_attr_has_its_bytes_and_its_place),
    cmocka_unit_test(an_attr_is_cut_to_the_size_of_the_copy),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };
