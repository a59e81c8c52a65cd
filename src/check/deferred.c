/* SPDX-License-Identifier: MIT */
#include "check/check.h"

void pc_defer(struct pc_deferred_check *deferred, uint64_t value, struct pc_finding finding)
{
    finding.seen = pc_uint_value(value);
    *deferred = (struct pc_deferred_check){ true, value, finding };
}

static void say_deferred(struct pc_check *check, struct pc_deferred_check *deferred, uint64_t expected)
{
    deferred->finding.expected = pc_uint_value(expected);
    pc_report_add(check->report, &deferred->finding);
}

void pc_deferred_compare(struct pc_check *check)
{
    const struct pc_capture *capture = check->capture;
    const uint64_t most = 4096; /* CPUs that perf sched has room for: builtin-sched.c: MAX_CPUS */
    uint64_t nr = capture->nr_cpus;
    for (unsigned i = 0; i < PC_COUNT_OF(check->deferred_cpu); i++) {
        if (nr != 0 && check->deferred_cpu[i].known && check->deferred_cpu[i].value >= nr)
            say_deferred(check, &check->deferred_cpu[i], nr);
    }
    if (nr == 0 && check->deferred_cpu[1].known && check->deferred_cpu[1].value >= most) {
        check->deferred_cpu[1].finding.id = PC_D_SAMPLE_CPU_LARGE;
        say_deferred(check, &check->deferred_cpu[1], most - 1);
    }
    if (nr != 0 && check->deferred_index_cpu.known && check->deferred_index_cpu.value >= nr)
        say_deferred(check, &check->deferred_index_cpu, nr);
    if (capture->nr_attrs != 0 && check->deferred_area.known) {
        uint64_t wanted = capture->layout[capture->attr[0].layout]->sample_id_size;
        struct pc_finding *f = &check->deferred_area.finding;
        if (f->length > wanted) {
            f->offset += wanted;
            f->length -= wanted;
            f->seen = pc_uint_value(f->length);
            pc_report_add(check->report, f);
        }
    }
    check->work += capture->nr_attrs;
    for (size_t i = 0; i < capture->nr_attrs && check->deferred_clock.known; i++) {
        uint64_t clock = pc_attr_get(&capture->attr[i], PC_ATTR_CLOCKID);
        if (!(pc_attr_get(&capture->attr[i], PC_ATTR_FLAGS) & PC_FLAG_USE_CLOCKID) ||
            clock == check->deferred_clock.value)
            continue;
        say_deferred(check, &check->deferred_clock, clock);
        break;
    }
}
