/* SPDX-License-Identifier: MIT
 *
 * records_android.c: the records that Android's simpleperf makes up, as tables. Layouts:
 * system/extras/simpleperf: record.h, record.cpp. What fills a record or a string up is left over from other
 * uses of the memory.
 */
#include "format/header.h"
#include "format/records.h"
#include "format/rows.h"

const struct pc_field pc_android_header[] = { U32(type), U16(size_high), U16(size_low), END };

static const struct pc_field no_fields[] = { END };
static const struct pc_field address[] = { PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX), END };

/* So many bytes, with room up to a multiple. */
#define ROOM(multiple)                                                                                       \
    PC_ROW("room", PC_PEEK, .width = 4, .save = PC_SLOT_B, .as = PC_AS_ROOM_##multiple),                     \
        U32(size, .save = PC_SLOT_A)

/* Until June 2016 the symbols of a kernel took several records. These had a word more, so their size is a
 * multiple of 8. */
#define IN_SEVERAL PC_DYNAMIC(1)
static const struct pc_case in_several[] = { CASES(0, UINT64_MAX, IN_SEVERAL), END_OF_CASES };
static const struct pc_field kernel_symbol_fields[] = {
    PC_ROW("in_several", PC_PEEK, .width = 4, .flags = PC_IF_WORDS, .cases = in_several),
    U32(is_last, .when = IN_SEVERAL, .save = PC_REC_TYPE, RULE(MAX, 1, ANDROID_VALUE)),
    ROOM(8),
    PC_ROW("kallsyms", PC_BYTES, .count = PC_SLOT_B, .used = PC_SLOT_A, .save = PC_REC_RAW,
           .show = PC_AS_CHARS),
    END,
};

const struct pc_name pc_android_file_names[] = { { 0, "KERNEL" },   { 1, "KERNEL_MODULE" }, { 2, "ELF_FILE" },
                                                 { 3, "DEX_FILE" }, { 4, "SYMBOL_MAP" },    { 5, "UNKNOWN" },
                                                 { 0, NULL } };
/* Text at the end of a record, which has the size that the text needs. */
#define TEXT(n) PC_ROW(#n, PC_ZSTR, .save = PC_REC_TEXT), PC_ROW("padding", PC_PAD)

/* Until July 2016 there was no min_vaddr. The path after it has a ninth byte. A text there would end in eight
 * bytes one of which is 0; an address has such a byte, or is the kernel's. */
#define MAY_HAVE_MIN_VADDR PC_DYNAMIC(1)
#define HAS_MIN_VADDR      PC_DYNAMIC(2)
static const struct pc_case may_have_min_vaddr[] = { CASES(0, UINT64_MAX, MAY_HAVE_MIN_VADDR), END_OF_CASES };
static const struct pc_case has_min_vaddr[] = { CASES(0, 0xfeffffffffffffff, MAY_HAVE_MIN_VADDR),
                                                CASES(0xff00000000000000, UINT64_MAX, HAS_MIN_VADDR),
                                                END_OF_CASES };
static const struct pc_case is_no_text[] = { CASES(0, 0, HAS_MIN_VADDR),
                                             CASES(1, UINT8_MAX, MAY_HAVE_MIN_VADDR), END_OF_CASES };
#define ZERO_AT(n)                                                                                           \
    PC_ROW("zero", PC_PEEK, .width = 1, .arg = (n), .when = MAY_HAVE_MIN_VADDR, .cases = is_no_text)
static const struct pc_field dso_fields[] = {
    U64(type, .names = pc_android_file_names, RULE(MAX, 5, ANDROID_VALUE)),
    U64(dso_id, .save = PC_REC_IDX),
    PC_ROW("ninth", PC_PEEK, .width = 1, .arg = 8, .flags = PC_IF_FITS, .cases = may_have_min_vaddr),
    PC_ROW("address", PC_PEEK, .width = 8, .when = MAY_HAVE_MIN_VADDR, .cases = has_min_vaddr),
    ZERO_AT(0),
    ZERO_AT(1),
    ZERO_AT(2),
    ZERO_AT(3),
    ZERO_AT(4),
    ZERO_AT(5),
    ZERO_AT(6),
    ZERO_AT(7),
    X64(min_vaddr, .when = HAS_MIN_VADDR),
    TEXT(path),
    END,
};
static const struct pc_field symbol_fields[] = {
    X64(addr, .save = PC_REC_ADDR),
    U64(len, .save = PC_REC_LEN),
    U64(dso_id, .save = PC_REC_IDX),
    TEXT(name),
    END,
};

/* A piece of a record that is too long for one. Its bytes are little-endian in any capture. */
static const struct pc_field split_fields[] = {
    PC_ROW("piece", PC_REST, .save = PC_REC_RAW),
    END,
};

static const struct pc_field event_id_entry[] = {
    U64(attr, .save = PC_REC_IDX),
    U64(id, .save = PC_SLOT_ID),
    END,
};
static const struct pc_field event_id_fields[] = {
    U64(nr, .save = PC_SLOT_A),
    REPEAT(ids, PC_SLOT_A, event_id_entry),
    END,
};

static const struct pc_name chain_names[] = { { 0, "ORIGINAL_OFFLINE" },
                                              { 1, "ORIGINAL_REMOTE" },
                                              { 2, "JOINED_OFFLINE" },
                                              { 3, "JOINED_REMOTE" },
                                              { 0, NULL } };
static const struct pc_field callchain_fields[] = {
    U32(pid),
    U32(tid),
    U64(kind, .names = chain_names, RULE(MAX, 3, ANDROID_VALUE)),
    U64(time),
    U64(nr, .save = PC_SLOT_A),
    REPEAT(ips, PC_SLOT_A, address),
    REPEAT(sps, PC_SLOT_A, address),
    END,
};

/* Three forms in a row, of which each has what the one before has, and all of what it adds. In the first, the
 * code and the address are named stop reason and stop info. */
#define HAS_STACK   PC_DYNAMIC(0)
#define SECOND_FORM PC_DYNAMIC(1)
#define THIRD_FORM  PC_DYNAMIC(2)
#define IF_MORE(n, bit)                                                                                      \
    PC_ROW(#n, PC_PEEK, .width = 1, .flags = PC_IF_FITS,                                                     \
           .cases = (const struct pc_case[]){ CASES(0, UINT8_MAX, bit), END_OF_CASES })
static const struct pc_case stack_cases[] = { CASES(1, UINT64_MAX, HAS_STACK), END_OF_CASES };
static const struct pc_field unwinding_result_fields[] = {
    U64(time),
    U64(used_time),
    U64(error_code),
    X64(error_addr),
    IF_MORE(second, SECOND_FORM),
    X64(stack_start, .when = SECOND_FORM),
    X64(stack_end, .when = SECOND_FORM),
    IF_MORE(third, THIRD_FORM),
    U64(abi, .when = THIRD_FORM, RULE(MAX, 2, ANDROID_VALUE)),
    X64(reg_mask, .when = THIRD_FORM, .save = PC_SLOT_A, .as = PC_AS_ONES),
    REPEAT(regs, PC_SLOT_A, address, .when = THIRD_FORM),
    U64(stack_size, .when = THIRD_FORM, .save = PC_SLOT_B, .cases = stack_cases),
    PC_ROW("stack", PC_BYTES, .count = PC_SLOT_B, .when = HAS_STACK),
    U64(dyn_size, .when = HAS_STACK),
    U64(nr, .flags = PC_OPTIONAL, .save = PC_SLOT_C),
    REPEAT(ips, PC_SLOT_C, address),
    REPEAT(sps, PC_SLOT_C, address),
    PC_ROW("more", PC_REST, .flags = PC_UNKNOWN),
    END,
};

static_assert(PC_HEADER_TRACING_DATA == PC_TRACE_OLD && PC_ANDROID_TRACING_DATA == PC_TRACE_NEW,
              "pc_load_head knows them");
static const struct pc_field tracing_data_fields[] = {
    ROOM(64),
    PC_ROW("data", PC_BYTES, .count = PC_SLOT_B, .used = PC_SLOT_A, .save = PC_REC_RAW),
    END,
};

/* Its reader looks for the NUL alone. */
static const struct pc_field debug_fields[] = {
    U64(time),
    PC_ROW("message", PC_ZSTR, .save = PC_REC_TEXT),
    PC_ROW("padding", PC_REST, .flags = PC_PADDING | PC_PADDED_8),
    END,
};

/* OWN(TYPE, fields, least size, more flags): the row of PC_TYPE. */
#define OWN(type, table, least, more) [PC_##type - PC_ANDROID_TYPES] = OWN_ROW(type, table, least, more)
#define OWN_ROW(type, table, least, more)                                                                    \
    RECORD(type, table, least, .excess_diag = PC_D_ANDROID_EXCESS,                                           \
           .flags = PC_ANY_SIZE | PC_KEEPS_SIZE | (more))

const struct pc_record_info pc_android_records[PC_ANDROID_TYPES_END - PC_ANDROID_TYPES] = {
    OWN(KERNEL_SYMBOL, kernel_symbol_fields, 12, PC_LASTING),
    OWN(DSO, dso_fields, 25, PC_LASTING),
    OWN(SYMBOL, symbol_fields, 33, PC_LASTING),
    OWN(SPLIT, split_fields, 8, PC_LASTING),
    OWN(SPLIT_END, no_fields, 8, PC_LASTING),
    OWN(EVENT_ID, event_id_fields, 16, PC_LASTING | PC_MENDED),
    OWN(CALLCHAIN, callchain_fields, 40, 0),
    OWN(UNWINDING_RESULT, unwinding_result_fields, 40, 0),
    [PC_ANDROID_TRACING_DATA - PC_ANDROID_TYPES] = OWN_ROW(TRACING_DATA, tracing_data_fields, 12, PC_LASTING),
    OWN(DEBUG, debug_fields, 17, 0),
};

bool pc_trace_in_record(struct pc_span record, enum pc_order order, struct pc_cursor *trace)
{
    struct pc_walk walk;
    if (pc_load_head(record.ptr, order).type != PC_ANDROID_TRACING_DATA ||
        !pc_read_table(&walk, tracing_data_fields, pc_record_body(record, order)))
        return false;
    *trace = pc_record_body(record, order);
    trace->pos = walk.slot_at[PC_REC_RAW];
    trace->in.len = trace->pos + (size_t)walk.slot[PC_SLOT_A];
    return true;
}

static bool is_filled_up(const struct pc_field *row)
{
    while (row->kind != PC_END && !pc_is_padding(row) && !row->used)
        row++;
    return row->kind != PC_END;
}

/* The bytes that are counted need not be there. */
static bool see_end(void *ctx, const struct pc_leaf *leaf)
{
    uint64_t *end = ctx;
    const struct pc_walk *walk = leaf->walk;
    const bool sound = leaf->fault == PC_SOUND;
    if (leaf->field->used)
        *end = pc_add_saturated(sound ? leaf->at : walk->c->pos, walk->slot[leaf->field->used]);
    else if (leaf->field->kind == PC_ZSTR && sound)
        *end = leaf->at + leaf->raw.len;
    return *end == UINT64_MAX && sound;
}

uint64_t pc_meaning_of(const struct pc_record_info *info, struct pc_span begin, uint64_t size)
{
    uint64_t end = UINT64_MAX;
    struct pc_cursor c = pc_record_body(begin, PC_LITTLE);
    struct pc_walk walk;
    if (!info || !is_filled_up(info->fields))
        return size;
    pc_walk_init(&walk, NULL, &c, see_end, &end);
    walk.missing = size - begin.len;
    pc_walk_table(&walk, info->fields);
    return end;
}
