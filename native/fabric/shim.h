/* Declarations that the files of the shim share. */
#ifndef TRIBUTARY_SHIM_H
#define TRIBUTARY_SHIM_H

#include "tributary_fabric.h"

#include <signal.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

/** So many events are taken from libfabric at once. */
#define EVENTS_AT_ONCE 32

/** An operation: memory for the provider's own notes while it is under way, and the caller's number. */
struct operation {
    struct fi_context2 own; /* first: the provider gives its address back */
    struct operation *next;
    uint32_t context;
    int is_read;
    int is_flushed; /* a write that is followed by a read of its first byte, which tells that it is there */
    fi_addr_t peer; /* where that byte is */
    uint64_t address;
    uint64_t key;
};

struct tf_domain {
    struct fi_info *info;
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    int is_kept; /* for an endpoint that could not be closed */
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
    int settles; /* takes what has come before it is closed */
    int ends_reads; /* is closed only when no read is under way */
    size_t reads; /* under way */
    struct tf_endpoint *kept; /* another one that could not be closed */
    int flushes_by_read;
    enum { TF_NOT_TRIED, TF_CACHES, TF_CACHES_NOT } cache; /* of libfabric, for regions of its domain */
    struct operation *unread; /* written, but there was no room for the read */
    char flushed;
    char failure[TF_TEXT_BYTES];
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

void tf_keep_signals(struct sigaction *kept);
void tf_restore_signals(const struct sigaction *kept);

/** Returns the length of the text. */
int64_t tf_copy_text(const char *from, char *text, int64_t size);
void tf_close_if(struct fid *object);
/** Begins the read that follows a write; AGAIN keeps it for later. */
int64_t tf_flush(struct tf_endpoint *endpoint, struct operation *operation);
/** The number of the operation that has ended, whose memory is for the next; or -1. */
int64_t tf_finish(struct tf_endpoint *endpoint, void *context);

#endif
