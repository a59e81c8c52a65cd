/* SPDX-License-Identifier: MIT
 *
 * print_numbers.h: numbers in the expressions of a print fmt that perf dies of: divisors that are 0, widths
 * and lengths of millions. libtraceevent divides, pads and reads elements as it is told. What the fields hold
 * is seen in the payloads: the fields of a draft are marked (enum pc_tp_use).
 */
#ifndef PC_PRINT_NUMBERS_H
#define PC_PRINT_NUMBERS_H

#include "format/print_token.h"

struct pc_print_numbers {
    struct pc_tp_draft *draft;
    uint64_t widths;          /* a bit for each of the first 64 arguments: it is a width or a precision */
    struct pc_tp_fault fault; /* the first number that is not known to be harmless */
    size_t arg_at;            /* of the current argument of the text */
    uint32_t length_depth; /* how many brackets are open around the current length, or PC_PRINT_NO_LENGTH */
    uint16_t field[8];     /* those of this length */
    uint32_t nr_fields, nr_operands;
    bool divides;                          /* the token before is an operator that divides */
    bool digit;                            /* the token before is a number of one digit */
    bool times, shrinks, negative, chosen; /* of this length: what its operators are */
    size_t shift_at;                       /* of a << between two numbers that make a small one, or 0 */
    size_t odd_at;                         /* of a field of this length that is no integer, or 0 */
    uint32_t questions, answers;           /* how many ? and : the argument of the text has so far */
};
#define PC_PRINT_NO_LENGTH UINT32_MAX

/* An argument of the text begins, with this number. */
void pc_print_numbers_argument(struct pc_print_numbers *n, const struct pc_print_scan *in, uint32_t nr);

/* A length begins in so many brackets; the current one ends. */
void pc_print_numbers_length(struct pc_print_numbers *n, uint32_t depth);
void pc_print_numbers_end(struct pc_print_numbers *n);

/* The next token, with so many brackets around it. */
void pc_print_numbers_token(struct pc_print_numbers *n, struct pc_print_scan *in, uint32_t depth);

/* perf may die of what is here, if it knows all the rest. */
void pc_print_numbers_say(struct pc_print_numbers *n, const char *reason, size_t at);

#endif
