/* SPDX-License-Identifier: MIT
 *
 * Rules about features of Android's simpleperf (FORMAT.md 16.4).
 */
#include "check/features.h"

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

void pc_check_unwind_files(struct pc_judge *judge, size_t at, size_t len)
{
    const struct pc_capture *capture = judge->capture;
    if (!capture->unwind_damaged && len < capture->unwind_bytes)
        pc_check_say(judge, PC_D_ANDROID_UNWIND, at, len, pc_uint_value(len),
                     pc_uint_value(capture->unwind_bytes));
}
