/* SPDX-License-Identifier: MIT
 *
 * reader_parts.h (floor 5): among the files of the reader. window.c holds the bytes at the current place,
 * resync.c finds records after damage, reader.c puts items in their order; reader_payload.c reads what
 * follows a record outside of its size; reader_head.c the header, attrs and features of a file;
 * reader_ranges.c what the sections of a file say of each other; reader_content.c opens compressed records,
 * reader_streams.c directories.
 */
#ifndef PC_READER_PARTS_H
#define PC_READER_PARTS_H

#include "bytes/cursor.h"
#include "read/reader.h"

/* One window holds the largest record and enough behind it to recognise records after damage. */
#define PC_WINDOW ((size_t)512 << 10)

enum pc_range_kind {
    PC_RANGE_HEADER,
    PC_RANGE_ATTRS,
    PC_RANGE_IDS,
    PC_RANGE_TYPES,
    PC_RANGE_DATA,
    PC_RANGE_TABLE,
    PC_RANGE_FEATURE
};

/* Bytes of the file that a section claims. */
struct pc_range {
    uint64_t start, end;
    enum pc_range_kind kind;
    uint64_t number; /* attr or feature bit */
};

/* The header of a record; its table is pc_record_header. */
struct pc_record_head {
    uint32_t type;
    uint16_t misc, size;
};

static inline struct pc_record_head pc_load_head(const unsigned char *p, enum pc_order order)
{
    return (struct pc_record_head){ (uint32_t)pc_load(p, 4, order), (uint16_t)pc_load(p + 4, 2, order),
                                    (uint16_t)pc_load(p + 6, 2, order) };
}

/* Whether these bytes can be the header of a record that a writer wrote; *size is what it says. */
bool pc_plausible_header(const struct pc_reader *r, const unsigned char *p, uint64_t *size);

/* Bytes read, or decompressed, at once: what stays in a second-level cache. */
#define PC_FILL ((size_t)256 << 10)

/* The offset that people are told of a place in the window at hand; the report takes its findings to be
 * there. */
uint64_t pc_reader_place(struct pc_reader *r, uint64_t pos);

/* Makes room for n bytes at the current place of the window at hand. What it moves is at most a few times
 * what was consumed since it moved bytes the last time. */
void pc_reader_make_room(struct pc_reader *r, size_t n);

/* Makes at least n bytes available at the current place, when there are that many; returns how many there
 * are. */
size_t pc_reader_refill(struct pc_reader *r, size_t n);
static inline size_t pc_reader_available(struct pc_reader *r, size_t n)
{
    size_t have = r->w->len - r->w->at;
    return have >= n ? have : pc_reader_refill(r, n);
}

/* Bytes of the window at hand become no item. */
void pc_reader_skip(struct pc_reader *r, uint64_t offset, uint64_t n);

/* --- resync.c --- */

/* The record header at the current place is wrong: reports it and goes on at the next place where records can
 * be recognised. */
void pc_reader_damaged(struct pc_reader *r, enum pc_diag id, uint32_t type, uint64_t seen, uint64_t expected);
/* Where the next record begins is not known: goes on where one can be recognised. */
void pc_reader_skip_doubtful(struct pc_reader *r);
/* The content of compressed records ended inside a record. When other records lead from a place in it to the
 * very end, its size is wrong: reports it, goes on there and returns true. */
bool pc_reader_resume_content(struct pc_reader *r);
/* A size that breaks the grid of 8 bytes, or that of an unknown type, is followed only when it leads to
 * another record. Else the record is damage: returns what to call it, or PC_NO_DIAG when there is no doubt.
 */
enum pc_diag pc_reader_doubtful_size(struct pc_reader *r, const struct pc_record_head *head, size_t have);

/* --- reader_payload.c --- */

/* The bytes that follow the record in the stream, outside its size; the stage changes when there are any. */
void pc_reader_expect_payload(struct pc_reader *r, const struct pc_item *item);
/* The next piece of them; false: nothing is left. */
bool pc_reader_next_payload(struct pc_reader *r, struct pc_item *item);

/* --- reader_content.c --- */

/* Begins with the content of a compressed record; the stage changes when there is any. */
void pc_reader_open_content(struct pc_reader *r, const struct pc_item *item);
/* The window at hand is that of the stream again, and offsets count there. */
void pc_reader_leave_content(struct pc_reader *r);
/* The size of the compressed record at the current place of the stream, where a known defect of perf made the
 * one that it says wrong; 0: it says what it is. */
size_t pc_reader_missized(struct pc_reader *r);
/* The end of the record, and of the stream. */
void pc_reader_close_content(struct pc_reader *r);
void pc_reader_end_content(struct pc_reader *r);

/* Lists the directory that the input is, and makes `data` the input. False: there is none to read. */
bool pc_reader_open_directory(struct pc_reader *r);
/* Goes on with the next data.N; false: there is none. */
bool pc_reader_next_stream(struct pc_reader *r);
/* What kcore_dir holds. */
void pc_reader_check_kcore(struct pc_reader *r);

/* A finding without values. */
struct pc_finding pc_reader_finding(enum pc_diag id, enum pc_place place, uint64_t offset, uint64_t length);

void pc_reader_say_out_of_memory(struct pc_reader *r, const char *doing);

/* A read delivered less than it must: an error of the system, or the file became shorter. */
void pc_reader_say_short_read(struct pc_reader *r, uint64_t offset);

/* Makes r->section hold size bytes, those of the stream from offset; false after saying why it can't. */
bool pc_reader_section_room(struct pc_reader *r, uint64_t offset, uint64_t size);

/* What adding an id to the map came to; record: the HEADER_ATTR it stands in, or NULL. */
void pc_reader_say_id(struct pc_reader *r, enum pc_id_outcome outcome, uint32_t attr, uint64_t i, uint64_t id,
                      uint32_t other, uint64_t offset, const struct pc_item *record);

/* The header: everything that it says is checked against the input. False: there is no capture to read. */
bool pc_reader_open_capture(struct pc_reader *r, struct pc_item *item);

/* The next entry of the attr section, or feature section, of a file; false: there is none. */
bool pc_reader_next_attr(struct pc_reader *r, struct pc_item *item);
bool pc_reader_next_feature(struct pc_reader *r, struct pc_item *item);

/* Bytes start..end of the file belong to a section. */
void pc_reader_add_range(struct pc_reader *r, enum pc_range_kind kind, uint64_t number, uint64_t start,
                         uint64_t end);

/* Compares all of them: what overlaps, what nobody claims. */
void pc_reader_check_ranges(struct pc_reader *r);

#endif
