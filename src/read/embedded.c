/* SPDX-License-Identifier: MIT
 *
 * Inputs that do not begin with a capture but have one in them, whole or without its beginning.
 */
#include "read/parts.h"
#include "read/plausible.h"
#include "read/window.h"

#include <string.h>

/* --- in a tar archive --- */

#define TAR_BLOCK   PC_ARCHIVE_BLOCK
#define TAR_MEMBERS 4096 /* so many are looked at */

/* Fields of the header of a member, and kinds of members that hold the name of the next one. */
enum {
    TAR_NAME = 100,
    TAR_SIZE_AT = 124,
    TAR_SUM_AT = 148,
    TAR_SUM = 8,
    TAR_KIND_AT = 156,
    TAR_MAGIC_AT = 257
};
enum { TAR_PREFIX_AT = 345, TAR_PREFIX = 155 };
enum { TAR_LONG_NAME = 'L', TAR_PAX = 'x' };

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

/* Whether the sum of the bytes of a header is the one in it, which counts as blanks. */
static bool has_sum(const unsigned char *block)
{
    uint64_t sum = 0, said;
    for (size_t i = 0; i < TAR_BLOCK; i++)
        sum += i - TAR_SUM_AT < TAR_SUM ? ' ' : block[i];
    return octal(block + TAR_SUM_AT, TAR_SUM, &said) && said == sum;
}

static bool is_ustar(const unsigned char *block)
{
    return memcmp(block + TAR_MAGIC_AT, "ustar", 5) == 0;
}

bool pc_begins_tar(struct pc_span head)
{
    return head.len >= TAR_BLOCK && (is_ustar(head.ptr) || has_sum(head.ptr));
}

/* The name of a member, which its own header has, or, if it is long or in UTF-8, another member before it. */
struct tar_name {
    unsigned char text[TAR_BLOCK];
    size_t len;
};

static void add_name(struct tar_name *name, const unsigned char *text, size_t most)
{
    size_t len = strnlen((const char *)text, most);
    memcpy(name->text + name->len, text, len);
    name->len += len;
}

/* Takes the name of the next member from the first block of the content of this one, if it holds that. */
static void learn_name(struct tar_name *name, const unsigned char *block, const unsigned char *content,
                       uint64_t size)
{
    static const char path[] = " path=";
    size_t most = size < TAR_BLOCK ? (size_t)size : TAR_BLOCK, at = 0;
    name->len = 0;
    if (block[TAR_KIND_AT] == TAR_LONG_NAME)
        add_name(name, content, most);
    if (block[TAR_KIND_AT] != TAR_PAX)
        return;
    while (at + strlen(path) < most && memcmp(content + at, path, strlen(path)) != 0)
        at++;
    const unsigned char *text = content + at + strlen(path);
    const unsigned char *end = at + strlen(path) < most ? memchr(text, '\n', most - at - strlen(path)) : NULL;
    if (end)
        add_name(name, text, (size_t)(end - text));
}

static void take_name(struct tar_name *name, const unsigned char *block)
{
    if (name->len != 0)
        return;
    if (memcmp(block + TAR_MAGIC_AT, "ustar", 6) == 0 && block[TAR_PREFIX_AT] != 0) {
        add_name(name, block + TAR_PREFIX_AT, TAR_PREFIX);
        name->text[name->len++] = '/';
    }
    add_name(name, block, TAR_NAME);
}

/* Of a long name, the end. */
static struct pc_value name_value(const struct tar_name *name)
{
    unsigned char shown[PC_VALUE_MAX] = "...";
    size_t dots = 3, from = name->len <= PC_VALUE_MAX ? 0 : name->len - (PC_VALUE_MAX - dots);
    if (from == 0)
        return pc_bytes_value((struct pc_span){ name->text, name->len });
    while (from < name->len && (name->text[from] & 0xc0) == 0x80) /* not within a character */
        from++;
    memcpy(shown + dots, name->text + from, name->len - from);
    return pc_bytes_value((struct pc_span){ shown, dots + name->len - from });
}

bool pc_reader_say_member(struct pc_reader *r, struct pc_span head)
{
    unsigned char block[TAR_BLOCK], first[TAR_BLOCK];
    struct tar_name name = { .len = 0 };
    uint64_t at = 0, size;
    for (unsigned nr = 0; nr < TAR_MEMBERS; nr++) {
        if (!read_block(r, head, at, block) || (!is_ustar(block) && !has_sum(block)) ||
            !octal(block + TAR_SIZE_AT, 12, &size))
            return false;
        at += TAR_BLOCK;
        if (size != 0 && !read_block(r, head, at, first))
            return false;
        if (size >= PC_PIPE_HEADER_SIZE && pc_is_magic(first)) {
            take_name(&name, block);
            pc_reader_say(r, PC_D_ARCHIVED, PC_IN_HEADER, at, 8, name_value(&name), pc_uint_value(at));
            return true;
        }
        if (size != 0)
            learn_name(&name, block, first, size);
        else
            name.len = 0;
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
    struct pc_span bytes = head;
    uint64_t zeros = 0, read = 0;
    *all = false;
    for (; read < ZEROS_MAX; read += bytes.len) {
        const size_t at = pc_first_nonzero(bytes);
        zeros += at;
        if (at < bytes.len)
            return zeros;
        zeros = pc_input_pass_hole(r->in, zeros);
        bytes.ptr = chunk;
        bytes.len = r->in->kind == PC_INPUT_FILE ? pc_input_read_at(r->in, zeros, chunk, sizeof(chunk))
                                                 : pc_input_read(r->in, chunk, sizeof(chunk), sizeof(chunk));
        if (bytes.len == 0) {
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
