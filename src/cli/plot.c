/* SPDX-License-Identifier: MIT */
#include "cli/plot.h"
#include "cli/show.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define LABEL  12 /* columns, as in the rest of what `info` prints */
#define LEVELS 8
#define NARROW 20 /* less is no plot */
#define ROWS   32

/* What is drawn: a point is so many buckets. */
struct plot {
    FILE *out;
    const struct pc_survey *survey;
    size_t column;
    uint64_t buckets, points, most;
    bool utf8;
};

/* The locale as the environment names it. Nothing is read for it: this process opens no file. */
static bool is_utf8(void)
{
    static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
    const char *locale = NULL;
    for (size_t i = 0; i < 3 && (!locale || !*locale); i++)
        locale = getenv(names[i]);
    const char *set = locale ? strchr(locale, '.') : NULL;
    return set && (strncasecmp(set + 1, "UTF-8", 5) == 0 || strncasecmp(set + 1, "utf8", 4) == 0);
}

struct pc_plot_style pc_plot_style_of(FILE *out)
{
    struct winsize size;
    bool is_known = ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col != 0;
    return (struct pc_plot_style){ is_known ? size.ws_col : 80, is_utf8() };
}

static uint64_t amount(const struct plot *p, size_t cpu, size_t column, uint64_t point)
{
    uint64_t sum = 0, first = p->survey->times.first + point * p->buckets;
    for (uint64_t n = first; n < first + p->buckets && n <= p->survey->times.last; n++)
        sum += pc_survey_shown(p->survey, cpu, column, n);
    return sum;
}

/* So many points are left without the empty ones at the end of a row. */
static uint64_t end_of(const struct plot *p, size_t cpu, size_t column)
{
    uint64_t end = p->points;
    while (end > 0 && amount(p, cpu, column, end - 1) == 0)
        end--;
    return end;
}

/* Something is never nothing. */
static void print_point(const struct plot *p, uint64_t n)
{
    static const char *const utf8[LEVELS + 1] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
    static const char ascii[] = " .:-=+*#@";
    size_t level = n == 0         ? 0
                   : n >= p->most ? LEVELS
                                  : 1 + (size_t)((double)n / (double)p->most * (LEVELS - 1));
    if (p->utf8)
        fputs(utf8[level], p->out);
    else
        fputc(ascii[level], p->out);
}

static void print_row(const struct plot *p, size_t cpu, bool is_only)
{
    const struct pc_cpu_facts *facts = &p->survey->cpus[cpu];
    char label[32];
    snprintf(label, sizeof(label), "cpu %" PRIu64, facts->cpu);
    fprintf(p->out, "  %-*s", LABEL - 2,
            cpu >= PC_CPU_FIRST    ? label
            : cpu == PC_CPU_OTHERS ? "others"
            : is_only              ? "all"
                                   : "no cpu");
    uint64_t end = end_of(p, cpu, p->column);
    for (uint64_t i = 0; i < end; i++)
        print_point(p, amount(p, cpu, p->column, i));
    fputc('\n', p->out);
    if (facts->sum[PC_TIME_LOST] == 0)
        return;
    fprintf(p->out, "  %-*s", LABEL - 2, "  lost");
    end = end_of(p, cpu, PC_TIME_LOST);
    for (uint64_t i = 0; i < end; i++)
        fputc(amount(p, cpu, PC_TIME_LOST, i) != 0 ? 'x' : ' ', p->out);
    fputc('\n', p->out);
}

static void print_head(const struct plot *p)
{
    const struct pc_buckets *times = &p->survey->times;
    fprintf(p->out, "%-*s%s from ", LABEL, "plot", p->column == PC_TIME_SAMPLES ? "samples" : "records");
    pc_print_seconds(p->out, times->first << times->shift);
    fputs(", ", p->out);
    pc_print_seconds(p->out, p->buckets << times->shift);
    fprintf(p->out, " in a column, at most %" PRIu64 "\n", p->most);
}

void pc_plot_print(FILE *out, const struct pc_survey *s, struct pc_plot_style style)
{
    struct plot p = { .out = out, .survey = s, .column = PC_TIME_OTHERS, .utf8 = style.utf8 };
    size_t cpus[PC_CPU_PLACES], nr = pc_survey_cpus(s, cpus);
    uint64_t wide = style.width < LABEL + NARROW ? NARROW : style.width - LABEL;
    if (!s->times.any) {
        fprintf(out, "%-*sno record has a time\n", LABEL, "plot");
        return;
    }
    uint64_t all = s->times.last - s->times.first + 1;
    p.buckets = (all + wide - 1) / wide;
    p.points = (all + p.buckets - 1) / p.buckets;
    for (size_t i = 0; i < nr; i++)
        p.column = s->cpus[cpus[i]].sum[PC_TIME_SAMPLES] != 0 ? PC_TIME_SAMPLES : p.column;
    for (size_t i = 0; i < nr; i++) {
        for (uint64_t k = 0; k < p.points; k++) {
            uint64_t one = amount(&p, cpus[i], p.column, k);
            p.most = one > p.most ? one : p.most;
        }
    }
    print_head(&p);
    for (size_t i = 0; i < nr && i < ROWS; i++)
        print_row(&p, cpus[i], nr == 1);
    if (nr > ROWS)
        fprintf(out, "  and %zu more\n", nr - ROWS);
}
