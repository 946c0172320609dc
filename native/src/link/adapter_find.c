/* Which of what libfabric offers a rank opens. */
#include "adapter.h"

/** Whether it reads and writes memory of others, in pieces of any length. */
static bool is_usable(const struct trib_shim *shim, const char *provider, const struct tf_info *info) {
    char name[TRIB_PROVIDER_BYTES];
    shim->tf_info_text(info, TF_PROVIDER, name, sizeof name);
    return strcmp(name, provider) == 0 && shim->tf_info_number(info, TF_REMOTE_MEMORY) == 1
        && shim->tf_info_number(info, TF_MESSAGE_BYTES) >= TRIB_DIRECT_PIECE_BYTES;
}

static bool is_on(const struct trib_shim *shim, const struct tf_info *info, const struct tf_info *other) {
    char domain[TF_TEXT_BYTES];
    char others[TF_TEXT_BYTES];
    shim->tf_info_text(info, TF_DOMAIN, domain, sizeof domain);
    shim->tf_info_text(other, TF_DOMAIN, others, sizeof others);
    return strcmp(domain, others) == 0;
}

/**
 * The first that is usable. Of entries of one adapter it is the first that carries data, as a server takes it
 * (Fabric.merge): those of psm3 do not understand each other.
 */
static const struct tf_info *choose(const struct trib_shim *shim, const char *provider, const struct tf_info *list) {
    const struct tf_info *chosen = NULL;
    for (const struct tf_info *info = list; info != NULL; info = shim->tf_next(info)) {
        if (is_usable(shim, provider, info) && (chosen == NULL || is_on(shim, info, chosen))) {
            chosen = chosen == NULL ? info : chosen;
            if (shim->tf_info_number(info, TF_DATA_BYTES) >= TRIB_FABRIC_DATA_BYTES) {
                return info;
            }
        }
    }
    return chosen;
}

/** Stores 0, or the error for which nothing was found. */
static const struct tf_info *look(const struct trib_shim *shim, const char *provider, const char *host,
                                  struct tf_info **list, int64_t *error) {
    int64_t result = shim->tf_find(provider, host, list);
    const struct tf_info *info = result == 0 ? choose(shim, provider, *list) : NULL;
    if (info == NULL) {
        shim->tf_free(*list);
        *list = NULL;
    }
    *error = result == TF_NO_DATA ? 0 : result;
    return info;
}

const struct tf_info *trib_adapter_find(const struct trib_shim *shim, const char *provider, const char *host,
                                        bool anywhere, struct tf_info **list, char *problem, size_t bytes) {
    int64_t error;
    *list = NULL;
    const struct tf_info *info = look(shim, provider, host, list, &error);
    if (info == NULL && error == 0 && host != NULL) {
        info = look(shim, provider, NULL, list, &error);
        if (info != NULL && !anywhere) {
            snprintf(problem, bytes, "it is not on the interface of %.128s: set server.bind-address or"
                     " server.interface to one that it is on", host);
            shim->tf_free(*list);
            *list = NULL;
            return NULL;
        }
    }
    if (error != 0) {
        char meaning[128];
        shim->tf_error_text(error, meaning, sizeof meaning);
        snprintf(problem, bytes, "looking for it: %s", meaning);
    } else if (info == NULL) {
        snprintf(problem, bytes, "libfabric has none here");
    }
    return info;
}
