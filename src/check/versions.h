/* SPDX-License-Identifier: MIT
 *
 * versions.h: what each measured version of perf knows.
 */
#ifndef PC_CHECK_VERSIONS_H
#define PC_CHECK_VERSIONS_H

#include "report/diag.h"

/* What a version of perf knows: tools/perf/util/header.h, tools/lib/perf/include/perf/event.h of its release.
 */
struct pc_version_knows {
    enum pc_versions version;
    uint16_t attr_size;
    uint16_t kernel_type, user_type;                       /* the last of each */
    uint16_t feature, auxtrace, stat_config;               /* the last ones */
    uint64_t sample_type, read_format, flags, branch_type; /* bits */
};

/* The row of a version, of several that of the oldest, which knows least; NULL for PC_BY_NONE. */
const struct pc_version_knows *pc_version_knows(enum pc_versions version);

#endif
