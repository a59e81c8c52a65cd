/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include <string.h>

/* --- compressed records --- */

/* A record after all others with `n` bytes of the zstd stream. Its header says that there are `says` bytes,
 * and `more` bytes follow them; 0: none. */
static size_t add_packed(uint32_t type, const unsigned char *data, size_t n, size_t more, uint64_t says)
{
    unsigned char record[256] = { 0 };
    size_t head = type == PC_COMPRESSED2 ? 16 : 8, at = 0;
    size_t size = type == PC_COMPRESSED2 ? (size_t)pc_align8(head + n) + more : head + n;
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (p->kind == IN_RECORD && p->number == PC_COMPRESSED2)
            at = p->at + p->size;
    }
    pc_store(record, 4, type, fuzz_map.order);
    pc_store(record + 6, 2, size, fuzz_map.order);
    if (type == PC_COMPRESSED2)
        pc_store(record + 8, 8, says, fuzz_map.order);
    if (n != 0)
        memcpy(record + head, data, n);
    return at != 0 && fuzz_splice(at, 0, size, record, -1) ? at : 0;
}

/* A zstd block that stores a record without fields, or one of zeros of the least size: RFC 8878, 3.1.1. */
static size_t stored(unsigned char *to, uint32_t type)
{
    size_t size = type ? pc_record_info(type)->min : 0;
    to[0] = (unsigned char)(size << 3);
    to[1] = (unsigned char)(size >> 5);
    to[2] = 0;
    if (size == 0)
        return 3;
    memset(to + 3, 0, size);
    pc_store(to + 3, 4, type, fuzz_map.order);
    pc_store(to + 9, 2, size, fuzz_map.order);
    return 3 + size;
}

static bool apply_packed(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    unsigned char data[128] = { 0 };
    size_t n = stored(data, fault->number), more = 0, said = 0, missing = 0;
    uint32_t type = PC_COMPRESSED2;
    switch (fault->id) {
    case PC_D_ZSTD_DAMAGED: /* a block of an undefined type */
        data[0] = 6;
        break;
    case PC_D_CONTENT_CUT:
        data[0] = 4 << 3; /* half of the record's header */
        n = 7;
        break;
    case PC_D_COMPRESSED_MIXED:
        type = PC_COMPRESSED;
        break;
    case PC_D_COMPRESSED_NO_DATA:
        type = PC_COMPRESSED;
        n = 0;
        said = 6;
        break;
    case PC_D_COMPRESSED2_EMPTY:
        n = 0;
        said = 8;
        break;
    case PC_D_COMPRESSED2_EXCESS:
        more = 8;
        said = 6;
        break;
    case PC_D_COMPRESSED2_SIZE:
        missing = 8;
        said = 8;
        break;
    case PC_D_ZSTD_FRAME_AGAIN: /* the frame ends, and another one begins with the same content */
        memcpy(data + n, "\x01\0\0\x28\xb5\x2f\xfd\0\x38", 9);
        memcpy(data + n + 9, data, n);
        n += n + 9;
        break;
    case PC_D_ZSTD_FRAME_EMPTY: /* the same, and the content does not come */
        memcpy(data + n, "\x01\0\0\x28\xb5\x2f\xfd\0\x38", 9);
        n += 9;
        break;
    default:
        break;
    }
    size_t at = add_packed(type, data, n, more, n + missing);
    /* Offsets in decompressed content count from the beginning of the content of the record. */
    bool inside = fault->id == PC_D_COMPRESSED_NESTED || fault->id == PC_D_CONTENT_PAYLOAD ||
                  fault->id == PC_D_CONTENT_CUT;
    f->id = fault->id;
    f->place = PC_IN_RECORD;
    f->offset = inside ? 0 : at + said;
    return at != 0;
}

/* The zstd stream began in another file. */
static bool soil_magic(const struct part *p, const struct fuzz_fault *fault)
{
    (void)fault;
    for (const struct part *q = fuzz_map.part; q != p; q++) {
        if (q->kind == IN_RECORD && q->number == PC_COMPRESSED2)
            return false;
    }
    if (p->number != PC_COMPRESSED2)
        return false;
    fuzz_map.f->bytes[p->at + 16 + fuzz_map.f->choice[2] % 4] ^= 0x80;
    return true;
}

/* --- texts of trace data --- */

static bool takes_trace_text(const struct site *s, const struct fuzz_fault *fault)
{
    return s->feature == PC_TRACING_DATA && s->field->name && strcmp(s->field->name, fault->field) == 0;
}

/* Replaces a text in the text of `name` by another one of the same length. The finding is where the two
 * differ. */
static bool change_text(const struct site *s, const struct fuzz_fault *fault)
{
    const char *is = strchr(fault->name, ':') + 2, *as = strstr(is, " as ");
    size_t n = (size_t)(as - is), differ = 0;
    unsigned char *at = memmem(fuzz_map.f->bytes + s->at, s->len, is, n);
    if (!at)
        return false;
    memcpy(at, as + 4, n);
    while (is[differ] == as[4 + differ])
        differ++;
    fuzz_map.f->offset = (size_t)(at - fuzz_map.f->bytes) + differ;
    fuzz_map.f->id = fault->id;
    return true;
}

/* --- the list --- */

#define PACKED(what, which, type) ROW(what, which, .capture = apply_packed, .number = type)
#define TEXT(leaf, is, as, which)                                                                            \
    ROW(leaf ": " is " as " as, which, .takes = takes_trace_text, .change = change_text, .field = leaf)

static const struct fuzz_fault faults[] = {
    PACKED("a block of an unknown type", ZSTD_DAMAGED, 0),
    PACKED("nothing in a compressed record", CONTENT_NONE, 0),
    PACKED("compressed content that ends early", CONTENT_CUT, PC_FINISHED_ROUND),
    PACKED("a compressed record in another one", COMPRESSED_NESTED, PC_COMPRESSED2),
    PACKED("a trace in a compressed record", CONTENT_PAYLOAD, PC_AUXTRACE),
    PACKED("COMPRESSED beside COMPRESSED2", COMPRESSED_MIXED, PC_FINISHED_ROUND),
    PACKED("COMPRESSED without data", COMPRESSED_NO_DATA, 0),
    PACKED("COMPRESSED2 without data", COMPRESSED2_EMPTY, 0),
    PACKED("a word after compressed data", COMPRESSED2_EXCESS, PC_FINISHED_ROUND),
    PACKED("less compressed data than is said", COMPRESSED2_SIZE, PC_FINISHED_ROUND),
    PACKED("another frame", ZSTD_FRAME_AGAIN, PC_FINISHED_ROUND),
    PACKED("an empty frame", ZSTD_FRAME_EMPTY, PC_FINISHED_ROUND),
    RECORD("a stream without a beginning", ZSTD_BEGINS_INSIDE, soil_magic),
    TEXT("format", "field:int common_pid", "fiexd:int common_pid", TRACEPOINT_TEXT),
    TEXT("format", "offset:2;", "offset:1;", TRACEPOINT_FIELD),
    TEXT("format", "REC->value", "REC->)alue", TRACEPOINT_PRINT),
    TEXT("format", "REC->value", "ftt(1,2,3)", TRACEPOINT_UNPRINTABLE),
    TEXT("format", "REC->value", "sizeof(u8)", PRINT_FMT_NEW),
    TEXT("header_page", "field: u64 timestamp", "fiexd: u64 timestamp", HEADER_PAGE),
};

const struct fuzz_faults fuzz_content_faults = { faults, PC_COUNT_OF(faults) };
