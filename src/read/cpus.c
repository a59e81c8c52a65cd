/* SPDX-License-Identifier: MIT */
#include "read/cpus.h"
#include "bytes/cursor.h"
#include "read/capture.h"

#include <string.h>

bool pc_cpus_of_leaf(const struct pc_leaf *leaf, struct pc_cpus *cpus)
{
    const struct pc_walk *walk = leaf->walk;
    bool is_range = walk->slot[PC_REC_MAP] == PC_MAP_RANGE;
    uint64_t cpu = PC_CPU_ANY;
    *cpus = (struct pc_cpus){ .is_range = is_range && leaf->field->save == PC_REC_LEN };
    if (cpus->is_range) {
        cpus->first = walk->slot[PC_REC_START];
        cpus->last = leaf->value;
        return true;
    }
    if (!(is_range && leaf->field->save == PC_REC_MAP_ANY && leaf->value != 0)) {
        if (leaf->field->name || walk->depth == 0)
            return false;
        cpu = leaf->value;
    }
    if (is_range || walk->slot[PC_REC_MAP] == PC_MAP_CPUS) {
        cpus->word = cpu / PC_CPU_WORD;
        cpus->bits = (uint64_t)1 << cpu % PC_CPU_WORD;
        return true;
    }
    uint64_t index = walk->path[walk->depth - 1].index, bits = (uint64_t)leaf->field->width * 8;
    cpus->word = index * bits / PC_CPU_WORD;
    cpus->bits = leaf->value << index * bits % PC_CPU_WORD;
    return true;
}

/* --- one set --- */

static void add_word(struct pc_cpu_set *set, uint64_t word, uint64_t bits)
{
    set->work++;
    if (word >= PC_CPU_WORDS)
        return;
    set->nr += (uint64_t)__builtin_popcountll(bits & ~set->cpus[word]);
    set->cpus[word] |= bits;
}

/* The first word from this one on that no range has filled. A range is 16 bytes and may have 512 words. */
static size_t next_open(struct pc_cpu_set *set, size_t word)
{
    uint16_t *after = set->after;
    while (after[word] != 0) {
        size_t next = after[word];
        if (after[next] != 0)
            after[word] = after[next];
        word = next;
        set->work++;
    }
    return word;
}

static void add_range(struct pc_cpu_set *set, uint64_t first, uint64_t last)
{
    const uint64_t from = UINT64_MAX << first % PC_CPU_WORD;
    const uint64_t to = UINT64_MAX >> (PC_CPU_WORD - 1 - last % PC_CPU_WORD);
    size_t begin = (size_t)(first / PC_CPU_WORD), end = (size_t)(last / PC_CPU_WORD);
    assert(last <= PC_CPU_ANY); /* as fields of 2 bytes have it */
    add_word(set, begin, begin == end ? from & to : from);
    add_word(set, end, begin == end ? from & to : to);
    for (size_t word = next_open(set, begin + 1); word < end; word = next_open(set, word + 1)) {
        add_word(set, word, UINT64_MAX);
        set->after[word] = (uint16_t)(word + 1);
    }
}

bool pc_cpu_set_add(struct pc_cpu_set *set, const struct pc_cpus *cpus)
{
    const uint64_t before = set->nr;
    if (!cpus->is_range) {
        add_word(set, cpus->word, cpus->bits);
        return set->nr - before == (uint64_t)__builtin_popcountll(cpus->bits);
    }
    if (cpus->first > cpus->last)
        return true;
    add_range(set, cpus->first, cpus->last);
    return set->nr - before == cpus->last - cpus->first + 1;
}

/* --- one map --- */

static bool add_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_cpu_map *map = ctx;
    struct pc_cpus cpus;
    map->sound &= leaf->fault == PC_SOUND;
    if (!map->sound || !pc_cpus_of_leaf(leaf, &cpus))
        return map->sound;
    if (cpus.is_range) {
        map->sound = cpus.last < PC_CPU_ANY && pc_cpu_set_add(&map->set, &cpus);
        return map->sound;
    }
    bool is_any = cpus.word == PC_CPU_WORDS - 1 && cpus.bits >> (PC_CPU_WORD - 1) != 0;
    bool is_mask = leaf->walk->slot[PC_REC_MAP] == PC_MAP_MASK;
    if (is_mask ? is_any : is_any && map->set.nr != 0) /* in a list "any" comes first */
        map->sound = false;
    if (!is_mask && !is_any && leaf->walk->slot[PC_REC_MAP] == PC_MAP_CPUS) {
        map->sound &= leaf->value >= map->last; /* the same one twice: pc_cpu_set_add */
        map->last = leaf->value;
    }
    map->sound &= pc_cpu_set_add(&map->set, &cpus);
    return map->sound;
}

static void read_map(struct pc_cpu_map *map, const struct pc_field *fields, struct pc_cursor c)
{
    struct pc_walk walk;
    uint64_t before = 0;
    map->sound = true;
    pc_walk_init(&walk, NULL, &c, add_leaf, map);
    map->sound &= pc_walk_table(&walk, fields) && map->set.nr != 0;
    for (size_t i = 0; i < PC_CPU_WORDS; i++) {
        if (map->set.cpus[i] == 0) /* nobody asks */
            continue;
        map->before[i] = (uint16_t)before;
        before += (uint64_t)__builtin_popcountll(map->set.cpus[i]);
    }
}

/* The map of the record; NULL: there are too many. */
static const struct pc_cpu_map *take_map(struct pc_capture *capture, uint32_t type, struct pc_span record)
{
    const struct pc_field *fields = pc_record_info(type)->fields;
    const struct pc_cursor c = pc_record_body(record, capture->order);
    struct pc_cpu_maps *maps = &capture->cpu_maps;
    struct pc_walk walk;
    pc_read_table(&walk, fields, c);
    size_t at = walk.slot_at[PC_REC_MAP], size = record.len - at;
    if (at == 0)
        return NULL;
    for (size_t i = 0; i < maps->nr; i++) {
        if (maps->map[i]->size == size && memcmp(maps->map[i]->bytes, record.ptr + at, size) == 0)
            return maps->map[i];
    }
    if (maps->nr == PC_CPU_MAPS_MAX)
        return NULL;
    struct pc_cpu_map *map = pc_alloc(capture->mem, sizeof(*map));
    unsigned char *bytes = map ? pc_alloc(capture->mem, size) : NULL;
    if (!bytes) {
        pc_free(capture->mem, map, map ? sizeof(*map) : 0);
        capture->no_memory = true;
        return NULL;
    }
    memcpy(bytes, record.ptr + at, size);
    map->bytes = bytes;
    map->size = size;
    read_map(map, fields, c);
    maps->map[maps->nr++] = map;
    return map;
}

void pc_cpu_maps_clear(struct pc_mem *mem, struct pc_cpu_maps *maps)
{
    for (size_t i = 0; i < maps->nr; i++) {
        pc_free(mem, maps->map[i]->bytes, maps->map[i]->size);
        pc_free(mem, maps->map[i], sizeof(*maps->map[i]));
    }
    *maps = (struct pc_cpu_maps){ 0 };
}

/* --- maps of events --- */

/* tools/lib/perf/evlist.c of 5.10: __perf_evlist__propagate_maps: an event keeps its own CPUs, unless the map
 * of all begins with "any". NULL: not known. */
static const struct pc_cpu_map *map_of(const struct pc_capture *capture, uint32_t attr)
{
    const struct pc_cpu_map *map = capture->cpu_maps.all;
    if (map && map->sound && !pc_bit(map->set.cpus, PC_CPU_ANY) && attr < capture->nr_attrs &&
        capture->attr[attr].has_cpus)
        map = capture->attr[attr].cpus;
    return map && map->sound ? map : NULL;
}

/* "Any" is the first of its map. */
static bool find_cpu(const struct pc_cpu_map *map, uint64_t cpu, uint64_t *index)
{
    uint64_t any = pc_bit(map->set.cpus, PC_CPU_ANY), word = cpu / PC_CPU_WORD;
    *index = 0;
    if (cpu == UINT32_MAX)
        return any;
    if (cpu >= PC_CPU_ANY || !pc_bit(map->set.cpus, cpu))
        return false;
    uint64_t below = map->set.cpus[word] & (((uint64_t)1 << cpu % PC_CPU_WORD) - 1);
    *index = any + map->before[word] + (uint64_t)__builtin_popcountll(below);
    return true;
}

bool pc_stat_index(const struct pc_capture *capture, uint32_t attr, uint64_t cpu, uint64_t *index)
{
    const struct pc_cpu_map *map = map_of(capture, attr);
    if (!map || !capture->cpu_maps.by_index)
        return map && find_cpu(map, cpu, index);
    *index = cpu;
    return cpu < map->set.nr;
}

bool pc_stat_cpu(const struct pc_capture *capture, uint32_t attr, uint64_t index, uint64_t *cpu)
{
    const struct pc_cpu_map *map = map_of(capture, attr);
    if (!map || index >= map->set.nr)
        return false;
    *cpu = UINT32_MAX;
    if (pc_bit(map->set.cpus, PC_CPU_ANY) && index-- == 0)
        return true;
    for (uint64_t word = 0; word < PC_CPU_WORDS; word++) {
        uint64_t bits = map->set.cpus[word], nr = (uint64_t)__builtin_popcountll(bits);
        for (; index < nr && index != 0; index--)
            bits &= bits - 1; /* without the lowest one */
        if (index < nr) {
            *cpu = word * PC_CPU_WORD + (uint64_t)__builtin_ctzll(bits);
            return true;
        }
        index -= nr;
    }
    return false;
}

/* perf writes the values of an event in the order of its map, so that those of an index show first where they
 * differ from numbers. */
void pc_stat_learn(struct pc_capture *capture, uint32_t attr, uint64_t cpu)
{
    const struct pc_cpu_map *map = map_of(capture, attr);
    uint64_t index;
    capture->cpu_maps.by_index |= map && cpu < map->set.nr && !find_cpu(map, cpu, &index);
}

void pc_capture_maps(struct pc_capture *capture, uint32_t type, struct pc_span record, uint32_t attr)
{
    struct pc_cpu_maps *maps = &capture->cpu_maps;
    if (type == PC_THREAD_MAP) {
        maps->has_threads = true;
    } else if (type == PC_CPU_MAP && !maps->has_all) {
        maps->has_all = true;
        maps->all = take_map(capture, type, record);
    } else if (type == PC_EVENT_UPDATE && attr < capture->nr_attrs && !(maps->has_all && maps->has_threads)) {
        capture->attr[attr].has_cpus = true;
        capture->attr[attr].cpus = take_map(capture, type, record);
    }
}
