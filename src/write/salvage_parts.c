/* SPDX-License-Identifier: MIT
 *
 * Adds to the sets of what a salvage leaves out.
 */
#include "write/salvage_parts.h"
#include "bytes/cursor.h"
#include "bytes/directory.h"
#include "bytes/names.h"

#include <fcntl.h>
#include <sys/stat.h>

bool pc_salvage_leave_out(struct pc_salvage *s, struct pc_set *set, uint64_t number,
                          const struct pc_finding *f)
{
    size_t before = set->nr;
    struct left_out *entry = pc_set_add(&s->mem, set, &number);
    if (!entry)
        pc_content_no_memory(s->content);
    if (!entry || set->nr == before)
        return false;
    entry->why = f->id;
    entry->offset = f->offset;
    return true;
}

bool pc_salvage_leave_out_record(struct pc_salvage *s, uint64_t key, enum pc_diag why)
{
    const uint64_t block = key / PC_RECORDS_IN_BLOCK;
    struct left_out_records *entry = pc_set_add(&s->mem, &s->records, &block);
    if (!entry)
        pc_content_no_memory(s->content);
    if (!entry || entry->why[key % PC_RECORDS_IN_BLOCK])
        return false;
    entry->why[key % PC_RECORDS_IN_BLOCK] = (uint16_t)why;
    return true;
}

bool pc_salvage_open_file(struct pc_salvage *s, struct pc_input *in)
{
    char name[] = "data";
    const struct pc_directory dir = { .fd = s->in.fd };
    const struct pc_member data = { .name = name, .kind = PC_MEMBER_DATA };
    struct stat st;
    *in = s->in;
    in->owns_fd = false;
    if (s->in.kind != PC_INPUT_DIRECTORY)
        return true;
    return pc_name_stat(dir.fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
           pc_directory_open(&dir, &data, in) == 0;
}

void pc_salvage_patch(struct pc_salvage *s, uint64_t offset, const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < s->nr_patches; i++) {
        if (s->patch[i].offset == offset && s->patch[i].len == len) {
            memcpy(s->patch[i].bytes, bytes, len);
            return;
        }
    }
    if (!pc_grow(&s->mem, &s->patch, &s->cap_patches, s->nr_patches + 1, sizeof(*s->patch))) {
        s->no_memory = true;
        return;
    }
    struct pc_patch *p = &s->patch[s->nr_patches++];
    *p = (struct pc_patch){ .offset = offset, .len = (unsigned char)len };
    memcpy(p->bytes, bytes, len);
}

size_t pc_salvage_unpatch(struct pc_patch *patch, size_t nr, uint64_t offset)
{
    size_t left = 0;
    for (size_t i = 0; i < nr; i++) {
        if (patch[i].offset != offset)
            patch[left++] = patch[i];
    }
    return left;
}

/* The copy has the records of members that, as `data` has it, are no part of the capture. */
static void note_overruled(struct pc_salvage *s)
{
    const struct pc_lost lost = { .how = PC_LOST_MENDED,
                                  .why = PC_D_DIR_STREAMS_UNUSED,
                                  .place = PC_IN_FEATURE,
                                  .offset = pc_row_at(pc_file_header, PC_HEAD_FEATURES),
                                  .number = PC_DIR_FORMAT };
    pc_losses_add(&s->mem, &s->lost, &lost);
}

void pc_salvage_note_members(struct pc_salvage *s)
{
    const struct pc_capture *capture = &s->content->scan->capture;
    const struct pc_directory *dir = &s->content->scan->reader.directory;
    uint64_t next = 0;
    if (s->content->scan->reader.streams.overruled)
        note_overruled(s);
    for (size_t i = 0; i < dir->nr && !capture->is_pipe; i++) {
        const struct pc_member *m = &dir->member[i];
        struct pc_lost lost = { .why = PC_D_DIR_STREAMS_UNUSED,
                                .place = PC_IN_RECORD,
                                .where = { .stream = 1 + (uint32_t)i, .member = m->name },
                                .size = m->size };
        if (m->kind != PC_MEMBER_STREAM)
            continue;
        if (capture->dir_version == 0 && m->size != 0)
            pc_losses_add(&s->mem, &s->lost, &lost);
        if (m->number != next) {
            lost.why = PC_D_DIR_GAP;
            lost.place = PC_AT_END;
            lost.number = next;
            lost.records = m->number - next;
            lost.size = 0;
            pc_losses_add(&s->mem, &s->lost, &lost);
        }
        next = (uint64_t)m->number + 1;
        if (!S_ISREG(m->mode)) {
            lost.why = PC_D_DIR_NOT_REGULAR;
            lost.place = PC_AT_END;
            lost.number = m->number;
            lost.records = 1;
            lost.size = 0;
            pc_losses_add(&s->mem, &s->lost, &lost);
        }
    }
}

/* Whether bytes came out of a compressed record that are no records: zstd does not always notice damage. */
static bool ends_content(enum pc_diag id)
{
    return id == PC_D_RECORD_SIZE || id == PC_D_RECORD_SWALLOWS || id == PC_D_RECORD_UNALIGNED ||
           id == PC_D_TYPE_KERNEL_UNKNOWN || id == PC_D_TYPE_USER_UNKNOWN || id == PC_D_TYPE_AND_SIZE ||
           id == PC_D_TYPE_IMPOSSIBLE || id == PC_D_TYPE_BIG_ENDIAN;
}

bool pc_salvage_refutes_content(const struct pc_salvage *s, const struct pc_finding *f)
{
    static const enum pc_diag never[] = {
        PC_D_SAMPLE_READ,      PC_D_CALLCHAIN_NR,        PC_D_RAW_SIZE,
        PC_D_RAW_UNALIGNED,    PC_D_BRANCH_NR,           PC_D_REGS_CUT,
        PC_D_STACK_CUT,        PC_D_STACK_DYN,           PC_D_STACK_UNALIGNED,
        PC_D_SAMPLE_FIELD_CUT, PC_D_SAMPLE_AUX_SIZE,     PC_D_SAMPLE_EXCESS,
        PC_D_SAMPLE_CPU_LARGE, PC_D_STRING_IN_SAMPLE_ID,
    };
    /* Unless what features say is damaged, or a record before it is. */
    static const enum pc_diag by_feature[] = { PC_D_RAW_TASK, PC_D_RAW_CPU, PC_D_SAMPLE_CPU_BEYOND };
    static const enum pc_diag by_record[] = { PC_D_STAT_WITHOUT_CONFIG, PC_D_STAT_WITHOUT_MAPS,
                                              PC_D_STAT_THREAD };
    static const enum pc_diag ids[] = { PC_D_ID_UNKNOWN, PC_D_SAMPLE_ID_UNKNOWN, PC_D_READ_ID, PC_D_STAT_ID };
    if (ends_content(f->id))
        return true;
    if (s->attrs.nr != 0)
        return false;
    return pc_diag_is_one_of(f->id, never, PC_COUNT_OF(never)) ||
           (s->features.nr == 0 && pc_diag_is_one_of(f->id, by_feature, PC_COUNT_OF(by_feature))) ||
           (s->records.nr == 0 && s->skipped == 0 &&
            pc_diag_is_one_of(f->id, by_record, PC_COUNT_OF(by_record))) ||
           (pc_diag_is_one_of(f->id, ids, PC_COUNT_OF(ids)) && f->seen.n > UINT32_MAX);
}

void pc_salvage_leave_out_content(struct pc_salvage *s, uint64_t key, const struct pc_finding *f)
{
    s->again |= pc_salvage_leave_out(s, &s->frames, key < s->frame_bad ? key : s->frame_bad, f);
}

void pc_salvage_keep_finding(struct pc_salvage *s, const struct pc_finding *f)
{
    struct pc_finding placed = *f;
    if (!f->where.inside && f->where.stream == 0)
        placed.offset = pc_input_place(&s->in, f->offset);
    pc_report_keep(&s->content->scan->report, &placed);
}

bool pc_salvage_is_content(const struct pc_salvage *s, const struct pc_item *item)
{
    if (pc_record_is(item->type, PC_OF_CONTAINER))
        return false;
    return item->type != PC_FINISHED_ROUND || s->content->scan->capture.dir_version == 0;
}

bool pc_salvage_is_of_piece(struct pc_salvage *s, const struct pc_patch *patch)
{
    return pc_salvage_find(&s->pieces, pc_salvage_begin_of(patch));
}

bool pc_salvage_is_mended_record(struct pc_salvage *s, const struct pc_item *item)
{
    size_t at = pc_lower_bound(s->patch, s->nr_patches, sizeof(*s->patch), offsetof(struct pc_patch, offset),
                               item->offset);
    bool may = item->type == PC_AUXTRACE_INFO || item->type == PC_EVENT_ID ||
               ((item->type == PC_HEADER_ATTR || item->type == PC_HEADER_TRACING_DATA) &&
                s->content->scan->capture.is_pipe);
    return may && item->where.stream == 0 && !item->where.inside && at < s->nr_patches &&
           s->patch[at].offset - item->offset < item->bytes.len && !pc_salvage_is_of_piece(s, &s->patch[at]);
}

bool pc_salvage_holds_attr(struct pc_salvage *s, const struct pc_item *item)
{
    const struct pc_capture *capture = &s->content->scan->capture;
    struct pc_cursor in = pc_record_body(item->bytes, capture->order);
    uint64_t size;
    if (item->type != PC_HEADER_ATTR)
        return true;
    return capture->is_pipe && pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) &&
           pc_attr_size(size) <= pc_left(&in) &&
           (capture->nr_attrs == 0 || !pc_salvage_find(&s->attrs, capture->nr_attrs - 1));
}

bool pc_salvage_is_of_record(const struct pc_salvage *s, const struct pc_patch *patch)
{
    const struct pc_capture *capture = &s->content->scan->capture;
    const uint64_t data = pc_header_get(capture, PC_HEAD_DATA_OFFSET);
    return capture->is_pipe
               ? patch->offset >= PC_PIPE_HEADER_SIZE
               : patch->offset >= data && patch->offset - data < pc_header_get(capture, PC_HEAD_DATA_SIZE);
}
