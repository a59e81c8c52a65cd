/* SPDX-License-Identifier: MIT
 *
 * streams.h: the members of a directory capture.
 */
#ifndef PC_STREAMS_H
#define PC_STREAMS_H

#include "read/state.h"

/* Lists the directory that the input is, and makes `data` the input. False: there is none to read. */
bool pc_reader_open_directory(struct pc_reader *r);
/* Goes on with the next data.N; false: there is none. */
bool pc_reader_next_stream(struct pc_reader *r);
/* What kcore_dir holds. */
void pc_reader_check_kcore(struct pc_reader *r);

#endif
