/* SPDX-License-Identifier: MIT
 *
 * header.h: the header of a capture, its sections, and the head of a record: tools/perf/util/header.h,
 * struct perf_file_header and perf_pipe_file_header.
 */
#ifndef PC_HEADER_H
#define PC_HEADER_H

#include "format/field.h"

/* Slots after a walk of pc_file_header. */
enum {
    PC_HEAD_SIZE = PC_SLOT_F0,
    PC_HEAD_ATTR_SIZE,
    PC_HEAD_ATTRS_OFFSET,
    PC_HEAD_ATTRS_SIZE,
    PC_HEAD_DATA_OFFSET,
    PC_HEAD_DATA_SIZE,
    PC_HEAD_TYPES_OFFSET,
    PC_HEAD_TYPES_SIZE,
    PC_HEAD_FEATURES, /* only its position */
};

#define PC_MAGIC_LITTLE     "PERFILE2"
#define PC_MAGIC_BIG        "2ELIFREP"
#define PC_MAGIC_1          "PERFFILE" /* version 1, in either order */
#define PC_PIPE_HEADER_SIZE 16
#define PC_FILE_HEADER_SIZE 104
#define PC_FILE_HEADER_OLD  72 /* without the feature bitmap */
#define PC_EVENT_TYPE_NAME  64 /* bytes of the name */
#define PC_EVENT_TYPE_SIZE  (8 + PC_EVENT_TYPE_NAME)
#define PC_FEATURE_BITS     256
#define PC_SECTION_SIZE     16 /* offset and size */
#define PC_TABLE_MAX        ((size_t)PC_FEATURE_BITS * PC_SECTION_SIZE)
/* Some writers leave room between the feature table and the first section. */
#define PC_TABLE_GAP_MAX 256

/* The 8 bytes with which captures of version 2 begin. */
struct pc_span pc_magic(enum pc_order order);

/* Whether a capture begins with these 8 bytes. */
bool pc_is_magic(const unsigned char *eight);

extern const struct pc_field pc_file_header[]; /* 72 or 104 bytes */
/* An entry of the event_types section: slots F0 event_id, F0 + 1 name. */
extern const struct pc_field pc_event_type[];
extern const struct pc_field pc_section[]; /* slots F0 offset, F0 + 1 size */

/* So many entries show that some bytes are a feature table. */
#define PC_TABLE_FEW 4

/* Whether the sections of the first few entries in these bytes do not overlap, begin at `least` or behind it,
 * and end at `most` or before it. */
bool pc_begin_sections_here(const unsigned char *table, uint64_t nr, enum pc_order order, uint64_t least,
                            uint64_t most);
static inline bool pc_begins_sections(const unsigned char *table, uint64_t nr, enum pc_order order,
                                      uint64_t least, uint64_t most)
{
    const uint64_t first = pc_load(table, 8, order); /* which refutes most places of a file */
    return (nr == 0 || (first >= least && first <= most)) &&
           pc_begin_sections_here(table, nr, order, least, most);
}

/* Whether the sections of `nr` entries in these bytes of a feature table follow each other: perf writes them
 * in the order of their entries, simpleperf does not. *first: where the first one begins; *end: where the
 * last one ends. */
bool pc_sections_follow(const unsigned char *table, uint64_t nr, enum pc_order order, uint64_t *first,
                        uint64_t *end);

/* The same of a table of which is not known how many entries it has: the most of these, up to `most`, with
 * the end of the last section in this range. 0: none are. */
uint64_t pc_count_sections(const unsigned char *table, uint64_t most, enum pc_order order, uint64_t least_end,
                           uint64_t most_end, uint64_t *first, uint64_t *end);

/* How many of nr entries there are without the empty ones behind the first `least`: perf 5.10 leaves one too
 * many. */
static inline uint64_t pc_count_filled(const unsigned char *table, uint64_t nr, uint64_t least,
                                       enum pc_order order)
{
    while (nr > least && pc_load(table + (nr - 1) * PC_SECTION_SIZE + 8, 8, order) == 0)
        nr--;
    return nr;
}

/* The header of a record: slots F0 type, F0 + 1 misc, F0 + 2 size. What has no time for a walk loads and
 * stores it by the functions below. */
extern const struct pc_field pc_record_header[];
extern const struct pc_field pc_android_header[]; /* of a record of simpleperf: two halves of its size */
#define PC_RECORD_MISC_AT 4
#define PC_RECORD_SIZE_AT 6

struct pc_record_head {
    uint32_t type;
    uint16_t misc, size;
};

/* simpleperf of 2016 to 2018 wrote trace data under the type that perf has for a record of 12 or 16 bytes,
 * but inside the record, in room of a multiple of 64: FORMAT.md 16.2. No other record of this type has such a
 * size, since those that grew have a multiple of 8. */
#define PC_TRACE_OLD  66
#define PC_TRACE_NEW  32777
#define PC_TRACE_HEAD 12
#define PC_TRACE_ROOM 64

static inline struct pc_record_head pc_load_head(const unsigned char *p, enum pc_order order)
{
    struct pc_record_head head = { (uint32_t)pc_load(p, 4, order),
                                   (uint16_t)pc_load(p + PC_RECORD_MISC_AT, 2, order),
                                   (uint16_t)pc_load(p + PC_RECORD_SIZE_AT, 2, order) };
    if (head.type == PC_TRACE_OLD && head.size > PC_TRACE_ROOM && head.size % PC_TRACE_ROOM == PC_TRACE_HEAD)
        head.type = PC_TRACE_NEW;
    return head;
}

/* The size of a record that simpleperf has split, by its header: misc is the high half. */
static inline uint64_t pc_joined_size(const unsigned char *p)
{
    return pc_load(p + PC_RECORD_MISC_AT, 2, PC_LITTLE) << 16 | pc_load(p + PC_RECORD_SIZE_AT, 2, PC_LITTLE);
}

static inline void pc_store_head(unsigned char *p, struct pc_record_head head, enum pc_order order)
{
    pc_store(p, 4, head.type, order);
    pc_store(p + PC_RECORD_MISC_AT, 2, head.misc, order);
    pc_store(p + PC_RECORD_SIZE_AT, 2, head.size, order);
}

#endif
