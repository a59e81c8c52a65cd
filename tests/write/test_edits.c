/* SPDX-License-Identifier: MIT
 *
 * What a copy for an older perf has otherwise. Each row has a capture, and by hand what an older perf would
 * have written instead: copies of both are the same bytes, and the first one says what was edited.
 */
#include "edits_bench.h"

#define FLAGS         "flags=disabled|inherit|mmap|comm|task|sample_id_all"
#define LAYOUT        "sample_type=IP|TID|TIME|CPU|PERIOD|IDENTIFIER read_format=ID"
#define ATTR_IDS(ids) "attr size=120 type=1 config=0 sample_period=1000 " LAYOUT " " FLAGS " ids=" ids "\n"
#define ATTR          ATTR_IDS("11")
#define SECOND(ids)   "attr size=120 type=1 config=1 sample_period=1000 " LAYOUT " " FLAGS " ids=" ids "\n"
#define SAMPLE                                                                                               \
    "record SAMPLE misc=USER ; u64 11 0x400123 ; u32 100 100 ; u64 1100 ; u32 0 0 ; u64 1000 ; end\n"
#define SAMPLE_ID "u32 100 100 ; u64 1000 ; u32 0 0 ; u64 11"
#define TAIL      "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 4 4 ; end\n"
#define ID        "a0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3"
/* an event of a PMU, and the features that name it */
#define PMU "attr size=120 type=8 config=1 sample_period=1000 " LAYOUT " " FLAGS " ids=11\n"
#define PMU_TAIL                                                                                             \
    "feature EVENT_DESC ; u32 1 120 ; event \"pmu/x/\" copy=attr0 ; end\n"                                   \
    "feature PMU_MAPPINGS ; u32 1 ; u32 8 ; hstr \"pmu\" ; end\n"
/* an attr without sample_id_all, and a sample of it, but for what a row adds */
#define OTHER(members) "attr size=120 type=1 config=0 sample_period=1000 flags=disabled " members " ids=11\n"
#define HEAD           "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; "

#define NAME_73  "a-name-of-73-bytes-a-name-of-73-bytes-a-name-of-73-bytes-a-name-of-73-byt"
#define NAME_511 NAME_73 NAME_73 NAME_73 NAME_73 NAME_73 NAME_73 NAME_73

/* trace data without events */
#define TRACE                                                                                                \
    "bytes 170844 ; text \"tracing\" \"0.5\\0\" ; u8 is_big 8 ; u32 4096 ; text \"header_page\\0\" ; sized " \
    "u64 ; "                                                                                                 \
    "text \"\\tfield: u64 timestamp;\\toffset:0;\\tsize:8;\\tsigned:0;\\n\" ; "                              \
    "text \"\\tfield: local_t commit;\\toffset:8;\\tsize:8;\\tsigned:1;\\n\" ; "                             \
    "text \"\\tfield: int overwrite;\\toffset:8;\\tsize:1;\\tsigned:1;\\n\" ; "                              \
    "text \"\\tfield: char data;\\toffset:16;\\tsize:4080;\\tsigned:1;\\n\" ; end ; "                        \
    "text \"header_event\\0\" ; u64 0 ; u32 0 0 0 0 ; "

/* a tracepoint, and the trace data that are made for it */
#define POINT "attr size=120 type=2 config=47 sample_period=1000 " LAYOUT " " FLAGS " ids=11\n"
#define FIELD(type, at, size, sign)                                                                          \
    "text \"\\tfield:" type ";\\toffset:" at ";\\tsize:" size ";\\tsigned:" sign ";\\n\" ; "
#define MADE                                                                                                 \
    "feature TRACING_DATA ; bytes 170844 ; text \"tracing\" \"0.6\\0\" ; u8 is_big 8 ; u32 4096 ; "          \
    "text \"header_page\\0\" ; sized u64 ; " FIELD(" u64 timestamp", "0", "8", "0") FIELD(" local_t commit", \
                                                                                          "8", "8", "1")     \
        FIELD(" char data", "16", "4080",                                                                    \
              "1") "end ; "                                                                                  \
                   "text \"header_event\\0\" ; u64 0 ; u32 0 1 ; text \"sched\\0\" ; u32 1 ; sized u64 ; "   \
                   "text \"name: x\\nID: 47\\nformat:\\n\" ; " FIELD("unsigned short common_type", "0", "2", \
                                                                     "0")                                    \
                       FIELD("unsigned char common_flags", "2", "1", "0")                                    \
                           FIELD("unsigned char common_preempt_count", "3", "1", "0")                        \
                               FIELD("int common_pid", "4", "4", "1") "text \"\\n\" ; " FIELD(               \
                                   "unsigned char raw[]", "8", "0",                                          \
                                   "0") "text \"\\nprint fmt: \\\"\\\"\\n\" ; end ; u32 0 0 ; u64 0 ; end\n"

/* perf stat of CPUs that are a list, or an event with a map of its own; the values in STAT */
#define STAT(cpu) "record STAT ; u64 11 ; u32 " cpu " 0 ; u64 5 5 5 ; end\n"
#define STATS(map, first, second)                                                                            \
    "record THREAD_MAP ; u64 1 -1 ; zero 16 ; end\nrecord CPU_MAP ; " map " ; end\n"                         \
    "record STAT_CONFIG ; u64 3 0 0 1 0 2 1 ; end\n" STAT(first)                                             \
        STAT(second) "record STAT_ROUND ; u64 1 1000 ; end\n" TAIL                                           \
                     "feature CPU_TOPOLOGY ; u32 1 ; hstr \"0-3\" ; u32 1 ; hstr \"0-3\" ; u32 0 0  0 0  1 " \
                     "0  1 0 ; end\n"                                                                        \
                     "feature STAT ; end\n"

#define TERMS(words) "record STAT_CONFIG ; u64 " words " ; end\n"

/* Types of a BPF program: one, of this kind. A copy does not change their byte order. */
#define BTF(id, kind)                                                                                        \
    "u32 " id " 44 ; bytes 9feb010018000000000000000c0000000c0000000800000001000000" kind                    \
    "040000000061000000000000 ; "
#define TYPEDEF "00000008"
#define FLOAT   "00000010"
#define ENUM64  "00000013"

static const struct row {
    enum pc_edit edit, other; /* other: a second one, or the same */
    enum pc_versions reader;
    enum pc_container_choice to;
    const char *front, *want_front; /* header and attrs */
    const char *data, *want_data;   /* after them */
} rows[] = {
    { PC_EDIT_MARK, PC_EDIT_MARK, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record FINISHED_INIT ; end\n" SAMPLE TAIL, SAMPLE TAIL },
    { PC_EDIT_BPF, PC_EDIT_BPF, PC_BY_6_12, PC_TO_FILE, ATTR, ATTR,
      "record BPF_METADATA ; text \"prog\\0\" ; zero 507 ; u64 0 ; zero 32 ; end\n" SAMPLE TAIL,
      SAMPLE TAIL },
    { PC_EDIT_STATS, PC_EDIT_STATS, PC_BY_6_12, PC_TO_FILE, ATTR, ATTR,
      "record SCHEDSTAT_CPU ; u64 4294937000 ; u32 0 ; u16 17 0 ; u32 0 0 1 2 3 4 ; u64 5 6 7 ; end\n" SAMPLE
          TAIL,
      SAMPLE TAIL },
    { PC_EDIT_HW_ID, PC_EDIT_HW_ID, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record AUX_OUTPUT_HW_ID ; u64 7 ; " SAMPLE_ID " ; end\n" SAMPLE TAIL, SAMPLE TAIL },
    { PC_EDIT_RANGE, PC_EDIT_RANGE, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record CPU_MAP ; u16 2 ; u8 1 0 ; u16 0 3 ; end\n" SAMPLE TAIL,
      "record CPU_MAP ; u16 0 5 65535 0 1 2 3 ; zero 2 ; end\n" SAMPLE TAIL },
    { PC_EDIT_RANGE, PC_EDIT_RANGE, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record EVENT_UPDATE ; u64 3 11 ; u16 2 ; u8 0 0 ; u16 1 3 ; end\n" SAMPLE TAIL,
      "record EVENT_UPDATE ; u64 3 11 ; u16 0 3 1 2 3 ; zero 6 ; end\n" SAMPLE TAIL },
    { PC_EDIT_STAT, PC_EDIT_STAT, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR, STATS("u16 0 2 2 3", "2", "3"),
      STATS("u16 0 2 2 3", "0", "1") },
    { PC_EDIT_STAT, PC_EDIT_RANGE, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      STATS("u16 2 ; u8 1 0 ; u16 2 3", "-1", "3"), STATS("u16 0 3 65535 2 3 ; zero 6", "0", "2") },
    { PC_EDIT_STAT, PC_EDIT_STAT, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR, STATS("u16 0 1 65535 0", "-1", "-1"),
      STATS("u16 0 1 65535 0", "0", "0") },
    { PC_EDIT_STAT, PC_EDIT_STAT, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record EVENT_UPDATE ; u64 3 11 ; u16 0 2 1 3 ; end\n" STATS("u16 0 4 0 1 2 3 ; zero 4", "1", "3"),
      "record EVENT_UPDATE ; u64 3 11 ; u16 0 2 1 3 ; end\n" STATS("u16 0 4 0 1 2 3 ; zero 4", "0", "1") },
    { PC_EDIT_CONFIG, PC_EDIT_CONFIG, PC_BY_6_1, PC_TO_FILE, ATTR, ATTR,
      TERMS("4 0 0 3 0 1 0 2 1") STATS("u16 0 2 2 3", "2", "3"),
      TERMS("3 0 0 1 0 2 1") STATS("u16 0 2 2 3", "2", "3") },
    { PC_EDIT_BUILD_ID, PC_EDIT_BUILD_ID, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record MMAP2 misc=USER|MMAP_BUILD_ID ; u32 100 100 ; u64 0x400000 0x1000 0 ; u8 20 0 0 0 ; bytes " ID
      " ; u32 5 2 ; str \"/bin/one\" ; " SAMPLE_ID " ; end\n" SAMPLE TAIL,
      "record MMAP2 misc=USER ; u32 100 100 ; u64 0x400000 0x1000 0 ; zero 24 ; u32 5 2 ; str \"/bin/one\" "
      "; " SAMPLE_ID " ; end\n" SAMPLE "feature BUILD_ID ; u32 0 ; u16 0x8002 100 ; u32 -1 ; bytes " ID
      " ; u8 20 0 0 0 ; text \"/bin/one\" ; zero 56 ; end\n" TAIL },
    { PC_EDIT_FLAGS, PC_EDIT_FLAGS, PC_BY_5_10, PC_TO_FILE,
      "attr size=128 type=1 config=0 sample_period=1000 " LAYOUT " " FLAGS
      "|build_id|inherit_thread ids=11\n",
      ATTR, SAMPLE TAIL "feature EVENT_DESC ; u32 1 128 ; event \"cpu-clock\" copy=attr0 ; end\n",
      SAMPLE TAIL "feature EVENT_DESC ; u32 1 120 ; event \"cpu-clock\" copy=attr0 ; end\n" },
    { PC_EDIT_MEMBERS, PC_EDIT_MEMBERS, PC_BY_5_10, PC_TO_FILE,
      "attr size=144 sig_data=3 config3=5 config4=7 type=1 config=0 sample_period=1000 " LAYOUT " " FLAGS
      " ids=11\n",
      ATTR, SAMPLE TAIL, SAMPLE TAIL },
    { PC_EDIT_AUX_ACTION, PC_EDIT_AUX_ACTION, PC_BY_6_12, PC_TO_FILE,
      "attr size=120 aux_action=aux_pause type=1 config=0 sample_period=1000 " LAYOUT " " FLAGS " ids=11\n",
      ATTR, SAMPLE TAIL, SAMPLE TAIL },
    { PC_EDIT_TYPE, PC_EDIT_TYPE, PC_BY_5_10, PC_TO_FILE, PMU,
      "attr size=120 type=4 config=1 sample_period=1000 " LAYOUT " " FLAGS " ids=11\n", SAMPLE TAIL PMU_TAIL,
      SAMPLE TAIL PMU_TAIL },
    /* page sizes come before the AUX sample; the weight has the lower half of what was there */
    { PC_EDIT_SAMPLE, PC_EDIT_WEIGHT, PC_BY_5_10, PC_TO_FILE,
      OTHER("sample_type=IP|TID|WEIGHT_STRUCT|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE|AUX"),
      OTHER("sample_type=IP|TID|WEIGHT|CGROUP|AUX"),
      HEAD "u64 0x0003000200000001 7 4096 4096 ; u64 8 ; bytes 0102030405060708 ; end\n" TAIL,
      HEAD "u64 1 7 ; u64 8 ; bytes 0102030405060708 ; end\n" TAIL },
    { PC_EDIT_LOST, PC_EDIT_LOST, PC_BY_5_10, PC_TO_FILE,
      OTHER("sample_type=IP|TID|READ|CALLCHAIN read_format=ID|LOST|GROUP"),
      OTHER("sample_type=IP|TID|READ|CALLCHAIN read_format=ID|GROUP"),
      HEAD "u64 2 5000 11 3 6000 11 4 ; u64 1 0x400123 ; end\n" TAIL,
      HEAD "u64 2 5000 11 6000 11 ; u64 1 0x400123 ; end\n" TAIL },
    { PC_EDIT_LOST, PC_EDIT_LOST, PC_BY_5_10, PC_TO_FILE, OTHER("sample_type=IP|TID read_format=ID|LOST"),
      OTHER("sample_type=IP|TID read_format=ID"),
      "record READ ; u32 100 100 ; u64 5000 11 3 ; end\n" HEAD "end\n" TAIL,
      "record READ ; u32 100 100 ; u64 5000 11 ; end\n" HEAD "end\n" TAIL },
    { PC_EDIT_COUNTERS, PC_EDIT_COUNTERS, PC_BY_6_1, PC_TO_FILE,
      OTHER("sample_type=IP|TID|BRANCH_STACK|CGROUP branch_sample_type=USER|ANY|COUNTERS"),
      OTHER("sample_type=IP|TID|BRANCH_STACK|CGROUP branch_sample_type=USER|ANY"),
      HEAD "u64 2 ; branch 0x400100 0x400200 predicted ; branch 0x400300 0x400400 predicted ; u64 1 2 ; u64 "
           "9 ; end\n" TAIL "feature BRANCH_STACK ; end\n",
      HEAD
      "u64 2 ; branch 0x400100 0x400200 predicted ; branch 0x400300 0x400400 predicted ; u64 9 ; end\n" TAIL
      "feature BRANCH_STACK ; end\n" },
    { PC_EDIT_BRANCH, PC_EDIT_BRANCH, PC_BY_5_10, PC_TO_FILE,
      OTHER("sample_type=IP|TID|BRANCH_STACK branch_sample_type=USER|ANY|TYPE_SAVE|PRIV_SAVE"),
      OTHER("sample_type=IP|TID|BRANCH_STACK branch_sample_type=USER|ANY|TYPE_SAVE"),
      HEAD "u64 2 ; branch 0x400100 0x400200 predicted|type:11 ; branch 0x400300 0x400400 predicted|type:10 "
           "; end\n" TAIL "feature BRANCH_STACK ; end\n",
      HEAD
      "u64 2 ; branch 0x400100 0x400200 predicted ; branch 0x400300 0x400400 predicted|type:10 ; end\n" TAIL
      "feature BRANCH_STACK ; end\n" },
    { PC_EDIT_DEFERRED, PC_EDIT_FLAGS, PC_BY_6_12, PC_TO_FILE,
      "attr size=120 type=1 config=0 sample_period=1000 flags=disabled|defer_callchain "
      "sample_type=IP|TID|CALLCHAIN ids=11\n",
      OTHER("sample_type=IP|TID|CALLCHAIN"), HEAD "u64 4 -128 0xffffffff81000000 -640 7 ; end\n" TAIL,
      HEAD "u64 2 -128 0xffffffff81000000 ; end\n" TAIL },
    { PC_EDIT_BPF_INFO, PC_EDIT_BPF_INFO, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      SAMPLE TAIL "feature BPF_PROG_INFO ; u32 1 ; u32 216 8 ; u64 0 ; u32 6 42 ; bytes 6deef7357e7b4530 ; "
                  "zero 192 ; u32 9 0 ; zero 8 ; end\n",
      SAMPLE TAIL "feature BPF_PROG_INFO ; u32 1 ; u32 208 8 ; u64 0 ; u32 6 42 ; bytes 6deef7357e7b4530 ; "
                  "zero 192 ; zero 8 ; end\n" },
    { PC_EDIT_BTF, PC_EDIT_BTF, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      SAMPLE TAIL "feature BPF_BTF ; u32 3 ; " BTF("7", FLOAT) BTF("8", TYPEDEF) BTF("9", ENUM64) "end\n",
      SAMPLE TAIL "feature BPF_BTF ; u32 1 ; " BTF("8", TYPEDEF) "end\n" },
    { PC_EDIT_TRACE, PC_EDIT_TRACE, PC_BY_6_12, PC_TO_FILE, PMU, PMU,
      "record AUXTRACE_INFO ; u32 7 0 ; u64 8 ; end\nrecord AUXTRACE ; u64 16 0 1 ; u32 0 -1 0 0 ; end\n"
      "bytes 00010203040506070809101112131415\n" SAMPLE TAIL PMU_TAIL,
      SAMPLE TAIL PMU_TAIL },
    { PC_EDIT_FEATURE, PC_EDIT_FEATURE, PC_BY_6_12, PC_TO_PIPE, ATTR, ATTR,
      SAMPLE TAIL "feature CLN_SIZE ; u32 64 ; end\n", SAMPLE TAIL },
    { PC_EDIT_FEATURE, PC_EDIT_FEATURE, PC_BY_6_12, PC_TO_FILE, ATTR, ATTR,
      SAMPLE TAIL "feature CLN_SIZE ; u32 64 ; end\nfeature 40 ; u32 64 ; end\n", SAMPLE TAIL },
    { PC_EDIT_PACKED, PC_EDIT_PACKED, PC_BY_5_10, PC_TO_FILE, ATTR, ATTR,
      "record COMPRESSED2\n  sized u64 ; zstd ; " SAMPLE " end ; end\n  align 8\nend\n" TAIL
      "feature COMPRESSED ; u32 0 1 1 1 528384 ; end\n",
      SAMPLE TAIL },
    { PC_EDIT_ANDROID, PC_EDIT_ANDROID_FEATURE, PC_BY_7_2, PC_TO_FILE, ATTR, ATTR,
      SAMPLE "record DEBUG ; u64 7 ; text \"a\\0\" ; end\n" TAIL
             "feature META_INFO ; text \"a\\0b\\0\" ; end\n",
      SAMPLE TAIL },
    { PC_EDIT_ANDROID_SYMBOLS, PC_EDIT_ANDROID_SYMBOLS, PC_BY_7_2, PC_TO_FILE, ATTR, ATTR,
      "record KERNEL_SYMBOL ; u32 0 ; end\n" SAMPLE TAIL
      "feature FILE2 ; sized u32 ; bytes 0a0161 ; end ; end\n",
      SAMPLE TAIL },
    { PC_EDIT_ANDROID_MAPS, PC_EDIT_ANDROID_MAPS, PC_BY_6_12, PC_TO_FILE, ATTR, ATTR,
      SAMPLE TAIL "feature INIT_MAP ; u64 7 ; end\n", SAMPLE TAIL },
    { PC_EDIT_ANDROID_TRACE, PC_EDIT_ANDROID_TRACE, PC_BY_6_1, PC_TO_FILE, ATTR, ATTR,
      "record ANDROID_TRACING_DATA ; sized u32 ; " TRACE "end ; zero 38 ; end\n" SAMPLE TAIL,
      SAMPLE TAIL "feature TRACING_DATA ; " TRACE "end\n" },
    { PC_EDIT_ANDROID_NAMES, PC_EDIT_ANDROID_FORMATS, PC_BY_7_2, PC_TO_FILE, POINT, POINT,
      SAMPLE TAIL "feature META_INFO ; text \"event_type_info\\0sched:x,2,47\\0\" ; end\n",
      SAMPLE TAIL "feature EVENT_DESC ; u32 1 120 ; event \"sched:x\" copy=attr0 ; end\n" MADE },
    { PC_EDIT_ANDROID_NAMES, PC_EDIT_ANDROID_NAME_CUT, PC_BY_7_2, PC_TO_FILE, ATTR, ATTR,
      SAMPLE TAIL "feature META_INFO ; text \"event_type_info\\0" NAME_511 "zz,1,0\\0\" ; end\n",
      SAMPLE TAIL "feature EVENT_DESC ; u32 1 120 ; event \"" NAME_511 "\" copy=attr0 ; end\n" },
    { PC_EDIT_ANDROID_IDS, PC_EDIT_ANDROID_IDS, PC_BY_6_12, PC_TO_FILE, ATTR SECOND("12"),
      ATTR_IDS("11,78") SECOND("12,77"),
      "record EVENT_ID ; u64 3 1 77 0 78 1 77 ; end\n" SAMPLE "record EVENT_ID ; u64 1 0 11 ; end\n" TAIL,
      SAMPLE TAIL },
};

static void copy(const struct row *row, const char *order, const char *front, const char *data,
                 const char *to)
{
    enum pc_rewritten result = copy_recipe(row->reader, row->to, order, front, data, to);
    if (result != PC_WRITTEN)
        fail_msg("row %zu, %s: %d: %s", (size_t)(row - rows), order, (int)result, said);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t size)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, size, f);
    assert_true(n != 0 && n < size);
    fclose(f);
    return n;
}

static void copies_for_older_perfs_are_what_these_would_have_written(void **state)
{
    (void)state;
    static const char *const orders[] = { "little", "big" };
    static unsigned char got[1 << 14], want[1 << 14];
    for (size_t i = 0; i < 2 * PC_COUNT_OF(rows); i++) {
        const struct row *row = &rows[i / 2];
        copy(row, "little", row->want_front, row->want_data, want_path);
        if (strstr(said, "edited"))
            fail_msg("row %zu: %s", i / 2, said);
        copy(row, orders[i % 2], row->front, row->data, out_path);
        if (!said_edit(row->edit) || !said_edit(row->other))
            fail_msg("row %zu, %s: %s", i / 2, orders[i % 2], said);
        size_t n = read_file(out_path, got, sizeof(got)), m = read_file(want_path, want, sizeof(want)),
               at = 0;
        while (at < n && at < m && got[at] == want[at])
            at++;
        if (n != m || at != n)
            fail_msg("row %zu, %s: %zu and %zu bytes, which differ at %zu", i / 2, orders[i % 2], n, m, at);
    }
}

static void each_edit_has_a_test(void **state)
{
    (void)state;
    for (enum pc_edit edit = 0; edit < PC_EDITS; edit++) {
        size_t i = 0;
        while (i < PC_COUNT_OF(rows) && rows[i].edit != edit && rows[i].other != edit)
            i++;
        if (i == PC_COUNT_OF(rows))
            fail_msg("%s", pc_edit_rows[edit].what);
    }
}

/* CONTRACT.md lists them for the user, in the same words. */
static void each_edit_is_in_the_contract(void **state)
{
    (void)state;
    static char text[1 << 18];
    char row[512];
    FILE *f = fopen("src/CONTRACT.md", "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof(text) - 1, f)] = 0;
    fclose(f);
    for (enum pc_edit edit = 0; edit < PC_EDITS; edit++) {
        const struct pc_edit_row *it = &pc_edit_rows[edit];
        snprintf(row, sizeof(row), "\n| %s | %s | %s |\n", it->what, it->since, it->why);
        if (!strstr(text, row))
            fail_msg("no row in src/CONTRACT.md:%s", row);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_for_older_perfs_are_what_these_would_have_written),
    cmocka_unit_test(each_edit_has_a_test),
    cmocka_unit_test(each_edit_is_in_the_contract),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };
