/* SPDX-License-Identifier: MIT */
#include "read/parts.h"
#include "read/reader.h"

#include <stdio.h>
#include <stdlib.h>

void pc_reader_add_range(struct pc_reader *r, enum pc_range_kind kind, uint64_t number, uint64_t start,
                         uint64_t end)
{
    if (start >= end)
        return;
    if (!pc_grow(r->mem, &r->file.range, &r->file.cap_ranges, r->file.nr_ranges + 1,
                 sizeof(*r->file.range))) {
        pc_reader_say_out_of_memory(r, "sections were compared");
        return;
    }
    r->file.range[r->file.nr_ranges++] = (struct pc_range){ start, end, kind, number };
}

/* --- sections against each other --- */

/* NULL: a feature without a name. */
static const char *range_name(const struct pc_range *range)
{
    static const char *const names[] = { "header", "attrs", "ids", "event_types", "data", "table" };
    if (range->kind != PC_RANGE_FEATURE)
        return names[range->kind];
    const struct pc_feature_info *info = pc_feature_info(range->number);
    return info ? info->name : NULL;
}

static struct pc_value feature_words(const struct pc_range *range, const char *before)
{
    char number[PC_NUMBER_NAME], words[PC_VALUE_MAX];
    int n = snprintf(words, sizeof(words), "%s%s", before, pc_feature_name(range->number, number));
    return pc_bytes_value(
        (struct pc_span){ (const unsigned char *)words, n < PC_VALUE_MAX ? (size_t)n : PC_VALUE_MAX - 1 });
}

/* What a message calls the section; the subject of the message is named in front of it. */
static struct pc_value range_words(const struct pc_range *range, bool is_subject)
{
    static const char *const words[] = {
        [PC_RANGE_HEADER] = "the header",      [PC_RANGE_ATTRS] = "the attr section",
        [PC_RANGE_IDS] = "the section of ids", [PC_RANGE_TYPES] = "the section of event types",
        [PC_RANGE_DATA] = "the data section",  [PC_RANGE_TABLE] = "the feature table",
        [PC_RANGE_FEATURE] = "the section",
    };
    if (is_subject || range->kind != PC_RANGE_FEATURE)
        return pc_text_value(words[range->kind]);
    return feature_words(range, "feature ");
}

/* Findings at this place are about the range. */
static struct pc_context range_context(const struct pc_range *range, uint64_t offset)
{
    if (range->kind == PC_RANGE_FEATURE)
        return pc_feature_context(range->number, (struct pc_where){ 0 }, offset);
    return (struct pc_context){ .place = range->kind == PC_RANGE_IDS ? PC_IN_ATTR : PC_IN_HEADER,
                                .number = range->number,
                                .offset = offset };
}

/* A feature is read from any bytes of the file, and all others still are what they are. */
static bool may_share(const struct pc_range *feature, const struct pc_range *other)
{
    return feature->kind == PC_RANGE_FEATURE &&
           (other->kind == PC_RANGE_FEATURE || other->kind == PC_RANGE_TABLE ||
            other->kind == PC_RANGE_HEADER);
}

static enum pc_diag overlap_diag(const struct pc_range *a, const struct pc_range *b)
{
    bool attrs = a->kind == PC_RANGE_ATTRS || b->kind == PC_RANGE_ATTRS;
    bool data = a->kind == PC_RANGE_DATA || b->kind == PC_RANGE_DATA;
    if (attrs && data)
        return PC_D_ATTRS_OVERLAP_DATA;
    if (a->kind == PC_RANGE_IDS && b->kind == PC_RANGE_IDS)
        return PC_D_IDS_SHARED;
    if (may_share(a, b) || may_share(b, a))
        return PC_D_FEATURE_OVERLAP;
    return PC_D_SECTIONS_OVERLAP;
}

/* Defect D2 of FORMAT.md 12.5. */
static bool is_lost_build_id(const struct pc_range *a, const struct pc_range *b)
{
    return a->kind == PC_RANGE_FEATURE && a->number == PC_BUILD_ID &&
           (b->kind == PC_RANGE_IDS || b->kind == PC_RANGE_ATTRS);
}

/* A feature that shares bytes is what the finding is about, else the section that begins later. */
static void say_overlap(struct pc_reader *r, const struct pc_range *earlier, const struct pc_range *later)
{
    const uint64_t from = later->start, end = earlier->end < later->end ? earlier->end : later->end;
    const enum pc_diag id = overlap_diag(earlier, later);
    if (id == PC_D_FEATURE_OVERLAP && later->kind != PC_RANGE_FEATURE) {
        const struct pc_range *feature = earlier;
        earlier = later;
        later = feature;
    }
    if (id == PC_D_FEATURE_OVERLAP && earlier->kind != PC_RANGE_FEATURE && r->capture->by_simpleperf)
        return; /* its table entry has an error: check_features */
    struct pc_context about = range_context(later, from);
    about.name = range_name(later);
    struct pc_finding f = pc_finding_in(&about, id, 0, end - from);
    f.expected = f.id == PC_D_IDS_SHARED             ? pc_uint_value(earlier->number)
                 : earlier->kind == PC_RANGE_FEATURE ? feature_words(earlier, "")
                                                     : pc_text_value(range_name(earlier));
    static const char *const lost_build_id[] = {
        [PC_RANGE_IDS] = "the section of ids (known defect of perf inject -b from a pipe to a file)",
        [PC_RANGE_ATTRS] = "the attr section (known defect of perf inject -b from a pipe to a file)",
        [PC_RANGE_FEATURE] = "feature BUILD_ID (known defect of perf inject -b from a pipe to a file)",
    };
    if (f.id == PC_D_SECTIONS_OVERLAP) {
        f.seen = range_words(later, true);
        f.expected = range_words(earlier, false);
    }
    if (is_lost_build_id(earlier, later) || is_lost_build_id(later, earlier))
        f.expected = pc_text_value(lost_build_id[earlier->kind]);
    pc_report_add(r->report, &f);
}

/* Whether another capture begins behind all sections. */
static bool says_second(struct pc_reader *r, uint64_t from)
{
    unsigned char head[PC_PIPE_HEADER_SIZE];
    if (pc_reader_look(r, from, head, sizeof(head)) != sizeof(head) || !pc_begins_capture(head))
        return false;
    pc_reader_say(r, PC_D_SECOND_CAPTURE, PC_AT_END, from, r->in->size - from, pc_uint_value(from),
                  pc_uint_value(from + 1));
    return true;
}

/* Bytes from..to belong to no section. */
static void check_gap(struct pc_reader *r, uint64_t from, uint64_t to, const struct pc_range *before,
                      const struct pc_range *next)
{
    const struct pc_value size = pc_uint_value(to - from);
    if (!next) {
        pc_reader_say(r, PC_D_TRAILING_BYTES, PC_IN_HEADER, from, to - from, size, pc_none);
        return;
    }
    struct pc_context about = range_context(next, from);
    about.name = range_name(next);
    enum pc_diag id = PC_D_GAP;
    if (next->kind == PC_RANGE_FEATURE) {
        /* Slots of features that could not be written stay unused: FORMAT.md 1.5. */
        if (before->kind == PC_RANGE_TABLE && (to - from) % PC_SECTION_SIZE == 0 &&
            to - from <= (uint64_t)PC_FEATURES * PC_SECTION_SIZE) {
            r->file.unused_at = from;
            r->file.unused = to - from;
            return;
        }
        pc_report_say(r->report, &about, PC_D_FEATURE_GAP, 0, to - from, size, pc_none);
        return;
    }
    /* The window is not in use yet. */
    uint64_t n, most = r->outer.room < PC_FILL ? r->outer.room : PC_FILL;
    for (uint64_t at = pc_input_pass_hole(r->in, from); at < to; at = pc_input_pass_hole(r->in, at + n)) {
        n = to - at < most ? to - at : most;
        if (pc_input_read_at(r->in, at, r->outer.bytes, (size_t)n) != n) {
            pc_reader_say_short_read(r, at);
            return;
        }
        if (pc_first_nonzero((struct pc_span){ r->outer.bytes, (size_t)n }) != n) {
            id = PC_D_GAP_NOT_ZERO;
            break;
        }
    }
    pc_report_say(r->report, &about, id, 0, to - from, size, pc_none);
}

static int compare_ranges(const void *a, const void *b)
{
    const struct pc_range *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Sections should follow each other as their bits do, but for simpleperf. Those of one feature that lie in
 * front of an earlier one are reported; ranges are in order of their start. */
static void check_feature_order(struct pc_reader *r)
{
    const struct pc_range *least = NULL;
    if (r->capture->by_simpleperf)
        return;
    for (size_t i = r->file.nr_ranges; i > 0; i--) {
        const struct pc_range *range = &r->file.range[i - 1];
        if (range->kind != PC_RANGE_FEATURE)
            continue;
        if (least && range->number > least->number && range->end <= least->start &&
            range->start >= r->outer.end) {
            uint64_t slot = 0;
            for (uint64_t bit = 0; bit < range->number; bit++)
                slot += pc_bit(r->capture->features, bit);
            const struct pc_context entry = range_context(range, r->outer.end + slot * PC_SECTION_SIZE);
            pc_report_say(r->report, &entry, PC_D_FEATURE_ORDER, 0, PC_SECTION_SIZE,
                          pc_hex_value(range->start), pc_hex_value(least->end));
        }
        if (!least || range->number < least->number)
            least = range;
    }
}

void pc_reader_check_ranges(struct pc_reader *r)
{
    /* Without the attrs and the places of their ids, and without the end of the data, it is not known what
     * belongs to no section. A salvage lists all that it does not read. */
    bool gaps = r->salvages || (!r->capture->attrs_damaged && !r->capture->ids_missing);

    if (r->file.nr_ranges == 0)
        return;
    qsort(r->file.range, r->file.nr_ranges, sizeof(*r->file.range), compare_ranges);
    check_feature_order(r);
    const struct pc_range *furthest = &r->file.range[0];
    for (size_t i = 1; i < r->file.nr_ranges; i++) {
        const struct pc_range *range = &r->file.range[i];
        if (range->start < furthest->end)
            say_overlap(r, furthest, range);
        else if (gaps && range->start > furthest->end)
            check_gap(r, furthest->end, range->start, furthest, range);
        if (range->end > furthest->end)
            furthest = range;
    }
    if (furthest->end < r->in->size && !says_second(r, furthest->end) && gaps && !r->outer.cut &&
        !r->file.lost)
        check_gap(r, furthest->end, r->in->size, furthest, NULL);
}
