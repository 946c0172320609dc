/* The thread that sleeps in epoll hears that something has come, and through it the others do. */
#include "links.h"

#include <sys/epoll.h>
#include <unistd.h>

bool trib_links_watch(struct trib_links *links, int fd, struct trib_link *link) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = link};
    return epoll_ctl(links->epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

void trib_links_ignore(struct trib_links *links, int fd) {
    epoll_ctl(links->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static void wake_sleeper(const struct trib_links *links) {
    uint64_t one = 1;
    if (links->wake >= 0 && write(links->wake, &one, sizeof one) < 0) {
        return; /* it is awake already */
    }
}

void trib_links_wake(trib *job) {
    wake_sleeper(job->links);
    pthread_cond_broadcast(&job->links->news);
}

void trib_links_arrived(trib *job) {
    if (job->links->sleeping) {
        wake_sleeper(job->links);
    } else if (job->links->waiting > 0) {
        pthread_cond_broadcast(&job->links->news);
    }
}
