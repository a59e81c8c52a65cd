/* SPDX-License-Identifier: MIT
 *
 * output.h: what commands that write files of their own have in common (bytes/sink.h, bytes/folder.h).
 */
#ifndef PC_OUTPUT_H
#define PC_OUTPUT_H

#include "cli/print.h"

#include "bytes/sink.h"

#include <stdio.h>

/* A stream whose bytes go into the sink, which keeps errors. NULL: there is no memory. */
FILE *pc_output_stream(struct pc_sink *sink);

/* Begins a file, and a stream into it, for a command that reads the captures; it must not be one of them, in
 * one, or hold one. mem has room for it. Returns 0 or what is wrong; the caller discards the sink. */
int pc_output_create(struct pc_sink *sink, struct pc_mem *mem, const char *path, bool replace, char **operand,
                     int nr, FILE **out);

/* Whether the output is one of the captures, is in one, or holds one: 0 or what is wrong. */
int pc_output_guard(const struct pc_target *target, char **operand, int nr);

/* Reports that the output (-: standard output) cannot be written; returns the status. */
enum pc_status pc_output_failed(const char *output, int error);

/* Reports that a directory was written, but the one that it replaced is still there under another name. */
void pc_output_left_behind(const char *output, const struct pc_target *target);

#endif
