/* SPDX-License-Identifier: MIT */
#include "check/behind.h"

#include "bytes/cursor.h"
#include "format/tables.h"
#include "read/capture.h"
#include "read/plausible.h"

#define CHUNK 8192

/* No more bytes are taken for lost or inserted. */
#define MOVED_MAX ((uint64_t)1 << 20)
/* Entries that are looked at. */
#define ENTRIES_MAX ((uint64_t)4 * PC_ATTRS_MAX)

struct search {
    struct pc_input file;
    const struct pc_behind *header;
    uint64_t looked; /* entries */
};

bool pc_is_behind(const struct pc_behind *h)
{
    uint64_t end;
    return h->data_size != 0 && pc_add(h->data, h->data_size, &end) && h->attrs >= end &&
           h->entry > PC_SECTION_SIZE && pc_attr_size_known(h->entry - PC_SECTION_SIZE) && h->size != 0 &&
           h->size % h->entry == 0 && h->size / h->entry <= PC_ATTRS_MAX && pc_add(h->attrs, h->size, &end);
}

/* Whether these bytes may begin an attr that has room in an entry. */
static bool begins_attr(const struct pc_behind *h, const unsigned char *bytes)
{
    const uint64_t size = pc_load(bytes + PC_ATTR_SIZE_AT, 4, h->order);
    return size <= h->entry - PC_SECTION_SIZE && pc_attr_size_known(size);
}

/* Whether the attr section is here. The ids of each attr follow those of the one before. */
static bool is_section(struct search *s, uint64_t at)
{
    const struct pc_behind *h = s->header;
    unsigned char head[PC_ATTR_SIZE_AT + 4], raw[PC_SECTION_SIZE];
    uint64_t due = 0, offset, size;
    for (uint64_t i = 0; i < h->size; i += h->entry) {
        const uint64_t ids = at + i + h->entry - PC_SECTION_SIZE;
        if (s->looked++ >= ENTRIES_MAX ||
            pc_input_read_at(&s->file, at + i, head, sizeof(head)) != sizeof(head) || !begins_attr(h, head) ||
            pc_input_read_at(&s->file, ids, raw, sizeof(raw)) != sizeof(raw))
            return false;
        offset = pc_load(raw, 8, h->order);
        size = pc_load(raw + 8, 8, h->order);
        if ((i == 0 ? offset < h->data + h->data_size : offset != due) || size % 8 != 0 ||
            !pc_add(offset, size, &due) || due > h->attrs)
            return false;
    }
    return due == h->attrs;
}

/* Looks for it at each place up to `end`. */
static uint64_t find(struct search *s, uint64_t at, uint64_t end)
{
    unsigned char chunk[CHUNK];
    const size_t need = PC_ATTR_SIZE_AT + 4;
    for (size_t got = CHUNK; got == CHUNK && at <= end; at += CHUNK - need + 1) {
        got = pc_input_read_at(&s->file, at, chunk, CHUNK);
        for (size_t i = 0; i + need <= got && at + i <= end; i++) {
            if (begins_attr(s->header, chunk + i) && is_section(s, at + i))
                return at + i;
        }
    }
    return 0;
}

uint64_t pc_find_behind(struct pc_input *in, const struct pc_behind *h)
{
    struct search s = { .file = *in, .header = h };
    if (!pc_is_behind(h) || h->size > in->size)
        return 0;
    const uint64_t last = in->size - h->size;
    uint64_t found = 0;
    if (h->attrs <= last && is_section(&s, h->attrs))
        found = h->attrs;
    const uint64_t from = h->attrs - h->data > MOVED_MAX ? h->attrs - MOVED_MAX : h->data,
                   most = pc_add_saturated(h->attrs, MOVED_MAX);
    if (found == 0)
        found = find(&s, from, most < last ? most : last);
    in->error = s.file.error;
    in->bytes_read = s.file.bytes_read;
    return found;
}
