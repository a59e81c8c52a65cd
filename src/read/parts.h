/* SPDX-License-Identifier: MIT
 *
 * parts.h: what the files of this folder do for each other and for reader.c; others see reader.h. The
 * functions are by file, in the order in which a capture passes them.
 */
#ifndef PC_READ_PARTS_H
#define PC_READ_PARTS_H

#include "read/state.h"
#include "read/window.h"

/* --- open.c --- */

/* Recognises the capture: a pipe or a file, its version and byte order. Everything that the header says is
 * checked against the input. False: there is no capture to read, which is reported. */
bool pc_reader_open_capture(struct pc_reader *r, struct pc_item *item);

/* --- foreign.c --- */

/* Reports what the input, which is no capture, seems to be. r->file.head has its first bytes, len of them. */
void pc_reader_say_foreign(struct pc_reader *r, size_t len);
/* Reports that the capture whose first PC_PIPE_HEADER_SIZE bytes are in r->file.head is encoded as text, in
 * which the magic stays as it is; false: it is not. */
bool pc_reader_say_encoded(struct pc_reader *r);

/* --- embedded.c --- */

/* Each reports one thing about an input, whose first bytes are given, and returns whether it is true: a tar
 * archive has a capture in it; a capture begins after other bytes, or without its header. */
bool pc_reader_say_member(struct pc_reader *r, struct pc_span head);
bool pc_begins_tar(struct pc_span head);
bool pc_reader_say_late(struct pc_reader *r, struct pc_span head);
/* Whether a capture begins with these PC_PIPE_HEADER_SIZE bytes. */
bool pc_begins_capture(const unsigned char *p);
/* The bytes of an archive at an offset, from its head or from the input, which is read up to there; how many
 * there are. Offsets grow. */
#define PC_ARCHIVE_BLOCK 512
size_t pc_reader_block(struct pc_reader *r, struct pc_span head, uint64_t offset,
                       unsigned char block[PC_ARCHIVE_BLOCK]);

/* --- zip.c --- */

/* Reports that the input is a zip archive, unless it has one member that is no capture; false: it is none. */
bool pc_reader_say_zip(struct pc_reader *r, struct pc_span head);

/* --- streams.c --- */

/* Lists the directory that the input is, and makes `data` the input. False: there is none to read. */
bool pc_reader_open_directory(struct pc_reader *r);
/* The features were read. If they cannot say whether the data.N belong to the capture, these do. */
void pc_reader_expect_streams(struct pc_reader *r);
/* Goes on with the next data.N; false: there is none. */
bool pc_reader_next_stream(struct pc_reader *r);
/* What kcore_dir holds. */
void pc_reader_check_kcore(struct pc_reader *r);

/* --- header.c --- */

/* The word of the header in r->file.head that a walk of pc_file_header saves in this slot. */
uint64_t pc_reader_head_word(const struct pc_reader *r, unsigned slot);
/* Reports something about that word. */
void pc_reader_say_header(struct pc_reader *r, enum pc_diag id, unsigned slot, struct pc_value seen,
                          struct pc_value expected);

/* Checks all sections of the file whose header is in r->file.head, and sets where its attrs, features and
 * records are read. */
void pc_reader_open_sections(struct pc_reader *r);

/* --- ranges.c --- */

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

/* Bytes start..end of the file belong to a section. */
void pc_reader_add_range(struct pc_reader *r, enum pc_range_kind kind, uint64_t number, uint64_t start,
                         uint64_t end);

/* Compares all of them: what overlaps, what belongs to no section. */
void pc_reader_check_ranges(struct pc_reader *r);

/* --- section.c --- */

/* Makes r->file.section hold size bytes, those of the stream from offset; false after saying why it can't. */
bool pc_reader_section_room(struct pc_reader *r, uint64_t offset, uint64_t size);
/* Reads them there; false and a finding when that cannot be. */
bool pc_reader_read_section(struct pc_reader *r, uint64_t offset, uint64_t size);

/* Offset and size of a section, in bytes that a walk of pc_section reads. */
void pc_load_section(struct pc_span raw, enum pc_order order, uint64_t *offset, uint64_t *size);
/* How many entries the feature table behind the data has: `slots`, as the header says, unless the table is
 * another one, whose sections follow each other up to the very end of the file. */
uint64_t pc_reader_count_entries(struct pc_reader *r, uint64_t slots);
/* Whether a table is here, with as many entries as the header says, whose sections follow each other behind
 * it up to the end of the file. */
bool pc_reader_has_table(struct pc_reader *r, uint64_t at);
/* How many bytes behind the end of the data, which begin at `data`, the feature table is, modulo 2^64, when
 * bytes were inserted or lost before it, so that its sections were moved as far; 0: it is there, or nowhere.
 */
uint64_t pc_reader_find_moved(struct pc_reader *r, uint64_t data, uint64_t end);
/* Those of an entry of the feature table; false: it cannot be read, which is reported. */
bool pc_reader_table_slot(struct pc_reader *r, uint64_t slot, uint64_t *offset, uint64_t *size);

/* The next feature section of a file; false: there is none. */
bool pc_reader_next_feature(struct pc_reader *r, struct pc_item *item);

/* --- attrs.c --- */

/* The next entry of the attr section of a file; false: there is none. */
bool pc_reader_next_attr(struct pc_reader *r, struct pc_item *item);
/* The attr of a HEADER_ATTR, as the attr section of a file has it. */
void pc_reader_take_header_attr(struct pc_reader *r, const struct pc_item *item);

/* --- damage.c --- */

/* So many headers in a row must be plausible for a place to count as the start of a record after damage, and
 * so many bytes are looked at to tell. */
#define PC_CHAIN      3
#define PC_LOOK_AHEAD ((size_t)(PC_CHAIN + 1) * (PC_RECORD_SIZE_MAX + 1))

/* Remembers the first damage of a stream, and the zeros and the text around it: in the record before, which
 * is still in the window, and after it. Whether this is the first. */
bool pc_reader_keep_damage(struct pc_reader *r, enum pc_diag id);
/* It is in the last record, which is in the window, ends here, and so many bytes before where its size says.
 */
void pc_reader_keep_swallowed(struct pc_reader *r, uint64_t swallowed);
/* So many bytes are the last ones, and a part of something of this type, if that is known: reports them. */
void pc_reader_say_cut(struct pc_reader *r, uint32_t type, uint64_t number, uint64_t offset, uint64_t n);

/* --- payload.c --- */

/* The bytes that follow the record in the stream, outside its size; the stage changes when there are any. */
void pc_reader_expect_payload(struct pc_reader *r, struct pc_item *item);
/* The next piece of them; false: nothing is left. */
bool pc_reader_next_payload(struct pc_reader *r, struct pc_item *item);
/* Where a record ends that is longer than its fields, when records go on after the payload that follows it
 * there; 0: not known. */
size_t pc_reader_find_payload(struct pc_reader *r, struct pc_span record);
/* Whether what seems to be the record before a payload may be none: its fields do not fill it, and the
 * payload reaches past the end. */
bool pc_reader_doubts_payload(struct pc_reader *r, struct pc_span record);

/* --- compressed.c --- */

/* Begins with the content of a compressed record; the stage changes when there is any. */
void pc_reader_open_content(struct pc_reader *r, const struct pc_item *item);
/* A compressed record came out of one, which the check reports. After many the rest of the zstd frame is left
 * out. */
void pc_reader_meet_nested(struct pc_reader *r);
/* The current window is that of the stream again, and offsets count there. */
void pc_reader_leave_content(struct pc_reader *r);
/* The size of the compressed record at the current place of the stream, where a known defect of perf made its
 * size field wrong; 0: the field is right. */
size_t pc_reader_size_wrapped(struct pc_reader *r);
/* The end of the record, and of the stream. */
void pc_reader_close_content(struct pc_reader *r);
/* Bytes of the stream before this item were skipped, and compressed records may be among them. Without those
 * the content of later ones means something else, which zstd may not notice: they are opened from the next
 * frame on. */
void pc_reader_miss_content(struct pc_reader *r);
/* Whether so many bytes at a place of the stream, which were skipped, held nothing of its content. If so,
 * notes the compressed record before them. */
bool pc_reader_misses_nothing(struct pc_reader *r, uint64_t at, uint64_t skipped);
void pc_reader_end_content(struct pc_reader *r);

#endif
