/* SPDX-License-Identifier: MIT
 *
 * make_generated SEED COUNT DIRECTORY: captures for tests/interop/judge-generated. Makes DIRECTORY/0 ... of
 * random plans for fuzz/build_capture.h, by turns without what one of the versions does not know; one depends
 * on the seed and its number alone.
 */
#include "build_capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PLAN_MAX 400

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * 0x2545f4914f6cdd1d >> 8;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void put(const char *path, const unsigned char *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, len, f) != len || fchmod(fileno(f), 0600) != 0 || fclose(f) != 0)
        fail(path);
}

static void put_directory(const char *path, const struct fuzz_built *built)
{
    char member[4096];
    if (mkdir(path, 0700) != 0)
        fail(path);
    for (unsigned i = 0; i < built->nr_members; i++) {
        const char *name = built->member[i].name, *slash = strchr(name, '/');
        if (slash) {
            snprintf(member, sizeof(member), "%s/%.*s", path, (int)(slash - name), name);
            mkdir(member, 0700); /* or it is there */
        }
        snprintf(member, sizeof(member), "%s/%s", path, name);
        put(member, built->member[i].bytes, built->member[i].len);
    }
}

/* Turns: each version for which --for can be given; whatever there is. */
static void build(struct pc_span plan, unsigned long number, struct fuzz_built *built)
{
    static const enum pc_versions versions[] = { PC_BY_5_10, PC_BY_6_1, PC_BY_6_12, PC_BY_7_2 };
    unsigned long turn = number % (PC_COUNT_OF(versions) + 1);
    if (turn < PC_COUNT_OF(versions))
        fuzz_build_for(plan, versions[turn], built);
    else
        fuzz_build(plan, built);
}

static void make(uint64_t seed, unsigned long number, const char *directory)
{
    unsigned char plan[PLAN_MAX];
    char path[2048];
    struct fuzz_built built;
    uint64_t random = (seed + 1) * 0x9e3779b97f4a7c15 ^ (number + 1) * 0xd1b54a32d192ed03;
    for (unsigned i = 0; i < 8; i++)
        next_random(&random);
    size_t len = (size_t)(next_random(&random) % PLAN_MAX);
    for (size_t i = 0; i < len; i++)
        plan[i] = (unsigned char)next_random(&random);
    build((struct pc_span){ plan, len }, number, &built);
    snprintf(path, sizeof(path), "%s/%lu", directory, number);
    if (built.directory)
        put_directory(path, &built);
    else
        put(path, built.bytes, built.len);
    fuzz_built_free(&built);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: make_generated SEED COUNT DIRECTORY\n");
        return 2;
    }
    unsigned long count = strtoul(argv[2], NULL, 10);
    for (unsigned long i = 0; i < count; i++)
        make(strtoull(argv[1], NULL, 10), i, argv[3]);
    return 0;
}
