/* SPDX-License-Identifier: MIT
 *
 * payload.c: swaps payloads of tracepoints and arrays of BPF programs.
 */
#include "format/payload.h"
#include "bytes/cursor.h"
#include "format/tables.h"

#include <string.h>

/* --- payloads of tracepoints --- */

struct range {
    size_t from, to;
};

/* The bytes of the payload at the field itself. */
static struct range own_range(const struct pc_tp_field *f, size_t len)
{
    return (struct range){ f->offset, f->cls == PC_TP_FLEXIBLE ? len : (size_t)f->offset + f->size };
}

/* What a word of dynamic data at this place points to. */
static inline struct range data_range(const struct pc_tp_field *f, const unsigned char *bytes, uint32_t at,
                                      enum pc_order order)
{
    uint64_t word = pc_load(bytes + at, 4, order);
    size_t from = (size_t)(word & 0xffff) + (f->cls == PC_TP_REL_LOC ? at + 4 : 0);
    return (struct range){ from, from + (size_t)(word >> 16) };
}

static bool is_dynamic(const struct pc_tp_field *f)
{
    return f->cls == PC_TP_DATA_LOC || f->cls == PC_TP_REL_LOC;
}

/* Whether bytes at the field itself are swapped. */
static bool is_swapped(const struct pc_tp_field *f)
{
    return is_dynamic(f) || (f->element > 1 && f->cls != PC_TP_TEXT);
}

/* A raw record that was missing when the sample was put together: FORMAT.md 4.6. */
static bool is_missing(const unsigned char *bytes, size_t len)
{
    return len == 4 && pc_load(bytes, 4, PC_LITTLE) == 0;
}

static const char *const why_shared = "it shares bytes with another field, and one of them is swapped";

/* The bytes of a payload that are swapped. */
struct map {
    uint64_t bit[PC_TP_END_MAX / 64 + 1];
    uint32_t before[PC_TP_END_MAX / 64 + 1]; /* how many in the words before, once they are counted */
};

/* Marks the bytes; false when one of them was marked already. Over all calls the work is linear in the
 * payload, as no byte is marked twice. */
static bool mark(struct map *map, struct range r)
{
    for (size_t at = r.from, next; at < r.to; at = next) {
        next = (at | 63) + 1 < r.to ? (at | 63) + 1 : r.to;
        uint64_t bits = UINT64_MAX >> (64 - (next - at)) << at % 64;
        if (map->bit[at / 64] & bits)
            return false;
        map->bit[at / 64] |= bits;
    }
    return true;
}

static void count_marks(struct map *map)
{
    uint32_t n = 0;
    for (size_t i = 0; i < PC_COUNT_OF(map->bit); i++) {
        map->before[i] = n;
        n += (uint32_t)__builtin_popcountll(map->bit[i]);
    }
}

static uint32_t marks_before(const struct map *map, size_t at)
{
    uint64_t below = ((uint64_t)1 << at % 64) - 1;
    return map->before[at / 64] + (uint32_t)__builtin_popcountll(map->bit[at / 64] & below);
}

static bool is_marked(const struct map *map, struct range r)
{
    return marks_before(map, r.from) != marks_before(map, r.to);
}

/* Whether dynamic data that is swapped, or is not, is marked; marks the former. */
static bool data_is_marked(struct map *map, const struct pc_tp_field *f, struct pc_span bytes,
                           enum pc_order order)
{
    for (uint32_t at = f->offset; at < f->offset + f->size; at += 4) {
        struct range r = data_range(f, bytes.ptr, at, order);
        if (f->element > 1 ? !mark(map, r) : is_marked(map, r))
            return true;
    }
    return false;
}

/* Every byte that is swapped belongs to one field alone: a second swap would undo the first, and text would
 * be damaged. Only for payloads whose data does not follow field by field, as kernels write it. */
static __attribute__((noinline)) const char *
find_shared(const struct pc_tracepoint *format, struct pc_span bytes, enum pc_order order, uint32_t *field)
{
    struct map map;
    memset(&map, 0, sizeof(map));
    for (uint32_t i = 0; i < format->nr_fields; i++) {
        const struct pc_tp_field *f = &format->field[i];
        struct range r = own_range(f, bytes.len);
        if (f->cls == PC_TP_FLEXIBLE && f->element > 1)
            r.to -= (r.to - r.from) % f->element;
        if (is_swapped(f))
            mark(&map, r);
    }
    for (uint32_t i = 0; i < format->nr_dynamic; i++) {
        *field = format->dynamic[i];
        const struct pc_tp_field *f = &format->field[*field];
        if (f->element > 1 && data_is_marked(&map, f, bytes, order))
            return why_shared;
    }
    count_marks(&map);
    for (uint32_t i = 0; i < format->nr_fields; i++) {
        *field = i;
        const struct pc_tp_field *f = &format->field[i];
        if (is_dynamic(f) ? f->element <= 1 && data_is_marked(&map, f, bytes, order)
                          : !is_swapped(f) && is_marked(&map, own_range(f, bytes.len)))
            return why_shared;
    }
    *field = format->nr_fields;
    return NULL;
}

/* What holds for all payloads of the format. */
static const char *find_unknown(const struct pc_tracepoint *format, uint32_t *field)
{
    for (uint32_t i = 0; i < format->nr_fields; i++) {
        const struct pc_tp_field *f = &format->field[i];
        *field = i;
        if (f->cls == PC_TP_OPAQUE)
            return "a structure, or a size that no integer has";
        if (f->cls == PC_TP_ARRAY && f->element == 0)
            return "an array of elements of unknown width";
    }
    *field = format->nr_fields;
    return NULL;
}

const char *pc_payload_refusal(const struct pc_tracepoint *format, struct pc_span bytes, enum pc_order order,
                               uint32_t *field)
{
    const size_t most = 15;
    *field = format->nr_fields;
    if (bytes.ptr && is_missing(bytes.ptr, bytes.len))
        return NULL;
    const char *why = find_unknown(format, field);
    if (why || !bytes.ptr)
        return why;
    if (bytes.len > PC_TP_END_MAX)
        return "more bytes than a record holds";
    if (format->end > bytes.len) {
        uint32_t i = 0;
        while ((size_t)format->field[i].offset + format->field[i].size <= bytes.len)
            i++;
        *field = i;
        return "the payload ends before it";
    }

    size_t end = format->end;
    bool may_share = format->is_open && format->nr_dynamic != 0;
    for (uint32_t i = 0; i < format->nr_dynamic; i++) {
        const struct pc_tp_field *f = &format->field[format->dynamic[i]];
        for (uint32_t at = f->offset; at < f->offset + f->size; at += 4) {
            struct range r = data_range(f, bytes.ptr, at, order);
            *field = format->dynamic[i];
            if (r.to > bytes.len)
                return "its data lies outside the payload";
            if (r.from != r.to && f->element == 0)
                return "data of elements of unknown width";
            if (f->element > 1 && (r.to - r.from) % f->element != 0)
                return "its data ends in the middle of an element";
            may_share |= r.from < end && r.from != r.to;
            end = r.to > end ? r.to : end;
        }
    }
    *field = format->nr_fields;
    if (format->is_open) {
        const struct pc_tp_field *f = &format->field[format->nr_fields - 1];
        if (f->element == 0 && bytes.len > f->offset) {
            *field = format->nr_fields - 1;
            return "an array of elements of unknown width";
        }
    } else if (bytes.len - end > most) {
        return "more than 15 bytes that no field describes";
    }
    return may_share ? find_shared(format, bytes, order, field) : NULL;
}

/* The words of a dynamic field, and what they point to. */
static void swap_dynamic(const struct pc_tp_field *f, unsigned char *bytes, size_t len, enum pc_order order)
{
    for (uint32_t at = f->offset; at < f->offset + f->size; at += 4) {
        struct range r = data_range(f, bytes, at, order);
        assert(r.to <= len);
        (void)len;
        if (f->element > 1)
            pc_swap(bytes + r.from, bytes + r.from, r.to - r.from, f->element);
        pc_swap(bytes + at, bytes + at, 4, 4);
    }
}

void pc_payload_swap(const struct pc_tracepoint *format, unsigned char *bytes, size_t len,
                     enum pc_order order)
{
    if (format->end > len) {
        assert(is_missing(bytes, len));
        return;
    }
    for (uint32_t i = 0; i < format->nr_fields; i++) {
        const struct pc_tp_field *f = &format->field[i];
        switch (f->cls) {
        case PC_TP_DATA_LOC:
        case PC_TP_REL_LOC:
            swap_dynamic(f, bytes, len, order);
            break;
        case PC_TP_FLEXIBLE:
            pc_swap(bytes + f->offset, bytes + f->offset, len - f->offset, f->element);
            break;
        case PC_TP_INTEGER:
        case PC_TP_POINTER:
        case PC_TP_ARRAY:
            pc_swap(bytes + f->offset, bytes + f->offset, f->size, f->element);
            break;
        default: /* text */
            break;
        }
    }
}

/* --- arrays of BPF programs --- */

bool pc_bpf_data_swap(struct pc_span info, uint64_t arrays, enum pc_order order, unsigned char *data,
                      size_t len)
{
    struct pc_bpf_place places[PC_BPF_ARRAYS];
    struct range range[PC_BPF_ARRAYS] = { { 0, 0 } };
    if (arrays >> PC_BPF_ARRAYS != 0)
        return false;
    pc_bpf_find_arrays(info, order, places);
    for (size_t i = 0; i < PC_BPF_ARRAYS; i++) {
        const struct pc_bpf_array *a = &pc_bpf_arrays[i];
        const struct pc_bpf_place *place = &places[i];
        uint64_t bytes, end;
        if (!(arrays >> i & 1) || !pc_bpf_is_told(place))
            continue;
        if (!pc_mul(place->count, place->element, &bytes) || !pc_add(place->start, bytes, &end) || end > len)
            return false;
        if (bytes != 0 && place->element % a->word != 0)
            return false;
        range[i] = (struct range){ (size_t)place->start, (size_t)end };
        for (size_t k = 0; k < i; k++) {
            bool swapped = a->word > 1 || pc_bpf_arrays[k].word > 1;
            if (swapped && bytes != 0 && range[k].from != range[k].to && range[i].from < range[k].to &&
                range[k].from < range[i].to)
                return false;
        }
    }
    for (size_t i = 0; i < PC_BPF_ARRAYS; i++)
        pc_swap(data + range[i].from, data + range[i].from, range[i].to - range[i].from,
                pc_bpf_arrays[i].word);
    return true;
}
