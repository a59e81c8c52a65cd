/* SPDX-License-Identifier: MIT
 *
 * Rules of the records of perf stat and of the maps that their values belong to.
 */
#include "check/check.h"

static const struct pc_value none;

#define WORD_BITS 64

/* CPUs of one word of the set. */
static void add_map_cpus(struct pc_check *check, uint64_t word, uint64_t bits)
{
    struct pc_stat_state *stat = &check->stat;
    if (word >= PC_COUNT_OF(stat->cpus))
        return;
    stat->nr_cpus += (uint64_t)__builtin_popcountll(bits & ~stat->cpus[word]);
    stat->cpus[word] |= bits;
}

static void add_map_cpu(struct pc_check *check, uint64_t cpu)
{
    add_map_cpus(check, cpu / WORD_BITS, (uint64_t)1 << cpu % WORD_BITS);
}

/* The first word from this one on that no range has filled. A range is 16 bytes and may have 512 words. */
static size_t next_open(struct pc_check *check, size_t word)
{
    uint16_t *after = check->stat.after;
    while (after[word] != 0) {
        size_t next = after[word];
        if (after[next] != 0)
            after[word] = after[next];
        word = next;
        check->work++;
    }
    return word;
}

/* The CPUs from first to last. */
static void add_map_range(struct pc_check *check, uint64_t first, uint64_t last)
{
    if (first > last)
        return;
    const uint64_t from = UINT64_MAX << first % WORD_BITS;
    const uint64_t to = UINT64_MAX >> (WORD_BITS - 1 - last % WORD_BITS);
    size_t begin = (size_t)(first / WORD_BITS), end = (size_t)(last / WORD_BITS);
    check->work++;
    add_map_cpus(check, begin, begin == end ? from & to : from);
    add_map_cpus(check, end, begin == end ? from & to : to);
    for (size_t word = next_open(check, begin + 1); word < end; word = next_open(check, word + 1)) {
        check->work++;
        add_map_cpus(check, word, UINT64_MAX);
        check->stat.after[word] = (uint16_t)(word + 1);
    }
}

/* The map of one event, or of all: its values, and whether it holds any CPU. */
static void check_map_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    bool words = leaf->value == 4 || leaf->value == 8;
    if (slot[PC_REC_MAP] == PC_MAP_RANGE && leaf->field->save == PC_REC_LEN &&
        leaf->value < slot[PC_REC_START])
        pc_check_say_leaf(check, PC_D_CPU_MAP_RANGE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(slot[PC_REC_START]));
    if (slot[PC_REC_MAP] == PC_MAP_CPUS)
        check->stat.map_known |= leaf->field->save == PC_REC_MAP_NR;
    if (slot[PC_REC_MAP] == PC_MAP_MASK)
        check->stat.map_known |= leaf->field->save == PC_REC_MAP_WORD && words;
    if (leaf->field->name || leaf->walk->depth == 0)
        return;
    check->stat.map_cpus += slot[PC_REC_MAP] == PC_MAP_CPUS || leaf->value != 0;
    if (slot[PC_REC_MAP] == PC_MAP_CPUS && leaf->value >= 32767 && leaf->value != UINT16_MAX)
        pc_check_say_leaf(check, PC_D_CPU_MAP_VALUE, leaf, pc_uint_value(leaf->value), pc_uint_value(32766));
}

/* After the walk of a record with a map. */
static void check_map(struct pc_check *check, const struct pc_item *item)
{
    if (check->stat.map_known && check->stat.map_cpus == 0)
        pc_check_say(check, PC_D_CPU_MAP_EMPTY, 0, item->bytes.len, none, none);
}

/* The CPUs of a map, whatever its encoding; they come as leaves of its array. */
static void learn_map_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    if (walk->slot[PC_REC_MAP] == PC_MAP_RANGE && leaf->field->save == PC_REC_LEN) {
        add_map_range(check, walk->slot[PC_REC_START], leaf->value);
        return;
    }
    if (walk->slot[PC_REC_MAP] == PC_MAP_RANGE && leaf->field->save == PC_REC_MAP_ANY && leaf->value != 0)
        add_map_cpu(check, UINT16_MAX);
    if (leaf->field->name || walk->depth == 0)
        return;
    uint64_t index = walk->path[walk->depth - 1].index, bits = (uint64_t)leaf->field->width * 8;
    if (walk->slot[PC_REC_MAP] == PC_MAP_CPUS) {
        add_map_cpu(check, leaf->value);
        return;
    }
    add_map_cpus(check, index * bits / WORD_BITS, leaf->value << index * bits % WORD_BITS);
}

static void say_no_config(struct pc_check *check, const struct pc_item *item)
{
    if (!check->stat.has_config)
        pc_check_say(check, PC_D_STAT_WITHOUT_CONFIG, 0, item->bytes.len, none, none);
}

/* perf has room for counts once both maps are there: builtin-script.c: set_maps. */
static void say_no_maps(struct pc_check *check, size_t length)
{
    if (check->stat.cpu_maps == 0 || check->stat.thread_maps == 0)
        pc_check_say(check, PC_D_STAT_WITHOUT_MAPS, 0, length, none,
                     pc_text_value(check->stat.cpu_maps != 0 ? "THREAD_MAP" : "CPU_MAP"));
}

bool pc_check_knows_stat_cpus(const struct pc_check *check)
{
    return check->stat.cpu_maps != 0 && check->stat.sound_cpu_maps == check->stat.cpu_maps;
}

/* Whether an attr has no ids. */
static bool lacks_ids(struct pc_check *check)
{
    struct pc_stat_state *stat = &check->stat;
    for (; stat->attrs < check->capture->nr_attrs; stat->attrs++)
        stat->without_ids |= check->capture->attr[stat->attrs].nr_ids == 0;
    return stat->without_ids;
}

/* perf writes the counts of events without ids with id 0: builtin-stat.c: perf_event__write_stat. */
static void check_stat_id(struct pc_check *check)
{
    uint64_t id = check->slot[PC_SLOT_ID];
    if (id == 0 && !pc_check_knows_id(check, id) && lacks_ids(check))
        pc_check_say_slot(check, PC_D_STAT_ID_ZERO, PC_SLOT_ID, "id", 8, pc_uint_value(id), none);
    else
        pc_check_user_id(check, PC_D_STAT_ID, id, check->slot_at[PC_SLOT_ID]);
}

static void check_stat(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU], thread = check->slot[PC_REC_THREAD];
    say_no_maps(check, check->slot_at[PC_SLOT_ID] + 8);
    check_stat_id(check);
    bool any = cpu == UINT32_MAX && pc_bit(check->stat.cpus, UINT16_MAX);
    if (pc_check_knows_stat_cpus(check) && !any && (cpu >= 65536 || !pc_bit(check->stat.cpus, cpu))) {
        bool outside = cpu >= check->stat.nr_cpus;
        pc_check_say_slot(check, outside ? PC_D_STAT_CPU_OUTSIDE : PC_D_STAT_CPU, PC_SLOT_CPU, "cpu", 4,
                          pc_uint_value(cpu), none);
    }
    bool knows_threads =
        check->stat.thread_maps != 0 && check->stat.sound_thread_maps == check->stat.thread_maps;
    if (knows_threads && thread >= check->stat.nr_threads)
        pc_check_say_slot(check, PC_D_STAT_THREAD, PC_REC_THREAD, "thread", 4, pc_uint_value(thread),
                          pc_uint_value(check->stat.nr_threads));
}

void pc_check_stat_begin(struct pc_check *check, uint32_t type)
{
    struct pc_stat_state *stat = &check->stat;
    stat->has_config |= type == PC_STAT_CONFIG;
    stat->cpu_maps += type == PC_CPU_MAP;
    stat->thread_maps += type == PC_THREAD_MAP;
    stat->errors = check->report->errors;
    stat->map_cpus = 0;
    stat->map_known = false;
}

void pc_check_stat_leaf(struct pc_check *check, uint32_t type, const struct pc_leaf *leaf)
{
    if (type == PC_CPU_MAP || (type == PC_EVENT_UPDATE && leaf->walk->slot[PC_REC_TYPE] == PC_UPDATE_CPUS))
        check_map_leaf(check, leaf);
    if (type == PC_CPU_MAP)
        learn_map_leaf(check, leaf);
}

void pc_check_stat_record(struct pc_check *check, const struct pc_item *item)
{
    struct pc_stat_state *stat = &check->stat;
    bool sound = check->report->errors == stat->errors;
    switch (item->type) {
    case PC_THREAD_MAP:
        if (stat->thread_maps > 1)
            pc_check_say(check, PC_D_THREAD_MAP_TWICE, 0, item->bytes.len, none, none);
        stat->sound_thread_maps += sound;
        stat->nr_threads = check->slot[PC_REC_NR];
        break;
    case PC_CPU_MAP:
        if (stat->cpu_maps > 1)
            pc_check_say(check, PC_D_CPU_MAP_TWICE, 0, item->bytes.len, none, none);
        check_map(check, item);
        stat->sound_cpu_maps += sound;
        break;
    case PC_EVENT_UPDATE:
        check_map(check, item);
        break;
    case PC_STAT_CONFIG:
        pc_check_twice(check);
        break;
    case PC_STAT:
        check_stat(check);
        say_no_config(check, item);
        break;
    case PC_STAT_ROUND:
        say_no_maps(check, item->bytes.len);
        say_no_config(check, item);
        break;
    default:
        break;
    }
}
