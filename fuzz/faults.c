/* SPDX-License-Identifier: MIT */
#include "faults_map.h"
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static const struct fuzz_faults *const lists[] = { &fuzz_row_faults,     &fuzz_field_faults,
                                                   &fuzz_record_faults,  &fuzz_container_faults,
                                                   &fuzz_missing_faults, &fuzz_content_faults,
                                                   &fuzz_for_faults,     &fuzz_two_faults,
                                                   &fuzz_between_faults };

static const struct fuzz_fault *fault_of(size_t n)
{
    size_t i = 0;
    for (; n >= lists[i]->nr; i++)
        n -= lists[i]->nr;
    return &lists[i]->fault[n];
}

size_t fuzz_nr_faults(void)
{
    size_t nr = 0;
    for (size_t i = 0; i < PC_COUNT_OF(lists); i++)
        nr += lists[i]->nr;
    return nr;
}

const char *fuzz_fault_name(size_t fault)
{
    return fault_of(fault)->name;
}

/* One of the versions of perf that the row of diag.def names. Findings of --for come with other findings. */
static bool apply_for(struct fuzz_faulty *f, const struct fuzz_fault *row)
{
    const unsigned versions = 4;
    for (unsigned i = 0; i < versions; i++) {
        const struct pc_version_knows *reader =
            pc_version_knows((enum pc_versions)(1 << (i + f->choice[0]) % versions));
        if (!(pc_diag_info(row->id)->refused & reader->version) || !row->reader(reader, row))
            continue;
        f->id = row->id;
        f->reader = reader->version;
        f->elsewhere = f->beside = true;
        return true;
    }
    return false;
}

/* A finding below error is an error for a perf version that refuses it. One input in four asks for that
 * version. */
static void ask_reader(struct fuzz_faulty *f)
{
    const struct pc_diag_info *said = pc_diag_info(f->id);
    const unsigned versions = 4;
    unsigned n = f->choice[2] >> 10;
    if (said->severity == PC_ERROR || said->refused == PC_BY_NONE || n % 4 != 0)
        return;
    for (n /= 4; !(said->refused >> n % versions & 1); n++)
        ;
    f->id = PC_D_FOR_FINDING;
    f->reader = (enum pc_versions)(1 << n % versions);
    f->beside = true;
}

/* Such a fault changes several things. If one of them has no place, all are restored. */
static bool apply_beside(struct fuzz_faulty *f, const struct fuzz_fault *row)
{
    struct fuzz_faulty before = *f;
    unsigned char *bytes = malloc(f->len);
    FUZZ_MUST(bytes);
    memcpy(bytes, f->bytes, f->len);
    bool applied = row->capture ? row->capture(f, row)
                   : row->takes ? fuzz_change_one(row)
                                : fuzz_change_a_part(row);
    if (!applied) {
        memcpy(before.bytes, bytes, before.len);
        *f = before;
    }
    f->id = row->id;
    f->beside = applied;
    free(bytes);
    return applied;
}

bool fuzz_fault_apply(struct fuzz_faulty *faulty, size_t fault)
{
    const struct fuzz_fault *row = fault_of(fault);
    fuzz_read_map(faulty);
    faulty->elsewhere = faulty->beside = false;
    faulty->reader = PC_BY_NONE;
    if (row->reader)
        return apply_for(faulty, row);
    faulty->id = row->id;
    bool applied = row->beside    ? apply_beside(faulty, row)
                   : row->capture ? row->capture(faulty, row)
                   : row->takes   ? fuzz_change_one(row)
                                  : fuzz_change_a_part(row);
    if (applied)
        ask_reader(faulty);
    return applied;
}
