/* SPDX-License-Identifier: MIT
 *
 * reader.h (floor 5): a capture as a stream of items, front to back: header, attrs, features, records,
 * bytes behind records, end. The reader finds the structure, updates the capture model before it hands out
 * an item, and reports what is wrong with the structure; whether the content is right is not its business.
 * After damage it goes on at the next place where records can be recognised.
 *
 * A file is read in the order of understanding (attrs and features before the records, wherever they
 * lie), a pipe in the order it comes. Records pass through one window of fixed size.
 */
#ifndef PC_READER_H
#define PC_READER_H

#include "base.h"
#include "capture.h"
#include "diag.h"
#include "input.h"
#include "mem.h"

struct pc_limits {
    uint64_t memory;  /* bytes in use */
    uint64_t section; /* bytes of one section held at once */
    uint64_t spool;   /* bytes of a file-mode capture on a pipe */
};

void pc_limits_init(struct pc_limits *limits);

enum pc_item_kind {
    PC_ITEM_HEADER,  /* the file or pipe header */
    PC_ITEM_ATTR,    /* an entry of the attr section (file mode) */
    PC_ITEM_FEATURE, /* a feature section (file mode); number is the bit */
    PC_ITEM_RECORD,
    PC_ITEM_PAYLOAD, /* bytes behind the record of the last item: all of TRACING_DATA, chunks of AUXTRACE */
    PC_ITEM_END,
};

struct pc_item {
    enum pc_item_kind kind;
    uint32_t type;         /* record, payload */
    uint16_t misc;         /* record */
    struct pc_span bytes;  /* valid until the next item */
    uint64_t offset;       /* of the first byte in the stream */
    uint64_t number;       /* attr index, feature bit or record number */
    struct pc_where where; /* the stream */
    uint64_t size;         /* feature, payload: bytes in the stream, be they in `bytes` or not */
    uint64_t entry;        /* feature: offset of its entry in the feature table */
};

enum pc_reader_stage {
    PC_READ_START,
    PC_READ_ATTRS,
    PC_READ_FEATURES,
    PC_READ_DATA,
    PC_READ_PAYLOAD,
    PC_READ_OVER
};

struct pc_range;

struct pc_reader {
    struct pc_mem *mem;
    struct pc_input *in;
    struct pc_report *report;
    struct pc_capture *capture;
    const struct pc_limits *limits;

    enum pc_reader_stage stage;
    uint64_t index; /* next attr or feature slot */
    uint64_t bit;   /* next feature bit to look at */

    unsigned char *window;
    size_t len, at;         /* bytes in the window, bytes of them consumed */
    uint64_t window_offset; /* stream offset of its first byte */
    uint64_t data_end;      /* where the records end; UINT64_MAX in a stream */
    bool cut;               /* the data are known to be incomplete: no finding for the last record */
    bool lost;              /* a section lies outside the file: the end of the file may belong to it */
    uint64_t ids_read;      /* bytes of ids sections */

    uint64_t records; /* number of the next record */
    size_t last_size; /* of the record before, when it ended at r->at; 0: not known */
    uint64_t payload_left, payload_size, payload_size_at;
    bool doubtful; /* where the next record begins is not known */
    uint32_t payload_type;

    unsigned char *section;
    uint64_t section_cap;
    struct pc_range *range;
    size_t nr_ranges, cap_ranges;
    unsigned char head[PC_FILE_HEADER_SIZE];
    uint64_t work; /* candidates looked at after damage */
};

/* Prepares to read the opened input. Nothing is read before the first pc_reader_next. */
void pc_reader_init(struct pc_reader *reader, struct pc_input *in, struct pc_mem *mem,
                    struct pc_report *report, struct pc_capture *capture, const struct pc_limits *limits);
void pc_reader_clear(struct pc_reader *reader);

/* The next item; false when there is none (the item before was PC_ITEM_END, or the input is no capture). */
bool pc_reader_next(struct pc_reader *reader, struct pc_item *item);

/* Bytes of a file from any place, for those who show what the reader did not have to look at; returns how
 * many there are, 0 in a stream. */
size_t pc_reader_look(struct pc_reader *reader, uint64_t offset, unsigned char *to, size_t n);

/* Bytes of the stream that were consumed. */
uint64_t pc_reader_offset(const struct pc_reader *reader);

#endif
