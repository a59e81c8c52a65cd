/* SPDX-License-Identifier: MIT
 *
 * build_capture.h: any bytes become a sound capture: with few of them a small one, zeros where they end; a
 * byte that changes changes the attr, the record or the feature that it stands for. The capture itself is
 * made by tests/generate.h from the tables.
 */
#ifndef PC_FUZZ_BUILD_CAPTURE_H
#define PC_FUZZ_BUILD_CAPTURE_H

#include "base.h"

struct fuzz_built {
    unsigned char *bytes; /* free() */
    size_t len;
    bool pipe;
    enum pc_order order;
};

void fuzz_build(struct pc_span plan, struct fuzz_built *built);

#endif
