/* SPDX-License-Identifier: MIT
 *
 * The public interface: fields of the current item.
 */
#include "lib/handle.h"

#include "base/text.h"
#include "bytes/cursor.h"

#include <errno.h>
#include <string.h>

static const char no_field[] = "the item has no such field";

/* The state of one field walk. */
struct look {
    perfcheck_on_field_t *callback;
    void *ctx;
    bool stopped;
};

static perfcheck_field_t describe(const struct pc_fields *f)
{
    static const char *const types[] = { "uint", "int", "double", "bits", "text", "bytes", NULL };
    const char *dot = strrchr(f->name.text, '.');
    return (perfcheck_field_t){
        .path = f->name.text,
        .name = dot ? dot + 1 : f->name.text,
        .offset = f->offset,
        .size = f->size,
        .type = (perfcheck_type_t)pc_option_value(f->value.type, types),
        .number = f->number,
        .value = f->value.value.text,
        .meaning = f->value.meaning.text,
        .bytes = f->bytes.ptr,
        .nr_bytes = f->bytes.len,
        .in_joined = f->in_joined,
    };
}

static bool take_field(void *ctx, const struct pc_fields *f)
{
    struct look *look = ctx;
    const perfcheck_field_t field = describe(f);
    look->stopped = look->callback(look->ctx, &field) != 0;
    return !look->stopped;
}

static void listen(perfcheck_t *pc, bool (*take)(void *, const struct pc_fields *), void *ctx)
{
    pc->fields.scan = &pc->scan;
    pc->fields.take = take;
    pc->fields.ctx = ctx;
    pc->fields.wanted = NULL;
    pc->fields.bare = false;
}

/* Begins a walk of the item that was read last. */
static void begin(perfcheck_t *pc, bool (*take)(void *, const struct pc_fields *), void *ctx)
{
    listen(pc, take, ctx);
    pc_fields_begin(&pc->fields, &pc->at);
}

perfcheck_status_t perfcheck_fields(perfcheck_t *pc, perfcheck_on_field_t *callback, void *ctx)
{
    struct look look = { .callback = callback, .ctx = ctx };
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!callback)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no callback is given");
    if (!pc->has_item)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no item was read");
    begin(pc, take_field, &look);
    pc_fields_walk(&pc->fields);
    return look.stopped ? pc_handle_fail(pc, PERFCHECK_STOPPED, PC_HANDLE_STOPPED) : pc_handle_good(pc);
}

static bool keep_field(void *ctx, const struct pc_fields *f)
{
    *(perfcheck_field_t *)ctx = describe(f);
    return true;
}

const perfcheck_field_t *pc_handle_skipped(perfcheck_t *pc, const struct pc_finding *f)
{
    bool passed_over = f->id == PC_D_RESYNC || f->id == PC_D_RECORD_CUT;
    if (!passed_over || f->where.inside || f->where.stream != pc->scan.reader.streams.where.stream)
        return NULL;
    pc->skipped.path = NULL;
    listen(pc, keep_field, &pc->skipped);
    pc_fields_skipped(&pc->fields, f->offset, f->length);
    return pc->skipped.path ? &pc->skipped : NULL;
}

/* --- one field --- */

/* Keeps pc->fields as the walk left it. */
static bool stop_there(void *ctx, const struct pc_fields *f)
{
    (void)f;
    *(bool *)ctx = true;
    return false;
}

/* Leaves the first field with this path in pc->fields; bare: without its text. */
static perfcheck_status_t find(perfcheck_t *pc, const char *path, bool bare)
{
    bool found = false;
    if (!pc->has_item)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no item was read");
    begin(pc, stop_there, &found);
    pc->fields.wanted = path;
    pc->fields.bare = bare;
    pc_fields_walk(&pc->fields);
    return found ? pc_handle_good(pc) : pc_handle_fail(pc, PERFCHECK_NOT_FOUND, no_field);
}

static perfcheck_status_t find_number(perfcheck_t *pc, const char *path, uint64_t *number)
{
    perfcheck_status_t status = find(pc, path, true);
    if (status != PERFCHECK_OK)
        return status;
    if (!pc->fields.is_number)
        return pc_handle_fail(pc, PERFCHECK_NOT_FOUND, "the field is no number");
    if (!number)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "there is no place for the number");
    *number = pc->fields.number;
    return PERFCHECK_OK;
}

static const char *find_text(perfcheck_t *pc, const char *path)
{
    return find(pc, path, false) == PERFCHECK_OK ? pc->fields.value.value.text : NULL;
}

perfcheck_status_t perfcheck_number(perfcheck_t *pc, const char *path, uint64_t *number)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!path)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no field is named");
    return find_number(pc, path, number);
}

const char *perfcheck_text(perfcheck_t *pc, const char *path)
{
    if (!pc)
        return NULL;
    if (!path) {
        pc_handle_fail(pc, PERFCHECK_MISUSE, "no field is named");
        return NULL;
    }
    return find_text(pc, path);
}

/* --- a field of many items --- */

/* Where it is in the records that a plan has found sound. */
struct placed {
    const struct pc_plan *plan; /* NULL: none */
    struct pc_field_place place;
    unsigned plain; /* see pc_handle_plain */
};

struct perfcheck_field_of {
    perfcheck_t *pc;
    struct perfcheck_field_of *next;
    struct placed placed[16]; /* by the address of the plan; a newer one takes the place of an older one */
    char path[];
};

static uint64_t size_of(const char *path)
{
    return sizeof(struct perfcheck_field_of) + strlen(path) + 1;
}

perfcheck_field_handle_t *perfcheck_field_handle(perfcheck_t *pc, const char *path)
{
    if (!pc)
        return NULL;
    perfcheck_field_handle_t *field = pc->field_handles;
    if (!path) {
        pc_handle_fail(pc, PERFCHECK_MISUSE, "no field is named");
        return NULL;
    }
    pc_handle_good(pc);
    while (field && strcmp(field->path, path) != 0)
        field = field->next;
    if (field)
        return field;
    field = pc_alloc(&pc->mem, size_of(path));
    if (!field) {
        pc_handle_fail(pc, PERFCHECK_NO_MEMORY, pc_text_error(ENOMEM));
        return NULL;
    }
    memcpy(field->path, path, strlen(path) + 1);
    field->pc = pc;
    field->next = pc->field_handles;
    return pc->field_handles = field;
}

void pc_handle_forget_places(perfcheck_t *pc)
{
    for (perfcheck_field_handle_t *field = pc->field_handles; field; field = field->next)
        memset(field->placed, 0, sizeof(field->placed));
}

void pc_handle_free_fields(perfcheck_t *pc)
{
    while (pc->field_handles) {
        perfcheck_field_handle_t *field = pc->field_handles;
        pc->field_handles = field->next;
        pc_free(&pc->mem, field, size_of(field->path));
    }
}

const struct pc_sound *pc_handle_sound(perfcheck_t *pc)
{
    const struct pc_capture *capture = &pc->scan.capture;
    const struct pc_item *item = &pc->at;
    struct pc_sound *sound = &pc->sound;
    if (sound->is_known)
        return sound;
    *sound = (struct pc_sound){ .is_known = true, .attr = pc_scan_attr(&pc->scan, item) };
    if (sound->attr == PC_NO_ATTR)
        return sound;
    const struct pc_attr *attr = &capture->attr[sound->attr];
    sound->layout = capture->layout[attr->layout];
    if (item->type != PC_SAMPLE || pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) >> PC_S_BITS == 0)
        sound->plan = pc_capture_plan(capture, sound->layout, item->type, item->misc);
    return sound;
}

static __attribute__((noinline)) void look_up_place(const perfcheck_t *pc, perfcheck_field_handle_t *field,
                                                    struct placed *placed)
{
    const struct pc_item *item = &pc->at;
    struct pc_layout layout =
        pc_record_layout(&pc->sound.layout->layout, item->type, item->misc, pc->scan.capture.mmap2_old == 1);
    placed->plan = pc->sound.plan;
    placed->place = pc_place_in_record(pc_item_info(item), layout.mask, field->path);
    placed->plain = pc_handle_plain(&placed->place);
}

/* Where the field is by the plan of the item. */
static inline struct placed *placed_by(const struct pc_plan *plan, perfcheck_field_handle_t *field)
{
    return &field->placed[(uintptr_t)plan / 64 % PC_COUNT_OF(field->placed)];
}

static inline const unsigned char *bytes_at(struct pc_span record, const struct pc_field_place *place)
{
    return record.ptr + (place->how == PC_PLACE_BACK ? record.len - place->at : place->at);
}

const struct pc_field_place *pc_handle_place(perfcheck_t *pc, perfcheck_field_handle_t *field)
{
    static const struct pc_field_place walk = { .how = PC_PLACE_WALK };
    const struct pc_plan *plan = pc_handle_sound(pc)->plan;
    struct placed *placed = placed_by(plan, field);
    if (!plan)
        return &walk;
    if (placed->plan != plan)
        look_up_place(pc, field, placed);
    return &placed->place;
}

uint64_t pc_handle_number(const perfcheck_t *pc, const struct pc_field_place *place, struct pc_span record)
{
    const struct pc_field *row = place->field;
    enum pc_order order = pc->scan.capture.order;
    uint64_t value = pc_load(bytes_at(record, place), row->width, order);
    return row->kind == PC_BITS ? pc_bits_value(row, value, order) : pc_signed_value(row, value);
}

bool pc_handle_has_field(const perfcheck_t *pc, const perfcheck_field_handle_t *field)
{
    return field && field->pc == pc;
}

/* When the plan or the place is not known yet, no place is, or the number is not plain. */
static __attribute__((noinline)) perfcheck_status_t
find_number_of(perfcheck_t *pc, perfcheck_field_handle_t *field, uint64_t *number)
{
    if (!pc->has_item)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no item was read");
    const struct pc_field_place *place = pc_handle_place(pc, field);
    if (place->how == PC_PLACE_WALK || place->how == PC_PLACE_TEXT)
        return find_number(pc, field->path, number);
    if (place->how == PC_PLACE_NONE)
        return pc_handle_fail(pc, PERFCHECK_NOT_FOUND, no_field);
    *number = pc_handle_number(pc, place, pc->at.bytes);
    return pc_handle_good(pc);
}

perfcheck_status_t perfcheck_number_of(perfcheck_t *pc, perfcheck_field_handle_t *field, uint64_t *number)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!pc_handle_has_field(pc, field) || !number)
        return pc_handle_fail(pc, PERFCHECK_MISUSE,
                              !number ? "there is no place for the number" : PC_HANDLE_NO_FIELD);
    const struct placed *placed = placed_by(pc->sound.plan, field);
    if (!pc->sound.plan || placed->plan != pc->sound.plan || placed->plain == 0)
        return find_number_of(pc, field, number);
    const unsigned char *bytes = bytes_at(pc->at.bytes, &placed->place);
    *number = placed->plain == 8 ? pc_load(bytes, 8, pc->scan.capture.order)
                                 : pc_load(bytes, 4, pc->scan.capture.order);
    return pc_handle_good(pc);
}

const char *perfcheck_text_of(perfcheck_t *pc, perfcheck_field_handle_t *field)
{
    if (!pc)
        return NULL;
    if (!pc_handle_has_field(pc, field)) {
        pc_handle_fail(pc, PERFCHECK_MISUSE, PC_HANDLE_NO_FIELD);
        return NULL;
    }
    const struct pc_field_place *place = pc->has_item ? pc_handle_place(pc, field) : NULL;
    if (!place || place->how != PC_PLACE_TEXT)
        return find_text(pc, field->path);
    const struct pc_span record = pc->at.bytes;
    const struct pc_leaf leaf = { .field = place->field,
                                  .at = place->at,
                                  .raw = pc_part(record, place->at, record.len - place->at - place->behind) };
    pc_show_leaf(&pc->fields.value, &leaf);
    pc_handle_good(pc);
    return pc->fields.value.value.text;
}
