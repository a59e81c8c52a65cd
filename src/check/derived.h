/* SPDX-License-Identifier: MIT
 *
 * derived.h: whether each byte of a copy belongs to an item, or follows from the items: sizes, offsets, the
 * index of AUX traces, what COMPRESSED says, the end mark. The items are the copy's own; nothing is asked of
 * the writer.
 */
#ifndef PC_DERIVED_H
#define PC_DERIVED_H

#include "base/base.h"
#include "bytes/hash.h"
#include "check/check.h"
#include "read/reader.h"

struct pc_derived {
    /* What was chosen, not derived. */
    uint64_t level, mmap_len; /* when records are compressed */
    uint32_t packed_type;     /* ... of those that hold them; 0: any */
    uint64_t attr_needs;      /* bytes of the largest attr of the original; 0: there is none */
    bool made_formats;        /* of all tracepoints */
    bool stat_mark;           /* a file is one of perf stat, whatever its records */
    const struct pc_version_knows *reader;
    /* What was seen. */
    uint64_t nr_attrs, nr_ids, attr_bytes; /* attr_bytes: of the entries of a file */
    uint64_t outer, packed;                /* bytes of records and what follows them; of compressed ones */
    uint64_t nr_sections, sections;        /* of features, and their bytes */
    uint64_t section_at;                   /* where the next one begins; 0: none was seen */
    uint64_t first_section, entry_at;      /* ... and the place of its entry */
    uint64_t rank;                         /* of the last record of a pipe: header records have an order */
    uint64_t highest, end_mark;            /* of the features of a pipe; UINT64_MAX: none */
    bool has_features, has_stat, has_auxtrace, misplaced;
    struct pc_blocks { /* of the zstd stream */
        bool begun, wrong;
        unsigned nr;     /* bytes of the header of the next one */
        uint32_t header; /* ... as an integer */
        uint64_t left;   /* bytes of the current one, or of the header of the frame */
    } blocks;
    bool other_type;         /* of records that hold others */
    uint64_t slot[PC_SLOTS]; /* of COMPRESSED */
    bool compression;
    struct pc_sum index;   /* of AUX traces, as the feature has it ... */
    struct pc_hash traces; /* ... and as the records are */
    uint64_t nr_index, nr_traces;
};

void pc_derived_init(struct pc_derived *derived);

/* Sees an item, which was just read. */
void pc_derived_item(struct pc_derived *derived, const struct pc_reader *reader, const struct pc_item *item);

/* So many bytes of records of the kernel in this stream, which were not shown as items. */
void pc_derived_records(struct pc_derived *derived, const struct pc_where *where, uint64_t bytes);

/* Whether all tracepoints of the copy are described, if they have to be. */
bool pc_derived_formats(const struct pc_derived *derived, const struct pc_capture *capture);

/* Whether trace data that were made say nothing but the names of the tracepoints, and what is the same on all
 * machines of 64 bits. The capture has the attrs. */
bool pc_derived_trace_data(const struct pc_capture *capture, struct pc_span content);

/* What is wrong, after the end: the name of a row; NULL: nothing. */
const char *pc_derived_wrong(const struct pc_derived *derived, const struct pc_reader *reader);

#endif
