/* SPDX-License-Identifier: MIT */
#include "faults_map.h"

static const struct fuzz_faults *const lists[] = { &fuzz_row_faults,     &fuzz_field_faults,
                                                   &fuzz_record_faults,  &fuzz_container_faults,
                                                   &fuzz_missing_faults, &fuzz_content_faults };

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

bool fuzz_fault_apply(struct fuzz_faulty *faulty, size_t fault)
{
    const struct fuzz_fault *row = fault_of(fault);
    fuzz_read_map(faulty);
    faulty->elsewhere = false;
    if (row->capture)
        return row->capture(faulty, row);
    return row->takes ? fuzz_change_one(row) : fuzz_change_a_part(row);
}
