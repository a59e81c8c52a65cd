/* SPDX-License-Identifier: MIT
 *
 * mutator_parts.h: the current capture, shared by the files of the mutator. mutator_map.c finds the parts,
 * mutator_settle.c keeps them consistent, mutator_record.c and mutator_frame.c have the operations,
 * mutator.c chooses one.
 */
#ifndef PC_FUZZ_MUTATOR_PARTS_H
#define PC_FUZZ_MUTATOR_PARTS_H

#include "bytes/cursor.h"
#include "format/field.h"
#include "format/tables.h"
#include "harness.h"

#define RECORDS 512
#define WORDS   512
#define EVENTS  64

/* A capture that is being changed. */
struct subject {
    unsigned char *bytes;
    size_t len, max;
    uint64_t random;
    bool fix; /* sizes and offsets are corrected after a change; 7 times in 8 */
    /* What was found. */
    enum pc_order order;
    bool known, pipe;
    size_t data, data_end;                          /* where records are */
    size_t attrs, attr_entry, nr_attrs, attrs_word; /* the word with their length in bytes */
    size_t size_word; /* place of the word with the length of the data; 0: none */
    size_t bitmap;    /* place; 0: none */
    size_t record[RECORDS], nr_records;
    size_t offset_word[WORDS], nr_words; /* places of words that hold offsets; a size follows each */
    size_t data_word;                    /* the one of them with the offset of the data; 0: none */
    struct pc_layout layout;             /* of the first attr */
};

/* A feature: a section of a file, or the content of a record of a pipe. */
struct feature {
    unsigned bit;
    size_t entry; /* in the table of a file; 0: none */
    size_t at, len;
};

/* An attr and its ids: an entry of a file and a section, or a record of a pipe. */
struct event {
    size_t at, len;
    size_t ids, ids_len;
    size_t entry;  /* of the section of ids; 0: none */
    size_t record; /* 0: none */
};

/* All attrs, to assign records to them. */
struct events {
    struct subject *s;
    struct event event[EVENTS];
    size_t nr;
    uint64_t id[EVENTS]; /* the first of each */
    struct pc_layout layout[EVENTS];
};

/* A random number less than that; 0 if that is 0. */
static inline uint64_t mut_pick(struct subject *s, uint64_t below)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return below == 0 ? 0 : (s->random >> 16) % below;
}

/* An integer of the capture in its byte order. Outside of it there are zeros that cannot be changed. */
static inline uint64_t mut_load(const struct subject *s, size_t at, unsigned width)
{
    return at <= s->len && width <= s->len - at ? pc_load(s->bytes + at, width, s->order) : 0;
}

static inline void mut_store(struct subject *s, size_t at, unsigned width, uint64_t value)
{
    if (at <= s->len && width <= s->len - at)
        pc_store(s->bytes + at, width, value, s->order);
}

/* mutator_map.c; a record is given by its index in `record`, unless the parameter is a place */
struct subject mut_subject_of(uint8_t *data, size_t size, size_t max_size, uint64_t seed);
/* Finds the parts. If bytes are inserted or removed, words with offsets follow; records and attrs do not and
 * must be found again. */
void mut_look(struct subject *s);
/* The bytes of options after the capture. They are no part of it during a change. */
size_t mut_options(const struct subject *s);
struct pc_span mut_part(const struct subject *s, size_t at, size_t n);
size_t mut_size_of(const struct subject *s, size_t record);
/* The bytes after a record, at a place, that belong to it. */
size_t mut_payload_of(const struct subject *s, size_t at, size_t size);
/* The length of a record, with the payload after it if the capture is kept consistent. */
size_t mut_whole_of(const struct subject *s, size_t record);
/* False: the record has no feature. */
bool mut_feature_of_record(const struct subject *s, size_t record, struct feature *f);
/* The place of the entry of a bit in the table of a file, also if there is none yet. */
size_t mut_entry_of(const struct subject *s, unsigned bit);
bool mut_find_feature(const struct subject *s, unsigned bit, struct feature *f);
bool mut_choose_feature(struct subject *s, struct feature *chosen);
/* Counts that a feature gives for the elements of others. */
struct pc_layout mut_feature_layout(const struct subject *s);
/* The first attrs; returns how many. */
size_t mut_find_events(const struct subject *s, struct event events[EVENTS]);
bool mut_choose_event(struct subject *s, struct event *e);
/* False: there are none, or one is damaged. */
bool mut_find_layouts(struct events *all, struct subject *s);
/* The length of the trailer of a record of this attr; 0: it has none. */
size_t mut_trailer_of(const struct events *all, size_t event, size_t record);
/* The attr of a kernel record. */
size_t mut_event_of(const struct events *all, size_t record);
/* Of any record. */
bool mut_is_of_event(const struct events *all, size_t event, size_t record);

/* mutator_settle.c */
/* Inserts n zeros at a place. False: there is no room. If all is kept consistent, offsets and the size of the
 * data follow. */
bool mut_insert(struct subject *s, size_t at, size_t n);
bool mut_insert_bytes(struct subject *s, size_t at, const unsigned char *bytes, size_t n);
void mut_cut(struct subject *s, size_t at, size_t n);
/* Copies n bytes to another place. moved: removes the originals. */
void mut_copy_bytes(struct subject *s, size_t from, size_t n, size_t to, bool moved);
/* The number of zeros that make this content; SIZE_MAX: impossible, or no room for it. */
size_t mut_least_content(const struct pc_field *table, const struct pc_layout *layout, enum pc_order order,
                         unsigned char *bytes, size_t room);
/* Sets its bit and makes its entry or record. False: there is no room. */
bool mut_add_feature(struct subject *s, unsigned bit, const unsigned char *content, size_t n);
void mut_drop_feature(struct subject *s, const struct feature *f);
/* fuzz_settle. */
void mut_settle(uint8_t *data, size_t size);
/* What is removed, or will be added. */
extern unsigned char mut_spare[FUZZ_INPUT_MAX];

/* mutator_record.c */
/* A value of so many bytes for a leaf: limits, limits of the capture, neighbours of the old value. */
uint64_t mut_boundary(struct subject *s, unsigned width, uint64_t old);

typedef void mut_operation(struct subject *s);
mut_operation mut_change_header_leaf, mut_change_attr_leaf, mut_change_feature_leaf, mut_change_record_leaf;
mut_operation mut_resize_record, mut_change_size, mut_change_type, mut_delete_record, mut_duplicate_record,
    mut_move_record, mut_swap_record_order, mut_wrap_records, mut_unwrap_record;

/* mutator_frame.c */
mut_operation mut_flip_sample_bit, mut_repeat_attr, mut_change_ids;
mut_operation mut_change_section, mut_move_section, mut_flip_feature, mut_swap_order, mut_swap_container;

#endif
