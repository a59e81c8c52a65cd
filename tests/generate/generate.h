/* SPDX-License-Identifier: MIT
 *
 * generate.h: whole sound captures in memory, made from the tables by synth.h: a file, a pipe or the members
 * of a directory, in either byte order, with attrs for every bit of sample_type and every read_format,
 * records of every type, every feature that the container may have; or with those that a plan names;
 * compressed, if that is asked for, into stored blocks or by libzstd. What the check compares across
 * structures (ids, times, CPUs, names) is given here by name; everything else is random.
 *
 * Files and pipes without compression and HEADER_EVENT_TYPE are canonical, and captures that differ in
 * nothing but the byte order that is asked for have the same content: one is what the rewriter must make of
 * the other.
 */
#ifndef PC_GENERATE_H
#define PC_GENERATE_H

#include "check/check.h"
#include "generate/synth.h"

#include <zstd.h>

#define GENERATE_ROOM    ((size_t)4 << 20)
#define GENERATE_ATTRS   80
#define GENERATE_RECORDS 256
#define GENERATE_CPUS    3
/* Not a multiple of 4096, so that no rule about pages is met by accident. */
#define GENERATE_TIME     1000000123u
#define GENERATE_STREAMS  3
#define GENERATE_MEMBERS  (1 + GENERATE_STREAMS + 3) /* data, data.0 ..., and what is in a kcore_dir */
#define GENERATE_CONTENT  30000                      /* bytes that are compressed together */
#define GENERATE_MMAP_LEN 0x81000

/* What a capture consists of. */
struct generate_plan {
    uint64_t features; /* bits; those that follow from the rest come by themselves */
    struct generate_attr {
        uint64_t sample_type, read_format, branch, seed;
        bool tracepoint; /* its samples have a payload that the trace data describe; the first one only */
    } attr[GENERATE_ATTRS];
    uint32_t nr_attrs;
    struct generate_record {
        uint32_t type, attr;
        unsigned variant;
        uint64_t seed;
    } record[GENERATE_RECORDS];
    size_t nr_records;
};

/* A file of a directory. */
struct generate_member {
    const char *name;
    unsigned char *bytes; /* free() */
    size_t len;
    /* Private: of what becomes compressed. */
    size_t run; /* where records begin that are not compressed yet */
    ZSTD_CCtx *zstd;
    bool begun; /* there is a frame */
};

enum generate_directory { GENERATE_NO_DIRECTORY, GENERATE_DIR_KCORE, GENERATE_DIR_STREAMS };

struct generate {
    enum pc_order order;
    bool pipe;
    enum generate_directory directory;     /* instead of a file */
    uint32_t compress;                     /* 0, PC_COMPRESSED or PC_COMPRESSED2 */
    bool libzstd;                          /* else stored blocks */
    bool straddle;                         /* a record begins in one piece and ends in the next */
    bool compress_all;                     /* what perf makes up, too */
    unsigned variant;                      /* which forms records take */
    uint64_t seed;                         /* of the content */
    uint32_t attr_size;                    /* 0: 144 */
    const struct generate_plan *plan;      /* NULL: all there is */
    const struct pc_version_knows *reader; /* nothing that this perf does not know; NULL: whatever there is */
    /* The result. */
    unsigned char *bytes; /* free(); of a directory: NULL */
    size_t len;
    struct generate_member member[GENERATE_MEMBERS]; /* of a directory; without bytes: there is none */
    bool canonical;
    /* Private. */
    unsigned out, stream; /* the member that bytes and len are of; that of kernel records */
    struct synth synth;
    unsigned char attr[GENERATE_ATTRS][PC_ATTR_SIZE_KNOWN];
    struct pc_layout layout[GENERATE_ATTRS];
    uint32_t nr_attrs, tracepoint;
    uint64_t time;
    uint64_t auxtrace[64]; /* where AUXTRACE records are */
    unsigned nr_auxtrace;
    size_t rounds[16]; /* where FINISHED_ROUND records are, which are no content */
    unsigned nr_rounds;
    bool has_stat, has_auxtrace;
    bool is_coresight; /* its traces need AUX records that count their bytes: a plan makes none */
    uint64_t nr_records;
    uint64_t first_sample, last_sample;
};

/* Fills g->bytes, or g->member, as the members before the result ask. The caller frees the bytes. */
void generate(struct generate *g);

/* Whether records of the type come with the container, never from a plan; HEADER_EVENT_TYPE may. */
bool gen_is_header(uint32_t type);

#endif
