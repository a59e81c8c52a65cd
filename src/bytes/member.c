/* SPDX-License-Identifier: MIT
 *
 * Tells the members of a directory capture by their names.
 */
#include "bytes/member.h"

#include <string.h>

/* "12": decimal without leading zero, below 2^31. */
static bool is_number(const char *text, uint32_t *number)
{
    uint64_t n = 0;
    if (!*text || (text[0] == '0' && text[1]))
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return false;
        n = n * 10 + (uint64_t)(*text - '0');
        if (n > INT32_MAX)
            return false;
    }
    *number = (uint32_t)n;
    return true;
}

const char *const pc_kcore_files[3] = { "kcore", "kallsyms", "modules" };

static bool is_kcore_file(const char *name)
{
    for (size_t i = 0; i < PC_COUNT_OF(pc_kcore_files); i++) {
        if (strcmp(name, pc_kcore_files[i]) == 0)
            return true;
    }
    return false;
}

enum pc_member_kind pc_member_kind_of(const char *name, bool in_kcore, uint32_t *number)
{
    static const char stream[] = "data.", guest[] = "kcore_dir__";
    if (in_kcore)
        return is_kcore_file(name) ? PC_MEMBER_KCORE_FILE : PC_MEMBER_UNKNOWN;
    if (strcmp(name, "data") == 0)
        return PC_MEMBER_DATA;
    if (strncmp(name, stream, sizeof(stream) - 1) == 0)
        return is_number(name + sizeof(stream) - 1, number) ? PC_MEMBER_STREAM : PC_MEMBER_OTHER;
    if (strcmp(name, "kcore_dir") == 0)
        return PC_MEMBER_KCORE;
    if (strncmp(name, guest, sizeof(guest) - 1) == 0 && is_number(name + sizeof(guest) - 1, number))
        return PC_MEMBER_KCORE;
    return PC_MEMBER_UNKNOWN;
}

bool pc_member_is_kcore(const char *name)
{
    uint32_t number;
    return pc_member_kind_of(name, false, &number) == PC_MEMBER_KCORE;
}
