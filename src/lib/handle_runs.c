/* SPDX-License-Identifier: MIT
 *
 * The public interface: samples of one event that come one after the other, and their numbers.
 */
#include "lib/handle.h"

#include "check/batch.h"

/* Whether samples were judged ahead that may be like the item that was read last. */
static bool may_run(perfcheck_t *pc)
{
    return pc->scan.ahead != 0 && pc->stage == PC_HANDLE_READING && pc->of_item.own == 0 &&
           pc_handle_sound(pc)->plan != NULL;
}

/* Finds the place of each field. False: one has none that the layout alone decides. */
static bool find_places(perfcheck_t *pc, perfcheck_field_handle_t *const *field, size_t fields,
                        const struct pc_field_place *place[])
{
    for (size_t i = 0; i < fields; i++) {
        place[i] = pc_handle_place(pc, field[i]);
        if (place[i]->how == PC_PLACE_WALK || place[i]->how == PC_PLACE_TEXT)
            return false;
    }
    return true;
}

/* Takes samples of the same event from those that were judged ahead, which begin there. */
static void measure(perfcheck_t *pc, const unsigned char *samples)
{
    struct pc_handle_run *run = &pc->run;
    const struct pc_scan *scan = &pc->scan;
    const enum pc_order order = scan->capture.order;
    const bool one_attr = scan->capture.nr_attrs == 1;
    size_t most = scan->ahead < PERFCHECK_RUN_MAX ? (size_t)scan->ahead : PERFCHECK_RUN_MAX, nr = 0, at = 0;
    for (; nr < most; nr++) {
        size_t size = pc_load_head(samples + at, order).size;
        if (!one_attr &&
            pc_judge_attr(&scan->check.judge, (struct pc_span){ samples + at, size }) != pc->sound.attr)
            break;
        run->size[nr] = (uint32_t)size;
        at += size;
    }
    run->size[nr] = 0;
    run->shown = (perfcheck_run_t){ .nr = nr, .bytes = at, .size = run->size, .number = run->column };
}

/* One after the other. step: how far the next is from each. */
PC_INLINE void read_plain(const unsigned char *bytes, const uint32_t *step, size_t nr, unsigned width,
                          enum pc_order order, uint64_t *number)
{
    for (size_t i = 0;; bytes += step[i++]) {
        number[i] = pc_load(bytes, width, order);
        if (i + 1 == nr)
            return; /* behind the last one may be no byte */
    }
}

/* Reads a field of all samples of the run. */
static void read_column(const perfcheck_t *pc, const unsigned char *samples,
                        const struct pc_field_place *place, uint64_t *number)
{
    const enum pc_order order = pc->scan.capture.order;
    const struct pc_handle_run *run = &pc->run;
    const unsigned width = pc_handle_plain(place);
    const bool back = place->how == PC_PLACE_BACK;
    const unsigned char *bytes = samples + (back ? run->size[0] - place->at : place->at);
    const uint32_t *step = back ? run->size + 1 : run->size;
    if (width == 8 && order == PC_LITTLE) {
        read_plain(bytes, step, run->shown.nr, 8, PC_LITTLE, number);
    } else if (width == 4 && order == PC_LITTLE) {
        read_plain(bytes, step, run->shown.nr, 4, PC_LITTLE, number);
    } else {
        for (size_t i = 0; i < run->shown.nr; samples += run->size[i++])
            number[i] = pc_handle_number(pc, place, (struct pc_span){ samples, run->size[i] });
    }
}

/* The last sample of the run becomes the item that was read last. */
static void pass(perfcheck_t *pc)
{
    struct pc_scan *scan = &pc->scan;
    const perfcheck_run_t *run = &pc->run.shown;
    pc_reader_pass(&scan->reader, run->nr, (size_t)run->bytes, pc->run.size[run->nr - 1], &pc->at);
    scan->ahead -= run->nr;
    scan->from_ahead = true;
    scan->follows = false;
    if (scan->ahead == 0)
        pc_check_passed(&scan->check, &pc->at);
    pc->is_described = false;
}

perfcheck_status_t perfcheck_next_run(perfcheck_t *pc, perfcheck_field_handle_t *const *field, size_t fields,
                                      const perfcheck_run_t **run)
{
    const struct pc_field_place *place[PERFCHECK_RUN_FIELDS];
    if (run)
        *run = NULL;
    if (!pc)
        return PERFCHECK_MISUSE;
    if (!run || fields > PERFCHECK_RUN_FIELDS)
        return pc_handle_fail(pc, PERFCHECK_MISUSE,
                              !run ? "there is no place for the run" : "more than 8 fields are asked for");
    for (size_t i = 0; i < fields; i++) {
        if (!pc_handle_has_field(pc, field[i]))
            return pc_handle_fail(pc, PERFCHECK_MISUSE, PC_HANDLE_NO_FIELD);
    }
    pc_handle_good(pc);
    if (!may_run(pc) || !find_places(pc, field, fields, place))
        return pc_handle_fail(pc, PERFCHECK_NOT_FOUND, "no such samples come next");
    const unsigned char *samples = pc_reader_ahead(&pc->scan.reader).ptr;
    measure(pc, samples);
    if (pc->run.shown.nr == 0)
        return pc_handle_fail(pc, PERFCHECK_NOT_FOUND, "no such samples come next");
    pc->run.shown.offset = pc->at.offset + pc->at.bytes.len;
    for (size_t i = 0; i < fields; i++) {
        pc->run.column[i] = place[i]->how == PC_PLACE_NONE ? NULL : pc->run.number[i];
        if (pc->run.column[i])
            read_column(pc, samples, place[i], pc->run.number[i]);
    }
    pass(pc);
    *run = &pc->run.shown;
    return PERFCHECK_OK;
}
