/* SPDX-License-Identifier: MIT
 *
 * Makes findings.
 */
#include "report/diag.h"

struct pc_finding pc_finding_in(const struct pc_context *structure, enum pc_diag id, uint64_t at,
                                uint64_t length)
{
    return (struct pc_finding){
        .id = id,
        .place = structure->place,
        .number = structure->number,
        .subject = structure->subject,
        .where = structure->where,
        .offset = structure->offset + (structure->as_whole != 0 ? 0 : at),
        .length = structure->as_whole != 0 ? structure->as_whole : length,
        .path[0] = { structure->name, PC_NO_INDEX },
        .depth = structure->name != NULL,
    };
}

void pc_report_say(struct pc_report *report, const struct pc_context *structure, enum pc_diag id, uint64_t at,
                   uint64_t length, struct pc_value seen, struct pc_value expected)
{
    struct pc_finding f = pc_finding_in(structure, id, at, length);
    f.seen = seen;
    f.expected = expected;
    pc_report_add(report, &f);
}
