/* SPDX-License-Identifier: MIT
 *
 * Build ids: of a file in a mapping, in BUILD_ID and in HEADER_BUILD_ID they are the same (FORMAT.md 10, row
 * 290).
 */
#include "check/flow_rule.h"

#define BUILD_ID_LEN 20

struct build_ids {
    struct pc_set known;             /* hashes of files, and of files with their build ids */
    struct pc_set owner;             /* of files and pids, with their last build id */
    struct pc_set mapped;            /* the latter, of MMAP2 */
    uint64_t module_file, module_id; /* hashes: those of the kernel module before */
    uint64_t recent[64];             /* files with build ids of MMAP2, by the low bits */
};

enum { KNOWN_BITS = 15, OWNER_BITS = 16, MAPPED_BITS = 13 };

static const struct pc_value none;

/* Eight bytes at a time; what is found by it is a file name, and no more is made of it. */
static uint64_t hash_bytes(uint64_t hash, struct pc_span bytes)
{
    const uint64_t factor = 0x9e3779b97f4a7c15;
    hash = (hash ^ bytes.len) * factor;
    for (size_t i = 0; i < bytes.len; i += 8) {
        uint64_t word = 0;
        if (bytes.len - i >= 8) {
            word = pc_load(bytes.ptr + i, 8, PC_LITTLE);
        } else {
            for (size_t k = i; k < bytes.len; k++)
                word = word << 8 | bytes.ptr[k];
        }
        hash = (hash ^ word) * factor;
        hash ^= hash >> 29;
    }
    return hash;
}

/* Hashes of a file, and of it with its build id without the zeros at its end. */
static void hash_file(struct pc_span name, struct pc_span id, uint64_t *file, uint64_t *pair)
{
    while (id.len > 0 && id.ptr[id.len - 1] == 0)
        id.len--;
    *file = hash_bytes(1, name);
    *pair = hash_bytes(*file, id);
}

static struct build_ids *own_state(struct pc_flow *flow)
{
    return pc_flow_own(flow, PC_FLOW_build_ids, sizeof(struct build_ids));
}

void pc_flow_build_id(struct pc_flow *flow, const struct pc_context *at, struct pc_span name,
                      struct pc_span id)
{
    struct build_ids *own = own_state(flow);
    uint64_t file, pair;
    if (!own || id.len == 0 || pc_first_nonzero(id) == id.len)
        return;
    flow->at = *at;
    hash_file(name, id, &file, &pair);
    pc_flow_add(flow, &own->known, KNOWN_BITS, file);
    pc_flow_add(flow, &own->known, KNOWN_BITS, pair);
}

/* A file with another build id than before. The section of a file and the records of a pipe, which a copy may
 * hold in one place, are looked at together. */
void pc_flow_owner(struct pc_flow *flow, const struct pc_context *at, struct pc_span in, size_t from,
                   size_t name_len)
{
    const size_t id_at = from + 4, name_at = from + 28;
    struct build_ids *own = own_state(flow);
    uint64_t file, pair;
    if (!own)
        return;
    flow->at = *at;
    hash_file(pc_part(in, name_at, name_len), pc_part(in, id_at, BUILD_ID_LEN), &file, &pair);
    size_t before = own->owner.nr;
    struct pc_entry *entry =
        pc_flow_add(flow, &own->owner, OWNER_BITS, hash_bytes(file, pc_part(in, from, 4)));
    if (!entry)
        return;
    if (own->owner.nr == before && entry->extra != pair)
        pc_flow_say(flow, PC_D_BUILD_ID_TWICE, id_at, BUILD_ID_LEN, NULL, none, none);
    entry->extra = pair;
}

/* perf 6.17 to 6.19 makes the records of all kernel modules in one buffer, and leaves in each the build id of
 * the module before (tools/perf/util/synthetic-events.c: perf_event__synthesize_modules_maps_cb). */
static bool has_id_of_other_module(struct pc_flow *flow, struct build_ids *own, const struct pc_item *item,
                                   uint64_t file, struct pc_span id)
{
    const unsigned kernel = 1;
    uint64_t pid = pc_load(item->bytes.ptr + PC_RECORD_HEADER_SIZE, 4, flow->capture->order);
    uint64_t file_before = own->module_file, id_before = own->module_id;
    if ((item->misc & PC_MISC_CPUMODE) != kernel || pid != UINT32_MAX)
        return false;
    own->module_file = file;
    own->module_id = hash_bytes(1, id);
    return own->module_id == id_before && file != file_before;
}

static void note_mapped_file(struct pc_flow *flow, void *state, const struct pc_sound_record *record)
{
    struct build_ids *own = state;
    const struct pc_item *item = record->item;
    unsigned mode = item->misc & PC_MISC_CPUMODE;
    size_t id_at = record->slot_at[PC_REC_BUILD_ID_SIZE] + 4;
    uint64_t size = record->slot[PC_REC_BUILD_ID_SIZE], file, pair;
    if (!(item->misc & PC_MISC_MMAP_BUILD_ID) || size == 0 || size > BUILD_ID_LEN || (mode != 1 && mode != 2))
        return;
    struct pc_span name =
        pc_part(item->bytes, record->slot_at[PC_REC_NAME], (size_t)record->slot[PC_REC_NAME]);
    struct pc_span id = pc_part(item->bytes, id_at, (size_t)size);
    hash_file(name, id, &file, &pair);
    if (has_id_of_other_module(flow, own, item, file, id)) {
        pc_flow_say(flow, PC_D_MODULE_BUILD_ID, id_at, size, "build_id", none, none);
        return;
    }
    uint64_t *recent = &own->recent[pair % PC_COUNT_OF(own->recent)];
    if (*recent == pair)
        return;
    *recent = pair;
    struct pc_entry *entry = pc_flow_add(flow, &own->mapped, MAPPED_BITS, pair);
    if (entry)
        entry->extra = file;
}

static void judge_build_ids(struct pc_flow *flow, void *state)
{
    struct build_ids *own = state;
    struct pc_set *known = &own->known, *mapped = &own->mapped;
    if (own->owner.full)
        pc_flow_say_limit(flow, "files with build ids", own->owner.nr);
    if ((mapped->nr == 0 && !mapped->full) || (known->nr == 0 && !known->full))
        return;
    if (mapped->full || known->full)
        pc_flow_say_limit(flow, "build ids", known->full ? known->nr : mapped->nr);
    flow->work += mapped->nr;
    for (size_t i = 0; i < mapped->nr; i++) {
        const struct pc_entry *entry = (const struct pc_entry *)mapped->entry + i;
        if (!known->full && pc_flow_find(flow, known, entry->extra) && !pc_flow_find(flow, known, entry->key))
            pc_flow_say_entry(flow, PC_D_BUILD_ID_DIFFERS, entry, PC_MMAP2, 0, pc_record_info(PC_MMAP2)->min,
                              none, none);
    }
}

static void clear_build_ids(struct pc_flow *flow, void *state)
{
    struct build_ids *own = state;
    pc_set_clear(flow->mem, &own->known);
    pc_set_clear(flow->mem, &own->owner);
    pc_set_clear(flow->mem, &own->mapped);
}

const struct pc_flow_rule pc_flow_rule_build_ids = {
    .size = sizeof(struct build_ids),
    .types = (const uint8_t[]){ PC_MMAP2, 0 },
    .record = note_mapped_file,
    .end = judge_build_ids,
    .clear = clear_build_ids,
};
