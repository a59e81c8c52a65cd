/* SPDX-License-Identifier: MIT
 *
 * What the model found, as lines.
 */
#include "parts.h"

static void print_place(const struct model *m, FILE *out, uint32_t member, int64_t wrapper)
{
    fprintf(out, "%s", m->members[member].name);
    if (wrapper >= 0)
        fprintf(out, "/records[%lld]", (long long)wrapper);
}

void model_print(const struct model *m, FILE *out)
{
    static const char *const verdicts[] = { "accept", "reject", "limit" };
    static const char *const kinds[] = { "header", "attr", "feature", "record", "payload" };
    static const char leaf_kinds[] = "uibxth";

    fprintf(out, "verdict %s", verdicts[model_verdict(m)]);
    if (m->fault_count)
        fprintf(out, " %u %llu", m->faults[0].condition, (unsigned long long)m->faults[0].offset);
    fprintf(out, "\nsums %llu %llu %llu %llu\n", (unsigned long long)m->sums.first_time,
            (unsigned long long)m->sums.last_time, (unsigned long long)m->sums.lost_events,
            (unsigned long long)m->sums.lost_samples);
    for (size_t i = 0; i < m->fault_count; i++) {
        const struct model_fault *f = &m->faults[i];
        fprintf(out, "fault %u ", f->condition);
        print_place(m, out, f->member, f->wrapper);
        fprintf(out, " %llu\n", (unsigned long long)f->offset);
    }
    for (unsigned i = 0; i < CONDITIONS; i++)
        if (m->warned[i])
            fprintf(out, "warning %u\n", i);
    for (size_t i = 0; i < m->part_count; i++) {
        const struct model_part *part = &m->parts[i];
        fprintf(out, "%s ", kinds[part->kind]);
        print_place(m, out, part->member, part->wrapper);
        fprintf(out, " %llu %lu %u %llu %llu %s\n", (unsigned long long)part->offset,
                (unsigned long)part->type, part->misc, (unsigned long long)part->size,
                (unsigned long long)part->number, part->faulty ? "faulty" : "sound");
        for (size_t k = part->first_leaf; k < part->first_leaf + part->leaves; k++) {
            const struct model_leaf *leaf = &m->leaves[k];
            fprintf(out, " %c %llu %llu ", leaf_kinds[leaf->kind], (unsigned long long)leaf->offset,
                    (unsigned long long)leaf->size);
            if (leaf->kind < MODEL_BYTES) {
                fprintf(out, "%llu\n", (unsigned long long)leaf->value);
                continue;
            }
            size_t len;
            const unsigned char *p = model_leaf_bytes(m, leaf, &len);
            for (size_t n = 0; n < len; n++)
                fprintf(out, "%02x", p[n]);
            fprintf(out, "\n");
        }
    }
}
