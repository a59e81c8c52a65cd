/* SPDX-License-Identifier: MIT */
#include "write/rewrite.h"
#include "bytes/io.h"
#include "check/check.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One capture on its way: how, and what is read, first of the input and then of the copy. */
struct job {
    const struct pc_rewrite *how;
    struct pc_mem mem; /* of the job itself */
    struct pc_policy policy;
    struct pc_scan scan;
    struct pc_content content;
    struct pc_parts wanted; /* of the input; then those of the copy have to be the same */
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

static struct job *new_job(const struct pc_rewrite *how, const char *input)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct job));
    struct job *j = pc_alloc(&mem, sizeof(*j));
    if (!j) {
        say_error(how, input, "cannot be read", ENOMEM);
        return NULL;
    }
    j->how = how;
    j->mem = mem;
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

/* Errors and what cannot be carried over, then the conclusion. */
static enum pc_rewritten refuse(struct job *j, const char *path)
{
    say_findings(j, path);
    if (j->scan.report.unreadable)
        return PC_TROUBLE;
    if (j->scan.recognised && pc_content_damage(&j->content) != 0)
        say(j->how, path, "refused", "the capture has errors ('perfcheck check' shows all)");
    else if (j->scan.recognised && j->content.refusals != 0)
        say(j->how, path, "refused", "not all of it can be carried over");
    return PC_REFUSED;
}

/* --- digest --- */

static void open_scan(struct job *j, enum pc_versions reader, const char *doing)
{
    pc_policy_init(&j->policy);
    j->policy.reader = reader;
    pc_scan_init(&j->scan, &j->policy, &j->how->limits);
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

/* in is NULL: the input is to be opened by its name. */
static enum pc_rewritten digest(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                struct pc_sum *sum)
{
    struct job *j = new_job(r, input);
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

enum pc_rewritten pc_digest_path(const struct pc_rewrite *r, const char *input, struct pc_sum *sum)
{
    return digest(r, NULL, input, sum);
}

enum pc_rewritten pc_digest_input(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                  struct pc_sum *sum)
{
    return digest(r, in, input, sum);
}

/* --- rewrite --- */

/* The bits that the output gets at most. */
static mode_t mode_of_input(const struct job *j)
{
    struct stat st;
    if (fstat(j->scan.in.fd, &st) != 0 || !S_ISREG(st.st_mode))
        return 0600;
    return st.st_mode & 0777;
}

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
    uint64_t others = j->scan.report.by_severity[PC_ERROR];
    for (int id = 1; id < PC_DIAG_COUNT; id++) {
        enum pc_diag it = (enum pc_diag)id;
        if (pc_diag_is_for_reader(it) && pc_report_severity(&j->scan.report, it) == PC_ERROR)
            others -= j->scan.report.by_id[id];
    }
    return j->scan.report.by_severity[PC_ERROR] != 0 && others == 0 && !j->scan.report.unreadable;
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
};

/* Room for the longest place. */
#define PLACE_MAX 160

static void put_range(char place[PLACE_MAX], const char *whose, const char *what, uint64_t from, uint64_t to)
{
    if (from == PC_NO_INDEX)
        snprintf(place, PLACE_MAX, "%safter the last of the %s", whose, what);
    else if (to == PC_NO_INDEX)
        snprintf(place, PLACE_MAX, "%s%s[%" PRIu64 "] or after it", whose, what, from);
    else if (to > from + 1)
        snprintf(place, PLACE_MAX, "%s%s[%" PRIu64 "] or after it, before %s[%" PRIu64 "]", whose, what, from,
                 what, to);
    else
        snprintf(place, PLACE_MAX, "%s%s[%" PRIu64 "]", whose, what, from);
}

/* Whether what was read is not what was to be written, and where: by the numbers of the input. Where rounds
 * end, what readers make of the events, and that attrs precede the records is no part of the
 * digest. What was left out may have named events. */
static bool differs(struct job *j, enum doubt doubt, char place[PLACE_MAX])
{
    const struct pc_parts *wanted = &j->wanted, *seen = pc_content_parts(&j->content);
    uint64_t bit = 0, from, to;
    while (bit < PC_FEATURE_BITS && pc_bit(wanted->present, bit) == pc_bit(seen->present, bit) &&
           (!pc_bit(seen->present, bit) || pc_sum_equal(&wanted->feature[bit], &seen->feature[bit])))
        bit++;
    place[0] = 0;
    if (pc_marks_part(&wanted->attrs, &seen->attrs, &from, &to)) {
        put_range(place, "", "attrs", from, to);
    } else if (bit < PC_FEATURE_BITS) {
        char name[PC_LOSS_NAME_MAX];
        pc_content_name_feature(bit, name, sizeof(name));
        snprintf(place, PLACE_MAX, "features.%s", name + strlen("feature:"));
    } else if (pc_marks_part(&wanted->records, &seen->records, &from, &to) ||
               pc_marks_part(&wanted->rounds, &seen->rounds, &from, &to)) {
        put_range(place, "", "records", from, to);
    } else if (doubt != DOUBT_LEFT_OUT && pc_marks_part(&wanted->names, &seen->names, &from, &to)) {
        put_range(place, "the name of ", "attrs", from, to);
    } else if (doubt != DOUBT_LEFT_OUT && pc_marks_part(&wanted->updates, &seen->updates, &from, &to)) {
        put_range(place, "the event of ", "records", from, to);
    } else if (j->content.late_attr != PC_NO_INDEX) {
        snprintf(place, PLACE_MAX, "attrs[%" PRIu64 "] comes after records", j->content.late_attr);
    } else {
        return false;
    }
    return true;
}

/* What was written, read by the reader, has the content that was to be written. verbatim: its records are
 * those of the input, which were checked, in their order and canonical already. With DOUBT_LATE_ATTR the
 * caller says why. */
static enum pc_rewritten verify(struct job *j, struct pc_sink *sink, const char *output, bool verbatim,
                                enum doubt doubt)
{
    char place[PLACE_MAX];
    int error = pc_sink_flush(sink), fd = error ? -1 : fcntl(sink->target.fd, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) != 0) {
        say_error(j->how, output, error ? "cannot be written" : "cannot be read again",
                  error ? error : errno);
        if (fd >= 0)
            close(fd);
        return PC_TROUBLE;
    }
    if (j->how->written)
        j->how->written(j->how->written_ctx, fd);
    open_scan(j, j->how->reader, "verifying");
    pc_content_init(&j->content, &j->scan, PC_LITTLE, false, NULL);
    j->content.own.lenient = true;
    j->content.verbatim = verbatim;
    enum pc_rewritten result = PC_WRITTEN;
    error = pc_input_adopt(&j->scan.in, fd);
    if (error) {
        say_error(j->how, output, "cannot be read again", error);
        result = PC_TROUBLE;
    } else if (!take_content(j) && is_for_reader_only(j)) {
        say_findings(j, output);
        say(j->how, output, "not written: it would not be read by", pc_version_name(j->how->reader));
        result = PC_REFUSED;
    } else if (doubt == DOUBT_LEFT_OUT && j->scan.recognised && pc_content_damage(&j->content) != 0) {
        say_findings(j, output);
        say(j->how, output, "not written", "without what was left out it is not sound");
        result = PC_REFUSED;
    } else if (doubt == DOUBT_LATE_ATTR && (!pc_content_is_whole(&j->content) || differs(j, doubt, place))) {
        result = PC_REFUSED;
    } else if (!pc_content_is_whole(&j->content)) {
        say(j->how, output, "not written", "the copy is not sound; this is a defect of perfcheck:");
        refuse(j, output);
        result = PC_TROUBLE;
    } else if (differs(j, doubt, place)) {
        say(j->how, output, "not written: the copy has another content; this is a defect of perfcheck",
            place);
        result = PC_TROUBLE;
    }
    close_scan(j);
    return result;
}

/* A copy of the kernel has no place in a file. */
static void refuse_kcore(struct job *j)
{
    const struct pc_directory *dir = &j->scan.reader.directory;
    for (size_t i = 0; i < dir->nr; i++) {
        struct pc_finding f = { .id = PC_D_REWRITE_KCORE, .place = PC_AT_END };
        f.where.member = dir->member[i].name;
        if (dir->member[i].kind == PC_MEMBER_KCORE)
            pc_content_refuse(&j->content, &f, "kcore");
    }
}

const char *pc_why_not_written(int error)
{
    if (error == EEXIST)
        return "it exists (--force replaces it)";
    if (error == PC_IS_INPUT)
        return "it is an input, lies in one, or holds one; inputs are never written";
    if (error == ECANCELED)
        return "the program that takes it refused";
    if (error == ESPIPE) /* of a stream of ours: see pc_sink_stream */
        return "what came later changes what precedes the records, and a stream cannot go back "
               "(leave out --no-verify)";
    return pc_text_error(error);
}

static void say_not_written(struct job *j, const char *output, int error)
{
    say(j->how, name_of(output), "cannot be written", pc_why_not_written(error));
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
        say(j->how, "standard output", "takes a pipe: give --to=pipe", NULL);
        return PC_TROUBLE;
    }
    if (!j->how->with_kcore)
        refuse_kcore(j);
    pc_content_set_order(&j->content, wanted_order(j->how->order, j->scan.capture.order));
    bool pipe = j->how->to == PC_TO_KEEP ? j->scan.capture.is_pipe : j->how->to == PC_TO_PIPE;
    pc_writer_init(&writer, &j->content, sink, pipe ? PC_CONTAINER_PIPE : PC_CONTAINER_FILE);
    pc_writer_compress(&writer, j->how->compression, j->how->level);
    for (;;) {
        pc_content_next(&j->content, &item);
        if (item.kind == PC_CONTENT_END)
            break;
        pc_writer_put(&writer, &item);
        if (sink->error) /* the rest may be long in coming */
            break;
    }
    enum pc_rewritten result = PC_WRITTEN;
    bool done = !sink->error && pc_content_is_whole(&j->content) && pc_writer_end(&writer);
    if (!done && !sink->error)
        result = refuse(j, input);
    if (sink->error) {
        pc_progress_end(j->scan.progress);
        say_not_written(j, output, sink->error);
        result = PC_TROUBLE;
    }
    pc_writer_clear(&writer);
    return result;
}

static bool has_loss(const struct job *j, const char *name)
{
    for (size_t i = 0; i < j->content.nr_losses; i++) {
        if (strcmp(j->content.loss[i].name, name) == 0)
            return true;
    }
    return false;
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

/* What the user should know of a copy that was written. */
static void say_losses(struct job *j, const char *input)
{
    char text[PC_LOSS_NAME_MAX + 64];
    say_findings(j, input);
    for (size_t i = 0; i < j->content.nr_losses; i++) {
        const struct pc_loss *loss = &j->content.loss[i];
        snprintf(text, sizeof(text), "%s, %" PRIu64 " time%s, first at 0x%" PRIx64, loss->name, loss->count,
                 loss->count == 1 ? "" : "s", loss->offset);
        say(j->how, input, "left out", text);
    }
    if (j->content.more_losses != 0) {
        snprintf(text, sizeof(text), "%" PRIu64 " more", j->content.more_losses);
        say(j->how, input, "left out", text);
    }
    for (size_t i = 0; i < j->how->drops.nr; i++) {
        if (!has_loss(j, j->how->drops.name[i]) && j->content.more_losses == 0)
            say(j->how, j->how->drops.name[i], "nothing of that name had to be left out", NULL);
    }
}

/* Nothing is read again; bytes for standard output can leave at once. */
static bool is_unverified(const struct job *j)
{
    return j->how->no_verify && j->how->reader == PC_BY_NONE;
}

/* Opens what is written to. What goes to standard output is in a file without a name until all is there
 * and verified. */
static int open_sink(struct job *j, struct pc_sink *sink, struct pc_mem *mem, const char *output)
{
    const struct pc_inputs inputs = { &j->scan.in.fd, 1 };
    if (!output)
        return pc_sink_scratch(sink, mem, NULL);
    if (!is_stdout(output))
        return pc_sink_create(sink, mem, output, j->how->force, mode_of_input(j), &inputs);
    int error = pc_guard_file(STDOUT_FILENO, &inputs);
    if (error)
        return error;
    return is_unverified(j) ? pc_sink_stream(sink, mem, STDOUT_FILENO) : pc_sink_scratch(sink, mem, NULL);
}

static int write_to_stdout(void *ctx, const void *bytes, size_t n)
{
    (void)ctx;
    return pc_io_write(STDOUT_FILENO, PC_IO_STREAM, bytes, n);
}

/* All of a scratch sink, which is closed. Returns 0 or an errno. */
static int hand_over(struct pc_sink *sink, int (*take)(void *ctx, const void *bytes, size_t n), void *ctx)
{
    unsigned char chunk[16384];
    int error = 0;
    for (uint64_t at = 0; at < sink->size && error == 0;) {
        size_t n = sink->size - at < sizeof(chunk) ? (size_t)(sink->size - at) : sizeof(chunk);
        /* All of this is in the sink. */
        error = pc_sink_get(sink, at, chunk, n) ? take(ctx, chunk, n) : sink->error;
        at += n;
    }
    pc_sink_discard(sink);
    return error;
}

/* What j->scan.in has, into the sink and read again; the scan is closed. */
static enum pc_rewritten write_and_verify(struct job *j, struct pc_sink *sink, const char *input,
                                          const char *output)
{
    pc_content_init(&j->content, &j->scan, PC_LITTLE, true, &j->how->drops);
    j->content.beside = sink->scratch || sink->stream ? NULL : sink;
    j->content.reader = pc_version_knows(j->how->reader);
    enum pc_rewritten result = copy(j, sink, input, output);
    uint64_t late_attr = j->content.late_attr;
    bool late = late_attr != PC_NO_INDEX;
    enum doubt doubt = late                                   ? DOUBT_LATE_ATTR
                       : !sink->stream && has_loss_of_need(j) ? DOUBT_LEFT_OUT
                                                              : DOUBT_NONE;
    bool verbatim = j->scan.capture.order == PC_LITTLE && j->content.own.to == PC_LITTLE &&
                    doubt == DOUBT_NONE && j->how->reader == PC_BY_NONE;
    uint64_t late_at = late ? j->content.attr[late_attr].offset : 0;
    if (result == PC_WRITTEN) {
        j->wanted = *pc_content_parts(&j->content);
        say_losses(j, input);
    }
    close_scan(j);
    if (result != PC_WRITTEN || (is_unverified(j) && doubt == DOUBT_NONE))
        return result;
    if (sink->stream) { /* all of it is in the buffer still, but cannot be read again there */
        say_not_written(j, output, ESPIPE);
        return PC_TROUBLE;
    }
    result = verify(j, sink, output, verbatim, doubt);
    return late && result == PC_REFUSED ? refuse_late_attr(j, input, late_attr, late_at) : result;
}

enum pc_rewritten pc_rewrite_into(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                  struct pc_sink *sink, const char *output)
{
    struct job *j = new_job(r, input);
    struct pc_input own = *in;
    if (!j) {
        pc_input_close(&own);
        return PC_TROUBLE;
    }
    open_scan(j, PC_BY_NONE, "rewriting");
    j->scan.in = own;
    enum pc_rewritten result = write_and_verify(j, sink, input, output);
    free_job(j);
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
        error = hand_over(&sink, j->how->take, j->how->take_ctx);
    else
        error = sink.scratch ? hand_over(&sink, write_to_stdout, NULL) : pc_sink_commit(&sink);
    if (error)
        say_not_written(j, output, error);
    return error ? PC_TROUBLE : PC_WRITTEN;
}

/* in is NULL: the input is to be opened by its name. */
static enum pc_rewritten rewrite(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                 const char *output)
{
    struct job *j = new_job(r, input);
    enum pc_rewritten result;
    if (!j)
        return PC_TROUBLE;
    open_scan(j, PC_BY_NONE, "rewriting");
    if (in)
        j->scan.in = *in;
    if (in || pc_scan_open(&j->scan, input)) {
        result = rewrite_open(j, input, output);
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

enum pc_rewritten pc_rewrite_path(const struct pc_rewrite *r, const char *input, const char *output)
{
    return rewrite(r, NULL, input, output);
}

enum pc_rewritten pc_rewrite_input(const struct pc_rewrite *r, const struct pc_input *in, const char *input,
                                   const char *output)
{
    return rewrite(r, in, input, output);
}
