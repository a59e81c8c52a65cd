/* SPDX-License-Identifier: MIT
 *
 * A salvage of a small damaged capture, compared with a copy of one that has only what is left of it.
 */
#ifndef PC_SALVAGE_ROWS_H
#define PC_SALVAGE_ROWS_H

#include "scratch.h"
#include "write/rewrite.h"

static char in_path[SCRATCH_PATH], out_path[SCRATCH_PATH], whole_path[SCRATCH_PATH];

#define ATTR                                                                                                 \
    "attr type=1 config=0 sample_period=1000 sample_type=IP|TID|IDENTIFIER read_format=ID flags=disabled "   \
    "ids=11\n"
#define FILE_BEGINS "file\n" ATTR "data\n"
/* COMPRESSED has version, type, level, ratio and mmap_len. */
#define FILE_ENDS "feature HOSTNAME ; hstr \"box\" ; end\nfeature NRCPUS ; u32 4 4 ; end\n"
#define UNPACKS   FILE_ENDS "feature COMPRESSED ; u32 0 1 1 1 528384 ; end\n"

#define SAMPLE(ip) "record SAMPLE misc=USER ; u64 11 " #ip " ; u32 100 100 ; end\n" /* 8 + 24 bytes */
#define ROUND      "record FINISHED_ROUND ; end\n"
struct salvage_row {
    const char *what, *damaged, *whole;
};

/* What was said; shown when a row fails. */
static char said[4096];

static inline void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    size_t used = strlen(said);
    snprintf(said + used, sizeof(said) - used, "\n%s: %s: %s", path, what, why ? why : "");
}

static inline void take_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    for (size_t i = 0; i < scan->report.nr; i++)
        take_message(ctx, path, pc_diag_info(scan->report.finding[i].id)->name, NULL);
}

/* That of the copy. */
static enum pc_container_choice container = PC_TO_KEEP;

/* A byte of each copy that is changed before it is read again; 0: none. */
static struct {
    off_t at;
    unsigned char mask;
} defect;

static inline void make_defect(void *ctx, int fd)
{
    unsigned char byte;
    (void)ctx;
    if (defect.mask == 0)
        return;
    assert_int_equal(pread(fd, &byte, 1, defect.at), 1);
    byte ^= defect.mask;
    assert_int_equal(pwrite(fd, &byte, 1, defect.at), 1);
}

/* The copy of the capture that is there. */
static inline enum pc_rewritten copy_again(bool salvage, const char *to)
{
    struct pc_rewrite how = { .salvage = salvage, .to = container, .compression = PC_COMPRESSION_NONE };
    how.written = make_defect;
    said[0] = 0;
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
    return pc_rewrite_capture(&how, NULL, in_path, to);
}

/* The copy of a recipe. */
static inline enum pc_rewritten copy(const char *recipe, bool salvage, const char *to)
{
    char text[5120];
    snprintf(text, sizeof(text), "expect: %s\n%s", salvage ? "invalid" : "valid", recipe);
    assemble(text, in_path);
    return copy_again(salvage, to);
}

static inline size_t load(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(bytes, 1, room, f);
    fclose(f);
    assert_true(n < room);
    assert_int_equal(unlink(path), 0);
    return n;
}

static inline void compare_rows(const struct salvage_row *row, size_t nr)
{
    static unsigned char saved[16384], wanted[16384];
    for (size_t i = 0; i < nr; i++) {
        if (copy(row[i].damaged, true, out_path) != PC_WRITTEN)
            fail_msg("%s: nothing was saved%s", row[i].what, said);
        if (copy(row[i].whole, false, whole_path) != PC_WRITTEN)
            fail_msg("%s: not sound%s", row[i].what, said);
        size_t n = load(out_path, saved, sizeof(saved));
        if (n != load(whole_path, wanted, sizeof(wanted)) || memcmp(saved, wanted, n) != 0)
            fail_msg("%s: something else was saved", row[i].what);
    }
}

static inline int salvage_set_up(void **state)
{
    (void)state;
    scratch_path(in_path, "in");
    scratch_path(out_path, "out");
    scratch_path(whole_path, "whole");
    return 0;
}

#endif
