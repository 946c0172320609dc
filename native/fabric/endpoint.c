#include "shim.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SETTLE_NS 5000000
#define LEAST_LOOKS 100
#define READS_NS 200000000
#define ENDS_READS_ONCE FI_VERSION(1, 18)

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t) now.tv_sec * 1000000000 + now.tv_nsec;
}

static int make_operations(struct tf_endpoint *endpoint) {
    size_t count = (size_t) tf_info_number((struct tf_info *) endpoint->domain->info, TF_OPERATIONS);
    endpoint->operations = calloc(count, sizeof *endpoint->operations);
    if (endpoint->operations == NULL) {
        return -FI_ENOMEM;
    }
    endpoint->count = count;
    for (size_t i = count; i-- > 0;) {
        endpoint->operations[i].next = endpoint->unused;
        endpoint->unused = &endpoint->operations[i];
    }
    return 0;
}

static int open_events(struct tf_endpoint *endpoint) {
    struct fid_domain *domain = endpoint->domain->domain;
    struct fi_av_attr peers = {.type = FI_AV_TABLE};
    struct fi_cq_attr events = {.format = FI_CQ_FORMAT_DATA, .wait_obj = FI_WAIT_FD};
    int error = fi_av_open(domain, &peers, &endpoint->peers, NULL);
    if (error != 0) {
        return error;
    }
    error = fi_cq_open(domain, &events, &endpoint->events, NULL);
    endpoint->has_descriptor = error == 0;
    if (error == -FI_ENOSYS) {
        events.wait_obj = FI_WAIT_NONE;
        error = fi_cq_open(domain, &events, &endpoint->events, NULL);
    }
    return error;
}

static int open_endpoint(struct tf_endpoint *endpoint) {
    struct tf_domain *domain = endpoint->domain;
    int error = fi_endpoint(domain->domain, domain->info, &endpoint->endpoint, NULL);
    if (error == 0) {
        error = fi_ep_bind(endpoint->endpoint, &endpoint->peers->fid, 0);
    }
    if (error == 0) {
        error = fi_ep_bind(endpoint->endpoint, &endpoint->events->fid, FI_TRANSMIT | FI_RECV);
    }
    return error == 0 ? fi_enable(endpoint->endpoint) : error;
}

int64_t tf_endpoint_open(struct tf_domain *domain, struct tf_endpoint **result) {
    struct tf_endpoint *endpoint = calloc(1, sizeof *endpoint);
    if (endpoint == NULL) {
        return -FI_ENOMEM;
    }
    endpoint->domain = domain;
    endpoint->flushes_by_read = strcmp(domain->info->fabric_attr->prov_name, "shm") == 0;
    struct sigaction kept[TF_SIGNALS];
    tf_keep_signals(kept);
    int error = make_operations(endpoint);
    if (error == 0) {
        error = open_events(endpoint);
    }
    if (error == 0) {
        error = open_endpoint(endpoint);
        const char *provider = domain->info->fabric_attr->prov_name;
        endpoint->settles = error == 0 && strcmp(provider, "verbs;ofi_rxm") == 0;
        endpoint->ends_reads = error == 0 && strcmp(provider, "tcp;ofi_rxm") == 0
            && FI_VERSION_LT(fi_version(), ENDS_READS_ONCE);
    }
    tf_restore_signals(kept);
    if (error != 0) {
        tf_endpoint_close(endpoint);
        return error;
    }
    *result = endpoint;
    return 0;
}

static void take_events(struct tf_endpoint *endpoint) {
    int64_t events[EVENTS_AT_ONCE * TF_EVENT_WORDS];
    tf_poll(endpoint, events, EVENTS_AT_ONCE);
}

/**
 * Has libfabric take what has come, as it would go on with memory that it has freed if a connection ended before (rxm
 * over verbs, from 1.14 on; mended after 2.3). Its own messages are meant, of which it tells nothing: how many receives
 * the other side has. The other side has sent the last of them when it has taken what was written here, so they are
 * here within microseconds.
 */
static void settle(struct tf_endpoint *endpoint) {
    int64_t until_ns = now_ns() + SETTLE_NS;
    for (int looks = 0; looks < LEAST_LOOKS || now_ns() < until_ns; looks++) {
        take_events(endpoint);
    }
}

/**
 * Lets reads end, as libfabric before 1.18 ends the process when a connection is closed in the middle of an answer
 * (tcp: it gives up that read twice). Returns whether none is under way.
 */
static int end_reads(struct tf_endpoint *endpoint) {
    int64_t until_ns = now_ns() + READS_NS;
    for (int looks = 0; endpoint->reads > 0 && (looks < LEAST_LOOKS || now_ns() < until_ns); looks++) {
        take_events(endpoint);
    }
    return endpoint->reads == 0;
}

/**
 * The endpoint stays until the process ends, where tools that look for leaks find it. Nobody polls it any more, and
 * without that its provider moves nothing.
 */
static void keep(struct tf_endpoint *endpoint) {
    static struct tf_endpoint *all;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    endpoint->domain->is_kept = 1;
    pthread_mutex_lock(&lock);
    endpoint->kept = all;
    all = endpoint;
    pthread_mutex_unlock(&lock);
}

void tf_endpoint_close(struct tf_endpoint *endpoint) {
    if (endpoint->settles) {
        settle(endpoint);
    }
    if (endpoint->ends_reads && !end_reads(endpoint)) {
        keep(endpoint);
        return;
    }
    tf_close_if(endpoint->endpoint == NULL ? NULL : &endpoint->endpoint->fid);
    tf_close_if(endpoint->events == NULL ? NULL : &endpoint->events->fid);
    tf_close_if(endpoint->peers == NULL ? NULL : &endpoint->peers->fid);
    free(endpoint->operations);
    free(endpoint);
}

int64_t tf_address(struct tf_endpoint *endpoint, void *address, int64_t size) {
    size_t length = (size_t) size;
    int error = fi_getname(&endpoint->endpoint->fid, address, &length);
    return error != 0 ? error : (int64_t) length;
}

int64_t tf_peer(struct tf_endpoint *endpoint, const void *address) {
    fi_addr_t peer;
    int count = fi_av_insert(endpoint->peers, address, 1, &peer, 0, NULL);
    return count == 1 ? (int64_t) peer : count < 0 ? count : -FI_EINVAL;
}
