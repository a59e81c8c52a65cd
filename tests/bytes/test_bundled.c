/* SPDX-License-Identifier: MIT
 *
 * A directory that was written is not what it was made of when a name, a size, a byte or a permission
 * differs.
 */
#include "pc_test.h"
#include "bytes/bundled.h"
#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pc_mem mem;
static struct pc_bundled bundled;

static int open_folder(const char *name)
{
    char path[SCRATCH_PATH];
    scratch_path(path, name);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Runs commands in the scratch folder, where before there are "in", "more" and "out", as they are to be. */
static void make(const char *records, const char *commands)
{
    char script[4096], path[SCRATCH_PATH];
    scratch_path(path, "");
    snprintf(
        script, sizeof(script),
        "cd '%s' && set -- %s && { [ ! -e out ] || chmod -R u+rwx out; } && rm -rf in more out && umask 022 "
        "&& mkdir -p in/kcore_dir more out/kcore_dir "
        "out/kcore_dir__7 && printf one > in/data && printf two > in/data.1 && chmod 640 in/data.1 && "
        "printf core > in/kcore_dir/kcore && printf mods > in/kcore_dir/modules && "
        "chmod 400 in/kcore_dir/kcore && printf syms > more/kallsyms && "
        "printf other > in/kcore_dir/else && cp -p in/kcore_dir/kcore in/kcore_dir/modules out/kcore_dir && "
        "cp -p more/kallsyms out/kcore_dir__7 && printf onetwo > out/$1 && chmod 600 out/$1 && "
        "chmod 700 out out/kcore_dir out/kcore_dir__7 && %s",
        path, records, commands);
    assert_int_equal(system(script), 0); /* NOLINT(cert-env33-c) */
}

static int look(const char *records)
{
    int in = open_folder("in"), more = open_folder("more"), out = open_folder("out");
    pc_mem_init(&mem, 1 << 20);
    int error = pc_bundled_begin(&bundled, &mem, NULL, out, records, in);
    if (error == 0)
        error = pc_bundled_kcore(&bundled, more, "kcore_dir__7");
    error = pc_bundled_end(&bundled, error);
    assert_int_equal(mem.used, 0);
    close(in);
    close(more);
    close(out);
    return error;
}

static void nothing_differs_unseen(void **state)
{
    (void)state;
    static const struct {
        const char *commands, *place; /* $1: the file with the records; no place: all is right */
    } rows[] = {
        { "true", NULL },
        { "chmod 400 out/*/* && chmod 500 out/kcore_dir", NULL },
        { "rm out/kcore_dir/modules", "kcore_dir/modules" },
        { "cp out/kcore_dir/modules out/kcore_dir/kallsyms", "kcore_dir/kallsyms" },
        { "cp out/kcore_dir/modules out/kcore_dir/else", "$1" },
        { "cp -p out/kcore_dir/modules out/else", "$1" },
        { "mv out/kcore_dir__7 out/kcore_dir__8", "kcore_dir__7" },
        { "cp -pr out/kcore_dir__7 out/kcore_dir__8", "" },
        { "printf three > out/data.1", "" },
        { "rm -r out/kcore_dir__7 && ln -s ../more out/kcore_dir__7", "kcore_dir__7" },
        { "printf mod > out/kcore_dir/modules", "kcore_dir/modules" },
        { "printf modx > out/kcore_dir/modules", "kcore_dir/modules" },
        { "rm out/kcore_dir/modules && ln -s ../../in/kcore_dir/modules out/kcore_dir", "kcore_dir/modules" },
        { "chmod 600 out/kcore_dir/kcore", "kcore_dir/kcore" },
        { "chmod 755 out", "" },
        { "chmod 750 out/kcore_dir", "kcore_dir" },
        { "chmod 644 out/$1", "$1" },
        { "chmod 640 out/$1", NULL },
        { "mv out/$1 out/kcore_dir/kallsyms", "$1" },
    };
    static const char *const names[] = { "data", "perf.data" };
    for (size_t k = 0; k < PC_COUNT_OF(names); k++) {
        for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
            const char *place = rows[i].place && *rows[i].place == '$' ? names[k] : rows[i].place;
            make(names[k], rows[i].commands);
            int error = look(names[k]);
            if (error != (place ? ESTALE : 0) || (place && strcmp(place, bundled.place) != 0))
                fail_msg("%s, %s: error %d at '%s'", names[k], rows[i].commands, error, bundled.place);
        }
    }
}

static void a_file_gives_its_permissions_and_a_pipe_few(void **state)
{
    (void)state;
    static const struct {
        unsigned in, out;
        int error;
    } rows[] = { { 0644, 0644, 0 }, { 0644, 0664, ESTALE }, { 0, 0600, 0 }, { 0, 0640, ESTALE } };
    for (size_t i = 0; i < PC_COUNT_OF(rows); i++) {
        char commands[128];
        int ends[2];
        snprintf(commands, sizeof(commands), "rm -r out/kcore_dir* && chmod %o out/data && chmod %o in/data",
                 rows[i].out, rows[i].in);
        make("data", commands);
        assert_int_equal(pipe(ends), 0);
        int folder = open_folder("in"), out = open_folder("out");
        int in = rows[i].in ? openat(folder, "data", O_RDONLY | O_CLOEXEC) : ends[0];
        pc_mem_init(&mem, 1 << 20);
        assert_int_equal(pc_bundled_end(&bundled, pc_bundled_begin(&bundled, &mem, NULL, out, "data", in)),
                         rows[i].error);
        close(folder);
        close(out);
        close(in);
        close(ends[0]);
        close(ends[1]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(nothing_differs_unseen),
    cmocka_unit_test(a_file_gives_its_permissions_and_a_pipe_few),
};

static int tear_down(void **state)
{
    char script[2 * SCRATCH_PATH];
    snprintf(script, sizeof(script), "rm -rf '%s'", scratch);
    return *scratch && system(script) != 0 ? -1 : scratch_tear_down(state); /* NOLINT(cert-env33-c) */
}

const struct test_file test_file = { tests, PC_COUNT_OF(tests), NULL, tear_down };
