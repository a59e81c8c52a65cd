/* SPDX-License-Identifier: MIT
 *
 * Finds the lines of META_INFO of simpleperf that name events, before it is left out.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

#include <string.h>

struct pairs {
    struct pc_content *content;
    bool is_names; /* the value that comes has the names */
};

static bool see_pair(void *ctx, const struct pc_leaf *leaf)
{
    static const char key[] = "event_type_info";
    struct pairs *pairs = ctx;
    struct pc_content *c = pairs->content;
    if (leaf->fault != PC_SOUND)
        return false;
    if (leaf->field->save == PC_META_KEY)
        pairs->is_names = leaf->raw.len == sizeof(key) && memcmp(leaf->raw.ptr, key, sizeof(key)) == 0;
    if (leaf->field->save != PC_META_VALUE || !pairs->is_names || c->event_lines)
        return true;
    c->event_lines = pc_alloc(c->mem, leaf->raw.len);
    if (!c->event_lines) {
        pc_content_no_memory(c);
        return false;
    }
    memcpy(c->event_lines, leaf->raw.ptr, leaf->raw.len);
    c->event_lines_size = leaf->raw.len;
    return true;
}

void pc_note_event_lines(struct pc_content *c, struct pc_span meta_info)
{
    struct pairs pairs = { .content = c };
    struct pc_cursor in = pc_cursor(meta_info, PC_LITTLE);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, see_pair, &pairs);
    pc_walk_table(&walk, pc_feature_info(PC_META_INFO)->fields);
}
