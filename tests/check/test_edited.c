/* SPDX-License-Identifier: MIT
 *
 * What an edit for an older perf may change: each bit of what was edited counts, but for those that this perf
 * does not know.
 */
#include "scratch.h"
#include "bytes/cursor.h"
#include "check/edited.h"
#include "check/scan.h"

static struct pc_scan scan;
static struct pc_policy policy;

#define ATTR "attr size=120 type=1 config=0 sample_period=1000 "
#define HEAD "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; "
#define ID   "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3"

#define PROGRAM(size, rest)                                                                                  \
    "u32 " size " 8 ; u64 0 ; u32 6 42 ; bytes 6deef7357e7b4530 ; u32 0 0 ; " rest " ; u64 9 ; "

/* Types of a BPF program: one, of this kind. */
#define BTF(id, kind)                                                                                        \
    "u32 " id " 44 ; u16 0xeb9f ; u8 1 0 ; u32 24 0 12 12 8 ; u32 1 " kind " 4 ; zero 1 ; text \"a\" ; "     \
    "zero 6 ; "
#define TYPEDEF "0x8000000"
#define FLOAT   "0x10000000"

/* A record, and by hand what becomes of it: the last two. Attrs have ids that follow from nothing. */
static const struct row {
    enum pc_versions reader;
    const char *attr, *before, *after;
    unsigned free; /* bits that are as good as others */
} rows[] = {
    { PC_BY_5_10, ATTR "sample_type=IP|TID flags=disabled",
      "record MMAP2 misc=USER|MMAP_BUILD_ID ; u32 100 100 ; u64 0x400000 0x1000 0 ; u8 20 0 0 0 ; bytes " ID
      " ; u32 5 2 ; str \"/bin/one\" ; end",
      "record MMAP2 misc=USER ; u32 100 100 ; u64 0x400000 0x1000 0 ; zero 24 ; u32 5 2 ; str \"/bin/one\" ; "
      "end",
      0 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID flags=disabled", "record CPU_MAP ; u16 2 ; u8 1 0 ; u16 2 5 ; end",
      "record CPU_MAP ; u16 0 5 65535 2 3 4 5 ; zero 2 ; end", 0 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID flags=disabled",
      "record EVENT_UPDATE ; u64 3 11 ; u16 2 ; u8 0 0 ; u16 1 3 ; end",
      "record EVENT_UPDATE ; u64 3 11 ; u16 0 3 1 2 3 ; zero 6 ; end", 0 },
    { PC_BY_5_10,
      ATTR "sample_type=IP|TID flags=disabled ids=11\nrecord CPU_MAP ; u16 0 3 0 2 3 ; zero 6 ; end",
      "record STAT ; u64 11 ; u32 3 0 ; u64 5 5 5 ; end", "record STAT ; u64 11 ; u32 2 0 ; u64 5 5 5 ; end",
      1 }, /* it may stay as it was */
    { PC_BY_6_1, ATTR "sample_type=IP|TID flags=disabled", "record STAT_CONFIG ; u64 4 0 0 3 1 1 0 2 1 ; end",
      "record STAT_CONFIG ; u64 3 0 0 1 0 2 1 ; end", 0 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID|WEIGHT_STRUCT|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE flags=disabled",
      HEAD "u64 0x0003000200000001 7 4096 4096 ; end", HEAD "u64 1 7 ; end", 0 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID|READ|CALLCHAIN read_format=ID|LOST|GROUP flags=disabled",
      HEAD "u64 2 5000 11 3 6000 11 4 ; u64 1 0x400123 ; end",
      HEAD "u64 2 5000 11 6000 11 ; u64 1 0x400123 ; end", 0 },
    { PC_BY_6_1, ATTR "sample_type=IP|TID|BRANCH_STACK branch_sample_type=USER|ANY|COUNTERS flags=disabled",
      HEAD "u64 1 ; branch 0x400100 0x400200 predicted ; u64 7 ; end",
      HEAD "u64 1 ; branch 0x400100 0x400200 predicted ; end", 0 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID|BRANCH_STACK branch_sample_type=USER|ANY|TYPE_SAVE flags=disabled",
      HEAD
      "u64 2 ; branch 0x400100 0x400200 predicted|type:11 ; branch 0x400300 0x400400 predicted|type:10 ; "
      "end",
      HEAD "u64 2 ; branch 0x400100 0x400200 predicted ; branch 0x400300 0x400400 predicted|type:10 ; end",
      0 },
    { PC_BY_6_12, ATTR "sample_type=IP|TID|CALLCHAIN flags=disabled|defer_callchain",
      HEAD "u64 4 -128 0xffffffff81000000 -640 7 ; end", HEAD "u64 2 -128 0xffffffff81000000 ; end", 0 },
    /* flags that it does not know, of which one or both may be gone */
    { PC_BY_5_10, ATTR "sample_type=IP|TID flags=disabled|use_clockid|build_id|inherit_thread",
      ATTR "sample_type=IP|TID flags=disabled|use_clockid|build_id|inherit_thread",
      ATTR "sample_type=IP|TID flags=disabled|use_clockid", 2 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID read_format=ID|LOST|GROUP flags=disabled",
      ATTR "sample_type=IP|TID read_format=ID|LOST|GROUP flags=disabled",
      ATTR "sample_type=IP|TID read_format=ID|GROUP flags=disabled", 1 },
    { PC_BY_5_10, "attr size=128 sig_data=3 type=1 config=0 sample_type=IP flags=disabled",
      "attr size=128 sig_data=3 type=1 config=0 sample_type=IP flags=disabled",
      "attr size=128 sig_data=0 type=1 config=0 sample_type=IP flags=disabled", 0 },
    /* the info of two BPF programs: it is cut off behind 208 bytes, or shorter anyway */
    { PC_BY_5_10, ATTR "sample_type=IP|TID flags=disabled",
      "feature BPF_PROG_INFO ; u32 2 ; " PROGRAM("232", "zero 184 ; u64 5 6 7")
          PROGRAM("208", "zero 184") "end",
      "feature BPF_PROG_INFO ; u32 2 ; " PROGRAM("208", "zero 184") PROGRAM("208", "zero 184") "end", 0 },
    { PC_BY_5_10, ATTR "sample_type=IP|TID flags=disabled",
      "feature BPF_BTF ; u32 3 ; " BTF("7", FLOAT) BTF("8", TYPEDEF) BTF("9", FLOAT) "end",
      "feature BPF_BTF ; u32 1 ; " BTF("8", TYPEDEF) "end", 0 },
};

static bool is_sound(const struct row *row, const struct pc_item *before, struct pc_span after)
{
    const struct pc_version_knows *reader = pc_version_knows(row->reader);
    struct pc_item edited = *before;
    edited.bytes = after;
    if (before->type == PC_HEADER_ATTR || before->type == PC_HEADER_FEATURE)
        return pc_edited_item(reader, &scan.capture, before, &edited);
    return pc_edited_record(reader, &scan.capture, before, before->bytes, after, scan.capture.order);
}

static void each_bit_of_what_was_edited_counts(void **state)
{
    (void)state;
    static const char *const orders[] = { "little", "big" };
    for (size_t i = 0; i < 2 * PC_COUNT_OF(rows); i++) {
        const struct row *row = &rows[i / 2];
        char recipe[2048], path[SCRATCH_PATH];
        static unsigned char bytes[2][640];
        struct pc_limits limits;
        struct pc_item item, before = { 0 };
        unsigned seen = 0, free = 0;
        snprintf(recipe, sizeof(recipe), "expect: valid\norder %s\npipe\n%s\n%s\n%s\n", orders[i % 2],
                 row->attr, row->before, row->after);
        scratch_path(path, "in");
        assemble(recipe, path);
        pc_policy_init(&policy);
        pc_limits_init(&limits);
        pc_scan_init(&scan, &policy, &limits);
        assert_true(pc_scan_open(&scan, path));
        const unsigned nr = strstr(row->attr, "\nrecord ") ? 4 : 3;
        while (seen < nr && pc_scan_next(&scan, &item)) {
            if (item.kind != PC_ITEM_RECORD)
                continue;
            assert_true(item.bytes.len <= sizeof(bytes[0]));
            unsigned char *to = bytes[seen == nr - 1];
            memcpy(to, item.bytes.ptr, item.bytes.len);
            if (++seen == nr - 1) {
                before = item;
                before.bytes.ptr = to;
            }
        }
        assert_int_equal(seen, nr);
        struct pc_span after = { bytes[1], item.bytes.len };
        if (!is_sound(row, &before, after))
            fail_msg("row %zu, %s", i / 2, orders[i % 2]);
        for (size_t bit = 0; bit < 8 * after.len; bit++) {
            bytes[1][bit / 8] ^= (unsigned char)(1U << bit % 8);
            free += is_sound(row, &before, after);
            bytes[1][bit / 8] ^= (unsigned char)(1U << bit % 8);
        }
        if (free != row->free)
            fail_msg("row %zu, %s: %u bits do not count", i / 2, orders[i % 2], free);
        pc_scan_end(&scan);
        pc_scan_clear(&scan);
    }
}

static void only_what_a_perf_does_not_know_is_left_out(void **state)
{
    (void)state;
    const struct pc_version_knows *reader = pc_version_knows(PC_BY_6_12);
    unsigned char info[16] = { 0 };
    bool no_trace = false;
    struct pc_item item = { .kind = PC_ITEM_RECORD, .bytes = { info, sizeof(info) } };
    const struct {
        uint32_t type;
        bool out;
    } cases[] = { { PC_FINISHED_INIT, false },
                  { PC_BPF_METADATA, true },
                  { PC_AUX_OUTPUT_HW_ID, false },
                  { PC_CALLCHAIN_DEFERRED, true },
                  { PC_AUXTRACE, false } };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        item.type = cases[i].type;
        assert_int_equal(pc_edited_leaves_out(reader, &item, PC_LITTLE, &no_trace), cases[i].out);
    }
    item.type = PC_AUXTRACE_INFO;
    pc_store(info + PC_RECORD_HEADER_SIZE, 4, PC_TRACE_INTEL_PT, PC_LITTLE);
    assert_false(pc_edited_leaves_out(reader, &item, PC_LITTLE, &no_trace));
    pc_store(info + PC_RECORD_HEADER_SIZE, 4, PC_TRACE_VPA_DTL, PC_LITTLE);
    assert_true(pc_edited_leaves_out(reader, &item, PC_LITTLE, &no_trace));
    item.type = PC_AUXTRACE;
    assert_true(pc_edited_leaves_out(reader, &item, PC_LITTLE, &no_trace));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_bit_of_what_was_edited_counts),
    cmocka_unit_test(only_what_a_perf_does_not_know_is_left_out),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };
