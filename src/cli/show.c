/* SPDX-License-Identifier: MIT
 *
 * Escaped text, and JSON that is printed member by member.
 */
#include "cli/show.h"

#include <inttypes.h>
#include <stdlib.h>

void pc_print_escaped(FILE *out, const char *text)
{
    struct pc_buffer b;
    pc_buffer_init(&b);
    pc_put_escaped(&b, text, true);
    fputs(b.text, out);
}

/* --- JSON --- */

json_t *pc_json_number(uint64_t n)
{
    char digits[24];
    if (n <= PC_JSON_EXACT)
        return json_integer((json_int_t)n);
    snprintf(digits, sizeof(digits), "%" PRIu64, n);
    return json_string(digits);
}

json_t *pc_json_string(const char *text)
{
    struct pc_buffer b;
    pc_buffer_init(&b);
    pc_put_escaped(&b, text, false);
    return json_string(b.text);
}

struct pc_stream pc_stream_open(FILE *out, char bracket)
{
    fputc(bracket, out);
    return (struct pc_stream){ out, true };
}

void pc_stream_key(struct pc_stream *s, const char *name)
{
    fprintf(s->out, s->first ? "" : ", ");
    if (name)
        fprintf(s->out, "\"%s\": ", name);
    s->first = false;
}

/* One byte of JSON text, or a control character as an escape, C1 ones too; returns its last byte. */
static const unsigned char *print_character(FILE *out, const unsigned char *t)
{
    if (*t < 0x20 || *t == 0x7f) {
        fprintf(out, "\\u%04x", *t);
    } else if (*t == 0xc2 && t[1] >= 0x80 && t[1] < 0xa0) {
        fprintf(out, "\\u%04x", *++t);
    } else {
        fputc(*t, out);
    }
    return t;
}

/* jansson leaves DEL and the C1 control characters of UTF-8 as they are; terminals obey them. */
static void print_value(FILE *out, json_t *value)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    for (const unsigned char *t = (const unsigned char *)text; t && *t; t++)
        t = print_character(out, t);
    free(text);
}

void pc_stream_member(struct pc_stream *s, const char *name, json_t *value)
{
    pc_stream_key(s, name);
    if (value)
        print_value(s->out, value);
    else
        fputs("null", s->out);
    json_decref(value);
}

void pc_print_json_number(FILE *out, uint64_t n)
{
    const char *quote = n <= PC_JSON_EXACT ? "" : "\"";
    fprintf(out, "%s%" PRIu64 "%s", quote, n, quote);
}

void pc_print_json_string(FILE *out, const char *text)
{
    const unsigned char *t = (const unsigned char *)text;
    fputc('"', out);
    for (; *t; t++) {
        if (*t == '"' || *t == '\\') {
            fputc('\\', out);
            fputc(*t, out);
        } else {
            t = print_character(out, t);
        }
    }
    fputc('"', out);
}

void pc_print_json_finding(FILE *out, const struct pc_finding *f)
{
    const struct pc_diag_info *info = pc_diag_info(f->id);
    struct pc_buffer b;
    fprintf(out, "{\"id\":\"%s\",\"name\":\"%s\",\"severity\":\"%s\",\"stream\":", info->id, info->name,
            pc_severity_name(f->severity));
    pc_buffer_init(&b);
    pc_put_stream(&b, &f->where, false);
    pc_print_json_string(out, b.text);
    fputs(",\"offset\":", out);
    pc_print_json_number(out, f->offset);
    fputs(",\"length\":", out);
    pc_print_json_number(out, f->length);
    fputs(",\"path\":", out);
    pc_buffer_init(&b);
    pc_put_path(&b, f);
    pc_print_json_string(out, b.text);
    fputs(",\"seen\":", out);
    pc_buffer_init(&b);
    pc_put_value(&b, &f->seen, false);
    pc_print_json_string(out, b.text);
    fputs(",\"expected\":", out);
    pc_buffer_init(&b);
    pc_put_value(&b, &f->expected, false);
    pc_print_json_string(out, b.text);
    fputs(",\"message\":", out);
    pc_buffer_init(&b);
    pc_put_message(&b, f, false);
    pc_print_json_string(out, b.text);
    fputc('}', out);
}
