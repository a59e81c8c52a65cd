/* SPDX-License-Identifier: MIT
 *
 * Names, numbers, escaped text, and JSON that is printed member by member.
 */
#include "cli/show.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The runners of GitHub and Azure take ##[ and ##vso[ for the beginning of a command, wherever it stands in
 * what a step prints. last: what was printed before; returns the last character. */
static char print_inert(FILE *out, const char *text, char last)
{
    while (*text) {
        size_t n = 0; /* at once: standard error has no buffer */
        while (text[n] && !(text[n] == '#' && last == '#'))
            last = text[n++];
        fwrite(text, 1, n, out);
        text += n;
        if (*text) {
            fputs("\\x23", out);
            last = *text++;
        }
    }
    return last;
}

void pc_print_message(FILE *out, const char *message)
{
    print_inert(out, message, 0);
}

void pc_print_escaped(FILE *out, const char *text)
{
    char piece[1025], last = 0;
    size_t spaces = strspn(text, " ");
    if (strncmp(text + spaces, "::", 2) == 0) { /* GitHub: a command, where a line begins */
        fprintf(out, "%*s\\x3a", (int)spaces, "");
        text += spaces + 1;
    }
    while (*text) {
        text += perfcheck_escape(text, 0, piece, sizeof(piece));
        last = print_inert(out, piece, last);
    }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void pc_unescape(char *text)
{
    char *to = text;
    while (*text) {
        int high = text[0] == '\\' && text[1] == 'x' ? hex_digit(text[2]) : -1;
        int low = high >= 0 ? hex_digit(text[3]) : -1;
        char byte = *text;
        if (low >= 0)
            byte = (char)(high << 4 | low);
        *to++ = byte;
        text += low >= 0 ? 4 : 1;
    }
    *to = 0;
}

const char *pc_severity_name(perfcheck_severity_t severity)
{
    static const char *const names[] = { "note", "warning", "error" };
    return names[severity];
}

const char *pc_verdict_name(perfcheck_verdict_t verdict)
{
    static const char *const names[] = { "valid", "invalid", "unreadable" };
    return names[verdict];
}

const char *pc_order_name(const perfcheck_summary_t *sum)
{
    return sum->big_endian ? "big" : "little";
}

uint64_t pc_ratio_of(const perfcheck_summary_t *sum)
{
    uint64_t out = sum->compressed_out, in = sum->compressed_in;
    if (in == 0)
        return 0;
    return out > UINT64_MAX / 100 ? out / in * 100 : out * 100 / in;
}

const char *pc_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

void pc_copy_text(char *to, size_t size, const char *text)
{
    size_t len = strnlen(text, size);
    while (len == size || (len > 0 && ((unsigned char)text[len] & 0xc0) == 0x80))
        len--;
    memcpy(to, text, len);
    to[len] = 0;
}

void pc_print_seconds(FILE *out, uint64_t ns)
{
    const uint64_t second = 1000000000;
    fprintf(out, "%" PRIu64 ".%09" PRIu64 " s", ns / second, ns % second);
}

void pc_print_about(FILE *err, const char *doing, const char *about, const char *what, const char *why)
{
    fprintf(err, "perfcheck: %s", doing);
    pc_print_escaped(err, *about ? about : "''");
    fprintf(err, ": %s%s%s\n", what, why ? ": " : "", why ? why : "");
}

void pc_print_offset(FILE *out, const perfcheck_finding_t *f)
{
    if (f->in_compressed)
        fprintf(out, "0x%" PRIx64 "+", f->record_offset);
    fprintf(out, "0x%" PRIx64, f->offset);
}

void pc_print_verdicts(FILE *out, const uint64_t verdicts[PERFCHECK_UNREADABLE + 1])
{
    for (int v = PERFCHECK_VALID; v <= PERFCHECK_UNREADABLE; v++)
        fprintf(out, "%s%" PRIu64 " %s", v == PERFCHECK_VALID ? ": " : ", ", verdicts[v],
                pc_verdict_name((perfcheck_verdict_t)v));
}

void pc_print_accepted(FILE *out, perfcheck_t *pc)
{
    const perfcheck_entry_t *e;
    uint64_t nr = 0;
    for (size_t i = 0; (e = perfcheck_entry(pc, PERFCHECK_ACCEPTED, i)) != NULL; i++)
        nr += e->number;
    if (nr != 0)
        fprintf(out, ", %" PRIu64 " accepted", nr);
}

const perfcheck_entry_t *pc_entry(perfcheck_t *pc, perfcheck_list_t list, const char *name)
{
    const perfcheck_entry_t *e;
    for (size_t i = 0; (e = perfcheck_entry(pc, list, i)) != NULL; i++) {
        if (strcmp(e->name, name) == 0)
            return e;
    }
    return NULL;
}

const char *pc_writer_text(perfcheck_t *pc, const char *name)
{
    const perfcheck_entry_t *e = pc_entry(pc, PERFCHECK_FEATURES, name);
    if (e && e->text)
        return e->text;
    return strcmp(name, "META_INFO") == 0 && perfcheck_summary(pc)->by_simpleperf ? "simpleperf" : NULL;
}

/* --- JSON --- */

struct pc_json pc_json_open(FILE *out, char begin, bool compact)
{
    fputc(begin, out);
    return (struct pc_json){ out, compact, begin == '{' ? '}' : ']', true };
}

struct pc_json pc_json_open_in(struct pc_json *outer, const char *name, char begin, bool compact)
{
    pc_json_name(outer, name);
    return pc_json_open(outer->out, begin, compact);
}

void pc_json_close(struct pc_json *json)
{
    fputc(json->end, json->out);
}

void pc_json_name(struct pc_json *json, const char *name)
{
    const char *space = json->compact ? "" : " ";
    if (!json->first)
        fprintf(json->out, ",%s", space);
    if (name)
        fprintf(json->out, "\"%s\":%s", name, space);
    json->first = false;
}

void pc_json_null(struct pc_json *json, const char *name)
{
    pc_json_name(json, name);
    fputs("null", json->out);
}

void pc_json_number(struct pc_json *json, const char *name, uint64_t n)
{
    const char *quote = n <= (uint64_t)1 << 53 ? "" : "\"";
    pc_json_name(json, name);
    fprintf(json->out, "%s%" PRIu64 "%s", quote, n, quote);
}

/* The code of a mark; 0: there is none here. */
static unsigned mark_at(const unsigned char *t)
{
    if (t[0] != 0xe2 || (t[1] != 0x80 && t[1] != 0x81))
        return 0;
    unsigned code = 0x2000 | (t[1] & 1u) << 6 | (t[2] & 0x3fu);
    return pc_text_is_mark(code) ? code : 0;
}

/* One byte of JSON text, or a control character or a mark as an escape; returns its last byte. brief: with
 * escapes of two characters where JSON has them. ## begins commands of CI services: last: the byte before. */
static const unsigned char *print_character(FILE *out, const unsigned char *t, unsigned char last, bool brief)
{
    static const char controls[] = "\b\f\n\r\t", letters[] = "bfnrt";
    const char *control = brief ? memchr(controls, *t, sizeof(controls) - 1) : NULL;
    if (control) {
        fprintf(out, "\\%c", letters[control - controls]);
    } else if (*t < 0x20 || *t == 0x7f || (*t == '#' && last == '#')) {
        fprintf(out, "\\u%04x", *t);
    } else if (*t == 0xc2 && t[1] >= 0x80 && t[1] < 0xa0) {
        fprintf(out, "\\u%04x", *++t);
    } else if (mark_at(t) != 0) {
        fprintf(out, "\\u%04x", mark_at(t));
        t += 2;
    } else {
        fputc(*t, out);
    }
    return t;
}

static void print_text(struct pc_json *json, const char *name, const char *text, bool brief)
{
    const unsigned char *t = (const unsigned char *)text;
    if (!text) {
        pc_json_null(json, name);
        return;
    }
    pc_json_name(json, name);
    fputc('"', json->out);
    for (; *t; t++) {
        if (*t == '"' || *t == '\\')
            fputc('\\', json->out);
        t = print_character(json->out, t, t == (const unsigned char *)text ? 0 : t[-1], brief);
    }
    fputc('"', json->out);
}

void pc_json_text(struct pc_json *json, const char *name, const char *text)
{
    print_text(json, name, text, false);
}

void pc_json_short_text(struct pc_json *json, const char *name, const char *text)
{
    print_text(json, name, text, true);
}

void pc_json_list(struct pc_json *json, const char *name, const char *list, const char *word)
{
    struct pc_json array = pc_json_open_in(json, name, '[', true);
    for (size_t len; *list; list += len + (list[len] ? strlen(", ") : 0)) {
        list += strncmp(list, word, strlen(word)) == 0 ? strlen(word) : 0;
        len = strcspn(list, ",");
        pc_json_name(&array, NULL);
        fprintf(array.out, "\"%.*s\"", (int)len, list);
    }
    pc_json_close(&array);
}

static void print_kind(struct pc_json *object, const perfcheck_finding_t *f)
{
    pc_json_text(object, "id", f->id);
    pc_json_text(object, "name", f->name);
    pc_json_text(object, "severity", pc_severity_name(f->severity));
}

/* The members that only findings of a class have. */
static void print_class(struct pc_json *object, const perfcheck_finding_t *f)
{
    if (!*f->class_name)
        return;
    pc_json_text(object, "class", f->class_name);
    pc_json_list(object, "versions", f->harms, "perf ");
    pc_json_list(object, "commands", f->harmed_commands, "");
    if (*f->cve)
        pc_json_text(object, "cve", f->cve);
}

struct pc_json pc_json_open_finding(struct pc_json *json, const perfcheck_finding_t *f)
{
    struct pc_json object = pc_json_open_in(json, NULL, '{', true);
    print_kind(&object, f);
    pc_json_text(&object, "stream", f->stream);
    pc_json_number(&object, "offset", f->offset);
    pc_json_number(&object, "length", f->length);
    pc_json_text(&object, "path", f->path);
    pc_json_text(&object, "seen", f->seen);
    pc_json_text(&object, "expected", f->expected);
    pc_json_text(&object, "message", f->message);
    print_class(&object, f);
    return object;
}

void pc_json_finding(struct pc_json *json, const perfcheck_finding_t *f)
{
    struct pc_json object = pc_json_open_finding(json, f);
    pc_json_close(&object);
}

void pc_json_explanation(struct pc_json *json, const perfcheck_finding_t *f)
{
    struct pc_json object = pc_json_open_in(json, NULL, '{', true);
    print_kind(&object, f);
    pc_json_text(&object, "message", f->message);
    pc_json_text(&object, "explanation", f->explanation);
    pc_json_text(&object, "next", f->next);
    pc_json_list(&object, "not_read_by", f->not_read_by, "perf ");
    print_class(&object, f);
    if (*f->harm)
        pc_json_text(&object, "harm", f->harm);
    pc_json_close(&object);
}
