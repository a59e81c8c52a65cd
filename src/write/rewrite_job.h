/* SPDX-License-Identifier: MIT
 *
 * rewrite_job.h: one capture on its way through a rewrite: what is read, and what is said of it. The input
 * and the copy are read by the same scan, one after the other.
 */
#ifndef PC_REWRITE_JOB_H
#define PC_REWRITE_JOB_H

#include "write/obstacles.h"
#include "write/novel.h"
#include "write/salvage.h"
#include "write/symbols.h"
#include "check/derived.h"

/* How, and what is read, first of the input and then of the copy. */
struct pc_job {
    struct pc_derived derived;         /* of the copy */
    struct pc_witness witness, copied; /* of the input, and of the copy */
    struct pc_parts wanted;            /* of the input; then those of the copy have to be the same */
    struct pc_content content;
    struct pc_tally tally, tally_copied;      /* of all of the input and of the copy, for a salvage */
    struct pc_proof proof;                    /* why a salvage leaves out what it leaves out */
    struct pc_mem seen;                       /* memory of the witnesses and parts */
    struct pc_found found;                    /* in the input */
    uint64_t left_out_times[PC_FEATURE_BITS]; /* features that the copy may lack: see pc_left_out */
    uint64_t left_for_reader;                 /* records of the input: see struct pc_content */
    const struct pc_rewrite *how;
    struct pc_mem mem; /* of the job itself */
    struct pc_policy policy;
    struct pc_salvage *salvage; /* NULL: none; else this: */
    struct pc_salvage left_out;
    struct pc_scan scan;
    uint64_t cut;             /* bytes of the record in which it ended */
    struct pc_copy_form form; /* of the copy */
    bool is_stream;           /* the input is one: its bytes come once */
    bool swaps;               /* the copy has the other byte order */
    bool has_losses;          /* that the user agreed to, or the last record of a stream */
    bool late_wrong;          /* with a late attr the copy is another capture */
    struct {
        uint64_t count, packed_in, first;
    } edits[PC_EDITS];                           /* for the perf that it is for; said when there is a copy */
    uint64_t cleared;                            /* flags of attrs */
    uint64_t records_of_copy, container_of_copy; /* of these, those of attrs and features */
    bool lossy;                                  /* a salvage left something out */
    uint64_t no_fields_at; /* the sample_type of the only attr of the input, which is 0; 0: it is not */
    struct pc_symbols symbols;
    struct pc_input header, headless; /* the file of how->header_from, and the capture without what was taken
                                         of it; fd is -1: there is none */
    int input_fd[2];                  /* for pc_job_inputs */
};

void pc_job_say_error(const struct pc_rewrite *rewrite, const char *path, const char *what, int error);
void pc_job_say_findings(struct pc_job *job, const char *path);

/* NULL, after saying so: there is no memory. Then `in` is closed, unless it is NULL. */
struct pc_job *pc_job_new(const struct pc_rewrite *rewrite, const struct pc_input *in, const char *input);
void pc_job_free(struct pc_job *job);

/* What the copy has otherwise than the capture, for the sake of the perf that --for names. */
void pc_job_say_edits(const struct pc_job *job, const char *input);

/* What the copy, which was written, has not: it notes the edits, too. */
void pc_job_say_losses(struct pc_job *job, const char *input);

/* A salvage was written: what became of the records. */
struct pc_saved pc_job_saved(const struct pc_job *job);

/* Tells what a salvage left out. False: that did not arrive, so there shall be no copy. */
bool pc_job_say_lost(struct pc_job *job, const char *input);
/* Counts the records that were saved, now that they are. */
void pc_job_say_saved(const struct pc_job *job, const char *input);

/* The files that are read, which no output may be. */
struct pc_inputs pc_job_inputs(struct pc_job *job);

struct pc_obstacles pc_job_obstacles(const struct pc_job *job);

/* Says the errors and what cannot be carried over, then the conclusion; the first one: which is this one of
 * damage. */
enum pc_rewritten pc_job_refuse_for(struct pc_job *job, const char *path, const char *damage);
enum pc_rewritten pc_job_refuse(struct pc_job *job, const char *path);

/* Refuses a salvage that found more damage in the last reading that it may do. */
enum pc_rewritten pc_job_refuse_unsettled(const struct pc_job *job, const char *input);

/* Whether all that a salvage left out has a reason: PC_WRITTEN, else it is refused. */
enum pc_rewritten pc_job_prove(struct pc_job *job, const char *input, const char *output);

void pc_job_open_scan(struct pc_job *job, enum pc_versions reader, const char *doing);
void pc_job_close_scan(struct pc_job *job);
/* The scan is ready for another input. */
void pc_job_reopen_scan(struct pc_job *job);

/* Other bytes may be before the capture that a salvage reads: from now on it does without them. */
void pc_job_skip_before(struct pc_job *job);

/* See pc_judge. Then the scan is ready for another input. */
bool pc_job_judge(void *job, struct pc_input in, uint64_t most, uint64_t *errors);

/* Reads job->scan.in to its end for nothing but what is noted of it. Whether all of it was read. */
bool pc_job_take_content(struct pc_job *job);

#endif
