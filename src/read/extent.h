/* SPDX-License-Identifier: MIT
 *
 * extent.h: how long a record is by its content, whatever the size in its header says: CONTRACT.md 3.
 */
#ifndef PC_EXTENT_H
#define PC_EXTENT_H

#include "read/state.h"

/* Whether the content of a record agrees with its size. */
enum pc_agreement {
    PC_AGREES,   /* as far as it is there */
    PC_OPAQUE,   /* the type does not show where its content ends, or the layout is not known */
    PC_CONTRARY, /* the record ends elsewhere, or has a type or size that no record has */
};

struct pc_extent {
    enum pc_agreement agreement;
    size_t end; /* where it ends instead, 0: not known. PC_AGREES: where it may, as zeros follow a text */
};

/* The record that these bytes begin with, of which some may be missing and which others may follow. A header
 * is there. */
struct pc_extent pc_reader_extent(struct pc_reader *r, struct pc_span bytes);

/* Whether any record, all of which is there, is as long as its content. True as well when that cannot be
 * told. *end: as in struct pc_extent; 0 as well when no more may be walked. */
bool pc_reader_fills(struct pc_reader *r, struct pc_span record, size_t *end);

/* Where the ids of a HEADER_ATTR end, as far as pc_may_be_id tells; 0: the attr is not there. */
size_t pc_reader_ids_end(const struct pc_reader *r, struct pc_span record);

/* pc_reader_extent as far as may be walked; then the answer is PC_OPAQUE. */
struct pc_extent pc_reader_search_extent(struct pc_reader *r, struct pc_span bytes);

/* That of a record which reaches past the end, and of which the type shows no end: where PC_CHAIN whole
 * records follow each other, each as long as its content, it has a wrong size, if such a content is never
 * like them.
 */
struct pc_extent pc_reader_open_extent(struct pc_reader *r, struct pc_span bytes);

/* Whether the record with which these bytes begin may be one at this place in another, from which records
 * lead to the end. Words in a row, as ids are, look like headers at odd places, again and again: there it
 * must be as long as its content, as far as it is there.
 */
bool pc_reader_may_follow(struct pc_reader *r, struct pc_span bytes, size_t at);

/* Where PC_CHAIN whole records follow each other, each as long as its content, in bytes that are none; their
 * number: nowhere. */
size_t pc_reader_find_records(struct pc_reader *r, struct pc_span bytes);

/* Whether the content of a feature tells where it ends in its record, which is there; if not, *end is the end
 * of the record, or 0: it is any bytes, among them what looks like records. */
bool pc_reader_feature_tells(struct pc_reader *r, struct pc_span record, size_t *end);

/* Where, behind the content of a record, whole records begin that lead to its very end: its size is wrong,
 * though its table may let it be so long. 0: nowhere. */
size_t pc_reader_find_swallowed(struct pc_reader *r, struct pc_span record);
/* The same, when they may also be off the grid of the records before. */
size_t pc_reader_find_off_grid(struct pc_reader *r, struct pc_span record);
/* Where in the header at the current place, of a record of this type, a whole record begins that ends `end`
 * bytes from there, so that bytes of both were lost; `end`: nowhere. */
size_t pc_reader_find_in_header(struct pc_reader *r, uint32_t type, size_t end);

/* Whether, of two records that follow each other, the second one begins at `boundary` inside another record:
 * from a place in the first one on, whole records lead to the end of both. */
bool pc_reader_overlaps(struct pc_reader *r, struct pc_span both, size_t boundary);

#endif
