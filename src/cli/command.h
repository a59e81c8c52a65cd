/* SPDX-License-Identifier: MIT
 *
 * command.h: what a command is. Each has a file of its own, and a row in main.c.
 */
#ifndef PC_COMMAND_H
#define PC_COMMAND_H

#include "cli/arguments.h"

struct pc_command {
    const char *name;
    const char *operands; /* as --help shows them; those of least and most */
    int least, most;      /* how many; most is 0: any number */
    int unread;           /* so many of them, the last, are no captures that are read; INT_MAX: all */
    bool many;            /* they are any number of captures: directories of them, lists of names */
    const char *doing;    /* what progress is about; NULL: what the library says */
    const char *summary;  /* a line of `perfcheck --help` */
    const char *about;    /* what `perfcheck COMMAND --help` says after the options; "": nothing */
    /* Returns the exit status. operand: nr of them, as many as it may have. */
    enum pc_status (*run)(struct pc_arguments *arguments, char **operand, int nr);
};

enum pc_status pc_command_check(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_info(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_report(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_dump(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_tables(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_rewrite(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_split(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_join(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_digest(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_diff(struct pc_arguments *arguments, char **operand, int nr);
enum pc_status pc_command_explain(struct pc_arguments *arguments, char **operand, int nr);

#endif
