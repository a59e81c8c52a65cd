/* SPDX-License-Identifier: MIT
 *
 * command.h: what a command is. Each has a file of its own, and a row in main.c.
 */
#ifndef PC_COMMAND_H
#define PC_COMMAND_H

#include "check/scan.h"
#include "cli/arguments.h"

enum pc_status {
    PC_STATUS_GOOD,
    PC_STATUS_FINDINGS, /* also: refused, different, no capture */
    PC_STATUS_TROUBLE,  /* the work could not be done */
};

struct pc_command {
    const char *name;
    const char *operands; /* as --help shows them; those of least and most */
    int least, most;      /* how many; most is 0: any number */
    int unread;           /* so many of them, the last, are no captures that are read; INT_MAX: all */
    uint32_t options;     /* PC_OPT() of those that it takes */
    const char *summary;  /* a line of `perfcheck --help` */
    const char *about;    /* what `perfcheck COMMAND --help` says after the options; "": nothing */
    /* Returns the exit status. operand: nr of them, as many as it may have. */
    enum pc_status (*run)(struct pc_arguments *arguments, char **operand, int nr);
};

enum pc_status pc_command_check(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_info(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_dump(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_rewrite(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_split(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_join(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_digest(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_diff(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_explain(struct pc_arguments *arguments, char **operand, int nr);

/* --- what commands share --- */

/* Progress is shown on a terminal from now on, when the options allow it. */
void pc_command_show_progress(struct pc_arguments *arguments);

/* A scan that is ready to begin. There is one, so it ends with pc_command_end_scan before the next. doing:
 * what progress is about. */
struct pc_scan *pc_command_begin_scan(struct pc_arguments *arguments, const char *doing);
void pc_command_end_scan(struct pc_scan *scan);

/* The status of a command that shows a capture: good also for a damaged one. */
enum pc_status pc_command_status_shown(const struct pc_scan *scan);

#endif
