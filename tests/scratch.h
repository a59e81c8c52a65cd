/* SPDX-License-Identifier: MIT
 *
 * tests/scratch.h: a folder for the files of a test program, in memory where the system has that, and
 * captures in it from recipes.
 */
#ifndef PC_TEST_SCRATCH_H
#define PC_TEST_SCRATCH_H

#include "pc_test.h"

#include <dirent.h>
#include <sys/socket.h>

#define SCRATCH_PATH 96

static char scratch[64];

/* The path of a file in the folder, which is made when it is not there yet; ends the program when it cannot.
 */
static inline void scratch_path(char path[SCRATCH_PATH], const char *name)
{
    if (!*scratch) {
        snprintf(scratch, sizeof(scratch), "%s/perfcheck-XXXXXX",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        if (!mkdtemp(scratch))
            exit(1);
    }
    snprintf(path, SCRATCH_PATH, "%s/%s", scratch, name);
}

/* Files and directories in it; `remove`: and takes them away, directories when they are empty. */
static inline unsigned scratch_look(bool remove)
{
    struct dirent *entry;
    char path[SCRATCH_PATH + 256];
    unsigned nr = 0;
    DIR *dir = opendir(scratch);
    while (dir && (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        nr++;
        snprintf(path, sizeof(path), "%s/%s", scratch, entry->d_name);
        if (remove && unlink(path) != 0)
            rmdir(path);
    }
    if (dir)
        closedir(dir);
    return nr;
}

static inline unsigned scratch_entries(void)
{
    return scratch_look(false);
}

static inline void scratch_remove(void)
{
    scratch_look(true);
    rmdir(scratch);
}

/* For struct test_file. */
static inline int scratch_tear_down(void **state)
{
    (void)state;
    scratch_remove();
    return 0;
}

/* A connection to `tools/assemble --each`, which is started once: starting Python takes longer than most
 * tests. It ends with the test program.
 */
static inline int assembler(void)
{
    static int to = -1;
    int ends[2];
    if (to >= 0)
        return to;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        execlp("python3", "python3", "tools/assemble", "--each", (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    close(ends[1]);
    return to = ends[0];
}

/* Makes a capture from a recipe: see tools/assemble. */
static inline void assemble(const char *recipe, const char *path)
{
    char answer[3];
    int to = assembler();
    assert_true(dprintf(to, "%zu %s\n%s", strlen(recipe), path, recipe) > 0);
    assert_int_equal(recv(to, answer, sizeof(answer), MSG_WAITALL), sizeof(answer));
    assert_memory_equal(answer, "ok\n", sizeof(answer));
}

#endif
