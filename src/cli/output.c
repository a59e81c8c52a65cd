/* SPDX-License-Identifier: MIT */
#include "cli/output.h"

#include "cli/show.h"

#include "bytes/names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static ssize_t put(void *sink, const char *bytes, size_t n)
{
    pc_sink_put(sink, bytes, n);
    return (ssize_t)n; /* the sink keeps the error */
}

FILE *pc_output_stream(struct pc_sink *sink)
{
    return fopencookie(sink, "w", (cookie_io_functions_t){ .write = put });
}

int pc_output_guard(const struct pc_target *target, char **operand, int nr)
{
    int error = 0;
    for (int i = 0; i < nr && error == 0; i++) {
        bool is_stdin = strcmp(operand[i], "-") == 0;
        int fd = is_stdin ? STDIN_FILENO : pc_name_open(AT_FDCWD, operand[i], O_PATH | O_CLOEXEC);
        const struct pc_inputs input = { &fd, 1 };
        if (fd >= 0)
            error = pc_guard_name(target->folder, target->name, &input);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
            error = errno; /* of any other error reading it will say what is wrong */
        if (fd >= 0 && !is_stdin)
            close(fd);
    }
    return error;
}

int pc_output_create(struct pc_sink *sink, struct pc_mem *mem, const char *path, bool replace, char **operand,
                     int nr, FILE **out)
{
    int error = pc_sink_create(sink, mem, path, replace, 0666, NULL);
    if (error == 0)
        error = pc_output_guard(&sink->target, operand, nr);
    if (error == 0 && !(*out = pc_output_stream(sink)))
        error = ENOMEM;
    return error;
}

enum pc_status pc_output_failed(const char *output, int error)
{
    pc_print_about(stderr, "", strcmp(output, "-") == 0 ? "standard output" : output, "cannot be written",
                   pc_output_error_text(error));
    return PC_STATUS_TROUBLE;
}

void pc_output_left_behind(const char *output, const struct pc_target *target)
{
    fputs("perfcheck: ", stderr);
    pc_print_escaped(stderr, output);
    fputs(": written, but what it replaced could not be removed and is now: ", stderr);
    pc_print_escaped(stderr, target->temporary);
    fputc('\n', stderr);
}
