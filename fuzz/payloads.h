/* SPDX-License-Identifier: MIT
 *
 * payloads.h: a second opinion on payloads of tracepoints and arrays of BPF programs in the other byte order.
 * It reads the texts of the trace data by itself and shares no code with src, as the digest and the copy
 * share theirs.
 */
#ifndef PC_FUZZ_PAYLOADS_H
#define PC_FUZZ_PAYLOADS_H

#include "base/base.h"

/* Forgets all formats. */
void fuzz_formats_clear(void);

/* Learns the formats of trace data, which must stay where they are; they come before those that are known. */
void fuzz_formats_read(struct pc_span tracing);

/* Whether `swapped` is the payload of an event in the other byte order. Where no format describes the event,
 * it is the payload as it is; where this reader does not know how wide the elements of a field are, nothing
 * is reported. traced: the event is a tracepoint. */
bool fuzz_payload_is_swapped(bool traced, uint64_t event, struct pc_span payload, struct pc_span swapped);

/* Whether nothing about a payload can be a reason not to convert it: no format, or all that it has is in
 * elements of known width which no two fields share. False also where this reader does not know. */
bool fuzz_payload_is_plain(uint64_t event, struct pc_span payload);

/* Whether the arrays of BPF_PROG_INFO, `programs` in its own order (big or not), are in the other order in
 * `swapped`, which is as long. Of programs whose arrays share bytes nothing is reported. */
bool fuzz_programs_are_swapped(bool big, struct pc_span programs, struct pc_span swapped);

#endif
