/* SPDX-License-Identifier: MIT
 *
 * copy_bench.h: a generated capture, and copies of it while allocations, reads and writes fail.
 */
#ifndef PC_COPY_BENCH_H
#define PC_COPY_BENCH_H

#include "pc_test.h"
#include "generate/generate.h"
#include "write/content.h"
#include "bytes/cursor.h"
#include "check/scan.h"
#include "write/writer.h"
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

static struct pc_policy policy;
static struct pc_limits limits;
static struct pc_scan scan;
static struct pc_content content;
static struct generate g;
static bool was_compressed; /* what was read again */
static char folder[] = "/tmp/perfcheck-content-XXXXXX", path[64];

/* What fails, and what became of it. */
struct attempt {
    bool compress;
    uint64_t alloc, read, write; /* this one, or what touches this offset; 0: none */
    bool whole, unreadable;
    struct pc_sum sum;
    uint64_t allocations, written;
};

static inline void copy(struct attempt *a, enum pc_order to)
{
    struct pc_content_item item;
    struct pc_writer writer;
    struct pc_sink sink;
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    pc_scan_init(&scan, &policy, &limits);
    scan.mem.fail_at = a->alloc;
    pc_input_memory(&scan.in, (struct pc_span){ g.bytes, g.len }, g.pipe ? PC_INPUT_STREAM : PC_INPUT_FILE);
    scan.in.fail_at = a->read;
    pc_content_init(&content, &scan, to, true, NULL);
    assert_int_equal(pc_sink_create(&sink, &mem, path, true, 0600, NULL), 0);
    sink.fail_at = a->write;
    a->whole = pc_content_open(&content);
    if (a->whole) {
        pc_writer_init(&writer, &content, &sink, g.pipe ? PC_CONTAINER_PIPE : PC_CONTAINER_FILE);
        writer.compression = a->compress ? PC_COMPRESSION_LEVEL : PC_COMPRESSION_KEEP;
        writer.level = 1;
        for (;;) {
            pc_content_next(&content, &item);
            if (item.kind == PC_CONTENT_END)
                break;
            pc_writer_put(&writer, &item);
        }
        a->whole = pc_content_is_whole(&content) && pc_writer_end(&writer) && pc_sink_flush(&sink) == 0;
        pc_writer_clear(&writer);
    }
    if (a->whole)
        a->sum = pc_content_digest(&content);
    a->unreadable = scan.report.unreadable || sink.error != 0; /* what the program tells */
    a->allocations = scan.mem.calls;
    a->written = sink.size;
    pc_content_clear(&content);
    pc_scan_clear(&scan); /* asserts that nothing was left */
    if (a->whole)
        assert_int_equal(pc_sink_commit(&sink), 0);
    else
        pc_sink_discard(&sink);
    assert_int_equal(mem.used, 0);
}

/* The digest of what was written. */
static inline struct pc_sum digest_of_copy(void)
{
    struct pc_content_item item;
    pc_scan_init(&scan, &policy, &limits);
    assert_int_equal(pc_input_open(&scan.in, path), 0);
    pc_content_init(&content, &scan, PC_LITTLE, false, NULL);
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    assert_true(pc_content_is_whole(&content));
    struct pc_sum sum = pc_content_digest(&content);
    was_compressed = content.compressed;
    pc_content_clear(&content);
    pc_scan_clear(&scan);
    return sum;
}

static inline void make(bool pipe, enum pc_order order)
{
    memset(&g, 0, sizeof(g));
    g.order = order;
    g.pipe = pipe;
    g.variant = 1;
    g.seed = 1;
    generate(&g);
}

static inline void nothing_fails_unsaid(bool pipe, bool compress)
{
    for (unsigned swap = 0; swap < 2; swap++) {
        make(pipe, PC_BIG);
        struct attempt good = { .compress = compress };
        copy(&good, swap ? PC_LITTLE : PC_BIG);
        assert_true(good.whole);
        assert_true(good.allocations > 10);
        struct pc_sum sum = digest_of_copy();
        assert_true(pc_sum_equal(&sum, &good.sum));
        assert_int_equal(was_compressed, compress);
        for (uint64_t n = 1; n <= good.allocations; n++) {
            struct attempt a = { .alloc = n, .compress = compress };
            copy(&a, swap ? PC_LITTLE : PC_BIG);
            /* Some are for speed only. */
            if (a.whole)
                assert_true(pc_sum_equal(&a.sum, &good.sum));
            else
                assert_true(a.unreadable);
        }
        for (uint64_t at = 1; at <= g.len; at += 997) {
            struct attempt a = { .read = at, .compress = compress };
            copy(&a, swap ? PC_LITTLE : PC_BIG);
            assert_false(a.whole);
            assert_true(a.unreadable);
        }
        for (uint64_t at = 1; at <= good.written; at += 997) {
            struct attempt a = { .write = at, .compress = compress };
            copy(&a, swap ? PC_LITTLE : PC_BIG);
            assert_false(a.whole);
        }
        free(g.bytes);
    }
}

static inline int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof(path), "%s/out", folder);
    return 0;
}

static inline int tear_down(void **state)
{
    (void)state;
    unlink(path);
    return rmdir(folder);
}

#endif
