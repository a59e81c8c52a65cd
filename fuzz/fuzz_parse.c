/* SPDX-License-Identifier: MIT
 *
 * parse: any bytes get a verdict, within the limits of memory and of work; findings are bounded and point
 * into the input; and a second look finds the same.
 */
#include "harness.h"

/* A section of the feature table that is promised behind the end is named where it would be. */
static bool is_inside(const struct pc_finding *f, size_t size)
{
    if (f->where.inside)
        return f->where.wrapper_offset <= size;
    return f->id == PC_D_TABLE_OUTSIDE || (f->offset <= size && f->length <= size - f->offset);
}

static void claim(const struct pc_scan *scan, size_t size)
{
    const struct pc_report *report = &scan->report;
    uint64_t window = scan->check.sum.compressed != 0 ? PC_INFLATE_MEMORY + ((uint64_t)1 << 19) : 0,
             found = 0;
    PC_CLAIM(scan->mem.peak <= scan->limits.memory + window);
    /* By what is there, not by what it promises. */
    PC_CLAIM(scan->mem.peak <= ((uint64_t)3 << 20) + 4 * (uint64_t)size + window);
    PC_CLAIM(pc_scan_work(scan) <= 40 * ((uint64_t)size + scan->check.sum.compressed_out) + 200000);
    PC_CLAIM(scan->check.sum.compressed_out <= scan->limits.inflated + 1);
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        if (report->by_id[id] == 0)
            continue;
        found += report->by_id[id];
        PC_CLAIM(report->by_id[id] - pc_report_suppressed(report, (enum pc_diag)id) <=
                 scan->report.policy->max_per_id);
    }
    PC_CLAIM(found ==
             report->by_severity[PC_NOTE] + report->by_severity[PC_WARNING] + report->by_severity[PC_ERROR]);
    for (size_t i = 0; i < report->nr; i++)
        PC_CLAIM(is_inside(&report->finding[i], size));
    if (!scan->recognised)
        PC_CLAIM(pc_scan_verdict(scan) != PC_VALID && report->nr != 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum pc_versions readers[] = { PC_BY_NONE, PC_BY_NONE, PC_BY_NONE, PC_BY_NONE,
                                                PC_BY_5_10, PC_BY_6_1,  PC_BY_6_12, PC_BY_7_2 };
    static struct pc_scan scan;
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size))
        return 0;
    fuzz_policy.reader = readers[fuzz_bits(&c, 0, 3)];
    enum pc_input_kind kind = fuzz_bits(&c, 3, 1) ? PC_INPUT_STREAM : PC_INPUT_FILE;
    fuzz_scan(&scan, c.capture, kind);
    claim(&scan, c.capture.len);
    /* Half of the work: not for every input. */
    bool twice = fuzz_bits(&c, 4, 1);
    struct pc_sum first = { 0 };
    if (twice)
        first = fuzz_report(&scan);
    fuzz_scan_end(&scan);
    if (twice) {
        fuzz_scan(&scan, c.capture, kind);
        struct pc_sum second = fuzz_report(&scan);
        PC_CLAIM(pc_sum_equal(&first, &second));
        fuzz_scan_end(&scan);
    }
    return 0;
}
