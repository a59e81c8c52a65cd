/* Prints the model's view of captures: model FILE... (several: each after a line `file NAME`). With -q only
 * the verdicts. With -d the arguments are the members of one directory capture, `data` first. */

#include "model.h"

#include <stdlib.h>
#include <string.h>

static unsigned char *slurp(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    size_t cap = 1 << 16;
    unsigned char *p = f ? malloc(cap) : NULL;

    *len = 0;
    while (p) {
        *len += fread(p + *len, 1, cap - *len, f);
        if (*len < cap)
            break;
        cap *= 2;
        unsigned char *more = realloc(p, cap);
        if (!more)
            free(p);
        p = more;
    }
    if (f)
        fclose(f);
    return p;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int show(const struct model_member *members, size_t count, bool directory, bool quiet)
{
    struct model *m =
        directory ? model_read_members(members, count) : model_read(members[0].bytes, members[0].len);

    if (!m)
        return 2;
    if (quiet)
        printf("%s\n", model_verdict(m) == MODEL_ACCEPT   ? "accept"
                       : model_verdict(m) == MODEL_REJECT ? "reject"
                                                          : "limit");
    else
        model_print(m, stdout);
    int status = model_verdict(m) == MODEL_ACCEPT ? 0 : model_verdict(m) == MODEL_REJECT ? 1 : 2;
    model_free(m);
    return status;
}

int main(int argc, char **argv)
{
    bool quiet = false, directory = false;
    int i = 1, status = 0;

    for (; i < argc && argv[i][0] == '-'; i++) {
        quiet = quiet || strcmp(argv[i], "-q") == 0;
        directory = directory || strcmp(argv[i], "-d") == 0;
    }
    if (i >= argc) {
        fprintf(stderr, "usage: model [-q] FILE... | model -d DATA DATA.0...\n");
        return 2;
    }
    size_t count = (size_t)(argc - i);
    struct model_member *members = calloc(count, sizeof *members);
    if (!members)
        return 2;
    for (size_t k = 0; k < count; k++) {
        const char *path = argv[i + (int)k];
        unsigned char *bytes = slurp(path, &members[k].len);
        if (!bytes) {
            fprintf(stderr, "model: cannot read %s\n", path);
            free(members);
            return 2;
        }
        members[k].bytes = bytes;
        members[k].name = directory ? base_name(path) : "data";
        if (!directory) {
            if (count > 1)
                printf("file %s\n", path);
            int s = show(&members[k], 1, false, quiet);
            status = s > status ? s : status;
            free(bytes);
        }
    }
    if (directory) {
        status = show(members, count, true, quiet);
        for (size_t k = 0; k < count; k++)
            free((void *)(uintptr_t)members[k].bytes);
    }
    free(members);
    return status;
}
