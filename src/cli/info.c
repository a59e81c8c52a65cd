/* SPDX-License-Identifier: MIT
 *
 * The command `info`: what a capture is, in one screen.
 */
#include "cli/command.h"

enum pc_status pc_command_info(struct pc_arguments *a, char **operand, int nr)
{
    (void)nr;
    pc_command_show_progress(a);
    struct pc_scan *scan = pc_command_begin_scan(a, "reading");
    pc_scan_path(scan, operand[0]);
    pc_print_info(&a->printer, operand[0], scan);
    enum pc_status status = pc_command_status_shown(scan);
    pc_command_end_scan(scan);
    return status;
}
