/* SPDX-License-Identifier: MIT */
#include "check/judge.h"
#include "bytes/cursor.h"
#include "read/event_name.h"

#include <string.h>

#define PC_TASKS_MAX 4194304 /* include/linux/threads.h: PID_MAX_LIMIT */

/* --- kernel records --- */

static bool search_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_search *s = ctx;
    if (leaf->fault == PC_FAULT_NO_NUL && s->body_end < s->record.len) {
        struct pc_span trailer = pc_part(s->record, s->body_end, s->record.len - s->body_end);
        if (pc_first_zero(trailer) != trailer.len && leaf->field->kind == PC_CSTR) {
            pc_check_say_leaf(s->judge, PC_D_STRING_IN_SAMPLE_ID, leaf, pc_none, pc_none);
            return false;
        }
    }
    return pc_check_leaf(s->judge, leaf);
}

/* Walks the record and reports defects. Slots are those of the walk. True: all fields are there. */
static bool walk_record(struct pc_judge *judge, const struct pc_item *item, const struct pc_record_info *info,
                        const struct pc_layout *layout)
{
    struct pc_cursor c = pc_record_body(item->bytes, judge->capture->order);
    size_t trailer = pc_sample_id_size(layout->mask), excess;
    struct pc_search s = { judge, item->bytes, item->bytes.len };
    struct pc_walk walk;
    judge->short_diag = info->short_diag;
    judge->count_diag = info->count_diag;

    if (trailer > item->bytes.len - PC_RECORD_HEADER_SIZE) {
        pc_check_say(judge, PC_D_SAMPLE_ID_MISSING, 0, item->bytes.len, pc_none, pc_uint_value(trailer));
        return false;
    }
    /* The fields need the place of the trailer. A least size that ends in a string counts its NUL. */
    size_t fixed = info->min & ~(size_t)7;
    if (item->type == PC_MMAP2 && !(layout->mask & PC_LAYOUT_PROT))
        fixed -= 8;
    if (trailer != 0 && item->type != PC_SAMPLE && item->bytes.len < fixed + trailer) {
        pc_check_say(judge, PC_D_SAMPLE_ID_MISSING, 0, item->bytes.len, pc_none, pc_uint_value(trailer));
        return false;
    }
    s.body_end -= trailer;
    pc_walk_init(&walk, layout, &c, search_visit, &s);
    bool sound = pc_walk_record(&walk, info, &excess);
    memcpy(judge->own.slot, walk.slot, sizeof(judge->own.slot));
    memcpy(judge->own.slot_at, walk.slot_at, sizeof(judge->own.slot_at));
    if (sound && excess != 0)
        pc_check_say_excess(judge, item, info, excess, item->bytes.len - trailer - excess);
    /* A word too many in a sample may be one that the layout lacks; less than a word is padding. */
    return sound && (excess < 8 || item->type != PC_SAMPLE);
}

/* Where the fields end that every sample of a layout has at the same place: READ or the call chain follows.
 */
static size_t end_of_fixed(uint64_t mask)
{
    size_t at;
    pc_find_row(pc_record_info(PC_SAMPLE)->fields, (mask & ~PC_S_READ) | PC_S_CALLCHAIN, PC_REC_CHAIN, &at);
    return PC_RECORD_HEADER_SIZE + at;
}

/* A record that its plan did not judge: with the layout that fits it, or that of its attr. */
static __attribute__((noinline)) bool check_by_layout(struct pc_judge *judge, const struct pc_item *item,
                                                      const struct pc_record_info *info, uint32_t attr)
{
    struct pc_fitting own = pc_capture_fit(judge->capture, attr, item->type, item->misc, item->bytes);
    judge->work += own.work;
    if (own.attr != attr) {
        pc_check_say(judge, PC_D_SAMPLE_OTHER_EVENT, 0, item->bytes.len, pc_uint_value(attr),
                     pc_uint_value(own.attr));
        return false;
    }
    if (own.other_layout && (judge->capture->layout[judge->capture->attr[attr].layout]->layout.mask &
                             ~own.layout.mask & PC_LAYOUT_HW_INDEX))
        pc_check_for_no_hw_idx(judge, item);
    if (own.other_layout && own.plan &&
        pc_plan_run(own.plan, item->bytes, judge->own.slot, judge->own.slot_at))
        return true;
    if (own.other_layout || item->type != PC_SAMPLE)
        return walk_record(judge, item, info, &own.layout);
    size_t least = end_of_fixed(own.layout.mask);
    if (item->bytes.len < least) {
        pc_check_say(judge, PC_D_SAMPLE_SHORT, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len),
                     pc_uint_value(least));
        return false;
    }
    return walk_record(judge, item, info, &own.layout);
}

static __attribute__((noinline)) void say_choice(struct pc_judge *judge, const struct pc_item *item,
                                                 const struct pc_chosen *c)
{
    bool sample = item->type == PC_SAMPLE;
    struct pc_finding f =
        pc_finding_in(&judge->at, sample ? PC_D_SAMPLE_ID_UNKNOWN : PC_D_ID_UNKNOWN, c->id_at, 8);
    switch (c->choice) {
    case PC_CHOICE_NO_ATTRS:
        if (judge->capture->attrs_damaged)
            return; /* a consequence of what was reported */
        f.id = judge->capture->is_pipe ? PC_D_RECORD_BEFORE_ATTR : PC_D_ATTRS_NEEDED;
        f.length = item->bytes.len;
        break;
    case PC_CHOICE_SHORT:
        f.id = sample ? PC_D_SAMPLE_NO_ID : PC_D_SAMPLE_ID_MISSING;
        f.offset = sample ? item->offset + PC_RECORD_SIZE_AT : item->offset;
        f.length = sample ? 2 : item->bytes.len;
        f.seen = pc_uint_value(item->bytes.len);
        f.expected = pc_uint_value(
            sample ? c->id_at
                   : judge->capture->layout[pc_capture_first(judge->capture)->layout]->sample_id_size);
        break;
    case PC_CHOICE_UNKNOWN:
        pc_finding_name(&f, "id");
        f.seen = pc_uint_value(c->id);
        if (!pc_capture_knows_all_ids(judge->capture))
            return; /* it may be one of those that are missing */
        break;
    case PC_CHOICE_NO_POSITION: /* reported for the attrs */
    case PC_CHOSEN:
        return;
    }
    pc_judge_add(judge, &f);
}

/* --- values that many records have --- */

PC_INLINE void check_time(struct pc_judge *judge)
{
    uint64_t time = judge->facts.slot[PC_SLOT_TIME];
    if (time == 0 || time == UINT64_MAX)
        pc_check_say_slot(judge, PC_D_TIME_UNSET, PC_SLOT_TIME, pc_uint_value(time), pc_none);
}

PC_INLINE void check_cpu(struct pc_judge *judge, bool sample)
{
    uint64_t cpu = judge->facts.slot[PC_SLOT_CPU], nr = judge->capture->nr_cpus;
    if (nr != 0 && cpu >= nr && cpu != UINT32_MAX)
        pc_check_say_slot(judge, sample ? PC_D_SAMPLE_CPU_BEYOND : PC_D_CPU_BEYOND, PC_SLOT_CPU,
                          pc_uint_value(cpu), pc_uint_value(nr));
}

static void say_raw_field(struct pc_judge *judge, const struct pc_tracepoint *format, uint32_t field)
{
    const struct pc_tp_field *f = &format->field[field];
    const char *name = pc_tp_field_name(format, field);
    uint64_t size = judge->facts.slot[PC_REC_RAW], at = f->offset < size ? f->offset : size;
    pc_check_say_member(
        judge, PC_D_RAW_FIELD_OUTSIDE, judge->facts.slot_at[PC_REC_RAW] + (size_t)at,
        size - at < f->size ? size - at : f->size, "raw",
        pc_bytes_value((struct pc_span){ (const unsigned char *)name, strnlen(name, PC_TP_NAME_MAX) }),
        pc_uint_value(size));
}

/* perf sched and perf timechart have arrays of so many tasks and CPUs. */
static bool check_raw_indices(struct pc_judge *judge, struct pc_span record,
                              const struct pc_tracepoint *format, bool say)
{
    static const struct {
        enum pc_diag id;
        uint32_t most;
    } rules[] = {
        [PC_TP_TASK] = { PC_D_RAW_TASK, PC_TASKS_MAX - 1 },
        [PC_TP_CPU] = { PC_D_RAW_CPU, 4095 },
    };
    bool sound = true;
    for (uint32_t i = format->nr_common; i < format->nr_fields; i++) {
        const struct pc_tp_field *f = &format->field[i];
        size_t at = judge->facts.slot_at[PC_REC_RAW] + f->offset;
        if (f->index == PC_TP_NO_INDEX)
            continue;
        uint64_t value = pc_load(record.ptr + at, 4, judge->capture->tracing_order);
        if (value <= rules[f->index].most)
            continue;
        sound = false;
        if (say)
            pc_check_say_member(judge, rules[f->index].id, at, 4, "raw", pc_uint_value(value),
                                pc_uint_value(rules[f->index].most));
    }
    return sound;
}

/* What perf divides by, and how much it prints, when it prints the event. */
static bool check_raw_uses(struct pc_judge *judge, struct pc_span record, const struct pc_tracepoint *format,
                           bool say)
{
    const int32_t most = UINT16_MAX;
    bool sound = true;
    for (uint32_t i = 0; i < format->nr_fields; i++) {
        const struct pc_tp_field *f = &format->field[i];
        if (f->use == 0)
            continue;
        size_t at = judge->facts.slot_at[PC_REC_RAW] + f->offset;
        uint64_t value = pc_load(record.ptr + at, f->size, judge->capture->tracing_order);
        int32_t length = (int32_t)(uint32_t)value; /* perf takes it for an int */
        bool divisor = !(f->use & PC_TP_DIVISOR) || (value != 0 && value != UINT64_MAX);
        bool small = !(f->use & PC_TP_LENGTH) || (length <= most && length >= -most);
        bool asked = (f->use & PC_TP_ASKED) && value == 0 && judge->asked != PC_BY_NONE;
        sound &= divisor && small && !asked;
        if (say && asked)
            pc_check_for_bytes(judge, PC_D_FOR_DIVISOR, at, f->size);
        if (say && !divisor)
            pc_check_say_member(judge, PC_D_RAW_DIVISOR, at, f->size, "raw", pc_uint_value(value), pc_none);
        if (say && !small)
            pc_check_say_member(judge, PC_D_RAW_LENGTH, at, f->size, "raw", pc_uint_value(value),
                                pc_uint_value((uint64_t)most));
    }
    return sound;
}

/* Every field that the format describes lies in the payload, and so does what fields point to. */
static bool check_raw_fields(struct pc_judge *judge, struct pc_span record,
                             const struct pc_tracepoint *format, bool say)
{
    uint64_t size = judge->facts.slot[PC_REC_RAW], end = format->end;
    size_t start = judge->facts.slot_at[PC_REC_RAW];
    const size_t most = 15;
    if (end > size) {
        uint32_t i = 0;
        while (say && format->field[i].offset + format->field[i].size <= size)
            i++;
        if (say)
            say_raw_field(judge, format, i);
        return false;
    }
    bool sound = !format->has_index || check_raw_indices(judge, record, format, say);
    if (format->has_use)
        sound &= check_raw_uses(judge, record, format, say);
    for (uint32_t i = 0; i < format->nr_dynamic; i++) {
        uint32_t index = format->dynamic[i];
        const struct pc_tp_field *f = &format->field[index];
        for (uint32_t at = f->offset; at < f->offset + f->size; at += 4) {
            uint64_t word = pc_load(record.ptr + start + at, 4, judge->capture->tracing_order);
            uint64_t from = (word & 0xffff) + (f->cls == PC_TP_REL_LOC ? at + 4 : 0);
            uint64_t to = from + (word >> 16);
            if (to > size) {
                if (say)
                    say_raw_field(judge, format, index);
                return false;
            }
            end = to > end ? to : end;
        }
    }
    if (size - end <= most || format->is_open)
        return sound;
    if (say)
        pc_check_say_member(judge, PC_D_RAW_UNDESCRIBED, start + (size_t)end, size - end, "raw",
                            pc_uint_value(size - end), pc_none);
    return false;
}

/* What perf inject makes of the packets of a trace: tools/perf/util/event.h. struct perf_synth_intel_evt
 * begins with the size of the payload; the upper half of its next word counts the entries that follow. Only
 * x86 writes it. */
static bool check_synth(struct pc_judge *judge, struct pc_span record, uint64_t config, bool say)
{
    enum { INTEL_EVT = 7, WORD = 4, ENTRY = 16 };
    const uint64_t size = judge->facts.slot[PC_REC_RAW];
    const size_t at = judge->facts.slot_at[PC_REC_RAW] + WORD / 2;
    if (config != INTEL_EVT || size < WORD)
        return true;
    uint64_t nr = pc_load(record.ptr + at, WORD / 2, PC_LITTLE), room = (size - WORD) / ENTRY;
    if (nr > room && say)
        pc_check_say_member(judge, PC_D_SYNTH_ENTRIES, at, WORD / 2, "raw", pc_uint_value(nr),
                            pc_uint_value(room));
    return nr <= room;
}

/* tools/perf/util/evsel.c: __set_offcpu_sample takes the call chain from the payload: u32 pid, u32 tid, u64
 * period, u64 nr, and the entries. 8 * nr may be over 2^64 there. An event without a name may be any. */
static bool check_off_cpu(struct pc_judge *judge, struct pc_span record, const struct pc_attr *attr, bool say)
{
    enum { NR_AT = 16, ENTRY = 8 };
    char made[PC_LINE_NAME];
    const uint64_t size = judge->facts.slot[PC_REC_RAW];
    const size_t at = judge->facts.slot_at[PC_REC_RAW] + NR_AT;
    if (pc_attr_get(attr, PC_ATTR_CONFIG) != PC_SOFTWARE_BPF_OUTPUT || size < NR_AT + ENTRY ||
        !(pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_CALLCHAIN))
        return true;
    const uint64_t nr = pc_load(record.ptr + at, ENTRY, judge->capture->order);
    if (nr <= UINT64_MAX / ENTRY || nr * ENTRY > size)
        return true;
    const char *name = pc_known_event_name(judge->capture, attr, made);
    bool sound = name && strcmp(name, "offcpu-time") != 0;
    if (say && !sound)
        pc_check_say_member(judge, PC_D_OFF_CPU_CHAIN, at, ENTRY, "raw", pc_uint_value(nr),
                            pc_uint_value(size));
    return sound;
}

/* The payload of an event that is no tracepoint: what tools of perf read of it. */
static bool check_other_raw(struct pc_judge *judge, struct pc_span record, const struct pc_attr *attr,
                            bool say)
{
    switch (pc_attr_get(attr, PC_ATTR_TYPE)) {
    case PC_TYPE_SYNTH:
        return check_synth(judge, record, pc_attr_get(attr, PC_ATTR_CONFIG), say);
    case PC_TYPE_SOFTWARE:
        return check_off_cpu(judge, record, attr, say);
    default:
        return true;
    }
}

/* The payload of a tracepoint: FORMAT.md 5.4.12. Its integers are in the order of the trace data. */
bool pc_check_raw(struct pc_judge *judge, struct pc_span record, uint32_t attr, bool say)
{
    const struct pc_capture *capture = judge->capture;
    uint64_t size = judge->facts.slot[PC_REC_RAW], type;
    bool sound = true;
    if (pc_attr_get(&capture->attr[attr], PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT)
        return check_other_raw(judge, record, &capture->attr[attr], say);
    const struct pc_tracepoint *format = pc_capture_format(capture, attr);
    struct pc_cursor c = { .in = record,
                           .pos = judge->facts.slot_at[PC_REC_RAW],
                           .order = capture->nr_tracing != 0 ? capture->tracing_order : capture->order };
    if (capture->nr_tracing == 0 && capture->by_simpleperf)
        c.order = PC_LITTLE; /* a copy keeps what no feature describes */
    if (size < 8 && !format)
        return true;
    if (size < 8) { /* no room for the common fields: four zeros stand for an empty payload */
        if (say)
            pc_check_say_member(judge, PC_D_RAW_MISSING, judge->facts.slot_at[PC_REC_RAW], size, "raw",
                                pc_none, pc_uint_value(format->end));
        return false;
    }
    uint64_t config = pc_attr_get(&capture->attr[attr], PC_ATTR_CONFIG);
    if (pc_uint(&c, 2, &type) && type != (config & 0xffff)) {
        /* perf inject -s leaves 0, and formats may be missing */
        bool unknown = type != 0 && format && !capture->tracepoints_full && !capture->tracing_damaged &&
                       !pc_capture_has_tracepoint(capture, type);
        sound = false;
        if (say)
            pc_check_say_member(judge, unknown ? PC_D_COMMON_TYPE_UNKNOWN : PC_D_COMMON_TYPE,
                                judge->facts.slot_at[PC_REC_RAW], 2, "raw", pc_uint_value(type),
                                pc_uint_value(config));
    }
    if (!say && !sound)
        return false;
    return (!format || check_raw_fields(judge, record, format, say)) && sound;
}

/* util/machine.c: save_lbr_cursor_node has an array of as many branches as the CPU has, for call chains that
 * are made of them. What perf inject makes of a trace is not CALL_STACK. */
bool pc_check_branches(struct pc_judge *judge, const struct pc_attr *attr, bool say)
{
    const uint64_t chain = PC_BRANCH_CALL_STACK | PC_BRANCH_HW_INDEX, most = judge->capture->branches;
    const uint64_t nr = judge->facts.slot[PC_REC_NR];
    bool sound = most == 0 || nr <= most || (pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & chain) != chain;
    if (!sound && say)
        pc_check_say_slot(judge, PC_D_BRANCHES_BEYOND, PC_REC_NR, pc_uint_value(nr), pc_uint_value(most));
    return sound;
}

/* perf sched replay has an array of tasks by their numbers: builtin-sched.c: register_pid. */
static void check_number(struct pc_judge *judge, unsigned slot)
{
    if (judge->facts.slot[slot] >= PC_TASKS_MAX)
        pc_check_say_slot(judge, PC_D_TASK_NUMBER, slot, pc_uint_value(judge->facts.slot[slot]),
                          pc_uint_value(PC_TASKS_MAX - 1));
}

static bool read_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_judge *judge = ctx;
    if (leaf->fault == PC_SOUND && leaf->field->when == PC_LAYOUT_READ(PC_READ_ID) &&
        !pc_check_knows_id(judge, leaf->value))
        pc_check_say_leaf(judge, PC_D_READ_ID, leaf, pc_uint_value(leaf->value), pc_none);
    return true;
}

/* The values that a sample has read belong to events by their ids: tools/perf/util/session.c:
 * deliver_sample_value. */
static __attribute__((noinline)) void check_read_ids(struct pc_judge *judge, const struct pc_item *item,
                                                     uint32_t attr)
{
    const struct pc_capture *capture = judge->capture;
    struct pc_layout *layout = &capture->layout[capture->attr[attr].layout]->layout;
    struct pc_cursor c = { .in = item->bytes, .order = capture->order };
    struct pc_walk walk;
    c.pos = end_of_fixed(layout->mask);
    pc_walk_init(&walk, layout, &c, read_visit, judge);
    pc_walk_table(&walk, pc_read_values);
    judge->work += walk.work;
}

/* The rules for every record with these members. */
PC_INLINE void check_common(struct pc_judge *judge, uint64_t mask, bool sample)
{
    const uint64_t *slot = judge->facts.slot;
    if (sample && (mask & PC_S_TIME))
        check_time(judge);
    if (mask & PC_S_CPU)
        check_cpu(judge, sample);
    if ((mask & PC_S_ID) && (mask & PC_S_IDENTIFIER) && slot[PC_SLOT_ID] != slot[PC_SLOT_IDENTIFIER])
        pc_check_say_slot(judge, PC_D_IDENTIFIER_DIFFERS, PC_SLOT_ID, pc_uint_value(slot[PC_SLOT_IDENTIFIER]),
                          pc_uint_value(slot[PC_SLOT_ID]));
}

/* The rules between the fields of a sound sample. */
static inline void check_sample_content(struct pc_judge *judge, const struct pc_item *item)
{
    const uint32_t number = judge->facts.attr;
    const struct pc_attr *attr = &judge->capture->attr[number];
    uint64_t mask = judge->facts.layout->layout.mask;
    unsigned mode = item->misc & PC_MISC_CPUMODE;
    check_common(judge, mask, true);
    if (mask & PC_S_BRANCH_STACK)
        pc_check_branches(judge, attr, true);
    if (mask & PC_S_RAW)
        pc_check_raw(judge, item->bytes, number, true);
    if ((mask & PC_S_READ) && (mask & PC_LAYOUT_READ(PC_READ_ID)))
        check_read_ids(judge, item, number);
    if ((mask & PC_S_CGROUP) && (mode == PC_MODE_UNKNOWN || mode > PC_MODE_GUEST_USER))
        pc_check_say(judge, PC_D_SAMPLE_CPUMODE, PC_RECORD_MISC_AT, 2, pc_uint_value(mode), pc_none);
    if ((item->misc & PC_MISC_EXACT_IP) && !(pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_PRECISE_IP))
        pc_check_say(judge, PC_D_EXACT_IP, PC_RECORD_MISC_AT, 2, pc_none, pc_none);
}

/* Whether a sound MMAP or MMAP2 is the kernel itself: tools/perf/util/machine.c:
 * machine__process_kernel_mmap_event. */
static bool is_kernel_mapping(const struct pc_facts *record)
{
    static const char kernel[] = "[kernel.kallsyms]"; /* the symbol that it begins at follows */
    const size_t len = sizeof(kernel) - 1;
    return (record->item->misc & PC_MISC_CPUMODE) == PC_MODE_KERNEL && record->slot[PC_REC_NAME] >= len &&
           memcmp(pc_part(record->item->bytes, record->slot_at[PC_REC_NAME], len).ptr, kernel, len) == 0;
}

/* ... and the addresses of a mapping. */
static void check_range(struct pc_judge *judge)
{
    const uint64_t len = judge->facts.slot[PC_REC_LEN];
    uint64_t last;
    if (len != 0 && pc_add(judge->facts.slot[PC_REC_ADDR], len - 1, &last))
        return;
    bool wraps = len != 0 && judge->facts.maps_kernel;
    pc_check_say_slot(judge, wraps ? PC_D_KERNEL_WRAPS : PC_D_MMAP_RANGE, PC_REC_LEN, pc_hex_value(len),
                      pc_none);
}

/* The kernel's mapping names in pgoff the address of the symbol that it begins at: tools/perf/util/machine.c:
 * machine__process_kernel_mmap_event. */
static void check_kernel_text(struct pc_judge *judge)
{
    const uint64_t *slot = judge->facts.slot;
    const uint64_t end = pc_add_saturated(slot[PC_REC_ADDR], slot[PC_REC_LEN]);
    if (slot[PC_REC_PGOFF] > end && judge->facts.maps_kernel)
        pc_check_say_slot(judge, PC_D_KERNEL_TEXT, PC_REC_PGOFF, pc_hex_value(slot[PC_REC_PGOFF]),
                          pc_hex_value(end));
}

/* ... and those of another sound kernel record. */
static __attribute__((noinline)) void check_kernel_content(struct pc_judge *judge, const struct pc_item *item)
{
    const uint64_t *slot = judge->facts.slot, mask = judge->facts.layout->layout.mask;
    uint64_t end;
    if (mask & PC_LAYOUT_SAMPLE_ID)
        check_common(judge, mask, false);
    switch (item->type) {
    case PC_MMAP:
    case PC_MMAP2:
        judge->facts.maps_kernel = is_kernel_mapping(&judge->facts);
        check_range(judge);
        check_kernel_text(judge);
        if (item->type == PC_MMAP2 && (item->misc & PC_MISC_MMAP_BUILD_ID) &&
            slot[PC_REC_BUILD_ID_SIZE] <= PC_BUILD_ID_MAX) {
            size_t size = (size_t)slot[PC_REC_BUILD_ID_SIZE],
                   at = judge->facts.slot_at[PC_REC_BUILD_ID] + size;
            struct pc_span tail = pc_part(item->bytes, at, PC_BUILD_ID_MAX - size);
            if (size == 0)
                pc_check_say_slot(judge, PC_D_MMAP2_BUILD_ID_EMPTY, PC_REC_BUILD_ID_SIZE, pc_none, pc_none);
            else if (pc_first_nonzero(tail) != tail.len)
                pc_check_say_member(judge, PC_D_MMAP2_BUILD_ID_TAIL, at + pc_first_nonzero(tail), 1,
                                    "build_id", pc_none, pc_none);
        }
        break;
    case PC_FORK:
        check_number(judge, PC_REC_TID);
        check_number(judge, PC_REC_PTID);
        if (slot[PC_REC_TID] == 0 && slot[PC_REC_PPID] != 0)
            pc_check_say_slot(judge, PC_D_FORK_IDLE, PC_REC_TID, pc_uint_value(0), pc_none);
        /* Outside of the recorder's pid namespace all are 0. */
        if (slot[PC_REC_TID] == slot[PC_REC_PTID] && (slot[PC_REC_TID] != 0 || slot[PC_REC_PPID] != 0))
            pc_check_say_slot(judge, PC_D_FORK_OWN_PARENT, PC_REC_PTID, pc_uint_value(slot[PC_REC_PTID]),
                              pc_none);
        break;
    case PC_AUX:
        if (!pc_add(slot[PC_REC_ADDR], slot[PC_REC_LEN], &end))
            pc_check_say_slot(judge, PC_D_AUX_OVERFLOW, PC_REC_LEN, pc_hex_value(slot[PC_REC_LEN]), pc_none);
        break;
    case PC_CALLCHAIN_DEFERRED:
        if (!(judge->capture->flags & PC_FLAG_DEFER_OUTPUT))
            pc_check_say(judge, PC_D_DEFERRED_UNEXPECTED, 0, item->bytes.len, pc_none, pc_none);
        break;
    default:
        break;
    }
}

static __attribute__((noinline)) void say_layout(struct pc_judge *judge, const struct pc_item *item)
{
    if (judge->capture->mmap2_old == 1)
        pc_check_say(judge, PC_D_MMAP2_OLD, PC_MMAP2_PROT, 8,
                     pc_bytes_value(pc_part(item->bytes, PC_MMAP2_PROT, 3)), pc_none);
}

void pc_check_kernel_record(struct pc_judge *judge, const struct pc_item *item,
                            const struct pc_record_info *info)
{
    const struct pc_capture *capture = judge->capture;
    struct pc_chosen c = { .choice = PC_CHOSEN };
    if (item->judged)
        c.attr = item->judged->attr;
    else
        c = pc_capture_choose(capture, item->type, item->bytes);
    if (item->news == PC_SHOWS_LAYOUT)
        say_layout(judge, item);
    if (c.choice != PC_CHOSEN) {
        say_choice(judge, item, &c);
        return;
    }
    const struct pc_attr *attr = &capture->attr[c.attr];
    struct pc_sample_layout *samples = capture->layout[attr->layout];
    if (item->type == PC_SAMPLE && pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS)
        return; /* its layout is unknown, which the attr has a finding about */
    judge->work++;
    bool sound = item->judged;
    judge->facts.by_plan = sound;
    if (!sound)
        sound = check_by_layout(judge, item, info, c.attr);
    if (!sound)
        return;
    judge->facts.sound = true;
    judge->facts.layout = samples;
    judge->facts.attr = c.attr;
    if (item->type == PC_SAMPLE)
        check_sample_content(judge, item);
    else
        check_kernel_content(judge, item);
    if (judge->asked != PC_BY_NONE)
        pc_check_for_kernel(judge, item, c.attr, samples);
}
