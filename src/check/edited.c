/* SPDX-License-Identifier: MIT */
#include "check/edited.h"

#include "bytes/cursor.h"

#include <string.h>

static bool is_refused(const struct pc_version_knows *reader, enum pc_diag id)
{
    return pc_diag_info(id)->rejected_by & reader->version;
}

/* What was walked, and what became of it. */
struct edited {
    const struct pc_version_knows *reader;
    struct pc_span after;
    enum pc_order order;
    size_t at, covered;  /* in `after`; and in what is walked */
    size_t start;        /* of the attr, or of the info of a BPF program */
    size_t limit;        /* so many bytes of the info are left */
    size_t nr, gone;     /* terms that a count lacks, and bytes of such */
    size_t branches_end; /* of those so far; counters follow the last one */
    bool in_attr;
    bool old_mapping; /* MMAP2 have no prot and flags */
    bool same;
};

/* Whether so many bytes are the same, and goes behind them. */
static bool pass(struct edited *e, struct pc_span before, size_t end)
{
    size_t n = end > e->covered ? end - e->covered : 0;
    if (n > e->after.len - e->at || (n != 0 && memcmp(before.ptr + e->covered, e->after.ptr + e->at, n) != 0))
        return false;
    e->at += n;
    e->covered += n;
    return true;
}

/* The value of a leaf at the current place, behind which it goes. False: it is not there. */
static bool take(struct edited *e, const struct pc_leaf *leaf, uint64_t *value)
{
    unsigned width = leaf->field->width;
    if (width > e->after.len - e->at)
        return false;
    *value = pc_load(e->after.ptr + e->at, width, e->order);
    if (leaf->field->kind == PC_BITS)
        *value = pc_bits_value(leaf->field, *value, e->order);
    e->at += width;
    e->covered += width;
    return true;
}

/* --- attrs --- */

static bool is_same_member(const struct edited *e, const struct pc_leaf *leaf, uint64_t value)
{
    const struct pc_version_knows *reader = e->reader;
    uint64_t gone = leaf->value & ~value, come = value & ~leaf->value, known = UINT64_MAX, weight = 0;
    bool is_pmu = leaf->value > PC_TYPE_BREAKPOINT + 1 && leaf->value != PC_TYPE_SYNTH;
    if (leaf->at - e->start >= reader->attr_size && value == 0)
        return true;
    switch (leaf->field->save) {
    case PC_ATTR_TYPE:
        return gone == come || (is_pmu && value == PC_TYPE_RAW && is_refused(reader, PC_D_FOR_EVENT_TYPE));
    case PC_ATTR_SAMPLE_TYPE:
        known = reader->sample_type;
        weight = gone & PC_S_WEIGHT_STRUCT ? PC_S_WEIGHT & ~leaf->value : 0;
        break;
    case PC_ATTR_READ_FORMAT:
        known = reader->read_format;
        break;
    case PC_ATTR_FLAGS:
        known = reader->flags;
        break;
    case PC_ATTR_BRANCH_TYPE:
        known = reader->branch_type;
        break;
    case PC_ATTR_AUX_ACTION:
        known = is_refused(reader, PC_D_FOR_AUX_ACTION) ? 0 : UINT64_MAX;
        break;
    default:
        break;
    }
    return (gone & known) == 0 && come == weight;
}

static bool see_item(void *ctx, const struct pc_leaf *leaf)
{
    struct edited *e = ctx;
    struct pc_span before = leaf->walk->c->in;
    enum pc_kind kind = (enum pc_kind)leaf->field->kind;
    uint64_t value;
    e->same = leaf->fault == PC_SOUND && pass(e, before, leaf->at);
    if (!e->same)
        return false;
    if (e->in_attr && (kind == PC_UINT || kind == PC_BITS))
        e->same = take(e, leaf, &value) && is_same_member(e, leaf, value);
    else
        e->same = pass(e, before, leaf->at + leaf->raw.len);
    return e->same;
}

static bool enter_attr(void *ctx, const struct pc_leaf *whole)
{
    struct edited *e = ctx;
    e->in_attr = whole->field->sub == pc_attr_fields;
    e->start = whole->at;
    return true;
}

static bool leave_attr(void *ctx, const struct pc_leaf *whole)
{
    struct edited *e = ctx;
    (void)whole;
    e->in_attr = false;
    return true;
}

/* The table is at `at`; what lies before and behind it is the same. */
static bool is_same_table(const struct pc_version_knows *reader, const struct pc_capture *capture,
                          const struct pc_field *table, size_t at, struct pc_span before,
                          struct pc_span after)
{
    struct edited e = { .reader = reader, .after = after, .order = capture->order, .start = at };
    struct pc_cursor c = { .in = before, .pos = at, .order = capture->order };
    struct pc_walk walk;
    uint64_t size;
    e.in_attr = table == pc_attr_fields;
    if (before.len != after.len)
        return false;
    if (e.in_attr && pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size) && pc_attr_size(size) < pc_left(&c))
        c.in.len = at + (size_t)pc_attr_size(size);
    pc_walk_init(&walk, NULL, &c, see_item, &e);
    walk.enter = enter_attr;
    walk.leave = leave_attr;
    return pc_walk_table(&walk, table) && pass(&e, before, before.len);
}

/* --- BPF_PROG_INFO --- */

static bool see_info(void *ctx, const struct pc_leaf *leaf)
{
    struct edited *e = ctx;
    struct pc_span before = leaf->walk->c->in;
    size_t end = leaf->at + leaf->raw.len;
    uint64_t size = 0;
    e->same = leaf->fault == PC_SOUND;
    if (e->same && leaf->field->save == PC_BPF_INFO_LEN) {
        e->same = pass(e, before, leaf->at) && take(e, leaf, &size) &&
                  (size == leaf->value || (size == PC_BPF_INFO_5_10 && size < leaf->value &&
                                           is_refused(e->reader, PC_D_FOR_BPF_INFO)));
        e->limit = (size_t)size;
    } else if (e->same && !leaf->walk->framed) {
        e->same = pass(e, before, end);
    }
    return e->same;
}

/* The info that has passed, as far as it is left. */
static bool leave_info(void *ctx, const struct pc_leaf *whole)
{
    struct edited *e = ctx;
    e->same = e->limit <= whole->raw.len && pass(e, whole->walk->c->in, whole->at + e->limit);
    e->covered = whole->at + whole->raw.len;
    return e->same;
}

/* --- BPF_BTF --- */

/* The first field counts the entries, and each has an id first and its types last. */
static bool see_btf(void *ctx, const struct pc_leaf *leaf)
{
    struct edited *e = ctx;
    struct pc_span before = leaf->walk->c->in;
    uint64_t left;
    e->same = leaf->fault == PC_SOUND;
    if (!e->same)
        return false;
    if (leaf->walk->depth == 0) {
        e->same = pass(e, before, leaf->at) && take(e, leaf, &left) && left <= leaf->value;
        e->nr = e->same ? (size_t)(leaf->value - left) : 0;
    } else if (leaf->field->save == PC_BTF_ID) {
        e->same = pass(e, before, leaf->at);
    } else if (leaf->field->save == PC_BTF_DATA && (e->reader->version & PC_BY_5_10) && e->nr != 0 &&
               pc_flow_btf_is_refused(leaf->raw)) {
        e->covered = leaf->at + leaf->raw.len;
        e->nr--;
    }
    return e->same;
}

/* The features that become shorter, and who walks them. */
static const struct shorter {
    enum pc_feature bit;
    pc_visit *see;
    pc_visit *leave;
    bool bulk;
} shorter[] = {
    { PC_BPF_PROG_INFO, see_info, leave_info, true },
    { PC_BPF_BTF, see_btf, NULL, false },
};

/* The feature is at `at`, behind the head of a record or at the beginning. */
static bool is_same_bpf(const struct pc_version_knows *reader, const struct pc_capture *capture,
                        const struct shorter *row, size_t at, struct pc_span before, struct pc_span after)
{
    struct edited e = { .reader = reader, .after = after, .order = capture->order, .at = at, .covered = at };
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_cursor c = { .in = before, .pos = at, .order = capture->order };
    struct pc_walk walk;
    if (after.len < at ||
        (at != 0 && (memcmp(before.ptr, after.ptr, PC_RECORD_SIZE_AT) != 0 ||
                     pc_load_head(after.ptr, e.order).size != after.len ||
                     memcmp(before.ptr + PC_RECORD_HEADER_SIZE, after.ptr + PC_RECORD_HEADER_SIZE,
                            at - PC_RECORD_HEADER_SIZE) != 0)))
        return false;
    pc_walk_init(&walk, &layout, &c, row->see, &e);
    walk.bulk = row->bulk;
    walk.leave = row->leave;
    return pc_walk_table(&walk, pc_feature_fields(row->bit, pc_part(before, at, before.len - at))) &&
           pass(&e, before, before.len) && e.at == after.len && e.nr == 0;
}

bool pc_edited_item(const struct pc_version_knows *reader, const struct pc_capture *capture,
                    const struct pc_item *before, const struct pc_item *after)
{
    const struct pc_field *table = pc_attr_fields;
    uint64_t bit = before->number;
    size_t at = 0;
    if (before->kind == PC_ITEM_RECORD) {
        struct pc_cursor in = pc_record_body(before->bytes, capture->order);
        at = PC_RECORD_HEADER_SIZE;
        if (before->type == PC_HEADER_FEATURE && pc_uint(&in, 8, &bit))
            at = PC_FEATURE_HEAD;
    }
    if (before->kind == PC_ITEM_FEATURE || at == PC_FEATURE_HEAD) {
        for (size_t i = 0; i < PC_COUNT_OF(shorter); i++) {
            if (bit == shorter[i].bit)
                return is_same_bpf(reader, capture, &shorter[i], at, before->bytes, after->bytes);
        }
        if (bit != PC_EVENT_DESC)
            return false;
        table = pc_event_desc;
    }
    return is_same_table(reader, capture, table, at, before->bytes, after->bytes);
}

/* --- records --- */

/* Whether that perf has no field for the leaf. */
static bool is_gone(const struct edited *e, const struct pc_leaf *leaf)
{
    const struct pc_version_knows *reader = e->reader;
    const uint64_t pages = PC_S_DATA_PAGE_SIZE | PC_S_CODE_PAGE_SIZE, when = leaf->field->when;
    if (leaf->is_array && (leaf->walk->mask & PC_LAYOUT_COUNTERS) && leaf->at == e->branches_end)
        return PC_BRANCH_COUNTERS & ~reader->branch_type;
    return (when & pages & ~reader->sample_type) ||
           (when & PC_LAYOUT_READ(PC_READ_LOST & ~reader->read_format)) ||
           (e->old_mapping && (when & PC_LAYOUT_PROT));
}

/* A chain, of which the mark of its deferred rest may be gone; what counts its entries came before it. */
static bool is_same_chain(struct edited *e, const struct pc_leaf *leaf)
{
    const size_t mark = 16;
    size_t len = leaf->raw.len;
    uint64_t nr = e->at < 8 ? 0 : pc_load(e->after.ptr + e->at - 8, 8, e->order);
    if (nr != len / 8) {
        if (len < mark || nr != (len - mark) / 8 || e->reader->kernel_type >= PC_CALLCHAIN_DEFERRED ||
            pc_load(leaf->raw.ptr + len - mark, 8, e->order) != PC_CONTEXT_USER_DEFERRED)
            return false;
        len -= mark;
    }
    if (!pass(e, leaf->walk->c->in, leaf->at + len))
        return false;
    e->covered = leaf->at + leaf->raw.len;
    return true;
}

static bool is_same_branch(const struct edited *e, uint64_t before, uint64_t after)
{
    const uint64_t types = (uint64_t)15 << 20 | (uint64_t)15 << 26, known = 11;
    return before == after || (pc_branch_type(before) >= known && after == (before & ~types) &&
                               is_refused(e->reader, PC_D_FOR_BRANCH_FLAGS));
}

static bool see_value(void *ctx, const struct pc_leaf *leaf)
{
    struct edited *e = ctx;
    struct pc_span before = leaf->walk->c->in;
    const struct pc_field *field = leaf->field;
    size_t n = leaf->raw.len;
    uint64_t value;
    e->same = leaf->fault == PC_SOUND && pass(e, before, leaf->at);
    if (!e->same)
        return false;
    if (is_gone(e, leaf)) {
        e->covered += n;
    } else if (field->when & PC_LAYOUT_BUILD_ID) {
        struct pc_span bytes = pc_part(e->after, e->at, n < e->after.len - e->at ? n : e->after.len - e->at);
        e->same = bytes.len == n && pc_first_nonzero(bytes) == n;
        e->covered += n;
        e->at += n;
    } else if (field->rule == PC_RULE_BRANCH) {
        e->same = take(e, leaf, &value) && is_same_branch(e, leaf->value, value);
        e->branches_end = leaf->at + n;
    } else if ((field->when & PC_S_WEIGHT_STRUCT & leaf->walk->mask & ~e->reader->sample_type)) {
        e->same = take(e, leaf, &value) && value == (leaf->value & UINT32_MAX);
    } else if (field->save == PC_REC_CHAIN && (leaf->walk->mask & PC_LAYOUT_DEFER)) {
        e->same = take(e, leaf, &value); /* the chain follows */
    } else if (field->rule == PC_RULE_CHAIN && leaf->is_array) {
        e->same = is_same_chain(e, leaf);
    } else {
        e->same = pass(e, before, leaf->at + n);
    }
    return e->same;
}

/* Whether a list of CPUs has those of the range that it was made of. */
static bool is_same_map(const struct pc_field *fields, struct pc_span before, struct pc_span after,
                        enum pc_order order)
{
    struct pc_walk range, list;
    if (!pc_read_table(&range, fields, pc_record_body(before, order)) ||
        !pc_read_table(&list, fields, pc_record_body(after, order)))
        return false;
    size_t at = range.slot_at[PC_REC_MAP];
    uint64_t cpu = range.slot[PC_REC_START], last = range.slot[PC_REC_LEN], nr = list.slot[PC_REC_MAP_NR];
    if (range.slot[PC_REC_MAP] != PC_MAP_RANGE || list.slot[PC_REC_MAP] != PC_MAP_CPUS ||
        list.slot_at[PC_REC_MAP] != at ||
        memcmp(before.ptr + PC_RECORD_HEADER_SIZE, after.ptr + PC_RECORD_HEADER_SIZE,
               at - PC_RECORD_HEADER_SIZE) != 0)
        return false;
    size_t next = list.slot_at[PC_REC_MAP_NR] + 2, end = next + 2 * (size_t)nr;
    if (range.slot[PC_REC_MAP_ANY] != 0) {
        if (next == end || pc_load(after.ptr + next, 2, order) != PC_CPU_ANY)
            return false;
        next += 2;
    }
    for (; next < end; next += 2, cpu++) {
        if (cpu > last || pc_load(after.ptr + next, 2, order) != cpu)
            return false;
    }
    struct pc_span rest = pc_part(after, end, after.len - end);
    return (cpu == last + 1 || range.slot[PC_REC_START] > last) && rest.len < 8 &&
           pc_first_nonzero(rest) == rest.len;
}

/* Whether the CPU of a STAT became its index in the map of the event, and nothing else. */
static bool is_same_stat(const struct pc_version_knows *reader, const struct pc_capture *capture,
                         const struct pc_field *fields, struct pc_span before, struct pc_span after,
                         enum pc_order order)
{
    struct pc_walk walk;
    uint64_t cpu, number;
    if (before.len != after.len || !pc_read_table(&walk, fields, pc_record_body(before, order)))
        return false;
    size_t at = walk.slot_at[PC_SLOT_CPU], end = at + 4;
    number = walk.slot[PC_SLOT_CPU];
    cpu = pc_load(after.ptr + at, 4, order);
    return memcmp(before.ptr, after.ptr, at) == 0 &&
           memcmp(before.ptr + end, after.ptr + end, before.len - end) == 0 &&
           (cpu == number ||
            (is_refused(reader, PC_D_FOR_STAT_INDEX) && !capture->cpu_maps.by_index &&
             pc_stat_cpu(capture, pc_capture_event_of(capture, walk.slot[PC_SLOT_ID]), cpu, &cpu) &&
             cpu == number));
}

/* Terms of STAT_CONFIG that this perf does not know are gone: their tags and values. */
static bool see_term(void *ctx, const struct pc_leaf *leaf)
{
    struct edited *e = ctx;
    size_t n = leaf->raw.len;
    uint64_t nr;
    if (leaf->field->save == PC_REC_TYPE && leaf->value > e->reader->stat_config && pc_leaf_ok(leaf))
        e->limit = leaf->at + n + 8;
    e->same = leaf->fault == PC_SOUND;
    if (e->same && leaf->field->save == PC_SLOT_A) {
        e->same = take(e, leaf, &nr) && nr <= leaf->value;
        e->nr = e->same ? (size_t)(leaf->value - nr) : 0;
    } else if (e->same && leaf->at < e->limit) {
        e->gone += n;
        e->covered += n;
    } else if (e->same) {
        e->same = pass(e, leaf->walk->c->in, leaf->at + n);
    }
    return e->same;
}

static bool is_same_config(struct edited *e, const struct pc_field *fields, struct pc_span before)
{
    struct pc_cursor c = pc_record_body(before, e->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, see_term, e);
    return pc_walk_table(&walk, fields) && e->gone == 16 * e->nr && pass(e, before, before.len) &&
           e->at == e->after.len;
}

bool pc_edited_record(const struct pc_version_knows *reader, struct pc_capture *capture,
                      const struct pc_item *record, struct pc_span before, struct pc_span after,
                      enum pc_order order)
{
    struct pc_record_head head = pc_load_head(before.ptr, order), now = pc_load_head(after.ptr, order);
    const struct pc_record_info *info = pc_record_info(head.type);
    struct edited e = { .reader = reader,
                        .after = after,
                        .order = order,
                        .at = PC_RECORD_HEADER_SIZE,
                        .covered = PC_RECORD_HEADER_SIZE };
    struct pc_cursor c = pc_record_body(before, order);
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    if (head.type == PC_MMAP2) {
        head.misc &= (uint16_t)~PC_MISC_MMAP_BUILD_ID;
        e.old_mapping = capture->mmap2_old == 1;
    }
    if (now.type != head.type || now.misc != head.misc || now.size != after.len)
        return false;
    if (head.type == PC_STAT)
        return is_same_stat(reader, capture, info->fields, before, after, order);
    if (head.type == PC_STAT_CONFIG)
        return is_same_config(&e, info->fields, before);
    if (head.type == PC_CPU_MAP || head.type == PC_EVENT_UPDATE)
        return is_same_map(info->fields, before, after, order);
    if (!pc_capture_layout(capture, record->type, record->misc, record->bytes, &layout, &attr))
        return false;
    pc_walk_init(&walk, &layout, &c, see_value, &e);
    walk.bulk = true;
    return pc_walk_record(&walk, info, &excess) && pass(&e, before, before.len) && e.at == after.len;
}

bool pc_edited_leaves_out(const struct pc_version_knows *reader, const struct pc_item *record,
                          enum pc_order order, bool *no_trace)
{
    struct pc_cursor in = pc_record_body(record->bytes, order);
    uint16_t last = pc_is_kernel_type(record->type) ? reader->kernel_type : reader->user_type;
    uint64_t type;
    if (record->kind == PC_ITEM_RECORD && record->type == PC_AUXTRACE_INFO && pc_uint(&in, 4, &type))
        *no_trace |= type > reader->auxtrace && type <= PC_TRACE_LAST;
    return record->type > last || (*no_trace && pc_record_is(record->type, PC_OF_AUX_TRACE));
}
