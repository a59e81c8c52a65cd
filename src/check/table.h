/* SPDX-License-Identifier: MIT
 *
 * table.h: a bounded table of numbers and where each came first. Open addressing; a search is short or given
 * up, so that no input makes it slow.
 */
#ifndef PC_CHECK_TABLE_H
#define PC_CHECK_TABLE_H

#include "base/base.h"
#include "base/mem.h"

/* What a table keeps of a key: where it came first, and what the rule needs. */
struct pc_entry {
    uint64_t key, extra;
    uint64_t offset, record_plus1; /* of the record, its number plus 1; 0: the entry is free */
};

struct pc_table {
    struct pc_entry *entry; /* `cap` of them; those in use have a record_plus1 */
    size_t nr, cap;         /* cap is a power of 2 */
    bool full;              /* there was no room for a key: what is not found may have been there */
    bool no_memory;         /* ... because there was no memory */
};

/* The entry of a key, or NULL. *work grows by the entries looked at. */
struct pc_entry *pc_table_find(const struct pc_table *table, uint64_t key, uint64_t *work);

/* The entry of a key, which is `first` when there was none. NULL, and the table is full for good, when it
 * would have more than 2^bits entries or a search takes too long. */
struct pc_entry *pc_table_add(struct pc_table *table, struct pc_mem *mem, unsigned bits,
                              const struct pc_entry *first, uint64_t *work);

void pc_table_clear(struct pc_table *table, struct pc_mem *mem);

#endif
