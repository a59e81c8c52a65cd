/* SPDX-License-Identifier: MIT
 *
 * The command `diff`: reads two captures side by side and prints where their content differs.
 */
#include "cli/diff.h"
#include "cli/command.h"

#include "write/content.h"
#include "bytes/cursor.h"
#include "lib/value.h"
#include "cli/show.h"
#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* So many differences are shown of each kind: attrs, features, records. */
#define SHOWN_MAX 10
#define BYTES_MAX ((size_t)8)

struct side {
    struct pc_content content;
    const char *path;
    uint64_t number;     /* records before the current one */
    struct pc_span left; /* of the current payload */
    struct pc_content_item item;
    struct pc_scan scan;
};

struct diff {
    struct side side[2];
    struct pc_policy policy;
    struct pc_printer *printer;
    FILE *out; /* lines about records are printed after those about attrs and features */
    uint64_t shown, differences;
    struct pc_buffer path, value[2], name[2];
    struct pc_shown found; /* of the current search */
};

/* --- where in a structure --- */

/* The leaf that holds the byte at `at`. */
struct search {
    struct diff *d;
    unsigned side;
    const struct pc_item *item;
    size_t at;
    bool found;
    struct pc_shown *shown;
};

static bool find_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct search *s = ctx;
    struct pc_buffer *path = &s->d->path, *value = &s->d->value[s->side];
    bool bytes = leaf->field->kind == PC_BYTES || leaf->field->kind == PC_REST;
    if (leaf->fault != PC_SOUND)
        return false;
    if (s->at >= leaf->at + leaf->raw.len)
        return true;
    s->found = true;
    if (s->side == 0) {
        if (leaf->walk->depth != 0) {
            pc_put(path, ".");
            pc_put_steps(path, leaf->walk->path, leaf->walk->depth);
        }
        if (leaf->field->name) {
            pc_put(path, ".");
            pc_put(path, leaf->field->name);
        }
    }
    size_t from = s->at > leaf->at && bytes ? s->at - leaf->at : 0;
    if (bytes && s->side == 0)
        pc_put_format(path, "+0x%zx", from);
    if (bytes) {
        struct pc_span some = pc_part(leaf->raw, from, leaf->raw.len - from);
        some.len = some.len < BYTES_MAX ? some.len : BYTES_MAX;
        pc_show_bytes(s->shown, some, some.len, "");
    } else {
        pc_show_leaf(s->shown, leaf);
    }
    pc_put(value, s->shown->value.text);
    return false;
}

/* One at a time. */
static struct search new_search(struct diff *d, unsigned side, const struct pc_item *item, size_t at)
{
    d->found.capture = &d->side[side].scan.capture;
    d->found.item = item;
    return (struct search){ .d = d, .side = side, .item = item, .at = at, .shown = &d->found };
}

/* --- lines --- */

static void begin_line(struct diff *d)
{
    pc_buffer_init(&d->path);
    pc_buffer_init(&d->value[0]);
    pc_buffer_init(&d->value[1]);
}

/* path: value | value */
static void end_line(struct diff *d)
{
    d->differences++;
    if (d->shown++ >= SHOWN_MAX)
        return;
    fprintf(d->out, "%s: %s | %s\n", d->path.text, d->value[0].text, d->value[1].text);
}

static void end_section(struct diff *d, const char *what)
{
    if (d->shown > SHOWN_MAX)
        fprintf(d->out, "%" PRIu64 " more %s differ\n", d->shown - SHOWN_MAX, what);
    d->shown = 0;
}

static void put_number(struct pc_buffer *b, uint64_t n)
{
    pc_put_format(b, "%" PRIu64, n);
}

/* The first byte in which they differ; the length of the shorter one when there is none. */
static size_t first_difference(struct pc_span a, struct pc_span b)
{
    size_t n = a.len < b.len ? a.len : b.len, i = 0;
    while (i < n && a.ptr[i] == b.ptr[i])
        i++;
    return i;
}

static bool is_equal(struct pc_span a, struct pc_span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

/* --- records --- */

static const char *type_name(uint32_t type, struct pc_buffer *b)
{
    const struct pc_record_info *info = pc_record_info(type);
    if (info)
        return info->name;
    pc_buffer_init(b);
    pc_put_format(b, "TYPE_%" PRIu32, type);
    return b->text;
}

/* Walks the record as its capture has it: its fields have the offsets of the canonical record. */
static bool find_in_record(struct diff *d, unsigned side, size_t at)
{
    struct side *s = &d->side[side];
    const struct pc_item *item = &s->item.source;
    struct search search = new_search(d, side, item, at);
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    size_t excess;
    const struct pc_record_info *info = pc_record_info(item->type);
    if (!info || !pc_capture_layout(&s->scan.capture, item->type, item->misc, item->bytes, &layout, &attr))
        return false;
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = s->scan.capture.order };
    pc_walk_init(&walk, &layout, &c, find_leaf, &search);
    pc_walk_record(&walk, info, &excess);
    return search.found;
}

static void diff_record(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    const size_t misc_at = PC_RECORD_MISC_AT;
    begin_line(d);
    pc_put_format(&d->path, "records[%" PRIu64 "]", a->item.source.number);
    if (a->item.type != b->item.type) {
        pc_put(&d->value[0], type_name(a->item.type, &d->name[0]));
        pc_put(&d->value[1], type_name(b->item.type, &d->name[1]));
        end_line(d);
        return;
    }
    pc_put(&d->path, ".");
    pc_put(&d->path, type_name(a->item.type, &d->name[0]));
    struct pc_span left =
        pc_part(a->item.bytes, PC_RECORD_HEADER_SIZE, a->item.bytes.len - PC_RECORD_HEADER_SIZE);
    struct pc_span right =
        pc_part(b->item.bytes, PC_RECORD_HEADER_SIZE, b->item.bytes.len - PC_RECORD_HEADER_SIZE);
    size_t at = PC_RECORD_HEADER_SIZE + first_difference(left, right);
    if (a->item.source.misc != b->item.source.misc) {
        pc_put(&d->path, ".misc");
        pc_put_format(&d->value[0], "0x%" PRIx64, pc_load(a->item.bytes.ptr + misc_at, 2, PC_LITTLE));
        pc_put_format(&d->value[1], "0x%" PRIx64, pc_load(b->item.bytes.ptr + misc_at, 2, PC_LITTLE));
    } else if (at == a->item.bytes.len || at == b->item.bytes.len || !find_in_record(d, 0, at)) {
        pc_put(&d->path, at == a->item.bytes.len || at == b->item.bytes.len ? ".size" : ".bytes");
        put_number(&d->value[0], at == a->item.bytes.len || at == b->item.bytes.len ? a->item.bytes.len : at);
        put_number(&d->value[1], at == a->item.bytes.len || at == b->item.bytes.len ? b->item.bytes.len : at);
    } else if (!find_in_record(d, 1, at)) {
        pc_put(&d->value[1], "(not there)");
    }
    end_line(d);
}

/* The next record or payload that counts, of a side that has no current one. */
static void advance(struct side *s)
{
    if (s->left.len != 0)
        return;
    do {
        if (s->item.kind == PC_CONTENT_RECORD && s->item.type != PC_FINISHED_ROUND)
            s->number++;
        pc_content_next(&s->content, &s->item);
    } while (s->item.kind == PC_CONTENT_RECORD && s->item.type == PC_FINISHED_ROUND);
    if (s->item.kind == PC_CONTENT_PAYLOAD)
        s->left = s->item.bytes;
}

/* Payloads arrive in pieces, which may be cut differently on the two sides. */
static void diff_payload(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    size_t n = a->left.len < b->left.len ? a->left.len : b->left.len;
    struct pc_span left = pc_part(a->left, 0, n), right = pc_part(b->left, 0, n);
    if (!is_equal(left, right)) {
        size_t at = first_difference(left, right), some = n - at < BYTES_MAX ? n - at : BYTES_MAX;
        struct pc_shown *shown = new_search(d, 0, &a->item.source, 0).shown;
        begin_line(d);
        pc_put_format(&d->path, "records[%" PRIu64 "].data+0x%" PRIx64, a->item.source.number,
                      a->item.source.offset + (a->item.bytes.len - a->left.len) + at);
        pc_show_bytes(shown, pc_part(left, at, some), some, "");
        pc_put(&d->value[0], shown->value.text);
        pc_show_bytes(shown, pc_part(right, at, some), some, "");
        pc_put(&d->value[1], shown->value.text);
        end_line(d);
    }
    a->left = pc_part(a->left, n, a->left.len - n);
    b->left = pc_part(b->left, n, b->left.len - n);
}

static void drain(struct side *s)
{
    while (s->item.kind != PC_CONTENT_END) {
        s->left.len = 0;
        advance(s);
    }
}

static void diff_records(struct diff *d)
{
    struct side *a = &d->side[0], *b = &d->side[1];
    for (;;) {
        advance(a);
        advance(b);
        if (a->item.kind == PC_CONTENT_END || b->item.kind == PC_CONTENT_END)
            break;
        if (a->item.kind == PC_CONTENT_PAYLOAD && b->item.kind == PC_CONTENT_PAYLOAD) {
            diff_payload(d);
        } else if (a->item.kind != b->item.kind) {
            a->left.len = b->left.len = 0;
            if (a->item.kind == PC_CONTENT_RECORD || b->item.kind == PC_CONTENT_RECORD)
                diff_record(d);
        } else if (!is_equal(a->item.bytes, b->item.bytes)) {
            diff_record(d);
        }
    }
    drain(a);
    drain(b);
    if (a->number != b->number) {
        begin_line(d);
        pc_put(&d->path, "records");
        put_number(&d->value[0], a->number);
        put_number(&d->value[1], b->number);
        end_line(d);
    }
    end_section(d, "records");
}

/* --- attrs --- */

static void diff_attr(struct diff *d, size_t i)
{
    struct pc_span attr[2];
    for (unsigned k = 0; k < 2; k++)
        attr[k] = pc_content_attr(&d->side[k].content, i);
    if (is_equal(attr[0], attr[1]))
        return;
    begin_line(d);
    pc_put_format(&d->path, "attrs[%zu]", i);
    for (unsigned k = 0; k < 2; k++) {
        struct pc_item item = { .kind = PC_ITEM_ATTR };
        struct search s = new_search(d, k, &item, first_difference(attr[0], attr[1]));
        struct pc_cursor c = pc_cursor(attr[k], PC_LITTLE);
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, find_leaf, &s);
        pc_walk_table(&walk, pc_attr_fields);
    }
    end_line(d);
}

static void diff_ids(struct diff *d, size_t i)
{
    const struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    const struct pc_content_attr *left = &a->attr[i], *right = &b->attr[i];
    begin_line(d);
    if (left->nr_ids != right->nr_ids) {
        pc_put_format(&d->path, "attrs[%zu].ids", i);
        put_number(&d->value[0], left->nr_ids);
        put_number(&d->value[1], right->nr_ids);
        end_line(d);
        return;
    }
    for (size_t k = 0; k < left->nr_ids; k++) {
        if (a->ids[left->ids + k] == b->ids[right->ids + k])
            continue;
        pc_put_format(&d->path, "attrs[%zu].ids[%zu]", i, k);
        put_number(&d->value[0], a->ids[left->ids + k]);
        put_number(&d->value[1], b->ids[right->ids + k]);
        end_line(d);
        return;
    }
}

static const char *name_of(const struct side *s, size_t i)
{
    const char *name = i < s->scan.capture.nr_attrs ? s->scan.capture.attr[i].name : NULL;
    return name ? name : "none";
}

/* Records about events that readers did not know yet. */
static void diff_events(struct diff *d)
{
    struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    bool late[2] = { a->attr_after_update, b->attr_after_update };
    if (!late[0] && !late[1])
        return;
    const struct pc_parts *left = pc_content_parts(a), *right = pc_content_parts(b);
    uint64_t from, to;
    if (late[0] == late[1] && !pc_marks_part(&left->updates, &right->updates, &from, &to) &&
        !pc_marks_part(&left->names, &right->names, &from, &to))
        return;
    begin_line(d);
    pc_put(&d->path, "attrs");
    for (unsigned k = 0; k < 2; k++)
        pc_put(&d->value[k], late[k] ? "behind records with their ids" : "in front");
    end_line(d);
    for (size_t i = 0; i < a->nr_attrs && i < b->nr_attrs; i++) {
        if (strcmp(name_of(&d->side[0], i), name_of(&d->side[1], i)) == 0)
            continue;
        begin_line(d);
        pc_put_format(&d->path, "attrs[%zu].name", i);
        for (unsigned k = 0; k < 2; k++)
            pc_put_escaped(&d->value[k], name_of(&d->side[k], i), false);
        end_line(d);
    }
}

static void diff_attrs(struct diff *d)
{
    struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    uint64_t size = a->attr_size > b->attr_size ? a->attr_size : b->attr_size;
    a->own.attr_size = b->own.attr_size = size > PC_ATTR_SIZE_KNOWN ? size : PC_ATTR_SIZE_KNOWN;
    for (size_t i = 0; i < a->nr_attrs && i < b->nr_attrs; i++) {
        diff_attr(d, i);
        diff_ids(d, i);
    }
    if (a->nr_attrs != b->nr_attrs) {
        begin_line(d);
        pc_put(&d->path, "attrs");
        put_number(&d->value[0], a->nr_attrs);
        put_number(&d->value[1], b->nr_attrs);
        end_line(d);
    }
    diff_events(d);
    end_section(d, "attrs");
}

/* --- features --- */

struct collected {
    unsigned char *bytes;
    size_t len, cap;
};

static void collect(void *ctx, const unsigned char *bytes, size_t n)
{
    struct collected *c = ctx;
    if (n > c->cap - c->len)
        n = c->cap - c->len;
    memcpy(c->bytes + c->len, bytes, n);
    c->len += n;
}

/* The bytes of a feature; false: there is no memory for them. */
static bool load_feature(struct side *s, uint64_t bit, struct collected *c)
{
    uint64_t size = pc_content_size(&s->content, bit);
    *c = (struct collected){ 0 };
    if (size == 0 || !(c->bytes = pc_alloc(&s->scan.mem, size)))
        return false;
    c->cap = (size_t)size;
    return pc_content_feature(&s->content, bit, collect, c) && c->len == size;
}

static void find_in_feature(struct diff *d, unsigned side, uint64_t bit, struct pc_span bytes, size_t at)
{
    const struct pc_capture *capture = &d->side[side].scan.capture;
    const struct pc_field *fields = pc_feature_fields(bit, bytes);
    struct pc_layout layout = pc_capture_feature_layout(capture);
    struct pc_item item = { .kind = PC_ITEM_FEATURE, .number = bit };
    struct search s = new_search(d, side, &item, at);
    struct pc_cursor c = pc_cursor(bytes, PC_LITTLE);
    struct pc_walk walk;
    if (fields && pc_capture_can_walk(capture, bit)) {
        pc_walk_init(&walk, &layout, &c, find_leaf, &s);
        pc_walk_table(&walk, fields);
    }
    if (!s.found)
        pc_put_format(&d->value[side], "%zu bytes", bytes.len);
}

static void diff_feature(struct diff *d, uint64_t bit)
{
    struct collected c[2];
    struct pc_buffer name;
    bool there[2], loaded = true;
    pc_buffer_init(&name);
    pc_put_bit(&name, bit);
    begin_line(d);
    pc_put(&d->path, "features.");
    pc_put(&d->path, name.text);
    for (unsigned k = 0; k < 2; k++) {
        there[k] = pc_bit(d->side[k].content.present, bit);
        c[k] = (struct collected){ 0 };
    }
    if (!there[0] || !there[1]) {
        for (unsigned k = 0; k < 2; k++)
            pc_put(&d->value[k], there[k] ? "there" : "not there");
    } else {
        for (unsigned k = 0; k < 2; k++)
            loaded &= load_feature(&d->side[k], bit, &c[k]);
        struct pc_span a = { c[0].bytes, c[0].len }, b = { c[1].bytes, c[1].len };
        for (unsigned k = 0; k < 2 && loaded; k++)
            find_in_feature(d, k, bit, k ? b : a, first_difference(a, b));
    }
    for (unsigned k = 0; k < 2; k++)
        pc_free(&d->side[k].scan.mem, c[k].bytes, c[k].cap);
    end_line(d);
}

static void diff_features(struct diff *d)
{
    const struct pc_content *a = &d->side[0].content, *b = &d->side[1].content;
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        bool there = pc_bit(a->present, bit);
        if (there != pc_bit(b->present, bit) || (there && !pc_sum_equal(&a->sum[bit], &b->sum[bit])))
            diff_feature(d, bit);
    }
    end_section(d, "features");
}

/* --- both --- */

static bool open_side(struct diff *d, unsigned side, const char *path, const struct pc_limits *limits)
{
    struct side *s = &d->side[side];
    s->path = path;
    s->item = (struct pc_content_item){ .kind = PC_CONTENT_PAYLOAD };
    pc_scan_init(&s->scan, &d->policy, limits);
    if (side == 0 && d->printer->progress) { /* the other one keeps up with it */
        s->scan.progress = d->printer->progress;
        pc_progress_begin(s->scan.progress, "comparing");
    }
    pc_content_init(&s->content, &s->scan, PC_LITTLE, true, NULL);
    s->content.own.lenient = true;
    return pc_scan_open(&s->scan, path);
}

/* A capture that cannot be compared: why. */
static void say_damaged(struct diff *d, const struct side *s)
{
    const struct pc_report *report = &s->scan.report;
    FILE *err = d->printer->err;
    if (!pc_print_findings(d->printer, s->path, &s->scan, PC_ERROR))
        return;
    fputs("perfcheck: ", err);
    pc_print_escaped(err, s->path);
    fprintf(err, ": cannot be compared%s\n",
            report->unreadable ? "" : ": the capture has errors ('perfcheck check -v' shows all)");
}

static enum pc_difference diff_paths(struct diff *d, const struct pc_limits *limits, const char *a,
                                     const char *b)
{
    enum pc_difference result = PC_SAME;
    bool opened = open_side(d, 0, a, limits);
    opened &= open_side(d, 1, b, limits);
    char *records = NULL;
    size_t len = 0;
    d->out = open_memstream(&records, &len); /* some lines */
    if (opened && d->out)
        diff_records(d);
    if (d->out)
        fclose(d->out);
    d->out = d->printer->out;
    for (unsigned k = 0; k < 2; k++) {
        if (!pc_content_is_whole(&d->side[k].content)) {
            if (opened || d->side[k].scan.report.nr != 0)
                say_damaged(d, &d->side[k]);
            result = PC_NOT_COMPARED;
        }
    }
    if (result == PC_SAME) {
        diff_attrs(d);
        diff_features(d);
        fwrite(records, 1, len, d->out);
        struct pc_sum sum[2] = { pc_content_digest(&d->side[0].content),
                                 pc_content_digest(&d->side[1].content) };
        assert((d->differences == 0) == pc_sum_equal(&sum[0], &sum[1]));
        result = d->differences != 0 ? PC_DIFFERENT : PC_SAME;
    }
    free(records);
    for (unsigned k = 0; k < 2; k++) {
        pc_content_clear(&d->side[k].content);
        pc_scan_clear(&d->side[k].scan);
    }
    return result;
}

enum pc_difference pc_diff_paths(struct pc_printer *printer, const struct pc_limits *limits, const char *a,
                                 const char *b)
{
    struct pc_mem mem;
    pc_mem_init(&mem, sizeof(struct diff));
    struct diff *d = pc_alloc(&mem, sizeof(*d));
    if (!d) {
        fputs("perfcheck: ", printer->err);
        pc_print_escaped(printer->err, a);
        fprintf(printer->err, ": cannot be compared: %s\n", pc_text_error(ENOMEM));
        return PC_NOT_COMPARED;
    }
    d->printer = printer;
    pc_policy_init(&d->policy);
    enum pc_difference result = diff_paths(d, limits, a, b);
    pc_free(&mem, d, sizeof(*d));
    return result;
}

enum pc_status pc_command_diff(struct pc_arguments *a, char **operand, int nr)
{
    (void)nr;
    pc_command_show_progress(a);
    return (enum pc_status)pc_diff_paths(&a->printer, &a->chosen.limits, operand[0], operand[1]);
}
