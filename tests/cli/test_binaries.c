/* SPDX-License-Identifier: MIT
 *
 * This program itself is the binary: where its functions are in its file comes from the loader.
 */
#include "cli/binaries.h"
#include "pc_test.h"
#include "scratch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[SCRATCH_PATH], copy[SCRATCH_PATH + 8];
static unsigned char *image;
static size_t size;

/* What the loader knows of this program. */
static char build_id[41];
static uint64_t place;      /* of probe, in the file */
static struct pc_code code; /* the mapping of it */

static int probe(int x)
{
    return x + 1;
}

static void take_note(const unsigned char *note, size_t left)
{
    const ElfW(Nhdr) *head = (const void *)note;
    while (left >= sizeof(*head)) {
        size_t all = sizeof(*head) + (head->n_namesz + 3U) / 4 * 4 + (head->n_descsz + 3U) / 4 * 4;
        const unsigned char *id = (const unsigned char *)(head + 1) + 4;
        for (size_t i = 0; head->n_type == NT_GNU_BUILD_ID && i < head->n_descsz && i < 20; i++)
            snprintf(build_id + 2 * i, 3, "%02x", id[i]);
        if (all >= left)
            return;
        left -= all;
        head = (const void *)((const unsigned char *)head + all);
    }
}

static int take_program(struct dl_phdr_info *info, size_t unused, void *ctx)
{
    (void)unused;
    (void)ctx;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t at = (uintptr_t)probe - info->dlpi_addr - p->p_vaddr;
        if (p->p_type == PT_NOTE)
            take_note((const unsigned char *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
        if (p->p_type != PT_LOAD || at >= p->p_memsz)
            continue;
        place = p->p_offset + at;
        code.at = p->p_offset / 4096 * 4096;
        code.size = (p->p_offset + p->p_memsz + 4095) / 4096 * 4096 - code.at;
    }
    return 1; /* the program is the first one */
}

static void write_copy(void)
{
    int fd = open(copy, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, image, size), size);
    close(fd);
}

static struct pc_address find(const char *id, uint64_t at)
{
    int error;
    struct pc_binaries *b = pc_binaries_open(folder, &error);
    struct pc_address address = { .at = at };
    if (!b)
        assert_int_equal(error, ENOTSUP);
    pc_binaries_find(b, id, code, &address, 1);
    static char function[64], source[256];
    snprintf(function, sizeof(function), "%s", address.function);
    snprintf(source, sizeof(source), "%s", address.source);
    address.function = function;
    address.source = source;
    pc_binaries_close(b);
    return address;
}

static void a_function_is_found_by_build_id(void **state)
{
    (void)state;
    assert_int_equal(probe(1), 2);
#ifdef PC_BINARIES
    write_copy();
    if (*build_id == 0)
        return;
    struct pc_address found = find(build_id, place);
    assert_string_equal(found.function, "probe");
    assert_true(*found.source == 0 ||
                strstr(found.source, "test_binaries.c")); /* without debug information */
#endif
}

static void what_is_not_there_has_no_name(void **state)
{
    char other[] = "00112233445566778899aabbccddeeff00112233";
    (void)state;
    write_copy();
    assert_string_equal(find(other, place).function, "");
    assert_string_equal(find("", place).function, "");
    assert_string_equal(find("0", place).source, "");
    assert_string_equal(find(build_id, UINT64_MAX).function, "");
    assert_string_equal(find(build_id, size + 4096).function, "");
}

static void a_folder_that_is_none_is_an_error(void **state)
{
    int error = 0;
    (void)state;
    write_copy();
    assert_null(pc_binaries_open(copy, &error));
    assert_true(error == ENOTDIR || error == ENOTSUP);
}

/* Whatever a file says of itself. The headers of the file and its sections get most of it. */
static void damaged_files_do_no_harm(void **state)
{
    uint32_t seed = 7;
    ElfW(Ehdr) head;
    (void)state;
    memcpy(&head, image, sizeof(head));
    for (unsigned round = 0; round < 200; round++) {
        unsigned char before[4];
        size_t at[4];
        for (unsigned i = 0; i < 4; i++) {
            seed = seed * 1664525 + 1013904223;
            uint64_t from = round % 3 == 0 ? 20 : round % 3 == 1 ? head.e_shoff : head.e_phoff;
            size_t span = round % 3 == 0 ? 44 : (size_t)64 * 32;
            at[i] = (size_t)((from + (seed >> 8) % span) % size);
            before[i] = image[at[i]];
            image[at[i]] = (unsigned char)(seed >> 24);
        }
        write_copy();
        assert_non_null(find(build_id, place).function);
        for (unsigned i = 4; i-- > 0;)
            image[at[i]] = before[i];
    }
}

static int set_up(void **state)
{
    (void)state;
    scratch_path(folder, "dir");
    snprintf(copy, sizeof(copy), "%s/copy", folder);
    dl_iterate_phdr(take_program, NULL);
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    off_t end = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
    if (end <= 0 || mkdir(folder, 0700) != 0)
        return -1;
    size = (size_t)end;
    image = malloc(size);
    bool good = image && pread(fd, image, size, 0) == end;
    close(fd);
    return good ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    free(image);
    unlink(copy);
    rmdir(folder);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_function_is_found_by_build_id),
    cmocka_unit_test(what_is_not_there_has_no_name),
    cmocka_unit_test(a_folder_that_is_none_is_an_error),
    cmocka_unit_test(damaged_files_do_no_harm),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
