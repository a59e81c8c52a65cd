/* SPDX-License-Identifier: MIT */
#include "cli/baseline.h"
#include "cli/show.h"
#include "cli/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* place: where it is named, or "". */
static bool fail(const char *place, const char *doing, const char *name, const char *why)
{
    fputs("perfcheck: ", stderr);
    pc_print_escaped(stderr, place);
    fputs(doing, stderr);
    pc_print_escaped(stderr, name);
    fprintf(stderr, ": %s\n", why);
    return false;
}

/* The next name in a path, which leaves out what leads nowhere else: "x//./y" is "x/y". */
static size_t next_name(const char **path)
{
    for (;;) {
        *path += strspn(*path, "/");
        size_t len = strcspn(*path, "/");
        if (len != 1 || **path != '.')
            return len;
        *path += len;
    }
}

static int compare_paths(const char *one, const char *other)
{
    size_t len, other_len;
    if ((*one == '/') != (*other == '/'))
        return *one == '/' ? 1 : -1;
    do {
        len = next_name(&one);
        other_len = next_name(&other);
        int order = memcmp(one, other, len < other_len ? len : other_len);
        if (order != 0 || len != other_len)
            return order != 0 ? order : len < other_len ? -1 : 1;
        one += len;
        other += len;
    } while (len != 0);
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct pc_accepted *one = a, *other = b;
    return compare_paths(one->path, other->path);
}

/* Cuts the text into lines. */
static bool cut(struct pc_baseline *b, const char *place, const char *name, perfcheck_t *pc)
{
    size_t lines = 0, number = 0;
    for (const char *at = b->text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    b->of = calloc(lines + 1, sizeof(*b->of));
    if (!b->of)
        return fail(place, "cannot read ", name, strerror(ENOMEM));
    for (char *rest = b->text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        size_t len = strlen(line);
        if (len != 0 && line[len - 1] == '\r') /* a name that ends so is escaped */
            line[len - 1] = 0;
        char why[160], *path = strstr(line, "  ");
        number++;
        if (*line == 0 || *line == '#')
            continue;
        snprintf(why, sizeof(why), "line %zu is not ID:N,... and a path, with two spaces between", number);
        if (!path || path[2] == 0)
            return fail(place, "cannot use ", name, why);
        *path = 0;
        if (perfcheck_set(pc, "accept", line) != PERFCHECK_OK) {
            snprintf(why, sizeof(why), "line %zu: %s", number, perfcheck_error(pc));
            return fail(place, "cannot use ", name, why);
        }
        pc_unescape(path + 2);
        b->of[b->nr++] = (struct pc_accepted){ path + 2, line };
    }
    qsort(b->of, b->nr, sizeof(*b->of), compare);
    for (size_t i = 1; i < b->nr; i++) {
        if (compare(&b->of[i - 1], &b->of[i]) == 0 && strcmp(b->of[i - 1].list, b->of[i].list) != 0)
            return fail(place, "cannot use ", name,
                        "two of its lines name one capture, and differ; leave one of them out");
    }
    return true;
}

bool pc_baseline_read(struct pc_baseline *b, const char *place, const char *name, perfcheck_t *pc)
{
    size_t room = 0;
    FILE *in = fopen(name, "re");
    if (!in)
        return fail(place, "cannot read ", name, strerror(errno));
    ssize_t len = getdelim(&b->text, &room, 0, in); /* all of it: there is no NUL in such a file */
    bool failed = ferror(in) || (len < 0 && !feof(in)) || (len > 0 && b->text[len - 1] == 0);
    fclose(in);
    if (failed)
        return fail(place, "cannot read ", name, "it is no baseline that perfcheck wrote");
    return len < 0 || cut(b, place, name, pc);
}

bool pc_baseline_create(struct pc_baseline *b, const char *name, char **capture, int nr)
{
    pc_mem_init(&b->mem, 4 * PC_SINK_BUFFER);
    pc_catch_signals();
    int error = pc_output_create(&b->sink, &b->mem, name, true, capture, nr, &b->out);
    if (error == 0)
        return true;
    pc_sink_discard(&b->sink);
    pc_output_failed(name, error);
    return false;
}

const char *pc_baseline_list(const struct pc_baseline *b, const char *path)
{
    struct pc_accepted wanted = { path, NULL };
    const struct pc_accepted *found =
        b->nr == 0 ? NULL : bsearch(&wanted, b->of, b->nr, sizeof(wanted), compare);
    return found ? found->list : "";
}

void pc_baseline_put(struct pc_baseline *b, perfcheck_t *pc, const char *path)
{
    const perfcheck_entry_t *e;
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_IDS, i)) != NULL; i++) {
        fprintf(b->out, "%s%s:%" PRIu64, i == 0 ? "" : ",", e->name, e->number);
        b->accepted += e->number;
    }
    if (!perfcheck_entry(pc, PERFCHECK_IDS, 0))
        return;
    fputs("  ", b->out);
    pc_print_escaped(b->out, path);
    fputc('\n', b->out);
}

bool pc_baseline_finish(struct pc_baseline *b, const char *name, uint64_t unreadable)
{
    if (!b->out)
        return true;
    bool flushed = fclose(b->out) == 0;
    b->out = NULL;
    int error = flushed ? 0 : ENOMEM;
    if (error == 0 && unreadable == 0)
        error = pc_sink_commit(&b->sink);
    pc_sink_discard(&b->sink);
    if (error != 0)
        pc_output_failed(name, error);
    else if (unreadable != 0)
        fail("", "cannot write ", name, "a capture could not be read");
    return error == 0 && unreadable == 0;
}

void pc_baseline_clear(struct pc_baseline *b)
{
    if (b->out) {
        fclose(b->out);
        pc_sink_discard(&b->sink);
    }
    free(b->of);
    free(b->text);
}
