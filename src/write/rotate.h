/* SPDX-License-Identifier: MIT
 *
 * rotate.h: a long capture or stream as a row of captures, each complete in itself.
 */
#ifndef PC_ROTATE_H
#define PC_ROTATE_H

#include "write/rewrite.h"

/* Like pc_rewrite_capture, but into output.0, output.1, ..., by rewrite->rotate. A new part begins after the
 * first FINISHED_ROUND at which the part has the wanted size or time; without any FINISHED_ROUND, after any
 * record. Each part begins with a copy of the earlier records on which later ones depend (PC_LASTING), but
 * for those about tasks that ended before the part before began (lives.h); these do not count for the size.
 * In a part with many of them, those about tasks that ended long before its end are dropped, too.
 * Each part is verified against what the input had for it. *parts: how many were written, which stay when a
 * later one cannot be; *records: their records, without the repeated ones.
 *
 * AUX traces are refused: only the whole of them can be read. */
enum pc_rewritten pc_rotate_capture(const struct pc_rewrite *rewrite, const struct pc_input *in,
                                    const char *input, const char *output, uint64_t *records,
                                    uint64_t *parts);

#endif
