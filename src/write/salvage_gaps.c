/* SPDX-License-Identifier: MIT
 *
 * Bytes that belong to no record, and the records before them and inside of others: which of them are whole.
 */
#include "write/salvage_parts.h"
#include "bytes/cursor.h"
#include "read/extent.h"
#include "read/fits.h"
#include "read/plausible.h"

#include <string.h>

/* --- records with others inside --- */

/* A payload that is larger is not searched for records. */
#define SPAN_MAX ((uint64_t)8 << 20)

/* Whether a record that is all there begins at a place in these bytes: one of the kernel with all fields of
 * its type, or one that is nothing but a header. */
static bool is_certain_record(struct pc_salvage *s, struct pc_span bytes, size_t at)
{
    struct pc_reader *r = &s->content->scan->reader;
    struct pc_record_head head = pc_load_head(bytes.ptr + at, r->capture->order);
    if (pc_record_info(head.type)->fields->kind == PC_END)
        return head.size == PC_RECORD_HEADER_SIZE;
    return pc_is_kernel_type(head.type) && r->capture->nr_attrs != 0 && head.size <= bytes.len - at &&
           pc_reader_fits(r, pc_part(bytes, at, head.size));
}

/* Whether n bytes may be searched. Each record is searched by itself and with the one before it. */
static bool may_search(struct pc_salvage *s, size_t n)
{
    const uint64_t times = 12, slack = (uint64_t)1 << 20, each = 256;
    if (s->settling != 0 || s->searched / times > s->in.size + slack / times)
        return false;
    s->searched += n + each;
    s->work += n + each;
    return true;
}

/* Whether reading goes on at a place inside a record from which headers lead to its end, and does not find
 * that this one has a wrong size. */
static bool reads_on(struct pc_salvage *s, struct pc_span record, size_t at, size_t least)
{
    const struct pc_span rest = pc_part(record, at, record.len - at);
    return (at >= least || is_certain_record(s, record, at)) &&
           pc_reader_search_extent(&s->content->scan->reader, rest).agreement != PC_CONTRARY;
}

/* Where, from a place inside a record on, whole records follow each other up to its end; 0: nowhere. least:
 * bytes of it that hold none, but for such records. */
static size_t find_inside(struct pc_salvage *s, struct pc_span record, size_t least)
{
    const size_t room = (record.len / 64 + 1) * sizeof(uint64_t);
    struct pc_reader *r = &s->content->scan->reader;
    const uint64_t walked = r->walked;
    if (!may_search(s, record.len))
        return 0;
    uint64_t *leads = pc_alloc(&s->mem, room); /* a bit for each place from which they do */
    if (!leads) {
        pc_content_no_memory(s->content);
        return 0;
    }
    pc_set_bit(leads, record.len);
    for (size_t at = record.len - 1; at >= PC_RECORD_HEADER_SIZE; at--) {
        uint64_t size;
        if (record.len - at >= PC_RECORD_HEADER_SIZE && pc_may_be_type(record.ptr + at, r->capture->order) &&
            pc_plausible_record(r, pc_part(record, at, record.len - at), &size) && size <= record.len - at &&
            pc_bit(leads, at + size))
            pc_set_bit(leads, at);
    }
    size_t first = PC_RECORD_HEADER_SIZE;
    while (first < record.len && !(pc_bit(leads, first) && reads_on(s, record, first, least)))
        first++;
    s->searched += r->walked - walked; /* which is not for the searches of the reader */
    r->walked = walked;
    pc_free(&s->mem, leads, room);
    return first < record.len ? first : 0;
}

/* From the next pass on, a word of the file is read as `value`. */
static bool read_later(struct pc_salvage *s, uint64_t word, unsigned char len, uint64_t value)
{
    if (!pc_grow(&s->mem, &s->split, &s->cap_split, s->nr_split + 1, sizeof(*s->split))) {
        pc_content_no_memory(s->content);
        return false;
    }
    struct pc_patch *patch = &s->split[s->nr_split++];
    *patch = (struct pc_patch){ .offset = word, .len = len };
    pc_store(patch->bytes, len, value, s->content->scan->capture.order);
    s->again = true;
    if (!pc_set_add(&s->mem, &s->words, &word))
        pc_content_no_memory(s->content);
    return true;
}

/* Whether places of records are places of the file. */
static bool is_in_file(const struct pc_where *where)
{
    return where->stream == 0 && !where->inside;
}

/* Whether what is here was read otherwise, but is none of the records. */
static bool is_undone(struct pc_salvage *s, uint64_t offset)
{
    const struct left_out *piece = pc_set_find(&s->pieces, &offset);
    return piece && piece->why == PC_NO_DIAG;
}

/* Whether a word of the file is read as another one in this pass. */
static bool is_read_otherwise(const struct pc_salvage *s, uint64_t word)
{
    size_t at =
        pc_lower_bound(s->patch, s->nr_patches, sizeof(*s->patch), offsetof(struct pc_patch, offset), word);
    return at < s->nr_patches && s->patch[at].offset == word;
}

/* From the next pass on, the record here is read as it is. */
static void undo_split(struct pc_salvage *s, struct left_out *piece, uint64_t word)
{
    piece->why = PC_NO_DIAG;
    s->nr_patches = pc_salvage_unpatch(s->patch, s->nr_patches, word);
    s->restart = s->again = true;
}

void pc_salvage_undo_splits(struct pc_salvage *s, const struct pc_item *item)
{
    if (!is_in_file(&item->where) || s->nr_patches == 0)
        return;
    const uint64_t end = item->offset + item->bytes.len;
    size_t at = pc_lower_bound(s->patch, s->nr_patches, sizeof(*s->patch), offsetof(struct pc_patch, offset),
                               item->offset + PC_RECORD_HEADER_SIZE);
    while (at < s->nr_patches && s->patch[at].offset < end) {
        const uint64_t begin = pc_salvage_begin_of(&s->patch[at]);
        struct left_out *piece = begin > item->offset ? pc_set_find(&s->pieces, &begin) : NULL;
        if (piece)
            undo_split(s, piece, s->patch[at].offset);
        else
            at++;
    }
}

/* Bytes behind the last record belong to none. If it was made to end there, where records seemed to begin,
 * that was wrong. */
static void undo_last_split(struct pc_salvage *s)
{
    const struct pc_item *last = &s->last.item;
    const uint64_t word = last->offset + PC_RECORD_SIZE_AT;
    if (s->last_kept || last->bytes.len == 0 || !is_in_file(&last->where) || s->pieces.nr == 0 ||
        !is_read_otherwise(s, word))
        return;
    struct left_out *piece = pc_set_find(&s->pieces, &last->offset);
    if (piece && piece->why != PC_NO_DIAG)
        undo_split(s, piece, word);
}

/* The record at this place of the file, which is left out, ends earlier: its size, or that of its payload, is
 * this. */
static void end_earlier(struct pc_salvage *s, uint64_t offset, uint64_t word, unsigned char len,
                        uint64_t size, enum pc_diag why)
{
    const struct pc_finding f = { .id = why, .offset = offset };
    if (!is_undone(s, offset) && read_later(s, word, len, size))
        pc_salvage_leave_out(s, &s->pieces, offset, &f);
}

/* A record at this place of the file, whose size was wrong, holds records: the next pass finds them. */
static void split_at(struct pc_salvage *s, uint64_t offset, struct pc_span record, size_t least,
                     enum pc_diag why)
{
    enum pc_order order = s->content->scan->capture.order;
    const struct pc_record_head head = pc_load_head(record.ptr, order);
    size_t at = find_inside(s, record, least);
    if (at == 0 || (head.type == PC_HEADER_ATTR && (at < least || at == PC_RECORD_HEADER_SIZE)))
        return; /* type and size of an attr look like the header of a record */
    /* Compressed bytes have pieces of the kernel's records as they were. */
    bool piece = pc_record_is(head.type, PC_HOLDS_RECORDS) &&
                 pc_is_kernel_type(pc_load_head(record.ptr + at, order).type);
    if (!piece)
        end_earlier(s, offset, offset + PC_RECORD_SIZE_AT, 2, at, why);
}

/* Where, from a place between two of the file on, whole records follow each other up to the second one,
 * counted from the first; 0: nowhere. */
static size_t find_between(struct pc_salvage *s, uint64_t from, uint64_t to, size_t least)
{
    uint64_t n = to - from;
    if (to <= from || n > SPAN_MAX || !may_search(s, 0))
        return 0; /* the copy lacks them */
    unsigned char *bytes = pc_alloc_buffer(&s->mem, n);
    if (!bytes) {
        pc_content_no_memory(s->content);
        return 0;
    }
    size_t at = pc_reader_look_back(&s->content->scan->reader, from, bytes, (size_t)n) == n
                    ? find_inside(s, (struct pc_span){ bytes, (size_t)n }, least)
                    : 0;
    pc_free(&s->mem, bytes, n);
    return at;
}

/* A record is left out. When its size was wrong, records inside it are not. */
void pc_salvage_split(struct pc_salvage *s, const struct pc_item *item, enum pc_diag why)
{
    if (is_in_file(&item->where) && !item->size_wrapped &&
        !pc_record_is(item->type, PC_HAS_PAYLOAD | PC_HOLDS_RECORDS))
        split_at(s, item->offset, item->bytes, 0, why);
}

/* The last record is left out, and ends here. When bytes were lost in the one before, that seems to end too
 * late: the next record begins inside of it, and goes on in what seemed to be the last one. */
static void split_before(struct pc_salvage *s, const struct pc_where *where, uint64_t end)
{
    const struct pc_item *before = &s->before, *last = &s->last.item;
    bool doubtful = !s->before_kept || !pc_record_info(last->type);
    if (!is_in_file(where) || s->last.item.where.inside || s->last_kept || !doubtful ||
        before->bytes.len == 0 || before->size_wrapped ||
        pc_record_is(before->type, PC_HAS_PAYLOAD | PC_HOLDS_RECORDS) ||
        before->offset + before->bytes.len != last->offset || pc_set_find(&s->pieces, &before->offset))
        return;
    size_t at = find_between(s, before->offset, end, 0);
    if (at == 0 || at >= before->bytes.len)
        return;
    s->nr_split = pc_salvage_unpatch(s->split, s->nr_split, last->offset + PC_RECORD_SIZE_AT);
    s->nr_patches = pc_salvage_unpatch(s->patch, s->nr_patches, last->offset + PC_RECORD_SIZE_AT);
    end_earlier(s, before->offset, before->offset + PC_RECORD_SIZE_AT, 2, at, PC_D_RECORD_SWALLOWS);
}

/* Whether a word of the file is read as another one already, or will be from the next pass on. */
static bool is_patched(struct pc_salvage *s, uint64_t word)
{
    return is_read_otherwise(s, word) || pc_salvage_find(&s->words, word);
}

/* How long the AUXTRACE_INFO is with which these bytes begin: so many are a whole one, and fewer are none, as
 * those of CoreSight say. 0: it is another one, or none. */
static size_t info_size(struct pc_salvage *s, struct pc_span bytes)
{
    struct pc_reader *r = &s->content->scan->reader;
    size_t size = pc_record_info(PC_AUXTRACE_INFO)->min;
    if (bytes.len < size || pc_reader_is_known(r, pc_part(bytes, 0, size)))
        return 0;
    while (size + 8 <= bytes.len) {
        size += 8;
        if (pc_reader_is_known(r, pc_part(bytes, 0, size)))
            return size;
    }
    return 0;
}

/* Whether a record, or the end of the file, is at this place of it. */
static bool is_boundary(struct pc_salvage *s, uint64_t at)
{
    struct pc_reader *r = &s->content->scan->reader;
    unsigned char head[PC_RECORD_HEADER_SIZE];
    return at == r->in->size || (pc_reader_look_back(r, at, head, sizeof(head)) == sizeof(head) &&
                                 pc_may_follow(head, r->capture->order));
}

/* All traces need it. When only its size is wrong, it is read with the right one, and so is not lost. */
static bool mend_info(struct pc_salvage *s, uint64_t from, uint64_t to)
{
    const uint64_t n = to - from < PC_RECORD_SIZE_MAX ? to - from : PC_RECORD_SIZE_MAX;
    if (is_patched(s, from + PC_RECORD_SIZE_AT) || !may_search(s, (size_t)n))
        return false;
    unsigned char *bytes = pc_alloc_buffer(&s->mem, n);
    if (!bytes) {
        pc_content_no_memory(s->content);
        return false;
    }
    bool read = pc_reader_look_back(&s->content->scan->reader, from, bytes, (size_t)n) == n;
    size_t size = read ? info_size(s, (struct pc_span){ bytes, (size_t)n }) : 0;
    pc_free(&s->mem, bytes, n);
    return size != 0 && is_boundary(s, from + size) && read_later(s, from + PC_RECORD_SIZE_AT, 2, size);
}

/* Bytes between the last record and this place belong to none: too few for a header, or the first ones look
 * like the header of one that ends here by its content. When bytes were lost, records lead from a place in
 * them, or in the last record, up to here. */
static void split_gap(struct pc_salvage *s, const struct pc_where *where, uint64_t from, uint64_t to,
                      enum pc_diag why)
{
    const struct pc_item *last = &s->last.item;
    const enum pc_order order = s->content->scan->capture.order;
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (!is_in_file(where) || last->where.inside)
        return;
    const bool has_head = to - from >= sizeof(head);
    if (has_head &&
        (pc_reader_look_back(&s->content->scan->reader, from, head, sizeof(head)) != sizeof(head) ||
         !pc_record_info(pc_load_head(head, order).type)))
        return;
    bool doubtful = !s->last_kept || (s->warning && s->warned == last->number);
    bool in_last = doubtful && last->bytes.len != 0 && last->offset + last->bytes.len == from &&
                   !pc_record_is(last->type, PC_HAS_PAYLOAD | PC_HOLDS_RECORDS);
    if (!in_last && !has_head)
        return;
    uint64_t begin = in_last ? last->offset : from;
    size_t most = in_last ? last->bytes.len : PC_RECORD_SIZE_MAX;
    uint32_t type = in_last ? last->type : pc_load_head(head, order).type;
    if (type == PC_HEADER_ATTR || pc_set_find(&s->pieces, &begin))
        return; /* type and size of an attr look like the header of a record */
    if (type == PC_AUXTRACE_INFO && mend_info(s, begin, to))
        return;
    size_t at = find_between(s, begin, to, in_last ? 0 : pc_record_info(type)->min);
    if (at != 0 && at <= most)
        end_earlier(s, begin, begin + PC_RECORD_SIZE_AT, 2, at, why);
}

/* How long the payload of the last record is; *at: the word that says so. The reader has read on since, maybe
 * another such record. */
static uint64_t last_payload(struct pc_salvage *s, uint64_t *at)
{
    struct pc_reader *r = &s->content->scan->reader;
    const struct pc_item *last = &s->last.item;
    unsigned char raw[8];
    const unsigned len = last->type == PC_HEADER_TRACING_DATA ? 4 : sizeof(raw);
    *at = last->offset + PC_RECORD_HEADER_SIZE + pc_row_at(pc_record_info(last->type)->fields, PC_REC_SIZE);
    return pc_reader_look_back(r, *at, raw, len) == len ? pc_load(raw, len, r->capture->order) : 0;
}

/* Bytes were lost in a payload, which so seems to have those of the records after it, up to this place; or
 * only its size is wrong. Trace data show whether they are whole. */
static void split_payload(struct pc_salvage *s, const struct pc_where *where, uint64_t end, enum pc_diag why)
{
    const struct pc_item *last = &s->last.item;
    uint64_t begin = last->offset + last->bytes.len, size_at;
    if (!is_in_file(where) || last->where.inside || !pc_record_is(last->type, PC_HAS_PAYLOAD) ||
        pc_set_find(&s->pieces, &last->offset))
        return;
    const uint64_t size = last_payload(s, &size_at);
    if (is_patched(s, size_at))
        return;
    const bool trace = last->type == PC_HEADER_TRACING_DATA;
    size_t at = find_between(s, begin, end, 0);
    if (trace && (at == 0 || at > size) && end > begin && end - begin <= UINT32_MAX)
        at = (size_t)(end - begin);
    if (trace && at != 0)
        read_later(s, size_at, 4, at);
    else if (at != 0 && at < size)
        end_earlier(s, last->offset, size_at, 8, at, why);
}

/* Whether a record, or the end of the file, is behind so many bytes of trace data, whose size is this word.
 */
static bool trace_leads_on(struct pc_salvage *s, uint64_t word, uint64_t size)
{
    struct pc_reader *r = &s->content->scan->reader;
    const uint64_t record = word - PC_RECORD_HEADER_SIZE;
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (pc_reader_look_back(r, record, head, sizeof(head)) != sizeof(head))
        return false;
    return is_boundary(s, record + pc_load_head(head, r->capture->order).size + size);
}

static bool mend_trace(struct pc_salvage *s, const struct pc_finding *f)
{
    return (f->id == PC_D_RECORD_SWALLOWS || f->id == PC_D_TRACING_DATA_SIZE) && f->length == 4 &&
           f->subject == pc_record_info(PC_HEADER_TRACING_DATA)->name && is_in_file(&f->where) &&
           !is_patched(s, f->offset) && trace_leads_on(s, f->offset, f->expected.n) &&
           read_later(s, f->offset, 4, f->expected.n);
}

/* Later samples need the ids of an EVENT_ID, which was read with the low half of its size: it leads on. */
static bool mend_high(struct pc_salvage *s, const struct pc_finding *f)
{
    if (f->id != PC_D_ANDROID_SIZE || f->subject != pc_record_info(PC_EVENT_ID)->name ||
        !is_in_file(&f->where) || is_patched(s, f->offset))
        return false;
    const struct pc_capture *capture = &s->content->scan->capture;
    const uint64_t next = f->offset - PC_RECORD_MISC_AT + (f->expected.n & PC_RECORD_SIZE_MAX);
    const uint64_t end =
        pc_header_get(capture, PC_HEAD_DATA_OFFSET) + pc_header_get(capture, PC_HEAD_DATA_SIZE);
    return (next == end || is_boundary(s, next)) && read_later(s, f->offset, 2, 0);
}

bool pc_salvage_mend_size(struct pc_salvage *s, const struct pc_finding *f)
{
    return mend_trace(s, f) || mend_high(s, f);
}

/* The same of what seems to be the beginning of a record at the end of the data. */
static void split_tail(struct pc_salvage *s, const struct pc_where *where, uint64_t offset, uint64_t n,
                       enum pc_diag why)
{
    if (!is_in_file(where) || n > PC_RECORD_SIZE_MAX || n < (uint64_t)2 * PC_RECORD_HEADER_SIZE ||
        pc_set_find(&s->pieces, &offset))
        return;
    unsigned char *tail = pc_alloc_buffer(&s->mem, n);
    if (!tail) {
        pc_content_no_memory(s->content);
        return;
    }
    if (pc_reader_look_back(&s->content->scan->reader, offset, tail, (size_t)n) == n) {
        const struct pc_record_info *info =
            pc_record_info(pc_load_head(tail, s->content->scan->capture.order).type);
        if (info)
            split_at(s, offset, (struct pc_span){ tail, (size_t)n }, info->min, why);
    }
    pc_free(&s->mem, tail, n);
}

/* The records that were found inside others count from now on, and so all numbers change. */
void pc_salvage_apply_splits(struct pc_salvage *s)
{
    for (size_t i = 0; i < s->nr_split; i++) {
        if (pc_grow(&s->mem, &s->patch, &s->cap_patches, s->nr_patches + 1, sizeof(*s->patch)))
            s->patch[s->nr_patches++] = s->split[i];
        else
            s->no_memory = true;
    }
    if (s->nr_split == 0 && !s->restart)
        return;
    if (s->nr_split != 0) /* trace data of a pipe may have another size now */
        pc_set_clear(&s->mem, &s->features);
    s->nr_split = 0;
    s->restart = false;
    pc_set_clear(&s->mem, &s->words);
    pc_patches_sort(s->patch, s->nr_patches);
    pc_set_clear(&s->mem, &s->records);
    pc_set_clear(&s->mem, &s->joined);
    pc_set_clear(&s->mem, &s->frames);
    pc_set_clear(&s->mem, &s->bad);
}

/* --- bytes between records --- */

/* Notes such bytes, where the reader skipped them, if they follow each other. */
static void note_gap(struct pc_salvage *s, const struct pc_lost *gap)
{
    const struct pc_skipped *run = &s->content->scan->reader.skipped_run;
    struct pc_lost noted = *gap;
    if (run->size == gap->size && run->before + run->size == s->skipped) {
        noted.where = run->where;
        noted.offset = run->offset;
    }
    pc_losses_add(&s->mem, &s->lost, &noted);
}

/* Bytes between the last record and this item belong to none. They may be damaged from somewhere inside that
 * record on. */
void pc_salvage_gap(struct pc_salvage *s, const struct pc_item *item)
{
    struct pc_scan *scan = s->content->scan;
    const struct pc_where *where = &item->where;
    uint64_t n = scan->reader.skipped - s->skipped;
    s->skipped += n;
    split_before(s, where, item->offset);
    if (n != 0 || (item->kind == PC_ITEM_END && !s->last_kept))
        split_payload(s, where, item->offset, s->damage ? s->damage : PC_D_PAYLOAD_CUT);
    /* It begins inside the last one, or did before that was made to end earlier. */
    bool outer = s->last.item.bytes.len != 0 && !s->last.item.where.inside && !where->inside;
    bool piece = outer && s->last.item.where.stream == where->stream &&
                 (item->offset < s->last.item.offset + s->last.item.bytes.len ||
                  pc_salvage_piece(s, s->last.item.offset));
    bool no_memory = false;
    if ((n != 0 || piece) && item->kind == PC_ITEM_RECORD &&
        pc_whole_is_other(scan, item, n, &s->mem, &no_memory)) {
        pc_salvage_leave_out_record(s, pc_salvage_key(where, item->number),
                                    s->damage ? s->damage : PC_D_RESYNC);
    }
    if (no_memory)
        pc_content_no_memory(s->content);
    if (n == 0)
        return;
    undo_last_split(s);
    if (pc_whole_is_odd(&s->last, scan)) {
        const struct pc_finding odd = { .id = PC_D_ZSTD_DAMAGED, .offset = item->offset };
        pc_salvage_leave_out_content(s, pc_salvage_key(&s->last.item.where, s->last.packed), &odd);
    }
    /* Of another stream: the one before was cut off. */
    bool cut = s->last.item.bytes.len != 0 && s->last.item.where.stream != where->stream;
    const struct pc_lost gap = { .why = s->cut      ? s->cut
                                        : s->damage ? s->damage
                                                    : PC_D_RESYNC,
                                 .place = PC_IN_RECORD,
                                 .where = cut ? s->last.item.where : *where,
                                 .offset = cut                 ? s->last.item.offset + s->last.item.bytes.len
                                           : item->offset >= n ? item->offset - n
                                                               : 0,
                                 .size = n };
    note_gap(s, &gap);
    s->cut = PC_NO_DIAG;
    if (cut)
        return;
    if (item->kind == PC_ITEM_END)
        split_tail(s, where, gap.offset, n, gap.why);
    else
        split_gap(s, where, gap.offset, item->offset, gap.why);
    bool whole = s->last.item.bytes.len == 0 || pc_whole_before(&s->last, scan, item, &s->mem, &no_memory);
    if (no_memory)
        pc_content_no_memory(s->content);
    if (whole)
        return;
    s->again |=
        pc_salvage_leave_out_record(s, pc_salvage_key(&s->last.item.where, s->last.item.number), gap.why);
}
