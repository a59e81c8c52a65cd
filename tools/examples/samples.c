/* SPDX-License-Identifier: MIT
 *
 * samples: prints the ip of every SAMPLE, and the comm of its task. A task has the comm of its last COMM
 * record or, before that, the one of the task that made it (FORK).
 *
 *     cc samples.c $(pkg-config --cflags --libs perfcheck) -o samples
 *     ./samples perf.data
 */
#include <perfcheck.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct task {
    uint64_t tid;
    char comm[80];
};

struct tasks {
    struct task *task;
    size_t nr;
};

static const char *comm_of(const struct tasks *tasks, uint64_t tid)
{
    for (size_t i = 0; i < tasks->nr; i++) {
        if (tasks->task[i].tid == tid)
            return tasks->task[i].comm;
    }
    return "?";
}

static void set_comm(struct tasks *tasks, uint64_t tid, const char *comm)
{
    size_t i = 0;
    while (i < tasks->nr && tasks->task[i].tid != tid)
        i++;
    if (i == tasks->nr) {
        struct task *more = realloc(tasks->task, (i + 1) * sizeof(*more));
        if (!more)
            exit(2);
        tasks->task = more;
        tasks->task[tasks->nr++].tid = tid;
    }
    snprintf(tasks->task[i].comm, sizeof(tasks->task[i].comm), "%s", comm);
}

static void take_record(perfcheck_t *pc, struct tasks *tasks, const char *type)
{
    char comm[sizeof(tasks->task->comm)];
    uint64_t tid, ptid, ip;
    if (perfcheck_number(pc, "tid", &tid) != PERFCHECK_OK)
        return;
    if (strcmp(type, "COMM") == 0 && perfcheck_text(pc, "comm")) {
        set_comm(tasks, tid, perfcheck_text(pc, "comm"));
    } else if (strcmp(type, "FORK") == 0 && perfcheck_number(pc, "ptid", &ptid) == PERFCHECK_OK) {
        snprintf(comm, sizeof(comm), "%s", comm_of(tasks, ptid));
        set_comm(tasks, tid, comm);
    } else if (strcmp(type, "SAMPLE") == 0 && perfcheck_number(pc, "ip", &ip) == PERFCHECK_OK) {
        printf("0x%llx %s\n", (unsigned long long)ip, comm_of(tasks, tid));
    }
}

int main(int argc, char **argv)
{
    struct tasks tasks = { NULL, 0 };
    const perfcheck_item_t *item;
    perfcheck_t *pc = perfcheck_new();
    if (argc != 2 || perfcheck_open_path(pc, argv[1]) != PERFCHECK_OK) {
        fprintf(stderr, "samples: %s\n", argc == 2 ? perfcheck_error(pc) : "give one capture");
        return 2;
    }
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (item->kind == PERFCHECK_RECORD)
            take_record(pc, &tasks, item->name);
    }
    perfcheck_free(pc);
    free(tasks.task);
    return 0;
}
