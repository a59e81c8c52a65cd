/* SPDX-License-Identifier: MIT */
#include "cli/functions.h"

#ifdef PC_BINARIES

#include "base/base.h"

#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PC_DEMANGLE
#include <libiberty/demangle.h>
#endif

void pc_functions_demangle(const char *name, char to[PC_FUNCTION_NAME])
{
#ifdef PC_DEMANGLE
    char *plain = cplus_demangle(name, DMGL_NO_OPTS);
#else
    char *plain = NULL;
#endif
    snprintf(to, PC_FUNCTION_NAME, "%s", plain ? plain : name);
    free(plain);
}

/* Of symbols with one address perf takes the one with a size, that is not weak, that is global. */
static unsigned rank_of(const GElf_Sym *symbol)
{
    unsigned rank = symbol->st_size != 0;
    rank = rank << 1 | (GELF_ST_BIND(symbol->st_info) != STB_WEAK);
    return rank << 1 | (GELF_ST_BIND(symbol->st_info) == STB_GLOBAL);
}

/* Then the one that has fewer underscores in front, then the longer name. */
static bool is_better_name(const char *name, const char *before)
{
    char one[PC_FUNCTION_NAME], two[PC_FUNCTION_NAME];
    pc_functions_demangle(name, one);
    pc_functions_demangle(before, two);
    size_t in_one = strspn(one, "_"), in_two = strspn(two, "_");
    return in_one != in_two ? in_one < in_two : strlen(one) > strlen(two);
}

/* A symbol without a size may reach to the next one, or to the end of its section. */
static uint64_t size_of(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header;
    if (symbol->st_size != 0)
        return symbol->st_size;
    bool has = gelf_getshdr(elf_getscn(elf, symbol->st_shndx), &header) != NULL;
    return has && symbol->st_value - header.sh_addr < header.sh_size
               ? header.sh_size - (symbol->st_value - header.sh_addr)
               : 0;
}

/* A symbol belongs to the first address from its own on, unless that has a nearer one. */
static void take_symbol(Elf *elf, const GElf_Sym *symbol, const char *name, struct pc_address *address,
                        size_t nr)
{
    size_t i =
        pc_lower_bound(address, nr, sizeof(*address), offsetof(struct pc_address, at), symbol->st_value);
    unsigned type = GELF_ST_TYPE(symbol->st_info), rank = rank_of(symbol);
    if (i == nr || !name || !*name || (type != STT_FUNC && type != STT_GNU_IFUNC) ||
        symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS)
        return;
    struct pc_address *a = &address[i];
    if (a->function && a->start > symbol->st_value)
        return;
    if (a->function && a->start == symbol->st_value &&
        (a->rank > rank || (a->rank == rank && !is_better_name(name, a->function))))
        return;
    a->function = name;
    a->start = symbol->st_value;
    a->size = size_of(elf, symbol);
    a->rank = rank;
}

bool pc_functions_take(Elf *elf, uint32_t type, struct pc_address *address, size_t nr)
{
    GElf_Shdr header, names;
    Elf_Data *data = NULL;
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section)) != NULL && !data) {
        if (gelf_getshdr(section, &header) && header.sh_type == type && !(header.sh_flags & SHF_COMPRESSED))
            data = elf_getdata(section, NULL);
    }
    size_t size = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!data || !data->d_buf || size == 0 || data->d_size / size > INT_MAX ||
        !gelf_getshdr(elf_getscn(elf, header.sh_link), &names) || (names.sh_flags & SHF_COMPRESSED))
        return false;
    for (size_t i = 1; i < data->d_size / size; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol))
            take_symbol(elf, &symbol, elf_strptr(elf, header.sh_link, symbol.st_name), address, nr);
    }
    return data->d_size / size > 1;
}

#endif
