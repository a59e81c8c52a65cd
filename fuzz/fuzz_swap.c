/* SPDX-License-Identifier: MIT
 *
 * swap: the other byte order and back is the canonical copy, byte for byte. Every leaf of every attr,
 * feature and record has the same value in both. Payloads of tracepoints and arrays of BPF programs are
 * those of an independent reader, and those that it finds simple are not refused.
 */
#include "harness.h"
#include "payloads.h"

#include <stdlib.h>
#include <string.h>

/* A capture that is read in parallel with another. */
struct side {
    struct pc_scan scan;
    struct pc_item item;
    bool more;
    /* Of a sample. */
    struct pc_span payload;
    uint32_t attr;
};

static struct side a, b;

static void open_side(struct side *s, const struct fuzz_bytes *bytes)
{
    pc_scan_init(&s->scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&s->scan.in, fuzz_span(bytes), PC_INPUT_FILE);
}

static void next_side(struct side *s)
{
    s->more = pc_scan_next(&s->scan, &s->item); /* checked: the first MMAP2 decides for all */
    s->payload.len = 0;
}

/* The values of numbers, and the lengths of everything else: bytes may be words of an undescribed payload. */
static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    uint64_t *sum = ctx;
    if (leaf->field->kind != PC_ORDER)
        *sum = *sum * 1099511628211u + leaf->value + leaf->raw.len + leaf->fault;
    return true;
}

static bool is_trace_data(const struct pc_item *item)
{
    return item->kind == PC_ITEM_FEATURE
               ? item->number == PC_TRACING_DATA
               : item->kind == PC_ITEM_PAYLOAD && item->type == PC_HEADER_TRACING_DATA;
}

static const struct pc_field *table_of(const struct side *s, struct pc_layout *layout)
{
    const struct pc_feature_info *info;
    *layout = pc_capture_feature_layout(&s->scan.capture);
    switch (s->item.kind) {
    case PC_ITEM_ATTR:
        return pc_attr_fields;
    case PC_ITEM_FEATURE:
        info = pc_feature_info(s->item.number);
        if (!info || !pc_capture_can_walk(&s->scan.capture, s->item.number))
            return NULL;
        return pc_feature_fields(s->item.number, s->item.bytes);
    case PC_ITEM_PAYLOAD:
        return is_trace_data(&s->item) && s->item.bytes.len != 0
                   ? pc_feature_fields(PC_TRACING_DATA, s->item.bytes)
                   : NULL;
    default:
        return NULL;
    }
}

static uint64_t sum_of(struct side *s)
{
    struct pc_capture *capture = &s->scan.capture;
    struct pc_cursor c = pc_cursor(s->item.bytes, capture->order);
    struct pc_layout layout;
    struct pc_walk walk;
    uint64_t sum = s->item.bytes.len;
    size_t excess;
    const struct pc_field *table = table_of(s, &layout);
    if (s->item.kind == PC_ITEM_ATTR) /* without its entry of ids */
        c.in.len -= PC_SECTION_SIZE;
    if (table) {
        pc_walk_init(&walk, &layout, &c, visit, &sum);
        pc_walk_table(&walk, table);
        return sum;
    }
    const struct pc_record_info *info = s->item.kind == PC_ITEM_RECORD ? pc_record_info(s->item.type) : NULL;
    if (!info || !pc_capture_layout(capture, s->item.type, s->item.misc, s->item.bytes, &layout, &s->attr))
        return sum;
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, &layout, &c, visit, &sum);
    pc_walk_record(&walk, info, &excess);
    if (s->item.type == PC_SAMPLE && walk.slot_at[PC_REC_RAW] != 0)
        s->payload = pc_part(s->item.bytes, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_REC_RAW]);
    return sum;
}

static bool is_swapped_payload(void)
{
    if (a.payload.len == 0 && b.payload.len == 0)
        return true;
    const struct pc_attr *attr = &a.scan.capture.attr[a.attr];
    return fuzz_payload_is_swapped(pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT,
                                   pc_attr_get(attr, PC_ATTR_CONFIG), a.payload, b.payload);
}

static bool is_swapped_program(void)
{
    return a.item.kind != PC_ITEM_FEATURE || a.item.number != PC_BPF_PROG_INFO ||
           fuzz_programs_are_swapped(a.scan.capture.order == PC_BIG, a.item.bytes, b.item.bytes);
}

static void read_formats(const struct fuzz_bytes *own)
{
    if (is_trace_data(&a.item))
        fuzz_formats_read(pc_part(fuzz_span(own), (size_t)a.item.offset, (size_t)a.item.size));
}

/* Whether a sample has a payload that may be refused. */
static bool has_odd_payload(const struct fuzz_bytes *own)
{
    bool odd = false;
    open_side(&a, own);
    fuzz_formats_clear();
    for (next_side(&a); a.more; next_side(&a)) {
        sum_of(&a);
        odd |= a.payload.len != 0 &&
               !fuzz_payload_is_plain(pc_attr_get(&a.scan.capture.attr[a.attr], PC_ATTR_CONFIG), a.payload);
        read_formats(own);
    }
    fuzz_scan_end(&a.scan);
    return odd;
}

static void claim_same_values(const struct fuzz_bytes *own, const struct fuzz_bytes *swapped)
{
    open_side(&a, own);
    open_side(&b, swapped);
    fuzz_formats_clear();
    for (next_side(&a), next_side(&b); a.more && b.more; next_side(&a), next_side(&b)) {
        PC_CLAIM(a.item.kind == b.item.kind && a.item.number == b.item.number &&
                 a.item.offset == b.item.offset);
        if (a.item.kind == PC_ITEM_RECORD)
            PC_CLAIM(a.item.type == b.item.type && a.item.misc == b.item.misc);
        PC_CLAIM(sum_of(&a) == sum_of(&b));
        PC_CLAIM(is_swapped_payload());
        PC_CLAIM(is_swapped_program());
        read_formats(own);
    }
    PC_CLAIM(!a.more && !b.more);
    PC_CLAIM(a.scan.capture.order != b.scan.capture.order);
    fuzz_scan_end(&a.scan);
    fuzz_scan_end(&b.scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_bytes own, swapped, back;
    const struct pc_rewrite keep = { .compression = PC_COMPRESSION_NONE },
                            swap = { .compression = PC_COMPRESSION_NONE, .order = PC_ORDER_SWAP };
    if (!fuzz_case(&c, data, size) || fuzz_rewrite(keep, c.capture, &own) != PC_WRITTEN)
        return 0;
    /* A payload without a format is refused and reported. */
    if (fuzz_rewrite(swap, c.capture, &swapped) == PC_WRITTEN) {
        PC_CLAIM(own.len == swapped.len);
        claim_same_values(&own, &swapped);
        PC_CLAIM(fuzz_rewrite(swap, fuzz_span(&swapped), &back) == PC_WRITTEN);
        PC_CLAIM(fuzz_same(&own, &back));
        free(swapped.bytes);
        free(back.bytes);
    } else {
        PC_CLAIM(!strstr(fuzz_said(), "[PC1304") || has_odd_payload(&own));
    }
    free(own.bytes);
    return 0;
}
