/* SPDX-License-Identifier: MIT
 *
 * The rows of diag.def and unsafe.def.
 */
#include "report/diag.h"
#include "base/text.h"

#include <string.h>

static const struct pc_diag_info rows[PC_DIAG_COUNT] = {
#define D(symbol, id, name, severity, rejected_by, message, explanation, next)                               \
    [PC_D_##symbol] = { "PC" #id, name, PC_##severity, PC_BY_##rejected_by, message, explanation, next },
#include "report/diag.def"
#undef D
};

static const struct pc_unsafe_info unsafe_rows[PC_DIAG_COUNT] = {
#define U(symbol, versions, commands, cve, harm) [PC_D_##symbol] = { PC_BY_##versions, commands, cve, harm },
#include "report/unsafe.def"
#undef U
};

const struct pc_unsafe_info *pc_diag_unsafe(enum pc_diag id)
{
    assert(id > PC_NO_DIAG && id < PC_DIAG_COUNT);
    return unsafe_rows[id].harm ? &unsafe_rows[id] : NULL;
}

const struct pc_diag_info *pc_diag_info(enum pc_diag id)
{
    assert(id > PC_NO_DIAG && id < PC_DIAG_COUNT);
    return &rows[id];
}

enum pc_diag pc_diag_find(const char *id_or_name)
{
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        if (strcmp(rows[i].id, id_or_name) == 0 || strcmp(rows[i].name, id_or_name) == 0)
            return (enum pc_diag)i;
    }
    return PC_NO_DIAG;
}

const char *pc_diag_like(const char *word)
{
    const char *like = NULL;
    for (int i = 1; i < PC_DIAG_COUNT; i++) {
        pc_text_suggest(word, rows[i].id, &like);
        pc_text_suggest(word, rows[i].name, &like);
    }
    pc_text_suggest(word, "class:" PC_CLASS_UNSAFE, &like);
    return like;
}

static const struct {
    enum pc_versions version;
    unsigned major, minor;
} versions[] = {
    { PC_BY_5_10, 5, 10 },
    { PC_BY_6_1, 6, 1 },
    { PC_BY_6_12, 6, 12 },
    { PC_BY_7_2, 7, 2 },
};

/* Each set of versions in words; in the order of enum pc_versions. */
static const char *const version_names[PC_BY_ALL + 1] = {
    "",
    "perf 5.10",
    "perf 6.1",
    "perf 5.10, perf 6.1",
    "perf 6.12",
    "perf 5.10, perf 6.12",
    "perf 6.1, perf 6.12",
    "perf 5.10, perf 6.1, perf 6.12",
    "perf 7.2",
    "perf 5.10, perf 7.2",
    "perf 6.1, perf 7.2",
    "perf 5.10, perf 6.1, perf 7.2",
    "perf 6.12, perf 7.2",
    "perf 5.10, perf 6.12, perf 7.2",
    "perf 6.1, perf 6.12, perf 7.2",
    "perf 5.10, perf 6.1, perf 6.12, perf 7.2",
};

const char *pc_version_name(enum pc_versions set)
{
    if (set == PC_BY_SIMPLEPERF)
        return "simpleperf";
    assert(set <= PC_BY_ALL);
    return version_names[set];
}

enum pc_versions pc_version_next(enum pc_versions set, enum pc_versions version)
{
    unsigned next = version == PC_BY_NONE ? PC_BY_5_10 : (unsigned)version << 1;
    while (next <= PC_BY_SIMPLEPERF && !(set & next))
        next <<= 1;
    return next <= PC_BY_SIMPLEPERF ? (enum pc_versions)next : PC_BY_NONE;
}

/* Takes up to 4 digits. False: there are none, or more. */
static bool take_number(const char **text, unsigned *n)
{
    size_t digits = strspn(*text, "0123456789");
    *n = 0;
    for (size_t i = 0; i < digits && i < 4; i++)
        *n = *n * 10 + (unsigned)(*(*text)++ - '0');
    return digits >= 1 && digits <= 4;
}

/* "6.1", "perf-6.1", "linux-6.1", "perf-6.1.176", "6.1.176-1" as packages have it */
static bool parse_version(const char *name, unsigned *major, unsigned *minor)
{
    static const char *const prefixes[] = { "perf-", "linux-" };
    unsigned patch;
    for (size_t i = 0; i < PC_COUNT_OF(prefixes); i++) {
        size_t len = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], len) == 0) {
            name += len;
            break;
        }
    }
    if (!take_number(&name, major) || *name++ != '.' || !take_number(&name, minor))
        return false;
    if (*name == '.' && (name++, !take_number(&name, &patch)))
        return false;
    return !*name || (*name == '-' && name[1]);
}

bool pc_version_find(const char *name, enum pc_versions *found, enum pc_versions *before)
{
    unsigned major, minor;
    const bool all = strcmp(name, "all") == 0, simpleperf = strcmp(name, "simpleperf") == 0;
    *found = all ? PC_BY_ALL : simpleperf ? PC_BY_SIMPLEPERF : PC_BY_NONE;
    *before = PC_BY_NONE;
    if (all || simpleperf)
        return true;
    if (!parse_version(name, &major, &minor))
        return false;
    for (size_t i = 0; i < PC_COUNT_OF(versions); i++) {
        bool same = versions[i].major == major && versions[i].minor == minor;
        bool older = versions[i].major < major || (versions[i].major == major && versions[i].minor < minor);
        if (same)
            *found = versions[i].version;
        else if (older)
            *before = versions[i].version;
    }
    return true;
}

enum pc_area pc_diag_area(enum pc_diag id)
{
    const char *digits = pc_diag_info(id)->id + strlen("PC");
    return (enum pc_area)(10 * (digits[0] - '0') + digits[1] - '0');
}

bool pc_diag_is_damage(enum pc_diag id)
{
    return rows[id].severity == PC_ERROR && !pc_diag_is_for_reader(id) && !pc_diag_is_for_copy(id) &&
           pc_diag_area(id) != PC_AREA_DEMANDS;
}

bool pc_diag_is_one_of(enum pc_diag id, const enum pc_diag *ids, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ids[i] == id)
            return true;
    }
    return false;
}

struct pc_value pc_bytes_value(struct pc_span bytes)
{
    struct pc_value v = { .kind = PC_V_BYTES };
    v.len = (uint8_t)(bytes.len < PC_VALUE_MAX ? bytes.len : PC_VALUE_MAX);
    if (v.len != 0)
        memcpy(v.bytes, bytes.ptr, v.len);
    return v;
}
