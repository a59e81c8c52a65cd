/* SPDX-License-Identifier: MIT
 *
 * faults_map.h: what the lists of faults share: the places in a sound capture, walks over its leaves, and
 * the description of a fault. It handles one capture at a time.
 */
#ifndef PC_FUZZ_FAULTS_MAP_H
#define PC_FUZZ_FAULTS_MAP_H

#include "check/check.h"
#include "bytes/cursor.h"
#include "faults.h"
#include "format/field.h"
#include "format/tables.h"

#define PARTS_MAX 1024
#define SITES_MAX 8192
#define CPUS      3 /* CPUs in generated captures */

enum part_kind { IN_ATTR = 1, IN_FEATURE, IN_RECORD };

/* An entry of the attr section, a feature section, or a record with the bytes that belong to it. */
struct part {
    enum part_kind kind;
    size_t at, size;
    uint32_t number; /* attr, feature or record type */
    uint16_t misc;
    uint32_t attr;  /* of a kernel record */
    size_t payload; /* bytes after a record */
    size_t slot;    /* of a feature: its slot in the table */
    bool late;      /* FINISHED_ROUND has promised that nothing older follows */
    uint64_t released;
};

struct fuzz_map {
    struct fuzz_faulty *f;
    enum pc_order order;
    bool pipe, stat, packed;
    size_t data, data_end, attr_size;
    struct part part[PARTS_MAX];
    size_t nr_parts;
    struct pc_layout layout[64];
    uint64_t sample_type[64];
    bool is_tracepoint[64];
    uint32_t nr_attrs;
};

extern struct fuzz_map fuzz_map; /* large, and one at a time */

/* The parameters of a walk over one part. */
struct view {
    const struct part *part;
    size_t base; /* of what is walked */
    enum pc_place place;
    uint32_t feature;       /* 0: no feature */
    bool is_attr, branches; /* a branch stack was passed */
    uint32_t attr;
    uint16_t short_diag, count_diag;
    pc_visit *visit;
    void *ctx;
};

/* A leaf that a fault may damage. */
struct site {
    const struct part *part;
    const struct pc_field *field;
    enum pc_place place;
    size_t at, len, left; /* bytes from its start to the end of its structure */
    uint64_t value, slot, index;
    uint32_t feature, attr;
    bool is_attr, trailer;
    bool has_forms; /* an earlier field is optional: if the size changes, another form may fit */
    uint16_t short_diag, count_diag;
};

/* The kinds of faults. */
struct fuzz_fault {
    const char *name;
    enum pc_diag id; /* PC_NO_DIAG: the finding of the row that is broken */
    /* Chooses a leaf and changes it. False: this leaf does not suit, and nothing is changed. */
    bool (*takes)(const struct site *site, const struct fuzz_fault *fault);
    bool (*change)(const struct site *site, const struct fuzz_fault *fault);
    bool (*record)(const struct part *part, const struct fuzz_fault *fault);
    bool (*section)(const struct part *part, const struct fuzz_fault *fault);
    bool (*capture)(struct fuzz_faulty *faulty, const struct fuzz_fault *fault);
    /* Of --for: whether the fault is about this version of perf. */
    bool (*reader)(const struct pc_version_knows *reader, const struct fuzz_fault *fault);
    /* Parameters of some of them. */
    uint8_t in, op, slot;
    uint32_t number;      /* record type, feature, or a place */
    uint32_t least, most; /* attrs, where `most` is not 0 */
    const char *field;
    uint64_t operand, needs, lacks; /* bits of sample_type that the attr must have or must not have */
    bool beside;                    /* there are other findings, which may be first */
};

/* The leaves that the current fault can use. */
extern struct fuzz_sites {
    struct site site[SITES_MAX];
    size_t nr;
    const struct fuzz_fault *fault;
} fuzz_sites;

struct first_fault {
    bool found;
    enum pc_fault fault;
    const struct pc_field *field;
    size_t at, left;
    uint64_t need;
};

enum { ANY_ATTR = 10, FILE_ATTR, PIPE_ATTR, A_FEATURE, A_RECORD, A_TRAILER, A_SAMPLE_READ };
enum { SET = 1, ADD, OR, AND, XOR };

#define SEVERAL_ATTRS ((uint64_t)1 << 63) /* in `needs`: ids are compared only if there are several attrs */

/* A list of faults, and its file. */
struct fuzz_faults {
    const struct fuzz_fault *fault;
    size_t nr;
};
extern const struct fuzz_faults fuzz_row_faults; /* first */
extern const struct fuzz_faults fuzz_field_faults, fuzz_record_faults, fuzz_container_faults,
    fuzz_missing_faults, fuzz_content_faults, fuzz_for_faults, fuzz_two_faults, fuzz_between_faults;

#define ROW(what, which, ...)                                                                                \
    {                                                                                                        \
        .name = what, .id = PC_D_##which, __VA_ARGS__                                                        \
    }
#define LEAF(what, which, t, c)   ROW(what, which, .takes = t, .change = c)
#define CAPTURE(what, which, how) ROW(what, which, .capture = how)
#define RECORD(what, which, how)  ROW(what, which, .record = how)
#define SECTION(what, which, how) ROW(what, which, .section = how)

/* faults_map.c */
/* An integer of the capture, in the byte order of the capture. */
uint64_t fuzz_load(size_t at, unsigned width);
void fuzz_store(size_t at, unsigned width, uint64_t value);
/* What a sound capture has. */
void fuzz_read_map(struct fuzz_faulty *f);
/* Passes each leaf of a part to the visitor, with a view as context. */
void fuzz_walk_part(const struct part *p, pc_visit *visit, void *ctx);
/* The first record of a type, or the section of a feature. NULL: there is none. */
const struct part *fuzz_first(enum part_kind kind, uint64_t number);
bool fuzz_has_feature(uint32_t bit);
bool fuzz_is_record(const struct part *p, uint32_t type);
/* The entry or record of attr number n. NULL: there is none. */
const struct part *fuzz_attr(uint32_t n);
/* Where it begins. */
size_t fuzz_attr_at(uint32_t n);
/* The first leaf of a part with this name. Without a name: the first in this slot whose value is `least` or
 * more. False: there is none. */
struct fuzz_wanted {
    const char *name;
    uint8_t slot;
    uint64_t least;
    const struct pc_field *field;
    size_t at;
    uint64_t value;
};
bool fuzz_find_leaf(const struct part *p, struct fuzz_wanted *wanted);
/* Returns true, and the finding is expected there, but possibly at other bytes than the damaged ones. */
bool fuzz_expect(enum pc_place place, uint64_t offset);
/* Collects the leaves that the fault can use, and changes one of them. */
bool fuzz_change_one(const struct fuzz_fault *fault);
/* Changes a record or a section of a feature. */
bool fuzz_change_a_part(const struct fuzz_fault *fault);

/* faults_row.c */
/* The largest value that fits so many bytes. */
uint64_t fuzz_ones(unsigned width);
/* Another value of a leaf. */
void fuzz_put(const struct site *s, uint64_t value);
/* The n-th bit, counted in a circle, of those that `of` does not have. 0: there is none. */
uint64_t fuzz_other_bit(uint64_t of, uint64_t within, unsigned n);
/* A visitor that stores the first fault of a walk in a struct first_fault. */
bool fuzz_see_fault(void *ctx, const struct pc_leaf *leaf);
bool fuzz_is_packed_record(const struct part *p);
/* The finding if a count or length is too large there. */
enum pc_diag fuzz_id_of(const struct site *s, const struct first_fault *first);
/* Its text is the file of a build id, which other records are compared with. */
bool fuzz_names_build_id(const struct site *s);

/* faults_record.c */
/* Others are compared with this record if a reader meets it before them. */
bool fuzz_is_needed(const struct part *p);
/* Replaces n bytes of the capture by m others, or by zeros if `from` is NULL. slot: the section that they are
 * in; -1: the data. */
bool fuzz_splice(size_t at, size_t n, size_t m, const unsigned char *from, long slot);
/* The same with zeros in the data; the size of the record follows. False: it would be too large. */
bool fuzz_resize(const struct part *p, size_t at, size_t n, size_t m);

#endif
