/* SPDX-License-Identifier: MIT
 *
 * flow.h: rules between records, which get what judging each item told (judge.h), remember what they need,
 * and report. They share no state with the judge.
 *
 * Most rules here are notes, so they are quiet where they cannot know: when records are missing (lost,
 * damaged), when several streams give no common order, and when a table is full. Nothing is judged before the
 * end that a later record could still explain, since the buffers of the CPUs are written one after the other.
 *
 * All rules together use less than 8 MiB. A sample costs two look-ups in small caches; of very many samples
 * only some are looked at.
 */
#ifndef PC_CHECK_FLOW_H
#define PC_CHECK_FLOW_H

#include "base/base.h"
#include "base/mem.h"
#include "check/facts.h"
#include "check/run.h"
#include "report/diag.h"

#define PC_SAMPLES_MANY    ((uint64_t)1 << 17)
#define PC_SAMPLES_SKIPPED 63    /* after them, of each 64 */
#define PC_COOKIES         16384 /* of deferred call chains that wait for their samples */
#define PC_FLOW_RULES_MAX  32

#define PC_UNKNOWN_TYPES 32

/* What was seen, as the JSON output has it. */
struct pc_summary {
    uint64_t total;                         /* records, compression wrappers left out */
    uint64_t compressed;                    /* compression wrappers */
    uint64_t compressed_in, compressed_out; /* bytes in them, and what came out */
    uint64_t by_type[PC_TYPE_ROWS];
    struct pc_unknown_type {
        uint32_t type;
        uint64_t count;
    } unknown[PC_UNKNOWN_TYPES];
    size_t nr_unknown;
    uint64_t unknown_rest; /* records of types that did not fit there */
    uint64_t lost_events, lost_samples;
    uint64_t first_time, last_time; /* of samples; valid when has_time */
    bool has_time;
    uint64_t size; /* bytes of the stream */
};

/* Times of the current stream: FORMAT.md 9.1. */
struct pc_flow_times {
    uint64_t newest;                 /* of all records */
    uint64_t released, next_release; /* newest before FINISHED_ROUND records */
};

/* The largest CPU before NRCPUS came, and the finding about it. */
struct pc_flow_cpu {
    bool known;
    uint64_t value;
    struct pc_finding finding;
};
enum { PC_CPU_OF_RECORD, PC_CPU_OF_SAMPLE, PC_CPU_OF_INDEX, PC_CPU_OF_MAP, PC_NR_CPUS_OF };

struct pc_flow {
    struct pc_mem *mem;
    struct pc_report *report;
    const struct pc_capture *capture;
    uint64_t work; /* entries of tables looked at, leaves walked */

    enum pc_versions asked; /* readers that findings may be about */

    /* What rules read. */
    struct pc_context at; /* the current structure, at the end that of the end ... */
    unsigned of;          /* ... and whose fields are shown: a type or PC_FLOW_FEATURE */
    struct pc_summary sum;
    uint32_t stream; /* the current one */
    bool several;    /* streams: their common order is unknown */
    bool salvages;   /* what has an error will be left out */
    bool no_memory;  /* no rule that needs all records can be applied */
    uint64_t rounds; /* FINISHED_ROUND records in this stream */
    uint64_t nr_samples;
    struct pc_flow_times times;
    struct pc_flow_cpu cpu[PC_NR_CPUS_OF];
    bool read_without_id;  /* a sample has values without FORMAT_ID */
    bool has_times;        /* a sound record has a time */
    bool is_coresight;     /* AUXTRACE_INFO says so */
    bool index_without_nr; /* AUXTRACE_INDEX has no number of entries, as simpleperf writes it */
    bool trace_uncounted; /* at the end: it has traces of CoreSight, but no AUX record counts the bytes of one
                           */
    bool before_attrs;    /* EVENT_DESC or GROUP_DESC came before any attr: for fuzz_model_diff */
    bool late;            /* the current record: FINISHED_ROUND promised that none this old comes */

    /* flow.c: the rules that want a record, or fields, as bits, and their states. */
    uint32_t wants[PC_TYPE_ROWS], wants_came[PC_TYPE_ROWS], watching, wants_late, for_readers;
    uint32_t wants_fields[PC_FACTS_OF_FEATURE(PC_FEATURE_BITS)];
    void *rule_states[PC_FLOW_RULES_MAX]; /* each rule gets its own one alone */

    /* flow.c: samples are looked at when their number has none of the bits of `skip` ... */
    uint64_t skip;
    /* ... and task and page are not among these. */
    struct pc_seen seen;
};

void pc_flow_init(struct pc_flow *flow, struct pc_mem *mem, struct pc_report *report,
                  const struct pc_capture *capture);
void pc_flow_clear(struct pc_flow *flow);
/* Findings may be about these readers from here on. */
void pc_flow_ask(struct pc_flow *flow, enum pc_versions asked);

/* A finding about one item, on its way to the report. It is dropped when it follows from one before. */
void pc_flow_finding(struct pc_flow *flow, const struct pc_finding *finding);
/* A sound field of the next item. */
void pc_flow_field(struct pc_flow *flow, const struct pc_facts *facts, const struct pc_leaf *leaf);
/* What judging the next item told; the last item is the end. */
void pc_flow_facts(struct pc_flow *flow, const struct pc_facts *facts);

/* Which of the next samples the rules want to see. False: all of them. */
bool pc_flow_hints(const struct pc_flow *flow, struct pc_hints *hints);
/* The next samples, which were judged by these hints. */
void pc_flow_run(struct pc_flow *flow, const struct pc_run *run);

/* Whether all records so far are those of perf stat in a pipe, for which perf needs no formats of
 * tracepoints. */
bool pc_flow_counts_only(const struct pc_flow *flow);

/* Whether samples came that may have a payload of a tracepoint. */
bool pc_flow_has_payloads(const struct pc_flow *flow);

/* Whether the types of a BPF program (BTF) are sound, and have some that perf 5.10 does not read: a FLOAT, or
 * an ENUM64 that has not exactly one member. */
bool pc_flow_btf_is_refused(struct pc_span btf);

/* Whether CPUID, if there is one, has what the machine with this number (E_MACHINE) writes there; 0: which
 * ARCH names. */
bool pc_flow_cpuid_fits(const struct pc_capture *capture, uint64_t machine);

#endif
