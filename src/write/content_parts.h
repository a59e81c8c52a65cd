/* SPDX-License-Identifier: MIT
 *
 * content_parts.h: among the files of content.h. content.c holds the records and the order of all;
 * content_ahead.c many records at once, content_attrs.c the attrs, content_features.c the features,
 * content_types.c names of events before 3.12, content_formats.c lost formats of tracepoints, content_lost.c
 * other lost features, digest.c the digest, refusal.c what cannot be carried over.
 */
#ifndef PC_CONTENT_PARTS_H
#define PC_CONTENT_PARTS_H

#include "write/content.h"

#define PC_ATTR_ROOM UINT16_MAX /* bytes of content->attr_room */

/* Whether it has an error that is damage, or could not be read. */
bool pc_content_is_damaged(const struct pc_content *content);

/* Whether the layouts of its records count. An attr that came late in a pipe is an early one in the copy:
 * then a record may be another event's, and what was converted by the layout of one is read by that of the
 * other. The same when a salvage leaves out an attr. */
bool pc_content_notes_choices(const struct pc_content *content);

/* Conversion, or an edit, has made something else of an item, or there was no memory to see that. */
void pc_content_set_wrong(struct pc_content *content, const struct pc_item *item);

/* Notes how a record is laid out, when that counts. */
void pc_content_note_choice(struct pc_content *content, const struct pc_item *item);

/* Many of the next records, as one: see pc_content_next. False: there are none to hand out. */
bool pc_content_ahead(struct pc_content *content, struct pc_content_item *item);

/* Whether the stream ends inside a record, and may. */
bool pc_content_is_cut(const struct pc_content *content);

/* An AUXTRACE is handed out, whose bytes come next. */
void pc_content_begin_payload(struct pc_content *content, const struct pc_item *item);

/* Whether an item is an AUXTRACE, or bytes after it, in which the stream is known to end. It is counted. */
bool pc_content_is_of_cut_payload(struct pc_content *content, const struct pc_item *item);

/* As pc_grow; reports that there is no memory. */
bool pc_content_grow(struct pc_content *content, void *array, size_t *cap, size_t needed, size_t size);

/* Bytes of a record cannot be carried over. True: it is left out. */
bool pc_content_refuse_record(struct pc_content *content, const struct pc_item *item, uint64_t at,
                              uint64_t len, const char *reason);

/* The same of the type of an attr. */
void pc_content_refuse_type(struct pc_content *content, uint64_t number, const char *reason);

/* An entry of the attr section; the attr of a HEADER_ATTR. */
void pc_fold_section_attr(struct pc_content *content, const struct pc_item *item);
void pc_fold_header_attr(struct pc_content *content, const struct pc_item *item);

/* A section of the feature table. */
void pc_fold_section(struct pc_content *content, const struct pc_item *item);

/* Records that carry features; of tracing data the payload after the record. */
void pc_fold_header_feature(struct pc_content *content, const struct pc_item *item);
void pc_fold_header_build_id(struct pc_content *content, const struct pc_item *item);
void pc_fold_tracing_data(struct pc_content *content, const struct pc_item *item);

/* A feature made from what the item brings. */
void pc_fold_made_feature(struct pc_content *content, const struct pc_item *item, uint64_t bit,
                          struct pc_span made);

/* The build id of an MMAP2, when the feature BUILD_ID was lost. */
void pc_fold_mapped_build_id(struct pc_content *content, const struct pc_item *item);

/* An entry of BUILD_ID, made from what the item brings. */
void pc_fold_made_build_id(struct pc_content *content, const struct pc_item *item, struct pc_span entry);

/* Trace data for tracepoints, when none came before this item: the first sample, or the end. */
void pc_fold_formats(struct pc_content *content, const struct pc_item *item);

/* The name of an event, as perf before 3.12 wrote it, and at the end what becomes of all of them. */
void pc_fold_type(struct pc_content *content, uint64_t event_id, struct pc_span name);
void pc_fold_types(struct pc_content *content, const struct pc_item *item);

#endif
