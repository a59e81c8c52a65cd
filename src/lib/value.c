/* SPDX-License-Identifier: MIT */
#include "lib/value.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

#define TEXT_SHOWN 4096 /* of a string */

static void put_hex(struct pc_buffer *b, struct pc_span bytes)
{
    for (size_t i = 0; i < bytes.len && i < PC_BYTES_SHOWN; i++)
        pc_put_format(b, "%02x", bytes.ptr[i]);
}

static void put_comma(struct pc_buffer *b)
{
    if (b->len != 0)
        pc_put(b, ", ");
}

static void put_cut(struct pc_shown *s, uint64_t shown, uint64_t all)
{
    if (shown >= all)
        return;
    put_comma(&s->meaning);
    pc_put_format(&s->meaning, "the first %" PRIu64 " of %" PRIu64 " bytes", shown, all);
}

static void put_flag(struct pc_buffer *b, const char *name)
{
    if (b->len != 0)
        pc_put(b, "|");
    pc_put(b, name);
}

/* Bits by name; those without a name as a number. */
static void put_flags(struct pc_buffer *b, const struct pc_name *names, uint64_t value)
{
    for (; names && names->name; names++) {
        if ((value & names->value) == 0)
            continue;
        put_flag(b, names->name);
        value &= ~names->value;
    }
    if (value != 0) {
        put_flag(b, "");
        pc_put_format(b, "0x%" PRIx64, value);
    }
}

static void put_members(struct pc_buffer *b, const struct pc_bits *bits, uint64_t value)
{
    for (; bits->name; bits++) {
        uint64_t member = value >> bits->at & (bits->width == 64 ? UINT64_MAX : PC_FLAG(bits->width) - 1);
        if (member == 0)
            continue;
        put_flag(b, bits->name);
        if (bits->width > 1)
            pc_put_format(b, "=%" PRIu64, member);
    }
}

static const char *value_name(const struct pc_name *names, uint64_t value)
{
    for (; names && names->name; names++) {
        if (names->value == value)
            return names->name;
    }
    return NULL;
}

void pc_put_misc(struct pc_buffer *b, const struct pc_record_info *info, uint16_t misc)
{
    bool free_use = info->misc == UINT16_MAX; /* the writer may leave anything there */
    uint16_t mode = misc & PC_MISC_CPUMODE;
    if (!free_use && (info->misc & PC_MISC_CPUMODE) && value_name(pc_cpumode_names, mode)) {
        put_flag(b, value_name(pc_cpumode_names, mode));
        misc = (uint16_t)(misc & ~PC_MISC_CPUMODE);
    }
    if (!free_use)
        put_flags(b, info->misc_names, misc);
}

/* The event that an id belongs to, when there are several. */
static void put_event_of(struct pc_shown *s, uint64_t id)
{
    const struct pc_capture *capture = s->capture;
    uint32_t attr = capture->nr_attrs > 1 ? pc_capture_attr_of(capture, id) : PC_NO_ATTR;
    if (attr == PC_NO_ATTR)
        return;
    pc_put_format(&s->meaning, "attr #%" PRIu32, attr);
    pc_put(&s->meaning, capture->attr[attr].name ? " " : "");
    if (capture->attr[attr].name)
        pc_put_escaped(&s->meaning, capture->attr[attr].name, true);
}

static void put_number_meaning(struct pc_shown *s, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    const struct pc_feature_info *feature;
    const char *name;
    if (s->in_head) {
        if (s->info && leaf->at == 0)
            pc_put(&s->meaning, s->info->name);
        else if (s->info && leaf->at == 4)
            pc_put_misc(&s->meaning, s->info, (uint16_t)leaf->value);
    } else if (field->bits) {
        put_members(&s->meaning, field->bits, leaf->value);
    } else if (field->names && (field->flags & PC_NAMES_OF_BITS)) {
        put_flags(&s->meaning, field->names, leaf->value);
    } else if ((name = value_name(field->names, leaf->value)) != NULL) {
        pc_put(&s->meaning, name);
    } else if (field->kind == PC_ORDER && leaf->value <= 1) {
        pc_put(&s->meaning, leaf->value ? "big-endian" : "little-endian");
    } else if (s->item->kind == PC_ITEM_RECORD && s->item->type == PC_HEADER_FEATURE &&
               field->save == PC_REC_FEATURE && leaf->at == PC_RECORD_HEADER_SIZE) {
        feature = pc_feature_info(leaf->value);
        pc_put(&s->meaning, feature ? feature->name : "");
    } else if (s->item->kind == PC_ITEM_RECORD &&
               (field->save == PC_SLOT_ID || field->save == PC_SLOT_IDENTIFIER)) {
        put_event_of(s, leaf->value);
    }
}

static void put_double(struct pc_shown *s, uint64_t word)
{
    double value;
    static_assert(sizeof(value) == sizeof(word), "a double in the file is one of ours");
    memcpy(&value, &word, sizeof(value));
    s->type = "double";
    pc_put_format(&s->value, "%.17g", value);
    for (char *c = s->value.text; *c; c++) { /* the locale of the caller may have another decimal point */
        if (!strchr("+-.0123456789einfa", *c))
            *c = '.';
    }
}

static void put_number(struct pc_shown *s, const struct pc_leaf *leaf)
{
    const struct pc_field *field = leaf->field;
    s->type = field->kind == PC_BITS ? "bits" : "uint";
    if (field->show == PC_AS_DOUBLE) {
        put_double(s, leaf->value);
    } else if (field->show == PC_AS_SIGNED) {
        s->type = "int";
        pc_put_format(&s->value, "%" PRId64, (int64_t)pc_signed_value(field, leaf->value));
    } else if (field->show == PC_AS_HEX || field->kind == PC_BITS || field->bits) {
        pc_put_format(&s->value, "0x%" PRIx64, leaf->value);
    } else {
        pc_put_format(&s->value, "%" PRIu64, leaf->value);
    }
    put_number_meaning(s, leaf);
}

/* The bytes of text, or others, without what says how many there are. */
static struct pc_span content_of(const struct pc_leaf *leaf)
{
    size_t before = 0;
    if (leaf->field->kind == PC_HSTR)
        before = 4;
    if (leaf->field->kind == PC_STRING || leaf->field->kind == PC_BLOB)
        before = leaf->raw.len - (size_t)leaf->value;
    return pc_part(leaf->raw, before, leaf->raw.len - before);
}

/* Text up to its NUL, or its end; the bytes after it are shown if they are not zero. */
static void put_text(struct pc_shown *s, const struct pc_leaf *leaf)
{
    struct pc_span area = content_of(leaf);
    size_t len = pc_first_zero(area);
    if (leaf->field->used && len > leaf->walk->slot[leaf->field->used])
        len = (size_t)leaf->walk->slot[leaf->field->used];
    size_t some = len < TEXT_SHOWN ? len : TEXT_SHOWN;
    struct pc_span after = pc_part(area, len, area.len - len);
    char escaped[PC_ESCAPED_MAX(TEXT_SHOWN)];
    pc_text_escape(pc_part(area, 0, some), !s->keep_controls, escaped);
    pc_put(&s->value, escaped);
    put_cut(s, some, len);
    if (leaf->field->kind == PC_HSTR) {
        put_comma(&s->meaning);
        pc_put_format(&s->meaning, "in %zu bytes", area.len);
    }
    if (pc_first_nonzero(after) != after.len) {
        put_comma(&s->meaning);
        pc_put(&s->meaning, "after it ");
        put_hex(&s->meaning, after);
    }
    s->type = "text";
}

static void put_feature_bits(struct pc_shown *s)
{
    char number[PC_NUMBER_NAME];
    for (uint64_t i = 0; i < PC_FEATURE_BITS; i++) {
        if (pc_bit(s->capture->features, i))
            put_flag(&s->meaning, pc_feature_name(i, number));
    }
}

static void clear(struct pc_shown *s)
{
    pc_buffer_init(&s->value);
    pc_buffer_init(&s->meaning);
}

void pc_show_leaf(struct pc_shown *s, const struct pc_leaf *leaf)
{
    clear(s);
    switch ((enum pc_kind)leaf->field->kind) {
    case PC_UINT:
    case PC_BITS:
    case PC_ORDER:
    case PC_VARINT:
    case PC_HEAD:
        put_number(s, leaf);
        break;
    case PC_TEXT:
    case PC_CSTR:
    case PC_ZSTR:
    case PC_HSTR:
    case PC_LITERAL:
    case PC_STRING:
        put_text(s, leaf);
        break;
    default:
        if (leaf->field->show == PC_AS_CHARS) {
            put_text(s, leaf);
            break;
        }
        s->type = "bytes";
        put_hex(&s->value, leaf->field->kind == PC_BLOB ? content_of(leaf) : leaf->raw);
        if (s->item->kind == PC_ITEM_HEADER && leaf->field->save == PC_HEAD_FEATURES)
            put_feature_bits(s);
        put_cut(s, PC_BYTES_SHOWN, leaf->raw.len);
        break;
    }
}

void pc_show_bytes(struct pc_shown *s, struct pc_span bytes, uint64_t all, const char *meaning)
{
    clear(s);
    put_hex(&s->value, bytes);
    pc_put(&s->meaning, meaning);
    put_cut(s, bytes.len < PC_BYTES_SHOWN ? bytes.len : PC_BYTES_SHOWN, all);
    s->type = "bytes";
}
