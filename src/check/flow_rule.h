/* SPDX-License-Identifier: MIT
 *
 * flow_rule.h: what a rule between records consists of, and what rules share. A rule is one file,
 * flow_NAME.c, that defines pc_flow_rule_NAME; PC_FLOW_RULES lists it. Its state is private to that file.
 */
#ifndef PC_CHECK_FLOW_RULE_H
#define PC_CHECK_FLOW_RULE_H

#include "check/flow.h"
#include "base/set.h"
#include "check/keys.h"

#define PC_FLOW_RULES(ROW)                                                                                   \
    ROW(attrs)                                                                                               \
    ROW(events)                                                                                              \
    ROW(cpus)                                                                                                \
    ROW(machine)                                                                                             \
    ROW(nodes)                                                                                               \
    ROW(later)                                                                                               \
    ROW(pmus)                                                                                                \
    ROW(names)                                                                                               \
    ROW(bpf)                                                                                                 \
    ROW(auxtrace)                                                                                            \
    ROW(packets)                                                                                             \
    ROW(compression)                                                                                         \
    ROW(missing)                                                                                             \
    ROW(losses)                                                                                              \
    ROW(tasks)                                                                                               \
    ROW(mappings)                                                                                            \
    ROW(build_ids)                                                                                           \
    ROW(switches)                                                                                            \
    ROW(symbols)                                                                                             \
    ROW(chains)                                                                                              \
    ROW(aux)                                                                                                 \
    ROW(counts)                                                                                              \
    ROW(stat)                                                                                                \
    ROW(schedstat)                                                                                           \
    ROW(times)                                                                                               \
    ROW(android)                                                                                             \
    ROW(android_events)                                                                                      \
    ROW(simpleperf)                                                                                          \
    ROW(versions)                                                                                            \
    ROW(android_records)                                                                                     \
    ROW(android_order)

struct pc_flow_rule {
    size_t size;           /* of its state, which is zeros at first; 0: it has none */
    const uint16_t *types; /* records that it wants; 0 ends them; may be NULL */
    bool needs_all;        /* it judges at the end only when no record is missing */
    void (*record)(struct pc_flow *flow, void *own, const struct pc_facts *record);
    /* A user record of these types came, whose fields may be sound or not; may be NULL. */
    void (*came)(struct pc_flow *flow, void *own, const struct pc_item *item);
    /* Bytes of an AUX trace, in pieces, each of which comes once; may be NULL. */
    void (*payload)(struct pc_flow *flow, void *own, const struct pc_item *item);
    enum pc_versions readers; /* it is asked only when one of these is asked for, and then it has a state */
    /* Each record, sound or not, and what was read of it; may be NULL. */
    void (*each)(struct pc_flow *flow, void *own, const struct pc_facts *record);
    bool late;              /* it wants all late records, too */
    const uint16_t *fields; /* user records and features of which it wants each sound field; 0 ends them */
    void (*field)(struct pc_flow *flow, void *own, const struct pc_leaf *leaf);
    bool always; /* it has a state, even if none of its records comes */
    /* Judges at the end. Called when the rule has a state, which it gets with its first record, or needs
     * none. */
    void (*end)(struct pc_flow *flow, void *own);
    /* Frees what the state points to; may be NULL. */
    void (*clear)(struct pc_flow *flow, void *own);
};

#define INDEX(name) PC_FLOW_##name,
enum pc_flow_index { PC_FLOW_RULES(INDEX) PC_NR_FLOW_RULES };
#undef INDEX
#define DECLARED(name) extern const struct pc_flow_rule pc_flow_rule_##name;
PC_FLOW_RULES(DECLARED)
#undef DECLARED

/* From now on the rule gets every record, also samples; or it does not any more. */
void pc_flow_watch(struct pc_flow *flow, enum pc_flow_index index, bool on);

/* Grows with each event that may have removed records. Earlier knowledge is then invalid. */
uint64_t pc_flow_losses(const struct pc_flow *flow);
/* Records come in the order in which they were written, as far as can be known. */
bool pc_flow_in_order(const struct pc_flow *flow);
/* No record is missing, as far as can be known. Buffers that are written backwards forget the oldest. */
bool pc_flow_is_complete(const struct pc_flow *flow);

/* What a set keeps of a key: where it came first, and what the rule needs. */
struct pc_entry {
    uint64_t key, extra;
    uint64_t offset, record; /* of the record, and its number */
};

/* A finding in the current structure, `at` bytes into it. */
void pc_flow_say(struct pc_flow *flow, enum pc_diag id, uint64_t at, uint64_t length, struct pc_value seen,
                 struct pc_value expected);
/* A finding about a value of the current record, to be completed and added; the same, said. */
struct pc_finding pc_flow_in_slot(const struct pc_flow *flow, const struct pc_facts *record, enum pc_diag id,
                                  unsigned slot);
void pc_flow_say_slot(struct pc_flow *flow, const struct pc_facts *record, enum pc_diag id, unsigned slot,
                      struct pc_value seen, struct pc_value expected);
/* About a leaf of a walk; about a member of an attr, by its number and the slot of the member. */
void pc_flow_say_leaf(struct pc_flow *flow, enum pc_diag id, const struct pc_leaf *leaf, struct pc_value seen,
                      struct pc_value expected);
void pc_flow_say_attr(struct pc_flow *flow, enum pc_diag id, uint64_t number, unsigned slot,
                      struct pc_value seen, struct pc_value expected);
/* In the current structure, about each of these versions that is asked for. */
void pc_flow_say_for(struct pc_flow *flow, enum pc_diag id, enum pc_versions versions, uint64_t at,
                     uint64_t length, struct pc_value seen);
/* At the end: about a record of this type that an entry has noted, `at` bytes into it. */
void pc_flow_say_entry(struct pc_flow *flow, enum pc_diag id, const struct pc_entry *entry, uint32_t type,
                       size_t at, uint64_t length, struct pc_value seen);
/* At the end: about the capture, and so many bytes at an offset. */
void pc_flow_say_at_end(struct pc_flow *flow, enum pc_diag id, uint64_t offset, uint64_t length,
                        struct pc_value seen, struct pc_value expected);
/* A rule that holds at most so many of these was not applied to the rest. */
void pc_flow_say_limit(struct pc_flow *flow, const char *what, uint64_t most);

/* Adds a number that was found at an offset. When there is no room, this is reported once. */
void pc_flow_key(struct pc_flow *flow, struct pc_keys *keys, uint64_t value, uint64_t offset);

/* What an entry notes of the current structure. */
struct pc_entry pc_flow_entry(const struct pc_flow *flow, uint64_t key);
/* The entry of a key in a set of at most 2^bits entries, made when there is none: it notes the current
 * structure. NULL: the set is full. */
struct pc_entry *pc_flow_add(struct pc_flow *flow, struct pc_set *set, unsigned bits, uint64_t key);
/* The entry of a key, or NULL. */
struct pc_entry *pc_flow_find(struct pc_flow *flow, struct pc_set *set, uint64_t key);
/* An offset in a record, as an entry keeps it: 0 when the record is in a compressed one. */
size_t pc_flow_place_in(const struct pc_flow *flow, size_t at);

#endif
