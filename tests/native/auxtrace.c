/* SPDX-License-Identifier: MIT
 *
 * auxtrace.c: AUX area traces of all decoders.
 */
#include "native.h"

struct auxtrace {
    u64 size, offset, reference;
    u32 idx, tid, cpu, reserved;
};

static void put_trace_cpus(unsigned nr_params)
{
    for (unsigned i = 0; i < 2; i++) {
        put64(i == 0 ? 0x4040404040404040 : 0x5050505050505050); /* ETMv4, ETE */
        put64(CPU + i);
        put64(nr_params + i);
        put64s(nr_params + i, 0x41 + 0x10 * i);
    }
}

static void put_trace_info(enum decoder decoder)
{
    begin(70, 0);
    PUT(two, decoder & 0xff, 0);
    switch (decoder) {
    case PT_MIN:
        put64s(10, 0x11);
        break;
    case PT_FILTER:
        put64s(16, 0x11);
        put64(24); /* of the text, without its NUL and its padding */
        put_string("filter main @ /usr/bin/a", 1);
        pad(record_at, 8);
        put64(D64(0x31)); /* event_trace */
        break;
    case PT_LONG:
        put64s(16, 0x11);
        put64(0);
        put64(D64(0x32));
        break;
    case BTS:
        put64s(6, 0x11);
        break;
    case ETM:
        put64(1);
        put64((u64)D32(0x11) << 32 | 2); /* PMU type and number of CPUs in one word */
        put64(D64(0x12));
        put_trace_cpus(5);
        break;
    case ETM_V0: /* the words of the CPUs are only words */
        put64(0);
        put64((u64)D32(0x11) << 32 | 2);
        put64(D64(0x12));
        put64s(9, 0x21);
        break;
    case SPE:
        put64s(2, 0x11);
        break;
    case SPE_V2:
        put64(2);
        put64(4);
        put64(D64(0x11));
        put64(2);
        put_trace_cpus(4);
        break;
    case CPUMSF:
        break;
    case PTT:
    case VPA:
        put64(D64(0x11));
        break;
    }
    end();
}

void make_aux(unsigned decoder)
{
    u64 places[2];
    struct attr attr = sampling(S_IDENTIFIER | S_TID | S_TIME | S_CPU);
    attr.sample_id_all = 1;
    attr.aux_watermark = D32(0x11);
    add_attr(attr, false);
    common_features();
    if (decoder == VPA)
        put_event_desc(); /* its decoder asks for names */
    put_id_index(false);
    put_trace_info((enum decoder)decoder);
    for (unsigned i = 0; i < 2; i++) {
        begin(11, 0); /* AUX */
        PUT(aux, 0x18 * i + ((u64)1 << 40), 0x18, 0);
        trailer(&attrs[0].attr, ID(0), TIME(i));
        end();
        places[i] = data_offset() + data.len;
        begin(71, 0); /* AUXTRACE, and the trace after it */
        PUT(auxtrace, 0x18, 0x18 * i + ((u64)1 << 40), D64(0x22), 0x0102 + i, D32(0x21 + i),
            i ? CPU + i : (u32)-1, 0);
        end();
        put_bytes(0x18, 0xd1);
    }
    if (!is_pipe) {
        begin_feature(F_AUXTRACE);
        put64(2);
        for (unsigned i = 0; i < 2; i++) {
            put64(places[i]);
            put64(48);
        }
    }
}

void make_aux_pipe(unsigned decoder)
{
    is_pipe = true;
    make_aux(decoder);
}
