/* SPDX-License-Identifier: MIT
 *
 * Escapes text from captures, and names errors of the system.
 */
#include "base/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Length of the valid UTF-8 sequence at the start, or 0. RFC 3629: no surrogates, no overlong forms. */
static size_t utf8_length(struct pc_span s, uint32_t *code)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    unsigned char c = s.ptr[0];
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : (c & 0xf0) == 0xe0    ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;
    if (n == 0 || n > s.len)
        return 0;
    *code = n == 1 ? c : c & (0x7fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s.ptr[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (s.ptr[i] & 0x3fu);
    }
    if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
        return 0;
    return n;
}

size_t pc_text_escape(struct pc_span text, bool plain, char *to)
{
    static const char hex[] = "0123456789abcdef";
    size_t out = 0, n;
    for (size_t i = 0; i < text.len; i += n) {
        struct pc_span rest = { text.ptr + i, text.len - i };
        uint32_t code = 0;
        if (rest.ptr[0] >= ' ' && rest.ptr[0] <= '~' && rest.ptr[0] != '\\') { /* most of all text */
            to[out++] = (char)rest.ptr[0];
            n = 1;
            continue;
        }
        n = utf8_length(rest, &code);
        /* Text that looks like an escape is none. */
        bool mistaken = code == '\\' && rest.len > 1 && rest.ptr[1] == 'x';
        /* C0, C1, and marks. */
        bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || pc_text_is_mark(code);
        if (n != 0 && code != 0 && !mistaken && !(plain && control)) {
            for (size_t k = 0; k < n; k++)
                to[out++] = (char)rest.ptr[k];
            continue;
        }
        n = n == 0 ? 1 : n;
        for (size_t k = 0; k < n; k++) {
            to[out++] = '\\';
            to[out++] = 'x';
            to[out++] = hex[rest.ptr[k] >> 4];
            to[out++] = hex[rest.ptr[k] & 15];
        }
    }
    to[out] = 0;
    return out;
}

size_t pc_text_utf8_length(struct pc_span text)
{
    uint32_t code;
    return utf8_length(text, &code);
}

/* How many bytes at the start of a text are ASCII for certain: nearly all texts are, up to their end. */
static size_t ascii_length(struct pc_span text)
{
    const uint64_t high = 0x8080808080808080;
    size_t n = 0;
    uint64_t word;
    for (; text.len - n >= sizeof(word); n += sizeof(word)) {
        memcpy(&word, text.ptr + n, sizeof(word));
        if (word & high)
            return n;
    }
    while (n < text.len && text.ptr[n] < 0x80)
        n++;
    return n;
}

bool pc_text_is_utf8(struct pc_span text)
{
    uint32_t code;
    size_t n = ascii_length(text);
    text = (struct pc_span){ text.ptr + n, text.len - n };
    for (; text.len != 0; text = (struct pc_span){ text.ptr + n, text.len - n }) {
        n = utf8_length(text, &code);
        if (n == 0)
            return false;
    }
    return true;
}

#define WORD_MAX 64

static unsigned char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : (unsigned char)c;
}

/* Optimal string alignment: rows of the table are the letters of a. */
size_t pc_text_distance(const char *a, const char *b)
{
    size_t row[3][WORD_MAX], n = strlen(a), m = strlen(b);
    if (n >= WORD_MAX || m >= WORD_MAX)
        return n > m ? n : m;
    for (size_t i = 0; i <= n; i++) {
        size_t *now = row[i % 3];
        const size_t *last = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        for (size_t j = 0; j <= m; j++) {
            now[j] = i == 0 ? j : last[j] + 1;
            if (i == 0 || j == 0)
                continue;
            bool same = lower(a[i - 1]) == lower(b[j - 1]);
            bool swapped =
                i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
            if (last[j - 1] + !same < now[j])
                now[j] = last[j - 1] + !same;
            if (now[j - 1] + 1 < now[j])
                now[j] = now[j - 1] + 1;
            if (swapped && before[j - 2] + 1 < now[j])
                now[j] = before[j - 2] + 1;
        }
    }
    return row[n % 3][m];
}

/* Whether both have numbers, and nothing but these differs. */
static bool have_other_numbers(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    if (!strpbrk(a, digits) || !strpbrk(b, digits) || pc_text_distance(a, b) == 0)
        return false;
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a == 0 || lower(*a) != lower(*b))
            return *a == *b;
    }
}

/* Their distance, but 1 for a word of three letters or more with which the other begins, and has no digit
 * after it (warn, warning), or which begins with the other and has a dash there (big-endian, big). */
static size_t unlikeness(const char *word, const char *candidate)
{
    const size_t len = strlen(word), whole = strlen(candidate), least = 3;
    const size_t n = len < whole ? len : whole;
    bool begins = n >= least && len != whole && strncasecmp(word, candidate, n) == 0;
    if (begins && (n == len ? !strpbrk(candidate + n, "0123456789") : word[n] == '-'))
        return 1;
    return pc_text_distance(word, candidate);
}

void pc_text_suggest(const char *word, const char *candidate, const char **best)
{
    size_t len = strlen(word), n = unlikeness(word, candidate);
    if (n < len && n <= 1 + len / 6 && !have_other_numbers(word, candidate) &&
        (!*best || n < unlikeness(word, *best)))
        *best = candidate;
}

bool pc_text_has_word(const char *list, const char *word)
{
    size_t len = strlen(word);
    if (strchr(word, '|'))
        return false;
    while (strncmp(list, word, len) != 0 || (list[len] != '|' && list[len] != 0)) {
        if (!(list = strchr(list, '|')))
            return false;
        list++;
    }
    return true;
}

bool pc_text_number(const char *text, bool is_size, uint64_t *n)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (errno != 0)
        return false;
    static const char units[] = "KMG";
    const char *unit = is_size && *end ? strchr(units, *end) : NULL;
    if (unit && !pc_mul(value, (uint64_t)1 << (10 * (unit - units + 1)), &value))
        return false;
    if (end[unit != NULL] != 0)
        return false;
    *n = value;
    return true;
}

const char *pc_text_error(int error)
{
    /* Numbers of include/linux/errno.h, which the C library does not know. */
    static const char *const kernel[] = { "kernel error 512 (ERESTARTSYS)",
                                          "kernel error 513 (ERESTARTNOINTR)",
                                          "kernel error 514 (ERESTARTNOHAND)",
                                          "kernel error 515 (ENOIOCTLCMD)",
                                          "kernel error 516",
                                          "kernel error 517 (EPROBE_DEFER)",
                                          "kernel error 518 (EOPENSTALE)",
                                          "kernel error 519 (ENOPARAM)",
                                          "kernel error 520",
                                          "kernel error 521 (EBADHANDLE)",
                                          "kernel error 522 (ENOTSYNC)",
                                          "kernel error 523 (EBADCOOKIE)",
                                          "kernel error 524 (ENOTSUPP)",
                                          "kernel error 525 (ETOOSMALL)",
                                          "kernel error 526 (ESERVERFAULT)",
                                          "kernel error 527 (EBADTYPE)",
                                          "kernel error 528 (EJUKEBOX)",
                                          "kernel error 529 (EIOCBQUEUED)",
                                          "kernel error 530 (ERECALLCONFLICT)" };
    const int first = 512;
#ifdef __GLIBC__
    const char *text = strerrordesc_np(error);
#else
    const char *text = error < first ? strerror(error) : NULL; /* which has no language here */
#endif
    if (!text && error >= first && error - first < (int)PC_COUNT_OF(kernel))
        text = kernel[error - first];
    return text ? text : "an error without a name";
}
