/* SPDX-License-Identifier: MIT
 *
 * oom: one allocation fails, or all from one on. The scan then says that there was no memory, or nothing is
 * different; a copy is not made, or is the same; everything is given back.
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

static struct pc_sum report_of(struct pc_span capture, const struct fuzz_case *c, bool *said)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    fail_at(c);
    pc_scan_memory(&scan, capture, PC_INPUT_FILE);
    struct pc_sum sum = fuzz_report(&scan);
    *said = scan.report.by_id[PC_D_OUT_OF_MEMORY] + scan.report.by_id[PC_D_LIMIT_STATE] != 0;
    PC_CLAIM(!scan.report.by_id[PC_D_OUT_OF_MEMORY] || pc_scan_verdict(&scan) == PC_UNREADABLE);
    fuzz_scan_end(&scan);
    return sum;
}

/* The copy; without bytes: there is none. */
static struct fuzz_bytes copy_of(struct pc_span capture, const struct fuzz_case *c)
{
    struct fuzz_bytes copy = { NULL, 0 };
    struct pc_content_item item;
    struct pc_writer writer;
    struct pc_sink sink;
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    fail_at(c);
    pc_input_memory(&scan.in, capture, PC_INPUT_FILE);
    pc_content_init(&content, &scan, PC_BIG, true, NULL);
    if (pc_content_open(&content) && pc_sink_scratch(&sink, &scan.mem, NULL) == 0) {
        pc_writer_init(&writer, &content, &sink, PC_CONTAINER_FILE);
        pc_writer_compress(&writer, PC_COMPRESSION_KEEP, 1);
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
        pc_writer_clear(&writer);
        pc_sink_discard(&sink);
    }
    pc_content_clear(&content);
    fuzz_scan_end(&scan);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    bool said, never;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_sum whole = report_of(c.capture, NULL, &never), failed = report_of(c.capture, &c, &said);
    PC_CLAIM(said || pc_sum_equal(&whole, &failed));
    struct fuzz_bytes copy = copy_of(c.capture, NULL), other = copy_of(c.capture, &c);
    PC_CLAIM(!other.bytes || (copy.bytes && fuzz_same(&copy, &other)));
    free(copy.bytes);
    free(other.bytes);
    return 0;
}
