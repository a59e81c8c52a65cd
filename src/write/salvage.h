/* SPDX-License-Identifier: MIT
 *
 * salvage.h: what a copy of a damaged capture leaves out. Findings decide: what has an error stays out, and
 * so does what has one in the copy, where something it needs is missing. A capture is copied again until
 * neither it nor the copy tells anything new.
 */
#ifndef PC_SALVAGE_H
#define PC_SALVAGE_H

#include "check/whole.h"
#include "read/join.h"
#include "write/content.h"
#include "write/lost.h"

/* A record of a copy that is no content: what it was made of. */
struct pc_salvage_header {
    uint64_t number;     /* of the record */
    enum pc_place place; /* PC_IN_ATTR or PC_IN_FEATURE; PC_IN_RECORD: neither */
    uint64_t index;      /* of the attr of the copy, or the bit of the feature */
};

/* A place in a copy, or in what a compressed record there holds, and what is wrong there. */
struct pc_misread {
    uint64_t outer, inner;
    enum pc_diag why;
};

struct pc_salvage {
    struct pc_mem mem;
    struct pc_input in;     /* which is read again and again; owned */
    struct pc_patch *patch; /* what is read otherwise than it is: see repair.h */
    size_t nr_patches, cap_patches;
    size_t made_attrs;    /* of these, so many attrs behind the end of the file: EVENT_DESC has them */
    uint64_t end_at;      /* of the word that says where the data end, when they end with the file ... */
    enum pc_diag end_why; /* ... and why; PC_NO_DIAG: they do not */
    uint64_t named[PC_FEATURE_BITS / 64];  /* features that the header of a file names, as it is, or that the
                                              entries of its table are of, when these are others ... */
    uint64_t said[PC_FEATURE_BITS / 64];   /* ... and then as it is */
    bool renamed;                          /* they are */
    uint64_t unsure[PC_FEATURE_BITS / 64]; /* of these, those that may be others as well: they are left out */
    enum pc_diag unsure_why;               /* PC_NO_DIAG: the bits of the header are damaged */
    struct pc_patch *split;                /* sizes of records that hold others: patches of the next pass */
    size_t nr_split, cap_split;
    struct pc_set words;    /* these patches, by offset */
    struct pc_set pieces;   /* what such a record has left of itself, by its offset in the file; without a
                               reason: no record was there */
    struct pc_set records;  /* of the capture, by key: they are left out ... */
    struct pc_set attrs;    /* ... and so are these ... */
    struct pc_set features; /* ... and these ... */
    struct pc_set frames;   /* ... and what came out of these compressed records, and of later ones of
                               the zstd stream ... */
    struct pc_set joined;   /* ... and the pieces of these records, by the key of the first one ... */
    struct pc_set events;   /* attrs of tracepoints, by number: how their samples fit their formats */
    struct pc_set bad;      /* ... and records that were bad in the last copy, by their place in it */
    unsigned passes;        /* over the capture ... */
    uint64_t work;          /* ... and the places where they looked for a record ... */
    uint64_t once, read;    /* ... and what one of them reads, and all do and those over copies: bytes of the
                               capture, and of what its compressed records hold */
    unsigned settling;      /* of the passes, those that look for no more records inside of others */
    bool no_memory;         /* for the patches */
    bool not_judged;        /* a reading on trial failed */
    bool restart;           /* the records that were left out so far may be sound */
    bool again;             /* something is left out from now on that was written before */
    bool mmap2_new;         /* a damaged record claimed that all MMAP2 have the old layout */
    bool mmap2_shown;       /* a record that is kept shows that they have not */
    bool not_android;       /* nothing of simpleperf is in the copy, so its tracepoints need trace data */
    bool hopeless;          /* the copy has an error that leaving out something does not mend */

    /* The current pass. */
    struct pc_content *content;
    bool of_copy;          /* the copy is read, not the capture */
    uint64_t bad_before;   /* records of this pass that were bad in the last copy, and so are not written */
    uint64_t beyond;       /* samples with a CPU beyond the last one */
    uint64_t against;      /* the key of the last sample that contradicts its format ... */
    uint64_t foreign;      /* ... and of the last one with the payload of another event */
    uint64_t searched;     /* bytes that were searched for records */
    uint64_t kept;         /* records that were written */
    uint64_t found;        /* records of the capture, those in compressed ones and not these */
    uint64_t of_container; /* of these, sound ones that a copy turns into attrs and features, or makes anew */
    uint64_t attrs_passed; /* of the capture, kept or not */
    struct pc_before last; /* the record before */
    bool last_kept, last_mended;
    struct pc_pieces run;  /* of a split record; while the copy is read, the last one of the capture */
    struct pc_item before; /* the same of the item before that; of size 0 as well: it was compressed */
    bool before_kept;
    const void *frame;     /* why what comes out of compressed records now is left out; NULL: it is not */
    uint64_t frame_bad;    /* the first compressed record of the zstd stream with an error inside */
    uint32_t frame_stream; /* of a directory, that this is about */
    uint64_t nr_broken;    /* as struct pc_packed_state has it, when they were noted */
    uint64_t skipped;      /* by the reader, when the last item came */
    enum pc_diag warning;  /* the last one about a record, and its number */
    uint64_t warned;
    uint64_t empty_map;  /* the key of the last CPU_MAP without a CPU; other warnings may follow */
    enum pc_diag damage; /* the last finding about records that cannot be found ... */
    enum pc_diag cut;    /* ... and that after it about the rest of one that is cut */
    struct pc_salvage_header *container; /* of the copy: its records that are no content, in order */
    size_t nr_container, cap_container;
    uint64_t attrs_of_copy;     /* that came in such records */
    uint64_t without_attr;      /* its records that need an attr, of which there was none */
    bool copy_is_bad;           /* it has an error */
    struct pc_set suspects;     /* of the copy: records with errors, by number */
    struct pc_misread *misread; /* places in it that are read otherwise than they were written ... */
    size_t nr_misread, cap_misread, at_misread;
    bool literal; /* ... and it is read again, by the sizes of its records alone, to know which these are */
    size_t attrs_before; /* that were left out when the copy was made */

    struct pc_losses lost;             /* by the pass over the capture */
    uint64_t refused[PC_FEATURE_BITS]; /* how often features of it, or entries of BUILD_ID, had no place in
                                          the copy */
    enum pc_diag copy_error;           /* the first one of the copy */
    struct pc_lost last_bad;           /* the last record that was left out for an error that a copy had */
};

/* Takes the input over. Returns 0 or an errno: a stream is stored first, since it is read more than once. */
int pc_salvage_init(struct pc_salvage *salvage, struct pc_input *in, const struct pc_limits *limits);
void pc_salvage_clear(struct pc_salvage *salvage);

/* Before the first pass: nothing of the capture is read otherwise than it is. */
void pc_salvage_unmend(struct pc_salvage *salvage);

/* The input, from its beginning, for the next pass; it stays that of the salvage. */
struct pc_input pc_salvage_input(struct pc_salvage *salvage);

/* A pass over the capture begins, whose content has just been made; then one over the copy. */
void pc_salvage_begin(struct pc_salvage *salvage, struct pc_content *content);
void pc_salvage_begin_copy(struct pc_salvage *salvage, struct pc_content *content);

/* Whether the next item of the content is sound. Each item is asked for, also the end. */
bool pc_salvage_keeps(struct pc_salvage *salvage, const struct pc_item *item);

/* Whether the content has no such feature, and the capture has lost it: it has an error, or the header names
 * it, or the recording did not end and it would have been written then. Of HOSTNAME also: it may be among the
 * records that were left out of a pipe. Of a copy: no. */
bool pc_salvage_lost_feature(struct pc_salvage *salvage, uint64_t bit);

/* The copy has another one, made of what is left. */
void pc_salvage_note_made(struct pc_salvage *salvage, uint64_t bit);

/* Whether the copy has all of the capture, as it is. */
bool pc_salvage_is_lossless(const struct pc_salvage *salvage);

/* A finding of area 13: true when it only means that something is left out, which is noted. */
bool pc_salvage_leaves_out(struct pc_salvage *salvage, const struct pc_finding *finding);

/* The copy was read to its end. True: not as it was written, and it is read once more, by the sizes of its
 * records alone. */
bool pc_salvage_begin_literal(struct pc_salvage *salvage);

/* The copy was read to its end. True: it has no error. */
bool pc_salvage_end_copy(struct pc_salvage *salvage);

/* Whether the last copy is not what shall be written: something more is left out. */
bool pc_salvage_is_unsettled(const struct pc_salvage *salvage);

/* The same, and another pass may give a copy. */
bool pc_salvage_again(const struct pc_salvage *salvage);

#endif
