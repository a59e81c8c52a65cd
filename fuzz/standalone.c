/* SPDX-License-Identifier: MIT
 *
 * standalone.c: runs a harness over files, and over all files of directories. It needs no engine and works
 * with any compiler. The last line has the number of files; with --count=N any other number is an error.
 *
 *     NAME [--count=N] [FILE|DIRECTORY]...
 */
#include "harness.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned long files;

static int complain(const char *path)
{
    perror(path);
    return 1;
}

/* The bytes are in memory of exactly their size, for the sanitizers. */
static int replay_file(const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *bytes = malloc(size ? size : 1);
    if (!f || !bytes || fread(bytes, 1, size, f) != size)
        return complain(path);
    fclose(f);
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    files++;
    return 0;
}

static int replay(const char *path);

static int replay_directory(const char *path)
{
    struct dirent **entry;
    int nr = scandir(path, &entry, NULL, alphasort), failed = 0;
    if (nr < 0)
        return complain(path);
    for (int i = 0; i < nr; i++) {
        char inner[4096];
        int len = snprintf(inner, sizeof(inner), "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && len > 0 && (size_t)len < sizeof(inner))
            failed |= replay(inner);
        free(entry[i]);
    }
    free(entry);
    return failed;
}

static int replay(const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0)
        return complain(path);
    if (S_ISDIR(st.st_mode))
        return replay_directory(path);
    if (!S_ISREG(st.st_mode))
        return 0; /* a FIFO of a recipe: opening it would wait for a writer */
    /* This file is the one that ends the program. */
    if (getenv("FUZZ_VERBOSE"))
        fprintf(stderr, "%s\n", path);
    return replay_file(path, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
    const char *count = NULL;
    int failed = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--count=", 8) == 0)
            count = argv[i] + 8;
        else
            failed |= replay(argv[i]);
    }
    printf("%lu files\n", files);
    if (count && strtoul(count, NULL, 10) != files) {
        fprintf(stderr, "there should be %s\n", count);
        failed = 1;
    }
    return failed;
}
