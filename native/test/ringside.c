/*
 * The rank's side of a ring as the library has it, for a test in Java that plays the server: no job, no connection but
 * one end of a pair of sockets on which wake-ups go. They are of TCP, and small: such a socket can take a part of one.
 */
#include "link/link.h"
#include "link/ring.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct ringside {
    trib job;
    struct trib_link link;
    int server;
};

/** Whether each wake-up goes at once; those that are gathered are cut where the socket is full. */
static bool send_at_once(int fd, int at_once) {
    return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once) == 0;
}

static bool connect_pair(int sockets[2]) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int small = 4096;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockets[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    setsockopt(sockets[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    bool connected = send_at_once(sockets[0], 1) && bind(listener, (struct sockaddr *) &address, length) == 0
        && listen(listener, 1) == 0 && getsockname(listener, (struct sockaddr *) &address, &length) == 0
        && connect(sockets[0], (struct sockaddr *) &address, length) == 0;
    sockets[1] = connected ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    close(listener);
    return sockets[1] >= 0;
}

/** Opens the ring of a rank of the node in a directory; NULL when it is refused. */
EXPORT struct ringside *ringside_open(const char *directory, int ranks, int index) {
    int sockets[2];
    struct ringside *side = calloc(1, sizeof *side);
    if (side == NULL || !connect_pair(sockets)) {
        free(side);
        return NULL;
    }
    snprintf(side->job.node.directory, sizeof side->job.node.directory, "%s", directory);
    side->job.node.rank_count = ranks;
    side->job.node.index = index;
    side->job.settings.throws = 1;
    side->link.job = &side->job;
    side->link.fd = sockets[0];
    side->server = sockets[1];
    return trib_ring_open(&side->link) == TRIB_OK ? side : NULL;
}

/** Puts bytes into the ring, all of them, and wakes the server as a rank does; false when the ring is refused. */
EXPORT bool ringside_send(struct ringside *side, const char *bytes, size_t length) {
    while (length > 0) {
        struct iovec piece = {.iov_base = (char *) bytes, .iov_len = length};
        ssize_t sent = trib_ring_send(&side->link, &piece, 1);
        if (sent < 0 && errno != EAGAIN) {
            trib_fail(TRIB_ABORTED, "%s", errno == EBADMSG ? trib_ring_problem(side->link.ring) : strerror(errno));
            return false;
        }
        bytes += sent < 0 ? 0 : sent;
        length -= sent < 0 ? 0 : (size_t) sent;
    }
    return true;
}

/** The server blocks; whether it has been woken within that time. */
EXPORT bool ringside_await_wake(struct ringside *side, int timeout_ms) {
    char wakes[256];
    struct pollfd server = {.fd = side->server, .events = POLLIN};
    return poll(&server, 1, timeout_ms) == 1 && read(side->server, wakes, sizeof wakes) > 0;
}

/** A rank that waits reminds the server; false when the connection breaks. */
EXPORT bool ringside_remind(struct ringside *side) {
    return send_at_once(side->link.fd, 0) && trib_ring_remind(&side->link);
}

/** The server reads what there is; with end, until the rank, which sends nothing more, has nothing more to say. */
EXPORT int64_t ringside_read(struct ringside *side, char *bytes, int64_t length, bool end) {
    int64_t done = 0;
    if (end) {
        shutdown(side->link.fd, SHUT_WR);
    }
    for (ssize_t count = 1; count > 0 && done < length; done += count > 0 ? count : 0) {
        count = recv(side->server, bytes + done, (size_t) (length - done), end ? 0 : MSG_DONTWAIT);
    }
    return done;
}

/** The message of what was refused last, on this thread. */
EXPORT const char *ringside_error(void) {
    return trib_last_error()->message;
}
