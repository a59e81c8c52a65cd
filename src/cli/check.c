/* SPDX-License-Identifier: MIT
 *
 * The command `check`: whether captures are valid.
 */
#include "cli/command.h"
#include "cli/show.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Several threads: each takes the next capture, and prints it when all before it are printed. */
struct work {
    struct pc_arguments *arguments;
    char **path;
    int nr, next, printed;
    enum pc_status status;
    uint64_t verdicts[PERFCHECK_UNREADABLE + 1]; /* how many captures have each */
    pthread_mutex_t lock;
    pthread_cond_t turn; /* `printed` has changed */
};

static enum pc_status status_of(perfcheck_t *pc, perfcheck_severity_t fail_on)
{
    enum pc_status status = pc_status_shown(pc);
    for (int severity = PERFCHECK_ERROR; severity >= (int)fail_on && status == PC_STATUS_GOOD; severity--) {
        if (perfcheck_count(pc, (perfcheck_severity_t)severity) != 0)
            status = PC_STATUS_FINDINGS;
    }
    return status;
}

/* What the baseline accepts is not known. */
static void fail_one(struct work *work, const char *path)
{
    struct pc_printer *printer = &work->arguments->printer;
    pc_print_about(printer->err, "cannot check ", path, "no memory", NULL);
    printer->trouble = true;
    work->verdicts[PERFCHECK_UNREADABLE]++;
    work->status = PC_STATUS_TROUBLE;
}

static void report_one(struct work *work, perfcheck_t *pc, const char *path)
{
    struct pc_arguments *a = work->arguments;
    perfcheck_verdict_t verdict = perfcheck_verdict(pc);
    enum pc_status status = status_of(pc, a->fail_on);
    if (!a->only || strcmp(a->only, pc_verdict_name(verdict)) == 0)
        pc_print_check(&a->printer, path, pc);
    if (a->write_baseline)
        pc_baseline_put(&a->baseline, pc, path);
    if (!a->printer.quiet)
        pc_print_live(&a->printer, path, pc);
    work->verdicts[verdict]++;
    a->printer.trouble |= status == PC_STATUS_TROUBLE; /* also of a capture that --only hides */
    if (status > work->status)
        work->status = status;
}

static void check_all(struct work *work, perfcheck_t *pc)
{
    enum pc_format format = work->arguments->printer.format;
    if (format == PC_FORMAT_JSON || format == PC_FORMAT_JSONL)
        perfcheck_set(pc, "readers", NULL);
    pthread_mutex_lock(&work->lock);
    while (work->next < work->nr) {
        int mine = work->next++;
        pthread_mutex_unlock(&work->lock);
        if (pc == work->arguments->pc && work->nr > 1) { /* the only one that shows progress */
            work->arguments->progress.number = mine + 1;
            work->arguments->progress.of = work->nr;
        }
        perfcheck_close(pc);
        bool good = pc_baseline_tell(&work->arguments->baseline, work->path[mine], pc);
        if (good) {
            perfcheck_open_path(pc, work->path[mine]);
            perfcheck_check(pc);
        }
        pthread_mutex_lock(&work->lock);
        while (work->printed != mine)
            pthread_cond_wait(&work->turn, &work->lock);
        if (good)
            report_one(work, pc, work->path[mine]);
        else
            fail_one(work, work->path[mine]);
        work->printed++;
        pthread_cond_broadcast(&work->turn);
    }
    pthread_mutex_unlock(&work->lock);
}

static void *check_on_thread(void *ctx)
{
    struct work *work = ctx;
    perfcheck_t *pc = pc_arguments_new_handle(work->arguments);
    if (pc)
        check_all(work, pc); /* without memory for it the other threads do the work */
    perfcheck_free(pc);
    return NULL;
}

/* Checks all with the threads that --jobs asks for; this one is one of them. */
static void run(struct work *work)
{
    pthread_t thread[PC_JOBS_MAX];
    int nr = 0;
    while (nr + 1 < work->arguments->jobs && nr + 1 < work->nr &&
           pthread_create(&thread[nr], NULL, check_on_thread, work) == 0)
        nr++;
    check_all(work, work->arguments->pc);
    while (nr > 0)
        pthread_join(thread[--nr], NULL);
}

static void print_totals(FILE *out, const struct work *work)
{
    fprintf(out, "%d captures", work->nr);
    pc_print_verdicts(out, work->verdicts);
    fputc('\n', out);
}

static bool wants_colour(const struct pc_arguments *a)
{
    const char *no_colour = getenv("NO_COLOR");
    if (a->colour != PC_COLOUR_AUTO)
        return a->colour == PC_COLOUR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
}

static void say_accepted(const struct pc_arguments *a)
{
    char what[80];
    snprintf(what, sizeof(what), "%saccepts %" PRIu64 " finding%s from now on",
             a->baseline.is_there ? "replaced; it " : "", a->baseline.accepted,
             pc_plural(a->baseline.accepted));
    pc_print_about(a->printer.err, "", a->baseline_path, what, NULL);
}

enum pc_status pc_command_check(struct pc_arguments *a, char **operand, int nr)
{
    struct work work = { .arguments = a,
                         .path = operand,
                         .nr = nr,
                         .lock = PTHREAD_MUTEX_INITIALIZER,
                         .turn = PTHREAD_COND_INITIALIZER };
    a->printer.notes |= a->fail_on == PERFCHECK_NOTE;
    a->printer.colour = wants_colour(a);
    if (a->write_baseline && !pc_baseline_create(&a->baseline, a->baseline_path, a->force, operand, nr))
        return PC_STATUS_TROUBLE;
    pc_print_begin(&a->printer);
    run(&work);
    pc_print_end(&a->printer);
    if (!pc_baseline_finish(&a->baseline, a->baseline_path, work.verdicts[PERFCHECK_UNREADABLE]))
        work.status = PC_STATUS_TROUBLE;
    else if (a->write_baseline && !a->printer.quiet)
        say_accepted(a);
    if (nr > 1 && a->printer.format == PC_FORMAT_TEXT && !a->printer.quiet)
        print_totals(a->printer.out, &work);
    return work.status;
}
