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

static struct pc_salvage repaired; /* what the last repair left */

/* Repairs what is there, and fails unless it then is the sound file. Returns how many patches that took. */
static size_t repair(const char *what)
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

#endif
