/* SPDX-License-Identifier: MIT
 *
 * Records that are handed out many at once are those that come one by one, in either byte order.
 */
#include "captures.h"
#include "pc_test.h"
#include "write/content.h"

#include <stdlib.h>
#include <string.h>

static struct pc_policy policy;
static struct pc_limits limits;

static int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    load_captures(false);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free_captures();
    return 0;
}

struct copied {
    unsigned char *bytes; /* of all records */
    size_t len;
    uint64_t largest; /* bytes that were handed out at once ... */
    uint64_t others;  /* ... and records other than samples */
    uint64_t marks, places, sum, choices;
};

/* as_written: as for a copy; else for a digest. */
static struct copied copy(const struct real_capture *c, bool big, bool as_written, bool in_batches)
{
    static struct pc_scan scan;
    static struct pc_content content;
    struct pc_content_item item;
    struct copied made = { .bytes = malloc(64 * c->len + 1) };
    assert_non_null(made.bytes);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ c->bytes, c->len },
                    strcmp(c->mode, "pipe") == 0 ? PC_INPUT_STREAM : PC_INPUT_FILE);
    pc_content_init(&content, &scan, big ? PC_BIG : PC_LITTLE, as_written, NULL);
    content.in_batches = in_batches;
    content.as_written = as_written;
    content.own.lenient = !as_written;
    assert_true(pc_content_open(&content));
    for (pc_content_next(&content, &item); item.kind != PC_CONTENT_END; pc_content_next(&content, &item)) {
        assert_true(made.len + item.bytes.len <= 64 * c->len);
        memcpy(made.bytes + made.len, item.bytes.ptr, item.bytes.len);
        made.len += item.bytes.len;
        made.largest = item.bytes.len > made.largest ? item.bytes.len : made.largest;
        made.others += item.type != PC_SAMPLE ? item.run.nr : 0;
    }
    assert_string_equal(content.wrong, "");
    struct pc_sum sum = pc_hash_sum(&content.parts.records.hash);
    const struct pc_marks *marks = &content.parts.records;
    made.marks = marks->count;
    const size_t used = (size_t)((marks->count + marks->every - 1) / marks->every);
    made.places =
        pc_hash_of(0, (struct pc_span){ (const unsigned char *)marks->mark, used * sizeof(*marks->mark) });
    made.choices = content.parts.choices;
    memcpy(&made.sum, sum.bytes, sizeof(made.sum));
    pc_content_clear(&content);
    pc_scan_clear(&scan);
    return made;
}

static void records_at_once_are_those_one_by_one(void **state)
{
    (void)state;
    unsigned swapped = 0, stayed = 0;
    uint64_t others = 0;
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        bool is_big = strcmp(c->order, "big") == 0;
        if (strcmp(c->expect, "valid") != 0)
            continue;
        for (unsigned form = 0; form < 3; form++) {
            bool big = form == 1, as_written = form != 2;
            struct copied alone = copy(c, big, as_written, false), at_once = copy(c, big, as_written, true);
            if (alone.len != at_once.len || memcmp(alone.bytes, at_once.bytes, alone.len) != 0 ||
                alone.marks != at_once.marks || alone.places != at_once.places || alone.sum != at_once.sum ||
                alone.choices != at_once.choices)
                fail_msg("%s", c->path);
            if (at_once.largest > alone.largest)
                *(big != is_big ? &swapped : &stayed) += 1;
            others += at_once.others;
            free(alone.bytes);
            free(at_once.bytes);
        }
    }
    assert_true(swapped > 5);
    assert_true(stayed > 5);
    assert_true(others > 1000);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_at_once_are_those_one_by_one),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
