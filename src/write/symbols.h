/* SPDX-License-Identifier: MIT
 *
 * symbols.h: the symbols that simpleperf put into a capture, as text, since perf reads none of them: under a
 * line "# FILE" one line "ADDRESS SIZE NAME" for each, both numbers in hex, as in a perf-PID.map.
 */
#ifndef PC_SYMBOLS_H
#define PC_SYMBOLS_H

#include "base/tree.h"
#include "bytes/sink.h"
#include "read/item.h"
#include "write/rewrite.h"

struct pc_symbols {
    struct pc_sink sink;
    struct pc_mem mem;
    bool open;
    uint64_t nr;         /* of the symbols so far */
    struct pc_tree dsos; /* ids of DSO records, with the place of the path in: */
    unsigned char *paths;
    size_t len, room;
    uint64_t dso;        /* whose symbols come; PC_NO_INDEX: those of no DSO record */
    bool has_file;       /* FILE came */
    bool kernel;         /* those of the kernel come ... */
    unsigned char *line; /* ... and the line began in the record before */
    size_t line_len, line_room;
};

/* Makes the file, if one is asked for, for the symbols of `in`. It is none of the inputs. False, after saying
 * why: it cannot be made. */
bool pc_symbols_open(struct pc_symbols *symbols, const struct pc_rewrite *rewrite, const struct pc_input *in,
                     const struct pc_inputs *inputs);

/* Nothing was seen yet. */
void pc_symbols_begin(struct pc_symbols *symbols);

/* A feature, or a record, or what SPLIT_END ends. */
void pc_symbols_item(struct pc_symbols *symbols, const struct pc_capture *capture,
                     const struct pc_item *item);

/* The file appears if the copy was written. Returns result, or PC_TROUBLE after saying why it does not. */
enum pc_rewritten pc_symbols_close(struct pc_symbols *symbols, const struct pc_rewrite *rewrite,
                                   enum pc_rewritten result);

#endif
