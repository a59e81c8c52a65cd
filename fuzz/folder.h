/* SPDX-License-Identifier: MIT
 *
 * fuzz/folder.h: a folder for what a harness writes: in memory where the system has that, one for each
 * process, empty before each input. It goes when the process ends or a claim does not hold, else when the
 * next one starts.
 */
#ifndef PC_FUZZ_FOLDER_H
#define PC_FUZZ_FOLDER_H

#include "harness.h"

/* An open descriptor of the folder, which is empty now; and its path. */
int fuzz_folder(void);
const char *fuzz_folder_path(void);

/* Entries in it. */
unsigned fuzz_folder_entries(void);

/* Writes a file there; a slash in the name makes a folder. */
void fuzz_folder_put(const char *name, struct pc_span bytes);

/* The bytes of a file there; without bytes: there is none. A link is none. */
struct fuzz_bytes fuzz_folder_get(const char *name);

bool fuzz_folder_is_directory(const char *name);

/* Descriptors that are open, a bit for each of the first 64. */
uint64_t fuzz_folder_descriptors(void);

/* Names as a capture has them, and others; none leads out of the directory. */
bool fuzz_folder_is_name(const char *name);

/* A directory of members, whose bytes stand each after a line "//@NAME"; what comes before the first is
 * `data`.
 * "//@~NAME" is a symbolic link to what the bytes name, "//@=NAME" a FIFO and "//@+NAME" a directory. A link
 * to "../outside" or "/outside", or to a file in it, leads out of the folder to where fuzz_folder_outside
 * puts something; other links do not lead out. Returns whether one does. */
bool fuzz_folder_put_tree(const char *tree, struct pc_span in);

/* Makes a directory beside the folder, of two contents the first (0) or the second (1): "data", "records",
 * "kcore", "kallsyms" and "modules"; a link to it; and whether that is there still, and nothing else. */
void fuzz_folder_outside(unsigned which);
void fuzz_folder_put_link(const char *name);
bool fuzz_folder_outside_stays(unsigned which);

#endif
