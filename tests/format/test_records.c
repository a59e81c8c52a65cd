/* SPDX-License-Identifier: MIT
 *
 * Every record table, in both byte orders, under many layouts: whole, and cut at every byte, with the last
 * byte before an inaccessible page.
 */
#include "pc_test.h"
#include "read/capture.h"
#include "format/tables.h"
#include "format/plan.h"
#include "read/window.h"
#include "generate/synth.h"

static struct guarded page;

/* Leaves must follow each other without gap or overlap, inside the record. */
struct tiles {
    size_t next, end;
    bool fault;
};

static bool tile(void *ctx, const struct pc_leaf *leaf)
{
    struct tiles *t = ctx;
    assert_true(leaf->at >= t->next || leaf->fault != PC_SOUND);
    assert_true(leaf->raw.len <= t->end && leaf->at <= t->end - leaf->raw.len);
    if (leaf->fault != PC_SOUND) {
        t->fault = true;
        return true;
    }
    assert_int_equal(leaf->at, t->next);
    t->next = leaf->at + leaf->raw.len;
    return true;
}

/* Walks n bytes of the record, placed directly before the page; true if sound, with the bytes left in
 * *excess. */
static bool walk_prefix(const struct synth *s, size_t n, const struct pc_record_info *info,
                        const struct pc_layout *layout, size_t *excess)
{
    struct pc_cursor c = { .in = guarded_put(&page, s->bytes, n), .pos = 8, .order = s->order };
    struct pc_walk walk;
    struct tiles t = { .next = 8, .end = n };
    pc_walk_init(&walk, layout, &c, pc_sample_id_size(layout->mask) ? NULL : tile, &t);
    bool sound = pc_walk_record(&walk, info, excess);
    if (sound && pc_sample_id_size(layout->mask) == 0)
        assert_int_equal(t.next, n - *excess);
    return sound;
}

/* Rows that are there or not by what is left make a prefix sound. */
static bool has_open_end(const struct pc_field *table)
{
    for (const struct pc_field *f = table; f->kind != PC_END; f++) {
        if (f->flags & (PC_OPTIONAL | PC_IF_FITS))
            return true;
        if (f->kind == PC_REST || f->kind == PC_CSTR || f->kind == PC_UNTIL_END || f->kind == PC_ZSTR)
            return true;
        if (f->sub && f->kind != PC_REPEAT && has_open_end(f->sub))
            return true;
    }
    return false;
}

static unsigned records_made;

static void check_record(uint32_t type, const struct pc_layout *layout, unsigned variant, enum pc_order order)
{
    static struct synth s;
    const struct pc_record_info *info = pc_record_info(type);
    size_t excess;
    memset(&s, 0, sizeof(s));
    s.variant = variant;
    s.order = order;
    if (!synth_record(&s, type, 0, layout))
        return;
    records_made++;
    assert_true(walk_prefix(&s, s.len, info, layout, &excess));
    for (size_t n = 8; n < s.len; n++) {
        bool sound = walk_prefix(&s, n, info, layout, &excess);
        if (!has_open_end(info->fields) && s.len - n >= 8)
            assert_true(!sound || excess != 0 || s.len - n <= 8);
    }
}

/* A few bits of a pseudo-random word. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static struct pc_layout layout_of(uint64_t sample_type, uint64_t read_format, uint64_t branch, uint64_t flags)
{
    uint64_t slot[PC_SLOTS] = { 0 };
    slot[PC_ATTR_SAMPLE_TYPE] = sample_type;
    slot[PC_ATTR_READ_FORMAT] = read_format;
    slot[PC_ATTR_BRANCH_TYPE] = branch;
    slot[PC_ATTR_FLAGS] = flags;
    slot[PC_ATTR_REGS_USER] = 0x8000000000000005;
    slot[PC_ATTR_REGS_INTR] = 0x11;
    return pc_attr_layout(slot);
}

static void prefixes_of_every_record_are_handled(void **state)
{
    (void)state;
    uint64_t random = 88172645463325252u;
    for (uint32_t index = 1; index < PC_TYPE_ROWS; index++) {
        uint32_t type = pc_type_at(index);
        if (!pc_record_info(type))
            continue;
        unsigned before = records_made;
        for (unsigned variant = 0; variant < 8; variant++) {
            for (unsigned order = 0; order < 2; order++) {
                for (unsigned k = 0; k < 4; k++) {
                    uint64_t flags = k & 1 ? PC_FLAG_SAMPLE_ID_ALL : 0;
                    struct pc_layout attr = layout_of(next_random(&random), next_random(&random) & 31,
                                                      next_random(&random), flags);
                    uint16_t misc = k & 2 ? PC_MISC_MMAP_BUILD_ID : 0;
                    struct pc_layout layout = pc_record_layout(&attr, type, misc, variant == 5);
                    check_record(type, &layout, variant, order ? PC_BIG : PC_LITTLE);
                }
            }
        }
        assert_true(records_made > before); /* none of the tables was left out */
    }
}

static void samples_of_every_sample_bit_and_read_format_are_decoded(void **state)
{
    (void)state;
    unsigned before = records_made;
    for (unsigned order = 0; order < 2; order++) {
        for (unsigned bit = 0; bit < PC_S_BITS; bit++) {
            struct pc_layout layout = layout_of(PC_FLAG(bit), 0, 0, 0);
            check_record(PC_SAMPLE, &layout, 0, order ? PC_BIG : PC_LITTLE);
        }
        for (uint64_t read = 0; read < 32; read++) {
            struct pc_layout layout = layout_of(PC_S_READ | PC_S_TIME, read, 0, 0);
            check_record(PC_SAMPLE, &layout, 0, order ? PC_BIG : PC_LITTLE);
            layout = layout_of(PC_S_TIME, read, 0, PC_FLAG_SAMPLE_ID_ALL);
            check_record(PC_READ, &layout, 0, order ? PC_BIG : PC_LITTLE);
        }
        for (unsigned k = 0; k < 4; k++) {
            uint64_t branch = (k & 1 ? PC_BRANCH_HW_INDEX : 0) | (k & 2 ? PC_BRANCH_COUNTERS : 0);
            struct pc_layout layout = layout_of(PC_S_BRANCH_STACK | PC_S_PERIOD, 0, branch, 0);
            check_record(PC_SAMPLE, &layout, 0, order ? PC_BIG : PC_LITTLE);
        }
        struct pc_layout all = layout_of(((uint64_t)1 << PC_S_BITS) - 1, 31, 0xfffff, 0);
        check_record(PC_SAMPLE, &all, 0, order ? PC_BIG : PC_LITTLE);
        check_record(PC_SAMPLE, &all, 7, order ? PC_BIG : PC_LITTLE); /* all counts zero */
    }
    assert_int_equal(records_made - before, 2 * (25 + 64 + 4 + 2));
}

/* --- plans --- */

struct verdict {
    bool odd;
};

/* What the check's visitor would complain about, in a few lines of its own. */
static bool judge(void *ctx, const struct pc_leaf *leaf)
{
    struct verdict *v = ctx;
    const struct pc_field *field = leaf->field;
    if (leaf->fault != PC_SOUND || !pc_leaf_ok(leaf))
        v->odd = true;
    if (leaf->fault == PC_SOUND && field->kind == PC_CSTR) {
        size_t len = (size_t)leaf->value;
        if (len == 0 && !(field->flags & PC_MAY_BE_EMPTY))
            v->odd = true;
        if (leaf->raw.len != pc_align8(len + 1))
            v->odd = true;
        for (size_t i = len; i < leaf->raw.len; i++)
            v->odd |= leaf->raw.ptr[i] != 0;
    }
    return true;
}

static unsigned plans_made, plans_yes, plans_no;

static void compare_plan(const struct synth *s, size_t n, const struct pc_record_info *info,
                         const struct pc_layout *layout, const struct pc_plan *plan)
{
    uint64_t slot[PC_SLOTS] = { 0 };
    size_t slot_at[PC_SLOTS] = { 0 }, excess = 0;
    struct pc_span record = guarded_put(&page, s->bytes, n);
    struct pc_cursor c = { .in = record, .pos = 8, .order = s->order };
    struct pc_walk walk;
    struct verdict v = { false };
    pc_walk_init(&walk, layout, &c, judge, &v);
    bool sound = pc_walk_record(&walk, info, &excess) && excess == 0 && !v.odd;
    bool quick = pc_plan_run(plan, record, slot, slot_at);
    assert_int_equal(quick, sound);
    if (!sound) {
        plans_no++;
        return;
    }
    plans_yes++;
    static const enum pc_slot facts[] = { PC_SLOT_TIME, PC_SLOT_CPU };
    for (size_t i = 0; i < PC_COUNT_OF(facts); i++) {
        assert_int_equal(slot[facts[i]], walk.slot[facts[i]]);
        assert_int_equal(slot_at[facts[i]], walk.slot_at[facts[i]]);
    }
    if (layout->mask & PC_S_RAW)
        assert_int_equal(slot_at[PC_REC_RAW], walk.slot_at[PC_REC_RAW]);
}

static void a_plan_agrees_with_the_walker(void **state)
{
    (void)state;
    static struct synth s;
    uint64_t random = 362436069362436069u;
    struct pc_mem mem;
    pc_mem_init(&mem, 1 << 20);
    for (unsigned round = 0; round < 4000; round++) {
        uint32_t type = 1 + (uint32_t)(next_random(&random) % PC_CALLCHAIN_DEFERRED);
        if (round % 3 == 0)
            type = PC_SAMPLE;
        uint64_t flags = (next_random(&random) & 1 ? PC_FLAG_SAMPLE_ID_ALL : 0) |
                         (next_random(&random) & 1 ? PC_FLAG_DEFER_CHAIN : 0);
        struct pc_layout attr =
            layout_of(next_random(&random), next_random(&random) & 31, next_random(&random), flags);
        uint16_t misc = next_random(&random) & 1 ? PC_MISC_MMAP_BUILD_ID : 0;
        struct pc_layout layout = pc_record_layout(&attr, type, misc, next_random(&random) & 1);
        memset(&s, 0, sizeof(s));
        s.variant = (unsigned)(next_random(&random) & 7);
        s.order = next_random(&random) & 1 ? PC_BIG : PC_LITTLE;
        if (!synth_record(&s, type, 0, &layout))
            continue;
        struct pc_plan *plan = pc_plan_new(&mem, pc_record_info(type), &layout, s.order);
        assert_non_null(plan); /* all kernel records have one */
        plans_made++;
        compare_plan(&s, s.len, pc_record_info(type), &layout, plan);
        for (unsigned k = 0; k < 12; k++) { /* one byte changed, or cut */
            size_t at = 8 + (size_t)(next_random(&random) % (s.len - 7));
            if (at == s.len) {
                compare_plan(&s, 8 + (size_t)(next_random(&random) % (s.len - 7)), pc_record_info(type),
                             &layout, plan);
                continue;
            }
            unsigned char old = s.bytes[at];
            s.bytes[at] = (unsigned char)(next_random(&random) & 1 ? 0xff : next_random(&random));
            compare_plan(&s, s.len, pc_record_info(type), &layout, plan);
            s.bytes[at] = old;
        }
        pc_plan_free(&mem, plan);
        assert_int_equal(mem.used, 0);
    }
    assert_true(plans_made > 3000);
    assert_true(plans_yes > 5000 && plans_no > 5000); /* both answers were compared often */
}

/* --- numbers that other files and users rely on --- */

static void types_have_the_names_and_least_sizes_of_the_kernel(void **state)
{
    (void)state;
    /* include/uapi/linux/perf_event.h, tools/lib/perf/include/perf/event.h */
    static const struct {
        uint32_t type;
        const char *name;
        unsigned min;
    } known[] = {
        { 1, "MMAP", 41 },
        { 3, "COMM", 17 },
        { 9, "SAMPLE", 8 },
        { 10, "MMAP2", 73 },
        { 13, "LOST_SAMPLES", 16 },
        { 19, "CGROUP", 17 },
        { 22, "CALLCHAIN_DEFERRED", 24 },
        { 64, "HEADER_ATTR", 72 },
        { 68, "FINISHED_ROUND", 8 },
        { 71, "AUXTRACE", 48 },
        { 76, "STAT", 48 },
        { 80, "HEADER_FEATURE", 16 },
        { 82, "FINISHED_INIT", 8 },
        { 86, "SCHEDSTAT_DOMAIN", 24 },
        { 32769, "KERNEL_SYMBOL", 12 }, /* system/extras/simpleperf: record.h */
        { 32772, "SPLIT", 8 },
        { 32776, "UNWINDING_RESULT", 40 },
        { 32777, "TRACING_DATA", 12 },
        { 32778, "DEBUG", 17 },
    };
    for (size_t i = 0; i < PC_COUNT_OF(known); i++) {
        assert_string_equal(pc_record_info(known[i].type)->name, known[i].name);
        assert_int_equal(pc_record_info(known[i].type)->min, known[i].min);
    }
    assert_null(pc_record_info(0));
    assert_null(pc_record_info(63));
    assert_null(pc_record_info(PC_TYPES));
    assert_null(pc_record_info(PC_ANDROID_TYPES));
    assert_null(pc_record_info(PC_ANDROID_TYPES_END));
    assert_null(pc_record_info(UINT32_MAX));
    assert_string_equal(pc_feature_info(3)->name, "HOSTNAME");
    assert_string_equal(pc_feature_info(34)->name, "CLN_SIZE");
    assert_string_equal(pc_feature_info(128)->name, "FILE");
    assert_null(pc_feature_info(0));
    assert_null(pc_feature_info(PC_FEATURES));
    assert_string_equal(pc_feature_info(134)->name, "INIT_MAP");
    assert_null(pc_feature_info(127));
    assert_null(pc_feature_info(135));
}

/* The size that perf asks for is that of the fields which are always there, but for a few types. */
static void least_sizes_are_those_of_the_fields(void **state)
{
    (void)state;
    for (uint32_t index = 0; index < PC_TYPE_ROWS; index++) {
        uint32_t type = pc_type_at(index);
        const struct pc_record_info *info = pc_record_info(type);
        if (!info)
            continue;
        uint64_t mask = pc_record_layout(NULL, type, 0, false).mask | PC_LAYOUT_READ_SINGLE;
        uint64_t size = PC_RECORD_HEADER_SIZE + pc_least_size(info->fields, mask);
        if (type == PC_TEXT_POKE || type == PC_CPU_MAP)
            size = pc_align8(size); /* padded */
        else if (type == PC_HEADER_BUILD_ID)
            size--; /* perf counts no name */
        else if (type == PC_AUXTRACE_ERROR)
            size += 9; /* the time and the empty message of the second format */
        else if (type == PC_SCHEDSTAT_CPU)
            size = 24; /* up to the counters, which a version chooses */
        if (info->min != size)
            fail_msg("the least size of %s is %u, but its fields have %u", info->name, (unsigned)info->min,
                     (unsigned)size);
    }
}

static void the_fast_record_header_agrees_with_the_table(void **state)
{
    (void)state;
    static const unsigned char bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    for (unsigned order = 0; order < 2; order++) {
        struct pc_cursor c = pc_cursor((struct pc_span){ bytes, 8 }, order ? PC_BIG : PC_LITTLE);
        struct pc_record_head head = pc_load_head(bytes, c.order);
        struct pc_walk walk;
        pc_walk_init(&walk, NULL, &c, NULL, NULL);
        assert_true(pc_walk_table(&walk, pc_record_header) && pc_left(&c) == 0);
        assert_int_equal(head.type, walk.slot[PC_SLOT_F0]);
        assert_int_equal(head.misc, walk.slot[PC_SLOT_F0 + 1]);
        assert_int_equal(head.size, walk.slot[PC_SLOT_F0 + 2]);
    }
}

/* Sizes of linux/perf_event.h and of perf's event.h and tsc.h. */
static void sizes_and_places_are_those_of_the_tables(void **state)
{
    (void)state;
    const uint64_t three = PC_READ_ENABLED | PC_READ_RUNNING | PC_READ_ID;
    size_t name_at;
    assert_non_null(pc_find_row(pc_record_info(PC_MMAP2)->fields, PC_LAYOUT_BUILD_ID, PC_REC_NAME, &name_at));
    assert_int_equal(PC_RECORD_HEADER_SIZE + name_at, PC_MMAP2_PROT); /* without prot and flags */
    assert_int_equal(pc_table_size(pc_record_info(PC_TIME_CONV)->fields, 0), 48);
    assert_int_equal(
        pc_table_size(pc_record_info(PC_READ)->fields, PC_LAYOUT_READ_SINGLE | PC_LAYOUT_READ(three)), 40);
}

static void every_bit_of_misc_has_a_name(void **state)
{
    (void)state;
    for (uint32_t index = 0; index < PC_TYPE_ROWS; index++) {
        uint32_t type = pc_type_at(index);
        const struct pc_record_info *info = pc_record_info(type);
        uint64_t named = 0;
        if (!info || info->misc == UINT16_MAX) /* the writer may leave anything there */
            continue;
        for (const struct pc_name *n = info->misc_names; n && n->name; n++) {
            assert_true(n->value != 0 && (n->value & (n->value - 1)) == 0 && (named & n->value) == 0);
            named |= n->value;
        }
        if (info->flags & PC_HAS_CPUMODE)
            assert_int_equal(info->misc & PC_MISC_CPUMODE, PC_MISC_CPUMODE);
        assert_int_equal(named, info->misc & ~PC_MISC_CPUMODE);
    }
}

/* The members of the words of a table and of those in it. */
static void check_members(const struct pc_field *table, unsigned *words)
{
    for (const struct pc_field *row = table; row->kind != PC_END; row++) {
        unsigned end = 0;
        if (row->sub)
            check_members(row->sub, words);
        if (!row->bits)
            continue;
        for (const struct pc_bits *m = row->bits; m->name; m++) {
            if (m->at < end || m->width == 0 || m->at + m->width > 8 * row->width)
                fail_msg("%s.%s", row->name, m->name);
            end = m->at + m->width;
        }
        ++*words;
    }
}

static void members_of_a_word_follow_each_other(void **state)
{
    (void)state;
    unsigned words = 0;
    for (uint32_t index = 0; index < PC_TYPE_ROWS; index++) {
        uint32_t type = pc_type_at(index);
        if (pc_record_info(type))
            check_members(pc_record_info(type)->fields, &words);
    }
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        if (pc_feature_info(bit) && pc_feature_info(bit)->fields)
            check_members(pc_feature_info(bit)->fields, &words);
    }
    check_members(pc_attr_fields, &words);
    assert_true(words >= 6);
}

/* include/uapi/linux/perf_event.h: union perf_mem_data_src. */
static void a_data_source_has_the_members_of_the_kernel(void **state)
{
    (void)state;
    static const struct pc_bits members[] = {
        { "mem_op", 0, 5 },    { "mem_lvl", 5, 14 },     { "mem_snoop", 19, 5 },  { "mem_lock", 24, 2 },
        { "mem_dtlb", 26, 7 }, { "mem_lvl_num", 33, 4 }, { "mem_remote", 37, 1 }, { "mem_snoopx", 38, 2 },
        { "mem_blk", 40, 3 },  { "mem_hops", 43, 3 },
    };
    const struct pc_field *row = pc_record_info(PC_SAMPLE)->fields;
    while (row->when != PC_S_DATA_SRC)
        row++;
    for (size_t i = 0; i < PC_COUNT_OF(members); i++) {
        assert_string_equal(row->bits[i].name, members[i].name + strlen("mem_"));
        assert_int_equal(row->bits[i].at, members[i].at);
        assert_int_equal(row->bits[i].width, members[i].width);
    }
}

static void an_attr_ends_where_its_size_says(void **state)
{
    (void)state;
    unsigned char bytes[160] = { 0 };
    uint64_t slot[PC_SLOTS];
    for (unsigned size = 64; size <= 160; size += 8) {
        memset(bytes, 0xee, sizeof(bytes));
        bytes[4] = (unsigned char)size;
        bytes[5] = bytes[6] = bytes[7] = 0;
        struct pc_span attr = guarded_put(&page, bytes, size);
        assert_true(pc_attr_walk(attr, PC_LITTLE, slot));
        assert_int_equal(slot[PC_ATTR_SIZE], size);
        assert_int_equal(slot[PC_ATTR_REGS_INTR], size >= 104 ? 0xeeeeeeeeeeeeeeee : 0);
        assert_int_equal(slot[PC_ATTR_BRANCH_TYPE], size >= 80 ? 0xeeeeeeeeeeeeeeee : 0);
        /* fewer bytes than it says: what is there is read */
        assert_int_equal(pc_attr_walk(guarded_put(&page, bytes, size - 8), PC_LITTLE, slot), size > 64);
    }
}

static void a_slot_has_the_row_of_the_record_or_of_its_trailer(void **state)
{
    static const struct {
        uint32_t type;
        unsigned slot;
        const char *name;
        unsigned width;
    } rows[] = {
        { PC_FORK, PC_REC_PTID, "ptid", 4 },      { PC_AUX, PC_REC_LEN, "aux_size", 8 },
        { PC_MMAP2, PC_REC_LEN, "len", 8 },       { PC_MMAP2, PC_REC_BUILD_ID_SIZE, "build_id_size", 1 },
        { PC_THROTTLE, PC_SLOT_TIME, "time", 8 }, { PC_COMM, PC_SLOT_CPU, "cpu", 4 },
        { PC_SAMPLE, PC_SLOT_ID, "id", 8 },       { PC_STAT, PC_REC_RUNNING, "run", 8 },
    };
    (void)state;
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        const struct pc_field *row = pc_record_row(pc_record_info(rows[i].type), rows[i].slot);
        assert_string_equal(row->name, rows[i].name);
        assert_int_equal(row->width, rows[i].width);
    }
}

static int set_up(void **state)
{
    (void)state;
    page = guarded_new(65536);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    guarded_free(&page);
    return 0;
}

/* A table that nobody looks at: the elements of an array are one step, however many there are. */
static void an_array_is_passed_at_once(void **state)
{
    (void)state;
    const size_t nr = 30000;
    unsigned char *body = calloc(1, 4 + 2 * nr);
    struct pc_walk walk;
    assert_non_null(body);
    body[2] = (unsigned char)nr;
    body[3] = (unsigned char)(nr >> 8);
    struct pc_cursor c = pc_cursor((struct pc_span){ body, 4 + 2 * nr }, PC_LITTLE);
    assert_true(pc_read_table(&walk, pc_record_info(PC_CPU_MAP)->fields, c));
    assert_int_equal(walk.slot_at[PC_REC_RAW], 4 + 2 * nr);
    assert_in_range(walk.work, 1, 10);
    free(body);
}

static void zeros_follow_a_plain_build_id(void **state)
{
    (void)state;
    unsigned char record[PC_MMAP2_PROT] = { [PC_MMAP2_PROT - 24] = 19, [PC_MMAP2_PROT - 2] = 1 };
    assert_true(pc_build_id_is_plain((struct pc_span){ record, sizeof(record) }));
    assert_false(pc_build_id_is_plain((struct pc_span){ record, sizeof(record) - 1 }));
    record[PC_MMAP2_PROT - 24] = 21;
    assert_false(pc_build_id_is_plain((struct pc_span){ record, sizeof(record) }));
    record[PC_MMAP2_PROT - 24] = 18;
    assert_false(pc_build_id_is_plain((struct pc_span){ record, sizeof(record) }));
    record[PC_MMAP2_PROT - 2] = 0;
    record[PC_MMAP2_PROT - 24] = 0;
    assert_true(pc_build_id_is_plain((struct pc_span){ record, sizeof(record) }));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(prefixes_of_every_record_are_handled),
    cmocka_unit_test(samples_of_every_sample_bit_and_read_format_are_decoded),
    cmocka_unit_test(a_plan_agrees_with_the_walker),
    cmocka_unit_test(zeros_follow_a_plain_build_id),
    cmocka_unit_test(types_have_the_names_and_least_sizes_of_the_kernel),
    cmocka_unit_test(least_sizes_are_those_of_the_fields),
    cmocka_unit_test(the_fast_record_header_agrees_with_the_table),
    cmocka_unit_test(sizes_and_places_are_those_of_the_tables),
    cmocka_unit_test(every_bit_of_misc_has_a_name),
    cmocka_unit_test(members_of_a_word_follow_each_other),
    cmocka_unit_test(a_data_source_has_the_members_of_the_kernel),
    cmocka_unit_test(an_attr_ends_where_its_size_says),
    cmocka_unit_test(an_array_is_passed_at_once),
    cmocka_unit_test(a_slot_has_the_row_of_the_record_or_of_its_trailer),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
