/* SPDX-License-Identifier: MIT
 *
 * edited.h: whether what was edited for an older perf (write/edits.h) differs from what it was only in what
 * that perf does not know. It is found out by a walk of the tables, and by nothing that edits.
 */
#ifndef PC_EDITED_H
#define PC_EDITED_H

#include "check/check.h"

/* An attr, EVENT_DESC or BPF_PROG_INFO, or a record that carries one, in the order of the capture. */
bool pc_edited_item(const struct pc_version_knows *reader, const struct pc_capture *capture,
                    const struct pc_item *before, const struct pc_item *after);

/* A record of the capture, of which `before` has the content; both in this order. */
bool pc_edited_record(const struct pc_version_knows *reader, struct pc_capture *capture,
                      const struct pc_item *record, struct pc_span before, struct pc_span after,
                      enum pc_order order);

/* Whether that perf has no use for the record: it does not know the type, or the AUX trace. no_trace: what an
 * AUXTRACE_INFO before it said. */
bool pc_edited_leaves_out(const struct pc_version_knows *reader, const struct pc_item *record,
                          enum pc_order order, bool *no_trace);

#endif
