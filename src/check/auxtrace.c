/* SPDX-License-Identifier: MIT
 *
 * Rules of AUXTRACE records, of the AUXTRACE_INFO before them, and of the feature that names their offsets.
 */
#include "check/check.h"

static const struct pc_value none;

void pc_check_auxtrace_info(struct pc_check *check)
{
    uint64_t type = check->slot[PC_REC_TYPE];
    if (type == 0 || type > 7)
        pc_check_say_slot(check, PC_D_AUXTRACE_TYPE, PC_REC_TYPE, "type", 4, pc_uint_value(type), none);
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
    struct pc_context at = { .place = PC_IN_FEATURE,
                             .number = PC_AUXTRACE_INDEX,
                             .subject = pc_feature_info(PC_AUXTRACE_INDEX)->name };
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
