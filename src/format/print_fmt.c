/* SPDX-License-Identifier: MIT
 *
 * print_fmt.c: checks a printf format and the expressions of its arguments.
 */
#include "format/print_fmt.h"
#include "format/print_numbers.h"

#include <string.h>

/* What a bracket or an open question belongs to. */
enum frame_kind { F_PAREN, F_INDEX, F_QUESTION, F_CALL, F_FLAGS, F_SYMBOLIC, F_PAIR, F_NONE };

struct frame {
    uint8_t kind;
    uint8_t least, most; /* F_CALL: arguments */
    uint8_t nr;          /* arguments so far, counted to 255; of F_PAIR, values */
    bool is_type;        /* F_PAREN: its content may be a type */
    bool empty;          /* nothing follows the bracket yet */
    bool has_list;       /* F_FLAGS, F_SYMBOLIC: a pair has come */
    size_t at;
};

struct parser {
    struct pc_print_scan in;
    struct pc_tp_draft *draft;
    struct pc_print_numbers numbers;
    struct pc_tp_fault unprintable; /* the first thing that perf cannot evaluate */
    struct pc_tp_fault newer;       /* the first function that the most versions do not know */
    uint32_t nr_args;
    uint32_t depth;
    struct frame frame[PC_PRINT_FMT_DEPTH];
};

static bool fail(struct parser *p, const char *reason, size_t at)
{
    return pc_print_fail(&p->in, reason, at);
}

static int next_char(const struct parser *p)
{
    return pc_print_char(&p->in, p->in.next);
}

static void say_unprintable(struct parser *p, const char *reason, size_t at)
{
    if (p->unprintable.kind == PC_TP_SOUND)
        p->unprintable = (struct pc_tp_fault){ .kind = PC_TP_UNPRINTABLE, .reason = reason, .at = at };
}

/* A function that these versions do not know. */
static void see_new(struct parser *p, enum pc_versions versions, size_t at, size_t len)
{
    if ((p->newer.versions | versions) == p->newer.versions)
        return;
    p->newer = (struct pc_tp_fault){ .kind = PC_TP_NEW_PRINT,
                                     .reason = versions == PC_BY_5_10 ? "perf 5.10" : "perf up to 6.1",
                                     .at = at,
                                     .versions = versions,
                                     .len = len };
}

static bool op_is(const struct parser *p, const char *op)
{
    return strcmp(p->in.op, op) == 0;
}

static bool expect(struct parser *p, const char *op, const char *reason)
{
    return pc_print_take(&p->in) && (op_is(p, op) || fail(p, reason, p->in.at));
}

/* --- frames --- */

static struct frame *top(struct parser *p)
{
    return p->depth == 0 ? NULL : &p->frame[p->depth - 1];
}

static bool push(struct parser *p, struct frame frame)
{
    if (p->depth == PC_PRINT_FMT_DEPTH) {
        fail(p, "brackets in a print fmt", p->in.at);
        p->in.fault->kind = PC_TP_LIMIT;
        p->in.fault->limit = PC_PRINT_FMT_DEPTH;
        return false;
    }
    frame.at = p->in.at;
    frame.empty = true;
    p->frame[p->depth++] = frame;
    return true;
}

/* --- functions --- */

/* What perf 7.2 knows (libtraceevent: process_function): what its arguments are in (F_NONE: the name of a
 * field, or the type of sizeof), how many a F_CALL has, and the versions that do not know it. */
static const struct {
    const char *name;
    uint8_t frame, nr, unknown_to;
} functions[] = {
    { "__print_flags", F_FLAGS, 0, PC_BY_NONE },
    { "__print_symbolic", F_SYMBOLIC, 0, PC_BY_NONE },
    { "__print_hex", F_CALL, 2, PC_BY_NONE },
    { "__print_hex_str", F_CALL, 2, PC_BY_NONE },
    { "__print_array", F_CALL, 3, PC_BY_NONE },
    { "__get_str", F_NONE, 0, PC_BY_NONE },
    { "__get_rel_str", F_NONE, 0, PC_BY_5_10 },
    { "__get_bitmask", F_NONE, 0, PC_BY_NONE },
    { "__get_rel_bitmask", F_NONE, 0, PC_BY_5_10 },
    { "__get_cpumask", F_NONE, 0, PC_BY_UP_TO_6_1 },
    { "__get_rel_cpumask", F_NONE, 0, PC_BY_UP_TO_6_1 },
    { "__get_dynamic_array", F_NONE, 0, PC_BY_NONE },
    { "__get_rel_dynamic_array", F_NONE, 0, PC_BY_5_10 },
    { "__get_dynamic_array_len", F_NONE, 0, PC_BY_NONE },
    { "__get_rel_dynamic_array_len", F_NONE, 0, PC_BY_5_10 },
    { "__get_sockaddr", F_NONE, 0, PC_BY_UP_TO_6_1 },
    { "__get_sockaddr_rel", F_NONE, 0, PC_BY_UP_TO_6_1 },
    { "__builtin_expect", F_CALL, 2, PC_BY_NONE },
    { "sizeof", F_NONE, 0, PC_BY_UP_TO_6_1 },
};

/* The number of bytes in which two names of the same length differ, up to 2. */
static unsigned differences(const struct pc_tp_name *item, const char *name)
{
    unsigned nr = 0;
    for (size_t i = 0; i < item->len && nr < 2; i++)
        nr += item->ptr[i] != (unsigned char)name[i];
    return nr;
}

/* REC->NAME, the position being after REC. */
static bool take_field(struct parser *p)
{
    if (!expect(p, "->", "expected \"->\" after REC") || !pc_print_take(&p->in))
        return false;
    if (p->in.token != T_ITEM || pc_tp_draft_field(p->draft, p->in.item) < 0)
        return fail(p, "expected the name of a field", p->in.at);
    return true;
}

/* Steps over code that perf cannot evaluate, up to the bracket that closes the open one. */
static bool skip_code(struct parser *p, char close)
{
    size_t start = p->in.at, base = p->depth;
    static const char pairs[] = "(){}[]";
    if (!push(p, (struct frame){ .kind = (uint8_t)close }))
        return false;
    while (p->depth > base) {
        if (!pc_print_take(&p->in))
            return false;
        if (p->in.token == T_END)
            return fail(p, "the bracket is not closed", start);
        const char *pair = p->in.token == T_OP && p->in.op[1] == 0 ? strchr(pairs, p->in.op[0]) : NULL;
        if (!pair)
            continue;
        if ((pair - pairs) % 2 == 0) {
            if (!push(p, (struct frame){ .kind = (uint8_t)pair[1] }))
                return false;
        } else if (p->frame[p->depth - 1].kind != (uint8_t)*pair) {
            return fail(p, "this bracket was not opened", p->in.at);
        } else {
            p->depth--;
        }
    }
    return true;
}

static bool take_sizeof(struct parser *p)
{
    unsigned words = 0;
    for (;;) {
        if (!pc_print_take(&p->in))
            return false;
        if (p->in.token == T_ITEM && pc_tp_name_is(&p->in.item, "REC") && words == 0) {
            if (!take_field(p))
                return false;
            words++;
        } else if (p->in.token == T_ITEM || (op_is(p, "*") && words != 0)) {
            words++;
        } else if (words != 0 && (op_is(p, "[") || op_is(p, "->") || op_is(p, "."))) {
            say_unprintable(p, "the size of an expression", p->in.at);
            p->in.next = p->in.at;
            return skip_code(p, ')');
        } else {
            return (op_is(p, ")") && words != 0) || fail(p, "expected a type in sizeof", p->in.at);
        }
    }
}

/* NAME) of a dynamic array, or NAME[NUMBER]) of an array of them. */
static bool take_dynamic(struct parser *p)
{
    int field = p->in.token == T_ITEM ? pc_tp_draft_field(p->draft, p->in.item) : -1;
    if (field < 0)
        return fail(p, "expected the name of a field", p->in.at);
    const struct pc_tp_field *f = &p->draft->field[field];
    if (f->cls != PC_TP_DATA_LOC && f->cls != PC_TP_REL_LOC) /* perf takes what it holds for a place */
        pc_print_numbers_say(&p->numbers, "a field without a place", p->in.at);
    if (f->cls == PC_TP_DATA_LOC && f->of_arrays && next_char(p) == '[') {
        say_unprintable(p, "an element of an array of arrays", p->in.next);
        p->in.next++;
        if (!pc_print_take(&p->in))
            return false;
        if (p->in.token != T_NUMBER)
            return fail(p, "expected a number", p->in.at);
        if (!expect(p, "]", "expected \"]\""))
            return false;
    }
    return expect(p, ")", "expected \")\"");
}

/* A call; the position is after its "(". *operand: an operand comes next. */
static bool take_call(struct parser *p, struct pc_tp_name name, size_t name_at, bool *operand)
{
    *operand = true;
    for (size_t i = 0; i < PC_COUNT_OF(functions); i++) {
        if (name.len != strlen(functions[i].name))
            continue;
        unsigned differ = differences(&name, functions[i].name);
        /* No function has a name that differs in one byte: it was one of these. */
        if (differ == 1)
            return fail(p, "not the name of a function", name_at);
        if (differ != 0)
            continue;
        see_new(p, functions[i].unknown_to, name_at, name.len);
        *operand = functions[i].frame != F_NONE;
        if (*operand)
            return push(p, (struct frame){ .kind = functions[i].frame,
                                           .least = functions[i].nr,
                                           .most = functions[i].nr });
        return pc_tp_name_is(&name, "sizeof") ? take_sizeof(p) : pc_print_take(&p->in) && take_dynamic(p);
    }
    say_unprintable(p, "a function that perf does not know", name_at);
    return push(p, (struct frame){ .kind = F_CALL, .least = 0, .most = 255 });
}

/* --- expressions --- */

/* What is before the position. */
enum state {
    S_OPERAND,  /* an operand comes next */
    S_OPERATOR, /* an operand ended */
    S_NAME,     /* a name or type ended: a pointer or the end of a cast may follow */
    S_STRING,   /* a string ended */
};

static bool take_word_operand(struct parser *p, enum state *state)
{
    struct pc_tp_name item = p->in.item;
    size_t at = p->in.at;
    bool operand;
    if (pc_tp_name_is(&item, "REC")) {
        struct frame *f = top(p);
        *state = S_OPERATOR;
        pc_print_skip_blanks(&p->in);
        if (f && f->kind == F_PAREN && f->empty && next_char(p) == ')') { /* (REC)->field */
            p->depth--;
            p->in.next++;
        }
        return take_field(p);
    }
    pc_print_skip_blanks(&p->in);
    if (next_char(p) == '(') {
        p->in.at = p->in.next++;
        if (!take_call(p, item, at, &operand))
            return false;
        *state = operand ? S_OPERAND : S_OPERATOR;
        return true;
    }
    *state = S_NAME;
    return true;
}

/* After a list of pairs: another one, or the end of the call. */
static bool take_pair(struct parser *p, enum state *state)
{
    if (!pc_print_take(&p->in))
        return false;
    if (!op_is(p, "{"))
        return fail(p, "expected a list of { value, text }", p->in.at);
    size_t at = p->in.at;
    struct frame *call = top(p);
    assert(call && (call->kind == F_FLAGS || call->kind == F_SYMBOLIC));
    call->has_list = true;
    pc_print_skip_blanks(&p->in);
    if (next_char(p) == '}') {
        p->in.next++;
        say_unprintable(p, "an empty list of values", at);
        *state = S_OPERATOR;
        return true;
    }
    *state = S_OPERAND;
    return push(p, (struct frame){ .kind = F_PAIR });
}

/* An operator in front of an operand. */
static bool take_unary(struct parser *p)
{
    pc_print_skip_blanks(&p->in);
    int c = next_char(p);
    /* *(type *)pointer and &REC->field: sound, but unknown to perf. */
    if ((op_is(p, "*") && c == '(') || (op_is(p, "&") && pc_tp_is_word(c))) {
        say_unprintable(p, "an address or what it points to", p->in.at);
        return true;
    }
    return op_is(p, "+") || op_is(p, "-") || op_is(p, "~") || op_is(p, "!") ||
           fail(p, "an operand is missing", p->in.at);
}

/* "({ ... })" is skipped; else a parenthesis is opened. */
static bool open_paren(struct parser *p, enum state *state)
{
    size_t at = p->in.at;
    pc_print_skip_blanks(&p->in);
    if (next_char(p) != '{')
        return push(p, (struct frame){ .kind = F_PAREN });
    say_unprintable(p, "a statement", at);
    *state = S_OPERATOR;
    return skip_code(p, ')');
}

static bool take_operand(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    bool empty = f && f->empty;
    if (f && p->in.token != T_ITEM)
        f->empty = false;
    switch (p->in.token) {
    case T_NUMBER:
    case T_CHAR:
        *state = S_OPERATOR;
        return true;
    case T_STRING:
        *state = S_STRING;
        return true;
    case T_ITEM:
        if (!take_word_operand(p, state))
            return false;
        if (f && f == top(p)) {
            f->is_type |= f->kind == F_PAREN && empty && *state == S_NAME; /* until something else is seen */
            f->empty = false;
        }
        return true;
    case T_OP:
        if (op_is(p, "("))
            return open_paren(p, state);
        if (!op_is(p, ")") || !f || f->kind != F_CALL || f->least != 0 || !empty)
            return take_unary(p);
        p->depth--; /* a call without arguments */
        *state = S_OPERATOR;
        return true;
    default:
        return fail(p, "an operand is missing", p->in.at);
    }
}

static bool starts_operand(const struct parser *p)
{
    int c = next_char(p);
    return pc_tp_is_word(c) || c == '"' || c == '\'' || c == '(';
}

static bool close_paren(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    if (!f || f->kind == F_INDEX || f->kind == F_QUESTION || f->kind == F_PAIR)
        return fail(p, "this bracket was not opened", p->in.at);
    bool is_type = f->kind == F_PAREN && f->is_type;
    if ((f->kind == F_FLAGS || f->kind == F_SYMBOLIC) && !f->has_list)
        return fail(p, "expected a list of { value, text }", p->in.at);
    if (f->kind == F_CALL && (f->nr + 1 < f->least || f->nr + 1 > f->most))
        return fail(p, "not the arguments that the function has", p->in.at);
    if (p->numbers.length_depth == p->depth)
        pc_print_numbers_end(&p->numbers);
    bool was_paren = f->kind == F_PAREN;
    p->depth--;
    pc_print_skip_blanks(&p->in);
    *state = S_OPERATOR;
    if (was_paren && starts_operand(p)) {
        if (!is_type)
            return fail(p, "an operator is missing", p->in.next);
        *state = S_OPERAND; /* it was a cast */
    } else if (is_type && (next_char(p) == '~' ||
                           (next_char(p) == '!' && pc_print_char(&p->in, p->in.next + 1) != '='))) {
        say_unprintable(p, "a cast of an operator", p->in.next);
        *state = S_OPERAND;
    } else if (is_type && next_char(p) == '{') {
        say_unprintable(p, "a statement", p->in.next);
        p->in.at = p->in.next++;
        return skip_code(p, '}');
    }
    return true;
}

/* The text between the names of flags. */
static bool take_separator(struct parser *p)
{
    if (!pc_print_take(&p->in))
        return false;
    if (p->in.token != T_STRING && p->in.token != T_ITEM)
        return fail(p, "expected a text", p->in.at);
    return expect(p, ",", "expected \",\"");
}

static bool take_comma(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    *state = S_OPERAND;
    if (!f) {
        pc_print_numbers_argument(&p->numbers, &p->in, p->nr_args++);
        return true;
    }
    switch (f->kind) {
    case F_CALL:
        if (f->nr < 255)
            f->nr++;
        if (f->least == 0 || f->nr > 2) /* __print_hex and the like: the second argument is a length */
            return true;
        if (f->nr == 1)
            pc_print_numbers_length(&p->numbers, p->depth);
        else
            pc_print_numbers_end(&p->numbers);
        return true;
    case F_FLAGS:
    case F_SYMBOLIC:
        if (f->kind == F_FLAGS && f->nr == 0 && !take_separator(p))
            return false;
        f->nr = 1;
        return take_pair(p, state);
    case F_PAIR:
        if (f->nr++ != 0)
            return fail(p, "expected \"}\"", p->in.at);
        pc_print_skip_blanks(&p->in);
        return starts_operand(p) || fail(p, "expected a text", p->in.next);
    default:
        return fail(p, "this bracket is not closed", f->at);
    }
}

/* More stars of a pointer type in a cast; whether its parenthesis comes next. */
static bool take_stars(struct parser *p)
{
    pc_print_skip_blanks(&p->in);
    while (next_char(p) == '*' && pc_print_take(&p->in))
        pc_print_skip_blanks(&p->in);
    return next_char(p) == ')';
}

/* A question, whose answers follow. */
static bool take_question(struct parser *p)
{
    pc_print_skip_blanks(&p->in);
    if (next_char(p) != ':')
        return push(p, (struct frame){ .kind = F_QUESTION });
    say_unprintable(p, "a question without its first answer", p->in.at); /* a ?: b */
    p->in.next++;
    return true;
}

/* Ends the list of a pair: another one follows, or the end of the call. */
static bool close_pair(struct parser *p, enum state *state)
{
    const struct frame *f = top(p);
    if (!f || f->kind != F_PAIR || f->nr != 1)
        return fail(p, f && f->kind == F_PAIR ? "expected \",\" and a text" : "this bracket was not opened",
                    p->in.at);
    p->depth--;
    if (!pc_print_take(&p->in))
        return false;
    if (op_is(p, ","))
        return take_pair(p, state);
    if (!op_is(p, ")"))
        return fail(p, "expected \")\"", p->in.at);
    p->depth--;
    *state = S_OPERATOR;
    return true;
}

/* Ends a frame of one kind. */
static bool close_frame(struct parser *p, enum frame_kind kind, const char *reason)
{
    const struct frame *f = top(p);
    if (!f || f->kind != kind)
        return fail(p, reason, p->in.at);
    p->depth--;
    return true;
}

static bool take_member(struct parser *p, bool of_name)
{
    if (of_name)
        return fail(p, "only REC has members", p->in.at);
    say_unprintable(p, "a member of a structure", p->in.at);
    return pc_print_take(&p->in) &&
           (p->in.token == T_ITEM || fail(p, "expected the name of a member", p->in.at));
}

static bool take_operator(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    bool after_name = *state == S_NAME, may_be_type = f && f->kind == F_PAREN && f->is_type;
    if (p->in.token == T_ITEM && after_name && may_be_type)
        return true; /* unsigned long, struct foo: only in a cast */
    if (p->in.token != T_OP)
        return fail(p, "an operator is missing", p->in.at);
    if (op_is(p, ")"))
        return close_paren(p, state);
    if (op_is(p, ","))
        return take_comma(p, state);
    if (op_is(p, "*") && after_name && may_be_type && take_stars(p))
        return true;
    if (f)
        f->is_type = false;
    *state = S_OPERAND;
    if (op_is(p, "?"))
        return take_question(p);
    if (op_is(p, "[")) /* what an index ends in is an operand of the frame below */
        return push(p, (struct frame){ .kind = F_INDEX });
    if (op_is(p, ":"))
        return close_frame(p, F_QUESTION, "\":\" without \"?\"");
    if (op_is(p, "}"))
        return close_pair(p, state);
    bool is_member = op_is(p, "->") || op_is(p, ".");
    if (op_is(p, "]") || is_member)
        *state = S_OPERATOR;
    if (op_is(p, "]"))
        return close_frame(p, F_INDEX, "this bracket was not opened");
    if (is_member)
        return take_member(p, after_name);
    /* All others but these are between two operands. */
    return p->in.op[1] != 0 || !strchr("({!~=;", p->in.op[0]) || fail(p, "an operator is missing", p->in.at);
}

/* --- the format --- */

static bool check_args(struct parser *p)
{
    enum state state = S_OPERAND;
    pc_print_numbers_argument(&p->numbers, &p->in, 0);
    while (pc_print_take(&p->in)) {
        pc_print_numbers_token(&p->numbers, &p->in, p->depth);
        if (p->in.token == T_END) {
            if (p->depth != 0)
                return fail(p,
                            top(p)->kind == F_QUESTION ? "\"?\" without \":\"" : "the bracket is not closed",
                            top(p)->at);
            return state != S_OPERAND || fail(p, "an operand is missing", p->in.at);
        }
        if (!(state == S_OPERAND ? take_operand(p, &state) : take_operator(p, &state)))
            return false;
    }
    return false;
}

bool pc_print_fmt_check(struct pc_tp_draft *draft, struct pc_tp_fault *fault)
{
    struct parser p;
    uint32_t wanted;
    size_t start = draft->print_at, last = start;
    p.draft = draft;
    p.in = (struct pc_print_scan){ .text = draft->text, .fault = fault, .work = &draft->work, .next = start };
    p.unprintable = p.newer = *fault = (struct pc_tp_fault){ 0 };
    p.numbers = (struct pc_print_numbers){ .draft = draft, .length_depth = PC_PRINT_NO_LENGTH };
    p.nr_args = p.depth = 0;
    bool sound = pc_print_take(&p.in) &&
                 (p.in.token == T_STRING || fail(&p, "expected a text in quotes", p.in.at)) &&
                 pc_print_conversions(&p.in, start, p.in.next, &wanted, &last, &p.numbers.widths) &&
                 pc_print_take(&p.in);
    if (sound && p.in.token != T_END) {
        sound = op_is(&p, ",") || fail(&p, "expected \",\"", p.in.at);
        p.nr_args = 1;
        sound = sound && check_args(&p);
    }
    pc_print_numbers_end(&p.numbers);
    draft->work += p.in.next - start;
    if (sound) {
        const struct pc_tp_fault *faults[] = { &p.in.deadly, &p.unprintable, &p.numbers.fault };
        for (size_t i = 0; i < PC_COUNT_OF(faults) && sound; i++) {
            sound = faults[i]->kind == PC_TP_SOUND;
            if (!sound)
                *fault = *faults[i];
        }
    }
    for (uint32_t i = 0; i < draft->nr_fields && !sound; i++)
        draft->field[i].use = 0; /* perf computes nothing */
    if (!sound)
        return false;
    if (wanted > p.nr_args)
        return fail(&p, "a conversion without an argument", last);
    *fault = p.newer;
    return p.newer.kind == PC_TP_SOUND;
}
