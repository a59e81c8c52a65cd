/* SPDX-License-Identifier: MIT
 *
 * The process that opens files for the one that parses.
 */
#include "cli/opener.h"

#ifdef PC_CONFINE

#include "cli/confine.h"

#include "bytes/names.h"
#include "bytes/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TELL_LIVE = PC_NAME_LINK + 1 };

/* What is asked; the names follow, each with its NUL. */
struct request {
    uint32_t kind; /* enum pc_name_kind, or TELL_LIVE */
    int32_t flags;
    uint32_t mode, has_folder;
    uint64_t size; /* of the file, for TELL_LIVE */
};

struct reply {
    int32_t error; /* errno; 0: it is done */
    int32_t input; /* the number of the input that was opened; descriptors of the next ones come with it */
    struct stat st;
};

/* --- messages with descriptors --- */

#define AHEAD 31 /* so many inputs are opened before they are asked for */

union control {
    struct cmsghdr head;
    unsigned char bytes[CMSG_SPACE((1 + AHEAD) * sizeof(int))];
};

/* Whether the message may be sent later: descriptors that are under way count for all processes of a user,
 * who may have few. */
static bool may_wait(unsigned *waited)
{
    const unsigned most = 10000; /* milliseconds */
    return errno == ETOOMANYREFS && (*waited)++ < most && poll(NULL, 0, 1) == 0;
}

/* The system call itself: on some machines the C library has another one, which the filter does not allow. */
static bool send_parts(int socket, struct iovec *part, size_t nr, const int *fd, size_t nr_fds)
{
    union control control = { .head = { .cmsg_len = CMSG_LEN(nr_fds * sizeof(*fd)) } };
    struct msghdr message = { .msg_iov = part, .msg_iovlen = nr };
    unsigned waited = 0;
    long sent;
    if (nr_fds != 0) {
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        memcpy(CMSG_DATA(&control.head), fd, nr_fds * sizeof(*fd));
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_LEN(nr_fds * sizeof(*fd));
    }
    do {
        sent = syscall(SYS_sendmsg, socket, &message, MSG_NOSIGNAL);
    } while (sent < 0 && (errno == EINTR || may_wait(&waited)));
    return sent >= 0;
}

/* Returns the size of the message; 0: there is none any more. *nr_fds: at most so many descriptors, then how
 * many came. */
static size_t receive(int socket, void *to, size_t size, int *fd, size_t *nr_fds)
{
    union control control;
    struct iovec part = { to, size };
    struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes };
    long got;
    message.msg_controllen = CMSG_LEN(*nr_fds * sizeof(*fd));
    do {
        got = syscall(SYS_recvmsg, socket, &message, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    *nr_fds = 0;
    if (got > 0 && message.msg_controllen >= CMSG_LEN(sizeof(*fd)) && control.head.cmsg_level == SOL_SOCKET &&
        control.head.cmsg_type == SCM_RIGHTS) {
        *nr_fds = (control.head.cmsg_len - CMSG_LEN(0)) / sizeof(*fd);
        memcpy(fd, CMSG_DATA(&control.head), *nr_fds * sizeof(*fd));
    }
    return got > 0 ? (size_t)got : 0;
}

/* --- the opener: what it may do --- */

enum {
    IS_INPUT = 1,
    IS_FOLDER = 2, /* of outputs or of temporary files */
    IS_OURS = 4,   /* an output or a temporary directory, or in one */
    IS_BINARIES = 8,
};

/* A directory that was opened. */
struct place {
    dev_t device;
    ino_t inode;
    unsigned is;
};

struct opener {
    const struct pc_task *task;
    pid_t parent; /* the process that asks */
    int socket;
    int last;  /* the input that was opened last */
    int ahead; /* those before it were opened already, or asked for */
    struct place *place;
    size_t nr;
};

/* Inputs come in their order, or nearly so. */
static bool is_input(struct opener *o, const char *path)
{
    for (int i = 0; i < o->task->nr; i++) {
        int k = (o->last + i) % o->task->nr;
        if (strcmp(o->task->input[k], path) == 0) {
            o->last = k;
            return true;
        }
    }
    return o->task->any_input || (o->task->header && strcmp(o->task->header, path) == 0);
}

static bool is_binaries(const struct opener *o, const struct pc_name_call *c)
{
    return o->task->binaries && (c->flags & O_DIRECTORY) && strcmp(o->task->binaries, c->name) == 0;
}

static bool is_folder(const struct opener *o, const char *path)
{
    const char *tmpdir = secure_getenv("TMPDIR");
    char folder[PATH_MAX], name[PC_SINK_NAME];
    bool is = strcmp(path, tmpdir && *tmpdir ? tmpdir : "/tmp") == 0;
    for (int i = 0; i < PC_OUTPUTS_MAX && !is; i++)
        is = o->task->output[i] && pc_target_split(o->task->output[i], true, folder, name) == 0 &&
             strcmp(path, folder) == 0;
    return is;
}

/* Whether a name is that of an output, or of a part of one: NAME.0, NAME.1. */
static bool is_output(const struct opener *o, const char *wanted)
{
    char folder[PATH_MAX], name[PC_SINK_NAME];
    bool is = pc_temporary_is_name(wanted);
    for (int i = 0; i < PC_OUTPUTS_MAX && !is; i++) {
        const char *output = o->task->output[i];
        size_t len = output && pc_target_split(output, true, folder, name) == 0 ? strlen(name) : 0;
        const char *rest = len != 0 && strncmp(wanted, name, len) == 0 ? wanted + len : NULL;
        is = rest && (*rest == '\0' || (o->task->parts && rest[0] == '.' && rest[1] &&
                                        rest[strspn(rest + 1, "0123456789") + 1] == '\0'));
    }
    return is;
}

static struct place *place_of(const struct opener *o, const struct stat *st)
{
    for (size_t i = 0; i < o->nr; i++) {
        if (o->place[i].device == st->st_dev && o->place[i].inode == st->st_ino)
            return &o->place[i];
    }
    return NULL;
}

/* What an open directory is. */
static unsigned what_is(const struct opener *o, int fd)
{
    struct stat st;
    const struct place *place = fstat(fd, &st) == 0 ? place_of(o, &st) : NULL;
    return place ? place->is : 0;
}

/* Notes what was opened, when it is a directory. False: there is no memory. */
static bool note(struct opener *o, int fd, unsigned is)
{
    struct stat st;
    if (is == 0 || fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode))
        return true;
    struct place *place = place_of(o, &st);
    if (!place) {
        struct place *grown = realloc(o->place, (o->nr + 1) * sizeof(*grown));
        if (!grown)
            return false;
        o->place = grown;
        place = &grown[o->nr++];
        *place = (struct place){ st.st_dev, st.st_ino, 0 };
    }
    place->is |= is;
    return true;
}

static bool is_plain(const char *name)
{
    return *name != '\0' && !strchr(name, '/') && strcmp(name, "..") != 0;
}

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0;
}

static bool opens(uint32_t kind)
{
    return kind == PC_NAME_OPEN || kind == PC_NAME_OPEN_BENEATH;
}

/* Whether a call changes something: opening does when it is not to read what is there. */
static bool makes(const struct pc_name_call *c)
{
    const int only_reads =
        O_DIRECTORY | O_PATH | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_LARGEFILE;
    if (opens(c->kind))
        return (c->flags & ~only_reads) != O_RDONLY;
    return c->kind != PC_NAME_STAT;
}

/* Without a folder. */
static bool may_begin(struct opener *o, const struct pc_name_call *c)
{
    if (makes(c))
        return false;
    return is_input(o, c->name) || (c->kind == PC_NAME_OPEN && is_binaries(o, c)) ||
           (c->kind == PC_NAME_OPEN && (c->flags & O_DIRECTORY) && is_folder(o, c->name));
}

static bool may(struct opener *o, const struct pc_name_call *c)
{
    bool is_open = c->kind == PC_NAME_OPEN;
    if (c->kind == PC_NAME_OPEN_BENEATH)
        return !makes(c) && c->at != AT_FDCWD && (what_is(o, c->at) & IS_BINARIES);
    if (c->at == AT_FDCWD)
        return may_begin(o, c);
    int flags = fcntl(c->at, F_GETFL);
    if (flags < 0 || (flags & O_PATH) ||
        strcmp(c->name, "..") == 0) /* who looks for the root reads nothing */
        return flags >= 0 && is_open && (c->flags & O_PATH) && strcmp(c->name, "..") == 0;
    if (!is_plain(c->name) || (c->to && !is_plain(c->to)))
        return false;
    if (is_open && !is_dot(c->name) && !(c->flags & O_NOFOLLOW))
        return false;
    if (is_open && makes(c) && !(c->flags & O_EXCL))
        return false;
    unsigned folder = what_is(o, c->at);
    if ((folder & IS_OURS) || (!makes(c) && (folder == 0 || (folder & IS_INPUT))))
        return true;
    if (!(folder & IS_FOLDER))
        return false;
    if (is_open && is_dot(c->name))
        return true;
    return is_output(o, c->name) && (!c->to || is_output(o, c->to));
}

/* --- the opener: its work --- */

/* What a call opens, as far as it has to be known. */
static unsigned what_opens(struct opener *o, const struct pc_name_call *c)
{
    if (c->flags & O_PATH)
        return 0;
    if (c->at == AT_FDCWD)
        return (o->task->output[0] && is_input(o, c->name) ? IS_INPUT : 0) |
               (is_binaries(o, c) ? IS_BINARIES : 0) | (is_folder(o, c->name) ? IS_FOLDER : 0);
    unsigned folder = what_is(o, c->at);
    return (folder & IS_OURS) || ((folder & IS_FOLDER) && is_output(o, c->name)) ? IS_OURS : 0;
}

/* Returns a descriptor, 0, or -1 and errno. */
static int work_on(struct opener *o, const struct pc_name_call *c)
{
    if (!may(o, c)) {
        errno = EACCES;
        return -1;
    }
    int result = pc_name_do(c);
    if (opens(c->kind) && result >= 0 && !note(o, result, what_opens(o, c))) {
        close(result);
        errno = ENOMEM;
        result = -1;
    }
    return result;
}

/* Whether there are names as the request needs them. */
static bool read_names(const struct request *r, const char *names, size_t size, struct pc_name_call *c)
{
    size_t len = strnlen(names, size);
    c->name = names;
    if (len == size)
        return false;
    if (r->kind != PC_NAME_RENAME && r->kind != PC_NAME_LINK)
        return len + 1 == size;
    c->to = names + len + 1;
    return strnlen(c->to, size - len - 1) + len + 2 == size;
}

/* Opens inputs that follow the last one, as long as that has no effect and can wait for nothing. Returns how
 * many. */
static size_t open_ahead(struct opener *o, int flags, int fd[AHEAD])
{
    size_t nr = 0;
    if (o->last < o->ahead)
        return 0; /* a thread was slower than others */
    for (int next = o->last + 1; next < o->task->nr && nr < AHEAD; next++) {
        const char *path = o->task->input[next];
        struct stat st;
        if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
            break;
        fd[nr] = open(path, flags | O_NONBLOCK);
        if (fd[nr] < 0)
            break;
        nr++;
    }
    o->ahead = o->last + 1 + (int)nr;
    return nr;
}

static void answer(struct opener *o, const struct request *r, const char *names, size_t size, int folder)
{
    struct reply reply = { .error = EINVAL };
    struct pc_name_call c = {
        .kind = (enum pc_name_kind)r->kind, .flags = r->flags, .mode = r->mode, .st = &reply.st
    };
    int fd[1 + AHEAD];
    size_t nr = 0;
    c.at = r->has_folder ? folder : AT_FDCWD;
    if (!read_names(r, names, size, &c) || (r->has_folder && folder < 0)) {
        /* no such call */
    } else if (r->kind == TELL_LIVE) {
        reply.error = is_input(o, c.name) ? 0 : EACCES;
        if (reply.error == 0)
            o->task->tell_live(c.name, r->size);
    } else if (r->kind < TELL_LIVE) {
        fd[0] = work_on(o, &c);
        reply.error = fd[0] < 0 ? errno : 0;
        nr = opens(r->kind) && reply.error == 0;
    }
    if (nr != 0 && !r->has_folder && is_input(o, c.name) && !o->task->any_input && !o->task->output[0]) {
        nr += open_ahead(o, r->flags, fd + 1);
        reply.input = o->last;
    }
    struct iovec part = { &reply, sizeof(reply) };
    if (!send_parts(o->socket, &part, 1, fd, nr))
        _exit(1);
    while (nr > 0)
        close(fd[--nr]);
}

/* Until the other process closes the socket, or ends. */
static _Noreturn void serve(struct opener *o)
{
    static struct {
        struct request request;
        char names[2 * PATH_MAX];
    } message;
    size_t size, nr = 1;
    int folder;
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL); /* Ctrl-C is for the other process, which may go on */
    prctl(PR_SET_PDEATHSIG, SIGKILL);     /* also while a FIFO has no writer */
    if (getppid() != o->parent)           /* it ended before that */
        _exit(1);
    pc_confine(o->socket, PC_KEEPS_NAMES);
    while ((size = receive(o->socket, &message, sizeof(message), &folder, &nr)) != 0) {
        if (size < sizeof(message.request))
            break;
        answer(o, &message.request, message.names, size - sizeof(message.request), nr != 0 ? folder : -1);
        if (nr != 0)
            close(folder);
        nr = 1;
    }
    _exit(0);
}

/* --- the process that asks --- */

static struct {
    pthread_mutex_t lock; /* one question at a time */
    int socket;
    pid_t process;
    char **input; /* of the task */
    int flags;    /* inputs that are open already, with these flags: */
    int first;    /* the number of the first one; threads take them nearly in their order */
    size_t nr, next;
    int fd[1 + AHEAD];
} opener = { .lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1 };

/* What is open ahead for this call; -1: nothing. */
static int take_ahead(const struct pc_name_call *c)
{
    bool is_input = c->kind == PC_NAME_OPEN && c->at == AT_FDCWD && c->flags == opener.flags;
    for (size_t i = opener.next; is_input && i < opener.nr; i++) {
        int fd = opener.fd[i];
        if (fd < 0 || strcmp(opener.input[(size_t)opener.first + i], c->name) != 0)
            continue;
        opener.fd[i] = -1;
        while (opener.next < opener.nr && opener.fd[opener.next] < 0)
            opener.next++;
        return fd;
    }
    return -1;
}

static void close_ahead(void)
{
    for (; opener.next < opener.nr; opener.next++) {
        if (opener.fd[opener.next] >= 0)
            close(opener.fd[opener.next]);
    }
}

/* struct iovec is for reading too, and its pointers are not const. */
union text {
    const char *text;
    void *writable;
};

/* Returns a descriptor or 0; below 0: -errno. fd: the descriptors of the reply, nr of them. */
static int exchange(const struct request *r, const struct pc_name_call *c, struct reply *reply, int *fd,
                    size_t *nr)
{
    size_t len = strlen(c->name) + 1, to_len = c->to ? strlen(c->to) + 1 : 0;
    struct request request = *r;
    union text name = { c->name }, to = { c->to };
    struct iovec part[] = { { &request, sizeof(request) }, { name.writable, len }, { to.writable, to_len } };
    if (len > PATH_MAX || to_len > PATH_MAX)
        return -ENAMETOOLONG;
    if (!send_parts(opener.socket, part, 3, &c->at, r->has_folder) ||
        receive(opener.socket, reply, sizeof(*reply), fd, nr) != sizeof(*reply))
        return -EIO; /* somebody ended the opener */
    if (reply->error != 0)
        return -reply->error;
    return !opens(r->kind) ? 0 : *nr != 0 ? fd[0] : -EMFILE;
}

/* The same by one thread at a time; descriptors of more inputs are kept. */
static int ask_alone(const struct request *r, const struct pc_name_call *c, struct reply *reply)
{
    int fd[1 + AHEAD];
    size_t nr = 1 + AHEAD;
    pthread_mutex_lock(&opener.lock);
    int result = take_ahead(c);
    if (result < 0) {
        result = exchange(r, c, reply, fd, &nr);
        if (result == -EMFILE && opener.next < opener.nr) { /* so many are open only because of those */
            close_ahead();
            nr = 1 + AHEAD;
            result = exchange(r, c, reply, fd, &nr);
        }
        if (result >= 0 && nr > 1) {
            close_ahead();
            memcpy(opener.fd, fd, nr * sizeof(*fd));
            opener.flags = c->flags;
            opener.first = reply->input;
            opener.next = 1;
            opener.nr = nr;
        }
    }
    pthread_mutex_unlock(&opener.lock);
    return result;
}

/* Only where no handler of signals has work, a signal may come meanwhile: the handler asks too. */
static int ask(const struct pc_name_call *c)
{
    const struct request request = {
        .kind = (uint32_t)c->kind, .flags = c->flags, .mode = c->mode, .has_folder = c->at != AT_FDCWD
    };
    bool may_wait = c->kind == PC_NAME_OPEN && c->at == AT_FDCWD && !(c->flags & O_DIRECTORY);
    sigset_t all, before;
    struct reply reply = { .error = 0 };
    sigfillset(&all);
    if (c->at < 0 && c->at != AT_FDCWD) {
        errno = EBADF;
        return -1;
    }
    if (!may_wait)
        pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = ask_alone(&request, c, &reply);
    if (!may_wait)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result < 0) {
        errno = -result;
        return -1;
    }
    if (c->kind == PC_NAME_STAT)
        *c->st = reply.st;
    return result;
}

bool pc_opener_tell_live(const char *path, uint64_t size)
{
    const struct request request = { .kind = TELL_LIVE, .size = size };
    const struct pc_name_call call = { .name = path };
    struct reply reply;
    if (opener.process == 0)
        return false;
    ask_alone(&request, &call, &reply);
    return true;
}

bool pc_opener_start(const struct pc_task *task)
{
    int end[2];
    struct opener o = { .task = task, .parent = getpid() };
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, end) != 0)
        return false;
    opener.process = fork();
    if (opener.process == 0) {
        close(end[0]);
        o.socket = end[1];
        serve(&o);
    }
    close(end[1]);
    if (opener.process < 0) {
        close(end[0]);
        opener.process = 0;
        return false;
    }
    opener.socket = end[0];
    opener.input = task->input;
    pc_name_through(ask);
    pc_confine(opener.socket, task->binaries ? PC_KEEPS_COPIES : 0);
    return true;
}

void pc_opener_stop(void)
{
    if (opener.process == 0)
        return;
    close_ahead();
    close(opener.socket);
    while (waitpid(opener.process, NULL, 0) < 0 && errno == EINTR)
        continue;
    opener.process = 0;
}

#else /* this build keeps its rights */

bool pc_opener_start(const struct pc_task *task)
{
    (void)task;
    return false;
}

void pc_opener_stop(void)
{
}

bool pc_opener_tell_live(const char *path, uint64_t size)
{
    (void)path;
    (void)size;
    return false;
}

#endif
