/* SPDX-License-Identifier: MIT
 *
 * Traces of Intel PT: the packets after the first PSB of each AUXTRACE, from which perf's decoder takes the
 * first time and address: tools/perf/util/intel-pt-decoder/intel-pt-decoder.c: intel_pt_walk_psb.
 */
#include "check/flow_rule.h"

#include <string.h>

#define PSB_SIZE 16
#define LARGEST  16 /* bytes of a packet */

enum { TSC = 0x19, MTC = 0x59, MODE = 0x99, FUP = 0x1d, LONG = 0x02 }; /* first bytes of packets */
enum { CBR = 0x03, PSBEND = 0x23, PIP = 0x43, TMA = 0x73, PSB = 0x82, MNT = 0xc3, VMCS = 0xc8, OVF = 0xf3 };

struct packets {
    bool is_pt;    /* the traces are of Intel PT ... */
    bool has_tsc;  /* ... and their packets have times */
    bool done;     /* what follows of this trace is not looked at */
    bool inside;   /* after a PSB */
    bool has_time; /* a TSC came */
    unsigned have; /* bytes of the PSB, or then of the current packet */
    unsigned char packet[LARGEST];
};

static void note_kind(struct pc_flow *flow, void *state, const struct pc_facts *record)
{
    struct packets *own = state;
    const uint64_t *slot = record->slot;
    if (record->item->type != PC_AUXTRACE_INFO)
        return;
    *own = (struct packets){ .is_pt = slot[PC_REC_TYPE] == PC_TRACE_INTEL_PT };
    for (size_t i = 0; own->is_pt && slot[PC_REC_START] != 0 && i < flow->capture->nr_attrs; i++) {
        const struct pc_attr *attr = &flow->capture->attr[i];
        own->has_tsc |= pc_attr_get(attr, PC_ATTR_TYPE) == slot[PC_REC_TRACE_PMU] &&
                        (pc_attr_get(attr, PC_ATTR_CONFIG) & slot[PC_REC_TSC_BIT]);
    }
    flow->work += flow->capture->nr_attrs;
}

static void begin_trace(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    struct packets *own = state;
    (void)flow;
    if (item->type == PC_AUXTRACE)
        *own = (struct packets){ .is_pt = own->is_pt, .has_tsc = own->has_tsc, .done = !own->is_pt };
}

/* How many bytes have a packet that begins with these. More than there are: they do not tell yet, or it goes
 * on. 0: no processor writes it between PSB and PSBEND. */
static unsigned packet_size(const unsigned char *byte, unsigned have)
{
    static const unsigned char with_address[] = { 1, 3, 5, 7, 7, 0, 9, 0 };
    static const struct {
        unsigned char second, size;
    } longer[] = { { CBR, 4 },        { PSBEND, 2 }, { PIP, 8 },  { TMA, 7 },
                   { PSB, PSB_SIZE }, { MNT, 11 },   { VMCS, 7 }, { OVF, 2 } };
    if (byte[0] == 0)
        return 1;
    if (byte[0] == TSC)
        return 8;
    if (byte[0] == MTC || byte[0] == MODE)
        return 2;
    if ((byte[0] & 0x1f) == FUP)
        return with_address[byte[0] >> 5];
    if ((byte[0] & 3) == 3) /* CYC: a bit of each byte says whether there is a next one */
        return !(byte[have - 1] & (have == 1 ? 4 : 1)) ? have : have < LARGEST ? have + 1 : 0;
    if (byte[0] != LONG || have == 1)
        return byte[0] == LONG ? 2 : 0;
    for (size_t i = 0; i < PC_COUNT_OF(longer); i++) {
        if (byte[1] == longer[i].second)
            return longer[i].size;
    }
    return 0;
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

/* A byte of what follows a PSB. False: the packet that it belongs to is wrong there. */
static bool take_byte(struct packets *own, unsigned char byte)
{
    static const unsigned char no_time[7];
    const unsigned char *packet = own->packet;
    own->packet[own->have++] = byte;
    unsigned size = packet_size(packet, own->have);
    if (size > own->have)
        return true;
    if (size == 0 || !is_sound(packet))
        return false;
    own->have = 0;
    if (packet[0] == TSC)
        own->has_time |= memcmp(packet + 1, no_time, sizeof no_time) != 0;
    if (packet[0] == LONG && (packet[1] == PSBEND || packet[1] == OVF))
        own->done = true;
    return packet[0] != LONG || packet[1] != PSBEND || own->has_time || !own->has_tsc;
}

static void take_bytes(struct pc_flow *flow, void *state, const struct pc_item *item)
{
    struct packets *own = state;
    size_t i = 0;
    for (; i < item->bytes.len && !own->done; i++) {
        const unsigned char byte = item->bytes.ptr[i];
        if (!own->inside) {
            own->have = byte == (own->have % 2 ? PSB : LONG) ? own->have + 1 : byte == LONG;
            own->inside = own->have == PSB_SIZE;
            own->have %= PSB_SIZE;
            continue;
        }
        unsigned before = own->have;
        if (take_byte(own, byte))
            continue;
        own->done = true;
        flow->at = pc_item_context(item);
        flow->at.offset += i - before;
        pc_flow_say(flow, PC_D_AUXTRACE_PSB, 0, before + 1, pc_none, pc_none);
    }
    flow->work += i;
}

const struct pc_flow_rule pc_flow_rule_packets = {
    .size = sizeof(struct packets),
    .types = (const uint16_t[]){ PC_AUXTRACE_INFO, PC_AUXTRACE, 0 },
    .record = note_kind,
    .came = begin_trace,
    .payload = take_bytes,
};
