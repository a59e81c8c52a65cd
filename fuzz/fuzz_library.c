/* SPDX-License-Identifier: MIT
 *
 * library: through the public header a capture has the same verdict, findings and copy as through the
 * modules. Fields of a file are inside the file, and one field is the same whoever asks for it.
 */
#include "harness.h"
#include "perfcheck.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seen {
    struct pc_span capture;
    const perfcheck_item_t *item;
    uint64_t findings[3];
    struct fuzz_bytes copy;
    uint64_t tids; /* of all samples, mixed with their order */
    uint64_t samples;
};

static int on_finding(void *ctx, const perfcheck_finding_t *finding)
{
    struct seen *seen = ctx;
    seen->findings[finding->severity]++;
    return 0;
}

/* Whether the bytes of a field are those at its offset, if that is known, and not one in a joined record. */
static bool is_of_capture(const struct seen *seen, const perfcheck_field_t *field)
{
    if (strcmp(seen->item->stream, "data") != 0 || field->nr_bytes == 0 || field->in_joined)
        return true;
    return field->offset < seen->capture.len && field->nr_bytes <= seen->capture.len - field->offset &&
           memcmp(seen->capture.ptr + field->offset, field->bytes, field->nr_bytes) == 0;
}

/* The first field of a record is where the record is. */
static int on_first_field(void *ctx, const perfcheck_field_t *field)
{
    const struct seen *seen = ctx;
    PC_CLAIM(seen->item->kind != PERFCHECK_RECORD || field->offset == seen->item->offset);
    return 1;
}

static int on_field(void *ctx, const perfcheck_field_t *field)
{
    PC_CLAIM(is_of_capture(ctx, field));
    return 0;
}

/* A number by its path and by its handle is that which the fields show first. */
struct asked {
    const char *path;
    perfcheck_field_handle_t *handle;
    bool seen, is_number;
    uint64_t number;
};

static int on_asked(void *ctx, const perfcheck_field_t *field)
{
    struct asked *asked = ctx;
    if (strcmp(field->path, asked->path) != 0)
        return 0;
    asked->seen = true;
    asked->is_number = field->type < PERFCHECK_TEXT;
    asked->number = field->number;
    return 1;
}

static void claim_number(perfcheck_t *pc, struct asked *asked)
{
    uint64_t by_path = 0, by_handle = 0;
    asked->seen = asked->is_number = false;
    perfcheck_fields(pc, on_asked, asked);
    perfcheck_status_t status = perfcheck_number(pc, asked->path, &by_path);
    PC_CLAIM((status == PERFCHECK_OK) == asked->is_number);
    PC_CLAIM(perfcheck_number_of(pc, asked->handle, &by_handle) == status && by_handle == by_path);
    PC_CLAIM(!asked->is_number || by_path == asked->number);
    PC_CLAIM((perfcheck_text_of(pc, asked->handle) != NULL) == asked->seen);
}

/* Findings of an item can be asked for, and are findings. */
static uint64_t count_item_findings(perfcheck_t *pc)
{
    uint64_t nr = perfcheck_item_findings(pc);
    for (size_t i = 0; i < nr && i < 64; i++)
        PC_CLAIM(perfcheck_item_finding(pc, i) != NULL);
    PC_CLAIM(perfcheck_item_finding(pc, nr) == NULL);
    return nr;
}

static int on_bytes(void *ctx, const void *bytes, size_t size)
{
    struct seen *seen = ctx;
    seen->copy.bytes = realloc(seen->copy.bytes, seen->copy.len + size + 1);
    FUZZ_MUST(seen->copy.bytes);
    memcpy(seen->copy.bytes + seen->copy.len, bytes, size);
    seen->copy.len += size;
    return 0;
}

/* A handle with the limits of the harnesses and an open capture. */
static perfcheck_t *open_capture(struct seen *seen)
{
    char limit[24];
    perfcheck_t *pc = perfcheck_new();
    snprintf(limit, sizeof(limit), "%" PRIu64, fuzz_limits.inflated);
    FUZZ_MUST(pc && perfcheck_set(pc, "max-inflated", limit) == PERFCHECK_OK);
    FUZZ_MUST(perfcheck_set(pc, "no-verify", NULL) == PERFCHECK_OK);
    FUZZ_MUST(perfcheck_on_finding(pc, on_finding, seen) == PERFCHECK_OK);
    FUZZ_MUST(perfcheck_open_memory(pc, seen->capture.ptr, seen->capture.len) == PERFCHECK_OK);
    return pc;
}

/* Items that are read and checked in two steps are the same, and so are all findings. */
static void claim_steps(const struct seen *seen, uint64_t items)
{
    struct seen in_steps = { .capture = seen->capture };
    perfcheck_t *pc = open_capture(&in_steps);
    for (; perfcheck_read_item(pc, &in_steps.item) == PERFCHECK_OK; items--) {
        if (items % 8 != 0) /* else it is checked when the next one is read */
            PC_CLAIM(perfcheck_check_item(pc) == PERFCHECK_OK);
    }
    PC_CLAIM(items == 0);
    PC_CLAIM(memcmp(in_steps.findings, seen->findings, sizeof(seen->findings)) == 0);
    perfcheck_free(pc);
}

static void take_tid(struct seen *seen, uint64_t tid)
{
    seen->tids = seen->tids * 31 + tid;
    seen->samples++;
}

static void take_sample(struct seen *seen, perfcheck_t *pc, perfcheck_field_handle_t *tid)
{
    uint64_t number;
    if (seen->item->kind == PERFCHECK_RECORD && seen->item->type == PERFCHECK_SAMPLE)
        take_tid(seen, perfcheck_number_of(pc, tid, &number) == PERFCHECK_OK ? number : 0);
}

/* Samples that are read many at once are the same. */
static void claim_runs(const struct seen *seen, uint64_t items)
{
    struct seen in_runs = { .capture = seen->capture };
    perfcheck_t *pc = open_capture(&in_runs);
    perfcheck_field_handle_t *tid = perfcheck_field_handle(pc, "tid");
    const perfcheck_run_t *run;
    for (; perfcheck_next(pc, &in_runs.item) == PERFCHECK_OK; items--) {
        take_sample(&in_runs, pc, tid);
        while (perfcheck_next_run(pc, &tid, 1, &run) == PERFCHECK_OK) {
            for (size_t i = 0; i < run->nr; i++)
                take_tid(&in_runs, run->number[0] ? run->number[0][i] : 0);
            items -= run->nr;
        }
    }
    PC_CLAIM(items == 0 && in_runs.samples == seen->samples && in_runs.tids == seen->tids);
    PC_CLAIM(memcmp(in_runs.findings, seen->findings, sizeof(seen->findings)) == 0);
    perfcheck_free(pc);
}

static void claim_check(struct seen *seen)
{
    static struct pc_scan scan;
    perfcheck_t *pc = open_capture(seen);
    perfcheck_status_t status;
    uint64_t items = 0, found = 0;
    struct asked asked[] = { { .path = "ip" },      { .path = "sample_id.time" }, { .path = "cgroup" },
                             { .path = "tid" },     { .path = "callchain[1]" },   { .path = "branch_nr" },
                             { .path = "filename" } };
    for (size_t i = 0; i < PC_COUNT_OF(asked); i++)
        FUZZ_MUST(asked[i].handle = perfcheck_field_handle(pc, asked[i].path));
    while ((status = perfcheck_next(pc, &seen->item)) == PERFCHECK_OK) {
        found += count_item_findings(pc);
        perfcheck_fields(pc, on_first_field, seen);
        if (items < 1000)
            perfcheck_fields(pc, on_field, seen);
        if (items < 200)
            claim_number(pc, &asked[items % PC_COUNT_OF(asked)]);
        take_sample(seen, pc, asked[3].handle);
        items++;
    }
    PC_CLAIM(found <= seen->findings[0] + seen->findings[1] + seen->findings[2]);
    fuzz_scan(&scan, seen->capture, PC_INPUT_FILE);
    PC_CLAIM((int)perfcheck_verdict(pc) == (int)pc_scan_verdict(&scan));
    for (int i = 0; i < 3; i++)
        PC_CLAIM(perfcheck_count(pc, (perfcheck_severity_t)i) == scan.report.by_severity[i]);
    fuzz_scan_end(&scan);
    perfcheck_free(pc);
    claim_steps(seen, items);
    claim_runs(seen, items);
}

static void claim_copy(struct seen *seen)
{
    const struct pc_rewrite keep = { 0 };
    struct fuzz_bytes copy;
    enum pc_rewritten result = fuzz_rewrite(keep, seen->capture, &copy);
    perfcheck_t *pc = open_capture(seen);
    perfcheck_status_t status = perfcheck_rewrite_to(pc, on_bytes, seen);
    PC_CLAIM((status == PERFCHECK_OK) == (result == PC_WRITTEN));
    if (result == PC_WRITTEN) {
        PC_CLAIM(fuzz_same(&copy, &seen->copy));
        free(copy.bytes);
    }
    free(seen->copy.bytes);
    perfcheck_free(pc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct seen seen = { .capture = c.capture };
    claim_check(&seen);
    claim_copy(&seen);
    return 0;
}
