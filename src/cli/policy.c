/* SPDX-License-Identifier: MIT */
#include "cli/policy.h"
#include "cli/show.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum search { NONE, FOUND, TOO_DEEP };

/* The folder of the capture is never looked into: it may be hostile. */
static enum search find(struct pc_policy_file *file)
{
    struct stat here, above;
    char folder[sizeof(file->found) - sizeof(PC_POLICY_FILE)] = "";
    for (;;) {
        snprintf(file->found, sizeof(file->found), "%s%s", folder, PC_POLICY_FILE);
        if (lstat(file->found, &here) == 0) /* a link that leads nowhere is no reason to check less */
            return FOUND;
        size_t len = strlen(folder);
        if (len + sizeof("../") > sizeof(folder))
            return TOO_DEEP;
        if (stat(len == 0 ? "." : folder, &here) != 0)
            return NONE;
        memcpy(folder + len, "../", sizeof("../"));
        if (stat(folder, &above) != 0 || (above.st_dev == here.st_dev && above.st_ino == here.st_ino))
            return NONE; /* the root is above itself */
    }
}

static bool fail(const struct pc_policy_file *file, const char *why)
{
    pc_print_about(stderr, "cannot read ", file->path, why, NULL);
    return false;
}

static bool load(struct pc_policy_file *file, size_t *size)
{
    file->text = malloc(PC_POLICY_MAX + 1);
    file->room = malloc(2 * PC_POLICY_MAX + 2);
    if (!file->text || !file->room)
        return fail(file, "no memory");
    struct stat st;
    if (file->path == file->found && stat(file->path, &st) == 0 && !S_ISREG(st.st_mode))
        return fail(file, "it is not a regular file");
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

/* Passes on the keys of the text that was read. */
static bool read_text(struct pc_policy_file *file, size_t size, pc_toml_take *take, void *ctx)
{
    unsigned line;
    const char *why;
    if (pc_toml_read(file->text, size, file->room, take, ctx, &line, &why))
        return true;
    if (why) {
        fputs("perfcheck: ", stderr);
        pc_print_escaped(stderr, file->path);
        fprintf(stderr, ":%u: %s\n", line, why);
    }
    return false;
}

void pc_policy_place(const struct pc_policy_file *file, unsigned line, char *place, size_t size)
{
    snprintf(place, size, "%.*s:%u: ", (int)size - 16, file->path, line);
}

char *pc_policy_beside(const struct pc_policy_file *file, const char *name)
{
    const char *end = *name == '/' ? NULL : strrchr(file->path, '/');
    char *path;
    return asprintf(&path, "%.*s%s", end ? (int)(end + 1 - file->path) : 0, file->path, name) < 0 ? NULL
                                                                                                  : path;
}

bool pc_policy_read(struct pc_policy_file *file, const char *path, pc_toml_take *take, void *ctx)
{
    size_t size = 0;
    const enum search search = path ? FOUND : find(file);
    if (search == NONE)
        return true;
    file->path = path ? path : search == FOUND ? file->found : PC_POLICY_FILE;
    if (search == TOO_DEEP)
        return fail(file, "the search ended 336 folders above this one; use --policy=FILE or --no-policy");
    return load(file, &size) && read_text(file, size, take, ctx);
}

/* --- profiles --- */

static const struct pc_profile profiles[PC_PROFILES] = {
    { "flamegraph",
      "A flame graph is drawn from the call chains of samples. Without them each stack is one frame high. A "
      "capture that "
      "lost many samples shows another picture than the program has.",
      "require = ['samples', 'callchains']\n"
      "max-lost = '10%'\n" },
    { "autofdo",
      "AutoFDO (create_llvm_prof, create_gcov) counts taken branches, and finds the binary by its build id.",
      "require = ['samples', 'branch-stacks', 'build-ids']\n" },
    { "bolt",
      "perf2bolt reads taken branches of samples, and compares the build id of the binary with those of the "
      "capture.",
      "require = ['samples', 'branch-stacks', 'build-ids']\n" },
    { "sched",
      "perf sched follows who runs on which CPU and when. It needs the event sched:sched_switch with times "
      "and CPUs, and a "
      "lost sample is a switch that it does not see.",
      "require = ['samples', 'timestamps', 'cpu', 'event:sched:sched_switch']\n"
      "max-lost = 0\n" },
    { "archive",
      "On another machine perf finds binaries by their build ids, and the names of system calls and "
      "registers by the "
      "architecture. The release of the kernel says which symbols it had.",
      "require = ['build-ids', 'header:ARCH', 'header:OSRELEASE']\n" },
    { "strict", "Nothing may be wrong with the capture: warnings are failures, and nothing may be lost.",
      "fail-on = 'warning'\n"
      "max-lost = 0\n" },
};

const struct pc_profile *pc_profile_at(size_t number)
{
    return &profiles[number];
}

const struct pc_profile *pc_profile_find(const char *name)
{
    for (size_t i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        if (strcmp(profiles[i].name, name) == 0)
            return &profiles[i];
    }
    return NULL;
}

bool pc_profile_read(struct pc_policy_file *file, const struct pc_profile *profile, pc_toml_take *take,
                     void *ctx)
{
    size_t size = strlen(profile->keys);
    file->path = profile->name;
    file->text = strdup(profile->keys);
    file->room = malloc(2 * size + 2);
    if (!file->text || !file->room)
        return fail(file, "no memory");
    return read_text(file, size, take, ctx);
}

void pc_policy_clear(struct pc_policy_file *file)
{
    free(file->text);
    free(file->room);
    file->text = file->room = NULL;
}
