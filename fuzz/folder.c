/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* nftw */
#include "fuzz/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[64];
static int folder = -1;

static int remove_entry(const char *name, const struct stat *st, int type, struct FTW *level)
{
    (void)st;
    (void)type;
    if (level->level > 0)
        remove(name);
    return 0;
}

static void empty(void)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void remove_folder(void)
{
    empty();
    rmdir(path);
}

int fuzz_folder(void)
{
    if (folder < 0) {
        snprintf(path, sizeof(path), "%s/perfcheck-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_MUST(mkdtemp(path) != NULL);
        folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        FUZZ_MUST(folder >= 0);
        atexit(remove_folder);
    }
    empty();
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
