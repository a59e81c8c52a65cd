/* SPDX-License-Identifier: MIT
 *
 * The command `check`: whether captures are valid.
 */
#include "cli/command.h"

#include <stdlib.h>
#include <unistd.h>

static enum pc_status status_of(const struct pc_arguments *a, const struct pc_scan *scan)
{
    if (pc_scan_verdict(scan) == PC_UNREADABLE)
        return PC_STATUS_TROUBLE;
    for (int severity = PC_ERROR; severity >= (int)a->fail_on; severity--) {
        if (scan->report.by_severity[severity] != 0)
            return PC_STATUS_FINDINGS;
    }
    return scan->recognised ? PC_STATUS_GOOD : PC_STATUS_FINDINGS;
}

static enum pc_status check_one(struct pc_arguments *a, const char *path)
{
    struct pc_scan *scan = pc_command_begin_scan(a, "checking");
    pc_scan_path(scan, path);
    pc_print_check(&a->printer, path, scan);
    enum pc_status status = status_of(a, scan);
    pc_command_end_scan(scan);
    return status;
}

enum pc_status pc_command_check(struct pc_arguments *a, char **operand, int nr)
{
    const char *no_colour = getenv("NO_COLOR");
    enum pc_status status = PC_STATUS_GOOD;
    a->printer.notes |= a->fail_on == PC_NOTE;
    a->printer.colour = isatty(STDOUT_FILENO) && !(no_colour && *no_colour);
    pc_command_show_progress(a);
    pc_print_begin(&a->printer);
    for (int i = 0; i < nr; i++) {
        enum pc_status one = check_one(a, operand[i]);
        status = one > status ? one : status;
    }
    pc_print_end(&a->printer);
    return status;
}
