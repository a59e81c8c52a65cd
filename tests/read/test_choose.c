/* SPDX-License-Identifier: MIT
 *
 * Which attr governs a record, and which layout it has when the attr does not say all: old MMAP2 records, and
 * samples of another event.
 */
#include "read/model_bench.h"
#include "read/layouts.h"

/* MMAP2: header, pid, tid, addr, len, pgoff, maj, min, ino, ino_generation (64 bytes), then prot and flags,
 * or in Linux 3.12 to 3.15 the name at once. */
enum { AFTER_INODE = 64, USER = 2 };

static struct pc_span mmap2(const char *eight, size_t len)
{
    static unsigned char record[128];
    memset(record, 0, sizeof(record));
    memcpy(record + AFTER_INODE, eight, 8);
    memcpy(record + AFTER_INODE + 8, "/bin/ls", 8);
    return (struct pc_span){ record, len };
}

static bool is_old(struct pc_span record)
{
    struct pc_fitting f = pc_capture_fit(&capture, 0, PC_MMAP2, USER, record);
    const struct pc_layout *attr = &capture.layout[capture.attr[0].layout]->layout;
    struct pc_layout old = pc_record_layout(attr, PC_MMAP2, USER, true);
    struct pc_layout new = pc_record_layout(attr, PC_MMAP2, USER, false);
    assert_true(old.mask != new.mask);
    assert_true(f.layout.mask == old.mask || f.layout.mask == new.mask);
    assert_int_equal(f.attr, 0);
    return f.layout.mask == old.mask;
}

static void the_first_mmap2_decides_for_all(void **state)
{
    (void)state;
    add_attr(0, 0, PC_S_IP, 0);
    struct pc_span name = mmap2("//anon\0\0", 80);
    capture.mmap2_old = -1; /* not known yet: each shows it, or does not */
    assert_true(is_old(name));
    capture.mmap2_old = 0; /* a protection that looks like a name */
    assert_false(is_old(name));
    capture.mmap2_old = 1;
    assert_true(is_old(name));
    struct pc_span prot = mmap2("\5\0\0\0\2\0\0\0", 80);
    assert_true(is_old(prot)); /* a name that looks like a protection */
    capture.mmap2_old = -1;
    assert_false(is_old(prot));
}

/* Without a name and without room for prot, flags and a NUL after them. */
static void an_mmap2_that_shows_nothing_has_the_layout_that_fits(void **state)
{
    (void)state;
    add_attr(0, 0, PC_S_IP, 0);
    capture.mmap2_old = -1;
    struct pc_span zeros = mmap2("\0\0\0\0\0\0\0\0", AFTER_INODE + 8);
    assert_true(is_old(zeros));
    assert_false(is_old(mmap2("\0\0\0\0\0\0\0\0", AFTER_INODE + 16)));
}

/* Any number of records of 8 bytes may be damaged: for each one no layout is walked. */
static void a_sample_that_is_shorter_than_any_is_not_walked(void **state)
{
    (void)state;
    static const unsigned char bytes[64] = { [0] = PC_SAMPLE, [6] = 24 };
    add_attr(0, 1, PC_S_IP | PC_S_TID | PC_S_TIME, 0);
    add_attr(0, 2, PC_S_IP | PC_S_TID | PC_S_BRANCH_STACK, 0);
    assert_int_equal(capture.least_sample, 8 + 16 + 8);
    const struct pc_sample_layout *own = capture.layout[capture.attr[1].layout];
    struct pc_fitting f = pc_capture_fit(&capture, 1, PC_SAMPLE, 0, (struct pc_span){ bytes, 24 });
    assert_int_equal(f.work, 0);
    assert_int_equal(f.attr, 1);
    assert_true(f.layout.mask == own->layout.mask);
    f = pc_capture_fit(&capture, 1, PC_SAMPLE, 0, (struct pc_span){ bytes, 32 });
    assert_int_not_equal(f.work, 0);
}

/* Fields behind bits of the future are in places that nobody knows. */
static void a_sample_with_unknown_bits_has_no_layout(void **state)
{
    (void)state;
    static const unsigned char bytes[64] = { [0] = PC_SAMPLE, [6] = 16 };
    struct pc_span sample = { bytes, 16 };
    struct pc_layout layout;
    uint32_t attr;
    add_attr(0, 0, PC_S_IP, 0);
    assert_true(pc_capture_layout(&capture, PC_SAMPLE, 0, sample, &layout, &attr));
    assert_int_equal(attr, 0);
    assert_int_equal(layout.mask & PC_S_IP, PC_S_IP);
    pc_capture_clear(&capture);
    set_up(NULL);
    add_attr(0, 0, PC_S_IP | (uint64_t)1 << PC_S_BITS, 0);
    assert_false(pc_capture_layout(&capture, PC_SAMPLE, 0, sample, &layout, &attr));
    assert_true(pc_capture_layout(&capture, PC_COMM, 0, sample, &layout, &attr)); /* has its own fields */
}

/* Defect D6 of FORMAT.md 12.5: two attrs of one event, whose samples have other fields. */
static void a_sample_may_be_that_of_another_attr_of_the_event(void **state)
{
    (void)state;
    static const unsigned char bytes[64] = { [0] = PC_SAMPLE, [6] = 24 };
    add_attr(0, 7, PC_S_IP, 0);
    add_attr(0, 8, PC_S_IP | PC_S_TIME, 0); /* another event: no choice */
    struct pc_fitting f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 24 });
    assert_int_equal(f.attr, 0);
    add_attr(0, 7, PC_S_IP | PC_S_TIME, 0);
    f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 24 });
    assert_int_equal(f.attr, 2);
    assert_int_equal(f.layout.mask & PC_S_TIME, PC_S_TIME);
    f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 16 });
    assert_int_equal(f.attr, 0); /* its own layout fits */
    f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 32 });
    assert_int_equal(f.attr, 0); /* none fits */
    for (uint64_t config = 100; config < 200; config++)
        add_attr(0, config, PC_S_IP, 0);
    f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 24 });
    assert_int_equal(f.attr, 2); /* among the first of many */
}

/* Branch counters are written only when the PMU has delivered them; one attr that asks for them is enough. */
static void a_sample_may_lack_the_counters_of_its_attr(void **state)
{
    (void)state;
    unsigned char bytes[64] = { [0] = PC_SAMPLE, [6] = 48, [16] = 1 }; /* ip, nr 1, one branch */
    uint64_t slot[PC_SLOTS] = { 0 };
    slot[PC_ATTR_SAMPLE_TYPE] = PC_S_IP | PC_S_BRANCH_STACK;
    slot[PC_ATTR_BRANCH_TYPE] = PC_BRANCH_COUNTERS;
    pc_capture_add_attr(&capture, slot, 0);
    for (uint64_t config = 1; config <= 3; config++) { /* then beside others, which do not */
        struct pc_fitting f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 48 });
        assert_true(f.other_layout);
        assert_int_equal(f.layout.mask & PC_LAYOUT_COUNTERS, 0);
        f = pc_capture_fit(&capture, 0, PC_SAMPLE, 0, (struct pc_span){ bytes, 56 });
        assert_false(f.other_layout);
        add_attr(0, config, PC_S_IP | PC_S_BRANCH_STACK, 0);
    }
}

/* type 9, size in bytes 6 and 7 is not looked at */
static struct pc_chosen choose(uint32_t type, const uint64_t *words, size_t nr)
{
    static unsigned char record[256];
    memset(record, 0, sizeof(record));
    for (size_t i = 0; i < nr; i++) {
        for (unsigned k = 0; k < 8; k++)
            record[8 + 8 * i + k] = (unsigned char)(words[i] >> 8 * k);
    }
    return pc_capture_choose(&capture, type, (struct pc_span){ record, 8 + 8 * nr });
}

static void one_attr_governs_everything(void **state)
{
    (void)state;
    assert_int_equal(choose(PC_SAMPLE, NULL, 0).choice, PC_CHOICE_NO_ATTRS);
    add_attr(0, 0, PC_S_IP, PC_FLAG_SAMPLE_ID_ALL);
    assert_int_equal(choose(PC_SAMPLE, NULL, 0).choice, PC_CHOSEN);
    assert_int_equal(choose(PC_COMM, NULL, 0).attr, 0);
}

static void several_attrs_are_told_apart_by_identifier(void **state)
{
    (void)state;
    uint32_t other;
    add_attr(0, 0, PC_S_IDENTIFIER | PC_S_TIME, PC_FLAG_SAMPLE_ID_ALL);
    add_attr(0, 0, PC_S_IDENTIFIER | PC_S_IP, PC_FLAG_SAMPLE_ID_ALL);
    pc_capture_add_id(&capture, 100, 0, &other);
    pc_capture_add_id(&capture, 200, 1, &other);
    const uint64_t words[] = { 200, 5, 100 };
    assert_int_equal(choose(PC_SAMPLE, words, 3).attr, 1); /* first word */
    assert_int_equal(choose(PC_SAMPLE, words, 3).id_at, 8);
    assert_int_equal(choose(PC_COMM, words, 3).attr, 0); /* last word */
    assert_int_equal(choose(PC_COMM, words, 3).id_at, 24);
    assert_int_equal(choose(PC_COMM, words, 2).choice, PC_CHOICE_UNKNOWN);
    assert_int_equal(choose(PC_SAMPLE, words, 0).choice, PC_CHOICE_SHORT);
    const uint64_t zero[] = { 0, 0 };
    assert_int_equal(choose(PC_COMM, zero, 2).choice, PC_CHOSEN); /* made up by perf: the first attr */
    assert_int_equal(choose(PC_COMM, zero, 2).attr, 0);
}

static void several_attrs_are_told_apart_by_id(void **state)
{
    (void)state;
    uint32_t other;
    uint64_t type = PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ID | PC_S_CPU | PC_S_STREAM_ID;
    add_attr(0, 0, type, PC_FLAG_SAMPLE_ID_ALL);
    add_attr(0, 0, type | PC_S_PERIOD, PC_FLAG_SAMPLE_ID_ALL);
    pc_capture_add_id(&capture, 100, 0, &other);
    pc_capture_add_id(&capture, 200, 1, &other);
    const uint64_t sample[] = { 1, 2, 3, 200, 4, 5 }; /* ip, tid, time, id */
    assert_int_equal(choose(PC_SAMPLE, sample, 6).attr, 1);
    const uint64_t comm[] = { 9, 9, 1, 2, 200, 3, 4 }; /* ... tid, time, id, stream_id, cpu */
    assert_int_equal(choose(PC_COMM, comm, 7).attr, 1);
}

static void without_a_common_place_only_equal_layouts_can_be_read(void **state)
{
    (void)state;
    add_attr(0, 0, PC_S_IP | PC_S_TIME, 0);
    add_attr(0, 0, PC_S_IP | PC_S_TIME, 0);
    const uint64_t words[] = { 1, 2 };
    assert_int_equal(choose(PC_SAMPLE, words, 2).choice, PC_CHOSEN); /* both have one sample_type */
    add_attr(0, 0, PC_S_IP, 0);
    assert_int_equal(choose(PC_SAMPLE, words, 2).choice, PC_CHOICE_NO_POSITION);
    assert_int_equal(choose(PC_COMM, words, 2).attr, 0); /* no sample_id_all: the first attr */
}

static const struct CMUnitTest tests[] = {
    TEST(the_first_mmap2_decides_for_all),
    TEST(an_mmap2_that_shows_nothing_has_the_layout_that_fits),
    TEST(a_sample_that_is_shorter_than_any_is_not_walked),
    TEST(a_sample_with_unknown_bits_has_no_layout),
    TEST(a_sample_may_be_that_of_another_attr_of_the_event),
    TEST(a_sample_may_lack_the_counters_of_its_attr),
    TEST(one_attr_governs_everything),
    TEST(several_attrs_are_told_apart_by_identifier),
    TEST(several_attrs_are_told_apart_by_id),
    TEST(without_a_common_place_only_equal_layouts_can_be_read),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
