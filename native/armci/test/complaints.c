/*
 * What an earlier one-way request did wrong is found by a fence, also by that of a function that frees: it returns
 * that, and has freed all the same. The fence is wrapped (ld --wrap), and leaks are the sanitizer's to find.
 */
#include "check.h"

#include "../src/internal.h"

#include <armcix.h>

static bool complains;

int __real_trib_fence_all(trib *job);
int __wrap_trib_fence_all(trib *job);
int __wrap_trib_fence_all(trib *job) {
    int status = __real_trib_fence_all(job);
    return status == TRIB_OK && complains ? TRIB_INVALID_ADDRESS : status;
}

int main(int argc, char **argv) {
    ARMCI_Group world;
    begin(&argc, &argv);
    ARMCI_Group_get_world(&world);
    void **bases = allocate(64);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(2, &world);
    CHECK(set != NULL);
    complains = me == 0;
    CHECK((ARMCIX_Destroy_mutexes_hdl(set) == 0) == (me != 0));
    set = NULL;
    CHECK((ARMCI_Destroy_mutexes() == 0) == (me != 0));
    CHECK((ARMCI_Free(bases[me]) == 0) == (me != 0));
    complains = false;
    CHECK(ARMCI_Destroy_mutexes() != 0);
    CHECK(ARMCI_Free(bases[me]) != 0);
    CHECK(ARMCI_Create_mutexes(1) == 0 && ARMCI_Destroy_mutexes() == 0);
    free(bases);
    return end();
}
