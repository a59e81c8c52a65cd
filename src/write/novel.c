/* SPDX-License-Identifier: MIT */
#include "write/novel.h"

static const struct {
    enum pc_diag id;
    enum { IN_FILE, IN_PIPE } copy;
    bool kept;         /* the original may have the same container */
    enum pc_diag same; /* what the original must have: the same fact in another container */
    const char *reason;
} may_be_new[] = {
    { PC_D_HOSTNAME_CLEAR, IN_FILE, true, PC_NO_DIAG,
      "only files have a bitmap, and those of version 1 have no bit for HOSTNAME" },
    { PC_D_ATTR_ENTRY_NEWER, IN_FILE, true, PC_D_ATTR_SIZE_NEWER,
      "files have sizes of their own for the entries of attrs" },
    { PC_D_FEATURE_UNKNOWN, IN_FILE, true, PC_D_FEATURE_UNKNOWN_RECORD, "records become sections" },
    { PC_D_FEATURE_UNKNOWN_RECORD, IN_PIPE, false, PC_D_FEATURE_UNKNOWN, "sections become records" },
    { PC_D_HEADER_RECORD_IN_FILE, IN_FILE, false, PC_NO_DIAG,
      "perf inject leaves records of pipes in files" },
    { PC_D_FEATURE_IN_PIPE_READ, IN_PIPE, false, PC_NO_DIAG, "perf does not send the feature" },
    { PC_D_EVENT_NAMES_MISSING, IN_PIPE, false, PC_NO_DIAG, "perf sends names" },
};

static bool may_have(const struct pc_found *original, const struct pc_found *copy, enum pc_diag id)
{
    for (size_t i = 0; i < PC_COUNT_OF(may_be_new); i++) {
        if (may_be_new[i].id == id && (may_be_new[i].copy == IN_PIPE) == copy->pipe &&
            (may_be_new[i].kept || original->pipe != copy->pipe))
            return may_be_new[i].same == PC_NO_DIAG || original->by_id[may_be_new[i].same] != 0;
    }
    return pc_diag_is_for_reader(id); /* which was asked of the copy alone */
}

enum pc_diag pc_find_novel(const struct pc_found *original, const struct pc_found *copy)
{
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        if (copy->by_id[id] != 0 && original->by_id[id] == 0 && !may_have(original, copy, (enum pc_diag)id))
            return (enum pc_diag)id;
    }
    return PC_NO_DIAG;
}
