/* SPDX-License-Identifier: MIT
 *
 * The content of the input is put, part by part, into a scratch capture of the same kind. A complete one is
 * read again: it must have what the input had for it. Then it is an input of the rewriter, which converts and
 * verifies it as it does with any other.
 */
#include "write/rotate.h"

#include "bytes/cursor.h"
#include "write/obstacles.h"
#include "write/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SINK_MEMORY ((uint64_t)8 << 20)

struct part {
    char path[PATH_MAX];
    struct pc_sink output, scratch; /* the second one is the input of the first */
    struct pc_mem mem;
    struct pc_writer writer;
    bool open;
    uint64_t records, bytes; /* without those repeated */
    uint64_t since;          /* the newest time when it began */
    struct pc_marks wanted;  /* of all its records, as the content had them */
};

/* What shows where the part has to end, apart from what ends it. */
struct due {
    uint64_t bytes, since;
    bool after_round, in_pieces;
};

struct rotation {
    struct pc_witness witness; /* of the input */
    struct pc_marks repeated;  /* records with PC_LASTING so far, seen apart from those kept */
    struct part part;
    struct pc_content content;
    struct pc_scan scan;
    struct pc_policy policy;
    struct pc_mem mem; /* of the rotation itself */
    const struct pc_rewrite *how;
    const char *input, *output;
    struct pc_sink lasting; /* records with PC_LASTING so far, each after its size in 4 bytes */
    struct pc_mem lasting_mem;
    uint64_t wanted; /* records that parts were to have, without those repeated */
    uint64_t parts, records;
    struct due due;
    mode_t mode;
    bool is_stream, ended_round;
    bool in_pieces;                   /* of a split record, whose end has not come */
    unsigned char record[UINT16_MAX]; /* one of the lasting ones */
};

static enum pc_rewritten say_not_written(const struct rotation *r, const char *path, int error)
{
    pc_rewrite_say(r->how, path, "cannot be written", pc_output_error_text(error));
    return PC_TROUBLE;
}

static enum pc_rewritten say_wrong(const struct rotation *r, const char *place)
{
    return pc_output_say_defect(r->how, r->output, PC_OTHER_CONTENT, place);
}

/* --- one part --- */

/* Puts the records again that earlier parts began with, and those that came in them. */
static int repeat_lasting(struct rotation *r)
{
    unsigned char head[4];
    struct pc_sink *from = &r->lasting;
    struct pc_content_item item = { .kind = PC_CONTENT_RECORD };
    for (uint64_t at = 0; at < from->size; at += sizeof(head) + item.bytes.len) {
        if (!pc_sink_get(from, at, head, sizeof(head)))
            return from->error ? from->error : EIO;
        item.bytes = (struct pc_span){ r->record, (size_t)pc_load(head, 4, PC_LITTLE) };
        assert(item.bytes.len <= sizeof(r->record));
        if (!pc_sink_get(from, at + sizeof(head), r->record, item.bytes.len))
            return from->error ? from->error : EIO;
        item.type = (uint32_t)pc_load(r->record, 4, r->content.own.to);
        pc_writer_put(&r->part.writer, &item);
    }
    return 0;
}

/* Names the part that comes next; false: its name is too long. */
static bool name_part(struct rotation *r)
{
    struct part *p = &r->part;
    int n = snprintf(p->path, sizeof(p->path), "%s.%" PRIu64, r->output, r->parts);
    return n >= 0 && (size_t)n < sizeof(p->path);
}

static enum pc_rewritten open_part(struct rotation *r)
{
    struct part *p = &r->part;
    const struct pc_inputs inputs = { &r->scan.in.fd, 1 };
    if (!name_part(r))
        return say_not_written(r, r->output, ENAMETOOLONG);
    pc_mem_init(&p->mem, 3 * SINK_MEMORY);
    int error = pc_sink_create(&p->output, &p->mem, p->path, r->how->force, r->mode, &inputs);
    if (error == 0) {
        error = pc_sink_scratch(&p->scratch, &p->mem, &p->output);
        if (error)
            pc_sink_discard(&p->output);
    }
    if (error)
        return say_not_written(r, p->path, error);
    bool pipe = r->scan.capture.is_pipe;
    pc_writer_init(&p->writer, &r->content, &p->scratch, pipe ? PC_CONTAINER_PIPE : PC_CONTAINER_FILE);
    p->open = true;
    p->records = p->bytes = 0;
    p->since = r->scan.check.flow.times.newest;
    p->wanted = r->repeated;
    r->due = (struct due){ .since = p->since };
    error = repeat_lasting(r);
    return error ? say_not_written(r, p->path, error) : PC_WRITTEN;
}

static void discard_part(struct part *p)
{
    if (!p->open)
        return;
    pc_writer_clear(&p->writer);
    pc_sink_discard(&p->scratch);
    pc_sink_discard(&p->output);
    p->open = false;
}

/* The scratch capture as an input. */
static int input_of(struct part *p, struct pc_input *in)
{
    int fd = pc_output_reopen(&p->scratch);
    return fd < 0 ? -fd : pc_input_adopt(in, fd, true);
}

/* Something of the part cannot be carried over, or there is no memory for it. */
static enum pc_rewritten refuse_part(const struct rotation *r)
{
    r->how->callbacks.errors(r->how->callbacks.ctx, r->input, &r->scan);
    if (r->scan.report.unreadable)
        return PC_TROUBLE;
    pc_rewrite_say(r->how, r->input, "refused", "not all of it can be carried over");
    return PC_REFUSED;
}

static enum pc_rewritten close_part(struct rotation *r)
{
    struct part *p = &r->part;
    struct pc_input in;
    struct pc_rewrite how = *r->how;
    how.progress = NULL;
    how.keep_partial = how.symbols_out = NULL;
    how.no_verify = false;
    pc_writer_end(&p->writer); /* which says that the content has not ended, too */
    int error = p->scratch.error;
    if (p->writer.failed && !error)
        return refuse_part(r);
    enum pc_rewritten result =
        error ? say_not_written(r, p->path, error) : pc_rewrite_part(&how, &p->writer, &p->wanted, p->path);
    if (result != PC_WRITTEN)
        return result;
    error = input_of(p, &in);
    result =
        error ? say_not_written(r, p->path, error) : pc_rewrite_into(&how, &in, p->path, &p->output, p->path);
    if (result == PC_WRITTEN) {
        pc_writer_clear(&p->writer);
        pc_sink_discard(&p->scratch);
        p->open = false;
        error = pc_sink_commit(&p->output);
        if (error)
            return say_not_written(r, p->path, error);
        r->parts++;
        r->records += p->records;
    }
    return result;
}

/* --- all parts --- */

static bool is_full(const struct rotation *r)
{
    const struct pc_rotate *limit = &r->how->rotate;
    uint64_t newest = r->scan.check.flow.times.newest;
    bool full = (limit->bytes != 0 && r->part.bytes >= limit->bytes) ||
                (limit->ns != 0 && newest > r->part.since && newest - r->part.since >= limit->ns);
    return full && !r->in_pieces && (r->ended_round || r->scan.check.flow.rounds == 0);
}

/* Whether the part has to end before the record that has just come. */
static bool is_due(const struct rotation *r)
{
    const struct pc_rotate *limit = &r->how->rotate;
    const struct pc_flow *flow = &r->scan.check.flow;
    uint64_t time = flow->times.newest > r->due.since ? flow->times.newest - r->due.since : 0;
    bool bytes = limit->bytes != 0 && r->due.bytes >= limit->bytes;
    return (bytes || (limit->ns != 0 && time >= limit->ns)) && !r->due.in_pieces &&
           (r->due.after_round || flow->rounds == 0);
}

/* Records that a later part needs. */
static void keep_lasting(struct rotation *r, const struct pc_content_item *item)
{
    unsigned char head[4];
    if (!pc_record_is(item->type, PC_LASTING))
        return;
    pc_store(head, 4, item->bytes.len, PC_LITTLE);
    pc_sink_put(&r->lasting, head, sizeof(head));
    pc_sink_put(&r->lasting, item->bytes.ptr, item->bytes.len);
}

/* The part that the next record belongs to is open. */
static enum pc_rewritten choose_part(struct rotation *r, const struct pc_content_item *item)
{
    struct part *p = &r->part;
    enum pc_rewritten result = PC_WRITTEN;
    bool full = p->open && is_full(r), due = p->open && is_due(r);
    if (pc_record_is(item->type, PC_OF_AUX_TRACE)) {
        pc_rewrite_say(r->how, r->input, "refused", "AUX traces cannot be divided: leave out --rotate");
        return PC_REFUSED;
    }
    if (full != due)
        return say_wrong(r, "the end of a capture");
    if (full)
        result = close_part(r);
    if (result == PC_WRITTEN && !p->open)
        result = open_part(r);
    return result;
}

static void want(struct pc_marks *marks, const struct pc_content_item *item)
{
    pc_marks_put(marks, item->source.number);
    pc_hash_put(&marks->hash, item->bytes.ptr, item->bytes.len);
}

/* What the part, and all later ones, must have. */
static void expect_record(struct rotation *r, const struct pc_content_item *item)
{
    want(&r->part.wanted, item);
    if (pc_record_is(item->type, PC_LASTING))
        want(&r->repeated, item);
    r->wanted++;
    r->due.bytes += item->bytes.len;
    r->due.since = r->due.since == 0 ? r->scan.check.flow.times.newest : r->due.since;
    r->due.after_round = item->type == PC_FINISHED_ROUND;
    r->due.in_pieces = item->type == PC_SPLIT;
}

static enum pc_rewritten take_record(struct rotation *r, const struct pc_content_item *item)
{
    struct part *p = &r->part;
    keep_lasting(r, item);
    pc_writer_put(&p->writer, item);
    p->records++;
    p->bytes += item->bytes.len;
    if (p->since == 0) /* only records without a time yet */
        p->since = r->scan.check.flow.times.newest;
    r->ended_round = item->type == PC_FINISHED_ROUND;
    r->in_pieces = item->type == PC_SPLIT;
    int error = r->lasting.error ? r->lasting.error : p->scratch.error;
    return error ? say_not_written(r, p->path, error) : PC_WRITTEN;
}

/* The part that the damage ends is written, if it can be: a record that is split does not end in it. */
static enum pc_rewritten end_before_damage(struct rotation *r)
{
    enum pc_rewritten result = PC_WRITTEN;
    char text[96];
    if (r->part.open && !r->in_pieces)
        result = close_part(r);
    if (r->wanted == 0)
        snprintf(text, sizeof(text), "no record comes before the damage");
    else if (r->records == r->wanted)
        snprintf(text, sizeof(text), "the %" PRIu64 " record%s before the damage %s written", r->records,
                 pc_lost_plural(r->records), r->records == 1 ? "is" : "are");
    else
        snprintf(text, sizeof(text), "of %" PRIu64 " records before the damage, %" PRIu64 " are written",
                 r->wanted, r->records);
    pc_rewrite_say(r->how, r->input, "refused from here on", text);
    if (r->is_stream)
        pc_output_say_once(r->how, r->input, false);
    else
        pc_rewrite_say(r->how, r->input, PC_SAY_NEXT, "--salvage");
    return result == PC_TROUBLE ? result : PC_REFUSED;
}

/* Why the input did not come to a good end. */
static enum pc_rewritten refuse(struct rotation *r)
{
    r->how->callbacks.errors(r->how->callbacks.ctx, r->input, &r->scan);
    if (r->scan.report.unreadable)
        return PC_TROUBLE;
    if (!r->scan.recognised || pc_content_damage(&r->content) == 0)
        return PC_REFUSED;
    return end_before_damage(r);
}

/* The last part, also when it has no record. */
static enum pc_rewritten end(struct rotation *r)
{
    if (!pc_content_is_whole(&r->content))
        return refuse(r);
    if (r->wanted != r->content.parts.records.count)
        return say_wrong(r, "the number of records");
    enum pc_rewritten result = r->part.open ? PC_WRITTEN : open_part(r);
    if (result == PC_WRITTEN)
        result = close_part(r);
    uint64_t cut = pc_content_cut(&r->content);
    if (result == PC_WRITTEN && cut != 0) {
        pc_output_say_cut(r->how, r->input, cut);
        result = PC_WRITTEN_CUT;
    }
    return result;
}

static enum pc_rewritten rotate(struct rotation *r)
{
    struct pc_content_item item;
    if (!pc_content_open(&r->content))
        return refuse(r);
    r->content.own.to = r->scan.capture.order;
    for (enum pc_rewritten result = PC_WRITTEN; result == PC_WRITTEN;) {
        pc_content_next(&r->content, &item);
        if (r->content.wrong[0] != 0)
            return say_wrong(r, r->content.wrong);
        if (item.kind == PC_CONTENT_END)
            return end(r);
        result = choose_part(r, &item);
        if (result == PC_WRITTEN) {
            expect_record(r, &item);
            result = take_record(r, &item);
        }
        if (result != PC_WRITTEN)
            return result;
    }
    return PC_TROUBLE;
}

static enum pc_rewritten rotate_open(struct rotation *r)
{
    struct pc_partial partial;
    if (name_part(r) && !pc_output_may_appear(r->how, &r->scan.in, r->part.path))
        return PC_TROUBLE;
    if (!pc_partial_open(&partial, r->how, &r->scan.in))
        return PC_TROUBLE;
    r->is_stream = r->scan.in.kind == PC_INPUT_STREAM;
    r->mode = pc_output_mode(&r->scan.in);
    pc_content_init(&r->content, &r->scan, PC_LITTLE, true, NULL);
    r->content.may_be_cut = r->is_stream;
    r->content.as_written = true;
    pc_witness_init(&r->witness, &r->scan.mem);
    r->content.witness = &r->witness;
    pc_marks_begin(&r->repeated);
    pc_mem_init(&r->lasting_mem, SINK_MEMORY);
    int error = pc_sink_scratch(&r->lasting, &r->lasting_mem, NULL);
    enum pc_rewritten result = error ? say_not_written(r, r->output, error) : rotate(r);
    discard_part(&r->part);
    pc_sink_discard(&r->lasting);
    pc_progress_end(r->scan.progress);
    pc_witness_clear(&r->witness);
    pc_content_clear(&r->content);
    return pc_partial_close(&partial, r->how, result, result == PC_WRITTEN);
}

enum pc_rewritten pc_rotate_capture(const struct pc_rewrite *how, const struct pc_input *in,
                                    const char *input, const char *output, uint64_t *records, uint64_t *parts)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct rotation) + PC_MEM_LINE);
    struct rotation *r = pc_alloc_line(&mem, sizeof(*r));
    if (!r) {
        struct pc_input own = in ? *in : (struct pc_input){ .fd = -1 };
        pc_input_close(&own);
        pc_rewrite_say(how, input, "cannot be read", pc_output_error_text(ENOMEM));
        return PC_TROUBLE;
    }
    r->mem = mem;
    r->how = how;
    r->input = input;
    r->output = output;
    pc_policy_init(&r->policy);
    pc_scan_init(&r->scan, &r->policy, &how->limits);
    r->scan.progress = how->progress;
    pc_progress_begin(r->scan.progress, "rewriting");
    enum pc_rewritten result;
    if (in)
        r->scan.in = *in;
    if (in || pc_scan_open(&r->scan, input)) {
        result = rotate_open(r);
    } else {
        pc_content_init(&r->content, &r->scan, PC_LITTLE, false, NULL);
        result = refuse(r);
        pc_content_clear(&r->content);
    }
    pc_scan_clear(&r->scan);
    *records = r->records;
    *parts = r->parts;
    mem = r->mem;
    pc_free_line(&mem, r, sizeof(*r));
    return result;
}
