/* SPDX-License-Identifier: MIT
 *
 * tracing_bench.h: trace data of a little-endian machine, with the format texts of a test.
 */
#ifndef PC_TRACING_BENCH_H
#define PC_TRACING_BENCH_H

#include "pc_test.h"

/* TRACING_DATA, version 0.5, with these texts in one system. */
static inline size_t tracing_data(unsigned char *to, const char *const *texts, size_t nr)
{
    static const char head[] = "\x17\x08\x44tracing0.5\0"       /* version */
                               "\0\x08\0\x10\0\0"               /* little-endian, sizeof(long), page size */
                               "header_page\0\0\0\0\0\0\0\0\0"  /* u64 size */
                               "header_event\0\0\0\0\0\0\0\0\0" /* u64 size */
                               "\0\0\0\0\x01\0\0\0s\0";         /* no format of ftrace; one system */
    size_t len = sizeof(head) - 1;
    memcpy(to, head, len);
    to[len] = (unsigned char)nr;
    len += 4;
    for (size_t i = 0; i < nr; i++) {
        size_t size = strlen(texts[i]);
        to[len] = (unsigned char)size;
        to[len + 1] = (unsigned char)(size >> 8);
        memcpy(to + len + 8, texts[i], size);
        len += 8 + size;
    }
    return len + 8; /* kallsyms, printk */
}

#define FORMAT(id, fields)                                                                                   \
    "name: a\nID: " id "\nformat:\n"                                                                         \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                           \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" fields "\nprint fmt: \"\"\n"

#endif
