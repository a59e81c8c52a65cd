/* SPDX-License-Identifier: MIT
 *
 * scan_whole.h: a capture checked from its first byte to its last one in one call, for tests and harnesses.
 */
#ifndef PC_SCAN_WHOLE_H
#define PC_SCAN_WHOLE_H

#include "check/scan.h"

/* What scan->in has, which is open. */
static inline void pc_scan_input(struct pc_scan *scan)
{
    pc_scan_rest(scan);
    pc_scan_end(scan);
}

/* The file or directory at a path. */
static inline void pc_scan_path(struct pc_scan *scan, const char *path)
{
    if (pc_scan_open(scan, path))
        pc_scan_input(scan);
}

/* Bytes in memory, as a file or as a stream. */
static inline void pc_scan_memory(struct pc_scan *scan, struct pc_span bytes, enum pc_input_kind kind)
{
    pc_input_memory(&scan->in, bytes, kind);
    pc_scan_input(scan);
}

#endif
