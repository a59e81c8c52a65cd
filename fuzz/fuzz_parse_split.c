/* SPDX-License-Identifier: MIT
 *
 * parse_split: the report and the capture model do not depend on how the bytes arrive: in one piece, in
 * pieces of any size, through a pipe, from a file. Nor do they depend on whether many records are judged at
 * once, or one by one and by the walker alone.
 */
#include "harness.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

static struct pc_scan scan;
static bool needs_file; /* the last report */

static struct pc_sum report_of_memory(struct pc_span capture, enum pc_input_kind kind, size_t at_most)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, capture, kind);
    scan.in.at_most = at_most;
    pc_scan_input(&scan);
    struct pc_sum sum = fuzz_report(&scan);
    needs_file = fuzz_needs_file(&scan);
    fuzz_scan_end(&scan);
    return sum;
}

/* The walker judges each record by itself. */
static struct pc_sum report_of_walker(struct pc_span capture, bool plans)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, capture, PC_INPUT_FILE);
    scan.one_by_one = true;
    scan.capture.no_plans = !plans;
    pc_scan_input(&scan);
    struct pc_sum sum = fuzz_report(&scan);
    fuzz_scan_end(&scan);
    return sum;
}

static struct pc_sum report_of_descriptor(int fd, size_t at_most)
{
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    PC_CLAIM(pc_input_adopt(&scan.in, fd, true) == 0);
    scan.in.at_most = at_most;
    pc_scan_input(&scan);
    struct pc_sum sum = fuzz_report(&scan);
    fuzz_scan_end(&scan);
    PC_CLAIM(fcntl(fd, F_GETFD) < 0); /* it was handed over and is closed */
    return sum;
}

/* A pipe that contains the whole input, so that no process has to write while it is read. */
static int pipe_of(struct pc_span capture)
{
    int end[2];
    FUZZ_MUST(pipe2(end, O_CLOEXEC) == 0);
    FUZZ_MUST(fcntl(end[1], F_SETPIPE_SZ, 1 << 17) >= (int)capture.len);
    FUZZ_MUST(write(end[1], capture.ptr, capture.len) == (ssize_t)capture.len);
    close(end[1]);
    return end[0];
}

static int file_of(struct pc_span capture)
{
    int fd = memfd_create("capture", MFD_CLOEXEC);
    FUZZ_MUST(fd >= 0 && write(fd, capture.ptr, capture.len) == (ssize_t)capture.len);
    FUZZ_MUST(lseek(fd, 0, SEEK_SET) == 0);
    return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size))
        return 0;
    size_t piece = 1 + fuzz_bits(&c, 0, 10);
    struct pc_sum whole = report_of_memory(c.capture, PC_INPUT_FILE, 0);
    struct pc_sum stream = report_of_memory(c.capture, PC_INPUT_STREAM, 0);
    struct pc_sum pieces = report_of_memory(c.capture, PC_INPUT_STREAM, piece);
    struct pc_sum places = report_of_memory(c.capture, PC_INPUT_FILE, piece);
    struct pc_sum single = report_of_walker(c.capture, true);
    struct pc_sum walked = report_of_walker(c.capture, false);
    PC_CLAIM(pc_sum_equal(&whole, &single));
    PC_CLAIM(pc_sum_equal(&single, &walked));
    PC_CLAIM(pc_sum_equal(&stream, &pieces));
    PC_CLAIM(pc_sum_equal(&whole, &places));
    PC_CLAIM(needs_file || pc_sum_equal(&whole, &stream)); /* `places` has the report of a file */
    if (fuzz_bits(&c, 10, 3) == 1) {                       /* calls of the system are slow */
        struct pc_sum piped = report_of_descriptor(pipe_of(c.capture), piece);
        PC_CLAIM(pc_sum_equal(&stream, &piped));
        struct pc_sum filed = report_of_descriptor(file_of(c.capture), piece);
        PC_CLAIM(pc_sum_equal(&whole, &filed));
    }
    return 0;
}
