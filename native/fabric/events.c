#include "shim.h"

#include <poll.h>
#include <stdlib.h>

#define NS_PER_SECOND 1000000000

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

void tf_sleep(int64_t descriptor, int64_t ns) {
    struct pollfd watched = {.fd = (int) descriptor, .events = POLLIN};
    struct timespec limit = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
    ppoll(&watched, 1, &limit, NULL);
}

/** Otherwise it is none of here, whatever the flags say. */
static int is_own(const struct tf_endpoint *endpoint, const struct operation *operation) {
    return operation >= endpoint->operations && operation < endpoint->operations + endpoint->count;
}

int64_t tf_finish(struct tf_endpoint *endpoint, void *context) {
    struct operation *operation = context;
    if (!is_own(endpoint, operation)) {
        return -1;
    }
    if (operation->is_read) {
        operation->is_read = 0;
        endpoint->reads--;
    }
    operation->next = endpoint->unused;
    endpoint->unused = operation;
    return operation->context;
}

static void store(int64_t *event, int64_t kind, int64_t value, int64_t bytes) {
    event[0] = kind;
    event[1] = value;
    event[2] = bytes;
}

static int64_t take_failure(struct tf_endpoint *endpoint, int64_t *event) {
    struct fi_cq_err_entry error = {0};
    ssize_t count = fi_cq_readerr(endpoint->events, &error, 0);
    if (count < 0) {
        return count == -FI_EAGAIN ? 0 : count;
    }
    char text[TF_TEXT_BYTES] = "";
    const char *said = fi_cq_strerror(endpoint->events, error.prov_errno, error.err_data, text, sizeof text);
    tf_copy_text(said == NULL ? text : said, endpoint->failure, sizeof endpoint->failure);
    int64_t kind = error.err == 0 ? -FI_EOTHER : -abs(error.err); /* some providers have the other sign */
    store(event, kind, tf_finish(endpoint, error.op_context), 0);
    return 1;
}

/** Reads back what a write has written; returns how many events there are, one when it cannot be read. */
static int64_t flush(struct tf_endpoint *endpoint, struct operation *operation, int64_t *event) {
    int64_t begun = tf_flush(endpoint, operation);
    if (begun == 0 || begun == -FI_EAGAIN) {
        return 0;
    }
    endpoint->failure[0] = 0;
    store(event, begun, tf_finish(endpoint, operation), 0);
    return 1;
}

/** Takes a completion; returns how many events that makes. */
static int64_t take_end(struct tf_endpoint *endpoint, void *context, size_t bytes, int64_t *event) {
    if (is_own(endpoint, context) && ((struct operation *) context)->is_flushed) {
        return flush(endpoint, context, event);
    }
    store(event, TF_DONE, tf_finish(endpoint, context), (int64_t) bytes);
    return 1;
}

/** Tries again what had no room, until there is none, or an event. */
static int64_t flush_again(struct tf_endpoint *endpoint, int64_t *event) {
    int64_t events = 0;
    for (struct operation *operation = endpoint->unread; operation != NULL && events == 0;) {
        endpoint->unread = operation->next;
        events = flush(endpoint, operation, event);
        operation = endpoint->unread == operation ? NULL : endpoint->unread;
    }
    return events;
}

int64_t tf_poll(struct tf_endpoint *endpoint, int64_t *events, int64_t count) {
    struct fi_cq_data_entry entries[EVENTS_AT_ONCE];
    if (endpoint->unread != NULL && flush_again(endpoint, events) != 0) {
        return 1;
    }
    ssize_t found = fi_cq_read(endpoint->events, entries, (size_t) (count > EVENTS_AT_ONCE ? EVENTS_AT_ONCE : count));
    if (found == -FI_EAGAIN) {
        return 0;
    }
    if (found == -FI_EAVAIL) {
        return take_failure(endpoint, events);
    }
    int64_t told = found < 0 ? found : 0;
    for (ssize_t i = 0; i < found; i++) {
        int64_t *event = events + TF_EVENT_WORDS * told;
        if ((entries[i].flags & FI_REMOTE_CQ_DATA) != 0) {
            store(event, TF_ARRIVED, (int64_t) (uint32_t) entries[i].data, (int64_t) entries[i].len);
            told++;
        } else {
            told += take_end(endpoint, entries[i].op_context, entries[i].len, event);
        }
    }
    return told;
}

int64_t tf_failure(struct tf_endpoint *endpoint, char *text, int64_t size) {
    return tf_copy_text(endpoint->failure, text, size);
}
