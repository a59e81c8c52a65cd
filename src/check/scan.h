/* SPDX-License-Identifier: MIT
 *
 * scan.h: one capture from its first byte to its verdict: input, reader, model, check and
 * report together. This is what the program, the tests and a fuzzer call.
 */
#ifndef PC_SCAN_H
#define PC_SCAN_H

#include "base/base.h"
#include "check/workers.h"
#include "bytes/input.h"
#include "base/progress.h"
#include "read/reader.h"
#include "report/report.h"

enum pc_verdict { PC_VALID, PC_INVALID, PC_UNREADABLE };

struct pc_demands;

struct pc_scan {
    struct pc_limits limits;
    struct pc_mem mem,
        findings; /* of the limit, findings have an eighth: what is kept changes nothing else */
    struct pc_input in;
    struct pc_report report;
    struct pc_capture capture;
    struct pc_reader reader;
    struct pc_check check;
    bool recognised;              /* it is a capture: version and byte order are known */
    struct pc_progress *progress; /* set after the initialisation; NULL: none is shown */
    unsigned steps;
    const struct pc_demands *demands; /* set after the initialisation; NULL: none */
    uint64_t ahead;                   /* so many samples from here on are judged, see pc_scan_step ... */
    bool from_ahead; /* ... and so was the last item: the plan of its layout has found it sound ... */
    bool follows;    /* ... and it is a sample of the same stream as the one before */
    struct pc_workers workers; /* samples that threads judge before their turn */
    bool one_by_one;           /* test hook: the next two do what pc_scan_next does */
    /* Set after the initialisation: nobody wants to know the cause, unless pc_scan_say_cause asks for it. */
    bool no_cause;
    bool lacks_cause; /* it was left out */
};

/* policy is borrowed and must outlive the scan. */
void pc_scan_init(struct pc_scan *scan, const struct pc_policy *policy, const struct pc_limits *limits);
void pc_scan_clear(struct pc_scan *scan);

/* A finding: the input could not be opened. */
void pc_scan_not_opened(struct pc_scan *scan, int error);

/* Opens the path ("-": standard input); false, and a finding, when that cannot be. */
bool pc_scan_open(struct pc_scan *scan, const char *path);

/* The next item of scan->in, which the caller has opened, after it was checked; false: there is none, or
 * scan->progress is stopped, and pc_scan_end comes next. */
bool pc_scan_next(struct pc_scan *scan, struct pc_item *item);

/* The same, but samples that are plainly sound are judged many at once before the first of them is the item:
 * as many as the reader has, up to 64 KiB. That is tried after a sample, and before one that threads may have
 * judged. *item begins as zeros and is to be left as it is from call to call. */
bool pc_scan_step(struct pc_scan *scan, struct pc_item *item);

/* The attr of a record that its plan has found sound, and which pc_scan_step has read last; PC_NO_ATTR: no
 * plan has, or there is no such record. */
uint32_t pc_scan_attr(const struct pc_scan *scan, const struct pc_item *item);

/* Reads and checks all that is left up to the end, many records at once; pc_scan_end comes next. */
void pc_scan_rest(struct pc_scan *scan);

/* Checks samples at the beginning of these bytes, which the reader has ahead, as pc_check_pass does. */
struct pc_run pc_scan_pass(struct pc_scan *scan, struct pc_span ahead);

/* The next item when it is a record that the reader has, and that its plan finds sound, after it was checked.
 * pc_scan_next has to come first. */
bool pc_scan_take(struct pc_scan *scan, struct pc_item *item);

/* The next item, for those who check it themselves. */
bool pc_scan_read(struct pc_scan *scan, struct pc_item *item);
void pc_scan_end(struct pc_scan *scan);

/* After pc_scan_end: the cause of the errors, which scan->no_cause left out, is in the report from now on. */
void pc_scan_say_cause(struct pc_scan *scan);

enum pc_verdict pc_scan_verdict(const struct pc_scan *scan);

/* Bytes of the capture: of a directory, of all its members. */
uint64_t pc_scan_size(const struct pc_scan *scan);

/* All work done, in bytes read and things looked at: a measure that is the same on every machine. */
uint64_t pc_scan_work(const struct pc_scan *scan);

#endif
