/* SPDX-License-Identifier: MIT */
#include "write/outputs.h"
#include "base/text.h"
#include "bytes/io.h"
#include "write/content.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pc_output_stdout(void *ctx, const void *bytes, size_t n)
{
    (void)ctx;
    return pc_io_write(STDOUT_FILENO, PC_IO_STREAM, bytes, n);
}

bool pc_output_is_stdout(const char *output)
{
    return output && strcmp(output, "-") == 0;
}

const char *pc_output_name(const char *output)
{
    return !output ? "the copy" : pc_output_is_stdout(output) ? "standard output" : output;
}

int pc_output_hand_over(struct pc_sink *sink, int (*take)(void *ctx, const void *bytes, size_t n), void *ctx)
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

int pc_output_put(void *ctx, const void *bytes, size_t n)
{
    struct pc_sink *sink = ctx;
    pc_sink_put(sink, bytes, n);
    return sink->error;
}

mode_t pc_output_mode(const struct pc_input *in)
{
    struct stat st;
    return fstat(in->fd, &st) == 0 && S_ISREG(st.st_mode) ? st.st_mode & 0777 : 0600;
}

int pc_output_reopen(struct pc_sink *sink)
{
    if (pc_sink_flush(sink) != 0)
        return -sink->error;
    int fd = fcntl(sink->target.fd, F_DUPFD_CLOEXEC, 0);
    if (fd >= 0 && lseek(fd, 0, SEEK_SET) == 0)
        return fd;
    int error = errno;
    if (fd >= 0)
        close(fd);
    return -error;
}

void pc_output_say_cut(const struct pc_rewrite *r, const char *input, uint64_t cut)
{
    char text[64];
    snprintf(text, sizeof(text), "%" PRIu64 " bytes of it are left out", cut);
    pc_rewrite_say(r, input, "the stream ends inside a record", text);
}

enum pc_rewritten pc_output_say_defect(const struct pc_rewrite *r, const char *output, const char *what,
                                       const char *place)
{
    char text[128];
    snprintf(text, sizeof(text), "not written: %s; this is a defect of perfcheck", what);
    pc_rewrite_say(r, output, text, place);
    return PC_TROUBLE;
}

static bool is_like(const struct pc_lost *a, const struct pc_lost *b)
{
    bool one_line = a->place == PC_IN_HEADER || (a->place == PC_IN_FEATURE && a->how == PC_LOST_OUT);
    return one_line && a->place == b->place && a->how == b->how && a->why == b->why &&
           strcmp(a->member, b->member) == 0;
}

/* Number i and what is like it among the words or features next to it, which one line names; false: an
 * earlier line did. names: of all these features. */
static bool join_like(const struct pc_losses *l, size_t i, struct pc_lost *joined, char *names, size_t size)
{
    char name[PC_LOSS_NAME_MAX];
    size_t n = 0;
    *joined = l->lost[i];
    names[0] = 0;
    for (size_t k = i; k > 0 && l->lost[k - 1].place == joined->place; k--) {
        if (is_like(&l->lost[k - 1], joined))
            return false;
    }
    if (!is_like(joined, joined))
        return true;
    for (size_t k = i; k < l->nr && l->lost[k].place == joined->place; k++) {
        if (!is_like(&l->lost[k], joined))
            continue;
        joined->records++;
        joined->size += k != i ? l->lost[k].size : 0;
        pc_content_name_feature(l->lost[k].number, name, sizeof(name));
        if (joined->place == PC_IN_FEATURE && n < size)
            n += (size_t)snprintf(names + n, size - n, "%s%s", k != i ? ", " : "", strchr(name, ':') + 1);
    }
    return true;
}

/* Members of a directory that are left out: nobody knows how many records they had. */
static uint64_t count_missing(const struct pc_losses *l)
{
    uint64_t nr = 0;
    for (size_t i = 0; i < l->nr; i++)
        nr += pc_lost_is_member(l->lost[i].why) ? l->lost[i].records : 0;
    return nr;
}

/* What became of the records, so that it adds up: those of the copy are the rest. */
void pc_output_say_saved(const struct pc_rewrite *r, const char *input, const struct pc_losses *l,
                         const struct pc_saved *saved)
{
    const struct {
        uint64_t nr;
        const char *what;
    } others[] = {
        { saved->moved, "became attrs and features" },
        { saved->merged, "made one with others of attrs and features" },
        { saved->made, "made of attrs and features" },
        { saved->unneeded, "not needed in the copy" },
    };
    char text[PC_LOST_TEXT];
    int n =
        snprintf(text, sizeof(text), "%" PRIu64 " record%s", saved->records, pc_lost_plural(saved->records));
    for (size_t i = 0; i < PC_COUNT_OF(others); i++) {
        if (others[i].nr != 0)
            n += snprintf(text + n, sizeof(text) - (size_t)n, "; %s: %" PRIu64 " record%s", others[i].what,
                          others[i].nr, pc_lost_plural(others[i].nr));
    }
    n += snprintf(text + n, sizeof(text) - (size_t)n, "; left out: ");
    const bool only_bytes = l->records == 0 && l->bytes != 0; /* which may be of any number of records */
    const uint64_t missing = count_missing(l);
    const bool none = l->records == 0 && l->bytes == 0;
    if (none)
        n += snprintf(text + n, sizeof(text) - (size_t)n, missing != 0 ? "all" : "no record");
    else if (!only_bytes)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%" PRIu64 " record%s", l->records,
                      pc_lost_plural(l->records));
    if (l->packed_records != 0)
        n += snprintf(text + n, sizeof(text) - (size_t)n, ", %" PRIu64 " of them compressed",
                      l->packed_records);
    if (l->bytes != 0)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s%" PRIu64 " byte%s that belong%s to %s",
                      only_bytes ? "" : ", and ", l->bytes, pc_lost_plural(l->bytes),
                      l->bytes == 1 ? "s" : "", only_bytes ? "no whole record" : "none");
    if (missing != 0)
        snprintf(text + n, sizeof(text) - (size_t)n, "%s of %" PRIu64 " missing member%s",
                 none ? "" : ", and all", missing, pc_lost_plural(missing));
    pc_rewrite_say(r, input, "saved", text);
}

bool pc_output_say_lost(const struct pc_rewrite *r, const char *input, struct pc_losses *l,
                        const struct pc_saved *saved)
{
    char text[PC_LOST_TEXT], names[1024], all[PC_LOST_TEXT + sizeof(names) + 8];
    for (size_t i = 0; i < l->nr; i++) {
        struct pc_lost lost;
        if (!join_like(l, i, &lost, names, sizeof(names)))
            continue;
        pc_lost_text(&lost, text);
        bool many = lost.place == PC_IN_FEATURE && lost.records > 1;
        snprintf(all, sizeof(all), "%s%s%s", text, many ? ": " : "", many ? names : "");
        pc_rewrite_say(r, input, pc_lost_how(&lost), all);
    }
    if (l->more != 0) {
        snprintf(text, sizeof(text), "%" PRIu64 " more", l->more);
        pc_rewrite_say(r, input, "left out", text);
    }
    return !r->callbacks.salvaged || r->callbacks.salvaged(r->callbacks.ctx, l, saved);
}

void pc_output_say_once(const struct pc_rewrite *r, const char *input, bool may_salvage)
{
    if (!r->keep_partial)
        pc_rewrite_say(
            r, input, "a stream comes once",
            may_salvage ? "give --salvage to copy what is sound of it, --keep-partial=FILE to keep its bytes"
                        : "give --keep-partial=FILE to keep its bytes");
}

bool pc_output_may_appear(const struct pc_rewrite *r, const struct pc_inputs *inputs, const char *output)
{
    struct pc_mem mem;
    struct pc_sink sink;
    pc_mem_init(&mem, (uint64_t)8 << 20);
    if (!output || pc_output_is_stdout(output))
        return true;
    int error = pc_sink_create(&sink, &mem, output, r->force, 0600, inputs);
    pc_sink_discard(&sink);
    if (error)
        pc_rewrite_say(r, output, "cannot be written", pc_output_error_text(error));
    return error == 0;
}

bool pc_partial_open(struct pc_partial *p, const struct pc_rewrite *r, struct pc_input *in)
{
    const struct pc_inputs inputs = { &in->fd, 1 };
    pc_mem_init(&p->mem, (uint64_t)8 << 20);
    p->sink.target = PC_TARGET_CLOSED;
    p->open = r->keep_partial && in->kind == PC_INPUT_STREAM;
    if (!p->open)
        return true;
    int error = pc_sink_create(&p->sink, &p->mem, r->keep_partial, false, 0600, &inputs);
    if (error)
        pc_rewrite_say(r, r->keep_partial, "cannot be written", pc_output_file_error_text(error));
    in->tee = &p->sink;
    return error == 0;
}

enum pc_rewritten pc_partial_close(struct pc_partial *p, const struct pc_rewrite *r, enum pc_rewritten result,
                                   bool whole)
{
    char text[64];
    if (!p->open)
        return result;
    if (whole || p->sink.size == 0) { /* or nothing came */
        pc_sink_discard(&p->sink);
        return result;
    }
    snprintf(text, sizeof(text), "%" PRIu64 " bytes of the stream", p->sink.size);
    int error = pc_sink_commit(&p->sink);
    if (error)
        pc_rewrite_say(r, r->keep_partial, "cannot be written", pc_output_file_error_text(error));
    else
        pc_rewrite_say(r, r->keep_partial, "kept", text);
    return error ? PC_TROUBLE : result;
}
