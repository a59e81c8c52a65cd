/* SPDX-License-Identifier: MIT
 *
 * sinkfail: writes are short, or fail at some byte. The target is then as it was, and nothing else is left in
 * its folder; or it is the whole copy.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char target[128];
    struct fuzz_case c;
    struct fuzz_bytes copy;
    struct pc_sink sink;
    struct pc_mem mem;
    struct pc_input in;
    struct pc_printer printer = { .format = PC_FORMAT_TEXT };
    struct pc_rewrite how = { .printer = &printer, .force = true, .no_verify = true };
    if (!fuzz_case(&c, data, size) || fuzz_rewrite(how, c.capture, &copy) != PC_WRITTEN)
        return 0;
    fuzz_folder();
    how.limits = fuzz_limits;
    bool there = fuzz_bits(&c, 21, 1), early = fuzz_bits(&c, 22, 1);
    if (there)
        fuzz_folder_put("out", (struct pc_span){ (const unsigned char *)old, sizeof(old) });
    snprintf(target, sizeof(target), "%s/out", fuzz_folder_path());
    printer.out = printer.err = fopen("/dev/null", "w");
    pc_mem_init(&mem, (uint64_t)8 << 20);
    pc_input_memory(&in, c.capture, PC_INPUT_FILE);
    PC_CLAIM(pc_sink_create(&sink, &mem, target, true, 0600) == 0);
    sink.fail_at = early ? 1 + fuzz_bits(&c, 0, 20) % (copy.len + 16) : 0;
    sink.at_most = fuzz_bits(&c, 23, 8);
    bool fails = sink.fail_at != 0 && sink.fail_at <= copy.len;
    enum pc_rewritten result = pc_rewrite_into(&how, &in, "in", &sink, "out");
    int error = result == PC_WRITTEN ? pc_sink_commit(&sink) : 0;
    if (result != PC_WRITTEN)
        pc_sink_discard(&sink);
    bool written = result == PC_WRITTEN && error == 0;
    PC_CLAIM(written == !fails);
    PC_CLAIM(fuzz_folder_entries() == (written || there));
    if (written)
        PC_CLAIM(target_is(copy.bytes, copy.len));
    else if (there)
        PC_CLAIM(target_is(old, sizeof(old)));
    PC_CLAIM(mem.used == 0);
    fclose(printer.out);
    free(copy.bytes);
    return 0;
}
