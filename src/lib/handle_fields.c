/* SPDX-License-Identifier: MIT
 *
 * The public interface: fields of the current item.
 */
#include "lib/handle.h"

#include <string.h>

/* Somebody who looks at fields. */
struct look {
    perfcheck_on_field_t *callback;
    void *ctx;
    bool stopped;
};

static bool take_field(void *ctx, const struct pc_fields *f)
{
    struct look *look = ctx;
    static const char *const types[] = { "uint", "int", "double", "bits", "text", "bytes", NULL };
    const char *dot = strrchr(f->name.text, '.');
    perfcheck_field_t field = {
        .path = f->name.text,
        .name = dot ? dot + 1 : f->name.text,
        .offset = f->offset,
        .size = f->size,
        .type = (perfcheck_type_t)pc_option_value(f->value.type, types),
        .value = f->value.value.text,
        .meaning = f->value.meaning.text,
        .bytes = f->bytes.ptr,
        .nr_bytes = f->bytes.len,
    };
    if (field.type == PERFCHECK_INT && field.size < 8) /* the sign goes on to the left */
        field.number = f->number | (f->number >> (8 * field.size - 1) ? UINT64_MAX << 8 * field.size : 0);
    else if (field.type < PERFCHECK_TEXT)
        field.number = f->number;
    look->stopped = look->callback(look->ctx, &field) != 0;
    return !look->stopped;
}

static int walk(perfcheck_t *pc, struct look *look)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!look->callback)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no callback is given");
    if (!pc->has_item)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no item was read");
    pc->fields.scan = &pc->scan;
    pc->fields.take = take_field;
    pc->fields.ctx = look;
    pc_fields_begin(&pc->fields, &pc->at);
    pc_fields_walk(&pc->fields);
    return look->stopped ? pc_handle_fail(pc, PERFCHECK_STOPPED, "the callback ended it")
                         : pc_handle_good(pc);
}

int perfcheck_fields(perfcheck_t *pc, perfcheck_on_field_t *callback, void *ctx)
{
    struct look look = { .callback = callback, .ctx = ctx };
    return walk(pc, &look);
}

/* A field that is looked for. */
struct wanted {
    const char *path;
    bool is_number;
    uint64_t number;
    struct pc_buffer *text;
};

static int match(void *ctx, const perfcheck_field_t *field)
{
    struct wanted *wanted = ctx;
    if (strcmp(field->path, wanted->path) != 0)
        return 0;
    wanted->is_number = field->type < PERFCHECK_TEXT;
    wanted->number = field->number;
    pc_buffer_init(wanted->text);
    pc_put(wanted->text, field->value);
    return 1;
}

static int find(perfcheck_t *pc, struct wanted *wanted)
{
    struct look look = { .callback = match, .ctx = wanted };
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!wanted->path)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no field is named");
    wanted->text = &pc->text;
    int status = walk(pc, &look);
    if (status == PERFCHECK_STOPPED)
        return pc_handle_good(pc);
    return status == PERFCHECK_OK ? pc_handle_fail(pc, PERFCHECK_NOT_FOUND, "the item has no such field")
                                  : status;
}

int perfcheck_number(perfcheck_t *pc, const char *path, uint64_t *number)
{
    struct wanted wanted = { .path = path };
    int status = find(pc, &wanted);
    if (status != PERFCHECK_OK)
        return status;
    if (!wanted.is_number)
        return pc_handle_fail(pc, PERFCHECK_NOT_FOUND, "the field is no number");
    if (!number)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "there is no place for the number");
    *number = wanted.number;
    return PERFCHECK_OK;
}

const char *perfcheck_text(perfcheck_t *pc, const char *path)
{
    struct wanted wanted = { .path = path };
    return find(pc, &wanted) == PERFCHECK_OK ? pc->text.text : NULL;
}
