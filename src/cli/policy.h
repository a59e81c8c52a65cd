/* SPDX-License-Identifier: MIT
 *
 * policy.h: options of check that a file has, perfcheck.toml, and profiles: policies that come with
 * perfcheck.
 */
#ifndef PC_CLI_POLICY_H
#define PC_CLI_POLICY_H

#include "cli/toml.h"

#define PC_POLICY_FILE "perfcheck.toml"
#define PC_POLICY_MAX  65536 /* bytes of the file */

struct pc_policy_file {
    char *text, *room; /* its bytes; the texts in it */
    const char *path;  /* as messages name it */
    char found[1024];  /* the path of one that was looked for, up to 336 folders above */
};

/* "PATH:LINE: ", which begins what is said about a line of it. */
void pc_policy_place(const struct pc_policy_file *file, unsigned line, char *place, size_t size);

/* The path that a policy means by a name, from its own folder, in memory that the caller frees; NULL: none is
 * left. */
char *pc_policy_beside(const struct pc_policy_file *file, const char *name);

/* Reads the file of this path, or, if that is NULL, perfcheck.toml of the working directory or of the nearest
 * one above that has one, and passes its keys on. False: it cannot be read, which was reported, or `take`
 * said so. The texts stay until the file is cleared. */
bool pc_policy_read(struct pc_policy_file *file, const char *path, pc_toml_take *take, void *ctx);

/* What a use of captures demands. */
struct pc_profile {
    const char *name;
    const char *about; /* sentences that say which use, and why these demands */
    const char *keys;  /* as in a policy */
};

/* The profile of this name; NULL: there is none. */
const struct pc_profile *pc_profile_find(const char *name);

#define PC_PROFILES 6

/* By number. Of two that have a value for one key the later one asks for more. */
const struct pc_profile *pc_profile_at(size_t number);

/* Passes the keys of a profile on, as pc_policy_read does. */
bool pc_profile_read(struct pc_policy_file *file, const struct pc_profile *profile, pc_toml_take *take,
                     void *ctx);
void pc_policy_clear(struct pc_policy_file *file);

#endif
