/* SPDX-License-Identifier: MIT
 *
 * Rules about features: each section alone, and against attrs and CPUs. Limits are those of perf 7.2:
 * tools/perf/util/header.c, process_* functions.
 */
#include "check/check.h"
#include "bytes/cursor.h"
#include "format/print_fmt.h"

#include <string.h>

static const struct pc_value none;

static bool is(const struct pc_leaf *leaf, const char *name)
{
    return leaf->field->name && strcmp(leaf->field->name, name) == 0;
}

/* The index in the array at this depth of the path, or PC_NO_INDEX. */
static uint64_t index_at(const struct pc_leaf *leaf, unsigned depth)
{
    return leaf->walk->depth > depth ? leaf->walk->path[depth].index : PC_NO_INDEX;
}

static uint64_t offset_of(const struct pc_check *check, const struct pc_leaf *leaf)
{
    return check->at.offset + leaf->at;
}

/* "0-3,8": digits, single commas and dashes, as lib/bitmap.c: bitmap_print_list writes it, no range that ends
 * before it begins (tools/lib/perf/cpumap.c: perf_cpu_map__new refuses it); may be empty. */
static bool is_cpu_list(struct pc_span text)
{
    size_t len = pc_first_zero(text), digits = 0;
    uint64_t number = 0, first = 0;
    bool range = false;
    while (len > 0 && text.ptr[len - 1] == '\n') /* sysfs text keeps its line end */
        len--;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            if (number >= (uint64_t)1 << 30)
                return false;
            number = 10 * number + (c - '0');
            digits++;
            continue;
        }
        if (digits == 0 || (c != ',' && c != '-') || (range && (c == '-' || number < first)))
            return false;
        range = c == '-';
        first = number;
        number = digits = 0;
    }
    if (range && digits != 0 && number < first)
        return false;
    return digits != 0 || text.len == 0 || text.ptr[0] == 0; /* a line end alone is no list */
}

static struct pc_span text_of(const struct pc_leaf *leaf)
{
    return pc_part(leaf->raw, 4, leaf->raw.len - 4);
}

/* The same up to its NUL, as a finding shows it. */
static struct pc_value shown_text(const struct pc_leaf *leaf)
{
    return pc_bytes_value(pc_part(leaf->raw, 4, (size_t)leaf->value));
}

/* About another member of the array element that the leaf belongs to. */
static void say_beside(struct pc_check *check, enum pc_diag id, const struct pc_leaf *leaf, size_t at,
                       uint64_t length, const char *name, struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_check_finding(check, id, at, length);
    f.path[0] = leaf->walk->path[0];
    f.path[1] = (struct pc_step){ name, PC_NO_INDEX };
    f.depth = 2;
    f.seen = seen;
    f.expected = expected;
    pc_report_add(check->report, &f);
}

/* --- one leaf of one feature --- */

/* What perf looks for here only: header.c: perf_attr_check. */
static void check_event_bits(struct pc_check *check, const struct pc_leaf *leaf)
{
    unsigned bits = 64;
    if (leaf->field->save == PC_ATTR_READ_FORMAT)
        bits = PC_READ_BITS;
    if (leaf->field->save == PC_ATTR_BRANCH_TYPE &&
        (leaf->walk->slot[PC_ATTR_SAMPLE_TYPE] & PC_S_BRANCH_STACK))
        bits = PC_BRANCH_BITS;
    if (bits < 64 && leaf->value >> bits)
        pc_check_say_leaf(check, PC_D_EVENT_DESC_UNKNOWN, leaf, pc_hex_value(leaf->value >> bits << bits),
                          none);
}

/* In a pipe attrs may come behind the features that speak of them: those are kept. */
static bool knows_attrs(const struct pc_check *check)
{
    return !check->capture->is_pipe || check->at.at_end;
}

/* EVENT_DESC repeats the attrs; members that the model keeps are compared. */
static void event_desc_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    struct pc_capture *capture = check->capture;
    uint64_t event = index_at(leaf, 0);
    unsigned slot = leaf->field->save;
    if (!knows_attrs(check))
        return;
    if (is(leaf, "nr") && capture->nr_attrs != 0 && leaf->value != capture->nr_attrs)
        pc_check_say_leaf(check, PC_D_EVENT_DESC_DIFFERS, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(capture->nr_attrs));
    if (event >= capture->nr_attrs)
        return;
    const struct pc_attr *attr = &capture->attr[event];
    /* header.c: perf_attr_check */
    if (is(leaf, "aux_action") && leaf->value != 0) {
        pc_check_for_leaf(check, PC_D_FOR_AUX_ACTION, leaf);
        if (capture->order == PC_BIG)
            pc_check_for_leaf(check, PC_D_FOR_ORDER_AUX_ACTION, leaf);
    }
    if (leaf->walk->depth == 2 && slot >= PC_ATTR_TYPE && slot <= PC_ATTR_REGS_INTR) {
        check_event_bits(check, leaf);
        if (leaf->value != pc_attr_get(attr, slot))
            pc_check_say_leaf(check, PC_D_EVENT_DESC_DIFFERS, leaf, pc_hex_value(leaf->value),
                              pc_hex_value(pc_attr_get(attr, slot)));
    } else if (is(leaf, "nr_ids")) {
        check->at.ids_differ = leaf->value != attr->nr_ids;
        if (check->at.ids_differ)
            pc_check_say_leaf(check, PC_D_EVENT_DESC_IDS, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(event));
    } else if (!leaf->field->name && leaf->walk->depth == 2) {
        if (!check->at.ids_differ && leaf->value != 0 && pc_capture_attr_of(capture, leaf->value) != event)
            pc_check_say_leaf(check, PC_D_EVENT_DESC_IDS, leaf, pc_uint_value(leaf->value),
                              pc_uint_value(event));
    }
}

/* Groups follow each other in the order of attrs: header.c: process_group_desc. */
static void group_desc_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_capture *capture = check->capture;
    uint64_t leader = leaf->walk->slot[PC_FEAT_A], members = leaf->value;
    if (is(leaf, "nr") && leaf->value == 0)
        pc_check_say_leaf(check, PC_D_GROUP_DESC_EMPTY, leaf, none, none);
    if (capture->nr_attrs == 0 && !knows_attrs(check))
        return; /* an old one, where features come before attrs */
    if (is(leaf, "leader_idx") && (leader >= capture->nr_attrs || leader < check->at.group_end))
        pc_check_say_leaf(check, PC_D_GROUP_DESC, leaf, pc_uint_value(leader),
                          pc_text_value("name an attr behind the groups before it"));
    if (!is(leaf, "nr_members") || leader >= capture->nr_attrs)
        return;
    if (members == 0 || members > capture->nr_attrs - leader) {
        pc_check_say_leaf(check, PC_D_GROUP_DESC, leaf, pc_uint_value(members),
                          pc_text_value("count the attrs of the group that exist"));
        return;
    }
    uint64_t format = pc_attr_get(&capture->attr[leader], PC_ATTR_READ_FORMAT);
    uint64_t end = leader + members;
    check->work += members;
    for (uint64_t i = leader < check->at.group_end ? check->at.group_end : leader; i < end; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t own = pc_attr_get(attr, PC_ATTR_READ_FORMAT);
        if (own == format || !(pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_READ))
            continue;
        struct pc_finding f = { .id = PC_D_GROUP_READ_FORMAT, .place = PC_IN_ATTR, .number = i };
        f.offset = attr->offset + pc_attr_member_at(PC_ATTR_READ_FORMAT);
        f.length = 8;
        pc_finding_name(&f, "read_format");
        f.seen = pc_hex_value(own);
        f.expected = pc_hex_value(format);
        pc_report_add(check->report, &f);
    }
    if (end > check->at.group_end)
        check->at.group_end = end;
}

static void domain_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t max = leaf->walk->slot[PC_FEAT_A];
    if (is(leaf, "cpu") && leaf->value >= check->capture->nr_cpus)
        pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_text_value("an available CPU"));
    if (is(leaf, "cpu")) {
        pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
        check->at.domains = 0;
    }
    if (is(leaf, "domain") && leaf->value < 64) {
        if (check->at.domains >> leaf->value & 1)
            pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                              pc_text_value("once only"));
        check->at.domains |= (uint64_t)1 << leaf->value;
    }
    if (is(leaf, "domain") && leaf->value >= max)
        pc_check_say_leaf(check, PC_D_DOMAIN_VALUE, leaf, pc_uint_value(leaf->value),
                          pc_text_value("less than max_sched_domains"));
}

/* Places in a build id entry. */
enum { PID_AT = 8, ID_AT = 12, NAME_AT = 36 };

/* FNV-1a. */
static uint64_t hash_string(const struct pc_leaf *leaf)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (size_t i = 4; i < 4 + leaf->value; i++)
        hash = (hash ^ leaf->raw.ptr[i]) * 0x100000001b3;
    return hash;
}

/* tools/perf/util/build-id.c: entries are like HEADER_BUILD_ID records. */
static void build_id_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t misc = leaf->walk->slot[PC_FEAT_C], mode = misc & PC_MISC_CPUMODE;
    if (is(leaf, "pid") && mode != 1 && mode != 2 && mode != 4 && mode != 5) {
        say_beside(check, PC_D_BUILD_ID_CPUMODE, leaf, leaf->walk->slot_at[PC_FEAT_C], 2, "misc",
                   pc_uint_value(mode), none);
    }
    /* Members stand at fixed places in the entry. */
    if (is(leaf, "filename")) {
        pc_flow_owner(check, leaf->walk->c->in, leaf->at - NAME_AT + PID_AT, (size_t)leaf->value);
        uint64_t size = misc & PC_MISC_BUILD_ID_SIZE ? leaf->walk->slot[PC_FEAT_A] : 20;
        if ((mode == 1 || mode == 2) && size <= 20)
            pc_flow_build_id(check, pc_part(leaf->raw, 0, (size_t)leaf->value),
                             pc_part(leaf->walk->c->in, leaf->at - NAME_AT + ID_AT, (size_t)size));
    }
    if (is(leaf, "build_id_size") && (misc & PC_MISC_BUILD_ID_SIZE) && leaf->value > 20)
        pc_check_say_leaf(check, PC_D_BUILD_ID_SIZE, leaf, pc_uint_value(leaf->value), pc_uint_value(20));
}

static void bpf_data_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t info_len = leaf->walk->slot[PC_SLOT_B], arrays = leaf->walk->slot[PC_FEAT_B];
    struct pc_span payload = leaf->walk->c->in;
    size_t info_at = leaf->at - (size_t)info_len;
    struct pc_cursor info = pc_cursor(pc_part(payload, info_at, (size_t)info_len), check->capture->order);
    for (size_t i = 0; i < PC_BPF_ARRAYS; i++) {
        const struct pc_bpf_array *array = &pc_bpf_arrays[i];
        uint64_t start, count, size = array->size, bytes, end;
        if (!(arrays >> i & 1) || !pc_peek(&info, array->pointer, 8, &start) ||
            !pc_peek(&info, array->count, 4, &count))
            continue;
        if (array->size_at && !pc_peek(&info, array->size_at, 4, &size))
            continue;
        if (pc_mul(count, size, &bytes) && pc_add(start, bytes, &end) && end <= leaf->raw.len)
            continue;
        say_beside(check, PC_D_BPF_ARRAY, leaf, info_at + array->pointer, 8, array->name, pc_hex_value(start),
                   none);
    }
}

static void mem_topology_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t size_bits = leaf->walk->slot[PC_FEAT_A];
    if (is(leaf, "bitmap_bits") && leaf->value != size_bits) {
        say_beside(check, PC_D_MEM_TOPOLOGY_BITS, leaf, leaf->walk->slot_at[PC_FEAT_A], 8, "size_bits",
                   pc_uint_value(size_bits), pc_uint_value(leaf->value));
    }
    if (leaf->walk->depth == 2 && !leaf->field->name && index_at(leaf, 1) == size_bits / 64 &&
        leaf->value >> (size_bits % 64) != 0)
        pc_check_say_leaf(check, PC_D_MEM_TOPOLOGY_TAIL, leaf, pc_hex_value(leaf->value), none);
}

/* About a byte in a text of the trace data. */
static void say_in_text(struct pc_check *check, enum pc_diag id, const struct pc_leaf *leaf,
                        const struct pc_tp_fault *fault)
{
    const size_t most = fault->len != 0 ? fault->len : 16;
    size_t at = fault->at < leaf->raw.len ? fault->at : leaf->raw.len, left = leaf->raw.len - at;
    struct pc_finding f = pc_check_finding(check, id, leaf->at + at, left != 0);
    for (unsigned i = 0; i < leaf->walk->depth; i++)
        f.path[f.depth++] = leaf->walk->path[i];
    f.path[f.depth++] = (struct pc_step){ leaf->field->name, PC_NO_INDEX };
    f.expected = pc_text_value(fault->reason);
    f.seen = left == 0 ? pc_text_value("the end of the text")
                       : pc_bytes_value(pc_part(leaf->raw, at, left < most ? left : most));
    pc_report_add(check->report, &f);
}

static void say_limit(struct pc_check *check, const struct pc_leaf *leaf, const char *name, uint64_t limit)
{
    struct pc_finding f = pc_check_finding(check, PC_D_LIMIT_STATE, leaf->at, leaf->raw.len);
    pc_finding_name(&f, name);
    f.expected = pc_uint_value(limit);
    pc_report_add(check->report, &f);
}

/* The named version would be said to refuse a capture with this function, but knows it. */
static bool is_known_to_reader(const struct pc_check *check, const struct pc_tp_fault *fault)
{
    enum pc_versions reader = check->report->policy->reader;
    return (pc_diag_info(PC_D_PRINT_FMT_NEW)->refused & reader) && !(fault->versions & reader);
}

/* The text that describes a tracepoint. */
static void check_format(struct pc_check *check, const struct pc_leaf *leaf)
{
    static const enum pc_diag ids[] = {
        [PC_TP_BAD_TEXT] = PC_D_TRACEPOINT_TEXT,   [PC_TP_BAD_FIELD] = PC_D_TRACEPOINT_FIELD,
        [PC_TP_BAD_PRINT] = PC_D_TRACEPOINT_PRINT, [PC_TP_UNPRINTABLE] = PC_D_TRACEPOINT_UNPRINTABLE,
        [PC_TP_NEW_PRINT] = PC_D_PRINT_FMT_NEW,
    };
    struct pc_tp_draft *draft = pc_capture_draft(check->capture);
    struct pc_tp_fault fault;
    if (!draft)
        return; /* so the capture holds no formats, which is said */
    bool sound = pc_tp_read(draft, leaf->raw, leaf->walk->slot[PC_FEAT_B] == 4 ? 4 : 8, &fault);
    if (sound && draft->second_at != 0) {
        const struct pc_tp_fault second = { .reason = "one dimension", .at = draft->second_at };
        say_in_text(check, PC_D_FORMAT_DIMENSIONS, leaf, &second);
    }
    sound = sound && pc_print_fmt_check(draft, &fault);
    check->work += draft->work;
    if (draft->has_id)
        pc_keys_add(check, &check->keys, draft->id, offset_of(check, leaf) + draft->id_at);
    if (!sound && fault.kind == PC_TP_LIMIT)
        say_limit(check, leaf, fault.reason, fault.limit);
    else if (!sound && !(fault.kind == PC_TP_NEW_PRINT && is_known_to_reader(check, &fault)))
        say_in_text(check, ids[fault.kind], leaf, &fault);
}

static void tracing_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    struct pc_tp_fault fault;
    if (is(leaf, "big_endian") && leaf->value <= 1 && (leaf->value == 1) != (check->capture->order == PC_BIG))
        pc_check_say_leaf(check, PC_D_TRACING_ORDER, leaf, none, none);
    if (is(leaf, "long_size") && leaf->value != 4 && leaf->value != 8)
        pc_check_say_leaf(check, PC_D_TRACING_MAGIC, leaf, pc_uint_value(leaf->value),
                          pc_text_value("4 or 8"));
    if (is(leaf, "header_page")) {
        check->work += leaf->raw.len;
        if (!pc_tp_check_header_page(leaf->raw, &fault))
            say_in_text(check, PC_D_HEADER_PAGE, leaf, &fault);
    }
    if (is(leaf, "printk")) {
        check->work += leaf->raw.len;
        if (!pc_tp_check_printk(leaf->raw, &fault))
            say_in_text(check, PC_D_TRACING_PRINTK, leaf, &fault);
    }
    if (is(leaf, "format"))
        check_format(check, leaf);
}

static bool begins_with(struct pc_span text, const char *start)
{
    return text.len >= strlen(start) && memcmp(text.ptr, start, strlen(start)) == 0;
}

/* header.c: process_cpu_topology */
static void socket_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    if (leaf->value != UINT32_MAX && leaf->value > check->capture->nr_cpus && !check->sockets_are_free)
        pc_check_for_leaf(check, PC_D_FOR_SOCKET_ID, leaf);
}

static void feature_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const uint64_t bpf_info_of_5_10 = 208; /* sizeof(struct bpf_prog_info) of its include/uapi/linux/bpf.h */
    switch (check->at.feature) {
    case PC_TRACING_DATA:
        tracing_leaf(check, leaf);
        break;
    case PC_BUILD_ID:
        build_id_leaf(check, leaf);
        break;
    case PC_EVENT_DESC:
        event_desc_leaf(check, leaf);
        break;
    case PC_ARCH:
        check->sockets_are_free = begins_with(text_of(leaf), "s390") || begins_with(text_of(leaf), "aarch64");
        break;
    case PC_CPU_TOPOLOGY:
        if (is(leaf, "socket_id"))
            socket_leaf(check, leaf);
        if (leaf->field->kind == PC_HSTR && !is_cpu_list(text_of(leaf)))
            pc_check_say_leaf(check, PC_D_CPU_LIST, leaf, shown_text(leaf), none);
        break;
    case PC_NUMA_TOPOLOGY:
        if (is(leaf, "node"))
            pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
        if (is(leaf, "cpus") && !is_cpu_list(text_of(leaf)))
            pc_check_say_leaf(check, PC_D_NUMA_CPU_LIST, leaf, shown_text(leaf), none);
        break;
    case PC_PMU_MAPPINGS:
        if (is(leaf, "type")) {
            pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
            pc_keys_add(check, &check->pmus, leaf->value, offset_of(check, leaf));
        }
        if (is(leaf, "name"))
            pc_keys_add(check, &check->pmu_names, hash_string(leaf), 0);
        break;
    case PC_HYBRID_TOPOLOGY:
        if (is(leaf, "pmu_name") && pc_bit(check->capture->seen, PC_PMU_MAPPINGS) && !check->pmu_names.full &&
            !pc_keys_find(&check->pmu_names, hash_string(leaf)))
            pc_check_say_leaf(check, PC_D_HYBRID_NAME, leaf, shown_text(leaf), none);
        break;
    case PC_GROUP_DESC:
        group_desc_leaf(check, leaf);
        break;
    case PC_AUXTRACE_INDEX:
        if (is(leaf, "file_offset"))
            pc_keys_add(check, &check->index, leaf->value, offset_of(check, leaf));
        if (is(leaf, "sz") && leaf->value != pc_record_info(PC_AUXTRACE)->min)
            pc_check_say_leaf(check, PC_D_AUXTRACE_INDEX_ENTRY, leaf,
                              pc_hex_value(leaf->walk->slot[PC_FEAT_A]), none);
        break;
    case PC_MEM_TOPOLOGY:
        mem_topology_leaf(check, leaf);
        break;
    case PC_BPF_PROG_INFO:
        /* header.c of 5.10: process_bpf_prog_info, which reads none of the other byte order */
        if (is(leaf, "info_len") && leaf->value > bpf_info_of_5_10 && check->capture->order == PC_LITTLE)
            pc_check_for_leaf(check, PC_D_FOR_BPF_INFO, leaf);
        if (is(leaf, "data"))
            bpf_data_leaf(check, leaf);
        if (is(leaf, "id"))
            pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
        break;
    case PC_BPF_BTF:
        if (is(leaf, "id"))
            pc_keys_add(check, &check->keys, leaf->value, offset_of(check, leaf));
        break;
    case PC_CPU_DOMAIN_INFO:
        domain_leaf(check, leaf);
        break;
    case PC_CLN_SIZE:
        if (is(leaf, "bytes") && leaf->value == 0)
            pc_check_say_leaf(check, PC_D_CLN_SIZE, leaf, pc_uint_value(0), none);
        break;
    default:
        break;
    }
}

#define BUILD_ID_NAME_MAX 4096 /* PATH_MAX */

/* Whatever does not fit in an entry of build ids: its size is what is wrong. */
static void say_build_id_entry(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    bool has_size = !is(leaf, "type") && !is(leaf, "misc") && !is(leaf, "size");
    struct pc_finding f =
        pc_check_finding(check, PC_D_BUILD_ID_ENTRY, has_size ? walk->slot_at[PC_SLOT_A] : leaf->at,
                         has_size ? 2 : leaf->raw.len);
    f.path[0] = walk->path[0];
    f.path[1] = (struct pc_step){ "size", PC_NO_INDEX };
    f.depth = 2;
    f.seen = pc_uint_value(has_size ? walk->slot[PC_SLOT_A] : leaf->left);
    pc_report_add(check->report, &f);
}

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_check *check = ctx;
    const struct pc_field *field = leaf->field;
    bool fault = leaf->fault != PC_SOUND;
    bool odd = !fault && field->rule != PC_RULE_NONE && !pc_leaf_ok(leaf);
    /* Readers count the area of a name, whatever the text (header.c: perf_header__read_build_ids). */
    if (!fault && field->rule_diag == PC_D_BUILD_ID_ENTRY && leaf->raw.len >= BUILD_ID_NAME_MAX)
        odd = true;
    if ((fault && field->shape_diag == PC_D_BUILD_ID_ENTRY) ||
        (odd && field->rule_diag == PC_D_BUILD_ID_ENTRY)) {
        say_build_id_entry(check, leaf);
        return false;
    }
    if (odd && field->rule_diag == PC_D_SAMPLE_TYPE_UNKNOWN) /* in EVENT_DESC no sample depends on it */
        pc_check_say_leaf(check, PC_D_EVENT_DESC_UNKNOWN, leaf, pc_hex_value(leaf->value & ~field->arg),
                          none);
    else if (!pc_check_leaf(check, leaf))
        return false;
    if (odd && field->rule_diag == PC_D_FEATURE_LIMIT)
        return false; /* no reader goes on, and a count that large would only be said again */
    feature_leaf(check, leaf);
    return true;
}

/* --- one feature as a whole --- */

/* Numbers that stand twice in this feature. */
static void check_twice(struct pc_check *check)
{
    static const struct {
        uint64_t feature;
        enum pc_diag id;
    } diags[] = {
        { PC_NUMA_TOPOLOGY, PC_D_NUMA_NODE },      { PC_PMU_MAPPINGS, PC_D_PMU_TWICE },
        { PC_BPF_PROG_INFO, PC_D_BPF_TWICE },      { PC_BPF_BTF, PC_D_BPF_TWICE },
        { PC_CPU_DOMAIN_INFO, PC_D_DOMAIN_VALUE }, { PC_TRACING_DATA, PC_D_TRACEPOINT_TWICE },
    };
    for (size_t k = 0; k < PC_COUNT_OF(diags); k++) {
        if (diags[k].feature == check->at.feature)
            pc_keys_say_twice(check, &check->keys, diags[k].id, 4);
    }
    check->keys.nr = 0;
    check->keys.full = false;
}

/* Five zeros are what perf stat record writes; otherwise the words must make sense. */
static void check_compressed(struct pc_check *check, struct pc_span payload, const struct pc_walk *walk)
{
    size_t start = walk->slot_at[PC_FEAT_A] - 16; /* mmap_len is the fifth word */
    check->compression_at = check->at.offset + start;
    check->compression_said = true;
    if (pc_first_nonzero(payload) == payload.len) {
        pc_check_say(check, PC_D_COMPRESSED_EMPTY, start, payload.len, none, none);
        check->compression_said = false; /* nothing was promised */
        return;
    }
    const unsigned zstd = 1, highest = 22;
    uint64_t type = walk->slot[PC_FEAT_B], level = walk->slot[PC_FEAT_C];
    if (type != zstd) {
        check->compressed_type = pc_check_finding(check, PC_D_COMPRESSED_TYPE, walk->slot_at[PC_FEAT_B], 4);
        pc_finding_name(&check->compressed_type, "type");
        check->compressed_type.seen = pc_uint_value(type);
        check->compressed_type.expected = pc_uint_value(zstd);
    }
    if (level == 0 || level > highest)
        pc_check_say(check, PC_D_COMPRESSED_LEVEL, walk->slot_at[PC_FEAT_C], 4, pc_uint_value(level),
                     pc_uint_value(highest));
    uint64_t len = walk->slot[PC_FEAT_A];
    if (len < 4096 || len % 4096 != 0)
        pc_check_say(check, PC_D_COMPRESSED_MMAP_LEN, walk->slot_at[PC_FEAT_A], 4, pc_uint_value(len), none);
}

static void after_walk(struct pc_check *check, const struct pc_walk *walk, struct pc_span payload)
{
    const struct pc_capture *capture = check->capture;
    uint64_t a = walk->slot[PC_FEAT_A], b = walk->slot[PC_FEAT_B];
    size_t at = walk->slot_at[PC_FEAT_A];
    switch (check->at.feature) {
    case PC_SAMPLE_TIME:
        if (a > b)
            pc_check_say(check, PC_D_SAMPLE_TIME_ORDER, at, 16, pc_uint_value(a), pc_uint_value(b));
        pc_flow_sample_time(check, a, b, at);
        break;
    case PC_CLOCK_DATA:
        pc_defer(check, &check->deferred_clock, a, pc_check_finding(check, PC_D_CLOCK_DATA_CLOCKID, at, 4));
        break;
    case PC_DIR_FORMAT:
        if (!capture->is_directory)
            pc_check_say(check, PC_D_DIR_FORMAT, at, 8, none, none);
        else if (a > 1)
            pc_check_say(check, PC_D_DIR_VERSION, at, 8, pc_uint_value(a), pc_uint_value(1));
        break;
    case PC_COMPRESSED_FEATURE:
        check_compressed(check, payload, walk);
        break;
    default:
        break;
    }
}

static void check_left_over(struct pc_check *check, const struct pc_cursor *c, bool in_record)
{
    size_t left = pc_left(c);
    struct pc_span rest = pc_part(c->in, c->pos, left);
    enum pc_diag id = PC_D_FEATURE_TRAILING;
    if (left == 0)
        return;
    /* Up to a multiple of 8 they belong to the payload behind HEADER_TRACING_DATA, and should be zeros. */
    bool trace = check->at.feature == PC_TRACING_DATA && in_record;
    if (trace && left < 8 && pc_first_nonzero(rest) == left)
        return;
    if (trace && left >= 8) {
        struct pc_finding f = pc_check_finding(check, PC_D_TRACING_DATA_SIZE, 0, 4);
        f.offset = check->size_offset;
        f.seen = pc_uint_value(c->in.len);
        f.expected = pc_uint_value(pc_align8(c->pos));
        pc_report_add(check->report, &f);
        return;
    }
    if (in_record && left < 8 && c->in.len % 8 == 0 && pc_first_nonzero(rest) == left)
        id = PC_D_FEATURE_PADDED;
    if (check->at.feature == PC_AUXTRACE_INDEX)
        id = PC_D_AUXTRACE_INDEX_SIZE;
    pc_check_say(check, id, c->pos, left, pc_uint_value(left), none);
}

/* --- features that come before the attrs (pipes of perf before 4.17) --- */

static const uint64_t kept_features[] = { PC_EVENT_DESC, PC_GROUP_DESC };

static void clear_kept(struct pc_check *check, struct pc_kept *kept)
{
    pc_free(check->mem, kept->bytes, kept->size);
    *kept = (struct pc_kept){ 0 };
}

void pc_check_features_clear(struct pc_check *check)
{
    for (size_t i = 0; i < PC_COUNT_OF(check->kept); i++)
        clear_kept(check, &check->kept[i]);
}

/* The last one counts, as it does for readers. Without memory there is nothing to compare, which is said. */
static void keep_feature(struct pc_check *check, uint64_t bit, struct pc_span record, size_t start)
{
    static_assert(PC_COUNT_OF(kept_features) == PC_COUNT_OF(((struct pc_check *)0)->kept), "room for each");
    for (size_t i = 0; i < PC_COUNT_OF(kept_features); i++) {
        struct pc_kept *kept = &check->kept[i];
        if (kept_features[i] != bit)
            continue;
        clear_kept(check, kept);
        kept->bytes = pc_alloc(check->mem, record.len);
        if (!kept->bytes) {
            check->flow.no_memory = true;
            return;
        }
        memcpy(kept->bytes, record.ptr, record.len);
        kept->size = record.len;
        kept->had_no_attrs = check->capture->nr_attrs == 0;
        kept->start = start;
        kept->number = check->at.number;
        kept->offset = check->at.offset;
        kept->where = check->report->where;
    }
}

void pc_check_feature(struct pc_check *check, uint64_t bit, struct pc_cursor payload, bool in_record)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    struct pc_capture *capture = check->capture;
    size_t start = payload.pos;

    if (!info || !info->fields) {
        if (info || !in_record) /* PC0648 says it of a record */
            pc_check_say(check, info ? PC_D_FEATURE_ANDROID : PC_D_FEATURE_UNKNOWN, start, pc_left(&payload),
                         pc_uint_value(bit), none);
        return;
    }
    if (info->flags & PC_ONLY_A_MARK) {
        if (pc_left(&payload) != 0)
            pc_check_say(check, PC_D_FEATURE_NOT_EMPTY, start, pc_left(&payload),
                         pc_uint_value(pc_left(&payload)), none);
        return;
    }
    if ((info->flags & PC_ONE_STRING) && pc_left(&payload) == 0) {
        pc_check_say(check, PC_D_FEATURE_EMPTY, start, 0, none, none);
        return;
    }
    if (!pc_capture_can_walk(capture, bit)) {
        if (pc_bit(capture->seen, PC_NRCPUS) && check->report->by_id[PC_D_NRCPUS_VALUE] != 0)
            return; /* it is there, and what is wrong with it was said */
        pc_check_say(check, PC_D_NRCPUS_NEEDED, start, pc_left(&payload), none, none);
        return;
    }
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_walk walk;
    check->at.feature = bit;
    check->at.group_end = 0;
    check->at.short_diag = bit == PC_TRACING_DATA ? PC_D_TRACING_CUT : PC_D_FEATURE_CUT;
    check->at.count_diag = PC_D_FEATURE_COUNT;
    const struct pc_field *fields = pc_feature_fields(bit, pc_part(payload.in, start, pc_left(&payload)));
    if (fields == pc_build_ids_old) {
        check->at.feature = PC_FEATURES; /* its leaves are others */
        pc_check_say(check, PC_D_BUILD_ID_OLD, start, pc_left(&payload), none, none);
    }
    /* perf compares groups with the attrs that came before (header.c: process_group_desc). */
    if (in_record && capture->is_pipe && (bit != PC_GROUP_DESC || capture->nr_attrs == 0))
        keep_feature(check, bit, payload.in, start);
    struct pc_span content = pc_part(payload.in, start, pc_left(&payload));
    pc_walk_init(&walk, &layout, &payload, visit, check);
    if (pc_walk_table(&walk, fields)) {
        after_walk(check, &walk, content);
        check_left_over(check, &payload, in_record);
    } else if (bit == PC_TRACING_DATA) {
        capture->tracing_damaged = true;
    }
    if (bit == PC_TRACING_DATA && capture->tracepoints_full && !check->said_formats) {
        struct pc_finding f = pc_check_finding(check, PC_D_LIMIT_STATE, start, content.len);
        pc_finding_name(&f, "format texts");
        f.expected = pc_uint_value(capture->nr_tracepoints);
        pc_report_add(check->report, &f);
        check->said_formats = true;
    }
    if (bit == PC_PMU_MAPPINGS)
        pc_keys_sort(&check->pmu_names);
    if (bit == PC_AUXTRACE_INDEX && content.len >= sizeof(uint64_t)) /* it says how many entries it has */
        check->index_offset = check->at.offset;
    check_twice(check);
    check->at.short_diag = check->at.count_diag = 0;
    check->at.feature = 0;
    check->has_event_names |= bit == PC_EVENT_DESC;
}

/* Only what compares with attrs; what the bytes alone show was said when they came. */
static bool late_visit(void *ctx, const struct pc_leaf *leaf)
{
    const struct pc_check *check = ctx;
    if (leaf->fault != PC_SOUND)
        return false;
    if (check->at.feature != PC_GROUP_DESC || !is(leaf, "nr") || leaf->value != 0)
        feature_leaf(ctx, leaf);
    return true;
}

static void compare_kept(struct pc_check *check)
{
    struct pc_where where = check->report->where;
    for (size_t i = 0; i < PC_COUNT_OF(kept_features); i++) {
        const struct pc_kept *kept = &check->kept[i];
        struct pc_cursor c =
            pc_cursor((struct pc_span){ kept->bytes, (size_t)kept->size }, check->capture->order);
        struct pc_walk walk;
        if (!kept->bytes)
            continue;
        if (kept->had_no_attrs && check->report->by_severity[PC_ERROR] != 0)
            continue; /* they may be missing for another reason */
        check->at =
            (struct pc_context){ .place = PC_IN_RECORD, .number = kept->number, .offset = kept->offset };
        check->at.subject = pc_record_info(PC_HEADER_FEATURE)->name;
        check->at.feature = kept_features[i];
        check->at.at_end = true;
        check->report->where = kept->where;
        c.pos = kept->start;
        pc_walk_init(&walk, NULL, &c, late_visit, check);
        pc_walk_table(&walk, pc_feature_info(kept_features[i])->fields);
        check->work += walk.work;
    }
    check->report->where = where;
}

void pc_check_features_end(struct pc_check *check)
{
    struct pc_capture *capture = check->capture;
    struct pc_finding f = { .id = PC_D_NRCPUS_MISSING, .place = PC_AT_END };
    compare_kept(check);
    pc_deferred_compare(check);

    if (!pc_bit(capture->seen, PC_NRCPUS) && !capture->unfinished)
        pc_report_add(check->report, &f);
    if (!pc_bit(capture->seen, PC_PMU_MAPPINGS))
        return;
    pc_keys_sort(&check->pmus);
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        uint64_t type = pc_attr_get(&capture->attr[i], PC_ATTR_TYPE);
        if (type < PC_TYPE_DYNAMIC || type == 0x80000000 || check->pmus.nr == 0 ||
            pc_keys_find(&check->pmus, type))
            continue;
        f.id = PC_D_PMU_UNMAPPED;
        f.place = PC_IN_ATTR;
        f.number = i;
        f.offset = capture->attr[i].offset;
        f.length = 4;
        pc_finding_name(&f, "type");
        f.seen = pc_uint_value(type);
        pc_report_add(check->report, &f);
    }
}
