/* SPDX-License-Identifier: MIT */
#include "base/progress.h"

#include <inttypes.h>

#define FIRST 0.5 /* seconds */
#define EVERY 0.1

static double seconds_since(const struct timespec *then, const struct timespec *now)
{
    return (double)(now->tv_sec - then->tv_sec) + 1e-9 * (double)(now->tv_nsec - then->tv_nsec);
}

void pc_progress_line(char line[PC_PROGRESS_LINE], const char *doing, uint64_t done, uint64_t total,
                      double elapsed)
{
    const double mib = 1 << 20;
    double rate = elapsed > 0 ? (double)done / elapsed : 0;
    done = total != 0 && done > total ? total : done; /* some bytes are read twice */
    if (total == 0) {
        snprintf(line, PC_PROGRESS_LINE, "%s: %.1f MiB, %.0f MiB/s", doing, (double)done / mib, rate / mib);
        return;
    }
    double left = rate > 0 ? (double)(total - done) / rate : 0;
    left = left < 359999 ? left : 359999; /* 99:59:59 */
    uint64_t s = (uint64_t)(left + 0.5);
    int n = snprintf(line, PC_PROGRESS_LINE, "%s: %.1f of %.1f MiB (%d%%), %.0f MiB/s, ", doing,
                     (double)done / mib, (double)total / mib, (int)(100.0 * (double)done / (double)total),
                     rate / mib);
    if (n < 0 || n >= PC_PROGRESS_LINE)
        return;
    if (s >= 3600)
        snprintf(line + n, PC_PROGRESS_LINE - (size_t)n, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64 " left",
                 s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(line + n, PC_PROGRESS_LINE - (size_t)n, "%" PRIu64 ":%02" PRIu64 " left", s / 60, s % 60);
}

void pc_progress_begin(struct pc_progress *p, const char *doing)
{
    if (!p)
        return;
    pc_progress_end(p);
    p->doing = doing;
    p->begun = clock_gettime(CLOCK_MONOTONIC, &p->start) == 0;
}

void pc_progress_show(struct pc_progress *p, uint64_t done, uint64_t total)
{
    struct timespec now;
    char line[PC_PROGRESS_LINE];
    if (!p || !p->begun || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return;
    double elapsed = seconds_since(&p->start, &now);
    if (elapsed < FIRST || (p->shown && seconds_since(&p->last, &now) < EVERY))
        return;
    pc_progress_line(line, p->doing, done, total, elapsed);
    fprintf(p->out, "\r%s\033[K", line);
    fflush(p->out);
    p->last = now;
    p->shown = true;
}

void pc_progress_end(struct pc_progress *p)
{
    if (!p)
        return;
    if (p->shown) {
        fputs("\r\033[K", p->out);
        fflush(p->out);
    }
    p->begun = p->shown = false;
}
