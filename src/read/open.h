/* SPDX-License-Identifier: MIT
 *
 * open.h: the first bytes of a capture.
 */
#ifndef PC_READ_OPEN_H
#define PC_READ_OPEN_H

#include "read/state.h"

/* Recognises the capture: a pipe or a file, its version and byte order. Everything that the header says is
 * checked against the input. False: there is no capture to read, which is reported. */
bool pc_reader_open_capture(struct pc_reader *r, struct pc_item *item);

#endif
