/* Rows of section 10 of src/format/FORMAT.md whose violation this reader reports (error severity only):
 *
 *   container   1 2 3 5 6 7 9 10 12 13 14 15 16 17 18 19 20 21 22 28 (version 1) 32 211
 *   attrs       34 36 37 40 41 42 44 47 52 53 54 55 57 58 59 61 64 65 66
 *   records     69 70 71 72 73 74 76 83 84 90 91 94 (samples) 96 99 103 106 107 108 109
 *   samples     114 115 116 117 118 121 122 123 127 128 129 130 131 132 (8 bytes and more)
 *   user        140 141 142 143 144 146 150 151 155 156 157 158 159 160 166 168 169 170 171 (end before
 * start) 173 175 178 179 183 187 188 189 190 compressed  192 194 195 198 199 201 202 203 205 207 208 features
 * 209 210 218 219 223 224 225 228 229 231 233 234 236 237 240 242 244 246 247 252 253 255 256 259 260 263 266
 *   pipe        268 270 (as 52 to 55) 271 272 274
 *   directory   275 276 277 280
 *
 * 1000 + bit is a feature whose content ends early, for which section 10 has no row of its own.
 * Not covered: 138b (fields of tracepoints), 138b's grammar of formats, 287, every warning and note, and what
 * needs the meaning of several records (flow rules). After broken framing (69 to 72) the stream ends here. */

#include "model.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#define MEMORY_LIMIT  ((size_t)256 << 20)
#define CONTENT_LIMIT ((size_t)64 << 20)
#define FAULT_LIMIT   4096 /* behind them, the first of each condition */
#define CONDITIONS    1256

struct attr {
    uint32_t type, size;
    uint64_t config, period, sample_type, read_format, flags, branch_type, regs_user, regs_intr;
    uint32_t stack;
    size_t ids;
};

struct id_slot {
    uint64_t id;
    uint32_t attr;
    bool used;
};

struct mark { /* where the output of one compressed record begins */
    size_t start;
    uint64_t number;
};

struct member {
    const char *name;
    const unsigned char *bytes;
    size_t len;
    unsigned char *content;
    size_t content_len, content_cap, walked;
    struct mark *marks;
    size_t mark_count, mark_cap, mark_now;
    ZSTD_DStream *zstd;
    bool zstd_broken, content_broken;
};

struct section {
    uint64_t start, end;
    int kind;
};

enum {
    SECTION_HEADER,
    SECTION_ATTRS,
    SECTION_IDS,
    SECTION_DATA,
    SECTION_TYPES,
    SECTION_TABLE,
    SECTION_FEATURE
};

struct model {
    struct member *members;
    size_t member_count;
    bool big, pipe, limit, rejected, directory, unfinished;
    bool damaged; /* records behind broken framing were not seen */
    int version;
    size_t memory;

    struct model_fault *faults;
    bool said[CONDITIONS], warned[CONDITIONS];
    size_t fault_count, fault_cap;
    struct model_part *parts;
    size_t part_count, part_cap;
    struct model_leaf *leaves;
    size_t leaf_count, leaf_cap;
    bool part_open;

    struct attr *attrs;
    size_t attr_count, attr_cap;
    int id_place, id_back; /* id_position and id_position_back of all attrs; -1: not the same */
    struct id_slot *ids;
    size_t id_count, id_cap;
    uint64_t *tracepoints; /* ids of the formats in the tracing data */
    size_t tracepoint_count, tracepoint_cap;
    struct section *sections;
    size_t section_count, section_cap;
    uint64_t *auxtraces; /* offsets of AUXTRACE records in the first member */
    size_t auxtrace_count, auxtrace_cap;
    uint64_t *auxtrace_index; /* pairs: offset, size */
    size_t auxtrace_index_count, auxtrace_index_cap;
    uint64_t auxtrace_index_at;
    struct section *groups; /* start: leader, end: members, of GROUP_DESC */
    size_t group_count, group_cap;
    uint64_t groups_at;

    uint64_t records;
    unsigned char features[32]; /* bit n: byte n / 8, bit n % 8 */
    bool has_nrcpus, nrcpus_bad, has_tracing_data, tracing_data_bad, has_auxtrace_info, has_attr_fault;
    uint32_t available, online;
    size_t cpu_at;                    /* of the sample at hand */
    struct model_fault early_cpu_row; /* row 94, if NRCPUS behind the samples says less than ... */
    uint32_t early_cpu;               /* ... so many CPUs */
    uint64_t last_feature;            /* pipe: one more than the highest feature so far */
    bool has_compressed, compressed_seen, said_compressed;
    bool compressed_bad,
        compressed_zeros; /* one of them has a bad mmap_len; the last has nothing but zeros */
    uint32_t compressed_type, compressed_mmap_len;
    uint64_t compressed_at;
    bool said_no_attr;
    bool defer_output, has_dir_format, stat_seen, init_seen, trace_seen, features_seen[35], packed[2];
    bool sampled_without_id; /* a sample has READ without FORMAT_ID */
    uint64_t dir_version;
    int old_mmap2;       /* -1 not decided, 0, 1 */
    uint64_t time, lost; /* of the record at hand: when it was sampled, how many it says are lost */
    struct model_sums sums;
};

struct cursor {
    struct model *m;
    const unsigned char *base;
    size_t pos, end;
    size_t origin; /* pos of what is shown as offset 0; wraps */
    uint32_t member, source;
    int64_t wrapper;
    unsigned condition; /* what it means when bytes are missing */
    bool big, quiet, cut;
};

/* ---- memory ---- */

static bool grow(struct model *m, void **array, size_t *cap, size_t count, size_t width)
{
    if (count < *cap)
        return true;
    size_t more = *cap ? *cap * 2 : 16;
    if (m->limit || more * width > MEMORY_LIMIT || m->memory + (more - *cap) * width > MEMORY_LIMIT) {
        m->limit = true;
        return false;
    }
    void *p = realloc(*array, more * width);
    if (!p) {
        m->limit = true;
        return false;
    }
    m->memory += (more - *cap) * width;
    *array = p;
    *cap = more;
    return true;
}

/* ---- what is told ---- */

static void fault_at(struct model *m, unsigned condition, uint32_t member, int64_t wrapper, uint64_t offset)
{
    m->rejected = true;
    if (m->part_open)
        m->parts[m->part_count - 1].faulty = true;
    if (m->fault_count >= FAULT_LIMIT && m->said[condition])
        return;
    m->said[condition] = true;
    if (!grow(m, (void **)&m->faults, &m->fault_cap, m->fault_count, sizeof *m->faults))
        return;
    m->faults[m->fault_count++] = (struct model_fault){ condition, member, wrapper, offset };
}

static bool breaks_framing(unsigned condition)
{
    return (condition >= 69 && condition <= 72) || condition == 158 || condition == 159 || condition == 271 ||
           condition == 272;
}

static void fault(struct cursor *c, unsigned condition, size_t pos)
{
    c->m->damaged = c->m->damaged || breaks_framing(condition);
    if (!c->quiet)
        fault_at(c->m, condition, c->member, c->wrapper, pos - c->origin);
    c->cut = c->cut || c->quiet;
}

/* A row that is a warning; only whether there is one is kept. */
static void warn(struct cursor *c, unsigned condition)
{
    if (!c->quiet && !c->cut)
        c->m->warned[condition] = true;
}

static bool is_any_set(const unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (p[i])
            return true;
    return false;
}

static void open_part(struct model *m, struct model_part part)
{
    part.first_leaf = m->leaf_count;
    m->part_open = false;
    if (!grow(m, (void **)&m->parts, &m->part_cap, m->part_count, sizeof *m->parts))
        return;
    m->parts[m->part_count++] = part;
    m->part_open = true;
}

static void close_part(struct model *m)
{
    if (m->part_open)
        m->parts[m->part_count - 1].leaves = m->leaf_count - m->parts[m->part_count - 1].first_leaf;
    m->part_open = false;
}

static void add_leaf(struct cursor *c, enum model_leaf_kind kind, size_t pos, uint64_t size, uint64_t value)
{
    struct model *m = c->m;

    if (c->quiet || !m->part_open ||
        !grow(m, (void **)&m->leaves, &m->leaf_cap, m->leaf_count, sizeof *m->leaves))
        return;
    m->leaves[m->leaf_count++] = (struct model_leaf){ pos - c->origin, size, value, c->source, kind };
}

/* ---- bytes ---- */

static uint64_t number_at(const unsigned char *p, unsigned width, bool big)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < width; i++)
        v |= (uint64_t)p[i] << 8 * (big ? width - 1 - i : i);
    return v;
}

static size_t left(const struct cursor *c)
{
    return c->end - c->pos;
}

static bool need(struct cursor *c, uint64_t size)
{
    if (c->cut)
        return false;
    if (size <= left(c))
        return true;
    fault(c, c->condition, c->pos);
    c->cut = true;
    return false;
}

/* After the first missing byte of a part nothing more is read from it and every number is 0. */
static uint64_t unsigned_(struct cursor *c, unsigned width)
{
    if (!need(c, width))
        return 0;
    uint64_t v = number_at(c->base + c->pos, width, c->big);
    add_leaf(c, MODEL_UINT, c->pos, width, v);
    c->pos += width;
    return v;
}

static uint8_t u8(struct cursor *c)
{
    return (uint8_t)unsigned_(c, 1);
}

static uint16_t u16(struct cursor *c)
{
    return (uint16_t)unsigned_(c, 2);
}

static uint32_t u32(struct cursor *c)
{
    return (uint32_t)unsigned_(c, 4);
}

static uint64_t u64(struct cursor *c)
{
    return unsigned_(c, 8);
}

static int64_t signed_(struct cursor *c, unsigned width)
{
    if (!need(c, width))
        return 0;
    uint64_t v = number_at(c->base + c->pos, width, c->big);
    if (width == 4 && (v & 0x80000000u))
        v |= 0xffffffff00000000u;
    add_leaf(c, MODEL_INT, c->pos, width, v);
    c->pos += width;
    return (int64_t)v;
}

static void bytes(struct cursor *c, uint64_t size, enum model_leaf_kind kind)
{
    if (!need(c, size))
        return;
    add_leaf(c, kind, c->pos, size, c->pos);
    c->pos += (size_t)size;
}

/* All that is left, if anything is. */
static void rest(struct cursor *c)
{
    if (!c->cut && left(c))
        bytes(c, left(c), MODEL_BYTES);
}

static size_t length_to_nul(const struct cursor *c, size_t size)
{
    size_t n = 0;
    while (n < size && c->base[c->pos + n])
        n++;
    return n;
}

static uint64_t align8(uint64_t x)
{
    return (x + 7) / 8 * 8;
}

/* count entries of at least width bytes each can still be there */
static bool fits(struct cursor *c, uint64_t count, uint64_t width)
{
    if (c->cut)
        return false;
    if (count <= left(c) / width)
        return true;
    fault(c, c->condition, c->pos);
    c->cut = true;
    return false;
}

#define HSTR_LEAST (4 + 1) /* its length, of which 0 is wrong */

static void hstr(struct cursor *c)
{
    if (!need(c, 4))
        return;
    uint64_t len = number_at(c->base + c->pos, 4, c->big);
    if (len == 0 || len > left(c) - 4) {
        fault(c, 218, c->pos);
        c->cut = true;
        return;
    }
    add_leaf(c, MODEL_HSTR, c->pos, 4 + len, c->pos + 4);
    c->pos += 4;
    size_t text = length_to_nul(c, (size_t)len);
    if (text == len)
        fault(c, 219, c->pos - 4);
    else if (is_any_set(c->base + c->pos + text, (size_t)len - text))
        warn(c, 220);
    c->pos += (size_t)len;
}

/* A bit-field word: member at declaration offset p of width w */
static uint64_t member_of(uint64_t word, bool big, unsigned bits, unsigned p, unsigned w)
{
    uint64_t mask = w == 64 ? ~(uint64_t)0 : ((uint64_t)1 << w) - 1;
    return (word >> (big ? bits - p - w : p) & mask) << p;
}

static uint64_t bit_word(struct cursor *c, unsigned width, uint64_t (*normal)(uint64_t word, bool big))
{
    if (!need(c, width))
        return 0;
    uint64_t v = normal(number_at(c->base + c->pos, width, c->big), c->big);
    add_leaf(c, MODEL_BITS, c->pos, width, v);
    c->pos += width;
    return v;
}

static uint64_t attr_bits(uint64_t word, bool big)
{
    uint64_t v = 0;
    for (unsigned p = 0; p < 15; p++)
        v |= member_of(word, big, 64, p, 1);
    v |= member_of(word, big, 64, 15, 2);
    for (unsigned p = 17; p < 40; p++)
        v |= member_of(word, big, 64, p, 1);
    return v | member_of(word, big, 64, 40, 24);
}

static uint64_t aux_action_bits(uint64_t word, bool big)
{
    uint64_t v = 0;
    for (unsigned p = 0; p < 3; p++)
        v |= member_of(word, big, 32, p, 1);
    return v | member_of(word, big, 32, 3, 29);
}

static uint64_t branch_bits(uint64_t word, bool big)
{
    uint64_t v = 0;
    for (unsigned p = 0; p < 4; p++)
        v |= member_of(word, big, 64, p, 1);
    v |= member_of(word, big, 64, 4, 16);
    v |= member_of(word, big, 64, 20, 4);
    v |= member_of(word, big, 64, 24, 2);
    v |= member_of(word, big, 64, 26, 4);
    v |= member_of(word, big, 64, 30, 3);
    return v | member_of(word, big, 64, 33, 31);
}

static uint64_t bpf_bits(uint64_t word, bool big)
{
    return member_of(word, big, 32, 0, 1) | member_of(word, big, 32, 1, 31);
}

/* ---- ids ---- */

static size_t id_place(const struct model *m, uint64_t id)
{
    uint64_t h = id * 0x9e3779b97f4a7c15u;
    size_t i = (size_t)(h >> 20) & (m->id_cap - 1);
    while (m->ids[i].used && m->ids[i].id != id)
        i = (i + 1) & (m->id_cap - 1);
    return i;
}

static const struct id_slot *find_id(const struct model *m, uint64_t id)
{
    if (m->id_count == 0)
        return NULL;
    const struct id_slot *slot = &m->ids[id_place(m, id)];
    return slot->used ? slot : NULL;
}

/* The first attr with an id keeps it. Returns whether another one has it. */
static bool add_id(struct model *m, uint64_t id, uint32_t attr)
{
    if (2 * m->id_count >= m->id_cap) {
        size_t cap = m->id_cap ? 2 * m->id_cap : 64;
        struct id_slot *old = m->ids;
        size_t old_cap = m->id_cap;
        if (m->limit || m->memory + cap * sizeof *old > MEMORY_LIMIT) {
            m->limit = true;
            return false;
        }
        struct id_slot *ids = calloc(cap, sizeof *ids);
        if (!ids) {
            m->limit = true;
            return false;
        }
        m->memory += cap * sizeof *old;
        m->ids = ids;
        m->id_cap = cap;
        for (size_t i = 0; i < old_cap; i++)
            if (old[i].used)
                m->ids[id_place(m, old[i].id)] = old[i];
        free(old);
    }
    struct id_slot *slot = &m->ids[id_place(m, id)];
    if (id == 0)
        m->warned[63] = true;
    if (slot->used) {
        if (slot->attr == attr && id)
            m->warned[62] = true;
        return slot->attr != attr;
    }
    *slot = (struct id_slot){ id, attr, true };
    m->id_count++;
    return false;
}

/* Whether records may name this id. With one attr every id is that of the attr. */
static bool id_resolves(const struct model *m, uint64_t id)
{
    return find_id(m, id) != NULL;
}

/* ---- attrs ---- */

#define SAMPLE_IP           ((uint64_t)1 << 0)
#define SAMPLE_TID          ((uint64_t)1 << 1)
#define SAMPLE_TIME         ((uint64_t)1 << 2)
#define SAMPLE_ADDR         ((uint64_t)1 << 3)
#define SAMPLE_READ         ((uint64_t)1 << 4)
#define SAMPLE_CALLCHAIN    ((uint64_t)1 << 5)
#define SAMPLE_ID           ((uint64_t)1 << 6)
#define SAMPLE_CPU          ((uint64_t)1 << 7)
#define SAMPLE_PERIOD       ((uint64_t)1 << 8)
#define SAMPLE_STREAM_ID    ((uint64_t)1 << 9)
#define SAMPLE_RAW          ((uint64_t)1 << 10)
#define SAMPLE_BRANCH_STACK ((uint64_t)1 << 11)
#define SAMPLE_REGS_USER    ((uint64_t)1 << 12)
#define SAMPLE_STACK_USER   ((uint64_t)1 << 13)
#define SAMPLE_WEIGHT       ((uint64_t)1 << 14)
#define SAMPLE_DATA_SRC     ((uint64_t)1 << 15)
#define SAMPLE_IDENTIFIER   ((uint64_t)1 << 16)
#define SAMPLE_TRANSACTION  ((uint64_t)1 << 17)
#define SAMPLE_REGS_INTR    ((uint64_t)1 << 18)
#define SAMPLE_PHYS_ADDR    ((uint64_t)1 << 19)
#define SAMPLE_AUX          ((uint64_t)1 << 20)
#define SAMPLE_CGROUP       ((uint64_t)1 << 21)
#define SAMPLE_DATA_PAGE    ((uint64_t)1 << 22)
#define SAMPLE_CODE_PAGE    ((uint64_t)1 << 23)
#define SAMPLE_WEIGHT_PAIR  ((uint64_t)1 << 24)
#define SAMPLE_KNOWN        (((uint64_t)1 << 25) - 1)

#define READ_ENABLED 1u
#define READ_RUNNING 2u
#define READ_ID      4u
#define READ_GROUP   8u
#define READ_LOST    16u

#define BRANCH_HW_INDEX ((uint64_t)1 << 17)
#define BRANCH_COUNTERS ((uint64_t)1 << 19)

#define FLAG_SAMPLE_ID_ALL ((uint64_t)1 << 18)

static unsigned ones(uint64_t v)
{
    unsigned n = 0;
    for (; v; v >>= 1)
        n += (unsigned)(v & 1);
    return n;
}

/* The fields of an attr of `size` bytes, which takes `room` bytes. */
static struct attr attr_fields(struct cursor *c, uint64_t size, uint64_t room)
{
    struct attr a = { 0 };
    size_t start = c->pos, end = c->end;

    if (!need(c, room))
        return a;
    if (size > room)
        size = room;
    c->end = start + (size_t)size;
    a.type = u32(c);
    a.size = u32(c);
    a.config = u64(c);
    a.period = u64(c); /* or frequency */
    a.sample_type = u64(c);
    a.read_format = u64(c);
    a.flags = bit_word(c, 8, attr_bits);
    u32(c); /* wakeup */
    u32(c); /* bp_type */
    u64(c); /* config1 */
    /* An attr in EVENT_DESC may end anywhere, in a member too: what is left of that is no member. */
    static const unsigned char widths[] = { 8, 8, 8, 4, 4, 8, 4, 2, 2, 4, 4, 8, 8, 8 };
    for (unsigned i = 0; i < sizeof widths && left(c) >= widths[i]; i++) {
        if (i == 4) /* clockid */
            signed_(c, 4);
        else if (i == 10)
            bit_word(c, 4, aux_action_bits);
        else if (i == 1)
            a.branch_type = u64(c);
        else if (i == 2)
            a.regs_user = u64(c);
        else if (i == 3)
            a.stack = u32(c);
        else if (i == 5)
            a.regs_intr = u64(c);
        else
            unsigned_(c, widths[i]);
    }
    rest(c);
    c->end = end;
    c->pos = start + (size_t)size;
    if (!c->cut && size < room)
        bytes(c, room - size, MODEL_BYTES);
    return a;
}

static void warn_of_attr(struct cursor *c, const struct attr *a)
{
    uint64_t s = a->sample_type;
    bool inherit = a->flags >> 1 & 1, freq = a->flags >> 10 & 1, on_exec = a->flags >> 12 & 1;
    bool inherit_thread = a->flags >> 35 & 1, removed = a->flags >> 36 & 1, sigtrap = a->flags >> 37 & 1;

    if (a->size == 0)
        warn(c, 33);
    if ((a->read_format & ~(uint64_t)31) && !(s & SAMPLE_READ))
        warn(c, 41);
    if ((s & SAMPLE_STACK_USER) && (a->stack >= 65535 || a->stack % 8))
        warn(c, 45);
    if (((s & SAMPLE_REGS_USER) && !a->regs_user) || ((s & SAMPLE_REGS_INTR) && !a->regs_intr))
        warn(c, 46);
    if (!freq && a->period >> 63)
        warn(c, 48);
    if ((sigtrap && !removed) || (inherit_thread && !inherit) || (removed && on_exec))
        warn(c, 49);
    if ((a->flags >> 38 & 1) && !(s & SAMPLE_CALLCHAIN))
        warn(c, 50);
    c->m->defer_output = c->m->defer_output || (a->flags >> 39 & 1);
}

/* size: what the attr occupies, 0 counted as 64 */
static void judge_attr(struct cursor *c, const struct attr *a, uint64_t size, size_t start)
{
    uint64_t s = a->sample_type;

    if (s & ~SAMPLE_KNOWN)
        fault(c, 40, start + 24);
    if ((a->read_format & ~(uint64_t)31) && (s & SAMPLE_READ))
        fault(c, 41, start + 32);
    if ((s & SAMPLE_BRANCH_STACK) && a->branch_type >> 20)
        fault(c, 42, start + 72);
    if ((s & SAMPLE_WEIGHT) && (s & SAMPLE_WEIGHT_PAIR))
        fault(c, 44, start + 24);
    warn_of_attr(c, a);
    if (((s & SAMPLE_BRANCH_STACK) && size < 80) || ((s & SAMPLE_REGS_USER) && size < 88) ||
        ((s & SAMPLE_STACK_USER) && size < 92) || ((s & SAMPLE_REGS_INTR) && size < 104))
        fault(c, 47, start + 24);
}

/* Index of the word of a sample that holds the id, counted from the record header; -1: none */
static int id_position(const struct attr *a)
{
    uint64_t s = a->sample_type;

    if (s & SAMPLE_IDENTIFIER)
        return 0;
    if (s & SAMPLE_ID)
        return (int)ones(s & (SAMPLE_IP | SAMPLE_TID | SAMPLE_TIME | SAMPLE_ADDR));
    return -1;
}

/* The same in the trailer of other records, counted from its end; 1 is the last */
static int id_position_back(const struct attr *a)
{
    uint64_t s = a->sample_type;

    if (s & SAMPLE_IDENTIFIER)
        return 1;
    if (s & SAMPLE_ID)
        return 1 + (int)ones(s & (SAMPLE_CPU | SAMPLE_STREAM_ID));
    return -1;
}

static unsigned trailer_size(const struct attr *a)
{
    if (!(a->flags & FLAG_SAMPLE_ID_ALL))
        return 0;
    return 8 * ones(a->sample_type & (SAMPLE_TID | SAMPLE_TIME | SAMPLE_ID | SAMPLE_STREAM_ID | SAMPLE_CPU |
                                      SAMPLE_IDENTIFIER));
}

static bool has_bit(const struct model *m, unsigned bit)
{
    return m->features[bit / 8] >> bit % 8 & 1;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* What attrs must have in common. `at` is told when there is no better place. */
static void judge_attrs(struct model *m, uint64_t at)
{
    /* What perf stat writes has no samples; its events need nothing in common. A pipe tells by its records.
     */
    bool stat = m->pipe ? m->stat_seen : has_bit(m, 19);
    size_t with_ids = 0;

    if (m->tracepoint_count)
        qsort(m->tracepoints, m->tracepoint_count, sizeof *m->tracepoints, by_number);

    for (size_t i = 0; i < m->attr_count; i++)
        with_ids += m->attrs[i].ids != 0;
    if (m->attr_count > 1 && with_ids == 0)
        fault_at(m, 64, 0, -1, at);
    for (size_t i = 0; i < m->attr_count; i++) {
        const struct attr *a = &m->attrs[i], *first = &m->attrs[0];
        if (!stat && m->attr_count > 1 &&
            (id_position(a) < 0 || id_position(a) != id_position(first) ||
             id_position_back(a) != id_position_back(first)))
            fault_at(m, 52, 0, -1, at);
        if (!stat && (a->flags ^ first->flags) & FLAG_SAMPLE_ID_ALL)
            fault_at(m, 53, 0, -1, at);
        if ((!stat || m->sampled_without_id) && (a->sample_type & SAMPLE_READ) && !(a->read_format & READ_ID))
            fault_at(m, i || stat ? 55 : 54, 0, -1, at);
        if (a->type == 2 && !m->has_tracing_data) {
            fault_at(m, 65, 0, -1, at);
        } else if (a->type == 2 && !m->tracing_data_bad) {
            if (m->tracepoint_count == 0 ||
                !bsearch(&a->config, m->tracepoints, m->tracepoint_count, sizeof *m->tracepoints, by_number))
                fault_at(m, 66, 0, -1, at);
        }
    }
}

static void add_attr(struct model *m, struct attr a)
{
    int place = id_position(&a), back = id_position_back(&a);

    m->id_place = m->attr_count == 0 || m->id_place == place ? place : -1;
    m->id_back = m->attr_count == 0 || m->id_back == back ? back : -1;
    if (grow(m, (void **)&m->attrs, &m->attr_cap, m->attr_count, sizeof *m->attrs))
        m->attrs[m->attr_count++] = a;
}

/* ---- tracing data ---- */

/* `ID: ` at the beginning of a line of the format text */
static void format_id(struct cursor *c, size_t start, size_t size)
{
    struct model *m = c->m;

    for (size_t i = start; i + 4 <= start + size; i++) {
        if (memcmp(c->base + i, "ID: ", 4) || (i > start && c->base[i - 1] != '\n'))
            continue;
        uint64_t id = 0;
        for (i += 4; i < start + size && c->base[i] >= '0' && c->base[i] <= '9'; i++)
            id = 10 * id + (uint64_t)(c->base[i] - '0');
        if (grow(m, (void **)&m->tracepoints, &m->tracepoint_cap, m->tracepoint_count,
                 sizeof *m->tracepoints))
            m->tracepoints[m->tracepoint_count++] = id;
        return;
    }
}

static void sized_text(struct cursor *c, unsigned width, bool format)
{
    uint64_t size = unsigned_(c, width);
    size_t start = c->pos;

    bytes(c, size, MODEL_TEXT);
    if (!c->cut && format && !c->quiet)
        format_id(c, start, (size_t)size);
}

static void name_text(struct cursor *c)
{
    size_t n = length_to_nul(c, left(c));

    if (c->cut)
        return;
    if (n == left(c)) {
        fault(c, 263, c->pos);
        c->cut = true;
        return;
    }
    bytes(c, n + 1, MODEL_TEXT);
}

static void literal(struct cursor *c, const char *text, size_t size)
{
    size_t at = c->pos;

    bytes(c, size, MODEL_TEXT);
    if (!c->cut && memcmp(c->base + at, text, size)) {
        fault(c, 263, at);
        c->cut = true;
    }
}

/* Leaves c behind what was understood. */
static void tracing_data(struct cursor *c)
{
    bool big = c->big;

    c->condition = 266;
    literal(c, "\x17\x08\x44", 3);
    literal(c, "tracing", 7);
    size_t version = c->pos;
    name_text(c);
    if (c->cut)
        return;
    size_t order = c->pos;
    if (u8(c) > 1)
        fault(c, 263, order);
    c->big = !c->cut && c->base[order] == 1;
    if (c->big != big)
        warn(c, 264);
    size_t at = c->pos;
    uint8_t longs = u8(c);
    if (!c->cut && longs != 4 && longs != 8)
        fault(c, 263, at);
    at = c->pos;
    if (u32(c) == 0 && !c->cut)
        fault(c, 263, at);
    literal(c, "header_page", 12);
    if (left(c) >= 8 && number_at(c->base + c->pos, 8, c->big) == 0)
        fault(c, 263, c->pos);
    sized_text(c, 8, false);
    literal(c, "header_event", 13);
    sized_text(c, 8, false);
    uint32_t n = u32(c);
    for (uint32_t i = 0; i < n && !c->cut && !c->m->limit; i++)
        sized_text(c, 8, true);
    n = u32(c);
    for (uint32_t i = 0; i < n && !c->cut && !c->m->limit; i++) {
        name_text(c);
        uint32_t events = u32(c);
        for (uint32_t k = 0; k < events && !c->cut && !c->m->limit; k++)
            sized_text(c, 8, true);
    }
    sized_text(c, 4, false);
    sized_text(c, 4, false);
    /* Of the width of a double, also where the machine computes with more. */
    const double least = 0.6;
    double number = c->cut ? 0 : strtod((const char *)c->base + version, NULL);
    if (number >= least)
        sized_text(c, 8, false);
    c->big = big;
}

/* ---- features ---- */

static void feature_build_ids(struct cursor *c)
{
    bool old = false;

    c->condition = 259;
    for (size_t p = c->pos; c->end - p >= 36 && !old;) {
        uint64_t size = number_at(c->base + p + 6, 2, c->big);
        if (size < 36 || size > c->end - p)
            break;
        old = size >= 36 + 13 && memcmp(c->base + p + 36, "nel.kallsyms]", 13) == 0;
        p += (size_t)size;
    }
    while (left(c) && !c->cut && !c->m->limit) {
        size_t start = c->pos, fixed = old ? 32 : 36, end = c->end;
        if (!need(c, fixed))
            return;
        uint64_t size = number_at(c->base + start + 6, 2, c->big);
        if (size < fixed || size > left(c) || size - fixed >= 4096) {
            fault(c, 259, start);
            c->cut = true;
            return;
        }
        c->end = start + (size_t)size;
        u32(c);
        uint16_t misc = u16(c);
        u16(c);
        if (old) {
            bytes(c, 24, MODEL_BYTES);
        } else {
            signed_(c, 4);
            bytes(c, 20, MODEL_BYTES);
            if (u8(c) > 20 && (misc & 0x8000))
                fault(c, 260, start + 32);
            bytes(c, 3, MODEL_BYTES);
        }
        if (left(c) && length_to_nul(c, left(c)) == left(c)) {
            fault(c, 83, c->pos);
            c->cut = true;
            return;
        }
        bytes(c, left(c), MODEL_TEXT);
        c->end = end;
    }
}

static void feature_event_desc(struct cursor *c)
{
    uint32_t nr = u32(c), size = u32(c);

    if (!fits(c, nr, 64 + 4 + HSTR_LEAST))
        return;
    for (uint32_t i = 0; i < nr && !c->cut && !c->m->limit; i++) {
        size_t start = c->pos;
        if (!need(c, size) || !need(c, 64))
            return;
        if (size < 64) {
            fault(c, c->condition, start);
            c->cut = true;
            return;
        }
        uint64_t own = number_at(c->base + start + 4, 4, c->big);
        if (own > size) {
            fault(c, 228, start + 4);
            c->cut = true;
            return;
        }
        attr_fields(c, own ? own : 64, size);
        uint32_t ids = u32(c);
        hstr(c);
        if (fits(c, ids, 8))
            for (uint32_t k = 0; k < ids; k++)
                u64(c);
    }
}

static void count_of_hstrs(struct cursor *c, uint32_t n, unsigned each)
{
    if (!fits(c, n, HSTR_LEAST * each))
        return;
    for (uint32_t i = 0; i < n && !c->cut && !c->m->limit; i++)
        for (unsigned k = 0; k < each; k++)
            hstr(c);
}

static void feature_cpu_topology(struct cursor *c)
{
    struct model *m = c->m;

    c->condition = 229;
    if (!m->has_nrcpus) {
        if (!m->nrcpus_bad)
            fault(c, m->pipe ? 274 : 229, c->pos);
        c->cut = true;
        return;
    }
    for (int list = 0; list < 2; list++) {
        size_t at = c->pos;
        uint32_t n = u32(c);
        if (!c->cut && n > m->available) {
            fault(c, 229, at);
            c->cut = true;
        }
        count_of_hstrs(c, n, 1);
    }
    if (c->cut || !left(c))
        return;
    if (fits(c, m->available, 8))
        for (uint32_t i = 0; i < m->available; i++) {
            u32(c);
            u32(c);
        }
    if (c->cut || !left(c))
        return;
    size_t at = c->pos;
    uint32_t n = u32(c);
    if (!c->cut && n > m->available) {
        fault(c, 229, at);
        c->cut = true;
    }
    count_of_hstrs(c, n, 1);
    if (fits(c, m->available, 4))
        for (uint32_t i = 0; i < m->available; i++)
            u32(c);
}

static bool is_digit(unsigned char b)
{
    return b >= '0' && b <= '9';
}

/* N or N-M with M not below N, separated by commas */
static bool is_cpu_list(const unsigned char *p, size_t n)
{
    size_t i = 0;

    if (n == 0)
        return true;
    for (;;) {
        uint64_t v[2] = { 0, 0 };
        int k = 0;
        for (;; i++, k++) {
            size_t from = i;
            while (i < n && is_digit(p[i]) && v[k] < 1u << 30)
                v[k] = 10 * v[k] + (uint64_t)(p[i++] - '0');
            if (i == from)
                return false;
            if (k || i == n || p[i] != '-')
                break;
        }
        if (k && v[1] < v[0])
            return false;
        if (i == n || (p[i] == '\n' && i + 1 == n)) /* as the kernel ends its files */
            return true;
        if (p[i++] != ',')
            return false;
    }
}

static uint32_t limited(struct cursor *c, uint32_t most, unsigned condition)
{
    size_t at = c->pos;
    uint32_t n = u32(c);

    if (n > most) {
        fault(c, condition, at);
        c->cut = true;
    }
    return n;
}

static void feature_domains(struct cursor *c)
{
    struct model *m = c->m;
    unsigned char seen[65536 / 8] = { 0 };

    c->condition = 255;
    if (!m->has_nrcpus || m->online == 0) {
        if (!m->nrcpus_bad)
            fault(c, m->pipe ? 274 : 256, c->pos);
        c->cut = true;
        return;
    }
    uint32_t version = u32(c);
    size_t at = c->pos;
    uint32_t most = u32(c);
    if (most > 64)
        fault(c, 256, at);
    if (!fits(c, m->online, 8))
        return;
    for (uint32_t i = 0; i < m->online && !c->cut && !m->limit; i++) {
        at = c->pos;
        uint32_t cpu = u32(c);
        if (!c->cut && cpu >= m->available)
            fault(c, 256, at);
        if (!c->cut && cpu < 65536) {
            if (seen[cpu / 8] >> cpu % 8 & 1)
                fault(c, 256, at);
            seen[cpu / 8] = (unsigned char)(seen[cpu / 8] | 1u << cpu % 8);
        }
        at = c->pos;
        uint32_t n = u32(c);
        uint64_t domains = 0;
        if (!c->cut && n > most)
            fault(c, 256, at);
        if (!fits(c, n, 4 + HSTR_LEAST * (version >= 17 ? 3 : 2)))
            return;
        for (uint32_t k = 0; k < n && !c->cut && !m->limit; k++) {
            at = c->pos;
            uint32_t domain = u32(c);
            if (!c->cut && (domain >= most || (domain < 64 && domains >> domain & 1)))
                fault(c, 256, at);
            if (domain < 64)
                domains |= (uint64_t)1 << domain;
            if (version >= 17)
                hstr(c);
            hstr(c);
            hstr(c);
        }
    }
}

static void feature_bpf_info(struct cursor *c, uint64_t len)
{
    static const unsigned char widths[] = { 4, 4, 0, 4, 4, 8, 8, 8, 4, 4, 8, 0, 4, 0, 8, 8, 4, 4, 8,
                                            8, 4, 4, 8, 4, 4, 8, 8, 4, 4, 4, 4, 8, 8, 8, 8, 4, 4, 4 };
    size_t end = c->end;

    if (!need(c, len))
        return;
    c->end = c->pos + (size_t)len;
    for (unsigned i = 0; i < sizeof widths; i++) {
        unsigned width = widths[i] ? widths[i] : i == 2 ? 8 : i == 11 ? 16 : 4;
        if (left(c) < width)
            break;
        if (i == 2)
            bytes(c, 8, MODEL_BYTES); /* tag */
        else if (i == 11)
            bytes(c, 16, MODEL_TEXT); /* name */
        else if (i == 13)
            bit_word(c, 4, bpf_bits);
        else
            unsigned_(c, width);
    }
    rest(c);
    c->end = end;
}

/* Groups from number `first` on, of a GROUP_DESC whose content begins at `at`. */
static void judge_groups(struct model *m, size_t first, uint64_t at)
{
    uint64_t least = 0;

    for (size_t i = first; i < m->group_count; i++) {
        const struct section *g = &m->groups[i];
        if (g->start < least || g->end == 0 || g->start + g->end > m->attr_count) {
            fault_at(m, 234, 0, -1, at);
            return;
        }
        least = g->start + g->end;
    }
}

/* The content of a feature; `bit` decides. c->end is its end. */
static void feature(struct cursor *c, unsigned bit)
{
    struct model *m = c->m;
    size_t at = c->pos, first;
    unsigned char nodes[512] = { 0 }; /* numbers of nodes that were there */
    uint32_t n, n2;
    uint64_t wide;

    c->condition = 1000 + bit;
    switch (bit) {
    case 1:
        m->has_tracing_data = true;
        tracing_data(c);
        m->tracing_data_bad = c->cut;
        break;
    case 2:
        feature_build_ids(c);
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 8:
    case 9:
        if (left(c))
            hstr(c);
        else
            warn(c, 222);
        break;
    case 7:
        m->available = u32(c);
        m->online = u32(c);
        m->has_nrcpus = !c->cut && m->available; /* to perf 7.2 none is as if there were no feature */
        m->nrcpus_bad = c->cut;
        if (m->available > 1u << 20 || m->online > m->available) {
            fault(c, 223, at);
            m->has_nrcpus = false;
            m->nrcpus_bad = true;
        }
        break;
    case 10:
    case 23:
        u64(c);
        break;
    case 11:
        c->condition = 225;
        count_of_hstrs(c, limited(c, 1u << 20, 225), 1);
        break;
    case 12:
        feature_event_desc(c);
        break;
    case 13:
        feature_cpu_topology(c);
        break;
    case 14:
        c->condition = 231;
        n = limited(c, 4096, 231);
        if (!fits(c, n, 20 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            n2 = u32(c);
            if (n2 < sizeof nodes * 8) {
                if (nodes[n2 / 8] >> n2 % 8 & 1)
                    warn(c, 232);
                nodes[n2 / 8] = (unsigned char)(nodes[n2 / 8] | 1u << n2 % 8);
            }
            wide = u64(c);
            if (u64(c) > wide)
                warn(c, 232);
            at = c->pos + 4;
            hstr(c);
            if (!c->cut) {
                size_t len = 0;
                while (at + len < c->pos && c->base[at + len])
                    len++;
                if (!is_cpu_list(c->base + at, len))
                    fault(c, 231, at - 4);
            }
        }
        break;
    case 15:
    case 19:
        if (left(c))
            warn(c, 217);
        break;
    case 16:
        c->condition = 233;
        n = limited(c, 4096, 233);
        if (!fits(c, n, 4 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            u32(c);
            hstr(c);
        }
        break;
    case 17:
        c->condition = 234;
        n = limited(c, 32768, 234);
        if (!m->pipe) /* a second one, or one in a record: each is judged */
            judge_groups(m, 0, m->groups_at);
        /* In a pipe attrs behind it do not count (5.1), but one in front of all attrs waits for them. */
        first = m->pipe && m->attr_count ? m->group_count : 0;
        if (!m->pipe || !m->attr_count) {
            m->group_count = 0;
            m->groups_at = at - c->origin;
        }
        if (!fits(c, n, 8 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            hstr(c);
            uint32_t leader = u32(c), members = u32(c);
            if (!c->cut && grow(m, (void **)&m->groups, &m->group_cap, m->group_count, sizeof *m->groups))
                m->groups[m->group_count++] = (struct section){ leader, members, 0 };
        }
        if (m->pipe && m->attr_count) {
            judge_groups(m, first, at - c->origin);
            m->group_count = first;
        }
        break;
    case 18:
        c->condition = 236;
        wide = u64(c);
        m->auxtrace_index_at = at - c->origin;
        if (!fits(c, wide, 16))
            break;
        for (uint64_t i = 0; i < wide && !m->limit; i++) {
            uint64_t offset = u64(c), size = u64(c);
            if (!grow(m, (void **)&m->auxtrace_index, &m->auxtrace_index_cap, m->auxtrace_index_count + 1,
                      sizeof *m->auxtrace_index))
                break;
            m->auxtrace_index[m->auxtrace_index_count++] = offset;
            m->auxtrace_index[m->auxtrace_index_count++] = size;
        }
        if (left(c))
            warn(c, 236);
        break;
    case 20:
        c->condition = 240;
        if (u32(c) != 1 && !c->cut) {
            fault(c, 240, at);
            break;
        }
        n = limited(c, 32768, 240);
        if (!fits(c, n, 16 + 3 * HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            for (int k = 0; k < 4; k++)
                u32(c);
            count_of_hstrs(c, 3, 1);
        }
        break;
    case 21:
        wide = u64(c);
        if (u64(c) < wide)
            warn(c, 241);
        break;
    case 22:
        c->condition = 242;
        if (u64(c) != 1 && !c->cut) {
            fault(c, 242, at);
            break;
        }
        u64(c);
        at = c->pos;
        wide = u64(c);
        if (wide > 4096) {
            fault(c, 242, at);
            break;
        }
        if (!fits(c, wide, 24))
            break;
        for (uint64_t i = 0; i < wide && !c->cut && !m->limit; i++) {
            u64(c);
            u64(c);
            at = c->pos;
            uint64_t bits = u64(c);
            if (bits > 0x7fffffff) {
                fault(c, 242, at);
                break;
            }
            uint64_t words = (bits + 63) / 64;
            if (fits(c, words, 8))
                for (uint64_t k = 0; k < words; k++)
                    u64(c);
        }
        break;
    case 24:
        m->dir_version = u64(c);
        m->has_dir_format = !c->cut;
        if (!m->directory && !c->cut)
            fault(c, 246, at);
        else if (m->dir_version > 1)
            fault(c, 247, at);
        break;
    case 25:
        n = limited(c, 131072, 1025);
        if (!fits(c, n, 16))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            uint32_t info = u32(c);
            at = c->pos;
            uint32_t data = u32(c);
            u64(c);
            feature_bpf_info(c, info);
            if (!c->cut && data > 256u << 20)
                fault(c, 1025, at);
            bytes(c, data, MODEL_BYTES);
        }
        break;
    case 26:
        c->condition = 252;
        n = limited(c, 131072, 252);
        if (!fits(c, n, 8))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            u32(c);
            uint32_t data = u32(c);
            bytes(c, data, MODEL_BYTES);
        }
        break;
    case 27:
        wide = u32(c);
        if (wide)
            warn(c, 196);
        n = u32(c);
        if (!m->has_compressed || m->compressed_zeros ||
            m->compressed_type == 1) /* a second feature does not mend the first */
            m->compressed_type = (uint32_t)n;
        wide |= n;
        wide |= u32(c);
        wide |= u32(c);
        m->compressed_mmap_len = u32(c);
        wide |= m->compressed_mmap_len;
        for (size_t i = 0; i < left(c); i++) /* perf stat record writes nothing but zeros */
            wide |= c->base[c->pos + i];
        m->compressed_zeros = wide == 0;
        if (wide && !c->cut && (m->compressed_mmap_len < 4096 || m->compressed_mmap_len % 4096)) {
            m->compressed_bad = true;
            m->compressed_at = at - c->origin;
        }
        m->has_compressed = !c->cut;
        m->said_compressed = c->cut; /* it is there, whatever it says */
        break;
    case 28:
        c->condition = 253;
        count_of_hstrs(c, limited(c, 512, 253), 2);
        break;
    case 29:
        if (u32(c) != 1 && !c->cut) {
            fault(c, 244, at);
            break;
        }
        u32(c);
        u64(c);
        u64(c);
        break;
    case 30:
        count_of_hstrs(c, limited(c, 4096, 1030), 2);
        break;
    case 31:
        c->condition = 253;
        n = limited(c, 4096, 253);
        if (!fits(c, n, 4 + HSTR_LEAST))
            break;
        for (uint32_t i = 0; i < n && !c->cut && !m->limit; i++) {
            count_of_hstrs(c, limited(c, 512, 253), 2);
            hstr(c);
        }
        break;
    case 32:
        feature_domains(c);
        break;
    case 33:
        if (u32(c) > 0xffff)
            warn(c, 257);
        u32(c);
        break;
    case 34:
        n = u32(c);
        if (n == 0 || (n != 0xffffffffu && (n & (n - 1))))
            warn(c, 258);
        break;
    default:
        break;
    }
    rest(c);
}

/* ---- records: the attr that governs them, and their trailer ---- */

/* Whether samples of all attrs have the same fields; `read`: READ records too. */
static bool is_one_layout(const struct model *m, bool read)
{
    const struct attr *first = &m->attrs[0];

    for (size_t i = 1; i < m->attr_count; i++) {
        const struct attr *a = &m->attrs[i];
        uint64_t s = a->sample_type;
        if (s != first->sample_type || ((a->flags ^ first->flags) & FLAG_SAMPLE_ID_ALL) ||
            (((s & SAMPLE_READ) || read) && ((a->read_format ^ first->read_format) & 31)) ||
            ((s & SAMPLE_BRANCH_STACK) &&
             (a->branch_type ^ first->branch_type) & (BRANCH_HW_INDEX | BRANCH_COUNTERS)) ||
            ((s & SAMPLE_REGS_USER) && ones(a->regs_user) != ones(first->regs_user)) ||
            ((s & SAMPLE_REGS_INTR) && ones(a->regs_intr) != ones(first->regs_intr)))
            return false;
    }
    return true;
}

/* A record that needs an attr: one word about it when there is none. */
static bool attr_there(struct cursor *c, size_t start)
{
    struct model *m = c->m;

    if (m->attr_count)
        return true;
    if (!m->said_no_attr && !m->has_attr_fault)
        fault(c, m->pipe ? 268 : 14, start);
    m->said_no_attr = true;
    return false;
}

/* Of a record that is no sample. NULL when it cannot be known; c is then told, unless attrs have no common
 * place for ids (4.2), which is told of them. */
static const struct attr *attr_of_trailer(struct cursor *c, size_t start, bool read)
{
    struct model *m = c->m;

    if (!attr_there(c, start)) {
        c->cut = true;
        return NULL;
    }
    const struct attr *first = &m->attrs[0];
    if (m->attr_count == 1 || !(first->flags & FLAG_SAMPLE_ID_ALL))
        return first;
    int back = m->id_back;
    if (back < 0)
        return is_one_layout(m, read) ? first : NULL;
    if (c->end - start < 8 + 8 * (size_t)back) {
        fault(c, 90, start);
        c->cut = true;
        return NULL;
    }
    uint64_t id = number_at(c->base + c->end - 8 * (size_t)back, 8, c->big);
    if (id == 0)
        return first;
    const struct id_slot *slot = find_id(m, id);
    if (!slot) {
        fault(c, 91, c->end - 8 * (size_t)back);
        c->cut = true;
        return NULL;
    }
    return &m->attrs[slot->attr];
}

static void trailer(struct cursor *c, const struct attr *a)
{
    uint64_t s = a->sample_type;

    if (c->cut || !trailer_size(a))
        return;
    if (s & SAMPLE_TID) {
        u32(c);
        u32(c);
    }
    if (s & SAMPLE_TIME)
        u64(c);
    if (s & SAMPLE_ID)
        u64(c);
    if (s & SAMPLE_STREAM_ID)
        u64(c);
    if (s & SAMPLE_CPU) {
        u32(c);
        if (u32(c))
            warn(c, 92);
    }
    if (s & SAMPLE_IDENTIFIER)
        u64(c);
}

/* Behind the last field: what is too much, then the trailer, which ends with the record. */
static void finish(struct cursor *c, const struct attr *a)
{
    if (c->cut || !a)
        return;
    if (left(c) < trailer_size(a)) {
        fault(c, 90, c->pos);
        c->cut = true;
        return;
    }
    if (left(c) > trailer_size(a))
        bytes(c, left(c) - trailer_size(a), MODEL_BYTES);
    trailer(c, a);
}

/* A string that takes all up to the trailer. */
static void string_and_finish(struct cursor *c, const struct attr *a)
{
    if (c->cut)
        return;
    size_t n = length_to_nul(c, left(c)), size = a ? trailer_size(a) : 0;
    if (size > left(c)) {
        fault(c, 90, c->pos);
        c->cut = true;
        return;
    }
    if (n == left(c)) {
        fault(c, 83, c->pos);
        c->cut = true;
        return;
    }
    if (!a)
        return;
    if (n >= left(c) - size) {
        fault(c, 84, c->pos);
        c->cut = true;
        return;
    }
    bytes(c, left(c) - size, MODEL_TEXT);
    trailer(c, a);
}

/* Until `finish`, the fields end where the trailer begins. Returns what `widen` needs. */
static size_t narrow(struct cursor *c, const struct attr *a)
{
    size_t end = c->end;

    if (a && left(c) >= trailer_size(a))
        c->end -= trailer_size(a);
    return end;
}

static void read_values(struct cursor *c, const struct attr *a)
{
    uint64_t f = a->read_format;

    if (f & READ_GROUP) {
        uint64_t nr = u64(c);
        if (f & READ_ENABLED)
            u64(c);
        if (f & READ_RUNNING)
            u64(c);
        if (!fits(c, nr, 8 * (1 + (f & READ_ID ? 1u : 0) + (f & READ_LOST ? 1u : 0))))
            return;
        for (uint64_t i = 0; i < nr && !c->m->limit; i++) {
            u64(c);
            if (f & READ_ID)
                u64(c);
            if (f & READ_LOST)
                u64(c);
        }
        return;
    }
    u64(c);
    if (f & READ_ENABLED)
        u64(c);
    if (f & READ_RUNNING)
        u64(c);
    if (f & READ_ID)
        u64(c);
    if (f & READ_LOST)
        u64(c);
}

/* The number in front of an array, whose own condition is about the array. */
static uint64_t count_of(struct cursor *c, unsigned width)
{
    unsigned condition = c->condition;

    c->condition = condition > 116 && condition < 132 ? 130 : condition;
    uint64_t n = unsigned_(c, width);
    c->condition = condition;
    return n;
}

static void many_u64(struct cursor *c, uint64_t nr)
{
    if (fits(c, nr, 8))
        for (uint64_t i = 0; i < nr && !c->m->limit; i++)
            u64(c);
}

/* ---- samples ---- */

/* hw_index: 0 no, 1 yes, 2 left out because there are no branches (a sample without branch data) */
static void branch_stack(struct cursor *c, int hw_index, bool counters)
{
    c->condition = 123;
    uint64_t nr = count_of(c, 8);
    if (hw_index == 1 || (hw_index == 2 && nr))
        count_of(c, 8);
    if (!fits(c, nr, counters ? 32 : 24))
        return;
    for (uint64_t i = 0; i < nr && !c->m->limit; i++) {
        u64(c);
        u64(c);
        if (bit_word(c, 8, branch_bits) >> 33)
            warn(c, 124);
    }
    if (counters)
        many_u64(c, nr);
}

static void registers(struct cursor *c, uint64_t mask)
{
    c->condition = 127;
    uint64_t abi = count_of(c, 8);
    if (abi > 2)
        warn(c, 126);
    if (abi)
        many_u64(c, ones(mask));
}

static void sample_fields(struct cursor *c, const struct attr *a, int hw_index, bool counters)
{
    uint64_t s = a->sample_type;
    size_t at;

    c->condition = 114;
    if (s & SAMPLE_IDENTIFIER)
        u64(c);
    if (s & SAMPLE_IP)
        u64(c);
    if (s & SAMPLE_TID) {
        u32(c);
        u32(c);
    }
    if (s & SAMPLE_TIME) {
        c->m->time = u64(c);
        if (c->m->time == 0 || c->m->time == UINT64_MAX)
            warn(c, 133);
    }
    if (s & SAMPLE_ADDR)
        u64(c);
    if (s & SAMPLE_ID)
        u64(c);
    if (s & SAMPLE_STREAM_ID)
        u64(c);
    if (s & SAMPLE_CPU) {
        c->m->cpu_at = c->pos;
        u32(c);
        if (u32(c))
            warn(c, 92);
    }
    if (s & SAMPLE_PERIOD)
        u64(c);
    c->condition = 117;
    if (s & SAMPLE_READ)
        read_values(c, a);
    c->condition = 118;
    if (s & SAMPLE_CALLCHAIN)
        many_u64(c, count_of(c, 8));
    if (s & SAMPLE_RAW) {
        c->condition = 121;
        at = c->pos;
        uint32_t size = (uint32_t)count_of(c, 4);
        if (!c->cut && (size + (uint64_t)4) % 8)
            fault(c, 122, at);
        bytes(c, size, MODEL_BYTES);
    }
    if (s & SAMPLE_BRANCH_STACK)
        branch_stack(c, hw_index, counters);
    if (s & SAMPLE_REGS_USER)
        registers(c, a->regs_user);
    if (s & SAMPLE_STACK_USER) {
        c->condition = 128;
        at = c->pos;
        uint64_t size = count_of(c, 8);
        if (size) {
            if (size % 8)
                fault(c, 129, at);
            bytes(c, size, MODEL_BYTES);
            at = c->pos;
            if (u64(c) > size && !c->cut)
                fault(c, 128, at);
        }
    }
    c->condition = 130;
    if (s & (SAMPLE_WEIGHT | SAMPLE_WEIGHT_PAIR))
        u64(c);
    if ((s & SAMPLE_DATA_SRC) && u64(c) >> 51)
        warn(c, 135);
    if ((s & SAMPLE_TRANSACTION) && (u64(c) & 0xffffff00u))
        warn(c, 135);
    if (s & SAMPLE_REGS_INTR)
        registers(c, a->regs_intr);
    c->condition = 130;
    if (s & SAMPLE_PHYS_ADDR)
        u64(c);
    if (s & SAMPLE_CGROUP)
        u64(c);
    if (s & SAMPLE_DATA_PAGE)
        u64(c);
    if (s & SAMPLE_CODE_PAGE)
        u64(c);
    if (s & SAMPLE_AUX) {
        c->condition = 131;
        bytes(c, count_of(c, 8), MODEL_BYTES);
    }
}

static bool any_counters(const struct model *m)
{
    for (size_t i = 0; i < m->attr_count; i++)
        if ((m->attrs[i].sample_type & SAMPLE_BRANCH_STACK) && (m->attrs[i].branch_type & BRANCH_COUNTERS))
            return true;
    return false;
}

/* Whether the sample ends where the record does when it is read so. */
static bool sample_fits(struct cursor *c, const struct attr *a, int hw_index, bool counters)
{
    struct cursor try = *c;

    try.quiet = true;
    sample_fields(&try, a, hw_index, counters);
    return !try.cut && left(&try) == 0;
}

/* The CPU must be one that the machine has, or unknown. Of those before the number is known the largest
 * counts. */
static void judge_cpu(struct cursor *c)
{
    struct model *m = c->m;
    uint32_t cpu = (uint32_t)number_at(c->base + m->cpu_at, 4, c->big);

    if (cpu == UINT32_MAX)
        return;
    if (m->available && cpu >= m->available)
        fault(c, 94, m->cpu_at);
    if (!m->available && cpu > m->early_cpu) {
        m->early_cpu = cpu;
        m->early_cpu_row = (struct model_fault){ 94, c->member, c->wrapper, m->cpu_at - c->origin };
    }
}

static void sample(struct cursor *c, size_t start)
{
    struct model *m = c->m;

    if (!attr_there(c, start)) {
        rest(c);
        return;
    }
    const struct attr *a = &m->attrs[0];
    int place = m->id_place;
    /* Without a place for ids it does not matter whose it is when all have one layout. */
    if (m->attr_count > 1 && !(place < 0 && is_one_layout(m, false))) {
        if (place < 0) {
            if (m->part_open)
                m->parts[m->part_count - 1].faulty = true;
            rest(c);
            return;
        }
        if (left(c) < 8 * ((size_t)place + 1)) {
            fault(c, 115, start);
            c->cut = true;
            return;
        }
        size_t at = c->pos + 8 * (size_t)place;
        uint64_t id = number_at(c->base + at, 8, c->big);
        const struct id_slot *slot = id ? find_id(m, id) : NULL;
        if (id && !slot) {
            fault(c, 116, at);
            c->cut = true;
            return;
        }
        if (slot)
            a = &m->attrs[slot->attr];
    }
    if (a->sample_type & ~SAMPLE_KNOWN) {
        rest(c);
        return;
    }
    int hw_index = (a->branch_type & BRANCH_HW_INDEX) != 0;
    bool counters = (a->branch_type & BRANCH_COUNTERS) != 0;
    bool other = !counters && any_counters(m); /* of an attr of its group, and groups may be unknown (4.8) */
    if (!sample_fits(c, a, hw_index, counters)) {
        if (hw_index && sample_fits(c, a, 2, counters)) {
            hw_index = 2;
        } else if ((counters || other) && sample_fits(c, a, hw_index, !counters)) {
            counters = !counters;
        } else if (hw_index && (counters || other) && sample_fits(c, a, 2, !counters)) {
            hw_index = 2;
            counters = !counters;
        }
    }
    sample_fields(c, a, hw_index, counters);
    if (!c->cut && (a->sample_type & SAMPLE_READ) && !(a->read_format & READ_ID))
        m->sampled_without_id = true;
    if (!c->cut && left(c) >= 8)
        fault(c, 132, c->pos);
    else if (!c->cut && left(c))
        warn(c, 132);
    if (!c->cut && left(c) < 8 && (a->sample_type & SAMPLE_CPU))
        judge_cpu(c);
    rest(c);
}

/* ---- other records ---- */

static void cpu_map(struct cursor *c)
{
    size_t at = c->pos;
    uint16_t type = u16(c);

    if (c->cut)
        return;
    if (type == 0) {
        uint16_t nr = u16(c);
        if (fits(c, nr, 2))
            for (unsigned i = 0; i < nr; i++)
                u16(c);
    } else if (type == 1) {
        uint16_t nr = u16(c);
        at = c->pos;
        uint16_t width = u16(c);
        if (c->cut)
            return;
        if (width != 4 && width != 8) {
            fault(c, 169, at);
            c->cut = true;
            return;
        }
        if (width == 8)
            bytes(c, 4, MODEL_BYTES);
        if (fits(c, nr, width))
            for (unsigned i = 0; i < nr; i++)
                unsigned_(c, width);
    } else if (type == 2) {
        u8(c);
        u8(c);
        uint16_t first = u16(c);
        at = c->pos;
        uint16_t last = u16(c);
        if (!c->cut && last < first)
            fault(c, 171, at);
    } else {
        fault(c, 170, at);
        c->cut = true;
    }
    rest(c);
}

/* Kernels 3.12 to 3.15 had neither prot nor flags: 1 when text stands where they should be, 0 when numbers
 * do, -1 when nothing does. */
static int shows_old_mmap2(const struct cursor *c)
{
    if (left(c) < 8)
        return -1;
    size_t n = length_to_nul(c, 8);
    for (size_t i = 0; i < n; i++)
        if (c->base[c->pos + i] < 0x20 || c->base[c->pos + i] > 0x7e)
            return 0;
    if (n)
        return 1;
    for (size_t i = 0; i < 8; i++)
        if (c->base[c->pos + i])
            return 0;
    return -1;
}

/* Whether a string behind `skip` bytes ends before the trailer. */
static bool string_fits(const struct cursor *c, size_t skip, const struct attr *a)
{
    size_t end = c->end - c->pos < trailer_size(a) ? c->pos : c->end - trailer_size(a);
    for (size_t p = c->pos + skip; p < end; p++)
        if (c->base[p] == 0)
            return true;
    return false;
}

static void mapping(struct cursor *c)
{
    uint64_t start = u64(c), len = u64(c);

    if (len == 0 || start + (len - 1) < start)
        warn(c, 95);
    u64(c);
}

static void mmap2(struct cursor *c, uint16_t misc, const struct attr *a)
{
    struct model *m = c->m;
    bool old = false;

    u32(c);
    u32(c);
    mapping(c);
    if (misc & 0x4000) {
        size_t at = c->pos;
        uint8_t size = u8(c);
        if (size > 20)
            fault(c, 96, at);
        bytes(c, 3, MODEL_BYTES);
        bytes(c, 20, MODEL_BYTES);
        if (!c->cut && (is_any_set(c->base + at + 1, 3) ||
                        (size && size <= 20 && is_any_set(c->base + at + 4 + size, 20u - size))))
            warn(c, 97);
    } else {
        u32(c);
        u32(c);
        u64(c);
        u64(c);
        if (m->old_mmap2 < 0)
            m->old_mmap2 = shows_old_mmap2(c);
        if (m->old_mmap2 < 0)
            old = a && !string_fits(c, 8, a) && string_fits(c, 0, a);
        else
            old = m->old_mmap2;
    }
    if (!old) {
        u32(c);
        u32(c);
    }
    string_and_finish(c, a);
}

/* size: how much of the trace data lies behind the record; told when it cannot be */
static uint64_t auxtrace(struct cursor *c, size_t start)
{
    struct model *m = c->m;
    size_t at = c->pos;
    uint64_t size = u64(c);

    u64(c);
    u64(c);
    u32(c);
    u32(c);
    u32(c);
    u32(c);
    rest(c);
    if (c->wrapper >= 0)
        return 0;
    if (!m->has_auxtrace_info)
        fault(c, 157, start);
    if (size >> 63)
        fault(c, 159, at);
    else if (size % 8)
        fault(c, 160, at);
    if (c->member == 0 &&
        grow(m, (void **)&m->auxtraces, &m->auxtrace_cap, m->auxtrace_count, sizeof *m->auxtraces))
        m->auxtraces[m->auxtrace_count++] = start - c->origin;
    return size;
}

static void auxtrace_info(struct cursor *c)
{
    c->condition = 155;
    uint32_t type = u32(c);
    u32(c);
    if (c->cut)
        return;
    if (type == 0 || type > 7)
        warn(c, 154);
    if (type == 1) {
        for (int i = 0; i < 10; i++)
            u64(c);
        for (int i = 10; i < 16 && left(c) >= 8; i++)
            u64(c);
        if (!c->cut && left(c) >= 8) {
            size_t at = c->pos;
            uint64_t len = u64(c);
            c->condition = 156;
            if (len > left(c)) {
                fault(c, 156, at);
                c->cut = true;
                return;
            }
            size_t text = c->pos;
            bytes(c, len ? align8(len + 1) : 0, MODEL_TEXT);
            if (!c->cut && len && c->base[c->pos - 1])
                fault(c, 156, text);
            if (!c->cut && left(c) >= 8)
                u64(c); /* event trace */
        }
    } else if (type == 2) {
        for (int i = 0; i < 6; i++)
            u64(c);
    } else if (type == 3) {
        uint64_t version = u64(c);
        uint64_t nr = u64(c) & 0xffffffffu;
        u64(c);
        for (uint64_t i = 0; version && i < nr && !c->cut && !c->m->limit; i++) {
            u64(c);
            u64(c);
            many_u64(c, u64(c));
        }
    } else if (type == 4) {
        /* The first version has no version word; perf 7.2 tells it by its size. */
        bool first = left(c) <= 16;
        u64(c);
        u64(c);
        if (!first && !c->cut) {
            u64(c);
            uint64_t nr = u64(c);
            for (uint64_t i = 0; i < nr && !c->cut && !c->m->limit; i++) {
                u64(c);
                u64(c);
                many_u64(c, u64(c));
            }
        }
    } else if (type == 6 || type == 7) {
        u64(c);
    }
    while (!c->cut && left(c) >= 8 && !c->m->limit)
        u64(c);
    rest(c);
}

static void auxtrace_error(struct cursor *c)
{
    for (int i = 0; i < 5; i++)
        u32(c);
    uint32_t fmt = u32(c);
    if (fmt > 2)
        warn(c, 163);
    u64(c);
    if (fmt)
        u64(c);
    if (fmt >= 2 && left(c) >= 72) {
        bytes(c, 64, MODEL_TEXT);
        u32(c);
        u32(c);
        rest(c);
        return;
    }
    if (!c->cut)
        bytes(c, left(c) < 64 ? left(c) : 64, MODEL_TEXT);
    rest(c);
}

static void text_with_nul(struct cursor *c, size_t size, unsigned condition)
{
    if (!need(c, size))
        return;
    if (length_to_nul(c, size) == size)
        fault(c, condition, c->pos);
    bytes(c, size, MODEL_TEXT);
}

static void header_attr(struct cursor *c, size_t start)
{
    struct model *m = c->m;

    c->condition = 140;
    if (!need(c, 8)) {
        m->has_attr_fault = true;
        return;
    }
    uint64_t own = number_at(c->base + c->pos + 4, 4, c->big), size = own ? own : 64;
    if (!m->pipe) {
        fault(c, 142, start);
        rest(c);
        return;
    }
    if (size < 64 || size % 8 || size > left(c)) {
        fault(c, 140, c->pos + 4);
        m->has_attr_fault = true;
        c->cut = true;
        return;
    }
    size_t at = c->pos;
    struct attr a = attr_fields(c, size, size);
    if (c->cut)
        return;
    judge_attr(c, &a, size, at);
    if (left(c) % 8)
        fault(c, 141, c->pos);
    a.ids = left(c) / 8;
    while (left(c) >= 8 && !m->limit) {
        at = c->pos;
        uint64_t id = u64(c);
        if (add_id(m, id, (uint32_t)m->attr_count) && id)
            fault(c, 61, at);
    }
    rest(c);
    add_attr(m, a);
}

static void header_build_id(struct cursor *c, uint16_t misc, size_t start)
{
    struct model *m = c->m;

    signed_(c, 4);
    bytes(c, 20, MODEL_BYTES);
    size_t at = c->pos;
    if (u8(c) > 20 && (misc & 0x8000))
        fault(c, 146, at);
    bytes(c, 3, MODEL_BYTES);
    if (c->cut)
        return;
    size_t n = length_to_nul(c, left(c));
    if (n == left(c)) {
        fault(c, 83, c->pos);
        c->cut = true;
        return;
    }
    bytes(c, n + 1, MODEL_TEXT);
    size_t trail = m->attr_count ? trailer_size(&m->attrs[0]) : 0;
    uint64_t padded = align8(c->pos - start);
    if (trail && (misc & 0x8000) && c->end - start == padded + trail) {
        if (padded > c->pos - start)
            bytes(c, padded - (c->pos - start), MODEL_BYTES);
        trailer(c, &m->attrs[0]);
    }
    rest(c);
}

static void header_feature(struct cursor *c, size_t start, uint16_t size)
{
    struct model *m = c->m;
    size_t at = c->pos;
    uint64_t bit = u64(c);

    if (bit == 0 || bit >> 31) {
        fault(c, 183, at);
        return;
    }
    /* The end mark of 5.10, 6.1 and 7.2 is 30, 32 or 35: its size tells it from these features. */
    if (size == 16 && (bit >= m->last_feature || bit >= 30)) {
        m->last_feature = bit < 35 ? bit : 35;
        return;
    }
    if (size == 16 && bit != 1 && bit != 2 && bit != 15 && bit != 18 && bit != 19) {
        fault(c, 1000 + (unsigned)bit, at); /* nothing to read it from */
        return;
    }
    if (bit >= m->last_feature)
        m->last_feature = bit + 1;
    if (bit == 1 || bit == 2 || bit == 18) {
        fault(c, 187, at);
        return;
    }
    (void)start;
    if (bit >= 35) {
        if (bit < 128 || bit > 132) /* of simpleperf */
            warn(c, 184);
        rest(c);
        return;
    }
    if (m->features_seen[bit])
        warn(c, 185);
    m->features_seen[bit] = true;
    feature(c, (unsigned)bit);
}

static void unknown_id(struct cursor *c, uint64_t id, size_t at, unsigned condition)
{
    if (!c->cut && !id_resolves(c->m, id))
        fault(c, condition, at);
}

/* perf 4.5 to 4.20 wrote CPU maps without padding: lists of 4 + 2 * nr bytes, masks of 6 + 4 * nr or 10 + 8 *
 * nr, and in CPU_MAP 4 bytes more. */
static bool is_old_map(const struct cursor *c, uint32_t type, size_t start, size_t size)
{
    size_t at = type == 74 ? 8 : 24, more = type == 74 ? 4 : 0;
    if ((type != 74 && type != 78) || size < at + 4 ||
        (type == 78 && number_at(c->base + start + 8, 8, c->big) != 3))
        return false;
    const unsigned char *map = c->base + start + at;
    uint64_t kind = number_at(map, 2, c->big), nr = number_at(map + 2, 2, c->big);
    if (kind == 0)
        return size == at + more + 4 + 2 * nr;
    if (kind != 1 || size < at + 6)
        return false;
    uint64_t width = number_at(map + 4, 2, c->big);
    return (width == 4 && size == at + more + 6 + 4 * nr) || (width == 8 && size == at + more + 10 + 8 * nr);
}

/* A record whole in base[pos, pos + size). Returns how many bytes behind it belong to it. */
static uint64_t record(struct cursor *c, uint32_t type, uint16_t misc, uint16_t size)
{
    struct model *m = c->m;
    size_t start = c->pos, at, end;
    const struct attr *a;
    uint64_t nr, behind = 0;
    static const unsigned short least[] = {
        0,  41, 24, 17, 32, 32, 32, 32, 24, 8,  73, 32,
        16, 16, 8,  16, 24, 25, 24, 17, 24, 16, 24, /* 22: its fields, not the 16 of 3.5 */
    };
    static const unsigned short least_user[] = {
        72, 16, 12, 36, 8, 16, 16, 48, 49, 16, 16, 16, 48, 24, 24, 32, 16, 8, 8, 16, 528, 24, 24, /* 86 */
    };

    c->cut = false;
    u32(c);
    u16(c);
    u16(c);
    if (size % 8 && type != 66 && type != 80 && type != 81 && !is_old_map(c, type, start, size) &&
        !(type == 67 && size % 8 == 4))
        fault(c, 73, start);
    if (type == 0 || (type > 22 && type < 64)) {
        fault(c, 76, start);
        rest(c);
        return 0;
    }
    if (type > 86) {
        warn(c, 77);
        rest(c);
        return 0;
    }
    if (size < (type < 64 ? least[type] : least_user[type - 64])) {
        fault(c, 74, start);
        return 0;
    }
    if (type >= 75 && type <= 77)
        m->stat_seen = true;
    c->condition = 74;
    a = NULL;
    if (type < 23 && type != 9) {
        a = attr_of_trailer(c, start, type == 8);
        if (!a) { /* nothing says what is in it */
            c->cut = false;
            if (m->part_open)
                m->parts[m->part_count - 1].faulty = true;
            rest(c);
            return 0;
        }
    }
    switch (type) {
    case 1: /* MMAP */
        if (misc & 0x4000)
            warn(c, 82);
        u32(c);
        u32(c);
        mapping(c);
        string_and_finish(c, a);
        break;
    case 2: /* LOST */
        u64(c);
        c->m->lost = u64(c);
        finish(c, a);
        break;
    case 3: /* COMM */
        u32(c);
        u32(c);
        string_and_finish(c, a);
        break;
    case 4: /* EXIT, FORK */
    case 7:
        for (int i = 0; i < 4; i++)
            u32(c);
        u64(c);
        finish(c, a);
        break;
    case 5: /* THROTTLE, UNTHROTTLE */
    case 6:
        u64(c);
        u64(c);
        u64(c);
        finish(c, a);
        break;
    case 8: /* READ */
        u32(c);
        u32(c);
        if (!a)
            break;
        if (left(c) < trailer_size(a)) {
            fault(c, 90, c->pos);
            break;
        }
        c->condition = a->read_format & READ_GROUP ? 108 : 107;
        at = narrow(c, a);
        read_values(c, a);
        if (!c->cut && left(c))
            fault(c, 107, c->pos);
        rest(c);
        c->end = at;
        trailer(c, a);
        break;
    case 9:
        sample(c, start);
        break;
    case 10:
        mmap2(c, misc, a);
        break;
    case 11: /* AUX */
        at = c->pos;
        nr = u64(c);
        if (nr + u64(c) < nr)
            fault(c, 106, at);
        u64(c);
        finish(c, a);
        break;
    case 12: /* ITRACE_START, SWITCH_CPU_WIDE */
    case 15:
        if (type == 15 && (misc & 0x6000) == 0x4000)
            warn(c, 81);
        u32(c);
        u32(c);
        finish(c, a);
        break;
    case 13: /* LOST_SAMPLES, AUX_OUTPUT_HW_ID */
    case 21:
        c->m->lost = u64(c);
        finish(c, a);
        break;
    case 14: /* SWITCH */
        if ((misc & 0x6000) == 0x4000)
            warn(c, 81);
        finish(c, a);
        break;
    case 16: /* NAMESPACES */
        c->condition = 99;
        end = narrow(c, a);
        u32(c);
        u32(c);
        nr = u64(c);
        if (fits(c, nr, 16))
            for (uint64_t i = 0; i < nr; i++) {
                u64(c);
                u64(c);
            }
        c->end = end;
        finish(c, a);
        break;
    case 17: /* KSYMBOL */
        u64(c);
        u32(c);
        if (u16(c) > 2)
            warn(c, 101);
        if (u16(c) > 1)
            warn(c, 101);
        string_and_finish(c, a);
        break;
    case 18: /* BPF_EVENT */
        if (u16(c) > 2)
            warn(c, 102);
        u16(c);
        u32(c);
        bytes(c, 8, MODEL_BYTES);
        finish(c, a);
        break;
    case 19: /* CGROUP */
        u64(c);
        string_and_finish(c, a);
        break;
    case 20: /* TEXT_POKE */
        c->condition = 103;
        end = narrow(c, a);
        u64(c);
        nr = u16(c);
        at = u16(c);
        bytes(c, nr, MODEL_BYTES);
        bytes(c, at, MODEL_BYTES);
        nr = align8(4 + nr + at) - (4 + nr + at);
        if (nr)
            bytes(c, nr, MODEL_BYTES);
        if (!c->cut && is_any_set(c->base + c->pos - nr, (size_t)nr))
            warn(c, 104);
        c->end = end;
        finish(c, a);
        break;
    case 22: /* CALLCHAIN_DEFERRED */
        if (!m->defer_output)
            warn(c, 51);
        c->condition = 109;
        end = narrow(c, a);
        u64(c);
        many_u64(c, u64(c));
        c->end = end;
        finish(c, a);
        break;
    case 64:
        header_attr(c, start);
        break;
    case 65: /* HEADER_EVENT_TYPE: the name may lack a NUL */
        if (left(c) >= 8)
            u64(c);
        rest(c);
        break;
    case 66:
        if (m->trace_seen)
            warn(c, 145);
        m->trace_seen = true;
        at = c->pos;
        behind = u32(c);
        if (behind != 0 || c->cut)
            m->has_tracing_data = m->tracing_data_bad = true; /* until it has been read */
        if (left(c))                                          /* padding, or not */
            u32(c);
        rest(c);
        if (c->cut)
            behind = 0;
        if (c->wrapper < 0 && behind % 8)
            fault(c, 144, at);
        break;
    case 67:
        header_build_id(c, misc, start);
        break;
    case 68: /* FINISHED_ROUND, FINISHED_INIT */
    case 82:
        if (left(c))
            warn(c, 148);
        if (type == 82 && m->init_seen)
            warn(c, 149);
        m->init_seen = m->init_seen || type == 82;
        rest(c);
        break;
    case 69: /* ID_INDEX */
        c->condition = 150;
        nr = u64(c);
        if (nr != 0 && !attr_there(c, start)) /* no id, no event of it */
            c->cut = true;
        if (!fits(c, nr, 32))
            break;
        for (uint64_t i = 0; i < nr && !m->limit; i++) {
            at = c->pos;
            unknown_id(c, u64(c), at, 151);
            u64(c);
            signed_(c, 8);
            signed_(c, 8);
        }
        if (left(c) / 16 >= nr)
            for (uint64_t i = 0; i < nr && !m->limit; i++) {
                u64(c);
                u64(c);
            }
        rest(c);
        break;
    case 70:
        m->has_auxtrace_info = true;
        auxtrace_info(c);
        break;
    case 71:
        behind = auxtrace(c, start);
        break;
    case 72:
        auxtrace_error(c);
        break;
    case 73: /* THREAD_MAP */
        c->condition = 166;
        nr = u64(c);
        if (fits(c, nr, 24))
            for (uint64_t i = 0; i < nr; i++) {
                signed_(c, 8);
                bytes(c, 16, MODEL_TEXT);
            }
        rest(c);
        break;
    case 74:
        c->condition = 168;
        cpu_map(c);
        break;
    case 75: /* STAT_CONFIG */
        c->condition = 173;
        nr = u64(c);
        if (fits(c, nr, 16))
            for (uint64_t i = 0; i < nr; i++) {
                uint64_t tag = u64(c);
                if (tag > 3 || nr > 4)
                    warn(c, 174);
                for (uint64_t k = 1; k <= i && nr <= 4; k++)
                    if (number_at(c->base + c->pos - 8 - 16 * k, 8, c->big) == tag)
                        warn(c, 174);
                u64(c);
            }
        rest(c);
        break;
    case 76: /* STAT */
        at = c->pos;
        nr = u64(c);
        if (attr_there(c, start))
            unknown_id(c, nr, at, 175);
        u32(c);
        u32(c);
        u64(c);
        u64(c);
        u64(c);
        rest(c);
        break;
    case 77: /* STAT_ROUND */
        if (u64(c) > 1)
            warn(c, 176);
        u64(c);
        rest(c);
        break;
    case 78: /* EVENT_UPDATE */
        c->condition = 178;
        nr = u64(c);
        at = c->pos;
        {
            uint64_t id = u64(c);
            if (m->attr_count > 1 && id) /* in front of the first attr every perf passes over it */
                unknown_id(c, id, at, 179);
        }
        if (nr == 0 || nr == 2) {
            text_with_nul(c, left(c), 178);
        } else if (nr == 1) {
            if ((u64(c) >> 52 & 0x7ff) == 0x7ff)
                warn(c, 180);
            rest(c);
        } else if (nr == 3) {
            cpu_map(c);
        } else {
            warn(c, 177);
            rest(c);
        }
        break;
    case 79: /* TIME_CONV */
        if (size != 32 && size != 56)
            warn(c, 181);
        u64(c);
        u64(c);
        u64(c);
        if (left(c) >= 8)
            u64(c);
        if (left(c) >= 8)
            u64(c);
        if (left(c) >= 8) {
            u8(c);
            u8(c);
            bytes(c, 6, MODEL_BYTES);
        }
        rest(c);
        break;
    case 80:
        header_feature(c, start, size);
        break;
    case 81:
        rest(c);
        break;
    case 83:
        at = c->pos;
        nr = u64(c);
        if (nr > left(c)) {
            fault(c, 199, at);
            break;
        }
        bytes(c, nr, MODEL_BYTES);
        rest(c);
        break;
    case 84: /* BPF_METADATA */
        text_with_nul(c, 512, 188);
        c->condition = 189;
        nr = u64(c);
        if (fits(c, nr, 320))
            for (uint64_t i = 0; i < nr; i++) {
                text_with_nul(c, 64, 188);
                text_with_nul(c, 256, 188);
            }
        rest(c);
        break;
    case 85: /* SCHEDSTAT_CPU */
    case 86: /* SCHEDSTAT_DOMAIN */
        c->condition = 190;
        u64(c);
        u32(c);
        at = c->pos;
        nr = u16(c);
        u16(c);
        if (nr < 15 || nr > 17) {
            fault(c, 190, at);
            rest(c);
            break;
        }
        if (type == 85) {
            for (int i = 0; i < 6; i++)
                u32(c);
            for (int i = 0; i < 3; i++)
                u64(c);
        } else {
            for (int i = 0; i < (nr == 17 ? 45 : 36); i++)
                u32(c);
        }
        rest(c);
        break;
    default:
        rest(c);
        break;
    }
    return behind;
}

/* ---- streams ---- */

static struct cursor cursor_of(struct model *m, uint32_t member, size_t pos, size_t end)
{
    return (struct cursor){ .m = m,
                            .base = m->members[member].bytes,
                            .pos = pos,
                            .end = end,
                            .member = member,
                            .source = 2 * member,
                            .wrapper = -1,
                            .big = m->big };
}

static uint64_t sum_or_most(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* A sample that has no time has 0 or all ones there (row 133). */
static void add_to_sums(struct model *m, uint32_t type)
{
    struct model_sums *s = &m->sums;

    if (type == 2)
        s->lost_events = sum_or_most(s->lost_events, m->lost);
    if (type == 13)
        s->lost_samples = sum_or_most(s->lost_samples, m->lost);
    if (type != 9 || m->time == 0 || m->time == UINT64_MAX)
        return;
    if (s->first_time == 0 || m->time < s->first_time)
        s->first_time = m->time;
    if (m->time > s->last_time)
        s->last_time = m->time;
}

/* One record in a part of its own. */
static uint64_t whole_record(struct cursor *c, uint32_t type, uint16_t misc, uint16_t size)
{
    struct model *m = c->m;

    open_part(m, (struct model_part){ .kind = MODEL_RECORD,
                                      .misc = misc,
                                      .type = type,
                                      .member = c->member,
                                      .wrapper = c->wrapper,
                                      .number = m->records++,
                                      .offset = c->pos - c->origin,
                                      .size = size });
    m->time = m->lost = 0;
    uint64_t behind = record(c, type, misc, size);
    if (m->part_open && !m->parts[m->part_count - 1].faulty)
        add_to_sums(m, type);
    close_part(m);
    return behind;
}

/* The records that are complete in the content that has come out so far. */
static void walk_content(struct model *m, uint32_t member)
{
    struct member *mb = &m->members[member];

    while (!mb->content_broken && !m->limit && mb->content_len - mb->walked >= 8) {
        const unsigned char *p = mb->content + mb->walked;
        uint32_t type = (uint32_t)number_at(p, 4, m->big);
        uint16_t misc = (uint16_t)number_at(p + 4, 2, m->big), size = (uint16_t)number_at(p + 6, 2, m->big);
        while (mb->mark_now + 1 < mb->mark_count && mb->marks[mb->mark_now + 1].start <= mb->walked)
            mb->mark_now++;
        const struct mark *mark = &mb->marks[mb->mark_now];
        struct cursor c = { .m = m,
                            .base = mb->content,
                            .pos = mb->walked,
                            .end = mb->walked + size,
                            .origin = mark->start,
                            .member = member,
                            .source = 2 * member + 1,
                            .wrapper = (int64_t)mark->number,
                            .big = m->big };
        if (size < 8) {
            fault(&c, 69, c.pos);
            mb->content_broken = true;
            return;
        }
        if (size > mb->content_len - mb->walked)
            return;
        if (type == 81 || type == 83)
            fault(&c, 205, c.pos);
        if (type == 66 || type == 71)
            fault(&c, 207, c.pos);
        whole_record(&c, type, misc, size);
        mb->walked += size;
    }
}

static void decompress(struct model *m, uint32_t member, uint64_t number, size_t record_pos, size_t pos,
                       size_t size)
{
    struct member *mb = &m->members[member];
    struct cursor c = cursor_of(m, member, pos, pos + size);
    ZSTD_inBuffer in = { mb->bytes + pos, size, 0 };
    size_t before = mb->content_len, n = 1;

    m->compressed_seen = true;
    m->packed[mb->bytes[record_pos + (m->big ? 3 : 0)] == 83] = true;
    if (m->packed[0] && m->packed[1])
        warn(&c, 206);
    if (!m->said_compressed && !m->unfinished) {
        if (!m->has_compressed || m->compressed_mmap_len == 0)
            fault(&c, 192, record_pos);
        m->said_compressed = true;
    }
    if (size == 0) {
        fault(&c, mb->bytes[record_pos + (m->big ? 3 : 0)] == 81 ? 198 : 201, record_pos);
        return;
    }
    if (mb->zstd_broken || m->limit)
        return;
    if (!mb->zstd) {
        mb->zstd = ZSTD_createDStream();
        if (!mb->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(mb->zstd, ZSTD_d_windowLogMax, 27))) {
            m->limit = true;
            return;
        }
    }
    if (!grow(m, (void **)&mb->marks, &mb->mark_cap, mb->mark_count, sizeof *mb->marks))
        return;
    mb->marks[mb->mark_count++] = (struct mark){ before, number };
    bool ended = false;
    while (in.pos < in.size || n) {
        if (mb->content_len == mb->content_cap) {
            size_t cap = mb->content_cap ? 2 * mb->content_cap : 4096;
            unsigned char *p = cap <= CONTENT_LIMIT ? realloc(mb->content, cap) : NULL;
            if (!p) {
                m->limit = true;
                return;
            }
            mb->content = p;
            mb->content_cap = cap;
        }
        ZSTD_outBuffer out = { mb->content + mb->content_len, mb->content_cap - mb->content_len, 0 };
        bool again = ended && in.pos < in.size; /* without input, only what is left of the first comes out */
        size_t r = ZSTD_decompressStream(mb->zstd, &out, &in);
        if (ZSTD_isError(r)) {
            if (ZSTD_getErrorCode(r) == ZSTD_error_frameParameter_windowTooLarge ||
                ZSTD_getErrorCode(r) == ZSTD_error_memory_allocation)
                m->limit = true;
            mb->zstd_broken = true;
            fault(&c, 202, pos);
            break;
        }
        /* Up to 6.12, perf puts what comes out of a second frame of a record behind the end of the first. */
        if (again && mb->content_len > before)
            fault(&c, 208, record_pos);
        mb->content_len += out.pos;
        ended = r == 0;
        if (in.pos == in.size && out.pos < out.size)
            break;
    }
    if (m->has_compressed && m->compressed_mmap_len > 0 &&
        mb->content_len - before > m->compressed_mmap_len) {
        fault(&c, 203, record_pos);
        mb->content_broken = true;
    }
    if (mb->content_len == before && !mb->zstd_broken)
        fault(&c, 198, record_pos);
    walk_content(m, member);
}

/* The payload of HEADER_TRACING_DATA: trace data, then zeros up to the size. */
static void payload(struct model *m, uint32_t member, uint32_t type, uint64_t number, size_t record_pos,
                    size_t pos, size_t size)
{
    struct cursor c = cursor_of(m, member, pos, pos + size);

    open_part(m, (struct model_part){ .kind = MODEL_PAYLOAD,
                                      .type = type,
                                      .member = member,
                                      .wrapper = -1,
                                      .number = number,
                                      .offset = pos,
                                      .size = size });
    if (type == 66) {
        m->has_tracing_data = true;
        tracing_data(&c);
        m->tracing_data_bad = c.cut;
        if (!c.cut && left(&c) >= 8)
            fault(&c, 143, record_pos + 8);
    }
    rest(&c);
    close_part(m);
}

static void walk(struct model *m, uint32_t member, size_t pos, size_t end)
{
    struct member *mb = &m->members[member];

    while (pos < end && !m->limit) {
        struct cursor c = cursor_of(m, member, pos, end);
        if (end - pos < 8) {
            if (!m->unfinished)
                fault(&c, m->pipe ? 271 : 72, pos);
            break;
        }
        const unsigned char *p = mb->bytes + pos;
        uint32_t type = (uint32_t)number_at(p, 4, m->big);
        uint16_t misc = (uint16_t)number_at(p + 4, 2, m->big), size = (uint16_t)number_at(p + 6, 2, m->big);
        if (size < 8) {
            fault(&c, size ? 69 : 70, pos);
            break;
        }
        if (size > end - pos) {
            if (!m->unfinished)
                fault(&c, m->pipe ? 271 : 71, pos);
            break;
        }
        c.end = pos + size;
        uint64_t number = m->records, behind = whole_record(&c, type, misc, size);
        size_t start = pos;
        pos += size;
        if (type == 81) {
            decompress(m, member, number, start, start + 8, size - 8);
        } else if (type == 83 && size >= 16) {
            uint64_t data = number_at(p + 8, 8, m->big);
            if (data <= (uint64_t)size - 16)
                decompress(m, member, number, start, start + 16, (size_t)data);
        }
        if (behind > end - pos) {
            c.pos = start;
            if (!m->unfinished && !(behind >> 63))
                fault(&c, m->pipe ? 272 : 158, start + 8);
            break;
        }
        if (behind) {
            payload(m, member, type, number, start, pos, (size_t)behind);
            pos += (size_t)behind;
        }
    }
}

/* ---- file mode ---- */

static void add_section(struct model *m, uint64_t start, uint64_t size, int kind)
{
    if (size && grow(m, (void **)&m->sections, &m->section_cap, m->section_count, sizeof *m->sections))
        m->sections[m->section_count++] = (struct section){ start, start + size, kind };
}

static int by_start(const void *a, const void *b)
{
    const struct section *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->kind - y->kind;
}

/* The row that two sections on the same bytes break; 0: that is no error. */
static unsigned row_of_overlap(int a, int b)
{
    if (a > b)
        return row_of_overlap(b, a);
    if (b == SECTION_FEATURE)
        return a == SECTION_FEATURE || a == SECTION_TABLE || a == SECTION_HEADER ? 0 : 211;
    if (b == SECTION_TYPES || a == SECTION_TYPES)
        return 32;
    /* Rows 16, 17 and 19 were told before. */
    bool told = b != SECTION_IDS && (a == SECTION_HEADER || a == SECTION_ATTRS) && b <= SECTION_DATA;
    return told || (a == SECTION_IDS && b == SECTION_IDS) ? 0 : 18;
}

static void judge_sections(struct model *m)
{
    if (m->section_count == 0)
        return;
    qsort(m->sections, m->section_count, sizeof *m->sections, by_start);
    struct section last = m->sections[0];
    for (size_t i = 1; i < m->section_count; i++) {
        struct section s = m->sections[i];
        unsigned row = row_of_overlap(s.kind, last.kind);
        if (s.start < last.end && row)
            fault_at(m, row, 0, -1, s.start);
        if (s.end > last.end)
            last = s;
    }
}

static bool inside(uint64_t offset, uint64_t size, uint64_t len)
{
    return offset <= len && size <= len - offset;
}

static unsigned count_bits(const unsigned char *features)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 32; i++)
        n += ones(features[i]);
    return n;
}

/* Whether the table that these bits need lies in the file, and what it names. */
static bool table_is_sound(const struct model *m, const unsigned char *features, uint64_t table)
{
    const struct member *mb = &m->members[0];
    unsigned n = count_bits(features);

    if (!inside(table, 16 * (uint64_t)n, mb->len))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!inside(number_at(mb->bytes + table + 16 * i, 8, m->big),
                    number_at(mb->bytes + table + 16 * i + 8, 8, m->big), mb->len))
            return false;
    return true;
}

/* Bit n of the capture becomes bit n % 8 of byte n / 8, whatever the unit of the writer. */
static void read_bitmap(struct model *m, const unsigned char *p, uint64_t table)
{
    unsigned char by_unit[2][32] = { { 0 }, { 0 } };

    if (!m->big) {
        memcpy(m->features, p, 32);
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        by_unit[0][i] = p[i / 8 * 8 + 7 - i % 8];
        by_unit[1][i] = p[i / 4 * 4 + 3 - i % 4];
    }
    int unit = 0;
    bool host0 = by_unit[0][0] >> 3 & 1, host1 = by_unit[1][0] >> 3 & 1;
    if (!host0 && (host1 || (!table_is_sound(m, by_unit[0], table) && table_is_sound(m, by_unit[1], table))))
        unit = 1;
    memcpy(m->features, by_unit[unit], 32);
}

static void file_attrs(struct model *m, uint64_t offset, uint64_t size, uint64_t entry, uint64_t count)
{
    struct member *mb = &m->members[0];

    (void)size;
    for (uint64_t i = 0; i < count && !m->limit; i++) {
        struct cursor c = cursor_of(m, 0, (size_t)(offset + i * entry), (size_t)(offset + (i + 1) * entry));
        size_t at = c.pos;
        uint64_t own = number_at(c.base + at + 4, 4, m->big), used = own ? own : 64;
        open_part(m,
                  (struct model_part){
                      .kind = MODEL_ATTR, .type = (uint32_t)i, .wrapper = -1, .offset = at, .size = entry });
        if (used < 64)
            fault(&c, 34, at + 4);
        else if (used % 8)
            fault(&c, 37, at + 4);
        struct attr a = attr_fields(&c, used < 64 ? 64 : used, entry - 16);
        /* A shorter one does no harm where nothing depends on ids. */
        bool harmless = used + 16 < entry && count == 1 && !has_bit(m, 19) && !(a.sample_type & SAMPLE_READ);
        if (used + 16 != entry && !harmless)
            fault(&c, 36, at + 4);
        judge_attr(&c, &a, used > entry - 16 ? entry - 16 : used, at);
        size_t ids_at = c.pos;
        uint64_t ids = u64(&c), ids_size = u64(&c);
        if (ids_size % 8)
            fault(&c, 57, ids_at + 8);
        if (!inside(ids, ids_size, mb->len)) {
            fault(&c, 58, ids_at);
        } else if (ids_size / 8 > 1u << 24) {
            fault(&c, 59, ids_at + 8);
        } else {
            add_section(m, ids, ids_size, SECTION_IDS);
            a.ids = (size_t)ids_size / 8;
            c.pos = (size_t)ids;
            c.end = (size_t)(ids + ids_size / 8 * 8);
            while (left(&c) && !m->limit) {
                size_t place = c.pos;
                uint64_t id = u64(&c);
                if (add_id(m, id, (uint32_t)i) && id)
                    fault(&c, 61, place);
            }
        }
        close_part(m);
        add_attr(m, a);
    }
}

static void file_features(struct model *m, uint64_t table)
{
    struct member *mb = &m->members[0];
    unsigned n = count_bits(m->features);

    if (!inside(table, 16 * (uint64_t)n, mb->len)) {
        if (table <= mb->len) /* else row 21 was told */
            fault_at(m, 209, 0, -1, table);
        m->has_tracing_data = m->tracing_data_bad = has_bit(m, 1);
        m->said_compressed = has_bit(m, 27);
        return;
    }
    add_section(m, table, 16 * (uint64_t)n, SECTION_TABLE);
    for (unsigned bit = 0, k = 0; bit < 256 && !m->limit; bit++) {
        if (!has_bit(m, bit))
            continue;
        struct cursor c = cursor_of(m, 0, (size_t)table + 16 * k, (size_t)table + 16 * k + 16);
        k++;
        if (bit == 1)
            m->has_tracing_data = m->tracing_data_bad = true; /* until it has been read */
        uint64_t offset = number_at(c.base + c.pos, 8, m->big),
                 size = number_at(c.base + c.pos + 8, 8, m->big);
        open_part(m, (struct model_part){
                         .kind = MODEL_FEATURE, .type = bit, .wrapper = -1, .offset = offset, .size = size });
        u64(&c);
        u64(&c);
        if (!inside(offset, size, mb->len)) {
            fault(&c, 210, c.pos - 16);
            m->said_compressed = m->said_compressed || bit == 27;
        } else {
            add_section(m, offset, size, SECTION_FEATURE);
            c.pos = (size_t)offset;
            c.end = (size_t)(offset + size);
            if (bit < 35 && bit > 0) {
                m->features_seen[bit] = true;
                feature(&c, bit);
            } else {
                rest(&c);
            }
            if (bit == 0)
                warn(&c, 214);
        }
        close_part(m);
    }
}

static void judge_auxtrace_index(struct model *m)
{
    for (size_t i = 0; i + 1 < m->auxtrace_index_count && !m->damaged; i += 2) {
        uint64_t offset = m->auxtrace_index[i];
        size_t lo = 0, hi = m->auxtrace_count;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (m->auxtraces[mid] < offset)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo == m->auxtrace_count || m->auxtraces[lo] != offset || m->auxtrace_index[i + 1] != 48)
            fault_at(m, 237, 0, -1, m->auxtrace_index_at + 8 + 8 * i);
    }
}

/* What can be said only when all has been read. */
static void judge_end(struct model *m)
{
    if (m->limit)
        return;
    const struct model_fault *row = &m->early_cpu_row;
    if (m->available && m->early_cpu >= m->available)
        fault_at(m, row->condition, row->member, row->wrapper, row->offset);
    if (!m->has_attr_fault)
        judge_attrs(m, 0);
    judge_groups(m, 0, m->groups_at);
    judge_auxtrace_index(m);
    if (m->has_compressed && (m->compressed_bad || (m->compressed_zeros && m->compressed_seen)))
        fault_at(m, 194, 0, -1, m->compressed_at + 16);
    if (m->has_compressed && m->compressed_seen && m->compressed_type != 1)
        fault_at(m, 195, 0, -1, m->compressed_at + 4);
}

static void read_file(struct model *m, uint64_t header_size)
{
    struct member *mb = &m->members[0];
    struct cursor c = cursor_of(m, 0, 0, (size_t)header_size);

    if (mb->len < header_size) {
        fault_at(m, 7, 0, -1, mb->len);
        return;
    }
    if (header_size == 72 && m->version == 2)
        warn(&c, 8);
    open_part(m, (struct model_part){ .kind = MODEL_HEADER, .wrapper = -1, .size = header_size });
    bytes(&c, 8, MODEL_TEXT);
    u64(&c);
    uint64_t entry = u64(&c), attrs = u64(&c), attrs_size = u64(&c), data = u64(&c), data_size = u64(&c);
    uint64_t types = u64(&c), types_size = u64(&c), count = 0;
    size_t bitmap = c.pos;
    if (header_size == 104)
        bytes(&c, 32, MODEL_BYTES);
    add_section(m, 0, header_size, SECTION_HEADER);

    if (entry == 0)
        fault(&c, 9, 16);
    else if (entry < 80 || entry % 8 || entry > 4096 + 16) /* an attr is at most a page (2.4) */
        fault(&c, 10, 16);
    if (attrs < header_size)
        fault(&c, 16, 24);
    if (!inside(attrs, attrs_size, mb->len))
        fault(&c, 15, 24);
    else
        add_section(m, attrs, attrs_size, SECTION_ATTRS);
    if (entry && attrs_size % entry)
        fault(&c, 12, 32);
    if (entry && attrs_size / entry > 65536)
        fault(&c, 13, 32);
    if (entry >= 80 && inside(attrs, attrs_size, mb->len) && attrs_size / entry <= 65536)
        count = attrs_size / entry;
    m->has_attr_fault = m->rejected;

    if (data < header_size)
        fault(&c, 19, 40);
    if (data % 8)
        warn(&c, 24);
    if (data_size == 0 && data == mb->len)
        warn(&c, 23);
    bool ranged = true;
    if (data + data_size < data) {
        fault(&c, 20, 40);
        ranged = false;
    } else if (!inside(data, data_size, mb->len)) {
        fault(&c, 21, 40);
    } else if (data_size == 0 && mb->len > data) {
        fault(&c, 22, 48);
        m->unfinished = true;
    } else {
        add_section(m, data, data_size, SECTION_DATA);
        if (attrs_size && data_size && inside(attrs, attrs_size, mb->len) && attrs < data + data_size &&
            data < attrs + attrs_size)
            fault(&c, 17, 24);
    }
    if (m->version == 1 && (!inside(types, types_size, mb->len) || types_size % 72))
        fault(&c, 28, 56);
    if (inside(types, types_size, mb->len)) {
        struct cursor e = cursor_of(m, 0, (size_t)types, (size_t)(types + types_size));
        add_section(m, types, types_size, SECTION_TYPES);
        while (left(&e) >= 72 && !m->limit) {
            u64(&e);
            bytes(&e, 64, MODEL_TEXT);
        }
    }
    close_part(m);

    if (header_size == 104)
        read_bitmap(m, mb->bytes + bitmap, data + data_size);
    file_attrs(m, attrs, attrs_size, entry, count);
    if (!m->unfinished && ranged && data_size)
        file_features(m, data + data_size);
    else if (ranged && !data_size)
        m->has_tracing_data = m->tracing_data_bad = has_bit(m, 1); /* planned (1.7) */
    judge_sections(m);
    if (ranged && data <= mb->len) {
        uint64_t end = m->unfinished || !inside(data, data_size, mb->len) ? mb->len : data + data_size;
        bool rejected = m->unfinished;
        m->unfinished = m->unfinished || end != data + data_size;
        walk(m, 0, (size_t)data, (size_t)end);
        m->unfinished = rejected;
    }
}

/* ---- the whole ---- */

static void read_data(struct model *m)
{
    const struct member *mb = &m->members[0];
    const unsigned char *p = mb->bytes;

    if (mb->len < 16) {
        fault_at(m, mb->len ? 2 : 1, 0, -1, 0);
        return;
    }
    if (memcmp(p, "PERFILE2", 8) == 0) {
        m->version = 2;
    } else if (memcmp(p, "2ELIFREP", 8) == 0) {
        m->version = 2;
        m->big = true;
    } else if (memcmp(p, "PERFFILE", 8) == 0) {
        m->version = 1;
    } else {
        fault_at(m, 3, 0, -1, 0);
        return;
    }
    if (m->version == 1) {
        if (number_at(p + 8, 8, true) == 16) {
            m->big = true;
        } else if (number_at(p + 8, 8, false) != 16) {
            if (mb->len < 24) {
                fault_at(m, 7, 0, -1, mb->len);
                return;
            }
            bool known[2];
            for (int big = 0; big < 2; big++) {
                uint64_t v = number_at(p + 16, 8, big);
                known[big] = v == 80 || v == 88 || v == 96 || v == 112 || v == 120;
            }
            if (!known[0] && !known[1]) {
                fault_at(m, 5, 0, -1, 16);
                return;
            }
            m->big = !known[0];
        }
    }
    uint64_t size = number_at(p + 8, 8, m->big);
    if (size == 16) {
        m->pipe = !m->directory;
        if (m->directory) {
            fault_at(m, 276, 0, -1, 8);
            return;
        }
        struct cursor c = cursor_of(m, 0, 0, 16);
        open_part(m, (struct model_part){ .kind = MODEL_HEADER, .type = 1, .wrapper = -1, .size = 16 });
        bytes(&c, 8, MODEL_TEXT);
        u64(&c);
        close_part(m);
        walk(m, 0, 16, mb->len);
    } else if (size == 72 || size == 104) {
        read_file(m, size);
    } else {
        fault_at(m, 6, 0, -1, 8);
    }
}

static struct model *read_all(const struct model_member *members, size_t count, bool directory)
{
    struct model *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->old_mmap2 = -1;
    m->directory = directory;
    m->members = calloc(count ? count : 1, sizeof *m->members);
    if (!m->members) {
        free(m);
        return NULL;
    }
    m->member_count = count;
    for (size_t i = 0; i < count; i++) {
        m->members[i].name = members[i].name;
        m->members[i].bytes = members[i].bytes;
        m->members[i].len = members[i].len;
    }
    if (count)
        read_data(m);
    bool streams = (m->has_dir_format && m->dir_version == 1) || (m->unfinished && has_bit(m, 24));
    if (m->has_dir_format && m->dir_version == 1 && m->directory && count == 1)
        fault_at(m, 277, 0, -1, 0);
    for (size_t i = 1; i < count && streams && !m->limit; i++) {
        m->records = 0;
        const struct member *mb = &m->members[i];
        if (mb->len >= 8 && (memcmp(mb->bytes, "PERFILE2", 8) == 0 || memcmp(mb->bytes, "2ELIFREP", 8) == 0 ||
                             memcmp(mb->bytes, "PERFFILE", 8) == 0))
            fault_at(m, 280, (uint32_t)i, -1, 0);
        else
            walk(m, (uint32_t)i, 0, mb->len);
    }
    judge_end(m);
    return m;
}

struct model *model_read(const unsigned char *bytes, size_t len)
{
    struct model_member member = { "data", bytes, len };

    return read_all(&member, 1, false);
}

struct model *model_read_members(const struct model_member *members, size_t count)
{
    return read_all(members, count, true);
}

void model_free(struct model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->member_count; i++) {
        free(m->members[i].content);
        free(m->members[i].marks);
        ZSTD_freeDStream(m->members[i].zstd);
    }
    free(m->members);
    free(m->faults);
    free(m->parts);
    free(m->leaves);
    free(m->attrs);
    free(m->ids);
    free(m->tracepoints);
    free(m->sections);
    free(m->auxtraces);
    free(m->auxtrace_index);
    free(m->groups);
    free(m);
}

enum model_verdict model_verdict(const struct model *m)
{
    return m->limit ? MODEL_LIMIT : m->rejected ? MODEL_REJECT : MODEL_ACCEPT;
}

bool model_is_pipe(const struct model *m)
{
    return m->pipe;
}

bool model_is_big(const struct model *m)
{
    return m->big;
}

struct model_sums model_sums(const struct model *m)
{
    return m->sums;
}

size_t model_fault_count(const struct model *m)
{
    return m->fault_count;
}

const struct model_fault *model_fault(const struct model *m, size_t i)
{
    return &m->faults[i];
}

bool model_warns(const struct model *m, unsigned condition)
{
    return m->warned[condition];
}

size_t model_part_count(const struct model *m)
{
    return m->part_count;
}

const struct model_part *model_part(const struct model *m, size_t i)
{
    return &m->parts[i];
}

size_t model_leaf_count(const struct model *m)
{
    return m->leaf_count;
}

const struct model_leaf *model_leaf(const struct model *m, size_t i)
{
    return &m->leaves[i];
}

const unsigned char *model_leaf_bytes(const struct model *m, const struct model_leaf *leaf, size_t *len)
{
    const struct member *mb = &m->members[leaf->source / 2];

    *len = (size_t)leaf->size - (leaf->kind == MODEL_HSTR ? 4 : 0);
    return (leaf->source % 2 ? mb->content : mb->bytes) + leaf->value;
}

const char *model_member_name(const struct model *m, uint32_t member)
{
    return m->members[member].name;
}

/* ---- the line form ---- */

static void print_place(const struct model *m, FILE *out, uint32_t member, int64_t wrapper)
{
    fprintf(out, "%s", m->members[member].name);
    if (wrapper >= 0)
        fprintf(out, "/records[%lld]", (long long)wrapper);
}

void model_print(const struct model *m, FILE *out)
{
    static const char *const verdicts[] = { "accept", "reject", "limit" };
    static const char *const kinds[] = { "header", "attr", "feature", "record", "payload" };
    static const char leaf_kinds[] = "uibxth";

    fprintf(out, "verdict %s", verdicts[model_verdict(m)]);
    if (m->fault_count)
        fprintf(out, " %u %llu", m->faults[0].condition, (unsigned long long)m->faults[0].offset);
    fprintf(out, "\nsums %llu %llu %llu %llu\n", (unsigned long long)m->sums.first_time,
            (unsigned long long)m->sums.last_time, (unsigned long long)m->sums.lost_events,
            (unsigned long long)m->sums.lost_samples);
    for (size_t i = 0; i < m->fault_count; i++) {
        const struct model_fault *f = &m->faults[i];
        fprintf(out, "fault %u ", f->condition);
        print_place(m, out, f->member, f->wrapper);
        fprintf(out, " %llu\n", (unsigned long long)f->offset);
    }
    for (unsigned i = 0; i < CONDITIONS; i++)
        if (m->warned[i])
            fprintf(out, "warning %u\n", i);
    for (size_t i = 0; i < m->part_count; i++) {
        const struct model_part *part = &m->parts[i];
        fprintf(out, "%s ", kinds[part->kind]);
        print_place(m, out, part->member, part->wrapper);
        fprintf(out, " %llu %lu %u %llu %llu %s\n", (unsigned long long)part->offset,
                (unsigned long)part->type, part->misc, (unsigned long long)part->size,
                (unsigned long long)part->number, part->faulty ? "faulty" : "sound");
        for (size_t k = part->first_leaf; k < part->first_leaf + part->leaves; k++) {
            const struct model_leaf *leaf = &m->leaves[k];
            fprintf(out, " %c %llu %llu ", leaf_kinds[leaf->kind], (unsigned long long)leaf->offset,
                    (unsigned long long)leaf->size);
            if (leaf->kind < MODEL_BYTES) {
                fprintf(out, "%llu\n", (unsigned long long)leaf->value);
                continue;
            }
            size_t len;
            const unsigned char *p = model_leaf_bytes(m, leaf, &len);
            for (size_t n = 0; n < len; n++)
                fprintf(out, "%02x", p[n]);
            fprintf(out, "\n");
        }
    }
}
