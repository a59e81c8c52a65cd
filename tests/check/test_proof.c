/* SPDX-License-Identifier: MIT
 *
 * What is left out of a copy for a reason, and what is not.
 */
#include "scratch.h"
#include "check/proof.h"

#include <string.h>

#define ATTR     "attr type=1 config=0 sample_period=1000 sample_type=IP|TID ids=11\n"
#define COMM     "record COMM ; u32 1 1 ; str \"one\" ; end\n"
#define BAD      "record COMM ; u32 1 1 ; bytes 6161616161616161 ; end\n"
#define NO_TYPE  "bytes ffee0102 00001800 0100000001000000 6161610000000000\n"
#define GAP      "bytes 6162636465666768 6162636465666768\n"
#define FEATURE  "feature HOSTNAME ; hstr \"box\" ; end\n"
#define TIMED    "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|TIME flags=sample_id_all ids=11\n"
#define AT(time) "record SWITCH ; u32 1 1 ; u64 " #time " ; end\n"

static struct pc_scan scan;
static struct pc_policy policy;
static struct pc_mem mem;
static struct pc_proof proof;

static void take(void *ctx, const struct pc_finding *f)
{
    (void)ctx;
    pc_proof_finding(&proof, f);
}

struct left {
    enum pc_item_kind kind;
    uint64_t number;
};

/* A pass over the capture, of which this item is left out, and this record is said to be. */
static void pass(const char *recipe, struct left left, uint64_t listed)
{
    char path[SCRATCH_PATH];
    struct pc_limits limits;
    struct pc_item item;
    scratch_path(path, "in");
    assemble(recipe, path);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    scan.report.on_finding = take;
    pc_proof_begin(&proof, &scan.in, false, (const uint64_t[PC_FEATURE_BITS / 64]){ 0 });
    while (pc_scan_next(&scan, &item)) {
        pc_proof_item(&proof, &scan, &item);
        if (item.kind == left.kind && item.number == left.number)
            pc_proof_left_out(&proof, &scan, &item);
        else if (item.kind == PC_ITEM_RECORD)
            pc_proof_handed_out(&proof);
    }
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
    if (left.kind == PC_ITEM_RECORD)
        pc_proof_listed(&proof, PC_COMM, 0, listed, 1);
}

static void begin(void)
{
    pc_mem_init(&mem, (uint64_t)1 << 20);
    pc_proof_init(&proof, &mem);
}

static void end(void)
{
    pc_proof_clear(&proof);
    assert_int_equal(mem.used, 0);
}

static void only_what_has_a_reason_may_be_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *recipe;
        struct left left;
        const char *wrong; /* NULL: nothing */
    } rows[] = {
        { ATTR "data\n" COMM BAD COMM FEATURE, { PC_ITEM_RECORD, 1 }, NULL },
        { ATTR "data\n" COMM BAD COMM FEATURE, { PC_ITEM_RECORD, 0 }, "records[0]" },
        { ATTR "data\n" COMM BAD COMM FEATURE, { PC_ITEM_RECORD, 2 }, "records[2]" },
        /* The record before a gap, and behind one. */
        { ATTR "data\n" COMM NO_TYPE COMM COMM COMM FEATURE, { PC_ITEM_RECORD, 0 }, "records[0]" },
        { ATTR "data\n" COMM NO_TYPE COMM COMM COMM FEATURE, { PC_ITEM_RECORD, 2 }, "records[2]" },
        { ATTR "data\n" COMM GAP COMM COMM COMM FEATURE, { PC_ITEM_RECORD, 0 }, NULL },
        { TIMED "data\n" AT(5) GAP AT(6) AT(7) AT(8) FEATURE, { PC_ITEM_RECORD, 2 }, "records[2]" },
        { TIMED "data\n" AT(5) GAP AT(0) AT(7) AT(8) FEATURE, { PC_ITEM_RECORD, 2 }, NULL },
        { TIMED "data\n" AT(5) GAP AT(6) AT(0) AT(8) FEATURE, { PC_ITEM_RECORD, 3 }, "records[3]" },
        /* Attrs and features. */
        { ATTR "data\n" COMM FEATURE, { PC_ITEM_ATTR, 0 }, "attrs[0]" },
        { "bad: " ATTR "data\n" COMM FEATURE "patch bad.sample_type 0x69600000003\n",
          { PC_ITEM_ATTR, 0 },
          NULL },
        { ATTR "data\n" COMM FEATURE, { PC_ITEM_FEATURE, PC_HOSTNAME }, "features[3]" },
        { ATTR "data\n" COMM "feature HOSTNAME ; u32 77777 ; zero 8 ; end\n",
          { PC_ITEM_FEATURE, PC_HOSTNAME },
          NULL },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char recipe[2048], what[64] = "";
        begin();
        snprintf(recipe, sizeof(recipe), "expect: valid\nfile\n%s", rows[i].recipe);
        for (int n = 0; n < 2; n++) /* reasons that come late count in the next pass */
            pass(recipe, rows[i].left, rows[i].left.number);
        bool wrong = pc_proof_wrong(&proof, true, what, sizeof(what));
        if (wrong != (rows[i].wrong != NULL) || (wrong && strcmp(what, rows[i].wrong) != 0))
            fail_msg("row %zu: '%s'", i, what);
        end();
    }
}

static void what_is_listed_is_what_is_left_out(void **state)
{
    (void)state;
    static const char two[] = "expect: valid\nfile\n" ATTR "data\n" BAD COMM BAD FEATURE;
    char what[64];
    begin();
    pass(two, (struct left){ PC_ITEM_RECORD, 2 }, 2);
    assert_false(pc_proof_wrong(&proof, true, what, sizeof(what)));
    pass(two, (struct left){ PC_ITEM_RECORD, 2 }, 1);
    assert_true(pc_proof_wrong(&proof, true, what, sizeof(what)));
    assert_false(pc_proof_wrong(&proof, false, what, sizeof(what)));
    end();
}

/* The copy has an error in its second record, which is that of the capture. */
static void an_error_of_the_copy_is_a_reason(void **state)
{
    (void)state;
    static const char some[] = "expect: valid\nfile\n" ATTR "data\n" COMM COMM COMM COMM FEATURE;
    const struct pc_finding f = {
        .id = PC_D_RECORD_SIZE, .severity = PC_ERROR, .place = PC_IN_RECORD, .number = 1
    };
    char what[64];
    for (uint64_t number = 0; number < 4; number++) {
        begin();
        pass(some, (struct left){ PC_ITEM_END, PC_NO_INDEX }, 0);
        pc_proof_begin_copy(&proof);
        pc_proof_finding(&proof, &f);
        pass(some, (struct left){ PC_ITEM_RECORD, number }, number);
        assert_int_equal(pc_proof_wrong(&proof, true, what, sizeof(what)), number != 1);
        end();
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(only_what_has_a_reason_may_be_left_out),
    cmocka_unit_test(what_is_listed_is_what_is_left_out),
    cmocka_unit_test(an_error_of_the_copy_is_a_reason),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };
