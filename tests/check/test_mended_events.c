/* SPDX-License-Identifier: MIT
 *
 * Records of attrs that a salvage mends at the beginning of a pipe, with zeros up to EVENT_DESC, and others.
 */
#include "scratch.h"
#include "check/mended.h"
#include "format/tables.h"

#include <string.h>

static struct pc_mem mem;
static unsigned char sound[4096], bytes[4096];
static size_t len;

enum { RECORD = PC_RECORD_HEADER_SIZE + 136 + 8, END = PC_PIPE_HEADER_SIZE + 2 * RECORD };

static const char recipe[] =
    "expect: valid\npipe\n"
    "attr size=136 type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER ids=11\n"
    "attr size=136 type=1 config=2 sample_period=1 sample_type=IP|TID|IDENTIFIER ids=13\n"
    "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 4 4 ; end\n"
    "feature EVENT_DESC ; u32 2 136 ; event \"cpu-clock\" copy=attr0 ids=11 ; event \"page-faults\" "
    "copy=attr1 "
    "ids=13 ; end\n";

static int set_up(void **state)
{
    char path[SCRATCH_PATH];
    struct pc_input file;
    (void)state;
    scratch_path(path, "pipe");
    assemble(recipe, path);
    pc_mem_init(&mem, 1 << 20);
    if (pc_input_open(&file, path) != 0)
        return -1;
    len = pc_input_read_at(&file, 0, sound, sizeof(sound));
    pc_input_close(&file);
    return 0;
}

static int tear_down(void **state)
{
    assert_int_equal(mem.used, 0);
    return scratch_tear_down(state);
}

/* What is wrong when the records of attrs are read as `with`, from `from` on, and the file is `bytes`. */
static const char *wrong_with(const unsigned char *with, size_t from)
{
    struct pc_patch patch[END / 8];
    struct pc_input file;
    bool no_memory = false;
    size_t nr = 0;
    for (size_t at = from / 8 * 8; at < END; at += 8, nr++) {
        patch[nr] = (struct pc_patch){ .offset = at, .len = 8 };
        memcpy(patch[nr].bytes, with + at, 8);
    }
    pc_input_memory(&file, (struct pc_span){ bytes, len }, PC_INPUT_FILE);
    file.patch = patch;
    file.nr_patches = nr;
    const char *wrong = pc_mended_wrong(&mem, &file, &no_memory);
    assert_false(no_memory);
    return wrong;
}

static void zero(size_t from, size_t to)
{
    memcpy(bytes, sound, len);
    memset(bytes + from, 0, to - from);
}

static void attrs_in_front_of_zeros_are_those_of_event_desc(void **state)
{
    (void)state;
    unsigned char other[sizeof(sound)];
    for (size_t from = PC_PIPE_HEADER_SIZE; from < END; from += 8) {
        zero(from, END + 20);
        assert_null(wrong_with(sound, from));
        memcpy(other, sound, len);
        other[from + 3] ^= 1;
        assert_string_equal(wrong_with(other, from), "the records of the attrs");
    }
}

/* Also where only the last ids were mended. */
static void without_event_desc_they_are_not_proven(void **state)
{
    (void)state;
    for (size_t from = PC_PIPE_HEADER_SIZE + 8; from < END; from += RECORD - 8) {
        zero(from, len - 8);
        assert_string_equal(wrong_with(sound, from), "the records of the attrs");
    }
}

static void what_is_no_zeros_proves_nothing(void **state)
{
    (void)state;
    zero(END - 8, END);
    bytes[END] = 0xa5;
    bytes[END + 1] = 0xa5;
    assert_string_equal(wrong_with(sound, END - 8), "the records of the attrs");
}

/* Bytes of HOSTNAME look like the header of EVENT_DESC, with an attr that does not fit, or with none. */
static void the_event_desc_that_counts_is_sound(void **state)
{
    (void)state;
    const struct pc_record_head head = { PC_HEADER_FEATURE, 0, 64 };
    for (size_t from = PC_PIPE_HEADER_SIZE; from < END; from += 8) {
        zero(from, END + 20);
        pc_store_head(bytes + END + 20, head, PC_LITTLE);
        pc_store(bytes + END + 20 + PC_RECORD_HEADER_SIZE, 8, PC_EVENT_DESC, PC_LITTLE);
        assert_null(wrong_with(sound, from));
        pc_store(bytes + END + 20 + PC_FEATURE_HEAD, 4, 1, PC_LITTLE);
        pc_store(bytes + END + 20 + PC_FEATURE_HEAD + 4, 4, 136, PC_LITTLE);
        assert_null(wrong_with(sound, from));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(attrs_in_front_of_zeros_are_those_of_event_desc),
    cmocka_unit_test(without_event_desc_they_are_not_proven),
    cmocka_unit_test(what_is_no_zeros_proves_nothing),
    cmocka_unit_test(the_event_desc_that_counts_is_sound),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
