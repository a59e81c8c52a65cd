/* SPDX-License-Identifier: MIT
 *
 * attrs.h: attrs and their ids.
 */
#ifndef PC_READ_ATTRS_H
#define PC_READ_ATTRS_H

#include "read/state.h"

/* The next entry of the attr section of a file; false: there is none. */
bool pc_reader_next_attr(struct pc_reader *r, struct pc_item *item);
/* The attr of a HEADER_ATTR, as the attr section of a file has it. */
void pc_reader_take_header_attr(struct pc_reader *r, const struct pc_item *item);

#endif
