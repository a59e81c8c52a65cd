/* SPDX-License-Identifier: MIT
 *
 * fuzz/folder.h: a folder for the files of a harness: in memory if the system allows that, one for each
 * process, empty before each input. It is removed when the process ends or a claim fails; otherwise the
 * next process removes it.
 */
#ifndef PC_FUZZ_FOLDER_H
#define PC_FUZZ_FOLDER_H

#include "harness.h"

/* An open descriptor of the folder, which is now empty, and its path. */
int fuzz_folder(void);
const char *fuzz_folder_path(void);

/* Entries in it. */
unsigned fuzz_folder_entries(void);

/* Writes a file there. A slash in the name makes a directory. */
void fuzz_folder_put(const char *name, struct pc_span bytes);

/* Returns the bytes of a file there, or none if there is no file. A link is not a file. */
struct fuzz_bytes fuzz_folder_get(const char *name);

bool fuzz_folder_is_directory(const char *name);

/* The open descriptors, a bit for each of the first 64. */
uint64_t fuzz_folder_descriptors(void);

/* Names of members and other names. None leads out of the directory. */
bool fuzz_folder_is_name(const char *name);

/* Makes a directory of members. The bytes of each come after a line "//@NAME"; bytes before the first such
 * line are `data`. "//@~NAME" is a symbolic link to the path in its bytes, "//@=NAME" a FIFO and "//@+NAME" a
 * directory. A link to "../outside" or "/outside", or to a file in it, leads to the directory of
 * fuzz_folder_outside. Other links do not lead out of the folder. Returns whether a link does. */
bool fuzz_folder_put_tree(const char *tree, struct pc_span in);

/* Makes a directory beside the folder with the first (0) or the second (1) of two contents: "data",
 * "records", "kcore", "kallsyms" and "modules"; makes a link to it; tells whether it is still there and
 * unchanged. */
void fuzz_folder_outside(unsigned which);
void fuzz_folder_put_link(const char *name);
bool fuzz_folder_outside_stays(unsigned which);

#endif
