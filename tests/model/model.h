#ifndef MODEL_H
#define MODEL_H

/* A second reader of captures, written from src/format/FORMAT.md alone and without any code of the
 * program. It is slow and simple, so results on which both agree are probably right. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct model;

enum model_part_kind {
    MODEL_HEADER,  /* type: 0 file, 1 pipe */
    MODEL_ATTR,    /* type: index */
    MODEL_FEATURE, /* type: bit */
    MODEL_RECORD,
    MODEL_PAYLOAD, /* bytes after a record; type: that of the record */
};

enum model_leaf_kind {
    MODEL_UINT,
    MODEL_INT,   /* value is sign-extended */
    MODEL_BITS,  /* bit-field word, members renumbered as on a little-endian machine */
    MODEL_BYTES, /* of a fixed or stored length */
    MODEL_TEXT,  /* bytes of which the text ends at the first NUL */
    MODEL_HSTR,  /* u32 length (counted in size), then text */
};

enum model_verdict {
    MODEL_ACCEPT,
    MODEL_REJECT,
    MODEL_LIMIT, /* more memory or content than the model allows: it reports nothing */
};

struct model_part {
    enum model_part_kind kind;
    uint16_t misc;
    uint32_t type;
    uint32_t member; /* index of the file: 0 data, then the streams of a directory in the order given */
    int64_t wrapper; /* number of the compressed record whose content it is, or -1 */
    uint64_t number; /* records: counted in their member; payloads: that of their record */
    uint64_t offset; /* in the file or the content */
    uint64_t size;
    size_t first_leaf;
    size_t leaves;
    bool faulty; /* a condition was violated in it: its leaves may stop early */
};

struct model_leaf {
    uint64_t offset; /* in the file or the content */
    uint64_t size;
    uint64_t value; /* of MODEL_BYTES, MODEL_TEXT, MODEL_HSTR: private, see model_leaf_bytes */
    uint32_t source;
    enum model_leaf_kind kind;
};

struct model_fault {
    unsigned condition; /* row of section 10 of the description; 1000 + bit: content of a feature cut (5.4) */
    uint32_t member;
    int64_t wrapper;
    uint64_t offset;
};

/* Of all records that are not faulty. */
struct model_sums {
    uint64_t first_time, last_time; /* the earliest and the latest of samples; both 0: none has one */
    uint64_t lost_events;           /* as LOST says */
    uint64_t lost_samples;          /* as LOST_SAMPLES says */
};

struct model_member {
    const char *name; /* "data", "data.3" */
    const unsigned char *bytes;
    size_t len;
};

/* The bytes stay the caller's and must live as long as the model. NULL: no memory at all. */
struct model *model_read(const unsigned char *bytes, size_t len);
/* A directory: the first member is `data`. */
struct model *model_read_members(const struct model_member *members, size_t count);
void model_free(struct model *m);

enum model_verdict model_verdict(const struct model *m);
bool model_is_pipe(const struct model *m);
bool model_is_big(const struct model *m);
struct model_sums model_sums(const struct model *m);

size_t model_fault_count(const struct model *m);
const struct model_fault *model_fault(const struct model *m, size_t i);
/* Whether a row of section 10 that is a warning was broken; only of those in warnings.def this is judged, and
 * only where all is accepted it is complete. */
bool model_warns(const struct model *m, unsigned condition);
size_t model_part_count(const struct model *m);
const struct model_part *model_part(const struct model *m, size_t i);
size_t model_leaf_count(const struct model *m);
const struct model_leaf *model_leaf(const struct model *m, size_t i);
/* The bytes of a leaf without number; of MODEL_HSTR those after the length, *len of them. */
const unsigned char *model_leaf_bytes(const struct model *m, const struct model_leaf *leaf, size_t *len);
const char *model_member_name(const struct model *m, uint32_t member);

/* The simple line form: verdict, then parts with their leaves. */
void model_print(const struct model *m, FILE *out);

#endif
