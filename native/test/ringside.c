/*
 * The rank's side of a ring as the library has it, for a test in Java that plays the server: no job, no connection but
 * one end of a pair of sockets on which wake-ups go.
 */
#include "link/link.h"
#include "link/ring.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

struct ringside {
    trib job;
    struct trib_link link;
    int server;
};

/** Opens the ring of a rank of the node in a directory; NULL when it is refused. */
EXPORT struct ringside *ringside_open(const char *directory, int ranks, int index) {
    int sockets[2];
    struct ringside *side = calloc(1, sizeof *side);
    if (side == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
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

/** The message of what was refused last, on this thread. */
EXPORT const char *ringside_error(void) {
    return trib_last_error()->message;
}
