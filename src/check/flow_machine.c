/* SPDX-License-Identifier: MIT
 *
 * A machine has one number of CPUs, as arrays of perf have that many elements: header.c:
 * process_cpu_topology. One of x86 has a CPUID with family, model and stepping.
 */
#include "check/flow_rule.h"

struct machine {
    bool known, has_cpuid;
    uint64_t available;
    uint64_t number; /* E_MACHINE; 0: not known */
    struct pc_context cpuid;
    size_t at, length; /* of its text in it */
};

/* As sscanf reads %u. */
static bool take_number(const char **at)
{
    const char *p = *at + strspn(*at, " \t\n\v\f\r");
    p += *p == '-' || *p == '+';
    size_t digits = strspn(p, "0123456789");
    *at = p + digits;
    return digits != 0;
}

/* tools/perf/arch/x86/annotate/instructions.c: x86__cpuid_parse. What follows is not looked at. */
static bool is_of_x86(const char *cpuid)
{
    const char *at = strchr(cpuid, ',');
    if (!at || at == cpuid)
        return false;
    for (int numbers = 0; numbers < 3; numbers++) {
        if (*at++ != ',' || !take_number(&at))
            return false;
    }
    return true;
}

/* perf asks the name only if it does not know the number. */
static bool is_x86(const struct pc_capture *capture, uint64_t number)
{
    enum { EM_386 = 3, EM_X86_64 = 62 };
    const char *arch = capture->text[PC_ARCH];
    if (number != 0)
        return number == EM_386 || number == EM_X86_64;
    return arch &&
           (strncmp(arch, "x86", 3) == 0 || (arch[0] == 'i' && arch[1] && strcmp(arch + 2, "86") == 0));
}

static void take_cpus(struct pc_flow *flow, struct machine *own, const struct pc_leaf *leaf)
{
    if (leaf->field->save != PC_NRCPUS_AVAILABLE)
        return;
    if (own->known && leaf->value != own->available) {
        pc_flow_say_leaf(flow, PC_D_NRCPUS_DIFFERS, leaf, pc_uint_value(leaf->value),
                         pc_uint_value(own->available));
        return;
    }
    own->known = true;
    own->available = leaf->value;
}

static void take_leaf(struct pc_flow *flow, void *state, const struct pc_leaf *leaf)
{
    struct machine *own = state;
    if (flow->of == PC_FACTS_OF_FEATURE(PC_NRCPUS))
        take_cpus(flow, own, leaf);
    else if (flow->of == PC_FACTS_OF_FEATURE(PC_CPUID)) {
        own->has_cpuid = true;
        own->cpuid = flow->at;
        own->cpuid.name = leaf->field->name;
        own->at = leaf->at;
        own->length = leaf->raw.len;
    } else if (leaf->field->save == PC_MACHINE)
        own->number = leaf->value;
}

static void judge_cpuid(struct pc_flow *flow, void *state)
{
    const struct machine *own = state;
    const char *cpuid = flow->capture->text[PC_CPUID];
    if (!own->has_cpuid || !cpuid || is_of_x86(cpuid) || !is_x86(flow->capture, own->number))
        return;
    flow->at = own->cpuid;
    pc_flow_say(flow, PC_D_CPUID, own->at, own->length, pc_text_value(cpuid), pc_none);
}

const struct pc_flow_rule pc_flow_rule_machine = {
    .size = sizeof(struct machine),
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_NRCPUS), PC_FACTS_OF_FEATURE(PC_CPUID),
                                  PC_FACTS_OF_FEATURE(PC_E_MACHINE), 0 },
    .field = take_leaf,
    .end = judge_cpuid,
};
