/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "cursor.h"

#include <string.h>

static const struct pc_value none;

void pc_check_init(struct pc_check *check, struct pc_mem *mem, struct pc_report *report,
                   struct pc_capture *capture)
{
    memset(check, 0, sizeof(*check));
    check->mem = mem;
    check->report = report;
    check->capture = capture;
}

void pc_check_clear(struct pc_check *check)
{
    struct pc_keys *all[] = { &check->index, &check->keys, &check->pmus, &check->pmu_names };
    for (size_t i = 0; i < PC_COUNT_OF(all); i++) {
        pc_free(check->mem, all[i]->key, all[i]->cap * sizeof(*all[i]->key));
        *all[i] = (struct pc_keys){ 0 };
    }
}

/* About a slot of the record at hand. */
static void say_slot(struct pc_check *check, enum pc_diag id, unsigned slot, const char *name, uint64_t width,
                     struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_check_finding(check, id, check->slot_at[slot], width);
    f.path[0] = (struct pc_step){ name, PC_NO_INDEX };
    f.depth = 1;
    f.seen = seen;
    f.expected = expected;
    pc_report_add(check->report, &f);
}

/* --- any record --- */

static void count_record(struct pc_check *check, uint32_t type)
{
    struct pc_summary *sum = &check->sum;
    if (type == PC_COMPRESSED || type == PC_COMPRESSED2) {
        sum->compressed++;
        return;
    }
    sum->total++;
    if (pc_record_info(type)) {
        sum->by_type[type]++;
        return;
    }
    for (size_t i = 0; i < sum->nr_unknown; i++) {
        if (sum->unknown[i].type == type) {
            sum->unknown[i].count++;
            return;
        }
    }
    if (sum->nr_unknown == PC_UNKNOWN_TYPES)
        sum->unknown_rest++;
    else
        sum->unknown[sum->nr_unknown++] = (struct pc_unknown_type){ type, 1 };
}

static void check_misc(struct pc_check *check, const struct pc_item *item, const struct pc_record_info *info)
{
    const size_t at = 4;
    unsigned misc = item->misc, mode = misc & PC_MISC_CPUMODE;
    if (misc == 2 && (info->flags & PC_HAS_CPUMODE))
        return; /* by far the most common: an address of user space */
    if (misc & ~(unsigned)info->misc)
        pc_check_say(check, PC_D_MISC_UNDEFINED, at, 2, pc_hex_value(misc & ~(unsigned)info->misc),
                     pc_hex_value(info->misc));
    if (item->type == PC_HEADER_ATTR && misc != 0)
        pc_check_say(check, PC_D_MISC_HEADER_ATTR, at, 2, pc_hex_value(misc), none);
    if ((info->flags & PC_HAS_CPUMODE) && (mode > 5 || (mode == 0 && (info->flags & PC_NEEDS_MODE))))
        pc_check_say(check, PC_D_CPUMODE_UNDEFINED, at, 2, pc_uint_value(mode), none);
    if ((item->type == PC_SWITCH || item->type == PC_SWITCH_CPU_WIDE) && (misc & PC_MISC_SWITCH_PREEMPT) &&
        !(misc & PC_MISC_SWITCH_OUT))
        pc_check_say(check, PC_D_PREEMPT_WITHOUT_OUT, at, 2, pc_hex_value(misc), none);
    if (item->type == PC_MMAP && (misc & PC_MISC_MMAP_BUILD_ID))
        pc_check_say(check, PC_D_BUILD_ID_ON_MMAP, at, 2, pc_hex_value(misc), none);
}

/* Sizes that break the 8-byte grid, by the defects D1 and D12 of format.md 12.5. */
static const char *unaligned_writer(uint32_t type, size_t size)
{
    if (type == PC_HEADER_BUILD_ID && size % 8 == 4)
        return "perf inject -b up to 6.1";
    if (type == PC_CPU_MAP && size % 8 == 4)
        return "perf 4.16";
    if (type == PC_HEADER_EVENT_TYPE)
        return "old perfs";
    return NULL;
}

static inline void check_alignment(struct pc_check *check, const struct pc_item *item, unsigned flags)
{
    const size_t size_at = 6;
    size_t size = item->bytes.len;
    if (size % 8 == 0 || (flags & PC_ANY_SIZE))
        return;
    const char *writer = unaligned_writer(item->type, size);
    pc_check_say(check, writer ? PC_D_RECORD_UNALIGNED_KNOWN : PC_D_RECORD_UNALIGNED, size_at, 2,
                 pc_uint_value(size), writer ? pc_text_value(writer) : none);
}

static void check_unknown(struct pc_check *check, const struct pc_item *item)
{
    bool kernel = pc_is_kernel_type(item->type);
    pc_check_say(check, kernel ? PC_D_TYPE_KERNEL_UNKNOWN : PC_D_TYPE_USER_UNKNOWN, 0, 4,
                 pc_uint_value(item->type), none);
    check_alignment(check, item, 0);
}

/* What holds for records of every known type. False: its content is not worth looking at. */
static bool check_frame(struct pc_check *check, const struct pc_item *item, const struct pc_record_info *info)
{
    const size_t size_at = 6;
    check_alignment(check, item, info->flags);
    check_misc(check, item, info);
    if (item->bytes.len < info->min) {
        pc_check_say(check, PC_D_RECORD_SMALL, size_at, 2, pc_uint_value(item->bytes.len),
                     pc_uint_value(info->min));
        return false;
    }
    return true;
}

/* --- kernel records --- */

/* Kernels 3.12 to 3.15 wrote MMAP2 without prot and flags, and nothing says so: where prot stands in the
 * new layout, the old one has the beginning of the file name. The first record that shows it decides. */
static void learn_mmap2_layout(struct pc_check *check, const struct pc_item *item)
{
    struct pc_cursor c = { .in = item->bytes, .order = check->capture->order };
    const size_t prot_at = 64;
    struct pc_span text;
    if (check->capture->mmap2_old >= 0 || (item->misc & PC_MISC_MMAP_BUILD_ID))
        return;
    c.pos = prot_at;
    if (item->bytes.len < prot_at + 8 || !pc_take(&c, 2, &text))
        return;
    bool printable = text.ptr[0] >= ' ' && text.ptr[0] < 0x7f && text.ptr[1] >= ' ' && text.ptr[1] < 0x7f;
    /* A mapping without a name shows nothing: eight zeros are no name and no protection. */
    c.pos = prot_at;
    uint64_t eight;
    if (!printable && pc_peek(&c, 0, 8, &eight) && eight == 0)
        return;
    check->capture->mmap2_old = printable;
    if (printable)
        pc_check_say(check, PC_D_MMAP2_OLD, prot_at, 8, pc_bytes_value(text), none);
}

/* Walks without a visitor: does the sample have exactly this layout? */
static bool fits(struct pc_check *check, const struct pc_item *item, const struct pc_layout *layout,
                 uint64_t *branches)
{
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = check->capture->order };
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, layout, &c, NULL, NULL);
    bool sound = pc_walk_record(&walk, pc_record_info(item->type), &excess);
    check->work += walk.work;
    *branches = walk.slot[PC_REC_NR];
    return sound && excess == 0;
}

/* A sample that has not the layout of its attr may have that of another of the same event: defect D6 of
 * format.md 12.5. */
static bool check_other_event(struct pc_check *check, const struct pc_item *item, uint32_t attr)
{
    struct pc_capture *capture = check->capture;
    const struct pc_attr *own = &capture->attr[attr];
    size_t most = capture->nr_attrs < 64 ? capture->nr_attrs : 64;
    uint64_t branches;
    for (uint32_t i = 0; i < most; i++) {
        const struct pc_attr *other = &capture->attr[i];
        if (other->form == own->form || pc_attr_get(other, PC_ATTR_TYPE) != pc_attr_get(own, PC_ATTR_TYPE) ||
            pc_attr_get(other, PC_ATTR_CONFIG) != pc_attr_get(own, PC_ATTR_CONFIG))
            continue;
        struct pc_layout layout =
            pc_record_layout(&capture->form[other->form]->layout, PC_SAMPLE, item->misc, false);
        if (!fits(check, item, &layout, &branches))
            continue;
        pc_check_say(check, PC_D_SAMPLE_OTHER_EVENT, 0, item->bytes.len, pc_uint_value(attr),
                     pc_uint_value(i));
        return true;
    }
    return false;
}

/* Looking for what the plan did not like: the visitor of the walk. */
struct search {
    struct pc_check *check;
    struct pc_span record;
    size_t body_end;
};

static bool search_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct search *s = ctx;
    if (leaf->fault == PC_FAULT_NO_NUL && s->body_end < s->record.len) {
        struct pc_span trailer = pc_part(s->record, s->body_end, s->record.len - s->body_end);
        if (pc_first_zero(trailer) != trailer.len && leaf->field->kind == PC_CSTR) {
            pc_check_say_leaf(s->check, PC_D_STRING_IN_SAMPLE_ID, leaf, none, none);
            return false;
        }
    }
    return pc_check_leaf(s->check, leaf);
}

static void say_excess(struct pc_check *check, const struct pc_item *item, const struct pc_record_info *info,
                       size_t excess, size_t at)
{
    enum pc_diag id = info->excess ? info->excess : PC_D_RECORD_EXCESS;
    if (item->type == PC_SAMPLE && excess < 8)
        id = PC_D_SAMPLE_TAIL;
    if (id == PC_D_FINISHED_SIZE || id == PC_D_TIME_CONV_SIZE) /* the size as a whole is judged */
        pc_check_say(check, id, 6, 2, pc_uint_value(item->bytes.len), pc_uint_value(PC_RECORD_HEADER_SIZE));
    else
        pc_check_say(check, id, at, excess, pc_uint_value(excess), none);
}

/* Walks the record and says what is wrong. Slots are those of the walk. True when all fields are there. */
static bool walk_record(struct pc_check *check, const struct pc_item *item, const struct pc_record_info *info,
                        const struct pc_layout *layout)
{
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = check->capture->order };
    size_t trailer = pc_sample_id_size(layout->mask), excess;
    struct search s = { check, item->bytes, item->bytes.len };
    struct pc_walk walk;

    if (trailer > item->bytes.len - PC_RECORD_HEADER_SIZE) {
        pc_check_say(check, PC_D_SAMPLE_ID_MISSING, 0, item->bytes.len, none, pc_uint_value(trailer));
        return false;
    }
    s.body_end -= trailer;
    check->at.bad_short = info->bad_short;
    check->at.bad_count = info->bad_count;
    pc_walk_init(&walk, layout, &c, search_visit, &s);
    bool sound = pc_walk_record(&walk, info, &excess);
    check->at.bad_short = check->at.bad_count = 0;
    memcpy(check->slot, walk.slot, sizeof(check->slot));
    memcpy(check->slot_at, walk.slot_at, sizeof(check->slot_at));
    if (sound && excess != 0)
        say_excess(check, item, info, excess, item->bytes.len - trailer - excess);
    return sound && (excess == 0 || item->type != PC_SAMPLE);
}

/* The layout of a sample: that of its attr, or one that the kernel may choose instead. */
static bool check_sample_layout(struct pc_check *check, const struct pc_item *item, uint32_t attr)
{
    struct pc_capture *capture = check->capture;
    const struct pc_record_info *info = pc_record_info(PC_SAMPLE);
    struct pc_form *form = capture->form[capture->attr[attr].form];
    struct pc_layout own = pc_record_layout(&form->layout, PC_SAMPLE, item->misc, false);

    uint64_t branches;

    if (!fits(check, item, &own, &branches)) {
        for (unsigned which = 0; which < 3; which++) {
            const struct pc_plan *plan;
            struct pc_layout other;
            if (!pc_capture_sample_form(capture, form, which, &other, &plan) ||
                !fits(check, item, &other, &branches))
                continue;
            /* hw_idx is left out only with an empty stack. */
            if ((own.mask & ~other.mask & PC_LAYOUT_HW_INDEX) && branches != 0)
                continue;
            return (plan && pc_plan_run(plan, item->bytes, check->slot, check->slot_at)) ||
                   walk_record(check, item, info, &other);
        }
        if (capture->nr_attrs > 1 && check_other_event(check, item, attr))
            return false;
    }
    const unsigned words = 8;
    uint64_t fixed = PC_S_IP | PC_S_TID | PC_S_TIME | PC_S_ADDR | PC_S_ID | PC_S_STREAM_ID | PC_S_CPU |
                     PC_S_PERIOD | PC_S_IDENTIFIER;
    size_t least = PC_RECORD_HEADER_SIZE + words * (size_t)__builtin_popcountll(own.mask & fixed);
    if (item->bytes.len < least) {
        pc_check_say(check, PC_D_SAMPLE_SHORT, 6, 2, pc_uint_value(item->bytes.len), pc_uint_value(least));
        return false;
    }
    return walk_record(check, item, info, &own);
}

static void say_choice(struct pc_check *check, const struct pc_item *item, const struct pc_chosen *c)
{
    bool sample = item->type == PC_SAMPLE;
    struct pc_finding f =
        pc_check_finding(check, sample ? PC_D_SAMPLE_ID_UNKNOWN : PC_D_ID_UNKNOWN, c->id_at, 8);
    switch (c->choice) {
    case PC_CHOICE_NO_ATTRS:
        if (check->capture->attrs_damaged || check->said_no_attr)
            return; /* follows from what was said */
        f.id = check->capture->is_pipe ? PC_D_RECORD_BEFORE_ATTR : PC_D_ATTRS_NEEDED;
        f.offset = item->offset;
        f.length = item->bytes.len;
        check->said_no_attr = true;
        break;
    case PC_CHOICE_SHORT:
        f.id = sample ? PC_D_SAMPLE_NO_ID : PC_D_SAMPLE_ID_MISSING;
        f.offset = sample ? item->offset + 6 : item->offset;
        f.length = sample ? 2 : item->bytes.len;
        f.seen = pc_uint_value(item->bytes.len);
        f.expected = pc_uint_value(
            sample ? c->id_at : check->capture->form[check->capture->attr[0].form]->sample_id_size);
        break;
    case PC_CHOICE_UNKNOWN:
        f.path[0] = (struct pc_step){ "id", PC_NO_INDEX };
        f.depth = 1;
        f.seen = pc_uint_value(c->id);
        /* An attr that could not be read may have had this id, and a full map is no proof. */
        if (check->capture->attrs_damaged || check->report->by_id[PC_D_TOO_MANY_IDS_HELD] != 0 ||
            check->report->by_id[PC_D_IDS_OUTSIDE] != 0)
            return;
        break;
    case PC_CHOICE_NO_POSITION: /* said about the attrs */
    case PC_CHOSEN:
        return;
    }
    pc_report_add(check->report, &f);
}

/* --- rules from record to record --- */

/* FINISHED_ROUND promises that all records older than the newest of the round before have come:
 * format.md 9.1, tools/perf/util/ordered-events.c. */
static void check_time(struct pc_check *check, const struct pc_attr *attr, bool sample)
{
    uint64_t time = check->slot[PC_SLOT_TIME];
    if (time == 0 || time == UINT64_MAX) {
        if (sample)
            say_slot(check, PC_D_TIME_UNSET, PC_SLOT_TIME, "time", 8, pc_uint_value(time), none);
        return;
    }
    if (sample) {
        struct pc_summary *sum = &check->sum;
        if (!sum->has_time || time < sum->first_time)
            sum->first_time = time;
        if (!sum->has_time || time > sum->last_time)
            sum->last_time = time;
        sum->has_time = true;
    }
    if (time < check->released && !check->backward &&
        !(pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_WRITE_BACKWARD))
        say_slot(check, PC_D_TIME_ORDER, PC_SLOT_TIME, "time", 8, pc_uint_value(time),
                 pc_uint_value(check->released));
    if (time > check->newest)
        check->newest = time;
}

static void finish_round(struct pc_check *check)
{
    check->released = check->next_release;
    check->next_release = check->newest;
}

static void check_cpu(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU], nr = check->capture->nr_cpus;
    if (nr != 0 && cpu >= nr && cpu != UINT32_MAX)
        say_slot(check, PC_D_CPU_BEYOND, PC_SLOT_CPU, "cpu", 4, pc_uint_value(cpu), pc_uint_value(nr));
}

/* The first field of a tracepoint's payload is its number: u16 common_type, in the recorder's order. */
static void check_raw(struct pc_check *check, const struct pc_item *item, const struct pc_attr *attr)
{
    uint64_t config = pc_attr_get(attr, PC_ATTR_CONFIG), type;
    struct pc_cursor c = { .in = item->bytes,
                           .pos = check->slot_at[PC_REC_RAW],
                           .order = check->capture->order };
    if (pc_attr_get(attr, PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT || check->slot[PC_REC_RAW] < 8 ||
        !pc_uint(&c, 2, &type) || type == (config & 0xffff))
        return;
    check->slot_at[PC_SLOT_NONE] = check->slot_at[PC_REC_RAW];
    say_slot(check, PC_D_COMMON_TYPE, PC_SLOT_NONE, "raw", 2, pc_uint_value(type), pc_uint_value(config));
}

static void say_build_id_tail(struct pc_check *check, size_t at)
{
    struct pc_finding f = pc_check_finding(check, PC_D_MMAP2_BUILD_ID_TAIL, at, 1);
    f.path[0] = (struct pc_step){ "build_id", PC_NO_INDEX };
    f.depth = 1;
    pc_report_add(check->report, &f);
}

/* What the fields of a sound kernel record say together. */
static void check_kernel_content(struct pc_check *check, const struct pc_item *item,
                                 const struct pc_attr *attr, uint64_t mask)
{
    const uint64_t *slot = check->slot;
    uint64_t end;
    bool sample = item->type == PC_SAMPLE, has_id = sample || (mask & PC_LAYOUT_SAMPLE_ID);

    if (has_id && (mask & PC_S_TIME))
        check_time(check, attr, sample);
    if (has_id && (mask & PC_S_CPU))
        check_cpu(check);
    if (has_id && (mask & PC_S_ID) && (mask & PC_S_IDENTIFIER) &&
        slot[PC_SLOT_ID] != slot[PC_SLOT_IDENTIFIER])
        say_slot(check, PC_D_IDENTIFIER_DIFFERS, PC_SLOT_ID, "id", 8, pc_uint_value(slot[PC_SLOT_IDENTIFIER]),
                 pc_uint_value(slot[PC_SLOT_ID]));
    switch (item->type) {
    case PC_SAMPLE:
        check->nr_samples++;
        if (mask & PC_S_RAW)
            check_raw(check, item, attr);
        if ((item->misc & PC_MISC_EXACT_IP) && !(pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_PRECISE_IP))
            pc_check_say(check, PC_D_EXACT_IP, 4, 2, none, none);
        break;
    case PC_MMAP:
    case PC_MMAP2:
        if (slot[PC_REC_LEN] == 0 || !pc_add(slot[PC_REC_ADDR], slot[PC_REC_LEN] - 1, &end))
            say_slot(check, PC_D_MMAP_RANGE, PC_REC_LEN, "len", 8, pc_hex_value(slot[PC_REC_LEN]), none);
        if (item->type == PC_MMAP2 && (item->misc & PC_MISC_MMAP_BUILD_ID) &&
            slot[PC_REC_BUILD_ID_SIZE] <= 20) {
            size_t size = (size_t)slot[PC_REC_BUILD_ID_SIZE], at = check->slot_at[PC_REC_BUILD_ID_SIZE];
            struct pc_span tail = pc_part(item->bytes, at + 4 + size, 20 - size);
            if (size == 0)
                say_slot(check, PC_D_MMAP2_BUILD_ID_EMPTY, PC_REC_BUILD_ID_SIZE, "build_id_size", 1, none,
                         none);
            else if (pc_first_nonzero(tail) != tail.len)
                say_build_id_tail(check, at + 4 + size + pc_first_nonzero(tail));
        }
        break;
    case PC_LOST:
        check->sum.lost_events = pc_add_saturated(check->sum.lost_events, slot[PC_REC_LOST]);
        break;
    case PC_LOST_SAMPLES:
        check->sum.lost_samples = pc_add_saturated(check->sum.lost_samples, slot[PC_REC_LOST]);
        break;
    case PC_AUX:
        if (!pc_add(slot[PC_REC_ADDR], slot[PC_REC_LEN], &end))
            say_slot(check, PC_D_AUX_OVERFLOW, PC_REC_LEN, "aux_size", 8, pc_hex_value(slot[PC_REC_LEN]),
                     none);
        break;
    case PC_CALLCHAIN_DEFERRED:
        if (!check->defer_output)
            pc_check_say(check, PC_D_DEFERRED_UNEXPECTED, 0, item->bytes.len, none, none);
        break;
    default:
        break;
    }
}

static void check_kernel_record(struct pc_check *check, const struct pc_item *item,
                                const struct pc_record_info *info)
{
    struct pc_capture *capture = check->capture;
    struct pc_chosen c = pc_capture_choose(capture, item->type, item->bytes);
    if (c.choice != PC_CHOSEN) {
        say_choice(check, item, &c);
        return;
    }
    const struct pc_attr *attr = &capture->attr[c.attr];
    struct pc_form *form = capture->form[attr->form];
    if (item->type == PC_MMAP2)
        learn_mmap2_layout(check, item);
    const struct pc_plan *plan = pc_capture_plan(capture, form, item->type, item->misc);
    check->work++;
    bool sound = plan && pc_plan_run(plan, item->bytes, check->slot, check->slot_at);
    if (!sound && item->type == PC_SAMPLE) {
        sound = check_sample_layout(check, item, c.attr);
    } else if (!sound) {
        bool old = capture->mmap2_old == 1;
        struct pc_layout layout = pc_record_layout(&form->layout, item->type, item->misc, old);
        uint64_t unused;
        /* Not decided yet, and too short for the new layout: the old one, if it fits. */
        if (item->type == PC_MMAP2 && capture->mmap2_old < 0 && !fits(check, item, &layout, &unused)) {
            struct pc_layout other = pc_record_layout(&form->layout, item->type, item->misc, true);
            if (fits(check, item, &other, &unused))
                layout = other;
        }
        sound = walk_record(check, item, info, &layout);
    }
    if (sound)
        check_kernel_content(check, item, attr, form->layout.mask);
}

/* --- user records --- */

/* An id in a user record names an event, unless there is only one. */
static void check_user_id(struct pc_check *check, enum pc_diag id, uint64_t value, size_t at)
{
    struct pc_capture *capture = check->capture;
    if (capture->attrs_damaged || check->report->by_id[PC_D_TOO_MANY_IDS_HELD] != 0 ||
        pc_capture_attr_of(capture, value) != PC_NO_ATTR)
        return;
    struct pc_finding f = pc_check_finding(check, id, at, 8);
    f.path[0] = (struct pc_step){ "id", PC_NO_INDEX };
    f.depth = 1;
    f.seen = pc_uint_value(value);
    pc_report_add(check->report, &f);
}

static void add_map_cpu(struct pc_check *check, uint64_t cpu)
{
    if (cpu < 65536)
        pc_set_bit(check->cpu_map, cpu);
}

/* The CPUs of a map, whatever its encoding; they come as leaves of its array. */
static void learn_map_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    const unsigned cpus = 0, range = 2;
    if (walk->slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_LEN) {
        uint64_t first = walk->slot[PC_REC_START];
        for (uint64_t cpu = first; cpu <= leaf->value; cpu++)
            add_map_cpu(check, cpu);
        if (leaf->value < first)
            pc_check_say_leaf(check, PC_D_CPU_MAP_RANGE, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(first));
        return;
    }
    if (leaf->field->name || walk->depth == 0)
        return;
    uint64_t index = walk->path[walk->depth - 1].index, bits = (uint64_t)leaf->field->width * 8;
    if (walk->slot[PC_REC_MAP] == cpus) {
        add_map_cpu(check, leaf->value);
        if (leaf->value >= 32767 && leaf->value != UINT16_MAX)
            pc_check_say_leaf(check, PC_D_CPU_MAP_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(32766));
        return;
    }
    for (uint64_t bit = 0; bit < bits; bit++) {
        if (leaf->value >> bit & 1)
            add_map_cpu(check, index * bits + bit);
    }
}

static bool user_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct search *s = ctx;
    struct pc_check *check = s->check;
    if (leaf->fault != PC_SOUND && leaf->field->bad == PC_D_AUXTRACE_ERROR_SHORT) {
        /* Its size does not fit its format; readers take what is there. */
        pc_check_say(check, PC_D_AUXTRACE_ERROR_SHORT, 6, 2, pc_uint_value(leaf->walk->slot[PC_REC_TYPE]),
                     pc_uint_value(120));
        return false;
    }
    if (!pc_check_leaf(check, leaf))
        return false;
    uint32_t type = (uint32_t)pc_load(s->record.ptr, 4, check->capture->order);
    switch (type) {
    case PC_ID_INDEX:
        if (leaf->field->save == PC_SLOT_ID)
            check_user_id(check, PC_D_ID_INDEX_ID, leaf->value, leaf->at);
        break;
    case PC_CPU_MAP:
        learn_map_leaf(check, leaf);
        break;
    case PC_STAT_CONFIG:
        if (leaf->field->rule == PC_RULE_MAX)
            pc_keys_add(check, &check->keys, leaf->value, check->at.offset + leaf->at);
        break;
    default:
        break;
    }
    return true;
}

static bool walk_user_record(struct pc_check *check, const struct pc_item *item,
                             const struct pc_record_info *info)
{
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = check->capture->order };
    struct search s = { check, item->bytes, item->bytes.len };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, user_visit, &s);
    bool sound = pc_walk_table(&walk, info->fields);
    memcpy(check->slot, walk.slot, sizeof(check->slot));
    memcpy(check->slot_at, walk.slot_at, sizeof(check->slot_at));
    /* The payload of a feature is judged by the feature's own table. */
    if (sound && pc_left(&c) != 0 && item->type != PC_HEADER_FEATURE)
        say_excess(check, item, info, pc_left(&c), c.pos);
    return sound;
}

static void check_header_attr(struct pc_check *check, const struct pc_item *item)
{
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = check->capture->order };
    size_t room = pc_left(&c);
    uint64_t size;
    if (!check->capture->is_pipe) {
        pc_check_say(check, PC_D_HEADER_ATTR_IN_FILE, 0, item->bytes.len, none, none);
        return;
    }
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        return;
    if (size > room || (size != 0 && size < PC_ATTR_SIZE_MIN) || size % 8 != 0) {
        pc_check_say(check, PC_D_HEADER_ATTR_SIZE, PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4,
                     pc_uint_value(size), pc_uint_value(room));
        return;
    }
    size_t attr = size == 0 ? PC_ATTR_SIZE_MIN : (size_t)size;
    if ((room - attr) % 8 != 0)
        pc_check_say(check, PC_D_HEADER_ATTR_IDS, PC_RECORD_HEADER_SIZE + attr, room - attr,
                     pc_uint_value(room - attr), none);
    pc_check_attr(check, pc_part(item->bytes, PC_RECORD_HEADER_SIZE, attr), PC_RECORD_HEADER_SIZE, true);
    if (check->nr_samples != 0)
        pc_check_say(check, PC_D_ATTR_LATE, 0, item->bytes.len, none, none);
}

static void check_header_feature(struct pc_check *check, const struct pc_item *item)
{
    struct pc_capture *capture = check->capture;
    uint64_t bit = check->slot[PC_REC_FEATURE];
    size_t content = PC_RECORD_HEADER_SIZE + 8, at = check->slot_at[PC_REC_FEATURE];
    const struct pc_feature_info *info = pc_feature_info(bit);
    struct pc_cursor payload = { .in = item->bytes, .pos = content, .order = capture->order };

    check->has_header_features = true;
    if (bit == 0 || bit >= (uint64_t)1 << 31) {
        pc_check_say(check, PC_D_FEATURE_ID, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (item->bytes.len == content) {
        check->has_end_mark = true;
        return;
    }
    if (!info) {
        pc_check_say(check, PC_D_FEATURE_UNKNOWN_RECORD, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (pc_bit(capture->seen, bit))
        pc_check_say(check, PC_D_FEATURE_TWICE, at, 8, pc_uint_value(bit), none);
    pc_set_bit(capture->seen, bit);
    if (info->flags & PC_NEEDS_FILE) {
        pc_check_say(check, PC_D_FEATURE_IN_PIPE, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (!(info->flags & (PC_TRAVELS | PC_ONLY_A_MARK)) && bit != PC_DIR_FORMAT && bit < PC_FEATURES)
        pc_check_say(check, PC_D_FEATURE_IN_PIPE_READ, at, 8, pc_uint_value(bit), none);
    check->at.subject = info->name;
    pc_check_feature(check, bit, payload, true);
}

static void check_stat(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU], thread = check->slot[PC_REC_THREAD];
    check_user_id(check, PC_D_STAT_ID, check->slot[PC_SLOT_ID], check->slot_at[PC_SLOT_ID]);
    bool any = cpu == UINT32_MAX && pc_bit(check->cpu_map, UINT16_MAX);
    if (check->has_cpu_map && !any && cpu != UINT32_MAX && (cpu >= 65536 || !pc_bit(check->cpu_map, cpu)))
        say_slot(check, PC_D_STAT_CPU, PC_SLOT_CPU, "cpu", 4, pc_uint_value(cpu), none);
    if (check->has_threads && thread >= check->nr_threads)
        say_slot(check, PC_D_STAT_THREAD, PC_REC_THREAD, "thread", 4, pc_uint_value(thread),
                 pc_uint_value(check->nr_threads));
}

static void check_auxtrace_info(struct pc_check *check)
{
    uint64_t type = check->slot[PC_REC_TYPE];
    check->has_auxtrace_info = true;
    if (type == 0 || type > 7)
        say_slot(check, PC_D_AUXTRACE_TYPE, PC_REC_TYPE, "type", 4, pc_uint_value(type), none);
}

static void check_auxtrace(struct pc_check *check, const struct pc_item *item)
{
    if (check->nr_auxtrace++ == 0)
        check->first_auxtrace = item->offset;
    if (!check->has_auxtrace_info)
        pc_check_say(check, PC_D_AUXTRACE_WITHOUT_INFO, 0, item->bytes.len, none, none);
    struct pc_key *entry = pc_keys_find(&check->index, item->offset);
    if (entry)
        entry->offset = UINT64_MAX; /* the index names this record */
}

static void check_time_conv(struct pc_check *check, const struct pc_item *item)
{
    const size_t old_size = 32, new_size = 56;
    if (item->bytes.len > old_size && item->bytes.len < new_size)
        pc_check_say(check, PC_D_TIME_CONV_SIZE, 6, 2, pc_uint_value(item->bytes.len), none);
    if (item->bytes.len >= new_size && check->slot[PC_REC_START] == 1 && check->slot[PC_REC_SHIFT] == 0)
        say_slot(check, PC_D_TIME_CONV_VALUE, PC_REC_SHIFT, "time_mult", 8, pc_uint_value(0),
                 pc_text_value("not 0"));
}

static void check_build_id_record(struct pc_check *check, const struct pc_item *item)
{
    unsigned mode = item->misc & PC_MISC_CPUMODE;
    uint64_t size = check->slot[PC_REC_BUILD_ID_SIZE];
    if (mode != 1 && mode != 2 && mode != 4 && mode != 5)
        pc_check_say(check, PC_D_BUILD_ID_CPUMODE, 4, 2, pc_uint_value(mode), none);
    if ((item->misc & PC_MISC_BUILD_ID_SIZE) && size > 20)
        say_slot(check, PC_D_BUILD_ID_SIZE, PC_REC_BUILD_ID_SIZE, "build_id_size", 1, pc_uint_value(size),
                 pc_uint_value(20));
}

static void check_event_update(struct pc_check *check)
{
    const uint64_t name = 2;
    uint64_t id = check->slot[PC_SLOT_ID];
    if (check->slot[PC_REC_TYPE] == name) {
        check->has_event_names = true;
        if (!check->capture->is_pipe)
            pc_check_say(check, PC_D_HEADER_RECORD_IN_FILE, 0, check->slot_at[PC_SLOT_ID] + 8, none, none);
    }
    if (check->capture->nr_attrs > 1 && id != 0)
        check_user_id(check, PC_D_EVENT_UPDATE_ID, id, check->slot_at[PC_SLOT_ID]);
}

/* Behind the entries stands room for a sample_id, filled with zeros. */
static void check_bpf_metadata(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_capture *capture = check->capture;
    size_t area = (size_t)check->slot[PC_REC_LEN], wanted = 0;
    if (capture->nr_attrs == 0)
        return;
    wanted = capture->form[capture->attr[0].form]->sample_id_size;
    if (area > wanted)
        pc_check_say(check, PC_D_RECORD_EXCESS, item->bytes.len - (area - wanted), area - wanted,
                     pc_uint_value(area - wanted), none);
}

static void check_stat_config(struct pc_check *check)
{
    struct pc_keys *keys = &check->keys;
    pc_keys_sort(keys);
    for (size_t i = 1; i < keys->nr; i++) {
        if (keys->key[i].value != keys->key[i - 1].value)
            continue;
        struct pc_finding f = pc_check_finding(check, PC_D_STAT_CONFIG_TWICE, 0, 8);
        f.offset = keys->key[i].offset;
        f.seen = pc_uint_value(keys->key[i].value);
        pc_report_add(check->report, &f);
    }
    keys->nr = 0;
}

/* A compressed record holds others; they are not opened yet. */
static void check_compressed(struct pc_check *check, const struct pc_item *item)
{
    if (!check->said_compressed)
        pc_check_say(check, PC_D_COMPRESSED_UNSUPPORTED, 0, item->bytes.len, none, none);
    check->said_compressed = true;
}

static void check_user_record(struct pc_check *check, const struct pc_item *item,
                              const struct pc_record_info *info)
{
    if ((info->flags & PC_HEADER_ONLY_IN_PIPE) && !check->capture->is_pipe)
        pc_check_say(check, PC_D_HEADER_RECORD_IN_FILE, 0, item->bytes.len, none, none);
    if (item->type == PC_HEADER_ATTR) {
        check_header_attr(check, item);
        return;
    }
    if (!walk_user_record(check, item, info)) {
        check->keys.nr = 0;
        return;
    }
    switch (item->type) {
    case PC_HEADER_EVENT_TYPE:
        if (item->bytes.len < 80)
            pc_check_say(check, PC_D_EVENT_TYPE_SMALL, 6, 2, pc_uint_value(item->bytes.len),
                         pc_uint_value(80));
        break;
    case PC_HEADER_TRACING_DATA:
        if (check->has_tracing_data)
            pc_check_say(check, PC_D_TRACING_DATA_TWICE, 0, item->bytes.len, none, none);
        check->has_tracing_data = true;
        check->size_offset = item->offset + check->slot_at[PC_REC_SIZE];
        break;
    case PC_HEADER_BUILD_ID:
        check_build_id_record(check, item);
        break;
    case PC_FINISHED_ROUND:
        finish_round(check);
        break;
    case PC_AUXTRACE_INFO:
        check_auxtrace_info(check);
        break;
    case PC_AUXTRACE:
        check_auxtrace(check, item);
        break;
    case PC_BPF_METADATA:
        check_bpf_metadata(check, item);
        break;
    case PC_THREAD_MAP:
        check->has_threads = true;
        check->nr_threads = check->slot[PC_REC_NR];
        break;
    case PC_CPU_MAP:
        check->has_cpu_map = true;
        break;
    case PC_STAT_CONFIG:
        check_stat_config(check);
        break;
    case PC_STAT:
        check_stat(check);
        break;
    case PC_EVENT_UPDATE:
        check_event_update(check);
        break;
    case PC_TIME_CONV:
        check_time_conv(check, item);
        break;
    case PC_HEADER_FEATURE:
        check_header_feature(check, item);
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        check_compressed(check, item);
        break;
    case PC_FINISHED_INIT:
        if (check->has_finished_init)
            pc_check_say(check, PC_D_FINISHED_INIT_TWICE, 0, item->bytes.len, none, none);
        check->has_finished_init = true;
        break;
    default:
        break;
    }
}

static void check_record(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_record_info *info = pc_record_info(item->type);
    check->at.number = item->number;
    check->at.offset = item->offset;
    check->size_offset = 0;
    check->at.subject = info ? info->name : NULL;
    count_record(check, item->type);
    if (!info) {
        check_unknown(check, item);
        return;
    }
    if (!check_frame(check, item, info))
        return;
    if (pc_is_kernel_type(item->type))
        check_kernel_record(check, item, info);
    else
        check_user_record(check, item, info);
}

/* Trace data behind its record: what they hold, and that they end where the record says. */
static void check_payload(struct pc_check *check, const struct pc_item *item)
{
    struct pc_cursor c = pc_cursor(item->bytes, check->capture->order);
    if (item->type != PC_HEADER_TRACING_DATA || item->bytes.len == 0)
        return;
    check->at.offset = item->offset;
    check->at.number = item->number;
    check->at.subject = pc_record_info(item->type)->name;
    /* Zeros fill the payload to a multiple of 8, as they do behind a feature in a record. */
    pc_check_feature(check, PC_TRACING_DATA, c, true);
}

/* --- the end --- */

static void check_index(struct pc_check *check)
{
    struct pc_capture *capture = check->capture;
    struct pc_finding f = { .id = PC_D_AUXTRACE_INDEX_ENTRY,
                            .place = PC_IN_FEATURE,
                            .number = PC_AUXTRACE_INDEX };
    f.subject = pc_feature_info(PC_AUXTRACE_INDEX)->name;
    for (size_t i = 0; i < check->index.nr; i++) {
        const struct pc_key *entry = &check->index.key[i];
        if (entry->offset == UINT64_MAX)
            continue;
        f.offset = entry->offset;
        f.length = PC_SECTION_SIZE;
        f.seen = pc_hex_value(entry->value);
        pc_report_add(check->report, &f);
    }
    bool has_index = pc_bit(capture->seen, PC_AUXTRACE_INDEX);
    f.seen = pc_uint_value(check->index.nr);
    f.expected = pc_uint_value(check->nr_auxtrace);
    f.id = PC_NO_DIAG;
    if (has_index && !check->index.full && check->index.nr < check->nr_auxtrace) {
        f.id = PC_D_AUXTRACE_INDEX_CUT;
        f.offset = check->index_offset;
        f.length = 8;
    } else if (!has_index && !pc_bit(capture->features, PC_AUXTRACE_INDEX) && check->nr_auxtrace != 0 &&
               !capture->is_pipe && !capture->unfinished) {
        f = (struct pc_finding){ .id = PC_D_AUXTRACE_INDEX_MISSING,
                                 .place = PC_AT_END,
                                 .number = PC_NO_INDEX };
        f.offset = check->first_auxtrace;
        f.length = pc_record_info(PC_AUXTRACE)->min;
    }
    if (f.id)
        pc_report_add(check->report, &f);
}

static void check_end(struct pc_check *check, const struct pc_item *item)
{
    struct pc_capture *capture = check->capture;
    struct pc_finding f = { .place = PC_AT_END, .number = PC_NO_INDEX, .offset = item->offset };

    check->sum.size = item->offset;
    pc_check_attr_set(check);
    pc_check_features_end(check);
    check_index(check);
    if (capture->nr_attrs == 0 && !capture->attrs_damaged && !check->said_no_attr) {
        f.id = PC_D_ATTRS_NONE;
        f.offset = capture->is_pipe ? PC_PIPE_HEADER_SIZE : 24; /* attrs in the file header */
        pc_report_add(check->report, &f);
        f.offset = item->offset;
    }
    if (capture->is_pipe && check->has_header_features && !check->has_end_mark) {
        f.id = PC_D_END_MARK_MISSING;
        pc_report_add(check->report, &f);
    }
    if (capture->is_pipe && capture->nr_attrs != 0 && !check->has_event_names) {
        f.id = PC_D_EVENT_NAMES_MISSING;
        pc_report_add(check->report, &f);
    }
}

void pc_check_item(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_feature_info *info;
    switch (item->kind) {
    case PC_ITEM_HEADER:
        break;
    case PC_ITEM_ATTR:
        check->at =
            (struct pc_context){ .place = PC_IN_ATTR, .number = item->number, .offset = item->offset };
        pc_check_attr(check, pc_part(item->bytes, 0, item->bytes.len - PC_SECTION_SIZE), 0, false);
        break;
    case PC_ITEM_FEATURE:
        info = pc_feature_info(item->number);
        check->at =
            (struct pc_context){ .place = PC_IN_FEATURE, .number = item->number, .offset = item->offset };
        check->at.subject = info ? info->name : NULL;
        pc_check_feature(check, item->number, pc_cursor(item->bytes, check->capture->order), false);
        break;
    case PC_ITEM_RECORD:
        if (check->at.place != PC_IN_RECORD) {
            check->at = (struct pc_context){ .place = PC_IN_RECORD };
            pc_keys_sort(&check->index);
        }
        check_record(check, item);
        break;
    case PC_ITEM_PAYLOAD:
        check_payload(check, item);
        break;
    case PC_ITEM_END:
        check_end(check, item);
        break;
    }
}
