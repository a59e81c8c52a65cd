/* SPDX-License-Identifier: MIT
 *
 * diag.h: findings, and all that may be asked of a report by whoever adds them: facts about the input,
 * which no policy changes. Findings are added as facts (id, where, seen, expected); text is made when one is
 * printed.
 */
#ifndef PC_DIAG_H
#define PC_DIAG_H

#include "base/base.h"

enum pc_severity { PC_NOTE, PC_WARNING, PC_ERROR };

/* Released versions of perf, and sets of them; and a reader that is no perf. */
enum pc_versions {
    PC_BY_NONE = 0,
    PC_BY_5_10 = 1,
    PC_BY_6_1 = 2,
    PC_BY_6_12 = 4,
    PC_BY_7_2 = 8,
    PC_BY_UP_TO_6_1 = PC_BY_5_10 | PC_BY_6_1,
    PC_BY_UP_TO_6_12 = PC_BY_UP_TO_6_1 | PC_BY_6_12,
    PC_BY_6_1_AND_6_12 = PC_BY_6_1 | PC_BY_6_12,
    PC_BY_FROM_6_12 = PC_BY_6_12 | PC_BY_7_2,
    PC_BY_FROM_6_1 = PC_BY_6_1 | PC_BY_FROM_6_12,
    PC_BY_ALL_BUT_6_1 = PC_BY_5_10 | PC_BY_FROM_6_12,
    PC_BY_ALL_BUT_6_12 = PC_BY_UP_TO_6_1 | PC_BY_7_2,
    PC_BY_ALL = PC_BY_5_10 | PC_BY_FROM_6_1,
    PC_BY_SIMPLEPERF = 16,
};

enum pc_diag {
    PC_NO_DIAG,
#define D(symbol, id, name, severity, rejected_by, message, explanation, next) PC_D_##symbol,
#include "report/diag.def"
#undef D
    PC_DIAG_COUNT
};

/* One row of diag.def. */
struct pc_diag_info {
    const char *id;   /* "PC0203" */
    const char *name; /* "record-size-too-small" */
    enum pc_severity severity;
    enum pc_versions rejected_by;
    const char *message;
    const char *explanation;
    const char *next; /* what the user does next; "": nothing */
};

const struct pc_diag_info *pc_diag_info(enum pc_diag id);

/* One row of unsafe.def: what a capture with this finding does to a perf that opens it. */
struct pc_unsafe_info {
    enum pc_versions versions;
    const char *commands; /* "report, script" */
    const char *cve;      /* "CVE-2026-80670" or "" */
    const char *harm;
};

/* The row of a finding of class unsafe; NULL: it is of no class. */
const struct pc_unsafe_info *pc_diag_unsafe(enum pc_diag id);

#define PC_CLASS_UNSAFE "unsafe"

/* The row with this id or name ("PC0203" or "record-size-too-small"), or PC_NO_DIAG. */
enum pc_diag pc_diag_find(const char *id_or_name);

/* The id or name of a finding, or the class, for which the word is probably a mistake; NULL: nobody knows. */
const char *pc_diag_like(const char *word);

/* "perf 7.2", "perf 5.10, perf 6.1", "simpleperf"; "" for PC_BY_NONE. */
const char *pc_version_name(enum pc_versions set);
/* The next version of a set after this one, or the first after PC_BY_NONE; PC_BY_NONE: there is none. */
enum pc_versions pc_version_next(enum pc_versions set, enum pc_versions version);
/* The version of this name ("7.2", "perf-7.2", "perf-7.2.13", "all", "simpleperf"), or PC_BY_NONE; and the
 * measured version before it, or PC_BY_NONE. False: it is no name of a version. */
bool pc_version_find(const char *name, enum pc_versions *found, enum pc_versions *before);

/* The areas of findings that have a meaning beyond what they are about: the first two digits of ids. */
enum pc_area {
    PC_AREA_WORK = 0,     /* the work could not be done */
    PC_AREA_FEATURES = 8, /* about a feature */
    PC_AREA_READERS = 11, /* about the version that was asked for, not about the capture */
    PC_AREA_COPIES = 13,  /* about a copy, not about the capture */
    PC_AREA_CAUSES = 14,  /* what happened to the capture, which other findings show */
    PC_AREA_DEMANDS = 15, /* a sound capture lacks what the user demands */
};

enum pc_area pc_diag_area(enum pc_diag id);

static inline bool pc_diag_is_unreadable(enum pc_diag id)
{
    return pc_diag_area(id) == PC_AREA_WORK;
}

static inline bool pc_diag_is_for_reader(enum pc_diag id)
{
    return pc_diag_area(id) == PC_AREA_READERS;
}

static inline bool pc_diag_is_for_copy(enum pc_diag id)
{
    return pc_diag_area(id) == PC_AREA_COPIES;
}

static inline bool pc_diag_is_cause(enum pc_diag id)
{
    return pc_diag_area(id) == PC_AREA_CAUSES;
}

/* True when it is an error of the capture itself, by its row. */
bool pc_diag_is_damage(enum pc_diag id);

/* True when it is one of n ids. */
bool pc_diag_is_one_of(enum pc_diag id, const enum pc_diag *ids, size_t n);

/* Where a finding belongs; also the order in which findings are shown. */
enum pc_place { PC_IN_HEADER, PC_IN_ATTR, PC_IN_FEATURE, PC_IN_RECORD, PC_AT_END };

/* What a finding is to the others: `check/cause.h` decides. */
enum pc_role { PC_CAUSE, PC_RELATED, PC_ALONE };

/* The stream that offsets count in: a member of a directory, or what a compressed record holds. */
struct pc_where {
    uint32_t stream;    /* 0: the capture itself, or `data` of a directory; else its members in order ... */
    const char *member; /* ... and the name; lives as long as the scan */
    bool inside;        /* offsets count in the content of a compressed record ... */
    uint64_t wrapper, wrapper_offset; /* ... its number and its offset in the stream */
};

#define PC_NO_INDEX  UINT64_MAX
#define PC_PATH_MAX  6
#define PC_VALUE_MAX 40

/* One step of a path in a structure: entries[3]. */
struct pc_step {
    const char *name;
    uint64_t index; /* PC_NO_INDEX: not an element of an array */
};

/* A value seen or expected. */
struct pc_value {
    enum { PC_V_NONE, PC_V_UINT, PC_V_HEX, PC_V_TEXT, PC_V_BYTES } kind;
    uint8_t len;                       /* PC_V_BYTES */
    uint64_t n;                        /* PC_V_UINT, PC_V_HEX */
    const char *text;                  /* PC_V_TEXT: a static string */
    unsigned char bytes[PC_VALUE_MAX]; /* PC_V_BYTES: from the file, escaped when shown */
};

static const struct pc_value pc_none; /* nothing was seen, or is expected */

static inline struct pc_value pc_uint_value(uint64_t n)
{
    return (struct pc_value){ .kind = PC_V_UINT, .n = n };
}

static inline struct pc_value pc_hex_value(uint64_t n)
{
    return (struct pc_value){ .kind = PC_V_HEX, .n = n };
}

static inline struct pc_value pc_text_value(const char *text)
{
    return (struct pc_value){ .kind = PC_V_TEXT, .text = text };
}

/* A copy of the first PC_VALUE_MAX bytes. */
struct pc_value pc_bytes_value(struct pc_span bytes);

struct pc_finding {
    enum pc_diag id;
    enum pc_diag repeats;      /* PC_D_FOR_FINDING: the id that it is an error for a reader; or PC_NO_DIAG */
    enum pc_severity severity; /* set by the report */
    enum pc_role role;         /* set by the report: PC_ALONE, until a cause is known */
    enum pc_place place;
    enum pc_versions reader; /* of area 11: the version that it is about */
    uint32_t depth;          /* steps used in path */
    uint32_t rank;           /* set by the report: how many of its id were kept before it */
    uint64_t number;         /* attr index, feature bit or record number */
    uint64_t blamed;         /* 1 + the number of a record before it that is wrong instead; 0: none is */
    const char *subject;     /* name of the feature or record type; a static string */
    struct pc_where where;   /* the stream ... */
    uint64_t offset;         /* ... and in it the first byte concerned */
    uint64_t length;         /* bytes concerned */
    struct pc_step path[PC_PATH_MAX];
    struct pc_value seen, expected;
};

/* The record that is wrong. */
static inline uint64_t pc_finding_blames(const struct pc_finding *finding)
{
    return finding->blamed != 0 ? finding->blamed - 1 : finding->number;
}

/* The structure that findings are about. */
struct pc_context {
    enum pc_place place;
    uint64_t number;       /* attr index, feature bit or record number */
    const char *subject;   /* name of the feature or record type; a static string */
    struct pc_where where; /* the stream ... */
    uint64_t offset;       /* ... and in it the structure */
    uint64_t as_whole;     /* not 0: its bytes are elsewhere; findings are about so many here */
    const char *name;      /* the member of it that they are about, a static string; NULL: all of it */
};

/* A finding about so many bytes, `at` bytes into the structure. */
struct pc_finding pc_finding_in(const struct pc_context *structure, enum pc_diag id, uint64_t at,
                                uint64_t length);

/* The finding is about this member of the structure. */
static inline void pc_finding_name(struct pc_finding *finding, const char *name)
{
    finding->path[0] = (struct pc_step){ name, PC_NO_INDEX };
    finding->depth = 1;
}

/* Receives each finding when it is added. */
typedef void pc_on_finding(void *ctx, const struct pc_finding *finding);

/* The report, which whoever finds something adds to. What becomes of a finding is the policy's (report.h). */
struct pc_report;

/* Adds a copy of the finding, unless its id is disabled or capped, or it is about a version that the policy
 * does not name. When the policy names a reader that refuses a capture with it, and its row is less than an
 * error, an error that says so follows. */
void pc_report_add(struct pc_report *report, const struct pc_finding *finding);

/* Adds a finding about so many bytes, `at` bytes into a structure. */
void pc_report_say(struct pc_report *report, const struct pc_context *structure, enum pc_diag id, uint64_t at,
                   uint64_t length, struct pc_value seen, struct pc_value expected);

/* How many findings of n ids there were, whatever the policy. */
uint64_t pc_report_count(const struct pc_report *report, const enum pc_diag *ids, size_t n);
/* How many of this id there were; how many errors of the capture itself, by their rows, whatever the policy.
 */
uint64_t pc_report_found(const struct pc_report *report, enum pc_diag id);
uint64_t pc_report_errors(const struct pc_report *report);
/* Whether a feature has an error; whether the work could not be done. */
bool pc_report_has_feature_error(const struct pc_report *report);
bool pc_report_is_unreadable(const struct pc_report *report);

#endif
