/**
 * @file tributary_fabric.h
 * libfabric as plain functions of at most five integers, for Java and C. jnr-ffi calls those by its fast path; with a
 * sixth, which is there too, 2.3.0 passes a wrong value on x86-64.
 *
 * A domain is an adapter that is open, an endpoint a place in it that sends and is written to, a region memory that the
 * adapter may touch, a remote region such memory of another endpoint. What has made an object is closed after it. One
 * thread at a time uses a domain and what belongs to it. Every function returns a number that is not negative, or an
 * error of libfabric as a negative number, which tf_error_text explains.
 *
 * The interface Shim of the Java module fabric has the same; the build of the C client holds the two together.
 */
#ifndef TRIBUTARY_FABRIC_H
#define TRIBUTARY_FABRIC_H

#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

struct tf_info;
struct tf_domain;
struct tf_endpoint;
struct tf_region;
struct tf_remote;

/** Attributes of a provider for tf_info_number. */
enum tf_number {
    TF_REMOTE_MEMORY,     /* 1: reads and writes memory of others */
    TF_INJECT_BYTES,      /* the largest write that is copied when it starts */
    TF_MESSAGE_BYTES,     /* the largest write */
    TF_DATA_BYTES,        /* of the number that a write carries to the other side */
    TF_OPERATIONS,        /* under way at a time */
    TF_ORDERS_WRITES,     /* 1: writes of one endpoint to one other become visible one after the other */
    TF_ORDERS_BYTES,      /* 1: and each from its first byte to its last */
    TF_AUTOMATIC,         /* 1: data moves without calls of the process that owns the memory, as the provider says */
    TF_ORDERS_READS,      /* 1: reads of one endpoint from one other see memory one after the other */
    TF_KEY_BYTES          /* of the key of a region, where the caller chooses it */
};

/** Names for tf_info_text. */
enum tf_text { TF_PROVIDER, TF_FABRIC, TF_DOMAIN };

/** Attributes of a region for tf_region_number. */
enum tf_region_number { TF_KEY, TF_BASE };

/**
 * An event of tf_poll, as int64: its kind, the context or the data, the bytes. The kind is negative for an error, whose
 * context is -1 when the provider does not say which operation failed.
 */
enum tf_event { TF_DONE, TF_ARRIVED };
#define TF_EVENT_WORDS 3

/** Errors that mean something to callers. */
enum tf_error {
    TF_AGAIN = -11,         /* no room: poll and try again */
    TF_NO_SYSTEM_CALL = -38, /* there is no such thing */
    TF_NO_DATA = -61        /* nothing was found */
};

/** Of memory for a text. */
#define TF_TEXT_BYTES 256
/** Signals are below this. */
#define TF_SIGNALS 32

/** libfabric's version: 65536 * major + minor. */
int64_t tf_version(void);

/**
 * Has libfabric take memory from the adapter as soon as its region is closed: its cache would keep that open for
 * others, and for late operations as well. For processes whose regions others use. To be called before anything but
 * tf_version, and before the program has many threads: it sets FI_MR_CACHE_MAX_COUNT in the environment. Without effect
 * when the process has used libfabric already.
 */
int64_t tf_cache_no_regions(void);

/** Copies what an error means; returns the length of the text. */
int64_t tf_error_text(int64_t error, char *text, int64_t size);

/**
 * Stores a list of what a provider offers, or any provider for NULL; of the network interface with the IP address
 * `node`, unless that is NULL or the provider has addresses of another kind (all but tcp and verbs).
 */
int64_t tf_find(const char *provider, const char *node, struct tf_info **list);
struct tf_info *tf_next(const struct tf_info *info);
int64_t tf_info_number(const struct tf_info *info, int64_t which);
int64_t tf_info_text(const struct tf_info *info, int64_t which, char *text, int64_t size);
void tf_free(struct tf_info *list);

int64_t tf_domain_open(const struct tf_info *info, struct tf_domain **domain);
void tf_domain_close(struct tf_domain *domain);

int64_t tf_endpoint_open(struct tf_domain *domain, struct tf_endpoint **endpoint);
/**
 * Ends its connections, too. With verbs it first looks for 5 ms at what has come, and drops events. With tcp of
 * libfabric before 1.18 it waits up to 0.2 s for reads; should one not end, the endpoint and its domain stay until the
 * process ends, and no more is read.
 */
void tf_endpoint_close(struct tf_endpoint *endpoint);
/** Copies the address by which others find the endpoint; returns its length. */
int64_t tf_address(struct tf_endpoint *endpoint, void *address, int64_t size);
/** Makes an address known; returns the peer's number. */
int64_t tf_peer(struct tf_endpoint *endpoint, const void *address);
/** One that can be read when there are events, or TF_NO_SYSTEM_CALL. Sleep on it only when tf_may_sleep says 1. */
int64_t tf_descriptor(struct tf_endpoint *endpoint);
int64_t tf_may_sleep(struct tf_endpoint *endpoint);
/** Sleeps until a descriptor can be read, for so long at most. Any thread may, also while the endpoint is used. */
void tf_sleep(int64_t descriptor, int64_t ns);
/** Makes progress; stores at most `count` events and returns how many. */
int64_t tf_poll(struct tf_endpoint *endpoint, int64_t *events, int64_t count);
/** Copies what the provider says of the last event that was an error; returns the length of the text. */
int64_t tf_failure(struct tf_endpoint *endpoint, char *text, int64_t size);

/** Registers memory, which others may read and write, under that key if the provider does not choose it. */
int64_t tf_region_open(struct tf_endpoint *endpoint, void *memory, int64_t bytes, int64_t key,
                       struct tf_region **region);
/**
 * Memory for operations that begin at the endpoint; nobody else reaches it. TF_NO_SYSTEM_CALL when others would,
 * because libfabric keeps a cache of regions: that of verbs gives each of them all access.
 */
int64_t tf_region_open_local(struct tf_endpoint *endpoint, void *memory, int64_t bytes, int64_t key,
                             struct tf_region **region);
/**
 * All memory of this process, for operations that begin at the endpoint; nobody else gets a key. TF_NO_SYSTEM_CALL
 * unless the provider moves data in calls of this process alone (tcp, shm): others may use memory that it has freed.
 */
int64_t tf_region_local(struct tf_endpoint *endpoint, struct tf_region **region);
/** Not of tf_region_local's. */
int64_t tf_region_number(const struct tf_region *region, int64_t which);
int64_t tf_region_close(struct tf_region *region);

int64_t tf_remote_open(struct tf_endpoint *endpoint, int64_t peer, int64_t base, int64_t key,
                       struct tf_remote **remote);
void tf_remote_close(struct tf_remote *remote);

/*
 * Operations on a remote region begin, and return 0, or TF_AGAIN. `memory` lies in `region`. When
 * `memory` may be used again there is an event TF_DONE with the context. `size` is tf_size(bytes, context).
 */

/** How many bytes and which context, of 32 bits each. */
static inline int64_t tf_size(uint32_t bytes, uint32_t context) {
    return (int64_t) ((uint64_t) context << 32 | bytes);
}

int64_t tf_write(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory, int64_t size);
/** The event comes when the bytes are in the other side's memory; with shm that takes no call of the other side. */
int64_t tf_write_delivered(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                           int64_t size);
/** The bytes are there, too, when a tf_write_delivered that begins later at the same peer has its event. */
int64_t tf_write_ahead(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                       int64_t size);
/** Chooses the data, of 32 bits, that later calls of tf_write_data and tf_write_data_delivered carry. */
void tf_data(struct tf_remote *remote, int64_t data);
/** The other side has an event TF_ARRIVED with the data. */
int64_t tf_write_data(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                      int64_t size);
/** The same, and the event comes here when the bytes are in the other side's memory. */
int64_t tf_write_data_delivered(struct tf_remote *remote, int64_t offset, struct tf_region *region, const void *memory,
                                int64_t size);
/** Copies the bytes, of any memory, at most TF_INJECT_BYTES, and has no event. */
int64_t tf_inject(struct tf_remote *remote, int64_t offset, const void *memory, int64_t bytes);
/** The same, and the other side has an event TF_ARRIVED with the data, 32 bits. */
int64_t tf_inject_data(struct tf_remote *remote, int64_t offset, const void *memory, int64_t bytes, int64_t data);
int64_t tf_read(struct tf_remote *remote, int64_t offset, struct tf_region *region, void *memory, int64_t size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
