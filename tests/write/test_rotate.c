/* SPDX-License-Identifier: MIT
 *
 * A long capture as a row of captures: where each part begins, and what it repeats.
 */
#include "pc_test.h"
#include "capture_bench.h"
#include "scratch.h"
#include "write/rotate.h"

static char source[SCRATCH_PATH], target[SCRATCH_PATH];

static char said[1024];

static void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    size_t used = strlen(said);
    snprintf(said + used, sizeof(said) - used, "%s: %s: %s\n", path, what, why ? why : "");
}

static void take_errors(void *ctx, const char *path, const struct pc_scan *failed)
{
    for (size_t i = 0; i < failed->report.nr; i++)
        take_message(ctx, path, pc_diag_info(failed->report.finding[i].id)->name, NULL);
}

/* A pipe with a COMM of 32 bytes in a round of its own, and rounds of ten samples, each of 16 bytes and at a
 * time of its own, or without rounds. */
static void begin_rounds(uint64_t nr, bool rounds)
{
    begin_with(PC_S_TIME, 0);
    RECORD(PC_COMM, pair(1, 1), chars("name"), 1);
    if (rounds)
        put_record(PC_FINISHED_ROUND, NULL, 0);
    for (uint64_t i = 0; i < 10 * nr; i++) {
        RECORD(USER | PC_SAMPLE, 100 + i);
        if (rounds && i % 10 == 9)
            put_record(PC_FINISHED_ROUND, NULL, 0);
    }
}

/* What a defect of the writer makes of what is read again: of part 0 first what becomes of the input, then
 * the copy of that; of part 1 the same. */
static struct defect {
    unsigned when;      /* counted from 1; 0: none */
    uint32_t type, nth; /* of this record ... */
    bool lost;          /* ... which is lost, or else ... */
    unsigned at;        /* ... of which this byte is changed */
    unsigned now, made;
} defect;

static void make_defect(void *ctx, int fd)
{
    (void)ctx;
    unsigned char bytes[4096];
    ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
    uint32_t nth = 0;
    if (++defect.now != defect.when)
        return;
    for (size_t at = PC_PIPE_HEADER_SIZE, size; at < (size_t)n; at += size) {
        struct pc_record_head head = pc_load_head(bytes + at, in.order);
        size = head.size;
        if (head.type != defect.type || nth++ != defect.nth)
            continue;
        bytes[at + defect.at] ^= !defect.lost;
        if (defect.lost)
            memmove(bytes + at, bytes + at + size, (size_t)n - at - size);
        n -= defect.lost ? (ssize_t)size : 0;
        assert_int_equal(pwrite(fd, bytes, (size_t)n, 0), n);
        assert_int_equal(ftruncate(fd, n), 0);
        defect.made++;
        return;
    }
}

static uint64_t memory; /* 0: as much as ever */

static enum pc_rewritten rotate(struct pc_rotate limit, uint64_t *records, uint64_t *parts)
{
    struct pc_rewrite how = { .rotate = limit, .compression = PC_COMPRESSION_NONE, .written = make_defect };
    FILE *f = fopen(source, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(in.p, 1, in.len, f), in.len);
    fclose(f);
    said[0] = 0;
    pc_limits_init(&how.limits);
    how.limits.memory = memory ? memory : how.limits.memory;
    how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
    return pc_rotate_capture(&how, NULL, source, target, records, parts);
}

/* Scans a part, which must be sound, and removes it. Returns how many records of the type it has. */
static uint64_t in_part(uint64_t part, uint32_t type)
{
    char path[SCRATCH_PATH + 24];
    struct pc_limits limits;
    snprintf(path, sizeof(path), "%s.%u", target, (unsigned)part);
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    pc_scan_path(&scan, path);
    assert_int_equal(pc_scan_verdict(&scan), PC_VALID);
    uint64_t nr = scan.check.flow.sum.by_type[type];
    pc_scan_clear(&scan);
    return nr;
}

static void remove_parts(uint64_t nr)
{
    for (uint64_t i = 0; i < nr; i++) {
        char path[SCRATCH_PATH + 24];
        snprintf(path, sizeof(path), "%s.%u", target, (unsigned)i);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(scratch_entries(), 1); /* the source */
}

/* The first round has 40 bytes, each other one 168 and ten units of time, of which the first is 100. */
static void a_part_begins_after_the_round_that_fills_the_one_before(void **state)
{
    (void)state;
    static const struct {
        uint64_t bytes, ns, parts, samples; /* samples: in the first part */
    } rows[] = {
        { 0, 0, 1, 60 },      { 1, 0, 7, 0 },    { 40, 0, 7, 0 },   { 41, 0, 6, 10 },
        { 208, 0, 4, 10 },    { 209, 0, 3, 20 }, { 376, 0, 3, 20 }, { 377, 0, 2, 30 },
        { 100000, 0, 1, 60 }, { 0, 10, 7, 0 },   { 0, 11, 4, 0 },   { 0, 1000, 1, 60 },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            uint64_t records = 0, parts = 0, samples = 0;
            begin_rounds(6, true);
            struct pc_rotate limit = { rows[i].bytes, rows[i].ns };
            if (rotate(limit, &records, &parts) != PC_WRITTEN)
                fail_msg("row %zu: %s", i, said);
            if (parts != rows[i].parts)
                fail_msg("row %zu: %u parts", i, (unsigned)parts);
            assert_int_equal(records, 2 + 60 + 6);
            assert_int_equal(in_part(0, PC_SAMPLE), rows[i].samples);
            for (uint64_t part = 0; part < parts; part++) {
                samples += in_part(part, PC_SAMPLE);
                assert_int_equal(in_part(part, PC_COMM), 1); /* repeated */
            }
            assert_int_equal(samples, 60);
            remove_parts(parts);
        }
    }
}

/* Records of one CPU after those of another, and the name of a task last: no part has a sample without it. */
static void no_part_ends_inside_a_round(void **state)
{
    (void)state;
    uint64_t records, parts;
    for (unsigned rounds = 0; rounds < 2; rounds++) {
        begin_rounds(1, false);
        RECORD(USER | PC_SAMPLE, 50);
        RECORD(PC_COMM, pair(1, 1), chars("name"), 49);
        if (rounds) {
            put_record(PC_FINISHED_ROUND, NULL, 0);
            RECORD(USER | PC_SAMPLE, 200);
        }
        assert_int_equal(rotate((struct pc_rotate){ 32, 0 }, &records, &parts), PC_WRITTEN);
        assert_int_equal(parts, 1 + rounds);
        assert_int_equal(in_part(0, PC_SAMPLE), 11);
        assert_int_equal(in_part(0, PC_COMM), 2);
        assert_int_equal(strstr(said, "no FINISHED_ROUND shows where another capture can begin") == NULL,
                         rounds);
        remove_parts(parts);
    }
}

/* Rounds in which task 1 starts ten others, which end; in every tenth, one of them does not. */
static void begin_forks(unsigned rounds, bool ended, bool guest)
{
    begin_with(PC_S_TIME, 0);
    if (guest)
        RECORD(MISC(PC_MODE_GUEST_KERNEL) | PC_MMAP, pair(UINT32_MAX, 0), 0x1000, 0x1000, 0, chars("[k]"), 1);
    RECORD(PC_COMM, pair(1, 1), chars("name"), 1);
    if (ended)
        put_record(PC_FINISHED_ROUND, NULL, 0);
    for (unsigned i = 0; i < rounds; i++) {
        for (uint64_t k = 0, t = 100 * i + 2; k < 10; k++, t += 8) {
            RECORD(PC_FORK, pair((uint32_t)t, 1), pair((uint32_t)t, 1), t, t);
            RECORD(MISC(PC_MISC_COMM_EXEC) | PC_COMM, pair((uint32_t)t, (uint32_t)t), chars("name"), t + 1);
            if (k != 0 || i % 10 != 0)
                RECORD(PC_EXIT, pair((uint32_t)t, 1), pair((uint32_t)t, 1), t + 2, t + 2);
            RECORD(USER | PC_SAMPLE, t + 2);
        }
        if (ended)
            put_record(PC_FINISHED_ROUND, NULL, 0);
    }
}

/* A part repeats what is about tasks that are alive, or that have ended in the part before. */
static void tasks_that_have_ended_are_not_repeated(void **state)
{
    (void)state;
    uint64_t records, parts;
    IN_BOTH_ORDERS
    {
        begin_forks(100, true, false);
        assert_int_equal(rotate((struct pc_rotate){ 1, 0 }, &records, &parts), PC_WRITTEN);
        assert_int_equal(parts, 101);
        assert_int_equal(records, 2 + 100 * 41 - 10);
        for (uint64_t part = 3; part < parts; part++) {
            const uint64_t alive = (part + 7) / 10; /* of those before */
            assert_int_equal(in_part(part, PC_FORK), 10 + 10 + alive);
            assert_int_equal(in_part(part, PC_COMM), 10 + 10 + alive + 1);
        }
        remove_parts(parts);
    }
    /* Without rounds a sample of any of them may come late. Guests have tasks of the same numbers. */
    for (unsigned guest = 0; guest < 2; guest++) {
        begin_forks(20, guest, guest);
        assert_int_equal(rotate((struct pc_rotate){ 1000, 0 }, &records, &parts), PC_WRITTEN);
        assert_int_equal(in_part(parts - 1, PC_FORK), 200);
        remove_parts(parts);
    }
}

static void a_capture_without_records_is_one_part(void **state)
{
    (void)state;
    uint64_t records, parts;
    begin_with(PC_S_TIME, 0);
    assert_int_equal(rotate((struct pc_rotate){ 1, 0 }, &records, &parts), PC_WRITTEN);
    assert_int_equal(parts, 1);
    assert_int_equal(records, 0);
    remove_parts(1);
}

static void aux_traces_are_not_divided(void **state)
{
    (void)state;
    uint64_t records, parts;
    begin_rounds(2, true);
    RECORD(PC_AUXTRACE_INFO, pair(6, 0), 1);
    assert_int_equal(rotate((struct pc_rotate){ 1, 0 }, &records, &parts), PC_REFUSED);
    assert_non_null(strstr(said, "AUX traces cannot be divided"));
    remove_parts(parts); /* those before it stay */
}

static void what_is_damaged_is_refused_from_there_on(void **state)
{
    (void)state;
    uint64_t records, parts;
    begin_rounds(3, true);
    put_at(in.len - 8 - 16 + PC_RECORD_SIZE_AT, 3, 2); /* of the last sample, before the round */
    assert_int_equal(rotate((struct pc_rotate){ 1, 0 }, &records, &parts), PC_REFUSED);
    assert_int_equal(parts, 4); /* the last one has the records before the damage */
    assert_true(in_part(3, PC_SAMPLE) != 0);
    assert_non_null(strstr(said, "records before the damage are written"));
    remove_parts(parts);
}

/* In a file as in a stream; without the last record, the round, and a part of the sample before it. */
static void what_has_arrived_whole_is_written(void **state)
{
    (void)state;
    uint64_t records, parts;
    begin_rounds(3, true);
    in.len -= 12;
    assert_int_equal(rotate((struct pc_rotate){ 1, 0 }, &records, &parts), PC_WRITTEN_CUT);
    assert_int_equal(parts, 4);
    assert_int_equal(records, 2 + 3 * 11 - 2);
    assert_int_equal(in_part(3, PC_SAMPLE), 9);
    assert_non_null(strstr(said, "12 bytes of it are left out"));
    remove_parts(parts);
}

/* What is lost on the way from the input to a part is seen, as is what is lost in the copy of that. */
static void a_defect_of_the_writer_is_no_part(void **state)
{
    (void)state;
    static const struct defect rows[] = {
        { 1, .type = PC_HEADER_ATTR, .at = PC_RECORD_HEADER_SIZE + 16 },
        { 1, .type = PC_COMM, .lost = true },
        { 1, .type = PC_FINISHED_ROUND, .lost = true },
        { 2, .type = PC_COMM, .lost = true },
        { 3, .type = PC_COMM, .lost = true }, /* repeated */
        { 3, .type = PC_COMM, .at = 16 },
        { 3, .type = PC_SAMPLE, .lost = true },
        { 3, .type = PC_SAMPLE, .nth = 9, .lost = true },
        { 3, .type = PC_FINISHED_ROUND, .lost = true },
        { 4, .type = PC_SAMPLE, .lost = true },
    };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            uint64_t records, parts;
            begin_rounds(3, true);
            defect = rows[i];
            if (rotate((struct pc_rotate){ 1, 0 }, &records, &parts) != PC_TROUBLE ||
                parts != (rows[i].when - 1) / 2 || !strstr(said, "the copy has another content"))
                fail_msg("row %zu: %u parts, %s", i, (unsigned)parts, said);
            assert_int_equal(defect.made, 1);
            defect = (struct defect){ 0 };
            remove_parts(parts);
        }
    }
}

/* Whatever there is no memory for, it is said, and no part is left that is not whole. */
static void little_memory_leaves_nothing_behind(void **state)
{
    (void)state;
    unsigned written = 0, failed = 0;
    for (memory = 65536; memory < (uint64_t)16 << 20; memory += memory / 8) {
        uint64_t records, parts, samples = 0;
        begin_rounds(6, true);
        enum pc_rewritten result = rotate((struct pc_rotate){ 208, 0 }, &records, &parts);
        if (result != PC_WRITTEN && (result != PC_TROUBLE || said[0] == 0 || strstr(said, "defect")))
            fail_msg("%lu bytes: %d, %s", (unsigned long)memory, (int)result, said);
        for (uint64_t part = 0; part < parts; part++)
            samples += in_part(part, PC_SAMPLE);
        assert_true(result != PC_WRITTEN || samples == 60);
        written += result == PC_WRITTEN;
        failed += result != PC_WRITTEN;
        remove_parts(parts);
    }
    memory = 0;
    assert_true(written > 2 && failed > 10);
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(source, "source");
    scratch_path(target, "part");
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_part_begins_after_the_round_that_fills_the_one_before),
    cmocka_unit_test(no_part_ends_inside_a_round),
    cmocka_unit_test(tasks_that_have_ended_are_not_repeated),
    cmocka_unit_test(a_capture_without_records_is_one_part),
    cmocka_unit_test(aux_traces_are_not_divided),
    cmocka_unit_test(what_is_damaged_is_refused_from_there_on),
    cmocka_unit_test(what_has_arrived_whole_is_written),
    cmocka_unit_test(a_defect_of_the_writer_is_no_part),
    cmocka_unit_test(little_memory_leaves_nothing_behind),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };
