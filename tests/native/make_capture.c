/* SPDX-License-Identifier: MIT
 *
 * make_capture.c: make_capture NAME FILE | all DIR | list: perf.data captures in the byte order of the
 * machine that this is compiled for, by structures, bit-fields and integers of the compiler. One compiled for
 * x86-64 and one for s390x make the same content in both orders, without any knowledge of how to swap it, so
 * that they prove what swaps it. It shares nothing with src/ for the same reason.
 *
 * The captures are canonical: a rewrite changes nothing, a rewrite to the other order makes the other file.
 * No byte of an integer is zero where its rules allow that, and no two are the same (D64 ...): a value that
 * is swapped in another width, or not at all, becomes another value.
 *
 * Compiled with -Wpadded: a hole would hold what happens to lie there.
 */
#include "native.h"

struct capture {
    const char *name;
    void (*make)(unsigned);
    size_t value;
};

#define ALONE(n, bit)                                                                                        \
    {                                                                                                        \
        "alone-" n, make_alone, bit                                                                          \
    }

static const struct capture captures[] = {
    { "attr-64", make_attr, 64 },
    { "attr-72", make_attr, 72 },
    { "attr-80", make_attr, 80 },
    { "attr-96", make_attr, 96 },
    { "attr-104", make_attr, 104 },
    { "attr-112", make_attr, 112 },
    { "attr-120", make_attr, 120 },
    { "attr-128", make_attr, 128 },
    { "attr-136", make_attr, 136 },
    { "attr-144", make_attr, VER9 },
    { "attr-pipe", make_attr_pipe, VER9 },
    { "attr-pipe-80", make_attr_pipe, 80 },
    { "attr-flags", make_flags, 0 },
    { "attr-flags-all", make_flags, 1 },
    { "attr-members", make_members, 0 },
    { "kernel", make_kernel, 1 },
    { "kernel-bare", make_kernel, 0 },
    { "mmap2-old", make_mmap2_old, 1 },
    { "trailers", make_trailers, 0 },
    { "trailer-id", make_trailer, S_ID },
    { "trailer-id-all", make_trailer, S_ID | S_TID | S_TIME | S_STREAM_ID | S_CPU },
    { "trailer-tid", make_trailer, S_TID },
    { "trailer-time", make_trailer, S_TIME },
    { "trailer-stream-id", make_trailer, S_STREAM_ID },
    { "trailer-cpu", make_trailer, S_CPU },
    ALONE("ip", 0),
    ALONE("tid", 1),
    ALONE("time", 2),
    ALONE("addr", 3),
    ALONE("read", 4),
    ALONE("callchain", 5),
    ALONE("id", 6),
    ALONE("cpu", 7),
    ALONE("period", 8),
    ALONE("stream-id", 9),
    ALONE("raw", 10),
    ALONE("branch-stack", 11),
    ALONE("regs-user", 12),
    ALONE("stack-user", 13),
    ALONE("weight", 14),
    ALONE("data-src", 15),
    ALONE("identifier", 16),
    ALONE("transaction", 17),
    ALONE("regs-intr", 18),
    ALONE("phys-addr", 19),
    ALONE("aux", 20),
    ALONE("cgroup", 21),
    ALONE("data-page-size", 22),
    ALONE("code-page-size", 23),
    ALONE("weight-struct", 24),
    { "sample-bits", make_bits, 0 },
    { "sample-all", make_all, 0 },
    { "branch", make_branch, 0 },
    { "branch-hw-index", make_branch, BRANCH_HW_INDEX },
    { "branch-counters", make_branch, BRANCH_COUNTERS },
    { "branch-both", make_branch, BRANCH_HW_INDEX | BRANCH_COUNTERS },
    { "branch-no-hw-index", make_branch_no_hw_idx, BRANCH_HW_INDEX },
    { "read-samples", make_read_samples, 0 },
    { "read-samples-stat", make_read_samples, 1 },
    { "read-records", make_read_records, 0 },
    { "tracepoints", make_tracepoints, 6 },
    { "tracepoints-pipe", make_tracepoints_pipe, 5 },
    { "user", make_user, 1 },
    { "user-bare", make_user, 0 },
    { "stat-cpus", make_stat, CPUS },
    { "stat-mask4", make_stat, MASK4 },
    { "stat-mask8", make_stat, MASK8 },
    { "stat-range", make_stat, RANGE },
    { "stat-pipe", make_stat_pipe, RANGE },
    { "schedstat", make_schedstat, 0 },
    { "aux-pt-filter", make_aux, PT_FILTER },
    { "aux-pt-long", make_aux, PT_LONG },
    { "aux-pt-min", make_aux, PT_MIN },
    { "aux-bts", make_aux, BTS },
    { "aux-coresight", make_aux, ETM },
    { "aux-coresight-v0", make_aux, ETM_V0 },
    { "aux-spe", make_aux, SPE },
    { "aux-spe-v2", make_aux, SPE_V2 },
    { "aux-cpumsf", make_aux, CPUMSF },
    { "aux-hisi-ptt", make_aux, PTT },
    { "aux-vpa-dtl", make_aux, VPA },
    { "aux-pipe", make_aux_pipe, PT_FILTER },
    { "features", make_features, 0 },
    { "bpf", make_bpf, 0 },
    { "bpf-pipe", make_bpf_pipe, 0 },
    { "feature-domains-16", make_domains, 16 },
    { "features-pipe", make_features_pipe, 0 },
    { "build-id-pipe", make_build_id_pipe, 0 },
};

static bool make(const struct capture *capture, const char *path)
{
    is_pipe = false;
    nr_attrs = 0;
    raw = NULL;
    data.len = whole.len = 0;
    for (unsigned bit = 0; bit < F_END; bit++) {
        has_feature[bit] = false;
        feature[bit].len = 0;
    }
    out = &data;
    capture->make((unsigned)capture->value);
    out = &whole;
    if (is_pipe)
        write_pipe();
    else
        write_file();
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(whole.bytes, 1, whole.len, file) == whole.len;
    if ((file && fclose(file) != 0) || !good) {
        perror(path);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    bool good = argc == 3 || (argc == 2 && strcmp(argv[1], "list") == 0), found = argc == 2;
    bool all = argc == 3 && strcmp(argv[1], "all") == 0;

    _Static_assert(sizeof(struct attr) == VER9, "struct perf_event_attr of 7.2");
    _Static_assert(sizeof(struct bpf_prog_info) == 232, "struct bpf_prog_info");
    _Static_assert(sizeof(struct file_header) == 104, "struct perf_file_header");
    _Static_assert(sizeof(struct perf_branch_entry) == 24, "struct perf_branch_entry");
    for (size_t i = 0; good && i < COUNT(captures); i++) {
        char path[4096];
        if (argc == 2) {
            puts(captures[i].name);
        } else if (all || strcmp(argv[1], captures[i].name) == 0) {
            snprintf(path, sizeof(path), all ? "%s/%s.data" : "%s", argv[2], captures[i].name);
            good = make(&captures[i], path);
            found = true;
        }
    }
    if (!good || !found)
        fprintf(stderr, "usage: make_capture NAME FILE | all DIR | list\n");
    return !good || !found;
}
