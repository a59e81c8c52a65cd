/* SPDX-License-Identifier: MIT
 *
 * Records and features of Android's simpleperf (section 16).
 */
#include "parts.h"

/* Words after a count, `each` of them for one. */
static void words(struct cursor *c, uint64_t nr, unsigned each)
{
    if (!md_fits(c, nr, 8))
        return;
    for (unsigned i = 0; i < each; i++) {
        if (!md_fits(c, nr, 8))
            return;
        for (uint64_t k = 0; k < nr && !c->cut && !c->m->limit; k++)
            md_u64(c);
    }
}

/* Bytes that take room up to a multiple. */
static void in_room(struct cursor *c, uint64_t unit)
{
    uint64_t size = md_u32(c);
    md_bytes(c, (size + unit - 1) / unit * unit, MODEL_BYTES);
}

static void string(struct cursor *c)
{
    size_t len = md_length_to_nul(c, md_left(c));
    if (c->cut)
        return;
    if (len == md_left(c)) {
        md_fault(c, c->condition, c->pos);
        c->cut = true;
        return;
    }
    md_bytes(c, len + 1, MODEL_TEXT);
}

/* Rows 62 and 63 are about ids of attrs. */
static void event_ids(struct cursor *c)
{
    bool *warned = c->m->warned, repeated = warned[62], zero = warned[63];
    uint64_t nr = md_u64(c);
    if (!md_fits(c, nr, 16))
        return;
    for (uint64_t i = 0; i < nr && !c->cut && !c->m->limit; i++) {
        size_t at = c->pos;
        uint64_t attr = md_u64(c), id = md_u64(c);
        if (attr >= c->m->attr_count)
            md_fault(c, 375, at);
        else
            md_add_id(c->m, id, (uint32_t)attr);
    }
    warned[62] = repeated;
    warned[63] = zero;
}

static void unwinding_result(struct cursor *c)
{
    for (int i = 0; i < 4; i++)
        md_u64(c);
    for (int i = 0; i < 3 && !c->cut && md_left(c); i++)
        md_u64(c);
    uint64_t mask = !c->cut && md_left(c) ? md_u64(c) : 0;
    words(c, md_ones((unsigned)mask) + md_ones((unsigned)(mask >> 32)), 1);
    uint64_t stack = !c->cut && md_left(c) ? md_u64(c) : 0;
    if (stack) {
        md_bytes(c, stack, MODEL_BYTES);
        md_u64(c);
    }
    uint64_t nr = !c->cut && md_left(c) ? md_u64(c) : 0;
    words(c, nr, 2);
    md_rest(c);
}

uint32_t md_type(const unsigned char *head, bool big)
{
    return (uint32_t)md_number_at(head, 4, big);
}

bool md_android_record(struct cursor *c, uint32_t type, uint16_t size, size_t start)
{
    static const unsigned char least[] = { 12, 33, 33, 8, 8, 16, 40, 40, 12, 17 };
    if (type < 32769 || type > 32778)
        return false;
    c->m->by_simpleperf = true;
    if (size < least[type - 32769]) {
        md_fault(c, 74, start);
        return true;
    }
    c->condition = 74;
    switch (type) {
    case 32769: /* KERNEL_SYMBOL */
        in_room(c, 8);
        break;
    case 32770: /* DSO, SYMBOL */
    case 32771:
        for (int i = 0; i < 3; i++)
            md_u64(c);
        string(c);
        md_rest(c);
        break;
    case 32772: /* SPLIT */
        md_rest(c);
        break;
    case 32774:
        event_ids(c);
        break;
    case 32775: /* CALLCHAIN */
        md_u32(c);
        md_u32(c);
        if (md_u64(c) > 3)
            md_warn(c, 371);
        md_u64(c);
        words(c, md_u64(c), 2);
        break;
    case 32776:
        unwinding_result(c);
        break;
    case 32777: /* TRACING_DATA */
        in_room(c, 64);
        break;
    case 32778: /* DEBUG */
        md_u64(c);
        string(c);
        md_rest(c);
        break;
    default: /* SPLIT_END */
        break;
    }
    if (!c->cut && md_left(c)) {
        md_fault(c, 370, c->pos);
        md_rest(c);
    }
    return true;
}

static void file_entry(struct cursor *c)
{
    size_t all = c->end;
    uint64_t size = md_u32(c);
    if (!md_need(c, size))
        return;
    c->end = c->pos + (size_t)size;
    string(c);
    size_t at = c->pos;
    uint32_t type = md_u32(c);
    if (type > 5)
        md_fault(c, 373, at);
    md_u64(c);
    uint32_t nr = md_u32(c);
    if (md_fits(c, nr, 8 + 4 + 1))
        for (uint32_t i = 0; i < nr && !c->cut && !c->m->limit; i++) {
            md_u64(c);
            md_u32(c);
            string(c);
        }
    if (type == 3)
        words(c, md_u32(c), 1);
    if ((type == 1 || type == 2) && !c->cut && md_left(c))
        md_u64(c);
    if (!c->cut && md_left(c)) {
        md_fault(c, 374, c->pos);
        md_rest(c);
    }
    c->end = all;
}

void md_android_feature(struct cursor *c, unsigned bit)
{
    c->condition = 1000 + bit;
    c->m->by_simpleperf = true;
    while (!c->cut && md_left(c) && !c->m->limit) {
        size_t at = c->pos;
        switch (bit) {
        case 128:
            file_entry(c);
            break;
        case 129: /* META_INFO: a key, a value */
            for (int i = 0; i < 2; i++, at = c->pos) {
                string(c);
                if (!c->cut && c->pos == at + 1)
                    md_fault(c, 372, at);
            }
            break;
        case 132: /* FILE2 */
            md_bytes(c, md_u32(c), MODEL_BYTES);
            break;
        default:
            md_rest(c);
            break;
        }
    }
}
