/* SPDX-License-Identifier: MIT
 *
 * Attrs of a file that do not agree where the ids of samples are. perf has all samples of a capture begin
 * with the id of their event, or none (tools/perf/util/record.c: evlist__config). Which it was, the samples
 * tell.
 */
#include "write/repair.h"
#include "write/salvage_parts.h"
#include "bytes/cursor.h"

struct places {
    struct pc_salvage *s;
    struct pc_input in; /* with all patches so far */
    enum pc_order order;
    uint64_t first, entry, nr; /* where the first sample_type is, bytes to the next one, and how many */
    uint64_t with;             /* attrs whose samples begin with an id */
};

static uint64_t header_word(const struct places *p, const unsigned char *head, unsigned slot)
{
    return pc_load(head + pc_row_at(pc_file_header, slot), 8, p->order);
}

static bool read_type(struct places *p, uint64_t i, uint64_t *type)
{
    unsigned char raw[8];
    bool read = pc_input_read_at(&p->in, p->first + i * p->entry, raw, sizeof(raw)) == sizeof(raw);
    *type = pc_load(raw, sizeof(raw), p->order);
    return read;
}

/* Finds the attrs of a file without EVENT_DESC, which would repeat them. False: some are not there. */
static bool find_types(struct places *p)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    uint64_t type, end;
    if (pc_input_read_at(&p->in, 0, head, sizeof(head)) != sizeof(head) || !pc_is_magic(head))
        return false;
    p->order = memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    const uint64_t size = header_word(p, head, PC_HEAD_ATTRS_SIZE),
                   attrs = header_word(p, head, PC_HEAD_ATTRS_OFFSET);
    p->entry = header_word(p, head, PC_HEAD_ATTR_SIZE);
    p->first = attrs + pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE);
    if (header_word(p, head, PC_HEAD_SIZE) != PC_FILE_HEADER_SIZE ||
        header_word(p, head, PC_HEAD_FEATURES) >> PC_EVENT_DESC & 1 ||
        p->entry < PC_ATTR_SIZE_MIN + PC_SECTION_SIZE || size % p->entry != 0 ||
        size / p->entry > PC_ATTRS_MAX || attrs < PC_FILE_HEADER_SIZE || !pc_add(attrs, size, &end) ||
        end > p->in.size)
        return false;
    for (p->nr = 0; p->nr < size / p->entry; p->nr++) {
        if (!read_type(p, p->nr, &type))
            return false;
        p->with += (type & PC_S_IDENTIFIER) != 0;
    }
    return true;
}

/* From the next pass on the samples of all attrs begin with an id, or none do. */
static void read_all(struct places *p, bool with)
{
    struct pc_salvage *s = p->s;
    uint64_t type;
    p->in.patch = s->patch; /* which has moved, perhaps */
    p->in.nr_patches = s->nr_patches;
    for (uint64_t i = 0; i < p->nr && read_type(p, i, &type); i++) {
        if (with == ((type & PC_S_IDENTIFIER) != 0))
            continue;
        if (!pc_grow(&s->mem, &s->split, &s->cap_split, s->nr_split + 1, sizeof(*s->split))) {
            s->no_memory = true;
            return;
        }
        struct pc_patch *patch = &s->split[s->nr_split++];
        *patch = (struct pc_patch){ .offset = p->first + i * p->entry, .len = sizeof(type) };
        pc_store(patch->bytes, sizeof(type), type ^ PC_S_IDENTIFIER, p->order);
    }
}

/* They are read as they are. */
static void unread_all(struct places *p)
{
    struct pc_patch *patch = p->s->patch;
    size_t left = 0;
    for (size_t i = 0; i < p->s->nr_patches; i++) {
        const uint64_t at = patch[i].offset - p->first;
        if (patch[i].offset < p->first || at % p->entry != 0 || at / p->entry >= p->nr)
            patch[left++] = patch[i];
    }
    p->s->nr_patches = left;
}

/* The errors of the capture, as it is read now, up to so many. */
static uint64_t count_errors(struct places *p, pc_judge *judge, void *ctx, uint64_t most)
{
    uint64_t errors = 0;
    judge(ctx, pc_salvage_input(p->s), most * PC_JUDGED_ERROR, &errors);
    p->s->not_judged |= errors == PC_NOT_JUDGED;
    return errors / PC_JUDGED_ERROR; /* without warnings */
}

void pc_repair_places(struct pc_salvage *s, pc_judge *judge, void *ctx)
{
    struct places p = { .s = s };
    if (!pc_salvage_open_file(s, &p.in))
        return;
    p.in.patch = s->patch;
    p.in.nr_patches = s->nr_patches;
    if (find_types(&p) && p.with != 0 && p.with != p.nr) {
        uint64_t least = count_errors(&p, judge, ctx, PC_NOT_JUDGED / PC_JUDGED_ERROR), errors;
        int best = -1;
        for (int with = 0; with < 2 && least != 0; with++) {
            read_all(&p, with);
            errors = count_errors(&p, judge, ctx, least);
            unread_all(&p);
            if (errors < least) {
                least = errors;
                best = with;
            }
        }
        if (best >= 0)
            read_all(&p, best);
    }
    s->not_judged |= p.in.error != 0;
    pc_input_close(&p.in);
}
