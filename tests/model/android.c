/* SPDX-License-Identifier: MIT
 *
 * Records and features of Android's simpleperf (section 16).
 */
#include "parts.h"

#include <string.h>

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

/* The same of trace data, which are judged as the feature. Their order need not be that of the capture. */
static void trace_in_room(struct cursor *c)
{
    struct model *m = c->m;
    size_t all = c->end;
    bool warned = m->warned[264];
    uint64_t size = md_u32(c), room = (size + 63) / 64 * 64;
    if (!md_need(c, room))
        return;
    size_t end = c->pos + (size_t)room;
    c->end = c->pos + (size_t)size;
    m->has_tracing_data = true;
    md_tracing_data(c);
    m->tracing_data_bad = c->cut;
    c->cut = false; /* the record goes on where their size says */
    md_rest(c);
    m->warned[264] = warned;
    c->end = end;
    md_rest(c);
    c->end = all;
    c->condition = 74;
}

/* The size that the header in the pieces says; 0: it is not there. */
static size_t size_of_pieces(const struct model *m)
{
    return m->split_size < 8
               ? 0
               : (size_t)(md_number_at(m->split + 4, 2, false) << 16 | md_number_at(m->split + 6, 2, false));
}

/* Up to a multiple of 8 bytes of the record. */
static void fill(struct cursor *c, size_t start)
{
    if (!c->cut)
        md_bytes(c, (8 - (c->pos - start) % 8) % 8, MODEL_BYTES);
}

/* A DSO record, or a symbol of one, which begins here. */
static void dso_of(struct cursor *c, uint32_t type, const unsigned char *record)
{
    struct model *m = c->m;
    uint64_t id = md_number_at(record + (type == 32770 ? 16 : 24), 8, c->big);
    uint64_t addr = md_number_at(record + 8, 8, c->big), len = md_number_at(record + 16, 8, c->big);
    if (type == 32771 && len && addr + (len - 1) < addr)
        md_warn(c, 381);
    size_t i = 0;
    while (i < m->dso_count && m->dsos[i] != id)
        i++;
    if (i < m->dso_count)
        return;
    if (type == 32771)
        md_warn(c, 397);
    else if (md_grow(m, (void **)&m->dsos, &m->dso_cap, m->dso_count, sizeof *m->dsos))
        m->dsos[m->dso_count++] = id;
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

/* Of DSO: a text has no zeros in its first eight bytes, unless they are all that is left. */
static bool has_min_vaddr(const struct cursor *c)
{
    if (md_left(c) <= 8)
        return false;
    return memchr(c->base + c->pos, 0, 8) || md_number_at(c->base + c->pos, 8, c->big) >> 56 == 255;
}

/* Row 62 is about ids of attrs. */
static void event_ids(struct cursor *c)
{
    bool *warned = c->m->warned, repeated = warned[62], zero = warned[63];
    uint64_t nr = md_u64(c);
    if (!md_fits(c, nr, 16))
        return;
    /* All of its ids count, or none when it has an error. */
    const unsigned char *pair = c->base + c->pos;
    bool sound = md_left(c) == nr * 16;
    for (uint64_t i = 0; i < nr; i++) {
        size_t at = c->pos;
        uint64_t attr = md_u64(c);
        zero |= md_u64(c) == 0 && !c->cut;
        if (attr >= c->m->attr_count)
            md_fault(c, 375, at);
        sound = sound && attr < c->m->attr_count;
    }
    for (uint64_t i = 0; i < nr && sound && !c->m->limit; i++, pair += 16) {
        uint32_t attr = (uint32_t)md_number_at(pair, 8, c->big);
        md_give_id(c->m, md_number_at(pair + 8, 8, c->big), attr);
        c->m->attrs[attr].ids++; /* as those of the attr itself: row 64 */
    }
    warned[62] = repeated;
    warned[63] = zero;
}

static void unwinding_result(struct cursor *c)
{
    for (int i = 0; i < 4; i++)
        md_u64(c);
    for (int i = 0; i < 2 && !c->cut && (i || md_left(c)); i++)
        md_u64(c);
    const bool third = !c->cut && md_left(c);
    if (third && md_u64(c) > 2)
        md_warn(c, 371);
    uint64_t mask = third && !c->cut ? md_u64(c) : 0;
    words(c, md_ones((unsigned)mask) + md_ones((unsigned)(mask >> 32)), 1);
    uint64_t stack = third && !c->cut ? md_u64(c) : 0;
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
    uint32_t type = (uint32_t)md_number_at(head, 4, big);
    uint16_t size = (uint16_t)md_number_at(head + 6, 2, big);
    return type == 66 && size >= 76 && size % 64 == 12 ? 32777 : type;
}

/* What follows the header of a record of simpleperf that begins at `start`. */
static void own_record(struct cursor *c, uint32_t type, size_t size, size_t start)
{
    static const unsigned char least[] = { 12, 25, 33, 8, 8, 16, 40, 40, 12, 17 };
    if (size < least[type - 32769]) {
        md_fault(c, 74, start);
        return;
    }
    c->condition = 74;
    switch (type) {
    case 32769: /* KERNEL_SYMBOL */
        if (md_left(c) % 8 == 0 && md_u32(c) > 1)
            md_warn(c, 371);
        in_room(c, 8);
        break;
    case 32770: /* DSO, SYMBOL */
    case 32771:
        if (md_u64(c) > 5 && type == 32770)
            md_warn(c, 371);
        md_u64(c);
        if (type == 32771 || has_min_vaddr(c))
            md_u64(c);
        string(c);
        fill(c, start);
        if (!c->cut)
            dso_of(c, type, c->base + start);
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
        trace_in_room(c);
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
}

/* What the pieces are, which is judged as if it was there. */
static void joined(const struct cursor *c, size_t whole)
{
    struct model *m = c->m;
    bool open = m->part_open; /* its fields are none of the SPLIT_END */
    uint32_t type = md_type(m->split, false);
    struct cursor in = { .m = m,
                         .base = m->split,
                         .pos = 8,
                         .end = whole,
                         .origin = 8 - (c->pos - c->origin),
                         .member = c->member,
                         .source = c->source,
                         .wrapper = c->wrapper };
    m->part_open = false;
    if (type <= 32768 || type == 32772 || type == 32773)
        m->warned[403] = true;
    else if (type > 32895)
        md_fault(&in, 350, 8);
    else if (type > 32778)
        md_warn(&in, 77);
    else
        own_record(&in, type, whole, 0);
    if (type > 32895 && whole % 8)
        md_fault(&in, 73, 8);
    m->part_open = open;
}

/* SPLIT, SPLIT_END and any other record: 16.3. */
static void join(const struct cursor *c, uint32_t type)
{
    struct model *m = c->m;
    if (type == 32772 && m->split_size == size_of_pieces(m))
        m->split_size = 0;
    size_t whole = m->split_size, said = size_of_pieces(m);
    for (size_t i = c->pos; type == 32772 && i < c->end; i++) {
        if (!md_grow(m, (void **)&m->split, &m->split_cap, m->split_size, 1))
            return;
        m->split[m->split_size++] = c->base[i];
    }
    if (type == 32772)
        return;
    m->split_size = 0;
    if (type == 32773 && whole >= 8 && said == whole)
        joined(c, whole);
}

bool md_android_record(struct cursor *c, uint32_t type, uint16_t size, size_t start)
{
    join(c, type);
    if (type < 32769 || type > 32778)
        return false;
    c->m->by_simpleperf = true;
    if (c->big && md_number_at(c->base + start, 4, true) != 66)
        md_fault(c, 425, start);
    if (md_number_at(c->base + start, 4, c->big) != 66 && md_number_at(c->base + start + 4, 2, c->big) != 0)
        md_fault(c, 388, start + 4);
    own_record(c, type, size, start);
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
            uint64_t addr = md_u64(c), len = md_u32(c);
            if (!c->cut && len && addr + (len - 1) < addr)
                md_warn(c, 381);
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

/* A field of a message of protobuf: v a number, b bytes or text, p numbers, m a message. */
struct message_field {
    unsigned number;
    char kind;
    const struct message_field *inner;
};
#define LAST                                                                                                 \
    {                                                                                                        \
        0, 0, NULL                                                                                           \
    }
static const struct message_field symbol[] = { { 1, 'v', NULL }, { 2, 'v', NULL }, { 3, 'b', NULL }, LAST };
static const struct message_field dex[] = { { 1, 'p', NULL }, LAST };
static const struct message_field one_number[] = { { 1, 'v', NULL }, LAST };
static const struct message_field file2[] = { { 1, 'b', NULL },       { 2, 'v', NULL },
                                              { 3, 'v', NULL },       { 4, 'm', symbol },
                                              { 5, 'm', dex },        { 6, 'm', one_number },
                                              { 7, 'm', one_number }, LAST };
static const struct message_field unwind_file[] = { { 1, 'b', NULL }, { 2, 'v', NULL }, LAST };
static const struct message_field unwind[] = { { 1, 'm', unwind_file }, LAST };
static const struct message_field branch[] = { { 1, 'b', NULL }, { 2, 'v', NULL }, { 3, 'v', NULL }, LAST };
static const struct message_field address[] = { { 1, 'v', NULL }, { 2, 'm', branch }, LAST };
static const struct message_field binary[] = { { 1, 'b', NULL }, { 2, 'b', NULL },       { 3, 'm', address },
                                               { 4, 'v', NULL }, { 5, 'm', one_number }, LAST };
static const struct message_field etm[] = { { 1, 'b', NULL }, { 2, 'm', binary }, { 3, 'b', NULL }, LAST };

/* A number at *pos, which then is after it. False: it has no end. */
static bool varint(const struct cursor *c, size_t *pos, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 70 && *pos < c->end; shift += 7) {
        unsigned char byte = c->base[(*pos)++];
        *value |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128)
            return true;
    }
    return false;
}

static void bad_message(struct cursor *c)
{
    md_fault(c, 378, c->pos);
    c->cut = true;
}

static void numbers(struct cursor *c)
{
    while (!c->cut && md_left(c) && !c->m->limit) {
        size_t pos = c->pos;
        uint64_t value;
        if (!varint(c, &pos, &value))
            bad_message(c);
        else
            md_bytes(c, pos - c->pos, MODEL_BYTES);
    }
}

/* The head of a field: its number, its form, and its length, or its value. False: it is none. */
struct head {
    uint64_t number, value;
    unsigned form;
    size_t end;
};
/* The fields of a group, which begins at *pos, and its end. */
static bool group(const struct cursor *c, size_t *pos, uint64_t number, unsigned depth)
{
    uint64_t key, value;
    while (varint(c, pos, &key) && key >> 3 && key >> 32 == 0) {
        unsigned form = key & 7;
        if (form == 4)
            return key >> 3 == number;
        value = form == 1 ? 8 : form == 5 ? 4 : 0;
        if (form > 5 || ((form == 0 || form == 2) && !varint(c, pos, &value)))
            return false;
        if (form == 3 && (depth == 100 || !group(c, pos, key >> 3, depth + 1)))
            return false;
        if (form != 0 && form != 3) {
            if (value > c->end - *pos)
                return false;
            *pos += value;
        }
    }
    return false;
}

static bool read_head(const struct cursor *c, struct head *h)
{
    uint64_t key;
    h->end = c->pos;
    if (!varint(c, &h->end, &key))
        return false;
    h->form = key & 7;
    h->number = key >> 3;
    h->value = h->form == 1 ? 8 : 4;
    if (h->number == 0 || h->number >> 29 || h->form == 4 || h->form > 5)
        return false;
    size_t end = h->end;
    if (h->form == 3) {
        h->value = group(c, &end, h->number, 1) ? end - h->end : UINT64_MAX;
        return h->value != UINT64_MAX;
    }
    if ((h->form == 0 || h->form == 2) && !varint(c, &h->end, &h->value))
        return false;
    return h->form == 0 || h->value <= c->end - h->end;
}

static bool is_magic(const unsigned char *text, uint64_t size)
{
    static const char magic[] = "simpleperf:EtmBranchList";
    return size == sizeof(magic) - 1 && memcmp(text, magic, sizeof(magic) - 1) == 0;
}

/* Up to the end of the cursor. Returns the sum of field 2 of the messages in it. */
static uint64_t message(struct cursor *c, const struct message_field *fields)
{
    uint64_t sum = 0, value[8] = { 0 };
    bool seen[8] = { false };
    while (!c->cut && md_left(c) && !c->m->limit) {
        struct head h;
        if (!read_head(c, &h)) {
            bad_message(c);
            break;
        }
        const struct message_field *f = fields;
        while (f->number && (f->number != h.number || (f->kind == 'v' ? 0 : 2) != h.form) &&
               (f->kind != 'p' || f->number != h.number || h.form != 0))
            f++;
        size_t start = c->pos, end = c->end;
        bool nested = f->kind == 'm' || (f->kind == 'p' && h.form != 0);
        md_bytes(c, h.end - start + (h.form == 0 || nested ? 0 : h.value), MODEL_BYTES);
        if (fields == etm && f->number == 1 && h.value && !is_magic(c->base + h.end, h.value))
            md_fault(c, 392, start);
        if (f->number) {
            if (fields == file2 && f->number >= 5) /* one of them, the last */
                seen[5] = seen[6] = seen[7] = false;
            seen[f->number] = true;
            value[f->number] = h.value;
        }
        if (fields == branch && f->number < 3 && value[1] && value[2] > 8 * value[1])
            md_fault(c, 402, start);
        if (fields == binary && f->number == 4 && h.value > 2)
            md_warn(c, 371);
        if (fields == symbol && f->kind == 'v' && value[2] && value[1] + (value[2] - 1) < value[1])
            md_warn(c, 381);
        if (!nested)
            continue;
        c->end = c->pos + (size_t)h.value;
        uint64_t inner = 0;
        if (f->kind == 'p')
            numbers(c);
        else
            inner = message(c, f->inner);
        sum = sum + inner < sum ? UINT64_MAX : sum + inner;
        c->end = end;
    }
    if (fields == file2 && !c->cut &&
        ((value[2] == 1 && !seen[7]) || (value[2] == 2 && !seen[6]) || (value[2] == 3 && !seen[5]))) {
        md_fault(c, 379, c->pos);
        c->cut = true;
    }
    if (fields == file2 && !c->cut && (value[2] == 0 || value[2] > 3) && (seen[5] || seen[6] || seen[7]))
        md_warn(c, 453);
    if (fields == etm && !c->cut && !value[1])
        md_fault(c, 392, c->pos);
    return fields == unwind_file ? value[2] : sum;
}

static void file2_entry(struct cursor *c)
{
    size_t all = c->end;
    uint64_t size = md_u32(c);
    if (!md_need(c, size))
        return;
    c->end = c->pos + (size_t)size;
    message(c, file2);
    c->end = all;
}

static void debug_unwind(struct cursor *c)
{
    c->m->unwind_bytes = message(c, unwind);
    c->m->unwind_damaged = c->cut;
}

/* "name,type,config", of which the name may have commas, on each line up to the NUL. */
static void event_lines(struct cursor *c, const char *text, size_t len)
{
    struct model *m = c->m;
    for (size_t at = 0, n; at < len; at += n + 1) {
        uint64_t number[2] = { 0, 0 };
        const char *comma[2] = { NULL, NULL }, *line = text + at;
        for (n = 0; at + n < len && line[n] != '\n'; n++) {
            if (line[n] == ',') {
                comma[0] = comma[1];
                comma[1] = line + n;
            }
        }
        bool bad = !comma[0] || comma[0] == line || comma[1] == comma[0] + 1 || comma[1] == line + n - 1;
        for (int i = 0; i < 2 && !bad; i++) {
            const char *end = i ? line + n : comma[1];
            for (const char *p = comma[i] + 1; p < end; p++) {
                unsigned digit = (unsigned)(*p - '0');
                bad |= digit > 9 || number[i] > (UINT64_MAX - digit) / 10;
                number[i] = number[i] * 10 + digit;
            }
        }
        m->lines_bad |= bad;
        if (md_grow(m, (void **)&m->lines, &m->line_cap, m->line_count, sizeof *m->lines))
            m->lines[m->line_count++] =
                (struct section){ number[0], number[1],
                                  !bad && comma[0] - line == 6 && !memcmp(line, "cs-etm", 6) };
    }
}

/* A key or a value of META_INFO. The first pair with this key counts. */
static void pair(struct cursor *c)
{
    static const char key[] = "event_type_info";
    size_t at = c->pos;
    string(c);
    bool is_lines = !c->cut && c->pos - at == sizeof key && memcmp(c->base + at, key, sizeof key) == 0;
    if (!c->cut && c->pos == at + 1)
        md_fault(c, 372, at);
    at = c->pos;
    string(c);
    if (!c->cut && c->pos == at + 1)
        md_fault(c, 372, at);
    if (c->cut || !is_lines || c->m->has_lines)
        return;
    c->m->has_lines = true;
    event_lines(c, (const char *)c->base + at, c->pos - at - 1);
}

void md_android_feature(struct cursor *c, unsigned bit)
{
    c->condition = 1000 + bit;
    c->m->by_simpleperf = true;
    if (bit == 130)
        debug_unwind(c);
    if (bit == 131 && !c->m->unwind_damaged && md_left(c) > c->m->unwind_bytes)
        md_warn(c, 391);
    if (bit == 131 && !c->m->unwind_damaged && md_left(c) < c->m->unwind_bytes)
        md_fault(c, 380, c->pos);
    if (bit == 133)
        message(c, etm);
    while (!c->cut && md_left(c) && !c->m->limit) {
        switch (bit) {
        case 128:
            file_entry(c);
            break;
        case 129: /* META_INFO: a key, a value */
            pair(c);
            break;
        case 132: /* FILE2 */
            file2_entry(c);
            break;
        default:
            md_rest(c);
            break;
        }
    }
}
