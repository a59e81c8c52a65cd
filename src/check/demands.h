/* SPDX-License-Identifier: MIT
 *
 * demands.h: what a user demands of a capture beside that it is sound: that it can be used for something.
 */
#ifndef PC_CHECK_DEMANDS_H
#define PC_CHECK_DEMANDS_H

#include "check/flow.h"

struct pc_demands {
    uint64_t min_samples;
    uint64_t max_size;     /* bytes; 0: any */
    bool limits_lost;      /* at most ... */
    uint64_t max_lost;     /* ... so many samples or records are lost ... */
    unsigned max_lost_per; /* ... or, if it is not 0, so many millionths of all */
    uint64_t fields;       /* bits of enum pc_sample_bit that each event which is sampled has */
    bool build_ids;
    uint64_t features[PC_FEATURE_BITS / 64];
    const char *const *event; /* names */
    size_t nr_events;
    const char *arch; /* NULL: any */
};

/* What is known of a capture that was read to its end. */
struct pc_demanded {
    struct pc_report *report;
    const struct pc_capture *capture;
    const struct pc_summary *sum;
    uint64_t size; /* bytes */
};

/* Reports what it lacks. */
void pc_demands_check(const struct pc_demands *demands, const struct pc_demanded *of);

/* What fields of samples are called: "callchains"; the last one has no name. */
struct pc_demand_field {
    const char *name;    /* in a demand */
    uint64_t field;      /* one bit */
    const char *missing; /* in a message */
};
extern const struct pc_demand_field pc_demand_fields[];

#endif
