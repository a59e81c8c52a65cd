/* SPDX-License-Identifier: MIT */
#include "write/cures.h"
#include "check/scan.h"

/* By what a perf reads the copy, if not the original. */
enum cure {
    BY_NOTHING,
    BY_COPYING,      /* its canonical form, an edit, or a refusal that says more */
    BY_COPY_FOR_ONE, /* no other perf reads such a copy */
    BY_RAW_TYPE,     /* a copy in which the event has it */
    BY_TRACE_DATA,   /* a copy that has them, from a record of simpleperf, or made */
    BY_FILE,
    BY_PIPE,
    BY_LITTLE,
    BY_FILE_OR_LITTLE,
    BY_FILE_OR_PLAIN, /* not compressed */
};

/* What a perf finds in a copy that is a pipe, if the capture has it, although it is not in the file. */
enum brought {
    NOTHING,
    SAMPLES,
    BIG_SAMPLES, /* in big-endian */
    TRACE_DATA,
    COMPRESSED,
    CORESIGHT,
    END_MARK, /* of features: no number ends them for several versions */
};

static const struct row {
    enum pc_diag id;
    enum cure cure;
    enum brought in_pipe;
} rows[] = {
    { PC_D_FOR_FINDING, BY_COPYING, NOTHING },       /* or not: the copy is read again */
    { PC_D_TYPE_USER_UNKNOWN, BY_COPYING, NOTHING }, /* which --drop has to allow */
    { PC_D_FOR_END_MARK, BY_COPYING, END_MARK },
    { PC_D_FOR_TRACING_DATA, BY_FILE, TRACE_DATA },
    { PC_D_FOR_PIPE_SAMPLE, BY_FILE, SAMPLES },
    { PC_D_FOR_CORESIGHT_PIPE, BY_FILE, CORESIGHT },
    { PC_D_FOR_COMPRESSED_PIPE, BY_FILE_OR_PLAIN, COMPRESSED },
    { PC_D_FOR_ORDER_PIPE, BY_FILE_OR_LITTLE, BIG_SAMPLES },
    { PC_D_FOR_ATTR_SIZE, BY_COPYING, NOTHING },
    { PC_D_FOR_ATTR_CUT, BY_COPYING, NOTHING },
    { PC_D_FOR_ANDROID_SIZE, BY_COPYING, NOTHING },
    { PC_D_FOR_TRACEPOINT, BY_TRACE_DATA, NOTHING },
    { PC_D_FOR_AUXTRACE_INDEX, BY_COPYING, NOTHING },
    { PC_D_FOR_CORESIGHT_QUEUE, BY_COPYING, NOTHING },
    { PC_D_FOR_KERNEL_TYPE, BY_COPYING, NOTHING },
    { PC_D_FOR_USER_TYPE, BY_COPYING, NOTHING },
    { PC_D_FOR_AUXTRACE_TYPE, BY_COPYING, NOTHING },
    { PC_D_FOR_CPU_RANGE, BY_COPYING, NOTHING },
    { PC_D_FOR_STAT_INDEX, BY_COPY_FOR_ONE, NOTHING },
    { PC_D_FOR_ORDER_STAT, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_UPDATE, BY_LITTLE, NOTHING },
    { PC_D_FOR_SAMPLE_TYPE, BY_COPYING, NOTHING },
    { PC_D_FOR_READ_FORMAT, BY_COPYING, NOTHING },
    { PC_D_FOR_BRANCH_TYPE, BY_COPYING, NOTHING },
    { PC_D_FOR_BRANCH_FEATURE, BY_COPYING, NOTHING },
    { PC_D_FOR_ORDER_ATTR_IDS, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_ATTR_SIZE, BY_COPYING, NOTHING },
    { PC_D_FOR_ORDER_NO_FEATURES, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_INTEL_PT, BY_LITTLE, NOTHING },
    { PC_D_FOR_ATTR_FLAGS, BY_COPYING, NOTHING },
    { PC_D_FOR_GROUP_BEFORE_ATTR, BY_COPYING, NOTHING },
    { PC_D_FOR_EVENT_TYPE, BY_RAW_TYPE, NOTHING },
    { PC_D_FOR_AUX_ACTION, BY_COPYING, NOTHING },
    { PC_D_FOR_ORDER_AUX_ACTION, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_BPF, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_READ, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_SWITCH, BY_LITTLE, NOTHING },
    { PC_D_FOR_DIRECTORY, BY_COPYING, NOTHING },
    { PC_D_FOR_BPF_INFO, BY_COPYING, NOTHING },
    { PC_D_FOR_BPF_FLOAT, BY_COPYING, NOTHING },
    { PC_D_FOR_ATTR_IDS, BY_COPYING, NOTHING },
    { PC_D_FOR_ATTR_ROOM, BY_COPYING, NOTHING },
    { PC_D_FOR_STAT_TOPOLOGY, BY_PIPE, NOTHING },
    { PC_D_FOR_BRANCH_FLAGS, BY_COPYING, NOTHING },
    { PC_D_FOR_FEATURE_ID, BY_COPYING, NOTHING },
    { PC_D_FOR_ORDER_HOSTNAME, BY_LITTLE, NOTHING },
    { PC_D_FOR_ORDER_FEATURE, BY_FILE_OR_LITTLE, NOTHING },
    { PC_D_FOR_EVENT_ID, BY_COPYING, NOTHING },
};

static struct row row_of(enum pc_diag id)
{
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (rows[i].id == id)
            return rows[i];
    }
    return (struct row){ .id = id };
}

bool pc_copy_cures(enum pc_diag id, const struct pc_copy_form *form)
{
    switch (row_of(id).cure) {
    case BY_NOTHING:
        break;
    case BY_COPYING:
        return !form->again;
    case BY_COPY_FOR_ONE:
        return !form->again && !pc_is_for_several(form);
    case BY_RAW_TYPE:
        return !form->again && !form->keeps_type;
    case BY_TRACE_DATA:
        return !form->again && !form->lacks_trace;
    case BY_FILE:
        return !form->pipe;
    case BY_PIPE:
        return form->pipe;
    case BY_LITTLE:
        return !form->big;
    case BY_FILE_OR_LITTLE:
        return !form->pipe || !form->big;
    case BY_FILE_OR_PLAIN:
        return !form->pipe || !form->packed;
    }
    return false;
}

enum pc_versions pc_pipe_brings(enum pc_diag id, const struct pc_copy_form *form, const struct pc_scan *scan)
{
    const struct pc_summary *sum = &scan->check.flow.sum;
    const uint64_t *features = scan->capture.features;
    bool is_there = false;
    switch (row_of(id).in_pipe) {
    case NOTHING:
        break;
    case SAMPLES:
        is_there = sum->by_type[PC_SAMPLE] != 0;
        break;
    case BIG_SAMPLES:
        is_there = sum->by_type[PC_SAMPLE] != 0 && form->big;
        break;
    case TRACE_DATA:
        is_there = pc_bit(features, PC_TRACING_DATA);
        break;
    case COMPRESSED:
        is_there = form->packed && (form->packs || sum->compressed != 0);
        break;
    case CORESIGHT:
        is_there = scan->check.flow.is_coresight;
        break;
    case END_MARK:
        is_there = pc_is_for_several(form) && pc_count_features(features) != 0;
        break;
    }
    return is_there && form->pipe && !form->again ? pc_diag_info(id)->rejected_by : PC_BY_NONE;
}
