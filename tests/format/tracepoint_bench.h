/* SPDX-License-Identifier: MIT
 *
 * tracepoint_bench.h: format texts as kernels write them, and what is changed in them.
 */
#ifndef PC_TRACEPOINT_BENCH_H
#define PC_TRACEPOINT_BENCH_H

#include "pc_test.h"
#include "format/print_fmt.h"
#include "format/tracepoint.h"
#include "format/tracepoint_type.h"

#include <stdio.h>

#define COMMON                                                                                               \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                           \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"

/* As kernel 6.18 prints it. */
static const char process_fork[] =
    "name: sched_process_fork\nID: 366\nformat:\n" COMMON "\n"
    "\tfield:__data_loc char[] parent_comm;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:pid_t parent_pid;\toffset:12;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] child_comm;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:pid_t child_pid;\toffset:20;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"comm=%s pid=%d child_comm=%s child_pid=%d\", __get_str(parent_comm), REC->parent_pid, "
    "__get_str(child_comm), REC->child_pid\n";

/* The same, with a shorter list. */
static const char contention_begin[] =
    "name: contention_begin\nID: 408\nformat:\n" COMMON "\n"
    "\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:unsigned int flags;\toffset:16;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"%p (flags=%s)\", REC->lock_addr, __print_flags(REC->flags, \"|\", { (1U << 0), \"SPIN\" }, "
    "{ (1U << 1), \"READ\" }, { (1U << 2), \"WRITE\" } )\n";

/* A field of every class, in forms that kernels print. */
static const char every_class[] =
    "name: every_class\nID: 65535\nformat:\n" COMMON
    "\tfield:int common_lock_depth;\toffset:8;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__data_loc unsigned int[] counts;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:__rel_loc u8[] bytes;\toffset:16;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc cpumask_t cpumask;\toffset:20;\tsize:4;\tsigned:0;\n"
    "\tfield:const char *const * argv;\toffset:24;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[TASK_COMM_LEN];\toffset:32;\tsize:16;\tsigned:0;\n"
    "\tfield:unsigned long args[6];\toffset:48;\tsize:48;\tsigned:0;\n"
    "\tfield:__u8 addr[16];\toffset:96;\tsize:16;\tsigned:0;\n"
    "\tfield:u32 words[16 + 1];\toffset:112;\tsize:68;\tsigned:0;\n"
    "\tfield:foo_t things[2];\toffset:180;\tsize:8;\tsigned:0;\n"
    "\tfield:struct foo thing;\toffset:192;\tsize:8;\tsigned:0;\n"
    "\tfield:foo_t large;\toffset:200;\tsize:24;\tsigned:0;\n"
    "\tfield:enum zone_type zone;\toffset:224;\tsize:4;\tsigned:1;\n"
    "\tfield:bool flag;\toffset:228;\tsize:1;\n"
    "\tfield:const char __attribute__((user)) * name;\toffset:232;\tsize:8;\tsigned:0;\n"
    "\tfield:struct foo table[4];\toffset:240;\tsize:32;\tsigned:0;\n"
    "\tfield:unsigned long rest[];\toffset:272;\tsize:0;\tsigned:0;\n\n"
    "print fmt: \"none\"\n";

static struct pc_tp_draft draft;

static inline struct pc_span span_of(const char *text)
{
    return (struct pc_span){ (const unsigned char *)text, strlen(text) };
}

/* Reads the text and its print fmt. */
static inline bool check(struct pc_span text, unsigned long_size, struct pc_tp_fault *fault)
{
    return pc_tp_read(&draft, text, long_size, fault) && pc_print_fmt_check(&draft, fault);
}

static inline struct pc_tracepoint *keep(struct pc_mem *mem, const char *text, unsigned long_size)
{
    struct pc_tp_fault fault;
    if (!check(span_of(text), long_size, &fault))
        fail_msg("%s at %zu", fault.reason, fault.at);
    struct pc_tracepoint *t = pc_tp_new(mem, &draft);
    assert_non_null(t);
    return t;
}

struct edit {
    const char *base, *find, *with;
    enum pc_tp_fault_kind kind;
    size_t at; /* of the fault, from the place of `find` */
    const char *reason;
};

static inline void run_edit(const struct edit *e)
{
    static char text[sizeof(every_class) + 200];
    const char *place = strstr(e->base, e->find);
    assert_non_null(place);
    size_t before = (size_t)(place - e->base);
    int len =
        snprintf(text, sizeof(text), "%.*s%s%s", (int)before, e->base, e->with, place + strlen(e->find));
    assert_true(len > 0 && (size_t)len < sizeof(text));
    struct pc_tp_fault fault;
    bool sound = check((struct pc_span){ (const unsigned char *)text, (size_t)len }, 8, &fault);
    if (e->kind == PC_TP_SOUND) {
        if (!sound)
            fail_msg("\"%s\" for \"%s\": %s at %zu", e->with, e->find, fault.reason, fault.at);
        return;
    }
    if (sound || fault.kind != e->kind || fault.at != before + e->at || strcmp(fault.reason, e->reason) != 0)
        fail_msg("\"%s\" for \"%s\": %s at %zd", e->with, e->find, sound ? "sound" : fault.reason,
                 (ssize_t)(fault.at - before));
}

#endif
