/* SPDX-License-Identifier: MIT
 *
 * bundle.h: captures of more than one file: a directory taken apart into a file and each kcore_dir
 * beside it, or put together. The records go the way of rewrite.h; copies of the kernel are copied as they
 * are, holes too, and compared.
 */
#ifndef PC_BUNDLE_H
#define PC_BUNDLE_H

#include "write/rewrite.h"

/* Whether the path ("-": standard input) is that of a directory. */
bool pc_bundle_is_directory(const char *path);

/* Makes the directory `output` of a directory capture, given as for pc_rewrite_capture: perf.data and each
 * kcore_dir. Says why when it is not written. */
enum pc_rewritten pc_bundle_split(const struct pc_rewrite *rewrite, const struct pc_input *in,
                                  const char *input, const char *output);

/* Makes the directory capture `output` (version 0: its records are in `data`) of a capture, given as for
 * pc_rewrite_capture, the kcore_dirs in it when that is a directory, and the `nr` that are named. */
enum pc_rewritten pc_bundle_join(const struct pc_rewrite *rewrite, const struct pc_input *in,
                                 const char *input, char *const *kcore, size_t nr, const char *output);

#endif
