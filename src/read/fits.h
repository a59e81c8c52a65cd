/* SPDX-License-Identifier: MIT
 *
 * fits.h: whether bytes are a record of the type that they begin with, whatever the size in the header says.
 */
#ifndef PC_FITS_H
#define PC_FITS_H

#include "read/state.h"

/* Whether n more bytes may be looked at in the search for records: a few times as many as were read. */
bool pc_reader_may_scan(struct pc_reader *r, size_t n);
/* The same of bytes that are work, too. */
bool pc_reader_may_walk(struct pc_reader *r, size_t n);

/* Whether these bytes are a record of the type that they begin with, which is a known one, but for its size.
 * The capture has attrs. */
bool pc_reader_fits(struct pc_reader *r, struct pc_span record);
/* The same as far as may be walked in the search for records; then the answer is true. What counts is what
 * was looked at, not how long the record says it is: a header in numbers may say anything. */
bool pc_reader_may_fit(struct pc_reader *r, struct pc_span record);
/* Whether a record is one of the kernel whose size is the least that its content can have, as each is that a
 * plan finds sound. Its layout is known. */
bool pc_reader_is_exact(struct pc_reader *r, struct pc_span record);
/* Whether these bytes are a record of the type that they begin with, but for its size, and each field has a
 * value that its table knows. */
bool pc_reader_is_known(struct pc_reader *r, struct pc_span record);

#endif
