/* SPDX-License-Identifier: MIT
 *
 * oom: one allocation fails, or all from one on. A scan then reports that there was no memory, or is
 * unchanged. A copy is not written and the reason is known, or it is unchanged. If no allocation failed,
 * nothing changes. All memory is freed.
 */
#include "harness.h"

#include <stdlib.h>

static struct pc_scan scan;
static struct pc_content content;

static void fail_at(const struct fuzz_case *c)
{
    scan.mem.fail_at = c ? 1 + fuzz_bits(c, 0, 9) : 0;
    scan.mem.fail_on = c && fuzz_bits(c, 9, 1);
}

/* What became of it. */
struct end {
    bool failed; /* an allocation did */
    bool said;   /* why something is not there */
};

static struct end end_of(int error)
{
    const uint64_t *by_id = scan.report.by_id;
    uint64_t said = by_id[PC_D_OUT_OF_MEMORY] + by_id[PC_D_LIMIT_STATE] + by_id[PC_D_STORE_FAILED];
    return (struct end){ .failed = scan.mem.fail_at != 0 && scan.mem.calls >= scan.mem.fail_at,
                         .said = error || said != 0 };
}

static struct pc_sum report_of(struct pc_span capture, const struct fuzz_case *c, struct end *end)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    fail_at(c);
    pc_scan_memory(&scan, capture, PC_INPUT_FILE);
    struct pc_sum sum = fuzz_report(&scan);
    *end = end_of(0);
    PC_CLAIM(!scan.report.by_id[PC_D_OUT_OF_MEMORY] || pc_scan_verdict(&scan) == PC_UNREADABLE);
    fuzz_scan_end(&scan);
    return sum;
}

/* The copy; empty if there is none. */
static struct fuzz_bytes copy_of(struct pc_span capture, const struct fuzz_case *c, struct end *end)
{
    int error = 0;
    struct fuzz_bytes copy = { NULL, 0 };
    struct pc_content_item item;
    struct pc_writer writer;
    struct pc_sink sink;
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    fail_at(c);
    pc_input_memory(&scan.in, capture, PC_INPUT_FILE);
    pc_content_init(&content, &scan, PC_BIG, true, NULL);
    if (pc_content_open(&content) && (error = pc_sink_scratch(&sink, &scan.mem, NULL)) == 0) {
        pc_writer_init(&writer, &content, &sink, PC_CONTAINER_FILE);
        for (;;) {
            pc_content_next(&content, &item);
            if (item.kind == PC_CONTENT_END)
                break;
            pc_writer_put(&writer, &item);
        }
        if (pc_content_is_whole(&content) && pc_writer_end(&writer)) {
            copy = (struct fuzz_bytes){ malloc((size_t)sink.size), (size_t)sink.size };
            FUZZ_MUST(copy.bytes);
            PC_CLAIM(pc_sink_get(&sink, 0, copy.bytes, copy.len));
        }
        error = sink.error;
        pc_writer_clear(&writer);
        pc_sink_discard(&sink);
    }
    *end = end_of(error);
    pc_content_clear(&content);
    fuzz_scan_end(&scan);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct end whole_end, end;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_sum whole = report_of(c.capture, NULL, &whole_end), other = report_of(c.capture, &c, &end);
    PC_CLAIM(end.said || pc_sum_equal(&whole, &other));
    PC_CLAIM(end.failed || pc_sum_equal(&whole, &other));
    struct fuzz_bytes copy = copy_of(c.capture, NULL, &whole_end), again = copy_of(c.capture, &c, &end);
    PC_CLAIM(!again.bytes || (copy.bytes && fuzz_same(&copy, &again)));
    PC_CLAIM(again.bytes || !copy.bytes || (end.failed && end.said));
    free(copy.bytes);
    free(again.bytes);
    return 0;
}
