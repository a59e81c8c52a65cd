/* SPDX-License-Identifier: MIT */
#include "harness.h"
#include "check/flow_rule.h"
#include "cli/print.h"
#include "lib/handle.h"
#include "write/novel.h"

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

/* The next input needs what this one needs. Memory that goes back to the system would return as new pages.
 * The temporary files of a spool are kept in memory too. */
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

bool fuzz_one_of(const struct fuzz_case *c, unsigned n)
{
    struct pc_hash h;
    pc_hash_init(&h);
    pc_hash_put(&h, c->capture.ptr, c->capture.len);
    pc_hash_put(&h, c->option, sizeof(c->option));
    return pc_load(pc_hash_sum(&h).bytes, 4, PC_LITTLE) % n == 0;
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

bool fuzz_needs_file(const struct pc_scan *scan)
{
    return scan->report.by_id[PC_D_HEADER_WORD] != 0 && (!scan->recognised || scan->capture.is_pipe);
}

struct pc_sum fuzz_report(const struct pc_scan *scan)
{
    const struct pc_capture *c = &scan->capture;
    const struct pc_summary *sum = &scan->check.flow.sum;
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

/* --- what a policy makes of findings --- */

/* Findings in their order, as the policy should show them. */
struct shown {
    const struct pc_policy *policy; /* applied here; NULL: the scan has it */
    struct pc_hash hash;
    uint64_t nr;
    uint64_t found[PC_DIAG_COUNT];
    bool failed; /* not all was read or found */
};

static void show_finding(void *ctx, const struct pc_finding *finding)
{
    struct shown *s = ctx;
    struct pc_finding f = *finding;
    s->failed |= pc_diag_is_unreadable(f.id);
    if (!s->policy && pc_diag_is_for_reader(f.id))
        return;
    s->found[f.id]++;
    if (s->policy && (s->policy->disabled[f.id] || s->found[f.id] <= s->policy->accepted[f.id]))
        return;
    if (s->policy && s->policy->severity[f.id])
        f.severity = (enum pc_severity)(s->policy->severity[f.id] - 1);
    put_finding(&s->hash, &f);
    s->nr++;
}

static void show_all(struct shown *s, struct pc_span capture, enum pc_input_kind kind,
                     const struct pc_policy *policy)
{
    static struct pc_scan scan;
    pc_hash_init(&s->hash);
    pc_scan_init(&scan, policy, &fuzz_limits);
    scan.report.on_finding = show_finding;
    scan.report.ctx = s;
    pc_scan_memory(&scan, capture, kind);
    pc_scan_clear(&scan);
}

void fuzz_claim_policy(const struct fuzz_case *c, enum pc_input_kind kind)
{
    static const enum pc_versions readers[] = { PC_BY_NONE, PC_BY_5_10, PC_BY_7_2, PC_BY_ALL };
    static struct pc_policy none, policy;
    struct shown plain = { .policy = &policy }, under = { .policy = NULL };
    pc_policy_init(&none);
    pc_policy_init(&policy);
    for (unsigned id = 1; id < PC_DIAG_COUNT; id++) {
        uint64_t random = (id + c->capture.len) * 0x9e3779b97f4a7c15 >> 32;
        policy.disabled[id] = random % 4 == 0 && !pc_diag_is_for_reader((enum pc_diag)id);
        policy.severity[id] = (uint8_t)(random % 4 == 1 ? 1 + random / 4 % 3 : 0);
        policy.accepted[id] = random % 8 == 2 ? random / 8 % 3 : 0;
    }
    policy.reader = readers[c->capture.len / 4 % PC_COUNT_OF(readers)];
    show_all(&plain, c->capture, kind, &none);
    show_all(&under, c->capture, kind, &policy);
    struct pc_sum want = pc_hash_sum(&plain.hash), have = pc_hash_sum(&under.hash);
    PC_CLAIM(plain.failed || under.failed || (plain.nr == under.nr && pc_sum_equal(&want, &have)));
}

/* --- copies --- */

bool fuzz_same(const struct fuzz_bytes *a, const struct fuzz_bytes *b)
{
    return !a->bytes == !b->bytes && a->len == b->len &&
           (a->len == 0 || memcmp(a->bytes, b->bytes, a->len) == 0);
}

static char *said;

const char *fuzz_said(void)
{
    return said;
}

struct pc_callbacks fuzz_callbacks(FILE *out)
{
    static struct pc_printer printer;
    static perfcheck_t *pc;
    pc = pc ? pc : perfcheck_new();
    FUZZ_MUST(pc);
    printer.out = printer.err = out;
    pc_print_listen(&printer, pc);
    if (!out)
        perfcheck_on_message(pc, NULL, NULL);
    if (!out)
        perfcheck_on_report(pc, NULL, NULL);
    return pc_handle_callbacks(pc);
}

/* The bytes say whether it is a pipe, whatever the kind. */
struct pc_rewrite fuzz_how(const struct fuzz_case *c)
{
    return (struct pc_rewrite){ .order = (enum pc_order_choice)(fuzz_bits(c, 0, 3) % 5),
                                .to = (enum pc_container_choice)(fuzz_bits(c, 3, 2) % 3),
                                .compression = (enum pc_compression)(fuzz_bits(c, 5, 2) % 3),
                                .level = 1,
                                .no_verify = fuzz_bits(c, 7, 1) };
}

enum pc_rewritten fuzz_rewrite(struct pc_rewrite how, struct pc_span capture, struct fuzz_bytes *copy)
{
    struct pc_sink sink;
    struct pc_mem mem;
    struct pc_input in;
    size_t len = 0;
    free(said);
    said = NULL;
    FILE *out = open_memstream(&said, &len);
    how.callbacks = fuzz_callbacks(out);
    how.limits = fuzz_limits;
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
    fclose(out);
    fuzz_callbacks(NULL); /* out is no more; what follows says nothing */
    PC_CLAIM(mem.used == 0);
    PC_CLAIM(result == PC_WRITTEN || strstr(said, " [PC") != NULL ||
             strstr(said, ": because of: PC") != NULL);
    return result;
}

void fuzz_find(struct pc_span capture, struct fuzz_found *found)
{
    static struct pc_scan scan;
    fuzz_scan(&scan, capture, PC_INPUT_FILE);
    found->verdict = pc_scan_verdict(&scan);
    found->pipe = scan.capture.is_pipe;
    found->edited = false;
    found->complete = pc_flow_is_complete(&scan.check.flow);
    memcpy(found->by_id, scan.report.by_id, sizeof(found->by_id));
    fuzz_scan_end(&scan);
}

bool fuzz_can_be_copy(const struct fuzz_found *found)
{
    return found->verdict == PC_VALID || found->by_id[PC_D_ATTR_ENTRY_NEWER] != 0 ||
           found->by_id[PC_D_ANDROID_BIG_ENDIAN] != 0 || found->by_id[PC_D_CORESIGHT_INDEX] != 0 ||
           found->by_id[PC_D_CORESIGHT_AUX] != 0;
}

void fuzz_claim_copy(const struct fuzz_found *original, struct pc_span copy)
{
    static struct fuzz_found its;
    fuzz_find(copy, &its);
    PC_CLAIM(fuzz_can_be_copy(&its));
    struct pc_found left = { original->pipe, original->complete, original->edited, { 0 } };
    struct pc_found right = { .pipe = its.pipe };
    memcpy(left.by_id, original->by_id, sizeof(left.by_id));
    memcpy(right.by_id, its.by_id, sizeof(right.by_id));
    enum pc_diag novel = pc_find_novel(&left, &right);
    PC_CLAIM_OF(novel, novel == PC_NO_DIAG);
}

/* --- the sequence of records --- */

struct sequence {
    struct pc_scan scan;
    struct pc_hash attrs, heads, records, *to; /* heads: types and misc of the records */
    struct fuzz_but but;
    bool has_records; /* of the kernel */
    bool late_attr;   /* came after them */
};

struct sequence_sums {
    struct pc_sum attrs, heads, records;
    bool late_attr;
};

/* Of records that become attrs and features in a copy, and of those that it leaves out. */
static bool is_of_container(uint32_t type)
{
    return type == PC_COMPRESSED || type == PC_COMPRESSED2 || type == PC_HEADER_FEATURE ||
           (type >= PC_HEADER_ATTR && type <= PC_HEADER_BUILD_ID);
}

static void put_bytes(struct pc_hash *h, struct pc_span bytes, size_t n)
{
    pc_hash_put_uint(h, n);
    pc_hash_put(h, bytes.ptr, n);
}

/* Without zeros at their end, which may be padding. */
static void put_unknown(struct pc_hash *h, struct pc_span bytes)
{
    while (bytes.len != 0 && bytes.ptr[bytes.len - 1] == 0)
        bytes.len--;
    put_bytes(h, bytes, bytes.len);
}

static void put_bytes_leaf(const struct sequence *s, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    uint64_t used = field->used ? leaf->walk->slot[field->used] : leaf->raw.len;
    if (!(s->but.payloads && field->save == PC_REC_RAW))
        put_bytes(s->to, leaf->raw, used < leaf->raw.len ? (size_t)used : leaf->raw.len);
}

static bool put_leaf(void *ctx, const struct pc_leaf *leaf)
{
    const struct sequence *s = ctx;
    if (leaf->fault != PC_SOUND)
        return false;
    if (pc_is_padding(leaf->field))
        return true;
    switch (leaf->field->kind) {
    case PC_UINT:
    case PC_BITS:
        pc_hash_put_uint(s->to, leaf->value);
        break;
    case PC_CSTR:
    case PC_TEXT:
        put_bytes(s->to, leaf->raw, pc_first_zero(leaf->raw));
        break;
    case PC_BYTES:
        put_bytes_leaf(s, leaf);
        break;
    case PC_REST:
        put_unknown(s->to, leaf->raw);
        break;
    default:
        break;
    }
    return true;
}

/* The words of an attr that are not zero, with their places. */
static bool put_attr_leaf(void *ctx, const struct pc_leaf *leaf)
{
    const struct sequence *s = ctx;
    bool left_out = pc_is_padding(leaf->field) || (leaf->field->flags & PC_ATTR_BYTES);
    if (leaf->fault != PC_SOUND || left_out || pc_first_nonzero(leaf->raw) == leaf->raw.len)
        return leaf->fault == PC_SOUND;
    pc_hash_put_uint(s->to, leaf->at);
    return put_leaf(ctx, leaf);
}

static void put_attr(struct sequence *s, struct pc_span attr, struct pc_cursor ids)
{
    struct pc_cursor in = pc_cursor(attr, s->scan.capture.order);
    struct pc_walk walk;
    uint64_t id;
    s->to = &s->attrs;
    s->late_attr |= s->has_records;
    pc_walk_init(&walk, NULL, &in, put_attr_leaf, s);
    pc_walk_table(&walk, pc_attr_fields);
    pc_hash_put_uint(s->to, pc_left(&ids) / 8);
    while (pc_uint(&ids, 8, &id))
        pc_hash_put_uint(s->to, id);
}

static void put_section_attr(struct sequence *s, struct pc_span whole, const struct pc_item *item)
{
    const struct pc_capture *c = &s->scan.capture;
    struct pc_span attr = pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE), ids = { NULL, 0 };
    const struct pc_attr *known = c->nr_attrs ? &c->attr[c->nr_attrs - 1] : NULL;
    if (known && known->nr_ids != 0 && known->ids_offset <= whole.len &&
        known->nr_ids <= (whole.len - known->ids_offset) / 8)
        ids = pc_part(whole, (size_t)known->ids_offset, 8 * (size_t)known->nr_ids);
    put_attr(s, pc_attr_whole(attr, c->order), pc_cursor(ids, c->order));
}

/* Those in the data of a file repeat the content of its section, or are refused. */
static void put_header_attr(struct sequence *s, const struct pc_item *item)
{
    struct pc_span attr =
        pc_part(item->bytes, PC_RECORD_HEADER_SIZE, item->bytes.len - PC_RECORD_HEADER_SIZE);
    struct pc_cursor ids = pc_cursor(attr, s->scan.capture.order);
    attr = pc_attr_whole(attr, ids.order);
    ids.pos = attr.len;
    if (s->scan.capture.is_pipe)
        put_attr(s, attr, ids);
}

static void put_record(struct sequence *s, const struct pc_item *item)
{
    struct pc_capture *capture = &s->scan.capture;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    const struct pc_record_info *info = pc_item_info(item);
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    s->to = &s->records;
    s->has_records |= pc_is_kernel_type(item->type);
    pc_hash_put_uint(&s->heads, item->type);
    pc_hash_put_uint(&s->heads, item->misc);
    pc_hash_put_uint(s->to, item->type);
    if (!info) {
        put_unknown(s->to, pc_part(item->bytes, c.pos, pc_left(&c)));
    } else if (pc_capture_layout(capture, item->type, item->misc, item->bytes, &layout, &attr)) {
        pc_walk_init(&walk, &layout, &c, put_leaf, s);
        pc_walk_record(&walk, info, &excess);
    }
}

static bool is_left_out(const struct fuzz_but *but, uint32_t type)
{
    char name[64];
    if (!but->records)
        return false;
    pc_content_name_record(type, name, sizeof(name));
    return strcmp(name, but->records) == 0;
}

static struct sequence_sums sequence_of(struct pc_span capture, struct fuzz_but but)
{
    static struct sequence s;
    struct pc_item item;
    s.but = but;
    s.has_records = s.late_attr = false;
    pc_hash_init(&s.attrs);
    pc_hash_init(&s.heads);
    pc_hash_init(&s.records);
    pc_scan_init(&s.scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&s.scan.in, capture, PC_INPUT_FILE);
    while (pc_scan_next(&s.scan, &item)) { /* checked: the first MMAP2 decides for all */
        bool left_out = is_of_container(item.type) || is_left_out(&but, item.type);
        if (item.kind == PC_ITEM_PAYLOAD && !left_out)
            pc_hash_put(&s.heads, item.bytes.ptr, item.bytes.len);
        else if (item.kind == PC_ITEM_ATTR)
            put_section_attr(&s, capture, &item);
        else if (item.kind == PC_ITEM_RECORD && item.type == PC_HEADER_ATTR)
            put_header_attr(&s, &item);
        else if (item.kind == PC_ITEM_RECORD && !left_out)
            put_record(&s, &item);
    }
    fuzz_scan_end(&s.scan);
    return (struct sequence_sums){ pc_hash_sum(&s.attrs), pc_hash_sum(&s.heads), pc_hash_sum(&s.records),
                                   s.late_attr };
}

bool fuzz_same_sequence(struct pc_span original, struct pc_span copy, struct fuzz_but but)
{
    struct sequence_sums own = sequence_of(original, but), its = sequence_of(copy, but);
    return pc_sum_equal(&own.attrs, &its.attrs) && pc_sum_equal(&own.heads, &its.heads) &&
           (own.late_attr || pc_sum_equal(&own.records, &its.records));
}

static struct pc_scan content_scan;
static struct pc_content content;

/* All of it, as for a digest; content_end frees it. */
static bool read_content(struct pc_span capture)
{
    struct pc_content_item item;
    pc_scan_init(&content_scan, &fuzz_policy, &fuzz_limits);
    pc_content_init(&content, &content_scan, PC_LITTLE, false, NULL);
    content.own.lenient = true;
    pc_input_memory(&content_scan.in, capture, PC_INPUT_FILE);
    do {
        pc_content_next(&content, &item);
    } while (item.kind != PC_CONTENT_END);
    return pc_content_is_whole(&content);
}

static void content_end(void)
{
    pc_content_clear(&content);
    fuzz_scan_end(&content_scan);
}

bool fuzz_digest(struct pc_span capture, struct pc_sum *sum)
{
    bool whole = read_content(capture);
    if (whole)
        *sum = pc_content_digest(&content);
    content_end();
    return whole;
}

bool fuzz_features(struct pc_span capture, uint64_t but, struct pc_sum *sum)
{
    struct pc_hash h;
    bool whole = read_content(capture);
    pc_hash_init(&h);
    for (uint64_t bit = 0; whole && bit < PC_FEATURE_BITS; bit++) {
        if (bit == but || !pc_bit(content.parts.present, bit))
            continue;
        pc_hash_put_uint(&h, bit);
        pc_hash_put(&h, content.parts.feature[bit].bytes, sizeof(content.parts.feature[bit].bytes));
    }
    *sum = pc_hash_sum(&h);
    content_end();
    return whole;
}
