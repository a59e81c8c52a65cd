/* SPDX-License-Identifier: MIT */
#include "cli/key.h"

#include "base/text.h"
#include "bytes/names.h"
#include "cli/show.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* --- streams --- */

static bool is_stream(const char *path)
{
    struct stat st;
    const bool is_input = strcmp(path, "-") == 0;
    if ((is_input ? fstat(STDIN_FILENO, &st) : pc_name_stat(AT_FDCWD, path, &st, 0)) != 0)
        return is_input; /* which perhaps can be read only once */
    return !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISBLK(st.st_mode);
}

/* False, after reporting why. */
static bool store(struct pc_capture_key *key, const struct pc_arguments *a, const char *path)
{
    const char *limit = pc_arguments_value(a, "max-spool");
    uint64_t most = PC_SPOOL_MAX;
    if (limit)
        pc_text_number(limit, true, &most); /* the library has taken it */
    int error = pc_input_open(&key->stored, path);
    if (error == 0)
        error = pc_input_spool(&key->stored, &key->mem, (struct pc_span){ NULL, 0 }, most);
    if (error != 0)
        pc_print_about(stderr, "", path, "cannot be stored, to be read twice",
                       error == EFBIG ? "it is larger than --max-spool allows" : pc_text_error(error));
    return error == 0;
}

/* Opens the capture from its first byte on, which in a file on standard input may be anywhere. */
static void open_by(const struct pc_capture_key *key, perfcheck_t *pc, const char *path)
{
    if (key->stored.fd >= 0) {
        lseek(key->stored.fd, 0, SEEK_SET);
        perfcheck_open_fd(pc, key->stored.fd);
        return;
    }
    if (strcmp(path, "-") == 0)
        lseek(STDIN_FILENO, key->begin, SEEK_SET);
    perfcheck_open_path(pc, path);
}

/* --- keys --- */

/* Told of a capture that has no digest. */
static void note_verdict(void *ctx, perfcheck_t *pc, const char *path)
{
    (void)path;
    *(perfcheck_verdict_t *)ctx = perfcheck_verdict(pc);
}

/* The sum of all items that a handle reads, and of where they are. */
static struct pc_sum sum_of(perfcheck_t *pc)
{
    const perfcheck_item_t *item;
    struct pc_hash hash;
    pc_hash_init(&hash);
    while (perfcheck_next(pc, &item) == PERFCHECK_OK) {
        const uint64_t words[] = { (uint64_t)item->kind, item->type, item->offset, item->size,
                                   item->nr_bytes };
        for (size_t i = 0; i < PC_COUNT_OF(words); i++)
            pc_hash_put_uint(&hash, words[i]);
        pc_hash_put(&hash, item->stream, strlen(item->stream) + 1);
        if (item->nr_bytes != 0)
            pc_hash_put(&hash, item->bytes, item->nr_bytes);
    }
    return pc_hash_sum(&hash);
}

static void put_raw(char text[PC_CAPTURE_KEY_MAX], const struct pc_sum *sum)
{
    size_t n = (size_t)snprintf(text, PC_CAPTURE_KEY_MAX, "raw:");
    for (size_t i = 0; i < sizeof(sum->bytes); i++)
        n += (size_t)snprintf(text + n, PC_CAPTURE_KEY_MAX - n, "%02x", sum->bytes[i]);
}

static void make_key(struct pc_capture_key *key, perfcheck_t *pc, const char *path)
{
    perfcheck_verdict_t verdict = PERFCHECK_UNREADABLE;
    perfcheck_close(pc);
    perfcheck_on_report(pc, note_verdict, &verdict);
    open_by(key, pc, path);
    const char *digest = perfcheck_digest(pc);
    if (!digest && verdict != PERFCHECK_UNREADABLE) {
        open_by(key, pc, path);
        struct pc_sum sum = sum_of(pc);
        verdict = perfcheck_verdict(pc);
        put_raw(key->text, &sum);
    }
    if (digest)
        pc_copy_text(key->text, sizeof(key->text), digest);
    else if (verdict == PERFCHECK_UNREADABLE)
        *key->text = 0;
    pc_copy_text(key->why, sizeof(key->why), *key->text ? "" : perfcheck_error(pc));
    perfcheck_close(pc);
}

bool pc_key_open(struct pc_capture_key *key, struct pc_arguments *a, const char *path)
{
    *key = (struct pc_capture_key){ .stored = { .fd = -1 }, .begin = lseek(STDIN_FILENO, 0, SEEK_CUR) };
    pc_mem_init(&key->mem, (size_t)4 * PC_SINK_BUFFER);
    if (is_stream(path) && !store(key, a, path))
        return false;
    make_key(key, a->other, path);
    open_by(key, a->pc, path);
    return true;
}

void pc_key_close(struct pc_capture_key *key)
{
    pc_input_close(&key->stored);
}
