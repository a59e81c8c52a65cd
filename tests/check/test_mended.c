/* SPDX-License-Identifier: MIT
 *
 * Each word that a salvage mends, with the value that follows from the rest of a file, and with others.
 */
#include "scratch.h"
#include "check/mended.h"
#include "format/tables.h"

#include <fcntl.h>
#include <string.h>

static struct pc_mem mem;
static struct pc_input file;

static const char recipe[] =
    "expect: valid\nfile\n"
    "attr size=136 type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER ids=11,12\n"
    "attr size=136 type=1 config=2 sample_period=1 sample_type=IP|TID|IDENTIFIER ids=13\n"
    "data\nrecord COMM ; u32 1 1 ; str \"one\" ; end\n"
    "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 4 4 ; end\n"
    "feature EVENT_DESC ; u32 2 136 ; event \"cpu-clock\" copy=attr0 ids=11,12 ; event \"page-faults\" "
    "copy=attr1 ids=13 ; end\n"
    "feature CPUDESC ; hstr \"cpu\" ; end\n";

static int set_up(void **state)
{
    char path[SCRATCH_PATH];
    (void)state;
    scratch_path(path, "file");
    assemble(recipe, path);
    pc_mem_init(&mem, 1 << 20);
    return pc_input_open(&file, path);
}

static int tear_down(void **state)
{
    pc_input_close(&file);
    assert_int_equal(mem.used, 0);
    return scratch_tear_down(state);
}

static uint64_t load(uint64_t at)
{
    unsigned char raw[8];
    struct pc_input in = file;
    in.nr_patches = 0;
    assert_int_equal(pc_input_read_at(&in, at, raw, sizeof(raw)), sizeof(raw));
    return pc_load(raw, sizeof(raw), PC_LITTLE);
}

/* What is wrong when a word is read like this. */
static const char *wrong_with(uint64_t at, uint64_t value)
{
    struct pc_patch patch = { .offset = at, .len = 8 };
    bool no_memory = false;
    pc_store(patch.bytes, 8, value, PC_LITTLE);
    file.patch = &patch;
    file.nr_patches = 1;
    const char *wrong = pc_mended_wrong(&mem, &file, &no_memory);
    file.nr_patches = 0;
    assert_false(no_memory);
    return wrong;
}

/* The value of the file is right, and no other one. */
static void expect_one(uint64_t at, const char *name)
{
    const uint64_t value = load(at);
    const uint64_t others[] = { value + 8, value - 8, value + 1, 0, UINT64_MAX, value ^ (uint64_t)1 << 40 };
    assert_null(wrong_with(at, value));
    for (size_t i = 0; i < PC_COUNT_OF(others); i++) {
        const char *wrong = others[i] != value ? wrong_with(at, others[i]) : name;
        if (!wrong || strcmp(wrong, name) != 0)
            fail_msg("0x%lx at 0x%lx: %s, not %s", (unsigned long)others[i], (unsigned long)at,
                     wrong ? wrong : "right", name);
    }
}

static uint64_t row(unsigned slot)
{
    return pc_row_at(pc_file_header, slot);
}

static void words_of_the_header_follow_from_the_rest(void **state)
{
    (void)state;
    expect_one(row(PC_HEAD_ATTR_SIZE), "the attr section in the header");
    expect_one(row(PC_HEAD_ATTRS_OFFSET), "the attr section in the header");
    expect_one(row(PC_HEAD_ATTRS_SIZE), "the attr section in the header");
    /* One entry fewer, or the last one alone: both are attrs. */
    uint64_t entry = load(row(PC_HEAD_ATTR_SIZE));
    assert_non_null(wrong_with(row(PC_HEAD_ATTRS_SIZE), entry));
    expect_one(row(PC_HEAD_DATA_SIZE), "the end of the data");
    uint64_t data = load(row(PC_HEAD_DATA_OFFSET));
    assert_null(wrong_with(row(PC_HEAD_DATA_OFFSET), data));
    assert_string_equal(wrong_with(row(PC_HEAD_DATA_OFFSET), data + 8), "the beginning of the data");
    assert_string_equal(wrong_with(row(PC_HEAD_DATA_OFFSET), data - 8), "the beginning of the data");
    assert_string_equal(wrong_with(0, 0), "the magic");
    /* Features are named as they were, or the data end with the file and there are none. */
    assert_string_equal(wrong_with(row(PC_HEAD_FEATURES), load(row(PC_HEAD_FEATURES)) | 16),
                        "the names of features");
    assert_null(wrong_with(row(PC_HEAD_FEATURES), 0));
}

/* They are read as they are in the file; then one of these, too, is read otherwise. */
static void attrs_prove_the_magic_and_the_size_of_the_header(void **state)
{
    (void)state;
    uint64_t attr_size = load(row(PC_HEAD_ATTRS_OFFSET)) + PC_ATTR_SIZE_AT;
    for (unsigned wrong = 0; wrong < 2; wrong++) {
        struct pc_patch patch[] = { { .offset = 0, .len = 8 },
                                    { .offset = row(PC_HEAD_SIZE), .len = 8 },
                                    { .offset = attr_size, .len = 4 } };
        bool no_memory = false;
        memcpy(patch[0].bytes, PC_MAGIC_LITTLE, 8);
        pc_store(patch[1].bytes, 8, PC_FILE_HEADER_SIZE, PC_LITTLE);
        pc_store(patch[2].bytes, 4, (uint32_t)load(attr_size) + wrong, PC_LITTLE);
        file.patch = patch;
        file.nr_patches = 2 + wrong;
        const char *what = pc_mended_wrong(&mem, &file, &no_memory);
        file.nr_patches = 0;
        if (!wrong)
            assert_null(what);
        else
            assert_string_equal(what, "the magic and the size of the header");
    }
}

static void the_data_end_with_the_file_when_there_are_no_features(void **state)
{
    (void)state;
    uint64_t data = load(row(PC_HEAD_DATA_OFFSET));
    for (uint64_t less = 0; less <= 16; less += 8) {
        struct pc_patch patch[2] = { { .offset = row(PC_HEAD_DATA_SIZE), .len = 8 },
                                     { .offset = row(PC_HEAD_FEATURES), .len = 8 } };
        bool no_memory = false;
        pc_store(patch[0].bytes, 8, file.size - data - less, PC_LITTLE);
        file.patch = patch;
        file.nr_patches = 2;
        const char *wrong = pc_mended_wrong(&mem, &file, &no_memory);
        file.nr_patches = 0;
        if (less == 0)
            assert_null(wrong);
        else
            assert_string_equal(wrong, "the end of the data");
    }
}

static void entries_of_the_table_fit_their_neighbours(void **state)
{
    (void)state;
    uint64_t table = load(row(PC_HEAD_DATA_OFFSET)) + load(row(PC_HEAD_DATA_SIZE));
    for (uint64_t i = 0; i < 4; i++) {
        expect_one(table + i * PC_SECTION_SIZE, "an entry of the feature table");
        expect_one(table + i * PC_SECTION_SIZE + 8, "an entry of the feature table");
    }
}

static void attrs_and_ids_are_those_of_event_desc(void **state)
{
    (void)state;
    uint64_t attrs = load(row(PC_HEAD_ATTRS_OFFSET)), entry = load(row(PC_HEAD_ATTR_SIZE));
    for (uint64_t i = 0; i < 2; i++) {
        for (uint64_t at = 8; at + PC_SECTION_SIZE < entry; at += 8)
            expect_one(attrs + i * entry + at, "an attr, or its ids");
        expect_one(attrs + (i + 1) * entry - 16, "an attr, or its ids"); /* where the ids are */
        expect_one(attrs + (i + 1) * entry - 8, "an attr, or its ids");
    }
    for (uint64_t at = PC_FILE_HEADER_SIZE; at < attrs; at += 8)
        expect_one(at, "an attr, or its ids");
}

/* In a pipe they stand in the first records. */
/* Without EVENT_DESC. Nothing else of an attr is mended. */
static void samples_of_all_attrs_have_ids_in_one_place(void **state)
{
    (void)state;
    char path[SCRATCH_PATH];
    const struct pc_input whole = file;
    scratch_path(path, "places");
    assemble("expect: valid\nfile\n"
             "attr size=136 type=1 config=0 sample_period=1 sample_type=IP|TID ids=11\n"
             "attr size=136 type=1 config=2 sample_period=1 sample_type=IP|TID|IDENTIFIER ids=12\n"
             "data\nrecord COMM ; u32 1 1 ; str \"one\" ; end\n",
             path);
    assert_int_equal(pc_input_open(&file, path), 0);
    const uint64_t first = load(row(PC_HEAD_ATTRS_OFFSET)), next = first + load(row(PC_HEAD_ATTR_SIZE));
    const char *name = "the place of ids in samples";
    assert_null(wrong_with(first + 24, 3 | PC_S_IDENTIFIER));
    assert_null(wrong_with(next + 24, 3));
    assert_string_equal(wrong_with(first + 24, 3), name);
    assert_string_equal(wrong_with(next + 24, 3 | PC_S_IDENTIFIER), name);
    assert_string_equal(wrong_with(first + 24, 7 | PC_S_IDENTIFIER), name);
    assert_string_equal(wrong_with(first + 16, 1), "the size of an attr");
    assert_string_equal(wrong_with(first + 32, 1), "the size of an attr");
    pc_input_close(&file);
    file = whole;
}

static void records_of_attrs_are_those_of_event_desc(void **state)
{
    (void)state;
    char path[SCRATCH_PATH], pipe[sizeof(recipe)];
    const char *features = strstr(recipe, "feature"), *attrs = strstr(recipe, "attr");
    size_t len = (size_t)(strstr(recipe, "data\n") - attrs);
    snprintf(pipe, sizeof(pipe), "expect: valid\npipe\n%.*s%s", (int)len, attrs, features);
    scratch_path(path, "pipe");
    assemble(pipe, path);
    pc_input_close(&file);
    assert_int_equal(pc_input_open(&file, path), 0);
    const uint64_t end = PC_PIPE_HEADER_SIZE + 2 * (PC_RECORD_HEADER_SIZE + 136) + 3 * 8;
    for (uint64_t at = PC_PIPE_HEADER_SIZE; at < end; at += 8)
        expect_one(at, "the records of the attrs");
}

/* What cannot be read is not wrong. */
static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    const uint64_t at = row(PC_HEAD_DATA_SIZE);
    const uint64_t right = load(at);
    size_t failed = 0;
    for (uint64_t place = 8; place < file.size; place += 8) {
        file.fail_at = place;
        file.error = 0;
        assert_null(wrong_with(at, right));
        failed += file.error != 0;
    }
    file.fail_at = 0;
    file.error = 0;
    assert_true(failed > 10);
}

/* Without the word data.offset the file is the same once zeros stand for it; with more or fewer it is not. */
static void zeros_stand_for_as_many_bytes_as_were_lost(void **state)
{
    (void)state;
    static unsigned char bytes[4096];
    const uint64_t at = row(PC_HEAD_DATA_OFFSET), data = load(at);
    struct pc_input whole = file, lost;
    struct pc_patch patch = { .offset = at, .len = 8 };
    bool no_memory = false;
    const size_t len = pc_input_read_at(&whole, 0, bytes, sizeof(bytes));
    assert_int_equal(len, file.size);
    memmove(bytes + at, bytes + at + 8, len - (size_t)at - 8);
    pc_store(patch.bytes, 8, data, PC_LITTLE);
    for (uint64_t n = 6; n <= 10; n++) {
        pc_input_memory(&lost, (struct pc_span){ bytes, len - 8 }, PC_INPUT_FILE);
        pc_input_shift(&lost, at, n, 0);
        lost.patch = &patch;
        lost.nr_patches = 1;
        const char *wrong = pc_mended_wrong(&mem, &lost, &no_memory);
        assert_true(n == 8 ? !wrong : wrong != NULL);
    }
    whole.patch = NULL; /* where nothing was lost they prove nothing */
    pc_input_shift(&whole, at, 8, 0);
    assert_non_null(pc_mended_wrong(&mem, &whole, &no_memory));
    pc_input_shift(&whole, whole.size - 8, 8, 0); /* behind the table */
    assert_string_equal(pc_mended_wrong(&mem, &whole, &no_memory), "the bytes that were lost or inserted");
    assert_false(no_memory);
}

static void as_many_bytes_are_left_out_as_were_inserted(void **state)
{
    (void)state;
    static unsigned char bytes[4096];
    const uint64_t at = row(PC_HEAD_DATA_OFFSET);
    struct pc_input whole = file, longer;
    bool no_memory = false;
    const size_t len = pc_input_read_at(&whole, 0, bytes, sizeof(bytes) - 8);
    memmove(bytes + at + 8, bytes + at, len - (size_t)at);
    memset(bytes + at, 0xa5, 8);
    for (uint64_t n = 6; n <= 10; n++) {
        pc_input_memory(&longer, (struct pc_span){ bytes, len + 8 }, PC_INPUT_FILE);
        pc_input_shift(&longer, at, 0, n);
        const char *wrong = pc_mended_wrong(&mem, &longer, &no_memory);
        assert_true(n == 8 ? !wrong : wrong != NULL);
    }
    pc_input_shift(&whole, at, 0, 8); /* where nothing was inserted they prove nothing */
    assert_non_null(pc_mended_wrong(&mem, &whole, &no_memory));
    assert_false(no_memory);
}

/* perf inject -b wrote ids and attrs over the build ids, which its entry leads to. */
static void the_entry_of_build_ids_leads_to_the_ids(void **state)
{
    (void)state;
    enum { TABLE = PC_FILE_HEADER_SIZE + 8, IDS = TABLE + PC_SECTION_SIZE, ATTRS = IDS + 8, ENTRY = 64 + 16 };
    static unsigned char bytes[ATTRS + ENTRY];
    const uint64_t words[] = { PC_FILE_HEADER_SIZE,       ENTRY, ATTRS, ENTRY, PC_FILE_HEADER_SIZE, 8, 0, 0,
                               (uint64_t)1 << PC_BUILD_ID };
    const struct pc_input whole = file;
    memcpy(bytes, PC_MAGIC_LITTLE, 8);
    for (size_t i = 0; i < PC_COUNT_OF(words); i++)
        pc_store(bytes + 8 + 8 * i, 8, words[i], PC_LITTLE);
    pc_store_head(bytes + PC_FILE_HEADER_SIZE, (struct pc_record_head){ PC_FINISHED_ROUND, 0, 8 }, PC_LITTLE);
    pc_store(bytes + TABLE + 8, 8, 40, PC_LITTLE); /* less than up to the end of the file */
    pc_store(bytes + IDS, 8, 7, PC_LITTLE);
    pc_store(bytes + ATTRS + PC_ATTR_SIZE_AT, 4, 64, PC_LITTLE);
    pc_store(bytes + ATTRS + 64, 8, IDS, PC_LITTLE);
    pc_store(bytes + ATTRS + 72, 8, 8, PC_LITTLE);
    pc_input_memory(&file, (struct pc_span){ bytes, sizeof(bytes) }, PC_INPUT_FILE);
    assert_null(wrong_with(TABLE, IDS));
    assert_string_equal(wrong_with(TABLE, IDS + 8), "an entry of the feature table");
    pc_store(bytes + TABLE, 8, IDS, PC_LITTLE);
    assert_string_equal(wrong_with(TABLE + 8, 48), "an entry of the feature table");
    pc_store(bytes + ATTRS + 72, 8, 0, PC_LITTLE); /* the ids end before the attrs */
    assert_string_equal(wrong_with(TABLE, IDS), "an entry of the feature table");
    file = whole;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(words_of_the_header_follow_from_the_rest),
    cmocka_unit_test(attrs_prove_the_magic_and_the_size_of_the_header),
    cmocka_unit_test(the_data_end_with_the_file_when_there_are_no_features),
    cmocka_unit_test(entries_of_the_table_fit_their_neighbours),
    cmocka_unit_test(the_entry_of_build_ids_leads_to_the_ids),
    cmocka_unit_test(attrs_and_ids_are_those_of_event_desc),
    cmocka_unit_test(zeros_stand_for_as_many_bytes_as_were_lost),
    cmocka_unit_test(as_many_bytes_are_left_out_as_were_inserted),
    cmocka_unit_test(what_cannot_be_read_is_said),
    cmocka_unit_test(samples_of_all_attrs_have_ids_in_one_place),
    cmocka_unit_test(records_of_attrs_are_those_of_event_desc),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
