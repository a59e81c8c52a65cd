/* SPDX-License-Identifier: MIT
 *
 * A capture with a file header: sections, attrs, features.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

static void add_section(struct model *m, uint64_t start, uint64_t size, int kind)
{
    if (size && md_grow(m, (void **)&m->sections, &m->section_cap, m->section_count, sizeof *m->sections))
        m->sections[m->section_count++] = (struct section){ start, start + size, kind };
}

static int by_start(const void *a, const void *b)
{
    const struct section *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->kind - y->kind;
}

/* The row that two sections on the same bytes break; 0: that is no error. */
static unsigned row_of_overlap(int a, int b)
{
    if (a > b)
        return row_of_overlap(b, a);
    if (b == SECTION_FEATURE)
        return a == SECTION_FEATURE || a == SECTION_TABLE || a == SECTION_HEADER ? 0 : 211;
    if (b == SECTION_TYPES || a == SECTION_TYPES)
        return 32;
    /* Rows 16, 17 and 19 were reported before. */
    bool told = b != SECTION_IDS && (a == SECTION_HEADER || a == SECTION_ATTRS) && b <= SECTION_DATA;
    return told || (a == SECTION_IDS && b == SECTION_IDS) ? 0 : 18;
}

bool md_begins_capture(const unsigned char *p, uint64_t left)
{
    if (left < 16 || (memcmp(p, "PERFILE2", 8) && memcmp(p, "2ELIFREP", 8) && memcmp(p, "PERFFILE", 8)))
        return false;
    uint64_t little = md_number_at(p + 8, 8, false), big = md_number_at(p + 8, 8, true);
    return little == 16 || little == 72 || little == 104 || big == 16 || big == 72 || big == 104;
}

static void judge_sections(struct model *m)
{
    if (m->section_count == 0)
        return;
    qsort(m->sections, m->section_count, sizeof *m->sections, by_start);
    struct section last = m->sections[0];
    for (size_t i = 1; i < m->section_count; i++) {
        struct section s = m->sections[i];
        unsigned row = row_of_overlap(s.kind, last.kind);
        if (s.start < last.end && row)
            md_fault_at(m, row, 0, -1, s.start);
        if (s.end > last.end)
            last = s;
    }
    if (last.end < m->members[0].len &&
        md_begins_capture(m->members[0].bytes + last.end, m->members[0].len - last.end))
        md_fault_at(m, 360, 0, -1, last.end);
}

static bool inside(uint64_t offset, uint64_t size, uint64_t len)
{
    return offset <= len && size <= len - offset;
}

static unsigned count_bits(const unsigned char *features)
{
    unsigned n = 0;
    for (unsigned i = 0; i < 32; i++)
        n += md_ones(features[i]);
    return n;
}

/* Whether the table that these bits need lies in the file, and what it names. */
static bool table_is_sound(const struct model *m, const unsigned char *features, uint64_t table)
{
    const struct member *mb = &m->members[0];
    unsigned n = count_bits(features);

    if (!inside(table, 16 * (uint64_t)n, mb->len))
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!inside(md_number_at(mb->bytes + table + 16 * i, 8, m->big),
                    md_number_at(mb->bytes + table + 16 * i + 8, 8, m->big), mb->len))
            return false;
    return true;
}

/* Bit n of the capture becomes bit n % 8 of byte n / 8, whatever the unit of the writer. */
static void read_bitmap(struct model *m, const unsigned char *p, uint64_t table)
{
    unsigned char by_unit[2][32] = { { 0 }, { 0 } };

    if (!m->big) {
        memcpy(m->features, p, 32);
        return;
    }
    for (unsigned i = 0; i < 32; i++) {
        by_unit[0][i] = p[i / 8 * 8 + 7 - i % 8];
        by_unit[1][i] = p[i / 4 * 4 + 3 - i % 4];
    }
    int unit = 0;
    bool host0 = by_unit[0][0] >> 3 & 1, host1 = by_unit[1][0] >> 3 & 1;
    if (!host0 && (host1 || (!table_is_sound(m, by_unit[0], table) && table_is_sound(m, by_unit[1], table))))
        unit = 1;
    memcpy(m->features, by_unit[unit], 32);
}

static void file_attrs(struct model *m, uint64_t offset, uint64_t size, uint64_t entry, uint64_t count)
{
    struct member *mb = &m->members[0];

    (void)size;
    for (uint64_t i = 0; i < count && !m->limit; i++) {
        struct cursor c =
            md_cursor_of(m, 0, (size_t)(offset + i * entry), (size_t)(offset + (i + 1) * entry));
        size_t at = c.pos;
        uint64_t own = md_number_at(c.base + at + 4, 4, m->big), used = own ? own : 64;
        md_open_part(
            m, (struct model_part){
                   .kind = MODEL_ATTR, .type = (uint32_t)i, .wrapper = -1, .offset = at, .size = entry });
        if (used < 64)
            md_fault(&c, 34, at + 4);
        else if (used % 8)
            md_fault(&c, 37, at + 4);
        struct attr a = md_attr_fields(&c, used < 64 ? 64 : used, entry - 16);
        /* A shorter one does no harm where nothing depends on ids, or simpleperf finds them (2.5). */
        bool harmless =
            used + 16 < entry && ((m->by_simpleperf && own >= 64) ||
                                  (count == 1 && !md_has_bit(m, 19) && !(a.sample_type & SAMPLE_READ)));
        if (used + 16 != entry && !harmless)
            md_fault(&c, 36, at + 4);
        if (used >= 64 && used % 8 == 0 && used + 16 < entry &&
            md_is_any_set(c.base + at + used, (size_t)(entry - 16 - used)))
            md_fault(&c, 38, at + (size_t)used);
        md_judge_attr(&c, &a, used > entry - 16 ? entry - 16 : used, at);
        size_t ids_at = c.pos;
        uint64_t ids = md_u64(&c), ids_size = md_u64(&c);
        if (ids_size % 8)
            md_fault(&c, 57, ids_at + 8);
        if (!inside(ids, ids_size, mb->len)) {
            md_fault(&c, 58, ids_at);
        } else if (ids_size / 8 > 1u << 24) {
            md_fault(&c, 59, ids_at + 8);
        } else {
            add_section(m, ids, ids_size, SECTION_IDS);
            a.ids = (size_t)ids_size / 8;
            c.pos = (size_t)ids;
            c.end = (size_t)(ids + ids_size / 8 * 8);
            while (md_left(&c) && !m->limit) {
                size_t place = c.pos;
                uint64_t id = md_u64(&c);
                if (md_add_id(m, id, (uint32_t)i) && id)
                    md_fault(&c, 61, place);
            }
        }
        md_close_part(m);
        md_add_attr(m, a);
    }
}

/* How many sections the table names that has no more and no fewer of them than it has room for: the first
 * begins behind the table, each next one where the one before ends, the last ends with the file. Up to 16
 * entries may be unused, and the last of as many as there are bits may be empty. Without such a shape: n. */
static unsigned count_sections(const struct model *m, uint64_t table, unsigned n)
{
    const struct member *mb = &m->members[0];
    uint64_t first = 0, end = 0;
    unsigned used = 0;

    for (unsigned i = 0; i < 256 && inside(table, 16 * (uint64_t)(i + 1), mb->len); i++) {
        uint64_t offset = md_number_at(mb->bytes + table + 16 * i, 8, m->big),
                 size = md_number_at(mb->bytes + table + 16 * i + 8, 8, m->big);
        if (i == 0)
            first = end = offset;
        if (offset != end || offset < table + 16 * (uint64_t)(i + 1) || size > UINT64_MAX - offset)
            break;
        end += size;
        if (size != 0 || used < n || end != mb->len)
            used++;
    }
    if (used == 0 || end != mb->len)
        return n;
    uint64_t room = (first - table) / 16;
    return room >= used && room <= used + 16 && (used > n || room < n) ? used : n;
}

/* Whether n sections follow each other, in any order, behind a table here, up to the end of the file, once so
 * many bytes are added to their offsets. The first leaves room for 16 unused entries. */
static int are_sections(const struct model *m, uint64_t table, unsigned n, uint64_t moved)
{
    const struct member *mb = &m->members[0];
    uint64_t begin = table + 16 * (uint64_t)n, end = 0;
    struct section left[256];

    if (!inside(table, 16 * (uint64_t)n, mb->len))
        return 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t offset = md_number_at(mb->bytes + table + 16 * i, 8, m->big) + moved,
                 size = md_number_at(mb->bytes + table + 16 * i + 8, 8, m->big);
        if (offset < begin || offset > mb->len || size > mb->len - offset)
            return 0;
        left[i] = (struct section){ offset, offset + size, 0 };
    }
    for (unsigned nr = n; nr > 0;
         nr--) { /* the next one is the first of those that are left, an empty one if there is one */
        unsigned next = 0;
        for (unsigned i = 1; i < nr; i++) {
            if (left[i].start < left[next].start ||
                (left[i].start == left[next].start && left[i].end < left[next].end))
                next = i;
        }
        if (nr == n ? left[next].start > begin + 256 : left[next].start != end)
            return 0;
        end = left[next].end;
        left[next] = left[nr - 1];
    }
    for (unsigned bit = 128; bit < FEATURES_END; bit++)
        if (md_has_bit(m, bit)) /* of simpleperf: bytes may follow */
            return 1;
    return end == mb->len;
}

/* Whether bytes were inserted or lost before the table: it is up to 8 KiB behind the end of the data, or
 * before it, but not before their begin. */
static int is_table_moved(const struct model *m, uint64_t table, unsigned n)
{
    if (n < 4 || are_sections(m, table, n, 0))
        return 0;
    uint64_t data = md_number_at(m->members[0].bytes + 40, 8, m->big);
    for (uint64_t by = 1; by <= 8192; by++) {
        if (are_sections(m, table + by, n, by) ||
            (by <= table && table - by >= data && are_sections(m, table - by, n, 0 - by)))
            return 1;
    }
    return 0;
}

/* Whether the last of five entries or more is empty behind sections that end the file, though its feature has
 * content, as all but build ids, marks and those nobody knows have. */
static bool is_one_too_many(const struct model *m, uint64_t table, unsigned n)
{
    const struct member *mb = &m->members[0];
    unsigned last = 255;

    if (n < 5 || !inside(table, 16 * (uint64_t)n, mb->len) || !are_sections(m, table, n - 1, 0))
        return false;
    uint64_t offset = md_number_at(mb->bytes + table + 16 * (n - 1), 8, m->big),
             size = md_number_at(mb->bytes + table + 16 * (n - 1) + 8, 8, m->big);
    while (!md_has_bit(m, last))
        last--;
    return size == 0 && (offset == 0 || offset == mb->len) && last < 35 && last != 2 && last != 15 &&
           last != 19;
}

/* The bits of the header tell before the attrs who wrote the file, unless the table has other sections. */
static void learn_writer(struct model *m, uint64_t table)
{
    unsigned n = count_bits(m->features);

    if (is_table_moved(m, table, n) || is_one_too_many(m, table, n) || count_sections(m, table, n) != n)
        return;
    for (unsigned bit = 128; bit < FEATURES_END; bit++)
        m->by_simpleperf = m->by_simpleperf || md_has_bit(m, bit);
}

static void file_features(struct model *m, uint64_t table)
{
    struct member *mb = &m->members[0];
    unsigned n = count_bits(m->features);
    bool moved = is_table_moved(m, table, n);
    bool other = moved || is_one_too_many(m, table, n) || count_sections(m, table, n) != n;

    if (moved) { /* the sections are read where they are now, but not by the model */
        md_fault_at(m, 404, 0, -1, 48);
    } else if (other) { /* whose sections are there, nobody knows; but nothing else is */
        md_fault_at(m, 383, 0, -1, 72);
        add_section(m, table, mb->len - table, SECTION_TABLE);
    }
    if (other || !inside(table, 16 * (uint64_t)n, mb->len)) {
        if (!other && table <= mb->len) /* else row 21 was told */
            md_fault_at(m, 209, 0, -1, table);
        m->has_tracing_data = m->tracing_data_bad = md_has_bit(m, 1);
        m->said_compressed = md_has_bit(m, 27);
        return;
    }
    add_section(m, table, 16 * (uint64_t)n, SECTION_TABLE);
    for (unsigned bit = 0, k = 0; bit < 256 && !m->limit; bit++) {
        if (!md_has_bit(m, bit))
            continue;
        struct cursor c = md_cursor_of(m, 0, (size_t)table + 16 * k, (size_t)table + 16 * k + 16);
        k++;
        if (bit == 1)
            m->has_tracing_data = m->tracing_data_bad = true; /* until it has been read */
        uint64_t offset = md_number_at(c.base + c.pos, 8, m->big),
                 size = md_number_at(c.base + c.pos + 8, 8, m->big);
        md_open_part(m,
                     (struct model_part){
                         .kind = MODEL_FEATURE, .type = bit, .wrapper = -1, .offset = offset, .size = size });
        md_u64(&c);
        md_u64(&c);
        if (!inside(offset, size, mb->len)) {
            md_fault(&c, 210, c.pos - 16);
            m->said_compressed = m->said_compressed || bit == 27;
        } else {
            if (m->by_simpleperf && offset < table + 16 * (uint64_t)n)
                md_fault(&c, 452, c.pos - 16);
            add_section(m, offset, size, SECTION_FEATURE);
            c.pos = (size_t)offset;
            c.end = (size_t)(offset + size);
            if (bit < FEATURES_END)
                m->features_seen[bit] = true;
            if (bit < 35 && bit > 0) {
                md_feature(&c, bit);
            } else if (bit >= 128 && bit < FEATURES_END) {
                md_android_feature(&c, bit);
            } else {
                md_rest(&c);
            }
            if (bit == 0)
                md_warn(&c, 214);
            if (bit == 12 && size >= 4 && md_number_at(c.base + offset, 4, m->big) < m->attr_count)
                md_fault_at(m, 480, 0, -1, offset);
            if (bit >= 64 && !m->by_simpleperf)
                md_fault_at(m, 470, 0, -1, offset);
        }
        md_close_part(m);
    }
}

static void judge_auxtrace_index(struct model *m)
{
    for (size_t i = 0; i + 1 < m->auxtrace_index_count && !m->damaged; i += 2) {
        uint64_t offset = m->auxtrace_index[i];
        size_t lo = 0, hi = m->auxtrace_count;
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            if (m->auxtraces[mid].start < offset)
                lo = mid + 1;
            else
                hi = mid;
        }
        if (lo == m->auxtrace_count || m->auxtraces[lo].start != offset ||
            m->auxtrace_index[i + 1] != m->auxtraces[lo].end - offset)
            md_fault_at(m, 237, 0, -1, m->auxtrace_index_at + 8 + 8 * i);
    }
}

/* The decoder of CoreSight finds traces by the index alone, which perf record writes; a big-endian file
 * without HOSTNAME loses it. */
static void judge_coresight(struct model *m)
{
    bool host = md_has_bit(m, 3), indexed = m->auxtrace_index_count != 0;
    if (m->is_etm && m->auxtrace_count && !m->pipe && !m->directory && !m->unfinished && !m->damaged &&
        !m->by_simpleperf && !m->has_header_feature && (indexed ? m->big && !host : host))
        md_fault_at(m, 431, 0, -1, m->auxtraces[0].start);
}

/* Whether META_INFO lists events, and none has type and config of an attr; CoreSight gets its config later.
 */
static bool is_event_unlisted(const struct model *m)
{
    for (size_t i = 0; i < m->attr_count; i++) {
        const struct attr *a = &m->attrs[i];
        bool listed = m->lines_bad || m->line_count == 0;
        for (size_t k = 0; k < m->line_count; k++)
            listed |= m->lines[k].start == a->type && (m->lines[k].kind || m->lines[k].end == a->config);
        if (!listed)
            return true;
    }
    return false;
}

void md_judge_end(struct model *m)
{
    if (m->limit)
        return;
    for (int of = 0; of < 3; of++) {
        const struct model_fault *row = &m->early_cpu_row[of];
        if (m->available && m->early_cpu[of] >= m->available)
            md_fault_at(m, row->condition, row->member, row->wrapper, row->offset);
        if (of == 1 && !m->available && m->early_cpu[of] >= 4096)
            md_fault_at(m, 320, row->member, row->wrapper, row->offset);
    }
    if (!m->has_attr_fault)
        md_judge_attrs(m, 0);
    md_judge_groups(m, 0, m->groups_at);
    judge_auxtrace_index(m);
    judge_coresight(m);
    md_judge_cpuid(m);
    m->warned[411] |= is_event_unlisted(m);
    m->warned[417] |= m->lines_bad;
    if (m->unwind_bytes != 0 && !m->unwind_damaged && !m->features_seen[131])
        md_fault_at(m, 401, 0, -1, 0);
    if (m->has_compressed && (m->compressed_bad || (m->compressed_zeros && m->compressed_seen)))
        md_fault_at(m, 194, 0, -1, m->compressed_at + 16);
    if (m->has_compressed && m->compressed_seen && m->compressed_type != 1)
        md_fault_at(m, 195, 0, -1, m->compressed_at + 4);
}

void md_read_file(struct model *m, uint64_t header_size)
{
    struct member *mb = &m->members[0];
    struct cursor c = md_cursor_of(m, 0, 0, (size_t)header_size);

    if (mb->len < header_size) {
        md_fault_at(m, 7, 0, -1, mb->len);
        return;
    }
    if (header_size == 72 && m->version == 2)
        md_warn(&c, 8);
    md_open_part(m, (struct model_part){ .kind = MODEL_HEADER, .wrapper = -1, .size = header_size });
    md_bytes(&c, 8, MODEL_TEXT);
    md_u64(&c);
    uint64_t entry = md_u64(&c), attrs = md_u64(&c), attrs_size = md_u64(&c), data = md_u64(&c),
             data_size = md_u64(&c);
    uint64_t types = md_u64(&c), types_size = md_u64(&c), count = 0;
    size_t bitmap = c.pos;
    if (header_size == 104)
        md_bytes(&c, 32, MODEL_BYTES);
    add_section(m, 0, header_size, SECTION_HEADER);

    if (entry == 0)
        md_fault(&c, 9, 16);
    else if (entry < 80 || entry % 8 || entry > 4096 + 16) /* an attr is at most a page (2.4) */
        md_fault(&c, 10, 16);
    if (attrs < header_size)
        md_fault(&c, 16, 24);
    if (!inside(attrs, attrs_size, mb->len))
        md_fault(&c, 15, 24);
    else
        add_section(m, attrs, attrs_size, SECTION_ATTRS);
    if (entry && attrs_size % entry)
        md_fault(&c, 12, 32);
    if (entry && attrs_size / entry > 65536)
        md_fault(&c, 13, 32);
    if (entry >= 80 && inside(attrs, attrs_size, mb->len) && attrs_size / entry <= 65536)
        count = attrs_size / entry;
    m->has_attr_fault = m->rejected;
    if (entry > 160 && entry % 8 == 0 && entry <= 4096 + 16) /* the attrs are read all the same */
        md_fault(&c, 11, 16);

    if (data < header_size)
        md_fault(&c, 19, 40);
    if (data % 8)
        md_warn(&c, 24);
    if (header_size == 104)
        read_bitmap(m, mb->bytes + bitmap, data + data_size);
    unsigned n = count_bits(m->features);
    bool table = data_size != 0 || (n != 0 && are_sections(m, data, n, 0)); /* where data end, not planned */
    if (data_size == 0 && (table || data == mb->len))
        md_fault(&c, 23, 48);
    bool ranged = true;
    if (data + data_size < data) {
        md_fault(&c, 20, 40);
        ranged = false;
        m->data_outside = true;
    } else if (!inside(data, data_size, mb->len)) {
        md_fault(&c, 21, 40);
        m->data_outside = true;
    } else if (!table && mb->len > data) {
        md_fault(&c, 22, 48);
        m->unfinished = true;
    } else {
        add_section(m, data, data_size, SECTION_DATA);
        if (attrs_size && data_size && inside(attrs, attrs_size, mb->len) && attrs < data + data_size &&
            data < attrs + attrs_size)
            md_fault(&c, 17, 24);
    }
    if (m->version == 1 && (!inside(types, types_size, mb->len) || types_size % 72))
        md_fault(&c, 28, 56);
    if (inside(types, types_size, mb->len)) {
        struct cursor e = md_cursor_of(m, 0, (size_t)types, (size_t)(types + types_size));
        add_section(m, types, types_size, SECTION_TYPES);
        while (md_left(&e) >= 72 && !m->limit) {
            md_u64(&e);
            md_bytes(&e, 64, MODEL_TEXT);
        }
    }
    md_close_part(m);

    bool finished = !m->unfinished && ranged && table;
    if (finished)
        learn_writer(m, data + data_size);
    file_attrs(m, attrs, attrs_size, entry, count);
    if (finished)
        file_features(m, data + data_size);
    else if (ranged && !data_size)
        m->has_tracing_data = m->tracing_data_bad = md_has_bit(m, 1); /* planned (1.7) */
    judge_sections(m);
    if (ranged && data <= mb->len) {
        uint64_t end = m->unfinished || !inside(data, data_size, mb->len) ? mb->len : data + data_size;
        bool rejected = m->unfinished;
        m->unfinished = m->unfinished || end != data + data_size;
        md_walk(m, 0, (size_t)data, (size_t)end);
        m->unfinished = rejected;
    }
}
