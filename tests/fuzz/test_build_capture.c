/* SPDX-License-Identifier: MIT
 *
 * Any bytes become a sound capture, and with the right ones each record type, feature, bit of sample_type,
 * read_format and container is in it.
 */
#include "pc_test.h"
#include "build_capture.h"
#include "bytes/cursor.h"
#include "scan_whole.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pc_policy policy;
static struct pc_limits limits;
static struct pc_scan scan;

enum container { FILES, PIPES, KCORE_DIRECTORIES, STREAM_DIRECTORIES, CONTAINERS };

/* What captures so far had. */
static struct reached {
    bool type[PC_TYPES];
    uint64_t features, sample_types, read_formats, branches;
    bool attr_size[PC_ATTR_SIZE_KNOWN + 8];
    bool container[CONTAINERS][2][3]; /* in which order; no compression, COMPRESSED, COMPRESSED2 */
    unsigned streams;                 /* of one directory, at most */
} reached;
static char folder[] = "/tmp/perfcheck-build-XXXXXX";

static void take_attrs(void)
{
    for (size_t i = 0; i < scan.capture.nr_attrs; i++) {
        const struct pc_attr *attr = &scan.capture.attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE), size = pc_attr_get(attr, PC_ATTR_SIZE);
        assert_true(size < sizeof(reached.attr_size));
        reached.attr_size[size] = true;
        reached.sample_types |= type;
        reached.branches |= type & PC_S_BRANCH_STACK ? pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) : 0;
        reached.read_formats |= type & PC_S_READ ? PC_FLAG(pc_attr_get(attr, PC_ATTR_READ_FORMAT)) : 0;
    }
}

static void path_of(char path[128], const char *name)
{
    assert_in_range(snprintf(path, 128, "%s/%s", folder, name), 1, 127);
}

/* Writes the members of a directory, or removes them. */
static void put_members(const struct fuzz_built *built, bool remove_them)
{
    char path[128];
    for (unsigned i = 0; i < built->nr_members; i++) {
        const struct fuzz_member *m = &built->member[i];
        const char *slash = strchr(m->name, '/');
        path_of(path, m->name);
        if (slash && !remove_them) {
            path[strlen(path) - strlen(slash)] = 0;
            mkdir(path, 0700);
            path_of(path, m->name);
        }
        if (remove_them) {
            assert_int_equal(unlink(path), 0);
            path[strlen(path) - (slash ? strlen(slash) : 0)] = 0;
            rmdir(path); /* when it was the last one */
            continue;
        }
        FILE *f = fopen(path, "wb");
        assert_true(f && fwrite(m->bytes, 1, m->len, f) == m->len);
        assert_true(fchmod(fileno(f), 0600) == 0 && fclose(f) == 0);
    }
}

static void note_reached(const struct fuzz_built *built)
{
    const struct pc_check *check = &scan.check;
    enum container container = built->pipe ? PIPES : FILES;
    unsigned streams = 0;
    take_attrs();
    for (unsigned type = 0; type < PC_TYPES; type++)
        reached.type[type] |= check->flow.sum.by_type[type] != 0;
    const uint32_t wrapper = check->flow.sum.compressed != 0 ? scan.reader.packed.record.type : 0;
    reached.type[PC_COMPRESSED] |= wrapper == PC_COMPRESSED;
    reached.type[PC_COMPRESSED2] |= wrapper == PC_COMPRESSED2;
    reached.features |= scan.capture.seen[0];
    if (built->directory)
        container = scan.capture.dir_version == 1 ? STREAM_DIRECTORIES : KCORE_DIRECTORIES;
    for (unsigned i = 0; i < built->nr_members; i++)
        streams += strncmp(built->member[i].name, "data.", 5) == 0;
    reached.streams = streams > reached.streams ? streams : reached.streams;
    assert_int_equal(scan.capture.is_directory, built->directory);
    reached.container[container][scan.capture.order == PC_BIG]
                     [wrapper == PC_COMPRESSED2 ? 2 : wrapper == PC_COMPRESSED] = true;
}

/* Builds and reads one; false: it is not sound. */
static bool build(const unsigned char *plan, size_t len)
{
    struct fuzz_built built;
    fuzz_build((struct pc_span){ plan, len }, &built);
    pc_scan_init(&scan, &policy, &limits);
    put_members(&built, false);
    if (built.directory)
        pc_scan_path(&scan, folder);
    else
        pc_scan_memory(&scan, (struct pc_span){ built.bytes, built.len }, PC_INPUT_FILE);
    put_members(&built, true);
    bool sound = pc_scan_verdict(&scan) == PC_VALID && scan.report.by_severity[PC_WARNING] == 0;
    for (size_t i = 0; i < scan.report.nr && !sound; i++) {
        const struct pc_finding *f = &scan.report.finding[i];
        print_error("%s%s: %s at %llu\n", f->where.member ? f->where.member : "",
                    f->subject ? f->subject : "", pc_diag_info(f->id)->name, (unsigned long long)f->offset);
    }
    note_reached(&built);
    pc_scan_clear(&scan);
    fuzz_built_free(&built);
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

/* Those before have made a few of everything that is there: what is in the tables, and what a capture can be
 * without a table. */
static void every_type_bit_and_feature_is_generated(void **state)
{
    (void)state;
    for (uint32_t type = 1; type < PC_TYPES; type++) {
        if (pc_record_info(type) && !reached.type[type])
            fail_msg("there is no %s", pc_record_info(type)->name);
    }
    /* Bit 0 is reserved; what simpleperf makes up is in tests/simpleperf.py. */
    for (uint64_t bit = 1; bit < PC_FEATURE_BITS; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        if (info && !pc_is_android_feature(bit) && !(bit < 64 && (reached.features >> bit & 1)))
            fail_msg("there is no %s", info->name);
    }
    for (unsigned size = PC_ATTR_SIZE_MIN; size <= PC_ATTR_SIZE_KNOWN; size++) {
        if (pc_attr_size_known(size) && !reached.attr_size[size])
            fail_msg("there is no attr of %u bytes", size);
    }
    for (unsigned i = 0; i < sizeof(reached.container); i++) {
        unsigned container = i / 6, big = i / 3 % 2, compression = i % 3;
        if (!reached.container[container][big][compression])
            fail_msg("container %u, order %u, compression %u", container, big, compression);
    }
    assert_int_equal(reached.streams, 3);
    assert_int_equal(reached.sample_types, PC_FLAG(PC_S_BITS) - 1);
    assert_int_equal(reached.read_formats, UINT32_MAX);
    assert_int_equal(reached.branches, PC_FLAG(PC_BRANCH_BITS) - 1);
}

/* The bytes of a record change that record and nothing else. */
static void a_changed_byte_of_a_record_changes_that_record_only(void **state)
{
    (void)state;
    /* Byte order and container, size of attrs and compression, attrs, features, one attr, 12 records: the
     * last byte is of the last one. */
    unsigned char plan[1 + 1 + 1 + 5 + 8 + 12 * 4] = { 0 };
    struct fuzz_built one, other;
    fuzz_build((struct pc_span){ plan, sizeof(plan) }, &one);
    plan[sizeof(plan) - 1] ^= 1;
    fuzz_build((struct pc_span){ plan, sizeof(plan) }, &other);
    size_t differ = 0;
    assert_int_equal(one.len, other.len);
    for (size_t i = 0; i < one.len; i++)
        differ += one.bytes[i] != other.bytes[i];
    assert_in_range(differ, 1, 100);
    fuzz_built_free(&one);
    fuzz_built_free(&other);
}

static int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    /* They have few samples, and lost any number. */
    policy.severity[PC_D_LOST_MANY] = policy.severity[PC_D_LOST_SAMPLES_MANY] = PC_NOTE + 1;
    pc_limits_init(&limits);
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_bytes_become_a_sound_capture),
    cmocka_unit_test(every_type_bit_and_feature_is_generated),
    cmocka_unit_test(a_changed_byte_of_a_record_changes_that_record_only),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
