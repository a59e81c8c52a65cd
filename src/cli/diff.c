/* SPDX-License-Identifier: MIT
 *
 * The command `diff`: prints where the content of two captures differs.
 */
#include "cli/command.h"
#include "cli/option_table.h"
#include "cli/show.h"

#include <inttypes.h>
#include <stdlib.h>

#define SHOWN_MAX 10 /* differences of each kind */

/* What is printed of each kind, in this order, though records are compared first. */
struct lines {
    const char *what;
    char *text;
    size_t len;
    FILE *out;
    uint64_t nr;
};

static void on_difference(void *ctx, perfcheck_kind_t kind, const char *path, const char *a, const char *b)
{
    struct lines *lines = (struct lines *)ctx + (kind - PERFCHECK_ATTR);
    if (lines->nr++ < SHOWN_MAX)
        fprintf(lines->out, "%s: %s | %s\n", path, a, b);
}

/* Why a capture cannot be compared. */
static void say_why(const struct pc_printer *p, const char *path, perfcheck_t *pc, perfcheck_status_t status)
{
    if (status != PERFCHECK_NO_MEMORY && !pc_print_findings(p, path, pc, PERFCHECK_ERROR))
        return;
    pc_print_about(p->err, "", path, "cannot be compared",
                   status == PERFCHECK_NO_MEMORY ? "Cannot allocate memory"
                   : perfcheck_verdict(pc) == PERFCHECK_UNREADABLE
                       ? NULL
                       : "the capture has errors ('perfcheck check -v' shows all)");
}

static enum pc_status compare(struct pc_arguments *a, char **operand, struct lines *lines)
{
    perfcheck_t *pc[2] = { a->pc, a->other };
    perfcheck_status_t status[2], compared = PERFCHECK_IO;
    for (unsigned k = 0; k < 2; k++)
        status[k] = perfcheck_open_path(pc[k], operand[k]);
    if (status[0] == PERFCHECK_OK && status[1] == PERFCHECK_OK)
        compared = perfcheck_diff(pc[0], pc[1], on_difference, lines);
    for (unsigned k = 0; k < 2; k++) {
        if (*perfcheck_error(pc[k]))
            say_why(&a->printer, operand[k], pc[k], status[k] == PERFCHECK_OK ? compared : status[k]);
    }
    return compared != PERFCHECK_OK                       ? PC_STATUS_TROUBLE
           : lines[0].nr + lines[1].nr + lines[2].nr != 0 ? PC_STATUS_FINDINGS
                                                          : PC_STATUS_GOOD;
}

static bool open_lines(struct lines *lines)
{
    lines->out = open_memstream(&lines->text, &lines->len);
    return lines->out != NULL;
}

/* Whether there was memory for all of them. */
static bool close_lines(struct lines *lines)
{
    bool whole = lines->out && !ferror(lines->out);
    return (!lines->out || fclose(lines->out) == 0) && whole && lines->text;
}

/* Prints them, unless out is NULL. */
static void end_lines(struct lines *lines, FILE *out)
{
    if (out) {
        fwrite(lines->text, 1, lines->len, out);
        if (lines->nr > SHOWN_MAX)
            fprintf(out, "%" PRIu64 " more %s differ\n", lines->nr - SHOWN_MAX, lines->what);
    }
    free(lines->text);
}

enum pc_status pc_command_diff(struct pc_arguments *a, char **operand, int nr)
{
    struct lines lines[] = { { .what = "attrs" }, { .what = "features" }, { .what = "records" } };
    (void)nr;
    bool made = open_lines(&lines[0]);
    made = open_lines(&lines[1]) && made;
    made = open_lines(&lines[2]) && made;
    enum pc_status status = made ? compare(a, operand, lines) : PC_STATUS_TROUBLE;
    made = close_lines(&lines[0]) && made;
    made = close_lines(&lines[1]) && made;
    made = close_lines(&lines[2]) && made;
    if (!made) {
        status = PC_STATUS_TROUBLE;
        pc_no_memory();
    }
    FILE *out = status == PC_STATUS_FINDINGS ? a->printer.out : NULL;
    end_lines(&lines[0], out);
    end_lines(&lines[1], out);
    end_lines(&lines[2], out);
    return status;
}
