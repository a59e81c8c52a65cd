/* SPDX-License-Identifier: MIT
 *
 * Rules about the functions of BPF programs: the feature BPF_PROG_INFO names their types, and BPF_BTF has
 * these types (include/uapi/linux/btf.h).
 */
#include "check/flow_rule.h"
#include "bytes/cursor.h"

#define FUNC_TYPE_AT 4 /* in struct bpf_func_info */

struct bpf {
    struct pc_keys functions, btfs; /* ids of a BTF and of a type in it; ids, numbers of types, IS_REFUSED */
    struct pc_context first;        /* the structure that the first function is in */
};

/* The largest type that an array of func_info names. */
static void note_functions(struct pc_flow *flow, struct bpf *own, const struct pc_leaf *leaf,
                           const struct pc_bpf_place *place)
{
    uint64_t btf = leaf->walk->slot[PC_BPF_BTF_ID], most = 0;
    size_t most_at = 0, at = (size_t)place->start + FUNC_TYPE_AT;
    for (uint64_t i = 0; i < place->count && at + 4 <= leaf->raw.len; i++) {
        uint64_t type = pc_load(leaf->raw.ptr + at, 4, flow->capture->order);
        if (type > most) {
            most = type;
            most_at = at;
        }
        if (place->element == 0)
            break;
        flow->work++;
        at += (size_t)place->element;
    }
    if (btf == 0 || most == 0)
        return;
    if (own->functions.nr == 0)
        own->first = flow->at;
    pc_flow_key(flow, &own->functions, btf << 32 | most, flow->at.offset + leaf->at + most_at);
}

static void note_program(struct pc_flow *flow, struct bpf *own, const struct pc_leaf *leaf)
{
    uint64_t info_len = leaf->walk->slot[PC_BPF_INFO_LEN], arrays = leaf->walk->slot[PC_BPF_ARRAYS_THERE];
    struct pc_bpf_place places[PC_BPF_ARRAYS];
    const struct pc_bpf_place *place = &places[PC_BPF_FUNC_INFO];
    pc_bpf_find_arrays(pc_part(leaf->walk->c->in, leaf->at - (size_t)info_len, (size_t)info_len),
                       flow->capture->order, places);
    if (pc_bpf_is_told(place) && (arrays >> PC_BPF_FUNC_INFO & 1) && pc_bpf_fits(place, leaf->raw.len))
        note_functions(flow, own, leaf, place);
}

/* Bytes after a struct btf_type of this kind, which has so many members. False: the kind is newer. */
static bool find_rest(unsigned kind, uint64_t members, uint64_t *rest)
{
    static const struct {
        uint8_t once, each; /* bytes */
    } sizes[] = {
        [1] = { 4, 0 },   /* INT */
        [3] = { 12, 0 },  /* ARRAY */
        [4] = { 0, 12 },  /* STRUCT */
        [5] = { 0, 12 },  /* UNION */
        [6] = { 0, 8 },   /* ENUM */
        [13] = { 0, 8 },  /* FUNC_PROTO */
        [14] = { 4, 0 },  /* VAR */
        [15] = { 0, 12 }, /* DATASEC */
        [17] = { 4, 0 },  /* DECL_TAG */
        [19] = { 0, 12 }, /* ENUM64 */
    };
    if (kind == 0 || kind >= PC_COUNT_OF(sizes))
        return false;
    *rest = sizes[kind].once + members * sizes[kind].each;
    return true;
}

enum { NOT_KNOWN = UINT32_MAX, FLOAT = 16, ENUM64 = 19 };

/* Whether perf 5.10, which takes 4 bits of the kind, does not step over the type: it sees an ENUM64 as an
 * ARRAY. */
static bool refuses_type(unsigned kind, uint64_t members)
{
    return kind == FLOAT || (kind == ENUM64 && members != 1);
}

#define IS_REFUSED ((uint64_t)1 << 32) /* perf 5.10 refuses such a BTF */

/* The types, all of which have to be whole. is_refused: set if perf 5.10 does not step over one. */
static uint64_t count_in(struct pc_cursor c, bool *is_refused)
{
    uint64_t nr = 0, info, rest, unused;
    for (; pc_left(&c) != 0; nr++) {
        if (!pc_uint(&c, 4, &unused) || !pc_uint(&c, 4, &info) || !pc_uint(&c, 4, &unused))
            return 0;
        const unsigned kind = info >> 24 & 0x1f, unused_bits = 0x60ff0000;
        *is_refused |= refuses_type(kind, info & 0xffff);
        if (info & unused_bits)
            return 0;
        if (!find_rest(kind, info & 0xffff, &rest))
            return kind == 0 ? 0 : NOT_KNOWN;
        if (rest > pc_left(&c))
            return 0;
        c.pos += (size_t)rest;
    }
    return nr;
}

/* The number of types in a BTF; NOT_KNOWN: a kind is newer; 0: it is damaged. The kernel wants the header,
 * the types and the text to follow each other (kernel/bpf/btf.c: btf_check_sec_info). */
static uint64_t count_types(struct pc_span btf, bool *is_refused)
{
    enum { MAGIC = 0xeb9f, HEADER = 24 };
    uint64_t magic, header, types_at, types, text_at, text, unused;
    struct pc_cursor c = pc_cursor(btf, PC_LITTLE);
    if (btf.len < HEADER || !pc_uint(&c, 2, &magic))
        return 0;
    if (magic != MAGIC) {
        c = pc_cursor(btf, PC_BIG);
        if (!pc_uint(&c, 2, &magic) || magic != MAGIC)
            return 0;
    }
    bool whole = pc_uint(&c, 2, &unused) && pc_uint(&c, 4, &header) && pc_uint(&c, 4, &types_at) &&
                 pc_uint(&c, 4, &types) && pc_uint(&c, 4, &text_at) && pc_uint(&c, 4, &text);
    if (!whole || header < HEADER || header + types_at + types > btf.len || text_at > btf.len - header ||
        text > btf.len - header - text_at)
        return 0;
    if (header > HEADER) /* newer */
        return NOT_KNOWN;
    if (types_at != 0 || text_at != types || header + types + text != btf.len || text == 0 ||
        btf.ptr[header + types] != 0 || btf.ptr[btf.len - 1] != 0)
        return 0;
    return count_in(pc_cursor(pc_part(btf, HEADER, (size_t)types), c.order), is_refused);
}

bool pc_flow_btf_is_refused(struct pc_span btf)
{
    bool is_refused = false;
    uint64_t nr = count_types(btf, &is_refused);
    return is_refused && nr != 0 && nr != NOT_KNOWN;
}

static void note_field(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    if (flow->of == PC_FACTS_OF_FEATURE(PC_BPF_PROG_INFO) && leaf->field->save == PC_BPF_DATA)
        note_program(flow, own, leaf);
    if (flow->of != PC_FACTS_OF_FEATURE(PC_BPF_BTF) || leaf->field->save != PC_BTF_DATA)
        return;
    bool is_refused = false;
    uint64_t nr = count_types(leaf->raw, &is_refused);
    flow->work += nr == NOT_KNOWN ? 0 : nr;
    if (nr != NOT_KNOWN)
        pc_flow_key(flow, &((struct bpf *)own)->btfs, leaf->walk->slot[PC_BTF_ID],
                    nr | (nr != 0 && is_refused ? IS_REFUSED : 0));
}

static void judge_functions(struct pc_flow *flow, void *state)
{
    struct bpf *own = state;
    pc_keys_sort(&own->functions);
    pc_keys_sort(&own->btfs);
    flow->at = own->first;
    flow->at.name = "type_id";
    for (size_t i = 0; i < own->functions.nr; i++) {
        const struct pc_key *function = &own->functions.key[i];
        const struct pc_key *btf = pc_keys_find(&own->btfs, function->value >> 32);
        uint32_t type = (uint32_t)function->value;
        const uint64_t at = function->offset - own->first.offset, nr = btf ? btf->offset & ~IS_REFUSED : type;
        if (type > nr)
            pc_flow_say(flow, PC_D_BPF_FUNCTION_TYPE, at, 4, pc_uint_value(type), pc_uint_value(nr));
        else if (btf && (btf->offset & IS_REFUSED))
            pc_flow_say_for(flow, PC_D_FOR_BPF_FLOAT, PC_BY_5_10, at, 4, pc_uint_value(type));
    }
}

static void clear_bpf(struct pc_flow *flow, void *state)
{
    struct bpf *own = state;
    pc_keys_clear(flow->mem, &own->functions);
    pc_keys_clear(flow->mem, &own->btfs);
}

const struct pc_flow_rule pc_flow_rule_bpf = {
    .size = sizeof(struct bpf),
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_BPF_PROG_INFO), PC_FACTS_OF_FEATURE(PC_BPF_BTF), 0 },
    .field = note_field,
    .end = judge_functions,
    .clear = clear_bpf,
};
