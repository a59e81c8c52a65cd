/* SPDX-License-Identifier: MIT */
#include "cli/binaries.h"

#include <errno.h>

#ifdef PC_BINARIES

#include "cli/apart.h"
#include "cli/functions.h"

#include "base/base.h"
#include "bytes/names.h"

#include <dirent.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUILD_ID     41 /* 20 bytes in hex, and a NUL */
#define FILES_MAX    6  /* of one binary */
#define PLAIN_MAX    4096
#define SEGMENTS_MAX 64
#define UNITS_MAX    ((size_t)1 << 18)
#define DEBUG_MAX    ((uint64_t)256 << 20) /* of debug information that is compressed */
#define HEADERS_MAX  4096                  /* of segments */
#define NOTES_MAX    ((uint64_t)64 << 20)  /* bytes of notes */
#define NAMES_SIZE   ((size_t)32 << 20)    /* of all that are found at once */
#define SECONDS      20                    /* of processor time for one binary */
#define MEMORY       ((uint64_t)2 << 30)   /* and two times the files */

struct plain {
    char build_id[BUILD_ID], name[NAME_MAX + 1];
};

struct file {
    int fd;
    uint64_t size;
    Elf *elf;
};

/* Where the names of an address begin in what the copy has written. */
struct found {
    uint32_t function, source;
};

/* Bytes of the file that are code or data at an address. */
struct segment {
    uint64_t at, size, address;
};

/* Addresses of a compile unit, up to the last one. */
struct unit {
    uint64_t first, last;
    const char *source;
};

struct pc_binaries {
    int folder;
    struct plain *plain; /* the ELF files in the folder itself, once they were looked for */
    size_t nr_plain;
    bool has_looked, unread; /* an error kept the folder, or a file in it, from being read */
    /* Of the binary that was found last: */
    struct file file[FILES_MAX];
    size_t nr_files;
    Dwarf *dwarf;
    struct segment segment[SEGMENTS_MAX];
    size_t nr_segments;
    struct unit *unit;
    size_t nr_units, cap_units;
    /* What is asked for, and found: a struct found for each address, then names. */
    struct pc_code code;
    struct pc_address *address;
    size_t nr;
    void *shared;
    size_t shared_size, used;
    char failed[BUILD_ID];
};

/* --- files --- */

static void close_file(struct file *file)
{
    elf_end(file->elf);
    close(file->fd);
}

static void close_files(struct pc_binaries *b)
{
    dwarf_end(b->dwarf);
    while (b->nr_files > 0)
        close_file(&b->file[--b->nr_files]);
    b->dwarf = NULL;
    b->nr_segments = b->nr_units = 0;
    pc_apart_unshare(b->shared, b->shared_size);
    b->shared = NULL;
}

/* Whether the look for a build id costs little: it reads the notes of all segments, then those of all
 * sections. */
static bool has_few_notes(Elf *elf)
{
    uint64_t sum = 0;
    size_t nr;
    GElf_Phdr p;
    GElf_Shdr header;
    if (elf_getphdrnum(elf, &nr) != 0 || nr > HEADERS_MAX)
        return false;
    for (size_t i = 0; i < nr; i++)
        sum = pc_add_saturated(sum, gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_NOTE ? p.p_filesz : 0);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
            sum = pc_add_saturated(sum, header.sh_size);
    }
    return sum <= NOTES_MAX;
}

/* Opens an ELF file that has a build id. False: it is none, or was not read. */
static bool open_file(struct pc_binaries *b, const char *path, struct file *file, char build_id[BUILD_ID])
{
    struct stat st;
    const void *id;
    file->fd = pc_name_open_beneath(b->folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file->fd < 0) {
        b->unread |= errno == EIO || errno == ENOMEM || errno == EMFILE || errno == ENFILE;
        return false;
    }
    bool has_stat = fstat(file->fd, &st) == 0, is_file = has_stat && S_ISREG(st.st_mode);
    file->elf = is_file ? elf_begin(file->fd, ELF_C_READ_MMAP, NULL) : NULL;
    file->size = is_file ? (uint64_t)st.st_size : 0;
    b->unread |= !has_stat || (is_file && !file->elf);
    bool good = file->elf && elf_kind(file->elf) == ELF_K_ELF && has_few_notes(file->elf);
    ssize_t size = good ? dwelf_elf_gnu_build_id(file->elf, &id) : 0;
    for (ssize_t i = 0; i < size && 2 * i + 2 < BUILD_ID; i++)
        snprintf(build_id + 2 * i, 3, "%02x", ((const unsigned char *)id)[i]);
    if (size > 0 && 2 * size < BUILD_ID)
        return true;
    close_file(file);
    return false;
}

static void take_file(struct pc_binaries *b, const char *path, const char *wanted)
{
    char build_id[BUILD_ID];
    struct file *file = &b->file[b->nr_files];
    if (b->nr_files == FILES_MAX || !open_file(b, path, file, build_id))
        return;
    b->nr_files++;
    if (strcmp(build_id, wanted) == 0)
        return;
    close_file(file); /* its name says otherwise */
    b->nr_files--;
}

static void look_for_plain(struct pc_binaries *b)
{
    int fd = pc_name_open_beneath(b->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    b->has_looked = true;
    b->plain = stream ? calloc(PLAIN_MAX, sizeof(*b->plain)) : NULL;
    b->unread |= !b->plain;
    for (struct dirent *entry; b->plain && b->nr_plain < PLAIN_MAX;) {
        struct plain *plain = &b->plain[b->nr_plain];
        struct file file;
        errno = 0;
        if (!(entry = readdir(stream))) {
            b->unread |= errno != 0;
            break;
        }
        if (entry->d_type == DT_DIR || !open_file(b, entry->d_name, &file, plain->build_id))
            continue;
        snprintf(plain->name, sizeof(plain->name), "%s", entry->d_name);
        b->nr_plain++;
        close_file(&file);
    }
    if (stream)
        closedir(stream);
    else if (fd >= 0)
        close(fd);
}

static void open_files(struct pc_binaries *b, const char *build_id)
{
    static const char *const ends[] = { ".debug", "/elf", "/debug", "/vdso", "" };
    char path[BUILD_ID + 32];
    for (size_t i = 0; i < PC_COUNT_OF(ends); i++) {
        snprintf(path, sizeof(path), ".build-id/%.2s/%s%s", build_id, build_id + 2, ends[i]);
        take_file(b, path, build_id);
    }
    if (!b->has_looked)
        look_for_plain(b);
    for (size_t i = 0; i < b->nr_plain; i++) {
        if (strcmp(b->plain[i].build_id, build_id) == 0)
            take_file(b, b->plain[i].name, build_id);
    }
}

/* --- from places in the file to addresses --- */

/* Whether a mapping is that of a segment from its first page to its last, whatever the size of pages. */
static bool is_mapping_of(const GElf_Phdr *p, uint64_t size, uint64_t *first)
{
    for (uint64_t page = 4096; page <= 65536; page *= 4) {
        uint64_t end, rest = p->p_vaddr % page;
        *first = p->p_vaddr - rest;
        if (pc_add(rest, p->p_memsz, &end) && end <= UINT64_MAX - page &&
            (end + page - 1) / page * page == size)
            return true;
    }
    return false;
}

/* Debug information alone has headers of segments without their bytes. */
static void take_segments(struct pc_binaries *b, Elf *elf, const struct pc_code *code)
{
    size_t nr = 0;
    uint64_t first;
    elf_getphdrnum(elf, &nr);
    for (size_t i = 0; i < nr && i < SEGMENTS_MAX && b->nr_segments < SEGMENTS_MAX; i++) {
        GElf_Phdr p;
        if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_LOAD)
            continue;
        if (!code && p.p_filesz != 0)
            b->segment[b->nr_segments++] = (struct segment){ p.p_offset, p.p_filesz, p.p_vaddr };
        else if (code && (p.p_flags & PF_X) && is_mapping_of(&p, code->size, &first))
            b->segment[b->nr_segments++] = (struct segment){ code->at, code->size, first };
    }
}

/* Whether a file has the bytes of its code. */
static bool has_code(Elf *elf)
{
    GElf_Shdr header;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        if (gelf_getshdr(section, &header) && (header.sh_flags & SHF_EXECINSTR) &&
            header.sh_type != SHT_NOBITS)
            return true;
    }
    return false;
}

static uint64_t address_of(const struct pc_binaries *b, uint64_t at)
{
    for (size_t i = 0; i < b->nr_segments; i++) {
        const struct segment *s = &b->segment[i];
        if (at >= s->at && at - s->at < s->size)
            return s->address + (at - s->at);
    }
    return UINT64_MAX;
}

static int compare_addresses(const void *a, const void *b)
{
    const struct pc_address *one = a, *two = b;
    if (one->at != two->at)
        return one->at > two->at ? 1 : -1;
    return (one->tag > two->tag) - (one->tag < two->tag);
}

static void find_addresses(struct pc_binaries *b, const struct pc_code *code, struct pc_address *address,
                           size_t nr)
{
    for (size_t i = 0; i < b->nr_files && b->nr_segments == 0; i++) {
        if (has_code(b->file[i].elf))
            take_segments(b, b->file[i].elf, NULL);
    }
    if (b->nr_segments == 0 && b->nr_files != 0)
        take_segments(b, b->file[0].elf, code);
    for (size_t i = 0; i < nr; i++)
        address[i].at = address_of(b, address[i].at);
    if (nr != 0)
        qsort(address, nr, sizeof(*address), compare_addresses);
}

/* --- functions --- */

static void find_functions(struct pc_binaries *b, struct pc_address *address, size_t nr)
{
    static const uint32_t types[] = { SHT_SYMTAB, SHT_DYNSYM };
    bool found = false;
    for (size_t i = 0; i < nr; i++)
        address[i].function = NULL;
    for (size_t i = 0; i < 2 * b->nr_files && !found; i++)
        found = pc_functions_take(b->file[i % b->nr_files].elf, types[i / b->nr_files], address, nr);
    for (size_t i = 0; i < nr; i++) {
        struct pc_address *a = &address[i];
        if (!a->function && i > 0) {
            a->function = a[-1].function;
            a->start = a[-1].start;
            a->size = a[-1].size;
        }
    }
}

/* --- source files --- */

/* Whether all that libdw would unpack fits. */
static bool is_small(Elf *elf)
{
    uint64_t sum = 0;
    size_t names;
    GElf_Shdr header;
    GElf_Chdr packed;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strncmp(name, ".zdebug", 7) == 0)
            return false;
        if (name && (header.sh_flags & SHF_COMPRESSED) && gelf_getchdr(section, &packed))
            sum = pc_add_saturated(sum, packed.ch_size);
    }
    return sum <= DEBUG_MAX;
}

/* The name of a compile unit, if it stands in the file itself: libdw would look for another one. */
static const char *name_of(Dwarf_Die *unit)
{
    Dwarf_Attribute name;
    const char *text = NULL;
    if (!dwarf_attr(unit, DW_AT_name, &name))
        return "";
    switch (dwarf_whatform(&name)) {
    case DW_FORM_string:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
        text = dwarf_formstring(&name);
        break;
    default:
        break;
    }
    return text ? text : "";
}

static bool add_unit(struct pc_binaries *b, Dwarf_Addr first, Dwarf_Addr end, const char *source)
{
    if (b->nr_units == b->cap_units) {
        size_t cap = b->cap_units == 0 ? 256 : 2 * b->cap_units;
        struct unit *grown = cap > UNITS_MAX ? NULL : realloc(b->unit, cap * sizeof(*grown));
        if (!grown)
            return false;
        b->unit = grown;
        b->cap_units = cap;
    }
    if (first < end)
        b->unit[b->nr_units++] = (struct unit){ first, end - 1, source };
    return true;
}

static int compare_units(const void *a, const void *b)
{
    const struct unit *one = a, *two = b;
    return (one->last > two->last) - (one->last < two->last);
}

static void read_units(struct pc_binaries *b)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    uint8_t type;
    bool good = true;
    while (good && dwarf_get_units(b->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
        Dwarf_Addr base, first, end;
        ptrdiff_t next = 0;
        if (type != DW_UT_compile)
            continue;
        const char *source = name_of(&die);
        while (good && (next = dwarf_ranges(&die, next, &base, &first, &end)) > 0)
            good = add_unit(b, first, end, source);
    }
    if (b->nr_units != 0)
        qsort(b->unit, b->nr_units, sizeof(*b->unit), compare_units);
}

static void find_sources(struct pc_binaries *b, struct pc_address *address, size_t nr)
{
    for (size_t i = 0; i < b->nr_files && !b->dwarf; i++) {
        if (is_small(b->file[i].elf))
            b->dwarf = dwarf_begin_elf(b->file[i].elf, DWARF_C_READ, NULL);
    }
    if (b->dwarf)
        read_units(b);
    for (size_t i = 0; i < nr; i++) {
        size_t k = pc_lower_bound(b->unit, b->nr_units, sizeof(*b->unit), offsetof(struct unit, last),
                                  address[i].at);
        if (k < b->nr_units && b->unit[k].first <= address[i].at)
            address[i].source = b->unit[k].source;
    }
}

/* --- all of it --- */

/* Where a name is from now on; 0: there is no room for it, or it is empty. */
static uint32_t put_name(struct pc_binaries *b, const char *name)
{
    char *to = (char *)b->shared + b->used;
    if (*name == 0 || b->shared_size - b->used < PC_FUNCTION_NAME)
        return 0;
    size_t at = b->used;
    b->used += (size_t)snprintf(to, PC_FUNCTION_NAME, "%.*s", (int)PC_FUNCTION_NAME - 1, name) + 1;
    return (uint32_t)at;
}

/* Those with one function, or one source, stand together. */
static void put_names(struct pc_binaries *b)
{
    struct found *found = b->shared, last = { 0, 0 };
    const char *function = "", *source = "";
    for (size_t i = 0; i < b->nr; i++) {
        const struct pc_address *a = &b->address[i];
        char name[PC_FUNCTION_NAME];
        if (a->function != function) {
            pc_functions_demangle(a->function, name);
            last.function = put_name(b, name);
        }
        if (a->source != source)
            last.source = put_name(b, a->source);
        function = a->function;
        source = a->source;
        found[a->place] = last;
    }
}

/* What the copy does. */
static bool find_names(void *ctx)
{
    struct pc_binaries *b = ctx;
    errno = 0;
    find_addresses(b, &b->code, b->address, b->nr);
    find_functions(b, b->address, b->nr);
    for (size_t i = 0; i < b->nr; i++) {
        struct pc_address *a = &b->address[i];
        bool is_in = a->at != UINT64_MAX && a->function && a->at - a->start < a->size;
        a->function = is_in ? a->function : "";
    }
    find_sources(b, b->address, b->nr);
    put_names(b);
    /* libdw and libiberty leave out what they have no memory for, and say so here alone. */
    return errno != ENOMEM;
}

/* False: the copy did not come to its end. */
static bool find_apart(struct pc_binaries *b)
{
    uint64_t memory = MEMORY;
    for (size_t i = 0; i < b->nr_files; i++)
        memory = pc_add_saturated(memory, pc_add_saturated(b->file[i].size, b->file[i].size));
    b->used = b->nr * sizeof(struct found);
    b->shared_size = b->used + NAMES_SIZE;
    b->shared = pc_apart_share(b->shared_size);
    return b->shared && pc_apart_run(find_names, b, SECONDS, memory);
}

/* A name that the copy has found, whatever it has written. */
static const char *name_found(struct pc_binaries *b, uint32_t at)
{
    return at != 0 && at < b->shared_size ? (const char *)b->shared + at : "";
}

void pc_binaries_find(struct pc_binaries *b, const char *build_id, struct pc_code code,
                      struct pc_address *address, size_t nr)
{
    close_files(b);
    for (size_t i = 0; i < nr; i++) {
        address[i].place = i;
        address[i].function = address[i].source = "";
    }
    if (nr == 0 || *b->failed || strlen(build_id) <= 2)
        return;
    open_files(b, build_id);
    b->code = code;
    b->address = address;
    b->nr = nr;
    if (b->unread || (b->nr_files != 0 && !find_apart(b))) {
        snprintf(b->failed, sizeof(b->failed), "%s", build_id);
    } else if (b->nr_files != 0) {
        ((char *)b->shared)[b->shared_size - 1] = 0;
        for (size_t i = 0; i < nr; i++) {
            const struct found *found = (const struct found *)b->shared + i;
            address[i].function = name_found(b, found->function);
            address[i].source = name_found(b, found->source);
        }
    }
}

const char *pc_binaries_failed(const struct pc_binaries *b)
{
    return *b->failed ? b->failed : NULL;
}

struct pc_binaries *pc_binaries_open(const char *folder, int *error)
{
    struct pc_binaries *b = calloc(1, sizeof(*b));
    int probe = -1;
    *error = ENOMEM;
    if (!b)
        return NULL;
    elf_version(EV_CURRENT);
    b->folder = pc_name_open(AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (b->folder >= 0) /* a kernel before 5.6 cannot do it */
        probe = pc_name_open_beneath(b->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *error = probe < 0 ? errno : 0;
    if (probe >= 0)
        close(probe);
    else
        pc_binaries_close(b);
    return probe >= 0 ? b : NULL;
}

void pc_binaries_close(struct pc_binaries *b)
{
    if (!b)
        return;
    close_files(b);
    if (b->folder >= 0)
        close(b->folder);
    free(b->plain);
    free(b->unit);
    free(b);
}

#else /* this build has no libdw */

struct pc_binaries *pc_binaries_open(const char *folder, int *error)
{
    (void)folder;
    *error = ENOTSUP;
    return NULL;
}

void pc_binaries_close(struct pc_binaries *binaries)
{
    (void)binaries;
}

void pc_binaries_find(struct pc_binaries *binaries, const char *build_id, struct pc_code code,
                      struct pc_address *address, size_t nr)
{
    (void)binaries;
    (void)build_id;
    (void)code;
    for (size_t i = 0; i < nr; i++)
        address[i].function = address[i].source = "";
}

const char *pc_binaries_failed(const struct pc_binaries *binaries)
{
    (void)binaries;
    return NULL;
}

#endif
