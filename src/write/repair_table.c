/* SPDX-License-Identifier: MIT */
#include "write/repair_parts.h"
#include "bytes/cursor.h"

#include <string.h>

/* nr entries at a place of the file, of which so many end where the next begins. */
struct table {
    uint64_t at, nr, links;
    bool follow;         /* the sections follow each other, in any order: */
    uint64_t first, end; /* where the first one begins and the last one ends */
    uint64_t moved;      /* what is to be added to the offsets, modulo 2^64 */
    uint64_t offset[PC_FEATURE_BITS], size[PC_FEATURE_BITS];
};

/* Whether sections may belong to a table here. To put them in order costs more. */
static bool may_belong(const struct repair *r, const struct table *t)
{
    const uint64_t len = t->nr * PC_SECTION_SIZE, behind = t->at + len;
    const uint64_t was = r->slot[PC_HEAD_DATA_OFFSET] + r->slot[PC_HEAD_DATA_SIZE] + len;
    return t->first - behind <= PC_TABLE_GAP_MAX || t->first - was <= PC_TABLE_GAP_MAX ||
           r->in->size - (t->end - t->first) - behind <= PC_TABLE_GAP_MAX;
}

static void load_table(const struct repair *r, const unsigned char *raw, struct table *t)
{
    uint64_t sum = 0;
    t->first = UINT64_MAX;
    t->end = 0;
    for (uint64_t i = 0; i < t->nr; i++) {
        t->offset[i] = pc_load(raw + PC_SECTION_SIZE * i, 8, r->order);
        t->size[i] = pc_load(raw + PC_SECTION_SIZE * i + 8, 8, r->order);
        t->first = t->offset[i] < t->first ? t->offset[i] : t->first;
        t->end = t->offset[i] + t->size[i] > t->end ? t->offset[i] + t->size[i] : t->end;
        sum += t->size[i];
    }
    t->follow = sum == t->end - t->first && may_belong(r, t) &&
                pc_sections_follow(raw, t->nr, r->order, &t->first, &t->end);
    t->links = 0;
    for (uint64_t i = 0; i + 1 < t->nr; i++)
        t->links += t->offset[i] + t->size[i] == t->offset[i + 1] && t->offset[i + 1] >= t->offset[i];
}

/* Whether all sections follow each other behind the table, as they do when they are moved. */
static bool is_table(const struct repair *r, const struct table *t)
{
    uint64_t first = t->first + t->moved - t->at - t->nr * PC_SECTION_SIZE;
    uint64_t end = t->end + t->moved;
    return t->follow && first <= PC_TABLE_GAP_MAX && end > t->at && end <= r->in->size;
}

/* Whether nothing is between two places but room for more entries: zeros, behind the one without a feature
 * that perf 5.10 leaves, whose section is empty and behind all others. */
static bool is_room(struct repair *r, const struct table *t, uint64_t from, uint64_t to)
{
    unsigned char raw[PC_TABLE_GAP_MAX];
    const size_t n = (size_t)(to - from);
    if (pc_input_read_at(r->in, from, raw, n) != n)
        return false;
    const bool is_empty = n >= PC_SECTION_SIZE && pc_load(raw, 8, r->order) == t->end;
    const size_t begin = is_empty ? 8 : 0; /* the size of it is 0 */
    return pc_first_nonzero((struct pc_span){ raw + begin, n - begin }) == n - begin;
}

/* The same, and nothing is between the table and the first section but room for more entries. */
static bool is_next_to_table(struct repair *r, const struct table *t)
{
    const uint64_t behind = t->at + t->nr * PC_SECTION_SIZE;
    return is_table(r, t) && is_room(r, t, behind, t->first + t->moved);
}

/* The same, when the table is not where the header says. The header is wrong; or so many bytes were lost or
 * inserted before the table, and the sections moved with it, up to the end of the file; or both. */
static bool is_moved_table(struct repair *r, struct table *t)
{
    t->moved = t->at - r->slot[PC_HEAD_DATA_OFFSET] - r->slot[PC_HEAD_DATA_SIZE];
    /* perf 5.10 leaves an entry without a feature behind the others. */
    if (t->nr >= PC_TABLE_FEW && t->follow && t->end + t->moved > t->at &&
        pc_may_be_sections(r->s->named, t->at, t->nr, t->first + t->moved, t->end + t->moved, r->in->size))
        return true;
    t->moved = r->in->size - t->end; /* and the header is wrong, too */
    if (t->nr >= PC_TABLE_FEW && is_next_to_table(r, t))
        return true;
    t->moved = 0;
    return is_next_to_table(r, t) && (t->end == r->in->size || t->links + 1 == t->nr);
}

static bool read_table(struct repair *r, uint64_t at, uint64_t nr, struct table *t)
{
    unsigned char raw[PC_TABLE_MAX];
    *t = (struct table){ .at = at, .nr = nr };
    if (nr == 0 || pc_input_read_at(r->in, at, raw, (size_t)nr * PC_SECTION_SIZE) != nr * PC_SECTION_SIZE)
        return false;
    load_table(r, raw, t);
    return true;
}

#define STEP_MAX 64 /* of a record with a payload, the words before it */

/* What a record takes in the data, its payload included, of which these are the first bytes. 0: it is none.
 */
static uint64_t step_in(const struct repair *r, const unsigned char *raw, size_t have)
{
    if (have < PC_RECORD_HEADER_SIZE)
        return 0;
    struct pc_record_head head = pc_load_head(raw, r->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    if (!info || head.size < info->min || (head.misc & ~(unsigned)info->misc) != 0)
        return 0;
    if (!(info->flags & PC_HAS_PAYLOAD))
        return head.size;
    const struct pc_span record = { raw, head.size < have ? head.size : have };
    struct pc_walk walk;
    return pc_read_table(&walk, info->fields, pc_record_body(record, r->order))
               ? pc_add_saturated(head.size, walk.slot[PC_REC_SIZE])
               : 0;
}

/* The same at a place of the file. */
static uint64_t step_of(struct repair *r, uint64_t at)
{
    unsigned char raw[STEP_MAX];
    return step_in(r, raw, pc_input_read_at(r->in, at, raw, sizeof(raw)));
}

uint64_t pc_repair_end_of_records(struct repair *r, uint64_t at)
{
    uint64_t from = at, step;
    size_t have = 0;
    while (at < r->in->size) {
        if (have < STEP_MAX || at - from > have - STEP_MAX) {
            from = at;
            have = pc_input_read_at(r->in, from, r->chunk, PC_REPAIR_CHUNK);
        }
        const size_t left = have - (size_t)(at - from);
        step = step_in(r, r->chunk + (at - from), left < STEP_MAX ? left : STEP_MAX);
        if (step == 0 || step > r->in->size - at)
            break;
        at += step;
    }
    return at;
}

uint64_t pc_repair_find_records(struct repair *r, uint64_t from)
{
    for (uint64_t at = from; at < r->in->size && at - from < PC_REPAIR_FAR_MAX; at += PC_REPAIR_CHUNK) {
        const size_t have = pc_input_read_at(r->in, at, r->chunk, PC_REPAIR_CHUNK + STEP_MAX);
        for (size_t i = 0; i < PC_REPAIR_CHUNK && i + PC_RECORD_HEADER_SIZE <= have; i += 8) {
            const size_t left = have - i;
            uint64_t next = at + i, step = step_in(r, r->chunk + i, left < STEP_MAX ? left : STEP_MAX);
            unsigned nr = 0;
            while (step != 0 && ++nr < 3) {
                next = pc_add_saturated(next, step);
                step = step_of(r, next);
            }
            if (step != 0)
                return at + i;
        }
    }
    return 0;
}

bool pc_repair_leads_to(struct repair *r, uint64_t from, uint64_t to)
{
    for (uint64_t step; from < to; from = pc_add_saturated(from, step)) {
        if ((step = step_of(r, from)) == 0)
            return false;
    }
    return from == to && to <= r->in->size; /* the last one may be cut */
}

/* Whether another capture follows, whose table is its own. */
static bool begins_capture(struct repair *r, uint64_t at)
{
    unsigned char magic[8];
    return pc_input_read_at(r->in, at, magic, sizeof(magic)) == sizeof(magic) && pc_is_magic(magic);
}

/* Where the records of the data end, of which the first ones may be damaged. */
static uint64_t find_end_of_data(struct repair *r, uint64_t data)
{
    const uint64_t end = pc_repair_end_of_records(r, data),
                   behind = end == data ? pc_repair_find_records(r, data) : 0;
    return behind != 0 ? pc_repair_end_of_records(r, behind) : end;
}

/* Whether a place is inside a record that others lead to. *at: a record before it, the data at first. */
static bool is_in_record(struct repair *r, uint64_t *at, uint64_t place)
{
    for (uint64_t end = *at, step; end < place; *at = end) {
        if ((step = step_of(r, *at)) == 0)
            return false;
        end = pc_add_saturated(*at, step);
        if (end > place)
            return true;
    }
    return false;
}

/* Whether the sections were moved as far as the end of the data that the header has. */
static bool moved_with_end(const struct repair *r, const struct table *t)
{
    uint64_t size = r->slot[PC_HEAD_DATA_SIZE];
    return size != 0 && t->moved == t->at - r->slot[PC_HEAD_DATA_OFFSET] - size;
}

/* Whether the sections of the first entries here are behind the table, or were where the header has it. */
static bool in_file(const struct repair *r, const unsigned char *entries, uint64_t nr, uint64_t at)
{
    const uint64_t was = r->slot[PC_HEAD_DATA_OFFSET] + r->slot[PC_HEAD_DATA_SIZE], size = r->in->size,
                   len = nr * PC_SECTION_SIZE;
    return nr >= PC_TABLE_FEW && (pc_begins_sections(entries, nr, r->order, at + len, size) ||
                                  pc_begins_sections(entries, nr, r->order, was + len, size + was - at));
}

/* Looks for the table in what the data may be. no_end: the header does not say where these end, and a killed
 * recording has none. Then bytes of a record are no table that moved, unless the end in the header did. */
static bool find_table(struct repair *r, uint64_t nr, bool no_end, struct table *t)
{
    uint64_t record = r->slot[PC_HEAD_DATA_OFFSET];
    size_t len = (size_t)nr * PC_SECTION_SIZE, have;
    for (uint64_t from = r->slot[PC_HEAD_DATA_OFFSET]; from < r->in->size; from += PC_REPAIR_CHUNK) {
        have = pc_input_read_at(r->in, from, r->chunk, PC_REPAIR_CHUNK + len);
        for (size_t i = 0; i < PC_REPAIR_CHUNK && i + len <= have; i++) {
            const unsigned char *p = r->chunk + i;
            uint64_t offset = pc_load(p, 8, r->order), end = offset + pc_load(p + 8, 8, r->order);
            if (offset == 0) /* the header is there */
                continue;
            if (!in_file(r, p, nr, from + i) &&
                (nr > 1 ? end < offset || end != pc_load(p + PC_SECTION_SIZE, 8, r->order)
                        : offset != from + i + PC_SECTION_SIZE))
                continue;
            *t = (struct table){ .at = from + i, .nr = nr };
            load_table(r, p, t);
            if (is_moved_table(r, t) &&
                !(no_end && t->moved != 0 && !moved_with_end(r, t) && is_in_record(r, &record, t->at)))
                return true;
        }
    }
    return false;
}

/* An entry that does not fit those before and behind it, which fit theirs. due: where its section begins, if
 * those before are sound. */
static void repair_entry(struct repair *r, struct table *t, uint64_t i, uint64_t due)
{
    bool last = i + 1 == t->nr;
    uint64_t next = last ? r->in->size : t->offset[i + 1];
    uint64_t next_end = last ? next : pc_add_saturated(next, t->size[i + 1]);
    bool follows = last || i + 2 == t->nr ? next_end <= r->in->size : next_end == t->offset[i + 2];
    if (t->offset[i] != due && due + t->size[i] == next)
        t->offset[i] = due;
    else if (t->offset[i] == due && next > due && follows && (!last || due + t->size[i] > next))
        t->size[i] = next - due;
}

/* Whether a section begins where the one before ends, and ends where the next one begins. */
static bool fits(const struct repair *r, const struct table *t, uint64_t i)
{
    uint64_t at = t->offset[i], end = pc_add_saturated(at, t->size[i]),
             first = t->at + t->nr * PC_SECTION_SIZE;
    bool begins = i != 0 ? at == t->offset[i - 1] + t->size[i - 1] : at - first <= PC_TABLE_GAP_MAX;
    return begins && end == (i + 1 < t->nr ? t->offset[i + 1] : r->in->size);
}

/* The numbers of CPUs, as the section of NRCPUS has them. */
static void learn_cpus(struct repair *r, const struct table *t, struct pc_layout *layout)
{
    *layout = (struct pc_layout){ 0 };
    for (uint64_t i = 0; i < t->nr; i++)
        pc_repair_learn_section(r, layout, pc_nth_feature(r->s->named, i), t->offset[i], t->size[i]);
}

/* Sections that have the content of their features with the size that the table has, and not with the new
 * one, keep it: there are bytes between the sections. */
static void keep_content(struct repair *r, struct table *t, const struct table *was)
{
    struct pc_layout layout;
    learn_cpus(r, t, &layout);
    for (uint64_t i = 0; i < t->nr; i++) {
        const uint64_t bit = pc_nth_feature(r->s->named, i), at = t->offset[i];
        if (at == was->offset[i] && t->size[i] != was->size[i] && pc_repair_tells(bit) &&
            pc_repair_has_section(r, &layout, bit, at, was->size[i], pc_repair_is_sound, NULL) &&
            !pc_repair_has_section(r, &layout, bit, at, t->size[i], pc_repair_is_sound, NULL))
            t->size[i] = was->size[i];
    }
}

/* What was changed, and still does not fit, stays as it was. */
static void keep_proven(struct repair *r, struct table *t, const struct table *was)
{
    keep_content(r, t, was);
    for (uint64_t i = 0; i < t->nr;) {
        bool changed = t->offset[i] != was->offset[i] || t->size[i] != was->size[i];
        if (!changed || fits(r, t, i)) {
            i++;
            continue;
        }
        t->offset[i] = was->offset[i];
        t->size[i] = was->size[i];
        i -= i != 0; /* which it was a neighbour of */
    }
}

/* Entries that were moved, or do not fit the others. */
static void repair_entries(struct repair *r, struct table *t)
{
    struct table was = *t;
    uint64_t due = t->offset[0];
    uint64_t gap = due - t->at - t->nr * PC_SECTION_SIZE;
    if (gap > PC_TABLE_GAP_MAX && t->nr > 1)
        due = t->offset[1] - t->size[0];
    bool whole = is_table(r, t);
    for (uint64_t i = 0; i < t->nr; i++) {
        if (whole)
            t->offset[i] += t->moved;
        else
            repair_entry(r, t, i, due);
        due = t->offset[i] + t->size[i];
    }
    if (!whole)
        keep_proven(r, t, &was);
    for (uint64_t i = 0; i < t->nr; i++) {
        if (t->offset[i] != was.offset[i])
            pc_repair_word(r, t->at + i * PC_SECTION_SIZE, t->offset[i]);
        if (t->size[i] != was.size[i])
            pc_repair_word(r, t->at + i * PC_SECTION_SIZE + 8, t->size[i]);
    }
}

/* Whether the header has one bit too many for the table here, which has room for an entry more. */
static bool is_one_unwritten(struct repair *r, uint64_t at, uint64_t bits)
{
    unsigned char raw[PC_TABLE_MAX];
    const size_t len = (size_t)bits * PC_SECTION_SIZE;
    return pc_input_read_at(r->in, at, raw, len) == len &&
           pc_is_one_unwritten(r->s->named, raw, bits, r->order, at, r->in->size);
}

/* The table is whole, but it has not as many entries as the header has bits. *unused: there is room for as
 * many, and those behind the others are empty. */
static bool has_other_table(struct repair *r, uint64_t at, uint64_t bits, struct table *t, bool *unused)
{
    uint64_t left = at < r->in->size ? (r->in->size - at) / PC_SECTION_SIZE : 0, nr = 1;
    if (!read_table(r, at, left < PC_FEATURE_BITS ? left : PC_FEATURE_BITS, t))
        return false;
    while (nr < t->nr && t->offset[nr - 1] + t->size[nr - 1] == t->offset[nr])
        nr++;
    while (nr > bits && nr > 1 && t->size[nr - 1] == 0) /* of a feature that could not be written */
        nr--;
    *unused = nr >= PC_TABLE_FEW && nr < bits && nr < t->nr && t->offset[nr] == 0 && t->size[nr] == 0;
    if (is_one_unwritten(r, at, bits)) {
        nr = bits - 1;
        *unused = true;
    }
    bool is_other = nr > bits || t->offset[0] - at < bits * PC_SECTION_SIZE || *unused;
    return is_other && nr != bits && read_table(r, at, nr, t) && is_table(r, t) &&
           t->offset[nr - 1] + t->size[nr - 1] == r->in->size;
}

static void clear_features(struct repair *r)
{
    for (uint64_t i = 0; i < PC_FEATURE_BITS / 8; i += 8)
        pc_repair_word(r, pc_row_at(pc_file_header, PC_HEAD_FEATURES) + i, 0);
}

/* Nobody knows which features a table is of, but for trace data: they come first, and begin with a magic. */
static void keep_trace_data(struct repair *r, const struct table *t)
{
    unsigned char magic[PC_TRACING_MAGIC_SIZE], bits[PC_FEATURE_BITS / 8] = { 0 };
    bool is_trace = pc_input_read_at(r->in, t->offset[0], magic, sizeof(magic)) == sizeof(magic) &&
                    memcmp(magic, PC_TRACING_MAGIC, sizeof(magic)) == 0;
    pc_store(bits, 8, is_trace ? (uint64_t)1 << PC_TRACING_DATA : 0, r->order);
    for (size_t i = 0; i < sizeof(bits); i += 8)
        pc_salvage_patch(r->s, pc_row_at(pc_file_header, PC_HEAD_FEATURES) + i, bits + i, 8);
    /* perf writes these into each file; the copy has them anew, as far as it can. */
    pc_set_bit(r->s->named, PC_EVENT_DESC);
    pc_set_bit(r->s->named, PC_BUILD_ID);
    pc_set_bit(r->s->named, PC_HOSTNAME);
}

/* Whether records follow each other from a place on up to the end of the data. */
static bool ends_at(struct repair *r, uint64_t at, uint64_t end)
{
    unsigned char raw[PC_RECORD_HEADER_SIZE];
    while (at < end && pc_input_read_at(r->in, at, raw, sizeof(raw)) == sizeof(raw)) {
        struct pc_record_head head = pc_load_head(raw, r->order);
        if (head.size < PC_RECORD_HEADER_SIZE)
            return false;
        if (pc_record_is(head.type, PC_HAS_PAYLOAD))
            return true; /* of a size of its own */
        at += head.size;
    }
    return at == end;
}

/* How many entries the table here has, if its sections follow it up to the end of the file; or 0. */
static uint64_t count_table(struct repair *r, uint64_t at)
{
    unsigned char raw[PC_TABLE_MAX];
    if (at >= r->in->size)
        return 0;
    const size_t got = pc_input_read_at(r->in, at, raw, sizeof(raw));
    return pc_count_table(r->s->named, raw, got / PC_SECTION_SIZE, r->order, at, r->in->size);
}

uint64_t pc_repair_count_shifted(struct repair *r, uint64_t at)
{
    return pc_input_is_shifted(r->in) ? count_table(r, at) : 0;
}

/* All entries of the table follow each other, and its sections follow it. */
static bool is_whole(const struct table *t)
{
    return t->links + 1 == t->nr && t->first - t->at - t->nr * PC_SECTION_SIZE <= PC_TABLE_GAP_MAX;
}

/* Whether few bytes were lost or inserted behind the table, which is where the header says: those sections
 * that are before them are in their places. */
static bool may_have_step(struct repair *r, const struct table *t)
{
    const uint64_t moved = r->in->size - t->end, few = (uint64_t)1 << 16;
    return is_whole(t) && t->nr >= PC_TABLE_FEW && !pc_input_is_shifted(r->in) && moved != 0 &&
           (moved < few || 0 - moved < few) && !pc_may_end_sections(r->s->named, t->end, r->in->size) &&
           r->s->in.kind == PC_INPUT_FILE && count_table(r, t->at) <= t->nr;
}

/* All sections are in their places, if the file was cut in the last ones. */
static void repair_entries_if_cut(struct repair *r, struct table *t)
{
    if (t->end > r->in->size && !pc_input_is_shifted(r->in))
        repair_entries(r, t);
}

/* Few bytes were lost or inserted behind the table. somewhere: nothing shows where, and nothing else explains
 * the table. */
static bool repair_step(struct repair *r, struct table *t, bool somewhere)
{
    const uint64_t gap = t->first - t->at - t->nr * PC_SECTION_SIZE;
    const bool found =
        may_have_step(r, t) && (somewhere ? pc_repair_leave_out_rest(r, t->nr, t->offset, t->size)
                                          : pc_repair_step(r, t->nr, t->offset, t->size, gap));
    if (found)
        repair_entries_if_cut(r, t);
    return found;
}

/* Bytes were lost or inserted in the table, which is where the header says, as the records show. */
static bool repair_torn(struct repair *r, const struct table *t)
{
    const uint64_t data = r->slot[PC_HEAD_DATA_OFFSET];
    if (pc_input_is_shifted(r->in) || r->s->in.kind != PC_INPUT_FILE ||
        pc_has_android_features(r->s->named) || t->at == data || !pc_repair_leads_to(r, data, t->at))
        return false;
    return count_table(r, t->at) < t->nr && pc_repair_torn(r, t->at, t->nr);
}

/* Each section of a whole table has what it is said to be, but for one; or the bits of the header are those
 * of others. Then the entries get their own bits; if nothing shows these, they may be of any feature. */
static void repair_names(struct repair *r, const struct table *t)
{
    struct pc_layout layout;
    unsigned sound = 0, others = 0, unknown = 0;
    learn_cpus(r, t, &layout);
    for (uint64_t i = 0; i < t->nr; i++) {
        const uint64_t bit = pc_nth_feature(r->s->named, i);
        const bool looks = pc_repair_tells(bit) && t->size[i] <= PC_CONTENT_MAX &&
                           !pc_feature_is(bit, PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE | PC_ONLY_A_MARK);
        const bool holds = looks && pc_repair_has_section(r, &layout, bit, t->offset[i], t->size[i],
                                                          pc_repair_is_sound, NULL);
        sound += holds;
        others += looks && !holds;
        unknown += !pc_feature_info(bit);
    }
    if (others == 0 || others + unknown < 2 || pc_repair_bits(r, t->nr, t->offset, t->size) || others < sound)
        return;
    memcpy(r->s->unsure, r->s->named, sizeof(r->s->unsure));
}

/* --- where the table is --- */

static void end_data(struct repair *r, uint64_t end)
{
    pc_repair_set(r, PC_HEAD_DATA_SIZE, end - r->slot[PC_HEAD_DATA_OFFSET]);
}

/* Bytes were lost or inserted behind the table or in it, and it is where the header says. */
static bool repair_where_said(struct repair *r, uint64_t end, uint64_t nr)
{
    struct table t;
    return read_table(r, end, nr, &t) && (repair_step(r, &t, false) || repair_torn(r, &t));
}

/* The header has no end of the data, as that of a killed recording, but the table is behind the records. */
static bool repair_unfinished(struct repair *r, uint64_t end, uint64_t nr)
{
    if (r->slot[PC_HEAD_DATA_SIZE] != 0 || nr == 0 || count_table(r, end) != nr)
        return false;
    end_data(r, end);
    return true;
}

/* Whether the table begins one entry before this place. perf 5.10 leaves one without a feature behind it, so
 * that there may seem to be as many here. */
static bool begins_earlier(struct repair *r, uint64_t at, uint64_t nr)
{
    struct table t;
    return at >= PC_SECTION_SIZE && read_table(r, at - PC_SECTION_SIZE, nr, &t) && t.links + 1 == nr &&
           is_table(r, &t);
}

/* The table has not as many entries as the header has bits: those that bytes lost or inserted before it
 * prove, or those that it seems to have. */
static bool repair_other_table(struct repair *r, uint64_t end, uint64_t nr, uint64_t proven)
{
    struct table t;
    bool unused = false;
    if (proven != 0 ? !read_table(r, end, proven, &t)
                    : begins_earlier(r, end, nr) || !has_other_table(r, end, nr, &t, &unused))
        return false;
    const bool named = pc_repair_bits(r, t.nr, t.offset, t.size);
    if (!named && unused)
        return false;
    if (!named)
        keep_trace_data(r, &t);
    end_data(r, t.at);
    return true;
}

/* The table is where the data end, and what is wrong is behind it, or the names of its features. */
static bool repair_behind_data(struct repair *r, uint64_t end, uint64_t nr)
{
    struct table t;
    if (!read_table(r, end, nr, &t))
        return false;
    if (repair_step(r, &t, true))
        return true;
    if (!is_table(r, &t) || begins_earlier(r, end, nr))
        return false;
    end_data(r, end);
    repair_names(r, &t);
    return true;
}

/* The table has moved, or it is where the header says, and entries of it are wrong. */
static bool search_and_repair(struct repair *r, uint64_t end, uint64_t nr, bool no_end)
{
    struct table here, t;
    const uint64_t data = r->slot[PC_HEAD_DATA_OFFSET];
    const bool is_said = r->slot[PC_HEAD_DATA_SIZE] != 0; /* else records begin there */
    const bool is_here = is_said && read_table(r, end, nr, &here) && here.links * 2 > nr;
    bool found = nr != 0 && (is_said || !begins_capture(r, end)) && find_table(r, nr, no_end, &t);
    /* What was found may be the rest of the table and one entry more, unless it has moved as far as its
     * sections, or records are before it. */
    if (found && is_here && t.moved != t.at - end && t.at > end && t.at < end + nr * PC_SECTION_SIZE &&
        ends_at(r, data, end) && !pc_repair_leads_to(r, end, t.at))
        found = false;
    if (found)
        end_data(r, t.at);
    if (found || is_here)
        repair_entries(r, found ? &t : &here);
    return found || is_here;
}

/* There is no table: the data end with the file. */
static void end_with_file(struct repair *r)
{
    r->s->end_at = pc_row_at(pc_file_header, PC_HEAD_DATA_SIZE);
    r->s->end_why = r->slot[PC_HEAD_DATA_SIZE] == 0 ? PC_D_UNFINISHED : PC_D_DATA_OUTSIDE;
    end_data(r, r->in->size);
    clear_features(r);
}

void pc_repair_table(struct repair *r)
{
    const uint64_t nr = pc_count_features(r->s->named), data = r->slot[PC_HEAD_DATA_OFFSET],
                   size = r->slot[PC_HEAD_DATA_SIZE], said = data + size, file = r->in->size,
                   proven = pc_repair_count_shifted(r, said);
    if ((proven == nr && nr != 0) || repair_where_said(r, said, nr))
        return;
    const uint64_t end = size == 0 ? find_end_of_data(r, data) : said;
    const bool no_end = size == 0 || end < data || end > file;
    const bool found = repair_unfinished(r, end, nr) || repair_other_table(r, end, nr, proven) ||
                       repair_behind_data(r, end, nr) || search_and_repair(r, end, nr, no_end);
    if (!found && data < file && (no_end || !ends_at(r, data, end)))
        end_with_file(r);
}
