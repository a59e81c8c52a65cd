/* SPDX-License-Identifier: MIT
 *
 * What is true of an unfinished capture only now: the file grows, or a process writes to it.
 *
 * Other output depends on the input alone; this goes to standard error and into no JSON.
 */
#include "cli/opener.h"
#include "cli/print.h"
#include "cli/show.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Whether one of the open files in this folder (proc/PID/fd) is the file, open for writing: proc(5) shows the
 * mode as the permissions of the link. */
static bool has_writer(DIR *fds, const struct stat *file)
{
    const struct dirent *entry;
    struct stat link, target;
    while ((entry = readdir(fds)) != NULL) {
        if (fstatat(dirfd(fds), entry->d_name, &target, 0) == 0 && target.st_dev == file->st_dev &&
            target.st_ino == file->st_ino &&
            fstatat(dirfd(fds), entry->d_name, &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode) &&
            (link.st_mode & S_IWUSR))
            return true;
    }
    return false;
}

static bool is_writer(int proc, const char *process, const struct stat *file)
{
    char path[32];
    snprintf(path, sizeof(path), "%.20s/fd", process);
    int fd = openat(proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *fds = fd < 0 ? NULL : fdopendir(fd);
    bool found = fds && has_writer(fds, file);
    if (fds)
        closedir(fds);
    else if (fd >= 0)
        close(fd);
    return found;
}

static void say_writers(const struct pc_printer *p, const char *path, const struct stat *file)
{
    const struct dirent *entry;
    DIR *proc = opendir("/proc");
    while (proc && (entry = readdir(proc)) != NULL) {
        if (entry->d_name[strspn(entry->d_name, "0123456789")] != '\0' ||
            !is_writer(dirfd(proc), entry->d_name, file))
            continue;
        fputs("perfcheck: ", p->err);
        pc_print_escaped(p->err, path);
        fprintf(p->err, ": process %s writes to it; to end a recording: kill -INT %s\n", entry->d_name,
                entry->d_name);
    }
    if (proc)
        closedir(proc);
}

void pc_print_live_file(const struct pc_printer *p, const char *path, uint64_t size)
{
    struct stat file;
    if (pc_opener_tell_live(path, size))
        return;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return;
    if ((uint64_t)file.st_size > size) {
        fputs("perfcheck: ", p->err);
        pc_print_escaped(p->err, path);
        fprintf(p->err, ": it grew by %" PRIu64 " bytes: it is still being recorded or copied\n",
                (uint64_t)file.st_size - size);
    }
    say_writers(p, path, &file);
}

void pc_print_live(const struct pc_printer *p, const char *path, perfcheck_t *pc)
{
    if (pc_hint_salvages(pc))
        pc_print_live_file(p, path, perfcheck_summary(pc)->size);
}
