/* SPDX-License-Identifier: MIT
 *
 * Attrs and ids that are damaged, as the feature EVENT_DESC repeats them (tools/perf/util/header.c:
 * write_event_desc), in the attr section of a file or in the first records of a pipe. Without that feature,
 * where ids are follows from those of the other attrs.
 */
#include "write/repair.h"
#include "write/repair_desc.h"
#include "write/repair_moved.h"
#include "write/repair_records.h"
#include "write/salvage_parts.h"
#include "bytes/cursor.h"
#include "check/behind.h"
#include "read/plausible.h"

#include <string.h>

static bool read_header(const unsigned char *head, enum pc_order order, uint64_t *slot)
{
    struct pc_cursor c = pc_cursor((struct pc_span){ head, PC_FILE_HEADER_SIZE }, order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &c, NULL, NULL);
    if (!pc_walk_table(&walk, pc_file_header) || walk.slot[PC_HEAD_SIZE] != PC_FILE_HEADER_SIZE)
        return false;
    memcpy(slot, walk.slot, sizeof(walk.slot));
    return true;
}

static bool names_feature(const struct pc_desc *e, const unsigned char *head)
{
    return pc_load(head + pc_row_at(pc_file_header, PC_HEAD_FEATURES), 8, e->order) >> PC_EVENT_DESC & 1;
}

/* --- what differs --- */

/* From the next pass on the file has these bytes at this place. */
static void mend(struct pc_desc *e, uint64_t offset, const unsigned char *bytes, size_t n)
{
    struct pc_salvage *s = e->s;
    if (pc_desc_has(e, offset, bytes, n))
        return;
    for (size_t at = 0; at < n; at += 8) {
        size_t len = n - at < 8 ? n - at : 8;
        if (memcmp(e->seen + at, bytes + at, len) == 0)
            continue;
        if (!pc_grow(&s->mem, &s->split, &s->cap_split, s->nr_split + 1, sizeof(*s->split))) {
            s->no_memory = true;
            return;
        }
        struct pc_patch *patch = &s->split[s->nr_split++];
        *patch = (struct pc_patch){ .offset = offset + at, .len = (unsigned char)len };
        memcpy(patch->bytes, bytes + at, len);
    }
}

static void mend_word(struct pc_desc *e, uint64_t offset, uint64_t value)
{
    unsigned char bytes[8];
    pc_store(bytes, sizeof(bytes), value, e->order);
    mend(e, offset, bytes, sizeof(bytes));
}

/* Whether the attrs of the feature stand at this place, each in its entry. */
static bool attrs_are_at(struct pc_desc *e, uint64_t offset)
{
    for (size_t i = 0; i < e->nr; i++) {
        if (!pc_desc_has(e, offset + i * (e->attr_size + PC_SECTION_SIZE), e->bytes + e->event[i].attr_at,
                         (size_t)e->attr_size))
            return false;
    }
    return true;
}

/* Whether these words of the header fit the attrs of the feature. */
static bool words_fit(const struct pc_desc *e, const uint64_t *slot)
{
    const uint64_t entry = e->attr_size + PC_SECTION_SIZE, size = e->nr * entry;
    const uint64_t offset = slot[PC_HEAD_ATTRS_OFFSET], data = e->slot[PC_HEAD_DATA_OFFSET];
    return slot[PC_HEAD_ATTR_SIZE] == entry && slot[PC_HEAD_ATTRS_SIZE] == size &&
           offset >= PC_FILE_HEADER_SIZE && offset <= e->in.size && size <= e->in.size - offset &&
           (offset + size <= data || offset >= data) && /* and are not those of the feature themselves */
           (offset + size <= e->at || offset >= e->at + e->size);
}

static const unsigned attr_words[] = { PC_HEAD_ATTR_SIZE, PC_HEAD_ATTRS_OFFSET, PC_HEAD_ATTRS_SIZE };

/* The header as the file has it, before words of it were mended. */
static bool read_raw_header(struct pc_desc *e, uint64_t slot[PC_SLOTS])
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    struct pc_input raw = e->in;
    raw.nr_patches = 0;
    bool read = pc_input_read_at(&raw, 0, head, sizeof(head)) == sizeof(head);
    e->in.error = raw.error;
    return read && read_header(head, e->order, slot);
}

/* The words of the header that lead to the attrs are read as they are, which this slot of them has. */
static void unmend_words(struct pc_desc *e, const uint64_t slot[PC_SLOTS])
{
    for (size_t i = 0; i < PC_COUNT_OF(attr_words); i++) {
        e->s->nr_patches =
            pc_salvage_unpatch(e->s->patch, e->s->nr_patches, pc_row_at(pc_file_header, attr_words[i]));
        e->slot[attr_words[i]] = slot[attr_words[i]];
    }
    e->in.patch = e->s->patch;
    e->in.nr_patches = e->s->nr_patches;
}

/* The header as it is fits: it was mended because an attr was damaged. False: it does not. */
static bool keep_words(struct pc_desc *e)
{
    uint64_t slot[PC_SLOTS];
    if (!read_raw_header(e, slot) || !words_fit(e, slot))
        return false;
    unmend_words(e, slot);
    return true;
}

/* Where the attrs are: as the header says, unless that cannot be. Then they are found by what they are.
 * False: nowhere. */
static bool find_attrs(struct pc_desc *e)
{
    const uint64_t entry = e->attr_size + PC_SECTION_SIZE, size = e->nr * entry;
    uint64_t end = e->slot[PC_HEAD_DATA_OFFSET] < e->in.size ? e->slot[PC_HEAD_DATA_OFFSET] : e->in.size;
    if (words_fit(e, e->slot) || keep_words(e))
        return true;
    for (uint64_t offset = PC_FILE_HEADER_SIZE; size <= end && offset <= end - size; offset += 8) {
        if (!attrs_are_at(e, offset))
            continue;
        const uint64_t found[] = { entry, offset, size };
        for (size_t i = 0; i < PC_COUNT_OF(attr_words); i++) {
            uint64_t at = pc_row_at(pc_file_header, attr_words[i]);
            e->s->nr_patches = pc_salvage_unpatch(e->s->patch, e->s->nr_patches, at);
            e->slot[attr_words[i]] = found[i];
            mend_word(e, at, found[i]);
        }
        return true;
    }
    return false;
}

/* Whether ids may be here: they are neither records nor in the feature. */
static bool may_be_ids(const struct pc_desc *e, uint64_t offset, uint64_t n)
{
    const uint64_t data = e->slot[PC_HEAD_DATA_OFFSET];
    return offset >= PC_FILE_HEADER_SIZE && offset <= e->in.size - n &&
           (offset + n <= data || offset >= pc_add_saturated(data, e->slot[PC_HEAD_DATA_SIZE])) &&
           (offset + n <= e->at || offset >= e->at + e->size);
}

/* An entry of the attr section, and its ids, which are due at this place. Returns where they end. */
static uint64_t mend_entry(struct pc_desc *e, size_t i, uint64_t due)
{
    const struct pc_desc_event *event = &e->event[i];
    const unsigned char *ids = e->bytes + event->ids_at;
    uint64_t at = e->slot[PC_HEAD_ATTRS_OFFSET] + i * (e->attr_size + PC_SECTION_SIZE);
    uint64_t entry = at + e->attr_size, n = 8 * event->nr_ids; /* which is less than the feature has */
    unsigned char section[PC_SECTION_SIZE];
    mend(e, at, e->bytes + event->attr_at, (size_t)e->attr_size);
    if (n == 0 || pc_input_read_at(&e->in, entry, section, sizeof(section)) != sizeof(section))
        return due;
    uint64_t offset = pc_load(section, 8, e->order), size = pc_load(section + 8, 8, e->order);
    if (size == n && pc_desc_has(e, offset, ids, (size_t)n))
        return offset + n;
    bool inside = size == n && may_be_ids(e, offset, n);
    if (pc_desc_has(e, due, ids, (size_t)n) || (!inside && due + n <= e->slot[PC_HEAD_DATA_OFFSET])) {
        offset = due;
        mend_word(e, entry, due);
        mend_word(e, entry + 8, n);
    } else if (pc_desc_has(e, offset, ids, (size_t)n)) {
        mend_word(e, entry + 8, n);
    } else if (!inside) {
        return due;
    }
    mend(e, offset, ids, (size_t)n);
    return offset + n;
}

/* Whether nothing is left of an attr, by which no record can be read. */
static bool is_gone(struct pc_desc *e, size_t i)
{
    unsigned char raw[PC_ATTR_SIZE_MIN];
    const uint64_t at = e->slot[PC_HEAD_ATTRS_OFFSET] + i * (e->attr_size + PC_SECTION_SIZE);
    return pc_input_read_at(&e->in, at, raw, sizeof(raw)) == sizeof(raw) &&
           pc_first_nonzero((struct pc_span){ raw, sizeof(raw) }) == sizeof(raw);
}

static void mend_all(struct pc_desc *e)
{
    if (!find_attrs(e))
        return;
    e->sure = true;
    for (size_t i = 0; i < e->nr; i++)
        e->sure &= is_gone(e, i);
    /* Writers put the ids before the attrs, or behind them. */
    uint64_t attrs = e->slot[PC_HEAD_ATTRS_OFFSET], due = PC_FILE_HEADER_SIZE;
    if (attrs == due)
        due += e->nr * (e->attr_size + PC_SECTION_SIZE);
    for (size_t i = 0; i < e->nr; i++)
        due = mend_entry(e, i, due);
}

/* --- ids that no feature repeats --- */

struct ids {
    uint64_t at; /* of the words that say where they are */
    uint64_t offset, size;
};

/* Where the ids of an attr are. False: it cannot be. */
static bool read_ids(struct pc_desc *e, uint64_t number, struct ids *ids)
{
    unsigned char raw[PC_SECTION_SIZE];
    uint64_t end;
    ids->at = e->slot[PC_HEAD_ATTRS_OFFSET] + (number + 1) * e->slot[PC_HEAD_ATTR_SIZE] - PC_SECTION_SIZE;
    if (pc_input_read_at(&e->in, ids->at, raw, sizeof(raw)) != sizeof(raw))
        return false;
    ids->offset = pc_load(raw, 8, e->order);
    ids->size = pc_load(raw + 8, 8, e->order);
    return ids->offset >= PC_FILE_HEADER_SIZE && ids->size % 8 == 0 && pc_add(ids->offset, ids->size, &end) &&
           end <= e->in.size;
}

/* perf record and simpleperf write the ids of one attr after those of another, up to the attrs: where those
 * of one cannot be, the others show their place. */
static void mend_ids(struct pc_desc *e)
{
    const uint64_t entry = e->slot[PC_HEAD_ATTR_SIZE];
    uint64_t end = e->slot[PC_HEAD_ATTRS_OFFSET], begin = PC_FILE_HEADER_SIZE;
    uint64_t left = entry > PC_SECTION_SIZE ? e->slot[PC_HEAD_ATTRS_SIZE] / entry : 0;
    struct ids ids, before;
    if (left > PC_ATTRS_MAX || end > e->in.size)
        return;
    for (; left != 0 && read_ids(e, left - 1, &ids); left--, end = ids.offset) {
        if (ids.offset + ids.size != end)
            return;
    }
    for (uint64_t i = 0; i + 1 < left; i++, begin = before.offset + before.size) {
        if (!read_ids(e, i, &before) || before.offset != begin)
            return;
    }
    if (left == 0 || begin > end || (end - begin) % 8 != 0)
        return;
    mend_word(e, ids.at, begin);
    mend_word(e, ids.at + 8, end - begin);
}

/* An attr whose size cannot be has all of its entry: where it is shorter, zeros fill the entry up, which mean
 * the same as members that are not there. */
static void mend_sizes(struct pc_desc *e)
{
    uint64_t slot[PC_SLOTS];
    if (!read_raw_header(e, slot))
        return;
    const uint64_t entry = slot[PC_HEAD_ATTR_SIZE], room = entry - PC_SECTION_SIZE;
    const uint64_t attrs = slot[PC_HEAD_ATTRS_OFFSET], size_of_all = slot[PC_HEAD_ATTRS_SIZE];
    const bool inside =
        attrs >= PC_FILE_HEADER_SIZE && attrs <= e->in.size && size_of_all <= e->in.size - attrs;
    const uint64_t nr =
        inside && entry > PC_SECTION_SIZE && size_of_all % entry == 0 ? size_of_all / entry : 0;
    unsigned char raw[4];
    bool any = false;
    for (uint64_t i = 0; i < nr && nr <= PC_DESC_EVENTS_MAX && pc_attr_size_known(room); i++) {
        const uint64_t at = attrs + i * entry + PC_ATTR_SIZE_AT;
        if (pc_input_read_at(&e->in, at, raw, sizeof(raw)) != sizeof(raw))
            break;
        const uint64_t size = pc_load(raw, sizeof(raw), e->order);
        if (size == 0 || (size >= PC_ATTR_SIZE_MIN && size % 8 == 0 && size <= room))
            continue;
        pc_store(raw, sizeof(raw), room, e->order);
        mend(e, at, raw, sizeof(raw));
        any = true;
    }
    if (any)
        unmend_words(e, slot);
}

/* What other places than EVENT_DESC tell of attrs and ids. */
static void mend_without_events(struct pc_desc *e)
{
    e->seen = pc_alloc_buffer(&e->s->mem, e->size = sizeof(uint64_t));
    e->s->no_memory |= !e->seen;
    if (!e->seen)
        return;
    mend_sizes(e);
    mend_ids(e);
}

/* --- a pipe --- */

/* The records of a pipe begin with those of the attrs; others lead from these to the feature, unless zeros
 * stand for them. */
static void mend_records(struct pc_desc *e)
{
    uint64_t at = PC_PIPE_HEADER_SIZE;
    bool lost = false, fits = true;
    for (size_t i = 0; i < e->nr; at += pc_desc_record_size(e, i), i++) {
        fits &= pc_desc_record_size(e, i) <= PC_RECORD_SIZE_MAX;
        lost |= pc_repair_record_is_lost(e, i, at);
    }
    if (!fits)
        return;
    if (pc_repair_records_are_zeros(e, at)) {
        e->sure = true;
    } else if (lost || at >= e->at || !pc_repair_records_lead(e, at, e->at - PC_FEATURE_HEAD)) {
        if (e->s->in.kind != PC_INPUT_FILE || pc_input_is_shifted(&e->in) ||
            !pc_desc_shift_records(e, at - PC_PIPE_HEADER_SIZE))
            return;
    }
    at = PC_PIPE_HEADER_SIZE;
    for (size_t i = 0; i < e->nr; at += pc_desc_record_size(e, i), i++) {
        const struct pc_desc_event *event = &e->event[i];
        unsigned char head[PC_RECORD_HEADER_SIZE];
        pc_repair_store_head(e, i, head);
        mend(e, at, head, sizeof(head));
        mend(e, at + sizeof(head), e->bytes + event->attr_at, (size_t)e->attr_size);
        mend(e, at + sizeof(head) + e->attr_size, e->bytes + event->ids_at, (size_t)(8 * event->nr_ids));
    }
}

/* --- a file that perf inject made of a pipe --- */

/* The attrs, which were behind the data, and the ids in front of them stand at the end of the file, as the
 * feature repeats them: at their place, when they were cut. */
static void write_behind(struct pc_desc *e)
{
    const uint64_t entry = e->attr_size + PC_SECTION_SIZE, size = e->nr * entry, file = e->in.size,
                   was = e->slot[PC_HEAD_ATTRS_OFFSET];
    uint64_t ids = 0, end = e->slot[PC_HEAD_DATA_OFFSET] + e->slot[PC_HEAD_DATA_SIZE];
    for (size_t i = 0; i < e->nr; i++)
        ids += 8 * e->event[i].nr_ids;
    const bool same = e->slot[PC_HEAD_ATTR_SIZE] == entry && e->slot[PC_HEAD_ATTRS_SIZE] == size &&
                      was >= ids && was - ids >= end &&
                      (was - ids <= file ||
                       (end <= file && e->s->end_why == PC_NO_DIAG && was - ids - end <= PC_SECTION_SIZE));
    uint64_t due = same ? was - ids : file, attrs = due + ids;
    const uint64_t room = attrs + size > file ? attrs + size - file : 0;
    pc_input_shift(&e->s->in, file, room, 0);
    pc_input_shift(&e->in, file, room, 0);
    const uint64_t words[] = { entry, attrs, size };
    for (size_t i = 0; i < PC_COUNT_OF(attr_words); i++)
        mend_word(e, pc_row_at(pc_file_header, attr_words[i]), words[i]);
    for (size_t i = 0; i < e->nr; i++, attrs += entry) {
        const uint64_t n = 8 * e->event[i].nr_ids;
        mend(e, attrs, e->bytes + e->event[i].attr_at, (size_t)e->attr_size);
        mend_word(e, attrs + e->attr_size, due);
        mend_word(e, attrs + e->attr_size + 8, n);
        mend(e, due, e->bytes + e->event[i].ids_at, (size_t)n);
        due += n;
    }
    e->s->made_attrs = e->nr;
}

/* Whether attrs and ids are where the header says, and as the feature repeats them. */
static bool events_are_behind(struct pc_desc *e)
{
    const uint64_t entry = e->attr_size + PC_SECTION_SIZE;
    uint64_t at = e->slot[PC_HEAD_ATTRS_OFFSET];
    unsigned char section[PC_SECTION_SIZE];
    if (!words_fit(e, e->slot) || !attrs_are_at(e, at))
        return false;
    for (size_t i = 0; i < e->nr; i++, at += entry) {
        const uint64_t n = 8 * e->event[i].nr_ids;
        if (pc_input_read_at(&e->in, at + e->attr_size, section, sizeof(section)) != sizeof(section) ||
            pc_load(section + 8, 8, e->order) != n ||
            !pc_desc_has(e, pc_load(section, 8, e->order), e->bytes + e->event[i].ids_at, (size_t)n))
            return false;
    }
    return true;
}

/* Whether the attrs are where the words of the header lead that this slot of them has. */
static bool is_found(struct pc_desc *e, const uint64_t slot[PC_SLOTS])
{
    const struct pc_behind words = pc_behind_of(e->order, slot + PC_HEAD_ATTR_SIZE);
    return pc_find_behind(&e->in, &words) != 0;
}

/* All that the header leads to is read as it is, but not its magic and its size. */
static void unmend_all(struct pc_desc *e, const uint64_t slot[PC_SLOTS])
{
    size_t left = 0;
    while (left < e->s->nr_patches && e->s->patch[left].offset < pc_row_at(pc_file_header, PC_HEAD_ATTR_SIZE))
        left++;
    e->s->nr_patches = e->in.nr_patches = left;
    e->s->end_why = PC_NO_DIAG;
    pc_salvage_unname(e->s);
    memcpy(e->slot, slot, sizeof(e->slot));
}

/* False: the attrs were not behind the data, or are lost without a record that repeats them. */
static bool mend_behind(struct pc_desc *e)
{
    uint64_t slot[PC_SLOTS], data = e->slot[PC_HEAD_DATA_OFFSET];
    bool found = is_found(e, e->slot);
    if (e->s->in.kind != PC_INPUT_FILE || pc_input_is_shifted(&e->in) || !read_raw_header(e, slot))
        return found;
    if (!found && is_found(e, slot)) {
        unmend_words(e, slot);
        found = true;
    }
    struct pc_behind raw = pc_behind_of(e->order, slot + PC_HEAD_ATTR_SIZE);
    const bool no_end = raw.data_size == 0 && data < e->in.size;
    if (no_end) /* it was never written: at most what the file has, but for what the attrs are in */
        raw.data_size = (raw.attrs < e->in.size ? raw.attrs : e->in.size) - data;
    if (!pc_is_behind(&raw) || !pc_desc_find_record(e, data) || (found && events_are_behind(e)))
        return found;
    const uint64_t entry = e->attr_size + PC_SECTION_SIZE;
    const bool begin = pc_begin_attrs(&e->in, &raw), others = raw.entry != entry || raw.size != e->nr * entry;
    if (!pc_repair_records_lead(e, data, e->at - PC_FEATURE_HEAD) || (begin && others)) {
        pc_desc_forget(e);
        return found;
    }
    if (!no_end && raw.data + raw.data_size <= e->in.size)
        unmend_all(e, slot);
    else
        unmend_words(e, slot);
    e->sure = !found && !begin;
    write_behind(e);
    return true;
}

/* --- both --- */

/* Collects what differs, in s->split. True: it is right, whatever errors there are then. */
static bool compare(struct pc_salvage *s, const struct pc_input *in)
{
    unsigned char head[PC_FILE_HEADER_SIZE];
    struct pc_desc e = { .s = s, .in = *in };
    if (pc_input_read_at(&e.in, 0, head, sizeof(head)) != sizeof(head) || !pc_is_magic(head) ||
        memcmp(head, PC_MAGIC_1, 8) == 0) {
        s->not_judged |= e.in.error != 0;
        return false;
    }
    e.order = memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE;
    bool pipe = pc_load(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8, e.order) == PC_PIPE_HEADER_SIZE;
    if (pipe && pc_desc_find_record(&e, PC_PIPE_HEADER_SIZE))
        mend_records(&e);
    else if (!pipe && read_header(head, e.order, e.slot)) {
        if (!names_feature(&e, head)) {
            if (!mend_behind(&e))
                mend_without_events(&e);
        } else if (!pc_bit(s->unsure, PC_EVENT_DESC) && pc_desc_find(&e, head)) {
            mend_all(&e);
        }
    }
    s->not_judged |= e.in.error != 0;
    pc_desc_forget(&e);
    pc_free(&s->mem, e.event, e.cap * sizeof(*e.event));
    return e.sure;
}

/* Whether the header of the first record of a pipe was mended by what is behind it, of which the first bytes
 * may be damaged too: the feature, which is elsewhere, is right if it has no more errors. */
static bool first_is_mended(struct pc_input *in)
{
    unsigned char head[PC_PIPE_HEADER_SIZE];
    bool any = false;
    for (size_t i = 0; i < in->nr_patches; i++)
        any |= in->patch[i].offset == PC_PIPE_HEADER_SIZE;
    return any && pc_input_read_at(in, 0, head, sizeof(head)) == sizeof(head) && pc_is_magic(head) &&
           pc_load(head + pc_row_at(pc_file_header, PC_HEAD_SIZE), 8,
                   memcmp(head, PC_MAGIC_BIG, 8) == 0 ? PC_BIG : PC_LITTLE) == PC_PIPE_HEADER_SIZE;
}

/* All is read as before, of which these are the patches. */
static void give_up(struct pc_salvage *s, const struct pc_salvage *before, const struct pc_patch *patch)
{
    if (before->nr_patches != 0)
        memcpy(s->patch, patch, before->nr_patches * sizeof(*patch));
    s->nr_patches = before->nr_patches;
    s->end_why = before->end_why;
    s->made_attrs = 0;
    memcpy(s->named, before->named, sizeof(s->named));
    s->renamed = before->renamed;
    memcpy(s->unsure, before->unsure, sizeof(s->unsure));
    s->unsure_why = before->unsure_why;
    pc_input_shift(&s->in, before->in.shift_at, before->in.filled, before->in.left_out);
}

void pc_repair_events(struct pc_salvage *s, pc_judge *judge, void *ctx)
{
    struct pc_input in = pc_salvage_input(s), file;
    uint64_t as_it_is = 0, mended = 0;
    bool sure = false;
    const struct pc_salvage was = *s;
    const size_t nr = s->nr_patches, size = nr * sizeof(*s->patch);
    struct pc_patch *before = nr != 0 ? pc_alloc(&s->mem, size) : NULL;
    if (nr != 0 && !before) {
        s->no_memory = true;
        return;
    }
    if (before)
        memcpy(before, s->patch, size);
    in.patch = before;
    if (pc_salvage_open_file(s, &file)) {
        file.patch = before;
        file.nr_patches = nr;
        sure = compare(s, &file);
        pc_input_close(&file);
    }
    bool differs =
        s->nr_split != 0 || s->nr_patches != nr || pc_input_is_shifted(&s->in) != pc_input_is_shifted(&in);
    if (differs && !s->no_memory) {
        judge(ctx, pc_salvage_input(s), PC_NOT_JUDGED, &mended);
        const uint64_t more = pc_add_saturated(mended, 1); /* which is all that counts, and: */
        judge(ctx, in, more < PC_JUDGED_ERROR ? PC_JUDGED_ERROR : more, &as_it_is);
        s->not_judged |= as_it_is == PC_NOT_JUDGED || mended == PC_NOT_JUDGED;
    }
    /* Shifted attrs are those of EVENT_DESC in any case: what is there may be wrong and have no error. */
    bool shifted = pc_input_is_shifted(&s->in) && s->in.shift_at + s->in.filled >= PC_FILE_HEADER_SIZE &&
                   (s->made_attrs != 0 || pc_input_is_shifted(&in));
    const bool is_sound = s->made_attrs != 0 && as_it_is < PC_JUDGED_ERROR; /* and so are its attrs */
    sure |= differs && mended == as_it_is && !pc_input_is_shifted(&s->in) && first_is_mended(&in);
    if (differs && !shifted && !sure && (mended >= as_it_is || is_sound))
        give_up(s, &was, before);
    pc_free(&s->mem, before, size);
}
