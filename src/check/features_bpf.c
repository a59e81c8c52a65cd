/* SPDX-License-Identifier: MIT
 *
 * Rules about the functions of BPF programs: the feature BPF_PROG_INFO names their types, and BPF_BTF has
 * these types (include/uapi/linux/btf.h).
 */
#include "check/features.h"
#include "bytes/cursor.h"

#define FUNC_TYPE_AT 4 /* in struct bpf_func_info */

void pc_check_bpf_functions(struct pc_check *check, const struct pc_leaf *leaf,
                            const struct pc_bpf_place *place)
{
    uint64_t btf = leaf->walk->slot[PC_BPF_BTF_ID], most = 0;
    size_t most_at = 0, at = (size_t)place->start + FUNC_TYPE_AT;
    for (uint64_t i = 0; i < place->count && at + 4 <= leaf->raw.len; i++) {
        uint64_t type = pc_load(leaf->raw.ptr + at, 4, check->capture->order);
        if (type > most) {
            most = type;
            most_at = at;
        }
        if (place->element == 0)
            break;
        check->work++;
        at += (size_t)place->element;
    }
    if (btf == 0 || most == 0)
        return;
    struct pc_deferred_check *deferred = &check->features.function;
    if (!deferred->known)
        pc_defer(deferred, 0, pc_check_finding(check, PC_D_BPF_FUNCTION_TYPE, 0, 4));
    pc_keys_add(check, &check->features.functions, btf << 32 | most, offset_of(check, leaf) + most_at);
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

/* The number of types in a BTF; 0: perf cannot read it either. */
static uint64_t count_types(struct pc_span btf)
{
    enum { MAGIC = 0xeb9f, HEADER = 24, TYPE = 12 };
    uint64_t magic, header, at, size, nr = 0, unused;
    struct pc_cursor c = pc_cursor(btf, PC_LITTLE);
    if (btf.len < HEADER || !pc_uint(&c, 2, &magic))
        return 0;
    if (magic != MAGIC)
        c.order = PC_BIG;
    bool whole =
        pc_uint(&c, 2, &unused) && pc_uint(&c, 4, &header) && pc_uint(&c, 4, &at) && pc_uint(&c, 4, &size);
    if (!whole || header + at > btf.len || size > btf.len - header - at)
        return 0;
    c = pc_cursor(pc_part(btf, (size_t)(header + at), (size_t)size), c.order);
    for (; pc_left(&c) != 0; nr++) {
        uint64_t info, rest;
        bool sound = pc_uint(&c, 4, &unused) && pc_uint(&c, 4, &info) && pc_uint(&c, 4, &unused) &&
                     find_rest(info >> 24 & 0x1f, info & 0xffff, &rest) && rest <= pc_left(&c);
        if (!sound)
            return 0;
        c.pos += (size_t)rest;
    }
    return nr;
}

void pc_check_btf(struct pc_check *check, const struct pc_leaf *leaf)
{
    uint64_t nr = count_types(leaf->raw);
    check->work += nr;
    if (nr != 0)
        pc_keys_add(check, &check->features.btfs, leaf->walk->slot[PC_BTF_ID], nr);
}

void pc_check_bpf_end(struct pc_check *check)
{
    pc_keys_sort(&check->features.functions);
    pc_keys_sort(&check->features.btfs);
    for (size_t i = 0; i < check->features.functions.nr; i++) {
        const struct pc_key *function = &check->features.functions.key[i];
        const struct pc_key *btf = pc_keys_find(&check->features.btfs, function->value >> 32);
        uint32_t type = (uint32_t)function->value;
        if (!btf || type <= btf->offset)
            continue;
        struct pc_finding f = check->features.function.finding;
        f.offset = function->offset;
        pc_finding_name(&f, "type_id");
        f.seen = pc_uint_value(type);
        f.expected = pc_uint_value(btf->offset);
        pc_report_add(check->report, &f);
    }
}
