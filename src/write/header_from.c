/* SPDX-License-Identifier: MIT */
#include "write/header_from.h"

#include "bytes/cursor.h"
#include "format/tables.h"
#include "read/capture.h"
#include "write/outputs.h"
#include "write/rewrite_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Each event on each CPU has an id of 8 bytes: this is room for 500 events on 1,024 of them. */
#define HEADER_MAX ((uint64_t)4 << 20)

struct taken {
    unsigned char *bytes; /* all before the data; NULL: there is nothing yet */
    uint64_t len, attrs_at, attrs_end;
    enum pc_order order;
    char why[160]; /* it cannot be taken */
};

/* Reads what is before the data. Returns why it cannot be taken; NULL: it can, or there is an error. */
static const char *read_header(struct taken *t, struct pc_input *file, struct pc_mem *mem, int *error)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    const size_t have = file->kind == PC_INPUT_FILE ? pc_input_read_at(file, 0, head, sizeof(head)) : 0;
    *error = file->error;
    if (*error)
        return NULL;
    if (have != sizeof(head) || !pc_is_magic(head) || memcmp(head, PC_MAGIC_1, 8) == 0)
        return "it is no perf.data file";
    t->order = memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    struct pc_cursor c = pc_cursor((struct pc_span){ head, sizeof(head) }, t->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    uint64_t end;
    if (!pc_walk_table(&walk, pc_file_header) || walk.slot[PC_HEAD_SIZE] != PC_FILE_HEADER_SIZE ||
        !pc_add(walk.slot[PC_HEAD_ATTRS_OFFSET], walk.slot[PC_HEAD_ATTRS_SIZE], &end) ||
        end <= PC_FILE_HEADER_SIZE || end > walk.slot[PC_HEAD_DATA_OFFSET])
        return "its header does not say that attrs are before the data";
    t->attrs_at = walk.slot[PC_HEAD_ATTRS_OFFSET];
    t->attrs_end = end;
    t->len = walk.slot[PC_HEAD_DATA_OFFSET];
    if (t->len > HEADER_MAX)
        return "its data begin too late";
    t->bytes = pc_alloc_buffer(mem, t->len);
    *error = t->bytes ? 0 : ENOMEM;
    if (*error == 0 && pc_input_read_at(file, 0, t->bytes, t->len) != t->len) {
        *error = file->error;
        return "it is cut";
    }
    return NULL;
}

/* The bytes of the header that are about a file alone: where its data end, and its features. */
static void keep_own(struct taken *t, const unsigned char *head)
{
    const size_t size_at = pc_row_at(pc_file_header, PC_HEAD_DATA_SIZE),
                 bits_at = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    memcpy(t->bytes + size_at, head + size_at, 8);
    memcpy(t->bytes + bits_at, head + bits_at, PC_FILE_HEADER_SIZE - bits_at);
}

struct place {
    uint64_t at;
    const char *name; /* of what is there; NULL: that is not known */
};

static bool find_word(void *ctx, const struct pc_leaf *leaf)
{
    struct place *place = ctx;
    if (leaf->at <= place->at)
        place->name = leaf->field->name;
    return leaf->at <= place->at;
}

/* Says which byte of the capture is the first that is another one. */
static const char *say_other(struct taken *t, uint64_t at)
{
    struct place place = { at, at >= t->attrs_at && at < t->attrs_end ? "attrs" : NULL };
    struct pc_cursor c = pc_cursor((struct pc_span){ t->bytes, PC_FILE_HEADER_SIZE }, t->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, find_word, &place);
    if (at < PC_FILE_HEADER_SIZE)
        pc_walk_table(&walk, pc_file_header);
    snprintf(t->why, sizeof(t->why), "the capture has other bytes there, the first at 0x%" PRIx64 "%s%s%s",
             at, place.name ? " (" : "", place.name ? place.name : "", place.name ? ")" : "");
    return t->why;
}

/* Whether the capture goes on behind what was taken, which gets its own words. Returns why not. */
static const char *fit(struct taken *t, struct pc_input *in)
{
    unsigned char chunk[4096], head[PC_RECORD_HEADER_SIZE];
    if (in->kind != PC_INPUT_FILE)
        return "the capture is a directory";
    for (uint64_t at = 0; at < t->len; at += sizeof(chunk)) {
        const size_t want = t->len - at < sizeof(chunk) ? (size_t)(t->len - at) : sizeof(chunk);
        if (pc_input_read_at(in, at, chunk, want) != want)
            return "the capture ends before its data";
        if (at == 0)
            keep_own(t, chunk);
        for (size_t i = 0; i < want; i++) {
            if (chunk[i] != 0 && chunk[i] != t->bytes[at + i])
                return say_other(t, at + i);
        }
    }
    if (pc_input_read_at(in, t->len, head, sizeof(head)) != sizeof(head))
        return "the capture has no data";
    const struct pc_record_head first = pc_load_head(head, t->order);
    const struct pc_record_info *info = pc_record_info(first.type);
    return info && first.size >= info->min ? NULL : "no record of the capture begins where its data do";
}

/* An error in what is taken, or a difference between that and EVENT_DESC, is damage of it. */
static void take_harm(void *ctx, const struct pc_finding *f)
{
    static const enum pc_diag differs[] = { PC_D_EVENT_DESC_DIFFERS, PC_D_EVENT_DESC_IDS };
    struct taken *t = ctx;
    const size_t own_at = pc_row_at(pc_file_header, PC_HEAD_DATA_OFFSET),
                 own_end = pc_row_at(pc_file_header, PC_HEAD_TYPES_OFFSET),
                 bits_at = pc_row_at(pc_file_header, PC_HEAD_FEATURES);
    const bool is_own = (f->offset >= own_at && f->offset < own_end) ||
                        (f->offset >= bits_at && f->offset < PC_FILE_HEADER_SIZE);
    const bool is_of_it =
        f->place == PC_IN_ATTR || (f->place == PC_IN_HEADER && f->offset < t->len && !is_own);
    if (t->why[0] == 0 && ((f->severity == PC_ERROR && is_of_it && !pc_diag_is_cause(f->id)) ||
                           pc_diag_is_one_of(f->id, differs, PC_COUNT_OF(differs))))
        snprintf(t->why, sizeof(t->why),
                 "it is damaged itself, at 0x%" PRIx64
                 " (%s %s; 'perfcheck check' shows all): give another file "
                 "of the recording",
                 f->offset, pc_diag_info(f->id)->id, pc_diag_info(f->id)->name);
}

/* Checks the file up to its first record. Returns why its header is not taken; NULL: it is sound. */
static const char *judge(struct pc_job *j, struct taken *t, int *error)
{
    struct pc_item item;
    j->scan.in = j->header;
    j->scan.in.owns_fd = false;
    j->scan.report.on_finding = take_harm;
    j->scan.report.ctx = t;
    while (t->why[0] == 0 && pc_scan_next(&j->scan, &item) && item.kind != PC_ITEM_RECORD)
        ;
    if (j->scan.report.unreadable)
        *error = j->scan.in.error ? j->scan.in.error : ENOMEM;
    pc_job_close_scan(j);
    pc_job_open_scan(j, PC_BY_NONE, "rewriting");
    return t->why[0] != 0 ? t->why : NULL;
}

static bool refuse(const struct pc_rewrite *how, const char *why)
{
    pc_rewrite_say(how, how->header_from, "no header can be taken from it", why);
    return false;
}

bool pc_header_open(struct pc_input *file, const struct pc_rewrite *how)
{
    *file = (struct pc_input){ .fd = -1 };
    const int error = how->header_from ? pc_input_open(file, how->header_from) : 0;
    return error == 0 || refuse(how, pc_output_file_error_text(error));
}

/* Has the capture begin with what was taken. Returns 0 or an errno. */
static int put_before(struct pc_job *j, const struct taken *t, struct pc_input *in, struct pc_mem *mem)
{
    struct pc_input stored = *in;
    stored.owns_fd = false;
    stored.pos = t->len;
    const int error =
        pc_input_store(&stored, mem, (struct pc_span){ t->bytes, t->len }, j->how->limits.spool);
    if (error == 0) {
        j->headless = *in;
        *in = stored;
    }
    return error;
}

bool pc_header_take(struct pc_job *j, struct pc_input *in, struct pc_mem *mem, const char *input,
                    enum pc_rewritten *result)
{
    struct taken t = { .bytes = NULL };
    char text[64];
    int error = 0;
    if (j->header.fd < 0)
        return true;
    const char *wrong = read_header(&t, &j->header, mem, &error);
    if (!error && !wrong)
        wrong = fit(&t, in);
    if (!error && !wrong)
        wrong = judge(j, &t, &error);
    if (error)
        wrong = pc_output_file_error_text(error);
    const int of_capture = wrong ? in->error : put_before(j, &t, in, mem);
    pc_free(mem, t.bytes, t.len);
    *result = error || of_capture ? PC_TROUBLE : PC_REFUSED;
    if (of_capture)
        pc_job_say_error(j->how, input, "cannot be stored", of_capture);
    else if (wrong)
        refuse(j->how, wrong);
    else {
        snprintf(text, sizeof(text), "the header and attrs (%" PRIu64 " bytes) come from", t.len);
        pc_rewrite_say(j->how, input, text, j->how->header_from);
    }
    return !wrong && !of_capture;
}
