/* SPDX-License-Identifier: MIT
 *
 * A bounded table of numbers.
 */
#include "check/table.h"

#define PROBES_MAX 64
#define CAP_FIRST  64

/* The entry of a key, or the free one where it would be, or NULL when the search takes too long. */
static struct pc_entry *probe(const struct pc_table *table, uint64_t key, uint64_t *work)
{
    const unsigned bits = (unsigned)__builtin_ctzll(table->cap);
    size_t at = (size_t)((key * 0x9e3779b97f4a7c15) >> (64 - bits));
    for (unsigned i = 0; i < PROBES_MAX; i++) {
        struct pc_entry *entry = &table->entry[(at + i) & (table->cap - 1)];
        (*work)++;
        if (entry->record_plus1 == 0 || entry->key == key)
            return entry;
    }
    return NULL;
}

static bool grow(struct pc_table *table, struct pc_mem *mem, unsigned bits, uint64_t *work)
{
    struct pc_table larger = *table;
    larger.cap = table->cap ? table->cap * 2 : CAP_FIRST;
    if (table->cap >> bits > 1) /* at most half of it is used */
        return false;
    larger.entry = pc_alloc(mem, larger.cap * sizeof(*larger.entry));
    if (!larger.entry) {
        table->no_memory = true;
        return false;
    }
    for (size_t i = 0; i < table->cap; i++) {
        if (table->entry[i].record_plus1 == 0)
            continue;
        struct pc_entry *entry = probe(&larger, table->entry[i].key, work);
        if (!entry) {
            pc_free(mem, larger.entry, larger.cap * sizeof(*larger.entry));
            return false;
        }
        *entry = table->entry[i];
    }
    pc_free(mem, table->entry, table->cap * sizeof(*table->entry));
    *table = larger;
    return true;
}

struct pc_entry *pc_table_find(const struct pc_table *table, uint64_t key, uint64_t *work)
{
    struct pc_entry *entry = table->cap ? probe(table, key, work) : NULL;
    return entry && entry->record_plus1 != 0 ? entry : NULL;
}

struct pc_entry *pc_table_add(struct pc_table *table, struct pc_mem *mem, unsigned bits,
                              const struct pc_entry *first, uint64_t *work)
{
    struct pc_entry *entry = pc_table_find(table, first->key, work);
    if (entry || table->full)
        return entry;
    bool has_room = 2 * table->nr < table->cap || grow(table, mem, bits, work);
    entry = has_room ? probe(table, first->key, work) : NULL;
    if (!entry) {
        table->full = true;
        return NULL;
    }
    *entry = *first;
    table->nr++;
    return entry;
}

void pc_table_clear(struct pc_table *table, struct pc_mem *mem)
{
    pc_free(mem, table->entry, table->cap * sizeof(*table->entry));
    *table = (struct pc_table){ 0 };
}
