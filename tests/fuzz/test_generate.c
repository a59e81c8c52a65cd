/* SPDX-License-Identifier: MIT
 *
 * Captures made from the tables: that they are sound, and what the rewriter makes of them.
 */
#include "pc_test.h"
#include "generate/generate.h"
#include "write/content.h"
#include "scan_whole.h"
#include "write/writer.h"

static struct pc_policy policy;
static struct pc_limits limits;
static struct pc_scan scan;
static struct pc_content content;
static struct generate g;

/* The parameters of a generated capture. */
struct kind {
    enum pc_order order;
    bool pipe;
    unsigned variant;
    uint32_t attr_size;
};

static void generate_kind(struct generate *to, const struct kind *kind)
{
    memset(to, 0, sizeof(*to));
    to->order = kind->order;
    to->pipe = kind->pipe;
    to->variant = kind->variant;
    to->attr_size = kind->attr_size;
    to->seed = kind->variant + 1;
    generate(to);
}

#define KINDS 32

static struct kind kind_of(unsigned n)
{
    return (struct kind){ n & 1 ? PC_BIG : PC_LITTLE, n >> 1 & 1, n >> 2, n >> 2 == 5 ? 136 : 144 };
}

static struct pc_span bytes_of(const struct generate *of)
{
    return (struct pc_span){ of->bytes, of->len };
}

static enum pc_input_kind input_of(const struct kind *kind)
{
    return kind->pipe ? PC_INPUT_STREAM : PC_INPUT_FILE;
}

/* Every type, bit, feature and read_format that the container may have. */
static void assert_complete(const struct kind *kind)
{
    uint64_t sample_types = 0, read_formats = 0;
    for (uint32_t type = 1; type < PC_TYPES; type++) {
        bool header = gen_is_header(type);
        if (!pc_record_info(type) || (header && (!kind->pipe || type == PC_HEADER_EVENT_TYPE ||
                                                 type == PC_COMPRESSED || type == PC_COMPRESSED2)))
            continue;
        if (scan.check.flow.sum.by_type[type] == 0)
            fail_msg("there is no %s", pc_record_info(type)->name);
    }
    for (size_t i = 0; i < scan.capture.nr_attrs; i++) {
        const struct pc_attr *attr = &scan.capture.attr[i];
        uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE);
        sample_types |= type;
        if (type & PC_S_READ)
            read_formats |= PC_FLAG(pc_attr_get(attr, PC_ATTR_READ_FORMAT));
    }
    assert_int_equal(sample_types, PC_FLAG(PC_S_BITS) - 1);
    assert_int_equal(read_formats, UINT32_MAX);
    for (uint64_t bit = 1; bit < PC_FEATURES; bit++) {
        const struct pc_feature_info *info = pc_feature_info(bit);
        bool other = bit == PC_DIR_FORMAT || bit == PC_COMPRESSED_FEATURE;
        if (!other && (!kind->pipe || (info->flags & PC_SENT_IN_PIPE)) && !pc_bit(scan.capture.seen, bit))
            fail_msg("there is no %s", info->name);
    }
}

static void generated_captures_are_sound(void **state)
{
    (void)state;
    for (unsigned n = 0; n < KINDS; n++) {
        struct kind kind = kind_of(n);
        generate_kind(&g, &kind);
        pc_scan_init(&scan, &policy, &limits);
        pc_scan_memory(&scan, bytes_of(&g), input_of(&kind));
        for (size_t i = 0; i < scan.report.nr; i++) {
            const struct pc_finding *f = &scan.report.finding[i];
            if (f->severity >= PC_WARNING)
                print_error("capture %u: %s: %s at %llu\n", n, f->subject ? f->subject : "",
                            pc_diag_info(f->id)->name, (unsigned long long)f->offset);
        }
        assert_int_equal(pc_scan_verdict(&scan), PC_VALID);
        assert_int_equal(scan.report.by_severity[PC_WARNING], 0);
        assert_complete(&kind);
        pc_scan_clear(&scan);
        free(g.bytes);
    }
}

/* --- the rewriter --- */

struct copy {
    unsigned char *bytes; /* free() */
    size_t len;
    struct pc_sum digest;
};

/* Reads a capture; false when the content is not whole. */
static bool convert_content(struct pc_span in, enum pc_input_kind kind, enum pc_order to, bool to_pipe,
                            bool pack, struct copy *copy)
{
    struct pc_content_item item;
    struct pc_writer writer;
    struct pc_sink sink;
    pc_scan_init(&scan, &policy, &limits);
    pc_content_init(&content, &scan, to, copy != NULL, NULL);
    pc_input_memory(&scan.in, in, kind);
    bool sound = pc_content_open(&content);
    assert_int_equal(pc_sink_scratch(&sink, &scan.mem, NULL), 0);
    if (sound)
        pc_writer_init(&writer, &content, &sink, to_pipe ? PC_CONTAINER_PIPE : PC_CONTAINER_FILE);
    if (sound)
        writer.compression = pack ? PC_COMPRESSION_LEVEL : PC_COMPRESSION_NONE;
    writer.level = 1;
    while (sound) {
        pc_content_next(&content, &item);
        if (item.kind == PC_CONTENT_END)
            break;
        pc_writer_put(&writer, &item);
    }
    bool whole = sound && pc_content_is_whole(&content) && pc_writer_end(&writer);
    if (whole) {
        copy->digest = pc_content_digest(&content);
        copy->len = (size_t)sink.size;
        copy->bytes = malloc(copy->len);
        assert_true(copy->bytes && pc_sink_get(&sink, 0, copy->bytes, copy->len));
    }
    if (sound)
        pc_writer_clear(&writer);
    pc_sink_discard(&sink);
    pc_content_clear(&content);
    pc_scan_clear(&scan);
    return whole;
}

/* Into the same container. */
static bool read_content(struct pc_span in, enum pc_input_kind kind, enum pc_order to, struct copy *copy)
{
    return convert_content(in, kind, to, kind == PC_INPUT_STREAM, false, copy);
}

static void assert_copy(const struct copy *copy, struct pc_span expected, unsigned n, const char *what)
{
    size_t i = 0;
    while (i < copy->len && i < expected.len && copy->bytes[i] == expected.ptr[i])
        i++;
    if (i < copy->len || i < expected.len)
        fail_msg("capture %u: %s: %zu bytes, expected %zu, differ at %zu", n, what, copy->len, expected.len,
                 i);
}

/* Generated captures are canonical: so canonical(x) = x, swap(x) is the one that was generated in the other
 * order, and the digest is one. */
static void a_generated_capture_is_its_canonical_copy(void **state)
{
    (void)state;
    static struct generate swapped;
    for (unsigned n = 0; n < KINDS; n++) {
        struct kind kind = kind_of(n), other = kind_of(n ^ 1);
        struct copy same, swap, back;
        generate_kind(&g, &kind);
        generate_kind(&swapped, &other);
        if (!read_content(bytes_of(&g), input_of(&kind), kind.order, &same) ||
            !read_content(bytes_of(&g), input_of(&kind), other.order, &swap))
            fail_msg("capture %u: refused", n);
        assert_copy(&same, bytes_of(&g), n, "the same order");
        assert_copy(&swap, bytes_of(&swapped), n, "the other order");
        struct pc_span bytes = { swap.bytes, swap.len };
        assert_true(read_content(bytes, input_of(&kind), kind.order, &back));
        assert_copy(&back, bytes_of(&g), n, "back");
        assert_memory_equal(&same.digest, &swap.digest, sizeof(same.digest));
        assert_memory_equal(&same.digest, &back.digest, sizeof(same.digest));
        free(same.bytes);
        free(swap.bytes);
        free(back.bytes);
        free(g.bytes);
        free(swapped.bytes);
    }
}

/* Into the other container, and compressed, and back: the content stays, and what comes back is the same. */
static void every_container_holds_a_generated_capture(void **state)
{
    (void)state;
    for (unsigned n = 0; n < KINDS; n++) {
        struct kind kind = kind_of(n);
        generate_kind(&g, &kind);
        for (unsigned i = 0; i < 4; i++) {
            bool there_pipe = (i & 1) != (unsigned)kind.pipe, pack = i >> 1;
            struct copy there, back;
            if (!convert_content(bytes_of(&g), input_of(&kind), kind.order, there_pipe, pack, &there))
                fail_msg("capture %u: way %u: refused", n, i);
            struct pc_span bytes = { there.bytes, there.len };
            enum pc_input_kind input = there_pipe ? PC_INPUT_STREAM : PC_INPUT_FILE;
            if (!convert_content(bytes, input, kind.order, kind.pipe, false, &back))
                fail_msg("capture %u: way %u back: refused", n, i);
            assert_copy(&back, bytes_of(&g), n, "back from another container");
            assert_memory_equal(&there.digest, &back.digest, sizeof(there.digest));
            free(there.bytes);
            free(back.bytes);
        }
        free(g.bytes);
    }
}

/* Rounds are no content, so that their bits are no part of the digest. */
static bool is_in_round(size_t at)
{
    for (unsigned i = 0; i < g.nr_rounds; i++) {
        if (at >= g.rounds[i] && at < g.rounds[i] + PC_RECORD_HEADER_SIZE)
            return true;
    }
    return false;
}

/* A changed bit changes the digest when it changes the canonical copy, and only then. */
static void one_bit_changes_the_digest_or_only_padding(void **state)
{
    (void)state;
    unsigned changed = 0, nothing = 0, refused = 0;
    uint64_t random = 123456789;
    for (unsigned n = 0; n < 4; n++) {
        struct kind kind = kind_of(n + 4);
        struct copy base, copy;
        generate_kind(&g, &kind);
        assert_true(read_content(bytes_of(&g), input_of(&kind), kind.order, &base));
        for (unsigned i = 0; i < 300; i++) {
            size_t at = (size_t)(synth_random(&random) % g.len);
            unsigned char bit = (unsigned char)(1u << synth_random(&random) % 8);
            if (is_in_round(at))
                continue;
            g.bytes[at] ^= bit;
            if (read_content(bytes_of(&g), input_of(&kind), kind.order, &copy)) {
                bool same = copy.len == base.len && memcmp(copy.bytes, base.bytes, base.len) == 0;
                if (pc_sum_equal(&copy.digest, &base.digest) != same)
                    fail_msg("capture %u: bit 0x%x at %zu: the copy is %s, the digest is not", n, bit, at,
                             same ? "the same" : "another");
                changed += !same;
                nothing += same;
                free(copy.bytes);
            } else {
                refused++;
            }
            g.bytes[at] ^= bit;
        }
        free(base.bytes);
        free(g.bytes);
    }
    assert_true(changed > 300 && nothing > 100 && refused > 10);
}

static int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    /* They have few samples, and lost any number. */
    policy.severity[PC_D_LOST_MANY] = policy.severity[PC_D_LOST_SAMPLES_MANY] = PC_NOTE + 1;
    pc_limits_init(&limits);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(generated_captures_are_sound),
    cmocka_unit_test(a_generated_capture_is_its_canonical_copy),
    cmocka_unit_test(every_container_holds_a_generated_capture),
    cmocka_unit_test(one_bit_changes_the_digest_or_only_padding),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, NULL };
