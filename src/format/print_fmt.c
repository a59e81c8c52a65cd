/* SPDX-License-Identifier: MIT */
#include "format/print_fmt.h"
#include "base/text.h"

#include <string.h>

enum token { T_END, T_ITEM, T_NUMBER, T_STRING, T_CHAR, T_OP };

/* Operators and brackets, the longer ones first. */
static const char operators[][3] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "->", "(", ")",
                                     "[",  "]",  "{",  "}",  ",",  "?",  ":",  "+",  "-",  "*", "/",
                                     "%",  "&",  "|",  "^",  "<",  ">",  "!",  "~",  ".",  "=", ";" };

/* What a bracket or an open question belongs to. */
enum frame_kind { F_PAREN, F_INDEX, F_QUESTION, F_CALL, F_FLAGS, F_SYMBOLIC, F_PAIR };

struct frame {
    uint8_t kind;
    uint8_t least, most; /* F_CALL: arguments */
    uint8_t nr;          /* arguments so far, counted to 255; of F_PAIR, values */
    bool is_type;        /* F_PAREN: what is in it may be a type */
    bool empty;          /* nothing stands behind the bracket yet */
    bool has_list;       /* F_FLAGS, F_SYMBOLIC: a pair has come */
    size_t at;
};

struct parser {
    struct pc_tp_draft *draft;
    struct pc_span text;
    struct pc_tp_fault *fault;
    struct pc_tp_fault odd;   /* the first thing that perf cannot evaluate */
    struct pc_tp_fault newer; /* the first function that the most versions do not know */
    size_t next;              /* behind the token */
    enum token token;
    size_t at; /* of the token */
    const char *op;
    struct pc_tp_name item;
    uint32_t nr_args;
    uint32_t depth;
    struct frame frame[PC_PRINT_FMT_DEPTH];
};

static bool fail(struct parser *p, const char *reason, size_t at)
{
    *p->fault = (struct pc_tp_fault){ .kind = PC_TP_BAD_PRINT, .reason = reason, .at = at };
    return false;
}

static void unprintable(struct parser *p, const char *reason, size_t at)
{
    if (p->odd.kind == PC_TP_SOUND)
        p->odd = (struct pc_tp_fault){ .kind = PC_TP_UNPRINTABLE, .reason = reason, .at = at };
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

/* --- tokens --- */

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c);
}

static int char_at(const struct parser *p, size_t at)
{
    return at < p->text.len ? p->text.ptr[at] : -1;
}

/* The line ends where the text ends: perf up to 6.1 takes no line end between the arguments. */
static void skip_blanks(struct parser *p)
{
    int c;
    while ((c = char_at(p, p->next)) == ' ' || c == '\t' || (c == '\n' && p->next + 1 == p->text.len))
        p->next++;
}

/* Steps over what is between quotes, the position being behind the first. */
static bool take_quoted(struct parser *p, int quote)
{
    for (;;) {
        int c = char_at(p, p->next);
        if (c < 0)
            return fail(p, "the quotes are not closed", p->at);
        if (c == quote) {
            p->next++;
            return true;
        }
        struct pc_span rest = { p->text.ptr + p->next, p->text.len - p->next };
        size_t len = c < 0x80 ? 1 : pc_text_utf8_length(rest);
        if (len == 0 || (c < ' ' && c != '\t' && c != '\n') || c == 0x7f)
            return fail(p, "a character that no text has", p->next);
        if (c == '\\') {
            if (char_at(p, p->next + 1) < ' ')
                return fail(p, "the quotes are not closed", p->at);
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
        if (!(octal ? c >= '0' && c <= '7' : is_digit(c) || (hex && low >= 'a' && low <= 'f')))
            break;
    }
    for (; i < item.len; i++, suffix++) {
        unsigned char low = item.ptr[i] | 0x20;
        if (low != 'u' && low != 'l')
            return false;
    }
    return digits != 0 && suffix <= 3;
}

static bool take_token(struct parser *p)
{
    skip_blanks(p);
    p->at = p->next;
    p->op = "";
    p->draft->work++;
    int c = char_at(p, p->next);
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
            skip_blanks(p);
        } while (char_at(p, p->next) == '"');
        p->at = start;
        return true;
    }
    if (c == '\'') {
        p->token = T_CHAR;
        p->next++;
        if (!take_quoted(p, '\''))
            return false;
        return p->next - p->at > 2 || fail(p, "nothing stands between the quotes", p->at);
    }
    if (is_word(c)) {
        while (is_word(char_at(p, p->next)))
            p->next++;
        p->item = (struct pc_tp_name){ p->text.ptr + p->at, p->next - p->at };
        p->token = is_digit(c) ? T_NUMBER : T_ITEM;
        return p->token == T_ITEM || number_is_sound(p->item) || fail(p, "not a number", p->at);
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
    return fail(p, "a character that no expression has", p->at);
}

static bool op_is(const struct parser *p, const char *op)
{
    return strcmp(p->op, op) == 0;
}

static bool item_is(const struct pc_tp_name *item, const char *text)
{
    return item->len == strlen(text) && memcmp(item->ptr, text, item->len) == 0;
}

static bool expect(struct parser *p, const char *op, const char *reason)
{
    return take_token(p) && (op_is(p, op) || fail(p, reason, p->at));
}

/* --- frames --- */

static struct frame *top(struct parser *p)
{
    return p->depth == 0 ? NULL : &p->frame[p->depth - 1];
}

static bool push(struct parser *p, struct frame frame)
{
    if (p->depth == PC_PRINT_FMT_DEPTH) {
        *p->fault = (struct pc_tp_fault){
            .kind = PC_TP_LIMIT, .reason = "brackets in a print fmt", .at = p->at, .limit = PC_PRINT_FMT_DEPTH
        };
        return false;
    }
    frame.at = p->at;
    frame.empty = true;
    p->frame[p->depth++] = frame;
    return true;
}

/* --- functions --- */

enum call { C_PLAIN, C_FIELD, C_FLAGS, C_SYMBOLIC, C_SIZEOF };

/* What perf 7.2 knows (libtraceevent: process_function), with the numbers of arguments and the versions that
 * do not know it. */
static const struct {
    const char *name;
    uint8_t call, nr, unknown_to;
} functions[] = {
    { "__print_flags", C_FLAGS, 0, PC_BY_NONE },
    { "__print_symbolic", C_SYMBOLIC, 0, PC_BY_NONE },
    { "__print_hex", C_PLAIN, 2, PC_BY_NONE },
    { "__print_hex_str", C_PLAIN, 2, PC_BY_NONE },
    { "__print_array", C_PLAIN, 3, PC_BY_NONE },
    { "__get_str", C_FIELD, 0, PC_BY_NONE },
    { "__get_rel_str", C_FIELD, 0, PC_BY_5_10 },
    { "__get_bitmask", C_FIELD, 0, PC_BY_NONE },
    { "__get_rel_bitmask", C_FIELD, 0, PC_BY_5_10 },
    { "__get_cpumask", C_FIELD, 0, PC_BY_TO_6_1 },
    { "__get_rel_cpumask", C_FIELD, 0, PC_BY_TO_6_1 },
    { "__get_dynamic_array", C_FIELD, 0, PC_BY_NONE },
    { "__get_rel_dynamic_array", C_FIELD, 0, PC_BY_5_10 },
    { "__get_dynamic_array_len", C_FIELD, 0, PC_BY_NONE },
    { "__get_rel_dynamic_array_len", C_FIELD, 0, PC_BY_5_10 },
    { "__get_sockaddr", C_FIELD, 0, PC_BY_TO_6_1 },
    { "__get_sockaddr_rel", C_FIELD, 0, PC_BY_TO_6_1 },
    { "__builtin_expect", C_PLAIN, 2, PC_BY_NONE },
    { "sizeof", C_SIZEOF, 0, PC_BY_TO_6_1 },
};

/* The number of bytes in which two names of the same length differ, up to 2. */
static unsigned differences(const struct pc_tp_name *item, const char *name)
{
    unsigned nr = 0;
    for (size_t i = 0; i < item->len && nr < 2; i++)
        nr += item->ptr[i] != (unsigned char)name[i];
    return nr;
}

/* REC->NAME, the position being behind REC. */
static bool take_field(struct parser *p)
{
    if (!expect(p, "->", "expected \"->\" behind REC") || !take_token(p))
        return false;
    if (p->token != T_ITEM || pc_tp_draft_field(p->draft, p->item) < 0)
        return fail(p, "expected the name of a field", p->at);
    return true;
}

/* Steps over code that perf cannot evaluate, up to the bracket that closes the open one. */
static bool skip_code(struct parser *p, char close)
{
    size_t start = p->at, base = p->depth;
    static const char pairs[] = "(){}[]";
    if (!push(p, (struct frame){ .kind = (uint8_t)close }))
        return false;
    while (p->depth > base) {
        if (!take_token(p))
            return false;
        if (p->token == T_END)
            return fail(p, "the bracket is not closed", start);
        const char *pair = p->token == T_OP && p->op[1] == 0 ? strchr(pairs, p->op[0]) : NULL;
        if (!pair)
            continue;
        if ((pair - pairs) % 2 == 0) {
            if (!push(p, (struct frame){ .kind = (uint8_t)pair[1] }))
                return false;
        } else if (top(p)->kind != (uint8_t)*pair) {
            return fail(p, "this bracket was not opened", p->at);
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
        if (!take_token(p))
            return false;
        if (p->token == T_ITEM && item_is(&p->item, "REC") && words == 0) {
            if (!take_field(p))
                return false;
            words++;
        } else if (p->token == T_ITEM || (op_is(p, "*") && words != 0)) {
            words++;
        } else if (words != 0 && (op_is(p, "[") || op_is(p, "->") || op_is(p, "."))) {
            unprintable(p, "the size of an expression", p->at);
            p->next = p->at;
            return skip_code(p, ')');
        } else {
            return (op_is(p, ")") && words != 0) || fail(p, "expected a type in sizeof", p->at);
        }
    }
}

/* NAME) of a dynamic array, or NAME[NUMBER]) of an array of them. */
static bool take_dynamic(struct parser *p)
{
    int field = p->token == T_ITEM ? pc_tp_draft_field(p->draft, p->item) : -1;
    if (field < 0)
        return fail(p, "expected the name of a field", p->at);
    const struct pc_tp_field *f = &p->draft->field[field];
    if (f->cls == PC_TP_DATA_LOC && f->of_arrays && char_at(p, p->next) == '[') {
        unprintable(p, "an element of an array of arrays", p->next);
        p->next++;
        if (!take_token(p))
            return false;
        if (p->token != T_NUMBER)
            return fail(p, "expected a number", p->at);
        if (!expect(p, "]", "expected \"]\""))
            return false;
    }
    return expect(p, ")", "expected \")\"");
}

/* A call, the position being behind its "(". *operand: an operand comes next. */
static bool take_call(struct parser *p, struct pc_tp_name name, size_t name_at, bool *operand)
{
    *operand = true;
    for (size_t i = 0; i < PC_COUNT_OF(functions); i++) {
        if (name.len != strlen(functions[i].name))
            continue;
        unsigned differ = differences(&name, functions[i].name);
        /* Nobody names a function like one of these but for a byte: it was one of these. */
        if (differ == 1)
            return fail(p, "not the name of a function", name_at);
        if (differ != 0)
            continue;
        see_new(p, functions[i].unknown_to, name_at, name.len);
        switch (functions[i].call) {
        case C_FLAGS:
            return push(p, (struct frame){ .kind = F_FLAGS });
        case C_SYMBOLIC:
            return push(p, (struct frame){ .kind = F_SYMBOLIC });
        case C_PLAIN:
            return push(p,
                        (struct frame){ .kind = F_CALL, .least = functions[i].nr, .most = functions[i].nr });
        case C_SIZEOF:
            *operand = false;
            return take_sizeof(p);
        default:
            *operand = false;
            if (!take_token(p))
                return false;
            return take_dynamic(p);
        }
    }
    unprintable(p, "a function that perf does not know", name_at);
    return push(p, (struct frame){ .kind = F_CALL, .least = 0, .most = 255 });
}

/* --- expressions --- */

/* What the position stands behind. */
enum state {
    S_OPERAND,  /* an operand comes next */
    S_OPERATOR, /* an operand ended */
    S_NAME,     /* a name or type ended: a pointer or the end of a cast may follow */
    S_STRING,   /* a string ended */
};

static bool take_word_operand(struct parser *p, enum state *state)
{
    struct pc_tp_name item = p->item;
    size_t at = p->at;
    bool operand;
    if (item_is(&item, "REC")) {
        struct frame *f = top(p);
        *state = S_OPERATOR;
        skip_blanks(p);
        if (f && f->kind == F_PAREN && f->empty && char_at(p, p->next) == ')') { /* (REC)->field */
            p->depth--;
            p->next++;
        }
        return take_field(p);
    }
    skip_blanks(p);
    if (char_at(p, p->next) == '(') {
        p->at = p->next++;
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
    if (!take_token(p))
        return false;
    if (!op_is(p, "{"))
        return fail(p, "expected a list of { value, text }", p->at);
    size_t at = p->at;
    struct frame *call = top(p);
    assert(call && (call->kind == F_FLAGS || call->kind == F_SYMBOLIC));
    call->has_list = true;
    skip_blanks(p);
    if (char_at(p, p->next) == '}') {
        p->next++;
        unprintable(p, "an empty list of values", at);
        *state = S_OPERATOR;
        return true;
    }
    *state = S_OPERAND;
    return push(p, (struct frame){ .kind = F_PAIR });
}

static bool take_operand(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    bool empty = f && f->empty;
    switch (p->token) {
    case T_NUMBER:
    case T_CHAR:
        *state = S_OPERATOR;
        break;
    case T_STRING:
        *state = S_STRING;
        break;
    case T_ITEM:
        if (!take_word_operand(p, state))
            return false;
        if (f && f == top(p) && f->kind == F_PAREN && empty && *state == S_NAME)
            f->is_type = true; /* until something else is seen */
        break;
    case T_OP:
        if (op_is(p, "(")) {
            size_t at = p->at;
            skip_blanks(p);
            if (char_at(p, p->next) == '{') {
                unprintable(p, "a statement", at);
                *state = S_OPERATOR;
                if (!skip_code(p, ')'))
                    return false;
                break;
            }
            if (f)
                f->empty = false;
            return push(p, (struct frame){ .kind = F_PAREN });
        }
        skip_blanks(p);
        /* *(type *)pointer and &REC->field: sound, but unknown to perf. */
        if ((op_is(p, "*") && char_at(p, p->next) == '(') || (op_is(p, "&") && is_word(char_at(p, p->next))))
            unprintable(p, "an address or what it points to", p->at);
        else if (op_is(p, ")") && f && f->kind == F_CALL && f->least == 0 && empty) {
            p->depth--;
            *state = S_OPERATOR;
            return true;
        } else if (!op_is(p, "+") && !op_is(p, "-") && !op_is(p, "~") && !op_is(p, "!"))
            return fail(p, "an operand is missing", p->at);
        break;
    default:
        return fail(p, "an operand is missing", p->at);
    }
    if (f && f == top(p))
        f->empty = false;
    return true;
}

static bool starts_operand(const struct parser *p)
{
    int c = char_at(p, p->next);
    return is_word(c) || c == '"' || c == '\'' || c == '(';
}

static bool close_paren(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    if (!f || f->kind == F_INDEX || f->kind == F_QUESTION || f->kind == F_PAIR)
        return fail(p, "this bracket was not opened", p->at);
    bool is_type = f->kind == F_PAREN && f->is_type;
    if ((f->kind == F_FLAGS || f->kind == F_SYMBOLIC) && !f->has_list)
        return fail(p, "expected a list of { value, text }", p->at);
    if (f->kind == F_CALL && (f->nr + 1 < f->least || f->nr + 1 > f->most))
        return fail(p, "not the arguments that the function has", p->at);
    bool was_paren = f->kind == F_PAREN;
    p->depth--;
    skip_blanks(p);
    *state = S_OPERATOR;
    if (was_paren && starts_operand(p)) {
        if (!is_type)
            return fail(p, "an operator is missing", p->next);
        *state = S_OPERAND; /* it was a cast */
    } else if (is_type && (char_at(p, p->next) == '~' ||
                           (char_at(p, p->next) == '!' && char_at(p, p->next + 1) != '='))) {
        unprintable(p, "a cast of an operator", p->next);
        *state = S_OPERAND;
    } else if (is_type && char_at(p, p->next) == '{') {
        unprintable(p, "a statement", p->next);
        p->at = p->next++;
        return skip_code(p, '}');
    }
    return true;
}

static bool take_comma(struct parser *p, enum state *state)
{
    struct frame *f = top(p);
    *state = S_OPERAND;
    if (!f) {
        p->nr_args++;
        return true;
    }
    switch (f->kind) {
    case F_CALL:
        if (f->nr < 255)
            f->nr++;
        return true;
    case F_FLAGS:
        if (f->nr++ == 0) { /* what stands between the names */
            if (!take_token(p))
                return false;
            if (p->token != T_STRING && p->token != T_ITEM)
                return fail(p, "expected a text", p->at);
            if (!expect(p, ",", "expected \",\""))
                return false;
        }
        f->nr = 1;
        return take_pair(p, state);
    case F_SYMBOLIC:
        f->nr = 1;
        return take_pair(p, state);
    case F_PAIR:
        if (f->nr++ != 0)
            return fail(p, "expected \"}\"", p->at);
        skip_blanks(p);
        return starts_operand(p) || fail(p, "expected a text", p->next);
    default:
        return fail(p, "this bracket is not closed", f->at);
    }
}

/* A pointer type in a cast: the star and what is up to the parenthesis. */
static bool take_stars(struct parser *p)
{
    do {
        skip_blanks(p);
        if (char_at(p, p->next) == ')')
            return true;
    } while (char_at(p, p->next) == '*' && take_token(p));
    return true;
}

static bool take_operator(struct parser *p, enum state *state)
{
    static const char *const binary[] = { "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+",
                                          "-",  "*",  "/",  "%",  "&",  "|",  "^",  "<",  ">" };
    struct frame *f = top(p);
    enum state before = *state;
    if (p->token == T_ITEM && before == S_NAME) {
        /* unsigned long, struct foo: only in a cast */
        if (f && f->kind == F_PAREN && f->is_type)
            return true;
        return fail(p, "an operator is missing", p->at);
    }
    if (p->token != T_OP)
        return fail(p, "an operator is missing", p->at);
    if (op_is(p, ")"))
        return close_paren(p, state);
    if (op_is(p, ","))
        return take_comma(p, state);
    if (op_is(p, "*") && before == S_NAME && f && f->kind == F_PAREN && f->is_type) {
        if (!take_stars(p))
            return false;
        if (char_at(p, p->next) == ')')
            return true;
    }
    if (f && f->kind == F_PAREN)
        f->is_type = false;
    *state = S_OPERAND;
    if (op_is(p, "?")) {
        skip_blanks(p);
        if (char_at(p, p->next) == ':') { /* a ?: b */
            unprintable(p, "a question without its first answer", p->at);
            p->next++;
            return true;
        }
        return push(p, (struct frame){ .kind = F_QUESTION });
    }
    if (op_is(p, "[")) {
        /* What an index ends in is an operand of the frame below. */
        return push(p, (struct frame){ .kind = F_INDEX });
    }
    if (op_is(p, ":")) {
        if (!f || f->kind != F_QUESTION)
            return fail(p, "\":\" without \"?\"", p->at);
        p->depth--;
        return true;
    }
    if (op_is(p, "]")) {
        if (!f || f->kind != F_INDEX)
            return fail(p, "this bracket was not opened", p->at);
        p->depth--;
        *state = S_OPERATOR;
        return true;
    }
    if (op_is(p, "}")) {
        if (!f || f->kind != F_PAIR || f->nr != 1)
            return fail(p,
                        f && f->kind == F_PAIR ? "expected \",\" and a text" : "this bracket was not opened",
                        p->at);
        p->depth--;
        /* The list goes on, or it ends, and with it the call. */
        if (!take_token(p))
            return false;
        if (op_is(p, ","))
            return take_pair(p, state);
        if (!op_is(p, ")"))
            return fail(p, "expected \")\"", p->at);
        p->depth--;
        *state = S_OPERATOR;
        return true;
    }
    if (op_is(p, "->") || op_is(p, ".")) {
        if (before == S_NAME)
            return fail(p, "only REC has members", p->at);
        unprintable(p, "a member of a structure", p->at);
        *state = S_OPERATOR;
        return take_token(p) && (p->token == T_ITEM || fail(p, "expected the name of a member", p->at));
    }
    for (size_t i = 0; i < PC_COUNT_OF(binary); i++) {
        if (op_is(p, binary[i]))
            return true;
    }
    return fail(p, "an operator is missing", p->at);
}

/* --- the format --- */

/* The number of arguments that the conversions between these positions take. The text is quoted, so a
 * backslash is an escape; no escape makes a '%'. */
static bool count_conversions(struct parser *p, size_t start, size_t end, uint32_t *nr, size_t *last)
{
    *nr = 0;
    for (size_t i = start; i < end; i++) {
        if (p->text.ptr[i] != '%')
            continue;
        size_t at = i++;
        if (i < end && p->text.ptr[i] == '%')
            continue;
        while (i < end && strchr("-+ #0", p->text.ptr[i]))
            i++;
        for (; i < end && (is_digit(p->text.ptr[i]) || p->text.ptr[i] == '*' || p->text.ptr[i] == '.'); i++)
            *nr += p->text.ptr[i] == '*';
        /* A conversion may be split over two strings: "%" PRIu64. */
        char before = 0;
        size_t letters = 0;
        for (; i < end && strchr("hlLqjzt\" ", p->text.ptr[i]); i++) {
            char c = (char)p->text.ptr[i];
            if (c == '"' || c == ' ')
                continue;
            if (letters != 0 && (letters > 1 || c != before || (c != 'h' && c != 'l')))
                return fail(p, "not a conversion", at);
            before = c;
            letters++;
        }
        if (i >= end || !strchr("diouxXcspneEfFgGaA", p->text.ptr[i]))
            return fail(p, "not a conversion", at);
        ++*nr;
        *last = at;
    }
    return true;
}

static bool check_args(struct parser *p)
{
    enum state state = S_OPERAND;
    while (take_token(p)) {
        if (p->token == T_END) {
            if (p->depth != 0)
                return fail(p,
                            top(p)->kind == F_QUESTION ? "\"?\" without \":\"" : "the bracket is not closed",
                            top(p)->at);
            return state != S_OPERAND || fail(p, "an operand is missing", p->at);
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
    p.text = draft->text;
    p.fault = fault;
    p.odd = p.newer = *fault = (struct pc_tp_fault){ 0 };
    p.next = start;
    p.nr_args = p.depth = 0;
    bool sound = take_token(&p) && (p.token == T_STRING || fail(&p, "expected a text in quotes", p.at)) &&
                 count_conversions(&p, start, p.next, &wanted, &last) && take_token(&p);
    if (sound && p.token != T_END) {
        sound = op_is(&p, ",") || fail(&p, "expected \",\"", p.at);
        p.nr_args = 1;
        sound = sound && check_args(&p);
    }
    draft->work += p.next - start;
    if (!sound)
        return false;
    if (p.odd.kind != PC_TP_SOUND) {
        *fault = p.odd;
        return false;
    }
    if (wanted > p.nr_args)
        return fail(&p, "a conversion without an argument", last);
    *fault = p.newer;
    return p.newer.kind == PC_TP_SOUND;
}
