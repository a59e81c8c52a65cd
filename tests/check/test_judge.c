/* SPDX-License-Identifier: MIT
 *
 * Judging an item depends on the item and the model alone: items that share a model are judged in their
 * order, in the reverse order, and by two threads at once, each with what it was not asked for before.
 */
#include "check/scan.h"
#include "pc_test.h"

#include <pthread.h>
#include <string.h>

enum { BATCH_MAX = 256, FILE_MAX = 1 << 20, ITEMS_MAX = 1 << 16 };

/* A copy of a record, which outlives the next item. */
struct kept {
    struct pc_item item;
    struct pc_judged judged;
};

static unsigned char bytes[FILE_MAX];
static size_t len;
static bool changes[ITEMS_MAX]; /* items with which the model changes */
static struct kept kept[BATCH_MAX];
static size_t nr_kept;
static uint64_t findings; /* in all */
static struct pc_policy policy;
static struct pc_scan scan;
static uint32_t all_fields[PC_FACTS_OF_FEATURE(PC_FEATURES) + 1];

/* --- what a judge yields, as one number --- */

struct output {
    struct pc_judge judge;
    struct pc_mem mem;
    uint64_t hash, findings;
};

static void add(uint64_t *hash, uint64_t value)
{
    *hash = (*hash ^ value) * 0x100000001b3;
    *hash ^= *hash >> 29;
}

static void add_value(uint64_t *hash, const struct pc_value *value)
{
    add(hash, (uint64_t)value->kind);
    add(hash, value->n);
    add(hash, (uintptr_t)value->text);
    for (unsigned i = 0; i < value->len; i++)
        add(hash, value->bytes[i]);
}

static void take(void *ctx, const struct pc_finding *f)
{
    struct output *out = ctx;
    out->findings++;
    add(&out->hash, f->id);
    add(&out->hash, f->place);
    add(&out->hash, f->reader);
    add(&out->hash, f->number);
    add(&out->hash, (uintptr_t)f->subject);
    add(&out->hash, f->where.stream);
    add(&out->hash, f->where.wrapper);
    add(&out->hash, f->offset);
    add(&out->hash, f->length);
    for (unsigned i = 0; i < f->depth; i++) {
        add(&out->hash, (uintptr_t)f->path[i].name);
        add(&out->hash, f->path[i].index);
    }
    add_value(&out->hash, &f->seen);
    add_value(&out->hash, &f->expected);
}

static void show(void *ctx, const struct pc_facts *facts, const struct pc_leaf *leaf)
{
    struct output *out = ctx;
    add(&out->hash, facts->of);
    add(&out->hash, leaf->at);
    add(&out->hash, leaf->value);
}

static void begin_output(struct output *out)
{
    pc_mem_init(&out->mem, (uint64_t)64 << 20);
    pc_judge_init(&out->judge, &out->mem, &scan.capture);
    out->judge.asked = out->judge.reader = PC_BY_ALL;
    out->judge.wanted = all_fields;
    out->judge.on_finding = take;
    out->judge.show = show;
    out->judge.ctx = out;
    out->findings = 0;
}

static void end_output(struct output *out)
{
    pc_judge_clear(&out->judge);
    assert_int_equal(out->mem.used, 0);
}

static uint64_t judge(struct output *out, const struct pc_item *item)
{
    out->hash = 0;
    const struct pc_facts *facts = pc_judge_item(&out->judge, item);
    add(&out->hash, (uint64_t)facts->came << 2 | (uint64_t)facts->sound << 1 | facts->faulty);
    add(&out->hash, facts->at->number);
    add(&out->hash, facts->at->offset);
    for (unsigned i = 0; facts->sound && item->type != PC_HEADER_ATTR && i < PC_SLOTS; i++) {
        add(&out->hash, facts->slot[i]);
        add(&out->hash, facts->slot_at[i]);
    }
    return out->hash;
}

/* --- batches --- */

struct half {
    size_t first;
    uint64_t hash[BATCH_MAX];
};

static void *judge_half(void *ctx)
{
    static const size_t threads = 2;
    struct half *half = ctx;
    struct output out;
    begin_output(&out);
    for (size_t i = half->first; i < nr_kept; i += threads)
        half->hash[i] = judge(&out, &kept[i].item);
    end_output(&out);
    return NULL;
}

static void judge_batch(void)
{
    static struct half halves[2];
    uint64_t forward[BATCH_MAX];
    struct output out;
    pthread_t thread[2];
    begin_output(&out);
    for (size_t i = 0; i < nr_kept; i++)
        forward[i] = judge(&out, &kept[i].item);
    findings += out.findings;
    for (size_t i = nr_kept; i-- > 0;)
        assert_int_equal(judge(&out, &kept[i].item), forward[i]);
    end_output(&out);
    for (size_t i = 0; i < 2; i++) {
        halves[i].first = i;
        assert_int_equal(pthread_create(&thread[i], NULL, judge_half, &halves[i]), 0);
    }
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (size_t i = 0; i < nr_kept; i++)
        assert_int_equal(halves[i % 2].hash[i], forward[i]);
    for (size_t i = 0; i < nr_kept; i++)
        free((void *)(uintptr_t)kept[i].item.bytes.ptr);
    nr_kept = 0;
}

static void keep(const struct pc_item *item)
{
    struct kept *k = &kept[nr_kept++];
    unsigned char *copy = malloc(item->bytes.len + 1);
    assert_non_null(copy);
    memcpy(copy, item->bytes.ptr, item->bytes.len);
    k->item = *item;
    k->item.bytes.ptr = copy;
    if (item->judged) {
        k->judged = *item->judged;
        k->item.judged = &k->judged;
    }
}

/* --- captures --- */

static bool changes_model(const struct pc_item *item)
{
    switch (item->kind == PC_ITEM_RECORD ? item->type : PC_HEADER_ATTR) {
    case PC_HEADER_ATTR:
    case PC_HEADER_FEATURE:
    case PC_HEADER_TRACING_DATA:
    case PC_EVENT_UPDATE:
    case PC_AUXTRACE_INFO:
        return true;
    default:
        return item->news != PC_NO_NEWS;
    }
}

static void begin_scan(bool pipe)
{
    struct pc_limits limits;
    pc_limits_init(&limits);
    pc_policy_init(&policy);
    pc_scan_init(&scan, &policy, &limits);
    pc_input_memory(&scan.in, (struct pc_span){ bytes, len }, pipe ? PC_INPUT_STREAM : PC_INPUT_FILE);
}

static void judge_capture(bool pipe)
{
    struct pc_item item;
    size_t nr = 0;
    begin_scan(pipe);
    while (nr < ITEMS_MAX && pc_scan_read(&scan, &item))
        changes[nr++] = changes_model(&item);
    pc_scan_clear(&scan);
    begin_scan(pipe);
    for (size_t i = 0; i < nr && pc_scan_read(&scan, &item); i++) {
        if (!changes[i])
            keep(&item);
        if (nr_kept == BATCH_MAX || (nr_kept != 0 && (i + 1 == nr || changes[i + 1])))
            judge_batch();
    }
    pc_scan_clear(&scan);
}

static void the_order_of_records_changes_nothing(void **state)
{
    (void)state;
    static const char *const files[] = { "6.1-fp.data",      "7.2-deferred.data",     "7.2-regs.data",
                                         "7.2-statrec.data", "6.12-tpPR.data",        "6.1-pipe-inject.pipe",
                                         "7.2-pipe.pipe",    "s390x-612-pipe-tp.pipe" };
    const size_t many = 100;
    memset(all_fields, 1, sizeof(all_fields));
    for (size_t i = 0; i < PC_COUNT_OF(files); i++) {
        char path[64];
        (void)snprintf(path, sizeof(path), "corpus/real/%s", files[i]);
        FILE *f = fopen(path, "rb");
        assert_non_null(f);
        len = fread(bytes, 1, sizeof(bytes), f);
        (void)fclose(f);
        judge_capture(strstr(path, ".pipe"));
        for (size_t at = 1501; at < len; at += 997) /* and with damage */
            bytes[at] ^= (unsigned char)(at % 255 + 1);
        judge_capture(strstr(path, ".pipe"));
    }
    assert_true(findings > many);
}

static const struct CMUnitTest tests[] = { cmocka_unit_test(the_order_of_records_changes_nothing) };

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, NULL };
