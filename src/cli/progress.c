/* SPDX-License-Identifier: MIT
 *
 * The line on a terminal that shows how far long work is.
 */
#include "cli/progress.h"

#include <inttypes.h>

#define FIRST 0.5 /* seconds */
#define EVERY 0.1

static double seconds_since(const struct timespec *then, const struct timespec *now)
{
    return (double)(now->tv_sec - then->tv_sec) + 1e-9 * (double)(now->tv_nsec - then->tv_nsec);
}

void pc_progress_text(char text[PC_PROGRESS_TEXT], const char *doing, uint64_t done, uint64_t total,
                      double elapsed)
{
    const double mib = 1 << 20;
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    done = total != 0 && done > total ? total : done; /* some bytes are read twice */
    if (total == 0) {
        snprintf(text, PC_PROGRESS_TEXT, "%s: %.1f MiB, %.0f MiB/s", doing, (double)done / mib, rate / mib);
        return;
    }
    double left = rate > 0 ? (double)(total - done) / rate : 0;
    left = left < 359999 ? left : 359999; /* 99:59:59 */
    uint64_t s = (uint64_t)(left + 0.5);
    int n = snprintf(text, PC_PROGRESS_TEXT, "%s: %.1f of %.1f MiB (%d%%), %.0f MiB/s, ", doing,
                     (double)done / mib, (double)total / mib, (int)(100.0 * (double)done / (double)total),
                     rate / mib);
    if (n < 0 || n >= PC_PROGRESS_TEXT)
        return;
    if (s >= 3600)
        snprintf(text + n, PC_PROGRESS_TEXT - (size_t)n, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
                 s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text + n, PC_PROGRESS_TEXT - (size_t)n, "%" PRIu64 ":%02" PRIu64 " left", s / 60, s % 60);
}

static void show(struct pc_progress_line *line, const char *doing, uint64_t done, uint64_t total)
{
    struct timespec now;
    char text[PC_PROGRESS_TEXT], numbered[PC_PROGRESS_TEXT];
    if (!line->begun || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    if (seconds_since(line->of ? &line->first : &line->start, &now) < FIRST ||
        seconds_since(&line->last, &now) < EVERY)
        return;
    if (line->of) {
        snprintf(numbered, sizeof(numbered), "%s %d of %d", doing, line->number, line->of);
        doing = numbered;
    }
    if (done != 0)
        pc_progress_text(text, doing, done, total, seconds_since(&line->start, &now));
    else
        snprintf(text, sizeof(text), "%s", doing);
    fprintf(line->out, "\r%s\033[K", text);
    fflush(line->out);
    line->last = now;
    line->shown = true;
}

static void begin(struct pc_progress_line *line, const char *doing)
{
    bool is_first = line->start.tv_sec == 0 && line->start.tv_nsec == 0;
    line->begun = clock_gettime(CLOCK_MONOTONIC, &line->start) == 0;
    if (is_first)
        line->first = line->start;
    if (line->of)
        show(line, doing, 0, 0); /* it may be so small that nothing is told until its end */
}

/* Takes the line away, before anything else is printed. */
static void end(struct pc_progress_line *line)
{
    if (line->shown) {
        fputs("\r\033[K", line->out);
        fflush(line->out);
    }
    line->begun = line->shown = false;
}

int pc_progress_line_tell(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    struct pc_progress_line *line = ctx;
    const char *shown = doing && line->doing ? line->doing : doing;
    if (doing && done != 0) {
        show(line, shown, done, total);
        return 0;
    }
    end(line);
    if (doing)
        begin(line, shown);
    return 0;
}
