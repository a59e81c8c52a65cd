/* SPDX-License-Identifier: MIT
 *
 * A file of records and features whose header and feature table are damaged and repaired.
 */
#ifndef REPAIR_BENCH_H
#define REPAIR_BENCH_H

#include "pc_test.h"
#include "capture_bench.h"
#include "write/repair.h"

enum { RECORDS = 20, TABLE = FILE_DATA + RECORDS * 32, FEATURES = 8 };

static unsigned char sound[8192];

static void begin_sound(void)
{
    begin_file(PC_S_TID, 0);
    for (uint64_t i = 0; i < RECORDS; i++)
        RECORD(PC_COMM, pair(UINT32_MAX, 1), chars("name"), pair(1, 1));
    end_file();
    in.len = TABLE; /* eight features of 8 bytes, so that the table shows itself */
    put_at(AT_FEATURES, 0x7f8, 8);
    for (uint64_t i = 0; i < FEATURES; i++) {
        put(TABLE + 16 * FEATURES + 8 * i, 8);
        put(8, 8);
    }
    for (uint64_t i = 0; i < FEATURES; i++)
        put(1, 8);
    memcpy(sound, in.p, in.len);
}

enum { NR = 7, STRING = 68 };

#define NAMED_STRINGS                                                                                        \
    ((uint64_t)(1 << PC_HOSTNAME | 1 << PC_OSRELEASE | 1 << PC_VERSION | 1 << PC_ARCH | 1 << PC_CPUDESC))
#define NAMED_NUMBERS ((uint64_t)(1 << PC_NRCPUS | 1 << PC_SAMPLE_TIME))

/* A file with features that show what they are, and these bits for them. A string may be of several. */
static inline void begin_named(uint64_t bits)
{
    static const size_t sizes[NR] = { STRING, STRING, STRING, STRING, 8, STRING, 16 };
    begin_sound();
    in.len = TABLE;
    put_at(AT_FEATURES, NAMED_STRINGS | NAMED_NUMBERS, 8);
    uint64_t at = TABLE + PC_SECTION_SIZE * NR;
    for (size_t i = 0; i < NR; at += sizes[i], i++) {
        put(at, 8);
        put(sizes[i], 8);
    }
    for (size_t i = 0; i < NR; i++) {
        put(sizes[i] == STRING ? STRING - 4 : 4, 4);
        if (sizes[i] == STRING) {
            memcpy(in.p + in.len, "x\0\0\0", 4);
            in.len += 4;
        } else {
            put(4, 4);
        }
        for (size_t k = 8; k < sizes[i]; k += 4)
            put(0, 4);
    }
    memcpy(sound, in.p, in.len);
    put_at(AT_FEATURES, bits, 8);
}

static inline void begin_with_names(void)
{
    begin_named(NAMED_STRINGS | NAMED_NUMBERS);
}

static inline void put_in(uint64_t at, unsigned char byte, size_t nr)
{
    make_room(at, nr);
    memset(in.p + at, byte, nr);
}

static struct pc_salvage repaired; /* what the last repair left */

/* Repairs what is there, and fails unless it then is the sound file. Returns how many patches that took. */
static inline size_t repair(const char *what)
{
    static struct pc_salvage s;
    s = (struct pc_salvage){ .no_memory = false };
    pc_mem_init(&s.mem, 1 << 20);
    pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    pc_repair(&s);
    for (size_t i = 0; i < s.nr_patches; i++) {
        assert_true(i == 0 || s.patch[i - 1].offset < s.patch[i].offset);
        memcpy(in.p + s.patch[i].offset, s.patch[i].bytes, s.patch[i].len);
    }
    if (what && memcmp(in.p, sound, in.len) != 0)
        fail_msg("%s-endian: %s is not repaired", in.order == PC_LITTLE ? "little" : "big", what);
    size_t nr = s.nr_patches;
    repaired = s;
    pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
    assert_int_equal(s.mem.used, 0);
    return nr;
}

/* Repairs what is there. Returns how many bytes the file then has; these are in `to`. */
static inline size_t read_repaired(unsigned char to[sizeof(sound)])
{
    static struct pc_salvage s;
    s = (struct pc_salvage){ .no_memory = false };
    pc_mem_init(&s.mem, 1 << 20);
    pc_input_memory(&s.in, (struct pc_span){ in.p, in.len }, PC_INPUT_FILE);
    pc_repair(&s);
    struct pc_input read = s.in;
    read.patch = s.patch;
    read.nr_patches = s.nr_patches;
    const size_t size = pc_input_read_at(&read, 0, to, sizeof(sound));
    repaired = s;
    pc_free(&s.mem, s.patch, s.cap_patches * sizeof(*s.patch));
    assert_int_equal(s.mem.used, 0);
    return size;
}

#endif
