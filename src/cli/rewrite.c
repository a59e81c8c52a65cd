/* SPDX-License-Identifier: MIT
 *
 * The commands that write a copy: rewrite, split, join.
 */
#include "cli/command.h"
#include "cli/show.h"
#include "cli/signals.h"

#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is copied where. */
struct copying {
    struct pc_arguments *a;
    struct pc_json *object, *losses; /* what becomes of the copy, and the list of its losses; NULL: standard
                                        error is enough */
    bool is_told; /* all of the object was written, before the copy had its name, or could not be */
    char *const *operand;
    int nr;
    struct pc_hint hint; /* what check says to do about the errors of the input; "": nothing */
};

/* A message about options that lead to a copy, in words: the command; "": what check names. False: there is
 * none. */
static bool name_next(const struct copying *copying, const char *why, char hint[PC_HINT_MAX])
{
    bool salvages = strcmp(why, "--salvage") == 0;
    bool can_salvage =
        strcmp(copying->a->command, "rewrite") == 0 && strstr(copying->hint.command, " --salvage ");
    if (*why && (!salvages || can_salvage))
        return pc_hint_copy(copying->a, why, copying->operand, copying->nr, hint);
    memcpy(hint, copying->hint.command, PC_HINT_MAX);
    return hint[0] != 0;
}

/* A message; what to do next becomes a whole command. */
static void on_message(void *ctx, const char *about, const char *what, const char *why)
{
    static char hint[PC_HINT_MAX];
    const struct copying *copying = ctx;
    FILE *err = copying->a->printer.err;
    bool is_next = strcmp(what, "next") == 0 && why;
    if (is_next && !name_next(copying, why, hint))
        return;
    if (strcmp(what, "cannot be opened") == 0 && why) /* as of any other input */
        pc_print_about(err, "cannot open ", about, why, NULL);
    else
        pc_print_about(err, "", is_next ? copying->operand[0] : about, what, is_next ? hint : why);
}

static void on_report(void *ctx, perfcheck_t *pc, const char *path)
{
    struct copying *copying = ctx;
    struct pc_printer folding = copying->a->printer;
    folding.folds = true;
    pc_print_findings(&folding, path, pc, PERFCHECK_ERROR);
    if (strcmp(path, copying->operand[0]) == 0 && !pc_hint(pc, path, &copying->hint))
        copying->hint.command[0] = 0;
}

static void print_loss(struct pc_json *losses, const perfcheck_loss_t *loss)
{
    struct pc_json one = pc_json_open_in(losses, NULL, '{', true);
    pc_json_text(&one, "how", loss->how);
    pc_json_text(&one, "what", loss->what);
    pc_json_text(&one, "name", loss->name);
    pc_json_number(&one, "number", loss->number);
    pc_json_number(&one, "records", loss->records);
    pc_json_text(&one, "stream", loss->stream);
    pc_json_number(&one, "offset", loss->offset);
    pc_json_number(&one, "size", loss->size);
    pc_json_text(&one, "finding", loss->id);
    pc_json_close(&one);
}

/* A loss, of which standard error was told. Nothing is written unless all of them arrive. */
static int on_loss(void *ctx, const perfcheck_loss_t *loss)
{
    const struct copying *copying = ctx;
    const struct pc_printer *printer = &copying->a->printer;
    if (copying->losses)
        print_loss(copying->losses, loss);
    return ferror(printer->err) || (copying->losses && fflush(printer->out) != 0);
}

/* What cannot be opened is reported when it is to be copied. */
static perfcheck_t *begin(struct copying *copying, struct pc_arguments *a, char *const *operand, int nr)
{
    copying->a = a;
    copying->operand = operand;
    copying->nr = nr;
    pc_catch_signals();
    perfcheck_on_message(a->pc, on_message, copying);
    perfcheck_on_report(a->pc, on_report, copying);
    perfcheck_on_loss(a->pc, on_loss, copying);
    perfcheck_open_path(a->pc, operand[0]);
    return a->pc;
}

/* Whether bytes come from another program. */
static bool is_stream(const char *path)
{
    struct stat st;
    int error = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : pc_name_stat(AT_FDCWD, path, &st, 0);
    return error == 0 && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || S_ISCHR(st.st_mode));
}

/* Who ended the stream, when that was not its writer alone. */
static const char *why_ended(void)
{
    switch (pc_stream_ended_by()) {
    case SIGINT:
        return "; the stream ended after Ctrl-C";
    case SIGTERM:
        return "; SIGTERM ended the stream";
    case SIGHUP:
        return "; SIGHUP ended the stream, as a connection or a terminal that is closed does";
    default:
        return "";
    }
}

/* The names of what was written. */
static void print_names(FILE *to, const char *output, uint64_t parts)
{
    pc_print_escaped(to, strcmp(output, "-") == 0 ? "standard output" : output);
    fputs(parts != 0 ? ".0" : "", to);
    if (parts > 1) {
        fputs(" to ", to);
        pc_print_escaped(to, output);
        fprintf(to, ".%" PRIu64, parts - 1);
    }
}

static enum pc_status status_of(const perfcheck_summary_t *copy, perfcheck_status_t status)
{
    if (copy && copy->unfinished)
        return PC_STATUS_FINDINGS;
    return status == PERFCHECK_OK        ? PC_STATUS_GOOD
           : status == PERFCHECK_REFUSED ? PC_STATUS_FINDINGS
                                         : PC_STATUS_TROUBLE;
}

/* Says what was written. A rotation may have written some parts before it failed. */
static enum pc_status report(const struct pc_arguments *a, const char *output, perfcheck_status_t status)
{
    const perfcheck_summary_t *copy = perfcheck_copied(a->pc);
    if (status == PERFCHECK_MISUSE) /* options that do not go together */
        pc_library_error(a, a->pc);
    if ((status == PERFCHECK_OK || (copy && copy->parts != 0)) && !a->printer.quiet) {
        print_names(a->printer.err, output, copy ? copy->parts : 0);
        fputs(": ", a->printer.err);
        if (copy && copy->recognised) {
            fprintf(a->printer.err, "%" PRIu64 " record%s, %s-endian %s, verified%s\n", copy->records,
                    pc_plural(copy->records), pc_order_name(copy), copy->container, why_ended());
        } else {
            fprintf(a->printer.err, "written, not verified%s\n", why_ended());
        }
    }
    return status_of(copy, status);
}

/* Whether what is saved may not be all that comes. */
static bool may_grow(const struct pc_arguments *a, const char *input, struct stat *before)
{
    return pc_arguments_value(a, "salvage") && !a->printer.quiet &&
           pc_name_stat(AT_FDCWD, input, before, 0) == 0 && S_ISREG(before->st_mode);
}

static enum pc_status rewrite_capture(struct copying *copying, struct pc_arguments *a, char *const *operand)
{
    const char *input = operand[0], *output = operand[1];
    struct stat before;
    bool grows = may_grow(a, input, &before);
    perfcheck_t *pc = begin(copying, a, operand, 2);
    if (is_stream(input))
        pc_catch_signals_of_stream(pc);
    pc_release_signals();
    perfcheck_status_t status = perfcheck_rewrite(pc, output);
    if (grows)
        pc_print_live_file(&a->printer, input, (uint64_t)before.st_size);
    return report(a, output, status);
}

/* --- as JSON --- */

/* The object after the losses, which ends it. */
static void print_rest(struct copying *copying, enum pc_status status)
{
    perfcheck_t *pc = copying->a->pc;
    const perfcheck_summary_t *copy = perfcheck_copied(pc);
    const perfcheck_salvage_t *salvage = perfcheck_salvaged(pc);
    pc_json_close(copying->losses);
    pc_json_number(copying->object, "status", status);
    struct pc_json counts = pc_json_open_in(copying->object, "salvage", '{', true);
    pc_json_number(&counts, "saved", salvage ? salvage->saved : 0);
    pc_json_number(&counts, "left_out_records", salvage ? salvage->records : 0);
    pc_json_number(&counts, "left_out_bytes", salvage ? salvage->bytes : 0);
    pc_json_number(&counts, "losses", salvage ? salvage->losses : 0);
    pc_json_number(&counts, "moved", salvage ? salvage->moved : 0);
    pc_json_number(&counts, "merged", salvage ? salvage->merged : 0);
    pc_json_number(&counts, "made", salvage ? salvage->made : 0);
    pc_json_number(&counts, "unneeded", salvage ? salvage->unneeded : 0);
    pc_json_number(&counts, "left_out_compressed", salvage ? salvage->compressed : 0);
    pc_json_close(&counts);
    if (copy && copy->recognised)
        pc_json_number(copying->object, "written_records", copy->records);
    else
        pc_json_null(copying->object, "written_records");
    pc_json_close(copying->object);
    fputc('\n', copying->a->printer.out);
    copying->is_told = true;
}

/* Only the name of the copy is missing, unless another file is written after it: tells all before, so that
 * there is no copy when that does not arrive. */
static int on_ready(void *ctx)
{
    struct copying *copying = ctx;
    const perfcheck_summary_t *copy = perfcheck_copied(copying->a->pc);
    if (!copying->object || pc_arguments_value(copying->a, "keep-partial") ||
        pc_arguments_value(copying->a, "symbols-out"))
        return 0;
    print_rest(copying, status_of(copy, PERFCHECK_OK));
    struct pc_printer *printer = &copying->a->printer;
    printer->error = fflush(printer->out) != 0 ? errno : 0;
    return printer->error;
}

/* What became of a copy: one object. When it cannot be written, no copy is. */
static enum pc_status rewrite_as_json(struct copying *copying, struct pc_arguments *a, char *const *operand)
{
    struct pc_json object = pc_json_open(a->printer.out, '{', false);
    pc_json_text(&object, "schema", "perfcheck-rewrite/1");
    pc_json_path(&object, "path", operand[0]);
    pc_json_path(&object, "output", operand[1]);
    struct pc_json losses = pc_json_open_in(&object, "losses", '[', false);
    copying->object = &object;
    copying->losses = &losses;
    if (fflush(a->printer.out) != 0) {
        a->printer.error = errno;
        return PC_STATUS_TROUBLE;
    }
    perfcheck_on_ready(a->pc, on_ready, copying);
    enum pc_status status = rewrite_capture(copying, a, operand);
    if (!copying->is_told)
        print_rest(copying, status);
    return status;
}

enum pc_status pc_command_rewrite(struct pc_arguments *a, char **operand, int nr)
{
    static struct copying copying; /* too large for a small stack */
    (void)nr;
    copying = (struct copying){ .a = a };
    if (strcmp(operand[1], "-") == 0 && isatty(STDOUT_FILENO)) {
        pc_usage_error(a, "a capture is not written to a terminal: redirect the output, or name a file",
                       NULL);
        return PC_STATUS_TROUBLE;
    }
    if (a->printer.format == PC_FORMAT_TEXT)
        return rewrite_capture(&copying, a, operand);
    if (strcmp(operand[1], "-") == 0) {
        pc_usage_error(a, "--format=json and the copy cannot both go to standard output", NULL);
        return PC_STATUS_TROUBLE;
    }
    return rewrite_as_json(&copying, a, operand);
}

enum pc_status pc_command_split(struct pc_arguments *a, char **operand, int nr)
{
    static struct copying copying; /* too large for a small stack */
    perfcheck_t *pc = begin(&copying, a, operand, nr);
    return report(a, operand[1], perfcheck_split(pc, operand[1]));
}

enum pc_status pc_command_join(struct pc_arguments *a, char **operand, int nr)
{
    static struct copying copying; /* too large for a small stack */
    perfcheck_t *pc = begin(&copying, a, operand, nr);
    return report(a, operand[nr - 1], perfcheck_join(pc, operand + 1, (size_t)nr - 2, operand[nr - 1]));
}
