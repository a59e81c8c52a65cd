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
#define PC_EVENT_TYPE_SIZE  72
#define PC_FEATURE_BITS     256
#define PC_SECTION_SIZE     16 /* offset and size */

/* Whether a capture begins with these 8 bytes. */
bool pc_is_magic(const unsigned char *eight);

extern const struct pc_field pc_file_header[];   /* 72 or 104 bytes */
extern const struct pc_field pc_event_type[];    /* an entry of the event_types section */
extern const struct pc_field pc_section[];       /* slots F0 offset, F0 + 1 size */
extern const struct pc_field pc_record_header[]; /* slots F0 type, F0 + 1 misc, F0 + 2 size */

#endif
