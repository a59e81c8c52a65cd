/* SPDX-License-Identifier: MIT
 *
 * Rules about features: each section alone, and against attrs and CPUs. Limits are those of perf 7.2:
 * tools/perf/util/header.c, process_* functions.
 */
#include "check/features.h"
#include "bytes/cursor.h"

/* --- one leaf of one feature --- */

/* tools/perf/util/build-id.c: entries are like HEADER_BUILD_ID records. */
static void build_id_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const size_t *slot_at = leaf->walk->slot_at;
    uint16_t misc = (uint16_t)leaf->walk->slot[PC_BUILD_ID_MISC];
    unsigned slot = leaf->field->save;
    if (slot == PC_BUILD_ID_PID && !pc_is_of_kernel(misc) && !pc_is_of_user(misc))
        pc_check_say_beside(judge, PC_D_BUILD_ID_CPUMODE, leaf, slot_at[PC_BUILD_ID_MISC], 2, "misc",
                            pc_uint_value(misc & PC_MISC_CPUMODE), pc_none);
    if (slot == PC_BUILD_ID_LEN && (misc & PC_MISC_BUILD_ID_SIZE) && leaf->value > PC_BUILD_ID_MAX)
        pc_check_say_leaf(judge, PC_D_BUILD_ID_SIZE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(PC_BUILD_ID_MAX));
}

static void bpf_data_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    uint64_t info_len = leaf->walk->slot[PC_BPF_INFO_LEN], arrays = leaf->walk->slot[PC_BPF_ARRAYS_THERE];
    struct pc_span payload = leaf->walk->c->in;
    size_t info_at = leaf->at - (size_t)info_len;
    struct pc_bpf_place places[PC_BPF_ARRAYS];
    pc_bpf_find_arrays(pc_part(payload, info_at, (size_t)info_len), judge->capture->order, places);
    for (size_t i = 0; i < PC_BPF_ARRAYS; i++) {
        const struct pc_bpf_place *place = &places[i];
        if (!pc_bpf_is_told(place))
            continue;
        if (!(arrays >> i & 1)) {
            if (place->count != 0 && (place->start != 0 || i >= PC_BPF_JITED_KSYMS))
                pc_check_say_beside(judge, PC_D_BPF_ARRAY_ABSENT, leaf, info_at + place->at, 8,
                                    pc_bpf_arrays[i].name, pc_hex_value(place->start), pc_none);
            continue;
        }
        if (!pc_bpf_fits(place, leaf->raw.len))
            pc_check_say_beside(judge, PC_D_BPF_ARRAY, leaf, info_at + place->at, 8, pc_bpf_arrays[i].name,
                                pc_hex_value(place->start), pc_none);
    }
}

/* What perf looks for here only, whether or not the capture has this attr: header.c: perf_attr_check. */
static __attribute__((noinline)) void check_event_bits(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    unsigned bits = 64, slot = leaf->field->save;
    if (slot == PC_ATTR_READ_FORMAT)
        bits = PC_READ_BITS;
    if (slot == PC_ATTR_BRANCH_TYPE && (leaf->walk->slot[PC_ATTR_SAMPLE_TYPE] & PC_S_BRANCH_STACK))
        bits = PC_BRANCH_BITS;
    if (bits < 64 && leaf->value >> bits)
        pc_check_say_leaf(judge, PC_D_EVENT_DESC_UNKNOWN, leaf, pc_hex_value(leaf->value >> bits << bits),
                          pc_none);
    if (slot == PC_ATTR_AUX_ACTION && leaf->value != 0) {
        pc_check_for_leaf(judge, PC_D_FOR_AUX_ACTION, leaf);
        if (judge->capture->order == PC_BIG)
            pc_check_for_leaf(judge, PC_D_FOR_ORDER_AUX_ACTION, leaf);
    }
}

static inline void feature_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    unsigned slot = leaf->field->save;
    switch (judge->in.feature) {
    case PC_TRACING_DATA:
        pc_check_tracing_leaf(judge, leaf);
        break;
    case PC_BUILD_ID:
        build_id_leaf(judge, leaf);
        break;
    case PC_EVENT_DESC:
        check_event_bits(judge, leaf);
        break;
    case PC_GROUP_DESC:
        if (slot == PC_GROUP_NR && leaf->value == 0)
            pc_check_say_leaf(judge, PC_D_GROUP_DESC_EMPTY, leaf, pc_none, pc_none);
        break;
    case PC_BPF_PROG_INFO:
        /* header.c of 5.10: process_bpf_prog_info, which reads none of the other byte order */
        if (slot == PC_BPF_INFO_LEN && leaf->value > PC_BPF_INFO_5_10 && judge->capture->order == PC_LITTLE)
            pc_check_for_leaf(judge, PC_D_FOR_BPF_INFO, leaf);
        if (slot == PC_BPF_DATA)
            bpf_data_leaf(judge, leaf);
        break;
    case PC_CLN_SIZE:
        if (leaf->value == 0)
            pc_check_say_leaf(judge, PC_D_CLN_SIZE, leaf, pc_uint_value(0), pc_none);
        break;
    case PC_FILE2:
        if (slot == PC_SLOT_A) /* the next one */
            pc_check_file_kind(judge, leaf->walk);
        /* fall through */
    case PC_FILE:
        pc_check_symbol_leaf(judge, leaf);
        break;
    case PC_ETM_BRANCH_LIST:
        pc_check_branch_list_leaf(judge, leaf);
        break;
    default:
        pc_check_machine_leaf(judge, leaf);
        break;
    }
}

#define BUILD_ID_NAME_MAX 4096 /* PATH_MAX */

/* If anything does not fit in an entry of build ids, its size is wrong. */
static void say_build_id_entry(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    bool has_size = walk->framed || leaf->field->kind == PC_FRAME;
    pc_check_say_beside(judge, PC_D_BUILD_ID_ENTRY, leaf, has_size ? walk->slot_at[PC_SLOT_A] : leaf->at,
                        has_size ? 2 : leaf->raw.len, "size",
                        pc_uint_value(has_size ? walk->slot[PC_SLOT_A] : leaf->left), pc_none);
}

/* Readers count the area of a name, whatever is in it (header.c: perf_header__read_build_ids). */
static bool is_huge_name(const struct pc_judge *judge, const struct pc_leaf *leaf)
{
    return judge->in.feature == PC_BUILD_ID && leaf->field->save == PC_BUILD_ID_NAME &&
           (leaf->fault == PC_SOUND ? leaf->raw.len : leaf->left) >= BUILD_ID_NAME_MAX;
}

/* simpleperf leaves there what was in the memory; perf looks at it only if misc has BUILD_ID_SIZE. Such
 * entries have the type of the record, where perf has 0. by_simpleperf may not be known yet. */
static bool is_left_over(const struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    return judge->in.feature == PC_BUILD_ID && leaf->field->rule == PC_RULE_ZEROS &&
           (judge->capture->by_simpleperf || slot[PC_BUILD_ID_TYPE] == PC_HEADER_BUILD_ID) &&
           !(slot[PC_BUILD_ID_MISC] & PC_MISC_BUILD_ID_SIZE);
}

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_judge *judge = ctx;
    const struct pc_field *field = leaf->field;
    bool fault = leaf->fault != PC_SOUND;
    bool broken = !fault && field->rule != PC_RULE_NONE && !pc_leaf_ok(leaf);
    if ((fault && (field->flags & PC_ABOUT_SIZE)) || is_huge_name(judge, leaf)) {
        say_build_id_entry(judge, leaf);
        return false;
    }
    if (broken &&
        field->other_diag) /* in EVENT_DESC no sample depends on it; perf drops all names of events */
        pc_check_say_leaf(judge, field->other_diag, leaf, pc_hex_value(leaf->value & ~field->arg), pc_none);
    else if (!(broken && is_left_over(judge, leaf)) && !pc_check_leaf(judge, leaf))
        return false;
    if (broken && (field->flags & PC_ENDS_WALK))
        return false; /* no reader continues, and a count that large would only be reported again */
    feature_leaf(judge, leaf);
    pc_judge_show(judge, leaf);
    return true;
}

/* --- one feature as a whole --- */

static void after_walk(struct pc_judge *judge, const struct pc_walk *walk, struct pc_span payload)
{
    const struct pc_capture *capture = judge->capture;
    /* The first two values of each. */
    uint64_t a = walk->slot[PC_SLOT_F0], b = walk->slot[PC_SLOT_F0 + 1];
    size_t at = walk->slot_at[PC_SLOT_F0];
    switch (judge->in.feature) {
    case PC_SAMPLE_TIME:
        if (a > b)
            pc_check_say(judge, PC_D_SAMPLE_TIME_ORDER, at, 16, pc_uint_value(a), pc_uint_value(b));
        break;
    case PC_NUMA_TOPOLOGY:
        if (walk->slot[PC_SLOT_A] == 0)
            pc_check_say_member(judge, PC_D_NUMA_NONE, walk->slot_at[PC_SLOT_A], 4, "nr", pc_uint_value(0),
                                pc_none);
        else if (!judge->in.has_cpus)
            pc_check_say_member(judge, PC_D_NUMA_NO_CPUS, walk->slot_at[PC_SLOT_A], 4, "nr",
                                pc_uint_value(walk->slot[PC_SLOT_A]), pc_none);
        break;
    case PC_DIR_FORMAT:
        if (!capture->is_directory)
            pc_check_say(judge, PC_D_DIR_FORMAT, at, 8, pc_none, pc_none);
        else if (a > 1)
            pc_check_say(judge, PC_D_DIR_VERSION, at, 8, pc_uint_value(a), pc_uint_value(1));
        break;
    case PC_COMPRESSED_FEATURE:
        pc_check_compression(judge, payload, walk);
        break;
    case PC_AUXTRACE_INDEX:
        if (walk->slot_width[PC_SLOT_A] == 0) /* no number of entries */
            pc_check_for_bytes(judge, PC_D_FOR_AUXTRACE_INDEX, walk->c->pos - payload.len, payload.len);
        break;
    case PC_DEBUG_UNWIND_FILE:
        pc_check_unwind_files(judge, walk->c->pos - payload.len, payload.len);
        break;
    case PC_FILE2:
        pc_check_file_kind(judge, walk);
        break;
    case PC_ETM_BRANCH_LIST:
        pc_check_branch_list(judge, walk, walk->c->pos - payload.len);
        break;
    default:
        break;
    }
}

static void check_left_over(struct pc_judge *judge, const struct pc_cursor *c, bool in_record)
{
    size_t left = pc_left(c);
    struct pc_span rest = pc_part(c->in, c->pos, left);
    enum pc_diag id = PC_D_FEATURE_TRAILING;
    if (left == 0)
        return;
    /* Up to a multiple of 8 they belong to the payload after HEADER_TRACING_DATA, and should be zeros. */
    bool trace = judge->in.feature == PC_TRACING_DATA && in_record;
    if (trace && left < 8 && pc_first_nonzero(rest) == left)
        return;
    if (trace && left >= 8) {
        struct pc_finding f = pc_finding_in(&judge->at, PC_D_TRACING_DATA_SIZE, 0, 4);
        f.offset = judge->size_at;
        f.seen = pc_uint_value(c->in.len);
        f.expected = pc_uint_value(pc_align8(c->pos));
        pc_judge_add(judge, &f);
        return;
    }
    if (in_record && left < 8 && c->in.len % 8 == 0 && pc_first_nonzero(rest) == left)
        id = PC_D_FEATURE_PADDED;
    if (judge->in.feature == PC_AUXTRACE_INDEX)
        id = PC_D_AUXTRACE_INDEX_SIZE;
    pc_check_say(judge, id, c->pos, left, pc_uint_value(left), pc_none);
}

/* Whether the content of a feature has fields to walk, and what its walk needs is known. */
static bool can_walk(struct pc_judge *judge, uint64_t bit, struct pc_cursor payload, bool in_record)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    const struct pc_capture *capture = judge->capture;
    size_t start = payload.pos, len = pc_left(&payload);

    if (pc_is_android_feature(bit) && in_record)
        pc_check_say(judge, PC_D_FEATURE_ANDROID, start, len, pc_uint_value(bit), pc_none);
    if (!info) {
        bool beyond = pc_is_beyond_features(bit, capture->by_simpleperf);
        if (!in_record) /* of a record PC0648 reports it */
            pc_check_say(judge, beyond ? PC_D_FEATURE_BEYOND : PC_D_FEATURE_UNKNOWN, start, len,
                         pc_uint_value(bit), pc_none);
        return false;
    }
    if (info->flags & PC_ONLY_A_MARK) {
        if (len != 0)
            pc_check_say(judge, PC_D_FEATURE_NOT_EMPTY, start, len, pc_uint_value(len), pc_none);
        return false;
    }
    if ((info->flags & PC_ONE_STRING) && len == 0) {
        pc_check_say(judge, PC_D_FEATURE_EMPTY, start, 0, pc_none, pc_none);
        return false;
    }
    if (pc_capture_can_walk(capture, bit))
        return true;
    pc_check_say(judge, PC_D_NRCPUS_NEEDED, start, len, pc_none, pc_none);
    return false;
}

void pc_check_feature(struct pc_judge *judge, uint64_t bit, struct pc_cursor payload, bool in_record)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    const struct pc_capture *capture = judge->capture;
    size_t start = payload.pos;

    if (!can_walk(judge, bit, payload, in_record))
        return;
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_walk walk;
    judge->in = (struct pc_feature_state){ .feature = bit };
    judge->short_diag = info->short_diag ? info->short_diag : PC_D_FEATURE_CUT;
    judge->count_diag = PC_D_FEATURE_COUNT;
    const struct pc_field *fields = pc_feature_fields(bit, pc_part(payload.in, start, pc_left(&payload)));
    if (fields == pc_build_ids_old) {
        judge->in.feature = PC_FEATURES; /* its leaves are others */
        pc_check_say(judge, PC_D_BUILD_ID_OLD, start, pc_left(&payload), pc_none, pc_none);
    }
    pc_judge_begin(judge, PC_FACTS_OF_FEATURE((unsigned)judge->in.feature));
    struct pc_span content = pc_part(payload.in, start, pc_left(&payload));
    pc_walk_init(&walk, &layout, &payload, visit, judge);
    if (pc_walk_table(&walk, fields)) {
        after_walk(judge, &walk, content);
        check_left_over(judge, &payload, in_record);
    }
    if (bit == PC_TRACING_DATA && (capture->tracepoints_full || judge->in.no_draft))
        pc_check_say_member(judge, PC_D_LIMIT_STATE, start, content.len, "format texts", pc_none,
                            pc_uint_value(capture->nr_described));
    if (bit == PC_TRACING_DATA)
        pc_check_duplicates(judge, PC_D_TRACEPOINT_TWICE, 4);
    pc_check_twice(judge);
    judge->short_diag = judge->count_diag = 0;
    judge->in.feature = 0;
}
