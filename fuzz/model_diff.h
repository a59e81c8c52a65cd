/* SPDX-License-Identifier: MIT
 *
 * model_diff.h: counts what the harness model_diff has compared, for the program that prints the counts.
 */
#ifndef PC_FUZZ_MODEL_DIFF_H
#define PC_FUZZ_MODEL_DIFF_H

#include <stdint.h>

struct fuzz_agreement {
    uint64_t inputs;
    uint64_t accepted; /* by both */
    uint64_t refused;  /* by both */
    uint64_t unjudged; /* refused by the library only, for reasons that the model does not know */
    uint64_t limited;  /* one of the two met a limit */
    uint64_t parts;    /* headers, attrs, features, records and what is after them, in both */
    uint64_t samples;  /* ... of them */
    uint64_t values;   /* fields of them at the same place, of the same size and value */
    uint64_t sums;     /* captures in which times and losses were compared */
};
extern struct fuzz_agreement fuzz_agreement;

#endif
