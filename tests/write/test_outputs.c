/* SPDX-License-Identifier: MIT
 *
 * Where copies go: a callback, a descriptor, the bytes of a stream that are kept; and why they cannot.
 */
#include "pc_test.h"
#include "base/text.h"
#include "scratch.h"
#include "write/outputs.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct pc_mem mem;
static unsigned char taken[1 << 16];
static size_t nr_taken, calls;
static int refusal; /* of the last call */

static int take(void *ctx, const void *bytes, size_t n)
{
    assert_ptr_equal(ctx, taken);
    assert_true(n > 0 && nr_taken + n <= sizeof(taken));
    memcpy(taken + nr_taken, bytes, n);
    nr_taken += n;
    return --calls == 0 ? refusal : 0;
}

static struct pc_sink filled(size_t n)
{
    struct pc_sink sink;
    pc_mem_init(&mem, (uint64_t)64 << 20);
    assert_int_equal(pc_sink_scratch(&sink, &mem, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        unsigned char byte = (unsigned char)(i * 7 >> 3);
        assert_int_equal(pc_output_put(&sink, &byte, 1), 0);
    }
    return sink;
}

static void all_bytes_of_a_sink_are_handed_over(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 16383, 16384, 16385, 50000 };
    for (size_t i = 0; i < PC_COUNT_OF(sizes); i++) {
        struct pc_sink sink = filled(sizes[i]);
        nr_taken = calls = 0;
        assert_int_equal(pc_output_hand_over(&sink, take, taken), 0);
        assert_int_equal(nr_taken, sizes[i]);
        for (size_t k = 0; k < nr_taken; k++)
            assert_int_equal(taken[k], (unsigned char)(k * 7 >> 3));
        assert_int_equal(mem.used, 0);
    }
}

static void a_refusal_ends_the_handing_over(void **state)
{
    (void)state;
    for (size_t call = 1; call < 4; call++) {
        struct pc_sink sink = filled(50000);
        nr_taken = 0;
        calls = call;
        refusal = ECANCELED;
        assert_int_equal(pc_output_hand_over(&sink, take, taken), ECANCELED);
        assert_int_equal(nr_taken, call * 16384);
        assert_int_equal(mem.used, 0);
    }
}

static void what_a_sink_has_is_read_from_its_start(void **state)
{
    (void)state;
    struct pc_sink sink = filled(300);
    unsigned char back[301];
    int fd = pc_output_reopen(&sink);
    assert_true(fd >= 0);
    assert_int_equal(read(fd, back, sizeof(back)), 300);
    assert_int_equal(back[299], (unsigned char)(299 * 7 >> 3));
    close(fd);
    pc_sink_discard(&sink);
}

static void a_copy_has_the_permission_bits_of_a_file(void **state)
{
    (void)state;
    char path[SCRATCH_PATH];
    struct pc_input in;
    scratch_path(path, "input");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(fchmod(fd, 0640), 0);
    assert_int_equal(pc_input_adopt(&in, fd, false), 0);
    assert_int_equal(pc_output_mode(&in), 0640);
    pc_input_memory(&in, (struct pc_span){ taken, 1 }, PC_INPUT_FILE);
    assert_int_equal(pc_output_mode(&in), 0600);
    close(fd);
    unlink(path);
}

static char said[256];

static void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    snprintf(said, sizeof(said), "%s: %s: %s", path, what, why);
}

/* The bytes of a stream that is not copied as a whole. */
static void the_bytes_of_a_stream_are_kept_unless_the_copy_has_all(void **state)
{
    (void)state;
    char path[SCRATCH_PATH], expected[SCRATCH_PATH + 64];
    scratch_path(path, "kept");
    struct pc_rewrite how = { .keep_partial = path, .callbacks = { .message = take_message } };
    for (unsigned whole = 0; whole < 2; whole++) {
        struct pc_partial partial;
        struct pc_input in;
        unsigned char back[8];
        pc_input_memory(&in, SPAN('a', 'b', 'c', 'd', 'e'), PC_INPUT_STREAM);
        assert_true(pc_partial_open(&partial, &how, &in));
        assert_int_equal(pc_input_read(&in, back, 5, 5), 5);
        assert_int_equal(pc_partial_close(&partial, &how, PC_REFUSED, whole), PC_REFUSED);
        assert_int_equal(access(path, F_OK), whole ? -1 : 0);
        if (!whole) {
            snprintf(expected, sizeof(expected), "%s: kept: 5 bytes of the stream", path);
            assert_string_equal(said, expected);
            struct pc_input again;
            pc_input_memory(&again, SPAN('x'), PC_INPUT_STREAM);
            assert_false(pc_partial_open(&partial, &how, &again)); /* it is there */
            assert_non_null(strstr(said, "--force"));
            assert_int_equal(unlink(path), 0);
        }
    }
    struct pc_partial none;
    struct pc_input file;
    pc_input_memory(&file, SPAN('a'), PC_INPUT_FILE); /* a file keeps itself */
    assert_true(pc_partial_open(&none, &how, &file));
    assert_false(none.open);
    assert_int_equal(pc_partial_close(&none, &how, PC_WRITTEN, false), PC_WRITTEN);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_bytes_of_a_sink_are_handed_over),
    cmocka_unit_test(a_refusal_ends_the_handing_over),
    cmocka_unit_test(what_a_sink_has_is_read_from_its_start),
    cmocka_unit_test(a_copy_has_the_permission_bits_of_a_file),
    cmocka_unit_test(the_bytes_of_a_stream_are_kept_unless_the_copy_has_all),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, scratch_tear_down };
