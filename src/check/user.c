/* SPDX-License-Identifier: MIT */
#include "check/check.h"
#include "bytes/cursor.h"

#include <string.h>

static const struct pc_value none;

/* --- user records --- */

/* An id in a user record names an event, unless there is only one. */
static void check_user_id(struct pc_check *check, enum pc_diag id, uint64_t value, size_t at)
{
    struct pc_capture *capture = check->capture;
    bool of_attr = value == 0 ? check->report->by_id[PC_D_ID_ZERO] != 0
                              : pc_capture_attr_of(capture, value) != PC_NO_ATTR;
    if (capture->attrs_damaged || check->report->by_id[PC_D_TOO_MANY_IDS_HELD] != 0 || of_attr)
        return;
    struct pc_finding f = pc_check_finding(check, id, at, 8);
    pc_finding_name(&f, "id");
    f.seen = pc_uint_value(value);
    pc_report_add(check->report, &f);
}

static void add_map_cpu(struct pc_check *check, uint64_t cpu)
{
    if (cpu < 65536)
        pc_set_bit(check->cpu_map, cpu);
}

/* The map of one event, or of all: its values, and whether it holds any CPU. */
static void check_map_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    const unsigned cpus = 0, mask = 1, range = 2;
    bool words = leaf->value == 4 || leaf->value == 8;
    if (slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_LEN && leaf->value < slot[PC_REC_START])
        pc_check_say_leaf(check, PC_D_CPU_MAP_RANGE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(slot[PC_REC_START]));
    if (slot[PC_REC_MAP] == cpus)
        check->map_known |= leaf->field->save == PC_REC_MAP_NR;
    if (slot[PC_REC_MAP] == mask)
        check->map_known |= leaf->field->save == PC_REC_MAP_WORD && words;
    if (leaf->field->name || leaf->walk->depth == 0)
        return;
    check->map_cpus += slot[PC_REC_MAP] == cpus || leaf->value != 0;
    if (slot[PC_REC_MAP] == cpus && leaf->value >= 32767 && leaf->value != UINT16_MAX)
        pc_check_say_leaf(check, PC_D_CPU_MAP_VALUE, leaf, pc_uint_value(leaf->value), pc_uint_value(32766));
}

/* After the walk of a record with a map. */
static void check_map(struct pc_check *check, const struct pc_item *item)
{
    if (check->map_known && check->map_cpus == 0)
        pc_check_say(check, PC_D_CPU_MAP_EMPTY, 0, item->bytes.len, none, none);
}

/* The CPUs of a map, whatever its encoding; they come as leaves of its array. */
static void learn_map_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    const unsigned cpus = 0, range = 2;
    if (walk->slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_LEN) {
        uint64_t first = walk->slot[PC_REC_START];
        for (uint64_t cpu = first; cpu <= leaf->value;) {
            check->work++;
            if (cpu % 64 == 0 && leaf->value - cpu >= 63) { /* a word of the map at once */
                check->cpu_map[cpu / 64] = UINT64_MAX;
                cpu += 64;
            } else {
                add_map_cpu(check, cpu++);
            }
        }
        return;
    }
    if (walk->slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_MAP_ANY && leaf->value != 0)
        pc_set_bit(check->cpu_map, UINT16_MAX);
    if (leaf->field->name || walk->depth == 0)
        return;
    uint64_t index = walk->path[walk->depth - 1].index, bits = (uint64_t)leaf->field->width * 8;
    if (walk->slot[PC_REC_MAP] == cpus) {
        add_map_cpu(check, leaf->value);
        return;
    }
    for (uint64_t bit = 0; bit < bits; bit++) {
        if (leaf->value >> bit & 1)
            add_map_cpu(check, index * bits + bit);
    }
}

static void check_index_cpu(struct pc_check *check, const struct pc_leaf *leaf)
{
    struct pc_deferred_check *deferred = &check->deferred_index_cpu;
    uint64_t nr = check->capture->nr_cpus;
    if (nr != 0 && leaf->value >= nr)
        pc_check_say_leaf(check, PC_D_ID_INDEX_CPU, leaf, pc_uint_value(leaf->value), pc_uint_value(nr));
    if (nr != 0 || (deferred->known && leaf->value <= deferred->value))
        return;
    struct pc_finding f = pc_check_finding(check, PC_D_ID_INDEX_CPU, leaf->at, leaf->raw.len);
    f.path[0] = leaf->walk->path[0];
    f.path[1] = (struct pc_step){ leaf->field->name, PC_NO_INDEX };
    f.depth = 2;
    pc_defer(check, deferred, leaf->value, f);
}

static bool user_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_search *s = ctx;
    struct pc_check *check = s->check;
    if (leaf->fault != PC_SOUND && leaf->field->shape_diag == PC_D_AUXTRACE_ERROR_SHORT) {
        /* Its size does not fit its format; readers take what is there. */
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
    switch (type) {
    case PC_ID_INDEX:
        pc_flow_id_index(&check->flow, &check->at, leaf);
        if (leaf->field->save == PC_SLOT_ID)
            check_user_id(check, PC_D_ID_INDEX_ID, leaf->value, leaf->at);
        if (leaf->field->save == PC_SLOT_CPU && leaf->value != UINT64_MAX)
            check_index_cpu(check, leaf);
        break;
    case PC_CPU_MAP:
        check_map_leaf(check, leaf);
        learn_map_leaf(check, leaf);
        break;
    case PC_EVENT_UPDATE:
        if (leaf->walk->slot[PC_REC_TYPE] == 3) /* CPUS */
            check_map_leaf(check, leaf);
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
    struct pc_search s = { check, item->bytes, item->bytes.len };
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, user_visit, &s);
    bool sound = pc_walk_table(&walk, info->fields);
    memcpy(check->slot, walk.slot, sizeof(check->slot));
    memcpy(check->slot_at, walk.slot_at, sizeof(check->slot_at));
    /* The payload of a feature is judged by the feature's own table. */
    if (sound && pc_left(&c) != 0 && item->type != PC_HEADER_FEATURE)
        pc_check_say_excess(check, item, info, pc_left(&c), c.pos);
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
    if (check->nr_samples + check->sum.by_type[PC_EVENT_UPDATE] != 0)
        pc_check_say(check, PC_D_ATTR_LATE, 0, item->bytes.len, none, none);
}

#define REPEATED_FEATURES_MAX 64
#define LAST_FEATURE_5_10     30 /* HEADER_LAST_FEATURE of perf 5.10, the least that was seen as an end */

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
    /* Without content it is the end, by an id that none of the features had: tools/perf/util/header.c:
     * perf_event__process_feature. The ends of 5.10 and 6.1 have ids that are features now. */
    bool empty = item->bytes.len == content;
    if (empty && (bit >= check->next_feature || bit >= LAST_FEATURE_5_10)) {
        check->has_end_mark = true;
        if (bit >= check->next_feature)
            check->next_feature = bit < PC_FEATURES ? bit : PC_FEATURES;
        return;
    }
    if (bit >= check->next_feature)
        check->next_feature = bit + 1;
    if (!info) {
        pc_check_say(check, PC_D_FEATURE_UNKNOWN_RECORD, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (pc_bit(capture->seen, bit)) {
        pc_check_say(check, PC_D_FEATURE_TWICE, at, 8, pc_uint_value(bit), none);
        /* Some features are compared with all attrs: not for every one of a million repetitions. */
        if (check->repeated_features++ >= REPEATED_FEATURES_MAX)
            return;
    }
    pc_set_bit(capture->seen, bit);
    if (info->flags & PC_NEEDS_FILE) {
        pc_check_say(check, PC_D_FEATURE_IN_PIPE, at, 8, pc_uint_value(bit), none);
        return;
    }
    if (!(info->flags & (PC_SENT_IN_PIPE | PC_ONLY_A_MARK)) && bit != PC_DIR_FORMAT && bit < PC_FEATURES)
        pc_check_say(check, PC_D_FEATURE_IN_PIPE_READ, at, 8, pc_uint_value(bit), none);
    check->at.subject = info->name;
    if (!empty || (info->flags & PC_ONLY_A_MARK)) {
        pc_check_feature(check, bit, payload, true);
        return;
    }
    struct pc_finding f = pc_check_finding(check, PC_D_FEATURE_CUT, at, 8);
    pc_finding_name(&f, "content");
    f.seen = pc_uint_value(0);
    f.expected = pc_uint_value(4);
    pc_report_add(check->report, &f);
}

static void say_no_config(struct pc_check *check, const struct pc_item *item)
{
    if (!check->has_stat_config)
        pc_check_say(check, PC_D_STAT_WITHOUT_CONFIG, 0, item->bytes.len, none, none);
}

/* perf has room for counts once both maps are there: builtin-script.c: set_maps. */
static void say_no_maps(struct pc_check *check, size_t length)
{
    if (!check->has_cpu_map || !check->has_threads)
        pc_check_say(check, PC_D_STAT_WITHOUT_MAPS, 0, length, none,
                     pc_text_value(check->has_cpu_map ? "THREAD_MAP" : "CPU_MAP"));
}

static void check_stat(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU], thread = check->slot[PC_REC_THREAD];
    say_no_maps(check, check->slot_at[PC_SLOT_ID] + 8);
    check_user_id(check, PC_D_STAT_ID, check->slot[PC_SLOT_ID], check->slot_at[PC_SLOT_ID]);
    bool any = cpu == UINT32_MAX && pc_bit(check->cpu_map, UINT16_MAX);
    if (check->has_cpu_map && !any && (cpu >= 65536 || !pc_bit(check->cpu_map, cpu)))
        pc_check_say_slot(check, PC_D_STAT_CPU, PC_SLOT_CPU, "cpu", 4, pc_uint_value(cpu), none);
    if (check->has_threads && thread >= check->nr_threads)
        pc_check_say_slot(check, PC_D_STAT_THREAD, PC_REC_THREAD, "thread", 4, pc_uint_value(thread),
                          pc_uint_value(check->nr_threads));
}

static void check_auxtrace_info(struct pc_check *check)
{
    uint64_t type = check->slot[PC_REC_TYPE];
    check->has_auxtrace_info = true;
    if (type == 0 || type > 7)
        pc_check_say_slot(check, PC_D_AUXTRACE_TYPE, PC_REC_TYPE, "type", 4, pc_uint_value(type), none);
}

static void check_auxtrace(struct pc_check *check, const struct pc_item *item)
{
    if (check->nr_auxtrace++ == 0)
        check->first_auxtrace = item->offset;
    if (!check->has_auxtrace_info)
        pc_check_say(check, PC_D_AUXTRACE_WITHOUT_INFO, 0, item->bytes.len, none, none);
    struct pc_keys *index = &check->index;
    struct pc_key *entry = pc_keys_find(index, item->offset);
    for (; entry && entry < index->key + index->nr && entry->value == item->offset; entry++)
        entry->offset = UINT64_MAX; /* the index names this record */
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

static void check_build_id_record(struct pc_check *check, const struct pc_item *item)
{
    unsigned mode = item->misc & PC_MISC_CPUMODE;
    uint64_t size = check->slot[PC_REC_BUILD_ID_SIZE];
    pc_flow_owner(&check->flow, &check->at, item->bytes, PC_RECORD_HEADER_SIZE,
                  (size_t)check->slot[PC_REC_NAME]);
    if (mode != 1 && mode != 2 && mode != 4 && mode != 5)
        pc_check_say(check, PC_D_BUILD_ID_CPUMODE, PC_RECORD_MISC_AT, 2, pc_uint_value(mode), none);
    if ((item->misc & PC_MISC_BUILD_ID_SIZE) && size > 20)
        pc_check_say_slot(check, PC_D_BUILD_ID_SIZE, PC_REC_BUILD_ID_SIZE, "build_id_size", 1,
                          pc_uint_value(size), pc_uint_value(20));
    else if (mode == 1 || mode == 2)
        pc_flow_build_id(&check->flow, &check->at,
                         pc_part(item->bytes, check->slot_at[PC_REC_NAME], (size_t)check->slot[PC_REC_NAME]),
                         pc_part(item->bytes, check->slot_at[PC_REC_BUILD_ID],
                                 item->misc & PC_MISC_BUILD_ID_SIZE ? (size_t)size : 20));
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

/* After the entries there is room for a sample_id, filled with zeros. */
static void check_bpf_metadata(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_capture *capture = check->capture;
    size_t area = (size_t)check->slot[PC_REC_LEN], wanted = 0;
    struct pc_deferred_check *deferred = &check->deferred_area;
    if (capture->nr_attrs == 0) {
        if (!deferred->known || area > deferred->value)
            pc_defer(check, deferred, area,
                     pc_check_finding(check, PC_D_RECORD_EXCESS, item->bytes.len - area, area));
        return;
    }
    wanted = capture->layout[capture->attr[0].layout]->sample_id_size;
    if (area > wanted)
        pc_check_say(check, PC_D_RECORD_EXCESS, item->bytes.len - (area - wanted), area - wanted,
                     pc_uint_value(area - wanted), none);
}

/* A record as the capture's compression has it; the reader judges its content. */
static void check_compressed(struct pc_check *check, const struct pc_item *item)
{
    const struct pc_capture *capture = check->capture;
    bool second = item->type == PC_COMPRESSED2;
    size_t size = item->bytes.len, data = (size_t)check->slot[PC_REC_RAW];
    size_t data_end = check->slot_at[PC_REC_RAW] + data;

    /* A feature that could not be read was reported. */
    bool lost = pc_bit(capture->features, PC_COMPRESSED_FEATURE) && !check->compression_said &&
                check->compression_at == 0;
    if (capture->mmap_len == 0 && !capture->unfinished && !lost && !check->said_no_compression) {
        check->said_no_compression = true;
        pc_check_say(check, PC_D_COMPRESSED_UNANNOUNCED, 0, size, none, none);
    }
    if (check->compressed_type.id) {
        pc_report_add_at(check->report, &check->compressed_type, (struct pc_where){ 0 });
        check->compressed_type.id = PC_NO_DIAG;
    }
    if (check->wrappers[second]++ == 0 && check->wrappers[!second] != 0)
        pc_check_say(check, PC_D_COMPRESSED_MIXED, 0, 4, none, none);
    if (data == 0)
        pc_check_say(check, second ? PC_D_COMPRESSED2_EMPTY : PC_D_COMPRESSED_NO_DATA,
                     second ? PC_RECORD_HEADER_SIZE : 6, second ? 8 : 2, pc_uint_value(second ? 0 : size),
                     none);
    if (!second || item->size_wrapped)
        return;
    struct pc_span padding = pc_part(item->bytes, data_end, size - data_end);
    if (size != pc_align8(data_end))
        pc_check_say(check, PC_D_COMPRESSED2_EXCESS, PC_RECORD_SIZE_AT, 2, pc_uint_value(size),
                     pc_uint_value(pc_align8(data_end)));
    else if (pc_first_nonzero(padding) != padding.len)
        pc_check_say(check, PC_D_COMPRESSED2_PADDING, data_end, padding.len, none, none);
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
    if (check->report->where.inside && check_inside(check, item))
        return;
    if ((info->flags & PC_HEADER_ONLY_IN_PIPE) && !check->capture->is_pipe)
        pc_check_say(check, PC_D_HEADER_RECORD_IN_FILE, 0, item->bytes.len, none, none);
    if (item->type == PC_HEADER_ATTR) {
        check_header_attr(check, item);
        return;
    }
    if (item->type == PC_AUXTRACE_INFO)
        check->has_auxtrace_info = true; /* whatever it holds */
    check->has_stat_config |= item->type == PC_STAT_CONFIG;
    if (item->type == PC_CPU_MAP || item->type == PC_EVENT_UPDATE) {
        check->map_cpus = 0;
        check->map_known = false;
    }
    if (!walk_user_record(check, item, info)) {
        check->unique = NULL; /* the record was reported, and its duplicates do not matter */
        pc_check_twice(check);
        return;
    }
    const struct pc_sound_record sound = { .item = item, .slot = check->slot, .slot_at = check->slot_at };
    pc_flow_record(&check->flow, &sound);
    switch (item->type) {
    case PC_HEADER_EVENT_TYPE:
        if (item->bytes.len < 80)
            pc_check_say(check, PC_D_EVENT_TYPE_SMALL, PC_RECORD_SIZE_AT, 2, pc_uint_value(item->bytes.len),
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
        if (check->capture->dir_version == 1 && check->capture->is_directory)
            pc_check_say(check, PC_D_DIR_ROUND, 0, item->bytes.len, none, none);
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
        if (check->has_threads)
            pc_check_say(check, PC_D_THREAD_MAP_TWICE, 0, item->bytes.len, none, none);
        check->has_threads = true;
        check->nr_threads = check->slot[PC_REC_NR];
        break;
    case PC_CPU_MAP:
        if (check->has_cpu_map)
            pc_check_say(check, PC_D_CPU_MAP_TWICE, 0, item->bytes.len, none, none);
        check_map(check, item);
        check->has_cpu_map = true;
        break;
    case PC_STAT_CONFIG:
        pc_check_twice(check);
        break;
    case PC_STAT:
        check_stat(check);
        say_no_config(check, item);
        break;
    case PC_STAT_ROUND:
        say_no_maps(check, item->bytes.len);
        say_no_config(check, item);
        break;
    case PC_EVENT_UPDATE:
        check_map(check, item);
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
    default:
        break;
    }
}
