/* SPDX-License-Identifier: MIT
 *
 * confine.h: gives up the rights of this process that its work does not need. Threads that it makes later
 * have none of them either, and nothing brings them back.
 */
#ifndef PC_CONFINE_H
#define PC_CONFINE_H

/* What holds the process. */
enum {
    PC_NO_NEW_PRIVS = 1,
    PC_LANDLOCK = 2, /* the kernel opens no file for it */
    PC_SECCOMP = 4,  /* the kernel takes only the system calls of a list */
};

/* What a process keeps. */
enum {
    PC_KEEPS_NAMES = 1,  /* files may still be opened and named, so PC_LANDLOCK is left out */
    PC_KEEPS_COPIES = 2, /* it may make copies of itself, with less time and memory (apart.h) */
};

/* Returns what holds the process from now on. A system call that is not allowed fails with ENOSYS, as on a
 * kernel that does not have it. socket: on this one descriptor messages can be sent and received; -1: on
 * none. */
int pc_confine(int socket, unsigned keeps);

#endif
