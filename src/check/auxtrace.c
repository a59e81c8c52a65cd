/* SPDX-License-Identifier: MIT
 *
 * Rules of AUXTRACE records, of the AUXTRACE_INFO before them, and of the feature that names their offsets.
 */
#include "check/check.h"

static const struct pc_value none;

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

void pc_check_auxtrace_info(struct pc_check *check)
{
    uint64_t type = check->slot[PC_REC_TYPE];
    if (type == 0 || type > PC_TRACE_LAST)
        pc_check_say_slot(check, PC_D_AUXTRACE_TYPE, PC_REC_TYPE, "type", 4, pc_uint_value(type), none);
    if (type == PC_TRACE_INTEL_PT || type == PC_TRACE_INTEL_BTS)
        check_clock(check, type);
    const struct pc_deferred_check *clock = &check->auxtrace.clock;
    if (type == PC_TRACE_ARM_SPE && clock->known && (uint32_t)clock->value == 0)
        pc_report_add(check->report, &clock->finding);
    if (type == PC_TRACE_VPA_DTL)
        check_names(check);
}

void pc_check_auxtrace(struct pc_check *check, const struct pc_item *item)
{
    struct pc_auxtrace_state *aux = &check->auxtrace;
    if (aux->nr++ == 0) {
        aux->first = item->offset;
        pc_keys_sort(&aux->index);
    }
    if (!aux->has_info)
        pc_check_say(check, PC_D_AUXTRACE_WITHOUT_INFO, 0, item->bytes.len, none, none);
    struct pc_key *entry = pc_keys_find(&aux->index, item->offset);
    for (; entry && entry < aux->index.key + aux->index.nr && entry->value == item->offset; entry++)
        entry->offset = UINT64_MAX; /* the index names this record */
}

void pc_check_auxtrace_end(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    struct pc_auxtrace_state *aux = &check->auxtrace;
    struct pc_context at = pc_feature_context(PC_AUXTRACE_INDEX, (struct pc_where){ 0 }, 0);
    if (aux->nr == 0)
        pc_keys_sort(&aux->index);
    for (size_t i = 0; i < aux->index.nr; i++) {
        const struct pc_key *entry = &aux->index.key[i];
        at.offset = entry->offset;
        if (entry->offset != UINT64_MAX)
            pc_report_say(check->report, &at, PC_D_AUXTRACE_INDEX_ENTRY, 0, PC_SECTION_SIZE, NULL,
                          pc_hex_value(entry->value), none);
    }
    bool has_index = pc_bit(capture->seen, PC_AUXTRACE_INDEX);
    at.offset = aux->index_offset;
    if (has_index && aux->index_offset != 0 && !aux->index.full && capture->dir_version == 0 &&
        aux->index.nr < aux->nr)
        pc_report_say(check->report, &at, PC_D_AUXTRACE_INDEX_CUT, 0, 8, NULL, pc_uint_value(aux->index.nr),
                      pc_uint_value(aux->nr));
    at = (struct pc_context){ .place = PC_AT_END, .offset = aux->first };
    if (!has_index && !pc_bit(capture->features, PC_AUXTRACE_INDEX) && aux->nr != 0 && !capture->is_pipe &&
        !capture->unfinished && !capture->is_directory)
        pc_report_say(check->report, &at, PC_D_AUXTRACE_INDEX_MISSING, 0, pc_record_info(PC_AUXTRACE)->min,
                      NULL, none, none);
}
