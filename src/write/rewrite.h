/* SPDX-License-Identifier: MIT
 *
 * rewrite.h: one capture made into another: read and checked, converted, written, read again and
 * compared, and only then given its name. Also the digest of a capture.
 */
#ifndef PC_REWRITE_H
#define PC_REWRITE_H

#include "write/content.h"
#include "write/lost.h"
#include "write/writer.h"

enum pc_container_choice { PC_TO_KEEP, PC_TO_FILE, PC_TO_PIPE, PC_TO_DIRECTORY };

enum pc_order_choice { PC_ORDER_KEEP, PC_ORDER_LITTLE, PC_ORDER_BIG, PC_ORDER_NATIVE, PC_ORDER_SWAP };

/* How a rewriter tells its caller what happens: the texts are for people, and what comes from a capture or a
 * path is not escaped in them. */
struct pc_callbacks {
    void *ctx;
    /* About a path: what happened, and why; NULL: there is no more to say. */
    void (*message)(void *ctx, const char *path, const char *what, const char *why);
    /* The errors that a scan found. */
    void (*errors)(void *ctx, const char *path, const struct pc_scan *scan);
    /* The copy was read again and is right. Of what was counted, only the number of records is known.
     * NULL: nobody asks. */
    void (*verified)(void *ctx, const struct pc_scan *copy);
    /* The copy of a salvage is about to appear. False: it shall not. NULL: nobody asks. */
    bool (*salvaged)(void *ctx, struct pc_losses *losses, const struct pc_saved *saved);
    /* The copy is whole and on the disk, and about to get its name. cut: it ends where the stream did, inside
     * a record. False: it shall not. NULL: nobody asks. */
    bool (*ready)(void *ctx, bool cut);
};

/* When a new part of a rotated capture begins: after so many bytes of records, or so much of their time;
 * 0: no limit. */
struct pc_rotate {
    uint64_t bytes, ns;
};

struct pc_rewrite {
    enum pc_order_choice order;
    enum pc_container_choice to;
    enum pc_compression compression;
    int level; /* PC_COMPRESSION_LEVEL: which */
    bool force, no_verify;
    bool salvage; /* what is damaged is left out, and always verified */
    const char
        *keep_partial;       /* a new file for the bytes of a stream of which the copy has not all; or NULL */
    const char *header_from; /* another file of the same recording, for a salvage; or NULL */
    const char *symbols_out; /* a new file for the symbols of simpleperf, as text; or NULL */
    struct pc_rotate rotate; /* for pc_rotate_capture */
    bool with_kcore;         /* the caller carries each kcore_dir over */
    enum pc_versions reader; /* who has to read the copy, or PC_BY_NONE */
    struct pc_drops drops;
    struct pc_limits limits;
    struct pc_callbacks callbacks;
    /* Takes the bytes of a copy that has no path, when it is verified; 0, or the errno that ends it. */
    int (*take)(void *ctx, const void *bytes, size_t n);
    void *take_ctx;
    struct pc_progress *progress; /* NULL: none is shown */
    /* Test hook: called with the file before it is read again; NULL: none. */
    void (*written)(void *ctx, int fd);
    void *written_ctx;
};

/* Whether the copy may get its name. */
static inline bool pc_rewrite_is_ready(const struct pc_rewrite *rewrite, bool cut)
{
    return !rewrite->callbacks.ready || rewrite->callbacks.ready(rewrite->callbacks.ctx, cut);
}

/* What a message says of a path that the program tells as "cannot open PATH". */
#define PC_SAY_NOT_OPENED "cannot be opened"

/* Tells the caller; why may be NULL. */
static inline void pc_rewrite_say(const struct pc_rewrite *rewrite, const char *path, const char *what,
                                  const char *why)
{
    rewrite->callbacks.message(rewrite->callbacks.ctx, path, what, why);
}

enum pc_rewritten {
    PC_WRITTEN,
    PC_WRITTEN_CUT, /* but the stream ended inside a record, whose part is left out */
    PC_REFUSED,     /* the capture has errors, or something cannot be carried over; nothing was written */
    PC_TROUBLE,     /* the work could not be done; nothing was written */
};

/* Writes the capture that `in` has, which is taken over, and whose name in messages is `input`; in is NULL:
 * that at the path `input` ("-": standard input). output is NULL: the copy goes to rewrite->take. Says why
 * when it is not written. */
enum pc_rewritten pc_rewrite_capture(const struct pc_rewrite *rewrite, const struct pc_input *in,
                                     const char *input, const char *output);

/* The part of it that a capture of more than one file needs: what `in` has, which is taken over, is put into
 * an open sink and read again. The sink is neither committed nor discarded. */
enum pc_rewritten pc_rewrite_into(const struct pc_rewrite *rewrite, const struct pc_input *in,
                                  const char *input, struct pc_sink *sink, const char *output);

/* Whether what the writer has put into its sink is a part of what its content has, which was read so far: all
 * attrs and features, as content->witness saw them, and these records. Says why it is not. */
enum pc_rewritten pc_rewrite_part(const struct pc_rewrite *rewrite, struct pc_writer *writer,
                                  const struct pc_marks *records, const char *output);

/* The digest of such a capture; PC_TROUBLE after saying why there is none. */
enum pc_rewritten pc_digest_capture(const struct pc_rewrite *rewrite, const struct pc_input *in,
                                    const char *input, struct pc_sum *sum);

#endif
