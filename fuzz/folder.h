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

#endif
