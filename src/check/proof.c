/* SPDX-License-Identifier: MIT */
#include "check/proof.h"

#include "bytes/cursor.h"

#include <inttypes.h>
#include <stdio.h>

/* Places in the last copy that are looked at; see pc_proof.doubtful. */
#define DOUBTFUL_MAX 16

/* So many records in a row, of which some have a reason. */
#define IN_BLOCK 64
struct records {
    uint64_t block, which; /* the number of the first, divided by this; the bits of those */
};

#define SETS 7
static struct pc_set *set_at(struct pc_proof *p, size_t i)
{
    struct pc_set *all[SETS] = { &p->records,  &p->joined, &p->attrs, &p->attrs_out,
                                 &p->features, &p->packed, &p->errors };
    return all[i];
}

void pc_proof_init(struct pc_proof *p, struct pc_mem *mem)
{
    *p = (struct pc_proof){ .mem = mem };
    for (size_t i = 0; i < SETS; i++)
        *set_at(p, i) = (struct pc_set){ .entry_size = sizeof(uint64_t),
                                         .key_size = sizeof(uint64_t),
                                         .most = UINT32_MAX - 1 };
    p->records.entry_size = sizeof(struct records);
}

void pc_proof_clear(struct pc_proof *p)
{
    for (size_t i = 0; i < SETS; i++)
        pc_set_clear(p->mem, set_at(p, i));
    pc_free(p->mem, p->header, p->cap_header * sizeof(*p->header));
}

/* Numbers begin anew in each stream of a directory. */
static uint64_t key_of(const struct pc_where *where, uint64_t number)
{
    return (uint64_t)where->stream << 40 | number;
}

static void add(struct pc_proof *p, struct pc_set *set, uint64_t key)
{
    p->no_memory |= !pc_set_add(p->mem, set, &key);
}

static bool has(struct pc_set *set, uint64_t key)
{
    return set->nr != 0 && pc_set_find(set, &key);
}

static void add_record(struct pc_proof *p, uint64_t key)
{
    const uint64_t block = key / IN_BLOCK;
    struct records *entry = pc_set_add(p->mem, &p->records, &block);
    p->no_memory |= !entry;
    if (entry)
        entry->which |= (uint64_t)1 << key % IN_BLOCK;
}

static bool has_record(struct pc_proof *p, uint64_t key)
{
    const uint64_t block = key / IN_BLOCK;
    const struct records *entry = p->records.nr != 0 ? pc_set_find(&p->records, &block) : NULL;
    return entry && (entry->which >> key % IN_BLOCK & 1) != 0;
}

/* --- reasons --- */

/* A record has not all of its pieces: those before it, or they are this one. */
static void add_pieces(struct pc_proof *p, const struct pc_finding *f)
{
    bool before = pc_pieces_are_of(&p->run, f);
    add(p, &p->joined, before ? key_of(&p->run.where, p->run.number) : key_of(&f->where, f->number));
}

void pc_proof_finding(struct pc_proof *p, const struct pc_finding *f)
{
    bool zeros = f->id == PC_D_COMPRESSED_ZEROS;
    if (f->id == PC_D_TIME_ORDER && f->where.inside && !p->of_copy) /* if another shows that it is damaged */
        add(p, &p->packed, key_of(&f->where, f->where.wrapper));
    if (f->id == PC_D_TRACEPOINT_UNDESCRIBED || pc_proof_is_of_format(f->id)) /* TRACING_DATA may be wrong */
        add(p, &p->features, PC_TRACING_DATA);
    if ((f->severity != PC_ERROR && !zeros) || pc_diag_is_cause(f->id) || pc_diag_is_for_reader(f->id) ||
        ((f->id == PC_D_TRACEPOINT_WITHOUT_DATA || f->id == PC_D_TRACEPOINT_UNDESCRIBED) &&
         !p->of_copy)) /* they are made, when damaged ones are left out */
        return;
    if ((f->id == PC_D_ANDROID_SPLIT_OPEN || f->id == PC_D_ANDROID_SPLIT_SIZE) &&
        (!p->of_copy || f->place == PC_AT_END)) {
        add_pieces(p, f);
        return;
    }
    if (f->id == PC_D_NRCPUS_NEEDED || pc_proof_is_beyond(f->id)) /* NRCPUS may be wrong */
        add(p, &p->features, PC_NRCPUS);
    switch (f->place) {
    case PC_IN_HEADER:
    case PC_AT_END:
        break;
    case PC_IN_ATTR: /* of a copy it counts without the attrs that it lacks */
        p->bad_header |= p->of_copy;
        if (!p->of_copy)
            add(p, &p->attrs, f->number);
        break;
    case PC_IN_FEATURE:
        add(p, &p->features, f->number);
        break;
    case PC_IN_RECORD:
        if (p->of_copy)
            add(p, &p->errors, pc_finding_blames(f));
        else if (f->where.inside)
            add(p, &p->packed, key_of(&f->where, f->where.wrapper));
        else if (zeros || f->id == PC_D_ZSTD_DAMAGED)
            add(p, &p->packed, key_of(&f->where, f->number));
        if (!p->of_copy && !zeros)
            add_record(p, key_of(&f->where, pc_finding_blames(f)));
        break;
    }
}

void pc_proof_refused(struct pc_proof *p, const struct pc_finding *f, bool converts)
{
    uint64_t key = key_of(&f->where, f->number);
    if (f->id == PC_D_REWRITE_UNKNOWN ? key == p->unknown : converts)
        add_record(p, key);
}

/* --- the copy --- */

void pc_proof_begin_copy(struct pc_proof *p)
{
    p->of_copy = true;
    p->nr_header = 0;
    p->bad_header = false;
    pc_set_clear(p->mem, &p->errors);
}

static void see_copy(struct pc_proof *p, const struct pc_item *item)
{
    if (item->kind != PC_ITEM_RECORD || !pc_record_is(item->type, PC_OF_CONTAINER))
        return;
    if (pc_grow(p->mem, &p->header, &p->cap_header, p->nr_header + 1, sizeof(*p->header)))
        p->header[p->nr_header++] = item->number;
    else
        p->no_memory = true;
}

/* How many header records the copy has before this record. */
static size_t headers_before(const struct pc_proof *p, uint64_t number)
{
    return pc_lower_bound(p->header, p->nr_header, sizeof(*p->header), 0, number);
}

/* Records of the copy with errors, by their place among its content. */
static void place_errors(struct pc_proof *p)
{
    struct pc_set numbers = p->errors;
    p->errors = (struct pc_set){ .entry_size = numbers.entry_size,
                                 .key_size = numbers.key_size,
                                 .most = numbers.most };
    const uint64_t *number = numbers.entry;
    for (size_t i = 0; i < numbers.nr; i++) {
        size_t before = headers_before(p, number[i]);
        if (before < p->nr_header && p->header[before] == number[i])
            p->bad_header = true;
        else
            add(p, &p->errors, number[i] - before);
    }
    pc_set_clear(p->mem, &numbers);
    p->nr_header = 0;
}

/* --- the capture --- */

static struct pc_sum sum_of_patches(const struct pc_input *in, bool mmap2_new)
{
    struct pc_hash hash;
    pc_hash_init(&hash);
    pc_hash_put_uint(&hash, mmap2_new);
    for (size_t i = 0; i < in->nr_patches; i++) {
        pc_hash_put_uint(&hash, in->patch[i].offset);
        pc_hash_put(&hash, in->patch[i].bytes, in->patch[i].len);
    }
    return pc_hash_sum(&hash);
}

void pc_proof_begin(struct pc_proof *p, const struct pc_input *in, bool mmap2_new,
                    const uint64_t unsure[PC_FEATURE_BITS / 64])
{
    const struct pc_sum patched = sum_of_patches(in, mmap2_new);
    if (p->of_copy)
        place_errors(p);
    else /* the last copy was not read */
        pc_set_clear(p->mem, &p->errors);
    if (!pc_sum_equal(&patched, &p->patched)) { /* records have other numbers */
        pc_set_clear(p->mem, &p->records);
        pc_set_clear(p->mem, &p->joined);
        pc_set_clear(p->mem, &p->packed);
    }
    p->patched = patched;
    p->mmap2_new = mmap2_new;
    p->of_copy = p->wrong = p->piece = p->made = p->stream_bad = false;
    p->last = (struct pc_before){ .item = { .kind = PC_ITEM_HEADER } };
    p->run = (struct pc_pieces){ 0 };
    p->skipped = p->written = p->doubtful = p->left = p->listed = 0;
    p->unknown = PC_NO_INDEX;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(unsure, bit))
            add(p, &p->features, bit);
    }
}

static void set_wrong(struct pc_proof *p, enum pc_place place, uint64_t number)
{
    if (p->wrong)
        return;
    p->wrong = true;
    p->place = place;
    p->number = number;
}

/* Bytes that belong to no record are a reason for those around them. */
static void see_gap(struct pc_proof *p, struct pc_scan *scan, const struct pc_item *item)
{
    const struct pc_item *last = &p->last.item;
    uint64_t n = scan->reader.skipped - p->skipped;
    uint64_t end = last->offset + last->bytes.len;
    bool outer = last->bytes.len != 0 && !last->where.inside && !item->where.inside &&
                 last->where.stream == item->where.stream;
    p->skipped += n;
    if ((n != 0 || (outer && (p->piece || item->offset < end))) && item->kind == PC_ITEM_RECORD &&
        pc_whole_is_other(scan, item, n, p->mem, &p->no_memory))
        add_record(p, key_of(&item->where, item->number));
    if (p->piece && !p->made && !p->kept && n != 0) /* records that lie in it would begin at its end */
        set_wrong(p, PC_IN_RECORD, last->number);
    if (n == 0 || last->bytes.len == 0)
        return;
    if (pc_whole_is_odd(&p->last, scan))
        add(p, &p->packed, key_of(&last->where, p->last.packed));
    if (last->where.stream == item->where.stream &&
        !pc_whole_before(&p->last, scan, item, p->mem, &p->no_memory))
        add_record(p, key_of(&last->where, last->number));
}

/* Whether a word of the record, which is one of the file, is read otherwise than it is: its size, or that of
 * its payload. If its first bytes are, all of its header was mended. */
static void see_piece(struct pc_proof *p, const struct pc_scan *scan, const struct pc_item *record)
{
    const struct pc_input *in = scan->reader.in;
    size_t at = pc_lower_bound(in->patch, in->nr_patches, sizeof(*in->patch),
                               offsetof(struct pc_patch, offset), record->offset);
    p->piece = !record->where.inside && record->where.stream == 0 && at < in->nr_patches &&
               in->patch[at].offset - record->offset < record->bytes.len;
    p->made = p->piece && in->patch[at].offset == record->offset;
}

void pc_proof_item(struct pc_proof *p, struct pc_scan *scan, const struct pc_item *item)
{
    if (p->of_copy) {
        see_copy(p, item);
        return;
    }
    if (item->kind == PC_ITEM_FEATURE && pc_whole_is_blank(scan, item))
        add(p, &p->features, item->number);
    if (item->kind == PC_ITEM_RECORD || item->kind == PC_ITEM_END)
        see_gap(p, scan, item);
    if (item->kind != PC_ITEM_RECORD)
        return;
    if (pc_record_is(item->type, PC_HOLDS_RECORDS)) {
        if (pc_whole_begins_frame(&scan->capture, item) || p->last.item.where.stream != item->where.stream)
            p->stream_bad = false;
        p->stream_bad |= has(&p->packed, key_of(&item->where, item->number));
    }
    pc_pieces_note(&p->run, item);
    if (!pc_record_info(item->type))
        p->unknown = key_of(&item->where, item->number);
    pc_before_note(&p->last, scan, item);
    see_piece(p, scan, item);
    p->kept = true;
}

/* A record of an unknown type is filled up to a multiple of 8 in a copy: these have no room for that. */
static bool has_no_room(const struct pc_item *record)
{
    return !pc_record_info(record->type) && pc_align8(record->bytes.len) > PC_RECORD_SIZE_MAX;
}

/* Whether the capture alone shows why the record is left out. */
static bool has_reason(struct pc_proof *p, struct pc_capture *capture, const struct pc_item *record)
{
    struct pc_cursor in = pc_record_body(record->bytes, capture->order);
    uint64_t bit;
    if (p->piece || has_record(p, key_of(&record->where, record->number)) || has_no_room(record))
        return true;
    if (record->where.inside &&
        (p->stream_bad || has(&p->packed, key_of(&record->where, record->where.wrapper))))
        return true;
    if (pc_is_piece(record->type) && has(&p->joined, key_of(&p->run.where, p->run.number)))
        return true;
    /* The attrs have other numbers in the copy. */
    if (pc_item_whole(record)->type == PC_EVENT_ID && p->attrs_out.nr != 0)
        return true;
    if (record->type == PC_HEADER_TRACING_DATA && has(&p->features, PC_TRACING_DATA))
        return true;
    if (record->type == PC_HEADER_FEATURE)
        return (pc_uint(&in, 8, &bit) && has(&p->features, bit)) || p->bad_header;
    if (record->type == PC_HEADER_ATTR)
        return (capture->nr_attrs != 0 && has(&p->attrs, capture->nr_attrs - 1)) || p->bad_header;
    if (!pc_is_kernel_type(record->type))
        return false;
    if (p->mmap2_new && record->type == PC_MMAP2 && pc_mmap2_is_old(record->misc, record->bytes) == 1)
        return true;
    return pc_capture_lost_attr(capture, &p->attrs_out, record->type, record->bytes);
}

/* Whether the last copy had an error where this record may have been. */
static bool had_error(struct pc_proof *p)
{
    for (uint64_t i = 0; i <= p->doubtful; i++) {
        if (has(&p->errors, p->written + i))
            return true;
    }
    return false;
}

/* A number that stands for a record in a sum. */
static uint64_t share(uint64_t key)
{
    key = (key ^ key >> 31) * 0x9e3779b97f4a7c15;
    return (key ^ key >> 29) * 0xbf58476d1ce4e5b9;
}

/* An attr is left out, and so are its records, from now on and in later passes. */
static void leave_out_attr(struct pc_proof *p, uint64_t number)
{
    if (p->bad_header)
        add(p, &p->attrs, number);
    if (!has(&p->attrs, number))
        set_wrong(p, PC_IN_ATTR, number);
    add(p, &p->attrs_out, number);
}

static void leave_out_record(struct pc_proof *p, struct pc_capture *capture, const struct pc_item *record)
{
    uint64_t key = key_of(&record->where, record->number);
    bool of_directory = record->type == PC_FINISHED_ROUND && capture->dir_version != 0;
    bool content = !pc_record_is(record->type, PC_OF_CONTAINER) && !of_directory,
         reason = has_reason(p, capture, record);
    bool bad = content && had_error(p);
    p->kept = false;
    if (pc_is_piece(record->type) && (reason || bad))
        add(p, &p->joined, key_of(&p->run.where, p->run.number));
    if (!pc_record_is(record->type, PC_HOLDS_RECORDS))
        p->left += share(key);
    if (reason && bad)
        p->doubtful += p->doubtful < DOUBTFUL_MAX;
    else if (bad) {
        p->written++; /* it was, then */
        add_record(p, key);
    } else if (!reason) {
        set_wrong(p, PC_IN_RECORD, record->number);
    }
    if (record->type == PC_HEADER_ATTR && capture->nr_attrs != 0 && reason) {
        add(p, &p->attrs, capture->nr_attrs - 1);
        add(p, &p->attrs_out, capture->nr_attrs - 1);
    }
}

void pc_proof_left_out(struct pc_proof *p, struct pc_scan *scan, const struct pc_item *item)
{
    switch (item->kind) {
    case PC_ITEM_HEADER:
    case PC_ITEM_END:
        break;
    case PC_ITEM_ATTR:
        leave_out_attr(p, item->number);
        break;
    case PC_ITEM_FEATURE:
        if (p->bad_header)
            add(p, &p->features, item->number);
        if (!has(&p->features, item->number))
            set_wrong(p, PC_IN_FEATURE, item->number);
        break;
    case PC_ITEM_RECORD:
        leave_out_record(p, &scan->capture, item);
        break;
    case PC_ITEM_PAYLOAD:
        if (p->kept && !has_record(p, key_of(&item->where, item->number)))
            set_wrong(p, PC_IN_RECORD, item->number);
        break;
    }
}

void pc_proof_handed_out(struct pc_proof *p)
{
    p->written++;
}

void pc_proof_listed(struct pc_proof *p, uint32_t type, uint32_t stream, uint64_t number, uint64_t records)
{
    const struct pc_where where = { .stream = stream };
    for (uint64_t i = 0; i < records && !pc_record_is(type, PC_HOLDS_RECORDS); i++)
        p->listed += share(key_of(&where, number + i));
}

bool pc_proof_wrong(const struct pc_proof *p, bool complete, char *what, size_t size)
{
    if (p->wrong)
        snprintf(what, size, "%s[%" PRIu64 "]",
                 p->place == PC_IN_RECORD ? "records"
                 : p->place == PC_IN_ATTR ? "attrs"
                                          : "features",
                 p->number);
    else if (complete && p->left != p->listed)
        snprintf(what, size, "the list of records that were left out");
    else
        return false;
    return true;
}
