/* SPDX-License-Identifier: MIT
 *
 * perfcheck.h: the public interface of libperfcheck, which checks, reads and rewrites captures of Linux perf
 * (perf.data files, pipes and directories). It works in C11 and in C++.
 *
 * A handle of type perfcheck_t stands for one piece of work: options are set, a capture is opened, and then
 * it is either read (perfcheck_next, perfcheck_check) or rewritten (perfcheck_rewrite, perfcheck_rewrite_to).
 * After that the handle may open another capture; options and callbacks stay.
 *
 *     perfcheck_t *pc = perfcheck_new();
 *     if (perfcheck_open_path(pc, "perf.data") != PERFCHECK_OK || perfcheck_check(pc) != PERFCHECK_OK)
 *         puts(perfcheck_error(pc));
 *     else if (perfcheck_verdict(pc) == PERFCHECK_VALID)
 *         puts("valid");
 *     perfcheck_free(pc);
 *
 * Errors. Functions that can fail return a perfcheck_status_t: PERFCHECK_OK is 0, all others are negative.
 * perfcheck_error says why in a sentence. What is wrong with a capture is not an error of a call: it is a
 * finding, and decides the verdict. The library prints nothing, never ends the program, installs no signal
 * handler, and keeps no state outside of handles but temporary files (perfcheck_remove_temporaries).
 *
 * Ownership. What a handle returns or passes to a callback (items, fields, findings, their strings and bytes)
 * belongs to the handle. It is valid until the next call with it, unless its description says otherwise.
 * Strings are UTF-8 and end with a NUL; other bytes, and those that a terminal would obey, are escaped as
 * \xNN (but see perfcheck_keep_controls).
 *
 * Threads. Any number of handles may be used at the same time, each by one thread at a time. Callbacks are
 * called by the thread that made the call; they must not call the library with the same handle.
 *
 * Units. Offsets, lengths and sizes are bytes. Offsets count from the start of a stream: the capture itself,
 * a member of a directory, or the content of a compressed record.
 *
 * Signals. Writing to a path raises SIGXFSZ where a limit on file sizes is met, unless the program ignores
 * it. Rewrites, and "threads" above 1, run threads of the library, which block all signals but SIGPIPE.
 *
 * Structures that the library fills may get more members at their end in a later version; programs must not
 * allocate, copy or compare them as a whole. Enumerations may get more values.
 */
#ifndef PERFCHECK_H
#define PERFCHECK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define PERFCHECK_API __attribute__((visibility("default")))
#else
#define PERFCHECK_API
#endif

typedef struct perfcheck perfcheck_t;

typedef enum {
    PERFCHECK_OK = 0,
    PERFCHECK_END = -1,    /* perfcheck_next: there are no more items */
    PERFCHECK_MISUSE = -2, /* a NULL, an unknown option or value, or a call out of order */
    PERFCHECK_NO_MEMORY = -3,
    PERFCHECK_IO = -4,       /* opening, reading or writing failed, or a limit was met */
    PERFCHECK_REFUSED = -5,  /* the capture has errors, or a copy cannot hold all of it */
    PERFCHECK_STOPPED = -6,  /* a callback ended the call */
    PERFCHECK_NOT_FOUND = -7 /* there is no such field, finding or id */
} perfcheck_status_t;

/* "PERFCHECK_NO_MEMORY"; of a number that is no status, "PERFCHECK_UNKNOWN". The string lives forever. */
PERFCHECK_API const char *perfcheck_status_name(perfcheck_status_t status);

#define PERFCHECK_VERSION "0.1.0"

/* The version of the library that is linked: major.minor.patch. The string lives forever. */
PERFCHECK_API const char *perfcheck_version(void);

/* Not 0 when a file that begins with these bytes is taken for a capture: they are at least eight, the magic
 * in either byte order. For programs that look for captures in folders. */
PERFCHECK_API int perfcheck_is_capture(const void *bytes, size_t size);

/* Not 0 for the name of a directory that is part of a capture: "kcore_dir", or "kcore_dir__PID". */
PERFCHECK_API int perfcheck_is_kcore_dir(const char *name);

/* A new handle with the default options, or NULL: no memory. */
PERFCHECK_API perfcheck_t *perfcheck_new(void);

/* Closes the capture and releases the handle with all that it returned. NULL is allowed. */
PERFCHECK_API void perfcheck_free(perfcheck_t *pc);

/* Why the last call with this handle failed; "" when it did not, but for the option "for", which may have
 * taken another version than it was given. Valid until the next call. Options have the names of
 * perfcheck_set: "'max-memory' is at least 1M, not 1K". Never NULL: without a handle it says so. */
PERFCHECK_API const char *perfcheck_error(const perfcheck_t *pc);

/* --- options --- */

/* Sets an option before a capture is opened. Options have the names and values that the program has on its
 * command line, without the leading `--`; value is NULL for those that take none, and is copied.
 *
 *     max-memory     bytes that may be in use at once: "54M"; at least 1M
 *     max-spool      bytes stored of a file-mode capture that comes through a pipe: "16G"
 *     max-inflated   bytes that come out of compressed records: "64G"
 *     threads        "1", or more: threads read large files ahead (7 MiB at most); same results
 *     max-per-id     findings kept for each id: "20"; all in all, what an eighth of max-memory holds
 *     for            "perf-5.10", "perf-6.1", "perf-6.12", "perf-7.2" or "all" ("6.1" and "perf-6.1.176" mean
 *                    "perf-6.1"): check reports as errors what this version of perf cannot read, rewrite
 *                    writes what it can; check also takes "simpleperf"; may be set once
 *     readers        list what each measured version of perf does with the capture (PERFCHECK_READERS)
 *     disable        check: "ID,...": findings that are left out, by id or name, or "class:unsafe"
 *     severity       check: "ID=error,...": the severity of findings, named like that; or warning, note
 *     accept         check: "ID:N,...": of each id the first N findings of a capture are left out
 *     require        "samples,callchains,...": what check demands of a capture; src/CONTRACT.md, section 4
 *     min-samples    check: the least number of samples
 *     max-lost       check: the most samples or records that may be lost: "100", "5%" or "0.5%"
 *     max-size       check: the most bytes of a capture
 *     byte-order     rewrite: "keep", "little", "big", "native" or "swap"
 *     to             rewrite: "keep", "file", "pipe" or "directory"
 *     compress       rewrite: compress records by level "1" to "22", or NULL for 1
 *     decompress     rewrite: open compressed records
 *     drop           rewrite: "record:TYPE,feature:NAME,payload:EVENT,kcore": what may be left out
 *     force          rewrite: replace the output when it exists
 *     no-verify      rewrite: do not read the copy again
 *     salvage        rewrite: copy what is sound of a damaged capture
 *     header-from    rewrite with salvage: another file of the recording, whose header and attrs are taken
 *     keep-partial   rewrite: a new file that gets the bytes of a stream, unless the copy has all of them
 *     symbols-out    rewrite: a new file that gets the symbols of simpleperf, as text
 *     rotate         rewrite: "100M" or "30s": several captures, each of so many bytes or so much time
 *
 * Options with "check" have no effect on a rewrite, which refuses what it cannot carry over. disable,
 * severity, require and drop add to what was set before; accept replaces it. Returns PERFCHECK_MISUSE when
 * there is no such option, the value is not one of its values, or a capture is open. */
PERFCHECK_API perfcheck_status_t perfcheck_set(perfcheck_t *pc, const char *option, const char *value);

/* --- findings --- */

typedef enum { PERFCHECK_NOTE = 0, PERFCHECK_WARNING = 1, PERFCHECK_ERROR = 2 } perfcheck_severity_t;

typedef enum {
    PERFCHECK_HEADER = 0,  /* the header of the file or pipe */
    PERFCHECK_ATTR = 1,    /* an entry of the attr section of a file */
    PERFCHECK_FEATURE = 2, /* a feature section of a file */
    PERFCHECK_RECORD = 3,  /* a record */
    PERFCHECK_BYTES = 4,   /* bytes after a record that belong to it: trace data, AUX trace */
    PERFCHECK_LAST = 5     /* the end of the capture, after which there is no item */
} perfcheck_kind_t;

typedef struct {
    const char *id;   /* "PC0203"; never changes its meaning */
    const char *name; /* "record-size-too-small" */
    perfcheck_severity_t severity;
    const char *message;     /* "record #17 MMAP: ..." */
    const char *explanation; /* what it means and why it matters; lives forever */
    const char *stream;      /* "data", "data.3", "data/records[17]": what offset counts in */
    uint64_t offset;         /* of the first byte concerned, in the stream */
    uint64_t length;         /* bytes concerned */
    const char *path;        /* "records[17].entries[3].id" */
    const char *seen;        /* value in the capture; "": none */
    const char *expected;    /* value that would be right; "": none */
    const char *not_read_by; /* "perf 5.10, perf 6.1", "simpleperf": refuse such a capture; "": none tested */
    const char *member;      /* of a directory: "data", "data.3"; "": no member is concerned */
    int in_compressed;       /* 1: offset counts in the content of a compressed record ... */
    uint64_t record_offset;  /* ... whose own offset in the member or capture this is */
    int about_copy;   /* 1: a rewrite says what its copy lacks or has in another way; 2: whether one helps */
    const char *next; /* what to do next, "Record again."; "": nothing; lives forever */
    /* Of class "unsafe", which means that a released perf which opens such a capture reads or writes beyond
     * its memory, divides by zero, aborts, hangs, or takes memory without bound. All these live forever. */
    const char *class_name;      /* "unsafe"; "": of no class, and the next ones are "" too */
    const char *harms;           /* "perf 5.10, perf 6.1": versions of perf that were seen to do so */
    const char *harmed_commands; /* "report, script": their commands that were seen to do so */
    const char *cve;             /* "CVE-2026-80670"; "": it has none */
    const char *harm;            /* what goes wrong */
    int is_cause;                /* 1: it says what happened to the capture, and others follow from it */
    int is_related;              /* 1: it follows from the cause; known at the end of the capture */
    perfcheck_kind_t kind;       /* of the item that it is about; LAST: the capture as a whole */
    uint64_t number;             /* of this attr, feature or record: see perfcheck_item_t */
    int is_for_reader;     /* 1: it is about who the option "for" names, and no error of the capture itself */
    const char *repeats;   /* such a finding: the id of one that is less than an error for others; "": none */
    const char *statement; /* the message without what it is about: "its size is 4, ..." */
    const struct perfcheck_field *skipped; /* bytes that perfcheck_read_item passed over; or NULL */
    const char *type;                      /* "MMAP": of the record that it is about; "": of none */
    int is_demand; /* 1: it says what the options demand, and a sound capture may lack */
} perfcheck_finding_t;

/* Returns 0 to go on, anything else to stop the work: see perfcheck_on_progress_t. */
typedef int perfcheck_on_finding_t(void *ctx, const perfcheck_finding_t *finding);

/* From now on findings are passed to the callback when they are made, in the order of reading and without
 * the limit of max-per-id; none is kept. Those of a rewrite come only this way. NULL: findings are kept, as
 * in the beginning. Fails when a capture is open. The finding is valid during the call of the callback. */
PERFCHECK_API perfcheck_status_t perfcheck_on_finding(perfcheck_t *pc, perfcheck_on_finding_t *callback,
                                                      void *ctx);

/* The finding with this number, from 0 on, of those that are kept; NULL: there is none. Once perfcheck_next
 * has returned PERFCHECK_END, the first is the cause of others, if one is known; then come those that follow
 * from it (related), then all others; each of these by severity, then by place. Valid until the next call. */
PERFCHECK_API const perfcheck_finding_t *perfcheck_finding(perfcheck_t *pc, size_t number);

/* The same of those that "accept" leaves out: up to max-per-id of each. PERFCHECK_ACCEPTED counts all. */
PERFCHECK_API const perfcheck_finding_t *perfcheck_accepted(perfcheck_t *pc, size_t number);

/* All findings of a severity so far, those that were not kept included. */
PERFCHECK_API uint64_t perfcheck_count(const perfcheck_t *pc, perfcheck_severity_t severity);

/* What a finding means in general, by its id or name: severity is as the options say, message has ... for
 * what differs, and members about a place or a value are 0. number: from 0 on, for a list of all:
 * perfcheck_explain(pc, NULL, number). NULL: there is none. Valid until the next call. */
PERFCHECK_API const perfcheck_finding_t *perfcheck_explain(perfcheck_t *pc, const char *id_or_name,
                                                           size_t number);

/* Texts of findings, items, fields, events and lists keep control characters and marks of direction from now
 * on unless keep is 0: for output with escapes of its own, like JSON. What is not UTF-8 is always escaped. */
PERFCHECK_API perfcheck_status_t perfcheck_keep_controls(perfcheck_t *pc, int keep);

/* Escapes text that may hold any bytes, such as a path: as many of its first bytes as surely fit into size
 * bytes (33 at least) are written to `to`, with a NUL. keep_controls: see above. Returns how many bytes of
 * the text that were, to be called again with the rest; 0: at the end of the text, or for a smaller size. */
PERFCHECK_API size_t perfcheck_escape(const char *text, int keep_controls, char *to, size_t size);

/* --- progress --- */

/* doing: "checking", "rewriting", "verifying", "reading", "comparing"; NULL: this piece of work is over.
 * done: bytes so far, 0 when it begins. total: bytes of all of it, 0: not known. Returns 0 to go on, anything
 * else to stop the work: then the call ends with PERFCHECK_STOPPED (perfcheck_digest: NULL), as do the next
 * steps of perfcheck_next and the like, no copy is written, no more of the capture is read, and its verdict
 * is PERFCHECK_UNREADABLE; opening one begins anew. What it returns after NULL has no effect. */
typedef int perfcheck_on_progress_t(void *ctx, const char *doing, uint64_t done, uint64_t total);

/* Progress goes to the callback, several times for each MiB; NULL: nowhere. Fails if a capture is open. */
PERFCHECK_API perfcheck_status_t perfcheck_on_progress(perfcheck_t *pc, perfcheck_on_progress_t *callback,
                                                       void *ctx);

/* --- opening --- */

/* Opens a file, a directory, a FIFO, or standard input for "-". A capture that was open is closed.
 * PERFCHECK_IO: it cannot be opened; then a finding says so, and the verdict is PERFCHECK_UNREADABLE. Whether
 * it is a capture is found out by reading. */
PERFCHECK_API perfcheck_status_t perfcheck_open_path(perfcheck_t *pc, const char *path);

/* The same for a descriptor, from its position on, which may change. It stays the caller's, and open. */
PERFCHECK_API perfcheck_status_t perfcheck_open_fd(perfcheck_t *pc, int fd);

/* The same for bytes that stay as they are until the capture is closed; NULL is allowed when size is 0. */
PERFCHECK_API perfcheck_status_t perfcheck_open_memory(perfcheck_t *pc, const void *bytes, size_t size);

/* Closes the capture: verdict, findings and items are gone. */
PERFCHECK_API void perfcheck_close(perfcheck_t *pc);

/* --- reading --- */

/* Some types of records: linux/perf_event.h, and from PERFCHECK_USER_TYPES on perf: util/event.h. */
typedef enum {
    PERFCHECK_MMAP = 1,
    PERFCHECK_LOST = 2,
    PERFCHECK_COMM = 3,
    PERFCHECK_EXIT = 4,
    PERFCHECK_FORK = 7,
    PERFCHECK_SAMPLE = 9,
    PERFCHECK_MMAP2 = 10,
    PERFCHECK_LOST_SAMPLES = 13,
    PERFCHECK_USER_TYPES = 64, /* the first that perf makes up; those before are the kernel's */
    PERFCHECK_HEADER_BUILD_ID = 67,
    PERFCHECK_FINISHED_ROUND = 68,
    PERFCHECK_COMPRESSED = 81,
    PERFCHECK_COMPRESSED2 = 83
} perfcheck_record_type_t;

/* Values and bits of misc in the header of a record. */
typedef enum {
    PERFCHECK_MISC_KERNEL = 1, /* of the bits PERFCHECK_MISC_CPUMODE, as is the next one */
    PERFCHECK_MISC_USER = 2,
    PERFCHECK_MISC_CPUMODE = 7,
    PERFCHECK_MISC_COMM_EXEC = 0x2000,
    PERFCHECK_MISC_MMAP_BUILD_ID = 0x4000
} perfcheck_misc_t;

typedef struct {
    perfcheck_kind_t kind;
    uint32_t type;         /* RECORD, BYTES: the type of the record, perfcheck_record_type_t or another */
    uint16_t misc;         /* RECORD: the misc of its header, bits of perfcheck_misc_t and others */
    uint64_t number;       /* of the attr, the feature bit, or of the record from 0 on */
    const char *name;      /* "SAMPLE", "TYPE_90", "CPUDESC", "file", "pipe"; "": it has none */
    const char *stream;    /* see perfcheck_finding_t */
    uint64_t offset;       /* of its first byte, in the stream */
    uint64_t size;         /* bytes in the stream */
    const void *bytes;     /* ... those that are in memory, in the byte order of the capture */
    size_t nr_bytes;       /* may be less than size, and 0, for FEATURE and BYTES */
    const char *event;     /* SAMPLE: name of the event that governs it; "": not known */
    uint64_t fixed_period; /* SAMPLE: the period that its event has for all; 0: it has its own, or none */
    uint64_t attr; /* SAMPLE: number of the attr of this event, see perfcheck_event; UINT64_MAX: not known */
} perfcheck_item_t;

/* Reads and checks the next item. Sets *item, which may be NULL, and returns PERFCHECK_OK; or returns
 * PERFCHECK_END after the last item, and at once when the input is no capture; then *item is NULL. Damage
 * does not end the items: reading goes on where records are recognised again. An input that cannot be read on
 * ends with PERFCHECK_END and a verdict of PERFCHECK_UNREADABLE. *item is valid until the next call of
 * perfcheck_next. Samples that have no findings are checked many at once: perfcheck_summary and
 * perfcheck_entry may count those of the next 64 KiB already. */
PERFCHECK_API perfcheck_status_t perfcheck_next(perfcheck_t *pc, const perfcheck_item_t **item);

/* How many findings the item that perfcheck_next has read last has: those about it that were made so far,
 * whether they are kept or not. Those about bytes between two items belong to none. */
PERFCHECK_API uint64_t perfcheck_item_findings(const perfcheck_t *pc);

/* The finding with this number, from 0 on, of these; NULL: there is none. The first 64 of an item can be
 * asked for. Valid until the next call. */
PERFCHECK_API const perfcheck_finding_t *perfcheck_item_finding(perfcheck_t *pc, size_t number);

/* The bits of misc of the record that was read last by the names that they have in records of its type:
 * "USER|COMM_EXEC"; "": none are set, or it is no record of a known type. Valid until the next call. */
PERFCHECK_API const char *perfcheck_misc_names(perfcheck_t *pc);

/* perfcheck_next in two steps, for programs that show each finding in its place. The first one reads the next
 * item but does not check it, and passes to the callback of perfcheck_on_finding what was found about bytes
 * before the item; with PERFCHECK_END, all that is left. The second one passes what was found about the item,
 * and what its check finds: with the last item also what is found about the capture as a whole. Between them
 * the item can be asked for its fields. An item that is not checked when the next one is read is checked
 * then. Findings of these items come to the callback alone: perfcheck_item_findings has none. */
PERFCHECK_API perfcheck_status_t perfcheck_read_item(perfcheck_t *pc, const perfcheck_item_t **item);
PERFCHECK_API perfcheck_status_t perfcheck_check_item(perfcheck_t *pc);

/* Reads and checks all items that are left. Returns PERFCHECK_OK whatever the verdict is. */
PERFCHECK_API perfcheck_status_t perfcheck_check(perfcheck_t *pc);

typedef enum {
    PERFCHECK_VALID = 0,     /* no error was found */
    PERFCHECK_INVALID = 1,   /* at least one error, or it is no capture */
    PERFCHECK_UNREADABLE = 2 /* the work could not be done: read errors, no memory, a limit */
} perfcheck_verdict_t;

/* The verdict about what was read so far; about all of the capture once perfcheck_next has returned
 * PERFCHECK_END or perfcheck_check has returned. PERFCHECK_UNREADABLE when no capture is open. */
PERFCHECK_API perfcheck_verdict_t perfcheck_verdict(const perfcheck_t *pc);

typedef struct {
    const char *container;                  /* "file", "pipe", "directory"; "": it is no capture */
    int big_endian, by_simpleperf;          /* 1: it is; Android's simpleperf wrote it, not perf */
    uint64_t attrs;                         /* events */
    uint64_t records, samples;              /* compressed records count as what they hold */
    int recognised;                         /* 1: it is a capture; version and byte order are known */
    uint32_t version;                       /* of the container: 1 or 2 */
    int unfinished;                         /* 1: the recording ended before its file was complete */
    uint64_t size;                          /* of the capture; of a directory, of all its members */
    uint64_t compressed;                    /* compressed records ... */
    uint64_t compressed_in, compressed_out; /* ... bytes in them, and what came out; known at the end */
    uint64_t lost_events, lost_samples;     /* as LOST and LOST_SAMPLES say; not what filters dropped */
    uint64_t parts;                         /* captures that "rotate" wrote; 0: it was not set */
    int has_time;                           /* 1: at least one sample has a time */
    uint64_t first_time, last_time;         /* of samples, in ns */
    uint64_t cpus, cpus_online;             /* as the feature NRCPUS says; 0: there is none */
    int has_saved;      /* 1: the recording did not end, or was cut, and has no other error */
    uint64_t saved;     /* then so many records are in the copy of a salvage */
    const char *reader; /* what the option "for" names: "perf 5.10, perf 6.1", "simpleperf"; "": none */
    uint64_t searched;  /* places that were looked at to find records: each costs as much as some bytes */
} perfcheck_summary_t;

/* What was read so far; NULL: no capture is open. Valid until the next such call or close. */
PERFCHECK_API const perfcheck_summary_t *perfcheck_summary(perfcheck_t *pc);

typedef struct {
    const char *name;      /* "cycles:u"; NULL: not known */
    uint32_t type;         /* as in perf_event_attr ... */
    const char *type_name; /* ... "HARDWARE"; "": not known */
    uint64_t config;
    uint64_t sample_type;
    const char *sample_types; /* by name: "IP|TID|TIME" */
    uint64_t period;          /* or, when is_freq is 1, the frequency in Hz */
    int is_freq;
    uint64_t ids;        /* how many */
    const char *by_type; /* without a name: what perf calls such an event ("cpu-clock"); or NULL */
} perfcheck_event_t;

/* The event with this number, from 0 on, of those read so far, or NULL. Valid until the next call. */
PERFCHECK_API const perfcheck_event_t *perfcheck_event(perfcheck_t *pc, size_t number);

typedef enum {
    PERFCHECK_RECORD_TYPES = 0, /* types of records that came. number: how many records. TYPE_OTHERS, the last
                                   one: of unknown types, after too many of them for one entry each */
    PERFCHECK_FEATURES = 1,     /* number: the bit. text: that of VERSION, CMDLINE and other texts; or NULL */
    PERFCHECK_MEMBERS = 2,      /* files of a directory. number: the size in bytes */
    PERFCHECK_SUPPRESSED = 3, /* ids of findings that were not all kept. number: of those. text: their name */
    PERFCHECK_READERS = 4,  /* measured versions of perf, "6.1", one entry for each finding that concerns it.
                              text: the id. number: 1 if this perf refuses or misreads the capture because
                              of it, 2 if it is harmed (class "unsafe"). One that reads the capture has one
                              entry, with NULL and 0. Needs the option "readers"; no other changes them */
    PERFCHECK_IDS = 5,      /* ids of findings. number: how many, but for those left out. text: their name */
    PERFCHECK_ACCEPTED = 6, /* the same of those that the option "accept" leaves out */
    PERFCHECK_DROPS = 7,    /* "record:CALLCHAIN_DEFERRED", "feature:CPUID": what "drop" has to name for a
                               copy for the perf that "for" names. number: how many records */
    PERFCHECK_DEMANDS = 8   /* words of the option "require", also if no capture is open: "samples",
                               "header:ARCH", and "event:", after which a name comes */
} perfcheck_list_t;

typedef struct {
    const char *name; /* "SAMPLE", "HOSTNAME", "data.3", "PC0203" */
    const char *text; /* NULL: the list has none */
    uint64_t number;
} perfcheck_entry_t;

/* The entry with this number, from 0 on, of what was read so far; NULL: none. Valid until the next call. */
PERFCHECK_API const perfcheck_entry_t *perfcheck_entry(perfcheck_t *pc, perfcheck_list_t list, size_t number);

/* --- fields --- */

typedef enum {
    PERFCHECK_UINT = 0,   /* number holds it */
    PERFCHECK_INT = 1,    /* number holds its bits, which a cast to int64_t makes the value of */
    PERFCHECK_DOUBLE = 2, /* number holds its bits, as a uint64_t */
    PERFCHECK_BITS = 3,   /* a word of bit-fields; number holds it as on a little-endian machine */
    PERFCHECK_TEXT = 4,
    PERFCHECK_OPAQUE = 5 /* bytes without a meaning, padding */
} perfcheck_type_t;

typedef struct perfcheck_field {
    const char *path; /* "ip", "read.entries[1].value"; in the item */
    const char *name; /* its last member: "value" */
    uint64_t offset;  /* in the stream, unless in_joined is 1 */
    uint64_t size;
    perfcheck_type_t type;
    uint64_t number;     /* UINT, INT, DOUBLE, BITS: see there, in the byte order of this machine; else 0 */
    const char *value;   /* as text: decimal, or hexadecimal with 0x for addresses and flags */
    const char *meaning; /* "IP|TID|TIME", "attr #1 cycles"; "": none */
    const void *bytes;   /* in the byte order of the capture ... */
    size_t nr_bytes;     /* ... at least the first 64 of them */
    int in_joined;       /* 1: of "record", which split records of simpleperf make; offset counts in it */
} perfcheck_field_t;

/* Return 0 to go on, anything else to see no more fields. The field is valid during the call. */
typedef int perfcheck_on_field_t(void *ctx, const perfcheck_field_t *field);

/* Passes each field of the item that perfcheck_next has read last to the callback: in the order of their
 * places, padding and bytes that belong to no field included; then those that the item points to (ids of an
 * attr, section of a feature). After damage the fields end early. Returns PERFCHECK_STOPPED when the callback
 * ended it, PERFCHECK_MISUSE when there is no item. */
PERFCHECK_API perfcheck_status_t perfcheck_fields(perfcheck_t *pc, perfcheck_on_field_t *callback, void *ctx);

/* Sets *number to the number of the first field with this path in the item that was read last:
 * perfcheck_number(pc, "ip", &ip). Returns PERFCHECK_NOT_FOUND, and *number as it was, when the item has no
 * such field or it holds no number. Each call looks through the item: for many records make a handle. */
PERFCHECK_API perfcheck_status_t perfcheck_number(perfcheck_t *pc, const char *path, uint64_t *number);

/* The same for the value as text; NULL: the item has no such field. Valid until the next call. */
PERFCHECK_API const char *perfcheck_text(perfcheck_t *pc, const char *path);

/* A path that was read once. So is the place of the field in records of one type of one event. */
typedef struct perfcheck_field_of perfcheck_field_handle_t;

/* The handle of a path: perfcheck_field_handle(pc, "period"). It may be asked for at any time, holds
 * for all items and captures of pc, and is valid until perfcheck_free. Any path has one, always the same.
 * NULL: a path of NULL, or no memory: there is room for a thousand of up to 100 bytes. */
PERFCHECK_API perfcheck_field_handle_t *perfcheck_field_handle(perfcheck_t *pc, const char *path);

/* perfcheck_number and perfcheck_text by a handle of this pc. A number or name (comm, filename) in a record
 * of the kernel takes some nanoseconds, unless the record is damaged or the field is in or between arrays. */
PERFCHECK_API perfcheck_status_t perfcheck_number_of(perfcheck_t *pc, perfcheck_field_handle_t *field,
                                                     uint64_t *number);
PERFCHECK_API const char *perfcheck_text_of(perfcheck_t *pc, perfcheck_field_handle_t *field);

/* The most samples of a run, and the most fields that are asked for. */
enum { PERFCHECK_RUN_MAX = 256, PERFCHECK_RUN_FIELDS = 8 };
typedef struct {
    size_t nr;                     /* samples, one after the other: from 1 to PERFCHECK_RUN_MAX */
    uint64_t offset, bytes;        /* of the first, in its stream; of all */
    const uint32_t *size;          /* of each */
    const uint64_t *const *number; /* number[f][i]: field f of sample i; number[f] is NULL: they have none */
} perfcheck_run_t;

/* Reads and checks many samples at once: those right after the sample that was read last, of its event and
 * stream, without findings. The last of them is then the item that was read last; *item of perfcheck_next
 * stays valid. Returns PERFCHECK_NOT_FOUND, and reads nothing, when there are none, or a field is inside an
 * array or between two: perfcheck_next goes on. *run is valid until the next call. */
PERFCHECK_API perfcheck_status_t perfcheck_next_run(perfcheck_t *pc, perfcheck_field_handle_t *const *field,
                                                    size_t fields, const perfcheck_run_t **run);

/* --- rewriting --- */

/* A message of a rewrite, for people: about a path or an option, what happened and why. why may be NULL. It
 * names options as people write them for the program: `--salvage` is the option "salvage". What comes from
 * the capture or a path is not escaped here. */
typedef void perfcheck_on_message_t(void *ctx, const char *about, const char *what, const char *why);

/* Messages of a rewrite go to the callback: what was left out, why it is refused. NULL: nowhere; then
 * perfcheck_error has the last one, but for what to do next. Fails when a capture is open. */
PERFCHECK_API perfcheck_status_t perfcheck_on_message(perfcheck_t *pc, perfcheck_on_message_t *callback,
                                                      void *ctx);

/* A rewrite has findings to tell of: errors, or what a copy cannot hold or holds in another way. path names
 * the capture: the input, or the copy that is read again. During the call, and only then, the functions
 * perfcheck_finding, perfcheck_count, perfcheck_explain, perfcheck_verdict, perfcheck_summary,
 * perfcheck_event and perfcheck_entry are about this capture; they may be called with pc, no others. */
typedef void perfcheck_on_report_t(void *ctx, perfcheck_t *pc, const char *path);

/* Findings of a rewrite go to the callback, all of a capture at once, before the message that says what
 * follows from them. NULL: nowhere. Fails when a capture is open. */
PERFCHECK_API perfcheck_status_t perfcheck_on_report(perfcheck_t *pc, perfcheck_on_report_t *callback,
                                                     void *ctx);

/* Something that the copy of a salvage does not have as the capture has it. */
typedef struct {
    const char *how;    /* "left out", "mended" (a word of the header that others prove), "made anew" */
    const char *what;   /* "records", "bytes" (of no whole record), "attr", "feature", "header", "members" */
    const char *name;   /* of the type of all the records, of the feature; "": it has none */
    uint64_t number;    /* of the attr, the feature bit, or of the first record or missing member data.N */
    uint64_t records;   /* how many records, or members */
    const char *stream; /* see perfcheck_finding_t */
    uint64_t offset, size; /* in the stream; size is 0 for attrs and features */
    const char *id;        /* of the finding that was the reason; NULL: none */
} perfcheck_loss_t;

/* Returns 0 to go on, anything else: the copy is not wanted (PERFCHECK_STOPPED). */
typedef int perfcheck_on_loss_t(void *ctx, const perfcheck_loss_t *loss);
/* Up to 1000 losses go to the callback before there is a copy. NULL: nowhere. Fails if a capture is open. */
PERFCHECK_API perfcheck_status_t perfcheck_on_loss(perfcheck_t *pc, perfcheck_on_loss_t *callback, void *ctx);

typedef struct {
    uint64_t saved;          /* records of the copy */
    uint64_t records, bytes; /* left out: records, and bytes that belong to no whole one */
    uint64_t losses;         /* in the list of them, those included that had no room there */
    uint64_t moved;          /* records that became attrs and features of a file */
    uint64_t merged;         /* the same in a pipe: those that were made one with others */
    uint64_t made;           /* of the copy, a pipe: records of attrs and features that only it has */
    uint64_t unneeded;       /* records that the copy does without */
    uint64_t compressed;     /* of those left out: these hold others, and are not counted elsewhere */
} perfcheck_salvage_t;

/* What the last salvage with this handle saved; NULL: it wrote nothing. Valid until another copy is begun. */
PERFCHECK_API const perfcheck_salvage_t *perfcheck_salvaged(const perfcheck_t *pc);

/* Asked when a copy is whole and on the disk, before it gets the name `output`; perfcheck_copied and
 * perfcheck_salvaged may be called then. Not for parts of rotations. Returns as perfcheck_on_loss_t. */
typedef int perfcheck_on_ready_t(void *ctx);
PERFCHECK_API perfcheck_status_t perfcheck_on_ready(perfcheck_t *pc, perfcheck_on_ready_t *ready, void *ctx);

/* Writes a canonical copy of the open capture, of which nothing was read yet, as the options say, and closes
 * the capture. The copy is read again and compared before it gets its name: the output appears whole or not
 * at all. An output that exists is replaced only with the option "force"; inputs are never written. "-" is
 * standard output. PERFCHECK_REFUSED: the capture has errors, or something in it cannot be carried over;
 * findings say what. PERFCHECK_IO: it could not be read or written. With the option "rotate" the copies are
 * output.0, output.1, ..., and those that were written stay when a later one fails. */
PERFCHECK_API perfcheck_status_t perfcheck_rewrite(perfcheck_t *pc, const char *output);

/* Whether a copy for the perf that the option "for" names, in some container, has no finding of this id
 * (PC11..): 1, as far as is known before it is written, or 0. */
PERFCHECK_API int perfcheck_mends(perfcheck_t *pc, const char *id);

/* Takes the next size bytes of a copy; 0: go on, anything else: the copy is not wanted. */
typedef int perfcheck_on_bytes_t(void *ctx, const void *bytes, size_t size);

/* The same, but the copy goes to the callback once it is verified: front to back, in pieces. A directory
 * cannot be written this way. PERFCHECK_STOPPED: the callback ended it. */
PERFCHECK_API perfcheck_status_t perfcheck_rewrite_to(perfcheck_t *pc, perfcheck_on_bytes_t *callback,
                                                      void *ctx);

/* The copy that the last rewrite, split (its perf.data) or join wrote and verified, until the next is begun:
 * container, byte order, version, attrs, records and size of the file with the records; unfinished is 1 when
 * the input is a stream that ended inside a record, whose part is left out (all that is set if unverified).
 * After a rotation it is the last capture, but records counts those of all, without the repeated ones, and
 * parts is the number of captures. No other member is set. NULL: none, or neither verified nor unfinished. */
PERFCHECK_API const perfcheck_summary_t *perfcheck_copied(const perfcheck_t *pc);

/* Makes the directory `output` of the open directory capture, and closes it: perf.data, one file with all
 * records as the options say, and a copy of each kcore_dir beside it. All else is as for perfcheck_rewrite,
 * but the option "to" has no effect, and "-" is refused. */
PERFCHECK_API perfcheck_status_t perfcheck_split(perfcheck_t *pc, const char *output);

/* Makes the directory capture `output` of the open capture, and closes it: its records in the member `data`,
 * a copy of each kcore_dir that it has, and of the directories with these nr paths, which are named kcore_dir
 * or kcore_dir__PID. kcore may be NULL when nr is 0. All else is as for perfcheck_split. */
PERFCHECK_API perfcheck_status_t perfcheck_join(perfcheck_t *pc, char *const *kcore, size_t nr,
                                                const char *output);

/* The digest of the content of the open capture, of which nothing was read yet: "pc1:" and 32 hexadecimal
 * digits, the same for any byte order, container and padding. Closes the capture. NULL: there is none; see
 * perfcheck_error. Valid until the next call. */
PERFCHECK_API const char *perfcheck_digest(perfcheck_t *pc);

/* What differs. kind: PERFCHECK_ATTR, PERFCHECK_FEATURE or PERFCHECK_RECORD. path: "records[17].SAMPLE.ip". a
 * and b: the value in either capture. The strings are valid during the call. */
typedef void perfcheck_on_difference_t(void *ctx, perfcheck_kind_t kind, const char *path, const char *a,
                                       const char *b);

/* Compares the content of two open captures, of which nothing was read yet, and passes the differences to the
 * callback: first those of records, as they are read, then those of attrs and of features. There is none when
 * the digests are the same. PERFCHECK_REFUSED, PERFCHECK_IO: the captures cannot be compared, and differences
 * that were told mean nothing; perfcheck_error of the handle that is why says so, that of the other one is
 * "". Both captures stay open: their findings, verdicts and summaries are those at their ends. */
PERFCHECK_API perfcheck_status_t perfcheck_diff(perfcheck_t *a, perfcheck_t *b,
                                                perfcheck_on_difference_t *callback, void *ctx);

/* A stream that perfcheck_rewrite reads, now or next, ends with what has arrived, as if its writer had ended
 * it there. Async-signal-safe: it is meant for a handler of a signal in the thread of the rewrite. */
PERFCHECK_API void perfcheck_end_input(perfcheck_t *pc);

/* Removes the temporary files of all rewrites of this process that are not finished. Async-signal-safe: it is
 * meant for a handler of a signal that ends the program, and for nothing else. */
PERFCHECK_API void perfcheck_remove_temporaries(void);

#ifdef __cplusplus
}
#endif

#endif
