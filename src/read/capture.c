/* SPDX-License-Identifier: MIT */
#include "read/capture.h"
#include "read/layouts.h"

#include <string.h>

void pc_capture_init(struct pc_capture *capture, struct pc_mem *mem)
{
    *capture = (struct pc_capture){
        .mem = mem,
        .common = { .id_pos = -1, .is_pos = -1, .same_layout = true, .same_shown = true },
        .mmap2_old = -1,
    };
}

void pc_capture_clear(struct pc_capture *capture)
{
    struct pc_mem *mem = capture->mem;
    for (size_t i = 0; i < capture->nr_attrs; i++)
        pc_free(mem, capture->attr[i].name, capture->attr[i].name_size);
    for (size_t i = 0; i < PC_COUNT_OF(capture->text); i++)
        pc_free(mem, capture->text[i], capture->text_size[i]);
    pc_free(mem, capture->event_lines, capture->event_lines_size);
    for (size_t i = 0; i < capture->nr_early; i++)
        pc_free(mem, capture->early[i].text, capture->early[i].size);
    pc_free(mem, capture->early, capture->cap_early * sizeof(*capture->early));
    pc_free(mem, capture->attr, capture->cap_attrs * sizeof(*capture->attr));
    pc_layouts_clear(capture);
    pc_cpu_maps_clear(mem, &capture->cpu_maps);
    pc_tree_clear(mem, &capture->ids);
    pc_tree_clear(mem, &capture->first_ids);
    pc_tree_clear(mem, &capture->tracepoint_ids);
    for (size_t i = 0; i < capture->nr_tracepoints; i++)
        pc_tp_free(mem, capture->tracepoint[i].format);
    pc_free(mem, capture->tracepoint, capture->cap_tracepoints * sizeof(*capture->tracepoint));
    pc_free(mem, capture->tp_draft, sizeof(*capture->tp_draft));
    pc_capture_init(capture, mem);
}

/* --- ids --- */

enum pc_id_outcome pc_capture_add_id(struct pc_capture *capture, uint64_t id, uint32_t attr, uint32_t *other)
{
    struct pc_tree *ids = &capture->ids;
    size_t before = ids->nr;
    capture->nr_ids++;
    capture->nr_without_ids -= capture->attr[attr].nr_ids++ == 0;
    if (id == 0) {
        capture->lists_id_zero = true;
        return PC_ID_ZERO;
    }
    const struct pc_tree_entry *entry =
        before < PC_IDS_HELD_MAX ? pc_tree_add(capture->mem, ids, id, attr) : pc_tree_find(ids, id);
    if (!entry)
        return PC_ID_FULL;
    if (ids->nr != before)
        return PC_ID_ADDED;
    *other = entry->value;
    return *other == attr ? PC_ID_AGAIN : PC_ID_OTHERS;
}

enum pc_id_outcome pc_capture_give_id(struct pc_capture *capture, uint64_t id, uint32_t attr)
{
    uint32_t other;
    enum pc_id_outcome outcome = pc_capture_add_id(capture, id, attr, &other);
    if (outcome == PC_ID_OTHERS) {
        capture->no_memory |= !pc_tree_add(capture->mem, &capture->first_ids, id, other);
        capture->ids.entry[pc_tree_find(&capture->ids, id) - capture->ids.entry].value = attr;
    }
    return outcome;
}

uint32_t pc_capture_attr_of(const struct pc_capture *capture, uint64_t id)
{
    const struct pc_tree_entry *entry = pc_tree_find(&capture->ids, id);
    return entry ? entry->value : PC_NO_ATTR;
}

/* --- attrs --- */

/* Whether records have the same fields under both, but for READ: samples without PC_S_READ show nothing of a
 * read_format. */
static bool shows_the_same(const struct pc_layout *a, const struct pc_layout *b)
{
    const uint64_t read = PC_LAYOUT_READ(((uint64_t)1 << PC_READ_BITS) - 1) | PC_LAYOUT_READ_SINGLE;
    uint64_t differs = a->mask ^ b->mask;
    return (differs & (a->mask & PC_S_READ ? UINT64_MAX : ~read)) == 0 &&
           memcmp(a->slot, b->slot, sizeof(a->slot)) == 0;
}

/* A copy of the name that whoever holds it gives back. */
static char *copy_name(struct pc_capture *capture, struct pc_span text, uint64_t *size)
{
    size_t len = pc_first_zero(text);
    len = len < PC_NAME_MAX ? len : PC_NAME_MAX;
    char *name = pc_alloc(capture->mem, len + 1);
    capture->no_memory |= !name;
    if (name && len != 0)
        memcpy(name, text.ptr, len);
    *size = len + 1;
    return name;
}

/* Keeps a name until its attr comes. They come one after the other, so that each waits at its index. */
static void name_early(struct pc_capture *capture, uint32_t attr, struct pc_span text)
{
    if (attr >= PC_ATTRS_MAX || capture->early_bytes >= PC_NAMES_EARLY_MAX ||
        (attr < capture->nr_early && capture->early[attr].text))
        return;
    while (capture->nr_early <= attr) {
        if (!pc_grow(capture->mem, &capture->early, &capture->cap_early, capture->nr_early + 1,
                     sizeof(*capture->early))) {
            capture->no_memory = true;
            return;
        }
        capture->early[capture->nr_early++] = (struct pc_early_name){ 0 };
    }
    struct pc_early_name *early = &capture->early[attr];
    early->text = copy_name(capture, text, &early->size);
    capture->early_bytes += early->text ? early->size : 0;
}

static void take_early_name(struct pc_capture *capture, uint32_t attr)
{
    if (attr >= capture->nr_early)
        return;
    capture->attr[attr].name = capture->early[attr].text;
    capture->attr[attr].name_size = capture->early[attr].size;
    capture->early[attr].text = NULL;
}

void pc_capture_name(struct pc_capture *capture, uint32_t attr, struct pc_span text)
{
    uint64_t size;
    if (attr >= capture->nr_attrs) {
        name_early(capture, attr, text);
        return;
    }
    struct pc_attr *a = &capture->attr[attr];
    char *name = copy_name(capture, text, &size);
    if (!name)
        return;
    pc_free(capture->mem, a->name, a->name_size);
    a->name = name;
    a->name_size = size;
}

bool pc_has_android_features(const uint64_t *bitmap)
{
    bool any = false;
    for (uint64_t bit = PC_ANDROID_FEATURES; bit < PC_ANDROID_FEATURES_END; bit++)
        any |= pc_bit(bitmap, bit);
    return any;
}

uint64_t pc_count_table(const uint64_t *bitmap, const unsigned char *raw, uint64_t most, enum pc_order order,
                        uint64_t table, uint64_t size)
{
    const uint64_t least = pc_has_android_features(bitmap) ? 0 : size;
    uint64_t first, end;
    const uint64_t all = pc_count_sections(raw, most, order, least, size, &first, &end),
                   nr = pc_count_filled(raw, all, pc_count_features(bitmap), order);
    return nr >= PC_TABLE_FEW && pc_may_be_sections(bitmap, table, nr, first, end, size) ? nr : 0;
}

/* Whether the last feature of these has content, so that no section of it is empty, or is one that no perf
 * has. */
static bool has_last_content(const uint64_t *bitmap)
{
    static const unsigned char none[1];
    const struct pc_span empty = { none, 0 };
    uint64_t bit = PC_FEATURE_BITS - 1;
    while (bit != 0 && !pc_bit(bitmap, bit))
        bit--;
    if (pc_is_beyond_features(bit, pc_has_android_features(bitmap)))
        return true;
    const struct pc_field *fields = pc_feature_info(bit) ? pc_feature_fields(bit, empty) : NULL;
    struct pc_walk walk;
    return fields && !pc_feature_is(bit, PC_ONLY_A_MARK | PC_ANY_LENGTH) &&
           !pc_read_table(&walk, fields, pc_cursor(empty, PC_LITTLE));
}

bool pc_is_one_unwritten(const uint64_t *bitmap, const unsigned char *raw, uint64_t nr, enum pc_order order,
                         uint64_t table, uint64_t size)
{
    if (nr == 0 || pc_count_table(bitmap, raw, nr - 1, order, table, size) != nr - 1)
        return false;
    const unsigned char *last = raw + (nr - 1) * PC_SECTION_SIZE;
    const uint64_t offset = pc_load(last, 8, order);
    return nr - 1 >= PC_TABLE_FEW && (offset == 0 || offset == size) && pc_load(last + 8, 8, order) == 0 &&
           has_last_content(bitmap);
}

bool pc_perf_misses_ids(const struct pc_capture *capture, const uint64_t *slot)
{
    return pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / pc_header_get(capture, PC_HEAD_ATTR_SIZE) != 1 ||
           (slot[PC_ATTR_SAMPLE_TYPE] & PC_S_READ);
}

bool pc_attr_ends_early(const struct pc_capture *capture, struct pc_span room)
{
    uint64_t slot[PC_SLOTS];
    if (!pc_attr_walk(room, capture->order, slot))
        return false;
    uint64_t size = pc_attr_size(slot[PC_ATTR_SIZE]);
    if (size >= room.len || size % 8 != 0)
        return false;
    return (capture->by_simpleperf && slot[PC_ATTR_SIZE] >= PC_ATTR_SIZE_MIN) ||
           (!pc_bit(capture->features, PC_STAT_FEATURE) && !pc_perf_misses_ids(capture, slot));
}

uint32_t pc_capture_tracepoint(struct pc_capture *capture, uint64_t id)
{
    uint32_t index = (uint32_t)capture->nr_tracepoints;
    const struct pc_tree_entry *entry = NULL;
    if (pc_grow(capture->mem, &capture->tracepoint, &capture->cap_tracepoints, capture->nr_tracepoints + 1,
                sizeof(*capture->tracepoint)))
        entry = pc_tree_add(capture->mem, &capture->tracepoint_ids, id, index);
    capture->tracepoints_full |= !entry;
    if (!entry)
        return PC_NO_ATTR;
    if (entry->value == index)
        capture->tracepoint[capture->nr_tracepoints++] = (struct pc_tracepoint_state){ 0 };
    return entry->value;
}

/* The next attr has this layout. */
static void add_common(struct pc_capture *capture, uint32_t index)
{
    struct pc_common *common = &capture->common;
    const struct pc_sample_layout *own = capture->layout[index];
    capture->before = *common;
    if (common->nr++ == 0) {
        common->first = (uint32_t)capture->nr_attrs;
        common->id_pos = own->id_word;
        common->is_pos = own->trailer_id;
        return;
    }
    const uint32_t first = pc_capture_first(capture)->layout;
    common->id_pos = common->id_pos == own->id_word ? own->id_word : -1;
    common->is_pos = common->is_pos == own->trailer_id ? own->trailer_id : -1;
    common->same_layout &= index == first;
    common->same_shown &= shows_the_same(&own->layout, &capture->layout[first]->layout);
}

void pc_capture_lose_attr(struct pc_capture *capture)
{
    capture->common = capture->before;
}

uint32_t pc_capture_add_attr(struct pc_capture *capture, const uint64_t *slot, uint64_t offset)
{
    if (capture->nr_attrs >= PC_ATTRS_MAX || !pc_grow(capture->mem, &capture->attr, &capture->cap_attrs,
                                                      capture->nr_attrs + 1, sizeof(*capture->attr)))
        return PC_NO_ATTR;
    struct pc_layout layout = pc_attr_layout(slot);
    uint32_t index = pc_layouts_add(capture, &layout);
    if (index == PC_NO_ATTR)
        return PC_NO_ATTR;

    struct pc_attr *attr = &capture->attr[capture->nr_attrs];
    *attr = (struct pc_attr){ .offset = offset, .layout = index, .format = PC_NO_ATTR };
    memcpy(attr->value, &slot[PC_ATTR_TYPE], sizeof(attr->value));
    if (slot[PC_ATTR_TYPE] == PC_TYPE_TRACEPOINT)
        attr->format = pc_capture_tracepoint(capture, slot[PC_ATTR_CONFIG]);
    add_common(capture, index);
    capture->nr_without_ids++;
    capture->flags |= pc_attr_get(attr, PC_ATTR_FLAGS);
    capture->counters |= (layout.mask & PC_LAYOUT_COUNTERS) != 0;
    take_early_name(capture, (uint32_t)capture->nr_attrs);
    return (uint32_t)capture->nr_attrs++;
}
