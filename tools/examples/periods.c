/* SPDX-License-Identifier: MIT
 *
 * periods: sums the periods of all samples by the comm of their tasks, and prints the largest sum first: sum,
 * samples, comm. A task has the comm of its last COMM record or, before that, the one of the task that made
 * it (FORK). A sample without a period has the fixed one of its event, if there is one.
 *
 *     cc -O2 periods.c $(pkg-config --cflags --libs perfcheck) -o periods
 *     ./periods perf.data
 */
#include <perfcheck.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMM = 3, FORK = 7, SAMPLE = 9 }; /* linux/perf_event.h: enum perf_event_type */

struct comm {
    char name[80];
    uint64_t period, samples;
};

static struct comm *comm; /* the first one is of tasks that have none */
static size_t nr_comms;

/* A table of tasks by their tid. */
static struct task {
    uint64_t tid;
    size_t comm;
    int used;
} * task;
static size_t nr_tasks, room;

static perfcheck_field_handle_t *tid_field, *ptid_field, *comm_field, *period_field;

static void *resized(void *block, size_t size)
{
    block = realloc(block, size);
    if (!block)
        exit(2);
    return block;
}

static size_t comm_named(const char *name)
{
    size_t i = 0;
    while (i < nr_comms && strcmp(comm[i].name, name) != 0)
        i++;
    if (i == nr_comms) {
        comm = resized(comm, ++nr_comms * sizeof(*comm));
        memset(&comm[i], 0, sizeof(*comm));
        snprintf(comm[i].name, sizeof(comm[i].name), "%s", name);
    }
    return i;
}

/* The task, or where it is to be put. */
static struct task *find_task(uint64_t tid)
{
    size_t i = (size_t)(tid * 0x9e3779b97f4a7c15) & (room - 1);
    while (task[i].used && task[i].tid != tid)
        i = (i + 1) & (room - 1);
    return &task[i];
}

static void make_room(void)
{
    struct task *old = task;
    size_t nr = room;
    room = room ? 2 * room : 256;
    task = resized(NULL, room * sizeof(*task));
    memset(task, 0, room * sizeof(*task));
    for (size_t i = 0; i < nr; i++) {
        if (old[i].used)
            *find_task(old[i].tid) = old[i];
    }
    free(old);
}

static void set_comm(uint64_t tid, size_t number)
{
    struct task *one = find_task(tid);
    nr_tasks += !one->used;
    *one = (struct task){ tid, number, 1 };
    if (nr_tasks > room / 2)
        make_room();
}

static void take_sample(perfcheck_t *pc, const perfcheck_item_t *item)
{
    uint64_t tid, period = item->fixed_period;
    size_t number = 0;
    if (perfcheck_number_of(pc, tid_field, &tid) == PERFCHECK_OK)
        number = find_task(tid)->comm;
    comm[number].samples++;
    perfcheck_number_of(pc, period_field, &period);
    comm[number].period += period;
}

static void take_task(perfcheck_t *pc, uint32_t type)
{
    uint64_t tid, ptid;
    const char *name = type == COMM ? perfcheck_text_of(pc, comm_field) : NULL;
    if (name && perfcheck_number_of(pc, tid_field, &tid) == PERFCHECK_OK)
        set_comm(tid, comm_named(name));
    else if (type == FORK && perfcheck_number_of(pc, tid_field, &tid) == PERFCHECK_OK &&
             perfcheck_number_of(pc, ptid_field, &ptid) == PERFCHECK_OK)
        set_comm(tid, find_task(ptid)->comm);
}

static int compare(const void *a, const void *b)
{
    const struct comm *one = a, *other = b;
    if (one->period != other->period)
        return one->period < other->period ? 1 : -1;
    return strcmp(one->name, other->name);
}

int main(int argc, char **argv)
{
    const perfcheck_item_t *item;
    perfcheck_status_t status;
    perfcheck_t *pc = perfcheck_new();
    tid_field = perfcheck_field_handle(pc, "tid");
    ptid_field = perfcheck_field_handle(pc, "ptid");
    comm_field = perfcheck_field_handle(pc, "comm");
    period_field = perfcheck_field_handle(pc, "period");
    make_room();
    comm_named("?");
    if (argc != 2 || perfcheck_open_path(pc, argv[1]) != PERFCHECK_OK) {
        fprintf(stderr, "periods: %s\n", argc == 2 ? perfcheck_error(pc) : "give one capture");
        return 2;
    }
    while ((status = perfcheck_next(pc, &item)) == PERFCHECK_OK) {
        if (item->kind == PERFCHECK_RECORD && item->type == SAMPLE)
            take_sample(pc, item);
        else if (item->kind == PERFCHECK_RECORD && (item->type == COMM || item->type == FORK))
            take_task(pc, item->type);
    }
    if (perfcheck_verdict(pc) == PERFCHECK_UNREADABLE)
        fprintf(stderr, "periods: the capture was not read to its end\n");
    qsort(comm, nr_comms, sizeof(*comm), compare);
    for (size_t i = 0; i < nr_comms; i++) {
        if (comm[i].samples != 0)
            printf("%llu %llu %s\n", (unsigned long long)comm[i].period, (unsigned long long)comm[i].samples,
                   comm[i].name);
    }
    perfcheck_free(pc);
    free(comm);
    free(task);
    return status == PERFCHECK_END ? 0 : 2;
}
