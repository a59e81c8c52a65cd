/* SPDX-License-Identifier: MIT
 *
 * EVENT_DESC and GROUP_DESC, compared with the attrs that they repeat and group, which may come later in a
 * pipe.
 */
#include "pc_test.h"
#include "capture_bench.h"

/* EVENT_DESC with one event: how many, the size of an attr, the attr, how many ids, its name, its id. */
static uint64_t event_desc(uint64_t nr, uint64_t config, uint64_t nr_ids, uint64_t id)
{
    uint64_t at = begin_feature(PC_EVENT_DESC);
    put(nr, 4);
    put(64, 4);
    for (uint64_t i = 0; i < nr; i++) {
        put(1, 4);
        put(64, 4);
        const uint64_t sample_id_all = (uint64_t)1 << (in.order == PC_LITTLE ? 18 : 63 - 18);
        const uint64_t words[] = { config, 1, PC_S_TID, 0, sample_id_all, 0, 0 };
        for (size_t k = 0; k < PC_COUNT_OF(words); k++)
            put(words[k], 8);
        put(nr_ids, 4);
        put_string("cycles");
        for (uint64_t k = 0; k < nr_ids; k++)
            put(id, 8);
    }
    end_record();
    return at;
}

static void event_desc_repeats_the_attrs_of_the_capture(void **state)
{
    (void)state;
    static const struct {
        uint64_t nr, config, nr_ids, id;
        enum pc_diag diag;
        uint64_t at;
    } rows[] = {
        { 1, 0, 1, 1, PC_NO_DIAG, 0 },
        { 2, 0, 1, 1, PC_D_EVENT_DESC_DIFFERS, 0 },
        { 1, 7, 1, 1, PC_D_EVENT_DESC_DIFFERS, 8 + 8 },
        { 1, 0, 2, 1, PC_D_EVENT_DESC_IDS, 8 + 64 },
        { 1, 0, 0, 1, PC_D_EVENT_DESC_IDS, 8 + 64 },
        { 1, 0, 1, 2, PC_D_EVENT_DESC_IDS, 8 + 64 + 4 + 68 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            for (unsigned later = 0; later < 2; later++) {
                begin_empty();
                if (!later)
                    put_attr(PC_S_TID, 0);
                uint64_t at = event_desc(rows[i].nr, rows[i].config, rows[i].nr_ids, rows[i].id);
                if (later)
                    put_attr(PC_S_TID, 0);
                enum pc_diag id = rows[i].diag;
                expect(PC_D_EVENT_DESC_DIFFERS, id == PC_D_EVENT_DESC_DIFFERS, at + rows[i].at);
                expect(PC_D_EVENT_DESC_IDS, id == PC_D_EVENT_DESC_IDS, at + rows[i].at);
            }
        }
    }
}

/* Two groups, each with a name, the number of its first attr, and how many attrs it has. */
static uint64_t groups(uint64_t leader, uint64_t members, uint64_t leader_2, uint64_t members_2)
{
    uint64_t at = begin_feature(PC_GROUP_DESC);
    put(2, 4);
    put_string("one");
    put(leader, 4);
    put(members, 4);
    put_string("two");
    put(leader_2, 4);
    put(members_2, 4);
    end_record();
    return at + 4 + 68;
}

static void groups_follow_each_other(void **state)
{
    (void)state;
    static const struct {
        uint64_t leader, members, leader_2, members_2;
        uint64_t at; /* of the finding, after the name of the first; 0: none */
    } rows[] = {
        { 0, 2, 2, 2, 0 },      { 0, 2, 3, 1, 0 },       { 0, 2, 1, 2, 8 + 68 },
        { 0, 2, 4, 1, 8 + 68 }, { 0, 2, 2, 3, 12 + 68 }, { 0, 2, 2, 0, 12 + 68 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_empty();
            for (int k = 0; k < 4; k++)
                put_attr(PC_S_TID | PC_S_ID, 0);
            uint64_t at = groups(rows[i].leader, rows[i].members, rows[i].leader_2, rows[i].members_2);
            expect(PC_D_GROUP_DESC, rows[i].at != 0, at + rows[i].at);
        }
    }
}

static void without_memory_this_is_reported(void **state)
{
    (void)state;
    begin_empty();
    event_desc(1, 7, 1, 1);
    put_attr(PC_S_TID, 0);
    for (uint64_t n = 1; n < 40; n++) {
        run_failing(n);
        assert_true(scan.report.by_id[PC_D_OUT_OF_MEMORY] != 0 ||
                    scan.report.by_id[PC_D_EVENT_DESC_DIFFERS] == 1);
        pc_scan_clear(&scan);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(event_desc_repeats_the_attrs_of_the_capture),
    cmocka_unit_test(groups_follow_each_other),
    cmocka_unit_test(without_memory_this_is_reported),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
