/* SPDX-License-Identifier: MIT
 *
 * mutator.c: the entry points of the engines, the choice of an operation, and the file that describes the
 * current mutation.
 */
#include "mutator.h"
#include "build_capture.h"
#include "mutator_parts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- all operations --- */

static const struct operation {
    const char *name;
    mut_operation *change;
    unsigned weight;                         /* how often, among others */
    enum { ANY, OF_RECORDS, OF_FILES } what; /* there must be some; there must be one */
} operations[] = {
    { "header leaf", mut_change_header_leaf, 4, ANY },
    { "attr leaf", mut_change_attr_leaf, 4, ANY },
    { "feature leaf", mut_change_feature_leaf, 4, ANY },
    { "section entry", mut_change_section, 4, OF_FILES },
    { "section moved", mut_move_section, 2, ANY },
    { "feature bit", mut_flip_feature, 4, ANY },
    { "attr more or less", mut_repeat_attr, 4, ANY },
    { "ids", mut_change_ids, 4, ANY },
    { "sample bit", mut_flip_sample_bit, 4, ANY },
    { "record leaf", mut_change_record_leaf, 24, OF_RECORDS },
    { "record resized", mut_resize_record, 8, OF_RECORDS },
    { "record size", mut_change_size, 8, OF_RECORDS },
    { "record type", mut_change_type, 8, OF_RECORDS },
    { "record deleted", mut_delete_record, 8, OF_RECORDS },
    { "record duplicated", mut_duplicate_record, 8, OF_RECORDS },
    { "record moved", mut_move_record, 8, OF_RECORDS },
    { "records wrapped", mut_wrap_records, 6, OF_RECORDS },
    { "record unwrapped", mut_unwrap_record, 4, OF_RECORDS },
    { "record in the other order", mut_swap_record_order, 8, OF_RECORDS },
    /* The rewriter takes longer than a harness. */
    { "other byte order", mut_swap_order, 1, ANY },
    { "other container", mut_swap_container, 1, ANY },
};

static bool applies(const struct subject *s, const struct operation *op)
{
    return op->what == OF_RECORDS ? s->nr_records != 0 : op->what != OF_FILES || !s->pipe;
}

static const struct operation *choose_operation(struct subject *s)
{
    unsigned all = 0, n = 0;
    for (size_t i = 0; i < PC_COUNT_OF(operations); i++)
        all += applies(s, &operations[i]) ? operations[i].weight : 0;
    for (unsigned left = (unsigned)mut_pick(s, all);; n++) {
        if (!applies(s, &operations[n]))
            continue;
        if (left < operations[n].weight)
            return &operations[n];
        left -= operations[n].weight;
    }
}

/* op: NULL: the seed chooses one. */
static void mutate_capture(struct subject *s, const struct operation *op)
{
    mut_look(s);
    if (s->known && (!op || applies(s, op)))
        (op ? op : choose_operation(s))->change(s);
}

/* --- the current mutation --- */

/* The mutator calls the library. If that ends the process, the engine has no input to keep. So the file that
 * $FUZZ_MUTATING names has seed, size and bytes of the current input during fuzz_mutate, fuzz_cross (only the
 * changed one) and fuzz_settle (without a seed). */
#define NOTE_ROOM ((size_t)1 << 16)
struct note {
    uint64_t seed, size; /* 0: nothing is at hand */
    uint8_t bytes[NOTE_ROOM];
};

static struct note *open_note(void)
{
    const char *path = getenv("FUZZ_MUTATING");
    int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
    void *page = fd >= 0 && ftruncate(fd, sizeof(struct note)) == 0
                     ? mmap(NULL, sizeof(struct note), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
                     : MAP_FAILED;
    if (fd >= 0)
        close(fd);
    return page == MAP_FAILED ? NULL : page;
}

static void note(const uint8_t *data, size_t size, uint64_t seed)
{
    static struct note *at_hand;
    static bool asked;
    if (!asked)
        at_hand = open_note();
    asked = true;
    if (!at_hand)
        return;
    size = size < NOTE_ROOM ? size : NOTE_ROOM;
    memcpy(at_hand->bytes, data, size);
    at_hand->seed = seed;
    at_hand->size = size;
}

/* --- entry points of the engines --- */

/* Replaces the input by a sound capture that the generator makes of a few random bytes. */
static size_t begin_anew(struct subject *s)
{
    unsigned char plan[192];
    size_t len = 0;
    pc_limits_init(&fuzz_limits);
    for (size_t n = 8 + (size_t)mut_pick(s, sizeof(plan) - 8); n != 0 && len == 0; n /= 2) {
        struct fuzz_built built;
        for (size_t i = 0; i < n; i++)
            plan[i] = (unsigned char)mut_pick(s, 256);
        fuzz_build((struct pc_span){ plan, n }, &built);
        if (built.bytes && built.len <= s->max) {
            len = built.len;
            memcpy(s->bytes, built.bytes, len);
        }
        fuzz_built_free(&built);
    }
    return len;
}

/* The options of harnesses: see harness.h. */
static void change_options(struct subject *s)
{
    const size_t trailer = strlen(FUZZ_MARK) + FUZZ_OPTIONS;
    bool there = mut_options(s) != 0;
    if (!there && s->max - s->len < trailer)
        return;
    if (!there) {
        memcpy(s->bytes + s->len, FUZZ_MARK, strlen(FUZZ_MARK));
        memset(s->bytes + s->len + strlen(FUZZ_MARK), 0, FUZZ_OPTIONS);
        s->len += trailer;
    }
    for (uint64_t n = 1 + mut_pick(s, FUZZ_OPTIONS); n > 0; n--)
        s->bytes[s->len - 1 - mut_pick(s, FUZZ_OPTIONS)] = (unsigned char)mut_pick(s, 256);
}

static size_t mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw)
{
    unsigned char options[sizeof(FUZZ_MARK) - 1 + FUZZ_OPTIONS];
    struct subject s = mut_subject_of(data, size, max_size, seed);
    mut_look(&s);
    if (mut_pick(&s, s.known ? 512 : 32) == 0) {
        size_t len = begin_anew(&s);
        if (len != 0)
            return len;
    }
    if (!s.known || mut_pick(&s, 8) == 0)
        return raw(data, size, max_size);
    if (mut_pick(&s, 16) == 0) {
        change_options(&s);
        return s.len;
    }
    size_t trailer = mut_options(&s);
    s.len -= trailer;
    s.max -= trailer;
    memcpy(options, s.bytes + s.len, trailer);
    for (uint64_t n = 1 + mut_pick(&s, 3); n > 0; n--)
        mutate_capture(&s, NULL);
    memcpy(s.bytes + s.len, options, trailer);
    return s.len + trailer;
}

size_t fuzz_mutate(uint8_t *data, size_t size, size_t max_size, uint64_t seed, fuzz_raw_mutation *raw)
{
    note(data, size, seed);
    size = mutate(data, size, max_size, seed, raw);
    note(data, 0, seed);
    return size;
}

void fuzz_settle(uint8_t *data, size_t size)
{
    note(data, size, 0);
    mut_settle(data, size);
    note(data, 0, 0);
}

static size_t cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                    size_t max_size, uint64_t seed)
{
    static unsigned char theirs[FUZZ_INPUT_MAX];
    size = size < max_size ? size : max_size;
    memcpy(out, data, size);
    struct subject s = mut_subject_of(out, size, max_size, seed);
    if (other_size > sizeof(theirs))
        return size;
    memcpy(theirs, other, other_size);
    struct subject from = mut_subject_of(theirs, other_size, other_size, seed + 1);
    mut_look(&s);
    mut_look(&from);
    if (!s.known || s.nr_records == 0 || from.nr_records == 0)
        return size;
    size_t first = (size_t)mut_pick(&s, from.nr_records),
           last = first + (size_t)mut_pick(&s, from.nr_records - first);
    size_t start = from.record[first], n = from.record[last] + mut_size_of(&from, last) - start;
    mut_insert_bytes(&s, s.record[mut_pick(&s, s.nr_records)], theirs + start, n);
    return s.len;
}

size_t fuzz_cross(const uint8_t *data, size_t size, const uint8_t *other, size_t other_size, uint8_t *out,
                  size_t max_size, uint64_t seed)
{
    note(data, size, seed);
    size = cross(data, size, other, other_size, out, max_size, seed);
    note(data, 0, seed);
    return size;
}

/* --- one by one, for tests --- */

unsigned fuzz_operations(void)
{
    return PC_COUNT_OF(operations);
}

const char *fuzz_operation_name(unsigned n)
{
    return operations[n].name;
}

unsigned fuzz_chosen(bool pipe, bool records, uint64_t seed)
{
    struct subject s = mut_subject_of(NULL, 0, 0, seed);
    s.pipe = pipe;
    s.nr_records = records;
    return (unsigned)(choose_operation(&s) - operations);
}

bool fuzz_is_consistent(uint64_t seed)
{
    return mut_subject_of(NULL, 0, 0, seed).fix;
}

size_t fuzz_operate(unsigned n, uint8_t *data, size_t size, size_t max_size, uint64_t seed)
{
    struct subject s = mut_subject_of(data, size, max_size, seed);
    s.fix = true;
    mutate_capture(&s, &operations[n]);
    return s.len;
}
