/* SPDX-License-Identifier: MIT
 *
 * diff.h: what comparing records, attrs and features of two captures shares.
 */
#ifndef PC_LIB_DIFF_H
#define PC_LIB_DIFF_H

#include "lib/handle.h"

#include "check/witness_record.h"
#include "write/content.h"

#define PC_DIFF_BYTES_MAX ((size_t)8)
#define PC_DIFF_BLOCK     ((size_t)32 << 10)

struct pc_diff_side {
    struct pc_content content;
    struct pc_witness witness; /* of its features */
    perfcheck_t *pc;
    struct pc_scan *scan;
    uint64_t number;     /* records before the current one */
    struct pc_span left; /* of the current payload */
    struct pc_content_item item;
    /* Records after the current one that came with it. */
    struct pc_span records, sources; /* canonical; and as the capture has them, of the same sizes */
    uint64_t nr_records, records_end, sources_end; /* how many; the number and the offset of what follows */
    bool is_proved;                                /* the first are the content of the second */
    bool no_memory;                                /* for a feature */
};

struct pc_diff {
    struct pc_diff_side side[2];
    struct pc_plain plain[2]; /* of the records, or attrs, that are compared */
    perfcheck_on_difference_t *callback;
    void *ctx;
    perfcheck_kind_t kind; /* of what is compared now */
    uint64_t differences;
    struct pc_buffer path, value[2];
    char number[PC_NUMBER_NAME]; /* of a type or a bit without a name */
    struct pc_shown found;       /* of the current search */
    struct {
        bool tried, holds; /* whether all bytes so far are the same was asked; and they are: ... */
        uint64_t until;    /* ... those before this offset */
        unsigned char block[2][PC_DIFF_BLOCK];
    } same;
};

/* The leaf that holds the byte at `at`. */
struct pc_diff_search {
    struct pc_diff *d;
    unsigned side;
    const struct pc_item *item;
    struct pc_span bytes; /* canonical ones of what is walked; empty: it is itself canonical */
    size_t at;
    bool found;
    struct pc_shown *shown;
};

/* A visitor of fields: appends the path of the leaf, and its value on this side. */
bool pc_diff_find_leaf(void *search, const struct pc_leaf *leaf);

/* One at a time. */
struct pc_diff_search pc_diff_begin_search(struct pc_diff *d, unsigned side, const struct pc_item *item,
                                           size_t at);

/* A difference begins; its path and values, which were put, are told. */
void pc_diff_begin(struct pc_diff *d);
void pc_diff_end(struct pc_diff *d);
void pc_diff_put_numbers(struct pc_diff *d, uint64_t a, uint64_t b);

/* The first byte in which they differ; the length of the shorter one when there is none. */
size_t pc_diff_first(struct pc_span a, struct pc_span b);
bool pc_diff_is_equal(struct pc_span a, struct pc_span b);

/* Compares all records and payloads: both captures are read to their ends. (diff_records.c) */
void pc_diff_records(struct pc_diff *d);

/* The second side takes the samples that have just come with the item of the first one, if they are its next
 * ones and nothing before them differs. False: it has to read. (diff_same.c) */
bool pc_diff_follow(struct pc_diff *d);

/* The side whose callback wants no more; NULL: neither does. */
perfcheck_t *pc_diff_stopped(const struct pc_diff *d);

#endif
