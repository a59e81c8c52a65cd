/* SPDX-License-Identifier: MIT */
#include "check/demands.h"
#include "read/event_name.h"

#include <string.h>

const struct pc_demand_field pc_demand_fields[] = {
    { "callchains", PC_S_CALLCHAIN, "call chains" },
    { "branch-stacks", PC_S_BRANCH_STACK, "branch stacks" },
    { "timestamps", PC_S_TIME, "timestamps" },
    { "cpu", PC_S_CPU, "CPU" },
    { NULL, 0, NULL },
};

/* About the capture as a whole. */
static void say(const struct pc_demanded *of, enum pc_diag id, struct pc_value seen, struct pc_value expected)
{
    const struct pc_context end = { .place = PC_AT_END, .offset = of->sum->size };
    pc_report_say(of->report, &end, id, 0, 0, seen, expected);
}

static struct pc_value text_value(const char *text)
{
    return pc_bytes_value((struct pc_span){ (const unsigned char *)text, strlen(text) });
}

/* Events that only mark something have no samples, and counters none either. */
static bool is_sampled(const struct pc_attr *attr)
{
    bool dummy = pc_attr_get(attr, PC_ATTR_TYPE) == PC_TYPE_SOFTWARE &&
                 pc_attr_get(attr, PC_ATTR_CONFIG) == PC_SOFTWARE_DUMMY;
    return !dummy && pc_attr_get(attr, PC_ATTR_PERIOD) != 0;
}

static void check_fields(const struct pc_demanded *of, uint64_t fields)
{
    const struct pc_capture *capture = of->capture;
    char made[PC_LINE_NAME];
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        const char *name = pc_attr_event_name(capture, attr, made);
        const struct pc_context at = { .place = PC_IN_ATTR, .number = i, .offset = attr->offset };
        for (const struct pc_demand_field *f = pc_demand_fields; f->name && is_sampled(attr); f++) {
            if (fields & f->field & ~pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE))
                pc_report_say(of->report, &at, PC_D_DEMAND_FIELD, 0, 0, text_value(name ? name : ""),
                              pc_text_value(f->missing));
        }
    }
}

static bool has_event(const struct pc_capture *capture, const char *wanted)
{
    char made[PC_LINE_NAME];
    for (size_t i = 0; i < capture->nr_attrs; i++) {
        const char *name = pc_attr_event_name(capture, &capture->attr[i], made);
        if (name && strcmp(name, wanted) == 0)
            return true;
    }
    return false;
}

static void check_events(const struct pc_demanded *of, const struct pc_demands *demands)
{
    for (size_t i = 0; i < demands->nr_events; i++) {
        if (!has_event(of->capture, demands->event[i]))
            say(of, PC_D_DEMAND_EVENT, pc_none, text_value(demands->event[i]));
    }
}

/* LOST and LOST_SAMPLES count the same losses (flow_losses.c). */
static void check_lost(const struct pc_demanded *of, const struct pc_demands *demands)
{
    const struct pc_summary *sum = of->sum;
    uint64_t lost = sum->lost_samples >= sum->lost_events ? sum->lost_samples : sum->lost_events,
             all = pc_add_saturated(lost, sum->by_type[PC_SAMPLE]), most = demands->max_lost;
    if (demands->max_lost_per != 0)
        most = all / 1000000 * demands->max_lost_per + all % 1000000 * demands->max_lost_per / 1000000;
    if (demands->limits_lost && lost > most)
        say(of, PC_D_DEMAND_LOST, pc_uint_value(lost), pc_uint_value(most));
}

static bool has_build_ids(const struct pc_demanded *of)
{
    return pc_bit(of->capture->seen, PC_BUILD_ID) || of->sum->by_type[PC_HEADER_BUILD_ID] != 0 ||
           (of->capture->flags & PC_FLAG_BUILD_ID);
}

void pc_demands_check(const struct pc_demands *demands, const struct pc_demanded *of)
{
    const struct pc_capture *capture = of->capture;
    const struct pc_summary *sum = of->sum;
    const char *arch = capture->text[PC_ARCH];
    if (sum->by_type[PC_SAMPLE] < demands->min_samples)
        say(of, PC_D_DEMAND_SAMPLES, pc_uint_value(sum->by_type[PC_SAMPLE]),
            pc_uint_value(demands->min_samples));
    check_fields(of, demands->fields);
    if (demands->build_ids && !has_build_ids(of))
        say(of, PC_D_DEMAND_BUILD_IDS, pc_none, pc_none);
    for (unsigned bit = 0; bit < PC_ANDROID_FEATURES_END; bit++) {
        char number[PC_NUMBER_NAME];
        if (pc_bit(demands->features, bit) && !pc_bit(capture->seen, bit))
            say(of, PC_D_DEMAND_FEATURE, pc_none, text_value(pc_feature_name(bit, number)));
    }
    check_events(of, demands);
    if (demands->arch && (!arch || strcmp(arch, demands->arch) != 0))
        say(of, PC_D_DEMAND_ARCH, arch ? text_value(arch) : pc_text_value("not known"),
            text_value(demands->arch));
    check_lost(of, demands);
    if (demands->max_size != 0 && of->size > demands->max_size)
        say(of, PC_D_DEMAND_SIZE, pc_uint_value(of->size), pc_uint_value(demands->max_size));
}
