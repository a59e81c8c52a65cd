/* SPDX-License-Identifier: MIT
 *
 * path.h: the path of a field, "read.values[1].value": as text, in a walk of its structure, and its place in
 * a record, as far as the layout alone decides that.
 */
#ifndef PC_FORMAT_PATH_H
#define PC_FORMAT_PATH_H

#include "format/tables.h"

/* Whether a path is that of a field of this name (NULL: none) in these steps. outer: before them, or NULL. */
bool pc_path_is(const char *path, const struct pc_step *outer, const struct pc_step *steps, unsigned depth,
                const char *name);

/* Where the first field with a path is in the records of one layout. */
struct pc_field_place {
    enum pc_place_how {
        PC_PLACE_NONE,  /* they do not have it */
        PC_PLACE_FRONT, /* a number, so many bytes from the first byte of the record ... */
        PC_PLACE_BACK,  /* ... or from its end */
        PC_PLACE_TEXT,  /* a string with its padding, from there up to so many bytes before the end */
        PC_PLACE_WALK,  /* a walk tells: values decide where it is, or it is none of these */
    } how;
    uint16_t at, behind;          /* behind: bytes after a TEXT */
    const struct pc_field *field; /* its row; NULL: NONE or WALK */
};

/* Holds for records whose fields fill them, as plans demand. mask: the layout. */
struct pc_field_place pc_place_in_record(const struct pc_record_info *info, uint64_t mask, const char *path);

#endif
