/* SPDX-License-Identifier: MIT */
#include "read/join.h"

#include "bytes/cursor.h"

#include <string.h>

void pc_join_clear(struct pc_mem *mem, struct pc_join *j)
{
    pc_free(mem, j->bytes, j->room);
    *j = (struct pc_join){ 0 };
}

static bool add_piece(struct pc_mem *mem, struct pc_join *j, struct pc_span piece)
{
    if (piece.len > j->room - j->len) {
        size_t size = 2 * (j->len + piece.len);
        unsigned char *moved = pc_resize(mem, j->bytes, j->room, size);
        if (!moved)
            return false;
        j->bytes = moved;
        j->room = size;
    }
    if (piece.len != 0)
        memcpy(j->bytes + j->len, piece.ptr, piece.len);
    j->len += piece.len;
    return true;
}

bool pc_join_record(struct pc_mem *mem, struct pc_join *j, const struct pc_item *item, uint64_t most)
{
    j->record = (struct pc_span){ 0 };
    if (item->number != j->next)
        j->len = 0;
    j->next = item->number + 1;
    if (item->type == PC_SPLIT) {
        struct pc_span piece =
            pc_part(item->bytes, PC_RECORD_HEADER_SIZE, item->bytes.len - PC_RECORD_HEADER_SIZE);
        return piece.len > most - j->len || add_piece(mem, j, piece);
    }
    if (item->type == PC_SPLIT_END && j->len >= PC_RECORD_HEADER_SIZE && pc_joined_size(j->bytes) == j->len)
        j->record = (struct pc_span){ j->bytes, j->len };
    j->len = 0;
    return true;
}
