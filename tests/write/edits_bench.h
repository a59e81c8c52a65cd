/* SPDX-License-Identifier: MIT
 *
 * edits_bench.h: recipes, copied for a perf.
 */
#ifndef PC_EDITS_BENCH_H
#define PC_EDITS_BENCH_H

#include "scratch.h"
#include "write/edits.h"
#include "write/rewrite.h"

static char in_path[SCRATCH_PATH], out_path[SCRATCH_PATH], want_path[SCRATCH_PATH];
static char said[4096];

static inline void take_message(void *ctx, const char *path, const char *what, const char *why)
{
    (void)ctx;
    (void)path;
    size_t used = strlen(said);
    snprintf(said + used, sizeof(said) - used, "%s: %s\n", what, why ? why : "");
}

static inline void take_errors(void *ctx, const char *path, const struct pc_scan *scan)
{
    (void)ctx;
    (void)path;
    for (size_t i = 0; i < scan->report.nr; i++) {
        const struct pc_finding *f = &scan->report.finding[i];
        size_t used = strlen(said);
        if (f->severity == PC_ERROR)
            snprintf(said + used, sizeof(said) - used, "%s %s\n", pc_diag_info(f->id)->id,
                     f->seen.kind == PC_V_TEXT ? f->seen.text : "");
    }
}

/* Copies a recipe; what was said is in `said`. */
static inline enum pc_rewritten copy_recipe(enum pc_versions reader, enum pc_container_choice to_what,
                                            const char *order, const char *front, const char *data,
                                            const char *to)
{
    char recipe[4096];
    struct pc_rewrite how = { .reader = reader, .to = to_what, .order = PC_ORDER_LITTLE, .force = true };
    snprintf(recipe, sizeof(recipe), "expect: valid\norder %s\nfile\n%sdata\n%s", order, front, data);
    assemble(recipe, in_path);
    pc_limits_init(&how.limits);
    how.callbacks = (struct pc_callbacks){ .message = take_message, .errors = take_errors };
    said[0] = 0;
    return pc_rewrite_capture(&how, NULL, in_path, to);
}

static inline bool said_edit(enum pc_edit edit)
{
    char line[256];
    int n = snprintf(line, sizeof(line), "edited: %s", pc_edit_rows[edit].what);
    const char *end = strstr(said, line) ? strstr(said, line) + n : "";
    return strncmp(end, edit == PC_EDIT_FLAGS ? " (" : ", ", 2) == 0;
}

static inline int set_up(void **state)
{
    (void)state;
    scratch_path(in_path, "in");
    scratch_path(out_path, "out");
    scratch_path(want_path, "want");
    return 0;
}

#endif
