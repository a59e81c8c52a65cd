/* SPDX-License-Identifier: MIT
 *
 * Hostile families of captures: when the input doubles, the work may not more than double (and a little).
 * Work is counted, so that the test says the same on every machine. Several of these took quadratic time
 * once. A salvage reads them a few times each.
 */
#include "pc_test.h"
#include "scan_whole.h"
#include "write/rewrite.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

struct bytes {
    unsigned char *p;
    size_t len, cap;
};

static void put(struct bytes *b, uint64_t value, unsigned width)
{
    if (b->len + 8 > b->cap) {
        b->cap = b->cap ? b->cap * 2 : 4096;
        b->p = realloc(b->p, b->cap);
        assert_non_null(b->p);
    }
    for (unsigned i = 0; i < width; i++)
        b->p[b->len++] = (unsigned char)(value >> 8 * i);
}

static void put_words(struct bytes *b, const uint64_t *words, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        put(b, words[i], 8);
}

static void put_zeros(struct bytes *b, size_t nr)
{
    for (size_t i = 0; i < nr; i++)
        put(b, 0, 1);
}

static void put_text(struct bytes *b, const char *text)
{
    for (; *text != 0; text++)
        put(b, (unsigned char)*text, 1);
}

/* A u32 that was left open; also the lower half of a u64. */
static void put_back(struct bytes *b, size_t at, size_t value)
{
    for (unsigned i = 0; i < 4; i++)
        b->p[at + i] = (unsigned char)(value >> 8 * i);
}

/* type, misc 0, size of a record */
static void put_head(struct bytes *b, uint32_t type, size_t size)
{
    put(b, type, 4);
    put(b, 0, 2);
    put(b, size, 2);
}

/* perf_event_attr of 64 bytes: type 1, sample_type, flags */
static void put_attr(struct bytes *b, uint64_t sample_type, uint64_t flags)
{
    put(b, 1, 4);
    put(b, 64, 4);
    const uint64_t words[] = { 0, 1, sample_type, 0, flags, 0, 0 };
    put_words(b, words, PC_COUNT_OF(words));
}

static void put_pipe(struct bytes *b)
{
    put(b, 0x32454c4946524550, 8); /* PERFILE2 */
    put(b, 16, 8);
}

static void put_attr_record(struct bytes *b, uint64_t sample_type, uint64_t flags, uint64_t id)
{
    put_head(b, PC_HEADER_ATTR, 80);
    put_attr(b, sample_type, flags);
    put(b, id, 8);
}

/* A file whose attrs all claim the same ids. */
static void shared_ids(struct bytes *b, size_t n)
{
    size_t ids = 104, attrs = ids + 8 * n, data = attrs + 80 * n;
    const uint64_t head[] = { 0x32454c4946524550, 104, 80, attrs, 80 * n, data, 8, 0, 0, 0, 0, 0, 0 };
    put_words(b, head, PC_COUNT_OF(head));
    for (size_t i = 0; i < n; i++)
        put(b, i + 1, 8);
    for (size_t i = 0; i < n; i++) {
        put_attr(b, PC_S_IDENTIFIER, 0);
        put(b, ids, 8);
        put(b, 8 * n, 8);
    }
    put_head(b, PC_FINISHED_ROUND, 8);
}

static void many_attrs(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_attr_record(b, PC_S_IDENTIFIER | i % 1000, 0, i + 1);
}

/* CLOCK_DATA is compared with all attrs, and comes again and again. */
static void clock_data(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_attr_record(b, PC_S_IDENTIFIER, PC_FLAG_USE_CLOCKID, i + 1);
    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { PC_CLOCK_DATA, 1, 0, 0 };
        put_head(b, PC_HEADER_FEATURE, 8 + sizeof(words));
        put_words(b, words, PC_COUNT_OF(words));
    }
}

/* GROUP_DESC with one group of all attrs, again and again. */
static void group_desc(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_attr_record(b, PC_S_IDENTIFIER, 0, i + 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_HEADER_FEATURE, 40);
        put(b, PC_GROUP_DESC, 8);
        put(b, 1, 4);
        put(b, 4, 4); /* a name of four zeros */
        put(b, 0, 4);
        put(b, 0, 4); /* leader */
        put(b, n, 4);
        put(b, 0, 4);
    }
}

static void cpu_maps(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_CPU_MAP, 16);
        put(b, 2, 2); /* a range: all that there are */
        put(b, 0, 4);
        put(b, 32766, 2);
    }
}

static void smallest_records(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++)
        put_head(b, PC_FINISHED_ROUND, 8);
}

/* Nothing is a record: every place is tried. */
static void garbage(struct bytes *b, size_t n)
{
    uint64_t state = 88172645463325252u;
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        put(b, state, 8);
    }
}

/* Records and holes in turn: damage without end. */
static void holes(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 4; k++)
            put_head(b, PC_FINISHED_ROUND, 8);
        put_zeros(b, 16);
    }
}

/* A record without a size, and three sound ones: the least damage after which reading continues. */
static void put_damage(struct bytes *b)
{
    put_head(b, PC_FINISHED_ROUND, 0);
    for (size_t i = 0; i < 3; i++)
        put_head(b, PC_FINISHED_ROUND, 8);
}

static void damage(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++)
        put_damage(b);
}

/* The same in a file. */
static void damage_in_file(struct bytes *b, size_t n)
{
    const uint64_t head[] = { 0x32454c4946524550, 104, 80, 104, 80, 184, 32 * n, 0, 0, 0, 0, 0, 0 };
    put_words(b, head, PC_COUNT_OF(head));
    put_attr(b, PC_S_IDENTIFIER, 0);
    put_zeros(b, 16);
    for (size_t i = 0; i < n; i++)
        put_damage(b);
}

/* Larger records, of which each fourth has no size. */
static void damaged_comms(struct bytes *b, size_t n)
{
    const uint64_t comm[] = { 1, 'a', 0, 1 };
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, PC_FLAG_SAMPLE_ID_ALL, 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_COMM, i % 4 == 0 ? 0 : 8 + sizeof(comm));
        put_words(b, comm, PC_COUNT_OF(comm));
    }
}

/* Each record claims far more than it has, and holds others. */
static void swallowing(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_COMM, 60016); /* leads into the zeros of another */
        put_zeros(b, 24);
    }
}

static void id_index(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { 1, i, 0, 0, 0 };
        put_head(b, PC_ID_INDEX, 8 + sizeof(words));
        put_words(b, words, PC_COUNT_OF(words));
    }
}

/* The two samples of one fault: every sample is tried with the layouts of all attrs of the event. */
static void other_events(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < 100; i++)
        put_attr_record(b, PC_S_IDENTIFIER | PC_FLAG(i % 9), 0, i + 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_SAMPLE, 8 + 64);
        put(b, 1 + i % 100, 8);
        put_zeros(b, 56);
    }
}

static void strings(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_HEADER_FEATURE, 24);
        put(b, PC_HOSTNAME, 8);
        put(b, 4, 4);
        put(b, 'a', 4);
    }
}

/* --- records against each other: every table gets more than it holds --- */

#define FLOW_LAYOUT (PC_S_IDENTIFIER | PC_S_IP | PC_S_TID | PC_S_CALLCHAIN)
#define FLOW_FLAGS  (PC_FLAG_SAMPLE_ID_ALL | PC_FLAG_DEFER_CHAIN | PC_FLAG_DEFER_OUTPUT)

/* Numbers that fall on the same place of a table of `cap` entries, for all that they differ: multiples of
 * the inverse of its factor. */
static uint64_t colliding(uint64_t i)
{
    const uint64_t inverse = 0xf1de83e19937733d; /* of 0x9e3779b97f4a7c15 */
    return i * inverse;
}

static void put_sample(struct bytes *b, uint64_t ip, uint64_t tid, uint64_t cookie)
{
    const uint64_t words[] = { 1, ip, tid << 32 | 1, 2, PC_CONTEXT_USER_DEFERRED, cookie };
    put(b, PC_SAMPLE, 4);
    put(b, 2, 2);
    put(b, 8 + sizeof(words), 2);
    put_words(b, words, PC_COUNT_OF(words));
}

/* Known tasks and mappings first, so that the rules have something to judge by. */
static void put_flow(struct bytes *b)
{
    put_pipe(b);
    put_attr_record(b, FLOW_LAYOUT, FLOW_FLAGS, 1);
    const uint64_t comm[] = { 1, 'a', 0, 1 };
    put_head(b, PC_COMM, 8 + sizeof(comm));
    put_words(b, comm, PC_COUNT_OF(comm));
    const uint64_t mmap[] = { 0, 0x1000, 0x1000, 0, 'a', 0, 1 };
    put_head(b, PC_MMAP, 8 + sizeof(mmap));
    put_words(b, mmap, PC_COUNT_OF(mmap));
}

static void samples(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++)
        put_sample(b, (i + 2) << 12, i + 2, i);
}

static void samples_that_collide(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++)
        put_sample(b, colliding(i) >> 1, colliding(i), colliding(i));
}

static void deferred(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { i, 0, 0, 1 };
        put_head(b, PC_CALLCHAIN_DEFERRED, 8 + sizeof(words));
        put_words(b, words, PC_COUNT_OF(words));
    }
}

static void put_mmap2(struct bytes *b, uint64_t addr, uint64_t id, uint64_t name)
{
    const uint64_t words[] = { 0, addr, 0x1000, 0, 20, id, 0, 0, name, 0, 1 };
    put(b, PC_MMAP2, 4);
    put(b, PC_MISC_MMAP_BUILD_ID | 2, 2);
    put(b, 8 + sizeof(words), 2);
    put_words(b, words, PC_COUNT_OF(words));
}

static void mappings(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++)
        put_mmap2(b, i << 13, i + 1, 'a');
}

static void build_ids(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++) {
        put(b, PC_HEADER_BUILD_ID, 4);
        put(b, 2, 2);
        put(b, 48, 2);
        put(b, UINT32_MAX, 4);
        put(b, i + 1, 8);
        put_zeros(b, 16);
        put(b, 0x6161616100000000 | (uint64_t)(i % 26) << 56, 8);
        put_zeros(b, 4);
    }
    put_mmap2(b, 0, 1, 'a');
}

static void symbols(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { i + 1, (uint64_t)1 << 32 | (uint64_t)1 << 48, 0, 0, 1 };
        put_head(b, PC_KSYMBOL, 8 + sizeof(words));
        put_words(b, words, PC_COUNT_OF(words));
    }
}

static void throttles(struct bytes *b, size_t n)
{
    put_flow(b);
    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { 0, 1, i, 0, 1 };
        put_head(b, PC_THROTTLE, 8 + sizeof(words));
        put_words(b, words, PC_COUNT_OF(words));
    }
}

static void switches(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER | PC_S_CPU, PC_FLAG_SAMPLE_ID_ALL, 1);
    for (size_t i = 0; i < n; i++) {
        const uint64_t words[] = { 0, i, 1 };
        put_head(b, PC_SWITCH_CPU_WIDE, 8 + sizeof(words));
        put_words(b, words, PC_COUNT_OF(words));
    }
}

/* EVENT_DESC before the attrs, again and again: the last is compared with them. */
static void early_event_desc(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_HEADER_FEATURE, 8 + 8 + 8 + 64 + 4 + 4 + 8);
        put(b, PC_EVENT_DESC, 8);
        put(b, 1, 4);
        put(b, 64, 4);
        put_attr(b, PC_S_IDENTIFIER, 0);
        put(b, 0, 4);
        put(b, 8, 4);
        put(b, 'a', 8);
    }
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
}

/* TRACING_DATA in a pipe around so many texts of one system. */
static void put_formats(struct bytes *b, size_t n, void (*text)(struct bytes *, size_t))
{
    static const char common[] =
        "format:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
        "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
        "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
        "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n";
    if (b->len == 0) {
        put_pipe(b);
        put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    }
    put_head(b, PC_HEADER_TRACING_DATA, 12);
    size_t size_at = b->len;
    put(b, 0, 4);
    put_text(b, "\x17\x08\x44tracing0.6");
    put(b, 0, 1);
    put(b, 0, 1); /* little-endian */
    put(b, 8, 1);
    put(b, 4096, 4);
    put_text(b, "header_page");
    put_zeros(b, 9);
    put_text(b, "header_event");
    put_zeros(b, 9);
    put(b, 0, 4);
    put(b, 1, 4);
    put_text(b, "system");
    put(b, 0, 1);
    put(b, n, 4);
    for (size_t i = 0; i < n; i++) {
        char head[64];
        size_t text_at = b->len;
        put(b, 0, 8);
        snprintf(head, sizeof(head), "name: a\nID: %zu\n", i % 65535 + 1);
        put_text(b, head);
        put_text(b, common);
        text(b, i);
        put_back(b, text_at, b->len - text_at - 8);
    }
    put_zeros(b, 16); /* kallsyms, printk, cmdlines */
    while ((b->len - size_at - 4) % 8 != 0)
        put(b, 0, 1);
    put_back(b, size_at, b->len - size_at - 4);
}

/* As many fields as are held, each name before all others in the order of names, then all named again. */
static void many_fields(struct bytes *b, size_t i)
{
    char line[64];
    (void)i;
    for (unsigned k = 0; k < 508; k++) {
        snprintf(line, sizeof(line), "\tfield:u8 f%03u;\toffset:%u;\tsize:1;\n", 508 - k, 8 + k);
        put_text(b, line);
    }
    put_text(b, "\nprint fmt: \"\"");
    for (unsigned k = 0; k < 2000; k++)
        put_text(b, ",REC->f001");
}

static void deep_brackets(struct bytes *b, size_t i)
{
    (void)i;
    put_text(b, "\nprint fmt: \"\"");
    for (unsigned k = 0; k < 100; k++) {
        put_text(b, ",");
        for (unsigned d = 0; d < 256; d++)
            put_text(b, "(");
        put_text(b, "7");
        for (unsigned d = 0; d < 256; d++)
            put_text(b, ")");
    }
}

/* One text after another without an end: quotes, brackets, unknown functions. */
static void endless(struct bytes *b, size_t i)
{
    static const char *const parts[] = { "\"\\\"",   "f(",     "__get_str(", "\"\" \"\" ",
                                         "sizeof(a", "({ {{ ", "a " };
    put_text(b, i % 2 ? "\nprint fmt: \"\"," : "\nprint fmt: ");
    for (unsigned k = 0; k < 300; k++)
        put_text(b, parts[i % PC_COUNT_OF(parts)]);
}

static void small(struct bytes *b, size_t i)
{
    (void)i;
    put_text(b, "\nprint fmt: \"\"");
}

static void formats_fields(struct bytes *b, size_t n)
{
    put_formats(b, n, many_fields);
}

static void formats_brackets(struct bytes *b, size_t n)
{
    put_formats(b, n, deep_brackets);
}

static void formats_endless(struct bytes *b, size_t n)
{
    put_formats(b, n, endless);
}

static void formats_small(struct bytes *b, size_t n)
{
    put_formats(b, n, small);
}

/* Trace data again and again. */
static void formats_again(struct bytes *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_formats(b, 20, small);
}

/* A COMPRESSED record with the next block of a zstd stream (RFC 8878): type 0 is stored, 1 repeats a byte. */
static void put_piece(struct bytes *b, bool first, unsigned type, size_t size, const unsigned char *data)
{
    size_t stored = type == 0 ? size : 1;
    put_head(b, PC_COMPRESSED, (first ? 17u : 11u) + stored);
    if (first) {
        put(b, 0xfd2fb528, 4);
        put(b, 0x5800, 2); /* no checksum, a window of 2 MiB */
    }
    put(b, size << 3 | type << 1, 3);
    for (size_t i = 0; i < stored; i++)
        put(b, data[i], 1);
}

/* Small records whose every byte is in a compressed record of its own. */
static void one_byte_pieces(struct bytes *b, size_t n)
{
    static const unsigned char round[8] = { PC_FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0 };
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_piece(b, i == 0, 0, 1, &round[i % 8]);
}

/* Content that is no record, and much of it. */
static void zeros_inside(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_piece(b, i == 0, 1, 65536, (const unsigned char *)"");
}

static void garbage_inside(struct bytes *b, size_t n)
{
    unsigned char data[1000];
    uint64_t random = 1;
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof(data); k++) {
            random = random * 6364136223846793005 + 1442695040888963407;
            data[k] = (unsigned char)(random >> 56);
        }
        put_piece(b, i == 0, 0, sizeof(data), data);
    }
}

/* Records that swallow those after them, until the end of each piece. */
static void swallowing_inside(struct bytes *b, size_t n)
{
    unsigned char data[1024] = { 0 };
    put_pipe(b);
    for (size_t k = 0; k < sizeof(data); k += 8) {
        data[k] = PC_FINISHED_ROUND;
        data[k + 7] = k % 16 ? 0 : 0xff; /* sizes 8 and 0xff08 */
        data[k + 6] = 8;
    }
    for (size_t i = 0; i < n; i++)
        put_piece(b, i == 0, 0, sizeof(data), data);
}

/* Compressed records of a few hundred bytes with much content each. */
static void put_frames(struct bytes *b, size_t n, const struct bytes *content)
{
    static unsigned char packed[65536];
    size_t size = ZSTD_compress(packed, sizeof(packed), content->p, content->len, 3);
    assert_false(ZSTD_isError(size));
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_COMPRESSED, 8 + size);
        for (size_t k = 0; k < size; k++)
            put(b, packed[k], 1);
    }
}

/* Damage again and again, 1 MiB of it in each compressed record, which is a few hundred bytes. */
static void damage_inside(struct bytes *b, size_t n)
{
    struct bytes content = { 0 };
    while (content.len < (size_t)1 << 20)
        put_damage(&content);
    put_frames(b, n, &content);
    free(content.p);
}

/* Samples of which each begins a byte later than it should. */
static void shifted_inside(struct bytes *b, size_t n)
{
    struct bytes content = { 0 };
    while (content.len < (size_t)200 << 10) {
        put(&content, 1, 1);
        put(&content, (uint64_t)56 << 48 | (uint64_t)2 << 32 | PC_SAMPLE, 8);
        put_zeros(&content, 48);
    }
    put_frames(b, n, &content);
    free(content.p);
}

/* The same in small pieces, so that a window is not filled at once. */
static void damage_in_pieces(struct bytes *b, size_t n)
{
    struct bytes content = { 0 };
    while (content.len < 4000)
        put_damage(&content);
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_piece(b, i == 0, 0, content.len, content.p);
    free(content.p);
}

struct measure {
    uint64_t work, size;
};

static struct measure measure(void (*family)(struct bytes *, size_t), size_t n, enum pc_input_kind kind)
{
    static struct pc_scan scan;
    struct bytes b = { 0 };
    struct pc_policy policy;
    struct pc_limits limits;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    family(&b, n);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ b.p, b.len }, kind);
    scan.in.at_most = kind == PC_INPUT_STREAM ? 512 : 0; /* a stream comes in small pieces */
    pc_scan_input(&scan);
    assert_true(scan.mem.peak <= limits.memory);
    assert_true(scan.mem.peak <= (uint64_t)16 << 20);
    struct measure m = { pc_scan_work(&scan), b.len + scan.check.flow.sum.compressed_out };
    pc_scan_clear(&scan);
    free(b.p);
    return m;
}

/* Each place may be the type of a record, and begins a block of zstd with four bytes. */
static void blocks_and_types(struct bytes *b, size_t n)
{
    const unsigned run = 2;
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_COMPRESSED, 65528);
        for (size_t k = 8; k < 65528; k += 4)
            put(b, run, 4);
    }
}

/* The count of each says that it goes on behind its size, in each of 64 layouts. */
static void counts_too_large(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (uint64_t i = 0; i < 64; i++)
        put_attr_record(b, PC_S_IDENTIFIER | (i & 7) | (i & 8) << 3 | (i & 48) << 4, PC_FLAG_SAMPLE_ID_ALL,
                        i + 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_NAMESPACES, 24);
        put(b, 1, 8);
        put(b, 4000, 8);
    }
}

static void counts_too_large_alone(struct bytes *b, size_t n)
{
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_ID_INDEX, 16);
        put(b, 2000, 8);
    }
}

/* Each declares a next one 65535 bytes after it. */
static void sizes_that_wrap(struct bytes *b, size_t n)
{
    put_pipe(b);
    put_attr_record(b, PC_S_IDENTIFIER, 0, 1);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_COMPRESSED2, 24);
        put(b, 65536 + 24 - 16, 8);
        put(b, 0, 8);
    }
}

/* Each third record is said to go on for 32 KiB, to an unknown type. There are no attrs. */
static void sizes_too_large(struct bytes *b, size_t n)
{
    const uint64_t sample[] = { (uint64_t)128 << 40 | 0x115a, 0x4012bc, (uint64_t)0x3c5 << 32 | 0x3c0,
                                0x4012bc };
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < 2; k++) {
            put_head(b, PC_SAMPLE, 40);
            put_words(b, sample, PC_COUNT_OF(sample));
        }
        put_head(b, PC_SAMPLE, 32552);
        put_zeros(b, 7);
    }
}

static const struct {
    const char *name;
    void (*family)(struct bytes *, size_t);
    size_t n;
    double per_byte; /* most work for each byte */
} families[] = {
    { "shared ids", shared_ids, 4000, 8 }, /* they are read up to four times */
    { "many attrs", many_attrs, 8000, 4 },
    { "clock data", clock_data, 8000, 6 },
    { "group desc", group_desc, 8000, 6 },
    { "cpu maps", cpu_maps, 4000, 2 },
    { "smallest records", smallest_records, 50000, 4 },
    { "garbage", garbage, 200000, 6 },
    { "holes", holes, 5000, 30 },
    { "damage", damage, 100000, 5 },
    { "damage, little", damage, 4000, 5 }, /* less than a window */
    { "damage in a file", damage_in_file, 100000, 5 },
    { "damage in a small file", damage_in_file, 4000, 5 },
    { "damaged COMM", damaged_comms, 40000, 5 },
    { "swallowing", swallowing, 20000, 60 },
    { "sizes too large", sizes_too_large, 10000, 8 },
    { "id index", id_index, 10000, 4 },
    { "other events", other_events, 5000, 60 },
    { "strings", strings, 20000, 4 },
    { "samples", samples, 40000, 8 },
    { "samples that collide", samples_that_collide, 40000, 8 },
    { "deferred", deferred, 40000, 8 },
    { "mappings", mappings, 80000, 4 },
    { "build ids", build_ids, 40000, 8 },
    { "symbols", symbols, 20000, 8 },
    { "throttles", throttles, 20000, 8 },
    { "switches", switches, 20000, 8 },
    { "early EVENT_DESC", early_event_desc, 20000, 4 },
    { "formats: fields", formats_fields, 30, 10 },
    { "formats: brackets", formats_brackets, 30, 10 },
    { "formats: endless", formats_endless, 600, 10 },
    { "formats: small", formats_small, 4000, 10 },
    { "formats: again", formats_again, 200, 10 },
    { "blocks and types", blocks_and_types, 4, 8 },
    { "counts too large", counts_too_large, 8000, 20 },
    { "counts too large, alone", counts_too_large_alone, 20000, 8 },
    { "inside: one byte", one_byte_pieces, 40000, 4 },
    { "inside: zeros", zeros_inside, 100, 4 },
    { "inside: garbage", garbage_inside, 300, 6 },
    { "inside: swallowing", swallowing_inside, 500, 100 },
    { "inside: damage", damage_inside, 4, 5 },
    { "inside: shifted", shifted_inside, 300, 1.5 },
    { "inside: damage in pieces", damage_in_pieces, 500, 5 },
    { "inside: sizes that wrap", sizes_that_wrap, 20000, 8 },
};

static void work_grows_with_the_input_and_no_faster(void **state)
{
    (void)state;
    static const enum pc_input_kind kinds[] = { PC_INPUT_FILE, PC_INPUT_STREAM };
    for (size_t i = 0; i < 2 * PC_COUNT_OF(families); i++) {
        enum pc_input_kind kind = kinds[i % 2];
        const char *name = families[i / 2].name;
        struct measure one = measure(families[i / 2].family, families[i / 2].n, kind);
        struct measure two = measure(families[i / 2].family, 2 * families[i / 2].n, kind);
        double growth = (double)two.work / (double)one.work;
        double per_byte = (double)two.work / (double)two.size;
        /* Of a small input there is little; a count that went below 0 is large. */
        if (measure(families[i / 2].family, 1, kind).work > (uint64_t)4 << 20)
            fail_msg("%s: much work for nothing", name);
        print_message("%-24s %-6s %9zu bytes: work %.2f a byte, x%.2f when doubled\n", name,
                      kind == PC_INPUT_FILE ? "file" : "stream", (size_t)two.size, per_byte, growth);
        if (growth > 2.3 || per_byte > families[i / 2].per_byte)
            fail_msg("%s: not linear, or too slow", name);
        /* Formats are read once, and looked at once at least. */
        if (strncmp(name, "formats: ", strlen("formats: ")) == 0 && per_byte < 1.2)
            fail_msg("%s: work is not counted", name);
    }
}

/* --- salvages --- */

/* A pipe that has lost its attrs. */
static void no_attrs(struct bytes *b, size_t n)
{
    const uint64_t comm[] = { (uint64_t)1 << 32 | 1, 'a', 0, 1 };
    put_pipe(b);
    for (size_t i = 0; i < n; i++) {
        put_head(b, PC_COMM, 8 + sizeof(comm));
        put_words(b, comm, PC_COUNT_OF(comm));
        put_head(b, PC_FINISHED_ROUND, 8);
    }
}

/* The same, compressed: each piece has 4 KiB of it. */
static void no_attrs_inside(struct bytes *b, size_t n)
{
    struct bytes content = { 0 };
    no_attrs(&content, 100);
    put_pipe(b);
    for (size_t i = 0; i < n; i++)
        put_piece(b, true, 0, content.len - 16, content.p + 16);
    free(content.p);
}

/* What was read so far of the capture, how often, and of copies. */
struct readings {
    double over, current;
};

static int count_reading(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    struct readings *r = ctx;
    if (!doing || done == 0) {
        r->over += r->current;
        r->current = 0;
    } else if (total != 0) {
        r->current = (double)done / (double)total;
    }
    return 0;
}

static int take_nothing(void *ctx, const void *bytes, size_t n)
{
    (void)ctx;
    (void)bytes;
    (void)n;
    return 0;
}

static void hear_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    (void)path;
    (void)what;
    (void)why;
}

static void hear_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    (void)ctx;
    (void)path;
    (void)scan;
}

static void measure_salvage(const char *name, void (*family)(struct bytes *, size_t), size_t n)
{
    struct bytes b = { 0 };
    struct pc_input file;
    struct readings readings = { 0 };
    struct pc_progress progress = { .tell = count_reading, .ctx = &readings };
    struct pc_rewrite how = { .salvage = true, .take = take_nothing, .progress = &progress };
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .message = hear_message, .errors = hear_errors };
    family(&b, n);
    pc_input_memory(&file, (struct pc_span){ b.p, b.len }, PC_INPUT_FILE);
    const enum pc_rewritten result = pc_rewrite_capture(&how, &file, name, NULL);
    /* Those of the salvage, and some by which it finds out what to mend. */
    const double most = 12 + (double)(2 << 20) / (double)b.len + 6;
    print_message("%-24s %9zu bytes: %.1f readings, %s\n", name, b.len, readings.over,
                  result == PC_WRITTEN ? "saved" : "refused");
    if (readings.over < 1 || readings.over > most)
        fail_msg("%s: %d, %.1f readings", name, result, readings.over);
    free(b.p);
}

static void a_salvage_reads_a_number_of_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(families); i++)
        measure_salvage(families[i].name, families[i].family, families[i].n);
    measure_salvage("no attrs", no_attrs, 20000);
    measure_salvage("inside: no attrs", no_attrs_inside, 3000);
}

/* --- holes of a file, which are not read --- */

/* A capture with zeros from its front to its records, the first byte of which that is no zero is at `data`.
 */
struct sparse {
    const char *name;
    enum { GAP, INSIDE, INSIDE_BIG } kind;
    bool byte; /* the byte in the middle is no zero */
    enum pc_diag id;
};

static void put_sparse(const struct sparse *s, uint64_t data, struct bytes *front, struct bytes *records)
{
    const uint64_t head[] = { 0x32454c4946524550, 104, 80, 104, 80, data, 24, 0, 0, 0, 0, 0, 0 };
    if (s->kind == GAP) {
        put_words(front, head, PC_COUNT_OF(head));
        put_attr(front, PC_S_IDENTIFIER, 0);
        put_zeros(front, 16);
    } else if (s->kind == INSIDE) {
        put_pipe(front);
    } else {
        put(front, __builtin_bswap64(0x32454c4946524550), 8);
        put(front, __builtin_bswap64(16), 8);
    }
    for (size_t i = 0; i < 3; i++)
        put(records,
            s->kind == INSIDE_BIG ? (uint64_t)PC_FINISHED_ROUND << 24 | (uint64_t)8 << 56
                                  : (uint64_t)PC_FINISHED_ROUND | (uint64_t)8 << 48,
            8);
}

static void scan_sparse(struct pc_scan *scan, const struct sparse *s, uint64_t data, bool with_holes)
{
    static struct pc_policy policy;
    static struct pc_limits limits;
    struct bytes front = { 0 }, records = { 0 };
    put_sparse(s, data, &front, &records);
    size_t zeros = 0;
    while (records.p[zeros] == 0)
        zeros++;
    uint64_t size = data - zeros + records.len;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(scan, &policy, &limits);
    unsigned char *all = NULL;
    if (with_holes) {
        int fd = memfd_create("sparse", 0);
        assert_int_equal(ftruncate(fd, (off_t)size), 0);
        assert_int_equal(pwrite(fd, front.p, front.len, 0), front.len);
        assert_int_equal(pwrite(fd, "x", s->byte, (off_t)(data / 2)), s->byte);
        assert_int_equal(pwrite(fd, records.p + zeros, records.len - zeros, (off_t)data),
                         records.len - zeros);
        assert_int_equal(pc_input_adopt(&scan->in, fd, true), 0);
    } else {
        all = calloc(1, (size_t)size);
        memcpy(all, front.p, front.len);
        all[data / 2] = s->byte ? 'x' : 0;
        memcpy(all + data - zeros, records.p, records.len);
        pc_input_memory(&scan->in, (struct pc_span){ all, (size_t)size }, PC_INPUT_FILE);
    }
    pc_scan_input(scan);
    free(all);
    free(front.p);
    free(records.p);
}

static void holes_are_not_read_and_count_as_zeros(void **state)
{
    (void)state;
    static const struct sparse all[] = {
        { "a gap", GAP, false, PC_D_GAP },
        { "a gap with a byte", GAP, true, PC_D_GAP_NOT_ZERO },
        { "records", INSIDE, false, PC_D_RESYNC },
        { "records with a byte", INSIDE, true, PC_D_RESYNC },
        { "big-endian records", INSIDE_BIG, false, PC_D_RESYNC },
    };
    const uint64_t mib = (uint64_t)1 << 20;
    static struct pc_scan zeros, hole, large;
    for (size_t i = 0; i < PC_COUNT_OF(all); i++) {
        scan_sparse(&zeros, &all[i], 4 * mib, false);
        scan_sparse(&hole, &all[i], 4 * mib, true);
        assert_int_equal(zeros.report.by_id[all[i].id], 1);
        assert_int_equal(zeros.check.flow.sum.total, 3);
        assert_memory_equal(hole.report.by_id, zeros.report.by_id, sizeof(zeros.report.by_id));
        assert_int_equal(hole.check.flow.sum.total, 3);
        for (size_t k = 0; k < zeros.report.nr; k++) {
            assert_int_equal(hole.report.finding[k].offset, zeros.report.finding[k].offset);
            assert_int_equal(hole.report.finding[k].length, zeros.report.finding[k].length);
        }
        assert_true(zeros.in.bytes_read > 2 * mib);
        assert_true(hole.in.bytes_read < 2 * mib);
        scan_sparse(&large, &all[i], mib << 20, true);
        print_message("%-20s %zu bytes read of a hole of 1 TiB\n", all[i].name, (size_t)large.in.bytes_read);
        assert_memory_equal(large.report.by_id, zeros.report.by_id, sizeof(zeros.report.by_id));
        assert_int_equal(large.check.flow.sum.total, 3);
        assert_true(large.in.bytes_read < 2 * mib);
        pc_scan_clear(&zeros);
        pc_scan_clear(&hole);
        pc_scan_clear(&large);
    }
}

/* No writer compresses compressed records. A small capture may hold millions of them. */
static void compressed_records_in_others_are_read_up_to_a_number(void **state)
{
    (void)state;
    static struct pc_scan scan;
    struct pc_policy policy;
    struct pc_limits limits;
    struct bytes content = { 0 }, b = { 0 };
    const uint64_t inside = 3000, frames = 4;
    for (uint64_t i = 0; i < inside; i++)
        put_piece(&content, true, 1, 8, (const unsigned char *)"");
    put_frames(&b, frames, &content);
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ b.p, b.len }, PC_INPUT_FILE);
    pc_scan_input(&scan);
    assert_int_equal(scan.report.by_id[PC_D_COMPRESSED_NESTED], PC_NESTED_MAX + frames);
    assert_int_equal(scan.report.by_id[PC_D_ZSTD_DAMAGED], 0);
    pc_scan_clear(&scan);
    free(content.p);
    free(b.p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_salvage_reads_a_number_of_times),
    cmocka_unit_test(compressed_records_in_others_are_read_up_to_a_number),
    cmocka_unit_test(work_grows_with_the_input_and_no_faster),
    cmocka_unit_test(holes_are_not_read_and_count_as_zeros),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
