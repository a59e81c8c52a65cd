/* SPDX-License-Identifier: MIT
 *
 * arguments.h: the options of all commands as the command line and --help show them. perfcheck.h says what
 * most of them mean.
 */
#ifndef PC_ARGUMENTS_H
#define PC_ARGUMENTS_H

#include "cli/baseline.h"
#include "cli/captures.h"
#include "cli/policy.h"
#include "cli/print.h"
#include "cli/progress.h"

#define PC_JOBS_MAX    256
#define PC_OPTIONS_MAX 96

struct pc_option_row;

struct pc_arguments {
    perfcheck_t *pc, *other; /* `other` is for the second capture of diff */
    const char *command;     /* its name */
    struct pc_printer printer;
    perfcheck_severity_t fail_on;
    struct pc_captures captures;      /* of commands that take many */
    const char *table, *table_format; /* of tables; NULL: not given */
    const char *symbols;              /* tables: the folder of binaries; NULL: none */
    const char *output;               /* of report and tables; NULL: none was named */
    const char *only;                 /* the verdict of captures that are shown; NULL: all */
    enum { PC_COLOUR_AUTO, PC_COLOUR_ALWAYS, PC_COLOUR_NEVER } colour;
    int jobs;     /* threads that check captures */
    bool compare; /* digest --check */
    bool plot;    /* info */
    bool force;   /* report, tables: the output is replaced */
    bool all, no_progress, show_policy, help, version;
    struct pc_progress_line progress;
    /* Options that count, in the order in which they were read. */
    struct pc_taken_option {
        const struct pc_option_row *row;
        const char *value;
        const struct pc_policy_file *file; /* the policy or profile that has it; NULL: none */
        unsigned line;                     /* of it */
        bool of_environment;
    } * taken;
    size_t nr_taken, room;
    char note[256];          /* how one of them was taken; "": as it was given */
    const char *policy_path; /* --policy; NULL: perfcheck.toml is looked for */
    bool no_policy;
    bool has_profile[PC_PROFILES];
    struct pc_policy_file policy, profile[PC_PROFILES];
    const struct pc_policy_file *reading; /* one of these; NULL: the environment or the command line */
    unsigned line;                        /* of it */
    char *environment;                    /* the words of PERFCHECK_OPTS */
    const char *baseline_path;
    bool write_baseline;
    struct pc_baseline baseline;
    char place[300];          /* the line of the policy that is read; "": the command line is */
    char baseline_place[300]; /* the line that has the baseline */
    unsigned char
        source; /* of options: 0 the command line, 1 the environment, 2 the policy, then the profiles */
    unsigned char given[PC_OPTIONS_MAX]; /* by row of the table: 1 + its source; a later one does not count */
    char *pair[PC_TOML_KEYS_MAX];        /* values that were made of others */
    size_t nr_pairs;
};

/* Reads the options of a command line, whose first word is not looked at, into *arguments, which must stay
 * where they are. All commands take --help and --version besides their own. Operands move to the end; returns
 * the index of the first one, or -1 after reporting what is wrong. */
int pc_arguments_read(struct pc_arguments *arguments, const char *command, int argc, char **argv);

/* The value of an option that the library knows; NULL: it was not given. */
const char *pc_arguments_value(const struct pc_arguments *arguments, const char *option);

/* Prints where each option stands that counts, and what the baseline accepts. */
void pc_arguments_show(FILE *out, const struct pc_arguments *arguments);

/* The command that makes the copy which was refused, with more options: "--drop=X --to=file". Other text is a
 * command of its own. False: it is too long. (hint.c) */
bool pc_hint_copy(const struct pc_arguments *arguments, const char *options, char *const *operand, int nr,
                  char hint[PC_HINT_MAX]);

/* Another handle with the same options, or NULL. The caller frees it. */
perfcheck_t *pc_arguments_new_handle(const struct pc_arguments *arguments);
void pc_arguments_clear(struct pc_arguments *arguments);

/* Prints a line or two about each option of the command. */
void pc_arguments_help(FILE *out, const char *command);

/* The same of one option, and the words that --require takes, a line each. False: the command has no such
 * option. */
bool pc_arguments_help_one(FILE *out, const char *command, const char *option);

/* The option of the command that a word is probably meant to be; NULL: none. */
const char *pc_option_like(const char *command, const char *word);

/* Reports a mistake on the command line: "perfcheck: what value", and where help is. value: NULL: none. */
void pc_usage_error(const struct pc_arguments *arguments, const char *what, const char *value);

/* The same of options that the library has refused. */
void pc_library_error(const struct pc_arguments *arguments, const perfcheck_t *pc);

#endif
