/* SPDX-License-Identifier: MIT
 *
 * The tracepoint of generated captures: its format, a payload of it, trace data.
 */
#include "generate/parts.h"

#include <string.h>

static const char generate_format[] =
    "name: e\nID: 7\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:__rel_loc u16[] words;\toffset:8;\tsize:4;\tsigned:0;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
    "\tfield:u64 value;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char comm[4];\toffset:24;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"%d\", REC->value\n";

/* A payload of the event above: 44 bytes. */
void gen_payload(struct generate *g, unsigned char *to)
{
    uint64_t random = g->seed * 2 + g->time;
    memset(to, 0, 44);
    synth_store_as(to, 2, 7, g->order);
    to[2] = to[3] = 1;
    synth_store_as(to + 4, 4, 100, g->order);
    synth_store_as(to + 8, 4, 6 << 16 | 16, g->order); /* 6 bytes at 12 + 16 */
    synth_store_as(to + 12, 4, 5 << 16 | 34, g->order);
    synth_store_as(to + 16, 8, synth_random(&random), g->order);
    memcpy(to + 24, "abc", 3);
    for (unsigned i = 0; i < 3; i++)
        synth_store_as(to + 28 + 2 * i, 2, synth_random(&random) & 0xffff, g->order);
    memcpy(to + 34, "name", 4);
}

void gen_tracing_data(struct generate *g)
{
    static const char page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                               "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                               "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
                               "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
    gen_put(g, "\x17\x08\x44tracing0.6", 14);
    gen_put(g, g->order == PC_BIG ? "\1\10" : "\0\10", 2); /* order, sizeof(long) */
    gen_int(g, 4, 4096);
    gen_put(g, "header_page", 12);
    gen_int(g, 8, sizeof(page) - 1);
    gen_put(g, page, sizeof(page) - 1);
    gen_put(g, "header_event", 13);
    gen_int(g, 8, 5);
    gen_put(g, "event", 5);
    gen_int(g, 4, 0); /* formats of ftrace */
    gen_int(g, 4, 1); /* systems */
    gen_put(g, "sys", 4);
    gen_int(g, 4, 1);
    gen_int(g, 8, sizeof(generate_format) - 1);
    gen_put(g, generate_format, sizeof(generate_format) - 1);
    gen_int(g, 4, 0); /* kallsyms */
    gen_int(g, 4, 0); /* printk */
    gen_int(g, 8, 7); /* cmdlines */
    gen_put(g, "100 cat", 7);
}
