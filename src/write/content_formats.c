/* SPDX-License-Identifier: MIT
 *
 * Trace data for tracepoints whose formats were lost: perf opens no capture without. They name each event
 * and its common fields, which are the same in all kernels; the rest of a payload is bytes.
 */
#include "write/content_parts.h"
#include "write/salvage.h"
#include "write/make.h"
#include "bytes/cursor.h"
#include "check/derived.h"
#include "format/tracepoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* What the kernel shows in events/header_page. The sizes are those of a 64-bit kernel with pages of 4096
 * bytes; no reader of a capture needs them. */
static const char header_page[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
                                  "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
                                  "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";
#define LONG_SIZE      8
#define MADE_PAGE_SIZE 4096

#define COMMON                                                                                               \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                                   \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                           \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
#define RAW "\tfield:unsigned char raw[];\toffset:8;\tsize:0;\tsigned:0;\n"

#define TEXT_MAX (PC_TP_NAME_MAX + 1024)

/* The tracepoints to describe, each once, and room for the text of one. */
struct formats {
    const struct pc_attr **attr; /* nr of them */
    size_t nr;
    char *text; /* TEXT_MAX bytes */
};

/* Whether this is a name of a system or an event. */
static bool is_name(const char *name, size_t len)
{
    return len != 0 && len <= PC_TP_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") >= len;
}

static struct pc_span as_span(const char *text, size_t len)
{
    return (struct pc_span){ (const unsigned char *)text, len };
}

/* A system, which has one event; or that event. */
static void make_format(struct pc_make *make, const struct pc_field *array, uint64_t index)
{
    const struct formats *f = make->ctx;
    if (array->count != PC_TRACING_SYSTEMS) {
        make->bytes[PC_TRACING_FORMAT] = as_span(f->text, strlen(f->text));
        return;
    }
    const char *name = f->attr[index]->name, *colon = name ? strchr(name, ':') : NULL;
    uint64_t id = pc_attr_get(f->attr[index], PC_ATTR_CONFIG);
    bool named = colon && is_name(name, (size_t)(colon - name)) && is_name(colon + 1, strlen(colon + 1));
    static const char rest[] = "\nID: %" PRIu64 "\nformat:\n" COMMON "\n" RAW "\nprint fmt: \"\"\n";
    int n = named ? snprintf(f->text, TEXT_MAX, "name: %s", colon + 1)
                  : snprintf(f->text, TEXT_MAX, "name: id_%" PRIu64, id);
    snprintf(f->text + n, TEXT_MAX - (size_t)n, rest, id);
    make->bytes[PC_TRACING_SYSTEM] =
        named ? as_span(name, (size_t)(colon - name)) : as_span("tracepoint", strlen("tracepoint"));
    make->slot[PC_SLOT_C] = 1;
}

/* Bytes of the trace data; returns how many. to: NULL, they are only counted. */
static size_t make_trace_data(const struct formats *f, enum pc_order order, unsigned char *to)
{
    struct pc_make make = { .order = order, .element = make_format, .ctx = f, .out = to };
    make.bytes[PC_TRACING_VERSION] = as_span("0.6", strlen("0.6"));
    make.slot[PC_TRACING_ORDER] = order == PC_BIG;
    make.slot[PC_TRACING_LONG_SIZE] = LONG_SIZE;
    make.slot[PC_TRACING_PAGE_SIZE] = MADE_PAGE_SIZE;
    make.bytes[PC_TRACING_HEADER_PAGE] = as_span(header_page, sizeof(header_page) - 1);
    make.slot[PC_TRACING_SYSTEMS] = f->nr;
    pc_make_table(&make, pc_feature_info(PC_TRACING_DATA)->fields);
    return make.len;
}

/* Collects the tracepoints. False: no memory. */
static bool list_tracepoints(struct pc_content *c, struct formats *f)
{
    const struct pc_capture *capture = &c->scan->capture;
    uint64_t seen[(PC_TP_ID_MAX + 1) / 64] = { 0 };
    f->attr = pc_alloc(c->mem, capture->nr_attrs * sizeof(struct pc_attr *));
    for (size_t i = 0; f->attr && i < capture->nr_attrs; i++) {
        const struct pc_attr *attr = &capture->attr[i];
        uint64_t id = pc_attr_get(attr, PC_ATTR_CONFIG);
        if (pc_attr_get(attr, PC_ATTR_TYPE) != PC_TYPE_TRACEPOINT || !pc_is_tracepoint_id(id) ||
            pc_bit(seen, id))
            continue;
        pc_set_bit(seen, id);
        f->attr[f->nr++] = attr;
    }
    return f->attr != NULL;
}

void pc_fold_formats(struct pc_content *c, const struct pc_item *item)
{
    struct pc_capture *capture = &c->scan->capture;
    struct formats f = { 0 };
    char text[TEXT_MAX];
    f.text = text;
    c->looked_for_formats = true;
    if (pc_bit(c->parts.present, PC_TRACING_DATA) || capture->nr_attrs == 0 ||
        (capture->by_simpleperf && !c->reader && !(c->salvage && c->salvage->not_android)) ||
        pc_flow_counts_only(&c->scan->check.flow))
        return;
    size_t size = 0;
    unsigned char *bytes = NULL;
    if (list_tracepoints(c, &f) && f.nr != 0) {
        size = make_trace_data(&f, capture->order, NULL);
        bytes = pc_alloc(c->mem, size);
    }
    if (bytes) {
        struct pc_span made = { bytes, size };
        make_trace_data(&f, capture->order, bytes);
        c->made_formats = true;
        if (capture->by_simpleperf && c->reader)
            pc_edit_note(c, PC_EDIT_ANDROID_FORMATS, item->offset);
        if (c->wrong[0] == 0 && !pc_derived_trace_data(capture, made))
            snprintf(c->wrong, sizeof(c->wrong), "features.TRACING_DATA");
        pc_fold_made_feature(c, item, PC_TRACING_DATA, made);
        pc_capture_feature(capture, PC_TRACING_DATA, pc_cursor(made, capture->order));
    } else if (!f.attr || f.nr != 0) {
        pc_content_no_memory(c);
    }
    pc_free(c->mem, bytes, size);
    pc_free(c->mem, f.attr, capture->nr_attrs * sizeof(struct pc_attr *));
}
