/* SPDX-License-Identifier: MIT
 *
 * The list of what a salvage left out: which losses are one, how many are listed, and what is said of each.
 */
#include "pc_test.h"
#include "write/lost.h"

#include <string.h>

static struct pc_mem mem;
static struct pc_losses losses;

static int set_up(void **state)
{
    (void)state;
    pc_mem_init(&mem, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pc_losses_free(&mem, &losses);
    assert_int_equal(mem.used, 0);
    return 0;
}

/* A record of 32 bytes that is left out. */
static struct pc_lost record(uint64_t number, enum pc_diag why)
{
    return (struct pc_lost){ .why = why,
                             .place = PC_IN_RECORD,
                             .offset = 1000 + 32 * number,
                             .size = 32,
                             .number = number,
                             .records = 1,
                             .type = 9 };
}

static void add(struct pc_lost lost)
{
    pc_losses_add(&mem, &losses, &lost);
}

static void compare(size_t number, const char *wanted)
{
    char text[PC_LOST_TEXT];
    pc_lost_text(pc_losses_get(&losses, number), text);
    assert_string_equal(text, wanted);
}

static void a_lost_record_ends_where_the_next_one_begins(void **state)
{
    (void)state;
    struct pc_where where = { 0 };
    pc_losses_clear(&losses);
    pc_losses_end(&losses, &where, 0);
    add(record(0, PC_D_RECORD_SWALLOWS));
    add(record(1, PC_D_RECORD_SWALLOWS));
    pc_losses_end(&losses, &where, 1064);
    assert_int_equal(losses.lost[0].size, 64);
    where.inside = true;
    pc_losses_end(&losses, &where, 1050);
    where = (struct pc_where){ .stream = 1 };
    pc_losses_end(&losses, &where, 1050);
    assert_int_equal(losses.lost[0].size, 64);
    where.stream = 0;
    pc_losses_end(&losses, &where, 1050);
    assert_int_equal(losses.lost[0].size, 50);
    pc_losses_end(&losses, &where, 1000); /* another member may be read anew */
    assert_int_equal(losses.lost[0].size, 50);
    pc_losses_clear(&losses);
}

static void missing_members_are_named(void **state)
{
    (void)state;
    struct pc_lost gap = { .why = PC_D_DIR_GAP, .place = PC_AT_END, .number = 2, .records = 1 };
    gap.where.member = "data.3";
    add(gap);
    gap.records = 75;
    add(gap);
    compare(0, "data.2, which is missing [PC1006 directory-gap]");
    compare(1, "data.2 to data.76, which are missing [PC1006 directory-gap]");
    assert_int_equal(losses.records, 0);
    assert_int_equal(losses.bytes, 0);
}

static void records_in_a_row_are_one_loss(void **state)
{
    (void)state;
    struct pc_lost other = record(9, PC_D_RECORD_SIZE);
    other.type = 3;
    add(record(5, PC_D_RECORD_SIZE));
    add(record(6, PC_D_RECORD_SIZE));
    add(record(8, PC_D_RECORD_SIZE));       /* not the next one */
    add(other);                             /* of another type */
    add(record(10, PC_D_RECORD_SIZE));      /* of another type than the one before */
    add(record(11, PC_D_RECORD_UNALIGNED)); /* for another reason */
    assert_int_equal(losses.nr, 5);
    assert_int_equal(losses.records, 6);
    assert_int_equal(losses.bytes, 0);
    compare(0, "record:SAMPLE, records 5 to 6 at 0x488 [PC0201 record-size-below-header]");
    compare(1, "record:SAMPLE, record 8 at 0x4e8 [PC0201 record-size-below-header]");
    compare(2, "record:COMM, record 9 at 0x508 [PC0201 record-size-below-header]");
    compare(4, "record:SAMPLE, record 11 at 0x548 [PC0205 record-unaligned]");
    assert_int_equal(pc_losses_get(&losses, 0)->size, 64);
    pc_losses_clear(&losses);
    assert_int_equal(losses.records, 0);
    add(record(7, PC_D_RECORD_SIZE));
    compare(0, "record:SAMPLE, record 7 at 0x4c8 [PC0201 record-size-below-header]");
}

static void words_of_the_header_in_a_row_are_one_loss(void **state)
{
    (void)state;
    struct pc_lost word = { .how = PC_LOST_MENDED, .place = PC_IN_HEADER, .offset = 40, .size = 8 };
    add(word);
    word.offset = 48;
    add(word);
    word.offset = 64; /* a word between them is right */
    add(word);
    assert_int_equal(losses.nr, 2);
    assert_string_equal(pc_lost_how(pc_losses_get(&losses, 0)), "mended");
    compare(0, "16 bytes of the header or the feature table at 0x28");
    compare(1, "8 bytes of the header or the feature table at 0x40");
}

/* Their size is none of a word. */
static void sections_that_overlap_are_no_words_of_the_header(void **state)
{
    (void)state;
    add((struct pc_lost){ .how = PC_LOST_MENDED,
                          .why = PC_D_SECTIONS_OVERLAP,
                          .place = PC_IN_HEADER,
                          .offset = 0x78,
                          .size = 29928 });
    compare(0, "29928 bytes that two sections shared at 0x78 [PC0121 sections-overlap]");
}

static void one_of_a_kind_is_named_in_the_singular(void **state)
{
    (void)state;
    add((struct pc_lost){ .place = PC_IN_RECORD, .offset = 16, .size = 1 });
    add((struct pc_lost){ .place = PC_IN_RECORD, .offset = 32, .size = 2 });
    add((struct pc_lost){ .how = PC_LOST_MENDED, .place = PC_IN_HEADER, .offset = 7, .size = 1 });
    assert_int_equal(losses.bytes, 3);
    compare(0, "1 byte that belongs to no whole record at 0x10");
    compare(1, "2 bytes that belong to no whole record at 0x20");
    compare(2, "1 byte of the header or the feature table at 0x7");
}

static void attrs_features_and_members_have_names(void **state)
{
    (void)state;
    const struct pc_where where = { .stream = 3, .member = "data.2" };
    struct pc_lost inside = record(1, PC_NO_DIAG);
    inside.where = where;
    add((struct pc_lost){ .place = PC_IN_ATTR, .number = 2, .offset = 0x68, .why = PC_D_RECORD_SIZE });
    add((struct pc_lost){ .place = PC_IN_FEATURE, .number = 3, .offset = 0x200 });
    add((struct pc_lost){ .how = PC_LOST_MADE, .place = PC_IN_FEATURE, .number = 1 });
    add(inside);
    compare(0, "attr 2 at 0x68 [PC0201 record-size-below-header]");
    compare(1, "feature:HOSTNAME at 0x200");
    compare(2, "feature:TRACING_DATA, without the fields of the events");
    compare(3, "record:SAMPLE, record 1 at 0x408 in data.2");
    assert_string_equal(pc_lost_how(pc_losses_get(&losses, 2)), "made anew");
    assert_string_equal(pc_lost_how(pc_losses_get(&losses, 3)), "left out");
}

static void losses_beyond_the_last_that_is_listed_are_counted(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < PC_LOST_MAX + 3; i++)
        add(record(2 * i, PC_D_RECORD_SIZE));
    assert_int_equal(losses.nr, PC_LOST_MAX);
    assert_int_equal(losses.more, 3);
    assert_int_equal(losses.records, PC_LOST_MAX + 3);
}

/* Attrs come last, and have room. */
static void an_attr_has_a_place_in_a_long_list(void **state)
{
    (void)state;
    const struct pc_tally all = { .records = PC_LOST_MAX + 3, .attrs = 3 };
    struct pc_tally copy = { .attrs = 3 };
    char what[64];
    for (uint64_t i = 0; i < PC_LOST_MAX + 3; i++)
        add(record(2 * i, PC_D_RECORD_SIZE));
    assert_false(pc_losses_lack(&losses, &all, &copy, what, sizeof(what)));
    copy.attrs = 2;
    assert_true(pc_losses_lack(&losses, &all, &copy, what, sizeof(what)));
    assert_string_equal(what, "the number of attrs");
    add((struct pc_lost){ .place = PC_IN_ATTR, .number = 1 });
    assert_int_equal(losses.more, 3);
    assert_false(pc_losses_lack(&losses, &all, &copy, what, sizeof(what)));
}

static void attrs_that_have_no_place_in_the_list_are_counted(void **state)
{
    (void)state;
    const struct pc_tally all = { .attrs = 2 * PC_LOST_MAX + 5 };
    struct pc_tally copy = { .attrs = 2 };
    char what[64];
    for (uint64_t i = 0; i < 2 * PC_LOST_MAX + 3; i++)
        add((struct pc_lost){ .place = PC_IN_ATTR, .number = i });
    assert_int_equal(losses.more, 3);
    assert_false(pc_losses_lack(&losses, &all, &copy, what, sizeof(what)));
    copy.attrs = 1;
    assert_true(pc_losses_lack(&losses, &all, &copy, what, sizeof(what)));
}

/* Whether the list explains why the copy has less: what it lacks else, or NULL. */
static const char *lack(const struct pc_tally *original, const struct pc_tally *copy)
{
    static char what[64];
    return pc_losses_lack(&losses, original, copy, what, sizeof(what)) ? what : NULL;
}

static void what_is_not_in_the_copy_has_to_be_in_the_list(void **state)
{
    (void)state;
    struct pc_tally all = { .records = 9, .attrs = 2, .header_attrs = 2, .gaps = 1, .skipped = 20 };
    struct pc_tally copy = all;
    pc_set_bit(all.features, PC_HOSTNAME);
    pc_set_bit(all.features, PC_NRCPUS);
    memcpy(copy.features, all.features, sizeof(copy.features));
    assert_string_equal(lack(&all, &copy), "bytes between sections");
    add((struct pc_lost){ .place = PC_IN_RECORD, .why = PC_D_FEATURE_GAP, .size = 7 });
    assert_string_equal(lack(&all, &copy), "bytes between records");
    add((struct pc_lost){ .place = PC_IN_RECORD, .why = PC_D_RECORD_SIZE, .size = 20 });
    assert_null(lack(&all, &copy));
    add((struct pc_lost){ .place = PC_IN_RECORD, .why = PC_D_DIR_STREAMS_UNUSED, .size = 99 });
    add((struct pc_lost){ .place = PC_IN_RECORD, .why = PC_D_REWRITE_PAYLOAD, .size = 99 });
    assert_null(lack(&all, &copy));
    copy.records = 7;
    add(record(1, PC_D_RECORD_SIZE));
    assert_string_equal(lack(&all, &copy), "the number of records");
    add(record(2, PC_D_RECORD_SIZE));
    assert_null(lack(&all, &copy));
    add(record(3, PC_D_RECORD_SIZE)); /* which the copy has */
    assert_string_equal(lack(&all, &copy), "the number of records");
    all.records++;
    struct pc_lost attr = record(4, PC_D_RECORD_SIZE);
    attr.type = PC_HEADER_ATTR;
    add(attr);
    assert_string_equal(lack(&all, &copy), "the number of attrs");
    copy.header_attrs = 0; /* the form of the copy may be the other one */
    copy.attrs = 3;
    assert_null(lack(&all, &copy));
    copy.attrs = 2;
    add((struct pc_lost){ .place = PC_IN_ATTR, .number = 2 }); /* the second record, as an attr */
    assert_string_equal(lack(&all, &copy), "the number of attrs");
    add((struct pc_lost){ .place = PC_IN_ATTR, .number = 1 });
    assert_null(lack(&all, &copy));
    copy.features[0] &= ~((uint64_t)1 << PC_NRCPUS);
    assert_string_equal(lack(&all, &copy), "features.NRCPUS");
    add((struct pc_lost){ .how = PC_LOST_MADE, .place = PC_IN_FEATURE, .number = PC_NRCPUS });
    assert_string_equal(lack(&all, &copy), "features.NRCPUS");
    add((struct pc_lost){ .place = PC_IN_FEATURE, .number = PC_NRCPUS });
    assert_null(lack(&all, &copy));
    copy.features[0] = 0;
    assert_string_equal(lack(&all, &copy), "features.HOSTNAME");
    attr.type = PC_COMPRESSED; /* which is no feature */
    add(attr);
    assert_string_equal(lack(&all, &copy), "features.HOSTNAME");
    attr.type = PC_HEADER_FEATURE;
    add(attr);
    assert_null(lack(&all, &copy));
    all.broken = 2;
    assert_string_equal(lack(&all, &copy), "the content of compressed records");
    attr.type = PC_COMPRESSED2;
    add(attr);
    assert_null(lack(&all, &copy));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_lost_record_ends_where_the_next_one_begins, set_up, tear_down),
    cmocka_unit_test_setup_teardown(missing_members_are_named, set_up, tear_down),
    cmocka_unit_test_setup_teardown(records_in_a_row_are_one_loss, set_up, tear_down),
    cmocka_unit_test_setup_teardown(words_of_the_header_in_a_row_are_one_loss, set_up, tear_down),
    cmocka_unit_test_setup_teardown(sections_that_overlap_are_no_words_of_the_header, set_up, tear_down),
    cmocka_unit_test_setup_teardown(one_of_a_kind_is_named_in_the_singular, set_up, tear_down),
    cmocka_unit_test_setup_teardown(attrs_features_and_members_have_names, set_up, tear_down),
    cmocka_unit_test_setup_teardown(what_is_not_in_the_copy_has_to_be_in_the_list, set_up, tear_down),
    cmocka_unit_test_setup_teardown(losses_beyond_the_last_that_is_listed_are_counted, set_up, tear_down),
    cmocka_unit_test_setup_teardown(an_attr_has_a_place_in_a_long_list, set_up, tear_down),
    cmocka_unit_test_setup_teardown(attrs_that_have_no_place_in_the_list_are_counted, set_up, tear_down),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
