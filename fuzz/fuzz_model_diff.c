/* SPDX-License-Identifier: MIT
 *
 * model_diff: the second reader (tests/model), which shares no code with the library, agrees with it: of a
 * file that the library finds sound it accepts the structure, and of what both find sound both see the same
 * records and the same numbers at the same places. tests/model/DISAGREEMENTS.md explains what is passed over
 * here.
 */
#include "harness.h"

#include "tests/model/model.h"

static struct pc_scan scan;

/* --- verdicts --- */

/* A HEADER_FEATURE without content ends the features, or says nothing. Rows about records (69 to 191, 260 to
 * 280) depend on which attr is taken for theirs, and where a pipe is out of order that is a matter of taste.
 */
static bool is_about_structure(unsigned row, bool empty)
{
    return row < 69 || (row > 191 && row < 260 && !empty);
}

static bool rejects_structure(const struct model *m)
{
    bool empty = false;
    for (size_t i = 0; i < model_part_count(m); i++) {
        const struct model_part *p = model_part(m, i);
        empty |=
            p->kind == MODEL_RECORD && p->type == PC_HEADER_FEATURE && p->size == PC_RECORD_HEADER_SIZE + 8;
    }
    for (size_t i = 0; i < model_fault_count(m); i++) {
        if (is_about_structure(model_fault(m, i)->condition, empty))
            return true;
    }
    return false;
}

/* --- numbers --- */

/* The next leaf of the model that is a number, from `at` on. */
struct numbers {
    const struct model *m;
    const struct model_part *part;
    size_t at;
    bool bytes_only; /* the rest is told otherwise: see DISAGREEMENTS.md, 1 */
};

static const struct model_leaf *next_number(struct numbers *n)
{
    while (n->at < n->part->leaves) {
        const struct model_leaf *leaf = model_leaf(n->m, n->part->first_leaf + n->at++);
        if (leaf->kind <= MODEL_BITS && leaf->size != 0)
            return leaf;
    }
    return NULL;
}

static bool visit(void *ctx, const struct pc_leaf *leaf)
{
    struct numbers *n = ctx;
    enum pc_kind kind = (enum pc_kind)leaf->field->kind;
    if ((kind != PC_UINT && kind != PC_BITS) || leaf->raw.len == 0)
        return true;
    const struct model_leaf *other = next_number(n);
    if (!other) {
        PC_CLAIM(n->bytes_only);
        return false;
    }
    uint64_t mask = leaf->field->width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * leaf->field->width) - 1;
    PC_CLAIM(other->offset == n->part->offset + leaf->at && other->size == leaf->raw.len);
    PC_CLAIM((other->value & mask) == (leaf->value & mask));
    return true;
}

static void compare_numbers(const struct model *m, const struct model_part *part, const struct pc_item *item)
{
    struct pc_capture *capture = &scan.capture;
    struct numbers n = { .m = m, .part = part, .bytes_only = item->type == PC_HEADER_BUILD_ID };
    const struct pc_record_info *info = pc_record_info(item->type);
    struct pc_layout layout = pc_record_layout(NULL, item->type, item->misc, false);
    struct pc_cursor c = { .in = item->bytes, .order = capture->order };
    struct pc_walk walk;
    size_t excess;
    if (!info || part->faulty || (info->flags & PC_ANY_SIZE) || item->type == PC_AUXTRACE_ERROR)
        return;
    if (pc_is_kernel_type(item->type)) {
        struct pc_chosen chosen = pc_capture_choose(capture, item->type, item->bytes);
        if (chosen.choice != PC_CHOSEN)
            return;
        layout = pc_capture_fit(capture, chosen.attr, item->type, item->misc, item->bytes).layout;
    }
    for (unsigned head = 0; head < 3; head++) /* type, misc, size */
        PC_CLAIM(next_number(&n) != NULL);
    c.pos = PC_RECORD_HEADER_SIZE;
    pc_walk_init(&walk, &layout, &c, visit, &n);
    pc_walk_record(&walk, info, &excess);
}

/* --- records --- */

static const struct model_part *next_record(const struct model *m, size_t *at)
{
    while (*at < model_part_count(m)) {
        const struct model_part *p = model_part(m, (*at)++);
        if (p->kind == MODEL_RECORD && p->type <= UINT16_MAX)
            return p;
    }
    return NULL;
}

static void compare_records(const struct model *m, struct pc_span capture)
{
    struct pc_item item;
    size_t at = 0;
    pc_scan_init(&scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&scan.in, capture, PC_INPUT_FILE);
    while (pc_scan_next(&scan, &item)) {
        if (item.kind != PC_ITEM_RECORD)
            continue;
        const struct model_part *p = next_record(m, &at);
        PC_CLAIM(p != NULL);
        PC_CLAIM(p->type == item.type && p->misc == item.misc && p->size == item.bytes.len);
        PC_CLAIM(p->offset == item.offset && (p->wrapper >= 0) == scan.report.where.inside);
        compare_numbers(m, p, &item);
    }
    PC_CLAIM(next_record(m, &at) == NULL);
    PC_CLAIM(model_is_pipe(m) == scan.capture.is_pipe && model_is_big(m) == (scan.capture.order == PC_BIG));
    fuzz_scan_end(&scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    if (!fuzz_case(&c, data, size))
        return 0;
    fuzz_scan(&scan, c.capture, PC_INPUT_FILE);
    const uint64_t *found = scan.report.by_id;
    /* Which unit the bitmap has, and what is behind damage, are matters of taste. */
    bool compared =
        pc_scan_verdict(&scan) == PC_VALID && found[PC_D_HOSTNAME_CLEAR] == 0 && scan.reader.skipped == 0;
    struct model *m = compared ? model_read(c.capture.ptr, c.capture.len) : NULL;
    enum model_verdict verdict = m ? model_verdict(m) : MODEL_LIMIT;
    if (verdict == MODEL_REJECT && !scan.capture.is_pipe)
        PC_CLAIM(!rejects_structure(m));
    fuzz_scan_end(&scan);
    if (verdict == MODEL_ACCEPT)
        compare_records(m, c.capture);
    if (m)
        model_free(m);
    return 0;
}
