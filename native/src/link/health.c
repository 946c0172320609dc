/* Checks that a rank makes now and then while it waits; see org.tributary.client.link.HealthCheck. */
#include "links.h"
#include "ring.h"

/** The connection breaks when the host at the other end counts as gone. */
static int look(struct trib_link *link, int64_t now_ns) {
    trib *job = link->job;
    int64_t timeout_ns = job->settings.silence_timeout_ns;
    char address[TRIB_SERVER_NAME_BYTES];
    if (!link->is_watched || link->broken || link->retired
        || !trib_watch_check_silence(&link->silence, link->fd, timeout_ns, now_ns)) {
        return TRIB_OK;
    }
    if (trib_place_server(&job->place, link->node, address) != TRIB_OK) {
        address[0] = '\0';
    }
    return trib_link_broke(link, "its host, %.100s, has not answered for %g s (connection.silence-timeout)", address,
                           (double) timeout_ns / (double) TRIB_NS_PER_S);
}

int trib_links_look(trib *job, int64_t now_ns) {
    struct trib_links *links = job->links;
    if (links->local != NULL && links->local->ring != NULL && now_ns >= links->next_reminder_ns) {
        links->next_reminder_ns = now_ns + TRIB_REMIND_NS;
        if (!links->local->broken && !trib_ring_remind(links->local)) {
            return trib_link_cannot_send(links->local, errno);
        }
    }
    if (now_ns < links->next_look_ns) {
        return TRIB_OK;
    }
    links->next_look_ns = now_ns + job->settings.silence_timeout_ns / TRIB_LOOKS;
    int status = TRIB_OK;
    for (int i = 0; i < links->count && status == TRIB_OK; i++) {
        status = look(links->all[i], now_ns);
    }
    return status;
}
