/* SPDX-License-Identifier: MIT
 *
 * text: whatever a capture holds, what is printed of it is text: UTF-8 without control characters; JSON is
 * JSON, one object a line where that is promised. Escaped text says what it was made of.
 */
#include "dump.h"
#include "harness.h"
#include "text.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static struct pc_scan scan;

static void claim_plain(struct pc_span text)
{
    for (size_t i = 0, n; i < text.len; i += n) {
        n = pc_text_utf8_length(pc_part(text, i, text.len - i));
        PC_CLAIM(n != 0);
        PC_CLAIM(text.ptr[i] >= 0x20 || text.ptr[i] == '\n');
        PC_CLAIM(text.ptr[i] != 0x7f && !(n == 2 && text.ptr[i] == 0xc2 && text.ptr[i + 1] < 0xa0));
    }
}

static void claim_json(const char *text, size_t len)
{
    json_t *value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    PC_CLAIM(value != NULL);
    json_decref(value);
}

static void claim_output(enum pc_format format, const char *text, size_t len)
{
    PC_CLAIM(len > 0);
    claim_plain((struct pc_span){ (const unsigned char *)text, len });
    if (format == PC_FORMAT_JSON)
        claim_json(text, len);
    for (const char *end; format == PC_FORMAT_JSONL && len > 0;
         len -= (size_t)(end + 1 - text), text = end + 1) {
        end = memchr(text, '\n', len);
        PC_CLAIM(end != NULL);
        claim_json(text, (size_t)(end - text));
    }
}

/* Hexadecimal digits behind \x. */
static size_t unescape(const char *text, size_t len, unsigned char *to)
{
    size_t n = 0;
    for (size_t i = 0; i < len; n++) {
        if (text[i] == '\\') {
            const char digits[] = { text[i + 2], text[i + 3], 0 };
            to[n] = (unsigned char)strtoul(digits, NULL, 16);
            i += 4;
        } else {
            to[n] = (unsigned char)text[i++];
        }
    }
    return n;
}

static void claim_escapes(struct pc_span bytes, bool plain)
{
    static char text[PC_ESCAPED_MAX(512)], again[PC_ESCAPED_MAX(sizeof(text))];
    static unsigned char back[sizeof(text)];
    bytes.len = bytes.len < 512 ? bytes.len : 512;
    memset(text, 1, PC_ESCAPED_MAX(bytes.len)); /* no NUL is left from another input */
    size_t len = pc_text_escape(bytes, plain, text);
    PC_CLAIM(len < PC_ESCAPED_MAX(bytes.len) && text[len] == 0);
    PC_CLAIM(pc_text_escape((struct pc_span){ (unsigned char *)text, len }, plain, again) == len);
    PC_CLAIM(memcmp(text, again, len) == 0);
    if (!memchr(bytes.ptr, '\\', bytes.len))
        PC_CLAIM(unescape(text, len, back) == bytes.len && memcmp(back, bytes.ptr, bytes.len) == 0);
}

/* dump as text or lines of JSON, info, check as text or JSON. */
static void print(const struct fuzz_case *c, struct pc_printer *printer)
{
    unsigned what = fuzz_bits(c, 0, 2);
    bool json = fuzz_bits(c, 2, 1);
    printer->format = !json ? PC_FORMAT_TEXT : what < 2 ? PC_FORMAT_JSONL : PC_FORMAT_JSON;
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, c->capture, PC_INPUT_FILE);
    if (what < 2) {
        pc_dump_input(printer, "c", &scan);
        return;
    }
    pc_scan_input(&scan);
    if (what == 2) {
        pc_print_info(printer, "c", &scan);
        return;
    }
    pc_print_begin(printer);
    pc_print_check(printer, "c", &scan);
    pc_print_end(printer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct pc_printer printer = { .notes = true };
    char *text = NULL;
    size_t len = 0;
    if (!fuzz_case(&c, data, size))
        return 0;
    claim_escapes(c.capture, fuzz_bits(&c, 3, 1));
    printer.out = printer.err = open_memstream(&text, &len);
    print(&c, &printer);
    fclose(printer.out);
    claim_output(printer.format, text, len);
    free(text);
    fuzz_scan_end(&scan);
    return 0;
}
