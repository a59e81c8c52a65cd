/* SPDX-License-Identifier: MIT
 *
 * handle.h: what a handle of the public interface consists of, and what the files that implement it share.
 */
#ifndef PC_HANDLE_H
#define PC_HANDLE_H

#include "lib/fields.h"
#include "lib/options.h"
#include "perfcheck.h"

enum pc_handle_stage { PC_HANDLE_CLOSED, PC_HANDLE_OPEN, PC_HANDLE_READING, PC_HANDLE_ENDED };

struct perfcheck {
    struct pc_mem mem; /* of the handle itself and of `path` */
    struct pc_options options;
    enum pc_handle_stage stage;
    struct pc_scan scan; /* of an open capture */
    char *path;          /* of the capture; NULL: it was opened without one */

    perfcheck_on_finding_t *on_finding;
    perfcheck_on_message_t *on_message;
    perfcheck_on_bytes_t *on_bytes;
    void *finding_ctx, *message_ctx, *bytes_ctx;
    struct pc_progress progress;
    bool stopped; /* by a callback */

    /* What was returned last. */
    struct pc_item at; /* the item that was read last, when has_item */
    bool has_item;
    struct pc_fields fields;
    perfcheck_item_t item;
    perfcheck_finding_t finding;
    perfcheck_summary_t summary;
    struct pc_buffer error, event, item_stream;
    struct pc_buffer message, stream, path_text, seen, expected, versions;
    struct pc_buffer text;
};

/* Sets the error of the handle, and returns the status. */
int pc_handle_fail(perfcheck_t *pc, int status, const char *why);

/* There is no error; returns PERFCHECK_OK. */
int pc_handle_good(perfcheck_t *pc);

/* Closes the capture; the error stays. */
void pc_handle_close(perfcheck_t *pc);

/* Who is told of progress; NULL: nobody. */
struct pc_progress *pc_handle_progress(perfcheck_t *pc);

/* The finding as pc->finding. */
const perfcheck_finding_t *pc_handle_describe(perfcheck_t *pc, const struct pc_finding *finding);

#endif
