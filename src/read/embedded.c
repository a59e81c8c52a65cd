/* SPDX-License-Identifier: MIT
 *
 * Inputs that do not begin with a capture but have one in them, whole or without its beginning.
 */
#include "read/parts.h"
#include "read/plausible.h"
#include "read/window.h"

#include <string.h>

/* --- in a tar archive --- */

#define TAR_BLOCK    PC_ARCHIVE_BLOCK
#define TAR_SIZE_AT  124
#define TAR_MAGIC_AT 257
#define TAR_NAME     100
#define TAR_MEMBERS  4096 /* so many are looked at */

/* A number in octal digits, up to a blank or NUL; false: it is none. */
static bool octal(const unsigned char *digits, size_t len, uint64_t *number)
{
    size_t i = 0;
    *number = 0;
    while (i < len && digits[i] == ' ')
        i++;
    for (; i < len && digits[i] >= '0' && digits[i] < '8'; i++)
        *number = *number * 8 + (uint64_t)(digits[i] - '0');
    return i == len || digits[i] == ' ' || digits[i] == 0;
}

size_t pc_reader_block(struct pc_reader *r, struct pc_span head, uint64_t offset,
                       unsigned char block[PC_ARCHIVE_BLOCK])
{
    if (offset < head.len && head.len - offset >= PC_ARCHIVE_BLOCK) {
        memcpy(block, head.ptr + (size_t)offset, PC_ARCHIVE_BLOCK);
        return PC_ARCHIVE_BLOCK;
    }
    if (r->in->kind == PC_INPUT_FILE)
        return pc_input_read_at(r->in, offset, block, PC_ARCHIVE_BLOCK);
    size_t known = offset < head.len ? head.len - (size_t)offset : 0;
    if (known != 0)
        memcpy(block, head.ptr + (size_t)offset, known);
    while (r->in->pos < offset) {
        uint64_t left = offset - r->in->pos;
        if (pc_input_read(r->in, block, 1, left < PC_ARCHIVE_BLOCK ? (size_t)left : PC_ARCHIVE_BLOCK) == 0)
            return 0;
    }
    return known + pc_input_read(r->in, block + known, PC_ARCHIVE_BLOCK - known, PC_ARCHIVE_BLOCK - known);
}

static bool read_block(struct pc_reader *r, struct pc_span head, uint64_t offset,
                       unsigned char block[TAR_BLOCK])
{
    return pc_reader_block(r, head, offset, block) == TAR_BLOCK;
}

bool pc_reader_say_member(struct pc_reader *r, struct pc_span head)
{
    unsigned char block[TAR_BLOCK], first[TAR_BLOCK];
    uint64_t at = 0, size;
    for (unsigned nr = 0; nr < TAR_MEMBERS; nr++) {
        if (!read_block(r, head, at, block) || memcmp(block + TAR_MAGIC_AT, "ustar", 5) != 0 ||
            !octal(block + TAR_SIZE_AT, 12, &size))
            return false;
        at += TAR_BLOCK;
        if (size != 0 && !read_block(r, head, at, first))
            return false;
        if (size >= PC_PIPE_HEADER_SIZE && pc_is_magic(first)) {
            struct pc_span name = { block, strnlen((const char *)block, TAR_NAME) };
            pc_reader_say(r, PC_D_ARCHIVED, PC_IN_HEADER, at, 8, pc_bytes_value(name), pc_uint_value(at));
            return true;
        }
        at += (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK; /* 12 octal digits: no overflow */
    }
    return false;
}

/* --- after other bytes --- */

/* Whether the word after the magic is the size of a header. */
static bool has_header_size(const unsigned char *p)
{
    uint64_t little = pc_load(p + 8, 8, PC_LITTLE), big = pc_load(p + 8, 8, PC_BIG);
    uint64_t size = little < big ? little : big;
    return size == PC_PIPE_HEADER_SIZE || size == PC_FILE_HEADER_OLD || size == PC_FILE_HEADER_SIZE;
}

bool pc_begins_capture(const unsigned char *p)
{
    return pc_is_magic(p) && has_header_size(p);
}

/* --- without its header --- */

/* So many known records in a row are no accident; at the beginning of the input, fewer. */
#define CHAIN       6
#define CHAIN_START 3

/* Whether records follow each other from a place on, or up to the end of the bytes. */
static bool are_records(struct pc_span bytes, size_t at, enum pc_order order)
{
    unsigned chain = at == 0 ? CHAIN_START : CHAIN;
    for (unsigned i = 0; i < chain; i++) {
        if (at == bytes.len)
            return i > 1;
        if (bytes.len - at < PC_RECORD_HEADER_SIZE || !pc_may_follow(bytes.ptr + at, order))
            return false;
        struct pc_record_head record = pc_load_head(bytes.ptr + at, order);
        if (!pc_record_info(record.type) || record.size > bytes.len - at)
            return false;
        at += record.size;
    }
    return true;
}

static bool say_records(struct pc_reader *r, struct pc_span head)
{
    if (head.len < PC_PIPE_HEADER_SIZE || has_header_size(head.ptr))
        return false; /* only the magic is wrong */
    for (size_t at = 0; at < head.len; at++) {
        if (!are_records(head, at, PC_LITTLE) && !are_records(head, at, PC_BIG))
            continue;
        pc_reader_say(r, PC_D_HEADER_LOST, PC_IN_HEADER, 0, 0, pc_uint_value(at), pc_none);
        return true;
    }
    return false;
}

/* --- zeros --- */

/* Zeros in place of a header; this many bytes of them are read. */
#define ZEROS_MIN 64
#define ZEROS_MAX ((uint64_t)64 << 20)

/* How many zeros the input begins with, those of `head` first; *all: there is nothing else. */
static uint64_t count_zeros(struct pc_reader *r, struct pc_span head, bool *all)
{
    unsigned char chunk[TAR_BLOCK * 8];
    uint64_t zeros = 0, read = 0;
    size_t got = head.len, at = 0;
    *all = false;
    memcpy(chunk, head.ptr, head.len);
    for (; read < ZEROS_MAX; read += got) {
        for (at = 0; at < got && chunk[at] == 0;)
            at++;
        zeros += at;
        if (at < got)
            return zeros;
        zeros = pc_input_pass_hole(r->in, zeros);
        got = r->in->kind == PC_INPUT_FILE ? pc_input_read_at(r->in, zeros, chunk, sizeof(chunk))
                                           : pc_input_read(r->in, chunk, sizeof(chunk), sizeof(chunk));
        if (got == 0) {
            *all = !r->in->error;
            return zeros;
        }
    }
    return zeros;
}

static bool say_zeros(struct pc_reader *r, struct pc_span head)
{
    bool all = false;
    uint64_t zeros = head.len != 0 && head.ptr[0] == 0 ? count_zeros(r, head, &all) : 0;
    if (zeros < ZEROS_MIN && !all)
        return false;
    pc_reader_say(r, PC_D_BEGINS_ZERO, PC_IN_HEADER, 0, zeros, pc_uint_value(zeros),
                  pc_text_value(all ? "there is nothing else" : "the header is lost"));
    return true;
}

bool pc_reader_say_late(struct pc_reader *r, struct pc_span head)
{
    size_t at = 1;
    while (at + PC_PIPE_HEADER_SIZE <= head.len && !pc_begins_capture(head.ptr + at))
        at++;
    if (at + PC_PIPE_HEADER_SIZE <= head.len) {
        pc_reader_say(r, PC_D_CAPTURE_LATE, PC_IN_HEADER, 0, at, pc_uint_value(at), pc_uint_value(at + 1));
        return true;
    }
    return say_zeros(r, head) || say_records(r, head);
}
