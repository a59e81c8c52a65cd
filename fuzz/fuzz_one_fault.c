/* SPDX-License-Identifier: MIT
 *
 * one_fault: a capture of build_capture.c with exactly one fault of faults.c, or a directory with one fault
 * of faults_tree.c. All bytes of the input choose the fault. The first finding has the id of that fault, its
 * place and byte, and the severity of its row; the verdict agrees. Before the fault there are no new
 * findings. The result does not depend on how the bytes arrive, nor on earlier inputs. Findings of --for may
 * come with other findings.
 */
#include "fuzz/faults_tree.h"

#include "faults.h"
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_MAX 1200

static struct pc_scan sound, scan;

/* `moved`: how far the bytes after an insertion have moved, except in the content of compressed records.
 * There may also be one record more or less. */
static bool is_same(const struct pc_finding *a, const struct pc_finding *b, uint64_t moved)
{
    if (a->id != b->id || a->place != b->place)
        return false;
    return moved ? a->offset == b->offset || a->offset == b->offset + moved
                 : a->offset == b->offset && a->number == b->number;
}

/* If records are known to be missing, notes about relations between records are not reported. */
static bool is_quiet(const struct pc_finding *f)
{
    return f->severity == PC_NOTE && strncmp(pc_diag_info(f->id)->id, "PC12", 4) == 0;
}

/* The first finding, by its place, of this severity or a higher one that the sound capture does not have.
 * Among several, the one at the offset of the fault. */
static const struct pc_finding *first_new(const struct fuzz_faulty *faulty, uint64_t moved)
{
    enum pc_severity severity = pc_diag_info(faulty->id)->severity;
    const struct pc_finding *first = NULL;
    for (size_t i = 0; i < scan.report.nr; i++) {
        const struct pc_finding *f = &scan.report.finding[i];
        bool known = f->severity < severity || is_quiet(f) || pc_diag_is_cause(f->id);
        for (size_t k = 0; k < sound.report.nr && !known; k++)
            known = is_same(f, &sound.report.finding[k], moved);
        bool counts = faulty->beside ? f->id == faulty->id && f->offset == faulty->offset : !known;
        if (counts && (!first || pc_finding_compare_places(f, first) < 0))
            first = f;
    }
    return first;
}

static void claim_said(const struct fuzz_faulty *f, struct pc_span before)
{
    enum pc_severity severity = pc_diag_info(f->id)->severity;
    const struct pc_finding *first =
        first_new(f, (uint64_t)f->len - before.len); /* modulo 2^64, also on 32 bits */
    size_t changed = 0;
    while (changed < before.len && changed < f->len && before.ptr[changed] == f->bytes[changed])
        changed++;
    bool more = f->beside || scan.report.by_id[f->id] > sound.report.by_id[f->id];
    PC_CLAIM_OF(f->id, more && first);
    PC_CLAIM_OF(f->id, first->id == f->id);
    PC_CLAIM(first->place == f->place && first->offset == f->offset);
    PC_CLAIM(first->severity == severity);
    PC_CLAIM(f->elsewhere || (first->offset <= changed && changed - first->offset < first->length));
    PC_CLAIM((pc_scan_verdict(&scan) == PC_VALID) == (scan.report.by_severity[PC_ERROR] == 0));
}

/* The damaged bytes as a file and as a stream, and then the sound ones again. */
static void claim_fault(const struct fuzz_faulty *f, struct pc_span own)
{
    struct pc_span faulty = { f->bytes, f->len };
    fuzz_scan(&sound, own, PC_INPUT_FILE);
    /* It has few samples, and may have lost any number. */
    PC_CLAIM(sound.report.by_severity[PC_ERROR] == 0 &&
             sound.report.by_severity[PC_WARNING] ==
                 sound.report.by_id[PC_D_LOST_MANY] + sound.report.by_id[PC_D_LOST_SAMPLES_MANY]);
    struct pc_sum without = fuzz_report(&sound);
    fuzz_policy.reader = f->reader;
    fuzz_scan(&scan, faulty, PC_INPUT_FILE);
    claim_said(f, own);
    struct pc_sum as_file = fuzz_report(&scan);
    bool needs_file = fuzz_needs_file(&scan);
    fuzz_scan_end(&scan);
    fuzz_scan(&scan, faulty, PC_INPUT_STREAM);
    struct pc_sum as_stream = fuzz_report(&scan);
    PC_CLAIM(needs_file || pc_sum_equal(&as_file, &as_stream));
    fuzz_scan_end(&scan);
    fuzz_policy.reader = PC_BY_NONE;
    fuzz_scan(&scan, own, PC_INPUT_FILE);
    struct pc_sum again = fuzz_report(&scan);
    PC_CLAIM(pc_sum_equal(&again, &without));
    fuzz_scan_end(&scan);
    fuzz_scan_end(&sound);
}

/* A directory with one fault: the finding is about the right member, and absent from the sound directory. */
static void claim_tree(struct pc_span plan, uint64_t choices)
{
    unsigned char bytes[PLAN_MAX + 1] = { 0 };
    struct fuzz_tree_fault said;
    struct fuzz_built built;
    if (plan.len != 0)
        memcpy(bytes, plan.ptr, plan.len);
    bytes[0] = (unsigned char)(choices >> 52 | 4); /* a directory, whatever the plan asks for */
    fuzz_build((struct pc_span){ bytes, plan.len + 1 }, &built);
    if (fuzz_tree_damage(&built, (size_t)(choices >> 40) % fuzz_nr_tree_faults(), &said)) {
        const char *member = fuzz_tree_scan(&scan, said.id, said.reader);
        PC_CLAIM_OF(said.id, member && strcmp(member, said.member) == 0);
        fuzz_scan_end(&scan);
        fuzz_tree_put(&built);
        PC_CLAIM_OF(said.id, !fuzz_tree_scan(&scan, said.id, PC_BY_NONE));
        fuzz_scan_end(&scan);
    }
    fuzz_built_free(&built);
}

static void pack(struct fuzz_bytes *own)
{
    const struct pc_rewrite how = { .compression = PC_COMPRESSION_LEVEL, .level = 1 };
    struct fuzz_bytes packed;
    PC_CLAIM(fuzz_rewrite(how, fuzz_span(own), &packed) == PC_WRITTEN);
    free(own->bytes);
    *own = packed;
}

/* Chooses the fault, its place and its value by a hash of all bytes (FNV-1a), so that each mutation makes
 * another choice. The upper bits are mixed into the lower ones. */
static uint64_t choices_of(const uint8_t *data, size_t size)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t i = 0; i < size; i++)
        h = (h ^ data[i]) * 0x100000001b3;
    return (h ^ h >> 29) * 0x9e3779b97f4a7c15;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t choices = choices_of(data, size);
    struct fuzz_case c;
    struct fuzz_built built;
    if (!fuzz_case(&c, data, size) || c.capture.len > PLAN_MAX)
        return 0;
    fuzz_policy.max_per_id = UINT32_MAX;
    if (choices >> 60 == 0) { /* one input of 16 */
        claim_tree(c.capture, choices);
        return 0;
    }
    fuzz_build_plain(c.capture, &built);
    struct fuzz_bytes own = { built.bytes, built.len };
    if (choices & 1)
        pack(&own);
    struct fuzz_faulty f = { .len = own.len };
    f.choice[0] = choices >> 1 & 0xff;
    f.choice[1] = choices >> 9 & 0x7fff;
    f.choice[2] = (uint16_t)(choices >> 24);
    f.bytes = malloc(own.len + FUZZ_FAULT_ROOM);
    FUZZ_MUST(f.bytes);
    memcpy(f.bytes, own.bytes, own.len);
    /* If the fault has no place in this capture, a later one may have. */
    const size_t most = 8;
    bool applied = false;
    for (size_t i = 0; i < most && !applied; i++)
        applied = fuzz_fault_apply(&f, ((size_t)(choices >> 40) + i) % fuzz_nr_faults());
    if (applied)
        claim_fault(&f, fuzz_span(&own));
    free(f.bytes);
    free(own.bytes);
    return 0;
}
