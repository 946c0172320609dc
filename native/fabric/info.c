/* The providers of this machine, and what they can do. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>

#define API FI_VERSION(1, 17)
#define MAX_OPERATIONS 1024
#define REMOTE_MEMORY (FI_RMA | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE)

_Static_assert(TF_AGAIN == -FI_EAGAIN && TF_NO_DATA == -FI_ENODATA && TF_NO_SYSTEM_CALL == -FI_ENOSYS,
               "enum tf_error is of libfabric");

int64_t tf_copy_text(const char *from, char *text, int64_t size) {
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

int64_t tf_cache_no_regions(void) {
    const char *own = getenv("FI_MR_CACHE_MAX_COUNT");
    return (own != NULL && strcmp(own, "0") == 0) || setenv("FI_MR_CACHE_MAX_COUNT", "0", 1) == 0 ? 0 : -FI_ENOMEM;
}

int64_t tf_error_text(int64_t error, char *text, int64_t size) {
    return tf_copy_text(fi_strerror((int) (error < 0 ? -error : error)), text, size);
}

/** The others have addresses of another kind, take an IP address for one of those, and find nothing. */
static int has_ip_addresses(const char *provider) {
    return strcmp(provider, "tcp;ofi_rxm") == 0 || strcmp(provider, "verbs;ofi_rxm") == 0;
}

int64_t tf_find(const char *provider, const char *node, struct tf_info **list) {
    struct fi_info *wanted = fi_allocinfo();
    if (wanted == NULL) {
        return -FI_ENOMEM;
    }
    const char *from = provider == NULL || has_ip_addresses(provider) ? node : NULL;
    struct sigaction kept[TF_SIGNALS];
    tf_keep_signals(kept);
    wanted->ep_attr->type = FI_EP_RDM;
    wanted->caps = FI_MSG | FI_RMA;
    wanted->mode = FI_CONTEXT | FI_CONTEXT2;
    wanted->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    wanted->domain_attr->threading = FI_THREAD_DOMAIN;
    wanted->fabric_attr->prov_name = provider == NULL ? NULL : strdup(provider);
    int result = provider != NULL && wanted->fabric_attr->prov_name == NULL ? -FI_ENOMEM
        : fi_getinfo(API, from, NULL, from == NULL ? 0 : FI_SOURCE, wanted, (struct fi_info **) list);
    tf_restore_signals(kept);
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
    case TF_ORDERS_READS:
        return (info->tx_attr->msg_order & info->rx_attr->msg_order & FI_ORDER_RAR) != 0;
    case TF_KEY_BYTES:
        return bounded(info->domain_attr->mr_key_size);
    default:
        return -FI_EINVAL;
    }
}

int64_t tf_info_text(const struct tf_info *opaque, int64_t which, char *text, int64_t size) {
    const struct fi_info *info = (const struct fi_info *) opaque;
    switch (which) {
    case TF_PROVIDER:
        return tf_copy_text(info->fabric_attr->prov_name, text, size);
    case TF_FABRIC:
        return tf_copy_text(info->fabric_attr->name, text, size);
    case TF_DOMAIN:
        return tf_copy_text(info->domain_attr->name, text, size);
    default:
        return -FI_EINVAL;
    }
}

void tf_free(struct tf_info *list) {
    fi_freeinfo((struct fi_info *) list);
}
