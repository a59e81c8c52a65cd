/* SPDX-License-Identifier: MIT */
#include "check/check.h"

#include <stdlib.h>

static void say_full(struct pc_check *check, struct pc_keys *keys, uint64_t offset)
{
    if (keys->full)
        return;
    const struct pc_context end = { .place = PC_AT_END, .where = check->at.where, .offset = offset };
    pc_report_say(check->report, &end, PC_D_LIMIT_STATE, 0, 0,
                  check->at.subject ? check->at.subject : "entries", (struct pc_value){ 0 },
                  pc_uint_value(keys->nr));
    keys->full = true;
}

void pc_keys_add(struct pc_check *check, struct pc_keys *keys, uint64_t value, uint64_t offset)
{
    if (keys->nr == PC_KEYS_MAX ||
        !pc_grow(check->mem, &keys->key, &keys->cap, keys->nr + 1, sizeof(*keys->key))) {
        say_full(check, keys, offset);
        return;
    }
    keys->key[keys->nr++] = (struct pc_key){ value, offset };
}

static int compare_keys(const void *a, const void *b)
{
    const struct pc_key *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

void pc_keys_sort(struct pc_keys *keys)
{
    if (keys->nr > 1)
        qsort(keys->key, keys->nr, sizeof(*keys->key), compare_keys);
}

struct pc_key *pc_keys_find(struct pc_keys *keys, uint64_t value)
{
    size_t low = 0, high = keys->nr;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys->key[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < keys->nr && keys->key[low].value == value ? &keys->key[low] : NULL;
}

void pc_keys_report_duplicates(struct pc_check *check, struct pc_keys *keys, enum pc_diag id, uint64_t width)
{
    pc_keys_sort(keys);
    for (size_t i = 1; i < keys->nr; i++) {
        if (keys->key[i].value != keys->key[i - 1].value)
            continue;
        struct pc_finding f = pc_check_finding(check, id, 0, width);
        f.offset = keys->key[i].offset;
        pc_finding_name(&f, "number");
        f.seen = pc_uint_value(keys->key[i].value);
        f.expected = pc_text_value("once only");
        pc_report_add(check->report, &f);
    }
}
