/* SPDX-License-Identifier: MIT
 *
 * Directory captures: the real ones, and what the hooks of memory and input make of them.
 */
#include "pc_test.h"
#include "scan_whole.h"
#include "scratch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct directory {
    char path[256], order[8], expect[16];
    uint64_t samples;
};

static struct directory dirs[64];
static size_t nr_dirs;
static struct pc_policy policy;
static struct pc_limits limits;

static void load(const char *base)
{
    char path[300], line[8192];
    snprintf(path, sizeof(path), "%s/INDEX.tsv", base);
    FILE *f = fopen(path, "r");
    while (f && nr_dirs < PC_COUNT_OF(dirs) && fgets(line, sizeof(line), f)) {
        char *column[10], *rest = line;
        for (size_t i = 0; i < 10; i++)
            column[i] = strsep(&rest, "\t");
        if (!column[9] || strcmp(column[1], "directory") != 0)
            continue;
        struct directory *d = &dirs[nr_dirs++];
        snprintf(d->path, sizeof(d->path), "%s/%s", base, column[0]);
        snprintf(d->order, sizeof(d->order), "%s", column[2]);
        snprintf(d->expect, sizeof(d->expect), "%s", column[9]);
        d->samples = strtoull(column[8], NULL, 10);
    }
    if (f)
        fclose(f);
}

static int set_up(void **state)
{
    (void)state;
    const char *more = getenv("PC_CAPTURES");
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    load("corpus/real");
    if (more)
        load(more);
    return 0;
}

static void open_scan(struct pc_scan *scan, const struct directory *d)
{
    pc_scan_init(scan, &policy, &limits);
    assert_int_equal(pc_input_open(&scan->in, d->path), 0);
}

static void real_directories_get_the_verdict_of_their_index(void **state)
{
    (void)state;
    static struct pc_scan scan;
    assert_true(nr_dirs >= 3);
    for (size_t i = 0; i < nr_dirs; i++) {
        const struct directory *d = &dirs[i];
        open_scan(&scan, d);
        pc_scan_input(&scan);
        bool valid = strcmp(d->expect, "valid") == 0;
        if (pc_scan_verdict(&scan) != (valid ? PC_VALID : PC_INVALID))
            fail_msg("%s: verdict %d", d->path, pc_scan_verdict(&scan));
        if (valid)
            assert_int_equal(scan.check.flow.sum.by_type[PC_SAMPLE], d->samples);
        /* The kcore of the set is cut (its INDEX says so); nothing else is worth a warning. */
        if (valid)
            assert_int_equal(scan.report.by_severity[PC_WARNING], scan.report.by_id[PC_D_KCORE_CUT]);
        assert_true(scan.capture.is_directory);
        assert_int_equal(scan.capture.order, strcmp(d->order, "big") == 0 ? PC_BIG : PC_LITTLE);
        pc_scan_clear(&scan);
    }
}

static void every_failed_allocation_ends_cleanly(void **state)
{
    (void)state;
    static struct pc_scan scan;
    for (size_t i = 0; i < nr_dirs; i++) {
        if (strncmp(dirs[i].path, "corpus/", 7) != 0)
            continue;
        open_scan(&scan, &dirs[i]);
        pc_scan_input(&scan);
        uint64_t calls = scan.mem.calls, records = scan.check.flow.sum.total;
        pc_scan_clear(&scan);
        for (uint64_t k = 1; k <= calls; k++) {
            for (unsigned on = 0; on < 2; on++) {
                open_scan(&scan, &dirs[i]);
                scan.mem.fail_at = k;
                scan.mem.fail_on = on;
                pc_scan_input(&scan);
                assert_true(scan.report.unreadable || scan.check.flow.sum.total == records);
                assert_int_equal(scan.report.by_id[PC_D_READ_FAILED], 0);
                pc_scan_clear(&scan);
            }
        }
    }
}

static void every_failed_read_is_reported(void **state)
{
    (void)state;
    static struct pc_scan scan;
    for (size_t i = 0; i < nr_dirs; i++) {
        if (strncmp(dirs[i].path, "corpus/", 7) != 0)
            continue;
        /* Offsets count in every member. */
        for (uint64_t at = 1; at < 70000; at += 997) {
            open_scan(&scan, &dirs[i]);
            scan.in.fail_at = at;
            scan.in.at_most = 512;
            pc_scan_input(&scan);
            bool said = scan.report.by_id[PC_D_READ_FAILED] != 0;
            uint64_t largest = 0;
            for (size_t m = 0; m < scan.reader.directory.nr; m++) {
                uint64_t size = scan.reader.directory.member[m].size;
                bool is_data = scan.reader.directory.member[m].kind <= PC_MEMBER_OTHER;
                largest = is_data && size > largest ? size : largest;
            }
            if (at < largest)
                assert_true(said);
            if (said)
                assert_int_equal(pc_scan_verdict(&scan), PC_UNREADABLE);
            pc_scan_clear(&scan);
        }
    }
}

static bool is_open(int fd)
{
    return fd >= 0 && fcntl(fd, F_GETFD) != -1;
}

/* A caller that stops early closes what is open, including the current member. */
static void a_scan_that_ends_early_closes_everything(void **state)
{
    (void)state;
    static struct pc_scan scan;
    unsigned members = 0;
    for (size_t i = 0; i < nr_dirs; i++) {
        struct pc_item item = { .kind = PC_ITEM_HEADER };
        open_scan(&scan, &dirs[i]);
        while (item.where.member == NULL && pc_scan_next(&scan, &item)) {
        }
        int member = scan.reader.member.fd, input = scan.in.fd;
        members += is_open(member);
        pc_scan_clear(&scan);
        assert_false(is_open(member));
        assert_false(is_open(input));
    }
    assert_true(members >= 2);
}

/* The entries of a directory are work, though no file of it is read. */
static void names_are_work(void **state)
{
    (void)state;
    enum { NR = 2000 };
    static struct pc_scan scan;
    char path[SCRATCH_PATH], name[SCRATCH_PATH + 8];
    scratch_path(path, "names");
    assert_int_equal(mkdir(path, 0700), 0);
    for (unsigned i = 0; i < NR; i++) {
        snprintf(name, sizeof(name), "%s/%u", path, i);
        int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        assert_true(fd >= 0);
        close(fd);
    }
    pc_scan_init(&scan, &policy, &limits);
    assert_int_equal(pc_input_open(&scan.in, path), 0);
    pc_scan_input(&scan);
    assert_true(pc_scan_work(&scan) >= NR && pc_scan_work(&scan) < 2 * NR);
    pc_scan_clear(&scan);
    for (unsigned i = 0; i < NR; i++) {
        snprintf(name, sizeof(name), "%s/%u", path, i);
        unlink(name);
    }
    scratch_remove();
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(real_directories_get_the_verdict_of_their_index),
    cmocka_unit_test(every_failed_allocation_ends_cleanly),
    cmocka_unit_test(every_failed_read_is_reported),
    cmocka_unit_test(a_scan_that_ends_early_closes_everything),
    cmocka_unit_test(names_are_work),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };
