/* SPDX-License-Identifier: MIT
 *
 * cause_features.h: where the sections of a file are, as far as that is known, for those who look for causes
 * in them.
 */
#ifndef PC_CAUSE_FEATURES_H
#define PC_CAUSE_FEATURES_H

#include "check/cause.h"

/* Words of the header, in its order. */
enum pc_layout_word {
    PC_W_ATTR_SIZE,
    PC_W_ATTRS_OFFSET,
    PC_W_ATTRS_SIZE,
    PC_W_DATA_OFFSET,
    PC_W_DATA_SIZE,
    PC_W_WORDS
};

struct pc_file_layout {
    struct pc_scan *scan;
    enum pc_order order;
    uint64_t size;   /* of the file */
    uint64_t header; /* its size */
    uint64_t word[PC_W_WORDS];
    uint64_t slots; /* entries of the feature table */
    bool found;     /* there is a table whose sections end the file ... */
    uint64_t table; /* ... here ... */
    uint64_t moved; /* ... so many bytes before its place, modulo 2^64 ... */
    bool alone;     /* ... as it says itself, while the header names another place */
};

/* Offset and end of the section of a feature. */
struct pc_entry {
    uint64_t offset, end;
};

/* Those of an entry in these bytes of the table. */
struct pc_entry pc_entry_of(const struct pc_file_layout *l, const unsigned char *table, uint64_t slot);

/* Whether sections may begin at `first` after a table at `table`: slots of features that were not written
 * stay. */
bool pc_may_follow_table(const struct pc_file_layout *l, uint64_t table, uint64_t first);

/* The file was cut: it was to end there. */
void pc_cause_say_cut(const struct pc_file_layout *l, struct pc_cause *cause, enum pc_diag id, uint64_t end);

/* The table is where the header says. Its sections tell whether the file was cut, or bytes came or went. */
bool pc_cause_in_features(const struct pc_file_layout *l, struct pc_cause *cause);

#endif
