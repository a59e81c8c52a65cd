/* SPDX-License-Identifier: MIT */
#include "write/rewrite_verify.h"
#include "write/outputs.h"
#include "check/check.h"
#include "check/flow_rule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The copy is sound, but not for the version that is to read it. */
static bool is_for_reader_only(const struct pc_job *j)
{
    return pc_content_obstacles(&j->content) != 0 && pc_content_damage(&j->content) == 0 &&
           !j->scan.report.unreadable;
}

static uint64_t times_left_out(const void *ctx, uint64_t bit)
{
    const struct pc_job *j = ctx;
    return pc_add_saturated(j->left_out_times[bit], j->salvage ? j->salvage->refused[bit] : 0);
}

/* The same of a feature that came again with another content. */
static uint64_t second_left_out(const void *ctx, uint64_t bit)
{
    const struct pc_job *j = ctx;
    bool listed = j->salvage && pc_losses_name(&j->salvage->lost, PC_IN_FEATURE, bit);
    return listed ? UINT64_MAX : times_left_out(ctx, bit);
}

/* Without NRCPUS, which was left out, a feature of the copy is not read as before. It has an error for that.
 */
static void note_unread(struct pc_job *j)
{
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (j->salvage && j->salvage->copy_is_bad && !pc_capture_can_walk(&j->scan.capture, bit))
            pc_set_bit(j->copied.unread, bit);
    }
}

/* What is wrong with the copy, which was read to its end: `place`. False: nothing is. */
static bool is_wrong(struct pc_job *j, enum pc_doubt doubt, char place[PC_PLACE_MAX])
{
    char name[PC_LOSS_NAME_MAX];
    struct pc_found found = { .pipe = j->scan.capture.is_pipe };
    uint64_t bit;
    const char *derived;
    bool partial = doubt == PC_DOUBT_LEFT_OUT || doubt == PC_DOUBT_PART || doubt == PC_DOUBT_LAST_PART;
    if (pc_content_differs(&j->wanted, &j->content, partial, place))
        return true;
    if (j->salvage && pc_losses_lack(&j->salvage->lost, &j->tally, &j->tally_copied, place, PC_PLACE_MAX))
        return true;
    if (j->content.notes_choices && j->wanted.choices != j->content.parts.choices &&
        (!j->salvage || doubt == PC_DOUBT_LATE_ATTR)) { /* a salvage may change what records are read as */
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

/* What is unsound in the last copy that a salvage has made, and where the capture has it. */
static void name_unsound(const struct pc_job *j, char *why, size_t size)
{
    static const char unsound[] = "with what is left of the capture it is not sound";
    const struct pc_lost *bad = &j->salvage->last_bad;
    const struct pc_diag_info *error = pc_diag_info(j->salvage->copy_error);
    char record[PC_LOSS_NAME_MAX];
    pc_content_name_record(bad->type, record, sizeof(record));
    if (j->scan.capture.nr_attrs == 0)
        snprintf(why, size, "%s: no attr is left by which its records could be read", unsound);
    else if (bad->why)
        snprintf(why, size, "%s: %s %" PRIu64 " at 0x%" PRIx64 " has the error %s, as others had before it",
                 unsound, record, bad->number, bad->offset, error->name);
    else
        snprintf(why, size, "%s: it has the error %s", unsound, error->name);
}

/* Shows the findings in the copy, and says why it is not written. */
static enum pc_rewritten refuse_copy(struct pc_job *j, const char *output, enum pc_rewritten result,
                                     const char *why)
{
    pc_job_say_findings(j, output);
    pc_rewrite_say(j->how, output, "not written", why);
    return result;
}

/* A copy that a salvage made has an error. What is left out may be what it needs; else it is ours. */
static enum pc_rewritten refuse_unsound(struct pc_job *j, const char *output)
{
    /* perf opens no file with a tracepoint and no trace data; a pipe may have counts of one. */
    bool of_file = j->salvage->copy_error == PC_D_TRACEPOINT_WITHOUT_DATA && !j->scan.capture.is_pipe;
    bool known = j->found.by_id[j->salvage->copy_error] != 0;
    if (pc_salvage_is_lossless(j->salvage) && !j->has_losses && !of_file && !known)
        return pc_output_say_defect(j->how, output, "the copy has an error that the capture has not",
                                    pc_diag_info(j->salvage->copy_error)->name);
    if (!pc_salvage_again(j->salvage)) {
        char why[2 * PC_PLACE_MAX];
        name_unsound(j, why, sizeof(why));
        return refuse_copy(j, output, PC_REFUSED, why);
    }
    return PC_REFUSED;
}

/* The copy will be read as what it came from was. */
static void begin_copy(struct pc_job *j, enum pc_doubt doubt)
{
    pc_job_open_scan(j, j->how->reader, "verifying");
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
        j->salvage ? j->how->reader == PC_BY_NONE : doubt == PC_DOUBT_LATE_ATTR && j->swaps;
    if (j->salvage) {
        j->content.proof = &j->proof;
        pc_proof_begin_copy(&j->proof);
        pc_salvage_begin_copy(j->salvage, &j->content);
    }
}

/* Reads the copy, and says what is wrong with it. */
static enum pc_rewritten judge_copy(struct pc_job *j, const char *output, enum pc_doubt doubt)
{
    char place[PC_PLACE_MAX];
    const bool whole = pc_job_take_content(j);
    if (j->salvage && !j->scan.report.unreadable && pc_salvage_begin_literal(j->salvage))
        return PC_REFUSED; /* and read once more, which tells the rest */
    if (!whole && is_for_reader_only(j)) {
        if (j->salvage && !pc_salvage_end_copy(j->salvage) && pc_salvage_again(j->salvage))
            return PC_REFUSED; /* what is left out next may be what that perf does not read */
        j->form.again = true;
        const struct pc_obstacles obstacles = pc_job_obstacles(j);
        pc_obstacles_say_copy(&obstacles, output);
        return PC_REFUSED;
    }
    if (doubt == PC_DOUBT_LEFT_OUT && j->scan.recognised && pc_content_damage(&j->content) != 0)
        return refuse_copy(j, output, PC_REFUSED, "without what was left out it is not sound");
    if (doubt == PC_DOUBT_LATE_ATTR && (!pc_content_is_whole(&j->content) || is_wrong(j, doubt, place))) {
        j->late_wrong = true;
        return PC_REFUSED;
    }
    if (doubt == PC_DOUBT_LAST_PART && !whole && !j->scan.report.unreadable)
        return refuse_copy(j, output, PC_REFUSED, "records before the damage are not sound either");
    if (doubt == PC_DOUBT_PART && pc_content_damage(&j->content) != 0 && !is_wrong(j, doubt, place))
        return pc_job_refuse(j, output); /* as it is before the records by which perf stat is known */
    if (j->scan.report.unreadable)
        return refuse_copy(j, output, PC_TROUBLE, "the copy cannot be read again");
    if (!pc_content_is_whole(&j->content)) {
        enum pc_rewritten result = pc_output_say_defect(j->how, output, "the copy is not sound", NULL);
        pc_job_refuse(j, output);
        return result;
    }
    if (!pc_derived_formats(&j->derived, &j->scan.capture)) /* which leads to errors of its own */
        return pc_output_say_defect(j->how, output, PC_OTHER_CONTENT, "features.TRACING_DATA");
    if (j->copied.no_memory) {
        pc_job_say_error(j->how, output, "cannot be verified", ENOMEM);
        return PC_TROUBLE;
    }
    if (is_wrong(j, doubt, place))
        return pc_output_say_defect(j->how, output, PC_OTHER_CONTENT, place);
    const bool is_sound = !j->salvage || pc_salvage_end_copy(j->salvage);
    if (j->scan.report.unreadable) /* there was no memory for what was wrong */
        return refuse_copy(j, output, PC_TROUBLE, "the copy cannot be read again");
    if (!is_sound)
        return refuse_unsound(j, output);
    if (j->salvage && j->content.notes_choices && j->wanted.choices != j->content.parts.choices) {
        pc_rewrite_say(j->how, output, "not written",
                       "with what is left of the capture, its records are read otherwise");
        return PC_REFUSED;
    }
    if (j->scan.report.by_severity[PC_ERROR] != 0) /* they are no damage */
        pc_job_say_findings(j, output);
    pc_scan_say_cause(&j->scan);
    if (j->how->callbacks.verified)
        j->how->callbacks.verified(j->how->callbacks.ctx, &j->scan);
    return PC_WRITTEN;
}

/* The records of the copy, and those that only hold others or mark places. */
static void count_records(struct pc_job *j)
{
    const struct pc_summary *sum = &j->scan.check.flow.sum;
    j->records_of_copy = sum->total;
    j->container_of_copy = 0;
    for (uint32_t i = 0; i < PC_TYPE_ROWS; i++) {
        uint32_t type = pc_type_at(i);
        if (pc_record_is(type, PC_OF_CONTAINER) && !pc_record_is(type, PC_HOLDS_RECORDS))
            j->container_of_copy += sum->by_type[i];
    }
}

static enum pc_rewritten read_copy(struct pc_job *j, struct pc_sink *sink, const char *output,
                                   enum pc_doubt doubt)
{
    enum pc_rewritten result = PC_TROUBLE;
    int fd = pc_output_reopen(sink);
    if (fd < 0) {
        pc_job_say_error(j->how, output, sink->error ? "cannot be written" : "cannot be read again", -fd);
        return result;
    }
    if (j->how->written && !(j->salvage && j->salvage->literal)) /* once for each copy */
        j->how->written(j->how->written_ctx, fd);
    begin_copy(j, doubt);
    int error = pc_input_adopt(&j->scan.in, fd, true);
    if (error)
        pc_job_say_error(j->how, output, "cannot be read again", error);
    else
        result = judge_copy(j, output, doubt);
    count_records(j);
    pc_witness_clear(&j->copied);
    pc_job_close_scan(j);
    return result;
}

enum pc_rewritten pc_job_verify(struct pc_job *j, struct pc_sink *sink, const char *output,
                                enum pc_doubt doubt)
{
    const struct pc_derived derived = j->derived;
    output = pc_output_name(output);
    enum pc_rewritten result = read_copy(j, sink, output, doubt);
    if (result != PC_REFUSED || !j->salvage || !j->salvage->literal)
        return result;
    j->derived = derived; /* the second reading begins where the first one did */
    return read_copy(j, sink, output, doubt);
}

void pc_job_expect_derived(struct pc_job *j, const struct pc_writer *writer)
{
    const uint64_t most = 528384; /* what perf record writes by default */
    const struct pc_capture *capture = &writer->content->scan->capture;
    struct pc_derived *d = &j->derived;
    pc_derived_init(d);
    d->reader = pc_version_knows(j->how->reader);
    uint64_t level = capture->level > PC_DEFLATE_LEVELS ? PC_DEFLATE_LEVELS : capture->level;
    d->level = writer->compression == PC_COMPRESSION_LEVEL ? (uint64_t)j->how->level : level == 0 ? 1 : level;
    d->mmap_len = capture->mmap_len > most ? capture->mmap_len : most;
    /* The attrs were made for those of EVENT_DESC, too, even if the file then had no place for it. */
    bool has_events =
        !j->salvage || j->salvage->refused[PC_EVENT_DESC] == 0 || writer->content->event_desc_len != 0;
    d->attr_needs = j->witness.attr_size;
    if (has_events && j->witness.event_size > d->attr_needs)
        d->attr_needs = j->witness.event_size;
    d->made_formats = writer->content->made_formats;
    if (d->reader && d->reader->user_type < PC_COMPRESSED2)
        d->packed_type = PC_COMPRESSED;
    else if (!j->witness.packed)
        d->packed_type = PC_COMPRESSED2;
    else if (!j->witness.plain_first)
        d->packed_type = j->witness.packed;
    d->stat_mark = pc_bit(capture->features, PC_STAT_FEATURE);
}

void pc_job_note_wanted(struct pc_job *j)
{
    const struct pc_capture *capture = &j->scan.capture;
    bool no_fields =
        capture->nr_attrs == 1 && pc_attr_get(pc_capture_first(capture), PC_ATTR_SAMPLE_TYPE) == 0;
    j->no_fields_at =
        no_fields ? pc_capture_first(capture)->offset + pc_row_at(pc_attr_fields, PC_ATTR_SAMPLE_TYPE) : 0;
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
        const uint64_t dropped = pc_content_losses(&j->content, name);
        if (edited || dropped != 0) /* which the list of edits says, or that of what --drop left out */
            j->tally.features[bit / 64] &= ~((uint64_t)1 << bit % 64);
        j->left_out_times[bit] = j->content.more_losses != 0 || edited ? UINT64_MAX : dropped;
    }
}
