/* SPDX-License-Identifier: MIT
 *
 * Texts of trace data: each fault is reported at its byte, and each tracepoint is described once.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "tracing_bench.h"

/* A pipe with these format texts. Returns where the trace data begin. */
static uint64_t begin_texts(const char *const *texts, size_t nr)
{
    begin_with(PC_S_TID, 0);
    begin_record(PC_HEADER_TRACING_DATA);
    uint64_t size_at = in.len;
    put(0, 4);
    end_record();
    uint64_t at = in.len;
    memset(in.p + in.len, 0, 8192);
    size_t len = tracing_data(in.p + in.len, texts, nr);
    put_at(size_at, (len + 7) / 8 * 8, 4);
    in.len += (len + 7) / 8 * 8;
    return at;
}

/* Where a text is in the bytes; it is there once. */
static uint64_t place_of(const char *text)
{
    const unsigned char *found = memmem(in.p, in.len, text, strlen(text));
    assert_non_null(found);
    return (uint64_t)(found - in.p);
}

#define FIELD(line) "\tfield:" line "\n"

static void a_fault_of_a_text_is_reported_at_its_byte(void **state)
{
    (void)state;
    static const struct {
        const char *text, *at;
        enum pc_diag id;
    } rows[] = {
        { FORMAT("7", FIELD("u64 a;\toffset:8;\tsize:8;\tsigned:0;")), "", PC_NO_DIAG },
        { FORMAT("7", FIELD("u64 a;\toffset:x;\tsize:8;\tsigned:0;")), "x;\tsize", PC_D_TRACEPOINT_TEXT },
    };
    static const enum pc_diag all[] = { PC_D_TRACEPOINT_TEXT, PC_D_TRACEPOINT_FIELD, PC_D_TRACEPOINT_PRINT };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const char *const texts[] = { rows[i].text };
        begin_texts(texts, 1);
        for (size_t k = 0; k < PC_COUNT_OF(all); k++)
            expect(all[k], rows[i].id == all[k], rows[i].at[0] ? place_of(rows[i].at) : 0);
    }
}

static void each_tracepoint_is_described_once(void **state)
{
    (void)state;
    static const char *const texts[] = { FORMAT("7", ""), FORMAT("8", ""), FORMAT("7", "") };
    begin_texts(texts, 2);
    expect(PC_D_TRACEPOINT_TWICE, 0, 0);
    begin_texts(texts, 3);
    assert_int_equal(counted(PC_D_TRACEPOINT_TWICE), 1);
    assert_memory_equal(in.p + first.offset, "7\nformat", 8); /* the number of the later one */
    assert_true(first.offset > place_of("ID: 8"));
}

/* After "tracing" and the version: the byte order, the size of a long, the size of a page. */
static void the_head_tells_a_machine(void **state)
{
    (void)state;
    static const char *const texts[] = { FORMAT("7", "") };
    static const struct {
        size_t at;
        unsigned char value;
        enum pc_diag id;
    } rows[] = {
        { 14, 0, PC_NO_DIAG },         { 14, 1, PC_D_TRACING_ORDER },  { 14, 2, PC_D_TRACING_MAGIC },
        { 15, 4, PC_NO_DIAG },         { 15, 8, PC_NO_DIAG },          { 15, 5, PC_D_TRACING_MAGIC },
        { 15, 0, PC_D_TRACING_MAGIC }, { 3, 'T', PC_D_TRACING_MAGIC },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        uint64_t at = begin_texts(texts, 1);
        in.p[at + rows[i].at] = rows[i].value;
        uint64_t order = counted(PC_D_TRACING_ORDER), here = at + rows[i].at;
        counted(PC_D_TRACING_MAGIC); /* another one is about the empty text of header_page */
        if ((order != 0) != (rows[i].id == PC_D_TRACING_ORDER) ||
            (first.offset == here) != (rows[i].id == PC_D_TRACING_MAGIC))
            fail_msg("row %zu", i);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_fault_of_a_text_is_reported_at_its_byte),
    cmocka_unit_test(each_tracepoint_is_described_once),
    cmocka_unit_test(the_head_tells_a_machine),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
