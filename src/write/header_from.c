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
    unsigned char *bytes; /* all before the data; room of them */
    uint64_t len, room;
    enum pc_order order;
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
    t->len = walk.slot[PC_HEAD_DATA_OFFSET];
    if (t->len > HEADER_MAX)
        return "its data begin too late";
    t->bytes = pc_alloc_buffer(mem, t->len);
    t->room = t->bytes ? t->len : 0;
    *error = t->bytes ? 0 : ENOMEM;
    if (*error == 0 && pc_input_read_at(file, 0, t->bytes, t->len) != t->len) {
        *error = file->error;
        return "it is cut";
    }
    return NULL;
}

/* Whether bytes of the header are about this file alone: where its data end, and its features. */
static bool is_its_own(uint64_t at)
{
    const uint64_t size_at = pc_row_at(pc_file_header, PC_HEAD_DATA_SIZE);
    return (at >= size_at && at < size_at + 8) ||
           (at >= pc_row_at(pc_file_header, PC_HEAD_FEATURES) && at < PC_FILE_HEADER_SIZE);
}

/* Puts what was taken before the data of `in`. Returns why it does not fit. */
static const char *fit(struct taken *t, struct pc_input *in)
{
    unsigned char chunk[4096], head[PC_RECORD_HEADER_SIZE];
    for (uint64_t at = 0; at < t->len; at += sizeof(chunk)) {
        const size_t want = t->len - at < sizeof(chunk) ? t->len - at : sizeof(chunk);
        if (in->kind != PC_INPUT_FILE || pc_input_read_at(in, at, chunk, want) != want)
            return in->kind == PC_INPUT_DIRECTORY ? "the capture is a directory"
                                                  : "the capture ends before its data";
        for (size_t i = 0; i < want; i++) {
            if (is_its_own(at + i))
                t->bytes[at + i] = chunk[i];
            else if (chunk[i] != 0 && chunk[i] != t->bytes[at + i])
                return "the capture has other bytes there";
        }
    }
    if (pc_input_read_at(in, t->len, head, sizeof(head)) != sizeof(head))
        return "the capture has no data";
    const struct pc_record_head first = pc_load_head(head, t->order);
    const struct pc_record_info *info = pc_record_info(first.type);
    return info && first.size >= info->min ? NULL : "no record of the capture begins where its data do";
}

/* Takes the header of a file. Returns why it is not taken; NULL: it is, or there is an error. */
static const char *take(struct taken *t, struct pc_input *file, struct pc_input *in, struct pc_mem *mem,
                        int *error)
{
    const char *wrong = read_header(t, file, mem, error);
    if (*error == 0 && !wrong) {
        wrong = fit(t, in);
        *error = in->error;
    }
    return *error == 0 ? wrong : pc_output_file_error_text(*error);
}

enum pc_rewritten pc_header_take(const struct pc_rewrite *how, struct pc_input *in, struct pc_mem *mem,
                                 const char *input, const char *output)
{
    struct taken t = { 0 };
    struct pc_input file;
    char text[64];
    if (!how->header_from)
        return PC_WRITTEN;
    int error = pc_input_open(&file, how->header_from);
    if (error == 0 && !pc_output_may_appear(how, &file, output)) {
        pc_input_close(&file);
        return PC_TROUBLE;
    }
    const char *wrong = error == 0 ? take(&t, &file, in, mem, &error) : pc_output_file_error_text(error);
    pc_input_close(&file);
    if (wrong)
        pc_rewrite_say(how, how->header_from, "no header can be taken from it", wrong);
    else {
        in->pos = t.len;
        error = pc_input_spool(in, mem, (struct pc_span){ t.bytes, t.len }, how->limits.spool);
        snprintf(text, sizeof(text), "the header and attrs (%" PRIu64 " bytes) come from", t.len);
        if (error)
            pc_job_say_error(how, input, "cannot be stored", error);
        else
            pc_rewrite_say(how, input, text, how->header_from);
    }
    pc_free(mem, t.bytes, t.room);
    return error ? PC_TROUBLE : wrong ? PC_REFUSED : PC_WRITTEN;
}
