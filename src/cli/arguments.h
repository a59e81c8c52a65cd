/* SPDX-License-Identifier: MIT
 *
 * arguments.h: the options of all commands as the command line and --help show them. What most of them mean
 * is in lib/options.h.
 */
#ifndef PC_ARGUMENTS_H
#define PC_ARGUMENTS_H

#include "cli/print.h"
#include "cli/progress.h"
#include "lib/options.h"

/* The rows of the table in arguments.c, in the order in which --help shows them. Two options of one name
 * belong to different commands. */
enum pc_option {
    PC_OPT_FORMAT_CHECK,
    PC_OPT_FORMAT_INFO,
    PC_OPT_FORMAT_DUMP,
    PC_OPT_FAIL_ON,
    PC_OPT_MAX_PER_ID,
    PC_OPT_FOR_CHECK,
    PC_OPT_DISABLE,
    PC_OPT_SEVERITY,
    PC_OPT_BYTE_ORDER,
    PC_OPT_TO,
    PC_OPT_FOR_COPY,
    PC_OPT_COMPRESS,
    PC_OPT_DECOMPRESS,
    PC_OPT_DROP,
    PC_OPT_FORCE_FILE,
    PC_OPT_FORCE_DIRECTORY,
    PC_OPT_NO_VERIFY,
    PC_OPT_NO_PROGRESS,
    PC_OPT_MAX_MEMORY,
    PC_OPT_MAX_SPOOL,
    PC_OPT_MAX_INFLATED,
    PC_OPT_VERBOSE,
    PC_OPT_QUIET,
    PC_OPTIONS
};

/* A set of options, as a command has it. */
#define PC_OPT(name) (1U << PC_OPT_##name)

#define PC_LIMIT_OPTIONS (PC_OPT(NO_PROGRESS) | PC_OPT(MAX_MEMORY) | PC_OPT(MAX_SPOOL) | PC_OPT(MAX_INFLATED))

#define PC_COPY_OPTIONS                                                                                      \
    (PC_OPT(BYTE_ORDER) | PC_OPT(FOR_COPY) | PC_OPT(COMPRESS) | PC_OPT(DECOMPRESS) | PC_OPT(DROP) |          \
     PC_OPT(NO_VERIFY) | PC_LIMIT_OPTIONS)

struct pc_arguments {
    struct pc_options chosen; /* options of the library */
    struct pc_printer printer;
    enum pc_severity fail_on;
    bool no_progress, help, version;
    struct pc_progress_line progress;
};

/* Reads the options of a command line, whose first word is not looked at, into *arguments, which must stay
 * where they are. allowed: PC_OPT() of those that the command takes; all take --help and --version. Operands
 * move to the end; returns the index of the first one, or -1 after reporting what is wrong. */
int pc_arguments_read(struct pc_arguments *arguments, uint32_t allowed, int argc, char **argv);
void pc_arguments_clear(struct pc_arguments *arguments);

/* Prints a line or two about each of the allowed options. */
void pc_arguments_help(FILE *out, uint32_t allowed);

/* Reports a mistake on the command line: "perfcheck: what value (try 'perfcheck --help')". value: NULL: none.
 */
void pc_usage_error(const char *what, const char *value);

#endif
