/* SPDX-License-Identifier: MIT
 *
 * The commands that write a copy: rewrite, split, join.
 */
#include "cli/command.h"
#include "cli/signals.h"
#include "write/bundle.h"

static_assert((int)PC_WRITTEN == PC_STATUS_GOOD && (int)PC_REFUSED == PC_STATUS_FINDINGS &&
                  (int)PC_TROUBLE == PC_STATUS_TROUBLE,
              "outcomes are exit statuses");

static void begin(struct pc_arguments *a)
{
    pc_catch_signals();
    pc_command_show_progress(a);
}

enum pc_status pc_command_rewrite(struct pc_arguments *a, char **operand, int nr)
{
    const struct pc_rewrite *r = &a->chosen.rewrite;
    (void)nr;
    begin(a);
    if (r->to == PC_TO_DIRECTORY || (r->to == PC_TO_KEEP && pc_bundle_is_directory(operand[0])))
        return (enum pc_status)pc_bundle_join(r, operand[0], NULL, 0, operand[1]);
    return (enum pc_status)pc_rewrite_path(r, operand[0], operand[1]);
}

enum pc_status pc_command_split(struct pc_arguments *a, char **operand, int nr)
{
    (void)nr;
    begin(a);
    return (enum pc_status)pc_bundle_split(&a->chosen.rewrite, operand[0], operand[1]);
}

enum pc_status pc_command_join(struct pc_arguments *a, char **operand, int nr)
{
    begin(a);
    return (enum pc_status)pc_bundle_join(&a->chosen.rewrite, operand[0], operand + 1, (size_t)nr - 2,
                                          operand[nr - 1]);
}
