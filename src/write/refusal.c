/* SPDX-License-Identifier: MIT
 *
 * What cannot be carried over into a copy: refused, or left out when the user agreed by --drop.
 */
#include "write/content_parts.h"
#include "write/salvage.h"

#include <stdio.h>
#include <string.h>

static void count_loss(struct pc_content *c, const char *name, const struct pc_finding *f)
{
    for (size_t i = 0; i < c->nr_losses; i++) {
        if (strcmp(c->loss[i].name, name) == 0) {
            c->loss[i].count++;
            return;
        }
    }
    if (c->nr_losses == PC_LOSSES_MAX) {
        c->more_losses++;
        return;
    }
    struct pc_loss *loss = &c->loss[c->nr_losses++];
    snprintf(loss->name, sizeof(loss->name), "%s", name);
    loss->count = 1;
    loss->offset = f->offset;
    loss->packed_in = f->where.inside ? f->where.wrapper_offset : 0;
}

bool pc_content_refuse(struct pc_content *c, struct pc_finding *f, const char *option)
{
    for (size_t i = 0; option && c->drops && i < c->drops->nr; i++) {
        if (strcmp(c->drops->name[i], option) == 0) {
            count_loss(c, option, f);
            return true;
        }
    }
    if (c->salvage && pc_salvage_leaves_out(c->salvage, f))
        return true;
    if (option)
        f->expected = pc_bytes_value((struct pc_span){ (const unsigned char *)option, strlen(option) });
    c->refusals += !pc_diag_is_for_reader(f->id);
    pc_report_add(&c->scan->report, f);
    return false;
}

bool pc_content_refuse_in(struct pc_content *c, const struct pc_context *structure, enum pc_diag id,
                          uint64_t at, uint64_t len, struct pc_value seen, const char *option)
{
    struct pc_finding f = pc_finding_in(structure, id, at, len);
    f.seen = seen;
    return pc_content_refuse(c, &f, option);
}

void pc_content_refuse_type(struct pc_content *c, uint64_t number, const char *reason)
{
    const struct pc_context attr = { .place = PC_IN_ATTR,
                                     .number = number,
                                     .offset = c->scan->capture.attr[number].offset };
    pc_content_refuse_in(c, &attr, PC_D_REWRITE_ATTR, pc_row_at(pc_attr_fields, PC_ATTR_TYPE), 4,
                         pc_text_value(reason), NULL);
}

bool pc_content_refuse_record(struct pc_content *c, const struct pc_item *item, uint64_t at, uint64_t len,
                              const char *reason)
{
    char option[64];
    const struct pc_context record = pc_item_context(item);
    pc_content_name_record(item->type, option, sizeof(option));
    return pc_content_refuse_in(c, &record, PC_D_REWRITE_RECORD, at, len, pc_text_value(reason), option);
}

uint64_t pc_content_losses(const struct pc_content *c, const char *name)
{
    for (size_t i = 0; i < c->nr_losses; i++) {
        if (strcmp(c->loss[i].name, name) == 0)
            return c->loss[i].count;
    }
    return 0;
}
