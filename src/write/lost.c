/* SPDX-License-Identifier: MIT */
#include "write/lost.h"
#include "write/content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Whether a loss continues the one before. */
static bool follows(const struct pc_lost *a, const struct pc_lost *b)
{
    if (a->place == PC_IN_HEADER && b->place == PC_IN_HEADER)
        return a->how == b->how && a->why == PC_NO_DIAG && b->why == PC_NO_DIAG &&
               a->offset + a->size == b->offset;
    return a->place == PC_IN_RECORD && b->place == PC_IN_RECORD && a->records != 0 && b->records != 0 &&
           a->how == b->how && a->why == b->why && a->type == b->type &&
           a->number + a->records == b->number && a->where.stream == b->where.stream &&
           a->where.inside == b->where.inside;
}

void pc_losses_add(struct pc_mem *mem, struct pc_losses *l, const struct pc_lost *what)
{
    struct pc_lost placed = *what;
    const struct pc_lost *lost = &placed;
    /* Bytes that are not read have no place in what is. */
    const bool unread = what->why == PC_D_BYTES_ADDED || what->why == PC_D_CAPTURE_LATE;
    if (l->in && !unread && what->where.stream == 0 && !what->where.inside)
        placed.offset = pc_input_place(l->in, what->offset);
    uint64_t records = lost->how == PC_LOST_OUT && !pc_lost_is_member(lost->why) ? lost->records : 0;
    bool bytes = lost->place == PC_IN_RECORD && lost->records == 0,
         outside = bytes && (pc_tally_is_gap(lost->why) || lost->why == PC_D_DIR_STREAMS_UNUSED ||
                             (lost->why && pc_diag_is_for_copy(lost->why)));
    l->records += records;
    l->bytes += bytes ? lost->size : 0;
    l->gaps += bytes && pc_tally_is_gap(lost->why);
    l->unskipped += outside ? lost->size : 0;
    l->content += pc_tally_counts(lost->type) ? records : 0;
    if (lost->type == PC_HEADER_ATTR)
        l->attr_records += records;
    else if (pc_record_is(lost->type, PC_HOLDS_RECORDS))
        l->packed_records += records;
    else if (pc_record_is(lost->type, PC_OF_CONTAINER))
        l->feature_records += records;
    if (l->nr != 0 && follows(&l->lost[l->nr - 1], lost)) {
        l->lost[l->nr - 1].records += lost->records;
        l->lost[l->nr - 1].size += lost->size;
    } else if (l->nr >= (lost->place == PC_IN_RECORD ? PC_LOST_MAX : 2 * PC_LOST_MAX) ||
               !pc_grow(mem, &l->lost, &l->cap, l->nr + 1, sizeof(*lost))) {
        l->more++;
        l->more_attrs += lost->place == PC_IN_ATTR && lost->how == PC_LOST_OUT;
    } else {
        struct pc_lost *mine = &l->lost[l->nr++];
        *mine = *lost;
        snprintf(mine->member, sizeof(mine->member), "%s", lost->where.member ? lost->where.member : "");
        mine->where.member = NULL; /* its scan will be gone */
    }
}

void pc_losses_end(struct pc_losses *l, const struct pc_where *where, uint64_t offset)
{
    struct pc_lost *last = l->nr != 0 ? &l->lost[l->nr - 1] : NULL;
    if (!last || last->place != PC_IN_RECORD || last->records == 0 || last->where.stream != where->stream ||
        last->where.inside != where->inside || (where->inside && last->where.wrapper != where->wrapper))
        return;
    if (l->in && where->stream == 0 && !where->inside)
        offset = pc_input_place(l->in, offset);
    if (offset > last->offset && offset - last->offset < last->size)
        last->size = offset - last->offset;
}

const struct pc_lost *pc_losses_get(struct pc_losses *l, size_t number)
{
    struct pc_lost *lost = &l->lost[number];
    lost->where.member = lost->member[0] ? lost->member : NULL;
    return lost;
}

static bool is_listed(const struct pc_losses *l, enum pc_place place, uint64_t number)
{
    for (size_t i = 0; i < l->nr; i++) {
        if (l->lost[i].place == place && l->lost[i].number == number && l->lost[i].how == PC_LOST_OUT)
            return true;
    }
    return false;
}

bool pc_losses_name(const struct pc_losses *l, enum pc_place place, uint64_t number)
{
    return l->more != 0 || is_listed(l, place, number);
}

/* How many of nr attrs of the attr section are left out. Those of a pipe are records. */
static uint64_t count_attrs(const struct pc_losses *l, uint64_t nr)
{
    uint64_t listed = nr != 0 ? l->more_attrs : 0;
    for (size_t i = 0; i < l->nr; i++)
        listed += l->lost[i].place == PC_IN_ATTR && l->lost[i].how == PC_LOST_OUT && l->lost[i].number < nr;
    return listed;
}

bool pc_losses_lack(const struct pc_losses *l, const struct pc_tally *original, const struct pc_tally *copy,
                    char *what, size_t size)
{
    char name[PC_LOSS_NAME_MAX];
    uint64_t attrs = copy->attrs + copy->header_attrs, features = 0;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (!pc_bit(original->features, bit) || pc_bit(copy->features, bit) ||
            pc_losses_name(l, PC_IN_FEATURE, bit) || features++ < l->feature_records)
            continue;
        pc_content_name_feature(bit, name, sizeof(name));
        snprintf(what, size, "features.%s", name + strlen("feature:"));
        return true;
    }
    if (original->records != copy->records + l->content)
        snprintf(what, size, "the number of records");
    else if (original->header_attrs + original->attrs !=
             attrs + l->attr_records + count_attrs(l, original->attrs))
        snprintf(what, size, "the number of attrs");
    else if (original->broken > l->packed_records)
        snprintf(what, size, "the content of compressed records");
    else if (original->gaps != l->gaps)
        snprintf(what, size, "bytes between sections");
    else if (original->skipped != l->bytes - l->unskipped)
        snprintf(what, size, "bytes between records");
    else
        return false;
    return true;
}

void pc_losses_clear(struct pc_losses *l)
{
    *l = (struct pc_losses){ .in = l->in, .lost = l->lost, .cap = l->cap };
}

void pc_losses_free(struct pc_mem *mem, struct pc_losses *l)
{
    pc_free(mem, l->lost, l->cap * sizeof(*l->lost));
    *l = (struct pc_losses){ 0 };
}

const char *pc_lost_how(const struct pc_lost *lost)
{
    static const char *const names[] = {
        [PC_LOST_OUT] = "left out", [PC_LOST_MENDED] = "mended", [PC_LOST_MADE] = "made anew"
    };
    return names[lost->how];
}

static void put_what(const struct pc_lost *lost, char *text, size_t size)
{
    char name[PC_LOSS_NAME_MAX];
    switch (lost->place) {
    case PC_IN_HEADER:
    case PC_AT_END:
        if (lost->why == PC_D_BYTES_LOST)
            snprintf(text, size, "%" PRIu64 " byte%s that %s lost, as zeros,", lost->size,
                     pc_lost_plural(lost->size), lost->size == 1 ? "was" : "were");
        else if (pc_lost_is_member(lost->why) && lost->records == 1)
            snprintf(text, size, "data.%" PRIu64 ", which is %s", lost->number,
                     lost->why == PC_D_DIR_GAP ? "missing" : "no regular file");
        else if (lost->why == PC_D_DIR_GAP)
            snprintf(text, size, "data.%" PRIu64 " to data.%" PRIu64 ", which are missing", lost->number,
                     lost->number + lost->records - 1);
        else if (lost->why == PC_D_BYTES_ADDED)
            snprintf(text, size, "%" PRIu64 " byte%s that %s inserted", lost->size,
                     pc_lost_plural(lost->size), lost->size == 1 ? "was" : "were");
        else if (lost->why == PC_D_CAPTURE_LATE)
            snprintf(text, size, "%" PRIu64 " byte%s before the capture", lost->size,
                     pc_lost_plural(lost->size));
        else if (lost->why == PC_D_SECTIONS_OVERLAP) /* the copy has them one behind the other */
            snprintf(text, size, "%" PRIu64 " byte%s that two sections shared", lost->size,
                     pc_lost_plural(lost->size));
        else
            snprintf(text, size, "%" PRIu64 " byte%s of the header or the feature table", lost->size,
                     pc_lost_plural(lost->size));
        break;
    case PC_IN_ATTR:
        snprintf(text, size, "attr %" PRIu64, lost->number);
        break;
    case PC_IN_FEATURE:
        pc_content_name_feature(lost->number, name, sizeof(name));
        if (lost->records > 1)
            snprintf(text, size, "%" PRIu64 " features", lost->records);
        else
            snprintf(text, size, "%s", name);
        break;
    case PC_IN_RECORD:
        pc_content_name_record(lost->type, name, sizeof(name));
        if (lost->records == 0)
            snprintf(text, size, "%" PRIu64 " byte%s that belong%s to no whole record", lost->size,
                     pc_lost_plural(lost->size), lost->size == 1 ? "s" : "");
        else if (lost->records == 1)
            snprintf(text, size, "%s, record %" PRIu64, name, lost->number);
        else
            snprintf(text, size, "%s, records %" PRIu64 " to %" PRIu64, name, lost->number,
                     lost->number + lost->records - 1);
        break;
    }
}

void pc_lost_text(const struct pc_lost *lost, char text[PC_LOST_TEXT])
{
    char what[PC_LOSS_NAME_MAX + 64];
    put_what(lost, what, sizeof(what));
    const char *of = lost->place == PC_IN_ATTR         ? "as EVENT_DESC has it"
                     : lost->number == PC_TRACING_DATA ? "without the fields of the events"
                     : lost->number == PC_BUILD_ID     ? "from MMAP2 records"
                     : lost->number == PC_HOSTNAME     ? "empty"
                                                       : "from the attrs";
    char places[64] = "";
    if (lost->place == PC_IN_HEADER && lost->records > 1)
        snprintf(places, sizeof(places), " in %" PRIu64 " places, the first", lost->records);
    if (lost->place == PC_IN_FEATURE && lost->records > 1)
        snprintf(places, sizeof(places), ", the first");
    char wrapper[32] = ""; /* as findings have it */
    if (lost->where.inside)
        snprintf(wrapper, sizeof(wrapper), "0x%" PRIx64 "+", lost->where.wrapper_offset);
    const bool is_member = pc_lost_is_member(lost->why);
    int n = lost->how == PC_LOST_MADE ? snprintf(text, PC_LOST_TEXT, "%s, %s", what, of)
            : is_member
                ? snprintf(text, PC_LOST_TEXT, "%s", what)
                : snprintf(text, PC_LOST_TEXT, "%s%s at %s0x%" PRIx64, what, places, wrapper, lost->offset);
    if (lost->member[0] && !is_member && n > 0 && n < PC_LOST_TEXT)
        n += snprintf(text + n, PC_LOST_TEXT - (size_t)n, " in %s", lost->member);
    if (lost->why && n > 0 && n < PC_LOST_TEXT)
        snprintf(text + n, PC_LOST_TEXT - (size_t)n, " [%s %s]", pc_diag_info(lost->why)->id,
                 pc_diag_info(lost->why)->name);
}
