/* SPDX-License-Identifier: MIT
 *
 * member.h: the names that the members of a directory capture have. All functions are async-signal-safe.
 */
#ifndef PC_MEMBER_H
#define PC_MEMBER_H

#include "base/base.h"

/* What an entry is, by its name; also the order of members. */
enum pc_member_kind {
    PC_MEMBER_DATA,       /* data */
    PC_MEMBER_STREAM,     /* data.0 ... by number */
    PC_MEMBER_OTHER,      /* data.old: perf opens whatever begins with "data." */
    PC_MEMBER_KCORE,      /* kcore_dir, kcore_dir__PID */
    PC_MEMBER_KCORE_FILE, /* kcore_dir/kcore, kcore_dir/kallsyms, kcore_dir/modules */
    PC_MEMBER_UNKNOWN,    /* not among the members */
};

/* in_kcore: the entry is in a kcore_dir. Sets *number for data.N. */
enum pc_member_kind pc_member_kind_of(const char *name, bool in_kcore, uint32_t *number);

/* "kcore_dir", or "kcore_dir__" and a number. */
bool pc_member_is_kcore(const char *name);

/* The files in a kcore_dir: three. */
extern const char *const pc_kcore_files[3];

/* The file that `split` makes; a directory capture has none of that name. */
#define PC_SPLIT_NAME "perf.data"

#endif
