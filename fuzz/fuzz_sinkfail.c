/* SPDX-License-Identifier: MIT
 *
 * sinkfail: writes are short, or fail at some byte. The target is then as it was, and nothing else is left in
 * its folder; or it is the whole copy.
 */
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], target[80];
static const char old[] = "what was there";

static void remove_folder(void)
{
    unlink(target);
    rmdir(folder);
}

/* In memory where the system has that. */
static void make_folder(void)
{
    if (*folder)
        return;
    snprintf(folder, sizeof(folder), "%s/perfcheck-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    PC_CLAIM(mkdtemp(folder) != NULL);
    snprintf(target, sizeof(target), "%s/out", folder);
    atexit(remove_folder);
}

static unsigned files_in_folder(void)
{
    unsigned nr = 0;
    DIR *dir = opendir(folder);
    PC_CLAIM(dir != NULL);
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir))
        nr += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    closedir(dir);
    return nr;
}

static bool target_is(const void *bytes, size_t len)
{
    static unsigned char room[1 << 20];
    int fd = open(target, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, room, sizeof(room));
    close(fd);
    return got >= 0 && (size_t)got == len && memcmp(room, bytes, len) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_case c;
    struct fuzz_bytes copy;
    struct pc_sink sink;
    struct pc_mem mem;
    struct pc_input in;
    struct pc_printer printer = { .format = PC_FORMAT_TEXT };
    struct pc_rewrite how = { .printer = &printer, .force = true, .no_verify = true };
    if (!fuzz_case(&c, data, size) || fuzz_rewrite(how, c.capture, &copy) != PC_WRITTEN)
        return 0;
    make_folder();
    how.limits = fuzz_limits;
    bool there = fuzz_bits(&c, 21, 1), early = fuzz_bits(&c, 22, 1);
    if (there) {
        int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        PC_CLAIM(fd >= 0 && write(fd, old, sizeof(old)) == (ssize_t)sizeof(old) && close(fd) == 0);
    }
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
    PC_CLAIM(files_in_folder() == (written || there));
    if (written)
        PC_CLAIM(target_is(copy.bytes, copy.len));
    else if (there)
        PC_CLAIM(target_is(old, sizeof(old)));
    PC_CLAIM(mem.used == 0);
    fclose(printer.out);
    unlink(target);
    free(copy.bytes);
    return 0;
}
