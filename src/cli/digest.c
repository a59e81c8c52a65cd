/* SPDX-License-Identifier: MIT
 *
 * The command `digest`: a hash of what captures contain, in the manner of sha256sum.
 */
#include "cli/command.h"
#include "cli/show.h"

static enum pc_status print_digest(const struct pc_arguments *a, const char *path)
{
    struct pc_sum sum;
    if (pc_digest_path(&a->chosen.rewrite, path, &sum) != PC_WRITTEN)
        return PC_STATUS_TROUBLE;
    fputs("pc1:", stdout);
    for (size_t i = 0; i < sizeof(sum.bytes); i++)
        printf("%02x", sum.bytes[i]);
    fputs("  ", stdout);
    pc_print_escaped(stdout, path);
    putchar('\n');
    return PC_STATUS_GOOD;
}

enum pc_status pc_command_digest(struct pc_arguments *a, char **operand, int nr)
{
    enum pc_status status = PC_STATUS_GOOD;
    pc_command_show_progress(a);
    for (int i = 0; i < nr; i++) {
        enum pc_status one = print_digest(a, operand[i]);
        status = one > status ? one : status;
    }
    return status;
}
