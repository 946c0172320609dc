/* What ARMCI has of its one job; apart from the files that use it, which would use each other in a circle. */
#include "internal.h"

struct arm_state arm;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void arm_lock(void) {
    pthread_mutex_lock(&lock);
}

void arm_unlock(void) {
    pthread_mutex_unlock(&lock);
}
