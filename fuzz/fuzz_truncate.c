/* SPDX-License-Identifier: MIT
 *
 * truncate: no finding in a prefix is after its end. A prefix is accepted only if a capture may end there:
 * after all sections of a file, or between records of a pipe. Everything before the cut is reported as in
 * the whole file, and each section after the cut is reported as missing.
 */
#include "harness.h"

#include "bytes/cursor.h"

#include <string.h>

static struct pc_scan whole, part;

/* --- the same file, whole and cut, section by section --- */

/* A scan in steps, and a hash of what the last step reported about the current structure. */
struct side {
    struct pc_scan *scan;
    struct pc_item item;
    struct pc_sum said;
};

static void open_side(struct side *s, struct pc_scan *scan, struct pc_span capture)
{
    *s = (struct side){ .scan = scan };
    pc_scan_init(scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan->in, capture, PC_INPUT_FILE);
}

/* Findings about the places of sections depend on all sections, also on those after the cut. */
static bool is_of_places(enum pc_diag id)
{
    static const enum pc_diag places[] = { PC_D_SECTIONS_OVERLAP, PC_D_FEATURE_OVERLAP, PC_D_FEATURE_GAP,
                                           PC_D_FEATURE_ORDER,    PC_D_IDS_SHARED,      PC_D_GAP,
                                           PC_D_GAP_NOT_ZERO,     PC_D_TRAILING_BYTES };
    for (size_t i = 0; i < PC_COUNT_OF(places); i++) {
        if (id == places[i])
            return true;
    }
    return false;
}

static void next_side(struct side *s)
{
    const struct pc_report *report = &s->scan->report;
    struct pc_hash h;
    size_t before = report->nr;
    pc_hash_init(&h);
    if (!pc_scan_next(s->scan, &s->item))
        s->item.kind = PC_ITEM_END;
    enum pc_place place = s->item.kind == PC_ITEM_ATTR ? PC_IN_ATTR : PC_IN_FEATURE;
    for (size_t i = before; i < report->nr; i++) {
        const struct pc_finding *f = &report->finding[i];
        const uint64_t facts[] = { f->id, f->offset, f->length, f->depth, f->seen.kind, f->seen.n };
        if (f->place != place || f->number != s->item.number || is_of_places(f->id))
            continue;
        for (size_t k = 0; k < PC_COUNT_OF(facts); k++)
            pc_hash_put_uint(&h, facts[k]);
    }
    pc_hash_put_uint(&h, s->scan->capture.nr_attrs);
    pc_hash_put_uint(&h, s->scan->capture.nr_ids);
    s->said = pc_hash_sum(&h);
}

static bool same_item(const struct side *a, const struct side *b)
{
    const struct pc_item *x = &a->item, *y = &b->item;
    return x->kind == y->kind && x->offset == y->offset && x->number == y->number && x->size == y->size &&
           x->bytes.len == y->bytes.len &&
           (x->bytes.len == 0 || memcmp(x->bytes.ptr, y->bytes.ptr, x->bytes.len) == 0);
}

static bool is_behind(uint64_t offset, uint64_t size, uint64_t cut)
{
    uint64_t end;
    return !pc_add(offset, size, &end) || end > cut;
}

/* The section that two words of the header describe. */
static bool section_is_behind(const struct side *s, unsigned offset, unsigned size, uint64_t cut)
{
    return is_behind(pc_header_get(&s->scan->capture, offset), pc_header_get(&s->scan->capture, size), cut);
}

static uint64_t word_of(struct pc_span bytes, size_t at, enum pc_order order)
{
    return pc_load(bytes.ptr + at, 8, order);
}

static uint64_t count_features(const struct pc_capture *capture)
{
    uint64_t nr = 0;
    for (unsigned bit = 0; bit < PC_FEATURE_BITS; bit++)
        nr += pc_bit(capture->features, bit);
    return nr;
}

/* Whether the header led the reader to a feature table before the cut. */
static bool has_table(const struct side *s, struct pc_span prefix, uint64_t *at)
{
    const struct pc_capture *capture = &s->scan->capture;
    uint64_t size = pc_header_get(capture, PC_HEAD_DATA_SIZE);
    return size != 0 && pc_add(pc_header_get(capture, PC_HEAD_DATA_OFFSET), size, at) &&
           !is_behind(*at, PC_SECTION_SIZE * count_features(capture), prefix.len);
}

static bool is_any_said(const struct side *s, const enum pc_diag *id, size_t nr)
{
    uint64_t said = 0;
    for (size_t i = 0; i < nr; i++)
        said += s->scan->report.by_id[id[i]];
    return said != 0;
}

/* After the header: whether each incomplete section was reported, except those of ids. */
static bool cut_is_said(const struct side *s, struct pc_span prefix)
{
    static const enum pc_diag attrs[] = { PC_D_ATTRS_OUTSIDE, PC_D_ATTR_ENTRY_ZERO, PC_D_ATTR_ENTRY_BAD },
                              types[] = { PC_D_EVENT_TYPES_RANGE, PC_D_EVENT_TYPES_RANGE_V1 },
                              data[] = { PC_D_DATA_OUTSIDE, PC_D_DATA_OVERFLOW, PC_D_UNFINISHED,
                                         PC_D_DATA_EMPTY },
                              table[] = { PC_D_TABLE_OUTSIDE };
    const struct pc_capture *capture = &s->scan->capture;
    uint64_t end, missed = 0;
    if (section_is_behind(s, PC_HEAD_ATTRS_OFFSET, PC_HEAD_ATTRS_SIZE, prefix.len) &&
        !is_any_said(s, attrs, PC_COUNT_OF(attrs)))
        return false;
    if (section_is_behind(s, PC_HEAD_TYPES_OFFSET, PC_HEAD_TYPES_SIZE, prefix.len) &&
        !is_any_said(s, types, PC_COUNT_OF(types)))
        return false;
    if (section_is_behind(s, PC_HEAD_DATA_OFFSET, PC_HEAD_DATA_SIZE, prefix.len))
        return is_any_said(s, data, PC_COUNT_OF(data));
    if (!has_table(s, prefix, &end))
        return count_features(capture) == 0 || is_any_said(s, data, PC_COUNT_OF(data)) ||
               is_any_said(s, table, PC_COUNT_OF(table));
    if (s->scan->reader.file.moved != 0) /* the table is elsewhere, and its sections are whole */
        return true;
    for (uint64_t i = 0; i < count_features(capture); i++) {
        size_t at = (size_t)(end + PC_SECTION_SIZE * i);
        missed += is_behind(word_of(prefix, at, capture->order), word_of(prefix, at + 8, capture->order),
                            prefix.len);
    }
    return s->scan->report.by_id[PC_D_FEATURE_OUTSIDE] == missed;
}

/* Returns whether the prefix is the whole capture. */
static bool compare_attrs(struct side *a, struct side *b, uint64_t cut)
{
    const struct pc_capture *capture = &part.capture;
    bool intact = true;
    for (next_side(a); a->item.kind == PC_ITEM_ATTR; next_side(a)) {
        size_t attrs = capture->nr_attrs, entry = a->item.bytes.len - PC_SECTION_SIZE;
        uint64_t outside = part.report.by_id[PC_D_IDS_OUTSIDE];
        next_side(b);
        PC_CLAIM(same_item(a, b));
        bool behind = is_behind(word_of(a->item.bytes, entry, capture->order),
                                word_of(a->item.bytes, entry + 8, capture->order), cut);
        PC_CLAIM(!behind || capture->nr_attrs == attrs || part.report.by_id[PC_D_IDS_OUTSIDE] > outside);
        intact &= !behind;
        PC_CLAIM(!intact || pc_sum_equal(&a->said, &b->said));
    }
    next_side(b);
    return intact;
}

static void compare_features(struct side *a, struct side *b, uint64_t cut, bool intact)
{
    for (; a->item.kind == PC_ITEM_FEATURE; next_side(a)) {
        if (is_behind(a->item.offset, a->item.size, cut)) {
            intact = false; /* findings about others may depend on it */
            continue;
        }
        PC_CLAIM(same_item(a, b));
        PC_CLAIM(!intact || pc_sum_equal(&a->said, &b->said));
        next_side(b);
    }
}

static void compare_files(struct pc_span capture, struct pc_span prefix)
{
    struct side a, b;
    uint64_t table;
    fuzz_policy.max_per_id = UINT32_MAX;
    open_side(&a, &whole, capture);
    open_side(&b, &part, prefix);
    next_side(&a);
    if (a.item.kind == PC_ITEM_HEADER && !whole.capture.is_pipe && prefix.len >= PC_FILE_HEADER_SIZE) {
        next_side(&b);
        PC_CLAIM(same_item(&a, &b));
        PC_CLAIM(cut_is_said(&b, prefix));
        bool attrs = !section_is_behind(&a, PC_HEAD_ATTRS_OFFSET, PC_HEAD_ATTRS_SIZE, prefix.len);
        if (attrs)
            attrs = compare_attrs(&a, &b, prefix.len);
        while (a.item.kind < PC_ITEM_FEATURE)
            next_side(&a);
        while (b.item.kind < PC_ITEM_FEATURE)
            next_side(&b);
        /* A table that was moved is found by the end of the file. */
        if (whole.reader.file.moved == 0 && has_table(&a, prefix, &table))
            compare_features(&a, &b, prefix.len, attrs);
    }
    fuzz_scan_end(&whole);
    fuzz_scan_end(&part);
}

/* --- the verdict --- */

/* A record of an unknown type is accepted if its size leads to the end, and not if it leads to something that
 * is not a record. Returns how many records there are from such a one to `len`; 0: none ends there. */
static uint64_t lost_records(struct pc_span capture, size_t len)
{
    for (size_t i = 0; i < whole.report.nr; i++) {
        const struct pc_finding *f = &whole.report.finding[i];
        uint64_t at = f->offset, nr = 0;
        if (f->id != PC_D_TYPE_AND_SIZE || f->where.inside)
            continue;
        for (uint64_t size = PC_RECORD_HEADER_SIZE; size >= PC_RECORD_HEADER_SIZE && at < len; nr++) {
            bool header = len - at >= PC_RECORD_HEADER_SIZE;
            size = header ? pc_load(capture.ptr + at + 6, 2, whole.capture.order) : 0;
            at += size;
        }
        if (at == len && nr != 0)
            return nr;
    }
    return 0;
}

/* Whether a record of the whole capture ends at `len`, as far as the reader recognises records there. *more:
 * earlier ones that it recognises only in a prefix of this length. */
static bool is_boundary(struct pc_span capture, size_t len, uint64_t *more)
{
    struct pc_item item;
    bool found = len == PC_PIPE_HEADER_SIZE;
    *more = 0;
    fuzz_policy.max_per_id = UINT32_MAX;
    pc_scan_init(&whole, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&whole.in, capture, PC_INPUT_FILE);
    while (!found && pc_reader_next(&whole.reader, &item)) {
        bool outer = !item.where.inside;
        found = outer && (item.offset == len || item.offset + item.bytes.len == len);
    }
    if (!found)
        *more = lost_records(capture, len);
    fuzz_scan_end(&whole);
    return found || *more != 0;
}

/* The sections of an accepted file end before the file does. */
static bool holds_data(const struct pc_capture *capture, size_t len)
{
    uint64_t end;
    return capture->unfinished || (pc_add(pc_header_get(capture, PC_HEAD_DATA_OFFSET),
                                          pc_header_get(capture, PC_HEAD_DATA_SIZE), &end) &&
                                   end <= len);
}

/* Without options the bytes choose the cut. */
static size_t length_of_prefix(const struct fuzz_case *c, size_t size)
{
    uint64_t number = fuzz_bits(c, 0, 20);
    if (c->capture.len == size) {
        struct pc_hash h;
        pc_hash_init(&h);
        pc_hash_put(&h, c->capture.ptr, size);
        struct pc_sum sum = pc_hash_sum(&h);
        number = pc_load(sum.bytes, 8, PC_LITTLE);
    }
    return (size_t)(number % c->capture.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size) || c.capture.len == 0)
        return 0;
    struct pc_span prefix = pc_part(c.capture, 0, length_of_prefix(&c, size));
    compare_files(c.capture, prefix);
    pc_policy_init(&fuzz_policy);
    fuzz_scan(&whole, c.capture, PC_INPUT_FILE);
    uint64_t records = whole.check.flow.sum.total, more;
    bool recognised = whole.recognised, is_pipe = whole.capture.is_pipe;
    enum pc_order order = whole.capture.order;
    fuzz_scan_end(&whole);
    fuzz_scan(&part, prefix, PC_INPUT_FILE);
    for (size_t i = 0; i < part.report.nr; i++) {
        const struct pc_finding *f = &part.report.finding[i];
        PC_CLAIM(f->where.inside ? f->where.wrapper_offset <= prefix.len
                                 : f->id == PC_D_TABLE_OUTSIDE || f->offset <= prefix.len);
    }
    PC_CLAIM(part.check.flow.sum.size <= prefix.len);
    if (pc_scan_verdict(&part) == PC_VALID) {
        PC_CLAIM(recognised && part.capture.is_pipe == is_pipe && part.capture.order == order);
        if (part.capture.is_pipe)
            PC_CLAIM(is_boundary(c.capture, prefix.len, &more) &&
                     part.check.flow.sum.total <= records + more);
        else
            PC_CLAIM(holds_data(&part.capture, prefix.len));
    }
    fuzz_scan_end(&part);
    return 0;
}
