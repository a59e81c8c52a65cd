/* SPDX-License-Identifier: MIT
 *
 * print_token.h: the tokens of the print fmt of a tracepoint.
 */
#ifndef PC_PRINT_TOKEN_H
#define PC_PRINT_TOKEN_H

#include "format/tracepoint.h"

enum pc_print_token { T_END, T_ITEM, T_NUMBER, T_STRING, T_CHAR, T_OP };

/* A text and the last token that was taken. */
struct pc_print_scan {
    struct pc_span text;
    struct pc_tp_fault *fault;
    uint64_t *work; /* counts tokens */
    size_t next;    /* after the token */
    enum pc_print_token token;
    size_t at;                 /* of the token */
    const char *op;            /* of T_OP, else "" */
    struct pc_tp_name item;    /* of T_ITEM and T_NUMBER */
    struct pc_tp_fault deadly; /* the first thing that perf dies of */
};

static inline int pc_print_char(const struct pc_print_scan *p, size_t at)
{
    return at < p->text.len ? p->text.ptr[at] : -1;
}

/* Takes the next token. False: *fault has the reason. */
bool pc_print_take(struct pc_print_scan *p);

/* *nr: how many arguments the conversions between two positions of the text take; *last: where the last one
 * is; *widths: a bit for each of the first 64 that is a width or a precision. False: one of them is none that
 * printf has. */
bool pc_print_conversions(struct pc_print_scan *p, size_t start, size_t end, uint32_t *nr, size_t *last,
                          uint64_t *widths);

/* perf dies of what is there. */
void pc_print_say_deadly(struct pc_print_scan *p, const char *reason, size_t at);

void pc_print_skip_blanks(struct pc_print_scan *p);

/* Sets the fault, and returns false. */
bool pc_print_fail(struct pc_print_scan *p, const char *reason, size_t at);

#endif
