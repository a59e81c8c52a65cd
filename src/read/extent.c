/* SPDX-License-Identifier: MIT
 *
 * How long a record is by its content. Its fields are walked as if it went on up to the end of all bytes that
 * are there: where they end, the record ends.
 */
#include "read/extent.h"
#include "bytes/inflate.h"
#include "read/fits.h"
#include "read/parts.h"
#include "read/plausible.h"
#include "read/window.h"

/* What a walk shows of the end of the fields. */
struct measure {
    bool is_whole;  /* all of them are there */
    uint64_t least; /* if not: they end no earlier than here */
    size_t text; /* where the text or the padding ends that they end with; 0: they end with something else */
    bool is_opaque; /* they end with bytes that show no end */
    bool has_rest;  /* they end with a row that takes all bytes */
    bool is_odd;    /* the text is none that a writer has written: it may go on in other records */
    const struct pc_field *last; /* row */
};

/* Whether the bytes up to a NUL are a name: not longer than those of its kind, of characters. */
static bool is_name(const struct pc_leaf *leaf)
{
    for (size_t i = 0; i < leaf->value; i++) {
        if (leaf->raw.ptr[i] < ' ' || leaf->raw.ptr[i] == 0x7f || leaf->raw.ptr[i] == 0xff)
            return false;
    }
    return pc_leaf_ok(leaf);
}

/* How far a row reaches of which bytes are missing. */
static uint64_t reach(const struct pc_leaf *leaf)
{
    const struct pc_walk *walk = leaf->walk;
    uint64_t bytes = leaf->need;
    if (leaf->fault == PC_FAULT_NO_NUL)
        bytes = leaf->left + 1;
    else if (leaf->fault == PC_FAULT_COUNT &&
             !pc_mul(leaf->value, pc_least_size(leaf->field->sub, walk->mask), &bytes))
        bytes = UINT64_MAX;
    return pc_add_saturated(walk->c->pos, bytes);
}

static bool find_end(void *ctx, const struct pc_leaf *leaf)
{
    struct measure *m = ctx;
    const struct pc_field *field = m->last = leaf->field;
    if (leaf->fault != PC_SOUND) {
        m->is_whole = false;
        m->is_opaque |= leaf->fault == PC_FAULT_COUNT && field->kind != PC_REPEAT;
        m->least = m->is_opaque ? 0 : reach(leaf);
        return true;
    }
    if (field->kind == PC_CSTR) {
        m->text = leaf->at + (size_t)leaf->value + 1;
        m->is_odd = !is_name(leaf);
    } else if (field->kind == PC_REST && pc_is_padding(field)) {
        m->text = leaf->at;
        m->has_rest = leaf->raw.len != 0;
    } else if (field->kind == PC_REST && leaf->raw.len != 0) {
        m->is_opaque = true;
    }
    return true;
}

/* Whether all bytes of a record from a place on are zeros, as far as they are there. */
static bool is_zero(struct pc_span bytes, size_t from, size_t to)
{
    to = to < bytes.len ? to : bytes.len;
    struct pc_span rest = pc_part(bytes, from, from < to ? to - from : 0);
    return pc_first_nonzero(rest) == rest.len;
}

/* The bytes of rows after the last one that is there: of those that later versions of perf have added. */
static uint64_t find_absent(const struct pc_field *table, const struct pc_field *last,
                            const struct pc_walk *walk)
{
    uint64_t bytes = 0, elements;
    for (const struct pc_field *field = table; field->kind != PC_END; field++) {
        bool is_last = field == last;
        for (const struct pc_field *sub = field->sub; sub && sub->kind != PC_END; sub++)
            is_last |= sub == last;
        if (is_last)
            bytes = 0;
        else if (field->flags & PC_OPTIONAL)
            bytes += field->width ? field->width : field->arg;
        else if (field->kind == PC_REPEAT && (field->flags & PC_IF_FITS) &&
                 pc_mul(walk->slot[field->count], pc_least_size(field->sub, walk->mask), &elements))
            bytes = pc_add_saturated(bytes, elements);
    }
    return bytes;
}

/* The row of a table that takes all bytes that are left, or NULL. */
static const struct pc_field *find_rest(const struct pc_field *field, uint64_t mask)
{
    while (field->kind != PC_END && (field->kind != PC_REST || !pc_present(field, mask)))
        field++;
    return field->kind == PC_END ? NULL : field;
}

/* Whether a record has the size that perf record -z of 6.15 to 7.1 gave it, defect D20 of FORMAT.md 12.5, as
 * far as it is there. */
static bool is_size_wrapped(const struct pc_walk *walk, size_t size, size_t have)
{
    uint64_t all;
    return pc_add(pc_size_wrapped_info.min, walk->slot[PC_SLOT_A], &all) && all > have && all > UINT16_MAX &&
           (pc_align8(all) & UINT16_MAX) == size;
}

/* The same of a record with a known layout. */
static struct pc_extent extent_of(struct pc_reader *r, struct pc_span bytes, const struct pc_layout *layout)
{
    struct pc_record_head head = pc_load_head(bytes.ptr, r->capture->order);
    struct pc_cursor c = pc_record_body(bytes, r->capture->order);
    struct measure m = { .is_whole = true };
    struct pc_walk walk;
    size_t trailer = pc_sample_id_size(layout->mask), size = head.size;
    const struct pc_field *fields = pc_record_info(head.type)->fields;
    struct pc_extent agrees = { PC_AGREES, 0 }, contrary = { PC_CONTRARY, 0 };

    pc_walk_init(&walk, layout, &c, find_end, &m);
    pc_walk_table(&walk, fields);
    r->work += walk.work;
    if (m.is_whole && size > c.pos && size <= pc_add_saturated(c.pos, find_absent(fields, m.last, &walk)))
        return agrees;
    const bool may_lack = m.is_whole && c.pos == bytes.len && !m.has_rest && m.text == 0;
    const struct pc_field *rest = may_lack ? find_rest(fields, walk.mask) : NULL;
    if (rest) { /* nothing is there of it, which need not be all */
        m.text = pc_is_padding(rest) ? c.pos : 0;
        m.is_opaque |= !pc_is_padding(rest);
    }
    if (head.type == PC_COMPRESSED2 && is_size_wrapped(&walk, size, bytes.len))
        return agrees;
    if (head.type == PC_COMPRESSED2 && m.is_whole && walk.slot_at[PC_REC_RAW] != 0) {
        m.is_opaque = false; /* the padding has any content, but not any length */
        c.pos = walk.slot_at[PC_REC_RAW] + (size_t)walk.slot[PC_REC_RAW];
    }
    if (m.is_opaque)
        return (struct pc_extent){ PC_OPAQUE, 0 };
    if (!m.is_whole)
        return m.least > size || trailer > size - m.least ? contrary : agrees;
    size_t end = m.text != 0 ? m.text : c.pos;
    if (!pc_is_android_type(head.type)) /* these have their padding in their tables */
        end = (size_t)pc_align8(end) + trailer;
    while (m.text != 0 && trailer == 0 && end + 8 <= bytes.len && is_zero(bytes, end, end + 8))
        end += 8; /* perf makes room for longer texts in its own records, and no record begins with zeros */
    if (size == end)
        return agrees;
    bool padded = m.text != 0 && size >= m.text + trailer && is_zero(bytes, m.text, size - trailer);
    if (padded && size - trailer >= bytes.len)
        return agrees; /* it is cut there */
    return (struct pc_extent){ padded ? PC_AGREES : PC_CONTRARY, m.is_odd ? 0 : end };
}

static struct pc_layout layout_of(const struct pc_capture *capture, size_t index, struct pc_record_head head,
                                  struct pc_span bytes)
{
    bool old = head.type == PC_MMAP2 &&
               (capture->mmap2_old >= 0 ? capture->mmap2_old : pc_mmap2_is_old(head.misc, bytes)) == 1;
    return pc_record_layout(&capture->layout[index]->layout, head.type, head.misc, old);
}

/* That of a sample. Its id is at the same place, whatever its size is. */
static struct pc_extent sample_extent(struct pc_reader *r, struct pc_span bytes, struct pc_record_head head)
{
    const struct pc_capture *capture = r->capture;
    struct pc_chosen chosen = pc_capture_choose(capture, PC_SAMPLE, bytes);
    uint32_t attr = chosen.choice == PC_CHOSEN ? chosen.attr : 0;
    if ((chosen.choice != PC_CHOSEN && !capture->common.same_layout) ||
        pc_attr_get(&capture->attr[attr], PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS)
        return (struct pc_extent){ PC_OPAQUE, 0 };
    size_t index = capture->attr[attr].layout;
    struct pc_layout layout = layout_of(capture, index, head, bytes);
    struct pc_extent extent = extent_of(r, bytes, &layout);
    for (unsigned which = 0; extent.agreement == PC_CONTRARY && which < 3; which++) {
        const struct pc_plan *plan;
        if (!pc_capture_other_layout(capture, capture->layout[index], which, &layout, &plan))
            continue;
        struct pc_extent other = extent_of(r, bytes, &layout);
        if (other.agreement != PC_CONTRARY)
            extent = other;
    }
    return extent;
}

/* Layouts that are tried for one record. */
#define LAYOUTS_TRIED 64

/* That of another record of the kernel, which ends with its id: the layout is that of the event whose id is
 * there. */
static struct pc_extent other_extent(struct pc_reader *r, struct pc_span bytes, struct pc_record_head head)
{
    const struct pc_capture *capture = r->capture;
    struct pc_extent last = { PC_OPAQUE, 0 };
    size_t most = capture->nr_layouts < LAYOUTS_TRIED ? capture->nr_layouts : LAYOUTS_TRIED;
    bool is_one = true;
    for (size_t i = 0; i < most; i++) {
        struct pc_layout layout = layout_of(capture, i, head, bytes);
        struct pc_extent extent = extent_of(r, bytes, &layout);
        if (extent.end == 0 && extent.agreement != PC_CONTRARY)
            return extent;
        struct pc_chosen chosen = { .choice = PC_CHOICE_SHORT };
        if (extent.end != 0 && extent.end <= bytes.len)
            chosen = pc_capture_choose(capture, head.type, pc_part(bytes, 0, extent.end));
        if (chosen.choice == PC_CHOSEN && capture->attr[chosen.attr].layout == i)
            return extent;
        is_one &= i == 0 || extent.end == last.end;
        last = extent;
    }
    if (!is_one)
        last.end = 0;
    return last;
}

/* Whether records of a type take any number of elements, or any bytes, up to their end. */
static bool has_no_end(const struct pc_record_info *info)
{
    const struct pc_field *field = info->fields;
    while (field->kind != PC_END && field->kind != PC_UNTIL_END && field->kind != PC_REST)
        field++;
    /* How those of simpleperf are laid out must not depend on their size. */
    const bool is_exact = info->excess_diag == PC_D_ANDROID_EXCESS && field->kind == PC_END &&
                          !(info->fields->flags & PC_IF_WORDS);
    return field->kind == PC_UNTIL_END || (info->flags & PC_HAS_PAYLOAD) ||
           ((info->flags & PC_ANY_SIZE) && !is_exact);
}

struct pc_extent pc_reader_extent(struct pc_reader *r, struct pc_span bytes)
{
    struct pc_record_head head = pc_load_head(bytes.ptr, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    const struct pc_layout layout = { 0 };
    bool is_kernel = pc_is_kernel_type(head.type);
    if (!info) /* a newer perf or kernel may have written it */
        return (struct pc_extent){ pc_may_follow(bytes.ptr, r->capture->order) ? PC_OPAQUE : PC_CONTRARY, 0 };
    if (has_no_end(info) || (is_kernel && r->capture->nr_attrs == 0))
        return (struct pc_extent){ PC_OPAQUE, 0 };
    bool is_plain =
        !is_kernel || head.type == PC_SAMPLE || (head.type == PC_MMAP2 && r->capture->mmap2_old < 0);
    if (is_plain && head.size >= info->min && head.size <= bytes.len && head.type != PC_COMPRESSED2 &&
        (!pc_breaks_grid(&head) ||
         pc_unaligned_writer(head.type, pc_part(bytes, 0, head.size), r->capture->order)) &&
        pc_reader_fits(r, pc_part(bytes, 0, head.size)))
        return (struct pc_extent){ PC_AGREES, 0 };
    if (!is_kernel)
        return extent_of(r, bytes, &layout);
    return head.type == PC_SAMPLE ? sample_extent(r, bytes, head) : other_extent(r, bytes, head);
}

/* --- records in others --- */

/* A value that is walked counts as so many bytes that are. */
#define WALK_OF_VALUE 8

size_t pc_reader_ids_end(const struct pc_reader *r, struct pc_span record)
{
    struct pc_cursor in = pc_record_body(record, r->capture->order);
    uint64_t size, id, last = 0;
    struct pc_span attr;
    if (!pc_peek(&in, PC_ATTR_SIZE_AT, 4, &size) || !pc_take(&in, pc_attr_size(size), &attr))
        return 0;
    size_t end = in.pos;
    while (pc_uint(&in, 8, &id) && pc_may_be_id(last, id)) {
        last = id;
        end = in.pos;
    }
    return end;
}

struct pc_extent pc_reader_search_extent(struct pc_reader *r, struct pc_span bytes)
{
    const uint64_t before = r->work;
    if (!pc_reader_may_scan(r, 0))
        return (struct pc_extent){ PC_OPAQUE, 0 };
    struct pc_extent extent = pc_reader_extent(r, bytes);
    r->walked += WALK_OF_VALUE * (r->work - before);
    return extent;
}

/* Records that follow each other. */
struct chain {
    size_t nr, end; /* so many, up to here */
    bool some;      /* one of them has content, so that eight bytes are not all that says so */
};

/* The whole records, each as long as its content, that follow each other from a place in these bytes on,
 * `most` or fewer. *left: bytes that may still be walked. */
static struct chain follow(struct pc_reader *r, struct pc_span bytes, size_t at, size_t most, size_t *left)
{
    struct chain chain = { .end = at };
    while (chain.end < bytes.len && chain.nr < most) {
        struct pc_span rest = pc_part(bytes, chain.end, bytes.len - chain.end);
        uint64_t step;
        if (!pc_plausible_step(r, rest, &step) || step > rest.len)
            break;
        struct pc_record_head head = pc_load_head(rest.ptr, r->capture->order);
        if (head.size > *left || !pc_reader_may_walk(r, head.size))
            break;
        *left -= head.size;
        if (pc_reader_extent(r, pc_part(rest, 0, head.size)).agreement == PC_CONTRARY)
            break;
        chain.some |= pc_record_info(head.type)->fields->kind != PC_END;
        chain.end += (size_t)step;
        chain.nr++;
    }
    return chain;
}

static bool begins_chain(struct pc_reader *r, struct pc_span bytes, size_t at, size_t least, size_t *left)
{
    const struct chain chain = follow(r, bytes, at, least, left);
    return chain.nr == least && chain.some;
}

bool pc_reader_feature_tells(struct pc_reader *r, struct pc_span record, size_t *end)
{
    struct pc_cursor c = pc_record_body(record, r->capture->order);
    struct pc_layout layout = pc_capture_feature_layout(r->capture);
    struct pc_walk walk;
    uint64_t bit;
    *end = record.len;
    if (!pc_uint(&c, 8, &bit))
        return false;
    const struct pc_field *fields = pc_feature_fields(bit, pc_part(record, c.pos, pc_left(&c)));
    if (!fields || fields->kind == PC_REST) {
        *end = 0;
        return false;
    }
    if (!pc_capture_can_walk(r->capture, bit))
        return false;
    pc_walk_init(&walk, &layout, &c, NULL, NULL);
    bool whole = pc_walk_table(&walk, fields);
    r->work += walk.work;
    *end = whole ? c.pos : record.len;
    return whole;
}

/* The first place from `at` on where the content of a compressed record can end; behind its end: there is
 * none. *block: of pc_inflate_ends_block. */
static size_t next_block(struct pc_reader *r, struct pc_span record, size_t at, size_t *block)
{
    const uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    const size_t before = *block, min = pc_record_info(type)->min;
    const struct pc_span content = pc_part(record, min, record.len - min);
    pc_inflate_ends_block(content, at - min, block);
    r->work += *block < content.len ? *block - before : 0;
    return *block < at - min ? record.len + 1 : min + *block;
}

/* Records and their fields are multiples of so many bytes, but where any bytes are content. Words in a row,
 * as ids are, look like records at odd places, again and again. */
#define GRID 4

/* Where, in a record, another one is looked for. */
struct places {
    struct pc_span record;
    enum pc_order order;
    bool are_blocks; /* only where blocks of zstd end */
    size_t step;     /* only at multiples of it, which is 1 or GRID */
    size_t block;    /* of next_block */
};

static struct places places_of(const struct pc_reader *r, struct pc_span record, bool anywhere)
{
    const uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    const bool are_blocks = pc_record_is(type, PC_HOLDS_RECORDS);
    const bool on_grid = !anywhere && !are_blocks && type != PC_SPLIT && type != PC_SPLIT_END;
    return (struct places){ record, r->capture->order, are_blocks, on_grid ? GRID : 1, 0 };
}

/* The first place from `at` on at which a type may be; behind the last header that has room: there is none.
 */
static size_t next_place(struct pc_reader *r, struct places *p, size_t at)
{
    at = (at + p->step - 1) & -p->step;
    while (at + PC_RECORD_HEADER_SIZE <= p->record.len) {
        if (p->are_blocks)
            at = next_block(r, p->record, at, &p->block);
        if (at + PC_RECORD_HEADER_SIZE > p->record.len || pc_may_be_type(p->record.ptr + at, p->order))
            break;
        at += p->step;
    }
    return at;
}

/* How many records must follow each other in a record so that its size is wrong, whatever comes after them:
 * few if its content is never like them. */
static size_t chain_in(const struct pc_record_info *info, uint32_t type)
{
    const size_t in_any_bytes = 16;
    return !info || pc_is_kernel_type(type) || pc_is_android_type(type) ? in_any_bytes : PC_CHAIN;
}

static size_t find_swallowed(struct pc_reader *r, struct pc_span record, bool anywhere)
{
    const uint32_t type = pc_load_head(record.ptr, r->capture->order).type;
    const struct pc_record_info *info = pc_record_info(type);
    const size_t least = info ? info->min : PC_RECORD_HEADER_SIZE;
    if (record.len < least || !pc_reader_may_scan(r, record.len))
        return 0;
    size_t sure = least, left = 2 * record.len;
    if (type == PC_HEADER_FEATURE)
        pc_reader_feature_tells(r, record, &sure);
    if (sure == 0)
        return 0;
    /* The first piece of a split record begins with the header of that. */
    const size_t from = least + (type == PC_SPLIT ? (size_t)PC_RECORD_HEADER_SIZE : 0);
    struct places places = places_of(r, record, anywhere);
    size_t first = 0;
    for (size_t at = next_place(r, &places, from); at + PC_RECORD_HEADER_SIZE <= record.len;
         at = next_place(r, &places, at + 1)) {
        const struct chain chain = follow(r, record, at, SIZE_MAX, &left);
        bool follows = chain.nr >= PC_CHAIN && chain.some && (type != PC_HEADER_FEATURE || at >= sure);
        if (first == 0 && follows)
            first = at; /* when others prove that the size is wrong, damage between does not end these */
        if (chain.nr == 0 || (chain.end < record.len && (!follows || chain.nr < chain_in(info, type))))
            continue;
        if (chain.some || at >= sure)
            return first != 0 ? first : at;
        at = sure - 1; /* from a later one of these records it is the same */
    }
    return 0;
}

size_t pc_reader_find_swallowed(struct pc_reader *r, struct pc_span record)
{
    return find_swallowed(r, record, false);
}

size_t pc_reader_find_off_grid(struct pc_reader *r, struct pc_span record)
{
    return find_swallowed(r, record, true);
}

size_t pc_reader_find_in_header(struct pc_reader *r, uint32_t type, size_t end)
{
    const size_t have = pc_reader_available(r, end);
    const unsigned char *here = r->w->bytes + r->w->at;
    uint64_t step = 0;
    if (have < end || r->capture->nr_attrs == 0 || pc_record_is(type, PC_MENDED))
        return end;
    for (size_t at = 1; at < PC_RECORD_HEADER_SIZE && at + PC_RECORD_HEADER_SIZE <= end; at++) {
        if (pc_plausible_step_at(r, at, have, &step) && step == end - at &&
            pc_reader_fits(r, (struct pc_span){ here + at, (size_t)step }))
            return at;
    }
    return end;
}

bool pc_reader_overlaps(struct pc_reader *r, struct pc_span both, size_t boundary)
{
    size_t left = 2 * both.len;
    if (!pc_reader_may_walk(r, boundary))
        return false;
    for (size_t at = PC_RECORD_HEADER_SIZE; at < boundary; at += GRID) {
        if (!pc_may_be_type(both.ptr + at, r->capture->order))
            continue;
        const struct chain chain = follow(r, both, at, SIZE_MAX, &left);
        if (chain.nr >= PC_CHAIN && chain.some && chain.end == both.len)
            return true;
    }
    return false;
}

/* Whether what is behind the attr of a HEADER_ATTR may be ids: no header fits into 32 bits. */
static bool are_ids(struct pc_span record, enum pc_order order)
{
    struct pc_cursor c = pc_record_body(record, order);
    struct pc_span attr;
    uint64_t id = 0;
    bool is_attr = pc_peek(&c, PC_ATTR_SIZE_AT, 4, &id) && pc_take(&c, pc_attr_size(id), &attr);
    while (is_attr && pc_uint(&c, 8, &id)) {
        if (id > UINT32_MAX)
            return false;
    }
    return is_attr && pc_left(&c) == 0;
}

/* Whether a HEADER_FEATURE is of a feature that pipes have, which fills it or may be any bytes. */
static bool is_whole_feature(struct pc_reader *r, struct pc_span record)
{
    struct pc_cursor c = pc_record_body(record, r->capture->order);
    uint64_t bit;
    if (!pc_uint(&c, 8, &bit) || bit >= PC_FEATURE_BITS ||
        !pc_feature_fields(bit, pc_part(record, c.pos, pc_left(&c))))
        return false;
    size_t end;
    pc_reader_feature_tells(r, record, &end);
    return end == 0 || end == record.len;
}

/* Whether a sample ends where the layout of some event says. Which event it is of is not known when its id is
 * in a record that is damaged, or not yet read. */
static bool fits_some_layout(struct pc_reader *r, struct pc_span record, struct pc_record_head head)
{
    const struct pc_capture *capture = r->capture;
    if (!pc_reader_may_scan(r, 0) ||
        pc_capture_choose(capture, head.type, record).choice != PC_CHOICE_UNKNOWN)
        return false;
    bool fits = false;
    const uint64_t before = r->work;
    for (size_t i = 0; i < capture->nr_layouts && i < LAYOUTS_TRIED && !fits; i++) {
        struct pc_layout layout = layout_of(capture, i, head, record);
        fits = extent_of(r, record, &layout).agreement == PC_AGREES;
    }
    r->walked += WALK_OF_VALUE * (r->work - before);
    return fits;
}

bool pc_reader_may_follow(struct pc_reader *r, struct pc_span bytes, size_t at)
{
    struct pc_record_head head = pc_load_head(bytes.ptr, r->capture->order);
    if (at % GRID == 0 || head.size > bytes.len)
        return true;
    if (head.type == PC_HEADER_FEATURE)
        return pc_reader_may_walk(r, head.size) && is_whole_feature(r, pc_part(bytes, 0, head.size));
    if (head.type == PC_COMPRESSED) {
        const struct pc_span record = pc_part(bytes, 0, head.size);
        size_t block = 0;
        return pc_reader_may_walk(r, head.size) && next_block(r, record, record.len, &block) == record.len;
    }
    const struct pc_span record = pc_part(bytes, 0, head.size);
    const struct pc_record_info *info = pc_record_info(head.type);
    if (pc_is_android_type(head.type) || (info && !pc_is_kernel_type(head.type) && has_no_end(info)))
        return pc_reader_may_walk(r, head.size) && pc_reader_is_known(r, record);
    if (pc_is_kernel_type(head.type) && r->capture->nr_attrs == 0)
        return false;
    return pc_reader_search_extent(r, record).agreement == PC_AGREES ||
           (head.type == PC_SAMPLE && fits_some_layout(r, record, head));
}

struct pc_extent pc_reader_open_extent(struct pc_reader *r, struct pc_span bytes)
{
    struct pc_record_head head = pc_load_head(bytes.ptr, r->capture->order);
    const struct pc_record_info *info = pc_record_info(head.type);
    struct pc_extent extent = { PC_OPAQUE, 0 };
    const size_t chain = chain_in(info, head.type), least = info ? info->min : PC_RECORD_HEADER_SIZE;
    struct places places = places_of(r, bytes, false);
    size_t left = 2 * bytes.len, before = bytes.len;
    if (bytes.len < least || !pc_reader_may_scan(r, bytes.len))
        return extent;
    size_t from = least;
    if (head.type == PC_HEADER_FEATURE)
        pc_reader_feature_tells(r, bytes, &from);
    if (from == 0) { /* one of no bytes ends all features, whatever its bit */
        from = least;
        before = least + 1;
    }
    for (size_t at = next_place(r, &places, from); at < before && at + PC_RECORD_HEADER_SIZE <= bytes.len;
         at = next_place(r, &places, at + 1)) {
        /* Behind a block of zstd, fewer are enough that lead to the very end. */
        const struct chain found = follow(r, bytes, at, chain, &left);
        bool ends = head.type == PC_COMPRESSED && found.nr != 0 && found.end == bytes.len;
        if (!ends && (found.nr != chain || !found.some))
            continue;
        bool is_end = chain == PC_CHAIN &&
                      (head.type != PC_HEADER_ATTR || are_ids(pc_part(bytes, 0, at), r->capture->order));
        return (struct pc_extent){ PC_CONTRARY, is_end ? at : 0 };
    }
    return extent;
}

size_t pc_reader_find_records(struct pc_reader *r, struct pc_span bytes)
{
    size_t left = 2 * bytes.len;
    if (!pc_reader_may_scan(r, bytes.len))
        return bytes.len;
    for (size_t at = 0; at + PC_RECORD_HEADER_SIZE <= bytes.len; at += GRID) {
        if (pc_may_be_type(bytes.ptr + at, r->capture->order) && begins_chain(r, bytes, at, PC_CHAIN, &left))
            return at;
    }
    return bytes.len;
}

bool pc_reader_fills(struct pc_reader *r, struct pc_span record, size_t *end)
{
    const uint64_t before = r->work;
    struct pc_extent extent = { PC_OPAQUE, 0 };
    if (pc_record_info(pc_load_head(record.ptr, r->capture->order).type))
        extent = pc_reader_extent(r, record);
    const bool fills = extent.agreement != PC_CONTRARY && extent.end == 0;
    const bool may = pc_reader_may_scan(r, 0); /* a record that fills is walked once, by who reads it */
    r->walked += may && !fills ? WALK_OF_VALUE * (r->work - before) : 0;
    *end = may ? extent.end : 0;
    return fills;
}
