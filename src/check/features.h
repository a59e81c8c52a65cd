/* SPDX-License-Identifier: MIT
 *
 * features.h: what the files with rules of features share.
 */
#ifndef PC_CHECK_FEATURES_H
#define PC_CHECK_FEATURES_H

#include "check/check.h"

/* The index in the array at this depth of the path, or PC_NO_INDEX. */
static inline uint64_t index_at(const struct pc_leaf *leaf, unsigned depth)
{
    return leaf->walk->depth > depth ? leaf->walk->path[depth].index : PC_NO_INDEX;
}

static inline uint64_t offset_of(const struct pc_check *check, const struct pc_leaf *leaf)
{
    return check->at.offset + leaf->at;
}

static inline struct pc_span text_of(const struct pc_leaf *leaf)
{
    return pc_part(leaf->raw, 4, leaf->raw.len - 4);
}

/* A leaf of EVENT_DESC or GROUP_DESC, compared with the attrs. */
void pc_check_attrs_leaf(struct pc_check *check, const struct pc_leaf *leaf);
/* Keeps such a feature of a pipe, whose attrs may come later. */
void pc_check_keep_feature(struct pc_check *check, uint64_t bit, struct pc_span record, size_t start);
/* Compares what was kept: to be called at the end. */
void pc_check_compare_kept(struct pc_check *check);

/* A leaf of TRACING_DATA. */
void pc_check_tracing_leaf(struct pc_check *check, const struct pc_leaf *leaf);

/* An array of func_info in the data of a BPF program, which is the leaf. */
void pc_check_bpf_functions(struct pc_check *check, const struct pc_leaf *leaf,
                            const struct pc_bpf_place *place);
/* The data of an entry of BPF_BTF. */
void pc_check_btf(struct pc_check *check, const struct pc_leaf *leaf);
/* Compares both: to be called at the end. */
void pc_check_bpf_end(struct pc_check *check);

/* A leaf of a feature about the machine: CPUs, memory, PMUs. */
void pc_check_machine_leaf(struct pc_check *check, const struct pc_leaf *leaf);
/* Compares PMUs with the types of attrs: to be called at the end. */
void pc_check_pmus_end(struct pc_check *check);

#endif
