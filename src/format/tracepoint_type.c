/* SPDX-License-Identifier: MIT
 *
 * tracepoint_type.c: how wide the types of fields are.
 */
#include "format/tracepoint_type.h"

#include <string.h>

static const struct {
    const char *name;
    uint8_t width; /* 0: that of long */
} types[] = {
    { "char", 1 },       { "bool", 1 },   { "_Bool", 1 },    { "u8", 1 },       { "s8", 1 },
    { "__u8", 1 },       { "__s8", 1 },   { "uint8_t", 1 },  { "int8_t", 1 },   { "short", 2 },
    { "u16", 2 },        { "s16", 2 },    { "__u16", 2 },    { "__s16", 2 },    { "uint16_t", 2 },
    { "int16_t", 2 },    { "__le16", 2 }, { "__be16", 2 },   { "u32", 4 },      { "s32", 4 },
    { "__u32", 4 },      { "__s32", 4 },  { "uint32_t", 4 }, { "int32_t", 4 },  { "__le32", 4 },
    { "__be32", 4 },     { "pid_t", 4 },  { "gfp_t", 4 },    { "dev_t", 4 },    { "u64", 8 },
    { "s64", 8 },        { "__u64", 8 },  { "__s64", 8 },    { "uint64_t", 8 }, { "int64_t", 8 },
    { "__le64", 8 },     { "__be64", 8 }, { "loff_t", 8 },   { "sector_t", 8 }, { "size_t", 0 },
    { "ssize_t", 0 },    { "ulong", 0 },  { "uint", 4 },     { "ushort", 2 },   { "unchar", 1 },
    { "dma_addr_t", 8 },
};

/* Words that say nothing about the width. */
static bool is_qualifier(const struct pc_tp_name *word)
{
    static const char *const qualifiers[] = { "const",   "volatile", "restrict",   "__user",   "__rcu",
                                              "__iomem", "__percpu", "__data_loc", "__rel_loc" };
    for (size_t i = 0; i < PC_COUNT_OF(qualifiers); i++) {
        if (pc_tp_name_is(word, qualifiers[i]))
            return true;
    }
    return false;
}

void pc_tp_see_word(struct pc_tp_type *type, const struct pc_tp_name *word, unsigned long_size)
{
    if (is_qualifier(word))
        return;
    type->tag |= pc_tp_name_is(word, "struct") || pc_tp_name_is(word, "union") || pc_tp_name_is(word, "enum");
    type->keyword |= pc_tp_name_is(word, "short") || pc_tp_name_is(word, "char");
    if (pc_tp_name_is(word, "unsigned") || pc_tp_name_is(word, "signed") || pc_tp_name_is(word, "int")) {
        type->integer = type->keyword = true;
        return;
    }
    if (pc_tp_name_is(word, "long")) {
        type->integer = type->keyword = true;
        type->longs++;
        return;
    }
    type->composite |= pc_tp_name_is(word, "struct") || pc_tp_name_is(word, "union");
    type->is_char |= pc_tp_name_is(word, "char");
    type->is_mask |= pc_tp_name_is(word, "cpumask_t");
    for (size_t i = 0; i < PC_COUNT_OF(types); i++) {
        if (pc_tp_name_is(word, types[i].name)) {
            type->integer = true;
            type->named = types[i].width ? types[i].width : long_size;
            return;
        }
    }
    type->other = true;
    if (!type->strange && !type->tag && (word->len < 2 || memcmp(word->ptr, "__", 2) != 0))
        type->strange = word->ptr;
}

unsigned pc_tp_width(const struct pc_tp_type *type, unsigned long_size)
{
    if (type->pointer)
        return long_size;
    if (type->other || type->composite || !type->integer)
        return 0;
    if (type->named != 0)
        return type->longs == 0 ? type->named : 0;
    return type->longs == 0 ? 4 : type->longs == 1 ? long_size : 8;
}
