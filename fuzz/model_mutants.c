/* SPDX-License-Identifier: MIT
 *
 * model_mutants: runs the harness model_diff over captures that the mutator changes. Input number N depends
 * on the seeds only. The last lines have counts of what was compared.
 *
 *   model_mutants [--from=N] [--count=N] [--keep=DIRECTORY] FILE|DIRECTORY...
 *
 * Each argument is a group of seeds. Groups are chosen with equal probability; generated captures are one
 * more group. With --keep a broken claim does not end the program: it stores the input there, by its number.
 */
#include "build_capture.h"
#include "harness.h"
#include "model_diff.h"
#include "mutator.h"

#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GROUPS_MAX 16
#define PLAN_MAX   128

struct seed {
    unsigned char *bytes;
    size_t len;
};
struct group {
    struct seed *seed;
    size_t nr, cap;
};

static struct group group[GROUPS_MAX];
static size_t nr_groups;
static unsigned char input[FUZZ_INPUT_MAX], other[FUZZ_INPUT_MAX], plan[PLAN_MAX];
static size_t input_len;
static uint64_t number;
static const char *keep;
static volatile sig_atomic_t stopped;
static sigjmp_buf go_on;

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* --- seeds --- */

static void add_file(struct group *g, const char *path, size_t size)
{
    FILE *f = fopen(path, "rb");
    struct seed s = { malloc(size + 1), size };
    if (!f || !s.bytes || fread(s.bytes, 1, size, f) != size)
        fail(path);
    fclose(f);
    if (g->nr == g->cap) {
        g->cap = g->cap ? 2 * g->cap : 64;
        g->seed = realloc(g->seed, g->cap * sizeof(*g->seed));
        if (!g->seed)
            fail(path);
    }
    g->seed[g->nr++] = s;
}

static void add(struct group *g, const char *path)
{
    struct stat st;
    struct dirent **entry;
    if (stat(path, &st) != 0)
        fail(path);
    if (!S_ISDIR(st.st_mode)) {
        if (st.st_size > 0 && (size_t)st.st_size <= FUZZ_INPUT_MAX)
            add_file(g, path, (size_t)st.st_size);
        return;
    }
    int nr = scandir(path, &entry, NULL, alphasort);
    if (nr < 0)
        fail(path);
    for (int i = 0; i < nr; i++) {
        char inner[4096];
        int len = snprintf(inner, sizeof(inner), "%s/%s", path, entry[i]->d_name);
        if (entry[i]->d_name[0] != '.' && len > 0 && (size_t)len < sizeof(inner))
            add(g, inner);
        free(entry[i]);
    }
    free(entry);
}

/* --- one input from its number --- */

static uint64_t state;

/* splitmix64 */
static uint64_t pick(uint64_t below)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return below == 0 ? 0 : (z ^ z >> 31) % below;
}

static size_t raw(uint8_t *data, size_t size, size_t max_size)
{
    static const uint8_t edge[] = { 0, 1, 7, 8, 9, 16, 0x7f, 0x80, 0xff };
    for (uint64_t n = 1 + pick(3); n > 0 && size != 0; n--) {
        size_t at = (size_t)pick(pick(3)      ? size
                                 : size < 512 ? size
                                              : 512),
               most = size - at, len = (size_t)pick(16) + 1, to;
        len = len < most ? len : most;
        switch (pick(7)) {
        case 0:
            data[at] ^= (uint8_t)(1u << pick(8));
            break;
        case 1:
            data[at] = edge[pick(sizeof(edge))];
            break;
        case 2:
            data[at] = (uint8_t)pick(256);
            break;
        case 3: /* cut out */
            memmove(data + at, data + at + len, most - len);
            size -= len;
            break;
        case 4: /* twice */
            if (len > max_size - size)
                break;
            memmove(data + at + len, data + at, most);
            size += len;
            break;
        case 5: /* elsewhere */
            to = (size_t)pick(size - len + 1);
            memmove(data + to, data + at, len);
            break;
        default: /* cut off */
            if (pick(4) == 0)
                size = at;
        }
    }
    return size;
}

static size_t choose(unsigned char *to)
{
    size_t which = (size_t)pick(nr_groups + 1);
    if (which == nr_groups) {
        struct fuzz_built built;
        size_t len = (size_t)pick(PLAN_MAX), n;
        for (size_t i = 0; i < len; i++)
            plan[i] = (unsigned char)pick(256);
        fuzz_build((struct pc_span){ plan, len }, &built);
        n = built.len < FUZZ_INPUT_MAX ? built.len : FUZZ_INPUT_MAX;
        memcpy(to, built.bytes, n);
        fuzz_built_free(&built);
        return n;
    }
    const struct seed *s = &group[which].seed[pick(group[which].nr)];
    memcpy(to, s->bytes, s->len);
    return s->len;
}

static void make_input(void)
{
    state = number * 0xd1342543de82ef95u;
    input_len = choose(input);
    if (pick(16) == 0) {
        static unsigned char crossed[FUZZ_INPUT_MAX];
        size_t len = choose(other);
        input_len = fuzz_cross(input, input_len, other, len, crossed, sizeof(crossed), pick(UINT64_MAX));
        memcpy(input, crossed, input_len);
    }
    for (uint64_t n = 1 + pick(2) * pick(3); n > 0 && input_len != 0; n--)
        input_len = fuzz_mutate(input, input_len, sizeof(input), pick(UINT64_MAX), raw);
}

/* --- all of them --- */

static void broken(int signal)
{
    (void)signal;
    fprintf(stderr, "input %llu\n", (unsigned long long)number);
    if (keep)
        siglongjmp(go_on, 1);
}

static void keep_input(void)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%llu", keep, (unsigned long long)number);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(input, 1, input_len, f) != input_len || fclose(f) != 0)
        fail(path);
}

/* Shows how far the comparison came. */
static void stop_here(int signal)
{
    (void)signal;
    stopped = 1;
}

static uint64_t value_of(const char *argument)
{
    return strtoull(strchr(argument, '=') + 1, NULL, 10);
}

int main(int argc, char **argv)
{
    static uint64_t from, count = 1000; /* longjmp leaves them */
    static uint64_t disagreements;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--from=", 7) == 0)
            from = value_of(argv[i]);
        else if (strncmp(argv[i], "--count=", 8) == 0)
            count = value_of(argv[i]);
        else if (strncmp(argv[i], "--keep=", 7) == 0)
            keep = argv[i] + 7;
        else if (nr_groups < GROUPS_MAX) {
            add(&group[nr_groups], argv[i]);
            nr_groups += group[nr_groups].nr != 0;
        }
    }
    struct sigaction action = { .sa_handler = broken, .sa_flags = SA_NODEFER };
    sigaction(SIGABRT, &action, NULL);
    signal(SIGTERM, stop_here);
    signal(SIGINT, stop_here);
    for (number = from; number - from < count && !stopped; number++) {
        make_input();
        if (sigsetjmp(go_on, 1) == 0) {
            LLVMFuzzerTestOneInput(input, input_len);
            continue;
        }
        keep_input();
        disagreements++;
    }
    const struct fuzz_agreement *a = &fuzz_agreement;
    printf("%llu inputs: %llu accepted and %llu refused by both, %llu refused for what the model does not "
           "judge, "
           "%llu at a limit\n",
           (unsigned long long)a->inputs, (unsigned long long)a->accepted, (unsigned long long)a->refused,
           (unsigned long long)a->unjudged, (unsigned long long)a->limited);
    printf("the same in both: %llu parts, %llu samples, %llu fields, %llu sums; disagreements: %llu\n",
           (unsigned long long)a->parts, (unsigned long long)a->samples, (unsigned long long)a->values,
           (unsigned long long)a->sums, (unsigned long long)disagreements);
    printf("with: %llu model inputs\n%d passed, %d failed\n", (unsigned long long)a->inputs,
           disagreements == 0, disagreements != 0);
    return disagreements != 0;
}
