/* SPDX-License-Identifier: MIT */
#include "payload.h"

/* Stands in until the real one is merged. */
const char *pc_payload_obstacle(const struct pc_tracepoint *format, struct pc_span bytes, enum pc_order order,
                                uint32_t *field)
{
    (void)bytes;
    (void)order;
    *field = format->nr_fields;
    return "payloads are not converted yet";
}

void pc_payload_swap(const struct pc_tracepoint *format, unsigned char *bytes, size_t len,
                     enum pc_order order)
{
    (void)format;
    (void)bytes;
    (void)len;
    (void)order;
}

bool pc_bpf_data_swap(struct pc_span info, uint64_t arrays, enum pc_order order, unsigned char *data,
                      size_t len)
{
    (void)info;
    (void)arrays;
    (void)order;
    (void)data;
    (void)len;
    return false;
}
