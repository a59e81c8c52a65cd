/* SPDX-License-Identifier: MIT */
#include "check/scan.h"
#include "base/text.h"
#include "check/batch.h"
#include "check/cause.h"
#include "check/demands.h"
#include "read/window.h"

#include <errno.h>

void pc_scan_init(struct pc_scan *scan, const struct pc_policy *policy, const struct pc_limits *limits)
{
    scan->limits = *limits;
    scan->in = (struct pc_input){ .fd = -1 };
    scan->recognised = false;
    scan->progress = NULL;
    scan->steps = 0;
    scan->ahead = 0;
    scan->from_ahead = scan->follows = false;
    scan->one_by_one = false;
    scan->no_cause = scan->lacks_cause = false;
    scan->demands = NULL;
    pc_mem_init(&scan->findings, limits->memory / 8);
    pc_mem_init(&scan->mem, limits->memory - limits->memory / 8);
    pc_report_init(&scan->report, &scan->findings, policy);
    pc_capture_init(&scan->capture, &scan->mem);
    pc_workers_init(&scan->workers, &scan->reader.ahead);
    pc_reader_init(&scan->reader, &scan->in, &scan->mem, &scan->report, &scan->capture, &scan->limits);
    pc_check_init(&scan->check, &scan->mem, &scan->report, &scan->capture);
}

void pc_scan_clear(struct pc_scan *scan)
{
    pc_check_clear(&scan->check);
    pc_reader_clear(&scan->reader);
    pc_workers_clear(&scan->workers);
    pc_capture_clear(&scan->capture);
    pc_report_clear(&scan->report);
    pc_input_close(&scan->in);
    assert(scan->mem.used == 0 && scan->findings.used == 0);
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

/* Whether no more is wanted: as if reading failed here. */
static bool is_stopped(struct pc_scan *scan)
{
    if (!pc_progress_stopped(scan->progress))
        return false;
    if (scan->reader.in && scan->reader.in->error == 0)
        scan->reader.in->error = ECANCELED;
    return true;
}

bool pc_scan_read(struct pc_scan *scan, struct pc_item *item)
{
    if (is_stopped(scan))
        return false;
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

struct pc_run pc_scan_pass(struct pc_scan *scan, struct pc_span ahead)
{
    struct pc_reader *r = &scan->reader;
    struct pc_workers *workers = r->w == &r->outer ? &scan->workers : NULL; /* of the bytes of the file */
    return pc_check_pass(&scan->check, ahead, r->streams.where.stream, workers, pc_reader_offset(r));
}

bool pc_scan_take(struct pc_scan *scan, struct pc_item *item)
{
    if (is_stopped(scan) || !pc_reader_take(&scan->reader, item))
        return false;
    pc_check_item(&scan->check, item);
    return true;
}

/* Whether a sample is next, of which threads may have judged as much as follows it. */
static inline bool may_be_judged(const struct pc_scan *scan)
{
    const struct pc_window *w = scan->reader.w;
    return pc_ahead_judges(&scan->reader.ahead) && w->len - w->at >= PC_RECORD_HEADER_SIZE &&
           pc_load(w->bytes + w->at, 4, scan->capture.order) == PC_SAMPLE;
}

/* The records that the reader has already. */
static void check_ahead(struct pc_scan *scan)
{
    struct pc_item item;
    if (scan->progress)
        show_progress(scan);
    for (;;) {
        struct pc_run passed = pc_scan_pass(scan, pc_reader_ahead(&scan->reader));
        if (passed.nr != 0) {
            pc_reader_pass(&scan->reader, passed.nr, passed.bytes, passed.last_size, &item);
            pc_check_passed(&scan->check, &item);
        }
        do {
            if (!pc_scan_take(scan, &item))
                return;
        } while (item.type != PC_SAMPLE && !may_be_judged(scan));
    }
}

/* Any record fits in. */
#define AHEAD_MAX (PC_RECORD_SIZE_MAX + 1)

static __attribute__((noinline)) void look_ahead(struct pc_scan *scan)
{
    struct pc_span ahead = pc_reader_ahead(&scan->reader);
    ahead.len = ahead.len < AHEAD_MAX ? ahead.len : AHEAD_MAX;
    scan->ahead = pc_scan_pass(scan, ahead).nr;
    if (scan->ahead != 0 && scan->progress)
        show_progress(scan);
}

bool pc_scan_step(struct pc_scan *scan, struct pc_item *item)
{
    /* *item is still the last one. */
    if (scan->ahead == 0 && !scan->one_by_one && (item->type == PC_SAMPLE || may_be_judged(scan)))
        look_ahead(scan);
    bool before = scan->from_ahead;
    scan->from_ahead = scan->ahead != 0;
    if (scan->ahead != 0) {
        scan->follows = pc_reader_take_known(&scan->reader, before, item);
        if (--scan->ahead == 0)
            pc_check_passed(&scan->check, item);
        return true;
    }
    scan->follows = false;
    return (!scan->one_by_one && pc_scan_take(scan, item)) || pc_scan_next(scan, item);
}

uint32_t pc_scan_attr(const struct pc_scan *scan, const struct pc_item *item)
{
    if (item->kind != PC_ITEM_RECORD)
        return PC_NO_ATTR;
    if (item->judged)
        return item->judged->attr;
    return scan->from_ahead ? pc_judge_attr(&scan->check.judge, item->bytes) : PC_NO_ATTR;
}

void pc_scan_rest(struct pc_scan *scan)
{
    struct pc_item item;
    scan->from_ahead = false;
    while (scan->ahead != 0)
        pc_scan_step(scan, &item);
    scan->from_ahead = false;
    while (pc_scan_next(scan, &item)) {
        if (!scan->one_by_one)
            check_ahead(scan);
    }
}

/* Reports what failed where nobody could say so: looking at bytes elsewhere, keeping what is shown later. */
static void say_failed(struct pc_scan *scan)
{
    struct pc_reader *r = &scan->reader;
    if (!scan->report.unreadable && r->in && r->in->error)
        pc_reader_say_short_read(r, pc_reader_offset(r));
    if (!scan->report.unreadable && scan->capture.no_memory)
        pc_reader_say_out_of_memory(r, "names and texts were kept");
}

void pc_scan_end(struct pc_scan *scan)
{
    if (scan->progress)
        show_progress(scan);
    pc_progress_end(scan->progress);
    is_stopped(scan);
    say_failed(scan);
    scan->check.flow.sum.compressed_in = scan->reader.packed.bytes_in;
    scan->check.flow.sum.compressed_out = scan->reader.packed.bytes_out;
    const struct pc_demanded of = { &scan->report, &scan->capture, &scan->check.flow.sum,
                                    pc_scan_size(scan) };
    if (scan->demands && scan->recognised)
        pc_demands_check(scan->demands, &of);
    if (!scan->no_cause)
        pc_cause_find(scan);
    pc_report_sort(&scan->report);
    scan->lacks_cause = scan->no_cause;
}

void pc_scan_say_cause(struct pc_scan *scan)
{
    if (!scan->lacks_cause)
        return;
    pc_cause_find(scan);
    pc_report_sort(&scan->report);
    scan->lacks_cause = false;
}

void pc_scan_not_opened(struct pc_scan *scan, int error)
{
    struct pc_finding f = { .id = PC_D_OPEN_FAILED, .place = PC_IN_HEADER };
    f.seen = pc_text_value(pc_text_error(error));
    pc_report_add(&scan->report, &f);
}

bool pc_scan_open(struct pc_scan *scan, const char *path)
{
    int error = pc_input_open(&scan->in, path);
    if (error)
        pc_scan_not_opened(scan, error);
    return error == 0;
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
           scan->check.judge.work + scan->check.flow.work + scan->reader.work + scan->reader.moved;
}

uint64_t pc_scan_size(const struct pc_scan *scan)
{
    const struct pc_directory *dir = &scan->reader.directory;
    uint64_t size = 0;
    if (!scan->capture.is_directory)
        return scan->in.kind == PC_INPUT_FILE ? scan->in.size : scan->check.flow.sum.size;
    for (size_t i = 0; i < dir->nr; i++)
        size = pc_add_saturated(size, dir->member[i].size);
    return size;
}
