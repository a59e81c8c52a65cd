/* SPDX-License-Identifier: MIT
 *
 * What features and user records say that explains other records: names, numbers of CPUs, formats.
 */
#include "read/capture.h"
#include "format/print_fmt.h"

#include <string.h>

/* --- tracepoints --- */

static struct pc_tp_draft *draft_of(struct pc_capture *capture)
{
    if (!capture->tp_draft)
        capture->tp_draft = pc_alloc(capture->mem, sizeof(*capture->tp_draft));
    return capture->tp_draft;
}

/* The later of two formats with one id is taken, as readers do with a second TRACING_DATA. */
static void learn_tracepoint(struct pc_capture *capture, struct pc_span text, unsigned long_size)
{
    struct pc_tp_draft *draft = draft_of(capture);
    struct pc_tp_fault fault;
    if (!draft) {
        capture->tracepoints_full = true;
        return;
    }
    bool sound = pc_tp_read(draft, text, long_size == 4 ? 4 : 8, &fault);
    if (!draft->has_id)
        return;
    uint32_t index = pc_capture_tracepoint(capture, draft->id);
    if (index == PC_NO_ATTR)
        return;
    struct pc_tracepoint_state *place = &capture->tracepoint[index];
    capture->nr_described += !place->is_described;
    capture->tracepoint_bytes -= place->format ? place->format->bytes : 0;
    pc_tp_free(capture->mem, place->format);
    *place = (struct pc_tracepoint_state){ .is_described = true };
    if (!sound)
        return;
    (void)pc_print_fmt_check(draft, &fault); /* marks fields; the judge says what is wrong */
    struct pc_tracepoint *new = NULL;
    if (capture->tracepoint_bytes < PC_TRACEPOINT_BYTES_MAX)
        new = pc_tp_new(capture->mem, draft);
    if (!new) {
        capture->tracepoints_full = true;
        return;
    }
    capture->tracepoint_bytes += new->bytes;
    place->format = new;
}

bool pc_capture_has_tracepoint(const struct pc_capture *capture, uint64_t id)
{
    const struct pc_tree_entry *entry = pc_tree_find(&capture->tracepoint_ids, id);
    return entry && capture->tracepoint[entry->value].is_described;
}

const struct pc_tracepoint *pc_capture_format(const struct pc_capture *capture, uint32_t attr)
{
    uint32_t index = capture->attr[attr].format;
    return index == PC_NO_ATTR ? NULL : capture->tracepoint[index].format;
}

/* --- what features and user records say --- */

bool pc_capture_can_walk(const struct pc_capture *capture, uint64_t bit)
{
    if (!pc_feature_is(bit, PC_NEEDS_NRCPUS | PC_NEEDS_ONLINE))
        return true;
    return capture->nr_cpus != 0 && (!pc_feature_is(bit, PC_NEEDS_ONLINE) || capture->nr_online != 0);
}

struct pc_layout pc_capture_feature_layout(const struct pc_capture *capture)
{
    struct pc_layout layout = { 0 };
    layout.slot[PC_SLOT_NR_CPUS] = capture->nr_cpus;
    layout.slot[PC_SLOT_NR_ONLINE] = capture->nr_online;
    return layout;
}

/* Appends a string of a feature, after a blank. */
static void learn_text(struct pc_capture *capture, uint64_t bit, struct pc_span text)
{
    char *old = capture->text[bit];
    size_t before = old ? strlen(old) + 1 : 0, len = pc_first_zero(text);
    if (before + len + 1 > PC_TEXT_MAX)
        return;
    char *whole = pc_alloc(capture->mem, before + len + 1);
    if (!whole) {
        capture->no_memory = true;
        return;
    }
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
    bool is_version, is_events; /* META_INFO: the value is that of the writer, or names events */
};

static bool is_text(struct pc_span text, const char *wanted)
{
    return text.len == strlen(wanted) + 1 && memcmp(text.ptr, wanted, text.len) == 0;
}

static void learn_event_lines(struct pc_capture *capture, struct pc_span lines)
{
    if (lines.len > PC_EVENT_LINES_MAX)
        return;
    capture->event_lines = pc_alloc(capture->mem, lines.len);
    if (!capture->event_lines) {
        capture->no_memory = true;
        return;
    }
    memcpy(capture->event_lines, lines.ptr, lines.len);
    capture->event_lines_size = lines.len;
}

/* What a pair of META_INFO says of the writer and the events. */
static void learn_pair(struct learning *learning, const struct pc_leaf *leaf)
{
    static const char name[] = "simpleperf";
    struct pc_capture *capture = learning->capture;
    if (leaf->field->save == PC_META_KEY) {
        learning->is_version = is_text(leaf->raw, "simpleperf_version") && !capture->text[learning->bit];
        learning->is_events = is_text(leaf->raw, "event_type_info") && !capture->event_lines;
    } else if (leaf->field->save == PC_META_VALUE && learning->is_events) {
        learn_event_lines(capture, leaf->raw);
    } else if (leaf->field->save == PC_META_VALUE && learning->is_version) {
        learn_text(capture, learning->bit, (struct pc_span){ (const unsigned char *)name, sizeof(name) });
        learn_text(capture, learning->bit, leaf->raw);
    }
}

/* A name that is there stays: tools/perf/util/header.c: evlist__set_event_name. */
static void learn_name(struct pc_capture *capture, uint32_t attr, struct pc_span text)
{
    if (attr >= capture->nr_attrs || !capture->attr[attr].name)
        pc_capture_name(capture, attr, text);
}

static bool learn_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct learning *learning = ctx;
    struct pc_capture *capture = learning->capture;
    const struct pc_walk *walk = leaf->walk;
    if (leaf->fault != PC_SOUND)
        return true;
    if (learning->bit == PC_CPU_PMU_CAPS) {
        uint64_t branches;
        if (pc_cap_branches(leaf, &branches))
            capture->branches = branches == UINT64_MAX ? 0 : branches;
        return true;
    }
    if (leaf->field->kind == PC_HSTR && learning->bit != PC_EVENT_DESC)
        learn_text(capture, learning->bit, pc_part(leaf->raw, 4, leaf->raw.len - 4));
    if (learning->bit == PC_META_INFO)
        learn_pair(learning, leaf);
    if (learning->bit == PC_DEBUG_UNWIND && leaf->field->save == PC_UNWIND_SIZE)
        capture->unwind_bytes = pc_add_saturated(capture->unwind_bytes, leaf->value);
    if (learning->bit == PC_TRACING_DATA && leaf->field->save == PC_TRACING_FORMAT)
        learn_tracepoint(capture, leaf->raw, (unsigned)walk->slot[PC_TRACING_LONG_SIZE]);
    else if (learning->bit == PC_EVENT_DESC && leaf->field->save == PC_EVENT_DESC_NAME)
        learn_name(capture, (uint32_t)walk->path[0].index, pc_part(leaf->raw, 4, leaf->raw.len - 4));
    return true;
}

void pc_capture_feature(struct pc_capture *capture, uint64_t bit, struct pc_cursor payload)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    capture->by_simpleperf |= pc_is_android_feature(bit);
    if (!info || !(info->flags & PC_LEARNED))
        return;
    struct learning learning = { .capture = capture, .bit = bit };
    if (capture->text[bit]) { /* a second one replaces the first */
        pc_free(capture->mem, capture->text[bit], capture->text_size[bit]);
        capture->text[bit] = NULL;
    }
    if (bit == PC_DEBUG_UNWIND)
        capture->unwind_bytes = 0;
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_walk walk;
    pc_walk_init(&walk, &layout, &payload, learn_leaf, &learning);
    bool sound = pc_walk_table(&walk, info->fields);
    if (bit == PC_TRACING_DATA) {
        capture->nr_tracing++;
        capture->tracing_order = payload.order; /* that of the capture, if it does not say which */
        capture->tracing_damaged |= !sound;
    }
    if (bit == PC_DEBUG_UNWIND)
        capture->unwind_damaged = !sound;
    if (bit == PC_NRCPUS && sound) {
        capture->nr_cpus = walk.slot[PC_NRCPUS_AVAILABLE];
        capture->nr_online = walk.slot[PC_NRCPUS_ONLINE];
    }
    if (bit == PC_DIR_FORMAT && sound)
        capture->dir_version = walk.slot[PC_DIR_FORMAT_VERSION];
    if (bit == PC_COMPRESSED_FEATURE && sound) {
        capture->mmap_len = walk.slot[PC_COMPRESSED_MMAP_LEN];
        capture->compression = walk.slot[PC_COMPRESSED_TYPE];
        capture->level = walk.slot[PC_COMPRESSED_LEVEL];
    }
}

static void forget_formats(struct pc_capture *capture)
{
    for (size_t i = 0; i < capture->nr_tracepoints; i++) {
        pc_tp_free(capture->mem, capture->tracepoint[i].format);
        capture->tracepoint[i] = (struct pc_tracepoint_state){ 0 };
    }
    capture->nr_described = capture->tracepoint_bytes = 0;
    capture->nr_tracing = 0;
}

void pc_capture_forget_feature(struct pc_capture *capture, uint64_t bit)
{
    if (bit == PC_TRACING_DATA)
        forget_formats(capture);
    if (bit == PC_NRCPUS)
        capture->nr_cpus = capture->nr_online = 0;
    if (bit == PC_COMPRESSED_FEATURE)
        capture->mmap_len = 0;
    if (bit == PC_DIR_FORMAT)
        capture->dir_version = capture->is_directory;
}

#define REPEATED_FEATURES_MAX 64
#define LAST_FEATURE_5_10     30 /* HEADER_LAST_FEATURE of perf 5.10, the least that was seen as an end */

enum pc_news pc_capture_count_feature(struct pc_capture *capture, uint64_t bit, bool is_empty)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    capture->has_header_features = true;
    if (bit == 0 || bit >= (uint64_t)1 << 31)
        return PC_NO_NEWS;
    /* Without content it is the end, by an id that none of the features had: tools/perf/util/header.c:
     * perf_event__process_feature. The ends of 5.10 and 6.1 have ids that are features now. */
    bool is_new = bit >= capture->next_feature;
    if (is_empty && (is_new || bit >= LAST_FEATURE_5_10)) {
        capture->features_ended = true;
        if (is_new)
            capture->next_feature = bit < PC_FEATURES ? bit : PC_FEATURES;
        return PC_ENDS_FEATURES;
    }
    if (is_new)
        capture->next_feature = bit + 1;
    if (!info || (info->flags & PC_NEEDS_FILE))
        return PC_NO_NEWS;
    if (!pc_bit(capture->seen, bit)) {
        pc_set_bit(capture->seen, bit);
        return PC_NO_NEWS;
    }
    /* Some features are compared with all attrs: not for every one of a million repetitions. */
    return capture->repeated++ < REPEATED_FEATURES_MAX ? PC_REPEATS_FEATURE : PC_REPEATS_TOO_OFTEN;
}

/* The event that an EVENT_UPDATE with this id applies to, among those known so far: all apply to the only
 * event, and those of id 0 to the first one (tools/perf/util/evlist.c: evlist__id2evsel). */
static struct pc_update update_of(const struct pc_capture *capture, uint64_t id)
{
    uint32_t attr = pc_capture_attr_of(capture, id);
    size_t nr = capture->nr_attrs;
    return (struct pc_update){ .event = nr == 1 || (nr != 0 && id == 0) ? 0 : attr,
                               .early = attr == PC_NO_ATTR && (nr == 0 || (nr == 1 && id != 0)) };
}

uint32_t pc_capture_event_of(const struct pc_capture *capture, uint64_t id)
{
    return update_of(capture, id).event;
}

static bool knows_attr(void *ctx, const struct pc_leaf *leaf)
{
    const struct pc_capture *capture = ctx;
    return leaf->fault == PC_SOUND && (leaf->field->save != PC_REC_IDX || leaf->value < capture->nr_attrs);
}

static bool learn_id(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_capture *capture = ctx;
    if (leaf->field->save == PC_SLOT_ID &&
        pc_capture_give_id(capture, leaf->value, (uint32_t)leaf->walk->slot[PC_REC_IDX]) == PC_ID_FULL)
        capture->ids_missing = true;
    return true;
}

/* Ids of events from here on: all that the record has, or none when it has an error. A copy without it is
 * then the same. simpleperf: record_file_reader.cpp: ProcessEventIdRecord. */
void pc_capture_ids(struct pc_capture *capture, struct pc_cursor c)
{
    const struct pc_field *fields = pc_record_info(PC_EVENT_ID)->fields;
    struct pc_cursor again = c;
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, knows_attr, capture);
    if (!pc_walk_table(&walk, fields) || pc_left(&c) != 0)
        return;
    pc_walk_init(&walk, NULL, &again, learn_id, capture);
    pc_walk_table(&walk, fields);
}

static bool learn_update(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_capture *capture = ctx;
    const struct pc_walk *walk = leaf->walk;
    if (leaf->field->save == PC_SLOT_ID)
        capture->update = update_of(capture, leaf->value);
    if (leaf->fault != PC_SOUND || leaf->field->kind != PC_CSTR || walk->slot[PC_REC_TYPE] != PC_UPDATE_NAME)
        return true;
    capture->has_updated_names = true;
    if (capture->update.event != PC_NO_ATTR) {
        pc_capture_name(capture, capture->update.event, leaf->raw);
        if (capture->update.event < capture->nr_attrs)
            capture->attr[capture->update.event].updated = true;
    }
    return true;
}

static void learn_stat(struct pc_capture *capture, struct pc_cursor c)
{
    struct pc_walk walk;
    if (pc_read_table(&walk, pc_record_info(PC_STAT)->fields, c))
        pc_stat_learn(capture, pc_capture_event_of(capture, walk.slot[PC_SLOT_ID]), walk.slot[PC_SLOT_CPU]);
}

void pc_capture_record(struct pc_capture *capture, uint32_t type, struct pc_span record)
{
    if (record.len < PC_RECORD_HEADER_SIZE)
        return;
    if (type == PC_STAT) {
        learn_stat(capture, pc_record_body(record, capture->order));
        return;
    }
    if (type != PC_EVENT_UPDATE) {
        pc_capture_maps(capture, type, record, PC_NO_ATTR);
        return;
    }
    struct pc_cursor c = pc_record_body(record, capture->order);
    struct pc_walk walk;
    capture->update = (struct pc_update){ .event = PC_NO_ATTR };
    pc_walk_init(&walk, NULL, &c, learn_update, capture);
    pc_walk_table(&walk, pc_record_info(type)->fields);
    if (walk.slot_at[PC_REC_MAP] != 0)
        pc_capture_maps(capture, type, record, capture->update.event);
}
