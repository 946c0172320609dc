#include "shim.h"

static struct operation *start(struct tf_endpoint *endpoint, int64_t size) {
    struct operation *operation = endpoint->unused;
    if (operation != NULL) {
        endpoint->unused = operation->next;
        operation->context = (uint32_t) ((uint64_t) size >> 32);
        operation->is_flushed = 0;
    }
    return operation;
}

/** An operation that has not begun leaves its memory to the next. */
static int64_t begun(struct tf_endpoint *endpoint, struct operation *operation, ssize_t result) {
    if (result != 0) {
        tf_finish(endpoint, operation);
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

static int64_t write_delivered(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                               int64_t size, uint64_t flags) {
    struct tf_endpoint *endpoint = remote->owner;
    struct operation *operation = start(endpoint, size);
    struct iovec from = {(void *) (uintptr_t) memory, (uint32_t) size};
    struct fi_rma_iov to = {remote->base + (uint64_t) offset, (uint32_t) size, remote->key};
    struct fi_msg_rma message = {&from, &region->descriptor, 1, remote->peer, &to, 1, operation, remote->data};
    return operation == NULL ? -FI_EAGAIN : begun(endpoint, operation,
        fi_writemsg(endpoint->endpoint, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE | flags));
}

int64_t tf_flush(struct tf_endpoint *endpoint, struct operation *operation) {
    int64_t result = fi_read(endpoint->endpoint, &endpoint->flushed, sizeof endpoint->flushed, NULL, operation->peer,
                             operation->address, operation->key, operation);
    operation->is_flushed = 0;
    if (result == -FI_EAGAIN) {
        operation->next = endpoint->unread;
        endpoint->unread = operation;
    }
    return result;
}

/**
 * With provider shm, a write that is to be complete when it is delivered waits for a call of the other process. One
 * that is not, and a read, copy at once, or pass through one queue; so the read comes back when the bytes are there.
 */
static int64_t write_and_read(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                              int64_t size) {
    struct tf_endpoint *endpoint = remote->owner;
    struct operation *operation = start(endpoint, size);
    if (operation == NULL) {
        return -FI_EAGAIN;
    }
    operation->is_flushed = 1;
    operation->peer = remote->peer;
    operation->address = remote->base + (uint64_t) offset;
    operation->key = remote->key;
    return begun(endpoint, operation, fi_write(endpoint->endpoint, memory, (uint32_t) size, region->descriptor,
        remote->peer, operation->address, remote->key, operation));
}

int64_t tf_write_delivered(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                           int64_t size) {
    return remote->owner->flushes_by_read && (uint32_t) size > 0 ? write_and_read(remote, offset, region, memory, size)
        : write_delivered(remote, offset, region, memory, size, 0);
}

int64_t tf_write_ahead(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                       int64_t size) {
    return remote->owner->flushes_by_read ? tf_write(remote, offset, region, memory, size)
        : write_delivered(remote, offset, region, memory, size, 0);
}

int64_t tf_write_data_delivered(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                                int64_t size) {
    return write_delivered(remote, offset, region, memory, size, FI_REMOTE_CQ_DATA);
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
    if (operation == NULL) {
        return -FI_EAGAIN;
    }
    operation->is_read = 1;
    endpoint->reads++;
    return begun(endpoint, operation,
        fi_read(endpoint->endpoint, memory, (uint32_t) size, region->descriptor, remote->peer,
            remote->base + (uint64_t) offset, remote->key, operation));
}
