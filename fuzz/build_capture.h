/* SPDX-License-Identifier: MIT
 *
 * build_capture.h: makes a sound capture of any bytes. Few bytes make a small capture; missing bytes count
 * as zeros. Each byte belongs to one attr, record or feature, and changes only that. tests/generate makes
 * the capture itself from the tables.
 */
#ifndef PC_FUZZ_BUILD_CAPTURE_H
#define PC_FUZZ_BUILD_CAPTURE_H

#include "base/base.h"
#include "report/diag.h"

#define FUZZ_MEMBERS 8

struct fuzz_member {
    const char *name; /* "data", "data.0", "kcore_dir/kcore" */
    unsigned char *bytes;
    size_t len;
};

struct fuzz_built {
    unsigned char *bytes; /* of a file or a pipe */
    size_t len;
    struct fuzz_member member[FUZZ_MEMBERS]; /* of a directory; `data` is the first */
    unsigned nr_members;
    bool pipe, directory, compressed;
    bool canonical; /* it is its own canonical copy */
    enum pc_order order;
};

/* fuzz_built_free frees what it contains. */
void fuzz_build(struct pc_span plan, struct fuzz_built *built);
/* The same without what this version of perf does not know, so that many captures are sound for it. */
void fuzz_build_for(struct pc_span plan, enum pc_versions version, struct fuzz_built *built);
/* A file or a pipe without compression, whatever container the plan asks for. */
void fuzz_build_plain(struct pc_span plan, struct fuzz_built *built);

void fuzz_built_free(struct fuzz_built *built);

#endif
