/* SPDX-License-Identifier: MIT
 *
 * What commands share.
 */
#include "cli/command.h"

#include <unistd.h>

void pc_command_show_progress(struct pc_arguments *a)
{
    if (a->no_progress || a->printer.quiet || !isatty(STDERR_FILENO))
        return;
    pc_progress_line_init(&a->progress, stderr);
    a->printer.progress = a->chosen.rewrite.progress = &a->progress.progress;
}

struct pc_scan *pc_command_begin_scan(struct pc_arguments *a, const char *doing)
{
    static struct pc_scan scan; /* too large for the stack */
    pc_scan_init(&scan, &a->chosen.policy, &a->chosen.limits);
    scan.progress = a->printer.progress;
    pc_progress_begin(scan.progress, doing);
    return &scan;
}

void pc_command_end_scan(struct pc_scan *scan)
{
    pc_progress_end(scan->progress);
    pc_scan_clear(scan);
}

enum pc_status pc_command_status_shown(const struct pc_scan *scan)
{
    if (scan->report.unreadable)
        return PC_STATUS_TROUBLE;
    return scan->recognised ? PC_STATUS_GOOD : PC_STATUS_FINDINGS;
}
