/* SPDX-License-Identifier: MIT */
#include "check/behind.h"

#include "bytes/cursor.h"
#include "format/tables.h"
#include "read/capture.h"
#include "read/plausible.h"

/* No more bytes are taken for lost or inserted. */
#define MOVED_MAX ((uint64_t)1 << 20)

#define WINDOW 8192
#define BEFORE 512 /* in the window, of a place that is not in it: the next one to be looked at is near */

struct search {
    struct pc_input file;
    const struct pc_behind *header;
    uint64_t left; /* entries that may still be looked at */
    uint64_t at;   /* of the window */
    size_t have;
    unsigned char window[WINDOW];
};

static struct search begin_search(const struct pc_input *in, const struct pc_behind *header)
{
    return (struct search){ .file = *in, .header = header };
}

/* The input has read what the search has. */
static void end_search(struct pc_input *in, const struct search *s)
{
    in->error = s->file.error;
    in->bytes_read = s->file.bytes_read;
}

struct pc_behind pc_behind_of(enum pc_order order, const uint64_t *words)
{
    return (struct pc_behind){ order,
                               words[PC_HEAD_ATTR_SIZE - PC_HEAD_ATTR_SIZE],
                               words[PC_HEAD_ATTRS_OFFSET - PC_HEAD_ATTR_SIZE],
                               words[PC_HEAD_ATTRS_SIZE - PC_HEAD_ATTR_SIZE],
                               words[PC_HEAD_DATA_OFFSET - PC_HEAD_ATTR_SIZE],
                               words[PC_HEAD_DATA_SIZE - PC_HEAD_ATTR_SIZE] };
}

/* Whether the header has attrs of a known size. */
static bool are_entries(const struct pc_behind *h)
{
    uint64_t end;
    return h->entry > PC_SECTION_SIZE && pc_attr_size_known(h->entry - PC_SECTION_SIZE) && h->size != 0 &&
           h->size % h->entry == 0 && h->size / h->entry <= PC_ATTRS_MAX && pc_add(h->attrs, h->size, &end);
}

bool pc_is_behind(const struct pc_behind *h)
{
    uint64_t end;
    return h->data_size != 0 && pc_add(h->data, h->data_size, &end) && h->attrs >= end && are_entries(h);
}

/* Whether the window has so many bytes from a place on. */
PC_INLINE bool has(const struct search *s, uint64_t at, size_t n)
{
    return at - s->at <= s->have && n <= s->have - (at - s->at); /* far off, if it is before the window */
}

/* The bytes at a place, or NULL: the file has not so many. They stay until others are asked for. */
PC_INLINE const unsigned char *bytes_at(struct search *s, uint64_t at, size_t n)
{
    if (!has(s, at, n)) {
        s->at = at > BEFORE ? at - BEFORE : 0;
        s->have = pc_input_read_at(&s->file, s->at, s->window, WINDOW);
        if (!has(s, at, n))
            return NULL;
    }
    return s->window + (at - s->at);
}

/* Whether an attr that has room in an entry may begin here. */
PC_INLINE bool begins_attr(struct search *s, uint64_t at)
{
    const unsigned char *bytes = bytes_at(s, at + PC_ATTR_SIZE_AT, 4);
    const uint64_t size = bytes ? pc_load(bytes, 4, s->header->order) : 0;
    return size - 1 < s->header->entry - PC_SECTION_SIZE && pc_attr_size_known(size);
}

/* Whether the attr section is here. The ids of each attr follow those of the one before; *first: where those
 * of the first one began. */
static bool is_section(struct search *s, uint64_t at, uint64_t *first)
{
    const struct pc_behind *h = s->header;
    uint64_t due = 0;
    for (uint64_t i = 0; i < h->size; i += h->entry) {
        if (s->left == 0 || !begins_attr(s, at + i))
            return false;
        s->left--;
        const unsigned char *section = bytes_at(s, at + i + h->entry - PC_SECTION_SIZE, PC_SECTION_SIZE);
        if (!section)
            return false;
        const uint64_t offset = pc_load(section, 8, h->order), size = pc_load(section + 8, 8, h->order);
        *first = i == 0 ? offset : *first;
        if ((i == 0 ? offset < h->data : offset != due) || size % 8 != 0 || !pc_add(offset, size, &due) ||
            due > h->attrs)
            return false;
    }
    return due == h->attrs;
}

bool pc_begin_attrs(struct pc_input *in, const struct pc_behind *h)
{
    struct search s = begin_search(in, h);
    bool all = are_entries(h) && h->size <= in->size && h->attrs <= in->size - h->size;
    for (uint64_t i = 0; i < h->size && all; i += h->entry)
        all = begins_attr(&s, h->attrs + i);
    end_search(in, &s);
    return all;
}

uint64_t pc_ids_behind(struct pc_input *in, const struct pc_behind *h)
{
    struct search s = begin_search(in, h);
    uint64_t first = 0;
    if (!are_entries(h) || h->size > in->size || h->attrs > in->size - h->size)
        return 0;
    s.left = h->size / h->entry;
    const bool found = is_section(&s, h->attrs, &first);
    end_search(in, &s);
    return found ? first : 0;
}

/* Whether it is here, and behind the data. */
static bool is_behind(struct search *s, uint64_t at)
{
    uint64_t first;
    return is_section(s, at, &first) && first >= s->header->data + s->header->data_size;
}

uint64_t pc_find_behind(struct pc_input *in, const struct pc_behind *h)
{
    struct search s = begin_search(in, h);
    if (!pc_is_behind(h) || h->size > in->size)
        return 0;
    const uint64_t last = in->size - h->size, most = pc_add_saturated(h->attrs, MOVED_MAX),
                   end = most < last ? most : last,
                   lost = h->data_size <= MOVED_MAX ? h->data_size - 1 : MOVED_MAX; /* at most */
    uint64_t found = 0, at = h->attrs - lost;
    s.left = 2 * (h->size / h->entry) + (at < end ? (end - at) / 8 : 0);
    if (h->attrs <= last && is_behind(&s, h->attrs))
        found = h->attrs;
    for (; found == 0 && at <= end && s.left != 0 && s.file.error == 0; at++) {
        if (begins_attr(&s, at) && is_behind(&s, at))
            found = at;
    }
    end_search(in, &s);
    return found;
}
