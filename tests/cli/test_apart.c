/* SPDX-License-Identifier: MIT */
#include "cli/apart.h"
#include "pc_test.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static bool write_one(void *ctx)
{
    *(char *)ctx = 1;
    return true;
}

static bool say_no(void *ctx)
{
    *(char *)ctx = 2;
    return false;
}

static bool crash(void *ctx)
{
    (void)ctx;
    return raise(SIGKILL) != 0;
}

static bool end(void *ctx)
{
    (void)ctx;
    _exit(3);
}

static bool run_for_ever(void *ctx)
{
    for (volatile unsigned i = 0;; i++)
        *(volatile char *)ctx = (char)i;
    return true;
}

/* 2 GiB, which a process of a 32-bit machine can have. */
static bool take_all(void *ctx)
{
    for (size_t i = 0; i < 128; i++) {
        void *taken = malloc((size_t)1 << 24);
        if (!taken)
            return false;
        memcpy(ctx, &taken, sizeof(taken));
    }
    return true;
}

static void a_copy_writes_what_is_shared_and_nothing_else(void **state)
{
    char *shared = pc_apart_share(64), own = 0;
    (void)state;
    assert_non_null(shared);
    assert_true(pc_apart_run(write_one, shared, 60, UINT64_MAX));
    assert_int_equal(*shared, 1);
    assert_true(pc_apart_run(write_one, &own, 60, UINT64_MAX));
    assert_int_equal(own, 0);
    assert_false(pc_apart_run(say_no, shared, 60, UINT64_MAX));
    assert_int_equal(*shared, 2);
    pc_apart_unshare(shared, 64);
    pc_apart_unshare(NULL, 64);
}

static void a_copy_that_does_not_come_to_its_end_is_told(void **state)
{
    char *shared = pc_apart_share(64);
    (void)state;
    assert_false(pc_apart_run(crash, NULL, 60, UINT64_MAX));
    assert_false(pc_apart_run(end, NULL, 60, UINT64_MAX));
    assert_false(pc_apart_run(run_for_ever, shared, 1, UINT64_MAX));
#ifdef PC_CONFINE
    assert_false(pc_apart_run(take_all, shared, 60, (uint64_t)1 << 30));
#endif
    assert_true(pc_apart_run(take_all, shared, 60, UINT64_MAX));
    pc_apart_unshare(shared, 64);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_copy_writes_what_is_shared_and_nothing_else),
    cmocka_unit_test(a_copy_that_does_not_come_to_its_end_is_told),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
