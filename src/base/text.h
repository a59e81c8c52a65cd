/* SPDX-License-Identifier: MIT
 *
 * text.h: makes text from a capture safe to show. All such text that reaches a terminal, a log or a JSON
 * string passes here.
 */
#ifndef PC_TEXT_H
#define PC_TEXT_H

#include "base/base.h"

/* Bytes that the escaped form of n bytes takes at most, with its NUL. */
#define PC_ESCAPED_MAX(n) (4 * (n) + 1)

/* Copies valid UTF-8 but NUL as it is, and every other byte as \xNN. A backslash before an x is escaped too,
 * so that no two texts look the same. to has room for PC_ESCAPED_MAX(text.len). plain: control characters are
 * escaped too, and the marks that change the direction or the line of what follows. Returns the length. */
size_t pc_text_escape(struct pc_span text, bool plain, char *to);

/* Whether a code point is a mark that changes the direction or the line of what follows. */
static inline bool pc_text_is_mark(uint32_t code)
{
    return (code >= 0x200e && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Length of the valid UTF-8 sequence at the start of the text, which is not empty, or 0. */
size_t pc_text_utf8_length(struct pc_span text);

/* Whether all of the text is valid UTF-8. */
bool pc_text_is_utf8(struct pc_span text);

/* How unlike two words are: how many letters are added, left out, exchanged or swapped with the next, without
 * regard to case. Words of over 63 bytes are as unlike as they are long. */
size_t pc_text_distance(const char *a, const char *b);

/* A candidate becomes *best (NULL: none yet) when the word is probably a mistake for it, more than for *best.
 * One number is no mistake for another. */
void pc_text_suggest(const char *word, const char *candidate, const char **best);

/* Whether a list of words with | between them has this one. A word that itself has a | is in no list. */
bool pc_text_has_word(const char *list, const char *word);

/* A decimal number; is_size: it may end with K, M or G for so many 1024, their squares or cubes. False: it is
 * none, or 2^64 or more, and *n stays. */
bool pc_text_number(const char *text, bool is_size, uint64_t *n);

/* The meaning of an errno, as a static string; never NULL. Numbers that only the kernel uses have one too:
 * some file systems return them. */
const char *pc_text_error(int error);

#endif
