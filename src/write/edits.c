/* SPDX-License-Identifier: MIT */
#include "write/edits_parts.h"
#include "bytes/cursor.h"

#include <string.h>

const struct pc_edit_row pc_edit_rows[PC_EDITS] = {
    [PC_EDIT_MARK] = { "FINISHED_INIT left out", "in Linux 6.0",
                       "an older perf needs no mark between what perf made up and what it recorded" },
    [PC_EDIT_BPF] = { "BPF_METADATA left out", "after Linux 6.12",
                      "an older perf does not show variables of BPF programs" },
    [PC_EDIT_STATS] = { "SCHEDSTAT_CPU and SCHEDSTAT_DOMAIN left out", "after Linux 6.12",
                        "an older perf has no command that shows them" },
    [PC_EDIT_HW_ID] = { "AUX_OUTPUT_HW_ID left out", "in Linux 5.16",
                        "the decoders of an older perf do not use it" },
    [PC_EDIT_RANGE] = { "ranges of CPUs became lists", "in Linux 6.0", "a list has the same CPUs" },
    [PC_EDIT_STAT] = { "numbers of CPUs in STAT became indices into the CPU map", "in Linux 5.17",
                       "an older perf looks for the CPU there; perf from 6.1 on does not read such a copy" },
    [PC_EDIT_CONFIG] = { "AGGR_LEVEL in STAT_CONFIG left out", "in Linux 6.5",
                         "an older perf sums up no counts by caches; it warns of the term" },
    [PC_EDIT_BUILD_ID] = { "build ids of MMAP2 moved to the feature BUILD_ID", "in Linux 5.12",
                           "an older perf looks for them there" },
    [PC_EDIT_FLAGS] = { "flags of attrs cleared", "in Linux 5.12 and later",
                        "they told the kernel what to record; an older perf has no name for them" },
    [PC_EDIT_MEMBERS] = { "sig_data, config3 and config4 of attrs cut off", "in Linux 5.13 and later",
                          "they told the kernel what to count; an older perf has no name for them" },
    [PC_EDIT_AUX_ACTION] = { "aux_action of attrs cleared", "in Linux 6.13",
                             "it told the kernel when to trace; an older perf has no name for it" },
    [PC_EDIT_TYPE] = { "events of a PMU became raw ones", "for perf script after Linux 5.10",
                       "the kernel numbers PMUs anew each time; the event keeps its name and config" },
    [PC_EDIT_SAMPLE] = { "page sizes in samples left out", "in Linux 5.11",
                         "an older perf has no field for them" },
    [PC_EDIT_WEIGHT] = { "weights of samples reduced to their first part", "in Linux 5.12",
                         "it is what an older perf shows as the weight" },
    [PC_EDIT_LOST] = { "counts of lost samples in read values left out", "in Linux 6.0",
                       "an older perf does not show them" },
    [PC_EDIT_COUNTERS] = { "counters of branches left out", "in Linux 6.8",
                           "an older perf does not show them" },
    [PC_EDIT_BRANCH] = { "types and privileges of branches cleared", "in Linux 6.1",
                         "an older perf has no name for them" },
    [PC_EDIT_DEFERRED] = { "marks of deferred call chains left out", "after Linux 6.12",
                           "they only say that the rest of the chain comes later" },
    [PC_EDIT_BPF_INFO] = { "bpf_prog_info cut off after 208 bytes", "in Linux 5.12 and later",
                           "an older perf does not show what follows" },
    [PC_EDIT_BTF] = { "types (BTF) with a FLOAT or ENUM64 left out of BPF_BTF", "in Linux 5.13 and later",
                      "perf 5.10 does not read them, nor the names of functions in them" },
    [PC_EDIT_TRACE] = { "AUX traces left out", "in Linux 6.2 and later",
                        "an older perf has no decoder for them; without them perf script names no sample "
                        "after the EXIT of its thread" },
    [PC_EDIT_FEATURE] = { "newer features left out", "in Linux 5.13 and later",
                          "an older perf does not show them" },
    [PC_EDIT_PACKED] = { "compressed records decompressed", "in Linux 5.2",
                         "the same records; perf 5.10 is often built without zstd, and then shows none" },
    [PC_EDIT_ANDROID] = { "records of simpleperf left out", "", "perf does not show them" },
    [PC_EDIT_ANDROID_FEATURE] = { "features of simpleperf left out", "", "perf does not show them" },
    [PC_EDIT_ANDROID_SYMBOLS] = { "symbols of simpleperf left out", "",
                                  "perf does not look for them there; --symbols-out=FILE writes them as "
                                  "text" },
    [PC_EDIT_ANDROID_MAPS] = { "the feature INIT_MAP of simpleperf left out", "",
                               "perf finds no mappings there; it names nothing that was mapped before" },
    [PC_EDIT_ANDROID_TRACE] = { "the record TRACING_DATA of simpleperf became the feature", "",
                                "perf looks for trace data there" },
    [PC_EDIT_ANDROID_NAMES] = { "names of events in META_INFO of simpleperf became EVENT_DESC", "",
                                "perf looks for names there" },
    [PC_EDIT_ANDROID_NAME_CUT] = { "the name of an event in META_INFO of simpleperf cut to 511 bytes", "",
                                   "perf shows no more of it" },
    [PC_EDIT_ANDROID_FORMATS] = { "trace data made, which name the tracepoints of simpleperf", "",
                                  "perf opens no file of tracepoints without them; no sample has a payload" },
    [PC_EDIT_ANDROID_IDS] = { "ids of events in EVENT_ID of simpleperf joined those of the attrs", "",
                              "perf looks for ids there" },
};

void pc_edits_clear(struct pc_content *c)
{
    struct pc_edits *edits = &c->edits;
    pc_free(c->mem, edits->record, edits->record ? PC_CONVERT_RECORD : 0);
    pc_free(c->mem, edits->item, edits->item_size);
    pc_tree_clear(c->mem, &edits->ids);
    *edits = (struct pc_edits){ 0 };
}

/* --- attrs and features --- */

/* Bytes that are copied leaf by leaf. */
struct copied {
    struct pc_content *c;
    unsigned char *out;
    size_t len;
    enum pc_order order;
    bool in_attr;
    size_t start;    /* of the attr, or of the info */
    uint64_t offset; /* of the feature */
    size_t info_len_at;
    size_t entry;       /* of BPF_BTF: where it begins in `out` */
    size_t nr_programs; /* that became shorter or are left out */
    uint64_t first;     /* of these */
    bool edited[PC_EDITS];
};

static void set(struct copied *w, const struct pc_leaf *leaf, unsigned char *to, uint64_t value)
{
    uint64_t word = leaf->field->kind == PC_BITS ? pc_bits_word(leaf->field, value, w->order) : value;
    pc_store(to, leaf->field->width, word, w->order);
}

/* Clears bits of a leaf. */
static void clear(struct copied *w, const struct pc_leaf *leaf, unsigned char *to, uint64_t bits,
                  enum pc_edit edit)
{
    if (!(leaf->value & bits))
        return;
    set(w, leaf, to, leaf->value & ~bits);
    w->edited[edit] = true;
}

static bool is_other_pmu(uint64_t type)
{
    return type >= PC_TYPES_5_10 && type != PC_TYPE_SYNTH;
}

static void edit_member(struct copied *w, const struct pc_leaf *leaf, unsigned char *to)
{
    const struct pc_version_knows *reader = w->c->reader;
    uint64_t newer;
    switch (leaf->field->save) {
    case PC_ATTR_TYPE:
        if (is_other_pmu(leaf->value) && pc_edit_is_refused(w->c, PC_D_FOR_EVENT_TYPE)) {
            set(w, leaf, to, PC_TYPE_RAW);
            w->edited[PC_EDIT_TYPE] = true;
        }
        break;
    case PC_ATTR_SAMPLE_TYPE:
        newer = leaf->value & pc_edit_newer_samples(reader);
        w->edited[PC_EDIT_SAMPLE] |= (newer & PC_S_PAGE_SIZES) != 0;
        w->edited[PC_EDIT_WEIGHT] |= (newer & PC_S_WEIGHT_STRUCT) != 0;
        set(w, leaf, to, (leaf->value & ~newer) | (newer & PC_S_WEIGHT_STRUCT ? PC_S_WEIGHT : 0));
        break;
    case PC_ATTR_READ_FORMAT:
        clear(w, leaf, to, PC_READ_LOST & ~reader->read_format, PC_EDIT_LOST);
        break;
    case PC_ATTR_FLAGS:
        newer = leaf->value & (PC_FLAG(40) - 1) & ~reader->flags;
        clear(w, leaf, to, newer, PC_EDIT_FLAGS);
        w->c->edits.flags |= newer;
        break;
    case PC_ATTR_BRANCH_TYPE:
        clear(w, leaf, to, PC_BRANCH_COUNTERS & ~reader->branch_type, PC_EDIT_COUNTERS);
        if (PC_BRANCH_PRIV_SAVE & ~reader->branch_type & leaf->value) {
            w->edited[PC_EDIT_BRANCH] = true;
            set(w, leaf, to, leaf->value & reader->branch_type);
        }
        break;
    case PC_ATTR_AUX_ACTION:
        if (pc_edit_is_refused(w->c, PC_D_FOR_AUX_ACTION))
            clear(w, leaf, to, UINT32_MAX, PC_EDIT_AUX_ACTION);
        break;
    default:
        break;
    }
    if (leaf->at - w->start >= reader->attr_size && !(leaf->field->flags & PC_UNKNOWN) && leaf->value != 0) {
        memset(to, 0, leaf->raw.len);
        w->edited[PC_EDIT_MEMBERS] = true;
    }
}

static bool copy_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct copied *w = ctx;
    if (leaf->fault != PC_SOUND)
        return false; /* which was reported */
    unsigned char *to = w->out + w->len;
    if (leaf->raw.len != 0)
        memcpy(to, leaf->raw.ptr, leaf->raw.len);
    w->len += leaf->raw.len;
    if (w->in_attr)
        edit_member(w, leaf, to);
    else if (leaf->field->save == PC_BPF_INFO_LEN)
        w->info_len_at = (size_t)(to - w->out);
    return true;
}

static void note_program(struct copied *w, enum pc_edit edit, uint64_t offset)
{
    if (w->nr_programs++ == 0)
        w->first = offset;
    w->edited[edit] = true;
}

/* Of BPF_BTF. */
static bool copy_btf_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct copied *w = ctx;
    if (leaf->field->save == PC_BTF_ID)
        w->entry = w->len;
    if (!copy_leaf(ctx, leaf))
        return false;
    if (leaf->field->save != PC_BTF_DATA || !pc_flow_btf_is_refused(leaf->raw))
        return true;
    w->len = w->entry;
    pc_store(w->out, 4, pc_load(w->out, 4, w->order) - 1, w->order);
    note_program(w, PC_EDIT_BTF, w->offset + leaf->at);
    return true;
}

static bool enter_frame(void *ctx, const struct pc_leaf *whole)
{
    struct copied *w = ctx;
    w->in_attr = whole->field->sub == pc_attr_fields;
    w->start = w->in_attr ? whole->at : w->len;
    return true;
}

static bool leave_frame(void *ctx, const struct pc_leaf *whole)
{
    struct copied *w = ctx;
    bool is_attr = w->in_attr;
    w->in_attr = false;
    if (is_attr || whole->raw.len <= PC_BPF_INFO_5_10)
        return true;
    w->len = w->start + PC_BPF_INFO_5_10;
    pc_store(w->out + w->info_len_at, 4, PC_BPF_INFO_5_10, w->order);
    note_program(w, PC_EDIT_BPF_INFO, w->offset);
    return true;
}

/* Room for an item that is edited. */
static unsigned char *make_room(struct pc_content *c, size_t size)
{
    struct pc_edits *edits = &c->edits;
    pc_free(c->mem, edits->item, edits->item_size);
    edits->item = pc_alloc(c->mem, size);
    edits->item_size = edits->item ? size : 0;
    if (!edits->item)
        pc_content_no_memory(c);
    return edits->item;
}

/* Whether anything was, which is counted unless the offset is PC_NO_INDEX. */
static bool note_edited(struct copied *w, uint64_t offset)
{
    bool any = false;
    for (enum pc_edit i = 0; i < PC_EDITS; i++) {
        any |= w->edited[i];
        if (w->edited[i] && offset != PC_NO_INDEX)
            pc_edit_note(w->c, i, offset);
    }
    return any;
}

/* The attr of `len` bytes that begins `at` bytes into the item. */
static void edit_attr(struct pc_content *c, struct pc_item *item, size_t at, size_t len)
{
    const struct pc_capture *capture = &c->scan->capture;
    struct copied w = { .c = c, .order = capture->order, .in_attr = true };
    struct pc_cursor in = pc_cursor(pc_part(item->bytes, at, len), w.order);
    struct pc_walk walk;
    unsigned char *room = make_room(c, item->bytes.len);
    if (!room)
        return;
    memcpy(room, item->bytes.ptr, item->bytes.len);
    w.out = room + at;
    pc_walk_init(&walk, NULL, &in, copy_leaf, &w);
    pc_walk_table(&walk, pc_attr_fields);
    if (note_edited(&w, item->offset + at))
        item->bytes.ptr = room;
    c->edits.of_samples |= w.edited[PC_EDIT_SAMPLE] || w.edited[PC_EDIT_WEIGHT] || w.edited[PC_EDIT_LOST] ||
                           w.edited[PC_EDIT_COUNTERS] || w.edited[PC_EDIT_FLAGS];
    uint64_t samples =
        capture->nr_attrs == 0 ? 0 : pc_attr_get(&capture->attr[capture->nr_attrs - 1], PC_ATTR_SAMPLE_TYPE);
    c->edits.of_samples |= (samples & PC_S_BRANCH_STACK) && pc_edit_is_refused(c, PC_D_FOR_BRANCH_FLAGS);
}

struct pc_span pc_edit_feature(struct pc_content *c, uint64_t bit, struct pc_span bytes, uint64_t offset)
{
    struct copied w = { .c = c, .order = c->scan->capture.order };
    struct pc_layout layout = pc_capture_feature_layout(&c->scan->capture);
    struct pc_cursor in = pc_cursor(bytes, w.order);
    struct pc_walk walk;
    bool cut = bit == PC_BPF_PROG_INFO && pc_edit_is_refused(c, PC_D_FOR_BPF_INFO);
    bool thin = bit == PC_BPF_BTF && c->reader && (c->reader->version & PC_BY_5_10);
    if (!c->reader || bytes.len == 0 || !(bit == PC_EVENT_DESC || cut || thin))
        return bytes;
    unsigned char *room = make_room(c, PC_FEATURE_HEAD + bytes.len);
    if (!room)
        return bytes;
    w.out = room + PC_FEATURE_HEAD;
    pc_walk_init(&walk, &layout, &in, thin ? copy_btf_leaf : copy_leaf, &w);
    walk.enter = enter_frame;
    walk.leave = leave_frame;
    w.offset = offset;
    if (!pc_walk_table(&walk, pc_feature_fields(bit, bytes)) || !note_edited(&w, PC_NO_INDEX))
        return bytes;
    for (size_t i = 0; i < w.nr_programs; i++)
        pc_edit_note(c, thin ? PC_EDIT_BTF : PC_EDIT_BPF_INFO, w.first);
    size_t rest = pc_left(&in);
    memcpy(w.out + w.len, bytes.ptr + in.pos, rest);
    return (struct pc_span){ w.out, w.len + rest };
}

/* The same of a record. */
static void edit_header_feature(struct pc_content *c, struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, c->scan->capture.order);
    uint64_t bit;
    if (!pc_uint(&in, 8, &bit))
        return; /* which was reported */
    struct pc_span content = pc_part(item->bytes, in.pos, pc_left(&in));
    struct pc_span edited = pc_edit_feature(c, bit, content, item->offset + in.pos);
    if (edited.ptr == content.ptr)
        return;
    memcpy(c->edits.item, item->bytes.ptr, PC_FEATURE_HEAD);
    item->bytes = (struct pc_span){ c->edits.item, PC_FEATURE_HEAD + edited.len };
    pc_store(c->edits.item + PC_RECORD_SIZE_AT, 2, item->bytes.len, c->scan->capture.order);
}

void pc_edit_item(struct pc_content *c, struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, c->scan->capture.order);
    uint64_t size;
    if (item->kind == PC_ITEM_ATTR)
        edit_attr(c, item, 0, item->bytes.len - PC_SECTION_SIZE);
    else if (item->kind == PC_ITEM_FEATURE)
        item->bytes = pc_edit_feature(c, item->number, item->bytes, item->offset);
    else if (item->kind == PC_ITEM_RECORD && item->type == PC_HEADER_FEATURE)
        edit_header_feature(c, item);
    else if (item->kind == PC_ITEM_RECORD && item->type == PC_HEADER_ATTR && c->scan->capture.is_pipe &&
             pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) && pc_attr_size(size) <= pc_left(&in))
        edit_attr(c, item, in.pos, (size_t)pc_attr_size(size));
}

/* --- records that are left out --- */

static const struct {
    uint32_t type;
    enum pc_edit edit;
} newer_records[] = {
    { PC_FINISHED_INIT, PC_EDIT_MARK },     { PC_BPF_METADATA, PC_EDIT_BPF },
    { PC_SCHEDSTAT_CPU, PC_EDIT_STATS },    { PC_SCHEDSTAT_DOMAIN, PC_EDIT_STATS },
    { PC_AUX_OUTPUT_HW_ID, PC_EDIT_HW_ID },
};

static bool is_newer(const struct pc_version_knows *reader, uint32_t type)
{
    return type > (pc_is_kernel_type(type) ? reader->kernel_type : reader->user_type);
}

bool pc_edit_needs_drop(const struct pc_version_knows *reader, uint32_t type)
{
    bool has_edit = pc_is_android_type(type) || pc_record_is(type, PC_HOLDS_RECORDS);
    for (size_t i = 0; i < PC_COUNT_OF(newer_records); i++)
        has_edit |= type == newer_records[i].type;
    bool stops =
        pc_record_info(type) || (pc_diag_info(PC_D_TYPE_USER_UNKNOWN)->rejected_by & reader->version);
    return is_newer(reader, type) && stops && !has_edit;
}

bool pc_edit_drops_feature(struct pc_content *c, uint64_t bit, uint64_t offset)
{
    enum pc_edit edit = PC_EDIT_FEATURE;
    if (!c->reader || bit <= c->reader->feature)
        return false;
    if (pc_is_android_feature(bit))
        edit = bit == PC_INIT_MAP                  ? PC_EDIT_ANDROID_MAPS
               : bit == PC_FILE || bit == PC_FILE2 ? PC_EDIT_ANDROID_SYMBOLS
                                                   : PC_EDIT_ANDROID_FEATURE;
    if (bit == PC_META_INFO)
        c->has_event_lines = true;
    pc_edit_note(c, edit, offset);
    return true;
}

bool pc_edit_leaves_out(struct pc_content *c, const struct pc_item *item)
{
    uint64_t type;
    struct pc_cursor in = pc_record_body(item->bytes, c->scan->capture.order);
    if (c->edits.unpacks && item->kind == PC_ITEM_RECORD && pc_record_is(item->type, PC_HOLDS_RECORDS))
        pc_edit_note(c, PC_EDIT_PACKED, item->offset);
    if (item->kind == PC_ITEM_PAYLOAD)
        return c->edits.no_trace && item->type == PC_AUXTRACE;
    if (pc_capture_has_android_type(&c->scan->capture, item->type)) {
        pc_edit_android_record(c, item);
        return true;
    }
    for (size_t i = 0; i < PC_COUNT_OF(newer_records); i++) {
        if (item->type != newer_records[i].type || !is_newer(c->reader, item->type))
            continue;
        pc_edit_note_record(c, newer_records[i].edit, item);
        return true;
    }
    switch (item->type) {
    case PC_AUXTRACE_INFO:
        if (pc_uint(&in, 4, &type) && type > c->reader->auxtrace && type <= PC_TRACE_LAST)
            c->edits.no_trace = true;
        break;
    case PC_AUXTRACE:
        break;
    default:
        return false;
    }
    if (c->edits.no_trace)
        pc_edit_note(c, PC_EDIT_TRACE, item->offset);
    return c->edits.no_trace;
}

bool pc_edit_any(const struct pc_content *c)
{
    for (enum pc_edit i = 0; i < PC_EDITS; i++) {
        if (c->edits.count[i] != 0)
            return true;
    }
    return false;
}

bool pc_edit_lacks(const struct pc_content *c, uint64_t bit)
{
    return (c->edits.count[PC_EDIT_FEATURE] != 0 && bit > c->reader->feature &&
            !pc_is_android_feature(bit)) ||
           (c->edits.count[PC_EDIT_ANDROID_FEATURE] != 0 && pc_is_android_feature(bit)) ||
           (c->edits.count[PC_EDIT_ANDROID_SYMBOLS] != 0 && (bit == PC_FILE || bit == PC_FILE2)) ||
           (c->edits.count[PC_EDIT_ANDROID_MAPS] != 0 && bit == PC_INIT_MAP);
}

bool pc_edit_misreads_cpuid(const struct pc_capture *capture)
{
    return pc_bit(capture->seen, PC_CPUID) && pc_bit(capture->seen, PC_E_MACHINE) &&
           !pc_flow_cpuid_fits(capture, 0);
}

bool pc_edit_unpacks(struct pc_content *c)
{
    c->edits.unpacks = c->reader && c->reader->version == PC_BY_5_10;
    return c->edits.unpacks;
}

bool pc_edit_keeps_type(const struct pc_attr *attr, bool is_named, bool has_auxtrace)
{
    return is_other_pmu(pc_attr_get(attr, PC_ATTR_TYPE)) && (!is_named || has_auxtrace);
}

void pc_edit_end(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    pc_edit_android_end(c);
    for (uint64_t i = 0; i < capture->nr_attrs && c->edits.count[PC_EDIT_TYPE] != 0; i++) {
        if (pc_edit_keeps_type(&capture->attr[i], capture->attr[i].name, c->has_auxtrace))
            pc_content_refuse_type(c, i,
                                   c->has_auxtrace ? "the type of a PMU, by which its AUX traces are found"
                                                   : "the type of a PMU, since the event has no name");
    }
}
