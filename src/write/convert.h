/* SPDX-License-Identifier: MIT
 *
 * convert.h: canonical bytes of attrs, features and records in either byte order, by a walk of
 * their tables (CONTRACT.md section 5, FORMAT.md section 13). Padding and reserved bytes become zero,
 * strings keep their text, header strings get the padding of perf; integers and bit-fields are stored in the
 * wanted order. What no table explains is kept when the order stays, and is refused when it changes.
 */
#ifndef PC_CONVERT_H
#define PC_CONVERT_H

#include "base/base.h"
#include "read/capture.h"
#include "read/reader.h"

/* Takes bytes of a feature as they are made. */
typedef void pc_take_bytes(void *ctx, const unsigned char *bytes, size_t n);

enum pc_outcome {
    PC_CONVERTED,
    PC_CONVERT_UNKNOWN, /* bytes that no table explains, and the order changes: `refusal` says which */
    PC_CONVERT_PAYLOAD, /* a payload of a tracepoint that would be misread: `refusal` says why */
    PC_CONVERT_DAMAGED, /* it is not what its table says; the check has reported it */
    PC_CONVERT_NO_MEMORY,
};

struct pc_refusal {
    uint64_t at, len;   /* bytes concerned, from the start of what was converted */
    const char *reason; /* lives forever */
    uint32_t attr;      /* PC_CONVERT_PAYLOAD: the event */
    uint32_t field;     /* ... and the field of its format; nr_fields: none of them */
};

/* A record, and what makes its size a multiple of 8. */
#define PC_CONVERT_RECORD ((size_t)PC_RECORD_SIZE_MAX + 8)

/* What makes canonical bytes of kernel records of one type and layout that their plan finds sound. Made of
 * the table; usable when it has only integers, bytes of fixed size, a call chain, and a string at its end. */
#define PC_PROGRAM_STEPS 40
#define PC_PROGRAMS      64
struct pc_program {
    uint64_t key; /* of type and layout; 0: none was made */
    bool usable;
    uint8_t nr;
    uint8_t chain, string; /* after so many steps there is a chain, a string; PC_PROGRAM_STEPS: none */
    uint16_t trailer;      /* bytes after the string */
    struct {
        uint8_t width;   /* of integers; 1: bytes; 0: zeros */
        uint8_t used_at; /* bytes: the place in the record of the number of them that are used; 0: all are */
        uint16_t n;      /* bytes */
    } step[PC_PROGRAM_STEPS];
};

struct pc_convert {
    struct pc_mem *mem;
    const struct pc_capture *capture; /* whose records these are */
    enum pc_order to;
    bool for_digest;    /* attrs count as all known fields; attr.size is 0 */
    bool lenient;       /* what no table explains is not refused: it stays as it is */
    uint64_t attr_size; /* bytes of an attr; at least those of every attr that is converted */
    struct pc_refusal refusal;
    size_t rest;    /* bytes after the table of the last feature that were kept */
    bool by_plan;   /* set by those who know that its plan found the next record sound */
    bool uncovered; /* the payload of the record is of a tracepoint without a format, and the order changes */
    /* Private. */
    unsigned char *record;                  /* PC_CONVERT_RECORD bytes */
    struct pc_program program[PC_PROGRAMS]; /* by type and layout */
    unsigned char *out;                     /* of features */
    size_t cap;
    enum pc_outcome outcome;
};

void pc_convert_init(struct pc_convert *convert, const struct pc_capture *capture, enum pc_order to);
void pc_convert_clear(struct pc_convert *convert);

/* A record; *out is valid until the next one. Its size is a multiple of 8. Records that belong to the
 * container (HEADER_*, COMPRESSED*) have no canonical form of their own: they are copied when the order
 * stays, else PC_CONVERT_UNKNOWN. */
enum pc_outcome pc_convert_record(struct pc_convert *convert, const struct pc_item *item,
                                  struct pc_span *out);

/* Whether a record is canonical as it is once its plan has found it sound: nothing reserved is set, strings
 * end in zeros. */
bool pc_convert_keeps(const struct pc_convert *convert, uint32_t type, uint16_t misc, struct pc_span record);

/* An attr of any size: attr_size bytes, which the caller provides. Members that are not there become zero. */
enum pc_outcome pc_convert_attr(struct pc_convert *convert, struct pc_span attr, unsigned char *out);

/* The bytes of an attr that its own size says; at most those that are there. */
struct pc_span pc_attr_whole(struct pc_span attr, enum pc_order order);

/* Bytes that an attr needs: its size, less zeros after the known members. */
uint64_t pc_attr_needs(struct pc_span attr, enum pc_order order);

/* The content of a feature, handed over in pieces. Bytes after its table: fewer than 8 zeros are left out,
 * others kept when the order stays. */
enum pc_outcome pc_convert_feature(struct pc_convert *convert, uint64_t bit, struct pc_span content,
                                   pc_take_bytes *take, void *ctx);

#endif
