/* SPDX-License-Identifier: MIT
 *
 * The command to run next on a capture with errors: what its findings say to do, if that is one command for
 * all of them, else the one that explains the first.
 */
#include "cli/print.h"
#include "cli/show.h"

#include <string.h>

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

/* A path as an argument in a shell. */
static void put_path(struct text *t, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%=-";
    bool is_option = *path == '-' && path[1] != '\0';
    if (path[strspn(path, plain)] == '\0' && !is_option) {
        put_text(t, path);
        return;
    }
    put_text(t, is_option ? "'./" : "'");
    for (size_t len; *path; path += len) {
        len = strcspn(path, "'");
        put(t, path, len);
        if (path[len] == '\'') {
            put_text(t, "'\\''");
            len++;
        }
    }
    put_text(t, "'");
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
    static const char perf[] = "perf ", in[] = "IN", m[] = "M", n[] = "N", x_y[] = "X.Y";
    bool has_version = strncmp(expected, perf, strlen(perf)) == 0;
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
        } else if (is_word(command, len, i, x_y)) {
            if (!has_version)
                return false;
            put_text(t, expected + strlen(perf));
            i += strlen(x_y);
        } else {
            put(t, command + i++, 1);
        }
    }
    return t->len + 1 < t->room;
}

/* Whether all errors but those that follow from the first have this command. */
static bool is_for_all(perfcheck_t *pc, const char *command, size_t len)
{
    const perfcheck_finding_t *f;
    for (size_t i = 1, other; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        const char *its = command_in(f, &other);
        if (f->severity == PERFCHECK_ERROR && !f->is_related &&
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

/* Whether a copy can have something: of a capture without events or records nothing is saved, unless these
 * are only not found because of one word of the header. */
static bool can_save(perfcheck_t *pc, const char *id)
{
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    if (sum->has_saved && sum->saved == 0)
        return false;
    return (sum->attrs != 0 && sum->records != 0) || strcmp(id, "PC1406") == 0;
}

/* What the command reads: the capture, or, when it does not copy captures, the member of a directory. */
static void name_input(char *to, size_t size, const char *path, const char *member, bool copies)
{
    if (strcmp(path, "-") == 0)
        snprintf(to, size, "FILE");
    else
        snprintf(to, size, "%s%s%s", path, copies || !*member ? "" : "/", copies ? "" : member);
}

bool pc_hint(perfcheck_t *pc, const char *path, char hint[PC_HINT_MAX])
{
    struct text t = { .to = hint, .room = PC_HINT_MAX };
    const perfcheck_finding_t *f = perfcheck_finding(pc, 0);
    size_t len;
    if (perfcheck_verdict(pc) != PERFCHECK_INVALID || !f)
        return false;
    char command[512], seen[32], expected[512], id[8], input[PC_HINT_MAX / 4];
    const char *found = command_in(f, &len);
    snprintf(command, sizeof(command), "%.*s", found ? (int)len : 0, found ? found : "");
    snprintf(seen, sizeof(seen), "%s", f->seen);
    snprintf(expected, sizeof(expected), "%s", f->expected);
    snprintf(id, sizeof(id), "%s", f->id);
    bool copies = is_copy(command);
    name_input(input, sizeof(input), path, f->member, copies);
    if (found && len < sizeof(command) && (!copies || can_save(pc, id)) && is_for_all(pc, command, len)) {
        if (strcmp(path, "-") == 0)
            put_text(&t, "save the stream as FILE, then run: ");
        if (put_command(&t, command, len, input, seen, expected))
            return true;
    }
    snprintf(hint, PC_HINT_MAX, "perfcheck explain %s", id);
    return true;
}

bool pc_hint_saves(perfcheck_t *pc, const char *hint)
{
    return strstr(hint, "perfcheck rewrite --salvage ") && perfcheck_summary(pc)->has_saved;
}
