/* SPDX-License-Identifier: MIT
 *
 * The mutator changes captures where they mean something: each of its operations is reached, depends on the
 * seed alone, keeps to its room, and leaves most captures such that a reader comes to their end; and it
 * changes records of every type that the tables know.
 */
#include "pc_test.h"
#include "build_capture.h"
#include "bytes/cursor.h"
#include "harness.h"
#include "mutator.h"

#include <sys/wait.h>
#include <unistd.h>

#define ROOM       ((size_t)1 << 16)
#define PLANS      12
#define SEEDS      24
#define OPTIONS    "optABCDE"
#define CONTAINERS 4 /* kinds of capture: pipe + 2 * big-endian */

static struct pc_scan scan;
static uint64_t state_of_random = 20261122;

static uint64_t next_random(void)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return state_of_random >> 11;
}

/* Captures that are sound, of each kind. */
static struct capture {
    unsigned char *bytes;
    size_t len;
    uint64_t records;
} capture[PLANS];

/* How many records the reader sees, those in compressed ones too, and whether it came to the end without a
 * word about the frame. */
static bool is_whole(struct pc_span in, uint64_t *records)
{
    fuzz_scan(&scan, in, PC_INPUT_FILE);
    bool whole = scan.recognised && scan.reader.skipped == 0;
    for (size_t i = 0; i < scan.report.nr; i++) {
        const char *id = pc_diag_info(scan.report.finding[i].id)->id; /* PC01: header and sections */
        whole &= scan.report.finding[i].severity != PC_ERROR || strncmp(id, "PC01", 4) != 0;
    }
    *records = scan.check.flow.sum.total;
    fuzz_scan_end(&scan);
    return whole;
}

static int make_captures(void **state)
{
    (void)state;
    struct fuzz_case c;
    fuzz_case(&c, NULL, 0); /* limits */
    for (unsigned i = 0; i < PLANS; i++) {
        unsigned char plan[160];
        struct fuzz_built built;
        for (size_t k = 0; k < sizeof(plan); k++)
            plan[k] = (unsigned char)next_random();
        plan[0] = (unsigned char)((plan[0] & ~3u) | i % CONTAINERS);
        plan[2] = (unsigned char)(i % 3);
        fuzz_build_plain((struct pc_span){ plan, sizeof(plan) }, &built);
        capture[i] = (struct capture){ .bytes = built.bytes, .len = built.len };
        assert_true(is_whole((struct pc_span){ built.bytes, built.len }, &capture[i].records));
    }
    return 0;
}

static int free_captures(void **state)
{
    (void)state;
    for (unsigned i = 0; i < PLANS; i++)
        free(capture[i].bytes);
    return 0;
}

/* Room that ends at an inaccessible page. */
static unsigned char *put(struct guarded *g, const struct capture *c, size_t max)
{
    unsigned char *at = g->map + g->size - max;
    memmove(at, c->bytes, c->len);
    return at;
}

static size_t no_change(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    (void)max_size;
    return size;
}

static void the_seed_alone_decides(void **state)
{
    (void)state;
    static unsigned char one[ROOM], two[ROOM];
    for (unsigned i = 0; i < PLANS; i++) {
        for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
            memset(one, 0xaa, ROOM);
            memset(two, 0x55, ROOM); /* bytes after the capture do not belong to it */
            memcpy(one, capture[i].bytes, capture[i].len);
            memcpy(two, capture[i].bytes, capture[i].len);
            size_t a = fuzz_mutate(one, capture[i].len, ROOM, seed, no_change);
            size_t b = fuzz_mutate(two, capture[i].len, ROOM, seed, no_change);
            assert_int_equal(a, b);
            assert_memory_equal(one, two, a);
        }
    }
}

/* With no room, a little, and a lot; bytes after the buffer are on an inaccessible page. */
static void the_mutator_stays_within_its_buffer(void **state)
{
    (void)state;
    static const size_t more[] = { 0, 1, 8, 40, 4096 };
    struct guarded g = guarded_new(ROOM * 2);
    size_t grown = 0;
    for (unsigned i = 0; i < PLANS; i++) {
        for (unsigned n = 0; n < PC_COUNT_OF(more); n++) {
            size_t max = capture[i].len + more[n];
            for (uint64_t seed = 0; seed < 4 * SEEDS; seed++) {
                size_t len = fuzz_mutate(put(&g, &capture[i], max), capture[i].len, max, seed, no_change);
                assert_true(len <= max);
                grown += len > capture[i].len;
            }
            for (unsigned op = 0; op < fuzz_operations(); op++)
                assert_true(fuzz_operate(op, put(&g, &capture[i], max), capture[i].len, max, 7) <= max);
        }
    }
    assert_true(grown > 0);
    guarded_free(&g);
}

/* Each prefix of a capture, and one whose bytes are damaged, is a capture as good as another. */
static void damaged_captures_can_be_mutated(void **state)
{
    (void)state;
    struct guarded g = guarded_new(ROOM * 2);
    for (unsigned i = 0; i < CONTAINERS; i++) {
        for (size_t len = 0; len < capture[i].len; len += 1 + len / 64) {
            for (uint64_t seed = 0; seed < 4; seed++) {
                struct capture cut = { .bytes = capture[i].bytes, .len = len };
                unsigned char *at = put(&g, &cut, len);
                assert_true(fuzz_mutate(at, len, len, seed + len, no_change) <= len);
                fuzz_settle(at, len);
            }
        }
        for (unsigned n = 0; n < 2000; n++) {
            unsigned char *at = put(&g, &capture[i], capture[i].len);
            for (unsigned k = 0; k < 4; k++)
                at[next_random() % capture[i].len] = (unsigned char)next_random();
            size_t len = fuzz_mutate(at, capture[i].len, capture[i].len, n, no_change);
            assert_true(len <= capture[i].len);
            at = put(&g, &(struct capture){ .bytes = at, .len = len }, len);
            fuzz_settle(at, len);
        }
    }
    guarded_free(&g);
}

/* Options are no part of a capture, and stay. */
static void options_stay_at_the_end(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM];
    const size_t trailer = strlen(OPTIONS);
    unsigned changed = 0;
    for (uint64_t seed = 0; seed < 8 * SEEDS; seed++) {
        memcpy(bytes, capture[0].bytes, capture[0].len);
        memcpy(bytes + capture[0].len, OPTIONS, trailer);
        size_t len = fuzz_mutate(bytes, capture[0].len + trailer, ROOM, seed, no_change);
        assert_memory_equal(bytes + len - trailer, FUZZ_MARK, strlen(FUZZ_MARK));
        changed += memcmp(bytes + len - trailer, OPTIONS, trailer) != 0;
    }
    assert_true(changed > 0 && changed < SEEDS);
}

/* What an operation did over all captures and seeds. */
struct outcome {
    unsigned tried, changed, whole, close; /* close: as many records, or one more or less */
    unsigned valid;
};

static void operate(unsigned op, const struct capture *c, uint64_t seed, struct outcome *o)
{
    static unsigned char bytes[ROOM];
    struct fuzz_found found;
    uint64_t records;
    memcpy(bytes, c->bytes, c->len);
    size_t len = fuzz_operate(op, bytes, c->len, ROOM, seed);
    o->tried++;
    if (len == c->len && memcmp(bytes, c->bytes, len) == 0)
        return;
    o->changed++;
    bool whole = is_whole((struct pc_span){ bytes, len }, &records);
    o->whole += whole;
    o->close += whole && records + 1 >= c->records && records <= c->records + 1;
    fuzz_find((struct pc_span){ bytes, len }, &found);
    o->valid += found.verdict == PC_VALID;
}

static unsigned operation(const char *name)
{
    for (unsigned op = 0; op < fuzz_operations(); op++) {
        if (strcmp(fuzz_operation_name(op), name) == 0)
            return op;
    }
    fail_msg("%s: no such operation", name);
    return 0;
}

/* Wrapped by another operation before, so that there is something to unwrap. */
static struct capture wrapped(unsigned i)
{
    static unsigned char bytes[ROOM];
    memcpy(bytes, capture[i].bytes, capture[i].len);
    struct capture c = { .bytes = bytes, .records = capture[i].records };
    c.len = fuzz_operate(operation("records wrapped"), bytes, capture[i].len, ROOM, i + 1);
    return c;
}

static void each_operation_is_chosen(void **state)
{
    (void)state;
    unsigned times[4][64] = { { 0 } };
    assert_true(fuzz_operations() <= 64);
    for (uint64_t seed = 0; seed < 20000; seed++) {
        for (unsigned kind = 0; kind < 4; kind++)
            times[kind][fuzz_chosen(kind & 1, kind & 2, seed)]++;
    }
    for (unsigned op = 0; op < fuzz_operations(); op++) {
        bool of_records = strncmp(fuzz_operation_name(op), "record", 6) == 0;
        bool of_files = strcmp(fuzz_operation_name(op), "section entry") == 0;
        for (unsigned kind = 0; kind < 4; kind++) {
            bool applies = !(of_files && (kind & 1)) && !(of_records && !(kind & 2));
            assert_true(applies ? times[kind][op] > 20 : times[kind][op] == 0);
        }
    }
}

static unsigned raw_changes;

static size_t count_raw(uint8_t *data, size_t size, size_t max_size)
{
    (void)data;
    (void)max_size;
    raw_changes++;
    return size;
}

/* One change of eight is raw. Of the others, seven of eight are made consistent, so more of them are valid.
 * */
static void most_mutations_are_made_consistent(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM];
    unsigned tried = 0, changed[2] = { 0 }, valid[2] = { 0 };
    raw_changes = 0;
    for (unsigned i = 0; i < PLANS; i++) {
        for (uint64_t seed = 0; seed < 20 * SEEDS; seed++) {
            bool consistent = fuzz_is_consistent(seed * 1000 + i);
            unsigned raw = raw_changes;
            memcpy(bytes, capture[i].bytes, capture[i].len);
            size_t len = fuzz_mutate(bytes, capture[i].len, ROOM, seed * 1000 + i, count_raw);
            tried++;
            if (raw != raw_changes || (len == capture[i].len && memcmp(bytes, capture[i].bytes, len) == 0))
                continue;
            changed[consistent]++;
            fuzz_scan(&scan, (struct pc_span){ bytes, len }, PC_INPUT_FILE);
            valid[consistent] += pc_scan_verdict(&scan) == PC_VALID;
            fuzz_scan_end(&scan);
        }
    }
    print_message("%u of %u raw; valid %u of %u, and %u of %u\n", raw_changes, tried, valid[1], changed[1],
                  valid[0], changed[0]);
    assert_in_range(raw_changes * 800 / tried, 93, 107);
    assert_in_range(changed[1] * 800 / (changed[0] + changed[1]), 685, 715);
    assert_true(valid[1] * 5 > changed[1] * 2);
    assert_true((uint64_t)valid[0] * changed[1] * 4 < (uint64_t)valid[1] * changed[0] * 3);
}

/* Operations that are to break the frame do so; the others seldom do. */
static bool is_to_break(const char *name)
{
    static const char *const breaking[] = { "header leaf", "section entry", "record size",
                                            "record in the other order" };
    for (size_t i = 0; i < PC_COUNT_OF(breaking); i++) {
        if (strcmp(name, breaking[i]) == 0)
            return true;
    }
    return false;
}

static void most_captures_are_still_read_to_their_end(void **state)
{
    (void)state;
    struct outcome all = { 0 };
    for (unsigned op = 0; op < fuzz_operations(); op++) {
        const char *name = fuzz_operation_name(op);
        struct outcome o = { 0 };
        for (unsigned i = 0; i < PLANS; i++) {
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                struct capture c = strcmp(name, "record unwrapped") == 0 ? wrapped(i) : capture[i];
                operate(op, &c, seed * 1000 + i, &o);
            }
        }
        print_message("%-26s changed %3u of %u, whole %3u, as many records %3u\n", name, o.changed, o.tried,
                      o.whole, o.close);
        if (o.changed * 8 < o.tried)
            fail_msg("%s: seldom does anything", name);
        if (!is_to_break(name) && o.whole * 2 < o.changed)
            fail_msg("%s: leaves %u of %u captures whole", name, o.whole, o.changed);
        all.changed += o.changed;
        all.close += o.close;
    }
    assert_true(all.close * 2 > all.changed);
}

/* How many of a hundred captures that an operation has changed are valid at least, in files and in pipes.
 * Those with few are to break what they change, or know nothing of what it means. */
static const struct {
    const char *name;
    unsigned valid;
} least_valid[] = {
    { "header leaf", 0 },
    { "attr leaf", 65 },
    { "feature leaf", 60 },
    { "section entry", 0 },
    { "section moved", 85 },
    { "feature bit", 75 },
    { "attr more or less", 65 }, /* EVENT_DESC of a file may list fewer then */
    { "ids", 35 },
    { "sample bit", 80 },
    { "record leaf", 60 },
    { "record resized", 35 },
    { "record size", 0 },
    { "record type", 15 },
    { "record deleted", 75 },
    { "record duplicated", 80 },
    { "record moved", 80 },
    { "records wrapped", 95 },
    { "record unwrapped", 95 },
    { "record in the other order", 0 },
    { "other byte order", 95 },
    { "other container", 95 },
};

/* What is kept consistent is valid more often than not; and nothing is without effect in a container. */
static void consistent_mutations_mostly_stay_valid(void **state)
{
    (void)state;
    assert_int_equal(PC_COUNT_OF(least_valid), fuzz_operations());
    for (size_t n = 0; n < PC_COUNT_OF(least_valid); n++) {
        const char *name = least_valid[n].name;
        unsigned op = operation(name);
        struct outcome of[2] = { { 0 } };
        for (unsigned i = 0; i < PLANS; i++) {
            bool pipe =
                capture[i].bytes[8] == PC_PIPE_HEADER_SIZE || capture[i].bytes[15] == PC_PIPE_HEADER_SIZE;
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                struct capture c = strcmp(name, "record unwrapped") == 0 ? wrapped(i) : capture[i];
                operate(op, &c, seed * 1000 + i, &of[pipe]);
            }
        }
        print_message("%-26s valid %3u of %3u files, %3u of %3u pipes\n", name, of[0].valid, of[0].changed,
                      of[1].valid, of[1].changed);
        for (unsigned pipe = 0; pipe < 2; pipe++) {
            bool applies = !pipe || strcmp(name, "section entry") != 0;
            if (applies ? of[pipe].changed * 2 < of[pipe].tried : of[pipe].changed != 0)
                fail_msg("%s: changes %u of %u", name, of[pipe].changed, of[pipe].tried);
            if (of[pipe].valid * 100 < of[pipe].changed * least_valid[n].valid)
                fail_msg("%s: leaves %u of %u valid", name, of[pipe].valid, of[pipe].changed);
        }
    }
}

/* --- all types --- */

/* The first record of a type in a capture; 0: there is none. */
static size_t place_of(struct pc_span in, uint32_t type, size_t *size)
{
    struct pc_item item;
    size_t at = 0;
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, in, PC_INPUT_FILE);
    while (at == 0 && pc_scan_next(&scan, &item)) {
        if (item.kind == PC_ITEM_RECORD && item.type == type) {
            at = (size_t)item.offset;
            *size = item.bytes.len;
        }
    }
    fuzz_scan_end(&scan);
    return at;
}

/* A pipe with a record of the type; 0: no generator makes one. */
static size_t capture_with(uint32_t type, struct fuzz_built *built, size_t *size)
{
    size_t at = 0;
    for (unsigned n = 0; n < 256 && at == 0; n++) {
        /* Kind in two bytes, attrs, features; one attr; one record, whose type is that of the n-th row. */
        unsigned char plan[1 + 1 + 1 + 5 + 8 + 4] = { n & 1 ? 2 : 3 };
        memset(plan + 3, 0xff, 5);
        memset(plan + 8, 0x7f, 3);
        plan[16] = (unsigned char)n;
        plan[17] = 4;
        fuzz_build_plain((struct pc_span){ plan, sizeof(plan) }, built);
        at = place_of((struct pc_span){ built->bytes, built->len }, type, size);
        if (at == 0)
            free(built->bytes);
    }
    return at;
}

/* Compressed records come from the writer; trace data are among the headers, not one record of a plan. */
static bool is_of_no_plan(uint32_t type)
{
    return type == PC_COMPRESSED || type == PC_COMPRESSED2 || type == PC_HEADER_TRACING_DATA;
}

/* A type is changed in its content the day that its table has a row. */
static void records_of_every_type_are_changed(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM];
    unsigned op = operation("record leaf"), types = 0;
    for (uint32_t type = 1; type < PC_TYPES; type++) {
        const struct pc_record_info *info = pc_record_info(type);
        struct fuzz_built built;
        size_t size, at = info ? capture_with(type, &built, &size) : 0;
        if (at == 0) {
            if (info && !is_of_no_plan(type))
                fail_msg("%s is never made", info->name);
            continue;
        }
        bool changed = size == PC_RECORD_HEADER_SIZE; /* there is nothing in it */
        for (uint64_t seed = 1; seed < 4000 && !changed; seed++) {
            memcpy(bytes, built.bytes, built.len);
            assert_int_equal(fuzz_operate(op, bytes, built.len, ROOM, seed), built.len);
            changed = memcmp(bytes + at + PC_RECORD_HEADER_SIZE, built.bytes + at + PC_RECORD_HEADER_SIZE,
                             size - PC_RECORD_HEADER_SIZE) != 0;
        }
        free(built.bytes);
        if (!changed)
            fail_msg("%s is never changed", info->name);
        types++;
    }
    print_message("%u types\n", types);
}

/* A change that leaves fewer records than were found before, or others, where offsets are among them; seen
 * by a run of two million mutations. */
static void records_may_be_dropped_while_others_change(void **state)
{
    (void)state;
    static const char *const names[] = { "sample bit", "attr more or less", "records wrapped",
                                         "feature bit" };
    static unsigned char bytes[ROOM];
    struct guarded g = guarded_new(ROOM * 2);
    FILE *file = fopen("corpus/crash/mutator-fewer-records-than-before", "rb");
    assert_non_null(file);
    struct capture c = { .bytes = bytes, .len = fread(bytes, 1, sizeof(bytes), file) };
    fclose(file);
    assert_true(c.len > 104);
    for (unsigned n = 0; n < PC_COUNT_OF(names); n++) {
        for (uint64_t seed = 0; seed < 4000; seed++) {
            size_t max = c.len + seed % 64;
            size_t len = fuzz_operate(operation(names[n]), put(&g, &c, max), c.len, max, seed);
            assert_in_range(len, 1, max);
        }
    }
    size_t len = fuzz_mutate(put(&g, &c, 4096), c.len, 4096, 10001025, no_change);
    assert_in_range(len, 1, 4096);
    guarded_free(&g);
}

static size_t end_here(uint8_t *data, size_t size, size_t max_size)
{
    (void)data, (void)size, (void)max_size;
    _exit(7);
}

/* What is being changed when the process ends can be found, and nothing otherwise. */
static void the_current_mutation_is_noted_in_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/test_mutator-XXXXXX";
    unsigned char bytes[] = "no capture";
    struct {
        uint64_t seed, size;
        unsigned char bytes[sizeof(bytes)];
    } noted;
    int status, fd = mkstemp(path);
    assert_true(fd >= 0);
    for (int ends = 0; ends < 2; ends++) {
        pid_t child = fork();
        if (child == 0) {
            setenv("FUZZ_MUTATING", path, 1);
            fuzz_mutate(bytes, sizeof(bytes), sizeof(bytes), 42, ends ? end_here : no_change);
            _exit(7);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        assert_int_equal(pread(fd, &noted, sizeof(noted), 0), sizeof(noted));
        assert_int_equal(noted.size, ends ? sizeof(bytes) : 0);
    }
    assert_int_equal(noted.seed, 42);
    assert_memory_equal(noted.bytes, bytes, sizeof(bytes));
    close(fd);
    unlink(path);
}

/* --- two captures --- */

static void a_cross_takes_records_of_another_capture(void **state)
{
    (void)state;
    static unsigned char out[ROOM], again[ROOM];
    struct guarded g = guarded_new(ROOM), small = guarded_new(ROOM);
    unsigned crossed = 0, whole = 0, tried = 0;
    for (unsigned i = 0; i < PLANS; i++) {
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            /* Of the same order, else its records are none. */
            const struct capture *a = &capture[i], *b = &capture[(i + CONTAINERS) % PLANS];
            struct pc_span one = guarded_put(&g, a->bytes, a->len),
                           two = guarded_put(&small, b->bytes, b->len);
            uint64_t records;
            size_t len = fuzz_cross(one.ptr, one.len, two.ptr, two.len, out, ROOM, seed);
            assert_int_equal(len, fuzz_cross(one.ptr, one.len, two.ptr, two.len, again, ROOM, seed));
            assert_memory_equal(out, again, len);
            tried++;
            if (len <= a->len)
                continue;
            crossed++;
            whole += is_whole((struct pc_span){ out, len }, &records) && records > a->records;
            /* With room for less. */
            assert_true(fuzz_cross(one.ptr, one.len, two.ptr, two.len, out, a->len + 16, seed) <=
                        a->len + 16);
            assert_true(fuzz_cross(one.ptr, one.len, two.ptr, two.len, out, 100, seed) <= 100);
        }
    }
    print_message("%u tried, %u crossed, %u whole\n", tried, crossed, whole);
    assert_true(crossed * 2 > tried && whole * 2 > crossed);
    guarded_free(&g);
    guarded_free(&small);
}

/* --- what engines changed without knowledge --- */

static void sizes_become_consistent(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM];
    unsigned before = 0, after = 0, kept = 0;
    for (unsigned op = 0; op < fuzz_operations(); op++) {
        const char *name = fuzz_operation_name(op);
        if (strcmp(name, "section entry") != 0 && strcmp(name, "record size") != 0)
            continue;
        for (unsigned i = 0; i < PLANS; i++) {
            for (uint64_t seed = 0; seed < SEEDS; seed++) {
                uint64_t records;
                memcpy(bytes, capture[i].bytes, capture[i].len);
                size_t len = fuzz_operate(op, bytes, capture[i].len, ROOM, seed);
                bool was = is_whole((struct pc_span){ bytes, len }, &records);
                fuzz_settle(bytes, len);
                bool is = is_whole((struct pc_span){ bytes, len }, &records);
                before += was;
                after += is;
                kept += was && is;
            }
        }
    }
    print_message("whole: %u before, %u after, %u both\n", before, after, kept);
    /* The reader itself knows the size of most records by their content. */
    assert_true(after > before && kept > before - before / 4);
}

/* Attrs that are among records: their sections become consistent, and the sizes of those records others. */
static void settling_may_change_records(void **state)
{
    (void)state;
    static unsigned char bytes[ROOM];
    unsigned settled = 0;
    for (unsigned i = 0; i < PLANS; i++) {
        const struct capture *c = &capture[i];
        enum pc_order order = c->bytes[0] == 'P' ? PC_LITTLE : PC_BIG;
        if (pc_load(c->bytes + 8, 8, order) == PC_PIPE_HEADER_SIZE)
            continue;
        uint64_t data = pc_load(c->bytes + 40, 8, order), end = data + pc_load(c->bytes + 48, 8, order);
        for (uint64_t at = data; at < end; at += 2) {
            memcpy(bytes, c->bytes, c->len);
            pc_store(bytes + 24, 8, at, order);
            pc_store(bytes + 32, 8, end - at, order);
            fuzz_settle(bytes, c->len);
            settled += memcmp(bytes + data, c->bytes + data, (size_t)(end - data)) != 0;
        }
    }
    assert_true(settled > 1000);
}

/* What is no capture becomes one now and then, and comes as it is otherwise. */
static void any_bytes_become_a_capture(void **state)
{
    (void)state;
    enum { TRIES = 4000 };
    static unsigned char bytes[4096];
    unsigned made = 0, pipes = 0, big = 0;
    for (uint64_t seed = 0; seed < TRIES; seed++) {
        uint64_t records;
        memcpy(bytes, "none", 4);
        size_t len = fuzz_mutate(bytes, 4, sizeof(bytes), seed, no_change);
        if (len == 4 && memcmp(bytes, "none", 4) == 0)
            continue;
        made++;
        assert_true(is_whole((struct pc_span){ bytes, len }, &records));
        big += bytes[0] != 'P';
        pipes += pc_load(bytes + 8, 8, bytes[0] == 'P' ? PC_LITTLE : PC_BIG) == PC_PIPE_HEADER_SIZE;
    }
    assert_true(made > TRIES / 64 && made < TRIES / 16);
    assert_true(pipes > made / 4 && pipes < made && big > made / 4 && big < made);
}

/* The shell for AFL++: what it makes is made consistent in a place of its own. */
void *afl_custom_init(void *afl, unsigned seed);
void afl_custom_deinit(void *data);
size_t afl_custom_fuzz(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf, uint8_t *add_buf,
                       size_t add_buf_size, size_t max_size);
size_t afl_custom_post_process(void *data, uint8_t *buf, size_t buf_size, uint8_t **out_buf);

static void afl_gets_the_same_mutations(void **state)
{
    (void)state;
    void *afl = afl_custom_init(NULL, 5);
    unsigned changed = 0, settled = 0;
    for (unsigned n = 0; n < 40 * SEEDS; n++) {
        const struct capture *c = &capture[n % PLANS], *other = &capture[(n + CONTAINERS) % PLANS];
        uint8_t *out, *last;
        size_t max = c->len + 64;
        size_t len = afl_custom_fuzz(afl, c->bytes, c->len, &out, other->bytes, other->len, max);
        assert_true(len <= max);
        changed += len != c->len || memcmp(out, c->bytes, len) != 0;
        assert_int_equal(afl_custom_post_process(afl, out, len, &last), len);
        assert_true(last != out);
        settled += memcmp(last, out, len) != 0;
    }
    assert_true(changed > 20 * SEEDS && settled > 0 && settled < changed);
    afl_custom_deinit(afl);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_current_mutation_is_noted_in_a_file), /* first: the file is opened once */
    cmocka_unit_test(the_seed_alone_decides),
    cmocka_unit_test(the_mutator_stays_within_its_buffer),
    cmocka_unit_test(damaged_captures_can_be_mutated),
    cmocka_unit_test(options_stay_at_the_end),
    cmocka_unit_test(each_operation_is_chosen),
    cmocka_unit_test(most_captures_are_still_read_to_their_end),
    cmocka_unit_test(consistent_mutations_mostly_stay_valid),
    cmocka_unit_test(most_mutations_are_made_consistent),
    cmocka_unit_test(records_of_every_type_are_changed),
    cmocka_unit_test(records_may_be_dropped_while_others_change),
    cmocka_unit_test(a_cross_takes_records_of_another_capture),
    cmocka_unit_test(sizes_become_consistent),
    cmocka_unit_test(settling_may_change_records),
    cmocka_unit_test(any_bytes_become_a_capture),
    cmocka_unit_test(afl_gets_the_same_mutations),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), make_captures, free_captures };
