/* SPDX-License-Identifier: MIT */
#include "cli/policy.h"
#include "cli/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of the capture is never looked into: it may be hostile. */
static bool find(struct pc_policy_file *file)
{
    struct stat here, above;
    char folder[sizeof(file->found) - sizeof(PC_POLICY_FILE)] = "";
    for (;;) {
        snprintf(file->found, sizeof(file->found), "%s%s", folder, PC_POLICY_FILE);
        if (access(file->found, F_OK) == 0)
            return true;
        size_t len = strlen(folder);
        if (len + sizeof("../") > sizeof(folder) || stat(len == 0 ? "." : folder, &here) != 0)
            return false;
        memcpy(folder + len, "../", sizeof("../"));
        if (stat(folder, &above) != 0 || (above.st_dev == here.st_dev && above.st_ino == here.st_ino))
            return false; /* the root is above itself */
    }
}

static bool fail(const struct pc_policy_file *file, const char *why)
{
    fputs("perfcheck: cannot read ", stderr);
    pc_print_escaped(stderr, file->path);
    fprintf(stderr, ": %s\n", why);
    return false;
}

static bool load(struct pc_policy_file *file, size_t *size)
{
    file->text = malloc(PC_POLICY_MAX + 1);
    file->room = malloc(2 * PC_POLICY_MAX + 2);
    if (!file->text || !file->room)
        return fail(file, "no memory");
    FILE *in = fopen(file->path, "re");
    if (!in)
        return fail(file, strerror(errno));
    *size = fread(file->text, 1, PC_POLICY_MAX + 1, in);
    bool failed = ferror(in);
    fclose(in);
    if (failed)
        return fail(file, strerror(errno));
    return *size <= PC_POLICY_MAX || fail(file, "a policy has at most 64 KiB");
}

bool pc_policy_read(struct pc_policy_file *file, const char *path, pc_toml_take *take, void *ctx)
{
    size_t size = 0;
    unsigned line;
    const char *why;
    if (!path && !find(file))
        return true;
    file->path = path ? path : file->found;
    if (!load(file, &size))
        return false;
    if (pc_toml_read(file->text, size, file->room, take, ctx, &line, &why))
        return true;
    if (why) {
        fputs("perfcheck: ", stderr);
        pc_print_escaped(stderr, file->path);
        fprintf(stderr, ":%u: %s\n", line, why);
    }
    return false;
}

void pc_policy_clear(struct pc_policy_file *file)
{
    free(file->text);
    free(file->room);
    file->text = file->room = NULL;
}
