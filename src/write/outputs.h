/* SPDX-License-Identifier: MIT
 *
 * outputs.h: where the bytes of a rewrite go besides a path: to a callback, to standard output; and the bytes
 * of a stream to a file that keeps them.
 */
#ifndef PC_OUTPUTS_H
#define PC_OUTPUTS_H

#include "write/lost.h"
#include "write/rewrite.h"

/* Takes bytes of a copy: into the sink that ctx is; to standard output. Return 0 or an errno. */
int pc_output_put(void *ctx, const void *bytes, size_t n);
int pc_output_stdout(void *ctx, const void *bytes, size_t n);

/* Whether an output is standard output, and what it is called in messages; NULL: the copy has no path. */
bool pc_output_is_stdout(const char *output);
const char *pc_output_name(const char *output);

/* Passes all of a scratch sink on, and closes it. Returns 0 or an errno. */
int pc_output_hand_over(struct pc_sink *sink, int (*take)(void *ctx, const void *bytes, size_t n), void *ctx);

/* The permission bits that a copy of the input gets at most. */
mode_t pc_output_mode(const struct pc_input *in);

/* What the sink has, to be read from its start. Returns a descriptor, which is the caller's, or -errno; then
 * sink->error says whether it could not be written. */
int pc_output_reopen(struct pc_sink *sink);

/* Says that the stream ended inside a record, of which so many bytes are left out. */
void pc_output_say_cut(const struct pc_rewrite *rewrite, const char *input, uint64_t cut);

/* Says how to keep the bytes of a stream that was refused, unless they are kept; may_salvage: a salvage is an
 * other way. */
void pc_output_say_once(const struct pc_rewrite *rewrite, const char *input, bool may_salvage);

/* What is wrong with most copies that are wrong. */
#define PC_OTHER_CONTENT "the copy has another content"
#define PC_LACKS_SOUND   "it lacks what is sound in the capture"

/* Says that the writer made a mistake: what is wrong with the copy, and where (NULL: findings follow that
 * tell it). Returns PC_TROUBLE. */
enum pc_rewritten pc_output_say_defect(const struct pc_rewrite *how, const char *output, const char *what,
                                       const char *place);

/* Lists what the copy of a salvage lacks. False: who was told wants no copy. */
bool pc_output_say_lost(const struct pc_rewrite *how, const char *input, struct pc_losses *lost,
                        const struct pc_saved *saved);

/* Says how many records it kept, when it is there. */
void pc_output_say_saved(const struct pc_rewrite *how, const char *input, const struct pc_losses *lost,
                         const struct pc_saved *saved);

/* Whether the output can be made now; it is not. Else says why. For what reads much before it writes, or
 * reads what comes only once. */
bool pc_output_may_appear(const struct pc_rewrite *how, const struct pc_inputs *inputs, const char *output);

/* The file that gets the bytes of a stream. */
struct pc_partial {
    struct pc_sink sink;
    struct pc_mem mem;
    bool open;
};

/* Makes the file, if one is asked for and the input is a stream. False, after saying why: it cannot be made.
 */
bool pc_partial_open(struct pc_partial *partial, const struct pc_rewrite *rewrite, struct pc_input *in);

/* The file appears, unless the copy is the whole of the stream, or nothing came. Returns result, or
 * PC_TROUBLE after saying why the file does not appear. */
enum pc_rewritten pc_partial_close(struct pc_partial *partial, const struct pc_rewrite *rewrite,
                                   enum pc_rewritten result, bool whole);

#endif
