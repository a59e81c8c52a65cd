/* SPDX-License-Identifier: MIT
 *
 * Any bytes become a sound capture, and with the right ones each record type, feature, bit of sample_type,
 * read_format and container is in it.
 */
#include "pc_test.h"
#include "build_capture.h"
#include "cursor.h"
#include "scan.h"

static struct pc_policy policy;
static struct pc_limits limits;
static struct pc_scan scan;

/* What captures so far had. */
static struct reached {
    bool type[PC_TYPES];
    uint64_t features, sample_types, read_formats, attr_sizes, branches;
    unsigned kinds; /* bit: pipe + 2 * big-endian */
} reached;

static void take_attrs(void)
{
    for (size_t i = 0; i < scan.capture.nr_attrs; i++) {
        const struct pc_attr *attr = &scan.capture.attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
        reached.sample_types |= type;
        reached.branches |= type & PC_S_BRANCH_STACK ? pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) : 0;
        reached.read_formats |= type & PC_S_READ ? PC_FLAG(pc_attr_get(attr, PC_ATTR_READ_FORMAT)) : 0;
    }
}

/* Builds and reads one; false: it is not sound. */
static bool build(const unsigned char *plan, size_t len)
{
    struct fuzz_built built;
    fuzz_build((struct pc_span){ plan, len }, &built);
    pc_scan_init(&scan, &policy, &limits);
    pc_scan_memory(&scan, (struct pc_span){ built.bytes, built.len }, PC_INPUT_FILE);
    bool sound = pc_scan_verdict(&scan) == PC_VALID && scan.report.by_severity[PC_WARNING] == 0;
    for (size_t i = 0; i < scan.report.nr && !sound; i++)
        print_error("%s\n", pc_diag_info(scan.report.finding[i].id)->name);
    take_attrs();
    for (unsigned type = 0; type < PC_TYPES; type++)
        reached.type[type] |= scan.check.sum.by_type[type] != 0;
    reached.features |= scan.capture.seen[0];
    reached.kinds |= 1u << (scan.capture.is_pipe + 2 * (scan.capture.order == PC_BIG));
    pc_scan_clear(&scan);
    free(built.bytes);
    return sound;
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void any_bytes_become_a_sound_capture(void **state)
{
    (void)state;
    unsigned char plan[400] = { 0 };
    uint64_t random = 20261121;
    assert_true(build(plan, 0));
    for (unsigned n = 0; n < 1500; n++) {
        size_t len = (size_t)(next_random(&random) % sizeof(plan));
        for (size_t i = 0; i < len; i++)
            plan[i] = (unsigned char)(next_random(&random) >> 11);
        if (!build(plan, len))
            fail_msg("plan %u of %zu bytes is not sound", n, len);
    }
}

/* Those before have made a few of everything that is there. */
static void everything_is_reached(void **state)
{
    (void)state;
    /* Of a container, or what no current perf writes. */
    const uint64_t others = PC_FLAG(PC_DIR_FORMAT) | PC_FLAG(PC_COMPRESSED_FEATURE) | 1;
    for (uint32_t type = 1; type < PC_TYPES; type++) {
        bool other = type == PC_HEADER_EVENT_TYPE || type == PC_COMPRESSED || type == PC_COMPRESSED2;
        if (pc_record_info(type) && !other && !reached.type[type])
            fail_msg("there is no %s", pc_record_info(type)->name);
    }
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        if (!((reached.features | others) >> bit & 1))
            fail_msg("there is no %s", pc_feature_info(bit)->name);
    }
    assert_int_equal(reached.sample_types, PC_FLAG(PC_S_BITS) - 1);
    assert_int_equal(reached.read_formats, UINT32_MAX);
    assert_int_equal(reached.branches, PC_FLAG(PC_BRANCH_BITS) - 1);
    assert_int_equal(reached.kinds, 15);
}

/* The bytes of a record change that record and nothing else. */
static void a_small_change_stays_small(void **state)
{
    (void)state;
    /* Byte order and container, attrs, features, one attr, 12 records: the last byte is of the last one. */
    unsigned char plan[1 + 1 + 5 + 8 + 12 * 4] = { 0 };
    struct fuzz_built one, other;
    fuzz_build((struct pc_span){ plan, sizeof(plan) }, &one);
    plan[sizeof(plan) - 1] ^= 1;
    fuzz_build((struct pc_span){ plan, sizeof(plan) }, &other);
    size_t differ = 0;
    assert_int_equal(one.len, other.len);
    for (size_t i = 0; i < one.len; i++)
        differ += one.bytes[i] != other.bytes[i];
    assert_in_range(differ, 1, 100);
    free(one.bytes);
    free(other.bytes);
}

static int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_become_a_sound_capture),
        cmocka_unit_test(everything_is_reached),
        cmocka_unit_test(a_small_change_stays_small),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
