/* SPDX-License-Identifier: MIT
 *
 * The command `explain`: what findings mean.
 */
#include "cli/command.h"
#include "cli/show.h"

#include <string.h>

static void print_explanation(FILE *out, enum pc_diag id)
{
    const struct pc_diag_info *info = pc_diag_info(id);
    struct pc_buffer message = { .len = 0 };
    pc_put_template(&message, info);
    fprintf(out, "%s %s (%s)\n    %s\n\n   ", info->id, info->name, pc_severity_name(info->severity),
            message.text);
    size_t column = 3;
    for (const char *word = info->explanation; *word;) {
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
    const char *between = "    Not read by ";
    for (unsigned version = PC_BY_5_10; version <= PC_BY_7_2; version <<= 1) {
        if (!(info->refused & version))
            continue;
        fprintf(out, "%s%s", between, pc_version_name((enum pc_versions)version));
        between = ", ";
    }
    fputs(info->refused != PC_BY_NONE ? ".\n" : "", out);
}

enum pc_status pc_command_explain(struct pc_arguments *a, char **operand, int nr)
{
    FILE *out = a->printer.out;
    for (int i = 0; i < nr; i++) {
        if (pc_diag_find(operand[i]) != PC_NO_DIAG)
            continue;
        pc_usage_error("unknown finding", operand[i]);
        return PC_STATUS_TROUBLE;
    }
    for (int i = 0; i < nr; i++) {
        fputs(i == 0 ? "" : "\n", out);
        print_explanation(out, pc_diag_find(operand[i]));
    }
    for (int id = 1; nr == 0 && id < PC_DIAG_COUNT; id++) {
        fputs(id == 1 ? "" : "\n", out);
        print_explanation(out, (enum pc_diag)id);
    }
    return PC_STATUS_GOOD;
}
