/* SPDX-License-Identifier: MIT
 *
 * mended_parts.h: among the files of mended.h. mended.c proves the words of the header and the feature table,
 * mended_events.c attrs and ids by the feature EVENT_DESC, which repeats them.
 */
#ifndef PC_MENDED_PARTS_H
#define PC_MENDED_PARTS_H

#include "base/mem.h"
#include "bytes/cursor.h"
#include "bytes/input.h"
#include "format/tables.h"
#include "read/capture.h"

/* A larger EVENT_DESC proves nothing. */
#define PC_MENDED_EVENTS_MAX ((uint64_t)1 << 20)

/* What was mended of a file, and what is read of it. */
struct mended {
    struct pc_mem *mem;
    struct pc_input in;
    enum pc_order order;
    uint64_t slot[PC_SLOTS]; /* of the header */
    uint64_t bits[PC_FEATURE_BITS / 64];
    uint64_t nr; /* features */
    uint64_t table;
    bool by_record; /* the attrs, which are behind the data, are those of EVENT_DESC among the records */
    bool no_memory;
};

/* Whether a byte from..to is read otherwise than it is. */
bool pc_mended_touches(const struct mended *m, uint64_t from, uint64_t to);

/* The same of patches of eight bytes: the shorter ones make records end earlier, and those are left out. */
bool pc_mended_touches_word(const struct mended *m, uint64_t from, uint64_t to);

/* Reads n bytes at this place. False: they are not there. */
bool pc_mended_get(struct mended *m, uint64_t at, void *to, size_t n);

/* The word of so many bytes at this place; 0: there is none. */
uint64_t pc_mended_word(struct mended *m, uint64_t at, unsigned width);

/* Where the attrs end: at the feature table at the latest, whatever the header says. */
uint64_t pc_mended_attrs_end(const struct mended *m);

/* Whether zeros stand at the end of the file alone, and it ends with the attrs. */
bool pc_mended_ends_with_attrs(const struct mended *m);

/* Attrs and ids of a file that were mended are those of EVENT_DESC. */
bool pc_mended_events_hold(struct mended *m);

/* Attrs and ids in records of a pipe that were mended are those of EVENT_DESC; or only the header of the
 * first was. Where none was, EVENT_DESC may be damaged. */
bool pc_mended_records_hold(struct mended *m);

/* Notes whether attrs behind the data that were written anew are those of EVENT_DESC among the records. */
void pc_mended_note_record(struct mended *m);

#endif
