/* SPDX-License-Identifier: MIT
 *
 * faults_tree.h: one fault in a directory capture, which is "tree" in the folder of folder.h.
 */
#ifndef PC_FUZZ_FAULTS_TREE_H
#define PC_FUZZ_FAULTS_TREE_H

#include "build_capture.h"
#include "folder.h"

struct fuzz_tree_fault {
    const char *name;
    enum pc_diag id;
    enum pc_versions reader; /* who is asked for with --for */
    char member[64];         /* the member of the finding; "": the directory */
};

size_t fuzz_nr_tree_faults(void);

/* Writes the capture as it is. */
void fuzz_tree_put(const struct fuzz_built *built);

/* Writes the directory with the fault, and names the fault. False: this directory has no place for it, and
 * what is written has no meaning. */
bool fuzz_tree_damage(const struct fuzz_built *built, size_t fault, struct fuzz_tree_fault *said);

/* Reads the directory with this --for; fuzz_scan_end ends the scan. Returns the member that has a finding of
 * this id ("": the directory itself), or NULL. */
const char *fuzz_tree_scan(struct pc_scan *scan, enum pc_diag id, enum pc_versions reader);

#endif
