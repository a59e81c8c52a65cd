/* Rows of section 10 of src/format/FORMAT.md whose violation this reader reports (error severity only):
 *
 *   container   1 2 3 5 6 7 9 10 12 13 14 15 16 17 18 19 20 21 22 28 (version 1) 32 211
 *   attrs       34 36 37 38 39 40 41 42 44 47 52 53 54 55 57 58 59 61 64 65 66
 *   records     69 70 71 72 73 74 76 83 84 90 91 93 94 96 99 103 106 107 108 109 298 317 318 358
 *   samples     114 115 116 117 118 121 122 123 127 128 129 130 131 132 (8 bytes and more) 301 319 320 321
 *               382
 *   user        140 141 142 143 144 146 150 151 155 156 157 158 159 160 166 168 169 170 171 (end before
 *               start) 173 175 178 179 183 187 188 189 190 304 305 322 342 to 348 384 385 387
 *               389
 *   compressed  192 194 195 198 199 201 202 203 205 207 208 410
 *   features    209 210 218 219 223 224 225 228 229 231 233 234 236 237 240 242 244 246 247 252 253 255 256
 *               259 260 263 266 340 341 349 361 383 386 404
 *   pipe        268 270 (as 52 to 55) 271 272 274
 *   directory   275 276 277 280
 *
 * 1000 + bit is a feature whose content ends early, for which section 10 has no row of its own.
 * Not covered: 138b (fields of tracepoints), 138b's grammar of formats, 287, every warning and note, and what
 * needs the meaning of several records (flow rules). After broken framing (69 to 72) the stream ends here. */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static void read_data(struct model *m)
{
    const struct member *mb = &m->members[0];
    const unsigned char *p = mb->bytes;

    if (mb->len < 16) {
        md_fault_at(m, mb->len ? 2 : 1, 0, -1, 0);
        return;
    }
    if (memcmp(p, "PERFILE2", 8) == 0) {
        m->version = 2;
    } else if (memcmp(p, "2ELIFREP", 8) == 0) {
        m->version = 2;
        m->big = true;
    } else if (memcmp(p, "PERFFILE", 8) == 0) {
        m->version = 1;
    } else {
        md_fault_at(m, 3, 0, -1, 0);
        return;
    }
    if (m->version == 1) {
        if (md_number_at(p + 8, 8, true) == 16) {
            m->big = true;
        } else if (md_number_at(p + 8, 8, false) != 16) {
            if (mb->len < 24) {
                md_fault_at(m, 7, 0, -1, mb->len);
                return;
            }
            bool known[2];
            for (int big = 0; big < 2; big++) {
                uint64_t v = md_number_at(p + 16, 8, big);
                known[big] = v == 80 || v == 88 || v == 96 || v == 112 || v == 120;
            }
            if (!known[0] && !known[1]) {
                md_fault_at(m, 5, 0, -1, 16);
                return;
            }
            m->big = !known[0];
        }
    }
    uint64_t size = md_number_at(p + 8, 8, m->big);
    if (size == 16) {
        m->pipe = !m->directory;
        if (m->directory) {
            md_fault_at(m, 276, 0, -1, 8);
            return;
        }
        struct cursor c = md_cursor_of(m, 0, 0, 16);
        md_open_part(m, (struct model_part){ .kind = MODEL_HEADER, .type = 1, .wrapper = -1, .size = 16 });
        md_bytes(&c, 8, MODEL_TEXT);
        md_u64(&c);
        md_close_part(m);
        md_walk(m, 0, 16, mb->len);
    } else if (size == 72 || size == 104) {
        md_read_file(m, size);
    } else {
        md_fault_at(m, 6, 0, -1, 8);
    }
}

static struct model *read_all(const struct model_member *members, size_t count, bool directory)
{
    struct model *m = calloc(1, sizeof *m);

    if (!m)
        return NULL;
    m->old_mmap2 = -1;
    m->directory = directory;
    m->members = calloc(count ? count : 1, sizeof *m->members);
    if (!m->members) {
        free(m);
        return NULL;
    }
    m->member_count = count;
    for (size_t i = 0; i < count; i++) {
        m->members[i].name = members[i].name;
        m->members[i].bytes = members[i].bytes;
        m->members[i].len = members[i].len;
    }
    if (count)
        read_data(m);
    bool told = m->features_seen[24], open_end = m->unfinished || m->data_outside || md_has_bit(m, 24);
    bool streams = told ? m->has_dir_format && m->dir_version == 1 : open_end;
    if (m->has_dir_format && m->dir_version == 1 && m->directory && count == 1)
        md_fault_at(m, 277, 0, -1, 0);
    for (size_t i = 1; i < count && streams && !m->limit; i++) {
        m->records = 0;
        const struct member *mb = &m->members[i];
        if (mb->len >= 8 && (memcmp(mb->bytes, "PERFILE2", 8) == 0 || memcmp(mb->bytes, "2ELIFREP", 8) == 0 ||
                             memcmp(mb->bytes, "PERFFILE", 8) == 0))
            md_fault_at(m, 280, (uint32_t)i, -1, 0);
        else
            md_walk(m, (uint32_t)i, 0, mb->len);
    }
    md_judge_end(m);
    return m;
}

struct model *model_read(const unsigned char *bytes, size_t len)
{
    struct model_member member = { "data", bytes, len };

    return read_all(&member, 1, false);
}

struct model *model_read_members(const struct model_member *members, size_t count)
{
    return read_all(members, count, true);
}

void model_free(struct model *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->member_count; i++) {
        free(m->members[i].content);
        free(m->members[i].marks);
        ZSTD_freeDStream(m->members[i].zstd);
    }
    free(m->members);
    free(m->faults);
    free(m->parts);
    free(m->leaves);
    free(m->attrs);
    free(m->ids);
    free(m->tracepoints);
    free(m->sections);
    free(m->traced);
    free(m->split);
    free(m->auxtraces);
    free(m->auxtrace_index);
    free(m->dsos);
    free(m->groups);
    free(m->lines);
    free(m);
}

enum model_verdict model_verdict(const struct model *m)
{
    return m->limit ? MODEL_LIMIT : m->rejected ? MODEL_REJECT : MODEL_ACCEPT;
}

bool model_is_pipe(const struct model *m)
{
    return m->pipe;
}

bool model_is_big(const struct model *m)
{
    return m->big;
}

struct model_sums model_sums(const struct model *m)
{
    return m->sums;
}

size_t model_fault_count(const struct model *m)
{
    return m->fault_count;
}

const struct model_fault *model_fault(const struct model *m, size_t i)
{
    return &m->faults[i];
}

bool model_warns(const struct model *m, unsigned condition)
{
    return m->warned[condition];
}

size_t model_part_count(const struct model *m)
{
    return m->part_count;
}

const struct model_part *model_part(const struct model *m, size_t i)
{
    return &m->parts[i];
}

size_t model_leaf_count(const struct model *m)
{
    return m->leaf_count;
}

const struct model_leaf *model_leaf(const struct model *m, size_t i)
{
    return &m->leaves[i];
}

const unsigned char *model_leaf_bytes(const struct model *m, const struct model_leaf *leaf, size_t *len)
{
    const struct member *mb = &m->members[leaf->source / 2];

    *len = (size_t)leaf->size - (leaf->kind == MODEL_HSTR ? 4 : 0);
    return (leaf->source % 2 ? mb->content : mb->bytes) + leaf->value;
}

const char *model_member_name(const struct model *m, uint32_t member)
{
    return m->members[member].name;
}
