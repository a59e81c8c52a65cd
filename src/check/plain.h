/* SPDX-License-Identifier: MIT
 *
 * plain.h: the values of a structure in plain form: those of all its leaves, one after the other, in a form
 * that depends on neither byte order nor padding nor the sizes that writers choose. Two structures have the
 * same content when they have the same plain form. It is made by a walk of the tables, and by nothing that
 * converts: copies are compared with what they come from by it.
 */
#ifndef PC_PLAIN_H
#define PC_PLAIN_H

#include "base/base.h"
#include "base/mem.h"
#include "bytes/hash.h"
#include "read/capture.h"

struct pc_plain {
    struct pc_mem *mem;
    unsigned char *bytes; /* what has no room here is hashed */
    size_t len;
    uint64_t hashed;
    struct pc_hash hash;
    uint64_t zeros;     /* that end the attr so far: an attr may have any number of them */
    uint64_t attr_size; /* which the structure says first; 0: none */
    bool no_memory;
    bool not_zero; /* padding was, or is longer than a canonical one, or a structure has two attr sizes, or
                      the order of trace data is not that of the rest */
    bool unknown;  /* bytes that no version explains are not zero: their order is not known */
};

void pc_plain_init(struct pc_plain *plain, struct pc_mem *mem);
void pc_plain_clear(struct pc_plain *plain);

/* The structure of before is no longer needed. */
void pc_plain_begin(struct pc_plain *plain);

/* Adds an integer; bytes as they are. */
void pc_plain_uint(struct pc_plain *plain, uint64_t value);
void pc_plain_bytes(struct pc_plain *plain, const unsigned char *bytes, size_t n);

/* Adds a record, whose bytes are in this order; what it holds is described by the capture and this layout.
 * layout: NULL, its fields are not known. attr: whose it is, or PC_NO_ATTR. payload: the order of a payload
 * of a tracepoint. */
void pc_plain_record(struct pc_plain *plain, struct pc_capture *capture, const struct pc_layout *layout,
                     uint32_t attr, struct pc_span record, enum pc_order order, enum pc_order payload);

/* Where the padding of a string in a record ends. What lies behind it was left over when the record grew
 * (PC_D_RECORD_GROWN). */
size_t pc_plain_string_end(const struct pc_leaf *leaf);

/* Adds an attr, as long as its size says. */
void pc_plain_attr(struct pc_plain *plain, struct pc_span attr, enum pc_order order);

/* Adds the content of a feature; an entry of BUILD_ID is one too. */
void pc_plain_feature(struct pc_plain *plain, const struct pc_capture *capture, uint64_t bit,
                      struct pc_span content);

/* Adds the entry of BUILD_ID that a HEADER_BUILD_ID makes. */
void pc_plain_build_id(struct pc_plain *plain, struct pc_span record, enum pc_order order);

/* Adds the entry of BUILD_ID of a mapping with these bits of misc. */
void pc_plain_mapping(struct pc_plain *plain, unsigned misc, struct pc_span id, struct pc_span name);

bool pc_plain_equal(struct pc_plain *a, struct pc_plain *b);
struct pc_sum pc_plain_sum(struct pc_plain *plain);

#endif
