/* SPDX-License-Identifier: MIT
 *
 * capture_bench.h: a pipe or a file that a test writes number by number, in either byte order, and what a
 * scan finds in it.
 */
#ifndef PC_CAPTURE_BENCH_H
#define PC_CAPTURE_BENCH_H

#include "scan_whole.h"

extern struct pc_scan scan;
extern struct pc_policy policy;
extern enum pc_versions asked_for; /* versions that --for names */

/* The bytes so far. begin_with() empties it; `order` stays until a test sets it. */
extern struct written {
    unsigned char p[16 << 20];
    size_t len;
    enum pc_order order;
    enum pc_input_kind kind; /* begin_file() and begin_empty() set it */
} in;

void put(uint64_t value, unsigned width);
/* The same in place of bytes that are there. */
void put_at(uint64_t at, uint64_t value, unsigned width);
/* Takes `nr` bytes away at an offset; makes room for as many, which are zeros. */
void take_out(uint64_t at, size_t nr);
void make_room(uint64_t at, size_t nr);
/* The characters of a text and zeros, `len` bytes together. */
void put_text(const char *text, size_t len);

/* The test runs twice: for (...) { in.order is one, then the other }. */
#define IN_BOTH_ORDERS for (unsigned order_ = 0; in_order(order_); order_++)
bool in_order(unsigned nr);

/* The finding about a record type that no perf has yet. */
enum pc_diag newer_type(void);

/* A word of two numbers of 32 bits, as they follow each other; and one of up to eight characters. */
uint64_t pair(uint64_t one, uint64_t next);
uint64_t chars(const char *text);

/* A record: misc in the upper half of the type. What is put until end_record() is its content. Both return
 * its offset. */
uint64_t begin_record(uint64_t type);
uint64_t end_record(void);
/* A record of 64-bit words. */
uint64_t put_record(uint64_t type, const uint64_t *words, size_t nr);
#define RECORD(type, ...)                                                                                    \
    put_record(type, (const uint64_t[]){ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8)
#define MISC(misc) ((uint64_t)(misc) << 32)
#define USER       MISC(2)
/* A HEADER_FEATURE, to be ended with end_record(). Returns the offset of its content. */
uint64_t begin_feature(uint64_t bit);
/* A text of a feature or of a user record: its size, its characters, zeros up to a multiple of 64 bytes. */
void put_string(const char *text);
/* A file with 20 records, and so many texts as features from HOSTNAME on, each of 68 bytes; `room` bytes
 * between the feature table and them are zeros. Returns the offset of the table. */
uint64_t begin_with_features(uint64_t nr, uint64_t room);

/* The header of a pipe. */
void begin_empty(void);
/* An attr of 64 bytes with id 1, whose records have a trailer. */
uint64_t put_attr(uint64_t sample_type, uint64_t flags);
/* ... and such an attr. */
void begin_with(uint64_t sample_type, uint64_t flags);
/* ... IDENTIFIER, IP, TID, CALLCHAIN and deferred call chains, and the COMM of task 1. */
void begin(void);
uint64_t sample(uint64_t tid, uint64_t cookie);
uint64_t deferred(uint64_t cookie);

/* A file: its header, the id, one attr of 64 bytes, and what is put until end_file() as its data; then the
 * features HOSTNAME and NRCPUS. Offsets of what is in it. */
enum {
    AT_SIZE = 8,
    AT_ATTR_SIZE = 16,
    AT_ATTRS = 24,
    AT_DATA = 40,
    AT_TYPES = 56,
    AT_FEATURES = 72,
    FILE_IDS = 104,
    FILE_ATTRS = 112,
    FILE_DATA = 192
};
void begin_file(uint64_t sample_type, uint64_t flags);
/* Returns the offset of the feature table. */
uint64_t end_file(void);

/* Scans what was put. pc_scan_clear frees the scan. run_failing: allocation n fails. run_unreadable: reads of
 * the byte at this offset fail. run_at: `where` is that of every record, and no cause of the errors is looked
 * for. */
void run(void);
void run_failing(uint64_t n);
void run_unreadable(uint64_t at);
void run_at(struct pc_where where);
/* The first finding with this id, or NULL. */
const struct pc_finding *finding(enum pc_diag id);
/* The only finding about a limit: its subject, and how many there may be. */
uint64_t limit_said(const char *what);

/* Fails unless two scans have found the same, and counted the same records. */
void assert_scans_alike(const struct pc_scan *one, const struct pc_scan *other);

/* Scans, frees the scan, and returns how many findings have this id; `first` is the first one. */
uint64_t counted(enum pc_diag id);
extern struct pc_finding first;

/* Scans, frees the scan, and fails unless so many findings have this id, the first of them at this offset. */
#define expect(id, nr, at) expect_at(id, nr, at, __FILE__, __LINE__)
void expect_at(enum pc_diag id, uint64_t nr, uint64_t at, const char *file, int line);

#endif
