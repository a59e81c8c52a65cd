/* SPDX-License-Identifier: MIT */
#include "read/join.h"

#include "bytes/cursor.h"

#include <string.h>

/* Whether a place is where the last piece ends. In a compressed record places begin anew. */
static bool is_next(const struct pc_pieces *p, const struct pc_where *where, uint64_t number, uint64_t offset)
{
    bool same = where->stream == p->where.stream && where->wrapper == p->wrapper;
    return p->open && number == p->next && (!same || offset == p->end);
}

bool pc_pieces_are_of(const struct pc_pieces *p, const struct pc_finding *f)
{
    return f->id == PC_D_ANDROID_SPLIT_OPEN ? p->open : is_next(p, &f->where, f->number, f->offset);
}

/* A piece after all of a record begins another one. */
static bool is_whole(const struct pc_pieces *p)
{
    return p->have >= PC_RECORD_HEADER_SIZE && p->have == p->whole;
}

/* The header of the record may itself be in several pieces. */
static void add_to(struct pc_pieces *p, struct pc_span piece)
{
    for (size_t i = 0; i < piece.len && p->have + i < PC_RECORD_HEADER_SIZE; i++)
        p->head[p->have + i] = piece.ptr[i];
    p->have = pc_add_saturated(p->have, piece.len);
    p->whole = p->have >= PC_RECORD_HEADER_SIZE ? pc_joined_size(p->head) : 0;
}

static struct pc_span piece_in(const struct pc_item *record)
{
    return pc_part(record->bytes, PC_RECORD_HEADER_SIZE, record->bytes.len - PC_RECORD_HEADER_SIZE);
}

bool pc_pieces_note(struct pc_pieces *p, const struct pc_item *record)
{
    if (!pc_is_piece(record->type))
        return false;
    bool is_piece = record->type == PC_SPLIT;
    bool more = is_next(p, &record->where, record->number, record->offset) && (!is_piece || !is_whole(p));
    if (!more)
        *p = (struct pc_pieces){ .number = record->number, .offset = record->offset, .where = record->where };
    if (is_piece)
        add_to(p, piece_in(record));
    p->open = is_piece;
    p->next = record->number + 1;
    p->end = record->offset + record->bytes.len;
    p->wrapper = record->where.wrapper;
    return more;
}

/* --- the record --- */

void pc_join_clear(struct pc_mem *mem, struct pc_join *j)
{
    pc_free(mem, j->bytes, j->room);
    *j = (struct pc_join){ 0 };
}

/* The record gets no more memory than it needs, and no more than eight times as much as came. */
static bool add_piece(struct pc_mem *mem, struct pc_join *j, struct pc_span piece)
{
    if (piece.len > j->room - j->len) {
        const uint64_t need = j->len + piece.len, whole = j->pieces.whole, some = 8 * need;
        const size_t size = (size_t)(whole <= need ? need : whole < some ? whole : some);
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

/* What fills a record of simpleperf up follows its text, or bytes whose number is among its first fields. So
 * only these, or the NUL of the text, tell where that begins: nothing is walked for each piece. */
static void find_unused(struct pc_join *j, size_t len)
{
    enum { FIELDS = 64 }; /* the fields before take fewer bytes */
    const struct pc_span have = { j->bytes, j->len };
    const uint32_t type = pc_load_head(j->pieces.head, PC_LITTLE).type;
    const size_t before = j->len - len;
    const struct pc_span news = pc_part(have, before < FIELDS ? 0 : before, before < FIELDS ? j->len : len);
    if (j->meaning == UINT64_MAX && len != 0 && (j->len >= FIELDS || j->len == j->pieces.whole) &&
        pc_may_be_split(type) && pc_first_zero(news) != news.len)
        j->meaning = pc_meaning_of(pc_record_info(type), have, j->pieces.whole);
    if (j->len > j->meaning)
        j->unused = j->len - j->meaning < len ? (size_t)(j->len - j->meaning) : len;
}

/* False: no memory. */
static bool take_piece(struct pc_mem *mem, struct pc_join *j, struct pc_span piece, uint64_t most)
{
    const struct pc_pieces *pieces = &j->pieces;
    if (pieces->have > most || pieces->whole > most || j->len + piece.len != pieces->have)
        return true;
    if (!add_piece(mem, j, piece))
        return false;
    find_unused(j, piece.len);
    return true;
}

bool pc_join_record(struct pc_mem *mem, struct pc_join *j, const struct pc_item *item, uint64_t most)
{
    const struct pc_pieces *pieces = &j->pieces;
    j->record = (struct pc_item){ .kind = PC_ITEM_RECORD };
    j->too_large = 0;
    j->unused = 0;
    if (!pc_pieces_note(&j->pieces, item)) {
        j->len = 0;
        j->meaning = UINT64_MAX;
    }
    if (item->type == PC_SPLIT)
        return take_piece(mem, j, piece_in(item), most);
    if (item->type != PC_SPLIT_END || !is_whole(pieces))
        return true;
    const uint32_t type = pc_load_head(pieces->head, PC_LITTLE).type;
    if (pieces->have > most) {
        j->too_large = pieces->have;
    } else if (j->len == pieces->have && pc_may_be_split(type)) {
        j->record = *item;
        j->record.type = type;
        j->record.misc = 0; /* the high half of the size is there */
        j->record.is_joined = true;
        j->record.bytes = (struct pc_span){ j->bytes, j->len };
    }
    return true;
}
