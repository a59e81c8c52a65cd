/* SPDX-License-Identifier: MIT
 *
 * convert_bench.h: what the tests of conversion share: a capture with one attr, something to convert under
 * it, and all that the tables can make.
 */
#ifndef PC_CONVERT_BENCH_H
#define PC_CONVERT_BENCH_H

#include "pc_test.h"
#include "generate/synth.h"
#include "write/convert.h"

#define ROOM 16384

/* All memory of a test; begin_test, which is the set-up of each one, empties it. */
extern struct pc_mem mem;
int begin_test(void **state);

static const enum pc_order orders[] = { PC_LITTLE, PC_BIG };

static inline enum pc_order other(enum pc_order order)
{
    return order == PC_LITTLE ? PC_BIG : PC_LITTLE;
}

struct bench {
    struct pc_capture capture[2]; /* by order */
    struct pc_convert convert;
    uint64_t layout_mask;
};

/* Bytes that were handed over. */
struct bytes {
    unsigned char ptr[ROOM];
    size_t len;
};

/* What is converted. */
struct subject {
    enum { RECORD, FEATURE, ATTR } kind;
    uint64_t number; /* type or bit */
    uint16_t misc;
    struct pc_layout layout;
    const struct pc_field *table;
    enum pc_order order;
    uint32_t attr_size;
    bool for_digest;
};

/* A capture in each byte order with one attr of these slots; NULL: without attrs. */
void bench_open(struct bench *b, const uint64_t *slot);

/* Nothing of it may stay in memory. */
void bench_close(struct bench *b);

/* The slots of an attr with some registers. */
void fill_slots(uint64_t *slot, uint64_t sample_type, uint64_t read_format, uint64_t branch, uint64_t flags);

/* Appends to bytes; take does so for pc_convert_feature. */
void put(struct bytes *b, const void *ptr, size_t n);
void take(void *ctx, const unsigned char *bytes, size_t n);
struct pc_span span_of(const struct bytes *b);

/* For messages. */
const char *name_of(const struct subject *s);

/* Prepares a conversion into a byte order, and does it. */
void setup(struct pc_convert *convert, struct bench *b, const struct subject *s, enum pc_order to);
enum pc_outcome run(struct pc_convert *convert, const struct subject *s, struct pc_span in,
                    struct bytes *out);

/* Both. b->convert keeps the refusal. */
enum pc_outcome convert_to(struct bench *b, const struct subject *s, struct pc_span in, enum pc_order to,
                           struct bytes *out);

/* Fails where bytes differ from those expected. */
void assert_bytes(const struct subject *s, const struct bytes *seen, struct pc_span expected,
                  const char *what);

/* Records that the writer makes anew. */
bool is_of_container(uint32_t type);

/* Of the content of what is made next. */
extern uint64_t seed;

/* What is done with every record, feature and attr that is made. */
typedef void examine(struct bench *b, const struct subject *s, struct synth *bytes);

/* Calls f for records of every type, for samples and trailers of every layout, for every feature, for attrs
 * of every size: each in both byte orders. */
void each_record_type(examine *f, unsigned variants);
void each_sample(examine *f);
void each_feature(examine *f, unsigned variants, bool for_digest);
void each_attr(examine *f);

#endif
