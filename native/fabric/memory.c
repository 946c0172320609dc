/* Regions, and remote regions. */
#include "shim.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PROBE_BYTES 4096

static int64_t open_region(struct tf_endpoint *endpoint, void *memory, int64_t bytes, int64_t key, uint64_t access,
                           struct tf_region **result) {
    struct tf_domain *domain = endpoint->domain;
    struct tf_region *region = calloc(1, sizeof *region);
    if (region == NULL) {
        return -FI_ENOMEM;
    }
    int mode = domain->info->domain_attr->mr_mode;
    int error = fi_mr_reg(domain->domain, memory, (size_t) bytes, access, 0, (uint64_t) key, 0, &region->region, NULL);
    if (error == 0 && (mode & FI_MR_ENDPOINT) != 0) {
        error = fi_mr_bind(region->region, &endpoint->endpoint->fid, 0);
        if (error == 0) {
            error = fi_mr_enable(region->region);
        }
    }
    if (error != 0) {
        tf_close_if(region->region == NULL ? NULL : &region->region->fid);
        free(region);
        return error;
    }
    region->descriptor = fi_mr_desc(region->region);
    region->base = (mode & FI_MR_VIRT_ADDR) != 0 ? (uint64_t) (uintptr_t) memory : 0;
    *result = region;
    return 0;
}

int64_t tf_region_open(struct tf_endpoint *endpoint, void *memory, int64_t bytes, int64_t key,
                       struct tf_region **result) {
    return open_region(endpoint, memory, bytes, key, FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, result);
}

/**
 * Registers the same memory twice: a cache finds the same region. Only of providers that choose keys: others ask for a
 * key of its own for each region. The memory is of nobody else, as a cache keeps it within reach.
 */
static int64_t look_for_cache(struct tf_endpoint *endpoint) {
    struct tf_region *one = NULL;
    struct tf_region *two = NULL;
    void *memory = mmap(NULL, PROBE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return -FI_ENOMEM;
    }
    int64_t error = open_region(endpoint, memory, PROBE_BYTES, 0, FI_READ | FI_WRITE | FI_REMOTE_READ, &one);
    error = error != 0 ? error
        : open_region(endpoint, memory, PROBE_BYTES, 0, FI_READ | FI_WRITE | FI_REMOTE_READ, &two);
    if (error == 0) {
        endpoint->cache = fi_mr_key(one->region) == fi_mr_key(two->region) ? TF_CACHES : TF_CACHES_NOT;
    }
    if (two != NULL) {
        tf_region_close(two);
    }
    if (one != NULL) {
        tf_region_close(one);
    }
    munmap(memory, PROBE_BYTES);
    return error;
}

int64_t tf_region_open_local(struct tf_endpoint *endpoint, void *memory, int64_t bytes, int64_t key,
                             struct tf_region **result) {
    if ((endpoint->domain->info->domain_attr->mr_mode & FI_MR_PROV_KEY) == 0) {
        endpoint->cache = TF_CACHES_NOT;
    }
    int64_t error = endpoint->cache == TF_NOT_TRIED ? look_for_cache(endpoint) : 0;
    return error != 0 ? error : endpoint->cache == TF_CACHES ? TF_NO_SYSTEM_CALL
        : open_region(endpoint, memory, bytes, key, FI_READ | FI_WRITE, result);
}

int64_t tf_region_local(struct tf_endpoint *endpoint, struct tf_region **result) {
    const struct fi_info *info = endpoint->domain->info;
    const char *provider = info->fabric_attr->prov_name;
    int copies = strcmp(provider, "shm") == 0 || strcmp(provider, "tcp;ofi_rxm") == 0;
    if (!copies || (info->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
        return TF_NO_SYSTEM_CALL;
    }
    *result = calloc(1, sizeof **result); /* no descriptor is needed */
    return *result == NULL ? -FI_ENOMEM : 0;
}

int64_t tf_region_number(const struct tf_region *region, int64_t which) {
    return which == TF_KEY ? (int64_t) fi_mr_key(region->region) : (int64_t) region->base;
}

int64_t tf_region_close(struct tf_region *region) {
    int error = region->region == NULL ? 0 : fi_close(&region->region->fid);
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
