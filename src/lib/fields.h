/* SPDX-License-Identifier: MIT
 *
 * fields.h: the fields of an item, one by one, with their values as text: those that the tables describe, and
 * bytes that no table explains. Also fields that the item points to: ids of an attr, sections of features,
 * event types.
 */
#ifndef PC_FIELDS_H
#define PC_FIELDS_H

#include "check/scan.h"
#include "format/path.h"
#include "lib/value.h"

struct pc_fields {
    struct pc_scan *scan; /* set by the caller, as all down to ctx, and value.keep_controls */
    const char *wanted;   /* the first field with this path is the only one; NULL: all are shown */
    bool bare;            /* without value; one that is wanted has no name */
    /* Called for each field, which stands in the members below; false: no more of them. */
    bool (*take)(void *ctx, const struct pc_fields *fields);
    void *ctx;

    struct pc_buffer name; /* entries[3].id */
    struct pc_shown value;
    uint64_t offset, size; /* in the stream */
    struct pc_span bytes;  /* at least the first PC_BYTES_SHOWN of them */
    bool is_number;
    uint64_t number; /* see perfcheck_field_t */
    bool in_joined;  /* the field is in a joined record, which is little-endian, and so is its offset */

    /* The item; valid from pc_fields_begin on. */
    const char *item_name; /* FILE, SAMPLE, TYPE_90; NULL: it has none */
    uint32_t attr;         /* that governs the record, or PC_NO_ATTR */

    /* Private. */
    char item_number[PC_NUMBER_NAME];
    bool known; /* the layout of the record */
    struct pc_layout layout;
    bool stopped;
    struct pc_step outer;               /* path of the table that is walked; name NULL: none */
    size_t seen;                        /* bytes of the walked span that were shown */
    uint64_t base;                      /* offset of the span in the stream */
    unsigned char some[PC_BYTES_SHOWN]; /* of bytes that were skipped */
};

/* What people call an item: SAMPLE, FILE, TYPE_90, which is written to `number`; NULL: it has no name. */
const char *pc_item_name(const struct pc_capture *capture, const struct pc_item *item,
                         char number[PC_NUMBER_NAME]);

/* Names the item that the scan has read last, which lives until pc_fields_walk is done. */
void pc_fields_begin(struct pc_fields *fields, const struct pc_item *item);

/* Shows its fields. */
void pc_fields_walk(struct pc_fields *fields);

/* Shows bytes that the reader of a file skipped, as one field. */
void pc_fields_skipped(struct pc_fields *fields, uint64_t offset, uint64_t length);

#endif
