/* SPDX-License-Identifier: MIT
 *
 * Rules of the records of perf stat and of the maps that their values belong to.
 */
#include "check/check.h"

static const struct pc_value none;

static void add_map_cpu(struct pc_check *check, uint64_t cpu)
{
    if (cpu < 65536)
        pc_set_bit(check->stat.cpus, cpu);
}

/* The map of one event, or of all: its values, and whether it holds any CPU. */
static void check_map_leaf(struct pc_check *check, const struct pc_leaf *leaf)
{
    const uint64_t *slot = leaf->walk->slot;
    const unsigned cpus = 0, mask = 1, range = 2;
    bool words = leaf->value == 4 || leaf->value == 8;
    if (slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_LEN && leaf->value < slot[PC_REC_START])
        pc_check_say_leaf(check, PC_D_CPU_MAP_RANGE, leaf, pc_uint_value(leaf->value),
                          pc_uint_value(slot[PC_REC_START]));
    if (slot[PC_REC_MAP] == cpus)
        check->stat.map_known |= leaf->field->save == PC_REC_MAP_NR;
    if (slot[PC_REC_MAP] == mask)
        check->stat.map_known |= leaf->field->save == PC_REC_MAP_WORD && words;
    if (leaf->field->name || leaf->walk->depth == 0)
        return;
    check->stat.map_cpus += slot[PC_REC_MAP] == cpus || leaf->value != 0;
    if (slot[PC_REC_MAP] == cpus && leaf->value >= 32767 && leaf->value != UINT16_MAX)
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
    const unsigned cpus = 0, range = 2;
    if (walk->slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_LEN) {
        uint64_t first = walk->slot[PC_REC_START];
        for (uint64_t cpu = first; cpu <= leaf->value;) {
            check->work++;
            if (cpu % 64 == 0 && leaf->value - cpu >= 63) { /* a word of the map at once */
                check->stat.cpus[cpu / 64] = UINT64_MAX;
                cpu += 64;
            } else {
                add_map_cpu(check, cpu++);
            }
        }
        return;
    }
    if (walk->slot[PC_REC_MAP] == range && leaf->field->save == PC_REC_MAP_ANY && leaf->value != 0)
        pc_set_bit(check->stat.cpus, UINT16_MAX);
    if (leaf->field->name || walk->depth == 0)
        return;
    uint64_t index = walk->path[walk->depth - 1].index, bits = (uint64_t)leaf->field->width * 8;
    if (walk->slot[PC_REC_MAP] == cpus) {
        add_map_cpu(check, leaf->value);
        return;
    }
    for (uint64_t bit = 0; bit < bits; bit++) {
        if (leaf->value >> bit & 1)
            add_map_cpu(check, index * bits + bit);
    }
}

static void say_no_config(struct pc_check *check, const struct pc_item *item)
{
    if (!check->stat.has_config)
        pc_check_say(check, PC_D_STAT_WITHOUT_CONFIG, 0, item->bytes.len, none, none);
}

/* perf has room for counts once both maps are there: builtin-script.c: set_maps. */
static void say_no_maps(struct pc_check *check, size_t length)
{
    if (!check->stat.has_cpus || !check->stat.has_threads)
        pc_check_say(check, PC_D_STAT_WITHOUT_MAPS, 0, length, none,
                     pc_text_value(check->stat.has_cpus ? "THREAD_MAP" : "CPU_MAP"));
}

static void check_stat(struct pc_check *check)
{
    uint64_t cpu = check->slot[PC_SLOT_CPU], thread = check->slot[PC_REC_THREAD];
    say_no_maps(check, check->slot_at[PC_SLOT_ID] + 8);
    pc_check_user_id(check, PC_D_STAT_ID, check->slot[PC_SLOT_ID], check->slot_at[PC_SLOT_ID]);
    bool any = cpu == UINT32_MAX && pc_bit(check->stat.cpus, UINT16_MAX);
    if (check->stat.has_cpus && !any && (cpu >= 65536 || !pc_bit(check->stat.cpus, cpu)))
        pc_check_say_slot(check, PC_D_STAT_CPU, PC_SLOT_CPU, "cpu", 4, pc_uint_value(cpu), none);
    if (check->stat.has_threads && thread >= check->stat.nr_threads)
        pc_check_say_slot(check, PC_D_STAT_THREAD, PC_REC_THREAD, "thread", 4, pc_uint_value(thread),
                          pc_uint_value(check->stat.nr_threads));
}

void pc_check_stat_begin(struct pc_check *check, uint32_t type)
{
    check->stat.has_config |= type == PC_STAT_CONFIG;
    check->stat.map_cpus = 0;
    check->stat.map_known = false;
}

void pc_check_stat_leaf(struct pc_check *check, uint32_t type, const struct pc_leaf *leaf)
{
    const uint64_t cpus = 3; /* of an EVENT_UPDATE */
    if (type == PC_CPU_MAP || (type == PC_EVENT_UPDATE && leaf->walk->slot[PC_REC_TYPE] == cpus))
        check_map_leaf(check, leaf);
    if (type == PC_CPU_MAP)
        learn_map_leaf(check, leaf);
}

void pc_check_stat_record(struct pc_check *check, const struct pc_item *item)
{
    struct pc_stat_state *stat = &check->stat;
    switch (item->type) {
    case PC_THREAD_MAP:
        if (stat->has_threads)
            pc_check_say(check, PC_D_THREAD_MAP_TWICE, 0, item->bytes.len, none, none);
        stat->has_threads = true;
        stat->nr_threads = check->slot[PC_REC_NR];
        break;
    case PC_CPU_MAP:
        if (stat->has_cpus)
            pc_check_say(check, PC_D_CPU_MAP_TWICE, 0, item->bytes.len, none, none);
        check_map(check, item);
        stat->has_cpus = true;
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
