/* SPDX-License-Identifier: MIT
 *
 * Looks at bytes of a file anywhere, while the reader stays where it is.
 */
#include "read/parts.h"
#include "read/reader.h"

#include <string.h>

size_t pc_reader_look(struct pc_reader *r, uint64_t offset, unsigned char *to, size_t n)
{
    struct pc_input *in = r->in;
    if (in->kind != PC_INPUT_FILE)
        return 0;
    if (in->nr_patches == 0 && offset < in->size && n <= in->size - offset &&
        pc_input_pass_hole(in, offset) - offset >= n) {
        memset(to, 0, n);
        return n;
    }
    return pc_input_read_at(in, offset, to, n);
}

size_t pc_reader_look_back(struct pc_reader *r, uint64_t offset, unsigned char *to, size_t n)
{
    const struct pc_window *w = &r->outer;
    const bool holds = r->stage == PC_READ_DATA || r->stage == PC_READ_CONTENT;
    if (holds && offset >= w->offset && offset - w->offset <= w->len && n <= w->len - (offset - w->offset)) {
        memcpy(to, w->bytes + (offset - w->offset), n);
        return n;
    }
    return pc_input_read_at(r->in, offset, to, n);
}

bool pc_reader_look_whole(struct pc_reader *r, uint64_t offset, unsigned char *to, size_t n)
{
    size_t got = pc_reader_look(r, offset, to, n);
    if (got != n && offset <= r->in->size && n <= r->in->size - offset)
        pc_reader_say_short_read(r, offset + got);
    return got == n;
}
