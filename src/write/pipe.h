/* SPDX-License-Identifier: MIT
 *
 * pipe.h: the canonical pipe.
 */
#ifndef PC_WRITE_PIPE_H
#define PC_WRITE_PIPE_H

#include "write/writer.h"

/* What comes before the records: header, attrs, features with their end mark, trace data, build ids. */
void pc_writer_pipe_front(struct pc_writer *w);

#endif
