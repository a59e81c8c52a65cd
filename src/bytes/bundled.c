/* SPDX-License-Identifier: MIT */
#include "bytes/bundled.h"

#include "bytes/copy.h"
#include "bytes/io.h"
#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BITS 07777u

static void set_place(struct pc_bundled *b, const char *parent, const char *name)
{
    snprintf(b->place, sizeof(b->place), "%s%s%s", parent, *parent ? "/" : "", name);
}

/* Permissions that all origins of the records have. */
static uint32_t most_of_records(const struct stat *st, const struct pc_directory *in)
{
    uint32_t most = S_ISREG(st->st_mode) ? st->st_mode & 0777 : S_ISDIR(st->st_mode) ? 0777 : 0600;
    for (size_t i = 0; i < in->nr; i++) {
        if (in->member[i].kind <= PC_MEMBER_OTHER && S_ISREG(in->member[i].mode))
            most &= in->member[i].mode;
    }
    return most;
}

/* The file with the records is one by its name, or the only other one. */
static int see_records(struct pc_bundled *b, const char *name, uint32_t most)
{
    uint32_t number;
    struct stat st;
    bool is_member = pc_member_kind_of(name, false, &number) == PC_MEMBER_DATA;
    set_place(b, "", name);
    if (pc_name_stat(b->out.fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? ESTALE : errno;
    if (!S_ISREG(st.st_mode) || (st.st_mode & BITS & ~most) || b->out.unknown != !is_member)
        return ESTALE;
    b->explained += is_member;
    return 0;
}

int pc_bundled_begin(struct pc_bundled *b, struct pc_mem *mem, struct pc_progress *progress, int output,
                     const char *records, int input)
{
    struct stat st = { .st_mode = 0 };
    struct pc_directory in;
    *b = (struct pc_bundled){ .mem = mem, .progress = progress };
    pc_directory_init(&b->out, mem);
    pc_directory_init(&in, mem);
    int error = pc_directory_list(&b->out, output);
    if (error == 0 && (b->out.mode & BITS & ~0700u))
        error = ESTALE;
    if (error == 0 && input >= 0 && fstat(input, &st) != 0)
        error = errno;
    if (error == 0 && S_ISDIR(st.st_mode))
        error = pc_directory_list(&in, input);
    if (error == 0)
        error = see_records(b, records, most_of_records(&st, &in));
    for (size_t i = 0; i < in.nr && error == 0; i++) {
        if (in.member[i].kind != PC_MEMBER_KCORE)
            continue;
        int fd = pc_name_open(in.fd, in.member[i].name, PC_OPEN_DIRECTORY);
        error = fd < 0 ? errno : pc_bundled_kcore(b, fd, in.member[i].name);
        if (fd >= 0)
            close(fd);
    }
    pc_directory_clear(&in);
    return error;
}

/* A file of a kcore_dir, which both have or none. */
static int see_file(struct pc_bundled *b, int kcore, const struct pc_member *dir, const char *name)
{
    const struct pc_member *copied = pc_directory_kcore_file(&b->out, dir, name);
    struct pc_input copy;
    struct stat st;
    set_place(b, dir->name, name);
    if (pc_name_stat(kcore, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return errno != ENOENT ? errno : copied ? ESTALE : 0;
    if (!copied || !S_ISREG(copied->mode) || copied->size != (uint64_t)st.st_size ||
        (copied->mode & BITS & ~st.st_mode))
        return ESTALE;
    b->explained++;
    int own = pc_name_open(kcore, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (own < 0)
        return errno;
    int error = pc_directory_open(&b->out, copied, &copy);
    if (error == 0) {
        error = pc_copy_compare(b->mem, b->progress, copy.fd, own);
        pc_input_close(&copy);
    }
    close(own);
    return error;
}

int pc_bundled_kcore(struct pc_bundled *b, int kcore, const char *name)
{
    const struct pc_member *dir = NULL;
    set_place(b, "", name);
    for (size_t i = 0; i < b->out.nr; i++) {
        if (b->out.member[i].kind == PC_MEMBER_KCORE && strcmp(b->out.member[i].name, name) == 0)
            dir = &b->out.member[i];
    }
    if (!dir || !S_ISDIR(dir->mode) || (dir->mode & BITS & ~0700u))
        return ESTALE;
    b->explained++;
    for (size_t i = 0; i < PC_COUNT_OF(pc_kcore_files); i++) {
        int error = see_file(b, kcore, dir, pc_kcore_files[i]);
        if (error)
            return error;
    }
    return 0;
}

int pc_bundled_end(struct pc_bundled *b, int error)
{
    if (error == 0 && (b->explained != b->out.nr || b->out.full)) {
        b->place[0] = 0;
        error = ESTALE;
    }
    pc_directory_clear(&b->out);
    return error;
}
