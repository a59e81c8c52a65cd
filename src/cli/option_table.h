/* SPDX-License-Identifier: MIT
 *
 * option_table.h: the options of all commands, one row each.
 */
#ifndef PC_OPTION_TABLE_H
#define PC_OPTION_TABLE_H

#include "cli/arguments.h"

struct pc_option_row {
    const char *name;
    const char *commands; /* that have it: words with | between them */
    const char *argument; /* NULL: none; "[...]": optional; words with | are all that it may be */
    const char *help;
    char letter; /* 0: there is no short form */
    /* NULL: the library knows the option by its name. */
    bool (*take)(struct pc_arguments *arguments, const struct pc_option_row *row, const char *value);
    size_t member; /* what take_flag and take_text set: its place in the arguments */
};

/* In the order in which --help shows them. */
extern const struct pc_option_row pc_option_rows[];
extern const size_t pc_nr_options;

/* Options that all commands have, in the command line alone. */
enum { PC_OPTION_HELP, PC_OPTION_VERSION, PC_COMMON_OPTIONS };
extern const struct pc_option_row pc_common_rows[PC_COMMON_OPTIONS];

/* The row of an option of the command; NULL: it has none of this name. */
const struct pc_option_row *pc_option_named(const char *command, const char *name);

/* Takes the value that was given. False: it is not right, which was reported. */
bool pc_option_take(struct pc_arguments *arguments, const struct pc_option_row *row, const char *value);

/* Whether texts of findings are told as they are in this form. */
bool pc_format_keeps_controls(enum pc_format format);

/* Reports that there is no memory. Returns false. */
bool pc_no_memory(void);

/* As pc_usage_error. like: what was probably meant; NULL: nobody knows. */
void pc_usage_error_like(const struct pc_arguments *arguments, const char *what, const char *value,
                         const char *like);

#endif
