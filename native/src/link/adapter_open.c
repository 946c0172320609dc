/* The endpoint of a rank, and the memory through which its data passes. */
#include "adapter.h"

#include <netdb.h>
#include <sys/socket.h>

/** Memory of callers is registered with any provider; for tests. */
bool trib_adapter_registers;

const char *trib_adapter_error(const struct trib_adapter *adapter, int64_t error) {
    static _Thread_local char text[128];
    adapter->shim->tf_error_text(error, text, sizeof text);
    return text;
}

/** The address of this end of a connection; false when it has none that can be written. */
static bool own_address(const struct trib_link *link, char *text, size_t bytes) {
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    return getsockname(link->fd, (struct sockaddr *) &own, &length) == 0 && own.ss_family != AF_UNIX
        && getnameinfo((struct sockaddr *) &own, length, text, (socklen_t) bytes, NULL, 0, NI_NUMERICHOST) == 0;
}

/** Of slots for data, and of those for messages. */
static size_t memory_bytes(const trib *job) {
    size_t staged = job->settings.fabric_channels > 0 ? (size_t) TRIB_CHANNEL_SLOTS * TRIB_STAGED_BYTES : 0;
    return (size_t) TRIB_SLOTS * TRIB_SLOT_BYTES + staged;
}

/** Opens it; otherwise says what failed, with which error, and what to do. */
static int64_t open_with(const trib *job, struct trib_adapter *adapter, const struct tf_info *info,
                         const char **what, const char **advice) {
    const struct trib_shim *shim = adapter->shim;
    *what = "opening it";
    *advice = "";
    adapter->key_bytes = shim->tf_info_number(info, TF_KEY_BYTES);
    int64_t error = shim->tf_domain_open(info, &adapter->domain);
    error = error != 0 ? error : shim->tf_endpoint_open(adapter->domain, &adapter->endpoint);
    if (error == 0) {
        *what = "registering memory";
        *advice = ". If memory must not be locked, raise the limit (ulimit -l)";
        error = shim->tf_region_open(adapter->endpoint, adapter->memory, (int64_t) memory_bytes(job),
                                     trib_adapter_key(adapter), &adapter->bounce);
    }
    /* With channels the endpoint must not close because a thread leaves with its memory: so it uses none of threads. */
    if (error == 0 && job->settings.fabric_channels == 0) {
        struct tf_region *direct = NULL;
        int64_t none = shim->tf_region_local(adapter->endpoint, &direct);
        error = none == TF_NO_SYSTEM_CALL ? 0 : none;
        __atomic_store_n(&adapter->registers, none == TF_NO_SYSTEM_CALL || trib_adapter_registers, __ATOMIC_RELAXED);
        adapter->direct = direct;
        adapter->most_registered = TRIB_REGISTERED_BYTES;
        adapter->too_much = INT64_MAX;
        /* Partner: the load in trib_adapter_puts_directly, which asks without the lock. */
        __atomic_store_n(&adapter->uses_sources, error == 0, __ATOMIC_RELEASE);
    }
    adapter->orders_reads = shim->tf_info_number(info, TF_ORDERS_READS) == 1;
    adapter->orders_writes = shim->tf_info_number(info, TF_ORDERS_WRITES) == 1;
    return error;
}

static bool make_room(const trib *job, struct trib_adapter *adapter) {
    adapter->pieces = calloc(TRIB_SLOTS, sizeof *adapter->pieces);
    if (adapter->pieces == NULL
        || posix_memalign((void **) &adapter->memory, 4096, memory_bytes(job)) != 0) {
        adapter->memory = NULL;
        return false;
    }
    memset(adapter->memory, 0, memory_bytes(job)); /* registered memory is there anyway */
    for (int slot = TRIB_SLOTS - 1; slot >= 0; slot--) {
        adapter->pieces[slot].slot = slot;
        adapter->free_slots[adapter->free_count++] = slot;
    }
    adapter->staging = adapter->memory + (size_t) TRIB_SLOTS * TRIB_SLOT_BYTES;
    for (int slot = TRIB_CHANNEL_SLOTS - 1; slot >= 0; slot--) {
        adapter->unused_staged[adapter->unused_staged_count++] = slot;
    }
    return true;
}

static bool try_open(const trib *job, struct trib_adapter *adapter, const struct trib_link *link, char *problem,
                     size_t bytes) {
    char host[NI_MAXHOST];
    struct tf_info *list;
    adapter->shim = trib_shim_load(problem, bytes);
    if (adapter->shim == NULL) {
        return false;
    }
    if (!make_room(job, adapter)) {
        snprintf(problem, bytes, "no memory");
        return false;
    }
    const struct tf_info *info = trib_adapter_find(adapter->shim, adapter->provider,
        own_address(link, host, sizeof host) ? host : NULL, job->settings.fabric == TRIB_NETWORK_FABRIC_AUTO, &list,
        problem, bytes);
    if (info == NULL) {
        return false;
    }
    const char *what;
    const char *advice;
    int64_t error = open_with(job, adapter, info, &what, &advice);
    adapter->shim->tf_free(list);
    if (error != 0) {
        snprintf(problem, bytes, "%s: %s%s", what, trib_adapter_error(adapter, error), advice);
    }
    return error == 0;
}

void trib_adapter_open(trib *job, struct trib_adapter *adapter, const char *provider, const struct trib_link *link) {
    char problem[512];
    snprintf(adapter->provider, sizeof adapter->provider, "%s", provider);
    if (strcmp(provider, "shm") == 0) {
        /* Partner: the acquire load in end_now. */
        __atomic_store_n(&job->failure.has_provider_files, true, __ATOMIC_RELEASE);
    }
    trib_hold_end(job); /* which removes files of the provider */
    bool is_open = try_open(job, adapter, link, problem, sizeof problem);
    trib_let_end(job);
    if (!is_open) {
        fprintf(stderr, "tributary: rank %d cannot use the provider %s of network.fabric, so messages carry all data:"
                " %s\n", job->place.rank, provider, problem);
        trib_adapter_shut(adapter, false);
        adapter->is_off = true;
    }
}

/** Memory that others may still use is never given back; kept where tools that look for leaks find it. */
static void abandon(void *memory) {
    static struct abandoned {
        void *memory;
        struct abandoned *next;
    } *all;
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct abandoned *one = malloc(sizeof *one);
    if (one != NULL) {
        pthread_mutex_lock(&lock);
        *one = (struct abandoned) {.memory = memory, .next = all};
        all = one;
        pthread_mutex_unlock(&lock);
    }
}

void trib_adapter_shut(struct trib_adapter *adapter, bool abandons) {
    const struct trib_shim *shim = adapter->shim;
    trib_registrations_close(adapter);
    if (adapter->direct != NULL) {
        shim->tf_region_close(adapter->direct);
    }
    if (adapter->bounce != NULL) {
        shim->tf_region_close(adapter->bounce);
    }
    if (adapter->endpoint != NULL) {
        shim->tf_endpoint_close(adapter->endpoint);
    }
    if (adapter->domain != NULL) {
        shim->tf_domain_close(adapter->domain);
    }
    __atomic_store_n(&adapter->uses_sources, false, __ATOMIC_RELAXED);
    adapter->direct = NULL;
    __atomic_store_n(&adapter->registers, false, __ATOMIC_RELAXED);
    adapter->bounce = NULL;
    adapter->endpoint = NULL;
    adapter->domain = NULL;
    if (abandons) {
        abandon(adapter->memory);
    } else {
        free(adapter->memory);
    }
    adapter->memory = NULL;
}
