/* SPDX-License-Identifier: MIT
 *
 * Causes that damage what says where all else is: bytes were lost in the header or the attrs, or lost,
 * inserted or overwritten in the feature table.
 */
#include "check/cause.h"
#include "check/shift.h"
#include "read/plausible.h"

/* Records in a row show where they begin. */
#define CHAIN 4
/* Headers that are looked at for records before the data. */
#define LOOKS_MAX 65536
/* Entries of a table that follow each other show where it goes on; it may be so many bytes further on. */
#define ENTRIES_MIN 3
#define ADDED_MAX   4096

static struct pc_finding finding(enum pc_diag id, uint64_t at, uint64_t length, struct pc_value seen)
{
    const struct pc_context here = { .place = PC_AT_END, .offset = at };
    struct pc_finding f = pc_finding_in(&here, id, 0, length);
    f.seen = seen;
    f.expected = pc_none;
    return f;
}

/* --- the place --- */

void pc_cause_say_moved(struct pc_cause *cause, uint64_t at, uint64_t moved)
{
    bool lost = moved < UINT64_MAX / 2;
    cause->finding =
        finding(lost ? PC_D_BYTES_LOST : PC_D_BYTES_ADDED, at, 0, pc_uint_value(lost ? moved : 0 - moved));
    cause->reach.from = at;
    cause->reach.features = true;
}

/* Errors of records whose frames or texts are wrong, although another record follows. */
static const enum pc_diag of_frames[] = {
    PC_D_RECORD_SMALL,    PC_D_RECORD_UNALIGNED, PC_D_TYPE_KERNEL_UNKNOWN,
    PC_D_TYPE_IMPOSSIBLE, PC_D_FIELD_CUT,        PC_D_STRING_SWALLOWS,
};

/* Where the first damage of attrs, or of the frame of a record, is. Sections of ids overlap what a table that
 * was moved seems to say, and are sound. */
static uint64_t first_damage(const struct pc_report *report, enum pc_place place)
{
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < report->nr_early; i++) {
        const struct pc_early *e = &report->early[i];
        bool damages = place == PC_IN_ATTR ? e->id != PC_D_SECTIONS_OVERLAP
                                           : pc_diag_is_one_of(e->id, of_frames, PC_COUNT_OF(of_frames));
        if (e->place == place && damages && e->offset < first)
            first = e->offset;
    }
    return first;
}

/* Where the first record that does not follow another one is, or a record ends before its size says so. Other
 * errors tell nothing where the attrs are behind the data, and are other bytes now. */
static uint64_t record_damage(const struct pc_scan *scan)
{
    const struct pc_damage *damage = &scan->reader.damage;
    uint64_t first = first_damage(&scan->report, PC_IN_RECORD), at = damage->offset - damage->swallowed;
    if (damage->end != 0 && (damage->id == PC_D_RECORD_SWALLOWS || damage->offset == damage->before))
        at = damage->end;
    if (damage->any && scan->capture.nr_attrs != 0 && pc_attrs_are_behind(&scan->capture))
        return at;
    return damage->any && at < first ? at : first;
}

/* The table ends the records that are read, so damage there says no more than that it was moved. */
void pc_cause_place_moved(struct pc_scan *scan, struct pc_cause *cause, uint64_t table, uint64_t moved)
{
    const struct pc_damage *damage = &scan->reader.damage;
    if (pc_cause_in_line_feeds(scan, cause, table, moved))
        return;
    /* Attrs behind the data moved, too: what is read as one of them is none. */
    const bool behind = pc_attrs_are_behind(&scan->capture);
    uint64_t attr = behind ? UINT64_MAX : first_damage(&scan->report, PC_IN_ATTR),
             records = record_damage(scan);
    pc_cause_say_moved(cause, attr < records ? attr : records < table ? records : table, moved);
    bool lost = cause->finding.id == PC_D_BYTES_LOST;
    if (lost && cause->finding.offset == table) {
        cause->finding.id = PC_D_RECORDS_LOST;
        cause->reach.from = pc_header_get(&scan->capture, PC_HEAD_DATA_OFFSET);
    } else if (lost && damage->second != 0 && damage->second < table) {
        cause->finding.id = PC_D_BYTES_LOST_TWICE;
        cause->finding.expected = pc_hex_value(damage->second);
    }
    if (attr >= records && records < table)
        cause->reach.from = damage->before;
}

/* --- the header and the attrs --- */

/* Whether a record of a known type begins at a place; *at: where the next one does. *looks: headers that were
 * looked at. */
static bool pass_record(struct pc_scan *scan, uint64_t *at, unsigned *looks)
{
    unsigned char head[PC_RECORD_HEADER_SIZE];
    if (++*looks > LOOKS_MAX || pc_reader_look(&scan->reader, *at, head, sizeof(head)) != sizeof(head) ||
        !pc_may_follow(head, scan->capture.order))
        return false;
    struct pc_record_head record = pc_load_head(head, scan->capture.order);
    *at += record.size;
    return pc_record_info(record.type);
}

/* So many records follow each other from a place up to the data and on; 0: they do not. */
static uint64_t count_early(struct pc_scan *scan, uint64_t at, uint64_t data, unsigned *looks)
{
    uint64_t early = 0;
    bool reached = false;
    for (uint64_t nr = 0; nr < CHAIN || !reached; nr++) {
        reached = at >= data;
        if (!pass_record(scan, &at, looks))
            return 0;
        early += !reached;
    }
    return early;
}

/* So many records lead from a place to another one; 0: they do not. */
static uint64_t count_late(struct pc_scan *scan, uint64_t at, uint64_t end, unsigned *looks)
{
    uint64_t nr = 0;
    while (at < end && pass_record(scan, &at, looks))
        nr++;
    return at == end ? nr : 0;
}

/* Bytes before the data that are records now: those after the loss came to where attrs were, as many bytes
 * earlier. */
static void say_early_records(struct pc_scan *scan, const struct pc_shift *shift, uint64_t data)
{
    uint64_t at = data > shift->at + shift->lost ? data - shift->lost : shift->at, nr;
    for (unsigned looks = 0; at < data && looks < LOOKS_MAX; at++) {
        if ((nr = count_early(scan, at, data, &looks)) == 0)
            continue;
        struct pc_finding f = finding(PC_D_RECORDS_EARLY, at, data - at, pc_uint_value(nr));
        f.expected = pc_uint_value(data - at);
        pc_report_add(&scan->report, &f);
        return;
    }
}

void pc_cause_say_late_records(struct pc_scan *scan, const struct pc_cause *cause)
{
    const struct pc_capture *capture = &scan->capture;
    uint64_t data = pc_add_saturated(pc_header_get(capture, PC_HEAD_DATA_OFFSET),
                                     pc_header_get(capture, PC_HEAD_DATA_SIZE));
    uint64_t end = pc_add_saturated(data, cause->finding.seen.n), nr = 0;
    unsigned looks = 0;
    if (capture->is_pipe || scan->reader.file.moved != 0)
        return; /* then they were read */
    for (uint64_t at = data; at < end && nr == 0 && looks < LOOKS_MAX; at++) {
        if ((nr = count_late(scan, at, end, &looks)) == 0)
            continue;
        struct pc_finding f = finding(PC_D_RECORDS_LATE, at, end - at, pc_uint_value(nr));
        f.expected = pc_uint_value(end - at);
        pc_report_add(&scan->report, &f);
    }
}

bool pc_cause_in_shift(struct pc_scan *scan, struct pc_cause *cause)
{
    struct pc_shift shift;
    if (!scan->recognised || scan->capture.is_pipe || scan->report.early_stream != 0 ||
        !pc_find_shift(scan->reader.in, &shift))
        return false;
    if (shift.at >= PC_FILE_HEADER_SIZE) { /* the sections tell the rest */
        if (shift.lost != 0)
            say_early_records(scan, &shift, pc_header_get(&scan->capture, PC_HEAD_DATA_OFFSET));
        return false;
    }
    pc_cause_say_moved(cause, shift.at, shift.lost - shift.added);
    cause->reach.all = true;
    return true;
}

/* --- the feature table --- */

struct table {
    uint64_t at, file;
    enum pc_order order;
    unsigned char bytes[PC_TABLE_MAX + ADDED_MAX];
    size_t len, slots;
};

/* Where the section of the entry in these bytes begins, and where it ends. */
static uint64_t begin_of(const struct table *t, size_t at)
{
    return pc_load(t->bytes + at, 8, t->order);
}

static uint64_t end_of(const struct table *t, size_t at)
{
    return pc_add_saturated(begin_of(t, at), pc_load(t->bytes + at + 8, 8, t->order));
}

/* Where the first section behind the table begins; 0: nowhere. */
static uint64_t first_section(const struct table *t)
{
    const uint64_t least = t->at + t->slots * PC_SECTION_SIZE;
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < t->slots; i++) {
        uint64_t begin = begin_of(t, i * PC_SECTION_SIZE);
        first = begin >= least && begin < first ? begin : first;
    }
    return first - least <= PC_TABLE_MAX ? first : 0;
}

/* The entry of a section that begins at `due`, one of no bytes first; `slots`: there is none but those
 * passed.
 */
static size_t find_section(const struct table *t, const bool *passed, uint64_t due)
{
    size_t found = t->slots;
    for (size_t i = 0; i < t->slots; i++) {
        const size_t at = i * PC_SECTION_SIZE;
        if (!passed[i] && begin_of(t, at) == due && (found == t->slots || end_of(t, at) == due))
            found = i;
    }
    return found;
}

/* How many sections follow each other behind the table; *broken: the first entry of the others, or `slots`.
 * simpleperf does not write them in the order of the table. */
static uint64_t count_in_row(const struct table *t, size_t *broken)
{
    bool passed[PC_FEATURE_BITS] = { false };
    uint64_t due = first_section(t), nr = 0;
    for (size_t i = due != 0 ? find_section(t, passed, due) : t->slots; i < t->slots;
         i = find_section(t, passed, due)) {
        due = end_of(t, i * PC_SECTION_SIZE);
        passed[i] = true;
        nr++;
    }
    for (*broken = 0; *broken < t->slots && passed[*broken];)
        ++*broken;
    return nr;
}

/* How far the rest of the table was moved towards the beginning, modulo 2^64, when all of its entries from
 * some place on follow each other up to the end of the file; 0: they do not. */
static uint64_t moved_rest(const struct table *t, size_t broken)
{
    for (size_t at = broken * PC_SECTION_SIZE; at + PC_SECTION_SIZE <= t->len; at++) {
        uint64_t nr = 1, end = end_of(t, at);
        size_t next = at + PC_SECTION_SIZE;
        for (; next + PC_SECTION_SIZE <= t->len && begin_of(t, next) == end; next += PC_SECTION_SIZE) {
            end = end_of(t, next);
            nr++;
        }
        if (nr >= ENTRIES_MIN && nr <= t->slots && next + (end - t->file) == t->slots * PC_SECTION_SIZE)
            return end - t->file;
    }
    return 0;
}

static bool has_feature_error(const struct pc_report *report)
{
    for (size_t i = 0; i < report->nr_early; i++) {
        if (report->early[i].place == PC_IN_FEATURE)
            return true;
    }
    return false;
}

bool pc_cause_in_table(struct pc_scan *scan, struct pc_cause *cause)
{
    const struct pc_capture *capture = &scan->capture;
    struct table t = { .slots = (size_t)pc_count_features(capture->features),
                       .file = scan->reader.in->size,
                       .order = capture->order };
    const struct pc_damage *damage = &scan->reader.damage;
    t.at = pc_add_saturated(pc_header_get(capture, PC_HEAD_DATA_OFFSET),
                            pc_header_get(capture, PC_HEAD_DATA_SIZE));
    if (capture->is_pipe || scan->report.early_stream != 0 || t.slots < ENTRIES_MIN || t.at >= t.file ||
        !has_feature_error(&scan->report))
        return false;
    t.len = pc_reader_look(&scan->reader, t.at, t.bytes, t.slots * PC_SECTION_SIZE + ADDED_MAX);
    if (t.len < t.slots * PC_SECTION_SIZE)
        return false;
    size_t broken;
    uint64_t nr = count_in_row(&t, &broken), moved;
    if (broken == t.slots)
        return false;
    uint64_t at = t.at + broken * PC_SECTION_SIZE;
    if (broken == 0 && damage->any && damage->offset < at)
        at = damage->offset; /* it began in the last record */
    if ((moved = moved_rest(&t, broken)) == 0)
        cause->finding = finding(PC_D_TABLE_BROKEN, at, 0, pc_uint_value(nr));
    else if (moved < UINT64_MAX / 2)
        cause->finding = finding(PC_D_BYTES_LOST, at, 0, pc_uint_value(moved));
    else
        cause->finding = finding(PC_D_BYTES_ADDED, at, 0, pc_uint_value(0 - moved));
    cause->finding.expected = moved == 0 ? pc_uint_value(t.slots) : pc_none;
    cause->reach.from = at;
    cause->reach.features = true;
    return true;
}
