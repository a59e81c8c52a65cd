/* SPDX-License-Identifier: MIT
 *
 * truncate: nothing that is found in a prefix lies behind it, and a prefix is accepted only where a capture
 * may end: behind all sections of a file, between records of a pipe.
 */
#include "harness.h"

static struct pc_scan whole, part;

/* Whether records of the whole capture meet at `len`, as far as the reader sees records there. */
static bool is_boundary(struct pc_span capture, size_t len)
{
    struct pc_item item;
    bool found = len == PC_PIPE_HEADER_SIZE;
    pc_scan_init(&whole, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&whole.in, capture, PC_INPUT_FILE);
    while (!found && pc_reader_next(&whole.reader, &item)) {
        bool outer = !whole.report.where.inside;
        found = outer && (item.offset == len || item.offset + item.bytes.len == len);
    }
    fuzz_scan_end(&whole);
    return found;
}

/* Sections of an accepted file end before it does. */
static bool holds_data(const struct pc_capture *capture, size_t len)
{
    uint64_t end;
    return capture->unfinished || (pc_add(pc_header_get(capture, PC_HEAD_DATA_OFFSET),
                                          pc_header_get(capture, PC_HEAD_DATA_SIZE), &end) &&
                                   end <= len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size) || c.capture.len == 0)
        return 0;
    struct pc_span prefix = pc_part(c.capture, 0, fuzz_bits(&c, 0, 20) % c.capture.len);
    fuzz_scan(&whole, c.capture, PC_INPUT_FILE);
    uint64_t records = whole.check.sum.total;
    bool recognised = whole.recognised, is_pipe = whole.capture.is_pipe;
    enum pc_order order = whole.capture.order;
    fuzz_scan_end(&whole);
    fuzz_scan(&part, prefix, PC_INPUT_FILE);
    for (size_t i = 0; i < part.report.nr; i++) {
        const struct pc_finding *f = &part.report.finding[i];
        PC_CLAIM(f->where.inside ? f->where.wrapper_offset <= prefix.len
                                 : f->id == PC_D_TABLE_OUTSIDE || f->offset <= prefix.len);
    }
    PC_CLAIM(part.check.sum.size <= prefix.len);
    if (pc_scan_verdict(&part) == PC_VALID) {
        PC_CLAIM(recognised && part.capture.is_pipe == is_pipe && part.capture.order == order);
        if (part.capture.is_pipe)
            PC_CLAIM(part.check.sum.total <= records && is_boundary(c.capture, prefix.len));
        else
            PC_CLAIM(holds_data(&part.capture, prefix.len));
    }
    fuzz_scan_end(&part);
    return 0;
}
