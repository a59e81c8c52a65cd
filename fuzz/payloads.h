/* SPDX-License-Identifier: MIT
 *
 * payloads.h: an independent conversion of tracepoint payloads and of arrays of BPF programs to the other
 * byte order. It parses the trace data by itself and shares no code with src. Digest and copy share theirs,
 * so they cannot check each other.
 */
#ifndef PC_FUZZ_PAYLOADS_H
#define PC_FUZZ_PAYLOADS_H

#include "base/base.h"

/* Forgets all formats. */
void fuzz_formats_clear(void);

/* Learns the formats of trace data, which must stay in memory. They replace earlier ones. */
void fuzz_formats_read(struct pc_span tracing);

/* Whether `swapped` is the payload of an event in the other byte order. A payload without a format must be
 * unchanged. If this reader does not know the width of the elements of a field, it returns true. traced: the
 * event is a tracepoint. */
bool fuzz_payload_is_swapped(bool traced, uint64_t event, struct pc_span payload, struct pc_span swapped);

/* Whether a payload cannot be a reason to refuse a conversion: it has no format, or all its fields have
 * elements of known width and share no bytes. False if this reader does not know. */
bool fuzz_payload_is_plain(uint64_t event, struct pc_span payload);

/* Whether the arrays of BPF_PROG_INFO in `programs`, of that byte order, have the other order in `swapped`,
 * which has the same length. Programs whose arrays share bytes are ignored. */
bool fuzz_programs_are_swapped(bool big, struct pc_span programs, struct pc_span swapped);

#endif
