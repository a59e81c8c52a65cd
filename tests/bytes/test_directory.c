/* SPDX-License-Identifier: MIT
 *
 * The members of a directory capture: what each name is, in which order, and how many there may be.
 */
#include "bytes/directory.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

static struct pc_mem mem;
static int folder;

static void make_file(const char *name, size_t size)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    close(fd);
}

static void make_folder(const char *name)
{
    assert_int_equal(mkdirat(folder, name, 0700), 0);
}

static void list(struct pc_directory *dir)
{
    pc_directory_init(dir, &mem);
    assert_int_equal(pc_directory_list(dir, folder), 0);
}

static void end(struct pc_directory *dir)
{
    pc_directory_clear(dir);
    assert_int_equal(mem.used, 0);
}

/* The name of an input of the kernel copy is that of three files; a stream's number is below 2^31 and has no
 * leading zero. */
static void members_are_sorted_by_what_their_names_say(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum pc_member_kind kind;
        uint32_t number;
        uint64_t size;
    } members[] = {
        { "data", PC_MEMBER_DATA, 0, 7 },
        { "data.0", PC_MEMBER_STREAM, 0, 1 },
        { "data.9", PC_MEMBER_STREAM, 9, 2 },
        { "data.10", PC_MEMBER_STREAM, 10, 3 },
        { "data.2147483647", PC_MEMBER_STREAM, 2147483647, 4 },
        { "data.", PC_MEMBER_OTHER, 0, 0 },
        { "data.00", PC_MEMBER_OTHER, 0, 0 },
        { "data.1x", PC_MEMBER_OTHER, 0, 0 },
        { "data.2147483648", PC_MEMBER_OTHER, 0, 0 },
        { "data.4294967296", PC_MEMBER_OTHER, 0, 0 }, /* 2^32: not 0 */
        { "data.99999999999999999999", PC_MEMBER_OTHER, 0, 0 },
        { "data.old", PC_MEMBER_OTHER, 0, 0 },
        { "kcore_dir", PC_MEMBER_KCORE, 0, 0 },
        { "kcore_dir__5", PC_MEMBER_KCORE, 5, 0 },
        { "kcore_dir/kallsyms", PC_MEMBER_KCORE_FILE, 0, 11 },
        { "kcore_dir/modules", PC_MEMBER_KCORE_FILE, 0, 12 },
        { "kcore_dir__5/kcore", PC_MEMBER_KCORE_FILE, 0, 13 },
    };
    static const char *const others[] = { "Data", "kcore_dir__", "kcore_dir__05", "kcore_dirs",
                                          "kcore_dir/other" };
    struct pc_directory dir;
    for (size_t i = PC_COUNT_OF(members); i-- > 0;) {
        if (members[i].kind == PC_MEMBER_KCORE)
            make_folder(members[i].name);
    }
    for (size_t i = PC_COUNT_OF(members); i-- > 0;) {
        if (members[i].kind != PC_MEMBER_KCORE)
            make_file(members[i].name, (size_t)members[i].size);
    }
    for (size_t i = 0; i < PC_COUNT_OF(others); i++)
        make_file(others[i], 0);
    list(&dir);
    assert_int_equal(dir.nr, PC_COUNT_OF(members));
    for (size_t i = 0; i < dir.nr; i++) {
        const struct pc_member *m = &dir.member[i];
        assert_string_equal(m->name, members[i].name);
        assert_int_equal(m->kind, members[i].kind);
        if (m->kind == PC_MEMBER_STREAM || m->kind == PC_MEMBER_KCORE)
            assert_int_equal(m->number, members[i].number);
        assert_int_equal(m->size, members[i].size);
        assert_int_equal(S_ISDIR(m->mode), m->kind == PC_MEMBER_KCORE);
        if (i == 0 || members[i - 1].kind != m->kind)
            assert_ptr_equal(pc_directory_first(&dir, m->kind), m);
    }
    assert_int_equal(dir.unknown, PC_COUNT_OF(others));
    assert_string_equal(dir.unknown_name, "Data"); /* capitals come first */
    assert_int_equal(dir.entries, PC_COUNT_OF(members) + PC_COUNT_OF(others));
    assert_false(dir.full);
    const struct pc_member *kcore = pc_directory_first(&dir, PC_MEMBER_KCORE);
    assert_string_equal(pc_directory_kcore_file(&dir, kcore, "modules")->name, "kcore_dir/modules");
    assert_null(pc_directory_kcore_file(&dir, kcore, "kcore"));
    assert_string_equal(pc_directory_kcore_file(&dir, kcore + 1, "kcore")->name, "kcore_dir__5/kcore");
    end(&dir);
}

static void only_regular_files_below_the_directory_are_opened(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int error;
    } rows[] = { { "data", 0 },
                 { "data.1", ELOOP },
                 { "data.2", ENXIO },
                 { "data.3", ENXIO },
                 { "kcore_dir/kcore", ELOOP },
                 { "kcore_dir/modules", 0 },
                 { "kcore_dir/kallsyms", ENXIO } };
    struct pc_directory dir;
    make_file("data", 3);
    assert_int_equal(symlinkat("data", folder, "data.1"), 0);
    assert_int_equal(mkfifoat(folder, "data.2", 0600), 0);
    make_folder("data.3");
    make_folder("kcore_dir");
    make_file("kcore_dir/modules", 5);
    assert_int_equal(symlinkat("modules", folder, "kcore_dir/kcore"), 0);
    make_folder("kcore_dir/kallsyms");
    list(&dir);
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        size_t k = 0;
        while (k < dir.nr && strcmp(dir.member[k].name, rows[i].name) != 0)
            k++;
        assert_true(k < dir.nr);
        struct pc_input in;
        int error = pc_directory_open(&dir, &dir.member[k], &in);
        if (error != rows[i].error)
            fail_msg("%s: %s", rows[i].name, strerror(error));
        if (error == 0) {
            assert_int_equal(in.size, dir.member[k].size);
            pc_input_close(&in);
        }
    }
    end(&dir);
}

/* The first by name, in whatever order the system lists them. */
static void the_first_members_are_kept_of_too_many(void **state)
{
    (void)state;
    enum { MORE = 3 };
    struct pc_directory dir;
    char name[32];
    for (unsigned i = 0; i < PC_MEMBERS_MAX + MORE; i++) {
        snprintf(name, sizeof(name), "data.%u", i);
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
        assert_true(fd >= 0);
        close(fd);
        if (i == PC_MEMBERS_MAX - 1) { /* exactly as many as there is room for */
            list(&dir);
            assert_int_equal(dir.nr, PC_MEMBERS_MAX);
            assert_false(dir.full);
            end(&dir);
        }
    }
    list(&dir);
    assert_int_equal(dir.nr, PC_MEMBERS_MAX);
    assert_true(dir.full);
    assert_int_equal(dir.entries, PC_MEMBERS_MAX + MORE);
    for (unsigned i = 0; i < PC_MEMBERS_MAX; i++)
        assert_int_equal(dir.member[i].number, i);
    end(&dir);
}

/* --- a folder of its own for each test --- */

static void clear(int at)
{
    struct dirent *entry;
    DIR *stream = fdopendir(openat(at, ".", O_RDONLY | O_DIRECTORY));
    while ((entry = readdir(stream))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            unlinkat(at, entry->d_name, 0) == 0)
            continue;
        int inner = openat(at, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
        clear(inner);
        close(inner);
        assert_int_equal(unlinkat(at, entry->d_name, AT_REMOVEDIR), 0);
    }
    closedir(stream);
}

static int set_up(void **state)
{
    char path[SCRATCH_PATH];
    (void)state;
    scratch_path(path, "capture");
    pc_mem_init(&mem, (uint64_t)64 << 20);
    if (mkdir(path, 0700) != 0)
        return 1;
    folder = open(path, O_RDONLY | O_DIRECTORY);
    return folder < 0;
}

static int tear_down(void **state)
{
    clear(folder);
    close(folder);
    return scratch_tear_down(state);
}

static int make_empty(void **state)
{
    (void)state;
    clear(folder);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup(members_are_sorted_by_what_their_names_say, make_empty),
    cmocka_unit_test_setup(only_regular_files_below_the_directory_are_opened, make_empty),
    cmocka_unit_test_setup(the_first_members_are_kept_of_too_many, make_empty),
};

const struct test_file test_file = { tests, PC_COUNT_OF(tests), set_up, tear_down };
