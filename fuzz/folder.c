/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "fuzz/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
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
    empty(path);
    rmdir(path);
}

/* Removes what processes that were killed have left: the name says whose it was. */
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
        snprintf(path, sizeof(path), "%s/%s%ld", base, prefix, (long)getpid());
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

unsigned fuzz_folder_entries(void)
{
    unsigned nr = 0;
    DIR *dir = opendir(path);
    FUZZ_MUST(dir != NULL);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        nr += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return nr;
}

void fuzz_folder_put(const char *name, struct pc_span bytes)
{
    char outer[256];
    for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(outer, sizeof(outer), "%.*s", (int)(slash - name), name);
        mkdirat(folder, outer, 0700);
    }
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    /* Two members may want one name for a file and a folder. */
    if (fd >= 0) {
        FUZZ_MUST(write(fd, bytes.ptr, bytes.len) == (ssize_t)bytes.len);
        close(fd);
    }
}

struct fuzz_bytes fuzz_folder_get(const char *name)
{
    struct fuzz_bytes b = { NULL, 0 };
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return b;
    FUZZ_MUST(fstat(fd, &st) == 0);
    b.len = (size_t)st.st_size;
    b.bytes = malloc(b.len + 1);
    FUZZ_MUST(b.bytes && read(fd, b.bytes, b.len) == (ssize_t)b.len);
    close(fd);
    return b;
}
