/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include <string.h>

/* --- features as a whole --- */

static bool make_empty(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (!(pc_feature_info(p->number)->flags & PC_ONE_STRING))
        return false;
    fuzz_store(p->slot + 8, 8, 0);
    return fuzz_splice(p->at, p->size, 0, NULL, (long)p->slot);
}

static bool fill_mark(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    if (!(pc_feature_info(p->number)->flags & PC_ONLY_A_MARK))
        return false;
    fuzz_store(p->slot + 8, 8, 8);
    return fuzz_splice(p->at, 0, 8, NULL, (long)p->slot);
}

static bool append_bytes(const struct part *p, const struct fuzz_fault *fault)
{
    size_t n = 1 + fuzz_map.f->choice[2] % 16;
    bool index = p->number == PC_AUXTRACE_INDEX;
    if ((pc_feature_info(p->number)->flags & PC_ONLY_A_MARK) || p->number == PC_BUILD_ID ||
        index != (fault->id == PC_D_AUXTRACE_INDEX_SIZE))
        return false;
    /* A section that may end early would continue here. */
    if (p->number == PC_CPU_TOPOLOGY)
        return false;
    fuzz_store(p->slot + 8, 8, p->size + n);
    fuzz_map.f->offset = p->at + p->size;
    return fuzz_splice(p->at + p->size, 0, n, NULL, (long)p->slot);
}

/* The section ends early. The finding is about the first missing field, at its place. */
static bool cut_section(const struct part *p, const struct fuzz_fault *fault)
{
    struct part less = *p;
    struct first_fault first = { 0 };
    (void)fault;
    if ((pc_feature_info(p->number)->flags & PC_ONLY_A_MARK) || p->size < 2 || p->number == PC_BUILD_ID)
        return false;
    size_t n = 1 + fuzz_map.f->choice[2] % (p->size - 1);
    less.size -= n;
    fuzz_walk_part(&less, fuzz_see_fault, &first);
    if (!first.found || first.fault == PC_FAULT_TEXT)
        return false;
    struct site s = { .short_diag = p->number == PC_TRACING_DATA ? PC_D_TRACING_CUT : PC_D_FEATURE_CUT,
                      .count_diag = PC_D_FEATURE_COUNT };
    fuzz_map.f->id = first.field->kind == PC_HSTR && first.fault == PC_FAULT_COUNT ? PC_D_HSTR_LEN
                                                                                   : fuzz_id_of(&s, &first);
    fuzz_map.f->offset = first.at;
    fuzz_store(p->slot + 8, 8, less.size);
    return fuzz_splice(p->at + less.size, n, 0, NULL, (long)p->slot);
}

static bool move_outside(const struct part *p, const struct fuzz_fault *fault)
{
    const uint64_t offsets[] = { fuzz_map.f->len - p->size + 1, UINT64_MAX - fuzz_map.f->choice[2] };
    (void)fault;
    fuzz_store(p->slot, 8, offsets[fuzz_map.f->choice[2] % 2]);
    fuzz_map.f->offset = p->slot;
    return true;
}

/* --- the file header --- */

static bool set_word(size_t at, uint64_t value)
{
    if (fuzz_load(at, 8) == value)
        return false;
    fuzz_store(at, 8, value);
    return true;
}

/* A word of the file header, at offset `number`. */
static bool apply_word(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    uint64_t value = fault->operand;
    if (fuzz_map.pipe)
        return false;
    if (fault->op == ADD)
        value += fuzz_load(fault->number, 8);
    else if (fault->op == OR) /* after the end of the file */
        value += f->len + 1 + f->choice[2];
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = fault->needs ? fault->needs : fault->number;
    if (fault->number == 40) /* the feature table after the data stays where it is */
        fuzz_store(48, 8, fuzz_map.data_end - value);
    return set_word(fault->number, value);
}

static bool apply_event_types(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const uint64_t new_entry = 128; /* perf 3.12 and later write none: FORMAT.md row 27 */
    if (fuzz_map.pipe || fuzz_load(16, 8) < new_entry || !apply_word(f, fault))
        return false;
    fuzz_store(fault->number - 8, 8, f->len); /* a section of its own, after all others */
    memset(f->bytes + f->len, 0, PC_EVENT_TYPE_SIZE);
    f->len += PC_EVENT_TYPE_SIZE;
    f->elsewhere = true; /* two words say one thing */
    return true;
}

static bool apply_magic(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t at = f->choice[2] % 8;
    f->bytes[at] ^= 0x80;
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = 0;
    return true;
}

static bool apply_mode_word(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = 8;
    return set_word(8, (uint64_t)17 + f->choice[2] % 50);
}

static bool cut_to(struct fuzz_faulty *f, const struct fuzz_fault *fault, size_t len)
{
    f->len = len;
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = 0;
    f->elsewhere = true;
    return true;
}

/* Cut to a length from `number` on; there are `operand` lengths. */
static bool apply_cut(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe && fault->id == PC_D_HEADER_CUT)
        return false;
    return cut_to(f, fault, fault->number + f->choice[2] % (size_t)fault->operand);
}

static bool apply_cut_data(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe)
        return false;
    cut_to(f, fault, fuzz_map.data + f->choice[2] % (fuzz_map.data_end - fuzz_map.data));
    f->offset = 40;
    return true;
}

static bool apply_cut_attrs(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    if (fuzz_map.pipe)
        return false;
    cut_to(f, fault, PC_FILE_HEADER_SIZE + f->choice[2] % (fuzz_map.data - PC_FILE_HEADER_SIZE));
    f->offset = 24;
    return true;
}

static bool apply_cut_table(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t slots = 0;
    if (fuzz_map.pipe)
        return false;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++)
        slots += fuzz_map.part[i].kind == IN_FEATURE;
    cut_to(f, fault, fuzz_map.data_end + f->choice[2] % (PC_SECTION_SIZE * slots));
    f->offset = fuzz_map.data_end;
    return true;
}

/* Cut inside a feature. The first feature that ends after the file is reported first. */
static bool apply_cut_features(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t first = 0, last = 0;
    for (size_t i = 0; i < fuzz_map.nr_parts && !fuzz_map.pipe; i++) {
        const struct part *p = &fuzz_map.part[i];
        first = p->kind == IN_FEATURE && first == 0 ? p->at : first;
        last = p->kind == IN_FEATURE ? p->at + p->size : last;
    }
    if (first == last)
        return false;
    cut_to(f, fault, first + f->choice[2] % (last - first));
    f->place = PC_IN_FEATURE;
    for (size_t i = fuzz_map.nr_parts; i-- > 0;) {
        const struct part *p = &fuzz_map.part[i];
        if (p->kind == IN_FEATURE && p->at + p->size > f->len)
            f->offset = p->slot;
    }
    return true;
}

static bool apply_trailing(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t n = 1 + f->choice[2] % 32;
    if (fuzz_map.pipe)
        return false;
    f->id = fault->id;
    f->place = PC_IN_HEADER;
    f->offset = f->len;
    f->elsewhere = true;
    memset(f->bytes + f->len, 0x5a, n);
    f->len += n;
    return true;
}

/* Bytes at the end of the records, too few for a record header. */
static bool apply_leftover(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    bool stream = fault->id == PC_D_STREAM_CUT;
    if (fuzz_map.pipe != stream)
        return false;
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = fuzz_map.data_end;
    return fuzz_splice(fuzz_map.data_end, 0, 1 + f->choice[2] % 7, NULL, -1);
}

/* --- ends of streams --- */

static const struct part *last_record(void)
{
    const struct part *p = fuzz_map.nr_parts != 0 ? &fuzz_map.part[fuzz_map.nr_parts - 1] : NULL;
    return p && p->kind == IN_RECORD ? p : NULL;
}

/* The last record has a size larger than what is left. */
static bool apply_too_long(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = last_record();
    size_t more = 8 * (1 + (size_t)f->choice[2] % 100);
    if (!p || fuzz_is_needed(p) || p->size + more > PC_RECORD_SIZE_MAX ||
        fuzz_map.pipe != (fault->id == PC_D_STREAM_CUT))
        return false;
    fuzz_store(p->at + 6, 2, p->size + more);
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = p->at;
    return true;
}

/* The payload after the last record is shorter than the record says. */
static bool apply_payload_cut(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = last_record();
    if (!p || p->number != PC_AUXTRACE || fuzz_map.pipe != (fault->id == PC_D_PAYLOAD_CUT))
        return false;
    fuzz_store(p->at + 8, 8, p->payload + 8);
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = p->at + 8;
    return true;
}

/* --- ids of attrs --- */

/* The place of the n-th id, and its attr. */
static bool id_place(uint32_t n, size_t *at, uint32_t *attr)
{
    const uint32_t each = 2;
    *attr = n / each;
    const struct part *p = fuzz_attr(*attr);
    if (!p)
        return false;
    *at = p->kind == IN_ATTR ? (size_t)fuzz_load(p->at + p->size, 8) : p->at + p->size - 8 * each;
    *at += 8 * (n % each);
    return true;
}

static bool apply_id(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    size_t at, other_at;
    uint32_t attr, other, n = f->choice[1] % (2 * fuzz_map.nr_attrs);
    if (fault->id == PC_D_ID_REPEATED)
        n |= 1; /* the second id of an attr is equal to the first */
    if (fault->id == PC_D_ID_DUPLICATE)
        n = n < 2 ? 2 + n % 2 : n; /* the one before is another's */
    uint32_t from = fault->id == PC_D_ID_REPEATED ? n - 1 : n % 2;
    if (fuzz_map.packed || (fault->id == PC_D_ID_DUPLICATE && fuzz_map.nr_attrs < 2) ||
        !id_place(n, &at, &attr) || !id_place(from, &other_at, &other))
        return false;
    fuzz_store(at, 8, fault->id == PC_D_ID_ZERO ? 0 : fuzz_load(other_at, 8));
    f->id = fault->id;
    f->place = fuzz_map.pipe ? PC_IN_RECORD : PC_IN_ATTR;
    f->offset = at;
    return true;
}

/* The ids section of one attr: its offset or size. */
static bool apply_ids(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    bool outside = fault->id == PC_D_IDS_OUTSIDE;
    if (fuzz_map.pipe)
        return false;
    const struct part *p = &fuzz_map.part[f->choice[1] % fuzz_map.nr_attrs];
    size_t at = p->at + p->size;
    f->id = fault->id;
    f->place = PC_IN_ATTR;
    f->offset = outside ? at : at + 8;
    if (outside)
        fuzz_store(at, 8, f->len - 15 + f->choice[2]);
    else
        fuzz_store(at + 8, 8, 1u + f->choice[2] % 7u + 8u * (f->choice[2] / 8u % 2u));
    return true;
}

/* --- the list --- */

#define WORD(what, which, at, how, value, said)                                                              \
    ROW(what, which, .capture = apply_word, .number = at, .op = how, .operand = value, .needs = said)
#define CUT(what, which, from, nr) ROW(what, which, .capture = apply_cut, .number = from, .operand = nr)

static const struct fuzz_fault faults[] = {
    CAPTURE("an id of 0", ID_ZERO, apply_id),
    CAPTURE("an id that occurs twice", ID_REPEATED, apply_id),
    CAPTURE("an id of another attr", ID_DUPLICATE, apply_id),
    CAPTURE("ids after the end", IDS_OUTSIDE, apply_ids),
    CAPTURE("a part of an id", IDS_UNALIGNED, apply_ids),
    SECTION("a feature that ends early", FEATURE_CUT, cut_section),
    SECTION("a feature without content", FEATURE_EMPTY, make_empty),
    SECTION("a mark with content", FEATURE_NOT_EMPTY, fill_mark),
    SECTION("bytes after a feature", FEATURE_TRAILING, append_bytes),
    SECTION("bytes after the index", AUXTRACE_INDEX_SIZE, append_bytes),
    SECTION("a feature after the end", FEATURE_OUTSIDE, move_outside),
    CAPTURE("magic", MAGIC_UNKNOWN, apply_magic),
    CAPTURE("size of the header", HEADER_SIZE, apply_mode_word),
    WORD("attr_size 0", ATTR_ENTRY_ZERO, 16, SET, 0, 0),
    WORD("attr_size of no attr", ATTR_ENTRY_BAD, 16, SET, 72, 0),
    WORD("attr_size off the grid", ATTR_ENTRY_BAD, 16, ADD, 4, 0),
    WORD("attr_size of no perf", ATTR_ENTRY_ODD, 16, SET, 104, 0),
    WORD("attr_size of a newer perf", ATTR_ENTRY_NEWER, 16, SET, 168, 0),
    WORD("attrs in the header", ATTRS_OVERLAP_HEADER, 24, SET, 96, 0),
    WORD("attrs after the end", ATTRS_OUTSIDE, 24, OR, 0, 0),
    WORD("a part of an attr", ATTRS_REMAINDER, 32, ADD, (uint64_t)-8, 0),
    WORD("data in the header", DATA_OVERLAPS_HEADER, 40, SET, 96, 0),
    WORD("data off the grid", DATA_UNALIGNED, 40, ADD, 4, 0),
    WORD("data without end", DATA_OVERFLOW, 48, SET, UINT64_MAX, 40),
    WORD("data after the end", DATA_OUTSIDE, 48, OR, 0, 40),
    WORD("data of no size", UNFINISHED, 48, SET, 0, 0),
    ROW("event_types", EVENT_TYPES_NEW, .capture = apply_event_types, .op = SET, .number = 64,
        .operand = PC_EVENT_TYPE_SIZE),
    WORD("event_types after the end", EVENT_TYPES_RANGE, 56, OR, 0, 0),
    CUT("no bytes", INPUT_EMPTY, 0, 1),
    CUT("a few bytes", INPUT_SHORT, 1, PC_PIPE_HEADER_SIZE - 1),
    CUT("a part of the header", HEADER_CUT, PC_PIPE_HEADER_SIZE, PC_FILE_HEADER_SIZE - PC_PIPE_HEADER_SIZE),
    CAPTURE("cut in the attrs", ATTRS_OUTSIDE, apply_cut_attrs),
    CAPTURE("cut in the data", DATA_OUTSIDE, apply_cut_data),
    CAPTURE("cut in the table", TABLE_OUTSIDE, apply_cut_table),
    CAPTURE("cut in the features", FEATURE_OUTSIDE, apply_cut_features),
    CAPTURE("bytes after all", TRAILING_BYTES, apply_trailing),
    CAPTURE("bytes after the records", DATA_LEFTOVER, apply_leftover),
    CAPTURE("bytes after the stream", STREAM_CUT, apply_leftover),
    CAPTURE("a record past the end of the data", RECORD_CROSSES_END, apply_too_long),
    CAPTURE("a record past the end of the stream", STREAM_CUT, apply_too_long),
    CAPTURE("a trace past the end of the data", AUXTRACE_BEYOND, apply_payload_cut),
    CAPTURE("a trace past the end of the stream", PAYLOAD_CUT, apply_payload_cut),
};

const struct fuzz_faults fuzz_container_faults = { faults, PC_COUNT_OF(faults) };
