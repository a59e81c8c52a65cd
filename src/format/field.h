/* SPDX-License-Identifier: MIT
 *
 * field.h: the one description of structures, and the one interpreter of it.
 *
 * A structure is a table of rows. pc_walk steps through bytes as the table says and shows every leaf to a
 * visitor; the visitor checks, prints, swaps or copies it. Whoever adds a row has added it for all of them.
 *
 * Whether a row is present is a mask on a word, the layout: its lower bits are known before the walk
 * (sample_type, read_format, misc), its upper bits are set by rows that select (abi, a type, a version).
 * Counts and lengths pass through numbered slots.
 *
 * Rows nest, but only as deep as the tables do: the input decides how often, never how deep.
 */
#ifndef PC_FIELD_H
#define PC_FIELD_H

#include "base/base.h"
#include "bytes/cursor.h"
#include "report/diag.h"

enum pc_kind {
    PC_END = 0,
    PC_UINT,  /* integer of `width` bytes */
    PC_BITS,  /* word of `width` bytes made of bit-fields; value: as if declared on a little-endian machine */
    PC_BYTES, /* `arg` bytes, or as many as slot `count` says; never swapped */
    PC_TEXT,  /* the same, holding text that may end with a NUL */
    PC_CSTR,  /* NUL-terminated string and padding to the end of the frame */
    PC_ZSTR,  /* NUL-terminated string, nothing after it */
    PC_HSTR,  /* u32 length, then that many bytes with a NUL-terminated string */
    PC_PAD,   /* zeros up to a multiple of 8 from the start of the record */
    PC_REST,  /* all bytes left in the frame, not interpreted */
    PC_REPEAT,    /* `sub` as often as slot `count` says; each takes pc_least_size or more */
    PC_UNTIL_END, /* `sub` until the frame ends */
    PC_SUB,       /* `sub` in place */
    PC_FRAME,     /* `sub` in the next bytes, as many as slot `count` says less `arg`; the rest is shown as
                     PC_REST */
    PC_PEEK,      /* reads an integer `arg` bytes ahead into a slot; takes and shows nothing */
    PC_ORDER,     /* one byte: 0 little, 1 big; holds for what follows in this frame */
    PC_LITERAL,   /* the bytes of `text` */
    PC_MESSAGE,   /* a protobuf message, which takes the rest of the frame: see message.c. `sub` has its
                     fields, whose rows are PC_VARINT, PC_STRING, PC_BLOB, PC_PACKED; PC_SUB, a message in the
                     message, and PC_REPEAT, any number of such */
    PC_VARINT,    /* a number: its head, and 7 bits in each byte. Its leaf has the head too */
    PC_STRING,    /* text: head, length, bytes, of which the leaf's value is the number */
    PC_BLOB,      /* the same of bytes */
    PC_PACKED,    /* numbers: head, length, and their bytes, which `sub` shows */
    PC_HEAD,      /* head and length of what follows */
};

enum pc_rule {
    PC_RULE_NONE = 0,
    PC_RULE_MASK, /* only bits of arg are set */
    PC_RULE_MAX,  /* at most arg */
    PC_RULE_IS,   /* equal to arg */
    PC_RULE_NONZERO,
    PC_RULE_POWER_2,  /* a power of two, or 0, or arg when arg is not 0 */
    PC_RULE_FINITE,   /* as a double */
    PC_RULE_BRANCH,   /* flags of a branch: only bits of arg, not both mispred and predicted, a known type */
    PC_RULE_DATA_SRC, /* only bits of arg, and perf has room for the names of the levels of memory */
    PC_RULE_CHAIN,    /* a call chain entry; see pc_rule_ok */
    PC_RULE_PAGES,    /* a positive multiple of arg */
    PC_RULE_MOD8,     /* arg more than a multiple of 8 */
    PC_RULE_MAX_SLOT, /* at most what slot arg holds */
    PC_RULE_CASE,     /* one of the row's cases */
    PC_RULE_ZEROS,    /* bytes: all zero */
    PC_RULE_NUL,      /* text: terminated */
    PC_RULE_CPU_LIST, /* PC_HSTR: a list of CPUs */
};

/* How a value becomes a count. */
enum pc_as {
    PC_AS_IS = 0,
    PC_AS_LOW32,     /* its lower 32 bits */
    PC_AS_WORDS,     /* so many bits, in words of 64 */
    PC_AS_ATTR_SIZE, /* 0 means 64 */
    PC_AS_TEXT,      /* so many characters, with a NUL and padded to 8; 0 means none */
    PC_AS_ROOM_8,    /* so many bytes, padded to 8 */
    PC_AS_ROOM_64,   /* the same to 64 */
    PC_AS_ONES,      /* as many as it has bits that are set */
};

enum pc_flags {
    PC_OPTIONAL = 1,       /* absent when the frame ends before it (later revisions appended it), or in it */
    PC_IF_FITS = 2,        /* PC_REPEAT, PC_PEEK: present only if the rest has room for it */
    PC_TOLD_IN_BYTES = 4,  /* PC_REPEAT: a count that is too large is reported as bytes */
    PC_UNPADDED = 8,       /* PC_CSTR: the length of the area means nothing */
    PC_MAY_BE_EMPTY = 16,  /* PC_CSTR: an empty string is no defect */
    PC_NAMES_OF_BITS = 32, /* `names` are those of bits, not of values */
    PC_MAY_GROW = 64,      /* PC_CSTR: kernels make its record longer than it is */
    PC_PADDING = 128,      /* no content, like rows whose rule is to be zero: see pc_is_padding */
    PC_UNKNOWN = 256,      /* bytes of unknown meaning */
    PC_PADDED_8 = 512,     /* PC_CSTR, PC_REST: padding of any length; writers fill up to a multiple of 8 */
    PC_ATTR_BYTES = 1024,  /* PC_UINT: the size of an attr, which writers choose */
    PC_ABOUT_SIZE = 2048,  /* when it does not fit, its structure has a wrong size */
    PC_ENDS_WALK = 4096,   /* when its rule is broken, as for readers */
    PC_IF_WORDS = 8192,    /* PC_PEEK: present only if what is left is a multiple of 8 bytes */
};

/* How a value is shown. */
enum pc_show { PC_AS_DECIMAL = 0, PC_AS_SIGNED, PC_AS_HEX, PC_AS_DOUBLE, PC_AS_CHARS /* bytes, as text */ };

#define PC_NUMBER_NAME 32 /* room for "TYPE_90" and the like: the name of what has none */

/* Values and their names, or bits and their names. */
struct pc_name {
    uint64_t value;
    const char *name;
};

/* A member of a bit-field word: declaration offset and width. */
struct pc_bits {
    const char *name; /* NULL ends the list */
    uint8_t at, width;
};

/* When a selecting row has a value in lo..hi, `bits` are set in the layout; the bits of its other cases
 * are cleared. */
struct pc_case {
    uint64_t lo, hi;
    uint64_t bits; /* 0 ends the list */
};

struct pc_field {
    const char *name;
    uint8_t kind, width, rule, as, show;
    uint8_t save;   /* slot that keeps the value (the length of a string), 0: none */
    uint8_t count;  /* slot that holds the count or length */
    uint8_t used;   /* PC_BYTES: slot with the number of used bytes, 0: all; the rest is padding */
    uint8_t number; /* in a message: that of the field */
    uint16_t flags;
    uint16_t shape_diag; /* finding when the row does not fit (0: the context's own) */
    uint16_t rule_diag;  /* finding when its rule is broken */
    uint16_t other_diag; /* the same in a case that the rule or the structure has; see leaf.c */
    uint16_t twice_diag; /* finding when the value came before in the same structure */
    uint64_t when;       /* present when the layout has one of these bits; 0: always. In a message: must be
                            present then, may be else */
    uint64_t arg;        /* of the kind or the rule */
    const struct pc_field *sub;
    const struct pc_case *cases;
    const struct pc_bits *bits;  /* members of PC_BITS; of PC_UINT: only for people */
    const struct pc_name *names; /* for people: of values, or of bits with PC_NAMES_OF_BITS */
    const char *text;
};

/* Slots. Those before PC_SLOT_PRESET_END are set before a walk, the others by its rows. */
enum pc_slot {
    PC_SLOT_NONE,
    PC_SLOT_NR_REGS_USER,
    PC_SLOT_NR_REGS_INTR,
    PC_SLOT_NR_CPUS,
    PC_SLOT_NR_ONLINE,
    PC_SLOT_PRESET_END,
    PC_SLOT_ID = PC_SLOT_PRESET_END, /* what rules across records need */
    PC_SLOT_IDENTIFIER,
    PC_SLOT_TIME,
    PC_SLOT_CPU,
    PC_SLOT_TID,
    PC_SLOT_A, /* counts and lengths, outer to inner */
    PC_SLOT_B,
    PC_SLOT_C,
    PC_SLOT_D,
    PC_SLOT_F0, /* values that the caller reads after the walk; each table names them */
    PC_SLOTS = PC_SLOT_F0 + 20
};

struct pc_layout {
    uint64_t mask;
    uint64_t slot[PC_SLOT_PRESET_END];
};

/* Layout bits. 0 to 24: sample_type; 32 to 36: read_format; then these; from 52 on set during a walk. */
#define PC_LAYOUT_READ(bit)   ((uint64_t)(bit) << 32)
#define PC_LAYOUT_READ_SINGLE ((uint64_t)1 << 37) /* no FORMAT_GROUP */
#define PC_LAYOUT_HW_INDEX    ((uint64_t)1 << 38)
#define PC_LAYOUT_COUNTERS    ((uint64_t)1 << 39)
#define PC_LAYOUT_BUILD_ID    ((uint64_t)1 << 40) /* MMAP2 holds a build id */
#define PC_LAYOUT_INODE       ((uint64_t)1 << 41) /* MMAP2 holds device and inode */
#define PC_LAYOUT_PROT        ((uint64_t)1 << 42) /* MMAP2 has prot and flags */
#define PC_LAYOUT_SAMPLE_ID   ((uint64_t)1 << 43) /* the record ends with a sample_id */
#define PC_LAYOUT_DEFER       ((uint64_t)1 << 45) /* the event has CALLCHAIN and defer_callchain */
#define PC_DYNAMIC(n)         ((uint64_t)1 << (52 + (n)))

enum pc_fault {
    PC_SOUND,
    PC_FAULT_SHORT,   /* fewer than `need` bytes are left */
    PC_FAULT_COUNT,   /* `value` elements, but at most `need` can be there */
    PC_FAULT_NO_NUL,  /* a string without an end */
    PC_FAULT_TEXT,    /* not the text that must be here */
    PC_FAULT_MESSAGE, /* no field of a message, or one is missing */
};

struct pc_walk;

/* One leaf. After a leaf with a fault the walk ends. */
struct pc_leaf {
    const struct pc_field *field;
    enum pc_fault fault;
    size_t at;          /* position in the walked span */
    struct pc_span raw; /* its bytes; of a faulty leaf those that are there */
    uint64_t value;     /* integer; length of a string; count */
    bool is_array;      /* raw holds all elements of an array; only with walk->bulk */
    uint64_t need;      /* faulty: bytes needed, or largest count */
    size_t left;        /* faulty: bytes that are left */
    const struct pc_walk *walk;
};

/* Returns false to end the walk. */
typedef bool pc_visit(void *ctx, const struct pc_leaf *leaf);

/* A walk; the public part may be read in a visitor and afterwards. */
struct pc_walk {
    struct pc_cursor *c;
    uint64_t mask;
    uint64_t slot[PC_SLOTS];
    size_t slot_at[PC_SLOTS];     /* position of the row that filled the slot */
    uint8_t slot_width[PC_SLOTS]; /* its bytes; 0: no row has filled it */
    struct pc_step path[PC_PATH_MAX];
    unsigned depth;
    uint64_t nr;      /* elements of the innermost array */
    uint64_t work;    /* leaves shown */
    uint64_t missing; /* bytes of the structure that are not there yet */
    bool bulk;        /* arrays of plain integers are shown as one leaf */
    bool framed;      /* in a PC_FRAME */
    pc_visit *visit;
    pc_visit *enter,
        *leave; /* when set: shown the row of each PC_FRAME, with its bytes, before and after it */
    void *ctx;
};

/* The index in the array at this depth of the path of a leaf, or PC_NO_INDEX. */
uint64_t pc_leaf_index(const struct pc_leaf *leaf, unsigned depth);

/* The text of a sound PC_ZSTR or PC_STRING, without the NUL after it or the head before it. */
static inline struct pc_span pc_leaf_string(const struct pc_leaf *leaf)
{
    size_t len = (size_t)leaf->value;
    return pc_part(leaf->raw, leaf->field->kind == PC_STRING ? leaf->raw.len - len : 0, len);
}

/* Prepares a walk of the cursor. visit may be NULL: the walk then only measures and fills slots. */
void pc_walk_init(struct pc_walk *walk, const struct pc_layout *layout, struct pc_cursor *c, pc_visit *visit,
                  void *ctx);

/* Walks the table; true when every row fitted and no visit returned false. Bytes may be left over. */
bool pc_walk_table(struct pc_walk *walk, const struct pc_field *table);

/* What the files of the walker do for each other: shows a leaf; shows that a row does not fit, and ends the
 * walk; keeps the value of a row; begins the path of a row. */
bool pc_walk_show(struct pc_walk *walk, const struct pc_leaf *leaf);
bool pc_walk_fail(struct pc_walk *walk, const struct pc_field *field, enum pc_fault fault, uint64_t value,
                  uint64_t need);
void pc_walk_keep(struct pc_walk *walk, const struct pc_field *field, size_t at, uint64_t value);
struct pc_step *pc_walk_push(struct pc_walk *walk, const struct pc_field *field);

/* message.c: the rest of the frame as a message with these fields. */
bool pc_walk_message(struct pc_walk *walk, const struct pc_field *message);

/* Walks a table for its slots alone, with no layout: true when every row fitted. */
bool pc_read_table(struct pc_walk *walk, const struct pc_field *table, struct pc_cursor c);

/* Whether the row is present in this layout (rows that depend on what is left: see the walker). */
static inline bool pc_present(const struct pc_field *field, uint64_t mask)
{
    return field->when == 0 || (mask & field->when) != 0;
}

/* The first row that saves into this slot, among those whose place depends on the layout alone; *at: its
 * place. NULL: there is none, and *at is the size of the structure if no value decides it. */
const struct pc_field *pc_find_row(const struct pc_field *table, uint64_t mask, unsigned slot, size_t *at);

/* The size of a structure in a layout in which no value decides it. */
static inline size_t pc_table_size(const struct pc_field *table, uint64_t mask)
{
    size_t size;
    pc_find_row(table, mask, PC_SLOTS, &size);
    return size;
}

/* The bytes that a row takes; false: that depends on values. */
bool pc_row_size(const struct pc_field *row, size_t *size);

static inline bool pc_is_number(const struct pc_field *field)
{
    return field->kind == PC_UINT || field->kind == PC_BITS || field->kind == PC_ORDER;
}

/* The value of a number, as bits of a signed one where it is signed. */
static inline uint64_t pc_signed_value(const struct pc_field *field, uint64_t value)
{
    unsigned unused = 64u - 8u * field->width;
    return field->show == PC_AS_SIGNED ? (uint64_t)((int64_t)(value << unused) >> unused) : value;
}

/* The place of such a row in a structure that always has it. */
size_t pc_row_at(const struct pc_field *table, unsigned slot);

/* The fewest bytes that the rows of a table take in this layout. Rows that may be absent, or that a value in
 * the bytes selects, count nothing. */
uint64_t pc_least_size(const struct pc_field *table, uint64_t mask);

/* The layout after a selecting row has the value. */
uint64_t pc_select(const struct pc_field *field, uint64_t mask, uint64_t value);

/* The value of a bit-field word as on a little-endian machine. */
uint64_t pc_bits_value(const struct pc_field *field, uint64_t word, enum pc_order order);
/* The reverse: the word that a machine of the given order has for it. */
uint64_t pc_bits_word(const struct pc_field *field, uint64_t value, enum pc_order order);

/* Whether the row holds no content: padding, or reserved bytes that are to be zero. */
bool pc_is_padding(const struct pc_field *field);

/* What a rule may have to know besides the value. */
struct pc_position {
    uint64_t index, nr; /* in the innermost array */
    uint64_t mask;      /* the layout */
    const uint64_t *slot;
    uint64_t before; /* the element before, for rules about call chains */
};

/* The extended type of a branch, which its flags have when their type is 15; else 0. perf knows so many. */
#define PC_BRANCH_NEW        8
#define PC_BRANCH_TYPES_5_10 11 /* include/uapi/linux/perf_event.h of 5.10: PERF_BR_MAX */
#define PC_BRANCH_TYPE_BITS  ((uint64_t)15 << 20 | (uint64_t)15 << 26)
static inline uint64_t pc_branch_type(uint64_t flags)
{
    return flags >> 20 & 15;
}
static inline uint64_t pc_branch_new_type(uint64_t flags)
{
    return pc_branch_type(flags) == 15 ? flags >> 26 & 15 : 0;
}

/* How long a text perf makes of the levels of memory in data_src, in bytes: their names, and " or " between
 * two (util/mem-events.c: perf_mem__lvl_scnprintf). It has room for so many bytes (util/sort.c:
 * hist_entry__lvl_snprintf). */
#define PC_LEVELS_TEXT_MAX 63
size_t pc_levels_text(uint64_t data_src);

/* True when the value keeps the rule of its row (rules about numbers). */
bool pc_rule_ok(const struct pc_field *field, uint64_t value, const struct pc_position *where);

/* True when the leaf keeps the rule of its row, whatever its kind. */
bool pc_leaf_ok(const struct pc_leaf *leaf);
/* The largest CPU of a sound PC_RULE_CPU_LIST; 0 also when it is empty. */
uint64_t pc_cpu_list_last(const struct pc_leaf *leaf);

/* Context markers in call chains (include/uapi/linux/perf_event.h: enum perf_callchain_context). */
#define PC_CONTEXT_KERNEL        ((uint64_t)-128)
#define PC_CONTEXT_USER          ((uint64_t)-512)
#define PC_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PC_CONTEXT_MAX           ((uint64_t)-4095)

#endif
