/* SPDX-License-Identifier: MIT
 *
 * The public interface: handles, options, findings, opening and reading captures.
 */
#include "lib/handle.h"

#include "base/text.h"
#include "bytes/member.h"
#include "format/header.h"

#include <errno.h>
#include <string.h>

const char *perfcheck_version(void)
{
    return PERFCHECK_VERSION;
}

int perfcheck_is_capture(const void *bytes, size_t size)
{
    return bytes && size >= 8 && pc_is_magic(bytes);
}

int perfcheck_is_kcore_dir(const char *name)
{
    return name && pc_member_is_kcore(name);
}

/* --- errors --- */

const char *perfcheck_status_name(perfcheck_status_t status)
{
#define NAME(status) [-(status)] = #status
    static const char *const names[] = {
        NAME(PERFCHECK_OK), NAME(PERFCHECK_END),     NAME(PERFCHECK_MISUSE),  NAME(PERFCHECK_NO_MEMORY),
        NAME(PERFCHECK_IO), NAME(PERFCHECK_REFUSED), NAME(PERFCHECK_STOPPED), NAME(PERFCHECK_NOT_FOUND),
    };
#undef NAME
    bool known = status <= PERFCHECK_OK && status > -(int)PC_COUNT_OF(names);
    return known ? names[-status] : "PERFCHECK_UNKNOWN";
}

perfcheck_status_t pc_handle_fail_text(perfcheck_t *pc, perfcheck_status_t status, const char *why)
{
    pc_buffer_init(&pc->error);
    pc_put_escaped(&pc->error, why, true);
    return pc_handle_fail(pc, status, pc->error.text);
}

static perfcheck_status_t fail_of_errno(perfcheck_t *pc, int error)
{
    return pc_handle_fail(pc, error == ENOMEM ? PERFCHECK_NO_MEMORY : PERFCHECK_IO, pc_text_error(error));
}

const char *perfcheck_error(const perfcheck_t *pc)
{
    return pc ? pc->why : "there is no handle";
}

/* --- handles --- */

perfcheck_t *perfcheck_new(void)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct perfcheck) + ((uint64_t)1 << 20));
    perfcheck_t *pc = pc_alloc_line(&mem, sizeof(*pc));
    if (!pc)
        return NULL;
    pc->mem = mem;
    pc_options_init(&pc->options);
    pc->scan.report.policy = &pc->options.policy;
    pc_handle_good(pc);
    return pc;
}

/* The error stays. */
void pc_handle_close(perfcheck_t *pc)
{
    if (pc->stage == PC_HANDLE_CLOSED)
        return;
    pc_scan_clear(&pc->scan);
    pc_handle_forget_places(pc);
    if (pc->path)
        pc_free(&pc->mem, pc->path, strlen(pc->path) + 1);
    pc->path = NULL;
    pc->has_item = false;
    pc->sound = (struct pc_sound){ .is_known = false };
    pc->stage = PC_HANDLE_CLOSED;
    pc->view = NULL;
}

void perfcheck_close(perfcheck_t *pc)
{
    if (!pc)
        return;
    pc_handle_close(pc);
    pc_handle_good(pc);
}

void perfcheck_free(perfcheck_t *pc)
{
    if (!pc)
        return;
    pc_handle_close(pc);
    pc_options_clear(&pc->options);
    pc_handle_free_fields(pc);
    struct pc_mem mem = pc->mem;
    pc_free_line(&mem, pc, sizeof(*pc));
}

perfcheck_status_t pc_handle_need_closed(perfcheck_t *pc)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    return pc->stage == PC_HANDLE_CLOSED ? pc_handle_good(pc)
                                         : pc_handle_fail(pc, PERFCHECK_MISUSE, "a capture is open");
}

perfcheck_status_t perfcheck_set(perfcheck_t *pc, const char *option, const char *value)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    if (!option)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no option is named");
    pc_buffer_init(&pc->error); /* where it may say something in either case */
    bool set = pc_options_set(&pc->options, option, value, &pc->error);
    return pc_handle_fail(pc, set ? PERFCHECK_OK : PERFCHECK_MISUSE, pc->error.text);
}

perfcheck_status_t perfcheck_on_finding(perfcheck_t *pc, perfcheck_on_finding_t *callback, void *ctx)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_finding = callback;
    pc->finding_ctx = ctx;
    return PERFCHECK_OK;
}

perfcheck_status_t perfcheck_on_progress(perfcheck_t *pc, perfcheck_on_progress_t *callback, void *ctx)
{
    perfcheck_status_t status = pc_handle_need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->progress = (struct pc_progress){ .tell = callback, .ctx = ctx };
    return PERFCHECK_OK;
}

/* --- findings --- */

/* What is the same for all findings of an id. */
static perfcheck_finding_t describe_row(perfcheck_t *pc, enum pc_diag id)
{
    const struct pc_diag_info *info = pc_diag_info(id);
    const struct pc_unsafe_info *harm = pc_diag_unsafe(id);
    return (perfcheck_finding_t){
        .id = info->id,
        .name = info->name,
        .severity = (perfcheck_severity_t)pc_report_severity(&(pc->view ? pc->view : &pc->scan)->report, id),
        .message = pc_buffer_init(&pc->message),
        .explanation = info->explanation,
        .not_read_by = pc_version_name(info->rejected_by),
        .about_copy = pc_diag_area(id) >= PC_AREA_COPIES                         ? 1
                      : id == PC_D_ANDROID_RECORDS || id == PC_D_ANDROID_NO_COPY ? 2
                                                                                 : 0,
        .next = info->next,
        .class_name = harm ? PC_CLASS_UNSAFE : "",
        .harms = harm ? pc_version_name(harm->versions) : "",
        .harmed_commands = harm ? harm->commands : "",
        .cve = harm ? harm->cve : "",
        .harm = harm ? harm->harm : "",
        .is_for_reader = pc_diag_is_for_reader(id),
        .repeats = "",
        .type = "",
        .is_demand = pc_diag_area(id) == PC_AREA_DEMANDS,
    };
}

const perfcheck_finding_t *pc_handle_describe(perfcheck_t *pc, const struct pc_finding *f)
{
    bool plain = !pc->keep_controls;
    bool of_directory = pc->view->capture.is_directory && (f->place != PC_AT_END || pc_diag_is_cause(f->id));
    pc->finding = describe_row(pc, f->id);
    pc->finding.severity = (perfcheck_severity_t)f->severity;
    pc->finding.kind = f->place == PC_AT_END ? PERFCHECK_LAST : (perfcheck_kind_t)f->place;
    pc->finding.number = f->number;
    pc->finding.type = f->place == PC_IN_RECORD && f->subject ? f->subject : "";
    pc->finding.repeats = f->repeats != PC_NO_DIAG ? pc_diag_info(f->repeats)->id : "";
    pc->finding.is_cause = f->role == PC_CAUSE;
    pc->finding.is_related = f->role == PC_RELATED;
    pc->finding.stream = pc_buffer_init(&pc->stream);
    pc->finding.offset = f->offset;
    pc->finding.length = f->length;
    pc->finding.path = pc_buffer_init(&pc->path_text);
    pc->finding.seen = pc_buffer_init(&pc->seen);
    pc->finding.expected = pc_buffer_init(&pc->expected);
    pc->finding.member = pc_buffer_init(&pc->member);
    pc->finding.in_compressed = f->where.inside;
    pc->finding.record_offset = f->where.wrapper_offset;
    pc->finding.statement = pc_put_message(&pc->message, f, plain);
    pc_put_stream(&pc->stream, &f->where, plain);
    pc_put_path(&pc->path_text, f);
    pc_put_value(&pc->seen, &f->seen, plain);
    pc_put_value(&pc->expected, &f->expected, plain);
    pc_put_escaped(&pc->member, f->where.member || !of_directory ? f->where.member : "data", plain);
    return &pc->finding;
}

void pc_handle_tell_finding(perfcheck_t *pc, const struct pc_finding *f, const perfcheck_field_t *skipped)
{
    if (!pc->on_finding || pc->progress.stopped)
        return;
    pc_handle_describe(pc, f);
    pc->finding.is_cause |= pc_diag_is_cause(f->id); /* what follows from it was told before */
    pc->finding.skipped = skipped;
    pc->progress.stopped = pc->on_finding(pc->finding_ctx, &pc->finding) != 0;
}

static void take_finding(void *ctx, const struct pc_finding *f)
{
    pc_handle_tell_finding(ctx, f, NULL);
}

const struct pc_scan *pc_handle_view(perfcheck_t *pc)
{
    if (!pc || !pc->view)
        return NULL;
    if (pc->view == &pc->scan) /* else this is a callback of a rewrite, whose error this is not */
        pc_handle_good(pc);
    return pc->view;
}

const perfcheck_finding_t *perfcheck_finding(perfcheck_t *pc, size_t number)
{
    const struct pc_scan *scan = pc_handle_view(pc);
    return scan && number < scan->report.nr ? pc_handle_describe(pc, &scan->report.finding[number]) : NULL;
}

const perfcheck_finding_t *perfcheck_accepted(perfcheck_t *pc, size_t number)
{
    const struct pc_scan *scan = pc_handle_view(pc);
    return scan && number < scan->report.nr_aside ? pc_handle_describe(pc, &scan->report.aside[number])
                                                  : NULL;
}

uint64_t perfcheck_count(const perfcheck_t *pc, perfcheck_severity_t severity)
{
    return pc && pc->view && (unsigned)severity <= PERFCHECK_ERROR ? pc->view->report.by_severity[severity]
                                                                   : 0;
}

const perfcheck_finding_t *perfcheck_explain(perfcheck_t *pc, const char *id_or_name, size_t number)
{
    if (!pc || number >= PC_DIAG_COUNT - 1)
        return NULL;
    enum pc_diag id = id_or_name ? pc_diag_find(id_or_name) : (enum pc_diag)(number + 1);
    if (id == PC_NO_DIAG)
        return NULL;
    pc->finding = describe_row(pc, id);
    pc->finding.statement = pc->finding.message;
    pc_put_template(&pc->message, pc_diag_info(id));
    pc_handle_good(pc);
    return &pc->finding;
}

/* --- opening --- */

/* Takes over what an open returned. */
static perfcheck_status_t open_input(perfcheck_t *pc, const struct pc_input *in, int error)
{
    pc_scan_init(&pc->scan, &pc->options.policy, &pc->options.limits);
    pc_buffer_init(&pc->item_stream);
    pc->view = &pc->scan;
    pc->scan.demands = &pc->options.demands;
    pc->scan.progress = &pc->progress;
    pc->progress.stopped = false;
    pc->of_item.nr = pc->of_item.own = 0;
    pc->of_item.more = 0;
    pc->in_steps = pc->is_unchecked = false;
    if (pc->on_finding) {
        pc->scan.report.on_finding = take_finding;
        pc->scan.report.ctx = pc;
    }
    pc->stage = error ? PC_HANDLE_FAILED : PC_HANDLE_OPEN;
    if (error) {
        pc_scan_not_opened(&pc->scan, error);
        return fail_of_errno(pc, error);
    }
    pc->scan.in = *in;
    return pc_handle_good(pc);
}

perfcheck_status_t perfcheck_open_path(perfcheck_t *pc, const char *path)
{
    struct pc_input in;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_close(pc);
    if (!path)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no path is given");
    size_t size = strlen(path) + 1;
    pc->path = pc_alloc(&pc->mem, size);
    if (!pc->path)
        return open_input(pc, &in, ENOMEM);
    memcpy(pc->path, path, size);
    return open_input(pc, &in, pc_input_open(&in, path));
}

perfcheck_status_t perfcheck_open_fd(perfcheck_t *pc, int fd)
{
    struct pc_input in;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_close(pc);
    return open_input(pc, &in, pc_input_adopt(&in, fd, false));
}

perfcheck_status_t perfcheck_open_memory(perfcheck_t *pc, const void *bytes, size_t size)
{
    struct pc_input in;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_close(pc);
    if (!bytes && size != 0)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no bytes are given");
    pc_input_memory(&in, (struct pc_span){ bytes, size }, PC_INPUT_FILE);
    return open_input(pc, &in, 0);
}

/* --- verdicts --- */

perfcheck_verdict_t perfcheck_verdict(const perfcheck_t *pc)
{
    static_assert((int)PC_INVALID == PERFCHECK_INVALID && (int)PC_UNREADABLE == PERFCHECK_UNREADABLE, "");
    return pc && pc->view ? (perfcheck_verdict_t)pc_scan_verdict(pc->view) : PERFCHECK_UNREADABLE;
}
