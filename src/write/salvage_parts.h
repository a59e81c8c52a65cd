/* SPDX-License-Identifier: MIT
 *
 * salvage_parts.h: among the files of salvage.h. salvage.c passes over the capture, salvage_copy.c over the
 * copy; salvage_parts.c adds to the sets of what is left out, salvage_features.c decides on features;
 * salvage_gaps.c finds which records around damage are whole; salvage_passes.c ends all this.
 */
#ifndef PC_SALVAGE_PARTS_H
#define PC_SALVAGE_PARTS_H

#include "write/salvage.h"

/* A record, an attr or a feature that is left out: why, and where the first reason is. */
struct left_out {
    uint64_t number, why, offset;
};

/* So many records in a row, of which some are left out. Damage may be in each record of a large capture. */
#define PC_RECORDS_IN_BLOCK 64
struct left_out_records {
    uint64_t block;                    /* the number of the first, divided by this */
    uint16_t why[PC_RECORDS_IN_BLOCK]; /* PC_NO_DIAG: it is not left out */
};

/* How samples of a tracepoint fit its format. */
struct of_event {
    uint64_t attr;
    uint64_t fit,
        against;      /* samples that it describes, or that nothing does, and those that it does not ... */
    uint64_t foreign; /* ... and those with the payload of another event */
};

/* Which record this is in the sets: numbers begin anew in each stream of a directory. */
static inline uint64_t pc_salvage_key(const struct pc_where *where, uint64_t number)
{
    return (uint64_t)where->stream << 40 | number;
}

/* Adds a number to one of the sets, with the finding that is the reason, unless it is there. True: it is new.
 */
bool pc_salvage_leave_out(struct pc_salvage *salvage, struct pc_set *set, uint64_t number,
                          const struct pc_finding *why);

/* The features that the header names are those that it names as it is, and none of them is unsure. */
void pc_salvage_unname(struct pc_salvage *salvage);

/* Leaves out the features of which nothing shows that they are these. */
void pc_salvage_leave_out_unsure(struct pc_salvage *s);

/* Notes the members of a directory that are not read, as its header does not mention them, and those that are
 * missing. */
void pc_salvage_note_members(struct pc_salvage *s);

/* The same for a record, by its key. */
bool pc_salvage_leave_out_record(struct pc_salvage *salvage, uint64_t key, enum pc_diag why);

/* Why a record is left out; PC_NO_DIAG: it is not, as far as this set tells. */
static inline enum pc_diag pc_salvage_why_record(struct pc_salvage *salvage, uint64_t key)
{
    const uint64_t block = key / PC_RECORDS_IN_BLOCK;
    const struct left_out_records *entry =
        salvage->records.nr != 0 ? pc_set_find(&salvage->records, &block) : NULL;
    return entry ? (enum pc_diag)entry->why[key % PC_RECORDS_IN_BLOCK] : PC_NO_DIAG;
}

/* An entry of one of the sets; NULL: it is not there. */
static inline const struct left_out *pc_salvage_find(struct pc_set *set, uint64_t number)
{
    return set->nr != 0 ? pc_set_find(set, &number) : NULL;
}

/* Why the record at this place of the file is a piece of one, of which the size was wrong; NULL: it is none.
 */
static inline const struct left_out *pc_salvage_piece(struct pc_salvage *salvage, uint64_t offset)
{
    const struct left_out *piece = pc_salvage_find(&salvage->pieces, offset);
    return piece && piece->why != PC_NO_DIAG ? piece : NULL;
}

/* Where a record begins of which the size, or that of its payload, is patched. */
static inline uint64_t pc_salvage_begin_of(const struct pc_patch *patch)
{
    return patch->offset - (patch->len == 2 ? PC_RECORD_SIZE_AT : PC_RECORD_HEADER_SIZE);
}

/* A pass over the capture begins; it has come to the end; so many more may give a copy. */
void pc_salvage_begin_pass(struct pc_salvage *salvage);
void pc_salvage_end_pass(struct pc_salvage *salvage);
uint64_t pc_salvage_passes_left(const struct pc_salvage *salvage);

/* A finding that ends the work stays in the report. */
void pc_salvage_keep_finding(struct pc_salvage *salvage, const struct pc_finding *finding);

/* Whether a record is neither of the container nor left out of the copy of a directory. */
bool pc_salvage_is_content(const struct pc_salvage *salvage, const struct pc_item *item);

/* Opens what has the header: the input itself, or the member data of a directory. The caller closes it.
 * False: there is none. */
bool pc_salvage_open_file(struct pc_salvage *salvage, struct pc_input *in);

/* So many bytes of the file are read as these, whatever they were read as before. Sets no_memory. */
void pc_salvage_patch(struct pc_salvage *salvage, uint64_t offset, const unsigned char *bytes, size_t len);

/* Takes those at this offset out of nr patches: what is there is read as it is. Returns how many are left. */
size_t pc_salvage_unpatch(struct pc_patch *patch, size_t nr, uint64_t offset);

/* Whether what came out of a compressed record is no record, or has what no kernel writes, whatever other
 * records and attrs are: with an id that no kernel gets to, for one. So the bytes of the zstd stream are
 * damaged. */
bool pc_salvage_refutes_content(const struct pc_salvage *salvage, const struct pc_finding *finding);

/* The content of this compressed record is damaged, and that of those before it whose records have errors. */
void pc_salvage_leave_out_content(struct pc_salvage *salvage, uint64_t key, const struct pc_finding *why);

/* Notes the bytes between the last record and this item, which belong to none. They may be damaged from
 * somewhere inside that record on; then it is left out. */
void pc_salvage_gap(struct pc_salvage *salvage, const struct pc_item *item);

/* A record is left out. When its size was wrong, records inside it are not: the next pass finds them. */
void pc_salvage_split(struct pc_salvage *salvage, const struct pc_item *item, enum pc_diag why);

/* Bytes in this record were taken for records, of which the sizes are read otherwise: they are content, and
 * are read as they are from the next pass on. */
void pc_salvage_undo_splits(struct pc_salvage *salvage, const struct pc_item *item);

/* The size of trace data is wrong, which the finding tells from where they end, or the high half of that of
 * an EVENT_ID: the next pass reads the right one. False: the finding is another, or that did not help. */
bool pc_salvage_mend_size(struct pc_salvage *salvage, const struct pc_finding *finding);

/* The records that were found inside others count from now on, and so all numbers change. */
void pc_salvage_apply_splits(struct pc_salvage *salvage);

/* The copy has an error. What it is about is left out of the next one. */
void pc_salvage_take_error_of_copy(struct pc_salvage *salvage, const struct pc_finding *finding);

/* Records of the copy that are no content have a number, but no place. */
void pc_salvage_count_record_of_copy(struct pc_salvage *salvage, const struct pc_item *item);

/* Whether it is the size of a record that holds others, or that of the payload of such a one. */
bool pc_salvage_is_of_piece(struct pc_salvage *s, const struct pc_patch *patch);
/* Whether words of an attr of a pipe, of a record before trace data, of an AUXTRACE_INFO or an EVENT_ID are
 * read otherwise than they are. */
bool pc_salvage_is_mended_record(struct pc_salvage *s, const struct pc_item *item);
/* Whether a record whose right end is known, unlike its size, has all of the attr that it should have, and
 * that is not left out: in a pipe. In a file it is none. */
bool pc_salvage_holds_attr(struct pc_salvage *s, const struct pc_item *item);
/* Whether a word is one of a record, and was listed with it. */
bool pc_salvage_is_of_record(const struct pc_salvage *s, const struct pc_patch *patch);

/* Whether a finding shows that NRCPUS, which is there, is wrong: another feature needs the number of CPUs,
 * and it says 0; or it is too small for samples. */
bool pc_salvage_blames_nrcpus(struct pc_salvage *salvage, const struct pc_finding *finding);

/* A feature is left out. Without NRCPUS the records beyond its CPUs are sound, without TRACING_DATA the
 * samples that contradict it. */
void pc_salvage_lose_feature(struct pc_salvage *salvage, uint64_t bit, const struct pc_finding *finding);

/* Sees a finding about a sample, and then the sample itself: whether its payload fits the format of its
 * event. Where most of several do not, or their event has none, TRACING_DATA is wrong, and not they. */
void pc_salvage_see_payload(struct pc_salvage *salvage, const struct pc_finding *finding);
void pc_salvage_count_payload(struct pc_salvage *salvage, const struct pc_item *item);
/* Whether samples of this attr have payloads of the event that the attr says. */
bool pc_salvage_is_event(struct pc_salvage *salvage, uint64_t attr);
/* After all records: may leave out TRACING_DATA. */
void pc_salvage_judge_formats(struct pc_salvage *salvage);
/* Whether a finding about a record of a pipe is about the trace data that follow it. */
bool pc_salvage_blames_trace(const struct pc_salvage *salvage, const struct pc_finding *finding);
/* Why a HEADER_TRACING_DATA is left out, which has this place; NULL: it is not. */
const struct left_out *pc_salvage_place_trace(struct pc_salvage *salvage, const struct pc_item *item);
/* Whether the bytes behind a record are kept. */
bool pc_salvage_keeps_payload(struct pc_salvage *salvage, const struct pc_item *item);

/* Whether a feature of a file is kept. One in a lost block is not, though it may have no error. */
bool pc_salvage_keeps_feature(struct pc_salvage *salvage, const struct pc_item *item);

#endif
