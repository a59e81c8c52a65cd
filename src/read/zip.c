/* SPDX-License-Identifier: MIT
 *
 * Zip archives: which member is a capture, and the command that unpacks it.
 */
#include "bytes/gzip.h"
#include "read/parts.h"

#include <stdio.h>
#include <string.h>

#define MEMBERS_MAX 4096 /* so many are looked at */

/* Offsets in the header of a member, and values there: sizes that come behind the content or elsewhere. */
enum { FLAGS = 6, METHOD = 8, SIZE = 18, NAME_LEN = 26, EXTRA_LEN = 28, NAME = 30 };
enum { SIZE_LATER = 8, DEFLATED = 8 };

struct zip {
    uint64_t members, captures;
    char name[PC_VALUE_MAX]; /* of the first capture; "": it has a longer one, or one that a shell changes */
    bool is_data;            /* it is called like a member of a directory capture */
};

static uint64_t load(const unsigned char *block, size_t at, unsigned width)
{
    return pc_load(block + at, width, PC_LITTLE);
}

/* The last part of a name: "data" or "data.5" is that of a member of a directory. */
static bool is_data(const char *name, size_t len)
{
    size_t last = len;
    while (last > 0 && name[last - 1] != '/')
        last--;
    return len - last >= 4 && memcmp(name + last, "data", 4) == 0 &&
           (len - last == 4 || name[last + 4] == '.');
}

/* Whether a command can name it as it is; IN and OUT stand for other names there. */
static bool is_plain(struct pc_span name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/";
    for (size_t i = 0; i < name.len; i++) {
        if (name.ptr[i] == 0 || !strchr(plain, name.ptr[i]) ||
            (i + 2 <= name.len && memcmp(name.ptr + i, "IN", 2) == 0) ||
            (i + 3 <= name.len && memcmp(name.ptr + i, "OUT", 3) == 0))
            return false;
    }
    return name.len != 0 && name.ptr[0] != '-';
}

static bool begins_capture(const unsigned char *block, size_t got, size_t start)
{
    unsigned char first[PC_PIPE_HEADER_SIZE];
    if (start >= got)
        return false;
    struct pc_span content = { block + start, got - start };
    if (load(block, METHOD, 2) == DEFLATED) {
        content.len = pc_inflate_start(content, first, sizeof(first));
        content.ptr = first;
    }
    return content.len >= PC_PIPE_HEADER_SIZE && pc_begins_capture(content.ptr);
}

static void keep_capture(struct zip *z, struct pc_span name)
{
    static const size_t room = PC_VALUE_MAX - sizeof("unzip -p IN  >OUT");
    if (z->captures++ != 0)
        return;
    z->is_data = is_data((const char *)name.ptr, name.len);
    if (name.len <= room && is_plain(name))
        memcpy(z->name, name.ptr, name.len);
}

/* Looks at the members up to one that does not say how long it is. */
static void look(struct pc_reader *r, struct pc_span head, struct zip *z)
{
    unsigned char block[PC_ARCHIVE_BLOCK];
    uint64_t at = 0;
    for (unsigned nr = 0; nr < MEMBERS_MAX; nr++) {
        size_t got = pc_reader_block(r, head, at, block);
        if (got < NAME || memcmp(block, "PK\3\4", 4) != 0)
            break;
        const struct pc_span name = { block + NAME, (size_t)load(block, NAME_LEN, 2) };
        const size_t start = NAME + name.len + (size_t)load(block, EXTRA_LEN, 2);
        const uint64_t size = load(block, SIZE, 4);
        if (name.len == 0 || name.len > got - NAME)
            break;
        z->members += name.ptr[name.len - 1] != '/';
        if (begins_capture(block, got, start))
            keep_capture(z, name);
        if ((load(block, FLAGS, 2) & SIZE_LATER) || size == UINT32_MAX)
            break;
        at += start + size;
    }
}

/* The first name is that of a directory, or of a member of a directory capture. */
static bool begins_directory(struct pc_span head)
{
    size_t len = (size_t)load(head.ptr, NAME_LEN, 2);
    const char *name = (const char *)head.ptr + NAME;
    return len != 0 && len <= head.len - NAME && (name[len - 1] == '/' || is_data(name, len));
}

bool pc_reader_say_zip(struct pc_reader *r, struct pc_span head)
{
    if (head.len < NAME || memcmp(head.ptr, "PK\3\4", 4) != 0)
        return false;
    struct zip z = { 0 };
    char command[PC_VALUE_MAX];
    struct pc_value all = pc_text_value("unzip -d OUT IN"), seen;
    look(r, head, &z);
    if (r->in->error)
        return false;
    if (z.captures == 1 && !z.is_data && z.name[0] != 0) {
        int n = snprintf(command, sizeof(command), "unzip -p IN %s >OUT", z.name);
        all = pc_bytes_value((struct pc_span){ (const unsigned char *)command, (size_t)n });
        seen = pc_text_value(z.members > 1 ? "zip, with other files" : "zip");
    } else if (begins_directory(head) || z.is_data) {
        seen = pc_text_value("zip, as a directory");
    } else if (z.captures != 0 && z.members > 1) {
        seen = pc_text_value(z.captures == 1 ? "zip, with other files" : "zip, with other captures");
    } else if (z.captures == 0 && z.members > 1) {
        pc_reader_say(r, PC_D_FOREIGN, PC_IN_HEADER, 0, 4, pc_text_value("a zip archive"),
                      pc_text_value("unzip -l IN"));
        return true;
    } else {
        return false;
    }
    pc_reader_say(r, PC_D_WRAPPED, PC_IN_HEADER, 0, 4, seen, all);
    return true;
}
