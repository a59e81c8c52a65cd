/* SPDX-License-Identifier: MIT
 *
 * payload.h: bytes that follow a record outside of its size.
 */
#ifndef PC_READ_PAYLOAD_H
#define PC_READ_PAYLOAD_H

#include "read/state.h"

/* The bytes that follow the record in the stream, outside its size; the stage changes when there are any. */
void pc_reader_expect_payload(struct pc_reader *r, const struct pc_item *item);
/* The next piece of them; false: nothing is left. */
bool pc_reader_next_payload(struct pc_reader *r, struct pc_item *item);

#endif
