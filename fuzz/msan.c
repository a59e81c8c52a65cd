/* SPDX-License-Identifier: MIT
 *
 * What MemorySanitizer of clang 14 does not see: libzstd and jansson are not compiled for it. What libzstd is
 * given must be initialised, what it put out is; memory of jansson is cleared when it is taken. (xxhash is
 * compiled in.)
 */
#include <argz.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <fts.h>
#include <ftw.h>
#include <jansson.h>
#include <sanitizer/msan_interface.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <zstd.h>

size_t __real_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in);
size_t __real_ZSTD_compressStream2(ZSTD_CCtx *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective end);
size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective end);

size_t __wrap_ZSTD_decompressStream(ZSTD_DStream *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in)
{
    __msan_check_mem_is_initialized(in->src, in->size);
    size_t left = __real_ZSTD_decompressStream(stream, out, in);
    __msan_unpoison(out->dst, out->pos);
    return left;
}

size_t __wrap_ZSTD_compressStream2(ZSTD_CCtx *stream, ZSTD_outBuffer *out, ZSTD_inBuffer *in,
                                   ZSTD_EndDirective end)
{
    __msan_check_mem_is_initialized(in->src, in->size);
    size_t left = __real_ZSTD_compressStream2(stream, out, in, end);
    __msan_unpoison(out->dst, out->pos);
    return left;
}

/* Calls that clang 14 does not know yet. */
int fstatat64(int dir, const char *path, struct stat64 *st, int flags)
{
    static int (*real)(int, const char *, struct stat64 *, int);
    if (!real)
        real = (int (*)(int, const char *, struct stat64 *, int))dlsym(RTLD_NEXT, "fstatat64");
    int result = real(dir, path, st, flags);
    if (result == 0)
        __msan_unpoison(st, sizeof(*st));
    return result;
}

int stat64(const char *path, struct stat64 *st)
{
    return fstatat64(AT_FDCWD, path, st, 0);
}

int lstat64(const char *path, struct stat64 *st)
{
    return fstatat64(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat64(int fd, struct stat64 *st)
{
    return fstatat64(fd, "", st, AT_EMPTY_PATH);
}

ssize_t getdents64(int fd, void *entries, size_t n)
{
    ssize_t got = syscall(SYS_getdents64, fd, entries, n);
    if (got > 0)
        __msan_unpoison(entries, (size_t)got);
    return got;
}

error_t argz_add(char **argz, size_t *len, const char *str)
{
    static error_t (*real)(char **, size_t *, const char *);
    if (!real)
        real = (error_t(*)(char **, size_t *, const char *))dlsym(RTLD_NEXT, "argz_add");
    error_t error = real(argz, len, str);
    if (error == 0)
        __msan_unpoison(*argz, *len);
    return error;
}

void argz_extract(const char *argz, size_t len, char **argv)
{
    static void (*real)(const char *, size_t, char **);
    if (!real)
        real = (void (*)(const char *, size_t, char **))dlsym(RTLD_NEXT, "argz_extract");
    real(argz, len, argv);
    __msan_unpoison(argv, (argz_count(argz, len) + 1) * sizeof(*argv));
}

static void unpoison_entry(const FTSENT64 *entry)
{
    __msan_unpoison(entry, sizeof(*entry));
    __msan_unpoison_string(entry->fts_name);
    __msan_unpoison_string(entry->fts_path);
    __msan_unpoison_string(entry->fts_accpath);
}

FTSENT64 *fts64_read(FTS64 *walk)
{
    static FTSENT64 *(*real)(FTS64 *);
    if (!real)
        real = (FTSENT64 * (*)(FTS64 *)) dlsym(RTLD_NEXT, "fts64_read");
    FTSENT64 *entry = real(walk);
    if (entry)
        unpoison_entry(entry);
    return entry;
}

typedef int compare_entries(const FTSENT64 **, const FTSENT64 **);
static compare_entries *comparison;

__attribute__((no_sanitize("memory"))) static int compare(const FTSENT64 **a, const FTSENT64 **b)
{
    __msan_unpoison(a, sizeof(*a));
    __msan_unpoison(b, sizeof(*b));
    for (int i = 0; i < 2; i++) {
        const FTSENT64 *entry = i == 0 ? *a : *b;
        __msan_unpoison(entry, sizeof(*entry));
        __msan_unpoison_string(entry->fts_name);
    }
    return comparison(a, b);
}

FTS64 *fts64_open(char *const *roots, int options, compare_entries *by)
{
    static FTS64 *(*real)(char *const *, int, compare_entries *);
    if (!real)
        real = (FTS64 * (*)(char *const *, int, compare_entries *)) dlsym(RTLD_NEXT, "fts64_open");
    comparison = by;
    return real(roots, options, compare);
}

/* What libc gives to a function of ours has no shadow of its own. */
static __nftw64_func_t visitor;

__attribute__((no_sanitize("memory"))) static int visit(const char *path, const struct stat64 *st, int kind,
                                                        struct FTW *at)
{
    __msan_unpoison(at, sizeof(*at));
    return visitor(path, st, kind, at);
}

int nftw64(const char *path, __nftw64_func_t each, int descriptors, int flags)
{
    static int (*real)(const char *, __nftw64_func_t, int, int);
    if (!real)
        real = (int (*)(const char *, __nftw64_func_t, int, int))dlsym(RTLD_NEXT, "nftw64");
    visitor = each;
    return real(path, visit, descriptors, flags);
}

static void *cleared(size_t n)
{
    return calloc(1, n);
}

__attribute__((constructor)) static void clear_memory_of_jansson(void)
{
    json_set_alloc_funcs(cleared, free);
}
