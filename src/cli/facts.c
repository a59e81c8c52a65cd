/* SPDX-License-Identifier: MIT
 *
 * Names and sizes of a whole capture.
 */
#include "cli/facts.h"

const char *pc_verdict_name(const struct pc_scan *scan)
{
    static const char *const names[] = { "valid", "invalid", "unreadable" };
    return names[pc_scan_verdict(scan)];
}

const char *pc_container_name(const struct pc_scan *scan)
{
    if (scan->capture.is_directory)
        return "directory";
    if (!scan->recognised)
        return NULL;
    return scan->capture.is_pipe ? "pipe" : "file";
}

uint64_t pc_size_of(const struct pc_scan *scan)
{
    const struct pc_directory *dir = &scan->reader.directory;
    uint64_t size = 0;
    if (!scan->capture.is_directory)
        return scan->in.kind == PC_INPUT_FILE ? scan->in.size : scan->check.sum.size;
    for (size_t i = 0; i < dir->nr; i++)
        size = pc_add_saturated(size, dir->member[i].size);
    return size;
}

const char *pc_order_name(const struct pc_scan *scan)
{
    return scan->capture.order == PC_BIG ? "big" : "little";
}

uint64_t pc_ratio_of(const struct pc_summary *sum)
{
    uint64_t out = sum->compressed_out, in = sum->compressed_in;
    if (in == 0)
        return 0;
    return out > UINT64_MAX / 100 ? out / in * 100 : out * 100 / in;
}
