/* SPDX-License-Identifier: MIT
 *
 * print_token.c: the tokens of a print fmt: names, numbers, texts in quotes, operators.
 */
#include "format/print_token.h"
#include "base/text.h"

#include <string.h>

/* Operators and brackets, the longer ones first. */
static const char operators[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "(", ")",
                                     "[",  "]",  "{",  "}",  ",",  "?",  ":",  "+",  "-",  "*", "/",
                                     "%",  "&",  "|",  "^",  "<",  ">",  "!",  "~",  ".",  "=", ";" };

bool pc_print_fail(struct pc_print_scan *p, const char *reason, size_t at)
{
    *p->fault = (struct pc_tp_fault){ .kind = PC_TP_BAD_PRINT, .reason = reason, .at = at };
    return false;
}

/* The line ends where the text ends: perf up to 6.1 takes no line end between the arguments. */
void pc_print_skip_blanks(struct pc_print_scan *p)
{
    int c;
    while ((c = pc_print_char(p, p->next)) == ' ' || c == '\t' || (c == '\n' && p->next + 1 == p->text.len))
        p->next++;
}

/* Skips a quoted text; the position is after the first quote. */
static bool take_quoted(struct pc_print_scan *p, int quote)
{
    for (;;) {
        int c = pc_print_char(p, p->next);
        if (c < 0)
            return pc_print_fail(p, "the quotes are not closed", p->at);
        if (c == quote) {
            p->next++;
            return true;
        }
        struct pc_span rest = { p->text.ptr + p->next, p->text.len - p->next };
        size_t len = c < 0x80 ? 1 : pc_text_utf8_length(rest);
        if (len == 0 || (c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
            return pc_print_fail(p, "a character that no text has", p->next);
        if (c == '\\') {
            if (pc_print_char(p, p->next + 1) < ' ')
                return pc_print_fail(p, "the quotes are not closed", p->at);
            len = 2;
        }
        p->next += len;
    }
}

/* C constants: decimal, octal, hexadecimal; a suffix of u and l. */
static bool number_is_sound(struct pc_tp_name item)
{
    size_t i = 0, digits = 0, suffix = 0;
    bool hex = item.len > 1 && item.ptr[0] == '0' && (item.ptr[1] | 0x20) == 'x';
    bool octal = !hex && item.ptr[0] == '0';
    for (i = hex ? 2 : 0; i < item.len; i++, digits++) {
        unsigned char c = item.ptr[i], low = c | 0x20;
        if (!(octal ? c >= '0' && c <= '7' : pc_tp_is_digit(c) || (hex && low >= 'a' && low <= 'f')))
            break;
    }
    for (; i < item.len; i++, suffix++) {
        unsigned char low = item.ptr[i] | 0x20;
        if (low != 'u' && low != 'l')
            return false;
    }
    return digits != 0 && suffix <= 3;
}

bool pc_print_take(struct pc_print_scan *p)
{
    pc_print_skip_blanks(p);
    p->at = p->next;
    p->op = "";
    ++*p->work;
    int c = pc_print_char(p, p->next);
    if (c < 0) {
        p->token = T_END;
        return true;
    }
    if (c == '"') {
        /* Strings that follow each other are one. */
        size_t start = p->at;
        p->token = T_STRING;
        do {
            p->at = p->next++;
            if (!take_quoted(p, '"'))
                return false;
            pc_print_skip_blanks(p);
        } while (pc_print_char(p, p->next) == '"');
        p->at = start;
        return true;
    }
    if (c == '\'') {
        p->token = T_CHAR;
        p->next++;
        if (!take_quoted(p, '\''))
            return false;
        return p->next - p->at > 2 || pc_print_fail(p, "nothing is between the quotes", p->at);
    }
    if (pc_tp_is_word(c)) {
        while (pc_tp_is_word(pc_print_char(p, p->next)))
            p->next++;
        p->item = (struct pc_tp_name){ p->text.ptr + p->at, p->next - p->at };
        p->token = pc_tp_is_digit(c) ? T_NUMBER : T_ITEM;
        return p->token == T_ITEM || number_is_sound(p->item) || pc_print_fail(p, "not a number", p->at);
    }
    p->token = T_OP;
    for (size_t i = 0; i < PC_COUNT_OF(operators); i++) {
        size_t len = strlen(operators[i]);
        if (len <= p->text.len - p->at && memcmp(p->text.ptr + p->at, operators[i], len) == 0) {
            p->op = operators[i];
            p->next += len;
            return true;
        }
    }
    return pc_print_fail(p, "a character that no expression has", p->at);
}

void pc_print_say_deadly(struct pc_print_scan *p, const char *reason, size_t at)
{
    if (p->deadly.kind == PC_TP_SOUND)
        p->deadly = (struct pc_tp_fault){ .kind = PC_TP_DEADLY, .reason = reason, .at = at };
}

/* The text is quoted, so a backslash is an escape; no escape makes a '%'. */
bool pc_print_conversions(struct pc_print_scan *p, size_t start, size_t end, uint32_t *nr, size_t *last,
                          uint64_t *widths)
{
    *nr = 0;
    *widths = 0;
    for (size_t i = start; i < end; i++) {
        if (p->text.ptr[i] != '%')
            continue;
        size_t at = i++, digits = 0; /* of a width or precision */
        if (i < end && p->text.ptr[i] == '%')
            continue;
        while (i < end && strchr("-+ #0", p->text.ptr[i]))
            i++;
        for (; i < end && (pc_tp_is_digit(p->text.ptr[i]) || p->text.ptr[i] == '*' || p->text.ptr[i] == '.');
             i++) {
            if (p->text.ptr[i] == '*' && *nr < 64)
                *widths |= 1ULL << *nr;
            else if (p->text.ptr[i] == '*')
                pc_print_say_deadly(p, "a width after 64 arguments", at);
            *nr += p->text.ptr[i] == '*';
            digits = pc_tp_is_digit(p->text.ptr[i]) ? digits + 1 : 0;
            if (digits == 5)
                pc_print_say_deadly(p, "a conversion of many characters", at);
        }
        /* A conversion may be split over two strings: "%" PRIu64. */
        char before = 0;
        size_t letters = 0;
        for (; i < end && strchr("hlLqjzt\" ", p->text.ptr[i]); i++) {
            char c = (char)p->text.ptr[i];
            if (c == '"' || c == ' ')
                continue;
            if (letters != 0 && (letters > 1 || c != before || (c != 'h' && c != 'l')))
                return pc_print_fail(p, "not a conversion", at);
            before = c;
            letters++;
        }
        if (i >= end || !strchr("diouxXcspneEfFgGaA", p->text.ptr[i]))
            return pc_print_fail(p, "not a conversion", at);
        ++*nr;
        *last = at;
    }
    return true;
}
