/* SPDX-License-Identifier: MIT
 *
 * forms.h: results of check in the forms that CI services read.
 */
#ifndef PC_FORMS_H
#define PC_FORMS_H

#include "cli/print.h"

/* How a format prints: what comes before the first capture, a capture, and what comes after the last. */
struct pc_form {
    void (*begin)(struct pc_printer *printer);
    void (*capture)(struct pc_printer *printer, const char *path, perfcheck_t *pc);
    void (*end)(struct pc_printer *printer);
};

/* NULL: the format is one that print.c prints. */
const struct pc_form *pc_form(enum pc_format format);

#endif
