#include "base.h"

#include <stdarg.h>

static _Thread_local trib_error last = {.rank = -1, .message = "no error"};

const trib_error *trib_last_error(void) {
    return &last;
}

const char *trib_status_text(int status) {
    switch (status) {
        case TRIB_OK: return "no error";
        case TRIB_INVALID_ARGUMENT: return "invalid argument";
        case TRIB_INVALID_ADDRESS: return "invalid address";
        case TRIB_NO_SPACE: return "not enough shared memory";
        case TRIB_MUTEX_STATE: return "mutex in another state";
        case TRIB_ATTACH_FAILED: return "cannot attach to the job";
        case TRIB_ABORTED: return "the job has failed";
        case TRIB_REFUSED: return "refused by a server";
        case TRIB_NO_MEMORY: return "this process is out of memory";
        case TRIB_BUSY: return "other threads are in calls";
        case TRIB_ADAPTER_FAILED: return "the network adapter has failed";
        case TRIB_SYSTEM: return "a system call failed";
        default: return "unknown status";
    }
}

const char *trib_version(void) {
    return TRIB_VERSION;
}

int trib_fail(int status, const char *format, ...) {
    /* The arguments may point into the message that is being replaced. */
    char message[sizeof last.message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    last = (trib_error) {.status = status, .rank = -1};
    memcpy(last.message, message, sizeof message);
    return status;
}

int trib_fail_at(int status, const char *problem, int rank, int64_t segment, int64_t offset, int64_t length,
                 int64_t limit) {
    trib_fail(status, "%s: rank %d, segment %llx, offset %lld, length %lld, limit %lld", problem, rank,
              (unsigned long long) segment, (long long) offset, (long long) length, (long long) limit);
    last.rank = rank;
    last.segment = segment;
    last.offset = offset;
    last.length = length;
    last.limit = limit;
    return status;
}

int trib_fail_prefix(const char *format, ...) {
    char message[sizeof last.message];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length >= 0 && (size_t) length < sizeof message) {
        snprintf(message + length, sizeof message - (size_t) length, "%s", last.message);
        memcpy(last.message, message, sizeof message);
    }
    return last.status;
}

trib_error *trib_error_copy(void) {
    trib_error *copy = malloc(sizeof *copy);
    if (copy != NULL) {
        *copy = last;
    }
    return copy;
}

int trib_error_raise(trib_error *copy) {
    last = *copy;
    free(copy);
    return last.status;
}
