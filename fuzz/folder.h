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

/* The bytes of a file there; without bytes: there is none. */
struct fuzz_bytes fuzz_folder_get(const char *name);

bool fuzz_folder_is_directory(const char *name);

/* Names as a capture has them, and others; none leads out of the directory. */
bool fuzz_folder_is_name(const char *name);

/* A directory of members, whose bytes stand each behind a line "//@NAME"; what stands before the first is
 * `data`.
 * "//@~NAME" is a symbolic link to what the bytes name, "//@=NAME" a FIFO and "//@+NAME" a directory. */
void fuzz_folder_put_tree(const char *tree, struct pc_span in);

#endif
