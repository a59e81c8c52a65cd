/* SPDX-License-Identifier: MIT
 *
 * witness_bench.h: a capture that is read item by item.
 */
#ifndef WITNESS_BENCH_H
#define WITNESS_BENCH_H

#include "scratch.h"
#include "scan_whole.h"
#include "captures.h"

#include <string.h>

static struct pc_scan scan;
static struct pc_policy policy;

static void begin_scan(const char *path)
{
    struct pc_limits limits;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    pc_scan_init(&scan, &policy, &limits);
    assert_true(pc_scan_open(&scan, path));
}

static void end_scan(void)
{
    pc_scan_end(&scan);
    pc_scan_clear(&scan);
}

#endif
