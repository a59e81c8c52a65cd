/* SPDX-License-Identifier: MIT
 *
 * functions.h: names of functions in the symbols of an ELF file, chosen and shown as perf does it.
 */
#ifndef PC_FUNCTIONS_H
#define PC_FUNCTIONS_H

#ifdef PC_BINARIES

#include "cli/binaries.h"

#include <libelf.h>
#include <stdbool.h>

#define PC_FUNCTION_NAME ((size_t)4096) /* the size of a name; what does not fit is left out */

/* The name in the source, as perf shows it: without parameters. A build without libiberty has PC_DEMANGLE
 * undefined, and shows the name as it is. */
void pc_functions_demangle(const char *name, char to[PC_FUNCTION_NAME]);

/* Each symbol in the section of this type (SHT_SYMTAB, SHT_DYNSYM) becomes the function of the first address
 * from its own on, unless that has a nearer or better one. The addresses are in their order. False: there is
 * no symbol. */
bool pc_functions_take(Elf *elf, uint32_t type, struct pc_address *address, size_t nr);

#endif

#endif
