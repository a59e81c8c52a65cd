/* SPDX-License-Identifier: MIT
 *
 * The public interface: items, and the findings of each.
 */
#include "lib/handle.h"

#include "read/event_name.h"

#include <string.h>

/* --- findings of an item --- */

/* A finding about bytes that were passed over, or about an item that came before. */
static bool is_passed(const struct pc_item *item, const struct pc_finding *f)
{
    return !pc_item_has(item, f) && !pc_item_is_before(item, f);
}

/* Tells those that are held and due by the item that was read last; NULL: all. */
static void tell_held(perfcheck_t *pc, bool (*is_due)(const struct pc_item *, const struct pc_finding *))
{
    struct pc_item_findings *of = &pc->of_item;
    size_t left = 0;
    for (size_t i = 0; i < of->nr; i++) {
        const struct pc_finding *f = &of->finding[i];
        if (is_due && !is_due(&pc->at, f))
            of->finding[left++] = *f;
        else
            pc_handle_tell_finding(pc, f, is_due == pc_item_has ? NULL : pc_handle_skipped(pc, f));
    }
    of->nr = left;
}

/* Which of those that are held goes when another one comes: the oldest about bytes that were passed over, or
 * about a section far away. All are about pc->at: as many as there are. */
static size_t find_spare(const perfcheck_t *pc)
{
    const struct pc_item_findings *of = &pc->of_item;
    size_t i = 0;
    while (i < of->nr && pc_item_has(&pc->at, &of->finding[i]))
        i++;
    return i;
}

/* A finding came while the next item is read or, when pc->at is this already, checked. */
static void note_finding(void *ctx, const struct pc_finding *f)
{
    perfcheck_t *pc = ctx;
    struct pc_item_findings *of = &pc->of_item;
    if (of->nr == PC_ITEM_FINDINGS_MAX) {
        const size_t spare = of->more != 0 ? of->nr : find_spare(pc);
        of->more += spare == of->nr;
        if (spare == of->nr)
            return;
        of->nr--;
        memmove(of->finding + spare, of->finding + spare + 1, (of->nr - spare) * sizeof(*f));
    }
    of->finding[of->nr++] = *f;
}

/* Those of the item before are no longer needed. */
static void drop_item_findings(struct pc_item_findings *of)
{
    of->nr -= of->own;
    memmove(of->finding, of->finding + of->own, of->nr * sizeof(*of->finding));
    of->own = 0;
    of->more = 0;
}

/* The item is there: its findings come first, and those that wait for another one stay. */
static void sort_item_findings(struct pc_item_findings *of, const struct pc_item *item)
{
    size_t left = 0;
    for (size_t i = 0; i < of->nr; i++) {
        struct pc_finding f = of->finding[i];
        if (pc_item_has(item, &f)) {
            memmove(of->finding + of->own + 1, of->finding + of->own, (left - of->own) * sizeof(f));
            of->finding[of->own++] = f;
            left++;
        } else if (pc_item_is_before(item, &f)) {
            of->finding[left++] = f;
        }
    }
    of->nr = left;
    if (of->own < PC_ITEM_FINDINGS_MAX) /* they were about the item before */
        of->more = 0;
}

/* A finding came while the next item is read, which may be what it is about. */
static void hold_finding(void *ctx, const struct pc_finding *f)
{
    perfcheck_t *pc = ctx;
    struct pc_item_findings *of = &pc->of_item;
    if (of->nr == PC_ITEM_FINDINGS_MAX)
        tell_held(pc, NULL);
    of->finding[of->nr++] = *f;
}

uint64_t perfcheck_item_findings(const perfcheck_t *pc)
{
    return pc && pc->has_item ? pc->of_item.own + pc->of_item.more : 0;
}

const perfcheck_finding_t *perfcheck_item_finding(perfcheck_t *pc, size_t number)
{
    if (!pc)
        return NULL;
    pc_handle_good(pc);
    return pc->has_item && number < pc->of_item.own ? pc_handle_describe(pc, &pc->of_item.finding[number])
                                                    : NULL;
}

/* --- what an item is --- */

static void forget_event_names(perfcheck_t *pc)
{
    for (size_t i = 0; i < PC_COUNT_OF(pc->named); i++)
        pc->named[i].attr = PC_NO_ATTR;
}

/* Whether the next item can be read. */
static perfcheck_status_t begin(perfcheck_t *pc, const char *doing)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (pc->stage == PC_HANDLE_CLOSED)
        return pc_handle_fail(pc, PERFCHECK_MISUSE, "no capture is open");
    if (pc->stage == PC_HANDLE_OPEN)
        pc_progress_begin(pc->scan.progress, doing);
    if (pc->is_unchecked)
        perfcheck_check_item(pc);
    if (pc->of_item.own != 0)
        drop_item_findings(&pc->of_item);
    return pc_handle_good(pc);
}

/* This status, unless a callback has stopped the work. */
static perfcheck_status_t unless_stopped(perfcheck_t *pc, perfcheck_status_t status)
{
    return pc->progress.stopped ? pc_handle_fail(pc, PERFCHECK_STOPPED, PC_HANDLE_STOPPED) : status;
}

/* All that is left to find is found. */
static perfcheck_status_t end(perfcheck_t *pc)
{
    if (pc->stage < PC_HANDLE_ENDED) {
        pc_scan_end(&pc->scan);
        pc->stage = PC_HANDLE_ENDED;
    }
    return unless_stopped(pc, PERFCHECK_END);
}

/* pc->at is the next item, or there is none. */
static bool take(perfcheck_t *pc, bool is_there)
{
    pc->sound = (struct pc_sound){ .is_known = false };
    pc->is_described = false;
    pc->has_item = is_there && !pc->progress.stopped;
    if (!pc->has_item)
        return false;
    pc->stage = PC_HANDLE_READING;
    if (pc->at.kind != PC_ITEM_RECORD || !pc_is_kernel_type(pc->at.type))
        forget_event_names(pc); /* there may be new ones */
    return true;
}

/* Reads one item into pc->at. */
static perfcheck_status_t advance(perfcheck_t *pc)
{
    perfcheck_status_t status = begin(pc, "checking");
    if (status != PERFCHECK_OK)
        return status;
    pc->in_steps = false;
    pc->scan.report.note = note_finding;
    pc->scan.report.noter = pc;
    bool is_there = pc->stage < PC_HANDLE_ENDED && pc_scan_step(&pc->scan, &pc->at);
    pc->scan.report.note = NULL;
    if (!take(pc, is_there))
        return end(pc);
    if (pc->of_item.nr != 0)
        sort_item_findings(&pc->of_item, &pc->at);
    return PERFCHECK_OK;
}

/* The name of a stream; it is written only when the stream changes. */
static const char *stream_name(perfcheck_t *pc, const struct pc_where *where)
{
    const struct pc_where *last = &pc->item_where;
    if (!where->member && !where->inside)
        return "data";
    if (pc->item_stream.len != 0 && where->member == last->member && where->inside == last->inside &&
        where->wrapper == last->wrapper)
        return pc->item_stream.text;
    pc->item_where = *where;
    pc_buffer_init(&pc->item_stream);
    pc_put_stream(&pc->item_stream, where, !pc->keep_controls);
    return pc->item_stream.text;
}

/* The name of an event, which is written only when it has something to escape. */
static const char *show_event_name(perfcheck_t *pc, uint32_t attr)
{
    const struct pc_capture *capture = &pc->scan.capture;
    char made[PC_LINE_NAME];
    const char *name = pc_known_event_name(capture, &capture->attr[attr], made);
    if (!name)
        return "";
    pc_buffer_init(&pc->event);
    pc_put_escaped(&pc->event, name, !pc->keep_controls);
    return name != made && strcmp(pc->event.text, name) == 0 ? name : pc->event.text;
}

/* The attr of the sample that was read last, or PC_NO_ATTR. */
static uint32_t attr_of_sample(perfcheck_t *pc)
{
    uint32_t attr = pc_handle_sound(pc)->attr;
    if (attr != PC_NO_ATTR)
        return attr;
    struct pc_chosen chosen = pc_capture_choose(&pc->scan.capture, PC_SAMPLE, pc->at.bytes);
    return chosen.choice == PC_CHOSEN ? chosen.attr : PC_NO_ATTR;
}

/* The period of each sample of an attr that is in none of them; 0: it is not known. */
static uint64_t fixed_period(const struct pc_attr *attr)
{
    bool fixed = !(pc_attr_get(attr, PC_ATTR_SAMPLE_TYPE) & PC_S_PERIOD) &&
                 !(pc_attr_get(attr, PC_ATTR_FLAGS) & PC_FLAG_FREQ);
    return fixed ? pc_attr_get(attr, PC_ATTR_PERIOD) : 0;
}

static const char *event_name(perfcheck_t *pc, uint32_t attr)
{
    size_t i = attr % PC_COUNT_OF(pc->named);
    if (pc->named[i].attr == attr && pc->named[i].name != pc->event.text)
        return pc->named[i].name;
    pc->named[i].attr = attr;
    return pc->named[i].name = show_event_name(pc, attr);
}

/* What the item has of the attr of the sample that was read last. */
static __attribute__((noinline)) void describe_event(perfcheck_t *pc)
{
    uint32_t attr = attr_of_sample(pc);
    bool known = attr != PC_NO_ATTR;
    pc->item.event = known ? event_name(pc, attr) : "";
    pc->item.attr = known ? attr : PC_NO_INDEX;
    pc->item.fixed_period = known ? fixed_period(&pc->scan.capture.attr[attr]) : 0;
}

static __attribute__((noinline)) void describe_item(perfcheck_t *pc)
{
    static const perfcheck_kind_t kinds[] = {
        [PC_ITEM_HEADER] = PERFCHECK_HEADER,   [PC_ITEM_ATTR] = PERFCHECK_ATTR,
        [PC_ITEM_FEATURE] = PERFCHECK_FEATURE, [PC_ITEM_RECORD] = PERFCHECK_RECORD,
        [PC_ITEM_PAYLOAD] = PERFCHECK_BYTES,   [PC_ITEM_END] = PERFCHECK_LAST,
    };
    const struct pc_item *at = &pc->at;
    bool record = at->kind == PC_ITEM_RECORD;
    bool sized = at->kind == PC_ITEM_FEATURE || at->kind == PC_ITEM_PAYLOAD;
    const char *name = pc_item_name(&pc->scan.capture, at, pc->item_name);
    pc->item = (perfcheck_item_t){
        .kind = kinds[at->kind],
        .type = at->type,
        .misc = at->misc,
        .number = at->number,
        .name = name ? name : "",
        .stream = stream_name(pc, &at->where),
        .offset = at->offset,
        .size = sized ? at->size : at->bytes.len,
        .bytes = at->bytes.ptr,
        .nr_bytes = at->bytes.len,
        .event = "",
        .attr = PC_NO_INDEX,
    };
    if (record && at->type == PC_SAMPLE)
        describe_event(pc);
    pc->is_described = true;
}

/* The same, when the record right before was a sample of this stream, too. */
static void describe_next_sample(perfcheck_t *pc)
{
    const struct pc_item *at = &pc->at;
    pc->item.misc = at->misc;
    pc->item.number++;
    pc->item.offset += pc->item.size; /* not read from *at, where it was written right before: that is slow */
    pc->item.size = pc->item.nr_bytes = at->bytes.len;
    pc->item.bytes = at->bytes.ptr;
    if (!pc->sound.is_known)
        describe_event(pc);
}

/* The sample that was read last was judged ahead, as the one before: it may be of another attr. */
static __attribute__((noinline)) void compare_attr(perfcheck_t *pc)
{
    if (pc->sound.attr != pc_judge_attr(&pc->scan.check.judge, pc->at.bytes))
        pc->sound = (struct pc_sound){ .is_known = false };
}

/* Reads a sample that was judged ahead into pc->at. False: it is for `advance` to read. */
static bool take_ahead(perfcheck_t *pc)
{
    if (pc->scan.ahead == 0 || pc->stage != PC_HANDLE_READING || pc->of_item.own != 0)
        return false;
    pc_handle_good(pc);
    pc_scan_step(&pc->scan, &pc->at);
    pc->is_described = pc->is_described && pc->scan.follows;
    if (!pc->scan.follows)
        pc->sound = (struct pc_sound){ .is_known = false };
    else if (pc->scan.capture.nr_attrs != 1)
        compare_attr(pc);
    return true;
}

const char *perfcheck_misc_names(perfcheck_t *pc)
{
    if (!pc)
        return "";
    bool is_record = pc->has_item && pc->at.kind == PC_ITEM_RECORD;
    const struct pc_record_info *info = is_record ? pc_item_info(&pc->at) : NULL;
    pc_handle_good(pc);
    pc_buffer_init(&pc->text);
    if (info)
        pc_put_misc(&pc->text, info, pc->at.misc);
    return pc->text.text;
}

/* --- reading --- */

perfcheck_status_t perfcheck_next(perfcheck_t *pc, const perfcheck_item_t **item)
{
    if (item)
        *item = NULL;
    if (!pc)
        return PERFCHECK_MISUSE;
    perfcheck_status_t status = take_ahead(pc) ? PERFCHECK_OK : advance(pc);
    if (status != PERFCHECK_OK)
        return status;
    if (!item)
        pc->is_described = false;
    else if (pc->is_described)
        describe_next_sample(pc);
    else
        describe_item(pc);
    if (item)
        *item = &pc->item;
    return PERFCHECK_OK;
}

/* Reads one item into pc->at, which is not checked. Findings wait until it is known what they are about. */
static bool read_item(perfcheck_t *pc)
{
    struct pc_scan *scan = &pc->scan;
    if (!pc->in_steps)
        pc->of_item.nr = 0; /* they were told already */
    pc_on_finding *tell = scan->report.on_finding;
    scan->report.on_finding = tell ? hold_finding : NULL;
    pc->in_steps = true;
    scan->from_ahead = scan->follows = false;
    bool is_there = pc->stage < PC_HANDLE_ENDED && pc_scan_read(scan, &pc->at);
    scan->report.on_finding = tell;
    scan->recognised |= is_there;
    tell_held(pc, is_there ? is_passed : NULL);
    return pc->is_unchecked = take(pc, is_there);
}

perfcheck_status_t perfcheck_read_item(perfcheck_t *pc, const perfcheck_item_t **item)
{
    if (pc && pc->scan.ahead != 0) /* after perfcheck_next: it has no findings */
        return perfcheck_next(pc, item);
    if (item)
        *item = NULL;
    perfcheck_status_t status = begin(pc, "reading");
    if (status != PERFCHECK_OK)
        return status;
    if (!read_item(pc))
        return end(pc);
    describe_item(pc);
    if (item)
        *item = &pc->item;
    return PERFCHECK_OK;
}

perfcheck_status_t perfcheck_check_item(perfcheck_t *pc)
{
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!pc->has_item)
        return unless_stopped(pc, pc_handle_fail(pc, PERFCHECK_MISUSE, "no item was read"));
    if (!pc->is_unchecked)
        return unless_stopped(pc, pc_handle_good(pc));
    pc->is_unchecked = false;
    tell_held(pc, pc_item_has);
    pc_check_item(&pc->scan.check, &pc->at);
    if (pc->at.kind == PC_ITEM_END)
        end(pc);
    return unless_stopped(pc, pc_handle_good(pc));
}

perfcheck_status_t perfcheck_check(perfcheck_t *pc)
{
    perfcheck_status_t status = advance(pc);
    if (status == PERFCHECK_OK) {
        pc_scan_rest(&pc->scan);
        status = advance(pc);
    }
    return status == PERFCHECK_END ? PERFCHECK_OK : status;
}
