/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pc_limits fuzz_limits;
struct pc_policy fuzz_policy;

void fuzz_broken(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: broken claim: %s\n", file, line, claim);
    abort();
}

void fuzz_failed(const char *file, int line, const char *call)
{
    fprintf(stderr, "%s:%d: the system failed: %s\n", file, line, call);
    abort();
}

bool fuzz_case(struct fuzz_case *c, const uint8_t *data, size_t size)
{
    const size_t trailer = strlen(FUZZ_MARK) + FUZZ_OPTIONS;
    *c = (struct fuzz_case){ .capture = { data, size } };
    if (size >= trailer && memcmp(data + size - trailer, FUZZ_MARK, strlen(FUZZ_MARK)) == 0) {
        c->capture.len -= trailer;
        memcpy(c->option, data + size - FUZZ_OPTIONS, FUZZ_OPTIONS);
    }
    pc_limits_init(&fuzz_limits);
    fuzz_limits.inflated = (uint64_t)4 << 20;
    pc_policy_init(&fuzz_policy);
    return size <= FUZZ_INPUT_MAX;
}

unsigned fuzz_bits(const struct fuzz_case *c, unsigned from, unsigned bits)
{
    unsigned value = 0;
    for (unsigned i = 0; i < bits; i++)
        value |= (c->option[(from + i) / 8] >> (from + i) % 8 & 1u) << i;
    return value;
}

void fuzz_scan(struct pc_scan *scan, struct pc_span capture, enum pc_input_kind kind)
{
    pc_scan_init(scan, &fuzz_policy, &fuzz_limits);
    pc_scan_memory(scan, capture, kind);
}

void fuzz_scan_end(struct pc_scan *scan)
{
    pc_scan_clear(scan);
    PC_CLAIM(scan->mem.used == 0);
}

/* --- one number for a report --- */

static void put_text(struct pc_hash *h, const char *text)
{
    pc_hash_put_uint(h, text ? strlen(text) : UINT64_MAX);
    if (text)
        pc_hash_put(h, text, strlen(text));
}

static void put_value(struct pc_hash *h, const struct pc_value *v)
{
    pc_hash_put_uint(h, v->kind);
    if (v->kind == PC_V_TEXT)
        put_text(h, v->text);
    else if (v->kind == PC_V_BYTES)
        pc_hash_put(h, v->bytes, v->len);
    else if (v->kind != PC_V_NONE)
        pc_hash_put_uint(h, v->n);
}

static void put_finding(struct pc_hash *h, const struct pc_finding *f)
{
    const uint64_t facts[] = {
        f->id,     f->severity, f->place,        f->number,       f->offset,
        f->length, f->depth,    f->where.stream, f->where.inside, f->where.inside ? f->where.wrapper : 0
    };
    for (size_t i = 0; i < PC_COUNT_OF(facts); i++)
        pc_hash_put_uint(h, facts[i]);
    put_text(h, f->subject);
    for (uint32_t i = 0; i < f->depth; i++) {
        put_text(h, f->path[i].name);
        pc_hash_put_uint(h, f->path[i].index);
    }
    put_value(h, &f->seen);
    put_value(h, &f->expected);
}

struct pc_sum fuzz_report(const struct pc_scan *scan)
{
    const struct pc_capture *c = &scan->capture;
    const struct pc_summary *sum = &scan->check.sum;
    struct pc_hash h;
    pc_hash_init(&h);
    const uint64_t facts[] = {
        pc_scan_verdict(scan), scan->recognised,    c->order,         c->is_pipe,        c->version,
        c->nr_attrs,           c->nr_ids,           c->nr_cpus,       sum->total,        sum->compressed,
        sum->compressed_in,    sum->compressed_out, sum->lost_events, sum->lost_samples, sum->has_time,
        sum->first_time,       sum->last_time,      sum->size
    };
    for (size_t i = 0; i < PC_COUNT_OF(facts); i++)
        pc_hash_put_uint(&h, facts[i]);
    for (unsigned type = 0; type < PC_TYPES; type++)
        pc_hash_put_uint(&h, sum->by_type[type]);
    pc_hash_put(&h, scan->report.by_id, sizeof(scan->report.by_id));
    pc_hash_put(&h, c->seen, sizeof(c->seen));
    for (size_t i = 0; i < scan->report.nr; i++)
        put_finding(&h, &scan->report.finding[i]);
    for (size_t i = 0; i < c->nr_attrs; i++)
        pc_hash_put(&h, c->attr[i].value, sizeof(c->attr[i].value));
    return pc_hash_sum(&h);
}

/* --- copies --- */

bool fuzz_same(const struct fuzz_bytes *a, const struct fuzz_bytes *b)
{
    return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}

/* A pipe is what stands in the bytes: whatever the kind, the header says which it is. */
enum pc_rewritten fuzz_rewrite(struct pc_rewrite how, struct pc_span capture, struct fuzz_bytes *copy)
{
    struct pc_printer printer = { .format = PC_FORMAT_TEXT };
    struct pc_sink sink;
    struct pc_mem mem;
    struct pc_input in;
    char *said = NULL;
    size_t len = 0;
    printer.err = printer.out = open_memstream(&said, &len);
    how.printer = &printer;
    how.limits = fuzz_limits;
    how.no_verify = true;
    pc_mem_init(&mem, (uint64_t)8 << 20);
    pc_input_memory(&in, capture, PC_INPUT_FILE);
    FUZZ_MUST(pc_sink_scratch(&sink, &mem, NULL) == 0);
    enum pc_rewritten result = pc_rewrite_into(&how, &in, "in", &sink, "out");
    *copy = (struct fuzz_bytes){ .len = result == PC_WRITTEN ? (size_t)sink.size : 0 };
    if (result == PC_WRITTEN) {
        copy->bytes = malloc(copy->len + 1);
        FUZZ_MUST(copy->bytes);
        PC_CLAIM(pc_sink_get(&sink, 0, copy->bytes, copy->len));
    }
    pc_sink_discard(&sink);
    fclose(printer.err);
    PC_CLAIM(mem.used == 0);
    PC_CLAIM(result == PC_WRITTEN || len > 0);
    free(said);
    return result;
}

bool fuzz_digest(struct pc_span capture, struct pc_sum *sum)
{
    static struct pc_scan scan;
    static struct pc_content content;
    struct pc_content_item item;
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_content_init(&content, &scan, PC_LITTLE, false, NULL);
    content.own.lenient = true;
    pc_input_memory(&scan.in, capture, PC_INPUT_FILE);
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    bool whole = pc_content_is_whole(&content);
    if (whole)
        *sum = pc_content_digest(&content);
    pc_content_clear(&content);
    fuzz_scan_end(&scan);
    return whole;
}
