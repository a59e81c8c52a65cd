/* SPDX-License-Identifier: MIT
 *
 * Which records about tasks are kept: those that samples of the next age may need, also of tasks whose
 * parents have ended, and not more.
 */
#include "pc_test.h"
#include "write/lives.h"

static struct pc_mem mem;
static struct pc_life life[4096];
static size_t nr;

static void begin(void)
{
    nr = 0;
    pc_mem_init(&mem, (uint64_t)16 << 20);
}

/* A record, by whose place in the list it is known. Its time is that place, but where a test sets it. */
static struct pc_life_note *put_note(uint32_t type, uint32_t pid, uint32_t tid, uint32_t age)
{
    life[nr] = (struct pc_life){ .index = (uint32_t)nr };
    life[nr].note = (struct pc_life_note){ .type = type, .pid = pid, .tid = tid, .age = age, .time = nr };
    return &life[nr++].note;
}

static void fork_task(uint32_t parent, uint32_t pid, uint32_t tid, uint32_t age)
{
    struct pc_life_note *note = put_note(PC_FORK, pid, tid, age);
    note->ppid = note->ptid = parent;
}

static void exec(uint32_t pid, uint32_t age)
{
    put_note(PC_COMM, pid, pid, age)->is_exec = 1;
}

/* What is kept at an age: a letter for each record, in the order of their places; '.': it is not. */
static void assert_kept(uint32_t now, const char *wanted)
{
    char got[sizeof(life) / sizeof(*life) + 1] = "";
    assert_int_equal(strlen(wanted), nr);
    assert_true(pc_lives_choose(&mem, life, nr, now));
    for (size_t i = 0; i < nr; i++)
        got[life[i].index] = life[i].kept ? wanted[life[i].index] == '.' ? '?' : wanted[life[i].index] : '.';
    assert_string_equal(got, wanted);
    assert_int_equal(mem.used, 0);
}

static void a_task_is_kept_until_two_ages_after_its_end(void **state)
{
    (void)state;
    for (uint32_t now = 5; now <= 8; now++) {
        begin();
        put_note(PC_COMM, 1, 1, 0);
        fork_task(1, 2, 2, 1);
        exec(2, 1);
        put_note(PC_MMAP2, 2, 2, 1);
        put_note(PC_NAMESPACES, 2, 2, 2);
        put_note(PC_EXIT, 2, 2, 5);
        put_note(0, 0, 0, 0);
        assert_kept(now, now < 7 ? "cfemnxk" : "c.....k");
    }
}

static void mappings_are_kept_for_children_that_never_did_exec(void **state)
{
    (void)state;
    begin();
    put_note(PC_COMM, 1, 1, 0);
    put_note(PC_MMAP2, 1, 1, 0);
    fork_task(1, 2, 2, 0);
    fork_task(2, 3, 3, 0);
    put_note(PC_EXIT, 1, 1, 0);
    put_note(PC_EXIT, 2, 2, 0);
    assert_kept(9, "cmffxx");
    exec(3, 8);
    assert_kept(9, "cmffxxe");
    assert_kept(10, "...f..e");
    put_note(PC_EXIT, 3, 3, 9);
    assert_kept(11, "........");
}

static void a_process_lives_as_long_as_one_of_its_threads(void **state)
{
    (void)state;
    begin();
    put_note(PC_COMM, 1, 1, 0);
    put_note(PC_MMAP, 1, 1, 0);
    fork_task(1, 1, 2, 0);
    put_note(PC_COMM, 1, 2, 0);
    fork_task(1, 1, 3, 0); /* which has the name of the first one */
    put_note(PC_EXIT, 1, 2, 0);
    put_note(PC_EXIT, 1, 1, 0);
    assert_kept(9, "cm..f.x");
    put_note(PC_EXIT, 1, 3, 8);
    assert_kept(9, "cm..f.xx");
    assert_kept(10, "........");
}

static void exec_and_a_name_take_the_place_of_those_before(void **state)
{
    (void)state;
    begin();
    put_note(PC_COMM, 1, 1, 0);
    put_note(PC_MMAP2, 1, 1, 0);
    put_note(PC_COMM, 1, 1, 0);
    assert_kept(1, "cmc");
    assert_kept(2, ".mc");
    fork_task(1, 1, 2, 0); /* exec ends it without an EXIT */
    put_note(PC_COMM, 1, 2, 0);
    exec(1, 3);
    put_note(PC_MMAP2, 1, 1, 3);
    assert_kept(4, ".mcfcem");
    assert_kept(5, ".....em");
}

static void a_number_belongs_to_the_last_task_that_got_it(void **state)
{
    (void)state;
    begin();
    put_note(PC_COMM, 1, 1, 0);
    put_note(PC_MMAP2, 1, 1, 0);
    fork_task(1, 2, 2, 0);
    put_note(PC_COMM, 2, 2, 0);
    put_note(PC_MMAP2, 2, 2, 0);
    put_note(PC_EXIT, 2, 2, 0);
    fork_task(1, 2, 2, 0);
    put_note(PC_COMM, 2, 2, 0);
    assert_kept(9, "cm....fc");
    fork_task(1, 2, 2, 0); /* the EXIT before was lost */
    assert_kept(9, "cm......f");
}

/* The EXIT may lie before the FORK, in the buffer of another CPU. */
static void times_decide_not_places(void **state)
{
    (void)state;
    begin();
    put_note(PC_COMM, 1, 1, 0)->time = 1;
    put_note(PC_EXIT, 2, 2, 0)->time = 20;
    put_note(PC_MMAP2, 2, 2, 0)->time = 15;
    put_note(PC_FORK, 2, 2, 0)->time = 10;
    put_note(PC_FORK, 2, 2, 0)->time = 30;
    assert_kept(9, "c...f");
}

/* What a record is the only one to tell of is kept; an EXIT says nothing else. */
static void tasks_may_have_been_there_before(void **state)
{
    (void)state;
    begin();
    put_note(PC_MMAP2, 5, 6, 0);
    put_note(PC_NAMESPACES, 7, 8, 0);
    put_note(PC_EXIT, 9, 9, 0);
    put_note(PC_EXIT, 5, 6, 0);
    assert_kept(9, "mn..");
    put_note(PC_EXIT, 5, 5, 0);
    put_note(PC_MMAP2, 5, 5, 0); /* and it lives again */
    assert_kept(9, ".n...m");
}

/* A child that the kernel does not copy the mappings for: perf found them itself. */
static void a_child_that_perf_made_up_needs_no_parent(void **state)
{
    (void)state;
    begin();
    put_note(PC_MMAP2, 1, 1, 0);
    fork_task(1, 2, 2, 0);
    life[nr - 1].note.is_exec = 1;
    put_note(PC_MMAP2, 2, 2, 0);
    put_note(PC_EXIT, 1, 1, 0);
    assert_kept(9, ".fmx"); /* it has its name of it */
    put_note(PC_COMM, 2, 2, 0);
    assert_kept(9, ".fm.c");
}

static void as_many_are_kept_as_live(void **state)
{
    (void)state;
    begin();
    put_note(PC_COMM, 1, 1, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        fork_task(1, 10 + i, 10 + i, i);
        exec(10 + i, i);
        put_note(PC_MMAP2, 10 + i, 10 + i, i);
        put_note(PC_EXIT, 10 + i, 10 + i, i);
    }
    assert_true(pc_lives_choose(&mem, life, nr, 999));
    size_t kept = 0;
    for (size_t i = 0; i < nr; i++)
        kept += life[i].kept;
    assert_int_equal(kept, 1 + 2 * 4); /* the last two ages */
}

static void without_memory_nothing_is_chosen(void **state)
{
    (void)state;
    uint64_t fails = 0;
    bool chosen = false;
    for (; !chosen; fails += !chosen) {
        begin();
        mem.fail_at = fails + 1;
        for (uint32_t i = 0; i < 100; i++)
            fork_task(1, 10 + i, 10 + i % 50, 0);
        chosen = pc_lives_choose(&mem, life, nr, 9);
        assert_int_equal(mem.used, 0);
    }
    assert_true(fails > 3);
    begin();
    assert_true(pc_lives_choose(&mem, NULL, 0, 9));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_task_is_kept_until_two_ages_after_its_end),
    cmocka_unit_test(mappings_are_kept_for_children_that_never_did_exec),
    cmocka_unit_test(a_process_lives_as_long_as_one_of_its_threads),
    cmocka_unit_test(exec_and_a_name_take_the_place_of_those_before),
    cmocka_unit_test(a_number_belongs_to_the_last_task_that_got_it),
    cmocka_unit_test(times_decide_not_places),
    cmocka_unit_test(tasks_may_have_been_there_before),
    cmocka_unit_test(a_child_that_perf_made_up_needs_no_parent),
    cmocka_unit_test(as_many_are_kept_as_live),
    cmocka_unit_test(without_memory_nothing_is_chosen),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
