/* SPDX-License-Identifier: MIT
 *
 * BUILD_ID, when it was lost, of the MMAP2 records that are left.
 */
#include "write/content_parts.h"
#include "write/salvage.h"
#include "bytes/cursor.h"

#include <string.h>

/* perf pads names to this (tools/perf/util/header.h: NAME_ALIGN). */
#define NAME_ALIGN 64

/* Makes the entry that perf writes for a file of the host (tools/perf/util/build-id.c: write_buildid).
 * Returns its size. */
static size_t make_entry(const struct pc_content *c, const struct pc_item *item, struct pc_span id,
                         struct pc_span name, unsigned char *entry)
{
    const enum pc_order order = c->scan->capture.order;
    size_t at = pc_build_id_name_at(false), size = at + (name.len / NAME_ALIGN + 1) * NAME_ALIGN;
    uint16_t misc = (uint16_t)(PC_MISC_BUILD_ID_SIZE | (item->misc & PC_MISC_CPUMODE));
    memset(entry, 0, size);
    pc_store_head(entry, (struct pc_record_head){ 0, misc, (uint16_t)size }, order);
    pc_store(entry + pc_build_id_at(PC_BUILD_ID_PID), 4, UINT32_MAX, order);
    memcpy(entry + pc_build_id_at(PC_BUILD_ID_BYTES), id.ptr, id.len);
    pc_store(entry + pc_build_id_at(PC_BUILD_ID_LEN), 1, id.len, order);
    memcpy(entry + at, name.ptr, name.len);
    return size;
}

void pc_fold_mapped_build_id(struct pc_content *c, const struct pc_item *item)
{
    enum { NAME_MAX_LEN = 4095 };
    struct pc_capture *capture = &c->scan->capture;
    if (!(item->misc & PC_MISC_MMAP_BUILD_ID) || !pc_is_of_host(item->misc) ||
        !(c->made_build_ids || (c->reader && !(c->reader->flags & PC_FLAG_BUILD_ID)) ||
          (c->salvage && pc_salvage_lost_feature(c->salvage, PC_BUILD_ID))))
        return;
    struct pc_layout layout;
    uint32_t attr;
    if (capture->nr_attrs == 0 ||
        !pc_capture_layout(capture, item->type, item->misc, item->bytes, &layout, &attr))
        return;
    struct pc_cursor body = pc_record_body(item->bytes, capture->order);
    struct pc_walk walk;
    size_t excess;
    pc_walk_init(&walk, &layout, &body, NULL, NULL);
    if (!pc_walk_record(&walk, pc_item_info(item), &excess))
        return;
    uint64_t id = walk.slot[PC_REC_BUILD_ID_SIZE], len = walk.slot[PC_REC_NAME];
    size_t id_at = walk.slot_at[PC_REC_BUILD_ID];
    if (walk.slot_at[PC_REC_BUILD_ID_SIZE] == 0 || id == 0 || id > PC_BUILD_ID_MAX || len == 0 ||
        len > NAME_MAX_LEN)
        return;
    static const char kernel[] = "[kernel.kallsyms]"; /* the symbol that the mapping begins at follows */
    const unsigned char *name = item->bytes.ptr + walk.slot_at[PC_REC_NAME];
    if (len >= sizeof(kernel) - 1 && memcmp(name, kernel, sizeof(kernel) - 1) == 0)
        len = sizeof(kernel) - 1;
    unsigned char entry[NAME_MAX_LEN + 1 + 2 * NAME_ALIGN];
    struct pc_span bytes = { entry, make_entry(c, item, pc_part(item->bytes, id_at, (size_t)id),
                                               pc_part(item->bytes, walk.slot_at[PC_REC_NAME], (size_t)len),
                                               entry) };
    if (!c->made_build_ids && c->salvage && pc_salvage_lost_feature(c->salvage, PC_BUILD_ID))
        pc_salvage_note_made(c->salvage, PC_BUILD_ID);
    c->made_build_ids = true;
    pc_fold_made_build_id(c, item, bytes);
}
