/* SPDX-License-Identifier: MIT
 *
 * Tasks, more of them than there is room for.
 */
#include "cli/tasks.h"
#include "pc_test.h"

static struct pc_tasks tasks;

static struct pc_task_facts *see(uint32_t pid, uint32_t tid)
{
    struct pc_task_facts *task = pc_tasks_of(&tasks, pid, tid);
    task->records++;
    return task;
}

static void each_task_has_its_own_facts_until_there_is_no_room(void **state)
{
    (void)state;
    pc_tasks_clear(&tasks);
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < PC_TASKS_MAX + 100; i++)
            see(i / 7, i)->samples += i;
    }
    assert_int_equal(tasks.nr, PC_TASKS_MAX);
    assert_int_equal(tasks.others.records, 200);
    for (uint32_t i = 0; i < PC_TASKS_MAX; i++) {
        const struct pc_task_facts *task = pc_tasks_of(&tasks, i / 7, i);
        assert_int_equal(task->samples, 2 * i);
        assert_int_equal(task->records, 2);
    }
    assert_ptr_equal(pc_tasks_of(&tasks, 1, PC_TASKS_MAX), &tasks.others);
}

static void most_samples_come_first_then_most_mappings(void **state)
{
    (void)state;
    static const uint32_t order[] = { 5, 9, 1, 2, 3 };
    pc_tasks_clear(&tasks);
    see(1, 3);
    see(1, 2);
    see(1, 1)->mmaps = 1;
    see(1, 9)->samples = 4;
    see(1, 5)->samples = 5;
    assert_ptr_not_equal(pc_tasks_of(&tasks, 1, 5), pc_tasks_of(&tasks, 2, 5));
    pc_tasks_sort(&tasks);
    for (size_t i = 0; i < PC_COUNT_OF(order); i++)
        assert_int_equal(pc_tasks_get(&tasks, i)->tid, order[i]);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_task_has_its_own_facts_until_there_is_no_room),
    cmocka_unit_test(most_samples_come_first_then_most_mappings),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
