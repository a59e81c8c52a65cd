/* SPDX-License-Identifier: MIT
 *
 * facts.h: facts about a whole capture that text and JSON both show.
 */
#ifndef PC_FACTS_H
#define PC_FACTS_H

#include "check/scan.h"

/* "valid", "invalid" or "unreadable". */
const char *pc_verdict_name(const struct pc_scan *scan);

/* "file", "pipe" or "directory"; NULL: it is no capture. */
const char *pc_container_name(const struct pc_scan *scan);

/* "little" or "big". */
const char *pc_order_name(const struct pc_scan *scan);

/* Bytes of the capture: of a directory, of all its members. */
uint64_t pc_size_of(const struct pc_scan *scan);

/* How many times larger the content of compressed records is, in hundredths. */
uint64_t pc_ratio_of(const struct pc_summary *sum);

#endif
