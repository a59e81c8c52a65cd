/* SPDX-License-Identifier: MIT
 *
 * parse: any bytes get a verdict within the limits of memory and work. The number of findings is bounded,
 * and they are inside the input. A second scan finds the same, and under a policy what that leaves of it.
 * Each byte of the records belongs to an item or to a finding.
 */
#include "accounted.h"
#include "harness.h"

/* A section of the feature table after the end of the file is reported at the place where it would be. */
static bool is_inside(const struct pc_finding *f, size_t size)
{
    if (f->where.inside)
        return f->where.wrapper_offset <= size;
    return f->id == PC_D_TABLE_OUTSIDE || (f->offset <= size && f->length <= size - f->offset);
}

/* Ten steps for each byte: three times as many as the worst family of tests/whole/test_linear.c. Three things
 * are known to take more: each section is read once, even if several have the same bytes; a CPU map of 16
 * bytes names as many CPUs as 512 words; the table of cookies is searched once. */
static uint64_t most_work(const struct pc_scan *scan, size_t size)
{
    const struct pc_capture *capture = &scan->capture;
    uint64_t sections = capture->nr_attrs, all = (uint64_t)size + scan->check.flow.sum.compressed_out;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++)
        sections += pc_bit(capture->seen, bit);
    bool cookies = scan->check.flow.sum.by_type[PC_CALLCHAIN_DEFERRED] != 0;
    for (size_t i = 0; i < capture->nr_attrs; i++)
        cookies |= (pc_attr_get(&capture->attr[i], PC_ATTR_FLAGS) & PC_FLAG_DEFER_CHAIN) != 0;
    uint64_t cause = scan->report.nr_early != 0 ? 48 * (uint64_t)size : 0; /* what check/cause looks at */
    return 10 * all + cause + 2 * sections * size + 600 * scan->check.flow.sum.by_type[PC_CPU_MAP] +
           (cookies ? PC_COOKIES : 0) + 2000;
}

/* Unfinished work is reported whatever the cap of the user. */
static uint64_t cap_of(const struct pc_report *report, enum pc_diag id)
{
    return pc_diag_is_unreadable(id) ? 20 : report->policy->max_per_id;
}

/* Limits that captures of this size reach. */
static void choose_limits(const struct fuzz_case *c)
{
    if (fuzz_bits(c, 5, 2) == 1) /* some findings fit into an eighth */
        fuzz_limits.memory = (uint64_t)1 << (16 + fuzz_bits(c, 7, 3));
    if (fuzz_bits(c, 10, 2) == 1)
        fuzz_limits.inflated = (uint64_t)1 << fuzz_bits(c, 12, 4);
    if (fuzz_bits(c, 16, 2) == 1)
        fuzz_policy.max_per_id = 1 + fuzz_bits(c, 18, 2);
}

static void claim(const struct pc_scan *scan, size_t size)
{
    const struct pc_report *report = &scan->report;
    uint64_t window = scan->check.flow.sum.compressed != 0 ? PC_INFLATE_MEMORY + ((uint64_t)1 << 19) : 0,
             found = 0, kept[PC_DIAG_COUNT] = { 0 };
    PC_CLAIM(scan->mem.peak <= scan->limits.memory + (window != 0 ? PC_INFLATE_MEMORY : 0));
    /* By the bytes that are there, not by a size that the input claims. */
    PC_CLAIM(scan->mem.peak <= ((uint64_t)3 << 20) + 4 * (uint64_t)size + window);
    PC_CLAIM(pc_scan_work(scan) <= most_work(scan, size));
    PC_CLAIM(scan->check.flow.sum.compressed_out <= scan->limits.inflated + 1);
    for (size_t i = 0; i < report->nr; i++)
        kept[report->finding[i].id]++;
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        if (report->by_id[id] == 0)
            continue;
        found += report->by_id[id];
        PC_CLAIM(kept[id] <= cap_of(report, (enum pc_diag)id));
        /* Without memory, one finding is replaced by one that reports this. */
        PC_CLAIM(report->by_id[PC_D_OUT_OF_MEMORY] != 0 ||
                 kept[id] == report->by_id[id] - pc_report_suppressed(report, (enum pc_diag)id));
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
    enum pc_input_kind kind = fuzz_bits(&c, 3, 1) ? PC_INPUT_STREAM : PC_INPUT_FILE;
    /* This doubles the work, so not for every input. */
    bool twice = fuzz_one_of(&c, 8);
    if (twice)
        fuzz_claim_policy(&c, kind);
    choose_limits(&c);
    fuzz_policy.reader = readers[fuzz_bits(&c, 0, 3)];
    fuzz_scan(&scan, c.capture, kind);
    claim(&scan, c.capture.len);
    struct pc_sum first = { 0 };
    if (twice)
        first = fuzz_report(&scan);
    fuzz_scan_end(&scan);
    if (twice) {
        fuzz_scan(&scan, c.capture, kind);
        struct pc_sum second = fuzz_report(&scan);
        PC_CLAIM(pc_sum_equal(&first, &second));
        fuzz_scan_end(&scan);
        pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
        PC_CLAIM(pc_account_for(&scan, c.capture, kind).missing == 0);
        pc_scan_clear(&scan);
    }
    return 0;
}
