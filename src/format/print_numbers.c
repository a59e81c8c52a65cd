/* SPDX-License-Identifier: MIT
 *
 * print_numbers.c: which divisors, widths and lengths of a print fmt are harmless.
 */
#include "format/print_numbers.h"

#include <string.h>

/* libtraceevent computes a row of * and / from its end, and moves all other operators out of brackets: it
 * divides by the first operand of a sum, and of a question. So a constant is told from the numbers alone:
 * each is positive, and all of them have fewer than 64 bits together. */
#define CONSTANT_BITS  63
#define CONSTANT_WORDS 64
#define SIZEOF_BITS    16
#define LENGTH_DIGITS  5
#define LENGTH_BITS    16

void pc_print_numbers_say(struct pc_print_numbers *n, const char *reason, size_t at)
{
    if (n->fault.kind == PC_TP_SOUND)
        n->fault = (struct pc_tp_fault){ .kind = PC_TP_DEADLY, .reason = reason, .at = at };
}

static bool is_op(const struct pc_print_scan *in, const char *op)
{
    return in->token == T_OP && strcmp(in->op, op) == 0;
}

/* UINT64_MAX also if it has more than 64 bits. */
static uint64_t number_of(struct pc_tp_name item)
{
    bool zero = item.len > 1 && item.ptr[0] == '0', hex = zero && (item.ptr[1] | 0x20) == 'x';
    uint64_t value = 0, base = hex ? 16 : zero ? 8 : 10;
    for (size_t i = hex ? 2 : 0; i < item.len; i++) {
        unsigned low = item.ptr[i] | 0x20u;
        if (!pc_tp_is_digit(item.ptr[i]) && (!hex || low > 'f'))
            break; /* a suffix */
        uint64_t digit = low <= '9' ? low - '0' : low - 'a' + 10;
        if (value > (UINT64_MAX - digit) / base)
            return UINT64_MAX;
        value = value * base + digit;
    }
    return value;
}

/* --- divisors --- */

/* What is read ahead, a bounded number of tokens. */
struct ahead {
    struct pc_print_scan in;
    struct pc_tp_fault fault;
    uint32_t depth, bits, nr, left;
    uint32_t most;   /* the fewest bits that a cast so far leaves; they count for all operands after it */
    uint64_t number; /* the first */
    int field;       /* the divisor is this field alone, or -1 */
    bool shifts;     /* the number is how far another one is shifted */
    bool is_zero;    /* the divisor is the number 0 */
};

static bool next(struct ahead *a)
{
    a->in.fault = &a->fault;
    if (a->left == 0)
        return false;
    a->left--;
    return pc_print_take(&a->in) && a->in.token != T_END;
}

static int field_ahead(struct pc_tp_draft *draft, struct ahead *a)
{
    if (!next(a) || !is_op(&a->in, "->") || !next(a) || a->in.token != T_ITEM)
        return -1;
    int field = pc_tp_draft_field(draft, a->in.item);
    return field >= 0 && draft->field[field].cls == PC_TP_INTEGER ? field : -1;
}

static bool take_operand(struct pc_tp_draft *draft, struct ahead *a)
{
    uint64_t number = a->in.token == T_NUMBER ? number_of(a->in.item) : 0, bits = number;
    if (a->in.token == T_ITEM && pc_tp_name_is(&a->in.item, "REC")) {
        a->field = a->nr == 0 ? field_ahead(draft, a) : -1;
        a->nr = 2;
        return a->field >= 0 && a->most == CONSTANT_BITS;
    }
    if (a->in.token == T_ITEM && pc_tp_name_is(&a->in.item, "sizeof") && !a->shifts) {
        while (next(a) && !is_op(&a->in, ")"))
            ;
        bits = SIZEOF_BITS;
        a->nr++;
    } else if (number == 0) {
        a->is_zero = a->nr == 0 && a->in.token == T_NUMBER;
        return false;
    } else if (!a->shifts) {
        bits = 64 - (unsigned)__builtin_clzll(number);
    }
    a->number = number;
    a->bits += bits <= CONSTANT_BITS ? (uint32_t)bits : CONSTANT_BITS + 1;
    a->nr++;
    return a->bits <= a->most;
}

/* The rest of a cast, after its bracket and this first word. What libtraceevent knows as a type of 64 bits or
 * does not know changes no number (eval_type_str). */
static bool take_cast(struct ahead *a)
{
    static const struct {
        const char *word;
        uint32_t bits; /* without a sign */
    } narrow[] = { { "u8", 7 },   { "s8", 7 },   { "u16", 15 },   { "s16", 15 }, { "u32", 31 },
                   { "s32", 31 }, { "char", 7 }, { "short", 15 }, { "int", 31 } };
    do {
        for (size_t i = 0; i < PC_COUNT_OF(narrow); i++) {
            if (narrow[i].bits < a->most && pc_tp_name_is(&a->in.item, narrow[i].word))
                a->most = narrow[i].bits;
        }
    } while (next(a) && a->in.token == T_ITEM);
    return is_op(&a->in, ")") && next(a);
}

static bool is_word_of_type(const struct ahead *a)
{
    return a->in.token == T_ITEM && !pc_tp_name_is(&a->in.item, "REC") &&
           !pc_tp_name_is(&a->in.item, "sizeof");
}

/* NUMBER / NUMBER is what the dividend is divided by. */
static bool take_quotient(struct ahead *a)
{
    uint64_t number = a->number;
    if (a->nr != 1 || a->depth != 0 || !next(a) || a->in.token != T_NUMBER)
        return false;
    uint64_t divisor = number_of(a->in.item);
    bool goes_on = next(a) && (is_op(&a->in, "*") || is_op(&a->in, "/") || is_op(&a->in, "%"));
    return divisor != 0 && divisor <= number && !goes_on;
}

/* Whether the divisor cannot be 0, but for a field. */
static bool is_harmless(struct pc_tp_draft *draft, struct ahead *a)
{
    for (;;) {
        bool more = next(a);
        while (more && is_op(&a->in, "(")) {
            more = next(a);
            if (more && is_word_of_type(a))
                more = take_cast(a);
            else
                a->depth++;
        }
        if (!more || !take_operand(draft, a))
            return false;
        more = next(a);
        for (; more && a->depth != 0 && is_op(&a->in, ")"); more = next(a)) {
            a->depth--;
            a->shifts = false;
        }
        bool chain = more && (is_op(&a->in, "*") || is_op(&a->in, "/") || is_op(&a->in, "%"));
        if (!chain && (a->depth == 0 || a->nr == 1 || a->field >= 0)) /* the rest does not divide */
            return !more || a->field < 0 || !is_op(&a->in, "[");
        if (a->field >= 0 || a->shifts || !more)
            return false;
        if (is_op(&a->in, "/"))
            return take_quotient(a);
        a->shifts = is_op(&a->in, "<<");
        if (!a->shifts && !is_op(&a->in, "*") && !is_op(&a->in, "+"))
            return false;
    }
}

static bool is_zero_ahead(struct ahead *a)
{
    return next(a) && a->in.token == T_NUMBER && number_of(a->in.item) == 0;
}

/* How a field is divided by: not where it is 0, if the division is in the answer for a field that is not,
 * REC->FIELD ? HERE : ..., or REC->FIELD == 0 ? ... : HERE, which the kernel has for devfreq. Of the latter
 * perf up to 6.12 dies all the same, but real recordings have it. */
static unsigned use_of(const struct pc_print_numbers *n, const struct pc_print_scan *in,
                       struct pc_tp_name name)
{
    struct ahead a = { .in = *in, .left = 16 };
    a.in.next = n->arg_at;
    bool more = next(&a);
    while (more && is_op(&a.in, "("))
        more = next(&a);
    if (n->questions != 1 || !more || a.in.token != T_ITEM || !pc_tp_name_is(&a.in.item, "REC") ||
        !next(&a) || !next(&a) || a.in.token != T_ITEM || a.in.item.len != name.len ||
        memcmp(a.in.item.ptr, name.ptr, name.len) != 0 || !next(&a))
        return PC_TP_DIVISOR;
    bool equal = is_op(&a.in, "=="), compared = equal || is_op(&a.in, "!=") || is_op(&a.in, ">");
    bool asks = (!compared || (is_zero_ahead(&a) && next(&a))) && is_op(&a.in, "?") && n->answers == equal;
    return !asks ? PC_TP_DIVISOR : equal ? PC_TP_ASKED : 0;
}

static void see_divisor(struct pc_print_numbers *n, struct pc_print_scan *in)
{
    struct ahead a = { .in = *in, .left = CONSTANT_WORDS, .most = CONSTANT_BITS, .field = -1 };
    a.in.next = in->at;
    bool harmless = is_harmless(n->draft, &a) && a.left != 0; /* else the rest is not known */
    if (a.is_zero && a.depth == 0)
        pc_print_say_deadly(in, "a division by 0", in->at);
    else if (!harmless)
        pc_print_numbers_say(n, "a divisor that may be 0", in->at);
    else if (a.field >= 0)
        n->draft->field[a.field].use |= (uint8_t)use_of(n, in, n->draft->name[a.field]);
}

/* --- widths and lengths --- */

void pc_print_numbers_length(struct pc_print_numbers *n, uint32_t depth)
{
    n->length_depth = depth;
    n->nr_fields = n->nr_operands = 0;
    n->odd_at = 0;
    n->times = n->shrinks = n->negative = n->chosen = n->digit = false;
}

void pc_print_numbers_end(struct pc_print_numbers *n)
{
    for (; n->nr_fields != 0; n->nr_fields--)
        n->draft->field[n->field[n->nr_fields - 1]].use |= PC_TP_LENGTH;
    if (n->odd_at != 0)
        pc_print_numbers_say(n, "a width or length that may be huge", n->odd_at);
    n->odd_at = 0;
    n->length_depth = PC_PRINT_NO_LENGTH;
}

void pc_print_numbers_argument(struct pc_print_numbers *n, const struct pc_print_scan *in, uint32_t nr)
{
    pc_print_numbers_end(n);
    n->questions = n->answers = 0;
    n->divides = false;
    n->arg_at = in->next;
    if (nr < 64 && (n->widths >> nr & 1))
        pc_print_numbers_length(n, 0);
}

static bool ends_in(struct pc_tp_name name, const char *text)
{
    size_t len = strlen(text);
    return name.len >= len && memcmp(name.ptr + name.len - len, text, len) == 0;
}

/* Whether an operand is a number that the text or a field has. */
static bool take_length(struct pc_print_numbers *n, const struct pc_print_scan *in)
{
    struct ahead a = { .in = *in, .left = 8 };
    if (in->token == T_CHAR)
        return true;
    if (in->token != T_ITEM)
        return in->token == T_NUMBER && in->item.len <= LENGTH_DIGITS;
    if (pc_tp_name_is(&in->item, "REC")) {
        int field = field_ahead(n->draft, &a);
        if (field >= 0 && n->nr_fields < PC_COUNT_OF(n->field))
            n->field[n->nr_fields++] = (uint16_t)field;
        else
            n->odd_at = in->at;
        return true;
    }
    pc_print_skip_blanks(&a.in);
    return pc_print_char(&a.in, a.in.next) != '(' || ends_in(in->item, "_array_len") ||
           pc_tp_name_is(&in->item, "sizeof");
}

/* By * only once, and by one digit, so that a length stays below some millions. */
static bool multiplies_by_digit(struct pc_print_numbers *n, const struct pc_print_scan *in)
{
    struct ahead a = { .in = *in, .left = 2 };
    bool first = !n->times;
    n->times = true;
    return first &&
           (n->digit || (next(&a) && ((a.in.token == T_NUMBER && a.in.item.len == 1) ||
                                      (a.in.token == T_ITEM && pc_tp_name_is(&a.in.item, "sizeof")))));
}

static bool is_pointer(const struct pc_print_scan *in)
{
    struct ahead a = { .in = *in, .left = 2 };
    return next(&a) && (is_op(&a.in, ")") || is_op(&a.in, "*"));
}

/* Where << is in (NUMBER << NUMBER), if that is a small number; 0 if not. The kernel has (1 << 10) for
 * MAX_NUMNODES. */
static size_t small_shift(const struct pc_print_scan *in)
{
    struct ahead a = { .in = *in, .left = 4 };
    if (!next(&a) || a.in.token != T_NUMBER)
        return 0;
    uint64_t number = number_of(a.in.item);
    if (!next(&a) || !is_op(&a.in, "<<"))
        return 0;
    size_t at = a.in.at;
    if (!next(&a) || a.in.token != T_NUMBER)
        return 0;
    uint64_t by = number_of(a.in.item);
    bool small = by < LENGTH_BITS && number < (uint64_t)1 << (LENGTH_BITS - by);
    return small && next(&a) && is_op(&a.in, ")") ? at : 0;
}

static void see_length(struct pc_print_numbers *n, struct pc_print_scan *in, uint32_t depth)
{
    bool small = true;
    if (in->token != T_OP) {
        small = n->nr_operands < PC_COUNT_OF(n->field) && take_length(n, in);
        n->nr_operands++;
    } else if (is_op(in, "(")) {
        n->shift_at = small_shift(in);
    } else if (is_op(in, "<<")) {
        small = in->at == n->shift_at;
    } else if (is_op(in, "*")) {
        small = is_pointer(in) || multiplies_by_digit(n, in);
    } else if (is_op(in, "?") && depth == n->length_depth && !n->chosen) {
        n->chosen = true;
        n->odd_at = 0;
        n->nr_fields = n->nr_operands = 0; /* what is asked is no part of the length */
    } else {
        n->negative |= is_op(in, "-");
        n->shrinks |= is_op(in, "/") || is_op(in, "%") || is_op(in, ">>");
        small = !is_op(in, "~") && !is_op(in, "[") && !(n->negative && n->shrinks);
    }
    if (!small)
        pc_print_numbers_say(n, "a width or length that may be huge", in->at);
}

void pc_print_numbers_token(struct pc_print_numbers *n, struct pc_print_scan *in, uint32_t depth)
{
    if (in->token == T_END)
        return;
    if (n->divides)
        see_divisor(n, in);
    if (n->length_depth != PC_PRINT_NO_LENGTH)
        see_length(n, in, depth);
    n->questions += is_op(in, "?");
    n->answers += is_op(in, ":");
    n->divides = is_op(in, "/") || is_op(in, "%");
    n->digit = in->token == T_NUMBER && in->item.len == 1;
}
