/* SPDX-License-Identifier: MIT
 *
 * text: whatever the capture, the output is text: UTF-8 without control characters. JSON is valid, with one
 * object per line if that is promised. Escaped text can be decoded, and is one cell of a row in each form.
 * The values of a dump are those of the bytes at their offsets, and text and JSON agree.
 */
#include "cli/print.h"
#include "cli/row.h"
#include "harness.h"
#include "lib/handle.h"
#include "base/text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static perfcheck_t *pc;

/* Marks that change the direction or the line of what follows: U+200E, U+200F, U+2028 to U+202E, U+2066 to
 * U+2069. */
static bool is_mark(const unsigned char *utf8, size_t n)
{
    if (n != 3 || utf8[0] != 0xe2)
        return false;
    unsigned low = utf8[2];
    return utf8[1] == 0x80 ? low == 0x8e || low == 0x8f || (low >= 0xa8 && low <= 0xae)
                           : utf8[1] == 0x81 && low >= 0xa6 && low <= 0xa9;
}

/* for_people: text; else JSON, in which marks are ordinary text. */
static void claim_plain(struct pc_span text, bool for_people)
{
    for (size_t i = 0, n; i < text.len; i += n) {
        n = pc_text_utf8_length(pc_part(text, i, text.len - i));
        PC_CLAIM(n != 0);
        PC_CLAIM(text.ptr[i] >= 0x20 || text.ptr[i] == '\n');
        PC_CLAIM(text.ptr[i] != 0x7f && !(n == 2 && text.ptr[i] == 0xc2 && text.ptr[i + 1] < 0xa0));
        PC_CLAIM(!for_people || !is_mark(text.ptr + i, n));
    }
}

/* jansson is not compiled for MemorySanitizer, and texts that it copies would look uninitialised. */
#ifdef FUZZ_MSAN
static const bool reads_json = false;
#else
static const bool reads_json = true;
#endif

static void claim_json(const char *text, size_t len)
{
    if (!reads_json)
        return;
    json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    PC_CLAIM(value != NULL);
    json_decref(value);
}

/* Hexadecimal digits after \x. A backslash before anything else is a backslash. */
static size_t unescape(const char *text, size_t len, unsigned char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < len; n++) {
        if (text[i] == '\\' && i + 3 < len && text[i + 1] == 'x') {
            const char digits[] = { text[i + 2], text[i + 3], 0 };
            to[n] = (unsigned char)strtoul(digits, NULL, 16);
            i += 4;
        } else {
            to[n] = (unsigned char)text[i++];
        }
    }
    return n;
}

/* Bytes of a text without meaning, or of a string, that a dump shows. */
#define BYTES_SHOWN 64
#define TEXT_SHOWN  4096

static uint64_t number_of(const json_t *value)
{
    if (json_is_string(value))
        return strtoull(json_string_value(value), NULL, 10);
    return (uint64_t)json_integer_value(value);
}

static uint64_t member(const json_t *object, const char *name)
{
    return number_of(json_object_get(object, name));
}

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

static uint64_t load(struct pc_span bytes, bool big)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bytes.len; i++)
        n = n << 8 | bytes.ptr[big ? i : bytes.len - 1 - i];
    return n;
}

static bool is_double(const json_t *value, uint64_t word)
{
    double number;
    memcpy(&number, &word, sizeof(number));
    if (json_is_string(value))
        return !isfinite(number) && isnan(number) == (strstr(json_string_value(value), "nan") != NULL);
    return json_number_value(value) == number;
}

static bool is_hex(const char *digits, struct pc_span bytes)
{
    if (strlen(digits) != 2 * bytes.len)
        return false;
    for (size_t i = 0; i < bytes.len; i++) {
        const char byte[] = { digits[2 * i], digits[2 * i + 1], 0 };
        if (strtoul(byte, NULL, 16) != bytes.ptr[i])
            return false;
    }
    return true;
}

/* Text up to its NUL, after its length if the meaning has one. */
static bool is_text(const json_t *field, struct pc_span bytes)
{
    static unsigned char back[PC_ESCAPED_MAX(TEXT_SHOWN)];
    const char *value = text_of(field, "value"), *in = strstr(text_of(field, "meaning"), "in ");
    if (in && bytes.len >= 4 && strtoull(in + 3, NULL, 10) == bytes.len - 4)
        bytes = pc_part(bytes, 4, bytes.len - 4);
    size_t len = pc_first_zero(bytes);
    len = len < TEXT_SHOWN ? len : TEXT_SHOWN;
    return unescape(value, strlen(value), back) == len && memcmp(back, bytes.ptr, len) == 0;
}

static bool is_number(const json_t *value, bool is_signed, struct pc_span bytes, bool big)
{
    uint64_t number = load(bytes, big), unused = bytes.len < 8 ? UINT64_MAX << 8 * bytes.len : 0;
    if (is_signed && bytes.len > 0 && (bytes.ptr[big ? 0 : bytes.len - 1] & 0x80))
        number |= unused;
    return bytes.len <= 8 && number_of(value) == number;
}

/* Compares one field of a dump with the bytes at its offset. Fields outside the input are skipped. whole: the
 * reader had all of it. */
static void claim_field(const json_t *field, struct pc_span capture, bool big, bool whole)
{
    uint64_t offset = member(field, "offset"), size = member(field, "size");
    const json_t *value = json_object_get(field, "value");
    const char *type = text_of(field, "type");
    if (offset > capture.len || size > capture.len - offset)
        return;
    struct pc_span bytes = pc_part(capture, (size_t)offset, (size_t)size);
    if (strcmp(type, "bytes") == 0) {
        size_t shown = whole ? bytes.len : strlen(json_string_value(value)) / 2;
        shown = shown < bytes.len ? shown : bytes.len;
        shown = shown < BYTES_SHOWN ? shown : BYTES_SHOWN;
        PC_CLAIM(is_hex(json_string_value(value), pc_part(bytes, 0, shown)));
    } else if (strcmp(type, "text") == 0) {
        PC_CLAIM(is_text(field, bytes));
    } else if (strcmp(type, "double") == 0) {
        PC_CLAIM(is_double(value, load(bytes, big)));
    } else if (strcmp(type, "bits") != 0 ||
               !big) { /* members of big-endian words are counted from the other end */
        PC_CLAIM(is_number(value, strcmp(type, "int") == 0, bytes, big));
    }
}

/* The fields of an object. Fields after the byte with the order of trace data have that order. */
static void claim_object(const json_t *object, struct pc_span capture)
{
    const json_t *fields = json_object_get(object, "fields"), *field;
    const char *kind = text_of(object, "kind");
    bool big = pc->scan.capture.order == PC_BIG,
         whole = strcmp(kind, "record") == 0 || strcmp(kind, "attr") == 0;
    size_t i;
    /* Fields of messages of protobuf have a key before them, and numbers of their own form. */
    bool messages = strcmp(kind, "feature") == 0 && member(object, "number") >= PC_ANDROID_FEATURES;
    if (strcmp(text_of(object, "stream"), "data") != 0 || messages)
        return;
    json_array_foreach(fields, i, field)
    {
        const char *meaning = text_of(field, "meaning");
        /* The place of one of a joined record is in that record. */
        if (strncmp(text_of(field, "name"), "record.", strlen("record.")) != 0)
            claim_field(field, capture, big, whole);
        if (strcmp(meaning, "big-endian") == 0 || strcmp(meaning, "little-endian") == 0)
            big = meaning[0] == 'b';
    }
}

/* Whether a line of the text shows what JSON has: "  0xOFFSET  NAME  VALUE  MEANING". */
static bool is_line_of(const json_t *field, const char *line, const char *end)
{
    const char *type = text_of(field, "type"), *name = text_of(field, "name"),
               *meaning = text_of(field, "meaning");
    const json_t *value = json_object_get(field, "value");
    size_t name_len = strlen(name), meaning_len = strlen(meaning);
    char *at;
    if (strtoull(line, &at, 16) != member(field, "offset") || (size_t)(end - at) < 2 + name_len ||
        memcmp(at + 2, name, name_len) != 0)
        return false;
    if (meaning_len != 0) {
        if ((size_t)(end - at) < meaning_len + 2 || memcmp(end - meaning_len - 2, "  ", 2) != 0 ||
            memcmp(end - meaning_len, meaning, meaning_len) != 0)
            return false;
        end -= meaning_len + 2;
    }
    for (at += 2 + name_len; at < end && *at == ' ';)
        at++;
    if (strcmp(type, "text") == 0)
        return end - at >= 2 && *at == '"' && end[-1] == '"';
    if (strcmp(type, "double") == 0 && !json_is_string(value))
        return strtod(at, &at) == json_number_value(value) && at == end;
    if (strcmp(type, "double") == 0 || strcmp(type, "bytes") == 0)
        return json_string_length(value) == (size_t)(end - at) &&
               memcmp(at, json_string_value(value), (size_t)(end - at)) == 0;
    return strtoull(at, &at, 0) == number_of(value) && at == end;
}

/* The next line of a field, after its blanks, or NULL. */
static const char *next_field(const char *text, const char **end)
{
    for (; *text; text = *end + 1) {
        *end = strchr(text, '\n');
        if (strncmp(text, "  0x", 4) == 0 &&
            strncmp(text + 4 + strspn(text + 4, "0123456789abcdef"), "  ", 2) == 0)
            return text + 2;
    }
    return NULL;
}

/* Compares lines of JSON with the input, and with the same as text, unless that is NULL. */
static void claim_dump(const char *lines, const char *text, struct pc_span capture)
{
    const json_t *field;
    size_t i;
    for (const char *end, *line; *lines; lines = end + 1) {
        end = strchr(lines, '\n');
        json_t *object = json_loadb(lines, (size_t)(end - lines), 0, NULL);
        claim_object(object, capture);
        json_array_foreach(json_object_get(object, "fields"), i, field)
        {
            const char *line_end;
            if (!text)
                break;
            line = next_field(text, &line_end);
            PC_CLAIM(line != NULL && is_line_of(field, line, line_end));
            text = line_end + 1;
        }
        json_decref(object);
    }
    PC_CLAIM(!text || !pc->scan.recognised || next_field(text, &lines) == NULL);
}

static void claim_output(enum pc_format format, const char *text, size_t len)
{
    PC_CLAIM(len > 0);
    claim_plain((struct pc_span){ (const unsigned char *)text, len }, format == PC_FORMAT_TEXT);
    if (format == PC_FORMAT_JSON)
        claim_json(text, len);
    for (const char *end; format == PC_FORMAT_JSONL && len > 0;
         len -= (size_t)(end + 1 - text), text = end + 1) {
        end = memchr(text, '\n', len);
        PC_CLAIM(end != NULL);
        claim_json(text, (size_t)(end - text));
    }
}

/* ASCII without a special meaning is not escaped. */
static bool is_kept(struct pc_span bytes, const char *text)
{
    for (size_t i = 0; i < bytes.len; i++) {
        unsigned char c = bytes.ptr[i];
        bool ambiguous = c == '\\' && i + 1 < bytes.len && bytes.ptr[i + 1] == 'x';
        if (c < 0x20 || c >= 0x7f || ambiguous)
            return true;
        if (text[i] != (char)c)
            return false;
    }
    return true;
}

/* Whether a cell is the text between quotes, of which each in it is there twice. */
static bool is_quoted(const char *cell, size_t len, const char *text, char quote)
{
    size_t at = 1;
    for (; *text; text++) {
        if (at >= len || cell[at++] != *text || (*text == quote && (at >= len || cell[at++] != quote)))
            return false;
    }
    return at + 1 == len && cell[0] == quote && cell[at] == quote;
}

/* A text is one cell of a row, whatever is in it. */
static void claim_cell(const char *text)
{
    static const struct pc_column columns[] = { { "c", PC_CELL_TEXT }, { NULL, PC_CELL_TEXT } };
    static const struct pc_table table = { "t", columns, "c" };
    static const struct {
        const char *before, *after;
    } around[PC_ROW_FORMS] = { [PC_ROW_CSV] = { "", "\n" },
                               [PC_ROW_JSONL] = { "{\"c\":", "}\n" },
                               [PC_ROW_SQL] = { "INSERT INTO t VALUES('k',", ");\n" } };
    for (enum pc_row_form form = 0; form < PC_ROW_FORMS; form++) {
        char *said = NULL;
        size_t len = 0, before = strlen(around[form].before), after = strlen(around[form].after);
        FILE *out = open_memstream(&said, &len);
        FUZZ_MUST(out);
        struct pc_row row = pc_row_begin(out, form, &table, "k");
        pc_row_text(&row, text);
        pc_row_end(&row);
        fclose(out);
        PC_CLAIM(len >= before + after && memcmp(said, around[form].before, before) == 0);
        PC_CLAIM(memcmp(said + len - after, around[form].after, after) == 0);
        PC_CLAIM(memchr(said, '\n', len) == said + len - 1);
        const char *cell = said + before;
        len -= before + after;
        if (form == PC_ROW_SQL)
            PC_CLAIM(is_quoted(cell, len, text, '\''));
        if (form == PC_ROW_CSV && strpbrk(text, ",\""))
            PC_CLAIM(is_quoted(cell, len, text, '"'));
        else if (form == PC_ROW_CSV)
            PC_CLAIM(len == strlen(text) && memcmp(cell, text, len) == 0);
        if (form == PC_ROW_JSONL)
            claim_json(said, before + len + after);
        free(said);
    }
}

static void claim_escapes(struct pc_span bytes, bool plain)
{
    static char text[PC_ESCAPED_MAX(512)];
    static unsigned char back[sizeof(text)];
    bytes.len = bytes.len < 512 ? bytes.len : 512;
    memset(text, 1, PC_ESCAPED_MAX(bytes.len)); /* no NUL of an earlier input is left */
    size_t len = pc_text_escape(bytes, plain, text);
    PC_CLAIM(len < PC_ESCAPED_MAX(bytes.len) && text[len] == 0);
    PC_CLAIM(is_kept(bytes, text));
    PC_CLAIM(unescape(text, len, back) == bytes.len && memcmp(back, bytes.ptr, bytes.len) == 0);
    if (plain)
        claim_plain((struct pc_span){ (unsigned char *)text, len }, true);
    if (plain)
        claim_cell(text);
}

/* The same for a text in which every other byte is part of an escape or a quote, which is rare in captures.
 */
static void claim_hard_escapes(struct pc_span bytes, bool plain)
{
    static const unsigned char hard[16] = { '\\', 'x',  '\'', 0xe2, 0x80, '"',  0x81, 0x8e,
                                            0xa9, 0xae, 0xa6, 0xc2, 0x9b, 0x1b, '\\', 'x' };
    static unsigned char text[512];
    size_t len = bytes.len < sizeof(text) ? bytes.len : sizeof(text);
    for (uint32_t i = 0; i < len; i++)
        text[i] = hard[(bytes.ptr[i] + (i * i * 2654435761u >> 20)) & 15];
    claim_escapes((struct pc_span){ text, len }, plain);
}

/* Bits of the first option. */
static unsigned what_of(const struct fuzz_case *c)
{
    return fuzz_bits(c, 0, 2);
}

static bool is_dump(const struct fuzz_case *c)
{
    return what_of(c) < 2;
}

/* dump as text or lines of JSON, info, check as text or JSON. */
static void print(const struct fuzz_case *c, struct pc_printer *printer)
{
    pc = perfcheck_new();
    FUZZ_MUST(pc);
    pc->options.limits = fuzz_limits;
    pc->options.policy = fuzz_policy;
    perfcheck_keep_controls(pc, printer->format != PC_FORMAT_TEXT);
    if (is_dump(c)) {
        pc_print_dump(printer, "c", pc, c->capture.ptr, c->capture.len);
        return;
    }
    FUZZ_MUST(perfcheck_open_memory(pc, c->capture.ptr, c->capture.len) == PERFCHECK_OK);
    perfcheck_check(pc);
    if (what_of(c) == 2) {
        pc_print_info(printer, "c", pc);
        return;
    }
    pc_print_begin(printer);
    pc_print_check(printer, "c", pc);
    pc_print_end(printer);
}

/* The output, which the caller frees. The handle stays open. */
static char *output(const struct fuzz_case *c, enum pc_format format)
{
    struct pc_printer printer = { .notes = true, .format = format };
    char *text = NULL;
    size_t len = 0;
    printer.out = printer.err = open_memstream(&text, &len);
    FUZZ_MUST(printer.out != NULL);
    print(c, &printer);
    fclose(printer.out);
    claim_output(format, text, len);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size))
        return 0;
    claim_escapes(c.capture, fuzz_bits(&c, 3, 1));
    claim_hard_escapes(c.capture, !fuzz_bits(&c, 3, 1));
    bool json = fuzz_bits(&c, 2, 1);
    char *text = output(&c, !json ? PC_FORMAT_TEXT : is_dump(&c) ? PC_FORMAT_JSONL : PC_FORMAT_JSON);
    if (reads_json && is_dump(&c) && fuzz_one_of(&c, 8)) { /* values take ten times as long as all the rest */
        char *lines = text;
        if (!json) {
            perfcheck_free(pc);
            lines = output(&c, PC_FORMAT_JSONL);
        }
        claim_dump(lines, json ? NULL : text, c.capture);
        if (!json)
            free(lines);
    }
    free(text);
    perfcheck_free(pc);
    return 0;
}
