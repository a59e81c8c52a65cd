/* SPDX-License-Identifier: MIT
 *
 * trial.h: how many records a salvage saves. It is tried, and nothing is written. A check with its trial
 * costs no more, for each byte, than a few sound bytes cost; what would cost more is not tried, or not to its
 * end.
 */
#ifndef PC_CLI_TRIAL_H
#define PC_CLI_TRIAL_H

#include "perfcheck.h"

#include <stdbool.h>
#include <stdint.h>

#define PC_TRIAL_NOT_KNOWN UINT64_MAX

/* Whether a capture that was checked can be read again, and is not so large that a trial would take long. */
bool pc_trial_is_possible(perfcheck_t *pc, const char *path);

/* How many bytes the trial may read, of the capture and of copies. 0: too few to begin. */
uint64_t pc_trial_affords(perfcheck_t *pc);

struct pc_trial {
    uint64_t
        saves;  /* so many records, or PC_TRIAL_NOT_KNOWN: it needs to read too many bytes, or it failed */
    bool mends; /* it leaves out, mends or makes something */
};

/* Tries a salvage of that capture, which may read so many bytes. */
struct pc_trial pc_trial_run(perfcheck_t *pc, const char *path, uint64_t most);

#endif
