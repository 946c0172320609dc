/* Why a connection takes nothing more, in the words of what requests travel in. */
#include "channel.h"
#include "links.h"
#include "ring.h"

/** What is damaged, if the error says so. */
static const char *damage(const struct trib_link *link, int error) {
    return error != EBADMSG ? NULL
        : link->ring != NULL ? trib_ring_problem(link->ring)
        : link->records != NULL ? trib_records_problem(link->records)
        : link->channel != NULL ? trib_channel_problem(link->channel) : NULL;
}

int trib_link_cannot_send(struct trib_link *link, int error) {
    const char *damaged = damage(link, error);
    return trib_link_broke(link, "%s", damaged != NULL ? damaged : strerror(error));
}
