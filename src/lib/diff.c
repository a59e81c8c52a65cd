/* SPDX-License-Identifier: MIT
 *
 * Where two structures differ, and how this is told.
 */
#include "lib/diff.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

/* --- where in a structure --- */

bool pc_diff_find_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct pc_diff_search *s = ctx;
    struct pc_buffer *path = &s->d->path, *value = &s->d->value[s->side];
    bool bytes = leaf->field->kind == PC_BYTES || leaf->field->kind == PC_REST;
    if (leaf->fault != PC_SOUND)
        return false;
    if (s->at >= leaf->at + leaf->raw.len)
        return true;
    s->found = true;
    if (s->side == 0) {
        if (leaf->walk->depth != 0) {
            pc_put(path, ".");
            pc_put_steps(path, leaf->walk->path, leaf->walk->depth);
        }
        if (leaf->field->name) {
            pc_put(path, ".");
            pc_put(path, leaf->field->name);
        }
    }
    size_t from = s->at > leaf->at && bytes ? s->at - leaf->at : 0;
    if (bytes && s->side == 0)
        pc_put_format(path, "+0x%zx", from);
    if (bytes) {
        struct pc_span all = s->bytes.len != 0 ? pc_part(s->bytes, leaf->at, leaf->raw.len) : leaf->raw;
        struct pc_span some = pc_part(all, from, all.len - from);
        some.len = some.len < PC_DIFF_BYTES_MAX ? some.len : PC_DIFF_BYTES_MAX;
        pc_show_bytes(s->shown, some, some.len, "");
    } else {
        pc_show_leaf(s->shown, leaf);
    }
    pc_put(value, s->shown->value.text);
    return false;
}

struct pc_diff_search pc_diff_begin_search(struct pc_diff *d, unsigned side, const struct pc_item *item,
                                           size_t at)
{
    d->found.capture = &d->side[side].scan->capture;
    d->found.item = item;
    return (struct pc_diff_search){ .d = d, .side = side, .item = item, .at = at, .shown = &d->found };
}

/* --- one difference --- */

void pc_diff_begin(struct pc_diff *d)
{
    pc_buffer_init(&d->path);
    pc_buffer_init(&d->value[0]);
    pc_buffer_init(&d->value[1]);
}

void pc_diff_end(struct pc_diff *d)
{
    d->differences++;
    if (d->callback)
        d->callback(d->ctx, d->kind, d->path.text, d->value[0].text, d->value[1].text);
}

void pc_diff_put_numbers(struct pc_diff *d, uint64_t a, uint64_t b)
{
    pc_put_format(&d->value[0], "%" PRIu64, a);
    pc_put_format(&d->value[1], "%" PRIu64, b);
}

size_t pc_diff_first(struct pc_span a, struct pc_span b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;
    while (i < n && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

bool pc_diff_is_equal(struct pc_span a, struct pc_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}
