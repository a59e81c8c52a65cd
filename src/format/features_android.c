/* SPDX-License-Identifier: MIT
 *
 * features_android.c: the features of Android's simpleperf, as tables: system/extras/simpleperf:
 * record_file.h, record_file_writer.cpp, and the messages of record_file.proto. Nothing in them is padded.
 */
#include "format/features.h"
#include "format/records.h"
#include "format/rows.h"

/* FILE: a file of which symbols are known. What its type adds at the end is not in old captures. */
#define OF_ELF PC_DYNAMIC(0)
#define OF_DEX PC_DYNAMIC(1)
static const struct pc_case file_cases[] = { CASES(1, 2, OF_ELF), CASE(3, OF_DEX), END_OF_CASES };
static const struct pc_field offset_element[] = { PC_ROW(NULL, PC_UINT, .width = 8, .show = PC_AS_HEX), END };
static const struct pc_field symbol[] = {
    X64(addr, .save = PC_FILE_ADDR),
    U32(len, .save = PC_FILE_LEN),
    PC_ROW("name", PC_ZSTR, .save = PC_FILE_SYMBOL),
    END,
};
static const struct pc_field elf_offset[] = { X64(min_vaddr_offset), END };
static const struct pc_field file_body[] = {
    PC_ROW("path", PC_ZSTR, .save = PC_FILE_PATH),
    U32(type, .save = PC_FILE_TYPE, .cases = file_cases, .names = pc_android_file_names,
        RULE(MAX, 5, ANDROID_FILE)),
    X64(min_vaddr, .save = PC_FILE_MIN_VADDR),
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

/* Messages of protobuf. Rows of their fields: N is the number. */
#define VARINT(n, no, ...)       PC_ROW(#n, PC_VARINT, .number = no, __VA_ARGS__)
#define STRING(n, no, ...)       PC_ROW(#n, PC_STRING, .number = no, __VA_ARGS__)
#define INNER(n, no, table, ...) PC_ROW(#n, PC_SUB, .number = no, .sub = table, __VA_ARGS__)
#define EACH(n, no, table)       PC_ROW(#n, PC_REPEAT, .number = (no), .sub = (table))
#define MESSAGE(table)           PC_ROW("message", PC_MESSAGE, .sub = (table), SHAPE_DIAG(ANDROID_MESSAGE))

/* FILE2: what FILE has, and one message that its type adds. */
#define OF_MODULE PC_DYNAMIC(2)
static const struct pc_case file2_cases[] = { CASE(1, OF_MODULE), CASE(2, OF_ELF), CASE(3, OF_DEX),
                                              END_OF_CASES };
static const struct pc_field file2_symbol[] = {
    VARINT(vaddr, 1, .show = PC_AS_HEX, .save = PC_FILE_ADDR),
    VARINT(len, 2, .save = PC_FILE_LEN),
    STRING(name, 3, .save = PC_FILE_SYMBOL),
    END,
};
static const struct pc_field dex[] = {
    PC_ROW("dex_offsets", PC_PACKED, .number = 1),
    END,
};
static const struct pc_field elf[] = { VARINT(file_offset, 1, .show = PC_AS_HEX), END };
static const struct pc_field module[] = { VARINT(memory_offset, 1, .show = PC_AS_HEX), END };
static const struct pc_field file2_fields[] = {
    STRING(path, 1, .save = PC_FILE_PATH),
    VARINT(type, 2, .save = PC_FILE_TYPE, .cases = file2_cases, .names = pc_android_file_names),
    VARINT(min_vaddr, 3, .show = PC_AS_HEX, .save = PC_FILE_MIN_VADDR),
    EACH(symbols, 4, file2_symbol),
    INNER(dex_file, 5, dex, .when = OF_DEX, .save = PC_FILE_KIND, SHAPE_DIAG(ANDROID_FILE_KIND)),
    INNER(elf_file, 6, elf, .when = OF_ELF, .save = PC_FILE_KIND, SHAPE_DIAG(ANDROID_FILE_KIND)),
    INNER(kernel_module, 7, module, .when = OF_MODULE, .save = PC_FILE_KIND, SHAPE_DIAG(ANDROID_FILE_KIND)),
    END,
};
static const struct pc_field file2_message[] = { MESSAGE(file2_fields), END };
static const struct pc_field file2_entry[] = {
    U32(size, .save = PC_SLOT_A),
    PC_ROW(NULL, PC_FRAME, .count = PC_SLOT_A, .sub = file2_message),
    END,
};
static const struct pc_field file2[] = { PC_ROW("files", PC_UNTIL_END, .sub = file2_entry), END };

static const struct pc_field unwind_file[] = {
    STRING(path, 1),
    VARINT(size, 2, .save = PC_UNWIND_SIZE),
    END,
};
static const struct pc_field unwind_files[] = { EACH(files, 1, unwind_file), END };
static const struct pc_field debug_unwind[] = { MESSAGE(unwind_files), END };

static const struct pc_name binary_names[] = {
    { 0, "ELF_FILE" }, { 1, "KERNEL" }, { 2, "KERNEL_MODULE" }, { 0, NULL }
};
static const struct pc_field branch[] = {
    PC_ROW("branch", PC_BLOB, .number = 1, .save = PC_BRANCH_LIST_BITS),
    VARINT(branch_size, 2, .save = PC_BRANCH_LIST_NR),
    VARINT(count, 3),
    END,
};
static const struct pc_field branch_address[] = {
    VARINT(addr, 1, .show = PC_AS_HEX),
    EACH(branches, 2, branch),
    END,
};
static const struct pc_field kernel_info[] = { VARINT(kernel_start_addr, 1, .show = PC_AS_HEX), END };
static const struct pc_field binary[] = {
    STRING(path, 1),
    STRING(build_id, 2),
    EACH(addrs, 3, branch_address),
    VARINT(type, 4, .names = binary_names, RULE(MAX, 2, ANDROID_VALUE)),
    INNER(kernel_info, 5, kernel_info),
    END,
};
static const struct pc_field branch_list[] = {
    STRING(magic, 1, .save = PC_BRANCH_LIST_MAGIC, .text = "simpleperf:EtmBranchList"),
    EACH(binaries, 2, binary),
    PC_ROW("lbr_data", PC_BLOB, .number = 3), /* not in recordings */
    END,
};
static const struct pc_field etm_branch_list[] = { MESSAGE(branch_list), END };

/* Pieces of ELF files, end to end; records of maps, which may be compressed, and are little-endian in any
 * capture. */
static const struct pc_field bytes[] = { PC_ROW("bytes", PC_REST), END };

#define OWN(bit, table, ...) [PC_##bit - PC_ANDROID_FEATURES] = { .name = #bit, .fields = table, __VA_ARGS__ }

const struct pc_feature_info pc_android_features[PC_ANDROID_FEATURES_END - PC_ANDROID_FEATURES] = {
    OWN(FILE, file, .flags = 0),
    OWN(META_INFO, meta_info, .flags = PC_LEARNED),
    OWN(DEBUG_UNWIND, debug_unwind, .flags = PC_LEARNED),
    OWN(DEBUG_UNWIND_FILE, bytes, .flags = PC_ANY_LENGTH),
    OWN(FILE2, file2, .flags = 0),
    OWN(ETM_BRANCH_LIST, etm_branch_list, .flags = 0),
    OWN(INIT_MAP, bytes, .flags = PC_ANY_LENGTH),
};
