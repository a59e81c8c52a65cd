/* SPDX-License-Identifier: MIT
 *
 * event_name.h: what simpleperf calls an event, and what perf does when no feature names it.
 */
#ifndef PC_EVENT_NAME_H
#define PC_EVENT_NAME_H

#include "read/capture.h"

/* Bytes of a name with its NUL; a longer one in META_INFO is cut. */
#define PC_LINE_NAME 512

/* The name of an event in META_INFO of simpleperf, which is put into `made`: of the line with its type and
 * config, or else at its position. NULL: it has none there. */
const char *pc_line_event_name(const struct pc_capture *capture, const struct pc_attr *attr,
                               char made[PC_LINE_NAME]);

/* Whether that name was cut. */
bool pc_line_cuts_name(const struct pc_capture *capture, const struct pc_attr *attr);

/* The number of the first line, from 1 on, that is none of an event: no names are taken from then on; 0:
 * there is none. */
uint64_t pc_lines_wrong(const struct pc_capture *capture);

/* Whether META_INFO names events, and none of them has the type and config of this one. */
bool pc_lines_lack_event(const struct pc_capture *capture, const struct pc_attr *attr);

/* That name, or what perf calls such an event without one. NULL: it has neither. */
const char *pc_line_or_type_name(const struct pc_capture *capture, const struct pc_attr *attr,
                                 char made[PC_LINE_NAME]);

/* Whether META_INFO names events, and all have such names: perf takes those of all or of none. */
bool pc_lines_name_events(const struct pc_capture *capture);

/* The name that the capture has, or else that one. */
const char *pc_known_event_name(const struct pc_capture *capture, const struct pc_attr *attr,
                                char made[PC_LINE_NAME]);

/* The name of an event when EVENT_DESC was lost: the one that is known, or that follows from the attr, which
 * is put into `made`. NULL: it has none. */
const char *pc_attr_event_name(const struct pc_capture *capture, const struct pc_attr *attr,
                               char made[PC_LINE_NAME]);

#endif
