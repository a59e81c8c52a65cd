/* SPDX-License-Identifier: MIT
 *
 * Rules about features of Android's simpleperf (FORMAT.md 16.4).
 */
#include "check/features.h"

#include <string.h>

/* A symbol, when its address and its length are known: in a message either may come last. */
void pc_check_symbol_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    uint64_t addr = leaf->walk->slot[PC_FILE_ADDR], len = leaf->walk->slot[PC_FILE_LEN];
    unsigned slot = leaf->field->save;
    if (slot != PC_FILE_LEN && (slot != PC_FILE_ADDR || leaf->field->kind != PC_VARINT))
        return;
    if (len != 0 && addr > UINT64_MAX - (len - 1))
        pc_check_say_leaf(judge, PC_D_ANDROID_SYMBOL, leaf, pc_hex_value(addr), pc_uint_value(len));
}

/* Behind a file of FILE2: it has a message that its type does not add. What lacks one is no message: types 1
 * to 3 add one each. */
void pc_check_file_kind(struct pc_judge *judge, const struct pc_walk *walk)
{
    const uint64_t type = walk->slot[PC_FILE_TYPE], kind = walk->slot[PC_FILE_KIND];
    if (kind != 0 && (type == 0 || type > 3))
        pc_check_say(judge, PC_D_ANDROID_FILE_MESSAGE, walk->slot_at[PC_FILE_KIND], 1, pc_uint_value(kind),
                     pc_uint_value(type));
}

/* The bits of branches, and how many of them are, when both have come: either may come last. */
static void check_branches(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    const uint64_t bits = 8 * leaf->walk->slot[PC_BRANCH_LIST_BITS], nr = leaf->walk->slot[PC_BRANCH_LIST_NR];
    if (bits != 0 && nr > bits)
        pc_check_say_member(judge, PC_D_ANDROID_BRANCHES, leaf->at, leaf->raw.len, "branch_size",
                            pc_uint_value(nr), pc_uint_value(bits));
}

/* simpleperf compares the magic before it reads the list. One that is not there is empty. */
void pc_check_branch_list_leaf(struct pc_judge *judge, const struct pc_leaf *leaf)
{
    if (leaf->field->save == PC_BRANCH_LIST_BITS || leaf->field->save == PC_BRANCH_LIST_NR)
        check_branches(judge, leaf);
    if (leaf->field->save != PC_BRANCH_LIST_MAGIC)
        return;
    struct pc_span text = pc_leaf_string(leaf);
    const char *magic = leaf->field->text;
    if (text.len != 0 && (text.len != strlen(magic) || memcmp(text.ptr, magic, text.len) != 0))
        pc_check_say_leaf(judge, PC_D_ANDROID_MAGIC, leaf, pc_bytes_value(text), pc_none);
}

void pc_check_branch_list(struct pc_judge *judge, const struct pc_walk *walk, size_t at)
{
    if (walk->slot[PC_BRANCH_LIST_MAGIC] == 0)
        pc_check_say_member(judge, PC_D_ANDROID_MAGIC, at, 0, "magic", pc_none, pc_none);
}

/* DEBUG_UNWIND comes first. Without it, no file is listed. */
void pc_check_unwind_files(struct pc_judge *judge, size_t at, uint64_t len)
{
    const struct pc_capture *capture = judge->capture;
    const struct pc_item *item = judge->facts.item;
    if (item->kind == PC_ITEM_FEATURE && !pc_item_is_held(item))
        len = item->size;
    enum pc_diag id = len < capture->unwind_bytes ? PC_D_ANDROID_UNWIND : PC_D_ANDROID_UNWIND_MORE;
    if (!capture->unwind_damaged && len != capture->unwind_bytes)
        pc_check_say(judge, id, at, len, pc_uint_value(len), pc_uint_value(capture->unwind_bytes));
}
