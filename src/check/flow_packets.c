/* SPDX-License-Identifier: MIT
 *
 * Traces of Intel PT: whether perf's decoder gets a first state, with a time and an address, before it meets
 * a packet that needs one: tools/perf/util/intel-pt-decoder/intel-pt-decoder.c: intel_pt_walk_psb,
 * intel_pt_overflow; tools/perf/util/intel-pt.c: intel_pt_setup_queue. What a processor writes is in Intel's
 * Software Developer's Manual, volume 3, in the chapter about Intel Processor Trace.
 */
#include "check/flow_rule.h"

#include <string.h>

#define PSB_SIZE 16
#define LARGEST  16 /* bytes of a packet */

enum { LONG = 0x02, TSC = 0x19, MTC = 0x59, MODE = 0x99 }; /* first bytes of packets */
enum {
    PGD = 0x01,
    TIP = 0x0d,
    PGE = 0x11,
    FUP = 0x1d,
    IP = 0x1f
}; /* the lowest bits of those with addresses */
enum { PSBEND = 0x23, PSB = 0x82, MNT = 0xc3, OVF = 0xf3, BBP = 0x63 }; /* what follows LONG ... */
enum { CBR = 0x03, PIP = 0x43, TMA = 0x73, VMCS = 0xc8, LONG_TNT = 0xa3 };
enum {
    PTW = 0x12,
    PTW_8 = 0x32,
    CFE = 0x13,
    EXSTOP = 0x62,
    IP_TOO = 0x80
}; /* ... with IP_TOO before a FUP */
enum { PWRE = 0x22, PWRX = 0xa2, MWAIT = 0xc2, EVD = 0x53, TRACE_STOP = 0x83 };

enum place {
    BEFORE_PSB,
    AFTER_PSB, /* a processor tells its state, up to PSBEND */
    LOST,      /* after an overflow, up to an address */
    UNTIMED,   /* after that address, but no time came */
    DONE,      /* what follows of this trace is not looked at */
};

struct packets {
    bool is_pt;    /* the traces are of Intel PT ... */
    bool has_tsc;  /* ... and their packets have times */
    bool has_time; /* a TSC came */
    enum place place;
    unsigned have; /* bytes of the PSB, or then of the current packet */
    unsigned char packet[LARGEST];
};

enum kind {
    NONE,    /* no packet */
    STATE,   /* may come after a PSB and after an overflow */
    OTHER,   /* not after a PSB */
    ADDRESS, /* tells where the processor is; after a PSB only FUP */
    BRANCH,  /* tells where it goes from an address that is known */
};

struct shape {
    unsigned size; /* more than there are bytes: they do not tell yet, or it goes on */
    enum kind kind;
};

static void note_kind(struct pc_flow *flow, struct packets *own, const uint64_t *slot)
{
    *own = (struct packets){ .is_pt = slot[PC_REC_TYPE] == PC_TRACE_INTEL_PT };
    for (size_t i = 0; own->is_pt && slot[PC_REC_START] != 0 && i < flow->capture->nr_attrs; i++) {
        const struct pc_attr *attr = &flow->capture->attr[i];
        own->has_tsc |= pc_attr_get(attr, PC_ATTR_TYPE) == slot[PC_REC_TRACE_PMU] &&
                        (pc_attr_get(attr, PC_ATTR_CONFIG) & slot[PC_REC_TSC_BIT]);
    }
    flow->work += flow->capture->nr_attrs;
}

/* A TSC has the lower 56 bits of a time, the reference of the record the others: intel_pt_calc_tsc_timestamp
 * leaves it out when there is none. */
static void judge_record(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct packets *own = state;
    if (record->item->type == PC_AUXTRACE_INFO)
        note_kind(flow, own, record->slot);
    else if (own->is_pt && own->has_tsc && record->slot[PC_REC_REFERENCE] == 0)
        pc_flow_say_slot(flow, record, PC_D_AUXTRACE_REFERENCE, PC_REC_REFERENCE, pc_none, pc_none);
}

static void begin_trace(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    struct packets *own = state;
    (void)flow;
    if (item->type == PC_AUXTRACE)
        *own = (struct packets){ .is_pt = own->is_pt,
                                 .has_tsc = own->has_tsc,
                                 .place = own->is_pt ? BEFORE_PSB : DONE };
}

/* A packet that begins with LONG, by its second byte. */
static struct shape long_shape(unsigned char second)
{
    static const struct {
        unsigned char second, size;
        enum kind kind;
    } rows[] = { { PSBEND, 2, STATE },    { PSB, PSB_SIZE, STATE },
                 { MNT, 11, STATE },      { OVF, 2, STATE },
                 { CBR, 4, STATE },       { PIP, 8, STATE },
                 { TMA, 7, STATE },       { VMCS, 7, STATE },
                 { BBP, 3, OTHER },       { LONG_TNT, 8, BRANCH },
                 { PTW, 6, OTHER },       { PTW | IP_TOO, 6, OTHER },
                 { PTW_8, 10, OTHER },    { PTW_8 | IP_TOO, 10, OTHER },
                 { CFE, 4, OTHER },       { CFE | IP_TOO, 4, OTHER },
                 { EXSTOP, 2, OTHER },    { EXSTOP | IP_TOO, 2, OTHER },
                 { PWRE, 4, OTHER },      { PWRX, 7, OTHER },
                 { MWAIT, 10, OTHER },    { EVD, 11, OTHER },
                 { TRACE_STOP, 2, OTHER } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        if (rows[i].second == second)
            return (struct shape){ rows[i].size, rows[i].kind };
    }
    return (struct shape){ 0, NONE };
}

/* What a packet that begins with these bytes is. */
static struct shape shape_of(const unsigned char *byte, unsigned have)
{
    static const unsigned char with_address[] = { 1, 3, 5, 7, 7, 0, 9, 0 };
    const unsigned address = with_address[byte[0] >> 5], ip = byte[0] & IP;
    if (byte[0] == LONG)
        return have == 1 ? (struct shape){ 2, STATE } : long_shape(byte[1]);
    if (byte[0] == TSC)
        return (struct shape){ 8, STATE };
    if (byte[0] == MTC || byte[0] == MODE)
        return (struct shape){ 2, STATE };
    if (ip == FUP || ip == PGE)
        return (struct shape){ address, address ? ADDRESS : NONE };
    if (ip == TIP || ip == PGD)
        return (struct shape){ address, address ? BRANCH : NONE };
    if (byte[0] % 2 == 0)
        return (struct shape){ 1, byte[0] == 0 ? STATE : BRANCH }; /* PAD, TNT */
    if ((byte[0] & 3) != 3)
        return (struct shape){ 0, NONE };
    /* CYC: a bit of each byte says whether there is a next one. */
    const bool more = byte[have - 1] & (have == 1 ? 4 : 1);
    return more && have == LARGEST ? (struct shape){ 0, NONE } : (struct shape){ have + more, STATE };
}

/* Whether the rest of a packet is what its first bytes promise. */
static bool is_sound(const unsigned char *packet)
{
    const unsigned modes = 2; /* MODE.Exec and MODE.TSX */
    if (packet[0] == MODE)
        return packet[1] >> 5 < modes;
    if (packet[0] == LONG && packet[1] == MNT)
        return packet[2] == 0x88;
    return packet[0] != LONG || packet[1] != PSB || memcmp(packet, packet + 2, PSB_SIZE - 2) == 0;
}

/* Whether a processor writes such a packet at this place. */
static bool belongs(const struct packets *own, enum kind kind)
{
    if (own->place == AFTER_PSB)
        return kind == STATE || (kind == ADDRESS && (own->packet[0] & IP) == FUP);
    return kind != NONE && (kind != BRANCH || own->place == UNTIMED);
}

/* Goes on after a packet. False: it is wrong. */
static bool follow(struct packets *own, enum kind kind)
{
    static const unsigned char no_time[7];
    const unsigned char *packet = own->packet, second = packet[0] == LONG ? packet[1] : 0;
    const bool timed = own->has_time || !own->has_tsc;
    if (packet[0] == TSC)
        own->has_time |= memcmp(packet + 1, no_time, sizeof no_time) != 0;
    else if (second == PSB)
        own->place = AFTER_PSB;
    else if (second == OVF)
        own->place = LOST;
    else if (second == BBP) /* begins a block of packets of other kinds */
        own->place = DONE;
    else if (own->place == LOST && kind == ADDRESS && packet[0] >> 5 != 0)
        own->place = timed ? DONE : UNTIMED;
    if (own->place != AFTER_PSB || second != PSBEND)
        return true;
    own->place = DONE;
    return timed;
}

/* A byte of what follows a PSB. What it is about, if it makes a packet one that kills. */
static enum pc_diag take_byte(struct packets *own, unsigned char byte)
{
    own->packet[own->have++] = byte;
    const struct shape shape = shape_of(own->packet, own->have);
    if (!belongs(own, shape.kind))
        return PC_D_AUXTRACE_PSB;
    if (own->place == UNTIMED && (shape.kind == BRANCH || (own->packet[0] & IP) == FUP))
        return PC_D_FOR_PT_UNTIMED;
    if (shape.size > own->have)
        return PC_NO_DIAG;
    own->have = 0;
    return is_sound(own->packet) && follow(own, shape.kind) ? PC_NO_DIAG : PC_D_AUXTRACE_PSB;
}

static void take_bytes(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    struct packets *own = state;
    size_t i = 0;
    for (; i < item->bytes.len && own->place != DONE; i++) {
        const unsigned char byte = item->bytes.ptr[i];
        if (own->place == BEFORE_PSB) {
            own->have = byte == (own->have % 2 ? PSB : LONG) ? own->have + 1 : byte == LONG;
            own->place = own->have == PSB_SIZE ? AFTER_PSB : BEFORE_PSB;
            own->have %= PSB_SIZE;
            continue;
        }
        unsigned before = own->have;
        enum pc_diag wrong = take_byte(own, byte);
        if (wrong == PC_NO_DIAG)
            continue;
        own->place = DONE;
        flow->at = pc_item_context(item);
        flow->at.offset += i - before;
        if (wrong == PC_D_FOR_PT_UNTIMED)
            pc_flow_say_for(flow, wrong, pc_diag_info(wrong)->rejected_by, 0, before + 1, pc_none);
        else
            pc_flow_say(flow, wrong, 0, before + 1, pc_none, pc_none);
    }
    flow->work += i;
}

const struct pc_flow_rule pc_flow_rule_packets = {
    .size = sizeof(struct packets),
    .types = (const uint16_t[]){ PC_AUXTRACE_INFO, PC_AUXTRACE, 0 },
    .record = judge_record,
    .came = begin_trace,
    .payload = take_bytes,
};
