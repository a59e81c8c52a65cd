/* SPDX-License-Identifier: MIT */
#include "write/salvage_parts.h"
#include "bytes/cursor.h"

/* Whether the copy lacks this attr of the capture. */
static bool lacks_attr(struct pc_salvage *s, uint64_t number)
{
    const struct left_out *entry = pc_salvage_find(&s->attrs, number), *first = s->attrs.entry;
    return entry && (size_t)(entry - first) < s->attrs_before;
}

/* An attr of the copy is left out of the next one; its number in the capture counts those left out before. */
static void leave_out_attr_of_copy(struct pc_salvage *s, uint64_t index, const struct pc_finding *f)
{
    uint64_t number = 0;
    for (uint64_t before = 0; lacks_attr(s, number) || before < index; number++)
        before += !lacks_attr(s, number);
    s->again |= pc_salvage_leave_out(s, &s->attrs, number, f);
}

/* How a record that holds what looks like records is read depends on its neighbours, and the copy has others.
 * A copy that is misread is read once more, by the sizes of its records. If it is what was written, the
 * records that were misread are left out of the next one. */

/* What the copy has from here on may have been read otherwise than it was written. */
static bool is_misread(const struct pc_salvage *s, const struct pc_finding *f)
{
    return !s->literal &&
           (s->nr_misread != 0 || f->id == PC_D_RECORD_SWALLOWS || s->content->scan->reader.skipped != 0);
}

static void note_misread(struct pc_salvage *s, const struct pc_finding *f)
{
    if (!pc_grow(&s->mem, &s->misread, &s->cap_misread, s->nr_misread + 1, sizeof(*s->misread))) {
        pc_content_no_memory(s->content);
        return;
    }
    s->misread[s->nr_misread++] =
        (struct pc_misread){ .outer = f->where.inside ? f->where.wrapper_offset : f->offset,
                             .inner = f->where.inside ? f->offset : 0,
                             .why = f->id };
}

/* Whether a place comes before this one. */
static bool is_before(const struct pc_misread *place, uint64_t outer, uint64_t inner)
{
    return place->outer != outer ? place->outer < outer : place->inner < inner;
}

/* The copy is read by its sizes: a record that was misread has an error. */
static void judge_literal(struct pc_salvage *s, const struct pc_item *item)
{
    const struct pc_where *where = &item->where;
    const uint64_t end = item->offset + item->bytes.len;
    enum pc_diag why = PC_NO_DIAG;
    if (pc_record_is(item->type, PC_HOLDS_RECORDS))
        return;
    while (s->at_misread < s->nr_misread &&
           is_before(&s->misread[s->at_misread], where->inside ? where->wrapper_offset : end,
                     where->inside ? end : 0)) {
        why = why ? why : s->misread[s->at_misread].why;
        s->at_misread++;
    }
    const struct pc_context record = {
        .place = PC_IN_RECORD, .number = item->number, .where = *where, .offset = item->offset
    };
    if (why)
        pc_report_say(&s->content->scan->report, &record, why, 0, item->bytes.len, pc_none, pc_none);
}

bool pc_salvage_begin_literal(struct pc_salvage *s)
{
    if (s->literal || s->nr_misread == 0)
        return false;
    s->literal = true;
    s->hopeless = false;
    return true;
}

void pc_salvage_take_error_of_copy(struct pc_salvage *s, const struct pc_finding *f)
{
    s->copy_error = s->copy_is_bad && s->copy_error ? s->copy_error : f->id;
    s->copy_is_bad = true;
    if (is_misread(s, f)) {
        note_misread(s, f);
        return;
    }
    switch (f->place) {
    case PC_IN_HEADER:
    case PC_AT_END:
        if (f->id == PC_D_ANDROID_SPLIT_OPEN && s->run.open) { /* after damage the end may be missing */
            s->again |= pc_salvage_leave_out(s, &s->joined, pc_salvage_key(&s->run.where, s->run.number), f);
            break;
        }
        s->hopeless = true;
        pc_salvage_keep_finding(s, f);
        break;
    case PC_IN_ATTR:
        if (f->id == PC_D_TRACEPOINT_WITHOUT_DATA && !s->not_android)
            s->not_android = s->again = true;
        else
            leave_out_attr_of_copy(s, f->number, f);
        break;
    case PC_IN_FEATURE:
        s->again |= pc_salvage_leave_out(s, &s->features, f->number, f);
        break;
    case PC_IN_RECORD:
        pc_salvage_leave_out(s, &s->suspects, pc_finding_blames(f), f);
        break;
    }
}

/* What a record of the copy that is no content was made of. */
static struct pc_salvage_header made_of(struct pc_salvage *s, const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, s->content->scan->capture.order);
    struct pc_salvage_header header = { .number = item->number, .place = PC_IN_RECORD };
    switch (item->type) {
    case PC_HEADER_ATTR:
        header.place = PC_IN_ATTR;
        header.index = s->attrs_of_copy++;
        break;
    case PC_HEADER_FEATURE:
        header.place = pc_uint(&in, 8, &header.index) ? PC_IN_FEATURE : PC_IN_RECORD;
        break;
    case PC_HEADER_BUILD_ID:
    case PC_HEADER_TRACING_DATA:
        header.place = PC_IN_FEATURE;
        header.index = item->type == PC_HEADER_BUILD_ID ? PC_BUILD_ID : PC_TRACING_DATA;
        break;
    default:
        break;
    }
    return header;
}

void pc_salvage_count_record_of_copy(struct pc_salvage *s, const struct pc_item *item)
{
    if (s->literal)
        judge_literal(s, item);
    s->without_attr += pc_is_kernel_type(item->type) && s->content->scan->capture.nr_attrs == 0;
    if (pc_salvage_is_content(s, item))
        return;
    if (pc_grow(&s->mem, &s->container, &s->cap_container, s->nr_container + 1, sizeof(*s->container)))
        s->container[s->nr_container++] = made_of(s, item);
    else
        pc_content_no_memory(s->content);
}

/* How many records of the copy before this one are no content. */
static size_t container_before(const struct pc_salvage *s, uint64_t number)
{
    return pc_lower_bound(s->container, s->nr_container, sizeof(*s->container),
                          offsetof(struct pc_salvage_header, number), number);
}

/* A header record of the copy has an error. */
static void leave_out_header(struct pc_salvage *s, const struct pc_salvage_header *header,
                             const struct pc_finding *f)
{
    if (header->place == PC_IN_ATTR)
        leave_out_attr_of_copy(s, header->index, f);
    else if (header->place == PC_IN_FEATURE)
        s->again |= pc_salvage_leave_out(s, &s->features, header->index, f);
    else
        s->hopeless = true;
}

/* The header record of the copy with this number; NULL: it is content. */
static const struct pc_salvage_header *header_of(const struct pc_salvage *s, uint64_t number, size_t before)
{
    bool here = before < s->nr_container && s->container[before].number == number;
    return here ? &s->container[before] : NULL;
}

bool pc_salvage_is_lossless(const struct pc_salvage *s)
{
    return s->lost.nr == 0 && s->lost.more == 0;
}

bool pc_salvage_end_copy(struct pc_salvage *s)
{
    const struct left_out *suspect = s->suspects.entry;
    for (size_t i = 0; i < s->suspects.nr; i++) {
        const struct pc_finding f = { .id = (enum pc_diag)suspect[i].why };
        const struct pc_salvage_header *header =
            header_of(s, suspect[i].number, container_before(s, suspect[i].number));
        if (header)
            leave_out_header(s, header, &f);
    }
    for (size_t i = 0; i < s->suspects.nr && s->attrs.nr == s->attrs_before; i++) {
        /* Of other attrs their records go, and places change. */
        const struct pc_finding f = { .id = (enum pc_diag)suspect[i].why };
        size_t before = container_before(s, suspect[i].number);
        if (!header_of(s, suspect[i].number, before))
            s->again |= pc_salvage_leave_out(s, &s->bad, suspect[i].number - before, &f);
    }
    s->hopeless |= s->copy_is_bad && !s->again;
    s->hopeless |= s->without_attr > pc_salvage_passes_left(s); /* each finds the first of these */
    return !s->copy_is_bad && !s->again && !s->hopeless;
}
