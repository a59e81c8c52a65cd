/* SPDX-License-Identifier: MIT
 *
 * repair_desc.h: the feature EVENT_DESC, which repeats attrs and ids (tools/perf/util/header.c:
 * write_event_desc), in a section of a file or in a record. repair_events.c mends these by it.
 */
#ifndef PC_REPAIR_DESC_H
#define PC_REPAIR_DESC_H

#include "write/salvage.h"

/* More events are not looked at. */
#define PC_DESC_EVENTS_MAX 1024

/* An event of EVENT_DESC: places in its bytes. */
struct pc_desc_event {
    size_t attr_at, ids_at;
    uint64_t nr_ids;
};

struct pc_desc {
    struct pc_salvage *s;
    struct pc_input in; /* with all patches so far */
    enum pc_order order;
    uint64_t slot[PC_SLOTS]; /* of the header */
    unsigned char *bytes;    /* of the feature: size of them, at this place */
    uint64_t size, at;
    uint64_t attr_size;
    struct pc_desc_event *event; /* nr of them */
    size_t nr, cap;
    bool sound;
    unsigned char *seen; /* room for as much as a part of the feature */
    bool sure;           /* some attrs are none where they were: fewer errors may be found without */
};

/* Reads the feature of a file, by the header and the table. False: it is not there. */
bool pc_desc_find(struct pc_desc *desc, const unsigned char *head);

/* The same of a section at this place, which may be of another feature. */
bool pc_desc_find_at(struct pc_desc *desc, uint64_t offset, uint64_t size);

/* Reads the feature from the first record that is one, wherever it begins behind a place: what is before it
 * may be damaged. False: there is none. */
bool pc_desc_find_record(struct pc_desc *desc, uint64_t from);

/* Whether the file has these bytes at this place: n of them, no more than the feature has. */
bool pc_desc_has(struct pc_desc *desc, uint64_t offset, const unsigned char *bytes, size_t n);

/* The size of the record of an attr and its ids, which the feature has. */
static inline uint64_t pc_desc_record_size(const struct pc_desc *desc, size_t i)
{
    return PC_RECORD_HEADER_SIZE + desc->attr_size + 8 * desc->event[i].nr_ids;
}

/* Frees what it has of the feature, so that another one can be read. */
void pc_desc_forget(struct pc_desc *desc);

#endif
