/* SPDX-License-Identifier: MIT
 *
 * Causes that change a part of a capture: a block without content, or records that do not follow each other.
 */
#include "check/cause.h"

#include <string.h>

#define CHUNK 8192
#define BLOCK 512

/* Blocks are looked for around the first so many errors, so far. */
#define PLACES_MAX 8
#define BLOCK_MAX  ((uint64_t)128 << 10)

/* The part of a block at the end of a file, when it is this long. */
#define TAIL 128

/* What disks and flash memory hold where nothing was written. */
static const unsigned char fills[] = { 0, 0xff };

static struct pc_finding finding(enum pc_diag id, uint64_t offset, uint64_t length)
{
    const struct pc_context capture = { .place = PC_AT_END, .offset = offset };
    struct pc_finding f = pc_finding_in(&capture, id, 0, length);
    f.seen = pc_uint_value(length);
    f.expected = pc_none;
    return f;
}

/* --- blocks --- */

/* Where the bytes of this value before an offset begin, and where those from it on end, as far as they are
 * looked at. */
static uint64_t fill_before(struct pc_scan *scan, uint64_t offset, unsigned char fill)
{
    unsigned char chunk[CHUNK];
    uint64_t least = offset < BLOCK_MAX ? 0 : offset - BLOCK_MAX;
    while (offset > least) {
        size_t n = offset < CHUNK ? (size_t)offset : CHUNK, at = n;
        if (pc_reader_look(&scan->reader, offset - n, chunk, n) != n)
            break;
        while (at > 0 && chunk[at - 1] == fill)
            at--;
        offset -= n - at;
        if (at > 0)
            break;
    }
    return offset;
}

static uint64_t fill_after(struct pc_scan *scan, uint64_t offset, unsigned char fill)
{
    unsigned char chunk[CHUNK];
    uint64_t most = pc_add_saturated(offset, BLOCK_MAX);
    while (offset < most) {
        size_t got = pc_reader_look(&scan->reader, offset, chunk, CHUNK), at = 0;
        while (at < got && chunk[at] == fill)
            at++;
        offset += at;
        if (at < CHUNK)
            break;
    }
    return offset;
}

/* The first block of this value in a compressed record, where zstd leaves none; `offset` when there is none.
 */
static uint64_t block_in(struct pc_scan *scan, uint64_t offset, unsigned char fill)
{
    unsigned char block[BLOCK];
    uint64_t end = pc_add_saturated(offset, PC_RECORD_SIZE_MAX);
    for (uint64_t at = offset / BLOCK * BLOCK + BLOCK; at < end; at += BLOCK) {
        size_t same = 0;
        if (pc_reader_look(&scan->reader, at, block, BLOCK) != BLOCK)
            break;
        while (same < BLOCK && block[same] == fill)
            same++;
        if (same == BLOCK)
            return at;
    }
    return offset;
}

/* A section of the file, which may be lost as a whole. */
struct section {
    uint64_t offset, size;
};

/* Where attrs, and where the feature table. */
static struct section section_of(const struct pc_scan *scan, unsigned offset_slot)
{
    const struct pc_capture *capture = &scan->capture;
    if (capture->is_pipe || scan->report.early_stream != 0)
        return (struct section){ UINT64_MAX, 0 };
    return (struct section){ pc_header_get(capture, offset_slot), pc_header_get(capture, offset_slot + 1) };
}

/* Whether the offset of an error is that of the compressed record that it is in. */
static bool is_in_compressed(const struct pc_early *e)
{
    return e->inside || e->id == PC_D_ZSTD_DAMAGED;
}

static void say_block(struct pc_scan *scan, struct pc_cause *cause, struct section block, unsigned char fill)
{
    struct section data = section_of(scan, PC_HEAD_DATA_OFFSET);
    const struct pc_report *report = &scan->report;
    for (size_t i = 0; i < report->nr_early; i++) { /* a compressed record that it may lie in */
        uint64_t at = report->early[i].offset, from = cause->reach.from;
        if (is_in_compressed(&report->early[i]) && at < from && from - at < PC_RECORD_SIZE_MAX)
            cause->reach.from = at;
    }
    cause->finding = finding(PC_D_ZEROED, block.offset, block.size);
    cause->finding.expected = pc_text_value(fill == 0 ? "zero" : "0xff");
    cause->reach.features = pc_add_saturated(data.offset, data.size) < block.offset + block.size;
}

/* Where the feature table should be. */
static struct section table_of(const struct pc_scan *scan)
{
    struct section data = section_of(scan, PC_HEAD_DATA_OFFSET);
    uint64_t size = pc_count_features(scan->capture.features) * PC_SECTION_SIZE;
    return (struct section){ pc_add_saturated(data.offset, data.size), size };
}

static bool is_covered(struct section s, uint64_t from, uint64_t to)
{
    return s.size != 0 && from <= s.offset && to >= s.offset && to - s.offset >= s.size;
}

/* The whole blocks from one offset up to another; at the end of the file, the part of the last one too, or as
 * many bytes as a block. After records, fewer are enough: none ends with so many. */
static struct section blocks_in(const struct pc_scan *scan, uint64_t from, uint64_t to)
{
    uint64_t first = (from + BLOCK - 1) / BLOCK * BLOCK, last = to / BLOCK * BLOCK;
    const struct pc_input *in = scan->reader.in;
    bool at_end = to == (in->kind == PC_INPUT_FILE ? in->size : in->pos);
    bool in_stream = scan->capture.is_pipe || scan->report.early_stream != 0;
    if (at_end && first < to && to - first >= TAIL)
        last = to;
    else if (at_end && first >= last && to - from >= (in_stream ? TAIL : BLOCK))
        return (struct section){ from, to - from };
    return (struct section){ first, last > first ? last - first : 0 };
}

/* Whether bytes of one value cover a block of a disk or more, all attrs or the feature table; the finding
 * about them. */
static bool is_block(struct pc_scan *scan, struct pc_cause *cause, uint64_t from, uint64_t to,
                     unsigned char fill)
{
    const struct section sections[] = { section_of(scan, PC_HEAD_ATTRS_OFFSET), table_of(scan) };
    if (from > UINT64_MAX - BLOCK)
        return false;
    struct section block = blocks_in(scan, from, to);
    for (size_t i = 0; i < PC_COUNT_OF(sections) && block.size == 0; i++) {
        if (is_covered(sections[i], from, to))
            block = sections[i];
    }
    cause->reach.from = from;
    if (block.size != 0)
        say_block(scan, cause, block, fill);
    return block.size != 0;
}

/* Whether there is a block around a place, or in the compressed record there. */
static bool is_block_at(struct pc_scan *scan, struct pc_cause *cause, uint64_t place, bool compressed)
{
    for (size_t i = 0; i < sizeof(fills); i++) {
        uint64_t at = compressed ? block_in(scan, place, fills[i]) : place;
        uint64_t end = fill_after(scan, at, fills[i]);
        if (end != at && is_block(scan, cause, fill_before(scan, at, fills[i]), end, fills[i]))
            return true;
    }
    return false;
}

/* Whether an attr is zero from its sample_type on, so that records are read without what they have. */
static bool is_zero_attr(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_capture *capture = &scan->capture;
    const uint64_t at = pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE);
    if (scan->report.early[0].place != PC_IN_RECORD || scan->check.flow.sum.by_type[PC_SAMPLE] == 0)
        return false;
    for (size_t i = 0; i < capture->nr_attrs && i < PLACES_MAX; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        const uint64_t from = attr->offset + at, end = attr->offset + pc_attr_get(attr, PC_ATTR_SIZE);
        if (pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) != 0 || pc_attr_get(attr, PC_ATTR_FLAGS) != 0 ||
            end <= from || fill_after(scan, from, 0) < end)
            continue;
        cause->reach.from = from;
        say_block(scan, cause, (struct section){ from, end - from }, 0);
        return true;
    }
    return false;
}

bool pc_cause_in_block(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_damage *damage = &scan->reader.damage;
    const struct pc_report *report = &scan->report;
    struct section attrs = section_of(scan, PC_HEAD_ATTRS_OFFSET);
    struct section data = section_of(scan, PC_HEAD_DATA_OFFSET);
    bool is_damage = damage->any && damage->stream == report->early_stream;
    if (is_damage && is_block(scan, cause, damage->zeros, fill_after(scan, damage->zeros_end, 0), 0)) {
        if (!cause->reach.features)
            cause->reach.to = damage->end != 0 ? damage->end + 1 : UINT64_MAX;
        return true;
    }
    if (scan->capture.is_pipe)
        return false;
    if (attrs.size != 0 && (is_block_at(scan, cause, attrs.offset, false) || is_zero_attr(scan, cause)))
        return true;
    for (size_t i = 0; i < report->nr_early && i < PLACES_MAX; i++) {
        const struct pc_early *e = &report->early[i];
        uint64_t table = pc_add_saturated(data.offset, data.size);
        bool in_table = e->place == PC_IN_FEATURE && is_block_at(scan, cause, table, false);
        if (in_table || is_block_at(scan, cause, e->offset, is_in_compressed(e)))
            return true;
    }
    return false;
}

/* --- records --- */

/* Whether too few bytes are there for any record of the type. */
static bool is_too_short(const struct pc_damage *d)
{
    const struct pc_record_info *info = pc_record_info(d->head.type);
    return d->end != 0 && info && d->end - d->offset < info->min;
}

/* Whether the type or the size of one record is all that is wrong: the rest of its header is sound, or its
 * size leads to where records follow each other again. */
static bool is_header(const struct pc_damage *d)
{
    const struct pc_record_info *info = pc_record_info(d->head.type);
    if (is_too_short(d))
        return false;
    return d->end - d->offset == d->head.size || (info && (d->head.misc & ~(unsigned)info->misc) == 0);
}

/* Messages were written among the records, or into one, which is longer by them. */
static bool is_text(const struct pc_damage *d, struct pc_cause *cause)
{
    const uint64_t slack = 8; /* bytes next to the text that are characters by chance */
    uint64_t length = d->text_end - d->text, gap = d->end - d->offset;
    bool here = d->text <= d->offset && d->text_end > d->offset;
    bool inside = d->text_end <= d->offset && d->end != 0 && length >= gap && length - gap <= slack;
    if (length == 0 || (!here && !inside))
        return false;
    if (d->end == 0)
        gap = d->text_end - d->offset;
    cause->finding = finding(PC_D_TEXT_IN_RECORDS, d->text, gap);
    cause->finding.expected =
        pc_bytes_value((struct pc_span){ d->line, strnlen((const char *)d->line, PC_VALUE_MAX) });
    return true;
}

/* A member of a directory has no header that says how long it is: it ends with its last record. */
static bool is_cut_member(const struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_damage *d = &scan->reader.damage;
    uint64_t size = scan->reader.in->size;
    bool cut = d->id == PC_D_DATA_LEFTOVER || (d->id == PC_D_RECORD_CROSSES_END && is_header(d));
    if (d->stream == 0 || d->end != 0 || d->swallowed != 0 || !cut ||
        scan->report.early[0].offset < d->offset || size <= d->offset)
        return false;
    cause->finding = finding(PC_D_CUT_MEMBER, d->offset, size - d->offset);
    return true;
}

/* The next record begins off the grid of 8 bytes: a few bytes before it, or of the last record, came or went.
 * Of a piece that ends in a later record, what the last one lacks is only a part.
 * When that record may be off the grid, only its size is wrong. */
static bool is_shifted(const struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_damage *d = &scan->reader.damage;
    uint64_t gap = d->end - d->offset;
    bool lost = d->end == 0 && !d->off_grid && d->swallowed % 8 != 0 && (d->offset - d->before) % 8 == 0 &&
                scan->report.early[0].offset >= d->before;
    bool added = d->end != 0 && gap < 8;
    if (lost)
        cause->finding = finding(PC_D_BYTES_LOST_LEAST, d->before, 0);
    else if (added)
        cause->finding = finding(PC_D_BYTES_ADDED, d->offset, 0);
    cause->finding.seen = pc_uint_value(lost ? d->swallowed : gap);
    return lost || added;
}

/* Bytes between two records, which are not one whose content shows that it ends there. */
static bool is_gap(const struct pc_damage *d, struct pc_cause *cause)
{
    bool swallows = d->id == PC_D_RECORD_SWALLOWS && !is_too_short(d);
    if (d->end == 0 || d->mended || swallows || ((d->end - d->offset) % 8 == 0 && is_header(d)))
        return false;
    cause->finding = finding(PC_D_RECORDS_BROKEN, d->offset, d->end - d->offset);
    cause->finding.expected = pc_hex_value(d->end);
    return true;
}

bool pc_cause_in_records(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_damage *d = &scan->reader.damage;
    if (!d->any || d->stream != scan->report.early_stream)
        return false;
    cause->reach.from = d->before;
    if (d->end != 0)
        cause->reach.to = d->end + 1;
    else if (d->swallowed != 0)
        cause->reach.to = d->offset;
    return is_text(d, cause) || is_cut_member(scan, cause) || is_shifted(scan, cause) || is_gap(d, cause);
}
