/* SPDX-License-Identifier: MIT
 *
 * tracepoint.h: the format texts of tracepoint events, as TRACING_DATA holds them: FORMAT.md
 * 5.4.12. A text is parsed strictly into a list of fields; what is wrong with it is said with the position of
 * the byte in the text. Work is linear in the text, memory depends on the number of fields, and that is
 * bounded.
 *
 * A reader of a payload asks for the end of the fixed fields and for the few fields that point elsewhere; a
 * rewriter goes through all fields by their class and the width of their elements.
 */
#ifndef PC_TRACEPOINT_H
#define PC_TRACEPOINT_H

#include "base/base.h"
#include "report/diag.h"
#include "base/mem.h"

#include <string.h>

#define PC_TP_FIELDS_MAX 512
#define PC_TP_NAME_MAX   255
#define PC_TP_END_MAX    65535 /* a payload is part of a record */
#define PC_TP_ID_MAX     65535 /* common_type has 16 bits */

/* Whether a tracepoint can have this id. No event has 0. */
static inline bool pc_is_tracepoint_id(uint64_t id)
{
    return id != 0 && id <= PC_TP_ID_MAX;
}

enum pc_tp_class {
    PC_TP_INTEGER,  /* an integer of `size` bytes: 1, 2, 4 or 8 */
    PC_TP_POINTER,  /* the same, an address */
    PC_TP_TEXT,     /* `size` characters, NUL-terminated if there are fewer */
    PC_TP_ARRAY,    /* elements of `element` bytes, `size` bytes together */
    PC_TP_FLEXIBLE, /* elements from `offset` to the end of the payload, whole ones only */
    PC_TP_DATA_LOC, /* u32: length << 16 | offset of the elements from the start of the payload;
                     * an array of arrays has several such words */
    PC_TP_REL_LOC,  /* u32: the same, but the offset counts from the end of this word */
    PC_TP_OPAQUE    /* a structure or a size that no integer has */
};

/* What perf takes an integer for, and uses as an index. */
enum pc_tp_index {
    PC_TP_NO_INDEX,
    PC_TP_TASK, /* the number of a thread, in events of sched */
    PC_TP_CPU,  /* that of a CPU, in cpu_idle and cpu_frequency */
};

/* What the print fmt takes an integer for. */
enum pc_tp_use {
    PC_TP_DIVISOR = 1, /* perf divides by it */
    PC_TP_LENGTH = 2,  /* perf prints so many characters or elements, or a few times as many */
    PC_TP_ASKED = 4,   /* perf up to 6.12 divides by it, although the print fmt asks before whether it is 0 */
};

struct pc_tp_field {
    uint32_t offset, size; /* in the payload */
    uint32_t name;         /* where its name begins in the names of the format */
    uint8_t cls;           /* enum pc_tp_class */
    uint8_t element;       /* bytes of one element, or of the integer; 0: not known, it cannot be swapped */
    bool is_char;          /* elements are characters */
    uint8_t index;         /* enum pc_tp_index */
    uint8_t use;           /* enum pc_tp_use, bits */
    bool of_arrays;        /* DATA_LOC: TYPE[][COUNT], one word for each of the arrays */
};

/* What is kept of a format. */
struct pc_tracepoint {
    uint32_t id;
    uint32_t end;       /* where the fixed fields end in the payload */
    uint32_t nr_fields; /* the common ones first */
    uint32_t nr_common;
    uint32_t nr_dynamic; /* fields of class DATA_LOC and REL_LOC */
    bool is_open;        /* a flexible array takes the rest of the payload */
    bool has_index;      /* a field is an index of perf */
    bool has_use;        /* perf computes with a field when it prints the event */
    uint64_t bytes;      /* of this block */
    const uint16_t *dynamic;
    const char *names; /* each with its NUL */
    struct pc_tp_field field[];
};

/* What is wrong with a text. */
enum pc_tp_fault_kind {
    PC_TP_SOUND,
    PC_TP_BAD_TEXT,    /* not the text that must be here */
    PC_TP_BAD_FIELD,   /* a field that cannot be: it overlaps another, no integer has its size ... */
    PC_TP_BAD_PRINT,   /* the print fmt is no list of expressions */
    PC_TP_UNPRINTABLE, /* the print fmt is sound C, but perf cannot evaluate it */
    PC_TP_NEW_PRINT,   /* the print fmt is sound, but some versions of perf do not know a function in it */
    PC_TP_DEADLY,      /* the print fmt is sound, but perf dies of it */
    PC_TP_LIMIT,       /* more than this program holds */
};
struct pc_tp_fault {
    enum pc_tp_fault_kind kind;
    const char *reason; /* "expected \"offset:\""; lives forever */
    size_t at;          /* of the first byte concerned, in the text */
    uint64_t limit;     /* PC_TP_LIMIT: how many of what `reason` names */
    /* PC_TP_NEW_PRINT: `reason` names the versions as a text, */
    enum pc_versions versions; /* these are they, */
    size_t len;                /* and so long is the name of the function */
};

struct pc_tp_name {
    const unsigned char *ptr;
    size_t len;
};

/* Characters of numbers and of names. */
static inline bool pc_tp_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static inline bool pc_tp_is_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || pc_tp_is_digit(c);
}

/* Whether the name is this one. */
static inline bool pc_tp_name_is(const struct pc_tp_name *name, const char *text)
{
    return name->len == strlen(text) && memcmp(name->ptr, text, name->len) == 0;
}

/* The result of reading a text, before anything is allocated. The names point into the text. */
struct pc_tp_draft {
    struct pc_span text;
    struct pc_tp_name event;
    unsigned long_size; /* of the recorder */
    uint32_t id;
    bool has_id;
    size_t id_at; /* where its digits are */
    uint32_t end, nr_fields, nr_common, nr_dynamic;
    bool is_open;
    size_t second_at;                  /* of the first bracket of a second dimension, or 0 */
    size_t print_at;                   /* of the first byte after "print fmt: " */
    size_t names_size;                 /* NULs included */
    uint64_t work;                     /* bytes and names looked at */
    uint16_t sorted[PC_TP_FIELDS_MAX]; /* fields by name */
    struct pc_tp_name name[PC_TP_FIELDS_MAX];
    struct pc_tp_field field[PC_TP_FIELDS_MAX];
};

/* Reads name, ID and fields of a text up to its print fmt. long_size is 4 or 8. False: *fault says why; when
 * the id could be read, has_id and id are set all the same. */
bool pc_tp_read(struct pc_tp_draft *draft, struct pc_span text, unsigned long_size,
                struct pc_tp_fault *fault);

/* The index of the field of this name in a draft that was read, or -1. */
int pc_tp_draft_field(struct pc_tp_draft *draft, struct pc_tp_name name);

/* Makes a format of a draft that was read. NULL: no memory. */
struct pc_tracepoint *pc_tp_new(struct pc_mem *mem, const struct pc_tp_draft *draft);
void pc_tp_free(struct pc_mem *mem, struct pc_tracepoint *tracepoint);

static inline const char *pc_tp_field_name(const struct pc_tracepoint *tracepoint, uint32_t field)
{
    return tracepoint->names + tracepoint->field[field].name;
}

/* The text of header_page: lines of fields, of which the first are timestamp and commit. An empty one is
 * sound: old kernels had none. */
bool pc_tp_check_header_page(struct pc_span text, struct pc_tp_fault *fault);

/* The formats of trace_printk: lines of an address and a text in quotes. */
bool pc_tp_check_printk(struct pc_span text, struct pc_tp_fault *fault);

#endif
