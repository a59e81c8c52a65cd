/* SPDX-License-Identifier: MIT
 *
 * sinkfail: writes are short, or fail at some byte. Then the target is unchanged and its folder has no
 * other file, or the target is the whole copy. The same holds if everything is discarded at once, as after
 * a signal. No descriptor stays open.
 *
 * With bit 31 of the options the input is not a capture but calls of sink.h, of 8 bytes each. Two sinks and
 * two arrays of bytes get the same calls, with more bytes than the buffers hold.
 */
#include "fuzz/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char old[] = "what was there";

static bool target_is(const void *bytes, size_t len)
{
    struct fuzz_bytes target = fuzz_folder_get("out");
    bool same = target.bytes && target.len == len && memcmp(target.bytes, bytes, len) == 0;
    free(target.bytes);
    return same;
}

/* A sink that makes "out" in the folder. */
static void create(struct pc_sink *sink, struct pc_mem *mem, bool replace)
{
    char target[128];
    snprintf(target, sizeof(target), "%s/out", fuzz_folder_path());
    pc_mem_init(mem, (uint64_t)8 << 20);
    PC_CLAIM(pc_sink_create(sink, mem, target, replace, 0600, NULL) == 0);
}

/* The target has all bytes that were put, or is unchanged, and no other file is there. */
static void claim_folder(bool written, bool there, struct pc_span whole)
{
    PC_CLAIM(fuzz_folder_entries() == (written || there));
    if (written)
        PC_CLAIM(target_is(whole.ptr, whole.len));
    else if (there)
        PC_CLAIM(target_is(old, sizeof(old)));
}

/* --- two sinks, and the bytes they must have --- */

#define BYTES_MAX ((size_t)1 << 20)

struct twin {
    struct pc_sink sink;
    unsigned char *bytes;
    size_t len;
};

static void fill(unsigned char *bytes, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1103515245 + 12345;
        bytes[i] = (unsigned char)(seed >> 16);
    }
}

/* The first of these bytes chooses the call, the rest how much and where, relative to what there is. */
static void operate(struct twin *a, struct twin *b, const unsigned char *op, unsigned char *scratch)
{
    const size_t unit = 4099, n = (size_t)(op[1] | (op[2] & 1) << 8) * (op[2] >> 7 ? unit : 7);
    size_t at = a->len ? (size_t)pc_load(op + 3, 4, PC_LITTLE) % (a->len + 1) : 0;
    size_t part = n < a->len - at ? n : a->len - at;
    switch (op[0] % 6) {
    case 0: /* puts */
    case 1:
        if (n > BYTES_MAX - a->len)
            return;
        fill(a->bytes + a->len, n, op[6]);
        pc_sink_put(&a->sink, a->bytes + a->len, n);
        a->len += n;
        return;
    case 2: /* puts over */
        fill(a->bytes + at, part, op[6]);
        pc_sink_put_at(&a->sink, at, a->bytes + at, part);
        return;
    case 3: { /* moves the end */
        size_t to = op[7] & 1 ? at + n : at - (n < at ? n : at);
        if (to + (a->len - at) > BYTES_MAX)
            return;
        pc_sink_move(&a->sink, at, to);
        size_t moved = a->len - at, len = a->len;
        memmove(a->bytes + to, a->bytes + at, moved);
        if (to > len)
            memset(a->bytes + len, 0, to - len);
        a->len = to + moved;
        return;
    }
    case 4: /* appends of the other */
        at = b->len ? (size_t)pc_load(op + 3, 4, PC_LITTLE) % (b->len + 1) : 0;
        part = n < b->len - at ? n : b->len - at;
        if (part > BYTES_MAX - a->len)
            return;
        if (!pc_sink_get(&b->sink, at, scratch, part))
            return;
        memcpy(a->bytes + a->len, b->bytes + at, part);
        pc_sink_put(&a->sink, scratch, part);
        a->len += part;
        return;
    default: /* gets */
        if (pc_sink_get(&a->sink, at, scratch, part))
            PC_CLAIM(memcmp(scratch, a->bytes + at, part) == 0);
        else
            PC_CLAIM(a->sink.error != 0);
    }
}

static void claim_operations(const struct fuzz_case *c)
{
    struct twin twin[2] = { 0 };
    struct pc_mem mem;
    unsigned char *scratch = malloc(BYTES_MAX);
    fuzz_folder();
    uint64_t descriptors = fuzz_folder_descriptors();
    create(&twin[0].sink, &mem, false);
    FUZZ_MUST(scratch && pc_sink_scratch(&twin[1].sink, &mem, &twin[0].sink) == 0);
    uint64_t fails = (uint64_t)fuzz_bits(c, 0, 8) << 13;
    twin[0].sink.fail_at = fails;
    twin[0].sink.at_most = fuzz_bits(c, 8, 20);
    for (unsigned i = 0; i < 2; i++)
        FUZZ_MUST(twin[i].bytes = malloc(BYTES_MAX));
    size_t most = c->capture.len < 256 ? c->capture.len : 256;
    for (size_t at = 0; at + 8 <= most; at += 8) {
        unsigned which = c->capture.ptr[at + 7] >> 7;
        operate(&twin[which], &twin[!which], c->capture.ptr + at, scratch);
        for (unsigned i = 0; i < 2; i++)
            PC_CLAIM(twin[i].sink.error != 0 || twin[i].sink.size == twin[i].len);
    }
    PC_CLAIM(fails != 0 || (twin[0].sink.error == 0 && twin[1].sink.error == 0));
    pc_sink_discard(&twin[1].sink);
    int error = pc_sink_commit(&twin[0].sink);
    PC_CLAIM(fails != 0 || error == 0);
    claim_folder(error == 0, false, (struct pc_span){ twin[0].bytes, twin[0].len });
    PC_CLAIM(mem.used == 0);
    PC_CLAIM(fuzz_folder_descriptors() == descriptors);
    free(twin[0].bytes);
    free(twin[1].bytes);
    free(scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_bytes copy;
    struct pc_sink sink;
    struct pc_mem mem;
    struct pc_input in;
    struct pc_rewrite how = { .callbacks = fuzz_callbacks(NULL), .force = true, .no_verify = true };
    if (!fuzz_case(&c, data, size))
        return 0;
    if (fuzz_bits(&c, 31, 1)) {
        claim_operations(&c);
        return 0;
    }
    if (fuzz_rewrite(how, c.capture, &copy) != PC_WRITTEN)
        return 0;
    fuzz_folder();
    uint64_t descriptors = fuzz_folder_descriptors();
    how.limits = fuzz_limits;
    bool there = fuzz_bits(&c, 21, 1), early = fuzz_bits(&c, 22, 1), signalled = fuzz_bits(&c, 32, 1);
    if (there)
        fuzz_folder_put("out", (struct pc_span){ (const unsigned char *)old, sizeof(old) });
    pc_input_memory(&in, c.capture, PC_INPUT_FILE);
    create(&sink, &mem, true);
    sink.fail_at = early ? 1 + fuzz_bits(&c, 0, 20) % (copy.len + 16) : 0;
    sink.at_most = fuzz_bits(&c, 23, 8);
    bool fails = sink.fail_at != 0 && sink.fail_at <= copy.len;
    enum pc_rewritten result = pc_rewrite_into(&how, &in, "in", &sink, "out");
    if (signalled) {
        pc_temporary_remove_all();
        claim_folder(false, there, fuzz_span(&copy));
    }
    int error = result == PC_WRITTEN ? pc_sink_commit(&sink) : 0;
    if (result != PC_WRITTEN)
        pc_sink_discard(&sink);
    bool written = result == PC_WRITTEN && error == 0;
    PC_CLAIM(written == (!fails && !signalled));
    claim_folder(written, there, fuzz_span(&copy));
    PC_CLAIM(mem.used == 0);
    PC_CLAIM(fuzz_folder_descriptors() == descriptors);
    free(copy.bytes);
    return 0;
}
