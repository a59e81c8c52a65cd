/* SPDX-License-Identifier: MIT
 *
 * Deferred call chains: each belongs to a sample that asked for it, by its cookie (FORMAT.md 10, row 110).
 */
#include "check/flow_rule.h"
#include "bytes/cursor.h"

#define WAYS 16 /* cookies in a set */

enum state { COOKIE_FREE, COOKIE_SAMPLED, COOKIE_MATCHED, COOKIE_ALONE };

struct cookie {
    uint64_t value;
    struct pc_entry record; /* of one without a sample */
    uint32_t age;
    enum state state;
};

struct chains {
    struct cookie *cookie; /* PC_COOKIES of them, or NULL */
    uint32_t nr;
    bool forgot; /* one whose other half may still come */
};

/* One that found its other half makes room first; when one that has not must go, that is remembered. */
static struct cookie *find_cookie(struct pc_flow *flow, struct chains *chains, uint64_t value)
{
    struct cookie *room = NULL;
    if (!chains->cookie)
        chains->cookie = pc_alloc(flow->mem, sizeof(*chains->cookie) * PC_COOKIES);
    if (!chains->cookie) {
        flow->no_memory = true;
        return NULL;
    }
    size_t set = (size_t)((value * 0x9e3779b97f4a7c15) >> 32) % (PC_COOKIES / WAYS);
    flow->work += WAYS;
    for (size_t i = 0; i < WAYS; i++) {
        static const unsigned order[] = { 3, 1, 2, 0 }; /* which state makes room first */
        struct cookie *one = &chains->cookie[set * WAYS + i];
        if (one->state != COOKIE_FREE && one->value == value)
            return one;
        if (!room || order[one->state] > order[room->state] ||
            (one->state == room->state && one->age < room->age))
            room = one;
    }
    if (room->state == COOKIE_SAMPLED || room->state == COOKIE_ALONE)
        chains->forgot = true;
    *room = (struct cookie){ .value = value, .age = chains->nr++ };
    return room;
}

/* The chain of a sample may end with a marker and the cookie of its deferred part. */
struct chain_end {
    uint64_t before, last;
};

static bool chain_visit(void *ctx, const struct pc_leaf *leaf)
{
    struct chain_end *end = ctx;
    if (leaf->field->rule == PC_RULE_CHAIN && leaf->fault == PC_SOUND) {
        end->before = end->last;
        end->last = leaf->value;
    }
    return true;
}

static struct chain_end end_of_chain(struct pc_flow *flow, const struct pc_facts *record)
{
    enum pc_order order = flow->capture->order;
    const struct pc_item *item = record->item;
    struct chain_end end = { 0 };
    if (record->layout->chain_at != 0) {
        const unsigned char *chain = item->bytes.ptr + record->layout->chain_at;
        uint64_t nr = pc_load(chain, 8, order);
        if (nr >= 2)
            end = (struct chain_end){ pc_load(chain + 8 * (nr - 1), 8, order),
                                      pc_load(chain + 8 * nr, 8, order) };
        return end;
    }
    struct pc_cursor c = pc_record_body(item->bytes, order);
    struct pc_layout layout = pc_record_layout(&record->layout->layout, PC_SAMPLE, item->misc, false);
    struct pc_walk walk;
    pc_walk_init(&walk, &layout, &c, chain_visit, &end);
    pc_walk_table(&walk, pc_record_info(PC_SAMPLE)->fields);
    flow->work += walk.work;
    return end;
}

static void note_sample(struct pc_flow *flow, struct chains *chains, const struct pc_facts *record)
{
    struct chain_end end = end_of_chain(flow, record);
    if (end.before != PC_CONTEXT_USER_DEFERRED)
        return;
    struct cookie *cookie = find_cookie(flow, chains, end.last);
    if (cookie && cookie->state == COOKIE_FREE)
        cookie->state = COOKIE_SAMPLED;
    else if (cookie && cookie->state == COOKIE_ALONE)
        cookie->state = COOKIE_MATCHED;
}

static void note_deferred(struct pc_flow *flow, struct chains *chains, const struct pc_facts *record)
{
    struct cookie *cookie = find_cookie(flow, chains, record->slot[PC_REC_COOKIE]);
    if (!cookie)
        return;
    if (cookie->state == COOKIE_SAMPLED)
        cookie->state = COOKIE_MATCHED;
    if (cookie->state != COOKIE_FREE)
        return;
    cookie->state = COOKIE_ALONE;
    cookie->record = pc_flow_entry(flow, record->slot[PC_REC_COOKIE]);
    cookie->record.extra = pc_flow_place_in(flow, record->slot_at[PC_REC_COOKIE]);
}

static void record_chain(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    if (record->item->type == PC_CALLCHAIN_DEFERRED) {
        if (flow->capture->flags & PC_FLAG_DEFER_OUTPUT)
            note_deferred(flow, own, record);
    } else if (record->layout->defers) {
        note_sample(flow, own, record);
    }
}

static void judge_cookies(struct pc_flow *flow, void *own)
{
    struct chains *chains = own;
    bool said = false;
    if (!chains->cookie)
        return;
    flow->work += PC_COOKIES;
    for (size_t i = 0; i < PC_COOKIES && !(said && chains->forgot); i++) {
        const struct cookie *one = &chains->cookie[i];
        if (one->state != COOKIE_ALONE)
            continue;
        if (chains->forgot)
            pc_flow_say_limit(flow, "cookies of call chains", PC_COOKIES);
        else
            pc_flow_say_entry(flow, PC_D_DEFERRED_ALONE, &one->record, PC_CALLCHAIN_DEFERRED,
                              (size_t)one->record.extra, 8, pc_hex_value(one->value));
        said = true;
    }
}

static void clear_chains(struct pc_flow *flow, void *own)
{
    struct chains *chains = own;
    pc_free(flow->mem, chains->cookie, sizeof(*chains->cookie) * PC_COOKIES);
}

const struct pc_flow_rule pc_flow_rule_chains = {
    .size = sizeof(struct chains),
    .types = (const uint16_t[]){ PC_SAMPLE, PC_CALLCHAIN_DEFERRED, 0 },
    .needs_all = true,
    .record = record_chain,
    .end = judge_cookies,
    .clear = clear_chains,
};
