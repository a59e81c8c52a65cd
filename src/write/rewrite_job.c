/* SPDX-License-Identifier: MIT */
#include "write/rewrite_job.h"
#include "write/outputs.h"
#include "write/repair.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* So much of the memory is for what verification has to remember. */
#define SEEN_SHARE 8
#define SEEN_LEAST ((uint64_t)192 << 10)

void pc_job_say_findings(struct pc_job *j, const char *path)
{
    pc_scan_say_cause(&j->scan);
    j->how->callbacks.errors(j->how->callbacks.ctx, path, &j->scan);
}

void pc_job_say_error(const struct pc_rewrite *r, const char *path, const char *what, int error)
{
    pc_rewrite_say(r, path, what, pc_text_error(error));
}

struct pc_job *pc_job_new(const struct pc_rewrite *how, const struct pc_input *in, const char *input)
{
    struct pc_input own = in ? *in : (struct pc_input){ .fd = -1 };
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct pc_job) + PC_MEM_LINE);
    struct pc_job *j = pc_alloc_line(&mem, sizeof(*j));
    if (!j) {
        pc_input_close(&own);
        pc_job_say_error(how, input, "cannot be read", ENOMEM);
        return NULL;
    }
    uint64_t share = how->limits.memory / SEEN_SHARE;
    j->how = how;
    j->mem = mem;
    j->header.fd = j->headless.fd = -1;
    pc_mem_init(&j->seen, share > SEEN_LEAST ? share : SEEN_LEAST);
    return j;
}

void pc_job_free(struct pc_job *j)
{
    struct pc_mem mem = j->mem;
    pc_input_close(&j->header);
    pc_input_close(&j->headless);
    pc_free_line(&mem, j, sizeof(*j));
}

struct pc_inputs pc_job_inputs(struct pc_job *j)
{
    j->input_fd[0] = j->headless.fd >= 0 ? j->headless.fd : j->scan.in.fd;
    j->input_fd[1] = j->header.fd;
    return (struct pc_inputs){ j->input_fd, PC_COUNT_OF(j->input_fd) };
}

/* "3 times, first at 0x110"; at 0 is a header, so that offset means no place. In the content of a compressed
 * record: "0x1f40+0x40". */
static void put_times(char *text, size_t size, uint64_t count, uint64_t packed_in, uint64_t offset)
{
    int n = snprintf(text, size, ", %" PRIu64 " time%s", count, pc_lost_plural(count));
    if (packed_in != 0)
        snprintf(text + n, size - (size_t)n, ", first at 0x%" PRIx64 "+0x%" PRIx64, packed_in, offset);
    else if (offset != 0)
        snprintf(text + n, size - (size_t)n, ", first at 0x%" PRIx64, offset);
}

void pc_job_say_edits(const struct pc_job *j, const char *input)
{
    char text[512], flags[128], times[64] = "";
    for (enum pc_edit i = 0; i < PC_EDITS; i++) {
        if (j->edits[i].count == 0)
            continue;
        put_times(times, sizeof(times), j->edits[i].count, j->edits[i].packed_in, j->edits[i].first);
        pc_attr_flag_names(i == PC_EDIT_FLAGS ? j->cleared : 0, flags, sizeof(flags));
        const char *since = pc_edit_rows[i].since; /* "": no perf has it */
        snprintf(text, sizeof(text), "%s%s%s%s%s: %s%s%s%s", pc_edit_rows[i].what, *flags ? " (" : "", flags,
                 *flags ? ")" : "", times, *since ? "new " : "", since, *since ? "; " : "",
                 pc_edit_rows[i].why);
        pc_rewrite_say(j->how, input, "edited", text);
    }
}

void pc_job_say_losses(struct pc_job *j, const char *input)
{
    char text[PC_LOSS_NAME_MAX + 64], times[64];
    if (!j->salvage)
        pc_job_say_findings(j, input);
    for (enum pc_edit i = 0; i < PC_EDITS; i++) {
        j->edits[i].count = j->content.edits.count[i];
        j->edits[i].packed_in = j->content.edits.packed_in[i];
        j->edits[i].first = j->content.edits.first[i];
    }
    j->cleared = j->content.edits.flags;
    for (size_t i = 0; i < j->content.nr_losses; i++) {
        const struct pc_loss *loss = &j->content.loss[i];
        put_times(times, sizeof(times), loss->count, loss->packed_in, loss->offset);
        snprintf(text, sizeof(text), "%s%s", loss->name, strcmp(loss->name, "kcore") == 0 ? "" : times);
        pc_rewrite_say(j->how, input, "left out", text);
    }
    if (j->content.more_losses != 0) {
        snprintf(text, sizeof(text), "%" PRIu64 " more", j->content.more_losses);
        pc_rewrite_say(j->how, input, "left out", text);
    }
    for (size_t i = 0; i < j->how->drops.nr; i++) {
        if (pc_content_losses(&j->content, j->how->drops.name[i]) == 0 && j->content.more_losses == 0)
            pc_rewrite_say(j->how, j->how->drops.name[i], "nothing of that name had to be left out", NULL);
    }
}

struct pc_saved pc_job_saved(const struct pc_job *j)
{
    const struct pc_salvage *s = j->salvage;
    const struct pc_losses *l = &s->lost;
    uint64_t was = s->of_container, is = j->container_of_copy;
    struct pc_saved saved = { .records = j->records_of_copy };
    if (!j->form.pipe)
        saved.moved = was;
    else if (was > is)
        saved.merged = was - is;
    else
        saved.made = is - was;
    uint64_t rest = saved.records + saved.moved + saved.merged + l->records - l->packed_records;
    if (s->found + saved.made > rest)
        saved.unneeded = s->found + saved.made - rest;
    return saved;
}

bool pc_job_say_lost(struct pc_job *j, const char *input)
{
    if (!j->salvage)
        return true;
    const struct pc_saved saved = pc_job_saved(j);
    return pc_output_say_lost(j->how, input, &j->salvage->lost, &saved);
}

/* The only attr says that its samples have no fields, and they have some: nothing else tells which. */
static void say_no_fields(const struct pc_job *j, const char *input)
{
    char text[256];
    size_t i = 0;
    while (i < j->salvage->lost.nr && j->salvage->lost.lost[i].why != PC_D_SAMPLE_EXCESS)
        i++;
    if (j->no_fields_at == 0 || i == j->salvage->lost.nr)
        return;
    snprintf(text, sizeof(text),
             "if it is damaged, write into the 8 bytes at 0x%" PRIx64
             " what a capture of the same perf record command has in its attr, and salvage again",
             j->no_fields_at);
    pc_rewrite_say(j->how, input, "samples are left out since sample_type is 0", text);
}

void pc_job_say_saved(const struct pc_job *j, const char *input)
{
    if (!j->salvage)
        return;
    const struct pc_saved saved = pc_job_saved(j);
    pc_output_say_saved(j->how, input, &j->salvage->lost, &saved);
    say_no_fields(j, input);
}

struct pc_obstacles pc_job_obstacles(const struct pc_job *j)
{
    return (struct pc_obstacles){ j->how, &j->scan, &j->form, j->content.refusals != 0,
                                  pc_content_obstacles(&j->content) != 0 };
}

enum pc_rewritten pc_job_refuse_for(struct pc_job *j, const char *path, const char *damage)
{
    const struct pc_obstacles obstacles = pc_job_obstacles(j);
    pc_job_say_findings(j, path);
    if (j->scan.report.unreadable)
        return PC_TROUBLE;
    if (j->scan.recognised && pc_content_damage(&j->content) != 0)
        pc_rewrite_say(j->how, path, "refused", damage);
    else if (j->scan.recognised)
        pc_obstacles_say(&obstacles, path);
    if (j->scan.recognised && j->is_stream)
        pc_output_say_once(j->how, path, pc_content_damage(&j->content) != 0);
    return PC_REFUSED;
}

enum pc_rewritten pc_job_refuse(struct pc_job *j, const char *path)
{
    return pc_job_refuse_for(j, path, "the capture has errors ('perfcheck check' shows all)");
}

/* Whether a salvage left out something without a reason, or has told of other records. */
static bool lacks_reason(struct pc_job *j, char place[PC_PLACE_MAX])
{
    const struct pc_losses *l = &j->salvage->lost;
    for (size_t i = 0; i < l->nr; i++) {
        const struct pc_lost *lost = &l->lost[i];
        if (lost->how == PC_LOST_OUT && lost->place == PC_IN_RECORD)
            pc_proof_listed(&j->proof, lost->type, lost->where.stream, lost->number, lost->records);
    }
    return pc_proof_wrong(&j->proof, l->more == 0, place, PC_PLACE_MAX);
}

enum pc_rewritten pc_job_refuse_unsettled(const struct pc_job *j, const char *input)
{
    char text[128];
    snprintf(text, sizeof(text), "each of %u passes found other damage ('perfcheck check' shows it)",
             j->salvage->passes);
    pc_rewrite_say(j->how, input, "cannot be saved", text);
    return PC_REFUSED;
}

enum pc_rewritten pc_job_prove(struct pc_job *j, const char *input, const char *output)
{
    char place[PC_PLACE_MAX];
    if (!lacks_reason(j, place))
        return PC_WRITTEN;
    if (j->salvage->settling != 0) /* inside of records are others, which were not looked for */
        return pc_job_refuse_unsettled(j, input);
    return pc_output_say_defect(j->how, pc_output_name(output), PC_LACKS_SOUND, place);
}

void pc_job_open_scan(struct pc_job *j, enum pc_versions reader, const char *doing)
{
    pc_policy_init(&j->policy);
    j->policy.reader = reader;
    struct pc_limits limits = j->how->limits;
    limits.memory -= j->salvage ? j->salvage->mem.limit : 0;
    limits.memory -= j->seen.limit;
    pc_scan_init(&j->scan, &j->policy, &limits);
    j->scan.progress = j->how->progress;
    j->scan.no_cause = j->how->salvage; /* which reads the capture again and again */
    pc_progress_begin(j->scan.progress, doing);
}

void pc_job_close_scan(struct pc_job *j)
{
    pc_progress_end(j->scan.progress);
    pc_content_clear(&j->content);
    pc_scan_clear(&j->scan);
}

void pc_job_reopen_scan(struct pc_job *j)
{
    pc_job_close_scan(j);
    pc_job_open_scan(j, PC_BY_NONE, "rewriting");
}

void pc_job_skip_before(struct pc_job *j)
{
    const struct pc_report *report = &j->scan.report;
    struct pc_item item;
    uint64_t before = 0;
    j->scan.in = pc_salvage_input(&j->left_out);
    pc_scan_next(&j->scan, &item);
    for (size_t i = 0; i < report->nr; i++) {
        if (report->finding[i].id == PC_D_CAPTURE_LATE)
            before = report->finding[i].length;
    }
    j->left_out.not_judged |= report->unreadable;
    pc_job_reopen_scan(j);
    pc_input_begin(&j->left_out.in, before);
}

bool pc_job_take_content(struct pc_job *j)
{
    struct pc_content_item item;
    do {
        pc_content_next(&j->content, &item);
    } while (item.kind != PC_CONTENT_END);
    return pc_content_is_whole(&j->content);
}

/* Counts errors that are not about features, and warnings about records, of which any number is less than an
 * error. That EVENT_DESC differs from the attrs says nothing about which of them is right. */
static void count_error(void *ctx, const struct pc_finding *f)
{
    uint64_t *errors = ctx;
    if (f->id == PC_D_READ_FAILED || f->id == PC_D_OUT_OF_MEMORY || f->id == PC_D_LIMIT_STATE)
        *errors = PC_NOT_JUDGED;
    else if (*errors != PC_NOT_JUDGED && f->severity == PC_ERROR)
        *errors += f->place != PC_IN_FEATURE ? PC_JUDGED_ERROR : 0;
    else if (*errors != PC_NOT_JUDGED && f->severity == PC_WARNING)
        *errors +=
            f->place == PC_IN_RECORD && f->id != PC_D_EVENT_DESC_DIFFERS && f->id != PC_D_EVENT_DESC_IDS;
}

/* Whether sections of features are where no writer puts them, or an entry has nothing, or is of a feature
 * that nobody knows. */
static bool doubts_table(const struct pc_report *report)
{
    static const enum pc_diag ids[] = { PC_D_FEATURE_OVERLAP, PC_D_FEATURE_ORDER,   PC_D_FEATURE_GAP,
                                        PC_D_FEATURE_EMPTY,   PC_D_FEATURE_UNKNOWN, PC_D_TRAILING_BYTES };
    bool doubts = false;
    for (size_t i = 0; i < PC_COUNT_OF(ids); i++)
        doubts |= pc_report_found(report, ids[i]) != 0;
    return doubts;
}

bool pc_job_judge(void *ctx, struct pc_input in, uint64_t most, uint64_t *errors)
{
    struct pc_job *j = ctx;
    struct pc_item item = { 0 };
    j->scan.in = in;
    j->scan.report.on_finding = errors ? count_error : NULL;
    j->scan.report.ctx = errors;
    const struct pc_report *report = &j->scan.report;
    while ((errors ? *errors < most : report->by_severity[PC_ERROR] == 0) && pc_scan_step(&j->scan, &item))
        ;
    pc_scan_end(&j->scan);
    bool sound = j->scan.recognised && !report->unreadable && report->by_severity[PC_ERROR] == 0 &&
                 !doubts_table(report);
    j->left_out.no_memory |= j->scan.mem.failed; /* which the report may say at the end only */
    pc_job_reopen_scan(j);
    return sound;
}
