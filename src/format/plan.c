/* SPDX-License-Identifier: MIT
 *
 * plan.c: makes plans of tables, and runs them.
 */
#include "format/plan.h"

#include <string.h>

enum op {
    OP_END,       /* nothing may be left */
    OP_RUN,       /* n bytes; `at` of the following steps counts from their start */
    OP_SAVE,      /* integer into a slot */
    OP_MASK,      /* integer with only bits of n */
    OP_NONZERO,   /* integer other than 0 */
    OP_RULE,      /* any other rule about an integer */
    OP_ZEROS,     /* n zero bytes */
    OP_SELECT,    /* integer that selects */
    OP_UNLESS,    /* skip `width` steps unless the layout has one of the bits n */
    OP_BYTES,     /* as many bytes as a slot has */
    OP_ARRAY,     /* as many elements of n bytes as a slot has */
    OP_CHAIN,     /* u64 count, then as many entries of a call chain */
    OP_EACH_MASK, /* of every element: integer with only bits of n */
    OP_EACH_RULE, /* of every element: any other rule */
    OP_STRING,    /* NUL-terminated, padded with zeros to the end of the fields */
    OP_PAD,       /* zeros to a multiple of 8 */
    OP_TRAILER,   /* the fields have ended; what follows is the sample_id */
};

struct step {
    uint8_t op, width, slot;
    uint16_t at;
    uint64_t n;
    const struct pc_field *field;
};

#define STEPS_MAX 160

struct pc_plan {
    uint64_t mask;
    uint64_t preset[PC_SLOT_PRESET_END];
    enum pc_order order;
    bool has_preset;  /* its steps read them */
    uint16_t trailer; /* bytes */
    uint16_t nr;
    struct pc_simple_plan part; /* the head is a part of every plan; without bytes when it begins otherwise */
    bool simple;                /* `part` is all there is */
    struct step step[];
};

/* --- making a plan --- */

struct builder {
    struct step step[STEPS_MAX];
    size_t nr;
    size_t run; /* the open run, or STEPS_MAX */
    const struct pc_layout *layout;
    enum pc_order order;
    uint64_t selectable; /* bits that rows before may set */
    struct step nowhere; /* takes what does not fit */
    bool sound;
};

static struct step *add(struct builder *b, struct step step)
{
    if (b->nr == STEPS_MAX) {
        b->sound = false;
        return &b->nowhere;
    }
    b->step[b->nr] = step;
    return &b->step[b->nr++];
}

/* Extends the open run by n bytes, or opens one; returns where in the run they begin. */
static uint16_t extend_run(struct builder *b, uint64_t n)
{
    if (b->run == STEPS_MAX) {
        b->run = b->nr;
        add(b, (struct step){ .op = OP_RUN });
    }
    if (!b->sound)
        return 0;
    uint64_t at = b->step[b->run].n;
    b->step[b->run].n += n;
    return (uint16_t)at;
}

static void close_run(struct builder *b)
{
    b->run = STEPS_MAX;
}

/* The step that checks the rule of a number; each: for all elements of an array. */
static void add_rule(struct builder *b, const struct pc_field *field, uint16_t at, bool each)
{
    struct step step = { .width = field->width, .at = at, .field = field };
    bool bits = field->kind == PC_BITS;
    if (field->rule == PC_RULE_NONE)
        return;
    if (field->rule == PC_RULE_MASK || (field->rule == PC_RULE_IS && field->arg == 0)) {
        step.op = each ? OP_EACH_MASK : OP_MASK;
        step.n = bits                          ? pc_bits_word(field, field->arg, b->order)
                 : field->rule == PC_RULE_MASK ? field->arg
                                               : 0;
    } else if (field->rule == PC_RULE_NONZERO && !each) {
        step.op = OP_NONZERO;
    } else {
        step.op = each ? OP_EACH_RULE : OP_RULE;
        b->sound &= each || !bits;
    }
    add(b, step);
}

/* Both ids are compared; when there is one only, whoever chose the attr has read it already. Where ip and
 * tid of a sample stand is kept with the layout. */
static bool is_wanted(const struct builder *b, unsigned slot)
{
    const uint64_t both = PC_S_ID | PC_S_IDENTIFIER;
    if (slot == PC_REC_IP || slot == PC_REC_SAMPLE_TID)
        return false;
    return (slot != PC_SLOT_ID && slot != PC_SLOT_IDENTIFIER) || (b->layout->mask & both) == both;
}

static void add_number(struct builder *b, const struct pc_field *field)
{
    uint16_t at = extend_run(b, field->width);
    struct step step = { .width = field->width, .at = at, .field = field };
    if (field->save) {
        step.op = OP_SAVE;
        step.slot = field->save;
        b->sound &= field->as == PC_AS_IS && field->kind == PC_UINT;
        if (is_wanted(b, field->save))
            add(b, step);
    }
    add_rule(b, field, at, false);
    if (field->cases) {
        step.op = OP_SELECT;
        add(b, step);
        for (const struct pc_case *one = field->cases; one->bits != 0; one++)
            b->selectable |= one->bits;
    }
}

/* Bytes of one element, or 0 when elements can differ. */
static uint64_t element_size(const struct pc_field *table, uint64_t mask)
{
    uint64_t size = 0;
    for (const struct pc_field *field = table; field->kind != PC_END; field++) {
        if (!pc_present(field, mask))
            continue;
        if ((field->kind != PC_UINT && field->kind != PC_BITS) || field->cases || field->save || field->flags)
            return 0;
        size += field->width;
    }
    return size;
}

static void add_array(struct builder *b, const struct pc_field *field)
{
    uint64_t mask = b->layout->mask, size = element_size(field->sub, mask);
    if (size == 0 || field->flags) {
        b->sound = false;
        return;
    }
    const struct step *last = b->nr ? &b->step[b->nr - 1] : NULL;
    if (field->sub->rule == PC_RULE_CHAIN && size == 8 && last && last->op == OP_SAVE &&
        last->slot == field->count) {
        /* The most common array by far: count, bound and entries in one step. */
        b->step[b->nr - 1] = (struct step){ .op = OP_CHAIN, .at = last->at, .field = field->sub };
        close_run(b);
        return;
    }
    close_run(b);
    add(b, (struct step){ .op = OP_ARRAY, .slot = field->count, .n = size, .field = field });
    uint16_t at = 0;
    for (const struct pc_field *one = field->sub; one->kind != PC_END; one++) {
        if (!pc_present(one, mask))
            continue;
        add_rule(b, one, at, true);
        at = (uint16_t)(at + one->width);
    }
}

static void add_table(struct builder *b, const struct pc_field *table);

static void add_row(struct builder *b, const struct pc_field *field)
{
    struct step step = { .field = field, .slot = field->count };
    switch ((enum pc_kind)field->kind) {
    case PC_UINT:
    case PC_BITS:
        add_number(b, field);
        return;
    case PC_SUB:
        add_table(b, field->sub);
        return;
    case PC_REPEAT:
        add_array(b, field);
        return;
    case PC_BYTES:
        if (!field->count) {
            step.at = extend_run(b, field->arg);
            if (field->save) /* for the place: there is no value */
                add(b, (struct step){ .op = OP_SAVE, .slot = field->save, .at = step.at, .width = 1 });
            step.op = OP_ZEROS;
            step.n = field->arg;
            if (field->rule == PC_RULE_ZEROS)
                add(b, step);
            b->sound &= field->rule == PC_RULE_ZEROS || field->rule == PC_RULE_NONE;
            return;
        }
        b->sound &= field->rule == PC_RULE_NONE;
        step.op = OP_BYTES;
        break;
    case PC_CSTR:
        b->sound &= !(field->flags & PC_UNPADDED);
        step.op = OP_STRING;
        break;
    case PC_PAD:
        step.op = OP_PAD;
        break;
    default:
        b->sound = false;
        return;
    }
    close_run(b);
    add(b, step);
}

static void add_table(struct builder *b, const struct pc_field *table)
{
    const uint64_t dynamic = ~(PC_DYNAMIC(0) - 1);
    for (const struct pc_field *field = table; b->sound && field->kind != PC_END; field++) {
        if (field->flags & (PC_OPTIONAL | PC_IF_FITS)) {
            b->sound = false;
        } else if (field->when & dynamic) {
            if (!(field->when & b->selectable))
                continue;
            close_run(b);
            struct step *unless = add(b, (struct step){ .op = OP_UNLESS, .n = field->when });
            size_t first = b->nr;
            add_row(b, field);
            close_run(b);
            unless->width = (uint8_t)(b->nr - first);
        } else if (pc_present(field, b->layout->mask)) {
            add_row(b, field);
        }
    }
}

/* A test of `n` bytes in a word of the part, which begins at part->test[].at: of the bits `bits` of the
 * integer they are, at most the value `most`. */
static bool add_test(struct pc_part *part, uint16_t at, uint64_t n, uint64_t bits, uint64_t most,
                     enum pc_order order)
{
    const uint16_t word = at & (uint16_t)~7u;
    const unsigned in_word = at - word;
    if (part->nr_tests == PC_PART_TESTS || word + 8u > part->len || n > 8 - in_word)
        return false;
    const unsigned shift = 8 * (order == PC_LITTLE ? in_word : 8 - (unsigned)n - in_word);
    const uint64_t all = UINT64_MAX >> (64 - 8 * n);
    part->test[part->nr_tests].at = word;
    part->test[part->nr_tests].bits = (bits & all) << shift;
    part->test[part->nr_tests++].most = (most < all ? most : all) << shift;
    return true;
}

/* One step about the first run moved into a list of the head; false when it has no place there. */
static bool move_to_part(struct pc_part *part, const struct step *step, enum pc_order order)
{
    switch ((enum op)step->op) {
    case OP_SAVE:
        if (part->nr_saves == PC_PART_SAVES)
            return false;
        part->save[part->nr_saves].at = step->at;
        part->save[part->nr_saves].width = step->width;
        part->save[part->nr_saves++].slot = step->slot;
        return true;
    case OP_NONZERO:
        if (step->width != 8 || step->at % 8 != 0 || !add_test(part, step->at, 8, 0, 0, order))
            return false;
        part->test[part->nr_tests - 1].nonzero = true;
        return true;
    case OP_MASK:
        return add_test(part, step->at, step->width, ~step->n, 0, order);
    case OP_ZEROS:
        return step->n != 0 && step->n <= 8 && add_test(part, step->at, step->n, UINT64_MAX, 0, order);
    case OP_RULE:
        return step->field->rule == PC_RULE_MAX &&
               add_test(part, step->at, step->width, UINT64_MAX, step->field->arg, order);
    default:
        return false;
    }
}

/* Makes a part of the run that begins at a step; returns how many steps are spent, 0 when there is none. */
static size_t make_part(struct pc_part *part, const struct step *step, enum pc_order order)
{
    size_t i = 1;
    if (step[0].op != OP_RUN || step[0].n > PC_RECORD_SIZE_MAX)
        return 0;
    part->len = (uint16_t)step[0].n;
    while (move_to_part(part, &step[i], order))
        i++;
    return i;
}

/* Most plans are a run, perhaps a call chain or a string, perhaps a second run, and the end: no steps are
 * left then. The sample_id may be the second run: the size of the record tells that nothing is before it. */
static void make_simple(struct pc_plan *plan, const struct step *step, enum pc_order order)
{
    if (step->op == OP_CHAIN) {
        plan->part.chain = step->field;
        plan->part.chain_at = step->at;
        step++;
    } else if (step->op == OP_STRING) {
        plan->part.string = step->field;
        step++;
    }
    if (step->op == OP_TRAILER)
        step++;
    step += make_part(&plan->part.tail, step, order);
    plan->simple = step->op == OP_END;
}

static uint64_t plan_size(size_t nr)
{
    return sizeof(struct pc_plan) + nr * sizeof(struct step);
}

struct pc_plan *pc_plan_new(struct pc_mem *mem, const struct pc_record_info *info,
                            const struct pc_layout *layout, enum pc_order order)
{
    struct builder b = { .run = STEPS_MAX, .layout = layout, .order = order, .sound = true };
    unsigned trailer = pc_sample_id_size(layout->mask);

    add_table(&b, info->fields);
    close_run(&b);
    if (trailer != 0) {
        add(&b, (struct step){ .op = OP_TRAILER });
        add_table(&b, pc_sample_id);
        close_run(&b);
    }
    add(&b, (struct step){ .op = OP_END });
    if (!b.sound)
        return NULL;
    struct pc_part head = { 0 };
    size_t spent = make_part(&head, b.step, order), nr = b.nr - spent;
    struct pc_plan *plan = pc_alloc(mem, plan_size(nr));
    if (!plan)
        return NULL;
    plan->part.head = head;
    plan->part.mask = layout->mask;
    /* An array may count by a slot of the layout, also by a 0: the slots are those of the last record. */
    for (size_t i = 0; i < b.nr; i++)
        plan->has_preset |= b.step[i].op == OP_ARRAY && b.step[i].slot < PC_SLOT_PRESET_END;
    plan->mask = layout->mask;
    memcpy(plan->preset, layout->slot, sizeof(plan->preset));
    plan->order = order;
    plan->trailer = (uint16_t)trailer;
    plan->nr = (uint16_t)nr;
    memcpy(plan->step, b.step + spent, nr * sizeof(struct step));
    make_simple(plan, plan->step, order);
    return plan;
}

void pc_plan_free(struct pc_mem *mem, struct pc_plan *plan)
{
    if (plan)
        pc_free(mem, plan, plan_size(plan->nr));
}

/* --- following a plan --- */

static bool has_zero_byte(uint64_t word)
{
    return ((word - 0x0101010101010101) & ~word & 0x8080808080808080) != 0;
}

/* A padded string that fills the area to the last byte, as the walker's visitor wants it: its length, or
 * that of the area when it is none. Its end is in the last word, and no zero before it. */
static size_t sound_string(const struct pc_field *field, struct pc_span area)
{
    if (area.len == 0 || area.len % 8 != 0)
        return area.len;
    size_t len = area.len - 8;
    for (size_t i = 0; i < len; i += 8) {
        if (has_zero_byte(pc_load(area.ptr + i, 8, PC_LITTLE)))
            return area.len;
    }
    uint64_t last = pc_load(area.ptr + len, 8, PC_LITTLE);
    unsigned text = last == 0 ? 0 : 8 - (unsigned)__builtin_clzll(last) / 8;
    if (text == 8 || has_zero_byte(last | UINT64_MAX << 8 * text))
        return area.len;
    len += text;
    return (len == 0 && !(field->flags & PC_MAY_BE_EMPTY)) || !pc_rule_ok(field, len, NULL) ? area.len : len;
}

/* The array that steps about elements mean. */
struct elements {
    const unsigned char *first;
    uint64_t nr, size;
};

PC_INLINE bool each_mask(const struct elements *e, const struct step *step, enum pc_order order)
{
    uint64_t forbidden = 0;
    for (uint64_t i = 0; i < e->nr; i++)
        forbidden |= pc_load(e->first + i * e->size + step->at, step->width, order) & ~step->n;
    return forbidden == 0;
}

bool pc_chain_marker_ok(const unsigned char *first, uint64_t nr, const struct pc_field *entry, uint64_t mask,
                        enum pc_order order, uint64_t i)
{
    struct pc_position where = { .index = i, .nr = nr, .mask = mask };
    where.before = i > 0 ? pc_load(first + 8 * (i - 1), 8, order) : 0;
    return pc_rule_ok(entry, pc_load(first + 8 * i, 8, order), &where);
}

PC_INLINE bool each_rule(const struct elements *e, const struct step *step, enum pc_order order,
                         struct pc_position where)
{
    where.nr = e->nr;
    for (uint64_t i = 0; i < e->nr; i++) {
        uint64_t value = pc_load(e->first + i * e->size + step->at, step->width, order);
        where.index = i;
        if (step->field->kind == PC_BITS)
            value = pc_bits_value(step->field, value, order);
        if (!pc_rule_ok(step->field, value, &where))
            return false;
    }
    return true;
}

PC_INLINE void save_part(const struct pc_part *part, const unsigned char *bytes, size_t base, uint64_t *slot,
                         size_t *slot_at, const enum pc_order order)
{
    for (unsigned i = 0; i < part->nr_saves; i++) {
        size_t at = base + part->save[i].at;
        unsigned width = part->save[i].width;
        slot_at[part->save[i].slot] = at;
        slot[part->save[i].slot] =
            width == 8 ? pc_load(bytes + at, 8, order) : pc_load(bytes + at, width, order);
    }
}

/* pc_simple_ok for a plan with a string. */
PC_INLINE bool with_string_ok(const struct pc_simple_plan *simple, struct pc_span record, uint64_t *slot,
                              size_t *slot_at, size_t *tail, const enum pc_order order)
{
    const size_t base = PC_RECORD_HEADER_SIZE;
    size_t pos = base + simple->head.len, fixed = pos + simple->tail.len;
    if (record.len < fixed || !pc_part_ok(&simple->head, record.ptr, base, order))
        return false;
    size_t area = record.len - fixed, len = sound_string(simple->string, pc_part(record, pos, area));
    if (len == area)
        return false;
    slot[simple->string->save] = len;
    slot_at[simple->string->save] = pos;
    *tail = pos + area;
    return pc_part_ok(&simple->tail, record.ptr, *tail, order);
}

PC_INLINE bool run_simple(const struct pc_simple_plan *simple, struct pc_span record, uint64_t *slot,
                          size_t *slot_at, const enum pc_order order)
{
    size_t tail = 0;
    if (simple->string ? !with_string_ok(simple, record, slot, slot_at, &tail, order)
                       : !pc_simple_ok(simple, record, &tail, order))
        return false;
    save_part(&simple->head, record.ptr, PC_RECORD_HEADER_SIZE, slot, slot_at, order);
    save_part(&simple->tail, record.ptr, tail, slot, slot_at, order);
    return true;
}

/* Inlined once for each byte order, so that no load has to ask for it. Longer than other functions: one
 * switch dispatches each step once. */
PC_INLINE bool run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot, size_t *slot_at,
                   const enum pc_order order)
{
    const unsigned char *bytes = record.ptr;
    size_t pos = PC_RECORD_HEADER_SIZE, end = record.len, base = pos;
    uint64_t mask = plan->mask, value;
    struct elements elements = { 0 };

    if (record.len < PC_RECORD_HEADER_SIZE + (size_t)plan->trailer + plan->part.head.len)
        return false;
    end -= plan->trailer;
    pos += plan->part.head.len;
    if (!pc_part_ok(&plan->part.head, bytes, base, order))
        return false;
    save_part(&plan->part.head, bytes, base, slot, slot_at, order);
    if (plan->has_preset)
        memcpy(slot, plan->preset, sizeof(plan->preset));
    for (const struct step *step = plan->step;; step++) {
        switch ((enum op)step->op) {
        case OP_END:
            return pos == end;
        case OP_RUN:
            if (step->n > end - pos)
                return false;
            base = pos;
            pos += (size_t)step->n;
            break;
        case OP_SAVE:
            slot[step->slot] = pc_load(bytes + base + step->at, step->width, order);
            slot_at[step->slot] = base + step->at;
            break;
        case OP_MASK:
            if (pc_load(bytes + base + step->at, step->width, order) & ~step->n)
                return false;
            break;
        case OP_NONZERO:
            if (pc_load(bytes + base + step->at, step->width, order) == 0)
                return false;
            break;
        case OP_RULE:
            value = pc_load(bytes + base + step->at, step->width, order);
            if (!pc_rule_ok(step->field, value, &(struct pc_position){ .mask = mask, .slot = slot }))
                return false;
            break;
        case OP_ZEROS:
            if (pc_first_nonzero(pc_part(record, base + step->at, (size_t)step->n)) != step->n)
                return false;
            break;
        case OP_SELECT:
            mask = pc_select(step->field, mask, pc_load(bytes + base + step->at, step->width, order));
            break;
        case OP_UNLESS:
            if (!(mask & step->n))
                step += step->width;
            break;
        case OP_BYTES:
            value = slot[step->slot];
            if (value > end - pos)
                return false;
            slot[step->field->save] = value;
            slot_at[step->field->save] = pos;
            pos += (size_t)value;
            break;
        case OP_ARRAY:
            elements = (struct elements){ bytes + pos, slot[step->slot], step->n };
            /* A record holds less than 2^16 of anything, and with that bound the product cannot overflow. */
            if (elements.nr > PC_RECORD_SIZE_MAX || elements.nr * step->n > end - pos)
                return false;
            pos += (size_t)(elements.nr * step->n);
            break;
        case OP_CHAIN:
            value = pc_load(bytes + base + step->at, 8, order);
            if (value > PC_RECORD_SIZE_MAX || 8 * value > end - pos ||
                !pc_chain_ok(bytes + pos, value, step->field, mask, order))
                return false;
            pos += 8 * (size_t)value;
            break;
        case OP_EACH_MASK:
            if (!each_mask(&elements, step, order))
                return false;
            break;
        case OP_EACH_RULE:
            if (!each_rule(&elements, step, order, (struct pc_position){ .mask = mask, .slot = slot }))
                return false;
            break;
        case OP_STRING:
            value = sound_string(step->field, pc_part(record, pos, end - pos));
            if (value == end - pos)
                return false;
            slot[step->field->save] = value;
            slot_at[step->field->save] = pos;
            pos = end;
            break;
        case OP_PAD:
            value = pc_align8(pos) - pos;
            if (value > end - pos || pc_first_nonzero(pc_part(record, pos, (size_t)value)) != value)
                return false;
            pos += (size_t)value;
            break;
        case OP_TRAILER:
            if (pos != end)
                return false;
            end = record.len;
            break;
        default:
            __builtin_unreachable();
        }
    }
}

bool pc_plan_run(const struct pc_plan *plan, struct pc_span record, uint64_t *slot, size_t *slot_at)
{
    if (plan->simple)
        return plan->order == PC_LITTLE ? run_simple(&plan->part, record, slot, slot_at, PC_LITTLE)
                                        : run_simple(&plan->part, record, slot, slot_at, PC_BIG);
    return plan->order == PC_LITTLE ? run(plan, record, slot, slot_at, PC_LITTLE)
                                    : run(plan, record, slot, slot_at, PC_BIG);
}

const struct pc_simple_plan *pc_plan_simple(const struct pc_plan *plan)
{
    return plan->simple && !plan->part.string ? &plan->part : NULL;
}
