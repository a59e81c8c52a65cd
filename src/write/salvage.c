/* SPDX-License-Identifier: MIT */
#include "write/salvage_parts.h"
#include "bytes/cursor.h"

#include <string.h>

#define SETS 10
static void list_sets(struct pc_salvage *s, struct pc_set *sets[SETS])
{
    struct pc_set *all[SETS] = { &s->records,  &s->attrs,  &s->features, &s->frames, &s->bad,
                                 &s->suspects, &s->pieces, &s->joined,   &s->words,  &s->events };
    memcpy(sets, all, sizeof(all));
}

int pc_salvage_init(struct pc_salvage *s, struct pc_input *in, const struct pc_limits *limits)
{
    int error = 0;
    memset(s, 0, sizeof(*s));
    pc_mem_init(&s->mem, limits->memory / 4);
    struct pc_set *sets[SETS];
    list_sets(s, sets);
    for (size_t i = 0; i < SETS; i++)
        *sets[i] = (struct pc_set){ .entry_size = sizeof(struct left_out),
                                    .key_size = sizeof(uint64_t),
                                    .most = UINT32_MAX - 1 };
    s->records.entry_size = sizeof(struct left_out_records);
    s->events.entry_size = sizeof(struct of_event);
    s->in = *in;
    *in = (struct pc_input){ .fd = -1 };
    if (s->in.kind == PC_INPUT_STREAM)
        error = pc_input_spool(&s->in, &s->mem, (struct pc_span){ NULL, 0 }, limits->spool);
    return error;
}

void pc_salvage_clear(struct pc_salvage *s)
{
    struct pc_set *sets[SETS];
    list_sets(s, sets);
    for (size_t i = 0; i < SETS; i++)
        pc_set_clear(&s->mem, sets[i]);
    pc_free(&s->mem, s->container, s->cap_container * sizeof(*s->container));
    pc_free(&s->mem, s->misread, s->cap_misread * sizeof(*s->misread));
    pc_losses_free(&s->mem, &s->lost);
    pc_free(&s->mem, s->patch, s->cap_patches * sizeof(*s->patch));
    pc_free(&s->mem, s->split, s->cap_split * sizeof(*s->split));
    pc_input_close(&s->in);
}

void pc_salvage_unname(struct pc_salvage *s)
{
    memset(s->unsure, 0, sizeof(s->unsure));
    s->unsure_why = PC_NO_DIAG;
    if (s->renamed)
        memcpy(s->named, s->said, sizeof(s->named));
    s->renamed = false;
}

void pc_salvage_unmend(struct pc_salvage *s)
{
    s->nr_patches = s->nr_split = 0;
    s->made_attrs = 0;
    s->end_why = PC_NO_DIAG;
    pc_salvage_unname(s);
    pc_input_shift(&s->in, 0, 0, 0);
}

struct pc_input pc_salvage_input(struct pc_salvage *s)
{
    pc_salvage_apply_splits(s);
    struct pc_input in = s->in;
    in.patch = s->patch;
    in.nr_patches = s->nr_patches;
    in.owns_fd = false;
    return in;
}

/* --- what is left out --- */

static void note(struct pc_salvage *s, const struct pc_lost *lost)
{
    pc_losses_add(&s->mem, &s->lost, lost);
}

/* The file does not reach the feature table: all that the header names is lost. */
static void note_named(struct pc_salvage *s, enum pc_diag why)
{
    uint64_t words = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_bit(s->named, bit))
            note(s, &(struct pc_lost){
                        .why = why, .place = PC_IN_FEATURE, .offset = words + bit / 64 * 8, .number = bit });
    }
}

static void note_finding(struct pc_salvage *s, const struct pc_finding *f)
{
    if (f->id == PC_D_TABLE_OUTSIDE) {
        note_named(s, f->id);
        return;
    }
    note(s, &(struct pc_lost){ .how = f->place == PC_IN_HEADER ? PC_LOST_MENDED : PC_LOST_OUT,
                               .why = f->id,
                               .place = f->place,
                               .where = f->where,
                               .offset = f->offset,
                               .size = f->length,
                               .number = f->number });
}

static void note_record(struct pc_salvage *s, const struct pc_item *item, enum pc_lost_how how,
                        enum pc_diag why)
{
    note(s, &(struct pc_lost){ .how = how,
                               .why = why,
                               .place = PC_IN_RECORD,
                               .where = item->where,
                               .offset = item->offset,
                               .size = item->bytes.len,
                               .number = item->number,
                               .records = 1,
                               .type = item->type });
}

/* Attrs and features that are left out, whether they were found in this pass or before. */
static void note_set(struct pc_salvage *s, const struct pc_set *set, enum pc_place place)
{
    const struct left_out *entry = set->entry;
    for (size_t i = 0; i < set->nr; i++) {
        note(s, &(struct pc_lost){ .why = (enum pc_diag)entry[i].why,
                                   .place = place,
                                   .offset = entry[i].offset,
                                   .number = entry[i].number });
    }
}

void pc_salvage_note_made(struct pc_salvage *s, uint64_t bit)
{
    note(s, &(struct pc_lost){ .how = PC_LOST_MADE,
                               .why = bit == PC_TRACING_DATA ? PC_D_TRACEPOINT_WITHOUT_DATA
                                      : bit == PC_HOSTNAME   ? PC_D_HOSTNAME_CLEAR
                                                             : s->end_why,
                               .place = PC_IN_FEATURE,
                               .number = bit });
}

static void note_patches(struct pc_salvage *s)
{
    if (s->end_why == PC_D_DATA_OUTSIDE)
        note_named(s, s->end_why);
    const bool made = s->made_attrs != 0; /* behind what the file has */
    for (size_t i = 0; i < s->made_attrs; i++)
        note(s, &(struct pc_lost){
                    .how = PC_LOST_MADE, .why = PC_D_ATTRS_OUTSIDE, .place = PC_IN_ATTR, .number = i });
    if (s->in.before != 0)
        note(s, &(struct pc_lost){ .why = PC_D_CAPTURE_LATE, .place = PC_AT_END, .size = s->in.before });
    if (pc_input_is_shifted(&s->in) && !made) {
        const bool added = s->in.left_out != 0;
        note(s, &(struct pc_lost){ .how = added ? PC_LOST_OUT : PC_LOST_MENDED,
                                   .why = added ? PC_D_BYTES_ADDED : PC_D_BYTES_LOST,
                                   .place = PC_AT_END,
                                   .offset = added ? s->in.before + s->in.shift_at : s->in.shift_at,
                                   .size = added ? s->in.left_out : s->in.filled });
    }
    for (size_t i = 0; i < s->nr_patches; i++) {
        /* Features of an unfinished recording were only planned. */
        bool planned = s->end_why && s->patch[i].offset != s->end_at;
        if (planned || (made && s->patch[i].offset >= s->in.shift_at) ||
            pc_salvage_is_of_record(s, &s->patch[i]) || pc_salvage_is_of_piece(s, &s->patch[i]))
            continue;
        note(s, &(struct pc_lost){ .how = PC_LOST_MENDED,
                                   .why = s->patch[i].offset == s->end_at ? s->end_why : PC_NO_DIAG,
                                   .place = PC_IN_HEADER,
                                   .offset = s->patch[i].offset,
                                   .size = s->patch[i].len });
    }
}

/* --- findings --- */

/* If the bytes of the zstd stream turn out to be damaged, they are from here on. */
static void note_bad_content(struct pc_salvage *s, const struct pc_finding *f)
{
    if (f->where.inside && s->frame_bad == PC_NO_INDEX)
        s->frame_bad = pc_salvage_key(&f->where, f->where.wrapper);
}

/* Whether an attr is left out for another reason. */
static bool lost_attr_for_other(const struct pc_salvage *s, enum pc_diag why)
{
    const struct left_out *first = s->attrs.entry;
    return s->attrs.nr != 0 && first->why != why;
}

/* The capture has an error. */
static void take_error(struct pc_salvage *s, const struct pc_finding *f)
{
    uint64_t key = pc_salvage_key(&f->where, pc_finding_blames(f));
    if (pc_salvage_blames_nrcpus(s, f))
        pc_salvage_lose_feature(s, PC_NRCPUS, f);
    switch (f->place) {
    case PC_IN_HEADER:
    case PC_AT_END:
        note_finding(s, f);
        break;
    case PC_IN_ATTR:
        if (f->id == PC_D_SECTIONS_OVERLAP) /* the section of something else is wrong, or its ids are */
            break;
        if ((f->id == PC_D_SAMPLE_ID_ALL_DIFFERS || f->id == PC_D_NO_COMMON_ID) &&
            lost_attr_for_other(s, f->id))
            break; /* from one that is left out, perhaps: the copy is judged, too */
        if (pc_salvage_leave_out(s, &s->attrs, f->number, f))
            s->again |= f->number < s->attrs_passed;
        break;
    case PC_IN_FEATURE:
        pc_salvage_lose_feature(s, f->number, f);
        break;
    case PC_IN_RECORD:
        if (pc_salvage_mend_size(s, f))
            break;
        if (pc_salvage_blames_trace(s, f)) {
            pc_salvage_lose_feature(s, PC_TRACING_DATA, f);
            break;
        }
        if (s->records.nr != 0 && f->blamed == 0 && (f->id == PC_D_STAT_LESS || f->id == PC_D_STAT_RUN_MORE))
            break; /* than in one that is left out, perhaps: the copy is judged, too */
        s->damage = f->id;
        note_bad_content(s, f);
        if (f->id == PC_D_ZSTD_DAMAGED)
            pc_salvage_leave_out_content(s, key, f);
        else if (f->where.inside && pc_salvage_refutes_content(s, f))
            pc_salvage_leave_out_content(s, pc_salvage_key(&f->where, f->where.wrapper), f);
        else if (pc_salvage_leave_out_record(s, key, f->id))
            s->again |= s->last.item.bytes.len != 0 &&
                        key <= pc_salvage_key(&s->last.item.where, s->last.item.number);
        break;
    }
}

/* A string of an MMAP2 that does not fit the old layout, which the first MMAP2 seemed to have. */
static bool refutes_layout(struct pc_salvage *s, const struct pc_finding *f)
{
    bool refutes = f->id == PC_D_STRING_SWALLOWS && !s->of_copy && !s->mmap2_new &&
                   s->content->scan->capture.mmap2_old == 1;
    s->mmap2_new |= refutes;
    return refutes;
}

/* All pieces of a record are left out. */
static void lose_pieces(struct pc_salvage *s, const struct pc_where *where, uint64_t number,
                        const struct pc_finding *f)
{
    s->again |= pc_salvage_leave_out(s, &s->joined, pc_salvage_key(where, number), f);
}

static void take_split(struct pc_salvage *s, const struct pc_finding *f)
{
    if (pc_pieces_are_of(&s->run, f))
        lose_pieces(s, &s->run.where, s->run.number, f);
    else
        lose_pieces(s, &f->where, f->number, f);
}

static void take(void *ctx, const struct pc_finding *f)
{
    struct pc_salvage *s = ctx;
    pc_proof_finding(s->content->proof, f);
    pc_salvage_see_payload(s, f);
    if ((f->severity == PC_WARNING || f->id == PC_D_STRING_PADDING) && f->place == PC_IN_RECORD &&
        !s->of_copy) {
        s->warning = f->id;
        s->warned = f->number;
        if (f->id == PC_D_CPU_MAP_EMPTY)
            s->empty_map = pc_salvage_key(&f->where, f->number);
        if (f->id == PC_D_TIME_ORDER)
            note_bad_content(s, f);
    }
    if (pc_tally_is_gap(f->id) && !s->of_copy)
        note(s, &(struct pc_lost){
                    .why = f->id, .place = PC_IN_RECORD, .offset = f->offset, .size = f->length });
    if (f->id == PC_D_RECORD_CUT && !s->of_copy)
        s->cut = f->id;
    if (f->id == PC_D_COMPRESSED_ZEROS && !s->of_copy)
        pc_salvage_leave_out_content(s, pc_salvage_key(&f->where, f->number), f);
    if (f->severity != PC_ERROR || pc_diag_is_cause(f->id) || !pc_content_is_damage(f->id))
        return;
    if (pc_diag_is_unreadable(f->id) || pc_diag_is_for_reader(f->id) || pc_diag_is_for_copy(f->id))
        pc_salvage_keep_finding(s, f);
    else if (!s->of_copy && (f->id == PC_D_ANDROID_SPLIT_OPEN || f->id == PC_D_ANDROID_SPLIT_SIZE))
        take_split(s, f);
    else if (refutes_layout(s, f))
        s->restart = s->again = true;
    else if (s->of_copy)
        pc_salvage_take_error_of_copy(s, f);
    else if (f->id == PC_D_TRACEPOINT_UNDESCRIBED && pc_salvage_is_event(s, f->number))
        pc_salvage_lose_feature(s, PC_TRACING_DATA, f);
    else if (f->id != PC_D_TRACEPOINT_WITHOUT_DATA &&
             f->id != PC_D_TRACEPOINT_UNDESCRIBED) /* they are made */
        take_error(s, f);
}

bool pc_salvage_leaves_out(struct pc_salvage *s, const struct pc_finding *f)
{
    if (s->of_copy)
        return false;
    switch (f->id) {
    case PC_D_REWRITE_UNKNOWN:
    case PC_D_REWRITE_RECORD:
    case PC_D_REWRITE_FOR_RECORD:
        pc_proof_refused(s->content->proof, f,
                         s->content->reader || s->content->own.to != s->content->scan->capture.order);
        s->again |= pc_salvage_leave_out_record(s, pc_salvage_key(&f->where, f->number), f->id);
        return true;
    case PC_D_REWRITE_SKIPPED: /* which was noted where it was */
    case PC_D_REWRITE_COMPRESSED:
        return true;
    case PC_D_REWRITE_FEATURE:
    case PC_D_REWRITE_TOO_LARGE:
        if (f->number < PC_FEATURE_BITS)
            s->refused[f->number]++;
        note_finding(s, f);
        return true;
    case PC_D_REWRITE_FEATURE_TWICE:
    case PC_D_REWRITE_PAYLOAD:
    case PC_D_REWRITE_PLANNED:
    case PC_D_REWRITE_KCORE:
        note_finding(s, f);
        return true;
    default:
        return false;
    }
}

/* --- items --- */

static void begin(struct pc_salvage *s, struct pc_content *content, bool of_copy)
{
    s->content = content;
    s->of_copy = of_copy;
    s->bad_before = s->beyond = 0;
    s->before = (struct pc_item){ .kind = PC_ITEM_HEADER };
    s->last = (struct pc_before){ .item = s->before };
    s->skipped = s->nr_broken = 0;
    s->frame = NULL;
    s->frame_bad = s->empty_map = s->against = s->foreign = PC_NO_INDEX;
    content->salvage = s;
    content->scan->check.flow.salvages = true;
    content->scan->report.on_finding = take;
    content->scan->report.ctx = s;
}

void pc_salvage_begin(struct pc_salvage *s, struct pc_content *content)
{
    begin(s, content, false);
    content->scan->reader.salvages = true;
    content->scan->reader.ends_cut = s->end_why != PC_NO_DIAG;
    pc_salvage_begin_pass(s);
    s->searched = s->kept = s->found = s->of_container = s->attrs_passed = 0;
    s->again = s->mmap2_shown = s->literal = false;
    s->nr_misread = 0;
    s->run = (struct pc_pieces){ 0 };
    pc_losses_clear(&s->lost);
    pc_set_clear(&s->mem, &s->events);
    s->lost.in = &s->in;
    memset(s->refused, 0, sizeof(s->refused));
    s->damage = s->cut = s->warning = PC_NO_DIAG;
    if (s->mmap2_new)
        content->scan->capture.mmap2_old = 0;
    pc_salvage_leave_out_unsure(s);
}

void pc_salvage_begin_copy(struct pc_salvage *s, struct pc_content *content)
{
    begin(s, content, true);
    s->nr_container = 0;
    s->attrs_of_copy = s->without_attr = 0;
    s->read += s->once;
    s->copy_is_bad = content->scan->reader.literal = s->literal;
    s->at_misread = 0;
    s->attrs_before = s->attrs.nr;
    pc_set_clear(&s->mem, &s->suspects);
}

/* Whether a map whose right end is known, unlike its size, holds no CPU: what it held is lost. */
static bool holds_no_cpu(const struct pc_salvage *s, const struct pc_item *item)
{
    return item->type == PC_CPU_MAP && s->empty_map == pc_salvage_key(&item->where, item->number);
}

/* Whether an MMAP2 is damaged so that readers of the copy would take all for those of the old layout. */
static bool claims_old_layout(const struct pc_salvage *s, const struct pc_item *item)
{
    return s->mmap2_new && !s->mmap2_shown && item->type == PC_MMAP2 &&
           pc_mmap2_is_old(item->misc, item->bytes) == 1;
}

/* Why a record is left out, or PC_NO_DIAG. */
static enum pc_diag why_left_out(struct pc_salvage *s, const struct pc_item *item)
{
    struct pc_capture *capture = &s->content->scan->capture;
    const struct pc_where *where = &item->where;
    const struct left_out record = { .why = pc_salvage_why_record(s, pc_salvage_key(where, item->number)) };
    const struct left_out *found = record.why != PC_NO_DIAG ? &record : NULL;
    if (!found && pc_is_piece(item->type))
        found = pc_salvage_find(&s->joined, pc_salvage_key(&s->run.where, s->run.number));
    if (!found && where->stream == 0 && !where->inside)
        found = pc_salvage_piece(s, item->offset);
    struct pc_cursor in = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    uint64_t bit = 0;
    const bool is_feature = item->type == PC_HEADER_FEATURE && pc_uint(&in, 8, &bit);
    if (!found && is_feature)
        found = pc_salvage_find(&s->features, bit);
    if (!found && item->type == PC_HEADER_TRACING_DATA && capture->is_pipe)
        found = pc_salvage_place_trace(s, item);
    if (!found && where->inside && s->frame_stream == where->stream)
        found = s->frame;
    if (!found && s->attrs.nr != 0 && item->type == PC_HEADER_ATTR && capture->nr_attrs != 0)
        found = pc_salvage_find(&s->attrs, capture->nr_attrs - 1);
    if (!found && s->attrs.nr != 0 && pc_is_kernel_type(item->type))
        found = pc_capture_lost_attr(capture, &s->attrs, item->type, item->bytes);
    if (!found && claims_old_layout(s, item))
        return PC_D_STRING_SWALLOWS;
    if (!found && s->attrs.nr != 0 && pc_item_whole(item)->type == PC_EVENT_ID)
        found = s->attrs.entry; /* it has the numbers of attrs, which are others in the copy */
    enum pc_diag why = found ? (enum pc_diag)found->why : PC_NO_DIAG;
    if (why && is_feature)
        pc_capture_forget_feature(capture, bit);
    if (why && pc_load_head(item->bytes.ptr, capture->order).size != item->bytes.len && !item->size_wrapped &&
        pc_salvage_holds_attr(s, item) && !holds_no_cpu(s, item)) {
        note_record(s, item, PC_LOST_MENDED, why); /* its end is known */
        s->last_mended = true;
        return PC_NO_DIAG;
    }
    return why;
}

/* A compressed record comes: all of its zstd stream that is damaged in it, or was before, is left out. A
 * frame begins the stream anew. */
static void begin_content(struct pc_salvage *s, const struct pc_item *item)
{
    uint32_t stream = item->where.stream;
    if (pc_whole_begins_frame(&s->content->scan->capture, item) || stream != s->frame_stream) {
        s->frame = NULL;
        s->frame_bad = PC_NO_INDEX;
    }
    s->frame_stream = stream;
    const struct left_out *found = pc_salvage_find(&s->frames, pc_salvage_key(&item->where, item->number));
    s->frame = found ? found : s->frame;
}

/* Notes a compressed record that is not opened, as it needs others that are damaged. */
static void note_unopened(struct pc_salvage *s, const struct pc_item *item)
{
    const struct pc_packed_state *packed = &s->content->scan->reader.packed;
    if (packed->state == PC_CONTENT_LOST && packed->record.number != item->number)
        note_record(s, item, PC_LOST_OUT, s->damage ? s->damage : PC_D_ZSTD_DAMAGED);
}

/* Notes a compressed record that is read with another size than it says. */
static void note_mended(struct pc_salvage *s, const struct pc_item *item)
{
    const struct left_out *piece = NULL;
    if (item->where.stream == 0 && !item->where.inside)
        piece = pc_salvage_piece(s, item->offset);
    if (piece)
        note_record(s, item, PC_LOST_MENDED, (enum pc_diag)piece->why);
}

/* Notes the last compressed record when not all of its content came out. What did is judged by itself. */
static void note_broken(struct pc_salvage *s)
{
    const struct pc_packed_state *packed = &s->content->scan->reader.packed;
    if (packed->nr_broken != s->nr_broken)
        note_record(s, &packed->broken, PC_LOST_OUT, s->damage ? s->damage : PC_D_ZSTD_DAMAGED);
    s->nr_broken = packed->nr_broken;
}

/* So many attrs have passed. The last one does not tell where ids are, when it is left out. */
static void pass_attrs(struct pc_salvage *s, uint64_t nr)
{
    struct pc_capture *capture = &s->content->scan->capture;
    if (nr != s->attrs_passed && nr == capture->nr_attrs && pc_salvage_find(&s->attrs, nr - 1))
        pc_capture_lose_attr(capture);
    s->attrs_passed = nr;
}

static bool keeps_record(struct pc_salvage *s, const struct pc_item *item)
{
    pc_losses_end(&s->lost, &item->where, item->offset);
    if (!item->where.inside)
        note_broken(s);
    pc_salvage_gap(s, item);
    pc_salvage_undo_splits(s, item);
    pass_attrs(s, s->content->scan->capture.nr_attrs);
    pc_pieces_note(&s->run, item);
    s->last_mended = false;
    enum pc_diag why = why_left_out(s, item);
    pc_salvage_count_payload(s, item);
    if (pc_record_is(item->type, PC_HOLDS_RECORDS))
        begin_content(s, item);
    if (!why && pc_salvage_is_content(s, item)) {
        /* Not all that is sound is written: the perf of --for may have no use for it. */
        uint64_t place = s->content->parts.records.count + s->bad_before;
        const struct left_out *bad = pc_salvage_find(&s->bad, place);
        s->bad_before += bad != NULL;
        if (bad) {
            why = (enum pc_diag)bad->why;
            s->last_bad = (struct pc_lost){
                .why = why, .offset = item->offset, .number = item->number, .type = item->type
            };
            pc_salvage_leave_out_record(s, pc_salvage_key(&item->where, item->number), why);
        }
        s->kept += !bad;
    }
    bool holds = pc_record_is(item->type, PC_HOLDS_RECORDS);
    s->found += !holds;
    s->of_container += !why && !holds && pc_record_is(item->type, PC_OF_CONTAINER);
    /* Bytes that a writer would have left zero may be other records; those of an unknown feature may be
     * anything. */
    bool any = s->warning == PC_D_FEATURE_UNKNOWN_RECORD || s->warning == PC_D_FEATURE_ANDROID;
    bool doubtful = !why && !any && s->warning && s->warned == item->number;
    if (why || doubtful)
        pc_salvage_split(s, item, why ? why : s->warning);
    if (why && pc_is_piece(item->type))
        lose_pieces(s, &s->run.where, s->run.number,
                    &(struct pc_finding){ .id = why, .offset = item->offset });
    if (holds) {
        note_unopened(s, item);
        note_mended(s, item);
    } else if (why)
        note_record(s, item, PC_LOST_OUT, why);
    else if (pc_salvage_is_mended_record(s, item))
        note_record(s, item, PC_LOST_MENDED, PC_NO_DIAG);
    s->before = s->last.item;
    if (s->last.item.where.inside)
        s->before = (struct pc_item){ .kind = PC_ITEM_HEADER };
    s->before_kept = s->last_kept;
    pc_before_note(&s->last, s->content->scan, item);
    s->last_kept = !why;
    s->mmap2_shown |= !why && item->type == PC_MMAP2 && pc_mmap2_is_old(item->misc, item->bytes) == 0;
    return !why;
}

bool pc_salvage_keeps(struct pc_salvage *s, const struct pc_item *item)
{
    if (s->of_copy) {
        if (item->kind == PC_ITEM_RECORD)
            pc_salvage_count_record_of_copy(s, item);
        return true;
    }
    switch (item->kind) {
    case PC_ITEM_HEADER:
        break;
    case PC_ITEM_ATTR:
        pass_attrs(s, item->number + 1);
        return !pc_salvage_find(&s->attrs, item->number);
    case PC_ITEM_FEATURE:
        return pc_salvage_keeps_feature(s, item);
    case PC_ITEM_RECORD:
        return keeps_record(s, item);
    case PC_ITEM_PAYLOAD:
        return pc_salvage_keeps_payload(s, item);
    case PC_ITEM_END:
        pc_salvage_judge_formats(s);
        pc_salvage_end_pass(s);
        note_broken(s);
        pc_salvage_gap(s, item);
        note_patches(s);
        pc_salvage_note_members(s);
        if (s->content->made_formats)
            pc_salvage_note_made(s, PC_TRACING_DATA);
        note_set(s, &s->attrs, PC_IN_ATTR);
        note_set(s, &s->features, PC_IN_FEATURE);
        pc_set_clear(&s->mem, &s->bad);
        break;
    }
    return true;
}
