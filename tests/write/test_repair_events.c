/* SPDX-License-Identifier: MIT
 *
 * Attrs and ids that are damaged get what EVENT_DESC repeats of them, when that makes the file better.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "write/repair.h"
#include "write/salvage_parts.h"

enum { SIZE = FILE_DATA + 64 + 16 + 8 + 64 + 4 + 68 + 8, TABLE = FILE_DATA + 64 };

static unsigned char sound[SIZE];

/* A file whose only feature is EVENT_DESC: one event, the size of an attr, the attr, one id, its name, the
 * id. */
static void begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    put_at(FILE_IDS, 77, 8);
    for (int i = 0; i < 2; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    put_at(AT_DATA + 8, 64, 8);
    put_at(AT_FEATURES, (uint64_t)1 << PC_EVENT_DESC, 8);
    put(TABLE + 16, 8);
    put(SIZE - TABLE - 16, 8);
    put(1, 4);
    put(64, 4);
    memcpy(in.p + in.len, in.p + FILE_ATTRS, 64);
    in.len += 64;
    put(1, 4);
    put_string("cycles");
    put(77, 8);
    assert_int_equal(in.len, SIZE);
    memcpy(sound, in.p, SIZE);
}

/* The errors of a file are the bytes that differ from the sound one, or as many as a test says. */
static uint64_t extra; /* of the mended file */
static unsigned judged;

static bool judge(void *ctx, struct pc_input file, uint64_t most, uint64_t *errors)
{
    unsigned char bytes[SIZE];
    (void)ctx;
    assert_int_equal(pc_input_read_at(&file, 0, bytes, SIZE), SIZE);
    *errors = judged++ == 0 ? extra : 0; /* first as it is mended */
    for (size_t i = 0; i < SIZE && *errors < most; i++)
        *errors += bytes[i] != sound[i];
    return true;
}

/* Repairs what is there. Returns the bytes that differ from the sound file then. */
static size_t repair(uint64_t fail_at)
{
    static struct pc_salvage s;
    s = (struct pc_salvage){ .no_memory = false };
    unsigned char bytes[SIZE];
    pc_mem_init(&s.mem, 1 << 20);
    s.mem.fail_at = fail_at;
    judged = 0;
    pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    pc_repair_events(&s, judge, NULL);
    struct pc_input mended = pc_salvage_input(&s);
    assert_int_equal(pc_input_read_at(&mended, 0, bytes, SIZE), SIZE);
    pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
    pc_free(&s.mem, s.split, s.cap_split * sizeof(*s.split));
    assert_int_equal(s.mem.used, 0);
    size_t differ = 0;
    for (size_t i = 0; i < SIZE; i++)
        differ += bytes[i] != sound[i];
    return differ;
}

/* What an attr says, its id, where its ids are, and where the attrs are. */
static const struct {
    uint64_t at;
    unsigned width;
} places[] = {
    { FILE_ATTRS, 4 },      { FILE_ATTRS + 4, 4 },  { FILE_ATTRS + 24, 8 }, { FILE_ATTRS + 40, 8 },
    { FILE_ATTRS + 56, 8 }, { FILE_ATTRS + 64, 8 }, { FILE_ATTRS + 72, 8 }, { FILE_IDS, 8 },
    { AT_ATTR_SIZE, 8 },    { AT_ATTRS, 8 },        { AT_ATTRS + 8, 8 },
};

static void each_damaged_place_gets_its_bytes_back(void **state)
{
    (void)state;
    static const uint64_t wrong[] = { 5, 4000, UINT64_MAX };
    extra = 0;
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(places); i++) {
            for (size_t k = 0; k < PC_COUNT_OF(wrong); k++) {
                begin_sound();
                put_at(places[i].at, wrong[k], places[i].width);
                if (repair(0) != 0)
                    fail_msg("place %zu, value %zu", i, k);
                assert_int_equal(judged, 2);
            }
        }
    }
}

/* Where the ids are said to be is in the records. */
static void ids_are_never_written_over_records(void **state)
{
    (void)state;
    extra = 0;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(FILE_ATTRS + 64, FILE_DATA + 8, 8);
        put_at(FILE_IDS, 5, 8);
        assert_int_equal(repair(0), 0);
    }
}

static void a_sound_file_is_left_alone(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        assert_int_equal(repair(0), 0);
        assert_int_equal(judged, 0);
    }
}

/* As many errors as before are not fewer. */
static void what_makes_it_no_better_is_not_done(void **state)
{
    (void)state;
    enum { DAMAGED = 4 };
    for (extra = DAMAGED - 1; extra <= DAMAGED; extra++) {
        begin_sound();
        for (size_t i = 0; i < DAMAGED; i++)
            in.p[FILE_ATTRS + 56 + i] ^= 1;
        assert_int_equal(repair(0), extra < DAMAGED ? 0 : DAMAGED);
    }
}

/* A feature that is damaged itself proves nothing. */
static void a_damaged_feature_is_no_proof(void **state)
{
    (void)state;
    extra = 0;
    static const uint64_t damaged[] = { TABLE + 16, TABLE + 20, TABLE + 24 + 4, TABLE + 24 + 64 };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(damaged); i++) {
            begin_sound();
            put_at(damaged[i], 9, 4);
            memcpy(sound, in.p, SIZE);
            put_at(FILE_ATTRS + 24, 0, 8);
            assert_int_not_equal(repair(0), 0);
        }
    }
}

static void without_memory_nothing_is_taken(void **state)
{
    (void)state;
    extra = 0;
    for (uint64_t n = 1; n < 5; n++) {
        begin_sound();
        put_at(FILE_ATTRS + 24, 0, 8);
        size_t differ = repair(n);
        assert_true(differ == 0 || judged == 0);
    }
}

/* Bytes that cannot be read are not taken for others. */
static void what_cannot_be_read_is_said(void **state)
{
    (void)state;
    size_t failed = 0;
    for (uint64_t place = 8; place < SIZE; place += 8) {
        struct pc_salvage s = { .no_memory = false };
        begin_sound();
        put_at(FILE_ATTRS + 24, 0, 8);
        pc_mem_init(&s.mem, 1 << 20);
        judged = 0;
        pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
        s.in.fail_at = place;
        pc_repair_events(&s, NULL, NULL);
        assert_true(s.not_judged);
        failed++;
        pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
        pc_free(&s.mem, s.split, s.cap_split * sizeof(*s.split));
    }
    assert_true(failed > 10);
}

/* Attrs behind the data, as perf inject writes them, with an EVENT_DESC among the records. */
static void begin_behind(void)
{
    enum { RECORDS = FILE_IDS, EVENT_SIZE = 8 + 8 + 8 + 64 + 4 + 68 + 8 };
    begin_file(PC_S_TID, 0);
    memcpy(sound, in.p + FILE_ATTRS, 64);
    in.len = RECORDS;
    put(PC_HEADER_FEATURE, 4);
    put(EVENT_SIZE << (in.order == PC_LITTLE ? 16 : 0), 4);
    put(PC_EVENT_DESC, 8);
    put(1, 4);
    put(64, 4);
    memcpy(in.p + in.len, sound, 64);
    in.len += 64;
    put(1, 4);
    put_string("cycles");
    put(77, 8);
    RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    const size_t ids = in.len;
    put(77, 8);
    memcpy(in.p + in.len, sound, 64);
    in.len += 64;
    put(ids, 8);
    put(8, 8);
    put_at(AT_ATTRS, ids + 8, 8);
    put_at(AT_DATA, RECORDS, 8);
    put_at(AT_DATA + 8, ids - RECORDS, 8);
    in.p[in.len - 40] ^= 1; /* in the attr */
}

static bool judge_behind(void *ctx, struct pc_input file, uint64_t most, uint64_t *errors)
{
    (void)file;
    (void)most;
    *errors = (judged++ == 0) == *(bool *)ctx ? PC_JUDGED_ERROR : 0;
    return true;
}

/* The bits of the header were mended, and a feature was unsure, when attrs behind the data were not seen. */
static void features_are_those_of_the_header_that_is_read(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        for (unsigned worse = 0; worse < 2; worse++) {
            struct pc_salvage s = { .named = { 1 << PC_HOSTNAME }, .renamed = true };
            bool is_worse = worse != 0;
            begin_behind();
            pc_set_bit(s.unsure, PC_HOSTNAME);
            pc_mem_init(&s.mem, 1 << 20);
            judged = 0;
            pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
            pc_repair_events(&s, judge_behind, &is_worse);
            assert_int_equal(judged, 2);
            assert_int_equal(s.made_attrs, !is_worse);
            assert_int_equal(s.renamed, is_worse);
            assert_int_equal(pc_bit(s.named, PC_HOSTNAME), is_worse);
            assert_int_equal(pc_bit(s.unsure, PC_HOSTNAME), is_worse);
            pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
            pc_free(&s.mem, s.split, s.cap_split * sizeof(*s.split));
            assert_int_equal(s.mem.used, 0);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_damaged_place_gets_its_bytes_back),
    cmocka_unit_test(a_sound_file_is_left_alone),
    cmocka_unit_test(ids_are_never_written_over_records),
    cmocka_unit_test(what_makes_it_no_better_is_not_done),
    cmocka_unit_test(a_damaged_feature_is_no_proof),
    cmocka_unit_test(without_memory_nothing_is_taken),
    cmocka_unit_test(what_cannot_be_read_is_said),
    cmocka_unit_test(features_are_those_of_the_header_that_is_read),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
