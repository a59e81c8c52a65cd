/* SPDX-License-Identifier: MIT */
#include "cli/baseline.h"
#include "cli/show.h"
#include "cli/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of a file with paths from its own folder. Older ones have those that the captures were given
 * with. */
#define MARK "# paths from this folder"

/* place: where it is named, or "". */
static bool fail(const char *place, const char *doing, const char *name, const char *why)
{
    fputs("perfcheck: ", stderr);
    pc_print_escaped(stderr, place);
    fputs(doing, stderr);
    pc_print_escaped(stderr, *name ? name : "''");
    fprintf(stderr, ": %s\n", why);
    return false;
}

/* --- paths --- */

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

/* Bytes that from_root needs. */
static size_t room_for(const char *folder, const char *path)
{
    return strlen(folder) + strlen(path) + 2;
}

/* The path from the root of what a path from some folder names. Links are not looked at, so only a first ".."
 * can leave a folder: that one is no link. */
static char *from_root(char *whole, const char *folder, const char *path)
{
    size_t size = 0, len;
    bool up = true;
    if (strcmp(path, "-") == 0)
        return memcpy(whole, "-", sizeof("-"));
    if (*path != '/') {
        size = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
        memcpy(whole, folder, size);
    }
    for (; (len = next_name(&path)) != 0; path += len) {
        up = up && len == 2 && memcmp(path, "..", 2) == 0;
        while (up && size > 0 && whole[--size] != '/')
            ;
        if (up)
            continue;
        whole[size++] = '/';
        memcpy(whole + size, path, len);
        size += len;
    }
    whole[size] = 0;
    return whole;
}

/* Prints a path from the root as one from a folder; as it is, if it should not leave that. */
static void print_from(FILE *out, const char *folder, const char *path, bool may_leave)
{
    size_t same = 0; /* so much of both is the same folder */
    folder += strcmp(folder, "/") == 0;
    for (size_t i = 0; path[i] && (folder[i] == path[i] || (!folder[i] && path[i] == '/')); i++) {
        same = path[i] == '/' ? i : same;
        if (!folder[i])
            break;
    }
    if (!folder[same] || may_leave) {
        for (folder += same; *folder; folder++)
            fputs(*folder == '/' ? "../" : "", out);
        path += same + 1;
    }
    fputs(strcmp(path, "-") == 0 ? "./" : "", out);
    pc_print_escaped(out, path);
}

bool pc_baseline_locate(struct pc_baseline *b, const char *name)
{
    const char *end = strrchr(name, '/');
    struct stat st;
    char *folder = strndup(name, end ? (size_t)(end + 1 - name) : 0);
    bool is_file = stat(name, &st) != 0 || S_ISREG(st.st_mode);
    b->here = folder ? getcwd(NULL, 0) : NULL;
    if (!b->here) {
        free(folder);
        return false;
    }
    errno = 0;
    if (*folder && is_file)
        b->folder = realpath(folder, NULL);
    if (!b->folder && errno != ENOMEM)
        b->folder = strdup(b->here); /* reading or writing it will fail, if it has another one */
    free(folder);
    return b->folder;
}

static int compare(const void *a, const void *b)
{
    const struct pc_accepted *one = a, *other = b;
    return one->second == other->second ? strcmp(one->path, other->path) : one->second - other->second;
}

/* --- reading --- */

static void add(struct pc_baseline *b, const char *folder, const char *path, const char *list, bool second)
{
    char *whole = from_root(b->paths + b->size, folder, path);
    b->of[b->nr++] = (struct pc_accepted){ whole, list, second };
    b->size += strlen(whole) + 1;
}

/* Cuts the text into lines. */
static bool cut(struct pc_baseline *b, const char *place, const char *name, perfcheck_t *pc)
{
    size_t lines = 0, number = 0;
    for (const char *at = b->text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    bool marked = strncmp(b->text, MARK, strlen(MARK)) == 0;
    b->of = calloc(2 * lines + 2, sizeof(*b->of));
    b->paths = malloc(2 * strlen(b->text) + (lines + 1) * (strlen(b->folder) + strlen(b->here) + 4));
    if (!b->of || !b->paths)
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
        add(b, marked ? b->folder : b->here, path + 2, line, false);
        if (!marked)
            add(b, b->folder, path + 2, line, true);
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
    if (!pc_baseline_locate(b, name))
        return fail(place, "cannot read ", name, strerror(errno));
    FILE *in = fopen(name, "re");
    if (!in)
        return fail(place, "cannot read ", name, strerror(errno));
    ssize_t len = getdelim(&b->text, &room, 0, in); /* all of it: there is no NUL in such a file */
    int error = ferror(in) || (len < 0 && !feof(in)) ? errno : 0;
    fclose(in);
    if (error != 0)
        return fail(place, "cannot read ", name, strerror(error));
    if (len > 0 && b->text[len - 1] == 0)
        return fail(place, "cannot read ", name, "it is no baseline that perfcheck wrote");
    return len < 0 || cut(b, place, name, pc);
}

const char *pc_baseline_list(const struct pc_baseline *b, const char *path)
{
    const struct pc_accepted *found = NULL;
    if (b->nr == 0)
        return "";
    char *room = malloc(room_for(b->here, path));
    if (!room)
        return NULL;
    for (int second = 0; !found && second <= 1; second++) {
        struct pc_accepted wanted = { from_root(room, b->here, path), NULL, second };
        found = bsearch(&wanted, b->of, b->nr, sizeof(wanted), compare);
    }
    free(room);
    return found ? found->list : "";
}

bool pc_baseline_tell(const struct pc_baseline *b, const char *path, perfcheck_t *pc)
{
    const char *list = pc_baseline_list(b, path);
    return list && perfcheck_set(pc, "accept", list) == PERFCHECK_OK;
}

void pc_baseline_show(const struct pc_baseline *b, FILE *out)
{
    for (size_t i = 0; i < b->nr; i++) {
        fprintf(out, "accepted: %s  ", b->of[i].list);
        pc_print_escaped(out, b->of[i].path);
        fputc('\n', out);
    }
}

/* --- writing --- */

/* Whether the text begins as a baseline does: with the mark, or with the list of a line, after lines that do
 * not count. One that accepts nothing had no line at all. */
static bool begins_as_one(const char *text)
{
    const char *line = text;
    while (strncmp(line, MARK, strlen(MARK)) != 0 && (*line == '#' || *line == '\r' || *line == '\n')) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    bool is_list = strncmp(line, "PC", 2) == 0 && strspn(line + 2, "0123456789") == 4 && line[6] == ':';
    return !*text || is_list || strncmp(line, MARK, strlen(MARK)) == 0;
}

void pc_baseline_look(struct pc_baseline *b, const char *name)
{
    struct stat st;
    char begin[4096] = "";
    FILE *in = stat(name, &st) == 0 && S_ISREG(st.st_mode) ? fopen(name, "re") : NULL;
    b->is_there = lstat(name, &st) == 0 || errno != ENOENT;
    if (!in)
        return;
    begin[fread(begin, 1, sizeof(begin) - 1, in)] = 0;
    b->is_one = ferror(in) == 0 && begins_as_one(begin) && (*begin != 0 || st.st_size == 0);
    fclose(in);
}

bool pc_baseline_create(struct pc_baseline *b, const char *name, bool force, char **capture, int nr)
{
    pc_mem_init(&b->mem, 4 * PC_SINK_BUFFER);
    pc_catch_signals();
    int error = pc_output_create(&b->sink, &b->mem, name, true, capture, nr, &b->out);
    if (error == 0 && b->is_there && !b->is_one && !force) {
        fclose(b->out);
        b->out = NULL;
        pc_sink_discard(&b->sink);
        return fail("", "cannot write ", name,
                    "it is no baseline that perfcheck wrote (--force replaces it)");
    }
    if (error == 0) {
        fputs(MARK "\n", b->out);
        return true;
    }
    pc_sink_discard(&b->sink);
    pc_output_failed(name, error);
    return false;
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
    char *room = malloc(room_for(b->here, path));
    b->no_memory |= !room;
    if (!room || strcmp(path, "-") == 0)
        pc_print_escaped(b->out, path);
    else
        print_from(b->out, b->folder, from_root(room, b->here, path), *path != '/');
    free(room);
    fputc('\n', b->out);
}

bool pc_baseline_finish(struct pc_baseline *b, const char *name, uint64_t unreadable)
{
    if (!b->out)
        return true;
    bool flushed = fclose(b->out) == 0;
    b->out = NULL;
    int error = flushed && !b->no_memory ? 0 : ENOMEM;
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
    free(b->paths);
    free(b->folder);
    free(b->here);
    free(b->of);
    free(b->text);
}
