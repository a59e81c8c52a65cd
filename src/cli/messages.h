/* SPDX-License-Identifier: MIT
 *
 * messages.h: what other tools print about a capture that they cannot read, and what it means.
 */
#ifndef PC_MESSAGES_H
#define PC_MESSAGES_H

/* A row of messages.def. */
struct pc_message {
    const char *tool;
    const char *text; /* "failed to process type: #": # is any number */
    const char *meaning;
    const char *next;     /* what the user does next */
    const char *findings; /* ids that say more: "PC0103, PC0107"; "": none */
};

/* The first row whose text is in what the tool printed, or, for eight characters and more, has it as a part.
 * Case does not matter. NULL: none. */
const struct pc_message *pc_message_find(const char *printed);

/* The row with this number, from 0 on; NULL: there are no more. */
const struct pc_message *pc_message_at(unsigned number);

#endif
