/* SPDX-License-Identifier: MIT
 *
 * Attrs that do not agree where ids are get one reading, when the capture then has fewer errors.
 */
#include "pc_test.h"
#include "write/repair.h"
#include "write/salvage_parts.h"

enum { ENTRY = 64 + PC_SECTION_SIZE, NR = 3, SIZE = PC_FILE_HEADER_SIZE + NR * ENTRY };

static unsigned char bytes[SIZE];
static enum pc_order order;
static unsigned judged;
static bool wanted; /* whether samples really begin with an id */

static void put_word(uint64_t at, uint64_t value)
{
    pc_store(bytes + at, 8, value, order);
}

static uint64_t type_at(uint64_t i)
{
    return PC_FILE_HEADER_SIZE + i * ENTRY + 24;
}

/* A file of these attrs: bit i of `with` says whether samples of number i begin with an id. */
static void begin(unsigned with)
{
    memset(bytes, 0, sizeof(bytes));
    memcpy(bytes, order == PC_BIG ? PC_MAGIC_BIG : PC_MAGIC_LITTLE, 8);
    put_word(pc_row_at(pc_file_header, PC_HEAD_SIZE), PC_FILE_HEADER_SIZE);
    put_word(pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE), ENTRY);
    put_word(pc_row_at(pc_file_header, PC_HEAD_ATTRS_OFFSET), PC_FILE_HEADER_SIZE);
    put_word(pc_row_at(pc_file_header, PC_HEAD_ATTRS_SIZE), NR * ENTRY);
    for (uint64_t i = 0; i < NR; i++)
        put_word(type_at(i), PC_S_TID | (with >> i & 1 ? PC_S_IDENTIFIER : 0));
}

/* Each attr that is read otherwise than its samples are is an error, and each other one a warning. */
static bool judge(void *ctx, struct pc_input file, uint64_t most, uint64_t *errors)
{
    unsigned char raw[8];
    judged++;
    *errors = ctx ? PC_NOT_JUDGED : 0;
    for (uint64_t i = 0; i < NR && !ctx && *errors < most; i++) {
        assert_int_equal(pc_input_read_at(&file, type_at(i), raw, sizeof(raw)), sizeof(raw));
        bool is_wrong = pc_load(raw, sizeof(raw), order) != (PC_S_TID | (wanted ? PC_S_IDENTIFIER : 0));
        *errors += is_wrong ? PC_JUDGED_ERROR : 1;
    }
    return true;
}

/* Returns how many attrs are read otherwise than they are. fail_at: of memory. ctx: of judge. */
static size_t repair(struct pc_salvage *s, uint64_t fail_at, uint64_t read_fail_at, void *ctx)
{
    *s = (struct pc_salvage){ .no_memory = false };
    pc_mem_init(&s->mem, 1 << 20);
    s->mem.fail_at = fail_at;
    judged = 0;
    pc_input_memory(&s->in, (struct pc_span){ bytes, sizeof(bytes) }, PC_INPUT_FILE);
    s->in.fail_at = read_fail_at;
    pc_repair_places(s, judge, ctx);
    const size_t nr = s->nr_split + s->nr_patches;
    pc_free(&s->mem, s->patch, s->cap_patches * sizeof(*s->patch));
    pc_free(&s->mem, s->split, s->cap_split * sizeof(*s->split));
    assert_int_equal(s->mem.used, 0);
    return nr;
}

static void all_attrs_are_read_as_the_samples_are(void **state)
{
    (void)state;
    static const unsigned bits[] = { 0, 1, 1, 2, 1, 2, 2, 3 };
    struct pc_salvage s;
    for (int i = 0; i < 4; i++) {
        order = i & 1 ? PC_BIG : PC_LITTLE;
        wanted = i & 2;
        for (unsigned with = 0; with < 8; with++) {
            begin(with);
            const size_t wrong = wanted ? NR - bits[with] : bits[with];
            const bool differ = bits[with] != 0 && bits[with] != NR;
            assert_int_equal(repair(&s, 0, 0, NULL), differ ? wrong : 0);
            const unsigned readings = wanted ? 3 : 2; /* as it is, without ids, and with them if need be */
            assert_int_equal(judged, differ ? readings : 0);
            assert_true(!s.no_memory && !s.not_judged);
        }
    }
}

/* Another feature repeats the attrs, or there are none, or not where the header says. */
static void other_files_are_left_alone(void **state)
{
    (void)state;
    const struct {
        uint64_t at, value;
    } rows[] = {
        { 0, 0 },
        { pc_row_at(pc_file_header, PC_HEAD_SIZE), PC_PIPE_HEADER_SIZE },
        { pc_row_at(pc_file_header, PC_HEAD_FEATURES), (uint64_t)1 << PC_EVENT_DESC },
        { pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE), PC_SECTION_SIZE },
        { pc_row_at(pc_file_header, PC_HEAD_ATTRS_SIZE), NR * ENTRY + 8 },
        { pc_row_at(pc_file_header, PC_HEAD_ATTRS_SIZE), (uint64_t)ENTRY << 40 },
        { pc_row_at(pc_file_header, PC_HEAD_ATTRS_OFFSET), SIZE },
    };
    struct pc_salvage s;
    order = PC_LITTLE;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        begin(1);
        put_word(rows[i].at, rows[i].value);
        assert_int_equal(repair(&s, 0, 0, NULL), 0);
        assert_int_equal(judged, 0);
    }
}

static void what_cannot_be_judged_is_said(void **state)
{
    (void)state;
    struct pc_salvage s;
    unsigned failed = 0;
    order = PC_LITTLE;
    wanted = true;
    begin(1);
    assert_int_equal(repair(&s, 0, 0, &s), 0);
    assert_true(s.not_judged);
    repair(&s, 0, PC_FILE_HEADER_SIZE + 8, NULL);
    assert_true(s.not_judged && judged == 0);
    for (uint64_t n = 1; n < 8; n++) {
        repair(&s, n, 0, NULL);
        failed += s.no_memory;
    }
    assert_in_range(failed, 2, 7);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_attrs_are_read_as_the_samples_are),
    cmocka_unit_test(other_files_are_left_alone),
    cmocka_unit_test(what_cannot_be_judged_is_said),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
