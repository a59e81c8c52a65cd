/* SPDX-License-Identifier: MIT
 *
 * Real captures that are transferred as text: each way of doing so is recognised, and none in what is not.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "captures.h"

static unsigned char changed[4 << 20];

enum way { AS_IT_IS, RETURNS, LATIN_1, NO_ZEROS, SEVEN_BITS, NO_FEEDS, WAYS };

/* The bytes as they are after the transfer. */
static struct pc_span transfer(const struct real_capture *c, enum way way)
{
    size_t len = 0;
    for (size_t i = 0; i < c->len; i++) {
        unsigned char byte = c->bytes[i];
        if (way == RETURNS && byte == '\n')
            changed[len++] = '\r';
        if (way == LATIN_1 && byte >= 0x80) {
            changed[len++] = (unsigned char)(0xc0 | byte >> 6);
            byte = (unsigned char)(0x80 | (byte & 0x3f));
        }
        if (way == SEVEN_BITS)
            byte &= 0x7f;
        if (way == NO_FEEDS && byte == '\n')
            byte = '\r';
        if (way != NO_ZEROS || byte != 0)
            changed[len++] = byte;
    }
    return (struct pc_span){ changed, len };
}

static uint64_t errors; /* of the last scan: without any, no cause is looked for */

static uint64_t found_in(struct pc_span bytes, enum pc_diag id)
{
    struct pc_limits limits;
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    pc_scan_memory(&scan, bytes, PC_INPUT_FILE);
    uint64_t nr = scan.report.by_id[id];
    errors = scan.report.by_severity[PC_ERROR];
    pc_scan_clear(&scan);
    return nr;
}

static uint64_t found(const struct real_capture *c, enum way way, enum pc_diag id)
{
    return found_in(transfer(c, way), id);
}

/* Whether enough bytes after the header change to be no accident, and the header can still be read. */
static bool shows(const struct real_capture *c, enum way way)
{
    size_t count[256] = { 0 }, high = 0;
    for (size_t i = 16; i < c->len; i++) {
        count[c->bytes[i]]++;
        high += c->bytes[i] >= 0x80;
    }
    switch (way) {
    case RETURNS:
        return count['\n'] >= 4;
    case LATIN_1:
        return high >= 4;
    case SEVEN_BITS:
        return c->len - 16 >= 512;
    case NO_FEEDS:
        return c->len - 16 - count[0] >= 2048 && count['\r'] + count['\n'] >= 8;
    default:
        return false; /* of the header's size, 104, seven bytes go: nothing of the file can be read */
    }
}

static void each_way_is_recognised_in_real_captures(void **state)
{
    (void)state;
    static const enum pc_diag ids[WAYS] = {
        [RETURNS] = PC_D_TEXT_LINES,    [LATIN_1] = PC_D_TEXT_LATIN,    [NO_ZEROS] = PC_D_TEXT_CHANGED,
        [SEVEN_BITS] = PC_D_TEXT_7_BIT, [NO_FEEDS] = PC_D_TEXT_CHANGED,
    };
    unsigned seen[WAYS] = { 0 };
    load_captures(false);
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        if (strcmp(c->expect, "valid") != 0 || strcmp(c->mode, "file") != 0 || 2 * c->len > sizeof(changed))
            continue;
        for (unsigned way = RETURNS; way < WAYS; way++) {
            if (!shows(c, way))
                continue;
            uint64_t nr = found(c, way, ids[way]);
            if (errors == 0)
                continue;
            seen[way]++;
            if (nr != 1)
                fail_msg("%s: %u is not recognised", c->path, way);
            for (unsigned other = RETURNS; other < WAYS; other++) {
                if (ids[other] != ids[way] && found(c, way, ids[other]) != 0)
                    fail_msg("%s: %u is taken for %u", c->path, way, other);
            }
            assert_int_equal(found(c, AS_IT_IS, ids[way]), 0);
        }
    }
    for (unsigned way = RETURNS; way < WAYS; way++)
        assert_true(way == NO_ZEROS || seen[way] > 2);
    free_captures();
}

/* Of what is left there are no tabs, line feeds or carriage returns, but paths with blanks. */
static void a_capture_of_zeros_was_not_transferred_as_text(void **state)
{
    (void)state;
    load_captures(false);
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        if (strcmp(c->expect, "valid") != 0 || strcmp(c->mode, "file") != 0 || 2 * c->len > sizeof(changed))
            continue;
        for (size_t left = 512; left < c->len && left <= 8192; left += 512) {
            struct pc_span bytes = transfer(c, AS_IT_IS);
            memset(changed + left, 0, bytes.len - left);
            if (found_in(bytes, PC_D_TEXT_CHANGED) != 0)
                fail_msg("%s: the first %zu bytes are taken for text", c->path, left);
        }
    }
    free_captures();
}

/* Takes a byte out of three records, before a line feed or before another character: of a file, or of a pipe
 * with a fourth one. */
static void begin_short(bool pipe, bool feeds)
{
    const size_t size = 32;
    if (pipe)
        begin_with(PC_S_TID, 0);
    else
        begin_with_features(8, 0);
    const uint64_t start = pipe ? in.len : FILE_DATA, step = pipe ? size : 40;
    for (uint64_t i = 0; pipe && i < 40; i++)
        RECORD(PC_COMM, pair(1, UINT32_MAX), chars("name"), pair(1, 1));
    for (uint64_t i = pipe ? 4 : 3; i > 0; i--) {
        const uint64_t name = start + (6 * i - 4) * step + 16;
        in.p[name + 2] = feeds ? '\n' : 'n';
        take_out(name + 1, 1);
    }
}

static void line_feeds_whose_returns_are_missing_are_told_from_losses(void **state)
{
    (void)state;
    for (unsigned pipe = 0; pipe < 2; pipe++) {
        in.order = PC_LITTLE;
        begin_short(pipe, true);
        assert_int_equal(counted(PC_D_TEXT_CHANGED), 1);
        assert_int_equal(first.role, PC_CAUSE);
        begin_short(pipe, false);
        assert_int_equal(counted(PC_D_TEXT_CHANGED), 0);
    }
    /* one place has a line feed after a carriage return */
    begin_short(false, true);
    in.p[FILE_DATA + 20] = '\r';
    in.p[FILE_DATA + 21] = '\n';
    assert_int_equal(counted(PC_D_TEXT_CHANGED), 0);
}

/* Every second number lacks tabs, or line feeds and so on, however many there are. */
static void ids_that_were_cut_were_not_transferred_as_text(void **state)
{
    (void)state;
    for (uint64_t first_id = 0x5d00; first_id <= 0x5d01; first_id++) {
        IN_BOTH_ORDERS
        {
            begin_empty();
            begin_record(PC_HEADER_ATTR);
            const uint64_t words[] = { pair(1, 64), 0, 1, PC_S_TID, 0, 0, 0, 0 };
            for (size_t i = 0; i < PC_COUNT_OF(words); i++)
                put(words[i], 8);
            for (uint64_t i = 0; i < 8000; i++)
                put(first_id + 2 * i, 8);
            end_record();
            in.len -= 20000;
            assert_int_equal(counted(PC_D_TEXT_CHANGED), 0);
            assert_int_equal(counted(PC_D_STREAM_CUT), 1);
        }
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(line_feeds_whose_returns_are_missing_are_told_from_losses),
    cmocka_unit_test(each_way_is_recognised_in_real_captures),
    cmocka_unit_test(ids_that_were_cut_were_not_transferred_as_text),
    cmocka_unit_test(a_capture_of_zeros_was_not_transferred_as_text),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
