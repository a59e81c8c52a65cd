/* SPDX-License-Identifier: MIT
 *
 * Which attr governs a record, and which of the layouts that the kernel may write it has.
 */
#include "read/capture.h"
#include "read/layouts.h"

/* The attr of a record whose id has this place, counted from the first field of a sample, where 0 is the
 * first word, or from the end of the trailer, where 1 is the last. */
static struct pc_chosen choose_at(const struct pc_capture *capture, int position, bool sample,
                                  struct pc_span record)
{
    struct pc_chosen c = { .choice = PC_CHOSEN, .attr = capture->common.first };
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
        c.attr = capture->common.first;
    }
    return c;
}

struct pc_chosen pc_capture_choose_any(const struct pc_capture *capture, uint32_t type, struct pc_span record)
{
    struct pc_chosen c = { .choice = PC_CHOSEN, .attr = capture->common.first };
    if (capture->nr_attrs == 0) {
        c.choice = PC_CHOICE_NO_ATTRS;
        return c;
    }
    bool sample = type == PC_SAMPLE;
    if (!sample && !(pc_attr_get(pc_capture_first(capture), PC_ATTR_FLAGS) & PC_FLAG_SAMPLE_ID_ALL))
        return c;
    int position = sample ? capture->common.id_pos : capture->common.is_pos;
    if (position >= 0)
        return choose_at(capture, position, sample, record);
    if (!(type == PC_READ ? capture->common.same_layout : capture->common.same_shown))
        c.choice = PC_CHOICE_NO_POSITION;
    return c;
}

static void *find(struct pc_set *set, uint64_t attr)
{
    return set->nr != 0 ? pc_set_find(set, &attr) : NULL;
}

void *pc_capture_lost_attr(const struct pc_capture *capture, struct pc_set *lost, uint32_t type,
                           struct pc_span record)
{
    struct pc_chosen chosen = pc_capture_choose(capture, type, record);
    if (chosen.choice == PC_CHOICE_UNKNOWN && lost->nr != 0)
        return lost->entry;
    return chosen.choice == PC_CHOSEN ? find(lost, chosen.attr) : NULL;
}

/* Kernels 3.12 to 3.15 wrote MMAP2 without prot and flags, and nothing tells so: where prot is in the new
 * layout, the old one has the beginning of the file name. */
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
static bool fits(const struct pc_capture *capture, struct pc_fitting *f, uint32_t type, struct pc_span record,
                 const struct pc_layout *layout, uint64_t *branches)
{
    struct pc_cursor c = pc_record_body(record, capture->order);
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
static void find_other_event(const struct pc_capture *capture, struct pc_fitting *f, struct pc_span record)
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

static bool fits_other_layout(const struct pc_capture *capture, struct pc_fitting *f,
                              const struct pc_sample_layout *samples, struct pc_span record)
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

struct pc_fitting pc_capture_fit(const struct pc_capture *capture, uint32_t attr, uint32_t type,
                                 uint16_t misc, struct pc_span record)
{
    const struct pc_sample_layout *samples = capture->layout[capture->attr[attr].layout];
    struct pc_fitting f = { .attr = attr };
    uint64_t branches;
    int old = capture->mmap2_old;
    if (type != PC_MMAP2)
        old = 0;
    else if (old < 0)
        old = pc_mmap2_is_old(misc, record);
    f.layout = pc_record_layout(&samples->layout, type, misc, old == 1);
    if (type == PC_SAMPLE && record.len < capture->least_sample)
        return f; /* it fits none */
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

bool pc_capture_layout(const struct pc_capture *capture, uint32_t type, uint16_t misc, struct pc_span record,
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
