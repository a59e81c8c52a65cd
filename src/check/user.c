/* SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "bytes/cursor.h"

#include <string.h>

static const struct pc_value none;

/* --- maps, and values of perf stat --- */

/* The map of one event, or of all: its values, and whether it holds any CPU. */
static void check_map_leaf(struct pc_check *check, uint32_t type, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    bool words = leaf->value == 4 || leaf->value == 8;
    if (type != PC_CPU_MAP && (type != PC_EVENT_UPDATE || slot[PC_REC_TYPE] != PC_UPDATE_CPUS))
        return;
    if (slot[PC_REC_MAP] == PC_MAP_RANGE && leaf->field->save == PC_REC_LEN &&
        leaf->value < slot[PC_REC_START])
        pc_check_say_leaf(check, PC_D_CPU_MAP_RANGE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(slot[PC_REC_START]));
    if (slot[PC_REC_MAP] == PC_MAP_CPUS)
        check->map.known |= leaf->field->save == PC_REC_MAP_NR;
    if (slot[PC_REC_MAP] == PC_MAP_MASK)
        check->map.known |= leaf->field->save == PC_REC_MAP_WORD && words;
    if (leaf->field->name || leaf->walk->depth == 0)
        return;
    check->map.cpus += slot[PC_REC_MAP] == PC_MAP_CPUS || leaf->value != 0;
    if (slot[PC_REC_MAP] == PC_MAP_CPUS && leaf->value >= 32767 && leaf->value != UINT16_MAX)
        pc_check_say_leaf(check, PC_D_CPU_MAP_VALUE, leaf, pc_uint_value(leaf->value), pc_uint_value(32766));
}

/* After the walk of a record with a map. */
static void check_map(struct pc_check *check, const struct pc_item *item)
{
    if (check->map.known && check->map.cpus == 0)
        pc_check_say(check, PC_D_CPU_MAP_EMPTY, 0, item->bytes.len, none, none);
}

/* perf writes the counts of events without ids with id 0: builtin-stat.c: perf_event__write_stat. */
static void check_stat_id(struct pc_check *check)
{
    uint64_t id = check->slot[PC_SLOT_ID];
    if (id == 0 && !pc_check_knows_id(check, id) && check->capture->nr_without_ids != 0)
        pc_check_say_slot(check, PC_D_STAT_ID_ZERO, PC_SLOT_ID, "id", 8, pc_uint_value(id), none);
    else
        pc_check_user_id(check, PC_D_STAT_ID, id, check->slot_at[PC_SLOT_ID]);
}

/* --- user records --- */

static bool user_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_search *s = ctx;
    struct pc_check *check = s->check;
    if (leaf->fault != PC_SOUND && leaf->field->shape_diag == PC_D_AUXTRACE_ERROR_SHORT) {
        /* Its size does not fit its format. Readers use what is there. */
        pc_check_say(check, PC_D_AUXTRACE_ERROR_SHORT, PC_RECORD_SIZE_AT, 2,
                     pc_uint_value(leaf->walk->slot[PC_REC_TYPE]), pc_uint_value(120));
        return false;
    }
    /* Intel PT: readers look at the last byte of the area only (intel-pt.c: intel_pt_process_auxtrace_info).
     */
    if (leaf->fault == PC_SOUND && leaf->field->rule_diag == PC_D_AUXTRACE_FILTER && pc_leaf_ok(leaf) &&
        leaf->raw.len != 0 && leaf->raw.ptr[leaf->raw.len - 1] != 0)
        pc_check_say_leaf(check, PC_D_AUXTRACE_FILTER, leaf, none, none);
    if (!pc_check_leaf(check, leaf))
        return false;
    uint32_t type = (uint32_t)pc_load(s->record.ptr, 4, check->capture->order);
    uint64_t nr = check->capture->nr_cpus;
    pc_flow_field(&check->flow, &check->at, type, leaf);
    switch (type) {
    case PC_ID_INDEX:
        if (leaf->field->save == PC_SLOT_ID)
            pc_check_user_id(check, PC_D_ID_INDEX_ID, leaf->value, leaf->at);
        if (leaf->field->save == PC_SLOT_CPU && leaf->value != UINT64_MAX && nr != 0 && leaf->value >= nr)
            pc_check_say_leaf(check, PC_D_ID_INDEX_CPU, leaf, pc_uint_value(leaf->value), pc_uint_value(nr));
        break;
    default:
        check_map_leaf(check, type, leaf);
        break;
    }
    return true;
}

static bool walk_user_record(struct pc_check *check, const struct pc_item *item,
                             const struct pc_record_info *info)
{
    struct pc_cursor c = pc_record_body(item->bytes, check->capture->order);
    struct pc_search s = { check, item->bytes, item->bytes.len };
    struct pc_walk walk;
    if (info->fields->kind == PC_END && pc_left(&c) == 0) { /* the smallest records */
        memset(check->own.slot, 0, sizeof(check->own.slot));
        memset(check->own.slot_at, 0, sizeof(check->own.slot_at));
        return true;
    }
    pc_walk_init(&walk, NULL, &c, user_visit, &s);
    bool sound = pc_walk_table(&walk, info->fields);
    memcpy(check->own.slot, walk.slot, sizeof(check->own.slot));
    memcpy(check->own.slot_at, walk.slot_at, sizeof(check->own.slot_at));
    /* The payload of a feature is judged by the feature's own table. */
    if (sound && pc_left(&c) != 0 && item->type != PC_HEADER_FEATURE)
        pc_check_say_excess(check, item, info, pc_left(&c), c.pos);
    return sound;
}

/* True: it may be an attr of the capture. */
static bool check_header_attr(struct pc_check *check, const struct pc_item *item)
{
    struct pc_cursor c = pc_record_body(item->bytes, check->capture->order);
    size_t room = pc_left(&c);
    uint64_t size;
    if (!check->capture->is_pipe) {
        pc_check_say(check, PC_D_HEADER_ATTR_IN_FILE, 0, item->bytes.len, none, none);
        return false;
    }
    if (!pc_peek(&c, PC_ATTR_SIZE_AT, 4, &size))
        return false;
    if (size > room || (size != 0 && size < PC_ATTR_SIZE_MIN) || size % 8 != 0) {
        pc_check_say(check, PC_D_HEADER_ATTR_SIZE, PC_RECORD_HEADER_SIZE + PC_ATTR_SIZE_AT, 4,
                     pc_uint_value(size), pc_uint_value(room));
        return false;
    }
    size_t attr = (size_t)pc_attr_size(size);
    if ((room - attr) % 8 != 0)
        pc_check_say(check, PC_D_HEADER_ATTR_IDS, PC_RECORD_HEADER_SIZE + attr, room - attr,
                     pc_uint_value(room - attr), none);
    pc_check_attr(check, pc_part(item->bytes, PC_RECORD_HEADER_SIZE, attr), PC_RECORD_HEADER_SIZE, true);
    return true;
}

static void check_header_feature(struct pc_check *check, const struct pc_item *item)
{
    uint64_t bit = check->slot[PC_REC_FEATURE];
    size_t content = PC_FEATURE_HEAD, at = check->slot_at[PC_REC_FEATURE];
    const struct pc_feature_info *info = pc_feature_info(bit);
    struct pc_cursor payload = { .in = item->bytes, .pos = content, .order = check->capture->order };

    if (bit == 0 || bit >= (uint64_t)1 << 31) {
        pc_check_say(check, PC_D_FEATURE_ID, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (item->news == PC_ENDS_FEATURES)
        return;
    if (!info) {
        pc_check_say(check, PC_D_FEATURE_UNKNOWN_RECORD, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (info->flags & PC_NEEDS_FILE) {
        pc_check_say(check, PC_D_FEATURE_IN_PIPE, at, 8, pc_uint_value(bit), none);
        return; /* and it is not there: perf reads standard input in its place */
    }
    if (item->news != PC_NO_NEWS)
        pc_check_say(check, PC_D_FEATURE_TWICE, at, 8, pc_uint_value(bit), none);
    if (item->news == PC_REPEATS_TOO_OFTEN)
        return;
    if (!(info->flags & (PC_SENT_IN_PIPE | PC_ONLY_A_MARK)) && bit != PC_DIR_FORMAT && bit < PC_FEATURES)
        pc_check_say(check, PC_D_FEATURE_IN_PIPE_READ, at, 8, pc_uint_value(bit), none);
    check->at.subject = info->name;
    if (item->bytes.len != content || (info->flags & PC_ONLY_A_MARK)) {
        pc_check_feature(check, bit, payload, true);
        return;
    }
    pc_check_say_member(check, PC_D_FEATURE_CUT, at, 8, "content", pc_uint_value(0), pc_uint_value(4));
}

static void check_time_conv(struct pc_check *check, const struct pc_item *item)
{
    const size_t old_size = 32, new_size = 56;
    if (item->bytes.len > old_size && item->bytes.len < new_size)
        pc_check_say(check, PC_D_TIME_CONV_SIZE, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len), none);
    if (item->bytes.len >= new_size && check->slot[PC_REC_START] == 1 && check->slot[PC_REC_SHIFT] == 0)
        pc_check_say_slot(check, PC_D_TIME_CONV_VALUE, PC_REC_SHIFT, "time_mult", 8, pc_uint_value(0),
                          pc_text_value("not 0"));
}

/* perf divides by the lower half of time_mult: tools/perf/util/tsc.c: perf_time_to_tsc. When the kernel has
 * no clock to offer, all words of it are 0; the decoder of Intel PT then does without, that of Intel BTS does
 * not. */
static void check_clock(struct pc_check *check, uint64_t type)
{
    uint64_t mult = check->slot[PC_REC_SHIFT];
    bool none_there = mult == 0 && check->slot[PC_REC_START] == 0;
    if ((uint32_t)mult == 0 && (type == PC_TRACE_INTEL_BTS || !none_there))
        pc_check_say_slot(check, PC_D_AUXTRACE_CLOCK, PC_REC_SHIFT, "priv.time_mult", 8, pc_uint_value(mult),
                          none);
}

/* tools/perf/util/powerpc-vpadtl.c looks for its event by the beginning of the name. */
static void check_names(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    size_t i = 0;
    while (i < capture->nr_attrs && capture->attr[i].name)
        i++;
    check->work += i;
    if (i < capture->nr_attrs)
        pc_check_say_slot(check, PC_D_AUXTRACE_NAMES, PC_REC_TYPE, "type", 4, none, pc_uint_value(i));
}

static void check_auxtrace_info(struct pc_check *check)
{
    uint64_t type = check->slot[PC_REC_TYPE];
    if (type == 0 || type > PC_TRACE_LAST)
        pc_check_say_slot(check, PC_D_AUXTRACE_TYPE, PC_REC_TYPE, "type", 4, pc_uint_value(type), none);
    if (type == PC_TRACE_INTEL_PT || type == PC_TRACE_INTEL_BTS)
        check_clock(check, type);
    if (type == PC_TRACE_VPA_DTL)
        check_names(check);
}

static void check_build_id_record(struct pc_check *check, const struct pc_item *item)
{
    uint64_t size = check->slot[PC_REC_BUILD_ID_SIZE];
    if (!pc_is_of_kernel(item->misc) && !pc_is_of_user(item->misc))
        pc_check_say(check, PC_D_BUILD_ID_CPUMODE, PC_RECORD_MISC_AT, 2,
                     pc_uint_value(item->misc & PC_MISC_CPUMODE), none);
    if ((item->misc & PC_MISC_BUILD_ID_SIZE) && size > PC_BUILD_ID_MAX)
        pc_check_say_slot(check, PC_D_BUILD_ID_SIZE, PC_REC_BUILD_ID_SIZE, "build_id_size", 1,
                          pc_uint_value(size), pc_uint_value(PC_BUILD_ID_MAX));
}

static void check_event_update(struct pc_check *check)
{
    uint64_t id = check->slot[PC_SLOT_ID];
    if (check->slot[PC_REC_TYPE] == PC_UPDATE_NAME && !check->capture->is_pipe)
        pc_check_say(check, PC_D_HEADER_RECORD_IN_FILE, 0, check->slot_at[PC_SLOT_ID] + 8, none, none);
    if (check->capture->nr_attrs > 1 && id != 0)
        pc_check_user_id(check, PC_D_EVENT_UPDATE_ID, id, check->slot_at[PC_SLOT_ID]);
}

/* After the entries there is room for a sample_id, filled with zeros. */
static void check_bpf_metadata(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_capture *capture = check->capture;
    size_t area = (size_t)check->slot[PC_REC_LEN];
    if (capture->nr_attrs == 0)
        return;
    size_t wanted = capture->layout[capture->attr[0].layout]->sample_id_size;
    if (area > wanted)
        pc_check_say(check, PC_D_RECORD_EXCESS, item->bytes.len - (area - wanted), area - wanted,
                     pc_uint_value(area - wanted), none);
}

/* Records that make no sense in the content of a compressed one. False: this is not one of them. */
static bool check_inside(struct pc_check *check, const struct pc_item *item)
{
    switch (item->type) {
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        pc_check_say(check, PC_D_COMPRESSED_NESTED, 0, item->bytes.len, none, none);
        return true;
    case PC_AUXTRACE:
    case PC_HEADER_TRACING_DATA:
        pc_check_say(check, PC_D_CONTENT_PAYLOAD, 0, item->bytes.len, none, none);
        return true;
    default:
        return false;
    }
}

void pc_check_user_record(struct pc_check *check, const struct pc_item *item,
                          const struct pc_record_info *info)
{
    if (item->where.inside && check_inside(check, item))
        return;
    if ((info->flags & PC_HEADER_ONLY_IN_PIPE) && !check->capture->is_pipe)
        pc_check_say(check, PC_D_HEADER_RECORD_IN_FILE, 0, item->bytes.len, none, none);
    if (item->type == PC_HEADER_ATTR) {
        if (check_header_attr(check, item))
            pc_flow_record(&check->flow, &(struct pc_sound_record){ .item = item });
        return;
    }
    const uint64_t errors = check->report->errors;
    memset(&check->map, 0, sizeof(check->map));
    pc_flow_came(&check->flow, item);
    if (!walk_user_record(check, item, info)) {
        check->unique = NULL; /* the record was reported, and its duplicates do not matter */
        pc_check_twice(check);
        return;
    }
    const struct pc_sound_record sound = { .item = item,
                                           .slot = check->slot,
                                           .slot_at = check->slot_at,
                                           .faulty = check->report->errors != errors };
    pc_flow_record(&check->flow, &sound);
    switch (item->type) {
    case PC_HEADER_EVENT_TYPE:
        if (item->bytes.len < 80)
            pc_check_say(check, PC_D_EVENT_TYPE_SMALL, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len),
                         pc_uint_value(80));
        break;
    case PC_HEADER_BUILD_ID:
        check_build_id_record(check, item);
        break;
    case PC_FINISHED_ROUND:
        if (check->capture->dir_version == 1 && check->capture->is_directory)
            pc_check_say(check, PC_D_DIR_ROUND, 0, item->bytes.len, none, none);
        break;
    case PC_AUXTRACE_INFO:
        check_auxtrace_info(check);
        break;
    case PC_BPF_METADATA:
        check_bpf_metadata(check, item);
        break;
    case PC_CPU_MAP:
        check_map(check, item);
        break;
    case PC_EVENT_UPDATE:
        check_map(check, item);
        check_event_update(check);
        break;
    case PC_STAT_CONFIG:
        pc_check_twice(check);
        break;
    case PC_STAT:
        check_stat_id(check);
        break;
    case PC_TIME_CONV:
        check_time_conv(check, item);
        break;
    case PC_HEADER_FEATURE:
        check_header_feature(check, item);
        break;
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
        pc_check_compressed_record(check, item);
        break;
    default:
        break;
    }
}
