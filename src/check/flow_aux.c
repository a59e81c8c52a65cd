/* SPDX-License-Identifier: MIT
 *
 * AUX traces: ID_INDEX knows what AUXTRACE names, as many bytes come as AUX promised (rows 161 and 162), and
 * a CPU with AUX records has a trace (row 418).
 */
#include "check/flow_rule.h"

struct aux {
    struct pc_set indexed; /* what ID_INDEX knows */
    bool said_full;
    bool has_aux, overwrites;
    uint64_t promised, traced; /* bytes */
    uint64_t nr, first;        /* AUXTRACE records, the offset of the first */
    bool is_coresight;         /* AUXTRACE_INFO says so */
    struct pc_set cpus;        /* of AUX and AUXTRACE records */
};

enum { OF_AUX = 1, OF_TRACE, CPUS_BITS = 14 };

enum { INDEXED_IDX = 1, INDEXED_CPU, INDEXED_TID, INDEXED_BITS = 14 };

static uint64_t indexed_key(uint64_t what, uint64_t value)
{
    return what << 32 | (uint32_t)value;
}

static void note_indexed(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    struct aux *aux = own;
    unsigned what = leaf->field->save == PC_REC_IDX    ? INDEXED_IDX
                    : leaf->field->save == PC_SLOT_CPU ? INDEXED_CPU
                    : leaf->field->save == PC_REC_TID  ? INDEXED_TID
                                                       : 0;
    if (what != 0)
        pc_flow_add(flow, &aux->indexed, INDEXED_BITS, indexed_key(what, leaf->value));
}

static void check_indexed(struct pc_flow *flow, struct aux *aux, const struct pc_facts *record, unsigned slot,
                          uint64_t what)
{
    uint64_t value = record->slot[slot];
    if ((value == UINT32_MAX && what != INDEXED_IDX) ||
        pc_flow_find(flow, &aux->indexed, indexed_key(what, value)))
        return;
    pc_flow_say_slot(flow, record, PC_D_AUXTRACE_NOT_INDEXED, slot, pc_uint_value(value), pc_none);
}

static void check_trace(struct pc_flow *flow, struct aux *aux, const struct pc_facts *record)
{
    if (aux->nr++ == 0)
        aux->first = record->item->offset;
    aux->traced = pc_add_saturated(aux->traced, record->slot[PC_REC_SIZE]);
    pc_flow_add(flow, &aux->cpus, CPUS_BITS, indexed_key(OF_TRACE, record->slot[PC_SLOT_CPU]));
    if (aux->indexed.full && !aux->said_full) {
        pc_flow_say_limit(flow, "entries of ID_INDEX", aux->indexed.nr);
        aux->said_full = true;
    }
    if (aux->indexed.full || aux->indexed.nr == 0)
        return;
    check_indexed(flow, aux, record, PC_REC_IDX, INDEXED_IDX);
    check_indexed(flow, aux, record, PC_SLOT_CPU, INDEXED_CPU);
    check_indexed(flow, aux, record, PC_REC_TID, INDEXED_TID);
}

static void record_aux(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    struct aux *aux = own;
    if (record->item->type == PC_AUXTRACE) {
        check_trace(flow, aux, record);
        return;
    }
    if (record->item->type == PC_AUXTRACE_INFO) {
        aux->is_coresight = record->slot[PC_REC_TYPE] == PC_TRACE_CS_ETM;
        return;
    }
    if (record->slot_at[PC_SLOT_CPU] != 0)
        pc_flow_add(flow, &aux->cpus, CPUS_BITS, indexed_key(OF_AUX, record->slot[PC_SLOT_CPU]));
    aux->has_aux = true;
    aux->promised = pc_add_saturated(aux->promised, record->slot[PC_REC_LEN]);
    aux->overwrites |= (record->slot[PC_REC_FLAGS] & PC_AUX_OVERWRITE) != 0;
}

/* CPUs of which the trace is missing, where others have one: of one thread there is none for any CPU.
 * tools/perf/util/cs-etm.c: cs_etm__queue_aux_records. */
static void judge_cpus(struct pc_flow *flow, struct aux *aux)
{
    const struct pc_entry *entry = aux->cpus.entry;
    if (!aux->is_coresight || flow->capture->by_simpleperf || aux->cpus.full || aux->nr == 0 ||
        pc_flow_find(flow, &aux->cpus, indexed_key(OF_TRACE, UINT32_MAX)))
        return;
    for (size_t i = 0; i < aux->cpus.nr; i++) {
        const uint64_t cpu = (uint32_t)entry[i].key;
        if (entry[i].key == indexed_key(OF_AUX, cpu) &&
            !pc_flow_find(flow, &aux->cpus, indexed_key(OF_TRACE, cpu)))
            pc_flow_say_at_end(flow, PC_D_AUX_WITHOUT_TRACE, entry[i].offset, PC_RECORD_HEADER_SIZE,
                               pc_uint_value(cpu), pc_none);
    }
}

static void judge_aux(struct pc_flow *flow, void *own)
{
    struct aux *aux = own;
    const uint64_t padding = 7; /* of each trace, to a multiple of 8 */
    judge_cpus(flow, aux);
    if (!aux->has_aux || aux->nr == 0 || aux->overwrites)
        return;
    if (aux->promised <= aux->traced && aux->traced - aux->promised <= padding * aux->nr)
        return;
    pc_flow_say_at_end(flow, PC_D_AUX_TOTAL, aux->first, pc_record_info(PC_AUXTRACE)->min,
                       pc_uint_value(aux->traced), pc_uint_value(aux->promised));
}

static void clear_aux(struct pc_flow *flow, void *own)
{
    struct aux *aux = own;
    pc_set_clear(flow->mem, &aux->indexed);
    pc_set_clear(flow->mem, &aux->cpus);
}

const struct pc_flow_rule pc_flow_rule_aux = {
    .size = sizeof(struct aux),
    .types = (const uint16_t[]){ PC_AUXTRACE_INFO, PC_AUX, PC_AUXTRACE, 0 },
    .fields = (const uint16_t[]){ PC_ID_INDEX, 0 },
    .field = note_indexed,
    .needs_all = true,
    .record = record_aux,
    .end = judge_aux,
    .clear = clear_aux,
};
