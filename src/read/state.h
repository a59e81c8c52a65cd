/* SPDX-License-Identifier: MIT
 *
 * state.h: what the reader knows between two items. The files of
 * this folder work on it; others see it through reader.h.
 */
#ifndef PC_READ_STATE_H
#define PC_READ_STATE_H

#include "base/base.h"
#include "read/ahead.h"
#include "read/capture.h"
#include "read/item.h"
#include "read/join.h"
#include "read/signs.h"
#include "report/diag.h"
#include "bytes/directory.h"
#include "bytes/inflate.h"
#include "bytes/input.h"
#include "base/mem.h"

struct pc_limits {
    uint64_t memory;   /* bytes in use */
    uint64_t section;  /* bytes of one section held at once */
    uint64_t spool;    /* bytes of a file-mode capture on a pipe */
    uint64_t inflated; /* bytes that come out of compressed records */
    uint64_t ahead;    /* threads read ahead where at least so many bytes of records follow, ... */
    uint64_t threads;  /* ... so many at most */
};

enum pc_reader_stage {
    PC_READ_START,
    PC_READ_ATTRS,
    PC_READ_FEATURES,
    PC_READ_DATA,
    PC_READ_CONTENT, /* records in a compressed record */
    PC_READ_OVER
};

struct pc_range;
struct pc_reader;

/* Records in a row: what was read of them, and how far they were looked at. */
struct pc_window {
    unsigned char *bytes; /* `room` of them; NULL before they are needed */
    size_t room;          /* PC_WINDOW, or less for a file that is smaller */
    size_t len, at;       /* bytes there, bytes of them consumed */
    uint64_t offset;      /* of the first byte: in the stream, or in all that was decompressed of it */
    uint64_t end;         /* where the records end; UINT64_MAX: not known yet */
    size_t last_size;     /* of the record before, when it ended at `at`; 0: not known */
    bool cut;             /* known to be incomplete: no finding for the last record */
    bool open;            /* `end` is that of the file: other sections may lie before it */
    bool doubtful;        /* where the next record begins is not known */
    /* Makes at least n bytes available at `at`, when there are that many; returns how many there are. NULL:
     * they come from the input. */
    size_t (*fill)(struct pc_reader *reader, size_t n);
};

/* Where the content of a compressed record begins among all that was decompressed. */
struct pc_boundary {
    uint64_t start, number, offset;
};
#define PC_BOUNDARIES 64

/* After so many compressed records in others, each one ends what is read of its zstd frame. */
#define PC_NESTED_MAX 1000

enum pc_content_state {
    PC_CONTENT_SOUND,
    PC_CONTENT_LOST,    /* the stream is damaged; it may begin again */
    PC_CONTENT_STOPPED, /* a limit was met */
};

/* What sections of a file were found, and what is read of them next. */
struct pc_file_state {
    unsigned char head[PC_FILE_HEADER_SIZE];
    unsigned char table[PC_TABLE_MAX]; /* of the features, and how much of it was read */
    uint64_t table_size;
    uint64_t moved;         /* it, and its sections, are so far behind where the file says, modulo 2^64 */
    uint64_t index;         /* next attr or feature slot */
    uint64_t bit;           /* next feature bit to look at */
    uint64_t ids_read;      /* bytes of ids sections */
    bool lost;              /* a section lies outside the file: the end of the file may belong to it */
    unsigned char *section; /* the one that was read last, or the trace data of a pipe */
    uint64_t section_cap;
    struct pc_range *range;
    size_t nr_ranges, cap_ranges;
    uint64_t unused_at, unused; /* bytes of slots after those of the feature table; 0: there are none */
};

/* Bytes that follow a record outside of its size. */
struct pc_payload_state {
    uint64_t left, size;
    uint64_t size_at; /* offset of the word that holds it */
    uint32_t type;    /* of the record */
};

/* Compressed records. */
struct pc_packed_state {
    struct pc_inflate inflate;
    enum pc_content_state state;
    struct pc_item record; /* the current one, whose bytes may be gone */
    struct pc_span left;   /* what was not decompressed yet of it */
    uint64_t out;          /* bytes that came out of it */
    uint64_t frame_at;     /* of them, before the first frame that began after some; 0: none did */
    bool frame_again;      /* bytes came after that */
    bool done;             /* nothing more comes out of it */
    bool is_frame;         /* it begins with a frame, whose header may come alone */
    bool none;             /* it holds no byte, which the check reports */
    bool lacks;            /* its data_size is less than what it holds, so a part does not come out */
    /* The stream. */
    bool begins_with_frame;
    bool missed;           /* bytes that may have been compressed were skipped */
    uint64_t stream_out;   /* bytes that came out of it */
    uint64_t odd;          /* 1 + the number of the compressed record after which the last bytes that had come
                              out were the beginning of no record; 0: there is none */
    uint64_t ended;        /* the same of the last one that ends with a block of zstd before bytes that are
                              none ... */
    uint64_t passed;       /* ... and of that behind which bytes were skipped that are none of the stream */
    uint64_t nr_broken;    /* compressed records of the capture of which not all came out, ... */
    struct pc_item broken; /* ... and the last of them */
    struct pc_item lost;   /* of those in a row of which nothing comes out, the first, ... */
    uint64_t nr_lost;      /* ... their number, and where the last one ends */
    uint64_t lost_end;
    uint64_t push_left; /* bytes of records that a data_size counted which is not theirs */
    struct pc_boundary boundary[PC_BOUNDARIES];
    size_t nr_boundaries;
    /* The capture. */
    uint64_t bytes_in, bytes_out;
    uint64_t searched; /* of those that came out, after damage */
    uint64_t nested;   /* compressed records that came out */
};

/* The stream of a directory that is read. */
struct pc_streams_state {
    struct pc_where where; /* in the report; .stream is 0 for data, else 1 + index of the member */
    size_t next;           /* index of the next member */
    bool checked;
    bool overruled; /* `data` says that the data.N are no part of the capture, and a salvage reads them */
};

/* Where records first did not follow each other in the stream. */
struct pc_damage {
    bool any;
    uint32_t stream;
    enum pc_diag id;
    uint64_t before, offset;    /* of the last record, and of where the next one should begin */
    struct pc_record_head head; /* what is there instead */
    uint64_t zeros, zeros_end;  /* the zeros around it: where they begin and end */
    uint64_t text, text_end;    /* lines of text that begin in the last record or after it; the same: none */
    unsigned char line[PC_VALUE_MAX]; /* how the first of them begins */
    uint64_t trace;                   /* trace data that begin in the last record or after it; 0: none */
    uint64_t end;         /* where records follow each other again; 0: nowhere, or before `offset` ... */
    uint64_t swallowed;   /* ... by so many bytes, which the last record takes too many */
    bool mended;          /* what is there is a record of which only the size is wrong */
    bool off_grid;        /* without them its size is no multiple of 8, as some writers write such records */
    uint64_t record;      /* number of the next record at the last damage */
    uint64_t places;      /* of damage with whole records between them ... */
    uint64_t second;      /* ... where the second one is; 0: nowhere */
    uint64_t grid;        /* where the record of the last place begins ... */
    uint64_t feeds;       /* ... and how many line feeds it has, up to 7 ... */
    uint64_t counted;     /* ... of those before this offset */
    uint64_t feed_places; /* of those before it, how many may lack bytes before line feeds alone ... */
    uint64_t missing;     /* ... and so many bytes, all together */
};

/* How many bytes before line feeds the last place of damage may lack, when the next record begins at `at`:
 * these are off the grid of 8 bytes by as many, and there are no fewer line feeds. 0: there is no such place,
 * or it lacks others. */
static inline uint64_t pc_damage_feeds(const struct pc_damage *damage, uint64_t at)
{
    const uint64_t off = (damage->grid - at) % 8;
    return damage->places != 0 && off <= damage->feeds ? off : 0;
}

/* Bytes in a row that became no item: where they begin, and how many were skipped before them. */
struct pc_skipped {
    const struct pc_window *of;
    struct pc_where where;
    uint64_t offset, size, before;
    uint64_t end; /* in the window */
};

struct pc_reader {
    struct pc_mem *mem;
    struct pc_input *in;
    struct pc_report *report;
    const struct pc_capture *capture;
    struct pc_capture *model; /* the same, for pc_reader_learn alone */
    const struct pc_limits *limits;
    enum pc_reader_stage stage;

    struct pc_window outer; /* the stream */
    struct pc_window inner; /* what its compressed records hold */
    struct pc_window *w;    /* the current one */
    struct pc_ahead ahead;  /* reads what follows `outer` */
    bool undecided;         /* whether records begin at a place depends on content that is not there yet */
    uint64_t records;       /* number of the next record */
    uint64_t skipped;       /* bytes that became no item: damage, or of an unknown type ... */
    uint64_t skipped_at;    /* ... and the offset of the first ... */
    struct pc_skipped skipped_run; /* ... and the last of them that follow each other */
    bool unsure_end; /* the rest of a record at the end may be whole records, or the one before may be damaged
                      */
    struct pc_damage damage;
    struct pc_signs signs; /* of a pipe that is read as a stream */
    uint64_t walked;       /* bytes of records in searches for the next one */
    uint64_t work;         /* candidates looked at after damage, entries of directories */
    uint64_t moved;        /* bytes, in a window */

    struct pc_judged judged; /* of the last record that its plan has found sound */
    struct pc_item blank;    /* zeros, which are copied faster than compilers clear as many bytes */

    struct pc_file_state file;
    struct pc_payload_state payload;
    struct pc_packed_state packed;
    struct pc_streams_state streams;
    struct pc_join join; /* split records of simpleperf */

    /* The data.N are read, whatever is left of DIR_FORMAT. Bytes that seem to belong to no section are
     * reported though attrs are damaged. */
    bool salvages;
    bool literal;  /* records are as long as they say, whatever they look like: a copy is that was misread */
    bool ends_cut; /* the header was mended, so that the data end with the file: they were cut off */
    const struct pc_input *given; /* the input that the caller opened */
    struct pc_directory directory;
    struct pc_input member; /* `in`, when the capture is a directory */
};

/* The model of the capture, which is about to change. No thread judges by it any more. */
static inline struct pc_capture *pc_reader_learn(struct pc_reader *reader)
{
    pc_ahead_pause(&reader->ahead);
    return reader->model;
}

/* Whether the records end where the file says, so that the last one is not cut. */
static inline bool pc_reader_ends_whole(const struct pc_reader *reader)
{
    return reader->w == &reader->outer && !reader->capture->is_pipe && !reader->w->cut && !reader->ends_cut;
}

/* Bytes of the stream that were consumed. */
static inline uint64_t pc_reader_offset(const struct pc_reader *reader)
{
    return reader->w->offset + reader->w->at;
}

#endif
