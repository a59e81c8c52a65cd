/* SPDX-License-Identifier: MIT
 *
 * content_parts.h: among the files of content.h. content.c holds the records and the order of all;
 * content_attrs.c the attrs, content_features.c the features, content_types.c names of events before 3.12,
 * digest.c the digest, refusal.c what cannot be carried over.
 */
#ifndef PC_CONTENT_PARTS_H
#define PC_CONTENT_PARTS_H

#include "write/content.h"

#define PC_ATTR_ROOM UINT16_MAX /* bytes of content->attr_room */

/* As pc_grow; reports that there is no memory. */
bool pc_content_grow(struct pc_content *content, void *array, size_t *cap, size_t needed, size_t size);

/* A record cannot be converted. True: it is left out. */
bool pc_content_refuse_record(struct pc_content *content, const struct pc_item *item,
                              const struct pc_refusal *o);

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

/* The name of an event, as perf before 3.12 wrote it, and at the end what becomes of all of them. */
void pc_fold_type(struct pc_content *content, uint64_t event_id, struct pc_span name);
void pc_fold_types(struct pc_content *content, const struct pc_item *item);

#endif
