/* SPDX-License-Identifier: MIT
 *
 * repair_parts.h: among the files of repair.h. repair.c mends the header, repair_table.c the feature table.
 */
#ifndef PC_REPAIR_PARTS_H
#define PC_REPAIR_PARTS_H

#include "bytes/cursor.h"
#include "check/behind.h"
#include "check/shift.h"
#include "write/salvage_parts.h"

#define PC_REPAIR_CHUNK   ((size_t)64 << 10)
#define PC_REPAIR_FAR_MAX ((uint64_t)1 << 20) /* so far behind damage attrs or records are looked for */
#define PC_NAMED_MAX      48                  /* entries of a table; more than there are features */
#define PC_CONTENT_MAX    ((uint64_t)1 << 20) /* of a section that is looked at */

struct repair {
    struct pc_salvage *s;
    struct pc_input *in;
    enum pc_order order;
    uint64_t slot[PC_SLOTS]; /* of the header, as repaired so far */
    unsigned char *chunk;    /* PC_REPAIR_CHUNK + PC_TABLE_MAX bytes */
    size_t entries;          /* of attr sections that were looked at ... */
    size_t rooms;            /* ... and rooms behind them */
};

static inline void pc_repair_word(struct repair *r, uint64_t offset, uint64_t value)
{
    unsigned char bytes[8];
    pc_store(bytes, 8, value, r->order);
    pc_salvage_patch(r->s, offset, bytes, sizeof(bytes));
}

/* A word of the header gets another value. */
static inline void pc_repair_set(struct repair *r, unsigned slot, uint64_t value)
{
    if (r->slot[slot] == value)
        return;
    r->slot[slot] = value;
    pc_repair_word(r, pc_row_at(pc_file_header, slot), value);
}

/* A word of the header, which is these bytes, gets this value; so do all that say where its sections are; its
 * magic becomes that of the byte order. */
void pc_repair_put_word(struct repair *r, unsigned char *head, unsigned slot, uint64_t value);
void pc_repair_put_words(struct repair *r, unsigned char *head, const struct pc_behind *words);
void pc_repair_put_magic(struct repair *r, unsigned char *head);

/* Zeros stand for the header and the attrs: words of the header follow from EVENT_DESC. False: they do not.
 */
bool pc_repair_words_by_events(struct repair *r, unsigned char *head);

/* The same where zeros stand for the header of a pipe, and for the first of what follows it. */
bool pc_repair_pipe_by_events(struct repair *r, unsigned char *head);

/* Finds bytes that were lost or inserted in front of the records: the feature table shows how many,
 * EVENT_DESC what was there, and so the words of the header. False: it was not so. */
bool pc_repair_find_moved(struct repair *r, struct pc_shift *shift, struct pc_behind *words);

/* How many entries has a table here that proves bytes lost or inserted before it: its sections follow it, up
 * to the end of the file. 0: it proves none. */
uint64_t pc_repair_count_shifted(struct repair *r, uint64_t at);

/* Whether known records follow each other from one place to another one. */
bool pc_repair_leads_to(struct repair *r, uint64_t from, uint64_t to);

/* The first place, from this one on, at which three known records follow each other. 0: there is none within
 * PC_REPAIR_FAR_MAX, in steps of 8 bytes. */
uint64_t pc_repair_find_records(struct repair *r, uint64_t from);

/* Where known records end that follow each other from a place on. */
uint64_t pc_repair_end_of_records(struct repair *r, uint64_t at);

/* The table follows the data, and shows where they end. */
void pc_repair_table(struct repair *r);

/* The entries of a table, whose nr sections these are, get the bits of the features that they are of, as
 * their content shows. Those that may be of several are unsure. False: there are no such bits. */
bool pc_repair_bits(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size);

/* Whether these bytes are what a feature has; is_right sees each leaf. */
bool pc_repair_has_content(enum pc_order order, const struct pc_layout *layout, uint64_t bit,
                           struct pc_span bytes, pc_visit *is_right, void *ctx);

/* The same of a section of the file, which is neither empty nor too large to be looked at. */
bool pc_repair_has_section(struct repair *r, const struct pc_layout *layout, uint64_t bit, uint64_t offset,
                           uint64_t size, pc_visit *is_right, void *ctx);

/* A leaf that is as it should be. */
bool pc_repair_is_sound(void *ctx, const struct pc_leaf *leaf);

/* Whether the content of a feature shows that it is one: not any bytes are. */
bool pc_repair_tells(uint64_t bit);

/* If these bytes are sound NRCPUS, the layout gets the numbers of CPUs. */
void pc_repair_learn_cpus(enum pc_order order, struct pc_layout *layout, struct pc_span bytes);

/* The same of the section of a feature, if that is NRCPUS. */
void pc_repair_learn_section(struct repair *r, struct pc_layout *layout, uint64_t bit, uint64_t offset,
                             uint64_t size);

/* The sections of a table, nr of them, which is where the header says, with `gap` bytes between, do not end
 * with the file: so many bytes were lost or inserted in them. Where that was, their contents show. All are
 * then read in their places, and those in which it may have happened are unsure. False: nothing shows it. */
bool pc_repair_step(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size,
                    uint64_t gap);

/* The same when nothing shows where it was: the sections of which nothing shows that they are in their places
 * are unsure. False: all that can be told are in their places, or there is no memory. */
bool pc_repair_leave_out_rest(struct repair *r, uint64_t nr, const uint64_t *offset, const uint64_t *size);

/* Bytes were lost or inserted in the table, which begins here and has so many entries: it is read as it was,
 * as its other entries show. Entries of which that is not known are unsure. False: they do not show it; or
 * sections have the content of their features, so that all entries are in their places. */
bool pc_repair_torn(struct repair *r, uint64_t at, uint64_t nr);

/* Features whose entries in the table may be wrong, once all is mended, are unsure. */
void pc_repair_doubt(struct repair *r);

#endif
