/* SPDX-License-Identifier: MIT
 *
 * test_rewrite_verify [--all]: what a rewriter promises of its own defects and of the disk's: a copy that is
 * not what was to be written gets no name. Between the writing and the reading of it, the file is changed:
 * one bit, a record left out or exchanged with the next, the end cut off, bytes added there. The copy is then
 * refused, the target is as it was, nothing else is there, and the message names the place. What may pass are
 * changes of bytes that do not count; of the small captures each of these is known, and of the others a copy
 * of the changed copy is the copy as it was to be.
 *
 * --all: 10,000 places of each capture.
 */
#include "scratch.h"
#include "write/bundle.h"
#include "cli/print.h"
#include "lib/handle.h"
#include "write/rewrite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static bool all;
static char in_path[SCRATCH_PATH], out_path[SCRATCH_PATH], out_file[SCRATCH_PATH];
static char other_path[SCRATCH_PATH]; /* of changed copies */

/* --- files --- */

static struct pc_span load(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0 && fstat(fd, &st) == 0);
    unsigned char *bytes = malloc((size_t)st.st_size + 1);
    assert_int_equal(read(fd, bytes, (size_t)st.st_size), st.st_size);
    close(fd);
    return (struct pc_span){ bytes, (size_t)st.st_size };
}

static void store(const char *path, struct pc_span bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, bytes.ptr, bytes.len), bytes.len);
    close(fd);
}

static void drop(struct pc_span bytes)
{
    free((void *)(uintptr_t)bytes.ptr);
}

static bool equal(struct pc_span a, struct pc_span b)
{
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

static uint64_t get(struct pc_span bytes, size_t at, size_t n)
{
    bool big = bytes.ptr[0] == '2';
    uint64_t value = 0;
    for (size_t i = 0; i < n; i++)
        value |= (uint64_t)bytes.ptr[at + (big ? n - 1 - i : i)] << 8 * i;
    return value;
}

static bool is_pipe(struct pc_span bytes)
{
    return get(bytes, 8, 8) == 16;
}

/* That of the first attr. */
static uint64_t attr_size(struct pc_span bytes)
{
    const size_t size_at = 4;
    return get(bytes, (is_pipe(bytes) ? 24 : (size_t)get(bytes, 24, 8)) + size_at, 4);
}

/* --- a change --- */

struct change {
    enum { NOTHING, FLIP, LEAVE_OUT, EXCHANGE, CUT, APPEND } kind;
    /* FLIP: n: mask; LEAVE_OUT: n bytes; EXCHANGE: n bytes and m after them; CUT: length; APPEND: n zeros */
    size_t at, n, m;
    bool made;
};

static void make_change(void *ctx, int fd)
{
    struct change *c = ctx;
    struct stat st;
    unsigned char bytes[2 * 65536];
    fstat(fd, &st);
    c->made = true;
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC); /* no other program gets it */
    switch (c->kind) {
    case NOTHING:
        break;
    case FLIP:
        assert_int_equal(pread(fd, bytes, 1, (off_t)c->at), 1);
        bytes[0] ^= (unsigned char)c->n;
        assert_int_equal(pwrite(fd, bytes, 1, (off_t)c->at), 1);
        break;
    case LEAVE_OUT: {
        size_t size = (size_t)st.st_size, rest = size - c->at - c->n;
        unsigned char *moved = malloc(rest + 1);
        assert_int_equal(pread(fd, moved, rest, (off_t)(c->at + c->n)), rest);
        assert_int_equal(pwrite(fd, moved, rest, (off_t)c->at), rest);
        assert_int_equal(ftruncate(fd, (off_t)(size - c->n)), 0);
        free(moved);
        break;
    }
    case EXCHANGE:
        assert_int_equal(pread(fd, bytes + c->m, c->n, (off_t)c->at), c->n);
        assert_int_equal(pread(fd, bytes, c->m, (off_t)(c->at + c->n)), c->m);
        assert_int_equal(pwrite(fd, bytes, c->n + c->m, (off_t)c->at), c->n + c->m);
        break;
    case CUT:
        assert_int_equal(ftruncate(fd, (off_t)c->at), 0);
        break;
    case APPEND:
        assert_int_equal(ftruncate(fd, st.st_size + (off_t)c->n), 0);
        break;
    }
}

/* --- one copy --- */

struct copy {
    struct pc_rewrite rewrite;
    struct pc_span clean, opened; /* the copy, and the copy without compression */
    struct change change;
    enum pc_rewritten result;
    char *message;
    unsigned long passed;
};

static void rewrite(struct copy *c, const char *from)
{
    struct pc_printer printer = { .notes = false };
    perfcheck_t *pc = perfcheck_new();
    size_t len = 0;
    free(c->message);
    c->message = NULL;
    printer.out = printer.err = open_memstream(&c->message, &len);
    pc_print_listen(&printer, pc);
    c->rewrite.callbacks = pc_handle_callbacks(pc);
    c->rewrite.written = make_change;
    c->rewrite.written_ctx = &c->change;
    c->change.made = false;
    c->result = pc_rewrite_capture(&c->rewrite, NULL, from, out_path);
    perfcheck_free(pc);
    fclose(printer.err);
    if (!c->change.made)
        fail_msg("nothing was written: %s", c->message);
}

static const struct pc_span old = { (const unsigned char *)"old", 3 };

static void begin(struct copy *c, const struct pc_rewrite *how)
{
    *c = (struct copy){ .rewrite = *how };
    c->rewrite.force = true;
    pc_limits_init(&c->rewrite.limits);
    rewrite(c, in_path);
    assert_int_equal(c->result, PC_WRITTEN);
    c->clean = load(out_path);
    struct copy plain = { .rewrite = c->rewrite };
    plain.rewrite.compression = PC_COMPRESSION_NONE;
    rewrite(&plain, in_path);
    free(plain.message);
    c->opened = load(out_path);
    store(out_path, old);
}

static void end(struct copy *c)
{
    drop(c->clean);
    drop(c->opened);
    free(c->message);
    unlink(out_path);
}

static bool names_place(const char *message)
{
    static const char *const places[] = { ":0x",
                                          "records[",
                                          "features.",
                                          "attrs[",
                                          "after the last of the ",
                                          "sizes and offsets",
                                          "a new finding, ",
                                          "the feature COMPRESSED",
                                          "compressed records",
                                          "the end mark",
                                          "features without content",
                                          "because of: PC" };
    for (size_t i = 0; i < PC_COUNT_OF(places); i++) {
        if (strstr(message, places[i]))
            return true;
    }
    return false;
}

/* The copy as it was to be, from the changed one that passed. */
static void expect_same_content(struct copy *c)
{
    struct change none = { .kind = NOTHING };
    struct copy again = { .rewrite = c->rewrite, .change = none };
    struct pc_span changed = load(out_path), copied;
    again.rewrite.order = PC_ORDER_KEEP;
    again.rewrite.compression = PC_COMPRESSION_NONE; /* how it is compressed does not count */
    store(other_path, changed);
    rewrite(&again, other_path);
    assert_int_equal(again.result, PC_WRITTEN);
    copied = load(out_path);
    /* An attr that ends with zeros may be shorter, and stays so. */
    if (!equal(copied, c->opened) && attr_size(copied) >= attr_size(c->opened))
        fail_msg("kind %d at 0x%zx, %zu, %zu: another copy", c->change.kind, c->change.at, c->change.n,
                 c->change.m);
    assert_false(equal(changed, c->clean));
    drop(changed);
    drop(copied);
    free(again.message);
    unlink(other_path);
    store(out_path, old);
}

/* True when the copy passed. */
static bool passes(struct copy *c, struct change change)
{
    c->change = change;
    rewrite(c, in_path);
    if (c->result == PC_WRITTEN) {
        expect_same_content(c);
        c->passed++;
        return true;
    }
    struct pc_span left = load(out_path);
    if (!equal(left, old) || scratch_entries() != 2 || !strstr(c->message, ": not written: ") ||
        !names_place(c->message))
        fail_msg("kind %d at 0x%zx, %zu: %s", change.kind, change.at, change.n, c->message);
    drop(left);
    return false;
}

/* --- records of a copy --- */

#define RECORDS 8192

/* Where each begins, and in the end where the last one ends, with what follows it. */
static size_t find_records(struct pc_span bytes, size_t at[RECORDS + 1])
{
    const unsigned tracing_data = 66, auxtrace = 71;
    bool pipe = is_pipe(bytes);
    size_t from = pipe ? 16 : (size_t)get(bytes, 40, 8), nr = 0;
    size_t to = pipe ? bytes.len : from + (size_t)get(bytes, 48, 8);
    while (from < to) {
        uint64_t type = get(bytes, from, 4);
        assert_true(nr < RECORDS);
        at[nr++] = from;
        if (type == tracing_data)
            from += (size_t)pc_align8(get(bytes, from + 8, 4));
        else if (type == auxtrace)
            from += (size_t)get(bytes, from + 8, 8);
        from += (size_t)get(bytes, at[nr - 1] + 6, 2);
    }
    at[nr] = from;
    return nr;
}

/* The end mark of the features of a pipe, which names none. */
static bool is_end_mark(struct pc_span bytes, size_t at)
{
    return get(bytes, at, 4) == 80 && get(bytes, at + 6, 2) == 16 && get(bytes, at + 8, 8) >= 27;
}

static void change_records(struct copy *c)
{
    static size_t at[RECORDS + 1];
    size_t nr = find_records(c->clean, at), step = all ? 1 : 1 + nr / 75;
    for (size_t i = 0; i < nr; i += step) {
        size_t n = at[i + 1] - at[i], m = i + 1 < nr ? at[i + 2] - at[i + 1] : 0;
        if (is_pipe(c->clean)) {
            if (passes(c, (struct change){ .kind = LEAVE_OUT, .at = at[i], .n = n }) &&
                !is_end_mark(c->clean, at[i]))
                fail_msg("record %zu of type %u may be left out", i, (unsigned)get(c->clean, at[i], 4));
            assert_false(i != 0 && passes(c, (struct change){ .kind = CUT, .at = at[i] }));
        }
        if (m != 0 && n <= 65536 && m <= 65536 &&
            (n != m || memcmp(c->clean.ptr + at[i], c->clean.ptr + at[i + 1], n) != 0))
            passes(c, (struct change){ .kind = EXCHANGE, .at = at[i], .n = n, .m = m });
    }
    for (size_t n = 1; n <= 32 && n < c->clean.len; n++)
        assert_false(passes(c, (struct change){ .kind = CUT, .at = c->clean.len - n }));
    for (size_t n = 0; n < c->clean.len; n += 1 + c->clean.len / 64)
        assert_false(passes(c, (struct change){ .kind = CUT, .at = n }));
}

/* --- captures --- */

/* An attr with one id, one without any, two COMM and a sample; in a file two features. */
static void use_recipe(bool pipe)
{
    char recipe[1024];
    snprintf(recipe, sizeof(recipe),
             "expect: valid\n%s\n"
             "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|TIME|CPU|PERIOD|IDENTIFIER "
             "read_format=ID "
             "flags=disabled|inherit|mmap|comm|task|sample_id_all ids=11\n"
             "attr copy=attr0 config=1\n%s"
             "record COMM ; u32 100 100 ; str \"work\" ; u32 100 100 ; u64 1000 ; u32 0 0 ; u64 11 ; end\n"
             "record COMM ; u32 100 101 ; str \"other\" ; u32 100 101 ; u64 1001 ; u32 0 0 ; u64 11 ; end\n"
             "record SAMPLE misc=USER ; u64 11 0x400123 ; u32 100 100 ; u64 1100 ; u32 0 0 ; u64 1000 ; end\n"
             "%s",
             pipe ? "pipe" : "file", pipe ? "" : "data\n",
             pipe ? "" : "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 4 4 ; end\n");
    assemble(recipe, in_path);
}

static void use_capture(const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), "corpus/real/%s", name);
    struct pc_span bytes = load(path);
    store(in_path, bytes);
    drop(bytes);
}

/* The record that the message names is the one that was changed. first: the number of the first one. */
static void expect_record(const struct copy *c, size_t first)
{
    static size_t at[RECORDS + 1];
    size_t nr = find_records(c->clean, at), i = 0;
    const char *named = strstr(c->message, "defect of perfcheck: records[");
    if (!named)
        return;
    while (i + 1 < nr && at[i + 1] <= c->change.at)
        i++;
    unsigned long number = strtoul(strchr(named, '[') + 1, NULL, 10);
    if (number + first != i)
        fail_msg("0x%zx: records[%lu], not %zu", c->change.at, number, i);
}

static void each_bit_of_a_small_copy_counts(void **state)
{
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        struct copy c;
        bool pipe = k & 1;
        use_recipe(pipe);
        begin(&c, &(struct pc_rewrite){ .order = k & 2 ? PC_ORDER_SWAP : PC_ORDER_KEEP });
        unsigned named = 0;
        for (size_t at = 0; at < c.clean.len; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                if (passes(&c, (struct change){ .kind = FLIP, .at = at, .n = 1U << bit }))
                    fail_msg("copy %u, 0x%zx, bit %u passed", k, at, bit);
                named += strstr(c.message, "defect of perfcheck: records[") != NULL;
                expect_record(&c, 0);
            }
        }
        assert_true(named > 400);
        change_records(&c);
        end(&c);
    }
}

/* What is read and how it is written: in as it is, in the other order, as another container, compressed. */
static void changes_of_a_real_copy_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct pc_rewrite how;
    } copies[] = {
        { "5.10-statrec-pipe.pipe", { .order = PC_ORDER_KEEP } },
        { "7.2-cpuclock.data", { .order = PC_ORDER_KEEP } },
        { "7.2-pipe.pipe", { .to = PC_TO_FILE } },
        { "6.1-fp.data", { .to = PC_TO_PIPE } },
        { "s390x-72-nosynth.data", { .order = PC_ORDER_KEEP } },
        { "s390x-72-bpf-pipe.pipe", { .order = PC_ORDER_SWAP } },
        { "s390x-72-trace.data", { .order = PC_ORDER_SWAP, .to = PC_TO_PIPE } },
        { "6.12-z3.data", { .order = PC_ORDER_KEEP } },
        { "7.2-statrec.data", { .compression = PC_COMPRESSION_LEVEL, .level = 1 } },
        { "6.12-pipe-clock.pipe", { .reader = PC_BY_6_12 } },
    };
    uint64_t random = 1;
    for (size_t i = 0; i < PC_COUNT_OF(copies); i++) {
        struct copy c;
        unsigned places = all ? 10000 : 120;
        use_capture(copies[i].name);
        begin(&c, &copies[i].how);
        for (unsigned k = 0; k < places; k++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            size_t at = (size_t)((random >> 20) % c.clean.len);
            passes(&c, (struct change){ .kind = FLIP, .at = at, .n = 1U << (random >> 60 & 7) });
        }
        if (getenv("VERBOSE"))
            printf("%s: %lu of %u changes passed\n", copies[i].name, c.passed, places);
        /* Text in features is padded to 64 bytes; zstd and header records have bits that do not count. */
        if (c.passed > places / 2)
            fail_msg("%s: %lu of %u changes passed", copies[i].name, c.passed, places);
        change_records(&c);
        end(&c);
    }
}

/* A record in a long row is known to a few of them. */
static void a_difference_in_a_long_copy_is_a_range_of_records(void **state)
{
    (void)state;
    enum { NR = 5000 };
    struct copy c;
    char *recipe = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&recipe, &len);
    fputs("expect: valid\npipe\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID flags=disabled\n",
          f);
    for (unsigned i = 0; i < NR; i++)
        fprintf(f, "record SAMPLE misc=USER ; u64 0x400123 ; u32 100 %u ; end\n", i);
    fclose(f);
    assemble(recipe, in_path);
    free(recipe);
    begin(&c, &(struct pc_rewrite){ .order = PC_ORDER_KEEP });
    const unsigned numbers[] = { 0, 1, 1023, 1024, 2500, NR - 1 };
    for (unsigned i = 0; i < PC_COUNT_OF(numbers); i++) {
        unsigned long from = 0, to = NR;
        size_t size = 24, at = c.clean.len - (NR - numbers[i]) * size;
        for (int left_out = 0; left_out < 2; left_out++) {
            struct change change = { .kind = FLIP, .at = at + 8, .n = 1 };
            if (left_out)
                change = (struct change){ .kind = LEAVE_OUT, .at = at, .n = size };
            assert_false(passes(&c, change));
            const char *named = strstr(c.message, "records[");
            assert_non_null(named);
            /* the attr is number 0 */
            int found = sscanf(named, "records[%lu] or after it, before records[%lu]", &from, &to);
            assert_true(found >= 1 && from <= numbers[i] + 1 && (found < 2 || numbers[i] + 1 < to));
            assert_true(numbers[i] + 1 - from < 8 && (found < 2 || to - from <= 8));
        }
    }
    end(&c);
}

/* The end of a round is no content, but perf sorts by it. What is named is the record of the input. */
static void a_moved_round_is_found(void **state)
{
    (void)state;
    struct copy c;
    assemble(
        "expect: valid\npipe\nattr type=1 config=0 sample_period=1000 sample_type=IP|TID flags=disabled\n"
        "repeat 2\nrecord SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; end\nrecord FINISHED_ROUND ; "
        "end\nend\n",
        in_path);
    begin(&c, &(struct pc_rewrite){ .order = PC_ORDER_KEEP });
    /* attr #0, sample #1, end of a round #2, sample #3, end of a round #4 */
    const size_t sample = 24, round = 8, last = c.clean.len - round;
    assert_false(passes(&c, (struct change){ .kind = LEAVE_OUT, .at = last, .n = round }));
    assert_non_null(strstr(c.message, "defect of perfcheck: records[4] or after it\n"));
    assert_false(
        passes(&c, (struct change){ .kind = EXCHANGE, .at = last - sample, .n = sample, .m = round }));
    assert_non_null(strstr(c.message, "defect of perfcheck: records[3]"));
    end(&c);
}

/* A record about an event that comes before the attr of that event is about another one, or about none,
 * though all attrs and all records are what they were. */
static void the_event_that_changed_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *update, *said; /* attrs 0 and 1, the record 2 */
    } cases[] = {
        { "u64 2 12 ; text \"faults\" ; zero 2", "the name of attrs[0]\n" },
        { "u64 0 12 ; text \"msec\" ; zero 4", "the event of records[2] or after it\n" },
    };
    for (size_t i = 0; i < PC_COUNT_OF(cases); i++) {
        char recipe[512];
        struct copy c;
        const char *attr =
            "attr sample_period=1000 sample_type=IP|TID|IDENTIFIER read_format=ID flags=disabled";
        snprintf(recipe, sizeof(recipe),
                 "expect: valid\npipe\n%s type=1 config=0 ids=11\n%s type=1 config=2 ids=12\nrecord "
                 "EVENT_UPDATE ; %s ; end\n",
                 attr, attr, cases[i].update);
        assemble(recipe, in_path);
        begin(&c, &(struct pc_rewrite){ .order = PC_ORDER_KEEP });
        static size_t at[RECORDS + 1];
        size_t nr = find_records(c.clean, at);
        assert_int_equal(nr, 3);
        assert_false(passes(
            &c, (struct change){ .kind = EXCHANGE, .at = at[1], .n = at[2] - at[1], .m = at[3] - at[2] }));
        const char *said = strstr(c.message, "defect of perfcheck: ");
        assert_non_null(said);
        assert_string_equal(said + strlen("defect of perfcheck: "), cases[i].said);
        end(&c);
    }
}

/* All attrs, records and features are there; the copy is not sound because of what follows them. */
static void bytes_after_a_pipe_are_found(void **state)
{
    (void)state;
    struct copy c;
    use_recipe(true);
    begin(&c, &(struct pc_rewrite){ .order = PC_ORDER_KEEP });
    for (size_t n = 1; n <= 16; n++) {
        assert_false(passes(&c, (struct change){ .kind = APPEND, .n = n }));
        assert_int_equal(c.result, PC_TROUBLE);
        assert_non_null(strstr(c.message, "the copy is not sound; this is a defect of perfcheck"));
    }
    end(&c);
}

/* An attr that comes after records may make any copy unsound, so that is no defect. */
static void an_unsound_copy_with_a_late_attr_is_refused(void **state)
{
    (void)state;
    struct copy c;
    const char *attr = "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|ID flags=disabled";
    char recipe[512];
    snprintf(
        recipe, sizeof(recipe),
        "expect: valid\npipe\n%s ids=11\nrecord SAMPLE misc=USER ; u64 0x400123 ; u32 100 100 ; u64 11 ; "
        "end\n%s ids=12\n",
        attr, attr);
    assemble(recipe, in_path);
    begin(&c, &(struct pc_rewrite){ .order = PC_ORDER_KEEP });
    c.change = (struct change){ .kind = APPEND, .n = 4 };
    rewrite(&c, in_path);
    assert_int_equal(c.result, PC_REFUSED);
    assert_non_null(strstr(c.message, "an attr comes after records that would be credited to it"));
    assert_null(strstr(c.message, "defect of perfcheck"));
    struct pc_span left = load(out_path);
    assert_true(equal(left, old));
    drop(left);
    end(&c);
}

/* The padding of a compressed record, counted as what it holds: libzstd reads three zeros as a block of
 * nothing, and fewer as the beginning of one. */
static void padding_is_no_compressed_content(void **state)
{
    (void)state;
    static size_t at[RECORDS + 1];
    const unsigned compressed2 = 83, heads = 16;
    unsigned tried = 0;
    struct copy c;
    use_capture("6.12-z3.data");
    begin(&c, &(struct pc_rewrite){ .compression = PC_COMPRESSION_LEVEL, .level = 1 });
    store(in_path, c.opened);
    drop(c.clean);
    rewrite(&c, in_path);
    c.clean = load(out_path);
    store(out_path, old);
    size_t nr = find_records(c.clean, at);
    for (size_t i = 0; i < nr; i++) {
        uint64_t holds = get(c.clean, at[i] + 8, 8), room = at[i + 1] - at[i] - heads;
        if (get(c.clean, at[i], 4) != compressed2 || holds == room)
            continue;
        assert_false(
            passes(&c, (struct change){ .kind = FLIP, .at = at[i] + 8, .n = (unsigned)(holds ^ room) }));
        tried++;
    }
    assert_true(tried != 0);
    end(&c);
}

/* Nothing of a directory stays either. */
static void changes_of_a_directory_are_found(void **state)
{
    (void)state;
    struct pc_printer printer = { .notes = false };
    struct change change = { .kind = NOTHING };
    perfcheck_t *pc = perfcheck_new();
    struct pc_rewrite how = { .callbacks = pc_handle_callbacks(pc),
                              .written = make_change,
                              .written_ctx = &change };
    char *message = NULL;
    size_t len = 0;
    pc_limits_init(&how.limits);
    use_capture("7.2-cpuclock.data");
    printer.out = printer.err = open_memstream(&message, &len);
    pc_print_listen(&printer, pc);
    for (size_t at = 8; at < 13000; at += 257) {
        change = (struct change){ .kind = FLIP, .at = at, .n = 4 };
        enum pc_rewritten result = pc_bundle_join(&how, NULL, in_path, NULL, 0, out_path);
        if (result == PC_WRITTEN) /* padding */
            assert_int_equal(unlink(out_file), 0);
        assert_true(change.made && (result == PC_TROUBLE || rmdir(out_path) == 0));
        assert_int_equal(scratch_entries(), 1);
    }
    perfcheck_free(pc);
    fclose(printer.err);
    assert_non_null(strstr(message,
                           "/out/data: not written: the copy has another content; this is a defect of "
                           "perfcheck: records["));
    free(message);
}

static int set_up(void **state)
{
    (void)state;
    all = test_arguments[0] && strcmp(test_arguments[0], "--all") == 0;
    scratch_path(other_path, "other");
    scratch_path(in_path, "in");
    scratch_path(out_path, "out");
    scratch_path(out_file, "out/data");
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_bit_of_a_small_copy_counts),
    cmocka_unit_test(changes_of_a_real_copy_are_found),
    cmocka_unit_test(a_difference_in_a_long_copy_is_a_range_of_records),
    cmocka_unit_test(a_moved_round_is_found),
    cmocka_unit_test(the_event_that_changed_is_named),
    cmocka_unit_test(bytes_after_a_pipe_are_found),
    cmocka_unit_test(an_unsound_copy_with_a_late_attr_is_refused),
    cmocka_unit_test(padding_is_no_compressed_content),
    cmocka_unit_test(changes_of_a_directory_are_found),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };
