/*
 * The addresses of a name. The C library looks names up without a deadline, and servers of names may stall for minutes:
 * a thread of its own does so, which is left behind when the time is over. Addresses in digits need none.
 */
#ifndef TRIB_RESOLVE_H
#define TRIB_RESOLVE_H

#include "rank/rank.h"

#include <netdb.h>

/** getaddrinfo, or what stands for it in tests. */
typedef int (*trib_resolver)(const char *host, const char *service, const struct addrinfo *hints,
                             struct addrinfo **found);

/**
 * Addresses of host and port, to be freed with freeaddrinfo.
 *
 * job: ends the wait when it fails or the rank leaves it; may be NULL. *temporary: the name service has failed for now.
 */
int trib_resolve(const char *host, const char *service, struct trib_deadline *deadline, const trib *job,
                 trib_resolver resolver, bool *temporary, struct addrinfo **found);

#endif
