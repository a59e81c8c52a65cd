/* SPDX-License-Identifier: MIT
 *
 * The content that synth.h puts into a structure: numbers that their rules allow, texts, arrays of BPF
 * programs.
 */
#include "generate/synth.h"

/* The word of bit-fields that a machine of this order has for a value with the members at their declaration
 * offsets, bit by bit: FORMAT.md 0.4. */
static uint64_t synth_bits_word(const struct pc_field *field, uint64_t value, enum pc_order order)
{
    uint64_t word = 0;
    unsigned bits = field->width * 8u;
    for (const struct pc_bits *m = field->bits; m->name; m++) {
        for (unsigned k = 0; k < m->width; k++) {
            unsigned lsb = order == PC_LITTLE ? m->at : bits - m->at - m->width;
            word |= (value >> (m->at + k) & 1) << (lsb + k);
        }
    }
    return word;
}

const struct synth_bpf synth_bpf[9] = {
    { 24, 16, 0, 0, 1, 1 },       { 32, 20, 0, 8, 1, 1 },      { 56, 52, 0, 16, 4, 4 },
    { 112, 104, 0, 24, 8, 8 },    { 120, 108, 0, 40, 4, 4 },   { 136, 144, 132, 48, 8, 4 },
    { 152, 148, 172, 64, 16, 4 }, { 160, 168, 176, 96, 8, 8 }, { 184, 180, 0, 112, 8, 1 },
};

static bool synth_bpf_value(const struct synth *s, size_t at, uint64_t *value)
{
    for (size_t i = 0; s->bpf_at != 0 && i < PC_COUNT_OF(synth_bpf); i++) {
        const struct synth_bpf *b = &synth_bpf[i];
        size_t offset = at - s->bpf_at;
        if (offset == b->pointer || offset == b->count)
            *value = offset == b->pointer ? b->start : 2;
        else if (b->size_at != 0 && offset == b->size_at)
            *value = b->size;
        else
            continue;
        return true;
    }
    return false;
}

/* The arrays of a big-endian machine hold the same values. */
static void synth_bpf_order(struct synth *s, size_t at)
{
    for (size_t i = 0; s->order == PC_BIG && i < PC_COUNT_OF(synth_bpf); i++) {
        const struct synth_bpf *b = &synth_bpf[i];
        for (size_t k = at + b->start; k < at + b->start + 2 * b->size; k += b->word)
            synth_store_as(s->bytes + k, b->word, pc_load(s->bytes + k, b->word, PC_LITTLE), PC_BIG);
    }
}

static uint64_t synth_allowed(const struct pc_leaf *leaf, uint64_t value)
{
    const struct pc_field *field = leaf->field;
    switch ((enum pc_rule)field->rule) {
    case PC_RULE_MASK:
        return value & field->arg;
    case PC_RULE_DATA_SRC: /* of the levels only those with short names */
        return value & field->arg & ~((uint64_t)0x7f << 12);
    case PC_RULE_BRANCH:
        value &= field->arg & ~((uint64_t)PC_BRANCH_NEW << 26);
        return (value & 3) == 3 ? value - 1 : value;
    case PC_RULE_MAX:
        return field->arg == UINT64_MAX ? value : value % (field->arg + 1);
    case PC_RULE_MAX_SLOT:
        return value % (leaf->walk->slot[field->arg] + 1);
    case PC_RULE_IS:
        return field->arg;
    case PC_RULE_NONZERO:
        return value | 1;
    case PC_RULE_POWER_2:
        return (uint64_t)1 << value % 31;
    case PC_RULE_FINITE:
        return value & ~((uint64_t)1 << 62);
    case PC_RULE_CHAIN:
        return value % 4 == 0 ? PC_CONTEXT_USER : value >> 4;
    case PC_RULE_PAGES:
        return (value % 1000 + 1) * field->arg;
    case PC_RULE_CASE:
        return field->cases[0].lo;
    default:
        return value;
    }
}

static const struct synth_want *synth_wanted(const struct synth *s, const struct pc_leaf *leaf)
{
    for (const struct synth_want *w = s->want; w && w->name; w++) {
        if (synth_is(leaf, w->name) || (w->name[0] == 0 && !leaf->field->name))
            return w;
    }
    return NULL;
}

/* Room bytes of text: len letters, then zeros. */
static void synth_letters(struct synth *s, size_t at, size_t len, size_t room, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz-0123456789_";
    memset(s->bytes + at, 0, room);
    for (size_t i = 0; i < len; i++)
        s->bytes[at + i] = (unsigned char)letters[synth_random(&s->random) % (sizeof(letters) - 1)];
    if (text && strlen(text) < room) {
        memset(s->bytes + at, 0, room);
        memcpy(s->bytes + at, text, strlen(text));
    }
}

static void synth_fill_text(struct synth *s, const struct pc_leaf *leaf, const char *text)
{
    const struct pc_field *field = leaf->field;
    size_t n = leaf->raw.len, less = synth_random(&s->random) % 8;
    if (n == 0)
        return;
    if (field->kind == PC_HSTR) /* its room is the least that holds it */
        synth_letters(s, leaf->at + 4, n - 5 - 8 * less, n - 4, text);
    else if (field->kind == PC_ZSTR && field->cases)
        return;
    else if (field->kind == PC_ZSTR)
        synth_letters(s, leaf->at, n - 1, n, text);
    else if (field->kind == PC_TEXT && field->count && field->rule != PC_RULE_NUL)
        synth_letters(s, leaf->at, n, n, text);
    else
        synth_letters(s, leaf->at, n - 1 - (less < n ? less : 0), n, text);
}

static void synth_fill_number(struct synth *s, const struct pc_leaf *leaf, const struct synth_want *want)
{
    const struct pc_field *field = leaf->field;
    uint64_t value = synth_random(&s->random);
    if (synth_is(leaf, "arrays")) {
        s->bpf_at = leaf->at + 8;
        value = 0x1ff;
    } else if (!synth_bpf_value(s, leaf->at, &value)) {
        /* A name may be that of a field with a rule of its own, which comes first. */
        struct pc_leaf wanted = *leaf;
        wanted.value = want ? want->value : 0;
        value = want && pc_leaf_ok(&wanted) ? want->value : synth_allowed(leaf, value);
    }
    if (pc_is_padding(field))
        value = 0;
    if (field->kind == PC_BITS)
        value = synth_bits_word(field, field->width == 4 ? value & UINT32_MAX : value, s->order);
    synth_store(s, leaf->at, field->width, value);
}

bool synth_fill_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct synth *s = ctx;
    const struct pc_field *field = leaf->field;
    const struct synth_want *want = synth_wanted(s, leaf);
    /* What depends on other values comes when they are there. */
    bool late = field->rule == PC_RULE_MAX_SLOT || field->used;
    if (leaf->fault != PC_SOUND || late != (s->pass == 1))
        return leaf->fault == PC_SOUND;
    switch (field->kind) {
    case PC_UINT:
    case PC_BITS:
        if (!s->done[leaf->at] && !(field->cases && field->rule == PC_RULE_MOD8))
            synth_fill_number(s, leaf, want);
        break;
    case PC_BYTES:
        if (field->rule == PC_RULE_ZEROS)
            break;
        for (size_t i = 0; i < leaf->raw.len; i++) {
            bool is_used = !field->used || i < leaf->walk->slot[field->used];
            s->bytes[leaf->at + i] = is_used ? (unsigned char)synth_random(&s->random) : 0;
        }
        if (s->bpf_at != 0 && synth_is(leaf, "data"))
            synth_bpf_order(s, leaf->at);
        break;
    case PC_TEXT:
    case PC_CSTR:
    case PC_ZSTR:
    case PC_HSTR:
        synth_fill_text(s, leaf, want ? want->text : NULL);
        break;
    default:
        break;
    }
    return true;
}
