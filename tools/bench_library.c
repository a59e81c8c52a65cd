/* SPDX-License-Identifier: MIT
 *
 * bench_library CAPTURE: what reading costs through libperfcheck, compared with its check of the same
 * capture: item by item, and a number by its handle and by its path. Medians of seven runs that alternate.
 */
#include <perfcheck.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { RUNS = 7, SAMPLE = 9 };
enum work { CHECK, ITEMS, HANDLES, PATHS, WORKS };
static const char *const paths[] = { "ip", "tid", "time", "period" };
enum { PATHS_NR = sizeof(paths) / sizeof(*paths) };

static uint64_t samples;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double run(const char *capture, enum work work)
{
    perfcheck_field_handle_t *field[PATHS_NR];
    const perfcheck_item_t *item;
    uint64_t number;
    perfcheck_t *pc = perfcheck_new();
    for (int i = 0; i < PATHS_NR; i++)
        field[i] = perfcheck_field_handle(pc, paths[i]);
    perfcheck_set(pc, "max-per-id", "1");
    double start = seconds();
    if (perfcheck_open_path(pc, capture) != PERFCHECK_OK) {
        fprintf(stderr, "bench_library: %s\n", perfcheck_error(pc));
        exit(2);
    }
    if (work == CHECK)
        perfcheck_check(pc);
    for (samples = 0; perfcheck_next(pc, &item) == PERFCHECK_OK;) {
        if (item->kind != PERFCHECK_RECORD || item->type != SAMPLE)
            continue;
        samples++;
        for (int i = 0; i < PATHS_NR && work == HANDLES; i++)
            perfcheck_number_of(pc, field[i], &number);
        for (int i = 0; i < PATHS_NR && work == PATHS; i++)
            perfcheck_number(pc, paths[i], &number);
    }
    double took = seconds() - start;
    perfcheck_free(pc);
    return took;
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return one < other ? -1 : one > other;
}

static void print(const char *what, double value[RUNS], const char *unit)
{
    qsort(value, RUNS, sizeof(*value), compare);
    printf("  %s: %.2f%s (%.2f to %.2f)\n", what, value[RUNS / 2], unit, value[0], value[RUNS - 1]);
}

int main(int argc, char **argv)
{
    double took[WORKS], items[RUNS], handle[RUNS], path[RUNS];
    if (argc != 2)
        return 2;
    for (int turn = -1; turn < RUNS; turn++) { /* the first one warms up */
        for (int work = 0; work < WORKS; work++)
            took[work] = run(argv[1], (enum work)work);
        double numbers = (double)(samples ? samples : 1) * PATHS_NR;
        if (turn < 0)
            continue;
        items[turn] = took[ITEMS] / took[CHECK];
        handle[turn] = 1e9 * (took[HANDLES] - took[ITEMS]) / numbers;
        path[turn] = 1e9 * (took[PATHS] - took[ITEMS]) / numbers;
    }
    print("item by item / check", items, "");
    print("a number by its handle", handle, " ns");
    print("a number by its path", path, " ns");
    return 0;
}
