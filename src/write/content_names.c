/* SPDX-License-Identifier: MIT
 *
 * Names of events as META_INFO of simpleperf has them, which become EVENT_DESC in a copy for perf. Its pair
 * event_type_info has a line for each event that was asked for: name, type and config, with commas.
 */
#include "write/content_parts.h"
#include "bytes/cursor.h"

#include <string.h>

struct line {
    const char *name;
    size_t len;
    uint64_t type, config;
};

static bool read_number(const char *from, const char *end, uint64_t *n)
{
    *n = 0;
    for (const char *p = from; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (*p < '0' || *p > '9' || !pc_mul(*n, 10, n) || !pc_add(*n, digit, n))
            return false;
    }
    return from < end;
}

/* The comma before `end`; NULL: there is none. */
static const char *comma_before(const char *from, const char *end)
{
    while (end > from && end[-1] != ',')
        end--;
    return end > from ? end - 1 : NULL;
}

/* Takes the next line, which then is before *at. False: there is none, or it is no such line. */
static bool next_line(const char **at, struct line *line)
{
    const char *from = *at, *end = from + strcspn(from, "\n");
    const char *config = comma_before(from, end), *type = config ? comma_before(from, config) : NULL;
    *at = end + (*end == '\n');
    if (!type || type == from)
        return false;
    *line = (struct line){ .name = from, .len = (size_t)(type - from) };
    return read_number(type + 1, config, &line->type) && read_number(config + 1, end, &line->config);
}

/* The line of an event: with its type and config; for a PMU of its own with its type, since simpleperf sets
 * such a config later. */
static bool find_line(const struct pc_content *c, const struct pc_attr *attr, struct line *found)
{
    uint64_t type = pc_attr_get(attr, PC_ATTR_TYPE), config = pc_attr_get(attr, PC_ATTR_CONFIG);
    struct line line;
    bool any = false;
    for (const char *at = c->event_lines; *at;) {
        if (!next_line(&at, &line))
            return false;
        if (line.type == type && (line.config == config || (!any && type >= PC_TYPE_DYNAMIC))) {
            *found = line;
            any = true;
            if (line.config == config)
                break;
        }
    }
    return any && found->len < PC_EVENT_TYPE_NAME;
}

bool pc_take_event_lines(struct pc_content *c)
{
    const struct pc_capture *capture = &c->scan->capture;
    struct line line;
    c->nr_types = 0;
    for (size_t i = 0; c->event_lines && i < capture->nr_attrs; i++) {
        if (!find_line(c, &capture->attr[i], &line))
            return false;
        pc_fold_type(c, pc_attr_get(&capture->attr[i], PC_ATTR_CONFIG),
                     (struct pc_span){ (const unsigned char *)line.name, line.len });
    }
    return c->nr_types != 0;
}
