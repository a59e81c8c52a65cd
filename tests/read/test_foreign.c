/* SPDX-License-Identifier: MIT
 *
 * Inputs that are no captures: each is named, with the command that helps.
 */
#include "pc_test.h"
#include "capture_bench.h"

static void is_named(const char *bytes, size_t len, const char *name)
{
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    for (size_t i = 0; i < PC_COUNT_OF(kinds); i++) {
        in.kind = kinds[i];
        in.len = len;
        memcpy(in.p, bytes, len);
        bool found = counted(PC_D_WRAPPED) != 0 || counted(PC_D_FOREIGN) != 0;
        if (!found ? name != NULL : !name || strcmp(first.seen.text, name) != 0)
            fail_msg("%.20s: %s, not %s", bytes, found ? first.seen.text : "nothing",
                     name ? name : "nothing");
        if (found)
            assert_non_null(first.expected.text);
    }
}
#define IS(text, name) is_named(text, sizeof(text) - 1, name)

static void formats_are_told_by_their_first_bytes(void **state)
{
    (void)state;
    IS("\x1f\x8b\x08", "gzip");
    IS("\x28\xb5\x2f\xfd\x01", "zstd");
    IS("\x28\xb5\x2f\xfe\x01", NULL);
    IS("\xfd"
       "7zXZ",
       "xz");
    IS("BZh9", "bzip2");
    IS("070701", "a cpio archive");
    IS("!<arch>\n", "an ar archive");
    IS("gmon\1", "a profile of gprof");
    IS("EPFRLI2E", "swapped pairs of bytes");
    IS("FREP2ELI", "reversed words of 4 bytes");
}

/* e_type is at 16, in the byte order of byte 5. */
static void an_elf_file_is_a_core_or_not(void **state)
{
    (void)state;
    static const char elf[] = "\x7f"
                              "ELF";
    for (unsigned order = 1; order < 3; order++) {
        for (unsigned type = 2; type < 5; type++) {
            char head[18] = { 0 };
            memcpy(head, elf, 4);
            head[5] = (char)order;
            head[order == 1 ? 16 : 17] = (char)type;
            is_named(head, sizeof(head), type == 4 ? "a core dump" : "an ELF file (program or library)");
            is_named(head, 17, NULL);
        }
    }
}

static void texts_are_told_by_what_is_in_them(void **state)
{
    (void)state;
    IS(" \n<!DOCTYPE HTML>", "a web page (HTML)");
    IS("\xef\xbb\xbf<html>", "a web page (HTML)");
    IS("{ \"traceEvents\": [] }", "a trace of Chrome (JSON)");
    IS("{ \"a\": 1 }", "JSON");
    IS("[ 1, 2 ]", "JSON");
    IS("[ 1 2 ]", "text");
    IS("UEVSRklMRTI", "base64");
    IS("prog 12 [001] 1169.086175: 1 cycles:", "the output of perf script");
    IS("prog 12 [001] 1169.08617: 1 cycles:", "text");
    IS("main;read_token 3\n", "folded stacks, as for a flame graph");
    IS("main;read_token\n", "text");
    IS("7f0000001000 20 name\n", "a list of symbols (perf-PID.map)");
    IS("7f000 20 name\n", "text");
    IS("ffffffff81000000 T name\n", "a list of kernel symbols (kallsyms)");
    IS("some words", "text");
    IS("some w\xffrds", NULL);
}

/* A packet: its length, then trusted_uid (field 3) with a number. */
static void a_trace_of_perfetto_is_told_by_its_packets(void **state)
{
    (void)state;
    IS("\x0a\x03\x18\xe8\x07", "a trace of Perfetto");
    IS("\x0a\x02\x20\x01\x0a\x02\x50\x01", "a trace of Perfetto"); /* the second: sequence_id */
    IS("\x0a\x04\x18\xe8\x07", NULL);                              /* longer than what is there */
    IS("\x0a\x02\x20\x01", NULL);                                  /* another field */
}

static void bytes_that_are_not_known_are_shown(void **state)
{
    (void)state;
    in.kind = PC_INPUT_FILE;
    memcpy(in.p, "\x01zzzzzzzzz", 10);
    in.len = 10;
    expect(PC_D_MAGIC_UNKNOWN, 1, 0);
    assert_int_equal(first.length, 8);
    assert_memory_equal(first.seen.bytes, "01 7a 7a", 8);
    in.len = 2;
    expect(PC_D_MAGIC_UNKNOWN, 1, 0);
    assert_int_equal(first.length, 2);
    assert_int_equal(first.seen.len, 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(formats_are_told_by_their_first_bytes),
    cmocka_unit_test(an_elf_file_is_a_core_or_not),
    cmocka_unit_test(texts_are_told_by_what_is_in_them),
    cmocka_unit_test(a_trace_of_perfetto_is_told_by_its_packets),
    cmocka_unit_test(bytes_that_are_not_known_are_shown),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
