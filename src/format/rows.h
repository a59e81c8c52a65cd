/* SPDX-License-Identifier: MIT
 *
 * rows.h: the words that tables of fields are written in, for the files that hold tables. Every row takes
 * further members of struct pc_field: U64(time, .save = PC_SLOT_TIME).
 */
#ifndef PC_ROWS_H
#define PC_ROWS_H

#include "format/field.h"

#define PC_ROW(n, k, ...)                                                                                    \
    {                                                                                                        \
        .name = n, .kind = k, __VA_ARGS__                                                                    \
    }
#define U8(n, ...)                  PC_ROW(#n, PC_UINT, .width = 1, __VA_ARGS__)
#define U16(n, ...)                 PC_ROW(#n, PC_UINT, .width = 2, __VA_ARGS__)
#define U32(n, ...)                 PC_ROW(#n, PC_UINT, .width = 4, __VA_ARGS__)
#define U64(n, ...)                 PC_ROW(#n, PC_UINT, .width = 8, __VA_ARGS__)
#define S32(n, ...)                 PC_ROW(#n, PC_UINT, .width = 4, .show = PC_AS_SIGNED, __VA_ARGS__)
#define X64(n, ...)                 PC_ROW(#n, PC_UINT, .width = 8, .show = PC_AS_HEX, __VA_ARGS__)
#define CSTR(n, ...)                PC_ROW(#n, PC_CSTR, __VA_ARGS__)
#define HSTR(n, ...)                PC_ROW(#n, PC_HSTR, __VA_ARGS__)
#define REPEAT(n, slot, table, ...) PC_ROW(#n, PC_REPEAT, .count = slot, .sub = table, __VA_ARGS__)
#define SUB(n, table, ...)          PC_ROW(n, PC_SUB, .sub = table, __VA_ARGS__)
#define ZERO(n, w, id, ...)                                                                                  \
    PC_ROW(#n, PC_UINT, .width = w, .rule = PC_RULE_IS, .arg = 0, .rule_diag = PC_D_##id, __VA_ARGS__)
#define RULE(what, limit, id) .rule = PC_RULE_##what, .arg = limit, .rule_diag = PC_D_##id
#define SHAPE_DIAG(id)        .shape_diag = PC_D_##id
#define OTHER_DIAG(id)        .other_diag = PC_D_##id
#define END                                                                                                  \
    {                                                                                                        \
        .kind = PC_END                                                                                       \
    }

/* Cases of a row that selects: for one value, or those from lo to hi. */
#define CASE(value, set) CASES(value, value, set)
#define CASES(low, high, set)                                                                                \
    {                                                                                                        \
        .lo = low, .hi = high, .bits = set                                                                   \
    }
#define END_OF_CASES                                                                                         \
    {                                                                                                        \
        .bits = 0                                                                                            \
    }

/* A row of record types. */
#define RECORD(type, table, size, ...)                                                                       \
    {                                                                                                        \
        .name = #type, .fields = table, .min = size, __VA_ARGS__                                             \
    }

#endif
