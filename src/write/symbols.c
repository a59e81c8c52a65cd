/* SPDX-License-Identifier: MIT */
#include "write/symbols.h"

#include "base/text.h"
#include "bytes/cursor.h"
#include "format/features.h"
#include "write/lost.h"
#include "write/outputs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool pc_symbols_open(struct pc_symbols *s, const struct pc_rewrite *r, const struct pc_input *in,
                     const struct pc_inputs *inputs)
{
    *s = (struct pc_symbols){ .open = r->symbols_out != NULL };
    if (!s->open)
        return true;
    pc_mem_init(&s->mem, (uint64_t)8 << 20);
    int error = pc_sink_create(&s->sink, &s->mem, r->symbols_out, r->force, pc_output_mode(in), inputs);
    if (error)
        pc_rewrite_say(r, r->symbols_out, "cannot be written", pc_output_file_error_text(error));
    return error == 0;
}

void pc_symbols_begin(struct pc_symbols *s)
{
    pc_sink_move(&s->sink, s->sink.size, 0);
    pc_tree_clear(&s->mem, &s->dsos);
    s->nr = s->len = s->line_len = 0;
    s->has_file = s->kernel = false;
    s->dso = PC_NO_INDEX;
}

enum pc_rewritten pc_symbols_close(struct pc_symbols *s, const struct pc_rewrite *r, enum pc_rewritten result)
{
    char text[64];
    if (!s->open)
        return result;
    pc_tree_clear(&s->mem, &s->dsos);
    pc_free(&s->mem, s->paths, s->room);
    pc_free(&s->mem, s->line, s->line_room);
    if (result != PC_WRITTEN && result != PC_WRITTEN_CUT) {
        pc_sink_discard(&s->sink);
        return result;
    }
    int error = pc_sink_commit(&s->sink);
    snprintf(text, sizeof(text), "%" PRIu64 " symbol%s of simpleperf", s->nr, pc_lost_plural(s->nr));
    pc_rewrite_say(r, r->symbols_out, error ? "cannot be written" : "written",
                   error ? pc_output_file_error_text(error) : text);
    return error ? PC_TROUBLE : result;
}

/* --- lines --- */

/* A name, which ends with its first NUL; what would be another line is escaped. */
static void put_name(struct pc_symbols *s, struct pc_span name)
{
    enum { PIECE = 512, UTF8_MAX = 4 };
    char text[PC_ESCAPED_MAX(PIECE)];
    size_t len = pc_first_zero(name), n;
    for (size_t at = 0; at < len; at += n) {
        for (n = 0; at + n < len && n + UTF8_MAX <= PIECE;) {
            size_t character = pc_text_utf8_length(pc_part(name, at + n, len - at - n));
            n += character != 0 ? character : 1;
        }
        pc_sink_put(&s->sink, text, pc_text_escape(pc_part(name, at, n), true, text));
    }
}

static void put_file(struct pc_symbols *s, struct pc_span path)
{
    s->kernel = false;
    pc_sink_put(&s->sink, "# ", 2);
    put_name(s, path);
    pc_sink_put(&s->sink, "\n", 1);
}

static void put_symbol(struct pc_symbols *s, uint64_t addr, uint64_t size, struct pc_span name)
{
    char text[40];
    int n = snprintf(text, sizeof(text), "%" PRIx64 " %" PRIx64 " ", addr, size);
    pc_sink_put(&s->sink, text, (size_t)n);
    put_name(s, name);
    pc_sink_put(&s->sink, "\n", 1);
    s->nr++;
}

/* --- FILE and FILE2 --- */

struct files {
    struct pc_symbols *symbols;
    struct pc_span path, name;
    uint64_t addr, len;
    uint64_t symbol; /* number of the current one; PC_NO_INDEX: none */
    bool named;      /* the line of the file was put */
};

static void end_symbol(struct files *f)
{
    if (f->symbol == PC_NO_INDEX)
        return;
    if (!f->named)
        put_file(f->symbols, f->path);
    f->named = true;
    put_symbol(f->symbols, f->addr, f->len, f->name);
    f->symbol = PC_NO_INDEX;
}

/* The last one counts, and may come after all symbols. */
static bool see_path(void *ctx, const struct pc_leaf *leaf)
{
    struct files *f = ctx;
    if (leaf->fault == PC_SOUND && leaf->field->save == PC_FILE_PATH)
        f->path = pc_leaf_string(leaf);
    return leaf->fault == PC_SOUND;
}

static bool begin_file(void *ctx, const struct pc_leaf *whole)
{
    struct files *f = ctx;
    struct pc_cursor in = pc_cursor(whole->raw, whole->walk->c->order);
    struct pc_walk walk;
    end_symbol(f);
    f->named = false;
    f->path.len = 0;
    pc_walk_init(&walk, NULL, &in, see_path, f);
    pc_walk_table(&walk, whole->field->sub);
    return true;
}

/* In a message the members of a symbol come in any order, and those that are 0 or empty do not come. */
static bool see_file(void *ctx, const struct pc_leaf *leaf)
{
    struct files *f = ctx;
    const uint64_t symbol = pc_leaf_index(leaf, 1);
    unsigned slot = leaf->field->save;
    if (leaf->fault != PC_SOUND)
        return false;
    if (f->symbol != PC_NO_INDEX && symbol != f->symbol)
        end_symbol(f);
    if (slot != PC_FILE_ADDR && slot != PC_FILE_LEN && slot != PC_FILE_SYMBOL)
        return true;
    if (f->symbol == PC_NO_INDEX) {
        f->addr = f->len = f->name.len = 0;
        f->symbol = symbol;
    }
    if (slot == PC_FILE_ADDR)
        f->addr = leaf->value;
    else if (slot == PC_FILE_LEN)
        f->len = leaf->value;
    else
        f->name = pc_leaf_string(leaf);
    return true;
}

static void put_files(struct pc_symbols *s, const struct pc_capture *capture, uint64_t bit,
                      struct pc_span content)
{
    struct files files = { .symbols = s, .symbol = PC_NO_INDEX };
    struct pc_cursor in = pc_cursor(content, capture->order);
    struct pc_walk walk;
    pc_walk_init(&walk, NULL, &in, see_file, &files);
    walk.enter = begin_file;
    pc_walk_table(&walk, pc_feature_info(bit)->fields);
    end_symbol(&files);
    s->dso = PC_NO_INDEX;
}

/* --- records --- */

static struct pc_span line_of(struct pc_span text)
{
    const unsigned char *end = text.len == 0 ? NULL : memchr(text.ptr, '\n', text.len);
    return pc_part(text, 0, end ? (size_t)(end - text.ptr) : text.len);
}

/* A line of kallsyms: address, type, name; no size. The line of the file stands before the first symbol. */
static void put_kernel_symbol(struct pc_symbols *s, struct pc_span line)
{
    static const char kernel[] = "[kernel.kallsyms]";
    uint64_t addr = 0;
    size_t at = 0;
    for (; at < line.len && at < 16; at++) {
        const char *digits = "0123456789abcdef", *digit = strchr(digits, line.ptr[at]);
        if (!digit || *digit == 0)
            break;
        addr = addr << 4 | (uint64_t)(digit - digits);
    }
    if (at == 0 || at + 3 >= line.len || line.ptr[at] != ' ' || line.ptr[at + 2] != ' ')
        return;
    struct pc_span name = pc_part(line, at + 3, line.len - at - 3);
    const unsigned char *tab = memchr(name.ptr, '\t', name.len); /* before the name of a module */
    if (!s->kernel)
        put_file(s, (struct pc_span){ (const unsigned char *)kernel, sizeof(kernel) });
    s->kernel = true;
    s->dso = PC_NO_INDEX;
    put_symbol(s, addr, 0, pc_part(name, 0, tab ? (size_t)(tab - name.ptr) : name.len));
}

/* Bytes of a line that goes on in the next record. */
static bool keep_line(struct pc_symbols *s, struct pc_span part)
{
    if (!pc_grow(&s->mem, &s->line, &s->line_room, s->line_len + part.len, 1))
        return false;
    memcpy(s->line + s->line_len, part.ptr, part.len);
    s->line_len += part.len;
    return true;
}

/* Text of kallsyms, which older captures have in several records: more: another one follows. */
static void put_kernel(struct pc_symbols *s, struct pc_span text, bool more)
{
    for (size_t at = 0; at < text.len;) {
        struct pc_span line = line_of(pc_part(text, at, text.len - at));
        at += line.len + 1;
        bool cut = more && at > text.len;
        if ((cut || s->line_len != 0) && keep_line(s, line))
            line = (struct pc_span){ s->line, s->line_len };
        if (cut)
            break;
        put_kernel_symbol(s, line);
        s->line_len = 0;
    }
    if (!more && s->line_len != 0)
        put_kernel_symbol(s, (struct pc_span){ s->line, s->line_len });
    s->line_len = more ? s->line_len : 0;
}

static void keep_dso(struct pc_symbols *s, uint64_t id, struct pc_span path)
{
    size_t len = pc_first_zero(path);
    if (len > UINT32_MAX - s->len || !pc_grow(&s->mem, &s->paths, &s->room, s->len + len + 1, 1) ||
        !pc_tree_add(&s->mem, &s->dsos, id, (uint32_t)s->len))
        return; /* then its number is shown */
    memcpy(s->paths + s->len, path.ptr, len);
    s->paths[s->len + len] = 0;
    s->len += len + 1;
}

static void begin_dso(struct pc_symbols *s, uint64_t id)
{
    char number[32] = "";
    const struct pc_tree_entry *dso = pc_tree_find(&s->dsos, id);
    snprintf(number, sizeof(number), "dso %" PRIu64, id);
    struct pc_span path = { (const unsigned char *)number, sizeof(number) };
    if (dso)
        path = (struct pc_span){ s->paths + dso->value, s->len - dso->value };
    put_file(s, path);
    s->dso = id;
}

static void put_record(struct pc_symbols *s, struct pc_span record, enum pc_order order)
{
    struct pc_walk walk;
    uint32_t type = pc_load_head(record.ptr, order).type;
    if ((type != PC_KERNEL_SYMBOL && type != PC_DSO && type != PC_SYMBOL) ||
        !pc_read_table(&walk, pc_record_info(type)->fields, pc_record_body(record, order)))
        return;
    uint64_t dso = walk.slot[PC_REC_IDX];
    if (type == PC_KERNEL_SYMBOL) {
        put_kernel(s, pc_part(record, walk.slot_at[PC_REC_RAW], (size_t)walk.slot[PC_SLOT_A]),
                   walk.slot_at[PC_REC_TYPE] != 0 && walk.slot[PC_REC_TYPE] == 0);
        return;
    }
    size_t at = walk.slot_at[PC_REC_TEXT];
    struct pc_span text = pc_part(record, at, record.len - at);
    if (type == PC_DSO) {
        keep_dso(s, dso, text);
        return;
    }
    if (s->dso != dso || dso == PC_NO_INDEX)
        begin_dso(s, dso);
    put_symbol(s, walk.slot[PC_REC_ADDR], walk.slot[PC_REC_LEN], text);
}

void pc_symbols_item(struct pc_symbols *s, const struct pc_capture *capture, const struct pc_item *item)
{
    struct pc_cursor in;
    uint64_t bit = item->number;
    struct pc_span content = item->bytes;
    if (item->kind == PC_ITEM_RECORD && item->type == PC_HEADER_FEATURE) {
        in = pc_record_body(item->bytes, capture->order);
        if (!pc_uint(&in, 8, &bit))
            return;
        content = pc_part(content, in.pos, pc_left(&in));
    } else if (item->kind == PC_ITEM_RECORD) {
        const struct pc_item *whole = pc_item_whole(item);
        put_record(s, whole->bytes, pc_item_order(whole, capture->order));
        return;
    } else if (item->kind != PC_ITEM_FEATURE) {
        return;
    }
    /* simpleperf reads FILE alone, if both are there. */
    if (bit == PC_FILE || (bit == PC_FILE2 && !s->has_file))
        put_files(s, capture, bit, content);
    s->has_file |= bit == PC_FILE;
}
