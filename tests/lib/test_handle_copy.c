/* SPDX-License-Identifier: MIT
 *
 * Copies and digests through the public interface: to a callback and to a path, of directories, what is
 * reported.
 */
#include "lib_bench.h"

#define BYTES_MAX ((size_t)4 << 20) /* of a copy that a test keeps */

static struct bytes new_bytes(size_t most)
{
    return (struct bytes){ .bytes = malloc(BYTES_MAX), .most = most };
}

static void digest_of(const void *bytes, size_t size, char digest[64])
{
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_open_memory(pc, bytes, size), PERFCHECK_OK);
    const char *text = perfcheck_digest(pc);
    assert_non_null(text);
    snprintf(digest, 64, "%s", text);
    assert_true(strlen(text) == 36 && strncmp(text, "pc1:", 4) == 0);
    perfcheck_free(pc);
}

static void copies_go_to_a_callback_and_to_a_path(void **state)
{
    (void)state;
    char path[SCRATCH_PATH], before[64], after[64];
    scratch_path(path, "copy");
    struct bytes copy = new_bytes(BYTES_MAX);
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        struct stat st;
        if (strcmp(c->expect, "valid") != 0)
            continue;
        perfcheck_t *pc = perfcheck_new();
        copy.len = 0;
        assert_int_equal(perfcheck_set(pc, "byte-order", "swap"), PERFCHECK_OK);
        assert_int_equal(perfcheck_set(pc, "force", NULL), PERFCHECK_OK);
        assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
        assert_int_equal(perfcheck_rewrite_to(pc, take_bytes, &copy), PERFCHECK_OK);
        assert_string_equal(perfcheck_error(pc), "");
        digest_of(c->bytes, c->len, before);
        digest_of(copy.bytes, copy.len, after);
        assert_string_equal(before, after);
        assert_int_equal(perfcheck_open_path(pc, c->path), PERFCHECK_OK);
        assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_OK);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(st.st_size, copy.len);
        perfcheck_free(pc);
    }
    assert_int_equal(unlink(path), 0);
    free(copy.bytes);
}

/* How often a capture was begun to be read. */
static int count_readings(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    unsigned *readings = ctx;
    (void)total;
    *readings += doing && done == 0;
    return 0;
}

static void put_word(struct bytes *b, uint64_t word)
{
    memcpy(b->bytes + b->len, &word, sizeof(word));
    b->len += sizeof(word);
}

/* Headers of SAMPLE in all bytes of a pipe: each place may begin a record, and none is whole. Each reading
 * would find another one inside of others. */
static void a_salvage_of_nothing_but_headers_ends_soon(void **state)
{
    (void)state;
    const uint64_t header = (uint64_t)24 << 48 | (uint64_t)2 << 32 | 9;
    struct bytes in = new_bytes((size_t)1 << 20), copy = new_bytes(BYTES_MAX);
    unsigned readings = 0;
    const uint64_t attr[] = {
        0x32454c4946524550, 16, (uint64_t)80 << 48 | 64, (uint64_t)64 << 32 | 1, 0, 1000, 0x167, 4, 0, 0, 0, 1
    };
    for (size_t i = 0; i < sizeof(attr) / sizeof(attr[0]); i++)
        put_word(&in, attr[i]);
    while (in.len < (size_t)1 << 20)
        put_word(&in, header);
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_set(pc, "salvage", NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_on_progress(pc, count_readings, &readings), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, in.bytes, in.len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite_to(pc, take_bytes, &copy), PERFCHECK_OK);
    assert_in_range(readings, 1, 6);
    assert_int_equal(copy.len, sizeof(attr)); /* only the attr is whole */
    assert_memory_equal(copy.bytes, in.bytes, sizeof(attr));
    perfcheck_free(pc);
    free(in.bytes);
    free(copy.bytes);
}

static void a_directory_is_written_from_memory(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("7.2-cpuclock");
    char path[SCRATCH_PATH], data[SCRATCH_PATH];
    scratch_path(path, "directory");
    scratch_path(data, "directory/data");
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_set(pc, "to", "directory"), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_VALID);
    assert_string_equal(perfcheck_summary(pc)->container, "directory");
    struct bytes copy = new_bytes(BYTES_MAX);
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite_to(pc, take_bytes, &copy), PERFCHECK_MISUSE);
    perfcheck_free(pc);
    free(copy.bytes);
    assert_int_equal(unlink(data), 0);
    assert_int_equal(rmdir(path), 0);
}

struct said {
    unsigned messages, findings;
    char last[128];
};

static void take_message(void *ctx, const char *about, const char *what, const char *why)
{
    struct said *said = ctx;
    said->messages++;
    assert_true(*about && *what);
    snprintf(said->last, sizeof(said->last), "%s%s", what, why ? why : "");
}

static int count_finding(void *ctx, const perfcheck_finding_t *finding)
{
    struct said *said = ctx;
    said->findings += finding->severity == PERFCHECK_ERROR;
    return 0;
}

/* Refuses the call with this number, and takes all others. */
struct refusing {
    unsigned refused, calls;
};

static int refuse_one(void *ctx, const void *bytes, size_t size)
{
    struct refusing *r = ctx;
    (void)bytes, (void)size;
    return r->calls++ == r->refused;
}

static void what_was_refused_once_is_not_asked_for_again(void **state)
{
    (void)state;
    const struct real_capture *large = capture_named("s390x-612-pipe-tp");
    struct refusing all = { .refused = UINT_MAX };
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_open_memory(pc, large->bytes, large->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite_to(pc, refuse_one, &all), PERFCHECK_OK);
    assert_true(all.calls > 2);
    for (unsigned i = 0; i < all.calls; i++) {
        struct refusing one = { .refused = i };
        assert_int_equal(perfcheck_open_memory(pc, large->bytes, large->len), PERFCHECK_OK);
        assert_int_equal(perfcheck_rewrite_to(pc, refuse_one, &one), PERFCHECK_STOPPED);
        assert_int_equal(one.calls, i + 1);
    }
    perfcheck_free(pc);
}

/* The same for progress, whose last call of a piece of work is not asked. */
static int refuse_progress(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    struct refusing *r = ctx;
    (void)done, (void)total;
    return doing ? r->calls++ == r->refused : 1;
}

/* Whatever is done, from the first call of the callback for progress to the last. */
static void work_that_is_stopped_writes_nothing(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("s390x-612-pipe-tp");
    char path[SCRATCH_PATH], data[SCRATCH_PATH];
    scratch_path(path, "stopped");
    scratch_path(data, "stopped/data");
    for (int work = 0; work < 5; work++) {
        for (unsigned refused = 0, stopped = 1; stopped; refused++) {
            struct refusing r = { .refused = refused };
            perfcheck_t *pc = perfcheck_new();
            assert_int_equal(perfcheck_on_progress(pc, refuse_progress, &r), PERFCHECK_OK);
            if (work == 1)
                assert_int_equal(perfcheck_set(pc, "no-verify", NULL), PERFCHECK_OK);
            if (work == 2)
                assert_int_equal(perfcheck_set(pc, "salvage", NULL), PERFCHECK_OK);
            assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
            perfcheck_status_t status = work == 3   ? perfcheck_join(pc, NULL, 0, path)
                                        : work == 4 ? perfcheck_check(pc)
                                                    : perfcheck_rewrite(pc, path);
            stopped = r.calls > refused;
            assert_int_equal(status, stopped ? PERFCHECK_STOPPED : PERFCHECK_OK);
            assert_string_equal(perfcheck_error(pc), stopped ? "a callback ended it" : "");
            assert_int_equal(scratch_entries(), stopped || work == 4 ? 0 : 1);
            perfcheck_free(pc);
            unlink(data);
            if (unlink(path) != 0)
                rmdir(path);
            assert_true(refused < 100);
        }
    }
}

static int refuse_loss(void *ctx, const perfcheck_loss_t *loss)
{
    unsigned *told = ctx;
    (void)loss;
    return ++*told == 2;
}

static void a_copy_whose_losses_are_refused_is_not_written(void **state)
{
    (void)state;
    const struct real_capture *bad = capture_named("6.12-kill9");
    char path[SCRATCH_PATH];
    unsigned told = 0;
    scratch_path(path, "copy");
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_on_loss(pc, refuse_loss, &told), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "salvage", NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, bad->bytes, bad->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_STOPPED);
    assert_string_equal(perfcheck_error(pc), "a callback ended it");
    assert_true(told == 2 && scratch_entries() == 0);
    assert_null(perfcheck_salvaged(pc));
    perfcheck_free(pc);
}

struct ready {
    perfcheck_t *pc;
    unsigned calls;
    int answer;
};

static int be_ready(void *ctx)
{
    struct ready *ready = ctx;
    assert_non_null(perfcheck_copied(ready->pc));
    assert_int_equal(perfcheck_copied(ready->pc)->records, perfcheck_salvaged(ready->pc)->saved);
    assert_int_equal(scratch_entries(), 1); /* under a name of its own */
    ready->calls++;
    return ready->answer;
}

static void a_copy_may_be_refused_before_it_has_its_name(void **state)
{
    (void)state;
    const struct real_capture *bad = capture_named("6.12-kill9");
    char path[SCRATCH_PATH];
    scratch_path(path, "copy");
    perfcheck_t *pc = perfcheck_new();
    struct ready ready = { pc, 0, 1 };
    assert_int_equal(perfcheck_on_ready(pc, be_ready, &ready), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "salvage", NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, bad->bytes, bad->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_on_ready(pc, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_STOPPED);
    assert_true(ready.calls == 1 && scratch_entries() == 0);
    assert_null(perfcheck_salvaged(pc));
    ready.answer = 0;
    assert_int_equal(perfcheck_open_memory(pc, bad->bytes, bad->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_OK);
    assert_true(ready.calls == 2 && scratch_entries() == 1);
    unlink(path);
    perfcheck_free(pc);
}

static void an_output_that_cannot_be_written_is_refused(void **state)
{
    (void)state;
    const struct real_capture *bad = capture_named("6.12-kill9"), *good = capture_named("7.2-cpuclock");
    char path[SCRATCH_PATH];
    struct said said = { .messages = 0 };
    struct bytes copy = new_bytes(100);
    scratch_path(path, "copy");
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_on_message(pc, take_message, &said), PERFCHECK_OK);
    assert_int_equal(perfcheck_on_finding(pc, count_finding, &said), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, bad->bytes, bad->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_REFUSED);
    assert_true(said.messages == 2 && said.findings > 0);
    assert_string_equal(said.last, "next--salvage");
    assert_non_null(strstr(perfcheck_error(pc), "refused: the capture has errors"));
    assert_int_equal(scratch_entries(), 0);

    assert_int_equal(perfcheck_open_memory(pc, good->bytes, good->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite_to(pc, take_bytes, &copy), PERFCHECK_STOPPED);
    assert_string_not_equal(perfcheck_error(pc), "");
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_MISUSE); /* it is closed */

    assert_int_equal(perfcheck_open_memory(pc, good->bytes, good->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_next(pc, NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_MISUSE); /* it was read */
    assert_null(perfcheck_digest(pc));

    for (int twice = 0; twice < 2; twice++) {
        assert_int_equal(perfcheck_open_memory(pc, good->bytes, good->len), PERFCHECK_OK);
        assert_int_equal(perfcheck_rewrite(pc, path), twice ? PERFCHECK_IO : PERFCHECK_OK);
    }
    assert_non_null(strstr(perfcheck_error(pc), "it exists"));
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_OK);
    assert_int_equal(perfcheck_rewrite(pc, path), PERFCHECK_IO);
    perfcheck_free(pc);
    assert_int_equal(scratch_entries(), 1);
    assert_int_equal(unlink(path), 0);
    free(copy.bytes);
}

struct reports {
    unsigned nr;
    bool recognised, about_copy;
    char path[SCRATCH_PATH], id[16];
};

static void take_report(void *ctx, perfcheck_t *pc, const char *name)
{
    struct reports *r = ctx;
    const perfcheck_finding_t *f;
    r->nr++;
    r->recognised = perfcheck_summary(pc)->recognised;
    snprintf(r->path, sizeof(r->path), "%s", name);
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL; i++) {
        if (f->severity != PERFCHECK_ERROR)
            continue;
        snprintf(r->id, sizeof(r->id), "%s", f->id);
        r->about_copy = f->about_copy;
    }
    assert_true(perfcheck_count(pc, PERFCHECK_ERROR) == 1);
}

static void a_rewrite_reports_what_it_finds(void **state)
{
    (void)state;
    struct reports r = { .nr = 0 };
    assemble(RECIPE("0x400100", "box"), one_path);
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_on_report(pc, take_report, &r), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "byte-order", "swap"), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "force", NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_on_report(pc, NULL, NULL), PERFCHECK_MISUSE); /* a capture is open */
    assert_int_equal(perfcheck_rewrite(pc, other_path), PERFCHECK_REFUSED);  /* TYPE_100 cannot be swapped */
    assert_true(r.nr == 1 && r.recognised && r.about_copy);
    assert_string_equal(r.path, one_path);
    assert_string_equal(r.id, "PC1301");
    assert_null(perfcheck_summary(pc)); /* it is over, and the handle closed */
    scratch_path(other_path, "missing");
    assert_int_equal(perfcheck_open_path(pc, other_path), PERFCHECK_IO);
    assert_null(perfcheck_digest(pc));
    assert_true(r.nr == 2 && !r.recognised && !r.about_copy);
    assert_string_equal(r.path, other_path);
    perfcheck_free(pc);
}

static unsigned open_descriptors(void)
{
    unsigned nr = 0;
    for (int fd = 0; fd < 256; fd++)
        nr += fcntl(fd, F_GETFD) >= 0;
    return nr;
}

/* Removes an empty kcore_dir, and the directory that it and a capture were joined to. */
static void remove_joined(const char *joined, const char *kcore)
{
    char file[SCRATCH_PATH];
    scratch_path(file, "joined/data");
    assert_int_equal(unlink(file), 0);
    scratch_path(file, "joined/kcore_dir");
    assert_int_equal(rmdir(file), 0);
    assert_int_equal(rmdir(joined), 0);
    assert_int_equal(rmdir(kcore), 0);
}

/* The caller's descriptors stay open, and no other does. */
static void join_leaves_the_descriptors_as_they_were(void **state)
{
    (void)state;
    char joined[SCRATCH_PATH], kcore[SCRATCH_PATH], other[SCRATCH_PATH];
    char *kcores[] = { kcore }, *wrong[] = { other, kcore };
    scratch_path(joined, "joined");
    scratch_path(kcore, "kcore_dir");
    scratch_path(other, "other");
    assemble(RECIPE("0x400100", "box"), one_path);
    assert_int_equal(mkdir(kcore, 0755), 0);
    int input = fcntl(STDIN_FILENO, F_GETFD) < 0 ? open("/dev/null", O_RDONLY) : -1;
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    unsigned before = open_descriptors();
    perfcheck_t *pc = open_path(one_path);
    assert_int_equal(perfcheck_join(pc, kcores, 1, joined), PERFCHECK_OK);
    perfcheck_free(pc);
    assert_int_equal(open_descriptors(), before);
    pc = open_path(one_path);
    assert_int_equal(perfcheck_join(pc, wrong, 2, joined), PERFCHECK_IO); /* before kcore_dir is opened */
    perfcheck_free(pc);
    assert_int_equal(open_descriptors(), before);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
    if (input >= 0)
        close(input);
    remove_joined(joined, kcore);
}

static void split_and_join_are_inverse(void **state)
{
    (void)state;
    char joined[SCRATCH_PATH], kcore[SCRATCH_PATH], split[SCRATCH_PATH], file[SCRATCH_PATH], one[64];
    char *kcores[] = { kcore };
    scratch_path(joined, "joined");
    scratch_path(split, "split");
    scratch_path(kcore, "kcore_dir");
    assemble(RECIPE("0x400100", "box"), one_path);
    assert_int_equal(mkdir(kcore, 0755), 0);
    perfcheck_t *pc = open_path(one_path);
    assert_int_equal(perfcheck_join(pc, kcores, 1, joined), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_path(pc, joined), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_string_equal(perfcheck_summary(pc)->container, "directory");
    scratch_path(file, "joined/data");
    struct stat st;
    assert_int_equal(stat(file, &st), 0);
    expect_entry(pc, PERFCHECK_MEMBERS, 0, "data", (uint64_t)st.st_size, "none");
    assert_null(perfcheck_entry(pc, PERFCHECK_MEMBERS, 1)); /* the kcore_dir is empty */
    const perfcheck_summary_t *copy = perfcheck_copied(pc);
    uint64_t records = perfcheck_summary(pc)->records;
    assert_true(copy && records != 0 && copy->records == records);
    assert_string_equal(copy->container, "directory");
    assert_int_equal(perfcheck_open_path(pc, joined), PERFCHECK_OK);
    assert_int_equal(perfcheck_split(pc, split), PERFCHECK_OK);
    copy = perfcheck_copied(pc);
    assert_true(copy && copy->records == records && copy->recognised);
    assert_string_equal(copy->container, "file");
    scratch_path(file, "split/kcore_dir");
    assert_int_equal(rmdir(file), 0);
    scratch_path(file, "split/perf.data");
    assert_int_equal(perfcheck_open_path(pc, file), PERFCHECK_OK);
    snprintf(one, sizeof(one), "%s", perfcheck_digest(pc));
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    assert_string_equal(perfcheck_digest(pc), one);
    assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
    assert_int_equal(perfcheck_split(pc, split), PERFCHECK_IO); /* it is a file */
    assert_non_null(strstr(perfcheck_error(pc), "is no directory"));
    assert_null(perfcheck_copied(pc));
    assert_null(perfcheck_copied(NULL));
    perfcheck_free(pc);
    assert_int_equal(unlink(file), 0);
    assert_int_equal(rmdir(split), 0);
    remove_joined(joined, kcore);
}

static void some_findings_are_mended_by_no_copy(void **state)
{
    (void)state;
    static const struct {
        const char *reader, *id;
        int mended;
    } rows[] = {
        { "perf-5.10", "PC1120", 1 }, { "all", "PC1120", 0 }, /* STAT with indices is for one perf alone */
        { "perf-5.10", "PC1127", 1 }, { "all", "PC1127", 1 }, /* no event of this capture is of a PMU */
        { "perf-5.10", "PC1107", 1 },                         /* trace data in a pipe: in a file it is */
        { "all", "PC0203", 0 },       { "all", "PC9999", 0 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        perfcheck_t *pc = perfcheck_new();
        assert_int_equal(perfcheck_set(pc, "for", rows[i].reader), PERFCHECK_OK);
        assert_int_equal(perfcheck_mends(pc, rows[i].id), 0); /* nothing is open */
        assert_int_equal(perfcheck_open_path(pc, one_path), PERFCHECK_OK);
        assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
        assert_int_equal(perfcheck_mends(pc, rows[i].id), rows[i].mended);
        assert_int_equal(perfcheck_mends(pc, NULL), 0);
        perfcheck_free(pc);
    }
    assert_int_equal(perfcheck_mends(NULL, "PC1120"), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(copies_go_to_a_callback_and_to_a_path),
    cmocka_unit_test(a_salvage_of_nothing_but_headers_ends_soon),
    cmocka_unit_test(a_directory_is_written_from_memory),
    cmocka_unit_test(what_was_refused_once_is_not_asked_for_again),
    cmocka_unit_test(a_copy_whose_losses_are_refused_is_not_written),
    cmocka_unit_test(a_copy_may_be_refused_before_it_has_its_name),
    cmocka_unit_test(an_output_that_cannot_be_written_is_refused),
    cmocka_unit_test(work_that_is_stopped_writes_nothing),
    cmocka_unit_test(a_rewrite_reports_what_it_finds),
    cmocka_unit_test(join_leaves_the_descriptors_as_they_were),
    cmocka_unit_test(split_and_join_are_inverse),
    cmocka_unit_test(some_findings_are_mended_by_no_copy),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
