/* SPDX-License-Identifier: MIT
 *
 * messages.c: finds a message of another tool in messages.def.
 */
#include "cli/messages.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct pc_message rows[] = {
#define M(tool, text, meaning, next, findings) { tool, text, meaning, next, findings },
#include "cli/messages.def"
#undef M
};
enum { NR_ROWS = sizeof(rows) / sizeof(*rows) };

/* The end of a number, which may be hexadecimal or negative; the same place: there is none. */
static const char *skip_number(const char *text)
{
    const char *digits = text + (*text == '-');
    bool hex = digits[0] == '0' && digits[1] == 'x' && isxdigit((unsigned char)digits[2]);
    const char *end = digits + (hex ? 2 : 0);
    while (hex ? isxdigit((unsigned char)*end) : isdigit((unsigned char)*end))
        end++;
    return end == digits ? text : end;
}

static bool begins_with(const char *printed, const char *text)
{
    for (; *text; text++) {
        const char *next = *text == '#' ? skip_number(printed) : printed + 1;
        if (*text == '#' ? next == printed
                         : tolower((unsigned char)*printed) != tolower((unsigned char)*text))
            return false;
        printed = next;
    }
    return true;
}

static bool contains(const char *printed, const char *text)
{
    while (*printed && !begins_with(printed, text))
        printed++;
    return *printed;
}

const struct pc_message *pc_message_find(const char *printed)
{
    for (size_t i = 0; i < NR_ROWS; i++) {
        if (contains(printed, rows[i].text))
            return &rows[i];
    }
    for (size_t i = 0; i < NR_ROWS && strlen(printed) >= 8; i++) {
        if (contains(rows[i].text, printed))
            return &rows[i];
    }
    return NULL;
}

const struct pc_message *pc_message_at(unsigned number)
{
    return number < NR_ROWS ? &rows[number] : NULL;
}
