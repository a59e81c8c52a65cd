/* SPDX-License-Identifier: MIT
 *
 * Captures made from the tables: that they are sound, and what the rewriter makes of them.
 */
#include "generate.h"
#include "scan.h"

static struct pc_policy policy;
static struct pc_limits limits;

/* What a capture has to be made with. */
struct kind {
    enum pc_order order;
    bool pipe;
    unsigned variant;
    uint32_t attr_size;
};

static void generate_kind(struct generate *g, const struct kind *kind)
{
    memset(g, 0, sizeof(*g));
    g->order = kind->order;
    g->pipe = kind->pipe;
    g->variant = kind->variant;
    g->attr_size = kind->attr_size;
    g->seed = kind->variant + 1;
    generate(g);
}

static void generated_captures_are_sound(void **state)
{
    (void)state;
    static struct generate g;
    static struct pc_scan scan;
    for (unsigned n = 0; n < 32; n++) {
        struct kind kind = { n & 1 ? PC_BIG : PC_LITTLE, n >> 1 & 1, n >> 2, n >> 2 == 5 ? 136 : 144 };
        generate_kind(&g, &kind);
        pc_scan_init(&scan, &policy, &limits);
        pc_scan_memory(&scan, (struct pc_span){ g.bytes, g.len },
                       kind.pipe ? PC_INPUT_STREAM : PC_INPUT_FILE);
        for (size_t i = 0; i < scan.report.nr; i++) {
            const struct pc_finding *f = &scan.report.finding[i];
            const struct pc_diag_info *info = pc_diag_info(f->id);
            if (info->severity >= PC_WARNING)
                print_message("%u: %s %s at %llu: %s %llu, seen %llu\n", n, f->subject ? f->subject : "-",
                              info->name, (unsigned long long)f->offset,
                              f->depth ? f->path[f->depth - 1].name : "", (unsigned long long)f->number,
                              (unsigned long long)f->seen.n);
        }
        assert_int_equal(pc_scan_verdict(&scan), PC_VALID);
        assert_int_equal(scan.report.by_severity[PC_WARNING], 0);
        pc_scan_clear(&scan);
        free(g.bytes);
    }
}

static int set_up(void **state)
{
    (void)state;
    pc_policy_init(&policy);
    pc_limits_init(&limits);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generated_captures_are_sound),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
