#include "resolve.h"

#include <signal.h>
#include <sys/socket.h>
#include <time.h>

#define HOST_BYTES TRIB_SERVER_NAME_BYTES
#define SERVICE_BYTES 32
#define STACK_BYTES (256 * 1024)

/** Of two threads, of which the last one frees it. */
struct lookup {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int users;
    bool done;
    int error;
    struct addrinfo *found; /* belongs to the waiting thread, once taken */
    trib_resolver resolver;
    char host[HOST_BYTES];
    char service[SERVICE_BYTES];
};

static const struct addrinfo HINTS = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};

/** Call with its lock, which is gone then. */
static void leave(struct lookup *lookup) {
    bool last = --lookup->users == 0;
    pthread_mutex_unlock(&lookup->lock);
    if (last) {
        if (lookup->found != NULL) {
            freeaddrinfo(lookup->found);
        }
        pthread_cond_destroy(&lookup->ended);
        pthread_mutex_destroy(&lookup->lock);
        free(lookup);
    }
}

static void *look_up(void *argument) {
    struct lookup *lookup = argument;
    struct addrinfo *found = NULL;
    int error = lookup->resolver(lookup->host, lookup->service, &HINTS, &found);
    pthread_mutex_lock(&lookup->lock);
    lookup->done = true;
    lookup->error = error;
    lookup->found = error == 0 ? found : NULL;
    pthread_cond_signal(&lookup->ended);
    leave(lookup);
    return NULL;
}

static struct lookup *new_lookup(const char *host, const char *service, trib_resolver resolver) {
    struct lookup *lookup = calloc(1, sizeof *lookup);
    pthread_condattr_t monotonic;
    if (lookup == NULL) {
        return NULL;
    }
    pthread_mutex_init(&lookup->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&lookup->ended, &monotonic);
    pthread_condattr_destroy(&monotonic);
    lookup->users = 1;
    lookup->resolver = resolver;
    snprintf(lookup->host, sizeof lookup->host, "%s", host);
    snprintf(lookup->service, sizeof lookup->service, "%s", service);
    return lookup;
}

/** Signals are for the program's own threads. */
static int start(struct lookup *lookup) {
    sigset_t all;
    sigset_t before;
    pthread_attr_t attributes;
    pthread_t thread;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    lookup->users++;
    int error = pthread_create(&thread, &attributes, look_up, lookup);
    if (error == EINVAL) { /* the thread-local data of the program, which is on the stack, needs more */
        error = pthread_create(&thread, NULL, look_up, lookup);
        if (error == 0) {
            pthread_detach(thread);
        }
    }
    lookup->users -= error == 0 ? 0 : 1;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

/** Waits with the lock of the lookup, which a thread has begun. */
static int await(struct lookup *lookup, struct trib_deadline *deadline, const trib *job) {
    int64_t began_ns = trib_now_ns();
    while (!lookup->done) {
        int64_t left_ns = trib_deadline_left(deadline);
        int64_t now_ns = trib_now_ns();
        if (left_ns <= 0) {
            return trib_fail(TRIB_ATTACH_FAILED, "the name %s was not resolved within %lld ms (connect.timeout,"
                             " attach.timeout): look after the name service of this host, or have servers advertise"
                             " addresses in digits",
                             lookup->host, (long long) ((now_ns - began_ns) / 1000000));
        }
        TRIB_TRY(job == NULL ? TRIB_OK : trib_check(job));
        int64_t until_ns = now_ns + (left_ns < TRIB_DEADLINE_LOOK_NS ? left_ns : TRIB_DEADLINE_LOOK_NS);
        struct timespec until = trib_timespec(until_ns);
        pthread_cond_timedwait(&lookup->ended, &lookup->lock, &until);
    }
    return TRIB_OK;
}

static int unresolved(const char *host, int error) {
    return trib_fail(TRIB_ATTACH_FAILED, "the name %s cannot be resolved: %s", host, gai_strerror(error));
}

int trib_resolve(const char *host, const char *service, struct trib_deadline *deadline, const trib *job,
                 trib_resolver resolver, bool *temporary, struct addrinfo **found) {
    struct addrinfo digits = HINTS;
    digits.ai_flags |= AI_NUMERICHOST;
    *found = NULL;
    *temporary = false;
    int error = getaddrinfo(host, service, &digits, found);
    if (error != EAI_NONAME) {
        return error == 0 ? TRIB_OK : unresolved(host, error);
    }
    if (strlen(host) >= HOST_BYTES || strlen(service) >= SERVICE_BYTES) {
        return unresolved(host, EAI_NONAME);
    }
    struct lookup *lookup = new_lookup(host, service, resolver);
    if (lookup == NULL) {
        return trib_fail(TRIB_NO_MEMORY, "no memory to resolve the name %s", host);
    }
    pthread_mutex_lock(&lookup->lock);
    error = start(lookup);
    int status = error == 0 ? await(lookup, deadline, job)
        : trib_fail(TRIB_SYSTEM, "cannot start a thread that resolves the name %s: %s", host, strerror(error));
    *temporary = status == TRIB_OK && lookup->error == EAI_AGAIN;
    if (status == TRIB_OK && lookup->error != 0) {
        status = unresolved(host, lookup->error);
    } else if (status == TRIB_OK) {
        *found = lookup->found;
        lookup->found = NULL;
    }
    leave(lookup);
    return status;
}
