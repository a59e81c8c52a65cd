/* SPDX-License-Identifier: MIT
 *
 * capture.c: bytes, and a capture as it grows.
 */
#include "native.h"

/* --- bytes --- */

struct buffer *out;

void put(const void *bytes, size_t len)
{
    if (out->len + len > out->cap) {
        out->cap = (out->len + len) * 2;
        out->bytes = realloc(out->bytes, out->cap);
        if (!out->bytes)
            abort();
    }
    memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

void put8(u8 v)
{
    put(&v, sizeof(v));
}

void put32(u32 v)
{
    put(&v, sizeof(v));
}

void put64(u64 v)
{
    put(&v, sizeof(v));
}

void put32s(unsigned n, unsigned k)
{
    for (unsigned i = 0; i < n; i++)
        put32(D32(k + i));
}

void put64s(unsigned n, unsigned k)
{
    for (unsigned i = 0; i < n; i++)
        put64(D64(k + i));
}

void put_bytes(size_t n, unsigned k)
{
    for (size_t i = 0; i < n; i++)
        put8((u8)(k + i));
}

void put_zeros(size_t n)
{
    while (n--)
        put8(0);
}

void pad(size_t start, size_t unit)
{
    put_zeros((unit - (out->len - start) % unit) % unit);
}

void put_string(const char *text, size_t unit)
{
    size_t start = out->len;
    put(text, strlen(text) + 1);
    pad(start, unit);
}

void put_text(const char *text, size_t room)
{
    put(text, strlen(text));
    put_zeros(room - strlen(text));
}

void put_hstr(const char *text)
{
    put32((u32)((strlen(text) + 64) / 64 * 64));
    put_string(text, 64);
}

/* --- a capture as it grows --- */

bool is_pipe;
struct event attrs[64];
size_t nr_attrs;
u32 attr_size;
struct buffer data, feature[F_END], whole;
bool has_feature[F_END];

struct attr *add_attr(struct attr attr, bool lone)
{
    attrs[nr_attrs].attr = attr;
    attrs[nr_attrs].nr_ids = lone ? 0 : 2;
    attrs[nr_attrs].ids[0] = ID(nr_attrs);
    attrs[nr_attrs].ids[1] = ID(nr_attrs) + 1;
    return &attrs[nr_attrs++].attr;
}

void begin_feature(unsigned bit)
{
    out = &feature[bit];
    has_feature[bit] = true;
}

size_t record_at;
static struct perf_event_header record_header;

void begin(u32 type, u16 misc)
{
    record_at = out->len;
    record_header = (struct perf_event_header){ .type = type, .misc = misc };
    put(&record_header, sizeof(record_header));
}

static void end_unaligned(void)
{
    record_header.size = (u16)(out->len - record_at);
    memcpy(out->bytes + record_at, &record_header, sizeof(record_header));
}

void end(void)
{
    pad(record_at, 8);
    end_unaligned();
}

u64 data_offset(void)
{
    u64 at = 104;
    for (size_t i = 0; i < nr_attrs; i++)
        at += attrs[i].nr_ids * 8 + attrs[i].attr.size + 16;
    return at;
}

#define MAGIC 0x32454c4946524550u /* as an integer: its bytes tell the order */

void write_file(void)
{
    u32 size = nr_attrs ? attrs[0].attr.size : attr_size;
    u64 ids = 104, at = ids, after;
    struct file_header header = { .magic = MAGIC, .size = sizeof(header), .attr_size = size + 16 };

    for (size_t i = 0; i < nr_attrs; i++)
        at += attrs[i].nr_ids * 8;
    header.attrs = (struct section){ at, nr_attrs * (size + 16) };
    header.data = (struct section){ data_offset(), data.len };
    after = header.data.offset + header.data.size;
    for (unsigned bit = 0; bit < F_END; bit++) {
        if (has_feature[bit]) {
            header.features[bit / 64] |= (u64)1 << bit % 64;
            after += sizeof(struct section);
        }
    }
    put(&header, sizeof(header));
    for (size_t i = 0; i < nr_attrs; i++)
        put(attrs[i].ids, attrs[i].nr_ids * 8);
    for (size_t i = 0; i < nr_attrs; i++) {
        put(&attrs[i].attr, size);
        PUT(section, ids, attrs[i].nr_ids * 8);
        ids += attrs[i].nr_ids * 8;
    }
    put(data.bytes, data.len);
    for (unsigned bit = 0; bit < F_END; bit++) {
        if (has_feature[bit]) {
            PUT(section, after, feature[bit].len);
            after += feature[bit].len;
        }
    }
    for (unsigned bit = 0; bit < F_END; bit++)
        put(feature[bit].bytes, feature[bit].len);
}

/* That of 6.1 and 6.12, or of 7.2. */
static u64 end_mark(void)
{
    unsigned highest = 0;
    for (unsigned bit = 2; bit < F_END; bit++)
        highest = has_feature[bit] ? bit : highest;
    return attrs[0].attr.size <= 136 && highest < 32 ? 32 : F_END;
}

void write_pipe(void)
{
    PUT(pipe_header, MAGIC, 16);
    for (size_t i = 0; i < nr_attrs; i++) {
        begin(64, 0);
        put(&attrs[i].attr, attrs[i].attr.size);
        put(attrs[i].ids, attrs[i].nr_ids * 8);
        end();
    }
    for (unsigned bit = 2; bit < F_END; bit++) {
        if (has_feature[bit]) {
            begin(80, 0);
            put64(bit);
            put(feature[bit].bytes, feature[bit].len);
            end_unaligned();
        }
    }
    begin(80, 0); /* the end mark */
    put64(end_mark());
    end();
    if (has_feature[F_TRACING_DATA]) {
        size_t len = (feature[F_TRACING_DATA].len + 7) / 8 * 8;
        begin(66, 0);
        put32((u32)len);
        end_unaligned();
        put(feature[F_TRACING_DATA].bytes, feature[F_TRACING_DATA].len);
        put_zeros(len - feature[F_TRACING_DATA].len);
    }
    put(data.bytes, data.len);
}
