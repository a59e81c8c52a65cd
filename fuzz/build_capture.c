/* SPDX-License-Identifier: MIT */
#include "build_capture.h"

#include "check/check.h"
#include "generate/generate.h"

#include <stdlib.h>
#include <string.h>

/* What is left of the plan. */
struct source {
    struct pc_span in;
    size_t at;
};

/* The integers of a plan have a fixed byte order, not that of the host. */
static uint64_t draw(struct source *s, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t byte = s->at < s->in.len ? s->in.ptr[s->at] : 0;
        s->at++;
        value |= byte << 8 * i;
    }
    return value;
}

static bool is_over(const struct source *s)
{
    return s->at >= s->in.len;
}

/* WEIGHT and WEIGHT_STRUCT are two forms of one value. A bit of sample_type whose parameter is after the end
 * of the attr cannot be set. */
static uint64_t sample_type(uint64_t bits, uint32_t attr_size)
{
    static const struct {
        uint64_t bit;
        unsigned parameter;
    } needs[] = {
        { PC_S_BRANCH_STACK, PC_ATTR_BRANCH_TYPE },
        { PC_S_REGS_USER, PC_ATTR_REGS_USER },
        { PC_S_STACK_USER, PC_ATTR_STACK_USER },
        { PC_S_REGS_INTR, PC_ATTR_REGS_INTR },
    };
    for (size_t i = 0; i < PC_COUNT_OF(needs); i++)
        bits &= pc_row_at(pc_attr_fields, needs[i].parameter) < attr_size ? UINT64_MAX : ~needs[i].bit;
    return bits & PC_S_WEIGHT_STRUCT ? bits & ~PC_S_WEIGHT : bits;
}

/* An attr is 8 bytes of the plan: 25 bits of sample_type, 5 of read_format, 20 of branch_sample_type, 1 for a
 * tracepoint. The rest chooses its other members. */
static void plan_attr(struct source *s, struct generate_attr *attr, uint32_t attr_size)
{
    uint64_t bits = draw(s, 8);
    attr->sample_type = sample_type(bits & (PC_FLAG(PC_S_BITS) - 1), attr_size);
    bits >>= PC_S_BITS;
    attr->read_format = bits & (PC_FLAG(PC_READ_BITS) - 1);
    bits >>= PC_READ_BITS;
    attr->branch = bits & (PC_FLAG(PC_BRANCH_BITS) - 1);
    bits >>= PC_BRANCH_BITS;
    attr->tracepoint = bits & 1;
    attr->seed = bits >> 1;
}

/* The n-th type of the tables, counted in a circle, without those of a container, which are made with it. */
static uint32_t type_of(unsigned n)
{
    uint32_t known[PC_TYPES], nr = 0;
    for (uint32_t type = 0; type < PC_TYPES; type++) {
        if (pc_record_info(type) && (!gen_is_header(type) || type == PC_HEADER_EVENT_TYPE))
            known[nr++] = type;
    }
    return known[n % nr];
}

/* The n-th size of attrs in released perfs, counted in a circle, from the largest. */
static uint32_t attr_size_of(unsigned n)
{
    uint32_t known[PC_ATTR_SIZE_KNOWN / 8], nr = 0;
    for (uint32_t size = PC_ATTR_SIZE_KNOWN; size >= PC_ATTR_SIZE_MIN; size -= 8) {
        if (pc_attr_size_known(size))
            known[nr++] = size;
    }
    return known[n % nr];
}

/* One byte: 1 bit for the byte order, 2 for the container, 5 for the forms of features. The next byte: 4 bits
 * for the size of attrs, 1 for compression, 3 for its form. */
static void plan_kind(struct source *s, struct generate *g)
{
    unsigned kind = (unsigned)draw(s, 1), how = (unsigned)draw(s, 1);
    unsigned container = kind >> 1 & 3;
    g->order = kind & 1 ? PC_BIG : PC_LITTLE;
    g->pipe = container == 1;
    g->directory = container == 2   ? GENERATE_DIR_KCORE
                   : container == 3 ? GENERATE_DIR_STREAMS
                                    : GENERATE_NO_DIRECTORY;
    g->variant = kind >> 3;
    g->attr_size = attr_size_of(how & 15);
    if (how >> 4 & 1) {
        g->compress = how >> 5 & 1 ? PC_COMPRESSED : PC_COMPRESSED2;
        g->libzstd = how >> 6 & 1;
        g->straddle = g->compress_all = how >> 7 & 1;
    }
}

/* One record is 4 bytes. */
static void plan_record(struct source *s, struct generate_record *record)
{
    record->type = type_of((unsigned)draw(s, 1));
    record->variant = (unsigned)draw(s, 1);
    record->attr = (uint32_t)draw(s, 1);
    record->seed = draw(s, 1);
}

/* Only captures of perf stat have values without an id. */
static void settle_read(struct generate_plan *plan)
{
    bool stat = false;
    for (size_t i = 0; i < plan->nr_records; i++)
        stat |= plan->record[i].type == PC_STAT;
    for (uint32_t i = 0; i < plan->nr_attrs && !stat; i++)
        plan->attr[i].read_format |= plan->attr[i].sample_type & PC_S_READ ? PC_READ_ID : 0;
}

/* Leaves out what this perf does not know, and what no perf reads in a pipe or without an address. */
static void settle_reader(struct generate *g, struct generate_plan *plan)
{
    const struct pc_version_knows *reader = g->reader;
    g->attr_size = g->attr_size < reader->attr_size ? g->attr_size : (uint32_t)reader->attr_size;
    if (g->compress != 0)
        g->compress = g->pipe ? 0 : reader->user_type < PC_COMPRESSED2 ? PC_COMPRESSED : PC_COMPRESSED2;
    for (uint32_t i = 0; i < plan->nr_attrs; i++) {
        struct generate_attr *attr = &plan->attr[i];
        attr->sample_type = sample_type(attr->sample_type, g->attr_size) & reader->sample_type;
        attr->sample_type |= i == 0 || g->pipe ? PC_S_IP : 0;
        attr->read_format &= reader->read_format;
        attr->branch &= reader->version & pc_diag_info(PC_D_FOR_BRANCH_TYPE)->rejected_by
                            ? ~PC_BRANCH_COUNTERS
                            : UINT64_MAX;
        attr->tracepoint &= !g->pipe;
    }
}

static void build(struct pc_span plan_bytes, const struct pc_version_knows *reader, bool plain,
                  struct fuzz_built *built)
{
    static struct generate g; /* large, and one at a time */
    static struct generate_plan plan;
    struct source s = { .in = plan_bytes };
    const unsigned most_attrs = 12;
    memset(&g, 0, sizeof(g));
    memset(&plan, 0, sizeof(plan));
    plan_kind(&s, &g);
    if (plain) {
        g.pipe |= g.directory == GENERATE_DIR_STREAMS;
        g.directory = GENERATE_NO_DIRECTORY;
        g.compress = 0;
    }
    g.reader = reader;
    g.plan = &plan;
    plan.nr_attrs = 1 + (uint32_t)draw(&s, 1) % most_attrs;
    plan.features = draw(&s, 5);
    for (uint32_t i = 0; i < plan.nr_attrs; i++)
        plan_attr(&s, &plan.attr[i], g.attr_size);
    while (!is_over(&s) && plan.nr_records < GENERATE_RECORDS)
        plan_record(&s, &plan.record[plan.nr_records++]);
    settle_read(&plan);
    if (reader)
        settle_reader(&g, &plan);
    for (uint32_t i = 0; i < plan.nr_attrs; i++) { /* branches are asked for, or no call stacks of them */
        struct generate_attr *attr = &plan.attr[i];
        attr->branch &= attr->sample_type & PC_S_BRANCH_STACK ? UINT64_MAX : ~PC_BRANCH_CALL_STACK;
    }
    generate(&g);
    *built = (struct fuzz_built){ .bytes = g.bytes,
                                  .len = g.bytes ? g.len : 0,
                                  .pipe = g.pipe,
                                  .directory = g.directory,
                                  .compressed = g.compress,
                                  .canonical = g.canonical,
                                  .order = g.order };
    for (unsigned i = 0; g.directory && i < GENERATE_MEMBERS; i++) {
        if (g.member[i].bytes)
            built->member[built->nr_members++] =
                (struct fuzz_member){ g.member[i].name, g.member[i].bytes, g.member[i].len };
    }
}

void fuzz_build(struct pc_span plan, struct fuzz_built *built)
{
    build(plan, NULL, false, built);
}

void fuzz_build_plain(struct pc_span plan, struct fuzz_built *built)
{
    build(plan, NULL, true, built);
}

void fuzz_build_for(struct pc_span plan, enum pc_versions version, struct fuzz_built *built)
{
    build(plan, pc_version_knows(version), false, built);
}

void fuzz_built_free(struct fuzz_built *built)
{
    free(built->bytes);
    for (unsigned i = 0; i < built->nr_members; i++)
        free(built->member[i].bytes);
}
