/* SPDX-License-Identifier: MIT
 *
 * The command `explain`: what findings mean.
 */
#include "cli/command.h"
#include "perfcheck.h"

#include <string.h>

static void print_explanation(FILE *out, const perfcheck_finding_t *f)
{
    static const char *const severities[] = { "note", "warning", "error" };
    fprintf(out, "%s %s (%s)\n    %s\n\n   ", f->id, f->name, severities[f->severity], f->message);
    size_t column = 3;
    for (const char *word = f->explanation; *word;) {
        size_t n = strcspn(word, " ");
        if (column + 1 + n > 96) {
            fputs("\n   ", out);
            column = 3;
        }
        column += (size_t)fprintf(out, " %.*s", (int)n, word);
        word += n;
        word += *word == ' ';
    }
    fputs("\n", out);
    if (*f->not_read_by)
        fprintf(out, "    Not read by %s.\n", f->not_read_by);
}

static enum pc_status explain(perfcheck_t *pc, FILE *out, char **operand, int nr)
{
    const perfcheck_finding_t *f;
    for (int i = 0; i < nr; i++) {
        if (perfcheck_explain(pc, operand[i], 0))
            continue;
        pc_usage_error("unknown finding", operand[i]);
        return PC_STATUS_TROUBLE;
    }
    for (int i = 0; i < nr; i++) {
        fputs(i == 0 ? "" : "\n", out);
        print_explanation(out, perfcheck_explain(pc, operand[i], 0));
    }
    for (size_t i = 0; nr == 0 && (f = perfcheck_explain(pc, NULL, i)) != NULL; i++) {
        fputs(i == 0 ? "" : "\n", out);
        print_explanation(out, f);
    }
    return PC_STATUS_GOOD;
}

enum pc_status pc_command_explain(struct pc_arguments *a, char **operand, int nr)
{
    enum pc_status status = PC_STATUS_TROUBLE;
    perfcheck_t *pc = perfcheck_new();
    if (pc)
        status = explain(pc, a->printer.out, operand, nr);
    else
        fputs("perfcheck: no memory\n", a->printer.err);
    perfcheck_free(pc);
    return status;
}
