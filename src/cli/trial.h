/* SPDX-License-Identifier: MIT
 *
 * trial.h: how many records a salvage of a small capture saves. It is made, and its copy goes nowhere.
 */
#ifndef PC_TRIAL_H
#define PC_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "perfcheck.h"

#define PC_TRIAL_NOT_KNOWN UINT64_MAX

/* Whether a salvage can be tried, in a short time. */
bool pc_trial_can(perfcheck_t *pc, const char *path);

/* How many records it saves. PC_TRIAL_NOT_KNOWN: that takes long. errors: of the capture, which make it take
 * longer; 0 to try it anyway. mends: whether it leaves out, mends or makes something. */
uint64_t pc_trial(perfcheck_t *pc, const char *path, uint64_t errors, bool *mends);

#endif
