/* SPDX-License-Identifier: MIT */
#include "payloads.h"

#include <stdlib.h>
#include <string.h>

#define FORMATS 256
#define MOST    65536 /* bytes of a payload */

static struct format {
    uint64_t event;
    const char *text, *end; /* after the id */
    unsigned long_size;
    bool big;
} formats[FORMATS];
static size_t nr_formats;
static bool too_many;

/* --- the texts in the trace data --- */

struct trace {
    const unsigned char *at;
    size_t left;
    bool big, ended;
};

static uint64_t number(const unsigned char *bytes, unsigned width, bool big)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << 8 * (big ? width - 1 - i : i);
    return value;
}

static const unsigned char *take(struct trace *t, uint64_t n)
{
    const unsigned char *from = t->at;
    t->ended |= n > t->left;
    if (t->ended)
        return NULL;
    t->at += n;
    t->left -= (size_t)n;
    return from;
}

static uint64_t take_number(struct trace *t, unsigned width)
{
    const unsigned char *from = take(t, width);
    return from ? number(from, width, t->big) : 0;
}

static void skip_text(struct trace *t)
{
    while (!t->ended && t->left != 0 && *t->at != 0)
        take(t, 1);
    take(t, 1);
}

/* The place after `what` in a text, or NULL. */
static const char *behind(const char *text, const char *end, const char *what)
{
    size_t len = strlen(what);
    const char *at = text < end ? memmem(text, (size_t)(end - text), what, len) : NULL;
    return at ? at + len : NULL;
}

/* A decimal number. Returns what follows it. */
static const char *decimal(const char *text, const char *end, uint64_t *value)
{
    for (*value = 0; text < end && *text >= '0' && *text <= '9'; text++)
        *value = 10 * *value + (uint64_t)(*text - '0');
    return text;
}

static void take_format(struct trace *t, unsigned long_size)
{
    uint64_t size = take_number(t, 8);
    const char *text = (const char *)take(t, size);
    if (!text)
        return;
    const char *end = text + size, *id = behind(text, end, "\nID: ");
    struct format f = { .long_size = long_size, .big = t->big, .end = end };
    if (!id)
        return;
    f.text = decimal(id, end, &f.event);
    too_many |= nr_formats == FORMATS;
    if (!too_many)
        formats[nr_formats++] = f;
}

void fuzz_formats_clear(void)
{
    nr_formats = 0;
    too_many = false;
}

void fuzz_formats_read(struct pc_span tracing)
{
    struct trace t = { .at = tracing.ptr, .left = tracing.len };
    take(&t, 10); /* the magic */
    skip_text(&t);
    t.big = take_number(&t, 1) == 1;
    unsigned long_size = (unsigned)take_number(&t, 1);
    take_number(&t, 4);
    skip_text(&t); /* header_page */
    take(&t, take_number(&t, 8));
    skip_text(&t); /* header_event */
    take(&t, take_number(&t, 8));
    for (uint64_t n = take_number(&t, 4); n > 0 && !t.ended; n--)
        take_format(&t, long_size);
    for (uint64_t systems = take_number(&t, 4); systems > 0 && !t.ended; systems--) {
        skip_text(&t);
        for (uint64_t n = take_number(&t, 4); n > 0 && !t.ended; n--)
            take_format(&t, long_size);
    }
}

/* --- fields --- */

/* Bytes of an element, by the spelling of its type; 0: unknown here. */
static unsigned width_of(const char *text, const char *end, unsigned long_size)
{
    static const struct {
        const char *word;
        unsigned width; /* 0: as long */
    } words[] = {
        { "char", 1 },      { "unchar", 1 },   { "bool", 1 },       { "_Bool", 1 },  { "short", 2 },
        { "ushort", 2 },    { "pid_t", 4 },    { "gfp_t", 4 },      { "dev_t", 4 },  { "uint", 4 },
        { "loff_t", 8 },    { "sector_t", 8 }, { "dma_addr_t", 8 }, { "size_t", 0 }, { "ssize_t", 0 },
        { "cpumask_t", 0 }, { "ulong", 0 },
    };
    unsigned longs = 0, width = 0;
    bool plain = false;
    if (memchr(text, '*', (size_t)(end - text)))
        return long_size;
    while (text < end) {
        size_t len = 0;
        while (text + len < end && text[len] != ' ' && text[len] != '[')
            len++;
        uint64_t bits = 0;
        size_t digits = 0;
        while (digits < len && (text[digits] < '0' || text[digits] > '9'))
            digits++;
        decimal(text + digits, text + len, &bits);
        longs += len == 4 && memcmp(text, "long", 4) == 0;
        plain |= (len == 3 && memcmp(text, "int", 3) == 0) ||
                 (len == 8 && memcmp(text, "unsigned", 8) == 0) ||
                 (len == 6 && memcmp(text, "signed", 6) == 0);
        for (size_t i = 0; i < PC_COUNT_OF(words); i++) {
            if (len == strlen(words[i].word) && memcmp(text, words[i].word, len) == 0)
                width = words[i].width ? words[i].width : long_size;
        }
        if ((bits == 8 || bits == 16 || bits == 32 || bits == 64) && memchr("_usi", text[0], 4))
            width = (unsigned)bits / 8;
        text += len + 1;
    }
    return width != 0 ? width : longs == 1 ? long_size : longs == 2 ? 8 : plain ? 4 : 0;
}

static unsigned char expected[MOST];

/* Reverses the bytes of elements of `width` bytes. */
static void reverse(size_t from, size_t to, size_t width)
{
    for (; width > 1 && to - from >= width && to > from; from += width) {
        for (size_t i = 0; i < width / 2; i++) {
            unsigned char byte = expected[from + i];
            expected[from + i] = expected[from + width - 1 - i];
            expected[from + width - 1 - i] = byte;
        }
    }
}

struct field {
    const char *type, *type_end;
    uint64_t offset, size, count; /* count 0: none, or an expression */
    bool is_array, is_loc, is_relative;
};

/* Words with the place of the elements. False: their width is unknown. */
static bool reverse_loc(const struct format *f, const struct field *field, struct pc_span payload)
{
    unsigned width = width_of(field->type, field->type_end, f->long_size);
    for (size_t at = (size_t)field->offset; at < field->offset + field->size; at += 4) {
        uint64_t word = number(payload.ptr + at, 4, f->big);
        size_t from = (size_t)(word & 0xffff) + (field->is_relative ? at + 4 : 0),
               to = from + (size_t)(word >> 16);
        if (from != to && (width == 0 || to > payload.len))
            return false;
        reverse(from, to, width);
        reverse(at, at + 4, 4);
    }
    return true;
}

static bool reverse_field(const struct format *f, const struct field *field, struct pc_span payload)
{
    size_t from = (size_t)field->offset, to = field->size != 0 ? from + (size_t)field->size : payload.len;
    unsigned width = (unsigned)field->size;
    if (field->offset > payload.len || field->size > payload.len - field->offset)
        return false;
    if (field->is_loc)
        return reverse_loc(f, field, payload);
    if (field->is_array)
        width = field->count != 0 ? (unsigned)(field->size / field->count)
                                  : width_of(field->type, field->type_end, f->long_size);
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return from == to;
    reverse(from, to, width);
    return true;
}

/* Parses "field:TYPE NAME; offset:N; size:N;" from `line`, which is after the colon. False: it is not one. */
static bool read_field(const char *line, const char *end, struct field *field)
{
    const char *stop = memchr(line, ';', (size_t)(end - line)), *at;
    *field = (struct field){ .type = line };
    if (!stop || !(at = behind(stop, end, "offset:")) ||
        !(at = behind(decimal(at, end, &field->offset), end, "size:")))
        return false;
    decimal(at, end, &field->size);
    field->is_relative = behind(line, stop, "__rel_loc ") == line + strlen("__rel_loc ");
    field->is_loc = field->is_relative || behind(line, stop, "__data_loc ") == line + strlen("__data_loc ");
    const char *bracket = memchr(line, '[', (size_t)(stop - line)), *name = bracket ? bracket : stop;
    field->is_array = bracket != NULL;
    if (bracket) {
        const char *behind_count = decimal(bracket + 1, stop, &field->count);
        if (*behind_count != ']')
            field->count = 0;
    }
    /* The type ends where the name begins. Dynamic data have a bracket between them. */
    while (!(field->is_loc && bracket) && name > line && name[-1] != ' ' && name[-1] != '*')
        name--;
    field->type_end = name;
    return true;
}

/* Makes the payload in the other order. False: unknown here. */
static bool expect(const struct format *f, struct pc_span payload)
{
    const char *print = behind(f->text, f->end, "\nprint fmt"), *end = print ? print : f->end;
    struct field field;
    memcpy(expected, payload.ptr, payload.len);
    for (const char *line = f->text; (line = behind(line, end, "\tfield:"));) {
        if (!read_field(line, end, &field) || !reverse_field(f, &field, payload))
            return false;
    }
    return true;
}

static bool is_zero(struct pc_span payload)
{
    for (size_t i = 0; i < payload.len; i++) {
        if (payload.ptr[i] != 0)
            return false;
    }
    return true;
}

/* --- what can certainly be swapped --- */

static bool owned[MOST]; /* bytes that belong to a field */

/* Whole elements inside the payload that belong to one field only. */
static bool own(struct pc_span payload, uint64_t from, uint64_t size, unsigned width)
{
    if (width == 0 || size % width != 0 || from > payload.len || size > payload.len - from)
        return false;
    for (size_t i = (size_t)from; i < from + size; i++) {
        if (owned[i])
            return false;
        owned[i] = true;
    }
    return true;
}

static bool is_plain_field(const struct format *f, const struct field *field, struct pc_span payload)
{
    unsigned width = width_of(field->type, field->type_end, f->long_size);
    if (field->size == 0 || behind(field->type, field->type_end, "struct ") ||
        behind(field->type, field->type_end, "union "))
        return false;
    if (!field->is_loc)
        return field->size == (field->is_array ? field->count : 1) * width &&
               own(payload, field->offset, field->size, width);
    if (!own(payload, field->offset, field->size, 4))
        return false;
    for (uint64_t at = field->offset; at < field->offset + field->size; at += 4) {
        uint64_t word = number(payload.ptr + at, 4, f->big);
        if (!own(payload, (word & 0xffff) + (field->is_relative ? at + 4 : 0), word >> 16, width))
            return false;
    }
    return true;
}

static const struct format *format_of(uint64_t event)
{
    for (size_t i = nr_formats; i-- > 0;) {
        if (formats[i].event == event)
            return &formats[i];
    }
    return NULL;
}

bool fuzz_payload_is_plain(uint64_t event, struct pc_span payload)
{
    const struct format *f = format_of(event);
    size_t end = 0;
    if (payload.len > MOST || too_many)
        return false;
    if (!f || is_zero(payload))
        return true;
    struct field field;
    const char *print = behind(f->text, f->end, "\nprint fmt"), *stop = print ? print : f->end;
    memset(owned, 0, sizeof(owned));
    for (const char *line = f->text; (line = behind(line, stop, "\tfield:"));) {
        if (!read_field(line, stop, &field) || !is_plain_field(f, &field, payload))
            return false;
    }
    for (size_t i = 0; i < payload.len; i++)
        end = owned[i] ? i + 1 : end;
    return payload.len - end <= 15;
}

bool fuzz_payload_is_swapped(bool traced, uint64_t event, struct pc_span payload, struct pc_span swapped)
{
    const struct format *f = traced ? format_of(event) : NULL;
    if (payload.len != swapped.len)
        return false;
    if (payload.len > MOST || too_many)
        return true;
    if (!f || is_zero(payload))
        return payload.len == 0 || memcmp(payload.ptr, swapped.ptr, payload.len) == 0;
    return !expect(f, payload) || memcmp(expected, swapped.ptr, payload.len) == 0;
}

/* --- arrays of BPF programs --- */

/* For each bit of `arrays` in bpf_prog_info: the place of its offset (eight bytes) and of its number of
 * elements; how many bytes an element has, or the place of that number; and the size of its words. */
static const struct {
    unsigned char offset, count, size, size_at, word;
} arrays[] = {
    { 24, 16, 1, 0, 1 },     { 32, 20, 1, 0, 1 },     { 56, 52, 4, 0, 4 },
    { 112, 104, 8, 0, 8 },   { 120, 108, 4, 0, 4 },   { 136, 144, 0, 132, 4 },
    { 152, 148, 0, 172, 4 }, { 160, 168, 0, 176, 8 }, { 184, 180, 8, 0, 1 },
};

/* Numbers of `info`; zeros after its end. */
static uint64_t info_number(struct pc_span info, size_t at, unsigned width, bool big)
{
    return info.len >= width && at <= info.len - width ? number(info.ptr + at, width, big) : 0;
}

/* Makes the data of a program in the other order. False: unknown here. */
static bool expect_program(struct pc_span info, uint64_t bits, struct pc_span data, bool big)
{
    if (data.len > MOST)
        return false;
    memcpy(expected, data.ptr, data.len);
    memset(owned, 0, sizeof(owned));
    for (size_t i = 0; i < PC_COUNT_OF(arrays); i++) {
        uint64_t from = info_number(info, arrays[i].offset, 8, big),
                 count = info_number(info, arrays[i].count, 4, big),
                 size = arrays[i].size_at ? info_number(info, arrays[i].size_at, 4, big) : arrays[i].size;
        if (!(bits >> i & 1) || count * size == 0)
            continue;
        /* The info of older kernels may end before some of these numbers. The last one ends at 188. */
        if (info.len < 188 || !own(data, from, count * size, arrays[i].word))
            return false;
        reverse((size_t)from, (size_t)(from + count * size), arrays[i].word);
    }
    return bits >> PC_COUNT_OF(arrays) == 0;
}

bool fuzz_programs_are_swapped(bool big, struct pc_span programs, struct pc_span swapped)
{
    struct trace t = { .at = programs.ptr, .left = programs.len, .big = big };
    for (uint64_t n = take_number(&t, 4); n > 0 && !t.ended; n--) {
        struct pc_span info = { .len = (size_t)take_number(&t, 4) },
                       data = { .len = (size_t)take_number(&t, 4) };
        uint64_t bits = take_number(&t, 8);
        info.ptr = take(&t, info.len);
        data.ptr = take(&t, data.len);
        if (!t.ended && expect_program(info, bits, data, big) &&
            memcmp(expected, swapped.ptr + (data.ptr - programs.ptr), data.len) != 0)
            return false;
    }
    return true;
}
