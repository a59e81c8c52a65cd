/* SPDX-License-Identifier: MIT
 *
 * Names of files: with build ids, which are the same in a mapping, in BUILD_ID and in HEADER_BUILD_ID
 * (FORMAT.md 10, row 290); and of the kernel or of user space, but not of both (row 353).
 */
#include "bytes/hash.h"
#include "check/flow_rule.h"

struct build_ids {
    struct pc_set known;             /* hashes of files, and of files with their build ids */
    struct pc_set owner;             /* of files and pids, with their last build id */
    struct pc_set mapped;            /* the latter, of MMAP2 */
    struct pc_set names;             /* hashes of names, and whose they are */
    uint64_t module_file, module_id; /* hashes: those of the kernel module before */
    uint64_t recent[64];             /* files with build ids of MMAP2, by the low bits */
};

enum { KNOWN_BITS = 15, OWNER_BITS = 16, MAPPED_BITS = 13, NAMES_BITS = 16 };
enum { OF_KERNEL = 1, OF_USER = 2 };

/* Hashes of a file, and of it with its build id without the zeros at its end. */
static void hash_file(struct pc_span name, struct pc_span id, uint64_t *file, uint64_t *pair)
{
    while (id.len > 0 && id.ptr[id.len - 1] == 0)
        id.len--;
    *file = pc_hash_of(1, name);
    *pair = pc_hash_of(*file, id);
}

/* HEADER_BUILD_ID, or an entry of the feature BUILD_ID. Places are bytes from the begin of the structure. */
struct file_id {
    struct pc_span in;
    uint16_t misc;
    size_t pid_at, id_at, name_at, name_len;
    uint64_t id_size; /* as the structure tells it; misc tells whether it does */
};

/* perf finds what it knows of a file by its name: tools/perf/util/dso.c: dsos__findnew. */
static void judge_name(struct pc_flow *flow, struct build_ids *own, struct pc_span name, size_t at,
                       unsigned whose)
{
    struct pc_entry *entry =
        name.len ? pc_flow_add(flow, &own->names, NAMES_BITS, pc_hash_of(2, name)) : NULL;
    if (!entry)
        return;
    if (entry->extra + whose == OF_KERNEL + OF_USER)
        pc_flow_say(flow, PC_D_NAME_OF_BOTH, at, name.len, pc_bytes_value(name), pc_none);
    entry->extra |= whose;
}

/* A file with another build id than before. The section of a file and the records of a pipe, which a copy may
 * hold in one place, are looked at together. */
static void judge_owner(struct pc_flow *flow, struct build_ids *own, const struct file_id *file)
{
    uint64_t name, pair;
    hash_file(pc_part(file->in, file->name_at, file->name_len),
              pc_part(file->in, file->id_at, PC_BUILD_ID_MAX), &name, &pair);
    size_t before = own->owner.nr;
    struct pc_entry *entry =
        pc_flow_add(flow, &own->owner, OWNER_BITS, pc_hash_of(name, pc_part(file->in, file->pid_at, 4)));
    if (!entry)
        return;
    if (own->owner.nr == before && entry->extra != pair)
        pc_flow_say(flow, PC_D_BUILD_ID_TWICE, file->id_at, PC_BUILD_ID_MAX, pc_none, pc_none);
    entry->extra = pair;
}

static void note_file(struct pc_flow *flow, struct build_ids *own, const struct file_id *file)
{
    uint64_t size = file->misc & PC_MISC_BUILD_ID_SIZE ? file->id_size : PC_BUILD_ID_MAX, key, pair;
    struct pc_span name = pc_part(file->in, file->name_at, file->name_len);
    judge_owner(flow, own, file);
    if (pc_is_of_kernel(file->misc))
        judge_name(flow, own, name, file->name_at, OF_KERNEL);
    if (!pc_is_of_host(file->misc) || size > PC_BUILD_ID_MAX)
        return;
    struct pc_span id = pc_part(file->in, file->id_at, (size_t)size);
    if (pc_first_nonzero(id) == id.len)
        return;
    hash_file(name, id, &key, &pair);
    pc_flow_add(flow, &own->known, KNOWN_BITS, key);
    pc_flow_add(flow, &own->known, KNOWN_BITS, pair);
}

static void note_entry(struct pc_flow *flow, void *own, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    const size_t *slot_at = leaf->walk->slot_at;
    if (leaf->field->save == PC_BUILD_ID_NAME)
        note_file(flow, own,
                  &(struct file_id){ .in = leaf->walk->c->in,
                                     .misc = (uint16_t)slot[PC_BUILD_ID_MISC],
                                     .pid_at = slot_at[PC_BUILD_ID_PID],
                                     .id_at = slot_at[PC_BUILD_ID_BYTES],
                                     .id_size = slot[PC_BUILD_ID_LEN],
                                     .name_at = leaf->at,
                                     .name_len = (size_t)leaf->value });
}

/* perf 6.17 to 6.19 makes the records of all kernel modules in one buffer, and leaves in each the build id of
 * the module before (tools/perf/util/synthetic-events.c: perf_event__synthesize_modules_maps_cb). */
static bool has_id_of_other_module(struct pc_flow *flow, struct build_ids *own, const struct pc_item *item,
                                   uint64_t file, struct pc_span id)
{
    uint64_t pid = pc_load(item->bytes.ptr + PC_RECORD_HEADER_SIZE, 4, flow->capture->order);
    uint64_t file_before = own->module_file, id_before = own->module_id;
    if ((item->misc & PC_MISC_CPUMODE) != PC_MODE_KERNEL || pid != UINT32_MAX)
        return false;
    own->module_file = file;
    own->module_id = pc_hash_of(1, id);
    return own->module_id == id_before && file != file_before;
}

static void note_mapped_file(struct pc_flow *flow, struct build_ids *own, const struct pc_facts *record)
{
    const struct pc_item *item = record->item;
    size_t id_at = record->slot_at[PC_REC_BUILD_ID];
    uint64_t size = record->slot[PC_REC_BUILD_ID_SIZE], file, pair;
    size_t name_at = record->slot_at[PC_REC_NAME];
    struct pc_span name = pc_part(item->bytes, name_at, (size_t)record->slot[PC_REC_NAME]);
    if (pc_is_of_kernel(item->misc))
        judge_name(flow, own, name, name_at, OF_KERNEL);
    else if (pc_is_of_user(item->misc) && !(item->misc & PC_MISC_MMAP_DATA)) /* kmod maps modules as data */
        judge_name(flow, own, name, name_at, OF_USER);
    if (item->type != PC_MMAP2 || !(item->misc & PC_MISC_MMAP_BUILD_ID) || size == 0 ||
        size > PC_BUILD_ID_MAX || !pc_is_of_host(item->misc))
        return;
    struct pc_span id = pc_part(item->bytes, id_at, (size_t)size);
    hash_file(name, id, &file, &pair);
    if (has_id_of_other_module(flow, own, item, file, id)) {
        struct pc_context id_here = flow->at;
        id_here.name = "build_id";
        pc_report_say(flow->report, &id_here, PC_D_MODULE_BUILD_ID, id_at, size, pc_none, pc_none);
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

static void record_file(struct pc_flow *flow, void *own, const struct pc_facts *record)
{
    const struct pc_item *item = record->item;
    if (item->type == PC_HEADER_BUILD_ID)
        note_file(flow, own,
                  &(struct file_id){ .in = item->bytes,
                                     .misc = item->misc,
                                     .pid_at = PC_RECORD_HEADER_SIZE,
                                     .id_at = record->slot_at[PC_REC_BUILD_ID],
                                     .id_size = record->slot[PC_REC_BUILD_ID_SIZE],
                                     .name_at = record->slot_at[PC_REC_NAME],
                                     .name_len = (size_t)record->slot[PC_REC_NAME] });
    else
        note_mapped_file(flow, own, record);
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
                              pc_none);
    }
}

static void clear_build_ids(struct pc_flow *flow, void *state)
{
    struct build_ids *own = state;
    pc_set_clear(flow->mem, &own->known);
    pc_set_clear(flow->mem, &own->owner);
    pc_set_clear(flow->mem, &own->mapped);
    pc_set_clear(flow->mem, &own->names);
}

const struct pc_flow_rule pc_flow_rule_build_ids = {
    .size = sizeof(struct build_ids),
    .types = (const uint16_t[]){ PC_MMAP, PC_MMAP2, PC_HEADER_BUILD_ID, 0 },
    .record = record_file,
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_BUILD_ID), 0 },
    .field = note_entry,
    .end = judge_build_ids,
    .clear = clear_build_ids,
};
