/* SPDX-License-Identifier: MIT
 *
 * digest.h: the digest of a capture that was read already.
 */
#ifndef PC_DIGEST_AGAIN_H
#define PC_DIGEST_AGAIN_H

#include "cli/arguments.h"

/* Reads a capture again, by the second handle. *digest: "": it has none, as it is damaged, or gone once it
 * was read (a FIFO, standard input). False, after reporting why: it could not be read, or there was no
 * memory. */
bool pc_digest_again(struct pc_arguments *arguments, const char *path, const char **digest);

#endif
