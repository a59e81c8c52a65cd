/* SPDX-License-Identifier: MIT */
#include "harness.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct pc_limits fuzz_limits;
struct pc_policy fuzz_policy;

void (*fuzz_when_broken)(void);

void fuzz_broken(const char *file, int line, const char *claim)
{
    fprintf(stderr, "%s:%d: broken claim: %s\n", file, line, claim);
    if (fuzz_when_broken)
        fuzz_when_broken();
    abort();
}

void fuzz_failed(const char *file, int line, const char *call)
{
    fprintf(stderr, "%s:%d: the system failed: %s\n", file, line, call);
    abort();
}

/* What an input needs, the next one needs too: given back to the system, it would come as new pages. And what
 * is written to a spool is not for a disk. */
static void keep_memory(void)
{
    static bool kept;
    if (kept)
        return;
    kept = true;
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
    if (access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 0);
}

bool fuzz_case(struct fuzz_case *c, const uint8_t *data, size_t size)
{
    keep_memory();
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
    pc_hash_put(h, facts, sizeof(facts));
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
    pc_hash_put(&h, facts, sizeof(facts));
    pc_hash_put(&h, sum->by_type, sizeof(sum->by_type));
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
    return !a->bytes == !b->bytes && a->len == b->len &&
           (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
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

void fuzz_find(struct pc_span capture, struct fuzz_found *found)
{
    static struct pc_scan scan;
    fuzz_scan(&scan, capture, PC_INPUT_FILE);
    found->verdict = pc_scan_verdict(&scan);
    found->pipe = scan.capture.is_pipe;
    memcpy(found->by_id, scan.report.by_id, sizeof(found->by_id));
    fuzz_scan_end(&scan);
}

/* Findings that copies may have and their originals not; README.md names them, tests/test_rewrite has a
 * capture for each. All else that a rule looks at, it looks at in every container and order. */
static const struct {
    enum pc_diag id;
    enum { IN_FILE, IN_PIPE } copy;
    bool kept;         /* the original may have the same container */
    enum pc_diag same; /* what the original must have, as another container says the same */
} may_be_new[] = {
    /* No perf reads a file without records, every one reads such a pipe; header records may be all. */
    { PC_D_DATA_EMPTY, IN_FILE, true, PC_NO_DIAG },
    /* Only files have a bitmap, and those of version 1 no bit for HOSTNAME. */
    { PC_D_HOSTNAME_CLEAR, IN_FILE, true, PC_NO_DIAG },
    /* Files have sizes of their own for entries of attrs, and header records in them become sections. */
    { PC_D_ATTR_ENTRY_NEWER, IN_FILE, true, PC_D_ATTR_SIZE_NEWER },
    { PC_D_FEATURE_UNKNOWN, IN_FILE, true, PC_D_FEATURE_UNKNOWN_RECORD },
    { PC_D_FEATURE_UNKNOWN_RECORD, IN_PIPE, false, PC_D_FEATURE_UNKNOWN },
    /* Notes: records of pipes that perf inject leaves in files; what perf does not send; what it does. */
    { PC_D_HEADER_RECORD_IN_FILE, IN_FILE, false, PC_NO_DIAG },
    { PC_D_FEATURE_IN_PIPE_READ, IN_PIPE, false, PC_NO_DIAG },
    { PC_D_EVENT_NAMES_MISSING, IN_PIPE, false, PC_NO_DIAG },
};

static bool may_have(const struct fuzz_found *original, const struct fuzz_found *copy, enum pc_diag id)
{
    for (size_t i = 0; i < PC_COUNT_OF(may_be_new); i++) {
        if (may_be_new[i].id == id && (may_be_new[i].copy == IN_PIPE) == copy->pipe &&
            (may_be_new[i].kept || original->pipe != copy->pipe))
            return may_be_new[i].same == PC_NO_DIAG || original->by_id[may_be_new[i].same] != 0;
    }
    return false;
}

void fuzz_claim_copy(const struct fuzz_found *original, struct pc_span copy)
{
    static struct fuzz_found its;
    fuzz_find(copy, &its);
    PC_CLAIM(its.verdict == PC_VALID);
    for (int id = 1; id < PC_DIAG_COUNT; id++)
        PC_CLAIM_OF((enum pc_diag)id, its.by_id[id] == 0 || original->by_id[id] != 0 ||
                                          may_have(original, &its, (enum pc_diag)id));
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
