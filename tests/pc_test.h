/* SPDX-License-Identifier: MIT
 *
 * What every unit test includes: cmocka in the order that its header needs, and memory that ends at an
 * inaccessible page.
 */
#ifndef PC_TEST_H
#define PC_TEST_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/base.h"

/* What each file of tests defines: its tests, and what is done before the first and after the last one, or
 * NULL. main.c runs them. */
struct test_file {
    const struct CMUnitTest *tests;
    size_t nr;
    int (*set_up)(void **state), (*tear_down)(void **state);
};
extern const struct test_file test_file;

/* The arguments of the program, without its name; ends with NULL. */
extern char **test_arguments;

/* Ends the test: this machine lacks what it needs. tests/run wants the reason. */
static inline void lacks(const char *what)
{
    printf("skipped: %s\n", what);
    fflush(stdout);
    skip();
}

/* Bytes whose last one lies directly before a PROT_NONE page: one byte of over-read is a fault even
 * without a sanitizer. */
struct guarded {
    unsigned char *map;
    size_t size; /* usable bytes */
};

static inline struct guarded guarded_new(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded g = { .size = (size + page - 1) / page * page };
    g.map = mmap(NULL, g.size + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.map != MAP_FAILED);
    assert_int_equal(mprotect(g.map + g.size, page, PROT_NONE), 0);
    return g;
}

/* A copy of the bytes that ends at the page. */
static inline struct pc_span guarded_put(struct guarded *g, const void *bytes, size_t n)
{
    assert_true(n <= g->size);
    if (n != 0)
        memcpy(g->map + g->size - n, bytes, n);
    return (struct pc_span){ g->map + g->size - n, n };
}

static inline void guarded_free(struct guarded *g)
{
    munmap(g->map, g->size + (size_t)sysconf(_SC_PAGESIZE));
}

#define SPAN(...)                                                                                            \
    ((struct pc_span){ (const unsigned char[]){ __VA_ARGS__ },                                               \
                       sizeof((const unsigned char[]){ __VA_ARGS__ }) })

#endif
