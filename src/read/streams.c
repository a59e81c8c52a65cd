/* SPDX-License-Identifier: MIT
 *
 * Directory captures: `data` is read as a file, then each data.N as a stream of records of its own
 * (tools/perf/util/data.c: perf_data__open_dir), then kcore_dir is looked at.
 */
#include "read/parts.h"
#include "read/reader.h"
#include "base/text.h"
#include "format/rows.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static struct pc_where where_of(const struct pc_reader *r, const struct pc_member *member)
{
    return member ? (struct pc_where){ .stream = 1 + (uint32_t)(member - r->directory.member),
                                       .member = member->name }
                  : (struct pc_where){ 0 };
}

/* About a member of the directory, or about the directory as a whole (NULL). */
static void say(struct pc_reader *r, enum pc_diag id, const struct pc_member *member, struct pc_value seen,
                struct pc_value expected)
{
    const struct pc_context end = { .place = PC_AT_END, .where = where_of(r, member) };
    pc_report_say(r->report, &end, id, 0, 0, seen, expected);
}

/* A link, or another kind of file, in place of a member. A salvage leaves a link out, as it does with the
 * others; nothing else does without what may be behind it. */
static void say_not_regular(struct pc_reader *r, const struct pc_member *member, bool is_link)
{
    const bool may_lack = r->salvages && member->kind != PC_MEMBER_DATA;
    const enum pc_diag other =
        member->kind == PC_MEMBER_DATA ? PC_D_DIR_DATA_NOT_REGULAR : PC_D_DIR_NOT_REGULAR;
    say(r, is_link && !may_lack ? PC_D_LINK : other, member, pc_none, pc_none);
}

/* A member that cannot be opened, or is not what it must be. */
static void say_unopened(struct pc_reader *r, const struct pc_member *member, int error)
{
    if (error == ELOOP || error == ENXIO)
        say_not_regular(r, member, error == ELOOP);
    else
        say(r, PC_D_READ_FAILED, member, pc_text_value(pc_text_error(error)), pc_none);
}

static int open_member(struct pc_reader *r, const struct pc_member *member, struct pc_input *in)
{
    if (S_ISLNK(member->mode))
        return ELOOP;
    if (!S_ISREG(member->mode))
        return ENXIO; /* not even opened: that may have effects on a device */
    int error = pc_directory_open(&r->directory, member, in);
    in->fail_at = r->given->fail_at;
    in->at_most = r->given->at_most;
    if (member->kind == PC_MEMBER_DATA) {
        in->patch = r->given->patch;
        in->nr_patches = r->given->nr_patches;
    }
    return error;
}

/* --- what the directory holds --- */

/* Numbers that are missing, names that are not numbers, kinds of files. */
static void check_members(struct pc_reader *r)
{
    const struct pc_directory *dir = &r->directory;
    const unsigned group_and_others = 077;
    unsigned open = dir->mode & group_and_others;
    uint32_t next = 0;
    for (size_t i = 0; i < dir->nr; i++) {
        const struct pc_member *m = &dir->member[i];
        open |= m->mode & group_and_others & (S_ISLNK(m->mode) ? 0 : ~0u);
        if (m->kind == PC_MEMBER_STREAM && m->number != next)
            say(r, PC_D_DIR_GAP, m, pc_uint_value(m->number), pc_uint_value(next));
        if (m->kind == PC_MEMBER_STREAM)
            next = m->number + 1;
        if (m->kind == PC_MEMBER_OTHER)
            say(r, PC_D_DIR_OTHER_STREAM, m, pc_none, pc_none);
        if (m->kind == PC_MEMBER_KCORE && !S_ISDIR(m->mode))
            say_not_regular(r, m, S_ISLNK(m->mode));
        if (m->error != 0)
            say(r, PC_D_READ_FAILED, m, pc_text_value(pc_text_error(m->error)), pc_none);
    }
    if (open & ~(unsigned)(S_IXGRP | S_IXOTH))
        say(r, PC_D_DIR_PERMISSIONS, NULL, pc_none, pc_none);
    if (dir->unknown != 0)
        say(r, PC_D_DIR_UNKNOWN, NULL, pc_uint_value(dir->unknown),
            pc_bytes_value(
                (struct pc_span){ (const unsigned char *)dir->unknown_name, strlen(dir->unknown_name) }));
    if (dir->full) {
        const struct pc_context end = { .place = PC_AT_END, .name = "directory entries" };
        pc_report_say(r->report, &end, PC_D_LIMIT_STATE, 0, 0, pc_none, pc_uint_value(PC_MEMBERS_MAX));
    }
}

bool pc_reader_open_directory(struct pc_reader *r)
{
    struct pc_directory *dir = &r->directory;
    int error = pc_directory_list(dir, r->in->fd);
    r->work += dir->entries;
    if (error) {
        if (error == ENOMEM)
            pc_reader_say_out_of_memory(r, "the directory was listed");
        else
            say(r, PC_D_READ_FAILED, NULL, pc_text_value(pc_text_error(error)), pc_none);
        return false;
    }
    const struct pc_member *data = pc_directory_first(dir, PC_MEMBER_DATA);
    if (!data) {
        say(r, PC_D_DIR_NO_DATA, NULL, pc_none, pc_none);
        return false;
    }
    error = open_member(r, data, &r->member);
    if (error) {
        say_unopened(r, data, error);
        return false;
    }
    r->in = &r->member;
    pc_reader_learn(r)->is_directory = true;
    r->streams.next = (size_t)(data - dir->member) + 1;
    return true;
}

/* --- from stream to stream --- */

/* Whether the data.N belong to the capture. */
static bool has_streams(const struct pc_capture *capture)
{
    return capture->dir_version == 1;
}

/* What perf would open as a stream, which may be a link to another file; NULL: there is none. */
static const struct pc_member *first_stream(const struct pc_directory *dir)
{
    for (size_t i = 0; i < dir->nr; i++) {
        const struct pc_member *m = &dir->member[i];
        if ((m->kind == PC_MEMBER_STREAM || m->kind == PC_MEMBER_OTHER) &&
            (S_ISREG(m->mode) || S_ISLNK(m->mode)))
            return m;
    }
    return NULL;
}

/* Whether there are bytes in a data.N, which perf record makes where it writes DIR_FORMAT, too. */
static bool has_numbered(const struct pc_directory *dir)
{
    for (size_t i = 0; i < dir->nr; i++) {
        const struct pc_member *m = &dir->member[i];
        if (m->kind == PC_MEMBER_STREAM && S_ISREG(m->mode) && m->size != 0)
            return true;
    }
    return false;
}

void pc_reader_expect_streams(struct pc_reader *r)
{
    const struct pc_capture *capture = r->capture;
    bool lost =
        (r->outer.cut || pc_bit(capture->features, PC_DIR_FORMAT)) && !pc_bit(capture->seen, PC_DIR_FORMAT);
    if (!capture->is_directory || capture->is_pipe || capture->dir_version == 1)
        return;
    const bool belong = lost && first_stream(&r->directory),
               found = r->salvages && has_numbered(&r->directory);
    r->streams.overruled = found && !belong && pc_count_features(capture->features) != 0;
    if (belong || found)
        pc_reader_learn(r)->dir_version = 1;
}

/* Said once, when `data` was read. */
static void check_streams(struct pc_reader *r)
{
    const struct pc_capture *capture = r->capture;
    const struct pc_member *first = first_stream(&r->directory);
    check_members(r);
    if (capture->is_pipe) {
        say(r, PC_D_DIR_DATA_PIPE, pc_directory_first(&r->directory, PC_MEMBER_DATA), pc_none, pc_none);
        return;
    }
    if (has_streams(capture) && !first)
        say(r, PC_D_DIR_NO_STREAMS, NULL, pc_none, pc_none);
    if (!has_streams(capture) && first && capture->dir_version == 0)
        say(r, PC_D_DIR_STREAMS_UNUSED, first, pc_none, pc_none);
}

/* A stream has no header; one with the magic of a capture is another file. */
static bool begins_with_magic(struct pc_reader *r)
{
    unsigned char head[8];
    return pc_input_read_at(r->in, 0, head, sizeof(head)) == sizeof(head) && pc_is_magic(head);
}

static bool open_stream(struct pc_reader *r, const struct pc_member *m)
{
    struct pc_input in;
    int error = open_member(r, m, &in);
    if (error) {
        say_unopened(r, m, error);
        return false;
    }
    in.bytes_read = r->member.bytes_read;
    pc_input_close(&r->member);
    r->member = in;
    r->streams.where = where_of(r, m);
    if (in.size == 0) {
        say(r, PC_D_DIR_STREAM_EMPTY, m, pc_none, pc_none);
        return false;
    }
    if (begins_with_magic(r)) {
        say(r, PC_D_DIR_STREAM_HEADER, m, pc_none, pc_none);
        return false;
    }
    unsigned char *bytes = r->outer.bytes;
    r->outer = (struct pc_window){
        .bytes = bytes, .room = PC_WINDOW, .end = r->member.size, .cut = r->capture->unfinished
    };
    r->records = 0;
    return true;
}

bool pc_reader_return(struct pc_reader *r, uint32_t stream)
{
    struct pc_input in;
    const struct pc_member *m =
        stream == 0 ? pc_directory_first(&r->directory, PC_MEMBER_DATA) : &r->directory.member[stream - 1];
    if (!m || open_member(r, m, &in) != 0)
        return false;
    in.bytes_read = r->member.bytes_read;
    pc_input_close(&r->member);
    r->member = in;
    r->streams.where = where_of(r, stream == 0 ? NULL : m);
    return true;
}

bool pc_reader_next_stream(struct pc_reader *r)
{
    const struct pc_directory *dir = &r->directory;
    pc_ahead_end(&r->ahead, &r->outer);
    r->ahead.tried = false;
    if (!r->capture->is_directory)
        return false;
    if (!r->streams.checked)
        check_streams(r);
    r->streams.checked = true;
    if (r->capture->is_pipe || !has_streams(r->capture))
        return false;
    while (r->streams.next < dir->nr) {
        const struct pc_member *m = &dir->member[r->streams.next];
        if (m->kind != PC_MEMBER_STREAM && m->kind != PC_MEMBER_OTHER)
            return false;
        r->streams.next++;
        if (open_stream(r, m))
            return true;
    }
    return false;
}

/* --- kcore_dir --- */

/* include/uapi/linux/elf.h: Elf32_Ehdr, Elf64_Ehdr and their program headers. */
#define ELF_32  PC_DYNAMIC(0)
#define ELF_64  PC_DYNAMIC(1)
#define ELF_MAX 64 /* bytes of the larger header */

enum { ELF_TYPE = PC_SLOT_F0, ELF_PHOFF, ELF_EHSIZE, ELF_PHENTSIZE, ELF_PHNUM, ELF_OFFSET, ELF_FILESZ };

static const struct pc_case elf_class[] = { CASE(1, ELF_32), CASE(2, ELF_64), END_OF_CASES };
static const struct pc_field elf_header[] = {
    PC_ROW("magic", PC_LITERAL, .arg = 4, .text = "\177ELF"),
    U8(class, .cases = elf_class),
    U8(data),
    PC_ROW("ident", PC_BYTES, .arg = 10),
    U16(type, .save = ELF_TYPE),
    U16(machine),
    U32(version),
    U32(entry, .when = ELF_32),
    U32(phoff, .when = ELF_32, .save = ELF_PHOFF),
    U32(shoff, .when = ELF_32),
    U64(entry, .when = ELF_64),
    U64(phoff, .when = ELF_64, .save = ELF_PHOFF),
    U64(shoff, .when = ELF_64),
    U32(flags),
    U16(ehsize, .save = ELF_EHSIZE),
    U16(phentsize, .save = ELF_PHENTSIZE),
    U16(phnum, .save = ELF_PHNUM),
    END,
};
static const struct pc_field elf_segment[] = {
    U32(type),
    U32(flags, .when = ELF_64),
    U32(offset, .when = ELF_32, .save = ELF_OFFSET),
    U32(vaddr, .when = ELF_32),
    U32(paddr, .when = ELF_32),
    U32(filesz, .when = ELF_32, .save = ELF_FILESZ),
    U64(offset, .when = ELF_64, .save = ELF_OFFSET),
    U64(vaddr, .when = ELF_64),
    U64(paddr, .when = ELF_64),
    U64(filesz, .when = ELF_64, .save = ELF_FILESZ),
    END,
};

/* Headers and the ends of segments; what the segments hold is the kernel's memory, and is not read. */
static void check_elf(struct pc_reader *r, const struct pc_member *m, struct pc_input *in)
{
    const unsigned core = 4;
    unsigned char bytes[ELF_MAX];
    struct pc_walk walk;
    size_t got = pc_input_read_at(in, 0, bytes, sizeof(bytes));
    bool big = got > 5 && bytes[5] == 2;
    struct pc_cursor c = pc_cursor((struct pc_span){ bytes, got }, big ? PC_BIG : PC_LITTLE);
    bool sound =
        pc_read_table(&walk, elf_header, c) && (walk.mask & (ELF_32 | ELF_64)) && walk.slot[ELF_TYPE] == core;
    bool wide = walk.mask & ELF_64; /* the sizes of both headers follow from the class */
    if (!sound || walk.slot[ELF_EHSIZE] != (wide ? 64 : 52) || walk.slot[ELF_PHENTSIZE] != (wide ? 56 : 32)) {
        say(r, PC_D_KCORE_NOT_ELF, m, pc_none, pc_none);
        return;
    }
    struct pc_layout layout = { .mask = walk.mask };
    uint64_t at = walk.slot[ELF_PHOFF], nr = walk.slot[ELF_PHNUM], size = walk.slot[ELF_PHENTSIZE], end;
    if (at > in->size || nr * size > in->size - at) {
        say(r, PC_D_KCORE_CUT, m, pc_hex_value(pc_add_saturated(at, nr * size)), pc_hex_value(in->size));
        return;
    }
    for (uint64_t i = 0; i < nr; i++, at += size) {
        r->work++;
        got = pc_input_read_at(in, at, bytes, sizeof(bytes));
        c = pc_cursor((struct pc_span){ bytes, got }, big ? PC_BIG : PC_LITTLE);
        pc_walk_init(&walk, &layout, &c, NULL, NULL);
        bool there = pc_walk_table(&walk, elf_segment);
        if (there && pc_add(walk.slot[ELF_OFFSET], walk.slot[ELF_FILESZ], &end) && end <= in->size)
            continue;
        say(r, PC_D_KCORE_CUT, m,
            there ? pc_hex_value(pc_add_saturated(walk.slot[ELF_OFFSET], walk.slot[ELF_FILESZ]))
                  : pc_hex_value(at),
            pc_hex_value(in->size));
        return;
    }
}

/* kallsyms and modules are lines of text. */
static void check_lines(struct pc_reader *r, const struct pc_member *m, struct pc_input *in)
{
    uint64_t at = 0;
    unsigned char last = '\n';
    for (;;) {
        size_t n = pc_input_read_at(in, at, r->outer.bytes, PC_FILL);
        for (size_t i = 0; i < n; i++) {
            unsigned char c = r->outer.bytes[i];
            if ((c >= ' ' && c != 0x7f) || c == '\n' || c == '\t')
                continue;
            const struct pc_context end = { .place = PC_AT_END, .where = where_of(r, m) };
            pc_report_say(r->report, &end, PC_D_KCORE_TEXT, at + i, 1, pc_hex_value(c), pc_none);
            return;
        }
        if (n != 0)
            last = r->outer.bytes[n - 1];
        at += n;
        if (n < PC_FILL)
            break;
    }
    if (last != '\n')
        say(r, PC_D_KCORE_LINE_CUT, m, pc_none, pc_none);
}

static void check_kcore_file(struct pc_reader *r, const struct pc_member *m)
{
    struct pc_input in;
    int error = open_member(r, m, &in);
    if (error) {
        say_unopened(r, m, error);
        return;
    }
    if (strcmp(strchr(m->name, '/') + 1, "kcore") == 0)
        check_elf(r, m, &in);
    else
        check_lines(r, m, &in);
    if (in.error)
        say(r, PC_D_READ_FAILED, m, pc_text_value(pc_text_error(in.error)), pc_none);
    r->member.bytes_read += in.bytes_read;
    pc_input_close(&in);
}

void pc_reader_check_kcore(struct pc_reader *r)
{
    static const enum pc_diag missing[] = { PC_D_KCORE_MISSING, PC_D_KALLSYMS_MISSING, PC_D_MODULES_MISSING };
    const struct pc_directory *dir = &r->directory;
    if (!r->capture->is_directory)
        return;
    for (size_t i = 0; i < dir->nr; i++) {
        const struct pc_member *m = &dir->member[i];
        if (m->kind == PC_MEMBER_KCORE_FILE)
            check_kcore_file(r, m);
        if (m->kind != PC_MEMBER_KCORE || !S_ISDIR(m->mode))
            continue;
        for (size_t k = 0; k < PC_COUNT_OF(pc_kcore_files); k++) {
            if (!pc_directory_kcore_file(dir, m, pc_kcore_files[k]))
                say(r, missing[k], m, pc_none, pc_none);
        }
    }
}
