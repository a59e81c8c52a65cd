/* SPDX-License-Identifier: MIT
 *
 * features_android.c: the features of Android's simpleperf, as tables: system/extras/simpleperf:
 * record_file.h, record_file_writer.cpp, and the messages of record_file.proto. Nothing in them is padded.
 */
#include "format/features.h"
#include "format/rows.h"

/* FILE: a file of which symbols are known. What its type adds at the end is not in old captures. */
#define OF_ELF PC_DYNAMIC(0)
#define OF_DEX PC_DYNAMIC(1)
static const struct pc_case file_cases[] = { CASES(1, 2, OF_ELF), CASE(3, OF_DEX), END_OF_CASES };
static const struct pc_name file_names[] = { { 0, "KERNEL" },   { 1, "KERNEL_MODULE" }, { 2, "ELF_FILE" },
                                             { 3, "DEX_FILE" }, { 4, "SYMBOL_MAP" },    { 5, "UNKNOWN" },
                                             { 0, NULL } };
static const struct pc_field offset_element[] = { PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX), END };
static const struct pc_field symbol[] = { X64(addr), U32(len), PC_ROW("name", PC_ZSTR), END };
static const struct pc_field elf_offset[] = { X64(min_vaddr_offset), END };
static const struct pc_field file_body[] = {
    PC_ROW("path", PC_ZSTR),
    U32(type, .cases = file_cases, .names = file_names, RULE(MAX, 5, ANDROID_FILE)),
    X64(min_vaddr),
    U32(nr_symbols, .save = PC_SLOT_B),
    REPEAT(symbols, PC_SLOT_B, symbol),
    U32(nr_dex_offsets, .save = PC_SLOT_C, .when = OF_DEX),
    REPEAT(dex_offsets, PC_SLOT_C, offset_element, .when = OF_DEX),
    SUB(NULL, elf_offset, .when = OF_ELF, .flags = PC_OPTIONAL),
    PC_ROW("excess", PC_REST, .flags = PC_UNKNOWN, RULE(MAX, 0, ANDROID_FILE_EXCESS)),
    END,
};
static const struct pc_field file_entry[] = {
    U32(size, .save = PC_SLOT_A),
    PC_ROW(NULL, PC_FRAME, .count = PC_SLOT_A, .sub = file_body),
    END,
};
static const struct pc_field file[] = { PC_ROW("files", PC_UNTIL_END, .sub = file_entry), END };

static const struct pc_field pair[] = {
    PC_ROW("key", PC_ZSTR, .save = PC_META_KEY, RULE(NONZERO, 0, META_INFO)),
    PC_ROW("value", PC_ZSTR, .save = PC_META_VALUE, RULE(NONZERO, 0, META_INFO)),
    END,
};
static const struct pc_field meta_info[] = { PC_ROW("pairs", PC_UNTIL_END, .sub = pair), END };

/* Protobuf messages, which are the same bytes in either byte order. */
static const struct pc_field message[] = { PC_ROW("message", PC_REST), END };

static const struct pc_field file2_entry[] = {
    U32(size, .save = PC_SLOT_A),
    PC_ROW("message", PC_BYTES, .count = PC_SLOT_A),
    END,
};
static const struct pc_field file2[] = { PC_ROW("files", PC_UNTIL_END, .sub = file2_entry), END };

/* Pieces of ELF files, end to end. */
static const struct pc_field pieces[] = { PC_ROW("bytes", PC_REST), END };

#define OWN(bit, table, ...) [PC_##bit - PC_ANDROID_FEATURES] = { .name = #bit, .fields = table, __VA_ARGS__ }

const struct pc_feature_info pc_android_features[PC_ANDROID_FEATURES_END - PC_ANDROID_FEATURES] = {
    OWN(FILE, file, .flags = 0),
    OWN(META_INFO, meta_info, .flags = PC_LEARNED),
    OWN(DEBUG_UNWIND, message, .flags = 0),
    OWN(DEBUG_UNWIND_FILE, pieces, .flags = 0),
    OWN(FILE2, file2, .flags = 0),
    OWN(ETM_BRANCH_LIST, message, .flags = 0),
};
