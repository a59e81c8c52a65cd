/* SPDX-License-Identifier: MIT
 *
 * payloads.h: a second opinion on payloads of tracepoints in the other byte order. It reads the texts of the
 * trace data by itself and shares no code with src, as the digest and the copy share theirs.
 */
#ifndef PC_FUZZ_PAYLOADS_H
#define PC_FUZZ_PAYLOADS_H

#include "base.h"

/* Forgets all formats. */
void fuzz_formats_clear(void);

/* Learns the formats of trace data, which must stay where they are; they come before those that are known. */
void fuzz_formats_read(struct pc_span tracing);

/* Whether `swapped` is the payload of an event in the other byte order. Where no format describes the event,
 * it is the payload as it is; where this reader does not know how wide the elements of a field are, nothing
 * is said. traced: the event is a tracepoint. */
bool fuzz_payload_is_swapped(bool traced, uint64_t event, struct pc_span payload, struct pc_span swapped);

#endif
