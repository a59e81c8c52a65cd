/* SPDX-License-Identifier: MIT
 *
 * writer.h: the canonical file or pipe of a content (CONTRACT.md section 5), into a sink. What
 * precedes the records is written with the first of them, and again at the end when attrs or
 * features came later; a capture of any size passes without being held.
 */
#ifndef PC_WRITER_H
#define PC_WRITER_H

#include "write/content.h"
#include "write/pack.h"
#include "bytes/sink.h"

enum pc_container { PC_CONTAINER_FILE, PC_CONTAINER_PIPE };

enum pc_compression {
    PC_COMPRESSION_KEEP, /* compressed when the capture says that it is, with its level */
    PC_COMPRESSION_NONE,
    PC_COMPRESSION_LEVEL,
};

struct pc_writer {
    struct pc_content *content;
    struct pc_sink *sink;
    enum pc_container container;
    bool begun;
    uint64_t changes;   /* those of the content that the head knows of */
    uint64_t head;      /* bytes in front of the records */
    struct pc_sink *to; /* where the head is put: the sink, or `scratch` */
    struct pc_sink scratch;
    struct pc_sink index; /* of AUXTRACE records: the offset among the records, and the size */
    uint64_t nr_index;
    uint64_t payload_at;             /* where the last AUXTRACE is in the sink */
    uint64_t feature_size;           /* of the feature that is put */
    enum pc_compression compression; /* may be set until the first item, as may be ... */
    int level;                       /* PC_COMPRESSION_LEVEL: which, 1 to PC_DEFLATE_LEVELS */
    bool recording;                  /* what perf makes up before it records is over */
    bool packs;                      /* records are compressed; `pack` is there */
    bool plain;                      /* a record was not that could have been */
    uint64_t front_packs;            /* the mmap_len that the front of a pipe has; 0: no feature COMPRESSED */
    struct pc_pack pack;
    bool failed; /* which is in the report of the content */
};

void pc_writer_init(struct pc_writer *writer, struct pc_content *content, struct pc_sink *sink,
                    enum pc_container container);
void pc_writer_clear(struct pc_writer *writer);

void pc_writer_put(struct pc_writer *writer, const struct pc_content_item *item);

/* Takes the last AUXTRACE back, and the bytes after it; nothing was put since. */
void pc_writer_take_back(struct pc_writer *writer);

/* All has come. False: something does not fit the container, or there was no memory (in the report of the
 * content), or an error of the sink (in sink->error). */
bool pc_writer_end(struct pc_writer *writer);

#endif
