/* SPDX-License-Identifier: MIT
 *
 * A machine has one number of CPUs, as arrays of perf have that many elements: header.c:
 * process_cpu_topology. One of x86 has a CPUID with family, model and stepping. It has a name, as uname -m
 * prints it.
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

/* i386 to i686. */
static bool is_i86(const char *arch)
{
    return arch[0] == 'i' && arch[1] && strcmp(arch + 2, "86") == 0;
}

/* perf asks the name only if it does not know the number, and without both takes the machine that it runs on.
 */
static bool is_x86(const struct pc_capture *capture, uint64_t number)
{
    enum { EM_386 = 3, EM_X86_64 = 62 };
    const char *arch = capture->text[PC_ARCH];
    if (number != 0)
        return number == EM_386 || number == EM_X86_64;
    if (!arch)
        return !pc_bit(capture->seen, PC_ARCH);
    return strncmp(arch, "x86", 3) == 0 || is_i86(arch);
}

/* Names that perf 6.12 has instructions for. */
static bool is_annotated(const char *arch)
{
    static const char *const whole[] = { "x86", "x86_64", "arc", "csky", "riscv64", "sun4u" };
    static const char *const begins[] = { "aarch64", "arm", "sa110", "s390",     "sparc",
                                          "powerpc", "ppc", "mips",  "loongarch" };
    for (size_t i = 0; i < PC_COUNT_OF(whole); i++) {
        if (strcmp(arch, whole[i]) == 0)
            return true;
    }
    for (size_t i = 0; i < PC_COUNT_OF(begins); i++) {
        if (strncmp(arch, begins[i], strlen(begins[i])) == 0)
            return true;
    }
    return is_i86(arch);
}

/* Some bytes, of those that names of machines consist of; kernels may have a name that nobody knows yet. */
static bool is_name(const char *arch)
{
    const char *letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    return arch[0] && arch[strspn(arch, letters)] == 0;
}

static void take_arch(struct pc_flow *flow, const struct pc_leaf *leaf)
{
    const char *arch = flow->capture->text[PC_ARCH];
    struct pc_context place = flow->at;
    if (!arch)
        return;
    if (!is_name(arch)) {
        struct pc_span shown = { (const unsigned char *)arch, arch[0] ? strlen(arch) : 1 }; /* or its NUL */
        pc_flow_say_leaf(flow, PC_D_ARCH_NAME, leaf, pc_bytes_value(shown), pc_none);
        return;
    }
    flow->at.name = leaf->field->name;
    if (!is_annotated(arch))
        pc_flow_say_for(flow, PC_D_FOR_ARCH, PC_BY_6_12, leaf->at, leaf->raw.len, pc_text_value(arch));
    flow->at = place;
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
    else if (flow->of == PC_FACTS_OF_FEATURE(PC_ARCH))
        take_arch(flow, leaf);
    else if (flow->of == PC_FACTS_OF_FEATURE(PC_CPUID)) {
        own->has_cpuid = true;
        own->cpuid = flow->at;
        own->cpuid.name = leaf->field->name;
        own->at = leaf->at;
        own->length = leaf->raw.len;
    } else if (leaf->field->save == PC_MACHINE)
        own->number = leaf->value;
}

bool pc_flow_cpuid_fits(const struct pc_capture *capture, uint64_t machine)
{
    const char *cpuid = capture->text[PC_CPUID];
    return !cpuid || is_of_x86(cpuid) || !is_x86(capture, machine);
}

static void judge_cpuid(struct pc_flow *flow, void *state)
{
    const struct machine *own = state;
    const char *cpuid = flow->capture->text[PC_CPUID];
    if (!own->has_cpuid || pc_flow_cpuid_fits(flow->capture, own->number))
        return;
    flow->at = own->cpuid;
    pc_flow_say(flow, PC_D_CPUID, own->at, own->length, pc_text_value(cpuid), pc_none);
}

const struct pc_flow_rule pc_flow_rule_machine = {
    .size = sizeof(struct machine),
    .fields = (const uint16_t[]){ PC_FACTS_OF_FEATURE(PC_NRCPUS), PC_FACTS_OF_FEATURE(PC_CPUID),
                                  PC_FACTS_OF_FEATURE(PC_ARCH), PC_FACTS_OF_FEATURE(PC_E_MACHINE), 0 },
    .field = take_leaf,
    .end = judge_cpuid,
};
