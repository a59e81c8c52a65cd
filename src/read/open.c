/* SPDX-License-Identifier: MIT
 *
 * The first bytes of a capture: what they are, and whether records or sections follow.
 */
#include "read/parts.h"
#include "read/plausible.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

static bool has_magic(struct pc_reader *r, size_t len, const char *magic)
{
    return memcmp(r->file.head, magic, len < 8 ? len : 8) == 0;
}

/* attr_size values by which a version 1 header shows its order: header.c: try_all_file_abis. */
static bool is_version_1_attr_size(uint64_t size)
{
    return size <= 120 && pc_attr_size_known(size - PC_SECTION_SIZE);
}

/* The byte order of a version 1 header, whose magic is the same in both; false: it cannot be told. */
static bool find_order(struct pc_reader *r, size_t len)
{
    struct pc_capture *capture = pc_reader_learn(r);
    const unsigned char *size = r->file.head + pc_row_at(pc_file_header, PC_HEAD_SIZE);
    const unsigned char *attr_size = r->file.head + pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE);
    uint64_t little = pc_load(size, 8, PC_LITTLE), big = pc_load(size, 8, PC_BIG);
    if (little == PC_PIPE_HEADER_SIZE || big == PC_PIPE_HEADER_SIZE || r->file.head + len < attr_size + 8) {
        /* A pipe; or the header is cut before attr_size, which is reported later. */
        capture->order = big < little ? PC_BIG : PC_LITTLE;
        return true;
    }
    little = pc_load(attr_size, 8, PC_LITTLE);
    big = pc_load(attr_size, 8, PC_BIG);
    if (!is_version_1_attr_size(little) && !is_version_1_attr_size(big)) {
        pc_reader_say_header(r, PC_D_VERSION_1_ORDER, PC_HEAD_ATTR_SIZE, pc_uint_value(little), pc_none);
        return false;
    }
    capture->order = is_version_1_attr_size(big) ? PC_BIG : PC_LITTLE;
    return true;
}

/* Finds version and byte order from the first bytes; false: no capture, which is reported. */
static bool recognise(struct pc_reader *r, size_t len)
{
    struct pc_capture *capture = pc_reader_learn(r);
    if (len == 0) {
        pc_reader_say(r, PC_D_INPUT_EMPTY, PC_IN_HEADER, 0, 0, pc_none, pc_none);
        return false;
    }
    bool version_1 = has_magic(r, len, PC_MAGIC_1);
    if (!version_1 && !has_magic(r, len, PC_MAGIC_LITTLE) && !has_magic(r, len, PC_MAGIC_BIG)) {
        pc_reader_say_foreign(r, len);
        return false;
    }
    if (len < PC_PIPE_HEADER_SIZE) {
        pc_reader_say(r, PC_D_INPUT_SHORT, PC_IN_HEADER, 0, len, pc_uint_value(len),
                      pc_uint_value(PC_PIPE_HEADER_SIZE));
        return false;
    }
    if (pc_reader_say_encoded(r))
        return false;
    capture->version = version_1 ? 1 : 2;
    capture->order = has_magic(r, len, PC_MAGIC_BIG) ? PC_BIG : PC_LITTLE;
    if (!version_1)
        return true;

    /* Recognised twice when it comes through a stream. */
    if (pc_report_found(r->report, PC_D_VERSION_1) == 0)
        pc_reader_say(r, PC_D_VERSION_1, PC_IN_HEADER, 0, 8, pc_none, pc_none);
    return find_order(r, len);
}

/* Whether the words behind attr_size say that the attrs are between the header and the data. */
static bool has_places(const struct pc_reader *r)
{
    const uint64_t attrs = pc_reader_head_word(r, PC_HEAD_ATTRS_OFFSET);
    uint64_t end;
    return attrs >= PC_FILE_HEADER_SIZE && pc_add(attrs, pc_reader_head_word(r, PC_HEAD_ATTRS_SIZE), &end) &&
           end > attrs && end == pc_reader_head_word(r, PC_HEAD_DATA_OFFSET);
}

/* perf 5.10 inject writes a file header in front of a pipe's records: defect D4 of FORMAT.md 12.5. A damaged
 * attr_size may look like the header of a record. */
static bool records_follow_header(const struct pc_reader *r, size_t len)
{
    uint64_t size;
    return len >= PC_PIPE_HEADER_SIZE + PC_RECORD_HEADER_SIZE &&
           pc_plausible_header(r, r->file.head + PC_PIPE_HEADER_SIZE, &size) &&
           !(len == PC_FILE_HEADER_SIZE && has_places(r));
}

/* Whether the first bytes are a whole header of a file; else reports that. */
static bool head_is_sound(struct pc_reader *r, size_t len)
{
    uint64_t size = pc_reader_head_word(r, PC_HEAD_SIZE);
    if (size != PC_FILE_HEADER_SIZE && size != PC_FILE_HEADER_OLD) {
        pc_reader_say_header(r, PC_D_HEADER_SIZE, PC_HEAD_SIZE, pc_uint_value(size),
                             pc_text_value("16, 72 or 104"));
        return false;
    }
    if (records_follow_header(r, len)) {
        pc_reader_say_header(r, PC_D_HEADER_RECORDS, PC_HEAD_ATTR_SIZE,
                             pc_hex_value(pc_reader_head_word(r, PC_HEAD_ATTR_SIZE)), pc_none);
        return false;
    }
    if (len < size) {
        pc_reader_say(r, PC_D_HEADER_CUT, PC_IN_HEADER, 0, len, pc_uint_value(len), pc_uint_value(size));
        return false;
    }
    return true;
}

/* Stores the rest of a file that comes through a stream, since its parts are not read in their order. */
static bool spool(struct pc_reader *r, size_t len)
{
    int error = pc_input_spool(r->in, r->mem, (struct pc_span){ r->file.head, len }, r->limits->spool);
    if (error == ENOMEM) {
        pc_reader_say_out_of_memory(r, "standard input was stored");
    } else if (error) {
        pc_reader_say(r, error == EFBIG ? PC_D_SPOOL_LIMIT : PC_D_READ_FAILED, PC_IN_HEADER, 0, 0,
                      pc_text_value(pc_text_error(error)), pc_uint_value(r->limits->spool));
    }
    return error == 0;
}

bool pc_reader_open_capture(struct pc_reader *r, struct pc_item *item)
{
    r->stage = PC_READ_OVER;
    if (r->in->kind == PC_INPUT_DIRECTORY && !pc_reader_open_directory(r))
        return false;
    struct pc_input *in = r->in;
    /* A small file fits with room left, which shows that there is no more. Members of a directory vary. */
    bool small = r->given->kind == PC_INPUT_FILE && in->size < PC_WINDOW;
    r->outer.room = small ? (size_t)in->size + 1 : PC_WINDOW;
    r->outer.bytes = pc_alloc_buffer(r->mem, r->outer.room);
    if (!r->outer.bytes) {
        pc_reader_say_out_of_memory(r, "the capture was opened");
        return false;
    }
    bool stream = in->kind == PC_INPUT_STREAM;
    size_t size = stream ? PC_PIPE_HEADER_SIZE : PC_FILE_HEADER_SIZE,
           len = pc_input_read(in, r->file.head, size, size);
    if (in->error) {
        pc_reader_say_short_read(r, len);
        return false;
    }
    if (!recognise(r, len))
        return false;
    if (pc_reader_head_word(r, PC_HEAD_SIZE) == PC_PIPE_HEADER_SIZE) {
        pc_reader_learn(r)->is_pipe = true;
        r->outer.offset = PC_PIPE_HEADER_SIZE;
        if (!stream)
            r->outer.end = in->size;
        r->stage = PC_READ_DATA;
        len = PC_PIPE_HEADER_SIZE;
    } else {
        if (stream) {
            len +=
                pc_input_read(in, r->file.head + len, PC_FILE_HEADER_SIZE - len, PC_FILE_HEADER_SIZE - len);
            if (in->error) {
                pc_reader_say_short_read(r, len);
                return false;
            }
            if (!recognise(r, len) || !head_is_sound(r, len))
                return false; /* before anything is stored */
            if (!spool(r, len))
                return false;
        } else if (!head_is_sound(r, len)) {
            return false;
        }
        pc_reader_open_sections(r);
    }
    *item = (struct pc_item){ .kind = PC_ITEM_HEADER, .bytes = { r->file.head, len } };
    return true;
}
