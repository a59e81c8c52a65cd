/* SPDX-License-Identifier: MIT
 *
 * The command `digest`: a hash of what captures contain, in the manner of sha256sum.
 */
#include "cli/command.h"
#include "cli/show.h"

#include "base/text.h"
#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The digest of a capture; NULL after reporting why there is none. */
static const char *digest_of(struct pc_arguments *a, const char *path)
{
    perfcheck_open_path(a->pc, path);
    return perfcheck_digest(a->pc);
}

static enum pc_status print_digest(struct pc_arguments *a, const char *path)
{
    const char *digest = digest_of(a, path);
    if (!digest)
        return PC_STATUS_TROUBLE;
    printf("%s  ", digest);
    pc_print_escaped(stdout, path);
    putchar('\n');
    return PC_STATUS_GOOD;
}

/* --- comparing with a list --- */

struct comparison {
    struct pc_arguments *arguments;
    uint64_t matched, different, unreadable, malformed;
};

/* A line of a list: the digest, two spaces, the path. */
static void compare_line(struct comparison *c, char *line)
{
    char *path = strstr(line, "  ");
    if (strncmp(line, "pc1:", 4) != 0 || !path || path[2] == 0) {
        c->malformed++;
        return;
    }
    *path = 0;
    path += 2;
    pc_unescape(path);
    const char *digest = digest_of(c->arguments, path);
    bool same = digest && strcmp(digest, line) == 0;
    uint64_t *count = !digest ? &c->unreadable : same ? &c->matched : &c->different;
    ++*count;
    if (same && c->arguments->printer.quiet)
        return;
    pc_print_escaped(stdout, path);
    puts(same ? ": OK" : digest ? ": FAILED" : ": FAILED (not read)");
}

/* False, after reporting it: the list cannot be read. */
static bool compare_list(struct comparison *c, const char *name)
{
    bool is_stdin = strcmp(name, "-") == 0;
    int fd = is_stdin ? -1 : pc_name_open(AT_FDCWD, name, O_RDONLY | O_CLOEXEC);
    FILE *list = is_stdin ? stdin : fd < 0 ? NULL : fdopen(fd, "r");
    const uint64_t malformed = c->malformed, others = c->matched + c->different + c->unreadable;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    while (list && (len = getline(&line, &room, list)) > 0) {
        line[len - (line[len - 1] == '\n')] = 0;
        compare_line(c, line);
    }
    bool good = list && feof(list); /* getline sets no error when there is no memory */
    if (!good)
        pc_print_about(stderr, "cannot read ", name, pc_text_error(errno), NULL);
    if (good && c->malformed != malformed && c->matched + c->different + c->unreadable == others) {
        pc_print_about(stderr, "", name, "not a list that 'perfcheck digest' printed", NULL);
        c->malformed = malformed;
        good = false;
    }
    free(line);
    if (list && !is_stdin)
        fclose(list);
    else if (fd >= 0)
        close(fd);
    return good;
}

static void warn(uint64_t nr, const char *what)
{
    if (nr != 0)
        fprintf(stderr, "perfcheck: %" PRIu64 " %s\n", nr, what);
}

static enum pc_status compare_lists(struct pc_arguments *a, char **list, int nr)
{
    struct comparison c = { .arguments = a };
    bool good = true;
    for (int i = 0; i < nr; i++)
        good &= compare_list(&c, list[i]);
    if (good && c.matched + c.different + c.unreadable + c.malformed == 0)
        fputs("perfcheck: the list is empty: it has no digest\n", stderr);
    warn(c.malformed, c.malformed == 1 ? "line is no digest" : "lines are no digests");
    warn(c.unreadable, c.unreadable == 1 ? "listed capture has no digest" : "listed captures have no digest");
    warn(c.different, c.different == 1 ? "digest does not match" : "digests do not match");
    if (!good || c.unreadable != 0 || c.matched + c.different == 0)
        return PC_STATUS_TROUBLE;
    return c.different != 0 || c.malformed != 0 ? PC_STATUS_FINDINGS : PC_STATUS_GOOD;
}

enum pc_status pc_command_digest(struct pc_arguments *a, char **operand, int nr)
{
    enum pc_status status = PC_STATUS_GOOD;
    if (a->compare)
        return compare_lists(a, operand, nr);
    for (int i = 0; i < nr; i++) {
        enum pc_status one = print_digest(a, operand[i]);
        status = one > status ? one : status;
    }
    return status;
}
