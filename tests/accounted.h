/* SPDX-License-Identifier: MIT
 *
 * accounted.h: each byte of the records' part of a capture belongs to a record, to a payload, or to a finding
 * with its offset and length (CONTRACT.md, section 3). Items and findings are added up as others see them;
 * what the reader counts itself is not used. For tests and harnesses.
 */
#ifndef PC_ACCOUNTED_H
#define PC_ACCOUNTED_H

#include "scan_whole.h"

/* Bytes up to `at` are accounted for: those of items, and those of findings that follow without a gap. */
struct pc_account {
    uint64_t at, records;
    uint64_t missing; /* bytes that nothing accounts for */
};

static inline void pc_account_finding(void *ctx, const struct pc_finding *f)
{
    struct pc_account *account = ctx;
    bool here = f->place == PC_IN_RECORD || f->id == PC_D_SECOND_CAPTURE;
    if (here && !f->where.inside && f->offset <= account->at && f->offset + f->length > account->at)
        account->at = f->offset + f->length;
}

static inline void pc_account_item(struct pc_account *account, const struct pc_scan *scan,
                                   const struct pc_item *item)
{
    uint64_t at = item->offset, end = at;
    const struct pc_window *outer = &scan->reader.outer;
    switch (item->kind) {
    case PC_ITEM_HEADER:
        account->at = outer->offset + outer->at;
        return;
    case PC_ITEM_RECORD:
        if (item->where.inside)
            return;
        account->records++;
        end += item->bytes.len;
        break;
    case PC_ITEM_PAYLOAD:
        end += item->size;
        break;
    case PC_ITEM_END:
        at = outer->end != UINT64_MAX ? outer->end : at;
        break;
    default:
        return;
    }
    account->missing += at > account->at ? at - account->at : 0;
    account->at = end > at ? end : at; /* a record before may have taken this one */
}

/* Reads a capture in memory, and adds up. */
static inline struct pc_account pc_account_for(struct pc_scan *scan, struct pc_span bytes,
                                               enum pc_input_kind kind)
{
    struct pc_account account = { 0 };
    struct pc_item item;
    scan->report.on_finding = pc_account_finding;
    scan->report.ctx = &account;
    pc_input_memory(&scan->in, bytes, kind);
    while (pc_scan_next(scan, &item))
        pc_account_item(&account, scan, &item);
    if (scan->report.unreadable || scan->capture.is_directory)
        account.missing = 0;
    return account;
}

#endif
