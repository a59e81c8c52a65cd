/* SPDX-License-Identifier: MIT */
#include "check/scan.h"
#include "base/text.h"

void pc_scan_init(struct pc_scan *scan, const struct pc_policy *policy, const struct pc_limits *limits)
{
    scan->limits = *limits;
    scan->in = (struct pc_input){ .fd = -1 };
    scan->recognised = false;
    scan->progress = NULL;
    scan->steps = 0;
    pc_mem_init(&scan->mem, limits->memory);
    pc_report_init(&scan->report, &scan->mem, policy);
    pc_capture_init(&scan->capture, &scan->mem);
    pc_reader_init(&scan->reader, &scan->in, &scan->mem, &scan->report, &scan->capture, &scan->limits);
    pc_check_init(&scan->check, &scan->mem, &scan->report, &scan->capture);
}

void pc_scan_clear(struct pc_scan *scan)
{
    pc_check_clear(&scan->check);
    pc_reader_clear(&scan->reader);
    pc_capture_clear(&scan->capture);
    pc_report_clear(&scan->report);
    pc_input_close(&scan->in);
    assert(scan->mem.used == 0);
}

/* Bytes read, and how many there will be. */
static __attribute__((noinline)) void show_progress(struct pc_scan *scan)
{
    const struct pc_directory *dir = &scan->reader.directory;
    uint64_t total = scan->in.kind == PC_INPUT_FILE ? scan->in.size : 0;
    for (size_t i = 0; i < dir->nr; i++)
        total += dir->member[i].kind == PC_MEMBER_KCORE ? 0 : dir->member[i].size;
    pc_progress_show(scan->progress, scan->in.bytes_read + scan->reader.member.bytes_read, total);
}

bool pc_scan_read(struct pc_scan *scan, struct pc_item *item)
{
    if (scan->progress && scan->steps++ % 256 == 0)
        show_progress(scan);
    return pc_reader_next(&scan->reader, item);
}

bool pc_scan_next(struct pc_scan *scan, struct pc_item *item)
{
    if (!pc_scan_read(scan, item))
        return false;
    scan->recognised = true;
    pc_check_item(&scan->check, item);
    return true;
}

void pc_scan_end(struct pc_scan *scan)
{
    pc_progress_end(scan->progress);
    scan->check.sum.compressed_in = scan->reader.packed.bytes_in;
    scan->check.sum.compressed_out = scan->reader.packed.bytes_out;
    pc_report_sort(&scan->report);
}

void pc_scan_input(struct pc_scan *scan)
{
    struct pc_item item;
    while (pc_scan_next(scan, &item))
        continue;
    pc_scan_end(scan);
}

bool pc_scan_open(struct pc_scan *scan, const char *path)
{
    int error = pc_input_open(&scan->in, path);
    if (error == 0)
        return true;
    struct pc_finding f = { .id = PC_D_READ_FAILED, .place = PC_IN_HEADER };
    f.seen = pc_text_value(pc_text_error(error));
    pc_report_add(&scan->report, &f);
    return false;
}

void pc_scan_path(struct pc_scan *scan, const char *path)
{
    if (pc_scan_open(scan, path))
        pc_scan_input(scan);
}

void pc_scan_memory(struct pc_scan *scan, struct pc_span bytes, enum pc_input_kind kind)
{
    pc_input_memory(&scan->in, bytes, kind);
    pc_scan_input(scan);
}

enum pc_verdict pc_scan_verdict(const struct pc_scan *scan)
{
    if (scan->report.unreadable)
        return PC_UNREADABLE;
    if (!scan->recognised)
        return PC_INVALID; /* whatever the policy: there is no capture */
    return scan->report.by_severity[PC_ERROR] != 0 ? PC_INVALID : PC_VALID;
}

uint64_t pc_scan_work(const struct pc_scan *scan)
{
    return scan->in.bytes_read + scan->reader.member.bytes_read + scan->reader.packed.bytes_out +
           scan->check.work + scan->check.flow.work + scan->reader.work;
}
