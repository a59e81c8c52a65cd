/* SPDX-License-Identifier: MIT */
#include "check/judge.h"
#include "bytes/cursor.h"

#include <string.h>

/* --- maps, and values of perf stat --- */

/* The map of one event, or of all: its values, and whether it holds any CPU. */
static void check_map_leaf(struct pc_judge *judge, uint32_t type, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    bool words = leaf->value == 4 || leaf->value == 8;
    if (type != PC_CPU_MAP && (type != PC_EVENT_UPDATE || slot[PC_REC_TYPE] != PC_UPDATE_CPUS))
        return;
    if (slot[PC_REC_MAP] == PC_MAP_RANGE && leaf->field->save == PC_REC_LEN &&
        leaf->value < slot[PC_REC_START])
        pc_check_say_leaf(judge, PC_D_CPU_MAP_RANGE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(slot[PC_REC_START]));
    if (slot[PC_REC_MAP] == PC_MAP_CPUS)
        judge->map.known |= leaf->field->save == PC_REC_MAP_NR;
    if (slot[PC_REC_MAP] == PC_MAP_MASK)
        judge->map.known |= leaf->field->save == PC_REC_MAP_WORD && words;
    if (leaf->field->name || leaf->walk->depth == 0)
        return;
    judge->map.cpus += slot[PC_REC_MAP] == PC_MAP_CPUS || leaf->value != 0;
    if (slot[PC_REC_MAP] == PC_MAP_CPUS && leaf->value > PC_CPU_MAX && leaf->value != PC_CPU_ANY)
        pc_check_say_leaf(judge, PC_D_CPU_MAP_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(PC_CPU_MAX));
}

/* After the walk of a record with a map. */
static void check_map(struct pc_judge *judge, const struct pc_item *item)
{
    if (judge->map.known && judge->map.cpus == 0)
        pc_check_say(judge, PC_D_CPU_MAP_EMPTY, 0, item->bytes.len, pc_none, pc_none);
}

/* perf writes the counts of events without ids with id 0: builtin-stat.c: perf_event__write_stat. */
static void check_stat_id(struct pc_judge *judge)
{
    uint64_t id = judge->facts.slot[PC_SLOT_ID];
    if (id == 0 && !pc_check_knows_id(judge, id) && judge->capture->nr_without_ids != 0)
        pc_check_say_slot(judge, PC_D_STAT_ID_ZERO, PC_SLOT_ID, pc_uint_value(id), pc_none);
    else
        pc_check_user_id(judge, PC_D_STAT_ID, id, judge->facts.slot_at[PC_SLOT_ID]);
}

/* --- user records --- */

/* A CPU that the machine does not have. none: the value of no CPU. */
static void check_cpu(struct pc_judge *judge, const struct pc_leaf *leaf, uint64_t none, enum pc_diag id)
{
    uint64_t nr = judge->capture->nr_cpus;
    if (leaf->field->save == PC_SLOT_CPU && leaf->value != none && nr != 0 && leaf->value >= nr)
        pc_check_say_leaf(judge, id, leaf, pc_uint_value(leaf->value), pc_uint_value(nr));
}

static bool user_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_search *s = ctx;
    struct pc_judge *judge = s->judge;
    const struct pc_field *field = leaf->field;
    if (leaf->fault != PC_SOUND && (field->flags & PC_ABOUT_SIZE)) {
        size_t size = PC_RECORD_HEADER_SIZE + pc_table_size(judge->facts.info->fields, leaf->walk->mask);
        pc_check_say(judge, field->shape_diag, PC_RECORD_SIZE_AT, 2,
                     pc_uint_value(leaf->walk->slot[PC_REC_TYPE]), pc_uint_value(size));
        return false;
    }
    /* Intel PT: readers look at the last byte of the area only (intel-pt.c: intel_pt_process_auxtrace_info).
     */
    if (leaf->fault == PC_SOUND && field->rule == PC_RULE_NUL && field->count && pc_leaf_ok(leaf) &&
        leaf->raw.len != 0 && leaf->raw.ptr[leaf->raw.len - 1] != 0)
        pc_check_say_leaf(judge, PC_D_AUXTRACE_FILTER, leaf, pc_none, pc_none);
    if (!pc_check_leaf(judge, leaf))
        return false;
    const uint32_t type = judge->facts.item->type;
    pc_judge_show(judge, leaf);
    switch (type) {
    case PC_ID_INDEX:
        if (leaf->field->save == PC_SLOT_ID)
            pc_check_user_id(judge, PC_D_ID_INDEX_ID, leaf->value, leaf->at);
        check_cpu(judge, leaf, UINT64_MAX, PC_D_ID_INDEX_CPU);
        break;
    case PC_AUXTRACE: /* builtin-report.c: process_sample_event, of what auxtrace.c makes */
        check_cpu(judge, leaf, UINT32_MAX, PC_D_AUXTRACE_OF_CPU);
        break;
    case PC_EVENT_ID:
        if (leaf->field->save == PC_REC_IDX && leaf->value >= judge->capture->nr_attrs)
            pc_check_say_leaf(judge, PC_D_ANDROID_EVENT, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(judge->capture->nr_attrs));
        if (leaf->field->save == PC_SLOT_ID && leaf->value == 0)
            pc_check_say_leaf(judge, PC_D_ID_ZERO, leaf, pc_none, pc_none);
        break;
    default:
        check_map_leaf(judge, type, leaf);
        break;
    }
    return true;
}

static bool walk_user_record(struct pc_judge *judge, const struct pc_item *item,
                             const struct pc_record_info *info)
{
    struct pc_cursor c = pc_record_body(item->bytes, pc_item_order(item, judge->capture->order));
    struct pc_search s = { judge, item->bytes, item->bytes.len };
    struct pc_walk walk;
    if (info->fields->kind == PC_END && pc_left(&c) == 0) { /* the smallest records */
        memset(judge->own.slot, 0, sizeof(judge->own.slot));
        memset(judge->own.slot_at, 0, sizeof(judge->own.slot_at));
        return true;
    }
    pc_walk_init(&walk, NULL, &c, user_visit, &s);
    bool sound = pc_walk_table(&walk, info->fields);
    memcpy(judge->own.slot, walk.slot, sizeof(judge->own.slot));
    memcpy(judge->own.slot_at, walk.slot_at, sizeof(judge->own.slot_at));
    /* The payload of a feature is judged by the feature's own table. */
    if (sound && pc_left(&c) != 0 && item->type != PC_HEADER_FEATURE)
        pc_check_say_excess(judge, item, info, pc_left(&c), c.pos);
    return sound;
}

/* True: it may be an attr of the capture. */
static bool check_header_attr(struct pc_judge *judge, const struct pc_item *item)
{
    struct pc_cursor c = pc_record_body(item->bytes, judge->capture->order);
    size_t room = pc_left(&c);
    uint64_t size;
    if (!judge->capture->is_pipe) {
        pc_check_say(judge, PC_D_HEADER_ATTR_IN_FILE, 0, item->bytes.len, pc_none, pc_none);
        return false;
    }
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        return false;
    if (size > room || (size != 0 && size < PC_ATTR_SIZE_MIN) || size % 8 != 0) {
        pc_check_say(judge, PC_D_HEADER_ATTR_SIZE, PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4,
                     pc_uint_value(size), pc_uint_value(room));
        return false;
    }
    size_t attr = (size_t)pc_attr_size(size);
    if ((room - attr) % 8 != 0)
        pc_check_say(judge, PC_D_HEADER_ATTR_IDS, PC_RECORD_HEADER_SIZE + attr, room - attr,
                     pc_uint_value(room - attr), pc_none);
    pc_check_attr(judge, pc_part(item->bytes, PC_RECORD_HEADER_SIZE, attr), PC_RECORD_HEADER_SIZE, true);
    return true;
}

static void check_header_feature(struct pc_judge *judge, const struct pc_item *item)
{
    uint64_t bit = judge->facts.slot[PC_REC_FEATURE];
    size_t content = PC_FEATURE_HEAD, at = judge->facts.slot_at[PC_REC_FEATURE];
    const struct pc_feature_info *info = pc_feature_info(bit);
    struct pc_cursor payload = { .in = item->bytes, .pos = content, .order = judge->capture->order };

    if (bit == 0 || bit >= (uint64_t)1 << 31) {
        pc_check_say(judge, PC_D_FEATURE_ID, at, 8, pc_uint_value(bit), pc_none);
        return;
    }
    if (item->news == PC_ENDS_FEATURES)
        return;
    if (!info) {
        pc_check_say(judge, PC_D_FEATURE_UNKNOWN_RECORD, at, 8, pc_uint_value(bit), pc_none);
        return;
    }
    if (info->flags & PC_NEEDS_FILE) {
        pc_check_say(judge, PC_D_FEATURE_IN_PIPE, at, 8, pc_uint_value(bit), pc_none);
        return; /* and it is not there: perf reads standard input in its place */
    }
    if (item->news != PC_NO_NEWS)
        pc_check_say(judge, PC_D_FEATURE_TWICE, at, 8, pc_uint_value(bit), pc_none);
    if (item->news == PC_REPEATS_TOO_OFTEN)
        return;
    if (!(info->flags & (PC_SENT_IN_PIPE | PC_ONLY_A_MARK)) && bit != PC_DIR_FORMAT && bit < PC_FEATURES)
        pc_check_say(judge, PC_D_FEATURE_IN_PIPE_READ, at, 8, pc_uint_value(bit), pc_none);
    judge->at.subject = info->name;
    if (item->bytes.len != content || (info->flags & PC_ONLY_A_MARK)) {
        pc_check_feature(judge, bit, payload, true);
        return;
    }
    pc_check_say_member(judge, PC_D_FEATURE_CUT, at, 8, "content", pc_uint_value(0), pc_uint_value(4));
}

static void check_time_conv(struct pc_judge *judge, const struct pc_item *item)
{
    const struct pc_record_info *info = pc_item_info(item);
    const size_t all = PC_RECORD_HEADER_SIZE + pc_table_size(info->fields, 0);
    if (item->bytes.len > info->min && item->bytes.len < all)
        pc_check_say(judge, PC_D_TIME_CONV_SIZE, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len),
                     pc_none);
    if (item->bytes.len >= all && judge->facts.slot[PC_REC_START] == 1 &&
        judge->facts.slot[PC_REC_SHIFT] == 0)
        pc_check_say_slot(judge, PC_D_TIME_CONV_VALUE, PC_REC_SHIFT, pc_uint_value(0),
                          pc_text_value("not 0"));
}

/* perf divides by the lower half of time_mult: tools/perf/util/tsc.c: perf_time_to_tsc. When the kernel has
 * no clock to offer, all words of it are 0; the decoder of Intel PT then does without, that of Intel BTS does
 * not. */
static void check_clock(struct pc_judge *judge, uint64_t type)
{
    uint64_t mult = judge->facts.slot[PC_REC_SHIFT];
    bool none_there = mult == 0 && judge->facts.slot[PC_REC_START] == 0;
    if ((uint32_t)mult == 0 && (type == PC_TRACE_INTEL_BTS || !none_there))
        pc_check_say_member(judge, PC_D_AUXTRACE_CLOCK, judge->facts.slot_at[PC_REC_SHIFT], 8,
                            "priv.time_mult", pc_uint_value(mult), pc_none);
}

/* Without a ratio in the lower 32 bits, perf makes one of the frequency, in units of 100 MHz, and divides by
 * it: tools/perf/util/intel-pt.c: intel_pt_process_auxtrace_info. It keeps 16 bits of the shift and 32 of the
 * ratio. */
static void check_ratio(struct pc_judge *judge)
{
    const uint64_t *slot = judge->facts.slot, second = 1000000000, unit = 100000000;
    uint32_t mult = (uint32_t)slot[PC_REC_SHIFT];
    unsigned shift = (uint16_t)slot[PC_REC_TICKS] % 64;
    if (mult == 0 || (uint32_t)slot[PC_REC_RATIO] != 0)
        return;
    uint64_t hertz = (second / mult << shift) + (second % mult << shift) / mult;
    if ((uint32_t)((hertz + unit / 2) / unit) == 0)
        pc_check_say_member(judge, PC_D_AUXTRACE_RATIO, judge->facts.slot_at[PC_REC_TICKS], 8,
                            "priv.time_shift", pc_uint_value(slot[PC_REC_TICKS]), pc_uint_value(hertz));
}

/* tools/perf/util/powerpc-vpadtl.c looks for its event by the beginning of the name. */
static void check_names(struct pc_judge *judge)
{
    const struct pc_capture *capture = judge->capture;
    size_t i = 0;
    while (i < capture->nr_attrs && capture->attr[i].name)
        i++;
    judge->work += i;
    if (i < capture->nr_attrs)
        pc_check_say_slot(judge, PC_D_AUXTRACE_NAMES, PC_REC_TYPE, pc_none, pc_uint_value(i));
}

static void check_auxtrace_info(struct pc_judge *judge)
{
    uint64_t type = judge->facts.slot[PC_REC_TYPE];
    if (type == 0 || type > PC_TRACE_LAST)
        pc_check_say_slot(judge, PC_D_AUXTRACE_TYPE, PC_REC_TYPE, pc_uint_value(type), pc_none);
    if (type == PC_TRACE_INTEL_PT || type == PC_TRACE_INTEL_BTS)
        check_clock(judge, type);
    if (type == PC_TRACE_INTEL_PT)
        check_ratio(judge);
    if (type == PC_TRACE_VPA_DTL)
        check_names(judge);
    if (type == PC_TRACE_CS_ETM && judge->facts.slot[PC_SLOT_A] == 0)
        pc_check_say_member(judge, PC_D_AUXTRACE_ETM_CPUS, judge->facts.slot_at[PC_SLOT_A], 8,
                            "priv.pmu_type_and_nr_cpus", pc_none, pc_none);
    if (type == PC_TRACE_CS_ETM && judge->facts.slot_at[PC_REC_ETM_MORE] != 0) {
        size_t at = judge->facts.slot_at[PC_REC_ETM_MORE], more = judge->facts.item->bytes.len - at;
        pc_check_say(judge, PC_D_AUXTRACE_ETM_MORE, at, more, pc_uint_value(more), pc_none);
    }
}

static void check_build_id_record(struct pc_judge *judge, const struct pc_item *item)
{
    uint64_t size = judge->facts.slot[PC_REC_BUILD_ID_SIZE];
    if (!pc_is_of_kernel(item->misc) && !pc_is_of_user(item->misc))
        pc_check_say(judge, PC_D_BUILD_ID_CPUMODE, PC_RECORD_MISC_AT, 2,
                     pc_uint_value(item->misc & PC_MISC_CPUMODE), pc_none);
    if ((item->misc & PC_MISC_BUILD_ID_SIZE) && size > PC_BUILD_ID_MAX)
        pc_check_say_slot(judge, PC_D_BUILD_ID_SIZE, PC_REC_BUILD_ID_SIZE, pc_uint_value(size),
                          pc_uint_value(PC_BUILD_ID_MAX));
}

static void check_event_update(struct pc_judge *judge)
{
    uint64_t id = judge->facts.slot[PC_SLOT_ID];
    if (judge->facts.slot[PC_REC_TYPE] == PC_UPDATE_NAME && !judge->capture->is_pipe)
        pc_check_say(judge, PC_D_HEADER_RECORD_IN_FILE, 0, judge->facts.slot_at[PC_SLOT_ID] + 8, pc_none,
                     pc_none);
    if (judge->capture->nr_attrs > 1 && id != 0)
        pc_check_user_id(judge, PC_D_EVENT_UPDATE_ID, id, judge->facts.slot_at[PC_SLOT_ID]);
}

/* After the entries there is room for a sample_id, filled with zeros. */
static void check_bpf_metadata(struct pc_judge *judge, const struct pc_item *item)
{
    const struct pc_capture *capture = judge->capture;
    size_t area = (size_t)judge->facts.slot[PC_REC_LEN];
    if (capture->nr_attrs == 0)
        return;
    size_t wanted = capture->layout[pc_capture_first(capture)->layout]->sample_id_size;
    if (area > wanted)
        pc_check_say(judge, PC_D_RECORD_EXCESS, item->bytes.len - (area - wanted), area - wanted,
                     pc_uint_value(area - wanted), pc_none);
}

/* Trace data in a record are judged as those of the feature. */
static void check_trace(struct pc_judge *judge, const struct pc_item *item)
{
    const uint64_t errors = judge->errors;
    struct pc_cursor trace;
    if (!pc_item_trace(item, judge->capture->order, &trace))
        return;
    pc_check_feature(judge, PC_TRACING_DATA, trace, false);
    judge->facts.faulty |= judge->errors != errors;
}

/* Records that make no sense in the content of a compressed one. False: this is not one of them. */
static bool check_inside(struct pc_judge *judge, const struct pc_item *item)
{
    switch (item->type) {
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        pc_check_say(judge, PC_D_COMPRESSED_NESTED, 0, item->bytes.len, pc_none, pc_none);
        return true;
    case PC_AUXTRACE:
    case PC_HEADER_TRACING_DATA:
        pc_check_say(judge, PC_D_CONTENT_PAYLOAD, 0, item->bytes.len, pc_none, pc_none);
        return true;
    default:
        return false;
    }
}

/* What is special about a record of this type, all fields of which are there. */
static void check_sound(struct pc_judge *judge, const struct pc_item *item)
{
    switch (item->type) {
    case PC_HEADER_EVENT_TYPE:
        if (item->bytes.len < PC_RECORD_HEADER_SIZE + PC_EVENT_TYPE_SIZE)
            pc_check_say(judge, PC_D_EVENT_TYPE_SMALL, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len),
                         pc_uint_value(PC_RECORD_HEADER_SIZE + PC_EVENT_TYPE_SIZE));
        break;
    case PC_HEADER_TRACING_DATA:
        if (item->news == PC_REPEATS_RECORD)
            pc_check_say(judge, PC_D_TRACING_DATA_TWICE, 0, item->bytes.len, pc_none, pc_none);
        break;
    case PC_ANDROID_TRACING_DATA:
        check_trace(judge, item);
        break;
    case PC_HEADER_BUILD_ID:
        check_build_id_record(judge, item);
        break;
    case PC_FINISHED_ROUND:
        if (judge->capture->dir_version == 1 && judge->capture->is_directory)
            pc_check_say(judge, PC_D_DIR_ROUND, 0, item->bytes.len, pc_none, pc_none);
        break;
    case PC_AUXTRACE_INFO:
        check_auxtrace_info(judge);
        break;
    case PC_BPF_METADATA:
        check_bpf_metadata(judge, item);
        break;
    case PC_EVENT_ID: /* ids may be those of other events now */
        memset(judge->recent_id, 0, sizeof(judge->recent_id));
        break;
    case PC_CPU_MAP:
        check_map(judge, item);
        break;
    case PC_EVENT_UPDATE:
        check_map(judge, item);
        check_event_update(judge);
        break;
    case PC_STAT_CONFIG:
        pc_check_twice(judge);
        break;
    case PC_STAT:
        check_stat_id(judge);
        break;
    case PC_TIME_CONV:
        check_time_conv(judge, item);
        break;
    case PC_HEADER_FEATURE:
        check_header_feature(judge, item);
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        pc_check_compressed_record(judge, item);
        break;
    default:
        break;
    }
}

__attribute__((noinline)) void pc_check_user_record(struct pc_judge *judge, const struct pc_item *item,
                                                    const struct pc_record_info *info)
{
    judge->short_diag = info->short_diag;
    judge->count_diag = info->count_diag;
    if (item->where.inside && check_inside(judge, item))
        return;
    if ((info->flags & PC_HEADER_ONLY_IN_PIPE) && !judge->capture->is_pipe)
        pc_check_say(judge, PC_D_HEADER_RECORD_IN_FILE, 0, item->bytes.len, pc_none, pc_none);
    if (item->type == PC_HEADER_ATTR) {
        judge->facts.sound = check_header_attr(judge, item);
        return;
    }
    if (item->type == PC_AUXTRACE_INFO && item->news == PC_REPEATS_RECORD)
        pc_check_say(judge, PC_D_AUXTRACE_INFO_TWICE, 0, item->bytes.len, pc_none, pc_none);
    memset(&judge->map, 0, sizeof(judge->map));
    judge->facts.came = true;
    pc_judge_begin(judge, pc_type_index(item->type));
    const uint64_t errors = judge->errors;
    if (!walk_user_record(judge, item, info)) {
        judge->unique = NULL; /* the record was reported, and its duplicates do not matter */
        pc_check_twice(judge);
        return;
    }
    judge->facts.sound = true;
    judge->facts.faulty = judge->errors != errors;
    check_sound(judge, item);
}
