/* SPDX-License-Identifier: MIT
 *
 * The faults of fuzz/faults.c: each has a place in one of a number of captures, and what it stands for is the
 * first finding; a fault without a place leaves the capture unchanged.
 */
#include "pc_test.h"
#include "faults.h"
#include "faults_tree.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CAPTURES 320

static struct pc_scan scan;
static struct fuzz_bytes capture[CAPTURES];
static bool raised[PC_DIAG_COUNT];

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Each fault has random numbers of its own, by its name: a new fault changes nothing for the others (FNV-1a).
 */
static uint64_t random_of(const char *name, uint64_t seed)
{
    for (; *name; name++)
        seed = (seed ^ (unsigned char)*name) * 0x100000001b3;
    return seed ? seed : 1;
}

/* The first error, where the fault is one, or warning; of notes, and what stands beside others, there may be
 * more. */
static void is_said(const struct fuzz_faulty *f, const char *name)
{
    enum pc_severity severity = pc_diag_info(f->id)->severity;
    const struct pc_finding *first = NULL;
    for (size_t i = 0; i < scan.report.nr; i++) {
        const struct pc_finding *found = &scan.report.finding[i];
        bool counts = severity == PC_NOTE || f->beside
                          ? found->id == f->id && found->offset == f->offset
                          : found->severity >= severity && !pc_diag_is_cause(found->id);
        if (counts && (!first || pc_finding_compare_places(found, first) < 0))
            first = found;
    }
    if (!first || first->id != f->id || first->place != f->place || first->offset != f->offset)
        fail_msg("%s: %s at %zu, but first is %s at %zu", name, pc_diag_info(f->id)->id, (size_t)f->offset,
                 first ? pc_diag_info(first->id)->id : "nothing", first ? (size_t)first->offset : 0);
    raised[f->id] = true;
}

/* False: it has no place in this capture. */
static bool try_fault(size_t fault, const struct fuzz_bytes *own, uint64_t *random, uint16_t row)
{
    struct fuzz_faulty f = { .len = own->len, .choice = { row } };
    f.choice[1] = (uint16_t)next_random(random);
    f.choice[2] = (uint16_t)next_random(random);
    f.bytes = malloc(own->len + FUZZ_FAULT_ROOM);
    assert_non_null(f.bytes);
    memcpy(f.bytes, own->bytes, own->len);
    bool applied = fuzz_fault_apply(&f, fault);
    if (applied) {
        fuzz_policy.reader = f.reader;
        fuzz_scan(&scan, (struct pc_span){ f.bytes, f.len }, PC_INPUT_FILE);
        is_said(&f, fuzz_fault_name(fault));
        fuzz_scan_end(&scan);
    } else {
        assert_int_equal(f.len, own->len);
        assert_memory_equal(f.bytes, own->bytes, own->len);
    }
    free(f.bytes);
    return applied;
}

static void each_fault_is_the_first_finding(void **state)
{
    const unsigned often = 30;
    (void)state;
    for (size_t fault = 0; fault < fuzz_nr_faults(); fault++) {
        uint64_t random = random_of(fuzz_fault_name(fault), 20261122);
        unsigned times = 0;
        for (size_t i = 0; i < CAPTURES && times < often; i++)
            times += try_fault(fault, &capture[i], &random, (uint16_t)next_random(&random));
        if (times == 0)
            fail_msg("%s: in none of the captures", fuzz_fault_name(fault));
    }
}

/* Of the faults that tables make, those of every row of some captures. */
static void rows_of_all_tables_are_damaged(void **state)
{
    const size_t captures = 24, rows = 64;
    const char *last = "another text than the one that must be there";
    (void)state;
    for (size_t fault = 0; strcmp(fuzz_fault_name(fault), last) != 0; fault++) {
        uint64_t random = random_of(fuzz_fault_name(fault), 20261123);
        for (size_t i = 0; i < captures; i++) {
            for (size_t row = 0; row < rows; row++)
                try_fault(fault, &capture[i], &random, (uint16_t)row);
        }
    }
}

/* --- directories --- */

/* Directories of both kinds: the sound one has no such finding, the other one has it of the right member. */
static void each_fault_of_a_directory_is_reported(void **state)
{
    const unsigned often = 5;
    unsigned times[64] = { 0 };
    uint64_t random = 20261126;
    (void)state;
    assert_true(fuzz_nr_tree_faults() <= PC_COUNT_OF(times));
    for (unsigned i = 0; i < 40; i++) {
        struct fuzz_tree_fault said;
        struct fuzz_built built;
        unsigned char plan[100];
        for (size_t k = 0; k < sizeof(plan); k++)
            plan[k] = (unsigned char)(next_random(&random) >> 11);
        plan[0] |= 4; /* a directory */
        fuzz_build((struct pc_span){ plan, sizeof(plan) }, &built);
        for (size_t fault = 0; fault < fuzz_nr_tree_faults(); fault++) {
            if (times[fault] == often || !fuzz_tree_damage(&built, fault, &said))
                continue;
            const char *member = fuzz_tree_scan(&scan, said.id, said.reader);
            if (!member || strcmp(member, said.member) != 0)
                fail_msg("%s: %s of '%s', but it is %s", said.name, pc_diag_info(said.id)->id, said.member,
                         member ? member : "not said");
            fuzz_scan_end(&scan);
            fuzz_tree_put(&built);
            assert_null(fuzz_tree_scan(&scan, said.id, PC_BY_NONE));
            assert_int_equal(scan.report.by_severity[PC_ERROR], 0);
            fuzz_scan_end(&scan);
            raised[said.id] = true;
            times[fault]++;
        }
        fuzz_built_free(&built);
    }
    for (size_t fault = 0; fault < fuzz_nr_tree_faults(); fault++)
        assert_int_not_equal(times[fault], 0);
}

/* What no fault raises, and why. */
static const struct {
    enum pc_diag id;
    const char *why;
} not_raised[] = {
#define N(symbol, why) { PC_D_##symbol, why },
#include "faults_none.def"
#undef N
};

static const char *reason[PC_DIAG_COUNT];

static bool all_are_raised(void)
{
    for (unsigned id = PC_NO_DIAG + 1; id < PC_DIAG_COUNT; id++) {
        if (!raised[id] && !reason[id])
            return false;
    }
    return true;
}

/* Some faults raise one of several ids, by the place that they find: all are tried until each id was raised.
 */
static void each_id_is_raised_or_has_a_reason(void **state)
{
    const size_t rounds = (size_t)2 * CAPTURES;
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(not_raised); i++) {
        assert_null(reason[not_raised[i].id]);
        assert_true(not_raised[i].why[0] != 0);
        reason[not_raised[i].id] = not_raised[i].why;
    }
    for (unsigned id = PC_NO_DIAG + 1; id < PC_DIAG_COUNT; id++) {
        if (pc_diag_is_cause((enum pc_diag)id))
            reason[id] = "made only beside the findings that it is the cause of: tests/test_causes";
    }
    for (size_t round = 0; round < rounds && !all_are_raised(); round++) {
        for (size_t fault = 0; fault < fuzz_nr_faults(); fault++) {
            uint64_t random = random_of(fuzz_fault_name(fault), 20261125 + round);
            try_fault(fault, &capture[round % CAPTURES], &random, (uint16_t)next_random(&random));
        }
    }
    for (unsigned id = PC_NO_DIAG + 1; id < PC_DIAG_COUNT; id++) {
        if (raised[id] == !reason[id])
            continue;
        print_error("%s is %s\n", pc_diag_info((enum pc_diag)id)->id,
                    raised[id] ? "raised after all" : "neither raised nor in faults_none.def");
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static int set_up(void **state)
{
    const struct pc_rewrite pack = { .compression = PC_COMPRESSION_LEVEL, .level = 1 };
    struct fuzz_case c;
    uint64_t random = 20261124;
    (void)state;
    fuzz_case(&c, (const uint8_t *)"", 0);
    fuzz_policy.max_per_id = UINT32_MAX;
    /* Generated captures have few samples, and lost any number. */
    fuzz_policy.severity[PC_D_LOST_MANY] = fuzz_policy.severity[PC_D_LOST_SAMPLES_MANY] = PC_NOTE + 1;
    for (size_t i = 0; i < CAPTURES; i++) {
        unsigned char plan[400];
        struct fuzz_built built;
        for (size_t k = 0; k < sizeof(plan); k++)
            plan[k] = (unsigned char)(next_random(&random) >> 11);
        if (i % 4 == 1)
            plan[2] = 0; /* one attr */
        size_t len = i % 3 == 2 ? (size_t)(next_random(&random) % sizeof(plan)) : sizeof(plan);
        fuzz_build_plain((struct pc_span){ plan, len }, &built);
        capture[i] = (struct fuzz_bytes){ built.bytes, built.len };
        if (i % 8 == 5) {
            assert_int_equal(fuzz_rewrite(pack, fuzz_span(&capture[i]), &capture[i]), PC_WRITTEN);
            free(built.bytes);
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (size_t i = 0; i < CAPTURES; i++)
        free(capture[i].bytes);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_fault_is_the_first_finding),
    cmocka_unit_test(rows_of_all_tables_are_damaged),
    cmocka_unit_test(each_fault_of_a_directory_is_reported),
    cmocka_unit_test(each_id_is_raised_or_has_a_reason),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
