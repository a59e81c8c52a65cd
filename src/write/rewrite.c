/* SPDX-License-Identifier: MIT */
#include "write/rewrite.h"
#include "write/obstacles.h"
#include "write/outputs.h"
#include "write/novel.h"
#include "write/repair.h"
#include "write/salvage_parts.h"
#include "write/symbols.h"
#include "check/check.h"
#include "check/flow_rule.h"
#include "check/mended.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* So much of the memory is for what verification has to remember. */
#define SEEN_SHARE 8
#define SEEN_LEAST ((uint64_t)192 << 10)

/* One capture on its way: how, and what is read, first of the input and then of the copy. */
struct job {
    struct pc_derived derived;         /* of the copy */
    struct pc_witness witness, copied; /* of the input, and of the copy */
    struct pc_parts wanted;            /* of the input; then those of the copy have to be the same */
    struct pc_content content;
    struct pc_tally tally, tally_copied;      /* of all of the input and of the copy, for a salvage */
    struct pc_mem seen;                       /* memory of the witnesses and parts */
    struct pc_found found;                    /* in the input */
    uint64_t left_out_times[PC_FEATURE_BITS]; /* features that the copy may lack: see pc_left_out */
    uint64_t left_for_reader;                 /* records of the input: see struct pc_content */
    const struct pc_rewrite *how;
    struct pc_mem mem; /* of the job itself */
    struct pc_policy policy;
    struct pc_salvage *salvage; /* NULL: none; else this: */
    struct pc_salvage left_out;
    struct pc_scan scan;
    uint64_t cut;             /* bytes of the record in which it ended */
    struct pc_copy_form form; /* of the copy */
    bool is_stream;           /* the input is one: its bytes come once */
    bool swaps;               /* the copy has the other byte order */
    bool has_losses;          /* that the user agreed to, or the last record of a stream */
    bool late_wrong;          /* with a late attr the copy is another capture */
    struct {
        uint64_t count, packed_in, first;
    } edits[PC_EDITS]; /* for the perf that it is for; said when there is a copy */
    uint64_t cleared;  /* flags of attrs */
    uint64_t records_of_copy;
    bool lossy; /* a salvage left something out */
    struct pc_symbols symbols;
};

static void say(const struct pc_rewrite *r, const char *path, const char *what, const char *why)
{
    r->tell.message(r->tell.ctx, path, what, why);
}

static void say_findings(const struct job *j, const char *path)
{
    j->how->tell.errors(j->how->tell.ctx, path, &j->scan);
}

static void say_error(const struct pc_rewrite *r, const char *path, const char *what, int error)
{
    say(r, path, what, pc_text_error(error));
}

/* When there is no memory, `in` is closed, unless it is NULL. */
static struct job *new_job(const struct pc_rewrite *how, const struct pc_input *in, const char *input)
{
    struct pc_input own = in ? *in : (struct pc_input){ .fd = -1 };
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct job));
    struct job *j = pc_alloc(&mem, sizeof(*j));
    if (!j) {
        pc_input_close(&own);
        say_error(how, input, "cannot be read", ENOMEM);
        return NULL;
    }
    uint64_t share = how->limits.memory / SEEN_SHARE;
    j->how = how;
    j->mem = mem;
    pc_mem_init(&j->seen, share > SEEN_LEAST ? share : SEEN_LEAST);
    return j;
}

static void free_job(struct job *j)
{
    struct pc_mem mem = j->mem;
    pc_free(&mem, j, sizeof(*j));
}

static enum pc_order wanted_order(enum pc_order_choice choice, enum pc_order own)
{
    switch (choice) {
    case PC_ORDER_KEEP:
        break;
    case PC_ORDER_LITTLE:
        return PC_LITTLE;
    case PC_ORDER_BIG:
        return PC_BIG;
    case PC_ORDER_NATIVE:
        return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? PC_BIG : PC_LITTLE;
    case PC_ORDER_SWAP:
        return own == PC_BIG ? PC_LITTLE : PC_BIG;
    }
    return own;
}

static struct pc_obstacles obstacles_of(const struct job *j)
{
    return (struct pc_obstacles){ j->how, &j->scan.report, &j->form, j->content.refusals != 0,
                                  pc_content_obstacles(&j->content) != 0 };
}

/* Errors and what cannot be carried over, then the conclusion, which is this one of damage. */
static enum pc_rewritten refuse_for(struct job *j, const char *path, const char *damage)
{
    const struct pc_obstacles obstacles = obstacles_of(j);
    say_findings(j, path);
    if (j->scan.report.unreadable)
        return PC_TROUBLE;
    if (j->scan.recognised && pc_content_damage(&j->content) != 0)
        say(j->how, path, "refused", damage);
    else if (j->scan.recognised)
        pc_obstacles_say(&obstacles, path);
    if (j->scan.recognised && j->is_stream && !j->how->keep_partial)
        say(j->how, path, "a stream comes once",
            "give --salvage to copy what is sound of it, --keep-partial=FILE to keep its bytes");
    return PC_REFUSED;
}

static enum pc_rewritten refuse(struct job *j, const char *path)
{
    return refuse_for(j, path, "the capture has errors ('perfcheck check' shows all)");
}

/* --- digest --- */

static void open_scan(struct job *j, enum pc_versions reader, const char *doing)
{
    pc_policy_init(&j->policy);
    j->policy.reader = reader;
    struct pc_limits limits = j->how->limits;
    limits.memory -= j->salvage ? j->salvage->mem.limit : 0;
    limits.memory -= j->seen.limit;
    pc_scan_init(&j->scan, &j->policy, &limits);
    j->scan.progress = j->how->progress;
    pc_progress_begin(j->scan.progress, doing);
}

static void close_scan(struct job *j)
{
    pc_progress_end(j->scan.progress);
    pc_content_clear(&j->content);
    pc_scan_clear(&j->scan);
}

/* Reads j->scan.in to its end for nothing but the digest. */
static bool take_content(struct job *j)
{
    struct pc_content_item item;
    do {
        pc_content_next(&j->content, &item);
    } while (item.kind != PC_CONTENT_END);
    return pc_content_is_whole(&j->content);
}

enum pc_rewritten pc_digest_capture(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                    struct pc_sum *sum)
{
    struct job *j = new_job(r, in, input);
    if (!j)
        return PC_TROUBLE;
    open_scan(j, PC_BY_NONE, "reading");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    j->content.own.lenient = true;
    enum pc_rewritten result = PC_WRITTEN;
    if (in)
        j->scan.in = *in;
    if (!(in || pc_scan_open(&j->scan, input)) || !take_content(j)) {
        refuse(j, input);
        result = PC_TROUBLE;
    } else {
        *sum = pc_content_digest(&j->content);
    }
    close_scan(j);
    free_job(j);
    return result;
}

/* --- rewrite --- */

static bool is_stdout(const char *output)
{
    return output && strcmp(output, "-") == 0;
}

/* An output in messages. */
static const char *name_of(const char *output)
{
    return !output ? "the copy" : is_stdout(output) ? "standard output" : output;
}

/* The copy is sound, but not for the version that is to read it. */
static bool is_for_reader_only(const struct job *j)
{
    return pc_content_obstacles(&j->content) != 0 && pc_content_damage(&j->content) == 0 &&
           !j->scan.report.unreadable;
}

/* An attr that came after records precedes them in the copy, and now they are read otherwise. */
static enum pc_rewritten refuse_late_attr(struct job *j, const char *input, uint64_t number, uint64_t offset)
{
    struct pc_finding f = { .id = PC_D_REWRITE_LATE_ATTR, .place = PC_IN_ATTR, .number = number };
    f.offset = offset;
    open_scan(j, PC_BY_NONE, "rewriting");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    j->scan.recognised = true;
    pc_content_refuse(&j->content, &f, NULL);
    enum pc_rewritten result = refuse(j, input);
    close_scan(j);
    return result;
}

/* Why a copy may turn out not to be what was to be written. */
enum doubt {
    DOUBT_NONE,
    DOUBT_LATE_ATTR, /* see refuse_late_attr */
    DOUBT_LEFT_OUT,  /* the rest may need what was left out: counts their maps, attrs the mark of perf stat */
    DOUBT_PART,      /* it is a part of a capture, of which other records may have named events */
};

static uint64_t times_left_out(const void *ctx, uint64_t bit)
{
    const struct job *j = ctx;
    return pc_add_saturated(j->left_out_times[bit], j->salvage ? j->salvage->refused[bit] : 0);
}

/* The same of a feature that came again with another content. */
static uint64_t second_left_out(const void *ctx, uint64_t bit)
{
    const struct job *j = ctx;
    bool listed = j->salvage && pc_losses_name(&j->salvage->lost, PC_IN_FEATURE, bit);
    return listed ? UINT64_MAX : times_left_out(ctx, bit);
}

/* Without NRCPUS, which was left out, a feature of the copy is not read as before. It has an error for that.
 */
static void note_unread(struct job *j)
{
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (j->salvage && j->salvage->copy_is_bad && !pc_capture_can_walk(&j->scan.capture, bit))
            pc_set_bit(j->copied.unread, bit);
    }
}

/* What is wrong with the copy, which was read to its end: `place`. False: nothing is. */
static bool is_wrong(struct job *j, enum doubt doubt, char place[PC_PLACE_MAX])
{
    char name[PC_LOSS_NAME_MAX];
    struct pc_found found = { .pipe = j->scan.capture.is_pipe };
    uint64_t bit;
    const char *derived;
    bool partial = doubt == DOUBT_LEFT_OUT || doubt == DOUBT_PART;
    if (pc_content_differs(&j->wanted, &j->content, partial, place))
        return true;
    if (j->salvage && pc_losses_lack(&j->salvage->lost, &j->tally, &j->tally_copied, place, PC_PLACE_MAX))
        return true;
    if (j->content.notes_choices && j->wanted.choices != j->content.parts.choices &&
        (!j->salvage || doubt == DOUBT_LATE_ATTR)) { /* a salvage may change what records are read as */
        snprintf(place, PC_PLACE_MAX, "the event of a record");
        return true;
    }
    note_unread(j);
    if (pc_witness_lacks_second(&j->witness, second_left_out, j, &bit)) {
        pc_content_name_feature(bit, name, sizeof(name));
        snprintf(place, PC_PLACE_MAX, "features.%s that came later", name + strlen("feature:"));
        return true;
    }
    switch (pc_witness_compare(&j->witness, &j->copied, times_left_out, j, &bit)) {
    case PC_ALIKE:
        break;
    case PC_UNLIKE_ATTRS:
        snprintf(place, PC_PLACE_MAX, "attrs[0] or after it");
        return true;
    case PC_UNLIKE_FEATURE:
        pc_content_name_feature(bit, name, sizeof(name));
        snprintf(place, PC_PLACE_MAX, "features.%s", name + strlen("feature:"));
        return true;
    case PC_UNLIKE_SKIPPED:
        snprintf(place, PC_PLACE_MAX, "bytes among the records");
        return true;
    case PC_UNLIKE_ZEROS:
        snprintf(place, PC_PLACE_MAX, "padding of attrs[0] or after it, or of features.");
        return true;
    }
    derived = pc_derived_wrong(&j->derived, &j->scan.reader);
    if (derived) {
        snprintf(place, PC_PLACE_MAX, "%s", derived);
        return true;
    }
    memcpy(found.by_id, j->scan.report.by_id, sizeof(found.by_id));
    /* What was left out may be what others needed. */
    enum pc_diag novel = partial || j->has_losses ? PC_NO_DIAG : pc_find_novel(&j->found, &found);
    if (novel != PC_NO_DIAG)
        snprintf(place, PC_PLACE_MAX, "a new finding, %s", pc_diag_info(novel)->name);
    return novel != PC_NO_DIAG;
}

/* A copy that a salvage made has an error. What is left out may be what it needs; else it is ours. */
static enum pc_rewritten refuse_unsound(struct job *j, const char *output)
{
    /* perf opens no file with a tracepoint and no trace data; a pipe may have counts of one. */
    bool of_file = j->salvage->copy_error == PC_D_TRACEPOINT_WITHOUT_DATA && !j->scan.capture.is_pipe;
    bool known = j->found.by_id[j->salvage->copy_error] != 0;
    if (pc_salvage_is_lossless(j->salvage) && !j->has_losses && !of_file && !known)
        return pc_output_say_defect(j->how, output, "the copy has an error that the capture has not",
                                    pc_diag_info(j->salvage->copy_error)->name);
    if (!pc_salvage_again(j->salvage)) {
        say_findings(j, output);
        say(j->how, output, "not written", "with what is left of the capture it is not sound");
    }
    return PC_REFUSED;
}

/* What was written, read by the reader, has the content that was to be written. With DOUBT_LATE_ATTR the
 * caller says why. */
static enum pc_rewritten verify(struct job *j, struct pc_sink *sink, const char *output, enum doubt doubt)
{
    char place[PC_PLACE_MAX];
    output = name_of(output);
    int fd = pc_output_reopen(sink);
    if (fd < 0) {
        say_error(j->how, output, sink->error ? "cannot be written" : "cannot be read again", -fd);
        return PC_TROUBLE;
    }
    if (j->how->written)
        j->how->written(j->how->written_ctx, fd);
    open_scan(j, j->how->reader, "verifying");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    j->content.own.lenient = true;
    pc_witness_init(&j->copied, &j->seen);
    j->copied.joins_ids = j->witness.joins_ids;
    j->content.as_written = true;
    j->content.witness = &j->copied;
    j->content.derived = &j->derived;
    j->tally_copied = (struct pc_tally){ .records = j->left_for_reader };
    j->content.tally = j->salvage ? &j->tally_copied : NULL;
    j->content.notes_choices =
        j->salvage ? j->how->reader == PC_BY_NONE : doubt == DOUBT_LATE_ATTR && j->swaps;
    if (j->salvage)
        pc_salvage_begin_copy(j->salvage, &j->content);
    enum pc_rewritten result = PC_WRITTEN;
    int error = pc_input_adopt(&j->scan.in, fd, true);
    if (error) {
        say_error(j->how, output, "cannot be read again", error);
        result = PC_TROUBLE;
    } else if (!take_content(j) && is_for_reader_only(j)) {
        const struct pc_obstacles obstacles = obstacles_of(j);
        pc_obstacles_say_copy(&obstacles, output);
        result = PC_REFUSED;
    } else if (doubt == DOUBT_LEFT_OUT && j->scan.recognised && pc_content_damage(&j->content) != 0) {
        say_findings(j, output);
        say(j->how, output, "not written", "without what was left out it is not sound");
        result = PC_REFUSED;
    } else if (doubt == DOUBT_LATE_ATTR && (!pc_content_is_whole(&j->content) || is_wrong(j, doubt, place))) {
        j->late_wrong = true;
        result = PC_REFUSED;
    } else if (doubt == DOUBT_PART && pc_content_damage(&j->content) != 0 && !is_wrong(j, doubt, place)) {
        result = refuse(j, output); /* as it is before the records by which perf stat is known */
    } else if (j->scan.report.unreadable) {
        say_findings(j, output);
        say(j->how, output, "not written", "the copy cannot be read again");
        result = PC_TROUBLE;
    } else if (!pc_content_is_whole(&j->content)) {
        result = pc_output_say_defect(j->how, output, "the copy is not sound", NULL);
        refuse(j, output);
    } else if (!pc_derived_formats(&j->derived, &j->scan.capture)) { /* which leads to errors of its own */
        result = pc_output_say_defect(j->how, output, PC_OTHER_CONTENT, "features.TRACING_DATA");
    } else if (j->copied.no_memory) {
        say_error(j->how, output, "cannot be verified", ENOMEM);
        result = PC_TROUBLE;
    } else if (is_wrong(j, doubt, place)) {
        result = pc_output_say_defect(j->how, output, PC_OTHER_CONTENT, place);
    } else if (j->salvage && !pc_salvage_end_copy(j->salvage)) {
        result = refuse_unsound(j, output);
    } else if (j->salvage && j->content.notes_choices && j->wanted.choices != j->content.parts.choices) {
        say(j->how, output, "not written",
            "with what is left of the capture, its records are read otherwise");
        result = PC_REFUSED;
    } else if (j->how->tell.verified) {
        j->how->tell.verified(j->how->tell.ctx, &j->scan);
    }
    j->records_of_copy = j->scan.check.flow.sum.total;
    pc_witness_clear(&j->copied);
    close_scan(j);
    return result;
}

/* A copy of the kernel has no place in a file. */
static void refuse_kcore(struct job *j)
{
    const struct pc_directory *dir = &j->scan.reader.directory;
    for (size_t i = 0; i < dir->nr; i++) {
        struct pc_finding f = { .id = PC_D_REWRITE_KCORE, .place = PC_AT_END };
        if (dir->member[i].kind == PC_MEMBER_KCORE)
            pc_content_refuse(&j->content, &f, "kcore");
    }
}

static void say_not_written(struct job *j, const char *output, int error)
{
    say(j->how, name_of(output), "cannot be written", pc_why_not_written(error));
}

/* From here on what the perf that --for names would not read is reported, save what copying cures. */
static void judge_for_reader(struct job *j)
{
    j->policy.reader = j->how->reader;
    pc_check_ask(&j->scan.check);
    for (enum pc_diag id = PC_D_FOR_FINDING; pc_diag_is_for_reader(id); id++)
        j->policy.disabled[id] = pc_edit_cures(id, &j->form);
}

/* What cannot be derived from the copy itself. */
static void expect_derived(struct job *j, const struct pc_writer *writer)
{
    const uint64_t most = 528384; /* what perf record writes by default */
    const struct pc_capture *capture = &writer->content->scan->capture;
    struct pc_derived *d = &j->derived;
    pc_derived_init(d);
    d->reader = pc_version_knows(j->how->reader);
    uint64_t level = capture->level > PC_DEFLATE_LEVELS ? PC_DEFLATE_LEVELS : capture->level;
    d->level = writer->compression == PC_COMPRESSION_LEVEL ? (uint64_t)j->how->level : level == 0 ? 1 : level;
    d->mmap_len = capture->mmap_len > most ? capture->mmap_len : most;
    bool has_events = !j->salvage || j->salvage->refused[PC_EVENT_DESC] == 0;
    d->attr_needs = j->witness.attr_size;
    if (has_events && j->witness.event_size > d->attr_needs)
        d->attr_needs = j->witness.event_size;
    d->made_formats = pc_bit(j->witness.made, PC_TRACING_DATA);
    if (d->reader && d->reader->user_type < PC_COMPRESSED2)
        d->packed_type = PC_COMPRESSED;
    else if (!j->witness.packed)
        d->packed_type = PC_COMPRESSED2;
    else if (!j->witness.plain_first)
        d->packed_type = j->witness.packed;
    d->stat_mark = pc_bit(capture->features, PC_STAT_FEATURE);
}

/* All of the capture was read. When a salvage can have records of it, that is said. */
static enum pc_rewritten refuse_all(struct job *j, const char *input)
{
    bool has_records = j->scan.capture.nr_attrs != 0 && j->scan.check.flow.sum.total != 0;
    if (!has_records || j->salvage || j->is_stream)
        return refuse(j, input);
    return refuse_for(j, input,
                      "the capture has errors ('perfcheck check' shows all; --salvage copies what is sound)");
}

/* Everything into the sink. */
static enum pc_rewritten copy(struct job *j, struct pc_sink *sink, const char *input, const char *output)
{
    struct pc_content_item item;
    struct pc_writer writer;
    if (!pc_content_open(&j->content))
        return refuse(j, input);
    if (is_stdout(output) &&
        (j->how->to == PC_TO_KEEP ? !j->scan.capture.is_pipe : j->how->to != PC_TO_PIPE)) {
        say(j->how, "standard output", "a file cannot be written there: give --to=pipe", NULL);
        return PC_TROUBLE;
    }
    if (!j->how->with_kcore)
        refuse_kcore(j);
    j->content.own.to = wanted_order(j->how->order, j->scan.capture.order);
    bool pipe = j->how->to == PC_TO_KEEP ? j->scan.capture.is_pipe : j->how->to == PC_TO_PIPE;
    pc_writer_init(&writer, &j->content, sink, pipe ? PC_CONTAINER_PIPE : PC_CONTAINER_FILE);
    writer.compression = j->how->compression;
    if (writer.compression == PC_COMPRESSION_KEEP && pc_edit_unpacks(&j->content))
        writer.compression = PC_COMPRESSION_NONE;
    writer.level = j->how->level;
    j->content.in_batches = writer.compression != PC_COMPRESSION_LEVEL;
    j->form =
        (struct pc_copy_form){ pipe, j->content.own.to == PC_BIG, writer.compression != PC_COMPRESSION_NONE };
    if (!j->salvage) /* of which only the copy is judged */
        judge_for_reader(j);
    for (;;) {
        pc_content_next(&j->content, &item);
        if (item.kind == PC_CONTENT_END)
            break;
        pc_writer_put(&writer, &item);
        if (sink->error) /* the rest may be long in coming */
            break;
    }
    if (pc_content_take_back(&j->content))
        pc_writer_take_back(&writer);
    enum pc_rewritten result = PC_WRITTEN;
    if (j->salvage && j->salvage->kept == 0 && !j->scan.report.unreadable && !sink->error) {
        pc_writer_clear(&writer);
        if (!pc_salvage_again(j->salvage))
            say(j->how, input, "nothing can be saved", "no record is left that can be read");
        return PC_REFUSED;
    }
    bool done = !sink->error && pc_content_is_whole(&j->content) && pc_writer_end(&writer);
    if (!sink->error && j->content.wrong[0] != 0) {
        result = pc_output_say_defect(j->how, name_of(output), PC_OTHER_CONTENT, j->content.wrong);
    } else if (!done && !sink->error) {
        result = refuse_all(j, input);
    } else if (done) {
        expect_derived(j, &writer);
    }
    if (sink->error) {
        pc_progress_end(j->scan.progress);
        say_not_written(j, output, sink->error);
        result = PC_TROUBLE;
    }
    pc_writer_clear(&writer);
    return result;
}

static uint64_t count_losses(const struct job *j, const char *name)
{
    for (size_t i = 0; i < j->content.nr_losses; i++) {
        if (strcmp(j->content.loss[i].name, name) == 0)
            return j->content.loss[i].count;
    }
    return 0;
}

/* Of what others may refer to: not of payloads and of kcore_dir. */
static bool has_loss_of_need(const struct job *j)
{
    for (size_t i = 0; i < j->content.nr_losses; i++) {
        const char *name = j->content.loss[i].name;
        if (strncmp(name, "record:", strlen("record:")) == 0 ||
            strncmp(name, "feature:", strlen("feature:")) == 0)
            return true;
    }
    return j->content.more_losses != 0;
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

/* What the copy has otherwise than the capture, for the sake of the perf that --for names. */
static void say_edits(const struct job *j, const char *input)
{
    char text[512], flags[128], times[64] = "";
    for (enum pc_edit i = 0; i < PC_EDITS; i++) {
        if (j->edits[i].count == 0)
            continue;
        put_times(times, sizeof(times), j->edits[i].count, j->edits[i].packed_in, j->edits[i].first);
        pc_attr_flag_names(i == PC_EDIT_FLAGS ? j->cleared : 0, flags, sizeof(flags));
        snprintf(text, sizeof(text), "%s%s%s%s%s: new %s; %s", pc_edit_rows[i].what, *flags ? " (" : "",
                 flags, *flags ? ")" : "", times, pc_edit_rows[i].since, pc_edit_rows[i].why);
        say(j->how, input, "edited", text);
    }
}

/* What the user should know of a copy that was written. */
static void say_losses(struct job *j, const char *input)
{
    char text[PC_LOSS_NAME_MAX + 64], times[64];
    if (!j->salvage)
        say_findings(j, input);
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
        say(j->how, input, "left out", text);
    }
    if (j->content.more_losses != 0) {
        snprintf(text, sizeof(text), "%" PRIu64 " more", j->content.more_losses);
        say(j->how, input, "left out", text);
    }
    for (size_t i = 0; i < j->how->drops.nr; i++) {
        if (count_losses(j, j->how->drops.name[i]) == 0 && j->content.more_losses == 0)
            say(j->how, j->how->drops.name[i], "nothing of that name had to be left out", NULL);
    }
}

/* Nothing is read again; bytes for standard output can leave at once. */
static bool is_unverified(const struct job *j)
{
    return j->how->no_verify && j->how->reader == PC_BY_NONE && !j->salvage;
}

/* Opens what is written to. What goes to standard output is in a file without a name until all is there
 * and verified. */
static int open_sink(struct job *j, struct pc_sink *sink, struct pc_mem *mem, const char *output)
{
    const struct pc_inputs inputs = { &j->scan.in.fd, 1 };
    if (!output)
        return pc_sink_scratch(sink, mem, NULL);
    if (!is_stdout(output))
        return pc_sink_create(sink, mem, output, j->how->force, pc_output_mode(&j->scan.in), &inputs);
    int error = pc_guard_file(STDOUT_FILENO, &inputs);
    if (error)
        return error;
    return is_unverified(j) ? pc_sink_stream(sink, mem, STDOUT_FILENO) : pc_sink_scratch(sink, mem, NULL);
}

/* Remembers what the copy has to be. */
static void note_wanted(struct job *j)
{
    j->wanted = *pc_content_parts(&j->content);
    pc_tally_end(&j->tally, &j->scan.report, &j->scan.reader);
    j->left_for_reader = j->content.left_for_reader;
    if (j->salvage || pc_content_cut(&j->content) != 0)
        j->witness.skipped = 0;
    j->found.pipe = j->scan.capture.is_pipe;
    j->found.edited = pc_edit_any(&j->content);
    j->found.complete = pc_flow_is_complete(&j->scan.check.flow);
    j->swaps = j->content.own.to != j->scan.capture.order;
    j->has_losses = j->content.nr_losses != 0 || j->content.more_losses != 0 || j->cut != 0;
    memcpy(j->found.by_id, j->scan.report.by_id, sizeof(j->found.by_id));
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        char name[PC_LOSS_NAME_MAX];
        bool edited = pc_edit_lacks(&j->content, bit);
        pc_content_name_feature(bit, name, sizeof(name));
        if (edited) /* which the list of edits says */
            j->tally.features[bit / 64] &= ~((uint64_t)1 << bit % 64);
        j->left_out_times[bit] = j->content.more_losses != 0 || edited ? UINT64_MAX : count_losses(j, name);
    }
}

/* Verifies what can be, and has to be. */
static enum pc_rewritten verify_unless(struct job *j, struct pc_sink *sink, const char *input,
                                       const char *output, enum doubt doubt)
{
    if (is_unverified(j) && doubt == DOUBT_NONE)
        return PC_WRITTEN;
    if (j->witness.no_memory) {
        say_error(j->how, input, "cannot be verified", ENOMEM);
        return PC_TROUBLE;
    }
    if (sink->stream) { /* all of it is in the buffer still, but cannot be read again there */
        say_not_written(j, output, ESPIPE);
        return PC_TROUBLE;
    }
    return verify(j, sink, output, doubt);
}

/* What j->scan.in has, into the sink and read again; the scan is closed. */
static enum pc_rewritten write_and_verify(struct job *j, struct pc_sink *sink, const char *input,
                                          const char *output)
{
    pc_content_init(&j->content, &j->scan, PC_LITTLE, true, &j->how->drops);
    j->content.may_be_cut = j->is_stream && !j->salvage;
    j->content.beside = sink->scratch || sink->stream ? NULL : sink;
    j->content.reader = pc_version_knows(j->how->reader);
    pc_witness_init(&j->witness, &j->seen);
    j->content.as_written = true;
    j->content.witness = &j->witness;
    j->witness.moves_build_ids = j->content.reader && !(j->content.reader->flags & PC_FLAG_BUILD_ID);
    j->witness.joins_ids = j->content.reader != NULL;
    j->tally = (struct pc_tally){ 0 };
    j->content.tally = j->salvage ? &j->tally : NULL;
    if (j->symbols.open) {
        pc_symbols_begin(&j->symbols);
        j->content.symbols = &j->symbols;
    }
    if (j->salvage)
        pc_salvage_begin(j->salvage, &j->content);
    enum pc_rewritten result = copy(j, sink, input, output);
    uint64_t late_attr = j->content.late_attr;
    bool late = late_attr != PC_NO_INDEX;
    bool left_out = j->salvage || (!sink->stream && has_loss_of_need(j));
    enum doubt doubt = late ? DOUBT_LATE_ATTR : left_out ? DOUBT_LEFT_OUT : DOUBT_NONE;
    uint64_t late_at = late ? j->content.attr[late_attr].offset : 0;
    bool again = j->salvage && pc_salvage_again(j->salvage);
    if (result == PC_WRITTEN && !again) {
        j->cut = pc_content_cut(&j->content);
        note_wanted(j);
        if (j->cut == 0)
            say_losses(j, input);
    }
    close_scan(j);
    if (again && result == PC_WRITTEN)
        result = PC_REFUSED; /* it is not what will be written */
    else if (result == PC_WRITTEN)
        result = verify_unless(j, sink, input, output, doubt);
    if (result == PC_WRITTEN)
        say_edits(j, input);
    if (late && result == PC_REFUSED && j->late_wrong)
        result = refuse_late_attr(j, input, late_attr, late_at);
    if (result == PC_WRITTEN && pc_progress_stopped(j->how->progress))
        result = PC_TROUBLE;
    pc_witness_clear(&j->witness);
    return result;
}

static enum pc_rewritten rewrite_open(struct job *j, const char *input, const char *output)
{
    struct pc_mem mem;
    struct pc_sink sink;
    pc_mem_init(&mem, (uint64_t)8 << 20);
    int error = open_sink(j, &sink, &mem, output);
    if (error) {
        say_not_written(j, output, error);
        return PC_TROUBLE;
    }
    enum pc_rewritten result = write_and_verify(j, &sink, input, output);
    if (result != PC_WRITTEN) {
        pc_sink_discard(&sink);
        return result;
    }
    if (!output)
        error = pc_output_hand_over(&sink, j->how->take, j->how->take_ctx);
    else
        error = sink.scratch ? pc_output_hand_over(&sink, pc_output_stdout, NULL) : pc_sink_commit(&sink);
    if (error)
        say_not_written(j, output, error);
    return error ? PC_TROUBLE : PC_WRITTEN;
}

/* Counts errors that are not about features. */
static void count_error(void *ctx, const struct pc_finding *f)
{
    uint64_t *errors = ctx;
    if (f->id == PC_D_READ_FAILED || f->id == PC_D_OUT_OF_MEMORY || f->id == PC_D_LIMIT_STATE)
        *errors = PC_NOT_JUDGED;
    else if (*errors != PC_NOT_JUDGED)
        *errors += f->severity == PC_ERROR && f->place != PC_IN_FEATURE;
}

/* See pc_judge. Then the scan is ready for another input. */
static bool judge(void *ctx, struct pc_input in, uint64_t *errors)
{
    struct job *j = ctx;
    j->scan.in = in;
    j->scan.report.take = errors ? count_error : NULL;
    j->scan.report.taker = errors;
    pc_scan_rest(&j->scan);
    pc_scan_end(&j->scan);
    const struct pc_report *report = &j->scan.report;
    bool sound = j->scan.recognised && !report->unreadable && report->by_severity[PC_ERROR] == 0;
    close_scan(j);
    open_scan(j, PC_BY_NONE, "rewriting");
    return sound;
}

/* Finds the words that are wrong, and what they were, unless the capture, as it is, has no error. */
static void repair(struct job *j)
{
    struct pc_salvage *s = &j->left_out;
    pc_repair(s);
    struct pc_input as_it_is = pc_salvage_input(s);
    as_it_is.nr_patches = 0;
    if (s->no_memory)
        return;
    if ((s->nr_patches != 0 || s->end_why) && judge(j, as_it_is, NULL)) {
        s->nr_patches = 0;
        s->end_why = PC_NO_DIAG;
    }
    pc_repair_events(s, judge, j);
}

/* What was mended, and does not follow from the rest of the capture; NULL: nothing. */
static const char *wrong_mend(struct pc_salvage *s)
{
    struct pc_input file;
    if (!pc_salvage_open_file(s, &file))
        return NULL;
    file.patch = s->patch;
    file.nr_patches = s->nr_patches;
    const char *wrong = pc_mended_wrong(&s->mem, &file, &s->no_memory);
    pc_input_close(&file);
    return wrong;
}

/* Whether the input is a capture, or cannot be read; else says what it is. */
static bool may_be_capture(struct job *j, const char *input)
{
    struct pc_item item;
    j->scan.in = pc_salvage_input(&j->left_out);
    bool may = pc_scan_next(&j->scan, &item) || j->scan.report.unreadable;
    if (!may) {
        pc_scan_end(&j->scan);
        say_findings(j, input);
        say(j->how, input, "nothing can be saved", "it is no perf.data capture");
    }
    close_scan(j);
    open_scan(j, PC_BY_NONE, "rewriting");
    return may;
}

/* Copies what is sound, again and again, until the copy is sound as a whole. */
static enum pc_rewritten salvage(struct job *j, const char *input, const char *output)
{
    struct pc_salvage *s = &j->left_out;
    enum pc_rewritten result = PC_TROUBLE;
    int error = pc_salvage_init(s, &j->scan.in, &j->how->limits);
    if (error)
        say_error(j->how, input, "cannot be stored", error);
    j->salvage = s;
    if (error == 0)
        repair(j);
    bool may = error != 0 || may_be_capture(j, input);
    result = may ? result : PC_REFUSED;
    while (error == 0 && may) {
        j->scan.in = pc_salvage_input(s);
        const char *wrong = wrong_mend(s);
        if (wrong) {
            result = pc_output_say_defect(j->how, name_of(output), "what was mended is wrong", wrong);
            break;
        }
        if (s->no_memory || s->not_judged) {
            say(j->how, input, "cannot be saved",
                s->no_memory ? pc_text_error(ENOMEM) : "it cannot be read, or there is no memory for it");
            result = PC_TROUBLE;
            break;
        }
        result = rewrite_open(j, input, output);
        if (result != PC_REFUSED || !pc_salvage_again(s))
            break;
        open_scan(j, PC_BY_NONE, "rewriting");
    }
    if (result == PC_WRITTEN)
        pc_output_say_lost(j->how, input, &s->lost, j->records_of_copy);
    j->lossy = s->lost.nr != 0;
    pc_salvage_clear(s);
    j->salvage = NULL;
    return result;
}

/* What j->scan.in has, which is open. */
static enum pc_rewritten rewrite_input(struct job *j, const char *input, const char *output)
{
    struct pc_partial partial;
    j->is_stream = j->scan.in.kind == PC_INPUT_STREAM;
    if (!pc_partial_open(&partial, j->how, &j->scan.in))
        return PC_TROUBLE;
    if (!pc_symbols_open(&j->symbols, j->how, &j->scan.in))
        return pc_partial_close(&partial, j->how, PC_TROUBLE, true);
    enum pc_rewritten result = j->how->salvage ? salvage(j, input, output) : rewrite_open(j, input, output);
    if (result == PC_WRITTEN && j->cut != 0) {
        pc_output_say_cut(j->how, input, j->cut);
        result = PC_WRITTEN_CUT;
    }
    result = pc_symbols_close(&j->symbols, j->how, result);
    return pc_partial_close(&partial, j->how, result, result == PC_WRITTEN && !j->lossy);
}

enum pc_rewritten pc_rewrite_capture(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                     const char *output)
{
    struct job *j = new_job(r, in, input);
    enum pc_rewritten result;
    if (!j)
        return PC_TROUBLE;
    open_scan(j, PC_BY_NONE, "rewriting");
    if (in)
        j->scan.in = *in;
    if (in || pc_scan_open(&j->scan, input)) {
        result = rewrite_input(j, input, output);
        if (j->scan.mem.used != 0 || j->scan.in.fd >= 0)
            close_scan(j);
    } else {
        pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
        result = refuse(j, input);
        close_scan(j);
    }
    free_job(j);
    return result;
}

enum pc_rewritten pc_rewrite_into(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                  struct pc_sink *sink, const char *output)
{
    if (r->salvage) { /* which writes several copies */
        struct pc_rewrite how = *r;
        how.take = pc_output_put;
        how.take_ctx = sink;
        return pc_rewrite_capture(&how, in, input, NULL);
    }
    struct job *j = new_job(r, in, input);
    if (!j)
        return PC_TROUBLE;
    open_scan(j, PC_BY_NONE, "rewriting");
    j->scan.in = *in;
    enum pc_rewritten result = write_and_verify(j, sink, input, output);
    free_job(j);
    return result;
}

enum pc_rewritten pc_rewrite_part(const struct pc_rewrite *r, struct pc_writer *writer,
                                  const struct pc_marks *records, const char *output)
{
    struct pc_rewrite how = *r;
    struct pc_content *content = writer->content;
    how.reader = PC_BY_NONE;
    how.tell.verified = NULL;
    if (content->witness->no_memory) {
        say_error(r, output, "cannot be verified", ENOMEM);
        return PC_TROUBLE;
    }
    struct job *j = new_job(&how, NULL, output);
    if (!j)
        return PC_TROUBLE;
    j->wanted = *pc_content_parts(content);
    j->wanted.records = *records;
    j->witness = *content->witness; /* only looked at */
    if (pc_content_cut(content) != 0)
        j->witness.skipped = 0;
    expect_derived(j, writer);
    j->derived.stat_mark |= content->has_stat;
    enum pc_rewritten result = verify(j, writer->sink, output, DOUBT_PART);
    free_job(j);
    return result;
}
