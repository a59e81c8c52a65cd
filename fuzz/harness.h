/* SPDX-License-Identifier: MIT
 *
 * harness.h: what the fuzz harnesses share. A harness is one LLVMFuzzerTestOneInput that makes claims about
 * every input. The engines (libFuzzer, AFL++, standalone.c) call it. Claims are checked in every build.
 *
 * An input is a capture. The options of a harness follow it, so that all harnesses can use the same
 * captures and crashers: they are the last 8 bytes if these begin with "opt", else zero.
 */
#ifndef PC_FUZZ_HARNESS_H
#define PC_FUZZ_HARNESS_H

#include <stdio.h>

#include "base/base.h"
#include "bytes/hash.h"
#include "write/rewrite.h"
#include "scan_whole.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Prints the claim that does not hold, and aborts. */
#define PC_CLAIM(holds) ((holds) ? (void)0 : fuzz_broken(__FILE__, __LINE__, #holds))
__attribute__((noreturn)) void fuzz_broken(const char *file, int line, const char *claim);

/* Called before that if it is set. */
extern void (*fuzz_when_broken)(void);

/* For calls of the system that must succeed before a harness can claim anything. */
#define FUZZ_MUST(holds) ((holds) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #holds))
__attribute__((noreturn)) void fuzz_failed(const char *file, int line, const char *call);

/* The same; if `holds` is about a finding, its id is printed. */
#define PC_CLAIM_OF(which, holds)                                                                            \
    ((holds) ? (void)0 : fuzz_broken(__FILE__, __LINE__, pc_diag_info(which)->id))

/* Larger inputs are for other tests: small ones are faster. */
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

/* True for one input of n, by its bytes and options: for claims that take long. */
bool fuzz_one_of(const struct fuzz_case *c, unsigned n);

/* The limits of every harness: those of the program, except for the size of decompressed content. */
extern struct pc_limits fuzz_limits;
extern struct pc_policy fuzz_policy;

/* Reads the capture from memory to its end. fuzz_scan_end frees the scan and claims that nothing is left. */
void fuzz_scan(struct pc_scan *scan, struct pc_span capture, enum pc_input_kind kind);
void fuzz_scan_end(struct pc_scan *scan);

/* Whether a cause was found that only a file shows: its magic or the size of its header is wrong, so that a
 * stream is not stored. */
bool fuzz_needs_file(const struct pc_scan *scan);

/* A hash of everything that a scan found and remembers: findings with all members, counts, sums, attrs. Scans
 * of the same bytes have the same hash. */
struct pc_sum fuzz_report(const struct pc_scan *scan);

/* Claims that the findings under a policy, which the length of the capture chooses, are exactly those without
 * one: less those that it disables or accepts, with its severities, and besides them only findings about the
 * perf that has to read the capture. */
void fuzz_claim_policy(const struct fuzz_case *c, enum pc_input_kind kind);

/* A copy of the bytes; free(bytes). */
struct fuzz_bytes {
    unsigned char *bytes;
    size_t len;
};
static inline struct pc_span fuzz_span(const struct fuzz_bytes *b)
{
    return (struct pc_span){ b->bytes, b->len };
}
bool fuzz_same(const struct fuzz_bytes *a, const struct fuzz_bytes *b);

/* One conversion by the rewriter, in memory and without verification. If nothing was written, there is a
 * finding with an id. The other members of `how` are set here. */
enum pc_rewritten fuzz_rewrite(struct pc_rewrite how, struct pc_span capture, struct fuzz_bytes *copy);

/* A conversion that the first 7 bits of the options choose: byte order, container, compression. */
struct pc_rewrite fuzz_how(const struct fuzz_case *c);

/* What the last one said. */
const char *fuzz_said(void);

/* How a rewriter tells what it does: out gets what the program prints; NULL: nobody. One at a time. */
struct pc_callbacks fuzz_callbacks(FILE *out);

/* The result of a check. */
struct fuzz_found {
    enum pc_verdict verdict;
    bool pipe, complete, edited; /* as struct pc_found has them; edited: set by who knows that */
    uint64_t by_id[PC_DIAG_COUNT];
};
void fuzz_find(struct pc_span capture, struct fuzz_found *found);

/* Whether a copy may be so: it is valid, or has an error that the original has, or that its byte order
 * brings. */
bool fuzz_can_be_copy(const struct fuzz_found *found);

/* Claims that a copy may be so and has no new finding, except those of write/novel.c. */
void fuzz_claim_copy(const struct fuzz_found *original, struct pc_span copy);

/* What else a sequence leaves out. */
struct fuzz_but {
    bool payloads;       /* of samples: words of tracepoint payloads, which fuzz_swap compares */
    const char *records; /* records of the type that --drop names, "record:TYPE_90"; NULL: none */
};

/* Whether a copy has the same attrs with their ids, and then the same records one after the other: compressed
 * ones opened, each with type, misc and leaves, and the payloads of AUXTRACE. It does not use the library's
 * digest. Numbers, text up to its NUL and bytes with a meaning are compared; all bytes of unknown records.
 *
 * Copies change the rest, which is not compared: sizes of records and attrs, padding and reserved bytes,
 * zeros at the end of an attr, records of the container (COMPRESSED*, HEADER_*), and features, which have
 * another form in each container. If an attr comes after records of the kernel, their layout may differ in
 * the copy although their bytes are the same; then no leaves of records are compared. */
bool fuzz_same_sequence(struct pc_span original, struct pc_span copy, struct fuzz_but but);

/* The sums of all features but one (PC_NO_INDEX: of all) as in the digest. False: there is no digest. */
bool fuzz_features(struct pc_span capture, uint64_t but, struct pc_sum *sum);

/* The digest of the content. False: there is none. */
bool fuzz_digest(struct pc_span capture, struct pc_sum *sum);

#endif
