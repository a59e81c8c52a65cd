/* SPDX-License-Identifier: MIT
 *
 * proof.h: whether each record, attr and feature of a damaged capture that the copy lacks has an error, or is
 * left out by a rule of salvages (CONTRACT.md 5). It sees the findings and the items of all passes over the
 * capture and over the copies, and nothing of what decides.
 */
#ifndef PC_PROOF_H
#define PC_PROOF_H

#include "base/set.h"
#include "bytes/hash.h"
#include "check/whole.h"
#include "read/join.h"

struct pc_proof {
    struct pc_mem *mem;
    /* What has a reason to be left out, by number; records by stream and number, 64 of them in an entry. */
    struct pc_set records, attrs, features;
    struct pc_set attrs_out; /* attrs that are left out */
    struct pc_set packed;    /* compressed records of which the content has one */
    bool mmap2_new;          /* an MMAP2 that seems to have the old layout is damaged */
    struct pc_sum patched;   /* which words of the capture are read otherwise than they are */
    struct pc_set joined;    /* first pieces of records that have not all of them */
    bool no_memory;

    /* The current pass over the capture. */
    struct pc_before last;
    uint64_t skipped;
    struct pc_pieces run; /* of a split record */
    bool piece;           /* the last record ends earlier than its size says in the file */
    bool made;            /* it has a mended header, too */
    bool kept;            /* it is in the copy */
    bool stream_bad;      /* the zstd stream has a reason, up to here */
    uint64_t unknown;     /* the last record of an unknown type */
    uint64_t written;     /* records that are in the copy */
    uint64_t doubtful; /* records that had an error both here and where they may have been in the last copy */
    uint64_t left, listed; /* sums over the records that were left out, and that are said to be */
    bool wrong;            /* something was left out without a reason: */
    enum pc_place place;
    uint64_t number;

    /* The last copy. */
    bool of_copy;
    struct pc_set errors; /* its records with errors, by number; then by place among those that are content */
    uint64_t *header;     /* the numbers of the others */
    size_t nr_header, cap_header;
    bool bad_header; /* one of them has an error */
};

void pc_proof_init(struct pc_proof *proof, struct pc_mem *mem);
void pc_proof_clear(struct pc_proof *proof);

/* A pass over the capture begins, which is read like this; then one over the copy. unsure: features whose
 * entries in the table may be of others. */
void pc_proof_begin(struct pc_proof *proof, const struct pc_input *in, bool mmap2_new,
                    const uint64_t unsure[PC_FEATURE_BITS / 64]);
void pc_proof_begin_copy(struct pc_proof *proof);

/* Whether a record has a CPU that NRCPUS does not count: one of the two is wrong. */
static inline bool pc_proof_is_beyond(enum pc_diag id)
{
    return id == PC_D_SAMPLE_CPU_BEYOND || id == PC_D_CPU_BEYOND;
}

/* Whether the payload of a sample contradicts the format of its event: one of the two is wrong. */
static inline bool pc_proof_is_of_format(enum pc_diag id)
{
    return id == PC_D_RAW_FIELD_OUTSIDE || id == PC_D_RAW_TASK || id == PC_D_RAW_CPU ||
           id == PC_D_RAW_DIVISOR || id == PC_D_RAW_LENGTH;
}

/* Sees a finding, of whatever severity. */
void pc_proof_finding(struct pc_proof *proof, const struct pc_finding *finding);

/* The copy has no place for a record, as a finding says. converts: its records are not those of the capture.
 */
void pc_proof_refused(struct pc_proof *proof, const struct pc_finding *finding, bool converts);

/* Sees an item, which was just read. */
void pc_proof_item(struct pc_proof *proof, struct pc_scan *scan, const struct pc_item *item);

/* That item is left out, or handed out to be written. */
void pc_proof_left_out(struct pc_proof *proof, struct pc_scan *scan, const struct pc_item *item);
void pc_proof_handed_out(struct pc_proof *proof);

/* The user is told that these records were left out. */
void pc_proof_listed(struct pc_proof *proof, uint32_t type, uint32_t stream, uint64_t number,
                     uint64_t records);

/* What was left out without a reason, after all items; false: nothing. complete: all that was left out is
 * listed. */
bool pc_proof_wrong(const struct pc_proof *proof, bool complete, char *what, size_t size);

#endif
