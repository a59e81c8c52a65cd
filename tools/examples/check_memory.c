/* SPDX-License-Identifier: MIT
 *
 * check_memory: checks a capture that is in memory, and prints what is wrong. Exit status: 0 valid, 1 not,
 * 2 trouble.
 *
 *     cc check_memory.c $(pkg-config --cflags --libs perfcheck) -o check_memory
 *     ./check_memory <perf.data
 */
#include <perfcheck.h>
#include <stdio.h>
#include <stdlib.h>

static char *read_all(FILE *file, size_t *size)
{
    char *bytes = NULL;
    for (size_t room = 1 << 16; (bytes = realloc(bytes, room)) != NULL; room *= 2) {
        *size += fread(bytes + *size, 1, room - *size, file);
        if (*size < room)
            break;
    }
    return bytes;
}

int main(void)
{
    const perfcheck_finding_t *f;
    size_t size = 0;
    char *bytes = read_all(stdin, &size);
    perfcheck_t *pc = perfcheck_new();
    if (!bytes || !pc || perfcheck_open_memory(pc, bytes, size) != PERFCHECK_OK ||
        perfcheck_check(pc) != PERFCHECK_OK) {
        fprintf(stderr, "check_memory: %s\n", perfcheck_error(pc));
        return 2;
    }
    for (size_t i = 0; (f = perfcheck_finding(pc, i)) != NULL; i++)
        printf("%s at 0x%llx: %s\n", f->id, (unsigned long long)f->offset, f->message);
    perfcheck_verdict_t verdict = perfcheck_verdict(pc);
    perfcheck_free(pc);
    free(bytes);
    return (int)verdict;
}
