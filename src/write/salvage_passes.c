/* SPDX-License-Identifier: MIT
 *
 * How many passes over a capture a salvage makes, for what is left out of a copy may be what a later record
 * needs. A pass that leaves nothing more out is followed by one over its copy.
 */
#include "write/salvage_parts.h"

/* So many passes look for records inside of others; those after them settle the copy: they only leave out
 * more. */
#define LOOKING_MAX  16
#define SETTLING_MAX 8

/* A large capture and its copies are read so many times, whatever is damaged. About half is for passes that
 * settle. */
static uint64_t most_read(const struct pc_salvage *s)
{
    const uint64_t times = 12, slack = (uint64_t)2 << 20;
    return times * s->once + slack;
}

static bool must_settle(const struct pc_salvage *s)
{
    const uint64_t times = 40, slack = (uint64_t)4 << 20;
    return s->passes >= LOOKING_MAX || s->work / times > s->in.size + slack / times ||
           s->read >= most_read(s) / 2;
}

void pc_salvage_begin_pass(struct pc_salvage *s)
{
    s->settling += must_settle(s);
    s->passes++;
}

void pc_salvage_end_pass(struct pc_salvage *s)
{
    const struct pc_scan *scan = s->content->scan;
    s->work += scan->reader.work;
    s->once = pc_add_saturated(pc_scan_size(scan), scan->check.flow.sum.compressed_out);
    s->read += s->once;
}

uint64_t pc_salvage_passes_left(const struct pc_salvage *s)
{
    const uint64_t looking = s->settling == 0 ? LOOKING_MAX - s->passes : 0;
    const uint64_t most = looking + SETTLING_MAX - s->settling, each = 2 * s->once; /* with that of a copy */
    const uint64_t rest = s->read < most_read(s) ? most_read(s) - s->read : 0;
    return each != 0 && rest / each < most ? rest / each : most;
}

bool pc_salvage_is_unsettled(const struct pc_salvage *s)
{
    return s->again && !s->hopeless;
}

bool pc_salvage_again(const struct pc_salvage *s)
{
    return pc_salvage_is_unsettled(s) && pc_salvage_passes_left(s) != 0;
}
