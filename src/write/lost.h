/* SPDX-License-Identifier: MIT
 *
 * lost.h: the list of what a salvage left out, and the list in words.
 */
#ifndef PC_LOST_H
#define PC_LOST_H

#include "base/mem.h"
#include "bytes/input.h"
#include "check/tally.h"

enum pc_lost_how {
    PC_LOST_OUT,    /* the copy lacks it */
    PC_LOST_MENDED, /* the copy has it as the rest of the capture proves it: see repair.h */
    PC_LOST_MADE,   /* the copy has another: formats of tracepoints, EVENT_DESC, BUILD_ID */
};

/* Something that the copy does not have as the capture has it: consecutive records, a feature, an attr, bytes
 * that belong to no record, words of the header or of the feature table, members of a directory. */
struct pc_lost {
    enum pc_lost_how how;
    enum pc_diag why; /* the first reason; PC_NO_DIAG: a word that does not fit the others */
    enum pc_place place;
    struct pc_where where; /* in the list its member points to: */
    char member[24];       /* "data.3"; "": the loss is not in a member of a directory */
    uint64_t offset, size; /* of all of it */
    uint64_t number;       /* of the attr, feature, first record or first member */
    uint64_t records;      /* or members; 0: bytes that belong to no record */
    uint32_t type;         /* of the records, when they are of one */
};
#define PC_LOST_MAX  1000 /* that are listed; as many again of other things than records */
#define PC_LOST_TEXT 320  /* room for one in words */

struct pc_losses {
    const struct pc_input *in; /* what is lost of it is listed at its own places; NULL: they are known */
    struct pc_lost *lost;      /* nr of them */
    size_t nr, cap;
    uint64_t more;                          /* that had no room there ... */
    uint64_t more_attrs;                    /* ... and are attrs */
    uint64_t records, bytes;                /* of all; the bytes belong to no record */
    uint64_t content;                       /* of the records, those that pc_tally_counts */
    uint64_t attr_records, feature_records; /* HEADER_ATTR; others that are of the container ... */
    uint64_t packed_records;                /* but those that hold others */
    uint64_t gaps;                          /* what pc_tally_is_gap ... */
    uint64_t unskipped; /* ... and bytes, of these and others, that reading does not skip */
};

/* What became of the records of the capture that are not in the list. */
struct pc_saved {
    uint64_t records;  /* of the copy */
    uint64_t moved;    /* that became attrs and features of a file ... */
    uint64_t merged;   /* ... or, in a pipe, were made one with others of attrs and features */
    uint64_t made;     /* records of attrs and features that only the copy has, which is a pipe */
    uint64_t unneeded; /* that a copy in this form, or for this perf, does without */
};

/* Whether a loss for this reason is a member of a directory: it is missing, or no regular file. */
static inline bool pc_lost_is_member(enum pc_diag why)
{
    return why == PC_D_DIR_GAP || why == PC_D_DIR_NOT_REGULAR;
}

/* Lists a loss. Records in a row that are left out for one reason are one. */
void pc_losses_add(struct pc_mem *mem, struct pc_losses *losses, const struct pc_lost *lost);

/* A record begins at a place of the input: those before it that are left out end there, whatever their size
 * says. */
void pc_losses_end(struct pc_losses *losses, const struct pc_where *where, uint64_t offset);

/* Whether the list says that this attr or feature was left out; true also when the list is not complete. */
bool pc_losses_name(const struct pc_losses *l, enum pc_place place, uint64_t number);

/* What the copy lacks of the original, without these records and features that others leave out, and the list
 * does not name. False: nothing. */
bool pc_losses_lack(const struct pc_losses *losses, const struct pc_tally *original,
                    const struct pc_tally *copy, char *what, size_t size);

/* Empties the list; frees it. */
void pc_losses_clear(struct pc_losses *losses);
void pc_losses_free(struct pc_mem *mem, struct pc_losses *losses);

/* The loss with this number, below nr, as the list has it. */
const struct pc_lost *pc_losses_get(struct pc_losses *losses, size_t number);

/* What stands after a noun of which there are so many. */
static inline const char *pc_lost_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* "left out", "mended" or "made anew". */
const char *pc_lost_how(const struct pc_lost *lost);

/* What was lost, for people. Of words of the header or the feature table, and of
 * features, `records` is how many they are. */
void pc_lost_text(const struct pc_lost *lost, char text[PC_LOST_TEXT]);

#endif
