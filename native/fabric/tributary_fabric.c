#include "tributary_fabric.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#define API FI_VERSION(1, 17)
#define EVENTS_AT_ONCE 32
#define MAX_OPERATIONS 1024
#define FAILURE_BYTES 256
#define REMOTE_MEMORY (FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)

/** What a provider may keep its own notes in while an operation is under way, and the caller's number. */
struct operation {
    struct fi_context2 own; /* first: the provider gives its address back */
    struct operation *next;
    uint32_t context;
};

struct tf_domain {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
};

struct tf_endpoint {
    struct tf_domain *domain;
    struct fid_av *peers;
    struct fid_cq *events;
    struct fid_ep *endpoint;
    int has_descriptor;
    struct operation *operations;
    size_t count;
    struct operation *unused;
    char failure[FAILURE_BYTES];
};

struct tf_region {
    struct fid_mr *region;
    void *descriptor;
    uint64_t base;
};

struct tf_remote {
    struct tf_endpoint *owner;
    fi_addr_t peer;
    uint64_t base;
    uint64_t key;
    uint32_t data;
};

/* ---- signals ---- */

/* Provider shm handles some, to remove its files, and then raises them anew. A JVM lives on some of them: its own
   handlers have to stay. */
#define SIGNALS 32

static void keep_signals(struct sigaction *kept) {
    for (int i = 1; i < SIGNALS; i++) {
        sigaction(i, NULL, &kept[i]);
    }
}

static void restore_signals(const struct sigaction *kept) {
    for (int i = 1; i < SIGNALS; i++) {
        sigaction(i, &kept[i], NULL); /* not for SIGKILL and SIGSTOP, which nobody handles */
    }
}

/* ---- what there is ---- */

static int64_t copy_text(const char *from, char *text, int64_t size) {
    if (size <= 0) {
        return -FI_ETOOSMALL;
    }
    size_t length = from == NULL ? 0 : strnlen(from, (size_t) size - 1);
    memcpy(text, from == NULL ? "" : from, length);
    text[length] = '\0';
    return (int64_t) length;
}

int64_t tf_version(void) {
    return fi_version();
}

int64_t tf_error_text(int64_t error, char *text, int64_t size) {
    return copy_text(fi_strerror((int) (error < 0 ? -error : error)), text, size);
}

int64_t tf_find(const char *provider, const char *node, struct tf_info **list) {
    struct fi_info *wanted = fi_allocinfo();
    if (wanted == NULL) {
        return -FI_ENOMEM;
    }
    struct sigaction kept[SIGNALS];
    keep_signals(kept);
    wanted->ep_attr->type = FI_EP_RDM;
    wanted->caps = FI_MSG | FI_RMA;
    wanted->mode = FI_CONTEXT | FI_CONTEXT2;
    wanted->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    wanted->domain_attr->threading = FI_THREAD_DOMAIN;
    wanted->fabric_attr->prov_name = provider == NULL ? NULL : strdup(provider);
    int result = provider != NULL && wanted->fabric_attr->prov_name == NULL ? -FI_ENOMEM
        : fi_getinfo(API, node, NULL, node == NULL ? 0 : FI_SOURCE, wanted, (struct fi_info **) list);
    restore_signals(kept);
    fi_freeinfo(wanted);
    return result;
}

struct tf_info *tf_next(const struct tf_info *info) {
    return (struct tf_info *) ((const struct fi_info *) info)->next;
}

static int orders_writes(const struct fi_info *info) {
    return (info->tx_attr->msg_order & info->rx_attr->msg_order & FI_ORDER_WAW) != 0
        && info->ep_attr->max_order_waw_size == SIZE_MAX;
}

static int64_t bounded(uint64_t number) {
    return number > INT64_MAX ? INT64_MAX : (int64_t) number;
}

int64_t tf_info_number(const struct tf_info *opaque, int64_t which) {
    const struct fi_info *info = (const struct fi_info *) opaque;
    switch (which) {
    case TF_REMOTE_MEMORY:
        return (info->caps & REMOTE_MEMORY) == REMOTE_MEMORY;
    case TF_INJECT_BYTES:
        return bounded(info->tx_attr->inject_size);
    case TF_MESSAGE_BYTES:
        return bounded(info->ep_attr->max_msg_size);
    case TF_DATA_BYTES:
        return bounded(info->domain_attr->cq_data_size);
    case TF_OPERATIONS:
        return info->tx_attr->size > MAX_OPERATIONS ? MAX_OPERATIONS : (int64_t) info->tx_attr->size;
    case TF_ORDERS_WRITES:
        return orders_writes(info);
    case TF_ORDERS_BYTES:
        return (info->rx_attr->comp_order & FI_ORDER_DATA) != 0;
    case TF_AUTOMATIC:
        return info->domain_attr->data_progress == FI_PROGRESS_AUTO;
    default:
        return -FI_EINVAL;
    }
}

int64_t tf_info_text(const struct tf_info *opaque, int64_t which, char *text, int64_t size) {
    const struct fi_info *info = (const struct fi_info *) opaque;
    switch (which) {
    case TF_PROVIDER:
        return copy_text(info->fabric_attr->prov_name, text, size);
    case TF_FABRIC:
        return copy_text(info->fabric_attr->name, text, size);
    case TF_DOMAIN:
        return copy_text(info->domain_attr->name, text, size);
    default:
        return -FI_EINVAL;
    }
}

void tf_free(struct tf_info *list) {
    fi_freeinfo((struct fi_info *) list);
}

/* ---- domains and endpoints ---- */

int64_t tf_domain_open(const struct tf_info *info, struct tf_domain **result) {
    struct tf_domain *domain = calloc(1, sizeof *domain);
    struct sigaction kept[SIGNALS];
    keep_signals(kept);
    int error = domain == NULL || (domain->info = fi_dupinfo((const struct fi_info *) info)) == NULL ? -FI_ENOMEM : 0;
    if (error == 0) {
        error = fi_fabric(domain->info->fabric_attr, &domain->fabric, NULL);
    }
    if (error == 0) {
        error = fi_domain(domain->fabric, domain->info, &domain->domain, NULL);
    }
    restore_signals(kept);
    if (error != 0) {
        tf_domain_close(domain);
        return error;
    }
    *result = domain;
    return 0;
}

static void close_if(struct fid *object) {
    if (object != NULL) {
        fi_close(object);
    }
}

void tf_domain_close(struct tf_domain *domain) {
    if (domain == NULL) {
        return;
    }
    close_if(domain->domain == NULL ? NULL : &domain->domain->fid);
    close_if(domain->fabric == NULL ? NULL : &domain->fabric->fid);
    fi_freeinfo(domain->info);
    free(domain);
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
    struct sigaction kept[SIGNALS];
    keep_signals(kept);
    int error = make_operations(endpoint);
    if (error == 0) {
        error = open_events(endpoint);
    }
    if (error == 0) {
        error = open_endpoint(endpoint);
    }
    restore_signals(kept);
    if (error != 0) {
        tf_endpoint_close(endpoint);
        return error;
    }
    *result = endpoint;
    return 0;
}

void tf_endpoint_close(struct tf_endpoint *endpoint) {
    close_if(endpoint->endpoint == NULL ? NULL : &endpoint->endpoint->fid);
    close_if(endpoint->events == NULL ? NULL : &endpoint->events->fid);
    close_if(endpoint->peers == NULL ? NULL : &endpoint->peers->fid);
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

int64_t tf_peer_forget(struct tf_endpoint *endpoint, int64_t peer) {
    fi_addr_t address = (fi_addr_t) peer;
    return fi_av_remove(endpoint->peers, &address, 1, 0);
}

/* ---- events ---- */

int64_t tf_descriptor(struct tf_endpoint *endpoint) {
    int fd = -1;
    if (!endpoint->has_descriptor) {
        return -FI_ENOSYS;
    }
    int error = fi_control(&endpoint->events->fid, FI_GETWAIT, &fd);
    return error != 0 ? error : fd;
}

int64_t tf_may_sleep(struct tf_endpoint *endpoint) {
    struct fid *events = &endpoint->events->fid;
    int result = endpoint->has_descriptor ? fi_trywait(endpoint->domain->fabric, &events, 1) : -FI_EAGAIN;
    return result == -FI_EAGAIN ? 0 : result == 0 ? 1 : result;
}

/** The number of the operation that has ended, whose memory is for the next; or -1. */
static int64_t finish(struct tf_endpoint *endpoint, void *context) {
    struct operation *operation = context;
    if (operation < endpoint->operations || operation >= endpoint->operations + endpoint->count) {
        return -1; /* not one of here, whatever the flags say */
    }
    operation->next = endpoint->unused;
    endpoint->unused = operation;
    return operation->context;
}

static int64_t take_failure(struct tf_endpoint *endpoint, int64_t *event) {
    struct fi_cq_err_entry error = {0};
    ssize_t count = fi_cq_readerr(endpoint->events, &error, 0);
    if (count < 0) {
        return count == -FI_EAGAIN ? 0 : count;
    }
    char text[FAILURE_BYTES] = "";
    const char *said = fi_cq_strerror(endpoint->events, error.prov_errno, error.err_data, text, sizeof text);
    copy_text(said == NULL ? text : said, endpoint->failure, sizeof endpoint->failure);
    event[0] = error.err == 0 ? -FI_EOTHER : -abs(error.err); /* some providers have the other sign */
    event[1] = finish(endpoint, error.op_context);
    event[2] = 0;
    return 1;
}

int64_t tf_poll(struct tf_endpoint *endpoint, int64_t *events, int64_t count) {
    struct fi_cq_data_entry entries[EVENTS_AT_ONCE];
    ssize_t found = fi_cq_read(endpoint->events, entries, (size_t) (count > EVENTS_AT_ONCE ? EVENTS_AT_ONCE : count));
    if (found == -FI_EAGAIN) {
        return 0;
    }
    if (found == -FI_EAVAIL) {
        return take_failure(endpoint, events);
    }
    for (ssize_t i = 0; i < found; i++) {
        int64_t *event = events + TF_EVENT_WORDS * i;
        int arrived = (entries[i].flags & FI_REMOTE_CQ_DATA) != 0;
        event[0] = arrived ? TF_ARRIVED : TF_DONE;
        event[1] = arrived ? (int64_t) (uint32_t) entries[i].data : finish(endpoint, entries[i].op_context);
        event[2] = (int64_t) entries[i].len;
    }
    return found;
}

int64_t tf_failure(struct tf_endpoint *endpoint, char *text, int64_t size) {
    return copy_text(endpoint->failure, text, size);
}

/* ---- memory ---- */

int64_t tf_region_open(struct tf_endpoint *endpoint, void *memory, int64_t bytes, int64_t key,
                       struct tf_region **result) {
    struct tf_domain *domain = endpoint->domain;
    struct tf_region *region = calloc(1, sizeof *region);
    if (region == NULL) {
        return -FI_ENOMEM;
    }
    uint64_t access = FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    int mode = domain->info->domain_attr->mr_mode;
    int error = fi_mr_reg(domain->domain, memory, (size_t) bytes, access, 0, (uint64_t) key, 0, &region->region, NULL);
    if (error == 0 && (mode & FI_MR_ENDPOINT) != 0) {
        error = fi_mr_bind(region->region, &endpoint->endpoint->fid, 0);
        if (error == 0) {
            error = fi_mr_enable(region->region);
        }
    }
    if (error != 0) {
        close_if(region->region == NULL ? NULL : &region->region->fid);
        free(region);
        return error;
    }
    region->descriptor = fi_mr_desc(region->region);
    region->base = (mode & FI_MR_VIRT_ADDR) != 0 ? (uint64_t) (uintptr_t) memory : 0;
    *result = region;
    return 0;
}

int64_t tf_region_number(const struct tf_region *region, int64_t which) {
    return which == TF_KEY ? (int64_t) fi_mr_key(region->region) : (int64_t) region->base;
}

int64_t tf_region_close(struct tf_region *region) {
    int error = fi_close(&region->region->fid);
    free(region);
    return error;
}

int64_t tf_remote_open(struct tf_endpoint *endpoint, int64_t peer, int64_t base, int64_t key,
                       struct tf_remote **result) {
    struct tf_remote *remote = malloc(sizeof *remote);
    if (remote == NULL) {
        return -FI_ENOMEM;
    }
    *remote = (struct tf_remote) {endpoint, (fi_addr_t) peer, (uint64_t) base, (uint64_t) key, 0};
    *result = remote;
    return 0;
}

void tf_remote_close(struct tf_remote *remote) {
    free(remote);
}

/* ---- operations ---- */

static struct operation *start(struct tf_endpoint *endpoint, int64_t size) {
    struct operation *operation = endpoint->unused;
    if (operation != NULL) {
        endpoint->unused = operation->next;
        operation->context = (uint32_t) ((uint64_t) size >> 32);
    }
    return operation;
}

/** An operation that has not begun leaves its memory to the next. */
static int64_t begun(struct tf_endpoint *endpoint, struct operation *operation, ssize_t result) {
    if (result != 0) {
        finish(endpoint, operation);
    }
    return result;
}

int64_t tf_write(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory, int64_t size) {
    struct tf_endpoint *endpoint = remote->owner;
    struct operation *operation = start(endpoint, size);
    return operation == NULL ? -FI_EAGAIN : begun(endpoint, operation,
        fi_write(endpoint->endpoint, memory, (uint32_t) size, region->descriptor, remote->peer,
            remote->base + (uint64_t) offset, remote->key, operation));
}

int64_t tf_write_delivered(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                           int64_t size) {
    struct tf_endpoint *endpoint = remote->owner;
    struct operation *operation = start(endpoint, size);
    struct iovec from = {(void *) (uintptr_t) memory, (uint32_t) size};
    struct fi_rma_iov to = {remote->base + (uint64_t) offset, (uint32_t) size, remote->key};
    struct fi_msg_rma message = {&from, &region->descriptor, 1, remote->peer, &to, 1, operation, 0};
    return operation == NULL ? -FI_EAGAIN : begun(endpoint, operation,
        fi_writemsg(endpoint->endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE));
}

void tf_data(struct tf_remote *remote, int64_t data) {
    remote->data = (uint32_t) data;
}

int64_t tf_write_data(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                      int64_t size) {
    struct tf_endpoint *endpoint = remote->owner;
    struct operation *operation = start(endpoint, size);
    return operation == NULL ? -FI_EAGAIN : begun(endpoint, operation,
        fi_writedata(endpoint->endpoint, memory, (uint32_t) size, region->descriptor,
            remote->data, remote->peer, remote->base + (uint64_t) offset, remote->key,
            operation));
}

int64_t tf_inject(struct tf_remote *remote, int64_t offset, const void *memory, int64_t bytes) {
    return fi_inject_write(remote->owner->endpoint, memory, (size_t) bytes, remote->peer,
        remote->base + (uint64_t) offset, remote->key);
}

int64_t tf_inject_data(struct tf_remote *remote, int64_t offset, const void *memory, int64_t bytes, int64_t data) {
    return fi_inject_writedata(remote->owner->endpoint, memory, (size_t) bytes, (uint32_t) data, remote->peer,
        remote->base + (uint64_t) offset, remote->key);
}

int64_t tf_read(struct tf_remote *remote, int64_t offset, struct tf_region *region, void *memory, int64_t size) {
    struct tf_endpoint *endpoint = remote->owner;
    struct operation *operation = start(endpoint, size);
    return operation == NULL ? -FI_EAGAIN : begun(endpoint, operation,
        fi_read(endpoint->endpoint, memory, (uint32_t) size, region->descriptor, remote->peer,
            remote->base + (uint64_t) offset, remote->key, operation));
}
