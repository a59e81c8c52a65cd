/* SPDX-License-Identifier: MIT
 *
 * Causes that change a whole capture: it was transferred as text.
 */
#include "check/cause.h"

#define CHUNK 8192

/* So many line feeds, or characters of UTF-8, are no accident. */
#define FEW 4

static bool say(const struct pc_scan *scan, struct pc_cause *cause, enum pc_diag id, struct pc_value seen)
{
    static const struct pc_context capture = { .place = PC_AT_END };
    cause->finding = pc_finding_in(&capture, id, 0, 0);
    cause->finding.seen = seen;
    cause->finding.expected = pc_none;
    cause->reach.all = scan->report.early_stream == 0;
    return true;
}

/* --- signs in the bytes --- */

static uint64_t feeds(const struct pc_signs *s)
{
    return s->count['\n'];
}

static bool has_line_ends(const struct pc_signs *s)
{
    return feeds(s) >= FEW && s->returned == feeds(s);
}

static bool is_utf_8(const struct pc_signs *s)
{
    return !s->not_utf_8 && s->sequences >= FEW;
}

/* Of the first bytes; of all, when those look like text. */
static struct pc_signs signs_of(struct pc_scan *scan)
{
    unsigned char chunk[CHUNK];
    struct pc_signs signs = { 0 };
    uint64_t at = scan->report.early_stream == 0 ? PC_PIPE_HEADER_SIZE : 0;
    if (scan->reader.in->kind != PC_INPUT_FILE)
        return scan->reader.signs;
    while (signs.bytes < PC_SIGNS_MAX || has_line_ends(&signs) || is_utf_8(&signs)) {
        size_t got = pc_reader_look(&scan->reader, at, chunk, CHUNK);
        pc_signs_add(&signs, (struct pc_span){ chunk, got }, UINT64_MAX);
        at += got;
        if (got < CHUNK)
            break;
    }
    return signs;
}

/* --- characters that are gone --- */

/* No byte has this value, of at least so many that are not 0; instead there is another one, or nothing. Any
 * capture has bytes 0, and any but that of perf stat records of the types 9 and 10. One of simpleperf may be
 * cut in the text of its symbols, before all samples. */
static const struct {
    unsigned char gone, instead;
    uint64_t least;
    const char *what;
} changes[] = {
    { 0, 0, 512, "no byte is 0: all of these were left out" },
    { '\n', '\r', 2048, "no line feed is left: each became a carriage return" },
    { '\t', ' ', 2048, "no tab is left: each became blanks" },
};

/* So many pairs of a carriage return and a line feed are there by chance, where each of the two is by chance.
 */
#define PAIRS_EXPECTED 100

/* So many carriage returns there are by chance, unless none is left. */
#define RETURNS_EXPECTED 10

/* How often a value is there that has no meaning of its own: the median of those that are no character of
 * ASCII. Times and addresses have all of them. */
static uint64_t by_chance(const struct pc_signs *s)
{
    enum { FIRST = 0x80, VALUES = 0x80 };
    uint64_t median = 0;
    for (unsigned i = 0; i < VALUES; i++) {
        unsigned less = 0;
        for (unsigned k = 0; k < VALUES; k++)
            less += s->count[FIRST + k] < s->count[FIRST + i];
        if (less <= VALUES / 2 && s->count[FIRST + i] > median)
            median = s->count[FIRST + i];
    }
    return median;
}

/* Whether there are records of the kernel, or such that hold them. Before the first of them, lists of ids may
 * lack any value, however long they are: all may be odd. */
static bool has_content(const struct pc_scan *scan)
{
    const uint64_t *records = scan->check.flow.sum.by_type;
    uint64_t found = records[PC_COMPRESSED] + records[PC_COMPRESSED2];
    for (unsigned type = 0; type < PC_USER_TYPES; type++)
        found += records[type];
    return found != 0;
}

static const char returns_left_out[] =
    "no carriage return is before a line feed: these were probably left out";

/* Whether each place of damage in a stream lacks bytes, no more than it has line feeds. */
static bool is_short_at_feeds(const struct pc_scan *scan)
{
    const uint64_t least = 3; /* places of damage of another kind may look like it */
    const struct pc_damage *d = &scan->reader.damage;
    return scan->capture.is_pipe && d->feed_places >= least && d->feed_places + 1 == d->places;
}

bool pc_cause_in_line_feeds(struct pc_scan *scan, struct pc_cause *cause, uint64_t table, uint64_t missing)
{
    const uint64_t least = 3;
    const struct pc_damage *d = &scan->reader.damage;
    /* A table that was found where it is ends the last place. */
    const uint64_t lost = scan->reader.file.moved != 0 ? pc_damage_feeds(d, table) : 0;
    if (d->feed_places + (lost != 0) < 2 || missing < least || d->missing + lost != missing)
        return false;
    struct pc_signs s = signs_of(scan);
    return s.returned == 0 && say(scan, cause, PC_D_TEXT_CHANGED, pc_text_value(returns_left_out));
}

/* Whether the sections of a file are where its header and its feature table say, to the end of the last one:
 * no byte before them was left out. What DEBUG_UNWIND_FILE of simpleperf holds may lack any pair. */
static bool is_in_place(const struct pc_scan *scan)
{
    const struct pc_report *report = &scan->report;
    if (scan->reader.file.table_size == 0 || scan->reader.file.moved != 0 || report->early_stream != 0 ||
        pc_report_has_feature_error(report))
        return false;
    for (size_t k = 0; k < report->nr_early; k++) {
        if (report->early[k].place == PC_IN_HEADER)
            return false;
    }
    return true;
}

static bool lacks_character(const struct pc_scan *scan, const struct pc_signs *s, struct pc_cause *cause)
{
    const uint64_t *records = scan->check.flow.sum.by_type;
    bool may_lack = (records[PC_STAT] | records[PC_STAT_CONFIG] | records[PC_STAT_ROUND]) != 0 ||
                    scan->capture.by_simpleperf;
    const bool content = has_content(scan);
    const char *what = NULL;
    for (size_t i = 0; i < PC_COUNT_OF(changes) && !what; i++) {
        unsigned char gone = changes[i].gone, instead = changes[i].instead;
        if (s->count[gone] == 0 && s->bytes - s->count[0] >= changes[i].least &&
            (instead == gone || (content && !may_lack && s->count[instead] / 2 >= FEW)))
            what = changes[i].what;
    }
    if (!what && content && s->count['\r'] == 0 && feeds(s) >= FEW && by_chance(s) >= RETURNS_EXPECTED)
        what = "no carriage return is left: each was left out, or became a line feed";
    if (!what && s->returned == 0 && s->bytes != 0 && !is_in_place(scan) &&
        (s->count['\r'] * feeds(s) / s->bytes >= PAIRS_EXPECTED || is_short_at_feeds(scan)))
        what = returns_left_out;
    return what && say(scan, cause, PC_D_TEXT_CHANGED, pc_text_value(what));
}

/* Whether what says how long attrs are lost its highest bit, or is none of the sizes of old attrs, which
 * alone do not have it. */
static bool are_attrs_stripped(const struct pc_scan *scan)
{
    const uint64_t high = 0x80, first_record = 256;
    if (scan->report.early_stream != 0)
        return false;
    if (scan->capture.is_pipe)
        return scan->report.early[0].offset < first_record;
    uint64_t entry = pc_header_get(&scan->capture, PC_HEAD_ATTR_SIZE);
    return entry < PC_SECTION_SIZE || entry >= high || !pc_attr_size_known(entry - PC_SECTION_SIZE) ||
           pc_attr_size_known(entry + high - PC_SECTION_SIZE);
}

static bool is_7_bit(const struct pc_scan *scan, const struct pc_signs *s)
{
    const uint64_t least = 512;
    uint64_t high = 0;
    for (unsigned byte = 0x80; byte <= UINT8_MAX; byte++)
        high += s->count[byte];
    return high == 0 && s->bytes >= least && scan->recognised && are_attrs_stripped(scan);
}

bool pc_cause_in_transfer(struct pc_scan *scan, struct pc_cause *cause)
{
    struct pc_signs s = signs_of(scan);
    if (has_line_ends(&s))
        return say(scan, cause, PC_D_TEXT_LINES, pc_uint_value(feeds(&s)));
    if (is_utf_8(&s))
        return say(scan, cause, s.not_latin == 0 ? PC_D_TEXT_LATIN : PC_D_TEXT_UTF_8,
                   pc_uint_value(s.sequences));
    if (lacks_character(scan, &s, cause))
        return true;
    return is_7_bit(scan, &s) && say(scan, cause, PC_D_TEXT_7_BIT, pc_uint_value(s.bytes));
}
