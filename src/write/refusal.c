/* SPDX-License-Identifier: MIT
 *
 * What cannot be carried over into a copy: refused, or left out when the user agreed by --drop.
 */
#include "write/content_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void pc_content_no_memory(struct pc_content *c)
{
    if (c->scan->report.by_id[PC_D_OUT_OF_MEMORY] != 0)
        return;
    const struct pc_context end = { .place = PC_AT_END };
    pc_report_say(&c->scan->report, &end, PC_D_OUT_OF_MEMORY, 0, 0, NULL, (struct pc_value){ 0 },
                  pc_text_value("a copy was made"));
}

bool pc_content_grow(struct pc_content *c, void *array, size_t *cap, size_t needed, size_t size)
{
    bool grown = pc_grow(c->mem, array, cap, needed, size);
    if (!grown)
        pc_content_no_memory(c);
    return grown;
}

static void count_loss(struct pc_content *c, const char *name, uint64_t offset)
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
    loss->offset = offset;
}

bool pc_content_refuse(struct pc_content *c, struct pc_finding *f, const char *option)
{
    for (size_t i = 0; option && c->drops && i < c->drops->nr; i++) {
        if (strcmp(c->drops->name[i], option) == 0) {
            count_loss(c, option, f->offset);
            return true;
        }
    }
    if (option)
        f->expected = pc_bytes_value((struct pc_span){ (const unsigned char *)option, strlen(option) });
    c->refusals++;
    pc_report_add(&c->scan->report, f);
    return false;
}

void pc_content_name_record(uint32_t type, char *name, size_t size)
{
    const struct pc_record_info *info = pc_record_info(type);
    if (info)
        snprintf(name, size, "record:%s", info->name);
    else
        snprintf(name, size, "record:TYPE_%" PRIu32, type);
}

void pc_content_name_feature(uint64_t bit, char *name, size_t size)
{
    const struct pc_feature_info *info = pc_feature_info(bit);
    if (info)
        snprintf(name, size, "feature:%s", info->name);
    else
        snprintf(name, size, "feature:BIT_%" PRIu64, bit);
}

bool pc_content_refuse_record(struct pc_content *c, const struct pc_item *item, const struct pc_refusal *o)
{
    char option[64];
    const struct pc_context record = pc_item_context(item);
    struct pc_finding f = pc_finding_in(&record, PC_D_REWRITE_RECORD, o->at, o->len);
    f.seen = pc_text_value(o->reason);
    pc_content_name_record(item->type, option, sizeof(option));
    return pc_content_refuse(c, &f, option);
}
