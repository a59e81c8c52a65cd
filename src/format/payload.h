/* SPDX-License-Identifier: MIT
 *
 * payload.h: the byte order of contents that other parts of a capture describe: payloads of
 * tracepoints, by their format texts (FORMAT.md 5.4.12), and the arrays of BPF programs, by the words of
 * their info (FORMAT.md 5.4.7).
 *
 * Swapping is its own inverse, but what is read on the way (words that say where data is) is in the order
 * that the bytes have before.
 */
#ifndef PC_PAYLOAD_H
#define PC_PAYLOAD_H

#include "base/base.h"
#include "format/tracepoint.h"

/* Why a payload cannot be swapped; lives forever ("a structure, or a size that no integer has"). *field:
 * which, or its nr_fields when it is about none. NULL: it can. Looks only, for payloads of this format in
 * general when bytes.ptr is NULL. The format is one that pc_tp_read accepted: its fields ascend and do not
 * overlap. */
const char *pc_payload_refusal(const struct pc_tracepoint *format, struct pc_span bytes, enum pc_order order,
                               uint32_t *field);

/* Swaps every integer of a payload that is not refused. order: that of the bytes before. */
void pc_payload_swap(const struct pc_tracepoint *format, unsigned char *bytes, size_t len,
                     enum pc_order order);

/* The data of a BPF program, whose info is in the given order and whose arrays (the word in front of the
 * info) say which of pc_bpf_arrays (format.h) are there. False, and nothing was swapped, when an array does
 * not lie in the data, is none that is known or has elements that are not made of its words, or when bytes
 * that would be swapped belong to two of them. An array whose positions the info does not reach is not
 * there. */
bool pc_bpf_data_swap(struct pc_span info, uint64_t arrays, enum pc_order order, unsigned char *data,
                      size_t len);

#endif
