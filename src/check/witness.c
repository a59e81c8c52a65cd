/* SPDX-License-Identifier: MIT */
#include "check/witness.h"

#include "bytes/cursor.h"
#include "read/event_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void pc_witness_init(struct pc_witness *w, struct pc_mem *mem)
{
    *w = (struct pc_witness){ .mem = mem };
    w->build_ids = (struct pc_set){ .entry_size = sizeof(struct pc_sum),
                                    .key_size = sizeof(struct pc_sum),
                                    .most = UINT32_MAX - 1 };
    w->lines = w->build_ids;
    pc_plain_init(&w->plain, mem);
    pc_hash_init(&w->attrs);
    pc_hash_init(&w->bare);
    pc_hash_init(&w->events);
    pc_hash_init(&w->names);
    pc_hash_init(&w->known);
    pc_hash_init(&w->types);
}

void pc_witness_clear(struct pc_witness *w)
{
    pc_plain_clear(&w->plain);
    pc_set_clear(w->mem, &w->build_ids);
    pc_set_clear(w->mem, &w->lines);
    pc_tree_clear(w->mem, &w->given);
}

static struct pc_sum end_plain(struct pc_witness *w)
{
    struct pc_sum sum = pc_plain_sum(&w->plain);
    w->no_memory |= w->plain.no_memory;
    w->not_zero |= w->plain.not_zero;
    w->unknown |= w->plain.unknown;
    return sum;
}

/* --- attrs --- */

/* largest: of attrs, or of those in EVENT_DESC. */
static void see_attr_size(struct pc_witness *w, uint64_t *largest, uint64_t size)
{
    w->not_zero |=
        (w->attr_size != 0 && w->attr_size != size) || (w->event_size != 0 && w->event_size != size);
    *largest = size > *largest ? size : *largest;
}

static void see_attr(struct pc_witness *w, struct pc_span attr, enum pc_order order, uint64_t nr_ids)
{
    pc_plain_begin(&w->plain);
    pc_plain_attr(&w->plain, attr, order);
    struct pc_sum sum = end_plain(w);
    pc_hash_put(&w->bare, sum.bytes, sizeof(sum.bytes));
    pc_hash_put(&w->attrs, sum.bytes, sizeof(sum.bytes));
    pc_hash_put_uint(&w->attrs, nr_ids);
    w->nr_attrs++;
    see_attr_size(w, &w->attr_size, w->plain.attr_size < attr.len ? w->plain.attr_size : attr.len);
}

struct giving {
    struct pc_witness *w;
    const struct pc_tree *ids;
};

static bool see_given_id(void *ctx, const struct pc_leaf *leaf)
{
    const struct giving *g = ctx;
    struct pc_witness *w = g->w;
    const uint64_t attr = leaf->walk->slot[PC_REC_IDX];
    if (leaf->fault != PC_SOUND || leaf->field->save != PC_SLOT_ID || attr >= w->nr_attrs || leaf->value == 0)
        return true;
    const struct pc_tree_entry *known = pc_tree_find(g->ids, leaf->value);
    if (!known || (size_t)(known - g->ids->entry) >= w->ids_of_attrs)
        w->no_memory |= !pc_tree_add(w->mem, &w->given, leaf->value, (uint32_t)attr);
    return true;
}

static void see_event_id(struct pc_witness *w, const struct pc_capture *capture, const struct pc_item *item)
{
    struct giving g = { w, &capture->ids };
    struct pc_cursor in = pc_record_body(item->bytes, pc_item_order(item, capture->order));
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, see_given_id, &g);
    pc_walk_table(&walk, pc_record_info(PC_EVENT_ID)->fields);
    w->joined_ids = true;
}

static void add_id(struct pc_witness *w, uint64_t id, uint64_t attr)
{
    struct pc_hash hash;
    pc_hash_init(&hash);
    pc_hash_put_uint(&hash, attr);
    pc_hash_put_uint(&hash, id);
    struct pc_sum sum = pc_hash_sum(&hash);
    for (size_t k = 0; k < PC_COUNT_OF(w->ids); k++)
        w->ids[k] += pc_load(sum.bytes + 8 * k, 8, PC_LITTLE);
}

/* Which id is whose; one that several events had one after the other, that of the first, as in a copy for
 * perf. Those of an EVENT_ID that the witness did not see do not count. */
static void see_ids(struct pc_witness *w, const struct pc_capture *capture)
{
    const struct pc_tree_entry *id = capture->ids.entry;
    for (size_t i = 0; i < w->ids_of_attrs; i++) {
        const struct pc_tree_entry *first = pc_tree_find(&capture->first_ids, id[i].key);
        add_id(w, id[i].key, first ? first->value : id[i].value);
    }
    for (size_t i = 0; i < w->given.nr; i++)
        add_id(w, w->given.entry[i].key, w->given.entry[i].value);
}

static void see_entry(struct pc_witness *w, struct pc_reader *r, const struct pc_item *item)
{
    const struct pc_capture *capture = r->capture;
    const struct pc_attr *known = capture->nr_attrs ? &capture->attr[capture->nr_attrs - 1] : NULL;
    unsigned char ids[4096];
    if (!known || known->offset != item->offset)
        return; /* it could not be read, which was reported */
    see_attr(w, pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE), capture->order, known->nr_ids);
    w->ids_of_attrs = capture->ids.nr;
    for (uint64_t at = 0, left = 8 * known->nr_ids, n; left != 0; at += n, left -= n) {
        n = left < sizeof(ids) ? left : sizeof(ids);
        if (!pc_reader_look_whole(r, known->ids_offset + at, ids, (size_t)n))
            return;
        for (size_t i = 0; i < n; i += 8)
            pc_hash_put_uint(&w->attrs, pc_load(ids + i, 8, capture->order));
    }
}

static void see_header_attr(struct pc_witness *w, const struct pc_capture *capture,
                            const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, capture->order);
    struct pc_span attr;
    uint64_t size, id;
    if (!capture->is_pipe || !pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) ||
        !pc_take(&in, pc_attr_size(size), &attr))
        return;
    see_attr(w, attr, capture->order, pc_left(&in) / 8);
    w->ids_of_attrs = capture->ids.nr;
    while (pc_uint(&in, 8, &id))
        pc_hash_put_uint(&w->attrs, id);
}

/* --- features --- */

static void settle(struct pc_witness *w, uint64_t bit, struct pc_sum sum)
{
    if (pc_bit(w->present, bit)) {
        w->not_zero = true;
        if (!pc_sum_equal(&w->feature[bit], &sum))
            pc_set_bit(w->differs, bit);
        return;
    }
    pc_set_bit(w->present, bit);
    w->feature[bit] = sum;
}

static void settle_build_id(struct pc_witness *w)
{
    struct pc_sum sum = end_plain(w);
    size_t before = w->build_ids.nr;
    w->no_memory |= !pc_set_add(w->mem, &w->build_ids, &sum);
    w->not_zero |= w->build_ids.nr == before;
    pc_set_bit(w->present, PC_BUILD_ID);
}

static void see_build_ids(struct pc_witness *w, const struct pc_capture *capture, struct pc_span section)
{
    while (section.len >= PC_RECORD_HEADER_SIZE) {
        size_t size = pc_load_head(section.ptr, capture->order).size;
        if (size < PC_RECORD_HEADER_SIZE || size > section.len)
            return; /* which was reported */
        pc_plain_begin(&w->plain);
        pc_plain_feature(&w->plain, capture, PC_BUILD_ID, pc_part(section, 0, size));
        settle_build_id(w);
        section = pc_part(section, size, section.len - size);
    }
}

/* By what a line of META_INFO is found: the name of an event, and the text of its type. */
static struct pc_sum sum_of_line(struct pc_span name, struct pc_span type)
{
    struct pc_hash hash;
    pc_hash_init(&hash);
    pc_hash_put_uint(&hash, name.len);
    pc_hash_put(&hash, name.ptr, name.len);
    pc_hash_put(&hash, type.ptr, type.len);
    return pc_hash_sum(&hash);
}

/* Whether META_INFO of simpleperf has a line with the name and the type of an event. Events of other PMUs are
 * raw in a copy for perf 5.10. */
static bool has_line(struct pc_witness *w, struct pc_span name, uint64_t type)
{
    char number[32];
    int n = snprintf(number, sizeof(number), "%" PRIu64, type);
    struct pc_span text = { (const unsigned char *)number, type == PC_TYPE_RAW ? 0 : (size_t)n };
    struct pc_sum sum = sum_of_line(name, text);
    bool found = pc_set_find(&w->lines, &sum) != NULL;
    w->no_memory |= !found && w->lines.no_memory;
    return found;
}

/* A line has a name, a type and a config, with commas between. It is found with the type and without. */
static void keep_line(struct pc_witness *w, struct pc_span line)
{
    const unsigned char *config = memrchr(line.ptr, ',', line.len);
    const unsigned char *type = config ? memrchr(line.ptr, ',', (size_t)(config - line.ptr)) : NULL;
    if (!type)
        return;
    const size_t most = 511, len = (size_t)(type - line.ptr); /* a longer one is cut */
    struct pc_span name = { line.ptr, len < most ? len : most };
    struct pc_span texts[] = { { type, 0 }, { type + 1, (size_t)(config - type - 1) } };
    for (size_t i = 0; i < PC_COUNT_OF(texts); i++) {
        struct pc_sum sum = sum_of_line(name, texts[i]);
        pc_set_add(w->mem, &w->lines, &sum);
    }
}

/* The lines of META_INFO. A copy has no name from more lines than the model holds. */
static void keep_lines(struct pc_witness *w, struct pc_span meta_info)
{
    static const char key[] = "event_type_info";
    const unsigned char *at = memmem(meta_info.ptr, meta_info.len, key, sizeof(key));
    pc_set_clear(w->mem, &w->lines);
    if (!at)
        return;
    at += sizeof(key);
    struct pc_span lines = { at, meta_info.len - (size_t)(at - meta_info.ptr) };
    lines.len = pc_first_zero(lines);
    if (lines.len > PC_EVENT_LINES_MAX)
        return;
    for (size_t from = 0, len; from < lines.len; from += len + 1) {
        const unsigned char *end = memchr(lines.ptr + from, '\n', lines.len - from);
        len = end ? (size_t)(end - lines.ptr) - from : lines.len - from;
        keep_line(w, pc_part(lines, from, len));
    }
}

static void put_name(struct pc_hash *names, struct pc_span name)
{
    pc_hash_put_uint(names, name.len);
    pc_hash_put(names, name.ptr, name.len);
}

/* The attr of an event: it is in a frame of its own. */
static bool see_attr_of_event(void *ctx, const struct pc_leaf *whole)
{
    struct pc_witness *w = ctx;
    if (whole->field->sub != pc_attr_fields)
        return true;
    pc_plain_begin(&w->plain);
    pc_plain_attr(&w->plain, whole->raw, whole->walk->c->order);
    struct pc_sum sum = pc_plain_sum(&w->plain);
    pc_hash_put(&w->events, sum.bytes, sizeof(sum.bytes));
    return true;
}

static bool see_event(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_witness *w = ctx;
    const unsigned id = 8;
    if (leaf->fault != PC_SOUND)
        return false;
    if (leaf->walk->framed)
        return true;
    if (leaf->field->save == PC_EVENT_DESC_NAME) {
        struct pc_span name = pc_part(leaf->raw, 4, (size_t)leaf->value);
        put_name(&w->names, name);
        w->no_line |= !has_line(w, name, leaf->walk->slot[PC_ATTR_TYPE]);
    } else if (leaf->field->save == PC_EVENT_DESC_NR_IDS)
        pc_hash_put_uint(&w->events, leaf->value);
    for (size_t at = 0; leaf->field->width == id && at < leaf->raw.len; at += id)
        pc_hash_put_uint(&w->events, pc_load(leaf->raw.ptr + at, id, leaf->walk->c->order));
    return true;
}

static void see_events(struct pc_witness *w, const struct pc_capture *capture, struct pc_span content)
{
    struct pc_cursor c = pc_cursor(content, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, see_event, w);
    walk.bulk = true;
    walk.enter = see_attr_of_event;
    pc_walk_table(&walk, pc_event_desc);
}

/* The name in an entry of perf before 3.12. */
static void see_type(struct pc_witness *w, struct pc_span entry)
{
    const size_t name_at = PC_EVENT_TYPE_SIZE - PC_EVENT_TYPE_NAME;
    struct pc_span name = pc_part(entry, name_at, entry.len - name_at);
    size_t len = pc_first_zero(name), most = PC_EVENT_TYPE_NAME - 1;
    put_name(&w->types, pc_part(name, 0, len < most ? len : most));
}

/* Names of events, whoever has them. */
static void see_names(struct pc_witness *w, struct pc_reader *r)
{
    const struct pc_capture *capture = r->capture;
    uint64_t types = capture->is_pipe ? 0 : pc_header_get(capture, PC_HEAD_TYPES_SIZE);
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        unsigned char entry[PC_EVENT_TYPE_SIZE];
        char made[PC_LINE_NAME];
        const char *name = pc_attr_event_name(capture, &capture->attr[i], made);
        name = name ? name : "";
        put_name(&w->known, (struct pc_span){ (const unsigned char *)name, strlen(name) });
        uint64_t at = pc_header_get(capture, PC_HEAD_TYPES_OFFSET) + i * sizeof(entry);
        if (types == capture->nr_attrs * sizeof(entry) && pc_reader_look_whole(r, at, entry, sizeof(entry)))
            see_type(w, (struct pc_span){ entry, sizeof(entry) });
    }
}

/* Whether EVENT_DESC has attrs, and says how long they are. */
static bool has_attrs(const struct pc_capture *capture, struct pc_span content)
{
    struct pc_cursor c = pc_cursor(content, capture->order);
    uint64_t nr, size;
    return pc_peek(&c, pc_row_at(pc_event_desc, PC_EVENT_DESC_NR), 4, &nr) && nr != 0 &&
           pc_peek(&c, pc_row_at(pc_event_desc, PC_SLOT_B), 4, &size) && size >= PC_ATTR_SIZE_MIN;
}

static void see_feature(struct pc_witness *w, const struct pc_capture *capture, uint64_t bit,
                        struct pc_span content)
{
    if (bit >= PC_FEATURE_BITS || pc_feature_is(bit, PC_DERIVED) || content.len == 0)
        return;
    if (bit == PC_BUILD_ID && !pc_build_ids_are_old(content)) {
        see_build_ids(w, capture, content);
        return;
    }
    if (bit == PC_META_INFO)
        keep_lines(w, content);
    if (bit == PC_EVENT_DESC)
        see_events(w, capture, content);
    pc_plain_begin(&w->plain);
    pc_plain_feature(&w->plain, capture, bit, content);
    /* That of EVENT_DESC counts unless no attr has it. */
    if (bit == PC_EVENT_DESC && !pc_bit(w->present, bit) && has_attrs(capture, content) &&
        w->plain.attr_size <= PC_ATTR_SIZE_KNOWN)
        see_attr_size(w, &w->event_size, pc_align8(w->plain.attr_size));
    settle(w, bit, end_plain(w));
}

void pc_witness_made(struct pc_witness *w, const struct pc_capture *capture, uint64_t bit,
                     struct pc_span content, bool instead)
{
    if (instead)
        w->present[bit / 64] &= ~((uint64_t)1 << bit % 64);
    see_feature(w, capture, bit, content);
    pc_set_bit(w->made, bit);
}

/* The build id of a mapping, as an entry of BUILD_ID has it. */
static void see_mapping(struct pc_witness *w, const struct pc_capture *capture, const struct pc_item *item)
{
    static const char kernel[] = "[kernel.kallsyms]"; /* the symbol that the mapping begins at follows */
    const size_t most = 4095;
    struct pc_cursor body = pc_record_body(item->bytes, capture->order);
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    if (!(item->misc & PC_MISC_MMAP_BUILD_ID) || !pc_is_of_host(item->misc) || capture->nr_attrs == 0 ||
        !pc_capture_layout(capture, item->type, item->misc, item->bytes, &layout, &attr))
        return;
    pc_walk_init(&walk, &layout, &body, NULL, NULL);
    if (!pc_walk_record(&walk, pc_item_info(item), &excess) || walk.slot_at[PC_REC_BUILD_ID_SIZE] == 0 ||
        walk.slot[PC_REC_BUILD_ID_SIZE] > PC_BUILD_ID_MAX) /* no size (PC_D_MMAP2_LEAKED) */
        return;
    struct pc_span id =
        pc_part(item->bytes, walk.slot_at[PC_REC_BUILD_ID], (size_t)walk.slot[PC_REC_BUILD_ID_SIZE]);
    struct pc_span name = pc_part(item->bytes, walk.slot_at[PC_REC_NAME], (size_t)walk.slot[PC_REC_NAME]);
    if (id.len == 0 || name.len == 0 || name.len > most)
        return;
    if (name.len >= strlen(kernel) && memcmp(name.ptr, kernel, strlen(kernel)) == 0)
        name.len = strlen(kernel);
    pc_plain_begin(&w->plain);
    pc_plain_mapping(&w->plain, PC_MISC_BUILD_ID_SIZE | (item->misc & PC_MISC_CPUMODE), id, name);
    settle_build_id(w);
}

/* A section that no table explains, or that is not held, may be of any size. */
static void see_long_section(struct pc_witness *w, struct pc_reader *r, const struct pc_item *item)
{
    const bool known = pc_feature_is(item->number, PC_ANY_LENGTH);
    unsigned char chunk[4096];
    pc_plain_begin(&w->plain);
    pc_plain_uint(&w->plain, item->size);
    for (uint64_t at = 0; at < item->size;) {
        size_t n = item->size - at < sizeof(chunk) ? (size_t)(item->size - at) : sizeof(chunk);
        if (!pc_reader_look_whole(r, item->offset + at, chunk, n))
            return;
        pc_plain_bytes(&w->plain, chunk, n);
        w->unknown |= !known && pc_first_nonzero((struct pc_span){ chunk, n }) != n;
        at += n;
    }
    settle(w, item->number, end_plain(w));
}

/* Which records hold others; perf compresses nothing that it made up itself. */
static void see_compression(struct pc_witness *w, const struct pc_item *item)
{
    bool by_kernel = pc_is_kernel_type(item->type);
    if (pc_record_is(item->type, PC_HOLDS_RECORDS))
        w->packed = item->type;
    w->recording |=
        by_kernel ? !pc_record_is(item->type, PC_SYNTHESIZED) : pc_record_is(item->type, PC_ENDS_SETUP);
    w->plain_first |= w->recording && by_kernel;
}

static void see_record(struct pc_witness *w, const struct pc_capture *capture, const struct pc_item *item)
{
    struct pc_cursor in = pc_record_body(item->bytes, capture->order);
    uint64_t bit;
    if (!w->packed && !(w->plain_first && pc_is_kernel_type(item->type)))
        see_compression(w, item);
    if (w->joins_ids && pc_item_whole(item)->type == PC_EVENT_ID)
        see_event_id(w, capture, pc_item_whole(item));
    switch (item->type) {
    case PC_HEADER_ATTR:
        see_header_attr(w, capture, item);
        break;
    case PC_HEADER_FEATURE:
        if (pc_uint(&in, 8, &bit))
            see_feature(w, capture, bit, pc_part(item->bytes, in.pos, pc_left(&in)));
        break;
    case PC_HEADER_EVENT_TYPE:
        if (item->bytes.len > PC_RECORD_HEADER_SIZE + PC_EVENT_TYPE_SIZE - PC_EVENT_TYPE_NAME)
            see_type(w, pc_part(item->bytes, in.pos, pc_left(&in)));
        break;
    case PC_MMAP2:
        if (w->moves_build_ids)
            see_mapping(w, capture, item);
        break;
    case PC_HEADER_BUILD_ID:
        pc_plain_begin(&w->plain);
        pc_plain_build_id(&w->plain, item->bytes, capture->order);
        settle_build_id(w);
        break;
    default:
        break;
    }
}

void pc_witness_item(struct pc_witness *w, struct pc_reader *r, const struct pc_item *item)
{
    const struct pc_feature_info *info;
    w->order = r->capture->order;
    switch (item->kind) {
    case PC_ITEM_ATTR:
        see_entry(w, r, item);
        break;
    case PC_ITEM_FEATURE:
        info = pc_feature_info(item->number);
        if (info && info->fields && pc_item_is_held(item))
            see_feature(w, r->capture, item->number, item->bytes);
        else
            see_long_section(w, r, item);
        break;
    case PC_ITEM_RECORD:
        see_record(w, r->capture, item);
        break;
    case PC_ITEM_PAYLOAD:
        if (item->type == PC_HEADER_TRACING_DATA)
            see_feature(w, r->capture, PC_TRACING_DATA, item->bytes);
        break;
    case PC_ITEM_END:
        w->skipped = r->skipped;
        see_names(w, r);
        if (w->joins_ids)
            see_ids(w, r->capture);
        break;
    default:
        break;
    }
}

/* --- two of them --- */

static bool same_build_ids(const struct pc_witness *original, const struct pc_witness *copy,
                           uint64_t left_out)
{
    const struct pc_sum *left = original->build_ids.entry, *right = copy->build_ids.entry;
    size_t k = 0;
    for (size_t i = 0; i < original->build_ids.nr; i++) {
        if (k < copy->build_ids.nr && pc_sum_equal(&left[i], &right[k]))
            k++;
        else if (left_out-- == 0)
            return false;
    }
    return k == copy->build_ids.nr;
}

/* Whether EVENT_DESC of the copy, which was made, repeats the attrs of the copy, with names of the original.
 */
static bool same_events(const struct pc_witness *original, const struct pc_witness *copy)
{
    struct pc_sum attrs = pc_hash_sum(&copy->attrs), events = pc_hash_sum(&copy->events);
    struct pc_sum names = pc_hash_sum(&copy->names), known = pc_hash_sum(&original->known);
    struct pc_sum types = pc_hash_sum(&original->types);
    struct pc_sum lines = pc_hash_sum(&original->names);
    return pc_sum_equal(&attrs, &events) && (pc_sum_equal(&names, &known) || pc_sum_equal(&names, &types) ||
                                             (!original->no_line && pc_sum_equal(&names, &lines)));
}

static bool same_attrs(const struct pc_witness *original, const struct pc_witness *copy)
{
    bool joined = original->joined_ids;
    struct pc_sum left = pc_hash_sum(joined ? &original->bare : &original->attrs);
    struct pc_sum right = pc_hash_sum(joined ? &copy->bare : &copy->attrs);
    return original->nr_attrs == copy->nr_attrs && pc_sum_equal(&left, &right) &&
           (!joined || memcmp(original->ids, copy->ids, sizeof(original->ids)) == 0);
}

enum pc_unlike pc_witness_compare(struct pc_witness *original, struct pc_witness *copy, pc_left_out *left_out,
                                  const void *ctx, uint64_t *bit)
{
    bool unread = false; /* a feature, whose bytes none explains: the copy has an error */
    if (!same_attrs(original, copy))
        return PC_UNLIKE_ATTRS;
    for (*bit = 0; *bit < PC_FEATURE_BITS; ++*bit) {
        bool there = pc_bit(original->present, *bit), copied = pc_bit(copy->present, *bit);
        if (there != copied && !(there && left_out(ctx, *bit) != 0))
            return PC_UNLIKE_FEATURE;
        unread |= copied && pc_bit(copy->unread, *bit);
        if (copied && !pc_bit(copy->unread, *bit) &&
            !pc_sum_equal(&original->feature[*bit], &copy->feature[*bit]))
            return PC_UNLIKE_FEATURE;
    }
    *bit = PC_EVENT_DESC;
    if (pc_bit(original->made, PC_EVENT_DESC) && !same_events(original, copy))
        return PC_UNLIKE_FEATURE;
    *bit = PC_BUILD_ID;
    if (!same_build_ids(original, copy, left_out(ctx, PC_BUILD_ID)))
        return PC_UNLIKE_FEATURE;
    bool odd = copy->unknown && !unread && copy->order != original->order;
    if (original->skipped != 0)
        return PC_UNLIKE_SKIPPED;
    return copy->not_zero || odd ? PC_UNLIKE_ZEROS : PC_ALIKE;
}

bool pc_witness_lacks_second(const struct pc_witness *original, pc_left_out *left_out, const void *ctx,
                             uint64_t *bit)
{
    for (*bit = 0; *bit < PC_FEATURE_BITS; ++*bit) {
        if (pc_bit(original->differs, *bit) && left_out(ctx, *bit) == 0)
            return true;
    }
    return false;
}

bool pc_witness_same_feature(const struct pc_witness *a, const struct pc_witness *b, uint64_t bit)
{
    return pc_bit(a->present, bit) == pc_bit(b->present, bit) &&
           pc_sum_equal(&a->feature[bit], &b->feature[bit]) &&
           (bit != PC_BUILD_ID || same_build_ids(a, b, 0));
}
