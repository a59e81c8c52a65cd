/* SPDX-License-Identifier: MIT */
#include "write/rewrite_verify.h"
#include "write/outputs.h"
#include "write/header_from.h"
#include "write/repair.h"
#include "write/salvage_parts.h"
#include "check/check.h"
#include "check/mended.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* --- digest --- */

enum pc_rewritten pc_digest_capture(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                    struct pc_sum *sum)
{
    struct pc_job *j = pc_job_new(r, in, input);
    if (!j)
        return PC_TROUBLE;
    pc_job_open_scan(j, PC_BY_NONE, "reading");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    j->content.own.lenient = j->content.in_batches = true;
    pc_marks_only_hash(&j->content.parts.records);
    enum pc_rewritten result = PC_WRITTEN;
    if (in)
        j->scan.in = *in;
    if (!(in || pc_scan_open(&j->scan, input)) || !pc_job_take_content(j)) {
        pc_job_refuse(j, input);
        result = PC_TROUBLE;
    } else {
        *sum = pc_content_digest(&j->content);
    }
    pc_job_close_scan(j);
    pc_job_free(j);
    return result;
}

/* --- rewrite --- */

/* An attr that came after records precedes them in the copy, and now they are read otherwise. */
static enum pc_rewritten refuse_late_attr(struct pc_job *j, const char *input, uint64_t number,
                                          uint64_t offset)
{
    struct pc_finding f = { .id = PC_D_REWRITE_LATE_ATTR, .place = PC_IN_ATTR, .number = number };
    f.offset = offset;
    pc_job_open_scan(j, PC_BY_NONE, "rewriting");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    j->scan.recognised = true;
    pc_content_refuse(&j->content, &f, NULL);
    enum pc_rewritten result = pc_job_refuse(j, input);
    pc_job_close_scan(j);
    return result;
}

/* A copy of the kernel has no place in a file. */
static void refuse_kcore(struct pc_job *j)
{
    const struct pc_directory *dir = &j->scan.reader.directory;
    for (size_t i = 0; i < dir->nr; i++) {
        struct pc_finding f = { .id = PC_D_REWRITE_KCORE, .place = PC_AT_END };
        if (dir->member[i].kind == PC_MEMBER_KCORE)
            pc_content_refuse(&j->content, &f, "kcore");
    }
}

static enum pc_rewritten fail_to_write(struct pc_job *j, const char *output, int error)
{
    pc_rewrite_say(j->how, pc_output_name(output), "cannot be written", pc_output_error_text(error));
    return PC_TROUBLE;
}

/* From here on what the perf that --for names would not read is reported, save what copying cures. */
static void judge_for_reader(struct pc_job *j)
{
    j->policy.reader = j->how->reader;
    pc_check_ask(&j->scan.check);
    for (enum pc_diag id = PC_D_FOR_FINDING; pc_diag_is_for_reader(id); id++)
        j->policy.disabled[id] = pc_copy_cures(id, &j->form);
}

/* All of the capture was read. When a salvage can have records of it, that is said. */
static enum pc_rewritten refuse_all(struct pc_job *j, const char *input)
{
    bool has_records = j->scan.capture.nr_attrs != 0 && j->scan.check.flow.sum.total != 0;
    if (!has_records || j->salvage || j->is_stream)
        return pc_job_refuse(j, input);
    enum pc_rewritten result = pc_job_refuse_for(
        j, input, "the capture has errors ('perfcheck check' shows all; --salvage copies what is sound)");
    /* What the perf of --for needs of what is left is not known yet. */
    if (result == PC_REFUSED && !j->how->reader && pc_content_damage(&j->content) != 0)
        pc_rewrite_say(j->how, input, PC_SAY_NEXT, "--salvage");
    return result;
}

/* Whether a salvage reads the capture once more. */
static bool is_unsettled(const struct pc_job *j)
{
    return j->salvage && pc_salvage_is_unsettled(j->salvage);
}

static bool becomes_pipe(const struct pc_job *j)
{
    return j->how->to == PC_TO_KEEP ? j->scan.capture.is_pipe : j->how->to == PC_TO_PIPE;
}

/* Whether anything is left but records: attrs or features. */
static bool has_front(const struct pc_job *j)
{
    uint64_t any = j->content.nr_attrs;
    for (size_t i = 0; i < PC_COUNT_OF(j->content.parts.present); i++)
        any |= j->content.parts.present[i];
    return any != 0;
}

/* Whether a salvage has nothing to write: a pipe may have attrs and features alone. perf takes a file without
 * records for one that is unfinished. */
static bool is_nothing_left(const struct pc_job *j)
{
    return j->salvage && j->salvage->kept == 0 && !(becomes_pipe(j) && has_front(j));
}

static enum pc_rewritten refuse_nothing_left(struct pc_job *j, const char *input, const char *output)
{
    const bool as_pipe = has_front(j) && !becomes_pipe(j);
    if (is_unsettled(j))
        return PC_REFUSED;
    enum pc_rewritten result = pc_job_prove(j, input, output);
    if (result != PC_WRITTEN)
        return result;
    pc_rewrite_say(j->how, input, "nothing can be saved",
                   as_pipe ? "no record is left that can be read; only a pipe can do without (--to=pipe)"
                           : "no record is left that can be read");
    return PC_REFUSED;
}

/* The writer of the form that is asked for. */
static void begin_writer(struct pc_job *j, struct pc_writer *writer, struct pc_sink *sink)
{
    bool pipe = becomes_pipe(j);
    pc_writer_init(writer, &j->content, sink, pipe ? PC_CONTAINER_PIPE : PC_CONTAINER_FILE);
    writer->compression = j->how->compression;
    if (writer->compression == PC_COMPRESSION_KEEP && pc_edit_unpacks(&j->content))
        writer->compression = PC_COMPRESSION_NONE;
    writer->level = j->how->level;
    j->content.in_batches = writer->compression != PC_COMPRESSION_LEVEL;
    j->content.may_pack = writer->compression == PC_COMPRESSION_KEEP;
    j->form = (struct pc_copy_form){ .pipe = pipe,
                                     .big = j->content.own.to == PC_BIG,
                                     .packed = writer->compression != PC_COMPRESSION_NONE,
                                     .packs = writer->compression == PC_COMPRESSION_LEVEL,
                                     .reader = j->how->reader };
}

/* Everything into the sink. */
static enum pc_rewritten copy(struct pc_job *j, struct pc_sink *sink, const char *input, const char *output)
{
    struct pc_content_item item;
    struct pc_writer writer;
    if (!pc_content_open(&j->content))
        return pc_job_refuse(j, input);
    if (pc_output_is_stdout(output) && !becomes_pipe(j)) {
        pc_rewrite_say(j->how, "standard output", "a file cannot be written there: give --to=pipe", NULL);
        return PC_TROUBLE;
    }
    if (!j->how->with_kcore)
        refuse_kcore(j);
    j->content.own.to = wanted_order(j->how->order, j->scan.capture.order);
    begin_writer(j, &writer, sink);
    if (!j->salvage) /* of which only the copy is judged */
        judge_for_reader(j);
    for (;;) {
        pc_content_next(&j->content, &item);
        if (item.kind == PC_CONTENT_END)
            break;
        if (!is_unsettled(j)) /* it is not what will be written */
            pc_writer_put(&writer, &item);
        if (sink->error) /* the rest may be long in coming */
            break;
    }
    if (pc_content_take_back(&j->content))
        pc_writer_take_back(&writer);
    enum pc_rewritten result = PC_WRITTEN;
    if (is_nothing_left(j) && !j->scan.report.unreadable && !sink->error) {
        pc_writer_clear(&writer);
        return refuse_nothing_left(j, input, output);
    }
    const bool again = is_unsettled(j);
    bool done = !sink->error && pc_content_is_whole(&j->content) && (again || pc_writer_end(&writer));
    if (j->content.wrong[0] != 0 && again) {
        result = PC_REFUSED; /* it was read otherwise than it will be */
    } else if (!sink->error && j->content.wrong[0] != 0) {
        result = pc_output_say_defect(j->how, pc_output_name(output), PC_OTHER_CONTENT, j->content.wrong);
    } else if (!done && !sink->error) {
        result = refuse_all(j, input);
    } else if (done) {
        pc_job_expect_derived(j, &writer);
    }
    if (sink->error) {
        pc_progress_end(j->scan.progress);
        result = fail_to_write(j, output, sink->error);
    }
    pc_writer_clear(&writer);
    return result;
}

/* Of what others may refer to: not of payloads and of kcore_dir. */
static bool has_loss_of_need(const struct pc_job *j)
{
    for (size_t i = 0; i < j->content.nr_losses; i++) {
        const char *name = j->content.loss[i].name;
        if (strncmp(name, "record:", strlen("record:")) == 0 ||
            strncmp(name, "feature:", strlen("feature:")) == 0)
            return true;
    }
    return j->content.more_losses != 0;
}

/* Nothing is read again; bytes for standard output can leave at once. */
static bool is_unverified(const struct pc_job *j)
{
    return j->how->no_verify && j->how->reader == PC_BY_NONE && !j->salvage;
}

/* Opens what is written to. What goes to standard output is in a file without a name until all is there
 * and verified. */
static int open_sink(struct pc_job *j, struct pc_sink *sink, struct pc_mem *mem, const char *output)
{
    const struct pc_inputs inputs = pc_job_inputs(j);
    const mode_t mode = pc_output_mode(j->headless.fd >= 0 ? &j->headless : &j->scan.in);
    if (!output)
        return pc_sink_scratch(sink, mem, NULL);
    if (!pc_output_is_stdout(output))
        return pc_sink_create(sink, mem, output, j->how->force, mode, &inputs);
    int error = pc_guard_file(STDOUT_FILENO, &inputs);
    if (error)
        return error;
    return is_unverified(j) ? pc_sink_stream(sink, mem, STDOUT_FILENO) : pc_sink_scratch(sink, mem, NULL);
}

/* Verifies what can be, and has to be. */
static enum pc_rewritten verify_unless(struct pc_job *j, struct pc_sink *sink, const char *input,
                                       const char *output, enum pc_doubt doubt)
{
    if (is_unverified(j) && doubt == PC_DOUBT_NONE)
        return PC_WRITTEN;
    if (j->witness.no_memory || (j->salvage && j->proof.no_memory)) {
        pc_job_say_error(j->how, input, "cannot be verified", ENOMEM);
        return PC_TROUBLE;
    }
    enum pc_rewritten result = j->salvage ? pc_job_prove(j, input, output) : PC_WRITTEN;
    if (result != PC_WRITTEN)
        return result;
    if (sink->stream) /* all of it is in the buffer still, but cannot be read again there */
        return fail_to_write(j, output, ESPIPE);
    return pc_job_verify(j, sink, output, doubt);
}

/* What j->scan.in has, into the sink and read again; the scan is closed. */
static enum pc_rewritten write_and_verify(struct pc_job *j, struct pc_sink *sink, const char *input,
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
    if (j->salvage) {
        j->content.proof = &j->proof;
        pc_proof_begin(&j->proof, &j->scan.in, j->salvage->mmap2_new, j->salvage->unsure);
        pc_salvage_begin(j->salvage, &j->content);
    }
    enum pc_rewritten result = copy(j, sink, input, output);
    uint64_t late_attr = j->content.late_attr;
    bool late = late_attr != PC_NO_INDEX;
    bool left_out = j->salvage || (!sink->stream && has_loss_of_need(j));
    enum pc_doubt doubt = late ? PC_DOUBT_LATE_ATTR : left_out ? PC_DOUBT_LEFT_OUT : PC_DOUBT_NONE;
    uint64_t late_at = late ? j->content.attr[late_attr].offset : 0;
    bool again = is_unsettled(j);
    if (result == PC_WRITTEN && !again) {
        j->cut = pc_content_cut(&j->content);
        pc_job_note_wanted(j);
        if (j->cut == 0)
            pc_job_say_losses(j, input);
    }
    pc_job_close_scan(j);
    if (again && (result == PC_WRITTEN || result == PC_REFUSED)) /* it is not what will be written */
        result = pc_salvage_again(j->salvage) ? PC_REFUSED : pc_job_refuse_unsettled(j, input);
    else if (result == PC_WRITTEN)
        result = verify_unless(j, sink, input, output, doubt);
    if (result == PC_WRITTEN)
        pc_job_say_edits(j, input);
    if (late && result == PC_REFUSED && j->late_wrong)
        result = refuse_late_attr(j, input, late_attr, late_at);
    if (result == PC_WRITTEN && pc_progress_stopped(j->how->progress))
        result = PC_TROUBLE;
    pc_witness_clear(&j->witness);
    return result;
}

/* Tells what is lost, then gives the copy its name, or hands it over. */
static enum pc_rewritten end_copy(struct pc_job *j, struct pc_sink *sink, const char *input,
                                  const char *output)
{
    const bool has_name = output && !sink->scratch;
    if (!pc_job_say_lost(j, input))
        return PC_TROUBLE;
    int error = has_name ? pc_sink_store(sink)
                : output ? pc_output_hand_over(sink, pc_output_stdout, NULL)
                         : pc_output_hand_over(sink, j->how->take, j->how->take_ctx);
    if (error == 0 && has_name && !pc_rewrite_is_ready(j->how, j->cut != 0))
        return PC_TROUBLE;
    if (error == 0 && has_name)
        error = pc_sink_commit(sink);
    if (error)
        return fail_to_write(j, output, error);
    pc_job_say_saved(j, input);
    return PC_WRITTEN;
}

static enum pc_rewritten rewrite_open(struct pc_job *j, const char *input, const char *output)
{
    struct pc_mem mem;
    struct pc_sink sink;
    pc_mem_init(&mem, (uint64_t)8 << 20);
    int error = open_sink(j, &sink, &mem, output);
    if (error)
        return fail_to_write(j, output, error);
    enum pc_rewritten result = write_and_verify(j, &sink, input, output);
    if (result == PC_WRITTEN)
        result = end_copy(j, &sink, input, output);
    if (result != PC_WRITTEN)
        pc_sink_discard(&sink);
    return result;
}

/* Finds the words that are wrong, and what they were, unless the capture, as it is, has no error. */
static void repair(struct pc_job *j)
{
    struct pc_salvage *s = &j->left_out;
    pc_repair(s);
    struct pc_input as_it_is = pc_salvage_input(s);
    as_it_is.nr_patches = 0;
    pc_input_shift(&as_it_is, 0, 0, 0);
    if (s->no_memory)
        return;
    bool differs = s->nr_patches != 0 || s->end_why || pc_input_is_shifted(&s->in);
    for (size_t i = 0; i < PC_COUNT_OF(s->unsure); i++)
        differs |= s->unsure[i] != 0;
    if (differs && pc_job_judge(j, as_it_is, 0, NULL))
        pc_salvage_unmend(s);
    pc_repair_events(s, pc_job_judge, j);
    pc_repair_places(s, pc_job_judge, j);
}

/* What was mended, and does not follow from the rest of the capture; NULL: nothing. */
static const char *wrong_mend(struct pc_salvage *s)
{
    struct pc_input file;
    if (!pc_salvage_open_file(s, &file)) {
        s->not_judged = true;
        return NULL;
    }
    file.patch = s->patch;
    file.nr_patches = s->nr_patches;
    const char *wrong = pc_mended_wrong(&s->mem, &file, &s->no_memory);
    s->not_judged |= file.error != 0;
    pc_input_close(&file);
    return wrong;
}

/* The next pass over the capture begins. Returns the same as wrong_mend. */
static const char *begin_pass(struct pc_job *j)
{
    j->scan.in = pc_salvage_input(&j->left_out);
    return wrong_mend(&j->left_out);
}

/* Whether the input is a capture, or cannot be read; else says what it is. */
static bool may_be_capture(struct pc_job *j, const char *input)
{
    struct pc_item item;
    j->scan.in = pc_salvage_input(&j->left_out);
    bool may = pc_scan_next(&j->scan, &item) || j->scan.report.unreadable;
    if (!may) {
        pc_scan_end(&j->scan);
        pc_job_say_findings(j, input);
        pc_rewrite_say(j->how, input, "nothing can be saved", "it is no perf.data capture");
        pc_rewrite_say(j->how, input, PC_SAY_NEXT, "");
    }
    pc_job_reopen_scan(j);
    return may;
}

/* Whether a read failed, or memory was lacking, so that nobody knows what is sound; then says so. */
static bool lacks_proof(struct pc_job *j, const char *input)
{
    const struct pc_salvage *s = &j->left_out;
    if (!s->no_memory && !s->not_judged)
        return false;
    pc_rewrite_say(j->how, input, "cannot be saved",
                   s->no_memory ? pc_text_error(ENOMEM) : "it cannot be read, or there is no memory for it");
    return true;
}

/* Takes what a salvage reads, and mends it. False: the work ends with *result. */
static bool begin_salvage(struct pc_job *j, const char *input, enum pc_rewritten *result)
{
    struct pc_salvage *s = &j->left_out;
    const int error = pc_salvage_init(s, &j->scan.in, &j->how->limits);
    *result = PC_TROUBLE;
    if (error)
        pc_job_say_error(j->how, input, "cannot be stored", error);
    if (error || !pc_header_take(j, &s->in, &s->mem, input, result))
        return false;
    if (s->in.kind == PC_INPUT_FILE)
        pc_job_skip_before(j);
    repair(j);
    *result = PC_TROUBLE;
    if (lacks_proof(j, input))
        return false;
    *result = PC_REFUSED;
    return may_be_capture(j, input);
}

/* Copies what is sound, again and again, until the copy is sound as a whole. */
static enum pc_rewritten copy_sound(struct pc_job *j, const char *input, const char *output)
{
    struct pc_salvage *s = &j->left_out;
    enum pc_rewritten result;
    const char *wrong = begin_pass(j);
    if (wrong) {
        pc_rewrite_say(j->how, input, "nothing is mended, as the capture contradicts itself", wrong);
        pc_salvage_unmend(s);
        wrong = begin_pass(j);
    }
    while (!wrong) {
        if (lacks_proof(j, input))
            return PC_TROUBLE;
        result = rewrite_open(j, input, output);
        if (result != PC_REFUSED || !pc_salvage_again(s))
            return result;
        pc_job_open_scan(j, PC_BY_NONE, "rewriting");
        wrong = begin_pass(j);
    }
    return pc_output_say_defect(j->how, pc_output_name(output), "what was mended is wrong", wrong);
}

static enum pc_rewritten salvage(struct pc_job *j, const char *input, const char *output)
{
    struct pc_salvage *s = &j->left_out;
    enum pc_rewritten result;
    j->salvage = s;
    pc_proof_init(&j->proof, &j->seen);
    if (begin_salvage(j, input, &result))
        result = copy_sound(j, input, output);
    j->lossy = s->lost.nr != 0;
    pc_proof_clear(&j->proof);
    pc_salvage_clear(s);
    j->salvage = NULL;
    return result;
}

/* If the stream ended inside a record, says so once all else is written. */
static enum pc_rewritten say_cut(const struct pc_job *j, enum pc_rewritten result, const char *input)
{
    if (result != PC_WRITTEN || j->cut == 0)
        return result;
    pc_output_say_cut(j->how, input, j->cut);
    return PC_WRITTEN_CUT;
}

/* What j->scan.in has, which is open. */
static enum pc_rewritten rewrite_input(struct pc_job *j, const char *input, const char *output)
{
    struct pc_partial partial;
    j->is_stream = j->scan.in.kind == PC_INPUT_STREAM;
    const bool early = j->how->salvage || (j->is_stream && j->how->keep_partial);
    const bool opened = pc_header_open(&j->header, j->how);
    const struct pc_inputs inputs = pc_job_inputs(j);
    if (!opened || (early && !pc_output_may_appear(j->how, &inputs, output)))
        return PC_TROUBLE;
    if (!pc_partial_open(&partial, j->how, &j->scan.in))
        return PC_TROUBLE;
    if (!pc_symbols_open(&j->symbols, j->how, &j->scan.in, &inputs))
        return pc_partial_close(&partial, j->how, PC_TROUBLE, true);
    enum pc_rewritten result = j->how->salvage ? salvage(j, input, output) : rewrite_open(j, input, output);
    result = say_cut(j, result, input);
    result = pc_symbols_close(&j->symbols, j->how, result);
    return pc_partial_close(&partial, j->how, result, result == PC_WRITTEN && !j->lossy);
}

enum pc_rewritten pc_rewrite_capture(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                     const char *output)
{
    struct pc_job *j = pc_job_new(r, in, input);
    enum pc_rewritten result;
    if (!j)
        return PC_TROUBLE;
    pc_job_open_scan(j, PC_BY_NONE, "rewriting");
    if (in)
        j->scan.in = *in;
    if (in || pc_scan_open(&j->scan, input)) {
        result = rewrite_input(j, input, output);
        if (j->scan.mem.used != 0 || j->scan.findings.used != 0 || j->scan.in.fd >= 0)
            pc_job_close_scan(j);
    } else {
        pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
        result = pc_job_refuse(j, input);
        pc_job_close_scan(j);
    }
    pc_job_free(j);
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
    struct pc_job *j = pc_job_new(r, in, input);
    if (!j)
        return PC_TROUBLE;
    pc_job_open_scan(j, PC_BY_NONE, "rewriting");
    j->scan.in = *in;
    j->is_stream = in->kind == PC_INPUT_STREAM;
    enum pc_rewritten result = say_cut(j, write_and_verify(j, sink, input, output), input);
    pc_job_free(j);
    return result;
}

enum pc_rewritten pc_rewrite_part(const struct pc_rewrite *r, struct pc_writer *writer,
                                  const struct pc_marks *records, const char *output)
{
    struct pc_rewrite how = *r;
    struct pc_content *content = writer->content;
    how.reader = PC_BY_NONE;
    how.callbacks.verified = NULL;
    if (content->witness->no_memory) {
        pc_job_say_error(r, output, "cannot be verified", ENOMEM);
        return PC_TROUBLE;
    }
    struct pc_job *j = pc_job_new(&how, NULL, output);
    if (!j)
        return PC_TROUBLE;
    j->wanted = *pc_content_parts(content);
    j->wanted.records = *records;
    j->witness = *content->witness; /* only looked at */
    const bool damaged = pc_content_damage(content) != 0;
    if (damaged || pc_content_cut(content) != 0)
        j->witness.skipped = 0; /* the part ends before it */
    pc_job_expect_derived(j, writer);
    j->derived.stat_mark |= content->has_stat;
    enum pc_rewritten result =
        pc_job_verify(j, writer->sink, output, damaged ? PC_DOUBT_LAST_PART : PC_DOUBT_PART);
    pc_job_free(j);
    return result;
}
