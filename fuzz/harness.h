/* SPDX-License-Identifier: MIT
 *
 * harness.h: what the fuzz harnesses share. A harness is one LLVMFuzzerTestOneInput that makes claims about
 * every input; engines (libFuzzer, AFL++, standalone.c) call it. Claims are checked in every build.
 *
 * An input is a capture, as it is. Options of a harness stand after it, so that captures and crashers serve
 * all harnesses: they are the last 8 bytes when those begin with "opt", else all zero.
 */
#ifndef PC_FUZZ_HARNESS_H
#define PC_FUZZ_HARNESS_H

#include "base/base.h"
#include "bytes/hash.h"
#include "write/rewrite.h"
#include "check/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Says which claim does not hold, and aborts. */
#define PC_CLAIM(holds) ((holds) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #holds))
__attribute__((noreturn)) void fuzz_broken(const char *file, int line, const char *claim);

/* Called before that, when it is set. */
extern void (*fuzz_when_broken)(void);

/* What a harness needs of the system before it can claim anything. */
#define FUZZ_MUST(holds) ((holds) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #holds))
__attribute__((noreturn)) void fuzz_failed(const char *file, int line, const char *call);

/* Where `holds` is about a finding, says which. */
#define PC_CLAIM_OF(which, holds)                                                                            \
    ((holds) ? (void)0 : fuzz_broken(__FILE__, __LINE__, pc_diag_info(which)->id))

/* More is left to other tests: the smaller, the faster. */
#define FUZZ_INPUT_MAX ((size_t)1 << 17)
#define FUZZ_OPTIONS   5
#define FUZZ_MARK      "opt"

struct fuzz_case {
    struct pc_span capture;
    unsigned char option[FUZZ_OPTIONS];
};

/* False: the input is too long for a harness. */
bool fuzz_case(struct fuzz_case *c, const uint8_t *data, size_t size);

/* Bits of an option as a number; `from` counts bits from the first. */
unsigned fuzz_bits(const struct fuzz_case *c, unsigned from, unsigned bits);

/* One input of n, by its bytes and options: for claims that take as long as all else. */
bool fuzz_one_of(const struct fuzz_case *c, unsigned n);

/* Limits of every harness: the program's, but for what comes out of compressed records. */
extern struct pc_limits fuzz_limits;
extern struct pc_policy fuzz_policy;

/* Reads the capture from memory to its end; fuzz_scan_end gives back what the scan holds, which must be all.
 */
void fuzz_scan(struct pc_scan *scan, struct pc_span capture, enum pc_input_kind kind);
void fuzz_scan_end(struct pc_scan *scan);

/* What a scan found and remembers, as one number: findings with all their facts, counts, sums, attrs. Scans
 * of the same bytes have the same. */
struct pc_sum fuzz_report(const struct pc_scan *scan);

/* Bytes of our own; free(bytes). */
struct fuzz_bytes {
    unsigned char *bytes;
    size_t len;
};
static inline struct pc_span fuzz_span(const struct fuzz_bytes *b)
{
    return (struct pc_span){ b->bytes, b->len };
}
bool fuzz_same(const struct fuzz_bytes *a, const struct fuzz_bytes *b);

/* One conversion by the rewriter, in memory and without its own verification. When nothing was written, it
 * said a finding that has an id. The other members of `how` are set here. */
enum pc_rewritten fuzz_rewrite(struct pc_rewrite how, struct pc_span capture, struct fuzz_bytes *copy);

/* What the last one said. */
const char *fuzz_said(void);

/* What a check says of a capture. */
struct fuzz_found {
    enum pc_verdict verdict;
    bool pipe;
    uint64_t by_id[PC_DIAG_COUNT];
};
void fuzz_find(struct pc_span capture, struct fuzz_found *found);

/* Claims that a copy is valid, and that it has only findings of its original, except a few
 * that are by nature about one container, which harness.c lists. */
void fuzz_claim_copy(const struct fuzz_found *original, struct pc_span copy);

/* What is left out of a sequence besides. */
struct fuzz_but {
    bool payloads;       /* those of samples: words of tracepoints, which fuzz_swap looks at */
    const char *records; /* of the type that --drop calls so, "record:TYPE_90"; NULL: none */
};

/* Whether a copy has the same attrs with their ids, and then the same records one after the other: compressed
 * ones opened, each with type, misc and leaves, and the payloads of AUXTRACE. The library's digest has no
 * part in it. Of a leaf: numbers, text up to its NUL, bytes that mean something; of records that no reader
 * knows: all bytes.
 *
 * Not looked at, since copies change that: sizes of records and of attrs, padding and reserved bytes, zeros
 * at the end of an attr (which copies make longer or shorter), records of the container (COMPRESSED*,
 * HEADER_*). Nor features, of which each container has a form of its own. When an attr comes after records
 * of the kernel, whose layout may then be another in the copy, though their bytes are the same: no leaves of
 * records. */
bool fuzz_same_sequence(struct pc_span original, struct pc_span copy, struct fuzz_but but);

/* The sums of all features but one (PC_NO_INDEX: none) as the digest has them; false: there is no digest. */
bool fuzz_features(struct pc_span capture, uint64_t but, struct pc_sum *sum);

/* The digest of the content; false: there is none. */
bool fuzz_digest(struct pc_span capture, struct pc_sum *sum);

#endif
