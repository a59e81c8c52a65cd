/* SPDX-License-Identifier: MIT
 *
 * features.h: what the files with rules of features share.
 */
#ifndef PC_CHECK_FEATURES_H
#define PC_CHECK_FEATURES_H

#include "check/judge.h"

/* A leaf of TRACING_DATA. */
void pc_check_tracing_leaf(struct pc_judge *judge, const struct pc_leaf *leaf);

/* A leaf of a feature about the machine: CPUs, memory, PMUs. */
void pc_check_machine_leaf(struct pc_judge *judge, const struct pc_leaf *leaf);

/* A leaf of FILE or FILE2; the bytes of DEBUG_UNWIND_FILE, where they are. */
void pc_check_symbol_leaf(struct pc_judge *judge, const struct pc_leaf *leaf);
void pc_check_file_kind(struct pc_judge *judge, const struct pc_walk *walk);
void pc_check_unwind_files(struct pc_judge *judge, size_t at, uint64_t len);
void pc_check_branch_list_leaf(struct pc_judge *judge, const struct pc_leaf *leaf);
void pc_check_branch_list(struct pc_judge *judge, const struct pc_walk *walk, size_t at);

#endif
