/* SPDX-License-Identifier: MIT
 *
 * handle.h: what a handle of the public interface consists of, and what the files that implement it share.
 */
#ifndef PC_HANDLE_H
#define PC_HANDLE_H

#include "lib/fields.h"
#include "lib/options.h"
#include "perfcheck.h"

enum pc_handle_stage {
    PC_HANDLE_CLOSED,
    PC_HANDLE_OPEN,
    PC_HANDLE_READING,
    PC_HANDLE_ENDED,
    PC_HANDLE_FAILED, /* the input could not be opened; else as if it had ended */
};

#define PC_ITEM_FINDINGS_MAX 64

/* Findings of the item that was read last, and those that came before the item that they are about. */
struct pc_item_findings {
    struct pc_finding finding[PC_ITEM_FINDINGS_MAX];
    size_t nr;     /* in the list; of them ... */
    size_t own;    /* ... so many are of the item, and come first ... */
    uint64_t more; /* ... which has so many for which there was no room */
};

/* The item that was read last, as a record that its plan has found sound, so that its fields are where its
 * layout has them. */
struct pc_sound {
    bool is_known;              /* the next ones are */
    uint32_t attr;              /* see pc_scan_attr */
    const struct pc_plan *plan; /* NULL: none has found it sound */
    const struct pc_sample_layout *layout;
};

/* See perfcheck_next_run. */
struct pc_handle_run {
    perfcheck_run_t shown;
    uint32_t size[PERFCHECK_RUN_MAX + 1]; /* and a 0 */
    const uint64_t *column[PERFCHECK_RUN_FIELDS];
    uint64_t number[PERFCHECK_RUN_FIELDS][PERFCHECK_RUN_MAX];
};

struct perfcheck {
    struct pc_mem mem; /* of the handle itself and of `path` */
    struct pc_options options;
    enum pc_handle_stage stage;
    struct pc_scan scan; /* of an open capture */
    const struct pc_scan
        *view;  /* the one that findings and facts are asked about; NULL: no capture is open */
    char *path; /* of the capture; NULL: it was opened without one */

    perfcheck_on_finding_t *on_finding;
    perfcheck_on_message_t *on_message;
    perfcheck_on_report_t *on_report;
    perfcheck_on_loss_t *on_loss;
    perfcheck_on_ready_t *on_ready;
    perfcheck_on_bytes_t *on_bytes;
    void *finding_ctx, *message_ctx, *report_ctx, *loss_ctx, *ready_ctx, *bytes_ctx;
    struct pc_progress progress;
    volatile sig_atomic_t input_ended; /* see perfcheck_end_input */
    bool stopped;                      /* by a callback */
    bool keep_controls;                /* in texts; also in fields.value */

    /* What was returned last. */
    struct pc_item at; /* the item that was read last, when has_item */
    bool has_item;
    bool is_described; /* in `item` */
    bool in_steps;     /* it was read by perfcheck_read_item ... */
    bool is_unchecked; /* ... and is not checked yet */
    struct pc_item_findings of_item;
    struct pc_sound sound;
    struct pc_handle_run run;
    struct pc_fields fields;
    perfcheck_field_t skipped;               /* see perfcheck_finding_t */
    perfcheck_field_handle_t *field_handles; /* all of them */
    const char *why;                         /* perfcheck_error; may be in `error` */
    perfcheck_item_t item;
    perfcheck_finding_t finding;
    perfcheck_summary_t summary;
    perfcheck_summary_t copied;  /* see perfcheck_copied; not recognised: there is none */
    perfcheck_salvage_t salvage; /* see perfcheck_salvaged */
    bool has_salvage;
    perfcheck_event_t attr;
    perfcheck_entry_t entry;
    struct pc_buffer error, event, item_stream;
    struct pc_where item_where; /* whose name is in item_stream, when that is not empty */
    struct {
        uint32_t attr;    /* PC_NO_ATTR: none */
        const char *name; /* of the model, or in `event` */
    } named[8]; /* events, by the low bits of their numbers, until something but a kernel record comes */
    struct pc_buffer message, stream, path_text, seen, expected, member;
    struct pc_buffer text, name;
    char number[PC_NUMBER_NAME], item_name[PC_NUMBER_NAME], made[PC_LINE_NAME], option[64];
};

/* Why work ended when a callback has stopped it. */
#define PC_HANDLE_STOPPED "a callback ended it"

/* Sets the error of the handle, and returns the status. why lives as long as the handle. */
static inline perfcheck_status_t pc_handle_fail(perfcheck_t *pc, perfcheck_status_t status, const char *why)
{
    pc->why = why;
    return status;
}

/* The same for a text that does not live so long, and may hold any bytes. */
perfcheck_status_t pc_handle_fail_text(perfcheck_t *pc, perfcheck_status_t status, const char *why);

/* There is no error; returns PERFCHECK_OK. */
static inline perfcheck_status_t pc_handle_good(perfcheck_t *pc)
{
    return pc_handle_fail(pc, PERFCHECK_OK, "");
}

/* Options and callbacks change only between captures: else the error says so. */
perfcheck_status_t pc_handle_need_closed(perfcheck_t *pc);

/* pc->sound, once it is known. */
const struct pc_sound *pc_handle_sound(perfcheck_t *pc);

/* Where the field is in the item that was read last. */
const struct pc_field_place *pc_handle_place(perfcheck_t *pc, perfcheck_field_handle_t *field);

/* A number at such a place, which is at the FRONT or BACK of the record. */
uint64_t pc_handle_number(const perfcheck_t *pc, const struct pc_field_place *place, struct pc_span record);

/* 4 or 8: bytes of a number whose value they are; 0: it is another one, or none. */
static inline unsigned pc_handle_plain(const struct pc_field_place *place)
{
    const struct pc_field *row = place->field;
    bool plain = row && row->kind != PC_BITS && row->show != PC_AS_SIGNED && row->width >= 4;
    return plain ? row->width : 0;
}

/* Whether this is a field of this handle; and why a call fails when it is not. */
bool pc_handle_has_field(const perfcheck_t *pc, const perfcheck_field_handle_t *field);
#define PC_HANDLE_NO_FIELD "this is no field of this handle"

/* Field handles: the plans of a capture are gone; the handle is. */
void pc_handle_forget_places(perfcheck_t *pc);
void pc_handle_free_fields(perfcheck_t *pc);

/* The callback of a rewriter, which calls those of the handle. */
struct pc_callbacks pc_handle_callbacks(perfcheck_t *pc);

/* The capture that a question is about, which has no error; NULL: there is none. */
const struct pc_scan *pc_handle_view(perfcheck_t *pc);

/* Closes the capture; the error stays. */
void pc_handle_close(perfcheck_t *pc);

/* Passes a finding to the callback, which may stop the work. skipped: see perfcheck_finding_t. */
void pc_handle_tell_finding(perfcheck_t *pc, const struct pc_finding *finding,
                            const perfcheck_field_t *skipped);

/* The bytes that a finding says were passed over; NULL: it is about others, or they cannot be read again. */
const perfcheck_field_t *pc_handle_skipped(perfcheck_t *pc, const struct pc_finding *finding);

/* The finding as pc->finding. */
const perfcheck_finding_t *pc_handle_describe(perfcheck_t *pc, const struct pc_finding *finding);

#endif
