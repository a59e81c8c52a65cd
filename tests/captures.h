/* SPDX-License-Identifier: MIT
 *
 * captures.h: the real captures that a test runs over: those bundled in corpus/real and, when it is there,
 * the larger set beside the project. INDEX.tsv says of each what check should say.
 */
#ifndef PC_CAPTURES_H
#define PC_CAPTURES_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

struct real_capture {
    char path[512];
    char mode[16], order[8], compressed[8], expect[16];
    unsigned char *bytes;
    size_t len;
};

static struct real_capture *real_captures;
static size_t nr_real_captures;

static inline bool load_bytes(struct real_capture *c)
{
    FILE *f = fopen(c->path, "rb");
    if (!f)
        return false;
    fseek(f, 0, SEEK_END);
    c->len = (size_t)ftell(f);
    rewind(f);
    c->bytes = malloc(c->len + 1);
    bool good = c->bytes && fread(c->bytes, 1, c->len, f) == c->len;
    fclose(f);
    return good;
}

/* Columns: path mode order arch perf compressed size sha256 samples expect command notes */
static inline void load_index(const char *dir)
{
    char path[512], line[8192];
    snprintf(path, sizeof(path), "%s/INDEX.tsv", dir);
    FILE *f = fopen(path, "r");
    if (!f)
        return;
    bool header = true;
    while (fgets(line, sizeof(line), f)) {
        char *column[10], *rest = line;
        for (size_t i = 0; i < 10; i++)
            column[i] = strsep(&rest, "\t");
        if (header || !column[9] || strcmp(column[1], "directory") == 0) {
            header = false;
            continue;
        }
        real_captures = realloc(real_captures, (nr_real_captures + 1) * sizeof(*real_captures));
        struct real_capture *c = &real_captures[nr_real_captures];
        memset(c, 0, sizeof(*c));
        snprintf(c->path, sizeof(c->path), "%s/%s", dir, column[0]);
        snprintf(c->mode, sizeof(c->mode), "%s", column[1]);
        snprintf(c->order, sizeof(c->order), "%s", column[2]);
        snprintf(c->compressed, sizeof(c->compressed), "%s", column[5]);
        snprintf(c->expect, sizeof(c->expect), "%s", column[9]);
        if (load_bytes(c))
            nr_real_captures++;
    }
    fclose(f);
}

/* all: also those of the folder PC_CAPTURES, where it is set. */
static inline void load_captures(bool all)
{
    const char *more = getenv("PC_CAPTURES");
    load_index("corpus/real");
    if (all && more)
        load_index(more);
}

static inline void free_captures(void)
{
    for (size_t i = 0; i < nr_real_captures; i++)
        free(real_captures[i].bytes);
    free(real_captures);
    real_captures = NULL;
    nr_real_captures = 0;
}

#endif
