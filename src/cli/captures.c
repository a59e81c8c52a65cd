/* SPDX-License-Identifier: MIT */
#include "cli/captures.h"
#include "perfcheck.h"

#include "base/text.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_with(struct pc_captures *c, const char *wrong, const char *where)
{
    c->wrong = wrong;
    c->where = where;
    return false;
}

static bool fail(struct pc_captures *c, int error, const char *where)
{
    return fail_with(c, pc_text_error(error), where);
}

/* Texts one after the other, each with its NUL: one more. Returns 0 or an errno. */
static int add_text(char **texts, size_t *size, const char *text)
{
    const size_t n = strlen(text) + 1;
    char *more = realloc(*texts, *size + n);
    if (!more)
        return ENOMEM;
    memcpy(more + *size, text, n);
    *texts = more;
    *size += n;
    return 0;
}

/* Each of them, in their order, and NULL, and how many they are; NULL: there is no memory. */
static char **list_texts(char *texts, size_t size, size_t *nr)
{
    *nr = 0;
    for (size_t at = 0; at < size; at += strlen(texts + at) + 1)
        ++*nr;
    char **text = calloc(*nr + 1, sizeof(*text));
    for (size_t at = 0, i = 0; text && at < size; at += strlen(texts + at) + 1)
        text[i++] = texts + at;
    return text;
}

static bool add(struct pc_captures *c, const char *path)
{
    if (c->walked && c->on_walk)
        c->on_walk(c->walked);
    if (c->walked)
        c->on_walk = NULL;
    c->walked = NULL;
    int error = add_text(&c->names, &c->size, path);
    return error == 0 || fail(c, error, NULL);
}

/* --- what a directory holds --- */

/* Whether opening it once more will give the same error. */
static bool is_lasting(int error)
{
    return error == EACCES || error == EPERM || error == ENAMETOOLONG || error == ELOOP || error == ENOENT ||
           error == ENOTDIR;
}

/* Whether a file begins like a capture, or may not be read: then checking it will report that. False, and an
 * errno, if it cannot be known. */
static bool look_for_magic(const char *path, bool *is)
{
    unsigned char begin[8];
    size_t n = 0;
    ssize_t got;
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    *is = fd < 0 && (errno == EACCES || errno == EPERM);
    if (fd < 0)
        return is_lasting(errno) || errno == ENXIO;
    do {
        got = read(fd, begin + n, sizeof(begin) - n);
        n += got > 0 ? (size_t)got : 0;
    } while ((got > 0 && n < sizeof(begin)) || (got < 0 && errno == EINTR));
    int error = got < 0 ? errno : 0;
    close(fd);
    *is |= perfcheck_is_capture(begin, n) != 0;
    errno = error;
    return error == 0 || error == EISDIR || error == EAGAIN || error == EINVAL;
}

/* perf.data, perf.data.old, host1.data.gz; a flame graph, perf.data.svg, is no capture. */
static bool is_named_like_one(const char *name)
{
    static const char *const made_of_one[] = { ".html", ".json", ".md", ".svg", ".txt", ".csv" };
    const char *dot = strrchr(name, '.'), *data = name;
    for (size_t i = 0; dot && i < PC_COUNT_OF(made_of_one); i++) {
        if (strcmp(dot, made_of_one[i]) == 0)
            return false;
    }
    while ((data = strstr(data, ".data")) && isalnum((unsigned char)data[strlen(".data")]))
        data++;
    return data;
}

/* Remembers a file that is not taken for a capture, so that none is left out silently. */
static bool pass_over(struct pc_captures *c, const char *path)
{
    if (c->passed_over++ == 0 && !(c->first_passed_over = strdup(path)))
        return fail(c, ENOMEM, NULL);
    return true;
}

/* A path that the caller frees; NULL: no memory. */
static char *join(const char *directory, const char *name)
{
    size_t n = strlen(directory), size = n + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s%s", directory, n != 0 && directory[n - 1] == '/' ? "" : "/", name);
    return path;
}

static bool has_entry(const char *directory, const char *name, bool *is)
{
    struct stat st;
    char *path = join(directory, name);
    *is = path && lstat(path, &st) == 0;
    free(path);
    return path;
}

/* Whether a directory has what only directory captures have: data.0, or data beside kcore_dir. Then data is
 * damaged or lost, and checking the directory reports that. */
static bool looks_like_one(struct pc_captures *c, const char *directory, bool *is)
{
    bool data, first, kcore;
    if (!has_entry(directory, "data", &data) || !has_entry(directory, "data.0", &first) ||
        !has_entry(directory, "kcore_dir", &kcore))
        return fail(c, ENOMEM, NULL);
    *is = first || (data && kcore);
    return true;
}

/* A directory capture has its records in a file of this name. *is: whether it is one. */
static bool is_directory_capture(struct pc_captures *c, const char *path, bool *is)
{
    char *data = join(path, "data");
    if (!data)
        return fail(c, ENOMEM, NULL);
    bool known = look_for_magic(data, is);
    int error = errno;
    free(data);
    return known ? *is || looks_like_one(c, path, is) : fail(c, error, NULL);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
    char *text; /* one after the other */
    size_t size;
    char **name; /* each of them, in their order */
    size_t nr;
};

static void forget_names(struct names *names)
{
    free(names->text);
    free(names->name);
}

/* The names in a directory. Returns 0 or an errno. */
static int list(struct names *names, const char *directory)
{
    DIR *stream = opendir(directory);
    struct dirent *entry;
    int error = 0;
    if (!stream)
        return errno;
    while (error == 0 && (errno = 0, entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            error = add_text(&names->text, &names->size, entry->d_name);
    }
    if (error == 0)
        error = errno;
    closedir(stream);
    if (error == 0 && !(names->name = list_texts(names->text, names->size, &names->nr)))
        error = ENOMEM;
    if (error == 0)
        qsort(names->name, names->nr, sizeof(*names->name), by_name);
    return error;
}

static bool walk_directory(struct pc_captures *c, const char *directory);

static bool take_entry(struct pc_captures *c, const char *path, const char *name)
{
    struct stat st;
    bool is_capture;
    if (lstat(path, &st) != 0)
        return errno == ENOENT || (is_lasting(errno) ? add(c, path) : fail(c, errno, NULL));
    if (S_ISREG(st.st_mode)) {
        if (!look_for_magic(path, &is_capture))
            return fail(c, errno, NULL);
        return is_capture || is_named_like_one(name) ? add(c, path) : pass_over(c, path);
    }
    if (!S_ISDIR(st.st_mode))
        return pass_over(c, path);
    if (perfcheck_is_kcore_dir(name)) /* split from a capture */
        return true;
    if (!is_directory_capture(c, path, &is_capture))
        return false;
    return is_capture ? add(c, path) : walk_directory(c, path);
}

/* The captures in a directory. Each level has a name, so PATH_MAX limits them. */
static bool walk_directory(struct pc_captures *c, const char *directory)
{
    struct names names = { NULL, 0, NULL, 0 };
    int error = list(&names, directory);
    bool good = error == 0 || (is_lasting(error) ? add(c, directory) : fail(c, error, NULL));
    for (size_t i = 0; i < names.nr && error == 0 && good; i++) {
        char *path = join(directory, names.name[i]);
        good = path ? take_entry(c, path, names.name[i]) : fail(c, ENOMEM, NULL);
        free(path);
    }
    forget_names(&names);
    return good;
}

/* --- operands --- */

static bool take(struct pc_captures *c, char *path, bool listed)
{
    struct stat st;
    errno = 0;
    bool is_directory = strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
    if (errno != 0 && !is_lasting(errno))
        return fail(c, errno, path);
    size_t before = c->size;
    bool is_capture = true;
    if (is_directory && !is_directory_capture(c, path, &is_capture))
        return false;
    if (is_capture)
        return add(c, path);
    c->walked = c->recursive || listed ? NULL : path;
    if (!walk_directory(c, path))
        return false;
    c->walked = NULL;
    return c->size != before || add(c, path); /* checking it will report what it lacks */
}

/* Names that end with a NUL each. */
static bool take_list(struct pc_captures *c)
{
    bool is_stdin = strcmp(c->list, "-") == 0, good = true;
    FILE *list = is_stdin ? stdin : fopen(c->list, "re");
    char *name = NULL;
    size_t room = 0;
    if (!list)
        return fail(c, errno, c->list);
    for (ssize_t len; good && (len = getdelim(&name, &room, 0, list)) > 0;) {
        if (name[len - 1] != 0 && strchr(name, '\n') && access(name, F_OK) != 0)
            good = fail_with(
                c, "its names end with newlines, not with a NUL each, as find -print0 writes them", c->list);
        else
            good = *name == 0 || take(c, name, true);
    }
    if (good && !feof(list)) /* getdelim sets no error when there is no memory */
        good = fail(c, errno, c->list);
    free(name);
    if (!is_stdin)
        fclose(list);
    return good;
}

bool pc_captures_collect(struct pc_captures *c, char **operand, int nr)
{
    for (int i = 0; i < nr; i++) {
        if (!take(c, operand[i], false))
            return false;
    }
    if (c->list && !take_list(c))
        return false;
    c->path = list_texts(c->names, c->size, &c->nr);
    return c->path || fail(c, ENOMEM, NULL);
}

void pc_captures_clear(struct pc_captures *c)
{
    free(c->path);
    free(c->names);
    free(c->first_passed_over);
}
