/* SPDX-License-Identifier: MIT */
#include "write/make.h"

#include <string.h>

static void put_uint(struct pc_make *m, unsigned width, uint64_t value)
{
    if (m->out)
        pc_store(m->out + m->len, width, value, m->order);
    m->len += width;
}

static void put_bytes(struct pc_make *m, struct pc_span bytes, size_t size)
{
    assert(bytes.len <= size);
    if (m->out)
        memset(m->out + m->len, 0, size);
    if (m->out && bytes.len != 0)
        memcpy(m->out + m->len, bytes.ptr, bytes.len);
    m->len += size;
}

/* An integer that counts the bytes of the text behind it follows from them. */
static void count_text(struct pc_make *m, const struct pc_field *row)
{
    const struct pc_field *text = row + 1;
    if (row->save != PC_SLOT_NONE && text->kind == PC_TEXT && text->count == row->save)
        m->slot[row->save] = m->bytes[text->save].len;
}

void pc_make_table(struct pc_make *m, const struct pc_field *table)
{
    for (const struct pc_field *row = table; row->kind != PC_END; row++) {
        struct pc_span bytes = m->bytes[row->kind == PC_FRAME ? row->count : row->save];
        switch (row->kind) {
        case PC_UINT:
        case PC_ORDER:
            count_text(m, row);
            put_uint(m, row->width, m->slot[row->save]);
            break;
        case PC_HSTR:
            put_uint(m, 4, bytes.len);
            put_bytes(m, bytes, bytes.len);
            break;
        case PC_ZSTR:
            put_bytes(m, bytes, bytes.len + 1);
            break;
        case PC_LITERAL:
            put_bytes(m, (struct pc_span){ (const unsigned char *)row->text, (size_t)row->arg },
                      (size_t)row->arg);
            break;
        case PC_REPEAT:
            for (uint64_t i = 0, nr = m->slot[row->count]; i < nr; i++) {
                m->element(m, row, i);
                pc_make_table(m, row->sub);
            }
            break;
        default:
            put_bytes(m, bytes, (size_t)(row->count ? m->slot[row->count] : row->arg));
            break;
        }
    }
}
