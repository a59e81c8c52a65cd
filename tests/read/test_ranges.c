/* SPDX-License-Identifier: MIT
 *
 * Sections of a file against each other: what overlaps, what is out of order, and bytes that belong to none,
 * in gaps longer than any buffer.
 */
#include "capture_bench.h"
#include "scratch.h"

#include <fcntl.h>
#include <sys/stat.h>

static char path[SCRATCH_PATH];

/* The gap of 3 MiB is between the header of 104 bytes and the ids. */
enum { HEADER = 104, GAP = 3 << 20 };

static const char recipe[] = "expect: valid\nfile\nfill 3145728 0\n"
                             "attr type=1 config=0 sample_period=1 sample_type=IP|TID|IDENTIFIER "
                             "read_format=ID flags=disabled ids=11\n"
                             "data\nrecord SAMPLE misc=USER ; u64 11 0x400123 ; u32 100 100 ; end\n"
                             "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 1 1 ; end\n";

/* What the check says of the gap. */
static struct pc_finding look(void)
{
    struct pc_limits limits;
    struct pc_finding found = { .id = PC_NO_DIAG };
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
    struct pc_item item;
    while (pc_scan_next(&scan, &item))
        ;
    pc_scan_end(&scan);
    assert_int_equal(pc_scan_verdict(&scan), PC_VALID);
    for (size_t i = 0; i < scan.report.nr; i++) {
        enum pc_diag id = scan.report.finding[i].id;
        if (id == PC_D_GAP || id == PC_D_GAP_NOT_ZERO) {
            assert_int_equal(found.id, PC_NO_DIAG);
            found = scan.report.finding[i];
        }
    }
    pc_scan_clear(&scan);
    assert_int_equal(found.offset, HEADER);
    assert_int_equal(found.length, GAP);
    return found;
}

static void each_byte_of_a_long_gap_is_looked_at(void **state)
{
    (void)state;
    static const size_t places[] = { 0, 4096, 256 << 10, (1 << 20) - 1, 1 << 20, GAP - 1 };
    assemble(recipe, path);
    int fd = open(path, O_RDWR);
    assert_int_equal(look().id, PC_D_GAP);
    for (size_t i = 0; i < PC_COUNT_OF(places); i++) {
        assert_int_equal(pwrite(fd, "x", 1, (off_t)(HEADER + places[i])), 1);
        assert_int_equal(look().id, PC_D_GAP_NOT_ZERO);
        assert_int_equal(pwrite(fd, "", 1, (off_t)(HEADER + places[i])), 1);
    }
    assert_int_equal(look().id, PC_D_GAP);
    close(fd);
}

/* A file with four records of 32 bytes: the ids, one attr, the data, the table of two features, and these. */
enum { TABLE = FILE_DATA + 4 * 32, NAME = TABLE + 32, CPUS = NAME + 68, END = CPUS + 8 };

static void begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < 4; i++)
        RECORD(PC_COMM, pair(1, 1), chars("name"), pair(1, 1));
    assert_int_equal(end_file(), TABLE);
    assert_int_equal(in.len, END);
}

static void sections_that_share_bytes_are_named(void **state)
{
    (void)state;
    static const struct {
        uint64_t word, value; /* that is changed */
        enum pc_diag id;
        uint64_t at, len; /* of the bytes that both have */
    } rows[] = {
        { FILE_ATTRS + 64, FILE_ATTRS - 8, PC_NO_DIAG, 0, 0 },
        { FILE_ATTRS + 64, FILE_ATTRS - 7, PC_D_SECTIONS_OVERLAP, FILE_ATTRS, 1 },
        { AT_DATA, FILE_DATA - 1, PC_D_ATTRS_OVERLAP_DATA, FILE_DATA - 1, 1 },
        { TABLE, TABLE + 31, PC_D_FEATURE_OVERLAP, TABLE + 31, 1 },
        { TABLE + 8, 69, PC_D_FEATURE_OVERLAP, CPUS, 1 },
        { TABLE + 8, 68, PC_NO_DIAG, 0, 0 },
        { TABLE + 16, TABLE - 8, PC_D_SECTIONS_OVERLAP, TABLE - 8, 8 },
        { TABLE + 16, 0, PC_D_FEATURE_OVERLAP, 0, 8 },
    };
    static const enum pc_diag all[] = { PC_D_SECTIONS_OVERLAP, PC_D_ATTRS_OVERLAP_DATA,
                                        PC_D_FEATURE_OVERLAP };
    IN_BOTH_ORDERS
    {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            begin_sound();
            put_at(rows[i].word, rows[i].value, 8);
            for (size_t k = 0; k < PC_COUNT_OF(all); k++) {
                bool said = counted(all[k]) != 0;
                if (said != (rows[i].id == all[k]) ||
                    (said && (first.offset != rows[i].at || first.length != rows[i].len)))
                    fail_msg("row %zu: %s at %u, %u bytes", i, pc_diag_info(all[k])->name,
                             (unsigned)first.offset, (unsigned)first.length);
            }
        }
    }
}

static void features_follow_each_other_by_their_bits(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(TABLE, NAME + 8, 8); /* HOSTNAME after NRCPUS */
        put_at(TABLE + 16, NAME, 8);
        expect(PC_D_FEATURE_ORDER, 1, TABLE + 16);
        assert_int_equal(first.number, PC_NRCPUS);
        begin_sound();
        put_at(TABLE + 16, NAME, 8); /* both at one place: neither is before the other */
        expect(PC_D_FEATURE_ORDER, 0, 0);
    }
}

static void bytes_of_no_section_are_gaps(void **state)
{
    (void)state;
    IN_BOTH_ORDERS
    {
        begin_sound();
        put_at(TABLE, NAME + 4, 8);
        put_at(TABLE + 8, 64, 8);
        expect(PC_D_FEATURE_GAP, 1, NAME);
        assert_int_equal(first.length, 4);
        begin_sound();
        make_room(NAME, 16); /* an entry of a feature that was not written */
        put_at(TABLE, NAME + 16, 8);
        put_at(TABLE + 16, CPUS + 16, 8);
        expect(PC_D_FEATURE_GAP, 0, 0);
        begin_sound();
        put(0, 4);
        expect(PC_D_TRAILING_BYTES, 1, END);
        assert_int_equal(first.length, 4);
        begin_sound();
        put(0x32454c4946524550, 8);
        put(16, 8);
        expect(PC_D_SECOND_CAPTURE, 1, END);
        expect(PC_D_TRAILING_BYTES, 0, 0);
    }
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(path, "capture");
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(each_byte_of_a_long_gap_is_looked_at),
    cmocka_unit_test(sections_that_share_bytes_are_named),
    cmocka_unit_test(features_follow_each_other_by_their_bits),
    cmocka_unit_test(bytes_of_no_section_are_gaps),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, scratch_tear_down };
