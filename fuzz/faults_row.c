/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

#include <string.h>

/* --- rules of rows --- */

uint64_t fuzz_ones(unsigned width)
{
    return width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
}

void fuzz_put(const struct site *s, uint64_t value)
{
    if (s->field->kind == PC_BITS)
        value = pc_bits_word(s->field, value, fuzz_map.order);
    fuzz_store(s->at, s->field->width, value);
}

uint64_t fuzz_other_bit(uint64_t of, uint64_t within, unsigned n)
{
    uint64_t free_bits = ~of & within;
    unsigned nr = (unsigned)__builtin_popcountll(free_bits);
    for (n = nr ? n % nr : 0; n > 0; n--)
        free_bits &= free_bits - 1;
    return free_bits & (~free_bits + 1);
}

static bool is_no_case(const struct pc_field *field, uint64_t value)
{
    for (const struct pc_case *one = field->cases; one->bits != 0; one++) {
        if (value >= one->lo && value <= one->hi)
            return false;
    }
    return true;
}

/* Sets a value that breaks the rule of its row. False: there is none. */
static bool bad_value(const struct site *s, uint64_t *value)
{
    const struct pc_field *field = s->field;
    uint64_t max = fuzz_ones(field->width), n = fuzz_map.f->choice[2];
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_MASK:
    case PC_RULE_BRANCH:
        *value = s->value | fuzz_other_bit(field->arg, max, (unsigned)n);
        return *value != s->value;
    case PC_RULE_MAX:
    case PC_RULE_MAX_SLOT: {
        uint64_t limit = field->rule == PC_RULE_MAX ? field->arg : s->slot;
        if (limit >= max)
            return false;
        *value = n % 4 == 0 ? max : limit + 1 + n / 4 % (max - limit);
        return true;
    }
    case PC_RULE_IS: /* an element has at least this many bytes */
        *value = s->value ? n % s->value : 1 + n % max;
        return *value != field->arg;
    case PC_RULE_NONZERO:
        *value = 0;
        return true;
    case PC_RULE_POWER_2:
        *value = (uint64_t)3 << n % 16;
        return true;
    case PC_RULE_FINITE:
        *value = (uint64_t)0x7ff << 52 | n;
        return true;
    case PC_RULE_CHAIN: /* above the markers */
        *value = UINT64_MAX - n % 31;
        return true;
    case PC_RULE_MOD8: /* less than is there */
        *value = s->value - (1 + n % 7);
        return s->value > n % 7;
    case PC_RULE_CASE:
        *value = (s->value + 1 + n) & max;
        return is_no_case(field, *value);
    default:
        return false;
    }
}

static bool takes_rule(const struct site *s, const struct fuzz_fault *fault)
{
    const struct pc_field *field = s->field;
    (void)fault;
    return field->rule_diag && (field->kind == PC_UINT || field->kind == PC_BITS || field->kind == PC_ORDER);
}

bool fuzz_see_fault(void *ctx, const struct pc_leaf *leaf)
{
    struct view *v = ctx;
    struct first_fault *first = v->ctx;
    if (leaf->fault == PC_SOUND || first->found)
        return true;
    *first =
        (struct first_fault){ true, leaf->fault, leaf->field, v->base + leaf->at, leaf->left, leaf->need };
    return true;
}

/* Whether the count is now too large, which is reported at the same byte. */
static bool counts_too_many(const struct site *s)
{
    struct first_fault first = { 0 };
    fuzz_walk_part(s->part, fuzz_see_fault, &first);
    return first.found && first.at == s->at;
}

static bool break_rule(const struct site *s, const struct fuzz_fault *fault)
{
    uint64_t value;
    (void)fault;
    /* An unknown format of AUXTRACE_ERROR is read as the last one, which has 120 bytes: FORMAT.md, rows 163
     * and 164. */
    if (!bad_value(s, &value) || (s->field->rule_diag == PC_D_AUXTRACE_ERROR_FMT && s->part->size < 120) ||
        (s->field->rule == PC_RULE_MOD8 && s->has_forms))
        return false;
    fuzz_put(s, value);
    fuzz_map.f->id = s->field->rule_diag;
    if (s->feature == PC_EVENT_DESC &&
        (fuzz_map.f->id == PC_D_SAMPLE_TYPE_UNKNOWN || fuzz_map.f->id == PC_D_ATTR_RESERVED))
        fuzz_map.f->id = PC_D_EVENT_DESC_UNKNOWN;
    /* No reader continues after such a limit. */
    if (s->field->save && fuzz_map.f->id != PC_D_FEATURE_LIMIT && counts_too_many(s)) {
        fuzz_put(s, s->value);
        return false;
    }
    return true;
}

/* Rows with the rule `op` that have bytes, in structures of the kind `in`. */
static bool takes_rule_op(const struct site *s, const struct fuzz_fault *fault)
{
    return s->field->rule == fault->op && s->len != 0;
}

static bool takes_kind(const struct site *s, const struct fuzz_fault *fault)
{
    return s->field->kind == fault->in;
}

static bool break_zeros(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    fuzz_map.f->bytes[s->at + fuzz_map.f->choice[2] % s->len] =
        (unsigned char)(1 + fuzz_map.f->choice[2] % 255);
    fuzz_map.f->id = s->field->rule_diag;
    return true;
}

static bool predict_twice(const struct site *s, const struct fuzz_fault *fault)
{
    fuzz_put(s, s->value | 3);
    fuzz_map.f->id = fault->id;
    return true;
}

static bool extend_type(const struct site *s, const struct fuzz_fault *fault)
{
    fuzz_put(s, s->value | (uint64_t)15 << 20 | (uint64_t)PC_BRANCH_NEW << 26);
    fuzz_map.f->id = fault->id;
    return true;
}

/* --- counts and lengths --- */

bool fuzz_is_packed_record(const struct part *p)
{
    return p->kind == IN_RECORD && (p->number == PC_COMPRESSED || p->number == PC_COMPRESSED2);
}

static bool takes_count(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_UINT && s->field->save && !fuzz_is_packed_record(s->part) && !s->is_attr;
}

/* Sets the largest value that keeps the rule of the row, so that only bytes are missing. False: there is
 * none. */
static bool largest_value(const struct site *s, uint64_t *value)
{
    const struct pc_field *field = s->field;
    *value = fuzz_ones(field->width);
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_NONE:
    case PC_RULE_IS: /* a finding about an unusual count is less severe than one about a wrong count */
        return true;
    case PC_RULE_MAX:
        *value = field->arg < *value ? field->arg : *value;
        return true;
    case PC_RULE_MOD8:
        *value -= 7 - (field->arg < 8 ? field->arg : 0);
        return true;
    default:
        return false;
    }
}

enum pc_diag fuzz_id_of(const struct site *s, const struct first_fault *first)
{
    if (first->field->shape_diag)
        return first->field->shape_diag;
    return first->fault == PC_FAULT_COUNT ? s->count_diag : s->short_diag;
}

/* The least value that is too large. Another form of a sample may have room for it. */
static uint64_t least_value(const struct site *s, const struct first_fault *first, uint64_t largest)
{
    const struct pc_field *field = s->field;
    uint64_t least = first->fault == PC_FAULT_COUNT ? first->need + 1 : first->left + 1;
    if (field->as != PC_AS_IS || s->part->number == PC_SAMPLE || first->field->kind == PC_FRAME)
        return largest;
    while (field->rule == PC_RULE_MOD8 && least % 8 != field->arg)
        least++;
    return least < largest ? least : largest;
}

static bool count_too_many(const struct site *s, const struct fuzz_fault *fault)
{
    struct first_fault first = { 0 };
    uint64_t value;
    (void)fault;
    if (!largest_value(s, &value) || value <= s->value || s->has_forms)
        return false;
    fuzz_put(s, value);
    fuzz_walk_part(s->part, fuzz_see_fault, &first);
    if (!first.found || first.at != s->at || first.fault == PC_FAULT_NO_NUL || first.fault == PC_FAULT_TEXT) {
        fuzz_put(s, s->value);
        return false;
    }
    if (fuzz_map.f->choice[2] % 2)
        fuzz_put(s, least_value(s, &first, value));
    fuzz_map.f->id = fuzz_id_of(s, &first);
    return true;
}

/* --- strings --- */

bool fuzz_names_build_id(const struct site *s)
{
    return (s->part->kind == IN_RECORD && s->part->number == PC_MMAP2) || s->feature == PC_BUILD_ID;
}

static bool takes_cstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_CSTR && s->len != 0 && s->feature != PC_BUILD_ID;
}

static bool takes_any_cstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_CSTR && s->len != 0;
}

static bool soil_padding(const struct site *s, const struct fuzz_fault *fault)
{
    size_t len = (size_t)s->value;
    if (s->len < len + 2)
        return false;
    fuzz_map.f->bytes[s->at + len + 1 + fuzz_map.f->choice[2] % (s->len - len - 1)] = 'x';
    fuzz_map.f->id = fault->id;
    return true;
}

/* The text loses its end, its area does not. */
static bool shorten(const struct site *s, const struct fuzz_fault *fault)
{
    size_t len = 1 + fuzz_map.f->choice[2] % 7;
    if ((s->field->flags & PC_UNPADDED) || fuzz_names_build_id(s) || s->len < 16 || s->value <= len)
        return false;
    memset(fuzz_map.f->bytes + s->at + len, 0, s->len - len);
    fuzz_map.f->id = fault->id;
    return true;
}

/* A NUL inside the text: the bytes after it are no padding. */
static bool cut_in_two(const struct site *s, const struct fuzz_fault *fault)
{
    size_t len = 1 + fuzz_map.f->choice[2] % 7;
    bool grows = s->field->flags & PC_MAY_GROW;
    if ((s->field->flags & PC_UNPADDED) || fuzz_names_build_id(s) || s->len < 16 || s->value <= len + 1 ||
        grows != (fault->id == PC_D_RECORD_GROWN))
        return false;
    fuzz_map.f->bytes[s->at + len] = 0;
    fuzz_map.f->id = fault->id;
    return true;
}

static bool no_name(const struct site *s, const struct fuzz_fault *fault)
{
    if ((s->field->flags & PC_MAY_BE_EMPTY) || fuzz_names_build_id(s) || s->len != 8 || s->value == 0)
        return false;
    memset(fuzz_map.f->bytes + s->at, 0, s->len);
    fuzz_map.f->id = fault->id;
    return true;
}

static void no_zeros(size_t at, size_t len)
{
    for (size_t i = at; i < at + len; i++)
        fuzz_map.f->bytes[i] = fuzz_map.f->bytes[i] ? fuzz_map.f->bytes[i] : 'x';
}

/* If a trailer follows, its zeros end the string. */
static bool no_end(const struct site *s, const struct fuzz_fault *fault)
{
    struct pc_span trailer = { fuzz_map.f->bytes + s->at + s->len,
                               s->part->at + s->part->size - s->at - s->len };
    bool kernel = s->part->kind == IN_RECORD && pc_is_kernel_type(s->part->number);
    (void)fault;
    no_zeros(s->at, s->len);
    fuzz_map.f->id = s->field->shape_diag ? s->field->shape_diag : s->short_diag;
    if (kernel && pc_first_zero(trailer) != trailer.len)
        fuzz_map.f->id = PC_D_STRING_IN_SAMPLE_ID;
    return true;
}

/* Other bytes of the record stay too: with several attrs they would be taken for another id. */
static bool takes_kernel_string(const struct site *s, const struct fuzz_fault *fault)
{
    return takes_any_cstr(s, fault) && s->part->kind == IN_RECORD && pc_is_kernel_type(s->part->number) &&
           fuzz_map.nr_attrs == 1;
}

static bool fill_text(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    no_zeros(s->at, s->len);
    fuzz_map.f->id = s->field->rule_diag;
    return true;
}

static bool takes_zstr(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    return s->field->kind == PC_ZSTR && s->field->shape_diag;
}

static bool no_end_at_all(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    no_zeros(s->at, s->left);
    fuzz_map.f->id = s->field->shape_diag;
    return true;
}

static bool no_end_in_record(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    no_zeros(s->at, s->part->at + s->part->size - s->at);
    fuzz_map.f->id = s->field->shape_diag ? s->field->shape_diag : s->short_diag;
    return true;
}

static bool hstr_length(const struct site *s, const struct fuzz_fault *fault)
{
    const uint64_t lengths[] = { s->left - 4 + 1, 0, UINT32_MAX };
    fuzz_store(s->at, 4, lengths[fuzz_map.f->choice[2] % PC_COUNT_OF(lengths)]);
    fuzz_map.f->id = fault->id;
    return true;
}

static bool hstr_no_end(const struct site *s, const struct fuzz_fault *fault)
{
    no_zeros(s->at + 4, s->len - 4);
    fuzz_map.f->id = fault->id;
    return true;
}

static bool hstr_padding(const struct site *s, const struct fuzz_fault *fault)
{
    size_t text = s->at + 4, len = (size_t)s->value, area = s->len - 4;
    if (area < len + 2)
        return false;
    fuzz_map.f->offset = text + len + 1 + fuzz_map.f->choice[2] % (area - len - 1);
    fuzz_map.f->bytes[fuzz_map.f->offset] = 'x';
    fuzz_map.f->id = fault->id;
    return true;
}

/* perf makes room by 64. */
static bool hstr_rounding(const struct site *s, const struct fuzz_fault *fault)
{
    size_t area = s->len - 4;
    if (s->part->kind != IN_FEATURE || area < 8 || area - 4 <= s->value)
        return false;
    fuzz_store(s->at, 4, area - 4);
    fuzz_store(s->part->slot + 8, 8, s->part->size - 4);
    fuzz_map.f->id = fault->id;
    return fuzz_splice(s->at + s->len - 4, 4, 0, NULL, (long)s->part->slot);
}

static bool another_text(const struct site *s, const struct fuzz_fault *fault)
{
    (void)fault;
    fuzz_map.f->bytes[s->at + fuzz_map.f->choice[2] % s->len] ^= 0x20;
    fuzz_map.f->id = s->field->shape_diag;
    return true;
}

/* --- the list --- */

/* The rows of the tables have the finding. */
#define OF_ROWS(what, t, c, ...)                                                                             \
    {                                                                                                        \
        .name = what, .takes = t, .change = c, __VA_ARGS__                                                   \
    }

#define HEADER_STRING(what, which, c) ROW(what, which, .takes = takes_kind, .change = c, .in = PC_HSTR)

static const struct fuzz_fault faults[] = {
    OF_ROWS("a value against the rule of its row", takes_rule, break_rule, ),
    OF_ROWS("a count or length of more than there is", takes_count, count_too_many, ),
    OF_ROWS("bytes that must be zero", takes_rule_op, break_zeros, .op = PC_RULE_ZEROS),
    OF_ROWS("a string without its end", takes_any_cstr, no_end, ),
    OF_ROWS("a string of the kernel without any end", takes_kernel_string, no_end_in_record, ),
    OF_ROWS("a text without its end", takes_rule_op, fill_text, .op = PC_RULE_NUL),
    OF_ROWS("a name without its end", takes_zstr, no_end_at_all, ),
    OF_ROWS("another text than the one that must be there", takes_kind, another_text, .in = PC_LITERAL),
    ROW("a branch with two predictions", BRANCH_PREDICTION, .takes = takes_rule_op, .change = predict_twice,
        .op = PC_RULE_BRANCH),
    ROW("a branch of an unknown type", BRANCH_NEW_TYPE, .takes = takes_rule_op, .change = extend_type,
        .op = PC_RULE_BRANCH),
    LEAF("padding of a string", STRING_PADDING, takes_cstr, soil_padding),
    LEAF("a string shorter than its area", STRING_AREA, takes_cstr, shorten),
    LEAF("a NUL in a string", STRING_SWALLOWS, takes_cstr, cut_in_two),
    LEAF("a NUL in the name of a symbol", RECORD_GROWN, takes_cstr, cut_in_two),
    LEAF("no name", FILENAME_EMPTY, takes_cstr, no_name),
    HEADER_STRING("length of a header string", HSTR_LEN, hstr_length),
    HEADER_STRING("a header string without its end", HSTR_UNTERMINATED, hstr_no_end),
    HEADER_STRING("area of a header string", HSTR_ROUNDING, hstr_rounding),
    HEADER_STRING("padding of a header string", HSTR_PADDING, hstr_padding),
};

const struct fuzz_faults fuzz_row_faults = { faults, PC_COUNT_OF(faults) };
