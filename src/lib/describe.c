/* SPDX-License-Identifier: MIT */
#include "lib/describe.h"
#include "base/text.h"
#include "format/tables.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* --- pieces of text --- */

const char *pc_buffer_init(struct pc_buffer *b)
{
    b->text[0] = 0;
    b->len = 0;
    return b->text;
}

void pc_put(struct pc_buffer *b, const char *text)
{
    size_t n = strlen(text), room = sizeof(b->text) - 1 - b->len;
    n = n < room ? n : room;
    memcpy(b->text + b->len, text, n);
    b->len += n;
    b->text[b->len] = 0;
}

void pc_put_format(struct pc_buffer *b, const char *format, ...)
{
    char text[64];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    pc_put(b, text);
}

void pc_put_value(struct pc_buffer *b, const struct pc_value *v, bool plain)
{
    char escaped[PC_ESCAPED_MAX(PC_VALUE_MAX)];
    switch (v->kind) {
    case PC_V_NONE:
        break;
    case PC_V_UINT:
        pc_put_format(b, "%" PRIu64, v->n);
        break;
    case PC_V_HEX:
        pc_put_format(b, "0x%" PRIx64, v->n);
        break;
    case PC_V_TEXT:
        pc_put_escaped(b, v->text, plain);
        break;
    case PC_V_BYTES:
        pc_text_escape((struct pc_span){ v->bytes, v->len }, plain, escaped);
        pc_put(b, escaped);
        break;
    }
}

void pc_put_steps(struct pc_buffer *b, const struct pc_step *path, size_t depth)
{
    for (size_t i = 0; i < depth; i++) {
        if (i > 0)
            pc_put(b, ".");
        pc_put(b, path[i].name);
        if (path[i].index != PC_NO_INDEX)
            pc_put_format(b, "[%" PRIu64 "]", path[i].index);
    }
}

/* The feature that the finding is about. */
static void put_feature(struct pc_buffer *b, const struct pc_finding *f)
{
    if (f->subject)
        pc_put(b, f->subject);
    else
        pc_put_format(b, "%" PRIu64, f->number);
}

void pc_put_path(struct pc_buffer *b, const struct pc_finding *f)
{
    static const char *const places[] = { "header", "attrs", "features.", "records", "capture" };
    pc_put(b, places[f->place]);
    if (f->place == PC_IN_FEATURE)
        put_feature(b, f);
    else if (f->place == PC_IN_ATTR || f->place == PC_IN_RECORD)
        pc_put_format(b, "[%" PRIu64 "]", f->number);
    if (f->depth > 0)
        pc_put(b, ".");
    pc_put_steps(b, f->path, f->depth);
}

/* What the finding is about, as people say it. */
static void put_about(struct pc_buffer *b, const struct pc_finding *f)
{
    if (f->place == PC_IN_HEADER || f->place == PC_AT_END)
        return;
    if (f->place == PC_IN_FEATURE) {
        pc_put(b, "feature ");
        put_feature(b, f);
    } else {
        pc_put_format(b, f->place == PC_IN_ATTR ? "attr #%" PRIu64 : "record #%" PRIu64, f->number);
    }
    if (f->place == PC_IN_RECORD && f->subject) {
        pc_put(b, " ");
        pc_put(b, f->subject);
    }
    if (f->place == PC_IN_RECORD && f->where.inside)
        pc_put_format(b, " in #%" PRIu64, f->where.wrapper);
    pc_put(b, ": ");
}

/* Words that follow numbers in messages, and what they are after 1. Some do not change, but others follow
 * them. */
static const char *const singular[][2] = {
    { "bytes", "byte" },
    { "entries", "entry" },
    { "kinds", "kind" },
    { "records", "record" },
    { "samples", "sample" },
    { "attrs", "attr" },
    { "ids", "id" },
    { "types", "type" },
    { "namespaces", "namespace" },
    { "are", "is" },
    { "were", "was" },
    { "do", "does" },
    { "belong", "belongs" },
    { "follow", "follows" },
    { "that", "that" },
    { "event", "event" },
    { "unused", "unused" },
    { "of", "of" },
    { "the", "the" },
    { "features", "features" },
    { "zero", "zero" },
    { "AUXTRACE", "AUXTRACE" },
};

/* The words of a message after a 1, as far as they change with the number. Returns where the rest begins. */
static const char *put_singular(struct pc_buffer *b, const char *text)
{
    for (size_t i = 0; *text == ' ' && i < PC_COUNT_OF(singular); i++) {
        size_t len = strlen(singular[i][0]);
        if (strncmp(text + 1, singular[i][0], len) != 0 || isalnum((unsigned char)text[1 + len]))
            continue;
        pc_put_format(b, " %s", singular[i][1]);
        text += 1 + len;
        i = SIZE_MAX; /* the next word */
    }
    return text;
}

static void put_statement(struct pc_buffer *b, const struct pc_finding *f, bool plain)
{
    for (const char *t = pc_diag_info(f->id)->message; *t; t++) {
        if (t[0] == '{' && t[1] && t[2] == '}') {
            const struct pc_value *value = t[1] == 's' ? &f->seen : &f->expected;
            if (t[1] == 'f')
                pc_put_steps(b, f->path, f->depth);
            else
                pc_put_value(b, value, plain);
            t += 2;
            if (t[-1] != 'f' && value->kind == PC_V_UINT && value->n == 1)
                t = put_singular(b, t + 1) - 1;
        } else {
            pc_put(b, (const char[]){ *t, 0 });
        }
    }
}

void pc_put_template(struct pc_buffer *b, const struct pc_diag_info *info)
{
    for (const char *t = info->message; *t; t++) {
        bool value = t[0] == '{' && t[1] && t[2] == '}';
        pc_put(b, value ? "..." : (const char[]){ *t, 0 });
        t += value ? 2 : 0;
    }
}

const char *pc_put_message(struct pc_buffer *b, const struct pc_finding *f, bool plain)
{
    put_about(b, f);
    const char *statement = b->text + b->len;
    put_statement(b, f, plain);
    return statement;
}

size_t pc_escape_some(const char *text, bool plain, char *to, size_t size)
{
    size_t most = (size - 1) / 4, n = strnlen(text, most + 1);
    if (n > most) {
        n = most;
        /* Not in the middle of a UTF-8 sequence. */
        while (n > most - 6 && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        /* Nor between a backslash and what follows it. */
        n -= text[n - 1] == '\\';
    }
    pc_text_escape((struct pc_span){ (const unsigned char *)text, n }, plain, to);
    return n;
}

void pc_put_escaped(struct pc_buffer *b, const char *text, bool plain)
{
    char piece[PC_ESCAPED_MAX(256)];
    while (text && *text) {
        text += pc_escape_some(text, plain, piece, sizeof(piece));
        pc_put(b, piece);
    }
}

bool pc_refuse(struct pc_buffer *why, const char *what, const char *value, const char *like)
{
    pc_buffer_init(why);
    pc_put(why, what);
    pc_put(why, value ? " " : "");
    pc_put_escaped(why, value && *value == 0 ? "''" : value ? value : "", true);
    pc_put(why, like ? "; did you mean " : "");
    pc_put(why, like ? like : "");
    pc_put(why, like ? "?" : "");
    return false;
}

void pc_put_stream(struct pc_buffer *b, const struct pc_where *where, bool plain)
{
    pc_put_escaped(b, where->member ? where->member : "data", plain);
    if (where->inside)
        pc_put_format(b, "/records[%" PRIu64 "]", where->wrapper);
}
