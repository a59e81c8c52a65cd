/* SPDX-License-Identifier: MIT
 *
 * The public interface: copies and digests of a capture.
 */
#include "lib/handle.h"

#include "bytes/temporary.h"
#include "read/event_name.h"
#include "write/bundle.h"
#include "write/cures.h"
#include "write/edits.h"
#include "write/obstacles.h"
#include "write/rotate.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void tell_message(void *ctx, const char *about, const char *what, const char *why)
{
    perfcheck_t *pc = ctx;
    if (strcmp(what, PC_SAY_NEXT) != 0) { /* what to do next is no error */
        pc_handle_fail_text(pc, PERFCHECK_REFUSED, about);
        pc_put(&pc->error, ": ");
        pc_put_escaped(&pc->error, what, true);
        pc_put(&pc->error, why ? ": " : "");
        pc_put_escaped(&pc->error, why ? why : "", true);
    }
    if (pc->on_message)
        pc->on_message(pc->message_ctx, about, what, why);
}

static void tell_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    perfcheck_t *pc = ctx;
    const struct pc_scan *before = pc->view;
    pc->view = scan;
    if (pc->on_report)
        pc->on_report(pc->report_ctx, pc, path);
    for (size_t i = 0; i < scan->report.nr; i++) {
        const struct pc_finding *f = &scan->report.finding[i];
        if (f->severity != PC_ERROR && pc_diag_area(f->id) < PC_AREA_COPIES)
            continue;
        pc_handle_fail_text(pc, PERFCHECK_REFUSED,
                            pc_handle_describe(pc, f)->message); /* until a message says more */
        pc_handle_tell_finding(pc, f, NULL);
    }
    pc->view = before;
}

static void tell_verified(void *ctx, const struct pc_scan *copy)
{
    perfcheck_t *pc = ctx;
    const struct pc_scan *before = pc->view;
    pc->view = copy;
    const perfcheck_summary_t *sum = perfcheck_summary(pc);
    pc->copied = (perfcheck_summary_t){ .container = sum->container,
                                        .big_endian = sum->big_endian,
                                        .attrs = sum->attrs,
                                        .records = sum->records,
                                        .recognised = 1,
                                        .version = sum->version,
                                        .size = sum->size };
    pc->view = before;
}

/* The kind of a loss, and its name. */
static const char *what_is_lost(perfcheck_t *pc, const struct pc_lost *lost, const char **name)
{
    *name = "";
    switch (lost->place) {
    case PC_IN_HEADER:
    case PC_AT_END:
        break;
    case PC_IN_ATTR:
        return "attr";
    case PC_IN_FEATURE:
        *name = pc_feature_name(lost->number, pc->number);
        return "feature";
    case PC_IN_RECORD:
        *name = lost->records != 0 ? pc_type_name(lost->type, pc->number) : "";
        return lost->records != 0 ? "records" : "bytes";
    }
    return pc_lost_is_member(lost->why) ? "members" : "header";
}

static bool tell_salvaged(void *ctx, struct pc_losses *losses, const struct pc_saved *saved)
{
    perfcheck_t *pc = ctx;
    pc->has_salvage = true;
    pc->salvage = (perfcheck_salvage_t){
        saved->records, losses->records, losses->bytes,   losses->nr + losses->more, saved->moved,
        saved->merged,  saved->made,     saved->unneeded, losses->packed_records
    };
    for (size_t i = 0; i < losses->nr && pc->on_loss && !pc->stopped; i++) {
        const struct pc_lost *lost = pc_losses_get(losses, i);
        perfcheck_loss_t loss = { .how = pc_lost_how(lost),
                                  .number = lost->number,
                                  .records = lost->records,
                                  .stream = pc_buffer_init(&pc->stream),
                                  .offset = lost->offset,
                                  .size = lost->size,
                                  .id = lost->why ? pc_diag_info(lost->why)->id : NULL };
        loss.what = what_is_lost(pc, lost, &loss.name);
        pc_put_stream(&pc->stream, &lost->where, !pc->keep_controls);
        pc->stopped = pc->on_loss(pc->loss_ctx, &loss) != 0;
    }
    return !pc->stopped;
}

static bool tell_ready(void *ctx, bool cut)
{
    perfcheck_t *pc = ctx;
    pc->copied.unfinished = cut;
    pc->stopped = pc->on_ready && pc->on_ready(pc->ready_ctx) != 0;
    return !pc->stopped;
}

struct pc_callbacks pc_handle_callbacks(perfcheck_t *pc)
{
    return (struct pc_callbacks){ pc, tell_message, tell_errors, tell_verified, tell_salvaged, tell_ready };
}

perfcheck_status_t perfcheck_on_loss(perfcheck_t *pc, perfcheck_on_loss_t *callback, void *ctx)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_loss = callback;
    pc->loss_ctx = ctx;
    return PERFCHECK_OK;
}

perfcheck_status_t perfcheck_on_ready(perfcheck_t *pc, perfcheck_on_ready_t *callback, void *ctx)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_ready = callback;
    pc->ready_ctx = ctx;
    return PERFCHECK_OK;
}

const perfcheck_salvage_t *perfcheck_salvaged(const perfcheck_t *pc)
{
    return pc && pc->has_salvage ? &pc->salvage : NULL;
}

perfcheck_status_t perfcheck_on_message(perfcheck_t *pc, perfcheck_on_message_t *callback, void *ctx)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_message = callback;
    pc->message_ctx = ctx;
    return PERFCHECK_OK;
}

perfcheck_status_t perfcheck_on_report(perfcheck_t *pc, perfcheck_on_report_t *callback, void *ctx)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_report = callback;
    pc->report_ctx = ctx;
    return PERFCHECK_OK;
}

static int take_bytes(void *ctx, const void *bytes, size_t size)
{
    perfcheck_t *pc = ctx;
    pc->stopped = pc->on_bytes(pc->bytes_ctx, bytes, size) != 0;
    return pc->stopped ? ECANCELED : 0;
}

/* Whether the capture has an event of a PMU whose type stays in a copy. */
static bool keeps_types(const struct pc_scan *scan)
{
    const struct pc_capture *capture = &scan->capture;
    const uint64_t *by_type = scan->check.flow.sum.by_type;
    bool has_auxtrace = by_type[PC_AUXTRACE_INFO] != 0 || by_type[PC_AUXTRACE] != 0, keeps = false;
    bool by_lines = !pc_bit(capture->seen, PC_EVENT_DESC) && pc_lines_name_events(capture);
    for (uint64_t i = 0; i < capture->nr_attrs && !keeps; i++)
        keeps = pc_edit_keeps_type(&capture->attr[i], by_lines || capture->attr[i].name, has_auxtrace);
    return keeps;
}

/* Whether a copy has no trace data for the tracepoints: there are none, and it can make none. */
static bool lacks_trace(const struct pc_scan *scan)
{
    const struct pc_capture *capture = &scan->capture;
    bool any = false;
    for (uint64_t i = 0; i < capture->nr_attrs && !any; i++) {
        uint64_t id = pc_attr_get(&capture->attr[i], PC_ATTR_CONFIG);
        any = pc_attr_get(&capture->attr[i], PC_ATTR_TYPE) == PC_TYPE_TRACEPOINT && id != 0 &&
              id <= PC_TP_ID_MAX;
    }
    return capture->nr_tracing == 0 && (!any || pc_flow_has_payloads(&scan->check.flow));
}

int perfcheck_mends(perfcheck_t *pc, const char *id)
{
    const struct pc_scan *scan = pc_handle_view(pc);
    enum pc_diag named = id ? pc_diag_find(id) : PC_NO_DIAG;
    if (!scan)
        return 0;
    struct pc_copy_form form = { .reader = scan->report.policy->reader,
                                 .keeps_type = keeps_types(scan),
                                 .lacks_trace = lacks_trace(scan) };
    bool mends = pc_copy_cures(named, &form);
    form.pipe = true;
    return mends || pc_copy_cures(named, &form);
}

/* A copy that is asked for. */
struct copy {
    struct pc_rewrite how;
    struct pc_input in; /* of the handle */
    bool opened;
    const char *name;
};

/* Takes the input out of the handle, which is closed but for the path. */
static perfcheck_status_t take_input(struct copy *copy, perfcheck_t *pc)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (pc->stage != PC_HANDLE_OPEN && pc->stage != PC_HANDLE_FAILED)
        return pc_handle_fail(pc, PERFCHECK_MISUSE,
                              pc->stage == PC_HANDLE_CLOSED ? "no capture is open" : "the capture was read");
    if (pc->stage == PC_HANDLE_FAILED && !pc->path) {
        tell_errors(pc, "the capture", &pc->scan);
        return PERFCHECK_IO;
    }
    if (pc->options.rewrite.reader == PC_BY_SIMPLEPERF)
        return pc_handle_fail(pc, PERFCHECK_MISUSE,
                              "rewrite cannot make copies for simpleperf; 'perfcheck check --for=simpleperf' "
                              "lists what it cannot read, 'perfcheck explain ID' what to do");
    *copy = (struct copy){ .how = pc->options.rewrite, .in = pc->scan.in };
    copy->opened = pc->stage == PC_HANDLE_OPEN;
    if (copy->in.kind == PC_INPUT_STREAM)
        copy->in.ended = &pc->input_ended;
    copy->name = pc->path ? pc->path : "the capture";
    copy->how.limits = pc->options.limits;
    copy->how.progress = &pc->progress;
    pc->progress.stopped = false;
    copy->how.callbacks = pc_handle_callbacks(pc);
    copy->how.take = take_bytes;
    copy->how.take_ctx = pc;
    pc->scan.in = (struct pc_input){ .fd = -1 };
    pc->stopped = false;
    pc->copied = (perfcheck_summary_t){ .recognised = 0 };
    pc->has_salvage = false;
    return pc_handle_good(pc);
}

/* NULL: it is opened by its name, which failed before: the rewriter says why. */
static const struct pc_input *input_of(const struct copy *copy)
{
    return copy->opened ? &copy->in : NULL;
}

/* Closes the handle; what was said is why, unless all is well. */
static perfcheck_status_t finish(perfcheck_t *pc, enum pc_rewritten result)
{
    static const perfcheck_status_t statuses[] = {
        [PC_WRITTEN] = PERFCHECK_OK,
        [PC_WRITTEN_CUT] = PERFCHECK_OK,
        [PC_REFUSED] = PERFCHECK_REFUSED,
        [PC_TROUBLE] = PERFCHECK_IO,
    };
    pc_handle_close(pc);
    pc->copied.unfinished = result == PC_WRITTEN_CUT;
    if (statuses[result] == PERFCHECK_OK)
        return pc_handle_good(pc);
    pc->has_salvage = false;
    pc->copied.recognised = 0;
    if (pc->progress.stopped || pc->stopped)
        return pc_handle_fail(pc, PERFCHECK_STOPPED, PC_HANDLE_STOPPED);
    return statuses[result];
}

/* Whether the input is a directory, or what has its name. */
static bool is_directory(const struct copy *copy)
{
    return copy->opened ? copy->in.kind == PC_INPUT_DIRECTORY : pc_bundle_is_directory(copy->name);
}

/* The directory capture `output`; kcore: see perfcheck_join. */
static perfcheck_status_t join(perfcheck_t *pc, const struct copy *copy, char *const *kcore, size_t nr,
                               const char *output)
{
    perfcheck_status_t status =
        finish(pc, pc_bundle_join(&copy->how, input_of(copy), copy->name, kcore, nr, output));
    pc->copied.container = "directory";
    return status;
}

/* The captures output.0, output.1, ... */
static perfcheck_status_t rotate(perfcheck_t *pc, const struct copy *copy, const char *output)
{
    uint64_t records, parts;
    enum pc_rewritten result =
        pc_rotate_capture(&copy->how, input_of(copy), copy->name, output, &records, &parts);
    const int told = pc->copied.recognised; /* of parts before one that failed, which stay */
    perfcheck_status_t status = finish(pc, result);
    pc->copied.recognised = told;
    pc->copied.records = records;
    pc->copied.parts = parts;
    return status;
}

static bool rotates(const struct copy *copy)
{
    return copy->how.rotate.bytes != 0 || copy->how.rotate.ns != 0;
}

/* Whether the copy is a directory: what `output` is to be, or what the input is, when no option says it. */
static bool becomes_directory(const struct copy *copy)
{
    return copy->how.to == PC_TO_DIRECTORY ||
           (copy->how.to == PC_TO_KEEP && !copy->how.salvage && is_directory(copy));
}

/* Options and outputs that do not go together; NULL: these do. */
static const char *misuse_of(const struct copy *copy, const char *output)
{
    if (output && copy->how.keep_partial && strcmp(output, copy->how.keep_partial) == 0)
        return "'keep-partial' and OUTPUT are the same file";
    if (output && copy->how.symbols_out && strcmp(output, copy->how.symbols_out) == 0)
        return "'symbols-out' and OUTPUT are the same file";
    if (copy->how.header_from && (!copy->how.salvage || becomes_directory(copy)))
        return "'header-from' is for a salvage into one file or pipe";
    if (copy->how.keep_partial && copy->how.symbols_out &&
        strcmp(copy->how.keep_partial, copy->how.symbols_out) == 0)
        return "'symbols-out' and 'keep-partial' are the same file";
    if (copy->how.symbols_out && (rotates(copy) || becomes_directory(copy)))
        return "'symbols-out' is for one file or pipe";
    if (!output && becomes_directory(copy))
        return "a callback takes no directory";
    if (!rotates(copy))
        return NULL;
    if (!output || strcmp(output, "-") == 0)
        return "'rotate' writes several captures: name an output";
    if (copy->how.salvage)
        return "'rotate' or 'salvage', not both";
    return becomes_directory(copy) || is_directory(copy) ? "'rotate' neither reads nor writes directories"
                                                         : NULL;
}

/* A file on standard input that has what perf writes into a pipe is read as if it came through one: it may
 * end early. A salvage does not need that. */
static void take_stream(struct copy *copy)
{
    unsigned char head[PC_PIPE_HEADER_SIZE];
    struct pc_input *in = &copy->in;
    if (!copy->opened || in->kind != PC_INPUT_FILE || in->fd != STDIN_FILENO || in->owns_fd ||
        (copy->how.salvage && !copy->how.keep_partial))
        return;
    if (pc_input_read_at(in, 0, head, sizeof(head)) == sizeof(head) && pc_is_magic(head) &&
        pc_load(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8,
                memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE) == PC_PIPE_HEADER_SIZE)
        (void)pc_input_as_stream(in); /* if that fails, it stays a file */
}

/* output is NULL: the copy goes to the callback. */
static perfcheck_status_t rewrite(perfcheck_t *pc, const char *output)
{
    struct copy copy = { 0 };
    perfcheck_status_t status = take_input(&copy, pc);
    if (status != PERFCHECK_OK)
        return status;
    const char *misuse = misuse_of(&copy, output);
    if (misuse) {
        pc_input_close(&copy.in);
        perfcheck_close(pc);
        return pc_handle_fail(pc, PERFCHECK_MISUSE, misuse);
    }
    take_stream(&copy);
    if (rotates(&copy))
        return rotate(pc, &copy, output);
    if (becomes_directory(&copy))
        return join(pc, &copy, NULL, 0, output);
    return finish(pc, pc_rewrite_capture(&copy.how, input_of(&copy), copy.name, output));
}

const perfcheck_summary_t *perfcheck_copied(const perfcheck_t *pc)
{
    return pc && (pc->copied.recognised || pc->copied.unfinished) ? &pc->copied : NULL;
}

static const char no_output[] = "no output is named";

perfcheck_status_t perfcheck_rewrite(perfcheck_t *pc, const char *output)
{
    return pc && !output ? pc_handle_fail(pc, PERFCHECK_MISUSE, no_output) : rewrite(pc, output);
}

perfcheck_status_t perfcheck_rewrite_to(perfcheck_t *pc, perfcheck_on_bytes_t *callback, void *ctx)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!callback)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no callback is given");
    pc->on_bytes = callback;
    pc->bytes_ctx = ctx;
    return rewrite(pc, NULL);
}

perfcheck_status_t perfcheck_split(perfcheck_t *pc, const char *output)
{
    struct copy copy = { 0 };
    if (pc && !output)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, no_output);
    perfcheck_status_t status = take_input(&copy, pc);
    if (status != PERFCHECK_OK)
        return status;
    return finish(pc, pc_bundle_split(&copy.how, input_of(&copy), copy.name, output));
}

perfcheck_status_t perfcheck_join(perfcheck_t *pc, char *const *kcore, size_t nr, const char *output)
{
    struct copy copy = { 0 };
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!output || (!kcore && nr != 0))
        return pc_handle_fail(pc, PERFCHECK_MISUSE, output ? "no kcore_dir is named" : no_output);
    perfcheck_status_t status = take_input(&copy, pc);
    return status != PERFCHECK_OK ? status : join(pc, &copy, kcore, nr, output);
}

const char *perfcheck_digest(perfcheck_t *pc)
{
    struct copy copy = { 0 };
    struct pc_sum sum;
    if (take_input(&copy, pc) != PERFCHECK_OK ||
        finish(pc, pc_digest_capture(&copy.how, input_of(&copy), copy.name, &sum)) != PERFCHECK_OK)
        return NULL;
    pc_buffer_init(&pc->text);
    pc_put(&pc->text, "pc1:");
    for (size_t i = 0; i < sizeof(sum.bytes); i++)
        pc_put_format(&pc->text, "%02x", sum.bytes[i]);
    return pc->text.text;
}

void perfcheck_end_input(perfcheck_t *pc)
{
    if (pc)
        pc->input_ended = 1;
}

void perfcheck_remove_temporaries(void)
{
    pc_temporary_remove_all();
}
