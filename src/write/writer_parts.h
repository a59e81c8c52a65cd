/* SPDX-License-Identifier: MIT
 *
 * writer_parts.h: among the files of writer.h. file.c has the canonical file, pipe.c the canonical pipe,
 * put.c the parts of which both are made, put where writer->to is.
 */
#ifndef PC_WRITER_PARTS_H
#define PC_WRITER_PARTS_H

#include "write/writer.h"

/* Bytes of an entry of struct pc_writer's index. */
#define PC_WRITER_ENTRY 16

/* --- file.c --- */

/* What comes before the records; the header is zeros until the end. */
void pc_writer_file_front(struct pc_writer *w);
/* The features after the records, and the header. */
void pc_writer_file_end(struct pc_writer *w);

/* --- pipe.c --- */

/* What comes before the records: header, attrs, features with their end mark, trace data, build ids. */
void pc_writer_pipe_front(struct pc_writer *w);

/* --- put.c --- */

/* The byte order of what is written. */
enum pc_order pc_writer_order(const struct pc_writer *w);

void pc_writer_bytes(struct pc_writer *w, const void *bytes, size_t n);
void pc_writer_uint(struct pc_writer *w, unsigned width, uint64_t value);
void pc_writer_zeros(struct pc_writer *w, uint64_t n);
void pc_writer_record_head(struct pc_writer *w, uint32_t type, uint16_t misc, uint64_t size);
void pc_writer_attr(struct pc_writer *w, size_t i);
void pc_writer_ids(struct pc_writer *w, const struct pc_content_attr *attr);

/* The content of a feature; returns its size. */
uint64_t pc_writer_feature(struct pc_writer *w, uint64_t bit);

/* The content of the feature COMPRESSED. ratio: 0 in a pipe, whose writer does not know it yet. */
void pc_writer_compression(struct pc_writer *w, uint64_t ratio);
/* The most bytes of records that one compressed record holds, as that feature says. */
uint64_t pc_writer_mmap_len(const struct pc_writer *w);

/* A feature has no place in the container: leaves it out when the user agreed, else reports that. */
void pc_writer_leave_out(struct pc_writer *w, uint64_t bit, enum pc_diag id, struct pc_value seen);
void pc_writer_leave_out_for(struct pc_writer *w, uint64_t bit, const char *why);

/* There was no memory, which is reported. */
void pc_writer_no_memory(struct pc_writer *w);

/* Whether a file is marked as one of perf stat, which readers go by (tools/perf/util/session.c:
 * perf_session__open). */
bool pc_writer_has_stat_mark(const struct pc_content *c);

#endif
