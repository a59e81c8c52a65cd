/* SPDX-License-Identifier: MIT
 *
 * The public interface: handles, statuses and texts over what the rooms above this one do.
 */
#include "perfcheck.h"

#include "base/text.h"
#include "lib/fields.h"
#include "lib/options.h"
#include "write/bundle.h"
#include "write/rewrite.h"

#include <errno.h>
#include <string.h>

enum stage { CLOSED, OPEN, READING, ENDED };

struct perfcheck {
    struct pc_mem mem; /* of the handle itself and of `path` */
    struct pc_options options;
    enum stage stage;
    struct pc_scan scan; /* of an open capture */
    char *path;          /* of the capture; NULL: it was opened without one */

    perfcheck_on_finding_t *on_finding;
    perfcheck_on_progress_t *on_progress;
    perfcheck_on_message_t *on_message;
    perfcheck_on_bytes_t *on_bytes;
    void *finding_ctx, *message_ctx, *bytes_ctx;
    struct pc_progress progress;
    bool stopped; /* by a callback */

    /* What was returned last. */
    struct pc_item at; /* bytes.ptr is NULL and has_item false: there is none */
    bool has_item;
    struct pc_fields fields;
    perfcheck_item_t item;
    perfcheck_finding_t finding;
    perfcheck_summary_t summary;
    struct pc_buffer error, event, item_stream;
    struct pc_buffer message, stream, path_text, seen, expected, versions;
    struct pc_buffer text;
};

const char *perfcheck_version(void)
{
    return PERFCHECK_VERSION;
}

/* --- errors --- */

static int fail(perfcheck_t *pc, int status, const char *why)
{
    pc_buffer_init(&pc->error);
    pc_put_escaped(&pc->error, why, true);
    return status;
}

static int fail_of_errno(perfcheck_t *pc, int error)
{
    return fail(pc, error == ENOMEM ? PERFCHECK_NO_MEMORY : PERFCHECK_IO, pc_text_error(error));
}

static int succeed(perfcheck_t *pc)
{
    pc_buffer_init(&pc->error);
    return PERFCHECK_OK;
}

const char *perfcheck_error(const perfcheck_t *pc)
{
    return pc ? pc->error.text : "there is no handle";
}

/* --- handles --- */

perfcheck_t *perfcheck_new(void)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct perfcheck) + ((uint64_t)1 << 20));
    perfcheck_t *pc = pc_alloc(&mem, sizeof(*pc));
    if (!pc)
        return NULL;
    pc->mem = mem;
    pc_options_init(&pc->options);
    return pc;
}

/* The error stays. */
static void close_capture(perfcheck_t *pc)
{
    if (pc->stage == CLOSED)
        return;
    pc_scan_clear(&pc->scan);
    if (pc->path)
        pc_free(&pc->mem, pc->path, strlen(pc->path) + 1);
    pc->path = NULL;
    pc->has_item = false;
    pc->stage = CLOSED;
}

void perfcheck_close(perfcheck_t *pc)
{
    if (!pc)
        return;
    close_capture(pc);
    succeed(pc);
}

void perfcheck_free(perfcheck_t *pc)
{
    if (!pc)
        return;
    close_capture(pc);
    pc_options_clear(&pc->options);
    struct pc_mem mem = pc->mem;
    pc_free(&mem, pc, sizeof(*pc));
}

/* Options and callbacks change only between captures. */
static int need_closed(perfcheck_t *pc)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    return pc->stage == CLOSED ? succeed(pc) : fail(pc, PERFCHECK_MISUSE, "a capture is open");
}

int perfcheck_set(perfcheck_t *pc, const char *option, const char *value)
{
    int status = need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    if (!option)
        return fail(pc, PERFCHECK_MISUSE, "no option is named");
    return pc_options_set(&pc->options, option, value, &pc->error) ? PERFCHECK_OK : PERFCHECK_MISUSE;
}

int perfcheck_on_finding(perfcheck_t *pc, perfcheck_on_finding_t *callback, void *ctx)
{
    int status = need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_finding = callback;
    pc->finding_ctx = ctx;
    return PERFCHECK_OK;
}

int perfcheck_on_progress(perfcheck_t *pc, perfcheck_on_progress_t *callback, void *ctx)
{
    int status = need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->progress = (struct pc_progress){ .tell = callback, .ctx = ctx };
    return PERFCHECK_OK;
}

int perfcheck_on_message(perfcheck_t *pc, perfcheck_on_message_t *callback, void *ctx)
{
    int status = need_closed(pc);
    if (status != PERFCHECK_OK)
        return status;
    pc->on_message = callback;
    pc->message_ctx = ctx;
    return PERFCHECK_OK;
}

static struct pc_progress *progress_of(perfcheck_t *pc)
{
    return pc->progress.tell ? &pc->progress : NULL;
}

/* --- findings --- */

static const char *fresh(struct pc_buffer *b)
{
    pc_buffer_init(b);
    return b->text;
}

/* The versions that a row names. */
static const char *describe_versions(perfcheck_t *pc, const struct pc_diag_info *info)
{
    fresh(&pc->versions);
    for (unsigned version = PC_BY_5_10; version <= PC_BY_7_2; version <<= 1) {
        if (!(info->refused & version))
            continue;
        pc_put(&pc->versions, pc->versions.len != 0 ? ", " : "");
        pc_put(&pc->versions, pc_version_name((enum pc_versions)version));
    }
    return pc->versions.text;
}

static const perfcheck_finding_t *describe(perfcheck_t *pc, const struct pc_finding *f)
{
    const struct pc_diag_info *info = pc_diag_info(f->id);
    pc->finding = (perfcheck_finding_t){
        .id = info->id,
        .name = info->name,
        .severity = (perfcheck_severity_t)f->severity,
        .message = fresh(&pc->message),
        .explanation = info->explanation,
        .stream = fresh(&pc->stream),
        .offset = f->offset,
        .length = f->length,
        .path = fresh(&pc->path_text),
        .seen = fresh(&pc->seen),
        .expected = fresh(&pc->expected),
        .not_read_by = describe_versions(pc, info),
    };
    pc_put_message(&pc->message, f, true);
    pc_put_stream(&pc->stream, &f->where, true);
    pc_put_path(&pc->path_text, f);
    pc_put_value(&pc->seen, &f->seen, true);
    pc_put_value(&pc->expected, &f->expected, true);
    return &pc->finding;
}

static void take_finding(void *ctx, const struct pc_finding *f)
{
    perfcheck_t *pc = ctx;
    pc->on_finding(pc->finding_ctx, describe(pc, f));
}

const perfcheck_finding_t *perfcheck_finding(perfcheck_t *pc, size_t number)
{
    if (!pc || pc->stage == CLOSED || number >= pc->scan.report.nr)
        return NULL;
    succeed(pc);
    return describe(pc, &pc->scan.report.finding[number]);
}

uint64_t perfcheck_count(const perfcheck_t *pc, perfcheck_severity_t severity)
{
    if (!pc || pc->stage == CLOSED || (unsigned)severity > PERFCHECK_ERROR)
        return 0;
    return pc->scan.report.by_severity[severity];
}

const perfcheck_finding_t *perfcheck_explain(perfcheck_t *pc, const char *id_or_name, size_t number)
{
    if (!pc || number >= PC_DIAG_COUNT - 1)
        return NULL;
    enum pc_diag id = id_or_name ? pc_diag_find(id_or_name) : (enum pc_diag)(number + 1);
    if (id == PC_NO_DIAG)
        return NULL;
    const struct pc_diag_info *info = pc_diag_info(id);
    pc->finding = (perfcheck_finding_t){
        .id = info->id,
        .name = info->name,
        .severity = (perfcheck_severity_t)info->severity,
        .message = fresh(&pc->message),
        .explanation = info->explanation,
        .not_read_by = describe_versions(pc, info),
    };
    pc_put_template(&pc->message, info);
    succeed(pc);
    return &pc->finding;
}

/* --- opening --- */

/* Takes over what an open returned. */
static int open_input(perfcheck_t *pc, const struct pc_input *in, int error)
{
    if (error)
        return fail_of_errno(pc, error);
    pc_scan_init(&pc->scan, &pc->options.policy, &pc->options.limits);
    pc->scan.in = *in;
    pc->scan.progress = progress_of(pc);
    if (pc->on_finding) {
        pc->scan.report.take = take_finding;
        pc->scan.report.taker = pc;
    }
    pc->stage = OPEN;
    return succeed(pc);
}

int perfcheck_open_path(perfcheck_t *pc, const char *path)
{
    struct pc_input in;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_close(pc);
    if (!path)
        return fail(pc, PERFCHECK_MISUSE, "no path is given");
    size_t size = strlen(path) + 1;
    char *copy = pc_alloc(&pc->mem, size);
    if (!copy)
        return fail_of_errno(pc, ENOMEM);
    int status = open_input(pc, &in, pc_input_open(&in, path));
    if (status != PERFCHECK_OK) {
        pc_free(&pc->mem, copy, size);
        return status;
    }
    memcpy(copy, path, size);
    pc->path = copy;
    return PERFCHECK_OK;
}

int perfcheck_open_fd(perfcheck_t *pc, int fd)
{
    struct pc_input in;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_close(pc);
    return open_input(pc, &in, pc_input_borrow(&in, fd));
}

int perfcheck_open_memory(perfcheck_t *pc, const void *bytes, size_t size)
{
    struct pc_input in;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_close(pc);
    if (!bytes && size != 0)
        return fail(pc, PERFCHECK_MISUSE, "no bytes are given");
    pc_input_memory(&in, (struct pc_span){ bytes, size }, PC_INPUT_FILE);
    return open_input(pc, &in, 0);
}

/* --- reading --- */

/* Reads one item into pc->at. */
static int advance(perfcheck_t *pc)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (pc->stage == CLOSED)
        return fail(pc, PERFCHECK_MISUSE, "no capture is open");
    if (pc->stage == OPEN)
        pc_progress_begin(pc->scan.progress, "checking");
    succeed(pc);
    pc->has_item = pc->stage != ENDED && pc_scan_next(&pc->scan, &pc->at);
    if (!pc->has_item && pc->stage != ENDED)
        pc_scan_end(&pc->scan);
    pc->stage = pc->has_item ? READING : ENDED;
    return pc->has_item ? PERFCHECK_OK : PERFCHECK_END;
}

static void describe_item(perfcheck_t *pc)
{
    static const perfcheck_kind_t kinds[] = {
        [PC_ITEM_HEADER] = PERFCHECK_HEADER,   [PC_ITEM_ATTR] = PERFCHECK_ATTR,
        [PC_ITEM_FEATURE] = PERFCHECK_FEATURE, [PC_ITEM_RECORD] = PERFCHECK_RECORD,
        [PC_ITEM_PAYLOAD] = PERFCHECK_BYTES,   [PC_ITEM_END] = PERFCHECK_LAST,
    };
    const struct pc_item *at = &pc->at;
    bool sized = at->kind == PC_ITEM_FEATURE || at->kind == PC_ITEM_PAYLOAD;
    pc->fields.scan = &pc->scan;
    pc_fields_begin(&pc->fields, at);
    bool has_event = at->kind == PC_ITEM_RECORD && at->type == PC_SAMPLE && pc->fields.attr != PC_NO_ATTR;
    pc->item = (perfcheck_item_t){
        .kind = kinds[at->kind],
        .type = at->type,
        .misc = at->misc,
        .number = at->number,
        .name = pc->fields.item_name ? pc->fields.item_name : "",
        .stream = fresh(&pc->item_stream),
        .offset = at->offset,
        .size = sized ? at->size : at->bytes.len,
        .bytes = at->bytes.ptr,
        .nr_bytes = at->bytes.len,
        .event = fresh(&pc->event),
    };
    pc_put_stream(&pc->item_stream, &pc->scan.report.where, true);
    if (has_event && pc->scan.capture.attr[pc->fields.attr].name)
        pc_put_escaped(&pc->event, pc->scan.capture.attr[pc->fields.attr].name, true);
}

int perfcheck_next(perfcheck_t *pc, const perfcheck_item_t **item)
{
    int status = advance(pc);
    if (item)
        *item = NULL;
    if (status != PERFCHECK_OK || !item)
        return status;
    describe_item(pc);
    *item = &pc->item;
    return PERFCHECK_OK;
}

int perfcheck_check(perfcheck_t *pc)
{
    int status;
    while ((status = advance(pc)) == PERFCHECK_OK)
        continue;
    return status == PERFCHECK_END ? PERFCHECK_OK : status;
}

perfcheck_verdict_t perfcheck_verdict(const perfcheck_t *pc)
{
    static const perfcheck_verdict_t verdicts[] = {
        [PC_VALID] = PERFCHECK_VALID,
        [PC_INVALID] = PERFCHECK_INVALID,
        [PC_UNREADABLE] = PERFCHECK_UNREADABLE,
    };
    return pc && pc->stage != CLOSED ? verdicts[pc_scan_verdict(&pc->scan)] : PERFCHECK_UNREADABLE;
}

const perfcheck_summary_t *perfcheck_summary(perfcheck_t *pc)
{
    if (!pc || pc->stage == CLOSED)
        return NULL;
    const struct pc_capture *capture = &pc->scan.capture;
    pc->summary = (perfcheck_summary_t){
        .container = capture->is_directory  ? "directory"
                     : !pc->scan.recognised ? ""
                     : capture->is_pipe     ? "pipe"
                                            : "file",
        .big_endian = capture->order == PC_BIG,
        .attrs = capture->nr_attrs,
        .records = pc->scan.check.sum.total,
        .samples = pc->scan.check.sum.by_type[PC_SAMPLE],
    };
    succeed(pc);
    return &pc->summary;
}

/* --- fields --- */

/* Somebody who looks at fields. */
struct look {
    perfcheck_on_field_t *callback;
    void *ctx;
    bool stopped;
};

static bool take_field(void *ctx, const struct pc_fields *f)
{
    struct look *look = ctx;
    static const char *const types[] = { "uint", "int", "double", "bits", "text", "bytes", NULL };
    const char *dot = strrchr(f->name.text, '.');
    perfcheck_field_t field = {
        .path = f->name.text,
        .name = dot ? dot + 1 : f->name.text,
        .offset = f->offset,
        .size = f->size,
        .type = (perfcheck_type_t)pc_option_value(f->value.type, types),
        .value = f->value.value.text,
        .meaning = f->value.meaning.text,
        .bytes = f->bytes.ptr,
        .nr_bytes = f->bytes.len,
    };
    if (field.type == PERFCHECK_INT && field.size < 8) /* the sign goes on to the left */
        field.number = f->number | (f->number >> (8 * field.size - 1) ? UINT64_MAX << 8 * field.size : 0);
    else if (field.type < PERFCHECK_TEXT)
        field.number = f->number;
    look->stopped = look->callback(look->ctx, &field) != 0;
    return !look->stopped;
}

static int walk(perfcheck_t *pc, struct look *look)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!look->callback)
        return fail(pc, PERFCHECK_MISUSE, "no callback is given");
    if (!pc->has_item)
        return fail(pc, PERFCHECK_MISUSE, "no item was read");
    pc->fields.scan = &pc->scan;
    pc->fields.take = take_field;
    pc->fields.ctx = look;
    pc_fields_begin(&pc->fields, &pc->at);
    pc_fields_walk(&pc->fields);
    return look->stopped ? fail(pc, PERFCHECK_STOPPED, "the callback ended it") : succeed(pc);
}

int perfcheck_fields(perfcheck_t *pc, perfcheck_on_field_t *callback, void *ctx)
{
    struct look look = { .callback = callback, .ctx = ctx };
    return walk(pc, &look);
}

/* A field that is looked for. */
struct wanted {
    const char *path;
    bool is_number;
    uint64_t number;
    struct pc_buffer *text;
};

static int match(void *ctx, const perfcheck_field_t *field)
{
    struct wanted *wanted = ctx;
    if (strcmp(field->path, wanted->path) != 0)
        return 0;
    wanted->is_number = field->type < PERFCHECK_TEXT;
    wanted->number = field->number;
    pc_buffer_init(wanted->text);
    pc_put(wanted->text, field->value);
    return 1;
}

static int find(perfcheck_t *pc, struct wanted *wanted)
{
    struct look look = { .callback = match, .ctx = wanted };
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!wanted->path)
        return fail(pc, PERFCHECK_MISUSE, "no field is named");
    wanted->text = &pc->text;
    int status = walk(pc, &look);
    if (status == PERFCHECK_STOPPED)
        return succeed(pc);
    return status == PERFCHECK_OK ? fail(pc, PERFCHECK_NOT_FOUND, "the item has no such field") : status;
}

int perfcheck_number(perfcheck_t *pc, const char *path, uint64_t *number)
{
    struct wanted wanted = { .path = path };
    int status = find(pc, &wanted);
    if (status != PERFCHECK_OK)
        return status;
    if (!wanted.is_number)
        return fail(pc, PERFCHECK_NOT_FOUND, "the field is no number");
    if (!number)
        return fail(pc, PERFCHECK_MISUSE, "there is no place for the number");
    *number = wanted.number;
    return PERFCHECK_OK;
}

const char *perfcheck_text(perfcheck_t *pc, const char *path)
{
    struct wanted wanted = { .path = path };
    return find(pc, &wanted) == PERFCHECK_OK ? pc->text.text : NULL;
}

/* --- rewriting --- */

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
        fail(pc, PERFCHECK_REFUSED, describe(pc, f)->message); /* until a message says more */
        if (pc->on_finding)
            take_finding(pc, f);
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
    if (pc->stage != OPEN)
        return fail(pc, PERFCHECK_MISUSE,
                    pc->stage == CLOSED ? "no capture is open" : "the capture was read");
    *in = pc->scan.in;
    pc->scan.in = (struct pc_input){ .fd = -1 };
    *how = pc->options.rewrite;
    how->limits = pc->options.limits;
    how->progress = progress_of(pc);
    how->tell = (struct pc_tell){ pc, tell_message, tell_errors };
    how->take = take_bytes;
    how->take_ctx = pc;
    pc->stopped = false;
    return succeed(pc);
}

/* Closes the handle; what was said is why, unless all is well. */
static int finish(perfcheck_t *pc, enum pc_rewritten result)
{
    static const int statuses[] = {
        [PC_WRITTEN] = PERFCHECK_OK,
        [PC_REFUSED] = PERFCHECK_REFUSED,
        [PC_TROUBLE] = PERFCHECK_IO,
    };
    close_capture(pc);
    if (result == PC_WRITTEN)
        return succeed(pc);
    return pc->stopped ? PERFCHECK_STOPPED : statuses[result];
}

/* output is NULL: the copy goes to the callback. */
static int rewrite(perfcheck_t *pc, const char *output)
{
    struct pc_input in;
    struct pc_rewrite how;
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
    return fail(pc, PERFCHECK_MISUSE, "a callback takes no directory");
}

int perfcheck_rewrite(perfcheck_t *pc, const char *output)
{
    if (pc && !output)
        return fail(pc, PERFCHECK_MISUSE, "no output is named");
    return rewrite(pc, output);
}

int perfcheck_rewrite_to(perfcheck_t *pc, perfcheck_on_bytes_t *callback, void *ctx)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!callback)
        return fail(pc, PERFCHECK_MISUSE, "no callback is given");
    pc->on_bytes = callback;
    pc->bytes_ctx = ctx;
    return rewrite(pc, NULL);
}

const char *perfcheck_digest(perfcheck_t *pc)
{
    struct pc_input in;
    struct pc_rewrite how;
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
