/* SPDX-License-Identifier: MIT
 *
 * tracepoint.c: reads the text of a tracepoint format, of header_page and of printk formats.
 */
#include "format/tracepoint.h"
#include "format/tracepoint_type.h"

#include <string.h>

struct parser {
    struct pc_span text;
    size_t at;
    struct pc_tp_fault *fault;
};

static bool fail(struct parser *p, enum pc_tp_fault_kind kind, const char *reason, size_t at)
{
    *p->fault = (struct pc_tp_fault){ .kind = kind, .reason = reason, .at = at };
    return false;
}

static bool too_many(struct parser *p, const char *what, uint64_t limit, size_t at)
{
    *p->fault = (struct pc_tp_fault){ .kind = PC_TP_LIMIT, .reason = what, .at = at, .limit = limit };
    return false;
}

/* The byte at the position, or -1 at the end. */
static int peek(const struct parser *p)
{
    return p->at < p->text.len ? p->text.ptr[p->at] : -1;
}

/* Takes exactly this text. The fault is at the first byte that differs. */
static bool take(struct parser *p, const char *text, const char *reason)
{
    for (; *text != 0; text++, p->at++) {
        if (peek(p) != (unsigned char)*text)
            return fail(p, PC_TP_BAD_TEXT, reason, p->at);
    }
    return true;
}

#define TAKE(p, text) take(p, text, "expected " #text)

/* A decimal number as the kernel prints it: no sign, no leading zero. */
static bool take_number(struct parser *p, uint32_t max, uint32_t *value, const char *reason)
{
    size_t start = p->at;
    uint64_t n = 0;
    while (pc_tp_is_digit(peek(p))) {
        n = n * 10 + (uint64_t)(p->text.ptr[p->at++] - '0');
        if (n > max)
            return fail(p, PC_TP_BAD_FIELD, "the number is too large", start);
    }
    if (p->at == start || (p->text.ptr[start] == '0' && p->at - start > 1))
        return fail(p, PC_TP_BAD_TEXT, reason, start);
    *value = (uint32_t)n;
    return true;
}

/* Takes a word that does not begin with a digit. */
static bool take_word(struct parser *p, struct pc_tp_name *word, const char *reason)
{
    size_t start = p->at;
    if (pc_tp_is_digit(peek(p)))
        return fail(p, PC_TP_BAD_TEXT, reason, start);
    while (pc_tp_is_word(peek(p)))
        p->at++;
    if (p->at == start)
        return fail(p, PC_TP_BAD_TEXT, reason, start);
    *word = (struct pc_tp_name){ p->text.ptr + start, p->at - start };
    return true;
}

/* --- fields --- */

/* The declaration of a field. */
struct declaration {
    struct pc_tp_type type;
    struct pc_tp_name name;
    bool is_array, has_count, data_loc, rel_loc;
    uint32_t count;   /* elements, when has_count or second_at */
    size_t second_at; /* __data_loc TYPE[][COUNT] NAME: of the second bracket, or 0 */
};

/* __attribute__((user)): anything in balanced parentheses. */
static bool skip_attribute(struct parser *p)
{
    size_t start = p->at, depth = 0;
    do {
        int c = peek(p);
        if (c < ' ' || c == ';' || c >= 0x7f)
            return fail(p, PC_TP_BAD_TEXT, "the parenthesis is not closed", start);
        depth += c == '(';
        depth -= c == ')';
        p->at++;
    } while (depth != 0);
    return true;
}

/* A number of elements; hexadecimal ones are not evaluated, and single becomes false. */
static bool take_count(struct parser *p, uint32_t *count, bool *single)
{
    if (peek(p) == '0' && p->at + 1 < p->text.len && (p->text.ptr[p->at + 1] | 0x20) == 'x') {
        p->at += 2;
        while (pc_tp_is_word(peek(p)))
            p->at++;
        *single = false;
    } else if (!take_number(p, PC_TP_END_MAX, count, "expected the number of elements")) {
        return false;
    }
    return !pc_tp_is_word(peek(p)) || fail(p, PC_TP_BAD_TEXT, "expected \"]\"", p->at);
}

/* [16], [], [TASK_COMM_LEN], [64 + 1]: numbers, words and operators up to the bracket. */
static bool take_dimension(struct parser *p, struct declaration *d)
{
    size_t start = p->at;
    bool single = true; /* nothing but one number */
    unsigned tokens = 0;
    d->is_array = true;
    p->at++; /* '[' */
    while (peek(p) != ']') {
        int c = peek(p);
        struct pc_tp_name word;
        if (pc_tp_is_digit(c)) {
            if (!take_count(p, &d->count, &single))
                return false;
            tokens++;
        } else if (pc_tp_is_word(c)) {
            single = false;
            if (!take_word(p, &word, "expected the number of elements"))
                return false;
            tokens++;
        } else if (c > 0 && strchr(" +-*/()<>", c)) {
            single &= c == ' ';
            p->at++;
        } else {
            return fail(p, PC_TP_BAD_TEXT, c < 0 ? "the text ends in a field" : "expected \"]\"", p->at);
        }
    }
    if (tokens > 1)
        single = false;
    d->has_count = single && tokens == 1;
    if (d->has_count && d->count == 0)
        return fail(p, PC_TP_BAD_FIELD, "an array of 0 elements", start);
    p->at++;
    return true;
}

/* [] or, of an array of arrays, [][2] after the type of a dynamic array. */
static bool take_loc_dimensions(struct parser *p, struct declaration *d)
{
    static const char reason[] = "expected \"[] \" after the type";
    if (!take(p, "[]", reason))
        return false;
    if (peek(p) == '[' && d->data_loc) {
        d->second_at = p->at++;
        if (!take_number(p, PC_TP_END_MAX, &d->count, "expected the number of elements") ||
            !take(p, "]", "expected \"]\""))
            return false;
        if (d->count == 0)
            return fail(p, PC_TP_BAD_FIELD, "an array of 0 elements", d->second_at);
    }
    return take(p, " ", reason);
}

/* TYPE NAME, TYPE NAME[DIM], __data_loc TYPE[] NAME, __data_loc TYPE[][COUNT] NAME. Ends before the
 * semicolon. */
static bool take_declaration(struct parser *p, struct declaration *d, unsigned long_size)
{
    struct pc_tp_name word, last = { 0 };
    size_t start = p->at, words = 0;
    bool is_loc = false;
    for (;;) {
        int c = peek(p);
        if (c == ' ' && p->at != start) {
            p->at++;
        } else if (c == '*' && words != 0) {
            if (last.len != 0)
                pc_tp_see_word(&d->type, &last, long_size);
            last.len = 0;
            d->type.pointer = true;
            p->at++;
        } else if (c == '(' && last.len != 0 && pc_tp_name_is(&last, "__attribute__")) {
            last.len = 0;
            if (!skip_attribute(p))
                return false;
        } else if (pc_tp_is_word(c)) {
            if (!take_word(p, &word, words == 0 ? "expected a type" : "expected the name of the field"))
                return false;
            if (words == 0) {
                d->data_loc = pc_tp_name_is(&word, "__data_loc");
                d->rel_loc = pc_tp_name_is(&word, "__rel_loc");
                is_loc = d->data_loc || d->rel_loc;
            } else if (last.len != 0) {
                pc_tp_see_word(&d->type, &last, long_size);
            }
            last = word;
            words++;
        } else {
            break;
        }
    }
    if (words == 0)
        return fail(p, PC_TP_BAD_TEXT, "expected a type", p->at);
    if (is_loc) {
        if (peek(p) == '[') {
            if (words < 2)
                return fail(p, PC_TP_BAD_TEXT, "expected a type", p->at);
            if (last.len != 0)
                pc_tp_see_word(&d->type, &last, long_size);
            if (!take_loc_dimensions(p, d) || !take_word(p, &last, "expected the name of the field"))
                return false;
        } else if (!d->type.is_mask || words != 3) { /* __data_loc cpumask_t NAME is the only one without */
            return fail(p, PC_TP_BAD_TEXT, "expected \"[] \" after the type", p->at);
        }
    } else if (words < 2 || last.len == 0) {
        return fail(p, PC_TP_BAD_TEXT, "expected the name of the field", p->at);
    } else if (peek(p) == '[' && !take_dimension(p, d)) {
        return false;
    }
    if (last.len > PC_TP_NAME_MAX)
        return too_many(p, "characters of a name", PC_TP_NAME_MAX, (size_t)(last.ptr - p->text.ptr));
    if (d->type.keyword && d->type.strange)
        return fail(p, PC_TP_BAD_TEXT, "no type is spelled so", (size_t)(d->type.strange - p->text.ptr));
    d->name = last;
    return true;
}

/* Sets the class of a field. False: a field cannot be like this. */
static bool classify(struct parser *p, const struct declaration *d, unsigned long_size, struct pc_tp_field *f,
                     size_t size_at)
{
    unsigned width = pc_tp_width(&d->type, long_size);
    bool scalar = f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8;
    f->is_char = d->type.is_char && !d->type.pointer;
    f->element = (uint8_t)width;
    if (d->data_loc || d->rel_loc) {
        f->cls = d->data_loc ? PC_TP_DATA_LOC : PC_TP_REL_LOC;
        if (d->type.is_mask && !d->type.pointer)
            f->element = (uint8_t)long_size; /* a bitmap of words */
        f->of_arrays = d->second_at != 0;
        if (f->of_arrays)
            return f->size == 4 * (uint64_t)d->count ||
                   fail(p, PC_TP_BAD_FIELD, "the words of dynamic arrays have 4 bytes each", size_at);
        return f->size == 4 || fail(p, PC_TP_BAD_FIELD, "the word of a dynamic array has 4 bytes", size_at);
    }
    if (d->is_array && f->size == 0) {
        f->cls = PC_TP_FLEXIBLE;
        return !d->has_count || fail(p, PC_TP_BAD_FIELD, "an array without bytes", size_at);
    }
    if (d->is_array) {
        if (d->has_count && (f->size % d->count != 0 || (width != 0 && f->size / d->count != width)))
            return fail(p, PC_TP_BAD_FIELD, "the size is not that of the elements", size_at);
        if (width != 0 && f->size % width != 0)
            return fail(p, PC_TP_BAD_FIELD, "the size is not that of whole elements", size_at);
        uint32_t each = d->has_count ? f->size / d->count : width;
        bool known = (each == 1 || each == 2 || each == 4 || each == 8) && !d->type.composite;
        f->element = known ? (uint8_t)each : 0;
        f->cls = f->is_char ? PC_TP_TEXT : PC_TP_ARRAY;
        return true;
    }
    if (f->size == 0)
        return fail(p, PC_TP_BAD_FIELD, "a field without bytes", size_at);
    if (!scalar && width != 0)
        return fail(p, PC_TP_BAD_FIELD, "no integer has this size", size_at);
    bool opaque = !scalar || (d->type.composite && !d->type.pointer);
    f->cls = opaque ? PC_TP_OPAQUE : d->type.pointer ? PC_TP_POINTER : PC_TP_INTEGER;
    f->element = opaque ? 0 : (uint8_t)f->size;
    return true;
}

struct line {
    struct declaration decl;
    struct pc_tp_field field;
    size_t name_at, offset_at, size_at;
};

/* One line, after "\tfield:". */
static bool take_line(struct parser *p, struct line *line, unsigned long_size)
{
    memset(line, 0, sizeof(*line));
    if (!take_declaration(p, &line->decl, long_size) ||
        !take(p, ";", "expected \";\" after the declaration") || !TAKE(p, "\toffset:"))
        return false;
    line->name_at = (size_t)(line->decl.name.ptr - p->text.ptr);
    line->offset_at = p->at;
    if (!take_number(p, PC_TP_END_MAX, &line->field.offset, "expected a number after \"offset:\"") ||
        !TAKE(p, ";\tsize:"))
        return false;
    line->size_at = p->at;
    if (!take_number(p, PC_TP_END_MAX, &line->field.size, "expected a number after \"size:\"") ||
        !TAKE(p, ";"))
        return false;
    /* Kernels before 2.6.33 say nothing about the sign. */
    if (peek(p) != '\n') {
        if (!TAKE(p, "\tsigned:"))
            return false;
        if (peek(p) != '0' && peek(p) != '1')
            return fail(p, PC_TP_BAD_TEXT, "expected 0 or 1 after \"signed:\"", p->at);
        p->at++;
        if (!TAKE(p, ";"))
            return false;
    }
    return take(p, "\n", "expected the end of the line");
}

static int compare_names(const struct pc_tp_name *a, const struct pc_tp_name *b)
{
    size_t len = a->len < b->len ? a->len : b->len;
    int differ = memcmp(a->ptr, b->ptr, len);
    return differ != 0 ? differ : (a->len > b->len) - (a->len < b->len);
}

/* The place that the name has, or would have, among the first nr sorted ones. */
static size_t name_place(struct pc_tp_draft *draft, const struct pc_tp_name *name, bool *found)
{
    size_t low = 0, high = draft->nr_fields;
    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_names(&draft->name[draft->sorted[middle]], name);
        draft->work++;
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int pc_tp_draft_field(struct pc_tp_draft *draft, struct pc_tp_name name)
{
    bool found;
    size_t place = name_place(draft, &name, &found);
    return found ? draft->sorted[place] : -1;
}

/* tools/perf/builtin-sched.c: register_pid; builtin-timechart.c: c_state_start. */
static enum pc_tp_index index_of(const struct pc_tp_draft *draft, const struct pc_tp_name *name)
{
    static const struct {
        const char *event, *field;
        enum pc_tp_index index;
    } known[] = {
        { "sched_switch", "prev_pid", PC_TP_TASK },
        { "sched_switch", "next_pid", PC_TP_TASK },
        { "sched_wakeup", "pid", PC_TP_TASK },
        { "sched_wakeup_new", "pid", PC_TP_TASK },
        { "sched_waking", "pid", PC_TP_TASK },
        { "sched_migrate_task", "pid", PC_TP_TASK },
        { "sched_stat_runtime", "pid", PC_TP_TASK },
        { "sched_process_fork", "parent_pid", PC_TP_TASK },
        { "sched_process_fork", "child_pid", PC_TP_TASK },
        { "cpu_idle", "cpu_id", PC_TP_CPU },
        { "cpu_frequency", "cpu_id", PC_TP_CPU },
    };
    for (size_t i = 0; i < PC_COUNT_OF(known); i++) {
        if (pc_tp_name_is(&draft->event, known[i].event) && pc_tp_name_is(name, known[i].field))
            return known[i].index;
    }
    return PC_TP_NO_INDEX;
}

static bool add_field(struct parser *p, struct pc_tp_draft *draft, const struct line *line)
{
    bool found;
    struct pc_tp_field f = line->field;
    if (draft->nr_fields == PC_TP_FIELDS_MAX)
        return too_many(p, "fields of a format", PC_TP_FIELDS_MAX, line->name_at);
    size_t place = name_place(draft, &line->decl.name, &found);
    if (found)
        return fail(p, PC_TP_BAD_FIELD, "a second field of this name", line->name_at);
    if (!classify(p, &line->decl, draft->long_size, &f, line->size_at))
        return false;
    if (draft->is_open)
        return fail(p, PC_TP_BAD_FIELD, "a field after an array that takes the rest", line->name_at);
    if (f.offset < draft->end)
        return fail(p, PC_TP_BAD_FIELD, "the field overlaps the one before", line->offset_at);
    if (f.size > PC_TP_END_MAX - f.offset)
        return fail(p, PC_TP_BAD_FIELD, "the field ends beyond 64 KiB", line->size_at);
    draft->end = f.offset + f.size;
    draft->is_open = f.cls == PC_TP_FLEXIBLE;
    if (draft->second_at == 0)
        draft->second_at = line->decl.second_at;
    draft->nr_dynamic += f.cls == PC_TP_DATA_LOC || f.cls == PC_TP_REL_LOC;
    bool may_index = f.cls == PC_TP_INTEGER && f.size == 4;
    f.index = may_index ? (uint8_t)index_of(draft, &line->decl.name) : PC_TP_NO_INDEX;
    f.name = (uint32_t)draft->names_size;
    draft->names_size += line->decl.name.len + 1;

    uint32_t nr = draft->nr_fields;
    draft->work += (nr - place) / 16; /* the move below is cheap for each element */
    memmove(&draft->sorted[place + 1], &draft->sorted[place], (nr - place) * sizeof(draft->sorted[0]));
    draft->sorted[place] = (uint16_t)nr;
    draft->name[nr] = line->decl.name;
    draft->field[nr] = f;
    draft->nr_fields++;
    return true;
}

/* The fields that all events have, in this order; others may follow. */
static const struct {
    const char *name;
    uint32_t size;
} common[] = {
    { "common_type", 2 }, { "common_flags", 1 }, { "common_preempt_count", 1 }, { "common_pid", 4 }
};

static bool check_common(struct parser *p, const struct pc_tp_draft *draft, const struct line *line)
{
    static const char prefix[] = "common_";
    uint32_t i = draft->nr_fields;
    const struct pc_tp_name *name = &line->decl.name;
    if (i < PC_COUNT_OF(common)) {
        if (!pc_tp_name_is(name, common[i].name))
            return fail(p, PC_TP_BAD_TEXT,
                        "expected common_type, common_flags, common_preempt_count and common_pid",
                        line->name_at);
        if (line->field.size != common[i].size)
            return fail(p, PC_TP_BAD_FIELD, "not the size of this common field", line->size_at);
        if (i == 0 && line->field.offset != 0)
            return fail(p, PC_TP_BAD_FIELD, "common_type is at offset 0", line->offset_at);
    } else if (name->len < sizeof(prefix) || memcmp(name->ptr, prefix, sizeof(prefix) - 1) != 0) {
        return fail(p, PC_TP_BAD_TEXT, "expected an empty line after the common fields", line->name_at);
    }
    return true;
}

static bool take_fields(struct parser *p, struct pc_tp_draft *draft, bool is_common)
{
    struct line line;
    while (peek(p) != '\n') {
        if (!TAKE(p, "\tfield:") || !take_line(p, &line, draft->long_size))
            return false;
        if (is_common && !check_common(p, draft, &line))
            return false;
        if (!add_field(p, draft, &line))
            return false;
    }
    if (is_common) {
        if (draft->nr_fields < PC_COUNT_OF(common))
            return fail(p, PC_TP_BAD_TEXT,
                        "expected common_type, common_flags, common_preempt_count and common_pid", p->at);
        draft->nr_common = draft->nr_fields;
    }
    p->at++;
    return true;
}

static bool read_text(struct parser *p, struct pc_tp_draft *draft)
{
    if (!TAKE(p, "name: ") || !take_word(p, &draft->event, "expected the name of the event") ||
        !take(p, "\n", "expected the end of the line") || !TAKE(p, "ID: "))
        return false;
    size_t id_at = p->at;
    if (!take_number(p, PC_TP_ID_MAX, &draft->id, "expected a number after \"ID:\""))
        return false;
    if (draft->id == 0)
        return fail(p, PC_TP_BAD_FIELD, "no event has the id 0", id_at);
    draft->has_id = true;
    draft->id_at = id_at;
    if (!take(p, "\n", "expected the end of the line") || !TAKE(p, "format:\n") ||
        !take_fields(p, draft, true) || !take_fields(p, draft, false) || !TAKE(p, "print fmt: "))
        return false;
    draft->print_at = p->at;
    return true;
}

bool pc_tp_read(struct pc_tp_draft *draft, struct pc_span text, unsigned long_size, struct pc_tp_fault *fault)
{
    struct parser p = { .text = text, .fault = fault };
    *fault = (struct pc_tp_fault){ 0 };
    draft->text = text;
    draft->long_size = long_size;
    draft->id = draft->end = draft->nr_fields = draft->nr_common = draft->nr_dynamic = 0;
    draft->has_id = draft->is_open = false;
    draft->print_at = draft->names_size = draft->second_at = 0;
    draft->work = 0;
    bool sound = read_text(&p, draft);
    draft->work += p.at;
    return sound;
}

/* --- what is kept --- */

struct pc_tracepoint *pc_tp_new(struct pc_mem *mem, const struct pc_tp_draft *draft)
{
    uint64_t fields = draft->nr_fields * sizeof(struct pc_tp_field);
    uint64_t dynamic = draft->nr_dynamic * sizeof(uint16_t);
    uint64_t bytes = sizeof(struct pc_tracepoint) + fields + dynamic + draft->names_size;
    struct pc_tracepoint *t = pc_alloc(mem, bytes);
    if (!t)
        return NULL;
    uint16_t *at = (uint16_t *)(t->field + draft->nr_fields);
    char *names = (char *)(at + draft->nr_dynamic);
    t->id = draft->id;
    t->end = draft->end;
    t->nr_fields = draft->nr_fields;
    t->nr_common = draft->nr_common;
    t->nr_dynamic = draft->nr_dynamic;
    t->is_open = draft->is_open;
    t->has_index = t->has_use = false;
    t->bytes = bytes;
    t->dynamic = at;
    t->names = names;
    for (uint32_t i = 0; i < draft->nr_fields; i++) {
        t->field[i] = draft->field[i];
        t->has_index |= draft->field[i].index != PC_TP_NO_INDEX;
        t->has_use |= draft->field[i].use != 0;
        memcpy(names + t->field[i].name, draft->name[i].ptr, draft->name[i].len);
        if (t->field[i].cls == PC_TP_DATA_LOC || t->field[i].cls == PC_TP_REL_LOC)
            *at++ = (uint16_t)i;
    }
    return t;
}

void pc_tp_free(struct pc_mem *mem, struct pc_tracepoint *tracepoint)
{
    if (tracepoint)
        pc_free(mem, tracepoint, tracepoint->bytes);
}

/* --- header_page --- */

bool pc_tp_check_header_page(struct pc_span text, struct pc_tp_fault *fault)
{
    /* libtraceevent wants them in this order; overwrite came later. */
    static const char *const names[] = { "timestamp", "commit", "overwrite", "data" };
    struct parser p = { .text = text, .fault = fault };
    struct line line;
    size_t next = 0;
    *fault = (struct pc_tp_fault){ 0 };
    while (p.at < text.len) {
        if (!TAKE(&p, "\tfield: ") || !take_line(&p, &line, 8))
            return false;
        if (line.decl.second_at != 0)
            return fail(&p, PC_TP_BAD_TEXT, "expected \"[] \" after the type", line.decl.second_at);
        if (next == 2 && pc_tp_name_is(&line.decl.name, names[3]))
            next++;
        if (next >= PC_COUNT_OF(names) || !pc_tp_name_is(&line.decl.name, names[next]))
            return fail(&p, PC_TP_BAD_TEXT, "expected timestamp, commit, overwrite and data", line.name_at);
        next++;
    }
    return next == 0 || next == PC_COUNT_OF(names) ||
           fail(&p, PC_TP_BAD_TEXT, "expected timestamp, commit, overwrite and data", p.at);
}

/* --- printk formats --- */

bool pc_tp_check_printk(struct pc_span text, struct pc_tp_fault *fault)
{
    struct parser p = { .text = text, .fault = fault };
    *fault = (struct pc_tp_fault){ 0 };
    while (p.at < text.len) {
        if (!TAKE(&p, "0x"))
            return false;
        size_t digits = p.at;
        while (pc_tp_is_word(peek(&p)))
            p.at++;
        if (p.at == digits)
            return fail(&p, PC_TP_BAD_TEXT, "expected an address", p.at);
        if (!TAKE(&p, " : \""))
            return false;
        /* The kernel prints quotes and line ends in the text as escapes. */
        const unsigned char *end = memchr(text.ptr + p.at, '\n', text.len - p.at);
        size_t start = p.at;
        p.at = end ? (size_t)(end - text.ptr) : text.len;
        if (p.at == start || text.ptr[p.at - 1] != '"')
            return fail(&p, PC_TP_BAD_TEXT, "expected \"\\\"\" at the end of the line", p.at);
        p.at += end != NULL;
    }
    return true;
}
