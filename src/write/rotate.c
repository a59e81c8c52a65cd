/* SPDX-License-Identifier: MIT
 *
 * The content of the input is put, part by part, into a scratch capture of the same kind. A complete one is
 * read again: it must have what the input had for it. Then it is an input of the rewriter, which converts and
 * verifies it as it does with any other.
 */
#include "write/rotate.h"

#include "bytes/cursor.h"
#include "write/lives.h"
#include "write/obstacles.h"
#include "write/outputs.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define SINK_MEMORY  ((uint64_t)8 << 20)
#define LIVES_MEMORY ((uint64_t)32 << 20) /* to choose among 200,000 records */
#define AGE_MAX      16384                /* records that may be repeated, of one age ... */
#define LASTING_MANY 65536                /* ... and before all are looked at inside of a part */

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
    struct pc_marks repeated;  /* records that the next part repeats, seen apart from those kept ... */
    struct pc_marks read_back; /* ... when they are looked at ... */
    struct pc_marks left;      /* ... and those that are still needed */
    struct part part;
    struct pc_content content;
    struct pc_scan scan;
    struct pc_policy policy;
    struct pc_mem mem; /* of the rotation itself */
    const struct pc_rewrite *how;
    const char *input, *output;
    struct lasting {
        struct pc_sink sinks[2], *sink; /* records with PC_LASTING that later ones may need, each after its
                                           note; the other one is closed */
        struct pc_mem mem, lives_mem;
        uint64_t nr, left; /* of them; left when they were looked at last */
        bool guests;       /* there are tasks of guests, which may have the numbers of others */
        uint64_t aged;     /* they came since it grew: */
        uint32_t age;      /* at the end of a round: what comes is not older than what came two ages ago */
    } lasting;
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

/* --- what parts repeat --- */

/* The next one; its bytes are in r->record. False: it cannot be read. */
static bool get_lasting(struct rotation *r, struct pc_sink *from, uint64_t *at, struct pc_life_note *note)
{
    if (!pc_sink_get(from, *at, note, sizeof(*note)))
        return false;
    assert(note->size <= sizeof(r->record));
    *at += sizeof(*note) + note->size;
    return pc_sink_get(from, *at - note->size, r->record, note->size);
}

static void put_lasting(struct pc_sink *to, const struct pc_life_note *note, const unsigned char *bytes)
{
    pc_sink_put(to, note, sizeof(*note));
    pc_sink_put(to, bytes, note->size);
}

/* Records that a later part may need. */
static void keep_lasting(struct rotation *r, const struct pc_content_item *item)
{
    struct pc_life_note note;
    const unsigned mode = item->source.misc & PC_MISC_CPUMODE;
    if (!pc_record_is(item->type, PC_LASTING))
        return;
    r->lasting.guests |= pc_record_is(item->type, PC_HAS_CPUMODE) &&
                         (mode == PC_MODE_GUEST_KERNEL || mode == PC_MODE_GUEST_USER);
    pc_life_note(&note, &r->scan, item);
    note.age = r->lasting.age;
    put_lasting(r->lasting.sink, &note, item->bytes.ptr);
    r->lasting.nr++;
    r->lasting.aged++;
}

/* A round has ended: what ends from here on is younger. */
static void grow_older(struct rotation *r)
{
    r->lasting.age++;
    r->lasting.aged = 0;
}

/* Which records are needed, by their numbers; NULL: there is no memory to choose. */
static uint64_t *choose_lasting(struct rotation *r, uint64_t *words)
{
    struct lasting *from = &r->lasting;
    struct pc_mem *mem = &from->lives_mem;
    const size_t nr = (size_t)from->nr;
    struct pc_life *life = nr < UINT32_MAX ? pc_alloc(mem, nr * sizeof(*life)) : NULL;
    uint64_t *kept = NULL, at = 0;
    bool ok = life != NULL;
    *words = nr / 64 + 1;
    for (size_t i = 0; i < nr && ok; i++) {
        life[i].index = (uint32_t)i;
        ok = pc_sink_get(from->sink, at, &life[i].note, sizeof(life[i].note));
        at += sizeof(life[i].note) + life[i].note.size;
    }
    if (ok && pc_lives_choose(mem, life, nr, from->age))
        kept = pc_alloc(mem, *words * sizeof(*kept));
    for (size_t i = 0; i < nr && kept; i++) {
        if (life[i].kept)
            pc_set_bit(kept, life[i].index);
    }
    pc_free(mem, life, nr * sizeof(*life));
    return kept;
}

static void want(struct pc_marks *marks, uint64_t number, struct pc_span bytes)
{
    pc_marks_put(marks, number);
    pc_hash_put(&marks->hash, bytes.ptr, bytes.len);
}

/* Copies those that are needed. */
static int copy_lasting(struct rotation *r, const uint64_t *kept, struct pc_sink *to)
{
    struct lasting *from = &r->lasting;
    struct pc_life_note note;
    uint64_t at = 0;
    pc_marks_begin(&r->read_back);
    pc_marks_begin(&r->left);
    from->left = 0;
    for (uint64_t i = 0; i < from->nr; i++) {
        if (!get_lasting(r, from->sink, &at, &note))
            return from->sink->error ? from->sink->error : EIO;
        const struct pc_span bytes = { r->record, note.size };
        want(&r->read_back, note.number, bytes);
        if (!pc_bit(kept, i))
            continue;
        put_lasting(to, &note, r->record);
        want(&r->left, note.number, bytes);
        from->left++;
    }
    return to->error;
}

/* Drops those that no later part needs. */
static enum pc_rewritten drop_lasting(struct rotation *r)
{
    struct lasting *from = &r->lasting;
    struct pc_sink *to = &from->sinks[from->sink == &from->sinks[0]];
    uint64_t words, first, end;
    bool chooses = from->nr != 0 && from->age > 1 && !from->guests;
    uint64_t *kept = chooses ? choose_lasting(r, &words) : NULL;
    enum pc_rewritten result = PC_WRITTEN;
    from->left = from->nr;
    if (!kept) /* the system had no memory, or it would be too much: then the next part repeats all */
        return from->lives_mem.failed ? say_not_written(r, r->output, ENOMEM) : result;
    int error = pc_sink_scratch(to, &from->mem, NULL);
    if (!error)
        error = copy_lasting(r, kept, to);
    pc_free(&from->lives_mem, kept, words * sizeof(*kept));
    if (error)
        result = say_not_written(r, r->output, error);
    else if (pc_marks_part(&r->repeated, &r->read_back, &first, &end))
        result = say_wrong(r, "the records that captures repeat");
    if (result != PC_WRITTEN) {
        pc_sink_discard(to);
        return result;
    }
    pc_sink_discard(from->sink);
    from->sink = to;
    from->nr = from->left;
    r->repeated = r->left;
    return result;
}

/* --- one part --- */

/* Puts the records again that earlier parts began with, and those that came in them. */
static int repeat_lasting(struct rotation *r)
{
    struct pc_sink *from = r->lasting.sink;
    struct pc_content_item item = { .kind = PC_CONTENT_RECORD };
    struct pc_life_note note;
    for (uint64_t at = 0; at < from->size;) {
        if (!get_lasting(r, from, &at, &note))
            return from->error ? from->error : EIO;
        item.bytes = (struct pc_span){ r->record, note.size };
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
    enum pc_rewritten dropped = drop_lasting(r);
    if (dropped != PC_WRITTEN)
        return dropped;
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

/* Whether the part has what --rotate names. */
static bool has_enough(const struct rotation *r)
{
    const struct pc_rotate *limit = &r->how->rotate;
    uint64_t newest = r->scan.check.flow.times.newest;
    return (limit->bytes != 0 && r->part.bytes >= limit->bytes) ||
           (limit->ns != 0 && newest > r->part.since && newest - r->part.since >= limit->ns);
}

/* Whether a part may begin here. Inside of a round the records of one CPU come after those of another, so
 * that names and mappings that this part needs may be to come. simpleperf writes no rounds, and what it
 * writes is in the order of time. */
static bool may_end(const struct rotation *r)
{
    return !r->in_pieces && (r->ended_round || r->scan.capture.by_simpleperf);
}

/* Whether the part has to end before the record that has just come. */
static bool is_due(const struct rotation *r)
{
    const struct pc_rotate *limit = &r->how->rotate;
    const struct pc_flow *flow = &r->scan.check.flow;
    uint64_t time = flow->times.newest > r->due.since ? flow->times.newest - r->due.since : 0;
    bool bytes = limit->bytes != 0 && r->due.bytes >= limit->bytes;
    return (bytes || (limit->ns != 0 && time >= limit->ns)) && !r->due.in_pieces &&
           (r->due.after_round || r->scan.capture.by_simpleperf);
}

/* The part that the next record belongs to is open. */
static enum pc_rewritten choose_part(struct rotation *r, const struct pc_content_item *item)
{
    struct part *p = &r->part;
    enum pc_rewritten result = PC_WRITTEN;
    bool full = p->open && has_enough(r) && may_end(r), due = p->open && is_due(r);
    if (pc_record_is(item->type, PC_OF_AUX_TRACE)) {
        pc_rewrite_say(r->how, r->input, "refused", "AUX traces cannot be divided: leave out --rotate");
        return PC_REFUSED;
    }
    if (full != due)
        return say_wrong(r, "the end of a capture");
    if (r->ended_round && (full || r->lasting.aged >= AGE_MAX))
        grow_older(r);
    if (full)
        result = close_part(r);
    else if (r->lasting.nr >= 2 * r->lasting.left + LASTING_MANY)
        result = drop_lasting(r);
    if (result == PC_WRITTEN && !p->open)
        result = open_part(r);
    return result;
}

/* What the part, and all later ones, must have. */
static void expect_record(struct rotation *r, const struct pc_content_item *item)
{
    want(&r->part.wanted, item->source.number, item->bytes);
    if (pc_record_is(item->type, PC_LASTING))
        want(&r->repeated, item->source.number, item->bytes);
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
    int error = r->lasting.sink->error ? r->lasting.sink->error : p->scratch.error;
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
    const bool undivided = r->part.open && has_enough(r) && r->scan.check.flow.rounds == 0;
    if (result == PC_WRITTEN)
        result = close_part(r);
    if (result == PC_WRITTEN && undivided && !r->scan.capture.by_simpleperf)
        pc_rewrite_say(r->how, r->input, "not divided",
                       "no FINISHED_ROUND shows where another capture can begin");
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
    r->content.may_be_cut |= r->scan.capture.is_pipe; /* if it is a file, too */
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
    const struct pc_inputs inputs = { &r->scan.in.fd, 1 };
    if (name_part(r) && !pc_output_may_appear(r->how, &inputs, r->part.path))
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
    pc_mem_init(&r->lasting.mem, SINK_MEMORY);
    pc_mem_init(&r->lasting.lives_mem, LIVES_MEMORY);
    r->lasting.sink = &r->lasting.sinks[0];
    int error = pc_sink_scratch(r->lasting.sink, &r->lasting.mem, NULL);
    enum pc_rewritten result = error ? say_not_written(r, r->output, error) : rotate(r);
    discard_part(&r->part);
    pc_sink_discard(r->lasting.sink);
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
