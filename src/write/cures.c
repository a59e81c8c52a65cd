/* SPDX-License-Identifier: MIT */
#include "write/cures.h"
#include "base/base.h"

/* By what a perf reads the copy, if not the original. */
enum cure {
    BY_NOTHING,
    BY_COPYING,      /* its canonical form, an edit, or a refusal that says more */
    BY_COPY_FOR_ONE, /* no other perf reads such a copy */
    BY_RAW_TYPE,     /* a copy in which the event has it */
    BY_FILE,
    BY_PIPE,
    BY_LITTLE,
    BY_FILE_OR_LITTLE,
    BY_FILE_OR_PLAIN, /* not compressed */
};

static const struct {
    enum pc_diag id;
    enum cure cure;
} cures[] = {
    { PC_D_FOR_FINDING, BY_COPYING }, /* or not: the copy is read again */
    { PC_D_FOR_ATTR_SIZE, BY_COPYING },         { PC_D_FOR_ATTR_CUT, BY_COPYING },
    { PC_D_FOR_ANDROID_SIZE, BY_COPYING },      { PC_D_FOR_TRACEPOINT, BY_COPYING },
    { PC_D_FOR_AUXTRACE_INDEX, BY_COPYING },    { PC_D_FOR_KERNEL_TYPE, BY_COPYING },
    { PC_D_FOR_USER_TYPE, BY_COPYING },         { PC_D_FOR_END_MARK, BY_COPYING },
    { PC_D_FOR_TRACING_DATA, BY_FILE },         { PC_D_FOR_PIPE_SAMPLE, BY_FILE },
    { PC_D_FOR_AUXTRACE_TYPE, BY_COPYING },     { PC_D_FOR_CPU_RANGE, BY_COPYING },
    { PC_D_FOR_STAT_INDEX, BY_COPY_FOR_ONE },   { PC_D_FOR_ORDER_STAT, BY_LITTLE },
    { PC_D_FOR_ORDER_UPDATE, BY_LITTLE },       { PC_D_FOR_SAMPLE_TYPE, BY_COPYING },
    { PC_D_FOR_READ_FORMAT, BY_COPYING },       { PC_D_FOR_BRANCH_TYPE, BY_COPYING },
    { PC_D_FOR_BRANCH_FEATURE, BY_COPYING },    { PC_D_FOR_ORDER_ATTR_IDS, BY_LITTLE },
    { PC_D_FOR_ORDER_NO_FEATURES, BY_LITTLE },  { PC_D_FOR_ORDER_INTEL_PT, BY_LITTLE },
    { PC_D_FOR_ATTR_FLAGS, BY_COPYING },        { PC_D_FOR_COMPRESSED_PIPE, BY_FILE_OR_PLAIN },
    { PC_D_FOR_GROUP_BEFORE_ATTR, BY_COPYING }, { PC_D_FOR_EVENT_TYPE, BY_RAW_TYPE },
    { PC_D_FOR_AUX_ACTION, BY_COPYING },        { PC_D_FOR_ORDER_AUX_ACTION, BY_LITTLE },
    { PC_D_FOR_ORDER_BPF, BY_LITTLE },          { PC_D_FOR_ORDER_READ, BY_LITTLE },
    { PC_D_FOR_ORDER_SWITCH, BY_LITTLE },       { PC_D_FOR_ORDER_PIPE, BY_FILE_OR_LITTLE },
    { PC_D_FOR_DIRECTORY, BY_COPYING },         { PC_D_FOR_BPF_INFO, BY_COPYING },
    { PC_D_FOR_ATTR_IDS, BY_COPYING },          { PC_D_FOR_STAT_TOPOLOGY, BY_PIPE },
    { PC_D_FOR_BRANCH_FLAGS, BY_COPYING },      { PC_D_FOR_FEATURE_ID, BY_COPYING },
    { PC_D_FOR_ORDER_HOSTNAME, BY_LITTLE },     { PC_D_FOR_ORDER_FEATURE, BY_FILE_OR_LITTLE },
    { PC_D_FOR_EVENT_ID, BY_COPYING },
};

static enum cure cure_of(enum pc_diag id)
{
    for (size_t i = 0; i < PC_COUNT_OF(cures); i++) {
        if (cures[i].id == id)
            return cures[i].cure;
    }
    return BY_NOTHING;
}

bool pc_copy_cures(enum pc_diag id, const struct pc_copy_form *form)
{
    switch (cure_of(id)) {
    case BY_NOTHING:
        break;
    case BY_COPYING:
        return !form->again;
    case BY_COPY_FOR_ONE:
        return !form->again && !pc_is_for_several(form);
    case BY_RAW_TYPE:
        return !form->again && !form->keeps_type;
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
