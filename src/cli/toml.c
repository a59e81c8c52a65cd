/* SPDX-License-Identifier: MIT */
#include "cli/toml.h"

#include <stdint.h>
#include <string.h>

struct toml {
    const char *at, *end;
    char *out; /* where the next text goes */
    unsigned line;
    const char *why; /* NULL: nothing is wrong, or `take` said it */
    pc_toml_take *take;
    void *ctx;
    const char *table;
    struct {
        const char *table, *key; /* key is NULL: the table itself */
    } seen[PC_TOML_KEYS_MAX];
    size_t nr_seen;
};

static bool fail(struct toml *t, const char *why)
{
    t->why = t->why ? t->why : why;
    return false;
}

/* The next byte; 0 at the end. */
static char peek(const struct toml *t)
{
    if (t->at == t->end)
        return 0;
    return *t->at;
}

static bool take_char(struct toml *t, char c)
{
    bool is = t->at < t->end && *t->at == c;
    t->at += is;
    return is;
}

static bool begins(const struct toml *t, const char *word)
{
    size_t len = strlen(word);
    return (size_t)(t->end - t->at) >= len && memcmp(t->at, word, len) == 0;
}

static void put(struct toml *t, char c)
{
    *t->out++ = c;
}

static void skip_blanks(struct toml *t)
{
    while (peek(t) == ' ' || peek(t) == '\t')
        t->at++;
}

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f;
}

static bool take_newline(struct toml *t)
{
    if (begins(t, "\r\n"))
        t->at++;
    if (!take_char(t, '\n'))
        return false;
    t->line++;
    return true;
}

static bool skip_comment(struct toml *t)
{
    if (!take_char(t, '#'))
        return true;
    for (; t->at < t->end && *t->at != '\n' && !begins(t, "\r\n"); t->at++) {
        if (is_control(*t->at))
            return fail(t, "a control character");
    }
    return true;
}

/* Blanks, comments and ends of lines. */
static bool skip_lines(struct toml *t)
{
    do {
        skip_blanks(t);
        if (!skip_comment(t))
            return false;
    } while (take_newline(t));
    return true;
}

/* --- values --- */

static void put_utf8(struct toml *t, uint32_t c)
{
    if (c < 0x80) {
        put(t, (char)c);
        return;
    }
    unsigned more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char first[] = { 0, 0xc0, 0xe0, 0xf0 };
    put(t, (char)(first[more] | c >> 6 * more));
    while (more-- > 0)
        put(t, (char)(0x80 | (c >> 6 * more & 0x3f)));
}

static bool take_unicode(struct toml *t, unsigned digits)
{
    uint32_t c = 0;
    while (digits-- > 0) {
        static const char hex[] = "0123456789abcdef0123456789ABCDEF";
        const char *digit = peek(t) ? strchr(hex, *t->at) : NULL;
        if (!digit)
            return fail(t, "\\u takes 4 hexadecimal digits, \\U takes 8");
        c = c << 4 | (uint32_t)((digit - hex) % 16);
        t->at++;
    }
    if (c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return fail(t, "this is no character");
    put_utf8(t, c);
    return true;
}

static bool take_escape(struct toml *t)
{
    static const char letters[] = "btnfr\"\\", meanings[] = "\b\t\n\f\r\"\\";
    const char *letter = peek(t) ? strchr(letters, *t->at) : NULL;
    if (letter)
        put(t, meanings[letter - letters]);
    t->at += letter || peek(t) == 'u' || peek(t) == 'U';
    return letter || (t->at[-1] == 'u' && take_unicode(t, 4)) || (t->at[-1] == 'U' && take_unicode(t, 8)) ||
           fail(t, "there is no such escape");
}

static bool take_string(struct toml *t, char quote)
{
    if (begins(t, "\"\"\"") || begins(t, "'''"))
        return fail(t, "texts of several lines are not supported");
    t->at++;
    while (!take_char(t, quote)) {
        if (t->at == t->end || is_control(*t->at))
            return fail(t, "the text does not end on this line");
        if (quote == '"' && take_char(t, '\\')) {
            if (!take_escape(t))
                return false;
        } else {
            put(t, *t->at++);
        }
    }
    return true;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_integer(struct toml *t)
{
    const char *first = t->out;
    bool minus = take_char(t, '-');
    if (!minus)
        take_char(t, '+');
    if (minus)
        put(t, '-');
    const char *digits = t->at;
    while (is_digit(peek(t)) || (peek(t) == '_' && t->at > digits && is_digit(t->at[-1]))) {
        if (*t->at != '_')
            put(t, *t->at);
        t->at++;
    }
    if (t->at == digits || t->at[-1] == '_' || (*digits == '0' && t->at - digits > 1))
        return fail(t, "a value is a text in quotes, an integer, true, false, or an array of these");
    if (t->out - first > 20) /* 2^64 has 20 digits */
        return fail(t, "an integer is below 2^64");
    return peek(t) == 0 || strchr(" \t\r\n,]#", *t->at) ||
           fail(t, "numbers other than decimal integers, and dates, are not supported; a text such as \"5%\" "
                   "has quotes");
}

static bool take_scalar(struct toml *t, enum pc_toml_kind *kind)
{
    const char *words[] = { "true", "false" };
    *kind = PC_TOML_TEXT;
    if (peek(t) == '"' || peek(t) == '\'')
        return take_string(t, *t->at);
    *kind = PC_TOML_BOOLEAN;
    for (size_t i = 0; i < 2; i++) {
        if (!begins(t, words[i]))
            continue;
        for (const char *c = words[i]; *c; c++)
            put(t, *c);
        t->at += strlen(words[i]);
        return true;
    }
    *kind = PC_TOML_INTEGER;
    if (peek(t) == '{')
        return fail(t, "inline tables are not supported; begin a table with [NAME]");
    return take_integer(t);
}

/* Ends the text of a value and passes it on. */
static bool pass(struct toml *t, unsigned line, const char *key, const struct pc_toml_value *value)
{
    put(t, 0);
    return t->take(t->ctx, line, t->table, key, value);
}

/* The elements, or the array if it has none. */
static bool take_array(struct toml *t, const char *key)
{
    struct pc_toml_value value = { .kind = PC_TOML_ARRAY, .text = t->out };
    unsigned begin = t->line;
    t->at++;
    for (;;) {
        if (!skip_lines(t))
            return false;
        if (take_char(t, ']'))
            return value.in_array || pass(t, begin, key, &value);
        if (peek(t) == '[')
            return fail(t, "arrays of arrays are not supported");
        unsigned line = t->line;
        value.text = t->out;
        value.in_array = true;
        if (!take_scalar(t, &value.kind) || !pass(t, line, key, &value) || !skip_lines(t))
            return false;
        if (!take_char(t, ',') && peek(t) != ']')
            return fail(t, "a comma or ] is missing");
    }
}

static bool take_value(struct toml *t, const char *key)
{
    struct pc_toml_value value = { .text = t->out };
    if (peek(t) == '[')
        return take_array(t, key);
    return take_scalar(t, &value.kind) && pass(t, t->line, key, &value);
}

/* --- keys and tables --- */

static bool is_bare(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '-';
}

static const char *take_key(struct toml *t)
{
    const char *key = t->out;
    if (peek(t) == '"' || peek(t) == '\'') {
        if (!take_string(t, *t->at))
            return NULL;
    } else {
        while (is_bare(peek(t)))
            put(t, *t->at++);
        if (t->out == key) {
            fail(t, "a key is missing: a line is KEY = VALUE, [TABLE] or a comment");
            return NULL;
        }
    }
    put(t, 0);
    skip_blanks(t);
    if (peek(t) != '.')
        return key;
    fail(t, "keys with dots are not supported; begin a table with [NAME]");
    return NULL;
}

static bool same(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_new(struct toml *t, const char *table, const char *key)
{
    for (size_t i = 0; i < t->nr_seen; i++) {
        if (same(t->seen[i].table, table) && same(t->seen[i].key, key))
            return fail(t, key ? "the key was there before" : "the table was there before");
    }
    if (t->nr_seen == PC_TOML_KEYS_MAX)
        return fail(t, "there are more than 256 keys and tables");
    t->seen[t->nr_seen].table = table;
    t->seen[t->nr_seen++].key = key;
    return true;
}

static bool take_table(struct toml *t)
{
    t->at++;
    if (peek(t) == '[')
        return fail(t, "arrays of tables are not supported");
    skip_blanks(t);
    const char *name = take_key(t);
    if (!name || !is_new(t, name, NULL) || !is_new(t, "", name))
        return false;
    t->table = name;
    if (!take_char(t, ']'))
        return fail(t, "] is missing");
    return t->take(t->ctx, t->line, name, NULL, NULL);
}

static bool take_pair(struct toml *t)
{
    const char *key = take_key(t);
    if (!key || !(take_char(t, '=') || fail(t, "= is missing")))
        return false;
    skip_blanks(t);
    return is_new(t, t->table, key) && take_value(t, key);
}

/* Editors of other systems write it, and it is not seen. */
static bool is_unmarked(struct toml *t)
{
    if (begins(t, "\xef\xbb\xbf") || begins(t, "\xff\xfe") || begins(t, "\xfe\xff"))
        return fail(t, "it begins with a byte order mark; save it as UTF-8 without one");
    return true;
}

bool pc_toml_read(const char *text, size_t size, char *room, pc_toml_take *take, void *ctx, unsigned *line,
                  const char **why)
{
    struct toml t = {
        .at = text, .end = text + size, .out = room, .line = 1, .table = "", .take = take, .ctx = ctx
    };
    bool good = is_unmarked(&t);
    while (good && (good = skip_lines(&t)) && t.at < t.end) {
        good = peek(&t) == '[' ? take_table(&t) : take_pair(&t);
        skip_blanks(&t);
        good = good && skip_comment(&t) &&
               (t.at == t.end || take_newline(&t) || fail(&t, "something follows the value"));
    }
    *line = t.line;
    *why = t.why;
    return good;
}
