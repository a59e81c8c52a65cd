/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "fuzz/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MEMBERS 16
#define MARK    "//@"
#define OUTSIDE "outside"

static char top[64], path[80], outside[80];
static int folder = -1;

static const char *const bases[] = { "/dev/shm", "/tmp" };
static const char prefix[] = "perfcheck-fuzz-";

static int remove_entry(const char *name, const struct stat *st, int type, struct FTW *level)
{
    (void)st;
    (void)type;
    if (level->level > 0)
        remove(name);
    return 0;
}

static void empty(const char *name)
{
    nftw(name, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    empty(top);
    rmdir(top);
}

/* Removes folders of processes that were killed. Their names have the process ids. */
static void sweep(const char *base)
{
    char name[64];
    DIR *dir = opendir(base);
    for (const struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
        char *end = NULL;
        size_t len = strlen(prefix);
        long owner = strncmp(e->d_name, prefix, len) == 0 ? strtol(e->d_name + len, &end, 10) : 0;
        if (owner <= 0 || *end || kill((pid_t)owner, 0) == 0 || errno != ESRCH)
            continue;
        snprintf(name, sizeof(name), "%s/%s%ld", base, prefix, owner);
        empty(name);
        rmdir(name);
    }
    if (dir)
        closedir(dir);
}

int fuzz_folder(void)
{
    if (folder < 0) {
        const char *base = bases[access(bases[0], W_OK) != 0];
        sweep(base);
        snprintf(top, sizeof(top), "%s/%s%ld", base, prefix, (long)getpid());
        snprintf(path, sizeof(path), "%s/in", top);
        snprintf(outside, sizeof(outside), "%s/" OUTSIDE, top);
        FUZZ_MUST(mkdir(top, 0700) == 0 || errno == EEXIST);
        FUZZ_MUST(mkdir(path, 0700) == 0 || errno == EEXIST);
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
        FUZZ_MUST(folder >= 0);
        atexit(remove_folder);
        fuzz_when_broken = remove_folder;
    }
    empty(path);
    return folder;
}

const char *fuzz_folder_path(void)
{
    return path;
}

static unsigned entries_of(const char *name)
{
    unsigned nr = 0;
    DIR *dir = opendir(name);
    FUZZ_MUST(dir != NULL);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        nr += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return nr;
}

unsigned fuzz_folder_entries(void)
{
    return entries_of(path);
}

/* Makes the directories of a name. False: one of them is not a directory, but maybe a link that leads
 * outside. */
static bool make_outer(const char *name)
{
    char outer[256];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(outer, sizeof(outer), "%.*s", (int)(slash - name), name);
        if (mkdirat(folder, outer, 0700) != 0 && !fuzz_folder_is_directory(outer))
            return false;
    }
    return true;
}

void fuzz_folder_put(const char *name, struct pc_span bytes)
{
    const int how = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int fd = make_outer(name) ? openat(folder, name, how, 0600) : -1;
    /* Two members may use one name for a file and a directory. No reader opens a FIFO. */
    if (fd >= 0) {
        FUZZ_MUST(write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
        close(fd);
    }
}

struct fuzz_bytes fuzz_folder_get(const char *name)
{
    struct fuzz_bytes b = { NULL, 0 };
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return b;
    FUZZ_MUST(fstat(fd, &st) == 0);
    b.len = (size_t)st.st_size;
    b.bytes = malloc(b.len + 1);
    FUZZ_MUST(b.bytes && read(fd, b.bytes, b.len) == (ssize_t)b.len);
    close(fd);
    return b;
}

bool fuzz_folder_is_directory(const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

uint64_t fuzz_folder_descriptors(void)
{
    struct pollfd asked[64];
    uint64_t open_ones = 0;
    for (int i = 0; i < 64; i++)
        asked[i] = (struct pollfd){ .fd = i };
    FUZZ_MUST(poll(asked, 64, 0) >= 0);
    for (int i = 0; i < 64; i++)
        open_ones |= (uint64_t) !(asked[i].revents & POLLNVAL) << i;
    return open_ones;
}

/* --- what lies outside --- */

#define HEADER "PERFILE2\20\0\0\0\0\0\0\0"           /* of a pipe */
#define ROUND  "\104\0\0\0\0\0\10\0"                 /* FINISHED_ROUND, little-endian */
#define CORE   "\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0" /* the first bytes of a kcore */

/* Each content has other findings, so that a reader that follows a link there is noticed. */
static const struct {
    const char *name;
    size_t len[2];
    const char *bytes[2];
} outer_file[] = {
    { "data", { 16, 24 }, { HEADER, HEADER ROUND } },
    { "records", { 8, 16 }, { ROUND, ROUND ROUND } },
    { "kcore", { 1, 18 }, { "x", CORE } },
    { "kallsyms", { 4, 4 }, { "0 t\n", "0 t\1" } },
    { "modules", { 2, 1 }, { "a\n", "a" } },
};

void fuzz_folder_outside(unsigned which)
{
    char name[96];
    FUZZ_MUST(mkdir(outside, 0700) == 0 || errno == EEXIST);
    for (size_t i = 0; i < PC_COUNT_OF(outer_file); i++) {
        size_t len = outer_file[i].len[which];
        snprintf(name, sizeof(name), "%s/%s", outside, outer_file[i].name);
        int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
        FUZZ_MUST(fd >= 0 && write(fd, outer_file[i].bytes[which], len) == (ssize_t)len);
        close(fd);
    }
}

void fuzz_folder_put_link(const char *name)
{
    FUZZ_MUST(symlinkat("../" OUTSIDE, folder, name) == 0);
}

bool fuzz_folder_outside_stays(unsigned which)
{
    char name[96], bytes[32];
    unsigned nr = entries_of(outside);
    bool same = nr == PC_COUNT_OF(outer_file) && entries_of(top) == 2;
    for (size_t i = 0; i < PC_COUNT_OF(outer_file) && same; i++) {
        size_t len = outer_file[i].len[which];
        snprintf(name, sizeof(name), "%s/%s", outside, outer_file[i].name);
        int fd = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        same = fd >= 0 && read(fd, bytes, sizeof(bytes)) == (ssize_t)len &&
               memcmp(bytes, outer_file[i].bytes[which], len) == 0;
        if (fd >= 0)
            close(fd);
    }
    return same;
}

/* The target of a link of this name that leads outside: "../outside", "/outside", or a file in it. */
static bool lead_outside(const char *name, char target[160])
{
    static const char relative[] = "../" OUTSIDE;
    char inner[64];
    bool up = strncmp(target, relative, strlen(relative)) == 0;
    if (!up && strncmp(target, relative + 2, strlen(relative + 2)) != 0)
        return false;
    const char *end = target + strlen(up ? relative : relative + 2);
    if (*end && (*end != '/' || !fuzz_folder_is_name(end + 1)))
        return false;
    size_t len = strlen(end), at = 0;
    if (len >= sizeof(inner))
        return false;
    memcpy(inner, end, len + 1);
    for (const char *slash = strchr(name, '/'); up && slash && at < 64; slash = strchr(slash + 1, '/'))
        at += (size_t)snprintf(target + at, 160 - at, "../");
    snprintf(target + at, 160 - at, "%s%s", up ? relative : outside, inner);
    return true;
}

/* --- directories of members --- */

bool fuzz_folder_is_name(const char *name)
{
    return *name && name[0] != '/' && !strstr(name, "//") && !strstr(name, "./") &&
           name[strlen(name) - 1] != '.' && name[strlen(name) - 1] != '/' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_./") == strlen(name);
}

/* ~: a symbolic link to the bytes as a path; =: a FIFO; +: a directory. Returns whether it leads outside. */
static bool put_member(const char *name, char how, struct pc_span bytes)
{
    char target[160] = { 0 };
    if (how == 0) {
        fuzz_folder_put(name, bytes);
        return false;
    }
    if (!make_outer(name))
        return false;
    if (bytes.len < 64)
        memcpy(target, bytes.ptr, bytes.len);
    target[strcspn(target, "\n")] = 0;
    bool out = how == '~' && lead_outside(name, target);
    /* A second member of the same name is ignored. */
    int made = how == '='                           ? mkfifoat(folder, name, 0600)
               : how == '+'                         ? mkdirat(folder, name, 0700)
               : out || fuzz_folder_is_name(target) ? symlinkat(target, folder, name)
                                                    : 0;
    FUZZ_MUST(made == 0 || errno == EEXIST || errno == ENOTDIR);
    return out;
}

bool fuzz_folder_put_tree(const char *tree, struct pc_span in)
{
    char name[64];
    size_t start = 0, members = 0, next;
    char how = 0;
    bool out = false;
    snprintf(name, sizeof(name), "%s/data", tree);
    for (size_t at = 0; at <= in.len && members < MEMBERS; at++) {
        bool mark = at + strlen(MARK) < in.len && memcmp(in.ptr + at, MARK, strlen(MARK)) == 0;
        if (!mark && at != in.len)
            continue;
        if (at > start || (members == 0 && at == in.len)) {
            out |= put_member(name, how, pc_part(in, start, at - start));
            members++;
        }
        size_t len = at + 3 < in.len ? pc_first_zero(pc_part(in, at + 3, in.len - at - 3)) : 0;
        const unsigned char *end = mark ? memchr(in.ptr + at + 3, '\n', len) : NULL;
        size_t length = end ? (size_t)(end - in.ptr) - at - 3 : 0;
        char wanted[48] = { 0 };
        if (!end || length >= sizeof(wanted))
            continue;
        memcpy(wanted, in.ptr + at + 3, length);
        next = wanted[0] && strchr("~=+", wanted[0]) ? 1 : 0;
        if (!fuzz_folder_is_name(wanted + next))
            continue;
        how = next ? wanted[0] : 0;
        snprintf(name, sizeof(name), "%s/%s", tree, wanted + next);
        start = at + 3 + length + 1;
        at = start - 1;
    }
    return out;
}
