/* SPDX-License-Identifier: MIT
 *
 * lib_bench.h: what the tests of the public interface share: the real captures, and a small one from a
 * recipe, so that what is expected can be read in it. Nothing here includes a header of src but perfcheck.h.
 */
#ifndef PC_LIB_BENCH_H
#define PC_LIB_BENCH_H

#include "pc_test.h"
#include "captures.h"
#include "scratch.h"
#include "perfcheck.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static char one_path[SCRATCH_PATH], other_path[SCRATCH_PATH];

#define RECIPE(ip, host)                                                                                     \
    "expect: valid\nfile\n"                                                                                  \
    "attr type=1 config=2 sample_period=5 sample_type=IP|TID|TIME|IDENTIFIER flags=disabled|sample_id_all "  \
    "ids=11,12\n"                                                                                            \
    "attr type=0 config=1 sample_freq=7 sample_type=IP|TID|TIME|IDENTIFIER "                                 \
    "flags=disabled|freq|sample_id_all ids=21\n"                                                             \
    "data\n"                                                                                                 \
    "record COMM ; u32 100 100 ; str \"one\" ; u32 100 100 ; u64 900 11 ; end\n"                             \
    "record SAMPLE misc=USER ; u64 11 " ip " ; u32 100 100 ; u64 1000 ; end\n"                               \
    "record SAMPLE misc=USER ; u64 21 0x400123 ; u32 100 100 ; u64 1500 ; end\n"                             \
    "record LOST ; u64 11 3 ; u32 100 100 ; u64 1600 11 ; end\n"                                             \
    "record 100 ; u64 0 ; end\n"                                                                             \
    "feature HOSTNAME ; hstr \"" host "\" ; end\n"                                                           \
    "feature NRCPUS ; u32 4 2 ; end\n"                                                                       \
    "feature CMDLINE ; u32 3 ; hstr \"perf\" ; hstr \"record\" ; hstr \"-a\" ; end\n"

static inline perfcheck_t *open_path(const char *name)
{
    perfcheck_t *pc = perfcheck_new();
    assert_non_null(pc);
    assert_int_equal(perfcheck_open_path(pc, name), PERFCHECK_OK);
    return pc;
}

static inline void expect_entry(perfcheck_t *pc, perfcheck_list_t list, size_t number, const char *name,
                                uint64_t n, const char *text)
{
    const perfcheck_entry_t *e = perfcheck_entry(pc, list, number);
    assert_non_null(e);
    assert_string_equal(e->name, name);
    assert_true(e->number == n);
    assert_string_equal(e->text ? e->text : "none", text);
}

static inline const struct real_capture *capture_named(const char *name)
{
    for (size_t i = 0; i < nr_real_captures; i++) {
        if (strstr(real_captures[i].path, name))
            return &real_captures[i];
    }
    fail_msg("there is no %s", name);
    return NULL;
}

static inline perfcheck_t *open_capture(const struct real_capture *c)
{
    perfcheck_t *pc = perfcheck_new();
    assert_non_null(pc);
    assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
    return pc;
}

/* What the fields of a record should be: one after the other, each with the value that its text says. */
struct coverage {
    uint64_t next, end;
    size_t nr;
    bool record;
};

static inline int take_field(void *ctx, const perfcheck_field_t *f)
{
    struct coverage *cover = ctx;
    char text[64];
    if (cover->record)
        assert_true(f->offset == cover->next);
    cover->next = f->offset + f->size;
    cover->nr++;
    const char *dot = strrchr(f->path, '.');
    assert_string_equal(f->name, dot ? dot + 1 : f->path);
    assert_true(f->nr_bytes == f->size || f->nr_bytes >= 64);
    if (f->type == PERFCHECK_INT) {
        snprintf(text, sizeof(text), "%lld", (long long)f->number);
        assert_string_equal(f->value, text);
    } else if (f->type == PERFCHECK_UINT || f->type == PERFCHECK_BITS) {
        assert_true(strtoull(f->value, NULL, 0) == f->number);
    } else if (f->type != PERFCHECK_DOUBLE) {
        assert_true(f->number == 0);
    }
    return 0;
}

struct bytes {
    unsigned char *bytes;
    size_t len, most; /* no more than most are taken */
};

static inline int take_bytes(void *ctx, const void *bytes, size_t size)
{
    struct bytes *to = ctx;
    if (size > to->most - to->len)
        return 1;
    memcpy(to->bytes + to->len, bytes, size);
    to->len += size;
    return 0;
}

static inline int set_up(void **state)
{
    (void)state;
    scratch_path(one_path, "one");
    scratch_path(other_path, "other");
    load_captures(false);
    return nr_real_captures < 15;
}

static inline int tear_down(void **state)
{
    free_captures();
    return scratch_tear_down(state);
}

#endif
