/* SPDX-License-Identifier: MIT */
#include "read/capture.h"
#include "bytes/cursor.h"

#include <stdlib.h>
#include <string.h>

/* --- ids --- */

#define PC_ID_IS_NODE ((uint32_t)1 << 31)

static void clear_ids(struct pc_mem *mem, struct pc_id_map *map)
{
    pc_free(mem, map->id, map->cap * sizeof(*map->id));
    pc_free(mem, map->attr, map->cap * sizeof(*map->attr));
    pc_free(mem, map->node, map->cap * sizeof(*map->node));
}

static bool grow_ids(struct pc_mem *mem, struct pc_id_map *map)
{
    if (map->nr < map->cap)
        return true;
    if (map->nr >= PC_IDS_HELD_MAX)
        return false;
    struct pc_id_map bigger = *map;
    bigger.cap = map->cap ? map->cap * 2 : 64;
    bigger.id = pc_alloc(mem, bigger.cap * sizeof(*bigger.id));
    bigger.attr = pc_alloc(mem, bigger.cap * sizeof(*bigger.attr));
    bigger.node = pc_alloc(mem, bigger.cap * sizeof(*bigger.node));
    if (!bigger.id || !bigger.attr || !bigger.node) {
        clear_ids(mem, &bigger);
        return false;
    }
    if (map->nr != 0) {
        memcpy(bigger.id, map->id, map->nr * sizeof(*map->id));
        memcpy(bigger.attr, map->attr, map->nr * sizeof(*map->attr));
        memcpy(bigger.node, map->node, map->nr * sizeof(*map->node));
    }
    clear_ids(mem, map);
    *map = bigger;
    return true;
}

/* The id that shares most leading bits with this one along the tree's tests. The map is not empty. */
static uint32_t nearest(const struct pc_id_map *map, uint64_t id)
{
    uint32_t at = map->root;
    while (at & PC_ID_IS_NODE) {
        const struct pc_id_node *node = &map->node[at & ~PC_ID_IS_NODE];
        at = node->child[id >> node->bit & 1];
    }
    return at;
}

/* Puts the id, which is in no leaf, into the tree; `bit` is the highest in which it differs from the nearest.
 */
static void insert(struct pc_id_map *map, uint64_t id, uint32_t attr, uint8_t bit)
{
    uint32_t leaf = (uint32_t)map->nr, *place = &map->root;
    map->id[leaf] = id;
    map->attr[leaf] = attr;
    while ((*place & PC_ID_IS_NODE) && map->node[*place & ~PC_ID_IS_NODE].bit > bit) {
        struct pc_id_node *node = &map->node[*place & ~PC_ID_IS_NODE];
        place = &node->child[id >> node->bit & 1];
    }
    unsigned side = id >> bit & 1;
    map->node[leaf].bit = bit;
    map->node[leaf].child[side] = leaf;
    map->node[leaf].child[!side] = *place;
    *place = leaf | PC_ID_IS_NODE;
    map->nr++;
}

static enum pc_id_outcome add_id(struct pc_mem *mem, struct pc_id_map *map, uint64_t id, uint32_t attr,
                                 uint32_t *other)
{
    if (id == 0)
        return PC_ID_ZERO;
    if (map->nr != 0) {
        uint32_t near = nearest(map, id);
        if (map->id[near] == id) {
            *other = map->attr[near];
            return *other == attr ? PC_ID_AGAIN : PC_ID_OTHERS;
        }
        uint8_t bit = (uint8_t)(63 - __builtin_clzll(map->id[near] ^ id));
        if (!grow_ids(mem, map))
            return PC_ID_FULL;
        insert(map, id, attr, bit);
        return PC_ID_ADDED;
    }
    if (!grow_ids(mem, map))
        return PC_ID_FULL;
    map->id[0] = id;
    map->attr[0] = attr;
    map->root = 0;
    map->nr = 1;
    return PC_ID_ADDED;
}

enum pc_id_outcome pc_capture_add_id(struct pc_capture *capture, uint64_t id, uint32_t attr, uint32_t *other)
{
    capture->nr_ids++;
    capture->attr[attr].nr_ids++;
    return add_id(capture->mem, &capture->ids, id, attr, other);
}

uint32_t pc_capture_attr_of(struct pc_capture *capture, uint64_t id)
{
    struct pc_id_map *map = &capture->ids;
    struct pc_recent *recent = &map->recent[id % PC_COUNT_OF(map->recent)];
    if (map->nr == 0 || id == 0)
        return PC_NO_ATTR;
    if (recent->id == id)
        return recent->attr;
    uint32_t near = nearest(map, id);
    if (map->id[near] != id)
        return PC_NO_ATTR;
    *recent = (struct pc_recent){ id, map->attr[near] };
    return recent->attr;
}

/* --- the whole --- */

void pc_capture_init(struct pc_capture *capture, struct pc_mem *mem)
{
    *capture = (struct pc_capture){
        .mem = mem, .id_pos = -1, .is_pos = -1, .mmap2_old = -1, .same_layout = true, .same_shown = true
    };
}

void pc_capture_clear(struct pc_capture *capture)
{
    struct pc_mem *mem = capture->mem;
    for (size_t i = 0; i < capture->nr_attrs; i++)
        pc_free(mem, capture->attr[i].name, capture->attr[i].name_size);
    for (size_t i = 0; i < PC_FEATURES; i++)
        pc_free(mem, capture->text[i], capture->text_size[i]);
    for (size_t i = 0; i < capture->nr_layouts; i++) {
        for (size_t k = 0; k < PC_PLANS; k++)
            pc_plan_free(mem, capture->layout[i]->plan[k]);
        pc_free(mem, capture->layout[i], sizeof(struct pc_sample_layout));
    }
    for (size_t i = 0; i < capture->nr_early; i++)
        pc_free(mem, capture->early[i].text, capture->early[i].size);
    pc_free(mem, capture->early, capture->cap_early * sizeof(*capture->early));
    pc_free(mem, capture->attr, capture->cap_attrs * sizeof(*capture->attr));
    pc_free(mem, capture->layout, capture->cap_layouts * sizeof(*capture->layout));
    clear_ids(mem, &capture->ids);
    clear_ids(mem, &capture->tracepoint_ids);
    for (size_t i = 0; i < capture->nr_tracepoints; i++)
        pc_tp_free(mem, capture->tracepoint[i]);
    pc_free(mem, capture->tracepoint, capture->cap_tracepoints * sizeof(*capture->tracepoint));
    pc_free(mem, capture->tp_draft, sizeof(*capture->tp_draft));
    pc_capture_init(capture, mem);
}

/* Makes room for one more element; false when there is no memory. */
static bool grow(struct pc_mem *mem, void **array, size_t nr, size_t *cap, size_t size)
{
    if (nr < *cap)
        return true;
    size_t wanted = *cap ? *cap * 2 : 8;
    void *moved = pc_resize(mem, *array, *cap * size, wanted * size);
    if (!moved)
        return false;
    *array = moved;
    *cap = wanted;
    return true;
}

/* --- layouts --- */

/* Where the id stands in samples: tools/perf/util/evsel.c: __perf_evsel__calc_id_pos. */
static int id_position(uint64_t mask)
{
    if (mask & PC_S_IDENTIFIER)
        return 0;
    if (!(mask & PC_S_ID))
        return -1;
    return __builtin_popcountll(mask & (PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ADDR));
}

/* ... and in the trailer of other records: __perf_evsel__calc_is_pos. */
static int trailer_position(uint64_t mask)
{
    if (mask & PC_S_IDENTIFIER)
        return 1;
    if (!(mask & PC_S_ID))
        return -1;
    return 1 + __builtin_popcountll(mask & (PC_S_CPU | PC_S_STREAM_ID));
}

/* How many of the newest layouts are compared before a new one is made. */
#define LAYOUTS_COMPARED 64

/* A sample of zeros shows where its fixed fields stand. */
static void find_places(struct pc_sample_layout *samples, enum pc_order order)
{
    static const unsigned char zeros[1024];
    struct pc_cursor c = pc_cursor((struct pc_span){ zeros, sizeof(zeros) }, order);
    struct pc_walk walk;
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, &samples->layout, &c, NULL, NULL);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
    samples->ip_at = (uint16_t)walk.slot_at[PC_REC_IP];
    samples->tid_at = (uint16_t)walk.slot_at[PC_REC_SAMPLE_TID];
    samples->defers = (samples->layout.mask & PC_LAYOUT_DEFER) && (samples->layout.mask & PC_S_CALLCHAIN);
    if (!(samples->layout.mask & PC_S_READ))
        samples->chain_at = (uint16_t)walk.slot_at[PC_REC_CHAIN];
}

static uint32_t intern_layout(struct pc_capture *capture, const struct pc_layout *layout)
{
    size_t oldest = capture->nr_layouts > LAYOUTS_COMPARED ? capture->nr_layouts - LAYOUTS_COMPARED : 0;
    for (size_t i = capture->nr_layouts; i > oldest; i--) {
        if (memcmp(&capture->layout[i - 1]->layout, layout, sizeof(*layout)) == 0)
            return (uint32_t)(i - 1);
    }
    void *array = capture->layout;
    if (!grow(capture->mem, &array, capture->nr_layouts, &capture->cap_layouts, sizeof(*capture->layout)))
        return PC_NO_ATTR;
    capture->layout = array;
    struct pc_sample_layout *samples = pc_alloc(capture->mem, sizeof(*samples));
    if (!samples)
        return PC_NO_ATTR;
    samples->layout = *layout;
    samples->sample_id_size = pc_sample_id_size(layout->mask);
    find_places(samples, capture->order);
    capture->layout[capture->nr_layouts] = samples;
    return (uint32_t)capture->nr_layouts++;
}

/* Whether records have the same fields under both, but for READ: samples without PC_S_READ show nothing of a
 * read_format. */
static bool shows_the_same(const struct pc_layout *a, const struct pc_layout *b)
{
    const uint64_t read = PC_LAYOUT_READ(((uint64_t)1 << PC_READ_BITS) - 1) | PC_LAYOUT_READ_SINGLE |
                          PC_LAYOUT_READ_WORDS(1) | PC_LAYOUT_READ_WORDS(2) | PC_LAYOUT_READ_WORDS(3);
    uint64_t differs = a->mask ^ b->mask;
    return (differs & (a->mask & PC_S_READ ? UINT64_MAX : ~read)) == 0 &&
           memcmp(a->slot, b->slot, sizeof(a->slot)) == 0;
}

/* Plans are for the common layouts; a capture with thousands of layouts is walked without. */
#define LAYOUTS_WITH_PLANS 256

static const struct pc_plan *make_plan(struct pc_capture *capture, struct pc_sample_layout *samples,
                                       unsigned which, uint32_t type, const struct pc_layout *layout)
{
    if (!samples->tried[which]) {
        samples->tried[which] = true;
        if (capture->nr_layouts <= LAYOUTS_WITH_PLANS && !capture->no_plans)
            samples->plan[which] = pc_plan_new(capture->mem, pc_record_info(type), layout, capture->order);
    }
    return samples->plan[which];
}

const struct pc_plan *pc_capture_plan(struct pc_capture *capture, struct pc_sample_layout *samples,
                                      uint32_t type, uint16_t misc)
{
    bool old = capture->mmap2_old == 1;
    unsigned which = type;
    if (type == PC_MMAP2 && (misc & PC_MISC_MMAP_BUILD_ID))
        which = PC_PLAN_MMAP2_BUILD_ID;
    else if (type == PC_MMAP2 && old)
        which = PC_PLAN_MMAP2_OLD;
    if (samples->tried[which])
        return samples->plan[which];
    struct pc_layout layout = pc_record_layout(&samples->layout, type, misc, which == PC_PLAN_MMAP2_OLD);
    return make_plan(capture, samples, which, type, &layout);
}

bool pc_capture_other_layout(struct pc_capture *capture, struct pc_sample_layout *samples, unsigned which,
                             struct pc_layout *layout, const struct pc_plan **plan)
{
    bool no_index = which == 0 || which == 2, counters = which == 1 || which == 2;
    uint64_t mask = samples->layout.mask;
    if (!(mask & PC_S_BRANCH_STACK) || (no_index && !(mask & PC_LAYOUT_HW_INDEX)) ||
        (counters && !capture->counters))
        return false;
    *layout = pc_record_layout(&samples->layout, PC_SAMPLE, 0, false);
    /* The kernel writes counters only when the PMU delivered them, and leaves hw_idx out with an empty stack.
     */
    if (counters)
        layout->mask ^= PC_LAYOUT_COUNTERS;
    if (no_index)
        layout->mask &= ~PC_LAYOUT_HW_INDEX;
    *plan = make_plan(capture, samples, PC_PLAN_SAMPLE_OTHERS + which, PC_SAMPLE, layout);
    return true;
}

/* Kernels 3.12 to 3.15 wrote MMAP2 without prot and flags, and nothing says so: where prot stands in the
 * new layout, the old one has the beginning of the file name. */
int pc_mmap2_is_old(uint16_t misc, struct pc_span record)
{
    struct pc_cursor c = pc_cursor(record, PC_LITTLE);
    const size_t prot_at = PC_MMAP2_PROT;
    uint64_t eight;
    if ((misc & PC_MISC_MMAP_BUILD_ID) || !pc_peek(&c, prot_at, 8, &eight))
        return -1;
    size_t i = prot_at;
    while (i < prot_at + 8 && record.ptr[i] >= ' ' && record.ptr[i] < 0x7f)
        i++;
    if (i > prot_at && (i == prot_at + 8 || record.ptr[i] == 0))
        return 1;
    /* A mapping without a name shows nothing: eight zeros are no name and no protection. */
    return eight == 0 ? -1 : 0;
}

/* Walks without a visitor: does the record have exactly this layout? */
static bool fits(struct pc_capture *capture, struct pc_fitting *f, uint32_t type, struct pc_span record,
                 const struct pc_layout *layout, uint64_t *branches)
{
    struct pc_cursor c = { .in = record, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, layout, &c, NULL, NULL);
    bool sound = pc_walk_record(&walk, pc_record_info(type), &excess);
    f->work += walk.work;
    *branches = walk.slot[PC_REC_NR];
    return sound && excess == 0;
}

/* A sample that has not the layout of its attr may have that of another of the same event: defect D6 of
 * FORMAT.md 12.5. */
static void find_other_event(struct pc_capture *capture, struct pc_fitting *f, struct pc_span record)
{
    const struct pc_attr *own = &capture->attr[f->attr];
    size_t most = capture->nr_attrs < 64 ? capture->nr_attrs : 64;
    uint64_t branches;
    for (uint32_t i = 0; i < most; i++) {
        const struct pc_attr *other = &capture->attr[i];
        if (other->layout == own->layout ||
            pc_attr_get(other, PC_ATTR_TYPE) != pc_attr_get(own, PC_ATTR_TYPE) ||
            pc_attr_get(other, PC_ATTR_CONFIG) != pc_attr_get(own, PC_ATTR_CONFIG))
            continue;
        struct pc_layout layout =
            pc_record_layout(&capture->layout[other->layout]->layout, PC_SAMPLE, 0, false);
        if (!fits(capture, f, PC_SAMPLE, record, &layout, &branches))
            continue;
        f->layout = layout;
        f->attr = i;
        return;
    }
}

static bool fits_other_layout(struct pc_capture *capture, struct pc_fitting *f,
                              struct pc_sample_layout *samples, struct pc_span record)
{
    uint64_t branches;
    for (unsigned which = 0; which < 3; which++) {
        struct pc_layout other;
        if (!pc_capture_other_layout(capture, samples, which, &other, &f->plan) ||
            !fits(capture, f, PC_SAMPLE, record, &other, &branches))
            continue;
        /* hw_idx is left out only with an empty stack. */
        if ((f->layout.mask & ~other.mask & PC_LAYOUT_HW_INDEX) && branches != 0)
            continue;
        f->layout = other;
        f->other_layout = true;
        return true;
    }
    return false;
}

struct pc_fitting pc_capture_fit(struct pc_capture *capture, uint32_t attr, uint32_t type, uint16_t misc,
                                 struct pc_span record)
{
    struct pc_sample_layout *samples = capture->layout[capture->attr[attr].layout];
    struct pc_fitting f = { .attr = attr };
    uint64_t branches;
    int old = capture->mmap2_old;
    if (type != PC_MMAP2)
        old = 0;
    else if (old < 0)
        old = pc_mmap2_is_old(misc, record);
    f.layout = pc_record_layout(&samples->layout, type, misc, old == 1);
    bool doubtful = type == PC_SAMPLE || (type == PC_MMAP2 && old < 0 && !(misc & PC_MISC_MMAP_BUILD_ID));
    if (!doubtful || fits(capture, &f, type, record, &f.layout, &branches))
        return f;
    if (type == PC_SAMPLE) {
        if (!fits_other_layout(capture, &f, samples, record) && capture->nr_attrs > 1)
            find_other_event(capture, &f, record);
        return f;
    }
    /* Not decided yet, and too short for the new layout: the old one, if it fits. */
    struct pc_layout other = pc_record_layout(&samples->layout, type, misc, true);
    if (fits(capture, &f, type, record, &other, &branches))
        f.layout = other;
    return f;
}

bool pc_capture_layout(struct pc_capture *capture, uint32_t type, uint16_t misc, struct pc_span record,
                       struct pc_layout *layout, uint32_t *attr)
{
    *layout = pc_record_layout(NULL, type, misc, capture->mmap2_old == 1);
    *attr = PC_NO_ATTR;
    if (!pc_is_kernel_type(type))
        return true;
    struct pc_chosen chosen = pc_capture_choose(capture, type, record);
    if (chosen.choice != PC_CHOSEN)
        return type != PC_SAMPLE; /* the fields of others depend on no attr */
    *attr = chosen.attr;
    if (type == PC_SAMPLE && pc_attr_get(&capture->attr[*attr], PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS)
        return false;
    *layout = pc_capture_fit(capture, *attr, type, misc, record).layout;
    /* A record that has no room for its sample_id may still have its fields. */
    if (pc_sample_id_size(layout->mask) > record.len - PC_RECORD_HEADER_SIZE)
        layout->mask &= ~PC_LAYOUT_SAMPLE_ID;
    return true;
}

/* --- attrs --- */

/* A copy of the name that whoever holds it gives back. */
static char *copy_name(struct pc_mem *mem, struct pc_span text, uint64_t *size)
{
    size_t len = pc_first_zero(text);
    len = len < PC_NAME_MAX ? len : PC_NAME_MAX;
    char *name = pc_alloc(mem, len + 1);
    if (name && len != 0)
        memcpy(name, text.ptr, len);
    *size = len + 1;
    return name;
}

/* Keeps a name until its attr comes. They come one after the other, so that each waits at its index. */
static void name_early(struct pc_capture *capture, uint32_t attr, struct pc_span text)
{
    void *array = capture->early;
    if (attr >= PC_ATTRS_MAX || capture->early_bytes >= PC_NAMES_EARLY_MAX ||
        (attr < capture->nr_early && capture->early[attr].text))
        return;
    while (capture->nr_early <= attr) {
        if (!grow(capture->mem, &array, capture->nr_early, &capture->cap_early, sizeof(*capture->early)))
            return;
        capture->early = array;
        capture->early[capture->nr_early++] = (struct pc_early_name){ 0 };
    }
    struct pc_early_name *early = &capture->early[attr];
    early->text = copy_name(capture->mem, text, &early->size);
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
    char *name = copy_name(capture->mem, text, &size);
    if (!name)
        return;
    pc_free(capture->mem, a->name, a->name_size);
    a->name = name;
    a->name_size = size;
}

bool pc_attr_ends_early(const struct pc_capture *capture, struct pc_span room)
{
    uint64_t entry = pc_header_get(capture, PC_HEAD_ATTR_SIZE), slot[PC_SLOTS];
    if (!pc_attr_walk(room, capture->order, slot))
        return false;
    uint64_t size = slot[PC_ATTR_SIZE] == 0 ? PC_ATTR_SIZE_MIN : slot[PC_ATTR_SIZE];
    return size < room.len && size % 8 == 0 && pc_header_get(capture, PC_HEAD_ATTRS_SIZE) / entry == 1 &&
           !pc_bit(capture->features, PC_STAT_FEATURE) && !(slot[PC_ATTR_SAMPLE_TYPE] & PC_S_READ);
}

uint32_t pc_capture_add_attr(struct pc_capture *capture, const uint64_t *slot, uint64_t offset)
{
    void *array = capture->attr;
    if (capture->nr_attrs >= PC_ATTRS_MAX ||
        !grow(capture->mem, &array, capture->nr_attrs, &capture->cap_attrs, sizeof(*capture->attr)))
        return PC_NO_ATTR;
    capture->attr = array;
    struct pc_layout layout = pc_attr_layout(slot);
    uint32_t index = intern_layout(capture, &layout);
    if (index == PC_NO_ATTR)
        return PC_NO_ATTR;

    struct pc_attr *attr = &capture->attr[capture->nr_attrs];
    *attr = (struct pc_attr){ .offset = offset, .layout = index };
    memcpy(attr->value, &slot[PC_ATTR_TYPE], sizeof(attr->value));
    int id_pos = id_position(layout.mask), is_pos = trailer_position(layout.mask);
    if (capture->nr_attrs == 0) {
        capture->id_pos = id_pos;
        capture->is_pos = is_pos;
    } else {
        capture->id_pos = capture->id_pos == id_pos ? id_pos : -1;
        capture->is_pos = capture->is_pos == is_pos ? is_pos : -1;
        capture->same_layout &= index == capture->attr[0].layout;
        capture->same_shown &= shows_the_same(&layout, &capture->layout[capture->attr[0].layout]->layout);
    }
    capture->counters |= (layout.mask & PC_LAYOUT_COUNTERS) != 0;
    take_early_name(capture, (uint32_t)capture->nr_attrs);
    return (uint32_t)capture->nr_attrs++;
}

/* --- choosing the attr of a record --- */

struct pc_chosen pc_capture_choose(struct pc_capture *capture, uint32_t type, struct pc_span record)
{
    struct pc_chosen c = { .choice = PC_CHOSEN };
    if (capture->nr_attrs == 0) {
        c.choice = PC_CHOICE_NO_ATTRS;
        return c;
    }
    if (capture->nr_attrs == 1)
        return c;
    bool sample = type == PC_SAMPLE;
    if (!sample && !(pc_attr_get(&capture->attr[0], PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL))
        return c;
    int position = sample ? capture->id_pos : capture->is_pos;
    if (position < 0) {
        if (!(type == PC_READ ? capture->same_layout : capture->same_shown))
            c.choice = PC_CHOICE_NO_POSITION;
        return c;
    }
    /* Counted from the first field of a sample, where 0 is the first word, or from the end of the trailer,
     * where 1 is the last. */
    size_t word = (size_t)position, words = (record.len - PC_RECORD_HEADER_SIZE) / 8;
    bool there = sample ? word < words : word <= words;
    c.id_at = sample ? PC_RECORD_HEADER_SIZE + 8 * word : there ? record.len - 8 * word : record.len;
    if (!there) {
        c.choice = PC_CHOICE_SHORT;
        return c;
    }
    c.id = pc_load(record.ptr + c.id_at, 8, capture->order);
    if (c.id == 0)
        return c; /* made up by perf, which means the first attr */
    c.attr = pc_capture_attr_of(capture, c.id);
    if (c.attr == PC_NO_ATTR) {
        c.choice = PC_CHOICE_UNKNOWN;
        c.attr = 0;
    }
    return c;
}

/* --- tracepoints --- */

/* The place of a tracepoint, new or known; NULL: no room. */
static struct pc_tracepoint **tracepoint_place(struct pc_capture *capture, uint32_t id)
{
    void *array = capture->tracepoint;
    uint32_t index = (uint32_t)capture->nr_tracepoints;
    if (index >= PC_TRACEPOINTS_MAX ||
        !grow(capture->mem, &array, index, &capture->cap_tracepoints, sizeof(*capture->tracepoint)))
        return NULL;
    capture->tracepoint = array;
    switch (add_id(capture->mem, &capture->tracepoint_ids, (uint64_t)id + 1, index, &index)) {
    case PC_ID_ADDED:
        capture->tracepoint[capture->nr_tracepoints++] = NULL;
        break;
    case PC_ID_OTHERS:
        break;
    default:
        return NULL;
    }
    return &capture->tracepoint[index];
}

struct pc_tp_draft *pc_capture_draft(struct pc_capture *capture)
{
    if (!capture->tp_draft)
        capture->tp_draft = pc_alloc(capture->mem, sizeof(*capture->tp_draft));
    return capture->tp_draft;
}

/* The later of two formats with one id is taken, as readers do with a second TRACING_DATA. */
static void learn_tracepoint(struct pc_capture *capture, struct pc_span text, unsigned long_size)
{
    struct pc_tp_draft *draft = pc_capture_draft(capture);
    struct pc_tp_fault fault;
    if (!draft) {
        capture->tracepoints_full = true;
        return;
    }
    bool sound = pc_tp_read(draft, text, long_size == 4 ? 4 : 8, &fault);
    if (!draft->has_id)
        return;
    struct pc_tracepoint **place = tracepoint_place(capture, draft->id);
    if (!place) {
        capture->tracepoints_full = true;
        return;
    }
    capture->tracepoint_bytes -= *place ? (*place)->bytes : 0;
    pc_tp_free(capture->mem, *place);
    *place = NULL;
    if (!sound)
        return;
    struct pc_tracepoint *new = NULL;
    if (capture->tracepoint_bytes < PC_TRACEPOINT_BYTES_MAX)
        new = pc_tp_new(capture->mem, draft);
    if (!new) {
        capture->tracepoints_full = true;
        return;
    }
    capture->tracepoint_bytes += new->bytes;
    *place = new;
}

static uint32_t tracepoint_index(const struct pc_capture *capture, uint64_t id)
{
    const struct pc_id_map *map = &capture->tracepoint_ids;
    if (map->nr == 0 || id > UINT32_MAX)
        return PC_NO_ATTR;
    uint32_t near = nearest(map, id + 1);
    return map->id[near] == id + 1 ? map->attr[near] : PC_NO_ATTR;
}

bool pc_capture_has_tracepoint(const struct pc_capture *capture, uint64_t id)
{
    return tracepoint_index(capture, id) != PC_NO_ATTR;
}

const struct pc_tracepoint *pc_capture_format(struct pc_capture *capture, uint32_t attr)
{
    struct pc_attr *a = &capture->attr[attr];
    if (a->format_of != capture->nr_tracing) {
        a->format_of = capture->nr_tracing;
        a->format = pc_attr_get(a, PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT
                        ? tracepoint_index(capture, pc_attr_get(a, PC_ATTR_CONFIG))
                        : PC_NO_ATTR;
    }
    if (capture->nr_tracing == 0 || a->format == PC_NO_ATTR)
        return NULL;
    return capture->tracepoint[a->format];
}

/* --- what features and user records say --- */

bool pc_capture_can_walk(const struct pc_capture *capture, uint64_t bit)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (!info || !(info->flags & PC_NEEDS_NRCPUS))
        return true;
    return capture->nr_cpus != 0 && (bit != PC_CPU_DOMAIN_INFO || capture->nr_online != 0);
}

struct pc_layout pc_capture_feature_layout(const struct pc_capture *capture)
{
    struct pc_layout layout = { 0 };
    layout.slot[PC_SLOT_NR_CPUS] = capture->nr_cpus;
    layout.slot[PC_SLOT_NR_ONLINE] = capture->nr_online;
    return layout;
}

/* Adds a string of a feature to what is remembered of it, behind a blank. */
static void learn_text(struct pc_capture *capture, uint64_t bit, struct pc_span text)
{
    char *old = capture->text[bit];
    size_t before = old ? strlen(old) + 1 : 0, len = pc_first_zero(text);
    if (before + len + 1 > PC_TEXT_MAX)
        return;
    char *whole = pc_alloc(capture->mem, before + len + 1);
    if (!whole)
        return;
    if (old) {
        memcpy(whole, old, before - 1);
        whole[before - 1] = ' ';
    }
    if (len != 0)
        memcpy(whole + before, text.ptr, len);
    pc_free(capture->mem, old, capture->text_size[bit]);
    capture->text[bit] = whole;
    capture->text_size[bit] = before + len + 1;
}

struct learning {
    struct pc_capture *capture;
    uint64_t bit;
};

/* A name that is there stays: tools/perf/util/header.c: evlist__set_event_name. */
static void learn_name(struct pc_capture *capture, uint32_t attr, struct pc_span text)
{
    if (attr >= capture->nr_attrs || !capture->attr[attr].name)
        pc_capture_name(capture, attr, text);
}

static bool learn_leaf(void *ctx, const struct pc_leaf *leaf)
{
    const struct learning *learning = ctx;
    struct pc_capture *capture = learning->capture;
    const struct pc_walk *walk = leaf->walk;
    const char *name = leaf->field->name;
    if (leaf->fault != PC_SOUND)
        return true;
    if (leaf->field->kind == PC_HSTR && learning->bit != PC_EVENT_DESC)
        learn_text(capture, learning->bit, pc_part(leaf->raw, 4, leaf->raw.len - 4));
    if (!name || walk->depth == 0)
        return true;
    if (leaf->field->kind == PC_TEXT && strcmp(name, "format") == 0)
        learn_tracepoint(capture, leaf->raw, (unsigned)walk->slot[PC_FEAT_B]);
    else if (leaf->field->kind == PC_HSTR && strcmp(walk->path[0].name, "events") == 0)
        learn_name(capture, (uint32_t)walk->path[0].index, pc_part(leaf->raw, 4, leaf->raw.len - 4));
    return true;
}

void pc_capture_feature(struct pc_capture *capture, uint64_t bit, struct pc_cursor payload)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (!info || !((info->flags & PC_ONE_STRING) || bit == PC_NRCPUS || bit == PC_EVENT_DESC ||
                   bit == PC_TRACING_DATA || bit == PC_CMDLINE || bit == PC_DIR_FORMAT ||
                   bit == PC_COMPRESSED_FEATURE))
        return;
    struct learning learning = { capture, bit };
    if (capture->text[bit]) { /* a second one replaces the first */
        pc_free(capture->mem, capture->text[bit], capture->text_size[bit]);
        capture->text[bit] = NULL;
    }
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_walk walk;
    pc_walk_init(&walk, &layout, &payload, learn_leaf, &learning);
    bool sound = pc_walk_table(&walk, info->fields);
    if (bit == PC_TRACING_DATA) {
        capture->nr_tracing++;
        capture->tracing_order = walk.slot[PC_FEAT_A] == 1 ? PC_BIG : PC_LITTLE;
    }
    if (bit == PC_NRCPUS && sound) {
        capture->nr_cpus = walk.slot[PC_FEAT_A];
        capture->nr_online = walk.slot[PC_FEAT_B];
    }
    if (bit == PC_DIR_FORMAT && sound)
        capture->dir_version = walk.slot[PC_FEAT_A];
    if (bit == PC_COMPRESSED_FEATURE && sound) {
        capture->mmap_len = walk.slot[PC_FEAT_A];
        capture->compression = walk.slot[PC_FEAT_B];
        capture->level = walk.slot[PC_FEAT_C];
    }
}

/* Whose an EVENT_UPDATE with this id is, among the events known so far: all are those of the only event, and
 * those of id 0 are of the first one (tools/perf/util/evlist.c: evlist__id2evsel). */
static struct pc_update update_of(struct pc_capture *capture, uint64_t id)
{
    uint32_t attr = pc_capture_attr_of(capture, id);
    size_t nr = capture->nr_attrs;
    return (struct pc_update){ .event = nr == 1 || (nr != 0 && id == 0) ? 0 : attr,
                               .early = attr == PC_NO_ATTR && (nr == 0 || (nr == 1 && id != 0)) };
}

static bool learn_update(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_capture *capture = ctx;
    const struct pc_walk *walk = leaf->walk;
    const uint64_t name_update = 2;
    if (leaf->field->save == PC_SLOT_ID)
        capture->update = update_of(capture, leaf->value);
    if (leaf->fault == PC_SOUND && leaf->field->kind == PC_CSTR && walk->slot[PC_REC_TYPE] == name_update &&
        capture->update.event != PC_NO_ATTR)
        pc_capture_name(capture, capture->update.event, leaf->raw);
    return true;
}

void pc_capture_record(struct pc_capture *capture, uint32_t type, struct pc_span record)
{
    if (type != PC_EVENT_UPDATE || record.len < PC_RECORD_HEADER_SIZE)
        return;
    struct pc_cursor c = { .in = record, .pos = PC_RECORD_HEADER_SIZE, .order = capture->order };
    struct pc_walk walk;
    capture->update = (struct pc_update){ .event = PC_NO_ATTR };
    pc_walk_init(&walk, NULL, &c, learn_update, capture);
    pc_walk_table(&walk, pc_record_info(type)->fields);
}
