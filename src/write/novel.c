/* SPDX-License-Identifier: MIT */
#include "write/novel.h"

#define ALL_RECORDS                                                                                          \
    "the original is a directory or lacks records, and is not judged by rules that need all in order"

static const struct {
    enum pc_diag id;
    enum { IN_ANY, IN_FILE, IN_PIPE } copy;
    enum { FROM_ANY, FROM_OTHER_CONTAINER, FROM_INCOMPLETE, FROM_EDITED } original;
    enum pc_diag same; /* what the original must have: the same fact in another container */
    const char *reason;
} may_be_new[] = {
    { PC_D_HOSTNAME_CLEAR, IN_FILE, FROM_ANY, PC_NO_DIAG,
      "only files have a bitmap, and those of version 1 have no bit for HOSTNAME" },
    { PC_D_CORESIGHT_INDEX, IN_FILE, FROM_ANY, PC_NO_DIAG,
      "perf drops the index of a big-endian file without HOSTNAME" },
    { PC_D_CORESIGHT_AUX, IN_FILE, FROM_ANY, PC_NO_DIAG,
      "perf reads no traces of CoreSight from pipes and captures of simpleperf, whose features are left "
      "out" },
    { PC_D_ATTR_ENTRY_NEWER, IN_FILE, FROM_ANY, PC_D_ATTR_SIZE_NEWER,
      "files have sizes of their own for the entries of attrs" },
    { PC_D_FEATURE_UNKNOWN, IN_FILE, FROM_ANY, PC_D_FEATURE_UNKNOWN_RECORD, "records become sections" },
    { PC_D_FEATURE_UNKNOWN_RECORD, IN_PIPE, FROM_OTHER_CONTAINER, PC_D_FEATURE_UNKNOWN,
      "sections become records" },
    { PC_D_HEADER_RECORD_IN_FILE, IN_FILE, FROM_OTHER_CONTAINER, PC_NO_DIAG,
      "perf inject leaves records of pipes in files" },
    { PC_D_FEATURE_IN_PIPE_READ, IN_PIPE, FROM_OTHER_CONTAINER, PC_NO_DIAG,
      "perf does not send the feature" },
    { PC_D_FEATURE_ANDROID, IN_PIPE, FROM_OTHER_CONTAINER, PC_NO_DIAG, "simpleperf writes no pipes" },
    { PC_D_ANDROID_BIG_ENDIAN, IN_ANY, FROM_ANY, PC_NO_DIAG, "the user asked for this byte order" },
    { PC_D_EVENT_NAMES_MISSING, IN_PIPE, FROM_OTHER_CONTAINER, PC_NO_DIAG, "perf sends names" },
    { PC_D_DEFERRED_ALONE, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_THROTTLE_TWICE, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_EXIT_UNKNOWN, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_AUX_TOTAL, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_THREAD_UNKNOWN, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_IP_UNMAPPED, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_SWITCH_IN_TWICE, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_KSYMBOL_UNREGISTER, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_SAMPLE_TIME_OUTSIDE, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_SAMPLE_TIME_WIDER, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_TIME_BEFORE_INIT, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_BUILD_ID_TWICE, IN_ANY, FROM_EDITED, PC_NO_DIAG,
      "a file may have several build ids in MMAP2 records, which are moved to BUILD_ID" },
    { PC_D_AUX_WITHOUT_TRACE, IN_ANY, FROM_INCOMPLETE, PC_NO_DIAG, ALL_RECORDS },
    { PC_D_AUX_WITHOUT_TRACE, IN_ANY, FROM_EDITED, PC_NO_DIAG, "simpleperf itself leaves such a trace out" },
    { PC_D_STAT_CPU, IN_ANY, FROM_EDITED, PC_NO_DIAG,
      "perf before 5.17 reads an index into the CPU map, which need not be a number of it" },
};

/* Whether a row may be about such an original. */
static bool applies(size_t row, const struct pc_found *original, const struct pc_found *copy)
{
    if (may_be_new[row].copy == (copy->pipe ? IN_FILE : IN_PIPE))
        return false;
    switch (may_be_new[row].original) {
    case FROM_ANY:
        break;
    case FROM_OTHER_CONTAINER:
        return original->pipe != copy->pipe;
    case FROM_INCOMPLETE:
        return !original->complete;
    case FROM_EDITED:
        return original->edited;
    }
    return true;
}

static bool may_have(const struct pc_found *original, const struct pc_found *copy, enum pc_diag id)
{
    for (size_t i = 0; i < PC_COUNT_OF(may_be_new); i++) {
        if (may_be_new[i].id == id && applies(i, original, copy))
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
