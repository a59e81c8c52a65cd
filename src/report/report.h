/* SPDX-License-Identifier: MIT
 *
 * report.h: the report, which makes of findings what the policy says. Only so many findings of an id are kept
 * and the rest counted, so that hostile input cannot use up memory by findings. Whoever adds findings sees
 * diag.h alone.
 */
#ifndef PC_REPORT_H
#define PC_REPORT_H

#include "base/mem.h"
#include "report/diag.h"

/* What the user chose for each id. */
struct pc_policy {
    uint64_t max_per_id;
    enum pc_versions reader;         /* versions that have to read the captures: findings say if one cannot */
    enum pc_versions noted;          /* versions about which the report notes this, without a finding */
    uint8_t severity[PC_DIAG_COUNT]; /* 0: as in the row; else enum pc_severity + 1 */
    bool disabled[PC_DIAG_COUNT];
    uint64_t accepted[PC_DIAG_COUNT]; /* so many of each id, the first ones, are left out */
};

void pc_policy_init(struct pc_policy *policy);

/* Where an error is, as far as causes are concerned. */
struct pc_early {
    enum pc_diag id;
    enum pc_place place;
    uint64_t number; /* as in the finding */
    uint64_t offset; /* in the stream: of the compressed record when it is inside of one */
    bool inside;
};
#define PC_EARLY_MAX 16 /* of features, and of all else */

struct pc_report {
    struct pc_mem *mem;
    const struct pc_policy *policy;
    struct pc_finding *finding;
    size_t nr, cap;
    struct pc_finding *aside; /* those that the policy accepts, up to the cap of each id */
    size_t nr_aside, cap_aside;
    uint8_t not_read[PC_DIAG_COUNT]; /* of area 11: enum pc_versions for which it is true, found or noted */
    /* Facts, whatever the policy; diag.h hands some of them out. */
    uint64_t found[PC_DIAG_COUNT];           /* all findings, those that are not shown included */
    uint64_t errors;                         /* findings about the capture that are errors by their rows */
    struct pc_early early[2 * PC_EARLY_MAX]; /* the first errors, of the first stream with any */
    size_t nr_early, nr_early_features;
    uint32_t early_stream; /* in which they are */
    bool unreadable;       /* the work could not be done */
    /* What the policy makes of them. */
    uint64_t by_id[PC_DIAG_COUNT]; /* all findings, those that are not kept included */
    uint64_t kept[PC_DIAG_COUNT];  /* those in finding[] */
    uint64_t by_severity[PC_ERROR + 1];
    pc_on_finding *on_finding; /* when set, findings go there: no id is capped, and none is kept by itself */
    void *ctx;
    pc_on_finding *note; /* when set, it is told of each of them before it is kept or handed on */
    void *noter;
};

void pc_report_init(struct pc_report *report, struct pc_mem *mem, const struct pc_policy *policy);
void pc_report_clear(struct pc_report *report);

/* Keeps a finding, up to the cap of its id and as long as there is room, or can be made: one that was handed
 * to on_finding stays in the report. It was counted when it was added. */
void pc_report_keep(struct pc_report *report, const struct pc_finding *finding);

/* What follows from a cause: all in its stream from one offset up to another, all about the header and the
 * end of the capture, and more. */
struct pc_reach {
    uint64_t from, to;
    bool features; /* all about features */
    bool all;
};

/* The finding is the cause of those in its reach. */
void pc_report_attach(struct pc_report *report, enum pc_diag cause, struct pc_reach reach);

/* Puts the findings into the order in which they are shown: the cause, what is attached to it, all others;
 * each of these by severity, place, offset, id. */
void pc_report_sort(struct pc_report *report);

/* The severity of an id under the report's policy. */
enum pc_severity pc_report_severity(const struct pc_report *report, enum pc_diag id);

/* What one version of perf does with a capture that has the findings of this id, whatever the policy: by
 * severity and columns, and for area 11 by what was found or noted. */
enum pc_reading { PC_READS, PC_REFUSES, PC_IS_HARMED };
enum pc_reading pc_report_reading(const struct pc_report *report, enum pc_diag id, enum pc_versions version);

/* Findings of this id that were counted but not kept; 0 when they are handed on and none of them was kept. */
uint64_t pc_report_suppressed(const struct pc_report *report, enum pc_diag id);

#endif
