/* SPDX-License-Identifier: MIT
 *
 * The public interface, as another program sees it: handles, findings, opening, options, mistakes, threads.
 */
#include "lib_bench.h"

#include <pthread.h>

static const char no_capture[] = "this is no capture of perf, but long enough to have its header";

static void the_verdict_is_that_of_the_index(void **state)
{
    (void)state;
    for (size_t i = 0; i < nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i];
        perfcheck_t *pc = open_capture(c);
        assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
        bool valid = strcmp(c->expect, "valid") == 0;
        assert_int_equal(perfcheck_verdict(pc), valid ? PERFCHECK_VALID : PERFCHECK_INVALID);
        assert_int_equal(perfcheck_count(pc, PERFCHECK_ERROR) == 0, valid);
        const perfcheck_summary_t *sum = perfcheck_summary(pc);
        assert_string_equal(sum->container, strcmp(c->mode, "pipe") == 0 ? "pipe" : "file");
        assert_int_equal(sum->big_endian, strcmp(c->order, "big") == 0);
        assert_true(sum->records >= sum->samples && sum->attrs > 0);
        perfcheck_free(pc);
    }
}

/* By eight bytes, and not by less or more of them. */
static void captures_are_known_by_their_magic(void **state)
{
    (void)state;
    static const char *const begins[] = { "PERFILE2", "2ELIFREP", "PERFFILE", "PERFILE2 and what follows" };
    static const char *const others[] = { "PERFILE3", "perfile2", "\177ELF\2\1\1", " PERFILE2" };
    for (size_t i = 0; i < PC_COUNT_OF(begins); i++) {
        assert_int_not_equal(perfcheck_is_capture(begins[i], strlen(begins[i])), 0);
        assert_int_equal(perfcheck_is_capture(begins[i], 7), 0);
    }
    for (size_t i = 0; i < PC_COUNT_OF(others); i++)
        assert_int_equal(perfcheck_is_capture(others[i], strlen(others[i])), 0);
    assert_int_equal(perfcheck_is_capture(NULL, 8), 0);
}

static void kcore_directories_are_known_by_their_names(void **state)
{
    (void)state;
    assert_int_not_equal(perfcheck_is_kcore_dir("kcore_dir"), 0);
    assert_int_not_equal(perfcheck_is_kcore_dir("kcore_dir__1234"), 0);
    static const char *const others[] = { "kcore", "kcore_dir__", "kcore_dir__x", "kcore_dir2", "data", "" };
    for (size_t i = 0; i < PC_COUNT_OF(others); i++)
        assert_int_equal(perfcheck_is_kcore_dir(others[i]), 0);
    assert_int_equal(perfcheck_is_kcore_dir(NULL), 0);
}

/* Sums of what findings say, in an order that does not matter. */
struct sum {
    uint64_t nr, letters, offsets;
};

static int add_finding(void *ctx, const perfcheck_finding_t *f)
{
    struct sum *sum = ctx;
    sum->nr++;
    sum->offsets += f->offset;
    for (const char *c = f->message; *c; c++)
        sum->letters += (unsigned char)*c;
    assert_true(f->id[0] == 'P' && *f->name && *f->path && *f->stream && *f->explanation);
    return 0;
}

static void findings_are_kept_or_passed_on(void **state)
{
    (void)state;
    uint64_t all = 0;
    for (size_t i = 0; i < nr_real_captures; i++) {
        struct sum kept = { 0 }, passed = { 0 };
        const perfcheck_finding_t *f;
        perfcheck_t *pc = perfcheck_new();
        assert_int_equal(perfcheck_set(pc, "max-per-id", "1000000"), PERFCHECK_OK);
        assert_int_equal(perfcheck_open_memory(pc, real_captures[i].bytes, real_captures[i].len), 0);
        assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
        for (size_t n = 0; (f = perfcheck_finding(pc, n)) != NULL; n++)
            add_finding(&kept, f);
        perfcheck_close(pc);
        assert_int_equal(perfcheck_on_finding(pc, add_finding, &passed), PERFCHECK_OK);
        assert_int_equal(perfcheck_open_memory(pc, real_captures[i].bytes, real_captures[i].len), 0);
        assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
        assert_null(perfcheck_finding(pc, 0));
        uint64_t counted = 0;
        for (int severity = PERFCHECK_NOTE; severity <= PERFCHECK_ERROR; severity++)
            counted += perfcheck_count(pc, (perfcheck_severity_t)severity);
        assert_true(counted == passed.nr);
        assert_memory_equal(&kept, &passed, sizeof(kept));
        all += passed.nr;
        perfcheck_free(pc);
    }
    assert_true(all > 10);
}

static void every_finding_is_explained(void **state)
{
    (void)state;
    perfcheck_t *pc = perfcheck_new();
    const perfcheck_finding_t *f;
    char id[16];
    size_t nr = 0;
    for (; (f = perfcheck_explain(pc, NULL, nr)) != NULL; nr++) {
        assert_true(*f->message && *f->explanation && !strchr(f->message, '{'));
        snprintf(id, sizeof(id), "%s", f->id);
        assert_string_equal(perfcheck_explain(pc, perfcheck_explain(pc, id, 0)->name, 0)->id, id);
    }
    f = perfcheck_explain(pc, "PC0534", 0);
    assert_string_equal(f->class_name, "unsafe");
    assert_string_equal(f->harms, "perf 5.10, perf 6.1, perf 6.12");
    assert_string_equal(f->cve, "CVE-2026-80670");
    assert_true(*f->harm && *f->harmed_commands);
    f = perfcheck_explain(pc, "PC0101", 0);
    assert_true(!*f->class_name && !*f->harms && !*f->harmed_commands && !*f->cve && !*f->harm);
    assert_true(nr > 300);
    assert_null(perfcheck_explain(pc, "PC9999", 0));
    perfcheck_free(pc);
}

static void a_path_a_descriptor_and_memory_are_the_same(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("6.12-kill9");
    perfcheck_t *pc = open_capture(c);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    uint64_t records = perfcheck_summary(pc)->records, errors = perfcheck_count(pc, PERFCHECK_ERROR);
    assert_true(records > 0 && errors > 0);
    assert_int_equal(perfcheck_open_path(pc, c->path), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_true(perfcheck_summary(pc)->records == records);
    int fd = open(c->path, O_RDONLY);
    assert_int_equal(perfcheck_open_fd(pc, fd), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_true(perfcheck_summary(pc)->records == records && perfcheck_count(pc, PERFCHECK_ERROR) == errors);
    perfcheck_free(pc);
    assert_int_equal(close(fd), 0); /* it was not closed before */
}

static void options_change_what_is_found(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("6.12-kill9");
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_set(pc, "severity", "unfinished-capture=warning"), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "disable", "PC0125"), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_VALID);
    assert_true(perfcheck_count(pc, PERFCHECK_WARNING) > 0);
    perfcheck_close(pc);
    assert_int_equal(perfcheck_set(pc, "disable", "PC0125"), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_null(perfcheck_finding(pc, 0));
    perfcheck_free(pc);
}

static void a_wrong_option_is_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        const char *option, *value, *why;
    } rows[] = {
        { "unheard-of", "1", "unknown option" },
        { "max-memory", NULL, "no value" },
        { "max-memory", "1", "at least 1M" },
        { "max-memory", "much", "takes a size" },
        { "max-spool", "18446744073709551615G", "takes a size" },
        { "max-per-id", "1K", "takes a number" },
        { "force", "yes", "a value for option" },
        { "for", "perf", "takes perf-5.10" },
        { "byte-order", "middle", "takes keep" },
        { "to", "tape", "takes keep" },
        { "compress", "23", "from 1 to 22" },
        { "drop", "record:", "takes record:TYPE" },
        { "severity", "PC0125", "ID=LEVEL" },
        { "severity", "PC0125=loud", "takes error" },
        { "disable", "PC9999", "unknown finding" },
        { "disable", "PC0001", "could not be done" },
    };
    perfcheck_t *pc = perfcheck_new();
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(perfcheck_set(pc, rows[i].option, rows[i].value), PERFCHECK_MISUSE);
        assert_non_null(strstr(perfcheck_error(pc), rows[i].why));
        assert_int_equal(perfcheck_set(pc, "max-per-id", "20"), PERFCHECK_OK);
        assert_string_equal(perfcheck_error(pc), "");
    }
    assert_int_equal(perfcheck_set(pc, "compress", NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_set(pc, "decompress", NULL), PERFCHECK_MISUSE);
    perfcheck_free(pc);
}

struct progress {
    char doing[32];
    uint64_t last, total;
    unsigned begun, ended;
};

static int take_progress(void *ctx, const char *doing, uint64_t done, uint64_t total)
{
    struct progress *p = ctx;
    if (!doing) {
        p->ended++;
        return 0;
    }
    p->begun += done == 0;
    snprintf(p->doing, sizeof(p->doing), "%s", doing);
    assert_true(done == 0 || done >= p->last);
    p->last = done;
    p->total = total;
    return 0;
}

static void progress_is_reported(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("7.2-cpuclock");
    struct progress p = { .begun = 0 };
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_on_progress(pc, take_progress, &p), PERFCHECK_OK);
    assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_OK);
    assert_string_equal(p.doing, "checking");
    assert_true(p.begun == 1 && p.ended == 1 && p.last > 0 && p.total == c->len);
    perfcheck_free(pc);
}

/* Stops the work with the finding of this number. */
struct stopping {
    unsigned at, calls;
};

static int stop_at_finding(void *ctx, const perfcheck_finding_t *finding)
{
    struct stopping *s = ctx;
    (void)finding;
    return s->calls++ == s->at;
}

static void a_callback_for_findings_stops_the_work(void **state)
{
    (void)state;
    const struct real_capture *c = capture_named("5.10-pipe2file");
    for (unsigned at = 0; at < 10; at++) {
        for (int by_items = 0; by_items < 2; by_items++) {
            struct stopping s = { .at = at };
            perfcheck_status_t status = PERFCHECK_OK;
            perfcheck_t *pc = perfcheck_new();
            assert_int_equal(perfcheck_on_finding(pc, stop_at_finding, &s), PERFCHECK_OK);
            assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
            if (!by_items)
                status = perfcheck_check(pc);
            while (status == PERFCHECK_OK)
                status = perfcheck_next(pc, NULL);
            assert_int_equal(status, PERFCHECK_STOPPED);
            assert_int_equal(s.calls, at + 1);
            assert_string_equal(perfcheck_error(pc), "a callback ended it");
            assert_int_equal(perfcheck_verdict(pc), PERFCHECK_UNREADABLE);
            for (int again = 0; again < 2; again++) {
                assert_int_equal(perfcheck_next(pc, NULL), PERFCHECK_STOPPED);
                assert_int_equal(perfcheck_read_item(pc, NULL), PERFCHECK_STOPPED);
                assert_int_equal(perfcheck_check_item(pc), PERFCHECK_STOPPED);
                assert_int_equal(perfcheck_check(pc), PERFCHECK_STOPPED);
            }
            assert_int_equal(s.calls, at + 1);
            assert_int_equal(perfcheck_open_memory(pc, c->bytes, c->len), PERFCHECK_OK);
            assert_int_equal(perfcheck_next(pc, NULL), PERFCHECK_OK);
            perfcheck_free(pc);
        }
    }
}

static void an_input_that_is_no_capture_has_a_verdict(void **state)
{
    (void)state;
    const perfcheck_item_t *item;
    perfcheck_t *pc = perfcheck_new();
    for (size_t size = 0; size <= sizeof(no_capture); size += sizeof(no_capture)) {
        assert_int_equal(perfcheck_open_memory(pc, size ? no_capture : NULL, size), PERFCHECK_OK);
        assert_int_equal(perfcheck_next(pc, &item), PERFCHECK_END);
        assert_null(item);
        assert_int_equal(perfcheck_verdict(pc), PERFCHECK_INVALID);
        assert_non_null(perfcheck_finding(pc, 0));
        assert_string_equal(perfcheck_summary(pc)->container, "");
        assert_int_equal(perfcheck_open_memory(pc, no_capture, size), PERFCHECK_OK);
        assert_null(perfcheck_digest(pc));
        assert_string_not_equal(perfcheck_error(pc), "");
    }
    perfcheck_free(pc);
}

static void an_input_that_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    char path[SCRATCH_PATH];
    scratch_path(path, "missing");
    perfcheck_t *pc = perfcheck_new();
    assert_int_equal(perfcheck_open_path(pc, path), PERFCHECK_IO);
    assert_string_equal(perfcheck_error(pc), "No such file or directory");
    assert_int_equal(perfcheck_next(pc, NULL), PERFCHECK_END);
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_UNREADABLE);
    assert_string_equal(perfcheck_finding(pc, 0)->name, "open-failed");
    assert_true(perfcheck_count(pc, PERFCHECK_ERROR) == 1 && !perfcheck_summary(pc)->recognised);
    assert_int_equal(perfcheck_open_fd(pc, -1), PERFCHECK_IO);
    assert_string_equal(perfcheck_error(pc), "Bad file descriptor");
    assert_int_equal(perfcheck_open_path(pc, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_open_memory(pc, NULL, 1), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_check(pc), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_verdict(pc), PERFCHECK_UNREADABLE);
    assert_null(perfcheck_summary(pc));
    assert_null(perfcheck_finding(pc, 0));
    assert_true(perfcheck_count(pc, PERFCHECK_ERROR) == 0);
    perfcheck_free(pc);
}

static void null_is_refused_everywhere(void **state)
{
    (void)state;
    uint64_t number;
    const perfcheck_item_t *item;
    assert_string_not_equal(perfcheck_error(NULL), "");
    perfcheck_free(NULL);
    perfcheck_close(NULL);
    assert_int_equal(perfcheck_set(NULL, "force", NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_on_finding(NULL, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_on_progress(NULL, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_on_message(NULL, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_open_path(NULL, "x"), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_open_fd(NULL, 0), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_open_memory(NULL, "x", 1), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_next(NULL, &item), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_check(NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_fields(NULL, take_field, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_number(NULL, "ip", &number), PERFCHECK_MISUSE);
    assert_null(perfcheck_text(NULL, "ip"));
    assert_int_equal(perfcheck_rewrite(NULL, "x"), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_rewrite_to(NULL, take_bytes, NULL), PERFCHECK_MISUSE);
    assert_null(perfcheck_digest(NULL));
    assert_null(perfcheck_finding(NULL, 0));
    assert_null(perfcheck_explain(NULL, NULL, 0));
    assert_null(perfcheck_summary(NULL));
    assert_int_equal(perfcheck_verdict(NULL), PERFCHECK_UNREADABLE);
    assert_true(perfcheck_count(NULL, PERFCHECK_ERROR) == 0);

    perfcheck_t *pc = open_capture(capture_named("7.2-cpuclock"));
    assert_int_equal(perfcheck_set(pc, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_rewrite(pc, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_rewrite_to(pc, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_next(pc, NULL), PERFCHECK_OK);
    assert_int_equal(perfcheck_fields(pc, NULL, NULL), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_number(pc, NULL, &number), PERFCHECK_MISUSE);
    assert_int_equal(perfcheck_number(pc, "magic", &number), PERFCHECK_NOT_FOUND);
    assert_int_equal(perfcheck_number(pc, "size", NULL), PERFCHECK_MISUSE);
    perfcheck_free(pc);
}

/* Two handles at the same time, read in turn, and copies into one folder. */
static void *work(void *ctx)
{
    const char *name = ctx;
    uint64_t wrong = 0;
    char path[SCRATCH_PATH];
    scratch_path(path, name);
    for (size_t i = 0; i + 1 < nr_real_captures; i++) {
        const struct real_capture *c[2] = { &real_captures[i], &real_captures[i + 1] };
        perfcheck_t *pc[2] = { perfcheck_new(), perfcheck_new() };
        perfcheck_status_t status[2];
        for (int k = 0; k < 2; k++)
            wrong += perfcheck_open_memory(pc[k], c[k]->bytes, c[k]->len) != PERFCHECK_OK;
        do {
            status[0] = perfcheck_next(pc[0], NULL);
            status[1] = perfcheck_next(pc[1], NULL);
        } while (status[0] == PERFCHECK_OK || status[1] == PERFCHECK_OK);
        for (int k = 0; k < 2; k++)
            wrong += (perfcheck_verdict(pc[k]) == PERFCHECK_VALID) != (strcmp(c[k]->expect, "valid") == 0);
        wrong += perfcheck_open_memory(pc[0], c[0]->bytes, c[0]->len) != PERFCHECK_OK;
        int expected = strcmp(c[0]->expect, "valid") == 0 ? PERFCHECK_OK : PERFCHECK_REFUSED;
        wrong += perfcheck_rewrite(pc[0], path) != expected;
        wrong += expected == PERFCHECK_OK && unlink(path) != 0;
        perfcheck_free(pc[0]);
        perfcheck_free(pc[1]);
    }
    return wrong == 0 ? NULL : ctx;
}

static void two_threads_can_use_two_handles(void **state)
{
    (void)state;
    static char one[] = "one", two[] = "two";
    pthread_t thread;
    void *other;
    assert_int_equal(pthread_create(&thread, NULL, work, one), 0);
    assert_null(work(two));
    assert_int_equal(pthread_join(thread, &other), 0);
    assert_null(other);
    assert_int_equal(scratch_entries(), 0);
}

static void every_status_has_a_name(void **state)
{
    (void)state;
    assert_string_equal(perfcheck_status_name(PERFCHECK_OK), "PERFCHECK_OK");
    assert_string_equal(perfcheck_status_name(PERFCHECK_NO_MEMORY), "PERFCHECK_NO_MEMORY");
    for (int i = PERFCHECK_NOT_FOUND; i <= PERFCHECK_OK; i++)
        assert_string_not_equal(perfcheck_status_name((perfcheck_status_t)i), "PERFCHECK_UNKNOWN");
    assert_string_equal(perfcheck_status_name((perfcheck_status_t)(PERFCHECK_NOT_FOUND - 1)),
                        "PERFCHECK_UNKNOWN");
    assert_string_equal(perfcheck_status_name((perfcheck_status_t)1), "PERFCHECK_UNKNOWN");
}

/* The path of a finding begins with that of its item. */
static void assert_is_of_item(const perfcheck_finding_t *f, const perfcheck_item_t *item)
{
    static const char *const begins[] = { "header",        "attrs[%llu]",   "features.",
                                          "records[%llu]", "records[%llu]", "capture" };
    char begin[40];
    snprintf(begin, sizeof(begin), begins[item->kind], (unsigned long long)item->number);
    assert_memory_equal(f->path, begin, strlen(begin));
    assert_string_equal(f->stream, item->stream);
    assert_true(item->kind != PERFCHECK_RECORD ||
                (f->offset >= item->offset && f->offset + f->length <= item->offset + item->size));
}

static void findings_of_items_are_those_about_them(void **state)
{
    (void)state;
    uint64_t found = 0;
    for (size_t i = 0; i < nr_real_captures; i++) {
        perfcheck_t *pc = open_capture(&real_captures[i]);
        const perfcheck_item_t *item;
        uint64_t of_items = 0, all = 0;
        assert_int_equal(perfcheck_item_findings(pc), 0);
        while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
            uint64_t nr = perfcheck_item_findings(pc);
            for (size_t k = 0; k < nr && k < 64; k++)
                assert_is_of_item(perfcheck_item_finding(pc, k), item);
            assert_null(perfcheck_item_finding(pc, (size_t)nr));
            of_items += nr;
        }
        assert_int_equal(perfcheck_item_findings(pc), 0);
        for (int severity = 0; severity <= PERFCHECK_ERROR; severity++)
            all += perfcheck_count(pc, (perfcheck_severity_t)severity);
        assert_true(of_items <= all); /* others are about bytes between items, or about earlier ones */
        found += of_items;
        perfcheck_free(pc);
    }
    assert_true(found > 20);
    assert_int_equal(perfcheck_item_findings(NULL), 0);
    assert_null(perfcheck_item_finding(NULL, 0));
}

/* The event of a sample, as the meaning of its id says. */
struct event_of_id {
    char name[200];
};

static int take_event(void *ctx, const perfcheck_field_t *f)
{
    struct event_of_id *event = ctx;
    unsigned attr;
    int used = 0;
    if (strcmp(f->path, "id") != 0 && strcmp(f->path, "identifier") != 0)
        return 0;
    if (sscanf(f->meaning, "attr #%u %n", &attr, &used) == 1)
        snprintf(event->name, sizeof(event->name), "%s", f->meaning + used);
    return 1;
}

static int take_offset(void *ctx, const perfcheck_field_t *f)
{
    *(uint64_t *)ctx = f->offset;
    return 1;
}

static uint64_t load(const struct real_capture *c, const unsigned char *at, unsigned width)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        value = value << 8 | at[strcmp(c->order, "big") == 0 ? i : width - 1 - i];
    return value;
}

static void assert_is_record(perfcheck_t *pc, const struct real_capture *c, const perfcheck_item_t *item,
                             uint64_t number)
{
    struct event_of_id event = { "" };
    const unsigned char *bytes = item->bytes;
    uint64_t offset;
    assert_true(item->number == number);
    assert_int_equal(perfcheck_fields(pc, take_offset, &offset), PERFCHECK_STOPPED);
    assert_true(item->offset == offset);
    assert_true(item->nr_bytes == item->size && item->size == load(c, bytes + 6, 2));
    assert_int_equal(item->type, load(c, bytes, 4));
    assert_int_equal(item->misc, load(c, bytes + 4, 2));
    if (strcmp(item->stream, "data") == 0)
        assert_memory_equal(c->bytes + item->offset, bytes, (size_t)item->size);
    if (strcmp(item->name, "SAMPLE") != 0) {
        assert_string_equal(item->event, "");
        return;
    }
    if (perfcheck_event(pc, 1))
        perfcheck_fields(pc, take_event, &event);
    else
        snprintf(event.name, sizeof(event.name), "%s", perfcheck_event(pc, 0)->name);
    if (*event.name)
        assert_string_equal(item->event, event.name);
}

/* Whether all items are looked at, or some are passed over. */
static void items_are_what_is_in_the_capture(void **state)
{
    (void)state;
    for (size_t i = 0; i < 3 * nr_real_captures; i++) {
        const struct real_capture *c = &real_captures[i / 3];
        const perfcheck_item_t *item;
        uint64_t records = 0;
        if (strcmp(c->expect, "valid") != 0)
            continue;
        perfcheck_t *pc = open_capture(c);
        for (unsigned n = 0; perfcheck_next(pc, &item) == PERFCHECK_OK; n++) {
            if (item->kind == PERFCHECK_RECORD)
                assert_is_record(pc, c, item, records++);
            if (i % 3 == 0 || n % (3 * i % 7 + 2) != 0 || item->kind != PERFCHECK_RECORD || records < 20)
                continue;
            uint64_t misc;
            if (perfcheck_next(pc, NULL) != PERFCHECK_OK)
                break;
            records += perfcheck_number(pc, "misc", &misc) == PERFCHECK_OK; /* only records have it */
        }
        assert_true(records > 10);
        perfcheck_free(pc);
    }
}

/* Four samples that are judged together: the second one begins in one compressed record and ends in the next,
 * so that the third one is at 24 in that. */
static void a_sample_is_in_the_compressed_record_where_it_begins(void **state)
{
    (void)state;
    static const struct {
        const char *stream;
        uint64_t offset;
    } rows[] = { { "data/records[0]", 24 },
                 { "data/records[0]", 56 },
                 { "data/records[3]", 24 },
                 { "data/records[3]", 56 } };
    const perfcheck_item_t *item;
    size_t nr = 0;
    assemble("expect: valid\nrecords: 5\nfile\n"
             "attr type=1 config=0 sample_period=9 sample_type=IP|TID|TIME flags=disabled ids=11\ndata\n"
             "record COMPRESSED\n  u8 0x28 0xb5 0x2f 0xfd 0 0x58 ; u8 64*8-512 2 0\n"
             "  record COMM ; u32 100 100 ; str \"one\" ; end\n"
             "  record SAMPLE misc=USER ; u64 0x400100 ; u32 100 100 ; u64 1000 ; end\n"
             "  u32 rec.SAMPLE ; u16 misc.USER 32\nend\n"
             "record COMPRESSED\n  u8 88*8-512 2 0\n  u64 0x400108 ; u32 100 100 ; u64 1001\n"
             "  record SAMPLE misc=USER ; u64 0x400110 ; u32 100 100 ; u64 1002 ; end\n"
             "  record SAMPLE misc=USER ; u64 0x400118 ; u32 100 100 ; u64 1003 ; end\nend\n"
             "feature COMPRESSED ; u32 0 1 1 1 528384 ; end\n",
             one_path);
    perfcheck_t *pc = open_path(one_path);
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        if (strcmp(item->name, "SAMPLE") != 0)
            continue;
        assert_true(nr < PC_COUNT_OF(rows));
        assert_string_equal(item->stream, rows[nr].stream);
        assert_int_equal(item->offset, rows[nr].offset);
        nr++;
    }
    assert_int_equal(nr, PC_COUNT_OF(rows));
    perfcheck_free(pc);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(items_are_what_is_in_the_capture),
    cmocka_unit_test(a_callback_for_findings_stops_the_work),
    cmocka_unit_test(findings_of_items_are_those_about_them),
    cmocka_unit_test(every_status_has_a_name),
    cmocka_unit_test(captures_are_known_by_their_magic),
    cmocka_unit_test(kcore_directories_are_known_by_their_names),
    cmocka_unit_test(the_verdict_is_that_of_the_index),
    cmocka_unit_test(findings_are_kept_or_passed_on),
    cmocka_unit_test(every_finding_is_explained),
    cmocka_unit_test(a_path_a_descriptor_and_memory_are_the_same),
    cmocka_unit_test(options_change_what_is_found),
    cmocka_unit_test(a_wrong_option_is_refused_with_a_reason),
    cmocka_unit_test(progress_is_reported),
    cmocka_unit_test(an_input_that_is_no_capture_has_a_verdict),
    cmocka_unit_test(an_input_that_cannot_be_opened_is_an_error),
    cmocka_unit_test(null_is_refused_everywhere),
    cmocka_unit_test(two_threads_can_use_two_handles),
    cmocka_unit_test(a_sample_is_in_the_compressed_record_where_it_begins),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
