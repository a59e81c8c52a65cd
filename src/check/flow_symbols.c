/* SPDX-License-Identifier: MIT
 *
 * Symbols of BPF programs: a symbol that is unregistered was registered before (FORMAT.md 10, row 292).
 */
#include "check/flow_rule.h"

struct symbols {
    bool any_came;
    struct pc_set by_addr;
};

enum { SYMBOL_CAME = 1, SYMBOL_WENT = 2, SYMBOL_BITS = 13 };

/* Only BPF programs: perf writes records for those that are loaded at its start, if it may read them. */
static void record_symbol(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    const uint64_t *slot = record->slot;
    struct symbols *symbols = own;
    if (slot[PC_REC_TYPE] != PC_KSYMBOL_BPF || slot[PC_REC_ADDR] == 0)
        return;
    bool went = slot[PC_REC_FLAGS] & PC_KSYMBOL_UNREGISTER;
    struct pc_entry *entry = pc_flow_add(flow, &symbols->by_addr, SYMBOL_BITS, slot[PC_REC_ADDR]);
    if (entry)
        entry->extra |= went ? SYMBOL_WENT : SYMBOL_CAME;
    symbols->any_came |= !went;
}

static void judge_symbols(struct pc_flow *flow, void *own)
{
    const struct symbols *symbols = own;
    flow->work += symbols->by_addr.nr;
    if (symbols->by_addr.full || !symbols->any_came)
        return;
    for (size_t i = 0; i < symbols->by_addr.nr; i++) {
        const struct pc_entry *entry = (const struct pc_entry *)symbols->by_addr.entry + i;
        if (entry->extra == SYMBOL_WENT)
            pc_flow_say_entry(flow, PC_D_KSYMBOL_UNREGISTER, entry, PC_KSYMBOL, 0,
                              pc_record_info(PC_KSYMBOL)->min, pc_hex_value(entry->key));
    }
}

static void clear_symbols(struct pc_flow *flow, void *own)
{
    struct symbols *symbols = own;
    pc_set_clear(flow->mem, &symbols->by_addr);
}

const struct pc_flow_rule pc_flow_rule_symbols = {
    .size = sizeof(struct symbols),
    .types = (const uint16_t[]){ PC_KSYMBOL, 0 },
    .needs_all = true,
    .record = record_symbol,
    .end = judge_symbols,
    .clear = clear_symbols,
};
