/* SPDX-License-Identifier: MIT
 *
 * The public interface: copies and digests of a capture.
 */
#include "lib/handle.h"

#include "bytes/temporary.h"
#include "write/bundle.h"

#include <errno.h>
#include <string.h>

static void tell_message(void *ctx, const char *about, const char *what, const char *why)
{
    perfcheck_t *pc = ctx;
    pc_buffer_init(&pc->error);
    pc_put_escaped(&pc->error, about, true);
    pc_put(&pc->error, ": ");
    pc_put_escaped(&pc->error, what, true);
    pc_put(&pc->error, why ? ": " : "");
    pc_put_escaped(&pc->error, why ? why : "", true);
    if (pc->on_message)
        pc->on_message(pc->message_ctx, about, what, why);
}

static void tell_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    perfcheck_t *pc = ctx;
    (void)path;
    for (size_t i = 0; i < scan->report.nr; i++) {
        const struct pc_finding *f = &scan->report.finding[i];
        if (f->severity != PC_ERROR && f->id < PC_D_REWRITE_RECORD)
            continue;
        pc_handle_fail(pc, PERFCHECK_REFUSED,
                       pc_handle_describe(pc, f)->message); /* until a message says more */
        if (pc->on_finding)
            pc->on_finding(pc->finding_ctx, &pc->finding);
    }
}

static int take_bytes(void *ctx, const void *bytes, size_t size)
{
    perfcheck_t *pc = ctx;
    pc->stopped = pc->on_bytes(pc->bytes_ctx, bytes, size) != 0;
    return pc->stopped ? ECANCELED : 0;
}

/* Takes the input out of the handle, which is closed but for the path. The input is the caller's now. */
static int take_input(perfcheck_t *pc, struct pc_input *in, struct pc_rewrite *how)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (pc->stage != PC_HANDLE_OPEN)
        return pc_handle_fail(pc, PERFCHECK_MISUSE,
                              pc->stage == PC_HANDLE_CLOSED ? "no capture is open" : "the capture was read");
    *in = pc->scan.in;
    pc->scan.in = (struct pc_input){ .fd = -1 };
    *how = pc->options.rewrite;
    how->limits = pc->options.limits;
    how->progress = pc_handle_progress(pc);
    how->tell = (struct pc_tell){ pc, tell_message, tell_errors };
    how->take = take_bytes;
    how->take_ctx = pc;
    pc->stopped = false;
    return pc_handle_good(pc);
}

/* Closes the handle; what was said is why, unless all is well. */
static int finish(perfcheck_t *pc, enum pc_rewritten result)
{
    static const int statuses[] = {
        [PC_WRITTEN] = PERFCHECK_OK,
        [PC_REFUSED] = PERFCHECK_REFUSED,
        [PC_TROUBLE] = PERFCHECK_IO,
    };
    pc_handle_close(pc);
    if (result == PC_WRITTEN)
        return pc_handle_good(pc);
    return pc->stopped ? PERFCHECK_STOPPED : statuses[result];
}

/* output is NULL: the copy goes to the callback. */
static int rewrite(perfcheck_t *pc, const char *output)
{
    struct pc_input in = { .fd = -1 };
    struct pc_rewrite how = { .to = PC_TO_KEEP };
    int status = take_input(pc, &in, &how);
    if (status != PERFCHECK_OK)
        return status;
    const char *name = pc->path ? pc->path : "the capture";
    bool directory = how.to == PC_TO_DIRECTORY || (how.to == PC_TO_KEEP && in.kind == PC_INPUT_DIRECTORY);
    if (!directory)
        return finish(pc, pc_rewrite_input(&how, &in, name, output));
    if (output)
        return finish(pc, pc_bundle_input(&how, &in, name, output));
    pc_input_close(&in);
    perfcheck_close(pc);
    return pc_handle_fail(pc, PERFCHECK_MISUSE, "a callback takes no directory");
}

int perfcheck_rewrite(perfcheck_t *pc, const char *output)
{
    if (pc && !output)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no output is named");
    return rewrite(pc, output);
}

int perfcheck_rewrite_to(perfcheck_t *pc, perfcheck_on_bytes_t *callback, void *ctx)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!callback)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no callback is given");
    pc->on_bytes = callback;
    pc->bytes_ctx = ctx;
    return rewrite(pc, NULL);
}

const char *perfcheck_digest(perfcheck_t *pc)
{
    struct pc_input in = { .fd = -1 };
    struct pc_rewrite how = { .to = PC_TO_KEEP };
    struct pc_sum sum;
    if (take_input(pc, &in, &how) != PERFCHECK_OK)
        return NULL;
    const char *name = pc->path ? pc->path : "the capture";
    if (finish(pc, pc_digest_input(&how, &in, name, &sum)) != PERFCHECK_OK)
        return NULL;
    pc_buffer_init(&pc->text);
    pc_put(&pc->text, "pc1:");
    for (size_t i = 0; i < sizeof(sum.bytes); i++)
        pc_put_format(&pc->text, "%02x", sum.bytes[i]);
    return pc->text.text;
}

void perfcheck_remove_temporaries(void)
{
    pc_temporary_remove_all();
}
