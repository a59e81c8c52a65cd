/* SPDX-License-Identifier: MIT
 *
 * attr.h: attrs, which describe events, and the layouts that they give records:
 * include/uapi/linux/perf_event.h, struct perf_event_attr.
 */
#ifndef PC_ATTR_H
#define PC_ATTR_H

#include "format/field.h"

/* Slots after a walk of pc_attr_fields. */
enum {
    PC_ATTR_TYPE = PC_SLOT_F0,
    PC_ATTR_SIZE,
    PC_ATTR_CONFIG,
    PC_ATTR_PERIOD,
    PC_ATTR_SAMPLE_TYPE,
    PC_ATTR_READ_FORMAT,
    PC_ATTR_FLAGS, /* as on a little-endian machine */
    PC_ATTR_BRANCH_TYPE,
    PC_ATTR_REGS_USER,
    PC_ATTR_STACK_USER,
    PC_ATTR_CLOCKID,
    PC_ATTR_REGS_INTR,
    PC_ATTR_AUX_ACTION, /* the model keeps those before */
    PC_ATTR_SLOTS_END,
};

#define PC_ATTR_SIZE_MIN   64
#define PC_ATTR_SIZE_KNOWN 144
#define PC_ATTR_SIZE_AT    4 /* attr.size: how long the attr is must be known before it is walked */

/* The size of an attr that tells this one: 0 is that of the first revision. */
static inline uint64_t pc_attr_size(uint64_t told)
{
    return told == 0 ? PC_ATTR_SIZE_MIN : told;
}

extern const struct pc_field pc_attr_fields[];

/* include/uapi/linux/perf_event.h: enum perf_type_id; the kernel numbers PMUs from the last on. */
enum pc_attr_type {
    PC_TYPE_HARDWARE,
    PC_TYPE_SOFTWARE,
    PC_TYPE_TRACEPOINT,
    PC_TYPE_CACHE,
    PC_TYPE_RAW,
    PC_TYPE_BREAKPOINT,
    PC_TYPE_DYNAMIC
};
#define PC_TYPES_5_10 (PC_TYPE_DYNAMIC + 1) /* perf script of 5.10 has a table of the types below it */
#define PC_TYPE_SYNTH 0x80000000u           /* of what perf inject made of a trace: tools/perf/util/event.h */
/* PC_TYPE_SOFTWARE: config */
enum pc_software_event { PC_SOFTWARE_DUMMY = 9, PC_SOFTWARE_BPF_OUTPUT = 10 };
/* Events that perf itself counts, without the kernel, so that they have no ids (tools/perf/util/pmu.h: of
 * GPUs from 0xfffe0000, of sensors from 0xffff0000, of the tool 0xfffffffe). */
#define PC_TYPE_OWN_FIRST 0xfffe0000u
#define PC_TYPE_OWN_LAST  0xfffffffeu

static inline bool pc_type_is_own(uint64_t type)
{
    return type >= PC_TYPE_OWN_FIRST && type <= PC_TYPE_OWN_LAST;
}

#define PC_FLAG(bit)           ((uint64_t)1 << (bit))
#define PC_FLAG_INHERIT        PC_FLAG(1)
#define PC_FLAG_EXCLUDE_USER   PC_FLAG(4)
#define PC_FLAG_EXCLUDE_KERNEL PC_FLAG(5)
#define PC_FLAG_EXCLUDE_HV     PC_FLAG(6)
#define PC_FLAG_EXCLUDE_IDLE   PC_FLAG(7)
#define PC_FLAG_FREQ           PC_FLAG(10)
#define PC_FLAG_ENABLE_ON_EXEC PC_FLAG(12)
#define PC_FLAG_PRECISE_IP     (PC_FLAG(15) | PC_FLAG(16))
#define PC_PRECISE_IP(flags)   ((unsigned)((flags) >> 15 & 3))
#define PC_FLAG_SAMPLE_ID_ALL  PC_FLAG(18)
#define PC_FLAG_EXCLUDE_HOST   PC_FLAG(19)
#define PC_FLAG_USE_CLOCKID    PC_FLAG(25)
#define PC_FLAG_WRITE_BACKWARD PC_FLAG(27)
#define PC_FLAG_BUILD_ID       PC_FLAG(34)
#define PC_FLAG_INHERIT_THREAD PC_FLAG(35)
#define PC_FLAG_REMOVE_ON_EXEC PC_FLAG(36)
#define PC_FLAG_SIGTRAP        PC_FLAG(37)
#define PC_FLAG_DEFER_CHAIN    PC_FLAG(38)
#define PC_FLAG_DEFER_OUTPUT   PC_FLAG(39)

/* include/uapi/linux/perf_event.h: enum perf_event_sample_format */
#define PC_S_IP             PC_FLAG(0)
#define PC_S_TID            PC_FLAG(1)
#define PC_S_TIME           PC_FLAG(2)
#define PC_S_ADDR           PC_FLAG(3)
#define PC_S_READ           PC_FLAG(4)
#define PC_S_CALLCHAIN      PC_FLAG(5)
#define PC_S_ID             PC_FLAG(6)
#define PC_S_CPU            PC_FLAG(7)
#define PC_S_PERIOD         PC_FLAG(8)
#define PC_S_STREAM_ID      PC_FLAG(9)
#define PC_S_RAW            PC_FLAG(10)
#define PC_S_BRANCH_STACK   PC_FLAG(11)
#define PC_S_REGS_USER      PC_FLAG(12)
#define PC_S_STACK_USER     PC_FLAG(13)
#define PC_S_WEIGHT         PC_FLAG(14)
#define PC_S_DATA_SRC       PC_FLAG(15)
#define PC_S_IDENTIFIER     PC_FLAG(16)
#define PC_S_TRANSACTION    PC_FLAG(17)
#define PC_S_REGS_INTR      PC_FLAG(18)
#define PC_S_PHYS_ADDR      PC_FLAG(19)
#define PC_S_AUX            PC_FLAG(20)
#define PC_S_CGROUP         PC_FLAG(21)
#define PC_S_DATA_PAGE_SIZE PC_FLAG(22)
#define PC_S_CODE_PAGE_SIZE PC_FLAG(23)
#define PC_S_WEIGHT_STRUCT  PC_FLAG(24)
#define PC_S_BITS           25

#define PC_READ_ENABLED 1
#define PC_READ_RUNNING 2
#define PC_READ_ID      4
#define PC_READ_GROUP   8
#define PC_READ_LOST    16
#define PC_READ_BITS    5

#define PC_BRANCH_BITS       20
#define PC_BRANCH_CALL_STACK PC_FLAG(11)
#define PC_BRANCH_HW_INDEX   PC_FLAG(17)
#define PC_BRANCH_PRIV_SAVE  PC_FLAG(18)
#define PC_BRANCH_COUNTERS   PC_FLAG(19)

extern const struct pc_name pc_sample_type_names[]; /* value: bit mask; name NULL ends it */
extern const struct pc_name pc_attr_type_names[];

/* The smallest size of an attr of a released perf that has so many bytes; 0: none has. */
uint64_t pc_attr_size_holding(uint64_t bytes);

/* Whether attrs of a released perf have this size. */
bool pc_attr_size_known(uint64_t size);

/* Fills PC_SLOTS slots from an attr in at least as many bytes as it has (more are left alone). False when
 * there are fewer than the smallest attr has, or a member is cut. */
bool pc_attr_walk(struct pc_span attr, enum pc_order order, uint64_t *slot);

/* The layout of records of an attr, from the slots of its walk. */
struct pc_layout pc_attr_layout(const uint64_t *slot);

/* The names of these flags of one bit, as far as there is room: "build_id, inherit_thread". */
void pc_attr_flag_names(uint64_t flags, char *to, size_t size);

#endif
