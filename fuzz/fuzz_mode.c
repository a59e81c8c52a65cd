/* SPDX-License-Identifier: MIT
 *
 * mode: file to pipe to file is the canonical file, and pipe to file to pipe the canonical pipe. All have
 * one digest, one sequence of records, and no new finding (write/novel.c). The digest is not too
 * weak: it changes with each leaf that is content. If a copy cannot carry something, the refusal names it,
 * and with --drop of that name the copy lacks only that.
 */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

static bool is_pipe(const struct fuzz_bytes *b)
{
    return b->len >= 16 && pc_load(b->bytes + 8, 8, PC_LITTLE) + pc_load(b->bytes + 8, 8, PC_BIG) ==
                               PC_PIPE_HEADER_SIZE + ((uint64_t)PC_PIPE_HEADER_SIZE << 56);
}

/* More claims, each about one input in four. */
struct choice {
    unsigned claim, conversion, bit;
    uint64_t leaf;
};

/* Chosen by options and content, because few inputs have options. */
static struct choice choose(const struct fuzz_case *c, const struct pc_sum *sum)
{
    return (struct choice){ .claim = (sum->bytes[0] ^ fuzz_bits(c, 1, 2)) & 3,
                            .conversion = sum->bytes[1] ^ fuzz_bits(c, 3, 4),
                            .bit = sum->bytes[2] ^ fuzz_bits(c, 7, 6),
                            .leaf = pc_load(sum->bytes + 4, 4, PC_LITTLE) ^ fuzz_bits(c, 16, 16) };
}

/* --- a digest is not too weak --- */

/* The n-th leaf of the content. */
struct search {
    struct pc_scan scan;
    size_t start; /* of the walked structure, in the capture */
    uint64_t nr, wanted;
    size_t at;
    unsigned width; /* of a number; text and bytes have 1 */
};

static void count_leaf(struct search *s, size_t at, unsigned width)
{
    if (s->nr++ != s->wanted)
        return;
    s->at = at;
    s->width = width;
}

/* Numbers, text and bytes with a meaning. Not padding; not the size of an attr, which writers choose; not the
 * length of a string, whose padding writers choose. */
static bool search_leaf(void *ctx, const struct pc_leaf *leaf)
{
    struct search *s = ctx;
    const struct pc_field *field = leaf->field;
    bool text = field->kind == PC_CSTR || field->kind == PC_ZSTR || field->kind == PC_HSTR;
    if (leaf->fault != PC_SOUND)
        return false;
    if (pc_is_padding(field))
        return true;
    if ((field->kind == PC_UINT && !(field->flags & PC_ATTR_BYTES)) || field->kind == PC_BITS)
        count_leaf(s, s->start + leaf->at, field->width);
    else if (text && leaf->value != 0)
        count_leaf(s, s->start + leaf->at + (field->kind == PC_HSTR ? 4 : 0), 1);
    else if (field->kind == PC_BYTES && leaf->raw.len != 0 && !field->used)
        count_leaf(s, s->start + leaf->at, 1);
    return true;
}

static void search_table(struct search *s, const struct pc_field *table, struct pc_span bytes, size_t start)
{
    struct pc_cursor c = pc_cursor(bytes, s->scan.capture.order);
    struct pc_layout layout = pc_capture_feature_layout(&s->scan.capture);
    struct pc_walk walk;
    s->start = start;
    pc_walk_init(&walk, &layout, &c, search_leaf, s);
    pc_walk_table(&walk, table);
}

/* Features that a copy makes anew have no content. */
static void search_feature(struct search *s, uint64_t bit, struct pc_span content, size_t start)
{
    const struct pc_field *table = pc_feature_info(bit) ? pc_feature_fields(bit, content) : NULL;
    if (table && content.len != 0 && !pc_feature_is(bit, PC_DERIVED) &&
        pc_capture_can_walk(&s->scan.capture, bit))
        search_table(s, table, content, start);
}

/* The digest ignores rounds. A copy makes records that contain others or announce a payload anew. */
static void search_record(struct search *s, const struct pc_item *item)
{
    const struct pc_record_info *info = pc_item_info(item);
    struct pc_cursor c = { .in = item->bytes, .pos = PC_RECORD_HEADER_SIZE, .order = s->scan.capture.order };
    struct pc_layout layout;
    struct pc_walk walk;
    uint32_t attr;
    uint64_t bit;
    size_t excess;
    s->start = (size_t)item->offset;
    switch (item->type) {
    case PC_FINISHED_ROUND:
    case PC_COMPRESSED:
    case PC_COMPRESSED2:
    case PC_HEADER_TRACING_DATA:
        return;
    case PC_HEADER_FEATURE:
        if (pc_uint(&c, 8, &bit))
            search_feature(s, bit, pc_part(item->bytes, c.pos, pc_left(&c)), s->start + c.pos);
        return;
    case PC_HEADER_ATTR:
    case PC_HEADER_BUILD_ID:
        break;
    default:
        count_leaf(s, s->start + 4, 2); /* misc */
        break;
    }
    if (!info || !pc_capture_layout(&s->scan.capture, item->type, item->misc, item->bytes, &layout, &attr))
        return;
    pc_walk_init(&walk, &layout, &c, search_leaf, s);
    pc_walk_record(&walk, info, &excess);
}

static uint64_t search(struct search *s, struct pc_span capture, uint64_t wanted)
{
    struct pc_item item;
    s->nr = 0;
    s->wanted = wanted;
    pc_scan_init(&s->scan, &fuzz_policy, &fuzz_limits);
    pc_input_memory(&s->scan.in, capture, PC_INPUT_FILE);
    while (pc_scan_next(&s->scan, &item)) {
        size_t start = (size_t)item.offset;
        if (item.where.inside)
            continue;
        if (item.kind == PC_ITEM_RECORD)
            search_record(s, &item);
        else if (item.kind == PC_ITEM_FEATURE)
            search_feature(s, item.number, item.bytes, start);
        else if (item.kind == PC_ITEM_PAYLOAD && item.type == PC_HEADER_TRACING_DATA)
            search_feature(s, PC_TRACING_DATA, item.bytes, start);
        else if (item.kind == PC_ITEM_ATTR)
            search_table(s, pc_attr_fields, pc_part(item.bytes, 0, item.bytes.len - PC_SECTION_SIZE), start);
    }
    fuzz_scan_end(&s->scan);
    return s->nr;
}

/* If one leaf changes, the content changes, or there is none. */
static void claim_digest_sees(const struct fuzz_bytes *own, struct pc_sum before, struct choice choice)
{
    static struct search s;
    struct pc_sum after;
    uint64_t nr = search(&s, fuzz_span(own), UINT64_MAX);
    if (nr == 0)
        return;
    search(&s, fuzz_span(own), choice.leaf % nr);
    unsigned bit = choice.bit % (8 * s.width);
    unsigned char *byte = &own->bytes[s.at + bit / 8], was = *byte;
    *byte ^= (unsigned char)(1u << bit % 8);
    if (s.width == 1 && *byte == 0) /* no shorter text */
        *byte = was ^ 0x81;
    bool whole = fuzz_digest(fuzz_span(own), &after);
    *byte = was;
    PC_CLAIM(!whole || !pc_sum_equal(&before, &after));
}

/* --- what a refusal names can be dropped --- */

/* The name after the first --drop= in the message. */
static bool find_drop(const char *text, char *name, size_t size)
{
    static const char before[] = "(--drop=", behind[] = " leaves ";
    const char *start = strstr(text, before), *end = start ? strstr(start, behind) : NULL;
    if (!start || !end)
        return false;
    start += strlen(before);
    if ((size_t)(end - start) >= size)
        return false;
    memcpy(name, start, (size_t)(end - start));
    name[end - start] = 0;
    return true;
}

/* The bit of "feature:CACHE". PC_NO_INDEX: not the name of a feature. */
static uint64_t feature_of(const char *drop)
{
    char name[64];
    for (uint64_t bit = 0; bit < PC_FEATURE_BITS; bit++) {
        pc_content_name_feature(bit, name, sizeof(name));
        if (strcmp(name, drop) == 0)
            return bit;
    }
    return PC_NO_INDEX;
}

/* A copy without that has all the rest, unless it is edited for a perf, or is refused for another reason. */
static void claim_drop(const struct fuzz_bytes *own, unsigned conversion)
{
    static const enum pc_versions readers[] = { PC_BY_NONE, PC_BY_NONE, PC_BY_5_10, PC_BY_6_1 };
    char drop[128], next[128];
    char *names[] = { drop };
    struct fuzz_bytes copy;
    struct pc_sum before, after;
    struct pc_rewrite how = { .compression = PC_COMPRESSION_NONE };
    how.to = (conversion & 1) != 0 ? PC_TO_KEEP : is_pipe(own) ? PC_TO_FILE : PC_TO_PIPE;
    how.order = (conversion & 2) != 0 ? PC_ORDER_KEEP : PC_ORDER_SWAP;
    how.reader = readers[conversion >> 2 & 3];
    if (fuzz_rewrite(how, fuzz_span(own), &copy) == PC_WRITTEN) {
        free(copy.bytes);
        return;
    }
    if (!find_drop(fuzz_said(), drop, sizeof(drop)))
        return;
    how.drops = (struct pc_drops){ names, 1 };
    if (fuzz_rewrite(how, fuzz_span(own), &copy) != PC_WRITTEN) {
        PC_CLAIM(!find_drop(fuzz_said(), next, sizeof(next)) || strcmp(drop, next) != 0);
        return;
    }
    const struct fuzz_but but = { .payloads = how.order == PC_ORDER_SWAP, .records = drop };
    if (!strstr(fuzz_said(), "edited")) {
        PC_CLAIM(fuzz_same_sequence(fuzz_span(own), fuzz_span(&copy), but));
        PC_CLAIM(fuzz_features(fuzz_span(own), feature_of(drop), &before) &&
                 fuzz_features(fuzz_span(&copy), feature_of(drop), &after) && pc_sum_equal(&before, &after));
    }
    free(copy.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_bytes own, other, back;
    const struct fuzz_but none = { 0 };
    struct pc_sum sum = { { 0 } }, there;
    static struct fuzz_found found;
    if (!fuzz_case(&c, data, size))
        return 0;
    struct pc_rewrite how = { .compression =
                                  fuzz_bits(&c, 0, 1) ? PC_COMPRESSION_KEEP : PC_COMPRESSION_NONE };
    if (fuzz_rewrite(how, c.capture, &own) != PC_WRITTEN)
        return 0;
    bool whole = fuzz_digest(fuzz_span(&own), &sum);
    struct choice choice = choose(&c, &sum);
    if (whole && choice.claim == 0)
        claim_drop(&own, choice.conversion);
    else if (whole && choice.claim == 1)
        claim_digest_sees(&own, sum, choice);
    how.to = is_pipe(&own) ? PC_TO_FILE : PC_TO_PIPE;
    enum pc_rewritten result = fuzz_rewrite(how, fuzz_span(&own), &other);
    PC_CLAIM(result != PC_TROUBLE);
    if (result == PC_WRITTEN) {
        PC_CLAIM(is_pipe(&other) != is_pipe(&own));
        PC_CLAIM(whole && fuzz_digest(fuzz_span(&other), &there));
        PC_CLAIM(pc_sum_equal(&sum, &there));
        PC_CLAIM(fuzz_same_sequence(fuzz_span(&own), fuzz_span(&other), none));
        how.to = is_pipe(&own) ? PC_TO_PIPE : PC_TO_FILE;
        PC_CLAIM(fuzz_rewrite(how, fuzz_span(&other), &back) == PC_WRITTEN);
        PC_CLAIM(fuzz_same(&own, &back));
        fuzz_find(fuzz_span(&own), &found);
        fuzz_claim_copy(&found, fuzz_span(&other));
        free(other.bytes);
        free(back.bytes);
    }
    free(own.bytes);
    return 0;
}
