/* SPDX-License-Identifier: MIT */
#include "write/edits_parts.h"
#include "bytes/cursor.h"

#include <string.h>

/* A record that is copied leaf by leaf. */
struct record {
    struct pc_content *c;
    unsigned char *out;
    size_t len, covered; /* bytes of the copy; of the record, up to which it has been copied */
    enum pc_order order;
    uint64_t branches;            /* so far */
    uint64_t removed;             /* bits of the layout whose fields are left out */
    size_t counters, no_counters; /* counters of branches: where they are, and where they end */
    bool deferred;                /* marks of deferred chains are left out */
    uint64_t newer;               /* terms of STAT_CONFIG that are left out; the current one is */
    bool in_newer;
    bool edited[PC_EDITS];
};

static void put(struct record *r, struct pc_span record, size_t end)
{
    if (end > r->covered) {
        memcpy(r->out + r->len, record.ptr + r->covered, end - r->covered);
        r->len += end - r->covered;
        r->covered = end;
    }
}

static bool is_left_out(struct record *r, const struct pc_leaf *leaf)
{
    uint64_t when = leaf->field->when;
    if (leaf->at >= r->counters && leaf->at < r->no_counters) {
        r->edited[PC_EDIT_COUNTERS] = true;
        return true;
    }
    if (!(when & r->removed & leaf->walk->mask) || (when & ~r->removed))
        return false;
    r->edited[when & PC_LAYOUT_READ(PC_READ_LOST) ? PC_EDIT_LOST : PC_EDIT_SAMPLE] = true;
    return true;
}

/* The bits of a branch that tell its type, when an older perf does not know it. */
static void edit_branch(struct record *r, const struct pc_leaf *leaf, unsigned char *to)
{
    if (++r->branches == leaf->walk->slot[PC_REC_NR] && (r->removed & PC_LAYOUT_COUNTERS)) {
        r->counters = leaf->at + leaf->raw.len;
        r->no_counters = r->counters + 8 * (size_t)leaf->walk->slot[PC_REC_NR];
    }
    if (pc_branch_type(leaf->value) < PC_BRANCH_TYPES_5_10 ||
        !pc_edit_is_refused(r->c, PC_D_FOR_BRANCH_FLAGS))
        return;
    pc_store(to, 8, pc_bits_word(leaf->field, leaf->value & ~PC_BRANCH_TYPE_BITS, r->order), r->order);
    r->edited[PC_EDIT_BRANCH] = true;
}

/* A chain that ends with the mark and the cookie of its rest. */
static void edit_chain(struct record *r, const struct pc_leaf *leaf)
{
    const size_t mark = 16;
    if (!r->deferred || leaf->raw.len < mark ||
        pc_load(leaf->raw.ptr + leaf->raw.len - mark, 8, r->order) != PC_CONTEXT_USER_DEFERRED)
        return;
    r->len -= mark;
    pc_store(r->out + r->len - (leaf->raw.len - mark) - 8, 8, leaf->raw.len / 8 - 2, r->order);
    r->edited[PC_EDIT_DEFERRED] = true;
}

static bool record_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct record *r = ctx;
    struct pc_span record = leaf->walk->c->in;
    if (leaf->fault != PC_SOUND)
        return false; /* which was reported */
    put(r, record, leaf->at);
    if (is_left_out(r, leaf)) {
        r->covered = leaf->at + leaf->raw.len;
        return true;
    }
    put(r, record, leaf->at + leaf->raw.len);
    unsigned char *to = r->out + r->len - leaf->raw.len;
    if (leaf->field->rule == PC_RULE_BRANCH)
        edit_branch(r, leaf, to);
    else if (leaf->field->rule == PC_RULE_CHAIN && leaf->is_array)
        edit_chain(r, leaf);
    else if ((leaf->field->when & PC_S_WEIGHT_STRUCT) && (r->removed & PC_S_WEIGHT_STRUCT)) {
        pc_store(to, 8, leaf->value & UINT32_MAX, r->order);
        r->edited[PC_EDIT_WEIGHT] = true;
    }
    return true;
}

/* SAMPLE and READ. */
static void edit_values(struct pc_content *c, const struct pc_item *item, struct record *r,
                        struct pc_span bytes)
{
    struct pc_capture *capture = &c->scan->capture;
    const struct pc_version_knows *reader = c->reader;
    struct pc_cursor in = pc_record_body(bytes, r->order);
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    if (!pc_capture_layout(capture, item->type, item->misc, item->bytes, &layout, &attr) ||
        attr == PC_NO_ATTR)
        return;
    r->removed =
        layout.mask & (pc_edit_newer_samples(reader) | PC_LAYOUT_READ(PC_READ_LOST & ~reader->read_format) |
                       (PC_BRANCH_COUNTERS & ~reader->branch_type ? PC_LAYOUT_COUNTERS : 0));
    r->deferred = (layout.mask & PC_LAYOUT_DEFER) && reader->kernel_type < PC_CALLCHAIN_DEFERRED;
    pc_walk_init(&walk, &layout, &in, record_leaf, r);
    walk.bulk = true;
    if (!pc_walk_record(&walk, pc_record_info(item->type), &excess))
        memset(r->edited, 0, sizeof(r->edited)); /* which was reported */
    put(r, bytes, bytes.len);
}

/* MMAP2 as before 5.12, with an unknown device and inode. */
static void edit_mapping(struct record *r, const struct pc_item *item, struct pc_span bytes)
{
    const struct pc_field *fields = pc_record_info(item->type)->fields;
    size_t at = 0;
    if (!pc_find_row(fields, PC_LAYOUT_BUILD_ID | PC_LAYOUT_PROT, PC_REC_BUILD_ID_SIZE, &at))
        return;
    at += PC_RECORD_HEADER_SIZE;
    struct pc_record_head head = pc_load_head(bytes.ptr, r->order);
    head.misc &= (uint16_t)~PC_MISC_MMAP_BUILD_ID;
    put(r, bytes, bytes.len);
    if (bytes.len < PC_MMAP2_PROT + 8)
        return; /* which was reported */
    pc_store_head(r->out, head, r->order);
    memset(r->out + at, 0, PC_MMAP2_PROT - at);
    if (r->c->scan->capture.mmap2_old == 1) { /* the others have no prot and flags */
        memmove(r->out + PC_MMAP2_PROT, r->out + PC_MMAP2_PROT + 8, bytes.len - PC_MMAP2_PROT - 8);
        r->len -= 8;
    }
    r->edited[PC_EDIT_BUILD_ID] = true;
}

/* A map of CPUs, in CPU_MAP or EVENT_UPDATE. False: the list has no room in a record. */
static bool edit_map(struct record *r, const struct pc_item *item, struct pc_span bytes)
{
    struct pc_walk walk;
    if (!pc_read_table(&walk, pc_record_info(item->type)->fields, pc_record_body(bytes, r->order)) ||
        walk.slot_at[PC_REC_MAP] == 0 || walk.slot[PC_REC_MAP] != PC_MAP_RANGE)
        return true;
    uint64_t any = walk.slot[PC_REC_MAP_ANY] != 0, start = walk.slot[PC_REC_START],
             end = walk.slot[PC_REC_LEN], nr = any + (end < start ? 0 : end - start + 1);
    size_t at = walk.slot_at[PC_REC_MAP];
    uint64_t size = pc_align8(at + 4 + 2 * nr);
    if (size > PC_RECORD_SIZE_MAX)
        return false;
    put(r, bytes, at);
    memset(r->out + at, 0, (size_t)size - at);
    pc_store(r->out + at, 2, PC_MAP_CPUS, r->order);
    pc_store(r->out + at + 2, 2, nr, r->order);
    if (any)
        pc_store(r->out + at + 4, 2, PC_CPU_ANY, r->order);
    for (uint64_t i = any; i < nr; i++)
        pc_store(r->out + at + 4 + 2 * i, 2, start + i - any, r->order);
    r->len = (size_t)size;
    r->edited[PC_EDIT_RANGE] = true;
    return true;
}

/* STAT, of which the CPU becomes its index. What has none is reported by the check of the copy. */
static void edit_stat(struct record *r, struct pc_span bytes)
{
    const struct pc_capture *capture = &r->c->scan->capture;
    struct pc_walk walk;
    uint64_t index;
    if (!pc_read_table(&walk, pc_record_info(PC_STAT)->fields, pc_record_body(bytes, r->order)))
        return; /* which was reported */
    uint64_t cpu = walk.slot[PC_SLOT_CPU];
    uint32_t attr = pc_capture_event_of(capture, walk.slot[PC_SLOT_ID]);
    if (!pc_stat_index(capture, attr, cpu, &index) || index == cpu)
        return;
    put(r, bytes, bytes.len);
    pc_store(r->out + walk.slot_at[PC_SLOT_CPU], 4, index, r->order);
    r->edited[PC_EDIT_STAT] = true;
}

/* A term of STAT_CONFIG that the older perf does not know: its tag and its value. */
static bool config_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct record *r = ctx;
    if (leaf->fault != PC_SOUND)
        return false; /* which was reported */
    put(r, leaf->walk->c->in, leaf->at);
    if (leaf->field->save == PC_REC_TYPE) {
        r->in_newer = leaf->value > r->c->reader->stat_config && pc_leaf_ok(leaf);
        r->newer += r->in_newer;
    }
    r->covered += r->in_newer ? leaf->raw.len : 0;
    return true;
}

static void edit_config(struct record *r, const struct pc_item *item, struct pc_span bytes)
{
    struct pc_cursor in = pc_record_body(bytes, r->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, config_leaf, r);
    if (!pc_walk_table(&walk, pc_record_info(item->type)->fields) || r->newer == 0)
        return;
    put(r, bytes, bytes.len);
    pc_store(r->out + walk.slot_at[PC_SLOT_A], 8, walk.slot[PC_SLOT_A] - r->newer, r->order);
    r->edited[PC_EDIT_CONFIG] = true;
}

/* Whether such a record may have something to edit. */
static bool is_concerned(const struct pc_content *c, const struct pc_item *item)
{
    switch (item->type) {
    case PC_SAMPLE:
    case PC_READ:
        return c->edits.of_samples;
    case PC_MMAP2:
        return (item->misc & PC_MISC_MMAP_BUILD_ID) && pc_is_of_host(item->misc) &&
               !(c->reader->flags & PC_FLAG_BUILD_ID);
    case PC_CPU_MAP:
    case PC_EVENT_UPDATE:
        return pc_edit_is_refused(c, PC_D_FOR_CPU_RANGE);
    case PC_STAT_CONFIG:
        return c->reader->stat_config < PC_STAT_AGGR_LEVEL;
    case PC_STAT:
        return pc_edit_is_refused(c, PC_D_FOR_STAT_INDEX);
    default:
        return false;
    }
}

bool pc_edit_record(struct pc_content *c, const struct pc_item *item, struct pc_span *bytes)
{
    unsigned char **room = &c->edits.record;
    const enum pc_order order = c->own.to;
    bool fits = true;
    if (!is_concerned(c, item))
        return true;
    if (!*room && !(*room = pc_alloc(c->mem, PC_CONVERT_RECORD))) {
        pc_content_no_memory(c);
        return false;
    }
    struct record r = { .c = c, .out = *room, .order = order, .counters = SIZE_MAX };
    if (item->type == PC_SAMPLE || item->type == PC_READ)
        edit_values(c, item, &r, *bytes);
    else if (item->type == PC_MMAP2)
        edit_mapping(&r, item, *bytes);
    else if (item->type == PC_STAT)
        edit_stat(&r, *bytes);
    else if (item->type == PC_STAT_CONFIG)
        edit_config(&r, item, *bytes);
    else
        fits = edit_map(&r, item, *bytes);
    bool any = false;
    for (enum pc_edit i = 0; i < PC_EDITS; i++) {
        any |= r.edited[i];
        if (r.edited[i])
            pc_edit_note_record(c, i, item);
    }
    if (!fits)
        return pc_content_refuse_record(c, item, 0, item->bytes.len, "a list of so many CPUs is too long") &&
               false;
    if (!any)
        return true;
    struct pc_record_head head = pc_load_head(r.out, order);
    head.size = (uint16_t)r.len;
    pc_store_head(r.out, head, order);
    *bytes = (struct pc_span){ r.out, r.len };
    return true;
}
