/* SPDX-License-Identifier: MIT
 *
 * Rules between records. Most of them report only if no record is missing. So these faults keep the first
 * two records of a capture (FORK and COMM) and a few others.
 */
#include "faults_map.h"

#include "check/check.h"

#include <stdlib.h>
#include <string.h>

#define TID 777777 /* that no record tells of */

/* --- a capture of few records --- */

static struct few {
    unsigned char bytes[FUZZ_FAULT_ROOM];
    size_t len;
    bool fits;
    struct part part[8]; /* where they come to stand */
    unsigned nr;
} few;

static size_t first_free(void)
{
    const struct part *comm = fuzz_first(IN_RECORD, PC_COMM);
    return comm ? comm->at + comm->size : 0;
}

/* perf stat writes values without ids, which samples may not have. */
static bool reads_ids(void)
{
    bool sound = true;
    for (uint32_t i = 0; i < fuzz_map.nr_attrs; i++) {
        uint64_t mask = fuzz_map.layout[i].mask;
        sound &= !(mask & PC_S_READ) || (mask & PC_LAYOUT_READ(PC_READ_ID));
    }
    return sound;
}

static void begin(void)
{
    few.len = few.nr = 0;
    few.fits = !fuzz_map.packed && first_free() != 0 && reads_ids();
}

static struct part *put(const struct part *p)
{
    static struct part spare;
    size_t size = p ? p->size + p->payload : 0;
    if (!p || few.nr == PC_COUNT_OF(few.part) || size > sizeof(few.bytes) - few.len) {
        few.fits = false;
        return &spare;
    }
    memcpy(few.bytes + few.len, fuzz_map.f->bytes + p->at, size);
    few.part[few.nr] = *p;
    few.part[few.nr].at = first_free() + few.len;
    few.len += size;
    return &few.part[few.nr++];
}

static struct part *put_first(uint32_t type)
{
    return put(fuzz_first(IN_RECORD, type));
}

/* About traces that are removed. */
static void empty_index(void)
{
    const struct part *p = fuzz_first(IN_FEATURE, PC_AUXTRACE_INDEX);
    if (!p || p->size <= 8)
        return;
    fuzz_store(p->at, 8, 0);
    fuzz_store(p->slot + 8, 8, 8);
    fuzz_splice(p->at + 8, p->size - 8, 0, NULL, (long)p->slot);
    fuzz_read_map(fuzz_map.f);
}

/* The capture keeps only these records. */
static bool settle(void)
{
    empty_index();
    size_t at = first_free();
    return few.fits && fuzz_splice(at, fuzz_map.data_end - at, few.len, few.bytes, -1);
}

/* A word of one of them, by its name. 0: there is none. */
static size_t set(const struct part *p, const char *name, uint64_t value)
{
    struct fuzz_wanted w = { .name = name };
    if (!fuzz_find_leaf(p, &w))
        return 0;
    fuzz_put(&(struct site){ .field = w.field, .at = w.at }, value);
    return w.at;
}

static bool at_leaf(size_t at)
{
    return at != 0 && fuzz_expect(PC_IN_RECORD, at);
}

static void set_misc(const struct part *p, unsigned misc)
{
    fuzz_store(p->at + 4, 2, misc);
    few.part[p - few.part].misc = (uint16_t)misc;
}

/* A record of an event that has these bits. */
static const struct part *with(uint32_t type, uint64_t bits)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        if (fuzz_is_record(p, type) && (fuzz_map.sample_type[p->attr] & bits) == bits)
            return p;
    }
    return NULL;
}

/* --- the faults --- */

static bool throttled_twice(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    struct fuzz_wanted w = { .name = "stream_id" };
    (void)f;
    (void)fault;
    begin();
    put_first(PC_THROTTLE);
    struct part *again = put_first(PC_THROTTLE);
    return settle() && fuzz_find_leaf(again, &w) && fuzz_expect(PC_IN_RECORD, w.at);
}

static bool switched_in_twice(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = with(PC_SWITCH_CPU_WIDE, PC_S_CPU);
    (void)f;
    (void)fault;
    begin();
    struct part *one = put(p), *again = put(p);
    if (!settle())
        return false;
    set_misc(one, 0);
    set_misc(again, 0);
    return fuzz_expect(PC_IN_RECORD, again->at + 4);
}

static bool symbol_went(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const uint64_t bpf = 1;
    (void)f;
    (void)fault;
    begin();
    struct part *came = put_first(PC_KSYMBOL), *went = put_first(PC_KSYMBOL);
    if (!settle())
        return false;
    set(came, "ksym_type", bpf);
    set(came, "flags", 0);
    set(went, "ksym_type", bpf);
    set(went, "flags", 1);
    set(went, "addr", 0x1234000);
    return fuzz_expect(PC_IN_RECORD, went->at);
}

static bool unknown_exit(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    begin();
    put_first(PC_FINISHED_ROUND);
    struct part *p = put_first(PC_EXIT);
    return settle() && at_leaf(set(p, "tid", TID));
}

static bool unknown_thread(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    begin();
    struct part *p = put(with(PC_SAMPLE, PC_S_TID));
    return settle() && at_leaf(set(p, "tid", TID));
}

static bool no_parent(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const struct part *p = fuzz_first(IN_RECORD, PC_FORK);
    (void)f;
    (void)fault;
    return p && at_leaf(set(p, "ppid", 0));
}

static bool other_total(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    if (!fuzz_map.pipe) /* its index would not have the record */
        return false;
    begin();
    put_first(PC_TIME_CONV);
    put_first(PC_AUXTRACE_INFO);
    struct part *aux = put_first(PC_AUX), *trace = put_first(PC_AUXTRACE);
    if (!settle())
        return false;
    set(aux, "aux_size", 1000);
    return fuzz_expect(PC_AT_END, trace->at);
}

static bool much_lost(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    begin();
    struct part *p = put_first(fault->id == PC_D_LOST_MANY ? PC_LOST : PC_LOST_SAMPLES);
    if (!settle())
        return false;
    set_misc(p, 0); /* no filter dropped them */
    return set(p, "lost", 1000) != 0 && fuzz_expect(PC_AT_END, p->at);
}

static bool before_init(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    begin();
    put(with(PC_SAMPLE, PC_S_TIME | PC_S_TID));
    put_first(PC_FINISHED_INIT);
    struct part *p = put(with(PC_SAMPLE, PC_S_TIME | PC_S_TID));
    return settle() && at_leaf(set(p, "time", 1));
}

/* SAMPLE_TIME covers less than the samples, or more. */
static bool other_times(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    struct fuzz_wanted w = { .name = "first" };
    uint64_t time = 5000;
    (void)f;
    begin();
    struct part *p = put(with(PC_SAMPLE, PC_S_TIME));
    if (!settle() || !set(p, "time", time))
        return false;
    fuzz_read_map(fuzz_map.f);
    if (!fuzz_find_leaf(fuzz_first(IN_FEATURE, PC_SAMPLE_TIME), &w))
        return false;
    fuzz_store(w.at, 8, fault->id == PC_D_SAMPLE_TIME_OUTSIDE ? time + 1 : time - 1);
    fuzz_store(w.at + 8, 8, time + 1);
    return fuzz_expect(PC_IN_FEATURE, w.at);
}

static bool unmapped(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    begin();
    put_first(PC_MMAP);
    struct part *p = put(with(PC_SAMPLE, PC_S_IP));
    if (!settle())
        return false;
    set_misc(p, 2);
    return at_leaf(set(p, "ip", 0x7123456789ab));
}

static bool alone(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    (void)f;
    (void)fault;
    begin();
    struct part *p = put_first(PC_CALLCHAIN_DEFERRED);
    return settle() && at_leaf(set(p, "cookie", 0x1234));
}

/* A mapping with a build id. */
static const struct part *mapping(void)
{
    for (size_t i = 0; i < fuzz_map.nr_parts; i++) {
        const struct part *p = &fuzz_map.part[i];
        struct fuzz_wanted id = { .name = "build_id_size" }, name = { .name = "filename", .least = 2 };
        if (fuzz_is_record(p, PC_MMAP2) && fuzz_find_leaf(p, &id) && fuzz_find_leaf(p, &name))
            return p;
    }
    return NULL;
}

/* A record of a pipe has another build id for the mapped file. */
static bool other_build_id(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    unsigned char record[36 + 4096 + 16] = { 0 };
    const struct part *p = mapping();
    struct fuzz_wanted name = { .name = "filename" };
    (void)fault;
    if (!fuzz_map.pipe || !fuzz_find_leaf(p, &name) || name.value > 4000)
        return false;
    begin();
    struct part *mapped = put(p);
    size_t at = first_free(), n = 36 + (size_t)pc_align8(name.value + 1);
    n = (size_t)pc_align8(n);
    pc_store(record, 4, PC_HEADER_BUILD_ID, fuzz_map.order);
    pc_store(record + 4, 2, PC_MISC_BUILD_ID_SIZE | 2, fuzz_map.order);
    pc_store(record + 6, 2, n, fuzz_map.order);
    pc_store(record + 8, 4, UINT32_MAX, fuzz_map.order);
    memset(record + 12, 0x5a, 20);
    record[32] = 20;
    memcpy(record + 36, f->bytes + name.at, (size_t)name.value);
    if (!settle() || !fuzz_splice(at, 0, n, record, -1))
        return false;
    return fuzz_expect(PC_IN_RECORD, mapped->at + n);
}

static bool id_of_other_module(struct fuzz_faulty *f, const struct fuzz_fault *fault)
{
    const unsigned kernel = 1;
    struct fuzz_wanted name = { .name = "filename" };
    (void)fault;
    begin();
    struct part *one = put(mapping()), *two = put(mapping());
    if (!settle())
        return false;
    set_misc(one, PC_MISC_MMAP_BUILD_ID | kernel);
    set_misc(two, PC_MISC_MMAP_BUILD_ID | kernel);
    set(one, "pid", UINT32_MAX);
    set(two, "pid", UINT32_MAX);
    fuzz_find_leaf(two, &name);
    f->bytes[name.at] ^= 1;
    struct fuzz_wanted size = { .name = "build_id_size" };
    return fuzz_find_leaf(two, &size) && fuzz_expect(PC_IN_RECORD, size.at + 4);
}

/* --- the list --- */

#define BETWEEN(what, which, how) ROW(what, which, .capture = how, .beside = true)

static const struct fuzz_fault faults[] = {
    BETWEEN("an event that is throttled twice", THROTTLE_TWICE, throttled_twice),
    BETWEEN("a task that comes twice", SWITCH_IN_TWICE, switched_in_twice),
    BETWEEN("a symbol that goes and never came", KSYMBOL_UNREGISTER, symbol_went),
    BETWEEN("a task that ends and never began", EXIT_UNKNOWN, unknown_exit),
    BETWEEN("a sample of an unknown task", THREAD_UNKNOWN, unknown_thread),
    BETWEEN("a task without a parent", FORK_PARENT, no_parent),
    BETWEEN("more in AUX than in AUXTRACE", AUX_TOTAL, other_total),
    BETWEEN("more lost than kept", LOST_MANY, much_lost),
    BETWEEN("more samples lost than kept", LOST_SAMPLES_MANY, much_lost),
    BETWEEN("a time before FINISHED_INIT", TIME_BEFORE_INIT, before_init),
    BETWEEN("a sample outside of SAMPLE_TIME", SAMPLE_TIME_OUTSIDE, other_times),
    BETWEEN("more in SAMPLE_TIME than in samples", SAMPLE_TIME_WIDER, other_times),
    BETWEEN("an address in no mapping", IP_UNMAPPED, unmapped),
    BETWEEN("a deferred chain of no sample", DEFERRED_ALONE, alone),
    BETWEEN("a build id of another file of this name", BUILD_ID_DIFFERS, other_build_id),
    BETWEEN("the build id of the module before", MODULE_BUILD_ID, id_of_other_module),
};

const struct fuzz_faults fuzz_between_faults = { faults, PC_COUNT_OF(faults) };
