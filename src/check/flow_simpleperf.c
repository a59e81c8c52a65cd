/* SPDX-License-Identifier: MIT
 *
 * What is sound, but not for Android's simpleperf, when --for names it: what its reader refuses, misreads or
 * ignores (FORMAT.md 16.6). None of it was measured: it is in the source (record_file_reader.cpp,
 * record.cpp). AUX traces that it refuses are an error in its own captures, whoever reads them.
 */
#include "check/flow_rule.h"

struct simpleperf {
    struct pc_set traced; /* by the CPU: how far the offsets of its AUX traces have come */
};

enum { TRACED_BITS = 12 };

static void say(struct pc_flow *flow, enum pc_diag id, size_t at, uint64_t length, struct pc_value seen)
{
    pc_flow_say_for(flow, id, PC_BY_SIMPLEPERF, at, length, seen);
}

static void say_attr(struct pc_flow *flow, enum pc_diag id, uint64_t number, unsigned slot, uint64_t bits)
{
    flow->at = (struct pc_context){ .place = PC_IN_ATTR,
                                    .number = number,
                                    .offset = flow->capture->attr[number].offset };
    say(flow, id, pc_row_at(pc_attr_fields, slot), 8, pc_hex_value(bits));
}

/* What the capture is that it does not read as a whole; NULL: it does. */
static const char *refused_container(const struct pc_capture *capture)
{
    if (capture->is_pipe)
        return "a pipe";
    if (capture->is_directory)
        return "a directory";
    if (capture->version == 1)
        return "a file of version 1";
    return capture->order == PC_BIG ? "a big-endian file" : NULL;
}

/* --- AUX traces --- */

static bool is_refused_as_a_whole(const struct pc_flow *flow)
{
    return !flow->capture->by_simpleperf && refused_container(flow->capture);
}

/* About what describes the traces: an error of a capture of simpleperf, else of what --for asks for.
 * read: what it reads. */
static void say_info(struct pc_flow *flow, enum pc_diag asked, size_t at, uint64_t length,
                     struct pc_value seen, const char *read)
{
    if (flow->capture->by_simpleperf)
        pc_flow_say(flow, PC_D_ANDROID_TRACE_INFO, at, length, seen, pc_text_value(read));
    else
        say(flow, asked, at, length, seen);
}

/* As far as it is no array. */
static void check_info(struct pc_flow *flow, const struct pc_facts *record)
{
    const uint64_t type = record->slot[PC_REC_TYPE], version = record->slot[PC_REC_ETM_VERSION];
    const size_t *at = record->slot_at, more = at[PC_REC_ETM_MORE];
    if (type != PC_TRACE_CS_ETM)
        say_info(flow, PC_D_FOR_SIMPLEPERF_AUXTRACE, at[PC_REC_TYPE], 4, pc_uint_value(type), "type 3");
    else if (version != 1)
        say_info(flow, PC_D_FOR_SIMPLEPERF_ETM, at[PC_REC_ETM_VERSION], 8, pc_uint_value(version),
                 "version 1");
    else if (more != 0)
        say_info(flow, PC_D_FOR_SIMPLEPERF_ETM, more, record->item->bytes.len - more, pc_none,
                 "nothing after the last CPU");
}

/* A CPU of CoreSight: the number of its parameters, and of what tracer they are. */
static void each_field(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot, magic = slot[PC_REC_ETM_MAGIC];
    (void)own;
    if (slot[PC_REC_TYPE] != PC_TRACE_CS_ETM || leaf->field->save != PC_SLOT_B || leaf->walk->nr == 0)
        return;
    if ((magic == PC_ETM_V4 && leaf->value == 7) || (magic == PC_ETM_ETE && leaf->value == 8))
        return;
    if (!is_refused_as_a_whole(flow))
        say_info(flow, PC_D_FOR_SIMPLEPERF_ETM, leaf->walk->slot_at[PC_REC_ETM_MAGIC], 24,
                 pc_hex_value(magic), "7 parameters of ETMv4, 8 of ETE");
}

/* BuildAuxDataLocation: a trace of a CPU begins where the one before ends, or later. */
static void check_offset(struct pc_flow *flow, struct simpleperf *own, const struct pc_facts *record)
{
    const uint64_t begin = record->slot[PC_REC_TRACE_AT];
    const uint64_t end = pc_add_saturated(begin, record->slot[PC_REC_SIZE]);
    struct pc_entry *cpu = NULL;
    if (flow->is_coresight)
        cpu = pc_flow_add(flow, &own->traced, TRACED_BITS, record->slot[PC_SLOT_CPU]);
    if (!cpu)
        return;
    if (begin < cpu->extra && flow->capture->by_simpleperf)
        pc_flow_say_slot(flow, record, PC_D_ANDROID_TRACE_ORDER, PC_REC_TRACE_AT, pc_hex_value(begin),
                         pc_hex_value(cpu->extra));
    else if (begin < cpu->extra)
        say(flow, PC_D_FOR_SIMPLEPERF_TRACE_ORDER, record->slot_at[PC_REC_TRACE_AT], 8, pc_hex_value(begin));
    cpu->extra = end > cpu->extra ? end : cpu->extra;
}

static void take_record(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    if (is_refused_as_a_whole(flow))
        return;
    if (record->item->type == PC_AUXTRACE)
        check_offset(flow, own, record);
    else
        check_info(flow, record);
}

/* --- records --- */

/* What follows a name is looked for at the next multiple of 8 after its end. */
static void check_name(struct pc_flow *flow, const struct pc_facts *record)
{
    const struct pc_item *item = record->item;
    const struct pc_span bytes = item->bytes;
    const struct pc_layout layout =
        pc_record_layout(NULL, item->type, item->misc, flow->capture->mmap2_old == 1);
    /* The least name is a NUL. */
    size_t at = PC_RECORD_HEADER_SIZE + (size_t)pc_least_size(record->info->fields, layout.mask) - 1;
    size_t area = bytes.len - at - pc_sample_id_size(record->layout->layout.mask);
    if (area != pc_align8(pc_first_zero(pc_part(bytes, at, area)) + 1))
        say(flow, PC_D_FOR_SIMPLEPERF_NAME, at, area, pc_uint_value(area));
}

static void each_record(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    (void)own;
    const struct pc_item *item = record->item;
    if (refused_container(flow->capture))
        return;
    switch (item->type) {
    case PC_MMAP2:
        if (item->misc & PC_MISC_MMAP_BUILD_ID)
            say(flow, PC_D_FOR_SIMPLEPERF_BUILD_ID, 0, item->bytes.len, pc_none);
        /* fall through */
    case PC_MMAP:
    case PC_COMM:
        if (record->sound)
            check_name(flow, record);
        break;
    case PC_HEADER_TRACING_DATA:
        say(flow, PC_D_FOR_SIMPLEPERF_TRACING_DATA, 0, item->bytes.len, pc_none);
        break;
    case PC_COMPRESSED2:
        if (flow->sum.compressed == 1)
            say(flow, PC_D_FOR_SIMPLEPERF_COMPRESSED, 0, item->bytes.len, pc_none);
        break;
    default:
        break;
    }
}

/* --- the whole --- */

static void check_attr(struct pc_flow *flow, uint64_t number)
{
    const struct pc_attr *attr = &flow->capture->attr[number];
    uint64_t type = pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE), flags = pc_attr_get(attr, PC_ATTR_FLAGS);
    uint64_t lost = pc_attr_get(attr, PC_ATTR_READ_FORMAT) & PC_READ_LOST;
    uint64_t more = pc_attr_get(attr, PC_ATTR_BRANCH_TYPE) & (PC_BRANCH_HW_INDEX | PC_BRANCH_COUNTERS);
    if (flow->capture->nr_attrs > 1 && !(flags & PC_FLAG_SAMPLE_ID_ALL))
        say_attr(flow, PC_D_FOR_SIMPLEPERF_SAMPLE_ID, number, PC_ATTR_FLAGS, flags);
    if ((type & PC_S_READ) && lost)
        say_attr(flow, PC_D_FOR_SIMPLEPERF_READ_FORMAT, number, PC_ATTR_READ_FORMAT, lost);
    if ((type & PC_S_BRANCH_STACK) && more)
        say_attr(flow, PC_D_FOR_SIMPLEPERF_BRANCH_TYPE, number, PC_ATTR_BRANCH_TYPE, more);
}

/* Kinds of records of the kernel that it keeps as bytes. */
static uint64_t count_ignored(const struct pc_flow *flow)
{
    const uint64_t read = PC_FLAG(PC_MMAP) | PC_FLAG(PC_LOST) | PC_FLAG(PC_COMM) | PC_FLAG(PC_EXIT) |
                          PC_FLAG(PC_FORK) | PC_FLAG(PC_SAMPLE) | PC_FLAG(PC_MMAP2) | PC_FLAG(PC_AUX);
    uint64_t kinds = 0;
    for (uint32_t type = 0; type < 64; type++)
        kinds += pc_is_kernel_type(type) && !(read >> type & 1) && flow->sum.by_type[type] != 0;
    return kinds;
}

static void judge_simpleperf(struct pc_flow *flow, void *own)
{
    (void)own;
    const struct pc_capture *capture = flow->capture;
    const struct pc_context end = flow->at;
    const char *container = refused_container(capture);
    if (capture->nr_attrs == 0)
        return; /* which was reported */
    if (container) {
        flow->at = (struct pc_context){ .place = PC_IN_HEADER };
        say(flow, PC_D_FOR_SIMPLEPERF_CONTAINER, 0, 8, pc_text_value(container));
        return;
    }
    for (uint64_t i = 0; i < capture->nr_attrs; i++)
        check_attr(flow, i);
    flow->at = end;
    uint64_t ignored = count_ignored(flow);
    if (ignored != 0)
        say(flow, PC_D_FOR_SIMPLEPERF_RECORDS, 0, 0, pc_uint_value(ignored));
    if (pc_capture_has_names(capture) && !pc_bit(capture->seen, PC_META_INFO))
        say(flow, PC_D_FOR_SIMPLEPERF_EVENT_NAMES, 0, 0, pc_none);
}

static void clear_simpleperf(struct pc_flow *flow, void *own)
{
    struct simpleperf *mine = own;
    pc_set_clear(flow->mem, &mine->traced);
}

const struct pc_flow_rule pc_flow_rule_simpleperf = {
    .size = sizeof(struct simpleperf),
    .readers = PC_BY_SIMPLEPERF,
    .types = (const uint16_t[]){ PC_AUXTRACE_INFO, PC_AUXTRACE, 0 },
    .record = take_record,
    .each = each_record,
    .fields = (const uint16_t[]){ PC_AUXTRACE_INFO, 0 },
    .field = each_field,
    .end = judge_simpleperf,
    .clear = clear_simpleperf,
};
