/*
 * A rank's ring in shared memory: where it hands requests to its own server when that server owns the node's channels
 * (docs/protocol.md, "Request rings"). Everything here is called with the lock of the links held.
 */
#ifndef TRIB_RING_H
#define TRIB_RING_H

#include <stdbool.h>
#include <sys/types.h>
#include <sys/uio.h>

struct trib_link;
struct trib_ring;

/** From now on requests of a link to the own server go through the ring, if that server has made one. */
int trib_ring_open(struct trib_link *link);
void trib_ring_close(struct trib_ring *ring);
/** Takes as many bytes as there is room for and wakes the server if it sleeps; like sendmsg that never blocks. */
ssize_t trib_ring_send(struct trib_link *link, const struct iovec *vectors, size_t count);
/** Whether the server has taken everything, or never will. */
bool trib_ring_is_empty(struct trib_link *link);
/** What another process has stored where it must not, after errno was EBADMSG; NULL when there is nothing. */
const char *trib_ring_problem(const struct trib_ring *ring);
/**
 * Wakes the server unless it has taken everything: the words by which it is told can be overwritten by others, what it
 * reads from the socket cannot. False, with errno, when that fails.
 */
bool trib_ring_remind(struct trib_link *link);

#endif
