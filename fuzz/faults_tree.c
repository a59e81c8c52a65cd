/* SPDX-License-Identifier: MIT */
#include "fuzz/faults_tree.h"
#include "scan_whole.h"

#include "faults_map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE "tree"

/* What a fault does to one member. */
enum what {
    LEFT_OUT,
    BYTES,    /* its content is `text` */
    ADDED,    /* a file of this name, with the content of the first stream */
    RENAMED,  /* it is called `text` */
    FRONT,    /* `text` is inserted before its content */
    BEHIND,   /* a record FINISHED_ROUND is appended */
    SHORTER,  /* it lacks its last byte */
    A_LINK,   /* it leads to `text` */
    A_FIFO,   /* never opened */
    READABLE, /* by all */
    SAYS,     /* DIR_FORMAT has another version */
    AS_IT_IS, /* but not for all readers */
};

static const struct row {
    const char *name;
    enum pc_diag id;
    enum what what;
    bool streams;       /* the directory has streams; else it has a kcore_dir */
    const char *member; /* with a slash: in the kcore_dir */
    const char *text;
    const char
        *said; /* the member of the finding: NULL: the changed one; "/": the kcore_dir; "": the directory */
} rows[] = {
#define STREAM(name, id, what, member, text, said)                                                           \
    {                                                                                                        \
        name, PC_D_##id, what, true, member, text, said                                                      \
    }
#define KCORE(name, id, what, member, text, said)                                                            \
    {                                                                                                        \
        name, PC_D_##id, what, false, member, text, said                                                     \
    }
    STREAM("no data", DIR_NO_DATA, LEFT_OUT, "data", NULL, ""),
    STREAM("data is a FIFO", DIR_DATA_NOT_REGULAR, A_FIFO, "data", NULL, NULL),
    STREAM("data is a pipe", DIR_DATA_PIPE, BYTES, "data", "PERFILE2\20\0\0\0\0\0\0", NULL),
    STREAM("data is a link", LINK, A_LINK, "data", "nowhere", NULL),
    STREAM("no streams", DIR_NO_STREAMS, LEFT_OUT, "data.", NULL, ""),
    STREAM("a stream that is left out", DIR_GAP, RENAMED, "data.0", "data.9", "data.?"),
    STREAM("a stream without a number", DIR_OTHER_STREAM, ADDED, "data.old", NULL, NULL),
    STREAM("a stream with a header", DIR_STREAM_HEADER, FRONT, "data.0", "PERFILE2\20\0\0\0\0\0\0", NULL),
    STREAM("a stream that is a FIFO", DIR_NOT_REGULAR, A_FIFO, "data.0", NULL, NULL),
    STREAM("a stream of nothing", DIR_STREAM_EMPTY, BYTES, "data.0", "", NULL),
    STREAM("a round in a stream", DIR_ROUND, BEHIND, "data.0", NULL, NULL),
    STREAM("another version", DIR_VERSION, SAYS, "data", NULL, ""),
    STREAM("an entry that is no member", DIR_UNKNOWN, ADDED, "notes", NULL, ""),
    STREAM("members that all read", DIR_PERMISSIONS, READABLE, "data", NULL, ""),
    STREAM("streams for an old perf", FOR_DIRECTORY, AS_IT_IS, "data.0", NULL, NULL),
    KCORE("a stream of no header", DIR_STREAMS_UNUSED, ADDED, "data.0", NULL, NULL),
    KCORE("no kcore", KCORE_MISSING, LEFT_OUT, "/kcore", NULL, "/"),
    KCORE("no kallsyms", KALLSYMS_MISSING, LEFT_OUT, "/kallsyms", NULL, "/"),
    KCORE("no modules", MODULES_MISSING, LEFT_OUT, "/modules", NULL, "/"),
    KCORE("symbols that are no text", KCORE_TEXT, FRONT, "/kallsyms", "\1", NULL),
    KCORE("a line that is cut", KCORE_LINE_CUT, SHORTER, "/kallsyms", NULL, NULL),
    KCORE("a core that is none", KCORE_NOT_ELF, FRONT, "/kcore", "x", NULL),
    KCORE("a core that is cut", KCORE_CUT, SHORTER, "/kcore", NULL, NULL),
};

size_t fuzz_nr_tree_faults(void)
{
    return PC_COUNT_OF(rows);
}

static void put(const char *name, struct pc_span bytes)
{
    char path[128];
    snprintf(path, sizeof(path), TREE "/%s", name);
    fuzz_folder_put(path, bytes);
}

void fuzz_tree_put(const struct fuzz_built *built)
{
    fuzz_folder();
    for (unsigned i = 0; i < built->nr_members; i++)
        put(built->member[i].name, (struct pc_span){ built->member[i].bytes, built->member[i].len });
}

static const struct fuzz_member *find(const struct fuzz_built *built, const char *name)
{
    for (unsigned i = 0; i < built->nr_members; i++) {
        if (strcmp(built->member[i].name, name) == 0)
            return &built->member[i];
    }
    return NULL;
}

static const char *path_of(char path[200], const char *name)
{
    snprintf(path, 200, "%s/" TREE "/%s", fuzz_folder_path(), name);
    return path;
}

static void leave_out(const char *name)
{
    char path[200];
    FUZZ_MUST(unlink(path_of(path, name)) == 0);
}

/* The word of DIR_FORMAT. */
static void say_version(const struct fuzz_member *m, uint64_t version)
{
    struct fuzz_faulty f = { .bytes = m->bytes, .len = m->len };
    fuzz_read_map(&f);
    const struct part *p = fuzz_first(IN_FEATURE, PC_DIR_FORMAT);
    FUZZ_MUST(p != NULL);
    uint64_t before = fuzz_load(p->at, 8);
    fuzz_store(p->at, 8, version);
    put(m->name, (struct pc_span){ m->bytes, m->len });
    fuzz_store(p->at, 8, before);
}

/* The content with `n` bytes of `text` before or after it. */
static void put_with(const struct fuzz_member *m, const char *text, size_t n, bool behind)
{
    unsigned char *bytes = malloc(m->len + n);
    FUZZ_MUST(bytes);
    memcpy(bytes + (behind ? 0 : n), m->bytes, m->len);
    memcpy(bytes + (behind ? m->len : 0), text, n);
    put(m->name, (struct pc_span){ bytes, m->len + n });
    free(bytes);
}

static size_t length_of(const char *text)
{
    return strncmp(text, "PERFILE2", 8) == 0 ? PC_PIPE_HEADER_SIZE : strlen(text);
}

static void change(const struct fuzz_built *built, const struct row *row, const char *name)
{
    static const unsigned char rounds[2][8] = { { PC_FINISHED_ROUND, 0, 0, 0, 0, 0, 8, 0 },
                                                { 0, 0, 0, PC_FINISHED_ROUND, 0, 0, 0, 8 } };
    const struct fuzz_member *m = find(built, name), *first = find(built, "data.0");
    char path[200];
    switch (row->what) {
    case BYTES:
        put(name, (struct pc_span){ (const unsigned char *)row->text, length_of(row->text) });
        break;
    case ADDED:
        put(name, first ? (struct pc_span){ first->bytes, first->len } : (struct pc_span){ rounds[0], 8 });
        break;
    case RENAMED:
        leave_out(name);
        put(row->text, (struct pc_span){ m->bytes, m->len });
        break;
    case FRONT:
        put_with(m, row->text, length_of(row->text), false);
        break;
    case BEHIND:
        put_with(m, (const char *)rounds[built->order == PC_BIG], 8, true);
        break;
    case SHORTER:
        put(name, (struct pc_span){ m->bytes, m->len - 1 });
        break;
    case A_LINK:
        leave_out(name);
        FUZZ_MUST(symlink(row->text, path_of(path, name)) == 0);
        break;
    case A_FIFO:
        leave_out(name);
        FUZZ_MUST(mkfifo(path_of(path, name), 0600) == 0);
        break;
    case READABLE:
        FUZZ_MUST(chmod(path_of(path, name), 0644) == 0 && chmod(path_of(path, "."), 0755) == 0);
        break;
    case SAYS:
        say_version(m, 2);
        break;
    case LEFT_OUT:
        for (unsigned i = 0; i < built->nr_members; i++) {
            size_t len = strlen(name);
            const char *other = built->member[i].name;
            if (name[len - 1] == '.' ? strncmp(other, name, len) == 0 : strcmp(other, name) == 0)
                leave_out(other);
        }
        break;
    case AS_IT_IS:
        break;
    }
}

bool fuzz_tree_damage(const struct fuzz_built *built, size_t fault, struct fuzz_tree_fault *said)
{
    const struct row *row = &rows[fault];
    const char *kcore = NULL;
    char name[64];
    bool streams = find(built, "data.0") != NULL;
    for (unsigned i = 0; i < built->nr_members; i++) {
        if (strncmp(built->member[i].name, "kcore_dir", 9) == 0)
            kcore = built->member[i].name;
    }
    if (!built->directory || streams != row->streams || (!row->streams && !kcore))
        return false;
    int dir = kcore ? (int)(strchr(kcore, '/') - kcore) : 0;
    snprintf(name, sizeof(name), "%.*s%s", row->member[0] == '/' ? dir : 0, kcore ? kcore : "", row->member);
    fuzz_tree_put(built);
    change(built, row, name);
    *said = (struct fuzz_tree_fault){ .name = row->name, .id = row->id };
    said->reader = row->id == PC_D_FOR_DIRECTORY ? PC_BY_5_10 : PC_BY_NONE;
    if (!row->said)
        snprintf(said->member, sizeof(said->member), "%s", name);
    else if (row->said[0] == '/')
        snprintf(said->member, sizeof(said->member), "%.*s", dir, kcore);
    else if (strcmp(row->said, "data.?") == 0) /* the first stream that is not where it should be */
        snprintf(said->member, sizeof(said->member), "%s", find(built, "data.1") ? "data.1" : row->text);
    else
        snprintf(said->member, sizeof(said->member), "%s", row->said);
    return true;
}

const char *fuzz_tree_scan(struct pc_scan *scan, enum pc_diag id, enum pc_versions reader)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/" TREE, fuzz_folder_path());
    fuzz_policy.reader = reader;
    pc_scan_init(scan, &fuzz_policy, &fuzz_limits);
    pc_scan_path(scan, path);
    for (size_t i = 0; i < scan->report.nr; i++) {
        const struct pc_finding *f = &scan->report.finding[i];
        if (f->id == id)
            return f->where.member ? f->where.member : "";
    }
    return NULL;
}
