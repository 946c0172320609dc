#include "shim.h"

#include <stdlib.h>

int64_t tf_domain_open(const struct tf_info *info, struct tf_domain **result) {
    struct tf_domain *domain = calloc(1, sizeof *domain);
    struct sigaction kept[TF_SIGNALS];
    tf_keep_signals(kept);
    int error = domain == NULL || (domain->info = fi_dupinfo((const struct fi_info *) info)) == NULL ? -FI_ENOMEM : 0;
    if (error == 0) {
        error = fi_fabric(domain->info->fabric_attr, &domain->fabric, NULL);
    }
    if (error == 0) {
        error = fi_domain(domain->fabric, domain->info, &domain->domain, NULL);
    }
    tf_restore_signals(kept);
    if (error != 0) {
        tf_domain_close(domain);
        return error;
    }
    *result = domain;
    return 0;
}

void tf_close_if(struct fid *object) {
    if (object != NULL) {
        fi_close(object);
    }
}

void tf_domain_close(struct tf_domain *domain) {
    if (domain == NULL || domain->is_kept) {
        return;
    }
    tf_close_if(domain->domain == NULL ? NULL : &domain->domain->fid);
    tf_close_if(domain->fabric == NULL ? NULL : &domain->fabric->fid);
    fi_freeinfo(domain->info);
    free(domain);
}
