/* SPDX-License-Identifier: MIT
 *
 * The command to run next on a capture with errors: what its findings say to do, if that is one command for
 * all of them, else a salvage that saves something, else the one that explains the first.
 */
#include "cli/option_table.h"
#include "cli/show.h"
#include "cli/trial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Text in a buffer of fixed size; what does not fit leaves it unusable. */
struct text {
    char *to;
    size_t len, room;
};

static void put(struct text *t, const char *from, size_t len)
{
    if (len < t->room - t->len)
        memcpy(t->to + t->len, from, len);
    t->len = len < t->room - t->len ? t->len + len : t->room - 1;
    t->to[t->len] = '\0';
}

static void put_text(struct text *t, const char *from)
{
    put(t, from, strlen(from));
}

/* What comes before a command that has FILE in place of standard input. */
static const char *input_as_file(void)
{
    struct stat st;
    bool is_file = fstat(STDIN_FILENO, &st) == 0 && S_ISREG(st.st_mode);
    return is_file ? "with the file on standard input as FILE, run: " : "save the stream as FILE, then run: ";
}

/* Whether the path is shown as other text, which would not run. */
static bool is_escaped(const char *path)
{
    char piece[1025];
    while (*path) {
        size_t n = perfcheck_escape(path, 0, piece, sizeof(piece));
        if (strncmp(path, piece, n) != 0 || piece[n] != '\0')
            return true;
        path += n;
    }
    return false;
}

/* What is between the quotes of $'', in letters that are shown as they are. */
static void put_octal(struct text *t, const char *path)
{
    for (; *path; path++) {
        unsigned char c = (unsigned char)*path;
        const char octal[] = { '\\', (char)('0' + (c >> 6)), (char)('0' + (c >> 3 & 7)),
                               (char)('0' + (c & 7)) };
        if (c < ' ' || c > '~' || strchr("'\\#", c))
            put(t, octal, sizeof(octal));
        else
            put(t, path, 1);
    }
}

/* A word of a command in a shell. ## begins commands of CI services: quotes between say the same. */
static void put_word(struct text *t, const char *path, bool is_option)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-";
    if (path[strspn(path, plain)] == '\0' && !is_option) {
        put_text(t, path);
        return;
    }
    if (is_escaped(path)) {
        put_text(t, is_option ? "$'./" : "$'");
        put_octal(t, path);
        put_text(t, "'");
        return;
    }
    put_text(t, is_option ? "'./" : "'");
    for (; *path; path++) {
        if (*path == '\'')
            put_text(t, "'\\''");
        else
            put(t, path, 1);
        if (strncmp(path, "##", 2) == 0)
            put_text(t, "''");
    }
    put_text(t, "'");
}

/* A path that must not look like an option. */
static void put_path(struct text *t, const char *path)
{
    put_word(t, path, *path == '-' && path[1] != '\0');
}

/* The command in the next step of a finding; NULL: there is none. What the finding says ends with it, or the
 * sentence does. */
static const char *command_in(const perfcheck_finding_t *f, size_t *len)
{
    static const char run[] = "un: "; /* "Run: ", "run: " */
    const char *command = strstr(f->next, "perfcheck rewrite ");
    *len = 0;
    if (!command && (command = strstr(f->next, run)) != NULL)
        command += strlen(run);
    if (!command && strstr(f->next, "the command in the message")) {
        *len = strlen(f->expected);
        return f->expected;
    }
    while (command && command[*len] && !(command[*len] == '.' && (command[*len + 1] | ' ') == ' '))
        ++*len;
    return command;
}

static bool is_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

/* Whether this word is here in a command, and is not part of a longer one. */
static bool is_word(const char *command, size_t len, size_t at, const char *word)
{
    size_t n = strlen(word);
    return n <= len - at && strncmp(command + at, word, n) == 0 && (at == 0 || !is_letter(command[at - 1])) &&
           (at + n == len || !is_letter(command[at + n]));
}

/* Puts the command with its words filled in: IN is the path, M the number that the finding has seen, N the
 * one that it expects, X.Y the version of perf that it names. */
static bool put_command(struct text *t, const char *command, size_t len, const char *path, const char *seen,
                        const char *expected)
{
    static const char in[] = "IN", m[] = "M", n[] = "N";
    for (size_t i = 0; i < len;) {
        if (is_word(command, len, i, in)) {
            put_path(t, path);
            i += strlen(in);
        } else if (is_word(command, len, i, m)) {
            put_text(t, seen);
            i += strlen(m);
        } else if (is_word(command, len, i, n)) {
            put_text(t, expected);
            i += strlen(n);
        } else {
            put(t, command + i++, 1);
        }
    }
    return t->len + 1 < t->room;
}

/* Whether all errors have this command, but those that follow from the first, and those of --for: these may
 * be others in a copy. */
static bool is_for_all(perfcheck_t *pc, const char *command, size_t len)
{
    const perfcheck_finding_t *f;
    for (size_t i = 0, other; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        const char *its = command_in(f, &other);
        if (f->severity == PERFCHECK_ERROR && !f->is_related && !f->is_for_reader &&
            (!its || other != len || memcmp(its, command, len) != 0))
            return false;
    }
    return true;
}

static bool is_copy(const char *command)
{
    static const char copy[] = "perfcheck rewrite ";
    return strncmp(command, copy, strlen(copy)) == 0;
}

static bool is_pipe(const perfcheck_summary_t *sum)
{
    return strcmp(sum->container, "pipe") == 0;
}

/* Attrs and features are made of records of these types. */
static const char made[] = "HEADER_";

/* Records besides those. */
static uint64_t count_content(perfcheck_t *pc)
{
    const perfcheck_entry_t *type;
    uint64_t nr = 0;
    for (size_t i = 0; (type = perfcheck_entry(pc, PERFCHECK_RECORD_TYPES, i)) != NULL; i++)
        nr += strncmp(type->name, made, strlen(made)) != 0 ? type->number : 0;
    return nr;
}

/* Whether a finding is about a record that features are made of. */
static bool is_of_feature(const perfcheck_finding_t *f)
{
    return strncmp(f->type, made, strlen(made)) == 0 && strcmp(f->type, "HEADER_ATTR") != 0;
}

/* Whether errors may leave no record: each has one or comes before damage, or so many attrs have one, of
 * which a warning also shows damage: those of zeros have size 0. A pipe begins with these. */
static bool is_doubtful(perfcheck_t *pc, uint64_t bad_attrs_max)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    const perfcheck_finding_t *f;
    uint64_t damaged = 0, last = UINT64_MAX, attrs = is_pipe(sum) ? sum->attrs : 0;
    uint64_t bad_attrs = 0, last_attr = UINT64_MAX;
    bool beside = false;
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        bool is_error = f->severity == PERFCHECK_ERROR;
        if ((!is_error && f->severity != PERFCHECK_WARNING) || f->is_for_reader)
            continue;
        bool in_record = is_error && f->kind == PERFCHECK_RECORD;
        bad_attrs += f->kind == PERFCHECK_ATTR && f->number != last_attr;
        last_attr = f->kind == PERFCHECK_ATTR ? f->number : last_attr;
        if (bad_attrs > bad_attrs_max || (in_record && f->number <= attrs && attrs != 0))
            return true;
        if (!in_record)
            continue;
        /* Before the first one of features may be a record that counts. */
        const bool counts = !is_of_feature(f) || !beside;
        beside |= is_of_feature(f);
        damaged += counts && f->number != last;
        last = f->number;
    }
    return count_content(pc) <= damaged;
}

/* Whether a copy has something, as far as counts tell: events and records were found, which in a pipe may be
 * those of the events, or they are only not found because of one word of the header. */
static bool has_content(perfcheck_t *pc, const char *id)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    return strcmp(id, "PC1406") == 0 || (sum->attrs != 0 && (is_pipe(sum) || count_content(pc) != 0));
}

/* What is known of the salvage of a capture. */
struct saving {
    uint64_t saved; /* so many records; 0: not known */
    bool is_tried;
    struct pc_trial trial;
};

/* Tries it, unless that was done. */
static struct pc_trial try_salvage(struct saving *saving, perfcheck_t *pc, const char *path)
{
    if (!saving->is_tried)
        saving->trial = pc_trial_run(pc, path, pc_trial_affords(pc));
    saving->is_tried = true;
    return saving->trial;
}

/* Whether the command of the first error is the one to run next. All others have it, too; or it is a salvage
 * that saves something, whatever they say. */
static bool is_next(perfcheck_t *pc, const char *command, size_t len, const char *id, const char *path,
                    struct saving *saving)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    bool all = is_for_all(pc, command, len), is_known = all && has_content(pc, id);
    if (!is_copy(command))
        return all;
    const bool salvages = strstr(command, " --salvage ") != NULL, can = pc_trial_is_possible(pc, path);
    saving->saved = sum->has_saved ? sum->saved : 0;
    if (sum->has_saved && !(salvages && can))
        return all && sum->saved != 0;
    if (!all && !salvages)
        return false;
    const bool sure = is_known && (strcmp(id, "PC1406") == 0 || !is_doubtful(pc, 0));
    if (sure && !(salvages && can))
        return true;
    const bool likely = sure || (has_content(pc, id) && !is_doubtful(pc, sum->attrs - 1));
    if (!can)
        return is_known;
    const uint64_t nr = try_salvage(saving, pc, path).saves;
    if (nr != PC_TRIAL_NOT_KNOWN)
        saving->saved = nr;
    return nr == PC_TRIAL_NOT_KNOWN ? likely : nr != 0;
}

/* What the command reads: the capture, or, when it does not copy captures, the member of a directory. */
static void name_input(char *to, size_t size, const char *path, const char *member, bool copies)
{
    if (strcmp(path, "-") == 0)
        snprintf(to, size, "FILE");
    else
        snprintf(to, size, "%s%s%s", path, copies || !*member ? "" : "/", copies ? "" : member);
}

bool pc_hint_in_message(const perfcheck_finding_t *f, const char *path, char message[PC_HINT_MAX])
{
    size_t len, all = strlen(f->message);
    char input[PC_HINT_MAX / 4];
    struct text t = { .to = message, .room = PC_HINT_MAX };
    const char *command = command_in(f, &len);
    if (!command || len == 0 || len > all || strncmp(f->message + all - len, command, len) != 0)
        return false;
    name_input(input, sizeof(input), path, f->member, is_copy(command));
    put(&t, f->message, all - len);
    return put_command(&t, command, len, input, f->seen, f->expected);
}

/* --- a copy for the perf that --for names --- */

/* Options of copies, each once, with a space before each. */
struct options {
    char text[128];
    char drops[PC_HINT_MAX / 4]; /* what --drop names, with commas between */
    bool differ;                 /* two of them contradict each other, or have no room */
};

static void add_drop(struct options *o, const char *name, size_t len)
{
    struct text drops = { o->drops, strlen(o->drops), sizeof(o->drops) };
    for (const char *at = o->drops; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        if (strcspn(at, ",") == len && strncmp(at, name, len) == 0)
            return;
    }
    put_text(&drops, drops.len != 0 ? "," : "");
    put(&drops, name, len);
    o->differ |= drops.len + 1 == drops.room;
}

/* Adds the options of a command that makes a copy, but for --for. */
static void add_options(struct options *o, const char *command, size_t len)
{
    static const char option[] = " --", reader[] = " --for=", drop[] = " --drop=";
    for (size_t i = 0; i < len; i++) {
        size_t word = 1 + strcspn(command + i + 1, " "), name = strcspn(command + i, "="),
               n = strlen(o->text);
        char one[64];
        if (strncmp(command + i, option, strlen(option)) != 0 ||
            strncmp(command + i, reader, strlen(reader)) == 0)
            continue;
        if (strncmp(command + i, drop, strlen(drop)) == 0) {
            add_drop(o, command + i + strlen(drop), word - strlen(drop));
            continue;
        }
        snprintf(one, sizeof(one), "%.*s", (int)(word < name ? word : name + 1), command + i);
        const char *same = strstr(o->text, one);
        if (same)
            o->differ |= strncmp(same, command + i, word) != 0;
        else
            snprintf(o->text + n, sizeof(o->text) - n, "%.*s", (int)word, command + i);
    }
}

/* Whether a copy mends an error of --for, as far as that is known; adds the options that it needs. */
static bool is_mended(perfcheck_t *pc, size_t i, struct options *options)
{
    static const char operands[] = " IN OUT";
    const size_t n = strlen(operands);
    const perfcheck_finding_t *f = perfcheck_finding(pc, i);
    size_t len;
    const char *command = command_in(f, &len);
    if (!command || !is_copy(command) || len < n || strncmp(command + len - n, operands, n) != 0)
        return false;
    add_options(options, command, len);
    if (!*f->repeats)
        return perfcheck_mends(pc, f->id) != 0;
    if (perfcheck_mends(pc, f->repeats))
        return true;
    command = command_in(perfcheck_explain(pc, f->repeats, 0), &len);
    return command && is_copy(command);
}

/* The first error of --for that no copy mends; NULL: there is none. Adds the options that the others need. */
static const perfcheck_finding_t *find_obstacle(struct options *options, perfcheck_t *pc)
{
    const perfcheck_finding_t *f;
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        if (f->severity == PERFCHECK_ERROR && f->is_for_reader && !is_mended(pc, i, options))
            return perfcheck_finding(pc, i);
    }
    return NULL;
}

/* Adds what a copy needs for the perf that --for names; false: that is not one copy, or there is none. */
static bool add_reader(struct options *options, perfcheck_t *pc)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    const perfcheck_entry_t *drop;
    if (find_obstacle(options, pc))
        return false;
    for (size_t i = 0; (drop = perfcheck_entry(pc, PERFCHECK_DROPS, i)) != NULL; i++)
        add_drop(options, drop->name, strlen(drop->name));
    bool pipe = is_pipe(sum) || strstr(options->text, " --to=pipe") != NULL;
    if (pipe && strchr(sum->reader, ',') && perfcheck_entry(pc, PERFCHECK_FEATURES, 0)) {
        static const char file[] = " --to=file"; /* no number ends the features for all (PC1106) */
        add_options(options, file, strlen(file));
    }
    return !options->differ;
}

/* Puts the copy that the perf of --for reads. command: what all other errors say, "" without such. False:
 * --for names none, or there is no such copy. */
static bool put_copy_for(struct text *t, perfcheck_t *pc, const char *command, const char *path)
{
    struct options options = { .text = "" };
    const char *reader = perfcheck_summary(pc)->reader;
    static const char perf[] = "perf ";
    bool all = strchr(reader, ',') != NULL;
    add_options(&options, command, strlen(command));
    if (strncmp(reader, perf, strlen(perf)) != 0 || !add_reader(&options, pc))
        return false;
    put_text(t, all ? "perfcheck rewrite --for=all" : "perfcheck rewrite --for=perf-");
    put_text(t, all ? "" : reader + strlen(perf));
    put_text(t, options.text);
    put_text(t, *options.drops ? " --drop=" : "");
    put_text(t, options.drops);
    put_text(t, " ");
    put_path(t, path);
    put_text(t, " OUT");
    return t->len + 1 < t->room;
}

/* --- the hint --- */

static bool says_salvage(const perfcheck_finding_t *f)
{
    size_t len;
    const char *command = command_in(f, &len);
    return command && strstr(command, " --salvage ");
}

/* The first error from i on that is none of --for. NULL: there is none. */
static const perfcheck_finding_t *next_error(perfcheck_t *pc, size_t *i)
{
    const perfcheck_finding_t *f;
    while ((f = perfcheck_finding(pc, *i)) != NULL && (f->severity != PERFCHECK_ERROR || f->is_for_reader))
        ++*i;
    return f;
}

/* The finding whose command counts: the first error, unless nothing mends it but a salvage mends others. */
static const perfcheck_finding_t *finding_to_mend(perfcheck_t *pc)
{
    size_t i = 0, len;
    const perfcheck_finding_t *f = next_error(pc, &i);
    if (!f || command_in(f, &len))
        return f;
    const size_t first = i;
    while ((f = next_error(pc, &i)) != NULL && !says_salvage(f))
        i++;
    return f ? f : perfcheck_finding(pc, first);
}

static const char salvage[] = "perfcheck rewrite --salvage IN OUT";

/* Whether all errors are demands of the user that the capture does not meet. */
static bool only_demands(perfcheck_t *pc)
{
    size_t i = 0;
    const perfcheck_finding_t *f;
    while ((f = next_error(pc, &i)) != NULL && f->is_demand)
        i++;
    return !f;
}

/* Whether a salvage mends a capture of which not all errors say what to do, nor the first to try it. */
static bool is_saved(perfcheck_t *pc, const char *command, const char *path, struct saving *saving)
{
    if (strstr(command, " --salvage ") || only_demands(pc) || !pc_trial_is_possible(pc, path))
        return false;
    const struct pc_trial trial = try_salvage(saving, pc, path);
    saving->saved = trial.mends ? trial.saves : 0;
    return trial.mends;
}

bool pc_hint(perfcheck_t *pc, const char *path, struct pc_hint *hint)
{
    struct text t = { .to = hint->command, .room = PC_HINT_MAX };
    struct saving saving = { .saved = 0 };
    size_t len = 0, first = 0;
    hint->saves = 0;
    if (perfcheck_verdict(pc) != PERFCHECK_INVALID)
        return false;
    char command[512], seen[32], expected[512], id[8], member[PC_HINT_MAX / 4], input[PC_HINT_MAX / 4];
    const perfcheck_finding_t *f = finding_to_mend(pc);
    bool is_reader = !f;
    if (is_reader && !(f = perfcheck_finding(pc, 0)))
        return false;
    const char *found = command_in(f, &len);
    snprintf(command, sizeof(command), "%.*s", found ? (int)len : 0, found ? found : "");
    snprintf(seen, sizeof(seen), "%s", f->seen);
    snprintf(expected, sizeof(expected), "%s", f->expected);
    snprintf(id, sizeof(id), "%s", f->id);
    snprintf(member, sizeof(member), "%s", f->member);
    bool is_one = found && len < sizeof(command) && is_next(pc, command, len, id, path, &saving);
    if (!is_one && !is_reader && is_saved(pc, command, path, &saving)) {
        len = (size_t)snprintf(command, sizeof(command), "%s", salvage);
        is_one = true;
    }
    const bool copies = is_copy(command);
    name_input(input, sizeof(input), path, member, copies);
    if (strcmp(path, "-") == 0)
        put_text(&t, input_as_file());
    if ((is_reader || (is_one && copies)) && put_copy_for(&t, pc, is_reader ? "" : command, input))
        return true;
    if (!is_reader && is_one && put_command(&t, command, len, input, seen, expected)) {
        hint->saves = strstr(command, " --salvage ") ? saving.saved : 0;
        return true;
    }
    struct options options = { .text = "" };
    f = is_reader ? find_obstacle(&options, pc) : next_error(pc, &first);
    snprintf(hint->command, PC_HINT_MAX, "perfcheck explain %s", f ? f->id : id);
    return true;
}

bool pc_hint_salvages(perfcheck_t *pc)
{
    const perfcheck_finding_t *f = perfcheck_verdict(pc) == PERFCHECK_INVALID ? finding_to_mend(pc) : NULL;
    return f && says_salvage(f);
}

/* --- a copy that was refused --- */

/* Whether " --NAME" is in a list of options. */
static bool has_option(const char *options, const char *name)
{
    char word[64];
    const char *at = options;
    snprintf(word, sizeof(word), "--%s", name);
    while ((at = strstr(at, word)) != NULL && (at[strlen(word)] & ~' ') != 0 && at[strlen(word)] != '=')
        at++;
    return at != NULL;
}

/* What --drop names already, before the names of `options`. */
static void put_drops(struct text *t, const struct pc_arguments *a, const char *options)
{
    static const char drop[] = "--drop=";
    const char *more = strstr(options, drop);
    bool any = false;
    for (size_t i = 0; i < a->nr_taken; i++) {
        if (strcmp(a->taken[i].row->name, "drop") != 0)
            continue;
        put_text(t, any ? "," : " --drop=");
        put_word(t, a->taken[i].value, false);
        any = true;
    }
    if (!more)
        return;
    size_t len = strcspn(more, " ");
    put_text(t, any ? "," : " --drop=");
    put(t, more + strlen(drop), len - strlen(drop));
}

/* The options of the library that were given, but those that others replace: a salvage is not divided. */
static void put_options(struct text *t, const struct pc_arguments *a, const char *options)
{
    for (size_t i = 0; i < a->nr_taken; i++) {
        const char *name = a->taken[i].row->name, *value = a->taken[i].value;
        bool replaced = a->taken[i].row->take || strcmp(name, "drop") == 0 || has_option(options, name) ||
                        (strcmp(name, "rotate") == 0 && has_option(options, "salvage"));
        for (size_t later = i + 1; later < a->nr_taken; later++)
            replaced |= strcmp(a->taken[later].row->name, name) == 0;
        if (replaced)
            continue;
        put_text(t, " --");
        put_text(t, name);
        put_text(t, value ? "=" : "");
        put_word(t, value ? value : "", false);
    }
}

bool pc_hint_copy(const struct pc_arguments *a, const char *options, char *const *operand, int nr,
                  char hint[PC_HINT_MAX])
{
    struct text t = { .to = hint, .room = PC_HINT_MAX };
    if (strncmp(options, "--", 2) != 0) { /* another command */
        put_text(&t, options);
        return true;
    }
    bool is_stream = strcmp(operand[0], "-") == 0;
    put_text(&t, is_stream ? input_as_file() : "");
    put_text(&t, "perfcheck ");
    put_text(&t, a->command);
    put_options(&t, a, options);
    put_drops(&t, a, options);
    for (size_t len; *options; options += len) {
        options += *options == ' ';
        len = strcspn(options, " ");
        if (strncmp(options, "--drop=", strlen("--drop=")) != 0) {
            put_text(&t, " ");
            put(&t, options, len);
        }
    }
    for (int i = 0; i < nr; i++) {
        put_text(&t, " ");
        put_path(&t, i == 0 && is_stream ? "FILE" : operand[i]);
    }
    return t.len + 1 < t.room;
}
