/* SPDX-License-Identifier: MIT
 *
 * attrs.c: attrs of all sizes and with all members.
 */
#include "native.h"

void put_event_desc(void)
{
    begin_feature(F_EVENT_DESC);
    PUT(two, (u32)nr_attrs, attrs[0].attr.size);
    for (size_t i = 0; i < nr_attrs; i++) {
        char name[32];
        snprintf(name, sizeof(name), "event-%u", (unsigned)i);
        put(&attrs[i].attr, attrs[i].attr.size);
        put32((u32)attrs[i].nr_ids);
        put_hstr(name);
        put(attrs[i].ids, attrs[i].nr_ids * 8);
    }
    out = &data;
}

/* Every member; what lies after the size is not written. */
static struct attr full_attr(u32 size, unsigned k)
{
    return (struct attr){
        .type = D16(k + 1),
        .size = size,
        .config = D64(k + 2),
        .sample_period = D64(k + 3),
        .sample_type = 0x00a1c187, /* nothing that needs another member */
        .read_format = R_ENABLED | R_ID | R_LOST,
        .disabled = 1,
        .pinned = 1,
        .exclude_kernel = 1,
        .mmap = 1,
        .comm = 1,
        .task = 1,
        .precise_ip = 2,
        .exclude_guest = 1,
        .mmap2 = 1,
        .comm_exec = 1,
        .ksymbol = 1,
        .aux_output = 1,
        .build_id = 1,
        .wakeup_events = D32(k + 4),
        .bp_type = D32(k + 5),
        .config1 = D64(k + 6),
        .config2 = D64(k + 7),
        .branch_sample_type = D64(k + 8) & ~(u64)0x800, /* CALL_STACK needs branches */
        .sample_regs_user = D64(k + 9),
        .sample_stack_user = D32(k + 10),
        .clockid = (s32)D32(k + 11),
        .sample_regs_intr = D64(k + 12),
        .aux_watermark = D32(k + 13),
        .sample_max_stack = D16(k + 14),
        .aux_sample_size = D32(k + 15),
        .aux_start_paused = k % 2,
        .aux_pause = 1 - k % 2,
        .aux_resume = k % 2,
        .sig_data = D64(k + 16),
        .config3 = D64(k + 17),
        .config4 = D64(k + 18),
    };
}

void make_attr(unsigned size)
{
    add_attr(full_attr(size, 0x10), false);
    add_attr(full_attr(size, 0x31), false)->clockid = -0x01020304;
    common_features();
    put_event_desc();
    comm_record(0);
}

void make_attr_pipe(unsigned size)
{
    is_pipe = true;
    make_attr(size);
}

void make_flags(unsigned all)
{
    struct attr attr;
#define FLAG(...)                                                                                            \
    attr = (struct attr){ .type = 1,                                                                         \
                          .size = 64,                                                                        \
                          .config = 9,                                                                       \
                          .sample_type = S_IDENTIFIER,                                                       \
                          .sample_id_all = all & 1,                                                          \
                          __VA_ARGS__ };                                                                     \
    add_attr(attr, false)
    FLAG(.sample_period = D64(1));
    FLAG(.disabled = 1);
    FLAG(.inherit = 1);
    FLAG(.pinned = 1);
    FLAG(.exclusive = 1);
    FLAG(.exclude_user = 1);
    FLAG(.exclude_kernel = 1);
    FLAG(.exclude_hv = 1);
    FLAG(.exclude_idle = 1);
    FLAG(.mmap = 1);
    FLAG(.comm = 1);
    FLAG(.freq = 1, .sample_period = D64(2));
    FLAG(.inherit_stat = 1);
    FLAG(.enable_on_exec = 1);
    FLAG(.task = 1);
    FLAG(.watermark = 1, .wakeup_events = D32(3));
    FLAG(.precise_ip = 1);
    FLAG(.precise_ip = 2);
    FLAG(.precise_ip = 3);
    FLAG(.mmap_data = 1);
    FLAG(.exclude_host = 1);
    FLAG(.exclude_guest = 1);
    FLAG(.exclude_callchain_kernel = 1);
    FLAG(.exclude_callchain_user = 1);
    FLAG(.mmap2 = 1);
    FLAG(.comm_exec = 1);
    FLAG(.use_clockid = 1);
    FLAG(.context_switch = 1);
    FLAG(.write_backward = 1);
    FLAG(.namespaces = 1);
    FLAG(.ksymbol = 1);
    FLAG(.bpf_event = 1);
    FLAG(.aux_output = 1);
    FLAG(.cgroup = 1);
    FLAG(.text_poke = 1);
    FLAG(.build_id = 1);
    FLAG(.inherit = 1, .inherit_thread = 1);
    FLAG(.remove_on_exec = 1);
    FLAG(.remove_on_exec = 1, .sigtrap = 1);
    FLAG(.defer_output = 1);
    FLAG(.defer_callchain = 1, .sample_type = S_IDENTIFIER | S_CALLCHAIN);
    common_features();
    comm_record(0);
}

void make_members(unsigned unused)
{
    (void)unused;
    struct attr base = sampling(S_IDENTIFIER | S_TIME);
    struct attr *attr = add_attr(base, false);
    attr->use_clockid = 1;
    attr->clockid = 11;
    attr = add_attr(base, false);
    attr->aux_start_paused = 1;
    add_attr(base, false)->aux_pause = 1;
    add_attr(base, false)->aux_resume = 1;
    attr = add_attr(base, false);
    attr->aux_start_paused = attr->aux_pause = attr->aux_resume = 1;
    attr = add_attr(base, false);
    attr->sigtrap = attr->remove_on_exec = 1;
    attr->sig_data = D64(0x41);
    attr = add_attr(base, false);
    attr->type = 5; /* a breakpoint */
    attr->bp_type = 3;
    attr->config1 = D64(0x42);
    attr->config2 = 8;
    common_features();
    begin_feature(F_CLOCK_DATA);
    PUT(two, 1, 11);
    put64s(2, 0x43);
    begin_feature(F_CLOCKID);
    put64(D64(0x46));
    put_event_desc();
    comm_record(0);
}
