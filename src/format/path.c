/* SPDX-License-Identifier: MIT */
#include "format/path.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Passes over one step of a path, and the dot before it; NULL: the path has another one there, or none. */
static const char *pass(const char *path, bool first, const char *name, uint64_t index)
{
    if (!path || (!first && *path++ != '.') || *path != *name)
        return NULL;
    size_t len = strlen(name);
    if (strncmp(path, name, len) != 0)
        return NULL;
    path += len;
    if (index == PC_NO_INDEX)
        return path;
    char number[32];
    len = (size_t)snprintf(number, sizeof(number), "[%" PRIu64 "]", index);
    return strncmp(path, number, len) == 0 ? path + len : NULL;
}

bool pc_path_is(const char *path, const struct pc_step *outer, const struct pc_step *steps, unsigned depth,
                const char *name)
{
    bool first = true;
    if (outer) {
        path = pass(path, true, outer->name, outer->index);
        first = false;
    }
    for (unsigned i = 0; path && i < depth; i++) {
        path = pass(path, first, steps[i].name, steps[i].index);
        first = false;
    }
    if (name)
        path = pass(path, first, name, PC_NO_INDEX);
    return path && *path == 0 && (name || !first);
}

/* --- places --- */

struct search {
    const char *path;
    uint64_t mask;
    uint64_t selectable; /* bits that rows before may set */
    struct pc_step step[PC_PATH_MAX];
    unsigned depth;
    struct pc_field_place place;
    size_t at;  /* bytes so far: from the front or, once a BACK or TEXT was found, from there */
    bool fixed; /* ... which are the same in all records */
};

/* Whether the field may be in the elements of an array. */
static bool may_hold(const struct search *s, const struct pc_field *array)
{
    const char *path = s->path;
    for (unsigned i = 0; path && i < s->depth; i++)
        path = pass(path, i == 0, s->step[i].name, s->step[i].index);
    path = pass(path, s->depth == 0, array->name, PC_NO_INDEX);
    return path && *path == '[';
}

static struct pc_field_place place_at(const struct search *s, enum pc_place_how how,
                                      const struct pc_field *row)
{
    return (struct pc_field_place){ .how = how, .at = (uint16_t)s->at, .field = row };
}

static void search_row(struct search *s, const struct pc_field *row, bool varies)
{
    bool array = row->kind == PC_REPEAT || row->kind == PC_UNTIL_END;
    size_t size = 0;
    bool fixed = !varies && pc_row_size(row, &size);
    if (s->place.how == PC_PLACE_NONE &&
        (row->kind == PC_FRAME || (array && may_hold(s, row)) ||
         (!array && pc_path_is(s->path, NULL, s->step, s->depth, row->name)))) {
        s->place = (struct pc_field_place){ .how = PC_PLACE_WALK };
        if (pc_is_number(row) && fixed)
            s->place = place_at(s, s->fixed ? PC_PLACE_FRONT : PC_PLACE_BACK, row);
        if (row->kind == PC_CSTR && s->fixed && !varies) {
            s->place = place_at(s, PC_PLACE_TEXT, row);
            fixed = true; /* what is behind it is counted from its end */
        }
        if (s->place.how == PC_PLACE_BACK || s->place.how == PC_PLACE_TEXT) {
            s->fixed = true;
            s->at = 0;
        }
    }
    s->fixed = s->fixed && fixed;
    s->at += size;
}

static void search_table(struct search *s, const struct pc_field *table, bool varies)
{
    for (const struct pc_field *row = table; row->kind != PC_END; row++) {
        bool may_be = (row->when & s->selectable) || (row->flags & (PC_OPTIONAL | PC_IF_FITS));
        if (!(row->when & s->selectable) && !pc_present(row, s->mask))
            continue;
        for (const struct pc_case *one = row->cases; one && one->bits != 0; one++)
            s->selectable |= one->bits;
        if (row->kind != PC_SUB) {
            search_row(s, row, varies || may_be);
            continue;
        }
        if (row->name)
            s->step[s->depth++] = (struct pc_step){ row->name, PC_NO_INDEX };
        search_table(s, row->sub, varies || may_be);
        s->depth -= row->name ? 1 : 0;
    }
}

struct pc_field_place pc_place_in_record(const struct pc_record_info *info, uint64_t mask, const char *path)
{
    struct search s = { .path = path, .mask = mask, .fixed = true };
    search_table(&s, pc_record_header, false);
    search_table(&s, info->fields, false);
    search_table(&s, pc_record_trailer, false);
    bool from_end = s.place.how == PC_PLACE_BACK || s.place.how == PC_PLACE_TEXT;
    if (from_end && !s.fixed)
        return (struct pc_field_place){ .how = PC_PLACE_WALK };
    if (s.place.how == PC_PLACE_BACK)
        s.place.at = (uint16_t)s.at;
    if (s.place.how == PC_PLACE_TEXT)
        s.place.behind = (uint16_t)s.at;
    return s.place;
}
